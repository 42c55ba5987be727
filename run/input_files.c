/* input_files.c - see input_files.h. */
#include "run/input_files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/file.h"

static int is_regular(const char *path)
{
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

int input_files_is_folder(const char *value)
{
  struct stat about;
  return stat(value, &about) == 0 && S_ISDIR(about.st_mode);
}

static trm_status take_entry(const char *folder, const char *name, input_files_fn *each, void *user)
{
  char *path = NULL;
  TRM_TRY(trm_path_join(folder, name, &path));
  const trm_status status = is_regular(path) ? each(user, path) : TRM_OK;
  free(path);
  return status;
}

/* The files of a folder whose names begin so, in their order. */
static trm_status take_set(const char *folder, const char *begin, input_files_fn *each, void *user)
{
  struct dirent **entries = NULL;
  trm_status status = TRM_OK;
  const int count = scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name;
    if (status == TRM_OK && name[0] != '.' && strncmp(name, begin, strlen(begin)) == 0)
      status = take_entry(folder, name, each, user);
    free(entries[i]);
  }
  free(entries);
  return status;
}

trm_status input_files_each(const char *value, input_files_fn *each, void *user)
{
  if (is_regular(value)) return each(user, value);
  if (input_files_is_folder(value)) return take_set(value, "", each, user);
  const char *slash = strrchr(value, '/');
  char *folder = slash ? strndup(value, (size_t)(slash - value) + 1) : strdup(".");
  if (!folder) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the name of a folder");
  const trm_status status = take_set(folder, slash ? slash + 1 : value, each, user);
  free(folder);
  return status;
}
