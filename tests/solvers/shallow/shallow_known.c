/* shallow_known.c - HLLC against known solutions: dam breaks, Thacker's bowls, steady flows over
 * bumps and with friction. Exact solutions are computed here; parameters as in SWASHES (Delestre et
 * al., Int. J. Numer. Meth. Fluids 72 (2013) 269), bounds: 1.15 times what was measured when they
 * were set. `make check` runs the coarse grids; `make check-long` the fine ones, and
 * with them the orders. */
#include "tests/solvers/shallow/shallow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double g = 9.81;
enum { MOST = 4 }; /* grids to a study */

/* A channel along x, or along y when it is turned; bed and water are given to
 * the program as files. */
typedef struct channel {
  const char *name;
  double length, end;
  double (*bed)(double x), (*start)(double x), (*depth)(double x); /* depth: at the end */
  const char *velocity, *manning;
  const char *in, *in_value, *out, *out_value;
  double flow;                       /* of a steady state; 0: not one */
  int cells;                         /* of the coarsest grid */
  double bound[MOST], order;         /* L1 of the depth / length; of the two finest grids */
} channel;

static double mean(double (*f)(double), double from, double to)
{
  double sum = 0;
  for (int k = 0; k < 20; k++) sum += f(from + (k + 0.5) / 20 * (to - from)) / 20;
  return sum;
}

static double none(double x) { return 0 * x; }

/* ---- dam breaks, SWASHES 4.1 ------------------------------------------------------ */

static double dry_dam(double x) { return x < 5 ? 0.005 : 0.0; }
static double wet_dam(double x) { return x < 5 ? 0.005 : 0.001; }

static double ritter(double x)
{
  const double c = sqrt(g * 0.005), t = 6.0, back = 5.0 - t * c, front = 5.0 + 2.0 * t * c;
  const double v = c - (x - 5.0) / (2.0 * t);
  return x < back ? 0.005 : x > front ? 0.0 : 4.0 / (9.0 * g) * v * v;
}

static double stoker(double x)
{
  const double hm = 2.53935717228e-3, um = 0.127279718393, shock = 0.209963400052;
  const double c = sqrt(g * 0.005), t = 6.0, s = (x - 5.0) / t, v = 2.0 * c - s;
  return s < -c ? 0.005 : s < um - sqrt(g * hm) ? v * v / (9.0 * g) : s < shock ? hm : 0.001;
}

/* ---- a bowl, SWASHES 4.2.1 ---------------------------------------------------------- */

static double bowl(double x) { return 0.5 * ((x - 2.0) * (x - 2.0) - 1.0); }
static double in_bowl(double x)
{
  const double s = (x - 2.0) + 0.5;
  return fmax(0.0, -0.5 * (s * s - 1.0));
}

/* ---- a bump, SWASHES 3.1: Bernoulli's equation on either side of a jump ------------- */

static double bump(double x) { return x > 8 && x < 12 ? 0.2 - 0.05 * (x - 10) * (x - 10) : 0.0; }

/* The depth at which q flows with the head e over z: the upper or the lower of the two. */
static double bernoulli(double q, double e, double z, int is_upper)
{
  const double critical = cbrt(q * q / g);
  double low = is_upper ? critical : 1e-6, high = is_upper ? e : critical;
  for (int i = 0; i < 100; i++) {
    const double h = 0.5 * (low + high), head = h + q * q / (2 * g * h * h) + z;
    if ((head > e) == is_upper) high = h;
    else low = h;
  }
  return 0.5 * (low + high);
}

static double head(double q, double h) { return h + q * q / (2 * g * h * h); }
static double crest(double q) { return head(q, cbrt(q * q / g)) + 0.2; }
static double subcritical(double x) { return bernoulli(4.42, head(4.42, 2.0), bump(x), 1); }
static double transcritical(double x) { return bernoulli(1.53, crest(1.53), bump(x), x < 10); }
static double with_jump(double x)
{
  return x < 11.6656183843 ? bernoulli(0.18, crest(0.18), bump(x), x < 10)
                           : bernoulli(0.18, head(0.18, 0.33), bump(x), 1);
}
static double still_2(double x) { return 2.0 - bump(x); }
static double still_066(double x) { return 0.66 - bump(x); }
static double still_033(double x) { return 0.33 - bump(x); }

/* ---- MacDonald's channels with friction, SWASHES 3.2: the depth is given, the bed follows ---- */

static double smooth_depth(double x)
{
  return cbrt(4 / g) * (1 + 0.5 * exp(-16 * (x / 100 - 0.5) * (x / 100 - 0.5)));
}
static double jump_depth(double x)
{
  const double k = cbrt(4 / g), r = x / 100 - 2.0 / 3;
  if (r <= 0) return k * (4.0 / 3 - x / 100) - 9 * x / 1000 * r;
  return k * ((((0.674202 * r + 0.674202) * r - 21.7112) * r + 14.492) * r + 1.4305);
}

/* The integral of the bed's slope, on one side of a jump. */
static double rise(double (*depth)(double), double n, double from, double to)
{
  enum { PARTS = 200 };
  const double q = 2.0, step = (to - from) / PARTS;
  double sum = 0;
  for (int i = 0; i < PARTS && step > 0; i++) {
    const double x = from + (i + 0.5) * step, h = depth(x);
    const double slope = (depth(x + 0.5 * step) - depth(x - 0.5 * step)) / step;
    sum += step * ((q * q / (g * h * h * h) - 1) * slope - n * n * q * q / pow(h, 10.0 / 3));
  }
  return sum;
}
static double smooth_bed(double x) { return -rise(smooth_depth, 0.033, x, 100); }
static double jump_bed(double x)
{
  const double before = 200.0 / 3 - 1e-9, behind = 200.0 / 3 + 1e-9;
  if (x > before) return -rise(jump_depth, 0.0328, fmax(x, behind), 100);
  return -rise(jump_depth, 0.0328, x, before) - rise(jump_depth, 0.0328, behind, 100);
}

static const channel channels[] = {
  { "Ritter", 10, 6, none, dry_dam, ritter, "0", "0", "wall", "0", "wall", "0", 0, 100,
    { 2.28e-5, 1.10e-5, 5.58e-6, 2.82e-6 }, 0.8 },
  { "Stoker", 10, 6, none, wet_dam, stoker, "0", "0", "wall", "0", "wall", "0", 0, 100,
    { 1.74e-5, 1.05e-5, 4.67e-6, 2.48e-6 }, 0.8 },
  { "Thacker, planar, 1D", 4, 2.00606668071, bowl, in_bowl, in_bowl, "0", "0", "wall", "0", "wall",
    "0", 0, 100, { 1.42e-3, 4.87e-4, 1.63e-4, 5.29e-5 }, 1.4 },
  { "subcritical bump", 25, 200, bump, still_2, subcritical, "4.42/h", "0", "discharge", "4.42",
    "level", "2", 4.42, 100, { 4.00e-4, 9.46e-5, 2.31e-5 }, 1.8 },
  { "transcritical bump", 25, 200, bump, still_066, transcritical, "1.53/h", "0", "discharge",
    "1.53", "open", "0", 1.53, 100, { 7.79e-5, 1.78e-5, 4.51e-6 }, 1.8 },
  { "bump with a jump", 25, 400, bump, still_033, with_jump, "0.18/h", "0", "discharge", "0.18",
    "level", "0.33", 0.18, 100, { 1.19e-3, 4.66e-4, 6.31e-5 }, 0.8 },
  { "MacDonald, subcritical", 100, 1500, smooth_bed, smooth_depth, smooth_depth, "2/h", "0.033",
    "discharge", "2", "level", "0.7483235583", 2, 100, { 5.52e-5, 1.20e-5, 2.87e-6 }, 1.8 },
  { "MacDonald, with a jump", 100, 1500, jump_bed, jump_depth, jump_depth, "2/h", "0.0328",
    "discharge", "2", "level", "LAST", 2, 100, { 1.85e-3, 8.08e-4, 3.81e-4 }, 1.0 } };

/* ---- runs ----------------------------------------------------------------------------- */

typedef enum course { EAST, NORTH, WEST } course; /* where a channel's water runs */

static void write_grid(const char *path, const double *values, int n, double side, course to)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "ncols %d\nnrows %d\ncellsize %.17g\n", to == NORTH ? 4 : n, to == NORTH ? n : 4,
          side);
  for (int row = 0; row < (to == NORTH ? n : 4); row++)
    for (int column = 0; column < (to == NORTH ? 4 : n); column++)
      fprintf(file, "%.17g\n", values[to == EAST ? column : n - 1 - (to == WEST ? column : row)]);
  assert_int_equal(fclose(file), 0);
}

/* The files of a channel's bed and water in the test's folder. */
static void write_channel(const channel *c, int n, course to)
{
  const double side = c->length / n;
  char path[1024];
  double *z = malloc((size_t)n * sizeof *z), *e = malloc((size_t)n * sizeof *e);
  assert_non_null(z);
  assert_non_null(e);
  for (int i = 0; i < n; i++) {
    z[i] = 0.5 * (c->bed(i * side) + c->bed((i + 1) * side));
    e[i] = z[i] + mean(c->start, i * side, (i + 1) * side);
  }
  snprintf(path, sizeof path, "%s/bed.asc", test_folder());
  write_grid(path, z, n, side, to);
  snprintf(path, sizeof path, "%s/surface.asc", test_folder());
  write_grid(path, e, n, side, to);
  free(e);
  free(z);
}

static shallow_run run_channel(trm_device *device, const channel *c, int n, course to, double end)
{
  static const char *const edges[3][4] = { { "west", "east", "south", "north" },
                                           { "south", "north", "west", "east" },
                                           { "east", "west", "south", "north" } };
  char bed[1024], surface[1024], out_value[32], velocity[64], keys[6][32];
  write_channel(c, n, to);
  snprintf(bed, sizeof bed, "%s/bed.asc", test_folder());
  snprintf(surface, sizeof surface, "%s/surface.asc", test_folder());
  snprintf(out_value, sizeof out_value, "%.17g", c->depth(c->length));
  snprintf(velocity, sizeof velocity, "%s%s", to == WEST ? "-" : "", c->velocity);
  for (int k = 0; k < 6; k++)
    snprintf(keys[k], sizeof keys[k], "boundary.%s%s", edges[to][k % 4], k < 4 ? "" : "_value");
  const char *const sets[] = {
    "shallow.bed", bed, "initial.surface_file", surface, "shallow.cfl", "0.45", "shallow.manning",
    c->manning, to == NORTH ? "initial.velocity_y" : "initial.velocity_x", velocity, keys[0], c->in,
    keys[4], c->in_value, keys[1], c->out, keys[5],
    strcmp(c->out_value, "LAST") == 0 ? out_value : c->out_value, keys[2], "wall", keys[3], "wall",
    NULL };
  shallow_run run = shallow_run_begin(device, TRM_F64, sets);
  shallow_run_advance(&run, end, UINT64_MAX, 4096);
  return run;
}

/* L1 of the depth; the flow's mean departure from a steady state's. */
static double channel_error(trm_device *device, const channel *c, int n, double *departure)
{
  const double side = c->length / n;
  shallow_run run = run_channel(device, c, n, EAST, c->end);
  double *h = shallow_run_values(&run, "h"), *q = shallow_run_values(&run, "hu"), sum = 0;
  *departure = 0;
  for (int i = 0; i < n; i++) {
    sum += fabs(h[n + i] - mean(c->depth, i * side, (i + 1) * side)) / n;
    if (c->flow > 0) *departure += fabs(q[n + i] / c->flow - 1) / n;
  }
  free(q);
  free(h);
  shallow_run_end(&run);
  return sum;
}

/* As many as have bounds. */
static int grids_of(const channel *c)
{
  int grids = 0;
  while (grids < MOST && c->bound[grids] > 0) grids++;
  return grids;
}

static void study(trm_device *device, const channel *c, int grids)
{
  double before = 0;
  for (int i = 0; i < grids; i++) {
    const int n = c->cells << i;
    double departure;
    const double error = channel_error(device, c, n, &departure);
    const double order = i ? log2(before / error) : NAN;
    print_message("# %s: %d cells, L1 %.3e m, order %.2f, flow within %.2e\n", c->name, n, error,
                  order, departure);
    assert_true(error <= c->bound[i]);
    assert_true(departure <= 0.01);
    if (i + 1 == grids_of(c)) assert_true(order >= c->order);
    before = error;
  }
}

/* Two grids of the quick ones. */
static void channels_are_as_the_books_say(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof channels / sizeof *channels; i++)
    study(device, &channels[i], channels[i].end < 10 ? 2 : 1);
}

static void channels_have_their_orders(trm_device *device)
{
  test_is_long();
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof channels / sizeof *channels; i++)
    study(device, &channels[i], grids_of(&channels[i]));
}

/* ---- turned by 90 and 45 degrees ------------------------------------------------------- */

/* Depths along the channel, the way that its water runs. */
static double *depths_along(const shallow_run *run, int n, course to)
{
  double *h = shallow_run_values(run, "h"), *out = malloc((size_t)n * sizeof *out);
  assert_non_null(out);
  for (int i = 0; i < n; i++)
    out[i] = h[to == NORTH ? 4 * i + 1 : n + (to == WEST ? n - 1 - i : i)];
  free(h);
  return out;
}

static void turned_and_mirrored_channels_have_the_same_bits(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof channels / sizeof *channels; i++) {
    const channel *c = &channels[i];
    double *depths[3];
    for (int to = EAST; to <= WEST; to++) {
      shallow_run run = run_channel(device, c, c->cells, (course)to, 5.0);
      depths[to] = depths_along(&run, c->cells, (course)to);
      shallow_run_end(&run);
    }
    print_message("# %s\n", c->name);
    TEST_SAME_BITS(depths[NORTH], depths[EAST], (size_t)c->cells, TRM_TYPE_F64);
    TEST_SAME_BITS(depths[WEST], depths[EAST], (size_t)c->cells, TRM_TYPE_F64);
    for (int to = EAST; to <= WEST; to++) free(depths[to]);
  }
}

/* A dam across the diagonal of a square of 10 m breaks; L1 of the depth over the 6 m around it, in
 * the strip that the edges cannot have reached. exact: a function along 10 m with the
 * dam in the middle. */
static double diagonal_error(trm_device *device, double (*exact)(double), const char *water)
{
  enum { N = 100 };
  const double side = 0.1, root = sqrt(0.5);
  const char *const sets[] = {
    "grid.nx", "100", "grid.ny", "100", "grid.dx", "0.1", "shallow.cfl", "0.45",
    "initial.surface", water, NULL };
  shallow_run run = shallow_run_begin(device, TRM_F64, sets);
  shallow_run_advance(&run, 6.0, UINT64_MAX, 4096);
  double *h = shallow_run_values(&run, "h"), sum = 0;
  int count = 0;
  for (int y = 0; y < N; y++)
    for (int x = 0; x < N; x++) {
      const double s = root * (x + y + 1 - N) * side, across = root * (x - y) * side;
      if (fabs(s) > 3 || fabs(across) > 1) continue;
      sum += fabs(h[y * N + x] - exact(5 + s));
      count++;
    }
  free(h);
  shallow_run_end(&run);
  print_message("# at 45 degrees: L1 %.3e m over %d cells\n", sum / count, count);
  return sum / count;
}

static void dams_across_the_diagonal_break_alike(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  assert_true(diagonal_error(device, stoker, "x + y < 10 ? 0.005 : 0.001") <= 4.26e-5);
  assert_true(diagonal_error(device, ritter, "x + y < 10 ? 0.005 : 0") <= 5.05e-5);
}

/* ---- bowls, SWASHES 4.2.2: whole periods bring back the start ------------------------------- */

/* L1 of the depth over h0 = 0.1 m, in a paraboloid of radius 1 m. */
static double bowl_error(trm_device *device, int n, const char *surface, const char *v, double end)
{
  char cells[16], side[32];
  snprintf(cells, sizeof cells, "%d", n);
  snprintf(side, sizeof side, "%.17g", 4.0 / n);
  const char *const sets[] = {
    "grid.nx", cells, "grid.ny", cells, "grid.dx", side, "shallow.bed_formula",
    "-0.1*(1-((x-2)^2+(y-2)^2))", "initial.surface", surface, "initial.velocity_y", v,
    SHALLOW_CLOSED, NULL };
  shallow_run run = shallow_run_begin(device, TRM_F64, sets);
  double *start = shallow_run_values(&run, "h");
  shallow_run_advance(&run, end, UINT64_MAX, 4096);
  double *h = shallow_run_values(&run, "h"), sum = 0;
  for (int i = 0; i < n * n; i++) sum += fabs(h[i] - start[i]) / (n * n * 0.1);
  free(h);
  free(start);
  shallow_run_end(&run);
  return sum;
}

static void study_bowl(trm_device *device, const char *surface, const char *v, double end,
                       const double bounds[2], double order)
{
  test_needs_f64(device);
  const double coarse = bowl_error(device, 50, surface, v, end);
  const double fine = bowl_error(device, 100, surface, v, end);
  print_message("# L1 of the depth %.3e of h0 at 50 cells, %.3e at 100, order %.2f\n", coarse, fine,
                log2(coarse / fine));
  assert_true(coarse <= 1.15 * bounds[0] && fine <= 1.15 * bounds[1]);
  assert_true(log2(coarse / fine) > order);
}

static void a_planar_surface_comes_back(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const double bounds[] = { 3.4e-3, 1.2e-3 };
  study_bowl(device, "0.05*(2*(x-2)-0.5)", "0.5*sqrt(2*9.81*0.1)", 4.48570146547, bounds, 1.4);
}

/* r0 = 0.8, A = (1 - r0^2) / (1 + r0^2): (1 - A^2) / (1 - A)^2 = 1 / 0.64, its root 1.25. */
static void a_round_bowl_comes_back(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const double bounds[] = { 8.2e-3, 2.2e-3 };
  study_bowl(device, "0.1*(0.25-((x-2)^2+(y-2)^2)*0.5625)", "0",
             3 * 2 * 3.14159265358979 / sqrt(8 * g * 0.1), bounds, 1.7);
}

/* ---- edges that let waves out --------------------------------------------------------- */

/* The largest part of a small hump that comes back from the eastern edge. */
static double comes_back(trm_device *device, const char *edge)
{
  const char *const sets[] = {
    "grid.nx", "250", "grid.ny", "4", "grid.dx", "0.2", "shallow.bed_formula", "-1",
    "initial.surface", "0.01*exp(-((x-25)/4)^2)", "initial.velocity_x",
    "2*(sqrt(9.81*h)-sqrt(9.81))", "shallow.cfl", "0.45", "boundary.east", edge,
    "boundary.south", "wall", "boundary.north", "wall", NULL };
  shallow_run run = shallow_run_begin(device, TRM_F64, sets);
  shallow_run_advance(&run, 13.0, UINT64_MAX, 4096);
  TEST_OK(trm_solver_shallow.observe(run.solver));
  double *surface = shallow_run_values(&run, "surface");
  const double most = shallow_largest(surface, 250 * 4) / 0.01;
  free(surface);
  shallow_run_end(&run);
  print_message("# %s: %.1e of a wave comes back\n", edge, most);
  return most;
}

static void a_wave_leaves_where_the_edge_lets_it(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  assert_true(comes_back(device, "open") < 5e-4);
  assert_true(comes_back(device, "wave") < 5e-4);
  assert_true(comes_back(device, "level") > 0.9);
  assert_true(comes_back(device, "wall") > 0.9);
}

/* A solitary wave comes in over still water, and has the height that it was given. */
static void a_wave_comes_in_as_it_was_given(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  char path[1024];
  snprintf(path, sizeof path, "%s/wave.csv", test_folder());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i <= 200; i++)
    fprintf(file, "%g,%.9f\n", 0.05 * i, 0.01 * exp(-pow((0.05 * i - 5) / 1.5, 2)));
  assert_int_equal(fclose(file), 0);
  const char *const sets[] = {
    "grid.nx", "250", "grid.ny", "4", "grid.dx", "0.2", "shallow.bed_formula", "-1", "shallow.cfl",
    "0.45", "boundary.west", "wave", "boundary.west_table", path, "boundary.east", "wave",
    "boundary.south", "wall", "boundary.north", "wall", NULL };
  shallow_run run = shallow_run_begin(device, TRM_F64, sets);
  shallow_run_advance(&run, 10.0, UINT64_MAX, 4096);
  double *h = shallow_run_values(&run, "h"), *hu = shallow_run_values(&run, "hu"), off = 0;
  for (int i = 0; i < 250; i++) /* a wave that runs one way: u = 2 (c - c0) */
    off = fmax(off, fabs(hu[i] / h[i] - 2 * (sqrt(g * h[i]) - sqrt(g))));
  const double most = shallow_largest(h, 250) - 1;
  print_message("# crest of %.5f m, u off by %.1e m/s\n", most, off);
  assert_true(most > 0.0097 && most < 0.01);
  assert_true(off < 4e-5);
  free(hu);
  free(h);
  shallow_run_end(&run);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(channels_are_as_the_books_say),
    TEST_DEVICE(channels_have_their_orders),
    TEST_DEVICE(turned_and_mirrored_channels_have_the_same_bits),
    TEST_DEVICE(dams_across_the_diagonal_break_alike),
    TEST_DEVICE(a_planar_surface_comes_back),
    TEST_DEVICE(a_round_bowl_comes_back),
    TEST_DEVICE(a_wave_leaves_where_the_edge_lets_it),
    TEST_DEVICE(a_wave_comes_in_as_it_was_given),
  };
  return TEST_RUN(argc, argv, cases);
}
