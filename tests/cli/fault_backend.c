/* fault_backend.c - trireme_fault.so: another backend, some of whose calls fail.
 *
 * It is built for make check alone and wraps the plugin of the same search path that
 * TRIREME_FAULT_WRAPS names. Handles are the wrapped backend's own, so bits and speed are too.
 *   TRIREME_FAULT=KIND:N   the N-th call of that kind fails; KIND:N+ that one and all after it
 *   TRIREME_FAULT_EXIT=STATUS    a call that would fail ends the process instead, as drivers do
 *   TRIREME_FAULT_SIGNAL=NUMBER  ... or does its work, and the process gets that signal
 *   TRIREME_FAULT_DELAY=MICROSECONDS  ... or does its work after so long
 *   TRIREME_FAULT_MEMORY=BYTES   the device says that it has so much memory, and keeps to it
 *   TRIREME_FAULT_REPORT=FILE    when the process ends: calls of each kind, which one failed first,
 *                                what was created and never destroyed, and the most bytes that
 * buffers took Kinds: open, alloc, build, launch, copy, finish, event, and aside: questions whose
 * failure a run survives (cached binaries, free memory). "any" counts them all. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/backend.h"

TRM_API trm_backend_entry trm_backend_fault;

enum kind { OPEN, ALLOC, BUILD, LAUNCH, COPY, FINISH, EVENT, ASIDE, KIND_COUNT };
static const char *const kind_names[KIND_COUNT] = { "open", "alloc", "build", "launch", "copy",
                                                    "finish", "event", "aside" };
enum object { DEVICE, BUFFER, PROGRAM, TIMER, SEQUENCE, OBJECT_COUNT };
static const char *const object_names[OBJECT_COUNT] = { "devices", "buffers", "programs", "events",
                                                        "sequences" };

static const trm_services *core;
static const trm_backend *inner;
static struct {
  unsigned long calls[KIND_COUNT], all, failed;
  long living[OBJECT_COUNT];
  char first[160];              /* kind and words of the first failure */
  uint64_t memory, taken, most; /* memory 0: the wrapped device's own; most: ever taken */
} seen;

/* The sizes of live buffers, for TRIREME_FAULT_MEMORY. */
static struct { void *buffer; size_t bytes; } sizes[4096];

#define FAIL(name, ...) core->fail(TRM_ERROR_##name, __FILE__, __LINE__, __VA_ARGS__)

/* ---- which call fails -------------------------------------------------------- */

/* Counts a call; nonzero when it is one that is to fail. */
static int is_hit(enum kind kind, const char *words)
{
  const char *order = getenv("TRIREME_FAULT");
  const char *colon = order ? strchr(order, ':') : NULL;
  seen.calls[kind]++;
  seen.all++;
  if (!colon) return 0;
  const size_t length = (size_t)(colon - order);
  const int any = length == 3 && strncmp(order, "any", length) == 0;
  if (!any && (strlen(kind_names[kind]) != length || strncmp(order, kind_names[kind], length) != 0))
    return 0;
  char *end;
  const unsigned long wanted = strtoul(colon + 1, &end, 10);
  const unsigned long number = any ? seen.all : seen.calls[kind];
  if (number != wanted && !(*end == '+' && number > wanted)) return 0;
  if (getenv("TRIREME_FAULT_EXIT")) exit(atoi(getenv("TRIREME_FAULT_EXIT")));
  if (getenv("TRIREME_FAULT_SIGNAL")) return raise(atoi(getenv("TRIREME_FAULT_SIGNAL")));
  if (getenv("TRIREME_FAULT_DELAY")) {
    usleep((useconds_t)atoi(getenv("TRIREME_FAULT_DELAY")));
    return 0;
  }
  if (seen.failed++ == 0) snprintf(seen.first, sizeof seen.first, "%s %s", kind_names[kind], words);
  return 1;
}

#define FAULT(kind, status, words) \
  do { \
    if (is_hit(kind, words)) return FAIL(status, "%s: injected fault", words); \
  } while (0)

/* Counts what was created. */
static trm_status keep(enum object object, trm_status status)
{
  if (status == TRM_OK) seen.living[object]++;
  return status;
}

/* ---- devices ------------------------------------------------------------------ */

static trm_status describe(size_t index, trm_device_info *out)
{
  TRM_TRY(inner->describe(index, out));
  if (seen.memory) out->memory_bytes = seen.memory;
  return TRM_OK;
}

static trm_status open_device(size_t index, const trm_device_options *options,
                              trm_device_info *info, void **device)
{
  FAULT(OPEN, DEVICE, "opening the device");
  return keep(DEVICE, inner->open(index, options, info, device));
}

static void close_device(void *device)
{
  seen.living[DEVICE]--;
  inner->close(device);
}

static trm_status finish(void *device)
{
  FAULT(FINISH, DEVICE, "waiting for the device");
  return inner->finish(device);
}

static trm_status free_memory(void *device, uint64_t *bytes)
{
  FAULT(ASIDE, DEVICE, "asking for free memory");
  if (!seen.memory && inner->free_memory) return inner->free_memory(device, bytes);
  *bytes = seen.memory > seen.taken ? seen.memory - seen.taken : 0;
  return TRM_OK;
}

/* ---- buffers ------------------------------------------------------------------- */

static void record_size(void *buffer, size_t bytes)
{
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    if (sizes[i].buffer) continue;
    sizes[i].buffer = buffer;
    sizes[i].bytes = bytes;
    seen.taken += bytes;
    if (seen.taken > seen.most) seen.most = seen.taken;
    return;
  }
}

static trm_status buffer_create(void *device, size_t bytes, void **buffer)
{
  FAULT(ALLOC, NO_DEVICE_MEMORY, "allocating");
  if (seen.memory && bytes > seen.memory - seen.taken)
    return FAIL(NO_DEVICE_MEMORY, "%zu bytes do not fit", bytes);
  TRM_TRY(keep(BUFFER, inner->buffer_create(device, bytes, buffer)));
  record_size(*buffer, bytes);
  return TRM_OK;
}

static void buffer_destroy(void *device, void *buffer)
{
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    if (sizes[i].buffer != buffer) continue;
    seen.taken -= sizes[i].bytes;
    sizes[i].buffer = NULL;
    break;
  }
  seen.living[BUFFER]--;
  inner->buffer_destroy(device, buffer);
}

static trm_status buffer_write(void *device, void *buffer, size_t offset, size_t bytes,
                               const void *source)
{
  FAULT(COPY, DEVICE, "writing to a buffer");
  return inner->buffer_write(device, buffer, offset, bytes, source);
}

static trm_status buffer_read(void *device, void *buffer, size_t offset, size_t bytes,
                              void *destination)
{
  FAULT(COPY, DEVICE, "reading from a buffer");
  return inner->buffer_read(device, buffer, offset, bytes, destination);
}

/* ---- programs ------------------------------------------------------------------ */

static trm_status program_build(void *device, const trm_build *build, char **log, void **program)
{
  char words[128];
  snprintf(words, sizeof words, "building program %.80s", build->name);
  FAULT(BUILD, BUILD, words);
  return keep(PROGRAM, inner->program_build(device, build, log, program));
}

static trm_status program_binary(void *device, void *program, void **bytes, size_t *count)
{
  FAULT(ASIDE, DEVICE, "asking for a binary");
  return inner->program_binary(device, program, bytes, count);
}

static trm_status program_load(void *device, const trm_build *build, const void *bytes,
                               size_t count, void **program)
{
  FAULT(ASIDE, BUILD, "loading a binary");
  return keep(PROGRAM, inner->program_load(device, build, bytes, count, program));
}

static void program_destroy(void *device, void *program)
{
  seen.living[PROGRAM]--;
  inner->program_destroy(device, program);
}

static trm_status program_key(void *device, const trm_build *build, char *line, size_t bytes)
{
  FAULT(ASIDE, DEVICE, "asking for the key of a program");
  return inner->program_key(device, build, line, bytes);
}

static trm_status kernel_get(void *device, void *program, const trm_host_kernel *declaration,
                             void **kernel)
{
  char words[128];
  snprintf(words, sizeof words, "finding kernel %.80s", declaration->name);
  FAULT(BUILD, BUILD, words);
  return inner->kernel_get(device, program, declaration, kernel);
}

/* ---- commands ------------------------------------------------------------------ */

static trm_status enqueue(void *device, const trm_command *command)
{
  char words[128];
  if (command->kind == TRM_COMMAND_LAUNCH) {
    snprintf(words, sizeof words, "launching kernel %.80s", command->declaration->name);
    FAULT(LAUNCH, DEVICE, words);
  } else {
    const int is_copy = command->kind == TRM_COMMAND_COPY;
    FAULT(COPY, DEVICE, is_copy ? "copying a buffer" : "filling a buffer");
  }
  return inner->enqueue(device, command);
}

static trm_status event_create(void *device, void **event)
{
  FAULT(EVENT, DEVICE, "creating an event");
  return keep(TIMER, inner->event_create(device, event));
}

static void event_destroy(void *device, void *event)
{
  seen.living[TIMER]--;
  inner->event_destroy(device, event);
}

static trm_status event_record(void *device, void *event)
{
  FAULT(EVENT, DEVICE, "recording an event");
  return inner->event_record(device, event);
}

static trm_status event_elapsed(void *device, void *begin, void *end, double *seconds)
{
  FAULT(FINISH, DEVICE, "waiting for an event");
  return inner->event_elapsed(device, begin, end, seconds);
}

static trm_status sequence_create(void *device, const trm_command *commands, size_t count,
                                  void **sequence)
{
  FAULT(LAUNCH, DEVICE, "preparing a sequence");
  return keep(SEQUENCE, inner->sequence_create(device, commands, count, sequence));
}

static trm_status sequence_replay(void *device, void *sequence, size_t times)
{
  FAULT(LAUNCH, DEVICE, "replaying a sequence");
  return inner->sequence_replay(device, sequence, times);
}

static void sequence_destroy(void *device, void *sequence)
{
  seen.living[SEQUENCE]--;
  inner->sequence_destroy(device, sequence);
}

/* ---- from device to device: of a host, whose devices all see the same memory ----------- */

static trm_status queue_wait(void *device, trm_queue queue, void *event)
{
  (void)device;
  (void)queue;
  (void)event;
  FAULT(EVENT, DEVICE, "waiting for another device's event");
  return TRM_OK;
}

static trm_status queue_record(void *device, trm_queue queue, void *event)
{
  (void)queue;
  return event_record(device, event);
}

static trm_status arrive(void *device, void *to, size_t to_offset, void *from_device, void *from,
                         size_t from_offset, size_t bytes)
{
  trm_command copy = { .kind = TRM_COMMAND_COPY, .bytes = bytes, .offset = to_offset,
                       .source_offset = from_offset, .buffers = { to, from } };
  (void)from_device;
  FAULT(COPY, DEVICE, "copying from another device");
  return inner->enqueue(device, &copy);
}

static trm_status queue_use(void *device, trm_queue queue)
{
  (void)device;
  (void)queue;
  FAULT(LAUNCH, DEVICE, "changing the queue");
  return TRM_OK;
}

static trm_status peer_access(void *device, void *from_device, int *can)
{
  (void)device;
  (void)from_device;
  FAULT(EVENT, DEVICE, "looking for another device's memory");
  *can = 1;
  return TRM_OK;
}

/* ---- the wrapped plugin and the report ------------------------------------------- */

/* From the first folder of the search path that holds it. */
static const trm_backend *find_inner(const char *name)
{
  char path[4096], symbol[96];
  struct stat status;
  for (const char *folder = getenv("TRIREME_BACKEND_PATH"); folder && *folder;) {
    const size_t length = strcspn(folder, ":");
    snprintf(path, sizeof path, "%.*s/trireme_%s.so", (int)length, folder, name);
    if (stat(path, &status) == 0) {
      void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      if (!object) return NULL;
      snprintf(symbol, sizeof symbol, "trm_backend_%s", name);
      void *address = dlsym(object, symbol);
      trm_backend_entry *entry = NULL;
      memcpy(&entry, &address, sizeof entry);
      return entry ? entry(TRM_BACKEND_ABI, core) : NULL;
    }
    folder += length + (folder[length] == ':');
  }
  return NULL;
}

__attribute__((destructor)) static void report(void)
{
  const char *path = getenv("TRIREME_FAULT_REPORT");
  FILE *file = path && core ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "failed %lu\n", seen.failed);
  fprintf(file, "first %s\n", seen.first);
  fprintf(file, "any %lu\n", seen.all);
  for (int i = 0; i < KIND_COUNT; i++) fprintf(file, "%s %lu\n", kind_names[i], seen.calls[i]);
  fprintf(file, "most %llu\n", (unsigned long long)seen.most);
  for (int i = 0; i < OBJECT_COUNT; i++)
    if (seen.living[i] != 0) fprintf(file, "left %s %ld\n", object_names[i], seen.living[i]);
  fclose(file);
}

/* Optional entries are there where the wrapped backend has them. */
static const trm_backend *make_table(void)
{
  static trm_backend table = {
    .abi = TRM_BACKEND_ABI, .bytes = sizeof table,
    .name = "fault", .summary = "another backend, some of whose calls fail, for the tests",
    .describe = describe, .open = open_device, .close = close_device, .finish = finish,
    .free_memory = free_memory, .buffer_create = buffer_create, .buffer_destroy = buffer_destroy,
    .buffer_write = buffer_write, .buffer_read = buffer_read, .program_build = program_build,
    .program_destroy = program_destroy, .kernel_get = kernel_get, .enqueue = enqueue,
    .event_create = event_create, .event_destroy = event_destroy, .event_record = event_record,
    .event_elapsed = event_elapsed,
  };
  table.probe = inner->probe;
  if (inner->program_binary) table.program_binary = program_binary;
  if (inner->program_load) table.program_load = program_load;
  if (inner->program_key) table.program_key = program_key;
  if (inner->sequence_create) {
    table.sequence_create = sequence_create;
    table.sequence_replay = sequence_replay;
    table.sequence_destroy = sequence_destroy;
    table.sequence_fused = inner->sequence_fused;
  }
  if (!strcmp(inner->name, "openmp")) {
    table.queue_wait = queue_wait;
    table.queue_record = queue_record;
    table.arrive = arrive;
    table.queue_use = queue_use;
    table.queue_mark = event_create;
    table.peer_access = peer_access;
  }
  return &table;
}

const trm_backend *trm_backend_fault(uint32_t abi, const trm_services *services)
{
  const char *name = getenv("TRIREME_FAULT_WRAPS"), *memory = getenv("TRIREME_FAULT_MEMORY");
  core = services;
  if (abi != TRM_BACKEND_ABI) {
    FAIL(NOT_READY, "the fault backend has ABI %d, the library %u", (int)TRM_BACKEND_ABI, abi);
    return NULL;
  }
  inner = name ? find_inner(name) : NULL;
  if (!inner) {
    FAIL(NOT_READY, "TRIREME_FAULT_WRAPS names no backend that can be loaded");
    return NULL;
  }
  if (memory) seen.memory = strtoull(memory, NULL, 10);
  return make_table();
}
