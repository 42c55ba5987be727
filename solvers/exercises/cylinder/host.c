/* host.c - a channel with a cylinder: inflow in the west, outflow in the east. */
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
  const double reynolds = 150, diameter = 2. * (grid->ny / 9);
  (void)config;
  p->inflow = 0.04;
  p->omega = 1 / (3 * p->inflow * diameter / reynolds + 0.5);
  return TRM_OK;
}

/* The fluid moves east everywhere; a little faster in the north, so that vortices begin early. */
static double start_population(const trm_grid_solver *grid, trm_framework_cell at)
{
  static const double weights[9] = { 4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9,
                                     1. / 36, 1. / 36, 1. / 36, 1. / 36 };
  static const int east[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
  const double u = 0.04 * (1 + 1e-4 * at.y / grid->ny), along = east[at.component] * u;
  return weights[at.component] * (1 + 3 * along + 4.5 * along * along - 1.5 * u * u);
}

static double start_solid(const trm_grid_solver *grid, trm_framework_cell at)
{
  const double x = at.x - grid->nx / 4., y = at.y - grid->ny / 2., radius = grid->ny / 9;
  return x * x + y * y < radius * radius;
}

/* The first two are results. */
#define RESULTS 2
#define FIELDS(is_reference) \
  { .name = "populations", .components = 9, .swaps = 1, .flags = TRM_FIELD_STATE, \
    .start = start_population }, \
  { .name = "solid", .is_flags = 1, .start = start_solid }, \
  { .name = "relaxed", .components = 9, .is_computed = 1 }, SCRATCH(is_reference)

#include "exercise.h"
