/* former_solver.c - a solver plugin of the ABI before this one. It needs a function that the
 * library no longer has, so that it cannot be loaded (tests/solvers/solver_plugins.c). */
#include "solvers/solver.h"

trm_status trm_function_of_a_former_version(trm_device *device, const trm_config *config,
                                            const trm_solver_options *options, trm_solver **out);

TRM_API extern const trm_solver_type trm_solver_former;
const trm_solver_type trm_solver_former = {
  .abi = TRM_SOLVER_ABI - 1, .bytes = sizeof(trm_solver_type), .name = "former",
  .summary = "for the tests", .update_name = "updates",
  .create = trm_function_of_a_former_version };
