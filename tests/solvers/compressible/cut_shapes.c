/* cut_shapes.c - fv_plane.h and fv_convex.h on every backend, beside exact fractions. Further cases
 * are images, both sides of a plane, a wall that moves, and the cells of a grid. */
#include "tests/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules.h"
#include "tests/solvers/compressible/exact_shapes.h"

typedef int64_t trm_index;
#include "tests/solvers/compressible/cut_shapes_params.h"

TRM_DECLARE_MODULES(cut_shapes);
extern const char trm_text_cut_shapes[];
static const trm_program_source source = { "cut_shapes", "tests/solvers/compressible/cut_shapes.k",
                                           trm_text_cut_shapes, TRM_MODULES(cut_shapes) };

/* ---- cells on a device ------------------------------------------------------------------- */

/* Planes, and the parts of cells that they leave, as doubles; numbers for f32 have 24 bits. */
typedef struct cells {
  int count, planes;
  double (*plane)[4], (*left)[4];
} cells;

static cells make_cells(int count, int planes)
{
  cells c = { count, planes, NULL, NULL };
  c.plane = calloc((size_t)count * (size_t)planes, sizeof *c.plane);
  c.left = calloc((size_t)count, sizeof *c.left);
  assert_non_null(c.plane);
  assert_non_null(c.left);
  return c;
}

static void free_cells(cells *c)
{
  free(c->plane);
  free(c->left);
}

static void *convert(const double *from, size_t count, trm_precision precision)
{
  float *narrow = calloc(count, sizeof(double));
  assert_non_null(narrow);
  for (size_t i = 0; i < count; i++) {
    if (precision == TRM_F64) ((double *)(void *)narrow)[i] = from[i];
    else narrow[i] = (float)from[i];
  }
  return narrow;
}

static void cut(trm_program *program, trm_device *device, trm_precision precision, cells *c)
{
  const trm_program_info *info = trm_program_describe(program);
  const size_t size = precision == TRM_F64 ? 8 : 4, all = 4 * (size_t)c->count;
  const size_t planes = all * (size_t)c->planes;
  const cut_shapes_params p = { c->count, c->planes };
  const trm_extent groups = { (c->count + info->group - 1) / info->group, 1, 1, 0 };
  trm_buffer *buffers[2] = { NULL, NULL };
  trm_kernel *kernel = NULL;
  void *in = convert(*c->plane, planes, precision), *out = calloc(all, 8);
  assert_non_null(out);
  TEST_OK(trm_buffer_create(device, planes * size, "planes", &buffers[0]));
  TEST_OK(trm_buffer_create(device, all * size, "parts", &buffers[1]));
  TEST_OK(trm_buffer_write(buffers[0], 0, planes * size, in));
  TEST_OK(trm_program_kernel(program, c->planes == 1 ? "cut_by_plane" : "cut_by_planes", &kernel));
  TEST_OK(trm_kernel_launch(kernel, &groups, &p, sizeof p, buffers, 2));
  TEST_OK(trm_buffer_read(buffers[1], 0, all * size, out));
  for (size_t i = 0; i < all; i++)
    (*c->left)[i] = precision == TRM_F64 ? ((double *)out)[i] : (double)((float *)out)[i];
  for (int i = 0; i < 2; i++) trm_buffer_destroy(&buffers[i]);
  free(in);
  free(out);
}

/* Calls body in each precision of the device. */
typedef void body_fn(trm_program *program, trm_device *device, trm_precision precision);
static void in_each(trm_device *device, body_fn *body)
{
  for (int f64 = 0; f64 <= trm_device_describe(device)->has_f64; f64++) {
    const trm_program_options options = { .precision = f64 ? TRM_F64 : TRM_F32,
                                          .math = TRM_STRICT };
    trm_program *program = NULL;
    TEST_OK(trm_program_create(device, &source, &options, &program));
    body(program, device, options.precision);
    trm_program_destroy(&program);
  }
}

/* ---- planes ------------------------------------------------------------------------------- */

static uint64_t state;

static uint64_t mixed(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * 0x2545f4914f6cdd1du;
}

/* A whole number from -most to most. */
static int64_t within(int64_t most)
{
  return (int64_t)(mixed() % (2 * (uint64_t)most + 1)) - most;
}

static int64_t reach_of(const exact_plane *plane)
{
  return llabs(plane->n[0]) + llabs(plane->n[1]) + llabs(plane->n[2]);
}

/* Planes in any direction; nearly along an axis or a face; along these; with components that are
 * equal; through corners of the cube, or a rounding beside them. */
static exact_plane draw_plane(int kind, int bits)
{
  exact_plane plane;
  do
    for (int a = 0; a < 3; a++) {
      const int is_thin = kind == 1 || (kind == 2 && a != (int)(mixed() % 3));
      const int64_t most = (int64_t)1 << (is_thin ? mixed() % (uint64_t)bits : (uint64_t)bits);
      plane.n[a] = within(kind == 3 ? 3 : kind == 4 ? 40 : most);
    }
  while (reach_of(&plane) == 0);
  plane.c = within(reach_of(&plane) + 1);
  if (kind == 5) {
    plane.c = within(3);
    for (int a = 0; a < 3; a++) plane.c += mixed() & 1 ? plane.n[a] : -plane.n[a];
  }
  return plane;
}

static void give(cells *c, int i, const exact_plane *plane)
{
  for (int a = 0; a < 3; a++) c->plane[i][a] = (double)plane->n[a];
  c->plane[i][3] = 0.5 * (double)plane->c;
}

/* How many roundings of a number near 1 are allowed. */
static double allowed(trm_precision precision, double in_f64)
{
  return precision == TRM_F64 ? in_f64 : in_f64 * 0x1p29;
}

static void expect(const cells *c, int i, const long double right[4], double most)
{
  for (int k = 0; k < 4; k++) {
    const long double off = fabsl(c->left[i][k] - right[k]);
    if (!(off <= most))
      fail_msg("cell %d, number %d: %.17g is off by %Lg; the first plane is %a %a %a %a", i, k,
               c->left[i][k], off, c->plane[i * c->planes][0], c->plane[i * c->planes][1],
               c->plane[i * c->planes][2], c->plane[i * c->planes][3]);
  }
}

enum { PLANES = 60000 };

static void ask_for_planes(trm_program *program, trm_device *device, trm_precision precision)
{
  exact_plane *planes = calloc(PLANES, sizeof *planes);
  cells c = make_cells(PLANES, 1);
  assert_non_null(planes);
  state = 1;
  for (int i = 0; i < PLANES; i++) {
    planes[i] = draw_plane(i % 6, precision == TRM_F64 ? 51 : 22);
    give(&c, i, &planes[i]);
  }
  cut(program, device, precision, &c);
  for (int i = 0; i < PLANES; i++) {
    long double right[4];
    exact_cut(&planes[i], right);
    expect(&c, i, right, allowed(precision, 5e-16));
  }
  free(planes);
  free_cells(&c);
}

static void a_plane_leaves_what_fractions_say(trm_device *device)
{
  in_each(device, ask_for_planes);
}

/* Components of 0, of less than a rounding and of the least number there is; planes far away. */
static void ask_at_limits(trm_program *program, trm_device *device, trm_precision precision)
{
  const double tiny = precision == TRM_F64 ? 0x1p-1074 : 0x1p-149;
  const double small = precision == TRM_F64 ? 1e-18 : 1e-9;
  const double huge = precision == TRM_F64 ? 1e300 : 1e37;
  const double asked[][8] = { /* plane; volume, moments */
    { 0, 0, 0, tiny, 1, 0, 0, 0 },        { 0, 0, 0, 0, 0, 0, 0, 0 },
    { 0, 0, 0, -1, 0, 0, 0, 0 },          { 0, 0, tiny, tiny, 1, 0, 0, 0 },
    { 0, 0, tiny, 0, 0.5, 0, 0, -0.125 }, { tiny, 0, 0, -huge, 0, 0, 0, 0 },
    { tiny, 1, tiny, 0.25, 0.75, 0, -0.09375, 0 }, { tiny, small, -1, 0, 0.5, 0, 0, 0.125 },
    { small, -small, huge, huge / 4, 0.75, 0, 0, -0.09375 }, { 0, 0, 1, 0.5, 1, 0, 0, 0 },
    { 0, 0, 1, -0.5, 0, 0, 0, 0 },        { small, small, 1, 0.5, 1, 0, 0, 0 },
    { tiny, 1, 1, 0, 0.5, 0, -1. / 12, -1. / 12 }, { 1, 1, 1, 1.5, 1, 0, 0, 0 } };
  enum { ASKED = sizeof asked / sizeof *asked };
  cells c = make_cells(ASKED, 1);
  for (int i = 0; i < ASKED; i++) memcpy(c.plane[i], asked[i], sizeof *c.plane);
  cut(program, device, precision, &c);
  for (int i = 0; i < ASKED; i++) {
    const long double right[] = { asked[i][4], asked[i][5], asked[i][6], asked[i][7] };
    expect(&c, i, right, allowed(precision, 2e-16));
  }
  free_cells(&c);
}

static void planes_at_the_limits_of_numbers(trm_device *device) { in_each(device, ask_at_limits); }

/* ---- images ------------------------------------------------------------------------------- */

enum { IMAGES = 6 * 8, SIDES = 2 };

/* Image k of a plane: axes permuted, some reversed. */
static void mirror(const double from[4], int k, double to[4])
{
  static const int order[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 },
                                   { 1, 0, 2 } };
  for (int a = 0; a < 3; a++) to[a] = (k >> a & 1 ? -1 : 1) * from[order[k / 8][a]];
  to[3] = from[3];
}

static void ask_for_images(trm_program *program, trm_device *device, trm_precision precision)
{
  enum { EACH = 500, ALL = EACH * IMAGES * SIDES };
  cells c = make_cells(ALL, 1);
  state = 2;
  for (int i = 0; i < ALL; i++) {
    const int first = i / (IMAGES * SIDES) * IMAGES * SIDES, kind = i / (IMAGES * SIDES) % 6;
    if (i == first) {
      const exact_plane plane = draw_plane(kind, precision == TRM_F64 ? 51 : 22);
      give(&c, i, &plane);
    }
    mirror(c.plane[first], i % IMAGES, c.plane[i]);
    for (int a = 0; a < 4 && i % (IMAGES * SIDES) >= IMAGES; a++) c.plane[i][a] = -c.plane[i][a];
  }
  cut(program, device, precision, &c);
  for (int i = 0; i < ALL; i++) {
    const int first = i / (IMAGES * SIDES) * IMAGES * SIDES, is_other = i - first >= IMAGES;
    double moved[4], right[4] = { 0 };
    for (int a = 1; a < 4; a++) moved[a - 1] = c.left[first][a];
    mirror(moved, i % IMAGES, right);
    assert_true(is_other ? fabs(c.left[first][0] + c.left[i][0] - 1) <= allowed(precision, 2e-16)
                         : c.left[i][0] == c.left[first][0]);
    for (int a = 0; a < 3; a++) {
      const double off = fabs(c.left[i][1 + a] - (is_other ? -right[a] : right[a]));
      assert_true(off <= allowed(precision, i / (IMAGES * SIDES) % 6 < 3 && !is_other ? 0 : 4e-16));
    }
  }
  free_cells(&c);
}

static void images_of_a_plane_have_images_of_its_part(trm_device *device)
{
  in_each(device, ask_for_images);
}

/* ---- a wall that moves -------------------------------------------------------------------- */

/* Numbers of 20 bits, so that sums of their products have no rounding in f64. */
typedef struct motion { double n[EXACT_PLANES][3], c[EXACT_PLANES], by[3]; int planes; } motion;
enum { BEGIN = 6, END = 7, MOVING = 8 };

/* The planes of a cell's six faces over the step, and of the cell at both ends. */
static void give_motion(cells *c, int i, const motion *m)
{
  for (int shape = 0; shape < MOVING; shape++)
    for (int k = 0; k < m->planes; k++) {
      double *to = c->plane[(i * MOVING + shape) * c->planes + k];
      const double *n = m->n[k], way = n[0] * m->by[0] + n[1] * m->by[1] + n[2] * m->by[2];
      const int axis = shape / 2;
      if (shape >= BEGIN) {
        for (int a = 0; a < 3; a++) to[a] = n[a];
        to[3] = m->c[k] + (shape == BEGIN ? -0.5 : 0.5) * way;
      } else {
        to[0] = n[(axis + 1) % 3];
        to[1] = n[(axis + 2) % 3];
        to[2] = -way;
        to[3] = m->c[k] - n[axis] * (shape % 2 ? 0.5 : -0.5);
      }
    }
}

/* V1 - V0 = W.D, where W is the sum of the lower faces' openings less that of the upper ones'. */
static void expect_motion(const cells *c, int i, const double by[3], double most)
{
  const double (*left)[4] = (const double (*)[4])c->left + (size_t)i * MOVING;
  double swept = 0;
  for (int a = 0; a < 3; a++) swept += (left[2 * a][0] - left[2 * a + 1][0]) * by[a];
  const double off = fabs(left[END][0] - left[BEGIN][0] - swept);
  if (!(off <= most)) fail_msg("cell %d: V1 - V0 is off by %g", i, off);
}

static motion draw_motion(int planes, int kind)
{
  motion m = { .planes = planes };
  for (int k = 0; k < planes; k++) {
    double reach = 0;
    for (int a = 0; a < 3; a++) {
      m.n[k][a] = kind % 3 == 2 ? (double)within(2) : (double)within(1 << 19) * 0x1p-19;
      reach += fabs(m.n[k][a]);
    }
    if (reach == 0) m.n[k][0] = reach = 1;
    m.c[k] = (double)within(1 << 19) * 0x1p-20 * (planes > 1 ? 0.6 : 1);
  }
  for (int a = 0; a < 3; a++) m.by[a] = (double)within(1 << 19) * 0x1p-20;
  if (kind % 4 == 3) m.by[kind / 4 % 3] = 0;
  return m;
}

static void ask_for_motion(trm_program *program, trm_device *device, trm_precision precision)
{
  for (int planes = 1; planes < 6; planes += 2) {
    const int count = planes == 1 ? 20000 : 1000;
    motion *moves = calloc((size_t)count, sizeof *moves);
    cells c = make_cells(count * MOVING, planes);
    assert_non_null(moves);
    state = 3;
    for (int i = 0; i < count; i++) {
      moves[i] = draw_motion(planes, i);
      give_motion(&c, i, &moves[i]);
    }
    cut(program, device, precision, &c);
    for (int i = 0; i < count; i++) expect_motion(&c, i, moves[i].by, allowed(precision, 1e-15));
    free(moves);
    free_cells(&c);
  }
}

static void a_wall_that_moves_sweeps_what_the_cell_gains(trm_device *device)
{
  in_each(device, ask_for_motion);
}

/* ---- several planes ----------------------------------------------------------------------- */

static void ask_for_shapes(trm_program *program, trm_device *device, trm_precision precision)
{
  enum { EACH = 200 };
  exact_plane planes[EACH][EXACT_PLANES];
  static const int64_t mosts[] = { 1, 2, 8, 200 };
  state = 4;
  for (int count = 2; count <= EXACT_PLANES; count++) {
    cells c = make_cells(EACH, count);
    for (int i = 0; i < EACH; i++)
      for (int k = 0; k < count; k++) {
        exact_plane *plane = &planes[i][k];
        do
          for (int a = 0; a < 3; a++) plane->n[a] = within(mosts[i % 4]);
        while (reach_of(plane) == 0);
        const int64_t reach = reach_of(plane);
        plane->c = i % 3 == 0 ? within(reach) : reach / 8 + llabs(within(reach / 2));
        give(&c, i * count + k, plane);
      }
    cut(program, device, precision, &c);
    for (int i = 0; i < EACH; i++) {
      long double right[4];
      exact_cut_all(planes[i], count, right);
      expect(&c, i, right, allowed(precision, 1e-15));
    }
    free_cells(&c);
  }
}

static void planes_leave_what_fractions_say(trm_device *device) { in_each(device, ask_for_shapes); }

/* Planes that differ by less than, about and more than roundings leave as much as one of them. */
static void ask_for_fans(trm_program *program, trm_device *device, trm_precision precision)
{
  enum { FANS = 4000, MANY = 20 };
  cells many = make_cells(FANS, MANY), one = make_cells(FANS, 1);
  const double unit = allowed(precision, 0x1p-52);
  state = 5;
  for (int i = 0; i < FANS; i++) {
    const double noise = unit * pow(4, i % 5 - 2);
    for (int k = 0; k < 4; k++) one.plane[i][k] = (double)within(1 << 20) * 0x1p-20;
    one.plane[i][3] *= 0.5;
    for (int k = 0; k < MANY; k++)
      for (int a = 0; a < 4; a++)
        many.plane[i * MANY + k][a] =
          one.plane[i][a] + (k == 0 ? 0 : noise * (double)within(16) / 16);
  }
  cut(program, device, precision, &many);
  cut(program, device, precision, &one);
  for (int i = 0; i < FANS; i++) {
    const double *n = one.plane[i], size = fabs(n[0]) + fabs(n[1]) + fabs(n[2]);
    const double most = unit * (4 + 64 / (size > 0 ? size : 1));
    for (int k = 0; k < 4; k++)
      if (!(fabs(many.left[i][k] - one.left[i][k]) <= most))
        fail_msg("fan %d, number %d: %.17g, alone %.17g", i, k, many.left[i][k], one.left[i][k]);
  }
  free_cells(&many);
  free_cells(&one);
}

static void planes_that_nearly_coincide_are_like_one(trm_device *device)
{
  in_each(device, ask_for_fans);
}

/* The cells of a grid over a body of twelve planes add up to it. */
static void ask_for_a_body(trm_program *program, trm_device *device, trm_precision precision)
{
  enum { N = 10, CELLS = N * N * N };
  exact_plane body[EXACT_PLANES];
  cells c = make_cells(CELLS, EXACT_PLANES);
  long double right[4];
  double sum[4] = { 0 };
  state = 6;
  for (int k = 0; k < EXACT_PLANES; k++) {
    do
      for (int a = 0; a < 3; a++) body[k].n[a] = within(200);
    while (reach_of(&body[k]) < 250);
    body[k].c = 180 + llabs(within(40));
  }
  exact_cut_all(body, EXACT_PLANES, right);
  assert_true(right[0] > 0.1 && right[0] < 0.9);
  for (int i = 0; i < CELLS; i++) {
    const int at[] = { i % N, i / N % N, i / N / N };
    for (int k = 0; k < EXACT_PLANES; k++) {
      double *to = c.plane[i * EXACT_PLANES + k];
      to[3] = 0.5 * N * (double)body[k].c;
      for (int a = 0; a < 3; a++) {
        to[a] = (double)body[k].n[a];
        to[3] -= to[a] * (at[a] + 0.5 - 0.5 * N);
      }
    }
  }
  cut(program, device, precision, &c);
  for (int i = 0; i < CELLS; i++) {
    const int at[] = { i % N, i / N % N, i / N / N };
    sum[0] += c.left[i][0] / CELLS;
    for (int a = 0; a < 3; a++)
      sum[1 + a] += (c.left[i][1 + a] + c.left[i][0] * (at[a] + 0.5 - 0.5 * N)) / CELLS / N;
  }
  for (int k = 0; k < 4; k++) assert_true(fabsl(sum[k] - right[k]) <= allowed(precision, 1e-15));
  free_cells(&c);
}

static void cells_of_a_grid_add_up_to_the_body(trm_device *device)
{
  in_each(device, ask_for_a_body);
}

/* Each plane cuts off another corner of the rest: no room, and no write beyond it. */
static void ask_for_many(trm_program *program, trm_device *device, trm_precision precision)
{
  enum { MANY = 60 };
  cells c = make_cells(2, MANY);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < MANY; k++) {
      const double turn = 2 * 3.14159265358979 * k / MANY;
      double *to = c.plane[i * MANY + k];
      to[i] = cos(turn);
      to[i + 1] = sin(turn);
      to[3] = 0.4;
    }
  cut(program, device, precision, &c);
  for (int i = 0; i < 2; i++) assert_true(c.left[i][0] == -1);
  free_cells(&c);
}

static void more_corners_than_there_is_room_for_are_told(trm_device *device)
{
  in_each(device, ask_for_many);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_plane_leaves_what_fractions_say),
    TEST_DEVICE(planes_at_the_limits_of_numbers),
    TEST_DEVICE(images_of_a_plane_have_images_of_its_part),
    TEST_DEVICE(a_wall_that_moves_sweeps_what_the_cell_gains),
    TEST_DEVICE(planes_leave_what_fractions_say),
    TEST_DEVICE(planes_that_nearly_coincide_are_like_one),
    TEST_DEVICE(cells_of_a_grid_add_up_to_the_body),
    TEST_DEVICE(more_corners_than_there_is_room_for_are_told),
  };
  return TEST_RUN(argc, argv, cases);
}
