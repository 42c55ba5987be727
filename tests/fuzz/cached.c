/* cached.c - a cache folder with one entry. */
#include "tests/fuzz/cached.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file.h"
#include "tests/fuzz/fuzz.h"

static char folder[PATH_MAX], name[64];

trmi_cache *fuzz_cache(void)
{
  if (!folder[0]) {
    snprintf(folder, sizeof folder, "%s/cache", fuzz_folder());
    FUZZ_CHECK(setenv("TRIREME_CACHE_DIR", folder, 1) == 0);
  }
  trmi_cache *cache = trmi_cache_open(NULL, NULL);
  FUZZ_CHECK(cache);
  return cache;
}

static void entry_path(char path[PATH_MAX])
{
  DIR *list = name[0] ? NULL : opendir(folder);
  for (const struct dirent *entry; list && (entry = readdir(list));)
    if (strstr(entry->d_name, ".program"))
      FUZZ_CHECK(snprintf(name, sizeof name, "%s", entry->d_name) < (int)sizeof name);
  if (list) closedir(list);
  FUZZ_CHECK(name[0]);
  FUZZ_CHECK(snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX);
}

int fuzz_entry_load(void **bytes, size_t *count)
{
  char path[PATH_MAX], *text = NULL;
  entry_path(path);
  if (access(path, F_OK) != 0) return 0;
  FUZZ_CHECK(trm_file_load(path, (size_t)1 << 30, &text, count) == TRM_OK);
  *bytes = text;
  return 1;
}

void fuzz_entry_store(const void *bytes, size_t count)
{
  char path[PATH_MAX];
  entry_path(path);
  const int file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  FUZZ_CHECK(file >= 0);
  FUZZ_CHECK(count == 0 || write(file, bytes, count) == (ssize_t)count);
  close(file);
}

void fuzz_entry_key(trmi_cache_key *key)
{
  char path[PATH_MAX];
  entry_path(path);
  for (size_t i = 0; i < sizeof key->bytes; i++) {
    unsigned number;
    FUZZ_CHECK(sscanf(name + 2 * i, "%2x", &number) == 1);
    key->bytes[i] = (unsigned char)number;
  }
}
