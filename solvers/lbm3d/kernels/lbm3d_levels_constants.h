/* lbm3d_levels_constants.h - numbers that the kernels of lbm3d_levels.k and the host share. */
#ifndef TRIREME_LBM3D_LEVELS_CONSTANTS_H
#define TRIREME_LBM3D_LEVELS_CONSTANTS_H

/* Cells of a block along each axis: 8 or 16, with the same bits (a test: lbm3d_block_sides.sh). */
#define LEVELS_SIDE 8
#define LEVELS_BITS (LEVELS_SIDE == 8 ? 3 : 4)
#define LEVELS_FACE_CELLS (LEVELS_SIDE * LEVELS_SIDE)
#define LEVELS_CELLS (LEVELS_SIDE * LEVELS_SIDE * LEVELS_SIDE)
#if LEVELS_SIDE != 8 && LEVELS_SIDE != 16
#error "blocks have 8 or 16 cells a side"
#endif

/* Cell i of a block lies at x, y, z; i itself; of a list's site, slot LEVELS_CELLS + i, both. */
#define LEVELS_IN(x) ((x) & (LEVELS_SIDE - 1))
#define LEVELS_X(i) LEVELS_IN(i)
#define LEVELS_Y(i) LEVELS_IN((i) >> LEVELS_BITS)
#define LEVELS_Z(i) ((i) >> 2 * LEVELS_BITS)
#define LEVELS_CELL(x, y, z) \
  ((LEVELS_IN(z) * LEVELS_SIDE + LEVELS_IN(y)) * LEVELS_SIDE + LEVELS_IN(x))
#define LEVELS_SLOT(site) ((site) >> 3 * LEVELS_BITS)
#define LEVELS_PLACE_IN(site) ((site) & (LEVELS_CELLS - 1))

/* Sums over a leaf or its face are over cubes and squares of 8 cells a side, in Morton order, so
 * that they do not depend on the leaf's side. The macros give their number, and the place of a cell
 * among the folded values: cell by cell of a cube, cube after cube. */
#define LEVELS_SUMS (LEVELS_CELLS / 512)
#define LEVELS_FACE_SUMS (LEVELS_FACE_CELLS / 64)
#if LEVELS_SIDE == 8
#define LEVELS_SUMMED(i) (i)
#define LEVELS_FACE_SUMMED(i) (i)
#else
#define LEVELS_SUMMED(i) \
  ((((LEVELS_Z(i) & 7) * 8 + (LEVELS_Y(i) & 7)) * 8 + ((i) & 7)) * LEVELS_SUMS + \
   (((i) >> 3 & 1) | (LEVELS_Y(i) >> 3) << 1 | (LEVELS_Z(i) >> 3) << 2))
#define LEVELS_FACE_SUMMED(i) \
  ((((i) >> LEVELS_BITS & 7) * 8 + ((i) & 7)) * LEVELS_FACE_SUMS + \
   (((i) >> 3 & 1) | (i) >> LEVELS_BITS >> 3 << 1))
#endif

/* For the leaf in a slot: the 27 slots about it, and its number in the order of leaves, which is
 * the place of its share of a sum. */
#define LEVELS_NUMBER 27
#define LEVELS_NEAR_INTS 28

/* For a ghost, by its slot less the number of leaves: its kind (trm_ghost_kind). A mean has its
 * eight children behind it, a block beyond a side LEVELS_IS_WALL or LEVELS_IS_OPEN. */
#define LEVELS_GHOST_INTS 9
#define LEVELS_LEAF (-1)
#define LEVELS_RESTRICTED 0
#define LEVELS_PROLONGED 1
#define LEVELS_BOUNDARY 2      /* beyond a side; beside a part of a coarser leaf it is one more */

/* For a part of a coarser leaf (TRM_GHOST_PROLONGED): its slot; the leaf's slot; its half by axis;
 * the cells from and to; the 27 blocks of its own level about it: a leaf's slot, or one of
 * these. */
#define LEVELS_PROLONGED_SOURCE 1
#define LEVELS_PROLONGED_PART 2
#define LEVELS_PROLONGED_FROM 5
#define LEVELS_PROLONGED_TO 8
#define LEVELS_PROLONGED_NEAR 11
#define LEVELS_PROLONGED_INTS 38
#define LEVELS_IS_COARSER (-1)
#define LEVELS_IS_WALL (-2)    /* beyond a side; the first of two where two meet */
#define LEVELS_IS_OPEN (-3)    /* and lets out at a given density */
#define LEVELS_IS_OPENING(ghosts, slot, leaves) \
  ((slot) >= (leaves) && \
   (ghosts)[(trm_index)((slot) - (leaves)) * LEVELS_GHOST_INTS] >= LEVELS_BOUNDARY && \
   (ghosts)[(trm_index)((slot) - (leaves)) * LEVELS_GHOST_INTS + 1] == LEVELS_IS_OPEN)

/* For a leaf's face: velocities of the side where links cross it, at every half cell, the face's
 * edges included. */
#define LEVELS_CROSSINGS (2 * LEVELS_SIDE + 1)

/* An entry of levels_pushes.c: a site, a population, and the site of the cell with whose density it
 * is pushed, -1: as given. LEVELS_PUSH_RETURNS: a finer cell will get it at its second step. */
#define LEVELS_PUSH_INTS 3
#define LEVELS_PUSH_K 255
#define LEVELS_PUSH_RETURNS 256

/* For a leaf at sides: its slot; for each side the first of its face's velocities, -1: the leaf is
 * not there; and its first place among fluxes, -1: none. */
#define LEVELS_FACE 1
#define LEVELS_PLACE 7
#define LEVELS_SIDED_INTS 13

/* The solid cells of a leaf: walls[slot] is the place in `walls` where a bit of each cell begins;
 * 0: no cell is solid. */
#define LEVELS_IS_SOLID(walls, slot, cell) \
  ((walls)[slot] > 0 && ((walls)[(walls)[slot] + ((cell) >> 5)] >> ((cell) & 31) & 1))

/* As lbm3d_kind has them. */
#define LEVELS_OUTFLOW 1
#define LEVELS_INFLOW 3

#endif
