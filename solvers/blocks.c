/* blocks.c - a field on blocks, as a grid of the finest level: the value of a coarser cell is
 * repeated for each fine cell in it. Read back, the first of them counts.
 *
 * A component is brought together in host memory, so many slots at once as make a few megabytes:
 * the device sees few large transfers, the consumer cells in the order z, y, x. On the finest grid
 * of many levels it can be too large for that, and goes to the consumer in parts. */
#include <config.h>

#include "solvers/field.h"

#include "core/load/watch.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 8 << 20, PART_BYTES = 256 << 20 };

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
  size_t cells;                /* of the grid */
  int finest;
  size_t *leaf;                /* of each slot, plus 1; 0: none */
  unsigned char *staging, *dense;
} passage;

static void passage_close(passage *p)
{
  free(p->leaf);
  free(p->staging);
  free(p->dense);
}

static trm_status passage_open(const trm_field *field, passage *p)
{
  const trm_blocks *b = field->blocks;
  *p = (passage){ .field = field, .size = trm_type_size(field->type), .block = 1,
                   .cells = field->nx * field->ny * field->nz, .finest = finest_of(field) };
  for (int a = 0; a < 3; a++) p->block *= (size_t)b->side[a];
  for (size_t i = 0; i < b->count; i++)
    if ((size_t)b->slot[i] >= p->slots) p->slots = (size_t)b->slot[i] + 1;
  p->most = CHUNK_BYTES / (field->stride * p->size) + 1;
  p->leaf = calloc(p->slots, sizeof *p->leaf);
  p->staging = malloc(p->most * field->stride * p->size);
  p->dense = malloc(p->cells * p->size);
  if (!p->leaf || !p->staging || !p->dense) {
    passage_close(p);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for a component of the field '%s', of %zu bytes",
                    field->name, p->cells * p->size);
  }
  for (size_t i = 0; i < b->count; i++) p->leaf[b->slot[i]] = i + 1;
  return TRM_OK;
}

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

/* Copies cells, each `scale` times. */
static void repeat(unsigned char *to, const unsigned char *from, size_t count, size_t scale,
                   size_t size)
{
  if (scale == 1) memcpy(to, from, count * size);
  else
    for (size_t i = 0; i < count * scale; i++)
      memcpy(to + i * size, from + i / scale * size, size);
}

/* Between a block's component and the dense array, rows of side[0] cells. */
static void move_block(const passage *p, size_t leaf, unsigned char *in_block,
                       unsigned char *dense, int is_out)
{
  const trm_field *field = p->field;
  const int32_t *side = field->blocks->side;
  const range r = range_of(field->blocks, p->finest, leaf);
  for (size_t z = r.first[2]; z < r.end[2]; z += is_out ? 1 : r.scale[2])
    for (size_t y = r.first[1]; y < r.end[1]; y += is_out ? 1 : r.scale[1]) {
      unsigned char *there = dense + ((z * field->ny + y) * field->nx + r.first[0]) * p->size;
      unsigned char *here = in_block + row_within(&r, side, y, z) * p->size;
      if (is_out) repeat(there, here, (size_t)side[0], r.scale[0], p->size);
      else
        for (size_t x = 0; x < (size_t)side[0]; x++)
          memcpy(here + x * p->size, there + x * r.scale[0] * p->size, p->size);
    }
}

/* One component: to p->dense, or from `dense` into the buffer, what else a slot has as it was. */
static trm_status move_component(const passage *p, size_t component, unsigned char *dense,
                                 int is_out)
{
  const size_t stride = p->field->stride * p->size;
  const size_t first = (p->field->layout.first + component * p->block) * p->size;
  for (size_t slot = 0; slot < p->slots; slot += p->most) {
    const size_t count = p->slots - slot < p->most ? p->slots - slot : p->most;
    TRM_TRY(trm_buffer_read(p->field->buffer, slot * stride, count * stride, p->staging));
    for (size_t i = 0; i < count; i++)
      if (p->leaf[slot + i])
        move_block(p, p->leaf[slot + i] - 1, p->staging + i * stride + first, dense, is_out);
    if (!is_out)
      TRM_TRY(trm_buffer_write(p->field->buffer, slot * stride, count * stride, p->staging));
  }
  return TRM_OK;
}

/* A component at a time, whole. */
static trm_status walk_whole(const trm_field *field, trmi_field_visitor *visit, void *user)
{
  passage p;
  TRM_TRY(passage_open(field, &p));
  trm_status status = TRM_OK;
  for (size_t c = 0; c < (size_t)field->components && status == TRM_OK; c++) {
    status = move_component(&p, c, p.dense, 1);
    if (status == TRM_OK) status = visit(user, p.dense, p.cells);
  }
  passage_close(&p);
  return status;
}

trm_status trmi_blocks_fill(const trm_field *field, trmi_field_source *source, void *user)
{
  passage p;
  TRM_TRY(passage_open(field, &p));
  trm_status status = TRM_OK;
  for (size_t c = 0; c < (size_t)field->components && status == TRM_OK; c++) {
    status = source(user, p.dense, p.cells);
    if (status == TRM_OK) status = move_component(&p, c, p.dense, 0);
  }
  passage_close(&p);
  return status;
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

trm_status trmi_blocks_walk_in_parts(const trm_field *field, size_t cells,
                                     trmi_field_visitor *visit, void *user)
{
  const size_t all = field->nx * field->ny * field->nz;
  void *part = malloc(cells * trm_type_size(field->type));
  trm_status status = TRM_OK;
  if (!part)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells of '%s'", cells, field->name);
  for (size_t c = 0; c < (size_t)field->components; c++)
    for (size_t at = 0; at < all && status == TRM_OK; at += cells) {
      const size_t count = all - at < cells ? all - at : cells;
      status = trmi_blocks_read_part(field, c, at, count, part);
      if (status == TRM_OK) status = visit(user, part, count);
    }
  free(part);
  return status;
}

trm_status trmi_blocks_walk(const trm_field *field, trmi_field_visitor *visit, void *user)
{
  const size_t size = trm_type_size(field->type), bytes = field->nx * field->ny * field->nz * size;
  const uint64_t there = trmi_host_memory();
  if (there > 0 && bytes > there / 2)
    return trmi_blocks_walk_in_parts(field, PART_BYTES / size, visit, user);
  return walk_whole(field, visit, user);
}
