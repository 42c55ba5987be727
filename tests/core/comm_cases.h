/* comm_cases.h - cases for a table of core/comm.h. Threads (comm.c) and ranks (comm_over.c) run the
 * same text. */
#ifndef TRIREME_TESTS_COMM_CASES_H
#define TRIREME_TESTS_COMM_CASES_H

#include "core/domain/domain.h"

/* Each part calls `run`. It succeeds on all parts, or fails on all with one sentence. */
typedef trm_status comm_case_fn(void *unused, const domain_comm *comm);
typedef struct comm_case {
  const char *name;
  comm_case_fn *run;
} comm_case;
extern const comm_case comm_cases[];
extern const size_t comm_case_count;

/* Each of these ends the run: all but part 1 fail, and part 1 in its own way. `ends`: why. */
typedef struct comm_end {
  const char *name;
  comm_case_fn *run;
  const char *in_threads;       /* a part of the sentence; NULL: not for threads */
  const char *over_ranks;       /* likewise */
  const char *silence;          /* TRIREME_COMM_SILENCE over ranks */
} comm_end;
extern const comm_end comm_ends[];
extern const size_t comm_end_count;

#endif
