/* vtu.h - VTK XML unstructured grids (.vtu), for ParaView and VisIt: cells of several sizes, each a
 * pixel (two dimensions) or a voxel whose corners are points.
 *
 * Compressed in one appended section as vtk.c says. */
#ifndef TRIREME_VTU_H
#define TRIREME_VTU_H

#include "io/array.h"

typedef struct trm_vtu {
  int corners;                 /* of a cell: 4 or 8, in the order x, y, z, x fastest */
  size_t point_count;          /* below 2^31 */
  size_t cell_count;           /* times corners below 2^31 */
  const trm_array *fields;     /* of cell_count values (nx), one, two or three components each */
  size_t field_count;
  uint64_t step;               /* written as field data STEP */
  double time;                 /* and TimeValue */
} trm_vtu;

/* The source has the fields' values and two arrays more, by name: "Points", doubles of three
 * components, and "connectivity", the numbers (I32) of each cell's points in turn. Numbers that do
 * not fit 31 bits are TRM_ERROR_OVERFLOW. */
TRM_API trm_status trm_vtu_stream(const char *path, const trm_vtu *grid,
                                  const trm_array_source *source);

#endif
