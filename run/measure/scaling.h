/* scaling.h - what several devices that share one run gain over fewer (strong scaling). */
#ifndef TRIREME_CLI_SCALING_H
#define TRIREME_CLI_SCALING_H

#include <stddef.h>

/* A run of the same work. */
typedef struct scaled_run {
  const char *id;              /* "cuda:0"; of several devices "devices:2" */
  const char *name;            /* of several: "cuda:0, cuda:1", as trm_device_info has it */
  double seconds;              /* of a step; NaN: not known */
} scaled_run;

typedef struct scaling {
  double devices, fewest;      /* that share the run; on which it is held against */
  double speedup, efficiency;  /* 1: none; 1: a perfect speed-up */
  double lost;                 /* seconds of each step beyond those of a perfect speed-up */
  char missing[160];           /* why the last two are NaN; "" where they are known */
} scaling;

/* How many devices share a run. */
double scaling_devices(const char *id);

/* Run number `one` against the one of the fewest devices. A perfect run is as fast as its devices
 * together, as each ran alone: itself, or another of its backend. Where none did, devices of one
 * backend count as equal; of unlike devices nothing is known then. */
void scaling_of(const scaled_run *runs, size_t count, size_t one, scaling *out);

#endif
