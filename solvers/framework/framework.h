/* framework.h - a solver on a grid, from declarations.
 *
 * For authors of a solver whose state is fields of cells, in two or three dimensions, and whose
 * step is a fixed list of launches. Such a solver declares its keys, fields, launches and series.
 * It writes two functions: one computes the parameters of its kernels, the other gives the first
 * state. docs/solver.md builds three such solvers. From the declarations the framework makes the
 * rest of the table of solver.h:
 *
 * - memory: the need of the case, before anything is allocated and in `trireme run --dry-run`;
 * - the first state with ghosts and padding, converted to the precision of the run;
 * - steps in recorded sequences of 2 to 512, which a host runs as a wavefront; ends of batches, the
 *   end time; the folds of the series; the buffers that swap;
 * - the declarations of solver.h: fields, series, traffic, the result `end_time`;
 * - restore: continuing from the fields of a checkpoint;
 * - a message for each mistake in the declarations, when the solver is created.
 *
 * Parameters: the struct SOLVER_params of the header that the kernels include (params.h). The
 * framework fills in the members that it alone knows, by their names:
 *
 *   FIELD_first, FIELD_row, FIELD_component   the field's layout, in elements: cell (c, x, y, z) is
 *                                             first + c * component + (z * ny + y) * row + x
 *   leaves                                    first leaf of this step, in every array of leaves;
 *                                             row r = z * ny + y writes its leaves from
 *                                             leaves + r * TRM_LEAVES_OF(TRM_NX) on
 *
 * The solver fills the other members, once; they are the same for every step.
 *
 * A run on several devices of one process has a solver on each device. Threads call them at one
 * time, so a solver keeps what changes in `own`, and in no static variable.
 *
 * Parts for solvers that write their own table: memory.h, program.h, stepper.h. */
#ifndef TRIREME_FRAMEWORK_H
#define TRIREME_FRAMEWORK_H

#include <math.h>

#include "solvers/framework/memory.h"
#include "solvers/framework/program.h"
#include "solvers/framework/stepper.h"

typedef struct trm_grid_solver trm_grid_solver;

/* The most fields, and the most series, and the most launches of a step. */
enum { TRM_FRAMEWORK_MOST = 16 };

/* The first value of a cell. `at` is always inside the grid: the framework fills ghost cells. */
typedef double trm_framework_start_fn(const trm_grid_solver *grid, trm_framework_cell at);

/* A field of cells. A kernel reads and writes it as the array NAME; the next state of a field that
 * swaps is NAME'. */
typedef struct trm_framework_field {
  const char *name, *unit, *help;
  int components;              /* 0: one */
  int swaps;                   /* 1: two buffers, which change places after each step */
  int is_flags;                /* 1: bytes, 0 or 1 (TRM_FLAGS), not reals */
  unsigned flags;              /* TRM_FIELD_STATE if the next step is computed from it, or one of
                                * the two parts of TRM_FIELD_STATE; 0: derived, or constant */
  int in_picture;              /* as in trm_field */
  double middle;               /* as in trm_field */
  int is_computed;             /* 1: needs no start, begins as 0; a launch writes it. If its next
                                * value depends on the last one, set TRM_FIELD_KEPT, too */
  trm_framework_start_fn *start; /* needed unless is_computed */
} trm_framework_field;

/* A launch over all cells; of a group kernel over the groups of each row: TRM_GROUP2(gx, gy) are
 * the cells from gx * TRM_GROUP on of row gy, and grid.nx must be a multiple of TRM_GROUP. */
typedef struct trm_framework_launch {
  const char *kernel;
  const char *arrays;          /* as the kernel takes them: "temperature temperature' sum" */
  double flops;                /* operations a cell, as trm_traffic counts them */
} trm_framework_launch;

/* One number a step: the leaves that a kernel writes into an array (TRM_FOLD, TRM_FOLD_MAX), folded
 * over the grid. Naming the array here declares it. */
typedef enum trm_framework_fold {
  TRM_FRAMEWORK_SUM,           /* the sum over all cells */
  TRM_FRAMEWORK_MEAN,          /* the sum divided by the number of cells */
  TRM_FRAMEWORK_INTEGRAL,      /* the sum times a cell's area or volume */
  TRM_FRAMEWORK_LARGEST        /* the largest value */
} trm_framework_fold;
typedef struct trm_framework_series {
  const char *name, *unit;
  const char *leaves;          /* the array */
  trm_framework_fold fold;
} trm_framework_series;

/* A whole solver, made by TRM_FRAMEWORK_SOLVER. */
typedef struct trm_framework_declaration {
  const trm_solver_type *type;     /* the first five are the macro's */
  const trm_program_source *source;
  const char *params;
  size_t params_bytes;
  int dimensions;

  const char *steps;           /* default of run.steps, used where a solver is run without a case:
                                * "5000" */
  const char *time_unit;       /* of trm_grid_solver.dt: "s"; NULL: steps are counted */
  size_t own_bytes;            /* of trm_grid_solver.own; 0: the parameters alone */

  /* Fills grid->own, whose first member is the struct of parameters (all zero before), and
   * grid->dt. Checks what a range cannot express. nx, ny, nz and spacing are already set. */
  trm_status (*prepare)(trm_grid_solver *grid, const trm_config *config);

  trm_framework_field fields[TRM_FRAMEWORK_MOST];
  trm_framework_launch step[TRM_FRAMEWORK_MOST]; /* launched in this order */
  trm_framework_launch observe[TRM_FRAMEWORK_MOST]; /* (optional) before fields are read:
                                                     * computed fields that no step needs */
  trm_framework_series series[TRM_FRAMEWORK_MOST];

  void (*release)(trm_grid_solver *grid); /* (optional) frees what prepare allocated, but not own */
} trm_framework_declaration;

/* A run of a solver. */
struct trm_grid_solver {
  trm_solver base;             /* first, as solver.h asks */
  const trm_framework_declaration *declaration;
  trm_precision precision;
  int nx, ny, nz;              /* nz 1 in two dimensions */
  double spacing[3];           /* a cell's sides; 1 if no key SOLVER.length_x ... is declared */
  double dt;                   /* length of a step; 1 unless prepare sets it */
  void *own;                   /* plan->own_bytes */
  struct trm_framework_internal *internal;
};

/* ---- keys ------------------------------------------------------------------ */

/* The keys of a grid: grid.nx ..., with the given defaults; SOLVER.length_x ..., the sides of the
 * whole grid in the given unit, by default 1, which set trm_grid_solver.spacing. All as strings:
 * TRM_FRAMEWORK_GRID_2D("heat", "256", "256", "m"). */
#define TRM_FRAMEWORK_CELLS(axis, count) \
  { "grid.n" axis, TRM_OPTION_INTEGER, "cells", count, 3, 1 << 24, 0, NULL, "cells along " axis }
#define TRM_FRAMEWORK_LENGTH(solver, axis, unit) \
  { solver ".length_" axis, TRM_OPTION_REAL, unit, "1", 0, NAN, TRM_OPTION_EXCLUSIVE, NULL, \
    "length of the grid along " axis }
#define TRM_FRAMEWORK_GRID_2D(solver, nx, ny, unit) \
  TRM_FRAMEWORK_CELLS("x", nx), TRM_FRAMEWORK_CELLS("y", ny), \
  TRM_FRAMEWORK_LENGTH(solver, "x", unit), TRM_FRAMEWORK_LENGTH(solver, "y", unit)
#define TRM_FRAMEWORK_GRID_3D(solver, nx, ny, nz, unit) \
  TRM_FRAMEWORK_GRID_2D(solver, nx, ny, unit), TRM_FRAMEWORK_CELLS("z", nz), \
  TRM_FRAMEWORK_LENGTH(solver, "z", unit)

/* The key SOLVER.dt, for trm_framework_choose_dt. */
#define TRM_FRAMEWORK_DT(solver, unit) \
  { solver ".dt", TRM_OPTION_REAL, unit, "0", 0, NAN, 0, NULL, \
    "length of a step; 0: 0.9 of the longest stable one" }

/* For prepare: sets grid->dt to the key SOLVER.dt, or to 0.9 of the longest stable step if the key
 * is 0; TRM_ERROR_INPUT if the key is greater than the longest stable step. */
TRM_API trm_status trm_framework_choose_dt(trm_grid_solver *grid, const trm_config *config,
                                           double longest);

/* ---- the solver's table ------------------------------------------------------ */

/* Defines trm_solver_NAME for kernels in NAME.k, whose parameters are the struct NAME_params:
 *
 *   TRM_FRAMEWORK_SOLVER(heat, 2, "heat in a plate", options, .prepare = prepare, .fields = ...)
 *
 * name; dimensions, 2 or 3; summary, one line; options, an array; then members of
 * trm_framework_declaration. */
#define TRM_FRAMEWORK_SOLVER(name_, dimensions_, summary_, options_, ...) \
  TRM_FRAMEWORK_SOURCE(name_, #name_ ".k"); \
  TRM_API extern const trm_solver_type trm_solver_##name_; \
  static const trm_framework_declaration name_##_declaration = { \
    &trm_solver_##name_, &name_##_source, #name_ "_params", sizeof(name_##_params), dimensions_, \
    __VA_ARGS__ \
  }; \
  static trm_status name_##_configure(trm_config *config, size_t count, const char *const *files) \
  { \
    (void)count, (void)files; \
    return trm_framework_configure(&name_##_declaration, config); \
  } \
  static trm_status name_##_create(trm_device *device, const trm_config *config, \
                                   const trm_solver_options *run, trm_solver **out) \
  { \
    return trm_framework_create(&name_##_declaration, device, config, run, out); \
  } \
  static trm_status name_##_memory(trm_device *device, const trm_config *config, \
                                   const trm_solver_options *run, uint64_t *bytes) \
  { \
    return trm_framework_memory(&name_##_declaration, device, config, run, bytes); \
  } \
  const trm_solver_type trm_solver_##name_ = { \
    .abi = TRM_SOLVER_ABI, .bytes = sizeof(trm_solver_type), .name = #name_, \
    .summary = summary_, .update_name = "cell updates", .options = options_, \
    .option_count = sizeof options_ / sizeof options_[0], .configure = name_##_configure, \
    .create = name_##_create, .advance = trm_framework_advance, .observe = trm_framework_observe, \
    .finish = trm_framework_finish, .destroy = trm_framework_destroy, .memory = name_##_memory, \
    .restore = trm_framework_restore, \
    .size_keys = dimensions_ == 3 ? "grid.nx,grid.ny,grid.nz" : "grid.nx,grid.ny" \
  }

/* The functions in the table; a solver that writes its own table may use them too. */
TRM_API trm_status trm_framework_configure(const trm_framework_declaration *declaration,
                                           trm_config *config);
TRM_API trm_status trm_framework_create(const trm_framework_declaration *declaration,
                                        trm_device *device, const trm_config *config,
                                        const trm_solver_options *run, trm_solver **out);
TRM_API trm_status trm_framework_memory(const trm_framework_declaration *declaration,
                                        trm_device *device, const trm_config *config,
                                        const trm_solver_options *run, uint64_t *bytes);
TRM_API trm_status trm_framework_advance(trm_solver *solver, uint64_t max_steps, double t_end,
                                         int sync_state, uint64_t *done);
TRM_API trm_status trm_framework_observe(trm_solver *solver);
TRM_API trm_status trm_framework_finish(trm_solver *solver, const double *series_last);
TRM_API trm_status trm_framework_restore(trm_solver *solver, uint64_t step, double time);
TRM_API void trm_framework_destroy(trm_solver **solver);

#endif
