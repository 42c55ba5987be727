/* registry.c - the tables of all solvers of this tree, for programs that link them (tests). */
#include "solvers/registry.h"

#define SOLVERS(X) X(lbm) X(lbm3d) X(nbody) X(shallow) X(compressible)

#define DECLARE(name) extern const trm_solver_type trm_solver_##name;
SOLVERS(DECLARE)

#define TYPE(name) &trm_solver_##name,
static const trm_solver_type *const types[] = { SOLVERS(TYPE) NULL };

const trm_solver_type *const *trm_solver_types(void) { return types; }
