/* shallow_given.c - a given discharge through an edge: exact for slow and fast flow, on dry ground,
 * beside dry cells, for any limiter, at all four sides and over beds that fall along the edge; what
 * leaves is no more than can; and the balance has it. Fronts are compared with another method's
 * (staggered.py). */
#include "tests/solvers/shallow/shallow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double g = 9.81;
enum { WEST, EAST, SOUTH, NORTH };
static const char *const names[] = { "west", "east", "south", "north" };

/* ---- a channel that begins at any side --------------------------------------------- */

/* `cells` cells of dx along the channel and 3 across; formulas of s, the way from the edge in. */
typedef struct channel {
  int cells;
  double dx;
  const char *bed, *surface, *speed; /* of s; the speed is inwards, NULL: none */
  const char *far;                   /* the edge at the other end */
  const char *value, *file;          /* the discharge */
  const char *manning, *theta;
} channel;

/* `text` with each s replaced by the way in from the side. */
static const char *in_place(const channel *c, int side, const char *text, char *out, size_t bytes)
{
  char way[64];
  const double length = c->cells * c->dx;
  const char *axis = side < SOUTH ? "x" : "y";
  size_t used = 0;
  if (side & 1) snprintf(way, sizeof way, "(%.17g-%s)", length, axis);
  else snprintf(way, sizeof way, "%s", axis);
  for (; *text && used + 64 < bytes; text++)
    if (*text == 's') used += (size_t)snprintf(out + used, bytes - used, "%s", way);
    else out[used++] = *text;
  out[used] = '\0';
  return out;
}

static shallow_run begin(trm_device *device, trm_precision precision, const channel *c, int side)
{
  char bed[512], surface[512], speed[512], cells[16], dx[32], keys[3][64];
  const char *across[] = { "north", "south", "west", "east" };
  const int is_x = side < SOUTH;
  char walls[2][64];
  snprintf(cells, sizeof cells, "%d", c->cells);
  snprintf(dx, sizeof dx, "%.17g", c->dx);
  snprintf(keys[0], sizeof keys[0], "boundary.%s", names[side]);
  snprintf(keys[1], sizeof keys[1], "boundary.%s_%s", names[side], c->file ? "table" : "value");
  snprintf(keys[2], sizeof keys[2], "boundary.%s", names[side ^ 1]);
  for (int i = 0; i < 2; i++)
    snprintf(walls[i], sizeof walls[i], "boundary.%s", across[is_x ? i : 2 + i]);
  in_place(c, side, c->bed, bed, sizeof bed);
  in_place(c, side, c->surface, surface, sizeof surface);
  snprintf(speed, sizeof speed, "%s%s", side & 1 ? "-" : "", c->speed ? c->speed : "0");
  const char *const sets[] = {
    "grid.nx", is_x ? cells : "3", "grid.ny", is_x ? "3" : cells, "grid.dx", dx,
    "shallow.bed_formula", bed, "initial.surface", surface,
    is_x ? "initial.velocity_x" : "initial.velocity_y", speed, keys[0], "discharge", keys[1],
    c->file ? c->file : c->value, keys[2], c->far, walls[0], "wall", walls[1], "wall",
    "shallow.manning", c->manning ? c->manning : "0", "shallow.theta",
    c->theta ? c->theta : "1.3", NULL };
  return shallow_run_begin(device, precision, sets);
}

static double result(const shallow_run *run, const char *name)
{
  for (size_t i = 0; i < run->solver->result_count; i++)
    if (strcmp(run->solver->results[i].name, name) == 0) return run->solver->results[i].value;
  fail_msg("no result %s", name);
  return NAN;
}

static double booked(const shallow_run *run, int side)
{
  char name[32];
  snprintf(name, sizeof name, "balance_%s", names[side]);
  return result(run, name);
}

/* Of a row along the channel, from the side on. */
static double along(const channel *c, int side, const double *values, int i)
{
  const int at = side & 1 ? c->cells - 1 - i : i;
  return side < SOUTH ? values[c->cells + at] : values[3 * at + 1];
}

static int precisions_of(trm_device *device)
{
  return trm_device_describe(device)->has_f64 ? 2 : 1;
}

#define EACH(device, side, p) \
  for (int side = WEST; side <= NORTH; side++) \
    for (int p = 0; p < precisions_of(device); p++)

/* ---- nothing passes ---------------------------------------------------------------- */

/* A pool of a metre beside a ridge, 3 m^3, and no discharge. */
static void a_pool_beside_a_ridge_stays(trm_device *device)
{
  test_is_spared(device);
  static const channel pool = { 4, 1, "s<1 ? -1 : 1", "0", NULL, "wall", "0", NULL, NULL, NULL };
  EACH(device, side, p)
  {
    shallow_run run = begin(device, (trm_precision)p, &pool, side);
    shallow_run_advance(&run, 10.0, UINT64_MAX, 4096);
    TEST_OK(trm_solver_shallow.finish(run.solver, run.dt));
    double *hu = shallow_run_values(&run, "hu"), *hv = shallow_run_values(&run, "hv");
    assert_true(result(&run, "volume") == 3.0);
    assert_true(booked(&run, side) == 0.0);
    assert_true(shallow_largest(hu, 12) == 0.0 && shallow_largest(hv, 12) == 0.0);
    free(hv);
    free(hu);
    shallow_run_end(&run);
  }
}

/* Random beds and islands at all edges; each has a discharge of 0. */
static void a_lake_without_discharge_is_at_rest(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = {
    "grid.nx", "37", "grid.ny", "23", "grid.dx", "1", "shallow.bed_formula",
    "1.2*sin(12.9*x*x+78.2*y)*cos(39.3*x+11.1*y*y)-0.6", "initial.surface", "0.1",
    "boundary.west", "discharge", "boundary.east", "discharge", "boundary.south", "discharge",
    "boundary.north", "discharge", NULL };
  for (int p = 0; p < precisions_of(device); p++) {
    shallow_run run = shallow_run_begin(device, (trm_precision)p, sets);
    shallow_run_advance(&run, INFINITY, 500, 4096);
    double *hu = shallow_run_values(&run, "hu"), *hv = shallow_run_values(&run, "hv");
    assert_true(shallow_largest(hu, 37 * 23) == 0.0 && shallow_largest(hv, 37 * 23) == 0.0);
    free(hv);
    free(hu);
    shallow_run_end(&run);
  }
}

/* ---- water comes in ------------------------------------------------------------------ */

/* Uniform flow down slopes on which it runs faster than waves stays what it is:
 * h = (n q / sqrt(S))^0.6. */
static void uniform_flow_stays_uniform(trm_device *device)
{
  static const double slopes[] = { 0.05, 0.1, 0.3 };
  static const char *const thetas[] = { "1", "1.3", "2" };
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  for (int s = 0; s < 3; s++)
    for (int t = 0; t < 3; t++)
      for (int side = WEST; side <= NORTH; side++) {
        const double depth = pow(0.03 * 0.5 / sqrt(slopes[s]), 0.6);
        char bed[64], surface[64], speed[64];
        snprintf(bed, sizeof bed, "%g*(300-s)", slopes[s]);
        snprintf(surface, sizeof surface, "z+%.17g", depth);
        snprintf(speed, sizeof speed, "%.17g", 0.5 / depth);
        const channel c = { 30, 10, bed, surface, speed, "open", "0.5", NULL, "0.03", thetas[t] };
        shallow_run run = begin(device, TRM_F64, &c, side);
        shallow_run_advance(&run, 300.0, UINT64_MAX, 4096);
        TEST_OK(trm_solver_shallow.finish(run.solver, run.dt));
        double *h = shallow_run_values(&run, "h");
        double *q = shallow_run_values(&run, side < SOUTH ? "hu" : "hv"), deep = 0, flow = 0;
        for (int i = 0; i < 27; i++) { /* the far edge is a free fall */
          deep = fmax(deep, fabs(along(&c, side, h, i) / depth - 1));
          flow = fmax(flow, fabs(fabs(along(&c, side, q, i)) / 0.5 - 1));
        }
        if (side == WEST)
          print_message("# slope %g, theta %s: depth within %.1e, discharge within %.1e\n",
                        slopes[s], thetas[t], deep, flow);
        assert_true(deep < 1e-4 && flow < 1e-4);
        TEST_CLOSE(booked(&run, side), 0.5 * 30 * 300, 1e-8);
        free(q);
        free(h);
        shallow_run_end(&run);
      }
}

/* On dry slopes, down and up, that are closed at their end: 30 m^2 come in within a minute, and
 * the first 100 and 150 m have what staggered.py finds in cells of 0.6 m. */
static void dry_ground_takes_what_is_given(trm_device *device)
{
  static const struct { const char *bed; double west_of_100, west_of_150; } grounds[] = {
    { "0.05*(300-s)", 19.961, 29.686 }, { "0.1*(300-s)", 16.270, 24.299 },
    { "0.3*(300-s)", 11.721, 17.495 },
    { "0.01*s", 0, 0 }, { "0", 0, 0 } };
  static const char *const thetas[] = { "1", "1.3", "2" };
  test_is_long_elsewhere(device);
  for (int b = 0; b < 5; b++)
    for (int t = 0; t < 3; t++)
      EACH(device, side, p)
      {
        if (p == 0 && t != 1) continue;
        const channel c = { 30, 10, grounds[b].bed, "z", NULL, "wall", "0.5", NULL, "0.03",
                            thetas[t] };
        shallow_run run = begin(device, (trm_precision)p, &c, side);
        shallow_run_advance(&run, 60.0, UINT64_MAX, 4096);
        TEST_OK(trm_solver_shallow.finish(run.solver, run.dt));
        double *h = shallow_run_values(&run, "h"), west = 0, middle = 0;
        const double most = p == TRM_F64 ? 1e-12 : 1e-7;
        for (int i = 0; i < 15; i++) {
          if (i < 10) west += 10 * along(&c, side, h, i);
          middle += 10 * along(&c, side, h, i);
        }
        if (side == WEST)
          print_message("# %s, theta %s: %.9f of 900 m3, west of 100 m %.3f m2, of 150 m %.3f\n",
                        grounds[b].bed, thetas[t], result(&run, "volume"), west, middle);
        assert_true(fabs(result(&run, "volume") / 900 - 1) < most);
        assert_true(fabs(booked(&run, side) / 900 - 1) < most);
        assert_true(fabs(result(&run, "balance_relative")) < most);
        if (grounds[b].west_of_100 > 0) {
          assert_true(fabs(west / grounds[b].west_of_100 - 1) < 0.05);
          assert_true(fabs(middle / grounds[b].west_of_150 - 1) < 0.05);
        }
        free(h);
        shallow_run_end(&run);
      }
}

/* A hydrograph with corners between the steps: its integral comes in. */
static void a_hydrograph_comes_in_whole(trm_device *device)
{
  test_is_spared(device);
  char path[1024];
  snprintf(path, sizeof path, "%s/flow.csv", test_folder());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "0,0\n3.7,0.8\n11.3,0.1\n17.1,0.1\n17.6,1.3\n31,0\n");
  assert_int_equal(fclose(file), 0);
  const double volume = 0.5 * 3.7 * 0.8 + 0.5 * 7.6 * 0.9 + 5.8 * 0.1 + 0.5 * 0.5 * 1.4 +
                        0.5 * 13.4 * 1.3;
  EACH(device, side, p)
  {
    const channel c = { 40, 2, "0.02*(80-s)", "z", NULL, "wall", NULL, path, "0.03", NULL };
    shallow_run run = begin(device, (trm_precision)p, &c, side);
    shallow_run_advance(&run, 40.0, UINT64_MAX, 4096);
    TEST_OK(trm_solver_shallow.finish(run.solver, run.dt));
    const double most = p == TRM_F64 ? 1e-12 : 4e-7; /* f32: times between corners are rounded */
    assert_true(fabs(result(&run, "volume") / (6 * volume) - 1) < most);
    assert_true(fabs(result(&run, "balance_relative")) < (p == TRM_F64 ? 1e-12 : 1e-7));
    shallow_run_end(&run);
  }
}

/* A plane that falls along both axes, dry at first: each metre of edge gets what is given. */
static void beds_may_fall_along_the_edge(trm_device *device)
{
  test_is_spared(device);
  EACH(device, side, p)
  {
    char kind[64], value[64];
    snprintf(kind, sizeof kind, "boundary.%s", names[side]);
    snprintf(value, sizeof value, "boundary.%s_value", names[side]);
    const char *const sets[] = {
      "grid.nx", "24", "grid.ny", "20", "grid.dx", "5", "grid.dy", "4", "shallow.bed_formula",
      "0.08*x-0.05*y+0.3*sin(x)*cos(2*y)", "initial.surface", "z", "shallow.manning",
      "0.03", SHALLOW_CLOSED, kind, "discharge", value, "0.2", NULL };
    const double length = side < SOUTH ? 80 : 120, given = 0.2 * length * 20;
    shallow_run run = shallow_run_begin(device, (trm_precision)p, sets);
    shallow_run_advance(&run, 20.0, UINT64_MAX, 4096);
    TEST_OK(trm_solver_shallow.finish(run.solver, run.dt));
    const double most = p == TRM_F64 ? 1e-12 : 1e-7;
    assert_true(fabs(result(&run, "volume") / given - 1) < most);
    assert_true(fabs(booked(&run, side) / given - 1) < most);
    shallow_run_end(&run);
  }
}

/* A slow inflow into deep water, whose increments f32 alone would round away: 2.88 m^3 in ten
 * minutes. Of 8 x 8 cells of 2 m, 4 m deep. */
static void slow_filling_counts(trm_device *device)
{
  test_is_spared(device);
  EACH(device, side, p)
  {
    char kind[64], value[64];
    snprintf(kind, sizeof kind, "boundary.%s", names[side]);
    snprintf(value, sizeof value, "boundary.%s_value", names[side]);
    const char *const sets[] = { "grid.nx", "8", "grid.ny", "8", "grid.dx", "2",
                                 "initial.surface", "4", SHALLOW_CLOSED, kind, "discharge",
                                 value, "1e-5", NULL };
    shallow_run run = shallow_run_begin(device, (trm_precision)p, sets);
    shallow_run_advance(&run, 600.0, UINT64_MAX, 4096);
    TEST_OK(trm_solver_shallow.finish(run.solver, run.dt));
    const double gained = result(&run, "volume") - 4 * 256, given = 1e-5 * 16 * 600;
    if (side == WEST) print_message("# %.9f of %.9f m3\n", gained, given);
    assert_true(fabs(gained / given - 1) < (p == TRM_F64 ? 1e-7 : 1e-5));
    assert_true(fabs(result(&run, "balance_relative")) < 1e-12);
    shallow_run_end(&run);
  }
}

/* ---- water leaves ----------------------------------------------------------------------- */

/* More than can: critical flow into an empty basin (Ritter), 8/27 h sqrt(g h). */
static void no_more_leaves_than_can(trm_device *device)
{
  static const channel c = { 300, 1, "0", "0.2", NULL, "wall", "-1", NULL, NULL, NULL };
  const double most = 8.0 / 27 * 0.2 * sqrt(g * 0.2) * 30 * 3;
  test_is_long_elsewhere(device);
  EACH(device, side, p)
  {
    shallow_run run = begin(device, (trm_precision)p, &c, side);
    shallow_run_advance(&run, 30.0, UINT64_MAX, 4096);
    TEST_OK(trm_solver_shallow.finish(run.solver, run.dt));
    const double left = 180 - result(&run, "volume");
    if (side == WEST) print_message("# %.4f m3 left, exact %.4f\n", left, most);
    assert_true(fabs(left / most - 1) < 0.004);
    assert_true(fabs(booked(&run, side) + left) < (p == TRM_F64 ? 1e-10 : 2e-5));
    shallow_run_end(&run);
  }
}

/* Less than can: what is given leaves, from water at rest. */
static void what_is_taken_leaves(trm_device *device)
{
  test_is_spared(device);
  static const channel c = { 60, 10, "0", "1", NULL, "wall", "-0.3", NULL, NULL, NULL };
  EACH(device, side, p)
  {
    shallow_run run = begin(device, (trm_precision)p, &c, side);
    shallow_run_advance(&run, 60.0, UINT64_MAX, 4096);
    TEST_OK(trm_solver_shallow.finish(run.solver, run.dt));
    assert_true(fabs(booked(&run, side) / (-0.3 * 30 * 60) - 1) < (p == TRM_F64 ? 1e-12 : 1e-7));
    assert_true(fabs(result(&run, "balance_relative")) < (p == TRM_F64 ? 1e-12 : 1e-7));
    shallow_run_end(&run);
  }
}

/* A steady flow of 1 m^2/s over a bump: the bed, and the depth by Bernoulli's equation, where the
 * surface is at 1 m at the end. */
static double bump(double x)
{
  return 0.1 + 0.05 * sin(0.628318530717959 * x) + 0.08 * cos(0.314159265358979 * x);
}

static double over_bump(double x)
{
  const double end = 1 - bump(10), head = 0.5 / (end * end) + g, z = bump(x);
  double d = 1 - z;
  for (int round = 0; round < 30; round++)
    d -= (0.5 / (d * d) + g * (d + z) - head) / (g - 1 / (d * d * d));
  return d;
}

/* The mean of a cell's bed, or depth. */
static double mean_of(double (*value)(double), int i, double dx)
{
  double sum = 0;
  for (int k = 0; k < 8; k++) sum += value((i + (k + 0.5) / 8) * dx) / 8;
  return sum;
}

static void write_grid(const char *path, int n, double dx, int has_water)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "ncols %d\nnrows 3\ncellsize %.17g\n", n, dx);
  for (int y = 0; y < 3; y++)
    for (int i = 0; i < n; i++)
      fprintf(file, "%.17g%s", mean_of(bump, i, dx) + (has_water ? mean_of(over_bump, i, dx) : 0),
              i + 1 < n ? " " : "\n");
  assert_int_equal(fclose(file), 0);
}

static double bump_error(trm_device *device, int n)
{
  const double dx = 10.0 / n;
  char bed[1024], surface[1024];
  snprintf(bed, sizeof bed, "%s/bump.asc", test_folder());
  snprintf(surface, sizeof surface, "%s/water.asc", test_folder());
  write_grid(bed, n, dx, 0);
  write_grid(surface, n, dx, 1);
  const char *const sets[] = {
    "shallow.bed", bed, "initial.surface_file", surface, "initial.velocity_x", "1/h",
        SHALLOW_CLOSED,
    "boundary.west", "discharge", "boundary.west_value", "1", "boundary.east", "level",
    "boundary.east_value", "1", "shallow.cfl", "0.45", NULL };
  shallow_run run = shallow_run_begin(device, TRM_F64, sets);
  shallow_run_advance(&run, 30.0, UINT64_MAX, 4096);
  double *h = shallow_run_values(&run, "h"), sum = 0;
  for (int i = 0; i < n; i++) sum += fabs(h[n + i] - mean_of(over_bump, i, dx)) / n;
  free(h);
  shallow_run_end(&run);
  return sum;
}

static void a_steady_flow_is_of_second_order(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  const double coarse = bump_error(device, 40), fine = bump_error(device, 80);
  print_message("# L1 of the depth %.2e m, %.2e m, order %.2f\n", coarse, fine,
                log2(coarse / fine));
  assert_true(log2(coarse / fine) > 1.8);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_pool_beside_a_ridge_stays),
    TEST_DEVICE(a_lake_without_discharge_is_at_rest),
    TEST_DEVICE(uniform_flow_stays_uniform),
    TEST_DEVICE(dry_ground_takes_what_is_given),
    TEST_DEVICE(a_hydrograph_comes_in_whole),
    TEST_DEVICE(beds_may_fall_along_the_edge),
    TEST_DEVICE(slow_filling_counts),
    TEST_DEVICE(no_more_leaves_than_can),
    TEST_DEVICE(what_is_taken_leaves),
    TEST_DEVICE(a_steady_flow_is_of_second_order),
  };
  return TEST_RUN(argc, argv, cases);
}
