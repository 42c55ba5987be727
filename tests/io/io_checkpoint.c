/* io_checkpoint.c - a checkpoint gives back what was written, or says what is wrong with it: every
 * byte changed, every length cut, names and sizes that point elsewhere. */
#include "tests/io/kept.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file.h"

static const char *path_of(const char *name)
{
  static char paths[4][4096];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", test_folder(), name);
  return path;
}

static const char *remade(const char *name)
{
  char line[8192];
  const char *folder = path_of(name);
  snprintf(line, sizeof line, "rm -rf '%s'; mkdir -p '%s'", folder, folder);
  assert_int_equal(system(line), 0);
  return folder;
}

/* A folder with generations of some steps. */
static const char *kept(const char *name, const uint64_t *steps, size_t count, int parts)
{
  const char *folder = remade(name);
  trm_checkpoint_past past = {0};
  for (size_t i = 0; i < count; i++) TEST_OK(kept_write(folder, steps[i], parts, &past));
  trm_checkpoint_forget(&past);
  return folder;
}

static uint64_t newest(const char *folder)
{
  trm_found *found = NULL;
  TEST_OK(trm_checkpoint_find(folder, &found));
  const uint64_t step = found->manifest.step;
  kept_assert(found);
  trm_checkpoint_close(&found);
  return step;
}

static size_t count_files(const char *folder)
{
  size_t count = 0;
  DIR *list = opendir(folder);
  assert_non_null(list);
  for (struct dirent *entry = readdir(list); entry; entry = readdir(list))
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  closedir(list);
  return count;
}

/* ---- what is written ------------------------------------------------------------ */

static void what_was_written_is_read_back_from_any_parts(void)
{
  static const uint64_t steps[] = {7};
  for (int parts = 1; parts <= 4; parts *= 2)
    assert_int_equal(newest(kept("a", steps, 1, parts)), 7);
}

static void two_generations_and_their_series_are_kept(void)
{
  static const uint64_t steps[] = {3, 8, 9, 20, 31};
  const char *folder = kept("b", steps, 5, 1);
  char path[4200];
  assert_int_equal(newest(folder), 31);
  snprintf(path, sizeof path, "%s/checkpoint", folder);
  assert_int_equal(count_files(path), 3);
  snprintf(path, sizeof path, "%s/checkpoint/series", folder);
  assert_int_equal(count_files(path), 5);
}

static void segments_become_one_when_there_are_many(void)
{
  const char *folder = remade("c");
  trm_checkpoint_past past = {0};
  char path[4200];
  snprintf(path, sizeof path, "%s/checkpoint/series", folder);
  for (uint64_t step = 1; step <= 132; step++) {
    TEST_OK(kept_write(folder, step, 1, &past));
    if (step == 128) assert_int_equal(count_files(path), 128);
  }
  assert_int_equal(count_files(path), 4);
  assert_int_equal(newest(folder), 132);
  trm_checkpoint_forget(&past);
}

static void a_folder_without_any_is_told(void)
{
  trm_found *found = NULL;
  TEST_FAILS(trm_checkpoint_find(remade("d"), &found), TRM_ERROR_NOT_FOUND, "run the case again");
}

/* ---- what is not whole ------------------------------------------------------------ */

static char *load(const char *path, size_t *bytes)
{
  char *text = NULL;
  TEST_OK(trm_file_load(path, (size_t)1 << 20, &text, bytes));
  return text;
}

static void save(const char *path, const char *text, size_t bytes)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, bytes, file), bytes);
  assert_int_equal(fclose(file), 0);
}

/* Of a file that the newest generation alone has, the one before is taken, and that is said. */
static void assert_fallen_back(const char *folder, const char *path, const char *what)
{
  trm_found *found = NULL;
  if (trm_checkpoint_find(folder, &found) != TRM_OK || found->manifest.step != 8)
    fail_msg("%s of %s was not found: %s", what, path, trm_error_last()->text);
  if (!strstr(found->refused, "step-00000009")) fail_msg("%s of %s was not said", what, path);
  kept_assert(found);
  trm_checkpoint_close(&found);
}

static void spoil(const char *folder, const char *path)
{
  size_t bytes;
  char *text = load(path, &bytes);
  for (size_t i = 0; i < bytes; i++) {
    text[i] ^= (char)(1 << i % 8);
    save(path, text, bytes);
    assert_fallen_back(folder, path, "a changed byte");
    text[i] ^= (char)(1 << i % 8);
  }
  for (size_t length = 0; length < bytes; length++) {
    save(path, text, length);
    assert_fallen_back(folder, path, "a cut");
  }
  char *more = calloc(1, bytes + 1);
  assert_non_null(more);
  memcpy(more, text, bytes);
  save(path, more, bytes + 1);
  assert_fallen_back(folder, path, "a byte too many");
  assert_int_equal(unlink(path), 0);
  assert_fallen_back(folder, path, "absence");
  save(path, text, bytes);
  free(more);
  free(text);
}

static void every_changed_byte_and_every_cut_is_found(void)
{
  static const uint64_t steps[] = {3, 8, 9};
  static const char *const files[] = {
    "step-00000009/manifest.json", "step-00000009/manifest.xxh128", "step-00000009/case.conf",
    "step-00000009/cells.00000000.npy", "step-00000009/cells.00000002.npy",
    "series/00000000-00000003.npy", "series/00000003-00000009.npy"};
  const char *folder = kept("e", steps, 3, 2);
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char path[4200];
    snprintf(path, sizeof path, "%s/checkpoint/%s", folder, files[i]);
    spoil(folder, path);
  }
  assert_int_equal(newest(folder), 9);
}

static void where_none_is_whole_every_reason_is_told(void)
{
  static const uint64_t steps[] = {3, 8, 9};
  const char *folder = kept("f", steps, 3, 1);
  trm_found *found = NULL;
  char path[4200];
  snprintf(path, sizeof path, "%s/checkpoint/series/00000000-00000003.npy", folder);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(newest(folder), 8); /* no two generations share a file */
  snprintf(path, sizeof path, "%s/checkpoint/series/00000000-00000008.npy", folder);
  assert_int_equal(unlink(path), 0);
  TEST_FAILS(trm_checkpoint_find(folder, &found), TRM_ERROR_INPUT,
             "00000000-00000003.npy': No such");
  assert_non_null(strstr(trm_error_last()->text, "; "));
}

static void a_run_that_fell_back_goes_on_from_there(void)
{
  static const uint64_t steps[] = {3, 8, 9};
  const char *folder = kept("g", steps, 3, 1);
  char path[4200];
  trm_found *found = NULL;
  snprintf(path, sizeof path, "%s/checkpoint/step-00000009/manifest.json", folder);
  assert_int_equal(unlink(path), 0);
  TEST_OK(trm_checkpoint_find(folder, &found));
  trm_checkpoint_past past = {0};
  trm_checkpoint_follow(&past, found->manifest.json);
  trm_checkpoint_close(&found);
  TEST_OK(kept_write(folder, 9, 1, &past)); /* over the one that was not whole */
  assert_int_equal(newest(folder), 9);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(newest(folder), 8);
  trm_checkpoint_forget(&past);
}

/* ---- what points elsewhere ----------------------------------------------------------- */

static const char good[] =
  "{\"kind\": \"checkpoint\", \"schema\": 2, \"step\": 2, \"time\": \"0x1p+1\", \"arrays\": "
  "[{\"name\": \"u\", \"type\": \"f32\", \"shape\": [1, 4, 8], \"parts\": [{\"file\": "
  "\"u.00000000.npy\", \"first\": 0, \"count\": 4, \"bytes\": 256, \"xxh128\": "
  "\"00112233445566778899aabbccddeeff\"}]}], \"series\": {\"count\": 0, \"segments\": []}, "
  "\"files\": []}";

/* The manifest with one word in place of another. */
static trm_status read_with(const char *from, const char *to)
{
  char text[2 * sizeof good + 256];
  trm_manifest manifest;
  const char *at = strstr(good, from);
  assert_non_null(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
  const trm_status status = trm_manifest_read(text, strlen(text), &manifest);
  if (status == TRM_OK) trm_manifest_clear(&manifest);
  return status;
}

static void a_manifest_that_points_elsewhere_is_refused(void)
{
  static const char *const bad[][2] = {
    {"u.00000000.npy", "../u.npy"}, {"u.00000000.npy", "/etc/passwd"}, {"u.00000000.npy", ""},
    {"u.00000000.npy", ".hidden"}, {"u.00000000.npy", "a\\u0000b"}, {"u.00000000.npy", "a b"},
    {"\"u\"", "\"../u\""}, {"\"bytes\": 256", "\"bytes\": 257"},
    {"\"bytes\": 256", "\"bytes\": 128"},
    {"\"bytes\": 256", "\"bytes\": 1024"}, {"\"bytes\": 256", "\"bytes\": -1"},
    {"\"bytes\": 256", "\"bytes\": 1e300"}, {"\"first\": 0", "\"first\": 1"},
    {"\"count\": 4", "\"count\": 5"}, {"\"count\": 4", "\"count\": 0"},
    {"[1, 4, 8]", "[1, 4, 9007199254740993]"}, {"[1, 4, 8]", "[1, 5, 8]"}, {"[1, 4, 8]", "[1, 4]"},
    {"[1, 4, 8]", "[0, 4, 8]"}, {"[1, 4, 8]", "[4611686018427387904, 4, 8]"}, {"f32", "f16"},
    {"\"schema\": 2", "\"schema\": 3"}, {"\"schema\": 2", "\"schema\": 0"},
    {"\"step\": 2", "\"step\": -2"},
    {"\"step\": 2", "\"step\": 2, \"step\": 3"}, {"0x1p+1", "nan"}, {"0x1p+1", "2x"},
    {"00112233445566778899aabbccddeeff", "0011"}, {"{\"count\": 0", "{\"count\": 1"},
    {"checkpoint", "run"}, {"\"files\": []", "\"files\": 1"},
  };
  TEST_OK(read_with("\"u\"", "\"u\""));
  TEST_OK(read_with("\"schema\": 2", "\"schema\": 1"));
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    const trm_status status = read_with(bad[i][0], bad[i][1]);
    if (status != TRM_ERROR_INPUT && status != TRM_ERROR_OVERFLOW)
      fail_msg("%s in place of %s was accepted", bad[i][1], bad[i][0]);
  }
}

static void links_are_not_followed(void)
{
  static const uint64_t steps[] = {3, 8, 9};
  const char *folder = kept("h", steps, 3, 1);
  char part[4200], aside[4200];
  snprintf(part, sizeof part, "%s/checkpoint/step-00000009/cells.00000000.npy", folder);
  snprintf(aside, sizeof aside, "%s/aside.npy", folder);
  assert_int_equal(rename(part, aside), 0);
  assert_int_equal(symlink(aside, part), 0);
  assert_int_equal(newest(folder), 8);
  snprintf(part, sizeof part, "%s/checkpoint/step-00000008", folder);
  assert_int_equal(rename(part, aside), -1); /* a folder does not replace a file */
  snprintf(aside, sizeof aside, "%s/elsewhere", folder);
  assert_int_equal(rename(part, aside), 0);
  assert_int_equal(symlink(aside, part), 0);
  trm_found *found = NULL;
  TEST_FAILS(trm_checkpoint_find(folder, &found), TRM_ERROR_INPUT, "no checkpoint");
}

/* What cannot be read is not said to be missing: the case would be run again for it. */
static void a_folder_that_cannot_be_read_is_not_called_empty(void)
{
  static const uint64_t steps[] = {3};
  const char *folder = kept("unread", steps, 1, 1);
  trm_found *found = NULL;
  struct rlimit before, none;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  for (int more = 0; more < 2; more++) {
    const int next = open("/dev/null", O_RDONLY);
    none = (struct rlimit){(rlim_t)(next + more), before.rlim_max};
    close(next);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const trm_status status = trm_checkpoint_find(folder, &found);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(status, TRM_ERROR_IO);
    assert_non_null(strstr(trm_error_last()->text, "Too many open files"));
  }
}

static void of_very_many_generations_the_latest_are_tried(void)
{
  static const uint64_t steps[] = {300};
  const char *folder = kept("many", steps, 1, 1);
  char path[4200];
  for (int i = 0; i < 290; i++) {
    snprintf(path, sizeof path, "%s/checkpoint/step-%08d", folder, i);
    assert_int_equal(mkdir(path, 0755), 0);
  }
  assert_int_equal(newest(folder), 300);
}

/* Root gives the link away; whoever is not root cannot, and has no such links. */
static void a_link_of_another_user_leads_to_no_checkpoint(void)
{
  char planted[4200];
  const char *folder = remade("precious");
  trm_checkpoint *cp = NULL;
  if (geteuid() != 0) TEST_SKIP("only root can make links of another user");
  snprintf(planted, sizeof planted, "%s", path_of("planted"));
  (void)unlink(planted);
  assert_int_equal(symlink(folder, planted), 0);
  TEST_OK(trm_checkpoint_begin(planted, 3, 0.5, &cp));   /* root's own */
  trm_checkpoint_drop(&cp);
  assert_int_equal(lchown(planted, 1001, 1001), 0);
  TEST_FAILS(trm_checkpoint_begin(planted, 3, 0.5, &cp), TRM_ERROR_IO,
             "symbolic link of another user");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(what_was_written_is_read_back_from_any_parts),
    TEST_HOST(two_generations_and_their_series_are_kept),
    TEST_HOST(segments_become_one_when_there_are_many),
    TEST_HOST(a_folder_without_any_is_told),
    TEST_HOST(every_changed_byte_and_every_cut_is_found),
    TEST_HOST(where_none_is_whole_every_reason_is_told),
    TEST_HOST(a_run_that_fell_back_goes_on_from_there),
    TEST_HOST(a_manifest_that_points_elsewhere_is_refused),
    TEST_HOST(links_are_not_followed),
    TEST_HOST(a_folder_that_cannot_be_read_is_not_called_empty),
    TEST_HOST(of_very_many_generations_the_latest_are_tried),
    TEST_HOST(a_link_of_another_user_leads_to_no_checkpoint),
  };
  return TEST_RUN(argc, argv, cases);
}
