/* blocks.c - a field on blocks of one level, as the grid that the blocks make up.
 *
 * A component is brought together in host memory, so many slots at once as make a few megabytes:
 * the device sees few large transfers, the consumer cells in the order z, y, x. */
#include <config.h>

#include "solvers/field.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 8 << 20 };

trm_status trmi_blocks_check(const trm_field *field)
{
  const trm_blocks *b = field->blocks;
  const size_t n[3] = { field->nx, field->ny, field->nz };
  const size_t size = trm_type_size(field->type);
  size_t cells = 1, block = 1, slots = 0;
  for (int a = 0; a < 3; a++) block *= (size_t)b->side[a];
  for (size_t i = 0; i < b->count; i++) {
    if (b->level[i] != b->level[0])
      return TRM_FAIL(UNSUPPORTED, "the field '%s' lies on blocks of several levels, which can be "
                      "neither read, written to a file nor fingerprinted yet", field->name);
    if ((size_t)b->slot[i] >= slots) slots = (size_t)b->slot[i] + 1;
  }
  for (int a = 0; a < 3; a++) {
    const int level = b->count && b->side[a] > 1 ? b->level[0] : 0;
    cells *= n[a];
    if (n[a] != (size_t)b->side[a] * ((size_t)b->roots[a] << level))
      return TRM_FAIL(INVALID, "the field '%s' has %zu cells along axis %d, and its blocks %d of "
                      "%d; declare the grid that they make up", field->name, n[a], a,
                      b->roots[a] << level, b->side[a]);
  }
  if (cells != b->count * block || b->solid)
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
  *p = (passage){ .field = field, .size = trm_type_size(field->type), .block = 1 };
  for (int a = 0; a < 3; a++) p->block *= (size_t)b->side[a];
  for (size_t i = 0; i < b->count; i++)
    if ((size_t)b->slot[i] >= p->slots) p->slots = (size_t)b->slot[i] + 1;
  p->most = CHUNK_BYTES / (field->stride * p->size) + 1;
  p->leaf = calloc(p->slots, sizeof *p->leaf);
  p->staging = malloc(p->most * field->stride * p->size);
  p->dense = malloc(b->count * p->block * p->size);
  if (!p->leaf || !p->staging || !p->dense) {
    passage_close(p);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for a component of the field '%s', of %zu bytes",
                    field->name, b->count * p->block * p->size);
  }
  for (size_t i = 0; i < b->count; i++) p->leaf[b->slot[i]] = i + 1;
  return TRM_OK;
}

/* The index in the dense grid of the first cell of a block's row (y, z). */
static size_t row_of(const trm_field *field, size_t leaf, size_t y, size_t z)
{
  const int32_t *side = field->blocks->side, *place = field->blocks->place[leaf];
  const size_t at_z = (size_t)place[2] * (size_t)side[2] + z;
  const size_t at_y = (size_t)place[1] * (size_t)side[1] + y;
  return (at_z * field->ny + at_y) * field->nx + (size_t)place[0] * (size_t)side[0];
}

/* Between a block's component and the dense array, rows of side[0] cells. */
static void move_block(const passage *p, size_t leaf, unsigned char *in_block,
                       unsigned char *dense, int is_out)
{
  const int32_t *side = p->field->blocks->side;
  const size_t row = (size_t)side[0] * p->size;
  for (size_t z = 0; z < (size_t)side[2]; z++)
    for (size_t y = 0; y < (size_t)side[1]; y++) {
      unsigned char *to = dense + row_of(p->field, leaf, y, z) * p->size;
      unsigned char *from = in_block + (z * (size_t)side[1] + y) * row;
      memcpy(is_out ? to : from, is_out ? from : to, row);
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

trm_status trmi_blocks_walk(const trm_field *field, trmi_field_visitor *visit, void *user)
{
  passage p;
  TRM_TRY(passage_open(field, &p));
  trm_status status = TRM_OK;
  for (size_t c = 0; c < (size_t)field->components && status == TRM_OK; c++) {
    status = move_component(&p, c, p.dense, 1);
    if (status == TRM_OK) status = visit(user, p.dense, field->blocks->count * p.block);
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
    status = source(user, p.dense, field->blocks->count * p.block);
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

static void cut_block(const trm_field *field, size_t leaf, const unsigned char *block, const cut *c)
{
  const int32_t *side = field->blocks->side;
  const size_t size = trm_type_size(field->type), row = (size_t)side[0];
  for (size_t z = 0; z < (size_t)side[2]; z++)
    for (size_t y = 0; y < (size_t)side[1]; y++) {
      const size_t begin = row_of(field, leaf, y, z);
      const size_t from = begin > c->first ? begin : c->first;
      const size_t end = begin + row < c->end ? begin + row : c->end;
      if (from < end)
        memcpy(c->to + (from - c->first) * size,
               block + ((z * (size_t)side[1] + y) * row + from - begin) * size,
               (end - from) * size);
    }
}

trm_status trmi_blocks_read_part(const trm_field *field, size_t component, size_t first,
                                 size_t count, void *destination)
{
  const trm_blocks *b = field->blocks;
  const size_t size = trm_type_size(field->type);
  const size_t y = (size_t)b->side[1] - 1, z = (size_t)b->side[2] - 1;
  const size_t elements = (size_t)b->side[0] * (y + 1) * (z + 1);
  const cut c = { first, first + count, destination };
  unsigned char *block = malloc(elements * size);
  if (!block)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for a block of the field '%s'", field->name);
  trm_status status = TRM_OK;
  for (size_t i = 0; i < b->count && status == TRM_OK; i++) {
    if (row_of(field, i, 0, 0) >= c.end) continue;
    if (row_of(field, i, y, z) + (size_t)b->side[0] <= c.first) continue;
    const size_t slot = (size_t)b->slot[i] * field->stride;
    const size_t at = slot + field->layout.first + component * elements;
    status = trm_buffer_read(field->buffer, at * size, elements * size, block);
    if (status == TRM_OK) cut_block(field, i, block, &c);
  }
  free(block);
  return status;
}
