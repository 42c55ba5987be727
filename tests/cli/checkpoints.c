/* checkpoints.c - every solver, flow and integrator: cut into parts on changing backends, a run has
 * the fingerprint, the series and the outputs of one that was never cut.
 *
 * A case is run whole once a precision; then in four parts with three resumes between them, on two
 * backends in turn: on the first that is ready and each other one, and in make check-long on every
 * pair of them. */
#include "run/trireme-run.h"
#include "io/durable.h"
#include "tests/cli/program.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PARTS = 4, MOST_BACKENDS = 4, MOST_KEYS = 24, TEXT = 128 };

typedef struct cut_case {
  const char *name, *solver;
  uint64_t part;                 /* steps of each but the last */
  const char *keys[MOST_KEYS - 6];
} cut_case;

#define FLOW "run.steps=60", "grid.nx=60", "grid.ny=30", "lbm.speed=0.04", \
             "bodies.shapes=cylinder 15 15 4"
#define BODIES "run.steps=20", "nbody.bodies=200", "nbody.dt=0.01", "nbody.picture=16"
#define WATER "run.steps=60", "grid.nx=40", "grid.ny=24", "grid.dx=1", \
              "initial.surface=x < 12 ? 2 : 1"
static const cut_case cut_cases[] = {
  { "driven", "lbm", 13, { "run.steps=60", "grid.nx=40", "grid.ny=24" } },
  { "geneva", "lbm", 13, { FLOW, "lbm.flow=geneva", "lbm.reynolds=60", "lbm.reynolds_dim=4" } },
  { "channel", "lbm", 13,
    { FLOW, "lbm.flow=channel", "lbm.viscosity=0.02", "lbm.statistics_from=10" } },
  { "leapfrog", "nbody", 5, { BODIES } },
  { "explicit", "nbody", 5, { BODIES, "nbody.integrator=explicit", "nbody.energy=false" } },
  { "yoshida", "nbody", 5, { BODIES, "nbody.integrator=yoshida4" } },
  { "hermite", "nbody", 5, { BODIES, "nbody.integrator=hermite4" } },
  { "tree", "nbody", 5, { BODIES, "nbody.bodies=600", "nbody.force=tree" } },
  { "hllc", "shallow", 13,
    { WATER, "boundary.west=level", "boundary.west_value=2", "shallow.maps=true",
      "probes=one 3 3, two 30 20", "shallow.manning=0.02" } },
  { "lax-friedrichs", "shallow", 13,
    { WATER, "shallow.scheme=lax-friedrichs", "output.every_time=0.3" } },
  { "cavity of three dimensions", "lbm3d", 5,
    { "run.steps=20", "grid.nx=16", "grid.ny=12", "grid.nz=10", "boundary.west=wall",
      "boundary.east=wall",
      "boundary.south=wall", "boundary.north=moving", "boundary.north_velocity=0.1; 0; 0",
          "boundary.bottom=wall",
      "boundary.top=wall", "lbm.reynolds=100" } },
  { "compressible", "compressible", 5,
    { "run.steps=20", "grid.nx=64", "grid.ny=32", "grid.levels=2", "mesh.refine=density 0.03",
      "mesh.adapt_every=3", "mesh.blocks=30", "mesh.overflow=coarsen",
      "initial.pressure=1 + 10*exp(-2000*((x - 0.5)^2 + (y - 0.25)^2))",
      "average_from=0" } },
  { "dual time", "compressible", 5,
    { "run.steps=20", "grid.nx=64", "grid.ny=32", "initial.density=1 + 0.1*sin(6.2831853*x)^9",
      "initial.velocity_x=0.5", "compressible.time=dual", "dual.cfl=10",
      "bodies.shapes=cylinder 0.5 0.25 0.1", "compressible.multigrid=1" } },
  { "a steady flow", "compressible", 5,
    { "run.steps=20", "grid.nx=32", "grid.ny=32", "compressible.viscosity=0.01",
      "boundary.south=wall", "boundary.north=wall", "boundary.north_velocity=0.2 0 0",
      "compressible.time=steady" } },
  { "a cavity in one lattice of 16 bits", "lbm3d", 5,
    { "run.steps=20", "grid.nx=16", "grid.ny=12", "grid.nz=10", "boundary.west=wall",
      "boundary.east=wall",
      "boundary.south=wall", "boundary.north=moving", "boundary.north_velocity=0.1; 0; 0",
          "boundary.bottom=wall",
      "boundary.top=wall", "lbm.reynolds=100", "lbm.storage=half", "lbm.streaming=in-place" } },
  { "a lattice on two levels", "lbm3d", 5,
    { "run.steps=20", "grid.nx=16", "grid.ny=16", "grid.nz=16", "grid.levels=1",
      "mesh.refine=wall 3", "boundary.south=wall", "boundary.north=moving",
          "boundary.north_velocity=0.1; 0; 0",
      "lbm.viscosity=0.02" } },
  { "a body that moves", "compressible", 5,
    { "run.steps=20", "grid.nx=64", "grid.ny=64", "compressible.viscosity=0.001",
      "bodies.shapes=cylinder 0.5 0.5 0.15", "bodies.motion=0.1*sin(3*t), 0.2*t" } },
};

/* ---- runs ------------------------------------------------------------------------- */

typedef struct keys {
  char text[MOST_KEYS][TEXT];
  trm_run_key list[MOST_KEYS];
  size_t count;
} keys;

static void set(keys *to, const char *assignment)
{
  char *text = to->text[to->count];
  snprintf(text, TEXT, "%s", assignment);
  char *equals = strchr(text, '=');
  *equals = '\0';
  to->list[to->count++] = (trm_run_key){text, equals + 1, "the test"};
}

static void set_named(keys *to, const char *key, const char *value)
{
  char text[TEXT];
  snprintf(text, sizeof text, "%s=%s", key, value);
  set(to, text);
}

static void set_all(keys *to, const cut_case *one, const char *precision)
{
  for (size_t i = 0; one->keys[i]; i++) set(to, one->keys[i]);
  set(to, "run.roof=false");
  set(to, "output.formats=vti,npy,course");
  set(to, "output.every=7");
  set_named(to, "run.precision", precision);
}

static trm_run_options options_of(const keys *from)
{
  return (trm_run_options){.bytes = sizeof(trm_run_options), .keys = from->list,
                           .key_count = from->count, .flags = TRM_RUN_NO_TUNED};
}

static void finish(trm_run *run, char print[33])
{
  TEST_OK(trm_run_finish(run));
  TEST_OK(trm_run_fingerprint(run, print));
  TEST_OK(trm_run_write(run, NULL));
  trm_run_close(&run);
}

static void run_whole(const cut_case *one, const char *precision, const char *backend,
                      const char *folder, char print[33])
{
  keys with = {.count = 0};
  trm_run *run = NULL;
  set_all(&with, one, precision);
  set_named(&with, "run.backend", backend);
  const trm_run_options options = options_of(&with);
  program_remove(folder);
  TEST_OK(trm_run_open(one->solver, &options, &run));
  TEST_OK(trm_run_keep(run, folder));
  finish(run, print);
}

/* To the end of a part, whose state is kept; a batch of one step, so that odd ones end too. */
static void keep_part(trm_run *run, uint64_t steps)
{
  TEST_OK(trm_run_advance(run, steps - 1));
  trm_run_checkpoint(run);
  TEST_OK(trm_run_advance(run, 1));
  TEST_OK(trm_run_advance(run, 2)); /* and some that are lost */
  trm_run_close(&run);
}

/* A device that is spared sees a case in one precision, that in which same_fields has its program.
 * Otherwise the first backend takes its turns. */
static int is_asked(const cut_case *one, const char *precision)
{
  static const char *const doubles[] = { "geneva", "leapfrog", "yoshida", "tree", "hllc" };
  int is_f64 = strcmp(one->solver, "compressible") == 0;
  for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
    is_f64 |= strcmp(one->name, doubles[i]) == 0;
  return strcmp(precision, is_f64 ? "f64" : "f32") == 0;
}

/* Other shapes of groups are other programs, and PoCL takes up to a minute for one. Unless the
 * tests are long, the first case of each solver has them, in one precision. */
static const char *group_of(const cut_case *one, int part, const char *precision)
{
  static const char *const groups[PARTS] = {"", "32x4", "64x1", ""};
  int is_first = 1;
  for (const cut_case *other = cut_cases; other < one; other++)
    is_first &= strcmp(other->solver, one->solver) != 0;
  return (is_first && is_asked(one, precision)) || test_runs_long() ? groups[part] : "";
}

/* On two backends in turn, with other threads and group shapes each time. */
static void run_cut(const cut_case *one, const char *precision, const char *const backends[2],
                    const char *folder, char print[33])
{
  static const char *const threads[] = {"1", "3", "2", "0"};
  trm_run *run = NULL;
  program_remove(folder);
  for (int part = 0; part < PARTS; part++) {
    keys with = {.count = 0};
    if (part == 0) set_all(&with, one, precision);
    set_named(&with, "run.backend", backends[part % 2]);
    set_named(&with, "run.threads", threads[part]);
    set_named(&with, "run.group", group_of(one, part, precision));
    const trm_run_options options = options_of(&with);
    if (part == 0) TEST_OK(trm_run_open(one->solver, &options, &run));
    else TEST_OK(trm_run_resume(folder, &options, &run));
    if (part == 0) TEST_OK(trm_run_keep(run, folder));
    assert_int_equal(trm_run_describe(run)->step, (uint64_t)part * one->part);
    if (part < PARTS - 1) keep_part(run, one->part);
  }
  finish(run, print);
}

/* ---- backends ----------------------------------------------------------------------- */

/* Names of the backends that are ready, each with test_spares of its device. A backend that
 * TRIREME_REQUIRE names must be ready. */
static size_t list_ready(const char *ready[MOST_BACKENDS], int spared[MOST_BACKENDS])
{
  static const char *const names[MOST_BACKENDS] = {"openmp", "opencl", "cuda", NULL};
  const char *required = getenv("TRIREME_REQUIRE");
  size_t count = 0;
  for (size_t i = 0; names[i]; i++) {
    trm_context *context = NULL;
    trm_device *device = NULL;
    TEST_OK(trm_context_create(NULL, &context));
    if (trm_device_open(context, names[i], NULL, &device) == TRM_OK) {
      spared[count] = test_spares(device);
      ready[count++] = names[i];
    } else if (required && strstr(required, names[i]))
      fail_msg("%s is required: %s", names[i], trm_error_last()->text);
    trm_device_close(&device);
    trm_context_destroy(&context);
  }
  return count;
}

/* The files of both, but for those that name the machine and the parts. */
static void assert_same_files(const char *whole, const char *cut)
{
  char line[3 * PROGRAM_PATH];
  snprintf(line, sizeof line, "diff -r -x checkpoint -x run.json -x log.txt -x used.conf %s %s >&2",
           whole, cut);
  if (system(line) != 0) fail_msg("%s and %s differ", whole, cut);
}

static json_t *load_report(const char *folder)
{
  char path[2 * PROGRAM_PATH];
  json_error_t error;
  snprintf(path, sizeof path, "%s/run.json", folder);
  json_t *report = json_load_file(path, 0, &error);
  if (!report) fail_msg("%s: %s", path, error.text);
  return report;
}

/* What both tell of the whole run, but for seconds that something took. */
static void assert_same_results(const char *whole, const char *cut)
{
  static const char *const parts[] = {"results", "last", "cells", "steps"};
  static const char *const times[] = {"adaptation_time", "geometry_time", "geometry_host_time"};
  json_t *a = load_report(whole), *b = load_report(cut);
  int same = 1;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    json_t *of[2] = {json_object_get(a, parts[i]), json_object_get(b, parts[i])};
    for (int k = 0; k < 2; k++)
      for (size_t t = 0; t < sizeof times / sizeof times[0]; t++)
        (void)json_object_del(of[k], times[t]);
    if (json_equal(of[0], of[1])) continue;
    same = 0;
    for (int k = 0; k < 2; k++) {
      char *text = json_dumps(of[k], JSON_ENCODE_ANY);
      print_message("# %s: %s %s\n", k ? "cut" : "whole", parts[i], text);
      free(text);
    }
  }
  json_decref(a);
  json_decref(b);
  assert_true(same);
}

static void in_parts(const cut_case *one, const char *precision)
{
  const char *ready[MOST_BACKENDS];
  int spared[MOST_BACKENDS];
  char whole[PROGRAM_PATH], cut[PROGRAM_PATH], expected[33], found[33];
  const size_t count = list_ready(ready, spared);
  assert_true(count > 0);
  program_path(whole, "whole");
  program_path(cut, "cut");
  run_whole(one, precision, ready[0], whole, expected);
  for (size_t a = 0; a < (test_runs_long() ? count : 1); a++)
    for (size_t b = count > 1 && !test_runs_long(); b < count; b++) {
      const size_t second = spared[b] && !is_asked(one, precision) ? a : b;
      const char *const pair[] = {ready[a], ready[second]};
      print_message("%s %s: %s, %s in turn\n", one->name, precision, pair[0], pair[1]);
      run_cut(one, precision, pair, cut, found);
      assert_string_equal(expected, found);
      assert_same_files(whole, cut);
      assert_same_results(whole, cut);
    }
}

/* ---- what does not fit ---------------------------------------------------------------- */

/* The manifest of a generation with one text in place of another, and its hash as it must be. */
static void doctor(const char *generation, const char *from, const char *to)
{
  static char text[PROGRAM_TEXT], other[2 * PROGRAM_TEXT];
  char path[3 * PROGRAM_PATH], hash[TRM_HASH_TEXT];
  snprintf(path, sizeof path, "%s/manifest.json", generation);
  program_read(path, text);
  const char *at = strstr(text, from);
  assert_non_null(at);
  snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  FILE *file = fopen(path, "w");
  assert_true(file && fputs(other, file) >= 0 && fclose(file) == 0);
  const int folder = open(generation, O_RDONLY | O_DIRECTORY);
  TEST_OK(trmi_durable_hash(folder, generation, "manifest.json", strlen(other), hash));
  close(folder);
  snprintf(path, sizeof path, "%s/manifest.xxh128", generation);
  file = fopen(path, "w");
  assert_true(file && fprintf(file, "%s\n", hash) > 0 && fclose(file) == 0);
}

static void doctor_all(const char *folder, const char *from, const char *to)
{
  char path[2 * PROGRAM_PATH];
  int count = 0;
  snprintf(path, sizeof path, "%s/checkpoint", folder);
  DIR *list = opendir(path);
  assert_non_null(list);
  for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
    if (strncmp(entry->d_name, "step-", 5) != 0) continue;
    snprintf(path, sizeof path, "%s/checkpoint/%.64s", folder, entry->d_name);
    doctor(path, from, to);
    count++;
  }
  closedir(list);
  assert_true(count > 0);
}

static void what_does_not_fit_is_refused(void)
{
  static const char *const cases[][3] = {
    {"\"state_version\": 0", "\"state_version\": 7",
     "has version 7 of the state of solver 'lbm', and the solver here has version 0"},
    {"\"solver\": \"lbm\"", "\"solver\": \"nbody\"",
     "is of the solver 'nbody', and its case names 'lbm'"},
    {"\"populations.00000000.npy\"", "\"../populations.00000000.npy\"", "plain name"},
    {"\"populations.00000000.npy\"", "\"/etc/passwd\"", "plain name"},
    {"\"bytes\": ", "\"bytes\": 9", "bytes"},
    {"\"first\": 0", "\"first\": 1", "not the next ones"},
    {"\"name\": \"populations\"", "\"name\": \"others\"", "lacks 'populations' of the state"},
    {"\"fingerprint\": \"", "\"fingerprint\": \"0", "has the fingerprint"},
  };
  char folder[PROGRAM_PATH], copy[PROGRAM_PATH], line[3 * PROGRAM_PATH];
  keys with = {.count = 0};
  trm_run *run = NULL;
  set_all(&with, &cut_cases[0], "f32");
  const trm_run_options options = options_of(&with);
  program_path(folder, "fits");
  program_path(copy, "fits-not");
  program_remove(folder);
  TEST_OK(trm_run_open("lbm", &options, &run));
  TEST_OK(trm_run_keep(run, folder));
  keep_part(run, 13);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    program_remove(copy);
    snprintf(line, sizeof line, "cp -r %s %s", folder, copy);
    assert_int_equal(system(line), 0);
    doctor_all(copy, cases[i][0], cases[i][1]);
    TEST_FAILS(trm_run_resume(copy, NULL, &run), TRM_ERROR_INPUT, cases[i][2]);
  }
  TEST_OK(trm_run_resume(folder, NULL, &run));
  trm_run_close(&run);
}

/* A checkpoint of schema 1 has a fingerprint that is not made any more: a dry run says so, as does
 * the log of the run that goes on. */
static void a_fingerprint_that_is_not_compared_is_told(void)
{
  static program_result result;
  static char log[PROGRAM_TEXT];
  char folder[PROGRAM_PATH], path[2 * PROGRAM_PATH], line[3 * PROGRAM_PATH];
  keys with = {.count = 0};
  trm_run *run = NULL;
  set_all(&with, &cut_cases[0], "f32");
  const trm_run_options options = options_of(&with);
  program_path(folder, "former");
  program_remove(folder);
  TEST_OK(trm_run_open("lbm", &options, &run));
  TEST_OK(trm_run_keep(run, folder));
  keep_part(run, 13);
  snprintf(line, sizeof line, "resume %s --dry-run", folder);
  program_run("", line, &result);
  assert_int_equal(result.code, 0);
  assert_null(strstr(result.out, "version 1"));
  doctor_all(folder, "\"schema\": 2", "\"schema\": 1");
  doctor_all(folder, "\"fingerprint\": \"", "\"fingerprint\": \"0");
  program_run("", line, &result);
  assert_int_equal(result.code, 0);
  assert_non_null(strstr(result.out, "(of version 1, which is not compared): all hashes"));
  snprintf(line, sizeof line, "resume %s --dry-run --json", folder);
  program_run("", line, &result);
  assert_non_null(strstr(result.out, "\"fingerprint_version\": 1"));
  assert_non_null(strstr(result.out, "\"fingerprint_compared\": false"));
  TEST_OK(trm_run_resume(folder, NULL, &run));
  trm_run_close(&run);
  snprintf(path, sizeof path, "%s/log.txt", folder);
  program_read(path, log);
  assert_non_null(strstr(log, "is of version 1 and was not compared"));
}

static void collect_size(const char *folder, const char *file, off_t *bytes)
{
  char path[3 * PROGRAM_PATH];
  struct stat about;
  snprintf(path, sizeof path, "%s/checkpoint/step-00000003/%s", folder, file);
  assert_int_equal(stat(path, &about), 0);
  *bytes = about.st_size;
}

/* Six levels towards a point: 33.6 MB a value on the finest grid, 3.5 kB a block. */
static void a_grid_of_levels_is_kept_cell_by_cell(void)
{
  static const cut_case deep = { "deep", "compressible", 3,
    { "run.steps=9", "grid.nx=32", "grid.ny=32", "grid.levels=6",
      "mesh.refine=0.3 0.31 0.3 0.31" } };
  char folder[PROGRAM_PATH];
  keys with = {.count = 0};
  trm_run *run = NULL;
  off_t bytes = 0;
  set_all(&with, &deep, "f64");
  const trm_run_options options = options_of(&with);
  program_path(folder, "deep");
  program_remove(folder);
  TEST_OK(trm_run_open(deep.solver, &options, &run));
  TEST_OK(trm_run_keep(run, folder));
  keep_part(run, deep.part);
  collect_size(folder, "density.00000000.npy", &bytes);
  print_message("# %ld bytes of the density\n", (long)bytes);
  assert_true(bytes > 0 && bytes < 400000);
  TEST_OK(trm_run_resume(folder, NULL, &run));
  trm_run_close(&run);
}

#define CASE(i, precision, name) static void name(void) { in_parts(&cut_cases[i], precision); }
CASE(0, "f32", a_driven_box_in_f32)
CASE(0, "f64", a_driven_box_in_f64)
CASE(1, "f32", the_geneva_cylinder_in_f32)
CASE(1, "f64", the_geneva_cylinder_in_f64)
CASE(2, "f32", a_channel_with_statistics_in_f32)
CASE(2, "f64", a_channel_with_statistics_in_f64)
CASE(3, "f32", leapfrog_in_f32)
CASE(3, "f64", leapfrog_in_f64)
CASE(4, "f32", the_explicit_step_in_f32)
CASE(4, "f64", the_explicit_step_in_f64)
CASE(5, "f32", yoshida_in_f32)
CASE(5, "f64", yoshida_in_f64)
CASE(6, "f32", hermite_in_f32)
CASE(6, "f64", hermite_in_f64)
CASE(7, "f32", the_tree_in_f32)
CASE(7, "f64", the_tree_in_f64)
CASE(8, "f32", hllc_with_maps_and_gauges_in_f32)
CASE(8, "f64", hllc_with_maps_and_gauges_in_f64)
CASE(9, "f32", lax_friedrichs_in_f32)
CASE(9, "f64", lax_friedrichs_in_f64)
CASE(10, "f32", a_cavity_of_three_dimensions_in_f32)
CASE(10, "f64", a_cavity_of_three_dimensions_in_f64)
CASE(11, "f32", compressible_flow_in_f32)
CASE(11, "f64", compressible_flow_in_f64)
CASE(12, "f32", dual_time_in_f32)
CASE(12, "f64", dual_time_in_f64)
CASE(13, "f32", a_steady_flow_in_f32)
CASE(13, "f64", a_steady_flow_in_f64)
CASE(14, "f32", a_cavity_in_one_lattice_of_16_bits)
CASE(15, "f32", a_lattice_on_two_levels_in_f32)
CASE(15, "f64", a_lattice_on_two_levels_in_f64)
CASE(16, "f32", a_body_that_moves_in_f32)
CASE(16, "f64", a_body_that_moves_in_f64)

int main(int argc, char **argv)
{
  static const test_case tests[] = {
    TEST_HOST(a_driven_box_in_f32), TEST_HOST(a_driven_box_in_f64),
    TEST_HOST(the_geneva_cylinder_in_f32), TEST_HOST(the_geneva_cylinder_in_f64),
    TEST_HOST(a_channel_with_statistics_in_f32), TEST_HOST(a_channel_with_statistics_in_f64),
    TEST_HOST(leapfrog_in_f32), TEST_HOST(leapfrog_in_f64),
    TEST_HOST(the_explicit_step_in_f32), TEST_HOST(the_explicit_step_in_f64),
    TEST_HOST(yoshida_in_f32), TEST_HOST(yoshida_in_f64),
    TEST_HOST(hermite_in_f32), TEST_HOST(hermite_in_f64),
    TEST_HOST(the_tree_in_f32), TEST_HOST(the_tree_in_f64),
    TEST_HOST(hllc_with_maps_and_gauges_in_f32), TEST_HOST(hllc_with_maps_and_gauges_in_f64),
    TEST_HOST(lax_friedrichs_in_f32), TEST_HOST(lax_friedrichs_in_f64),
    TEST_HOST(a_cavity_of_three_dimensions_in_f32), TEST_HOST(a_cavity_of_three_dimensions_in_f64),
    TEST_HOST(compressible_flow_in_f32), TEST_HOST(compressible_flow_in_f64),
    TEST_HOST(dual_time_in_f32), TEST_HOST(dual_time_in_f64),
    TEST_HOST(a_steady_flow_in_f32), TEST_HOST(a_steady_flow_in_f64),
    TEST_HOST(a_cavity_in_one_lattice_of_16_bits),
    TEST_HOST(a_lattice_on_two_levels_in_f32), TEST_HOST(a_lattice_on_two_levels_in_f64),
    TEST_HOST(a_body_that_moves_in_f32), TEST_HOST(a_body_that_moves_in_f64),
    TEST_HOST(a_grid_of_levels_is_kept_cell_by_cell), TEST_HOST(what_does_not_fit_is_refused),
    TEST_HOST(a_fingerprint_that_is_not_compared_is_told),
  };
  return TEST_RUN(argc, argv, tests);
}
