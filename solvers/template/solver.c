/* @name@.c - the heat equation on a plate: its keys, numbers, first state and declarations.
 * The kernel and its scheme are in @name@.k, all else in solvers/framework/framework.h. */
#include <stdlib.h>
#include <string.h>

#include "solvers/framework/framework.h"
#include "@name@_params.h"

typedef struct plate { @name@_params params; double wall; int is_wave; } plate;

static const trm_option options[] = {
  TRM_FRAMEWORK_GRID_2D("@name@", "256", "256", "m"), TRM_FRAMEWORK_DT("@name@", "s"),
  { "@name@.diffusivity", TRM_OPTION_REAL, "m2/s", "1", 0, NAN, 1, NULL, "thermal diffusivity" },
  { "@name@.edge", TRM_OPTION_STRING, "", "insulated", NAN, NAN, 0, "insulated|fixed|periodic",
    "edge of the plate: no flow of heat, a wall of fixed temperature, or the plate again" },
  { "@name@.wall", TRM_OPTION_REAL, "K", "0", NAN, NAN, 0, NULL, "temperature of a fixed edge" },
  { "@name@.initial", TRM_OPTION_STRING, "", "square", NAN, NAN, 0, "square|wave",
    "a square of 1 K in the middle, or the slowest mode that the edge allows, of 1 K" },
};

/* From the keys to the parameters of the kernel and the length of a step. */
static trm_status prepare(trm_grid_solver *grid, const trm_config *config)
{
  plate *p = grid->own;
  const double a = trm_config_real(config, "@name@.diffusivity");
  const double dx2 = grid->spacing[0] * grid->spacing[0], dy2 = grid->spacing[1] * grid->spacing[1];
  const char *edge = trm_config_string(config, "@name@.edge");
  const trm_option_need wall = { "@name@.wall", "@name@.edge", "fixed" };
  TRM_TRY(trm_framework_choose_dt(grid, config, 0.5 / (a * (1 / dx2 + 1 / dy2))));
  p->wall = trm_config_real(config, "@name@.wall");
  p->params = (@name@_params){ .rate_x = a * grid->dt / dx2, .rate_y = a * grid->dt / dy2,
    .beyond_scale = strcmp(edge, "fixed") == 0 ? -1 : 1, .beyond_shift = 2 * p->wall,
    .has_edge = strcmp(edge, "periodic") != 0 };
  p->is_wave = strcmp(trm_config_string(config, "@name@.initial"), "wave") == 0;
  return trm_config_check_needs(config, &wall, 1); /* a wall of no edge is no way to change it */
}

/* The slowest mode along one axis. */
static double mode(const plate *p, double at)
{
  const double pi = 3.14159265358979323846;
  if (!p->params.has_edge) return cos(2 * pi * at);
  return p->params.beyond_scale < 0 ? sin(pi * at) : cos(pi * at);
}

static double start(const trm_grid_solver *grid, trm_framework_cell at)
{
  const plate *p = grid->own;
  const int nx = grid->nx, ny = grid->ny;
  if (p->is_wave) return p->wall + mode(p, (at.x + 0.5) / nx) * mode(p, (at.y + 0.5) / ny);
  return p->wall + (abs(2 * at.x + 1 - nx) * 3 < nx && abs(2 * at.y + 1 - ny) * 3 < ny);
}

TRM_FRAMEWORK_SOLVER(@name@, 2, "heat in a plate: explicit, of second order in space", options,
  .steps = "5000", .time_unit = "s", .own_bytes = sizeof(plate), .prepare = prepare,
  .fields = {{ .name = "temperature", .unit = "K", .help = "at the middle of each cell",
               .swaps = 1, .flags = TRM_FIELD_STATE, .in_picture = 1, .start = start }},
  .step = {{.kernel = "@name@_step", .arrays = "temperature temperature' sum square", .flops = 15 }},
  .series = { { "total_heat", "K m2", .leaves = "sum", .fold = TRM_FRAMEWORK_INTEGRAL },
              { "mean_square", "K2", .leaves = "square", .fold = TRM_FRAMEWORK_MEAN } });
