/* memory_faults.c - the program where the n-th request for memory fails, for every n: it ends with
 * 2 and one line that says so, leaves whole files or none, and gives back all that it took.
 *
 * Requests are those of our own objects (failing_memory.c). make check tries a sample of them, make
 * check-long each. */
#include "tests/cli/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 8 }; /* failing requests of a round in make check */

static program_result result;
static char report[PROGRAM_TEXT], good_report[PROGRAM_TEXT];

/* One run with this order for failing_memory; its report is read. */
static void try_request(const char *line, const char *order, const char *folder)
{
  char settings[4 * PROGRAM_PATH], path[PROGRAM_PATH];
  program_path(path, "report");
  remove(path);
  program_remove(folder);
  snprintf(settings, sizeof settings,
           "LD_PRELOAD=%s/failing_memory.so TRIREME_FAIL_MEMORY=%s TRIREME_FAIL_REPORT=%s "
           "TRIREME_ROOF=false TRIREME_OUTPUT=%s",
           TEST_PLUGINS, order, path, folder);
  program_run(settings, line, &result);
  if (result.code > 128) fail_msg("%s: ended by signal %d", order, result.code - 128);
  program_read(path, report);
}

/* Blocks that a good run does not leave either: what its report does not name. */
static void assert_no_leak(const char *order)
{
  char line[256];
  for (const char *at = strstr(report, "\nleft "); at; at = strstr(at + 1, "\nleft ")) {
    snprintf(line, sizeof line, "%.*s\n", (int)(1 + strcspn(at + 1, "\n")), at);
    if (!strstr(good_report, line)) fail_msg("request %s: %s", order, report);
  }
}

/* A run may go on without what it only asked for on the side: a cached program, facts about the
 * host. Then it is a good run. A dry run warns that its case would not run. */
static void assert_as_good(const char *good, const char *bad, int lasting)
{
  const int is_warned = strstr(result.err, "here this case would not run: ") &&
                        strstr(result.err, "memory");
  if (lasting || (result.err[0] && !is_warned)) fail_msg("exit code 0: %s", result.err);
  program_assert_whole(good, bad);
}

static void tell_count(const char *line, int lasting, long requests, long tried)
{
  char path[PROGRAM_PATH];
  snprintf(path, sizeof path, "%s/../memory_faults.count", test_folder());
  FILE *file = fopen(path, "a");
  assert_non_null(file);
  fprintf(file, "%s%s: %ld requests, %ld failed\n", line, lasting ? ", from there on" : "",
          requests, tried);
  assert_int_equal(fclose(file), 0);
}

static void run_round(const char *line, int lasting)
{
  char good[PROGRAM_PATH], bad[PROGRAM_PATH], order[64];
#ifdef TEST_SANITIZED
  TEST_SKIP("a sanitizer has an allocator of its own");
#endif
  program_path(good, "good");
  program_path(bad, "bad");
  try_request(line, "", good);
  if (result.code != 0) fail_msg("the good run ends with %d: %s", result.code, result.err);
  memcpy(good_report, report, sizeof report);
  const long requests = program_number(report, "requests");
  assert_true(requests > 0);
  const long stride = test_runs_long() || requests <= SAMPLE ? 1 : requests / SAMPLE;
  long tried = 0;
  for (long n = 1 + (long)strlen(line) % stride; n <= requests; n += stride, tried++) {
    snprintf(order, sizeof order, "%ld%s", n, lasting ? "+" : "");
    try_request(line, order, bad);
    print_message("%s: %s%s", order, result.err, report);
    assert_no_leak(order);
    program_assert_whole(bad, good);
    if (result.code == 0) assert_as_good(good, bad, lasting);
    else program_assert_refused(&result, "memory");
  }
  tell_count(line, lasting, requests, tried);
}

static void each_case(const char *command, const char *options)
{
  char line[2 * PROGRAM_PATH], path[PROGRAM_PATH];
  for (size_t i = 0; program_cases[i]; i++) {
    program_case(program_cases[i], path);
    snprintf(line, sizeof line, "%s %s %s", command, path, options);
    for (int lasting = 0; lasting < 2; lasting++) run_round(line, lasting);
  }
}

static void a_run(void) { each_case("run", "--formats=png,vti,npy,course"); }
static void a_comparison(void) { each_case("compare", "--on=openmp,openmp --runs=2"); }
static void a_run_on_opencl(void)
{
  char line[2 * PROGRAM_PATH], path[PROGRAM_PATH];
  program_case("lbm", path);
  snprintf(line, sizeof line, "run %s --backend=opencl", path);
  /* Its compiler asks for memory a million times, each of which is looked at: not in the rounds. */
  program_path(path, "compiled");
  char settings[2 * PROGRAM_PATH];
  snprintf(settings, sizeof settings, "TRIREME_ROOF=false TRIREME_OUTPUT=%s", path);
  program_run(settings, line, &result);
  assert_int_equal(result.code, 0);
  run_round(line, 0);
}

static void the_listings(void)
{
  run_round("backends --json", 0);
  run_round("devices --json", 0);
  run_round("solvers lbm --json", 0);
  run_round("run lbm --set grid.nx=16 --set grid.ny=16 --steps=4 --dry-run --json", 0);
}

static void the_files_of_the_course(void)
{
  char line[4 * PROGRAM_PATH];
  const char *source = getenv("srcdir");
  snprintf(line, sizeof line, "run lbm %s/cases/bristol-128x128/input_128x128.params "
           "%s/cases/bristol-128x128/obstacles_128x128.dat --steps=2", source, source);
  run_round(line, 0);
}

static void a_report(void)
{
  char line[4 * PROGRAM_PATH], page[PROGRAM_PATH];
  snprintf(line, sizeof line, "report %s/tests/data/report/differ.json --output=%s.html",
           getenv("srcdir"), program_path(page, "page"));
  for (int lasting = 0; lasting < 2; lasting++) run_round(line, lasting);
}

static void a_prediction(void)
{
  char line[6 * PROGRAM_PATH];
  const char *source = getenv("srcdir");
  snprintf(line, sizeof line, "predict lbm --set grid.nx=64 --set grid.ny=64 --from="
           "%s/docs/measure/roofs.json,%s/docs/measure/journal.json", source, source);
  for (int lasting = 0; lasting < 2; lasting++) run_round(line, lasting);
}

static void a_movie(void)
{
  char line[4 * PROGRAM_PATH], settings[2 * PROGRAM_PATH];
  char frames[PROGRAM_PATH], movie[PROGRAM_PATH];
  snprintf(settings, sizeof settings, "TRIREME_ROOF=false TRIREME_OUTPUT=%s",
           program_path(frames, "frames"));
  program_run(settings, "run lbm --set grid.nx=16 --set grid.ny=16 --set lbm.accel=0.01 --steps=4 "
              "--movie=speed --movie-every=2 --formats=none", &result);
  assert_int_equal(result.code, 0);
  snprintf(line, sizeof line, "movie %s --output=%s", frames, program_path(movie, "movie.apng"));
  for (int lasting = 0; lasting < 2; lasting++) run_round(line, lasting);
}

int main(int argc, char **argv)
{
  static const test_case tests[] = {
    TEST_HOST(a_run),
    TEST_HOST(a_comparison),
    TEST_HOST(a_run_on_opencl),
    TEST_HOST(the_listings),
    TEST_HOST(the_files_of_the_course),
    TEST_HOST(a_report),
    TEST_HOST(a_prediction),
    TEST_HOST(a_movie),
  };
  return TEST_RUN(argc, argv, tests);
}
