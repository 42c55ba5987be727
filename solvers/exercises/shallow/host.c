/* host.c - a hump of water in a periodic sea: depth, and depth times velocity along x and y. */
#include "solvers/framework/framework.h"
#include "params.h"
#include "steps.h"

typedef struct flow { exercise_params params; } flow;

static const trm_option options[] = {
  TRM_FRAMEWORK_CELLS("x", "256"), TRM_FRAMEWORK_CELLS("y", "256"),
  { "@name@.kernel", TRM_OPTION_STRING, "", "yours", NAN, NAN, TRM_OPTION_SAME_RESULT,
    "reference|yours", "whose kernels step the flow" },
};

static trm_status prepare(trm_grid_solver *grid, const trm_config *config)
{
  exercise_params *p = grid->own;
  (void)config;
  p->gravity = 9.81;
  p->half_x = 0.02; /* dt / (2 dx), s/m; columns are longer along y */
  p->half_y = 0.015;
  return TRM_OK;
}

static double start_water(const trm_grid_solver *grid, trm_framework_cell at)
{
  const double x = (at.x - grid->nx / 3.) / grid->nx, y = (at.y - grid->ny / 2.) / grid->ny;
  return at.component == 0 ? 1 + 0.5 * exp(-100 * (x * x + y * y)) : 0;
}

/* The first one is the result. */
#define RESULTS 1
#define FIELDS(is_reference) \
  { .name = "water", .components = 3, .swaps = 1, .flags = TRM_FIELD_STATE, \
    .start = start_water }, \
  SCRATCH(is_reference)

#include "exercise.h"
