/* compressible_edges.c - sides whose values are formulas of x, y, z and t or follow a table in
 * time, and sides of two kinds: against the host's formulas, an exact wave, what is blown in, and
 * the double Mach reflection. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- formulas on a device -------------------------------------------------------------------- */

#define EVERYTHING \
  "2 + 0.01*(exp(-x*t) + log(1 + y) + sin(9*y) - cos(7*t) + tanh(y - x) + cosh(t) + sech(y)" \
  " + abs(y - 0.5) + sqrt(t) + floor(3*y) + min(x, y) - max(t, y) + y^2 + (1 + y)^0.37 - -y^-1" \
  " + (y < 0.5 ? y : t) + (x >= y) + (y <= 0.25))"

/* The density at the side, in cells beyond it. */
static void functions_are_those_of_the_host(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "32", "grid.ny", "16", "grid.x0", "0.25", "boundary.west", "inflow",
    "boundary.east", "outflow", "boundary.west_density", EVERYTHING, "boundary.west_velocity",
    "3 0 0", "initial.velocity_x", "3", "initial.density", "2", NULL };
  static const char *const names[] = { "x", "y", "z", "t" };
  for (int p = 0; p < 2; p++) {
    trm_formula *formula;
    double got[16], most = 0;
    fv_run run = fv_run_begin(device, (trm_precision)p, sets);
    fv_solver *fv = (fv_solver *)run.solver;
    TEST_OK(trm_formula_create(EVERYTHING, names, 4, "the test", &formula));
    fv_run_advance(&run, 0.7, 1000, 100);
    TEST_OK(fv_launch_ghosts(fv));
    TEST_OK(trm_framework_read_reals(fv->edges.values, fv->real_type, 3 * 16, got, 16));
    for (int i = 0; i < 16; i++) {
      const double at[] = { 0.25 - 0.5 / 32, (i + 0.5) / 32, 0, run.solver->time };
      assert_true(isfinite(got[i]));
      most = fmax(most, fabs(got[i] - trm_formula_value(formula, at)));
    }
    print_message("# off by %.1e\n", most);
    assert_true(run.solver->time == 0.7 || p == TRM_F32);
    assert_true(most <= (p == TRM_F64 ? 1e-15 : 1e-6) * 4);
    trm_formula_destroy(&formula);
    fv_run_end(&run);
  }
}

/* A value that goes through the device's formulas is the number that it is. */
static void a_formula_of_one_value_changes_no_bit(trm_device *device)
{
  test_is_spared(device);
#define THROUGH(density) \
  "grid.nx", "16", "grid.ny", "16", "grid.nz", "8", "initial.velocity_x", "0.3", \
  "boundary.west", "subsonic_inflow", "boundary.west_density", density, \
  "boundary.west_velocity", "0.3 0 0", "boundary.east", "subsonic_outflow", "boundary.south", \
  "isothermal", "boundary.south_velocity", "0.1 0 0", "boundary.north", "farfield"
  static const char *const plain[] = { THROUGH("1.1"), NULL };
  static const char *const formula[] = {
    THROUGH("1.1 + 0*t"), "boundary.south_temperature", "1 + 0*x", "boundary.east_pressure",
    "1 + 0*z", "boundary.north_pressure", "1 + 0*t*x", NULL };
  for (int p = 0; p < 2; p++) {
    char print[2][33];
    for (int i = 0; i < 2; i++) {
      fv_run run = fv_run_begin(device, (trm_precision)p, i ? formula : plain);
      fv_run_advance(&run, INFINITY, 30, 30);
      TEST_OK(trm_solver_fingerprint(run.solver, print[i]));
      fv_run_end(&run);
    }
    assert_string_equal(print[0], print[1]);
  }
}

/* ---- a wave that comes in -------------------------------------------------------------------- */

/* Density waves run with the gas: what came in at the west at a time. The mean error. */
static double error_of_wave(trm_device *device, const char *nx, const char *length, int n)
{
  const char *const sets[] = {
    "grid.nx", nx, "grid.ny", "16", "compressible.length_x", length,
    "initial.density", "1.4 + 0.2*sin(2*pi*x)", "initial.velocity_x", "2",
    "boundary.west", "inflow", "boundary.west_velocity", "2 0 0", "boundary.west_density",
    "1.4 + 0.2*sin(2*pi*(x - 2*t))", "boundary.east", "outflow", NULL };
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 0.8, 10000, 128);
  double *rho = fv_run_values(&run, "density"), sum = 0;
  for (int i = 0; i < n / 2; i++) { /* what the east did not see yet */
    const double k = acos(-1.0) / n, mean = sin(2 * k * (i + 0.5) - 3.2 * acos(-1.0)) * sin(k) / k;
    sum += fabs(rho[i] - 1.4 - 0.2 * mean) / (n / 2);
  }
  free(rho);
  fv_run_end(&run);
  return sum;
}

static void a_wave_comes_in_in_time(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  const double coarse = error_of_wave(device, "64", "1", 64);
  const double fine = error_of_wave(device, "128", "1", 128);
  print_message("# L1 %.3e %.3e, order %.2f\n", coarse, fine, log2(coarse / fine));
  assert_true(log2(coarse / fine) >= 1.8);
}

static void a_table_is_followed(trm_device *device)
{
  test_is_spared(device);
  char path[256];
  snprintf(path, sizeof path, "%s/edges-table.txt", test_folder());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("# time factor\n0 1\n0.1 1.5\n0.3 1.25\n", file);
  fclose(file);
#define SUPERSONIC "grid.nx", "32", "grid.ny", "16", "initial.velocity_x", "2", \
  "boundary.west", "inflow", "boundary.west_velocity", "2 0 0", "boundary.east", "outflow"
  const char *const sets[2][24] = {
    { SUPERSONIC, "boundary.west_table", path, "boundary.west_density", "1.4*table", NULL },
    { SUPERSONIC, "boundary.west_density",
      "1.4*(t < 0.1 ? 1 + 5*t : t < 0.3 ? 1.5 - 1.25*(t - 0.1) : 1.25)", NULL } };
  double *rho[2], most = 0;
  for (int i = 0; i < 2; i++) {
    fv_run run = fv_run_begin(device, TRM_F32, sets[i]);
    fv_run_advance(&run, 0.4, 10000, 128);
    rho[i] = fv_run_values(&run, "density");
    fv_run_end(&run);
  }
  for (int i = 0; i < 32; i++) most = fmax(most, fabs(rho[0][i] - rho[1][i]));
  assert_true(rho[0][4] > 1.7 && rho[0][28] < 2.2);
  assert_true(most <= 1e-5);
  for (int i = 0; i < 2; i++) free(rho[i]);
}

/* ---- sides in parts -------------------------------------------------------------------------- */

/* Gas is blown through a quarter of a wall: rho v by length, time and the mass that was there. */
static void a_hole_in_a_wall_lets_gas_in(trm_device *device)
{
  test_is_long_elsewhere(device);
#define BLOWN(v) \
  "grid.nx", "32", "grid.ny", "32", "boundary.west", "wall", "boundary.east", "wall", \
  "boundary.north", "wall", "boundary.south", "wall", "boundary.south_where", \
  "abs(x - 0.5) < 0.125", "boundary.south_there", "subsonic_inflow", "boundary.south_velocity", \
  "0; " v "; 0", "compressible.viscosity", "0.001"
  static const char *const blows[] = { BLOWN("0.01*min(1, 10*t)"), NULL };
  static const char *const rests[] = { BLOWN("0*t"), NULL };
  double mass[2];
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    fv_run run = fv_run_begin(device, TRM_F64, i ? blows : rests);
    fv_run_advance(&run, 0.4, 10000, 128);
    TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
    mass[i] = run.solver->results[1].value;
    fv_run_end(&run);
  }
  print_message("# mass %.1e; %.4e of %.4e\n", mass[0], mass[1], 0.01 * 0.25 * 0.35);
  assert_true(fabs(mass[0]) <= 1e-14);
  assert_true(fabs(mass[1] / (0.01 * 0.25 * 0.35) - 1) <= 0.1); /* the hole is 8 cells wide */
}

/* ---- the double Mach reflection -------------------------------------------------------------- */

/* Along the wall, the place of the last cell whose density is above twice the undisturbed one's. */
static double foot_of_stem(const double *rho, int nx, double h)
{
  int last = 0;
  for (int i = 0; i < nx; i++)
    if (rho[i] > 2.8) last = i;
  return (last + 1) * h;
}

static void a_strong_shock_meets_a_wedge(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const coarse[] = { "case", "double-mach", "grid.levels", "0", "mesh.refine",
                                        "", NULL };
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, coarse);
  fv_run_advance(&run, 0.2, 100000, 4096);
  assert_true(run.solver->time == 0.2);
  double *rho = fv_run_values(&run, "density"), *p = fv_run_values(&run, "pressure");
  double most = 0;
  for (size_t i = 0; i < 240 * 64; i++) {
    assert_true(p[i] > 0.9);
    if (i % 240 > 60) most = fmax(most, rho[i]); /* not where the wall begins */
  }
  const double foot = foot_of_stem(rho, 240, 1.0 / 60);
  print_message("# foot of the stem %.3f, greatest density %.2f\n", foot, most);
  assert_true(fabs(foot - 2.76) <= 0.05 + 1.0 / 60);
  assert_true(most > 14 && most < 24);
  free(rho);
  free(p);
  fv_run_end(&run);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void what_makes_no_sense_is_refused(trm_device *device)
{
#define CHANNEL "boundary.west", "inflow", "boundary.east", "outflow"
  static const struct { const char *sets[16], *part; } wrong[] = {
    { { CHANNEL, "boundary.west_density", "-1", NULL }, "is -1; it must be above 0" },
    { { CHANNEL, "boundary.west_density", "q", NULL }, "unknown name" },
    { { CHANNEL, "boundary.west_pressure", "y - 0.02 + t", NULL },
      "is -0.0121875 at the start at x = 0, y = 0.0078125, " },
    { { CHANNEL, "boundary.west_density", "1 + table", NULL }, "asks for 'table'" },
    { { CHANNEL, "boundary.west_velocity", "1; t", NULL }, "is not three numbers" },
    { { CHANNEL, "boundary.west_where", "y < 0.5", NULL }, "boundary.west_there" },
    { { CHANNEL, "boundary.west_there", "wall", NULL }, "boundary.west_where" },
    { { CHANNEL, "boundary.west_where", "y < 0.5", "boundary.west_there", "hole", NULL },
      "no kind of a part of a side" },
    { { CHANNEL, "boundary.west_where", "1", "boundary.west_there", "wall", NULL },
      "is the same everywhere" },
    { { CHANNEL, "boundary.west_where", "y < 0.5", "boundary.west_there", "isothermal", NULL },
      "in parts 'isothermal' and open" },
    { { "boundary.south_where", "x < 0.5", "boundary.south_there", "wall", NULL }, "not periodic" },
    { { "boundary.west", "wall", "boundary.east", "wall", "boundary.west_velocity", "t; 0; 0",
        NULL }, "moves along its own normal" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    fv_run_refused(device, wrong[i].sets, TRM_ERROR_INPUT, wrong[i].part);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(functions_are_those_of_the_host),
    TEST_DEVICE(a_formula_of_one_value_changes_no_bit),
    TEST_DEVICE(a_wave_comes_in_in_time),
    TEST_DEVICE(a_table_is_followed),
    TEST_DEVICE(a_hole_in_a_wall_lets_gas_in),
    TEST_DEVICE(a_strong_shock_meets_a_wedge),
    TEST_DEVICE(what_makes_no_sense_is_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
