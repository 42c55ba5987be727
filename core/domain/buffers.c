/* buffers.c - buffers of a part's device: the rows that have memory there, and rows that are read
 * and written from the host. */
#include "core/domain/parts.h"

#include <stdlib.h>
#include <string.h>

static domain_span all_of(const trm_buffer *buffer)
{
  return (domain_span){ 0, domain_rows_of(buffer)->total };
}

/* ---- life ------------------------------------------------------------------------ */

static trm_status number(domain_device *domain, trm_buffer *buffer)
{
  const domain_rows rows = domain_rows_undeclared(buffer->bytes);
  size_t at;
  TRM_TRY(domain_plan_buffer(domain->plan, &rows, &at));
  buffer->part->number = at;
  if (at == domain->buffer_count) {
    trm_buffer **grown = realloc(domain->buffers, (at + 1) * sizeof(trm_buffer *));
    if (!grown) {
      domain_plan_forget(domain->plan, at);
      return TRM_FAIL(NO_HOST_MEMORY, "no memory for a buffer");
    }
    domain->buffers = grown;
    domain->buffer_count = at + 1;
  }
  domain->buffers[at] = buffer;
  return TRM_OK;
}

trm_status domain_buffer_create(trm_device *device, size_t bytes, const char *name,
                                trm_buffer **out)
{
  domain_device *domain = device->domain;
  const int is_in_parts = !device->info.whole[0];
  trm_buffer *made = NULL;
  const domain_visit visit = domain_enter(device);
  trm_status status = is_in_parts ? trmi_buffer_reserve(device, bytes, name, &made)
                                  : trm_buffer_create(device, bytes, name, &made);
  domain_leave(device, &visit);
  TRM_TRY(status);
  made->part = calloc(1, sizeof *made->part);
  status = made->part ? number(domain, made) : TRM_FAIL(NO_HOST_MEMORY, "no memory for a buffer");
  if (status != TRM_OK) {
    free(made->part);
    made->part = NULL;
    trm_buffer_destroy(&made);
    return status;
  }
  if (!is_in_parts) made->part->held = all_of(made);
  if (domain->is_checked) status = domain_buffer_hold(made, all_of(made));
  if (status == TRM_OK) *out = made;
  else trm_buffer_destroy(&made);
  return status;
}

void domain_buffer_release(trm_buffer *buffer)
{
  domain_device *domain = buffer->device->domain;
  domain->buffers[buffer->part->number] = NULL;
  domain_plan_forget(domain->plan, buffer->part->number);
  free(buffer->part->starts);
  free(buffer->part->apart);
  free(buffer->part);
  buffer->part = NULL;
}

/* ---- memory ---------------------------------------------------------------------- */

trm_status domain_buffer_hold_piece(void *buffer, size_t offset, size_t bytes)
{
  return trmi_buffer_hold(buffer, offset, bytes);
}

trm_status domain_buffer_drop_piece(void *buffer, size_t offset, size_t bytes)
{
  return trmi_buffer_drop(buffer, offset, bytes);
}

/* Rows that may go on at row 0. */
static trm_status drop_apart(trm_buffer *buffer, domain_span rows)
{
  const size_t total = domain_rows_of(buffer)->total, end = rows.first + rows.count;
  if (end <= total) return domain_buffer_drop_apart(buffer, rows);
  TRM_TRY(domain_buffer_drop_apart(buffer, (domain_span){ rows.first, total - rows.first }));
  return domain_buffer_drop_apart(buffer, (domain_span){ 0, end - total });
}

trm_status domain_buffer_hold(trm_buffer *buffer, domain_span rows)
{
  const domain_rows *b = domain_rows_of(buffer);
  const domain_span had = buffer->part->held, then = domain_join(had, rows, b->total);
  if (rows.count == 0 || then.count <= had.count) return TRM_OK;
  TRM_TRY(drop_apart(buffer, then)); /* a row is held once */
  buffer->part->held = then;
  if (had.count > 0) return domain_each_beside(b, had, then, 1, domain_buffer_hold_piece, buffer);
  return domain_each_piece(b, then, (domain_span){ 0, b->bytes }, domain_buffer_hold_piece, buffer);
}

trm_status domain_buffer_trim(trm_buffer *buffer)
{
  const domain_rows *b = domain_rows_of(buffer);
  const domain_span held = buffer->part->held;
  const domain_span valid = domain_valid_of(buffer)[buffer->device->domain->part];
  if (buffer->part->apart) TRM_TRY(domain_buffer_drop_all_apart(buffer));
  if (buffer->device->info.whole[0] || buffer->device->domain->is_checked ||
      !domain_has_pieces(b) || valid.count == 0 || held.count <= valid.count)
    return TRM_OK;
  buffer->part->held = valid;
  return domain_each_beside(b, valid, held, 0, domain_buffer_drop_piece, buffer);
}

static trm_status note_piece(void *is_there, size_t offset, size_t bytes)
{
  (void)offset, (void)bytes;
  *(int *)is_there = 1;
  return TRM_OK;
}

int domain_buffer_takes(const trm_buffer *buffer, size_t offset, size_t bytes)
{
  int is_there = 0;
  const domain_span valid = domain_valid_of(buffer)[buffer->device->domain->part];
  (void)domain_each_piece(domain_rows_of(buffer), valid, (domain_span){ offset, bytes }, note_piece,
                          &is_there);
  return is_there;
}

/* ---- other rows ------------------------------------------------------------------ */

/* Where the list is full, pieces are only counted. */
static trm_status list_piece(void *pieces, size_t offset, size_t bytes)
{
  domain_pieces *list = pieces;
  if (list->count < DOMAIN_PIECES) list->list[list->count] = (domain_span){ offset, bytes };
  list->count++;
  return TRM_OK;
}

/* The bytes of each piece that are in no piece of `others`. */
static trm_status each_outside(const domain_pieces *pieces, const domain_pieces *others,
                               domain_visit_fn *visit, trm_buffer *buffer)
{
  for (size_t k = 0; k < pieces->count; k++) {
    size_t at = pieces->list[k].first;
    const size_t end = at + pieces->list[k].count;
    for (size_t i = 0; i < others->count; i++) {
      const domain_span one = others->list[i];
      if (one.first + one.count <= at || one.first >= end) continue;
      if (one.first > at) TRM_TRY(visit(buffer, at, one.first - at));
      at = one.first + one.count;
    }
    if (at < end) TRM_TRY(visit(buffer, at, end - at));
  }
  return TRM_OK;
}

trm_status domain_buffer_undeclare(trm_buffer *buffer)
{
  domain_device *domain = buffer->device->domain;
  domain_buffer *part = buffer->part;
  const domain_rows *b = domain_rows_of(buffer);
  const domain_span all = { 0, b->bytes };
  const int is_whole = buffer->device->info.whole[0] != 0;
  part->spare.count = 0;
  if (!b->is_cut) return TRM_OK;
  if (part->apart) TRM_TRY(domain_buffer_drop_all_apart(buffer));
  if (part->held.count && !is_whole)
    TRM_TRY(domain_each_piece(b, part->held, all, list_piece, &part->spare));
  if (part->spare.count > DOMAIN_PIECES) {
    TRM_TRY(domain_each_piece(b, part->held, all, domain_buffer_drop_piece, buffer));
    part->spare.count = 0;
  }
  domain_plan_undeclare(domain->plan, part->number);
  free(part->starts);
  free(part->apart);
  part->starts = NULL;
  part->apart = NULL;
  part->held = is_whole ? all_of(buffer) : (domain_span){ 0, 0 };
  domain->cut++;
  return TRM_OK;
}

/* Memory that these rows had before stays. */
static trm_status hold_instead(trm_buffer *buffer, domain_span rows)
{
  domain_pieces now = { .count = 0 }, spare = buffer->part->spare;
  const domain_rows *b = domain_rows_of(buffer);
  buffer->part->spare.count = 0;
  TRM_TRY(domain_each_piece(b, rows, (domain_span){ 0, b->bytes }, list_piece, &now));
  if (now.count > DOMAIN_PIECES) {
    now.count = 0;
    TRM_TRY(each_outside(&spare, &now, domain_buffer_drop_piece, buffer));
    return domain_buffer_hold(buffer, rows);
  }
  TRM_TRY(each_outside(&spare, &now, domain_buffer_drop_piece, buffer));
  buffer->part->held = rows;
  return each_outside(&now, &spare, domain_buffer_hold_piece, buffer);
}

/* ---- by rows --------------------------------------------------------------------- */

static trm_status check_units(const domain_device *domain, const trm_buffer *buffer,
                              const trm_by_rows *rows, size_t units)
{
  const domain_names called = domain_units_called(buffer->part->called, rows);
  for (size_t m = 0; m < domain->parts; m++) {
    const int are_ranks = !domain->comm.is_one_process;
    char idle[96];
    if (domain_plan_own(domain->plan, units, 1, m).count > 0) continue;
    domain_name_part(domain, m, idle, sizeof idle);
    return TRM_FAIL(INPUT, "%zu devices share %zu %s (\"%s\"), and %s would get none; %sname "
                    "fewer devices, or change their shares", domain->parts, units,
                    units == 1 ? called.one : called.several, buffer->name, idle,
                    are_ranks ? "start fewer ranks, " : "");
  }
  return TRM_OK;
}

/* Own rows have memory then, and no others. */
static trm_status declare(trm_buffer *buffer, const domain_rows *rows)
{
  const domain_device *domain = buffer->device->domain;
  domain_buffer *part = buffer->part;
  const int had = part->held.count > 0;
  for (size_t m = 0; m < domain->parts; m++)
    if (domain_valid_of(buffer)[m].count == 0)
      return TRM_FAIL(UNSUPPORTED, "trm_buffer_rows: buffer \"%s\" was written by a launch before; "
                      "declare its rows before the first launch", buffer->name);
  domain_plan_declare(domain->plan, part->number, rows);
  const domain_span own = domain_valid_of(buffer)[domain->part];
  part->held = had ? all_of(buffer) : (domain_span){ 0, 0 };
  if (part->spare.count && !domain->is_checked) return hold_instead(buffer, own);
  TRM_TRY(domain_buffer_hold(buffer, own));
  if (!had || buffer->device->info.whole[0] || domain->is_checked) return TRM_OK;
  const size_t end = domain_bytes_declared(rows);
  if (end < rows->bytes && rows->is_tight)
    TRM_TRY(domain_buffer_drop_piece(buffer, end, rows->bytes - end));
  if (own.count >= rows->total) return TRM_OK;
  part->held = own;
  return domain_each_beside(rows, own, all_of(buffer), 0, domain_buffer_drop_piece, buffer);
}

static trm_status keep_starts(trm_buffer *buffer, const trm_by_rows *rows)
{
  const size_t bytes = rows->lists * (rows->ny * rows->nz + 1) * sizeof(size_t);
  if (!rows->starts) return TRM_OK;
  buffer->part->starts = malloc(bytes);
  if (!buffer->part->starts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the rows of a buffer");
  memcpy(buffer->part->starts, rows->starts, bytes);
  return TRM_OK;
}

trm_status domain_buffer_declare(trm_buffer *buffer, const trm_by_rows *declared)
{
  domain_device *domain = buffer->device->domain;
  domain_rows rows = domain_rows_declared(declared, buffer->bytes);
  TRM_TRY(check_units(domain, buffer, declared, domain_units(rows.total, rows.grain)));
  if (domain_rows_of(buffer)->is_cut)
    return TRM_FAIL(INVALID, "trm_buffer_rows: buffer \"%s\" is declared twice", buffer->name);
  TRM_TRY(keep_starts(buffer, declared));
  rows.starts = buffer->part->starts;
  rows.is_tight = buffer->part->is_tight;
  domain->total = rows.total;
  domain->grain = rows.grain;
  if (domain->fewest == 0 || domain_units(rows.total, rows.grain) < domain->fewest)
    domain->fewest = domain_units(rows.total, rows.grain);
  return declare(buffer, &rows);
}

trm_status trm_buffer_rows_anew(trm_buffer *buffer, const trm_by_rows *rows)
{
  if (!buffer || !rows) return TRM_FAIL(INVALID, "trm_buffer_rows_anew: buffer or rows is NULL");
  if (buffer->part) {
    buffer->part->is_tight = 1;
    TRM_TRY(domain_buffer_undeclare(buffer));
  }
  return trm_buffer_rows(buffer, rows);
}

trm_status domain_buffer_declare_chunks(trm_buffer *buffer, size_t chunks, size_t rows,
                                        size_t value_bytes)
{
  enum { FEW = 8 };             /* parts whose values one of them folds */
  const domain_rows by = domain_rows_of_chunks(chunks, rows, value_bytes, buffer->bytes);
  const int is_shared = chunks > 1 && FEW * chunks >= buffer->device->domain->parts;
  return is_shared ? declare(buffer, &by) : TRM_OK;
}

/* ---- from and to the host ---------------------------------------------------------- */

/* Between the buffer and `bytes` of the host, which are those from `offset` on. */
typedef struct transfer {
  trm_buffer *buffer;
  size_t offset;
  const unsigned char *from;
  unsigned char *to;
} transfer;

static trm_status write_piece(void *user, size_t offset, size_t bytes)
{
  const transfer *t = user;
  return trm_buffer_write(t->buffer, offset, bytes, t->from + (offset - t->offset));
}

static trm_status read_piece(void *user, size_t offset, size_t bytes)
{
  const transfer *t = user;
  return trm_buffer_read(t->buffer, offset, bytes, t->to + (offset - t->offset));
}

/* Wherever there is memory: what was valid stays so. */
static trm_status write_here(trm_buffer *buffer, size_t offset, size_t bytes, const void *source)
{
  transfer all = { .buffer = buffer, .offset = offset, .from = source };
  domain_valid_of(buffer)[buffer->device->domain->parts].count = 0; /* of rows apart */
  if (buffer->part->held.count == 0) TRM_TRY(domain_buffer_hold(buffer, all_of(buffer)));
  const domain_visit visit = domain_enter(buffer->device);
  const trm_status status = domain_each_piece(domain_rows_of(buffer), buffer->part->held,
                                              (domain_span){ offset, bytes }, write_piece, &all);
  domain_leave(buffer->device, &visit);
  return status;
}

static trm_status read_here(trm_buffer *buffer, domain_span rows, size_t offset, size_t bytes,
                            void *destination)
{
  transfer all = { .buffer = buffer, .offset = offset, .to = destination };
  if (buffer->part->held.count == 0) TRM_TRY(domain_buffer_hold(buffer, all_of(buffer)));
  const domain_visit visit = domain_enter(buffer->device);
  const trm_status status = domain_each_piece(domain_rows_of(buffer), rows,
                                              (domain_span){ offset, bytes }, read_piece, &all);
  domain_leave(buffer->device, &visit);
  return status;
}

/* ---- rows of other parts ---------------------------------------------------------------- */

/* Bytes of rows that part `to` wants and has not. into: on that part alone. */
typedef struct wanted {
  trm_buffer *buffer;
  size_t offset, bytes, to;
  unsigned char *into;
  int is_there;                 /* some were found */
} wanted;

typedef trm_status pass_fn(wanted *w, size_t from, size_t begin, size_t bytes);

/* Each piece of them, in the order of rows and components, with the part that gives it. */
static trm_status each_wanted(wanted *w, pass_fn *pass)
{
  const domain_device *domain = w->buffer->device->domain;
  const domain_rows *b = domain_rows_of(w->buffer);
  domain_span left = all_of(w->buffer);
  domain_run run;
  while (domain_next_missing(domain_valid_of(w->buffer), domain->parts, b->total, w->to, &left,
                             &run)) {
    if (run.count == 0) return TRM_FAIL(INVALID, "row %zu of a buffer is valid nowhere", run.first);
    for (size_t i = 0; i < b->components * b->lists; i++) {
      const domain_span at = domain_bytes(b, i / b->lists, i % b->lists, run.first, run.count);
      const size_t begin = at.first > w->offset ? at.first : w->offset;
      const size_t end = at.first + at.count < w->offset + w->bytes ? at.first + at.count
                                                                    : w->offset + w->bytes;
      if (begin < end) TRM_TRY(pass(w, run.from, begin, end - begin));
    }
  }
  return TRM_OK;
}

static trm_status find(wanted *w, size_t from, size_t begin, size_t bytes)
{
  (void)from, (void)begin, (void)bytes;
  w->is_there = 1;
  return TRM_OK;
}

static trm_status receive(wanted *w, size_t from, size_t begin, size_t bytes)
{
  return domain_post_receive_now(w->buffer->device->domain->post, from,
                                 w->into + (begin - w->offset), bytes);
}

/* Something goes after a failure, too: the other part waits for it. */
static trm_status give(wanted *w, size_t from, size_t begin, size_t bytes)
{
  domain_device *domain = w->buffer->device->domain;
  unsigned char *piece;
  if (from != domain->part) return TRM_OK;
  TRM_TRY(domain_post_room(domain->post, w->to, bytes, &piece));
  const domain_visit visit = domain_enter(w->buffer->device);
  trmi_error_first(&domain->failed, trm_buffer_read(w->buffer, begin, bytes, piece));
  domain_leave(w->buffer->device, &visit);
  return domain_post_send(domain->post, w->to, bytes);
}

trm_status domain_buffer_give(trm_buffer *buffer, size_t offset, size_t bytes)
{
  wanted w = { buffer, offset, bytes, 0, NULL, 0 };
  return each_wanted(&w, give);
}

/* ---- what callers see ------------------------------------------------------------------ */

/* What is valid here. */
static trm_status read_valid(trm_buffer *buffer, size_t offset, size_t bytes, void *destination)
{
  const domain_span valid = domain_valid_of(buffer)[buffer->device->domain->part];
  return valid.count ? read_here(buffer, valid, offset, bytes, destination) : TRM_OK;
}

/* Part 0 reads alone, and asks the other parts for rows that it does not have. */
static trm_status read_alone(trm_buffer *buffer, size_t offset, size_t bytes, void *destination)
{
  domain_device *domain = buffer->device->domain;
  wanted w = { buffer, offset, bytes, 0, destination, 0 };
  TRM_TRY(domain_failure(domain));
  TRM_TRY(each_wanted(&w, find));
  TRM_TRY(read_valid(buffer, offset, bytes, destination));
  if (!w.is_there) return TRM_OK;
  TRM_TRY(domain_ask(buffer->device, DOMAIN_READ, buffer, offset, bytes));
  return domain_agree_now(domain, each_wanted(&w, receive));
}

/* All read the same bytes, one part after the other. None gives rows to a part that has left. */
static trm_status read_all(trm_buffer *buffer, size_t offset, size_t bytes, void *destination)
{
  domain_device *domain = buffer->device->domain;
  TRM_TRY(domain_agree_within(domain, TRM_OK));
  trm_status status = read_valid(buffer, offset, bytes, destination);
  for (size_t to = 0; to < domain->parts && !domain_post_is_lost(domain->post); to++) {
    wanted w = { buffer, offset, bytes, to, destination, 0 };
    const trm_status moved = each_wanted(&w, to == domain->part ? receive : give);
    if (status == TRM_OK) status = moved;
  }
  return domain_agree_within(domain, status);
}

trm_status domain_buffer_read_made(trm_buffer *buffer, size_t offset, size_t bytes,
                                   void *destination)
{
  TRM_TRY(domain_failure(buffer->device->domain));
  return read_valid(buffer, offset, bytes, destination);
}

trm_status domain_buffer_read(trm_buffer *buffer, size_t offset, size_t bytes, void *destination)
{
  return buffer->device->domain->is_alone ? read_alone(buffer, offset, bytes, destination)
                                          : read_all(buffer, offset, bytes, destination);
}

trm_status domain_buffer_written(trm_buffer *buffer, size_t offset, size_t bytes,
                                 const void *source)
{
  return write_here(buffer, offset, bytes, source);
}

trm_status domain_buffer_write(trm_buffer *buffer, size_t offset, size_t bytes, const void *source)
{
  trm_device *device = buffer->device;
  domain_device *domain = device->domain;
  if (!domain->is_alone) return write_here(buffer, offset, bytes, source);
  TRM_TRY(domain_ask(device, DOMAIN_WRITE, buffer, offset, bytes));
  TRM_TRY(domain_device_broadcast(device, (void *)(uintptr_t)source, bytes));
  return domain_agree_now(domain, write_here(buffer, offset, bytes, source));
}
