/* cut_facets.c - the facets of every body (bodies/facets.h): volumes, distances from the wall,
 * closed surfaces, planes by number, bins. Then surfaces with faults. */
#include "tests/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/compressible/bodies/facets.h"
#include "solvers/compressible/solver/fv.h"

static const double PI = 3.14159265358979323846;

/* A body of the key bodies.shapes, alone. */
static void read_body(const char *text, int dimensions, fv_bodies *bodies)
{
  trm_config *config = NULL;
  TEST_OK(trm_config_create(&trm_solver_compressible.options,
                            &trm_solver_compressible.option_count, 1, &config));
  TEST_OK(trm_config_set(config, "bodies.shapes", text, "the test"));
  TEST_OK(fv_read_bodies(bodies, config, dimensions, 1.4));
  trm_config_destroy(&config);
}

/* ---- what holds of any facets ------------------------------------------------------------- */

typedef struct edge { int32_t from, to; int sense; } edge;

static int compare_edges(const void *a, const void *b)
{
  const edge *const x = a, *const y = b;
  return x->from != y->from ? (x->from < y->from ? -1 : 1)
                            : x->to != y->to ? (x->to < y->to ? -1 : 1) : 0;
}

/* Each edge has as many facets in either sense; at most `most` in one. */
static void expect_closed(const fv_facets *f, int most)
{
  const size_t count = 3 * f->facet_count;
  edge *edges = calloc(count, sizeof *edges);
  assert_non_null(edges);
  for (size_t i = 0; i < count; i++) {
    const int32_t a = f->facet[i / 3].corner[i % 3], b = f->facet[i / 3].corner[(i + 1) % 3];
    assert_true(a != b && a >= 0 && (size_t)a < f->corner_count);
    edges[i] = (edge){ a < b ? a : b, a < b ? b : a, a < b ? 1 : -1 };
  }
  qsort(edges, count, sizeof *edges, compare_edges);
  for (size_t i = 0, next; i < count; i = next) {
    int senses[2] = { 0, 0 };
    for (next = i; next < count && compare_edges(&edges[i], &edges[next]) == 0; next++)
      senses[edges[next].sense > 0]++;
    assert_int_equal(senses[0], senses[1]);
    assert_in_range(senses[0], 1, most);
  }
  free(edges);
}

/* Normals have length 1 and the facets' sense; corners lie in the planes, to rounding. */
static void expect_planes(const fv_facets *f, double most)
{
  for (size_t i = 0; i < f->facet_count; i++) {
    const double *n = f->plane[f->facet[i].plane], *v[3];
    double facing = 0;
    assert_in_range(f->facet[i].plane, 0, f->plane_count - 1);
    TEST_CLOSE(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-15);
    for (int k = 0; k < 3; k++) {
      v[k] = f->corner[f->facet[i].corner[k]];
      assert_true(fabs(n[0] * v[k][0] + n[1] * v[k][1] + n[2] * v[k][2] - n[3]) <= most);
    }
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      facing += n[a] * ((v[1][b] - v[0][b]) * (v[2][c] - v[0][c]) -
                        (v[1][c] - v[0][c]) * (v[2][b] - v[0][b]));
    }
    assert_true(facing > 0);
  }
}

static uint64_t state;

static double draw(double low, double high)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(state >> 11) * 0x1p-53;
}

static int bin_along(const fv_facets *f, int a, double at)
{
  const double bin = floor((at - f->low[a]) * f->per);
  return bin < 0 ? 0 : bin < f->bins[a] ? (int)bin : f->bins[a] - 1;
}

static int meets(const fv_facets *f, size_t facet, const double low[3], const double high[3])
{
  const int32_t *corner = f->facet[facet].corner;
  for (int a = 0; a < 3; a++) {
    const double x = f->corner[corner[0]][a], y = f->corner[corner[1]][a];
    const double z = f->corner[corner[2]][a];
    if (fmax(x, fmax(y, z)) < low[a] || fmin(x, fmin(y, z)) > high[a]) return 0;
  }
  return 1;
}

/* Marks the facets in the bins of a box; returns how many entries there are. */
static int mark_bins(const fv_facets *f, const double low[3], const double high[3], char *found)
{
  int from[3], to[3], entries = 0;
  memset(found, 0, f->facet_count);
  for (int a = 0; a < 3; a++) {
    from[a] = bin_along(f, a, low[a]);
    to[a] = bin_along(f, a, high[a]);
  }
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++)
      for (int x = from[0]; x <= to[0]; x++) {
        const int bin = (z * f->bins[1] + y) * f->bins[0] + x;
        for (int32_t i = f->first[bin]; i < f->first[bin + 1]; i++, entries++) {
          assert_true(i == f->first[bin] || f->list[i] > f->list[i - 1]);
          found[f->list[i]] = 1;
        }
      }
  return entries;
}

/* Every facet that meets a box of the size of a cell is in one of the box's bins. */
static void expect_bins(const fv_facets *f, double cell)
{
  char *found = malloc(f->facet_count);
  assert_non_null(found);
  state = 7;
  for (int i = 0; i < 200; i++) {
    double low[3], high[3];
    const double *about = f->corner[(size_t)draw(0, (double)f->corner_count)];
    for (int a = 0; a < 3; a++) {
      low[a] = about[a] - cell * draw(0, 1);
      high[a] = low[a] + cell * draw(0, 1);
    }
    mark_bins(f, low, high, found);
    for (size_t k = 0; k < f->facet_count; k++) assert_true(found[k] || !meets(f, k, low, high));
  }
  free(found);
}

/* ---- formulas ------------------------------------------------------------------------------- */

enum { ENDLESS = -1 };
static const double ends[] = { -3, 5 };

/* Twice the area of a profile's outline. */
static double outline_area(const fv_body *body)
{
  double sum = 0;
  for (int i = 0, j = body->corners - 1; i < body->corners; j = i++)
    sum += (body->outline[j][0] - body->at[0]) * (body->outline[i][1] - body->at[1]) -
           (body->outline[i][0] - body->at[0]) * (body->outline[j][1] - body->at[1]);
  return 0.5 * sum;
}

static double volume_of(const fv_body *body)
{
  const double r = body->size[0], length = ends[1] - ends[0];
  switch (body->shape) {
  case FV_SPHERE: return 4 * PI / 3 * r * r * r;
  case FV_CYLINDER: return PI * r * r * length;
  case FV_TUBE: return -PI * r * r * length;
  case FV_PROFILE: return outline_area(body) * length;
  default: return 4 * r * body->size[1] * (body->size[2] > 0 ? 2 * body->size[2] : length);
  }
}

/* How far facets are from the body's wall at most: at corners, and anywhere on them. The ends along
 * z are no wall. */
static double largest_distance(const fv_facets *f, const fv_body *body)
{
  double most = 0;
  state = 11;
  for (size_t i = 0; i < f->facet_count; i++) {
    if (body->shape != FV_SPHERE && fabs(f->plane[f->facet[i].plane][2]) > 0.5) continue;
    for (int k = 0; k < 24; k++) {
      double at[3] = { 0 }, part[3] = { draw(0, 1), draw(0, 1), draw(0, 1) };
      for (int c = 0; c < 3; c++) part[c] = k < 3 ? k == c : k == 3 ? 1 : part[c];
      for (int a = 0; a < 3; a++) {
        for (int c = 0; c < 3; c++) at[a] += part[c] * f->corner[f->facet[i].corner[c]][a];
        at[a] = body->at[a] + at[a] / (part[0] + part[1] + part[2]);
      }
      most = fmax(most, fabs(fv_body_distance(body, at, NULL)));
    }
  }
  return most;
}

/* planes: how many the body has; ENDLESS: two triangles of each side, and two ends. */
static void expect_shape(const char *text, int dimensions, double sag, int planes)
{
  fv_bodies bodies;
  fv_facets f;
  read_body(text, dimensions, &bodies);
  const fv_body *body = &bodies.body[0];
  TEST_OK(fv_facets_of_shape(body, sag, ends, &f));
  const double far = largest_distance(&f, body);
  test_remark("%s, sag %g: %zu facets, %.3g from the wall, volume %.2g off", text, sag,
              f.facet_count, far, fv_facets_volume(&f) / volume_of(body) - 1);
  TEST_CLOSE(fv_facets_volume(&f), volume_of(body), 2e-14);
  assert_true(far <= sag * (1 + 1e-9));
  if (body->size[0] > 1 && body->shape <= FV_TUBE) assert_true(far > 0.3 * sag); /* few enough */
  assert_int_equal(f.plane_count, planes == ENDLESS ? f.corner_count / 2 + 2
                                                    : planes ? (size_t)planes : f.facet_count);
  expect_closed(&f, 1);
  expect_planes(&f, 1e-13);
  expect_bins(&f, 1);
  fv_free_facets(&f);
  fv_free_bodies(&bodies);
}

static void shapes_become_facets_of_their_volume(void)
{
  static const double sags[] = { 0.1, 0.02, 0.005 };
  for (size_t k = 0; k < sizeof sags / sizeof *sags; k++) {
    expect_shape("sphere 0.3 -0.2 1.1 5", 3, sags[k], 0);
    expect_shape("cylinder 0.3 -0.2 5", 3, sags[k], ENDLESS);
    expect_shape("cylinder 0.3 -0.2 25", 2, sags[k], ENDLESS);
    expect_shape("tube 0.3 -0.2 5", 3, sags[k], ENDLESS);
    expect_shape("naca 0012 3 4 20 0", 3, sags[k], ENDLESS);
    expect_shape("naca 6409 3 4 20 12", 2, sags[k], ENDLESS);
  }
  expect_shape("sphere 0 0 0 1e-3", 3, 0.02, 0);
  expect_shape("sphere 0 0 0 20", 3, 0.02, 0);
  expect_shape("cylinder 0 0 1e-3", 2, 0.02, ENDLESS);
  expect_shape("box 0 1.5 -2 2 0.25 0.5", 3, 0.02, 6);
  expect_shape("box 0 1.5 -2 2", 2, 0.02, 6);
}

/* Corners inside of all planes, or outside of all. */
static void expect_bulge(const char *text, int bulge)
{
  fv_bodies bodies;
  fv_facets f;
  read_body(text, 3, &bodies);
  TEST_OK(fv_facets_of_shape(&bodies.body[0], 0.02, ends, &f));
  assert_int_equal(fv_facets_bulge(&f, 1e-14), bulge);
  if (bulge != 0) { /* a dent, and a corner that is beyond by less than the slack */
    for (int a = 0; a < 3; a++) f.corner[0][a] *= 1 - 1e-15 * bulge;
    assert_int_equal(fv_facets_bulge(&f, 1e-13), bulge);
    f.plane[1][3] -= 1e-6 * bulge;
    assert_int_equal(fv_facets_bulge(&f, 1e-13), 0);
  }
  fv_free_facets(&f);
  fv_free_bodies(&bodies);
}

static void convex_bodies_and_hollow_ones_are_told(void)
{
  expect_bulge("sphere 0.3 -0.2 1.1 5", 1);
  expect_bulge("box -1 3 2 5 4 7", 1);
  expect_bulge("cylinder 0.3 -0.2 5", 1);
  expect_bulge("naca 0012 3 4 20 5", 1);
  expect_bulge("naca 6409 3 4 20 5", 0);
}

/* ---- images --------------------------------------------------------------------------------- */

static int compare_places(const void *a, const void *b)
{
  const double *const x = a, *const y = b;
  for (int i = 0; i < 3; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

/* The corners of all images of a body about its place are its own, to the last bit. */
static void expect_images(const char *text, int dimensions, int axes)
{
  static const int order[6][3] = { { 0, 1, 2 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 },
                                   { 2, 1, 0 } };
  static const double about[] = { -2, 2 };
  fv_bodies bodies;
  fv_facets f;
  read_body(text, dimensions, &bodies);
  TEST_OK(fv_facets_of_shape(&bodies.body[0], 0.02, about, &f));
  const size_t bytes = f.corner_count * sizeof *f.corner;
  double (*own)[3] = malloc(bytes), (*image)[3] = malloc(bytes);
  assert_non_null(own);
  assert_non_null(image);
  for (size_t i = 0; i < 3 * f.corner_count; i++) own[i / 3][i % 3] = f.corner[i / 3][i % 3] + 0.0;
  qsort(own, f.corner_count, sizeof *own, compare_places);
  for (int k = 0; k < 8 * (axes == 3 ? 6 : axes); k++) {
    for (size_t i = 0; i < 3 * f.corner_count; i++) {
      const size_t a = i % 3;
      image[i / 3][a] = (k >> a & 1 ? -1 : 1) * f.corner[i / 3][order[k / 8][a]] + 0.0;
    }
    qsort(image, f.corner_count, sizeof *image, compare_places);
    assert_memory_equal(own, image, bytes);
  }
  free(own);
  free(image);
  fv_free_facets(&f);
  fv_free_bodies(&bodies);
}

static void images_of_a_body_have_its_corners(void)
{
  expect_images("sphere 0.1 0.2 0.3 4.7", 3, 3);
  expect_images("cylinder 0.1 0.2 4.7", 3, 2);
  expect_images("tube 0.1 0.2 12.3", 2, 2);
  expect_images("box -1 3 2 5 4 7", 3, 1);
}

/* ---- surfaces ------------------------------------------------------------------------------- */

enum { MOST = 4000 };
typedef struct made { double triangle[MOST][9]; size_t count; } made;

static void add(made *m, const double a[3], const double b[3], const double c[3])
{
  assert_true(m->count < MOST);
  memcpy(m->triangle[m->count], a, 3 * sizeof *a);
  memcpy(m->triangle[m->count] + 3, b, 3 * sizeof *a);
  memcpy(m->triangle[m->count++] + 6, c, 3 * sizeof *a);
}

/* A box, each of its faces cut into n x n squares. */
static void add_box(made *m, const double low[3], const double size[3], int n)
{
  for (int face = 0; face < 6; face++)
    for (int i = 0; i < n * n; i++) {
      double v[4][3];
      for (int k = 0; k < 4; k++) {
        const int a = face / 2, b = (a + 1) % 3, c = (a + 2) % 3;
        v[k][a] = low[a] + size[a] * (face % 2);
        v[k][b] = low[b] + size[b] * (i % n + (k == 1 || k == 2)) / n;
        v[k][c] = low[c] + size[c] * (i / n + (k >= 2)) / n;
      }
      add(m, v[0], v[face % 2 ? 1 : 2], v[face % 2 ? 2 : 1]);
      add(m, v[0], v[face % 2 ? 2 : 3], v[face % 2 ? 3 : 2]);
    }
}

static const char *write_stl(const made *m, const char *digits)
{
  static char path[4200];
  snprintf(path, sizeof path, "%s/facets.stl", test_folder());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "solid made\n");
  for (size_t i = 0; i < m->count; i++) {
    fprintf(file, "facet normal 0 0 0\nouter loop\n");
    for (int k = 0; k < 9; k++) {
      fprintf(file, k % 3 ? " " : "vertex ");
      fprintf(file, *digits == '9' ? "%.9g" : "%.17g", m->triangle[i][k]);
      if (k % 3 == 2) fprintf(file, "\n");
    }
    fprintf(file, "endloop\nendfacet\n");
  }
  fprintf(file, "endsolid made\n");
  assert_int_equal(fclose(file), 0);
  return path;
}

/* As bodies.c reads a surface, up to the narrow triangles, which facets keep. */
static trm_status read_surface(const made *m, double scale, int is_hollow, fv_facets *f)
{
  trm_stl stl;
  const char *path = write_stl(m, "17");
  *f = (fv_facets){ 0 };
  TEST_OK(trm_stl_read(path, &stl));
  trm_status status = trm_stl_check_closed(&stl, path);
  if (status == TRM_OK) status = trm_stl_check_crossing(&stl, path);
  if (status == TRM_OK) status = fv_facets_of_surface(&stl, scale, is_hollow, path, f);
  trm_stl_free(&stl);
  return status;
}

static const double low[] = { 1.1, -2.7, 0.3 }, size[] = { 2.3, 1.7, 0.9 };

static void coplanar_triangles_share_a_plane(void)
{
  static made m;
  fv_facets f;
  for (int n = 1; n <= 16; n *= 4)
    for (int is_hollow = 0; is_hollow < 2; is_hollow++) {
      m.count = 0;
      add_box(&m, low, size, n);
      TEST_OK(read_surface(&m, 3, is_hollow, &f));
      assert_int_equal(f.facet_count, 12 * n * n);
      assert_int_equal(f.corner_count, 6 * n * n + 2);
      assert_int_equal(f.plane_count, 6);
      TEST_CLOSE(fv_facets_volume(&f), (is_hollow ? -27 : 27) * size[0] * size[1] * size[2], 2e-6);
      expect_closed(&f, 1);
      expect_planes(&f, 1e-14);
      expect_bins(&f, 0.7);
      fv_free_facets(&f);
    }
}

/* Sides that the program that made them bent by its rounding, and more. */
static void noise_of_corners_bends_no_side(void)
{
  static const double noises[] = { 1e-15, 1e-13, 1e-11, 1e-9, 5e-8 };
  static made m;
  fv_facets f;
  for (size_t k = 0; k < sizeof noises / sizeof *noises; k++) {
    const double corner[] = { 1, -2, 0.5 }, sides[] = { 2, 1, 0.5 };
    m.count = 0;
    add_box(&m, corner, sides, 8);
    for (size_t i = 0; i < 9 * m.count; i++) { /* the same of a place in all of its triangles */
      double *at = &m.triangle[i / 9][i % 9];
      *at += noises[k] * sin(1e5 * *at + (double)(i % 3));
    }
    TEST_OK(read_surface(&m, 1, 0, &f));
    assert_int_equal(f.plane_count, 6);
    expect_closed(&f, 1);
    fv_free_facets(&f);
  }
}

/* Triangles that differ in one lattice unit of one corner are in two planes. */
static void planes_that_differ_have_two_numbers(void)
{
  static made m;
  fv_facets f;
  const double corner[] = { 0, 0, 0 }, sides[] = { 1, 1, 1 };
  m.count = 0;
  add_box(&m, corner, sides, 1);
  for (size_t i = 0; i < 3 * m.count; i++)
    if (m.triangle[i / 3][i % 3 * 3] == 1 && m.triangle[i / 3][i % 3 * 3 + 1] == 1 &&
        m.triangle[i / 3][i % 3 * 3 + 2] == 1) m.triangle[i / 3][i % 3 * 3 + 2] -= 0x1p-22;
  TEST_OK(read_surface(&m, 1, 0, &f));
  assert_in_range(f.plane_count, 7, 8);
  expect_closed(&f, 1);
  expect_planes(&f, 1e-15);
  fv_free_facets(&f);
}

/* Facets of a body of its own, written as a file of 9 digits. */
static void a_file_of_a_sphere_is_a_sphere(void)
{
  static made m;
  fv_bodies bodies;
  fv_facets f, again;
  trm_stl stl;
  read_body("sphere 0 0 0 5", 3, &bodies);
  TEST_OK(fv_facets_of_shape(&bodies.body[0], 0.02, ends, &f));
  m.count = 0;
  for (size_t i = 0; i < f.facet_count; i++)
    add(&m, f.corner[f.facet[i].corner[0]], f.corner[f.facet[i].corner[1]],
        f.corner[f.facet[i].corner[2]]);
  const char *path = write_stl(&m, "9");
  TEST_OK(trm_stl_read(path, &stl));
  TEST_OK(fv_facets_of_surface(&stl, 2, 0, path, &again));
  assert_int_equal(again.facet_count, f.facet_count);
  assert_int_equal(again.corner_count, f.corner_count);
  TEST_CLOSE(fv_facets_volume(&again), 8 * 4 * PI / 3 * 125, 1e-6);
  expect_closed(&again, 1);
  expect_planes(&again, 1e-14);
  for (size_t i = 0; i < f.corner_count * 3; i++) { /* corners come in another order */
    const double steps = again.corner[i / 3][i % 3] * 0x1p18;
    assert_true(steps == rint(steps));
  }
  trm_stl_free(&stl);
  fv_free_facets(&f);
  fv_free_facets(&again);
  fv_free_bodies(&bodies);
}

/* ---- faults --------------------------------------------------------------------------------- */

static void open_and_crossing_surfaces_are_refused(void)
{
  static made m;
  fv_facets f;
  m.count = 0;
  add_box(&m, low, size, 4);
  m.count--;
  TEST_FAILS(read_surface(&m, 1, 0, &f), TRM_ERROR_INPUT, "is open");
  m.count++;
  for (size_t i = 0; i < m.count; i++)
    for (int a = 0; a < 3; a++) {
      const double other = m.triangle[i][3 + a];
      m.triangle[i][3 + a] = m.triangle[i][6 + a];
      m.triangle[i][6 + a] = other;
    }
  TEST_FAILS(read_surface(&m, 1, 0, &f), TRM_ERROR_INPUT, "inside out");
  m.count = 0;
  add_box(&m, low, size, 2);
  const double beside[] = { low[0] + 0.9, low[1] + 0.5, low[2] + 0.3 };
  add_box(&m, beside, size, 2);
  TEST_FAILS(read_surface(&m, 1, 0, &f), TRM_ERROR_INPUT, NULL);
  fv_free_facets(&f);
}

/* A box, whose first triangle has one more corner on its first edge. Its neighbour there has the
 * corner by a triangle without area or width. by: how far off the edge; part: where along it. */
static void put_needle(made *m, double by, double part)
{
  const double corner[] = { 0, 0, 0 }, sides[] = { 1, 1, 1 };
  double *v = m->triangle[0], middle[3], a[3], b[3], c[3];
  m->count = 0;
  add_box(m, corner, sides, 1);
  memcpy(a, v, sizeof a);
  memcpy(b, v + 3, sizeof b);
  memcpy(c, v + 6, sizeof c);
  for (int k = 0; k < 3; k++) middle[k] = a[k] + part * (b[k] - a[k]) + by * (c[k] - a[k]);
  memcpy(v + 3, middle, sizeof middle);
  add(m, middle, b, c);
  add(m, a, b, middle);
}

static void needles_are_joined_with_their_neighbours(void)
{
  static const double offs[] = { 0, 1e-12, 1e-9, 1e-7 };
  static const double parts[] = { 0.5, 1e-6, 1 - 1e-6, 1e-9, 0.3 };
  static made m;
  fv_facets f;
  for (size_t i = 0; i < sizeof offs / sizeof *offs; i++)
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
      put_needle(&m, offs[i], parts[k]);
      TEST_OK(read_surface(&m, 1, 0, &f));
      TEST_CLOSE(fv_facets_volume(&f), 1, 1e-15);
      assert_int_equal(f.plane_count, 6);
      assert_int_equal(f.facet_count, parts[k] < 1e-8 ? 12 : 14);
      expect_closed(&f, 1);
      expect_planes(&f, 1e-15);
      fv_free_facets(&f);
    }
}

/* Wider than the lattice's step: facets as any others. */
static void narrow_triangles_stay(void)
{
  static made m;
  fv_facets f;
  put_needle(&m, 1e-6, 0.3);
  TEST_OK(read_surface(&m, 1, 0, &f));
  assert_int_equal(f.facet_count, 14);
  assert_int_equal(f.plane_count, 6);
  TEST_CLOSE(fv_facets_volume(&f), 1, 1e-15);
  expect_closed(&f, 1);
  expect_planes(&f, 1e-15);
  fv_free_facets(&f);
}

/* Corners in one line: each triangle without area lies beside others, to which it is joined. */
static void a_row_of_needles_is_joined(void)
{
  static made m;
  fv_facets f;
  for (int count = 2; count < 30; count += 3) {
    put_needle(&m, 0, 0.5);
    double a[3], b[3], c[3], at[3], before[3];
    m.count -= 2; /* the first triangle anew: a fan over many corners of one edge */
    memcpy(a, m.triangle[0], sizeof a);
    memcpy(c, m.triangle[0] + 6, sizeof c);
    memcpy(b, m.triangle[m.count] + 3, sizeof b);
    memcpy(before, a, sizeof before);
    for (int i = 1; i <= count; i++) {
      for (int k = 0; k < 3; k++) at[k] = a[k] + (b[k] - a[k]) * i / count;
      if (i == 1) memcpy(m.triangle[0] + 3, at, sizeof at);
      else add(&m, before, at, c);
      if (i > 1) add(&m, a, at, before);
      memcpy(before, at, sizeof before);
    }
    TEST_OK(read_surface(&m, 1, 0, &f));
    TEST_CLOSE(fv_facets_volume(&f), 1, 1e-6);
    assert_int_equal(f.facet_count, 12 + 2 * (count - 1));
    expect_closed(&f, 1);
    fv_free_facets(&f);
  }
}

/* Two boxes with an edge in common, and one triangle without area that lies about: joined with a
 * neighbour it would open the surface. */
static void edges_of_four_facets_are_allowed(void)
{
  static made m;
  fv_facets f;
  const double corner[] = { 0, 0, 0 }, other[] = { 1, 1, 0 }, sides[] = { 1, 1, 1 };
  m.count = 0;
  add_box(&m, corner, sides, 1);
  add_box(&m, other, sides, 1);
  const double line[3][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0.4, 0, 0 } };
  add(&m, line[0], line[1], line[2]);
  TEST_OK(read_surface(&m, 1, 0, &f));
  TEST_CLOSE(fv_facets_volume(&f), 2, 1e-15);
  assert_int_equal(f.facet_count, 24);
  assert_int_equal(f.plane_count, 10); /* both ends along z in one */
  expect_planes(&f, 1e-15);
  expect_closed(&f, 2);
  fv_free_facets(&f);
}

/* Smaller than the lattice as a whole: corners fall together. */
static void details_below_the_lattice_vanish(void)
{
  static made m;
  fv_facets f;
  const double corner[] = { 0, 0, 0 }, sides[] = { 1, 1, 1 };
  const double far[] = { 2, 0.5, 0.5 }, tiny[] = { 1e-8, 1e-8, 1e-8 };
  m.count = 0;
  add_box(&m, corner, sides, 2);
  add_box(&m, far, tiny, 1);
  TEST_OK(read_surface(&m, 1, 0, &f));
  TEST_CLOSE(fv_facets_volume(&f), 1, 1e-15);
  assert_int_equal(f.facet_count, 48);
  expect_closed(&f, 1);
  fv_free_facets(&f);
}

/* A box of 4 x 2 x 1 in a grid of 10 x 20 x 30: which images come into the grid, by hand. */
static void images_beyond_periodic_sides(void)
{
  static const struct { double at[2][3]; int is_turned, count; int32_t image[4][3]; } asked[] = {
    { { { 5, 10, 15 }, { 5, 10, 15 } }, 0, 1, { { 0, 0, 0 } } },
    { { { 1, 10, 15 }, { 1, 10, 15 } }, 0, 2, { { 0, 0, 0 }, { 1, 0, 0 } } },
    { { { 1.2, 10, 15 }, { 1.2, 10, 15 } }, 1, 1, { { 0, 0, 0 } } }, /* its side of 1 is along x */
    { { { 5, 1.5, 15 }, { 5, 1.5, 15 } }, 1, 2, { { 0, 0, 0 }, { 0, 1, 0 } } },
    { { { 7.4, 10, 15 }, { 8.1, 10, 15 } }, 0, 2, { { -1, 0, 0 }, { 0, 0, 0 } } },
    { { { 9, 0.5, 15 }, { 9, 0.5, 15 } }, 0, 4,
      { { -1, 0, 0 }, { 0, 0, 0 }, { -1, 1, 0 }, { 0, 1, 0 } } },
    { { { 5, 10, 0.1 }, { 5, 10, 29.9 } }, 0, 1, { { 0, 0, 0 } } } }; /* z is not periodic */
  static const double sides[] = { 10, 20, 0 };
  int32_t found[FV_IMAGES][3];
  fv_bodies bodies;
  fv_facets f;
  read_body("box -2 2 -1 1 -0.5 0.5", 3, &bodies);
  TEST_OK(fv_facets_of_shape(&bodies.body[0], 1, ends, &f));
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
    fv_facets_place place[2] = { 0 };
    for (int e = 0; e < 2; e++) {
      memcpy(place[e].at, asked[i].at[e], sizeof place[e].at);
      for (int a = 0; a < 3; a++) place[e].turn[3 * a + (a + asked[i].is_turned) % 3] = 1;
    }
    assert_int_equal(fv_facets_images(&f, place, sides, 0.5, found), asked[i].count);
    assert_memory_equal(found, asked[i].image, (size_t)asked[i].count * sizeof *found);
  }
  const fv_facets_place near = { { 7.4, 10, 15 }, { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
  const fv_facets_place both[] = { near, near };
  assert_int_equal(fv_facets_images(&f, both, sides, 0.5, found), 1);
  assert_int_equal(fv_facets_images(&f, both, sides, 0.7, found), 2);
  fv_free_facets(&f);
  fv_free_bodies(&bodies);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(shapes_become_facets_of_their_volume),
    TEST_HOST(convex_bodies_and_hollow_ones_are_told),
    TEST_HOST(images_of_a_body_have_its_corners),
    TEST_HOST(coplanar_triangles_share_a_plane),
    TEST_HOST(noise_of_corners_bends_no_side),
    TEST_HOST(planes_that_differ_have_two_numbers),
    TEST_HOST(a_file_of_a_sphere_is_a_sphere),
    TEST_HOST(open_and_crossing_surfaces_are_refused),
    TEST_HOST(needles_are_joined_with_their_neighbours),
    TEST_HOST(narrow_triangles_stay),
    TEST_HOST(a_row_of_needles_is_joined),
    TEST_HOST(edges_of_four_facets_are_allowed),
    TEST_HOST(details_below_the_lattice_vanish),
    TEST_HOST(images_beyond_periodic_sides),
  };
  return TEST_RUN(argc, argv, cases);
}
