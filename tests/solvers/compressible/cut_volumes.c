/* cut_volumes.c - the maps over cells that facets cut (fv_volumes_find.h, fv_volumes_cut.h).
 * Volumes add up to the body's at both ends of a step, and cells gain what their walls sweep. */
#include "tests/solvers/compressible/cut_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static mover make_mover(const char *text, double x, double y, double z)
{
  return cut_body(text, 0.02, x, y, z);
}

/* ---- what must hold ----------------------------------------------------------------------- */

static result found;

/* The openings of a cell's lower or upper face. */
static double opening(const result *r, int cell, int axis, int is_upper)
{
  static const int strides[] = { 1, N, N * N };
  const int from = is_upper ? cell : cell - strides[axis];
  return r->gas[from][FV_GAS_FACES + 4 * axis];
}

/* V1 - V0 = W.D, with W from openings. Whole cells have all faces open, or none. The body
 * translates. */
static void expect_swept(const result *r, const double by[3], double most)
{
  for (int cell = 0; cell < CELLS; cell++) {
    const int at[3] = { cell % N, cell / N % N, cell / N / N };
    double swept = 0;
    int is_known = 1;
    for (int a = 0; a < 3; a++) {
      const int before = cell - (a == 0 ? 1 : a == 1 ? N : N * N);
      is_known &= at[a] > 0 && before >= 0;
    }
    for (int a = 0; a < 3 && is_known; a++) {
      const double low = opening(r, cell, a, 0), high = opening(r, cell, a, 1);
      swept += (low - high) * by[a];
      if (r->kind[cell] < FV_FOUND_PLANE)
        assert_true(fabs(low - r->gas[cell][0]) <= most && fabs(high - low) <= most);
    }
    const double gained = r->gas[cell][FV_GAS_END] - r->gas[cell][FV_GAS_BEGIN];
    if (is_known && !(fabs(gained - swept) <= most))
      fail_msg("cell %d %d %d of kind %d gains %g, its walls sweep %g", at[0], at[1], at[2],
               r->kind[cell], gained, swept);
  }
}

/* Volumes and moments of the grid's solid, or gas, at an end of the step. */
static void add_up(const result *r, int end, int is_gas, double sum[4])
{
  memset(sum, 0, 4 * sizeof *sum);
  for (int cell = 0; cell < CELLS; cell++) {
    const double *gas = r->gas[cell] + 4 * end;
    const double middle[] = { cell % N + 0.5, cell / N % N + 0.5, cell / N / N + 0.5 };
    const double volume = is_gas ? gas[0] : 1 - gas[0];
    sum[0] += volume;
    for (int a = 0; a < 3; a++)
      sum[1 + a] += volume * middle[a] + (is_gas ? gas[1 + a] : -gas[1 + a]);
  }
}

/* The volume that facets enclose, and the moments about the body's place. */
static void volume_of(const fv_facets *f, double to[4])
{
  memset(to, 0, 4 * sizeof *to);
  for (size_t i = 0; i < f->facet_count; i++) {
    const double *v[3];
    double six = 0;
    for (int k = 0; k < 3; k++) v[k] = f->corner[f->facet[i].corner[k]];
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      six += v[0][a] * (v[1][b] * v[2][c] - v[1][c] * v[2][b]);
    }
    to[0] += six / 6;
    for (int a = 0; a < 3; a++) to[1 + a] += six * (v[0][a] + v[1][a] + v[2][a]) / 24;
  }
}

/* A body within the grid: its volume and its middle are right at both ends. */
static void expect_whole(const result *r, const mover *m, double most)
{
  double right[4];
  volume_of(&m->facets, right);
  for (int e = 0; e < 2; e++) {
    double sum[4], turn[9];
    cut_turn(m, e, turn);
    add_up(r, e, 0, sum);
    TEST_CLOSE(sum[0], right[0], most);
    for (int a = 0; a < 3; a++) {
      double middle = m->at[a] + e * m->by[a];
      for (int b = 0; b < 3; b++) middle += turn[3 * b + a] * right[1 + b] / right[0];
      TEST_CLOSE(sum[1 + a] / sum[0], middle, most);
    }
  }
}

/* A processor's driver is spared: bits_are_the_hosts has its kernels. */
static void needs_f64(trm_device *device)
{
  test_is_spared(device);
  test_needs_f64(device);
}

/* ---- the cases ---------------------------------------------------------------------------- */

static void spheres_that_move(trm_device *device)
{
  static const double places[][3] = { { 15.3, 16.1, 14.7 }, { 16, 16, 16 }, { 15.5, 16, 15.5 },
                                      { 16 + 1e-13, 16 - 1e-10, 15.999 } };
  static const double ways[][3] = { { 0.3, -0.2, 0.13 }, { 0.5, 0, 0 }, { 0, 0, 0 },
                                    { -0.1, 0.1, 0.1 } };
  mover m = make_mover("sphere 0 0 0 8.3", 0, 0, 0);
  needs_f64(device);
  for (int i = 0; i < 4; i++) {
    memcpy(m.at, places[i], sizeof m.at);
    memcpy(m.by, ways[i], sizeof m.by);
    cut_step(device, &m, 1, &found);
    test_remark("listed %d, gas %d, solid %d, one plane %d, convex %d, tree %d", found.listed,
                found.count[0], found.count[1], found.count[2], found.count[3], found.count[5]);
    expect_whole(&found, &m, 2e-14);
    expect_swept(&found, m.by, 2e-14);
    assert_int_equal(found.count[FV_FOUND_TREE] + found.count[FV_FOUND_HOLLOW], 0);
    assert_true(found.count[FV_FOUND_PLANE] > 20 && found.count[FV_FOUND_CONVEX] > 500);
  }
  fv_free_facets(&m.facets);
}

/* On the grid's planes, and by little beside them: these are put on it. Moving along and across. */
static void boxes_on_planes_of_the_grid(trm_device *device)
{
  static const double offs[] = { 0, 1e-16, 3e-15, 1e-13, -1e-12, 1e-11, -1e-9, 2e-9, 0.25 };
  static const double ways[][3] = { { 0, 0, 0 }, { 0.25, 0, 0 }, { 0.25, -0.5, 0 },
                                    { 0, 1e-14, 0.5 } };
  mover m = make_mover("box -5 5 -4 4 -3.5 3.5", 0, 0, 0);
  needs_f64(device);
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 4; k++) {
      const double most = 2e-14 + (offs[i] < 1e-7 ? fabs(offs[i]) : 0);
      m.at[0] = m.at[1] = 16 + offs[i];
      m.at[2] = 15.5 - offs[i];
      memcpy(m.by, ways[k], sizeof m.by);
      cut_step(device, &m, 1, &found);
      expect_whole(&found, &m, most);
      expect_swept(&found, m.by, most);
      assert_int_equal(found.count[FV_FOUND_TREE] + found.count[FV_FOUND_HOLLOW], 0);
    }
  fv_free_facets(&m.facets);
}

static void boxes_that_turn(trm_device *device)
{
  mover m = make_mover("box -5 5 -4 4 -3.5 3.5", 16.2, 15.7, 16.1);
  needs_f64(device);
  for (int i = 0; i < 3; i++) {
    m.angle[0] = 0.4 * i;
    m.angle[1] = m.angle[0] + 0.05;
    cut_move(&m, 0.1, -0.2, 0.3);
    cut_step(device, &m, 1, &found);
    expect_whole(&found, &m, 2e-14);
    assert_int_equal(found.count[FV_FOUND_TREE] + found.count[FV_FOUND_HOLLOW], 0);
  }
  fv_free_facets(&m.facets);
}

/* Whole cells keep the gas of a tube's ends: the grid is open there. */
static void expect_prism(const result *r, const mover *m, double most)
{
  double right[4], sum[4];
  volume_of(&m->facets, right);
  for (int e = 0; e < 2; e++) {
    add_up(r, e, 0, sum);
    TEST_CLOSE(sum[0], right[0] / (cut_ends[1] - cut_ends[0]) * N, most);
  }
}

/* An edge of two facets lies in a plane of the grid or on one of its lines, or a rounding beside. A
 * cell that it touches has both facets, or none. */
static void edges_on_planes_of_the_grid(trm_device *device)
{
  mover m = cut_body("cylinder 0 0 5", 9, 0, 0, 16);
  needs_f64(device);
  assert_int_equal(m.facets.plane_count, 8 + 2);
  for (int i = 0; i < 40; i++) {
    m.at[0] = 21 - m.facets.corner[0][0] + 1e-16 * (i % 7 - 3) + 1e-12 * (i % 5 - 2);
    m.at[1] = i < 10 ? 16.1 + 0.013 * i : 16 + 2e-16 * (i % 11 - 5) + 1e-12 * (i % 3);
    cut_move(&m, 0, i < 10 ? 0.01 * i : 0, 0.1);
    cut_step(device, &m, 1, &found);
    expect_prism(&found, &m, 2e-14);
    expect_swept(&found, m.by, 2e-14);
  }
  fv_free_facets(&m.facets);
}

static void gas_in_a_tube(trm_device *device)
{
  mover m = make_mover("tube 0 0 9.7", 16.3, 15.6, 15);
  double sum[4];
  needs_f64(device);
  cut_move(&m, 0.3, 0.1, 0.2);
  cut_step(device, &m, 1, &found);
  for (int e = 0; e < 2; e++) {
    add_up(&found, e, 1, sum);
    TEST_CLOSE(sum[0], PI * 9.7 * 9.7 * N, 2e-14);
    for (int a = 0; a < 2; a++) TEST_CLOSE(sum[1 + a] / sum[0], m.at[a] + e * m.by[a], 2e-14);
    TEST_CLOSE(sum[3] / sum[0], 0.5 * N, 2e-14);
  }
  expect_swept(&found, m.by, 2e-14);
  assert_int_equal(found.count[FV_FOUND_TREE] + found.count[FV_FOUND_CONVEX], 0);
  assert_true(found.count[FV_FOUND_HOLLOW] > 100);
  fv_free_facets(&m.facets);
}

/* Thin at the tail, concave below: few cells have planes of both senses. */
static void profiles(trm_device *device)
{
  mover m = make_mover("naca 6409 0 0 20 5", 5.7, 16.4, 0);
  needs_f64(device);
  cut_move(&m, 0.2, 0.3, 0);
  cut_step(device, &m, 1, &found);
  expect_swept(&found, m.by, 2e-14);
  test_remark("one plane %d, convex %d, hollow %d, tree %d", found.count[2], found.count[3],
              found.count[4], found.count[5]);
  assert_true(found.count[FV_FOUND_HOLLOW] > N && found.count[FV_FOUND_TREE] <= 6 * N);
  fv_free_facets(&m.facets);
  m = make_mover("naca 0012 0 0 20 5", 5.7, 16.4, 0);
  cut_move(&m, 0.2, 0.3, 0);
  cut_step(device, &m, 1, &found);
  expect_prism(&found, &m, 2e-14);
  assert_int_equal(found.count[FV_FOUND_TREE], 0);
  fv_free_facets(&m.facets);
}

/* ---- several boxes ------------------------------------------------------------------------ */

/* An L of two boxes along the axes, as one surface. */
static mover make_ell(double x, double y, double z)
{
  static const double outline[6][2] = { { 0, 0 }, { 9, 0 },  { 9, 4 },
                                        { 4, 4 }, { 4, 11 }, { 0, 11 } };
  static const int cap[4][3] = { { 0, 1, 2 }, { 0, 2, 3 }, { 0, 3, 4 }, { 0, 4, 5 } };
  static double triangle[20][9];
  trm_stl stl = { .count = 20, .corners = *triangle, .high = { 9, 11, 6 } };
  mover m = { .at = { x, y, z } };
  int count = 0;
  for (int i = 0; i < 6; i++)
    for (int half = 0; half < 2; half++, count++)
      for (int k = 0; k < 3; k++) {
        const int is_next = half ? k == 1 : k > 0, is_high = half ? k > 0 : k == 2;
        memcpy(triangle[count] + 3 * k, outline[(i + is_next) % 6], 2 * sizeof(double));
        triangle[count][3 * k + 2] = is_high ? 6 : 0;
      }
  for (int i = 0; i < 8; i++, count++)
    for (int k = 0; k < 3; k++) {
      memcpy(triangle[count] + 3 * k, outline[cap[i / 2][i % 2 ? k : 2 - k]], 2 * sizeof(double));
      triangle[count][3 * k + 2] = i % 2 ? 6 : 0;
    }
  TEST_OK(trm_stl_check_closed(&stl, "the L"));
  TEST_OK(fv_facets_of_surface(&stl, 1, 0, "the L", &m.facets));
  return m;
}

/* Lines along x through cells pass through edges of facets, but for roundings. */
static void lines_through_edges_pass_them_once(trm_device *device)
{
  mover m = cut_body("sphere 0 0 0 5", 0.3, 16.4, 0, 0);
  needs_f64(device);
  for (size_t i = 0; i < m.facets.facet_count; i += 3) {
    const int32_t *corner = m.facets.facet[i].corner;
    const double part = 0.1 + 0.8 * (double)(i % 7) / 7;
    for (int a = 1; a < 3; a++) {
      const double low = m.facets.corner[corner[0]][a], high = m.facets.corner[corner[1]][a];
      m.at[a] = 15.5 - (low + part * (high - low));
    }
    cut_step(device, &m, 1, &found);
    expect_whole(&found, &m, 2e-14);
    expect_swept(&found, m.by, 2e-14);
  }
  fv_free_facets(&m.facets);
}

/* More planes than a tree has room for: the step is refused. The other cells are as they were. */
static void cells_of_many_planes_are_refused(trm_device *device)
{
  mover m = cut_body("sphere 0 0 0 4", 5e-4, 15.3, 16.1, 14.7);
  cut_run run;
  needs_f64(device);
  run = cut_open(device, 0);
  TEST_FAILS(cut_try(&run, &m, 1), TRM_ERROR_INPUT, "use finer cells, or bodies of fewer facets");
  cut_read(&run, &found);
  cut_close(&run);
  assert_true(found.count[FV_FOUND_TREE] > 100 && found.count[FV_FOUND_SOLID] > 100);
  for (int cell = 0; cell < CELLS; cell++) {
    const double x = cell % N + 0.5 - 15.3, y = cell / N % N + 0.5 - 16.1, z = cell / N / N - 14.2;
    const double far = sqrt(x * x + y * y + z * z) - 4;
    const int whole = far > 0 ? FV_FOUND_GAS : FV_FOUND_SOLID;
    assert_true(found.kind[cell] == whole || fabs(far) < 0.9);
    assert_true(found.gas[cell][0] >= -1e-15 && found.gas[cell][0] <= 1 + 1e-15);
  }
  fv_free_facets(&m.facets);
}

static double overlap(double low, double high, double from, double to)
{
  return fmax(0, fmin(high, to) - fmax(low, from));
}

/* The solid of an L at a place in a cell. */
static double ell_in(const double at[3], const int cell[3])
{
  double long_one = 1, other = 1;
  static const double boxes[2][3][2] = { { { 0, 9 }, { 0, 4 }, { 0, 6 } },
                                         { { 0, 4 }, { 4, 11 }, { 0, 6 } } };
  for (int a = 0; a < 3; a++) {
    long_one *= overlap(at[a] + boxes[0][a][0], at[a] + boxes[0][a][1], cell[a], cell[a] + 1);
    other *= overlap(at[a] + boxes[1][a][0], at[a] + boxes[1][a][1], cell[a], cell[a] + 1);
  }
  return long_one + other;
}

static void an_ell_is_concave_at_one_edge(trm_device *device)
{
  static const double places[][3] = { { 8.3, 9.6, 10.2 }, { 8, 9, 10 }, { 8.3, 9, 10.5 } };
  static const double way[] = { 0.25, -0.125, 0.0625 };
  needs_f64(device);
  for (int i = 0; i < 3; i++) {
    mover m = make_ell(places[i][0], places[i][1], places[i][2]);
    memcpy(m.by, way, sizeof m.by);
    cut_step(device, &m, 1, &found);
    expect_swept(&found, m.by, 2e-14);
    for (int cell = 0; cell < CELLS; cell++) {
      const int at[] = { cell % N, cell / N % N, cell / N / N };
      for (int e = 0; e < 2 && found.kind[cell] != FV_FOUND_TREE; e++) {
        double place[3];
        for (int a = 0; a < 3; a++) place[a] = m.at[a] + e * m.by[a];
        assert_true(fabs(1 - found.gas[cell][4 * e] - ell_in(place, at)) <= 1e-14);
      }
    }
    assert_true(found.count[FV_FOUND_HOLLOW] >= 4);
    assert_in_range(found.count[FV_FOUND_TREE], 2, 16); /* at the ends of that edge alone */
    fv_free_facets(&m.facets);
  }
}

/* Boxes that overlap, one of which moves into the other: cells of both are for the tree, cells in
 * one of them are solid. */
static void cells_of_two_bodies(trm_device *device)
{
  mover both[BODIES] = { make_mover("box -5 5 -4 4 -3.5 3.5", 12.3, 16.2, 16.4),
                         make_mover("box -5 5 -3 3 -3 3", 20.1, 16.2, 16.4) };
  needs_f64(device);
  cut_move(&both[1], -0.25, 0, 0);
  cut_step(device, both, 2, &found);
  assert_true(found.count[FV_FOUND_TREE] >= 6 * 6 - 4 * 4);
  for (int cell = 0; cell < CELLS; cell++) {
    const double x = cell % N + 0.5, y = cell / N % N + 0.5, z = cell / N / N + 0.5;
    const int in_one = fabs(x - 12.3) < 4.4 && fabs(y - 16.2) < 3.4 && fabs(z - 16.4) < 2.9;
    const int in_other = fabs(x - 20.0) < 4.2 && fabs(y - 16.2) < 2.4 && fabs(z - 16.4) < 2.4;
    if (in_one || in_other) assert_int_equal(found.kind[cell], FV_FOUND_SOLID);
    if (found.kind[cell] == FV_FOUND_TREE) assert_true(fabs(x - 17.0) <= 2.5);
  }
  for (int b = 0; b < BODIES; b++) fv_free_facets(&both[b].facets);
}

/* A body that is known to be convex, or hollow, has the cells that it has if each is asked. */
static void cells_of_convex_bodies_are_as_asked(trm_device *device)
{
  static const char *const bodies[] = { "sphere 0 0 0 8.3", "tube 0 0 9.7", "box -5 5 -4 4 -3 3" };
  static result asked;
  needs_f64(device);
  for (int i = 0; i < 3; i++) {
    mover m = make_mover(bodies[i], 15.3, 16.1, 14.7);
    assert_int_equal(m.bulge, i == 1 ? -1 : 1);
    cut_move(&m, 0.3, -0.2, 0.13);
    cut_step(device, &m, 1, &found);
    m.bulge = 0;
    cut_step(device, &m, 1, &asked);
    assert_memory_equal(found.kind, asked.kind, sizeof found.kind);
    TEST_SAME_BITS(*found.gas, *asked.gas, CELLS * FV_GAS_REALS, TRM_TYPE_F64);
    fv_free_facets(&m.facets);
  }
}

/* Every backend has the host's bits. */
/* A sphere and a plate that parts cells, apart. */
static void bits_are_the_hosts(trm_device *device)
{
  static result other;
  mover m[] = { make_mover("sphere 0 0 0 5.3", 9.3, 16.1, 14.7),
                make_mover("box -4.2 4.2 -4.1 4.1 -0.15 0.15", 22.31, 15.72, 16.13) };
  trm_device *host = NULL;
  int parted = 0;
  test_needs_f64(device);
  if (trm_device_describe(device)->is_host) setenv("TRIREME_ISA", "reverse", 1);
  for (int i = 0; i < 2; i++) cut_move(&m[i], 0.3, -0.2, 0.13);
  m[1].angle[0] = 0.7;
  m[1].angle[1] = 0.73;
  if (!trm_device_describe(device)->is_host || test_has_isa("reverse"))
    cut_step(device, m, 2, &other);
  unsetenv("TRIREME_ISA");
  host = test_open("openmp", NULL);
  cut_step(host, m, 2, &found);
  trm_device_close(&host);
  for (int i = 0; i < 2; i++) fv_free_facets(&m[i].facets);
  for (int i = 0; i < CELLS; i++) parted += found.parts[i] > 1;
  assert_true(parted > 20);
  if (trm_device_describe(device)->is_host && !test_has_isa("reverse"))
    TEST_SKIP("this build has no reverse instances (configure --with-isa=native,reverse)");
  assert_memory_equal(found.kind, other.kind, sizeof found.kind);
  TEST_SAME_BITS(*found.gas, *other.gas, CELLS * FV_GAS_REALS, TRM_TYPE_F64);
  assert_memory_equal(found.parts, other.parts, sizeof found.parts);
  const size_t volumes = (size_t)found.volumes;
  assert_memory_equal(found.body, other.body, volumes * sizeof *found.body);
  TEST_SAME_BITS(*found.wall, *other.wall, volumes * FV_WALL_REALS, TRM_TYPE_F64);
  TEST_SAME_BITS(*found.hood, *other.hood, volumes * FV_HOOD_REALS, TRM_TYPE_F64);
  for (size_t v = 0; v < volumes; v++)
    assert_memory_equal(found.near[v], other.near[v],
                        (size_t)(1 + found.near[v][0]) * sizeof **found.near);
  TEST_SAME_BITS(*found.volume, *other.volume, volumes * FV_VOLUME_REALS, TRM_TYPE_F64);
  assert_int_equal(found.faces, other.faces);
  assert_memory_equal(found.join, other.join, (size_t)found.faces * sizeof *found.join);
  TEST_SAME_BITS(*found.opening, *other.opening, (size_t)found.faces * FV_OPENING_REALS,
                 TRM_TYPE_F64);
  for (int f = 0; f < found.faces; f++)
    for (int i = 0; i < FV_SHARE_REALS; i++) /* that of a volume */
      assert_true(found.join[f][i] < 0 || found.share[f][i] == other.share[f][i]);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(spheres_that_move),
    TEST_DEVICE(boxes_on_planes_of_the_grid),
    TEST_DEVICE(boxes_that_turn),
    TEST_DEVICE(edges_on_planes_of_the_grid),
    TEST_DEVICE(gas_in_a_tube),
    TEST_DEVICE(profiles),
    TEST_DEVICE(lines_through_edges_pass_them_once),
    TEST_DEVICE(cells_of_many_planes_are_refused),
    TEST_DEVICE(an_ell_is_concave_at_one_edge),
    TEST_DEVICE(cells_of_two_bodies),
    TEST_DEVICE(cells_of_convex_bodies_are_as_asked),
    TEST_DEVICE(bits_are_the_hosts),
  };
  return TEST_RUN(argc, argv, cases);
}
