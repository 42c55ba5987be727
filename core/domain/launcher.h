/* launcher.h - who started this process, and the plugin that joins it to the others of the run
 * (core-internal). A launcher is known by what it leaves in the environment of each process. */
#ifndef TRIREME_DOMAIN_LAUNCHER_H
#define TRIREME_DOMAIN_LAUNCHER_H

#include "core/comm.h"

typedef struct launcher {
  const char *size, *rank;      /* its variables: of all processes, and this one's number */
  const char *mark;             /* another variable that has to be there, or NULL */
  const char *comm;             /* the plugin for its own MPI; NULL: it tells none of the others */
  const char *called;           /* "srun": for messages */
} launcher;

/* NULL: this process is not one of several, or TRIREME_COMM=none says that it shall run alone. */
const launcher *launcher_find(void);
int launcher_size(const launcher *by);
int launcher_rank(const launcher *by);

/* The plugin that TRIREME_COMM names. Else the one that was built for the launcher's own MPI, since
 * only that MPI's library can be behind it; where it is missing or cannot be loaded, the one for
 * the common interface of MPI 5, behind which is the libmpi_abi that the loader finds first. The
 * table lives as long as the process. */
trm_status launcher_find_comm(const launcher *by, const trm_comm **out);

/* Fails where TRIREME_COMM is neither none nor the name of such a plugin. */
trm_status launcher_check_wanted(void);

/* Fails: the plugin `name` saw `seen` processes by that library, and not the launcher's number. */
trm_status launcher_refuse(const launcher *by, const char *name, const char *library, int seen);

/* Some launchers must be asked to end the others, where this process never opened MPI. */
void launcher_end_all(int exit_code);

#endif
