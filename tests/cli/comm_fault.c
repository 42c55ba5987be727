/* comm_fault.c - comm_fault.so: another comm plugin, of which calls fail, messages are lost,
 * repeated or late, and all are counted.
 *
 * TRIREME_FAULT_COMM is the file of that plugin, _NAME its name, _RANK the rank, _AT the number of
 * the call, which is then not made: 0 is open, 1 the end of open, and from 2 on what follows; wait
 * and test are part of the call whose request they end. _COUNT begins the names of three files for
 * each rank, to hold how many calls there were, how many messages it sent (.sent), and how many
 * bytes these had (.bytes).
 *
 * With TRIREME_FAULT_LOST=N no call fails: the N-th message that the rank sends is lost.
 *
 * The same source makes a plugin that bears the name of one of ours (STAND_IN_NAME), to see which
 * of several is taken.
 *
 * With TRIREME_FAULT_AGAIN=0 or 1 no call fails: from that call on, of two messages of one size of
 * that channel that the rank gets, the first comes twice.
 *
 * With TRIREME_FAULT_DELAY=MICROSECONDS a message is complete for its receiver that long after it
 * was sent. A collective call takes that much longer. The sender does not wait. The time of sending
 * goes before the message, so all ranks have to be on one machine. */
#include "core/comm.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const trm_services *services;
static const trm_comm *real;
static long calls, sent;
static double sent_bytes;

static const char *value_of(const char *name)
{
  const char *value = getenv(name);
  return value ? value : "";
}

static const char *own_rank(void)
{
  const char *rank = value_of("OMPI_COMM_WORLD_RANK");
  return *rank ? rank : value_of("PMI_RANK");
}

static int is_here(void) { return strcmp(own_rank(), value_of("TRIREME_FAULT_RANK")) == 0; }

static trm_status count_call(void)
{
  const char *at = value_of("TRIREME_FAULT_AT");
  if (calls++ != atol(at) || !*at || !is_here() || *value_of("TRIREME_FAULT_AGAIN")) return TRM_OK;
  return services->fail(TRM_ERROR_DEVICE, __FILE__, __LINE__, "call %s fails, as asked", at);
}

#define CALL(call) \
  do { \
    const trm_status status_ = count_call(); \
    return status_ == TRM_OK ? (call) : status_; \
  } while (0)

static trm_status open_comm(trm_comm_place *out, void **part)
{
  trm_status status = count_call();
  if (status == TRM_OK) status = real->open(out, part);
  return status == TRM_OK ? count_call() : status;
}

static void tell_count(const char *suffix, double count)
{
  char path[4096];
  if (!*value_of("TRIREME_FAULT_COUNT")) return;
  snprintf(path, sizeof path, "%s.%s%s", value_of("TRIREME_FAULT_COUNT"), own_rank(), suffix);
  FILE *file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "%.0f\n", count);
  fclose(file);
}

static trm_status close_comm(void *part)
{
  tell_count("", (double)calls + 1);
  tell_count(".sent", (double)sent);
  tell_count(".bytes", sent_bytes);
  CALL(real->close(part));
}

static void abort_all(void *part, int exit_code) { real->abort(part, exit_code); }

/* ---- late messages ----------------------------------------------------------------- */

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double delay(void) { return 1e-6 * atof(value_of("TRIREME_FAULT_DELAY")); }

static void wait_until(double end)
{
  const double left = end - now();
  const time_t whole = (time_t)left;
  if (left > 1e-3)
    nanosleep(&(struct timespec){ whole, (long)(1e9 * (left - (double)whole)) }, NULL);
  while (now() < end) continue;
}

/* ---- messages ---------------------------------------------------------------------- */

/* One that is under way. */
typedef struct message {
  void *of_real, *of_time;      /* requests of the other plugin */
  double sent;                  /* when, where messages are late */
  int is_received, is_kept;     /* is_kept: it comes again */
  void *bytes;
  size_t count;
} message;

static unsigned char kept[8192];
static size_t kept_bytes;
static int is_repeated;

static int is_lost(void)
{
  const char *lost = value_of("TRIREME_FAULT_LOST");
  return ++sent == atol(lost) && *lost && is_here();
}

/* Whether this message may be one that comes twice. */
static int repeats(int channel, size_t count)
{
  const char *again = value_of("TRIREME_FAULT_AGAIN");
  return *again && atoi(again) == channel && is_here() && !is_repeated && count <= sizeof kept &&
         calls > atol(value_of("TRIREME_FAULT_AT"));
}

static trm_status send_bytes(void *part, int to, int channel, const void *bytes, size_t count,
                             void **request)
{
  *request = NULL;
  if (count == 0) CALL(TRM_OK);
  sent_bytes += (double)count;
  if (is_lost()) return TRM_OK;
  TRM_TRY(count_call());
  message *one = calloc(1, sizeof *one);
  if (!one) return services->fail(TRM_ERROR_NO_HOST_MEMORY, __FILE__, __LINE__, "no memory");
  one->sent = now();
  if (delay() > 0)
    TRM_TRY(real->send(part, to, channel, &one->sent, sizeof one->sent, &one->of_time));
  *request = one;
  return real->send(part, to, channel, bytes, count, &one->of_real);
}

static trm_status receive_bytes(void *part, int from, int channel, void *bytes, size_t count,
                                void **request)
{
  *request = NULL;
  TRM_TRY(count_call());
  const int again = count > 0 && repeats(channel, count);
  if (count == 0) return TRM_OK;
  if (again && kept_bytes == count) { /* once */
    memcpy(bytes, kept, count);
    is_repeated = 1;
    return TRM_OK;
  }
  message *one = calloc(1, sizeof *one);
  if (!one) return services->fail(TRM_ERROR_NO_HOST_MEMORY, __FILE__, __LINE__, "no memory");
  *one = (message){ .is_received = 1, .is_kept = again, .bytes = bytes, .count = count };
  if (delay() > 0)
    TRM_TRY(real->receive(part, from, channel, &one->sent, sizeof one->sent, &one->of_time));
  *request = one;
  return real->receive(part, from, channel, bytes, count, &one->of_real);
}

static void end_message(void **request)
{
  message *one = *request;
  if (one->is_kept) {
    kept_bytes = one->count;
    memcpy(kept, one->bytes, one->count);
  }
  free(one);
  *request = NULL;
}

static trm_status wait_message(void *part, void **request)
{
  message *one = *request;
  if (!one) return TRM_OK;
  TRM_TRY(real->wait(part, &one->of_time));
  TRM_TRY(real->wait(part, &one->of_real));
  if (one->is_received && delay() > 0) wait_until(one->sent + delay());
  end_message(request);
  return TRM_OK;
}

static trm_status test_message(void *part, void **request, int *is_complete)
{
  message *one = *request;
  *is_complete = 1;
  if (!one) return TRM_OK;
  TRM_TRY(real->test(part, &one->of_time, is_complete));
  if (*is_complete) TRM_TRY(real->test(part, &one->of_real, is_complete));
  if (*is_complete && one->is_received && delay() > 0) *is_complete = now() >= one->sent + delay();
  if (*is_complete) end_message(request);
  return TRM_OK;
}

/* ---- collective calls ---------------------------------------------------------------- */

static trm_status late(trm_status status)
{
  if (status == TRM_OK && delay() > 0) wait_until(now() + delay());
  return status;
}

static trm_status broadcast(void *part, int from, void *bytes, size_t count)
{
  CALL(late(real->broadcast(part, from, bytes, count)));
}

static trm_status allgather(void *part, void *all, const size_t *counts)
{
  CALL(late(real->allgather(part, all, counts)));
}

static trm_status maxima(void *part, int64_t *values, size_t count)
{
  CALL(late(real->maxima(part, values, count)));
}

#ifndef STAND_IN_NAME
#define STAND_IN_NAME fault
#endif
#define STRING_OF(name) #name
#define STRING(name) STRING_OF(name)
#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)

static const trm_comm table = {
  .abi = TRM_COMM_ABI,
  .bytes = sizeof(trm_comm),
  .name = STRING(STAND_IN_NAME),
  .summary = "another, with faults",
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

trm_comm_entry JOIN(trm_comm_, STAND_IN_NAME) __attribute__((visibility("default")));
const trm_comm *JOIN(trm_comm_, STAND_IN_NAME)(uint32_t abi, const trm_services *given)
{
  char name[64];
  trm_comm_entry *entry = NULL;
  void *plugin = dlopen(value_of("TRIREME_FAULT_COMM"), RTLD_NOW | RTLD_LOCAL);
  snprintf(name, sizeof name, "trm_comm_%s", value_of("TRIREME_FAULT_NAME"));
  void *address = plugin ? dlsym(plugin, name) : NULL;
  memcpy(&entry, &address, sizeof entry);
  services = given;
  real = entry ? entry(abi, given) : NULL;
  if (real) return &table;
  (void)given->fail(TRM_ERROR_INVALID, __FILE__, __LINE__, "TRIREME_FAULT_COMM is no comm plugin");
  return NULL;
}
