/* lbm.h - the lattice-Boltzmann solver's own object, shared by its files:
 * lbm.c (options, life, declarations), steps.c (advance), bristol.c (the course's files). */
#ifndef TRIREME_LBM_H
#define TRIREME_LBM_H

#include "solvers/solver.h"

/* The kernels' parameters as each precision lays them out. */
#define real float
#define lbm_params lbm_params_f32
#include "solvers/lbm/driven/lbm_params.h"
#undef real
#undef lbm_params
#define real double
#define lbm_params lbm_params_f64
#include "solvers/lbm/driven/lbm_params.h"
#undef real
#undef lbm_params

enum {
  LBM_POPULATIONS = 9,
  LBM_SLOTS = 64,            /* steps whose partial sums wait to be folded by one launch, at most */
  LBM_SEQUENCES = 7,         /* recorded lengths 2, 4, ... 128 = 2 * LBM_SLOTS */
  LBM_BATCH_LIMIT = 65536,   /* steps whose mean speeds fit the series' buffer */
  LBM_DERIVED = 4            /* components that lbm_observe writes: u_x, u_y, speed, pressure */
};

typedef struct lbm_solver {
  trm_solver base;           /* first, as solver.h asks */
  trm_precision precision;
  int nx, ny;
  int leaves;                /* partial sums of a step: leaves of a row times rows */
  int slots;                 /* rows of `partial`, <= LBM_SLOTS, even */
  double density, accel, omega, reynolds_dim;
  size_t fluid_cells;
  trm_layout layout, solid_layout, walls_layout;

  trm_program *program;
  trm_kernel *step, *accelerate, *observe;
  trm_buffer *lattice[2];    /* lattice[current] holds the state */
  trm_buffer *solid;         /* a byte a cell, 1 where solid: the field */
  trm_buffer *walls;         /* a bit a cell, the same: what a step reads */
  trm_buffer *partial;       /* slots rows of `leaves` partial sums of the speed */
  trm_buffer *window;        /* sums of a sequence's steps, copied to `sums` after each replay */
  trm_buffer *sums;          /* sum of the speed over fluid cells, one value a step of the batch */
  trm_reduction *fold;
  struct lbm_rung *rung;     /* of a variant other than "best" (rung.h), else NULL */
  trm_sequence *sequences[LBM_SEQUENCES]; /* of 2 << i steps, from lattice 0; made when needed */
  int current;
  int accelerated;           /* the state already has the next step's acceleration: not canonical */

  trm_field fields[5];
  trm_series series[1];
  trm_traffic traffic[1];
  trm_result results[2];
} lbm_solver;

/* What every kernel of the driven box is told, of precision `type`: the fluid and the layouts. */
#define LBM_PACK(to, type) \
  do { \
    (to).keep = (type)(1.0 - lbm->omega); \
    (to).omega_axis = (type)(lbm->omega / 9.0); \
    (to).omega_diagonal = (type)(lbm->omega / 36.0); \
    (to).accel_axis = (type)(lbm->density * lbm->accel / 9.0); \
    (to).accel_diagonal = (type)(lbm->density * lbm->accel / 36.0); \
    (to).first = (int)lbm->layout.first; \
    (to).row = (int)lbm->layout.row; \
    (to).component = (int)lbm->layout.component; \
    (to).solid_first = (int)lbm->solid_layout.first; \
    (to).solid_row = (int)lbm->solid_layout.row; \
  } while (0)

/* The parameter struct of the solver's precision; accelerate: fuse the next step's acceleration. */
typedef union lbm_packed { lbm_params_f32 f32; lbm_params_f64 f64; } lbm_packed;
void lbm_pack(const lbm_solver *lbm, int slot, int accelerate, lbm_packed *out, size_t *bytes);

/* steps.c */
trm_status lbm_advance(trm_solver *solver, uint64_t max_steps, double t_end, int settle,
                       uint64_t *done);

/* bristol.c */
trm_status lbm_configure(trm_config *config, size_t count, const char *const *files);
void lbm_say(const trm_solver *solver, const trm_run_seconds *seconds);
trm_status lbm_export(trm_solver *solver, const char *folder, double *const *series,
                      size_t step_count);

/* Points the declared fields at the lattice that holds them now. */
void lbm_place_fields(lbm_solver *lbm);

/* channel.c. Refuses keys that belong to another lbm.flow; makes the solver of "channel" and
 * "geneva", whose base.type is a table of its own. */
trm_status lbm_check_keys(const trm_config *config);
/* Refuses a relaxation rate of key that is 2 in this precision: a fluid without viscosity. */
trm_status lbm_check_omega(const trm_config *config, const char *key, double omega,
                           trm_precision precision);
trm_status channel_create(trm_device *device, const trm_config *config,
                          const trm_solver_options *run, trm_solver **out);

extern const trm_solver_type trm_solver_lbm;

#endif
