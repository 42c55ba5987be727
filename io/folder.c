/* folder.c - result folders: made, tried before a run, and never shared by two runs. */
#include <config.h>

#include "io/cure.h"
#include "io/file.h"
#include "io/place.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

trm_status trm_path_join(const char *folder, const char *name, char **path)
{
  const int alone = name[0] == '/' || !*folder;
  const size_t length = strlen(folder);
  const char *between = alone || folder[length - 1] == '/' ? "" : "/";
  size_t bytes;
  TRM_TRY(trm_size_add(length + 2, strlen(name), "a path", &bytes));
  char *joined = malloc(bytes);
  if (!joined) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the path '%s'", name);
  snprintf(joined, bytes, "%s%s%s", alone ? "" : folder, between, name);
  *path = joined;
  return TRM_OK;
}

static int is_folder(const char *path)
{
  struct stat info;
  return trmi_place_stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static trm_status make_one(const char *path)
{
  if (trmi_place_make(path) == 0) return TRM_OK;
  const int error = errno;
  if (is_folder(path)) return TRM_OK;
  if (error == EEXIST)
    return TRM_FAIL(IO, "cannot make the folder '%s': a file of that name exists; name another",
                    path);
  return TRM_FAIL(IO, "cannot make the folder '%s': %s; %s", path, strerror(error),
                  trmi_cure(error));
}

trm_status trm_folder_create(const char *path)
{
  if (!*path) return TRM_FAIL(IO, "a folder has no name; give it one");
  char *copy = strdup(path);
  if (!copy) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the path '%s'", path);
  trm_status status = TRM_OK;
  for (char *slash = strchr(copy + 1, '/'); slash && status == TRM_OK;
       slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    status = make_one(copy);
    *slash = '/';
  }
  if (status == TRM_OK) status = make_one(copy);
  free(copy);
  return status;
}

/* Takes the descriptor; returns 0, or the system's number of the last error. */
static int empty(int folder)
{
  DIR *list = fdopendir(folder);
  int error = list ? 0 : errno;
  if (!list) close(folder);
  for (struct dirent *entry = list ? readdir(list) : NULL; entry; entry = readdir(list)) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    if (unlinkat(dirfd(list), name, 0) == 0 || errno == ENOENT) continue;
    const int below = openat(dirfd(list), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    error = below < 0 ? errno : empty(below);
    if (!error && unlinkat(dirfd(list), name, AT_REMOVEDIR) != 0) error = errno;
  }
  if (list) closedir(list);
  return error;
}

trm_status trm_folder_remove(const char *path)
{
  const char *rest;
  const int folder = trmi_place_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  int error = folder < 0 ? errno : empty(folder);
  if (folder < 0 && (error == ENOENT || error == ENOTDIR)) return TRM_OK;
  if (!error) {
    const int base = trmi_place_base(path, &rest);
    if (unlinkat(base >= 0 ? base : AT_FDCWD, rest, AT_REMOVEDIR) != 0) error = errno;
    if (base >= 0) close(base);
  }
  return error ? TRM_FAIL(IO, "cannot remove '%s': %s; %s", path, strerror(error),
                          trmi_cure(error)) : TRM_OK;
}

trm_status trm_folder_check(const char *path)
{
  static const char page[4096];
  struct stat info;
  if (trmi_place_stat(path, &info) != 0) {
    const int error = errno;
    return TRM_FAIL(IO, "results cannot be written to '%s': %s; %s", path, strerror(error),
                    trmi_cure(error));
  }
  if (!S_ISDIR(info.st_mode))
    return TRM_FAIL(IO, "results cannot be written to '%s': it is a file; name a folder", path);
  char *name = NULL;
  TRM_TRY(trm_path_join(path, ".trireme-writable", &name));
  trm_status status = trm_file_save(name, page, sizeof page);
  if (status == TRM_OK) status = trm_file_remove(name);
  free(name);
  return status;
}

/* As files in it are found: links of other users are not followed. */
static trm_status open_folder(const char *path, int *out)
{
  char *inside = NULL, name[NAME_MAX + 1];
  int place = -1;
  TRM_TRY(trm_path_join(path, ".trireme-kept", &inside));
  const trm_status status = trmi_place_find(inside, &place, name);
  free(inside);
  TRM_TRY(status);
  /* one that cannot be listed can be written to, but not be locked */
  const int folder = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) close(place);
  *out = folder >= 0 ? folder : place;
  return TRM_OK;
}

trm_status trm_folder_lock(const char *path, int *lock)
{
  int folder = -1;
  *lock = -1;
  if (!is_folder(path)) return TRM_OK;
  TRM_TRY(open_folder(path, &folder));
  trm_status status = TRM_OK;
  if (flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    status = TRM_FAIL(IO, "another run is writing its results to '%s'; wait for its end, or name "
                      "another folder", path);
  if (status == TRM_OK) status = trmi_place_keep(path, folder);
  if (status == TRM_OK) *lock = folder;
  else close(folder);
  return status;
}

void trm_folder_unlock(int *lock)
{
  if (*lock >= 0) {
    trmi_place_forget(*lock);
    (void)close(*lock);
  }
  *lock = -1;
}

/* The largest N of the entries NAME-N in the folder, 0 without such an entry. */
static unsigned long highest_number(const char *root, const char *name)
{
  unsigned long highest = 0;
  const size_t length = strlen(name);
  DIR *folder = opendir(root);
  if (!folder) return 0;
  for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
    if (strncmp(entry->d_name, name, length) != 0 || entry->d_name[length] != '-') continue;
    const char *digits = entry->d_name + length + 1;
    const size_t count = strlen(digits);
    if (!count || count > 9 || strspn(digits, "0123456789") != count) continue;
    const unsigned long number = strtoul(digits, NULL, 10);
    if (number > highest) highest = number;
  }
  closedir(folder);
  return highest;
}

/* Makes ROOT/NAME-NNNN, going up from the first free number. */
static trm_status make_numbered(const char *root, const char *name, char **path)
{
  for (unsigned long n = highest_number(root, name) + 1; ; n++) {
    char leaf[320];
    char *candidate = NULL;
    snprintf(leaf, sizeof leaf, "%.200s-%04lu", name, n);
    TRM_TRY(trm_path_join(root, leaf, &candidate));
    if (mkdir(candidate, 0777) == 0) {
      *path = candidate;
      return TRM_OK;
    }
    const int error = errno;
    if (error != EEXIST) {
      const trm_status status = TRM_FAIL(IO, "cannot make the folder '%s': %s; %s", candidate,
                                         strerror(error), trmi_cure(error));
      free(candidate);
      return status;
    }
    free(candidate);
  }
}

trm_status trm_results_create(const char *root, const char *name, char **path)
{
  char clean[201];
  size_t length = 0;
  for (; name[length] && length < sizeof clean - 1; length++) {
    const unsigned char c = (unsigned char)name[length];
    clean[length] = (char)((c < 128 && isalnum(c)) || c == '.' || c == '_' || c == '-' ? c : '-');
  }
  clean[length] = '\0';
  if (!length) return TRM_FAIL(INVALID, "a folder of results needs a name");
  TRM_TRY(trm_folder_create(root));
  return make_numbered(root, clean, path);
}
