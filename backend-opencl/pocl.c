/* pocl.c - environment variables that PoCL needs before the first platform call.
 *
 * PoCL ends the process on a damaged entry of its kernel cache and on a full disk, and versions of
 * it share one folder. Our own program cache is checked; PoCL's folder lives and dies with the
 * process. A variable that the user has set stays as it is. */
#include "opencl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char prefix[] = "trireme-pocl-";

static char folder[PATH_MAX];
static pid_t owner;

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *place)
{
  (void)status, (void)flag, (void)place;
  remove(path);
  return 0;
}

static void remove_tree(const char *path)
{
  nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Runs when the process ends or the plugin is unloaded; a forked child leaves the folder alone. */
__attribute__((destructor)) static void remove_folder(void)
{
  if (folder[0] && getpid() == owner) remove_tree(folder);
}

/* ---- folders of processes that were killed -------------------------------- */

/* The process that uses a folder holds a lock on a file in it; the lock goes with the process. A
 * folder changed in the last minute may just be in the making. An older folder without the file
 * belongs to a process that was killed before it made the file. */
static void remove_if_abandoned(const char *path)
{
  enum { QUIET_S = 60 };
  char lock[PATH_MAX];
  struct stat status;
  const int length = snprintf(lock, sizeof lock, "%s/lock", path);
  if (length < 0 || (size_t)length >= sizeof lock) return;
  if (lstat(path, &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid()) return;
  const int file = open(lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0 && errno != ENOENT) return;
  if (file >= 0 && fstat(file, &status) != 0) status.st_mtime = time(NULL);
  if (time(NULL) - status.st_mtime > QUIET_S &&
      (file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0))
    remove_tree(path);
  if (file >= 0) close(file);
}

static void sweep(const char *temporary)
{
  DIR *entries = opendir(temporary);
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    char path[PATH_MAX];
    if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0) continue;
    const int length = snprintf(path, sizeof path, "%s/%s", temporary, entry->d_name);
    if (length > 0 && (size_t)length < sizeof path) remove_if_abandoned(path);
  }
  if (entries) closedir(entries);
}

/* The lock is held until the process ends, whichever way; hence the file is never closed. 0: there
 * is no room for it. */
static int lock_folder(void)
{
  char lock[PATH_MAX];
  const int length = snprintf(lock, sizeof lock, "%s/lock", folder);
  if (length < 0 || (size_t)length >= sizeof lock) return 0;
  const int file = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) (void)flock(file, LOCK_EX | LOCK_NB);
  return file >= 0;
}

/* ---- settings -------------------------------------------------------------- */

/* An empty name would end the process in PoCL's first use of it, so it counts as no name. */
static void isolate_cache(void)
{
  const char *temporary = secure_getenv("TMPDIR"), *named = getenv("POCL_CACHE_DIR");
  if ((named && *named) || folder[0]) return;
  if (!temporary || temporary[0] != '/') temporary = "/tmp";
  sweep(temporary);
  const int length = snprintf(folder, sizeof folder, "%s/%sXXXXXX", temporary, prefix);
  if (length < 0 || (size_t)length >= sizeof folder || !mkdtemp(folder)) {
    folder[0] = 0; /* PoCL's own choice stands */
    unsetenv("POCL_CACHE_DIR");
    return;
  }
  if (!lock_folder() || setenv("POCL_CACHE_DIR", folder, 1) != 0) {
    remove_tree(folder);
    folder[0] = 0;
  }
  owner = getpid();
}

/* ---- a folder that cannot be written ---------------------------------------- */

/* The folder that PoCL will use, and the variable that names it or a folder above it. */
static const char *find_folder(char *path, size_t bytes)
{
  static const char *const names[] = { "POCL_CACHE_DIR", "XDG_CACHE_HOME", "HOME" };
  static const char *const below[] = { "", "/pocl/kcache", "/.cache/pocl/kcache" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = getenv(names[i]);
    if (!value || !*value) continue;
    snprintf(path, bytes, "%s%s", value, below[i]);
    return names[i];
  }
  snprintf(path, bytes, "/tmp/pocl/kcache");
  return NULL;
}

/* 0, or why no file can be made there. */
static int try_folder(const char *path)
{
  char part[PATH_MAX];
  int cause = 0;
  for (size_t i = 1; path[i - 1] && i < sizeof part; i++) {
    if (path[i] && path[i] != '/') continue;
    memcpy(part, path, i);
    part[i] = 0;
    if (mkdir(part, 0700) != 0 && errno != EEXIST && !cause) cause = errno;
  }
  const int length = snprintf(part, sizeof part, "%s/trireme-XXXXXX", path);
  if (length < 0 || (size_t)length >= sizeof part) return ENAMETOOLONG;
  const int file = mkostemp(part, O_CLOEXEC);
  if (file < 0) return cause ? cause : errno;
  close(file);
  unlink(part);
  return 0;
}

const char *ocl_pocl_complaint(const char *platform, const char **cure)
{
  static char words[PATH_MAX + 128];
  char path[PATH_MAX];
  if (folder[0] || !ocl_pocl_is(platform)) return NULL;
  const char *variable = find_folder(path, sizeof path);
  const int cause = try_folder(path);
  if (!cause) return NULL;
  snprintf(words, sizeof words, "PoCL cannot write its kernels to the folder %s%s%s: %s", path,
           variable ? ", by the variable " : "", variable ? variable : "", strerror(cause));
  *cure = variable && strcmp(variable, "POCL_CACHE_DIR") == 0
    ? "let POCL_CACHE_DIR name a folder that can be written, or unset it"
    : "let TMPDIR or POCL_CACHE_DIR name a folder that can be written";
  return words;
}

const char *ocl_pocl_cache(const char *platform)
{
  static char path[PATH_MAX];
  if (folder[0] || !ocl_pocl_is(platform)) return NULL;
  (void)find_folder(path, sizeof path);
  return path;
}

int ocl_pocl_is(const char *platform)
{
  return strcmp(platform, "Portable Computing Language") == 0;
}

/* ---- all of it --------------------------------------------------------------- */

/* Which platform will be used is not known before the first platform call, and PoCL reads its
 * variables then: so they are set whatever is installed. */
void ocl_pocl_prepare(void)
{
  isolate_cache();
  /* A binary of PoCL holds kernels for any group size. Each process compiles a kernel for the size
   * at hand when it is first launched (LBM, warm: 0.5 s of 0.6 s). The kernels here fix their group
   * size in the text, so that compilation gains nothing: equal speed without it. */
  setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", 0);
}
