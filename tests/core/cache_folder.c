/* cache_folder.c - a program cache with a folder of its own, its log, and the files in it. */
#include "tests/core/cache_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const trm_build build = {
  .name = "program", .dialect_file = "kernel.h", .dialect = "dialect", .file = "program.k",
  .text = "text", .defines = "#define TRM_GROUP 64\n", .precision = TRM_F32, .math = TRM_STRICT,
  .row_group_x = 64, .row_group_y = 2, .group = 256,
};
const char binary[27] = "what a compiler made of it";

char logged[4096];
int log_count;

void keep_log(void *user, trm_log_level level, const char *text)
{
  (void)user, (void)level;
  snprintf(logged, sizeof logged, "%s", text);
  log_count++;
}

const char *folder_path(char path[PATH_BYTES], const char *name)
{
  snprintf(path, PATH_BYTES, "%s/%s", test_folder(), name);
  return path;
}

trmi_cache *open_cache(const char *folder)
{
  setenv("TRIREME_CACHE_DIR", folder, 1);
  logged[0] = '\0';
  log_count = 0;
  return trmi_cache_open(keep_log, NULL);
}

trmi_cache *new_cache(const char *name)
{
  char path[PATH_BYTES];
  trmi_cache *cache = open_cache(folder_path(path, name));
  if (!cache) fail_msg("no cache: %s", logged);
  return cache;
}

void key_of(const trm_build *of, const char *line, trmi_cache_key *key)
{
  trmi_cache_key_make("fake", of, line, key);
}

int find_file(const trmi_cache *cache, const char *start, char path[PATH_BYTES])
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

void write_file(const char *path, const void *bytes, size_t count)
{
  FILE *file = fopen(path, "wb");
  if (!file) fail_msg("%s: %s", path, strerror(errno));
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  assert_int_equal(fclose(file), 0);
}

size_t read_file(const char *path, unsigned char *bytes, size_t most)
{
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s: %s", path, strerror(errno));
  const size_t count = fread(bytes, 1, most, file);
  fclose(file);
  return count;
}

int is_right(trmi_cache *cache, const trmi_cache_key *key)
{
  void *bytes = NULL;
  size_t count = 0;
  if (!trmi_cache_read(cache, key, &bytes, &count)) return 0;
  assert_int_equal(count, sizeof binary);
  assert_memory_equal(bytes, binary, sizeof binary);
  free(bytes);
  return 1;
}
