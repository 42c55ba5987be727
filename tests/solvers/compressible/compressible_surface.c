/* compressible_surface.c - bodies from STL in a compressible flow: distances, gas that stays as it
 * is, the same bits everywhere, surfaces that are refused. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- surfaces, as text ---------------------------------------------------------------- */

typedef struct point { double at[3]; } point;

static void put(FILE *file, point a, point b, point c)
{
  fprintf(file, "facet normal 0 0 0\nouter loop\n");
  fprintf(file, "vertex %.17g %.17g %.17g\n", a.at[0], a.at[1], a.at[2]);
  fprintf(file, "vertex %.17g %.17g %.17g\n", b.at[0], b.at[1], b.at[2]);
  fprintf(file, "vertex %.17g %.17g %.17g\nendloop\nendfacet\n", c.at[0], c.at[1], c.at[2]);
}

static point on_ball(int side, int i, int j, int n)
{
  const int axis = side / 2, turn = side % 2 ? 1 : -1;
  double v[3], length = 0;
  v[axis] = turn;
  v[(axis + 1) % 3] = tan(0.78539816339744828 * (2.0 * i / n - 1));
  v[(axis + 2) % 3] = turn * tan(0.78539816339744828 * (2.0 * j / n - 1));
  for (int a = 0; a < 3; a++) length += v[a] * v[a];
  point p;
  for (int a = 0; a < 3; a++) p.at[a] = rint(1e9 * v[a] / sqrt(length)) * 1e-9;
  return p;
}

/* A ball of radius 1 about (x, 0, 0); `left_out`: triangles that are missing. */
static void put_ball(FILE *file, const char *name, double x, int n, int left_out)
{
  fprintf(file, "solid %s\n", name);
  for (int side = 0; side < 6; side++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        point p[4];
        for (int k = 0; k < 4; k++) {
          p[k] = on_ball(side, i + (k == 1 || k == 2), j + k / 2, n);
          p[k].at[0] += x;
        }
        if (left_out-- > 0) continue;
        put(file, p[0], p[1], p[2]);
        put(file, p[0], p[2], p[3]);
      }
  fprintf(file, "endsolid %s\n", name);
}

static void put_plate(FILE *file, double thick)
{
  static const int faces[12][3] = { { 0, 2, 3 }, { 0, 3, 1 }, { 4, 5, 7 }, { 4, 7, 6 },
                                    { 0, 1, 5 }, { 0, 5, 4 }, { 2, 6, 7 }, { 2, 7, 3 },
                                    { 0, 4, 6 }, { 0, 6, 2 }, { 1, 3, 7 }, { 1, 7, 5 } };
  point p[8];
  for (int i = 0; i < 8; i++)
    p[i] = (point){ { (i & 1) - 0.5, (i >> 1 & 1) - 0.5, ((i >> 2) - 0.5) * thick } };
  fprintf(file, "solid plate\n");
  for (int i = 0; i < 12; i++) put(file, p[faces[i][0]], p[faces[i][1]], p[faces[i][2]]);
  fprintf(file, "endsolid plate\n");
}

/* A round bar along an axis through a box from -0.5 to 0.5, thicker and moved where `wave` says so;
 * at its end it is what it is at its begin, but `other` times as thick. */
static void put_bar(FILE *file, int axis, double wave, double phase, double other)
{
  enum { ALONG = 16, ROUND = 24 };
  const double pi = 3.14159265358979323846;
  point at[ALONG + 1][ROUND], middle[ALONG + 1];
  for (int i = 0; i <= ALONG; i++) {
    const double up = wave * sin(2 * pi * ((i % ALONG) / (double)ALONG + phase));
    const double radius = 0.2 * (1 + up) * (i == ALONG ? other : 1);
    for (int k = 0; k <= ROUND; k++) {
      point *to = k < ROUND ? &at[i][k] : &middle[i];
      to->at[axis] = (double)i / ALONG - 0.5;
      to->at[(axis + 1) % 3] = 0.3 * up + (k < ROUND ? radius * cos(2 * pi * k / ROUND) : 0);
      to->at[(axis + 2) % 3] = k < ROUND ? radius * sin(2 * pi * k / ROUND) : 0;
    }
  }
  fprintf(file, "solid bar\n");
  for (int k = 0; k < ROUND; k++) {
    const int next = (k + 1) % ROUND;
    put(file, middle[0], at[0][next], at[0][k]);
    put(file, middle[ALONG], at[ALONG][k], at[ALONG][next]);
    for (int i = 0; i < ALONG; i++) {
      put(file, at[i][k], at[i][next], at[i + 1][next]);
      put(file, at[i][k], at[i + 1][next], at[i + 1][k]);
    }
  }
  fprintf(file, "endsolid bar\n");
}

/* Numbers as a file of single precision has them. */
static void put_cuboid(FILE *file, const double low[3], const double high[3])
{
  fprintf(file, "solid cuboid\n");
  for (int side = 0; side < 6; side++) {
    const int a = side / 2, b = 1 << (a + 1) % 3, c = 1 << (a + 2) % 3, base = side % 2 << a;
    const int round[4] = { base, side % 2 ? base | b : base | c, base | b | c,
                           side % 2 ? base | c : base | b };
    point p[4];
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < 3; i++)
        p[k].at[i] = (double)(float)(round[k] >> i & 1 ? high : low)[i];
    put(file, p[0], p[1], p[2]);
    put(file, p[0], p[2], p[3]);
  }
  fprintf(file, "endsolid cuboid\n");
}

/* Two cuboids, `room` long, from -0.4 and to 0.4; or from side to side of a grid from -0.5. */
static void put_two(FILE *file, double end, double room)
{
  put_cuboid(file, (const double[3]){ -end, -0.3, -0.3 },
             (const double[3]){ room - end, 0.3, 0.3 });
  put_cuboid(file, (const double[3]){ end - room, -0.3, -0.3 },
             (const double[3]){ end, 0.3, 0.3 });
}

typedef enum what { BALL, TWO_BALLS, CROSSING, OPEN, PLATE, ROUND_BAR, WAVE, LATER_WAVE, WEDGE,
                    SQUARE_BAR, ROOMS, ACROSS } what;

static const char *surface(what kind)
{
  static char path[300];
  snprintf(path, sizeof path, "%s/%d.stl", test_folder(), (int)kind);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  if (kind == PLATE) put_plate(file, 0.11);
  else if (kind == SQUARE_BAR)
    put_cuboid(file, (const double[3]){ -0.49999999, -0.21, -0.19 },
               (const double[3]){ 0.50000001, 0.22, 0.23 });
  else if (kind == ROOMS || kind == ACROSS)
    put_two(file, kind == ROOMS ? 0.4 : 0.5, kind == ROOMS ? 0.38 : 0.08);
  else if (kind == ROUND_BAR || kind == WEDGE) put_bar(file, 0, 0, 0, kind == WEDGE ? 1.2 : 1);
  else if (kind == WAVE || kind == LATER_WAVE) put_bar(file, 0, 0.3, kind == WAVE ? 0.1 : 0.35, 1);
  else if (kind == TWO_BALLS || kind == CROSSING) {
    put_ball(file, "left", -1.5, 8, 0);
    put_ball(file, kind == CROSSING ? "left" : "right", kind == CROSSING ? -0.2 : 1.5, 8, 0);
  } else put_ball(file, "ball", 0, kind == BALL ? 16 : 8, kind == OPEN);
  assert_int_equal(fclose(file), 0);
  return path;
}

/* ---- distances ------------------------------------------------------------------------ */

static void distances_are_those_of_a_ball(void)
{
  trm_stl stl;
  trm_stl_tree *tree = NULL;
  uint32_t word = 7;
  TEST_OK(trm_stl_read(surface(BALL), &stl));
  TEST_OK(trm_stl_tree_create(&stl, &tree));
  for (int n = 0; n < 3000; n++) {
    double at[3], radius = 0;
    for (int a = 0; a < 3; a++) {
      word = word * 1664525u + 1013904223u;
      at[a] = (double)word / 1073741824.0 - 2;
      if (n < 27) at[a] = (n / (a == 0 ? 1 : a == 1 ? 3 : 9)) % 3 * 0.5 - 0.5;
      radius += at[a] * at[a];
    }
    assert_true(fabs(trm_stl_distance(tree, at, NULL) - (sqrt(radius) - 1)) <= 5e-3);
  }
  trm_stl_cursor cursor = { .is_any = 0 }; /* along lines through it, in steps short and long */
  for (int n = 0; n < 4000; n++) {
    const double t = n % 200 * 0.015, y = n / 200 * 0.1 - 1;
    const double at[3] = { t - 1.5, y, 0.3 * y + (n % 400 < 200 ? 0.1 * t : 0) };
    const double one = trm_stl_distance(tree, at, NULL);
    assert_true(one == trm_stl_distance(tree, at, &cursor));
  }
  trm_stl_tree_destroy(&tree);
  trm_stl_free(&stl);
}

/* ---- in the flow ------------------------------------------------------------------------ */

#define BOX "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", "grid.x0", "-0.503", "grid.y0", \
            "-0.497", "grid.z0", "-0.49", "initial.pressure", "0.7"

static fv_run begin(trm_device *device, trm_precision precision, what kind, const char *bodies,
                    const char *speed)
{
  const char *const sets[] = { BOX, "bodies.stl", surface(kind), "bodies.shapes",
                               bodies, "initial.velocity_x", speed, "compressible.viscosity",
                               "0.001", NULL };
  return fv_run_begin(device, precision, sets);
}

static void gas_about_and_inside_of_a_ball_stays(trm_device *device)
{
  test_is_spared(device);
  static const char *const bodies[] = { "stl 0 0 0 0.27 slip", "stl ball 0 0 0 0.4 hollow" };
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    fv_run run = begin(device, TRM_F64, BALL, bodies[i], "0");
    const double mass = ((const fv_solver *)run.solver)->mass, ball = 4.18879020478639;
    print_message("# mass %.5f\n", mass);
    assert_true(fabs(mass - (i ? ball * 0.064 : 1 - ball * 0.019683)) <= (i ? 1e-2 : 4e-3));
    fv_run_advance(&run, INFINITY, 8, 8);
    double *rho = fv_run_values(&run, "density");
    for (int k = 0; k < 4096; k++) assert_true(rho[k] == 0 || fabs(rho[k] - 1) <= 1e-13);
    free(rho);
    fv_run_end(&run);
  }
}

/* ---- bars from one periodic side to the other ------------------------------------------- */

#define MIDST "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", "grid.x0", "-0.5", "grid.y0", \
              "-0.5", "grid.z0", "-0.5", "initial.pressure", "0.7"

static fv_run begin_bar(trm_device *device, what kind, const char *body, const char *motion)
{
  const char *const sets[] = { MIDST, "initial.velocity_x", "0.3", "bodies.shapes", body,
                               "bodies.motion", motion, "bodies.stl", surface(kind),
                               NULL };
  const char *const named[] = { MIDST, "initial.velocity_x", "0.3", "bodies.shapes",
                                body, "bodies.motion", motion, NULL };
  return fv_run_begin(device, TRM_F64, strncmp(body, "stl", 3) == 0 ? sets : named);
}

/* Beside and inside of bars their walls are straight to the last cell. */
static void gas_along_bars_through_periodic_sides_stays(trm_device *device)
{
  test_is_spared(device);
  static const struct { what kind; const char *body; } all[] = {
    { ROUND_BAR, "stl 0 0 0 1 slip" }, { ROUND_BAR, "stl 0 0 0 1 slip hollow" },
    { SQUARE_BAR, "stl 0 0 0 1 slip" } };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    fv_run run = begin_bar(device, all[i].kind, all[i].body, "");
    fv_run_advance(&run, INFINITY, 8, 8);
    double *rho = fv_run_values(&run, "density");
    for (int k = 0; k < 4096; k++) assert_true(rho[k] == 0 || fabs(rho[k] - 1) <= 1e-13);
    free(rho);
    fv_run_end(&run);
  }
}

/* A square one, that rests, moves and turns about itself, as the box does. */
static void a_bar_is_what_the_box_is(trm_device *device)
{
  test_is_spared(device);
  static const char *const paths[] = { "", "0, 0.1*t, 0.05*t" };
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    double force[2];
    for (int k = 0; k < 2; k++) {
      fv_run run = begin_bar(device, SQUARE_BAR, k ? "stl 0 0 0 1" :
                             "box -0.5 0.5 -0.21 0.22 -0.19 0.23", paths[i]);
      fv_run_advance(&run, INFINITY, 6, 6);
      force[k] = fv_run_last(&run, "body1_pressure_y");
      fv_run_end(&run);
    }
    print_message("# %g, %g\n", force[0], force[1]);
    assert_true(fabs(force[0] - force[1]) <= 1e-2 * fabs(force[1]) + 1e-12);
  }
}

/* One whose section varies has the same flow wherever along it the grid begins: here four cells
 * later. */
static void a_bar_goes_on_beyond_periodic_sides(trm_device *device)
{
  test_is_spared(device);
  double *rho[2];
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    fv_run run = begin_bar(device, i ? LATER_WAVE : WAVE, "stl 0 0 0 1 slip", "");
    fv_run_advance(&run, INFINITY, 6, 6);
    rho[i] = fv_run_values(&run, "density");
    fv_run_end(&run);
  }
  for (int k = 0; k < 4096; k++)
    assert_true(fabs(rho[0][(k & ~15) + ((k + 4) & 15)] - rho[1][k]) <= 1e-12);
  free(rho[0]);
  free(rho[1]);
}

/* A plate through a side, of which half is at either, is as thick as both. */
static void a_plate_goes_through_a_periodic_side(trm_device *device)
{
  test_is_spared(device);
  test_needs_f64(device);
  fv_run run = begin_bar(device, ACROSS, "stl 0 0 0 1", "");
  fv_run_advance(&run, INFINITY, 6, 6);
  const double along = fv_run_last(&run, "body1_pressure_x");
  fv_run_end(&run);
  run = begin_bar(device, ACROSS, "box -0.08 0.08 -0.3 0.3 -0.3 0.3", "");
  fv_run_advance(&run, INFINITY, 6, 6);
  const double amid = fv_run_last(&run, "body1_pressure_x");
  print_message("# %g, %g\n", along, amid);
  assert_true(fabs(along - amid) <= 1e-6 * amid);
  fv_run_end(&run);
}

/* A bar that turns about itself has the same flow all along. */
static void a_bar_turns_about_itself(trm_device *device)
{
  test_is_spared(device);
  static const struct { what kind; const char *body; } all[] = {
    { SQUARE_BAR, "stl 0 0 0 1" }, { SQUARE_BAR, "box -0.5 0.5 -0.21 0.22 -0.19 0.23" } };
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    fv_run run = begin_bar(device, all[i].kind, all[i].body, "0, 0, 0, 0.3*t along 1 0 0");
    fv_run_advance(&run, INFINITY, 6, 6);
    double *rho = fv_run_values(&run, "density");
    for (int k = 0; k < 4096; k++) assert_true(fabs(rho[k] - rho[k & ~15]) <= 1e-13);
    free(rho);
    fv_run_end(&run);
  }
}

/* What turns with a ball is not the box about it. */
static void a_ball_turns_beside_the_sides(trm_device *device)
{
  test_is_spared(device);
  static const char *const bodies[] = { "sphere 0 0 0 0.39", "stl 0 0 0 0.39" };
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    fv_run run = begin_bar(device, BALL, bodies[i], "0, 0, 0, 0.7 + 0.1*t");
    fv_run_advance(&run, INFINITY, 2, 2);
    fv_run_end(&run);
  }
}

static void flow_has_the_known_bits(trm_device *device)
{
  for (int p = 0; p < 2; p++) {
    if (!test_takes(device, TRM_F32, (trm_precision)p)) continue;
    fv_run run = begin(device, (trm_precision)p, TWO_BALLS,
                       "stl left 0 0 0 0.16; stl right 0 0 0 0.16 slip", "0.3");
    fv_run_advance(&run, INFINITY, 8, 3);
    fv_run_is(&run, "two-balls");
    fv_run_end(&run);
  }
}

static void surfaces_that_cannot_be_are_refused(trm_device *device)
{
  static const struct { what kind; const char *bodies, *part; } wrong[] = {
    { OPEN, "stl 0 0 0 0.3", "is open" },
    { CROSSING, "stl 0 0 0 0.2", "crosses itself" },
    { BALL, "stl 0.3 0 0 0.3", "a body lies inside" },
    { BALL, "stl 0.3 0 0 0.3", "cut it there and move what is beyond to the opposite side" },
    { BALL, "stl 0 0 0 0.2; sphere 0.1 0 0 0.2", "bodies overlap" },
    { BALL, "stl cube 0 0 0 0.2", "has no solid called 'cube'" },
    { BALL, "sphere 0 0 0 0.2", "has none; add one" },
    { BALL, "sphere 0 0 0 0.2 hollow", "'hollow' is for an stl" },
    { BALL, "stl 0 0 0 0.2 spin 1", "would sweep through the grid" },
    { PLATE, "stl 0 0 0 0.5", "body 1 is 0.055 thick" },
    { PLATE, "stl 0 0 0 0.5", "grid.levels = 2 would resolve it" },
    { ROOMS, "stl 0 0 0 1 hollow", "body 1 is 0.04 thick" }, /* the wall between them */
    { WEDGE, "stl -0.003 0 0 1", "x = 0.497; a surface that ends at both goes on beyond" } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *const sets[] = { BOX, "bodies.stl", surface(wrong[i].kind),
                                 "bodies.shapes", wrong[i].bodies, NULL };
    fv_run_refused(device, sets, TRM_ERROR_INPUT, wrong[i].part);
  }
  static const char *const none[] = { BOX, "bodies.shapes", "stl 0 0 0 1", NULL };
  fv_run_refused(device, none, TRM_ERROR_INPUT, "names no file");
}

/* A slot of this width into a block, from one side on along the axis after `axis`, which goes
 * through the block along the third: a prism of a letter U. */
static const char *slotted(int axis, double at, double wide)
{
  static char path[300];
  const int up = (axis + 1) % 3, along = (axis + 2) % 3;
  const double corner[8][2] = { { -0.3, -0.3 }, { 0.3, -0.3 }, { 0.3, 0.3 }, { at + wide / 2, 0.3 },
                                { at + wide / 2, 0.05 }, { at - wide / 2, 0.05 },
                                { at - wide / 2, 0.3 }, { -0.3, 0.3 } };
  static const int ends[6][3] = { { 0, 1, 4 }, { 1, 2, 4 }, { 2, 3, 4 }, { 0, 4, 5 }, { 0, 5, 7 },
                                  { 5, 6, 7 } };
  point p[2][8];
  for (int k = 0; k < 16; k++) {
    p[k / 8][k % 8].at[axis] = corner[k % 8][0];
    p[k / 8][k % 8].at[up] = corner[k % 8][1];
    p[k / 8][k % 8].at[along] = k < 8 ? -0.3 : 0.3;
  }
  snprintf(path, sizeof path, "%s/slot.stl", test_folder());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "solid slot\n");
  for (int i = 0; i < 6; i++) {
    const int *e = ends[i];
    put(file, p[0][e[0]], p[0][e[2]], p[0][e[1]]);
    put(file, p[1][e[0]], p[1][e[1]], p[1][e[2]]);
  }
  for (int i = 0; i < 8; i++) {
    const int j = (i + 1) % 8;
    put(file, p[0][i], p[0][j], p[1][j]);
    put(file, p[0][i], p[1][j], p[1][i]);
  }
  fprintf(file, "endsolid slot\n");
  assert_int_equal(fclose(file), 0);
  return path;
}

/* Cells are 1/16 wide; wherever the slot lies in them. */
static void slits_narrower_than_a_cell_are_refused(trm_device *device)
{
  static const double wide[] = { 0.3, 0.5, 0.75, 0.9 };
  for (int i = 0; i < 24; i++) {
    const double at = (i / 3 % 4 * 0.27 - 0.4) / 16;
    const char *path = slotted(i % 3, at, wide[(i + i / 12) % 4] / 16);
    const char *const sets[] = { BOX, "bodies.stl", path, "bodies.shapes",
                                 i < 12 ? "stl 0 0 0 1" : "stl slot 0 0 0 1 slip", NULL };
    fv_run_refused(device, sets, TRM_ERROR_INPUT, "less than one across; grid.levels = ");
  }
  const char *const moving[] = { BOX, "bodies.stl", slotted(0, 0.01, 0.03),
                                 "bodies.shapes", "stl 0 0 0 1", "bodies.motion",
                                 "0.1*t, 0, 0", NULL };
  fv_run_refused(device, moving, TRM_ERROR_INPUT, "less than one across");
  const char *const wider[] = { BOX, "bodies.stl", slotted(1, 0.01, 1.7 / 16),
                                "bodies.shapes", "stl 0 0 0 1", NULL };
  fv_run run = fv_run_begin(device, TRM_F32, wider);
  fv_run_advance(&run, INFINITY, 2, 2);
  fv_run_end(&run);
  const char *const cured[] = { BOX, "bodies.stl", slotted(2, 0.01, 0.9 / 16),
                                "bodies.shapes", "stl 0 0 0 1", "grid.levels", "1",
                                "mesh.refine", "wall 0.0625", NULL };
  run = fv_run_begin(device, TRM_F32, cured);
  fv_run_advance(&run, INFINITY, 2, 2);
  fv_run_end(&run);
}

/* Two cones aslant, tip to tip outwards, over one rim of n corners. */
static const char *fan(int n)
{
  static char path[300];
  const double pi = 3.14159265358979323846;
  snprintf(path, sizeof path, "%s/fan.stl", test_folder());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "solid fan\n");
  for (int i = 0; i < n; i++) {
    point rim[2];
    for (int k = 0; k < 2; k++) {
      const double x = cos(2 * pi * ((i + k) % n) / n), y = sin(2 * pi * ((i + k) % n) / n);
      rim[k] = (point){ { 0.35 * (0.8 * x), 0.35 * y, 0.35 * (0.6 * x) } };
    }
    put(file, (point){ { -0.21, 0, 0.28 } }, rim[0], rim[1]);
    put(file, (point){ { 0.21, 0, -0.28 } }, rim[1], rim[0]);
  }
  fprintf(file, "endsolid fan\n");
  assert_int_equal(fclose(file), 0);
  return path;
}

static double seconds_of_fan(int n, int *slits)
{
  fv_bodies bodies;
  trm_config *config;
  TEST_OK(trm_config_create(&trm_solver_compressible.options,
                            &trm_solver_compressible.option_count, 1, &config));
  TEST_OK(trm_config_set(config, "bodies.stl", fan(n), "the test"));
  TEST_OK(trm_config_set(config, "bodies.shapes", "stl 0 0 0 1", "the test"));
  const clock_t begun = clock();
  TEST_OK(fv_read_bodies(&bodies, config, 3, 1.4));
  TEST_OK(fv_find_slits(&bodies, 0.0625, 0.0625));
  const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
  *slits = (int)bodies.body[0].slit_count;
  fv_free_bodies(&bodies);
  trm_config_destroy(&config);
  return seconds;
}

/* Rays for sides, thickness and slits met the boxes of all triangles: four times as long. */
static void a_fan_of_twice_as_many_triangles_is_read_in_about_twice_the_time(void)
{
  double one = INFINITY, two = INFINITY;
  int slits;
  for (int turn = 0; turn < 8 && (turn < 2 || two >= 2.6 * one); turn++) {
    one = fmin(one, seconds_of_fan(2000, &slits));
    two = fmin(two, seconds_of_fan(4000, &slits));
    assert_int_equal(slits, 0);
  }
  if (two >= 2.6 * one) fail_msg("%g s after %g s", two, one);
}

/* The same between two bodies that stay. */
static void gaps_narrower_than_a_cell_are_refused(trm_device *device)
{
  for (int i = 0; i < 12; i++) {
    const double at = (i / 3 * 0.27 - 0.4) / 16, wide = (i % 3 * 0.3 + 0.3) / 16;
    char bodies[160];
    snprintf(bodies, sizeof bodies, "box -0.3 %.9g -0.3 0.3 -0.3 0.3; box %.9g 0.3 -0.3 0.3 -0.3 "
             "0.3", at - wide / 2, at + wide / 2);
    const char *const sets[] = { BOX, "bodies.shapes", bodies, NULL };
    fv_run_refused(device, sets, TRM_ERROR_INPUT, "two bodies ");
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(distances_are_those_of_a_ball),
    TEST_DEVICE(gas_about_and_inside_of_a_ball_stays),
    TEST_DEVICE(gas_along_bars_through_periodic_sides_stays),
    TEST_DEVICE(a_bar_is_what_the_box_is),
    TEST_DEVICE(a_bar_goes_on_beyond_periodic_sides),
    TEST_DEVICE(a_plate_goes_through_a_periodic_side),
    TEST_DEVICE(a_bar_turns_about_itself),
    TEST_DEVICE(a_ball_turns_beside_the_sides),
    TEST_DEVICE(flow_has_the_known_bits),
    TEST_DEVICE(surfaces_that_cannot_be_are_refused),
    TEST_DEVICE(slits_narrower_than_a_cell_are_refused),
    TEST_DEVICE(gaps_narrower_than_a_cell_are_refused),
    TEST_HOST(a_fan_of_twice_as_many_triangles_is_read_in_about_twice_the_time),
  };
  return TEST_RUN(argc, argv, cases);
}
