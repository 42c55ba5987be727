/* pond.h - a solver that the framework makes of declarations, for the framework's tests: pond.k. */
#ifndef TRIREME_TESTS_POND_H
#define TRIREME_TESTS_POND_H

#include "tests/harness.h"

#include "solvers/framework/framework.h"
#include "tests/solvers/framework/pond_params.h"

extern const trm_framework_declaration *const pond_table;
extern const trm_solver_type trm_solver_pond;

/* Its keys, of which one, if not NULL, is set. */
trm_config *pond_configured(const char *key, const char *text);
/* What the framework makes of pond_table, or of a changed copy. */
trm_status pond_make(const trm_framework_declaration *declaration, trm_device *device,
                     trm_precision precision, const char *key, const char *text, trm_solver **out);

#endif
