/* registry.c - the solvers that are built in. A new one is a name in the list. */
#include "solvers/solver.h"

#include "solvers/catalogue.h"

#define SOLVERS(X) X(lbm) X(lbm3d) X(nbody) X(shallow) X(compressible)

#define DECLARE(name) extern const trm_solver_type trm_solver_##name;
SOLVERS(DECLARE)

#define TYPE(name) &trm_solver_##name,
static const trm_solver_type *const types[] = { SOLVERS(TYPE) NULL };

const trm_solver_type *const *trm_solver_types(void) { return types; }

#define KNOWN(name) { #name, &trm_solver_##name, NULL },
const trmi_known trmi_solvers_built_in[] = { SOLVERS(KNOWN) { NULL, NULL, NULL } };
