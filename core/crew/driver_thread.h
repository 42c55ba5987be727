/* driver_thread.h - what driver.c, which gives orders, and driver_thread.c, which carries them out,
 * have in common. */
#ifndef TRIREME_DRIVER_THREAD_H
#define TRIREME_DRIVER_THREAD_H

#include "core/crew/driver.h"
#include "core/crew/lane.h"

#include <pthread.h>
#include <stdatomic.h>

enum { ROOM = 256 };            /* orders */
/* From a device to another: as many as an exchange has parcels (what all rows wait for, and the
 * rest), since puts come before gets, and as many that are still unpacked. */
enum { LANES = 4 };

/* What a put leaves for a get. */
struct crew_parcel {
  ranks_piece *from, *to;
  size_t count;
  trm_queue queue;
  int at_once;
  crew_lane *lane;              /* NULL: as bytes */
  unsigned char *bytes;
  int is_put;                   /* without a failure */
  atomic_int is_there;
};

typedef enum order_kind {
  ORDER_COMMAND, ORDER_PUT, ORDER_GET, ORDER_FORK, ORDER_JOIN, ORDER_LEAVE, ORDER_END
} order_kind;

typedef struct order {
  order_kind kind;
  int is_shared;
  trm_queue queue;
  crew_parcel *parcel;
  trm_command command;
} order;

struct crew_driver {
  crew_drivers *all;
  trm_device *device;           /* NULL: no thread */
  pthread_t thread;
  order *orders;                /* a ring of ROOM */
  atomic_size_t given, done;
  trm_event *forked, *joined;   /* NULL until they are needed */
  crew_lane **straight, **read; /* whose rows others take, beside launches or not */
  size_t straight_count, read_count;
  int is_apart;                 /* its second queue was forked, and not yet joined */
  int may_be_read;              /* since it was settled: of the thread that gives orders */
  crew_times times;
};

typedef struct crew_way {
  crew_lane *lanes[LANES];
  size_t next;
  int reaches;                  /* the receiver, the sender's memory */
} crew_way;

/* Whether what a thread waits for has come. */
typedef int is_so_fn(const void *what, size_t number);

/* A thread that sleeps until is_so(what, number). */
typedef struct crew_sleeper {
  struct crew_sleeper *next;
  is_so_fn *is_so;
  const void *what;
  size_t number;
  int is_called;
  pthread_cond_t call;
} crew_sleeper;

struct crew_drivers {
  size_t count;
  crew_way *ways;                    /* count x count, from row to column */
  int spins; /* looks before a thread sleeps; 0 where threads are more than cores */
  int is_exact;
  pthread_mutex_t lock;         /* of sleepers, and of cause */
  _Atomic(crew_sleeper *) asleep;
  atomic_int has_failed;
  trm_error cause;
  crew_driver each[];
};

/* The thread of a crew_driver; returns at ORDER_END. */
void *drivers_drive(void *driver);

/* Until is_so(what, number): looks some times, then sleeps. A thread that changes something then
 * wakes only the sleepers that can go on. */
void drivers_wait(crew_drivers *all, is_so_fn *is_so, const void *what, size_t number);
void drivers_wake(crew_drivers *all);

#endif
