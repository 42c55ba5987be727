/* sequence.c - launches, copies and fills, recorded once and replayed many times.
 *
 * A recorded command is a copy of a command to be enqueued; its buffers and programs are held until
 * the sequence is destroyed. The backend chooses how a replay runs. The commands are enqueued one
 * by one in three cases: the backend offers no replay; the device was opened with plain_replay; a
 * trace sees every command. */
#include "core/domain/parts.h"

#include <stdlib.h>

static void release_sequence(trm_sequence *sequence)
{
  trm_device *device = sequence->device;
  if (trmi_is_forked()) return;
  if (sequence->handle) {
    trmi_device_wait(device);
    trm_error kept;
    trmi_error_keep(&kept);
    device->table->sequence_destroy(device->handle, sequence->handle);
    trmi_error_restore(&kept);
  }
  domain_kept_free(device, &sequence->exchanges);
  for (size_t i = 0; i < sequence->count; i++) {
    trmi_kept *kept = &sequence->kept[i];
    for (size_t b = 0; b < kept->buffer_count; b++) trmi_buffer_release(kept->buffers[b]);
    if (kept->program) trmi_program_release(kept->program);
  }
  free(sequence->commands);
  free(sequence->kept);
  free(sequence);
  trmi_device_release(device);
}

/* ---- recording ------------------------------------------------------------ */

trm_status trm_sequence_begin(trm_device *device)
{
  if (!device) return TRM_FAIL(INVALID, "trm_sequence_begin: device is NULL");
  TRM_TRY(trmi_device_idle(device, "trm_sequence_begin"));
  trm_sequence *sequence = calloc(1, sizeof *sequence);
  if (!sequence) return TRM_FAIL(NO_HOST_MEMORY, "trm_sequence_begin: out of host memory");
  static _Atomic uint64_t numbers;
  sequence->number = ++numbers;
  sequence->device = device;
  trmi_device_retain(device);
  device->recording = sequence;
  return TRM_OK;
}

static trm_status grow(trm_sequence *sequence)
{
  enum { FIRST_CAPACITY = 64 };
  const size_t capacity = sequence->capacity ? 2 * sequence->capacity : FIRST_CAPACITY;
  size_t bytes;
  TRM_TRY(trm_size_mul(capacity, sizeof *sequence->commands, "a sequence's length", &bytes));
  trm_command *commands = realloc(sequence->commands, bytes);
  if (commands) sequence->commands = commands;
  TRM_TRY(trm_size_mul(capacity, sizeof *sequence->kept, "a sequence's length", &bytes));
  trmi_kept *kept = realloc(sequence->kept, bytes);
  if (kept) sequence->kept = kept;
  if (!commands || !kept)
    return TRM_FAIL(NO_HOST_MEMORY, "out of host memory for a sequence of %zu commands", capacity);
  sequence->capacity = capacity;
  return TRM_OK;
}

trm_status trmi_sequence_keep(trm_sequence *sequence, const trm_command *command,
                              trm_buffer *const *buffers, size_t buffer_count, trm_program *program)
{
  if (sequence->count == sequence->capacity) TRM_TRY(grow(sequence));
  sequence->commands[sequence->count] = *command;
  trmi_kept *kept = &sequence->kept[sequence->count];
  if (command->sharing) kept->sharing = *command->sharing;
  kept->program = program;
  kept->buffer_count = buffer_count;
  if (program) trmi_program_retain(program);
  for (size_t b = 0; b < buffer_count; b++) {
    kept->buffers[b] = buffers[b];
    trmi_buffer_retain(buffers[b]);
  }
  sequence->count++;
  trmi_count_command(&sequence->counters, command);
  return TRM_OK;
}

void trm_sequence_cancel(trm_device *device)
{
  if (!device || !device->recording) return;
  trm_sequence *sequence = device->recording;
  device->recording = NULL;
  release_sequence(sequence);
}

static int is_of_parts(const trm_sequence *sequence)
{
  const trmi_kept *first = sequence->kept;
  return sequence->count > 0 &&
         domain_shares(sequence->device, first->buffers, first->buffer_count);
}

trm_status trm_sequence_end(trm_device *device, trm_sequence **out)
{
  if (!device || !out) return TRM_FAIL(INVALID, "trm_sequence_end: device or out is NULL");
  trm_sequence *sequence = device->recording;
  if (!sequence)
    return TRM_FAIL(INVALID, "trm_sequence_end: no sequence is being recorded; call "
                             "trm_sequence_begin first");
  device->recording = NULL;
  for (size_t i = 0; i < sequence->count; i++)
    sequence->commands[i].sharing = &sequence->kept[i].sharing;
  const int is_plain = is_of_parts(sequence) || device->options.plain_replay ||
                       (device->trace && !device->trace->replay);
  if (device->table->sequence_create && !is_plain && sequence->count > 0) {
    trmi_log_to(device->context);
    const trm_status status = device->table->sequence_create(device->handle, sequence->commands,
                                                             sequence->count, &sequence->handle);
    if (status != TRM_OK) {
      release_sequence(sequence);
      return status;
    }
  }
  trmi_fused_record(device, sequence);
  *out = sequence;
  return TRM_OK;
}

/* ---- replaying ------------------------------------------------------------ */

size_t trm_sequence_length(const trm_sequence *sequence)
{
  return sequence ? sequence->count : 0;
}

trmi_seen trmi_sequence_command(const trm_sequence *sequence, size_t i)
{
  return (trmi_seen){ &sequence->commands[i], sequence->kept[i].program,
                      sequence->kept[i].buffers };
}

uint64_t trmi_sequence_number(const trm_sequence *sequence)
{
  return sequence->number;
}

static void count(trm_counters *counters, const trm_counters *once, size_t times, int by_backend)
{
  if (by_backend) counters->replayed += once->launches * times;
  counters->launches += once->launches * times;
  counters->copies += once->copies * times;
  counters->fills += once->fills * times;
  counters->copied_bytes += once->copied_bytes * times;
}

trm_status trm_sequence_replay(trm_sequence *sequence, size_t times)
{
  if (!sequence) return TRM_FAIL(INVALID, "trm_sequence_replay: sequence is NULL");
  trm_device *device = sequence->device;
  TRM_TRY(trmi_device_idle(device, "trm_sequence_replay"));
  if (times == 0 || sequence->count == 0) return TRM_OK;
  size_t seen = sequence->handle ? 0 : times;
  if (sequence->handle) TRM_TRY(trmi_trace_replay(device, sequence, times, &seen));
  trmi_log_to(device->context);
  count(&device->counters, &sequence->counters, times - seen, 1);
  count(&device->counters, &sequence->counters, seen, 0);
  if (seen < times)
    TRM_TRY(device->table->sequence_replay(device->handle, sequence->handle, times - seen));
  for (size_t t = 0; t < seen && is_of_parts(sequence); t++) TRM_TRY(domain_replay(sequence));
  for (size_t t = 0; t < seen && !is_of_parts(sequence); t++)
    for (size_t i = 0; i < sequence->count; i++)
      TRM_TRY(trmi_device_enqueue(device, &sequence->commands[i], sequence->kept[i].buffers,
                                  sequence->kept[i].program));
  return TRM_OK;
}

void trm_sequence_destroy(trm_sequence **sequence)
{
  if (!sequence || !*sequence) return;
  release_sequence(*sequence);
  *sequence = NULL;
}
