/* shallow_edges.c - open edges where the bed slopes: what rests stays at rest, what leaves is gone,
 * and errors die away. A shore at an edge. Lax-Friedrichs refuses what it cannot do. */
#include "tests/solvers/shallow/shallow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A bed of 61 x 37 cells that changes at random from cell to cell, with islands, many at the edges.
 * No edge is named: they are open. Depth and bed together are the level only to the last bit, which
 * mirror images at the edges made a flood of 40 m/s in f32; at the level 0 nothing would move. */
static const char *const rough[] = {
  "grid.nx", "61", "grid.ny", "37", "grid.dx", "1", "shallow.bed_formula",
  "1.2*sin(12.9*x*x+78.2*y)*cos(39.3*x+11.1*y*y)-0.6",
  "initial.surface", "0.1", NULL };

static void rests(trm_device *device, trm_precision precision, uint64_t steps, double most)
{
  shallow_run run = shallow_run_begin(device, precision, rough);
  shallow_run_advance(&run, INFINITY, steps, 4096);
  TEST_OK(trm_solver_shallow.observe(run.solver));
  double *speed = shallow_run_values(&run, "speed"), *h = shallow_run_values(&run, "h");
  size_t dry = 0;
  for (size_t i = 0; i < 61 * 37; i++) dry += h[i] <= 1e-6;
  print_message("# %s, %d steps: largest speed %.2g m/s, %zu dry cells\n",
                trm_precision_name(precision), (int)steps, shallow_largest(speed, 61 * 37), dry);
  assert_true(dry > 100 && dry < 61 * 37 / 2);
  assert_true(shallow_largest(speed, 61 * 37) < most);
  free(h);
  free(speed);
  shallow_run_end(&run);
}

static void a_rough_lake_with_open_edges_stays_at_rest(trm_device *device)
{
  test_is_long_elsewhere(device);
  rests(device, TRM_F32, 4000, 1e-4);
  if (trm_device_describe(device)->has_f64) rests(device, TRM_F64, 4000, 1e-12);
}

static void it_does_so_for_100000_steps(trm_device *device)
{
  test_is_long();
  if (!trm_device_describe(device)->is_host)
    TEST_SKIP("openmp shows it; the bits are those of every backend");
  rests(device, TRM_F32, 100000, 1e-4);
  rests(device, TRM_F64, 100000, 1e-12);
}

/* A sea of 500 km over hills of 1500 m that do not end at its edges; a hump of a metre. */
static void hump_over_hills(trm_device *device, double end, double most)
{
  static const char *const sets[] = {
    "grid.nx", "125", "grid.ny", "125", "grid.dx", "4000", "shallow.cfl", "0.45",
    "shallow.bed_formula", "-2000+1500*sin(x/20000)*cos(y/27000)", "initial.surface",
    "exp(-((x-250000)^2+(y-250000)^2)/8e8)", NULL };
  test_needs_f64(device);
  shallow_run run = shallow_run_begin(device, TRM_F64, sets);
  shallow_run_advance(&run, end, UINT64_MAX, 4096);
  TEST_OK(trm_solver_shallow.observe(run.solver));
  double *surface = shallow_run_values(&run, "surface");
  print_message("# after %g h the surface is off by %.2g m\n", end / 3600,
                shallow_largest(surface, 125 * 125));
  assert_true(shallow_largest(surface, 125 * 125) < most);
  free(surface);
  shallow_run_end(&run);
}

static void waves_leave_a_sea_over_hills(trm_device *device)
{
  test_is_long_elsewhere(device);
  if (!trm_device_describe(device)->is_host)
    TEST_SKIP("openmp shows it; the bits are those of every backend");
  hump_over_hills(device, 4 * 3600.0, 0.05);
}

static void the_sea_is_calm_after_a_day(trm_device *device)
{
  test_is_long();
  if (!trm_device_describe(device)->is_host)
    TEST_SKIP("openmp shows it; the bits are those of every backend");
  hump_over_hills(device, 24 * 3600.0, 0.05);
}

/* The surface of a channel of nx cells of 2 m after 32 s; a hump of 0.1 m began at x = 200. */
static double *channel(trm_device *device, const char *nx, const char *bed)
{
  const char *const sets[] = {
    "grid.nx", nx, "grid.ny", "4", "grid.dx", "2", "boundary.south", "wall", "boundary.north",
    "wall", "shallow.bed_formula", bed, "initial.surface", "0.1*exp(-((x-200)/20)^2)",
    NULL };
  shallow_run run = shallow_run_begin(device, TRM_F64, sets);
  shallow_run_advance(&run, 32.0, UINT64_MAX, 4096);
  TEST_OK(trm_solver_shallow.observe(run.solver));
  double *surface = shallow_run_values(&run, "surface");
  shallow_run_end(&run);
  return surface;
}

/* What comes back from the edge at 400 m is what a channel twice as long does not have there. The
 * wave that meets it is 0.05 m high. */
static void slopes_at_an_edge_send_little_back(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const beds[] = { "-20+0.02*x", "-12-0.02*x", "-16-0.8*sin(x/40)",
                                      "-20+(x < 300 ? 0 : 0.05*(x-300))" };
  test_needs_f64(device);
  for (size_t b = 0; b < sizeof beds / sizeof *beds; b++) {
    double *open = channel(device, "200", beds[b]), *whole = channel(device, "400", beds[b]);
    double back = 0;
    for (size_t x = 0; x < 200; x++) back = fmax(back, fabs(open[x] - whole[x]));
    print_message("# bed %s: %.2g %% comes back\n", beds[b], 100 * back / 0.05);
    assert_true(back < 0.02 * 0.05);
    free(whole);
    free(open);
  }
}

/* ---- a wave's trough before a shore --------------------------------------------------- */

/* The surface after 60 steps of a sea that falls at its western edge, before a hill that rises from
 * the water. Of the start, `ripple` is about 1e-13 m. */
static double *fallen_sea(trm_device *device, const char *level, const char *ripple)
{
  char surface[100];
  snprintf(surface, sizeof surface, "1+0.1*sin(0.3*x)*sin(0.5*y)+(%s)*sin(x*y)", ripple);
  const char *const sets[] = {
    "grid.nx", "31", "grid.ny", "16", "grid.dx", "1", "boundary.east", "wall", "boundary.south",
    "wall", "boundary.north", "wall", "boundary.west", "wave", "boundary.west_value", level,
    "shallow.still_level", "1", "shallow.manning", "0.02", "shallow.theta", "1",
    "shallow.bed_formula", "1.5*exp(-((x-3)^2+(y-4)^2)/9)", "initial.surface", surface,
    NULL };
  shallow_run run = shallow_run_begin(device, TRM_F64, sets);
  shallow_run_advance(&run, INFINITY, 60, 4096);
  TEST_OK(trm_solver_shallow.observe(run.solver));
  double *values = shallow_run_values(&run, "surface");
  shallow_run_end(&run);
  return values;
}

/* Where no water is left beyond the edge, that is so whatever is rounded: when it was left to
 * rounding, the surfaces differed by 1e-4 to 2e-2 m. */
static void a_trough_before_a_shore_does_not_hang_on_rounding(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const levels[] = { "0.8", "0.5", "0" };
  test_needs_f64(device);
  for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
    double *plain = fallen_sea(device, levels[l], "0");
    double *other = fallen_sea(device, levels[l], "1e-13"), apart = 0;
    for (size_t i = 0; i < 31 * 16; i++) apart = fmax(apart, fabs(plain[i] - other[i]));
    print_message("# falls to %s m: 1e-13 m at the start become %.2g m\n", levels[l], apart);
    assert_true(apart < 1e-10);
    free(other);
    free(plain);
  }
}

/* ---- Lax-Friedrichs ---------------------------------------------------------------- */

static trm_status lax_friedrichs(trm_device *device, const char *bed, const char *east)
{
  const char *const sets[] = {
    "grid.nx", "40", "grid.ny", "30", "grid.dx", "1", "shallow.scheme", "lax-friedrichs",
    "shallow.bed_formula", bed, "boundary.east", east, NULL };
  const trm_solver_options how = { .precision = TRM_F32 };
  trm_config *config = shallow_configure_run(sets);
  trm_solver *solver = NULL;
  const trm_status status = trm_solver_shallow.create(device, config, &how, &solver);
  if (solver) trm_solver_shallow.destroy(&solver);
  trm_config_destroy(&config);
  return status;
}

static void lax_friedrichs_wants_a_level_bed_at_open_edges(trm_device *device)
{
  TEST_FAILS(lax_friedrichs(device, "x < 39 ? -1 : -0.98", "open"), TRM_ERROR_INPUT,
             "boundary.east: at this open edge the bed rises or falls by 0.02");
  TEST_FAILS(lax_friedrichs(device, "y < 1 ? -1 : -0.9", "wall"), TRM_ERROR_INPUT,
             "boundary.south: at this open edge");
  TEST_OK(lax_friedrichs(device, "x < 39 ? -1 : -0.98", "wall"));
  TEST_OK(lax_friedrichs(device, "x < 39 ? -1 : -0.995", "open"));
  TEST_OK(lax_friedrichs(device, "x < 38 ? -1 : x-38", "open"));
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_rough_lake_with_open_edges_stays_at_rest),
    TEST_DEVICE(it_does_so_for_100000_steps),
    TEST_DEVICE(waves_leave_a_sea_over_hills),
    TEST_DEVICE(the_sea_is_calm_after_a_day),
    TEST_DEVICE(slopes_at_an_edge_send_little_back),
    TEST_DEVICE(a_trough_before_a_shore_does_not_hang_on_rounding),
    TEST_DEVICE(lax_friedrichs_wants_a_level_bed_at_open_edges),
  };
  return TEST_RUN(argc, argv, cases);
}
