/* compressible_integrals.c - kinetic energy, enstrophy and dissipation as series: beside sums over
 * the fields, on levels, where the grid follows the flow, about a body; the decay of vortices. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdlib.h>

#define SUMMED "compressible.integrals", "true"

/* Of fields in cells of the finest level; of two dimensions. */
static void sum_fields(const fv_run *run, double *kinetic, double *enstrophy)
{
  const size_t n = run->solver->fields[0].nx * run->solver->fields[0].ny;
  const double cell = run->solver->spacing[0] * run->solver->spacing[1];
  double *rho = fv_run_values(run, "density"), *u = fv_run_values(run, "velocity");
  double *turn = fv_run_values(run, "vorticity");
  *kinetic = *enstrophy = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t a = 0; a < 3; a++) {
      *kinetic += cell * rho[i] * u[i + a * n] * u[i + a * n] / 2;
      *enstrophy += cell * turn[i + a * n] * turn[i + a * n] / 2;
    }
  free(rho);
  free(u);
  free(turn);
}

static void assert_near(const char *what, double value, double wanted, double bound)
{
  print_message("# %s %.15g, off by %.1e\n", what, value, value / wanted - 1);
  assert_true(fabs(value - wanted) <= bound * fabs(wanted));
}

#define BOX \
  "compressible.length_x", "6.283185307179586", "compressible.viscosity", "0.01", SUMMED, \
  "initial.velocity_x", "sin(x)*cos(y)", "initial.velocity_y", "-cos(x)*sin(y)", \
  "initial.velocity_z", "0.3*sin(x + 2*y)", "initial.pressure", "20"

static void series_are_sums_over_the_fields(trm_device *device)
{
  static const char *const sets[][36] = {
    { "grid.nx", "32", "grid.ny", "48", BOX, NULL },
    { "grid.nx", "64", "grid.ny", "64", BOX, "grid.levels", "2", "mesh.refine", "1 2 3 5", NULL },
    { "grid.nx", "64", "grid.ny", "64", BOX, "grid.levels", "1", "mesh.refine", "vorticity 1.8",
      "mesh.adapt_every", "2", NULL } };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    double kinetic, enstrophy;
    fv_run run = fv_run_begin(device, TRM_F64, sets[i]);
    fv_run_advance(&run, INFINITY, 7, 7);
    sum_fields(&run, &kinetic, &enstrophy);
    assert_near("kinetic energy", fv_run_last(&run, "kinetic_energy"), kinetic, 1e-13);
    assert_near("enstrophy", fv_run_last(&run, "enstrophy"), enstrophy, 1e-13);
    /* in a periodic box nearly without compression, twice the viscosity times the other */
    assert_near("dissipation", fv_run_last(&run, "dissipation"), 0.02 * enstrophy, 0.01);
    fv_run_end(&run);
  }
}

/* Stretched gas: mu (4/3) a^2 by volume, where u = a x. In the middle of three dimensions' blocks
 * beside, where u = a y, mu a^2. Sides are open, and only one tiny step is made. */
static void friction_makes_heat_of_stretching_and_shear(trm_device *device)
{
  test_is_spared(device);
#define PULLED \
  "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", "compressible.viscosity", "0.5", SUMMED, \
  "boundary.west", "outflow", "boundary.east", "outflow", "boundary.south", "outflow", \
  "boundary.north", "outflow", "initial.pressure", "1000", "compressible.length_x", "16"
  static const char *const stretched[] = { PULLED, "initial.velocity_x", "0.001*x", NULL };
  static const char *const sheared[] = { PULLED, "initial.velocity_x", "0.001*y", NULL };
  /* the outer cells see themselves beyond the side, and so half the slope */
  const double layer = 14.0 + 2 * 0.25, volume = layer * 16 * 16;
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, stretched);
  fv_run_advance(&run, 1e-9, 1, 1);
  assert_near("stretching", fv_run_last(&run, "dissipation"), volume * 0.5e-6 * 4 / 3, 1e-4);
  fv_run_end(&run);
  run = fv_run_begin(device, TRM_F64, sheared);
  fv_run_advance(&run, 1e-9, 1, 1);
  assert_near("shear", fv_run_last(&run, "dissipation"), volume * 0.5e-6, 1e-4);
  assert_near("turning", fv_run_last(&run, "enstrophy"), volume * 0.5e-6, 1e-4);
  fv_run_end(&run);
}

/* Gas that turns with a tube as a solid body would: there is no friction, and what is in the tube's
 * wall does not count. */
static void solid_cells_do_not_count(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = {
    "grid.nx", "64", "grid.ny", "64", "compressible.length_x", "2.4", "grid.x0", "-1.2", "grid.y0",
    "-1.2", "bodies.shapes", "tube 0 0 1 wall spin 0.1", "compressible.viscosity", "0.01",
    "initial.velocity_x", "-0.1*y", "initial.velocity_y", "0.1*x",
    "initial.pressure", "1 + 0.005*(x^2 + y^2)", SUMMED, NULL };
  const double pi = acos(-1);
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, INFINITY, 3, 3);
  assert_near("kinetic energy", fv_run_last(&run, "kinetic_energy"), 0.01 * pi / 4, 2e-3);
  assert_near("enstrophy", fv_run_last(&run, "enstrophy"), 0.02 * pi, 2e-3);
  const double heat = fv_run_last(&run, "dissipation");
  print_message("# dissipation %.1e\n", heat);
  assert_true(fabs(heat) <= 1e-3 * 0.01 * 0.02 * pi);
  fv_run_end(&run);
}

/* Taylor and Green's vortices in two dimensions, Re 100, Mach 0.05: to half of the energy, where
 * exp(-4 nu t) of it is left. */
static double left_of_vortices(trm_device *device, const char *n, double *heat)
{
  const char *const sets[] = {
    "grid.nx", n, "grid.ny", n, "compressible.length_x", "6.283185307179586",
    "compressible.viscosity", "0.01", "compressible.chi", "0.01", SUMMED,
    "initial.velocity_x", "sin(x)*cos(y)", "initial.velocity_y", "-cos(x)*sin(y)",
    "initial.pressure", "285.7142857142857 + (cos(2*x) + cos(2*y))/4", NULL };
  const double pi = acos(-1);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, log(2) / 0.04, 100000, 4096);
  const double left = fv_run_last(&run, "kinetic_energy") / (pi * pi);
  *heat = fv_run_last(&run, "dissipation") / (0.04 * pi * pi);
  print_message("# %s cells: energy %.5f, dissipation %.5f of the first\n", n, left, *heat);
  fv_run_end(&run);
  return left;
}

static void vortices_decay(trm_device *device)
{
  test_is_spared(device);
  double heat;
  test_needs_f64(device);
  assert_true(fabs(left_of_vortices(device, "32", &heat) / 0.5 - 1) <= 0.07);
  assert_true(fabs(heat / 0.5 - 1) <= 0.08);
}

static void vortices_decay_with_order_two(trm_device *device)
{
  double heat;
  test_is_long();
  test_needs_f64(device);
  const double coarse = left_of_vortices(device, "32", &heat) / 0.5 - 1;
  const double fine = left_of_vortices(device, "64", &heat) / 0.5 - 1;
  assert_true(fabs(fine) <= 0.005);
  assert_true(log2(fabs(coarse / fine)) >= 1.8);
}

/* The same bits on every device, with any batches. */
static void sums_have_the_known_bits(trm_device *device)
{
  static const char *const names[] = { "kinetic_energy", "enstrophy", "dissipation" };
  static const char *const sets[] = { "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", BOX,
    "grid.levels", "1", "mesh.refine", "0 1 0 1 0 1", NULL };
  static const double known[2][3] = {
    { 0x1.03e25p+6, 0x1.0fd504p+7, 0x1.5e7f58p+1 },
    { 0x1.03e24ffc1eedep+6, 0x1.0fd50626ab921p+7, 0x1.5e7f57100b836p+1 } };
  for (int p = 0; p < 2; p++) {
    if (p == TRM_F64 && !trm_device_describe(device)->has_f64) continue;
    for (uint64_t batch = 2; batch <= 6; batch += 4) {
      fv_run run = fv_run_begin(device, (trm_precision)p, sets);
      fv_run_advance(&run, INFINITY, 6, batch);
      int same = 1;
      for (int k = 0; k < 3; k++) {
        const double value = fv_run_last(&run, names[k]);
        print_message("# %s %a\n", names[k], value);
        same &= value == known[p][k];
      }
      fv_run_end(&run);
      assert_true(same);
    }
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(series_are_sums_over_the_fields),
    TEST_DEVICE(friction_makes_heat_of_stretching_and_shear),
    TEST_DEVICE(solid_cells_do_not_count),
    TEST_DEVICE(vortices_decay),
    TEST_DEVICE(vortices_decay_with_order_two),
    TEST_DEVICE(sums_have_the_known_bits),
  };
  return TEST_RUN(argc, argv, cases);
}
