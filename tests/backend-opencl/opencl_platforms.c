/* opencl_platforms.c - what the OpenCL plugin says of platforms that are missing, broken or
 * failing, and what it leaves behind. */
#include "tests/backend-opencl/opencl_vendors.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void without_a_platform_there_is_a_reason_and_a_cure(void)
{
  char folder[600];
  answer told;
  need_loader_that_reads_vendors();
  make_vendors("empty", folder, sizeof folder);
  ask(vendors, folder, &told);
  assert_int_equal(told.state, TRM_BACKEND_NO_DRIVER);
  assert_int_equal(told.device_count, 0);
  assert_non_null(strstr(told.reason, "no platform"));
  assert_non_null(strstr(told.cure, "pocl-opencl-icd"));
}

static void a_driver_that_cannot_be_loaded_is_named_when_it_is_the_only_one(void)
{
  char folder[600];
  answer told;
  need_loader_that_reads_vendors();
  make_vendors("only-broken", folder, sizeof folder);
  write_icd(folder, "broken.icd", "/nonexistent/libmissing-driver.so");
  ask(vendors, folder, &told);
  assert_int_equal(told.state, TRM_BACKEND_NO_DRIVER);
  assert_non_null(strstr(told.reason, "broken.icd"));
  assert_non_null(strstr(told.reason, "libmissing-driver.so"));
}

static void a_broken_driver_hides_no_other_and_is_named(void)
{
  char folder[600];
  answer alone, told;
  need_loader_that_reads_vendors();
  ask(vendors, system_vendors, &alone);
  if (alone.state != TRM_BACKEND_READY)
    TEST_SKIP("no driver of this machine works: %s", alone.reason);
  make_vendors("mixed", folder, sizeof folder);
  write_icd(folder, "a-broken.icd", "/nonexistent/libmissing-driver.so");
  copy_icds(folder);
  ask(vendors, folder, &told);
  assert_int_equal(told.state, TRM_BACKEND_READY);
  assert_int_equal(told.device_count, alone.device_count);
  assert_non_null(strstr(told.reason, "a-broken.icd"));
  assert_non_null(strstr(told.reason, "libmissing-driver.so"));
}

static void a_platform_that_fails_is_named_when_it_is_the_only_one(void)
{
  char folder[600];
  answer told;
  need_loader_that_reads_vendors();
  make_vendors("only-failing", folder, sizeof folder);
  write_icd(folder, "failing.icd", failing_driver);
  ask(vendors, folder, &told);
  assert_int_equal(told.state, TRM_BACKEND_NO_DEVICE);
  assert_non_null(strstr(told.reason, "Failing Platform: CL_OUT_OF_HOST_MEMORY"));
  assert_non_null(strstr(told.cure, "pocl-opencl-icd"));
}

static void a_platform_that_fails_hides_no_other_and_is_named(void)
{
  char folder[600];
  answer alone, told;
  need_loader_that_reads_vendors();
  ask(vendors, system_vendors, &alone);
  if (alone.state != TRM_BACKEND_READY)
    TEST_SKIP("no driver of this machine works: %s", alone.reason);
  make_vendors("beside-failing", folder, sizeof folder);
  write_icd(folder, "a-failing.icd", failing_driver);
  copy_icds(folder);
  ask(vendors, folder, &told);
  assert_int_equal(told.state, TRM_BACKEND_READY);
  assert_int_equal(told.device_count, alone.device_count);
  assert_non_null(strstr(told.reason, "Failing Platform: CL_OUT_OF_HOST_MEMORY"));
}

/* Every loader overlooks one of them at least. */
static void a_variable_that_the_loader_does_not_read_is_named(void)
{
  static const char *const variables[] = { vendors, "OPENCL_VENDOR_PATH", filenames };
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    char clause[64];
    answer told;
    const int reads = loader_reads(variables[i]);
    ask(variables[i], "/nonexistent/libmissing-driver.so", &told);
    snprintf(clause, sizeof clause, "%s is set, but the ICD loader", variables[i]);
    assert_int_equal(strstr(told.reason, clause) == NULL, reads);
    assert_int_equal(strstr(told.reason, "libmissing-driver.so") != NULL, reads);
  }
}

static void the_cache_of_pocl_is_private_and_goes_with_the_process(void)
{
  answer told;
  struct stat about;
  ask("POCL_CACHE_DIR", NULL, &told);
  assert_non_null(strstr(told.pocl_cache, "/trireme-pocl-"));
  assert_int_not_equal(stat(told.pocl_cache, &about), 0);
}

/* A cache folder as a process that was killed an hour ago, or one that still runs, has left it. */
static int make_cache_folder(const char *parent, const char *name, char *path, size_t bytes)
{
  char lock[700];
  const struct timeval hour_ago[2] = { { time(NULL) - 3600, 0 }, { time(NULL) - 3600, 0 } };
  snprintf(path, bytes, "%s/%s", parent, name);
  assert_int_equal(mkdir(path, 0700), 0);
  snprintf(lock, sizeof lock, "%s/lock", path);
  const int file = open(lock, O_RDWR | O_CREAT, 0600);
  assert_true(file >= 0);
  assert_int_equal(futimes(file, hour_ago), 0);
  return file;
}

static void only_the_folders_of_killed_processes_are_swept(void)
{
  char temporary[600], killed[650], running[650], other[650], early[650], young[650];
  const struct timeval hour_ago[2] = { { time(NULL) - 3600, 0 }, { time(NULL) - 3600, 0 } };
  const char *before = getenv("TMPDIR");
  struct stat about;
  answer told;
  make_vendors("temporary", temporary, sizeof temporary);
  close(make_cache_folder(temporary, "trireme-pocl-killed", killed, sizeof killed));
  close(make_cache_folder(temporary, "another-program", other, sizeof other));
  const int lock = make_cache_folder(temporary, "trireme-pocl-running", running, sizeof running);
  assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), 0);
  snprintf(early, sizeof early, "%s/trireme-pocl-early", temporary);
  snprintf(young, sizeof young, "%s/trireme-pocl-young", temporary);
  assert_int_equal(mkdir(early, 0700), 0);   /* killed before it had a lock */
  assert_int_equal(mkdir(young, 0700), 0);   /* about to have one */
  assert_int_equal(utimes(early, hour_ago), 0);
  setenv("TMPDIR", temporary, 1);
  ask("POCL_CACHE_DIR", NULL, &told);
  if (before) setenv("TMPDIR", before, 1);
  else unsetenv("TMPDIR");
  assert_non_null(strstr(told.pocl_cache, temporary));
  assert_int_not_equal(stat(killed, &about), 0);
  assert_int_not_equal(stat(early, &about), 0);
  assert_int_equal(stat(young, &about), 0);
  assert_int_equal(stat(running, &about), 0);
  assert_int_equal(stat(other, &about), 0);
  close(lock);
}

static void a_chosen_cache_of_pocl_is_kept(void)
{
  char folder[600];
  answer told;
  struct stat about;
  make_vendors("chosen", folder, sizeof folder);
  ask("POCL_CACHE_DIR", folder, &told);
  assert_string_equal(told.pocl_cache, folder);
  assert_int_equal(stat(folder, &about), 0);
}

/* Under a file there is no folder for anyone, root included. */
static void a_cache_of_pocl_that_cannot_be_written_is_named(void)
{
  char folder[600], below[650];
  const char *before = getenv("TMPDIR");
  answer alone, told;
  ask(vendors, system_vendors, &alone);
  if (alone.state != TRM_BACKEND_READY)
    TEST_SKIP("no driver of this machine works: %s", alone.reason);
  make_vendors("unwritable", folder, sizeof folder);
  write_icd(folder, "file", "");
  snprintf(below, sizeof below, "%s/file/folder", folder);
  ask("POCL_CACHE_DIR", below, &told);
  if (!strstr(told.reason, "Portable Computing Language"))
    TEST_SKIP("PoCL is not among the drivers of this machine: %s", told.reason);
  assert_non_null(strstr(told.reason, "PoCL cannot write its kernels to the folder "));
  assert_non_null(strstr(told.reason, "/file/folder, by the variable POCL_CACHE_DIR: Not a dir"));
  assert_non_null(strstr(told.cure, "let POCL_CACHE_DIR name a folder that can be written, or "));
  assert_null(strstr(told.cure, "apt install"));
  setenv("TMPDIR", below, 1);
  setenv("XDG_CACHE_HOME", below, 1);
  ask("POCL_CACHE_DIR", NULL, &told);
  if (before) setenv("TMPDIR", before, 1);
  else unsetenv("TMPDIR");
  unsetenv("XDG_CACHE_HOME");
  assert_non_null(strstr(told.reason, "/file/folder/pocl/kcache, by the variable XDG_CACHE_HOME"));
  assert_non_null(strstr(told.cure, "let TMPDIR or POCL_CACHE_DIR name a folder"));
}

static void an_empty_name_of_pocls_cache_is_none(void)
{
  answer told;
  ask("POCL_CACHE_DIR", "", &told);
  assert_non_null(strstr(told.pocl_cache, "/trireme-pocl-"));
  assert_null(strstr(told.reason, "ended by signal"));
}

int main(int argc, char **argv)
{
  unsetenv(vendors); /* set by each case */
  unsetenv(filenames);
  unsetenv("OPENCL_VENDOR_PATH");
  static const test_case cases[] = {
    TEST_HOST(without_a_platform_there_is_a_reason_and_a_cure),
    TEST_HOST(a_driver_that_cannot_be_loaded_is_named_when_it_is_the_only_one),
    TEST_HOST(a_broken_driver_hides_no_other_and_is_named),
    TEST_HOST(a_platform_that_fails_is_named_when_it_is_the_only_one),
    TEST_HOST(a_platform_that_fails_hides_no_other_and_is_named),
    TEST_HOST(a_variable_that_the_loader_does_not_read_is_named),
    TEST_HOST(the_cache_of_pocl_is_private_and_goes_with_the_process),
    TEST_HOST(only_the_folders_of_killed_processes_are_swept),
    TEST_HOST(a_chosen_cache_of_pocl_is_kept),
    TEST_HOST(a_cache_of_pocl_that_cannot_be_written_is_named),
    TEST_HOST(an_empty_name_of_pocls_cache_is_none),
  };
  return TEST_RUN(argc, argv, cases);
}
