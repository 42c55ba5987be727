/* direct.h - rows from the device of a part to that of another part of the same backend, without
 * the host's memory. The parts are threads of one process, or ranks of one machine whose backend
 * shares memory between processes (trm_backend.share). The sender packs the rows on its device. The
 * receiver copies the packed rows beside its launches, and unpacks them. The devices wait for each
 * other by marks (trm_backend.queue_wait). The parts tell each other of the marks by two messages:
 * a note of the sender, and an answer of the receiver. */
#ifndef TRIREME_DOMAIN_DIRECT_H
#define TRIREME_DOMAIN_DIRECT_H

#include "core/domain/pack.h"
#include "core/domain/exchange.h"

/* The note of a sender. In one process: handles of its backend. Between processes: what the
 * receiver adopts, once for each growth of the memory. */
typedef struct domain_note {
  void *device, *packed, *sent;
  uint64_t growth;              /* from 1 on */
  trm_shared packed_shared, sent_shared;
  int is_good;                  /* 0: the part has failed, and nothing is to be copied */
} domain_note;

/* parts: of all; device: of this part. */
trm_status domain_direct_create(trm_device *device, const domain_comm *comm, domain_direct **out);
/* Once all parts have left (domain_direct_leave), or before the first message. */
void domain_direct_destroy(domain_direct **direct);
/* When the device is done. Returns when no part uses what another one owns. is_lost: the link has
 * failed, and nobody is waited for. */
void domain_direct_leave(domain_direct *direct, int is_lost);

/* Rows to and from that part go this way. */
trm_status domain_direct_open(domain_direct *direct, size_t part);
/* The same for ranks: all those of `near` make this call, and try whether they reach each other.
 * Rows of a pair that does not go through the host's memory, and the log says why. */
trm_status domain_direct_meet(domain_direct *direct, const size_t *near, size_t count);
int domain_direct_reaches(const domain_direct *direct, size_t part);

/* The status is that of the link. A failure of the device is recorded in *failed, if that is the
 * part's first one; both then still tell each other. */
trm_status domain_direct_send(domain_direct *direct, domain_post *post, size_t to,
                              const packed_piece *pieces, size_t count, trm_error *failed);
trm_status domain_direct_take(domain_direct *direct, domain_post *post, size_t from,
                              const packed_piece *pieces, size_t count, trm_error *failed);

#endif
