/* lbm_run.h - runs of the lattice-Boltzmann solver, through the solver contract alone: the cases
 * that the tests share, a run made from one, taken through its steps, and read. */
#ifndef TRIREME_TESTS_LBM_RUN_H
#define TRIREME_TESTS_LBM_RUN_H

#include "tests/harness.h"

#include "solvers/solver.h"

/* Where a case is solid. */
typedef enum lbm_solids {
  OPEN,     /* nowhere */
  CHANNEL,  /* the row y = 0 */
  BOX,      /* the outermost cells on all sides */
  ROCKS,    /* about one cell in eight, in the accelerated row too */
  COURSE    /* the whole case is the course's: cases/bristol-NAME */
} lbm_solids;

/* What a strict run leaves, the same on every backend. */
typedef struct lbm_print {
  char state[33];   /* trm_solver_fingerprint */
  char series[17];  /* XXH3 (64 bits, canonical) over the series' elements, first step first */
} lbm_print;

typedef struct lbm_case {
  const char *name;
  int nx, ny;
  uint64_t steps;
  lbm_solids solids;
  const char *accel;   /* lbm.accel as text, NULL: the default */
} lbm_case;

/* lbm_cases[LBM_ODD]: the rows of lbm_cases.h. */
enum {
#define LBM_CASE(id, ...) LBM_##id,
#include "tests/solvers/lbm/lbm_cases.h"
#undef LBM_CASE
  LBM_CASES
};
extern const lbm_case lbm_cases[LBM_CASES];

typedef struct lbm_run {
  const lbm_case *lbm;
  trm_precision precision;
  trm_config *config;
  trm_solver *solver;
  unsigned char *series;  /* solver->step elements */
  size_t series_bytes;
} lbm_run;

/* The solver named lbm. */
const trm_solver_type *lbm_type(void);
/* options->precision is `precision`; options may be NULL. */
void lbm_begin(lbm_run *run, trm_device *device, const lbm_case *lbm, trm_precision precision,
               const trm_solver_options *options);
/* The same with lbm.implementation set. */
void lbm_begin_variant(lbm_run *run, trm_device *device, const lbm_case *lbm,
                       trm_precision precision, const char *variant);
/* The same with keys "lbm.sum=group lbm.fold=host"; options may be NULL. */
trm_status lbm_try_keys(lbm_run *run, trm_device *device, const lbm_case *lbm,
                        trm_precision precision, const char *keys,
                        const trm_solver_options *options);
/* The solver refuses the case as bad input, with a message that has this part in it. */
void lbm_refused(trm_device *device, const lbm_case *lbm, const char *part);
/* Enqueues `steps` steps in batches of `batch` (0: all that the solver takes at once) and keeps the
 * series; sync_each: every batch ends in the canonical state, not only the last. */
void lbm_steps(lbm_run *run, uint64_t steps, uint64_t batch, int sync_each);
void lbm_end(lbm_run *run);

lbm_print lbm_prints(const lbm_run *run);
/* These are the known ones of a case (tests/data/fingerprints.csv). */
void lbm_print_is_known(const lbm_print *found, const lbm_case *lbm, trm_precision precision);
/* State and series of a whole run are the known ones. */
void lbm_matches(const lbm_run *run, const char *what);
/* A whole run of the case's steps, in one batch, that matches. */
void lbm_whole_run_matches(trm_device *device, const lbm_case *lbm, trm_precision precision,
                           const trm_solver_options *options, const char *what);

/* A step's mean speed; a field's interior as doubles, malloc'd: the caller's. */
double lbm_speed(const lbm_run *run, uint64_t step);
const trm_field *lbm_field(const lbm_run *run, const char *name);
double *lbm_values(const lbm_run *run, const char *name);

/* nx * ny bytes, 1 where solid; malloc'd, the caller's. Not of a COURSE case. */
uint8_t *lbm_mask(const lbm_case *lbm);

/* f32, and f64 where the device has it. */
int lbm_precisions(trm_device *device);

#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
