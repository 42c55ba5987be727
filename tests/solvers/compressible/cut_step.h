/* cut_step.h - bodies of facets that move in a grid of 32^3 cells, and the results of a step's maps
 * for each cell. Failures are those of the harness. */
#ifndef TRIREME_TEST_CUT_STEP_H
#define TRIREME_TEST_CUT_STEP_H

#include "tests/harness.h"

#include "solvers/compressible/bodies/facets.h"
#include "solvers/compressible/kernels/fv_volumes_params.h"

enum { SIDE = 16, LEAVES = 2, N = SIDE * LEAVES, CELLS = N * N * N, BODIES = 2 };

/* A body, where its place is at the begin, and how it moves in the step. rested: it was at rest in
 * the step before, too. */
typedef struct mover {
  fv_facets facets;
  double at[3], by[3], angle[2];
  int is_outside, rested;
} mover;

/* Where bodies without ends of their own end along z, from their place. */
extern const double cut_ends[2];

/* A body of the case's text at a place; sag as fv_facets_of_shape has it. The caller owns the
 * facets. */
mover cut_body(const char *text, double sag, double x, double y, double z);

void cut_move(mover *m, double x, double y, double z);

/* The turn into the body's frame at an end of the step, row by row: about the axis cut_axis. */
void cut_turn(const mover *m, int end, double to[9]);
extern const double cut_axis[3];

/* The maps' results by cell of the grid, x fastest; gas and wall as fv_volumes_params.h has them.
 * Cells that are not listed have no wall. */
typedef struct result {
  int32_t kind[CELLS], body[CELLS];
  double gas[CELLS][FV_GAS_REALS], wall[CELLS][FV_WALL_REALS];
  int listed, count[FV_FOUND_TREE + 1];
  int first[CELLS], parts[CELLS], volumes; /* the first of a cell's control volumes, and how many */
  double volume[CELLS][FV_VOLUME_REALS];   /* by control volume */
  int faces;                               /* face parts, of cells in the order of their list */
  int face_cell[CELLS];                    /* the cell below */
  int32_t join[CELLS][FV_JOIN_INTS];       /* cells by their place in the grid */
  double opening[CELLS][FV_OPENING_REALS];
} result;

/* Buffers on the device that the next step reads; zeros at first. */
typedef struct step_before { trm_buffer *kinds, *gas; } step_before;

void cut_forget(step_before *before);

/* A step. before: of the step before, and of this one afterwards; NULL where none follows. */
void cut_step(trm_device *device, const mover *movers, int count, step_before *before, result *r);

#endif
