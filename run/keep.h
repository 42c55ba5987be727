/* keep.h - when a run writes checkpoints (io/checkpoint.h), and what they hold.
 *
 * Written at batch ends, in the time loop's own thread: with the measured cost C of one and the
 * time M between two failures, Young's and Daly's interval sqrt(2 C M) keeps the loss small. */
#ifndef TRIREME_CLI_KEEP_H
#define TRIREME_CLI_KEEP_H

#include <jansson.h>
#include <stdatomic.h>

#include "run/results.h"
#include "io/checkpoint.h"

typedef struct keeper {
  const run_case *chosen;
  results *out;              /* whose folder has the checkpoints */
  run_log *log;
  const char *missing;       /* why this run can keep none, or NULL */
  char said[512];            /* how often, size and room, or why none; "": not asked for */
  double every;              /* seconds; 0: only those asked for */
  double due;                /* on the clock; 0: not yet decided */
  double began;              /* this part of the run, on the clock */
  json_t *marks;             /* size and time of the case's files at the start */
  double seconds;            /* that all writing took */
  uint64_t step;             /* of the last one, also of an earlier part */
  unsigned written;
  int is_blind;              /* a rank cannot write its part, and that was told */
  atomic_int wanted;         /* one is asked for now */
  json_t *inputs;            /* of the manifest: hashes of the files */
  trm_checkpoint_past series;
  json_t *parts;             /* of the run, before this one */
} keeper;

/* Where the results have a folder; is_again: the one that they had before. A case that asks for
 * checkpoints and cannot have them is refused; with `auto` the log says why there are none. */
trm_status keep_open(keeper *keep, const session *run, results *out, int is_again);
void keep_close(keeper *keep);

/* A session_hooks's wants and keep, without their user. A state with a value that is not finite is
 * TRM_ERROR_DIVERGED, and the checkpoints before it stay; another failure is a warning. */
int keep_wants(keeper *keep, const session *run);
trm_status keep_write(keeper *keep, session *run);

/* NULL, or why the solver's case cannot be resumed from a checkpoint. */
const char *keep_missing(const trm_solver *solver);

/* The parts of the run with the present one at its end; a new reference. */
json_t *keep_parts(const keeper *keep, const session *run);

/* Size and time of the files that the case names, without reading them. */
trm_status keep_marks(const trm_config *config, json_t **out);

/* [{key, path, bytes, xxh128}] of these files; refuses one that looks other than in `known` (NULL:
 * anything will do). */
trm_status keep_inputs(const trm_config *config, const json_t *known, json_t **out);

#endif
