/* threads.h - parts of one run that are threads of this process. They reach each other through the
 * same table as processes do (core/comm.h), by copies from memory to memory.
 *
 * A thread cannot be stopped apart from its process, so there are no heartbeats: a part that
 * computes may take any time. A part that has ended while another one waits for it is noticed at
 * once, and so are parts that all wait for each other. */
#ifndef TRIREME_DOMAIN_THREADS_H
#define TRIREME_DOMAIN_THREADS_H

#include "core/domain/domain.h"

typedef trm_status domain_part_fn(void *user, const domain_comm *comm);

/* Runs `run` on `count` threads at a time, as one part each. The calling thread is part 0. Returns
 * when all parts have ended: TRM_OK, or the failure that was returned first, with its error
 * recorded for the caller. */
TRM_API trm_status domain_threads_run(int count, domain_part_fn *run, void *user);

/* The same where the calling thread is part 0 between these two calls. out: its link. own: its
 * status. */
TRM_API trm_status domain_threads_begin(int count, domain_part_fn *run, void *user,
                                        domain_comm *out);
TRM_API trm_status domain_threads_end(const domain_comm *comm, trm_status own);

/* The part makes no other call of its link. Returns when all parts have come here or have ended.
 * Then no part uses what another one owns. */
void domain_threads_leave(const domain_comm *comm);

#endif
