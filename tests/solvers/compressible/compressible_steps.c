/* compressible_steps.c - how long a step may be: streams along diagonals at any speed, each flux at
 * the longest steps that it is given, walls colder than the gas. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The density is a wave that the stream carries along: it stays between its first values, and the
 * pressure where it was. */
static void carries_a_wave(trm_device *device, const char *flux, const char *mach, int is_solid)
{
  const char *const sets[] = {
    "grid.nx", "16", "grid.ny", "16", "grid.nz", is_solid ? "16" : "1", "compressible.flux", flux,
    "initial.velocity_x", mach, "initial.velocity_y", mach, "initial.velocity_z",
    is_solid ? mach : "0", "initial.pressure", "0.7142857", "initial.density",
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
  test_is_spared(device);
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
  test_is_spared(device);
  static const struct { const char *flux, *gamma, *bears; double step; } gases[] = {
    { "ausm", "1.4", "1.25", 0.8 }, { "ausm+", "1.4", "0.88", 0.8 },
    { "ausm+", "1.1", "0.74", 0.93 * 0.7414 }, { "hllc", "1.4", "0.645", 0.6 } };
  for (size_t i = 0; i < sizeof gases / sizeof *gases; i++)
    for (int is_long = 0; is_long < 2; is_long++) {
      char p[96];
      snprintf(p, sizeof p, "(1 + 1e-3*sin(1e4*x*x + 7e3*y))/%s", gases[i].gamma);
      const char *const sets[] = {
        "grid.nx", "16", "grid.ny", "16", "compressible.flux", gases[i].flux, "compressible.gamma",
        gases[i].gamma, "initial.pressure", p, "compressible.cfl",
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
  test_is_spared(device);
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

/* ---- heat ------------------------------------------------------------------------------- */

enum { AMPLITUDES = 3 };       /* of cos(kx) in density and temperature, of sin(kx) in velocity */

/* Linear waves of a gas that conducts heat, Navier's, Stokes's and Fourier's equations with
 * p = rho T, and density and temperature 1 beside them. */
static void rates_of_wave(double nu, double prandtl, double k, const double *a, double *to)
{
  const double gamma = 1.4;
  to[0] = -k * a[1];
  to[1] = k * (a[0] + a[2]) - 4.0 / 3.0 * nu * k * k * a[1];
  to[2] = -(gamma - 1) * k * a[1] - gamma * nu / prandtl * k * k * a[2];
}

/* By Runge and Kutta's steps, so many that more change nothing here. */
static void wave_at(double nu, double prandtl, double k, double time, double *a)
{
  enum { STEPS = 20000 };
  const double dt = time / STEPS;
  for (int i = 0; i < STEPS; i++) {
    double rate[4][AMPLITUDES], at[AMPLITUDES];
    for (int s = 0; s < 4; s++) {
      const double part = s == 0 ? 0 : s == 3 ? dt : dt / 2;
      for (int v = 0; v < AMPLITUDES; v++) at[v] = a[v] + (s ? part * rate[s - 1][v] : 0);
      rates_of_wave(nu, prandtl, k, at, rate[s]);
    }
    for (int v = 0; v < AMPLITUDES; v++)
      a[v] += dt / 6 * (rate[0][v] + 2 * rate[1][v] + 2 * rate[2][v] + rate[3][v]);
  }
}

/* A warm stripe at the pressure of the rest; by conduction alone it is exp(-nu / Pr k^2 t). */
static void conducts(trm_device *device, double prandtl, double nu, double time, const char *form,
                     const char *value)
{
  const double pi = 3.14159265358979323846, k = 2 * pi, small = 1e-4;
  double a[AMPLITUDES] = { -small, 0, small }, found = 0;
  char pr[32], viscosity[32];
  snprintf(pr, sizeof pr, "%g", prandtl);
  snprintf(viscosity, sizeof viscosity, "%g", nu);
  const char *const sets[] = {
    "grid.nx", "32", "grid.ny", "16", "compressible.prandtl", pr, "compressible.viscosity",
    viscosity, "initial.density", "1 - 1e-4*cos(2*pi*x)", "compressible.slopes",
    "central", form, value, NULL };
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, time, UINT64_MAX, 64);
  double *rho = fv_run_values(&run, "density"), *p = fv_run_values(&run, "pressure");
  for (int i = 0; i < 32; i++) found += p[i] / rho[i] * cos(k * (i + 0.5) / 32) / 16;
  wave_at(nu, prandtl, k, time, a);
  print_message("# Pr %g, %s: %llu steps, temperature's amplitude %.5f of the first, exact %.5f\n",
                prandtl, value, (unsigned long long)run.solver->step, found / small,
                a[2] / small);
  assert_true(fabs(found - a[2]) <= 0.01 * small);
  free(p);
  free(rho);
  fv_run_end(&run);
}

static void heat_spreads_at_any_prandtl_number(trm_device *device)
{
  test_is_spared(device);
  conducts(device, 0.01, 0.001, 0.25, "compressible.flux", "ausm");
  conducts(device, 0.01, 0.001, 0.25, "compressible.flux", "hllc");
  conducts(device, 0.01, 0.001, 0.25, "compressible.cfl_viscous", "0.59");
  conducts(device, 0.1, 0.01, 0.25, "compressible.flux", "ausm+");
  conducts(device, 0.72, 0.02, 0.5, "compressible.flux", "ausm");
  conducts(device, 100, 0.02, 0.5, "compressible.flux", "ausm");
}

/* Noise, by any kind of step: it stays where it was or less, and no step is the longest that could
 * be without conduction. */
static void noise_dies_at_small_prandtl_numbers(trm_device *device)
{
  test_is_spared(device);
#define NOISE "grid.nx", "16", "grid.ny", "16", "initial.pressure", \
              "1 + 0.1*sin(1e4*x*x + 7e3*y + 5e3*z)", "initial.density", \
              "1 + 0.2*sin(7e3*x + 1e4*y*y + 9e3*z*z)", "compressible.viscosity", "0.02"
  static const char *const cases[][20] = {
    { NOISE, "compressible.prandtl", "0.01", NULL },
    { NOISE, "compressible.prandtl", "0.2", "compressible.gamma", "1.6667", NULL },
    { NOISE, "compressible.prandtl", "0.1", "compressible.sutherland", "0.4",
      "compressible.viscosity_at", "1", NULL },
    { NOISE, "compressible.prandtl", "0.1", "compressible.sutherland", "0.4",
      "compressible.viscosity_at", "1", "compressible.flux",
      "hllc", NULL },
    { NOISE, "compressible.prandtl", "0.02", "grid.nx", "32", "grid.levels", "1",
      "mesh.refine", "0 0.2 0 0.5",
      NULL },
    { NOISE, "compressible.prandtl", "0.05", "grid.nz", "16", NULL },
    { NOISE, "compressible.prandtl", "0.02", "compressible.time", "dual", "dual.cfl", "4", NULL },
    { NOISE, "compressible.prandtl", "0.02", "compressible.time", "steady", NULL },
    { NOISE, "compressible.prandtl", "0.02", "bodies.shapes",
      "cylinder 0.5 0.5 0.2 isothermal 1.2", NULL },
    { NOISE, "compressible.prandtl", "0.02", "bodies.shapes", "cylinder 0.5 0.5 0.2 slip",
      NULL },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fv_run run = fv_run_begin(device, TRM_F32, cases[i]);
    const int is_implicit = run.solver->kept_count > 0;
    fv_run_advance(&run, INFINITY, is_implicit ? 8 : 60, 16);
    double *rho = fv_run_values(&run, "density"), *p = fv_run_values(&run, "pressure");
    size_t count;
    double most = 0;
    TEST_OK(trm_field_elements(&run.solver->fields[0], &count));
    for (size_t k = 0; k < count; k++)
      if (rho[k] > 0) most = fmax(most, fabs(p[k] / rho[k] - 1));
    print_message("# case %zu: temperature within %.3f of 1\n", i, most);
    assert_true(most <= 0.35);
    free(p);
    free(rho);
    fv_run_end(&run);
  }
}

/* Between walls of the gas's own temperature noise dies. With too long a step a swing from cell to
 * cell stayed for ever, of up to 1.4 times the temperature. */
static void noise_dies_between_walls_of_a_temperature(trm_device *device)
{
  test_is_spared(device);
#define WARM(name) "boundary." name, "isothermal"
#define ROUND WARM("west"), WARM("east"), WARM("south"), WARM("north")
#define STIR "grid.nx", "16", "grid.ny", "16", "initial.velocity_x", \
             "0.01*sin(37*x*x+91*y)*cos(17*x+43*y*y)", "initial.velocity_y", \
             "0.01*sin(71*y*y+31*x)", ROUND
  static const char *const cases[][40] = {
    { STIR, "compressible.viscosity", "0.2", NULL },
    { STIR, "compressible.viscosity", "0.2", "compressible.flux", "hllc", NULL },
    { STIR, "compressible.viscosity", "0.2", "compressible.prandtl", "0.1", NULL },
    { STIR, "compressible.viscosity", "0.2", "compressible.prandtl", "0.1", "grid.nz", "16",
      WARM("bottom"), WARM("top"), NULL },
    { STIR, "compressible.viscosity", "0.2", "compressible.prandtl", "10", "grid.nz", "16",
      WARM("bottom"), WARM("top"), "compressible.cfl_viscous", "0.59", NULL },
    { STIR, "compressible.viscosity", "0.008", "compressible.flux", "ausm+", NULL },
    { STIR, "compressible.viscosity", "0.011", "compressible.flux", "ausm+", NULL },
    { STIR, "compressible.viscosity", "0.016", "compressible.flux", "ausm+", NULL },
    { STIR, "compressible.viscosity", "0.02", "compressible.flux", "ausm+", NULL } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fv_run run = fv_run_begin(device, TRM_F32, cases[i]);
    const size_t n = run.solver->fields->nx * run.solver->fields->ny * run.solver->fields->nz;
    fv_run_advance(&run, INFINITY, 500, 250);
    double *p = fv_run_values(&run, "pressure"), *rho = fv_run_values(&run, "density");
    double *u = fv_run_values(&run, "velocity"), most = 0, mean = 0;
    for (size_t k = 0; k < 2 * n; k++) most = fmax(most, fabs(u[k]));
    for (size_t k = 0; k < n; k++) mean += p[k] / (double)n;
    for (size_t k = 0; k < n; k++)
      most = fmax(most, fabs(p[k] / mean - 1) + fabs(p[k] / rho[k] - 1));
    print_message("# case %zu: speed, pressure and temperature vary by %.1e\n", i, most);
    assert_true(most <= 2e-3);
    free(u);
    free(p);
    free(rho);
    fv_run_end(&run);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(streams_along_diagonals_stay_smooth),
    TEST_DEVICE(gas_at_rest_stays_so),
    TEST_DEVICE(steps_beyond_a_flux_are_refused),
    TEST_DEVICE(walls_may_be_cold),
    TEST_DEVICE(heat_spreads_at_any_prandtl_number),
    TEST_DEVICE(noise_dies_at_small_prandtl_numbers),
    TEST_DEVICE(noise_dies_between_walls_of_a_temperature),
  };
  return TEST_RUN(argc, argv, cases);
}
