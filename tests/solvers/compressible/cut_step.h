/* cut_step.h - bodies of facets that move in a grid of N^3 cells, and the results of a step's maps
 * for each cell. Failures are those of the harness. A test that is compiled for the variant `flat`
 * has one layer of cells. */
#ifndef TRIREME_TEST_CUT_STEP_H
#define TRIREME_TEST_CUT_STEP_H

#include "tests/harness.h"

#include "solvers/compressible/bodies/facets.h"
#include "solvers/compressible/cutcells/volumes_launch.h"
#include "solvers/compressible/kernels/fv_clock.h"

#ifndef CUT_SIDE
#define CUT_SIDE 16            /* cells of a leaf; a test may be compiled with another number */
#endif
#ifndef CUT_LEAVES
#define CUT_LEAVES 2           /* along each axis */
#endif
enum { SIDE = CUT_SIDE, LEAVES = CUT_LEAVES, N = SIDE * LEAVES, BODIES = 4 };
enum { SIDE_Z = FV_IS_FLAT ? 1 : SIDE, LEAVES_Z = FV_IS_FLAT ? 1 : LEAVES };
enum { LEAF = SIDE * SIDE * SIDE_Z, CELLS = N * N * SIDE_Z * LEAVES_Z };
enum { VOLUMES = CELLS + 4096, FACES = 3 * VOLUMES, TREES = 4096 }; /* at most */

/* A body, where its place is at the begin, and how it moves in the step. rested: it was at rest in
 * the step before, too. bulge: see fv_facets_bulge; at 0 each cell is asked. grips: its walls hold
 * the gas fast. */
typedef struct mover {
  fv_facets facets;
  double at[3], by[3], angle[2];
  double heat;                 /* gamma p / rho of its walls; 0: adiabatic */
  int is_outside, rested, bulge, grips;
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

/* A cell of the leaves, in the grid's order. */
int cut_cell_of(int i);

/* The maps' results by cell of the grid, x fastest, as fv_volumes_params.h has them. */
typedef struct result {
  int32_t kind[CELLS];
  double gas[CELLS][FV_GAS_REALS];
  int listed, count[FV_FOUND_TREE + 1];
  int first[CELLS], parts[CELLS], volumes; /* the first of a cell's control volumes, and how many */
  int cell[VOLUMES];                       /* by control volume, also the next ones */
  double volume[VOLUMES][FV_VOLUME_REALS];
  int32_t body[VOLUMES];
  double wall[VOLUMES][FV_WALL_REALS], hood[VOLUMES][FV_HOOD_REALS];
  int32_t near[VOLUMES][FV_NEAR_LIST_INTS]; /* volumes, and behind them outer cells */
  int outers, outer[CELLS];                /* outer cells */
  int faces;                               /* face parts, of cells in the order of their list */
  int face_cell[FACES];                    /* the cell below */
  int32_t join[FACES][FV_JOIN_INTS];       /* cells by their place in the grid */
  double opening[FACES][FV_OPENING_REALS], share[FACES][FV_SHARE_REALS];
  int trees, tree[CELLS];                  /* cells of trees, and a cell's number among these, -1 */
  int nodes;
  int32_t owner[TREES][FV_TREE_WALLS][FV_OWNER_INTS]; /* of the tree's walls */
  double tree_wall[TREES][FV_TREE_WALLS][FV_WALL_REALS];
} result;

/* Lists that are kept from step to step. */
typedef struct cut_run { fv_volumes lists; } cut_run;

/* is_whole: the grid is periodic, and all of its gas is listed. */
cut_run cut_open(trm_device *device, int is_whole);
void cut_close(cut_run *run);

/* No step goes before the next one. cut_repeat: nor that, and the grid is periodic. */
void cut_restart(cut_run *run);
void cut_repeat(cut_run *run);

/* Makes the lists of a step. */
trm_status cut_try(cut_run *run, const mover *movers, int count);
void cut_make(cut_run *run, const mover *movers, int count);
void cut_read(const cut_run *run, result *r);

trm_buffer *cut_buffer(trm_device *device, size_t bytes);

/* A step of its own. */
void cut_step(trm_device *device, const mover *movers, int count, result *r);

#endif
