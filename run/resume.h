/* resume.h - a run that goes on from its newest checkpoint: what must be the same, and how the
 * solver and the session become what they were. */
#ifndef TRIREME_CLI_RESUME_H
#define TRIREME_CLI_RESUME_H

#include "run/keep.h"

/* Refuses a case that would not give the same results: another solver or version of its state, a
 * key of its results or a file that is another, an end that lies before the checkpoint. */
trm_status resume_check(const trm_found *found, const run_case *chosen);
/* The same, whatever the end. */
trm_status resume_check_same(const trm_found *found, const run_case *chosen);

/* After create: fields, what is kept beside them, step, time, series. TRM_ERROR_INPUT where the
 * state is then not the one that was kept. */
trm_status resume_restore(const trm_found *found, session *run);

/* Once the results are open: what their numbering and their list of files go on with. */
trm_status resume_outputs(const trm_found *found, session *run, results *out);

/* What the next checkpoints go on with. */
trm_status resume_take_up(const trm_found *found, keeper *keep);

#endif
