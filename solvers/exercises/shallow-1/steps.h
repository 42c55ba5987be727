/* steps.h - the launches of a step, of the reference and of yours, with operations a cell; the
 * fields that not every exercise has, and the series. */
#define SCRATCH(is_reference) { .name = "speed", .is_computed = is_reference, .start = start_water }
#define STEP_OF_REFERENCE \
  { .kernel = "water_speed", .arrays = "water speed", .flops = 8 }, \
  { .kernel = "water_largest", .arrays = "speed leaves_of_speed", .flops = 1 }, \
  { .kernel = "water_step", .arrays = "water water'", .flops = 71 }
#define YOUR_STEP { .kernel = "water_fused", .arrays = "water water' leaves_of_speed", .flops = 80 }
#define SERIES { .name = "fastest", .leaves = "leaves_of_speed", .fold = TRM_FRAMEWORK_LARGEST }
