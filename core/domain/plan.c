/* plan.c - see plan.h. */
#include "core/domain/plan_adding.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------ */

trm_status domain_plan_create(const double *weights, size_t parts, size_t share,
                              domain_plan **out)
{
  domain_plan *plan = calloc(1, sizeof *plan);
  if (plan) {
    *plan = (domain_plan){ .parts = parts, .share = share,
                           .sums = calloc(parts + 1, sizeof *plan->sums),
                           .more = calloc(parts, sizeof *plan->more) };
    if (plan->sums && plan->more) {
      domain_plan_weigh(plan, weights);
      *out = plan;
      return TRM_OK;
    }
  }
  domain_plan_destroy(&plan);
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the plan of %zu parts", parts);
}

void domain_plan_destroy(domain_plan **handle)
{
  domain_plan *plan = *handle;
  if (!plan) return;
  for (size_t i = 0; i < plan->buffer_count; i++) {
    domain_near_release(&plan->buffers[i].near);
    free(plan->buffers[i].valid);
    free(plan->buffers[i].then);
  }
  free(plan->buffers);
  free(plan->pieces);
  free(plan->sums);
  free(plan->more);
  free(plan);
  *handle = NULL;
}

static void *grow(void *list, size_t count, size_t *room, size_t bytes)
{
  if (count < *room) return list;
  void *grown = realloc(list, (2 * *room + 16) * bytes);
  if (grown) *room = 2 * *room + 16;
  return grown;
}

void domain_plan_weigh(domain_plan *plan, const double *weights)
{
  domain_add_weights(weights, plan->parts, plan->sums);
  for (size_t i = 0; i < plan->buffer_count; i++) {
    held *b = &plan->buffers[i];
    if (b->near) domain_near_forget(b->near);
    b->valid[plan->parts].count = 0;
  }
}

domain_span domain_plan_own(const domain_plan *plan, size_t total, size_t grain, size_t m)
{
  return domain_own_of(plan->sums, plan->parts, total, grain, m);
}

static domain_span own_of(const domain_plan *plan, const domain_rows *b, size_t m)
{
  return domain_plan_own(plan, b->total, b->grain, m);
}

static void take(const domain_plan *plan, held *b, const domain_rows *rows)
{
  b->rows = *rows;
  b->is_free = 0;
  for (size_t m = 0; m < plan->parts; m++) b->valid[m] = (domain_span){ 0, rows->total };
  b->valid[plan->parts] = (domain_span){ 0, 0 };
  b->has_slabs = 0;
}

trm_status domain_plan_buffer(domain_plan *plan, const domain_rows *rows, size_t *number)
{
  for (size_t i = 0; i < plan->buffer_count; i++)
    if (plan->buffers[i].is_free) {
      take(plan, &plan->buffers[i], rows);
      *number = i;
      return TRM_OK;
    }
  held *list = grow(plan->buffers, plan->buffer_count, &plan->buffer_room, sizeof *list);
  if (list) plan->buffers = list;
  held made = { .valid = calloc(domain_plan_spans(plan), sizeof *made.valid),
                .then = calloc(domain_plan_spans(plan), sizeof *made.then) };
  if (!list || !made.valid || !made.then) {
    free(made.valid);
    free(made.then);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the rows of a buffer");
  }
  take(plan, &made, rows);
  *number = plan->buffer_count;
  list[plan->buffer_count++] = made;
  return TRM_OK;
}

void domain_plan_declare(domain_plan *plan, size_t number, const domain_rows *rows)
{
  held *b = &plan->buffers[number];
  take(plan, b, rows);
  for (size_t m = 0; m < plan->parts && domain_has_pieces(rows); m++) {
    const domain_span own = own_of(plan, rows, m);
    if (own.count) b->valid[m] = own;
  }
}

trm_status domain_plan_near(domain_plan *plan, size_t number, const trm_adjacency *table)
{
  held *b = &plan->buffers[number];
  for (size_t i = 0; i < plan->buffer_count && !b->near; i++) {
    domain_near *other = plan->buffers[i].near;
    if (other && domain_near_is(other, table)) b->near = domain_near_share(other);
  }
  if (!b->near) TRM_TRY(domain_near_create(table, plan->parts, &b->near));
  b->rows.derived = b->rows.starts && b->rows.nx == 1 ? 0 : table->derived;
  return TRM_OK;
}

trm_status domain_plan_slabs(domain_plan *plan, size_t number, const trm_slabs *slabs)
{
  held *b = &plan->buffers[number];
  TRM_TRY(domain_near_take_slabs(b->near, slabs));
  b->has_slabs = 1;
  return TRM_OK;
}

void domain_plan_undeclare(domain_plan *plan, size_t number)
{
  held *b = &plan->buffers[number];
  const domain_rows rows = domain_rows_undeclared(b->rows.bytes);
  domain_near_release(&b->near);
  take(plan, b, &rows);
}

void domain_plan_forget(domain_plan *plan, size_t number)
{
  plan->buffers[number].is_free = 1;
  domain_near_release(&plan->buffers[number].near);
}

const domain_rows *domain_plan_rows(const domain_plan *plan, size_t number)
{
  return &plan->buffers[number].rows;
}

domain_span *domain_plan_valid(domain_plan *plan, size_t buffer)
{
  return plan->buffers[buffer].valid;
}

size_t domain_plan_spans(const domain_plan *plan) { return plan->parts + 1; }

const domain_piece *domain_plan_pieces(const domain_plan *plan, size_t *count)
{
  *count = plan->piece_count;
  return plan->pieces;
}

/* ---- what a part needs ---------------------------------------------------------- */

int adding_has(const held *b, size_t m, domain_span rows)
{
  return domain_rows_in(b->valid[m], b->rows.total, rows.first) >= rows.count;
}

static trm_status add_piece(domain_plan *plan, domain_piece piece)
{
  const domain_rows *b = &plan->buffers[piece.buffer].rows;
  const size_t *starts = b->starts ? b->starts + piece.list * (b->total + 1) + piece.row : NULL;
  if (starts && starts[piece.count] == starts[0]) return TRM_OK;
  domain_piece *list = grow(plan->pieces, plan->piece_count, &plan->piece_room, sizeof *list);
  if (!list) return TRM_FAIL(NO_HOST_MEMORY, "no memory for rows between parts");
  plan->pieces = list;
  list[plan->piece_count++] = piece;
  return TRM_OK;
}

trm_status adding_run(domain_plan *plan, size_t number, size_t m, const domain_run *run,
                      const trm_slab *slab)
{
  if (run->count == 0) return TRM_FAIL(INVALID, "row %zu of a buffer is valid nowhere", run->first);
  for (size_t list = 0; list < plan->buffers[number].rows.lists; list++)
    TRM_TRY(add_piece(plan, (domain_piece){ number, run->from, m, list, run->first, run->count,
                                               1, slab }));
  return TRM_OK;
}

trm_status adding_missing(domain_plan *plan, size_t number, size_t m, domain_span left,
                          const trm_slab *slab)
{
  const held *b = &plan->buffers[number];
  domain_run run;
  while (domain_next_missing(b->valid, plan->parts, b->rows.total, m, &left, &run))
    TRM_TRY(adding_run(plan, number, m, &run, slab));
  return TRM_OK;
}

/* These rows are to be valid on part m, with all between them and its valid rows. */
trm_status adding_need(domain_plan *plan, size_t number, size_t m, domain_span rows)
{
  held *b = &plan->buffers[number];
  const size_t total = b->rows.total;
  if (rows.count == 0) return TRM_OK; /* a part without rows */
  if (rows.count > total) rows = (domain_span){ 0, total };
  const domain_span both = domain_join(b->valid[m], rows, total);
  TRM_TRY(adding_missing(plan, number, m, both, NULL));
  if (both.count > b->valid[m].count) b->then[m] = both;
  return TRM_OK;
}

trm_status adding_need_all(domain_plan *plan, size_t number, size_t m)
{
  return adding_need(plan, number, m, (domain_span){ 0, plan->buffers[number].rows.total });
}

/* These rows and so many on either side of them. */
static domain_span about(const domain_rows *b, domain_span own, size_t beyond)
{
  if (own.count + 2 * beyond >= b->total) return (domain_span){ 0, b->total };
  const size_t before = b->is_bounded && own.first < beyond ? own.first : beyond;
  const size_t rest = b->total - own.first - own.count;
  const size_t after = b->is_bounded && rest < beyond ? rest : beyond;
  return (domain_span){ (own.first + b->total - before) % b->total, before + own.count + after };
}

/* Rows with the values of a part's chunks; all rows if values do not lie as the rows do. */
static domain_span rows_of_chunks(const adding *a, const domain_rows *b, size_t m)
{
  const trmi_chunks *chunks = &a->command->sharing->chunks;
  const domain_span own = domain_plan_own(a->plan, a->by.rows, a->by.grain, m);
  const size_t all = b->total * b->nx, step = b->components > 1 ? b->component : SIZE_MAX;
  const int is_dense = b->is_cut && !b->starts && !b->ghosts && b->row == b->nx &&
                       chunks->first >= b->first && chunks->count == all &&
                       (chunks->first - b->first) % step == 0 && chunks->stride % step == 0;
  if (own.count == 0) return (domain_span){ 0, 0 };
  if (!is_dense) return (domain_span){ 0, b->total };
  const size_t end = (own.first + own.count) * chunks->values;
  const size_t first = own.first * chunks->values / b->nx;
  return (domain_span){ first, ((end < all ? end : all) - 1) / b->nx + 1 - first };
}

/* A part needs no row beside its own: the launch writes them alone. */
static int is_written_alone(const adding *a, uint32_t i)
{
  const trm_stepping *steps = a->command->declaration->steps;
  return (adding_rows(a, i)->is_output && adding_writes(a, i)) || (steps && steps->to == (int)i) ||
         (a->how->write_only >> i & 1);
}

/* Rows are fetched for so many launches at once. */
static size_t deep_launches(const adding *a)
{
  enum { MOST = 8, MOST_STEPS = 9 }; /* a GPU takes three steps a launch */
  const size_t most = a->command->declaration->steps ? MOST_STEPS : MOST;
  const size_t plane = adding_plane(a), reach = adding_reach(a);
  size_t least = a->by.rows;
  if (a->command->sharing->at_row || reach == 0 || a->by.grain != plane) return 1;
  uint32_t first = 0;
  while (!adding_writes(a, first)) first++;
  if (!adding_is_list(a) &&
      (a->how->each > 0 || adding_rows(a, first)->total != a->by.rows))
    return 1; /* blocks of rows */
  for (size_t m = 0; m < a->plan->parts; m++) {
    const size_t own = domain_plan_own(a->plan, a->by.rows, a->by.grain, m).count;
    if (own < least) least = own;
  }
  const size_t launches = least / plane / (a->plan->share * reach);
  return launches < 1 ? 1 : launches < most ? launches : most;
}

/* *is_beside: the part lacks rows beside its own alone. */
static trm_status need_rows(const adding *a, uint32_t i, size_t m, int *is_beside)
{
  domain_plan *plan = a->plan;
  const held *b = adding_buffer(a, i);
  const size_t halo = (size_t)adding_halo(a), number = a->buffers[i];
  const domain_span own = own_of(plan, &b->rows, m);
  const int of_groups = a->how->each > 0 && !adding_is_list(a);
  if (a->how->device_local >> i & 1) return TRM_OK;
  if (a->command->sharing->chunks.values && !adding_writes(a, i))
    return adding_need(plan, number, m, rows_of_chunks(a, &b->rows, m));
  if (!adding_is_like(&b->rows, &a->by)) return adding_need_all(plan, number, m);
  if (a->by.by_blocks && !adding_writes(a, i))
    return adding_need(plan, number, m, about(&b->rows, own, halo * b->rows.plane));
  if (of_groups && (a->how->replicated >> i & 1)) return adding_need_all(plan, number, m);
  if (of_groups && (a->how->adjacent >> i & 1)) {
    *is_beside = adding_has(b, m, own);
    return adding_need_near(a, i, m);
  }
  if (of_groups) return adding_need(plan, number, m, own);
  if (a->how->write_only >> i & 1) return TRM_OK;
  if (is_written_alone(a, i)) return adding_need(plan, number, m, own);
  const size_t beyond = b->rows.total == a->by.rows ? adding_reach(a) * b->rows.plane
                        : halo && b->rows.reach ? b->rows.reach : halo * b->rows.grain;
  if (adding_has(b, m, about(&b->rows, own, beyond))) return TRM_OK;
  *is_beside = adding_has(b, m, own);
  return adding_need(plan, number, m, about(&b->rows, own, beyond * a->deep));
}

static trm_status need_argument(const adding *a, uint32_t i, size_t m)
{
  const size_t before = a->plan->piece_count;
  int is_beside = 0;
  TRM_TRY(need_rows(a, i, m, &is_beside));
  for (size_t k = before; k < a->plan->piece_count; k++)
    a->plan->pieces[k].is_awaited = !is_beside;
  return TRM_OK;
}

static trm_status need_arguments(const adding *a, size_t m)
{
  for (uint32_t i = 0; i < a->command->buffer_count; i++) TRM_TRY(need_argument(a, i, m));
  return TRM_OK;
}

/* ---- what a part has then -------------------------------------------------------- */

void adding_move(domain_plan *plan)
{
  for (size_t i = 0; i < plan->buffer_count; i++)
    memcpy(plan->buffers[i].valid, plan->buffers[i].then,
           domain_plan_spans(plan) * sizeof(domain_span));
}

/* Rows beside its own that a part can compute from buffer i. */
static void limit_more(const adding *a, uint32_t i, size_t m, domain_span own, domain_span *more)
{
  const held *b = adding_buffer(a, i);
  const size_t halo = (size_t)adding_halo(a) * b->rows.plane, total = b->rows.total;
  const domain_span valid = b->then[m];
  if (valid.count >= total || is_written_alone(a, i)) return;
  const size_t before = (own.first + total - valid.first) % total;
  const size_t after = valid.count > before + own.count ? valid.count - before - own.count : 0;
  const size_t low = before > halo ? before - halo : 0, high = after > halo ? after - halo : 0;
  if (low < more->first) more->first = low;
  if (high < more->count) more->count = high;
}

/* The least rows beside its own, on a grid that is hardly larger than these. */
static domain_span least_more(const adding *a, domain_span own)
{
  const size_t least = adding_beside(a) * adding_plane(a), others = a->by.rows - own.count;
  const size_t low = least < others ? least : others, rest = others - low;
  return (domain_span){ low, least < rest ? least : rest };
}

static domain_span find_more(const adding *a, size_t m)
{
  const size_t plane = adding_plane(a), halo = (size_t)adding_halo(a);
  const domain_span own = domain_plan_own(a->plan, a->by.rows, a->by.grain, m);
  const size_t most = ((a->deep - 1) * adding_reach(a) + adding_beside(a)) * plane;
  const domain_span none = { 0, 0 };
  domain_span more = { most, most };
  if (own.count == 0 || most == 0) return none;
  if (own.count + 2 * (most + halo * plane) >= a->by.rows) return least_more(a, own);
  for (uint32_t i = 0; i < a->command->buffer_count; i++) {
    const domain_rows *b = adding_rows(a, i);
    if (!adding_is_like(b, &a->by)) continue;
    if (b->total != a->by.rows) return none;
    limit_more(a, i, m, own, &more);
    const size_t rest = b->total - own.first - own.count;
    if (b->is_bounded && own.first < more.first) more.first = own.first;
    if (b->is_bounded && rest < more.count) more.count = rest;
  }
  return (domain_span){ more.first / plane * plane, more.count / plane * plane };
}

/* Its own rows, and those beside them that it computes. */
static domain_span computed(const domain_plan *plan, const domain_rows *b, size_t m)
{
  const domain_span own = own_of(plan, b, m), more = plan->more[m];
  return (domain_span){ (own.first + b->total - more.first) % b->total,
                        own.count + more.first + more.count };
}

/* Rows that are whole then. A row in place takes the work on the rows beside it, too. */
static domain_span computed_whole(const adding *a, const domain_rows *b, size_t m)
{
  const domain_span all = computed(a->plan, b, m);
  const size_t less = adding_beside(a) * b->plane;
  if (all.count >= b->total || all.count <= 2 * less) return all;
  return (domain_span){ (all.first + less) % b->total, all.count - 2 * less };
}

/* Each part then has the rows that it computed; of outputs, its own are the right ones. */
static void written_by_all(const adding *a)
{
  for (uint32_t i = 0; i < a->command->buffer_count; i++) {
    held *b = adding_buffer(a, i);
    if (!adding_writes(a, i) || a->how->device_local >> i & 1) continue;
    for (size_t m = 0; m < a->plan->parts; m++)
      b->valid[m] = b->rows.is_output ? own_of(a->plan, &b->rows, m)
                                      : computed_whole(a, &b->rows, m);
    b->valid[a->plan->parts].count = 0;
  }
}

/* They may go on beyond the ends of a bounded grid. */
static domain_span with_beyond(const domain_rows *b, domain_span rows, size_t beyond)
{
  if (rows.count == 0 || beyond == 0) return rows;
  if (rows.count + 2 * beyond >= b->total) return (domain_span){ 0, b->total };
  return (domain_span){ (rows.first + b->total - beyond) % b->total, rows.count + 2 * beyond };
}

domain_span domain_plan_unused(const domain_plan *plan, size_t argument, size_t part,
                               size_t steps_beyond)
{
  const adding *a = &plan->last;
  const domain_rows *b = adding_rows(a, (uint32_t)argument);
  const size_t block = b->reach > b->grain ? b->reach : b->grain;
  if (plan->who != EACH_ITS_ROWS || !b->is_cut) return (domain_span){ 0, 0 };
  size_t beyond = b->is_bounded && adding_halo(a) > 0 ? (size_t)adding_halo(a) : 0;
  if (a->command->declaration->steps && steps_beyond > beyond) beyond = steps_beyond;
  return beyond ? with_beyond(b, computed(plan, b, part),
                              beyond * (b->plane > block ? b->plane : block))
                : (domain_span){ 0, 0 };
}

domain_span domain_plan_written(const domain_plan *plan, size_t argument, size_t part)
{
  const adding *a = &plan->last;
  const uint32_t i = (uint32_t)argument;
  if (plan->who != EACH_ITS_ROWS || !adding_writes(a, i)) return (domain_span){ 0, 0 };
  const domain_rows *b = adding_rows(a, i);
  const size_t beyond = a->how->device_local >> i & 1 ? (size_t)adding_halo(a)
                                                       : adding_beside(a);
  return with_beyond(b, computed(plan, b, part), beyond * b->plane);
}

int domain_plan_is_by_rows(const domain_plan *plan) { return plan->who == EACH_ITS_ROWS; }

domain_span domain_plan_moved(const domain_plan *plan, size_t buffer, size_t part)
{
  return plan->buffers[buffer].then[part];
}

/* ---- launches -------------------------------------------------------------------- */

void adding_written_alone(const adding *a)
{
  for (uint32_t i = 0; i < a->command->buffer_count; i++)
    for (size_t m = 0; adding_writes(a, i) && m <= a->plan->parts; m++)
      adding_buffer(a, i)->valid[m] = (domain_span){ 0, m == 0 ? adding_rows(a, i)->total : 0 };
}

/* All of it on the first part, which needs all rows. */
static trm_status add_alone(const adding *a)
{
  a->plan->who = FIRST_ALONE;
  for (uint32_t i = 0; i < a->command->buffer_count; i++)
    TRM_TRY(adding_need_all(a->plan, a->buffers[i], 0));
  adding_move(a->plan);
  adding_written_alone(a);
  return TRM_OK;
}

/* Whether the command is a copy to all rows of its first buffer. */
static int copies_all(const adding *a)
{
  const trm_command *command = a->command;
  return command->kind == TRM_COMMAND_COPY && command->offset == 0 &&
         command->bytes >= domain_bytes_declared(adding_rows(a, 0));
}

static trm_status add_replicated(const adding *a)
{
  const uint32_t first = copies_all(a) ? 1 : 0;
  for (size_t m = 0; m < a->plan->parts; m++) {
    if (first) adding_buffer(a, 0)->then[m] = (domain_span){ 0, adding_rows(a, 0)->total };
    for (uint32_t i = first; i < a->command->buffer_count; i++)
      TRM_TRY(adding_need_all(a->plan, a->buffers[i], m));
  }
  adding_move(a->plan);
  return TRM_OK;
}

/* Each part launches for its own rows. */
static trm_status add_own(const adding *a)
{
  domain_plan *plan = a->plan;
  for (size_t m = 0; m < plan->parts; m++)
    for (uint32_t i = 0; i < a->command->buffer_count; i++) {
      const domain_rows *b = adding_rows(a, i);
      if (a->how->adjacent >> i & 1) TRM_TRY(adding_need_near(a, i, m));
      else if (b->is_cut) TRM_TRY(adding_need(plan, a->buffers[i], m, own_of(plan, b, m)));
      else TRM_TRY(adding_need_all(plan, a->buffers[i], m));
    }
  adding_move(plan);
  for (uint32_t i = 0; i < a->command->buffer_count; i++) {
    held *b = adding_buffer(a, i);
    if (!adding_writes(a, i) || !b->rows.is_cut) continue;
    for (size_t m = 0; m < plan->parts; m++) b->valid[m] = own_of(plan, &b->rows, m);
    b->valid[plan->parts].count = 0;
  }
  return TRM_OK;
}

static trm_status add_by_rows(adding *a)
{
  a->plan->who = EACH_ITS_ROWS;
  a->deep = deep_launches(a);
  for (size_t m = 0; m < a->plan->parts; m++) TRM_TRY(need_arguments(a, m));
  for (size_t m = 0; m < a->plan->parts; m++) a->plan->more[m] = find_more(a, m);
  adding_move(a->plan);
  written_by_all(a);
  return TRM_OK;
}

/* Whether every part with a valid copy of the row in one written buffer has it in all buffers. */
static int is_had_alike(const adding *a, size_t row)
{
  size_t owners = 0;
  for (size_t m = 0; m < a->plan->parts; m++) {
    const int has_all = adding_has_row(a, m, row);
    owners += (size_t)has_all;
    for (uint32_t i = 0; i < a->command->buffer_count && !has_all; i++)
      if (adding_writes(a, i) && adding_has(adding_buffer(a, i), m, (domain_span){ row, 1 }))
        return 0;
  }
  return owners > 0;
}

static trm_status add_at_row(const adding *a)
{
  domain_plan *plan = a->plan;
  const size_t row = (size_t)(a->command->sharing->at_row - 1);
  plan->who = EACH_WITH_ROW;
  if (adding_halo(a) == 0 && is_had_alike(a, row)) return TRM_OK;
  plan->who = ONE_ALONE;
  const size_t m = domain_owner(plan->sums, plan->parts, a->by.rows, a->by.grain, row);
  plan->one = m;
  TRM_TRY(need_arguments(a, m));
  for (uint32_t i = 0; i < a->command->buffer_count; i++)
    for (size_t other = 0; other < plan->parts && adding_writes(a, i); other++)
      if (other != m)
        TRM_TRY(adding_need(plan, a->buffers[i], other, own_of(plan, adding_rows(a, i), other)));
  adding_move(plan);
  memset(plan->more, 0, plan->parts * sizeof *plan->more);
  written_by_all(a);
  return TRM_OK;
}

static int has_planes_of(const adding *a)
{
  const size_t plane = a->command->extent.nz > 1 ? (size_t)a->command->extent.ny : 1;
  for (uint32_t i = 0; i < a->command->buffer_count; i++)
    if (adding_writes(a, i) && adding_rows(a, i)->plane != plane) return 0;
  return 1;
}

static trm_status add_rows(adding *a)
{
  const trm_extent *extent = &a->command->extent;
  const size_t rows = (size_t)extent->ny * (size_t)extent->nz;
  const int at_row = a->command->sharing->at_row && rows == 1;
  if (adding_halo(a) < 0) return add_alone(a);
  a->by = at_row ? adding_cut_written(a) : adding_find_cut(a, rows);
  if (a->by.rows == 0 || (!at_row && !has_planes_of(a))) return add_alone(a);
  return at_row ? add_at_row(a) : add_by_rows(a);
}

static trm_status add_launch(adding *a)
{
  if (a->how->derived) return a->how->each ? adding_derived(a) : adding_gathered(a);
  if (adding_is_list(a)) {
    const domain_rows *items = adding_items(a);
    if (items->is_cut && items->starts) a->by = (cut){ items->total, items->grain, 0 };
  } else if (adding_is_group(a)) {
    if (a->how->each > 0) a->by = adding_cut_written(a);
  } else {
    return add_rows(a);
  }
  return a->by.rows ? add_by_rows(a) : add_alone(a);
}

/* A copy of all of a buffer to one that lies by rows in the same way: each part copies its rows. */
static int is_of_twins(const adding *a)
{
  const trm_command *command = a->command;
  const domain_rows *to = adding_rows(a, 0), *from = adding_rows(a, 1);
  return command->offset == 0 && command->source_offset == 0 && command->bytes == to->bytes &&
         to->bytes == from->bytes && !to->starts && !from->starts &&
         to->total == from->total && to->grain == from->grain && to->first == from->first &&
         to->row == from->row && to->nx == from->nx && to->ghosts == from->ghosts &&
         to->value_bytes == from->value_bytes && to->components == from->components &&
         to->component == from->component;
}

/* Whether rows lie one behind the other from the first byte on. */
static int is_in_order(const domain_rows *b)
{
  return b->is_cut && b->components == 1 && b->lists == 1 && b->first == 0 && b->ghosts == 0 &&
         (b->starts || b->row == b->nx);
}

/* A copy of all rows to a buffer that is cut otherwise, as where blocks go to other parts. */
static int is_of_rows(const adding *a)
{
  const trm_command *command = a->command;
  const domain_rows *to = adding_rows(a, 0), *from = adding_rows(a, 1);
  return command->offset == 0 && command->source_offset == 0 && is_in_order(to) &&
         is_in_order(from) && domain_bytes(to, 0, 0, 0, to->total).count == command->bytes &&
         domain_bytes(from, 0, 0, 0, from->total).count == command->bytes;
}

/* The rows that have these bytes. */
static domain_span rows_with(const domain_rows *b, domain_span bytes)
{
  size_t low = 0, high = b->total, end;
  while (low + 1 < high) {      /* the last row that begins at the first byte or before it */
    const size_t middle = low + (high - low) / 2;
    if (domain_bytes(b, 0, 0, middle, 1).first <= bytes.first) low = middle;
    else high = middle;
  }
  for (end = low + 1; end < b->total; end++)
    if (domain_bytes(b, 0, 0, end, 1).first >= bytes.first + bytes.count) break;
  return (domain_span){ low, end - low };
}

/* Part m copies the rows that are its own then. Rows that it gets for that are not valid there. */
static trm_status add_copied_rows(const adding *a, size_t m)
{
  const held *from = adding_buffer(a, 1);
  held *to = adding_buffer(a, 0);
  const domain_span own = own_of(a->plan, &to->rows, m);
  to->valid[m] = own;
  if (own.count == 0) return TRM_OK;
  return adding_missing(a->plan, a->buffers[1], m,
                        rows_with(&from->rows, domain_bytes(&to->rows, 0, 0, own.first, own.count)),
                        NULL);
}

static trm_status add_copy(const adding *a)
{
  if (is_of_rows(a) && !is_of_twins(a)) {
    a->plan->who = EACH_ITS_COPY;
    for (size_t m = 0; m < a->plan->parts; m++) TRM_TRY(add_copied_rows(a, m));
    adding_buffer(a, 0)->valid[a->plan->parts].count = 0;
    return TRM_OK;
  }
  if (!is_of_twins(a)) return add_alone(a);
  a->plan->who = EACH_ITS_COPY;
  memcpy(adding_buffer(a, 0)->valid, adding_buffer(a, 1)->valid,
         a->plan->parts * sizeof(domain_span));
  adding_buffer(a, 0)->valid[a->plan->parts].count = 0;
  return TRM_OK;
}

trm_status domain_plan_launch(domain_plan *plan, const trm_command *command, const size_t *buffers)
{
  adding *a = &plan->last;
  *a = (adding){ plan, command, NULL, { 0, 1, 0 }, 1, { 0 } };
  memcpy(a->buffers, buffers, command->buffer_count * sizeof *buffers);
  plan->piece_count = 0;
  plan->who = EACH_WHOLE;
  for (size_t i = 0; i < plan->buffer_count; i++)
    memcpy(plan->buffers[i].then, plan->buffers[i].valid,
           domain_plan_spans(plan) * sizeof(domain_span));
  if (command->kind == TRM_COMMAND_FILL) { /* wherever own rows are */
    adding_buffer(a, 0)->valid[plan->parts].count = 0;
    return TRM_OK;
  }
  a->how = &command->sharing->how;
  if (a->how->each == TRMI_REPLICATED) return add_replicated(a);
  if (a->how->each == TRM_EACH_ITS_OWN) return add_own(a);
  return command->kind == TRM_COMMAND_COPY ? add_copy(a) : add_launch(a);
}
