/* surroundings.c - the cores of the process, and the list of variables. */
#include "run/surroundings.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static int cores_allowed;

static void count_cores(void)
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) cores_allowed = CPU_COUNT(&set);
}

void surroundings_record(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, count_cores);
}

int surroundings_cores(void) { return cores_allowed; }

/* ---- fewer cores ------------------------------------------------------------------------- */

static int cores_limit;

int surroundings_limited(void) { return cores_limit; }

/* The first thread of a processor's core; itself, where the system does not tell. */
static int first_thread(const char *root, int processor)
{
  char path[512], line[256];
  snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
           root, processor);
  FILE *file = fopen(path, "re");
  const int is_read = file && fgets(line, sizeof line, file) != NULL;
  if (file) fclose(file);
  return is_read && line[0] >= '0' && line[0] <= '9' ? atoi(line) : processor;
}

size_t surroundings_choose(const char *root, const int *processors, size_t count, size_t wanted,
                           int *chosen)
{
  size_t found = 0;
  for (size_t i = 0; i < count && found < wanted; i++) {
    size_t k = 0;
    while (k < found && first_thread(root, chosen[k]) != first_thread(root, processors[i])) k++;
    if (k == found) chosen[found++] = processors[i];
  }
  return found;
}

trm_status surroundings_limit(int cores)
{
  static int processors[CPU_SETSIZE], chosen[CPU_SETSIZE];
  cpu_set_t set;
  size_t count = 0;
  surroundings_record();
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return TRM_FAIL(INPUT, "--cpu-cores=%d: the system does not tell the processors of this "
                    "process", cores);
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET((size_t)i, &set)) processors[count++] = i;
  const size_t found = surroundings_choose("", processors, count, (size_t)cores, chosen);
  if (found < (size_t)cores)
    return TRM_FAIL(INPUT, "--cpu-cores=%d: this process may use %zu core%s; give at most so many",
                    cores, found, found == 1 ? "" : "s");
  CPU_ZERO(&set);
  for (size_t i = 0; i < found; i++) CPU_SET((size_t)chosen[i], &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0)
    return TRM_FAIL(INPUT, "--cpu-cores=%d: the system does not let this process choose its cores",
                    cores);
  cores_allowed = cores_limit = cores;
  return TRM_OK;
}

const environment_variable environment_variables[] = {
  {"TRIREME_BACKEND_PATH",
   "folders of backends instead of the installed one: absolute, separated by colons"},
  {"TRIREME_COMM_PATH",
   "folders of the plugins of MPI (runs over ranks): absolute, separated by colons"},
  {"TRIREME_COMM", "openmpi, mpich or mpi_abi, instead of the launcher's own; none: each "
                   "process runs alone"},
  {"TRIREME_COMM_SILENCE", "seconds without a message from a rank, after which the run ends (20; "
                           "0: never)"},
  {"TRIREME_SOLVER_PATH", "folders of solvers of your own: absolute, separated by colons"},
  {"TRIREME_CASES", "folder of the cases that are found by name, instead of the installed one"},
  {"TRIREME_CACHE_DIR",
   "folder of compiled kernels; else $XDG_CACHE_HOME/trireme, else ~/.cache/trireme"},
  {"TRIREME_PROBE_SECONDS",
   "how long a plugin or driver may be silent in its probe process (60); 0: none; its old "
   "name TRIREME_TRIAL_SECONDS is read, too"},
  {"TRIREME_ISA", "instruction set of the host kernels: baseline, x86-64-v3 or x86-64-v4"},
  {"TRIREME_CHIP_CORES", "cores of the whole chip, where this machine has a part of one: "
                         "comparisons tell its largest speed"},
  {"TRIREME_NVRTC", "absolute path of libnvrtc, for the cuda backend"},
  {"TRIREME_CUDA_PDL", "0 or 1: recorded kernels may be started while their predecessor drains"},
  {"TRIREME_OPENCL_UNIT", "BYTES:ITEMS, local memory and most items of a compute unit, for "
                          "run.residency where OpenCL does not tell them"},
  {"TRIREME_CUDA_GRAPH_NODES", "commands in one CUDA graph"},
  {"TRIREME_DEBUG_BUFFERS", "1: openmp fills new memory with NaN, to show values that were never "
                            "written; rows: a run on several devices ends where one touches rows "
                            "that it does not hold"},
  {"TRIREME_CHECK_ROWS", "1: with several devices, name a kernel that reads or writes rows "
                         "beyond its declared rows"},
  {"OMP_PLACES", "as for any OpenMP program; trireme sets cores if you have not"},
  {"OMP_PROC_BIND", "as for any OpenMP program; trireme sets close if you have not"},
  {"GOMP_SPINCOUNT", "how long idle threads of libgomp spin; trireme sets 10000 if you have not"},
  {"OMP_WAIT_POLICY", "passive: a thread that waits for another sleeps at once"},
  {"NO_COLOR", "any value: no colours on a terminal"},
};
const size_t environment_variable_count =
    sizeof environment_variables / sizeof environment_variables[0];
