/* array.c - shape checks and element access of dense host arrays. */
#include <config.h>

#include "io/array.h"

#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the output formats and fingerprints are little-endian and written straight from memory"
#endif

trm_status trm_array_shape(const trm_array *array, size_t *out)
{
  if (array->components < 1 || !array->nx || !array->ny || !array->nz)
    return TRM_FAIL(INVALID,
                    "the array '%s' is empty: it needs data, at least one component and one "
                    "cell along each axis",
                    array->name ? array->name : "");
  size_t count, bytes;
  TRM_TRY(trm_size_mul(array->nx, array->ny, "the array's plane", &count));
  TRM_TRY(trm_size_mul(count, array->nz, "the array's cells", &count));
  TRM_TRY(trm_size_mul(count, (size_t)array->components, "the array's elements", &count));
  TRM_TRY(trm_size_mul(count, trm_type_size(array->type), "the array's bytes", &bytes));
  if (out) *out = count;
  return TRM_OK;
}

trm_status trm_array_elements(const trm_array *array, size_t *out)
{
  const trm_array empty = {.name = array->name};
  return trm_array_shape(array->data ? array : &empty, out);
}

trm_status trm_array_part(const trm_array *array, const trm_array_source *source,
                          size_t component, size_t first, size_t count, void *out)
{
  if (source) return source->read(source->user, array, component, first, count, out);
  const size_t size = trm_type_size(array->type), cells = array->nx * array->ny * array->nz;
  memcpy(out, (const uint8_t *)array->data + (component * cells + first) * size, count * size);
  return TRM_OK;
}

double trm_array_value(const trm_array *array, size_t index)
{
  switch (array->type) {
  case TRM_TYPE_F32: return (double)((const float *)array->data)[index];
  case TRM_TYPE_F64: return ((const double *)array->data)[index];
  case TRM_TYPE_I32: return (double)((const int32_t *)array->data)[index];
  case TRM_TYPE_U8: break;
  }
  return (double)((const uint8_t *)array->data)[index];
}
