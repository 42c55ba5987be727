/* signs.c - heartbeats between ranks, which also reveal a lost message. */
#include "comm-mpi/plugin.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIGNS = 2,               /* a channel of their own */
       START = 3 };             /* times as long as a silence a start may take */

typedef struct heartbeat {
  uint32_t waits;               /* how often this rank has waited */
  int32_t for_whom;             /* a rank + 1; -1: all; 0: it does not wait */
  uint32_t patience;            /* seconds that a message of that size may need */
  uint32_t is_last;
} heartbeat;

typedef struct other {
  double heard;                 /* when */
  heartbeat says, told;         /* the newest sign from it; the sign on its way to it */
  MPI_Request heartbeat;        /* of that */
  int is_on_its_way, is_told, has_left; /* the last one: sent to it, heard from it */
} other;

/* A thread that waits for its end. */
typedef struct ending {
  pthread_t thread;
  pthread_mutex_t lock;         /* of is_over */
  pthread_cond_t end;           /* is_over has come */
  int is_over;
} ending;

static struct {
  ending ending;
  int is_running, own, size;    /* own: rank */
  double limit;                 /* seconds */
  atomic_int silent, is_stuck, code; /* silent: a rank + 1; code: of a failed call */
  other *others;
  uint64_t waits;               /* of all ranks, and since when none has got on */
  double still_since;
} heartbeats = { .ending = { .lock = PTHREAD_MUTEX_INITIALIZER } };

/* The work of the first thread, as its signs report it. */
static struct { atomic_uint waits, patience; atomic_int for_whom; } at_work;

void heartbeat_begin_wait(int peer, size_t bytes)
{
  const unsigned slowest = 1000000; /* bytes a second */
  atomic_store(&at_work.patience, (unsigned)(bytes / slowest));
  atomic_store(&at_work.for_whom, peer + 1);
}

void heartbeat_end_wait(void)
{
  atomic_store(&at_work.for_whom, 0);
  atomic_fetch_add(&at_work.waits, 1);
}

static heartbeat own_heartbeat(int is_last)
{
  return (heartbeat){ atomic_load(&at_work.waits), atomic_load(&at_work.for_whom),
                 atomic_load(&at_work.patience), (uint32_t)is_last };
}

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Those whom this rank hears: rank 0 all, the others rank 0. */
static int first_other(void) { return heartbeats.own == 0 ? 1 : 0; }
static int end_of_others(void) { return heartbeats.own == 0 ? heartbeats.size : 1; }

/* "rank 0 waits for rank 2, rank 2 for rank 1, ...": until it comes round. */
static void tell_who_waits(char *out, size_t bytes)
{
  int rank = 0, length = 0;
  *out = 0;
  for (int i = 0; i < heartbeats.size && i < 8 && length >= 0 && (size_t)length < bytes; i++) {
    const int next = (rank == 0 ? own_heartbeat(0).for_whom : heartbeats.others[rank].says.for_whom)
        - 1;
    if (next == -1) break;
    const char *sep = i ? ", " : "", *waits = i ? " for" : " waits for";
    char *end = out + length;
    const size_t room = bytes - (size_t)length;
    if (next == EVERYONE) length += snprintf(end, room, "%srank %d%s all", sep, rank, waits);
    else length += snprintf(end, room, "%srank %d%s rank %d", sep, rank, waits, next);
    if (next <= 0) break;
    rank = next;
  }
}

static trm_status fail_stuck(void)
{
  char who[256];
  pthread_mutex_lock(&mpi_lock);
  tell_who_waits(who, sizeof who);
  pthread_mutex_unlock(&mpi_lock);
  return mpi_services->fail(TRM_ERROR_DEVICE, __FILE__, __LINE__, "a message between ranks was "
                            "lost: for %.3g seconds all have waited, %s (see "
                            "TRIREME_COMM_SILENCE); try another MPI or another version of it",
                            heartbeats.limit, who);
}

trm_status heartbeat_check(void)
{
  const int silent = atomic_load(&heartbeats.silent), code = atomic_load(&heartbeats.code);
  MPI_TRY(code, "a heartbeat");
  if (!silent && atomic_load(&heartbeats.is_stuck)) return fail_stuck();
  if (!silent) return TRM_OK;
  return mpi_services->fail(TRM_ERROR_DEVICE, __FILE__, __LINE__, "rank %d has sent no heartbeat "
                            "for %.3g seconds: it was stopped, or its machine is gone (see "
                            "TRIREME_COMM_SILENCE)", silent - 1, heartbeats.limit);
}

static void fail_heartbeats(int code)
{
  if (code != MPI_SUCCESS) atomic_store(&heartbeats.code, code);
}

/* One at a time to each: who is stopped takes none. None follows the last. */
static void send_signs(int is_last)
{
  for (int rank = first_other(); rank < end_of_others(); rank++) {
    other *to = &heartbeats.others[rank];
    int is_done = 0;
    if (to->is_on_its_way) {
      fail_heartbeats(MPI_Test(&to->heartbeat, &is_done, MPI_STATUS_IGNORE));
      to->is_on_its_way = !is_done;
    }
    if (to->is_on_its_way || to->is_told) continue;
    to->told = own_heartbeat(is_last);
    fail_heartbeats(MPI_Isend(&to->told, (int)sizeof to->told, MPI_BYTE, rank, SIGNS,
                              MPI_COMM_WORLD, &to->heartbeat));
    to->is_on_its_way = 1;
    to->is_told = is_last;
  }
}

static void hear_signs(double time)
{
  for (int is_there = 1; is_there && !atomic_load(&heartbeats.code);) {
    MPI_Status status;
    heartbeat said;
    fail_heartbeats(MPI_Iprobe(MPI_ANY_SOURCE, SIGNS, MPI_COMM_WORLD, &is_there, &status));
    if (!is_there || atomic_load(&heartbeats.code)) return;
    fail_heartbeats(MPI_Recv(&said, (int)sizeof said, MPI_BYTE, status.MPI_SOURCE, SIGNS,
                        MPI_COMM_WORLD, &status));
    if (atomic_load(&heartbeats.code)) return;
    other *from = &heartbeats.others[status.MPI_SOURCE];
    from->heard = time;
    from->says = said;
    from->has_left |= said.is_last != 0;
  }
}

static void hear_all(double time)
{
  for (int rank = 0; rank < heartbeats.size; rank++) heartbeats.others[rank].heard = time;
  heartbeats.still_since = time;
}

/* Rank 1 speaks for the others when rank 0 is silent. */
static void find_silent(double time)
{
  const double limit = heartbeats.own > 1 ? 1.5 * heartbeats.limit : heartbeats.limit;
  for (int rank = first_other(); rank < end_of_others(); rank++)
    if (!heartbeats.others[rank].has_left && time - heartbeats.others[rank].heard > limit)
      atomic_store(&heartbeats.silent, rank + 1);
}

/* On rank 0. A rank without a recent heartbeat may have gone on, or is found silent. */
static void find_stuck(double time)
{
  const heartbeat own = own_heartbeat(0);
  uint64_t waits = own.waits;
  unsigned patience = own.patience;
  int do_all_wait = own.for_whom != 0;
  for (int rank = 1; rank < heartbeats.size; rank++) {
    const other *one = &heartbeats.others[rank];
    waits += one->says.waits;
    if (one->says.patience > patience) patience = one->says.patience;
    do_all_wait &= one->has_left ||
                   (one->says.for_whom != 0 && time - one->heard < heartbeats.limit / 2);
  }
  if (!do_all_wait || waits != heartbeats.waits) heartbeats.still_since = time;
  heartbeats.waits = waits;
  if (time - heartbeats.still_since > heartbeats.limit + patience)
      atomic_store(&heartbeats.is_stuck, 1);
}

/* A process that was itself stopped gives the others time to be heard again. */
static void give_signs(int is_last)
{
  static double before;
  const double time = now();
  pthread_mutex_lock(&mpi_lock);
  if (time - before > heartbeats.limit / 2) hear_all(time);
  before = time;
  send_signs(is_last);
  hear_signs(time);
  find_silent(time);
  if (heartbeats.own == 0) find_stuck(time);
  pthread_mutex_unlock(&mpi_lock);
}

/* Until so many seconds have passed, or the end has come (1), for which no run shall wait. */
static int end_comes_within(ending *of, double seconds)
{
  struct timespec until;
  int waited = 0;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)seconds;
  until.tv_nsec += (long)(1e9 * (seconds - (double)(time_t)seconds));
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&of->lock);
  while (!of->is_over && waited == 0)
    waited = pthread_cond_timedwait(&of->end, &of->lock, &until);
  const int is_over = of->is_over;
  pthread_mutex_unlock(&of->lock);
  return is_over;
}

static void *keep_giving_signs(void *unused)
{
  const double pause = heartbeats.limit < 8 ? heartbeats.limit / 8 : 1;
  do give_signs(0);
  while (!end_comes_within(&heartbeats.ending, pause));
  return unused;
}

/* Signals are the first thread's. */
static int begin_thread(ending *of, void *(*function)(void *))
{
  sigset_t every, before;
  pthread_condattr_t clock;
  int is_there = pthread_condattr_init(&clock) == 0;
  if (!is_there) return 0;
  of->is_over = 0;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  is_there = pthread_condattr_setclock(&clock, CLOCK_MONOTONIC) == 0 &&
             pthread_cond_init(&of->end, &clock) == 0 &&
             pthread_create(&of->thread, NULL, function, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_condattr_destroy(&clock);
  return is_there;
}

static void end_thread(ending *of)
{
  pthread_mutex_lock(&of->lock);
  of->is_over = 1;
  pthread_cond_signal(&of->end);
  pthread_mutex_unlock(&of->lock);
  pthread_join(of->thread, NULL);
  pthread_cond_destroy(&of->end);
}

static trm_status read_limit(double *out)
{
  const char *words = getenv("TRIREME_COMM_SILENCE");
  char *end;
  *out = 20;
  if (!words || !*words) return TRM_OK;
  *out = strtod(words, &end);
  if (end != words && !*end && !strpbrk(words, "xX") && *out >= 0 && *out < 1e9) return TRM_OK;
  return mpi_services->fail(TRM_ERROR_INPUT, __FILE__, __LINE__, "TRIREME_COMM_SILENCE = '%s' is "
                            "no number of seconds; give one, such as 20, or 0 to wait for ever",
                            words);
}

/* ---- where MPI waits by itself ----------------------------------------------- */

static struct {
  ending ending;
  int is_running;
  const char *what;             /* they have not done */
} guard = { .ending = { .lock = PTHREAD_MUTEX_INITIALIZER } };

/* MPI does not give its thread back, so this one ends the process. Time in which the process itself
 * was stopped does not count. */
static void *keep_guard(void *unused)
{
  const double limit = START * heartbeats.limit, pause = limit / 32;
  for (double left = limit; left > 0;) {
    const double begin = now();
    if (end_comes_within(&guard.ending, pause)) return unused;
    const double took = now() - begin;
    left -= took < 2 * pause ? took : 2 * pause;
  }
  dprintf(STDERR_FILENO, "trireme: after %.3g seconds the ranks have not %s: one of them was "
                         "stopped, or its machine is gone (see TRIREME_COMM_SILENCE)\n", limit,
          guard.what);
  _exit(2);
}

trm_status heartbeat_guard(const char *what)
{
  TRM_TRY(read_limit(&heartbeats.limit));
  if (!(heartbeats.limit > 0)) return TRM_OK;
  guard.what = what;
  guard.is_running = begin_thread(&guard.ending, keep_guard);
  if (guard.is_running) return TRM_OK;
  return mpi_services->fail(TRM_ERROR_NO_HOST_MEMORY, __FILE__, __LINE__, "no memory for a thread");
}

void heartbeat_leave(void)
{
  if (guard.is_running) end_thread(&guard.ending);
  guard.is_running = 0;
}

/* ---- the beginning and the end ----------------------------------------------- */

trm_status heartbeat_begin(int provided, const trm_comm_place *place)
{
  heartbeats.own = place->rank;
  heartbeats.size = place->size;
  if (provided < MPI_THREAD_SERIALIZED || place->size == 1 ||
      !(heartbeats.limit > 0)) return TRM_OK;
  heartbeats.others = calloc((size_t)place->size, sizeof *heartbeats.others);
  heartbeats.is_running = heartbeats.others && begin_thread(&heartbeats.ending, keep_giving_signs);
  if (heartbeats.is_running) return TRM_OK;
  return mpi_services->fail(TRM_ERROR_NO_HOST_MEMORY, __FILE__, __LINE__, "no memory for a thread");
}

/* The first whose last heartbeat has not come, or has not been told; -1: all have parted. */
static int who_stays(void)
{
  for (int rank = first_other(); rank < end_of_others(); rank++) {
    const other *one = &heartbeats.others[rank];
    if (one->is_on_its_way || !one->is_told || !one->has_left) return rank;
  }
  return -1;
}

/* The last heartbeats are awaited: none is under way when MPI ends. */
trm_status heartbeat_end(void)
{
  if (!heartbeats.is_running) return TRM_OK;
  end_thread(&heartbeats.ending);
  for (unsigned turns = 0; who_stays() >= 0; mpi_rest(&turns)) {
    heartbeat_begin_wait(who_stays(), 0);
    give_signs(1);
    TRM_TRY(heartbeat_check());
  }
  return TRM_OK;
}
