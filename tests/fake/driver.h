/* driver.h - what a test sets in, and reads from, the fake CUDA driver (driver.c). */
#ifndef TRIREME_TESTS_FAKE_DRIVER_H
#define TRIREME_TESTS_FAKE_DRIVER_H

#include "backend-cuda/driver_api.h"

enum { FAKE_MAX_LAUNCHES = 256 };

/* One executed launch, in order. */
typedef struct fake_launch {
  char name[32];
  unsigned int grid[3], block[3], shared_bytes;
  int programmatic;                /* carried the attribute of programmatic dependent launch */
} fake_launch;

typedef struct fake_driver {
  /* set by the test */
  int version, device_count, capability;
  cu_result init_result;           /* what cuInit answers */
  cu_result module_result;         /* what cuModuleLoadData answers */
  cu_result instantiate_result;    /* what cuGraphInstantiate answers */
  size_t memory_bytes;             /* of the device */
  /* read by the test */
  int contexts, streams, buffers, pinned, modules, events, graphs, execs; /* alive now */
  int misuses;                     /* calls that a real driver would refuse or that would race */
  char misuse[256];                /* the first of them */
  int graph_launches;
  size_t copies, sets;             /* executed copies between device ranges, and memsets */
  size_t launch_count;
  fake_launch launches[FAKE_MAX_LAUNCHES];
} fake_driver;

#endif
