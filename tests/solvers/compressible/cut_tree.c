/* cut_tree.c - cells of mixed shape and cells of several bodies (fv_volumes_tree.h). Their gas is
 * compared with inclusion and exclusion of tetrahedra in long double (cut_pieces.h). For each
 * control volume the walls of all bodies and the face parts close, and they sweep V1 - V0. */
#include "tests/solvers/compressible/cut_pieces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static result found;

/* A processor's driver is spared: bits_are_the_hosts has its kernels. */
static void needs_f64(trm_device *device)
{
  test_is_spared(device);
  test_needs_f64(device);
}

/* ---- surfaces ------------------------------------------------------------------------------- */

enum { TRIANGLES = 2000 };
typedef struct surface { double triangle[TRIANGLES][9]; int count; } surface;

static void add_triangle(surface *s, const double *a, const double *b, const double *c)
{
  assert_true(s->count < TRIANGLES);
  memcpy(s->triangle[s->count], a, 3 * sizeof *a);
  memcpy(s->triangle[s->count] + 3, b, 3 * sizeof *b);
  memcpy(s->triangle[s->count++] + 6, c, 3 * sizeof *c);
}

static mover of_surface(surface *s, double x, double y, double z)
{
  trm_stl stl = { .count = (size_t)s->count, .corners = *s->triangle };
  mover m = { .at = { x, y, z } };
  for (int a = 0; a < 3; a++) {
    stl.low[a] = stl.high[a] = s->triangle[0][a];
    for (int i = 0; i < 3 * s->count; i++) {
      stl.low[a] = fmin(stl.low[a], s->triangle[i / 3][i % 3 * 3 + a]);
      stl.high[a] = fmax(stl.high[a], s->triangle[i / 3][i % 3 * 3 + a]);
    }
  }
  TEST_OK(trm_stl_check_closed(&stl, "the test"));
  TEST_OK(fv_facets_of_surface(&stl, 1, 0, "the test", &m.facets));
  return m;
}

/* A prism of an outline that its first corner sees all of. */
static mover prism(const double (*outline)[2], int count, double height, double x, double y,
                   double z)
{
  static surface s;
  double at[2][16][3];
  s.count = 0;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) {
      memcpy(at[k][i], outline[i], sizeof *outline);
      at[k][i][2] = k * height;
    }
  for (int i = 0; i < count; i++) {
    const int j = (i + 1) % count;
    add_triangle(&s, at[0][i], at[0][j], at[1][j]);
    add_triangle(&s, at[0][i], at[1][j], at[1][i]);
    if (i == 0 || j == 0) continue;
    add_triangle(&s, at[0][0], at[0][j], at[0][i]);
    add_triangle(&s, at[1][0], at[1][i], at[1][j]);
  }
  return of_surface(&s, x, y, z);
}

/* An octahedron, its triangles parted in four several times. Corners lie as far out as a wave of
 * their direction says, so the surface has peaks, hollows and saddles. */
static void part(surface *s, const double *a, const double *b, const double *c, int times,
                 double size, double wave)
{
  const double *const from[] = { a, b, c };
  double middle[3][3], at[3][3];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) middle[k][i] = 0.5 * (from[k][i] + from[(k + 1) % 3][i]);
  if (times > 0) {
    part(s, a, middle[0], middle[2], times - 1, size, wave);
    part(s, middle[0], b, middle[1], times - 1, size, wave);
    part(s, middle[2], middle[1], c, times - 1, size, wave);
    part(s, middle[0], middle[1], middle[2], times - 1, size, wave);
    return;
  }
  for (int k = 0; k < 3; k++) {
    const double *v = from[k], far = sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
    const double out = size * (1 + wave * sin(7 * v[0] / far + 2 * v[1] / far) *
                                       sin(6 * v[1] / far - 5 * v[2] / far)) / far;
    for (int i = 0; i < 3; i++) at[k][i] = out * v[i];
  }
  add_triangle(s, at[0], at[1], at[2]);
}

static mover star(double size, double wave, int times, double x, double y, double z)
{
  static surface s;
  s.count = 0;
  for (int k = 0; k < 8; k++) {
    double corner[3][3] = { { 0 } };
    for (int a = 0; a < 3; a++) corner[a][a] = k >> a & 1 ? -1 : 1;
    const int is_odd = (k ^ k >> 1 ^ k >> 2) & 1;
    part(&s, corner[0], corner[is_odd ? 2 : 1], corner[is_odd ? 1 : 2], times, size, wave);
  }
  return of_surface(&s, x, y, z);
}

static void free_all(mover *m, int count)
{
  for (int b = 0; b < count; b++) fv_free_facets(&m[b].facets);
}

/* ---- what must hold ------------------------------------------------------------------------- */

/* The gas of each `every`th tree's cell is right, at both ends and on its upper faces. */
static void expect_gas(const result *r, const mover *m, int count, const double from[][3],
                       int every)
{
  int turns = 0, asked = 0;
  double worst = 0;
  for (int b = 0; b < count; b++) turns |= m[b].angle[0] != m[b].angle[1];
  for (int cell = 0; cell < CELLS; cell++) {
    if (r->tree[cell] < 0 || asked++ % every) continue;
    for (int k = 0; k < 5; k++) {
      long double right[4];
      cut_gas_of(m, count, from, cell, k, turns, right);
      for (int i = 0; i < 4; i++) {
        const double off = (double)fabsl(r->gas[cell][4 * k + i] - right[i]);
        worst = fmax(worst, off);
        if (!(off <= 1e-13))
          fail_msg("cell %d %d %d, number %d of part %d: %.17g, not %.17Lg", cell % N,
                   cell / N % N, cell / N / N, i, k, r->gas[cell][4 * k + i], right[i]);
      }
    }
  }
  test_remark("%d of %d cells are trees, %d asked, the largest error is %.1e", r->trees,
              r->listed, (asked + every - 1) / every, worst);
}

static int above(int cell, int axis)
{
  return cell + (axis == 0 ? 1 : axis == 1 ? N : N * N);
}

static int is_of(const result *r, int volume, int cell)
{
  return volume < 0 ? -1 - volume == cell
                    : volume >= r->first[cell] && volume < r->first[cell] + r->parts[cell];
}

/* The walls of each control volume: of face parts, then of bodies. */
typedef struct sums { double faces[3], bodies[3], swept; int parts; } sums;

/* Face parts join volumes of the right cells, and add up to the cells' openings. */
static void add_faces(const result *r, sums *to)
{
  static double opening[CELLS][3];
  memset(opening, 0, sizeof opening);
  for (int f = 0; f < r->faces; f++) {
    const int low = r->join[f][FV_JOIN_LOW], high = r->join[f][FV_JOIN_HIGH];
    const int axis = r->join[f][FV_JOIN_AXIS], cell = r->face_cell[f];
    if (!is_of(r, low, cell) || !is_of(r, high, above(cell, axis)))
      fail_msg("face %d of cell %d %d %d joins volumes %d and %d, of other cells", axis, cell % N,
               cell / N % N, cell / N / N, low, high);
    opening[cell][axis] += r->opening[f][0];
    if (low >= 0) to[low].faces[axis] -= r->opening[f][0], to[low].parts++;
    if (high >= 0) to[high].faces[axis] += r->opening[f][0], to[high].parts++;
  }
  for (int i = 0; i < CELLS; i++)
    for (int a = 0; a < 3 && r->first[i] >= 0; a++)
      assert_true(fabs(opening[i][a] - r->gas[i][FV_GAS_FACES + 4 * a]) <= 2e-14);
}

/* V1 - V0 of each control volume is the sum over bodies of W.D. The walls of all bodies close with
 * the face parts. The gas of a cell's parts is the cell's; each of a tree has gas or a face part.
 * No body turns. Returns how many trees have several parts. */
static int expect_closed(const result *r, const mover *m, double most)
{
  static sums sum[VOLUMES];
  int parted = 0;
  memset(sum, 0, sizeof sum);
  add_faces(r, sum);
  for (int cell = 0; cell < CELLS; cell++) {
    double gas[FV_VOLUME_REALS] = { 0 };
    if (r->parts[cell] == 0 || r->body[r->first[cell]] == FV_OPEN_WALL) continue;
    const int body = r->body[r->first[cell]], several = body <= FV_SEVERAL_WALLS;
    parted += r->tree[cell] >= 0 && r->parts[cell] > 1;
    for (int w = 0; w < FV_TREE_WALLS && several; w++) {
      const int32_t *owner = r->owner[r->tree[cell]][w];
      const double *wall = r->tree_wall[r->tree[cell]][w];
      if (owner[FV_OWNER_VOLUME] < 0) continue;
      sums *own = &sum[owner[FV_OWNER_VOLUME]];
      for (int a = 0; a < 3; a++) {
        own->bodies[a] += wall[FV_WALL_VECTOR + a];
        own->swept += wall[FV_WALL_VECTOR + a] * m[owner[FV_OWNER_BODY]].by[a];
      }
      assert_true(is_of(r, owner[FV_OWNER_VOLUME], cell));
    }
    for (int v = r->first[cell]; v < r->first[cell] + r->parts[cell]; v++) {
      for (int a = 0; a < 3 && several; a++) /* the largest wall takes no more than rounding */
        assert_true(fabs(r->wall[v][FV_WALL_VECTOR + a]) <= most);
      for (int a = 0; a < 3 && !several; a++) {
        sum[v].bodies[a] = sum[v].faces[a];
        sum[v].swept += body < 0 ? 0 : sum[v].faces[a] * m[body].by[a];
        if (body < 0) assert_true(fabs(sum[v].faces[a]) <= most);
      }
      for (int a = 0; a < 3; a++)
        if (!(fabs(sum[v].faces[a] - sum[v].bodies[a]) <= most))
          fail_msg("cell %d %d %d: part %d is open by %g along axis %d", cell % N, cell / N % N,
                   cell / N / N, v - r->first[cell], sum[v].faces[a] - sum[v].bodies[a], a);
      const double gained = r->volume[v][FV_GAS_END] - r->volume[v][FV_GAS_BEGIN];
      const double both = r->volume[v][FV_GAS_BEGIN] + r->volume[v][FV_GAS_END];
      assert_true(r->tree[cell] < 0 || sum[v].parts > 0 || both > 0);
      if (!(fabs(gained - sum[v].swept) <= most))
        fail_msg("cell %d %d %d of kind %d: part %d of %d gains %g, its walls sweep %g", cell % N,
                 cell / N % N, cell / N / N, r->kind[cell], v - r->first[cell], r->parts[cell],
                 gained, sum[v].swept);
      for (int k = 0; k < FV_VOLUME_REALS; k++) gas[k] += r->volume[v][k];
    }
    for (int k = 0; k < FV_VOLUME_REALS; k++)
      assert_true(fabs(gas[k] - r->gas[cell][k]) <= most);
  }
  return parted;
}

/* ---- one body ------------------------------------------------------------------------------- */

static const double ell[6][2] = { { 0, 0 }, { 9, 0 }, { 9, 4 }, { 4, 4 }, { 4, 11 }, { 0, 11 } };
static const double in_ell[1][3] = { { 1.7, 1.3, 2.1 } };

static void an_ell_of_a_file(trm_device *device)
{
  static const double places[][3] = { { 8.3, 9.6, 10.2 }, { 8, 9, 10 }, { 8.3, 9, 10.5 } };
  needs_f64(device);
  for (int i = 0; i < 6; i++) {
    mover m = prism(ell, 6, 6, places[i % 3][0], places[i % 3][1], places[i % 3][2]);
    m.angle[0] = m.angle[1] = i < 3 ? 0 : 0.3 * (i - 2);
    cut_move(&m, 0.25, -0.125, 0.0625);
    cut_step(device, &m, 1, &found);
    assert_in_range(found.trees, 2, 60);
    expect_gas(&found, &m, 1, in_ell, 1);
    expect_closed(&found, &m, 2e-14);
    fv_free_facets(&m.facets);
  }
}

static const double middle[3][3] = { { 0 } };

static void a_star_with_saddles(trm_device *device)
{
  needs_f64(device);
  for (int i = 0; i < 3; i++) {
    mover m = star(6.1, 0.2 + 0.1 * i, 3, 16.21, 15.83, 16.07);
    m.angle[0] = m.angle[1] = 0.4 * i;
    cut_move(&m, 0.3, -0.2, 0.13);
    cut_step(device, &m, 1, &found);
    assert_true(found.trees > 200);
    expect_gas(&found, &m, 1, middle, 7);
    test_remark("%d trees have several parts", expect_closed(&found, &m, 2e-14));
    assert_in_range(found.nodes, 8 * found.trees, 18 * found.trees); /* by names of corners */
    fv_free_facets(&m.facets);
  }
}

/* Volumes and mean openings; what turns has no W.D. */
static void what_turns(trm_device *device)
{
  mover m = star(6.1, 0.3, 3, 16.21, 15.83, 16.07);
  mover both[] = { prism(ell, 6, 6, 8.3, 9.6, 10.2), cut_body("box -2 2 -2 2 -2 2", 0.02, 14.9,
                                                              16.1, 13.1) };
  static const double from[][3] = { { 1.7, 1.3, 2.1 }, { 0, 0, 0 } };
  needs_f64(device);
  m.angle[0] = 0.2;
  m.angle[1] = both[0].angle[1] = 0.24;
  cut_move(&m, 0.1, -0.2, 0.13);
  cut_step(device, &m, 1, &found);
  expect_gas(&found, &m, 1, middle, 11);
  cut_move(&both[1], -0.1, 0.1, 0.2);
  cut_step(device, both, 2, &found);
  assert_true(found.trees > 20);
  expect_gas(&found, both, 2, from, 1);
  fv_free_facets(&m.facets);
  free_all(both, 2);
}

/* A box with sides in planes of the grid, or a rounding beside, moves along these. Its walls have
 * their area, so no face that they cover is open, and each face part lies between volumes. */
static void walls_in_planes_of_the_grid(trm_device *device)
{
  static const double offs[] = { 0, 3.6e-15, -3.6e-15, 1e-14, -1e-13 };
  static const double halves[] = { 4, 4.1, 3.7, 3.3, 2.9, 4.3 };
  static sums sum[VOLUMES];
  needs_f64(device);
  for (int i = 0; i < 30; i++) {
    const double half = halves[i % 6], off = offs[i / 6];
    char text[80];
    double area[3] = { 0 };
    snprintf(text, sizeof text, "box -4.3 4.3 -%g %g -%g %g", half, half, half, half);
    mover m = cut_body(text, 0.02, 16.1, 20 - half + off, 12 + half - off);
    memset(sum, 0, sizeof sum);
    cut_move(&m, 0.25, 0, 0);
    cut_step(device, &m, 1, &found);
    add_faces(&found, sum);
    for (int v = 0; v < found.volumes; v++)
      for (int a = 0; a < 3 && found.body[v] != FV_OPEN_WALL; a++) area[a] += fabs(sum[v].faces[a]);
    for (int a = 0; a < 3; a++) TEST_CLOSE(area[a], 4 * half * (a == 0 ? 2 * half : 8.6), 1e-12);
    fv_free_facets(&m.facets);
  }
}

/* ---- several bodies ------------------------------------------------------------------------- */

/* Apart, close, touching, and in each other; straight and turned. */
static void boxes_that_approach(trm_device *device)
{
  static const double gaps[] = { 0.9, 0.4, 0.2, 0.05, 0, -0.3, 1e-9 };
  needs_f64(device);
  for (int i = 0; i < 14; i++) {
    mover m[] = { cut_body("box -5 5 -4 4 -3.5 3.5", 0.02, 11.3, 16.2, 16.4),
                  cut_body("box -3 3 -3 3 -3 3", 0.02, 19.3 + gaps[i % 7], 16.2, 16.4) };
    if (i >= 7) m[1].angle[0] = m[1].angle[1] = 0.3;
    cut_move(&m[0], 0.125, 0.03, -0.06);
    cut_move(&m[1], -0.2, 0.1, 0.07);
    cut_step(device, m, 2, &found);
    assert_true(found.trees > 20);
    expect_gas(&found, m, 2, middle, 3);
    expect_closed(&found, m, 2e-14);
    free_all(m, 2);
  }
}

static void a_box_beside_a_sphere(trm_device *device)
{
  needs_f64(device);
  for (int i = 0; i < 3; i++) {
    mover m[] = { cut_body("sphere 0 0 0 5.2", 0.02, 12.31, 16.22, 16.4),
                  cut_body("box -3 3 -3 3 -3 3", 0.02, 20.9 - 0.3 * i, 16.2, 16.4) };
    cut_move(&m[0], 0.1, 0.03, -0.06);
    cut_move(&m[1], -0.2, 0.1, 0.07);
    cut_step(device, m, 2, &found);
    assert_true(found.trees > 5);
    expect_gas(&found, m, 2, middle, 3);
    test_remark("%d trees have several parts", expect_closed(&found, m, 2e-14));
    free_all(m, 2);
  }
}

/* A star, an L and a sphere in each other. */
static void bodies_that_overlap(trm_device *device)
{
  static const double from[][3] = { { 0, 0, 0 }, { 1.7, 1.3, 2.1 } };
  needs_f64(device);
  for (int i = 0; i < 2; i++) {
    mover m[] = { i ? cut_body("sphere 0 0 0 5.2", 0.05, 12.31, 16.22, 16.4)
                    : star(5.1, 0.25, 2, 12.31, 16.22, 16.4),
                  prism(ell, 6, 6, 12.3, 11.6, 13.2) };
    m[1].angle[0] = m[1].angle[1] = 0.5;
    cut_move(&m[0], 0.1, 0.03, -0.06);
    cut_move(&m[1], -0.2, 0.1, 0.07);
    cut_step(device, m, 2, &found);
    assert_true(found.trees > 30);
    expect_gas(&found, m, 2, from, 3);
    test_remark("%d trees have several parts", expect_closed(&found, m, 2e-14));
    free_all(m, 2);
  }
}

/* Three plates within a layer of cells, with two gaps of different speeds: four volumes in a cell,
 * and their numbers by hand. */
static void gaps_between_three_plates(trm_device *device)
{
  static const double at[] = { 16.2, 16.4, 16.7 }, by[] = { 0.05, 0.02, -0.01 };
  mover m[3];
  int asked = 0;
  needs_f64(device);
  for (int b = 0; b < 3; b++) {
    m[b] = cut_body("box -5 5 -4 4 -0.0625 0.0625", 0.02, 16.3, 16.4, at[b]);
    cut_move(&m[b], 0.1 * b, 0.05 - 0.1 * b, by[b]);
  }
  cut_step(device, m, 3, &found);
  assert_true(expect_closed(&found, m, 2e-14) > 60);
  for (int y = 13; y < 20; y++)
    for (int x = 13; x < 20; x++, asked++) {
      const int cell = (16 * N + y) * N + x;
      assert_int_equal(found.parts[cell], 4);
      for (int k = 0; k < 4; k++) {
        const double low = k > 0 ? at[k - 1] + 0.0625 : 16, high = k < 3 ? at[k] - 0.0625 : 17;
        const double low_by = k > 0 ? by[k - 1] : 0, high_by = k < 3 ? by[k] : 0;
        int v = found.first[cell], matches = 0;
        for (; v < found.first[cell] + 4; v++) {
          const double *gas = found.volume[v];
          matches += fabs(gas[FV_GAS_BEGIN] - (high - low)) <= 4e-15 &&
                     fabs(gas[FV_GAS_END] - (high - low + high_by - low_by)) <= 4e-15 &&
                     fabs(gas[FV_GAS_BEGIN + 3] -
                          (high - low) * (0.5 * (high + low) - 16.5)) <= 4e-15;
        }
        assert_int_equal(matches, 1);
      }
    }
  assert_int_equal(asked, 49);
  int gaps = 0;
  for (int f = 0; f < found.faces; f++) { /* between such cells a gap joins with itself alone */
    const int cell = found.face_cell[f], axis = found.join[f][FV_JOIN_AXIS];
    if (cell / N / N != 16 || axis == 2 || found.parts[cell] != 4 ||
        found.parts[above(cell, axis)] != 4)
      continue;
    const double *low = found.volume[found.join[f][FV_JOIN_LOW]];
    const double *high = found.volume[found.join[f][FV_JOIN_HIGH]];
    const double mean = 0.5 * (low[FV_GAS_BEGIN] + low[FV_GAS_END]);
    const int is_inner = cell % N >= 13 && cell % N < 19 && cell / N % N >= 13 &&
                         cell / N % N < 19;
    if (!is_inner) continue;
    assert_true(fabs(low[FV_GAS_BEGIN] - high[FV_GAS_BEGIN]) <= 4e-15);
    assert_true(fabs(found.opening[f][0] - mean) <= 4e-15);
    gaps++;
  }
  assert_int_equal(gaps, 6 * 6 * 2 * 4);
  free_all(m, 3);
}

/* Two plates close together, oblique: each cell in between has the gap as a volume. */
static void a_thin_gap_between_plates(trm_device *device)
{
  static const double gaps[] = { 0.3, 0.02, 1e-6 };
  needs_f64(device);
  for (int i = 0; i < 3; i++) {
    mover m[2];
    for (int b = 0; b < 2; b++) {
      double turn[9];
      m[b] = cut_body("box -5 5 -4 4 -0.2 0.2", 0.02, 16.3, 16.4, 16.2);
      m[b].angle[0] = m[b].angle[1] = 0.6;
      cut_turn(&m[b], 0, turn);
      for (int a = 0; a < 3; a++) m[b].at[a] += b * (0.4 + gaps[i]) * turn[6 + a];
    }
    cut_move(&m[0], 0.1, 0.2, -0.03);
    cut_move(&m[1], 0.11, 0.25, 0.12);
    cut_step(device, m, 2, &found);
    expect_gas(&found, m, 2, middle, 5);
    const int parted = expect_closed(&found, m, 2e-14);
    test_remark("%d trees have several parts", parted);
    assert_true(parted > 50);
    free_all(m, 2);
  }
}

/* A shaft of gas between four boxes moves past a corner of cell 16 16 16. It is in the cell in
 * mid-step alone, and opens lower faces alone. Nevertheless it is a volume. */
static void gas_that_passes_a_corner(trm_device *device)
{
  mover m[] = { cut_body("box -2 2 -4.3 4.3 -4.3 4.3", 0.02, 14.1, 16, 16),
                cut_body("box -2 2 -4.3 4.3 -4.3 4.3", 0.02, 18.2, 16, 16),
                cut_body("box -4.3 4.3 -2 2 -4.3 4.3", 0.02, 16, 17.95, 16),
                cut_body("box -4.4 4.4 -4.4 4.4 -2 2", 0.02, 16, 16, 18.5) };
  const int cell = (16 * N + 16) * N + 16;
  int lower = 0;
  needs_f64(device);
  cut_move(&m[0], -0.3, 0, 0);
  cut_move(&m[1], -0.3, 0, 0);
  cut_move(&m[2], 0, 0.2, 0);
  cut_step(device, m, 4, &found);
  expect_closed(&found, m, 2e-14);
  assert_int_equal(found.parts[cell], 1);
  for (int k = 0; k < FV_GAS_REALS; k++) assert_true(found.gas[cell][k] == 0);
  for (int f = 0; f < found.faces; f++)
    lower += found.join[f][FV_JOIN_HIGH] == found.first[cell] && found.opening[f][0] > 1e-4;
  assert_int_equal(lower, 3);
  free_all(m, 4);
}

/* ---- steps, bits ---------------------------------------------------------------------------- */

static result last, alone;

static void gas_is_taken_over(trm_device *device)
{
  mover m[] = { star(5.1, 0.25, 2, 12.31, 16.22, 16.4),
                cut_body("box -3 3 -3 3 -3 3", 0.02, 19.9, 16.2, 16.4) };
  needs_f64(device);
  cut_run run = cut_open(device, 0);
  cut_make(&run, m, 2);
  cut_read(&run, &found);
  cut_move(&m[0], 0.1, 0.03, -0.06);
  cut_move(&m[1], -0.2, 0.1, 0.07);
  for (int step = 0; step < 4; step++) {
    last = found;
    for (int b = 0; b < 2 && step == 3; b++) cut_move(&m[b], 0, 0, 0);
    cut_make(&run, m, 2);
    cut_read(&run, &found);
    cut_step(device, m, 2, &alone);
    for (int i = 0; i < CELLS; i++) {
      for (int k = 0; k < 4; k++)
        assert_true(found.gas[i][FV_GAS_BEGIN + k] == last.gas[i][FV_GAS_END + k]);
      for (int k = 0; k < FV_GAS_REALS; k++)
        assert_true(fabs(found.gas[i][k] - alone.gas[i][k]) <= 4e-14);
      if (step == 3 && found.tree[i] >= 0)
        assert_memory_equal(found.gas[i], found.gas[i] + FV_GAS_END, 4 * sizeof(double));
    }
    for (int b = 0; b < 2; b++)
      for (int a = 0; a < 3; a++) m[b].at[a] += m[b].by[a];
  }
  cut_close(&run);
  free_all(m, 2);
}

/* Two plates close together: each volume of a tree takes over the gas of the same part, to the bit
 * where one part takes it all. Its own planes say as much, to rounding. */
static void volumes_are_taken_over(trm_device *device)
{
  mover m[2];
  int copied = 0, all = 0;
  needs_f64(device);
  for (int b = 0; b < 2; b++) {
    double turn[9];
    m[b] = cut_body("box -5 5 -4 4 -0.2 0.2", 0.02, 16.3, 16.4, 16.2);
    m[b].angle[0] = m[b].angle[1] = 0.6;
    cut_turn(&m[b], 0, turn);
    for (int a = 0; a < 3; a++) m[b].at[a] += b * 0.43 * turn[6 + a];
  }
  cut_move(&m[0], 0.1, 0.2, -0.03);
  cut_move(&m[1], 0.11, 0.15, 0.04);
  cut_run run = cut_open(device, 0);
  cut_make(&run, m, 2);
  cut_read(&run, &found);
  for (int step = 0; step < 3; step++) {
    last = found;
    for (int b = 0; b < 2; b++)
      for (int a = 0; a < 3; a++) m[b].at[a] += m[b].by[a];
    cut_make(&run, m, 2);
    cut_read(&run, &found);
    cut_step(device, m, 2, &alone);
    assert_int_equal(found.volumes, alone.volumes);
    for (int v = 0; v < found.volumes; v++) {
      const int cell = found.cell[v];
      int is_copy = 0;
      for (int k = 0; k < 4; k++)
        if (!(fabs(found.volume[v][k] - alone.volume[v][k]) <= 1e-13))
          fail_msg("cell %d %d %d, part %d of %d: number %d is %g at the begin, not %g", cell % N,
                   cell / N % N, cell / N / N, v - found.first[cell], found.parts[cell], k,
                   found.volume[v][k], alone.volume[v][k]);
      if (found.tree[cell] < 0 || last.tree[cell] < 0 || found.parts[cell] < 2) continue;
      for (int i = last.first[cell]; i < last.first[cell] + last.parts[cell]; i++)
        is_copy |= memcmp(found.volume[v], last.volume[i] + FV_GAS_END, 4 * sizeof(double)) == 0;
      copied += is_copy;
      all++;
    }
  }
  test_remark("%d of %d volumes of parted trees are those of the step before", copied, all);
  assert_true(copied > 300 && copied * 10 > all * 7);
  cut_close(&run);
  free_all(m, 2);
}

/* A step in a grid whose sides are all periodic. */
static void step_in_periodic_grid(trm_device *device, const mover *m, int count, result *r)
{
  cut_run run = cut_open(device, 1);
  cut_make(&run, m, count);
  cut_read(&run, r);
  cut_close(&run);
}

/* A star at a corner of a periodic grid has the cells, to the bit, that it has in the middle. */
static void images_beyond_periodic_sides(trm_device *device)
{
  static const double sides[] = { N, N, N };
  mover m = star(5.1, 0.25, 2, 0.3125, 31.15625, 16.21875), all[FV_IMAGES];
  fv_facets_place ends[2];
  int32_t image[FV_IMAGES][3];
  needs_f64(device);
  m.angle[0] = m.angle[1] = 0.3;
  cut_move(&m, 0.25, 0.5, -0.125);
  for (int e = 0; e < 2; e++) {
    for (int a = 0; a < 3; a++) ends[e].at[a] = m.at[a] + e * m.by[a];
    cut_turn(&m, e, ends[e].turn);
  }
  const int count = fv_facets_images(&m.facets, ends, sides, 1, image);
  assert_int_equal(count, 4);
  for (int i = 0; i < count; i++) {
    all[i] = m;
    for (int a = 0; a < 3; a++) all[i].at[a] += image[i][a] * sides[a];
  }
  step_in_periodic_grid(device, all, count, &found);
  m.at[0] += 16;
  m.at[1] -= 16;
  step_in_periodic_grid(device, &m, 1, &alone);
  assert_true(alone.trees > 200);
  assert_int_equal(found.trees, alone.trees);
  assert_int_equal(found.faces, alone.faces);
  for (int i = 0; i < CELLS; i++) {
    const int other = (i / N / N * N + (i / N + 16) % N) * N + (i + 16) % N;
    assert_int_equal(found.kind[i], alone.kind[other]);
    assert_int_equal(found.parts[i], alone.parts[other]);
    assert_memory_equal(found.gas[i], alone.gas[other], sizeof *found.gas);
    for (int k = 0; k < found.parts[i]; k++)
      assert_memory_equal(found.volume[found.first[i] + k], alone.volume[alone.first[other] + k],
                          sizeof *found.volume);
  }
  fv_free_facets(&m.facets);
}

/* ---- refusals ------------------------------------------------------------------------------- */

/* Small spheres of many facets within a cell, and four plates that part a layer into five. The
 * least of code and cell is told; among equal codes, the first cell of the leaves' order. */
static void cells_without_room_are_refused(trm_device *device)
{
  mover m[6];
  cut_run run;
  needs_f64(device);
  for (int b = 0; b < 4; b++)
    m[b] = cut_body("box -40 40 -40 40 -0.05 0.05", 0.02, 16.4, 16.5, 7.15 + 0.2 * b);
  m[4] = cut_body("sphere 0 0 0 0.3", 1e-3, 3.5, 20.5, 9.5);
  m[5] = cut_body("sphere 0 0 0 0.3", 1e-3, 20.5, 3.5, 9.5);
  run = cut_open(device, 0);
  TEST_FAILS(cut_try(&run, m, 4), TRM_ERROR_INPUT, "cell 0 0 7 of the finest level: its gas has");
  TEST_FAILS(cut_try(&run, m, 5), TRM_ERROR_INPUT, "cell 3 20 9 of the finest level: facets");
  TEST_FAILS(cut_try(&run, m, 6), TRM_ERROR_INPUT, "cell 20 3 9 of the finest level: facets");
  TEST_FAILS(cut_try(&run, m + 4, 2), TRM_ERROR_INPUT, "cell 20 3 9");
  cut_close(&run);
  free_all(m, 6);
}

/* A sphere and a box that are apart need no program of trees. Where they share cells, they do. */
static void trees_open_their_program(trm_device *device)
{
  mover m[] = { cut_body("sphere 0 0 0 4", 0.02, 8.3, 8.1, 8.2),
                cut_body("box -3 3 -3 3 -3 3", 0.02, 24.2, 24.4, 23.7) };
  cut_run run;
  needs_f64(device);
  run = cut_open(device, 0);
  for (int step = 0; step < 2; step++) {
    cut_make(&run, m, 2);
    assert_int_equal(run.lists.p.trees, 0);
    assert_null(run.lists.of_trees);
  }
  cut_restart(&run);
  free_all(m + 1, 1);
  m[1] = cut_body("box -3 3 -3 3 -3 3", 0.02, 14.8, 8.4, 8.7);
  cut_make(&run, m, 2);
  assert_true(run.lists.p.trees > 0);
  assert_non_null(run.lists.of_trees);
  cut_close(&run);
  free_all(m, 2);
}

/* Every backend has the host's bits. */
static void bits_are_the_hosts(trm_device *device)
{
  static result other;
  mover m[] = { star(5.1, 0.25, 2, 10.31, 16.22, 16.4),
                cut_body("box -0.2 0.2 -4 4 -3 3", 0.02, 17.1, 16.2, 16.4),
                cut_body("box -0.2 0.2 -4 4 -3 3", 0.02, 17.6, 16.2, 16.4) };
  trm_device *host = NULL;
  int parted = 0;
  test_needs_f64(device);
  if (trm_device_describe(device)->is_host) setenv("TRIREME_ISA", "reverse", 1);
  cut_move(&m[0], 0.1, 0.03, -0.06);
  cut_move(&m[2], -0.05, 0.1, 0.07);
  m[1].angle[1] = 0.02;
  if (!trm_device_describe(device)->is_host || test_has_isa("reverse"))
    cut_step(device, m, 3, &other);
  unsetenv("TRIREME_ISA");
  host = test_open("openmp", NULL);
  cut_step(host, m, 3, &found);
  trm_device_close(&host);
  free_all(m, 3);
  for (int i = 0; i < CELLS; i++) parted += found.tree[i] >= 0 && found.parts[i] > 1;
  assert_true(parted > 20);
  if (trm_device_describe(device)->is_host && !test_has_isa("reverse"))
    TEST_SKIP("this build has no reverse instances (configure --with-isa=native,reverse)");
  TEST_SAME_BITS(*found.gas, *other.gas, CELLS * FV_GAS_REALS, TRM_TYPE_F64);
  assert_memory_equal(found.parts, other.parts, sizeof found.parts);
  TEST_SAME_BITS(*found.volume, *other.volume, (size_t)found.volumes * FV_VOLUME_REALS,
                 TRM_TYPE_F64);
  assert_int_equal(found.faces, other.faces);
  assert_memory_equal(found.join, other.join, (size_t)found.faces * sizeof *found.join);
  TEST_SAME_BITS(*found.opening, *other.opening, (size_t)found.faces * FV_OPENING_REALS,
                 TRM_TYPE_F64);
  assert_int_equal(found.trees, other.trees);
  assert_memory_equal(found.owner, other.owner, (size_t)found.trees * sizeof *found.owner);
  for (int i = 0; i < found.trees; i++)
    for (int w = 0; w < FV_TREE_WALLS && found.owner[i][w][FV_OWNER_VOLUME] >= 0; w++)
      TEST_SAME_BITS(found.tree_wall[i][w], other.tree_wall[i][w], FV_WALL_REALS, TRM_TYPE_F64);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(an_ell_of_a_file),
    TEST_DEVICE(a_star_with_saddles),
    TEST_DEVICE(what_turns),
    TEST_DEVICE(walls_in_planes_of_the_grid),
    TEST_DEVICE(boxes_that_approach),
    TEST_DEVICE(a_box_beside_a_sphere),
    TEST_DEVICE(bodies_that_overlap),
    TEST_DEVICE(gaps_between_three_plates),
    TEST_DEVICE(a_thin_gap_between_plates),
    TEST_DEVICE(gas_that_passes_a_corner),
    TEST_DEVICE(gas_is_taken_over),
    TEST_DEVICE(volumes_are_taken_over),
    TEST_DEVICE(images_beyond_periodic_sides),
    TEST_DEVICE(cells_without_room_are_refused),
    TEST_DEVICE(trees_open_their_program),
    TEST_DEVICE(bits_are_the_hosts),
  };
  return TEST_RUN(argc, argv, cases);
}
