/* lbm3d_known.c - lattice Boltzmann in three dimensions against what is known of it: ducts, Couette
 * flow, bodies' walls, vortices that decay. */
#include "tests/solvers/flow_run.h"
#include "tests/solvers/lbm3d/collisions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

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
           "grid.nx=3|grid.ny=%d|grid.nz=%d|boundary.south=wall|boundary.north=wall|"
           "boundary.bottom=wall|"
           "boundary.top=wall|lbm.viscosity=%.17g|body_force=%.17g 0 0|%s", n, n, nu, force, how);
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
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  for (int i = 0; i < COLLISIONS; i++) {
    const double coarse = duct_error(device, collisions[i], 8);
    const double fine = duct_error(device, collisions[i], 16);
    print_message("%s: off by %.3g and %.3g, order %.3f\n", collisions[i], coarse, fine,
                  log2(coarse / fine));
    assert_true(log2(coarse / fine) >= 1.75); /* the long test asks for 1.9 on finer grids */
  }
}

/* The fifth gets there on finer grids: 1.88 from 16 to 32 cells (docs/lbm3d.md). */
static void a_square_duct_of_32_cells_is_known(trm_device *device)
{
  test_needs_f64(device);
  test_is_long();
  for (int i = 0; i < COLLISIONS; i++) {
    const int cells = i == 4 ? 64 : 32;
    const double coarse = duct_error(device, collisions[i], cells / 2);
    const double fine = duct_error(device, collisions[i], cells);
    test_remark("%s: off by %.3g at %d and %.3g at %d, asked 3e-3 at 32; order %.3f, asked 1.9",
                collisions[i], coarse, cells / 2, fine, cells, log2(coarse / fine));
    assert_true(log2(coarse / fine) >= 1.9);
    assert_true((cells == 32 ? fine : coarse) <= 3e-3);
  }
}

static void couette_is_exact_along_every_axis(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const walls[] = {
    "grid.nx=9|grid.ny=3|grid.nz=3|boundary.west=wall|boundary.east=moving|"
    "boundary.east_velocity=0; 0.05; 0.02",
    ("grid.nx=3|grid.ny=9|grid.nz=3|boundary.south=wall|boundary.north=moving|"
     "boundary.north_velocity=0.02; 0; 0.05"),
    "grid.nx=3|grid.ny=3|grid.nz=9|boundary.bottom=wall|boundary.top=moving|"
    "boundary.top_velocity=0.05; 0.02; 0"};
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
  test_is_long_elsewhere(device);
  static const double walls[][2] = {{3, 13}, {3.5, 12.5}, {3, 12.5}, {3.5, 12}, {3.3, 12.4}};
  test_needs_f64(device);
  for (int i = 0; i < 5; i++) {
    const double a = walls[i][0], b = walls[i][1], nu = 0.1, force = 1e-6;
    char settings[512];
    flow_run run;
    double off = 0;
    snprintf(settings, sizeof settings, "grid.nx=3|grid.ny=16|grid.nz=3|lbm.viscosity=%g|"
             "body_force=%g 0 0|bodies.shapes=box -1 -1 -1 4 %g 4; box -1 %g -1 4 17 4", nu,
                 force, a, b);
    flow_begin(&run, device, TRM_F64, settings);
    flow_steps(&run, 4000, 0);
    double *u = flow_values(&run, "velocity"), *solid = flow_values(&run, "solid");
    for (int y = 0; y < 16; y++)
      if (solid[3 * y] == 0)
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
           "initial.velocity_x=%.17g-%.17g*cos(2*pi*x/nx)*sin(2*pi*y/ny)|"
           "initial.velocity_y=%.17g+%.17g*sin(2*pi*x/nx)*cos(2*pi*y/ny)|initial.velocity_z=%.17g|"
           "initial.density=1-0.75*%.17g^2*(cos(4*pi*x/nx)+cos(4*pi*y/ny))",
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
  test_is_long_elsewhere(device);
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
  test_is_long_elsewhere(device);
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
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  for (int i = 0; i < COLLISIONS; i++) {
    char settings[160];
    snprintf(settings, sizeof settings, "%s|lbm.smagorinsky=0.17", collisions[i]);
    const double off = viscosity_error(device, settings, 0.0);
    print_message("%s, Smagorinsky 0.17: viscosity off by %.3g\n", collisions[i], off);
    assert_true(off > 1e-3 && off < 0.1);
  }
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
  };
  flow_solver = "lbm3d";
  return TEST_RUN(argc, argv, cases);
}
