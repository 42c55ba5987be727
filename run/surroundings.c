/* surroundings.c - the cores of the process, and the list of variables. */
#include "run/surroundings.h"

#include <pthread.h>
#include <sched.h>

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
  {"TRIREME_NVRTC", "absolute path of libnvrtc, for the cuda backend"},
  {"TRIREME_CUDA_PDL", "0 or 1: recorded kernels may be started while their predecessor drains"},
  {"TRIREME_CUDA_GRAPH_NODES", "commands in one CUDA graph"},
  {"TRIREME_DEBUG_BUFFERS", "1: openmp fills new memory with NaN, to show values that were never "
                            "written"},
  {"TRIREME_CHECK_ROWS", "1: with several devices, name a kernel that reads or writes rows "
                         "beyond its declared rows"},
  {"OMP_PLACES", "as for any OpenMP program; trireme sets cores if you have not"},
  {"OMP_PROC_BIND", "as for any OpenMP program; trireme sets close if you have not"},
  {"GOMP_SPINCOUNT", "how long idle threads of libgomp spin; trireme sets 10000 if you have not"},
  {"NO_COLOR", "any value: no colours on a terminal"},
};
const size_t environment_variable_count =
    sizeof environment_variables / sizeof environment_variables[0];
