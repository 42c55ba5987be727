/* run.h - functions of a run of libtrireme-run that the program uses beside trireme-run.h. */
#ifndef TRIREME_RUN_RUN_H
#define TRIREME_RUN_RUN_H

#include "run/summary.h"
#include "run/trireme-run.h"

/* Session and report belong to the run. The report is the one of the last trm_run_write. */
const session *trm_run_session(const trm_run *run);
const report *trm_run_report(const trm_run *run);

/* Whether a checkpoint holds the state at which the run stopped. */
int trm_run_is_kept(const trm_run *run);

/* Sets a viewer, which inspects the run at the ends of batches (session_hooks); NULL: no viewer. */
void trm_run_set_viewer(trm_run *run, void *viewer, int (*is_viewed)(void *viewer, session *run),
                        trm_status (*show)(void *viewer, session *run));

/* Adds a line to the run's log. If the run has a folder, the line is on disk when this returns. */
void trm_run_record(trm_run *run, const char *line);

#endif
