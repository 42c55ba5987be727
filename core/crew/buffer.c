/* buffer.c - a crew's buffers: which rows are fresh on which member. */
#include "core/crew/chunks.h"
#include "core/crew/crew.h"
#include "core/domain/parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------ */

void crew_buffer_destroy(void *device, void *handle)
{
  const crew_device *crew = device;
  crew_buffer *buffer = handle;
  (void)crew_settle_all(crew);
  for (size_t m = 0; buffer->parts && m < crew->count; m++) trm_buffer_destroy(&buffer->parts[m]);
  crew_near_free(buffer, crew->count);
  free(buffer->parts);
  free(buffer->fresh);
  free(buffer->held);
  free(buffer->starts);
  free(buffer);
}


trm_status crew_buffer_create(void *device, size_t bytes, void **out)
{
  const crew_device *crew = device;
  TRM_TRY(crew_settle_all(crew));
  crew_buffer *buffer = calloc(1, sizeof *buffer);
  if (!buffer) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a buffer");
  buffer->parts = calloc(crew->count, sizeof(trm_buffer *));
  buffer->fresh = calloc(crew->count, sizeof *buffer->fresh);
  buffer->held = calloc(crew->count, sizeof *buffer->held);
  buffer->bytes = buffer->nx = buffer->row = bytes;
  buffer->value_bytes = buffer->total = buffer->grain = buffer->plane = 1;
  buffer->components = buffer->lists = 1;
  trm_status status = buffer->parts && buffer->fresh && buffer->held
                        ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for a buffer");
  for (size_t m = 0; m < crew->count && status == TRM_OK; m++) {
    buffer->fresh[m] = (crew_span){ 0, buffer->total };
    status = trmi_buffer_reserve(crew->members[m].device, bytes, "part", &buffer->parts[m]);
  }
  if (status == TRM_OK && crew->is_checked) status = crew_hold_all(crew, buffer);
  if (status != TRM_OK) {
    crew_buffer_destroy(device, buffer);
    return status;
  }
  *out = buffer;
  return TRM_OK;
}

/* ---- by rows --------------------------------------------------------------- */

static trm_status check_rows(const trm_buffer *buffer, const trm_by_rows *rows)
{
  const size_t size = trm_type_size(rows->type);
  const trm_layout *l = &rows->layout;
  if (size == 0 || rows->nx == 0 || rows->ny == 0 || rows->nz == 0 || rows->components == 0)
    return TRM_FAIL(INVALID, "trm_buffer_rows: buffer \"%s\": %zu components of %zu x %zu x %zu "
                    "values of type %d; each is 1 or more, of a known type", buffer->name,
                    rows->components, rows->nx, rows->ny, rows->nz, (int)rows->type);
  const size_t all = rows->ny * rows->nz, end = rows->lists * (all + 1);
  const size_t last = (rows->components - 1) * l->component +
                      (!rows->starts ? (all - 1) * l->row : end ? rows->starts[end - 1] : 0);
  for (size_t i = 1; rows->starts && i < end; i++)
    if (rows->starts[i] < rows->starts[i - 1])
      return TRM_FAIL(INVALID, "trm_buffer_rows: buffer \"%s\": a row begins before the one "
                      "before it", buffer->name);
  const size_t row = rows->starts ? 0 : rows->nx + l->ghosts;
  if (l->first < l->ghosts || (l->first + last + row) * size > buffer->bytes)
    return TRM_FAIL(INVALID, "trm_buffer_rows: the rows do not lie inside buffer \"%s\" of %zu "
                    "bytes", buffer->name, buffer->bytes);
  return TRM_OK;
}

void trm_buffer_rows_called(trm_buffer *buffer, const char *one, const char *several)
{
  const domain_names names = { one, several };
  if (buffer && buffer->part) buffer->part->called = names;
  if (buffer && buffer->device->is_crew) ((crew_buffer *)buffer->handle)->called = names;
}

static trm_status check_cut(const crew_device *crew, const char *name, size_t units,
                            domain_names called)
{
  const int are_ranks = ranks_place()->size > 1;
  for (size_t m = 0; m < crew->count; m++) {
    char idle[64];
    if (crew_own(crew, units, 1, m).count > 0) continue;
    crew_name_member(&crew->members[m], idle, sizeof idle);
    return TRM_FAIL(INPUT, "%zu devices share %zu %s (\"%s\"), and %s would get none; %sname fewer "
                    "devices, or change their shares", crew->count, units,
                    units == 1 ? called.one : called.several, name, idle,
                    are_ranks ? "start fewer ranks, " : "");
  }
  return TRM_OK;
}

trm_status trm_buffer_rows(trm_buffer *buffer, const trm_by_rows *rows)
{
  if (!buffer || !rows) return TRM_FAIL(INVALID, "trm_buffer_rows: buffer or rows is NULL");
  TRM_TRY(check_rows(buffer, rows));
  if (buffer->part) return domain_buffer_declare(buffer, rows);
  if (!buffer->device->is_crew) return TRM_OK;
  crew_device *crew = buffer->device->handle;
  crew_buffer *cut = buffer->handle;
  const size_t plane = rows->nz > 1 ? rows->ny : 1, total = rows->ny * rows->nz;
  const size_t grain = plane * (rows->block ? rows->block : 1);
  const domain_names called = domain_units_called(cut->called, rows);
  TRM_TRY(check_cut(crew, buffer->name, domain_units(total, grain), called));
  if (cut->is_cut)
    return TRM_FAIL(INVALID, "trm_buffer_rows: buffer \"%s\" is declared twice", buffer->name);
  crew->move_count = crew->news_count = 0;
  for (size_t m = 0; m < crew->count; m++)
    if (cut->fresh[m].count == 0) TRM_TRY(crew_fetch_all(crew, cut, m));
  TRM_TRY(crew_exchange(crew));
  cut->is_cut = 1;
  cut->is_output = rows->is_output;
  cut->is_real = rows->type == TRM_TYPE_F32 || rows->type == TRM_TYPE_F64;
  cut->value_bytes = trm_type_size(rows->type);
  cut->nx = rows->nx;
  cut->total = total;
  cut->grain = grain;
  cut->plane = plane;
  cut->reach = rows->reach;
  cut->is_bounded = rows->is_bounded;
  cut->is_repeated = rows->is_repeated;
  cut->components = rows->components;
  cut->first = rows->layout.first;
  cut->row = rows->layout.row;
  cut->component = rows->layout.component;
  cut->ghosts = rows->layout.ghosts;
  if (rows->starts) {
    cut->starts = malloc(rows->lists * (cut->total + 1) * sizeof *cut->starts);
    if (!cut->starts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the rows of a buffer");
    memcpy(cut->starts, rows->starts, rows->lists * (cut->total + 1) * sizeof *cut->starts);
    cut->lists = rows->lists;
  }
  TRM_TRY(crew_hold_own(crew, cut));
  crew->total = total;
  crew->grain = grain;
  if (!crew->fewest || domain_units(total, grain) < crew->fewest) {
    crew->fewest = domain_units(total, grain);
    crew->fewest_called = called;
  }
  return TRM_OK;
}

trm_status crew_declare_chunks(trm_buffer *buffer, size_t chunks, size_t rows, size_t value_bytes)
{
  const crew_device *crew = buffer->device->handle;
  crew_buffer *cut = buffer->handle;
  for (size_t m = 0; m < crew->count; m++)
    if (crew_own(crew, chunks, 1, m).count == 0) return TRM_OK;
  cut->is_cut = cut->is_real = 1;
  cut->value_bytes = value_bytes;
  cut->total = cut->component = chunks;
  cut->nx = cut->row = 1;
  cut->components = rows;
  return crew_hold_own(crew, cut);
}

/* ---- spans ----------------------------------------------------------------- */

crew_span crew_fresh_then(const crew_device *crew, const crew_buffer *b, size_t m)
{
  crew_span fresh = b->fresh[m];
  for (size_t i = 0; i < crew->news_count; i++)
    if (crew->news[i].buffer == b && crew->news[i].member == m) fresh = crew->news[i].fresh;
  return fresh;
}

int crew_has(const crew_buffer *b, size_t m, crew_span rows)
{
  return domain_rows_in(b->fresh[m], b->total, rows.first) >= rows.count;
}

crew_span crew_bytes_of(const crew_buffer *b, size_t component, size_t list, size_t row,
                        size_t count)
{
  const size_t *starts = b->starts ? b->starts + list * (b->total + 1) : NULL;
  if (starts)
    return (crew_span){ (b->first + component * b->component + starts[row]) * b->value_bytes,
                        (starts[row + count] - starts[row]) * b->value_bytes };
  const size_t begin = b->first + component * b->component + row * b->row - b->ghosts;
  return (crew_span){ begin * b->value_bytes,
                      ((count - 1) * b->row + b->nx + 2 * b->ghosts) * b->value_bytes };
}

/* ---- asking for rows ------------------------------------------------------- */

static void *more(void *list, size_t count, size_t *room, size_t bytes)
{
  if (count < *room) return list;
  void *grown = realloc(list, (2 * *room + 16) * bytes);
  if (grown) *room = 2 * *room + 16;
  return grown;
}

static trm_status add_move(crew_device *crew, crew_move move)
{
  crew_move *moves = more(crew->moves, crew->move_count, &crew->move_room, sizeof *moves);
  if (!moves) return TRM_FAIL(NO_HOST_MEMORY, "no memory for what moves between devices");
  crew->moves = moves;
  if (crew_bytes_of(move.buffer, 0, move.list, move.row, move.count).count > 0)
    moves[crew->move_count++] = move;
  return TRM_OK;
}

trm_status crew_add_news(crew_device *crew, crew_news one)
{
  crew_news *news = more(crew->news, crew->news_count, &crew->news_room, sizeof *news);
  if (!news) return TRM_FAIL(NO_HOST_MEMORY, "no memory for what moves between devices");
  crew->news = news;
  news[crew->news_count++] = one;
  return TRM_OK;
}

static trm_status fail_row(size_t row)
{
  return TRM_FAIL(INVALID, "row %zu of a buffer is fresh on no device", row);
}

trm_status crew_fetch_run(crew_device *crew, crew_buffer *b, size_t m, size_t first, size_t rows)
{
  domain_run run;
  crew_span left = { first, rows };
  while (domain_find_missing(b->fresh, crew->count, b->total, m, left, &run)) {
    if (run.count == 0) return fail_row(run.first);
    for (size_t list = 0; list < b->lists; list++)
      TRM_TRY(add_move(crew, (crew_move){ b, run.from, m, list, run.first, run.count, 1, NULL,
                                          0 }));
    left = domain_rest(left, b->total, &run);
  }
  return TRM_OK;
}

trm_status crew_fetch(crew_device *crew, crew_buffer *b, size_t m, crew_span rows)
{
  if (rows.count > b->total) rows = (crew_span){ 0, b->total };
  const crew_span both = domain_join(b->fresh[m], rows, b->total);
  TRM_TRY(crew_hold(crew, b, m, both));
  TRM_TRY(crew_fetch_run(crew, b, m, both.first, both.count));
  return both.count > b->fresh[m].count ? crew_add_news(crew, (crew_news){ b, m, both, 0 })
                                        : TRM_OK;
}

trm_status crew_fetch_all(crew_device *crew, crew_buffer *buffer, size_t m)
{
  return crew_fetch(crew, buffer, m, (crew_span){ 0, buffer->total });
}

void crew_written_alone(const crew_device *crew, crew_buffer *buffer, size_t m)
{
  for (size_t i = 0; i < crew->count; i++) {
    buffer->fresh[i] = (crew_span){ 0, i == m ? buffer->total : 0 };
    crew_near_is_there(buffer, i, 0);
  }
}

/* ---- from and to the host -------------------------------------------------- */

/* Between one of the buffer's parts and `bytes` of the host, which are those from `offset` on. */
typedef struct transfer {
  trm_buffer *part;
  size_t offset;
  const unsigned char *from;
  unsigned char *to;
} transfer;

static trm_status write_piece(void *user, size_t offset, size_t bytes)
{
  const transfer *t = user;
  return trm_buffer_write(t->part, offset, bytes, t->from + (offset - t->offset));
}

static trm_status read_piece(void *user, size_t offset, size_t bytes)
{
  const transfer *t = user;
  return trm_buffer_read(t->part, offset, bytes, t->to + (offset - t->offset));
}

/* Wherever there is memory for it: what was fresh stays so. */
trm_status crew_buffer_write(void *device, void *handle, size_t offset, size_t bytes,
                             const void *source)
{
  const crew_device *crew = device;
  crew_buffer *buffer = handle;
  if (buffer->held[0].count == 0) TRM_TRY(crew_hold_all(crew, buffer));
  TRM_TRY(crew_settle_all(crew));
  for (size_t m = 0; m < crew->count; m++) {
    transfer to = { .part = buffer->parts[m], .offset = offset, .from = source };
    TRM_TRY(crew_each_piece(buffer, buffer->held[m], (crew_span){ offset, bytes }, write_piece,
                            &to));
  }
  return TRM_OK;
}

/* What of these rows lies in bytes [offset, offset + bytes), from the member that has them. */
static trm_status read_rows(const crew_device *crew, const crew_buffer *b, size_t m, size_t row,
                            size_t count, size_t offset, size_t bytes, unsigned char *destination)
{
  TRM_TRY(crew_settle(crew, m));
  for (size_t i = 0; i < b->components * b->lists; i++) {
    const crew_span at = crew_bytes_of(b, i / b->lists, i % b->lists, row, count);
    const size_t begin = at.first > offset ? at.first : offset;
    const size_t end = at.first + at.count < offset + bytes ? at.first + at.count : offset + bytes;
    if (begin < end)
      TRM_TRY(trm_buffer_read(b->parts[m], begin, end - begin, destination + (begin - offset)));
  }
  return TRM_OK;
}

/* Rows come from the first member. If a row is not fresh there, another member gives it. */
trm_status crew_buffer_read(void *device, void *handle, size_t offset, size_t bytes,
                            void *destination)
{
  const crew_device *crew = device;
  crew_buffer *b = handle;
  transfer first = { .part = b->parts[0], .offset = offset, .to = destination };
  if (b->held[0].count == 0) TRM_TRY(crew_hold_all(crew, b));
  TRM_TRY(crew_settle(crew, 0));
  TRM_TRY(crew_each_piece(b, b->fresh[0], (crew_span){ offset, bytes }, read_piece, &first));
  domain_run run;
  crew_span left = { 0, b->total };
  while (domain_find_missing(b->fresh, crew->count, b->total, 0, left, &run)) {
    if (run.count == 0) return fail_row(run.first);
    TRM_TRY(read_rows(crew, b, run.from, run.first, run.count, offset, bytes, destination));
    left = domain_rest(left, b->total, &run);
  }
  return TRM_OK;
}
