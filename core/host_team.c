/* host_team.c - threads of the host that share work with the one that calls, between launches. They
 * are made for a device when they are first needed and sleep in between.
 *
 * The thread that opens a round publishes it before, and closes it when no number is left. From
 * then on no thread enters, and the opener waits only for the threads that have entered. So a
 * thread that gets no core delays nothing.
 *
 * A round of a few microseconds is done sooner by the caller alone. A team remembers what rounds of
 * a function took either way, and goes the shorter one. */
#include "core/host_work.h"
#include "core/internal.h"
#include "core/domain/ranks.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  MOST = 32,                     /* a part of a step has some tens of microseconds for each */
  FEW_SHARES = 8, SHARES = 32,   /* of a round, for a thread: twice the threads, within these, as
                                  * work may lie in few places and to ask for it takes time */
  SHORT = 40000,                 /* nanoseconds of a round that the caller may do alone */
  FUNCTIONS = 64,                /* that a team remembers */
  SPINS = 4000,                  /* looks before a thread sleeps: tens of microseconds */
  CLOSED = INT_MIN / 2           /* nobody may enter: a round is not there yet, or is over */
};

struct trmi_host_team {
  int threads, started;          /* with the caller's; those that run beside it */
  int spins;                     /* 0 where threads are more than cores */
  atomic_int inside;             /* how many work on the round, or from CLOSED on */
  atomic_uint round;
  atomic_int is_over;
  size_t count, some;            /* of the round; how many a thread takes at once */
  trm_host_work_fn *function;
  void *user;
  atomic_size_t failed;          /* the least number that failed */
  pthread_mutex_t lock;          /* for the sleepers, and for cause */
  pthread_cond_t changed;
  atomic_int sleepers;
  trm_error cause;               /* of `failed` */
  struct member { struct trmi_host_team *team; int number; pthread_t thread; } members[MOST];
  struct cost {                  /* nanoseconds that a number took: by all, by the caller alone */
    trm_host_work_fn *function;
    double by[2];                /* 0: not known */
  } costs[FUNCTIONS];
  _Alignas(64) atomic_size_t next; /* number to be done: all write it, so its line is its own */
};

/* ---- cores ------------------------------------------------------------------------ */

/* The process's cores, before an OpenMP runtime bound the thread that loaded it to one core. */
static cpu_set_t cores;
static int core_count;

__attribute__((constructor)) static void count_cores(void)
{
  core_count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

int trmi_host_cores(void) { return core_count > 0 ? core_count : 1; }

int trm_device_host_threads(const trm_device *device)
{
  const int own = device->info.threads, threads = own ? own : ranks_cores();
  return threads < MOST ? threads : MOST;
}

/* ---- waiting ------------------------------------------------------------------------ */

static int has_round(trmi_host_team *team, unsigned seen)
{
  return atomic_load(&team->round) != seen || atomic_load(&team->is_over);
}

static int is_left(trmi_host_team *team, unsigned unused)
{
  (void)unused;
  return atomic_load(&team->inside) == CLOSED;
}

/* A sleeper counts itself before it looks for the last time, whoever changes something looks for
 * sleepers after that: one of the two sees the other. */
static void wait_until(trmi_host_team *team, int (*is_so)(trmi_host_team *, unsigned),
                       unsigned seen)
{
  for (int i = 0; i < team->spins; i++) {
    if (is_so(team, seen)) return;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  pthread_mutex_lock(&team->lock);
  atomic_fetch_add(&team->sleepers, 1);
  while (!is_so(team, seen)) pthread_cond_wait(&team->changed, &team->lock);
  atomic_fetch_sub(&team->sleepers, 1);
  pthread_mutex_unlock(&team->lock);
}

static void tell_sleepers(trmi_host_team *team)
{
  if (atomic_load(&team->sleepers) == 0) return;
  pthread_mutex_lock(&team->lock);
  pthread_cond_broadcast(&team->changed);
  pthread_mutex_unlock(&team->lock);
}

/* ---- work --------------------------------------------------------------------------- */

static void record_failure(trmi_host_team *team, size_t number)
{
  pthread_mutex_lock(&team->lock);
  if (number < atomic_load(&team->failed)) {
    trmi_error_keep(&team->cause);
    atomic_store(&team->failed, number);
  }
  pthread_mutex_unlock(&team->lock);
}

static int64_t now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Numbers are given out in order, some at once: all below one that fails are done too. */
static void work(trmi_host_team *team, int thread)
{
  const size_t count = team->count, some = team->some;
  for (size_t first; (first = atomic_fetch_add(&team->next, some)) < count;)
    for (size_t i = first; i < count && i < first + some && i < atomic_load(&team->failed); i++)
      if (team->function(team->user, i, thread) != TRM_OK) record_failure(team, i);
}

static void leave(trmi_host_team *team)
{
  if (atomic_fetch_sub(&team->inside, 1) == CLOSED + 1) tell_sleepers(team);
}

static void *serve(void *user)
{
  const struct member *own = user;
  trmi_host_team *team = own->team;
  unsigned seen = 0;
  while (wait_until(team, has_round, seen), !atomic_load(&team->is_over)) {
    seen = atomic_load(&team->round);
    if (atomic_fetch_add(&team->inside, 1) >= 0) work(team, own->number);
    leave(team);
  }
  return NULL;
}

static trm_status do_round(trmi_host_team *team, size_t count, trm_host_work_fn *function,
                           void *user)
{
  const size_t threads = (size_t)team->threads, twice = 2 * threads;
  const size_t shares = twice < FEW_SHARES ? FEW_SHARES : twice < SHARES ? twice : SHARES;
  team->count = count;
  team->some = count / (shares * threads) + 1;
  team->function = function;
  team->user = user;
  atomic_store(&team->next, 0);
  atomic_store(&team->failed, SIZE_MAX);
  atomic_fetch_sub(&team->inside, CLOSED);
  atomic_fetch_add(&team->round, 1);
  tell_sleepers(team);
  work(team, 0);
  atomic_fetch_add(&team->inside, CLOSED);
  wait_until(team, is_left, 0);
  if (atomic_load(&team->failed) == SIZE_MAX) return TRM_OK;
  trmi_error_restore(&team->cause);
  return team->cause.status;
}

static trm_status do_alone(size_t count, trm_host_work_fn *function, void *user)
{
  for (size_t i = 0; i < count; i++) TRM_TRY(function(user, i, 0));
  return TRM_OK;
}

/* Of many functions the later ones take the places of others. */
static struct cost *cost_of(trmi_host_team *team, trm_host_work_fn *function)
{
  uintptr_t address;
  memcpy(&address, &function, sizeof address);
  struct cost *cost = &team->costs[address / 16 * 0x9e3779b97f4a7c15u >> 32 & (FUNCTIONS - 1)];
  if (cost->function != function) *cost = (struct cost){ .function = function };
  return cost;
}

/* An arrangement not tried for long is tried again: its time counts one per cent less after each
 * round. */
static trm_status share_out(trmi_host_team *team, size_t count, trm_host_work_fn *function,
                            void *user)
{
  struct cost *cost = cost_of(team, function);
  const double all = cost->by[0], one = cost->by[1], rounds = (double)count;
  const int is_short = (one > 0 ? one : all) * rounds < SHORT;
  const int is_alone = all > 0 && is_short && one <= all;
  const int64_t begun = now();
  const trm_status status = is_alone ? do_alone(count, function, user)
                                     : do_round(team, count, function, user);
  const double took = (double)(now() - begun) / rounds;
  cost->by[is_alone] = cost->by[is_alone] > 0 ? 0.5 * (cost->by[is_alone] + took) : took;
  cost->by[!is_alone] *= 0.99;
  return status;
}

/* ---- life --------------------------------------------------------------------------- */

/* The cores where threads may run. They do not share the caller's binding, with which they would
 * begin. If the caller is bound to one core, they do not run on it, where they would wait for the
 * caller to sleep. */
static cpu_set_t cores_beside(void)
{
  cpu_set_t own, others = cores;
  if (sched_getaffinity(0, sizeof own, &own) != 0 || CPU_COUNT(&own) != 1) return cores;
  CPU_AND(&own, &own, &cores);
  CPU_XOR(&others, &cores, &own);
  return CPU_COUNT(&others) > 0 ? others : cores;
}

static trm_status start(trmi_host_team *team)
{
  const cpu_set_t beside = cores_beside();
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (!error && core_count > 0)
    error = pthread_attr_setaffinity_np(&attributes, sizeof beside, &beside);
  for (int i = 1; i < team->threads && !error; i++) {
    team->members[i] = (struct member){ .team = team, .number = i };
    error = pthread_create(&team->members[i].thread, &attributes, serve, &team->members[i]);
    team->started += !error;
  }
  pthread_attr_destroy(&attributes);
  return error ? TRM_FAIL(NO_HOST_MEMORY, "the system refuses %d threads that work beside a "
                          "device: %s; lower --threads", team->threads, strerror(error)) : TRM_OK;
}

void trmi_host_team_destroy(trmi_host_team **out)
{
  trmi_host_team *team = *out;
  if (!team) return;
  atomic_store(&team->is_over, 1);
  tell_sleepers(team);
  for (int i = 1; i <= team->started; i++) pthread_join(team->members[i].thread, NULL);
  pthread_cond_destroy(&team->changed);
  pthread_mutex_destroy(&team->lock);
  free(team);
  *out = NULL;
}

static trm_status create(int threads, trmi_host_team **out)
{
  trmi_host_team *team = aligned_alloc(64, sizeof *team);
  if (!team) return TRM_FAIL(NO_HOST_MEMORY, "no memory for threads of the host");
  memset(team, 0, sizeof *team);
  team->threads = threads;
  team->spins = threads > trmi_host_cores() ? 0 : SPINS;
  atomic_init(&team->inside, CLOSED);
  pthread_mutex_init(&team->lock, NULL);
  pthread_cond_init(&team->changed, NULL);
  trm_status status = start(team);
  if (status == TRM_OK) *out = team;
  else trmi_host_team_destroy(&team);
  return status;
}

trm_status trm_device_host_each(trm_device *device, size_t count, trm_host_work_fn *function,
                                void *user)
{
  const int threads = count > 1 ? trm_device_host_threads(device) : 1;
  if (threads == 1) return do_alone(count, function, user);
  if (!device->host_team) TRM_TRY(create(threads, &device->host_team));
  return share_out(device->host_team, count, function, user);
}

/* ---- copies ------------------------------------------------------------------------- */

/* A part of a copy, which a thread does in some microseconds; of fewer the caller does all. */
enum { PART = 64 << 10, PARTS = 8 };

typedef struct copy { char *to; const char *from; size_t bytes; } copy;

static _Thread_local trm_device *copy_device;

void trmi_host_copy_for(trm_device *device)
{
  copy_device = device;
}

static trm_status copy_part(void *user, size_t i, int thread)
{
  const copy *c = user;
  const size_t first = i * PART, left = c->bytes - first;
  (void)thread;
  memcpy(c->to + first, c->from + first, left < PART ? left : PART);
  return TRM_OK;
}

/* Devices of parts copy at once; each item of a round is done by one thread. */
trm_status trmi_host_copy(void *to, const void *from, size_t bytes)
{
  trm_device *device = copy_device;
  copy all = { to, from, bytes };
  const int is_alone = !device || device->domain || bytes < PARTS * PART ||
                       (device->host_team && atomic_load(&device->host_team->inside) >= 0);
  if (!is_alone) return trm_device_host_each(device, (bytes + PART - 1) / PART, copy_part, &all);
  memcpy(to, from, bytes);
  return TRM_OK;
}
