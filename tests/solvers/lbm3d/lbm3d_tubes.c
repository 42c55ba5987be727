/* lbm3d_tubes.c - flows in surfaces of triangles: tubes, against Hagen and Poiseuille, a pressure
 * at an opening, and surfaces in which nothing can flow. */
#include "tests/solvers/flow_run.h"
#include "tests/solvers/lbm3d/tube.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* The mean shear stress on the wall in the middle third along x. */
static double mean_shear(flow_run *run, const int n[3])
{
  double *shear = flow_values(run, "wall_shear"), sum = 0, count = 0;
  for (int i = 0; i < n[0] * n[1] * n[2]; i++)
    if (shear[i] > 0 && i % n[0] > n[0] / 3 && i % n[0] < 2 * n[0] / 3) sum += shear[i], count++;
  free(shear);
  return sum / count;
}

/* What flows through a tube of three diameters, relative to Hagen and Poiseuille: pi D^4 dp / (128
 * rho nu) of its length, less 1. */
static double tube_error(trm_device *device, int d, double angle)
{
  const int length = 3, steps = 7 * d * d, n = (int)ceil((length * sin(angle) + 1) * d) + 4;
  const double known = 0.004 / 3 * pi * pow(d, 4) / (128 * 0.1 * length * d);
  char settings[1600];
  flow_run run;
  snprintf(settings, sizeof settings,
           "grid.nx=%d|grid.ny=%d|grid.nz=%d|lbm.viscosity=0.1|bodies.stl=%s|"
           "bodies.stl_cell=%.17g|lbm.patches=inlet density 1.002; outlet density 0.998",
           (length + (angle > 0)) * d + 4, n, n, write_tube(length, angle, 1), 1.0 / d);
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, (uint64_t)steps, 0);
  const double in = flow_series(&run, "inlet_flux")[steps - 1];
  const double out = flow_series(&run, "outlet_flux")[steps - 1];
  print_message("%d cells across, tilted by %g: flux in %.6g, out %.6g, off by %.3g\n", d, angle,
                in, out, in / known - 1);
  const double shear = mean_shear(&run, (int[]){(length + (angle > 0)) * d + 4, n, n});
  const double drop = 0.004 / 3 / (4 * length); /* tau = dp D / (4 L) */
  print_message("shear on the wall %.6g, off by %.3g\n", shear, shear / drop - 1);
  assert_true(fabs(in + out) <= 1e-4 * in && flow_series(&run, "wall_force_x")[steps - 1] > 0);
  assert_true(fabs(shear / drop - 1) <= 0.05);
  flow_end(&run);
  return in / known - 1;
}

static void a_tube_from_stl_is_hagen_poiseuilles(trm_device *device)
{
  test_is_spared(device);
  test_needs_f64(device);
  assert_true(fabs(tube_error(device, 12, 0)) <= 0.018);
  assert_true(fabs(tube_error(device, 12, 0.35)) <= 0.018);
}

static void a_tube_of_32_cells_is_hagen_poiseuilles(trm_device *device)
{
  test_needs_f64(device);
  test_is_long();
  assert_true(fabs(tube_error(device, 32, 0)) <= 0.01);
  assert_true(fabs(tube_error(device, 32, 0.35)) <= 0.015);
}

static void surfaces_that_enclose_nothing_are_refused(trm_device *device)
{
  char settings[1600];
  snprintf(settings, sizeof settings, "grid.nx=20|grid.ny=20|grid.nz=20|lbm.viscosity=0.1|"
           "bodies.stl=%s", write_tube(3, 0, 0));
  flow_refused(device, settings, "has no partner");
  snprintf(settings, sizeof settings, "grid.nx=20|grid.ny=20|grid.nz=20|lbm.viscosity=0.1|"
           "bodies.stl=%s|lbm.patches=nostril density 1", write_tube(3, 0, 1));
  flow_refused(device, settings, "no solid called 'nostril'");
  snprintf(settings, sizeof settings, "grid.nx=20|grid.ny=20|grid.nz=20|lbm.viscosity=0.1|"
           "bodies.stl=%s|bodies.stl_cell=0.01", write_tube(3, 0, 1));
  flow_refused(device, settings, "does not fit");
  snprintf(settings, sizeof settings, "grid.nx=22|grid.ny=22|grid.nz=22|lbm.viscosity=0.1|"
           "bodies.stl=%s|bodies.stl_cell=0.111111", write_tube(2, 0, 1));
  flow_refused(device, settings, "cells of 0.11112 would do"); /* of a ninth, and no less */
  flow_refused(device, "grid.nx=20|grid.ny=20|grid.nz=20|lbm.viscosity=0.1|lbm.fluid=outside",
               "set bodies.stl");
}

/* Something small stands across the tube's wall, sharing no corner with it. */
static const char *write_crossed_tube(void)
{
  static const double at[4][3] = {{1.0, 0.4, 0.02}, {1.2, 0.4, 0.01}, {1.1, 0.45, 0.2},
                                  {1.1, 0.7, 0.1}};
  static const int of[4][3] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};
  const char *path = write_tube(3, 0, 1);
  FILE *file = fopen(path, "a");
  assert_non_null(file);
  for (int i = 0; i < 4; i++)
    write_facet(file, "thorn", at[of[i][0]], at[of[i][1]], at[of[i][2]]);
  assert_int_equal(fclose(file), 0);
  return path;
}

static void lumens_in_which_nothing_can_flow_are_refused(trm_device *device)
{
  static const struct { const char *settings, *part; } all[] = {
    {"body_force=0 0 0", "it has no opening; give two openings"},
    {"lbm.patches=inlet density 1.01", "it has one opening only; give two"},
    {"lbm.patches=inlet density 1; outlet density 1", "openings have the same density; give two"},
    {"lbm.patches=inlet inflow 0.02 0 0; outlet inflow -0.01 0 0",
     "nothing lets it out: the pressure would rise without end; give one opening a density"},
    {"lbm.patches=inlet density 1.01; inlet density 1", "lbm.patches names 'inlet' twice; leave"},
    {"lbm.patches=in density 1.01; outlet density 1", "no solid called 'in'; name one that it has: "
                                                      "'"},
    {"lbm.patches=inlet density 1.4; outlet density 1", "a density of 1.4 at inlet: it may be 0.9"},
    {"lbm.patches=inlet density 1; outlet density 0.8", "a density of 0.8 at outlet: it may be"},
    {"lbm.patches=outlet inflow 0.01 0 0", "the pressure would fall without end"},
    {"lbm.patches=inlet inflow 0.02 0 0; outlet density 1|bodies.stl_cell=0.65",
     "1 cells across where it is narrowest, and 2 are needed; make bodies.stl_cell 0.325"}};
  char settings[1600];
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    snprintf(settings, sizeof settings, "grid.nx=20|grid.ny=12|grid.nz=12|lbm.viscosity=0.1|"
             "bodies.stl=%s|%s", write_tube(3, 0, 1), all[i].settings);
    flow_refused(device, settings, all[i].part);
  }
  snprintf(settings, sizeof settings, "grid.nx=20|grid.ny=12|grid.nz=12|lbm.viscosity=0.1|"
           "bodies.stl=%s|lbm.patches=inlet density 1.1", write_crossed_tube());
  flow_refused(device, settings, "crosses itself: the triangles ");
  flow_refused(device, "grid.nx=8|grid.ny=8|grid.nz=8|lbm.viscosity=0.1|boundary.west=inflow|"
               "boundary.west_velocity=0.01; 0; 0|boundary.east=inflow|"
               "boundary.east_velocity=-0.01; 0; 0",
               "make one side an outflow");
}

static void an_opening_takes_a_pressure(trm_device *device)
{
  test_is_spared(device);
  static const char *const how[] = {"lbm.viscosity=0.1|lbm.patches=inlet density 1.01",
    "lbm.viscosity=0.1|lbm.patches=inlet pressure 0.0033333333333333333",
    ("lbm.reference_speed=0.05|units.cell=1e-3|units.speed=0.1|units.viscosity=2e-4|"
     "lbm.patches=inlet pressure 0.013333333333333333")}; /* step 0.5 ms: 2 m/s, 4 Pa */
  double flux[3];
  test_needs_f64(device);
  for (int i = 0; i < 3; i++) {
    char settings[1700];
    flow_run run;
    snprintf(settings, sizeof settings, "grid.nx=24|grid.ny=12|grid.nz=12|bodies.stl=%s|%s; "
             "outlet density 1", write_tube(2, 0, 1), how[i]);
    flow_begin(&run, device, TRM_F64, settings);
    flow_steps(&run, 20, 0);
    for (size_t k = 0; k < run.solver->result_count && i < 2; k++) /* of no known speed */
      assert_true(strcmp(run.solver->results[k].name, "reynolds") != 0 &&
                  strcmp(run.solver->results[k].name, "mach") != 0);
    flux[i] = flow_series(&run, "inlet_flux")[19] / (i == 2 ? 2e-6 : 1);
    flow_end(&run);
  }
  print_message("flux %.12g, %.12g, %.12g\n", flux[0], flux[1], flux[2]);
  assert_true(flux[0] > 0 && fabs(flux[1] / flux[0] - 1) < 1e-9);
  assert_true(fabs(flux[2] / flux[0] - 1) < 1e-9);
}

/* A cube whose sides are cut into squares of a length that no double has; two of them are
 * openings. */
static const char *write_cube(void)
{
  enum { PARTS = 7 };
  static char path[1200];
  snprintf(path, sizeof path, "%s/cube.stl", test_folder());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < 6 * PARTS * PARTS; i++) {
    const int axis = i % 6 / 2, side = i % 2, b = i / 6 % PARTS, c = i / 6 / PARTS;
    double at[4][3];
    for (int k = 0; k < 4; k++) {
      const int turn = side ? k : 3 - k;
      const int in_b = b + (turn == 1 || turn == 2), in_c = c + turn / 2;
      at[k][axis] = side ? 0.7 : 0.1;
      at[k][(axis + 1) % 3] = in_b == PARTS ? 0.7 : 0.1 + 0.6 * in_b / PARTS;
      at[k][(axis + 2) % 3] = in_c == PARTS ? 0.7 : 0.1 + 0.6 * in_c / PARTS;
    }
    const char *solid = axis > 0 ? "wall" : side ? "outlet" : "inlet";
    write_facet(file, solid, at[0], at[1], at[2]);
    write_facet(file, solid, at[0], at[2], at[3]);
  }
  assert_int_equal(fclose(file), 0);
  return path;
}

/* Seven cells wide, its walls lie on centres of cells: along each axis the cells on one side of it
 * are solid, all of them, and on the other none. */
static void walls_on_centres_of_cells_are_plane(trm_device *device)
{
  test_is_spared(device);
  char settings[1600];
  flow_run run;
  test_needs_f64(device);
  snprintf(settings, sizeof settings, "grid.nx=22|grid.ny=22|grid.nz=22|lbm.viscosity=0.1|"
           "body_force=1e-6 0 0|bodies.stl=%s|bodies.stl_cell=%.17g|lbm.fluid=outside",
           write_cube(), 0.6 / 7);
  flow_begin(&run, device, TRM_F64, settings);
  print_message("%g cells hold fluid\n", flow_fluid_cells(&run));
  assert_true(flow_fluid_cells(&run) == 22 * 22 * 22 - 7 * 7 * 7);
  flow_end(&run);
}

/* A link that ends where an opening and the wall meet ends at the wall, not at what rounding
 * says. */
static void a_square_tube_is_its_own_mirror_image(trm_device *device)
{
  test_is_spared(device);
  char settings[1600];
  flow_run run;
  test_needs_f64(device);
  snprintf(settings, sizeof settings, "grid.nx=10|grid.ny=10|grid.nz=10|lbm.viscosity=0.1|"
           "lbm.lattice=d3q27|lbm.collision=cumulant|bodies.stl=%s|bodies.stl_cell=0.1|"
           "lbm.patches=inlet density 1.002; outlet density 1", write_cube());
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, 40, 0);
  const double along = flow_series(&run, "wall_force_x")[39];
  const double y = flow_series(&run, "wall_force_y")[39], z = flow_series(&run, "wall_force_z")[39];
  print_message("force on the wall %g, %g, %g\n", along, y, z);
  assert_true(along > 0 && fabs(y) <= 1e-12 * along && fabs(z) <= 1e-12 * along);
  flow_end(&run);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_tube_from_stl_is_hagen_poiseuilles),
    TEST_DEVICE(a_tube_of_32_cells_is_hagen_poiseuilles),
    TEST_DEVICE(surfaces_that_enclose_nothing_are_refused),
    TEST_DEVICE(lumens_in_which_nothing_can_flow_are_refused),
    TEST_DEVICE(an_opening_takes_a_pressure),
    TEST_DEVICE(walls_on_centres_of_cells_are_plane),
    TEST_DEVICE(a_square_tube_is_its_own_mirror_image),
  };
  flow_solver = "lbm3d";
  return TEST_RUN(argc, argv, cases);
}
