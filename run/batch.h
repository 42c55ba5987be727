/* batch.h - how many steps the device makes before the host looks at the run.
 *
 * The batch size never changes the results, only how soon an interruption or a NaN is noticed. */
#ifndef TRIREME_RUN_BATCH_H
#define TRIREME_RUN_BATCH_H

#include <stdint.h>

typedef struct batch_plan {
  uint64_t fixed;            /* run.batch; 0: about 0.1 s */
  uint64_t limit;            /* most steps of one advance (the solver's batch_limit) */
  uint64_t most;             /* most steps where none are fixed; 0: any number */
  uint64_t every;            /* an output falls on each multiple; 0: none */
  uint64_t frames;           /* a frame of a movie falls on each multiple; 0: none */
  uint64_t steps;            /* of the run */
  int fused;                 /* recorded steps that the device makes at once; 0: not known yet */
  double patience;           /* seconds that a batch may take if longer recordings may be faster */
  double seconds_per_step;   /* as last measured; 0: not yet */
} batch_plan;

/* Steps to take from `step`; at least 1 while step < plan->steps. */
uint64_t batch_next(const batch_plan *plan, uint64_t step);

#endif
