/* cut_weights.c - neighbourhoods of control volumes (fv_volumes_weights.h), and neighbours for
 * slopes (fv_volumes_neighbours.h). They are compared with plates whose weights are known, and with
 * plain sums over all face parts. */
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

/* ---- a known plate -------------------------------------------------------------------------- */

/* The share that volume i takes of volume j, all face parts together. */
static double share_of(const result *r, int i, int j)
{
  double sum = 0;
  for (int f = 0; f < r->faces; f++)
    for (int k = 0; k < 2; k++)
      if (r->join[f][k] == i && r->join[f][1 - k] == j) sum += r->share[f][k];
  return sum;
}

static int volume_at(const result *r, int x, int y, int z)
{
  const int cell = (z * N + y) * N + x;
  assert_int_equal(r->parts[cell], 1);
  return r->first[cell];
}

static void expect(double value, double right)
{
  if (!(fabs(value - right) <= 4e-15)) fail_msg("%.17g, not %.17g", value, right);
}

/* A box has a face across z at height 16 + 3/4. Cells there have 1/4 of gas, openings of 1/4 beside
 * and 1 above. So the need is 1/4. The squares of openings times volumes add up to
 * 4 (1/4)^2 1/4 + 1 = 17/16. The share of the cell above is 4/17, that of each cell beside 1/68. */
static void slivers_take_known_shares(trm_device *device)
{
  mover m = cut_body("box -6 6 -6 6 -4.75 4.75", 0.02, 16.5, 16.5, 12);
  needs_f64(device);
  cut_step(device, &m, 1, &found);
  const int own = volume_at(&found, 16, 16, 16), above = volume_at(&found, 16, 16, 17);
  const double *hood = found.hood[own], *other = found.hood[above];
  expect(hood[FV_HOOD_NEED], 1. / 4);
  expect(share_of(&found, own, above), 4. / 17);
  expect(share_of(&found, own, volume_at(&found, 15, 16, 16)), 1. / 68);
  expect(share_of(&found, above, own), 0);
  expect(other[FV_HOOD_OWN], 13. / 17);
  expect(other[FV_HOOD_NEED], 0);
  expect(other[FV_HOOD_WALL], 0);
  expect(hood[FV_HOOD_OWN], 1 - 4. / 68);
  for (int end = FV_HOOD_BEGIN; end <= FV_HOOD_END; end += 4) {
    expect(hood[end], 1. / 4 + 4. / 17);   /* own 16/17 of 1/4, the same again beside, and above */
    expect(hood[end + 1], 0);
    expect(hood[end + 3], 1. / 4 * (3. / 8) + 4. / 17);
    expect(other[end], 13. / 17);
  }
  expect(hood[FV_HOOD_WALL], 1);           /* walls of 1, own and beside */
  fv_free_facets(&m.facets);
}

/* A box rises by 1/2: the cell has 3/4 of gas, then 1/4, and openings of 1/2 beside. So the sum is
 * 4 (1/2)^2 1/2 + 1 = 3/2, and the shares are 1/6 and 1/24. Boxes then fall from the cell's upper
 * face, and rise up to it. */
static void slivers_of_a_step(trm_device *device)
{
  mover m = cut_body("box -6 6 -6 6 -4.25 4.25", 0.02, 16.5, 16.5, 12);
  needs_f64(device);
  cut_move(&m, 0, 0, 0.5);
  cut_step(device, &m, 1, &found);
  int own = volume_at(&found, 16, 16, 16), above = volume_at(&found, 16, 16, 17);
  expect(found.hood[own][FV_HOOD_NEED], 1. / 4);
  expect(share_of(&found, own, above), 1. / 6);
  expect(share_of(&found, own, volume_at(&found, 16, 15, 16)), 1. / 24);
  expect(found.hood[own][FV_HOOD_BEGIN], 3. / 4 + 1. / 6);
  expect(found.hood[own][FV_HOOD_END], 1. / 4 + 1. / 6);
  m.at[2] = 12.75;
  cut_move(&m, 0, 0, -0.5); /* from 17 to 16 + 1/2: openings of 1/4 beside, the sum 17/16 again */
  cut_step(device, &m, 1, &found);
  own = volume_at(&found, 16, 16, 16);
  above = volume_at(&found, 16, 16, 17);
  expect(found.hood[own][FV_HOOD_NEED], 1. / 2);
  expect(share_of(&found, own, above), 8. / 17);
  expect(share_of(&found, own, volume_at(&found, 16, 15, 16)), 1. / 34);
  expect(found.hood[own][FV_HOOD_BEGIN], 8. / 17);
  expect(found.hood[own][FV_HOOD_END], 1. / 2 + 8. / 17);
  m.at[2] = 12.25;
  cut_move(&m, 0, 0, 0.5); /* the other way: covered volumes ask no covered ones, so all above */
  cut_step(device, &m, 1, &found);
  own = volume_at(&found, 16, 16, 16);
  expect(share_of(&found, own, volume_at(&found, 16, 15, 16)), 0);
  expect(share_of(&found, own, volume_at(&found, 16, 16, 17)), 1. / 2);
  expect(found.hood[own][FV_HOOD_END], 1. / 2);
  fv_free_facets(&m.facets);
}

/* Slivers below and above a cell of gas ask more than half of it together. So each gets 1/4. */
static void a_volume_gives_half_at_most(trm_device *device)
{
  mover both[BODIES] = { cut_body("box -6 6 -6 6 -4 4", 0.02, 16.5, 16.5, 11.875),
                         cut_body("box -6 6 -6 6 -4 4", 0.02, 16.5, 16.5, 21.125) };
  needs_f64(device);
  cut_step(device, both, 2, &found); /* gas from 15 + 7/8 to 17 + 1/8 */
  const int own = volume_at(&found, 16, 16, 16), below = volume_at(&found, 16, 16, 15);
  const double need = 1. / 2 - 1. / 8, sum = 4 * 1. / 64 * 1. / 8 + 1;
  assert_true(2 * need / sum > 0.5);
  expect(share_of(&found, below, own), 1. / 4);
  expect(share_of(&found, volume_at(&found, 16, 16, 17), own), 1. / 4);
  expect(found.hood[own][FV_HOOD_OWN], 1. / 2);
  for (int b = 0; b < BODIES; b++) fv_free_facets(&both[b].facets);
}

/* ---- all weights ---------------------------------------------------------------------------- */

static const int strides[] = { 1, N, N * N };
static double side[VOLUMES][6], lacks[VOLUMES], total[VOLUMES], asked[VOLUMES], hood[VOLUMES][9];

static double mean(const double *v)
{
  return (v[FV_GAS_BEGIN] + v[FV_GAS_END]) / 2;
}

static int may_ask(const result *r, int i, int j)
{
  const int has_end = r->volume[i][FV_GAS_END] > 0 || r->volume[j][FV_GAS_END] > 0;
  return lacks[i] > 0 && mean(r->volume[j]) > 0 && has_end;
}

/* Calls a block for each face part between two volumes, from each of its sides. */
#define EACH_PAIR(r, f, i, j, way) \
  for (int f = 0; f < (r)->faces; f++) \
    for (int way = -1, i = (r)->join[f][1], j = (r)->join[f][0]; way <= 1; \
         way += 2, i = (r)->join[f][0], j = (r)->join[f][1]) \
      if (i >= 0 && j >= 0)

static double wall_size(const double *w)
{
  return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

/* Needs, shares and neighbourhoods by sums over face parts. Returns how many volumes need some. */
static int expect_weights(const result *r, double most)
{
  int needy = 0;
  memset(side, 0, sizeof side);
  memset(total, 0, sizeof total);
  memset(asked, 0, sizeof asked);
  for (int f = 0; f < r->faces; f++)
    for (int k = 0; k < 2; k++)
      if (r->join[f][k] >= 0)
        side[r->join[f][k]][2 * r->join[f][FV_JOIN_AXIS] + k] += r->opening[f][0];
  for (int v = 0; v < r->volumes; v++) {
    double widest = 0;
    for (int s = 0; s < 6; s++) widest = fmax(widest, side[v][s]);
    const double *own = r->volume[v];
    lacks[v] = fmax(0, widest / 2 - fmin(own[FV_GAS_BEGIN], own[FV_GAS_END]));
    assert_true(fabs(r->hood[v][FV_HOOD_NEED] - lacks[v]) <= most);
    needy += lacks[v] > 0;
  }
  EACH_PAIR(r, f, i, j, way)
    if (may_ask(r, i, j)) total[i] += pow(r->opening[f][0], 2) * mean(r->volume[j]);
  EACH_PAIR(r, f, i, j, way)
    if (may_ask(r, i, j) && total[i] > 0)
      asked[j] += lacks[i] * pow(r->opening[f][0], 2) / total[i];
  for (int v = 0; v < r->volumes; v++) {
    const double own = 1 - fmin(0.5, asked[v]);
    assert_true(fabs(r->hood[v][FV_HOOD_OWN] - own) <= most);
    hood[v][0] = own * wall_size(r->wall[v]);
    for (int k = 0; k < FV_VOLUME_REALS; k++) hood[v][1 + k] = own * r->volume[v][k];
  }
  EACH_PAIR(r, f, i, j, way) {
    const int axis = r->join[f][FV_JOIN_AXIS];
    double share = 0;
    if (may_ask(r, i, j) && total[i] > 0)
      share = fmin(1, 0.5 / asked[j]) * lacks[i] * pow(r->opening[f][0], 2) / total[i];
    assert_true(fabs(r->share[f][way < 0] - share) <= most);
    hood[i][0] += share * wall_size(r->wall[j]);
    for (int k = 0; k < FV_VOLUME_REALS; k++)
      hood[i][1 + k] += share * (r->volume[j][k] +
                                 (k % 4 == 1 + axis ? way * r->volume[j][k - 1 - axis] : 0));
  }
  for (int v = 0; v < r->volumes; v++)
    for (int k = 0; k < 9; k++)
      if (!(fabs(r->hood[v][FV_HOOD_WALL + k] - hood[v][k]) <= most))
        fail_msg("volume %d has %.17g in its neighbourhood's number %d, not %.17g", v,
                 r->hood[v][FV_HOOD_WALL + k], k, hood[v][k]);
  return needy;
}

/* ---- neighbours ----------------------------------------------------------------------------- */

/* Outer cells count as volumes behind those of the list: the number of one by cell, or -1. */
static int32_t outer_at[CELLS];

/* Where a step leads from a volume, or outer cell, to others by faces. */
static void spread(const result *r, int32_t *distance, int step)
{
  for (int f = 0; f < r->faces; f++)
    for (int way = 0; way < 2; way++) {
      const int from = r->join[f][way], to = r->join[f][!way];
      const int i = from < 0 ? outer_at[-1 - from] : from;
      const int j = to < 0 ? outer_at[-1 - to] : to;
      assert_true(i >= 0 && j >= 0);
      if (distance[i] == step && distance[j] == 0) distance[j] = step + 1;
    }
  for (int i = 0; i < r->outers; i++)
    for (int s = 0; s < 6 && distance[r->volumes + i] == step; s++) {
      const int axis = s / 2, at = r->outer[i] / strides[axis] % N + (s % 2 ? 1 : -1);
      const int cell = r->outer[i] + (s % 2 ? strides[axis] : -strides[axis]);
      const int j = at < 0 || at == N ? -1 : outer_at[cell];
      if (j >= 0 && distance[j] == 0) distance[j] = step + 1;
    }
}

/* The neighbours of a volume agree with loops over all face parts. Returns how many there are. */
static int expect_near(const result *r, int v)
{
  static int32_t distance[VOLUMES + CELLS];
  int count = 0;
  memset(distance, 0, sizeof distance);
  distance[v] = 1;
  for (int step = 1; step < 3; step++) spread(r, distance, step);
  for (int j = 0; j < r->volumes + r->outers; j++) {
    int place = 0, is_near = distance[j] > 1;
    const int cell = j < r->volumes ? r->cell[j] : r->outer[j - r->volumes];
    for (int a = 0; a < 3; a++) {
      const int off = cell / strides[a] % N - r->cell[v] / strides[a] % N;
      is_near &= abs(off) <= 1;
      place += (off + 1) << 2 * a;
    }
    if (!is_near) continue;
    const int near = FV_NEAR_PLACES * j + place;
    int is_found = 0;
    for (int k = 0; k < r->near[v][0]; k++) is_found += r->near[v][1 + k] == near;
    if (is_found != 1) fail_msg("volume %d has neighbour %d %d times", v, j, is_found);
    count++;
  }
  assert_int_equal(r->near[v][0], count);
  return count;
}

/* Each so many. Returns the most neighbours of one. */
static int expect_neighbours(const result *r, int every)
{
  int most = 0;
  memset(outer_at, -1, sizeof outer_at);
  for (int i = 0; i < r->outers; i++) outer_at[r->outer[i]] = r->volumes + i;
  for (int v = 0; v < r->volumes; v++) {
    assert_in_range(r->near[v][0], 0, FV_NEAR_MOST - 1);
    if (v % every) continue;
    const int count = expect_near(r, v);
    most = count > most ? count : most;
  }
  return most;
}

/* ---- the cases ------------------------------------------------------------------------------ */

static const char *const bodies[] = { "sphere 0 0 0 5.3", "box -5.2 5.2 -4.1 4.1 -0.15 0.15",
                                      "box -3 3 -2.5 2 -3.1 3", "tube 0 0 9.7" };

static void shares_are_those_of_openings(trm_device *device)
{
  needs_f64(device);
  for (int i = 0; i < 8; i++) {
    mover m = cut_body(bodies[i / 2], 0.05, 16.31, 15.72, 16.13);
    if (i % 2) m.angle[0] = 0.7, m.angle[1] = i == 3 ? 0.73 : 0.7;
    if (i != 3) cut_move(&m, 0.31, -0.22, 0.13);
    cut_step(device, &m, 1, &found);
    const int needy = expect_weights(&found, 1e-13);
    test_remark("%d of %d volumes need some", needy, found.volumes);
    assert_true(needy > 20);
    fv_free_facets(&m.facets);
  }
}

/* Cells of gas beside a cut one are listed. */
static void expect_ring(const result *r)
{
  for (int i = 0; i < 2 * 3 * CELLS; i++) {
    const int cell = i / 6, a = i % 3, way = i % 6 < 3 ? -1 : 1;
    const int at = cell / strides[a] % N + way, other = cell + way * strides[a];
    if (r->kind[cell] >= FV_FOUND_PLANE && at >= 0 && at < N && r->kind[other] == FV_FOUND_GAS)
      assert_true(r->first[other] >= 0);
  }
}

static void neighbours_are_behind_openings(trm_device *device)
{
  needs_f64(device);
  for (int i = 0; i < 2; i++) {
    mover m = cut_body(bodies[i], 0.05, 16.31, 15.72, 16.13);
    m.angle[0] = m.angle[1] = 0.7;
    cut_move(&m, 0.31, -0.22, 0.13);
    cut_step(device, &m, 1, &found);
    expect_ring(&found);
    const int most = expect_neighbours(&found, 7);
    test_remark("%d neighbours at most", most);
    assert_true(most >= 18);
    fv_free_facets(&m.facets);
  }
}

/* In a periodic grid all of whose gas is listed, whole cells have 18. */
static void whole_cells_have_18_neighbours(trm_device *device)
{
  mover m = cut_body("sphere 0 0 0 2.3", 0.05, 16.31, 15.72, 16.13);
  needs_f64(device);
  cut_run run = cut_open(device, 1);
  cut_make(&run, &m, 1);
  cut_read(&run, &found);
  cut_close(&run);
  for (int i = 0; i < CELLS; i++)
    assert_int_equal(found.parts[i], found.kind[i] == FV_FOUND_GAS ? 1 : found.parts[i]);
  for (int v = 0; v < found.volumes; v++)
    if (found.cell[v] / N / N < 12 || found.cell[v] / N / N > 20)
      assert_int_equal(found.near[v][0], 18);
  fv_free_facets(&m.facets);
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void expect_same(const result *r, const result *right)
{
  const size_t volumes = (size_t)right->volumes, faces = (size_t)right->faces;
  assert_int_equal(r->volumes, right->volumes);
  assert_int_equal(r->faces, right->faces);
  assert_memory_equal(r->kind, right->kind, sizeof r->kind);
  assert_memory_equal(r->volume, right->volume, volumes * sizeof *r->volume);
  assert_memory_equal(r->hood, right->hood, volumes * sizeof *r->hood);
  assert_memory_equal(r->join, right->join, faces * sizeof *r->join);
  assert_memory_equal(r->opening, right->opening, faces * sizeof *r->opening);
}

/* Lists that are kept grow with the bodies, and tell nothing of larger ones. */
static void lists_grow_and_forget(trm_device *device)
{
  static const char *const sizes[] = { "sphere 0 0 0 2.3", "sphere 0 0 0 7.3", "sphere 0 0 0 4.1",
                                       "sphere 50 50 50 1", "sphere 0 0 0 2.3" };
  static result right;
  needs_f64(device);
  cut_run run = cut_open(device, 0);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    mover m = cut_body(sizes[i], 0.05, 16.31, 15.72, 16.13);
    if (i == 3) m.at[0] = 90;
    cut_move(&m, 0.31, -0.22, 0.13);
    cut_restart(&run);
    cut_make(&run, &m, 1);
    if (i != 3) {
      cut_read(&run, &found);
      cut_step(device, &m, 1, &right);
      expect_same(&found, &right);
    } else {
      assert_int_equal(run.lists.p.listed + run.lists.p.volumes + run.lists.p.faces, 0);
    }
    fv_free_facets(&m.facets);
  }
  cut_close(&run);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(slivers_take_known_shares),
    TEST_DEVICE(slivers_of_a_step),
    TEST_DEVICE(a_volume_gives_half_at_most),
    TEST_DEVICE(shares_are_those_of_openings),
    TEST_DEVICE(neighbours_are_behind_openings),
    TEST_DEVICE(whole_cells_have_18_neighbours),
    TEST_DEVICE(lists_grow_and_forget),
  };
  return TEST_RUN(argc, argv, cases);
}
