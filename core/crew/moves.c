/* moves.c - rows on their way from member to member, in one process and between ranks. */
#include "core/crew/crew.h"

#include <stdlib.h>

static ranks_rows rows_of(const crew_device *crew, const crew_move *move)
{
  const crew_buffer *b = move->buffer;
  const crew_span at = crew_bytes_of(b, 0, move->list, move->row, move->count);
  const int is_bare = !crew->members[move->from].device->info.is_host;
  return (ranks_rows){ at.first, b->component * b->value_bytes, b->components, at.count,
                       b->value_bytes, b->nx, b->row, is_bare ? b->ghosts : 0, move->count,
                       (uint64_t)b->is_repeated,
                       crew->moved + (size_t)(move - crew->moves) };
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

trm_status crew_settle(const crew_device *crew, size_t m)
{
  return crew->drivers ? drivers_settle(crew->drivers, m) : TRM_OK;
}

trm_status crew_settle_all(const crew_device *crew)
{
  return crew->drivers ? drivers_settle_all(crew->drivers) : TRM_OK;
}

trm_status crew_tell_puts(crew_device *crew)
{
  crew->lost.status = TRM_OK;
  for (size_t i = 0; i < crew->move_count; i++) {
    const crew_move *move = &crew->moves[i];
    const ranks_rows rows = rows_of(crew, move);
    if (crew->members[move->from].rank)
      TRM_TRY(remote_put(move->buffer->parts[move->from], crew->members[move->to].rank, &rows));
  }
  return TRM_OK;
}

trm_status crew_tell_gets(crew_device *crew)
{
  for (size_t i = 0; i < crew->move_count; i++) {
    const crew_move *move = &crew->moves[i];
    const ranks_rows rows = rows_of(crew, move);
    if (crew->members[move->to].rank)
      TRM_TRY(remote_get(move->buffer->parts[move->to], crew->members[move->from].rank, &rows));
  }
  return TRM_OK;
}

static void keep_first(crew_device *crew, trm_status status)
{
  if (status != TRM_OK && crew->lost.status == TRM_OK) crew->lost = *trm_error_last();
}

static int is_with(const crew_move *move, const crew_move *first)
{
  return move->from == first->from && move->to == first->to &&
         move->is_awaited == first->is_awaited;
}

/* All that goes from one member to another and is awaited alike, as a parcel of the first move. */
static trm_status send_parcel(crew_device *crew, size_t first, int at_once)
{
  crew_move *begin = &crew->moves[first];
  size_t count = 0;
  for (size_t i = first; i < crew->move_count; i++)
    if (is_with(&crew->moves[i], begin)) count++;
  ranks_piece *from = calloc(count, sizeof *from), *to = calloc(count, sizeof *to);
  if (!from || !to) {
    free(from);
    free(to);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for what moves between devices");
  }
  count = 0;
  for (size_t i = first; i < crew->move_count; i++) {
    crew_move *move = &crew->moves[i];
    if (!is_with(move, begin)) continue;
    from[count] = to[count] = (ranks_piece){ NULL, rows_of(crew, move) };
    from[count].buffer = move->buffer->parts[move->from];
    to[count++].buffer = move->buffer->parts[move->to];
    move->is_sent = 1;
  }
  return drivers_put(crew->drivers, begin->from, begin->to, from, to, count, crew->queue,
                     at_once, &begin->parcel);
}

void crew_make_puts_of(crew_device *crew, int awaited)
{
  for (size_t i = 0; i < crew->move_count; i++)
    if (crew->moves[i].is_awaited == awaited && !crew->moves[i].is_sent)
      keep_first(crew, send_parcel(crew, i, awaited));
}

void crew_make_gets_of(crew_device *crew, int awaited)
{
  for (size_t i = 0; i < crew->move_count; i++) {
    crew_move *move = &crew->moves[i];
    if (move->is_awaited != awaited || !move->parcel) continue;
    drivers_get(crew->drivers, move->to, move->parcel);
    move->parcel = NULL;
  }
}

void crew_make_puts(crew_device *crew)
{
  for (size_t i = 0; i < crew->move_count; i++) {
    crew_move *move = &crew->moves[i];
    const int from = crew->members[move->from].rank, to = crew->members[move->to].rank;
    const ranks_rows rows = rows_of(crew, move);
    if (crew->drivers && !move->is_sent) keep_first(crew, send_parcel(crew, i, 1));
    if (!crew->drivers && !from && to)
      keep_first(crew, ranks_put(move->buffer->parts[move->from], to, &rows));
  }
}

trm_status crew_make_gets(crew_device *crew)
{
  for (size_t i = 0; i < crew->move_count; i++) {
    const crew_move *move = &crew->moves[i];
    const int from = crew->members[move->from].rank, to = crew->members[move->to].rank;
    const ranks_rows rows = rows_of(crew, move);
    trm_buffer *buffer = move->buffer->parts[move->to];
    if (move->parcel) drivers_get(crew->drivers, move->to, move->parcel);
    else if (from && !to) keep_first(crew, ranks_get(buffer, from, &rows));
    else if (!crew->drivers && !from && !to && crew->lost.status == TRM_OK)
      keep_first(crew, move_here(crew, move));
  }
  for (size_t i = 0; i < crew->news_count; i++) {
    const crew_news *one = &crew->news[i];
    one->buffer->fresh[one->member] = one->fresh;
    if (one->is_near) crew_near_is_there(one->buffer, one->member, 1);
  }
  crew->moved += crew->move_count;
  crew->move_count = crew->news_count = 0;
  if (crew->lost.status == TRM_OK) return TRM_OK;
  return trm_error_record(crew->lost.status, crew->lost.file, crew->lost.line, "%s",
                          crew->lost.text);
}

trm_status crew_tell_moves(crew_device *crew)
{
  TRM_TRY(crew_tell_puts(crew));
  return crew_tell_gets(crew);
}

trm_status crew_make_moves(crew_device *crew)
{
  crew_make_puts(crew);
  return crew_make_gets(crew);
}

trm_status crew_exchange(crew_device *crew)
{
  TRM_TRY(crew_tell_moves(crew));
  return crew_make_moves(crew);
}
