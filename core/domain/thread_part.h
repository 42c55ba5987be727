/* thread_part.h - the parts of a run that are threads of this process, and how they wait: shared by
 * threads.c and thread_messages.c.
 *
 * A part that waits looks some times, then sleeps on a condition of its own. Under the lock,
 * `asleep` is exact: whoever completes what a part waits for takes the part off that number. So
 * parts that all wait for each other are found without a clock. */
#ifndef TRIREME_DOMAIN_THREAD_PART_H
#define TRIREME_DOMAIN_THREAD_PART_H

#include "core/domain/threads.h"
#include "core/internal.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct threads threads;
typedef struct part part;
typedef struct message message;

struct part {
  threads *all;
  int number;
  pthread_t thread;
  int has_thread;
  message *made, *spare;        /* all its messages, and the free ones; for its thread alone */
  pthread_cond_t changed;       /* what it sleeps for */
  const atomic_int *awaits;     /* NULL: it does not sleep */
  int for_whom;                 /* the part that it waits for; -1: all */
  int spins;                    /* looks before it sleeps, at most */
  unsigned waits;               /* so far */
  int copies;                   /* of its messages, under way now */
  int has_left;
  atomic_int has_met;           /* all have come to the meeting */
  const void *shown;            /* to the others, in a meeting */
};

struct threads {
  int count, spins;
  domain_part_fn *run;
  void *user;
  pthread_mutex_t lock;         /* of all that follows, and of parts and lines */
  int asleep, left, arrived;    /* arrived: at the meeting */
  trm_error failed;             /* the first failure of a call; status TRM_OK: none */
  trm_error first;              /* that a part returned */
  message **lines;              /* [from][to][channel]: the first of each */
  part parts[];
};

/* With the lock: all calls fail from now on, with the error that was recorded last. */
void thread_fail_all(threads *all);
/* With the lock: after a part has left. */
void thread_check_stuck(threads *all);
/* With the lock: sets it, and wakes the owner if that waits for it. */
void thread_complete(part *owner, atomic_int *is_complete);
/* Without the lock. for_whom: a part, or -1 for all. */
trm_status thread_wait(part *own, const atomic_int *is_complete, int for_whom);

/* The entries of the table (core/comm.h) for messages. */
trm_status thread_send(void *own, int to, int channel, const void *bytes, size_t count,
                       void **request);
trm_status thread_receive(void *own, int from, int channel, void *bytes, size_t count,
                          void **request);
trm_status thread_wait_message(void *own, void **request);
trm_status thread_test_message(void *own, void **request, int *is_complete);
void thread_free_messages(part *own);

#endif
