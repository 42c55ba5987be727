/* rows.c - rows between a buffer of this process and another rank. */
#include "core/crew/ranks.h"

#include <stdlib.h>
#include <string.h>

/* A GPU leaves ghost columns as they are; a host's kernels read them. */
void ranks_wrap(const ranks_rows *rows, unsigned char *piece)
{
  const size_t size = rows->value_bytes;
  for (size_t r = 0; rows->ghosts && r < rows->rows; r++) {
    unsigned char *cells = piece + (r * rows->row + rows->ghosts) * size;
    for (size_t g = 0; g < rows->ghosts; g++) {
      memcpy(cells - (g + 1) * size, cells + (rows->nx - 1 - g % rows->nx) * size, size);
      memcpy(cells + (rows->nx + g) * size, cells + g % rows->nx * size, size);
    }
  }
}

/* The others wait for these bytes. */
static trm_status find_room(const ranks_rows *rows, unsigned char **out)
{
  *out = calloc(rows->components, rows->bytes);
  if (*out) return TRM_OK;
  return ranks_part(TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes between ranks",
                             rows->components * rows->bytes));
}

trm_status ranks_put(trm_buffer *buffer, int peer, const ranks_rows *rows)
{
  unsigned char *room;
  TRM_TRY(find_room(rows, &room));
  trm_status status = buffer ? TRM_OK : TRM_ERROR_INVALID;
  for (size_t c = 0; c < rows->components && status == TRM_OK; c++) {
    status = trm_buffer_read(buffer, rows->offset + c * rows->stride, rows->bytes,
                             room + c * rows->bytes);
    ranks_wrap(rows, room + c * rows->bytes);
  }
  const trm_status sent = ranks_post_rows(peer, room, rows->components * rows->bytes);
  return status == TRM_OK ? sent : status;
}

trm_status ranks_get(trm_buffer *buffer, int peer, const ranks_rows *rows)
{
  unsigned char *room;
  TRM_TRY(find_room(rows, &room));
  trm_status status = ranks_receive_rows(peer, room, rows->components * rows->bytes);
  if (!buffer) status = TRM_ERROR_INVALID;
  for (size_t c = 0; c < rows->components && status == TRM_OK; c++)
    status = trm_buffer_write(buffer, rows->offset + c * rows->stride, rows->bytes,
                              room + c * rows->bytes);
  free(room);
  return status;
}
