/* cut_walls.c - the walls of cut cells (fv_volumes_walls.h), and the gas that a step takes over
 * from the one before. The walls are compared with clipped facets, integrated over the step in
 * plain C. */
#include "tests/solvers/compressible/cut_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static result found;

/* A processor's driver is spared: cut_volumes has its kernels' bits. */
static void needs_f64(trm_device *device)
{
  test_is_spared(device);
  test_needs_f64(device);
}

/* ---- walls from facets --------------------------------------------------------------------- */

/* Integrals over the walls of a cell: of the normal out of the gas, n_a, and of x_b n_a with x from
 * the cell's middle. */
enum { VECTOR, MOMENTS = 3, INTEGRALS = 12 };

/* Keeps the part of a polygon with sense x_a < 1/2. Returns its number of corners. */
static int clip(double (*v)[3], int count, int a, double sense)
{
  double to[16][3];
  int kept = 0;
  for (int i = 0; i < count; i++) {
    const double *p = v[i], *q = v[(i + 1) % count];
    const double past = sense * p[a] - 0.5, next = sense * q[a] - 0.5;
    if (past < 0) memcpy(to[kept++], p, sizeof *to);
    if ((past < 0) == (next < 0)) continue;
    for (int b = 0; b < 3; b++) to[kept][b] = p[b] + past / (past - next) * (q[b] - p[b]);
    kept++;
  }
  memcpy(v, to, (size_t)kept * sizeof *to);
  return kept;
}

static void add_triangle(const double *a, const double *b, const double *c, double *to)
{
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double twice = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
    to[VECTOR + i] -= 0.5 * twice;
    for (int m = 0; m < 3; m++) to[MOMENTS + 3 * i + m] -= twice * (a[m] + b[m] + c[m]) / 6;
  }
}

/* A corner of the body from a cell's middle, at a time from 0 to 1; angle: of which end. */
static void place(const mover *m, const double *corner, const int *cell, double time, int angle,
                  double *to)
{
  double turn[9];
  cut_turn(m, angle, turn);
  for (int a = 0; a < 3; a++) {
    to[a] = m->at[a] + time * m->by[a] - cell[a] - 0.5;
    for (int b = 0; b < 3; b++) to[a] += turn[3 * b + a] * corner[b];
  }
}

static void walls_at(const mover *m, const int *cell, double time, int angle, double *to)
{
  memset(to, 0, INTEGRALS * sizeof *to);
  for (size_t f = 0; f < m->facets.facet_count; f++) {
    double v[16][3];
    int count = 3, is_far = 0;
    for (int k = 0; k < 3; k++)
      place(m, m->facets.corner[m->facets.facet[f].corner[k]], cell, time, angle, v[k]);
    for (int a = 0; a < 3; a++)
      is_far |= fmin(v[0][a], fmin(v[1][a], v[2][a])) >= 0.5 ||
                fmax(v[0][a], fmax(v[1][a], v[2][a])) <= -0.5;
    for (int side = 0; side < 6 && count && !is_far; side++)
      count = clip(v, count, side / 2, side % 2 ? 1 : -1);
    for (int i = 1; i + 1 < count && !is_far; i++) add_triangle(v[0], v[i], v[i + 1], to);
  }
}

/* Simpson's rule, halved until two results agree. */
static void halve(const mover *m, const int *cell, double from, double step,
                  double (*at)[INTEGRALS], int depth, double *to)
{
  double finer[5][INTEGRALS], error = 0;
  for (int k = 0; k < 3; k++) memcpy(finer[2 * k], at[k], sizeof *finer);
  for (int k = 1; k < 5; k += 2) walls_at(m, cell, from + step * k / 4, 0, finer[k]);
  for (int i = 0; i < INTEGRALS; i++) {
    const double coarse = step / 6 * (at[0][i] + 4 * at[1][i] + at[2][i]);
    const double fine = step / 12 * (finer[0][i] + 4 * finer[1][i] + 2 * finer[2][i] +
                                     4 * finer[3][i] + finer[4][i]);
    error = fmax(error, fabs(fine - coarse));
  }
  if (depth < 3 || (error > 1e-11 && depth < 40)) {
    halve(m, cell, from, step / 2, finer, depth + 1, to);
    halve(m, cell, from + step / 2, step / 2, finer + 2, depth + 1, to);
    return;
  }
  for (int i = 0; i < INTEGRALS; i++)
    to[i] += step / 12 * (finer[0][i] + 4 * finer[1][i] + 2 * finer[2][i] + 4 * finer[3][i] +
                          finer[4][i]);
}

/* Over the step; for a body that turns the mean of both ends. */
static void walls_of(const mover *m, const int *cell, double *to)
{
  double at[3][INTEGRALS];
  memset(to, 0, INTEGRALS * sizeof *to);
  if (m->angle[0] == m->angle[1]) {
    for (int k = 0; k < 3; k++) walls_at(m, cell, 0.5 * k, 0, at[k]);
    halve(m, cell, 0, 1, at, 0, to);
    return;
  }
  for (int k = 0; k < 2; k++) walls_at(m, cell, k, k, at[k]);
  for (int i = 0; i < INTEGRALS; i++) to[i] = 0.5 * (at[0][i] + at[1][i]);
}

/* The body's own velocity, in cells a step, at a place in a cell. */
static void velocity_of(const mover *m, const int *cell, const double *x, double *to)
{
  const double spin = m->angle[1] - m->angle[0];
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    const double off_b = cell[b] + 0.5 + x[b] - m->at[b] - 0.5 * m->by[b];
    const double off_c = cell[c] + 0.5 + x[c] - m->at[c] - 0.5 * m->by[c];
    to[a] = m->by[a] + spin * (cut_axis[b] * off_c - cut_axis[c] * off_b);
  }
}

/* The wall of one volume is where the facets are, and moves as the body does there. */
static void expect_place(const mover *m, const int *cell, const double *wall, const double *right,
                         int is_alone, double most)
{
  const double *x = wall + FV_WALL_CENTROID;
  double velocity[3], size = 0;
  for (int a = 0; a < 3; a++) size += right[a] * right[a];
  velocity_of(m, cell, x, velocity);
  for (int b = 0; b < 3; b++) {
    double middle = 0;
    for (int a = 0; a < 3; a++) middle += right[a] * right[MOMENTS + 3 * a + b];
    middle = fmax(-0.5, fmin(0.5, size > 0 ? middle / size : 0));
    if (is_alone && size > 1e-4 && !(fabs(x[b] - middle) <= most / size))
      fail_msg("cell %d %d %d has its wall at %g along axis %d, its facets are at %g", cell[0],
               cell[1], cell[2], x[b], b, middle);
    assert_true(fabs(wall[FV_WALL_VELOCITY + b] - velocity[b]) <= 1e-13);
  }
}

/* Each `every`th cell with a wall has that of its facets, in all its volumes together. Returns how
 * many were compared. */
static int expect_walls(const result *r, const mover *m, int every, double most)
{
  int compared = 0, walls = 0;
  for (int i = 0; i < CELLS; i++) {
    const int cell[] = { i % N, i / N % N, i / N / N };
    const int first = r->first[i];
    double right[INTEGRALS], sum[3] = { 0 };
    if (first < 0 || r->body[first] < 0 || walls++ % every) continue;
    walls_of(m, cell, right);
    for (int v = first; v < first + r->parts[i]; v++) {
      for (int a = 0; a < 3; a++) sum[a] += r->wall[v][a];
      expect_place(m, cell, r->wall[v], right, r->parts[i] == 1, most);
    }
    for (int a = 0; a < 3; a++)
      if (!(fabs(sum[a] - right[a]) <= most))
        fail_msg("cell %d %d %d has the wall %g along axis %d, its facets have %g", cell[0],
                 cell[1], cell[2], sum[a], a, right[a]);
    compared++;
  }
  return compared;
}

/* ---- the cases ----------------------------------------------------------------------------- */

/* The walls of a closed body cancel, and all cells together gain nothing. */
static void expect_closed(const result *r, double most)
{
  double sum[4] = { 0 };
  for (int v = 0; v < r->volumes; v++)
    for (int a = 0; a < 4; a++) sum[a] += r->wall[v][a < 3 ? a : FV_WALL_SWEPT];
  for (int a = 0; a < 4; a++) assert_true(fabs(sum[a]) <= most);
}

static void spheres_and_boxes_that_move(trm_device *device)
{
  static const char *const bodies[] = { "sphere 0 0 0 4.3", "box -3 3 -2.5 2 -3.1 3",
                                        "sphere 0 0 0 0.9" };
  needs_f64(device);
  for (int i = 0; i < 3; i++) {
    mover m = cut_body(bodies[i], i < 2 ? 0.05 : 0.3, 16.31, 15.72, 16.13);
    cut_move(&m, 0.31, -0.22, 0.13);
    cut_step(device, &m, 1, &found);
    assert_int_equal(found.count[FV_FOUND_TREE], 0);
    expect_closed(&found, 1e-12);
    assert_true(expect_walls(&found, &m, i < 2 ? 23 : 3, 1e-9) > 6);
    cut_move(&m, 0, 0, 0);
    cut_step(device, &m, 1, &found);
    assert_true(expect_walls(&found, &m, 5, 1e-13) > 3);
    fv_free_facets(&m.facets);
  }
}

static void walls_that_turn(trm_device *device)
{
  mover m = cut_body("box -5 5 -4 4 -3.5 3.5", 0.02, 16.2, 15.7, 16.1);
  needs_f64(device);
  m.angle[0] = 0.4;
  m.angle[1] = 0.45;
  cut_move(&m, 0.1, -0.2, 0.3);
  cut_step(device, &m, 1, &found);
  expect_closed(&found, 1e-12);
  assert_true(expect_walls(&found, &m, 1, 1e-13) > 500);
  fv_free_facets(&m.facets);
}

/* A plate parts cells. Each of their volumes closes, and gains what its own wall sweeps. */
static void walls_of_parts(trm_device *device)
{
  mover m = cut_body("box -5.2 5.2 -4.1 4.1 -0.15 0.15", 0.02, 16.31, 15.72, 16.13);
  needs_f64(device);
  for (int i = 0; i < 2; i++) {
    int parted = 0;
    m.angle[0] = m.angle[1] = 0.7;
    if (i == 0) cut_move(&m, 0.3, -0.2, 0.1);
    else m.angle[1] = 0.73;
    cut_step(device, &m, 1, &found);
    expect_closed(&found, 1e-12);
    assert_true(expect_walls(&found, &m, i == 0 ? 23 : 1, i == 0 ? 1e-9 : 1e-13) > 10);
    for (int v = 0; v < found.volumes; v++) {
      const double gained = found.volume[v][FV_GAS_END] - found.volume[v][FV_GAS_BEGIN];
      assert_true(fabs(found.wall[v][FV_WALL_SWEPT] - gained) <= 2e-14);
      parted += found.parts[found.cell[v]] > 1;
    }
    assert_true(parted > 40);
    cut_move(&m, 0, 0, 0);
  }
  fv_free_facets(&m.facets);
}

static int is_same(const double *a, const double *b)
{
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

/* Whether a volume's gas at the begin is exactly that of a volume in its cell at the end of the
 * step before, or of all volumes there. It is not where a volume goes to several. */
static int is_taken(const result *last, const result *r, int v)
{
  const int cell = r->cell[v], first = last->first[cell];
  const double *begin = r->volume[v] + FV_GAS_BEGIN;
  double sum[4] = { first < 0 && last->kind[cell] == FV_FOUND_GAS };
  int is_one = 0;
  for (int w = first; w >= 0 && w < first + last->parts[cell]; w++) {
    const double *end = last->volume[w] + FV_GAS_END;
    for (int i = 0; i < 4; i++) sum[i] += end[i];
    is_one |= is_same(begin, end);
  }
  return is_one || is_same(begin, sum) || begin[0] == 0;
}

/* Volumes in cells of several, and how many of them have a volume's gas, or all. */
typedef struct taken { int parted, exact; } taken;

/* The gas at the begin of a step is that at the end of the step before. To rounding, the planes of
 * this step give it, too. */
static taken expect_followed(trm_device *device, const mover *m, cut_run *run)
{
  static result last, alone;
  taken t = { 0, 0 };
  last = found;
  cut_make(run, m, 1);
  cut_read(run, &found);
  assert_int_equal(found.count[FV_FOUND_TREE], 0);
  cut_step(device, m, 1, &alone);
  for (int i = 0; i < CELLS; i++) {
    for (int k = 0; k < 4; k++)
      assert_true(found.gas[i][FV_GAS_BEGIN + k] == last.gas[i][FV_GAS_END + k]);
    for (int k = 0; k < FV_GAS_REALS; k++)
      assert_true(fabs(found.gas[i][k] - alone.gas[i][k]) <= 2e-14);
  }
  if (m->rested) assert_memory_equal(found.gas, last.gas, sizeof found.gas);
  assert_int_equal(found.volumes, alone.volumes);
  for (int v = 0; v < found.volumes; v++) {
    const int is_exact = is_taken(&last, &found, v), is_parted = found.parts[found.cell[v]] > 1;
    assert_true(is_exact || is_parted);
    t.parted += is_parted;
    t.exact += is_parted && is_exact;
    for (int k = 0; k < FV_VOLUME_REALS; k++)
      if (!(fabs(found.volume[v][k] - alone.volume[v][k]) <= 2e-14))
        fail_msg("volume %d has %g as its number %d, its planes leave %g", v, found.volume[v][k],
                 k, alone.volume[v][k]);
  }
  return t;
}

static void gas_is_taken_over(trm_device *device)
{
  mover m = cut_body("sphere 0 0 0 4.3", 0.05, 16.31, 15.72, 16.13);
  needs_f64(device);
  cut_run run = cut_open(device, 0);
  cut_make(&run, &m, 1);
  cut_read(&run, &found);
  cut_move(&m, 0.31, -0.22, 0.13);
  for (int step = 0; step < 3; step++) {
    expect_followed(device, &m, &run);
    for (int a = 0; a < 3; a++) m.at[a] += m.by[a];
  }
  cut_move(&m, 0, 0, 0);
  for (int step = 0; step < 3; step++) {
    m.rested = step > 0;
    expect_followed(device, &m, &run);
    for (int i = 0; i < CELLS; i++)
      assert_memory_equal(found.gas[i], found.gas[i] + FV_GAS_END, 4 * sizeof(double));
  }
  cut_close(&run);
  fv_free_facets(&m.facets);
}

/* The same in cells with gas on both sides of a plate, which slides, rises and turns. */
static void parts_are_taken_over(trm_device *device)
{
  static const double ways[][4] = { { 0.3, -0.2, 0.1, 0 }, { 0.02, 0.01, 0.3, 0 },
                                    { 0, 0, 0, 0.03 }, { -0.1, 0.2, -0.3, 0.02 } };
  mover m = cut_body("box -5.2 5.2 -4.1 4.1 -0.15 0.15", 0.02, 16.31, 15.72, 16.13);
  taken all = { 0, 0 };
  needs_f64(device);
  cut_run run = cut_open(device, 0);
  m.angle[0] = m.angle[1] = 0.7;
  cut_make(&run, &m, 1);
  cut_read(&run, &found);
  for (int step = 0; step < 12; step++) {
    const double *way = ways[step / 3];
    cut_move(&m, way[0], way[1], way[2]);
    m.angle[1] = m.angle[0] + way[3];
    const taken t = expect_followed(device, &m, &run);
    all.parted += t.parted;
    all.exact += t.exact;
    for (int a = 0; a < 3; a++) m.at[a] += m.by[a];
    m.angle[0] = m.angle[1];
  }
  test_remark("%d of %d volumes in cells of several", all.exact, all.parted);
  assert_true(all.parted > 1000 && all.exact > 0.9 * all.parted);
  cut_close(&run);
  fv_free_facets(&m.facets);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(spheres_and_boxes_that_move),
    TEST_DEVICE(walls_that_turn),
    TEST_DEVICE(walls_of_parts),
    TEST_DEVICE(gas_is_taken_over),
    TEST_DEVICE(parts_are_taken_over),
  };
  return TEST_RUN(argc, argv, cases);
}
