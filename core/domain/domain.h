/* domain.h - the parts of one run: how a part reaches the others, and how all agree on a failure.
 *
 * A part is a process (a rank of MPI) or a thread of this process (threads.h). Each part runs the
 * same host code. Parts differ only in their number, in their device and in the rows that they
 * hold. */
#ifndef TRIREME_DOMAIN_H
#define TRIREME_DOMAIN_H

#include "core/comm.h"

/* The link of a part to the other parts. */
typedef struct domain_comm {
  const trm_comm *table;
  void *handle;                 /* of this part, for the table */
  trm_comm_place place;
  const char *called;           /* a part in messages: "rank", "part"; "": messages name none */
  int is_one_process;           /* parts are threads of this process */
} domain_comm;

/* Collective. Each part gives its own status; of a failure the recorded error is the cause. All
 * parts return the same: TRM_OK, or the failure of the lowest part that failed. They record its
 * sentence, which begins with the part's number unless that is 0. */
TRM_API trm_status domain_agree(const domain_comm *comm, trm_status own);

/* Collective. All parts get the `each` bytes of each part. */
trm_status domain_gather(const domain_comm *comm, void *all, size_t each);

#endif
