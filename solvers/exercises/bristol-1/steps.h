/* steps.h - the launches of a step, of the reference and of yours, with operations a cell; the
 * fields that not every exercise has, and the series. */
#define SCRATCH(is_reference) \
  { .name = "streamed", .components = 9, .is_computed = is_reference, .start = start_population }
#define STEP_OF_REFERENCE \
  { .kernel = "box_stream", .arrays = "populations streamed", .flops = 0 }, \
  { .kernel = "box_collide", .arrays = "streamed populations' walls", .flops = 100 }
#define YOUR_STEP { .kernel = "box_step", .arrays = "populations populations' walls", .flops = 100 }
#define SERIES { .name = NULL }
