/* lbm3d_levels_constants.h - numbers that the kernels of lbm3d_levels.k and the host share. */
#ifndef TRIREME_LBM3D_LEVELS_CONSTANTS_H
#define TRIREME_LBM3D_LEVELS_CONSTANTS_H

#define LEVELS_SIDE 8          /* cells of a block along each axis */
#define LEVELS_CELLS 512

/* Of the leaf in a slot: the 27 slots about it, and its number in the order of leaves, where what
 * it adds to a sum lies. */
#define LEVELS_NUMBER 27
#define LEVELS_NEAR_INTS 28

/* Of a ghost, by its slot less the leaves: its kind (trm_ghost_kind), and of a mean its eight
 * children. */
#define LEVELS_GHOST_INTS 9
#define LEVELS_LEAF (-1)
#define LEVELS_MEAN 0
#define LEVELS_LINE 1

/* Of a part of a coarser leaf (TRM_GHOST_LINE): slot, that leaf's, which half by axis, cells from
 * and to, and the 27 blocks of its own level about it: a leaf's slot, or one of these. */
#define LEVELS_LINE_SOURCE 1
#define LEVELS_LINE_PART 2
#define LEVELS_LINE_FROM 5
#define LEVELS_LINE_TO 8
#define LEVELS_LINE_NEAR 11
#define LEVELS_LINE_INTS 38
#define LEVELS_IS_COARSER (-1)
#define LEVELS_IS_WALL (-2)    /* beyond a side; the first of two where two meet */
#define LEVELS_IS_OPEN (-3)

/* Of a leaf at sides: its slot; of each side the first of its face's velocities, -1: the leaf is
 * not there; and its place among fluxes, -1: none. */
#define LEVELS_FACE 1
#define LEVELS_PLACE 7
#define LEVELS_SIDED_INTS 13

/* What is solid of the cells of a leaf: walls[slot] is where its 512 bits begin in `walls`, 16
 * words; 0: none is. */
#define LEVELS_IS_SOLID(walls, slot, cell) \
  ((walls)[slot] > 0 && ((walls)[(walls)[slot] + ((cell) >> 5)] >> ((cell) & 31) & 1))

/* As lbm3d_kind has them. */
#define LEVELS_OUTFLOW 1
#define LEVELS_INFLOW 3

#endif
