/* steps.h - the launches of a step, of the reference and of yours, with operations a cell; the
 * fields that not every exercise has, and the series. */
#define SCRATCH(is_reference) { .name = "speed", .is_computed = is_reference, .start = start_wall }
#define STEP_OF_REFERENCE \
  { .kernel = "box_step", .arrays = "populations populations' walls speed", .flops = 115 }, \
  { .kernel = "add_speeds", .arrays = "speed leaves_of_speed", .flops = 1 }
#define YOUR_STEP \
  { .kernel = "box_step", .arrays = "populations populations' walls leaves_of_speed", .flops = 116 }
#define SERIES { .name = "average_speed", .leaves = "leaves_of_speed", .fold = TRM_FRAMEWORK_MEAN }
