/* compressible_forms.c - what was refused before: Sutherland's law and limited slopes about bodies,
 * every flux and slope in dual time; each against an exact value, or against explicit steps. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sutherland's law about bodies --------------------------------------------------------- */

static const double law = 0.4; /* his temperature by that where the viscosity is given */

static double thicker_at(double t) { return pow(t, 1.5) * (1 + law) / (t + law); }

/* Heat from a cylinder of temperature 2 to a tube of temperature 1, a metre of it: 2 pi / ln(R / r)
 * times the integral of the conductivity over the temperature. */
static double heat_between_cylinders(void)
{
  enum { PARTS = 1000 };
  const double gamma = 1.4, conduction = 0.05 * gamma / ((gamma - 1) * 0.72);
  double sum = 0;
  for (int i = 0; i < PARTS; i++) sum += thicker_at(1 + (i + 0.5) / PARTS) / PARTS;
  return 2 * acos(-1) / log(0.4 / 0.15) * conduction * sum;
}

#define RING(n) \
  "grid.nx", n, "grid.ny", n, "grid.x0", "-0.5", "grid.y0", "-0.5", "bodies.shapes", \
  "cylinder 0.003 -0.002 0.15 isothermal 2; tube 0.003 -0.002 0.4 isothermal 1", \
  "initial.density", "0.7", "compressible.viscosity", "0.05", \
  "compressible.sutherland", "0.4", "compressible.viscosity_at", "1"

static double heat_of(trm_device *device, const char *const *sets, double end)
{
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, end, 20000, 512);
  const double given = -fv_run_last(&run, "body1_heat"), got = fv_run_last(&run, "body2_heat");
  print_message("# heat given %g, got %g\n", given, got);
  fv_run_end(&run);
  return got;
}

static void heat_between_bodies_follows_sutherland_s_law(trm_device *device)
{
  static const char *const cases[][32] = {
    { RING("32"), NULL }, { RING("48"), NULL },
    { RING("32"), "compressible.flux", "hllc", "compressible.slopes", "van-albada", NULL },
    { RING("32"), "compressible.flux", "hllc", "compressible.time", "dual", "dual.dt", "0.05",
      "dual.tolerance", "1e-4", NULL } };
  const double exact = heat_between_cylinders();
  double off[4];
  test_needs_f64(device);
  test_is_long_elsewhere(device);
  for (int i = 0; i < 4; i++) {
    off[i] = heat_of(device, cases[i], 0.6) / exact - 1;
    print_message("# case %d: heat off by %.4f\n", i, off[i]);
  }
  assert_true(fabs(off[0]) < 0.015 && fabs(off[1]) < 0.6 * fabs(off[0]));
  assert_true(fabs(off[2]) < 0.02 && fabs(off[3]) < 0.025);
}

/* Gas of temperature 1.5 has that friction by the law, and by a viscosity that is the same
 * everywhere. */
static void friction_is_that_of_the_gas_s_temperature(trm_device *device)
{
  test_is_spared(device);
  static const char *const walls[] = { "wall", "isothermal 1.5" };
  double friction[2];
  char body[64], thicker[32];
  test_needs_f64(device);
  snprintf(thicker, sizeof thicker, "%.17g", 0.01 * thicker_at(1.5));
  for (int w = 0; w < 2; w++) {
    snprintf(body, sizeof body, "cylinder 0.5 0.5 0.13 %s", walls[w]);
    for (int i = 0; i < 2; i++) {
      const char *const sets[] = { "grid.nx", "32", "grid.ny", "32", "initial.pressure", "1.5",
        "initial.velocity_x", "0.02", "bodies.shapes", body, "compressible.viscosity",
        i ? thicker : "0.01", i ? NULL : "compressible.sutherland", "0.4",
        "compressible.viscosity_at", "1", NULL };
      fv_run run = fv_run_begin(device, TRM_F64, sets);
      fv_run_advance(&run, INFINITY, 40, 40);
      friction[i] = fv_run_last(&run, "body1_friction_x");
      fv_run_end(&run);
    }
    print_message("# %s: friction %g, %g\n", walls[w], friction[0], friction[1]);
    assert_true(friction[1] > 0 && fabs(friction[0] / friction[1] - 1) < 2e-3);
  }
}

/* ---- limited slopes about bodies ------------------------------------------------------------ */

/* A shock of Mach 2 runs into gas at rest, of density 1.4 and pressure 1, before a wall. */
static const double gamma_ = 1.4, behind_p = 4.5, behind_rho = 1.4 * 8 / 3, back_p = 15;
#define TUBE(box) \
  "grid.nx", "128", "grid.ny", "16", "compressible.length_x", "2", "compressible.flux", "hllc", \
  "initial.density", "x<0.3 ? 3.7333333333333334 : 1.4", "initial.velocity_x", \
  "x<0.3 ? 1.25 : 0", "initial.pressure", "x<0.3 ? 4.5 : 1", "boundary.west", "inflow", \
  "boundary.west_velocity", "1.25 0 0", "boundary.west_density", "3.7333333333333334", \
  "boundary.west_pressure", "4.5", "boundary.east", "symmetry", "bodies.shapes", box

/* It comes back with 15 times the pressure, which nothing exceeds by much. */
static void a_shock_comes_back_from_a_body(trm_device *device)
{
  test_is_spared(device);
  static const char *const boxes[] = { "box 1.5 1.85 0 0.25 slip", "box 1.504 1.85 0 0.25 slip",
                                       "box 1.511 1.85 0 0.25 slip" };
  test_needs_f64(device);
  for (int i = 0; i < 3; i++) {
    const char *const sets[] = { TUBE(boxes[i]), "compressible.slopes", "van-albada", NULL };
    double most = 0;
    fv_run run = fv_run_begin(device, TRM_F64, sets);
    fv_run_advance(&run, 0.8, 10000, 512);
    double *p = fv_run_values(&run, "pressure");
    for (int x = 0; x < 94; x++) most = fmax(most, p[8 * 128 + x]);
    const double plateau = p[8 * 128 + 90];
    print_message("# %s: pressure up to %.4f, plateau %.4f of the exact one\n", boxes[i],
                  most / back_p, plateau / back_p);
    assert_true(most / back_p < 1.02 && fabs(plateau / back_p - 1) < 0.015);
    free(p);
    fv_run_end(&run);
  }
}

/* A stream of Mach 3: the pressure at its stagnation point by Rayleigh. Central slopes diverge. */
static void a_bow_shock_stands_before_a_cylinder(trm_device *device)
{
  static const char *const sets[] = { "grid.nx", "64", "grid.ny", "64", "grid.x0", "-1.5",
    "grid.y0", "-2", "compressible.length_x", "4", "compressible.flux", "hllc",
    "compressible.slopes", "van-albada", "initial.density", "1.4", "initial.velocity_x",
    "x<-0.8 ? 3 : 0", "boundary.west", "inflow", "boundary.west_velocity", "3 0 0",
    "boundary.west_density", "1.4", "boundary.east", "outflow", "boundary.north", "outflow",
    "boundary.south", "outflow", "bodies.shapes", "cylinder 0 0 0.5 slip", NULL };
  const double square = 9, g = gamma_;
  const double pitot = pow((g + 1) * (g + 1) * square / (4 * g * square - 2 * (g - 1)),
                           g / (g - 1)) * (1 - g + 2 * g * square) / (g + 1);
  double most = 0;
  test_needs_f64(device);
  test_is_long_elsewhere(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 3, 10000, 512);
  double *p = fv_run_values(&run, "pressure");
  for (int i = 0; i < 64 * 64; i++) most = fmax(most, p[i]);
  print_message("# %g of %g\n", most, pitot);
  assert_true(fabs(most / pitot - 1) < 0.03);
  free(p);
  fv_run_end(&run);
}

/* Among whole cells the limited slopes beside a body are the grid's own: before it reaches a body,
 * a shock has the same pressure as in a tube without one. */
static void slopes_beside_a_body_are_the_grid_s(trm_device *device)
{
  test_is_spared(device);
  static const char *const with[] = { TUBE("box 1.5 1.85 0 0.25 slip"), "compressible.slopes",
                                      "van-albada", NULL };
  static const char *const without[] = { TUBE(""), "compressible.slopes", "van-albada", NULL };
  double most = 0;
  test_needs_f64(device);
  fv_run one = fv_run_begin(device, TRM_F64, with), two = fv_run_begin(device, TRM_F64, without);
  fv_run_advance(&one, INFINITY, 120, 120); /* the shock is at 1.3, before the wall */
  fv_run_advance(&two, one.solver->time, 1000, 512);
  double *p = fv_run_values(&one, "pressure"), *q = fv_run_values(&two, "pressure");
  for (int x = 0; x < 92; x++) most = fmax(most, fabs(p[8 * 128 + x] - q[8 * 128 + x]));
  print_message("# differ by %.1e, at time %g\n", most, one.solver->time);
  assert_true(most < 1e-6 && p[8 * 128 + 70] > 0.9 * behind_p && behind_rho > 0);
  free(p);
  free(q);
  fv_run_end(&one);
  fv_run_end(&two);
}

/* ---- dual time ------------------------------------------------------------------------------ */

#define T "0.7142857142857143"
#define COLD(name) "boundary." name, "isothermal", "boundary." name "_temperature", T
#define CAVITY \
  "grid.nx", "32", "grid.ny", "32", COLD("west"), COLD("east"), COLD("south"), COLD("north"), \
  "boundary.north_velocity", "0.2 0 0", "compressible.viscosity", "0.004", \
  "initial.pressure", T

static double *flow_at(trm_device *device, const char *const *sets, double end, uint64_t steps)
{
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, end, steps, 512);
  double *u = fv_run_values(&run, "velocity");
  fv_run_end(&run);
  return u;
}

/* A flow that becomes steady is the one that explicit steps lead to. */
static void every_flux_leads_to_the_same_steady_flow(trm_device *device)
{
  static const char *const forms[][2] = { { "hllc", "central" }, { "ausm+", "central" },
                                          { "ausm", "van-albada" }, { "hllc", "van-albada" } };
  test_needs_f64(device);
  test_is_long_elsewhere(device);
  for (int i = 0; i < 4; i++) {
#define FORM "compressible.flux", forms[i][0], "compressible.slopes", forms[i][1]
    const char *const explicit[] = { CAVITY, FORM, NULL };
    const char *const steady[] = { CAVITY, FORM, "compressible.time", "steady", "dual.tolerance",
                                   "1e-6", "compressible.multigrid", i % 2 ? "1" : "0", NULL };
    double *u = flow_at(device, explicit, 60, 100000);
    double *v = flow_at(device, steady, INFINITY, 4000), most = 0;
    for (int k = 0; k < 2 * 32 * 32; k++) most = fmax(most, fabs(u[k] - v[k]) / 0.2);
    print_message("# %s, %s: steady and explicit steps differ by %.1e of the lid's speed\n",
                  forms[i][0], forms[i][1], most);
    assert_true(most < 2e-4);
    free(u);
    free(v);
  }
}

/* Mean differences of a vortex's density from short explicit steps fall with the square of the
 * step, by every flux. */
static void every_flux_has_order_two_in_the_step(trm_device *device)
{
  static const char *const forms[][2] = { { "hllc", "central" }, { "ausm+", "van-albada" } };
  enum { N = 64 };
  test_needs_f64(device);
  test_is_long_elsewhere(device);
  for (int i = 0; i < 2; i++) {
    double error[2];
    double *plain = NULL, *rho;
    for (int k = 2; k >= 0; k--) { /* 2: explicit */
      char dt[32];
      snprintf(dt, sizeof dt, "%.17g", 1.0 / (16 << k));
      const char *const sets[] = { "case", "vortex", "grid.nx", "64", "grid.ny", "64", FORM,
        k == 2 ? "compressible.cfl" : "compressible.time", k == 2 ? "0.2" : "dual",
        k == 2 ? NULL : "dual.dt", dt, "dual.tolerance", "1e-4", NULL };
      fv_run run = fv_run_begin(device, TRM_F64, sets);
      fv_run_advance(&run, 1, 100000, 512);
      rho = fv_run_values(&run, "density");
      fv_run_end(&run);
      if (k == 2) plain = rho;
      for (int c = 0; k < 2 && c < N * N; c++)
        error[k] = (c ? error[k] : 0) + fabs(rho[c] - plain[c]) / (N * N);
      if (k < 2) free(rho);
    }
    print_message("# %s, %s: off by %.2e, %.2e, order %.2f\n", forms[i][0], forms[i][1], error[0],
                  error[1], log2(error[0] / error[1]));
    assert_true(log2(error[0] / error[1]) >= 1.85);
    free(plain);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(heat_between_bodies_follows_sutherland_s_law),
    TEST_DEVICE(friction_is_that_of_the_gas_s_temperature),
    TEST_DEVICE(a_shock_comes_back_from_a_body),
    TEST_DEVICE(a_bow_shock_stands_before_a_cylinder),
    TEST_DEVICE(slopes_beside_a_body_are_the_grid_s),
    TEST_DEVICE(every_flux_leads_to_the_same_steady_flow),
    TEST_DEVICE(every_flux_has_order_two_in_the_step),
  };
  return TEST_RUN(argc, argv, cases);
}
