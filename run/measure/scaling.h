/* scaling.h - the gain of several devices that share one run over fewer (strong scaling). */
#ifndef TRIREME_RUN_SCALING_H
#define TRIREME_RUN_SCALING_H

#include <stddef.h>

/* One of several runs of the same work. */
typedef struct scaled_run {
  const char *id;              /* "cuda:0"; for several devices "devices:2" */
  const char *name;            /* for several devices: "cuda:0, cuda:1", as trm_device_info has
                                * it */
  double seconds;              /* of a step; NaN: not known */
} scaled_run;

typedef struct scaling {
  double devices, fewest;      /* devices that share the run; devices of the run for comparison */
  double speedup, efficiency;  /* speedup 1: no gain; efficiency 1: a perfect speed-up */
  double lost;                 /* seconds of each step beyond those of a perfect speed-up */
  char missing[160];           /* why the last two are NaN; "" where they are known */
} scaling;

/* How many devices share a run. */
double scaling_devices(const char *id);

/* Compares run number `one` with the run of the fewest devices. A perfect run is as fast as its
 * devices together, each at the speed that it, or another device of its backend, has alone. Where
 * no device ran alone, devices of one backend count as equal; for devices of several backends
 * nothing is known then. */
void scaling_of(const scaled_run *runs, size_t count, size_t one, scaling *out);

#endif
