/* host.c - a blast in a periodic box: density, momentum along x and y, energy of each volume. */
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
  p->gamma = 1.4;
  p->ratio_x = 0.08; /* dt / dx: the fastest wave crosses 0.4 of a volume; y is the longer side */
  p->ratio_y = 0.06;
  return TRM_OK;
}

static double start_gas(const trm_grid_solver *grid, trm_framework_cell at)
{
  const double x = at.x - grid->nx / 2., y = at.y - grid->ny / 2., radius = grid->nx / 8.;
  const double pressure = x * x + y * y < radius * radius ? 10 : 1;
  return at.component == 0 ? 1 : at.component == 3 ? pressure / 0.4 : 0;
}

/* The first one is the result. */
#define RESULTS 1
#define FIELDS(is_reference) \
  { .name = "gas", .components = 4, .swaps = 1, .flags = TRM_FIELD_STATE, .start = start_gas }, \
  SCRATCH(is_reference)

#include "exercise.h"
