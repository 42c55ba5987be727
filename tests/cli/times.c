/* times.c - runs to times of the model: how many steps they take, that outputs at times change
 * nothing else, that what diverges between two of them is found, and how fast short runs are. */
#include "run/trireme-run.h"
#include "tests/cli/program.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 24 };

/* A run of a solver with keys, "KEY=VALUE|KEY=VALUE". */
typedef struct run { char text[1024]; trm_run_key keys[MOST_KEYS]; trm_run *run; } run;

static void begin(run *of, trm_device *device, const char *solver, const char *keys)
{
  char *rest = NULL;
  size_t count = 0;
  of->run = NULL;
  snprintf(of->text, sizeof of->text, "run.roof=false|output.formats=npy|%s", keys);
  of->keys[count++] = (trm_run_key){"run.backend", test_backend(device), NULL};
  for (char *one = strtok_r(of->text, "|", &rest); one; one = strtok_r(NULL, "|", &rest)) {
    char *equals = strchr(one, '=');
    *equals = '\0';
    of->keys[count++] = (trm_run_key){one, equals + 1, "the test"};
  }
  const trm_run_options options = {.bytes = sizeof options, .keys = of->keys, .key_count = count,
                                   .flags = TRM_RUN_NO_TUNED};
  TEST_OK(trm_run_open(solver, &options, &of->run));
}

static const char *folder(const char *name)
{
  static char path[PROGRAM_PATH];
  program_path(path, name);
  program_remove(path);
  return path;
}

/* ---- how many steps ---------------------------------------------------------------- */

#define BODIES "nbody.bodies=8|nbody.dt=0.1|nbody.picture=16|run.steps=1000"
#define BOX "grid.nx=16|grid.ny=16|run.steps=1000"

/* An end that is a step's but for rounding is that step's: 1.1 is 11 steps of 0.1. */
static void an_end_at_a_step_takes_that_step(trm_device *device)
{
  for (int i = 1; i <= 40; i++) {
    run of;
    begin(&of, device, "nbody", BODIES);
    char text[16];
    snprintf(text, sizeof text, "%d.%d", i / 10, i % 10);
    const double end = strtod(text, NULL);
    TEST_OK(trm_run_advance_to(of.run, end));
    assert_int_equal(trm_run_describe(of.run)->step, i);
    assert_true(trm_run_describe(of.run)->time == end);
    trm_run_close(&of.run);
  }
  run of;
  begin(&of, device, "lbm", BOX);
  TEST_OK(trm_run_advance_to(of.run, 100 * 0.07)); /* 7.000000000000001 */
  assert_int_equal(trm_run_describe(of.run)->step, 7);
  TEST_OK(trm_run_advance_to(of.run, 7.5));
  assert_int_equal(trm_run_describe(of.run)->step, 8);
  trm_run_close(&of.run);
}

/* ---- outputs at times ------------------------------------------------------------------ */

/* Steps that are all of one length: not even those change. */
static void outputs_leave_steps_as_they_are(trm_device *device)
{
  static const char *const cases[][2] = {
    { "nbody", "nbody.bodies=8|nbody.dt=0.1|nbody.picture=16|run.steps=30|output.every_time=0.3" },
    { "nbody", "nbody.bodies=8|nbody.dt=0.1|nbody.picture=16|run.steps=30|output.every_time=0.07|"
               "nbody.integrator=hermite4" },
    { "lbm", "grid.nx=16|grid.ny=16|run.steps=30|output.every_time=2.3" },
    { "lbm3d", "grid.nx=16|grid.ny=8|grid.nz=8|boundary.south=wall|boundary.north=moving|"
               "boundary.north_velocity=0.1; 0; 0|lbm.viscosity=0.05|run.steps=12|"
               "output.every_time=0.7" } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char prints[2][33], keys[512];
    for (int written = 0; written < 2; written++) {
      run of;
      snprintf(keys, sizeof keys, "%s", cases[i][1]);
      char *every = strstr(keys, "|output.every_time");
      if (!written) memmove(every, every + 1 + strcspn(every + 1, "|"),
                            strlen(every + 1 + strcspn(every + 1, "|")) + 1);
      begin(&of, device, cases[i][0], keys);
      if (written) TEST_OK(trm_run_keep(of.run, folder("often")));
      TEST_OK(trm_run_finish(of.run));
      TEST_OK(trm_run_fingerprint(of.run, prints[written]));
      trm_run_close(&of.run);
    }
    print_message("# %s\n", cases[i][0]);
    assert_string_equal(prints[0], prints[1]);
  }
}

/* ---- divergence ---------------------------------------------------------------------- */

#define TORN "grid.nx=32|grid.ny=16|initial.density=x < 0.5 ? 1 : 1e-4|" \
             "initial.pressure=x < 0.5 ? 1 : 1e-5|initial.velocity_x=x < 0.5 ? -9 : 9|" \
             "run.end_time=10"

static void expect_found(trm_device *device, const char *keys)
{
  run of;
  begin(&of, device, "compressible", keys);
  TEST_OK(trm_run_keep(of.run, folder("torn")));
  TEST_FAILS(trm_run_finish(of.run), TRM_ERROR_DIVERGED, "in cell (");
  assert_non_null(strstr(trm_error_last()->text, "the run diverged: at step"));
  trm_run_close(&of.run);
}

static void what_diverges_between_outputs_is_found(trm_device *device)
{
  expect_found(device, TORN);
  expect_found(device, TORN "|output.every_time=0.0003");
  expect_found(device, TORN "|output.every_time=0.0003|run.precision=f64|grid.levels=1|"
                            "mesh.refine=density 0.05|mesh.adapt_every=2");
  expect_found(device, TORN "|output.every_time=0.0003|bodies.shapes=cylinder 0.3 0.25 0.1");
}

/* The same where a program goes from time to time. */
static void or_between_advances(trm_device *device)
{
  run of;
  trm_status status = TRM_OK;
  begin(&of, device, "compressible", TORN);
  for (int i = 1; i < 10000 && status == TRM_OK; i++)
    status = trm_run_advance_to(of.run, 0.0007 * i);
  assert_int_equal(status, TRM_ERROR_DIVERGED);
  assert_non_null(strstr(trm_error_last()->text, "in cell ("));
  trm_run_close(&of.run);
}

/* ---- speed --------------------------------------------------------------------------- */

static double member_of(const char *text, const char *object, const char *name)
{
  json_t *all = json_loads(text, 0, NULL), *in = json_object_get(all, object);
  const double value = json_number_value(json_object_get(in, name));
  assert_non_null(in);
  json_decref(all);
  return value;
}

/* Steps beyond the end are not launched, and so not timed, with batches of any size. */
static void short_runs_count_what_they_time(trm_device *device)
{
  static const char *const batches[] = { "1", "19", "0", "1000" };
  for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
    char keys[256];
    const char *text;
    run of;
    snprintf(keys, sizeof keys, "grid.nx=51|grid.ny=51|grid.dx=1|run.end_time=3|run.batch=%s",
             batches[i]);
    begin(&of, device, "shallow", keys);
    TEST_OK(trm_run_finish(of.run));
    const double steps = (double)trm_run_describe(of.run)->step;
    TEST_OK(trm_run_json(of.run, &text));
    const double timed = member_of(text, "speed", "steps_timed");
    print_message("# batch %s: %g of %g steps timed, %.1f us each\n", batches[i], timed, steps,
                  1e6 * member_of(text, "speed", "seconds_per_step"));
    assert_true(steps >= 10 && timed >= steps - 4 && timed < steps);
    trm_run_close(&of.run);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(an_end_at_a_step_takes_that_step),
    TEST_DEVICE(outputs_leave_steps_as_they_are),
    TEST_DEVICE(what_diverges_between_outputs_is_found),
    TEST_DEVICE(or_between_advances),
    TEST_DEVICE(short_runs_count_what_they_time),
  };
  return TEST_RUN(argc, argv, cases);
}
