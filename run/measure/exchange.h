/* exchange.h - what several devices that share launches pay for it: the constants of the model in
 * docs/scale.md. */
#ifndef TRIREME_CLI_EXCHANGE_H
#define TRIREME_CLI_EXCHANGE_H

#include "core/trireme.h"
#include "run/measure/statistics.h"

typedef struct exchange {
  sample launch;               /* seconds from one launch to the next, of few cells, where no rows
                                * move */
  double latency;              /* seconds more where each device needs a short row from both
                                * sides, */
  double bandwidth;            /* and bytes a second that each gets of long ones, by the fastest
                                * repetitions; NaN: lost in the noise */
  size_t row_bytes;            /* of a long row */
} exchange;

/* The model: which part of a perfect weak scaling `devices` have, where a step of `step` seconds is
 * one launch that needs rows of row_bytes from both sides. of: how many devices were measured;
 * is_over_ranks: rank 0 tells the others of a launch before it takes its own part. */
double exchange_efficiency(const exchange *measured, double devices, double step, double row_bytes,
                           size_t of, int is_over_ranks);

/* A device of several (trm_device_parts), `runs` repetitions. */
trm_status exchange_measure(trm_device *device, int runs, exchange *out);

#endif
