/* channel_units.c - metres, seconds and kilograms of a channel.
 *
 * A cell has a length, and a speed of the lattice (lbm.speed, or lbm.wall_speed) stands for one in
 * m/s: from these follow the time of a step and the lattice's viscosity. What is computed is the
 * lattice's own case, bit for bit; what is read from it is multiplied back. */
#include "solvers/lbm/channel/channel.h"

#include <math.h>

/* Outside, errors of walls and of time grow, and most flows become unstable. */
static const double least_omega = 0.5, most_omega = 1.99;

static double viscosity_of(double omega) { return (1.0 / omega - 0.5) / 3.0; }

/* viscosity: the lattice's. */
static trm_status check_rate(const trm_config *config, double cell, double lattice,
                             double viscosity)
{
  const double omega = 1.0 / (3.0 * viscosity + 0.5);
  const double least = viscosity_of(most_omega), most = viscosity_of(least_omega);
  if (omega > most_omega)
    return TRM_FAIL(INPUT, "%s: this viscosity is %.3g on the lattice, a relaxation rate of %.5g, "
                    "above %g; make units.cell %.3g m or less (and the grid finer), or lbm.speed "
                    "%.3g or more", trm_config_origin(config, "units.viscosity"), viscosity, omega,
                    most_omega, cell * viscosity / least, lattice * least / viscosity);
  if (omega < least_omega)
    return TRM_FAIL(INPUT, "%s: this viscosity is %.3g on the lattice, a relaxation rate of %.3g, "
                    "below %g; make lbm.speed %.3g or less, for shorter steps",
                    trm_config_origin(config, "units.viscosity"), viscosity, omega, least_omega,
                    lattice * most / viscosity);
  return TRM_OK;
}

trm_status channel_read_units(channel_solver *flow, const trm_config *config,
                              const channel_scene *scene)
{
  const double cell = trm_config_real(config, "units.cell");
  const double speed = trm_config_real(config, "units.speed");
  const double viscosity = trm_config_real(config, "units.viscosity");
  const double lattice = fmax(fabs(scene->speed), fabs(scene->wall_speed));
  const int given = (cell > 0) + (speed > 0) + (viscosity > 0);
  if (given == 0) return TRM_OK;
  if (given < 3)
    return TRM_FAIL(INPUT, "%s: units.cell, units.speed and units.viscosity go together; set %s "
                    "too", trm_config_origin(config, cell > 0 ? "units.cell" : speed > 0
                    ? "units.speed" : "units.viscosity"), cell == 0 ? "units.cell"
                    : speed == 0 ? "units.speed" : "units.viscosity");
  if (lattice == 0)
    return TRM_FAIL(INPUT, "%s: set lbm.speed, or lbm.wall_speed, to what units.speed is on the "
                    "lattice (0.05, say)", trm_config_origin(config, "units.speed"));
  flow->units.cell = cell;
  flow->box.step_time = cell * lattice / speed;
  flow->units.density = trm_config_real(config, "units.density");
  flow->units.viscosity = viscosity * flow->box.step_time / (cell * cell);
  return check_rate(config, cell, lattice, flow->units.viscosity);
}

/* A field, or a number read from the device, in a unit of its own. */
static void convert_field(trm_field *field, const char *unit, double scale)
{
  field->unit = unit;
  field->scale = scale;
}

void channel_declare_units(channel_solver *flow)
{
  const channel_units *units = &flow->units;
  const double speed = units->cell / flow->box.step_time;
  if (units->cell == 0) return;
  for (int a = 0; a < 3; a++) flow->box.base.spacing[a] = units->cell;
  flow->box.base.length_unit = "m";
  flow->box.base.time_unit = "s";
  convert_field(&flow->box.fields[1], "m/s", speed);
  convert_field(&flow->box.fields[2], "kg/m3", units->density);
  convert_field(&flow->box.fields[3], "m/s", speed);
  convert_field(&flow->box.fields[4], "1/s", 1.0 / flow->box.step_time);
  for (size_t i = 0; i < flow->box.base.series_count; i++) {
    trm_series *series = &flow->series[i];
    const size_t part = (i - (flow->p.has_forces ? 2 : 0)) % 3;
    const int is_force = flow->p.has_forces && i < 2, is_density = part == 2;
    if (is_force && flow->reference_speed > 0) continue;   /* a coefficient */
    series->unit = is_force ? "N/m" : is_density ? "kg/m3" : "m/s";
    series->divisor /= is_force ? units->density * speed * speed * units->cell
                       : is_density ? units->density : speed;
  }
  flow->results[3].unit = "kg/m";
  flow->results[10].unit = "s";
}
