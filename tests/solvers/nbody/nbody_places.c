/* nbody_places.c - forces wherever bodies are: where rows are filled up, far from the origin; and
 * what is said of steps, softenings and numbers that do not suit the bodies. Against sums of pairs
 * in long double, from the file's own numbers. */
#include "tests/solvers/nbody/nbody_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1100 };

typedef struct set {
  size_t count;
  double value[7][MOST];       /* x y z vx vy vz m */
} set;

static set bodies;

static const char *write_set(const set *of)
{
  static char path[1024];
  snprintf(path, sizeof path, "%s/places.txt", test_folder());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (size_t i = 0; i < of->count; i++) {
    for (int c = 0; c < 7; c++) fprintf(file, "%.17g ", of->value[c][i]);
    fputc('\n', file);
  }
  assert_int_equal(fclose(file), 0);
  return path;
}

/* The root mean square of what accelerations are off by, over that of the accelerations. */
static double error_of(const set *of, double eps, const double *found)
{
  long double off = 0, all = 0;
  for (size_t i = 0; i < of->count; i++) {
    long double a[3] = {0, 0, 0};
    for (size_t j = 0; j < of->count; j++) {
      long double d[3], square = (long double)eps * eps;
      if (j == i) continue;
      for (int c = 0; c < 3; c++) {
        d[c] = (long double)of->value[c][j] - of->value[c][i];
        square += d[c] * d[c];
      }
      for (int c = 0; c < 3; c++) a[c] += of->value[6][j] * d[c] / (square * sqrtl(square));
    }
    for (int c = 0; c < 3; c++) {
      const long double miss = found[(size_t)c * of->count + i] - a[c];
      off += miss * miss;
      all += a[c] * a[c];
    }
  }
  return (double)sqrtl(off / all);
}

static double accelerations_off(trm_device *device, const set *of, double eps, const char *more,
                                trm_precision precision, uint64_t steps)
{
  char settings[1400];
  nbody_run run;
  size_t count = 0;
  snprintf(settings, sizeof settings, "initial=file file=%s softening=%.17g %s", write_set(of), eps,
           more);
  nbody_begin(&run, device, settings, precision, TRM_STRICT);
  if (steps > 0) nbody_steps(&run, steps, 0);
  double *found = nbody_values(&run, "acceleration", &count);
  assert_int_equal(count, 3 * of->count);
  const double error = error_of(of, eps, found);
  free(found);
  nbody_end(&run);
  return error;
}

static int precisions(trm_device *device)
{
  return trm_device_describe(device)->has_f64 ? 2 : 1;
}

/* ---- rows that are filled up ---------------------------------------------------- */

/* On the places that rows were once filled up with, and at the origin, where they are now. */
static void place_on_padding(set *of, size_t count, double mass)
{
  of->count = count;
  for (size_t i = 0; i < count; i++) {
    for (int c = 0; c < 3; c++) /* as f32 holds it: what is summed here is what the device has */
      of->value[c][i] = i == 0 ? 0.0 : (double)(1.0625e15f + (float)(i - 1) * 1e12f);
    for (int c = 3; c < 6; c++) of->value[c][i] = 0.0;
    of->value[6][i] = mass * (1.0 + 0.1 * (double)i);
  }
}

static void a_body_where_rows_are_filled_up_has_its_forces(trm_device *device)
{
  test_is_spared(device);
  static const char *const how[] = {
    "implementation=naive", "implementation=tiled", "implementation=tiled-unroll2",
    "implementation=tiled-unroll4", "implementation=tiled-unroll8", "implementation=targets2",
    "implementation=targets4", "integrator=hermite4",
    "force=tree theta=1e-9"};
  static const size_t counts[] = {7, 2, 259};
  const int is_host = trm_device_describe(device)->is_host;
  for (int p = 0; p < precisions(device); p++)
    for (size_t h = 0; h < sizeof how / sizeof how[0]; h++)
      for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
        char more[160];
        if (!is_host && (p > 0 || h < 4 || n > 0)) continue; /* a compiler takes seconds each */
        if (p > 0 && n > 1) continue;
        snprintf(more, sizeof more, "%s dt=1", how[h]);
        place_on_padding(&bodies, counts[n], 1e20);
        const double error = accelerations_off(device, &bodies, 0.0, more, (trm_precision)p, 2);
        if (!(error < (p ? 1e-13 : 3e-6)))
          fail_msg("%zu bodies, %s, %s: off by %g", counts[n], more,
                   trm_precision_name((trm_precision)p), error);
      }
}

/* ---- far from the origin ---------------------------------------------------------- */

/* A ball of equal bodies about a place, with a common velocity. */
static void place_ball(set *of, size_t count, const double at[3])
{
  uint32_t state = 12345;
  of->count = count;
  for (size_t i = 0; i < count; i++)
    for (int c = 0; c < 7; c++) {
      state = state * 1664525u + 1013904223u;
      const double draw = (double)(state >> 8) / 16777216.0 - 0.5;
      of->value[c][i] = c < 3 ? at[c] + draw : c < 6 ? 0.1 * draw : 1.0 / (double)count;
    }
}

static void forces_far_from_the_origin_are_those_at_it(trm_device *device)
{
  test_is_spared(device);
  static const double far[][3] = {{1e6, 0, 0}, {-3e6, 1e6, 7e8}};
  static const char *const how[] = {"dt=1e-3", "dt=1e-3 force=tree theta=0.2",
                                    "dt=1e-3 integrator=hermite4"};
  for (int p = 0; p < precisions(device); p++)
    for (size_t k = 0; k < sizeof far / sizeof far[0]; k++)
      for (size_t h = 0; h < sizeof how / sizeof how[0]; h++) {
        place_ball(&bodies, 400, far[k]);
        const double error = accelerations_off(device, &bodies, 0.1, how[h], (trm_precision)p, 0);
        if (!(error < (h == 1 ? 1e-4 : p ? 1e-13 : 1e-6)))
          fail_msg("at %g %g %g, %s, %s: off by %g", far[k][0], far[k][1], far[k][2], how[h],
                   trm_precision_name((trm_precision)p), error);
      }
}

static void what_leaves_the_solver_has_the_middle_added(trm_device *device)
{
  test_is_spared(device);
  static const double far[3] = {1e6, -2e6, 5e5};
  char settings[1400];
  nbody_run run;
  size_t count = 0;
  double moment[3] = {0, 0, 0}, centre[3] = {0, 0, 0}, mass = 0;
  place_ball(&bodies, 100, far);
  for (size_t i = 0; i < bodies.count; i++) {
    const double m = bodies.value[6][i];
    mass += m;
    for (int c = 0; c < 3; c++) {
      const int u = (c + 1) % 3, w = (c + 2) % 3;
      centre[c] += m * bodies.value[c][i];
      moment[c] += m * (bodies.value[u][i] * bodies.value[3 + w][i] -
                        bodies.value[w][i] * bodies.value[3 + u][i]);
    }
  }
  snprintf(settings, sizeof settings, "initial=file file=%s softening=0.1 dt=1e-6 span=2",
           write_set(&bodies));
  nbody_begin(&run, device, settings, TRM_F32, TRM_STRICT);
  nbody_steps(&run, 1, 0);
  TEST_OK(run.solver->type->observe(run.solver));
  double *position = nbody_values(&run, "position", &count);
  assert_int_equal(count, 300);
  for (int c = 0; c < 3; c++)
    for (size_t i = 0; i < 100; i++)
      assert_true(fabs(position[(size_t)c * 100 + i] - bodies.value[c][i]) < 1e-6);
  free(position);
  static const char *const names[2][3] = {
    {"centre_x", "centre_y", "centre_z"},
    {"angular_momentum_x", "angular_momentum_y", "angular_momentum_z"}};
  for (int c = 0; c < 3; c++) {
    assert_true(fabs(nbody_last(&run, names[0][c]) - centre[c] / mass) < 2e-7 * fabs(centre[c]));
    assert_true(fabs(nbody_last(&run, names[1][c]) - moment[c]) < 0.05 + 1e-4 * fabs(moment[c]));
    assert_true(fabs(moment[c]) > 100);
  }
  double *density = nbody_values(&run, "density", &count), shown = 0;
  for (size_t i = 0; i < count; i++) shown += density[i] * (2.0 / 16) * (2.0 / 16);
  TEST_CLOSE(shown, mass, 1e-5);
  assert_true(fabs(run.solver->origin[0] - (far[0] - 1)) < 4); /* the middle is on a grid of 4 */
  free(density);
  nbody_end(&run);
}

/* ---- what is said ------------------------------------------------------------------ */

/* The caution of a case; "": none. */
static const char *caution_of(trm_device *device, const char *settings, trm_precision precision)
{
  static char text[600];
  nbody_run run;
  nbody_begin(&run, device, settings, precision, TRM_STRICT);
  snprintf(text, sizeof text, "%s", run.solver->caution ? run.solver->caution : "");
  nbody_end(&run);
  return text;
}

/* The case has a caution with this part, and none with the key that it names: "nbody.KEY=VALUE". */
static void cured(trm_device *device, const char *settings, trm_precision precision,
                  const char *part, const char *key)
{
  char more[1400], cure[64];
  const char *text = caution_of(device, settings, precision);
  if (!strstr(text, part)) fail_msg("%s: '%s' does not say '%s'", settings, text, part);
  const char *at = strstr(text, key);
  while (at && at[strlen(key)] != '=') at = strstr(at + 1, key);
  if (!at) fail_msg("%s: '%s' has no cure by %s", settings, text, key);
  snprintf(cure, sizeof cure, "%.*s", (int)strcspn(at, ",; "), at);
  snprintf(more, sizeof more, "%s %s", settings, cure);
  text = caution_of(device, more, precision);
  if (*text) fail_msg("%s: still '%s'", more, text);
}

/* Earth and Moon about their centre of mass, in AU, years and solar masses. */
static void place_moon(set *of)
{
  static const double values[2][7] = {
    {-3.1227217496962326e-05, 0, 0, 0, -0.0026257041004749582, 0, 3.0029999999999999e-06},
    {0.0025387727825030375, 0, 0, 0, 0.21346974336861413, 0, 3.6937269372693727e-08}};
  of->count = 2;
  for (int i = 0; i < 2; i++)
    for (int c = 0; c < 7; c++) of->value[c][i] = values[i][c];
}

static void a_pair_from_a_file_is_of_points_unless_a_softening_is_set(trm_device *device)
{
  char settings[1300], wide[1400];
  nbody_run run;
  place_moon(&bodies);
  snprintf(settings, sizeof settings, "initial=file units=solar dt=1e-3 file=%s",
           write_set(&bodies));
  assert_string_equal(caution_of(device, settings, TRM_F32), "");
  nbody_begin(&run, device, settings, TRM_F32, TRM_STRICT);
  nbody_steps(&run, 75, 0); /* a month */
  size_t count = 0;
  double *at = nbody_values(&run, "position", &count), apart = 0;
  for (int c = 0; c < 3; c++) apart += pow(at[2 * c + 1] - at[2 * c], 2);
  assert_true(fabs(sqrt(apart) - 0.00257) < 1e-4);
  assert_true(fabs(nbody_last(&run, "energy_drift")) < 1e-2);
  free(at);
  nbody_end(&run);
  snprintf(wide, sizeof wide, "%s softening=0.01", settings);
  cured(device, wide, TRM_F32, "is 3.89 of the distance of bodies 1 and 2", "nbody.softening");
}

static void defaults_suit_the_set(trm_device *device)
{
  static const struct { const char *initial, *softening; } same[] = {
    {"plummer bodies=100 dt=0.001", "0.01"}, {"collapse bodies=100 dt=0.001", "0.01"},
    {"galaxies bodies=100 dt=0.001", "0.01"}, {"kepler dt=0.01", "0"},
    {"figure-eight dt=0.01", "0"}, {"five-bodies units=solar dt=0.01", "0"},
    {"box bodies=100 units=si dt=1 energy=false", "0"}};
  for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
    char settings[2][200], print[2][33];
    snprintf(settings[0], sizeof settings[0], "initial=%s", same[i].initial);
    snprintf(settings[1], sizeof settings[1], "initial=%s softening=%s", same[i].initial,
             same[i].softening);
    for (int k = 0; k < 2; k++) {
      nbody_run run;
      nbody_begin(&run, device, settings[k], TRM_F32, TRM_STRICT);
      nbody_steps(&run, 3, 0);
      TEST_OK(trm_solver_fingerprint(run.solver, print[k]));
      nbody_end(&run);
    }
    assert_string_equal(print[0], print[1]);
  }
}

static void steps_that_are_too_long_or_short_are_told_with_a_cure(trm_device *device)
{
  char settings[1300];
  cured(device, "initial=kepler dt=0.5", TRM_F64, "steps to an orbit of bodies 1 and 2",
      "nbody.dt");
  cured(device, "initial=kepler eccentricity=0.9 dt=0.02", TRM_F64, "0.199 time", "nbody.dt");
  cured(device, "initial=plummer bodies=500 softening=0.05 dt=1", TRM_F64, "in a step", "nbody.dt");
  cured(device, "initial=plummer bodies=500 softening=0 dt=0.05", TRM_F64, "about each other",
        "nbody.softening");
  cured(device, "initial=plummer bodies=500 dt=1e-9 softening=0.05", TRM_F32, "may not move",
        "nbody.dt");
  assert_string_equal(caution_of(device, "initial=plummer bodies=500 softening=0.05 dt=0.01",
                                 TRM_F32), "");
  assert_string_equal(caution_of(device, "initial=kepler dt=0.01", TRM_F64), "");
  bodies = (set){.count = 2};
  bodies.value[0][1] = bodies.value[6][0] = bodies.value[6][1] = 1.0;
  snprintf(settings, sizeof settings, "initial=file dt=1e-6 file=%s", write_set(&bodies));
  cured(device, settings, TRM_F64, "fall straight onto each other", "nbody.softening");
  place_ball(&bodies, 200, (const double[3]){0, 0, 0});
  for (size_t i = 0; i < 200; i++) bodies.value[3][i] += 1e3; /* together: no step is too long */
  snprintf(settings, sizeof settings, "initial=file softening=0.1 dt=0.01 file=%s",
           write_set(&bodies));
  assert_string_equal(caution_of(device, settings, TRM_F64), "");
}

static void numbers_beyond_the_precision_are_refused(trm_device *device)
{
  static const struct { const char *settings, *part; } wrong[] = {
    {"initial=kepler dt=1e-50", "a step nbody.dt"},
    {"initial=kepler dt=0.01 softening=1e-22", "nbody.softening=0"},
    {"initial=kepler dt=0.01 softening=1e22", "the square of nbody.softening"},
    {"initial=plummer bodies=100 dt=0.01 gravity=1e38 softening=0.001", "--precision=f64"},
    {"initial=box units=si extent=1e25 bodies=100 dt=1", "the square of a distance"},
    {"initial=box units=si bodies=100 dt=1", "the energy"},
    {"initial=box extent=1e15 heaviest=1 bodies=2 dt=1", "the attraction"}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    TEST_FAILS(nbody_try(device, wrong[i].settings, TRM_F32), TRM_ERROR_INPUT, wrong[i].part);
    if (trm_device_describe(device)->has_f64 && i < 4)
      TEST_OK(nbody_try(device, wrong[i].settings, TRM_F64));
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_body_where_rows_are_filled_up_has_its_forces),
    TEST_DEVICE(forces_far_from_the_origin_are_those_at_it),
    TEST_DEVICE(what_leaves_the_solver_has_the_middle_added),
    TEST_DEVICE(a_pair_from_a_file_is_of_points_unless_a_softening_is_set),
    TEST_DEVICE(defaults_suit_the_set),
    TEST_DEVICE(steps_that_are_too_long_or_short_are_told_with_a_cure),
    TEST_DEVICE(numbers_beyond_the_precision_are_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
