/* driver.h - what a test sets in, and reads from, the fake CUDA driver (driver.c).
 *
 * A program in another process sets the numbers of the first part by TRIREME_FAKE_CUDA, as words
 * NAME=NUMBER, over those of a healthy machine (environment.c). */
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
  cu_result retain_result;         /* what cuDevicePrimaryCtxRetain answers */
  size_t memory_bytes;             /* of the device */
  int is_whole;                    /* it has no virtual memory management */
  size_t refused_create;           /* this call of cuMemCreate has no memory; 0: none */
  int refuses_shared;              /* memory of another process is not opened */
  int takes_any;                   /* kernels of any name: those that it does not know do nothing */
  size_t refused_launch, fatal_launch;     /* this launch is so; 0: none */
  cu_result refused_result, fatal_result;  /* with that */
  /* read by the test */
  int contexts, streams, buffers, pinned, modules, events, graphs, execs; /* alive now */
  int misuses;                     /* calls that a real driver would refuse or that would race */
  char misuse[256];                /* the first of them */
  int graph_launches;
  int reservations, handles;       /* of virtual memory, alive now */
  size_t mapped_bytes, creates;    /* now; and calls so far */
  size_t opens;                    /* of memory of another process */
  size_t granted;                  /* devices that reach the memory mapped last */
  size_t copies, sets;             /* executed copies between device ranges, and memsets */
  size_t launch_count;             /* executed */
  size_t offered_launches;         /* calls */
  fake_launch launches[FAKE_MAX_LAUNCHES];
} fake_driver;

/* A healthy machine: two devices of compute capability 9.0 with 64 MiB, driver for CUDA 12.4. */
#define FAKE_HEALTHY {.version = 12040, .device_count = 2, .capability = 90, \
                      .memory_bytes = (size_t)64 << 20}

#endif
