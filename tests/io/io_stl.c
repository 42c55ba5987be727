/* io_stl.c - surfaces of triangles: whether they cut themselves, in what time, and what a file that
 * is none is told. */
#include "tests/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/stl.h"

enum { MOST = 60, SOUPS = 400 };

static uint64_t drawn = 1;

static double draw(void)           /* 0 to 1 */
{
  drawn = drawn * 6364136223846793005u + 1442695040888963407u;
  return (double)(drawn >> 11) / 9007199254740992.0;
}

static void put_box(trm_stl *stl)
{
  for (int a = 0; a < 3; a++) {
    stl->low[a] = INFINITY;
    stl->high[a] = -INFINITY;
  }
  for (size_t i = 0; i < 9 * stl->count; i++) {
    stl->low[i % 3] = fmin(stl->low[i % 3], stl->corners[i]);
    stl->high[i % 3] = fmax(stl->high[i % 3], stl->corners[i]);
  }
}

/* ---- surfaces that cut themselves ---------------------------------------------------- */

/* Triangles of some size anywhere in a cube, on a lattice of some places in one of five. */
static void draw_soup(trm_stl *stl, int number)
{
  static const double sizes[] = { 0.02, 0.1, 0.3 };
  stl->count = 2 + (size_t)(draw() * (MOST - 2));
  for (size_t i = 0; i < stl->count; i++) {
    const double middle[] = { draw(), draw(), number % 7 ? draw() : 0.5 };
    for (int k = 0; k < 9; k++) {
      const double at = middle[k % 3] + sizes[number % 3] * (draw() - 0.5);
      stl->corners[9 * i + (size_t)k] = number % 5 ? at : floor(16 * at) / 16;
    }
  }
  put_box(stl);
}

/* Two triangles alone, in the box of all. */
static int do_two_cross(const trm_stl *all, size_t i, size_t j)
{
  double corners[18];
  uint8_t patch[2] = { 0 };
  trm_stl two = *all;
  memcpy(corners, all->corners + 9 * i, 9 * sizeof *corners);
  memcpy(corners + 9, all->corners + 9 * j, 9 * sizeof *corners);
  two.corners = corners;
  two.patch = patch;
  two.count = 2;
  return trm_stl_check_crossing(&two, "two") != TRM_OK;
}

static void two_triangles_that_cross_are_found_among_many(void)
{
  double corners[9 * MOST];
  int crossing = 0;
  for (int number = 0; number < SOUPS; number++) {
    trm_stl stl = { .corners = corners };
    int expected = 0;
    draw_soup(&stl, number);
    for (size_t i = 0; i < stl.count; i++)
      for (size_t j = i + 1; j < stl.count && !expected; j++) expected = do_two_cross(&stl, i, j);
    crossing += expected;
    if (!expected) TEST_OK(trm_stl_check_crossing(&stl, "soup"));
    else TEST_FAILS(trm_stl_check_crossing(&stl, "soup"), TRM_ERROR_INPUT, "soup crosses itself");
  }
  assert_true(crossing > SOUPS / 10 && crossing < SOUPS - SOUPS / 10);
}

/* A corner of a box, by its bits. */
static void corner_of(const double low[3], const double high[3], int which, double *at)
{
  for (int a = 0; a < 3; a++) at[a] = which >> a & 1 ? high[a] : low[a];
}

/* Adds a box's twelve triangles, with the other diagonals of its sides if `turns`. */
static void add_box(trm_stl *stl, const double low[3], const double high[3], int turns)
{
  for (int side = 0; side < 6; side++) {
    const int a = side / 2, b = 1 << (a + 1) % 3, c = 1 << (a + 2) % 3;
    const int base = side % 2 << a, last = base | b | c;
    const int round[4] = { base, side % 2 ? base | b : base | c, last,
                           side % 2 ? base | c : base | b };
    for (int half = 0; half < 2; half++) {
      double *v = stl->corners + 9 * stl->count++;
      corner_of(low, high, round[turns], v);
      corner_of(low, high, round[turns + 1 + half], v + 3);
      corner_of(low, high, round[(turns + 2 + half) & 3], v + 6);
    }
  }
  put_box(stl);
}

/* What is inside is not said where parts touch: their sides are one wall twice, however it is cut
 * into triangles. Edges and corners may touch. */
static void parts_that_share_a_part_of_a_side_are_refused(void)
{
  static const struct { double low[3], high[3]; int turns, is_wrong; } others[] = {
    { { 1, 0, 0 }, { 2, 1, 1 }, 0, 1 }, { { 1, 0, 0 }, { 2, 1, 1 }, 1, 1 },
    { { 1, 0.25, 0.25 }, { 2, 0.75, 0.75 }, 0, 1 }, { { 1, 0.5, 0.5 }, { 2, 2, 2 }, 1, 1 },
    { { 1, 1, 0 }, { 2, 2, 1 }, 0, 0 }, { { 1, 1, 1 }, { 2, 2, 2 }, 1, 0 },
    { { 1.01, 0, 0 }, { 2, 1, 1 }, 1, 0 } };
  static const double low[3] = { 0, 0, 0 }, high[3] = { 1, 1, 1 };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    double corners[2 * 12 * 9];
    trm_stl stl = { .corners = corners };
    add_box(&stl, low, high, 0);
    add_box(&stl, others[i].low, others[i].high, others[i].turns);
    TEST_OK(trm_stl_check_closed(&stl, "two boxes"));
    if (!others[i].is_wrong) TEST_OK(trm_stl_check_crossing(&stl, "two boxes"));
    else TEST_FAILS(trm_stl_check_crossing(&stl, "two boxes"), TRM_ERROR_INPUT, "crosses itself");
  }
}

static const char *write_text(const char *text)
{
  static char path[1024];
  snprintf(path, sizeof path, "%s/surface.stl", test_folder());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  return path;
}

/* ---- triangles of no width ----------------------------------------------------------- */

enum { RIM = 12 };

/* A turned prism over a square whose sides have corners between their ends; its ends are fans about
 * a corner of it, so that triangles along two sides have no area, but for rounding. */
static void write_fans(char *text, size_t room, int is_exact)
{
  const double cosine = is_exact ? 1 : cos(0.3), sine = is_exact ? 0 : sin(0.3);
  double at[2][RIM][3];
  size_t used = (size_t)snprintf(text, room, "solid fans\n");
  for (int i = 0; i < 2 * RIM; i++) {
    const int k = i % RIM, side = k / 3;
    const double along = k % 3 / 3.0, x = side == 0 ? along : side == 1 ? 1 : side == 2 ? 1 - along
                                                                                        : 0;
    const double y = side == 0 ? 0 : side == 1 ? along : side == 2 ? 1 : 1 - along, z = i / RIM;
    double *to = at[i / RIM][k];
    to[0] = (double)(float)(cosine * x - sine * (cosine * y - sine * z));
    to[1] = (double)(float)(sine * x + cosine * (cosine * y - sine * z));
    to[2] = (double)(float)(sine * y + cosine * z);
  }
  for (int i = 0; i < 4 * RIM - 4; i++) {
    const int k = i < 2 * RIM ? i / 2 : 1 + (i - 2 * RIM) / 2, next = (k + 1) % RIM, top = i % 2;
    const double *v[3] = { at[0][0], at[0][next], at[0][k] };
    if (i < 2 * RIM && top) v[0] = at[0][k], v[1] = at[1][next], v[2] = at[1][k];
    else if (i < 2 * RIM) v[0] = at[0][k], v[1] = at[0][next], v[2] = at[1][next];
    else if (top) v[0] = at[1][0], v[1] = at[1][k], v[2] = at[1][next];
    used += (size_t)snprintf(text + used, room - used, "facet\n");
    for (int c = 0; c < 3; c++)
      used += (size_t)snprintf(text + used, room - used, "vertex %.17g %.17g %.17g\n", v[c][0],
                               v[c][1], v[c][2]);
    used += (size_t)snprintf(text + used, room - used, "endfacet\n");
  }
}

static void a_triangle_without_area_opens_nothing(void)
{
  static const double low[3] = { 0, 0, 0 }, high[3] = { 1, 1, 1 };
  static const double line[9] = { 0, 0, 0, 0.5, 0, 0, 1, 0, 0 };
  double corners[13 * 9];
  trm_stl stl = { .corners = corners };
  add_box(&stl, low, high, 0);
  memcpy(corners + 12 * 9, line, sizeof line);
  stl.flat = 1;
  TEST_OK(trm_stl_check_closed(&stl, "a box"));
  stl.count--;
  memcpy(corners + 11 * 9, line, sizeof line);
  TEST_FAILS(trm_stl_check_closed(&stl, "a box"), TRM_ERROR_INPUT, "is open");
}

/* Distances from it are those from a box: what has no width does not change them. */
static void corners_in_one_line_are_no_harm(void)
{
  for (int is_exact = 0; is_exact < 2; is_exact++) {
    static char text[32768];
    trm_stl stl;
    trm_stl_tree *tree = NULL;
    write_fans(text, sizeof text, is_exact);
    TEST_OK(trm_stl_read(write_text(text), &stl));
    TEST_OK(trm_stl_choose(&stl, "fans", "it"));
    TEST_OK(trm_stl_check_closed(&stl, "it"));
    TEST_OK(trm_stl_check_crossing(&stl, "it"));
    TEST_OK(trm_stl_leave_narrow(&stl, "it"));
    assert_int_equal(stl.count + stl.flat, 4 * RIM - 4 - 8);
    TEST_OK(trm_stl_tree_create(&stl, &tree));
    const double cosine = is_exact ? 1 : cos(0.3), sine = is_exact ? 0 : sin(0.3);
    for (int n = 0; n < 2000; n++) {
      const double own[3] = { 2 * draw() - 0.5, 2 * draw() - 0.5, 2 * draw() - 0.5 };
      const double y = cosine * own[1] - sine * own[2];
      const double at[3] = { cosine * own[0] - sine * y, sine * own[0] + cosine * y,
                             sine * own[1] + cosine * own[2] };
      double square = 0, most = -INFINITY;
      for (int a = 0; a < 3; a++) {
        const double off = fmax(own[a] - 1, -own[a]);
        most = fmax(most, off);
        square += off > 0 ? off * off : 0;
      }
      const double expected = most > 0 ? sqrt(square) : most;
      assert_true(fabs(trm_stl_distance(tree, at, NULL) - expected) <= 1e-6);
    }
    trm_stl_tree_destroy(&tree);
    trm_stl_free(&stl);
  }
}

/* ---- in what time ---------------------------------------------------------------- */

static void on_sphere(int n, int i, int j, double at[3])
{
  const double pi = acos(-1.0), polar = pi * i / n, about = 2 * pi * (j % n) / n;
  const double part = i == 0 || i == n ? 0 : sin(polar);
  at[0] = part * cos(about);
  at[1] = part * sin(about);
  at[2] = i == 0 ? 1 : i == n ? -1 : cos(polar);
}

static void make_sphere(int n, trm_stl *stl)
{
  *stl = (trm_stl){ .corners = malloc((size_t)n * (size_t)n * 18 * sizeof(double)) };
  assert_non_null(stl->corners);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int half = i == n - 1; half < 2 - (i == 0); half++) {
        double *v = stl->corners + 9 * stl->count++;
        on_sphere(n, i, j, v);
        on_sphere(n, i + 1, j + half, v + 3);
        on_sphere(n, i + !half, j + 1, v + 6);
      }
  put_box(stl);
}

static double seconds_of(trm_status (*check)(const trm_stl *, const char *), const trm_stl *stl)
{
  const clock_t begun = clock();
  TEST_OK(check(stl, "sphere"));
  return (double)(clock() - begun) / CLOCKS_PER_SEC;
}

/* Looking for open edges sorts all edges once. A sweep along one axis took 48 times as long. */
static void crossings_are_looked_for_as_quickly_as_open_edges(void)
{
  trm_stl stl;
  double least = INFINITY;
  make_sphere(200, &stl);
  for (int i = 0; i < 3; i++) {
    const double closed = seconds_of(trm_stl_check_closed, &stl);
    least = fmin(least, seconds_of(trm_stl_check_crossing, &stl) / closed);
  }
  trm_stl_free(&stl);
  if (least > 20) fail_msg("%g times as long", least);
}

/* A turned cone, or two cones, of which all triangles have a corner in common; or a cylinder aslant
 * whose caps are fans about a corner of the rim. In single precision, as files are. */
static void make_fan(int n, int is_cylinder, trm_stl *stl)
{
  const double pi = acos(-1.0), c = cos(0.4), s = sin(0.4);
  *stl = (trm_stl){ .corners = malloc((size_t)n * 36 * sizeof(double)) };
  assert_non_null(stl->corners);
  for (int i = 0; i < n; i++) {
    const double part[2] = { 2 * pi * i / n, 2 * pi * ((i + 1) % n) / n };
    double at[6][3] = { { 0, 0, 1 }, { 0, 0, -1 } }; /* tips; rim; the other rim */
    for (int k = 0; k < 4; k++) {
      at[2 + k][0] = cos(part[k % 2]) + (k > 1 ? 3 : 0);
      at[2 + k][1] = sin(part[k % 2]);
      at[2 + k][2] = k > 1 ? 2 : 0;
    }
    if (is_cylinder) {
      memcpy(at[0], (const double[]){ 4, 0, 2 }, sizeof at[0]);
      memcpy(at[1], (const double[]){ 1, 0, 0 }, sizeof at[1]);
    }
    static const int cone[2][3] = { { 0, 2, 3 }, { 1, 3, 2 } };
    static const int cylinder[4][3] = { { 2, 3, 5 }, { 2, 5, 4 }, { 0, 4, 5 }, { 1, 3, 2 } };
    for (int t = 0; t < (!is_cylinder ? 2 : i == 0 || i == n - 1 ? 2 : 4); t++)
      for (int k = 0; k < 3; k++) {
        const double *v = at[is_cylinder ? cylinder[t][k] : cone[t][k]];
        double *to = stl->corners + 9 * stl->count + 3 * k;
        to[0] = (double)(float)(c * v[0] - s * v[2]);
        to[1] = (double)(float)v[1];
        to[2] = (double)(float)(s * v[0] + c * v[2]);
        if (k == 2) stl->count++;
      }
  }
  put_box(stl);
}

/* Each two triangles of a fan have boxes that meet: all pairs took 77 s for 8 000 triangles. */
static void fans_are_looked_at_in_no_more_time(void)
{
  for (int is_cylinder = 0; is_cylinder < 2; is_cylinder++) {
    trm_stl stl;
    make_fan(20000, is_cylinder, &stl);
    const double closed = seconds_of(trm_stl_check_closed, &stl);
    const double crossing = seconds_of(trm_stl_check_crossing, &stl);
    if (crossing > 60 * closed + 0.2) fail_msg("%g s after %g s", crossing, closed);
    /* a thin needle through the whole of it is found */
    double *v = stl.corners + 9 * (stl.count - 1);
    const double needle[9] = { -9, 0.101, 0.53, 9, 0.102, 0.57, 9, 0.103, 0.57 };
    memcpy(v, needle, sizeof needle);
    put_box(&stl);
    TEST_FAILS(trm_stl_check_crossing(&stl, "fan"), TRM_ERROR_INPUT, "fan crosses itself");
    trm_stl_free(&stl);
  }
}

/* ---- the tree about a surface ------------------------------------------------------ */

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* From a triangle's middle along its normal, which points outwards, and back. */
static void aim(const trm_stl *stl, size_t i, double sense, double from[3], double by[3])
{
  const double *v = stl->corners + 9 * i;
  double length = 0;
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    by[a] = sense * ((v[3 + b] - v[b]) * (v[6 + c] - v[c]) -
                     (v[3 + c] - v[c]) * (v[6 + b] - v[b]));
    length += by[a] * by[a];
  }
  for (int a = 0; a < 3; a++) {
    by[a] /= sqrt(length);
    from[a] = (v[a] + v[3 + a] + v[6 + a]) / 3 + 1e-9 * by[a];
  }
}

/* So long take: the tree; rays inwards from all triangles; distances of places nearby. */
typedef struct effort { double tree, rays, places; } effort;

static void add_effort(int n, int is_cylinder, effort *least)
{
  enum { PLACES = 4000 };
  trm_stl stl;
  trm_stl_tree *tree;
  double from[3], by[3];
  size_t met = 0;
  make_fan(n, is_cylinder, &stl);
  double begun = seconds();
  TEST_OK(trm_stl_tree_create(&stl, &tree));
  least->tree = fmin(least->tree, seconds() - begun);
  begun = seconds();
  for (size_t i = 0; i < stl.count; i++) {
    aim(&stl, i, -1, from, by);
    trm_stl_first(tree, from, by, INFINITY, &met);
  }
  least->rays = fmin(least->rays, seconds() - begun);
  begun = seconds();
  for (size_t i = 0; i < PLACES; i++) {
    aim(&stl, i * stl.count / PLACES, 1, from, by);
    for (int a = 0; a < 3; a++) from[a] += 0.02 * by[a];
    assert_true(trm_stl_distance(tree, from, NULL) > 0);
  }
  least->places = fmin(least->places, seconds() - begun);
  trm_stl_tree_destroy(&tree);
  trm_stl_free(&stl);
}

/* Twice as many triangles of a fan took four times as long, and each place twice. */
static void a_fan_of_twice_as_many_triangles_takes_about_twice_as_long(void)
{
  for (int is_cylinder = 0; is_cylinder < 2; is_cylinder++) {
    effort one = { INFINITY, INFINITY, INFINITY }, two = one;
    int is_quick = 0;
    for (int turn = 0; turn < 8 && !is_quick; turn++) {
      add_effort(2500, is_cylinder, &one);
      add_effort(5000, is_cylinder, &two);
      is_quick = turn > 0 && two.tree < 2.6 * one.tree && two.rays < 2.6 * one.rays &&
                 two.places < 1.5 * one.places;
    }
    if (!is_quick)
      fail_msg("tree %g after %g s, rays %g after %g s, places %g after %g s", two.tree, one.tree,
               two.rays, one.rays, two.places, one.places);
  }
}

/* Each ray is compared with all triangles. */
static void rays_meet_the_nearest_of_all_triangles(void)
{
  for (int kind = 0; kind < 3; kind++) {
    trm_stl stl;
    trm_stl_tree *tree;
    double from[3], by[3];
    if (kind == 2) make_sphere(16, &stl);
    else make_fan(200, kind, &stl);
    TEST_OK(trm_stl_tree_create(&stl, &tree));
    for (int i = 0; i < 600; i++) {
      double nearest = INFINITY;
      size_t met = stl.count;
      aim(&stl, (size_t)i % stl.count, i & 1 ? 1 : -1, from, by);
      for (int a = 0; a < 3; a++) by[a] += i < 300 ? 0 : draw() - 0.5;
      for (size_t k = 0; k < stl.count; k++) {
        const double at = trm_stl_meet(stl.corners + 9 * k, from, by);
        if (at > 0) nearest = fmin(nearest, at);
      }
      const double most = i % 3 ? INFINITY : 0.5;
      const double at = trm_stl_first(tree, from, by, most, &met);
      assert_true(at == (nearest < most ? nearest : INFINITY));
      if (at < INFINITY) assert_true(trm_stl_meet(stl.corners + 9 * met, from, by) == at);
      else assert_int_equal(met, stl.count);
    }
    trm_stl_tree_destroy(&tree);
    trm_stl_free(&stl);
  }
}

/* A ball in a hole in a ball. The hole's normals are turned to the ball in it, or are not, and then
 * point into the enclosed volume. The others never do. */
static void normals_are_told_from_what_they_point_to(void)
{
  for (int is_turned = 0; is_turned < 2; is_turned++) {
    static const double radius[3] = { 1, 0.7, 0.4 };
    trm_stl ball, stl = { .count = 0 };
    trm_stl_tree *tree;
    size_t numbers;
    make_sphere(12, &ball);
    stl.corners = malloc(27 * ball.count * sizeof *stl.corners);
    assert_non_null(stl.corners);
    for (int k = 0; k < 3; k++)
      for (size_t i = 0; i < ball.count; i++, stl.count++)
        for (size_t c = 0; c < 9; c++) {
          const size_t from = k == 1 && is_turned ? 3 * (2 - c / 3) + c % 3 : c;
          stl.corners[9 * stl.count + c] = radius[k] * ball.corners[9 * i + from];
        }
    put_box(&stl);
    TEST_OK(trm_stl_tree_create(&stl, &tree));
    trm_stl_tree_list(tree, NULL, &numbers);
    double *list = malloc(numbers * sizeof *list);
    assert_non_null(list);
    const size_t nodes = trm_stl_tree_list(tree, list, &numbers);
    for (size_t i = 0; i < stl.count; i++) {
      const double *facet = list + TRM_STL_NODE * nodes + TRM_STL_FACET * i;
      const double far = sqrt(facet[0] * facet[0] + facet[1] * facet[1] + facet[2] * facet[2]);
      assert_true(facet[13] == (fabs(far - 0.7) < 0.1 && !is_turned));
    }
    free(list);
    trm_stl_tree_destroy(&tree);
    trm_stl_free(&stl);
    trm_stl_free(&ball);
  }
}

/* ---- what a file is told --------------------------------------------------------- */

static void what_is_no_surface_is_told_the_cause_and_a_cure(void)
{
#define FACET "facet\nvertex 0 0 0\nvertex 1 0 0\n"
  static const struct { const char *text, *part; } all[] = {
    { "solid a\nendsolid a\n", "has no triangle; export the surface again, as" },
    { "solid a\n" FACET "vertex 1\nendfacet\n", "surface.stl:5: a vertex has three numbers, and "
                                                "here are fewer; write x, y and z" },
    { "solid a\n" FACET "vertex 1 2\n3\nendfacet\n", "stl:5: a vertex has three numbers, and h" },
    { "solid a\n" FACET "vertex 1 one 0\nendfacet\n", "and 'one' is no number; write x, y and z" },
    { "solid a\n" FACET, "it ends within a facet: it was cut short; copy or export it again" },
    { "solid a\n" FACET "endfacet\n", "with 2 corners; STL has triangles alone: export the" },
    { "solid a\n" FACET "vertex 1 1 0\nvertex 0 1 0\nendfacet\n", "alone: export the surface as" },
    { "", "is empty; export the surface again" },
    { "solid a\n" FACET "vertex 1 1 0.5m\nendfacet\n", "stl:5: a vertex has three numbers, and "
                                                       "'0.5m'" },
    { "solid a\n" FACET "vertex 1 1 2,5\nendfacet\n", "stl:5: '2,5' has a comma; STL has a "
                                                      "decimal" },
    { "solid a\n" FACET "vertex 1,0 1 2\nendfacet\n", "stl:5: '1,0' has a comma" },
    { "solid a\n" FACET "vertex 1 1 2 5\nendfacet\n", "stl:5: '5' follows the three numbers of a" },
    { "solid a\n" FACET "vertex 1 1 2 // top\nendfacet\n", "stl:5: '//' follows the three "
                                                           "numbers" },
    { "solid a\n" FACET "vertex 1 1 0\nend facet\n", "stl:6: 'end facet' is two words; STL has "
                                                     "'endf" },
    { "solid a\n" FACET "vertex 1 1 0\nend loop\n", "stl:6: 'end loop' is two words; STL has "
                                                    "'endl" },
    { "solid a\n" FACET "vertex 1 1 0\nfacet normal 0 0 1\n", "stl:6: 'facet' within a facet, "
                                                            "which" },
    { "solid a\n" FACET "vertex 1 1 0\nendsolid a\n", "stl:6: 'endsolid' within a facet, which" },
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    trm_stl stl;
    TEST_FAILS(trm_stl_read(write_text(all[i].text), &stl), TRM_ERROR_INPUT, all[i].part);
  }
}

/* Words count, not lines, but for the name of a solid. */
static void a_text_may_be_written_in_any_lines(void)
{
  static const char *const all[] = {
    "solid a\rfacet normal 0 0 1\router loop\rvertex 0 0 0\rvertex 1 0 0\rvertex 0 1 0\rendloop\r"
      "endfacet\rendsolid a\r",
    "solid a\r\nfacet normal 0 0 1 outer loop\r\nvertex 0 0 0 vertex 1 0 0 vertex 0 1 0\r\nendloop "
      "endfacet\r\nendsolid a\r\n",
    "\n SOLID a vertex\nFACET NORMAL 0 0 1 OUTER LOOP VERTEX 0\t0\v0 VERTEX 1 0 0 VERTEX 0 1 0 "
      "ENDLOOP ENDFACET ENDSOLID a vertex",
    "solid a facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet "
      "endsolid a",
    "\xef\xbb\xbfsolid a\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendfacet\n",
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    trm_stl stl;
    TEST_OK(trm_stl_read(write_text(all[i]), &stl));
    assert_int_equal(stl.count, 1);
    assert_int_equal(stl.patch_count, 1);
    assert_string_equal(stl.names[0], "a");
    assert_true(stl.corners[3] == 1 && stl.corners[7] == 1 && stl.high[0] == 1);
    trm_stl_free(&stl);
  }
  trm_stl stl;
  TEST_FAILS(trm_stl_read(write_text("solid a\r\n" FACET "endfacet"), &stl), TRM_ERROR_INPUT,
             "stl:5: a facet with 2 corners");
}

static void solids_of_one_name_are_one_patch(void)
{
  trm_stl stl = {0};
  TEST_OK(trm_stl_read(write_text("solid in by hand\n" FACET "vertex 1 1 0\nendfacet\nendsolid in\n"
                                  "solid out\n" FACET "vertex 1 2 0\nendfacet\n"
                                  "solid\tin by hand \t\r\n" FACET "vertex 1 3 0\nendfacet\n"),
                       &stl));
  assert_int_equal(stl.patch_count, 2);
  assert_string_equal(stl.names[0], "in");
  assert_string_equal(stl.names[1], "out");
  assert_true(stl.patch[0] == 0 && stl.patch[1] == 1 && stl.patch[2] == 0);
  trm_stl_free(&stl);
}

static void solids_that_would_become_one_are_refused(void)
{
#define LONG "a_name_of_thirty_one_letters_or"
  static const char *const names[][3] = {
    { "left in", "left out", "'left in' and 'left out' would both be 'left': a name is" },
    { "left-in", "left_in", "'left-in' and 'left_in' would both be 'left_in'" },
    { LONG "_in", LONG "_out", "at most 31 letters and digits, with _ for any other" },
    { "", "surface", "'' and 'surface' would both be 'surface'" },
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    trm_stl stl = {0};
    char text[512];
    snprintf(text, sizeof text, "solid %s\n" FACET "vertex 1 1 0\nendfacet\nsolid %s\n",
             names[i][0], names[i][1]);
    TEST_FAILS(trm_stl_read(write_text(text), &stl), TRM_ERROR_INPUT, names[i][2]);
  }
}

/* One whose solids are numbers, and one of them empty. */
static void a_solid_without_triangles_is_no_surface(void)
{
  static const double low[3] = { 0, 0, 0 }, high[3] = { 1, 1, 1 };
  double corners[12 * 9];
  trm_stl stl = { .corners = corners };
  TEST_OK(trm_stl_read(write_text("solid 1\nendsolid 1\nsolid 2\n" FACET "vertex 1 1 "
                                                            "0\nendfacet\n"),
                       &stl));
  TEST_FAILS(trm_stl_choose(&stl, "1", "it"), TRM_ERROR_INPUT, "it: its solid '1' has no "
                                                            "triangle; ");
  trm_stl_free(&stl);
  stl = (trm_stl){ .corners = corners };
  add_box(&stl, low, high, 0);
  for (size_t i = 0; i < 6; i++) {       /* a side, and the same turned */
    memcpy(corners + 9 * 2 + 3 * (5 - i), corners + 3 * i, 3 * sizeof *corners);
  }
  stl.count = 4;
  TEST_FAILS(trm_stl_check_closed(&stl, "it"), TRM_ERROR_INPUT, "it encloses no volume");
}

static void a_solid_that_is_not_there_is_told_those_that_are(void)
{
  trm_stl stl;
  size_t patch;
  TEST_OK(trm_stl_read(write_text("solid x\n" FACET "vertex 1 1 0\nendfacet\nsolid y\n" FACET
                                  "vertex 1 1 1\nendfacet\n"), &stl));
  TEST_OK(trm_stl_find(&stl, "y", "it", &patch));
  assert_int_equal(patch, 1);
  TEST_FAILS(trm_stl_find(&stl, "a", "it", &patch), TRM_ERROR_INPUT,
             "it has no solid called 'a'; name one that it has: 'x', 'y'");
  stl.is_binary = 1;
  TEST_FAILS(trm_stl_find(&stl, "a", "it", &patch), TRM_ERROR_INPUT, "a binary file has one, ");
  trm_stl_free(&stl);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(two_triangles_that_cross_are_found_among_many),
    TEST_HOST(parts_that_share_a_part_of_a_side_are_refused),
    TEST_HOST(a_triangle_without_area_opens_nothing),
    TEST_HOST(corners_in_one_line_are_no_harm),
    TEST_HOST(what_is_no_surface_is_told_the_cause_and_a_cure),
    TEST_HOST(a_text_may_be_written_in_any_lines),
    TEST_HOST(solids_of_one_name_are_one_patch),
    TEST_HOST(solids_that_would_become_one_are_refused),
    TEST_HOST(a_solid_that_is_not_there_is_told_those_that_are),
    TEST_HOST(a_solid_without_triangles_is_no_surface),
    TEST_HOST(crossings_are_looked_for_as_quickly_as_open_edges),
    TEST_HOST(fans_are_looked_at_in_no_more_time),
    TEST_HOST(a_fan_of_twice_as_many_triangles_takes_about_twice_as_long),
    TEST_HOST(rays_meet_the_nearest_of_all_triangles),
    TEST_HOST(normals_are_told_from_what_they_point_to),
  };
  return TEST_RUN(argc, argv, cases);
}
