/* pond.c - see pond.h. */
#include "tests/solvers/framework/pond.h"

typedef struct pond { pond_params params; int unused; } pond;

static const trm_option options[] = {
  TRM_FRAMEWORK_GRID_2D("pond", "40", "9", "m"), TRM_FRAMEWORK_DT("pond", "s"),
  { "pond.rate", TRM_OPTION_REAL, "1", "0.25", 0, 1, 0, NULL, "how fast" },
};

static trm_status prepare(trm_grid_solver *grid, const trm_config *config)
{
  pond *p = grid->own;
  TRM_TRY(trm_framework_choose_dt(grid, config, 1.0));
  p->params = (pond_params){ .rate = trm_config_real(config, "pond.rate"), .shares = { 1, 0.5 } };
  return TRM_OK;
}

static double level(const trm_grid_solver *grid, trm_framework_cell at)
{
  return at.component + (at.x == grid->nx / 2) * (at.y + 1);
}

static double solid(const trm_grid_solver *grid, trm_framework_cell at)
{
  (void)grid;
  return at.x == 0 && at.y == 3;
}

TRM_FRAMEWORK_SOLVER(pond, 2, "water that spreads", options,
  .steps = "12", .time_unit = "s", .own_bytes = sizeof(pond), .prepare = prepare,
  .fields = { { .name = "level", .components = 2, .swaps = 1, .flags = TRM_FIELD_STATE,
                .start = level },
              { .name = "solid", .is_flags = 1, .start = solid },
              { .name = "age", .is_computed = 1, .flags = TRM_FIELD_STATE },
              { .name = "twice", .is_computed = 1 } },
  .step = { { .kernel = "pond_step", .arrays = "level level' solid sums heights" },
            { .kernel = "pond_grow", .arrays = "age" } },
  .observe = { { .kernel = "pond_show", .arrays = "age twice" } },
  .series = { { "total", "m3", .leaves = "sums", .fold = TRM_FRAMEWORK_INTEGRAL },
              { "mean", "m", .leaves = "sums", .fold = TRM_FRAMEWORK_MEAN },
              { "highest", "m", .leaves = "heights", .fold = TRM_FRAMEWORK_LARGEST } });
const trm_framework_declaration *const pond_table = &pond_declaration;
