/* stepper.h - a batch of steps as recorded sequences: 2, 4, ... 512 steps, longest first. The
 * longest sequence may have any even number of steps.
 *
 * A sequence is recorded when it is first needed, and replayed from then on. A host runs the steps
 * of a sequence as a wavefront. Sequences begin in the first of two buffers that swap, so their
 * lengths are even. The remaining steps are launched one by one. Usable without the rest of the
 * framework. */
#ifndef TRIREME_FRAMEWORK_STEPPER_H
#define TRIREME_FRAMEWORK_STEPPER_H

#include "core/trireme.h"

enum {
  TRM_FRAMEWORK_SEQUENCES = 9,
  TRM_FRAMEWORK_LONGEST = 1 << TRM_FRAMEWORK_SEQUENCES /* steps of the longest sequence */
};

typedef struct trm_framework_stepper {
  trm_device *device;
  void *user;
  const int *current;          /* which of the two buffers holds the state: 0 or 1; NULL: no swap */
  uint64_t most;               /* steps of the longest useful sequence: even, at most 512 */
  uint64_t fewest;             /* steps of the shortest sequence useful on a GPU; 0: half as many as
                                * `most` */

  /* Launches `count` steps, the first of which is step `at` of the batch. is_recorded: it is called
   * while a sequence is recorded. Steps then count from 0, and their results go to a place from
   * which `after` takes them. Otherwise count is at most `most`. */
  trm_status (*launch)(void *user, uint64_t count, uint64_t at, int is_recorded);

  /* (optional) Called after each replay and each plain launch of steps, in order. */
  trm_status (*after)(void *user, uint64_t count, uint64_t at, int is_recorded);

  trm_sequence *sequences[TRM_FRAMEWORK_SEQUENCES]; /* of 2 << i steps, or of `most`; owned by the
                                               * stepper */
} trm_framework_stepper;

/* Enqueues steps [at, at + count) of the batch. */
TRM_API trm_status trm_framework_steps(trm_framework_stepper *stepper, uint64_t at, uint64_t count);
TRM_API void trm_framework_stepper_clear(trm_framework_stepper *stepper);

/* For a solver whose series are folded from leaves: functions for the stepper's launch and after,
 * with a trm_framework_folder as its `user`. The leaves of up to `slots` steps wait for one
 * fold. */
typedef struct trm_framework_folder {
  void *user;
  size_t slots;
  trm_buffer *sums;            /* series i of the batch: from element i * batch on; */
  trm_buffer *window;          /* series i of a sequence: from i * TRM_FRAMEWORK_LONGEST on */
  trm_type type;               /* of sums and window */
  size_t series, batch;

  /* Launches a step whose leaves go to slot `slot`. */
  trm_status (*step)(void *user, size_t slot);
  /* Folds the first `steps` slots to element `at` of each series, `stride` apart in `to`. */
  trm_status (*fold)(void *user, size_t steps, trm_buffer *to, size_t stride, size_t at);
} trm_framework_folder;
TRM_API trm_status trm_framework_fold_steps(void *folder, uint64_t count, uint64_t at,
                                            int is_recorded);
TRM_API trm_status trm_framework_keep_series(void *folder, uint64_t count, uint64_t at,
                                             int is_recorded);

/* The most steps, up to `steps`, that a GPU takes in whole launches of 3 or of 5 steps
 * (docs/dialect.md, 9). A sequence, or the steps before a fold, of this length leave no step over.
 * On a host `steps` itself. */
TRM_API uint64_t trm_framework_whole(const trm_device *device, uint64_t steps);

/* The first line of an advance: refuses an end that is NaN, which no time ever reaches. */
TRM_API trm_status trm_framework_check_end(double t_end);

/* How many steps an advance takes: the `left` steps until its end (a fraction counts as one step;
 * INFINITY: no end), at most `most`. */
TRM_API uint64_t trm_framework_step_count(double left, uint64_t most);

/* trm_framework_step_count for a solver whose steps are all dt long, from step `step` on.
 * trm_framework_time_of gives the time after a step. A step that ends at t_end except for rounding
 * is the last step, and its time is t_end. */
TRM_API uint64_t trm_framework_steps_until(uint64_t step, double dt, double t_end, uint64_t most);
TRM_API double trm_framework_time_of(uint64_t step, double dt, double t_end);

/* For a solver that chooses the lengths of its steps: how many steps it takes at least until its
 * end, if the lengths change little. Few steps are then launched beyond the end. dt: the next
 * step's length; 0: unknown. */
TRM_API uint64_t trm_framework_steps_ahead(double left, double dt, uint64_t most);

#endif
