/* compressible.c - flow without sides: an isentropic vortex and its order, uniform flow, the same
 * bits on every device and in any batches, a state that goes on. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VORTEX(n) \
  "grid.nx", n, "grid.ny", n, "grid.x0", "-5", "grid.y0", "-5", "compressible.length_x", "10", \
  "initial.density", "(1 - 0.09046534253780159*exp(1-x^2-y^2))^2.5", \
  "initial.velocity_x", "1 - 0.7957747154594768*y*exp(0.5*(1-x^2-y^2))", \
  "initial.velocity_y", "1 + 0.7957747154594768*x*exp(0.5*(1-x^2-y^2))", \
  "initial.pressure", "(1 - 0.09046534253780159*exp(1-x^2-y^2))^3.5"

/* The mean difference of the density from what it was, after one passage through the box. */
static double error_of_density(trm_device *device, trm_precision precision,
                               const char *const *sets)
{
  fv_run run = fv_run_begin(device, precision, sets);
  double *before = fv_run_values(&run, "density");
  fv_run_advance(&run, 10.0, 100000, 100000);
  double *after = fv_run_values(&run, "density"), sum = 0;
  const size_t cells = (size_t)run.solver->cells;
  for (size_t i = 0; i < cells; i++) sum += fabs(after[i] - before[i]);
  TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
  const double drift = precision == TRM_F64 ? 1e-14 : 1e-7;
  assert_true(run.solver->time == 10.0);
  assert_true(fabs(run.solver->results[1].value) <= drift);
  assert_true(fabs(run.solver->results[2].value) <= drift);
  free(before);
  free(after);
  fv_run_end(&run);
  return sum / (double)cells;
}

/* Axes of pictures and times in their headings are named by these. */
static void lengths_are_metres_and_times_seconds(trm_device *device)
{
  static const char *const sets[] = { VORTEX("32"), NULL };
  fv_run run = fv_run_begin(device, TRM_F32, sets);
  assert_string_equal(run.solver->length_unit, "m");
  assert_string_equal(run.solver->time_unit, "s");
  fv_run_end(&run);
}

/* Bounds: 1.1 times a prototype's errors, the same scheme written independently. */
static void a_vortex_converges(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const coarse[] = { VORTEX("32"), NULL };
  static const char *const fine[] = { VORTEX("64"), NULL };
  test_needs_f64(device);
  const double at_32 = error_of_density(device, TRM_F64, coarse);
  const double at_64 = error_of_density(device, TRM_F64, fine);
  print_message("# L1 %.3e, %.3e, order %.2f\n", at_32, at_64, log2(at_32 / at_64));
  assert_true(at_32 <= 1.1 * 6.66e-3);
  assert_true(at_64 <= 1.1 * 1.52e-3);
  assert_true(log2(at_32 / at_64) >= 2.0);
}

static void a_vortex_converges_on_fine_grids(trm_device *device)
{
  static const char *const sets[][50] = { { VORTEX("128"), NULL }, { VORTEX("256"), NULL } };
  double errors[2];
  test_is_long();
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) errors[i] = error_of_density(device, TRM_F64, sets[i]);
  print_message("# L1 %.3e, %.3e, order %.2f\n", errors[0], errors[1],
                log2(errors[0] / errors[1]));
  assert_true(errors[0] <= 1.1 * 3.38e-4);
  assert_true(errors[1] <= 1.1 * 8.04e-5);
  assert_true(log2(errors[0] / errors[1]) >= 2.0);
}

static void a_vortex_converges_by_every_flux(trm_device *device)
{
  static const char *const sets[][50] = {
    { VORTEX("64"), "compressible.flux", "ausm+", NULL },
    { VORTEX("128"), "compressible.flux", "ausm+", NULL },
    { VORTEX("64"), "compressible.flux", "hllc", NULL },
    { VORTEX("128"), "compressible.flux", "hllc", NULL } };
  test_is_long();
  test_needs_f64(device);
  for (int i = 0; i < 4; i += 2) {
    const double coarse = error_of_density(device, TRM_F64, sets[i]);
    const double fine = error_of_density(device, TRM_F64, sets[i + 1]);
    print_message("# L1 %.3e, %.3e, order %.2f\n", coarse, fine, log2(coarse / fine));
    assert_true(coarse <= 1.1 * 1.52e-3 && fine <= 1.1 * 3.38e-4 && log2(coarse / fine) >= 2.0);
  }
}

static void a_vortex_in_three_dimensions_is_as_good(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const sets[] = { VORTEX("32"), "grid.nz", "8", "compressible.cfl", "0.8",
                                      NULL };
  const double error = error_of_density(device, TRM_F32, sets);
  print_message("# L1 %.3e\n", error);
  assert_true(error <= 1.1 * 6.66e-3);
}

/* Whatever the thread count, the batches and the device. */
typedef struct history {
  const char *name;
  const char *more[8];
} history;
static const history histories[] = {
  { "flat", { NULL } },
  { "deep", { "grid.nz", "16", "compressible.viscosity", "0.01", "initial.velocity_z",
              "0.1*sin(pi*z/2.5)", NULL } },
};

static void any_batch_gives_the_known_state(trm_device *device)
{
  static const uint64_t batches[] = { 1, 7, 24 };
  for (size_t c = 0; c < sizeof histories / sizeof *histories; c++)
    for (int p = 0; p < 2; p++)
      for (size_t b = 0; fv_run_takes(device, histories[c].more, (trm_precision)p) && b < 3; b++) {
        const char *sets[32] = { VORTEX("32") };
        size_t at = 0;
        while (sets[at]) at++;
        memcpy(sets + at, histories[c].more, sizeof histories[c].more);
        fv_run run = fv_run_begin(device, (trm_precision)p, sets);
        fv_run_advance(&run, INFINITY, 24, batches[b]);
        print_message("# %s\n", histories[c].name);
        fv_run_is(&run, "%s", histories[c].name);
        fv_run_end(&run);
      }
}

static void uniform_flow_stays(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = {
    "grid.nx", "16", "grid.ny", "16", "grid.nz", "8", "initial.velocity_x", "0.7",
    "initial.velocity_y", "-0.3", "initial.velocity_z", "0.2", "initial.density",
    "1.3", "compressible.viscosity", "0.001", NULL };
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  double *before = fv_run_values(&run, "momentum");
  fv_run_advance(&run, INFINITY, 200, 200);
  double *after = fv_run_values(&run, "momentum"), most = 0;
  for (size_t i = 0; i < 3 * 16 * 16 * 8; i++) most = fmax(most, fabs(after[i] - before[i]));
  print_message("# %.1e\n", most);
  assert_true(most <= 1e-13);
  free(before);
  free(after);
  fv_run_end(&run);
}

static void a_restored_state_goes_on_with_the_same_bits(trm_device *device)
{
  static const char *const sets[] = { VORTEX("32"), "compressible.viscosity", "0.01", NULL };
  fv_run_resumes(device, fv_run_precision(device, sets), sets, 9, 10, NULL);
}

static void a_vortex_turns_as_its_formula_says(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = { VORTEX("64"), NULL };
  fv_run run = fv_run_begin(device, TRM_F32, sets);
  double *vorticity = fv_run_values(&run, "vorticity"), *mach = fv_run_values(&run, "mach");
  const size_t cells = 64 * 64, middle = 32 * 64 + 32;
  const double wanted = 2.0 * 0.7957747154594768 * exp(0.5); /* at the middle */
  TEST_CLOSE(vorticity[2 * cells + middle], wanted, 0.04);
  TEST_CLOSE(mach[0], sqrt(2.0 / 1.4), 0.001);
  free(vorticity);
  free(mach);
  fv_run_end(&run);
}

static void a_case_that_cannot_be_is_refused(trm_device *device)
{
  static const struct { const char *sets[5], *part; } wrong[] = {
    { { "grid.nx", "40", NULL }, "grid.nx = 40 is no multiple of 16" },
    { { "grid.nz", "12", NULL }, "grid.nz = 12 is no multiple of 8" },
    { { "initial.pressure", "0.5 - x", NULL }, "it must be positive there" },
    { { "initial.velocity_y", "1/(x-x)", NULL }, "it must be a number there" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    fv_run_refused(device, wrong[i].sets, TRM_ERROR_INPUT, wrong[i].part);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(lengths_are_metres_and_times_seconds),
    TEST_DEVICE(a_vortex_converges),
    TEST_DEVICE(a_vortex_converges_on_fine_grids),
    TEST_DEVICE(a_vortex_converges_by_every_flux),
    TEST_DEVICE(a_vortex_in_three_dimensions_is_as_good),
    TEST_DEVICE(any_batch_gives_the_known_state),
    TEST_DEVICE(uniform_flow_stays),
    TEST_DEVICE(a_restored_state_goes_on_with_the_same_bits),
    TEST_DEVICE(a_vortex_turns_as_its_formula_says),
    TEST_DEVICE(a_case_that_cannot_be_is_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
