/* shallow_tsunami.c - the EPFL course's files from one end to the other: its analytic tsunami is
 * written as the course's files, and the solver's states and step lengths are compared with the
 * scheme as the course has it, written out here in plain loops. */
#include "tests/solvers/shallow/shallow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/epfl.h"

enum { H, HU, HV, ZX, ZY, FIELDS };
static const char *const names[FIELDS] = { "h", "hu", "hv", "Zdx", "Zdy" };
static const double g = 127267.2, size = 500, end = 0.2; /* km, h */

/* Fields of n x n cells, x fastest, ring included. */
typedef struct sea { int n; double *field[FIELDS], *times; int steps; } sea;

static double *room(int n)
{
  double *values = calloc((size_t)n * (size_t)n, sizeof *values);
  assert_non_null(values);
  return values;
}

static void sea_free(sea *s)
{
  for (int f = 0; f < FIELDS; f++) free(s->field[f]);
  free(s->times);
}

static double hump(double x, double y, double x0, double y0, double width)
{
  const double dx = x - x0 * size, dy = y - y0 * size;
  return exp(-(dx * dx + dy * dy) / width);
}

/* The course's later skeleton has these formulas. */
static sea sea_begin(int n)
{
  sea s = { .n = n };
  double *z = room(n);
  for (int f = 0; f < FIELDS; f++) s.field[f] = room(n);
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++) {
      const double px = (x + 0.5) * size / n, py = (y + 0.5) * size / n;
      const double bed = -1 + 2 * hump(px, py, 0.6, 0.6, 3000) + 3 * hump(px, py, 0.4, 0.4, 10000);
      z[y * n + x] = bed;
      s.field[H][y * n + x] = bed < 0 ? -bed + 5 * hump(px, py, 0.7, 0.3, 100) : 1e-5;
    }
  for (int y = 1; y < n - 1; y++)
    for (int x = 1; x < n - 1; x++) {
      s.field[ZX][y * n + x] = (z[y * n + x + 1] - z[y * n + x - 1]) / (2 * size / n);
      s.field[ZY][y * n + x] = (z[(y + 1) * n + x] - z[(y - 1) * n + x]) / (2 * size / n);
    }
  free(z);
  return s;
}

/* The largest of sqrt((|u| + c)^2 + (|v| + c)^2). */
static double fastest(const sea *s)
{
  double most = 0;
  for (int i = 0; i < s->n * s->n; i++) {
    const double h = s->field[H][i], c = sqrt(g * h);
    const double u = fabs(s->field[HU][i] / h) + c, v = fabs(s->field[HV][i] / h) + c;
    most = fmax(most, sqrt(u * u + v * v));
  }
  return most;
}

static void fill_ring(double *f, int n)
{
  for (int x = 0; x < n; x++) {
    f[x] = f[n + x];
    f[(n - 1) * n + x] = f[(n - 2) * n + x];
  }
  for (int y = 0; y < n; y++) {
    f[y * n] = f[y * n + 1];
    f[y * n + n - 1] = f[y * n + n - 2];
  }
}

static void sea_step(sea *s, double dt, double *const next[3])
{
  const int n = s->n;
  const double *h = s->field[H], *hu = s->field[HU], *hv = s->field[HV];
  const double k = dt / (2 * size / n);
  for (int f = H; f <= HV; f++) fill_ring(s->field[f], n);
  for (int y = 1; y < n - 1; y++)
    for (int x = 1; x < n - 1; x++) {
      const int i = y * n + x, e = i + 1, w = i - 1, no = i + n, so = i - n;
      double *const to[] = { next[H] + i, next[HU] + i, next[HV] + i };
      *to[H] = 0.25 * (h[w] + h[e] + h[so] + h[no]) + k * (hu[w] - hu[e] + hv[so] - hv[no]);
      *to[HU] = 0.25 * (hu[w] + hu[e] + hu[so] + hu[no]) - dt * g * *to[H] * s->field[ZX][i] +
                k * (hu[w] * hu[w] / h[w] + 0.5 * g * h[w] * h[w] - hu[e] * hu[e] / h[e] -
                     0.5 * g * h[e] * h[e]) +
                k * (hu[so] * hv[so] / h[so] - hu[no] * hv[no] / h[no]);
      *to[HV] = 0.25 * (hv[w] + hv[e] + hv[so] + hv[no]) - dt * g * *to[H] * s->field[ZY][i] +
                k * (hu[w] * hv[w] / h[w] - hu[e] * hv[e] / h[e]) +
                k * (hv[so] * hv[so] / h[so] + 0.5 * g * h[so] * h[so] - hv[no] * hv[no] / h[no] -
                     0.5 * g * h[no] * h[no]);
      if (*to[H] <= 0) *to[H] = 1e-5;
      if (*to[H] <= 1e-4) *to[HU] = *to[HV] = 0;
    }
  for (int f = H; f <= HV; f++) memcpy(s->field[f], next[f], (size_t)n * (size_t)n * sizeof *h);
}

static void sea_run(sea *s)
{
  double *const next[3] = { room(s->n), room(s->n), room(s->n) }, time = 0;
  s->times = room(s->n);
  for (int f = 0; f < 3; f++) fill_ring(s->field[f], s->n);
  while (time < end) {
    const double dt = fmin(size / s->n / (sqrt(2) * fastest(s)), end - time);
    for (int f = 0; f < 3; f++)
      memcpy(next[f], s->field[f], (size_t)s->n * (size_t)s->n * sizeof **next);
    sea_step(s, dt, next);
    for (int f = 0; f < 3; f++) fill_ring(s->field[f], s->n);
    time += dt;
    s->times[s->steps++] = time;
  }
  for (int f = 0; f < 3; f++) free(next[f]);
}

static void write_files(const sea *s, char *prefix, size_t bytes)
{
  char path[1200];
  snprintf(prefix, bytes, "%s/Data_nx%d_500km_T0.2", test_folder(), s->n);
  for (int f = 0; f < FIELDS; f++) {
    snprintf(path, sizeof path, "%s_%s.bin", prefix, names[f]);
    TEST_OK(trm_epfl_write(path, (size_t)s->n, s->field[f]));
  }
}

/* Within 1e-12 of the field's largest, every cell within the ring. */
static void compare_field(const shallow_run *run, const sea *s, int f)
{
  const int inner = s->n - 2;
  double *values = shallow_run_values(run, names[f]), far = 0, most = 0;
  for (int y = 0; y < inner; y++)
    for (int x = 0; x < inner; x++) {
      const double exact = s->field[f][(y + 1) * s->n + x + 1];
      far = fmax(far, fabs(values[y * inner + x] - exact));
      most = fmax(most, fabs(exact));
    }
  print_message("# nx = %d: %s within %.1e of the largest\n", s->n, names[f], far / most);
  assert_true(far <= 1e-12 * most);
  free(values);
}

/* Values of public programs (hpc_shallow_water 7b0d264 and,
 * to 6.7e-16, HPC_Shallow_water b0d0597). */
static const struct published { int n, steps, x, y; double value[3]; } published[] = {
  { 126, 51, 100, 63, { 0.9599475187113055, 6.824762135095103, 14.414912653882837 } },
  { 126, 51, 37, 88, { 0.7539059937112802, 0.7251485184813085, 2.438544210215087 } },
  { 201, 85, 160, 100, { 0.9729956241116903, 7.109455532237956, 18.91485558297853 } },
  { 201, 85, 60, 140, { 0.7405845005118642, 0.5864876459843591, 1.6038341900365192 } } };

static void check_published(const sea *s)
{
  for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
    const struct published *p = &published[i];
    if (p->n != s->n) continue;
    assert_int_equal(s->steps, p->steps);
    for (int f = H; f <= HV; f++)
      TEST_CLOSE(s->field[f][p->y * p->n + p->x], p->value[f], 1e-12);
  }
}

static void the_course_s_tsunami_has_the_course_s_states_and_steps(trm_device *device)
{
  static const int sizes[] = { 126, 201 };
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    char prefix[1024];
    sea s = sea_begin(sizes[i]);
    write_files(&s, prefix, sizeof prefix);
    sea_run(&s);
    check_published(&s);
    const char *const sets[] = { "shallow.course", prefix, "shallow.scheme", "lax-friedrichs",
                                 "shallow.gravity", "127267.2", NULL };
    shallow_run run = shallow_run_begin(device, TRM_F64, sets);
    shallow_run_advance(&run, end, UINT64_MAX, 64);
    assert_int_equal(run.steps, s.steps);
    double time = 0;
    for (int k = 0; k < s.steps; k++) assert_true(fabs((time += run.dt[k]) - s.times[k]) <= 1e-13);
    for (int f = H; f <= HV; f++) compare_field(&run, &s, f);
    shallow_run_end(&run);
    sea_free(&s);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(the_course_s_tsunami_has_the_course_s_states_and_steps),
  };
  return TEST_RUN(argc, argv, cases);
}
