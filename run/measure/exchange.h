/* exchange.h - the cost of sharing launches among several devices: the constants of the model in
 * docs/scale.md. */
#ifndef TRIREME_RUN_EXCHANGE_H
#define TRIREME_RUN_EXCHANGE_H

#include "core/trireme.h"
#include "run/measure/statistics.h"

typedef struct exchange {
  sample launch;               /* seconds from one launch to the next, for a few cells, without
                                * moving rows */
  double latency;              /* additional seconds where each device needs a short row from both
                                * sides, */
  double bandwidth;            /* and bytes a second that each device receives in long rows, by the
                                * fastest repetitions; NaN: lost in the noise */
  size_t row_bytes;            /* of a long row */
} exchange;

/* The model: the fraction of a perfect weak scaling that `devices` devices reach. A step of `step`
 * seconds is one launch that needs rows of row_bytes from both sides. of: number of measured
 * devices. is_over_ranks: rank 0 tells all ranks of a launch before it takes its own part. */
double exchange_efficiency(const exchange *measured, double devices, double step, double row_bytes,
                           size_t of, int is_over_ranks);

/* For a device of several (trm_device_parts), with `runs` repetitions. */
trm_status exchange_measure(trm_device *device, int runs, exchange *out);

#endif
