/* host.c - bodies in a cube that attract each other; body x of row y has no place in the grid. */
#include "solvers/framework/framework.h"
#include "params.h"
#include "steps.h"

typedef struct flow { exercise_params params; } flow;

static const trm_option options[] = {
  TRM_FRAMEWORK_CELLS("x", "256"), TRM_FRAMEWORK_CELLS("y", "4"),
  { "@name@.kernel", TRM_OPTION_STRING, "", "yours", NAN, NAN, TRM_OPTION_SAME_RESULT,
    "reference|yours", "whose kernels move the bodies" },
};

static trm_status prepare(trm_grid_solver *grid, const trm_config *config)
{
  exercise_params *p = grid->own;
  (void)config;
  p->columns = grid->nx;
  p->rows = grid->ny;
  p->softening2 = 1e-3;
  p->dt = 1e-3;
  return TRM_OK;
}

/* From 0 to 1, by the body and the axis: a multiplicative congruential sequence (Park, Miller). */
static double start_position(const trm_grid_solver *grid, trm_framework_cell at)
{
  unsigned long long word = 1 + at.component + 3ULL * (at.y * (unsigned)grid->nx + at.x);
  for (int i = 0; i < 3; i++) word = word * 48271 % 2147483647;
  return (double)word / 2147483647;
}

static double start_velocity(const trm_grid_solver *grid, trm_framework_cell at)
{
  (void)grid, (void)at;
  return 0;
}

static double start_mass(const trm_grid_solver *grid, trm_framework_cell at)
{
  (void)at;
  return 1. / grid->nx / grid->ny;
}

#define RESULTS 3
#define FIELDS(is_reference) \
  { .name = "position", .components = 3, .swaps = 1, .flags = TRM_FIELD_STATE, \
    .start = start_position }, \
  { .name = "velocity", .components = 3, .flags = TRM_FIELD_STATE, .start = start_velocity }, \
  { .name = "mass", .start = start_mass }

#include "exercise.h"
