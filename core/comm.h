/* comm.h - the contract between libtrireme and a table that carries bytes between parts of a run.
 *
 * A part is a process, or a thread of one (core/domain/threads.h). Processes are joined by a
 * plugin: one shared object, comm_NAME.so, with one exported symbol,
 *
 *     const trm_comm *trm_comm_NAME(uint32_t abi, const trm_services *services);
 *
 * which returns its table, or NULL after services->fail. It must start nothing before `open`: under
 * the launcher of another library, each process would believe to be alone. `open` reports such a
 * launcher. One such plugin is opened in a process, once.
 *
 * Calls for a part come from one thread. A call that fails has broken the link: no other call but
 * abort may follow it, and memory of messages that are not complete stays as it is. Calls that wait
 * leave the processor to other parts. They fail where another part is silent: it has left, or its
 * process has sent no heartbeat for TRIREME_COMM_SILENCE seconds (20; 0: they wait for ever). They
 * also fail where all parts wait for each other: processes after that time, threads at once.
 *
 * Messages of a pair of parts keep their order within a channel, 0 or 1. Sender and receiver name
 * the same number of bytes. A message of 0 bytes is complete at once: nothing travels.
 *
 * Collective calls are made by all parts, the same ones in the same order. */
#ifndef TRIREME_COMM_H
#define TRIREME_COMM_H

#include "core/backend.h"

enum { TRM_COMM_ABI = 3 };
enum { TRM_COMM_CHANNELS = 2 };

typedef struct trm_comm_place {
  int rank, size;               /* of all parts */
  int node_rank, node_size;     /* of those on this machine */
  char node[64];                /* its name */
  char library[128];            /* "Open MPI v4.1.4" */
} trm_comm_place;

typedef struct trm_comm {
  uint32_t abi, bytes;          /* TRM_COMM_ABI, sizeof(trm_comm): checked first */
  const char *name;             /* "openmpi": equal to the NAME of file and symbol */
  const char *summary;
  /* *part is given to all other calls. Where its library itself waits for other processes, as in
   * MPI_Init, the plugin ends the process with a line after three times TRIREME_COMM_SILENCE. */
  trm_status (*open)(trm_comm_place *out, void **part);
  trm_status (*close)(void *part); /* every part calls it, when its requests are complete, and none
                                    * after a failure */
  /* Ends all parts, after a failure of open too (part NULL); may return. */
  void (*abort)(void *part, int exit_code);

  /* Begin to send or to receive, and return at once. *request is for wait and test. The bytes stay
   * the call's until the request is complete. */
  trm_status (*send)(void *part, int to, int channel, const void *bytes, size_t count,
                     void **request);
  trm_status (*receive)(void *part, int from, int channel, void *bytes, size_t count,
                        void **request);
  /* Until it is complete, or whether it is. Both clear the handle of a complete request and accept
   * a cleared one, which is complete. */
  trm_status (*wait)(void *part, void **request);
  trm_status (*test)(void *part, void **request, int *is_complete);

  /* Collective. All parts get the bytes of part `from`. */
  trm_status (*broadcast)(void *part, int from, void *bytes, size_t count);
  /* Collective. `all` has counts[i] bytes of each part i, in the order of parts, at most 2^30 in
   * all. Each part puts its own bytes in their place before the call, which fills in the rest. So
   * every part can fold sums of chunks in the order of one device. */
  trm_status (*allgather)(void *part, void *all, const size_t *counts);
  /* Collective. Each value becomes the largest that a part has in its place. */
  trm_status (*maxima)(void *part, int64_t *values, size_t count);
} trm_comm;

typedef const trm_comm *trm_comm_entry(uint32_t abi, const trm_services *services);

#endif
