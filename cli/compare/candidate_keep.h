/* candidate_keep.h - a long run of a comparison or a study writes checkpoints like a single run
 * (keep.h). They lie below the folder of the results: rows/0003-01/checkpoint belongs to run 1 of
 * row 3. The same command continues from there; the folder rows is removed at the end. */
#ifndef TRIREME_CLI_CANDIDATE_KEEP_H
#define TRIREME_CLI_CANDIDATE_KEEP_H

#include "run/keep.h"

/* Which run it is. */
typedef struct candidate_place {
  const char *folder;          /* of the results */
  size_t row, run;             /* run counts from 1 */
  double until;                /* on the clock: the run stops there, with a checkpoint; 0: never */
} candidate_place;

typedef struct candidate_keeper {
  keeper keep;
  results at;                  /* rows/0003-01 */
  run_log quiet;
} candidate_keeper;

/* For a session that has just begun: sets its checkpoints and its stop. If an earlier part of this
 * run has a checkpoint, the session continues from there. A checkpoint of a case that differs is
 * refused. Call candidate_keep_close in any case. */
trm_status candidate_keep_open(candidate_keeper *out, const candidate_place *place, session *run);
void candidate_keep_close(candidate_keeper *keep);

/* A session_hooks's wants and keep; the user is an candidate_keeper. */
int candidate_keep_wants(candidate_keeper *keep, const session *run);
trm_status candidate_keep_write(candidate_keeper *keep, session *run);

/* The run has ended: its checkpoints are removed. But if it took longer than a minute (or than
 * checkpoint.every), its end is kept, so that its results can be had again. */
trm_status candidate_keep_end(candidate_keeper *keep, session *run, int is_wanted);

/* Removes what is below FOLDER/rows. */
void candidate_keep_remove(const char *folder);

#endif
