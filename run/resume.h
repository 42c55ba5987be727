/* resume.h - resumes a run from its newest checkpoint: checks that the case is the same, and
 * restores solver and session. */
#ifndef TRIREME_RUN_RESUME_H
#define TRIREME_RUN_RESUME_H

#include "run/keep.h"

/* Refuses a case that would not give the same results: another solver or version of its state;
 * another value of a key that changes results; a changed file; an end before the checkpoint. */
trm_status resume_check(const trm_found *found, const run_case *chosen);
/* resume_check without the check of the end. */
trm_status resume_check_same(const trm_found *found, const run_case *chosen);

/* Whether the checkpoint's fingerprint is of the version that this program makes; else
 * resume_restore cannot compare it with that of the restored state. */
int resume_compares(const trm_found *found);

/* After the solver's create: restores fields, lists beside them, step, time and series.
 * TRM_ERROR_INPUT where the restored state is not the stored state. */
trm_status resume_restore(const trm_found *found, session *run);

/* Once the results are open: continues the numbering of files and the list fields.pvd. */
trm_status resume_outputs(const trm_found *found, session *run, results *out);

/* Continues the checkpoints: their number, parts and series. */
trm_status resume_take_up(const trm_found *found, keeper *keep);

#endif
