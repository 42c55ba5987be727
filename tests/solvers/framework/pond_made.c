/* pond_made.c - the solver of pond.c, which the framework makes of its table or of a changed
 * copy. */
#include "tests/solvers/framework/pond.h"

trm_config *pond_configured(const char *key, const char *text)
{
  const trm_option *const tables[] = { trm_solver_pond.options };
  const size_t counts[] = { trm_solver_pond.option_count };
  trm_config *config = NULL;
  TEST_OK(trm_config_create(tables, counts, 1, &config));
  if (key) TEST_OK(trm_config_set(config, key, text, "the test"));
  return config;
}

trm_status pond_make(const trm_framework_declaration *declaration, trm_device *device,
                     trm_precision precision, const char *key, const char *text, trm_solver **out)
{
  const trm_solver_options run = { .precision = precision };
  trm_config *config = pond_configured(key, text);
  const trm_status status = trm_framework_create(declaration, device, config, &run, out);
  trm_config_destroy(&config);
  return status;
}
