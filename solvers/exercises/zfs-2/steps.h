/* steps.h - the launches of a step, of the reference and of yours, with operations a cell; the
 * fields that not every exercise has, and the series. */
#define SCRATCH(is_reference) \
  { .name = "flux_x", .components = 4, .is_computed = is_reference, .start = start_gas }, \
  { .name = "flux_y", .components = 4, .is_computed = is_reference, .start = start_gas }
#define STEP_OF_REFERENCE \
  { .kernel = "gas_faces", .arrays = "gas flux_x flux_y", .flops = 110 }, \
  { .kernel = "gas_gather", .arrays = "gas gas' flux_x flux_y", .flops = 36 }
#define YOUR_STEP { .kernel = "gas_step", .arrays = "gas gas'", .flops = 256 }
#define SERIES { .name = NULL }
