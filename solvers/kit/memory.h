/* memory.h - the buffers of a run as one list: what they need, said before any is made; their
 * making and their end. And the first state of a grid, with its ghosts and its padding. Usable
 * without the rest of the kit. */
#ifndef TRIREME_KIT_MEMORY_H
#define TRIREME_KIT_MEMORY_H

#include "core/trireme.h"

/* One buffer of the list. `buffer` is where its handle is kept; count 0: the run has none. */
typedef struct trm_kit_buffer {
  trm_buffer **buffer;
  const char *name;            /* for messages: "partial sums" */
  size_t count, element_bytes;
} trm_kit_buffer;

/* Bytes of all of them; TRM_ERROR_OVERFLOW names the one that does not fit. */
TRM_API trm_status trm_kit_bytes(const trm_kit_buffer *list, size_t count, uint64_t *bytes);

/* Makes all of them once the device has said that there is room; `what` needs it: "a grid of 128 x
 * 128 cells". After a failure, trm_kit_release takes back what was made. */
TRM_API trm_status trm_kit_allocate(trm_device *device, const trm_kit_buffer *list, size_t count,
                                    const char *what);
TRM_API void trm_kit_release(const trm_kit_buffer *list, size_t count);

typedef struct trm_kit_cell { int component, x, y, z; } trm_kit_cell;
typedef double trm_kit_value_fn(const void *user, trm_kit_cell at);

/* Writes `components` components of nx x ny x nz values into a buffer of that layout, as reals
 * of type F32 or F64 or as bytes (U8). Ghost columns get the values of a periodic grid; padding
 * gets 0. */
typedef struct trm_kit_shape {
  trm_type type;
  int nx, ny, nz, components;
  trm_layout layout;
} trm_kit_shape;
TRM_API trm_status trm_kit_upload(trm_device *device, trm_buffer *to, const trm_kit_shape *shape,
                                  trm_kit_value_fn *value, const void *user);
/* The same from an array: component-major, then z, y, x. */
TRM_API trm_status trm_kit_upload_array(trm_device *device, trm_buffer *to,
                                        const trm_kit_shape *shape, const double *values);

#endif
