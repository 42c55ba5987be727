/* epfl.h - the raw files of EPFL's shallow-water course: Data_nx2001_500km_T0.2_h.bin and the like.
 *
 * Native little-endian float64 without a header, nx * nx values. The first index, x, is the slow
 * one: value (x, y) is number x * nx + y. hu is along x, hv along y. Lengths in km, times in h. The
 * outermost ring is made of ghost cells: copies of the first inner ones. */
#ifndef TRIREME_EPFL_H
#define TRIREME_EPFL_H

#include "core/trireme.h"

typedef struct trm_epfl_case {
  size_t nx;                   /* values along an axis, ghosts included; at least 5 */
  double size;                 /* of the square, km; a cell is size / nx */
  double end_time;             /* h */
} trm_epfl_case;

/* path: a folder that holds the files of one case, or the files' common beginning
 * ("in/Data_nx201_500km_T0.2"), or one of the files. *prefix (malloc'd, to be freed by the caller)
 * is that beginning; its name describes the case. */
TRM_API trm_status trm_epfl_find(const char *path, char **prefix, trm_epfl_case *out);

/* Reads PREFIX_NAME.bin (name: "h", "hu", "hv", "Zdx", "Zdy") into nx * nx values, x fastest. A
 * file of another length is refused with the length that it should have. */
TRM_API trm_status trm_epfl_read(const char *prefix, const char *name, size_t nx, double *values);

/* Writes nx * nx values, x fastest, in the course's order. */
TRM_API trm_status trm_epfl_write(const char *path, size_t nx, const double *values);

#endif
