/* fake_backend.c - the smallest backend that works, trireme_fake.so: one thread of this host, and
 * launches run at once. docs/backend.md explains it; it is installed as an example to start from.
 *
 * The tests compile it with FAKE_FLAWS, and then it misbehaves on demand (fake_flaws.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/backend.h"

TRM_API trm_backend_entry trm_backend_fake;

static const trm_services *core;

#define FAIL(name, ...) core->fail(TRM_ERROR_##name, __FILE__, __LINE__, __VA_ARGS__)

static void probe(trm_probe *out)
{
  out->state = TRM_BACKEND_READY;
  out->device_count = 1;
  snprintf(out->version, sizeof out->version, "1");
}

static trm_status describe(size_t index, trm_device_info *out)
{
  (void)index;
  snprintf(out->name, sizeof out->name, "one thread");
  out->has_f64 = 1;
  out->is_host = 1;
  out->row_group_x = 512;
  out->row_group_y = 1;
  out->group = 64;
  out->row_align_bytes = 64;
  out->ghost_columns = 1;
  return TRM_OK;
}

static trm_status open_device(size_t index, const trm_device_options *options,
                              trm_device_info *info, void **device)
{
  static int handle;
  (void)index, (void)options, (void)info;
  *device = &handle;
  return TRM_OK;
}

static void close_device(void *device) { (void)device; }
static trm_status finish(void *device) { (void)device; return TRM_OK; }

/* ---- buffers ----------------------------------------------------------------- */

static trm_status buffer_create(void *device, size_t bytes, void **buffer)
{
  (void)device;
  void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!memory) return FAIL(NO_DEVICE_MEMORY, "this host has no %zu bytes left", bytes);
  *buffer = memory;
  return TRM_OK;
}

static void buffer_destroy(void *device, void *buffer)
{
  (void)device;
  free(buffer);
}

static trm_status buffer_write(void *device, void *buffer, size_t offset, size_t bytes,
                               const void *source)
{
  (void)device;
  memcpy((char *)buffer + offset, source, bytes);
  return TRM_OK;
}

static trm_status buffer_read(void *device, void *buffer, size_t offset, size_t bytes,
                              void *destination)
{
  (void)device;
  memcpy(destination, (const char *)buffer + offset, bytes);
  return TRM_OK;
}

/* ---- launches ---------------------------------------------------------------- */

/* Every row, or every group, in one call of the kernel's host instance. */
static void run(const trm_command *command)
{
  const trm_host_kernel *kernel = command->declaration;
  const trm_extent *extent = &command->extent;
  const int64_t rows = (int64_t)extent->ny * extent->nz;
  kernel->run(extent, 0, kernel->kind == TRM_KERNEL_ROW ? rows : rows * extent->nx,
              command->params, command->buffers);
}

#ifdef FAKE_FLAWS
#include "tests/core/fake_flaws.h"
#else
#define flaw_launch run
#define flaw_refuses_binaries() 0
#endif

/* ---- programs ---------------------------------------------------------------- */

static int program_handle;
static const char binary[] = "binary of the fake backend";

static trm_status program_build(void *device, const trm_build *build, char **log, void **program)
{
  (void)device, (void)build, (void)log;
  *program = &program_handle;
  return TRM_OK;
}

static trm_status program_binary(void *device, void *program, void **bytes, size_t *count)
{
  (void)device, (void)program;
  *bytes = malloc(sizeof binary);
  if (!*bytes) return FAIL(NO_HOST_MEMORY, "no memory for a binary");
  memcpy(*bytes, binary, sizeof binary);
  *count = sizeof binary;
  return TRM_OK;
}

static trm_status program_load(void *device, const trm_build *build, const void *bytes,
                               size_t count, void **program)
{
  if (flaw_refuses_binaries() || count != sizeof binary || memcmp(bytes, binary, count) != 0)
    return FAIL(BUILD, "%s: this is not a binary of the fake backend", build->name);
  return program_build(device, build, NULL, program);
}

static void program_destroy(void *device, void *program) { (void)device, (void)program; }

static trm_status kernel_get(void *device, void *program, const trm_host_kernel *declaration,
                             void **kernel)
{
  (void)device, (void)program, (void)declaration;
  *kernel = &program_handle;
  return TRM_OK;
}

/* ---- commands ---------------------------------------------------------------- */

static trm_status enqueue(void *device, const trm_command *command)
{
  (void)device;
  char *to = command->buffers[0];
  switch (command->kind) {
  case TRM_COMMAND_LAUNCH:
    flaw_launch(command);
    break;
  case TRM_COMMAND_COPY:
    memmove(to + command->offset, (const char *)command->buffers[1] + command->source_offset,
            command->bytes);
    break;
  case TRM_COMMAND_FILL:
    for (size_t i = 0; i < command->bytes; i += command->pattern_bytes)
      memcpy(to + command->offset + i, command->pattern, command->pattern_bytes);
    break;
  }
  return TRM_OK;
}

/* ---- events ------------------------------------------------------------------ */

static trm_status event_create(void *device, void **event)
{
  (void)device;
  *event = calloc(1, sizeof(struct timespec));
  return *event ? TRM_OK : FAIL(NO_HOST_MEMORY, "no memory for an event");
}

static void event_destroy(void *device, void *event)
{
  (void)device;
  free(event);
}

static trm_status event_record(void *device, void *event)
{
  (void)device;
  clock_gettime(CLOCK_MONOTONIC, event);
  return TRM_OK;
}

static trm_status event_elapsed(void *device, void *begin, void *end, double *seconds)
{
  const struct timespec *from = begin, *to = end;
  (void)device;
  *seconds = (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
  return TRM_OK;
}

const trm_backend *trm_backend_fake(uint32_t abi, const trm_services *services)
{
  static const trm_backend table = {
    .abi = TRM_BACKEND_ABI, .bytes = sizeof table,
    .name = "fake", .summary = "one thread of this host",
    .probe = probe, .describe = describe, .open = open_device, .close = close_device,
    .finish = finish, .buffer_create = buffer_create, .buffer_destroy = buffer_destroy,
    .buffer_write = buffer_write, .buffer_read = buffer_read, .program_build = program_build,
    .program_binary = program_binary, .program_load = program_load,
    .program_destroy = program_destroy, .kernel_get = kernel_get, .enqueue = enqueue,
    .event_create = event_create, .event_destroy = event_destroy, .event_record = event_record,
    .event_elapsed = event_elapsed,
  };
  core = services;
  if (abi != TRM_BACKEND_ABI) {
    FAIL(NOT_READY, "the fake backend has ABI %d, the library %u", (int)TRM_BACKEND_ABI, abi);
    return NULL;
  }
  return &table;
}
