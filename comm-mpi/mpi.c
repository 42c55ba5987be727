/* mpi.c - the comm plugin on MPI: one source for each library that there is (core/comm.h).
 *
 * Bytes alone go through MPI: no sum of MPI, whose order is not promised. */
#include "core/comm.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const size_t most_bytes = (size_t)1 << 30; /* of a message: counts are int */
static const trm_services *services;

static trm_status check(int code, const char *what)
{
  char words[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code == MPI_SUCCESS) return TRM_OK;
  if (MPI_Error_string(code, words, &length) != MPI_SUCCESS) words[0] = 0;
  return services->fail(TRM_ERROR_DEVICE, __FILE__, __LINE__, "%s: %s", what, words);
}

#define MPI_TRY(call, what) \
  do { \
    const trm_status status_ = check(call, what); \
    if (status_ != TRM_OK) return status_; \
  } while (0)

/* ---- signs of life ---------------------------------------------------------- */

/* A process that is stopped, or whose machine is gone, ends nothing: a rank that waits for it would
 * wait for ever. So a thread of rank 0 and a thread of each other rank send each other a sign now
 * and then, while their processes compute or wait. MPI is called by one thread at a time. */
enum { SIGNS = 2, LAST_SIGN = 1 };  /* a channel of their own; a byte in the last one */

typedef struct other {
  double heard;                 /* when */
  MPI_Request sign;             /* on its way to it */
  int is_on_its_way, is_told, has_left; /* the last one: sent to it, heard from it */
} other;

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static struct {
  pthread_t thread;
  int is_running, own, size;    /* own: rank */
  double limit;                 /* seconds */
  atomic_int is_over, silent, code; /* silent: a rank + 1; code: of a call that failed */
  other *others;
} signs;

#define MPI_LOCKED(call, what) \
  do { \
    pthread_mutex_lock(&turn); \
    const int code_ = (call); \
    pthread_mutex_unlock(&turn); \
    MPI_TRY(code_, what); \
  } while (0)

/* MPI's own waiting takes a whole core, which a device may need, or another rank. */
static void rest(unsigned *turns)
{
  const struct timespec nap = { 0, 50000 };
  ++*turns;
  if (*turns > 4000) nanosleep(&nap, NULL);
  else if (*turns > 200) sched_yield();
}

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Those whom this rank hears: rank 0 all, the others rank 0. */
static int first_other(void) { return signs.own == 0 ? 1 : 0; }
static int end_of_others(void) { return signs.own == 0 ? signs.size : 1; }

static trm_status check_signs(void)
{
  const int silent = atomic_load(&signs.silent), code = atomic_load(&signs.code);
  MPI_TRY(code, "a sign of life");
  if (!silent) return TRM_OK;
  return services->fail(TRM_ERROR_DEVICE, __FILE__, __LINE__, "rank %d has given no sign of life "
                        "for %.3g seconds: it was stopped, or its machine is gone (see "
                        "TRIREME_COMM_SILENCE)", silent - 1, signs.limit);
}

static void fail_signs(int code)
{
  if (code != MPI_SUCCESS) atomic_store(&signs.code, code);
}

/* One at a time to each: who is stopped takes none. None follows the last. */
static void send_signs(int bytes)
{
  static const char last = 0;
  for (int rank = first_other(); rank < end_of_others(); rank++) {
    other *to = &signs.others[rank];
    int is_done = 0;
    if (to->is_on_its_way) {
      fail_signs(MPI_Test(&to->sign, &is_done, MPI_STATUS_IGNORE));
      to->is_on_its_way = !is_done;
    }
    if (to->is_on_its_way || to->is_told) continue;
    fail_signs(MPI_Isend(&last, bytes, MPI_BYTE, rank, SIGNS, MPI_COMM_WORLD, &to->sign));
    to->is_on_its_way = 1;
    to->is_told = bytes == LAST_SIGN;
  }
}

static void hear_signs(double time)
{
  for (int is_there = 1, bytes = 0; is_there && !atomic_load(&signs.code);) {
    MPI_Status status;
    char last;
    fail_signs(MPI_Iprobe(MPI_ANY_SOURCE, SIGNS, MPI_COMM_WORLD, &is_there, &status));
    if (!is_there || atomic_load(&signs.code)) return;
    fail_signs(MPI_Recv(&last, 1, MPI_BYTE, status.MPI_SOURCE, SIGNS, MPI_COMM_WORLD, &status));
    fail_signs(MPI_Get_count(&status, MPI_BYTE, &bytes));
    signs.others[status.MPI_SOURCE].heard = time;
    if (bytes == LAST_SIGN) signs.others[status.MPI_SOURCE].has_left = 1;
  }
}

static void hear_all(double time)
{
  for (int rank = 0; rank < signs.size; rank++) signs.others[rank].heard = time;
}

/* Rank 1 speaks for the others when rank 0 is silent. */
static void find_silent(double time)
{
  const double limit = signs.own > 1 ? 1.5 * signs.limit : signs.limit;
  for (int rank = first_other(); rank < end_of_others(); rank++)
    if (!signs.others[rank].has_left && time - signs.others[rank].heard > limit)
      atomic_store(&signs.silent, rank + 1);
}

/* A process that was itself stopped gives the others time to be heard again. */
static void give_signs(int bytes)
{
  static double before;
  const double time = now();
  pthread_mutex_lock(&turn);
  if (time - before > signs.limit / 2) hear_all(time);
  before = time;
  send_signs(bytes);
  hear_signs(time);
  find_silent(time);
  pthread_mutex_unlock(&turn);
}

static void *keep_giving_signs(void *unused)
{
  const double pause = signs.limit < 8 ? signs.limit / 8 : 1;
  const struct timespec nap = { (time_t)pause, (long)(1e9 * (pause - (double)(time_t)pause)) };
  while (!atomic_load(&signs.is_over)) {
    give_signs(0);
    nanosleep(&nap, NULL);
  }
  return unused;
}

/* Signals are the first thread's. */
static trm_status begin_signs(int provided, const trm_comm_place *place)
{
  const char *words = getenv("TRIREME_COMM_SILENCE");
  sigset_t every, before;
  signs.own = place->rank;
  signs.size = place->size;
  signs.limit = words && *words ? atof(words) : 20;
  if (provided < MPI_THREAD_SERIALIZED || place->size == 1 || !(signs.limit > 0)) return TRM_OK;
  signs.others = calloc((size_t)place->size, sizeof *signs.others);
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  signs.is_running = signs.others &&
                     pthread_create(&signs.thread, NULL, keep_giving_signs, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (signs.is_running) return TRM_OK;
  return services->fail(TRM_ERROR_NO_HOST_MEMORY, __FILE__, __LINE__, "no memory for a thread");
}

static int have_parted(void)
{
  for (int rank = first_other(); rank < end_of_others(); rank++) {
    const other *one = &signs.others[rank];
    if (one->is_on_its_way || !one->is_told || !one->has_left) return 0;
  }
  return 1;
}

/* The last signs are awaited: none is under way when MPI ends. */
static trm_status end_signs(void)
{
  if (!signs.is_running) return TRM_OK;
  atomic_store(&signs.is_over, 1);
  pthread_join(signs.thread, NULL);
  for (unsigned turns = 0; !have_parted(); rest(&turns)) {
    give_signs(LAST_SIGN);
    TRM_TRY(check_signs());
  }
  return TRM_OK;
}

/* ---- life ------------------------------------------------------------------ */

static trm_status find_node(trm_comm_place *out)
{
  MPI_Comm node;
  MPI_TRY(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
          "MPI_Comm_split_type");
  MPI_TRY(MPI_Comm_rank(node, &out->node_rank), "MPI_Comm_rank");
  MPI_TRY(MPI_Comm_size(node, &out->node_size), "MPI_Comm_size");
  MPI_TRY(MPI_Comm_free(&node), "MPI_Comm_free");
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_TRY(MPI_Get_processor_name(name, &length), "MPI_Get_processor_name");
  snprintf(out->node, sizeof out->node, "%.63s", name);
  return TRM_OK;
}

static trm_status open_comm(trm_comm_place *out)
{
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int provided = 0, length = 0;
  memset(out, 0, sizeof *out);
  MPI_TRY(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
  MPI_TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  MPI_TRY(MPI_Get_library_version(version, &length), "MPI_Get_library_version");
  version[strcspn(version, "\n,")] = 0;
  for (char *c = version; *c; c++)
    if (*c == '\t') *c = ' ';
  snprintf(out->library, sizeof out->library, "%.127s", version);
  MPI_TRY(MPI_Comm_rank(MPI_COMM_WORLD, &out->rank), "MPI_Comm_rank");
  MPI_TRY(MPI_Comm_size(MPI_COMM_WORLD, &out->size), "MPI_Comm_size");
  TRM_TRY(find_node(out));
  return begin_signs(provided, out);
}

/* Outside of MPI there is nothing to end but this process, which the caller does. */
static void abort_all(int exit_code)
{
  int has_begun = 0, has_ended = 0;
  pthread_mutex_lock(&turn);
  MPI_Initialized(&has_begun);
  MPI_Finalized(&has_ended);
  if (has_begun && !has_ended) MPI_Abort(MPI_COMM_WORLD, exit_code);
  pthread_mutex_unlock(&turn);
}

/* ---- waiting ---------------------------------------------------------------- */

/* What is on its way; `bytes` NULL: not the last part. */
typedef struct posted {
  struct posted *next;
  MPI_Request request;
  void *bytes;
} posted;

static posted *on_the_way;

/* Frees what has arrived. */
static trm_status reap(void)
{
  for (posted **at = &on_the_way; *at;) {
    posted *one = *at;
    int is_done = 0;
    MPI_LOCKED(MPI_Test(&one->request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    if (!is_done) {
      at = &one->next;
      continue;
    }
    *at = one->next;
    free(one->bytes);
    free(one);
  }
  return TRM_OK;
}

static trm_status wait_for(MPI_Request *request, const char *what)
{
  int is_done = 0;
  for (unsigned turns = 0;; rest(&turns)) {
    MPI_LOCKED(MPI_Test(request, &is_done, MPI_STATUS_IGNORE), what);
    if (is_done) return TRM_OK;
    TRM_TRY(check_signs());
  }
}

static trm_status close_comm(void)
{
  for (unsigned turns = 0; on_the_way; rest(&turns)) {
    TRM_TRY(reap());
    TRM_TRY(check_signs());
  }
  TRM_TRY(end_signs());
  MPI_TRY(MPI_Finalize(), "MPI_Finalize");
  return TRM_OK;
}

/* ---- messages ---------------------------------------------------------------- */

static int part_of(size_t count) { return (int)(count < most_bytes ? count : most_bytes); }

static trm_status send_bytes(int to, int channel, const void *bytes, size_t count)
{
  const unsigned char *at = bytes;
  for (int part; count > 0; count -= (size_t)part, at += part) {
    MPI_Request request;
    part = part_of(count);
    MPI_LOCKED(MPI_Isend(at, part, MPI_BYTE, to, channel, MPI_COMM_WORLD, &request), "MPI_Isend");
    TRM_TRY(wait_for(&request, "MPI_Isend"));
  }
  return on_the_way ? reap() : TRM_OK;
}

static trm_status receive_bytes(int from, int channel, void *bytes, size_t count)
{
  unsigned char *at = bytes;
  for (int part; count > 0; count -= (size_t)part, at += part) {
    MPI_Request request;
    part = part_of(count);
    MPI_LOCKED(MPI_Irecv(at, part, MPI_BYTE, from, channel, MPI_COMM_WORLD, &request), "MPI_Irecv");
    TRM_TRY(wait_for(&request, "MPI_Irecv"));
  }
  return on_the_way ? reap() : TRM_OK;
}

static trm_status post_bytes(int to, int channel, void *bytes, size_t count)
{
  unsigned char *at = bytes;
  for (int part; count > 0; count -= (size_t)part, at += part) {
    posted *one = calloc(1, sizeof *one);
    part = part_of(count);
    trm_status status = one ? TRM_OK
                        : services->fail(TRM_ERROR_NO_HOST_MEMORY, __FILE__, __LINE__,
                                         "no memory for a message");
    if (one) {
      pthread_mutex_lock(&turn);
      const int code = MPI_Isend(at, part, MPI_BYTE, to, channel, MPI_COMM_WORLD, &one->request);
      pthread_mutex_unlock(&turn);
      status = check(code, "MPI_Isend");
    }
    if (status != TRM_OK) {
      free(one);
      if (at == (unsigned char *)bytes) free(bytes); /* else MPI still reads it */
      return status;
    }
    one->bytes = (size_t)part == count ? bytes : NULL;
    one->next = on_the_way;
    on_the_way = one;
  }
  return reap();
}

#define STRING_OF(name) #name
#define STRING(name) STRING_OF(name)
#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)

static const trm_comm table = {
  .abi = TRM_COMM_ABI,
  .bytes = sizeof(trm_comm),
  .name = STRING(TRM_COMM_NAME),
  .summary = "processes of one run, by MPI",
  .open = open_comm,
  .close = close_comm,
  .abort = abort_all,
  .send = send_bytes,
  .receive = receive_bytes,
  .post = post_bytes,
};

trm_comm_entry JOIN(trm_comm_, TRM_COMM_NAME) __attribute__((visibility("default")));
const trm_comm *JOIN(trm_comm_, TRM_COMM_NAME)(uint32_t abi, const trm_services *given)
{
  services = given;
  if (abi == TRM_COMM_ABI && given->abi == TRM_BACKEND_ABI) return &table;
  (void)given->fail(TRM_ERROR_INVALID, __FILE__, __LINE__, "it was built for ABI %d",
                    (int)TRM_COMM_ABI);
  return NULL;
}
