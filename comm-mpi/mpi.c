/* mpi.c - the comm plugin on MPI: one source for each library that there is, and for the common
 * interface of MPI 5 (core/comm.h).
 *
 * Bytes alone go through MPI: no sum of MPI, whose order is not promised. */
#include "comm-mpi/plugin.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const size_t most_bytes = (size_t)1 << 30; /* of a message: counts are int */
const trm_services *mpi_services;
pthread_mutex_t mpi_lock = PTHREAD_MUTEX_INITIALIZER;

trm_status mpi_check(int code, const char *what)
{
  char words[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code == MPI_SUCCESS) return TRM_OK;
  if (MPI_Error_string(code, words, &length) != MPI_SUCCESS) words[0] = 0;
  return mpi_services->fail(TRM_ERROR_DEVICE, __FILE__, __LINE__, "%s: %s", what, words);
}

/* Looks before a thread yields its core, and before it sleeps between two. */
enum { SPINS = 200, YIELDS = 4000 };
static unsigned awake = YIELDS;

/* Where ranks leave no core free, a yield lasts until another process has used up its time. Two
 * ranks on two busy cores took ten times as long as with sleep. */
static void spare_cores(int ranks)
{
  if (ranks >= (int)sysconf(_SC_NPROCESSORS_ONLN)) awake = SPINS;
}

void mpi_rest(unsigned *tries)
{
  const struct timespec nap = { 0, 50000 };
  ++*tries;
  if (*tries > awake) nanosleep(&nap, NULL);
  else if (*tries > SPINS) sched_yield();
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
  spare_cores(out->node_size);
  return TRM_OK;
}

static trm_status name_library(trm_comm_place *out)
{
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_TRY(MPI_Get_library_version(version, &length), "MPI_Get_library_version");
  version[strcspn(version, "\n,")] = 0;
  size_t end = 0;
  for (const char *c = version; *c && end + 1 < sizeof out->library; c++) {
    const char letter = *c == '\t' ? ' ' : *c;
    if (letter != ' ' || (end > 0 && out->library[end - 1] != ' ')) out->library[end++] = letter;
  }
  out->library[end] = 0;
  return TRM_OK;
}

/* Whether MPI's library, or one that it needs, has the client of PMIx. */
static int has_pmix(void)
{
  Dl_info own;
  if (!dladdr(&mpi_lock, &own)) return 1;
  void *plugin = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  const int is_there = !plugin || dlsym(plugin, "PMIx_Init");
  if (plugin) dlclose(plugin);
  return is_there;
}

/* From version 5 on, MPICH that was built without PMIx ends the process in MPI_Init, where a
 * launcher offers nothing else, as Open MPI's does. It would be alone there. */
static int would_be_alone(const trm_comm_place *place)
{
  return strncmp(place->library, "MPICH", 5) == 0 && getenv("PMIX_NAMESPACE") &&
         !getenv("PMI_FD") && !getenv("PMI_PORT") && !has_pmix();
}

static trm_status begin_mpi(trm_comm_place *out, int *provided)
{
  MPI_TRY(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, provided), "MPI_Init_thread");
  MPI_TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  MPI_TRY(MPI_Comm_rank(MPI_COMM_WORLD, &out->rank), "MPI_Comm_rank");
  MPI_TRY(MPI_Comm_size(MPI_COMM_WORLD, &out->size), "MPI_Comm_size");
  return find_node(out);
}

static trm_status open_comm(trm_comm_place *out)
{
  int provided = 0;
  memset(out, 0, sizeof *out);
  MPI_TRY(MPI_Initialized(&provided), "MPI_Initialized");
  if (provided)
    return mpi_services->fail(TRM_ERROR_INVALID, __FILE__, __LINE__, "this process has started MPI "
                              "for a purpose of its own, and ranks need it from its start to its "
                              "end; set TRIREME_COMM=none, and each process runs on its own");
  TRM_TRY(name_library(out));
  if (would_be_alone(out)) {
    out->size = out->node_size = 1;
    return TRM_OK;
  }
  TRM_TRY(heartbeat_guard("all begun"));
  const trm_status status = begin_mpi(out, &provided);
  heartbeat_leave();
  TRM_TRY(status);
  return heartbeat_begin(provided, out);
}

/* Outside of MPI there is nothing to end but this process, which the caller does. */
static void abort_all(int exit_code)
{
  int has_begun = 0, has_ended = 0;
  pthread_mutex_lock(&mpi_lock);
  MPI_Initialized(&has_begun);
  MPI_Finalized(&has_ended);
  if (has_begun && !has_ended) MPI_Abort(MPI_COMM_WORLD, exit_code);
  pthread_mutex_unlock(&mpi_lock);
}

/* ---- waiting ---------------------------------------------------------------- */

/* A message on its way; `bytes` NULL: not the last part. */
typedef struct posted {
  struct posted *next;
  int to, part;                 /* part: bytes */
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

static trm_status wait_for(MPI_Request *request, int peer, int bytes, const char *what,
                           MPI_Status *out)
{
  int is_done = 0;
  heartbeat_begin_wait(peer, (size_t)bytes);
  for (unsigned tries = 0;; mpi_rest(&tries)) {
    MPI_LOCKED(MPI_Test(request, &is_done, out), what);
    if (is_done) break;
    TRM_TRY(heartbeat_check());
  }
  heartbeat_end_wait();
  return TRM_OK;
}

static trm_status close_comm(void)
{
  int has_begun = 0;
  MPI_TRY(MPI_Initialized(&has_begun), "MPI_Initialized");
  if (!has_begun) return TRM_OK;
  for (unsigned tries = 0; on_the_way; mpi_rest(&tries)) {
    heartbeat_begin_wait(on_the_way->to, (size_t)on_the_way->part);
    TRM_TRY(reap());
    TRM_TRY(heartbeat_check());
  }
  TRM_TRY(heartbeat_end());
  TRM_TRY(heartbeat_guard("all ended"));
  const int code = MPI_Finalize();
  heartbeat_leave();
  return mpi_check(code, "MPI_Finalize");
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
    TRM_TRY(wait_for(&request, to, part, "MPI_Isend", MPI_STATUS_IGNORE));
  }
  return on_the_way ? reap() : TRM_OK;
}

/* MPI takes a shorter message than was asked for without a word. */
static trm_status check_size(MPI_Status *status, int due)
{
  int came = 0;
  MPI_LOCKED(MPI_Get_count(status, MPI_BYTE, &came), "MPI_Get_count");
  if (came == due) return TRM_OK;
  return mpi_services->fail(TRM_ERROR_DEVICE, __FILE__, __LINE__, "a message of %d bytes came, "
                            "where one of %d was due: one was lost, repeated or overtaken; try "
                            "another MPI or another version of it", came, due);
}

static trm_status receive_bytes(int from, int channel, void *bytes, size_t count)
{
  unsigned char *at = bytes;
  for (int part; count > 0; count -= (size_t)part, at += part) {
    MPI_Request request;
    MPI_Status status;
    part = part_of(count);
    MPI_LOCKED(MPI_Irecv(at, part, MPI_BYTE, from, channel, MPI_COMM_WORLD, &request), "MPI_Irecv");
    TRM_TRY(wait_for(&request, from, part, "MPI_Irecv", &status));
    TRM_TRY(check_size(&status, part));
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
                        : mpi_services->fail(TRM_ERROR_NO_HOST_MEMORY, __FILE__, __LINE__,
                                         "no memory for a message");
    if (one) {
      pthread_mutex_lock(&mpi_lock);
      const int code = MPI_Isend(at, part, MPI_BYTE, to, channel, MPI_COMM_WORLD, &one->request);
      pthread_mutex_unlock(&mpi_lock);
      status = mpi_check(code, "MPI_Isend");
    }
    if (status != TRM_OK) {
      free(one);
      if (at == (unsigned char *)bytes) free(bytes); /* else MPI still reads it */
      return status;
    }
    one->bytes = (size_t)part == count ? bytes : NULL;
    one->to = to;
    one->part = part;
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
  mpi_services = given;
  if (abi == TRM_COMM_ABI && given->abi == TRM_BACKEND_ABI) return &table;
  (void)given->fail(TRM_ERROR_INVALID, __FILE__, __LINE__, "it was built for ABI %d",
                    (int)TRM_COMM_ABI);
  return NULL;
}
