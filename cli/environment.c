/* environment.c - OpenMP's settings, and the plugins of a build tree. */
#include "cli/environment.h"

#include <glob.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const environment_variable environment_variables[] = {
  {"TRIREME_BACKEND_PATH",
   "folders of backends instead of the installed one: absolute, separated by colons"},
  {"TRIREME_SOLVER_PATH", "folders of solvers from outside, likewise"},
  {"TRIREME_CACHE_DIR",
   "folder of compiled kernels; else $XDG_CACHE_HOME/trireme, else ~/.cache/trireme"},
  {"TRIREME_ISA", "instruction set of the host kernels: baseline, x86-64-v3 or x86-64-v4"},
  {"TRIREME_NVRTC", "absolute path of libnvrtc, for the cuda backend"},
  {"TRIREME_CUDA_PDL", "0 or 1: recorded kernels may be started while their predecessor drains"},
  {"TRIREME_CUDA_GRAPH_NODES", "commands in one CUDA graph"},
  {"TRIREME_DEBUG_BUFFERS", "1: openmp fills new memory so that a value nobody wrote is seen"},
  {"OMP_PLACES", "as for any OpenMP program; cores where it is not set"},
  {"OMP_PROC_BIND", "as for any OpenMP program; close where it is not set"},
  {"GOMP_SPINCOUNT", "how long idle threads of libgomp spin; 10000 where it is not set"},
  {"NO_COLOR", "any value: no colours on a terminal"},
};
const size_t environment_variable_count =
    sizeof environment_variables / sizeof environment_variables[0];

/* Removes the last part of a path; 0 when there is none. */
static int parent(char *path)
{
  char *slash = strrchr(path, '/');
  if (!slash || slash == path) return 0;
  *slash = 0;
  return 1;
}

static int ends_with(const char *text, const char *end)
{
  const size_t a = strlen(text), b = strlen(end);
  return a >= b && strcmp(text + a - b, end) == 0;
}

/* The build tree that this very program file was linked in: libtool leaves it in TREE/cli/.libs (or
 * TREE/cli when it needs no wrapper), beside the config.status of TREE. */
static int find_build_tree(char *tree, size_t bytes)
{
  const ssize_t length = readlink("/proc/self/exe", tree, bytes - 1);
  if (length <= 0) return 0;
  tree[length] = 0;
  if (!parent(tree)) return 0;
  if (ends_with(tree, "/.libs") && !parent(tree)) return 0;
  if (!ends_with(tree, "/cli") || !parent(tree)) return 0;
  char mark[PATH_MAX + 32];
  snprintf(mark, sizeof mark, "%s/config.status", tree);
  return access(mark, F_OK) == 0;
}

static void use_plugins_of(const char *tree)
{
  char pattern[PATH_MAX + 32];
  snprintf(pattern, sizeof pattern, "%s/backend-*/.libs", tree);
  glob_t found;
  if (glob(pattern, 0, NULL, &found) != 0) return;
  size_t bytes = 1;
  for (size_t i = 0; i < found.gl_pathc; i++) bytes += strlen(found.gl_pathv[i]) + 1;
  char *list = calloc(bytes, 1);
  for (size_t i = 0; list && i < found.gl_pathc; i++) {
    if (i > 0) strcat(list, ":");
    strcat(list, found.gl_pathv[i]);
  }
  if (list) setenv("TRIREME_BACKEND_PATH", list, 0);
  free(list);
  globfree(&found);
}

static int cores_allowed;

int environment_cores(void) { return cores_allowed; }

void environment_prepare(void)
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) cores_allowed = CPU_COUNT(&set);
  setenv("OMP_PLACES", "cores", 0);
  setenv("OMP_PROC_BIND", "close", 0);
  /* endless spinning cost a factor of 30 on a shared machine */
  setenv("GOMP_SPINCOUNT", "10000", 0);
  char tree[PATH_MAX];
  if (!getenv("TRIREME_BACKEND_PATH") && find_build_tree(tree, sizeof tree)) use_plugins_of(tree);
}
