/* plugin.h - what the files of the comm plugin share: calls of MPI, and heartbeats
 * (signs.c). */
#ifndef TRIREME_MPI_PLUGIN_H
#define TRIREME_MPI_PLUGIN_H

#include "core/comm.h"

#include <mpi.h>
#include <pthread.h>

extern const trm_services *mpi_services;
extern pthread_mutex_t mpi_lock; /* who may call MPI: one thread's at a time */

trm_status mpi_check(int code, const char *what);
/* Between two looks: MPI's own waiting takes a core that a device or another rank may need. */
void mpi_rest(unsigned *tries);

#define MPI_TRY(call, what) \
  do { \
    const trm_status status_ = mpi_check(call, what); \
    if (status_ != TRM_OK) return status_; \
  } while (0)

#define MPI_LOCKED(call, what) \
  do { \
    pthread_mutex_lock(&mpi_lock); \
    const int code_ = (call); \
    pthread_mutex_unlock(&mpi_lock); \
    MPI_TRY(code_, what); \
  } while (0)

/* Call it around calls that wait for other ranks before signs begin and after they end. If such a
 * call takes too long, the process ends with a line, "the ranks have not WHAT". */
trm_status heartbeat_guard(const char *what);
void heartbeat_leave(void);

/* A process that is stopped, or whose machine is gone, ends nothing: a rank that waits for it would
 * wait for ever. So a thread of rank 0 and a thread of each other rank send each other a heartbeat
 * now and then, while their processes compute or wait. MPI is called by one thread at a time.
 *
 * A heartbeat tells what its rank does. Where all ranks wait, and none gets on, a message was lost:
 * no other will be sent. Rank 0 sees it. */
trm_status heartbeat_begin(int provided, const trm_comm_place *place);
trm_status heartbeat_end(void);
/* While this rank waits: fails where a rank is silent, or a message was lost. */
trm_status heartbeat_check(void);
/* Call them around each wait: the rank waited for, or EVERYONE, and the number of bytes. */
enum { EVERYONE = -2 };
void heartbeat_begin_wait(int peer, size_t bytes);
void heartbeat_end_wait(void);

#endif
