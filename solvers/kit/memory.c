/* memory.c - a list of buffers, and what is written into them before the first step. */
#include <config.h>

#include "solvers/kit/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- the list -------------------------------------------------------------- */

trm_status trm_kit_bytes(const trm_kit_buffer *list, size_t count, uint64_t *bytes)
{
  size_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    size_t one;
    TRM_TRY(trm_size_mul(list[i].count, trm_type_size(list[i].type), list[i].name, &one));
    TRM_TRY(trm_size_add(sum, one, list[i].name, &sum));
  }
  *bytes = sum;
  return TRM_OK;
}

static int is_real(trm_type type) { return type == TRM_TYPE_F32 || type == TRM_TYPE_F64; }

static trm_status make(trm_device *device, const trm_kit_buffer *one)
{
  const size_t bytes = one->count * trm_type_size(one->type);
  const uint8_t nothing = 0;
  if (one->count == 0) return TRM_OK;
  TRM_TRY(trm_buffer_create(device, bytes, one->name, one->buffer));
  if (one->is_zero) return trm_buffer_fill(*one->buffer, 0, bytes, &nothing, 1);
  if (!one->first) return TRM_OK;
  return is_real(one->type)
           ? trm_kit_write_reals(*one->buffer, one->type, 0, one->first, one->count)
           : trm_buffer_write(*one->buffer, 0, bytes, one->first);
}

trm_status trm_kit_allocate(trm_device *device, const trm_kit_buffer *list, size_t count,
                            const char *what)
{
  uint64_t bytes;
  TRM_TRY(trm_kit_bytes(list, count, &bytes));
  TRM_TRY(trm_device_require(device, bytes, what));
  for (size_t i = 0; i < count; i++) TRM_TRY(make(device, &list[i]));
  return TRM_OK;
}

void trm_kit_release(const trm_kit_buffer *list, size_t count)
{
  while (count-- > 0) trm_buffer_destroy(list[count].buffer);
}

/* ---- reals ------------------------------------------------------------------- */

trm_status trm_kit_write_reals(trm_buffer *to, trm_type type, size_t at, const double *values,
                               size_t count)
{
  const size_t size = trm_type_size(type);
  if (type == TRM_TYPE_F64) return trm_buffer_write(to, at * size, count * size, values);
  float *rounded = malloc(count * size);
  if (!rounded) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu values", count);
  for (size_t i = 0; i < count; i++) rounded[i] = (float)values[i];
  const trm_status status = trm_buffer_write(to, at * size, count * size, rounded);
  free(rounded);
  return status;
}

/* The floats are widened where they lie, the last one first. */
trm_status trm_kit_read_reals(trm_buffer *from, trm_type type, size_t at, double *values,
                              size_t count)
{
  const size_t size = trm_type_size(type);
  TRM_TRY(trm_buffer_read(from, at * size, count * size, values));
  for (size_t i = type == TRM_TYPE_F32 ? count : 0; i-- > 0;) {
    float value;
    memcpy(&value, (const unsigned char *)values + i * size, size);
    values[i] = (double)value;
  }
  return TRM_OK;
}

/* ---- the first state --------------------------------------------------------- */

static void put(trm_type type, void *to, size_t at, double value)
{
  if (type == TRM_TYPE_F64) ((double *)to)[at] = value;
  else if (type == TRM_TYPE_F32) ((float *)to)[at] = (float)value;
  else ((uint8_t *)to)[at] = value != 0.0;
}

static void put_row(const trm_kit_shape *shape, trm_kit_cell at, trm_kit_value_fn *value,
                    const void *user, void *to)
{
  const int ghosts = (int)shape->layout.ghosts, nx = shape->nx;
  const size_t row = (size_t)at.z * (size_t)shape->ny + (size_t)at.y;
  const size_t first = shape->layout.first + (size_t)at.component * shape->layout.component +
                       row * shape->layout.row - (size_t)ghosts;
  for (int i = 0; i < nx + 2 * ghosts; i++) {
    at.x = (i + nx - ghosts % nx) % nx;
    put(shape->type, to, first + (size_t)i, value(user, at));
  }
}

trm_status trm_kit_upload(trm_buffer *to, const trm_kit_shape *shape, trm_kit_value_fn *value,
                          const void *user)
{
  size_t bytes;
  TRM_TRY(trm_size_mul(shape->layout.elements, trm_type_size(shape->type), "a field", &bytes));
  void *values = calloc(bytes, 1);
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes of a first state", bytes);
  trm_kit_cell at = { 0, 0, 0, 0 };
  for (at.component = 0; at.component < shape->components; at.component++)
    for (at.z = 0; at.z < shape->nz; at.z++)
      for (at.y = 0; at.y < shape->ny; at.y++) put_row(shape, at, value, user, values);
  const trm_status status = trm_buffer_write(to, 0, bytes, values);
  free(values);
  return status;
}

typedef struct arrays { const trm_kit_shape *shape; const double *const *components; } arrays;

static double array_value(const void *user, trm_kit_cell at)
{
  const arrays *a = user;
  const size_t nx = (size_t)a->shape->nx, ny = (size_t)a->shape->ny;
  return a->components[at.component][((size_t)at.z * ny + (size_t)at.y) * nx + (size_t)at.x];
}

trm_status trm_kit_upload_arrays(trm_buffer *to, const trm_kit_shape *shape,
                                 const double *const *components)
{
  const arrays a = { shape, components };
  return trm_kit_upload(to, shape, array_value, &a);
}
