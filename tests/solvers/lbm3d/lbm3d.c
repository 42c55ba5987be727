/* lbm3d.c - lattice Boltzmann in three dimensions against what is known of it: ducts, Couette flow,
 * vortices that decay, what flows in and out, forces; and cases that are refused. */
#include "tests/solvers/flow_run.h"
#include "tests/solvers/lbm3d/tube.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const char *const collisions[] = {
  "lbm.collision=trt", "lbm.lattice=d3q27", "lbm.collision=mrt", "lbm.collision=regularised",
  "lbm.lattice=d3q27|lbm.collision=regularised", "lbm.lattice=d3q27|lbm.collision=cumulant"};
enum { COLLISIONS = sizeof collisions / sizeof *collisions };

/* ---- walls ------------------------------------------------------------------------------- */

/* Flow along a square duct of half side 1, driven by G with viscosity mu, in units of G / mu. */
static double duct(double y, double z)
{
  double sum = 0;
  for (int n = 1; n < 60; n += 2) {
    const double k = n * pi / 2, sign = n % 4 == 1 ? 1 : -1;
    sum += sign * (1 - cosh(k * z) / cosh(k)) * cos(k * y) / (n * n * n);
  }
  return 16 / (pi * pi * pi) * sum;
}

/* The steady flow's L2 error, relative. */
static double duct_error(trm_device *device, const char *how, int n)
{
  const double nu = 1.0 / 6.0, a = 0.5 * n, force = 0.03 * nu / (a * a);
  char settings[512];
  flow_run run;
  snprintf(settings, sizeof settings,
           "grid.nx=3|grid.ny=%d|grid.nz=%d|lbm.south=wall|lbm.north=wall|lbm.bottom=wall|"
           "lbm.top=wall|lbm.viscosity=%.17g|lbm.force_x=%.17g|%s", n, n, nu, force, how);
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, (uint64_t)(1.2 * n * n / nu), 0);
  double *u = flow_values(&run, "velocity"), off = 0, all = 0;
  for (int z = 0; z < n; z++)
    for (int y = 0; y < n; y++) {
      const double known = 0.03 * duct((y + 0.5) / a - 1, (z + 0.5) / a - 1);
      off += pow(u[(z * n + y) * 3] - known, 2);
      all += known * known;
    }
  free(u);
  flow_end(&run);
  return sqrt(off / all);
}

static void a_square_duct_is_of_second_order(trm_device *device)
{
  test_needs_f64(device);
  for (int i = 0; i < COLLISIONS; i++) {
    const double coarse = duct_error(device, collisions[i], 8);
    const double fine = duct_error(device, collisions[i], 16);
    print_message("%s: off by %.3g and %.3g, order %.3f\n", collisions[i], coarse, fine,
                  log2(coarse / fine));
    assert_true(log2(coarse / fine) >= 1.75); /* the long test asks for 1.9 on finer grids */
  }
}

static void a_square_duct_of_32_cells_is_known(trm_device *device)
{
  test_needs_f64(device);
  test_is_long();
  for (int i = 0; i < COLLISIONS; i++) {
    const double coarse = duct_error(device, collisions[i], 16);
    const double fine = duct_error(device, collisions[i], 32);
    print_message("%s: off by %.3g and %.3g, order %.3f\n", collisions[i], coarse, fine,
                  log2(coarse / fine));
    assert_true(log2(coarse / fine) >= (i == 4 ? 1.85 : 1.9) && fine <= 3e-3);
  }
}

static void couette_is_exact_along_every_axis(trm_device *device)
{
  static const char *const walls[] = {
    "grid.nx=9|grid.ny=3|grid.nz=3|lbm.west=wall|lbm.east=moving|lbm.east_velocity=0; 0.05; 0.02",
    "grid.nx=3|grid.ny=9|grid.nz=3|lbm.south=wall|lbm.north=moving|"
    "lbm.north_velocity=0.02; 0; 0.05",
    "grid.nx=3|grid.ny=3|grid.nz=9|lbm.bottom=wall|lbm.top=moving|lbm.top_velocity=0.05; 0.02; 0"};
  static const int stride[] = {1, 3, 9};
  test_needs_f64(device);
  for (int how = 0; how < COLLISIONS; how++)
    for (int axis = 0; axis < 3; axis++) {
      char settings[512];
      flow_run run;
      double off = 0;
      snprintf(settings, sizeof settings, "%s|%s|lbm.viscosity=0.1", walls[axis],
               collisions[how]);
      flow_begin(&run, device, TRM_F64, settings);
      flow_steps(&run, 4000, 0);
      double *u = flow_values(&run, "velocity");
      for (int i = 0; i < 9; i++) {
        const double part = (i + 0.5) / 9;
        const double *at = u + stride[axis] * i;
        const double *fast = at + 81 * ((axis + 1) % 3), *slow = at + 81 * ((axis + 2) % 3);
        off = fmax(off, fmax(fabs(*fast - 0.05 * part), fabs(*slow - 0.02 * part)));
      }
      print_message("%s, axis %d: off by %.3g\n", collisions[how], axis, off);
      assert_true(off <= (how < 2 ? 1e-12 : 1e-6)); /* two relaxation times make it exact */
      free(u);
      flow_end(&run);
    }
}

/* Walls on cells' centres, on both sides, and in between: a parabola, off as 1 / n^2. */
static void walls_of_bodies_stand_anywhere(trm_device *device)
{
  static const double walls[][2] = {{3, 13}, {3.5, 12.5}, {3, 12.5}, {3.5, 12}, {3.3, 12.4}};
  test_needs_f64(device);
  for (int i = 0; i < 5; i++) {
    const double a = walls[i][0], b = walls[i][1], nu = 0.1, force = 1e-6;
    char settings[512];
    flow_run run;
    double off = 0;
    snprintf(settings, sizeof settings, "grid.nx=3|grid.ny=16|grid.nz=3|lbm.viscosity=%g|"
             "lbm.force_x=%g|lbm.shapes=box -1 -1 -1 4 %g 4; box -1 %g -1 4 17 4", nu, force, a, b);
    flow_begin(&run, device, TRM_F64, settings);
    flow_steps(&run, 4000, 0);
    double *u = flow_values(&run, "velocity"), *solid = flow_values(&run, "solid");
    for (int y = 0; y < 16; y++)
      if (!solid[3 * y])
        off = fmax(off, fabs(u[3 * y] * 2 * nu / force - (y + 0.5 - a) * (b - y - 0.5)));
    print_message("walls at %g and %g: off by %.3g of the fastest\n", a, b,
                  off * 4 / pow(b - a, 2));
    assert_true(off * 4 / pow(b - a, 2) <= 0.05);
    free(u);
    free(solid);
    flow_end(&run);
  }
}

/* ---- viscosity ------------------------------------------------------------------------------ */

/* Relative error of the viscosity at which Taylor and Green's vortices in a plane decay while the
 * whole moves on at `speed`, speed / 2, 0.3 speed. */
static double viscosity_error(trm_device *device, const char *how, double speed)
{
  const double nu = 0.01, k = 2 * pi / 32, amplitude = 0.01;
  char settings[900];
  flow_run run;
  snprintf(settings, sizeof settings,
           "grid.nx=32|grid.ny=32|grid.nz=3|lbm.viscosity=%.17g|%s|"
           "lbm.u_formula=%.17g-%.17g*cos(2*pi*x/nx)*sin(2*pi*y/ny)|"
           "lbm.v_formula=%.17g+%.17g*sin(2*pi*x/nx)*cos(2*pi*y/ny)|lbm.w_formula=%.17g|"
           "lbm.rho_formula=1-0.75*%.17g^2*(cos(4*pi*x/nx)+cos(4*pi*y/ny))",
           nu, how, speed, amplitude, speed / 2, amplitude, 0.3 * speed, amplitude);
  flow_begin(&run, device, TRM_F64, settings);
  double part[2];
  for (int i = 0; i < 2; i++) {
    flow_steps(&run, i ? 1000 : 200, 0);
    double *u = flow_values(&run, "velocity"), cc = 0, cs = 0, sc = 0, ss = 0;
    for (int y = 0; y < 32; y++)
      for (int x = 0; x < 32; x++) { /* the vortices have moved: any phase */
        const double px = k * (x + 0.5), py = k * (y + 0.5), v = u[y * 32 + x] - speed;
        cc += v * cos(px) * cos(py);
        cs += v * cos(px) * sin(py);
        sc += v * sin(px) * cos(py);
        ss += v * sin(px) * sin(py);
      }
    part[i] = sqrt(cc * cc + cs * cs + sc * sc + ss * ss);
    free(u);
  }
  flow_end(&run);
  return log(part[0] / part[1]) / (1000 * 2 * k * k * nu) - 1;
}

static void vortices_decay_at_the_viscosity(trm_device *device)
{
  test_needs_f64(device);
  for (int i = 0; i < COLLISIONS; i++) {
    const double off = viscosity_error(device, collisions[i], 0.0);
    print_message("%s: viscosity off by %.3g\n", collisions[i], off);
    assert_true(fabs(off) <= 6e-3);
  }
}

/* The others' viscosity changes with the speed at which the whole moves. */
static void cumulants_do_not_see_a_mean_flow(trm_device *device)
{
  static const double speeds[] = {0.0, 0.1};
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    const double off = viscosity_error(device, collisions[5], speeds[i]);
    print_message("cumulant at %.1f: viscosity off by %.3g; trt by %.3g\n", speeds[i], off,
                  viscosity_error(device, collisions[0], speeds[i]));
    assert_true(fabs(off) <= 1e-3);
  }
}

/* A vortex that a coarse grid cannot hold: eddies below the grid make the fluid thicker. */
static void eddies_thicken_the_fluid(trm_device *device)
{
  test_needs_f64(device);
  for (int i = 0; i < COLLISIONS; i++) {
    char settings[160];
    snprintf(settings, sizeof settings, "%s|lbm.smagorinsky=0.17", collisions[i]);
    const double off = viscosity_error(device, settings, 0.0);
    print_message("%s, Smagorinsky 0.17: viscosity off by %.3g\n", collisions[i], off);
    assert_true(off > 1e-3 && off < 0.1);
  }
}

/* ---- balances ------------------------------------------------------------------------------- */

/* An inflow, an outflow and a sphere in between. */
static const char tunnel[] =
  "grid.nx=24|grid.ny=17|grid.nz=19|lbm.viscosity=0.02|lbm.west=inflow|"
  "lbm.west_velocity=0.05*(1-(2*y/ny-1)^2); 0; 0|lbm.east=outflow|lbm.south=wall|lbm.north=wall|"
  "lbm.shapes=sphere 8.2 8.6 9.4 3.3";

/* Interpolated links, half-way ones; a surface's, a body's; with 27 velocities. */
static void mass_changes_by_what_flows_in(trm_device *device)
{
  static const char *const how[] = {"lbm.surface=halfway", "lbm.surface=interpolated",
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
    double *solid = flow_values(&run, "solid"), cells = 24 * 17 * 19, off = 0;
    for (int i = 0; i < 24 * 17 * 19; i++) cells -= solid[i];
    for (int i = 1; i < 300; i++)
      off = fmax(off, fabs((change[i] - change[i - 1]) * cells - (in[i] + out[i])));
    print_message("%s: mass is off by %.3g of %.3g that flow in a step\n", how[j], off, in[299]);
    assert_true(in[299] > 0.05 * 17 * 19 / 2 && off <= 1e-10);
    free(solid);
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
  static const char *const surfaces[] = {"halfway", "interpolated"};
  test_needs_f64(device);
  for (int i = 0; i < 2 * COLLISIONS; i++) {
    char settings[512];
    flow_run run;
    snprintf(settings, sizeof settings,
             "grid.nx=20|grid.ny=17|grid.nz=19|lbm.viscosity=0.05|lbm.force_x=1e-5|%s|"
             "lbm.shapes=sphere 8.2 8.6 9.4 3.3|lbm.surface=%s", collisions[i % COLLISIONS],
             surfaces[i / COLLISIONS]);
    flow_begin(&run, device, TRM_F64, settings);
    flow_steps(&run, 200, 0);
    const double before = momentum(&run, 0, 1e-5);
    flow_steps(&run, 1, 0);
    const double after = momentum(&run, 0, 1e-5), felt = flow_series(&run, "force_x")[200];
    double *solid = flow_values(&run, "solid"), cells = 20 * 17 * 19;
    for (int c = 0; c < 20 * 17 * 19; c++) cells -= solid[c];
    const double off = cells * 1e-5 - felt - (after - before);
    print_message("%s: a force of %.6g is off by %.3g\n", settings, felt, off);
    assert_true(felt > 1e-3 && fabs(off) <= 1e-11);
    free(solid);
    flow_end(&run);
  }
}

/* A point is a cell of the fields; a plane is their mean over its fluid cells. */
static void probes_are_what_the_fields_are(trm_device *device)
{
  static const char *const how[] = {"lbm.force_y=1e-5", "lbm.lattice=d3q27"};
  test_needs_f64(device);
  for (int j = 0; j < 2; j++) {
    char settings[700];
    flow_run run;
    double flux = 0, pressure = 0, cells = 0;
    snprintf(settings, sizeof settings, "%s|%s|lbm.probes=here point 14.2 3.9 5; all plane x 8;"
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
      if (!solid[i]) pressure += (rho[i] - 1) / 3, cells++;
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
  flow_refused(device, "grid.nx=8|grid.ny=8|grid.nz=8|lbm.viscosity=0.1|lbm.probes=a point 1 2",
               "is no probe; write 'NAME point X Y Z'");
  flow_refused(device, "grid.nx=8|grid.ny=8|grid.nz=8|lbm.viscosity=0.1|lbm.probes=a plane x 9",
               "outside of the box of 8 x 8 x 8 cells; move it");
  flow_refused(device, "grid.nx=8|grid.ny=8|grid.nz=8|lbm.viscosity=0.1|lbm.probes="
               "a plane x 3;a point 1 2 3", "two probes are called 'a'");
  flow_refused(device, "grid.nx=8|grid.ny=8|grid.nz=8|lbm.viscosity=0.1|lbm.shapes="
               "sphere 4 4 4 2|lbm.probes=a point 4 4 4", "has no cell of the fluid; move it");
}

/* ---- surfaces ------------------------------------------------------------------------------- */

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
           "grid.nx=%d|grid.ny=%d|grid.nz=%d|lbm.viscosity=0.1|lbm.geometry=%s|"
           "lbm.geometry_cell=%.17g|lbm.patches=inlet density 1.002; outlet density 0.998",
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
           "lbm.geometry=%s", write_tube(3, 0, 0));
  flow_refused(device, settings, "has no partner");
  snprintf(settings, sizeof settings, "grid.nx=20|grid.ny=20|grid.nz=20|lbm.viscosity=0.1|"
           "lbm.geometry=%s|lbm.patches=nostril density 1", write_tube(3, 0, 1));
  flow_refused(device, settings, "no solid called 'nostril'");
  snprintf(settings, sizeof settings, "grid.nx=20|grid.ny=20|grid.nz=20|lbm.viscosity=0.1|"
           "lbm.geometry=%s|lbm.geometry_cell=0.01", write_tube(3, 0, 1));
  flow_refused(device, settings, "does not fit");
  flow_refused(device, "grid.nx=20|grid.ny=20|grid.nz=20|lbm.viscosity=0.1|lbm.fluid=outside",
               "set lbm.geometry");
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
    {"lbm.force_y=0", "it has no opening; give two openings"},
    {"lbm.patches=inlet density 1.01", "it has one opening only; give two"},
    {"lbm.patches=inlet density 1; outlet density 1", "openings have the same density; give two"},
    {"lbm.patches=inlet inflow 0.02 0 0; outlet inflow -0.01 0 0",
     "nothing lets it out: the pressure would rise without end; give one opening a density"},
    {"lbm.patches=outlet inflow 0.01 0 0", "the pressure would fall without end"},
    {"lbm.patches=inlet inflow 0.02 0 0; outlet density 1|lbm.geometry_cell=0.65",
     "1 cells across where it is narrowest, and 2 are needed; make lbm.geometry_cell 0.325"}};
  char settings[1600];
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    snprintf(settings, sizeof settings, "grid.nx=20|grid.ny=12|grid.nz=12|lbm.viscosity=0.1|"
             "lbm.geometry=%s|%s", write_tube(3, 0, 1), all[i].settings);
    flow_refused(device, settings, all[i].part);
  }
  snprintf(settings, sizeof settings, "grid.nx=20|grid.ny=12|grid.nz=12|lbm.viscosity=0.1|"
           "lbm.geometry=%s|lbm.patches=inlet density 1.1", write_crossed_tube());
  flow_refused(device, settings, "crosses itself: the triangles ");
  flow_refused(device, "grid.nx=8|grid.ny=8|grid.nz=8|lbm.viscosity=0.1|lbm.west=inflow|"
               "lbm.west_velocity=0.01; 0; 0|lbm.east=inflow|lbm.east_velocity=-0.01; 0; 0",
               "make one side an outflow");
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
  static const char flow_in[] = "grid.nx=24|grid.ny=17|grid.nz=19|lbm.west=inflow|"
    "lbm.west_velocity=0.05*(1-(2*y/ny-1)^2); 0; 0|lbm.east=outflow|lbm.south=wall|lbm.north=wall|"
    "lbm.shapes=sphere 8.2 8.6 9.4 3.3|";
  static const char *const how[] = {"lbm.viscosity=0.02", "units.cell=1e-3|units.speed=0.1|"
                                    "units.viscosity=4e-5|units.density=998"};
  char settings[900], print[2][33];
  double values[2][3];
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    flow_run run;
    snprintf(settings, sizeof settings, "%s%s", flow_in, how[i]);
    flow_begin(&run, device, TRM_F64, settings);
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
  snprintf(settings, sizeof settings, "%slbm.viscosity=0.02|%s", flow_in, how[1]);
  flow_refused(device, settings, "is given as well as lbm.viscosity");
  snprintf(settings, sizeof settings, "%sunits.cell=1e-3", flow_in);
  flow_refused(device, settings, "go together; set units.speed too");
}

static void an_opening_takes_a_pressure(trm_device *device)
{
  static const char *const how[] = {"lbm.viscosity=0.1|lbm.patches=inlet density 1.01",
    "lbm.viscosity=0.1|lbm.patches=inlet pressure 0.0033333333333333333",
    "lbm.reference_speed=0.05|units.cell=1e-3|units.speed=0.1|units.viscosity=2e-4|"
    "lbm.patches=inlet pressure 0.013333333333333333"}; /* step 0.5 ms: 2 m/s, 4 Pa */
  double flux[3];
  test_needs_f64(device);
  for (int i = 0; i < 3; i++) {
    char settings[1700];
    flow_run run;
    snprintf(settings, sizeof settings, "grid.nx=24|grid.ny=12|grid.nz=12|lbm.geometry=%s|%s; "
             "outlet density 1", write_tube(2, 0, 1), how[i]);
    flow_begin(&run, device, TRM_F64, settings);
    flow_steps(&run, 20, 0);
    flux[i] = flow_series(&run, "inlet_flux")[19] / (i == 2 ? 2e-6 : 1);
    flow_end(&run);
  }
  print_message("flux %.12g, %.12g, %.12g\n", flux[0], flux[1], flux[2]);
  assert_true(flux[0] > 0 && fabs(flux[1] / flux[0] - 1) < 1e-9);
  assert_true(fabs(flux[2] / flux[0] - 1) < 1e-9);
}

#define GRID "grid.nx=8|grid.ny=8|grid.nz=8|"

static void cases_that_cannot_be_run_are_refused(trm_device *device)
{
  flow_refused(device, GRID "lbm.west=wall|lbm.viscosity=0.1",
               "the side opposite, west, is not; make both periodic");
  flow_refused(device, GRID "lbm.reynolds=10", "needs a speed");
  flow_refused(device, GRID "lbm.force_x=1e-6", "give one of them");
  flow_refused(device, GRID "lbm.west=inflow|lbm.east=outflow|lbm.viscosity=0.1",
               "set lbm.west_velocity");
  flow_refused(device, GRID "lbm.west_velocity=0.1; 0; 0|lbm.viscosity=0.1", "leave it out");
  flow_refused(device, GRID "lbm.west=inflow|lbm.east=outflow|lbm.west_velocity=0.1|"
               "lbm.viscosity=0.1", "is no velocity");
  flow_refused(device, GRID "lbm.west=inflow|lbm.east=outflow|lbm.west_velocity=0.4; 0; 0|"
               "lbm.viscosity=0.1", "Mach 0.693");
  flow_refused(device, GRID "lbm.shapes=cone 1 2 3|lbm.viscosity=0.1", "is no body");
  flow_refused(device, GRID "lbm.shapes=sphere 4 4 4 0.1|lbm.viscosity=0.1", "no cell's centre");
  flow_refused(device, GRID "lbm.shapes=sphere 4 4 4 40|lbm.viscosity=0.1", "no fluid cell");
  flow_refused(device, GRID "lbm.collision=cumulant|lbm.viscosity=0.1", "is of the lattice d3q27");
  flow_refused(device, GRID "lbm.collision=mrt|lbm.lattice=d3q27|lbm.viscosity=0.1",
               "is of the lattice d3q19");
  flow_refused(device, GRID "lbm.u_formula=0.3|lbm.viscosity=0.1", "Mach 0.52");
  flow_refused(device, GRID "lbm.viscosity=1e-12", "is 0 in this precision");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_square_duct_is_of_second_order),
    TEST_DEVICE(a_square_duct_of_32_cells_is_known),
    TEST_DEVICE(couette_is_exact_along_every_axis),
    TEST_DEVICE(walls_of_bodies_stand_anywhere),
    TEST_DEVICE(vortices_decay_at_the_viscosity),
    TEST_DEVICE(cumulants_do_not_see_a_mean_flow),
    TEST_DEVICE(eddies_thicken_the_fluid),
    TEST_DEVICE(mass_changes_by_what_flows_in),
    TEST_DEVICE(a_body_feels_what_the_fluid_loses),
    TEST_DEVICE(probes_are_what_the_fields_are),
    TEST_DEVICE(a_tube_from_stl_is_hagen_poiseuilles),
    TEST_DEVICE(a_tube_of_32_cells_is_hagen_poiseuilles),
    TEST_DEVICE(surfaces_that_enclose_nothing_are_refused),
    TEST_DEVICE(lumens_in_which_nothing_can_flow_are_refused),
    TEST_DEVICE(batches_of_any_size_give_the_same_bits),
    TEST_DEVICE(a_case_in_metres_has_the_same_bits),
    TEST_DEVICE(an_opening_takes_a_pressure),
    TEST_DEVICE(cases_that_cannot_be_run_are_refused),
  };
  flow_solver = "lbm3d";
  return TEST_RUN(argc, argv, cases);
}
