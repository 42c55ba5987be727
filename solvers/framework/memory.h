/* memory.h - the buffers of a run as one list: their size, known before any is made; how they are
 * made and freed. Also writes the first state of a grid, with its ghosts and its padding. Usable
 * without the rest of the framework. */
#ifndef TRIREME_FRAMEWORK_MEMORY_H
#define TRIREME_FRAMEWORK_MEMORY_H

#include "core/trireme.h"

/* One buffer of the list. `buffer` points to its handle; count 0: the run does not have it. */
typedef struct trm_framework_buffer {
  trm_buffer **buffer;
  const char *name;            /* for messages: "partial sums" */
  size_t count;                /* elements */
  trm_type type;
  int is_zero;                 /* 1: begins as zeros; else its contents are undefined, or `first` */
  const void *first;           /* (optional) initial values: count elements; reals are given as
                                * doubles */
} trm_framework_buffer;

/* Bytes of all buffers; TRM_ERROR_OVERFLOW names the buffer that does not fit. */
TRM_API trm_status trm_framework_bytes(const trm_framework_buffer *list, size_t count,
                                       uint64_t *bytes);

/* Makes all buffers once the device has confirmed that there is room. `what` needs them: `what`
 * needs it: "a grid of 128 x 128 cells". After a failure, trm_framework_release frees the buffers
 * made so far. */
TRM_API trm_status trm_framework_allocate(trm_device *device, const trm_framework_buffer *list,
                                          size_t count, const char *what);
/* The same in two parts. Between them several devices are told which rows are theirs, so that no
 * device takes memory for values of others. */
TRM_API trm_status trm_framework_create_buffers(trm_device *device,
                                                const trm_framework_buffer *list, size_t count,
                                                const char *what);
TRM_API trm_status trm_framework_write_first(const trm_framework_buffer *list, size_t count);
TRM_API void trm_framework_release(const trm_framework_buffer *list, size_t count);

typedef struct trm_framework_cell { int component, x, y, z; } trm_framework_cell;
typedef double trm_framework_value_fn(const void *user, trm_framework_cell at);

/* Writes `components` components of nx x ny x nz values into a buffer of that layout, as reals
 * of type F32 or F64 or as bytes (U8). Its ghost columns (layout.ghosts) get the values of a
 * periodic grid; padding gets 0. */
typedef struct trm_framework_shape {
  trm_type type;
  int nx, ny, nz, components;
  trm_layout layout;
} trm_framework_shape;
TRM_API trm_status trm_framework_upload(trm_buffer *to, const trm_framework_shape *shape,
                                        trm_framework_value_fn *value, const void *user);
/* trm_framework_upload from one array for each component: z, y, x. */
TRM_API trm_status trm_framework_upload_arrays(trm_buffer *to, const trm_framework_shape *shape,
                                               const double *const *components);

/* For several devices (trm_buffer_rows): declares the rows of a buffer of that shape.
 * trm_framework_leaves_by_rows declares a buffer of leaves, `slots` times the leaves of all rows,
 * row by row. */
TRM_API trm_status trm_framework_by_rows(trm_buffer *buffer, const trm_framework_shape *shape);
TRM_API trm_status trm_framework_leaves_by_rows(trm_buffer *buffer, trm_type type, int nx, int ny,
                                                int nz, size_t slots);

/* How many of the devices that share a run are hosts, and how many devices there are; 0, 0 for a
 * device that shares nothing. */
TRM_API trm_status trm_framework_count_hosts(const trm_device *device, size_t *hosts, size_t *all);
/* Parts of a refusal for a case that works on one device of one process alone: the devices named,
 * "openmp:0, openmp:0 were named", and the cure, "name one". */
typedef struct trm_framework_several {
  char named[320];
  const char *cure;
} trm_framework_several;
TRM_API void trm_framework_name_several(const trm_device *device, trm_framework_several *out);

/* Writes or reads reals of that type, from element `at` of a buffer on; the host's array has
 * doubles. */
TRM_API trm_status trm_framework_write_reals(trm_buffer *to, trm_type type, size_t at,
                                             const double *values, size_t count);
TRM_API trm_status trm_framework_read_reals(trm_buffer *from, trm_type type, size_t at,
                                            double *values, size_t count);

#endif
