/* keep.h - times and contents of a run's checkpoints (io/checkpoint.h).
 *
 * Checkpoints are written at batch ends, in the thread of the time loop. The interval is Young's
 * and Daly's sqrt(2 C M), with the measured cost C of one checkpoint and the time M between two
 * failures. It keeps the lost time small. */
#ifndef TRIREME_RUN_KEEP_H
#define TRIREME_RUN_KEEP_H

#include <jansson.h>
#include <stdatomic.h>

#include "run/results.h"
#include "io/checkpoint.h"

typedef struct keeper {
  const run_case *chosen;
  results *out;              /* their folder has the checkpoints */
  run_log *log;
  const char *missing;       /* why this run can keep no checkpoints, or NULL */
  char said[512];            /* how often, size and room, or why no checkpoints; "": not asked
                              * for */
  double every;              /* seconds; 0: only checkpoints on request */
  double due;                /* on the clock; 0: not yet decided */
  double began;              /* this part of the run, on the clock */
  json_t *marks;             /* size and time of the case's files at the start */
  double seconds;            /* spent on all writing */
  uint64_t step;             /* of the last checkpoint, also of an earlier part of the run */
  unsigned written;
  int is_blind;              /* a rank cannot write its part; the user was told */
  atomic_int wanted;         /* a checkpoint is requested now */
  json_t *inputs;            /* for the manifest: hashes of the files */
  trm_checkpoint_past series;
  json_t *parts;             /* earlier parts of the run */
} keeper;

/* Call it once the results have a folder. is_again: the run has that folder from before. A case
 * that asks for checkpoints and cannot have them is refused. With `auto` the log says why the run
 * writes no checkpoints. */
trm_status keep_open(keeper *keep, const session *run, results *out, int is_again);
void keep_close(keeper *keep);

/* The hooks wants and keep of a session_hooks, without their user. A state with a value that is not
 * finite is TRM_ERROR_DIVERGED, and earlier checkpoints stay. Any other failure is a warning. */
int keep_wants(keeper *keep, const session *run);
trm_status keep_write(keeper *keep, session *run);

/* NULL, or why the solver's case cannot be resumed from a checkpoint. */
const char *keep_missing(const trm_solver *solver);

/* The parts of the run, the present part last; a new reference. */
json_t *keep_parts(const keeper *keep, const session *run);

/* Size and time of the files that the case names, without reading them. */
trm_status keep_marks(const trm_config *config, json_t **out);

/* [{key, path, bytes, xxh128}] of these files. Refuses a file whose size or time differs from
 * `known` (NULL: no comparison). */
trm_status keep_inputs(const trm_config *config, const json_t *known, json_t **out);

#endif
