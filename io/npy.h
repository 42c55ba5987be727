/* npy.h - NumPy's .npy, version 1.0: little-endian, C order.
 *
 * The shape is (components, nz, ny, nx) without the axes that are 1: a scalar field on a plane is
 * (ny, nx), a vector field there (components, ny, nx). The last axis is always kept. */
#ifndef TRIREME_NPY_H
#define TRIREME_NPY_H

#include "io/array.h"

TRM_API trm_status trm_npy_write(const char *path, const trm_array *array);

/* The same of an array without data, read from the source a megabyte at a time. */
TRM_API trm_status trm_npy_stream(const char *path, const trm_array *array,
                                  const trm_array_source *source);

enum { TRM_NPY_MAX_AXES = 8, TRM_NPY_HEAD = 256 };

/* Writes the head of a file whose data are the array's; the data are not read. Returns the head's
 * bytes, a multiple of 64. */
TRM_API size_t trm_npy_head(const trm_array *shape, char head[TRM_NPY_HEAD]);

typedef struct trm_npy {
  trm_type type;
  int axes;
  size_t shape[TRM_NPY_MAX_AXES];
  size_t elements;
  void *data;                  /* malloc'd */
} trm_npy;

/* Reads versions 1.0 to 3.0, little-endian, C order, of the types that trm_type names. */
TRM_API trm_status trm_npy_read(const char *path, trm_npy *out);
TRM_API void trm_npy_free(trm_npy *npy);

#endif
