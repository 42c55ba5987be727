/* pack.h - rows of a device, packed into one buffer and unpacked from one by kernels of the device:
 * so a GPU is asked once for all that goes to another device. */
#ifndef TRIREME_PACK_H
#define TRIREME_PACK_H

#include "core/crew/ranks.h"

/* Of words, and so many pieces that asking for each would take longer. */
int pack_is_due(const trm_device *device, const ranks_piece *pieces, size_t count);
/* Whether the pieces are of words. */
int pack_can(const ranks_piece *pieces, size_t count);

/* Launches that bring the pieces, one behind the other, into `packed`, or from there into their
 * buffers; all are of the device. */
trm_status pack_into(trm_device *device, const ranks_piece *pieces, size_t count,
                     trm_buffer *packed);
trm_status pack_out_of(trm_device *device, const ranks_piece *pieces, size_t count,
                       trm_buffer *packed);

/* A launch of `device` for each run of pieces between the same two buffers, straight from those of
 * another device, which it reaches (trm_backend.peer_access), to its own: from[i] to to[i]. */
trm_status pack_across(trm_device *device, const ranks_piece *from, const ranks_piece *to,
                       size_t count);

/* The same to and from memory of the host. */
trm_status pack_read(trm_device *device, const ranks_piece *pieces, size_t count,
                     unsigned char *to);
trm_status pack_write(trm_device *device, const ranks_piece *pieces, size_t count,
                      const unsigned char *from);

/* What the device has for that, before the device goes. */
void pack_free(trm_device *device);

#endif
