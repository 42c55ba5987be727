/* nbody_reference.c - the N-body solver against published and independently computed numbers. */
#include "tests/solvers/nbody/nbody_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_host(trm_device *device) { return trm_device_describe(device)->is_host; }

/* ---- the SDK's cube ----------------------------------------------------------- */

/* Lines of tests/data/nbody_cube.txt for one eps^2 and step; `check` gets the body and its
 * numbers. */
static int each_line(int eps2, int step, int columns,
                     void (*check)(const nbody_run *, double *const *, int, const double *),
                     const nbody_run *run, double *const *fields)
{
  FILE *file = fopen(test_data("nbody_cube.txt"), "r");
  char line[512];
  int found = 0;
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) {
    int e, s, body, used;
    double v[9];
    if (line[0] == '#' || sscanf(line, "%d %d %d%n", &e, &s, &body, &used) != 3) continue;
    if (e != eps2 || s != step) continue;
    const char *at = line + used;
    for (int c = 0; c < columns; c++) {
      char *end;
      v[c] = strtod(at, &end);
      assert_true(end != at);
      at = end;
    }
    check(run, fields, body, v);
    found++;
  }
  fclose(file);
  return found;
}

static void same_start(const nbody_run *run, double *const *fields, int body, const double *v)
{
  (void)run;
  for (int c = 0; c < 3; c++) assert_true(fields[0][c * 1024 + body] == (double)(float)v[c]);
  assert_true(fields[1][body] == (double)(float)v[3]);
}

static double length(const double *v)
{
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void same_state(const nbody_run *run, double *const *fields, int body, const double *v)
{
  const uint64_t step = run->solver->step;
  for (int k = 0; k < 3; k++) {
    const double scale = length(v + 3 * k);
    const double tolerance = k == 2 && step == 0 ? 1e-12 : 1e-10;
    for (int c = 0; c < 3; c++)
      if (!(fabs(fields[k][c * 1024 + body] - v[3 * k + c]) <= tolerance * scale))
        fail_msg("step %d, body %d, vector %d: %.17g, expected %.17g", (int)step, body, k,
                 fields[k][c * 1024 + body], v[3 * k + c]);
  }
}

static void compare_cube(trm_device *device, int eps2, const char *softening)
{
  static const int steps[] = {0, 1, 10, 100};
  static const double energies[2][4] = {
    {-5032523941.40054, -5032524087.89795, -5032726646.29348, -4254723069.21499},
    {-3727458432.54401, -3727458440.66662, -3727469301.33519, -3699136023.30123}};
  char settings[256];
  nbody_run run;
  test_needs_f64(device);
  snprintf(settings, sizeof settings, "initial=cube bodies=1024 dt=%.17g integrator=explicit "
           "softening=%s", (double)0.005f, softening); /* the sample's step is single */
  nbody_begin(&run, device, settings, TRM_F64, TRM_STRICT);
  for (int i = 0; i < 4; i++) {
    nbody_steps(&run, (uint64_t)steps[i] - run.solver->step, 0);
    double *const fields[] = {nbody_values(&run, "position", NULL),
                              nbody_values(&run, "velocity", NULL),
                              nbody_values(&run, "acceleration", NULL)};
    assert_int_equal(each_line(eps2, steps[i], 9, same_state, &run, fields), 64);
    for (int k = 0; k < 3; k++) free(fields[k]);
    if (steps[i] > 0) TEST_CLOSE(nbody_last(&run, "energy"), energies[eps2 == 500][i], 1e-10);
  }
  nbody_end(&run);
}

static void the_cube_of_the_sdk_is_drawn_to_the_last_bit(trm_device *device)
{
  nbody_run run;
  nbody_begin(&run, device, "initial=cube bodies=1024 dt=0.005 softening=7", TRM_F32, TRM_STRICT);
  double *const fields[] = {nbody_values(&run, "position", NULL), nbody_values(&run, "mass", NULL)};
  assert_int_equal(each_line(50, -1, 4, same_start, &run, fields), 64);
  free(fields[0]);
  free(fields[1]);
  nbody_end(&run);
}

static void the_cube_follows_the_reference_for_100_steps_with_eps2_50(trm_device *device)
{
  compare_cube(device, 50, "7.0710678118654755");
}

static void the_cube_follows_the_reference_for_100_steps_with_eps2_500(trm_device *device)
{
  test_is_spared(device);
  compare_cube(device, 500, "22.360679774997898");
}

/* ---- the public output of 16384 bodies ------------------------------------------ */

/* One unit of the sixth digit. */
static double unit_of(double value)
{
  return value == 0.0 ? 1e-5 : pow(10.0, floor(log10(fabs(value))) - 5.0);
}

static void the_public_output_of_16384_bodies_is_met_in_its_printed_digits(trm_device *device)
{
  test_is_long_elsewhere(device);
  char line[256];
  int lines = 0;
  nbody_run run;
  test_needs_f64(device);
  nbody_begin(&run, device, "initial=box bodies=16384 units=si gravity=6.6726e-11 softening=0 dt=1 "
              "integrator=explicit", TRM_F64, TRM_STRICT);
  double *start = nbody_values(&run, "position", NULL);
  nbody_steps(&run, 10, 0);
  double *end = nbody_values(&run, "position", NULL);
  FILE *file = fopen(test_data("nbody_box.txt"), "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) {
    double first[3], last[3];
    int body;
    if (sscanf(line, "%d %lf %lf %lf %lf %lf %lf", &body, &first[0], &first[1], &first[2], &last[0],
               &last[1], &last[2]) != 7) continue;
    for (int c = 0; c < 3; c++) {
      const double before = fabs(start[c * 16384 + body] - first[c]) / unit_of(first[c]);
      if (!(before <= 0.6)) fail_msg("body %d, %d: starts off by %g last digits", body, c, before);
      const double error = fabs(end[c * 16384 + body] - last[c]) / unit_of(last[c]);
      if (!(error <= 0.77)) fail_msg("body %d, %d: off by %g last digits", body, c, error);
    }
    lines++;
  }
  fclose(file);
  assert_true(lines > 400);
  free(start);
  free(end);
  nbody_end(&run);
}

/* ---- the five bodies ------------------------------------------------------------- */

/* Energies are published for masses times G. */
static void five_bodies(trm_device *device, uint64_t steps, double energy)
{
  const double gravity = 4.0 * 3.141592653589793 * 3.141592653589793;
  nbody_run run;
  test_needs_f64(device);
  nbody_begin(&run, device, "initial=five-bodies units=solar softening=0 dt=0.01 "
              "integrator=kick-drift", TRM_F64, TRM_STRICT);
  nbody_steps(&run, steps, 0);
  const double found = nbody_last(&run, "energy") * gravity;
  /* E = E0 + drift |E0|, and E0 is negative */
  const double before = found / (1.0 - nbody_last(&run, "energy_drift"));
  if (!(fabs(before - -0.169075164) <= 1e-9)) fail_msg("energy at the start: %.12f", before);
  if (!(fabs(found - energy) <= 1e-9)) fail_msg("energy %.12f, expected %.9f", found, energy);
  if (steps == 1000) {
    static const double jupiter[3] = {1.423180106587457, -5.0049466096955912, -0.01115971461779581};
    double *x = nbody_values(&run, "position", NULL);
    for (int c = 0; c < 3; c++) TEST_CLOSE(x[5 * c + 1], jupiter[c], 1e-10);
    free(x);
  }
  nbody_end(&run);
}

static void the_five_bodies_keep_the_published_energy_for_1000_steps(trm_device *device)
{
  test_is_long_elsewhere(device);
  five_bodies(device, 1000, -0.169087605);
}

static void the_five_bodies_keep_the_published_energy_for_100000_steps(trm_device *device)
{
  if (!is_host(device)) test_is_long();
  five_bodies(device, 100000, -0.169079859);
}

/* ---- orbits ------------------------------------------------------------------------ */

/* Distance in the space of all three places from where they were, after `periods` of the
 * figure-eight in steps of T / 1000. */
static double figure_eight(trm_device *device, const char *integrator, uint64_t periods)
{
  char settings[256];
  double square = 0.0;
  nbody_run run;
  snprintf(settings, sizeof settings, "initial=figure-eight softening=0 dt=%.17g integrator=%s",
           6.3259140368697189 / 1000.0, integrator);
  nbody_begin(&run, device, settings, TRM_F64, TRM_STRICT);
  double *before = nbody_values(&run, "position", NULL);
  nbody_steps(&run, 1000 * periods, 0);
  double *after = nbody_values(&run, "position", NULL);
  for (int i = 0; i < 9; i++) square += (after[i] - before[i]) * (after[i] - before[i]);
  TEST_CLOSE(nbody_last(&run, "energy"), -1.2871419883145538, 1e-4);
  free(before);
  free(after);
  nbody_end(&run);
  return sqrt(square);
}

static void three_bodies_on_a_figure_eight_return_after_one_and_ten_periods(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  TEST_CLOSE(figure_eight(device, "leapfrog", 1), 1.13e-4, 0.1);
  TEST_CLOSE(figure_eight(device, "leapfrog", 10), 1.80e-3, 0.1);
  TEST_CLOSE(figure_eight(device, "yoshida4", 1), 2.2e-7, 0.1);
  TEST_CLOSE(figure_eight(device, "yoshida4", 10), 3.1e-6, 0.1);
}

/* Error of the position after three tenths of a revolution of an orbit with e = 0.5, against the
 * exact one: x = cos E - e, y = sqrt(1 - e^2) sin E, E - e sin E = t. */
static double kepler_error(trm_device *device, const char *integrator, int steps)
{
  char settings[256];
  nbody_run run;
  const double time = 0.3 * 6.283185307179586;
  double anomaly = time;
  for (int i = 0; i < 50; i++)
    anomaly -= (anomaly - 0.5 * sin(anomaly) - time) / (1.0 - 0.5 * cos(anomaly));
  snprintf(settings, sizeof settings, "initial=kepler softening=0 dt=%.17g integrator=%s",
           time / steps, integrator);
  nbody_begin(&run, device, settings, TRM_F64, TRM_STRICT);
  nbody_steps(&run, (uint64_t)steps, 0);
  double *x = nbody_values(&run, "position", NULL);
  const double dx = x[0] - x[1] - (cos(anomaly) - 0.5);
  const double dy = x[2] - x[3] - sqrt(0.75) * sin(anomaly), dz = x[4] - x[5];
  free(x);
  nbody_end(&run);
  return sqrt(dx * dx + dy * dy + dz * dz);
}

static void the_order_of_each_integrator_shows_when_the_step_is_halved(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const struct { const char *name; int steps; double order; } of[] = {
    {"explicit", 1000, 1.0}, {"kick-drift", 1000, 1.0}, {"leapfrog", 500, 2.0},
    {"yoshida4", 300, 4.0}, {"hermite4", 200, 4.0}};
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
    const double coarse = kepler_error(device, of[i].name, of[i].steps);
    const double fine = kepler_error(device, of[i].name, 2 * of[i].steps);
    const double order = log2(coarse / fine);
    if (!(order > of[i].order - 0.2 && order < of[i].order + 0.5))
      fail_msg("%s: order %.2f (errors %g, %g), expected %g", of[i].name, order, coarse, fine,
               of[i].order);
  }
}

static void leapfrog_keeps_the_energy_of_an_orbit_as_published(trm_device *device)
{
  test_is_long_elsewhere(device);
  nbody_run run;
  double worst = 0.0;
  test_needs_f64(device);
  nbody_begin(&run, device, "initial=kepler softening=0 dt=0.031415926535897934", TRM_F64,
              TRM_STRICT);
  nbody_steps(&run, 2000, 0);
  const double *drift = nbody_series(&run, "energy_drift");
  for (int i = 0; i < 2000; i++) worst = fmax(worst, fabs(drift[i]));
  TEST_CLOSE(worst, 2.69e-3, 0.05);
  nbody_end(&run);
}

/* The worst of each tenth of the run: a drift would show as growth. */
static void leapfrog_does_not_drift_in_100000_steps(trm_device *device)
{
  double worst[10] = {0.0};
  nbody_run run;
  if (!is_host(device)) test_is_long();
  test_needs_f64(device);
  nbody_begin(&run, device, "initial=kepler softening=0 dt=0.031415926535897934", TRM_F64,
              TRM_STRICT); /* 200 steps to a revolution: 500 of them */
  nbody_steps(&run, 100000, 0);
  const double *drift = nbody_series(&run, "energy_drift");
  for (int i = 0; i < 100000; i++)
    worst[i / 10000] = fmax(worst[i / 10000], fabs(drift[i]));
  for (int k = 0; k < 10; k++) TEST_CLOSE(worst[k], 2.69e-3, 0.05);
  nbody_end(&run);
}

static void a_group_of_bodies_keeps_its_energy_for_100000_leapfrog_steps(trm_device *device)
{
  double worst[2] = {0.0};
  nbody_run run;
  if (!is_host(device)) test_is_long();
  test_needs_f64(device);
  nbody_begin(&run, device, "initial=plummer bodies=64 softening=0.1 dt=0.005", TRM_F64,
              TRM_STRICT);
  nbody_steps(&run, 100000, 0);
  const double *drift = nbody_series(&run, "energy_drift");
  for (int i = 0; i < 100000; i++) worst[i >= 50000] = fmax(worst[i >= 50000], fabs(drift[i]));
  if (!(worst[0] < 1e-3 && worst[1] < 2.0 * worst[0]))
    fail_msg("the energy drifts by %g in the first half and %g in the second", worst[0], worst[1]);
  nbody_end(&run);
}

/* ---- spheres -------------------------------------------------------------------------- */

static void a_plummer_sphere_is_in_balance_and_stays_so(trm_device *device)
{
  test_is_long_elsewhere(device);
  nbody_run run;
  nbody_begin(&run, device, "initial=plummer bodies=16384 softening=0.01 dt=0.001953125", TRM_F32,
              TRM_STRICT);
  nbody_steps(&run, 1, 0);
  TEST_CLOSE(nbody_last(&run, "virial_ratio"), 1.0, 0.02);
  TEST_CLOSE(nbody_last(&run, "energy"), -0.25, 0.02);
  if (is_host(device)) nbody_steps(&run, 15, 0);
  TEST_CLOSE(nbody_last(&run, "virial_ratio"), 1.0, 0.03);
  assert_true(fabs(nbody_last(&run, "energy_drift")) < 1e-4);
  nbody_end(&run);
}

static int ascending(const void *left, const void *right)
{
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Distance from the centre of mass that holds half of the bodies, which have equal masses. */
static double half_mass_radius(const nbody_run *run)
{
  size_t count = 0;
  double *x = nbody_values(run, "position", &count);
  const size_t n = count / 3;
  double centre[3] = {0.0}, *radius = malloc(n * sizeof *radius);
  assert_non_null(radius);
  for (size_t i = 0; i < count; i++) centre[i / n] += x[i] / (double)n;
  for (size_t i = 0; i < n; i++) {
    const double dx = x[i] - centre[0], dy = x[n + i] - centre[1], dz = x[2 * n + i] - centre[2];
    radius[i] = sqrt(dx * dx + dy * dy + dz * dz);
  }
  qsort(radius, n, sizeof *radius, ascending);
  const double half = (radius[n / 2 - 1] + radius[n / 2]) / 2.0;
  free(radius);
  free(x);
  return half;
}

/* Henon's units: three and a half crossing times; 1.3048 scale lengths of 3 pi / 16. */
static void a_plummer_sphere_keeps_its_balance_and_its_half_mass_radius_to_t_10(trm_device *device)
{
  nbody_run run;
  test_is_long();
  if (strcmp(test_backend(device), "opencl") == 0)
    TEST_SKIP("1.4e12 interactions; PoCL would take an hour, and the bits are those of the others");
  nbody_begin(&run, device, "initial=plummer bodies=16384 softening=0.01 dt=0.001953125", TRM_F32,
              TRM_STRICT);
  for (int t = 0; t <= 10; t += 2) {
    if (t > 0) nbody_steps(&run, 1024, 64);
    TEST_CLOSE(half_mass_radius(&run), 0.7686, 0.03);
  }
  const double *virial = nbody_series(&run, "virial_ratio");
  const double *drift = nbody_series(&run, "energy_drift");
  for (int i = 0; i < 5120; i++)
    if (!(fabs(virial[i] - 1.0) <= 0.03 && fabs(drift[i]) <= 1e-4))
      fail_msg("step %d: virial ratio %g, energy drift %g", i + 1, virial[i], drift[i]);
  nbody_end(&run);
}

static void momentum_is_kept_to_round_off(trm_device *device)
{
  test_is_long_elsewhere(device);
  nbody_run run;
  test_needs_f64(device);
  nbody_begin(&run, device, "initial=collapse bodies=1000 softening=0.05 dt=0.01", TRM_F64,
              TRM_STRICT);
  nbody_steps(&run, 100, 0);
  assert_true(fabs(nbody_last(&run, "momentum_x")) < 1e-14);
  assert_true(fabs(nbody_last(&run, "angular_momentum_z")) < 1e-14);
  assert_true(nbody_last(&run, "kinetic") > 0.01);
  nbody_end(&run);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(the_cube_of_the_sdk_is_drawn_to_the_last_bit),
    TEST_DEVICE(the_cube_follows_the_reference_for_100_steps_with_eps2_50),
    TEST_DEVICE(the_cube_follows_the_reference_for_100_steps_with_eps2_500),
    TEST_DEVICE(the_public_output_of_16384_bodies_is_met_in_its_printed_digits),
    TEST_DEVICE(the_five_bodies_keep_the_published_energy_for_1000_steps),
    TEST_DEVICE(the_five_bodies_keep_the_published_energy_for_100000_steps),
    TEST_DEVICE(three_bodies_on_a_figure_eight_return_after_one_and_ten_periods),
    TEST_DEVICE(the_order_of_each_integrator_shows_when_the_step_is_halved),
    TEST_DEVICE(leapfrog_keeps_the_energy_of_an_orbit_as_published),
    TEST_DEVICE(leapfrog_does_not_drift_in_100000_steps),
    TEST_DEVICE(a_group_of_bodies_keeps_its_energy_for_100000_leapfrog_steps),
    TEST_DEVICE(a_plummer_sphere_is_in_balance_and_stays_so),
    TEST_DEVICE(a_plummer_sphere_keeps_its_balance_and_its_half_mass_radius_to_t_10),
    TEST_DEVICE(momentum_is_kept_to_round_off),
  };
  return TEST_RUN(argc, argv, cases);
}
