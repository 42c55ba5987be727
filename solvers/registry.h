/* registry.h - the tables of all solvers of this tree, linked into a program. The program trireme
 * opens their files instead (catalogue.h). */
#ifndef TRIREME_REGISTRY_H
#define TRIREME_REGISTRY_H

#include "solvers/solver.h"

/* Ends with NULL. */
const trm_solver_type *const *trm_solver_types(void);

#endif
