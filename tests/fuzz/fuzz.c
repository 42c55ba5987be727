/* fuzz.c - what the targets share: files in a private folder, and promises. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

_Noreturn void fuzz_broken(const char *condition, const char *file, int line)
{
  fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, condition);
  abort();
}

static void remove_folder(void)
{
  DIR *list = opendir(folder);
  for (const struct dirent *entry; list && (entry = readdir(list));)
    unlinkat(dirfd(list), entry->d_name, 0);
  if (list) closedir(list);
  rmdir(folder);
}

const char *fuzz_folder(void)
{
  if (folder[0]) return folder;
  /* in memory where the system has such a place: a file is written for each input */
  snprintf(folder, sizeof folder, "%s/trireme-fuzz-XXXXXX",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  FUZZ_CHECK(mkdtemp(folder));
  atexit(remove_folder);
  return folder;
}

char *fuzz_file(const char *name, const uint8_t *data, size_t size)
{
  char *path;
  FUZZ_CHECK(asprintf(&path, "%s/%s", fuzz_folder(), name) > 0);
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  FUZZ_CHECK(descriptor >= 0);
  FUZZ_CHECK(size == 0 || write(descriptor, data, size) == (ssize_t)size);
  close(descriptor);
  return path;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  FUZZ_CHECK(text);
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  return text;
}

int fuzz_accepted(trm_status status)
{
  if (status == TRM_OK) return 1;
  const trm_error *error = trm_error_last();
  FUZZ_CHECK(error && error->status == status);
  FUZZ_CHECK(error->text[0] && !strchr(error->text, '\n'));
  return 0;
}
