/* shallow.c - the shallow-water solver through the contract of solvers: one history for any batch
 * and backend, a lake at rest, water conserved, mirror images, depths beyond the precision. */
#include "tests/solvers/shallow/shallow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one history --------------------------------------------------------------- */

/* Every kind of edge, dry land and friction; and the course's scheme. */
static const char *const rough[] = {
  "grid.nx", "130", "grid.ny", "67", "grid.dx", "0.1", "shallow.bed_formula",
  "0.3*sin(x)*cos(2*y)-0.1", "initial.surface", "0.2*exp(-((x-6)^2+(y-3)^2))",
  "shallow.manning", "0.03", "boundary.west", "wall", "boundary.south", "level",
  "boundary.south_value", "0.05", "boundary.east", "discharge", "boundary.east_value", "0.02",
  "boundary.north", "wave", "boundary.north_value", "0.03",
  "shallow.maps", "true", "probes", "a 1 1, b 6.05 3", NULL };
static const char *const plain[] = {
  "grid.nx", "97", "grid.ny", "61", "grid.dx", "1", "shallow.scheme", "lax-friedrichs",
  "shallow.bed_formula", "0.02*x-1.5", "initial.surface",
  "0.5*exp(-((x-30)^2+(y-30)^2)/50)", "boundary.north", "wall", "boundary.west", "wall", NULL };
static const struct { const char *name; const char *const *sets; double end; } histories[] = {
  { "hllc", rough, 1.0 },
  { "lax-friedrichs", plain, 10.0 } };

static void any_batch_gives_the_known_history(trm_device *device)
{
  static const uint64_t batches[] = { 4096, 1, 7, 64 };
  const int precisions = trm_device_describe(device)->has_f64 ? 2 : 1;
  for (size_t c = 0; c < 2; c++)
    for (int p = 0; p < precisions; p++) {
      size_t steps = 0;
      double *dt = NULL;
      for (size_t b = 0; b < 4; b++) {
        char print[33];
        shallow_run run = shallow_run_begin(device, (trm_precision)p, histories[c].sets);
        shallow_run_advance(&run, histories[c].end, UINT64_MAX, batches[b]);
        TEST_OK(trm_solver_fingerprint(run.solver, print));
        print_message("# %s %s: %zu steps, %s\n", histories[c].name,
                      trm_precision_name((trm_precision)p), run.steps, print);
        test_is_known(print, "shallow/%s/%s", histories[c].name,
                      trm_precision_name((trm_precision)p));
        assert_true(run.solver->time == histories[c].end);
        if (!dt) {
          steps = run.steps;
          dt = malloc(steps * sizeof *dt);
          memcpy(dt, run.dt, steps * sizeof *dt);
        }
        assert_int_equal(run.steps, steps);
        TEST_SAME_BITS(run.dt, dt, steps, TRM_TYPE_F64);
        shallow_run_end(&run);
      }
      free(dt);
    }
}

static void fast_arithmetic_stays_near(trm_device *device)
{
  for (size_t c = 0; c < 2; c++) {
    double *h[2];
    for (int is_fast = 0; is_fast < 2; is_fast++) {
      shallow_run run = is_fast ? shallow_run_begin_fast(device, TRM_F32, histories[c].sets)
                                : shallow_run_begin(device, TRM_F32, histories[c].sets);
      shallow_run_advance(&run, INFINITY, 20, 20);
      h[is_fast] = shallow_run_values(&run, "h");
      shallow_run_end(&run);
    }
    double far = 0, most = 0;
    for (size_t i = 0; i < (c ? 97 * 61 : 130 * 67); i++) {
      far = fmax(far, fabs(h[1][i] - h[0][i]));
      most = fmax(most, h[0][i]);
    }
    print_message("# %s, 20 steps: %.1e of the largest depth\n", histories[c].name, far / most);
    assert_true(far <= 1e-4 * most);
    free(h[0]);
    free(h[1]);
  }
}

/* A stream that friction slows down from the start on was never faster; land and thin water, where
 * no speed counts, have none. */
static void maps_begin_with_the_first_state(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "40", "grid.ny", "9", "grid.dx", "1", "shallow.bed_formula", "x < 30 ? -1 : 1",
    "initial.velocity_x", "0.6", "initial.velocity_y", "0.8", "shallow.manning", "0.1",
    "shallow.maps", "true", NULL };
  shallow_run run = shallow_run_begin(device, TRM_F32, sets);
  shallow_run_advance(&run, INFINITY, 3, 3);
  TEST_OK(trm_solver_shallow.observe(run.solver));
  double *greatest = shallow_run_values(&run, "greatest_speed");
  double *speed = shallow_run_values(&run, "speed");
  const size_t stream = 4 * 40 + 12, land = 4 * 40 + 38;
  assert_true(speed[stream] < 0.999);
  TEST_CLOSE(greatest[stream], 1.0, 1e-6);
  assert_true(greatest[land] == 0.0);
  free(speed);
  free(greatest);
  shallow_run_end(&run);
}

/* ---- rest and conservation ------------------------------------------------------- */

static void a_lake_with_dry_land_stays_at_rest(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const sets[] = {
    "grid.nx", "61", "grid.ny", "47", "grid.dx", "0.05", "shallow.bed_formula",
    "0.8*sin(7*x)*cos(5*y)-0.3", "initial.surface", "0.1", SHALLOW_CLOSED, NULL };
  test_needs_f64(device);
  shallow_run run = shallow_run_begin(device, TRM_F64, sets);
  shallow_run_advance(&run, INFINITY, 10000, 4096);
  TEST_OK(trm_solver_shallow.observe(run.solver));
  double *speed = shallow_run_values(&run, "speed"), *h = shallow_run_values(&run, "h");
  size_t dry = 0;
  for (size_t i = 0; i < 61 * 47; i++) dry += h[i] == 0.0;
  print_message("# largest speed %g m/s, %zu dry cells\n", shallow_largest(speed, 61 * 47), dry);
  assert_true(shallow_largest(speed, 61 * 47) < 1e-13);
  assert_true(dry > 100);
  free(h);
  free(speed);
  shallow_run_end(&run);
}

/* Levels and incoming waves of the lake's own height, and an open edge, over a
 * bed that slopes there. */
static void a_lake_meets_its_edges_at_rest(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const sets[] = {
    "grid.nx", "61", "grid.ny", "47", "grid.dx", "0.05", "shallow.bed_formula",
    "0.8*sin(7*x)*cos(5*y)-0.3", "initial.surface", "0.1", "shallow.still_level", "0.1",
    "boundary.west", "level", "boundary.west_value", "0.1", "boundary.east", "wave",
    "boundary.east_value", "0.1", "boundary.north", "level", "boundary.north_value", "0.1", NULL };
  test_needs_f64(device);
  shallow_run run = shallow_run_begin(device, TRM_F64, sets);
  shallow_run_advance(&run, INFINITY, 2000, 4096);
  TEST_OK(trm_solver_shallow.observe(run.solver));
  double *speed = shallow_run_values(&run, "speed");
  print_message("# largest speed %g m/s\n", shallow_largest(speed, 61 * 47));
  assert_true(shallow_largest(speed, 61 * 47) < 1e-13);
  free(speed);
  shallow_run_end(&run);
}

static void a_closed_basin_keeps_its_water(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const sets[] = {
    "grid.nx", "70", "grid.ny", "50", "grid.dx", "0.1", "shallow.bed_formula",
    "0.2*((x-3.5)^2+(y-2.5)^2)/4", "initial.surface",
    "0.1 + (x < 2 ? 0.3 : 0)", SHALLOW_CLOSED, NULL };
  test_needs_f64(device);
  shallow_run run = shallow_run_begin(device, TRM_F64, sets);
  shallow_run_advance(&run, 5.0, UINT64_MAX, 4096);
  double *h = shallow_run_values(&run, "h");
  for (size_t i = 0; i < 70 * 50; i++) assert_true(h[i] >= 0.0);
  TEST_OK(trm_solver_shallow.finish(run.solver, run.dt));
  assert_string_equal(run.solver->results[2].name, "volume_change");
  print_message("# volume changed by %g of itself\n", run.solver->results[2].value);
  assert_true(fabs(run.solver->results[2].value) <= 1e-13);
  free(h);
  shallow_run_end(&run);
}

/* ---- symmetry --------------------------------------------------------------------- */

/* The same hump and hills from another side: x mirrored, and x and y exchanged. */
static void mirror_images_have_mirrored_bits(trm_device *device)
{
  test_is_spared(device);
  static const char *const schemes[] = { "hllc", "lax-friedrichs" };
  for (int s = 0; s < 2; s++) {
    const char *const sets[] = {
      "grid.nx", "40", "grid.ny", "40", "grid.dx", "0.125", "grid.x0", "-2.5", "grid.y0", "-2.5",
      "shallow.scheme", schemes[s], "shallow.bed_formula", "0.25*x*x-0.5*y-0.5",
      "initial.surface", "(x-1)^2+(y-0.5)^2 < 1 ? 0.5 : 0", SHALLOW_CLOSED, NULL };
    const char *mirrored[sizeof sets / sizeof *sets], *turned[sizeof sets / sizeof *sets];
    memcpy(mirrored, sets, sizeof sets);
    memcpy(turned, sets, sizeof sets);
    mirrored[15] = "(x+1)^2+(y-0.5)^2 < 1 ? 0.5 : 0";
    turned[13] = "0.25*y*y-0.5*x-0.5";
    turned[15] = "(y-1)^2+(x-0.5)^2 < 1 ? 0.5 : 0";
    const char *const *const cases[] = { sets, mirrored, turned };
    double *h[3], *hu[3], *hv[3];
    for (int c = 0; c < 3; c++) {
      shallow_run run = shallow_run_begin(device, TRM_F32, cases[c]);
      shallow_run_advance(&run, INFINITY, 100, 100);
      h[c] = shallow_run_values(&run, "h");
      hu[c] = shallow_run_values(&run, "hu");
      hv[c] = shallow_run_values(&run, "hv");
      shallow_run_end(&run);
    }
    assert_true(shallow_largest(hu[0], 1600) > 1e-3);
    for (size_t y = 0; y < 40; y++)
      for (size_t x = 0; x < 40; x++) {
        const size_t i = y * 40 + x, m = y * 40 + (39 - x), t = x * 40 + y;
        assert_true(h[0][i] == h[1][m] && hu[0][i] == -hu[1][m] && hv[0][i] == hv[1][m]);
        assert_true(h[0][i] == h[2][t] && hu[0][i] == hv[2][t] && hv[0][i] == hu[2][t]);
      }
    for (int c = 0; c < 3; c++) {
      free(h[c]);
      free(hu[c]);
      free(hv[c]);
    }
  }
}

/* ---- beyond the precision --------------------------------------------------------- */

/* h^2 is infinite, and the fluxes are NaN: a depth cut to be at least 0 would
 * make that dry land. */
static void a_nan_is_not_dry_land(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "40", "grid.ny", "20", "grid.dx", "1", "shallow.bed_formula", "-1",
    "initial.surface", "x < 10 ? 1e25 : 0", NULL };
  shallow_run run = shallow_run_begin(device, TRM_F32, sets);
  shallow_run_advance(&run, INFINITY, 1, 1);
  double *h = shallow_run_values(&run, "h");
  size_t lost = 0;
  for (size_t i = 0; i < 40 * 20; i++) {
    if (!isfinite(h[i])) lost++;
    else assert_true(h[i] > 0);
  }
  print_message("# %zu cells are not finite\n", lost);
  assert_true(lost >= 20);
  free(h);
  shallow_run_end(&run);
}

/* ---- the clock --------------------------------------------------------------------- */

/* A lake at rest makes steps of one length; a time that is so many of them takes so many, and no
 * launch beyond, whatever a batch is. Schemes, and lengths that several steps share. */
static void a_time_of_so_many_steps_takes_so_many(trm_device *device)
{
  static const char *const forms[][2] = { { "hllc", "1" }, { "lax-friedrichs", "1" },
                                          { "lax-friedrichs", "4" } };
  static const double off[] = { 0, 3e-16, -3e-16 };
  for (size_t f = 0; f < 3; f++)
    for (uint64_t steps = 1; steps < 80; steps += steps < 6 ? 1 : 24)
      for (size_t i = 0; i < 3; i++) {
        const char *const sets[] = { "grid.nx", "9", "grid.ny", "7", "grid.dx", "1",
                                     SHALLOW_CLOSED, "initial.surface", "1",
                                     "shallow.scheme", forms[f][0],
                                     "shallow.dt_every", forms[f][1], NULL };
        shallow_run one = shallow_run_begin(device, TRM_F32, sets);
        shallow_run_advance(&one, INFINITY, 1, 1);
        const double end = (double)steps * one.dt[0] * (1 + off[i]);
        shallow_run_end(&one);
        shallow_run run = shallow_run_begin(device, TRM_F32, sets);
        shallow_run_advance(&run, end, UINT64_MAX, 64);
        if (run.steps != steps || run.solver->time != end)
          fail_msg("%s, %s: %zu steps of %.9g to %.17g, which is %.17g", forms[f][0], forms[f][1],
                   run.steps, run.dt[0], run.solver->time, end);
        shallow_run_end(&run);
      }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(any_batch_gives_the_known_history),
    TEST_DEVICE(fast_arithmetic_stays_near),
    TEST_DEVICE(maps_begin_with_the_first_state),
    TEST_DEVICE(a_lake_with_dry_land_stays_at_rest),
    TEST_DEVICE(a_lake_meets_its_edges_at_rest),
    TEST_DEVICE(a_closed_basin_keeps_its_water),
    TEST_DEVICE(mirror_images_have_mirrored_bits),
    TEST_DEVICE(a_nan_is_not_dry_land),
    TEST_DEVICE(a_time_of_so_many_steps_takes_so_many),
  };
  return TEST_RUN(argc, argv, cases);
}
