/* units.c - metres, seconds and kilograms of lattice Boltzmann. */
#include "solvers/lbm/units.h"

#include <stdio.h>

#include "solvers/lbm/bounds.h"

/* Outside, errors of walls and of time grow, and most flows become unstable. */
static const double least_omega = 0.5, most_omega = 1.99;

static double viscosity_of(double omega) { return (1.0 / omega - 0.5) / 3.0; }

/* A larger speed of the lattice, and longer steps, where the method bears it. */
static void tell_speed(double speed, double needed, const char *speed_key, char *text, size_t bytes)
{
  if (needed > lbm_fastest()) {
    text[0] = '\0';
    return;
  }
  snprintf(text, bytes, ", or %s and all velocities of the case %.3g times as large (%s = %.3g)",
           speed_key, lbm_round_up(needed) / speed, speed_key, lbm_round_up(needed));
}

/* viscosity: the lattice's. */
static trm_status check_rate(const trm_config *config, double cell, double lattice,
                             double viscosity, const char *speed_key)
{
  char faster[160];
  const double omega = 1.0 / (3.0 * viscosity + 0.5);
  const double least = viscosity_of(most_omega), most = viscosity_of(least_omega);
  tell_speed(lattice, lattice * least / viscosity, speed_key, faster, sizeof faster);
  if (omega > most_omega)
    return TRM_FAIL(INPUT, "%s: this viscosity is %.3g on the lattice, a relaxation rate of %.5g, "
                    "above %g; make units.cell %.3g m or less (and the grid %.3g times finer)%s",
                    trm_config_origin(config, "units.viscosity"), viscosity, omega, most_omega,
                    lbm_round_down(cell * viscosity / least), lbm_round_up(least / viscosity),
                    faster);
  if (omega < least_omega)
    return TRM_FAIL(INPUT, "%s: this viscosity is %.3g on the lattice, a relaxation rate of %.3g, "
                    "below %g; make %s %.3g or less, for shorter steps, and all velocities of the "
                    "case as many times smaller",
                    trm_config_origin(config, "units.viscosity"), viscosity, omega, least_omega,
                    speed_key, lbm_round_down(lattice * most / viscosity));
  return TRM_OK;
}

trm_status lbm_units_read(const trm_config *config, double speed, const char *speed_key,
                          const char *speed_keys, lbm_units *out)
{
  const double cell = trm_config_real(config, "units.cell");
  const double metres = trm_config_real(config, "units.speed");
  const double viscosity = trm_config_real(config, "units.viscosity");
  const int given = (cell > 0) + (metres > 0) + (viscosity > 0);
  *out = (lbm_units){ 0 };
  static const trm_option_need density = { "units.density", "units.cell", NULL };
  if (given == 0) return trm_config_check_needs(config, &density, 1);
  if (given < 3)
    return TRM_FAIL(INPUT, "%s: units.cell, units.speed and units.viscosity go together; set %s "
                    "too", trm_config_origin(config, cell > 0 ? "units.cell" : metres > 0
                    ? "units.speed" : "units.viscosity"), cell == 0 ? "units.cell"
                    : metres == 0 ? "units.speed" : "units.viscosity");
  if (speed == 0)
    return TRM_FAIL(INPUT, "%s: set %s to units.speed in lattice units (0.05, say)",
                    trm_config_origin(config, "units.speed"), speed_keys);
  const double step = cell * speed / metres;
  *out = (lbm_units){ cell, step, cell / step, trm_config_real(config, "units.density"),
                      viscosity * step / (cell * cell) };
  return check_rate(config, cell, speed, out->viscosity, speed_key);
}

void lbm_units_convert(trm_field *field, const char *unit, double scale)
{
  field->unit = unit;
  field->scale = scale;
  field->terms *= scale;
}
