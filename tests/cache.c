/* cache.c - the program cache: what was written comes back, anything else is built anew, and
 * nothing that happens to the folder fails a run. */
#include "tests/harness.h"

#include <dirent.h>
#include <errno.h>
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

#include "core/cache.h"
#include "tests/dispatch.h"

enum { PATH_BYTES = 1024, HEAD_BYTES = 56 };

static const trm_build build = {
  .name = "program", .dialect_file = "kernel.h", .dialect = "dialect", .file = "program.k",
  .text = "text", .defines = "#define TRM_GROUP 64\n", .precision = TRM_F32, .math = TRM_STRICT,
  .row_group_x = 64, .row_group_y = 2, .group = 256,
};
static const char binary[] = "what a compiler made of it";

/* ---- folders, logs, entries ------------------------------------------------------ */

static char logged[4096];
static int log_count;

static void keep_log(void *user, trm_log_level level, const char *text)
{
  (void)user, (void)level;
  snprintf(logged, sizeof logged, "%s", text);
  log_count++;
}

/* test_folder()/name, which is not made; a buffer of the caller's. */
static const char *folder_path(char path[PATH_BYTES], const char *name)
{
  snprintf(path, PATH_BYTES, "%s/%s", test_folder(), name);
  return path;
}

static trmi_cache *open_cache(const char *folder)
{
  setenv("TRIREME_CACHE_DIR", folder, 1);
  logged[0] = '\0';
  log_count = 0;
  return trmi_cache_open(keep_log, NULL);
}

/* An own folder for each case. */
static trmi_cache *new_cache(const char *name)
{
  char path[PATH_BYTES];
  trmi_cache *cache = open_cache(folder_path(path, name));
  if (!cache) fail_msg("no cache: %s", logged);
  return cache;
}

static void key_of(const trm_build *of, const char *line, trmi_cache_key *key)
{
  trmi_cache_key_make("fake", of, line, key);
}

/* The only file of the folder whose name begins with `start`; 0: none. */
static int find_file(const trmi_cache *cache, const char *start, char path[PATH_BYTES])
{
  DIR *folder = opendir(trmi_cache_folder(cache));
  int found = 0;
  assert_non_null(folder);
  for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
    if (entry->d_name[0] == '.' || strncmp(entry->d_name, start, strlen(start)) != 0) continue;
    snprintf(path, PATH_BYTES, "%s/%s", trmi_cache_folder(cache), entry->d_name);
    found++;
  }
  closedir(folder);
  assert_in_range(found, 0, 1);
  return found;
}

static void write_file(const char *path, const void *bytes, size_t count)
{
  FILE *file = fopen(path, "wb");
  if (!file) fail_msg("%s: %s", path, strerror(errno));
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  assert_int_equal(fclose(file), 0);
}

static size_t read_file(const char *path, unsigned char *bytes, size_t most)
{
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s: %s", path, strerror(errno));
  const size_t count = fread(bytes, 1, most, file);
  fclose(file);
  return count;
}

static int is_right(trmi_cache *cache, const trmi_cache_key *key)
{
  void *bytes = NULL;
  size_t count = 0;
  if (!trmi_cache_read(cache, key, &bytes, &count)) return 0;
  assert_int_equal(count, sizeof binary);
  assert_memory_equal(bytes, binary, sizeof binary);
  free(bytes);
  return 1;
}

/* Puts these bytes in place of the entry: it must be neither read nor kept. */
static void assert_doubted(trmi_cache *cache, const trmi_cache_key *key, const void *bytes,
                           size_t count)
{
  char path[PATH_BYTES];
  trmi_cache_write(cache, key, binary, sizeof binary);
  assert_int_equal(find_file(cache, "", path), 1);
  write_file(path, bytes, count);
  assert_int_equal(is_right(cache, key), 0);
  assert_int_equal(find_file(cache, "", path), 0);
  assert_non_null(strstr(logged, "is deleted and built anew"));
}

/* ---- entries ----------------------------------------------------------------------- */

static void what_was_written_is_read_back(void)
{
  trmi_cache_key key, other;
  trmi_cache *cache = new_cache("plain");
  key_of(&build, "device", &key);
  key_of(&build, "another device", &other);
  assert_int_equal(is_right(cache, &key), 0);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_int_equal(is_right(cache, &key), 1);
  assert_int_equal(is_right(cache, &other), 0);
  trmi_cache_remove(cache, &key);
  assert_int_equal(is_right(cache, &key), 0);
  assert_int_equal(log_count, 0);
  trmi_cache_close(&cache);
  assert_null(cache);
}

static void everything_that_a_binary_depends_on_is_in_the_key(void)
{
  trmi_cache_key keys[16];
  trm_build changed[12];
  size_t count = 0;
  for (size_t i = 0; i < 12; i++) changed[i] = build;
  changed[1].name = "programs";
  changed[2].dialect = "dialect ";
  changed[3].text = "texts";
  changed[4].defines = "#define TRM_GROUP 32\n";
  changed[5].precision = TRM_F64;
  changed[6].math = TRM_FAST;
  changed[7].row_group_x = 128;
  changed[8].row_group_y = 1;
  changed[9].group = 64;
  changed[10].file = "program.kt"; /* the same letters, cut elsewhere */
  changed[10].text = "ext";
  changed[11].file = "elsewhere.k";
  for (size_t i = 0; i < 12; i++) key_of(&changed[i], "line", &keys[count++]);
  key_of(&build, "other line", &keys[count++]);
  trmi_cache_key_make("other", &build, "line", &keys[count++]);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++) assert_memory_not_equal(&keys[i], &keys[j], sizeof keys[i]);
  key_of(&build, "line", &keys[count]);
  assert_memory_equal(&keys[count], &keys[0], sizeof keys[0]);
}

static void an_entry_cut_at_any_length_is_built_anew(void)
{
  unsigned char whole[256];
  char path[PATH_BYTES];
  trmi_cache_key key;
  trmi_cache *cache = new_cache("cut");
  key_of(&build, "", &key);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_int_equal(find_file(cache, "", path), 1);
  const size_t count = read_file(path, whole, sizeof whole);
  assert_int_equal(count, HEAD_BYTES + sizeof binary);
  for (size_t length = 0; length < count; length++) assert_doubted(cache, &key, whole, length);
  whole[count] = 0;
  assert_doubted(cache, &key, whole, count + 1);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_int_equal(is_right(cache, &key), 1);
  trmi_cache_close(&cache);
}

static void one_wrong_bit_anywhere_is_noticed(void)
{
  unsigned char whole[256];
  char path[PATH_BYTES];
  trmi_cache_key key;
  trmi_cache *cache = new_cache("noise");
  key_of(&build, "", &key);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_int_equal(find_file(cache, "", path), 1);
  const size_t count = read_file(path, whole, sizeof whole);
  for (size_t i = 0; i < count; i++) {
    whole[i] ^= (unsigned char)(1 << i % 8);
    assert_doubted(cache, &key, whole, count);
    whole[i] ^= (unsigned char)(1 << i % 8);
  }
  trmi_cache_close(&cache);
}

static void an_entry_under_a_foreign_key_is_not_taken(void)
{
  char path[PATH_BYTES], foreign[PATH_BYTES];
  trmi_cache_key key, other;
  trmi_cache *cache = new_cache("foreign");
  key_of(&build, "", &key);
  key_of(&build, "another device", &other);
  trmi_cache_write(cache, &other, binary, sizeof binary);
  assert_int_equal(find_file(cache, "", foreign), 1);
  trmi_cache_remove(cache, &other);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_int_equal(find_file(cache, "", path), 1);
  assert_int_equal(rename(path, foreign), 0);
  assert_int_equal(is_right(cache, &other), 0);
  assert_int_equal(find_file(cache, "", path), 0);
  trmi_cache_close(&cache);
}

static void links_folders_and_pipes_are_no_entries(void)
{
  char path[PATH_BYTES], elsewhere[PATH_BYTES];
  unsigned char bytes[8];
  trmi_cache_key key;
  trmi_cache *cache = new_cache("odd");
  key_of(&build, "", &key);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_int_equal(find_file(cache, "", path), 1);
  folder_path(elsewhere, "kept");
  assert_int_equal(rename(path, elsewhere), 0);
  assert_int_equal(symlink(elsewhere, path), 0);
  assert_int_equal(is_right(cache, &key), 0);
  assert_int_equal(read_file(elsewhere, bytes, sizeof bytes), sizeof bytes); /* not followed */
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(is_right(cache, &key), 0);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(is_right(cache, &key), 0);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_int_equal(is_right(cache, &key), 1);
  trmi_cache_close(&cache);
}

static void an_entry_of_another_user_is_not_taken(void)
{
  char path[PATH_BYTES];
  trmi_cache_key key;
  if (geteuid() != 0) TEST_SKIP("only root can give files away");
  trmi_cache *cache = new_cache("others_entry");
  key_of(&build, "", &key);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_int_equal(find_file(cache, "", path), 1);
  assert_int_equal(chown(path, 65534, 65534), 0);
  assert_int_equal(is_right(cache, &key), 0);
  trmi_cache_close(&cache);
}

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

static void a_read_only_folder_still_serves(void)
{
  char path[PATH_BYTES];
  trmi_cache_key key, other;
  if (geteuid() == 0) TEST_SKIP("root can write everywhere");
  trmi_cache *cache = new_cache("readonly");
  key_of(&build, "", &key);
  key_of(&build, "other", &other);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_int_equal(chmod(folder_path(path, "readonly"), 0500), 0);
  trmi_cache_write(cache, &other, binary, sizeof binary);
  trmi_cache_write(cache, &other, binary, sizeof binary);
  assert_int_equal(log_count, 1);
  assert_non_null(strstr(logged, "cannot be written: Permission denied"));
  assert_int_equal(is_right(cache, &key), 1);
  assert_int_equal(chmod(path, 0700), 0);
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
  assert_non_null(strstr(logged, "this is no binary of the fake backend"));
  unsetenv("TRIREME_FAKE_LOAD");
  assert_int_equal(from_cache(), 1);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(trmi_cache_folder(cache)), 0);
  write_file(trmi_cache_folder(cache), "", 0);
  assert_int_equal(from_cache(), 0);
  assert_int_equal(from_cache(), 0);
  trmi_cache_close(&cache);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(what_was_written_is_read_back),
    TEST_HOST(everything_that_a_binary_depends_on_is_in_the_key),
    TEST_HOST(an_entry_cut_at_any_length_is_built_anew),
    TEST_HOST(one_wrong_bit_anywhere_is_noticed),
    TEST_HOST(an_entry_under_a_foreign_key_is_not_taken),
    TEST_HOST(links_folders_and_pipes_are_no_entries),
    TEST_HOST(an_entry_of_another_user_is_not_taken),
    TEST_HOST(the_folder_is_made_for_its_owner_alone),
    TEST_HOST(the_environment_names_the_folder),
    TEST_HOST(a_folder_that_cannot_be_trusted_is_refused),
    TEST_HOST(a_folder_that_cannot_be_made_is_named_with_the_reason),
    TEST_HOST(no_cache_is_no_error),
    TEST_HOST(a_read_only_folder_still_serves),
    TEST_HOST(a_full_disk_leaves_nothing_behind_and_is_told_once),
    TEST_HOST(what_a_killed_writer_left_is_removed_after_a_day),
    TEST_HOST(four_processes_at_once_do_each_other_no_harm),
    TEST_HOST(a_damaged_entry_or_a_refused_binary_never_fails_a_program),
  };
  return TEST_RUN(argc, argv, cases);
}
