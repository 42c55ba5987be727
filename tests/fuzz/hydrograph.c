/* Hydrographs of the shallow-water solver (CSV): times grow, and all values are finite. */
#include <math.h>
#include <stdlib.h>

#include "solvers/shallow/shallow.h"
#include "tests/fuzz/fuzz.h"

extern const trm_solver_type trm_solver_shallow;

static trm_config *config_of(const char *path)
{
  const trm_option *const tables[] = {trm_solver_shallow.options};
  const size_t counts[] = {trm_solver_shallow.option_count};
  trm_config *config = NULL;
  FUZZ_CHECK(trm_config_create(tables, counts, 1, &config) == TRM_OK);
  FUZZ_CHECK(trm_config_set(config, "boundary.west", "level", "the test") == TRM_OK);
  FUZZ_CHECK(trm_config_set(config, "boundary.west_table", path, "the test") == TRM_OK);
  return config;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static shallow_solver swe;
  char *path = fuzz_file("wave.csv", data, size);
  trm_config *config = config_of(path);
  swe = (shallow_solver){.p.scheme = SHALLOW_HLLC};
  if (fuzz_accepted(shallow_read_sides(&swe, config))) {
    const shallow_side *west = &swe.sides[0];
    FUZZ_CHECK(west->water.count > 0);
    for (size_t i = 0; i < west->water.count; i++) {
      FUZZ_CHECK(isfinite(west->water.places[i]) && isfinite(west->water.values[i]));
      FUZZ_CHECK(i == 0 || west->water.places[i] > west->water.places[i - 1]);
    }
  }
  shallow_free_sides(&swe);
  trm_config_destroy(&config);
  free(path);
  return 0;
}
