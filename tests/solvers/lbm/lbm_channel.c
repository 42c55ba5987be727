/* lbm_channel.c - flows between boundaries against what is known of them: plane Poiseuille and
 * Couette flow, Taylor and Green's vortices, the driven cavity, forces, mass; and the same bits on
 * every backend. */
#include "tests/solvers/flow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- between two walls ----------------------------------------------------------------- */

/* Largest departure from F / (2 nu) y (n - y), against its largest value, once it is steady. */
static double poiseuille(trm_device *device, const char *collision, double tau, int n)
{
  const double nu = (tau - 0.5) / 3.0, force = 8.0 * nu * 0.01 / (n * n);
  char settings[640];
  flow_run run;
  snprintf(settings, sizeof settings,
           "lbm.flow=channel|grid.nx=4|grid.ny=%d|boundary.west=periodic|boundary.east=periodic|%s|"
           "lbm.viscosity=%.17g|body_force=%.17g 0 0|initial.velocity_x=0.04*y*(ny-y)/ny^2",
           n, collision, nu, force);
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, (uint64_t)(3.0 * n * n / nu), 0);
  double *velocity = flow_values(&run, "velocity"), off = 0;
  for (int y = 0; y < n; y++)
    off = fmax(off, fabs(velocity[4 * y] - force / (2.0 * nu) * (y + 0.5) * (n - y - 0.5)) / 0.01);
  free(velocity);
  flow_end(&run);
  return off;
}

static void the_magic_parameter_makes_poiseuille_exact(trm_device *device)
{
  test_is_spared(device);
  static const double taus[] = {0.6, 1.0, 1.7};
  test_needs_f64(device);
  for (int i = 0; i < 3; i++) {
    const double off = poiseuille(device, "lbm.collision=trt|lbm.magic=0.1875", taus[i], 16);
    print_message("trt, magic 3/16, tau %g: off by %.2g\n", taus[i], off);
    assert_true(off <= 1e-11);
  }
}

static void poiseuille_is_of_second_order(trm_device *device)
{
  test_is_spared(device);
  static const char *const collisions[] = {"lbm.collision=bgk", "lbm.collision=regularised"};
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    const double coarse = poiseuille(device, collisions[i], 1.7, 16);
    const double fine = poiseuille(device, collisions[i], 1.7, 32);
    print_message("%s: off by %.4g and %.4g, order %.3f\n", collisions[i], coarse, fine,
                  log2(coarse / fine));
    assert_true(log2(coarse / fine) > 1.95);
    if (i == 0) TEST_CLOSE(coarse, 2.61e-2, 0.01);
  }
  const double one = poiseuille(device, "lbm.collision=bgk", 1.0, 16);
  TEST_CLOSE(one, 1.302e-3, 0.01);
}

static void couette_is_exact(trm_device *device)
{
  test_is_spared(device);
  static const char *const collisions[] = {"bgk", "trt", "regularised"};
  test_needs_f64(device);
  for (int i = 0; i < 3; i++) {
    char settings[512];
    flow_run run;
    snprintf(settings, sizeof settings,
             "lbm.flow=channel|grid.nx=5|grid.ny=16|boundary.west=periodic|boundary.east=periodic|"
             "boundary.north=moving|lbm.wall_speed=0.1|lbm.viscosity=0.1|lbm.collision=%s",
             collisions[i]);
    flow_begin(&run, device, TRM_F64, settings);
    flow_steps(&run, 12000, 0);
    double *velocity = flow_values(&run, "velocity"), off = 0;
    for (int y = 0; y < 16; y++) off = fmax(off, fabs(velocity[5 * y] - 0.1 * (y + 0.5) / 16.0));
    print_message("%s: off by %.2g\n", collisions[i], off);
    assert_true(off <= 1e-12);
    free(velocity);
    flow_end(&run);
  }
}

/* ---- Taylor and Green ------------------------------------------------------------------ */

/* Relative error of the velocity in the mean square when half of it should be left; Re 100. */
static double taylor_green(trm_device *device, const char *collision, int n)
{
  const double a = 0.64 / n, nu = 0.64 / (200.0 * pi), k = 2.0 * pi / n;
  const uint64_t steps = (uint64_t)(log(2.0) / (2.0 * nu * k * k) + 0.5);
  const double left = a * exp(-2.0 * nu * k * k * (double)steps);
  char settings[800];
  flow_run run;
  snprintf(settings, sizeof settings,
           "lbm.flow=channel|grid.nx=%d|grid.ny=%d|boundary.west=periodic|boundary.east=periodic|"
           "boundary.south=periodic|boundary.north=periodic|lbm.viscosity=%.17g|lbm.collision=%s|"
           "initial.velocity_x=-0.64/nx*cos(2*pi*x/nx)*sin(2*pi*y/ny)|"
           "initial.velocity_y=0.64/nx*sin(2*pi*x/nx)*cos(2*pi*y/ny)|"
           "initial.density=1-0.75*(0.64/nx)^2*(cos(4*pi*x/nx)+cos(4*pi*y/ny))",
           n, n, nu, collision);
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, steps, 0);
  double *velocity = flow_values(&run, "velocity"), error = 0, norm = 0;
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++) {
      const double u = -left * cos(k * (x + 0.5)) * sin(k * (y + 0.5));
      const double v = left * sin(k * (x + 0.5)) * cos(k * (y + 0.5));
      const double du = velocity[y * n + x] - u, dv = velocity[(n + y) * n + x] - v;
      error += du * du + dv * dv;
      norm += u * u + v * v;
    }
  TEST_CLOSE(flow_result(&run, "mass"), (double)n * n, 1e-13 * (1.0 + (double)steps / 1000.0));
  free(velocity);
  flow_end(&run);
  return sqrt(error / norm);
}

/* Errors of a prototype that began at equilibrium, BGK; this one begins with its gradients. */
static const double taylor_green_errors[] = {5.09e-2, 1.28e-2, 3.20e-3, 8.0e-4};

static void converge(trm_device *device, const char *collision, int first, int grids, double least)
{
  double before = 0, order = 0;
  test_needs_f64(device);
  for (int i = first; i < first + grids; i++) {
    const double off = taylor_green(device, collision, 16 << i);
    order = log2(before / off);
    print_message("%s, %d cells: off by %.3g, order %.3f\n", collision, 16 << i, off,
                  i > first ? order : NAN);
    assert_true(off <= 1.1 * taylor_green_errors[i]);
    before = off;
  }
  assert_true(order >= least);
}

static void taylor_green_converges(trm_device *device)
{
  test_is_spared(device);
  if (!trm_device_describe(device)->is_host && strcmp(test_backend(device), "opencl") == 0)
    TEST_SKIP("openmp and cuda show it; the bits are those of every backend");
  converge(device, "bgk", 0, 3, 1.8);
  converge(device, "regularised", 0, 3, 1.8);
}

static void taylor_green_is_of_second_order(trm_device *device)
{
  test_is_long();
  if (!trm_device_describe(device)->is_host && strcmp(test_backend(device), "opencl") == 0)
    TEST_SKIP("openmp and cuda show it; the bits are those of every backend");
  converge(device, "bgk", 2, 2, 1.9);
  converge(device, "regularised", 2, 2, 1.9);
}

/* ---- the driven cavity ------------------------------------------------------------------- */

/* A line's least or greatest value, by the parabola through the three cells around it. */
static double extreme(const double *line, int n, int sign)
{
  int at = 1;
  for (int i = 1; i < n - 1; i++)
    if (sign * line[i] > sign * line[at]) at = i;
  const double a = line[at - 1], b = line[at], c = line[at + 1], bend = a - 2.0 * b + c;
  return b - (c - a) * (c - a) / (8.0 * bend);
}

/* Along the middle lines, of the lid's speed: u upwards, v to the right. */
static void cavity(trm_device *device, int n, double reynolds, const char *collision, double turns,
                   double *u, double *v)
{
  char settings[512];
  flow_run run;
  snprintf(settings, sizeof settings,
           "lbm.flow=channel|grid.nx=%d|grid.ny=%d|boundary.west=wall|boundary.east=wall|"
           "boundary.north=moving|"
           "lbm.wall_speed=0.1|lbm.reynolds=%g|lbm.reynolds_dim=%d|lbm.collision=%s",
           n, n, reynolds, n, collision);
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, (uint64_t)(turns * n / 0.1), 0);
  double *velocity = flow_values(&run, "velocity");
  for (int i = 0; i < n; i++) {
    u[i] = 5.0 * (velocity[i * n + n / 2 - 1] + velocity[i * n + n / 2]);
    v[i] = 5.0 * (velocity[(n + n / 2 - 1) * n + i] + velocity[(n + n / 2) * n + i]);
  }
  /* nothing flows through the walls */
  TEST_CLOSE(flow_result(&run, "mass"), (double)n * n, 1e-11);
  free(velocity);
  flow_end(&run);
}

/* Values of a prototype with the same walls; grid-converged ones
 * are -0.21404, 0.17957, -0.25380. */
static void the_cavity_is_known_at_re_100(trm_device *device)
{
  test_is_spared(device);
  double u[64], v[64];
  test_needs_f64(device);
  if (!trm_device_describe(device)->is_host && strcmp(test_backend(device), "opencl") == 0)
    TEST_SKIP("openmp and cuda show it; the bits are those of every backend");
  cavity(device, 64, 100, "trt", 40, u, v);
  print_message("u from %.5f, v from %.5f to %.5f\n", extreme(u, 64, -1), extreme(v, 64, -1),
                extreme(v, 64, 1));
  TEST_CLOSE(extreme(u, 64, -1), -0.21322, 2e-3);
  TEST_CLOSE(extreme(v, 64, 1), 0.17850, 2e-3);
  TEST_CLOSE(extreme(v, 64, -1), -0.25201, 2e-3);
}

/* Table I of Ghia, Ghia and Shin (1982): u on the vertical middle line at these heights. */
static void hold_ghia(trm_device *device, int n, double reynolds, double turns, const double *table,
                      double bound)
{
  static const double heights[] = {0.0547, 0.0625, 0.0703, 0.1016, 0.1719, 0.2813, 0.4531, 0.5,
                                   0.6172, 0.7344, 0.8516, 0.9531, 0.9609, 0.9688, 0.9766};
  double *u = calloc((size_t)n, sizeof *u), *v = calloc((size_t)n, sizeof *v), most = 0;
  assert_true(u && v);
  cavity(device, n, reynolds, "trt", turns, u, v);
  for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
    const double at = heights[i] * n - 0.5;
    const int low = (int)at;
    most = fmax(most, fabs(u[low] + (u[low + 1] - u[low]) * (at - low) - table[i]));
  }
  print_message("Re %g, %d cells: u off by at most %.4f; from %.5f, v from %.5f to %.5f\n",
                reynolds, n, most, extreme(u, n, -1), extreme(v, n, -1), extreme(v, n, 1));
  assert_true(most <= bound);
  if (reynolds == 100) {
    TEST_CLOSE(extreme(u, n, -1), -0.2140417, 4e-3);
    TEST_CLOSE(extreme(v, n, 1), 0.1795728, 4e-3);
    TEST_CLOSE(extreme(v, n, -1), -0.2538030, 4e-3);
  } else if (reynolds == 1000) {
    TEST_CLOSE(extreme(u, n, -1), -0.3885698, 4e-3);
    TEST_CLOSE(extreme(v, n, 1), 0.3769447, 4e-3);
    TEST_CLOSE(extreme(v, n, -1), -0.5270771, 4e-3);
  }
  free(v);
  free(u);
}

static void the_cavity_is_ghias(trm_device *device)
{
  static const double re_100[] = {-0.03717, -0.04192, -0.04775, -0.06434, -0.1015, -0.15662,
    -0.2109, -0.20581, -0.13641, 0.00332, 0.23151, 0.68717, 0.73722, 0.78871, 0.84123};
  static const double re_400[] = {-0.08186, -0.09266, -0.10338, -0.14612, -0.24299, -0.32726,
    -0.17119, -0.11477, 0.02135, 0.16256, 0.29093, 0.55892, 0.61756, 0.68439, 0.75837};
  static const double re_1000[] = {-0.18109, -0.20196, -0.2222, -0.2973, -0.38289, -0.27805,
    -0.10648, -0.0608, 0.05702, 0.18719, 0.33304, 0.46604, 0.51117, 0.57492, 0.65928};
  test_is_long();
  test_needs_f64(device);
  if (!trm_device_describe(device)->is_host && strcmp(test_backend(device), "opencl") == 0)
    TEST_SKIP("openmp and cuda show it; the bits are those of every backend");
  hold_ghia(device, 128, 100, 40, re_100, 0.011);
  hold_ghia(device, 128, 400, 80, re_400, 0.011);
  hold_ghia(device, 256, 1000, 150, re_1000, 0.011);
}

/* ---- forces ------------------------------------------------------------------------------- */

/* Round, sharp and touching obstacles; a force drives the fluid around them, periodic both ways. */
static const char forest[] =
  "lbm.flow=channel|grid.nx=71|grid.ny=37|boundary.west=periodic|boundary.east=periodic|"
  "boundary.south=periodic|"
  "boundary.north=periodic|lbm.viscosity=0.03|body_force=1e-5 -4e-6 0|lbm.collision=%s|"
  "lbm.bounce_back=%s|probes=5 5; 60 30|bodies.shapes=cylinder 20.3 18.1 5.2; box 40 0 44 9; "
  "polygon 50 15 60 18 52 26 49 21; cylinder 0.9 1.1 0.8; cylinder 70.1 36.2 0.7";

static void gather(flow_run *run, double momentum[2], size_t *fluid)
{
  static const int ex[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const size_t cells = run->solver->fields[0].nx * run->solver->fields[0].ny;
  double *f = flow_values(run, "populations"), *solid = flow_values(run, "solid");
  momentum[0] = momentum[1] = 0;
  *fluid = 0;
  for (size_t i = 0; i < cells; i++) {
    if (solid[i] != 0.0) continue;
    ++*fluid;
    for (size_t k = 0; k < 9; k++) {
      momentum[0] += ex[k] * f[k * cells + i];
      momentum[1] += ey[k] * f[k * cells + i];
    }
  }
  free(solid);
  free(f);
}

static void the_force_is_the_momentum_that_the_fluid_loses(trm_device *device)
{
  test_is_spared(device);
  static const char *const collisions[] = {"bgk", "trt", "regularised"};
  static const char *const surfaces[] = {"halfway", "interpolated"};
  test_needs_f64(device);
  for (int c = 0; c < 3; c++)
    for (int s = 0; s < 2; s++) {
      char settings[700];
      double before[2], after[2];
      size_t fluid;
      flow_run run;
      snprintf(settings, sizeof settings, forest, collisions[c], surfaces[s]);
      flow_begin(&run, device, TRM_F64, settings);
      flow_steps(&run, 300, 0);
      gather(&run, before, &fluid);
      flow_steps(&run, 1, 0);
      gather(&run, after, &fluid);
      const double drag = flow_series(&run, "drag")[300], lift = flow_series(&run, "lift")[300];
      assert_true(drag > 1e-3 && lift < 0.0);
      assert_true(fabs(before[0] + 1e-5 * (double)fluid - after[0] - drag) < 1e-12);
      assert_true(fabs(before[1] - 4e-6 * (double)fluid - after[1] - lift) < 1e-12);
      flow_end(&run);
    }
}

/* ---- bits ----------------------------------------------------------------------------------- */

/* A channel with an obstacle, in f32 and f64: the state and the last drag. */
static void every_bit_is_the_one_of_every_backend(trm_device *device)
{
  test_is_spared(device);
  static const char *const settings[] = {
    "lbm.flow=channel|grid.nx=97|grid.ny=33|lbm.speed=0.05|lbm.inflow=parabolic|lbm.viscosity=0.02|"
    "bodies.shapes=cylinder 25.2 16.1 5.3|lbm.bounce_back=interpolated|lbm.collision=trt",
    "lbm.flow=channel|grid.nx=64|grid.ny=31|lbm.speed=0.05|lbm.viscosity=0.02|boundary.east=copy|"
    "boundary.north=moving|lbm.wall_speed=0.04|body_force=0 1e-6 0|bodies.shapes=box 20 8 29 14",
    "lbm.flow=channel|grid.nx=515|grid.ny=20|lbm.speed=0.05|lbm.viscosity=0.02|"
    "boundary.south=periodic|"
    "boundary.north=periodic|lbm.collision=regularised|bodies.shapes=polygon 100 3 111 9 104 15"};
  for (int i = 0; i < 3; i++)
    for (int p = 0; p <= trm_device_describe(device)->has_f64; p++) {
      flow_run run;
      char print[33], force[64];
      flow_begin(&run, device, (trm_precision)p, settings[i]);
      flow_steps(&run, 501, 0);
      flow_print(&run, print);
      snprintf(force, sizeof force, "%a", flow_series(&run, "drag")[500]);
      const char *precision = trm_precision_name((trm_precision)p);
      test_is_known(print, "lbm/channel/%d/%s/state", i, precision);
      test_is_known(force, "lbm/channel/%d/%s/drag", i, precision);
      flow_end(&run);
    }
}

static void batches_of_any_size_give_the_same_bits(trm_device *device)
{
  static const uint64_t batches[] = {0, 1, 9, 200};
  char first[33], print[33], settings[700];
  snprintf(settings, sizeof settings, forest, "trt", "interpolated");
  for (int i = 0; i < 4; i++) {
    flow_run run;
    flow_begin(&run, device, TRM_F32, settings);
    flow_steps(&run, 401, batches[i]);
    flow_print(&run, i ? print : first);
    if (i) assert_string_equal(first, print);
    flow_end(&run);
  }
}

/* A formula that is empty is its default, also beside an inflow's profile. */
static void an_empty_formula_is_its_default(trm_device *device)
{
  static const char *const cases[] = {
    "lbm.flow=channel|grid.nx=20|grid.ny=9|lbm.viscosity=0.02|lbm.speed=0.04",
    "lbm.flow=channel|grid.nx=20|grid.ny=9|lbm.viscosity=0.02|lbm.speed=0.04|initial.velocity_y=|"
    "initial.density=" };
  char print[2][33];
  for (int i = 0; i < 2; i++) {
    flow_run run;
    flow_begin(&run, device, TRM_F64, cases[i]);
    flow_steps(&run, 1, 0);
    flow_print(&run, print[i]);
    flow_end(&run);
  }
  assert_string_equal(print[0], print[1]);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(the_magic_parameter_makes_poiseuille_exact),
    TEST_DEVICE(poiseuille_is_of_second_order),
    TEST_DEVICE(couette_is_exact),
    TEST_DEVICE(taylor_green_converges),
    TEST_DEVICE(taylor_green_is_of_second_order),
    TEST_DEVICE(the_cavity_is_known_at_re_100),
    TEST_DEVICE(the_cavity_is_ghias),
    TEST_DEVICE(the_force_is_the_momentum_that_the_fluid_loses),
    TEST_DEVICE(every_bit_is_the_one_of_every_backend),
    TEST_DEVICE(batches_of_any_size_give_the_same_bits),
    TEST_DEVICE(an_empty_formula_is_its_default),
  };
  return TEST_RUN(argc, argv, cases);
}
