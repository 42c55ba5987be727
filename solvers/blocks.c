/* blocks.c - a field on blocks, between the device and host memory. It is copied as stored, a cell
 * once, or as a grid of the finest level. There the value of a coarser cell is repeated for each
 * fine cell in it. When such a grid is written back, the first of the repeated values counts.
 *
 * The stored cells of a component are brought to host memory, some megabytes of slots at once, so
 * that the device sees few large transfers. The finest grid may be far larger than all of them: it
 * is made of them some rows at a time. */
#include <config.h>

#include "core/host_work.h"
#include "core/sharing.h"
#include "solvers/field.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 2 << 20, ROWS_BYTES = 1 << 19 };

/* The level whose cells the field's grid has; leaves of it may be missing. */
static int finest_of(const trm_field *field)
{
  const trm_blocks *b = field->blocks;
  int finest = 0;
  while (finest < 24 && field->nx > ((size_t)b->side[0] * (size_t)b->roots[0]) << finest) finest++;
  return finest;
}

/* How many of the finest cells a leaf's cell is long along an axis. */
static size_t scale_of(const trm_blocks *b, int finest, size_t leaf, int axis)
{
  return b->side[axis] > 1 ? (size_t)1 << (finest - b->level[leaf]) : 1;
}

trm_status trmi_blocks_check(const trm_field *field)
{
  const trm_blocks *b = field->blocks;
  const size_t n[3] = { field->nx, field->ny, field->nz };
  const size_t size = trm_type_size(field->type);
  int finest = finest_of(field);
  size_t cells = 1, block = 1, slots = 0, covered = 0;
  for (size_t i = 0; i < b->count; i++)
    if (b->level[i] > finest) finest = b->level[i];
  for (int a = 0; a < 3; a++) block *= (size_t)b->side[a];
  for (size_t i = 0; i < b->count; i++) {
    size_t part = block;
    for (int a = 0; a < 3; a++) part *= scale_of(b, finest, i, a);
    covered += part;
    if ((size_t)b->slot[i] >= slots) slots = (size_t)b->slot[i] + 1;
  }
  for (int a = 0; a < 3; a++) {
    const int along = b->side[a] > 1 ? b->roots[a] << finest : b->roots[a];
    cells *= n[a];
    if (n[a] != (size_t)b->side[a] * (size_t)along)
      return TRM_FAIL(INVALID, "the field '%s' has %zu cells along axis %d, and its blocks %d of "
                      "%d; declare the grid that they make up", field->name, n[a], a, along,
                      b->side[a]);
  }
  if (cells != covered || b->solid)
    return TRM_FAIL(UNSUPPORTED, "the field '%s' has %zu blocks of %zu cells in a grid of %zu; "
                    "blocks that leave cells out cannot be read yet", field->name, b->count, block,
                    cells);
  const size_t last = field->layout.first + (size_t)field->components * block;
  if (slots == 0 || last > field->stride || !field->buffer ||
      slots * field->stride * size > trm_buffer_bytes(field->buffer))
    return TRM_FAIL(INVALID, "the field '%s' needs %zu slots of %zu elements; its buffer has no "
                    "room for them", field->name, slots, field->stride);
  return TRM_OK;
}

/* A field on its way between the device and host memory. */
typedef struct passage {
  const trm_field *field;
  size_t size, block;          /* bytes of an element; elements of a block's component */
  size_t slots, most;          /* all of them; at once */
  size_t cells;                /* of all leaves */
  int finest;
  size_t *leaf;                /* of each slot, plus 1; 0: none */
  unsigned char *staging;
  unsigned char *values;       /* of a component, leaf by leaf */
} passage;

static void passage_close(passage *p)
{
  free(p->leaf);
  free(p->staging);
  free(p->values);
}

/* For passages that keep no component. */
static trm_status slots_open(const trm_field *field, passage *p)
{
  const trm_blocks *b = field->blocks;
  *p = (passage){ .field = field, .size = trm_type_size(field->type), .block = 1,
                  .finest = finest_of(field) };
  for (int a = 0; a < 3; a++) p->block *= (size_t)b->side[a];
  for (size_t i = 0; i < b->count; i++)
    if ((size_t)b->slot[i] >= p->slots) p->slots = (size_t)b->slot[i] + 1;
  p->cells = b->count * p->block;
  p->most = CHUNK_BYTES / (field->stride * p->size) + 1;
  p->leaf = calloc(p->slots, sizeof *p->leaf);
  if (p->most > p->slots) p->most = p->slots;
  p->staging = malloc(p->most * field->stride * p->size);
  if (!p->leaf || !p->staging) {
    passage_close(p);
    *p = (passage){ .leaf = NULL };
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the blocks of the field '%s'", field->name);
  }
  for (size_t i = 0; i < b->count; i++) p->leaf[b->slot[i]] = i + 1;
  return TRM_OK;
}

static trm_status passage_open(const trm_field *field, passage *p)
{
  TRM_TRY(slots_open(field, p));
  p->values = malloc(p->cells * p->size);
  if (p->values) return TRM_OK;
  passage_close(p);
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for a component of the field '%s', of %zu bytes",
                  field->name, p->cells * p->size);
}

/* One component: to p->values, or from there into the buffer, what else a slot has as it was. */
static trm_status move_component(const passage *p, size_t component, int is_out)
{
  const size_t stride = p->field->stride * p->size, bytes = p->block * p->size;
  const size_t first = (p->field->layout.first + component * p->block) * p->size;
  for (size_t slot = 0; slot < p->slots; slot += p->most) {
    const size_t count = p->slots - slot < p->most ? p->slots - slot : p->most;
    TRM_TRY(trm_buffer_read(p->field->buffer, slot * stride, count * stride, p->staging));
    for (size_t i = 0; i < count; i++) {
      unsigned char *here = p->staging + i * stride + first;
      unsigned char *there = p->values + (p->leaf[slot + i] - 1) * bytes;
      if (p->leaf[slot + i]) memcpy(is_out ? there : here, is_out ? here : there, bytes);
    }
    if (!is_out)
      TRM_TRY(trm_buffer_write(p->field->buffer, slot * stride, count * stride, p->staging));
  }
  return TRM_OK;
}

/* ---- as they are stored --------------------------------------------------------------- */

/* To a visitor or from a source: the other is NULL. */
static trm_status pass_stored(const trm_field *field, trmi_field_visitor *visit,
                              trmi_field_source *source, void *user)
{
  passage p;
  TRM_TRY(passage_open(field, &p));
  trm_status status = TRM_OK;
  for (size_t c = 0; c < (size_t)field->components && status == TRM_OK; c++) {
    if (source) status = source(user, p.values, p.cells);
    if (status == TRM_OK) status = move_component(&p, c, !source);
    if (status == TRM_OK && visit) status = visit(user, p.values, p.cells);
  }
  passage_close(&p);
  return status;
}

trm_status trmi_blocks_walk_stored(const trm_field *field, trmi_field_visitor *visit, void *user)
{
  return pass_stored(field, visit, NULL, user);
}

trm_status trmi_blocks_fill_stored(const trm_field *field, trmi_field_source *source, void *user)
{
  return pass_stored(field, NULL, source, user);
}

/* Leaves in neighbouring slots are one run. */
trm_status trmi_blocks_walk_runs(const trm_field *field, trmi_field_runs *visit, void *user)
{
  const trm_blocks *b = field->blocks;
  const size_t size = trm_type_size(field->type), stride = field->stride * size;
  const size_t components = (size_t)field->components;
  size_t block = size, count = 0;
  for (int a = 0; a < 3; a++) block *= (size_t)b->side[a];
  trmi_run *runs = calloc(components * b->count, sizeof *runs);
  if (!runs) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the blocks of '%s'", field->name);
  for (size_t c = 0; c < components; c++)
    for (size_t i = 0; i < b->count; i++) {
      const uint64_t offset = (size_t)b->slot[i] * stride + field->layout.first * size + c * block;
      trmi_run *last = i > 0 ? &runs[count - 1] : NULL;
      if (last && offset == last->offset + last->count * stride) last->count++;
      else runs[count++] = (trmi_run){ offset, stride, block, 1, (c * b->count + i) * block };
    }
  const trm_status status = visit(user, runs, count);
  free(runs);
  return status;
}

/* ---- their sum -------------------------------------------------------------------------- */

/* How many cells of the finest grid a leaf's cell is: a power of two. */
static double weight_of(const trm_field *field, size_t leaf)
{
  const int finest = finest_of(field);
  size_t cells = 1;
  for (int a = 0; a < 3; a++) cells *= scale_of(field->blocks, finest, leaf, a);
  return (double)cells;
}

/* A compensated sum. */
typedef struct total {
  double sum, rest;
} total;

static void add(total *t, double value)
{
  const double small = value - t->rest, next = t->sum + small;
  t->rest = (next - t->sum) - small;
  t->sum = next;
}

static double sum_leaf(const passage *p, size_t leaf, const unsigned char *slot,
                       const uint8_t *left_out)
{
  total t = { 0, 0 };
  for (size_t c = 0; c < (size_t)p->field->components; c++)
    for (size_t i = 0; i < p->block; i++) {
      const size_t at = p->field->layout.first + c * p->block + i;
      if (left_out && left_out[leaf * p->block + i]) continue;
      add(&t, p->size == sizeof(double) ? ((const double *)slot)[at]
                                        : (double)((const float *)slot)[at]);
    }
  return t.sum * weight_of(p->field, leaf);
}

/* sums: by slot. */
static trm_status sum_slots(const passage *p, size_t first, size_t count, const uint8_t *left_out,
                            double *sums)
{
  const size_t stride = p->field->stride * p->size, end = first + count;
  for (size_t slot = first; slot < end; slot += p->most) {
    const size_t now = end - slot < p->most ? end - slot : p->most;
    TRM_TRY(trm_buffer_read_made(p->field->buffer, slot * stride, now * stride, p->staging));
    for (size_t i = 0; i < now; i++)
      if (p->leaf[slot + i])
        sums[slot + i] = sum_leaf(p, p->leaf[slot + i] - 1, p->staging + i * stride, left_out);
  }
  return TRM_OK;
}

trm_status trmi_blocks_sum(const trm_field *field, const uint8_t *left_out, double *sum)
{
  trm_device *device = trm_buffer_device(field->buffer);
  total all = { 0, 0 };
  passage p = { .leaf = NULL };
  size_t first, count;
  trm_status status = trmi_blocks_check(field);
  if (status == TRM_OK) status = slots_open(field, &p);
  double *sums = status == TRM_OK ? calloc(p.slots, sizeof *sums) : NULL;
  if (status == TRM_OK && !sums)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the sums of %zu blocks", p.slots);
  trm_device_made_rows(device, p.slots, 1, &first, &count);
  if (status == TRM_OK) status = sum_slots(&p, first, count, left_out, sums);
  status = trm_device_complete_rows(device, status, sums, p.slots, 1, sizeof *sums);
  for (size_t i = 0; i < field->blocks->count && status == TRM_OK; i++)
    add(&all, sums[field->blocks->slot[i]]);
  free(sums);
  passage_close(&p);
  if (status == TRM_OK) *sum = all.sum;
  return status;
}

/* ---- as the finest grid --------------------------------------------------------------- */

/* Where a leaf's cells lie in the dense grid. */
typedef struct range {
  size_t scale[3], first[3], end[3];
} range;

static range range_of(const trm_blocks *b, int finest, size_t leaf)
{
  range r;
  for (int a = 0; a < 3; a++) {
    r.scale[a] = scale_of(b, finest, leaf, a);
    r.first[a] = (size_t)b->place[leaf][a] * (size_t)b->side[a] * r.scale[a];
    r.end[a] = r.first[a] + (size_t)b->side[a] * r.scale[a];
  }
  return r;
}

/* The row of a block's cells that row (y, z) of the grid passes through. */
static size_t row_within(const range *r, const int32_t *side, size_t y, size_t z)
{
  return ((z - r->first[2]) / r->scale[2] * (size_t)side[1] +
          (y - r->first[1]) / r->scale[1]) * (size_t)side[0];
}

#define REPEAT(type) \
  do { \
    type *there = (type *)(void *)to; \
    const type *here = (const type *)(const void *)from; \
    for (size_t i = 0; i < count; i++) \
      for (size_t k = 0; k < scale; k++) *there++ = here[i]; \
  } while (0)

/* Copies cells, each `scale` times. */
static void repeat(unsigned char *to, const unsigned char *from, size_t count, size_t scale,
                   size_t size)
{
  if (scale == 1) memcpy(to, from, count * size);
  else if (size == 8) REPEAT(uint64_t);
  else if (size == 4) REPEAT(uint32_t);
  else if (size == 2) REPEAT(uint16_t);
  else REPEAT(uint8_t);
}

/* The inverse: the first of each. */
static void take_first(unsigned char *to, const unsigned char *from, size_t count, size_t scale,
                       size_t size)
{
  for (size_t i = 0; i < count; i++) memcpy(to + i * size, from + i * scale * size, size);
}

/* The dense grid's rows, some at once. */
typedef struct window {
  passage *p;
  uint32_t *owner;             /* the leaf at each place of a block of the finest level */
  size_t across[3];            /* such places along the axes */
  size_t most;                 /* rows at once */
  unsigned char *rows;
} window;

static void mark_owner(window *w, size_t leaf)
{
  const trm_blocks *b = w->p->field->blocks;
  const range r = range_of(b, w->p->finest, leaf);
  size_t from[3], to[3];
  for (int a = 0; a < 3; a++) {
    from[a] = r.first[a] / (size_t)b->side[a];
    to[a] = r.end[a] / (size_t)b->side[a];
  }
  for (size_t z = from[2]; z < to[2]; z++)
    for (size_t y = from[1]; y < to[1]; y++)
      for (size_t x = from[0]; x < to[0]; x++)
        w->owner[(z * w->across[1] + y) * w->across[0] + x] = (uint32_t)leaf;
}

static void window_close(window *w)
{
  free(w->owner);
  free(w->rows);
}

static trm_status window_open(passage *p, window *w)
{
  const trm_field *field = p->field;
  const size_t n[3] = { field->nx, field->ny, field->nz }, row = field->nx * p->size;
  *w = (window){ .p = p, .most = ROWS_BYTES / row + 1 };
  for (int a = 0; a < 3; a++) w->across[a] = n[a] / (size_t)field->blocks->side[a];
  w->owner = malloc(w->across[0] * w->across[1] * w->across[2] * sizeof *w->owner);
  w->rows = malloc(w->most * row);
  if (!w->owner || !w->rows) {
    window_close(w);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the places of %zu blocks of the field '%s'",
                    w->across[0] * w->across[1] * w->across[2], field->name);
  }
  for (size_t i = 0; i < field->blocks->count; i++) mark_owner(w, i);
  return TRM_OK;
}

/* A row of the dense grid from the leaves' values, or to them. */
static void pass_row(const window *w, size_t number, unsigned char *row, int is_out)
{
  const passage *p = w->p;
  const trm_blocks *b = p->field->blocks;
  const size_t y = number % p->field->ny, z = number / p->field->ny, across = (size_t)b->side[0];
  const uint32_t *owner = w->owner + (z / (size_t)b->side[2] * w->across[1] +
                                      y / (size_t)b->side[1]) * w->across[0];
  for (size_t x = 0; x < p->field->nx;) {
    const size_t leaf = owner[x / across];
    const range r = range_of(b, p->finest, leaf);
    unsigned char *cells = p->values + (leaf * p->block + row_within(&r, b->side, y, z)) * p->size;
    unsigned char *there = row + x * p->size;
    if (is_out) repeat(there, cells, across, r.scale[0], p->size);
    else if (y % r.scale[1] == 0 && z % r.scale[2] == 0)
      take_first(cells, there, across, r.scale[0], p->size);
    x = r.end[0];
  }
}

static trm_status pass_rows(const window *w, trmi_field_visitor *visit, trmi_field_source *source,
                            void *user)
{
  const trm_field *field = w->p->field;
  const size_t rows = field->ny * field->nz, bytes = field->nx * w->p->size;
  for (size_t first = 0, count; first < rows; first += count) {
    count = rows - first < w->most ? rows - first : w->most;
    if (source) TRM_TRY(source(user, w->rows, count * field->nx));
    for (size_t i = 0; i < count; i++) pass_row(w, first + i, w->rows + i * bytes, !source);
    if (visit) TRM_TRY(visit(user, w->rows, count * field->nx));
  }
  return TRM_OK;
}

/* To a visitor or from a source: the other is NULL. */
static trm_status pass(const trm_field *field, trmi_field_visitor *visit,
                       trmi_field_source *source, void *user)
{
  passage p;
  window w;
  TRM_TRY(passage_open(field, &p));
  trm_status status = window_open(&p, &w);
  if (status != TRM_OK) {
    passage_close(&p);
    return status;
  }
  for (size_t c = 0; c < (size_t)field->components && status == TRM_OK; c++) {
    if (visit) status = move_component(&p, c, 1);
    if (status == TRM_OK) status = pass_rows(&w, visit, source, user);
    if (status == TRM_OK && source) status = move_component(&p, c, 0);
  }
  window_close(&w);
  passage_close(&p);
  return status;
}

trm_status trmi_blocks_walk(const trm_field *field, trmi_field_visitor *visit, void *user)
{
  return pass(field, visit, NULL, user);
}

trm_status trmi_blocks_fill(const trm_field *field, trmi_field_source *source, void *user)
{
  return pass(field, NULL, source, user);
}

/* A run of cells of the dense grid, on its way to the caller's memory. */
typedef struct cut {
  size_t first, end;
  unsigned char *to;
} cut;

/* row: room for a row of the block's cells in the grid. */
static void cut_block(const trm_field *field, const range *r, const unsigned char *block,
                      unsigned char *row, const cut *c)
{
  const int32_t *side = field->blocks->side;
  const size_t size = trm_type_size(field->type), cells = r->end[0] - r->first[0];
  for (size_t z = r->first[2]; z < r->end[2]; z++)
    for (size_t y = r->first[1]; y < r->end[1]; y++) {
      const size_t begin = (z * field->ny + y) * field->nx + r->first[0];
      const size_t from = begin > c->first ? begin : c->first;
      const size_t end = begin + cells < c->end ? begin + cells : c->end;
      if (from >= end) continue;
      repeat(row, block + row_within(r, side, y, z) * size, (size_t)side[0], r->scale[0], size);
      memcpy(c->to + (from - c->first) * size, row + (from - begin) * size, (end - from) * size);
    }
}

trm_status trmi_blocks_read_part(const trm_field *field, size_t component, size_t first,
                                 size_t count, void *destination)
{
  const trm_blocks *b = field->blocks;
  const size_t size = trm_type_size(field->type);
  const size_t elements = (size_t)b->side[0] * (size_t)b->side[1] * (size_t)b->side[2];
  const cut c = { first, first + count, destination };
  const int finest = finest_of(field);
  unsigned char *block = malloc((elements + ((size_t)b->side[0] << finest)) * size);
  if (!block)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for a block of the field '%s'", field->name);
  trm_status status = TRM_OK;
  for (size_t i = 0; i < b->count && status == TRM_OK; i++) {
    const range r = range_of(b, finest, i);
    const size_t last = (r.end[2] - 1) * field->ny + r.end[1] - 1;
    if ((r.first[2] * field->ny + r.first[1]) * field->nx + r.first[0] >= c.end) continue;
    if (last * field->nx + r.end[0] <= c.first) continue;
    const size_t slot = (size_t)b->slot[i] * field->stride;
    const size_t at = slot + field->layout.first + component * elements;
    status = trm_buffer_read(field->buffer, at * size, elements * size, block);
    if (status == TRM_OK) cut_block(field, &r, block, block + elements * size, &c);
  }
  free(block);
  return status;
}
