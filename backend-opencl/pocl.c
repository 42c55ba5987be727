/* pocl.c - what PoCL has to be told, by environment variables, before the first platform call.
 *
 * PoCL ends the process on a damaged entry of its kernel cache and on a full disk, and versions of
 * it share one folder. Our own program cache is checked; PoCL's folder lives and dies with the
 * process. A variable that the user has set stays as it is. */
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

static void isolate_cache(void)
{
  const char *temporary = secure_getenv("TMPDIR");
  if (getenv("POCL_CACHE_DIR") || folder[0]) return;
  if (!temporary || temporary[0] != '/') temporary = "/tmp";
  const int length = snprintf(folder, sizeof folder, "%s/trireme-pocl-XXXXXX", temporary);
  if (length < 0 || (size_t)length >= sizeof folder || !mkdtemp(folder) ||
      setenv("POCL_CACHE_DIR", folder, 0) != 0) {
    folder[0] = 0; /* PoCL's own choice stands */
    return;
  }
  owner = getpid();
}

/* Which platform will be used is not known before the first platform call, and PoCL reads its
 * variables then: so they are set whatever is installed. */
void ocl_pocl_prepare(void)
{
  isolate_cache();
  /* A binary of PoCL holds kernels for any group size; one for the size at hand is compiled when it
   * is first launched, in every process (LBM, warm: 0.5 s of 0.6 s). Our kernels fix their group
   * size in the text, so there is nothing left to gain by that: same speed without. */
  setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", 0);
}
