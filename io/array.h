/* array.h - cells in host memory, as every output format and comparison takes them.
 *
 * Dense: value (c, z, y, x) is element ((c * nz + z) * ny + y) * nx + x, the order of
 * trm_field_read. */
#ifndef TRIREME_ARRAY_H
#define TRIREME_ARRAY_H

#include "core/trireme.h"

typedef struct trm_array {
  const char *name;            /* "velocity" */
  const char *unit;            /* "lattice" */
  trm_type type;
  int components;
  size_t nx, ny, nz;           /* each at least 1 */
  const void *data;            /* belongs to the maker of the array */
} trm_array;

/* Where an array's values come from that is never whole in host memory (its data is NULL): `count`
 * values of a component, from cell `first` on, in the order of a dense array. */
typedef struct trm_array_source {
  trm_status (*read)(void *user, const trm_array *array, size_t component, size_t first,
                     size_t count, void *out);
  void *user;
} trm_array_source;

/* Such a part, from the source, or from the array's data where source is NULL. */
TRM_API trm_status trm_array_part(const trm_array *array, const trm_array_source *source,
                                  size_t component, size_t first, size_t count, void *out);

/* Checks the shape; *out (may be NULL) is components * nz * ny * nx. TRM_ERROR_INVALID for an
 * empty array, TRM_ERROR_OVERFLOW when the bytes do not fit a size_t. */
TRM_API trm_status trm_array_elements(const trm_array *array, size_t *out);

/* The same of an array that may have no data. */
TRM_API trm_status trm_array_shape(const trm_array *array, size_t *out);

/* Element `index` as a double. */
TRM_API double trm_array_value(const trm_array *array, size_t index);

#endif
