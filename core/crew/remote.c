/* remote.c - a device of another rank, as a device of this process: its table tells the other rank
 * what to do (serve.c does it). Only what gives something back is waited for. */
#include "core/crew/ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct remote_device {
  int rank;
  uint64_t number;
} remote_device;

typedef struct remote_program {
  uint64_t number, order;       /* order: that it was built by */
  int is_awaited;               /* its answer */
} remote_program;

static uint64_t last_number;

static void *number_of(uint64_t number) { return (void *)(uintptr_t)number; }
static uint64_t of_number(const void *handle) { return (uint64_t)(uintptr_t)handle; }

/* ---- telling and asking --------------------------------------------------------- */

/* bytes: what follows the message, message->bytes of them. */
static trm_status tell(const remote_device *device, ranks_order order, ranks_message *message,
                       const void *bytes)
{
  message->order = order;
  if (!message->of) message->of = device->number;
  TRM_TRY(ranks_tell(device->rank, message));
  return bytes ? ranks_send(device->rank, bytes, message->bytes) : TRM_OK;
}

static trm_status listen(const remote_device *device, uint64_t number, ranks_answer *answer)
{
  TRM_TRY(ranks_receive(device->rank, answer, sizeof *answer));
  if (answer->number != number)
    return ranks_part(TRM_FAIL(DEVICE, "rank %d is out of step: it answers order %" PRIu64 ", "
                               "where order %" PRIu64 " was asked; " RANKS_STEP_CURE, device->rank,
                               answer->number, number));
  if (answer->status == TRM_OK) return TRM_OK;
  return trm_error_record((trm_status)answer->status, __FILE__, __LINE__, "rank %d: %s",
                          device->rank, answer->text);
}

trm_status remote_tell(int rank, ranks_order order, ranks_message *message, const void *bytes)
{
  return tell(&(remote_device){ rank, 0 }, order, message, bytes);
}

trm_status remote_listen(int rank, uint64_t number, ranks_answer *answer)
{
  return listen(&(remote_device){ rank, 0 }, number, answer);
}

static trm_status ask(const remote_device *device, ranks_order order, ranks_message *message,
                      const void *bytes, ranks_answer *answer)
{
  TRM_TRY(tell(device, order, message, bytes));
  return listen(device, message->number, answer);
}

/* ---- the table ------------------------------------------------------------------ */

static void close_remote(void *device)
{
  ranks_message message = { .object = 0 };
  (void)tell(device, RANKS_CLOSE, &message, NULL);
  free(device);
}

static trm_status finish(void *device)
{
  ranks_message message = { .object = 0 };
  ranks_answer answer;
  return ask(device, RANKS_FINISH, &message, NULL, &answer);
}

static trm_status free_memory(void *device, uint64_t *bytes)
{
  ranks_message message = { .object = 0 };
  ranks_answer answer;
  TRM_TRY(ask(device, RANKS_FREE_MEMORY, &message, NULL, &answer));
  *bytes = answer.value;
  return TRM_OK;
}

static trm_status buffer_create(void *device, size_t bytes, void **buffer)
{
  ranks_message message = { .object = ++last_number, .bytes = bytes };
  ranks_answer answer;
  TRM_TRY(ask(device, RANKS_BUFFER, &message, NULL, &answer));
  *buffer = number_of(message.object);
  return TRM_OK;
}

static trm_status buffer_hold(void *device, void *buffer, size_t offset, size_t bytes)
{
  ranks_message message = { .object = of_number(buffer), .offset = offset, .bytes = bytes };
  ranks_answer answer;
  return ask(device, RANKS_HOLD, &message, NULL, &answer);
}

static trm_status buffer_drop(void *device, void *buffer, size_t offset, size_t bytes)
{
  ranks_message message = { .object = of_number(buffer), .offset = offset, .bytes = bytes };
  return tell(device, RANKS_DROP, &message, NULL);
}

static void buffer_destroy(void *device, void *buffer)
{
  ranks_message message = { .object = of_number(buffer) };
  (void)tell(device, RANKS_BUFFER_GONE, &message, NULL);
}

static trm_status buffer_write(void *device, void *buffer, size_t offset, size_t bytes,
                               const void *source)
{
  ranks_message message = { .object = of_number(buffer), .offset = offset, .bytes = bytes };
  return tell(device, RANKS_WRITE, &message, source);
}

static trm_status buffer_read(void *device, void *buffer, size_t offset, size_t bytes,
                              void *destination)
{
  ranks_message message = { .object = of_number(buffer), .offset = offset, .bytes = bytes };
  ranks_answer answer;
  TRM_TRY(ask(device, RANKS_READ, &message, NULL, &answer));
  return ranks_receive(((const remote_device *)device)->rank, destination, bytes);
}

static trm_status program_build(void *device, const trm_build *build, char **log, void **program)
{
  (void)device, (void)log, (void)program;
  return TRM_FAIL(INVALID, "program \"%s\": built on a rank without its source", build->name);
}

static void program_destroy(void *device, void *program)
{
  ranks_message message = { .object = ((const remote_program *)program)->number };
  (void)tell(device, RANKS_PROGRAM_GONE, &message, NULL);
  free(program);
}

static trm_status kernel_get(void *device, void *program, const trm_host_kernel *declaration,
                             void **kernel)
{
  ranks_message message = { .object = ++last_number,
                            .of = ((const remote_program *)program)->number,
                            .bytes = strlen(declaration->name) + 1 };
  TRM_TRY(tell(device, RANKS_KERNEL, &message, declaration->name));
  *kernel = number_of(message.object);
  return TRM_OK;
}

static trm_status enqueue(void *device, const trm_command *command)
{
  ranks_message message = { .is.command = *command };
  return tell(device, RANKS_COMMAND, &message, NULL);
}

trm_status remote_command(trm_device *device, const trm_command *command, int is_shared)
{
  ranks_message message = { .peer = is_shared, .is.command = *command };
  return tell(device->handle, RANKS_COMMAND, &message, NULL);
}

trm_status remote_spent(trm_device *device, int is_exact, trm_spent *out)
{
  const remote_device *remote = device->handle;
  ranks_message message = { .peer = is_exact };
  ranks_answer answer;
  TRM_TRY(ask(remote, RANKS_SPENT, &message, NULL, &answer));
  return ranks_receive(remote->rank, out, sizeof *out);
}

/* The clock of several devices is the host's. */
static trm_status event_create(void *device, void **event)
{
  (void)device, (void)event;
  return TRM_FAIL(UNSUPPORTED, "a device of another rank has no events");
}

static void event_destroy(void *device, void *event) { (void)device, (void)event; }

static trm_status event_record(void *device, void *event) { return event_create(device, event); }

static trm_status event_elapsed(void *device, void *begin, void *end, double *seconds)
{
  (void)end, (void)seconds;
  return event_create(device, begin);
}

static const trm_backend table = {
  .abi = TRM_BACKEND_ABI,
  .bytes = sizeof(trm_backend),
  .name = "rank",
  .summary = "a device of another rank",
  .close = close_remote,
  .finish = finish,
  .free_memory = free_memory,
  .buffer_create = buffer_create,
  .buffer_reserve = buffer_create,
  .buffer_hold = buffer_hold,
  .buffer_drop = buffer_drop,
  .buffer_destroy = buffer_destroy,
  .buffer_write = buffer_write,
  .buffer_read = buffer_read,
  .program_build = program_build,
  .program_destroy = program_destroy,
  .kernel_get = kernel_get,
  .enqueue = enqueue,
  .event_create = event_create,
  .event_destroy = event_destroy,
  .event_record = event_record,
  .event_elapsed = event_elapsed,
};

/* ---- what has no entry ------------------------------------------------------------ */

static trm_status open_handle(remote_device *remote, const char *name,
                              const trm_device_options *options, trm_device *device)
{
  ranks_message message = { .object = remote->number, .bytes = strlen(name) + 1,
                            .is.options = *options };
  ranks_answer answer;
  TRM_TRY(ask(remote, RANKS_OPEN, &message, name, &answer));
  device->plugin = answer.value;
  return ranks_receive(remote->rank, &device->info, sizeof device->info);
}

trm_status remote_open(trm_context *context, const char *name, int rank,
                       const trm_device_options *options, trm_device **out)
{
  trm_device *device = calloc(1, sizeof *device);
  remote_device *remote = calloc(1, sizeof *remote);
  trm_status status = device && remote ? TRM_OK
                      : TRM_FAIL(NO_HOST_MEMORY, "%s@%d: out of host memory", name, rank);
  if (status == TRM_OK) {
    *remote = (remote_device){ rank, ++last_number };
    status = open_handle(remote, name, options, device);
  }
  if (status != TRM_OK) {
    free(device);
    free(remote);
    return status;
  }
  device->holders = 1;
  device->context = context;
  trmi_context_retain(context);
  device->table = &table;
  device->handle = remote;
  device->options = *options;
  device->is_remote = 1;
  *out = device;
  return TRM_OK;
}

trm_status remote_build(trm_program *program, const trm_program_source *source,
                        const trm_program_options *options)
{
  ranks_message message = { .object = ++last_number, .is.program = *options };
  unsigned char *packed = NULL;
  TRM_TRY(ranks_pack(source, options->variant, &packed, &message.bytes));
  remote_program *made = calloc(1, sizeof *made);
  const trm_status status = made ? tell(program->device->handle, RANKS_PROGRAM, &message, packed)
                            : TRM_FAIL(NO_HOST_MEMORY, "program \"%s\": out of host memory",
                                       source->name);
  free(packed);
  if (status != TRM_OK) {
    free(made);
    return status;
  }
  *made = (remote_program){ message.object, message.number, 1 };
  program->handle = made;
  return TRM_OK;
}

trm_status remote_built(trm_program *program)
{
  remote_program *made = program->handle;
  ranks_answer answer;
  if (!made->is_awaited) return TRM_OK;
  made->is_awaited = 0;
  TRM_TRY(listen(program->device->handle, made->order, &answer));
  program->info.build_seconds = answer.seconds;
  program->info.from_cache = answer.value != 0;
  return TRM_OK;
}

static trm_status tell_rows(const trm_buffer *buffer, ranks_order order, int peer,
                            const ranks_rows *rows)
{
  ranks_message message = { .object = of_number(buffer->handle), .peer = peer, .is.rows = *rows };
  return tell(buffer->device->handle, order, &message, NULL);
}

trm_status remote_put(const trm_buffer *buffer, int peer, const ranks_rows *rows)
{
  return tell_rows(buffer, RANKS_PUT, peer, rows);
}

trm_status remote_get(const trm_buffer *buffer, int peer, const ranks_rows *rows)
{
  return tell_rows(buffer, RANKS_GET, peer, rows);
}

trm_status trm_ranks_devices(int rank, trm_device_info **list, size_t *count)
{
  const remote_device remote = { rank, 0 };
  ranks_message message = { .object = 0 };
  ranks_answer answer;
  if (rank < 1 || rank >= ranks_place()->size || !list || !count)
    return TRM_FAIL(INVALID, "trm_ranks_devices: there is no other rank %d", rank);
  TRM_TRY(ask(&remote, RANKS_DEVICES, &message, NULL, &answer));
  trm_device_info *made = calloc((size_t)answer.value + 1, sizeof *made);
  if (!made) /* the rank sends them */
    return ranks_part(TRM_FAIL(NO_HOST_MEMORY, "no memory for the devices of rank %d", rank));
  TRM_TRY(ranks_receive(rank, made, (size_t)answer.value * sizeof *made));
  *list = made;
  *count = (size_t)answer.value;
  return TRM_OK;
}

const char *trm_rank_node(int rank) { return ranks_node(rank); }

const char *trm_ranks_library(void) { return ranks_place()->library; }
