/* host.c - the driven box: a fluid at rest between four walls, one row of which is pushed. */
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
  p->omega = 1.85;
  p->push = 0.1 * 0.005 / 9; /* density, acceleration, weight of a side */
  return TRM_OK;
}

static double start_population(const trm_grid_solver *grid, trm_framework_cell at)
{
  static const double weights[9] = { 4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9,
                                     1. / 36, 1. / 36, 1. / 36, 1. / 36 };
  (void)grid;
  return 0.1 * weights[at.component];
}

static double start_wall(const trm_grid_solver *grid, trm_framework_cell at)
{
  return at.x == 0 || at.y == 0 || at.x == grid->nx - 1 || at.y == grid->ny - 1;
}

/* The first two are results. */
#define RESULTS 2
#define FIELDS(is_reference) \
  { .name = "populations", .components = 9, .swaps = 1, .flags = TRM_FIELD_STATE, \
    .start = start_population }, \
  { .name = "walls", .is_flags = 1, .start = start_wall }, SCRATCH(is_reference)

#include "exercise.h"
