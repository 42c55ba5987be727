/* shallow_forms.c - Lax-Friedrichs in the three kernels of the course's program: each combination
 * of its keys has the bits of the solver's own kernel, in groups of any shape. Combinations without
 * sense are refused. */
#include "tests/solvers/shallow/shallow_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 9, MOST = 40 };
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Hills and walls; no side is a multiple of a group's. */
#define FRIEDRICHS "shallow.scheme", "lax-friedrichs", "grid.dx", "0.3"
#define HILLS FRIEDRICHS, "grid.nx", "70", "grid.ny", "37", \
              "shallow.bed_formula", "0.1*sin(0.9*x)*cos(1.1*y)-0.4", \
              "initial.surface", "0.2*exp(-((x-7)^2+(y-4)^2))", \
              "initial.velocity_x", "0.1*sin(y)", SHALLOW_CLOSED
/* The same with open edges, where the ground is level. */
#define LAKE FRIEDRICHS, "grid.nx", "33", "grid.ny", "18", \
             "shallow.bed_formula", "-1", "initial.surface", "0.2*exp(-((x-3)^2+(y-1)^2))", \
             "boundary.west", "wall", "boundary.north", "wall"
static const char *const hills[] = { HILLS, NULL }, *const lake[] = { LAKE, NULL };

/* `sets`, then "KEY=VALUE KEY=VALUE", which `text` keeps. */
static void add_keys(const char *const *sets, const char *keys, char *text, const char **out)
{
  size_t count = 0;
  char *rest = NULL;
  for (; sets[count]; count++) out[count] = sets[count];
  strcpy(text, keys);
  for (char *key = strtok_r(text, " =", &rest); key; key = strtok_r(NULL, " =", &rest)) {
    assert_true(count < MOST - 1);
    out[count++] = key;
  }
  out[count] = NULL;
}

typedef struct seen { double *h, *hu, *hv, *dt; size_t steps; } seen;

static seen seen_of(shallow_run *run)
{
  const seen found = { shallow_run_values(run, "h"), shallow_run_values(run, "hu"),
                       shallow_run_values(run, "hv"), run->dt, run->steps };
  run->dt = NULL;
  return found;
}

static void forget(seen *it)
{
  free(it->h);
  free(it->hu);
  free(it->hv);
  free(it->dt);
}

static void make(trm_device *device, trm_precision precision, const char *const *sets,
                 const int shape[2], seen *out)
{
  const trm_solver_options how = { .precision = precision, .math = TRM_STRICT,
                                   .row_group_x = shape[0], .row_group_y = shape[1] };
  shallow_run run = { .config = shallow_configure_run(sets) };
  TEST_OK(trm_solver_shallow.create(device, run.config, &how, &run.solver));
  shallow_run_advance(&run, 1e9, STEPS, 4);
  *out = seen_of(&run);
  shallow_run_end(&run);
}

/* ---- bits -------------------------------------------------------------------------- */

typedef struct form { const char *keys; int shape[2]; int is_of_gpus; } form;
#define THREE "shallow.implementation=three-kernels "
#define TILE "shallow.implementation=tile "
static const form forms[] = {
  { THREE, {0, 0}, 0 },
  { THREE "shallow.edges=padded", {1024, 1}, 0 }, /* a tile of this shape is too large in f64 */
  { THREE "shallow.constants=memory", {64, 2}, 0 },
  { TILE, {0, 0}, 0 },
  { TILE "shallow.slopes=memory shallow.edges=padded", {13, 13}, 0 },
  { TILE "shallow.results=memory shallow.pitch=odd", {32, 4}, 0 },
  { "shallow.implementation=tile-bed-global shallow.results=memory", {32, 32}, 0 },
  { THREE "shallow.edges=padded shallow.gather=atomic", {10, 10}, 1 },
  { THREE "shallow.constants=constant shallow.gather=swap", {8, 128}, 1 },
  { TILE "shallow.edges=padded shallow.constants=constant", {13, 13}, 1 },
  { TILE "shallow.slopes=memory shallow.constants=memory shallow.gather=atomic", {10, 10}, 1 },
};

static void hold(const seen *expected, const seen *found, int cells, const char *keys)
{
  const size_t bytes = (size_t)cells * sizeof(double);
  if (found->steps != expected->steps ||
      memcmp(found->dt, expected->dt, found->steps * sizeof(double)) != 0)
    fail_msg("%s: other lengths of steps than the best kernel has", keys);
  if (memcmp(found->h, expected->h, bytes) != 0 || memcmp(found->hu, expected->hu, bytes) != 0 ||
      memcmp(found->hv, expected->hv, bytes) != 0)
    fail_msg("%s: other bits than the best kernel has", keys);
}

/* A form that a driver of a processor compiles for seconds is seen in one precision there. */
static void hold_case(trm_device *device, trm_precision precision, const char *const *sets,
                      int cells, size_t from)
{
  static const int own[2] = {0, 0};
  const int is_host = trm_device_describe(device)->is_host;
  seen best, found;
  make(device, precision, sets, own, &best);
  for (size_t i = from; i < COUNT(forms); i++) {
    const char *list[MOST];
    char text[256];
    if (is_host && forms[i].is_of_gpus) continue;
    if (!test_takes(device, i, precision)) continue;
    add_keys(sets, forms[i].keys, text, list);
    make(device, precision, list, forms[i].shape, &found);
    hold(&best, &found, cells, forms[i].keys);
    forget(&found);
  }
  forget(&best);
}

static void every_form_has_the_same_bits(trm_device *device)
{
  const int is_host = trm_device_describe(device)->is_host;
  for (int p = 0; p <= trm_device_describe(device)->has_f64; p++) {
    hold_case(device, (trm_precision)p, hills, 70 * 37, 0);
    if (is_host || test_runs_long()) hold_case(device, (trm_precision)p, lake, 33 * 18, 0);
  }
}

/* Shuffles are NVIDIA's; elsewhere they are refused. */
static void shuffles_have_the_same_bits(trm_device *device)
{
  static const form by_shuffles[] = {
    { THREE "shallow.maximum=shuffle", {32, 4}, 1 },
    { TILE "shallow.maximum=shuffle shallow.gather=atomic", {10, 10}, 1 } };
  const int own[2] = {0, 0};
  if (!strstr(trm_device_describe(device)->vendor, "NVIDIA")) {
    const char *list[MOST];
    char text[256];
    trm_solver *solver = NULL;
    const trm_solver_options how = { .precision = TRM_F32, .math = TRM_STRICT };
    add_keys(hills, by_shuffles[0].keys, text, list);
    trm_config *config = shallow_configure_run(list);
    TEST_FAILS(trm_solver_shallow.create(device, config, &how, &solver), TRM_ERROR_UNSUPPORTED,
               "shuffles are those of NVIDIA's GPUs");
    trm_config_destroy(&config);
    return;
  }
  for (size_t i = 0; i < COUNT(by_shuffles); i++) {
    const char *list[MOST];
    char text[256];
    seen best, found;
    make(device, i % 2 ? TRM_F64 : TRM_F32, hills, own, &best);
    add_keys(hills, by_shuffles[i].keys, text, list);
    make(device, i % 2 ? TRM_F64 : TRM_F32, list, by_shuffles[i].shape, &found);
    hold(&best, &found, 70 * 37, by_shuffles[i].keys);
    forget(&best);
    forget(&found);
  }
}

/* A deep place raises its speed above all others: the maximum is that of the cell, and each form of
 * the maximum sees it in the last, partial chunk. */
static void the_last_cell_counts(trm_device *device)
{
  static const char *const corner[] = {
    FRIEDRICHS, "grid.nx", "70", "grid.ny", "37",
    "shallow.bed_formula", "-1", "initial.surface", "3*exp(-((x-20.85)^2+(y-10.95)^2)/0.05)",
    SHALLOW_CLOSED, NULL };
  hold_case(device, TRM_F32, corner, 70 * 37, COUNT(forms) - 3);
  if (trm_device_describe(device)->is_host) hold_case(device, TRM_F32, corner, 70 * 37, 0);
}

/* ---- refusals ---------------------------------------------------------------------- */

static const struct { const char *keys, *message; } refused[] = {
  { "shallow.edges=padded", "shallow.implementation = best is the solver's own" },
  { THREE "shallow.slopes=tile", "shallow.slopes = tile is of tiles" },
  { THREE "shallow.pitch=odd", "shallow.pitch = odd is of tiles" },
  { THREE "shallow.dt_every=3", "shallow.dt_every makes one of several steps" },
  { THREE "shallow.scheme=hllc", "is of Lax-Friedrichs" },
  { THREE "shallow.constants=constant", "a host has no constant memory" },
  { THREE "shallow.gather=atomic", "a host has no groups" },
  { THREE "shallow.gather=swap", "a host has no groups" },
};

static void what_has_no_sense_is_refused(void)
{
  trm_device *device = test_open("openmp", NULL);
  for (size_t i = 0; i < COUNT(refused); i++) {
    const char *list[MOST];
    char text[256];
    trm_solver *solver = NULL;
    const trm_solver_options how = { .precision = TRM_F64, .math = TRM_STRICT };
    add_keys(hills, refused[i].keys, text, list);
    trm_config *config = shallow_configure_run(list);
    const trm_status status = trm_solver_shallow.create(device, config, &how, &solver);
    TEST_FAILS(status, status, refused[i].message);
    assert_int_not_equal(status, TRM_OK);
    trm_config_destroy(&config);
  }
  trm_device_close(&device);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(every_form_has_the_same_bits),
    TEST_DEVICE(shuffles_have_the_same_bits),
    TEST_DEVICE(the_last_cell_counts),
    TEST_HOST(what_has_no_sense_is_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
