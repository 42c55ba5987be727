/* shallow_run.h - one run of the shallow-water solver through the contract of solvers. */
#ifndef TRIREME_TESTS_SHALLOW_RUN_H
#define TRIREME_TESTS_SHALLOW_RUN_H

#include "tests/harness.h"

#include "solvers/shallow/shallow.h"

typedef struct shallow_run {
  trm_config *config;
  trm_solver *solver;
  double *dt;                  /* of each step made */
  size_t steps;
} shallow_run;

/* sets: pairs of key and text; ends with NULL. */
trm_config *shallow_configure_run(const char *const *sets);
shallow_run shallow_run_begin(trm_device *device, trm_precision precision,
                              const char *const *sets);
/* The same in fast arithmetic. */
shallow_run shallow_run_begin_fast(trm_device *device, trm_precision precision,
                                   const char *const *sets);
/* To `end`, or for `steps` steps, in batches of `batch`. */
void shallow_run_advance(shallow_run *run, double end, uint64_t steps, uint64_t batch);
void shallow_run_end(shallow_run *run);

/* A field's cells as doubles, malloc'd. */
double *shallow_run_values(const shallow_run *run, const char *name);
/* The largest magnitude. */
double shallow_largest(const double *values, size_t count);

#define SHALLOW_CLOSED "boundary.west", "wall", "boundary.east", "wall", "boundary.south", "wall", \
                       "boundary.north", "wall"

#endif
