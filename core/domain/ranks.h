/* ranks.h - the processes of one run. Rank 0 is the only one that reads cases, decides and writes.
 * The others wait until rank 0 begins a run. Then each calls one function, as its part of the run,
 * and waits again when that function has returned.
 *
 * A call of the link that fails is the last one: whoever sees it says so and ends all
 * (trm_ranks_abort). */
#ifndef TRIREME_DOMAIN_RANKS_H
#define TRIREME_DOMAIN_RANKS_H

#include "core/domain/domain.h"
#include "core/internal.h"

/* On a rank other than 0. All parts first agree on a status (domain_agree); a rank that cannot call
 * the function takes part in that. A failure of the link need not be told. */
typedef void domain_rank_fn(trm_context *context, const void *bytes, size_t count,
                            const domain_comm *comm);

/* 1: this process has no other ranks. */
TRM_API int domain_ranks(void);
/* On rank 0: the other ranks call `run` with a copy of the bytes. `out` is the link of rank 0. */
TRM_API trm_status domain_ranks_begin(domain_rank_fn *run, const void *bytes, size_t count,
                                      domain_comm *out);
/* The names of the devices, with commas, one for each rank: "openmp" becomes "openmp,openmp,...".
 * Without other ranks the names stay as they are. *out is the caller's to free. */
TRM_API trm_status domain_ranks_names(const char *devices, char **out);

/* Ranks of this process: size 1 where there are no others. */
const trm_comm_place *ranks_place(void);
/* Before a device is opened: fails where a launcher started several processes, and this one has not
 * called trm_ranks_begin; and where TRIREME_COMM names nothing. */
trm_status ranks_check_begun(void);
/* Whether a call of the link has failed here: then no other is tried, and trm_ranks_end fails. */
int ranks_are_lost(void);
/* The device that a rank opens for a name without a number: of several GPUs each rank of a machine
 * has its own. Threads: the ranks of a machine share its cores. */
trm_status ranks_local(trm_context *context, const char *name, trm_device_options *options,
                       char *out, size_t bytes);
/* Cores of this process. Ranks of a machine share its cores. */
int ranks_cores(void);

#endif
