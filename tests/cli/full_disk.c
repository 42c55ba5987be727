/* full_disk.c - outputs that lie on a disk that is too small, by a page more each time: the program
 * ends with 2 and one line that names a file and the cause, and every file there is whole. */
#include "tests/cli/own_disk.h"
#include "tests/cli/program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* An output of the program: its words, with the folder behind the last. */
typedef struct output {
  const char *words;
  const char *file;            /* what the program is given below the folder, or "" */
  const char *folder;          /* where its files then are below the folder, or "" */
} output;

static void write_on(const output *what, const char *folder)
{
  char line[4 * PROGRAM_PATH];
  snprintf(line, sizeof line, "%s%s%s", what->words, folder, what->file);
  program_run("TRIREME_ROOF=false", line, &result);
}

static void assert_whole(const output *what, const char *folder, const char *reference)
{
  char found[2 * PROGRAM_PATH], expected[2 * PROGRAM_PATH];
  snprintf(found, sizeof found, "%s%s", folder, what->folder);
  snprintf(expected, sizeof expected, "%s%s", reference, what->folder);
  program_assert_whole(found, expected);
}

static void each_size(const output *what)
{
  char good[PROGRAM_PATH], bad[PROGRAM_PATH];
  own_disk_begin();
  program_path(good, "good");
  program_path(bad, "bad");
  program_remove(good);
  assert_int_equal(mkdir(good, 0700), 0);
  write_on(what, good);
  if (result.code != 0) fail_msg("%s%s: %s", what->words, good, result.err);
  const size_t step = test_runs_long() ? 1 : 3;
  size_t pages = 1;
  for (;; pages += step) {
    assert_true(pages < MOST_PAGES);
    own_disk_mount(bad, pages * PAGE);
    write_on(what, bad);
    print_message("%zu pages: %s", pages, result.err);
    assert_whole(what, bad, good);
    if (result.code == 0) break;
    program_assert_refused(&result, "No space left on device");
    program_assert_refused(&result, bad);
    own_disk_remove(bad);
  }
  own_disk_remove(bad);
  assert_true(pages > 5);
}

/* COMMAND CASE MORE --output=... */
static void each_size_of(const char *command, const char *name, const char *more)
{
  char path[PROGRAM_PATH], words[2 * PROGRAM_PATH];
  program_case(name, path);
  snprintf(words, sizeof words, "%s %s %s --output=", command, path, more);
  each_size(&(output){ words, "", "" });
}

static const char formats[] = "--formats=png,vti,npy,course";

static void results_of_lbm(void) { each_size_of("run", "lbm", formats); }
static void results_of_nbody(void) { each_size_of("run", "nbody", formats); }
static void results_of_shallow(void) { each_size_of("run", "shallow", formats); }
static void fields_on_the_way(void)
{
  each_size_of("run", "lbm", "--formats=png,vti,npy,course --every=4");
}
static void a_profile(void) { each_size_of("run", "lbm", "--formats=none --profile"); }
static void a_study(void)
{
  each_size_of("study", "lbm", "--vary=run.threads=1,2 --runs=1 --seconds=0.01");
}
static void a_report(void)
{
  char words[2 * PROGRAM_PATH];
  snprintf(words, sizeof words, "report %s/tests/data/report/differ.json --output=",
           getenv("srcdir"));
  each_size(&(output){ words, "/page.html", "" });
}
static void a_solver_to_start_from(void)
{
  each_size(&(output){ "new-solver heat ", "/heat", "/heat" });
}

static void a_disk_without_a_byte(void)
{
  char bad[PROGRAM_PATH], path[PROGRAM_PATH], words[2 * PROGRAM_PATH], filler[2 * PROGRAM_PATH];
  own_disk_begin();
  own_disk_mount(program_path(bad, "bad"), PAGE);
  fill_disk(bad);
  program_case("lbm", path);
  snprintf(words, sizeof words, "run %s --output=", path);
  write_on(&(output){ words, "", "" }, bad);
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
    snprintf(line, sizeof line, "compare %s --on=openmp --runs=1 --output=%s-%zu %s", path, kept,
             i, options[i]);
    program_run_to(out, "TRIREME_ROOF=false", line, &result);
    program_assert_refused(&result, "could not be written to standard output");
    program_assert_refused(&result, "No space left on device");
  }
  snprintf(line, sizeof line, "compare %s --on=openmp --runs=1 --output=%s", path, bad);
  program_run("TRIREME_ROOF=false", line, &result);
  program_assert_refused(&result, "No space left on device");
  own_disk_remove(bad);
}

/* A disk too small for checkpoints costs a warning at most, and leaves whole ones or none. */
static void checkpoints_on_the_way(void)
{
  char bad[PROGRAM_PATH], path[PROGRAM_PATH], line[4 * PROGRAM_PATH];
  int warned = 0, is_good = 0;
  own_disk_begin();
  program_path(bad, "bad");
  program_case("lbm", path);
  for (size_t pages = 4; !is_good; pages++) {
    assert_true(pages < MOST_PAGES);
    own_disk_mount(bad, pages * PAGE);
    snprintf(line, sizeof line, "run %s --batch=1 --checkpoint-every=0.000001s --formats=none "
             "--output=%s", path, bad);
    program_run("TRIREME_ROOF=false", line, &result);
    print_message("%zu pages: %d %s", pages, result.code, result.err);
    const int lacks = strstr(result.err, "no checkpoint was written") != NULL;
    warned += lacks && result.code == 0;
    is_good = result.code == 0 && !lacks;
    if (result.code != 0 && !strstr(result.err, "No space left") &&
        !strstr(result.err, "do not fit"))
      fail_msg("%s", result.err);
    snprintf(line, sizeof line, "resume %s --steps=40 --dry-run", bad);
    program_run("", line, &result);
    if (result.code != 0 && !strstr(result.err, "there is no checkpoint"))
      fail_msg("%zu pages: %s", pages, result.err);
    assert_true(!is_good || result.code == 0);
    own_disk_remove(bad);
  }
  assert_true(warned > 0);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(results_of_lbm),
    TEST_HOST(results_of_nbody),
    TEST_HOST(results_of_shallow),
    TEST_HOST(fields_on_the_way),
    TEST_HOST(a_profile),
    TEST_HOST(a_study),
    TEST_HOST(a_report),
    TEST_HOST(a_solver_to_start_from),
    TEST_HOST(a_disk_without_a_byte),
    TEST_HOST(what_a_comparison_prints_and_keeps),
    TEST_HOST(checkpoints_on_the_way),
  };
  return TEST_RUN(argc, argv, cases);
}
