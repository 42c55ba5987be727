/* values.h - a field of a solver as doubles, for the tests. */
#ifndef TRIREME_TESTS_VALUES_H
#define TRIREME_TESTS_VALUES_H

#include "tests/harness.h"

#include "solvers/solver.h"

/* All components, malloc'd. count: of the elements; may be NULL. */
double *solver_values(const trm_solver *solver, const char *name, size_t *count);

#endif
