/* cache.c - entries of the program cache: what was written comes back, all else is built anew. */
#include "tests/core/cache_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static void an_entry_of_another_format_is_not_taken(void)
{
  unsigned char whole[256];
  char path[PATH_BYTES];
  trmi_cache_key key;
  trmi_cache *cache = new_cache("format");
  key_of(&build, "", &key);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_int_equal(find_file(cache, "", path), 1);
  const size_t count = read_file(path, whole, sizeof whole);
  whole[8]++; /* the format's number follows the magic word */
  assert_doubted(cache, &key, whole, count);
  assert_non_null(strstr(logged, "its head is not ours"));
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

/* What a stranger keeps there is not removed, and costs the cache only. */
static void a_folder_with_something_in_it_stays_and_nothing_is_kept(void)
{
  char path[PATH_BYTES], inside[PATH_BYTES + 8];
  trmi_cache_key key;
  trmi_cache *cache = new_cache("full_folder");
  key_of(&build, "", &key);
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_int_equal(find_file(cache, "", path), 1);
  assert_int_equal(remove(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  snprintf(inside, sizeof inside, "%s/kept", path);
  write_file(inside, "x", 1);
  assert_int_equal(is_right(cache, &key), 0);
  assert_non_null(strstr(logged, "it is not a regular file"));
  trmi_cache_write(cache, &key, binary, sizeof binary);
  assert_non_null(strstr(logged, "compiled programs are not kept: "));
  assert_int_equal(find_file(cache, "new-", path), 0);
  assert_int_equal(access(inside, F_OK), 0);
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

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(what_was_written_is_read_back),
    TEST_HOST(everything_that_a_binary_depends_on_is_in_the_key),
    TEST_HOST(an_entry_cut_at_any_length_is_built_anew),
    TEST_HOST(one_wrong_bit_anywhere_is_noticed),
    TEST_HOST(an_entry_under_a_foreign_key_is_not_taken),
    TEST_HOST(an_entry_of_another_format_is_not_taken),
    TEST_HOST(links_folders_and_pipes_are_no_entries),
    TEST_HOST(a_folder_with_something_in_it_stays_and_nothing_is_kept),
    TEST_HOST(an_entry_of_another_user_is_not_taken),
  };
  return TEST_RUN(argc, argv, cases);
}
