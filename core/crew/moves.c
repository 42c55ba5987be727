/* moves.c - rows on their way from member to member, in one process and between ranks. */
#include "core/crew/crew.h"

#include <stdlib.h>

static ranks_rows rows_of(const crew_device *crew, const crew_move *move)
{
  const crew_buffer *b = move->buffer;
  const crew_span at = crew_bytes_of(b, 0, move->list, move->row, move->count);
  const int is_bare = !crew->members[move->from].device->info.is_host;
  return (ranks_rows){ at.first, b->component * b->value_bytes, b->components, at.count,
                       b->value_bytes, b->nx, b->row, is_bare ? b->ghosts : 0, move->count };
}

static trm_status stage(crew_device *crew, size_t bytes)
{
  if (bytes <= crew->staging_bytes) return TRM_OK;
  unsigned char *grown = realloc(crew->staging, bytes);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes between devices", bytes);
  crew->staging = grown;
  crew->staging_bytes = bytes;
  return TRM_OK;
}

static trm_status move_here(crew_device *crew, const crew_move *move)
{
  const ranks_rows rows = rows_of(crew, move);
  TRM_TRY(stage(crew, rows.bytes));
  for (size_t c = 0; c < rows.components; c++) {
    const size_t offset = rows.offset + c * rows.stride;
    TRM_TRY(trm_buffer_read(move->buffer->parts[move->from], offset, rows.bytes, crew->staging));
    ranks_wrap(&rows, crew->staging);
    TRM_TRY(trm_buffer_write(move->buffer->parts[move->to], offset, rows.bytes, crew->staging));
  }
  return TRM_OK;
}

trm_status crew_tell_moves(crew_device *crew)
{
  for (int is_get = 0; is_get <= 1; is_get++)
    for (size_t i = 0; i < crew->move_count; i++) {
      const crew_move *move = &crew->moves[i];
      const crew_member *from = &crew->members[move->from], *to = &crew->members[move->to];
      const ranks_rows rows = rows_of(crew, move);
      if (!is_get && from->rank)
        TRM_TRY(remote_put(move->buffer->parts[move->from], to->rank, &rows));
      if (is_get && to->rank)
        TRM_TRY(remote_get(move->buffer->parts[move->to], from->rank, &rows));
    }
  return TRM_OK;
}

static void keep_first(trm_status *all, trm_status one, trm_error *cause)
{
  if (*all != TRM_OK || one == TRM_OK) return;
  *all = one;
  *cause = *trm_error_last();
}

/* After an error too: the others have been told. */
trm_status crew_make_moves(crew_device *crew)
{
  trm_status status = TRM_OK;
  trm_error cause;
  for (int is_get = 0; is_get <= 1; is_get++)
    for (size_t i = 0; i < crew->move_count; i++) {
      const crew_move *move = &crew->moves[i];
      const int from = crew->members[move->from].rank, to = crew->members[move->to].rank;
      const ranks_rows rows = rows_of(crew, move);
      if (!is_get && !from && to)
        keep_first(&status, ranks_put(move->buffer->parts[move->from], to, &rows), &cause);
      if (is_get && from && !to)
        keep_first(&status, ranks_get(move->buffer->parts[move->to], from, &rows), &cause);
      if (is_get && !from && !to && status == TRM_OK)
        keep_first(&status, move_here(crew, move), &cause);
    }
  for (size_t i = 0; i < crew->news_count; i++) {
    const crew_news *one = &crew->news[i];
    one->buffer->fresh[one->member] = one->fresh;
  }
  crew->move_count = crew->news_count = 0;
  if (status == TRM_OK) return TRM_OK;
  return trm_error_record(status, cause.file, cause.line, "%s", cause.text);
}

trm_status crew_exchange(crew_device *crew)
{
  TRM_TRY(crew_tell_moves(crew));
  return crew_make_moves(crew);
}
