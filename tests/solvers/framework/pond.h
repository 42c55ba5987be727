/* pond.h - a solver that the kit makes of declarations, for the kit's tests: pond.k. */
#ifndef TRIREME_TESTS_POND_H
#define TRIREME_TESTS_POND_H

#include "tests/harness.h"

#include "solvers/framework/kit.h"
#include "tests/solvers/framework/pond_params.h"

extern const trm_kit_plan *const pond_kit;
extern const trm_solver_type trm_solver_pond;

/* Its keys, of which one, if not NULL, is set. */
trm_config *pond_configured(const char *key, const char *text);
/* What the kit makes of pond_kit, or of a changed copy. */
trm_status pond_make(const trm_kit_plan *plan, trm_device *device, trm_precision precision,
                     const char *key, const char *text, trm_solver **out);

#endif
