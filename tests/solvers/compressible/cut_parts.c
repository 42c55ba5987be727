/* cut_parts.c - control volumes of cut cells (fv_volumes_link.h): gas that is apart in the whole
 * step. They are compared with a search at corners and edges of cells, and with exact plates. */
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

/* ---- parts of the gas beside a box ---------------------------------------------------------- */

/* The gas beyond a side of the box is a piece. In the cell the distance to a side is linear, also
 * in time if the box does not turn. So two pieces meet at a corner of the cell (in space and time),
 * or where an edge of the cell passes a side. A box that turns is asked at several times; the gas
 * beyond a side at one time and at the next is one piece. */
enum { SIDES = 6, ENDS = 2, TIMES = 41, SAMPLES = 20, CORNERS = 16 };

/* How far a place is beyond each side of a box about the body's place. */
static void go_beyond(const mover *m, const double half[3], const double *at, double time,
                      double to[SIDES])
{
  const mover now = { .angle = { m->angle[0] + time * (m->angle[1] - m->angle[0]) } };
  double turn[9];
  cut_turn(&now, 0, turn);
  for (int a = 0; a < 3; a++) {
    double own = 0;
    for (int b = 0; b < 3; b++) own += turn[3 * a + b] * (at[b] - m->at[b] - time * m->by[b]);
    to[2 * a] = own - half[a];
    to[2 * a + 1] = -own - half[a];
  }
}

/* Whether two pieces meet in a cell of so many axes; beyond: at its corners. */
static int do_meet(double beyond[CORNERS][SIDES], int axes, int s, int t)
{
  for (int i = 0; i < 1 << axes; i++) {
    const double here = beyond[i][s];
    if (here > 0 && beyond[i][t] > 0) return 1;
    for (int a = 0; a < axes; a++) {
      const double *next = beyond[i ^ 1 << a];
      const double part = here / (here - next[s]);
      const int passes = here > 0 ? next[s] <= 0 : next[s] > 0;
      if (passes && beyond[i][t] + part * (next[t] - beyond[i][t]) > 0) return 1;
    }
  }
  return 0;
}

/* Unites pieces that meet from a time on: at this time alone, or, with a fourth axis, until the
 * step's end. */
static void unite_pieces(const mover *m, const double half[3], const int *cell, double time,
                         int axes, int part[SIDES])
{
  double beyond[CORNERS][SIDES];
  for (int i = 0; i < 1 << axes; i++) {
    const double at[] = { cell[0] + (i & 1), cell[1] + (i >> 1 & 1), cell[2] + (i >> 2 & 1) };
    go_beyond(m, half, at, i >> 3 ? 1 : time, beyond[i]);
  }
  for (int s = 0; s < SIDES; s++)
    for (int t = 0; t <= s; t++) {
      if (!do_meet(beyond, axes, s, t)) continue;
      const int from = part[s] < 0 ? s : part[s], to = part[t] < 0 ? t : part[t];
      part[s] = part[t] = to;
      for (int i = 0; i < SIDES; i++) part[i] = part[i] == from ? to : part[i];
    }
}

/* Numbers the parts and returns how many; share: of the cell at both ends, from samples. times: to
 * ask a box that turns at. */
static int count_parts(const mover *m, const double half[3], const int *cell, int times,
                       double share[SIDES][2])
{
  const int turns = m->angle[0] != m->angle[1], all = SAMPLES * SAMPLES * SAMPLES;
  int part[SIDES] = { -1, -1, -1, -1, -1, -1 }, number[SIDES], parts = 0;
  for (int i = 0; i < (turns ? times : 1); i++)
    unite_pieces(m, half, cell, (double)i / (times - 1), turns ? 3 : 4, part);
  for (int s = 0; s < SIDES; s++) {
    share[s][0] = share[s][1] = 0;
    number[s] = part[s] == s ? parts++ : -1;
  }
  for (int i = 0; i < 2 * all; i++) {
    double at[3], beyond[SIDES];
    int s = 0;
    for (int a = 0, k = i % all; a < 3; a++, k /= SAMPLES)
      at[a] = cell[a] + (k % SAMPLES + 0.5) / SAMPLES;
    go_beyond(m, half, at, i / all, beyond);
    while (s < SIDES && beyond[s] <= 0) s++;
    if (s < SIDES) share[number[part[s]]][i / all] += 1. / all;
  }
  return parts;
}

static int is_like(const double *share, const double *volume, double most)
{
  return fabs(share[0] - volume[FV_GAS_BEGIN]) <= most &&
         fabs(share[1] - volume[FV_GAS_END]) <= most;
}

/* Whether a cell's control volumes are the parts, one by one. */
static int agrees(const result *r, int cell, double share[SIDES][2], int parts)
{
  int is_matched[SIDES] = { 0 }, agree = parts == r->parts[cell];
  for (int v = r->first[cell]; v < r->first[cell] + r->parts[cell] && agree; v++) {
    int k = 0;
    while (k < parts && (is_matched[k] || !is_like(share[k], r->volume[v], 0.03))) k++;
    agree = k < parts;
    if (agree) is_matched[k] = 1;
  }
  return agree;
}

/* All cells with planes of a box have its parts, and these add up to the cell. Returns how many
 * cells have several parts. */
static int expect_parts(const result *r, const mover *m, const double half[3], int times)
{
  int parted = 0;
  for (int i = 0; i < CELLS; i++) {
    const int cell[] = { i % N, i / N % N, i / N / N };
    double share[SIDES][2], sum[FV_VOLUME_REALS] = { 0 };
    if (r->kind[i] < FV_FOUND_PLANE) continue;
    const int parts = count_parts(m, half, cell, times, share);
    if (!agrees(r, i, share, parts))
      fail_msg("cell %d %d %d has %d parts, not these %d", cell[0], cell[1], cell[2],
               r->parts[i], parts);
    for (int v = r->first[i]; v < r->first[i] + r->parts[i]; v++)
      for (int k = 0; k < FV_VOLUME_REALS; k++) sum[k] += r->volume[v][k];
    for (int k = 0; k < FV_VOLUME_REALS; k++)
      assert_true(fabs(sum[k] - r->gas[i][k]) <= 4e-15);
    parted += r->parts[i] > 1;
  }
  return parted;
}

/* ---- the cases ----------------------------------------------------------------------------- */

static const double plate[3] = { 5.2, 4.1, 0.15 };

static void plates_part_the_gas(trm_device *device)
{
  static const double ways[][3] = { { 0, 0, 0 }, { 0.3, -0.2, 0.1 }, { 0.02, 0.01, 0.5 } };
  mover m = cut_body("box -5.2 5.2 -4.1 4.1 -0.15 0.15", 0.02, 16.31, 15.72, 16.13);
  needs_f64(device);
  for (int i = 0; i < 3; i++) {
    m.angle[0] = m.angle[1] = 0.3 + 0.4 * i;
    memcpy(m.by, ways[i], sizeof m.by);
    cut_step(device, &m, 1, NULL, &found);
    assert_int_equal(found.count[FV_FOUND_TREE], 0);
    const int parted = expect_parts(&found, &m, plate, ENDS);
    test_remark("%d of %d cells have several parts", parted, found.listed);
    assert_true(parted > 40);
  }
  fv_free_facets(&m.facets);
}

/* The same, where the plate turns in the step: parts are those of both ends. In the first two steps
 * they are also those at all times. In the third one gas meets in mid-step alone, at an edge of the
 * plate, and so stays two volumes. */
static void plates_that_turn_part_the_gas(trm_device *device)
{
  static const double turns[][2] = { { 1.1, 1.13 }, { 1.1, 1.07 }, { 0.3, 0.36 } };
  mover m = cut_body("box -5.2 5.2 -4.1 4.1 -0.15 0.15", 0.02, 16.31, 15.72, 16.13);
  needs_f64(device);
  for (int i = 0; i < 3; i++) {
    memcpy(m.angle, turns[i], sizeof m.angle);
    cut_step(device, &m, 1, NULL, &found);
    assert_int_equal(found.count[FV_FOUND_TREE], 0);
    const int parted = expect_parts(&found, &m, plate, ENDS);
    test_remark("%d of %d cells have several parts", parted, found.listed);
    assert_true(parted > 40);
    if (i < 2) assert_int_equal(expect_parts(&found, &m, plate, TIMES), parted);
  }
  fv_free_facets(&m.facets);
}

/* A plate within a layer of cells rises: the gas below and above it is known. */
static void a_plate_has_gas_below_and_above(trm_device *device)
{
  mover m = cut_body("box -5 5 -4 4 -0.125 0.125", 0.02, 16.3, 16.4, 16.5);
  int parted = 0;
  needs_f64(device);
  cut_move(&m, 0, 0, 0.25);
  cut_step(device, &m, 1, NULL, &found);
  for (int y = 13; y < 20; y++)
    for (int x = 12; x < 21; x++, parted++) {
      const int cell = (16 * N + y) * N + x;
      int low = found.first[cell];
      assert_int_equal(found.parts[cell], 2);
      low += found.volume[low][FV_GAS_BEGIN + 3] > 0;
      const double *below = found.volume[low];
      const double *above = found.volume[2 * found.first[cell] + 1 - low];
      assert_true(fabs(below[FV_GAS_BEGIN] - 0.375) + fabs(below[FV_GAS_END] - 0.625) <= 1e-15);
      assert_true(fabs(above[FV_GAS_BEGIN] - 0.375) + fabs(above[FV_GAS_END] - 0.125) <= 1e-15);
      assert_true(fabs(below[FV_GAS_BEGIN + 3] + 0.375 * 0.3125) <= 1e-15);
      assert_true(fabs(above[FV_GAS_END + 3] - 0.125 * 0.4375) <= 1e-15);
    }
  assert_int_equal(parted, 63);
  fv_free_facets(&m.facets);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(plates_part_the_gas),
    TEST_DEVICE(plates_that_turn_part_the_gas),
    TEST_DEVICE(a_plate_has_gas_below_and_above),
  };
  return TEST_RUN(argc, argv, cases);
}
