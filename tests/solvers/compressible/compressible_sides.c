/* compressible_sides.c - flow between sides: a shock tube, Couette's flow, a cube with a lid,
 * uniform flow through every kind of opening, refusals. Bounds of the shock tube: 1.1 times an
 * independent program's errors. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TUBE "compressible.slopes", "van-albada"
#define CUBE(n) \
  "grid.nx", n, "grid.ny", n, "grid.nz", n, "compressible.viscosity", "0.01", "compressible.chi", \
  "0.05", "initial.pressure", "71.42857142857143", "boundary.north", "isothermal", \
  "boundary.north_velocity", "1 0 0", "boundary.north_temperature", "71.42857142857143", \
  "boundary.south", "isothermal", "boundary.south_temperature", "71.42857142857143", \
  "boundary.west", "wall", "boundary.east", "wall", "boundary.bottom", "wall", \
  "boundary.top", "symmetry"

/* ---- Sod's shock tube ------------------------------------------------------------------ */

/* The density at x / t = s; the state between the waves has this pressure and velocity. */
static double exact_density(double s)
{
  const double g = 1.4, p = 0.303130178050, u = 0.927452620048, al = sqrt(g), ar = sqrt(g * 0.8);
  const double left = pow(p, 1 / g), a = al * pow(p, (g - 1) / 2 / g), low = (g - 1) / (g + 1);
  const double right = 0.125 * (p / 0.1 + low) / (low * p / 0.1 + 1);
  const double shock = ar * sqrt((g + 1) / 2 / g * p / 0.1 + (g - 1) / 2 / g);
  if (s < -al) return 1;
  if (s < u - a) return pow(2 / (g + 1) - low / al * s, 2 / (g - 1));
  return s < u ? left : s < shock ? right : 0.125;
}

static double error_of_tube(const double *rho, size_t cells)
{
  double sum = 0;
  for (size_t i = 0; i < cells; i++) {
    double mean = 0;
    for (int k = 0; k < 20; k++)
      mean += exact_density((((double)i + (k + 0.5) / 20) / (double)cells - 0.5) / 0.2) / 20;
    sum += fabs(rho[i] - mean) / (double)cells;
  }
  return sum;
}

static void a_shock_tube_is_as_exact_as_it_was(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const sets[] = {
    "grid.nx", "208", "grid.ny", "16", TUBE, "boundary.west", "outflow", "boundary.east", "outflow",
    "initial.density", "x < 0.5 ? 1 : 0.125", "initial.pressure", "x < 0.5 ? 1 : 0.1",
    NULL };
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 0.2, 1000, 1000);
  double *rho = fv_run_values(&run, "density");
  const double error = error_of_tube(rho, 208);
  print_message("# L1 %.3e\n", error);
  assert_true(error <= 1.1 * 2.9e-3);
  free(rho);
  fv_run_end(&run);
}

/* The same tube along each axis of a box. */
static void a_tube_along_any_axis_has_the_same_bits(trm_device *device)
{
  test_is_spared(device);
  static const char *const tubes[3][24] = {
    { "grid.nx", "32", "grid.ny", "8", "grid.nz", "8", TUBE, "boundary.west", "symmetry",
      "boundary.east", "outflow", "initial.pressure", "x < 0.5 ? 1 : 0.1", NULL },
    { "grid.nx", "8", "grid.ny", "32", "grid.nz", "8", TUBE, "boundary.south", "symmetry",
      "boundary.north", "outflow", "initial.pressure", "y < 0.5 ? 1 : 0.1",
      "compressible.length_x", "0.25", NULL },
    { "grid.nx", "8", "grid.ny", "8", "grid.nz", "32", TUBE, "boundary.bottom", "symmetry",
      "boundary.top", "outflow", "initial.pressure", "z < 0.5 ? 1 : 0.1",
      "compressible.length_x", "0.25", NULL } };
  static const size_t steps[3] = { 1, 8, 64 };
  double *rho[3];
  for (int a = 0; a < 3; a++) {
    fv_run run = fv_run_begin(device, TRM_F32, tubes[a]);
    fv_run_advance(&run, INFINITY, 40, 40);
    rho[a] = fv_run_values(&run, "density");
    fv_run_end(&run);
  }
  assert_true(rho[0][16] < 0.99);
  for (int a = 1; a < 3; a++)
    for (size_t i = 0; i < 32; i++) assert_true(rho[a][i * steps[a]] == rho[0][i]);
  for (int a = 0; a < 3; a++) free(rho[a]);
}

/* ---- walls ------------------------------------------------------------------------------ */

/* The velocity is a straight line; friction's heat makes the temperature a parabola. Returns the
 * temperature's largest error as part of its rise. */
static double error_of_couette(trm_device *device, const char *ny, const char *length, size_t n)
{
  const char *const sets[] = {
    "grid.nx", "16", "grid.ny", ny, "compressible.length_x", length, "compressible.viscosity",
    "0.05", "initial.velocity_x", "0.5*y", "initial.pressure", "0.7142857142857143",
    "boundary.south", "isothermal", "boundary.south_temperature", "0.7142857142857143",
    "boundary.north", "isothermal", "boundary.north_temperature", "0.7142857142857143",
    "boundary.north_velocity", "0.5 0 0", "compressible.chi", "0.05", NULL };
  const double rise = 0.72 * 0.4 / 1.4 / 2 * 0.25 / 4;
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 40.0, 1000000, 4096);
  double *u = fv_run_values(&run, "velocity"), *rho = fv_run_values(&run, "density");
  double *p = fv_run_values(&run, "pressure"), most = 0;
  for (size_t i = 0; i < n; i++) {
    const double y = ((double)i + 0.5) / (double)n, t = p[16 * i] / rho[16 * i];
    assert_true(fabs(u[16 * i] - 0.5 * y) <= 1e-12);
    most = fmax(most, fabs(t - 1 / 1.4 - 4 * rise * y * (1 - y)) / rise);
  }
  TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
  assert_true(fabs(run.solver->results[1].value) <= 1e-13);
  free(u);
  free(rho);
  free(p);
  fv_run_end(&run);
  return most;
}

static void couette_flow_is_hot_in_the_middle(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  const double error = error_of_couette(device, "16", "1", 16);
  print_message("# temperature off by %.2e of its rise\n", error);
  assert_true(error <= 1e-9); /* a parabola, which the values beyond a wall lie on */
}

/* ---- viscosity by Sutherland's law -------------------------------------------------- */

static const double fast_wall = 2.0, wall_t = 1 / 1.4, sutherland = 0.4;

/* Between walls of one temperature T depends on u alone (Crocco), and the stress is everywhere the
 * same, mu(T) du/dy: heights are integrals of mu over u, here by Simpson's rule. */
static double temperature_at(double u)
{
  return wall_t + 0.72 * (0.4 / 1.4) * u * (fast_wall - u) / 2;
}

static double viscosity_at(double u)
{
  const double t = temperature_at(u) / wall_t;
  return pow(t, 1.5) * (1 + sutherland) / (t + sutherland);
}

static double integral_to(double u)
{
  double sum = 0;
  for (int i = 0; i < 64; i++)
    sum += viscosity_at(u * i / 64) + 4 * viscosity_at(u * (i + 0.5) / 64) +
           viscosity_at(u * (i + 1) / 64);
  return sum * u / 64 / 6;
}

static double velocity_at(double y)
{
  double low = 0, high = fast_wall;
  for (int i = 0; i < 60; i++) {
    const double u = (low + high) / 2;
    if (integral_to(u) < y * integral_to(fast_wall)) low = u;
    else high = u;
  }
  return (low + high) / 2;
}

/* The velocity's mean error with n cells; the heat through the wall by what it should be. */
static double error_of_hot_couette(trm_device *device, const char *ny, const char *length, int n,
                                   const char *key, const char *value, double *heat)
{
  const char *const sets[] = {
    "grid.nx", "16", "grid.ny", ny, "compressible.length_x", length, "compressible.viscosity",
    "0.05", "compressible.sutherland", "0.4", "compressible.viscosity_at", "0.7142857142857143",
    "initial.velocity_x", "2*y", "initial.pressure", "0.7142857142857143",
    "initial.density", "1/(1 + 0.576*y*(1-y))",
    "boundary.south", "isothermal", "boundary.south_temperature", "0.7142857142857143",
    "boundary.north", "isothermal", "boundary.north_temperature", "0.7142857142857143",
    "boundary.north_velocity", "2 0 0", key, value, NULL };
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  const int is_steady = strcmp(value, "steady") == 0;
  fv_run_advance(&run, is_steady ? INFINITY : 40.0, is_steady ? 4000 : 1000000, 4096);
  double *u = fv_run_values(&run, "velocity"), *rho = fv_run_values(&run, "density");
  double *p = fv_run_values(&run, "pressure"), sum = 0;
  for (int i = 0; i < n; i++) sum += fabs(u[16 * i] - velocity_at((i + 0.5) / n)) / n;
  const double slope = (9 * p[0] / rho[0] - p[16] / rho[16] - 8 * wall_t) / 3 * n;
  *heat = slope / (0.72 * (0.4 / 1.4)) / (fast_wall / 2 * integral_to(fast_wall));
  free(u);
  free(rho);
  free(p);
  fv_run_end(&run);
  return sum;
}

static void hot_gas_is_thicker(trm_device *device)
{
  test_is_long_elsewhere(device);
  double heat[3], error[2];
  test_needs_f64(device);
  error[0] = error_of_hot_couette(device, "16", "1", 16, "compressible.chi", "0.05", &heat[0]);
  error[1] = error_of_hot_couette(device, "32", "0.5", 32, "compressible.chi", "0.05", &heat[1]);
  print_message("# L1 %.3e %.3e, order %.2f; heat %.5f %.5f\n", error[0], error[1],
                log2(error[0] / error[1]), heat[0], heat[1]);
  assert_true(log2(error[0] / error[1]) >= 1.9);
  assert_true(fabs(heat[1] - 1) <= 0.01);
}

/* With every flux, and by cycles towards a steady flow. Friction that does not grow with the
 * temperature has another profile, 0.0085 off, and 7 % less heat. */
static void and_so_it_is_by_any_flux(trm_device *device)
{
  test_is_spared(device);
  static const char *const ways[][2] = { { "compressible.flux", "hllc" },
                                         { "compressible.flux", "ausm+" },
                                         { "compressible.time", "steady" } };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    double heat;
    const double error = error_of_hot_couette(device, "16", "1", 16, ways[i][0], ways[i][1], &heat);
    print_message("# %s: L1 %.3e, heat %.5f\n", ways[i][1], error, heat);
    assert_true(error <= 1e-3 && fabs(heat - 1) <= 0.01);
  }
}

static void a_cube_with_a_lid_has_the_known_state(trm_device *device)
{
  static const char *const sets[] = { CUBE("16"), NULL };
  for (int p = 0; p < 2; p++) {
    if (!fv_run_takes(device, sets, (trm_precision)p)) continue;
    fv_run run = fv_run_begin(device, (trm_precision)p, sets);
    fv_run_advance(&run, INFINITY, 40, 16);
    fv_run_is(&run, "lid");
    TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
    print_message("# mass %.1e\n", run.solver->results[1].value);
    assert_true(fabs(run.solver->results[1].value) <= (p == TRM_F64 ? 1e-14 : 1e-6));
    fv_run_end(&run);
  }
}

/* ---- openings ----------------------------------------------------------------------------- */

#define THROUGH(in, out, u) \
  "grid.nx", "32", "grid.ny", "16", "initial.velocity_x", u, "initial.density", "1.4", \
  "boundary.west", in, "boundary.west_density", "1.4", "boundary.west_velocity", u " 0 0", \
  "boundary.east", out
#define OPEN(in, out, u) { THROUGH(in, out, u), NULL }
#define FAR(u) { THROUGH("farfield", "farfield", u), "boundary.east_density", "1.4", \
                 "boundary.east_velocity", u " 0 0", NULL }

static void uniform_flow_passes_every_opening(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const sets[][24] = {
    OPEN("inflow", "outflow", "2"), OPEN("subsonic_inflow", "subsonic_outflow", "0.3"),
    FAR("0.3"), FAR("-0.3"), FAR("1.5"), FAR("-1.5") };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    fv_run run = fv_run_begin(device, TRM_F64, sets[i]);
    double *before = fv_run_values(&run, "momentum"), most = 0;
    fv_run_advance(&run, INFINITY, 100, 100);
    double *after = fv_run_values(&run, "momentum");
    for (size_t k = 0; k < 3 * 32 * 16; k++) most = fmax(most, fabs(after[k] - before[k]));
    print_message("# %s: %.1e\n", sets[i][9], most);
    assert_true(most <= 1e-13);
    free(before);
    free(after);
    fv_run_end(&run);
  }
}

/* A weak pulse runs out through undisturbed flow: little comes back where no wave comes in. */
static void a_pulse_leaves_by_the_far_field(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const sets[] = {
    "grid.nx", "64", "grid.ny", "16", "initial.density", "1.4", "boundary.west", "farfield",
    "boundary.west_density", "1.4", "boundary.east", "farfield", "boundary.east_density", "1.4",
    "initial.pressure", "1 + 0.001*exp(-(x-0.5)^2/0.005)", "compressible.farfield",
    "characteristic", NULL };
  fv_run run = fv_run_begin(device, TRM_F32, sets);
  fv_run_advance(&run, 1.5, 100000, 4096);
  double *p = fv_run_values(&run, "pressure"), most = 0;
  for (size_t i = 0; i < 64; i++) most = fmax(most, fabs(p[i] - 1));
  print_message("# %.1e of 1e-3 came back\n", most);
  assert_true(most <= 2e-5);
  free(p);
  fv_run_end(&run);
}

/* Two streams part so fast that central slopes give a negative pressure: the run must not go on
 * with numbers. */
static void a_negative_pressure_is_not_hidden(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "32", "grid.ny", "16", "initial.pressure", "0.01", "initial.velocity_x",
    "x < 0.5 ? -3 : 3", "boundary.west", "outflow", "boundary.east", "outflow", NULL };
  for (int p = 0; p < 2; p++) {
    if (!fv_run_takes(device, sets, (trm_precision)p)) continue;
    fv_run run = fv_run_begin(device, (trm_precision)p, sets);
    fv_run_advance(&run, INFINITY, 50, 50);
    double *rho = fv_run_values(&run, "density");
    assert_true(!isfinite(rho[0]));
    free(rho);
    fv_run_end(&run);
  }
}

static void sides_that_contradict_are_refused(trm_device *device)
{
  static const struct { const char *sets[7], *part; } wrong[] = {
    { { "boundary.west", "wall", NULL }, "periodic at both ends or at none" },
    { { "boundary.west", "outflow", "boundary.east", "outflow", "boundary.west_density", "2",
        NULL },
      "has no meaning where the side is 'outflow'" },
    { { "boundary.west", "inflow", "boundary.east", "outflow", "boundary.west_velocity", "-2 0 0",
        NULL }, "leads out there" },
    { { "compressible.sutherland", "0.4", NULL }, "and that is 0; set it" },
    { { "boundary.top", "wall", "boundary.bottom", "wall", NULL }, "neither bottom nor top" },
    { { "boundary.west", "wall", "boundary.east", "wall", "boundary.east_velocity", "1 0 0", NULL },
      "moves along its own normal" },
    { { "boundary.west", "inflow", "boundary.east", "outflow", "boundary.west_velocity", "1 0",
        NULL }, "is not three numbers" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    fv_run_refused(device, wrong[i].sets, TRM_ERROR_INPUT, wrong[i].part);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_shock_tube_is_as_exact_as_it_was),
    TEST_DEVICE(a_tube_along_any_axis_has_the_same_bits),
    TEST_DEVICE(couette_flow_is_hot_in_the_middle),
    TEST_DEVICE(hot_gas_is_thicker),
    TEST_DEVICE(and_so_it_is_by_any_flux),
    TEST_DEVICE(a_cube_with_a_lid_has_the_known_state),
    TEST_DEVICE(uniform_flow_passes_every_opening),
    TEST_DEVICE(a_pulse_leaves_by_the_far_field),
    TEST_DEVICE(a_negative_pressure_is_not_hidden),
    TEST_DEVICE(sides_that_contradict_are_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
