/* registry.c - the solvers that are built in. A new one is a declaration and a line in the list. */
#include "solvers/solver.h"

extern const trm_solver_type trm_solver_lbm;
extern const trm_solver_type trm_solver_nbody;
extern const trm_solver_type trm_solver_shallow;

static const trm_solver_type *const types[] = {
  &trm_solver_lbm,
  &trm_solver_nbody,
  &trm_solver_shallow,
  NULL
};

const trm_solver_type *const *trm_solver_types(void) { return types; }
