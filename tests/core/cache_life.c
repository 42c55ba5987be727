/* cache_life.c - nothing that happens to the folder of the program cache fails a run. */
#include "tests/core/cache_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/core/dispatch.h"
#include "tests/cli/own_disk.h"

/* ---- folders ------------------------------------------------------------------------- */

static void assert_no_cache(const char *folder, const char *part)
{
  assert_null(open_cache(folder));
  assert_int_equal(log_count, 1);
  if (!strstr(logged, part)) fail_msg("\"%s\" does not say \"%s\"", logged, part);
}

static void the_folder_is_made_for_its_owner_alone(void)
{
  char path[PATH_BYTES];
  struct stat status;
  trmi_cache *cache = new_cache("made/of/several/parts");
  folder_path(path, "made/of/several/parts");
  assert_string_equal(trmi_cache_folder(cache), path);
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 07777, 0700);
  trmi_cache_close(&cache);
}

static void the_environment_names_the_folder(void)
{
  char xdg[PATH_BYTES], home[PATH_BYTES], path[PATH_BYTES];
  setenv("XDG_CACHE_HOME", folder_path(xdg, "xdg"), 1);
  setenv("HOME", folder_path(home, "home"), 1);
  trmi_cache *cache = open_cache("");
  assert_string_equal(trmi_cache_folder(cache), folder_path(path, "xdg/trireme"));
  trmi_cache_close(&cache);
  setenv("XDG_CACHE_HOME", "relative", 1); /* to be ignored, says its specification */
  cache = open_cache("");
  assert_string_equal(trmi_cache_folder(cache), folder_path(path, "home/.cache/trireme"));
  trmi_cache_close(&cache);
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  assert_no_cache("", "set TRIREME_CACHE_DIR or HOME");
}

static void a_folder_that_cannot_be_trusted_is_refused(void)
{
  char path[PATH_BYTES];
  trmi_cache *cache = new_cache("shared");
  trmi_cache_close(&cache);
  folder_path(path, "shared");
  assert_int_equal(chmod(path, 0777), 0);
  assert_no_cache(path, "others may write to it");
  assert_int_equal(chmod(path, 0770), 0);
  assert_no_cache(path, "others may write to it");
  assert_int_equal(chmod(path, 0755), 0);
  cache = open_cache(path);
  assert_non_null(cache);
  trmi_cache_close(&cache);
  if (geteuid() == 0) {
    assert_int_equal(chown(path, 65534, 65534), 0);
    assert_no_cache(path, "it belongs to another user");
  }
}

static void a_folder_that_cannot_be_made_is_named_with_the_reason(void)
{
  char path[PATH_BYTES];
  assert_no_cache("relative", "it is not an absolute path");
  write_file(folder_path(path, "file"), "", 0);
  assert_no_cache(path, "it cannot be opened: Not a directory");
  assert_no_cache(folder_path(path, "file/below"), "it cannot be made: Not a directory");
}

static void no_cache_is_no_error(void)
{
  trmi_cache *cache = NULL;
  trmi_cache_key key;
  void *bytes = NULL;
  size_t count = 0;
  key_of(&build, "", &key);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  trmi_cache_remove(cache, &key);
  assert_int_equal(trmi_cache_read(cache, &key, &bytes, &count), 0);
  assert_string_equal(trmi_cache_folder(cache), "");
  trmi_cache_close(&cache);
  trmi_cache_close(NULL);
}

/* ---- writing --------------------------------------------------------------------------- */

static void a_read_only_disk_still_serves(void)
{
  char path[PATH_BYTES];
  trmi_cache_key key, other;
  own_disk_begin();
  own_disk_mount(folder_path(path, "readonly"), 1 << 16);
  trmi_cache *cache = new_cache("readonly");
  key_of(&build, "", &key);
  key_of(&build, "other", &other);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  own_disk_protect(path);
  trmi_cache_write(cache, &other, binary, sizeof binary);
  trmi_cache_write(cache, &other, binary, sizeof binary);
  assert_int_equal(log_count, 1);
  assert_non_null(strstr(logged, "cannot be written: Read-only file system"));
  assert_int_equal(is_right(cache, &other), 0);
  assert_int_equal(is_right(cache, &key), 1);
  trmi_cache_close(&cache);
  cache = new_cache("readonly"); /* opened, too */
  assert_int_equal(is_right(cache, &key), 1);
  trmi_cache_close(&cache);
  own_disk_remove(path);
}

static void a_disk_with_no_room_keeps_nothing_and_says_so_once(void)
{
  static char large[3 << 12];
  char path[PATH_BYTES], entry[PATH_BYTES];
  trmi_cache_key key;
  own_disk_begin();
  own_disk_mount(folder_path(path, "room"), 1 << 13);
  trmi_cache *cache = new_cache("room");
  key_of(&build, "", &key);
  trmi_cache_write(cache, &key, large, sizeof large);
  trmi_cache_write(cache, &key, large, sizeof large);
  assert_int_equal(log_count, 1);
  assert_non_null(strstr(logged, "cannot be written: No space left on device"));
  assert_int_equal(find_file(cache, "", entry), 0);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_int_equal(is_right(cache, &key), 1);
  trmi_cache_close(&cache);
  own_disk_remove(path);
}

/* The descriptor of a folder that is gone neither reads nor writes. */
static void a_folder_removed_during_use_costs_the_cache_only(void)
{
  char path[PATH_BYTES], entry[PATH_BYTES];
  trmi_cache_key key;
  trmi_cache *cache = new_cache("removed");
  key_of(&build, "", &key);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_int_equal(find_file(cache, "", entry), 1);
  assert_int_equal(unlink(entry), 0);
  assert_int_equal(rmdir(folder_path(path, "removed")), 0);
  assert_int_equal(is_right(cache, &key), 0);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  trmi_cache_remove(cache, &key);
  assert_int_equal(log_count, 1);
  assert_non_null(strstr(logged, "cannot be written: No such file or directory"));
  assert_int_not_equal(access(path, F_OK), 0);
  trmi_cache *again = new_cache("removed"); /* the next run makes it anew */
  trmi_cache_write(again, &key, binary, sizeof binary);
  assert_int_equal(is_right(again, &key), 1);
  assert_int_equal(is_right(cache, &key), 0);
  trmi_cache_close(&again);
  trmi_cache_close(&cache);
}

/* A limit on the size of files stops a write in the middle, as a full disk does. */
static void a_full_disk_leaves_nothing_behind_and_is_told_once(void)
{
  char path[PATH_BYTES];
  struct rlimit before, tight;
  trmi_cache_key key;
  trmi_cache *cache = new_cache("full");
  key_of(&build, "", &key);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  tight = before;
  tight.rlim_cur = HEAD_BYTES + 5;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_DFL);
  assert_int_equal(log_count, 1);
  assert_non_null(strstr(logged, "cannot be written: File too large"));
  assert_int_equal(find_file(cache, "", path), 0);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_int_equal(is_right(cache, &key), 1);
  trmi_cache_close(&cache);
}

static void what_a_killed_writer_left_is_removed_after_a_day(void)
{
  char old[PATH_BYTES], fresh[PATH_BYTES];
  trmi_cache *cache = new_cache("stale");
  trmi_cache_close(&cache);
  folder_path(old, "stale/new-0123456789abcdef");
  folder_path(fresh, "stale/new-fedcba9876543210");
  write_file(old, "half", 4);
  write_file(fresh, "half", 4);
  struct timespec times[2];
  clock_gettime(CLOCK_REALTIME, &times[0]);
  times[0].tv_sec -= 2 * 24 * 60 * 60;
  times[1] = times[0];
  assert_int_equal(utimensat(AT_FDCWD, old, times, 0), 0);
  cache = new_cache("stale");
  assert_int_not_equal(access(old, F_OK), 0);
  assert_int_equal(access(fresh, F_OK), 0);
  trmi_cache_close(&cache);
}

/* Each child writes and reads; one of them damages, too. Exit 1: wrong bytes were handed out. */
static int child(const trmi_cache_key *key, int number)
{
  trmi_cache *cache = trmi_cache_open(NULL, NULL);
  int hits = 0;
  if (!cache) return 2;
  for (int i = 0; i < 200; i++) {
    void *bytes = NULL;
    size_t count = 0;
    trmi_cache_write(cache, key, binary, sizeof binary);
    if (number == 0 && i % 10 == 0) trmi_cache_remove(cache, key);
    if (!trmi_cache_read(cache, key, &bytes, &count)) continue;
    if (count != sizeof binary || memcmp(bytes, binary, count) != 0) return 1;
    free(bytes);
    hits++;
  }
  trmi_cache_close(&cache);
  return hits > 0 ? 0 : 3;
}

static void four_processes_at_once_do_each_other_no_harm(void)
{
  enum { PROCESSES = 4 };
  pid_t pids[PROCESSES];
  char path[PATH_BYTES];
  trmi_cache_key key;
  trmi_cache *cache = new_cache("crowd");
  key_of(&build, "", &key);
  for (int i = 0; i < PROCESSES; i++) {
    pids[i] = fork();
    if (pids[i] == 0) _exit(child(&key, i));
    assert_true(pids[i] > 0);
  }
  for (int i = 0; i < PROCESSES; i++) {
    int status = -1;
    assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
    assert_int_equal(status, 0);
  }
  assert_int_equal(find_file(cache, "new-", path), 0);
  trmi_cache_close(&cache);
}

/* ---- through a program ------------------------------------------------------------------- */

/* Builds the program anew on the fake backend; 1 when it came from the cache. */
static int from_cache(void)
{
  const trm_program_options options = { .precision = TRM_F32, .math = TRM_FAST };
  const trm_context_options context_options = { .log = keep_log };
  trm_context *context = NULL;
  trm_device *device = NULL;
  trm_program *program = NULL;
  setenv("TRIREME_BACKEND_PATH", TEST_PLUGINS, 1);
  TEST_OK(trm_context_create(&context_options, &context));
  TEST_OK(trm_device_open(context, "fake", NULL, &device));
  TEST_OK(trm_program_create(device, &dispatch_source, &options, &program));
  const int result = trm_program_describe(program)->from_cache;
  trm_program_destroy(&program);
  trm_device_close(&device);
  trm_context_destroy(&context);
  return result;
}

static void a_damaged_entry_or_a_refused_binary_never_fails_a_program(void)
{
  char path[PATH_BYTES];
  trmi_cache *cache = new_cache("program");
  assert_int_equal(from_cache(), 0);
  assert_int_equal(from_cache(), 1);
  assert_int_equal(find_file(cache, "", path), 1);
  write_file(path, "noise", 5);
  assert_int_equal(from_cache(), 0);
  assert_int_equal(from_cache(), 1);
  setenv("TRIREME_FAKE_LOAD", "refuse", 1);
  assert_int_equal(from_cache(), 0);
  assert_non_null(strstr(logged, "this is not a binary of the fake backend"));
  unsetenv("TRIREME_FAKE_LOAD");
  assert_int_equal(from_cache(), 1);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(trmi_cache_folder(cache)), 0);
  write_file(trmi_cache_folder(cache), "", 0);
  assert_int_equal(from_cache(), 0);
  assert_int_equal(from_cache(), 0);
  trmi_cache_close(&cache);
}

/* In a child: 0 when the program was built or loaded and its binary was the right one. */
static int build_in_crowd(void)
{
  int fault = 1;
  const trm_program_options options = { .precision = TRM_F32, .math = TRM_FAST };
  trm_context *context = NULL;
  trm_device *device = NULL;
  trm_program *program = NULL;
  setenv("TRIREME_BACKEND_PATH", TEST_PLUGINS, 1);
  if (trm_context_create(NULL, &context) == TRM_OK &&
      trm_device_open(context, "fake", NULL, &device) == TRM_OK &&
      trm_program_create(device, &dispatch_source, &options, &program) == TRM_OK)
    fault = 0;
  trm_program_destroy(&program);
  trm_device_close(&device);
  trm_context_destroy(&context);
  return fault;
}

/* The fake backend refuses a binary that is not its own, byte for byte. */
static void crowd(int rounds)
{
  enum { PROCESSES = 16 };
  char path[PATH_BYTES];
  for (int round = 0; round < rounds; round++) {
    pid_t pids[PROCESSES];
    trmi_cache *cache = new_cache("crowd of builders");
    for (int i = 0; i < PROCESSES; i++) {
      pids[i] = fork();
      if (pids[i] == 0) _exit(build_in_crowd());
      assert_true(pids[i] > 0);
    }
    for (int i = 0; i < PROCESSES; i++) {
      int status = -1;
      assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
      assert_int_equal(status, 0);
    }
    assert_int_equal(find_file(cache, "", path), 1); /* one entry, and nothing temporary */
    assert_int_equal(from_cache(), 1);
    assert_int_equal(unlink(path), 0);
    trmi_cache_close(&cache);
  }
}

static void sixteen_processes_at_once_fill_an_empty_cache(void)
{
  crowd(5);
}

static void and_do_so_a_hundred_times(void)
{
  test_is_long();
  crowd(100);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(the_folder_is_made_for_its_owner_alone),
    TEST_HOST(the_environment_names_the_folder),
    TEST_HOST(a_folder_that_cannot_be_trusted_is_refused),
    TEST_HOST(a_folder_that_cannot_be_made_is_named_with_the_reason),
    TEST_HOST(no_cache_is_no_error),
    TEST_HOST(a_read_only_disk_still_serves),
    TEST_HOST(a_disk_with_no_room_keeps_nothing_and_says_so_once),
    TEST_HOST(a_folder_removed_during_use_costs_the_cache_only),
    TEST_HOST(a_full_disk_leaves_nothing_behind_and_is_told_once),
    TEST_HOST(what_a_killed_writer_left_is_removed_after_a_day),
    TEST_HOST(four_processes_at_once_do_each_other_no_harm),
    TEST_HOST(sixteen_processes_at_once_fill_an_empty_cache),
    TEST_HOST(and_do_so_a_hundred_times),
    TEST_HOST(a_damaged_entry_or_a_refused_binary_never_fails_a_program),
  };
  setenv("TRIREME_PROBE_SECONDS", "0", 1); /* its entries would lie among the programs */
  return TEST_RUN(argc, argv, cases);
}
