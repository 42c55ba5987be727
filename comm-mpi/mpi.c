/* mpi.c - the comm plugin on MPI: one source for each library that there is, and for the common
 * interface of MPI 5 (core/comm.h).
 *
 * Bytes go through MPI, and maxima of integers: no sum of MPI, whose order is not promised. */
#include "comm-mpi/plugin.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

static const size_t most_bytes = (size_t)1 << 30; /* of a piece: counts are int */
const trm_services *mpi_services;
pthread_mutex_t mpi_lock = PTHREAD_MUTEX_INITIALIZER;
static int own_rank, ranks = 1;

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

/* Among busy processes a yield lasts until another one has used up its time: two ranks of two busy
 * cores took ten times as long as with sleep. */
static void choose_sleep(int count)
{
  const char *policy = getenv("OMP_WAIT_POLICY");
  const int is_passive = policy && strcasecmp(policy, "passive") == 0;
  if (is_passive || count > (int)sysconf(_SC_NPROCESSORS_ONLN)) awake = SPINS;
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
  choose_sleep(out->node_size);
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

static trm_status open_comm(trm_comm_place *out, void **part)
{
  int provided = 0;
  *part = NULL; /* one in a process */
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
  own_rank = out->rank;
  ranks = out->size;
  return heartbeat_begin(provided, out);
}

/* Outside of MPI there is nothing to end but this process, which the caller does. */
static void abort_all(void *part, int exit_code)
{
  (void)part;
  int has_begun = 0, has_ended = 0;
  pthread_mutex_lock(&mpi_lock);
  MPI_Initialized(&has_begun);
  MPI_Finalized(&has_ended);
  if (has_begun && !has_ended) MPI_Abort(MPI_COMM_WORLD, exit_code);
  pthread_mutex_unlock(&mpi_lock);
}

static trm_status close_comm(void *part)
{
  int has_begun = 0;
  (void)part;
  MPI_TRY(MPI_Initialized(&has_begun), "MPI_Initialized");
  if (!has_begun) return TRM_OK;
  TRM_TRY(heartbeat_end());
  TRM_TRY(heartbeat_guard("all ended"));
  const int code = MPI_Finalize();
  heartbeat_leave();
  return mpi_check(code, "MPI_Finalize");
}

static trm_status no_memory(void)
{
  return mpi_services->fail(TRM_ERROR_NO_HOST_MEMORY, __FILE__, __LINE__,
                            "no memory for a message");
}

/* ---- messages ---------------------------------------------------------------- */

/* One that is under way, in pieces. */
typedef struct message {
  int peer, is_received;
  size_t bytes, pieces, complete; /* complete: pieces */
  MPI_Request requests[];
} message;

static int piece_of(size_t bytes, size_t number)
{
  const size_t left = bytes - number * most_bytes;
  return (int)(left < most_bytes ? left : most_bytes);
}

static trm_status begin_piece(message *one, int channel, unsigned char *bytes, size_t number)
{
  MPI_Request *request = &one->requests[number];
  unsigned char *at = bytes + number * most_bytes;
  const int count = piece_of(one->bytes, number);
  if (one->is_received)
    MPI_LOCKED(MPI_Irecv(at, count, MPI_BYTE, one->peer, channel, MPI_COMM_WORLD, request),
               "MPI_Irecv");
  else
    MPI_LOCKED(MPI_Isend(at, count, MPI_BYTE, one->peer, channel, MPI_COMM_WORLD, request),
               "MPI_Isend");
  return TRM_OK;
}

/* After a failure MPI may still use the message. */
static trm_status begin_message(int peer, int channel, int is_received, void *bytes, size_t count,
                                void **out)
{
  const size_t pieces = (count + most_bytes - 1) / most_bytes;
  *out = NULL;
  if (pieces == 0) return TRM_OK;
  message *one = calloc(1, sizeof *one + pieces * sizeof *one->requests);
  if (!one) return no_memory();
  one->peer = peer;
  one->is_received = is_received;
  one->bytes = count;
  one->pieces = pieces;
  for (size_t i = 0; i < pieces; i++) TRM_TRY(begin_piece(one, channel, bytes, i));
  *out = one;
  return TRM_OK;
}

static trm_status send_bytes(void *part, int to, int channel, const void *bytes, size_t count,
                             void **request)
{
  (void)part;
  return begin_message(to, channel, 0, (void *)(uintptr_t)bytes, count, request);
}

static trm_status receive_bytes(void *part, int from, int channel, void *bytes, size_t count,
                                void **request)
{
  (void)part;
  return begin_message(from, channel, 1, bytes, count, request);
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

static trm_status test_message(void *part, void **request, int *is_complete)
{
  message *one = *request;
  (void)part;
  *is_complete = 0;
  for (; one && one->complete < one->pieces; one->complete++) {
    MPI_Status status;
    int is_there = 0;
    MPI_LOCKED(MPI_Test(&one->requests[one->complete], &is_there, &status),
               one->is_received ? "MPI_Irecv" : "MPI_Isend");
    if (!is_there) return heartbeat_check();
    if (one->is_received) TRM_TRY(check_size(&status, piece_of(one->bytes, one->complete)));
  }
  *is_complete = 1;
  free(one);
  *request = NULL;
  return TRM_OK;
}

static trm_status wait_message(void *part, void **request)
{
  const message *one = *request;
  int is_complete = 0;
  if (!one) return TRM_OK;
  heartbeat_begin_wait(one->peer, one->bytes);
  for (unsigned tries = 0;; mpi_rest(&tries)) {
    TRM_TRY(test_message(part, request, &is_complete));
    if (is_complete) break;
  }
  heartbeat_end_wait();
  return TRM_OK;
}

/* ---- collective calls ---------------------------------------------------------- */

static trm_status wait_all(MPI_Request *request, int from, size_t bytes, const char *what)
{
  int is_done = 0;
  heartbeat_begin_wait(from, bytes);
  for (unsigned tries = 0;; mpi_rest(&tries)) {
    MPI_LOCKED(MPI_Test(request, &is_done, MPI_STATUS_IGNORE), what);
    if (is_done) break;
    TRM_TRY(heartbeat_check());
  }
  heartbeat_end_wait();
  return TRM_OK;
}

static trm_status broadcast(void *part, int from, void *bytes, size_t count)
{
  unsigned char *at = bytes;
  (void)part;
  for (size_t i = 0; ranks > 1 && i * most_bytes < count; i++) {
    MPI_Request request;
    const int piece = piece_of(count, i);
    MPI_LOCKED(MPI_Ibcast(at + i * most_bytes, piece, MPI_BYTE, from, MPI_COMM_WORLD, &request),
               "MPI_Ibcast");
    TRM_TRY(wait_all(&request, own_rank == from ? EVERYONE : from, (size_t)piece, "MPI_Ibcast"));
  }
  return TRM_OK;
}

/* MPI's counts and places are int. */
static trm_status count_bytes(const size_t *counts, int *lengths, int *places, size_t *all)
{
  *all = 0;
  for (int i = 0; i < ranks; i++) {
    if (counts[i] > most_bytes - *all)
      return mpi_services->fail(TRM_ERROR_OVERFLOW, __FILE__, __LINE__, "more than %zu bytes in an "
                                "allgather", most_bytes);
    lengths[i] = (int)counts[i];
    places[i] = (int)*all;
    *all += counts[i];
  }
  return TRM_OK;
}

static trm_status gather(void *bytes, const size_t *counts, int *lengths, int *places)
{
  MPI_Request request;
  size_t all;
  TRM_TRY(count_bytes(counts, lengths, places, &all));
  MPI_LOCKED(MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_BYTE, bytes, lengths, places, MPI_BYTE,
                             MPI_COMM_WORLD, &request), "MPI_Iallgatherv");
  return wait_all(&request, EVERYONE, all, "MPI_Iallgatherv");
}

static trm_status allgather(void *part, void *all, const size_t *counts)
{
  (void)part;
  if (ranks == 1) return TRM_OK;
  int *lengths = malloc(2 * (size_t)ranks * sizeof *lengths);
  if (!lengths) return no_memory();
  const trm_status status = gather(all, counts, lengths, lengths + ranks);
  if (status == TRM_OK) free(lengths); /* else MPI may still read them */
  return status;
}

static trm_status maxima(void *part, int64_t *values, size_t count)
{
  (void)part;
  for (size_t done = 0, now; ranks > 1 && done < count; done += now) {
    MPI_Request request;
    now = count - done < most_bytes / sizeof *values ? count - done : most_bytes / sizeof *values;
    MPI_LOCKED(MPI_Iallreduce(MPI_IN_PLACE, values + done, (int)now, MPI_INT64_T, MPI_MAX,
                              MPI_COMM_WORLD, &request), "MPI_Iallreduce");
    TRM_TRY(wait_all(&request, EVERYONE, now * sizeof *values, "MPI_Iallreduce"));
  }
  return TRM_OK;
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
  .wait = wait_message,
  .test = test_message,
  .broadcast = broadcast,
  .allgather = allgather,
  .maxima = maxima,
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
