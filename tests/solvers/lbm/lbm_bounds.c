/* lbm_bounds.c - flows between boundaries in two dimensions: densities other than 1, obstacles
 * across periodic sides and without cells, and what the method cannot bear, with the cures. */
#include "tests/solvers/flow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANNEL "lbm.flow=channel|"
#define PERIODIC CHANNEL "boundary.west=periodic|boundary.east=periodic|"

static void takes(trm_device *device, const char *settings)
{
  flow_run run;
  flow_begin(&run, device, TRM_F32, settings);
  if (run.solver->caution) fail_msg("%s: %s", settings, run.solver->caution);
  flow_end(&run);
}

static void warns(trm_device *device, const char *settings, const char *part)
{
  flow_run run;
  flow_begin(&run, device, TRM_F32, settings);
  if (!run.solver->caution || !strstr(run.solver->caution, part))
    fail_msg("%s: '%s' is not in '%s'", settings, part, run.solver->caution);
  flow_end(&run);
}

/* ---- density --------------------------------------------------------------------------------- */

/* Couette flow: a straight line, whatever the density, of each collision. */
static void a_wall_moves_the_fluid_at_its_own_speed(trm_device *device)
{
  test_is_spared(device);
  static const char *const how[] = {"bgk", "trt", "regularised"};
  static const double densities[] = {0.9, 1.05, 1.6};
  test_needs_f64(device);
  for (int i = 0; i < 9; i++) {
    char settings[400];
    flow_run run;
    double mean = 0;
    snprintf(settings, sizeof settings, PERIODIC "grid.nx=4|grid.ny=8|boundary.north=moving|"
             "lbm.wall_speed=0.05|lbm.viscosity=0.16666666666666667|lbm.collision=%s|"
             "initial.density=%g", how[i % 3], densities[i / 3]);
    flow_begin(&run, device, TRM_F64, settings);
    flow_steps(&run, 3000, 0);
    double *u = flow_values(&run, "velocity"), *rho = flow_values(&run, "density");
    for (int y = 0; y < 8; y++)
      if (!(fabs(u[y * 4] / (0.05 * (y + 0.5) / 8) - 1) < 1e-9))
        fail_msg("%s: u = %.17g in row %d", settings, u[y * 4], y);
    for (int j = 0; j < 32; j++) mean += rho[j] / 32;
    assert_true(fabs(mean / densities[i / 3] - 1) < 1e-12);
    free(u);
    free(rho);
    flow_end(&run);
  }
}

/* A force against the stream: the density falls along it, and the velocity is what is given. */
static void an_inflow_has_the_velocity_that_is_given(trm_device *device)
{
  test_is_spared(device);
  flow_run run;
  test_needs_f64(device);
  flow_begin(&run, device, TRM_F64, CHANNEL "grid.nx=40|grid.ny=4|boundary.south=periodic|"
             "boundary.north=periodic|lbm.speed=0.02|lbm.viscosity=0.05|body_force=-5e-4 0 0");
  flow_steps(&run, 6000, 0);
  double *u = flow_values(&run, "velocity"), *rho = flow_values(&run, "density");
  print_message("# density %g, velocity %.12g\n", rho[0], u[0]);
  assert_true(rho[0] > 1.04 && fabs(u[0] / 0.02 - 1) < 0.01); /* half a cell from the side */
  free(u);
  free(rho);
  flow_end(&run);
}

/* ---- across periodic sides ------------------------------------------------------------------- */

static void hold_moved(trm_device *device, const char *surface, const double by[2])
{
  enum { N = 24 };
  double *u[2];
  for (int i = 0; i < 2; i++) {
    const double x = 12.25 + i * by[0], y = 11.5 + i * by[1];
    const double at = 6.5 + i * by[0] < -4 ? 6.5 + by[0] + N : 6.5 + i * by[0];
    const double up = 4 + i * by[1] < -5 ? 4 + by[1] + N : 4 + i * by[1];
    char settings[500];
    flow_run run;
    snprintf(settings, sizeof settings, PERIODIC "grid.nx=24|grid.ny=24|boundary.south=periodic|"
             "boundary.north=periodic|body_force=1e-5 2e-5 0|lbm.viscosity=0.05|"
             "lbm.bounce_back=%s|"
             "bodies.shapes=cylinder %g %g 4.2; polygon %g %g %g %g %g %g", surface, x, y, at, up,
             at + 4.25, up - 0.5, at + 1.5, up + 5.25);
    flow_begin(&run, device, TRM_F32, settings);
    flow_steps(&run, 50, 0);
    u[i] = flow_values(&run, "velocity");
    assert_true(flow_series(&run, "drag")[49] > 0);
    flow_end(&run);
  }
  for (int c = 0; c < 2; c++)
    for (int y = 0; y < N; y++)
      for (int x = 0; x < N; x++) {
        const int tx = (x + (int)by[0] + N) % N, ty = (y + (int)by[1] + N) % N;
        if (u[0][(c * N + y) * N + x] != u[1][(c * N + ty) * N + tx])
          fail_msg("%s: other bits at %d %d, moved by %g %g", surface, x, y, by[0], by[1]);
      }
  free(u[0]);
  free(u[1]);
}

static void an_obstacle_goes_on_across_a_periodic_side(trm_device *device)
{
  test_is_spared(device);
  static const double moves[][2] = {{12, 0}, {0, 11}, {-12, 0}, {-11, -12}, {11, 12}};
  for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
    hold_moved(device, "interpolated", moves[i]);
    hold_moved(device, "halfway", moves[i]);
  }
  flow_refused(device, PERIODIC "grid.nx=24|grid.ny=24|lbm.viscosity=0.05|bodies.shapes=box 4 -1 "
                                "9 9",
               "outside the grid");
}

/* A plate from end to end: nothing varies along it. */
static void a_plate_as_long_as_the_box_has_no_ends(trm_device *device)
{
  test_is_spared(device);
  flow_run run;
  flow_begin(&run, device, TRM_F32, PERIODIC "grid.nx=12|grid.ny=14|lbm.viscosity=0.1|"
             "body_force=1e-4 0 0|lbm.bounce_back=interpolated|bodies.shapes=box 0 2.25 12 4.75");
  flow_steps(&run, 200, 0);
  double *u = flow_values(&run, "velocity");
  for (int i = 0; i < 12 * 14; i++) assert_true(u[i] == u[i / 12 * 12]);
  assert_true(u[9 * 12] > 1e-3);
  free(u);
  flow_end(&run);
}

/* ---- what is refused --------------------------------------------------------------------- */

#define OPEN CHANNEL "grid.nx=40|grid.ny=20|lbm.speed=0.05|"

static void a_shape_without_a_cell_is_refused_by_name(trm_device *device)
{
  char path[4096], settings[4400];
  flow_refused(device, OPEN "lbm.viscosity=0.02|bodies.shapes=cylinder 20 10 3; box 30.6 4 30.9 16",
               "shape 2 of bodies.shapes, 'box 30.6 4 30.9 16', holds no cell's centre");
  takes(device, OPEN "lbm.viscosity=0.02|bodies.shapes=cylinder 20 10 3; box 30.4 4 30.9 16");
  snprintf(path, sizeof path, "%s/none.dat", test_folder());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
  snprintf(settings, sizeof settings, OPEN "lbm.viscosity=0.02|lbm.obstacles=%s", path);
  flow_refused(device, settings, "has no solid cell; leave lbm.obstacles out");
}

static void what_the_method_cannot_bear_is_refused(trm_device *device)
{
  flow_refused(device, OPEN "lbm.viscosity=1e30", "a viscosity of 1e+30 on the lattice");
  flow_refused(device, CHANNEL "grid.nx=40|grid.ny=20|lbm.speed=0.05|lbm.omega=0.001",
               "a viscosity of 333.167 on the lattice");
  flow_refused(device, OPEN "lbm.viscosity=0.02|lbm.reference_speed=168", "Mach 291");
#define GENEVA "lbm.flow=geneva|grid.nx=40|grid.ny=20|bodies.shapes=cylinder 10 10 3|" \
               "lbm.speed=0.05|"
  flow_refused(device, GENEVA "lbm.viscosity=30", "a viscosity of 30 on the lattice");
  flow_refused(device, GENEVA "lbm.viscosity=0.02|lbm.reference_speed=168", "Mach 291");
  flow_refused(device, OPEN "lbm.viscosity=0.02|boundary.east=wall", "a wall in the east of an "
      "inflow");
  flow_refused(device, PERIODIC "grid.nx=8|grid.ny=8|lbm.viscosity=0.1|initial.density=100",
               "the mean of initial.density is 100");
  flow_refused(device, PERIODIC "grid.nx=8|grid.ny=8|lbm.viscosity=0.1|initial.density=y<4 ? 1.6 : "
               "0.8", "bring it between 0.84 and 1.56");
  flow_refused(device, OPEN "lbm.viscosity=0.02|lbm.collision=trt|lbm.magic=50", "lbm.magic = 50");
  flow_refused(device, PERIODIC "grid.nx=8|grid.ny=8|lbm.viscosity=0.1|body_force=0 0.05 0",
               "against the walls at its ends");
  warns(device, PERIODIC "grid.nx=24|grid.ny=24|lbm.viscosity=0.001|bodies.shapes=cylinder 12 12 4|"
        "body_force=0.01 0 0", "would drive a laminar flow to Mach");
}

/* The force that the message gives: its flow is as fast as the method bears, nearly. */
static void the_cure_of_a_force_is_one(trm_device *device)
{
#define GAP PERIODIC "grid.nx=4|grid.ny=16|lbm.viscosity=0.05|body_force="
  char settings[400];
  double cure = 0, most = 0;
  flow_run run;
  test_needs_f64(device);
  assert_int_equal(flow_try(&run, device, TRM_F64, GAP "3.2e-3 0 0"), TRM_ERROR_INPUT);
  const char *text = strstr(trm_error_last()->text, "make it ");
  assert_true(text && sscanf(text, "make it %lf or less", &cure) == 1);
  snprintf(settings, sizeof settings, GAP "%g 0 0", cure);
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, 6000, 0);
  double *speed = flow_values(&run, "speed");
  for (int i = 0; i < 64; i++) most = fmax(most, speed[i]);
  print_message("# %s: Mach %g\n", settings, most * sqrt(3.0));
  assert_true(most * sqrt(3.0) > 0.27 && most * sqrt(3.0) <= 0.3);
  free(speed);
  flow_end(&run);
}

/* ---- the driven box ------------------------------------------------------------------------- */

/* Rows of solid cells in a box of 32 x 32, as a setting. */
static const char *rows(int first, int second)
{
  static char setting[4200];
  const int used = snprintf(setting, sizeof setting, "lbm.obstacles=%s/rows-%d-%d.dat",
                            test_folder(), first, second);
  FILE *file = fopen(setting + strlen("lbm.obstacles="), "w");
  assert_non_null(file);
  assert_true(used < (int)sizeof setting);
  for (int x = 0; x < 32; x++) fprintf(file, "%d %d 1\n%d %d 1\n", x, first, x, second);
  fclose(file);
  return setting;
}

#define DRIVEN "grid.nx=32|grid.ny=32|"
static double mach_of(trm_device *device, const char *settings, uint64_t steps)
{
  flow_run run;
  double most = 0;
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, steps, 0);
  double *speed = flow_values(&run, "speed");
  for (int i = 0; i < 32 * 32; i++) most = fmax(most, speed[i] * sqrt(3.0));
  print_message("# %s: Mach %.3f\n", settings, most);
  free(speed);
  flow_end(&run);
  return most;
}

static double cure_of(const char *text)
{
  double cure = 0;
  const char *at = text ? strstr(text, "make it ") : NULL;
  assert_true(at && sscanf(at, "make it %lf or less", &cure) == 1);
  return cure;
}

/* A wall holds the row beside it, so its speed is known. An accel that is too large is refused. */
static void a_row_at_a_wall_is_not_driven_beyond_the_method(trm_device *device)
{
  char settings[4400];
  flow_run run;
  test_needs_f64(device);
  snprintf(settings, sizeof settings, DRIVEN "lbm.omega=1.7|lbm.accel=0.2|%s", rows(0, 31));
  assert_int_equal(flow_try(&run, device, TRM_F64, settings), TRM_ERROR_INPUT);
  assert_non_null(strstr(trm_error_last()->text, "lbm.accel = 0.2 drives the flow to Mach 1.9"));
  const double cure = cure_of(trm_error_last()->text);
  snprintf(settings, sizeof settings, DRIVEN "lbm.omega=1.7|lbm.accel=%g|%s", cure, rows(0, 31));
  takes(device, settings);
  const double mach = mach_of(device, settings, 16000);
  assert_true(mach > 0.25 && mach <= 0.3);
}

/* Far from walls, or without any, it depends on the steps. */
static void a_row_without_a_wall_is_told_how_fast_it_becomes(trm_device *device)
{
#define LONG DRIVEN "lbm.omega=1.7|lbm.accel=0.01|run.steps=2000"
  char settings[4400];
  flow_run run;
  test_needs_f64(device);
  warns(device, LONG, "lbm.accel = 0.01 would drive a laminar flow to Mach 1.2");
  assert_true(mach_of(device, LONG, 2000) > 0.6);
  flow_begin(&run, device, TRM_F64, LONG);
  snprintf(settings, sizeof settings, DRIVEN "lbm.omega=1.7|run.steps=2000|lbm.accel=%g",
           cure_of(run.solver->caution));
  flow_end(&run);
  takes(device, settings);
  assert_true(mach_of(device, settings, 2000) <= 0.3);
  takes(device, DRIVEN "lbm.omega=1.7|lbm.accel=0.01|run.steps=40");
  takes(device, DRIVEN "lbm.omega=1.7|lbm.accel=0.01"); /* how long it will be is not known */
  snprintf(settings, sizeof settings, LONG "|%s", rows(16, 16));
  warns(device, settings, "lbm.accel = 0.01 would drive");
}

static void what_the_driven_box_cannot_bear_is_told(trm_device *device)
{
  char settings[4400];
  double cure = 0;
  flow_run run;
  flow_refused(device, DRIVEN "lbm.omega=0.28", "a viscosity of 1.02381 on the lattice");
  takes(device, DRIVEN "lbm.omega=0.29|lbm.accel=0.001");
  flow_refused(device, DRIVEN "lbm.omega=1.9999996", "or set run.precision = \"f64\"");
  snprintf(settings, sizeof settings, DRIVEN "lbm.omega=1.999|lbm.accel=8e-5|%s", rows(0, 31));
  warns(device, settings, "lbm.omega = 1.999: at the speed that lbm.accel may drive");
  flow_begin(&run, device, TRM_F32, settings);
  assert_int_equal(sscanf(strstr(run.solver->caution, "make lbm.omega "), "make lbm.omega %lf",
                          &cure), 1);
  flow_end(&run);
  snprintf(settings, sizeof settings, DRIVEN "lbm.omega=%g|lbm.accel=8e-5|%s", cure, rows(0, 31));
  takes(device, settings);
  assert_true(mach_of(device, settings, 4000) > 0);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_wall_moves_the_fluid_at_its_own_speed),
    TEST_DEVICE(an_inflow_has_the_velocity_that_is_given),
    TEST_DEVICE(an_obstacle_goes_on_across_a_periodic_side),
    TEST_DEVICE(a_plate_as_long_as_the_box_has_no_ends),
    TEST_DEVICE(a_shape_without_a_cell_is_refused_by_name),
    TEST_DEVICE(what_the_method_cannot_bear_is_refused),
    TEST_DEVICE(the_cure_of_a_force_is_one),
    TEST_DEVICE(a_row_at_a_wall_is_not_driven_beyond_the_method),
    TEST_DEVICE(a_row_without_a_wall_is_told_how_fast_it_becomes),
    TEST_DEVICE(what_the_driven_box_cannot_bear_is_told),
  };
  return TEST_RUN(argc, argv, cases);
}
