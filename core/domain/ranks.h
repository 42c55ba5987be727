/* ranks.h - parts of one run that are ranks of MPI. Until rank 0 begins a run of parts, the other
 * ranks obey its orders (core/crew/serve.c). Then each calls one function, as its part, and obeys
 * again when that function has returned. */
#ifndef TRIREME_DOMAIN_RANKS_H
#define TRIREME_DOMAIN_RANKS_H

#include "core/domain/domain.h"

/* On a rank other than 0. All parts first agree on a status (domain_agree); a rank that cannot call
 * the function takes part in that. A failure of the link need not be told. */
typedef void domain_rank_fn(trm_context *context, const void *bytes, size_t count,
                            const domain_comm *comm);

/* 1: this process has no other ranks. */
TRM_API int domain_ranks(void);
/* On rank 0: the other ranks call `run` with a copy of the bytes. `out` is the link of rank 0. */
TRM_API trm_status domain_ranks_begin(domain_rank_fn *run, const void *bytes, size_t count,
                                      domain_comm *out);
/* The names of the devices, with commas: one for each rank, of which "openmp" names the same one
 * for all; as many as there are without other ranks. *out is the caller's to free. */
TRM_API trm_status domain_ranks_names(const char *devices, char **out);

#endif
