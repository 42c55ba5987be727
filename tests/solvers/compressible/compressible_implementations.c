/* compressible_implementations.c - every step of the ladder has the bits of the solver's stage,
 * beside sides and at the end of a run, and refuses a case that it cannot compute. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/counters.h"
#include "solvers/implementations.h"

enum { PRINT = 33 };            /* a fingerprint as text */

#define STIRRED \
  "compressible.viscosity", "0.003", "initial.velocity_x", "0.1*sin(6*y+1)", \
  "initial.velocity_y", "0.1*cos(5*x)", "initial.pressure", "1+0.05*sin(3*x)*cos(6*y)"

#define STRUCTS " of structs "

/* The state after about 2.5 steps in a stage's form, such as "lists" or "lists of structs both".
 * The last step is shorter, and steps that are
 * launched beyond the run's end change nothing. */
static void state_of(trm_device *device, trm_precision precision, const char *const *flow,
                     const char *form, char print[PRINT])
{
  char name[32];
  const char *structs = strstr(form, STRUCTS);
  const char *sets[40] = { "compressible.implementation", name, "compressible.structs",
                           structs ? structs + strlen(STRUCTS) : "none" };
  snprintf(name, sizeof name, "%.*s", structs ? (int)(structs - form) : 31, form);
  for (size_t i = 0; flow[i]; i++) sets[4 + i] = flow[i];
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
  static const char *const forms[] = { "two-kernels", "lists", "copied", "lists of structs state",
                                       "lists of structs fluxes", "lists of structs both" };
  /* a GPU's compiler has a text for each; two of them are enough there */
  const int is_host = trm_device_describe(device)->is_host;
  char known[PRINT], print[PRINT];
  state_of(device, precision, flow, "fused", known);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (!is_host && (i == 3 || i == 4)) continue;
    state_of(device, precision, flow, forms[i], print);
    assert_string_equal(print, known);
  }
  /* another order of a cell's sum, by gathering and by launches of faces: a wrong order is seen */
  state_of(device, precision, flow, "lists-side-order", print);
  assert_string_not_equal(print, known);
  memcpy(known, print, sizeof known);
  state_of(device, precision, flow, "push-sides", print);
  assert_string_equal(print, known);
  state_of(device, precision, flow, is_host ? "lists-side-order of structs fluxes"
                                            : "push-sides of structs both", print);
  assert_string_equal(print, known);
  /* whole numbers have bits of their own, in any order of additions */
  state_of(device, precision, flow, "push-fixed", known);
  state_of(device, precision, flow, "push-fixed", print);
  assert_string_equal(print, known);
  state_of(device, precision, flow, "push-fixed of structs both", print);
  assert_string_equal(print, known);
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

/* ---- fluxes that are pushed ------------------------------------------------------------ */

enum { WIDE = 16, HIGH = 8, DEEP = 24, PUSHED = WIDE * HIGH * DEEP };

/* density, then momentum, after ten steps in a form; malloc'd. */
static double *pushed(trm_device *device, trm_precision precision, const char *form)
{
  static const char *const flow[] = { "grid.nx", "16", "grid.ny", "8", "grid.nz", "24", STIRRED,
                                      "boundary.west", "wall", "boundary.east", "outflow" };
  const char *sets[40] = { "compressible.implementation", form };
  double *all = malloc(4 * PUSHED * sizeof *all);
  assert_non_null(all);
  for (size_t i = 0; i < sizeof flow / sizeof *flow; i++) sets[2 + i] = flow[i];
  fv_run run = fv_run_begin(device, precision, sets);
  fv_run_advance(&run, INFINITY, 10, 5);
  double *density = fv_run_values(&run, "density"), *momentum = fv_run_values(&run, "momentum");
  memcpy(all, density, PUSHED * sizeof *all);
  memcpy(all + PUSHED, momentum, 3 * PUSHED * sizeof *all);
  free(density);
  free(momentum);
  fv_run_end(&run);
  return all;
}

/* The largest difference, as a part of the largest value. */
static double apart(const double *a, const double *b)
{
  double most = 0, largest = 0;
  for (int i = 0; i < 4 * PUSHED; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    largest = fmax(largest, fabs(a[i]));
  }
  return most / largest;
}

/* The order of launches has bits of its own; that of atomic additions is any, so that a run does
 * not repeat itself. */
static void fluxes_that_are_pushed_are_off_by_rounding(trm_device *device)
{
  const int is_host = trm_device_describe(device)->is_host;
  for (int p = is_host ? TRM_F32 : TRM_F64; p <= TRM_F64; p++) {
    const double bound = p == TRM_F64 ? 1e-12 : 1e-4;
    double *lists = pushed(device, (trm_precision)p, "lists");
    double *sides = pushed(device, (trm_precision)p, "push-sides");
    double *first = pushed(device, (trm_precision)p, "push-atomics");
    double *second = pushed(device, (trm_precision)p, "push-atomics");
    double *whole = pushed(device, (trm_precision)p, "push-fixed");
    double *again = pushed(device, (trm_precision)p, "push-fixed");
    print_message("# %s: by sides off by %.1e, by atomics %.1e, two runs of these %.1e, in whole "
                  "numbers %.1e\n", trm_precision_name((trm_precision)p), apart(lists, sides),
                  apart(lists, first), apart(first, second), apart(lists, whole));
    assert_true(apart(lists, whole) > 0 && apart(lists, whole) <= bound);
    assert_true(apart(whole, again) == 0);
    assert_true(apart(lists, sides) > 0 && apart(lists, sides) <= bound);
    assert_true(apart(lists, first) <= bound && apart(lists, second) <= bound);
    free(lists);
    free(sides);
    free(first);
    free(second);
    free(whole);
    free(again);
  }
}

/* Each launch of `copied` brings its arrays and takes back what it wrote. */
static void copies_are_made(trm_device *device)
{
  static const char *const forms[] = { "lists", "copied" };
  uint64_t read[2];
  for (size_t i = 0; i < 2; i++) {
    const char *const sets[] = { "compressible.implementation", forms[i], "grid.nx", "16",
                                 "grid.ny", "16", NULL };
    fv_run run = fv_run_begin(device, TRM_F64, sets);
    fv_run_advance(&run, INFINITY, 1, 1);
    const trm_counters before = trm_device_counters(device);
    fv_run_advance(&run, INFINITY, 4, 4);
    read[i] = trm_device_counters(device).read_bytes - before.read_bytes;
    fv_run_end(&run);
  }
  /* 20 stages of at least the state before and after, and its sums: 5 reals of 256 cells each */
  assert_true(read[1] > read[0] + 20 * 3 * 5 * 256 * sizeof(double));
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
  static const char *const forms[] = { "two-kernels", "lists", "push-atomics", "push-fixed" };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
      const char *const sets[] = { "compressible.implementation", forms[k], wrong[i].key,
                                   wrong[i].value,
                                   wrong[i].more, wrong[i].to,
                                   i == 2 ? "compressible.viscosity_at" : NULL, "1", NULL };
      fv_run_refused(device, sets, TRM_ERROR_UNSUPPORTED, wrong[i].part);
    }
  static const char *const others[] = { "fused", "two-kernels", "copied" };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    const char *const sets[] = { "compressible.implementation", others[i], "compressible.structs",
                                 "fluxes", NULL };
    fv_run_refused(device, sets, TRM_ERROR_UNSUPPORTED, "leave compressible.structs out");
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(every_implementation_has_the_same_bits),
    TEST_DEVICE(and_in_the_other_precision),
    TEST_DEVICE(fluxes_that_are_pushed_are_off_by_rounding),
    TEST_DEVICE(copies_are_made),
    TEST_DEVICE(what_an_implementation_does_not_know_is_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
