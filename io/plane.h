/* plane.h - a plane of a field as one number a cell, and its means over blocks of cells: what
 * pictures, movies and the live view show.
 *
 * Three numbers are no values: NaN, an obstacle (or land); -INFINITY, a cell that has none yet;
 * +INFINITY, a cell whose value is not finite. */
#ifndef TRIREME_PLANE_H
#define TRIREME_PLANE_H

#include "io/array.h"

/* Rows of a field of two dimensions that is never whole in the host's memory: the rows that were
 * looked at last. Make it with a source alone; free it in any case. status: of the first read that
 * failed, whose error is the thread's last. From then on values are NaN. */
typedef struct trm_plane_window {
  trm_array_source source;     /* of the field and of the flags */
  size_t first, rows, room;    /* cells that there is room for */
  void *values;                /* all components */
  uint8_t *flags;
  trm_status status;
} trm_plane_window;
TRM_API void trm_plane_window_free(trm_plane_window *window);

typedef struct trm_plane {
  const trm_array *field;      /* several components: the magnitude is taken */
  const trm_array *solid;      /* flags of the same cells, not 0: an obstacle; or NULL */
  int normal;                  /* the axis across it: 2 z, and x points right, y up; 1 y, and it
                                * shows x and z; 0 x, and it shows y and z */
  size_t index;                /* of the plane on that axis, from 0 */
  int has_none;                /* 1: a value below zero counts as no value */
  int is_reduced;              /* 1: the field holds what trm_plane_reduce made */
  trm_plane_window *window;    /* the arrays have no data: rows come through it; NULL: they have */
} trm_plane;

/* Checks field, flags and index: TRM_ERROR_INVALID. Cells along both axes. */
TRM_API trm_status trm_plane_size(const trm_plane *plane, size_t *width, size_t *height);

/* The mean over the cells x0 <= x < x1, y0 <= y < y1 that have a value; where none has one, -INF
 * if a cell could have one, else NaN. */
TRM_API double trm_plane_mean(const trm_plane *plane, size_t x0, size_t x1, size_t y0, size_t y1);

/* The smallest number of whole cells along a pixel's side that makes the plane at most most_width x
 * most_height pixels, and the resulting numbers of pixels. The last pixels may have fewer cells. */
TRM_API trm_status trm_plane_fit(const trm_plane *plane, size_t most_width, size_t most_height,
                                 size_t *cells, size_t *width, size_t *height);

/* The status of its window. */
TRM_API trm_status trm_plane_status(const trm_plane *plane);

/* The means as width * height floats of trm_plane_fit, the southern row first. */
TRM_API trm_status trm_plane_reduce(const trm_plane *plane, size_t cells, float *out);

#endif
