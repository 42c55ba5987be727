/* fv.h - the compressible solver's own object, shared by its files: compressible.c (options, life),
 * start.c (the first state), steps.c (advance), declarations.c. */
#ifndef TRIREME_FV_H
#define TRIREME_FV_H

#include "solvers/kit/forest.h"
#include "solvers/kit/kit.h"
#include "solvers/fv/fv_clock.h"
#include "solvers/fv/fv_params.h"

enum {
  FV_STAGES = 5,
  FV_BATCH_LIMIT = 4096,       /* steps that the series have room for */
  FV_LONGEST = 16,             /* steps of the longest recorded sequence */
  FV_CLOCK_VALUES = 4096,      /* blocks whose rates the clock folds itself */
  FV_FIELDS = 9,
  FV_BUFFERS = 12
};

typedef struct fv_solver {
  trm_solver base;             /* first, as solver.h asks */
  trm_type real_type;
  fv_params p;                 /* of every launch, but for stage, is_last, alpha, values, begins */
  int n[3];                    /* cells; n[2] 1 in two dimensions */
  double origin[3], h;         /* corner and a cell's side, at level 0 */
  int finest;                  /* level */
  double *boxes;               /* to refine in: least and largest x, y and z, box by box */
  size_t box_count, flux_count; /* fluxes that sides at jumps keep */
  double sides[6][FV_SIDE_VALUES];
  char variant[24];            /* of the kernels (fv_clock.h); "": none */
  double end_time;             /* as the clock has it; NaN: not yet */
  double mass, energy;         /* at the start */
  trm_forest *forest;
  size_t block;                /* cells of a block */

  trm_kit_program program;
  trm_buffer *w[2];            /* u, v, w, rho, T by slot: w[current] is the state */
  trm_buffer *q;               /* rho, rho u, rho v, rho w, rho E */
  trm_buffer *near, *ghosts, *jumps, *flux; /* fv_clock.h */
  trm_buffer *part, *peaks, *clock, *tally, *series_buffer;
  trm_kit_buffer memory[FV_BUFFERS];
  trm_kit_stepper stepper;
  int current;

  trm_field fields[FV_FIELDS];
  trm_series series[FV_SERIES];
  trm_traffic traffic[2];
  trm_result results[3];
} fv_solver;

/* The kernels, as they are numbered in `program`. */
enum { FV_STAGE, FV_START, FV_SHELL, FV_MEAN, FV_LINE, FV_MATCH, FV_PEAK, FV_CLOCK, FV_OBSERVE };
#define FV_LAUNCH(fv, kernel, groups, ...) \
  TRM_KIT_LAUNCH(&(fv)->program, kernel, groups, 1, &(fv)->p, __VA_ARGS__)

/* sides.c: the sides of the case, contradictions refused; their keys are those of FV_SIDE_KEYS. */
trm_status fv_read_sides(fv_solver *fv, const trm_config *config);

/* levels.c: where the grid is finer, into `shape`; the tables that say so, to the device; what of
 * them is counted, before there are buffers. */
trm_status fv_read_levels(fv_solver *fv, const trm_config *config, trm_forest_shape *shape);
void fv_count_jumps(fv_solver *fv);
trm_status fv_write_tables(fv_solver *fv);

/* start.c: the case's formulas as means over cells, checked, into q. */
trm_status fv_fill(fv_solver *fv, const trm_config *config);

/* declarations.c; the second points the declared fields at the buffers that hold them now. */
void fv_declare(fv_solver *fv);
void fv_place_fields(fv_solver *fv);

/* steps.c */
void fv_begin_steps(fv_solver *fv);
trm_status fv_launch_start(fv_solver *fv); /* w and rates from q */
trm_status fv_launch_ghosts(fv_solver *fv); /* what leaves of w[current] look at */
trm_status fv_advance(trm_solver *solver, uint64_t max_steps, double t_end, int settle,
                      uint64_t *done);
trm_status fv_account(trm_solver *solver, uint64_t launched, uint64_t *made);

extern const trm_solver_type trm_solver_compressible;

#endif
