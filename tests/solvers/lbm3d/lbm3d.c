/* lbm3d.c - lattice Boltzmann in three dimensions: what flows in and out and what a body feels
 * balance, probes, batches, units, and cases that are refused. */
#include "tests/solvers/flow_run.h"
#include "tests/solvers/lbm3d/collisions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GRID "grid.nx=8|grid.ny=8|grid.nz=8|"

/* An inflow, an outflow and a sphere in between. */
#define TUNNEL \
  "grid.nx=24|grid.ny=17|grid.nz=19|boundary.west=inflow|" \
  "boundary.west_velocity=0.05*(1-(2*y/ny-1)^2); 0; 0|boundary.east=outflow|boundary.south=wall|" \
  "boundary.north=wall|" \
  "bodies.shapes=sphere 8.2 8.6 9.4 3.3|"
static const char tunnel[] = TUNNEL "lbm.viscosity=0.02";

/* Interpolated links, half-way ones; a surface's, a body's; with 27 velocities. */
static void mass_changes_by_what_flows_in(trm_device *device)
{
  test_is_spared(device);
  static const char *const how[] = {"lbm.bounce_back=halfway", "lbm.bounce_back=interpolated",
                                    "lbm.lattice=d3q27|lbm.collision=cumulant"};
  test_needs_f64(device);
  for (int j = 0; j < 3; j++) {
    char settings[512];
    flow_run run;
    snprintf(settings, sizeof settings, "%s|%s", tunnel, how[j]);
    flow_begin(&run, device, TRM_F64, settings);
    flow_steps(&run, 300, 0);
    const double *in = flow_series(&run, "west_flux"), *out = flow_series(&run, "east_flux");
    const double *change = flow_series(&run, "density_change");
    double cells = flow_fluid_cells(&run), off = 0;
    for (int i = 1; i < 300; i++)
      off = fmax(off, fabs((change[i] - change[i - 1]) * cells - (in[i] + out[i])));
    print_message("%s: mass is off by %.3g of %.3g that flow in a step\n", how[j], off, in[299]);
    assert_true(in[299] > 0.05 * 17 * 19 / 2 && off <= 1e-10);
    flow_end(&run);
  }
}

static double momentum(flow_run *run, int axis, double force)
{
  double *u = flow_values(run, "velocity"), *rho = flow_values(run, "density"), sum = 0;
  const int cells = (int)run->solver->cells;
  for (int i = 0; i < cells; i++) /* after a collision, with the whole of the force */
    if (u[i] != 0 || u[cells + i] != 0)
      sum += rho[i] * u[axis * cells + i] + 0.5 * force;
  free(u);
  free(rho);
  return sum;
}

static void a_body_feels_what_the_fluid_loses(trm_device *device)
{
  test_is_spared(device);
  static const char *const surfaces[] = {"halfway", "interpolated"};
  test_needs_f64(device);
  for (int i = 0; i < 2 * COLLISIONS; i++) {
    char settings[512];
    flow_run run;
    snprintf(settings, sizeof settings,
             "grid.nx=20|grid.ny=17|grid.nz=19|lbm.viscosity=0.05|body_force=1e-5 0 0|%s|"
             "bodies.shapes=sphere 8.2 8.6 9.4 3.3|lbm.bounce_back=%s", collisions[i % COLLISIONS],
             surfaces[i / COLLISIONS]);
    flow_begin(&run, device, TRM_F64, settings);
    flow_steps(&run, 200, 0);
    const double before = momentum(&run, 0, 1e-5);
    flow_steps(&run, 1, 0);
    const double after = momentum(&run, 0, 1e-5), felt = flow_series(&run, "force_x")[200];
    const double off = flow_fluid_cells(&run) * 1e-5 - felt - (after - before);
    print_message("%s: a force of %.6g is off by %.3g\n", settings, felt, off);
    assert_true(felt > 1e-3 && fabs(off) <= 1e-11);
    flow_end(&run);
  }
}

/* A point is a cell of the fields; a plane is their mean over its fluid cells. */
static void probes_are_what_the_fields_are(trm_device *device)
{
  test_is_spared(device);
  static const char *const how[] = {"body_force=0 1e-5 0", "lbm.lattice=d3q27"};
  test_needs_f64(device);
  for (int j = 0; j < 2; j++) {
    char settings[700];
    flow_run run;
    double flux = 0, pressure = 0, cells = 0;
    snprintf(settings, sizeof settings, "%s|%s|probes=here point 14.2 3.9 5; all plane x 8;"
             "part plane y 8 1 2 10 12", tunnel, how[j]);
    flow_begin(&run, device, TRM_F64, settings);
    flow_steps(&run, 37, 0);
    double *u = flow_values(&run, "velocity"), *rho = flow_values(&run, "density");
    double *solid = flow_values(&run, "solid"), *p = flow_values(&run, "pressure");
    const int n = 24 * 17 * 19, at = (5 * 17 + 3) * 24 + 14;
    for (int i = 0; i < 3; i++) {
      const char *names[] = {"here_u", "here_v", "here_w"};
      assert_true(fabs(flow_series(&run, names[i])[36] - u[i * n + at]) < 1e-15);
    }
    assert_true(fabs(flow_series(&run, "here_pressure")[36] - (rho[at] - 1) / 3) < 1e-15);
    assert_true(fabs(p[at] - (rho[at] - 1) / 3) < 1e-15);
    for (int i = 8; i < n; i += 24) {
      flux += rho[i] * u[i];
      if (solid[i] == 0) pressure += (rho[i] - 1) / 3, cells++;
    }
    print_message("flux %.12g, pressure %.12g of %g cells\n", flux, pressure / cells, cells);
    assert_true(cells < 17 * 19 && fabs(flow_series(&run, "all_flux")[36] / flux - 1) < 1e-12);
    assert_true(fabs(flow_series(&run, "all_pressure")[36] / (pressure / cells) - 1) < 1e-9);
    flux = 0;
    for (int z = 2; z < 12; z++)
      for (int x = 1; x < 10; x++)
        flux += rho[(z * 17 + 8) * 24 + x] * u[n + (z * 17 + 8) * 24 + x];
    assert_true(fabs(flow_series(&run, "part_flux")[36] - flux) < 1e-13);
    free(u);
    free(rho);
    free(solid);
    free(p);
    flow_end(&run);
  }
  flow_refused(device, GRID "lbm.viscosity=0.1|probes=a point 1 2",
               "is no probe; write 'NAME point X Y Z'");
  flow_refused(device, GRID "lbm.viscosity=0.1|probes=a plane x 9",
               "outside of the box of 8 x 8 x 8 cells; move it");
  flow_refused(device, GRID "lbm.viscosity=0.1|probes=a plane x 3;a point 1 2 3",
               "two probes are called 'a'");
  flow_refused(device, GRID "lbm.viscosity=0.1|bodies.shapes=sphere 4 4 4 2|probes=a point 4 4 4",
               "has no cell of the fluid; move it");
}

/* ---- runs ----------------------------------------------------------------------------------- */

static void batches_of_any_size_give_the_same_bits(trm_device *device)
{
  static const uint64_t batches[] = {0, 1, 9};
  char first[33], print[33];
  for (int i = 0; i < 3; i++) {
    flow_run run;
    flow_begin(&run, device, TRM_F32, tunnel);
    flow_steps(&run, 101, batches[i]);
    flow_print(&run, i ? print : first);
    if (i) assert_string_equal(first, print);
    flow_end(&run);
  }
}

/* ---- metres, seconds, kilograms ------------------------------------------------------------- */

/* The tunnel with cells of 1 mm and 0.1 m/s for 0.05 cells a step, which are 0.5 ms each. */
static void a_case_in_metres_has_the_same_bits(trm_device *device)
{
  test_is_spared(device);
#define METRES "units.cell=1e-3|units.speed=0.1|units.viscosity=4e-5|units.density=998"
  static const char *const how[] = {tunnel, TUNNEL METRES};
  char print[2][33];
  double values[2][3];
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    flow_run run;
    flow_begin(&run, device, TRM_F64, how[i]);
    flow_steps(&run, 100, 0);
    flow_print(&run, print[i]);
    values[i][0] = flow_series(&run, "west_flux")[99];
    values[i][1] = flow_series(&run, "force_x")[99];
    values[i][2] = flow_series(&run, "west_pressure")[99];
    assert_true(fabs(run.solver->time / (i ? 5e-4 : 1) - 100) < 1e-9);
    flow_end(&run);
  }
  assert_string_equal(print[0], print[1]);
  assert_true(fabs(values[1][0] / values[0][0] / (998 * 2e-6) - 1) < 1e-12);  /* kg/s */
  assert_true(fabs(values[1][1] / values[0][1] / (998 * 4e-6) - 1) < 1e-12);  /* N */
  assert_true(fabs(values[1][2] / values[0][2] / (998 * 4.0) - 1) < 1e-12);   /* Pa */
  flow_refused(device, TUNNEL "lbm.viscosity=0.02|" METRES, "is given as well as lbm.viscosity");
  flow_refused(device, TUNNEL "units.cell=1e-3", "go together; set units.speed too");
}

static void cases_that_cannot_be_run_are_refused(trm_device *device)
{
  flow_refused(device, GRID "boundary.west=wall|lbm.viscosity=0.1",
               "the side opposite, west, is not; make both periodic");
  flow_refused(device, GRID "lbm.reynolds=10", "needs a speed");
  flow_refused(device, GRID "body_force=1e-6 0 0", "give one of them");
  flow_refused(device, GRID "boundary.west=inflow|boundary.east=outflow|lbm.viscosity=0.1",
               "set boundary.west_velocity");
  flow_refused(device, GRID "boundary.west_velocity=0.1; 0; 0|lbm.viscosity=0.1", "leave it out");
  flow_refused(device, GRID "boundary.west=inflow|boundary.east=outflow|boundary.west_velocity=0.1|"
               "lbm.viscosity=0.1", "is no velocity");
  flow_refused(device, GRID "boundary.west=inflow|boundary.east=outflow|"
                            "boundary.west_velocity=0.4; 0; 0|"
               "lbm.viscosity=0.1", "Mach 0.693");
  flow_refused(device, GRID "bodies.shapes=cone 1 2 3|lbm.viscosity=0.1", "is no body");
  flow_refused(device, GRID "bodies.shapes=sphere 4 4 4 0.1|lbm.viscosity=0.1", "no cell's centre");
  flow_refused(device, GRID "bodies.shapes=sphere 4 4 4 40|lbm.viscosity=0.1", "no fluid cell");
  flow_refused(device, GRID "lbm.collision=cumulant|lbm.viscosity=0.1", "is of the lattice d3q27");
  flow_refused(device, GRID "lbm.collision=mrt|lbm.lattice=d3q27|lbm.viscosity=0.1",
               "is of the lattice d3q19");
  flow_refused(device, GRID "initial.velocity_x=0.3|lbm.viscosity=0.1", "Mach 0.52");
  flow_refused(device, GRID "boundary.south=wall|boundary.north=inflow|"
                            "boundary.north_velocity=0; -0.01; 0|"
               "lbm.viscosity=0.1", "the test: the inflows together bring");
  flow_refused(device, GRID "lbm.viscosity=1e-12", "is 0 in this precision");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(mass_changes_by_what_flows_in),
    TEST_DEVICE(a_body_feels_what_the_fluid_loses),
    TEST_DEVICE(probes_are_what_the_fields_are),
    TEST_DEVICE(batches_of_any_size_give_the_same_bits),
    TEST_DEVICE(a_case_in_metres_has_the_same_bits),
    TEST_DEVICE(cases_that_cannot_be_run_are_refused),
  };
  flow_solver = "lbm3d";
  return TEST_RUN(argc, argv, cases);
}
