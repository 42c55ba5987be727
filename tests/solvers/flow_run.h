/* flow_run.h - runs of lbm's flows between boundaries, and of lbm3d's, for the tests: a case from
 * keys and values, taken through its steps, and read. */
#ifndef TRIREME_TESTS_FLOW_RUN_H
#define TRIREME_TESTS_FLOW_RUN_H

#include "tests/harness.h"

#include "solvers/solver.h"

typedef struct flow_run {
  trm_config *config;
  trm_solver *solver;
  double *series[64];        /* a value a step, of each series; malloc'd */
} flow_run;

/* The solver of all runs from here on: "lbm", as at the start, or "lbm3d". */
extern const char *flow_solver;

/* settings: "lbm.flow=channel grid.nx=40 ..." - KEY=VALUE, separated by '|'. */
void flow_begin(flow_run *run, trm_device *device, trm_precision precision, const char *settings);
/* The same; where it fails, the status, and nothing is to be ended. */
trm_status flow_try(flow_run *run, trm_device *device, trm_precision precision,
                    const char *settings);
/* A case of the tree, cases/NAME, in double precision; returns the steps that it asks for. */
uint64_t flow_begin_case(flow_run *run, trm_device *device, const char *name);
/* The case is refused as bad input with a message that has this part in it. */
void flow_refused(trm_device *device, const char *settings, const char *part);
/* batch: steps of an advance, 0: as many as the solver takes. */
void flow_steps(flow_run *run, uint64_t steps, uint64_t batch);
void flow_end(flow_run *run);

/* A field's interior as doubles, observed; the caller's. */
double *flow_values(flow_run *run, const char *name);
/* Cells that are not in its field `solid`. */
double flow_fluid_cells(flow_run *run);
/* The series of this name; the run's. */
const double *flow_series(const flow_run *run, const char *name);
/* A result of the whole run. */
double flow_result(flow_run *run, const char *name);
void flow_print(const flow_run *run, char text[33]);
/* Three flows that began alike: one makes all steps, one is cut at a step, where its first field is
 * kept, and the last goes on from there, to the bits of the first. */
void flow_brought_back(flow_run *whole, flow_run *cut, flow_run *rest, uint64_t at, uint64_t steps);

#endif
