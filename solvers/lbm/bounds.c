/* bounds.c - what lattice Boltzmann can bear, and how fast a flow will be. */
#include "solvers/lbm/bounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/solver.h"

static const double pi = 3.14159265358979323846;

double lbm_fastest(void) { return LBM_MACH / sqrt(3.0); }

/* ---- cures ------------------------------------------------------------------------ */

/* The unit of the third digit; what is that near to a whole number of it is one. */
static double third_digit(double value) { return pow(10.0, floor(log10(value)) - 2.0); }

double lbm_round_down(double value)
{
  if (!(value > 0.0) || !isfinite(value)) return value;
  const double unit = third_digit(value);
  return floor(value / unit * (1.0 + 1e-12)) * unit;
}

double lbm_round_up(double value)
{
  if (!(value > 0.0) || !isfinite(value)) return value;
  const double unit = third_digit(value);
  return ceil(value / unit * (1.0 - 1e-12)) * unit;
}

/* ---- a run's length ---------------------------------------------------------------- */

double lbm_steps_of(const trm_config *config, double step)
{
  double most = INFINITY;
  if (trm_config_is_given(config, "run.steps")) {
    const double steps = (double)trm_config_integer(config, "run.steps");
    if (steps < strtod(TRM_STEPS_UNTIL_END, NULL)) most = steps;
  }
  if (trm_config_is_given(config, "run.end_time")) {
    const double end = trm_config_real(config, "run.end_time");
    if (end > 0.0) most = fmin(most, end / step);
  }
  return most;
}

/* ---- one number ---------------------------------------------------------------------- */

/* A rate near 2 keeps few digits of the viscosity: in single precision less than 5e-7 may be
 * wrong by more than a hundredth. */
trm_status lbm_check_viscosity(const trm_config *config, const char *key, double viscosity,
                               int is_single)
{
  const double omega = 1.0 / (3.0 * viscosity + 0.5);
  const double kept = (1.0 / (is_single ? (double)(float)omega : omega) - 0.5) / 3.0;
  if (!(viscosity <= LBM_MOST_VISCOSITY * (1.0 + 1e-12)))
    return TRM_FAIL(INPUT, "%s: a viscosity of %g on the lattice: above %g shear crosses more than "
                    "a cell a step, which no step follows; make the viscosity and the speeds %.3g "
                    "times smaller, for as many more steps at the same Reynolds number",
                    trm_config_origin(config, key), viscosity, LBM_MOST_VISCOSITY,
                    lbm_round_up(viscosity / LBM_MOST_VISCOSITY));
  if (!(omega < 2.0) || !(fabs(kept / viscosity - 1.0) <= 0.01))
    return TRM_FAIL(INPUT, "%s: the viscosity %g is %s in this precision; make %s",
                    trm_config_origin(config, key), viscosity, kept == 0.0 || !(omega < 2.0) ? "0"
                    : "off by more than 1 %", is_single && viscosity >= 1e-14
                    ? "it 5e-7 or more, or set run.precision = \"f64\"" : "it 1e-13 or more");
  return TRM_OK;
}

trm_status lbm_check_reference(const trm_config *config, double speed)
{
  if (speed <= lbm_fastest() * (1.0 + 1e-12)) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: lbm.reference_speed = %g is in cells a step: Mach %.3g, and the "
                  "method holds up to Mach %g; make it %.3g or less",
                  trm_config_origin(config, "lbm.reference_speed"), speed, speed * sqrt(3.0),
                  LBM_MACH, lbm_round_down(lbm_fastest()));
}

trm_status lbm_refuse_magic(const trm_config *config, double magic)
{
  return TRM_FAIL(INPUT, "%s: lbm.magic = %g; outside %g to %g one of the two rates is so near to "
                  "2 or to 0 that its moments hardly relax; 0.1875 puts walls half-way",
                  trm_config_origin(config, "lbm.magic"), magic, LBM_LEAST_MAGIC, LBM_MOST_MAGIC);
}

/* ---- forces ---------------------------------------------------------------------------- */

double lbm_force_cure(double force, double mach)
{
  return lbm_round_down(0.98 * fabs(force) * LBM_MACH / mach);
}

/* Of "body_force along x" the key. */
static const char *origin_of(const trm_config *config, const char *name)
{
  char key[64];
  snprintf(key, sizeof key, "%.*s", (int)strcspn(name, " "), name);
  return trm_config_origin(config, key);
}

trm_status lbm_refuse_force(const trm_config *config, const char *name, double force, double mach)
{
  return TRM_FAIL(INPUT, "%s: %s = %g drives the flow to Mach %.3g, and the "
                         "method holds up to Mach %g; make it %.3g or "
                         "less", origin_of(config, name), name, force,
                  mach, LBM_MACH, lbm_force_cure(force, mach));
}

/* The density grows along the force, by exp(3 a x). */
trm_status lbm_check_standing(const trm_config *config, const char *name, double force,
                              double acceleration, int n)
{
  const double differs = 1.5 * acceleration * n;
  if (differs <= LBM_MACH * (1.0 + 1e-9)) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: %s = %g against the walls at its ends makes the "
                  "density differ by %.3g times the mean, and the method holds up to %g; make it "
                  "%.3g or less", origin_of(config, name), name, force,
                      2.0 * differs, 2.0 * LBM_MACH,
                  lbm_round_down(fabs(force) * LBM_MACH / differs));
}

/* ---- the speed that a force reaches ---------------------------------------------------- */

/* In the middle between walls, of a gap or of a duct (F. M. White, Viscous Fluid Flow, 3-3.3). */
static double duct_speed(double acceleration, double viscosity, const double across[2])
{
  const double narrow = fmin(across[0], across[1]), ratio = fmax(across[0], across[1]) / narrow;
  double sum = 0.0;
  if (!isfinite(narrow)) return INFINITY;
  for (int k = 1; k < 40 && isfinite(ratio); k += 2)
    sum += (k % 4 == 1 ? 1.0 : -1.0) / ((double)k * k * k * cosh(0.5 * k * pi * fmin(ratio, 8.0)));
  return acceleration * narrow * narrow / (8.0 * viscosity) * (1.0 - 32.0 / (pi * pi * pi) * sum);
}

/* In the middle of a turbulent flow, by the law of the wall; INFINITY where flow stays laminar. */
static double turbulent_speed(double acceleration, double viscosity, double across)
{
  const double friction = sqrt(0.5 * acceleration * across); /* speed */
  const double reynolds = 0.5 * friction * across / viscosity;
  return isfinite(across) && reynolds > 90.0 ? friction * (2.5 * log(reynolds) + 6.0) : INFINITY;
}

lbm_reach lbm_reach_of(double acceleration, double viscosity, const double across[2], double steps)
{
  const double early = acceleration * steps;
  const double narrow = fmin(across[0], across[1]);
  const double laminar = fmin(duct_speed(acceleration, viscosity, across), early);
  return (lbm_reach){ laminar, fmin(laminar, turbulent_speed(acceleration, viscosity, narrow)) };
}
