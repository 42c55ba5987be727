/* lbm_scene.c - what stands in a flow between boundaries: obstacles from pictures, inflows from
 * tables, and the cases that are refused. */
#include "config.h"

#include "io/mask.h"
#include "tests/solvers/flow_run.h"
#include "solvers/registry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 60, NY = 30 };

/* A file of the test's own; the path is kept until the next call of this name. */
static const char *write_text(const char *name, const char *text)
{
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  FILE *file = fopen(path, "w");
  if (!file) fail_msg("%s cannot be written", path);
  fputs(text, file);
  fclose(file);
  return path;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* How far i is from a place along an axis that repeats after n. */
static double away(int i, double place, double n)
{
  return fabs(remainder(i + 0.5 - place, n));
}

/* Over the corners, where sides are periodic: a cylinder, a diamond, and a box that ends on centres
 * of cells, which are not inside. */
static void shapes_hold_the_cells_whose_centres_they_hold(trm_device *device)
{
  flow_run run;
  size_t count = 0;
  flow_begin(&run, device, TRM_F32,
             "grid.nx=60|grid.ny=30|lbm.flow=channel|body_force=1e-6 0 0|lbm.viscosity=0.02|"
             "lbm.length=12|boundary.west=periodic|boundary.east=periodic|boundary.south=periodic|"
             "boundary.north=periodic|bodies.shapes=cylinder 1.3 28.8 4.1; "
             "polygon 26 3.3 30.2 -0.9 34.4 3.3 30.2 7.5; box 17.5 12.5 20.5 14.5");
  double *solid = flow_values(&run, "solid");
  for (int y = 0; y < NY; y++)
    for (int x = 0; x < NX; x++) {
      const int in_cylinder = hypot(away(x, 1.3, NX), away(y, 28.8, NY)) < 4.1;
      const int in_diamond = away(x, 30.2, NX) + away(y, 3.3, NY) < 4.2;
      const int in_box = x > 17 && x < 20 && y > 12 && y < 14;
      if (solid[y * NX + x] != (in_cylinder || in_diamond || in_box))
        fail_msg("cell (%d, %d) is %g", x, y, solid[y * NX + x]);
      count += solid[y * NX + x] != 0.0;
    }
  assert_true(count > 80);
  free(solid);
  flow_end(&run);
}

/* ---- pictures ------------------------------------------------------------------------------- */

#ifdef HAVE_LIBPNG
#include <png.h>

/* A pixel a cell, black where the field `solid` is 1; alpha: what is dark is transparent. */
static const char *draw(const double *solid, size_t nx, size_t ny, int alpha)
{
  static char path[4096];
  png_image image = {.version = PNG_IMAGE_VERSION, .width = (png_uint_32)nx,
                     .height = (png_uint_32)ny,
                     .format = alpha ? PNG_FORMAT_GA : PNG_FORMAT_GRAY};
  const size_t bytes = alpha ? 2 : 1;
  uint8_t *pixels = calloc(nx * ny, bytes);
  assert_non_null(pixels);
  for (size_t y = 0; y < ny; y++)
    for (size_t x = 0; x < nx; x++) {
      const int is_dark = solid[(ny - 1 - y) * nx + x] != 0.0;
      uint8_t *pixel = pixels + (y * nx + x) * bytes;
      pixel[0] = is_dark ? 0 : 255;
      if (alpha) pixel[1] = is_dark ? 0 : 255;
    }
  snprintf(path, sizeof path, "%s/mask.png", test_folder());
  assert_int_equal(png_image_write_to_file(&image, path, 0, pixels, 0, NULL), 1);
  free(pixels);
  return path;
}

/* Two shapes that have no symmetry, so that a picture upside down would be seen; drag is of length
 * 12 whichever way the obstacle is given. */
static const char shaped[] =
  "grid.nx=60|grid.ny=30|lbm.speed=0.05|lbm.viscosity=0.02|lbm.length=12|bodies.shapes=box 14 4 "
  "20 9; polygon 30 10 42 14 33 25|lbm.flow=%s";
static const char masked[] =
  "grid.nx=60|grid.ny=30|lbm.speed=0.05|lbm.viscosity=0.02|lbm.length=12|lbm.mask=%s|lbm.flow=%s";

static double *solid_of(trm_device *device, const char *settings)
{
  flow_run run;
  flow_begin(&run, device, TRM_F32, settings);
  double *solid = flow_values(&run, "solid");
  flow_end(&run);
  return solid;
}

static void hold_same(trm_device *device, const char *one, const char *other)
{
  flow_run a, b;
  char print_a[33], print_b[33];
  flow_begin(&a, device, TRM_F32, one);
  flow_begin(&b, device, TRM_F32, other);
  flow_steps(&a, 200, 0);
  flow_steps(&b, 200, 0);
  flow_print(&a, print_a);
  flow_print(&b, print_b);
  assert_string_equal(print_a, print_b);
  TEST_SAME_BITS(flow_series(&a, "drag"), flow_series(&b, "drag"), 200, TRM_TYPE_F64);
  TEST_SAME_BITS(flow_series(&a, "lift"), flow_series(&b, "lift"), 200, TRM_TYPE_F64);
  assert_true(flow_series(&a, "drag")[199] > 0.1);
  flow_end(&b);
  flow_end(&a);
}

static void a_picture_is_the_shapes_that_it_shows(trm_device *device)
{
  static const char *const flows[] = {"channel", "geneva"};
  for (int i = 0; i < 2; i++) {
    char shapes[512], mask[8192];
    snprintf(shapes, sizeof shapes, shaped, flows[i]);
    double *solid = solid_of(device, shapes);
    snprintf(mask, sizeof mask, masked, draw(solid, NX, NY, 0), flows[i]);
    hold_same(device, shapes, mask);
    free(solid);
  }
}

/* Pixels of 2 x 2 cells. */
static void a_picture_is_stretched_when_that_is_asked_for(trm_device *device)
{
  static double small[NX / 2 * (NY / 2)];
  char shapes[512], mask[8192], same_size[8192];
  for (int y = 3; y < 9; y++)
    for (int x = 8; x < 11; x++) small[y * (NX / 2) + x] = 1.0;
  const char *path = draw(small, NX / 2, NY / 2, 0);
  snprintf(shapes, sizeof shapes, "grid.nx=60|grid.ny=30|lbm.speed=0.05|lbm.viscosity=0.02|"
           "lbm.length=12|lbm.flow=channel|bodies.shapes=box 16 6 22 18");
  snprintf(mask, sizeof mask, masked, path, "channel|lbm.mask_scale=true");
  hold_same(device, shapes, mask);
  snprintf(same_size, sizeof same_size, masked, path, "channel");
  flow_refused(device, same_size, "mask.png: the picture has 30 x 15 pixels, the grid 60 x 30 "
               "cells; make them equal or set lbm.mask_scale = true");
}

static void what_is_transparent_is_fluid(trm_device *device)
{
  char shapes[512], mask[8192];
  snprintf(shapes, sizeof shapes, shaped, "channel");
  double *solid = solid_of(device, shapes);
  snprintf(mask, sizeof mask, masked, draw(solid, NX, NY, 1), "channel");
  flow_refused(device, mask, "no cell's centre is dark in the picture");
  free(solid);
}

static void a_picture_that_cannot_stand_there_is_refused(trm_device *device)
{
  static double solid[NX * NY];
  char mask[8192];
  memset(solid, 0, sizeof solid);
  for (int y = 0; y < NY; y++) solid[y * NX + 30] = 1.0;
  snprintf(mask, sizeof mask, masked, draw(solid, NX, NY, 0), "channel");
  flow_refused(device, mask, "the obstacle of lbm.mask blocks the channel");
  memset(solid, 0, sizeof solid);
  solid[7 * NX] = 1.0;
  snprintf(mask, sizeof mask, masked, draw(solid, NX, NY, 0), "geneva");
  flow_refused(device, mask, "the obstacle of lbm.mask touches the inflow at cell (0, 7)");
  snprintf(mask, sizeof mask, masked, write_text("text.png", "no picture\n"), "channel");
  flow_refused(device, mask, "text.png: no PNG picture that libpng can read");
  uint8_t cell = 0;
  TEST_FAILS(trm_mask_read("/nowhere/mask.png", 1, 1, 0, &cell), TRM_ERROR_IO,
             "cannot read '/nowhere/mask.png': No such file");
}
#endif

/* ---- tables --------------------------------------------------------------------------------- */

static const char open_channel[] =
  "lbm.flow=channel|grid.nx=60|grid.ny=30|lbm.viscosity=0.02|bodies.shapes=box 16 6 22 18|"
  "lbm.inflow=";

static flow_run run_inflow(trm_device *device, trm_precision precision, const char *inflow)
{
  char settings[8192];
  flow_run run;
  snprintf(settings, sizeof settings, "%s%s", open_channel, inflow);
  flow_begin(&run, device, precision, settings);
  flow_steps(&run, 200, 0);
  return run;
}

static void a_table_of_one_speed_is_a_uniform_inflow(trm_device *device)
{
  char inflow[4200], a[33], b[33];
  snprintf(inflow, sizeof inflow, "table|lbm.inflow_table=%s",
           write_text("level.txt", "# y speed\n0 0.05\n\n11.5, 0.05\n30\t0.05\n"));
  flow_run table = run_inflow(device, TRM_F32, inflow);
  flow_run uniform = run_inflow(device, TRM_F32, "uniform|lbm.speed=0.05");
  flow_print(&table, a);
  flow_print(&uniform, b);
  assert_string_equal(a, b);
  flow_end(&uniform);
  flow_end(&table);
}

/* A point at each height where a link crosses the inflow, and one
 * between, which changes nothing. */
static void a_table_of_a_parabola_is_a_parabolic_inflow(trm_device *device)
{
  char text[8192] = "", inflow[4200];
  double off = 0, most = 0;
  test_needs_f64(device);
  for (int i = 0; i <= 2 * NY; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%.17g %.17g\n", 0.5 * i,
             0.05 * 4.0 * (0.5 * i / NY) * ((NY - 0.5 * i) / NY));
  snprintf(inflow, sizeof inflow, "table|lbm.reference_speed=0.03|lbm.inflow_table=%s",
           write_text("parabola.txt", text));
  flow_run table = run_inflow(device, TRM_F64, inflow);
  flow_run parabolic = run_inflow(device, TRM_F64,
                                  "parabolic|lbm.speed=0.05|lbm.reference_speed=0.03");
  double *a = flow_values(&table, "velocity"), *b = flow_values(&parabolic, "velocity");
  for (int i = 0; i < 2 * NX * NY; i++) {
    off = fmax(off, fabs(a[i] - b[i]));
    most = fmax(most, fabs(b[i]));
  }
  assert_true(most > 0.04);
  assert_true(off < 1e-14);
  free(b);
  free(a);
  flow_end(&parabolic);
  flow_end(&table);
}

/* The mean of the cells' heights is the reference speed: 0.03 of a straight line to 0.06. */
static void between_lines_a_table_is_straight(trm_device *device)
{
  char inflow[4200];
  snprintf(inflow, sizeof inflow, "table|lbm.inflow_table=%s",
           write_text("line.txt", "0 0\n30 0.06\n"));
  flow_run run = run_inflow(device, TRM_F32, inflow);
  TEST_CLOSE(flow_result(&run, "mach"), 0.03 * sqrt(3.0), 1e-12);
  flow_end(&run);
}

static void refuse_table(trm_device *device, const char *text, const char *part)
{
  char settings[8192];
  snprintf(settings, sizeof settings, "%stable|lbm.inflow_table=%s", open_channel,
           write_text("bad.txt", text));
  flow_refused(device, settings, part);
}

static void a_bad_table_is_refused_with_its_place(trm_device *device)
{
  char settings[512];
  refuse_table(device, "0 0.01\n5 fast\n", "bad.txt:2: '5 fast' is not a height and a speed");
  refuse_table(device, "0 0.01\n5\n", "bad.txt:2: '5' is not a height and a speed");
  refuse_table(device, "0 0.01\n5 0.02 0.03\n", "bad.txt:2: '5 0.02 0.03' is not a height and");
  refuse_table(device, "0 0.01\n5 nan\n", "bad.txt:2: '5 nan' is not a height and a speed");
  refuse_table(device, "# y\n0 0.01\n7 0.02\n7 0.03\n",
               "bad.txt:4: 7 comes after 7: sort the lines");
  refuse_table(device, "# nothing\n", "bad.txt: holds no line of a height and a speed");
  refuse_table(device, "0 0.01\n5 0.3\n", "lbm.inflow_table: a speed of 0.3 is Mach 0.52");
  snprintf(settings, sizeof settings, "%stable", open_channel);
  flow_refused(device, settings, "lbm.inflow = \"table\" needs lbm.inflow_table");
}

/* ---- what is refused ------------------------------------------------------------------------ */

#define EMPTY "lbm.flow=channel|grid.nx=60|grid.ny=40|lbm.speed=0.05|"
#define CHANNEL "lbm.flow=channel|grid.nx=60|grid.ny=30|lbm.speed=0.05|"

static void an_obstacle_that_cannot_stand_there_is_refused(trm_device *device)
{
  flow_refused(device, CHANNEL "bodies.shapes=cylinder 100 15 4",
               "shape 1 of bodies.shapes reaches from (96, 11) to (104, 19), outside the grid of "
               "60 x 30 cells; move it or make the grid larger");
  flow_refused(device, CHANNEL "bodies.shapes=cylinder 4 15 4",
               "the obstacle of bodies.shapes touches the inflow at cell (1, 12); columns 0 and 1 "
               "must be fluid: move it to the east");
  flow_refused(device, CHANNEL "bodies.shapes=box 20 0 24 30",
               "the obstacle of bodies.shapes blocks the channel: no way leads from the inflow "
               "to the outflow");
  flow_refused(device, CHANNEL "bodies.shapes=cylinder 20 15", "X Y RADIUS");
  flow_refused(device, CHANNEL "bodies.shapes=cube 20 15 3", "not a shape");
  flow_refused(device, CHANNEL "bodies.shapes=box 20 15 19 18", "X0 < X1");
  flow_refused(device, CHANNEL "bodies.shapes=polygon 20 15 19 18 3", "three points");
  flow_refused(device, CHANNEL "bodies.shapes=cylinder 20 15 0.1", "no cell's centre");
  flow_refused(device, CHANNEL "probes=60 3", "off the grid");
  flow_refused(device, CHANNEL "probes=6 3; 6 3", "twice");
  flow_refused(device, CHANNEL "bodies.shapes=box 20 8 29 14|probes=25 10",
               "stands in an obstacle");
}

static void a_fluid_that_cannot_be_is_refused(trm_device *device)
{
  flow_refused(device, CHANNEL "lbm.reynolds=100|lbm.reynolds_dim=10|lbm.viscosity=0.02",
               "lbm.viscosity = 0.02 contradicts lbm.reynolds, from which lbm.viscosity = 0.005 "
               "follows; give one of them");
  flow_refused(device, CHANNEL "lbm.viscosity=0.02|lbm.omega=1.9", "contradicts lbm.viscosity");
  flow_refused(device, CHANNEL "lbm.reynolds=1e20|lbm.reynolds_dim=10",
               "gives omega = 2; it must lie between 0 and 2: make the Reynolds number smaller");
  flow_refused(device, "lbm.flow=channel|grid.nx=60|grid.ny=30|lbm.speed=0.2",
               "lbm.speed: a speed of 0.2 is Mach 0.346; the lattice's speed of sound is 0.577, "
               "and the method holds up to Mach 0.3, a speed of 0.173: make it smaller");
  flow_refused(device, CHANNEL "boundary.north=moving|lbm.wall_speed=-0.2",
               "lbm.wall_speed: a speed of 0.2 is Mach 0.346");
  flow_refused(device, "lbm.flow=channel|grid.nx=60|grid.ny=30", "lbm.speed is not set");
}

static void a_start_that_the_method_does_not_hold_for_is_refused(trm_device *device)
{
  flow_refused(device, CHANNEL "initial.velocity_x=0.01*x", "give a speed of 0.175 in cell (17, "
      "0)");
  flow_refused(device, CHANNEL "initial.velocity_x=0.001/(x-5.5)", "give a speed of inf in cell "
      "(5, 0)");
  flow_refused(device, CHANNEL "initial.density=3.5-x", "initial.density is 0 in cell (3, 0)");
  flow_refused(device, CHANNEL "initial.density=0/0", "initial.density is");
}

static void a_key_that_nothing_looks_at_is_refused(trm_device *device)
{
  flow_refused(device, CHANNEL "boundary.north=moving", "a moving wall needs lbm.wall_speed");
  flow_refused(device, CHANNEL "lbm.wall_speed=0.1", "without a wall that moves");
  flow_refused(device, CHANNEL "lbm.inflow_table=speeds.txt", "for lbm.inflow = \"table\" alone");
}

/* The doubles next to 2 are 2 in single precision. */
static void omega_of_no_viscosity_is_refused(trm_device *device)
{
  flow_refused(device, CHANNEL "lbm.omega=1.99999999",
               "lbm.omega gives omega = 1.99999999, which is 2 in single precision");
  flow_refused(device, "grid.nx=60|grid.ny=30|lbm.omega=1.99999999", "is 2 in single");
}

static void omega_outside_0_to_2_is_refused(void)
{
  static const char *const values[] = {"0", "-0.1", "2", "2.5"};
  const trm_solver_type *const *type = trm_solver_types();
  while (strcmp((*type)->name, "lbm") != 0) type++;
  const trm_option *const tables[] = {(*type)->options};
  const size_t counts[] = {(*type)->option_count};
  for (size_t i = 0; i < 4; i++) {
    trm_config *config = NULL;
    TEST_OK(trm_config_create(tables, counts, 1, &config));
    TEST_FAILS(trm_config_set(config, "lbm.omega", values[i], "the test"), TRM_ERROR_INPUT,
               "is outside its range; give a value greater than 0 and less than 2");
    trm_config_destroy(&config);
  }
}

/* docs/cylinder.md, "Low viscosity": a run of each of these diverges. */
static void an_outflow_at_too_low_a_viscosity_is_refused_with_the_cure(trm_device *device)
{
  static const char *const diverge[] = {
    "lbm.viscosity=0.004", "lbm.viscosity=0.0045|lbm.collision=trt",
    "lbm.viscosity=0.003|lbm.inflow=parabolic",
    "lbm.viscosity=0.0038|lbm.collision=trt|lbm.magic=0.1875|lbm.inflow=parabolic",
    "lbm.omega=1.953", "lbm.viscosity=0.004|lbm.collision=trt|lbm.inflow=parabolic"};
  static const char *const run[] = {
    "lbm.viscosity=0.00422", "lbm.viscosity=0.00487|lbm.collision=trt|lbm.magic=0.1875",
    "lbm.viscosity=0.00316|lbm.inflow=parabolic", "lbm.viscosity=0.004|lbm.collision=regularised",
    "lbm.viscosity=0.001|boundary.east=copy", "lbm.viscosity=0.004|lbm.collision=trt|"
                                              "lbm.magic=0.0833"};
  char settings[256];
  for (size_t i = 0; i < sizeof diverge / sizeof *diverge; i++) {
    snprintf(settings, sizeof settings, "%s%s", EMPTY, diverge[i]);
    flow_refused(device, settings, "set lbm.collision to \"regularised\"");
  }
  for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
    flow_run flow;
    snprintf(settings, sizeof settings, "%s%s", EMPTY, run[i]);
    flow_begin(&flow, device, TRM_F32, settings);
    flow_end(&flow);
  }
}

static void a_key_of_another_flow_is_refused(trm_device *device)
{
  flow_refused(device, CHANNEL "boundary.east=periodic", "both are periodic");
  flow_refused(device, CHANNEL "lbm.implementation=split", "\"geneva\"");
  flow_refused(device, CHANNEL "lbm.implementation=bristol-tree", "\"driven\"");
  flow_refused(device, "grid.nx=60|grid.ny=30|lbm.implementation=fused", "\"geneva\"");
  flow_refused(device, CHANNEL "lbm.accel=0.1", "\"driven\"");
  flow_refused(device, "grid.nx=60|grid.ny=30|lbm.speed=0.02", "belongs to lbm.flow");
  flow_refused(device, "lbm.flow=geneva|grid.nx=60|grid.ny=30|lbm.speed=0.02|lbm.collision=trt",
               "\"channel\"");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(shapes_hold_the_cells_whose_centres_they_hold),
#ifdef HAVE_LIBPNG
    TEST_DEVICE(a_picture_is_the_shapes_that_it_shows),
    TEST_DEVICE(a_picture_is_stretched_when_that_is_asked_for),
    TEST_DEVICE(what_is_transparent_is_fluid),
    TEST_DEVICE(a_picture_that_cannot_stand_there_is_refused),
#endif
    TEST_DEVICE(a_table_of_one_speed_is_a_uniform_inflow),
    TEST_DEVICE(a_table_of_a_parabola_is_a_parabolic_inflow),
    TEST_DEVICE(between_lines_a_table_is_straight),
    TEST_DEVICE(a_bad_table_is_refused_with_its_place),
    TEST_DEVICE(an_obstacle_that_cannot_stand_there_is_refused),
    TEST_DEVICE(a_fluid_that_cannot_be_is_refused),
    TEST_DEVICE(a_start_that_the_method_does_not_hold_for_is_refused),
    TEST_DEVICE(a_key_that_nothing_looks_at_is_refused),
    TEST_DEVICE(omega_of_no_viscosity_is_refused),
    TEST_HOST(omega_outside_0_to_2_is_refused),
    TEST_DEVICE(an_outflow_at_too_low_a_viscosity_is_refused_with_the_cure),
    TEST_DEVICE(a_key_of_another_flow_is_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
