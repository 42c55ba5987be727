/* steps.h - the launches of a step, of the reference and of yours, with operations a body; no
 * series. */
#define STEP_OF_REFERENCE \
  { .kernel = "bodies_step", .arrays = "position position' velocity mass", .flops = 18 * 1024 }
#define YOUR_STEP STEP_OF_REFERENCE
#define SERIES { .name = NULL }
