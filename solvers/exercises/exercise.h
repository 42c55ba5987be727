/* exercise.h - the solver @name@: one flow, stepped by the kernels of reference.k or by yours, in
 * @name@.k, as the key @name@.kernel says. Fields, first state and parameters are the same; the
 * launches of a step, which steps.h lists, differ. Included last by host.c. */
#include "solvers/implementations.h"

TRM_FRAMEWORK_SOURCE(reference, "reference.k");
TRM_FRAMEWORK_SOURCE(@name@, "@name@.k");
TRM_API extern const trm_solver_type trm_solver_@name@;

#define FORM(program, is_reference, ...) \
  { &trm_solver_@name@, &program##_source, "exercise_params", sizeof(exercise_params), 2, \
    .steps = "100", .own_bytes = sizeof(flow), .prepare = prepare, \
    .fields = { FIELDS(is_reference) }, .step = { __VA_ARGS__ }, .series = { SERIES } }
static const trm_framework_declaration forms[] = {
  FORM(reference, 1, STEP_OF_REFERENCE), FORM(@name@, 0, YOUR_STEP)
};

static const trm_framework_declaration *chosen(const trm_config *config)
{
  return &forms[trm_config_choice(config, "@name@.kernel")];
}

static trm_status configure(trm_config *config, size_t count, const char *const *files)
{
  (void)count, (void)files;
  return trm_framework_configure(&forms[0], config);
}

static trm_status create(trm_device *device, const trm_config *config,
                         const trm_solver_options *run, trm_solver **out)
{
  TRM_TRY(trm_framework_create(chosen(config), device, config, run, out));
  (*out)->field_count = RESULTS; /* the other arrays are scratch, which one form may not need */
  return TRM_OK;
}

static trm_status memory(trm_device *device, const trm_config *config,
                         const trm_solver_options *run, uint64_t *bytes)
{
  return trm_framework_memory(chosen(config), device, config, run, bytes);
}

static const trm_implementation implementations[] = {
  { "reference", "@name@.kernel=reference", "the kernels of reference.k", 0 },
  { "yours", "@name@.kernel=yours", "the kernels of @name@.k", 0 }
};
static const trm_implementations ladder = { implementations, 2, NULL };

const trm_solver_type trm_solver_@name@ = {
  .abi = TRM_SOLVER_ABI, .bytes = sizeof(trm_solver_type), .name = "@name@",
  .summary = "exercise @exercise@", .update_name = "cell updates", .options = options,
  .option_count = sizeof options / sizeof options[0], .configure = configure, .create = create,
  .advance = trm_framework_advance, .observe = trm_framework_observe,
  .finish = trm_framework_finish, .destroy = trm_framework_destroy, .memory = memory,
  .restore = trm_framework_restore, .size_keys = "grid.nx,grid.ny", .implementations = &ladder
};
