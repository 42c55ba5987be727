/* broken_solver.c - solver plugins that cannot be used, one table each;
 * tests/solvers/solver_plugins.c links to this file by their names. */
#include "solvers/solver.h"

static trm_status create(trm_device *device, const trm_config *config,
                         const trm_solver_options *options, trm_solver **out)
{
  (void)device, (void)config, (void)options, (void)out;
  return TRM_ERROR_UNSUPPORTED;
}
static trm_status advance(trm_solver *solver, uint64_t max_steps, double t_end, int sync_state,
                          uint64_t *done)
{
  (void)solver, (void)max_steps, (void)t_end, (void)sync_state, (void)done;
  return TRM_ERROR_UNSUPPORTED;
}
static trm_status observe(trm_solver *solver) { (void)solver; return TRM_ERROR_UNSUPPORTED; }
static void destroy(trm_solver **solver) { (void)solver; }

#define TABLE(NAME, ABI, BYTES, OWN_NAME, ADVANCE) \
  TRM_API extern const trm_solver_type trm_solver_##NAME; \
  const trm_solver_type trm_solver_##NAME = { \
    .abi = ABI, .bytes = BYTES, .name = OWN_NAME, .summary = "for the tests", \
    .update_name = "updates", .create = create, .advance = ADVANCE, .observe = observe, \
    .destroy = destroy }

#define BYTES sizeof(trm_solver_type)
TABLE(sound, TRM_SOLVER_ABI, BYTES, "sound", advance);
TABLE(old, 1, BYTES, "old", advance);
TABLE(fourth, 4, 144, "fourth", advance); /* as trm_solver_type was then */
TABLE(brief, TRM_SOLVER_ABI, 8, "brief", advance);
TABLE(lacking, TRM_SOLVER_ABI, BYTES, "lacking", NULL);
TABLE(misnamed, TRM_SOLVER_ABI, BYTES, "lbm", advance);
TABLE(lbm, TRM_SOLVER_ABI, BYTES, "lbm", advance);
