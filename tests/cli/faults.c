/* faults.c - the program on a device whose n-th call fails, for every n: it ends with 2 and one
 * line that names the cause, leaves whole files or none, and gives back all that it took.
 *
 * The device is that of fault_backend.c. make check tries a sample of the calls, make check-long
 * each of them. */
#include "tests/cli/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SAMPLE = 4 }; /* failing calls of a round in make check */

typedef struct round_of_faults {
  const char *wraps;           /* the backend that is wrapped */
  const char *solver;          /* a case of program.h */
  const char *command;         /* "run" or "compare" */
  const char *kind;            /* of TRIREME_FAULT */
  int lasting;                 /* all calls from the n-th on fail */
  const char *settings;        /* the environment; NULL: no roof is measured */
  const char *options;         /* more words for the program, or NULL */
} round_of_faults;

static program_result result;
static char report[PROGRAM_TEXT];

/* One run with this order for the fault backend, into a new folder; the report is read. */
static void try_call(const round_of_faults *round, const char *order, const char *folder)
{
  char settings[4 * PROGRAM_PATH], line[4 * PROGRAM_PATH], where[PROGRAM_PATH], path[PROGRAM_PATH];
  program_path(path, "report");
  remove(path);
  program_remove(folder);
  snprintf(settings, sizeof settings,
           "TRIREME_FAULT_WRAPS=%s TRIREME_FAULT=%s TRIREME_FAULT_REPORT=%s "
           "TRIREME_BACKEND_PATH=%s:%s TRIREME_OUTPUT=%s %s",
           round->wraps, order, path, TEST_PLUGINS, getenv("TRIREME_BACKEND_PATH"), folder,
           round->settings ? round->settings : "TRIREME_ROOF=false");
  program_case(round->solver, where);
  snprintf(line, sizeof line, "%s %s %s %s", round->command, where,
           strcmp(round->command, "run") == 0
               ? "--formats=png,vti,npy,course"
               : "--on=openmp,fault --runs=1", round->options ? round->options : "");
  if (strcmp(round->command, "run") == 0 && !strstr(line, "--devices="))
    strncat(line, " --backend=fault", sizeof line - strlen(line) - 1);
  program_run(settings, line, &result);
  if (result.code > 128) fail_msg("%s: ended by signal %d", order, result.code - 128);
  program_read(path, report);
}

static void fingerprint(char text[40])
{
  const char *line = strstr(result.out, "\nfingerprint ");
  text[0] = '\0';
  if (line) assert_int_equal(sscanf(line + 12, " %32s", text), 1);
}

static void skip_unless_ready(const char *backend)
{
  const trm_backend_info *list = NULL;
  size_t count = 0;
  TEST_OK(trm_backend_list(test_context(), &list, &count));
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i].name, backend) == 0 && list[i].state != TRM_BACKEND_READY)
      TEST_SKIP("%s is not ready: %s", backend, list[i].reason);
}

/* A run goes on without what it asked on the side, and says so: those lines go. */
static void drop_warnings(void)
{
  static const char word[] = "trireme: warning: ";
  char *to = result.err;
  for (const char *line = result.err; *line;) {
    const size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
    if (strncmp(line, word, sizeof word - 1) != 0) {
      memmove(to, line, length);
      to += length;
    }
    line += length;
  }
  *to = '\0';
}

/* What has to be true after one run: expected is the good run's fingerprint. */
static void check_outcome(const char *order, const char *expected)
{
  char found[40], cause[200];
  const char *first = strstr(report, "first ");
  assert_non_null(first);
  snprintf(cause, sizeof cause, "%.*s", (int)strcspn(first + 6, "\n"), first + 6);
  if (strstr(report, "\nleft "))
    fail_msg("%s (%s) leaves something behind:\n%s\n%s", order, cause, report, result.err);
  const int is_aside = strncmp(cause, "aside ", 6) == 0 ||
                       strcmp(cause, "finish waiting for the device") == 0; /* before a destroy */
  const char *roof = strstr(result.out, "roof not measured: ");
  const int lost_roof = roof && strstr(roof, "injected fault");
  if ((is_aside || lost_roof) && result.code == 0) {
    fingerprint(found);
    assert_string_equal(found, expected);
    return;
  }
  print_message("%s: %s", cause, result.err);
  if (is_aside) drop_warnings();
  program_assert_refused(&result, "injected fault");
  if (!is_aside) program_assert_refused(&result, strchr(cause, ' ') + 1);
}

/* A line for whoever wants the figures: tests/state/faults.count. */
static void tell_count(const round_of_faults *round, long calls, long tried)
{
  char path[PROGRAM_PATH];
  snprintf(path, sizeof path, "%s/../faults.count", test_folder());
  FILE *file = fopen(path, "a");
  assert_non_null(file);
  fprintf(file, "%s of %s on %s, %s%s: %ld calls, %ld failed\n", round->command, round->solver,
          round->wraps, round->kind, round->lasting ? " from there on" : "", calls, tried);
  assert_int_equal(fclose(file), 0);
}

/* Calls of one kind fail, one in each run: all of them, or a sample. */
static void run_round(const round_of_faults *round)
{
  char good[PROGRAM_PATH], bad[PROGRAM_PATH], expected[40], order[64];
  skip_unless_ready(round->wraps);
  program_path(good, "good");
  program_path(bad, "bad");
  try_call(round, "", good);
  try_call(round, "", good); /* with its programs in the cache, as the others will be */
  if (result.code != 0) fail_msg("the good run ends with %d: %s", result.code, result.err);
  fingerprint(expected);
  const long calls = program_number(report, round->kind);
  assert_true(calls > 0);
  const long stride = test_runs_long() || calls <= SAMPLE ? 1 : calls / SAMPLE;
  const long first = 1 + (long)(strlen(round->solver) * 7 + (size_t)round->lasting * 3) % stride;
  long tried = 0;
  for (long n = first; n <= calls; n += stride, tried++) {
    snprintf(order, sizeof order, "%s:%ld%s", round->kind, n, round->lasting ? "+" : "");
    try_call(round, order, bad);
    assert_true(program_number(report, "failed") > 0);
    check_outcome(order, expected);
    program_assert_whole(bad, good);
  }
  tell_count(round, calls, tried);
  snprintf(order, sizeof order, "%s:%ld", round->kind, calls + 1000000);
  try_call(round, order, bad);
  assert_int_equal(result.code, 0);
  assert_int_equal(program_number(report, "failed"), 0);
}

/* ---- rounds -------------------------------------------------------------------- */

/* Once and for good, for each solver; on OpenCL, which is slower, one of them in make check. */
static void each_solver(const char *wraps, const char *command)
{
  const int all = test_runs_long() || strcmp(wraps, "openmp") == 0;
  for (size_t i = 0; program_cases[i] && (all || i == 0); i++)
    for (int lasting = 0; lasting < 2; lasting++)
      run_round(&(round_of_faults){ wraps, program_cases[i], command, "any", lasting, NULL, NULL });
}

/* One of two devices fails. */
static void a_run_on_two_devices(void)
{
  for (int lasting = 0; lasting < 2; lasting++)
    run_round(&(round_of_faults){ "openmp", "lbm", "run", "any", lasting, NULL,
                                  "--devices=openmp,fault" });
}

static void a_run_on_openmp(void) { each_solver("openmp", "run"); }
static void a_comparison_on_openmp(void) { each_solver("openmp", "compare"); }
static void a_run_on_opencl(void) { each_solver("opencl", "run"); }
static void a_comparison_on_opencl(void) { each_solver("opencl", "compare"); }

static void no_memory_for_a_buffer(void)
{
  for (size_t i = 0; program_cases[i]; i++)
    run_round(&(round_of_faults){ "openmp", program_cases[i], "run", "alloc", 0, NULL, NULL });
}

/* Without a cache every program is built. */
static void a_build_on_opencl(void)
{
  static const char none[] = "TRIREME_CACHE_DIR= XDG_CACHE_HOME= HOME= TRIREME_ROOF=false";
  run_round(&(round_of_faults){ "opencl", "lbm", "run", "build", 0, none, NULL });
}

/* A roof that cannot be measured is named and spoils no result. */
static void a_call_while_the_roof_is_measured(void)
{
  test_is_long();
  run_round(&(round_of_faults){ "openmp", "lbm", "run", "any", 0, "TRIREME_ROOF=true", NULL });
}

/* Nothing is allocated before the run is refused. */
static void a_device_too_small_is_told_what_the_run_needs(void)
{
  static const char small[] = "TRIREME_ROOF=false TRIREME_FAULT_MEMORY=20000";
  static const char larger[] = "TRIREME_ROOF=false TRIREME_FAULT_MEMORY=67108864";
  char folder[PROGRAM_PATH];
  program_path(folder, "small");
  for (size_t i = 0; program_cases[i]; i++) {
    const round_of_faults one = { "openmp", program_cases[i], "run", "any", 0, small, NULL };
    try_call(&one, "", folder);
    program_assert_refused(&result, " are available; make it smaller");
    program_assert_refused(&result, strcmp(program_cases[i], "lbm") == 0 ||
                                    strcmp(program_cases[i], "shallow") == 0
                                        ? "a grid of 24 x 16 cells needs "
                                        : "a system of 96 bodies needs ");
    assert_int_equal(program_number(report, "alloc"), 0);
  }
  const round_of_faults many = { "openmp", "nbody", "run", "any", 0, larger,
                                 "--set nbody.bodies=2000000" };
  try_call(&many, "", folder);
  program_assert_refused(&result, "a system of 2000000 bodies needs ");
  program_assert_refused(&result, "MiB, 64.0 MiB are available; make it smaller");
  assert_int_equal(program_number(report, "alloc"), 0);
  const round_of_faults most = { "openmp", "nbody", "run", "any", 0, larger,
                                 "--set nbody.bodies=300000000" };
  try_call(&most, "", folder); /* one unit for what is compared */
  program_assert_refused(&result, "GiB, 0.0625 GiB are available; make it smaller");
}

/* What is told is what the lattices of the leaves take: nothing was made of their tables yet. */
static void blocks_beyond_the_device_are_refused_before_their_tables(void)
{
  char settings[4 * PROGRAM_PATH], path[PROGRAM_PATH], line[2 * PROGRAM_PATH];
  program_path(path, "blocks.conf");
  FILE *conf = fopen(path, "w");
  assert_non_null(conf);
  fprintf(conf, "solver = \"lbm3d\"; run: { steps = 1; }; grid: { nx = 64; ny = 64; nz = 64; };\n"
          "lbm: { blocks = true; viscosity = 0.1; };\n"
          "boundary: { west = \"wall\"; east = \"wall\"; };\n");
  assert_int_equal(fclose(conf), 0);
  snprintf(settings, sizeof settings, "TRIREME_FAULT_WRAPS=openmp TRIREME_ROOF=false "
           "TRIREME_FAULT_MEMORY=25165824 TRIREME_BACKEND_PATH=%s:%s",
           TEST_PLUGINS, getenv("TRIREME_BACKEND_PATH"));
  snprintf(line, sizeof line, "run %s --backend=fault --precision=f32 --formats=none", path);
  program_run(settings, line, &result);
  program_assert_refused(&result, "a grid of 512 blocks of 8 x 8 x 8 cells needs 38.0 MiB, 24.0 "
                         "MiB are available; make it smaller");
  snprintf(line, sizeof line, "run %s --backend=fault --precision=f32 --dry-run", path);
  program_run(settings, line, &result);
  assert_non_null(strstr(result.out, "38.0 MiB"));
}

/* A run of a compressible flow with so many levels, for a device of 24 MiB. */
static void try_levels(int levels, const char *refine, const char *density)
{
  char line[4 * PROGRAM_PATH], settings[4 * PROGRAM_PATH], folder[PROGRAM_PATH], path[PROGRAM_PATH];
  program_path(folder, "deep");
  program_path(path, "deep.conf");
  program_remove(folder);
  FILE *conf = fopen(path, "w");
  assert_non_null(conf);
  fprintf(conf, "solver = \"compressible\"; run: { steps = 1; }; mesh: { refine = \"%s\"; };\n"
          "grid: { nx = 32; ny = 32; levels = %d; }; initial: { density = \"%s\"; };\n",
          refine, levels, density);
  assert_int_equal(fclose(conf), 0);
  snprintf(settings, sizeof settings, "TRIREME_FAULT_WRAPS=openmp TRIREME_ROOF=false "
           "TRIREME_FAULT_MEMORY=25165824 TRIREME_BACKEND_PATH=%s:%s TRIREME_OUTPUT=%s",
           TEST_PLUGINS, getenv("TRIREME_BACKEND_PATH"), folder);
  snprintf(line, sizeof line, "run %s --backend=fault --formats=none", path);
  program_run(settings, line, &result);
}

/* The level that is named fits and the next one does not, whether boxes alone ask for it or the
 * flow too. */
static void a_grid_too_deep_says_how_deep_it_may_be(void)
{
  static const char *const grids[] = { "0.1 0.9 0.1 0.9", "0.1 0.9 0.1 0.9; density 10" };
  static const char name[] = "; the deepest that fits is grid.levels = ";
  for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
    try_levels(7, grids[i], "1+0.1*sin(6*x)");
    program_assert_refused(&result, name);
    const int level = atoi(strstr(result.err, name) + sizeof name - 1);
    assert_true(level > 0 && level < 6);
    try_levels(level, grids[i], "1+0.1*sin(6*x)");
    assert_int_equal(result.code, 0);
    try_levels(level + 1, grids[i], "1+0.1*sin(6*x)");
    program_assert_refused(&result, name);
    assert_int_equal(atoi(strstr(result.err, name) + sizeof name - 1), level);
  }
}

static void a_flow_that_refines_too_much_is_told_so(void)
{
  static const char name[] = "; of the flow as it is now the deepest grid that fits is that of "
                             "grid.levels = ";
  const char *density = "1+0.5*sin(40*x)*sin(40*y)";
  try_levels(6, "density 0.001", density);
  program_assert_refused(&result, name);
  const int level = atoi(strstr(result.err, name) + sizeof name - 1);
  assert_true(level > 0 && level < 6);
  try_levels(level, "density 0.001", density);
  assert_int_equal(result.code, 0);
}

/* More blocks than a forest has are refused while it is made. */
static void a_forest_too_large_says_how_deep_it_may_be(void)
{
  test_is_long();
  try_levels(12, "0.1 0.9 0.1 0.9", "1");
  program_assert_refused(&result, " are more than 16777216; the deepest that fits is grid.levels");
}

/* A little less than a run takes is refused before anything of it is allocated; a little more is
 * enough. The nodes of the tree are most at one leaf more than a power of four. */
static void what_a_run_is_said_to_need_is_what_it_takes(void)
{
  static const char *const settings[] = {
    "nbody.bodies=4000", "nbody.bodies=131072 --set nbody.force=tree",
    "nbody.bodies=131073 --set nbody.force=tree", "nbody.bodies=8193 --set nbody.force=tree"
  };
  char folder[PROGRAM_PATH], options[256], memory[128];
  program_path(folder, "needed");
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
    snprintf(options, sizeof options, "--formats=none --steps=1 --set nbody.initial=cube --set %s",
             settings[i]);
    round_of_faults one = { "openmp", "nbody", "run", "any", 0, NULL, options };
    try_call(&one, "", folder);
    if (result.code != 0) fail_msg("%s: %s", settings[i], result.err);
    const long took = program_number(report, "most");
    print_message("%s: %ld bytes\n", settings[i], took);
    snprintf(memory, sizeof memory, "TRIREME_ROOF=false TRIREME_FAULT_MEMORY=%ld",
             took - took / 50);
    one.settings = memory;
    try_call(&one, "", folder);
    program_assert_refused(&result, "a system of ");
    assert_in_range(program_number(report, "most"), 0, 65536); /* the probe of strict arithmetic */
    snprintf(memory, sizeof memory, "TRIREME_ROOF=false TRIREME_FAULT_MEMORY=%ld",
             took + took / 50);
    try_call(&one, "", folder);
    if (result.code != 0) fail_msg("%s: %s", settings[i], result.err);
  }
}

/* A dry run's words on what outputs take of the host's memory. */
static double said_of_outputs(const char *words)
{
  char line[4 * PROGRAM_PATH];
  snprintf(line, sizeof line, "run lbm --dry-run --json %s", words);
  program_run("TRIREME_ROOF=false", line, &result);
  assert_int_equal(result.code, 0);
  const char *at = strstr(result.out, "\"host_bytes\": ");
  assert_non_null(at);
  return strtod(at + strlen("\"host_bytes\": "), NULL);
}

/* A picture is of one whole field; the other files are written in parts of theirs. */
static void an_output_takes_no_more_than_is_said(void)
{
#ifdef TEST_SANITIZED
  TEST_SKIP("a sanitizer keeps memory that was given back");
#endif
  static const char *const formats[] = { "none", "vti,npy", "png,vti,npy,course" };
  enum { CELLS = 2048 * 1536, A_FIELD = 2 * CELLS * 4 /* the velocity */ };
  char folder[PROGRAM_PATH], words[2 * PROGRAM_PATH], line[4 * PROGRAM_PATH];
  double said[3];
  long peak[3];
  program_path(folder, "output");
  for (int i = 0; i < 3; i++) {
    snprintf(words, sizeof words, "--set grid.nx=2048 --set grid.ny=1536 --steps=2 --formats=%s",
             formats[i]);
    said[i] = said_of_outputs(words);
    snprintf(line, sizeof line, "run lbm %s --output=%s", words, folder);
    program_remove(folder);
    program_run("TRIREME_ROOF=false", line, &result);
    if (result.code != 0) fail_msg("%s: %s", formats[i], result.err);
    peak[i] = result.peak;
    print_message("%s: %.1f MiB said, %.1f more than none\n", formats[i], said[i] / 1048576,
                  (double)(peak[i] - peak[0]) / 1048576);
    assert_true((double)(peak[i] - peak[0]) <= said[i]);
  }
  program_remove(folder);
  assert_true(peak[1] - peak[0] < A_FIELD / 2);
  assert_true(said[1] == said[0] && said[2] >= said[0] + A_FIELD);
}

int main(int argc, char **argv)
{
  static const test_case tests[] = {
    TEST_HOST(a_run_on_openmp),
    TEST_HOST(a_run_on_two_devices),
    TEST_HOST(a_comparison_on_openmp),
    TEST_HOST(a_run_on_opencl),
    TEST_HOST(a_comparison_on_opencl),
    TEST_HOST(no_memory_for_a_buffer),
    TEST_HOST(a_build_on_opencl),
    TEST_HOST(a_device_too_small_is_told_what_the_run_needs),
    TEST_HOST(blocks_beyond_the_device_are_refused_before_their_tables),
    TEST_HOST(a_grid_too_deep_says_how_deep_it_may_be),
    TEST_HOST(a_flow_that_refines_too_much_is_told_so),
    TEST_HOST(a_forest_too_large_says_how_deep_it_may_be),
    TEST_HOST(what_a_run_is_said_to_need_is_what_it_takes),
    TEST_HOST(an_output_takes_no_more_than_is_said),
    TEST_HOST(a_call_while_the_roof_is_measured),
  };
  return TEST_RUN(argc, argv, tests);
}
