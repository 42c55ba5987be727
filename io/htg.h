/* htg.h - VTK XML hyper tree grids (.htg), for ParaView: blocks of cells that were split into four
 * or eight again and again, written as trees. Each node is one bit, without its corners.
 *
 * A block of level 0 is a tree. Its nodes are cells: those of the blocks, and above them those that
 * halve the block, so that a block of 8 x 8 x 8 adds three generations. A cell that is split has
 * the mean of its parts. Components of a field are arrays of their own, NAME_x and so on.
 * Compressed in one appended section as vtk.c says. */
#ifndef TRIREME_HTG_H
#define TRIREME_HTG_H

#include "io/array.h"

typedef struct trm_htg {
  int32_t roots[3];            /* blocks of level 0; roots[2] is 1 in two dimensions */
  int dimensions;              /* 2 or 3 */
  int side;                    /* cells of a block along an axis: a power of two */
  double origin[3], width[3];  /* of the first block of level 0: its corner, and its width, m */
  size_t leaf_count;           /* blocks that are not split, in Morton order, x fastest */
  const uint8_t *level;        /* of each leaf */
  const int32_t (*place)[3];   /* and its place among blocks of its level */
  const trm_array *fields;     /* of all leaves' cells (nx), leaf by leaf, x fastest; one, two or
                                * three components each */
  size_t field_count;
  uint64_t step;               /* written as field data STEP */
  double time;                 /* and TimeValue */
} trm_htg;

/* The source has the fields' values. TRM_ERROR_INVALID: leaves that do not make up the roots. */
TRM_API trm_status trm_htg_stream(const char *path, const trm_htg *grid,
                                  const trm_array_source *source);

#endif
