/* fv.h - the compressible solver's own object, shared by its files: compressible.c (case, life),
 * start.c (the first state), steps.c (advance), declarations.c. */
#ifndef TRIREME_FV_H
#define TRIREME_FV_H

#include "solvers/framework/forest.h"
#include "solvers/framework/framework.h"
#include "solvers/compressible/mesh/adapt.h"
#include "solvers/compressible/cutcells/cut.h"
#include "solvers/compressible/implicit/dual.h"
#include "solvers/compressible/boundaries/edges.h"
#include "solvers/compressible/kernels/fv_clock.h"
#include "solvers/compressible/kernels/fv_params.h"
#include "solvers/compressible/cutcells/geometry.h"
#include "solvers/compressible/solver/implementations.h"

enum {
  FV_STAGES = 5,
  FV_BATCH_LIMIT = 4096,       /* steps that the series have room for */
  FV_LONGEST = 16,             /* steps of the longest recorded sequence */
  FV_CLOCK_VALUES = 4096,      /* blocks whose rates the clock folds itself */
  FV_FIELDS = 28,
  FV_BEFORE = 8,               /* number of the field of the state a step before, if there is one */
  FV_PROBES = 32,
  FV_PROBED = 5,               /* series of a probe */
  FV_WALL_BUFFERS = 31,
  FV_WALL_STENCILS = 2,        /* of these, what slopes look at, their factors and themselves */
  FV_WALL_WEIGHTS = 3,
  FV_WALL_SLOPES = 4,
  FV_BUFFERS = 80,
  FV_LEVELS = 13
};

typedef struct fv_probe { char name[16]; double at[3]; } fv_probe;

/* The kernels of each program (programs.c): the stage by its flux, blocks (fv_common.k), walls
 * (fv_cut.k), dual time (fv_dual.k). */
enum { FV_NEXT = TRM_FRAMEWORK_KERNELS, FV_PROGRAMS = 4 };
enum { FV_STAGE };
enum { FV_BLOCKS = FV_NEXT,
       FV_BOUNDARY = FV_BLOCKS, FV_RESTRICT, FV_PROLONG, FV_START, FV_MATCH, FV_PEAK, FV_CLOCK,
       FV_OBSERVE, FV_FOLD, FV_INTEGRALS, FV_SOURCE, FV_MOVE, FV_INDICATOR, FV_EDGES, FV_PROBE,
       FV_AVERAGE, FV_AVERAGED, FV_STEEPNESS, FV_BLOCKS_END };
enum { FV_WALLS = 2 * FV_NEXT,
       FV_CUT_STENCIL = FV_WALLS, FV_CUT_SLOPED, FV_CUT_FLUXES, FV_CUT_SUMS, FV_CUT_UPDATE,
       FV_CUT_INTEGRALS, FV_CUT_PARTS, FV_CUT_FORCES, FV_CUT_SURFACE, FV_CUT_INHERIT, FV_CUT_HOLD,
       FV_WALLS_END };
enum { FV_DUAL_TIME = 3 * FV_NEXT,
       FV_BEGIN = FV_DUAL_TIME, FV_NORM, FV_PSEUDO_CLOCK, FV_DUAL_SUMS, FV_DOWN, FV_UP, FV_SOFTEN,
       FV_CUT_DOWN, FV_CUT_REST, FV_CUT_UNITE, FV_DUAL_END };

typedef struct fv_solver {
  trm_solver base;             /* first, as solver.h asks */
  trm_type real_type;
  fv_params p;                 /* of every launch, but for stage, is_last, alpha, values, begins */
  int n[3];                    /* cells; n[2] 1 in two dimensions */
  double origin[3], h;         /* corner and a cell's side, at level 0 */
  int finest;                  /* level */
  double *boxes;               /* to refine in: least and largest x, y and z, box by box */
  double near_wall;            /* and all that is so near to a wall; 0: not */
  double wall_cells;           /* the same in cells of each level */
  size_t box_count, flux_count; /* fluxes that sides at interfaces keep */
  double sides[6][FV_SIDE_VALUES];
  struct {                     /* fv_source.h */
    double number[FV_SOURCE_REALS];
    int is_force, is_sponge;
    int count;                 /* blocks of the grid that they act in */
    trm_buffer *list, *numbers;
  } sources;
  struct {                     /* fv_diagnostics.h */
    fv_probe probe[FV_PROBES];
    char names[FV_PROBES * FV_PROBED][32];
    int count, has_means, is_steep;
    double from;               /* where means begin */
    trm_buffer *list, *means, *averaged, *steep;
  } diagnostics;
  fv_edges edges;              /* what of them is no number */
  double draw[3];              /* FV_DRAW of the clock */
  double end_time;             /* as the clock has it; NaN: not yet */
  double next_dt;              /* of the coming step, or about so; 0: not known */
  double mass, energy;         /* at the start */
  char caution[300];
  int has_integrals;
  trm_forest *forest;
  trm_blocks blocks;           /* the forest's leaves, where fields find them */
  size_t block;                /* cells of a block */
  fv_room room;
  trm_buffer *counts;          /* fv_keep_counts */
  size_t sized;                /* buffers whose size is the grid's: the first of `memory` */
  fv_adaptation adapt;
  fv_dual dual;
  fv_implementation implementation;

  fv_bodies bodies;
  fv_cut_tables *cut;          /* NULL: no bodies, or these: */
  struct fv_volumes_run *volumes; /* cells at walls by redistribution; else NULL */
  struct {                     /* fv_unit.h */
    trm_buffer *cell_of_unit, *stencil_slots, *stencils, *weights, *slopes, *faces, *sizes, *fluxes,
        *forces, *units,
      *joins, *volumes, *fresh, *marks, *scales, *solid, *places, *surface,
      *firsts, *froms, *parts, *tilts, *offs, *held, *chunks, *others, *dt_ratios,
      *renewed, *numbers, *pieces, *members, *centres;
  } walls;
  int is_shown;                /* buffers that only output reads are those of the tables */
  trm_buffer *gas;             /* where bodies move: how much of each cell holds gas */
  double *held;                /* the same of blocks at walls, as the tables list them */
  size_t wall_room[FV_WALL_BUFFERS], other_room; /* elements that they have room for */
  fv_geometry geometry;
  double geometry_time, host_time; /* seconds that tables of moving walls took; by the host */
  double moved_in;             /* length of the step in which walls moved last; 0: in none */
  int has_stencils;            /* factors of slopes are those of the tables */
  int is_filled, is_restored;  /* `gas` has values; they are a checkpoint's */
  uint64_t walled;             /* the grid's version that all of this is of */
  double scales[FV_LEVELS];    /* a level's face, or side in two dimensions */
  char force_names[FV_BODIES * FV_FORCES][24];

  trm_framework_program programs[FV_PROGRAMS]; /* FV_PROGRAM */
  trm_buffer *w[2];            /* u, v, w, rho, T by slot: w[current] is the state */
  trm_buffer *q;               /* rho, rho u, rho v, rho w, rho E */
  trm_buffer *near, *ghosts, *interfaces, *flux; /* fv_clock.h */
  trm_buffer *sums;            /* of several devices' leaves; NULL: where the next state will lie */
  trm_buffer *part, *peaks, *clock, *tally, *series_buffer;
  trm_buffer *series_gathered;  /* of several devices: sums and probes, which one device writes */
  trm_framework_buffer memory[FV_BUFFERS];
  size_t buffer_count;
  trm_framework_stepper stepper;
  int current;

  trm_field fields[FV_FIELDS];
  size_t gas_fields;           /* of these; those of walls follow */
  trm_series series[FV_SERIES + FV_BODIES * FV_FORCES + FV_SUMS + FV_DUAL_SERIES +
                    FV_PROBES * FV_PROBED + 6];
  trm_traffic traffic[7];
  trm_kept kept[3];
  trm_result results[9 + FV_LEVELS];
  char level_names[FV_LEVELS][24];
} fv_solver;

/* A flow in the plane has two. */
static inline int fv_axes(const fv_solver *fv) { return fv->n[2] == 1 ? 2 : 3; }

/* Cells along a block's axes, faces of a block's side. */
static inline int fv_block_side(const fv_solver *fv)
{
  return fv->n[2] == 1 ? FV_FLAT_SIDE : FV_SOLID_SIDE;
}

static inline size_t fv_faces(const fv_solver *fv)
{
  return fv->n[2] == 1 ? FV_FLAT_SIDE : FV_SOLID_SIDE * FV_SOLID_SIDE;
}

#define FV_PROGRAM(fv, kernel) (&(fv)->programs[(kernel) / FV_NEXT])
#define FV_LAUNCH(fv, kernel, groups, ...) \
  TRM_FRAMEWORK_LAUNCH(FV_PROGRAM(fv, kernel), (kernel) % FV_NEXT, groups, 1, &(fv)->p, \
                       __VA_ARGS__)

/* The same where a device of several has the groups of its own leaves. near: bit i where of buffer
 * i the leaves beside are read too. */
#define FV_SHARE(fv, kernel, groups, sharing, ...) \
  trm_framework_program_launch_shared(FV_PROGRAM(fv, kernel), (kernel) % FV_NEXT, groups, \
                                      sharing, &(fv)->p, (trm_buffer *const[]){ __VA_ARGS__ }, \
                                      sizeof((trm_buffer *const[]){ __VA_ARGS__ }) / \
                                        sizeof(trm_buffer *))
#define FV_LEAVES_OF(near_) (&(const trm_sharing){ .each = 1, .adjacent = (near_) })

/* The same on coarser grids too, whose leaves lie by those of the finest grid; at: a buffer of the
 * launch with all values of this grid's cells. */
static inline trm_sharing fv_by_leaves(const fv_solver *fv, uint32_t at, uint32_t near)
{
  if (!fv->dual.rows) return (trm_sharing){ .each = 1, .adjacent = near };
  return (trm_sharing){ .each = (int32_t)(fv->block * FV_VALUES), .counts = at + 1,
                        .adjacent = near };
}

/* The leaf of the finest grid with which a slot goes on parts of a run; the leaf that contains a
 * leaf of the finest grid. */
static inline int32_t fv_row_of(const fv_solver *fv, int32_t slot)
{
  return fv->dual.rows ? fv->dual.rows[slot] : slot;
}

static inline size_t fv_leaf_of(const fv_solver *fv, size_t row)
{
  return fv->dual.leaves ? (size_t)fv->dual.leaves[row] : row;
}

/* programs.c: the programs that the case needs. */
trm_status fv_build_programs(fv_solver *fv, const trm_solver_options *run);
void fv_free_programs(fv_solver *fv);

/* share.c: refuses what several devices cannot share, by name; declares to them what they share.
 * Call fv_share_out again where the grid has changed. fv_share_moves: `count` moves to the next
 * grid. */
int fv_is_shared(const fv_solver *fv);
trm_status fv_check_shared(const fv_solver *fv, const trm_config *config);
trm_status fv_order_shared(fv_solver *fv);
trm_status fv_share_out(fv_solver *fv);
trm_status fv_share_leaves(const fv_solver *fv, trm_buffer *buffer, trm_type type, size_t values);
trm_status fv_share_moves(const fv_solver *fv, const int32_t *list, size_t count,
                          trm_buffer *moves, trm_buffer *to);
/* The number of the derived row whose sources are the leaves with probes, where there are any. */
size_t fv_probed_row(const fv_solver *fv);
/* Series that one of several devices writes alone; the others need not have them. */
trm_buffer *fv_series_of_one(const fv_solver *fv);

/* sides.c: the sides of the case, contradictions refused; their keys are those of FV_SIDE_KEYS. */
trm_status fv_read_sides(fv_solver *fv, const trm_config *config);
int fv_side_is_wall(const fv_solver *fv, int side); /* with friction, or a part of it */
/* Warns of a side whose default, 1, is of other units than the gas at the start. */
void fv_compare_sides(fv_solver *fv, const trm_config *config);

/* edges.c: the formulas that sides.c has read, as lists of operations, and their upload to the
 * device. fv_count_edges: the number of the grid's entries (fv_edges.h). fv_enter_edges: a ghost's
 * entries into `list`; *next are made already. */
trm_status fv_write_formulas(fv_solver *fv, const trm_config *config);
trm_status fv_upload_formulas(const fv_solver *fv);
void fv_free_edges(fv_edges *edges);
void fv_count_edges(fv_solver *fv);
void fv_enter_edges(const fv_solver *fv, const trm_ghost *ghost, int32_t (*list)[FV_EDGE_INTS],
                    size_t *next, int32_t to[3]);

/* sources.c: an acceleration and sponges; after the sides and the bodies. The blocks of the grid
 * that they act in, to the device. Launched after a stage and all that belongs to it. */
trm_status fv_read_sources(fv_solver *fv, const trm_config *config);
trm_status fv_write_sources(fv_solver *fv);
int fv_has_source(const fv_solver *fv, size_t leaf);
trm_status fv_launch_sources(fv_solver *fv);

/* levels.c: where the grid is finer, into `shape`; the tables that say so, to the device; what of
 * them is counted, before there are buffers. */
trm_status fv_read_levels(fv_solver *fv, const trm_config *config, trm_forest_shape *shape);
void fv_count_interfaces(fv_solver *fv);
trm_status fv_write_tables(fv_solver *fv);
int fv_is_fine(const fv_solver *fv, int level, const int32_t place[3]);
int32_t fv_beside_source(const fv_solver *fv, const trm_ghost *ghost, int side);
/* Whether a side of a leaf keeps its flux, and, into *is_coarser, whether for finer ones beyond. */
int fv_keeps_flux(const fv_solver *fv, size_t leaf, int side, int *is_coarser);

/* level_limit.c. fv_check_level_limit: refuses a grid for which there is no room.
 * fv_refuse_level_limit: refuses a forest that could not be made, or has too many blocks, with that
 * status and the last error's text. fv_say_depth: the same after a step, where the grid's buffers
 * had no room. Each names the deepest grid that fits. */
trm_status fv_check_level_limit(const fv_solver *fv, const trm_config *config);
trm_status fv_refuse_level_limit(const fv_solver *fv, const trm_config *config,
                                 const trm_forest_shape *shape, trm_status status);
trm_status fv_say_level_limit(const fv_solver *fv, trm_status status);

/* adapt.c: criteria of mesh.refine and the keys beside it; the first grid, and the next one, after
 * which the step's length is computed again; the grid's data in checkpoints, and a grid from
 * these. */
trm_status fv_read_criterion(fv_solver *fv, const trm_config *config, const char *text,
                             const char **end);
trm_status fv_refuse_twice(const trm_config *config, const char *what); /* named in mesh.refine */
trm_status fv_read_adaptation(fv_solver *fv, const trm_config *config);
trm_status fv_adapt_start(fv_solver *fv, const trm_config *config);
trm_status fv_adapt(fv_solver *fv);
trm_status fv_keep_levels(fv_solver *fv);
trm_status fv_reshape(trm_solver *solver);

/* tagging.c: numbers that fv_indicator tells of a leaf; the next grid by them; NULL: as it is. */
size_t fv_sub_blocks(const fv_solver *fv);
trm_status fv_plan(fv_solver *fv, const double *indicated, trm_forest **next);

/* memory.c: the list of buffers; their making. fv_take_forest: replaces the grid, in larger buffers
 * if need be; tables are those of the new grid, the state is lost. *next becomes NULL. */
void fv_list_buffers(fv_solver *fv);
trm_status fv_allocate(fv_solver *fv);
size_t fv_list_grid(fv_solver *fv); /* buffers of a grid alone, which no one sees, into `memory` */
trm_status fv_take_forest(fv_solver *fv, trm_forest **next);
int fv_has_room(const fv_solver *fv, const trm_forest *next); /* the state, as buffers are */

/* walls.c: bodies in the flow, on the device. fv_list_walls: the buffers for walls, from `list` on;
 * returns their number. Then a stage's work before and after it, and the work of a step. The last
 * functions replace sums over whole cells, in cells of the finest level, by sums over the gas in
 * them. */
trm_status fv_make_walls(fv_solver *fv, const trm_config *config);
int fv_stays_in_body(const fv_solver *fv, size_t leaf); /* in each step of the run */
size_t fv_list_walls(fv_solver *fv, trm_framework_buffer *list);
/* fv_launch_stencils: the stencils of slopes, if tables are new. fv_check_stencils: an error if a
 * unit has no slopes; its state is NaN then. */
trm_status fv_launch_stencils(fv_solver *fv);
trm_status fv_check_stencils(const fv_solver *fv);
trm_status fv_launch_slopes(fv_solver *fv);
/* Writes the values of units at the begin of a step in which walls move into their cells; slopes:
 * of the tables before. */
trm_status fv_launch_heirs(fv_solver *fv, trm_buffer *slopes);
trm_status fv_launch_walls(fv_solver *fv, trm_buffer *given); /* of dual time, else unused */
trm_status fv_update_walls(fv_solver *fv, int begins);
trm_status fv_launch_forces(fv_solver *fv);
trm_status fv_observe_walls(fv_solver *fv);
void fv_declare_forces(fv_solver *fv);
void fv_declare_walls(fv_solver *fv);
/* The field of cells in bodies, behind those of the gas. */
trm_field *fv_declare_solid(fv_solver *fv, trm_buffer *solid);
double fv_now(void); /* motion.c: seconds of a steady clock */
trm_status fv_integrate_walls(fv_solver *fv, trm_buffer *w, trm_buffer *parts);
trm_status fv_sum_beyond_walls(fv_solver *fv, double *mass, double *energy);

/* motion.c: tables for the grid and the bodies as they are; moves: from those of a step ago, which
 * takes dt. Where the grid is another one; where a checkpoint has bodies that move, before the next
 * launch of `start`; for the step that the clock has. */
trm_status fv_make_tables(fv_solver *fv, int moves, double dt);
trm_status fv_renew_walls(fv_solver *fv);
void fv_place_walls(fv_solver *fv, double time);
trm_status fv_move_walls(fv_solver *fv);
double fv_next_time(const fv_solver *fv, const double *clock); /* after the step of the clock */

/* The buffers of lists about walls hold as much as fv->cut counts, or more: those that do not are
 * made anew. */
trm_status fv_grow_walls(fv_solver *fv);

/* geometry.c: the key compressible.cut_cells_on, once bodies are read; the bytes that it needs,
    added;
 * its program and arrays. The lists of a step that takes dt and moves bodies by so much at most;
 * *is_made 0: the host has to make them. fv_fetch_geometry: kinds and contents of cells, from the
 * device's lists, for the host. */
trm_status fv_read_geometry(fv_solver *fv, const trm_config *config);
trm_status fv_count_geometry(fv_solver *fv, uint64_t *bytes);
trm_status fv_build_geometry(fv_solver *fv, const trm_solver_options *run);
trm_status fv_launch_geometry(fv_solver *fv, double most, double dt, int *is_made);
trm_status fv_fetch_geometry(fv_solver *fv);
void fv_free_geometry(fv_solver *fv);

/* volumes_run.c: bodies by compressible.cut_cells = redistribution. The key; contradictions to it,
 * once the others are read; then facets of bodies; then lists for the first state. fv_start_volumes
 * follows fv_start. A step has fv_begin_volumes, then about each stage fv_stage_volumes and
 * fv_update_volumes, after all that acts in blocks fv_show_volumes, and at its end fv_write_forces.
 * In dual time a step has fv_begin_dual_volumes, and each of its sweeps the rest.
 * Of integrals blocks leave out what fv_mark_volumes finds; fv_add_integrals adds volumes. */
trm_status fv_choose_volumes(fv_solver *fv, const trm_config *config);
trm_status fv_check_volumes(const fv_solver *fv, const trm_config *config);
trm_status fv_make_volumes(fv_solver *fv, double end); /* of the run; 0: not known */
trm_status fv_build_volumes(fv_solver *fv, const trm_solver_options *run);
void fv_free_volumes(fv_solver *fv);
trm_status fv_start_volumes(fv_solver *fv);
trm_status fv_begin_dual_volumes(fv_solver *fv);
trm_status fv_begin_volumes(fv_solver *fv);
trm_status fv_stage_volumes(fv_solver *fv);
trm_status fv_update_volumes(fv_solver *fv);
trm_status fv_show_volumes(fv_solver *fv);
trm_status fv_write_forces(fv_solver *fv);
trm_status fv_mark_volumes(fv_solver *fv, trm_buffer *w, trm_buffer *parts);
trm_status fv_add_integrals(fv_solver *fv);

/* volumes_show.c: sums over volumes in place of listed cells; the fields, and their buffers. */
trm_status fv_sum_volumes(fv_solver *fv, double *mass, double *energy);
trm_status fv_observe_volumes(fv_solver *fv);
void fv_declare_volumes(fv_solver *fv);
void fv_place_volumes(fv_solver *fv);
void fv_declare_gaps(fv_solver *fv);
/* For checkpoints: numbers beside the fields, of each step; lists of a step that these are of. */
trm_status fv_keep_volumes(fv_solver *fv);
trm_status fv_reshape_volumes(fv_solver *fv);
/* Another grid (volumes_regrid.c): what volumes hold, before it; their lists on it, with other
 * numbers; what they held, under these. The caller drops it, also after errors. */
typedef struct fv_volumes_held fv_volumes_held;
trm_status fv_hold_volumes(fv_solver *fv, fv_volumes_held **out);
trm_status fv_renew_volumes(fv_solver *fv);
trm_status fv_regain_volumes(fv_solver *fv, const fv_volumes_held *held);
void fv_drop_volumes(fv_volumes_held **held);
/* volumes_memory.c: about the bytes of the lists, added. */
trm_status fv_count_volumes(const fv_solver *fv, uint64_t *bytes);
size_t fv_gap_series(const fv_solver *fv); /* how many, the last of all */

/* integrals.c: sums over the gas as series, where compressible.integrals asks for them; bodies are
 * read by then. Launched after a step, before the clock. */
void fv_read_integrals(fv_solver *fv, const trm_config *config);
trm_status fv_launch_integrals(fv_solver *fv);
void fv_declare_integrals(fv_solver *fv);

/* dual.c: keys of dual time; their contradictions, once all keys are read; its buffers, from `list`
 * on; its part of the clock; a step, which makes cycles until the residual has fallen and waits for
 * that; its declarations. */
trm_status fv_read_dual(fv_solver *fv, const trm_config *config);
trm_status fv_check_dual(const fv_solver *fv, const trm_config *config);
size_t fv_list_dual(fv_solver *fv, trm_framework_buffer *list);
trm_status fv_begin_dual(fv_solver *fv);
trm_status fv_launch_norm(fv_solver *fv);
trm_status fv_launch_cycle(fv_solver *fv);
trm_status fv_advance_dual(fv_solver *fv, double t_end, uint64_t *done);
void fv_account_cycles(fv_solver *fv, int made, int is_over); /* towards a steady flow */
void fv_declare_dual(fv_solver *fv);
void fv_declare_sweeps(fv_solver *fv); /* as traffic */
void fv_declare_cycles(fv_solver *fv); /* results, after steps */

/* multigrid.c: the coarser grids that compressible.multigrid asks for, once the finest grid exists,
 * and their release; their bytes, added; their buffers; the members shared with the finest grid,
 * once it is built; a cycle over them. */
trm_status fv_make_grids(fv_solver *fv, const trm_config *config);
void fv_free_grids(fv_solver *fv);
trm_status fv_count_grids(const fv_solver *fv, uint64_t *bytes);
trm_status fv_allocate_grids(fv_solver *fv);
void fv_share_grids(fv_solver *fv);
trm_status fv_launch_v(fv_solver *fv);

/* transfer.c: a coarser grid's cells at walls, and where the finer grid's gas lies in them
 * (fv_cut_down): `at` the count, then cell by cell, see there. */
typedef struct fv_transfers {
  int32_t *at, *part;
  double *share;
  size_t count, parts;
} fv_transfers;
trm_status fv_make_transfers(const fv_solver *fine, fv_solver *coarse);
void fv_free_transfers(fv_transfers **transfers);

/* implementations.c: faces of a block that a stage computes, including those at its sides and a
 * host's places between rows; compressible.implementation; contradictions to an
 * implementation, once all keys are read; its buffers, from `list` on; its program; its traffic
 * instead of fv_stage's, from operations of a face and of a cell. implementation_lists.c: its
 * tables; faces along an axis, up to whole groups. implementation_launch.c: a stage. */
size_t fv_faces_of_block(const fv_solver *fv);
void fv_read_implementation(fv_solver *fv, const trm_config *config);
trm_status fv_check_implementation(const fv_solver *fv, const trm_config *config);
size_t fv_list_implementation(fv_solver *fv, trm_framework_buffer *list);
trm_status fv_write_implementation(const fv_solver *fv);
size_t fv_faces_along(const fv_solver *fv, int axis);
trm_status fv_build_implementation(fv_solver *fv, const trm_solver_options *run);
trm_status fv_launch_implementation(fv_solver *fv);
void fv_free_implementation(fv_solver *fv);
size_t fv_declare_implementation(fv_solver *fv, double face, double cell);
extern const struct trm_implementations fv_implementations;

/* diagnostics.c: probes, means and schlieren; after bodies and adaptation. Buffers of the grid's
 * size; probes' cells to the device; after a step, before the clock; the field for output. */
trm_status fv_read_diagnostics(fv_solver *fv, const trm_config *config);
size_t fv_probe_series(const fv_solver *fv); /* the first of probes */
size_t fv_list_diagnostics(const fv_solver *fv, const fv_room *room, trm_framework_buffer *to);
/* The leaves with probes, one for each. */
size_t fv_find_probed(const fv_solver *fv, int32_t slots[FV_PROBES]);
trm_status fv_write_probes(const fv_solver *fv);
trm_status fv_launch_diagnostics(fv_solver *fv);
trm_status fv_observe_steepness(fv_solver *fv);
void fv_declare_probes(fv_solver *fv);
void fv_declare_diagnostics(fv_solver *fv);

/* start.c: the case's formulas as means over cells, checked, into q. */
trm_status fv_fill(fv_solver *fv, const trm_config *config);

/* declarations.c; the second points the declared fields at the buffers that hold them now. */
void fv_declare(fv_solver *fv);
void fv_place_fields(fv_solver *fv);
void fv_declare_cells(fv_solver *fv);  /* of a mean step */
size_t fv_counts(const fv_solver *fv); /* numbers that results count since the run began */
trm_status fv_keep_counts(fv_solver *fv);
trm_status fv_restore_counts(fv_solver *fv);
void fv_declare_levels(fv_solver *fv); /* results of a grid that changes */

/* steps.c */
void fv_begin_steps(fv_solver *fv);
trm_status fv_launch_start(fv_solver *fv); /* w and rates from q */
trm_status fv_launch_next(fv_solver *fv); /* the next step's length from the rates */
trm_status fv_launch_clock(fv_solver *fv, int begins); /* fv_clock, fv_pseudo_clock */
trm_status fv_launch_sweep(fv_solver *fv, int measures); /* five stages; fv_norm after the first */
trm_status fv_launch_match(fv_solver *fv, trm_buffer *to); /* fluxes where levels meet */
trm_status fv_set_end(fv_solver *fv, double t_end);
trm_status fv_launch_ghosts(fv_solver *fv); /* what leaves of w[current] look at */
trm_status fv_advance(trm_solver *solver, uint64_t max_steps, double t_end, int sync_state,
                      uint64_t *done);
trm_status fv_account(trm_solver *solver, uint64_t launched, uint64_t *made);

TRM_API extern const trm_solver_type trm_solver_compressible;

#endif
