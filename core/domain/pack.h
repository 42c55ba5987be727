/* pack.h - rows of a device, one piece behind the other. Kernels of the device pack them into one
 * buffer and unpack them from one. So a GPU is asked once for all rows of a message. */
#ifndef TRIREME_DOMAIN_PACK_H
#define TRIREME_DOMAIN_PACK_H

#include "core/internal.h"

/* Rows of a buffer: `components` pieces, `stride` bytes apart; in each `rows` rows. */
typedef struct packed_rows {
  size_t offset, stride, components, bytes;   /* bytes: of a piece */
  size_t value_bytes, nx, row, ghosts, rows;  /* ghosts: that the sender has not filled in */
  uint64_t is_repeated;                       /* ghosts are the nearest value */
} packed_rows;

typedef struct packed_piece {
  trm_buffer *buffer;
  packed_rows rows;
} packed_piece;

size_t pack_bytes(const packed_piece *pieces, size_t count);
/* Whether the pieces are of words. */
int pack_can(const packed_piece *pieces, size_t count);

/* Launches that bring the pieces into `packed`, or from there back into their buffers; all are of
 * the device. */
trm_status pack(trm_device *device, const packed_piece *pieces, size_t count, trm_buffer *packed,
                int is_back);

/* To and from memory of the host; read with the ghost columns that a GPU has not. */
trm_status pack_read(const packed_piece *pieces, size_t count, unsigned char *to);
trm_status pack_write(const packed_piece *pieces, size_t count, const unsigned char *from);

/* Frees buffers and kernels for packing, before the device goes. */
void pack_free(trm_device *device);

#endif
