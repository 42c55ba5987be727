/* lbm3d_density.c - densities other than 1: what moving walls and inflows give, in every form of
 * storage and on levels, and the densities that are refused. */
#include "tests/solvers/flow_run.h"
#include "tests/solvers/lbm3d/collisions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double densities[] = {0.9, 1.05, 1.6};

/* ---- walls ----------------------------------------------------------------------------------- */

/* Between a wall that rests and one that moves the velocity is a straight line, whatever the
 * density: of a cell at y + 1/2 of ny, its part of the wall's. */
static void a_wall_moves_the_fluid_at_its_own_speed(trm_device *device)
{
  test_is_spared(device);
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof densities / sizeof *densities; i++)
    for (int axis = 0; axis < 3; axis++) {
      static const char *const how[] = {
        "grid.nx=8|grid.ny=3|grid.nz=3|boundary.west=wall|boundary.east=moving|"
        "boundary.east_velocity=0; 0.05; 0",
        "grid.nx=3|grid.ny=8|grid.nz=3|boundary.south=wall|boundary.north=moving|"
        "boundary.north_velocity=0; 0; 0.05",
        "grid.nx=3|grid.ny=3|grid.nz=8|boundary.bottom=wall|boundary.top=moving|"
        "boundary.top_velocity=0.05; 0; 0"};
      char settings[400];
      flow_run run;
      snprintf(settings, sizeof settings, "%s|lbm.viscosity=0.16666666666666667|initial.density=%g",
               how[axis], densities[i]);
      flow_begin(&run, device, TRM_F64, settings);
      flow_steps(&run, 1200, 0);
      double *u = flow_values(&run, "velocity");
      const int last = 71, stride = axis == 0 ? 1 : axis == 1 ? 3 : 9, along = (axis + 1) % 3;
      for (int y = 0; y < 8; y++) {
        const double is = u[along * 72 + last - (7 - y) * stride];
        if (!(fabs(is / (0.05 * (y + 0.5) / 8) - 1) < 1e-10))
          fail_msg("%s: u = %.17g in cell %d", settings, is, y);
      }
      free(u);
      flow_end(&run);
    }
}

/* All is in proportion to the density but the velocity: a closed box has the velocities of one of
 * density 1, and keeps its mass. */
static void hold_velocities(trm_device *device, const char *box)
{
  char settings[900];
  flow_run unit, run;
  snprintf(settings, sizeof settings, "%s|initial.density=0.9", box);
  flow_begin(&unit, device, TRM_F64, box);
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&unit, 60, 0);
  flow_steps(&run, 60, 0);
  double *u = flow_values(&unit, "velocity"), *v = flow_values(&run, "velocity"), most = 0, off = 0;
  const trm_field *field = &run.solver->fields[1];
  const size_t values = 3 * field->nx * field->ny * field->nz;
  for (size_t i = 0; i < values; i++) {
    most = fmax(most, fabs(u[i]));
    off = fmax(off, fabs(u[i] - v[i]));
  }
  const double change = flow_series(&run, "density_change")[59];
  if (!(most > 0.02 && off < 1e-14 && fabs(change + 0.1) < 1e-14))
    fail_msg("%s: velocities up to %g are off by %g, density %.17g", box, most, off, 1 + change);
  free(u);
  free(v);
  flow_end(&unit);
  flow_end(&run);
}

#define WALLS "|lbm.viscosity=0.03|boundary.west=wall|boundary.east=wall|boundary.south=moving|" \
              "boundary.north=wall|" \
  "boundary.south_velocity=0.03; 0; -0.02|boundary.bottom=wall|boundary.top=moving|" \
  "boundary.top_velocity=0.05; 0.03; 0"

static void a_closed_box_has_the_velocities_of_density_1(trm_device *device)
{
  test_is_spared(device);
  static const char *const how[] = {
    "lbm.streaming=in-place", "lbm.storage=moments|lbm.collision=regularised",
    "bodies.shapes=sphere 8.3 7.9 6 2.6",
    "lbm.blocks=true", "grid.levels=1|mesh.refine=0 7 0 16 0 16",
    "grid.levels=1|mesh.refine=wall 3|bodies.shapes=sphere 8.3 8.4 8.1 1.6"};
  test_needs_f64(device);
  for (int i = 0; i < COLLISIONS; i++) {
    char box[800];
    snprintf(box, sizeof box, "grid.nx=12|grid.ny=11|grid.nz=13|%s" WALLS, collisions[i]);
    hold_velocities(device, box);
  }
  for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
    char box[800];
    snprintf(box, sizeof box, "grid.nx=16|grid.ny=16|grid.nz=16|%s" WALLS, how[i]);
    hold_velocities(device, box);
  }
}

/* By a code of forty lines in another language, which has walls by 6 w 0.9 e.u. */
static void a_lid_over_a_lighter_fluid_is_by_an_independent_code(trm_device *device)
{
  test_is_spared(device);
  static const double is[] = {-0.00748015235343, 0.000286830512114, -0.00299072116058};
  flow_run run;
  test_needs_f64(device);
  flow_begin(&run, device, TRM_F64, "grid.nx=5|grid.ny=5|grid.nz=5|lbm.viscosity=0.1|"
             "lbm.collision=bgk|boundary.west=wall|boundary.east=wall|boundary.south=wall|"
             "boundary.north=moving|"
             "boundary.north_velocity=0.05; 0; 0.02|boundary.bottom=wall|boundary.top=wall|"
             "initial.density=0.9");
  flow_steps(&run, 40, 0);
  double *u = flow_values(&run, "velocity"), *rho = flow_values(&run, "density");
  const int at = (2 * 5 + 3) * 5 + 2;
  for (int a = 0; a < 3; a++) assert_true(fabs(u[a * 125 + at] / is[a] - 1) < 1e-10);
  assert_true(fabs(rho[at] - 0.899396930318) < 1e-11);
  free(u);
  free(rho);
  flow_end(&run);
}

/* At an edge between walls that move neither pushes the fluid along the other's normal. */
static void walls_that_move_towards_each_other_keep_the_mass(trm_device *device)
{
  test_is_spared(device);
  static const char *const how[] = {"", "|lbm.lattice=d3q27", "|lbm.streaming=in-place",
    "|lbm.storage=moments|lbm.collision=regularised", "|lbm.blocks=true",
    "|bodies.shapes=sphere 4 4 4 1.5"};
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
    char box[700];
    flow_run run;
    snprintf(box, sizeof box, "grid.nx=16|grid.ny=16|grid.nz=16|lbm.viscosity=0.05|"
             "boundary.west=moving|boundary.west_velocity=0; 0.04; 0.03|boundary.east=moving|"
             "boundary.east_velocity=0; -0.03; 0.05|boundary.south=moving|"
             "boundary.south_velocity=0.05; 0; 0|"
             "boundary.north=wall|boundary.bottom=wall|boundary.top=moving|"
             "boundary.top_velocity=0.02; 0.04; 0%s", how[i]);
    flow_begin(&run, device, TRM_F64, box);
    flow_steps(&run, 50, 0);
    const double change = flow_series(&run, "density_change")[49];
    if (!(fabs(change) < 1e-15)) fail_msg("%s: the density changes by %g", box, change);
    flow_end(&run);
  }
}

/* The wall's number is the mean of the start: 1.05 here. */
static void a_density_that_varies_counts_by_its_mean(trm_device *device)
{
  test_is_spared(device);
  static const char *const how[] = {"1.05", "1.05+0.02*cos(2*pi*x/nx)"};
  double u[2];
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    char settings[400];
    flow_run run;
    snprintf(settings, sizeof settings, "grid.nx=8|grid.ny=8|grid.nz=3|lbm.viscosity=0.1|"
             "boundary.south=wall|boundary.north=moving|boundary.north_velocity=0; 0; 0.05|"
             "initial.density=%s",
             how[i]);
    flow_begin(&run, device, TRM_F64, settings);
    flow_steps(&run, 2000, 0);
    double *all = flow_values(&run, "velocity");
    u[i] = all[2 * 192 + 7 * 8];
    free(all);
    flow_end(&run);
  }
  assert_true(fabs(u[0] / (0.05 * 7.5 / 8) - 1) < 1e-9 && fabs(u[1] / u[0] - 1) < 1e-9);
}

/* ---- inflows --------------------------------------------------------------------------------- */

/* What flows in is the velocity that is given times the density beside it, in each step. */
static void hold_inflow(trm_device *device, const char *settings, const char *name, double speed,
                        double area)
{
  flow_run run;
  char pressure[40], flux[40];
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, 1200, 0);
  snprintf(pressure, sizeof pressure, "%s_pressure", name);
  snprintf(flux, sizeof flux, "%s_flux", name);
  const double rho = 1 + 3 * flow_series(&run, pressure)[1199];
  const double is = flow_series(&run, flux)[1199] / (area * rho);
  print_message("# %s: density %.6g, velocity %.12g of %g\n", settings, rho, is, speed);
  assert_true(fabs(rho - 1) > 0.01 && fabs(is / speed - 1) < 1e-12);
  flow_end(&run);
}

/* A force against the stream, so that the density falls along it. */
#define DUCT "lbm.viscosity=0.05|boundary.west=inflow|boundary.west_velocity=0.02; 0; 0|" \
             "boundary.east=outflow|" \
  "body_force=-5e-4 0 0"

static void an_inflow_has_the_velocity_that_is_given(trm_device *device)
{
  test_is_spared(device);
  static const char *const how[] = {"", "|lbm.lattice=d3q27", "|lbm.streaming=in-place",
                                    "|lbm.blocks=true", "|grid.levels=1|mesh.refine=0 9 0 8 0 8"};
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
    char settings[500];
    snprintf(settings, sizeof settings, "grid.nx=24|grid.ny=8|grid.nz=8|" DUCT "%s", how[i]);
    hold_inflow(device, settings, "west", 0.02, 64);
  }
}

/* Without an opening that has a density, what flows in would not be what flows out. */
static void inflows_alone_keep_the_mass(trm_device *device)
{
  test_is_spared(device);
  flow_run run;
  test_needs_f64(device);
  flow_begin(&run, device, TRM_F64, "grid.nx=8|grid.ny=8|grid.nz=16|lbm.viscosity=0.2|"
             "boundary.west=wall|boundary.east=wall|boundary.bottom=inflow|"
             "boundary.bottom_velocity=0; 0; 0.03|"
             "boundary.top=inflow|boundary.top_velocity=0; 0; 0.03|initial.density=1.05");
  flow_steps(&run, 1000, 0);
  assert_true(fabs(flow_series(&run, "density_change")[999] - 0.05) < 1e-12);
  const double in = flow_series(&run, "bottom_flux")[999];
  assert_true(fabs(in + flow_series(&run, "top_flux")[999]) < 1e-12);
  assert_true(fabs(in / (62 * 0.03 * 1.05) - 1) < 0.05);
  flow_end(&run);
}

/* ---- what is refused --------------------------------------------------------------------- */

static void densities_that_the_method_cannot_bear_are_refused(trm_device *device)
{
  flow_run run;
#define GRID "grid.nx=8|grid.ny=8|grid.nz=8|lbm.viscosity=0.1|"
  flow_refused(device, GRID "initial.density=100", "the mean of initial.density is 100, and "
               "densities of the lattice are about 1, from 0.5 to 2; divide it by 100");
  flow_begin(&run, device, TRM_F32, GRID "initial.density=100/100");
  flow_end(&run);
  flow_refused(device, GRID "initial.density=x<4 ? 1.6 : 0.8", "initial.density is 1.6 at x = 0.5");
  flow_refused(device, GRID "initial.density=x<4 ? 1.6 : 0.8", "between 0.84 and 1.56");
  flow_begin(&run, device, TRM_F32, GRID "initial.density=x<4 ? 1.55 : 0.85");
  flow_end(&run);
  flow_refused(device, GRID "initial.density=1.4|boundary.west=inflow|"
                            "boundary.west_velocity=0.02; 0; 0|"
               "boundary.east=outflow", "the density of openings is 1:");
  flow_refused(device, GRID "initial.density=x-4", "a density is above 0");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_wall_moves_the_fluid_at_its_own_speed),
    TEST_DEVICE(a_closed_box_has_the_velocities_of_density_1),
    TEST_DEVICE(a_lid_over_a_lighter_fluid_is_by_an_independent_code),
    TEST_DEVICE(walls_that_move_towards_each_other_keep_the_mass),
    TEST_DEVICE(a_density_that_varies_counts_by_its_mean),
    TEST_DEVICE(an_inflow_has_the_velocity_that_is_given),
    TEST_DEVICE(inflows_alone_keep_the_mass),
    TEST_DEVICE(densities_that_the_method_cannot_bear_are_refused),
  };
  flow_solver = "lbm3d";
  return TEST_RUN(argc, argv, cases);
}
