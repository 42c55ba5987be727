/* compressible_implementations.c - every step of the ladder has the bits of the solver's stage,
 * beside sides and at the end of a run, and refuses a case that it cannot compute. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>

#include "solvers/implementations.h"

enum { PRINT = 33 };            /* a fingerprint as text */

#define STIRRED \
  "compressible.viscosity", "0.003", "initial.velocity_x", "0.1*sin(6*y+1)", \
  "initial.velocity_y", "0.1*cos(5*x)", "initial.pressure", "1+0.05*sin(3*x)*cos(6*y)"

/* The state after about 2.5 steps in a stage's form: the last one is shorter, and steps that are
 * launched beyond the run's end change nothing. */
static void state_of(trm_device *device, trm_precision precision, const char *const *flow,
                     const char *form, char print[PRINT])
{
  const char *sets[40] = { "compressible.implementation", form };
  for (size_t i = 0; flow[i]; i++) sets[2 + i] = flow[i];
  fv_run run = fv_run_begin(device, precision, sets);
  double dt;
  fv_run_advance(&run, INFINITY, 1, 1);
  dt = fv_run_last(&run, "dt");
  fv_run_advance(&run, run.solver->time + 1.5 * dt, 6, 6);
  assert_true(isfinite(fv_run_last(&run, "rate"))); /* NaN has bits that mean nothing */
  assert_true(run.solver->step >= 3 && run.solver->step < 6);
  TEST_OK(trm_solver_fingerprint(run.solver, print));
  fv_run_end(&run);
}

static void compare(trm_device *device, trm_precision precision, const char *const *flow)
{
  static const char *const forms[] = { "two-kernels", "lists" };
  char known[PRINT], print[PRINT];
  state_of(device, precision, flow, "fused", known);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    state_of(device, precision, flow, forms[i], print);
    assert_string_equal(print, known);
  }
}

static const char *const cube[] = { "grid.nx", "16", "grid.ny", "8", "grid.nz", "24", STIRRED,
  "boundary.west", "wall", "boundary.west_velocity", "0 0.1 0", "boundary.east", "isothermal",
  "boundary.south", "symmetry", "boundary.north", "farfield", "boundary.top", "outflow",
  "boundary.bottom", "symmetry", NULL };
static const char *const ring[] = { "grid.nx", "8", "grid.ny", "16", "grid.nz", "8", STIRRED,
  NULL };
static const char *const plate[] = { "grid.nx", "48", "grid.ny", "32", STIRRED, "boundary.south",
  "wall", "boundary.north", "subsonic_outflow", NULL };

static void every_implementation_has_the_same_bits(trm_device *device)
{
  compare(device, TRM_F64, cube);
  compare(device, TRM_F64, ring);
  compare(device, TRM_F32, plate);
}

static void and_in_the_other_precision(trm_device *device)
{
  if (!trm_device_describe(device)->is_host) test_is_long(); /* its compiler takes half a minute */
  compare(device, TRM_F32, cube);
  compare(device, TRM_F32, ring);
  compare(device, TRM_F64, plate);
}

static void what_an_implementation_does_not_know_is_refused(trm_device *device)
{
  static const struct { const char *key, *value, *more, *to, *part; } wrong[] = {
    { "compressible.slopes", "van-albada", NULL, NULL, "leave compressible.flux, slopes" },
    { "compressible.flux", "hllc", NULL, NULL, "leave compressible.flux, slopes" },
    { "compressible.viscosity", "0.1", "compressible.sutherland", "0.4",
      "without Sutherland's viscosity" },
    { "compressible.time", "dual", NULL, NULL, "in explicit steps" },
    { "grid.levels", "1", "mesh.refine", "0.2 0.4 0.2 0.4", "leave grid.levels and mesh.refine" },
    { "grid.levels", "1", "mesh.refine", "density 0.1", "leave grid.levels and mesh.refine" },
    { "bodies.shapes", "cylinder 0.5 0.5 0.2 slip", NULL, NULL,
      "leave bodies.shapes out" } };
  static const char *const forms[] = { "two-kernels", "lists" };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
      const char *const sets[] = { "compressible.implementation", forms[k], wrong[i].key,
                                   wrong[i].value,
                                   wrong[i].more, wrong[i].to,
                                   i == 2 ? "compressible.viscosity_at" : NULL, "1", NULL };
      fv_run_refused(device, sets, TRM_ERROR_UNSUPPORTED, wrong[i].part);
    }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(every_implementation_has_the_same_bits),
    TEST_DEVICE(and_in_the_other_precision),
    TEST_DEVICE(what_an_implementation_does_not_know_is_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
