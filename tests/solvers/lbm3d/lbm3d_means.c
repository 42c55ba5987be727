/* lbm3d_means.c - means over time and what is off them, against sums of the fields that they are
 * of; in rows, in one lattice, in 16 bits and on blocks of several levels. */
#include "tests/solvers/flow_run.h"

#include <math.h>
#include <stdlib.h>

#define FLOW "lbm.viscosity=0.02|initial.velocity_x=0.03*sin(0.3*x)*cos(0.4*y)|body_force=1e-5 " \
             "0 0|" \
             "initial.density=1+0.01*sin(0.4*x)|boundary.south=wall|boundary.north=wall|"
#define BOX FLOW "grid.nx=37|grid.ny=9|grid.nz=7|bodies.shapes=sphere 12.3 4.5 3.5 1.9|"

enum { STEPS = 13, FROM = 5, VALUES = 4 };

/* Sums of u, v, w and rho over the steps that begin at FROM or later, and of their squares. */
typedef struct sums { size_t cells; double *of[VALUES], *square[VALUES]; } sums;

static void add(sums *all, flow_run *run)
{
  double *u = flow_values(run, "velocity"), *rho = flow_values(run, "density");
  for (size_t k = 0; k < VALUES; k++)
    for (size_t i = 0; i < all->cells; i++) {
      const double value = k < 3 ? u[k * all->cells + i] : rho[i] - 1;
      all->of[k][i] += value;
      all->square[k][i] += value * value;
    }
  free(u);
  free(rho);
}

static double worst(const sums *all, size_t k, const double *mean, const double *rms, double rest)
{
  double most = 0;
  const double count = STEPS - FROM;
  for (size_t i = 0; i < all->cells; i++) {
    const double m = all->of[k][i] / count, square = all->square[k][i] / count - m * m;
    most = fmax(most, fabs(mean[i] - rest - m));
    most = fmax(most, fabs(rms[i] * rms[i] - square));
  }
  return most;
}

static void compare(sums *all, flow_run *run, double tolerance)
{
  double *u = flow_values(run, "mean_velocity"), *du = flow_values(run, "rms_velocity");
  double *rho = flow_values(run, "mean_density"), *drho = flow_values(run, "rms_density");
  double *p = flow_values(run, "mean_pressure"), *dp = flow_values(run, "rms_pressure");
  double *time = flow_values(run, "averaged_time"), most = worst(all, 3, rho, drho, 1), moved = 0;
  for (size_t k = 0; k < 3; k++)
    most = fmax(most, worst(all, k, u + k * all->cells, du + k * all->cells, 0));
  for (size_t i = 0; i < all->cells; i++) {
    most = fmax(most, fabs(3 * p[i] + 1 - rho[i]));
    most = fmax(most, fabs(3 * dp[i] - drho[i]));
    moved = fmax(moved, du[i]);
  }
  assert_true(time[0] == STEPS - FROM && moved > 1e-5);
  if (!(most <= tolerance)) fail_msg("means are off by %.2g", most);
  double *const read[] = { u, du, rho, drho, p, dp, time };
  for (size_t i = 0; i < sizeof read / sizeof *read; i++) free(read[i]);
}

/* A run step by step, and one in batches that FROM is not the end of, which has the same bits. */
static void check_means(trm_device *device, trm_precision precision, const char *settings,
                        double tolerance)
{
  flow_run run, other;
  sums all = { 0 };
  flow_begin(&run, device, precision, settings);
  flow_begin(&other, device, precision, settings);
  TEST_OK(trm_field_elements(&run.solver->fields[2], &all.cells)); /* the density */
  for (size_t k = 0; k < VALUES; k++) {
    all.of[k] = calloc(all.cells, sizeof(double));
    all.square[k] = calloc(all.cells, sizeof(double));
  }
  for (int step = 0; step < STEPS; step++) {
    flow_steps(&run, 1, 0);
    if (step >= FROM) add(&all, &run);
  }
  compare(&all, &run, tolerance);
  flow_steps(&other, STEPS, 0);
  static const char *const names[] = { "mean_velocity", "rms_velocity", "mean_density" };
  for (size_t n = 0; n < 3; n++) {
    double *a = flow_values(&run, names[n]), *b = flow_values(&other, names[n]);
    for (size_t i = 0; i < all.cells; i++) assert_true(a[i] == b[i]);
    free(a);
    free(b);
  }
  for (size_t k = 0; k < VALUES; k++) {
    free(all.of[k]);
    free(all.square[k]);
  }
  flow_end(&run);
  flow_end(&other);
}

static void means_are_of_the_fields(trm_device *device)
{
  test_is_spared(device);
  static const char *const flows[] = {
    BOX "average_from=5", BOX "average_from=4.5|lbm.streaming=in-place",
    BOX "average_from=5|lbm.lattice=d3q27|lbm.collision=cumulant",
    FLOW "average_from=5|grid.nx=24|grid.ny=16|grid.nz=8|grid.levels=1|"
         "mesh.refine=0 4 0 4 0 4" };
  test_needs_f64(device);
  for (int i = 0; i < 4; i++) check_means(device, TRM_F64, flows[i], 1e-15);
}

static void means_are_of_16_bits(trm_device *device)
{
  check_means(device, TRM_F32, BOX "average_from=5|lbm.storage=half", 2e-7);
}

static void what_is_no_time_is_refused(trm_device *device)
{
  flow_refused(device, BOX "average_from=soon", "is no time from 0 on");
  flow_refused(device, BOX "average_from=-1", "is no time from 0 on");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(means_are_of_the_fields),
    TEST_DEVICE(means_are_of_16_bits),
    TEST_DEVICE(what_is_no_time_is_refused),
  };
  flow_solver = "lbm3d";
  return TEST_RUN(argc, argv, cases);
}
