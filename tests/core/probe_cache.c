/* probe_cache.c - the cached result of a plugin's probe process. A bad outcome holds for an hour,
 * in the same surroundings, unless the clock went backwards. An entry does not count if it is
 * damaged, if one of its files is gone, or if the files and variables of drivers have changed. */
#include "tests/core/cache_folder.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[PATH_BYTES], mark[PATH_BYTES + 8], cache_path[PATH_BYTES + 8];

/* A folder with a copy of the rough plugin as trireme_NAME.so, and an empty cache. */
static void begin_in(const char *place, const char *name)
{
  char from[PATH_BYTES], to[PATH_BYTES + 32];
  static unsigned char bytes[1 << 20];
  folder_path(folder, place);
  assert_int_equal(mkdir(folder, 0755), 0);
  snprintf(mark, sizeof mark, "%s/mark", folder);
  snprintf(cache_path, sizeof cache_path, "%s/cache", folder);
  snprintf(from, sizeof from, "%s/trireme_rough.so", TEST_PLUGINS);
  snprintf(to, sizeof to, "%s/trireme_%s.so", folder, name);
  const size_t count = read_file(from, bytes, sizeof bytes);
  assert_true(count > 0 && count < sizeof bytes);
  write_file(to, bytes, count);
  setenv("TRIREME_BACKEND_PATH", folder, 1);
  setenv("TRIREME_CACHE_DIR", cache_path, 1);
  setenv("TRIREME_TEST_MARK", mark, 1);
}

static void begin(const char *name)
{
  begin_in(name, name);
}

/* How often the plugin had been loaded after another process asked for it and was refused. */
static long loads_after_asking(const char *name)
{
  struct stat status;
  int code = 0;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    trm_context *context = NULL;
    trm_device *device = NULL;
    if (trm_context_create(NULL, &context) != TRM_OK) _exit(1);
    _exit(trm_device_open(context, name, NULL, &device) == TRM_OK ? 1 : 0);
  }
  assert_int_equal(waitpid(child, &code, 0), child);
  assert_int_equal(code, 0);
  return stat(mark, &status) == 0 ? (long)status.st_size : 0;
}

/* ---- the entry's text ------------------------------------------------------------------ */

typedef struct entry { trmi_cache_key key; char text[4096]; } entry;

static void load_entry(entry *out)
{
  char path[PATH_BYTES];
  unsigned char bytes[4096];
  trmi_cache *cache = open_cache(cache_path);
  assert_non_null(cache);
  assert_int_equal(find_file(cache, "", path), 1);
  trmi_cache_close(&cache);
  const size_t count = read_file(path, bytes, sizeof bytes);
  assert_true(count > HEAD_BYTES);
  snprintf(out->text, sizeof out->text, "%.*s", (int)(count - HEAD_BYTES),
           (const char *)bytes + HEAD_BYTES);
  const char *name = strrchr(path, '/') + 1;
  for (size_t i = 0; i < sizeof out->key.bytes; i++)
    assert_int_equal(sscanf(name + 2 * i, "%2" SCNx8, &out->key.bytes[i]), 1);
}

/* Sound as an entry of the cache, whatever the text. */
static void store_entry(const entry *changed)
{
  trmi_cache *cache = open_cache(cache_path);
  assert_non_null(cache);
  trmi_cache_write(cache, &changed->key, changed->text, strlen(changed->text));
  trmi_cache_close(&cache);
}

/* The line that begins with this letter becomes another one. */
static void change_line(entry *of, char letter, const char *line)
{
  char start[4] = {'\n', letter, ' ', '\0'}, rest[sizeof of->text];
  char *at = of->text[0] == letter ? of->text : strstr(of->text, start);
  assert_non_null(at);
  if (*at == '\n') at++;
  snprintf(rest, sizeof rest, "%s", at + strcspn(at, "\n"));
  snprintf(at, sizeof of->text - (size_t)(at - of->text), "%s%s", line, rest);
}

static void change_age(entry *of, long seconds)
{
  char line[64];
  snprintf(line, sizeof line, "t %lld", (long long)time(NULL) - seconds);
  change_line(of, 't', line);
}

/* ---- cases ------------------------------------------------------------------------------ */

static void a_bad_outcome_is_believed_for_an_hour(void)
{
  entry found;
  begin("wild");
  assert_int_equal(loads_after_asking("wild"), 1);
  load_entry(&found);
  assert_non_null(strstr(found.text, "was ended by signal 11"));
  change_age(&found, 59 * 60);
  store_entry(&found);
  assert_int_equal(loads_after_asking("wild"), 1);
  change_age(&found, 61 * 60);
  store_entry(&found);
  assert_int_equal(loads_after_asking("wild"), 2);
  assert_int_equal(loads_after_asking("wild"), 2); /* noted anew */
}

static void a_bad_outcome_from_the_future_is_tried_again(void)
{
  entry found;
  begin("abort");
  assert_int_equal(loads_after_asking("abort"), 1);
  load_entry(&found);
  change_age(&found, -3600);
  store_entry(&found);
  assert_int_equal(loads_after_asking("abort"), 2);
}

static void a_good_outcome_is_believed_while_its_files_are_the_same(void)
{
  entry found;
  begin("plain");
  assert_int_equal(loads_after_asking("plain"), 2); /* tried, and loaded */
  load_entry(&found);
  change_age(&found, 365 * 24 * 3600L);
  store_entry(&found);
  assert_int_equal(loads_after_asking("plain"), 3);
  change_line(&found, 'f', "f 1:2:3:4.000000005 /a/driver/that/was/here");
  store_entry(&found);
  assert_int_equal(loads_after_asking("plain"), 5);
}

static void an_entry_with_a_line_of_no_kind_is_worth_nothing(void)
{
  static const char *const lines[] = {"f absent", "w words of no part", "x y", "f"};
  entry found;
  begin("plain_again");
  long loads = loads_after_asking("plain_again");
  assert_int_equal(loads, 2);
  load_entry(&found);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    entry damaged = found;
    change_line(&damaged, 't', lines[i]);
    store_entry(&damaged);
    assert_int_equal(loads_after_asking("plain_again"), loads + 2);
    loads += 2;
  }
}

static void more_bad_parts_than_there_is_room_for_are_worth_nothing(void)
{
  entry found;
  begin("leave");
  assert_int_equal(loads_after_asking("leave"), 1);
  load_entry(&found);
  for (int i = 0; i < 8; i++) {
    const size_t used = strlen(found.text);
    snprintf(found.text + used, sizeof found.text - used, "b part %d\nw was bad\n", i);
  }
  store_entry(&found);
  assert_int_equal(loads_after_asking("leave"), 2);
}

/* ---- surroundings ---------------------------------------------------------------------- */

static void write_below(const char *name, const char *text)
{
  char path[PATH_BYTES + 64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  write_file(path, text, strlen(text));
}

static void make_below(const char *name)
{
  char path[PATH_BYTES + 64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(mkdir(path, 0755), 0);
}

/* A file that registers a driver is written over, which its folder does not tell, and the driver
 * that it names comes later. */
static void a_driver_that_is_registered_anew_voids_a_good_entry(void)
{
  char line[2 * PATH_BYTES];
  begin("registered");
  make_below("vendors");
  write_below("vendors/one.icd", "libone.so");
  snprintf(line, sizeof line, "%s/vendors", folder);
  setenv("OCL_ICD_VENDORS", line, 1);
  assert_int_equal(loads_after_asking("registered"), 2);
  assert_int_equal(loads_after_asking("registered"), 3);
  snprintf(line, sizeof line, "%s/driver.so\n", folder);
  write_below("vendors/one.icd", line);
  assert_int_equal(loads_after_asking("registered"), 5);
  assert_int_equal(loads_after_asking("registered"), 6);
  write_below("driver.so", "a driver");
  assert_int_equal(loads_after_asking("registered"), 8);
  unsetenv("OCL_ICD_VENDORS");
}

static void a_library_that_appears_on_the_path_voids_a_good_entry(void)
{
  char path[3 * PATH_BYTES];
  begin("appears");
  make_below("first");
  make_below("second");
  snprintf(path, sizeof path, "%s/first:%s/second", folder, folder);
  setenv("LD_LIBRARY_PATH", path, 1);
  assert_int_equal(loads_after_asking("appears"), 2);
  write_below("second/libcuda.so.1", "a driver");
  assert_int_equal(loads_after_asking("appears"), 4);
  write_below("first/libcuda.so.1", "a driver");
  assert_int_equal(loads_after_asking("appears"), 6);
  assert_int_equal(loads_after_asking("appears"), 7);
  unsetenv("LD_LIBRARY_PATH");
}

static void a_variable_of_the_driver_voids_a_good_entry(void)
{
  begin("varies");
  assert_int_equal(loads_after_asking("varies"), 2);
  setenv("POCL_MAX_WORK_GROUP_SIZE", "0", 1);
  assert_int_equal(loads_after_asking("varies"), 4);
  assert_int_equal(loads_after_asking("varies"), 5);
  unsetenv("POCL_MAX_WORK_GROUP_SIZE");
  assert_int_equal(loads_after_asking("varies"), 6); /* the first entry is still there */
}

static void a_bad_outcome_is_believed_in_its_own_surroundings_only(void)
{
  begin_in("elsewhere", "wild");
  setenv("TRIREME_TEST_ANYTHING", "missing", 1);
  assert_int_equal(loads_after_asking("wild"), 1);
  assert_int_equal(loads_after_asking("wild"), 1);
  unsetenv("TRIREME_TEST_ANYTHING");
  assert_int_equal(loads_after_asking("wild"), 2);
  setenv("PWD", "/another/place", 1);              /* the shell's own */
  assert_int_equal(loads_after_asking("wild"), 2);
}

static void a_variable_may_be_of_any_length(void)
{
  static const size_t lengths[] = {4090, 4200, 8190, 16384, 100000};
  static char value[100001];
  long loads = 0;
  begin("long");
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    memset(value, 'a', lengths[i]);
    memcpy(value, "/opt/", 5);
    value[lengths[i]] = '\0';
    setenv("LD_LIBRARY_PATH", value, 1);
    assert_int_equal(loads_after_asking("long"), loads += 2);
    assert_int_equal(loads_after_asking("long"), ++loads);
    value[lengths[i] - 1] = 'b';                   /* the last byte counts */
    setenv("LD_LIBRARY_PATH", value, 1);
    assert_int_equal(loads_after_asking("long"), loads += 2);
  }
  unsetenv("LD_LIBRARY_PATH");
}

/* What a driver kept may be damaged: who removes it has mended that, deep in its folder too. */
static void a_bad_outcome_goes_with_the_drivers_cache(void)
{
  char kept[PATH_BYTES + 16], below[PATH_BYTES + 24], file[PATH_BYTES + 32];
  begin_in("damaged", "abort");
  snprintf(kept, sizeof kept, "%s/kernels", folder);
  snprintf(below, sizeof below, "%s/ab", kept);
  snprintf(file, sizeof file, "%s/program", below);
  assert_int_equal(mkdir(kept, 0755), 0);
  assert_int_equal(mkdir(below, 0755), 0);
  write_file(file, (const unsigned char *)"x", 1);
  const char *before = getenv("POCL_CACHE_DIR");
  char *copy = before ? strdup(before) : NULL;
  setenv("POCL_CACHE_DIR", kept, 1);
  assert_int_equal(loads_after_asking("abort"), 1);
  assert_int_equal(loads_after_asking("abort"), 1);
  assert_int_equal(unlink(file), 0);
  assert_int_equal(loads_after_asking("abort"), 2);
  if (copy) setenv("POCL_CACHE_DIR", copy, 1);
  else unsetenv("POCL_CACHE_DIR");
  free(copy);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_bad_outcome_is_believed_for_an_hour),
    TEST_HOST(a_bad_outcome_from_the_future_is_tried_again),
    TEST_HOST(a_good_outcome_is_believed_while_its_files_are_the_same),
    TEST_HOST(an_entry_with_a_line_of_no_kind_is_worth_nothing),
    TEST_HOST(more_bad_parts_than_there_is_room_for_are_worth_nothing),
    TEST_HOST(a_driver_that_is_registered_anew_voids_a_good_entry),
    TEST_HOST(a_library_that_appears_on_the_path_voids_a_good_entry),
    TEST_HOST(a_variable_of_the_driver_voids_a_good_entry),
    TEST_HOST(a_bad_outcome_is_believed_in_its_own_surroundings_only),
    TEST_HOST(a_bad_outcome_goes_with_the_drivers_cache),
    TEST_HOST(a_variable_may_be_of_any_length),
  };
  static const char *const caches[] = { "POCL_CACHE_DIR", "CUDA_CACHE_PATH",
                                        "MESA_SHADER_CACHE_DIR", "RUSTICL_CACHE_DIR",
                                        "CL_CACHE_DIR" };
  for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
    unsetenv(caches[i]); /* other tests write there meanwhile, which voids bad outcomes */
  umask(022); /* plugins that everybody can write are refused */
  return TEST_RUN(argc, argv, cases);
}
