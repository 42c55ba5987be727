/* kit.h - a solver on a grid, from declarations.
 *
 * For authors of a solver whose state is fields of cells, in two or three dimensions, and whose
 * step is a fixed list of launches. Such a solver declares its keys, fields, launches and series.
 * It writes two functions: one computes the parameters of its kernels, the other gives the first
 * state. docs/solver.md builds three such solvers. From the declarations the kit makes the rest of
 * the table of solver.h:
 *
 * - memory: the need of the case, before anything is allocated and in `trireme run --dry-run`;
 * - the first state with ghosts and padding, converted to the precision of the run;
 * - steps in recorded sequences of 2 to 512, which a host runs as a wavefront; ends of batches, the
 *   end time; the folds of the series; the buffers that swap;
 * - the declarations of solver.h: fields, series, traffic, the result `end_time`;
 * - restore: continuing from the fields of a checkpoint;
 * - a message for each mistake in the declarations, when the solver is created.
 *
 * Parameters: the struct SOLVER_params of the header that the kernels include (params.h). The kit
 * fills in the members that it alone knows, by their names:
 *
 *   FIELD_first, FIELD_row, FIELD_component   the field's layout, in elements: cell (c, x, y, z) is
 *                                             first + c * component + (z * ny + y) * row + x
 *   leaves                                    first leaf of this step, in every array of leaves;
 *                                             row r = z * ny + y writes its leaves from
 *                                             leaves + r * TRM_LEAVES_OF(TRM_NX) on
 *
 * The solver fills the other members, once; they are the same for every step.
 *
 * Parts for solvers that write their own table: memory.h, program.h, stepper.h. */
#ifndef TRIREME_KIT_H
#define TRIREME_KIT_H

#include <math.h>

#include "solvers/framework/memory.h"
#include "solvers/framework/program.h"
#include "solvers/framework/stepper.h"

typedef struct trm_kit trm_kit;

/* The most fields, and the most series, and the most launches of a step. */
enum { TRM_KIT_MOST = 16 };

/* The first value of a cell. `at` is always inside the grid: the kit fills ghost cells. */
typedef double trm_kit_start_fn(const trm_kit *kit, trm_kit_cell at);

/* A field of cells. A kernel reads and writes it as the array NAME; the next state of a field that
 * swaps is NAME'. */
typedef struct trm_kit_field {
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
  trm_kit_start_fn *start;     /* needed unless is_computed */
} trm_kit_field;

/* A launch over all cells. */
typedef struct trm_kit_launch {
  const char *kernel;
  const char *arrays;          /* as the kernel takes them: "temperature temperature' sum" */
  double flops;                /* operations a cell, as trm_traffic counts them */
} trm_kit_launch;

/* One number a step: the leaves that a kernel writes into an array (TRM_FOLD, TRM_FOLD_MAX), folded
 * over the grid. Naming the array here declares it. */
typedef enum trm_kit_fold {
  TRM_KIT_SUM,                 /* the sum over all cells */
  TRM_KIT_MEAN,                /* the sum divided by the number of cells */
  TRM_KIT_INTEGRAL,            /* the sum times a cell's area or volume */
  TRM_KIT_LARGEST              /* the largest value */
} trm_kit_fold;
typedef struct trm_kit_series {
  const char *name, *unit;
  const char *leaves;          /* the array */
  trm_kit_fold fold;
} trm_kit_series;

/* A whole solver, made by TRM_KIT_SOLVER. */
typedef struct trm_kit_plan {
  const trm_solver_type *type;     /* the first five are the macro's */
  const trm_program_source *source;
  const char *params;
  size_t params_bytes;
  int dimensions;

  const char *steps;           /* default of run.steps, used where a solver is run without a case:
                                * "5000" "5000" */
  const char *time_unit;       /* of trm_kit.dt: "s"; NULL: steps are counted */
  size_t own_bytes;            /* of trm_kit.own; 0: the parameters alone */

  /* Fills kit->own, whose first member is the struct of parameters (all zero before), and kit->dt.
   * Checks what a range cannot express. nx, ny, nz and spacing are already set. */
  trm_status (*prepare)(trm_kit *kit, const trm_config *config);

  trm_kit_field fields[TRM_KIT_MOST];
  trm_kit_launch step[TRM_KIT_MOST];    /* launched in this order */
  trm_kit_launch observe[TRM_KIT_MOST]; /* (optional) before fields are read: computed fields that
                                         * no step needs */
  trm_kit_series series[TRM_KIT_MOST];

  void (*release)(trm_kit *kit);        /* (optional) frees what prepare allocated, but not own */
} trm_kit_plan;

/* A run of a solver. */
struct trm_kit {
  trm_solver base;             /* first, as solver.h asks */
  const trm_kit_plan *plan;
  trm_precision precision;
  int nx, ny, nz;              /* nz 1 in two dimensions */
  double spacing[3];           /* a cell's sides; 1 if no key SOLVER.length_x ... is declared */
  double dt;                   /* length of a step; 1 unless prepare sets it */
  void *own;                   /* plan->own_bytes */
  struct trm_kit_inside *inside;
};

/* ---- keys ------------------------------------------------------------------ */

/* The keys of a grid: grid.nx ..., with the given defaults; SOLVER.length_x ..., the sides of the
 * whole grid in the given unit, by default 1, which set trm_kit.spacing. All as strings:
 * TRM_KIT_GRID_2D("heat", "256", "256", "m"). */
#define TRM_KIT_CELLS(axis, count) \
  { "grid.n" axis, TRM_OPTION_INTEGER, "cells", count, 3, 1 << 24, 0, NULL, "cells along " axis }
#define TRM_KIT_LENGTH(solver, axis, unit) \
  { solver ".length_" axis, TRM_OPTION_REAL, unit, "1", 0, NAN, TRM_OPTION_EXCLUSIVE, NULL, \
    "length of the grid along " axis }
#define TRM_KIT_GRID_2D(solver, nx, ny, unit) \
  TRM_KIT_CELLS("x", nx), TRM_KIT_CELLS("y", ny), TRM_KIT_LENGTH(solver, "x", unit), \
  TRM_KIT_LENGTH(solver, "y", unit)
#define TRM_KIT_GRID_3D(solver, nx, ny, nz, unit) \
  TRM_KIT_GRID_2D(solver, nx, ny, unit), TRM_KIT_CELLS("z", nz), TRM_KIT_LENGTH(solver, "z", unit)

/* The key SOLVER.dt, for trm_kit_choose_dt. */
#define TRM_KIT_DT(solver, unit) \
  { solver ".dt", TRM_OPTION_REAL, unit, "0", 0, NAN, 0, NULL, \
    "length of a step; 0: 0.9 of the longest stable one" }

/* For prepare: sets kit->dt to the key SOLVER.dt, or to 0.9 of the longest stable step if the key
 * is 0; TRM_ERROR_INPUT if the key is greater than the longest stable step. */
TRM_API trm_status trm_kit_choose_dt(trm_kit *kit, const trm_config *config, double longest);

/* ---- the solver's table ------------------------------------------------------ */

/* Defines trm_solver_NAME for kernels in NAME.k, whose parameters are the struct NAME_params:
 *
 *   TRM_KIT_SOLVER(heat, 2, "heat in a plate", options, .prepare = prepare, .fields = ...)
 *
 * name; dimensions, 2 or 3; summary, one line; options, an array; then members of
 * trm_kit_plan. */
#define TRM_KIT_SOLVER(name_, dimensions_, summary_, options_, ...) \
  TRM_KIT_SOURCE(name_, #name_ ".k"); \
  TRM_API extern const trm_solver_type trm_solver_##name_; \
  static const trm_kit_plan name_##_plan = { \
    &trm_solver_##name_, &name_##_source, #name_ "_params", sizeof(name_##_params), dimensions_, \
    __VA_ARGS__ \
  }; \
  static trm_status name_##_configure(trm_config *config, size_t count, const char *const *files) \
  { \
    (void)count, (void)files; \
    return trm_kit_configure(&name_##_plan, config); \
  } \
  static trm_status name_##_create(trm_device *device, const trm_config *config, \
                                   const trm_solver_options *run, trm_solver **out) \
  { \
    return trm_kit_create(&name_##_plan, device, config, run, out); \
  } \
  static trm_status name_##_memory(trm_device *device, const trm_config *config, \
                                   const trm_solver_options *run, uint64_t *bytes) \
  { \
    return trm_kit_memory(&name_##_plan, device, config, run, bytes); \
  } \
  const trm_solver_type trm_solver_##name_ = { \
    .abi = TRM_SOLVER_ABI, .bytes = sizeof(trm_solver_type), .name = #name_, \
    .summary = summary_, .update_name = "cell updates", .options = options_, \
    .option_count = sizeof options_ / sizeof options_[0], .configure = name_##_configure, \
    .create = name_##_create, .advance = trm_kit_advance, .observe = trm_kit_observe, \
    .finish = trm_kit_finish, .destroy = trm_kit_destroy, .memory = name_##_memory, \
    .restore = trm_kit_restore, \
    .size_keys = dimensions_ == 3 ? "grid.nx,grid.ny,grid.nz" : "grid.nx,grid.ny" \
  }

/* The functions in the table; a solver that writes its own table may use them too. */
TRM_API trm_status trm_kit_configure(const trm_kit_plan *plan, trm_config *config);
TRM_API trm_status trm_kit_create(const trm_kit_plan *plan, trm_device *device,
                                  const trm_config *config, const trm_solver_options *run,
                                  trm_solver **out);
TRM_API trm_status trm_kit_memory(const trm_kit_plan *plan, trm_device *device,
                                  const trm_config *config, const trm_solver_options *run,
                                  uint64_t *bytes);
TRM_API trm_status trm_kit_advance(trm_solver *solver, uint64_t max_steps, double t_end, int settle,
                                   uint64_t *done);
TRM_API trm_status trm_kit_observe(trm_solver *solver);
TRM_API trm_status trm_kit_finish(trm_solver *solver, const double *series_last);
TRM_API trm_status trm_kit_restore(trm_solver *solver, uint64_t step, double time);
TRM_API void trm_kit_destroy(trm_solver **solver);

#endif
