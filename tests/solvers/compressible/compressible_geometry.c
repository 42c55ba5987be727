/* compressible_geometry.c - lists about moving walls that the device makes: those of the host in
 * every field, by any number of steps, from a checkpoint, and where the host has to help. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 40 };

#define FLAT "grid.nx", "64", "grid.ny", "48", "compressible.viscosity", "0.001", \
             "bodies.shapes"
#define DEEP "grid.nx", "32", "grid.ny", "24", "grid.nz", "24", "compressible.viscosity", "0.001", \
             "bodies.shapes"
#define MOTION "bodies.motion"

typedef struct moving {
  int f64, steps, least;       /* least: steps whose lists the device makes */
  const char *sets[30];
} moving;

/* Shapes, walls, motions, precisions, grids that have levels, follow the flow or are periodic;
 * bodies that slide; one for whose first step gas goes around more often than the device does. */
static const moving cases[] = {
  { 1, 24, 24, { FLAT, "cylinder 0.3 0.4 0.1 isothermal 1.1; naca 2412 0.55 0.3 0.3 8 slip", MOTION,
                 "0.05*sin(9*t), 0.02*(1 - cos(9*t))", NULL } },
  { 0, 24, 24, { FLAT, "tube 0.5 0.375 0.3; box 0.4 0.55 0.3 0.45 slip", MOTION,
                 "; 0.1*t, 0.05*t, 0.4*t", NULL } },
  { 1, 20, 20, { DEEP, "sphere 0.4 0.4 0.4 0.22 spin 2", MOTION, "0.2*t, 0.1*t, -0.1*t", NULL } },
  { 0, 20, 19, { DEEP, "box 0.3 0.6 0.2 0.5 0.25 0.5; cylinder 0.8 0.4 0.12 isothermal 0.9", MOTION,
                 "0.1*t, 0, 0.1*t, 0.5*t along 1 1 0", "compressible.cfl", "0.25", NULL } },
  { 1, 30, 30, { FLAT, "cylinder 0.35 0.4 0.11", MOTION, "0.3*t, 0.1*t", "grid.levels", "1",
                 "mesh.refine", "density 0.02", "mesh.adapt_every", "10", NULL } },
  { 0, 12, 12, { DEEP, "sphere 0.45 0.4 0.35 0.15", MOTION, "0.2*t, 0, 0", "grid.levels", "1",
                 "mesh.refine", "wall 0.06", NULL } },
  { 1, 40, 40, { "grid.nx", "96", "grid.ny", "48", "compressible.length_x", "2",
                 "bodies.shapes",
                 "box 0.5 0.884 0.45 0.55 slip; box 0.94 1.36 0.45 0.55 slides slip", MOTION,
                 "; -0.035*(1 - cos(2*t)), 0", NULL } },
  { 1, 16, 16, { FLAT, "box 0 1 0.2 0.41", MOTION, "0, 0.3*t", NULL } },
  { 1, 8, 8, { "case", "piston", NULL } },
  { 0, 10, 10, { "case", "piston", "bodies.shapes",
                 "stl valve -0.2 0.02 0 1; sphere 0.45 0.5 0.5 0.15 slip", MOTION,
                 "0.1*t, 0, 0.1*t, 0.6*t about 0.97 0.52 0.5 along 1 2 3; ",
                 "bodies.motion_table", "", NULL } } };

/* In space: another variant of 43 kernels, which PoCL compiles for half a minute. */
static int is_spared(trm_device *device, const moving *of)
{
  int is_deep = 0;
  for (int i = 0; of->sets[i]; i++)
    is_deep |= strcmp(of->sets[i], "grid.nz") == 0 || strcmp(of->sets[i], "piston") == 0;
  return is_deep && test_spares(device);
}

static void list_sets(const moving *of, const char *by, const char *to[SETS])
{
  int count = 0;
  for (; of->sets[count]; count++) to[count] = of->sets[count];
  to[count] = "compressible.cut_cells_on";
  to[count + 1] = by;
  to[count + 2] = NULL;
}

static fv_run begin(trm_device *device, const moving *of, const char *by)
{
  const char *sets[SETS];
  list_sets(of, by, sets);
  return fv_run_begin(device, of->f64 ? TRM_F64 : TRM_F32, sets);
}

/* All that a run writes down. */
static void assert_alike(const fv_run *a, const fv_run *b)
{
  char print[2][33];
  TEST_OK(trm_solver_fingerprint(a->solver, print[0]));
  TEST_OK(trm_solver_fingerprint(b->solver, print[1]));
  assert_string_equal(print[0], print[1]);
  assert_int_equal(a->solver->field_count, b->solver->field_count);
  for (size_t i = 0; i < a->solver->field_count; i++) {
    size_t count[2];
    const char *name = a->solver->fields[i].name;
    TEST_OK(trm_field_elements(&a->solver->fields[i], &count[0]));
    TEST_OK(trm_field_elements(&b->solver->fields[i], &count[1]));
    double *one = fv_run_values(a, name), *other = fv_run_values(b, name);
    assert_int_equal(count[0], count[1]);
    for (size_t k = 0; k < count[0]; k++)
      if (memcmp(&one[k], &other[k], sizeof *one) != 0)
        fail_msg("%s, value %zu: %.17g by the host, %.17g by the device", name, k, one[k],
                 other[k]);
    free(one);
    free(other);
  }
  for (size_t i = 0; i < a->solver->series_count; i++) {
    const char *name = a->solver->series[i].name;
    const double one = fv_run_last(a, name), other = fv_run_last(b, name);
    if (one != other) fail_msg("%s: %.17g by the host, %.17g by the device", name, one, other);
  }
}

static void the_device_makes_the_lists_of_the_host(trm_device *device)
{
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const moving *of = &cases[i];
    if (is_spared(device, of)) continue;
    fv_run host = begin(device, of, "host"), own = begin(device, of, "device");
    for (int part = 0; part < 2; part++) { /* output in the midst changes nothing */
      fv_run_advance(&host, INFINITY, (uint64_t)of->steps / 2, 5);
      fv_run_advance(&own, INFINITY, (uint64_t)of->steps / 2, 3);
      assert_alike(&host, &own);
    }
    const int steps = (int)((const fv_solver *)own.solver)->geometry.steps;
    print_message("# case %zu: %d of %d steps by the device\n", i + 1, steps, of->steps);
    assert_true(steps >= of->least);
    assert_true(((const fv_solver *)host.solver)->geometry.steps == 0);
    fv_run_end(&host);
    fv_run_end(&own);
  }
}

static void a_restored_state_goes_on_with_the_same_bits(trm_device *device)
{
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *sets[SETS];
    if (is_spared(device, &cases[i])) continue;
    list_sets(&cases[i], "device", sets);
    fv_run_resumes(device, cases[i].f64 ? TRM_F64 : TRM_F32, sets, 7, 5, NULL);
  }
}

/* What it is told by the host, which asks the device first. */
static void what_cannot_be_is_refused_as_by_the_host(trm_device *device)
{
  static const struct { const char *bodies, *motion, *part; } wrong[] = {
    { "box 0.15 0.3421875 0.25 0.75; box 0.39375 0.6 0.25 0.75", "; -0.3*t, 0",
      "too few neighbours hold gas" },
    { "cylinder 0.3 0.5 0.1; cylinder 0.52 0.5 0.1", "0.4*t, 0",
      "bodies neither overlap nor touch" },
    { "cylinder 0.115 0.5 0.1", "-0.5*t, 0", "a body lies inside" },
    { "box 0.2 0.8 0.2 0.8; box 0.65 0.85 0.4 0.6 slides", "; -0.5*t, 0",
      "the wall of body 2 passes through no cell" } };
  uint64_t made = 0;
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[2][1024] = { "" };
    for (int by = 0; by < 2; by++) {
      const char *const sets[] = { "grid.nx", "32", "grid.ny", "32", "bodies.shapes",
                                   wrong[i].bodies, MOTION, wrong[i].motion,
                                   "compressible.cut_cells_on", by ? "device" : "host", NULL };
      trm_status status = TRM_OK;
      fv_run run = fv_run_begin(device, TRM_F32, sets);
      for (int step = 0; step < 60 && status == TRM_OK; step++) {
        status = trm_solver_compressible.advance(run.solver, 1, INFINITY, 1, &made);
        if (status == TRM_OK)
          status = trm_solver_compressible.account(run.solver, made, &made);
      }
      TEST_FAILS(status, TRM_ERROR_INPUT, wrong[i].part);
      snprintf(text[by], sizeof text[by], "%s", trm_error_last()->text);
      fv_run_end(&run);
    }
    assert_string_equal(text[0], text[1]);
  }
}

/* Bodies at rest are looked for by nobody. */
static void what_has_no_use_is_refused(trm_device *device)
{
  static const char *const rests[] = { FLAT, "cylinder 0.3 0.4 0.1", "compressible.cut_cells_on",
                                       "device", NULL };
  fv_run_refused(device, rests, TRM_ERROR_INPUT, "is of bodies that move, and none does");
}

int main(int argc, char **argv)
{
  static const test_case all[] = {
    TEST_DEVICE(the_device_makes_the_lists_of_the_host),
    TEST_DEVICE(a_restored_state_goes_on_with_the_same_bits),
    TEST_DEVICE(what_cannot_be_is_refused_as_by_the_host),
    TEST_DEVICE(what_has_no_use_is_refused),
  };
  return TEST_RUN(argc, argv, all);
}
