/* levels.h - a flow in three dimensions on blocks of cells of several levels: its members beside
 * the object of lbm3d.h, whose keys, fluid, sides and series it shares. levels.c makes the grid;
 * levels_tables.c, levels_pushes.c and levels_walls.c make the tables for the kernels of
 * lbm3d_levels.k; levels_steps.c makes steps. */
#ifndef TRIREME_LBM3D_LEVELS_H
#define TRIREME_LBM3D_LEVELS_H

#include "io/stl.h"
#include "solvers/framework/forest.h"
#include "solvers/lbm3d/lbm3d.h"
#include "solvers/lbm3d/kernels/lbm3d_levels_constants.h"
#include "solvers/lbm3d/kernels/lbm3d_levels_params.h"

enum { LEVELS_MOST = 8, LEVELS_SLOTS = 16 };

typedef struct levels_range { int first, count; } levels_range;

typedef struct lbm3d_levels {
  trm_forest *forest;
  trm_blocks blocks;           /* the forest's leaves, where fields find them */
  int finest;                  /* level */
  uint64_t lattice_bytes;      /* of both lattices, without what lies beside leaves */
  double *boxes;               /* to refine in: least and largest x, y and z, box by box */
  size_t box_count;
  double wall;                 /* how far from walls; 0: not for them */
  trm_stl_tree *tree;          /* of the surface, for that; NULL: there is none */
  trm_formula *where;          /* NULL, or positive where blocks are split */

  /* Lists sorted by level, and where each level's part lies: leaves; parts of coarser leaves, of
   * the finer level; leaves beside finer ones; leaves at sides. */
  int32_t *near, *order, *ghosts, *prolonged_list, *interfaces, *sided;
  levels_range leaves[LEVELS_MOST + 1], prolonged[LEVELS_MOST + 1], interface[LEVELS_MOST + 1],
    side[LEVELS_MOST + 1];
  levels_range book[LEVELS_MOST + 1]; /* behind all of them in `sided`: those beside finer leaves,
                                       * at openings */
  size_t sided_count;
  levels_range stepped[LEVELS_MOST + 1]; /* the first of `leaves`: not those that rest */
  double *given;               /* velocities of sides' faces, 3 a cell */
  size_t given_count;
  int32_t *pushes;             /* levels_pushes.c: three words and a value each */
  double *push_values;
  size_t push_count;
  levels_range push[LEVELS_MOST + 1];

  /* Bodies and surfaces. scenes: the scene in cells of each level, until links are known. walls,
   * solid: the solid cells, for the kernels and for each cell of the leaves. rests: leaves
   * surrounded by solid leaves, which are not stepped. marked, sheared: the cells of the marks and
   * of the shear of each level. */
  lbm3d_scene scenes[LEVELS_MOST + 1];
  int32_t *walls;
  size_t wall_words;
  uint8_t *solid, *rests;
  levels_range marked[LEVELS_MOST + 1], sheared[LEVELS_MOST + 1];
  lbm3d_levels_params p[LEVELS_MOST + 1];
  trm_buffer *near_buffer, *order_buffer, *ghosts_buffer, *prolonged_buffer, *interfaces_buffer,
    *sided_buffer, *given_buffer, *walls_buffer, *pushes_buffer, *push_values_buffer;
} lbm3d_levels;

/* levels.c. *out stays NULL where the case asks for no blocks. Refused: a box that they do not
 * fill. The grid and its tables, once the fluid is known. */
trm_status lbm3d_levels_read(const trm_config *config, lbm3d_levels **out);
trm_status lbm3d_levels_check(const trm_config *config, const int n[3]);
trm_status lbm3d_levels_plan(lbm3d_solver *flow, const trm_config *config);
void lbm3d_levels_free(lbm3d_levels **levels);
/* The coarsest level at a side of the box. */
int lbm3d_levels_at_side(const lbm3d_levels *levels, int side);

/* levels_tables.c */
trm_status lbm3d_levels_tables(lbm3d_solver *flow);

/* levels_pushes.c. Lists the velocities of walls at changes of level. */
trm_status lbm3d_levels_pushes(lbm3d_solver *flow);

/* levels_walls.c. Before the tables, what is solid: refused where a change of level is too near to
 * it. After them, links and the cells of wall shear. */
trm_status lbm3d_levels_solid(lbm3d_solver *flow, const trm_config *config);
trm_status lbm3d_levels_links(lbm3d_solver *flow);

/* levels_steps.c. The list of buffers; what comes after it: buffers and program. A step,
 * whose sums go to that slot; the state to the first lattice, where fields are; what is derived. */
void lbm3d_levels_size_up(lbm3d_solver *flow);
trm_status lbm3d_levels_set_up(lbm3d_solver *flow, const trm_solver_options *run);
trm_status lbm3d_levels_step(lbm3d_solver *flow, size_t slot);
trm_status lbm3d_levels_sync(lbm3d_solver *flow);
trm_status lbm3d_levels_observe(lbm3d_solver *flow);
/* Where a component of a field of a grid lies; cell updates of a step; traffic. */
void lbm3d_levels_place(const lbm3d_solver *flow, trm_field *field, size_t component);
double lbm3d_levels_updates(const lbm3d_solver *flow);
/* The fraction of the updates of a box that has cells of the finest level everywhere. */
double lbm3d_levels_share(const lbm3d_solver *flow);
void lbm3d_levels_declare_traffic(lbm3d_solver *flow);

#endif
