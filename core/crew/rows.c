/* rows.c - rows between a device of this process and memory of the host, and from there to another
 * rank. */
#include "core/crew/driver.h"
#include "core/crew/pack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A GPU leaves ghost columns as they are; a host's kernels read them. */
void ranks_wrap(const ranks_rows *rows, unsigned char *piece)
{
  const size_t size = rows->value_bytes;
  for (size_t r = 0; rows->ghosts && r < rows->rows; r++) {
    unsigned char *cells = piece + (r * rows->row + rows->ghosts) * size;
    for (size_t g = 0; g < rows->ghosts; g++) {
      const size_t west = rows->is_repeated ? 0 : rows->nx - 1 - g % rows->nx;
      const size_t east = rows->is_repeated ? rows->nx - 1 : g % rows->nx;
      memcpy(cells - (g + 1) * size, cells + west * size, size);
      memcpy(cells + (rows->nx + g) * size, cells + east * size, size);
    }
  }
}

size_t ranks_bytes(const ranks_piece *pieces, size_t count)
{
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) bytes += pieces[i].rows.components * pieces[i].rows.bytes;
  return bytes;
}

/* ---- to and from the host's memory --------------------------------------------- */

trm_status ranks_read_rows(const ranks_piece *pieces, size_t count, unsigned char *to)
{
  trm_device *device = pieces->buffer->device;
  const int is_one = pack_is_due(device, pieces, count);
  if (is_one) TRM_TRY(pack_read(device, pieces, count, to));
  for (size_t i = 0; i < count; i++) {
    const ranks_rows *rows = &pieces[i].rows;
    for (size_t c = 0; c < rows->components; c++, to += rows->bytes) {
      if (!is_one)
        TRM_TRY(trm_buffer_read(pieces[i].buffer, rows->offset + c * rows->stride, rows->bytes,
                                to));
      ranks_wrap(rows, to);
    }
  }
  return TRM_OK;
}

trm_status ranks_write_rows(const ranks_piece *pieces, size_t count, const unsigned char *from)
{
  trm_device *device = pieces->buffer->device;
  if (pack_is_due(device, pieces, count)) return pack_write(device, pieces, count, from);
  for (size_t i = 0; i < count; i++) {
    const ranks_rows *rows = &pieces[i].rows;
    for (size_t c = 0; c < rows->components; c++, from += rows->bytes)
      TRM_TRY(trm_buffer_write(pieces[i].buffer, rows->offset + c * rows->stride, rows->bytes,
                               from));
  }
  return TRM_OK;
}

/* ---- to and from another rank ------------------------------------------------- */

/* What goes from rank to rank: which rows these are, then the rows. */
typedef struct heading {
  uint64_t number, bytes;
} heading;

typedef struct message {
  heading *at;
  unsigned char *rows;
  size_t bytes;                 /* of all */
} message;

/* The others wait for these bytes. */
static trm_status find_room(const ranks_rows *rows, message *out)
{
  const size_t bytes = rows->components * rows->bytes;
  out->bytes = sizeof *out->at + bytes;
  out->at = calloc(1, out->bytes);
  if (!out->at)
    return ranks_part(TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes between ranks", bytes));
  *out->at = (heading){ rows->number, bytes };
  out->rows = (unsigned char *)(out->at + 1);
  return TRM_OK;
}

static trm_status check_heading(const message *m, int peer, const ranks_rows *rows)
{
  const size_t bytes = rows->components * rows->bytes;
  if (m->at->number == rows->number && m->at->bytes == bytes) return TRM_OK;
  return ranks_part(TRM_FAIL(DEVICE, "out of step with rank %d: rows of its transfer %" PRIu64 " (%"
                             PRIu64 " bytes) came, where transfer %" PRIu64 " (%zu bytes) was due; "
                             RANKS_STEP_CURE, peer, m->at->number, m->at->bytes, rows->number,
                             bytes));
}

static void count_time(trm_buffer *buffer, double begin)
{
  if (buffer) buffer->device->spent.rows += driver_now() - begin;
}

trm_status ranks_put(trm_buffer *buffer, int peer, const ranks_rows *rows)
{
  message m;
  const double begin = driver_now();
  TRM_TRY(find_room(rows, &m));
  trm_status status = buffer ? TRM_OK : TRM_ERROR_INVALID;
  if (status == TRM_OK) status = ranks_read_rows(&(ranks_piece){ buffer, *rows }, 1, m.rows);
  const trm_status sent = ranks_post_rows(peer, m.at, m.bytes);
  count_time(buffer, begin);
  return status == TRM_OK ? sent : status;
}

trm_status ranks_get(trm_buffer *buffer, int peer, const ranks_rows *rows)
{
  message m;
  const double begin = driver_now();
  TRM_TRY(find_room(rows, &m));
  trm_status status = ranks_receive_rows(peer, m.at, m.bytes);
  if (status == TRM_OK) status = check_heading(&m, peer, rows);
  if (status == TRM_OK && !buffer) status = TRM_ERROR_INVALID;
  if (status == TRM_OK) status = ranks_write_rows(&(ranks_piece){ buffer, *rows }, 1, m.rows);
  free(m.at);
  count_time(buffer, begin);
  return status;
}
