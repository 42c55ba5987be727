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
enum { SIDES = 6, ENDS = 2, TIMES = 41, SAMPLES = 21, FEW = 11, CORNERS = 16 };

/* The frame of a box at a time of the step. */
typedef struct frame { double turn[9], place[3]; } frame;

static frame frame_at(const mover *m, double time)
{
  const mover now = { .angle = { m->angle[0] + time * (m->angle[1] - m->angle[0]) } };
  frame f;
  cut_turn(&now, 0, f.turn);
  for (int a = 0; a < 3; a++) f.place[a] = m->at[a] + time * m->by[a];
  return f;
}

/* How far a place is beyond each side of a box. */
static void go_beyond(const frame *f, const double half[3], const double *at, double to[SIDES])
{
  for (int a = 0; a < 3; a++) {
    double own = 0;
    for (int b = 0; b < 3; b++) own += f->turn[3 * a + b] * (at[b] - f->place[b]);
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

/* A cell (axis: 3), or its upper face, and its axes; axis 3 is time. */
typedef struct region { int cell[3], axis, axes, along[4]; } region;

static region region_of(const mover *m, int cell, int axis)
{
  region r = { { cell % N, cell / N % N, cell / N / N }, axis, 0, { 0 } };
  for (int a = 0; a < 4; a++)
    if (a == 3 ? m->angle[0] == m->angle[1] : a != axis) r.along[r.axes++] = a;
  return r;
}

/* Unites pieces that meet from a time on: at this time alone, or, with time as an axis, until the
 * step's end. */
static void unite_pieces(const mover *m, const double half[3], const region *r, double time,
                         int part[SIDES])
{
  double beyond[CORNERS][SIDES];
  for (int i = 0; i < 1 << r->axes; i++) {
    double at[4] = { r->cell[0], r->cell[1], r->cell[2], time };
    if (r->axis < 3) at[r->axis] += 1;
    for (int a = 0; a < r->axes; a++) at[r->along[a]] += i >> a & 1;
    const frame f = frame_at(m, at[3]);
    go_beyond(&f, half, at, beyond[i]);
  }
  for (int s = 0; s < SIDES; s++)
    for (int t = 0; t <= s; t++) {
      if (!do_meet(beyond, r->axes, s, t)) continue;
      const int a = part[s] < 0 ? s : part[s], b = part[t] < 0 ? t : part[t];
      part[s] = a;
      part[t] = b;
      for (int i = 0; i < SIDES; i++)
        if (part[i] == a || part[i] == b) part[i] = a < b ? a : b;
    }
}

/* Numbers the parts that sides have, -1 where a piece is not there, and returns how many. times: to
 * ask a box that turns at. */
static int number_parts(const mover *m, const double half[3], const region *r, int times,
                        int number[SIDES])
{
  const int turns = m->angle[0] != m->angle[1];
  int part[SIDES] = { -1, -1, -1, -1, -1, -1 }, parts = 0;
  for (int i = 0; i < (turns ? times : 1); i++)
    unite_pieces(m, half, r, (double)i / (times - 1), part);
  for (int s = 0; s < SIDES; s++) {
    number[s] = part[s] == s ? parts : part[s] < 0 ? -1 : number[part[s]];
    parts += part[s] == s;
  }
  return parts;
}

/* A sample's part, -1 in the solid. */
static int part_at(const frame *f, const double half[3], const double *at,
                   const int number[SIDES])
{
  double beyond[SIDES];
  int s = 0;
  go_beyond(f, half, at, beyond);
  while (s < SIDES && beyond[s] <= 0) s++;
  return s < SIDES ? number[s] : -1;
}

/* The parts of a cell, and their shares of it at both ends from samples. */
typedef struct cell_parts { int number[SIDES], count; double share[SIDES][2]; } cell_parts;

static void take_parts(const mover *m, const double half[3], int cell, int times, cell_parts *to)
{
  const region r = region_of(m, cell, 3);
  const int all = SAMPLES * SAMPLES * SAMPLES;
  const frame ends[] = { frame_at(m, 0), frame_at(m, 1) };
  memset(to->share, 0, sizeof to->share);
  to->count = number_parts(m, half, &r, times, to->number);
  for (int i = 0; i < 2 * all; i++) {
    double at[3];
    for (int a = 0, k = i % all; a < 3; a++, k /= SAMPLES)
      at[a] = r.cell[a] + (k % SAMPLES + 0.5) / SAMPLES;
    const int part = part_at(&ends[i / all], half, at, to->number);
    if (part >= 0) to->share[part][i / all] += 1. / all;
  }
}

/* The same at both ends, once for each cell. */
static cell_parts known[CELLS];
static char is_known[CELLS];

static const cell_parts *known_parts(const mover *m, const double half[3], int cell)
{
  if (!is_known[cell]) take_parts(m, half, cell, ENDS, &known[cell]);
  is_known[cell] = 1;
  return &known[cell];
}

static int is_like(const double *share, const double *volume, double most)
{
  return fabs(share[0] - volume[FV_GAS_BEGIN]) <= most &&
         fabs(share[1] - volume[FV_GAS_END]) <= most;
}

/* Whether a cell's control volumes are the parts, one by one. */
static int agrees(const result *r, int cell, const cell_parts *c)
{
  int is_matched[SIDES] = { 0 }, agree = c->count == r->parts[cell];
  for (int v = r->first[cell]; v < r->first[cell] + r->parts[cell] && agree; v++) {
    int k = 0;
    while (k < c->count && (is_matched[k] || !is_like(c->share[k], r->volume[v], 0.03))) k++;
    agree = k < c->count;
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
    double sum[FV_VOLUME_REALS] = { 0 };
    cell_parts own;
    if (r->kind[i] < FV_FOUND_PLANE) continue;
    take_parts(m, half, i, times, &own);
    if (!agrees(r, i, &own))
      fail_msg("cell %d %d %d has %d parts, not these %d", i % N, i / N % N, i / N / N,
               r->parts[i], own.count);
    for (int v = r->first[i]; v < r->first[i] + r->parts[i]; v++)
      for (int k = 0; k < FV_VOLUME_REALS; k++) sum[k] += r->volume[v][k];
    for (int k = 0; k < FV_VOLUME_REALS; k++)
      assert_true(fabs(sum[k] - r->gas[i][k]) <= 4e-15);
    parted += r->parts[i] > 1;
  }
  return parted;
}

/* ---- parts of faces ------------------------------------------------------------------------- */

/* The mean openings of a face's parts from samples: over the step, or at its ends if the box
 * turns. */
static void take_openings(const mover *m, const double half[3], const region *r,
                          const int number[SIDES], double opening[SIDES])
{
  const int turns = m->angle[0] != m->angle[1], all = FEW * FEW, times = turns ? 2 : FEW;
  frame now = frame_at(m, 0);
  for (int s = 0; s < SIDES; s++) opening[s] = 0;
  for (int i = 0; i < all * times; i++) {
    double at[3] = { r->cell[0], r->cell[1], r->cell[2] };
    at[r->axis] += 1;
    at[(r->axis + 1) % 3] += (i % FEW + 0.5) / FEW;
    at[(r->axis + 2) % 3] += (i / FEW % FEW + 0.5) / FEW;
    if (i % all == 0) now = frame_at(m, turns ? i / all : (i / all + 0.5) / FEW);
    const int part = part_at(&now, half, at, number);
    if (part >= 0) opening[part] += 1. / (all * times);
  }
}

/* Whether a volume, or whole cell, is a part of a cell. */
static int is_part(const result *r, int volume, int cell, const cell_parts *c, int part)
{
  static const double whole[FV_VOLUME_REALS] = { [FV_GAS_BEGIN] = 1, [FV_GAS_END] = 1 };
  const int is_listed = volume >= 0;
  if (is_listed ? volume < r->first[cell] || volume >= r->first[cell] + r->parts[cell]
                : -1 - volume != cell)
    return 0;
  return is_like(c->share[part], is_listed ? r->volume[volume] : whole, 0.03);
}

/* A face's parts, from face part f on, join the right parts of two cells. Returns how many. */
static int expect_face(const result *r, const mover *m, const double half[3], int f, int cell,
                       int axis)
{
  const int above = cell + (axis == 0 ? 1 : axis == 1 ? N : N * N);
  const region face = region_of(m, cell, axis);
  const cell_parts *low = known_parts(m, half, cell), *high = known_parts(m, half, above);
  int number[SIDES], count = 0, is_matched[SIDES] = { 0 };
  double opening[SIDES];
  const int parts = number_parts(m, half, &face, ENDS, number);
  while (f + count < r->faces && r->face_cell[f + count] == cell &&
         r->join[f + count][FV_JOIN_AXIS] == axis)
    count++;
  take_openings(m, half, &face, number, opening);
  for (int i = f; i < f + count; i++) {
    int s = 0;
    while (s < SIDES && (number[s] < 0 || is_matched[number[s]] ||
                         fabs(opening[number[s]] - r->opening[i][0]) > 0.05 ||
                         !is_part(r, r->join[i][FV_JOIN_LOW], cell, low, low->number[s]) ||
                         !is_part(r, r->join[i][FV_JOIN_HIGH], above, high, high->number[s])))
      s++;
    if (s == SIDES || parts != count)
      fail_msg("face %d of cell %d %d %d has %d parts, not these %d", axis, cell % N, cell / N % N,
               cell / N / N, count, parts);
    is_matched[number[s]] = 1;
  }
  return count;
}

/* All faces that a step has: they add up to the openings of listed cells. Where the box does not
 * turn, V1 - V0 = W.D for each control volume.
 * Returns how many faces have several parts. */
static int expect_faces(const result *r, const mover *m, const double half[3])
{
  static double swept[CELLS], sum[CELLS][3];
  int parted = 0;
  memset(sum, 0, sizeof sum);
  memset(is_known, 0, sizeof is_known);
  for (int v = 0; v < r->volumes; v++)
    swept[v] = r->volume[v][FV_GAS_END] - r->volume[v][FV_GAS_BEGIN];
  for (int f = 0, count; f < r->faces; f += count) {
    const int axis = r->join[f][FV_JOIN_AXIS];
    count = expect_face(r, m, half, f, r->face_cell[f], axis);
    parted += count > 1;
    for (int i = f; i < f + count; i++) {
      const int low = r->join[i][FV_JOIN_LOW], high = r->join[i][FV_JOIN_HIGH];
      sum[r->face_cell[f]][axis] += r->opening[i][0];
      if (low >= 0) swept[low] += r->opening[i][0] * m->by[axis];
      if (high >= 0) swept[high] -= r->opening[i][0] * m->by[axis];
    }
  }
  for (int i = 0; i < CELLS; i++)
    for (int a = 0; a < 3 && r->first[i] >= 0; a++)
      assert_true(fabs(sum[i][a] - r->gas[i][FV_GAS_FACES + 4 * a]) <= 4e-15);
  for (int v = 0; v < r->volumes && m->angle[0] == m->angle[1]; v++)
    assert_true(fabs(swept[v]) <= 2e-14);
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
    cut_step(device, &m, 1, &found);
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
    cut_step(device, &m, 1, &found);
    assert_int_equal(found.count[FV_FOUND_TREE], 0);
    const int parted = expect_parts(&found, &m, plate, ENDS);
    test_remark("%d of %d cells have several parts", parted, found.listed);
    assert_true(parted > 40);
    if (i < 2) assert_int_equal(expect_parts(&found, &m, plate, TIMES), parted);
  }
  fv_free_facets(&m.facets);
}

static void faces_join_the_parts(trm_device *device)
{
  static const struct { double angle[2], by[3]; } steps[] = {
    { { 0.3, 0.3 }, { 0, 0, 0 } }, { { 0.7, 0.7 }, { 0.3, -0.2, 0.1 } },
    { { 1.1, 1.1 }, { 0.02, 0.01, 0.5 } }, { { 1.1, 1.13 }, { 0, 0, 0 } },
    { { 0.3, 0.36 }, { 0, 0, 0 } } };
  mover m = cut_body("box -5.2 5.2 -4.1 4.1 -0.15 0.15", 0.02, 16.31, 15.72, 16.13);
  needs_f64(device);
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    memcpy(m.angle, steps[i].angle, sizeof m.angle);
    memcpy(m.by, steps[i].by, sizeof m.by);
    cut_step(device, &m, 1, &found);
    const int parted = expect_faces(&found, &m, plate);
    test_remark("%d faces have several of the %d face parts", parted, found.faces);
    assert_true(parted > 40);
  }
  fv_free_facets(&m.facets);
}

/* The edge of two sides of a prism passes a corner of a cell, which it covers in mid-step alone. So
 * the cell has gas at the begin beyond one side, and other gas at the end beyond the other side. */
static void gas_before_and_after_an_edge_is_apart(trm_device *device)
{
  mover m = cut_body("cylinder 0 0 5", 9, 0, 0, 16);
  double far = 0;
  needs_f64(device);
  assert_int_equal(m.facets.plane_count, 8 + 2);
  for (size_t i = 0; i < m.facets.corner_count; i++) /* of the edge along (1, 1) */
    far = fmax(far, fmin(m.facets.corner[i][0], m.facets.corner[i][1]));
  m.at[0] = 20.02 - 0.15 - far;
  m.at[1] = 20.02 + 0.15 - far;
  cut_move(&m, 0.3, -0.3, 0);
  cut_step(device, &m, 1, &found);
  for (int z = 0; z < N; z++) {
    const int cell = (z * N + 19) * N + 19, v = found.first[cell];
    double gas[2] = { 0, 0 };
    assert_int_equal(found.kind[cell], FV_FOUND_CONVEX);
    assert_int_equal(found.parts[cell], 2);
    for (int i = v; i < v + 2; i++)
      for (int end = 0; end < 2; end++) {
        gas[end] = fmax(gas[end], found.volume[i][4 * end]);
        assert_true(found.volume[i][4 * end] == 0 || found.volume[i][4 * !end] == 0);
      }
    assert_true(gas[0] > 1e-3 && fabs(gas[0] - gas[1]) <= 1e-14);
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
  cut_step(device, &m, 1, &found);
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
  assert_int_equal(expect_faces(&found, &m, (const double[]){ 5, 4, 0.125 }), 10 * 7 + 8 * 9);
  fv_free_facets(&m.facets);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(plates_part_the_gas),
    TEST_DEVICE(plates_that_turn_part_the_gas),
    TEST_DEVICE(faces_join_the_parts),
    TEST_DEVICE(gas_before_and_after_an_edge_is_apart),
    TEST_DEVICE(a_plate_has_gas_below_and_above),
  };
  return TEST_RUN(argc, argv, cases);
}
