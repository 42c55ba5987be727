/* shallow_heights.c - heights and thin water: a lake is at rest exactly wherever the datum is,
 * known solutions keep their errors 4000 m above it, a film runs down rough ground as another
 * method has it (staggered.py), and the balance of a run's volume closes. */
#include "tests/solvers/shallow/shallow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int precisions_of(trm_device *device)
{
  return trm_device_describe(device)->has_f64 ? 2 : 1;
}

static double result(const shallow_run *run, const char *name)
{
  for (size_t i = 0; i < run->solver->result_count; i++)
    if (strcmp(run->solver->results[i].name, name) == 0) return run->solver->results[i].value;
  fail_msg("no result %s", name);
  return NAN;
}

/* ---- lakes ------------------------------------------------------------------------- */

/* The largest discharge of a lake after `steps` steps, on a random bed with islands. */
static double unrest(trm_device *device, trm_precision precision, double datum, double level,
                     const char *edge, uint64_t steps)
{
  enum { NX = 43, NY = 31 };
  char bed[256], surface[64];
  snprintf(bed, sizeof bed, "%.17g+12*sin(3.9*x+78.2*y+x*y/7)*cos(39.3*x+11.1*y)-6", datum);
  snprintf(surface, sizeof surface, "%.17g", datum + level);
  const int has_value = strcmp(edge, "level") == 0 || strcmp(edge, "wave") == 0;
  const char *const sets[] = {
    "grid.nx", "43", "grid.ny", "31", "grid.dx", "10", "shallow.bed_formula", bed,
    "initial.surface", surface, "shallow.still_level", surface, "shallow.cfl", "0.45",
    "boundary.west", edge, "boundary.east", edge, "boundary.south", edge, "boundary.north", edge,
    has_value ? "boundary.west_value" : NULL, surface, "boundary.east_value", surface,
    "boundary.south_value", surface, "boundary.north_value", surface, NULL };
  shallow_run run = shallow_run_begin(device, precision, sets);
  shallow_run_advance(&run, INFINITY, steps, 4096);
  double *hu = shallow_run_values(&run, "hu"), *hv = shallow_run_values(&run, "hv");
  double *h = shallow_run_values(&run, "h");
  const double most = fmax(shallow_largest(hu, NX * NY), shallow_largest(hv, NX * NY));
  size_t dry = 0;
  for (size_t i = 0; i < NX * NY; i++) dry += h[i] == 0.0;
  assert_true(dry > 100 && dry < NX * NY / 2);
  free(h);
  free(hv);
  free(hu);
  shallow_run_end(&run);
  return most;
}

static void a_lake_is_at_rest_at_any_height(trm_device *device)
{
  static const double datums[] = { 0, 4000, -11000.3, 1e6 }, levels[] = { 0, 0.37, 1.0 / 3 };
  static const char *const edges[] = { "wall", "open", "level", "wave", "discharge" };
  test_is_long_elsewhere(device);
  for (int p = 0; p < precisions_of(device); p++)
    for (int e = 0; e < 5; e++)
      for (int d = 0; d < 4; d++) {
        const double level = levels[(d + e) % 3];
        const double most = unrest(device, (trm_precision)p, datums[d], level, edges[e], 100);
        if (most != 0.0)
          print_message("# %s, datum %g, level %g: %g m2/s\n", edges[e], datums[d], level, most);
        assert_true(most == 0.0);
      }
}

/* A gauge and the fields tell heights above the datum, the gauge to a tenth of the spacing that
 * single precision has there. */
static void outputs_have_the_datum(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "20", "grid.ny", "9", "grid.dx", "1", "shallow.bed_formula", "4000+0.1*x",
    "initial.surface", "4003.7123", "probes", "a 5 5, dry 5 5.1",
    "shallow.maps", "true", "shallow.still_level", "4003.7123", SHALLOW_CLOSED, NULL };
  shallow_run run = shallow_run_begin(device, TRM_F32, sets);
  shallow_run_advance(&run, INFINITY, 3, 3);
  TEST_OK(trm_solver_shallow.observe(run.solver));
  double *surface = shallow_run_values(&run, "surface"), *bed = shallow_run_values(&run, "bed");
  double *arrival = shallow_run_values(&run, "arrival");
  float stored;
  const trm_series *series = &run.solver->series[3];
  TEST_OK(trm_buffer_read(series->buffer, series->first * sizeof stored, sizeof stored, &stored));
  assert_true(fabs(((double)stored / series->divisor + series->offset) - 4003.7123) < 2.4e-5);
  for (int i = 0; i < 180; i++) {
    assert_true(fabs(surface[i] - 4003.7123) < 2.5e-4);
    assert_true(fabs(bed[i] - (4000 + 0.1 * (i % 20 + 0.5))) < 2.5e-4);
    assert_true(arrival[i] == -1.0);
  }
  free(arrival);
  free(bed);
  free(surface);
  shallow_run_end(&run);
}

/* Thacker's round bowl after three periods, L1 of the depth over h0: bounds are 1.15 times what the
 * scheme had at the datum with slopes of the surface by theta alone (8.2e-3 and 2.2e-3). */
static double bowl_error(trm_device *device, trm_precision precision, int n, double datum)
{
  char cells[16], side[32], bed[128], surface[128];
  snprintf(cells, sizeof cells, "%d", n);
  snprintf(side, sizeof side, "%.17g", 4.0 / n);
  snprintf(bed, sizeof bed, "%.17g-0.1*(1-((x-2)^2+(y-2)^2))", datum);
  snprintf(surface, sizeof surface, "%.17g+0.1*(0.25-((x-2)^2+(y-2)^2)*0.5625)", datum);
  const char *const sets[] = { "grid.nx", cells, "grid.ny", cells, "grid.dx", side,
                               "shallow.bed_formula", bed, "initial.surface", surface,
                               SHALLOW_CLOSED, NULL };
  shallow_run run = shallow_run_begin(device, precision, sets);
  double *start = shallow_run_values(&run, "h"), sum = 0;
  shallow_run_advance(&run, 3 * 2 * 3.14159265358979 / sqrt(8 * 9.81 * 0.1), UINT64_MAX, 4096);
  double *h = shallow_run_values(&run, "h");
  for (int i = 0; i < n * n; i++) sum += fabs(h[i] - start[i]) / (n * n * 0.1);
  free(h);
  free(start);
  shallow_run_end(&run);
  print_message("# %s, %d cells, %g m above the datum: %.3e of h0\n",
                trm_precision_name(precision), n, datum, sum);
  return sum;
}

static void a_bowl_swings_as_well_at_4000_m(trm_device *device)
{
  test_is_long_elsewhere(device);
  assert_true(bowl_error(device, TRM_F32, 50, 4000) <= 1.15 * 8.2e-3);
}

static void a_fine_bowl_too(trm_device *device)
{
  test_is_long();
  assert_true(bowl_error(device, TRM_F32, 100, 4000) <= 1.15 * 2.2e-3);
}

/* ---- thin water -------------------------------------------------------------------- */

/* Ground of 1:10 with a knot of +-4 cm each metre, straight between (staggered.py: rough). */
#define KNOT(m) "(sin(12.9898*(" m "+1))*43758.5453-floor(sin(12.9898*(" m "+1))*43758.5453))"
#define ROUGH "+0.1*(100-x)+0.08*((1-x+floor(x))*" KNOT("floor(x)") "+(x-floor(x))*" \
              KNOT("(floor(x)+1)") "-0.5)"

/* The water on its first 99 m after `end` seconds, m^2: beyond an open edge the bed goes on level,
 * which the last metre feels. datum: its height. */
static double on_rough_ground(trm_device *device, trm_precision precision, const char *cells,
                              const char *dx, const char *datum, const char *start,
                              const char *inflow, double end, double *relative)
{
  char bed[512];
  snprintf(bed, sizeof bed, "%s%s", datum, ROUGH);
  const char *const sets[] = {
    "grid.nx", cells, "grid.ny", "3", "grid.dx", dx, "shallow.bed_formula", bed,
    "initial.surface", start, "shallow.manning", "0.03", SHALLOW_CLOSED, "boundary.east",
    "open", "boundary.west", "discharge", "boundary.west_value", inflow, NULL };
  shallow_run run = shallow_run_begin(device, precision, sets);
  shallow_run_advance(&run, end, UINT64_MAX, 4096);
  TEST_OK(trm_solver_shallow.finish(run.solver, run.dt));
  double *h = shallow_run_values(&run, "h"), left = 0;
  const int n = atoi(cells);
  for (int i = 0; i < n * 99 / 100; i++) left += h[n + i] * atof(dx);
  free(h);
  *relative = result(&run, "balance_relative");
  shallow_run_end(&run);
  return left;
}

/* 5 mm of water, ten minutes; and what lies on it in steady flow of 5e-4 m^2/s. */
static void a_film_runs_down_rough_ground(trm_device *device)
{
  static const struct { const char *cells, *dx; } grids[] = { { "100", "1" }, { "400", "0.25" } };
  static const char *const datums[] = { "0", "4000" };
  test_is_long_elsewhere(device);
  for (int p = 0; p < precisions_of(device); p++)
    for (int d = 0; d < 2; d++)
      for (int i = 0; i < (p == TRM_F32 ? 2 : 1); i++) {
        double missing[2];
        const double film = on_rough_ground(device, (trm_precision)p, grids[i].cells, grids[i].dx,
                                            datums[d], "z+0.005", "0", 600, &missing[0]);
        const double fed = i ? 0.2558
                             : on_rough_ground(device, (trm_precision)p, grids[i].cells,
                                               grids[i].dx, datums[d], "z", "5e-4", 1200,
                                               &missing[1]);
        if (i) missing[1] = 0;
        print_message("# %s, datum %s, cells of %s m: %.4f of 0.5 m2 left, %.4f lie in the flow\n",
                      trm_precision_name((trm_precision)p), datums[d], grids[i].dx, film, fed);
        assert_true(fabs(film - 0.0381) < 0.004);
        assert_true(fabs(fed / 0.2558 - 1) < 0.02);
        for (int k = 0; k < 2; k++)
          assert_true(fabs(missing[k]) < (p == TRM_F64 ? 1e-12 : 1e-7));
      }
}

/* A film keeps its depth, though heights have a quantum: 1 cm on a slope that reaches 4000 m. */
static void a_film_keeps_its_depth(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "50", "grid.ny", "7", "grid.dx", "100", "shallow.bed_formula", "0.8*x+13.3*sin(y)",
    "initial.surface", "z+0.01", NULL };
  shallow_run run = shallow_run_begin(device, TRM_F32, sets);
  double *h = shallow_run_values(&run, "h");
  for (int i = 0; i < 350; i++) assert_true(fabs(h[i] - 0.01) < 1e-9);
  free(h);
  shallow_run_end(&run);
}

/* ---- the balance -------------------------------------------------------------------- */

/* Waves, levels, open edges and discharges at once: each edge is booked, and nothing is missing. */
static void the_balance_closes(trm_device *device)
{
  static const char *const kinds[] = { "open", "wall", "level", "discharge", "wave" };
  test_is_long_elsewhere(device);
  for (int p = 0; p < precisions_of(device); p++)
    for (int first = 0; first < 5; first++) {
      const char *west = kinds[first], *east = kinds[(first + 1) % 5];
      const char *south = kinds[(first + 2) % 5], *north = kinds[(first + 3) % 5];
      const char *sets[40] = {
        "grid.nx", "61", "grid.ny", "47", "grid.dx", "0.3", "grid.dy", "0.2",
        "shallow.bed_formula", "2000+0.4*sin(0.9*x)*cos(1.1*y)-0.2", "initial.surface",
        "2000+0.2*exp(-((x-3)^2+(y-1)^2))", "shallow.still_level", "2000", "shallow.manning",
        "0.02", "boundary.west", west, "boundary.east", east, "boundary.south", south,
        "boundary.north", north };
      const char *const all[] = { west, east, south, north };
      static const char *const keys[] = { "boundary.west_value", "boundary.east_value",
                                          "boundary.south_value", "boundary.north_value" };
      size_t used = 24;
      for (int i = 0; i < 4; i++) {
        if (strcmp(all[i], "open") == 0 || strcmp(all[i], "wall") == 0) continue;
        sets[used++] = keys[i];
        sets[used++] = strcmp(all[i], "discharge") == 0 ? "-0.01" : "2000.05";
      }
      sets[used] = NULL;
      shallow_run run = shallow_run_begin(device, (trm_precision)p, sets);
      shallow_run_advance(&run, 4.0, UINT64_MAX, 4096);
      TEST_OK(trm_solver_shallow.finish(run.solver, run.dt));
      const double relative = result(&run, "balance_relative");
      const double sum = result(&run, "balance_start") + result(&run, "balance_west") +
                         result(&run, "balance_east") + result(&run, "balance_south") +
                         result(&run, "balance_north") + result(&run, "balance_remainder");
      print_message("# %s %s: %.2e of what passed is missing\n",
                    trm_precision_name((trm_precision)p), west, relative);
      assert_true(fabs(relative) < (p == TRM_F64 ? 1e-12 : 1e-7));
      assert_true(fabs(sum - result(&run, "balance_end")) < 1e-12 * sum);
      shallow_run_end(&run);
    }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_lake_is_at_rest_at_any_height),
    TEST_DEVICE(outputs_have_the_datum),
    TEST_DEVICE(a_bowl_swings_as_well_at_4000_m),
    TEST_DEVICE(a_fine_bowl_too),
    TEST_DEVICE(a_film_runs_down_rough_ground),
    TEST_DEVICE(a_film_keeps_its_depth),
    TEST_DEVICE(the_balance_closes),
  };
  return TEST_RUN(argc, argv, cases);
}
