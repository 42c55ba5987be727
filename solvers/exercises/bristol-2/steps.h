/* steps.h - the launches of a step, of the reference and of yours, with operations a cell; the
 * fields that not every exercise has, and the series. */
#define SCRATCH(is_reference) { .name = NULL }
#define STEP_OF_REFERENCE \
  { .kernel = "box_step", .arrays = "populations populations' walls", .flops = 100 }
#define YOUR_STEP STEP_OF_REFERENCE
#define SERIES { .name = NULL }
