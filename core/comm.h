/* comm.h - the contract between libtrireme and a plugin that carries bytes between the processes of
 * one run.
 *
 * A plugin is one shared object, comm_NAME.so, with one exported symbol,
 *
 *     const trm_comm *trm_comm_NAME(uint32_t abi, const trm_services *services);
 *
 * which returns its table, or NULL after services->fail. It must start nothing before `open`: under
 * the launcher of another library, each process would believe to be alone. `open` reports such a
 * launcher. One such plugin is opened in a process, once. Calls come from one thread. Sender and
 * receiver name the same number of bytes. Messages of a pair of processes keep their order within a
 * channel, 0 or 1. */
#ifndef TRIREME_COMM_H
#define TRIREME_COMM_H

#include "core/backend.h"

enum { TRM_COMM_ABI = 2 };

typedef struct trm_comm_place {
  int rank, size;               /* of all processes */
  int node_rank, node_size;     /* of those on this machine */
  char node[64];                /* its name */
  char library[128];            /* "Open MPI v4.1.4" */
} trm_comm_place;

typedef struct trm_comm {
  uint32_t abi, bytes;          /* TRM_COMM_ABI, sizeof(trm_comm): checked first */
  const char *name;             /* "openmpi": equal to the NAME of file and symbol */
  const char *summary;
  /* Where its library itself waits for other processes, as in MPI_Init, the plugin ends the process
   * with a line after three times TRIREME_COMM_SILENCE. */
  trm_status (*open)(trm_comm_place *out);
  trm_status (*close)(void);    /* every process calls it, and none after a failure */
  void (*abort)(int exit_code); /* ends all processes, after a failure of open too; may return */
  /* Block; while they wait they leave the processor to others. They fail where another process has
   * sent no heartbeat for TRIREME_COMM_SILENCE seconds (20; 0: they wait for ever). They also
   * fail where all processes wait for each other for that time, because a message was lost. */
  trm_status (*send)(int to, int channel, const void *bytes, size_t count);
  trm_status (*receive)(int from, int channel, void *bytes, size_t count);
  /* Returns at once. bytes come from malloc, and are freed when they are gone, or on failure. */
  trm_status (*post)(int to, int channel, void *bytes, size_t count);
} trm_comm;

typedef const trm_comm *trm_comm_entry(uint32_t abi, const trm_services *services);

#endif
