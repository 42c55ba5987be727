/* strange_backend.c - trireme_strange.so, a plugin for the tests of core: five pretended GPUs that
 * run host functions, tell the log each call that matters, and fail where TRIREME_STRANGE says:
 *   describe   the last device cannot be described        open      opening
 *   memory     buffers                                    build     compiling, with a log
 *   load       binaries from the cache are refused        key       no key for the cache
 *   sequence   sequence_create                            finish    waiting
 * Device 0 Alpha 200; 1 Beta 200 (no double precision, 1 MiB); 2 Gamma and 3 Gamma, alike; 4 Delta,
 * whose rows begin at multiples of 3 bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/backend.h"

TRM_API trm_backend_entry trm_backend_strange;

enum { DEVICES = 5, MEMORY = 1 << 20 };

typedef struct strange_device { size_t index, used; } strange_device;
typedef struct strange_buffer { size_t bytes; unsigned char *memory; } strange_buffer;
typedef struct strange_sequence { const trm_command *commands; size_t count; } strange_sequence;

static const trm_services *core;

#define FAIL(name, ...) core->fail(TRM_ERROR_##name, __FILE__, __LINE__, __VA_ARGS__)
#define TELL(...) core->log(TRM_LOG_DEBUG, __VA_ARGS__)

static int is_told(const char *word)
{
  const char *told = getenv("TRIREME_STRANGE");
  return told && strcmp(told, word) == 0;
}

/* ---- devices --------------------------------------------------------------- */

static void probe(trm_probe *out)
{
  out->state = TRM_BACKEND_READY;
  out->device_count = DEVICES;
}

static trm_status describe(size_t index, trm_device_info *out)
{
  static const char *const names[DEVICES] = { "Alpha 200", "Beta 200", "Gamma", "Gamma", "Delta" };
  if (is_told("describe") && index == DEVICES - 1) return FAIL(DEVICE, "nobody knows this device");
  memset(out, 0, sizeof *out);
  snprintf(out->backend, sizeof out->backend, "strange");
  out->index = index;
  snprintf(out->name, sizeof out->name, "%s", names[index]);
  out->has_f64 = index != 1;
  out->max_buffer_bytes = MEMORY;
  out->row_group_x = 64;
  out->row_group_y = 4;
  out->group = 128;
  out->row_align_bytes = index == 4 ? 3 : 128;
  return TRM_OK;
}

static trm_status open_device(size_t index, const trm_device_options *options,
                              trm_device_info *info, void **out)
{
  (void)options, (void)info;
  if (is_told("open")) return FAIL(DEVICE, "the door is locked");
  strange_device *device = calloc(1, sizeof *device);
  if (!device) return FAIL(NO_HOST_MEMORY, "no memory for a device");
  device->index = index;
  *out = device;
  TELL("open %zu", index);
  return TRM_OK;
}

static void close_device(void *device)
{
  TELL("close");
  free(device);
}

static trm_status finish(void *device)
{
  (void)device;
  TELL("finish");
  return is_told("finish") ? FAIL(DEVICE, "the device fell off") : TRM_OK;
}

static trm_status free_memory(void *object, uint64_t *bytes)
{
  const strange_device *device = object;
  *bytes = device->index == 1 ? MEMORY - device->used : 0;
  return TRM_OK;
}

/* ---- buffers --------------------------------------------------------------- */

static trm_status buffer_create(void *object, size_t bytes, void **out)
{
  strange_device *device = object;
  if (is_told("memory")) return FAIL(NO_DEVICE_MEMORY, "error 2, says the driver");
  strange_buffer *buffer = calloc(1, sizeof *buffer);
  if (!buffer) return FAIL(NO_HOST_MEMORY, "no memory for a buffer");
  buffer->bytes = bytes;
  buffer->memory = aligned_alloc(128, (bytes + 127) / 128 * 128);
  if (!buffer->memory) {
    free(buffer);
    return FAIL(NO_DEVICE_MEMORY, "no memory for a buffer's bytes");
  }
  device->used += bytes;
  *out = buffer;
  return TRM_OK;
}

static void buffer_destroy(void *object, void *handle)
{
  strange_device *device = object;
  strange_buffer *buffer = handle;
  TELL("buffer_destroy");
  device->used -= buffer->bytes;
  free(buffer->memory);
  free(buffer);
}

static trm_status buffer_write(void *device, void *buffer, size_t offset, size_t bytes,
                               const void *source)
{
  (void)device;
  memcpy(((strange_buffer *)buffer)->memory + offset, source, bytes);
  return TRM_OK;
}

static trm_status buffer_read(void *device, void *buffer, size_t offset, size_t bytes,
                              void *destination)
{
  (void)device;
  memcpy(destination, ((strange_buffer *)buffer)->memory + offset, bytes);
  return TRM_OK;
}

/* ---- programs -------------------------------------------------------------- */

static int the_program;

/* The log gets the defines on one line, and how the dialect and the text begin. */
static trm_status program_build(void *device, const trm_build *build, char **log, void **program)
{
  char defines[600];
  (void)device;
  snprintf(defines, sizeof defines, "%s", build->defines);
  for (char *at = defines; *at; at++)
    if (*at == '\n') *at = ';';
  TELL("build %s %s:%.12s %s:%.14s %s", build->name, build->dialect_file, build->dialect,
       build->file, build->text, defines);
  if (is_told("build")) return FAIL(BUILD, "%s:3: expected ';'", build->file);
  *log = strdup("warning: strange code");
  *program = &the_program;
  return TRM_OK;
}

static trm_status program_binary(void *device, void *program, void **bytes, size_t *count)
{
  (void)device, (void)program;
  *bytes = strdup("strange binary");
  if (!*bytes) return FAIL(NO_HOST_MEMORY, "no memory for a binary");
  *count = strlen(*bytes);
  return TRM_OK;
}

static trm_status program_load(void *device, const trm_build *build, const void *bytes,
                               size_t count, void **program)
{
  (void)device, (void)build;
  TELL("load %.*s", (int)count, (const char *)bytes);
  if (is_told("load")) return FAIL(BUILD, "this binary is for another device");
  *program = &the_program;
  return TRM_OK;
}

static trm_status program_key(void *device, const trm_build *build, char *line, size_t bytes)
{
  (void)device, (void)build;
  if (is_told("key")) return FAIL(DEVICE, "the driver does not tell its version");
  snprintf(line, bytes, "strange driver 1");
  return TRM_OK;
}

static void program_destroy(void *device, void *program)
{
  (void)device, (void)program;
  TELL("program_destroy");
}

static trm_status kernel_get(void *device, void *program, const trm_host_kernel *declaration,
                             void **kernel)
{
  (void)device, (void)program;
  TELL("kernel_get %s", declaration->name);
  *kernel = &the_program;
  return TRM_OK;
}

/* ---- commands -------------------------------------------------------------- */

static trm_status enqueue(void *device, const trm_command *command)
{
  unsigned char *memory[TRM_MAX_BUFFERS];
  void *buffers[TRM_MAX_BUFFERS];
  (void)device;
  for (uint32_t i = 0; i < command->buffer_count; i++)
    buffers[i] = memory[i] = ((strange_buffer *)command->buffers[i])->memory;
  if (command->kind == TRM_COMMAND_LAUNCH) {
    const trm_extent *n = &command->extent;
    const int64_t rows = (int64_t)n->ny * n->nz;
    const trm_host_kernel *kernel = command->declaration;
    kernel->run(n, 0, kernel->kind == TRM_KERNEL_ROW ? rows : rows * n->nx, command->params,
                buffers);
  } else if (command->kind == TRM_COMMAND_COPY) {
    memcpy(memory[0] + command->offset, memory[1] + command->source_offset, command->bytes);
  } else {
    for (size_t i = 0; i < command->bytes; i += command->pattern_bytes)
      memcpy(memory[0] + command->offset + i, command->pattern, command->pattern_bytes);
  }
  return TRM_OK;
}

static trm_status sequence_create(void *device, const trm_command *commands, size_t count,
                                  void **out)
{
  (void)device;
  TELL("sequence_create %zu", count);
  if (is_told("sequence")) return FAIL(DEVICE, "no graph today");
  strange_sequence *sequence = calloc(1, sizeof *sequence);
  if (!sequence) return FAIL(NO_HOST_MEMORY, "no memory for a sequence");
  sequence->commands = commands;
  sequence->count = count;
  *out = sequence;
  return TRM_OK;
}

static trm_status sequence_replay(void *device, void *object, size_t times)
{
  const strange_sequence *sequence = object;
  TELL("sequence_replay %zu", times);
  for (size_t t = 0; t < times; t++)
    for (size_t i = 0; i < sequence->count; i++) TRM_TRY(enqueue(device, &sequence->commands[i]));
  return TRM_OK;
}

static void sequence_destroy(void *device, void *sequence)
{
  (void)device;
  TELL("sequence_destroy");
  free(sequence);
}

static trm_status event_create(void *device, void **event)
{
  (void)device;
  *event = &the_program;
  return TRM_OK;
}

static void event_destroy(void *device, void *event) { (void)device, (void)event; }
static trm_status event_record(void *device, void *event)
{
  (void)device, (void)event;
  return TRM_OK;
}

static trm_status event_elapsed(void *device, void *begin, void *end, double *seconds)
{
  (void)device, (void)begin, (void)end;
  *seconds = 0.0;
  return TRM_OK;
}

const trm_backend *trm_backend_strange(uint32_t abi, const trm_services *services)
{
  static const trm_backend table = {
    .abi = TRM_BACKEND_ABI, .bytes = sizeof table, .name = "strange",
    .summary = "fails on demand, for the tests", .probe = probe, .describe = describe,
    .open = open_device, .close = close_device, .finish = finish, .free_memory = free_memory,
    .buffer_create = buffer_create, .buffer_destroy = buffer_destroy,
    .buffer_write = buffer_write, .buffer_read = buffer_read, .program_build = program_build,
    .program_binary = program_binary, .program_load = program_load, .program_key = program_key,
    .program_destroy = program_destroy, .kernel_get = kernel_get, .enqueue = enqueue,
    .event_create = event_create, .event_destroy = event_destroy, .event_record = event_record,
    .event_elapsed = event_elapsed, .sequence_create = sequence_create,
    .sequence_replay = sequence_replay, .sequence_destroy = sequence_destroy,
  };
  (void)abi;
  core = services;
  return &table;
}
