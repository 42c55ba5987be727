/* tuning.h - the search of `trireme tune`: one key after the other, each with a list of values.
 *
 * Only keys that promise the same bits and are not set are searched: group shapes on a GPU; threads
 * and wavefront on a host; keys that the solver declares as such. A value is first tried for a few
 * steps. A refused value is skipped. A value whose state differs from the default's breaks its
 * promise and is never taken. The other values are timed in turn with the best so far, as in
 * `compare`. The fastest is timed once more against the best alone. It is taken only if the
 * interval of the ratio lies above 1 both times. */
#ifndef TRIREME_CLI_TUNING_H
#define TRIREME_CLI_TUNING_H

#include "cli/arguments.h"
#include "run/measure/statistics.h"
#include "run/tuned.h"

enum {
  TUNING_ROWS = 256,
  TUNING_FEWEST_RUNS = VERDICT_RUNS /* of fewer none is faster with enough confidence */
};

typedef enum tuning_verdict {
  TUNING_TAKEN,
  TUNING_TIMED,                /* and left: see its interval */
  TUNING_SAME,                 /* builds what the default builds */
  TUNING_FAR,                  /* far slower in a short run: not timed */
  TUNING_REFUSED, TUNING_DIFFERS
} tuning_verdict;

/* One value of one key. */
typedef struct tuning_row {
  char key[64], text[64];
  tuning_verdict verdict;
  double ratio;                /* of speeds, to the best before this key; NaN: not timed */
  interval range;
  char why[200];               /* TUNING_REFUSED */
} tuning_row;

typedef struct tuning {
  tuning_row rows[TUNING_ROWS];
  size_t row_count;
  char given[512];             /* keys that were set, and so not searched */
  tuned found;
  interval range;              /* of the gain of all that was taken */
  uint64_t steps;              /* of a timed run */
  char file[1024];             /* that keeps it */
} tuning;

/* args: as for compare; the device is the case's run.backend. */
trm_status tuning_run(const arguments *args, trm_context *context, trm_device *device,
                      const run_case *chosen, tuning *out);

#endif
