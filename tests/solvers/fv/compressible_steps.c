/* compressible_steps.c - how long a step may be: streams along diagonals at any speed, each flux at
 * the longest steps that it is given, walls colder than the gas. */
#include "tests/solvers/fv/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The density is a wave that the stream carries along: it stays between its first values, and the
 * pressure where it was. */
static void carries_a_wave(trm_device *device, const char *flux, const char *mach, int is_solid)
{
  const char *const sets[] = {
    "grid.nx", "16", "grid.ny", "16", "grid.nz", is_solid ? "16" : "1", "compressible.flux", flux,
    "compressible.velocity_x", mach, "compressible.velocity_y", mach, "compressible.velocity_z",
    is_solid ? mach : "0", "compressible.pressure", "0.7142857", "compressible.density",
    is_solid ? "1 + 0.2*sin(2*pi*(x + y + z)) + 0.001*cos(2*pi*(3*x - 5*y))"
             : "1 + 0.2*sin(2*pi*(x + y)) + 0.001*cos(2*pi*(3*x - 5*y))", NULL };
  fv_run run = fv_run_begin(device, TRM_F32, sets);
  fv_run_advance(&run, INFINITY, is_solid ? 120 : 300, 120);
  double *rho = fv_run_values(&run, "density"), *p = fv_run_values(&run, "pressure");
  double most = 0, off = 0;
  for (size_t i = 0; i < (is_solid ? 4096u : 256u); i++) {
    most = fmax(most, fabs(rho[i] - 1));
    off = fmax(off, fabs(p[i] / 0.7142857 - 1));
  }
  print_message("# %s, Mach %s, %s: density within %.3f, pressure within %.1e\n", flux, mach,
                is_solid ? "in space" : "flat", most, off);
  assert_true(most <= 0.205 && off <= 0.02);
  free(p);
  free(rho);
  fv_run_end(&run);
}

static void streams_along_diagonals_stay_smooth(trm_device *device)
{
  for (int is_solid = 0; is_solid < 2; is_solid++) {
    carries_a_wave(device, "ausm", "3", is_solid);
    carries_a_wave(device, "ausm+", "3", is_solid);
    carries_a_wave(device, "hllc", "5", is_solid);
  }
}

/* Gas at rest, but for a little noise, whose velocity would swing from cell to cell. The step that
 * a flux is given by itself, and the longest that is not refused, keep it at rest. */
static void gas_at_rest_stays_so(trm_device *device)
{
  static const struct { const char *flux, *gamma, *bears; double step; } gases[] = {
    { "ausm", "1.4", "1.25", 0.8 }, { "ausm+", "1.4", "0.88", 0.8 },
    { "ausm+", "1.1", "0.74", 0.93 * 0.7414 }, { "hllc", "1.4", "0.645", 0.6 } };
  for (size_t i = 0; i < sizeof gases / sizeof *gases; i++)
    for (int is_long = 0; is_long < 2; is_long++) {
      char p[96];
      snprintf(p, sizeof p, "(1 + 1e-3*sin(1e4*x*x + 7e3*y))/%s", gases[i].gamma);
      const char *const sets[] = {
        "grid.nx", "16", "grid.ny", "16", "compressible.flux", gases[i].flux, "compressible.gamma",
        gases[i].gamma, "compressible.pressure", p, "compressible.cfl",
        is_long ? gases[i].bears : "0", NULL };
      fv_run run = fv_run_begin(device, TRM_F32, sets);
      fv_run_advance(&run, INFINITY, 1500, 500);
      const double step = is_long ? atof(gases[i].bears) : gases[i].step;
      const double made = 16 * fv_run_last(&run, "dt");
      print_message("# %s, gamma %s: steps of %.4f of a cell\n", gases[i].flux, gases[i].gamma,
                    made);
      assert_true(made <= 1.0001 * step && made >= 0.995 * step);
      fv_run_end(&run);
    }
}

static void steps_beyond_a_flux_are_refused(trm_device *device)
{
  static const struct { const char *const sets[7], *part; } wrong[] = {
    { { "compressible.flux", "ausm+", "compressible.cfl", "0.89", NULL }, "bears 0.883" },
    { { "compressible.flux", "ausm+", "compressible.gamma", "1.1", "compressible.cfl", "0.8",
        NULL }, "bears 0.741" },
    { { "compressible.flux", "hllc", "compressible.cfl", "0.65", NULL }, "bears 0.647" } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    fv_run_refused(device, wrong[i].sets, TRM_ERROR_INPUT, wrong[i].part);
}

/* Gas between walls of a tenth of its temperature, with slopes that are not limited. */
static void walls_may_be_cold(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "16", "grid.ny", "32", "compressible.viscosity", "0.001", "boundary.south",
    "isothermal", "boundary.south_temperature", "0.1", "boundary.north", "isothermal",
    "boundary.north_temperature", "0.1", NULL };
  fv_run run = fv_run_begin(device, TRM_F32, sets);
  fv_run_advance(&run, INFINITY, 400, 400);
  double *rho = fv_run_values(&run, "density"), *p = fv_run_values(&run, "pressure");
  for (size_t i = 0; i < 512; i++) assert_true(p[i] / rho[i] >= 0.1 && p[i] / rho[i] <= 1.05);
  assert_true(p[8] / rho[8] <= 0.6);
  free(p);
  free(rho);
  fv_run_end(&run);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(streams_along_diagonals_stay_smooth),
    TEST_DEVICE(gas_at_rest_stays_so),
    TEST_DEVICE(steps_beyond_a_flux_are_refused),
    TEST_DEVICE(walls_may_be_cold),
  };
  return TEST_RUN(argc, argv, cases);
}
