/* compressible_diagnostics.c - probes, means over time and the density's steepness, each against
 * the fields that it is made of. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdlib.h>

#define WAVES \
  "grid.nx", "32", "grid.ny", "32", "initial.velocity_x", "0.3", \
  "initial.pressure", "1 + 0.1*exp(-((x - 0.4)^2 + (y - 0.5)^2)/0.01)"

/* The cell about (0.41, 0.51) of a grid of n x n. */
static size_t cell_of(size_t n)
{
  return (size_t)(0.51 * (double)n) * n + (size_t)(0.41 * (double)n);
}

/* On a grid that follows the flow the probe's cell and block change. */
static void a_probe_has_its_cells_values(trm_device *device)
{
  test_is_spared(device);
  static const char *const plain[] = { WAVES, "probes", "a 0.9 0.9; mid 0.41 0.51",
                                       NULL };
  static const char *const follows[] = {
    WAVES, "probes", "mid 0.41 0.51", "grid.levels", "1", "mesh.refine",
    "pressure 0.004", "mesh.adapt_every", "2", NULL };
  for (int i = 0; i < 2; i++) {
    const size_t n = i ? 64 : 32, cells = n * n;
    fv_run run = fv_run_begin(device, TRM_F32, i ? follows : plain);
    for (int look = 0; look < 6; look++) {
      fv_run_advance(&run, INFINITY, 3, i ? 1 : 3);
      double *rho = fv_run_values(&run, "density"), *u = fv_run_values(&run, "velocity");
      double *p = fv_run_values(&run, "pressure");
      const size_t at = cell_of(n);
      if (!i || run.solver->step % 2) { /* else the grid was fitted anew since */
        assert_true(fv_run_last(&run, "mid_density") == rho[at]);
        assert_true(fv_run_last(&run, "mid_velocity_x") == u[at]);
        assert_true(fv_run_last(&run, "mid_velocity_y") == u[cells + at]);
        assert_true(fv_run_last(&run, "mid_velocity_z") == 0);
        assert_true(fv_run_last(&run, "mid_pressure") == p[at]);
      }
      free(rho);
      free(u);
      free(p);
    }
    fv_run_end(&run);
  }
}

/* Each step counts by its length, from the one on that begins at the given time or later. */
static void means_are_over_time(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = { WAVES, "average_from", "0.03", NULL };
  enum { CELLS = 32 * 32 };
  static double sum[3][CELLS];
  double time = 0;
  test_needs_f64(device);
  for (int i = 0; i < CELLS; i++) sum[0][i] = sum[1][i] = sum[2][i] = 0;
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  for (int step = 0; step < 20; step++) {
    const double begun = run.solver->time;
    fv_run_advance(&run, INFINITY, 1, 1);
    const double dt = fv_run_last(&run, "dt");
    double *rho = fv_run_values(&run, "density"), *u = fv_run_values(&run, "velocity");
    double *p = fv_run_values(&run, "pressure");
    for (int i = 0; i < CELLS && begun >= 0.03; i++) {
      sum[0][i] += dt * u[i];
      sum[1][i] += dt * rho[i];
      sum[2][i] += dt * p[i];
    }
    time += begun >= 0.03 ? dt : 0;
    free(rho);
    free(u);
    free(p);
  }
  static const char *const names[] = { "mean_velocity", "mean_density", "mean_pressure" };
  double *averaged = fv_run_values(&run, "averaged_time"), most = 0;
  assert_true(time > 0.05 && fabs(averaged[0] - time) <= 1e-15);
  for (int k = 0; k < 3; k++) {
    double *mean = fv_run_values(&run, names[k]);
    for (int i = 0; i < CELLS; i++) most = fmax(most, fabs(mean[i] - sum[k][i] / time));
    free(mean);
  }
  print_message("# off by %.1e\n", most);
  assert_true(most <= 1e-14);
  free(averaged);
  fv_run_end(&run);
}

/* A cloud in the wind, with the finer grid that follows it; or the finest cells everywhere. */
#define CLOUD(n, depth) \
  "grid.nx", n, "grid.ny", n, "grid.nz", depth, "compressible.slopes", "van-albada", \
  "initial.velocity_x", "1", "initial.velocity_y", "0.5", "initial.density", \
  "1 + exp(-((x - 0.3)^2 + (y - 0.3)^2)/0.005)", "average_from", "0.02"
#define FOLLOWED "grid.levels", "1", "mesh.refine", "density 0.02"

/* No mass is made or lost, so the mean density's mean is the density's. */
static void means_go_with_the_grid(trm_device *device)
{
  test_is_spared(device);
  static const struct {
    const char *follows[24], *finest[24];
    int cells;
    uint64_t steps;
  } clouds[] = {
    { { CLOUD("64", "1"), FOLLOWED }, { CLOUD("128", "1") }, 128 * 128, 120 },
    { { CLOUD("32", "8"), FOLLOWED }, { CLOUD("64", "16") }, 64 * 64 * 16, 40 } };
  test_needs_f64(device);
  for (int c = 0; c < 2; c++) {
    fv_run run = fv_run_begin(device, TRM_F64, clouds[c].follows);
    fv_run fine = fv_run_begin(device, TRM_F64, clouds[c].finest);
    fv_run_advance(&run, INFINITY, clouds[c].steps, clouds[c].steps);
    fv_run_advance(&fine, run.solver->time, 1000, 1000);
    assert_true(((fv_solver *)run.solver)->adapt.count > 1);
    double *rho = fv_run_values(&run, "density"), *mean = fv_run_values(&run, "mean_density");
    double *known = fv_run_values(&fine, "mean_density"), sum = 0, least = 2, off = 0;
    for (int i = 0; i < clouds[c].cells; i++) {
      sum += mean[i] - rho[i];
      least = fmin(least, mean[i]);
      off += fabs(mean[i] - known[i]);
    }
    print_message("# mass off by %.1e, density by %.1e, least %g\n", sum / clouds[c].cells,
                  off / clouds[c].cells, least);
    assert_true(fabs(sum) <= 1e-13 * clouds[c].cells && least > 0.9);
    assert_true(off <= 1e-3 * clouds[c].cells);
    free(known);
    free(mean);
    free(rho);
    fv_run_end(&fine);
    fv_run_end(&run);
  }
  fv_run_resumes(device, TRM_F32, clouds[0].follows, 30, 30, NULL);
}

static void a_slope_has_its_steepness(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = {
    "grid.nx", "32", "grid.ny", "32", "grid.levels", "1", "mesh.refine", "0 0.4 0 0.4",
    "initial.density", "1 + 0.3*x + 0.4*y", "compressible.schlieren", "true",
    "boundary.west", "outflow", "boundary.east", "outflow", "boundary.south", "outflow",
    "boundary.north", "outflow", NULL };
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  double *steep = fv_run_values(&run, "schlieren");
  for (int y = 4; y < 60; y++)
    for (int x = 4; x < 60; x++) assert_true(fabs(steep[64 * y + x] - 0.5) <= 1e-12);
  free(steep);
  fv_run_end(&run);
}

static void what_makes_no_sense_is_refused(trm_device *device)
{
  static const struct { const char *sets[9], *part; } wrong[] = {
    { { "probes", "a 0.5", NULL }, "is no probe" },
    { { "probes", "a 0.5 2", NULL }, "lies at y = 2" },
    { { "probes", "a 0.5 0.5; a 0.2 0.2", NULL }, "two probes are called 'a'" },
    { { "probes", "a-b 0.5 0.5", NULL }, "letters, digits and '_'" },
    { { "probes", "a 0.5 0.5", "bodies.shapes", "cylinder 0.5 0.5 0.2 wall",
        NULL }, "lies in a body" },
    { { "average_from", "soon", NULL }, "is no time" },
    { { "average_from", "inf", NULL }, "is no time" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    fv_run_refused(device, wrong[i].sets, TRM_ERROR_INPUT, wrong[i].part);
}

static void a_moving_body_has_no_means(trm_device *device)
{
  static const char *const sets[] = { "bodies.shapes", "cylinder 0.5 0.5 0.2",
    "bodies.motion", "0.1*t, 0", "average_from", "0", NULL };
  fv_run_refused(device, sets, TRM_ERROR_UNSUPPORTED, "the cells under a moving body as gas");
}

static void dual_time_takes_none_of_it(trm_device *device)
{
  static const struct { const char *sets[9], *part; } wrong[] = {
    { { "compressible.time", "dual", "average_from", "0", NULL },
      "they are of explicit steps" },
    { { "compressible.time", "dual", "body_force", "1 0 0", NULL }, "in the residual" },
    { { "compressible.time", "dual", "boundary.west", "wall", "boundary.east", "isothermal",
        "boundary.east_temperature", "1 + t" }, "no time of their own" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    fv_run_refused(device, wrong[i].sets, TRM_ERROR_UNSUPPORTED, wrong[i].part);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_probe_has_its_cells_values),
    TEST_DEVICE(means_are_over_time),
    TEST_DEVICE(means_go_with_the_grid),
    TEST_DEVICE(a_slope_has_its_steepness),
    TEST_DEVICE(what_makes_no_sense_is_refused),
    TEST_DEVICE(dual_time_takes_none_of_it),
    TEST_DEVICE(a_moving_body_has_no_means),
  };
  return TEST_RUN(argc, argv, cases);
}
