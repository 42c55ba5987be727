/* full_disk.c - runs whose results lie on a disk that is too small, by a page more each time: each
 * ends with 2 and one line that names a file and the cause, and every file there is whole. */
#include "tests/own_disk.h"
#include "tests/program.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, MOST_PAGES = 400 };

static program_result result;

/* Not a byte is left. */
static void fill_disk(const char *folder)
{
  static const char page[PAGE];
  char path[2 * PROGRAM_PATH];
  snprintf(path, sizeof path, "%s/filler", folder);
  const int file = open(path, O_WRONLY | O_CREAT, 0600);
  assert_true(file >= 0);
  while (write(file, page, sizeof page) > 0) continue;
  close(file);
}

static void run_on(const char *name, const char *more, const char *folder)
{
  char line[4 * PROGRAM_PATH], settings[2 * PROGRAM_PATH], path[PROGRAM_PATH];
  program_case(name, path);
  snprintf(line, sizeof line, "run %s --formats=png,vti,npy,course %s", path, more);
  snprintf(settings, sizeof settings, "TRIREME_CEILING=false TRIREME_OUTPUT=%s", folder);
  program_run(settings, line, &result);
}

static void each_size(const char *name, const char *more)
{
  char good[PROGRAM_PATH], bad[PROGRAM_PATH];
  program_path(good, "good");
  program_path(bad, "bad");
  program_remove(good);
  run_on(name, more, good);
  assert_int_equal(result.code, 0);
  const size_t step = program_is_long() ? 1 : 3;
  size_t pages = 1;
  for (;; pages += step) {
    assert_true(pages < MOST_PAGES);
    own_disk_mount(bad, pages * PAGE);
    run_on(name, more, bad);
    print_message("%zu pages: %s", pages, result.err);
    program_assert_whole(bad, good);
    if (result.code == 0) break;
    program_assert_refused(&result, "No space left on device");
    program_assert_refused(&result, bad);
    own_disk_remove(bad);
  }
  own_disk_remove(bad);
  assert_true(pages > 5);
}

static void results_of_lbm(void)
{
  own_disk_begin();
  each_size("lbm", "");
}

static void results_of_nbody(void)
{
  own_disk_begin();
  each_size("nbody", "");
}

static void results_of_shallow(void)
{
  own_disk_begin();
  each_size("shallow", "");
}

static void fields_on_the_way(void)
{
  own_disk_begin();
  each_size("lbm", "--every=4");
}

static void a_disk_without_a_byte(void)
{
  char bad[PROGRAM_PATH], filler[2 * PROGRAM_PATH];
  own_disk_begin();
  own_disk_mount(program_path(bad, "bad"), PAGE);
  fill_disk(bad);
  run_on("lbm", "", bad);
  program_assert_refused(&result, "No space left on device");
  program_assert_refused(&result, bad);
  snprintf(filler, sizeof filler, "%s/filler", bad);
  assert_int_equal(unlink(filler), 0);
  program_assert_whole(bad, bad);
  own_disk_remove(bad);
}

/* What a comparison prints may go to a full disk, and so may what it keeps. */
static void what_a_comparison_prints_and_keeps(void)
{
  static const char *const options[] = { "--json", "" };
  char bad[PROGRAM_PATH], out[2 * PROGRAM_PATH], line[4 * PROGRAM_PATH], path[PROGRAM_PATH];
  char kept[PROGRAM_PATH];
  own_disk_begin();
  own_disk_mount(program_path(bad, "bad"), PAGE);
  fill_disk(bad);
  snprintf(out, sizeof out, "%s/out", bad);
  program_case("lbm", path);
  program_path(kept, "kept");
  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
    snprintf(line, sizeof line, "compare %s --on=openmp --runs=1 --output=%s %s", path, kept,
             options[i]);
    program_run_to(out, "TRIREME_CEILING=false", line, &result);
    program_assert_refused(&result, "could not be written to standard output");
    program_assert_refused(&result, "No space left on device");
  }
  snprintf(line, sizeof line, "compare %s --on=openmp --runs=1 --output=%s", path, bad);
  program_run("TRIREME_CEILING=false", line, &result);
  program_assert_refused(&result, "No space left on device");
  own_disk_remove(bad);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(results_of_lbm),
    TEST_HOST(results_of_nbody),
    TEST_HOST(results_of_shallow),
    TEST_HOST(fields_on_the_way),
    TEST_HOST(a_disk_without_a_byte),
    TEST_HOST(what_a_comparison_prints_and_keeps),
  };
  return TEST_RUN(argc, argv, cases);
}
