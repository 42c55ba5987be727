/* @name@.c - the heat equation on a plate: its keys, numbers, first state and declarations.
 * The kernel and its scheme are in @name@.k; everything else is the kit's (solvers/framework/kit.h). */
#include <stdlib.h>
#include <string.h>

#include "solvers/framework/kit.h"
#include "@name@_params.h"

typedef struct plate { @name@_params params; double wall; int is_wave; } plate;

static const trm_option options[] = {
  TRM_KIT_GRID_2D("@name@", "256", "256", "m"), TRM_KIT_DT("@name@", "s"),
  { "@name@.diffusivity", TRM_OPTION_REAL, "m2/s", "1", 0, NAN, 1, NULL, "thermal diffusivity" },
  { "@name@.edge", TRM_OPTION_STRING, "", "insulated", NAN, NAN, 0, "insulated|fixed|periodic",
    "edge of the plate: no flow of heat, a wall of fixed temperature, or the plate again" },
  { "@name@.wall", TRM_OPTION_REAL, "K", "0", NAN, NAN, 0, NULL, "temperature of a fixed edge" },
  { "@name@.initial", TRM_OPTION_STRING, "", "square", NAN, NAN, 0, "square|wave",
    "a square of 1 K in the middle, or the slowest mode that the edge allows, of 1 K" },
};

/* From the keys to the parameters of the kernel and the length of a step. */
static trm_status prepare(trm_kit *kit, const trm_config *config)
{
  plate *p = kit->own;
  const double a = trm_config_real(config, "@name@.diffusivity");
  const double dx2 = kit->spacing[0] * kit->spacing[0], dy2 = kit->spacing[1] * kit->spacing[1];
  const char *edge = trm_config_string(config, "@name@.edge");
  const trm_option_need wall = { "@name@.wall", "@name@.edge", "fixed" };
  TRM_TRY(trm_kit_choose_dt(kit, config, 0.5 / (a * (1 / dx2 + 1 / dy2))));
  p->wall = trm_config_real(config, "@name@.wall");
  p->params = (@name@_params){ .rate_x = a * kit->dt / dx2, .rate_y = a * kit->dt / dy2,
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

static double start(const trm_kit *kit, trm_kit_cell at)
{
  const plate *p = kit->own;
  const int nx = kit->nx, ny = kit->ny;
  if (p->is_wave) return p->wall + mode(p, (at.x + 0.5) / nx) * mode(p, (at.y + 0.5) / ny);
  return p->wall + (abs(2 * at.x + 1 - nx) * 3 < nx && abs(2 * at.y + 1 - ny) * 3 < ny);
}

TRM_KIT_SOLVER(@name@, 2, "heat in a plate: the heat equation, explicit, of second order in space",
  options, .steps = "5000", .time_unit = "s", .own_bytes = sizeof(plate), .prepare = prepare,
  .fields = {{ .name = "temperature", .unit = "K", .help = "at the middle of each cell",
               .swaps = 1, .flags = TRM_FIELD_STATE, .in_picture = 1, .start = start }},
  .step = {{.kernel = "@name@_step", .arrays = "temperature temperature' sum square", .flops = 15 }},
  .series = { { "total_heat", "K m2", .leaves = "sum", .fold = TRM_KIT_INTEGRAL },
              { "mean_square", "K2", .leaves = "square", .fold = TRM_KIT_MEAN } });
