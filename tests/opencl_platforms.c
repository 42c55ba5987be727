/* opencl_platforms.c - what the OpenCL plugin says of platforms that are missing, broken or
 * failing, and what it leaves behind.
 *
 * A process looks for platforms once, so each question is asked in a child. */
#include "tests/harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

static const char system_vendors[] = "/etc/OpenCL/vendors";

typedef struct answer {
  int found;                       /* the plugin's file was considered */
  trm_backend_state state;
  size_t device_count;
  char reason[1024], cure[640];
  char pocl_cache[512];            /* POCL_CACHE_DIR after the probe */
} answer;

static void answer_in_child(int out)
{
  answer told = {0};
  trm_context *context = NULL;
  const trm_backend_info *list = NULL;
  size_t count = 0;
  if (trm_context_create(NULL, &context) != TRM_OK) exit(1);
  if (trm_backend_list(context, &list, &count) != TRM_OK) exit(1);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(list[i].name, "opencl") != 0) continue;
    told.found = 1;
    told.state = list[i].state;
    told.device_count = list[i].device_count;
    snprintf(told.reason, sizeof told.reason, "%s", list[i].reason);
    snprintf(told.cure, sizeof told.cure, "%s", list[i].cure);
  }
  if (getenv("POCL_CACHE_DIR"))
    snprintf(told.pocl_cache, sizeof told.pocl_cache, "%s", getenv("POCL_CACHE_DIR"));
  trm_context_destroy(&context);
  if (write(out, &told, sizeof told) != (ssize_t)sizeof told) exit(1);
  exit(0); /* with the destructors of all plugins */
}

/* Runs `tell` in a fresh process, with one more variable in its environment (NULL: unset). */
static void in_child(void (*tell)(int), const char *name, const char *value, void *out,
                     size_t bytes)
{
  int ends[2], status = 0;
  size_t got = 0;
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    close(ends[0]);
    if (value ? setenv(name, value, 1) : unsetenv(name)) exit(1);
    tell(ends[1]);
  }
  close(ends[1]);
  while (got < bytes) {
    const ssize_t n = read(ends[0], (char *)out + got, bytes - got);
    if (n <= 0) break;
    got += (size_t)n;
  }
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(got, bytes);
}

/* The answer of a fresh process. A folder of drivers ends with a slash: the loader of CUDA's toolkit
 * puts the names of files right behind it. */
static void ask(const char *name, const char *value, answer *out)
{
  char folder[700];
  struct stat about;
  const int is_drivers = strcmp(name, "OCL_ICD_VENDORS") == 0;
  if (is_drivers && value && stat(value, &about) == 0 && S_ISDIR(about.st_mode)) {
    snprintf(folder, sizeof folder, "%s/", value);
    value = folder;
  }
  in_child(answer_in_child, name, value, out, sizeof *out);
  assert_true(out->found);
}

static void make_folder(const char *name, char *path, size_t bytes)
{
  snprintf(path, bytes, "%s/%s", test_folder(), name);
  assert_int_equal(mkdir(path, 0700), 0);
}

static void write_icd(const char *folder, const char *name, const char *line)
{
  char path[700];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "%s\n", line);
  assert_int_equal(fclose(file), 0);
}

/* ---- what the ICD loader itself says ------------------------------------------- */

static const char vendors[] = "OCL_ICD_VENDORS", filenames[] = "OCL_ICD_FILENAMES";
static const char failing_driver[] = TEST_PLUGINS "/failing_driver.so";

static void count_in_child(int out)
{
  cl_uint count = 0;
  if (clGetPlatformIDs(0, NULL, &count) != CL_SUCCESS) count = 0;
  _exit(write(out, &count, sizeof count) != (ssize_t)sizeof count);
}

/* Whether a variable changes what the loader finds. */
static int loader_reads(const char *name)
{
  static int asked;
  char folder[600], place[32];
  cl_uint plain = 0, changed = 0;
  in_child(count_in_child, name, NULL, &plain, sizeof plain);
  snprintf(place, sizeof place, "asked-%d", asked++);
  make_folder(place, folder, sizeof folder);
  if (plain == 0) write_icd(folder, "failing.icd", failing_driver);
  in_child(count_in_child, name, strcmp(name, filenames) == 0 ? failing_driver : folder, &changed,
           sizeof changed);
  return changed != plain;
}

/* Skips the case where the environment cannot hide the machine's platforms. */
static void need_loader_that_reads_vendors(void)
{
  static int known, reads;
  if (!known) reads = loader_reads(vendors);
  known = 1;
  if (!reads) TEST_SKIP("the ICD loader of this machine does not read %s", vendors);
}

/* The machine's own drivers, registered in another folder too. */
static void copy_icds(const char *folder)
{
  DIR *registered = opendir(system_vendors);
  for (struct dirent *entry; registered && (entry = readdir(registered));) {
    char path[700], line[256] = "";
    snprintf(path, sizeof path, "%s/%s", system_vendors, entry->d_name);
    FILE *file = strstr(entry->d_name, ".icd") ? fopen(path, "r") : NULL;
    if (!file) continue;
    if (fgets(line, sizeof line, file)) {
      line[strcspn(line, "\r\n")] = 0;
      write_icd(folder, entry->d_name, line);
    }
    fclose(file);
  }
  if (registered) closedir(registered);
}

static void without_a_platform_there_is_a_reason_and_a_cure(void)
{
  char folder[600];
  answer told;
  need_loader_that_reads_vendors();
  make_folder("empty", folder, sizeof folder);
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
  make_folder("only-broken", folder, sizeof folder);
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
  make_folder("mixed", folder, sizeof folder);
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
  make_folder("only-failing", folder, sizeof folder);
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
  make_folder("beside-failing", folder, sizeof folder);
  write_icd(folder, "a-failing.icd", failing_driver);
  copy_icds(folder);
  ask(vendors, folder, &told);
  assert_int_equal(told.state, TRM_BACKEND_READY);
  assert_int_equal(told.device_count, alone.device_count);
  assert_non_null(strstr(told.reason, "Failing Platform: CL_OUT_OF_HOST_MEMORY"));
}

/* ---- a driver that ends or hangs the process ------------------------------------- */

/* What is told of the failing driver in that mode; beside the machine's own, or alone. Twice, since
 * the outcome of a trial is kept. */
static void ask_rough(const char *mode, int is_alone, answer *told)
{
  char folder[600], name[64];
  need_loader_that_reads_vendors();
  snprintf(name, sizeof name, "rough-%s-%d", mode, is_alone);
  make_folder(name, folder, sizeof folder);
  write_icd(folder, "a-failing.icd", failing_driver);
  if (!is_alone) copy_icds(folder);
  setenv("TRIREME_TEST_DRIVER", mode, 1);
  ask(vendors, folder, told);
  answer again;
  ask(vendors, folder, &again);
  unsetenv("TRIREME_TEST_DRIVER");
  assert_int_equal(again.state, told->state);
  assert_string_equal(again.reason, told->reason);
}

/* The other platforms serve on, and the note names platform, signal, place and cure. */
static void a_platform_whose_compiler_crashes_hides_no_other(void)
{
  answer alone, told;
  need_loader_that_reads_vendors();
  ask(vendors, system_vendors, &alone);
  if (alone.state != TRM_BACKEND_READY)
    TEST_SKIP("no driver of this machine works: %s", alone.reason);
  ask_rough("build", 0, &told);
  assert_int_equal(told.state, TRM_BACKEND_READY);
  assert_int_equal(told.device_count, alone.device_count);
  assert_non_null(strstr(told.reason, "platform Failing Platform: the process that tried it first "
                                      "was ended by signal 11 (Segmentation fault), in "));
  assert_non_null(strstr(told.reason, "failing_driver.so"));
  assert_non_null(strstr(told.cure, "update or remove the driver of that platform"));
}

/* Some loaders ask for devices already when they open the drivers. */
static void a_platform_that_crashes_when_asked_for_devices_is_named(void)
{
  answer told;
  ask_rough("list", 1, &told);
  assert_true(told.state == TRM_BACKEND_NO_DEVICE || told.state == TRM_BACKEND_BROKEN);
  assert_non_null(strstr(told.reason, "was ended by signal 11 (Segmentation fault), in "));
  assert_non_null(strstr(told.reason, "failing_driver.so"));
  assert_non_null(strstr(told.cure, "/etc/OpenCL/vendors"));
}

static void a_platform_whose_compiler_crashes_alone_is_no_device(void)
{
  answer told;
  ask_rough("build", 1, &told);
  assert_int_equal(told.state, TRM_BACKEND_NO_DEVICE);
  assert_non_null(strstr(told.reason, "was ended by signal 11 (Segmentation fault)"));
  assert_non_null(strstr(told.cure, "update or remove the driver of that platform"));
}

static void a_platform_that_hangs_is_given_up(void)
{
  answer told;
  setenv("TRIREME_TRIAL_SECONDS", "1", 1);
  ask_rough("hang", 1, &told);
  unsetenv("TRIREME_TRIAL_SECONDS");
  assert_int_equal(told.state, TRM_BACKEND_NO_DEVICE);
  assert_non_null(strstr(told.reason, "platform Failing Platform: the process that tried it first "
                                      "was still at it after 1 s"));
}

/* All drivers are opened by one call, so none can be left out; the place names the one. */
static void a_driver_that_crashes_when_opened_is_named(void)
{
  answer told;
  ask_rough("load", 0, &told);
  assert_int_equal(told.state, TRM_BACKEND_BROKEN);
  assert_non_null(strstr(told.reason, "the drivers that the ICD loader opens: the process that "
                                      "tried it first was ended by signal 11"));
  assert_non_null(strstr(told.reason, "failing_driver.so"));
  assert_non_null(strstr(told.cure, "/etc/OpenCL/vendors"));
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
  char temporary[600], killed[650], running[650], other[650];
  const char *before = getenv("TMPDIR");
  struct stat about;
  answer told;
  make_folder("temporary", temporary, sizeof temporary);
  close(make_cache_folder(temporary, "trireme-pocl-killed", killed, sizeof killed));
  close(make_cache_folder(temporary, "another-program", other, sizeof other));
  const int lock = make_cache_folder(temporary, "trireme-pocl-running", running, sizeof running);
  assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), 0);
  setenv("TMPDIR", temporary, 1);
  ask("POCL_CACHE_DIR", NULL, &told);
  if (before) setenv("TMPDIR", before, 1);
  else unsetenv("TMPDIR");
  assert_non_null(strstr(told.pocl_cache, temporary));
  assert_int_not_equal(stat(killed, &about), 0);
  assert_int_equal(stat(running, &about), 0);
  assert_int_equal(stat(other, &about), 0);
  close(lock);
}

static void a_chosen_cache_of_pocl_is_kept(void)
{
  char folder[600];
  answer told;
  struct stat about;
  make_folder("chosen", folder, sizeof folder);
  ask("POCL_CACHE_DIR", folder, &told);
  assert_string_equal(told.pocl_cache, folder);
  assert_int_equal(stat(folder, &about), 0);
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
    TEST_HOST(a_platform_whose_compiler_crashes_hides_no_other),
    TEST_HOST(a_platform_that_crashes_when_asked_for_devices_is_named),
    TEST_HOST(a_platform_whose_compiler_crashes_alone_is_no_device),
    TEST_HOST(a_platform_that_hangs_is_given_up),
    TEST_HOST(a_driver_that_crashes_when_opened_is_named),
    TEST_HOST(a_variable_that_the_loader_does_not_read_is_named),
    TEST_HOST(the_cache_of_pocl_is_private_and_goes_with_the_process),
    TEST_HOST(only_the_folders_of_killed_processes_are_swept),
    TEST_HOST(a_chosen_cache_of_pocl_is_kept),
  };
  return TEST_RUN(argc, argv, cases);
}
