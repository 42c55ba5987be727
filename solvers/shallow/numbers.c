/* numbers.c - numbers of a case against what the method and the precision can bear. */
#include "solvers/shallow/shallow.h"

#include <float.h>
#include <math.h>

/* hllc: two directions share a cell's water, so each may have half of the limit of a single one. */
static const double MOST_CFL = 0.5;
/* The roots of friction serve depths from here on, and the squares of such depths are numbers. */
static const double LEAST_DRY = 1e-12;

static trm_status check_step(const shallow_solver *swe, const trm_config *config)
{
  const double cfl = trm_config_real(config, "shallow.cfl");
  if (swe->p.scheme == SHALLOW_HLLC && cfl > MOST_CFL)
    return TRM_FAIL(INPUT, "%s: shallow.cfl = %g: hllc is stable up to %g in two dimensions; set "
                    "it to %g or less (0.25 never gives a negative depth)",
                    trm_config_origin(config, "shallow.cfl"), cfl, MOST_CFL, MOST_CFL);
  return TRM_OK;
}

static trm_status check_dry(const shallow_solver *swe, const trm_config *config)
{
  const char *key = "shallow.dry", *origin = trm_config_origin(config, key);
  const double dry = trm_config_real(config, key);
  if (dry == 0.0) return TRM_OK;
  if (swe->p.scheme == SHALLOW_HLLC && dry < LEAST_DRY)
    return TRM_FAIL(INPUT, "%s: %s = %g: friction and speeds are computed for depths of %g or "
                    "more; set it to that, or leave it out", origin, key, dry, LEAST_DRY);
  if (swe->deepest > 0.0 && dry >= swe->deepest)
    return TRM_FAIL(INPUT, "%s: %s = %g, and the deepest water of the start is %.6g: nothing would "
                    "move; set it to a thousandth of that or less, or leave it out", origin, key,
                    dry, swe->deepest);
  return TRM_OK;
}

/* A hydrograph's times, and numbers derived from its values, in the run's precision. */
static trm_status check_water(const shallow_solver *swe, int side, const trm_config *config)
{
  static const char *const keys[SHALLOW_SIDES][2] = {
    { "boundary.west_value", "boundary.west_table" },
    { "boundary.east_value", "boundary.east_table" },
    { "boundary.south_value", "boundary.south_table" },
    { "boundary.north_value", "boundary.north_table" } };
  const trm_table *water = &swe->sides[side].water;
  const int is_f64 = swe->real_type == TRM_TYPE_F64;
  const double largest = is_f64 ? DBL_MAX : FLT_MAX;
  const char *key = keys[side][*trm_config_string(config, keys[side][1]) != 0];
  const char *origin = trm_config_origin(config, key);
  for (size_t i = 0; i < water->count; i++) {
    const double value = water->values[i], flow = value * value / swe->p.g;
    if (!(fmax(fabs(value), flow) < 1e-6 * largest))
      return TRM_FAIL(INPUT, "%s: %s: the value %g is too large for the run's precision; give m, "
                      "or m^2/s for each metre of edge", origin, key, value);
    if (i == 0 || is_f64 || (float)water->places[i] > (float)water->places[i - 1]) continue;
    return TRM_FAIL(INPUT, "%s: %s: the times %.17g and %.17g are one number in f32; count them "
                    "from the run's start, or set run.precision = \"f64\"", origin, key,
                    water->places[i - 1], water->places[i]);
  }
  return TRM_OK;
}

trm_status shallow_check_numbers(const shallow_solver *swe, const trm_config *config)
{
  TRM_TRY(check_step(swe, config));
  TRM_TRY(check_dry(swe, config));
  for (int side = 0; side < SHALLOW_SIDES; side++) TRM_TRY(check_water(swe, side, config));
  return TRM_OK;
}
