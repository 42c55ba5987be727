/* units.h - metres, seconds and kilograms of lattice Boltzmann, in two dimensions and three.
 *
 * A cell has a length, and a speed in lattice units stands for a speed in m/s. These set the time
 * of a step and the viscosity in lattice units. The run is the case in lattice units, bit for bit;
 * values read from it are converted back. */
#ifndef TRIREME_LBM_UNITS_H
#define TRIREME_LBM_UNITS_H

#include "solvers/solver.h"

#define LBM_UNITS_OPTIONS(speed_keys) \
  { "units.cell", TRM_OPTION_REAL, "m", "0", 0, NAN, 0, NULL, \
    "edge of a cell; 0: all is in units of the lattice" }, \
  { "units.speed", TRM_OPTION_REAL, "m/s", "0", 0, NAN, 0, NULL, \
    "speed that " speed_keys " stands for; with it a step has a time" }, \
  { "units.viscosity", TRM_OPTION_REAL, "m2/s", "0", 0, NAN, 0, NULL, \
    "kinematic viscosity of the fluid, in place of lbm.viscosity" }, \
  { "units.density", TRM_OPTION_REAL, "kg/m3", "1", 0, NAN, TRM_OPTION_EXCLUSIVE, NULL, \
    "density of the fluid" }

/* Factors of a case in SI units; cell 0: the case has no units. */
typedef struct lbm_units {
  double cell, step, speed;    /* m, s; m/s of a cell a step */
  double density;              /* kg/m3 */
  double viscosity;            /* the lattice's */
} lbm_units;

/* speed: the lattice's that units.speed is of; speed_key, speed_keys: the keys that set it, one and
 * all, for messages. */
trm_status lbm_units_read(const trm_config *config, double speed, const char *speed_key,
                          const char *speed_keys, lbm_units *out);
/* Gives a field a unit of its own. */
void lbm_units_convert(trm_field *field, const char *unit, double scale);

#endif
