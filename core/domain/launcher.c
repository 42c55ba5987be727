/* launcher.c - what launchers leave in the environment, and which comm plugin belongs to each. */
#include "core/domain/launcher.h"
#include "core/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plugins/registry.h"

#define COMMON "mpi_abi"

/* The first that is there decides: an mpirun inside of a job step is nearer than its srun. */
static const launcher launchers[] = {
  { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", NULL, "openmpi", "Open MPI's mpirun" },
  { "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "PMIX_RANK", "openmpi", "srun" },
  { "PMI_SIZE", "PMI_RANK", NULL, "mpich", "MPICH's mpiexec" },
  { "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", NULL, NULL, "srun" },
  { NULL, NULL, NULL, NULL, NULL },
};

static const char *value_of(const char *name)
{
  const char *value = name ? getenv(name) : NULL;
  return value ? value : "";
}

static const char *wanted_comm(void) { return value_of("TRIREME_COMM"); }

int launcher_size(const launcher *by) { return atoi(value_of(by->size)); }
int launcher_rank(const launcher *by) { return atoi(value_of(by->rank)); }

const launcher *launcher_find(void)
{
  const launcher *one = launchers;
  if (strcmp(wanted_comm(), "none") == 0) return NULL;
  while (one->size && !(launcher_size(one) > 0 && (!one->mark || value_of(one->mark)[0]))) one++;
  return one->size && launcher_size(one) > 1 ? one : NULL;
}

void launcher_end_all(int exit_code)
{
  /* MPICH's mpiexec goes on when a process ends that never opened MPI: the others wait for it. */
  const char *fd = value_of("PMI_FD");
  if (*fd) (void)!dprintf(atoi(fd), "cmd=abort exitcode=%d\n", exit_code);
}

/* ---- the plugins --------------------------------------------------------------- */

static const char *missing_entry(const trm_comm *table)
{
#define REQUIRED(X) X(open) X(close) X(abort) X(send) X(receive) \
  X(wait) X(test) X(broadcast) X(allgather) X(maxima)
#define CHECK_ENTRY(entry) if (!table->entry) return #entry;
  REQUIRED(CHECK_ENTRY)
#undef CHECK_ENTRY
  return NULL;
}

static void accept(trmi_plugin *plugin, void *address)
{
  trm_comm_entry *entry;
  memcpy(&entry, &address, sizeof entry);
  const trm_comm *table = entry(TRM_COMM_ABI, trmi_backend_services());
  if (!table) {
    TRMI_REFUSE(plugin, ABI_MISMATCH, "%s refuses this library", plugin->file);
    TRMI_CURE(plugin, "%s", TRMI_REBUILD);
    return;
  }
  if (!trmi_plugin_has_size(plugin, table, sizeof *table) ||
      !trmi_plugin_is_whole(plugin, missing_entry(table), table->name))
    return;
  plugin->table = table;
  plugin->state = TRM_BACKEND_READY;
}

static const trmi_known known[] = {
  { "openmpi",
    "install Open MPI (Debian: openmpi-bin, libopenmpi-dev), configure --with-openmpi=yes, build "
    "and install again, or name the folder of comm_openmpi.so in TRIREME_COMM_PATH" },
  { "mpich",
    "install MPICH (Debian: mpich, libmpich-dev), configure --with-mpich=yes, build and install "
    "again, or name the folder of comm_mpich.so in TRIREME_COMM_PATH" },
  { COMMON,
    "install MPICH 5 or Open MPI 6, configure --with-mpi-abi=yes, build and install again, or name "
    "the folder of comm_mpi_abi.so in TRIREME_COMM_PATH" },
  { NULL, NULL }
};

static const trmi_kind kind = { "comm", "comm_", "trm_comm_", "TRIREME_COMM_PATH", TRM_COMM_ABI,
                                known, accept, 0, NULL };

/* Where neither is ready, the error is about the one that is there, or about the first. */
static trm_status find_own_or_common(trmi_registry *registry, const char *own, const void **table)
{
  const trm_status status = trmi_registry_find(registry, own, table, NULL);
  if (status == TRM_OK) return TRM_OK;
  const trm_error cause = *trm_error_last();
  const trm_status other = trmi_registry_find(registry, COMMON, table, NULL);
  if (other == TRM_OK) return TRM_OK;
  if (!trmi_registry_has_file(registry, own) && trmi_registry_has_file(registry, COMMON))
    return other;
  return trm_error_record(status, cause.file, cause.line, "%s", cause.text);
}

static trm_status find_in(trmi_registry *registry, const launcher *by, const void **table)
{
  if (wanted_comm()[0]) return trmi_registry_find(registry, wanted_comm(), table, NULL);
  return find_own_or_common(registry, by->comm, table);
}

/* Nothing is loaded: a plugin that is there, or that could be, is known by its name. */
trm_status launcher_check_wanted(void)
{
  const char *wanted = wanted_comm();
  trmi_registry *registry = NULL;
  if (!wanted[0] || strcmp(wanted, "none") == 0) return TRM_OK;
  TRM_TRY(trmi_registry_create(&kind, TRM_PLUGIN_DIR, &registry));
  const trm_status status = trmi_registry_check_name(registry, wanted);
  trmi_registry_destroy(&registry);
  if (status == TRM_OK) return TRM_OK;
  const trm_error cause = *trm_error_last();
  return trm_error_record(status, cause.file, cause.line, "TRIREME_COMM=%s: %s; give one of them, "
                          "or none, or unset it", wanted, cause.text);
}

trm_status launcher_find_comm(const launcher *by, const trm_comm **out)
{
  trmi_registry *registry = NULL;
  const void *table;
  if (!by->comm && !wanted_comm()[0])
    return TRM_FAIL(UNSUPPORTED, "%s started %d processes of one run without PMIx or PMI, so that "
                    "each would be alone; use srun --mpi=pmix (--mpi=pmi2 for MPICH), or mpirun, "
                    "or set TRIREME_COMM=none where each is to run on its own", by->called,
                    launcher_size(by));
  TRM_TRY(trmi_registry_create(&kind, TRM_PLUGIN_DIR, &registry));
  const trm_status status = find_in(registry, by, &table);
  trmi_registry_destroy(&registry);
  if (status == TRM_OK) {
    *out = table;
    return TRM_OK;
  }
  const trm_error cause = *trm_error_last();
  return trm_error_record(status, cause.file, cause.line, "%s started %d processes of one run: "
                          "%s; or set TRIREME_COMM=none where each is to run on its own",
                          by->called, launcher_size(by), cause.text);
}

trm_status launcher_refuse(const launcher *by, const char *name, const char *library, int seen)
{
  return TRM_FAIL(INVALID, "%s started %d processes, and %s sees %d: it is another MPI's launcher; "
                  "start them by the mpirun that belongs to it%s%s", by->called, launcher_size(by),
                  library, seen,
                  strcmp(name, COMMON) == 0 ? ", or name the folder of the launcher's own "
                                              "libmpi_abi.so.1 in LD_LIBRARY_PATH" : "",
                  wanted_comm()[0] ? ", or unset TRIREME_COMM" : "");
}
