/* memory.c - a list of buffers, and what is written into them before the first step. */
#include <config.h>

#include "solvers/kit/memory.h"

#include <stdlib.h>

/* ---- the list -------------------------------------------------------------- */

trm_status trm_kit_bytes(const trm_kit_buffer *list, size_t count, uint64_t *bytes)
{
  size_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    size_t one;
    TRM_TRY(trm_size_mul(list[i].count, list[i].element_bytes, list[i].name, &one));
    TRM_TRY(trm_size_add(sum, one, list[i].name, &sum));
  }
  *bytes = sum;
  return TRM_OK;
}

trm_status trm_kit_allocate(trm_device *device, const trm_kit_buffer *list, size_t count,
                            const char *what)
{
  uint64_t bytes;
  TRM_TRY(trm_kit_bytes(list, count, &bytes));
  TRM_TRY(trm_device_require(device, bytes, what));
  for (size_t i = 0; i < count; i++)
    if (list[i].count > 0)
      TRM_TRY(trm_buffer_create(device, list[i].count * list[i].element_bytes, list[i].name,
                                list[i].buffer));
  return TRM_OK;
}

void trm_kit_release(const trm_kit_buffer *list, size_t count)
{
  while (count-- > 0) trm_buffer_destroy(list[count].buffer);
}

/* ---- the first state --------------------------------------------------------- */

static void put(trm_type type, void *to, size_t at, double value)
{
  if (type == TRM_TYPE_F64) ((double *)to)[at] = value;
  else if (type == TRM_TYPE_F32) ((float *)to)[at] = (float)value;
  else ((uint8_t *)to)[at] = value != 0.0;
}

static void put_row(const trm_kit_shape *shape, int ghosts, trm_kit_cell at,
                    trm_kit_value_fn *value, const void *user, void *to)
{
  const size_t row = (size_t)at.z * (size_t)shape->ny + (size_t)at.y;
  const size_t first = shape->layout.first + (size_t)at.component * shape->layout.component +
                       row * shape->layout.row - (size_t)ghosts;
  for (int i = 0; i < shape->nx + 2 * ghosts; i++) {
    at.x = (i - ghosts + shape->nx) % shape->nx;
    put(shape->type, to, first + (size_t)i, value(user, at));
  }
}

trm_status trm_kit_upload(trm_device *device, trm_buffer *to, const trm_kit_shape *shape,
                          trm_kit_value_fn *value, const void *user)
{
  const int ghosts = trm_device_describe(device)->ghost_columns;
  size_t bytes;
  TRM_TRY(trm_size_mul(shape->layout.elements, trm_type_size(shape->type), "a field", &bytes));
  void *values = calloc(bytes, 1);
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes of a first state", bytes);
  trm_kit_cell at = { 0, 0, 0, 0 };
  for (at.component = 0; at.component < shape->components; at.component++)
    for (at.z = 0; at.z < shape->nz; at.z++)
      for (at.y = 0; at.y < shape->ny; at.y++) put_row(shape, ghosts, at, value, user, values);
  const trm_status status = trm_buffer_write(to, 0, bytes, values);
  free(values);
  return status;
}

typedef struct array { const trm_kit_shape *shape; const double *values; } array;

static double array_value(const void *user, trm_kit_cell at)
{
  const array *a = user;
  const size_t nx = (size_t)a->shape->nx, ny = (size_t)a->shape->ny, nz = (size_t)a->shape->nz;
  const size_t plane = (size_t)at.component * nz + (size_t)at.z;
  return a->values[(plane * ny + (size_t)at.y) * nx + (size_t)at.x];
}

trm_status trm_kit_upload_array(trm_device *device, trm_buffer *to, const trm_kit_shape *shape,
                                const double *values)
{
  const array a = { shape, values };
  return trm_kit_upload(device, to, shape, array_value, &a);
}
