/* steps.h - the launches of a step, of the reference and of yours, with operations a cell; the
 * fields that not every exercise has, and the series. */
#define SCRATCH(is_reference) \
  { .name = "density", .is_computed = is_reference, .start = start_solid }, \
  { .name = "velocity", .components = 2, .is_computed = is_reference, .start = start_solid }
#define STEP_OF_REFERENCE \
  { .kernel = "channel_moments", .arrays = "populations density velocity", .flops = 20 }, \
  { .kernel = "channel_collide", .arrays = "populations density velocity solid relaxed", \
    .flops = 78 }, \
  { .kernel = "channel_stream", .arrays = "relaxed populations'", .flops = 0 }
#define YOUR_STEP \
  { .kernel = "channel_fused", .arrays = "populations solid relaxed", .flops = 98 }, \
  { .kernel = "channel_stream", .arrays = "relaxed populations'", .flops = 0 }
#define SERIES { .name = NULL }
