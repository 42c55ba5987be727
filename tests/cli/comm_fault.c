/* comm_fault.c - comm_fault.so: another comm plugin, of which one call fails on one rank.
 *
 * TRIREME_FAULT_COMM is the file of that plugin, _NAME its name, _RANK the rank, _AT the number of
 * the call, which is then not made: 0 is open, 1 the end of open, and from 2 on what follows.
 * _COUNT begins the names of two files for each rank, to hold how many calls there were, and how
 * many messages it sent (.sent).
 *
 * With TRIREME_FAULT_LOST=N no call fails: the N-th message that the rank sends is lost.
 *
 * The same source makes a plugin that bears the name of one of ours (STAND_IN_NAME), to see which
 * of several is taken.
 *
 * With TRIREME_FAULT_AGAIN=0 or 1 no call fails: from that call on, of two messages of one size of
 * that channel that the rank gets, the first comes twice. */
#include "core/comm.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const trm_services *services;
static const trm_comm *real;
static long calls, sent;

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

static trm_status open_comm(trm_comm_place *out)
{
  trm_status status = count_call();
  if (status == TRM_OK) status = real->open(out);
  return status == TRM_OK ? count_call() : status;
}

static void tell_count(const char *suffix, long count)
{
  char path[4096];
  if (!*value_of("TRIREME_FAULT_COUNT")) return;
  snprintf(path, sizeof path, "%s.%s%s", value_of("TRIREME_FAULT_COUNT"), own_rank(), suffix);
  FILE *file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "%ld\n", count);
  fclose(file);
}

static trm_status close_comm(void)
{
  tell_count("", calls + 1);
  tell_count(".sent", sent);
  CALL(real->close());
}

static void abort_all(int exit_code) { real->abort(exit_code); }

static int is_lost(void)
{
  const char *lost = value_of("TRIREME_FAULT_LOST");
  return ++sent == atol(lost) && *lost && is_here();
}

static trm_status send_bytes(int to, int channel, const void *bytes, size_t count)
{
  if (is_lost()) return TRM_OK;
  CALL(real->send(to, channel, bytes, count));
}

static unsigned char kept[8192];
static size_t kept_bytes;
static int is_repeated;

/* Whether this message may be one that comes twice. */
static int repeats(int channel, size_t count)
{
  const char *again = value_of("TRIREME_FAULT_AGAIN");
  return *again && atoi(again) == channel && is_here() && !is_repeated && count <= sizeof kept &&
         calls > atol(value_of("TRIREME_FAULT_AT"));
}

static trm_status receive_bytes(int from, int channel, void *bytes, size_t count)
{
  const trm_status status = count_call();
  if (status != TRM_OK) return status;
  if (!repeats(channel, count)) return real->receive(from, channel, bytes, count);
  if (kept_bytes == count) { /* once */
    memcpy(bytes, kept, count);
    is_repeated = 1;
    return TRM_OK;
  }
  TRM_TRY(real->receive(from, channel, bytes, count));
  kept_bytes = count;
  memcpy(kept, bytes, count);
  return TRM_OK;
}

static trm_status post_bytes(int to, int channel, void *bytes, size_t count)
{
  const trm_status status = count_call();
  if (status == TRM_OK && !is_lost()) return real->post(to, channel, bytes, count);
  free(bytes);
  return status;
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
  .summary = "another, of which a call fails",
  .open = open_comm,
  .close = close_comm,
  .abort = abort_all,
  .send = send_bytes,
  .receive = receive_bytes,
  .post = post_bytes,
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
