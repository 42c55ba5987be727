/* field.c - the interior of a declared field, from a device buffer to dense host memory.
 *
 * Rows of a component lie `row` elements apart, planes follow without a gap, so the component is
 * ny * nz rows; a chunk of them is read at once and its ghosts and padding are dropped here. */
#include <config.h>

#include "solvers/field.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 8 << 20 };

trm_status trm_field_elements(const trm_field *field, size_t *out)
{
  size_t count;
  if (field->components < 1)
    return TRM_FAIL(INVALID, "the field '%s' has %d components; it needs at least one", field->name,
                    field->components);
  TRM_TRY(trm_size_mul(field->nx, field->ny, field->name, &count));
  TRM_TRY(trm_size_mul(count, field->nz, field->name, &count));
  TRM_TRY(trm_size_mul(count, (size_t)field->components, field->name, &count));
  *out = count;
  return TRM_OK;
}

/* A declaration that does not fit its buffer is the solver's mistake: say so before reading. */
static trm_status check_field(const trm_field *field)
{
  size_t count, bytes;
  TRM_TRY(trm_field_elements(field, &count));
  TRM_TRY(trm_size_mul(count, trm_type_size(field->type), field->name, &bytes));
  if (!count)
    return TRM_FAIL(INVALID, "the field '%s' has no cell; give it at least one along each axis",
                    field->name);
  if (!field->buffer) return TRM_FAIL(INVALID, "the field '%s' has no buffer", field->name);
  const trm_layout *l = &field->layout;
  const size_t rows = field->ny * field->nz, components = (size_t)field->components;
  size_t last, part;
  TRM_TRY(trm_size_mul(components - 1, l->component, field->name, &last));
  TRM_TRY(trm_size_mul(rows - 1, l->row, field->name, &part));
  TRM_TRY(trm_size_add(last, part, field->name, &last));
  TRM_TRY(trm_size_add(last, l->first, field->name, &last));
  TRM_TRY(trm_size_add(last, field->nx, field->name, &last));
  TRM_TRY(trm_size_mul(last, trm_type_size(field->type), field->name, &bytes));
  if ((rows > 1 && l->row < field->nx) || bytes > trm_buffer_bytes(field->buffer))
    return TRM_FAIL(INVALID,
                    "the layout of the field '%s' does not fit its shape or its buffer: rows %zu "
                    "elements apart for %zu cells, %zu bytes needed of %zu",
                    field->name, l->row, field->nx, bytes, trm_buffer_bytes(field->buffer));
  return TRM_OK;
}

/* Moves the interiors of `rows` rows, `stride` bytes apart, together at the front. */
static void squeeze(unsigned char *bytes, size_t rows, size_t stride, size_t row_bytes)
{
  for (size_t r = 1; r < rows && stride != row_bytes; r++)
    memmove(bytes + r * row_bytes, bytes + r * stride, row_bytes);
}

static trm_status walk_component(const trm_field *field, size_t component, size_t chunk_rows,
                                 unsigned char *staging, trmi_field_visitor *visit, void *user)
{
  const size_t size = trm_type_size(field->type), rows = field->ny * field->nz;
  const size_t row_bytes = field->nx * size, stride = field->layout.row * size;
  const size_t first = (field->layout.first + component * field->layout.component) * size;
  for (size_t row = 0; row < rows; row += chunk_rows) {
    const size_t count = rows - row < chunk_rows ? rows - row : chunk_rows;
    /* The last row is read to its last cell only: what follows may not be there. */
    TRM_TRY(trm_buffer_read(field->buffer, first + row * stride, (count - 1) * stride + row_bytes,
                            staging));
    squeeze(staging, count, stride, row_bytes);
    TRM_TRY(visit(user, staging, count * field->nx));
  }
  return TRM_OK;
}

trm_status trmi_field_walk(const trm_field *field, trmi_field_visitor *visit, void *user)
{
  TRM_TRY(check_field(field));
  const size_t size = trm_type_size(field->type), rows = field->ny * field->nz;
  const size_t stride = (field->layout.row > field->nx ? field->layout.row : field->nx) * size;
  size_t chunk_rows = CHUNK_BYTES / stride;
  if (chunk_rows < 1) chunk_rows = 1;
  if (chunk_rows > rows) chunk_rows = rows;
  unsigned char *staging = malloc(chunk_rows * stride);
  if (!staging)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory to read the field '%s' in parts of %zu bytes",
                    field->name, chunk_rows * stride);
  trm_status status = TRM_OK;
  for (size_t c = 0; c < (size_t)field->components && status == TRM_OK; c++)
    status = walk_component(field, c, chunk_rows, staging, visit, user);
  free(staging);
  return status;
}

typedef struct target {
  unsigned char *next;
  size_t size;
} target;

static trm_status append(void *user, const void *elements, size_t count)
{
  target *t = user;
  memcpy(t->next, elements, count * t->size);
  t->next += count * t->size;
  return TRM_OK;
}

trm_status trm_field_read(const trm_field *field, void *destination)
{
  target t = {destination, trm_type_size(field->type)};
  return trmi_field_walk(field, append, &t);
}
