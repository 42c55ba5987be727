/* run.h - what the program sees of a run of the library beside trireme-run.h. */
#ifndef TRIREME_CLI_RUN_H
#define TRIREME_CLI_RUN_H

#include "run/summary.h"
#include "run/trireme-run.h"

/* Both belong to the run. The report is that of the last trm_run_write. */
const session *trm_run_session(const trm_run *run);
const report *trm_run_report(const trm_run *run);

/* The state of a stop is in a checkpoint. */
int trm_run_is_kept(const trm_run *run);

/* Whoever looks into the run at ends of batches (session_hooks); NULL: nobody. */
void trm_run_set_viewer(trm_run *run, void *viewer, int (*is_viewed)(void *viewer, session *run),
                        trm_status (*show)(void *viewer, session *run));

/* A line of the run's log, on disk when this returns where the run has a folder. */
void trm_run_record(trm_run *run, const char *line);

#endif
