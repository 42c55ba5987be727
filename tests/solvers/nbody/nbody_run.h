/* nbody_run.h - runs of the N-body solver, through the solver contract alone. */
#ifndef TRIREME_TESTS_NBODY_RUN_H
#define TRIREME_TESTS_NBODY_RUN_H

#include "tests/harness.h"

#include "solvers/solver.h"

typedef struct nbody_run {
  trm_config *config;
  trm_solver *solver;
  double **series;     /* series[s][step] of the steps done */
} nbody_run;

/* Settings "key=value key=value"; keys without a dot belong to nbody. options may be NULL. */
trm_config *nbody_config(const char *settings);
trm_status nbody_try(trm_device *device, const char *settings, trm_precision precision);
void nbody_begin(nbody_run *run, trm_device *device, const char *settings, trm_precision precision,
                 trm_math math);
/* batch 0: as many at once as the solver takes. */
void nbody_steps(nbody_run *run, uint64_t steps, uint64_t batch);
void nbody_end(nbody_run *run);

/* A field's interior as doubles, component by component; malloc'd, the caller's. */
double *nbody_values(const nbody_run *run, const char *name, size_t *count);
/* The last value of a series. */
double nbody_last(const nbody_run *run, const char *name);
double *nbody_series(const nbody_run *run, const char *name);

#endif
