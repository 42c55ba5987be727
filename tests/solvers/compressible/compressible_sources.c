/* compressible_sources.c - what acts inside the box: a force, by Poiseuille's flow of a gas that
 * friction heats, and sponges, by what comes back of a pulse. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdlib.h>

/* ---- Poiseuille's flow ----------------------------------------------------------------------- */

enum { POINTS = 2000 };        /* of the exact profile, over half of the channel */

static const double viscosity = 0.05, pull = 0.2, wall_t = 1 / 1.4, conductivity =
  0.05 * 1.4 / 0.4 / 0.72;     /* of p / rho */

typedef struct profile { double u[POINTS + 1], t[POINTS + 1], pressure; } profile;

/* (mu u')' = -rho g, (k T')' = -mu u'^2 - rho g u + rho g u, rho = p / T with T for p / rho, from
 * the middle (0) to the wall (POINTS), the pressure such that the mass is that of density 1: by
 * iteration, integrals by trapezia. */
static void solve(profile *to)
{
  const double h = 0.5 / POINTS;
  static double rho[POINTS + 1], slope[POINTS + 1];
  for (int i = 0; i <= POINTS; i++) to->t[i] = wall_t;
  for (int round = 0; round < 60; round++) {
    double per_t = 0, sum = 0;
    for (int i = 0; i < POINTS; i++) per_t += h * (0.5 / to->t[i] + 0.5 / to->t[i + 1]);
    to->pressure = 0.5 / per_t;
    for (int i = 0; i <= POINTS; i++) rho[i] = to->pressure / to->t[i];
    slope[0] = 0;
    for (int i = 0; i < POINTS; i++) {
      sum += 0.5 * h * (rho[i] + rho[i + 1]);
      slope[i + 1] = -pull * sum / viscosity;
    }
    to->u[POINTS] = 0;
    for (int i = POINTS; i > 0; i--)
      to->u[i - 1] = to->u[i] - 0.5 * h * (slope[i] + slope[i - 1]);
    double heat = 0, flux[POINTS + 1];
    flux[0] = 0;
    for (int i = 0; i < POINTS; i++) {
      heat += 0.5 * h * viscosity * (slope[i] * slope[i] + slope[i + 1] * slope[i + 1]);
      flux[i + 1] = -heat / conductivity;
    }
    to->t[POINTS] = wall_t;
    for (int i = POINTS; i > 0; i--)
      to->t[i - 1] = to->t[i] - 0.5 * h * (flux[i] + flux[i - 1]);
  }
}

/* The mean over a cell of a profile's values; y from 0 to 1. */
static double mean_of(const double *values, int i, int n)
{
  const int wide = 2 * POINTS / n;
  const int from = i < n / 2 ? POINTS - (i + 1) * wide : (i - n / 2) * wide;
  double sum = 0;
  for (int k = 0; k < wide; k++) sum += 0.5 * (values[from + k] + values[from + k + 1]) / wide;
  return sum;
}

/* Mean errors of velocity and temperature with n cells. */
static void errors_of(trm_device *device, const profile *exact, const char *ny, const char *length,
                      int n, double error[2])
{
  const char *const sets[] = {
    "grid.nx", "16", "grid.ny", ny, "compressible.length_x", length, "compressible.viscosity",
    "0.05", "compressible.chi", "0.05", "body_force", "0.2 0 0",
    "initial.velocity_x", "2*y*(1-y)", "initial.pressure", "0.7142857142857143",
    "boundary.south", "isothermal", "boundary.south_temperature", "0.7142857142857143",
    "boundary.north", "isothermal", "boundary.north_temperature", "0.7142857142857143", NULL };
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 25.0, 1000000, 4096);
  double *u = fv_run_values(&run, "velocity"), *rho = fv_run_values(&run, "density");
  double *p = fv_run_values(&run, "pressure");
  error[0] = error[1] = 0;
  for (int i = 0; i < n; i++) {
    error[0] += fabs(u[16 * i] - mean_of(exact->u, i, n)) / n;
    error[1] += fabs(p[16 * i] / rho[16 * i] - mean_of(exact->t, i, n)) / n;
  }
  TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
  assert_true(fabs(run.solver->results[1].value) <= 1e-13);
  free(u);
  free(rho);
  free(p);
  fv_run_end(&run);
}

static void poiseuilles_flow_is_of_second_order(trm_device *device)
{
  test_is_long_elsewhere(device);
  static profile exact;
  double coarse[2], fine[2];
  test_needs_f64(device);
  solve(&exact);
  errors_of(device, &exact, "16", "1", 16, coarse);
  errors_of(device, &exact, "32", "0.5", 32, fine);
  for (int i = 0; i < 2; i++) {
    print_message("# %s: L1 %.3e %.3e, order %.2f\n", i ? "temperature" : "velocity", coarse[i],
                  fine[i], log2(coarse[i] / fine[i]));
    assert_true(log2(coarse[i] / fine[i]) >= 1.9);
  }
}

/* In a periodic box all gas falls alike: u = g t, and the pressure stays. In three dimensions, by
 * levels. */
static void gas_falls_freely(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const sets[] = {
    "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", "body_force", "0.5 -0.25 1",
    "grid.levels", "1", "mesh.refine", "0 0.4 0 0.4 0 0.4", NULL };
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 0.2, 10000, 128);
  double *u = fv_run_values(&run, "velocity"), *p = fv_run_values(&run, "pressure"), most = 0;
  const size_t cells = 32 * 32 * 32;
  for (size_t i = 0; i < cells; i++)
    most = fmax(most, fmax(fabs(u[i] - 0.1), fmax(fabs(u[cells + i] + 0.05),
                                                   fabs(u[2 * cells + i] - 0.2))));
  for (size_t i = 0; i < cells; i++) most = fmax(most, fabs(p[i] - 1));
  print_message("# off by %.1e\n", most);
  assert_true(most <= 1e-13);
  free(u);
  free(p);
  fv_run_end(&run);
}

/* ---- sponges --------------------------------------------------------------------------------- */

/* Of a round pulse in gas at rest, what is left when its direct wave is gone. */
static double echo_of(trm_device *device, const char *const *more)
{
  const char *sets[48] = {
    "grid.nx", "64", "grid.ny", "64", "initial.density", "1.4", "compressible.length_x", "2",
    "grid.x0", "-1", "grid.y0", "-1",
    "initial.pressure", "1 + 0.001*exp(-(x^2 + y^2)/0.02)" };
  int at = 14;
  for (; *more; more++) sets[at++] = *more;
  sets[at] = NULL;
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 3.0, 100000, 4096);
  double *p = fv_run_values(&run, "pressure"), most = 0;
  for (size_t i = 0; i < 64 * 64; i++) most = fmax(most, fabs(p[i] - 1));
  free(p);
  fv_run_end(&run);
  return most / 1e-3;
}

static void little_comes_back_from_a_sponge(trm_device *device)
{
  test_is_long_elsewhere(device);
#define ALL(kind) "boundary.west", kind, "boundary.east", kind, "boundary.south", kind, \
  "boundary.north", kind
#define FAR ALL("farfield"), "boundary.west_density", "1.4", "boundary.east_density", "1.4", \
  "boundary.south_density", "1.4", "boundary.north_density", "1.4"
#define SPONGES(width) "boundary.west_sponge", width, "boundary.east_sponge", width, \
  "boundary.south_sponge", width, "boundary.north_sponge", width, \
  "compressible.sponge_density", "1.4", "compressible.sponge_pressure", "1", \
  "compressible.sponge_strength", "20"
  static const char *const wall[] = { ALL("symmetry"), NULL };
  static const char *const far[] = { FAR, NULL };
  static const char *const soaked[] = { ALL("symmetry"), SPONGES("0.5"), NULL };
  static const char *const both[] = { FAR, SPONGES("0.5"), NULL };
  test_needs_f64(device);
  const double echo[] = { echo_of(device, wall), echo_of(device, far), echo_of(device, soaked),
                          echo_of(device, both) };
  print_message(
      "# of the pulse, back from walls %.1e, far field %.1e, walls with sponges %.1e, far "
      "field with sponges %.1e\n",
      echo[0], echo[1], echo[2], echo[3]);
  assert_true(echo[0] > 0.05);
  assert_true(echo[2] <= 0.1 * echo[0] && echo[2] <= 5e-3);
  assert_true(echo[3] <= 0.5 * echo[1] && echo[3] <= 1e-3);
}

/* The state that sponges draw to does not change under them. */
static void a_sponge_leaves_its_own_state_alone(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = {
    "grid.nx", "32", "grid.ny", "16", "grid.nz", "8", "initial.density", "1.2",
    "initial.velocity_x", "0.3", "initial.velocity_z", "-0.1", "boundary.west",
    "subsonic_inflow", "boundary.west_density", "1.2", "boundary.west_velocity", "0.3 0 -0.1",
    "boundary.east", "subsonic_outflow", "boundary.east_sponge", "0.4",
    "compressible.sponge_density", "1.2", "compressible.sponge_velocity", "0.3 0 -0.1",
    "compressible.sponge_pressure", "1", "compressible.sponge_strength", "1", NULL };
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, INFINITY, 100, 100);
  double *u = fv_run_values(&run, "velocity"), most = 0;
  for (size_t i = 0; i < 32 * 16 * 8; i++) most = fmax(most, fabs(u[i] - 0.3));
  print_message("# off by %.1e\n", most);
  assert_true(most <= 1e-13);
  free(u);
  fv_run_end(&run);
}

/* A sponge of 0.3 reaches into a block of which it leaves a part alone: cells that are farther from
 * it than five stages see have the bits that they have without it. */
static void a_sponge_rounds_no_other_cell(trm_device *device)
{
  test_is_spared(device);
  enum { WIDE = 64, FIRST = 32, LAST = 34 };
#define STIRRED "grid.nx", "64", "grid.ny", "16", "initial.velocity_x", "0.3*sin(7*x+y)", \
  "initial.density", "1+0.1*cos(5*x)", "boundary.west", "symmetry", "boundary.east", "symmetry"
#define DRAWN "compressible.sponge_strength", "1", "compressible.sponge_density", "1", \
              "compressible.sponge_pressure", "1"
  static const char *const sets[2][21] = {
    { STIRRED, NULL }, { STIRRED, "boundary.east_sponge", "0.3", DRAWN, NULL } };
  double *of[2];
  for (int i = 0; i < 2; i++) {
    fv_run run = fv_run_begin(device, TRM_F32, sets[i]);
    fv_run_advance(&run, INFINITY, 1, 1);
    of[i] = fv_run_values(&run, "pressure");
    fv_run_end(&run);
  }
  int others = 0;
  for (size_t y = 0; y < 16; y++)
    for (size_t x = 0; x < WIDE; x++) {
      const size_t at = y * WIDE + x;
      if (x >= FIRST && x < LAST) assert_true(of[0][at] == of[1][at]);
      others += x >= LAST && of[0][at] != of[1][at];
    }
  assert_true(others > 0);
  free(of[0]);
  free(of[1]);
}

static void what_makes_no_sense_is_refused(trm_device *device)
{
  static const struct { const char *sets[15], *part; } wrong[] = {
    { { "body_force", "1 2", NULL }, "is not three numbers" },
    { { "boundary.west_sponge", "0.2", NULL }, "where the side is periodic" },
    { { "boundary.west", "wall", "boundary.east", "wall", "boundary.west_sponge", "2", NULL },
      "more than the grid is long" },
    { { "compressible.sponge_density", "2", NULL }, "no side has a sponge" },
    { { "body_force", "1 0 0", "bodies.shapes", "cylinder 0.5 0.5 0.2 wall", NULL },
      "does not act in cells that bodies cut" },
    { { "boundary.west", "wall", "boundary.east", "wall", "boundary.west_sponge", "0.3",
        DRAWN, "bodies.shapes", "cylinder 0.5 0.5 0.2 wall" }, "reaches a body" },
    { { "boundary.west", "wall", "boundary.east", "wall", "boundary.west_sponge", "0.3",
        "compressible.sponge_strength", "1", "compressible.sponge_density", "1" },
      "compressible.sponge_pressure is 0" },
    { { "compressible.viscosity", "1", "compressible.sutherland", "0.4" },
      "set compressible.viscosity_at" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    fv_run_refused(device, wrong[i].sets, TRM_ERROR_INPUT, wrong[i].part);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(poiseuilles_flow_is_of_second_order),
    TEST_DEVICE(gas_falls_freely),
    TEST_DEVICE(little_comes_back_from_a_sponge),
    TEST_DEVICE(a_sponge_leaves_its_own_state_alone),
    TEST_DEVICE(a_sponge_rounds_no_other_cell),
    TEST_DEVICE(what_makes_no_sense_is_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
