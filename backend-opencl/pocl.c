/* pocl.c - PoCL's kernel cache, kept in a folder of this process alone.
 *
 * PoCL ends the process on a damaged entry of its cache and on a full disk, and two processes of
 * different versions share one folder. Our own program cache is checked; PoCL's lives and dies
 * with the process. Whoever sets POCL_CACHE_DIR keeps what he set. */
#include "opencl.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX];
static pid_t owner;

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *place)
{
  (void)status, (void)flag, (void)place;
  remove(path);
  return 0;
}

/* Runs when the process ends or the plugin is unloaded; a forked child leaves the folder alone. */
__attribute__((destructor)) static void remove_folder(void)
{
  if (folder[0] && getpid() == owner) nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Which platform will be used is not known before the first platform call, and PoCL reads the
 * variable in that call: so it is set whatever is installed. Without a folder for temporary files
 * PoCL's own choice stands. */
void ocl_pocl_cache_isolate(void)
{
  const char *temporary = secure_getenv("TMPDIR");
  if (getenv("POCL_CACHE_DIR") || folder[0]) return;
  if (!temporary || temporary[0] != '/') temporary = "/tmp";
  const int length = snprintf(folder, sizeof folder, "%s/trireme-pocl-XXXXXX", temporary);
  if (length < 0 || (size_t)length >= sizeof folder || !mkdtemp(folder) ||
      setenv("POCL_CACHE_DIR", folder, 0) != 0) {
    folder[0] = 0;
    return;
  }
  owner = getpid();
}
