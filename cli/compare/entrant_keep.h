/* entrant_keep.h - a long run of a comparison or a study writes checkpoints like a single run
 * (keep.h). They lie below the folder of the results: rows/0003-01/checkpoint belongs to run 1 of
 * row 3. The same command continues from there; the folder rows is removed at the end. */
#ifndef TRIREME_CLI_ENTRANT_KEEP_H
#define TRIREME_CLI_ENTRANT_KEEP_H

#include "run/keep.h"

/* Which run it is. */
typedef struct entrant_place {
  const char *folder;          /* of the results */
  size_t row, run;             /* run counts from 1 */
  double until;                /* on the clock: the run stops there, with a checkpoint; 0: never */
} entrant_place;

typedef struct entrant_keeper {
  keeper keep;
  results at;                  /* rows/0003-01 */
  run_log quiet;
} entrant_keeper;

/* For a session that has just begun: sets its checkpoints and its stop. If an earlier part of this
 * run has a checkpoint, the session continues from there. A checkpoint of a case that differs is
 * refused. Call entrant_keep_close in any case. */
trm_status entrant_keep_open(entrant_keeper *out, const entrant_place *place, session *run);
void entrant_keep_close(entrant_keeper *keep);

/* A session_watch's wants and keep; the user is an entrant_keeper. */
int entrant_keep_wants(entrant_keeper *keep, const session *run);
trm_status entrant_keep_write(entrant_keeper *keep, session *run);

/* The run has ended: its checkpoints are removed. But if it took longer than a minute (or than
 * checkpoint.every), its end is kept, so that its results can be had again. */
trm_status entrant_keep_end(entrant_keeper *keep, session *run, int is_wanted);

/* Removes what is below FOLDER/rows. */
void entrant_keep_remove(const char *folder);

#endif
