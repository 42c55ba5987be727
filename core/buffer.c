/* buffer.c - memory on a device: create, write, read, copy, fill.
 *
 * Every range is checked here, once for all backends. Nothing is done for a range of no bytes. */
#include "core/domain/parts.h"
#include "core/host_work.h"
#include "core/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- creating ------------------------------------------------------------- */

/* The bytes that can still be allocated; 0 when the device does not tell. */
static uint64_t available(trm_device *device)
{
  trm_error kept;
  uint64_t bytes = 0;
  trmi_error_keep(&kept);
  if (trm_device_free_memory(device, &bytes) != TRM_OK) bytes = 0;
  trmi_error_restore(&kept);
  return bytes;
}

static trm_status too_little(trm_device *device, size_t bytes, const char *name, uint64_t there,
                             const char *words)
{
  char label[256], need[32], has[64] = "an unknown amount is available", left[32];
  if (there)
    snprintf(has, sizeof has, "%s are available", trmi_amount(there, bytes, left, sizeof left));
  return TRM_FAIL(NO_DEVICE_MEMORY,
                  "%s: buffer \"%s\" needs %s, %s%s%s; make the problem smaller or free "
                  "memory on the device",
                  trmi_device_label(device, label, sizeof label), name,
                  trmi_amount(bytes, there, need, sizeof need), has, *words ? ": " : "", words);
}

/* The process's own memory until it runs: threads, programs, parts of a first state. 10 MiB were
 * seen. */
enum { OWN_BYTES = 16 << 20 };

/* The same for all buffers of a run together. */
static uint64_t available_to_all(trm_device *device)
{
  const uint64_t there = available(device), host = device->info.is_host ? trmi_host_memory() : 0;
  const uint64_t left = host > OWN_BYTES ? host - OWN_BYTES : 1;
  return host && there > left ? left : there;
}

trm_status trm_device_require(trm_device *device, uint64_t bytes, const char *what)
{
  char label[256], need[32], has[32];
  if (!device || !what) return TRM_FAIL(INVALID, "trm_device_require: device or what is NULL");
  if (domain_of(device)) return domain_require(device, bytes, what);
  const uint64_t there = available_to_all(device);
  if (there == 0 || bytes <= there) return TRM_OK;
  return TRM_FAIL(NO_DEVICE_MEMORY,
                  "%s: %s needs %s, %s are available; make it smaller or free memory on the device",
                  trmi_device_label(device, label, sizeof label), what,
                  trmi_amount(bytes, there, need, sizeof need),
                  trmi_amount(there, bytes, has, sizeof has));
}

/* The machine's answer takes a score of files, longer than a small buffer itself: where there is
 * plenty, it stands for buffers of so many bytes together. */
enum { UNASKED_BYTES = 1 << 20, PLENTY = 64 * UNASKED_BYTES };

/* Refused before the driver is asked: some drivers promise memory that they do not have, and kill
 * the program when it is touched. */
static trm_status check_room(trm_device *device, size_t bytes, const char *name)
{
  char label[256], need[32], most[32];
  const uint64_t largest = device->info.max_buffer_bytes;
  if (largest && bytes > largest)
    return TRM_FAIL(NO_DEVICE_MEMORY,
                    "%s: buffer \"%s\" needs %s, the largest single buffer is %s; make the problem "
                    "smaller",
                    trmi_device_label(device, label, sizeof label), name,
                    trmi_amount(bytes, largest, need, sizeof need),
                    trmi_amount(largest, bytes, most, sizeof most));
  if (bytes <= device->unasked_bytes) {
    device->unasked_bytes -= bytes;
    return TRM_OK;
  }
  const uint64_t there = available(device);
  if (there && bytes > there) return too_little(device, bytes, name, there, "");
  device->unasked_bytes = there > PLENTY && there - PLENTY > bytes ? UNASKED_BYTES : 0;
  return TRM_OK;
}

static void count_memory(trm_buffer *buffer, size_t bytes)
{
  trm_counters *counters = &buffer->device->counters;
  buffer->held_bytes += bytes;
  counters->held_bytes += bytes;
  if (counters->held_bytes > counters->most_bytes) counters->most_bytes = counters->held_bytes;
}

typedef trm_status create_fn(void *device, size_t bytes, void **buffer);

static trm_status make(trm_device *device, size_t bytes, const char *name, create_fn *create,
                       trm_buffer **out)
{
  trm_buffer *buffer = calloc(1, sizeof *buffer);
  if (!buffer) return TRM_FAIL(NO_HOST_MEMORY, "buffer \"%s\": out of host memory", name);
  trmi_log_to(device->context);
  const trm_status status = create(device->handle, bytes, &buffer->handle);
  if (status != TRM_OK) {
    free(buffer);
    if (status != TRM_ERROR_NO_DEVICE_MEMORY) return status;
    return too_little(device, bytes, name, available(device), trm_error_last()->text);
  }
  buffer->holders = 1;
  buffer->device = device;
  trmi_device_retain(device);
  buffer->bytes = bytes;
  snprintf(buffer->name, sizeof buffer->name, "%s", name);
  *out = buffer;
  return TRM_OK;
}

static trm_status create_of_part(trm_device *device, size_t bytes, const char *name,
                                 trm_buffer **out)
{
  trm_buffer *buffer = NULL;
  TRM_TRY(domain_buffer_create(device, bytes, name, &buffer));
  const trm_status seen = trmi_trace_buffer(device, buffer);
  if (seen != TRM_OK) trmi_buffer_release(buffer);
  else *out = buffer;
  return seen;
}

trm_status trm_buffer_create(trm_device *device, size_t bytes, const char *name, trm_buffer **out)
{
  trm_buffer *buffer = NULL;
  if (!device) return TRM_FAIL(INVALID, "trm_buffer_create: device is NULL");
  if (!name || !out) return TRM_FAIL(INVALID, "trm_buffer_create: name or out is NULL");
  if (bytes == 0)
    return TRM_FAIL(INVALID, "trm_buffer_create: buffer \"%s\" has no bytes; ask for one or more",
                    name);
  if (trmi_is_forked()) return trmi_refuse_forked("trm_buffer_create");
  if (domain_of(device) && !device->domain->is_alone)
    return create_of_part(device, bytes, name, out);
  TRM_TRY(check_room(device, bytes, name));
  TRM_TRY(make(device, bytes, name, device->table->buffer_create, &buffer));
  count_memory(buffer, bytes);
  const trm_status seen = trmi_trace_buffer(device, buffer);
  if (seen != TRM_OK) {
    trmi_buffer_release(buffer);
    return seen;
  }
  *out = buffer;
  return TRM_OK;
}

trm_status trmi_buffer_reserve(trm_device *device, size_t bytes, const char *name,
                               trm_buffer **out)
{
  static const uint64_t nothing = 0;
  trm_buffer *made;
  if (!device->table->buffer_reserve) {
    TRM_TRY(trm_buffer_create(device, bytes, name, out));
    return trm_buffer_fill(*out, 0, bytes, &nothing, 1);
  }
  TRM_TRY(make(device, bytes, name, device->table->buffer_reserve, &made));
  if (device->info.whole[0]) count_memory(made, bytes);
  *out = made;
  return TRM_OK;
}

trm_status trmi_buffer_hold(trm_buffer *buffer, size_t offset, size_t bytes)
{
  trm_device *device = buffer->device;
  if (device->info.whole[0] || bytes == 0) return TRM_OK;
  TRM_TRY(check_room(device, bytes, buffer->name));
  const trm_status status = device->table->buffer_hold(device->handle, buffer->handle, offset,
                                                       bytes);
  if (status == TRM_ERROR_NO_DEVICE_MEMORY)
    return too_little(device, bytes, buffer->name, available(device), trm_error_last()->text);
  TRM_TRY(status);
  count_memory(buffer, bytes);
  return TRM_OK;
}

trm_status trmi_buffer_drop(trm_buffer *buffer, size_t offset, size_t bytes)
{
  trm_device *device = buffer->device;
  if (device->info.whole[0] || bytes == 0) return TRM_OK;
  buffer->held_bytes -= bytes;
  device->counters.held_bytes -= bytes;
  return device->table->buffer_drop(device->handle, buffer->handle, offset, bytes);
}

void trm_buffer_destroy(trm_buffer **buffer)
{
  if (!buffer || !*buffer) return;
  trmi_buffer_release(*buffer);
  *buffer = NULL;
}

const char *trmi_buffer_name(const trm_buffer *buffer)
{
  return buffer ? buffer->name : "";
}

void trmi_buffer_retain(trm_buffer *buffer)
{
  buffer->holders++;
}

void trmi_buffer_release(trm_buffer *buffer)
{
  if (trmi_is_forked() || --buffer->holders != 0) return;
  trm_error kept;
  trmi_error_keep(&kept);
  trmi_log_to(buffer->device->context);
  if (buffer->part) domain_buffer_release(buffer);
  buffer->device->table->buffer_destroy(buffer->device->handle, buffer->handle);
  buffer->device->counters.held_bytes -= buffer->held_bytes;
  trmi_error_restore(&kept);
  trmi_device_release(buffer->device);
  free(buffer);
}

trm_device *trm_buffer_device(const trm_buffer *buffer)
{
  return buffer->device;
}

size_t trm_buffer_bytes(const trm_buffer *buffer)
{
  return buffer ? buffer->bytes : 0;
}

/* ---- moving data ---------------------------------------------------------- */

/* The backend's words, with the buffer that they are about. */
static trm_status name_buffer(trm_status status, const trm_buffer *buffer, const char *doing)
{
  const trm_error cause = *trm_error_last();
  if (status == TRM_OK) return status;
  return trm_error_record(status, cause.file, cause.line, "%s buffer \"%s\": %s", doing,
                          buffer->name, cause.text);
}

static trm_status check_range(const trm_buffer *buffer, size_t offset, size_t bytes,
                              const char *what)
{
  if (!buffer) return TRM_FAIL(INVALID, "%s: the buffer is NULL", what);
  if (offset > buffer->bytes || bytes > buffer->bytes - offset)
    return TRM_FAIL(INVALID,
                    "%s: %zu bytes from offset %zu do not lie inside buffer \"%s\" of %zu bytes",
                    what, bytes, offset, buffer->name, buffer->bytes);
  return TRM_OK;
}

/* A buffer of all parts, in a call of all parts. */
static int is_of_parts(const trm_buffer *buffer)
{
  return buffer->part && domain_of(buffer->device);
}

trm_status trm_buffer_write(trm_buffer *buffer, size_t offset, size_t bytes, const void *source)
{
  static const char what[] = "trm_buffer_write";
  TRM_TRY(check_range(buffer, offset, bytes, what));
  TRM_TRY(trmi_device_idle(buffer->device, what));
  if (bytes == 0) return TRM_OK;
  if (!source) return TRM_FAIL(INVALID, "%s: buffer \"%s\": source is NULL", what, buffer->name);
  trmi_log_to(buffer->device->context);
  buffer->device->counters.writes++;
  buffer->device->counters.written_bytes += bytes;
  if (is_of_parts(buffer)) {
    TRM_TRY(domain_buffer_write(buffer, offset, bytes, source));
    return trmi_trace_written(buffer->device, buffer);
  }
  trmi_host_copy_for(buffer->device);
  const trm_status status = buffer->device->table->buffer_write(
      buffer->device->handle, buffer->handle, offset, bytes, source);
  trmi_host_copy_for(NULL);
  TRM_TRY(name_buffer(status, buffer, "writing to"));
  return trmi_trace_written(buffer->device, buffer);
}

static trm_status read_bytes(trm_buffer *buffer, size_t offset, size_t bytes, void *destination,
                             int is_made, const char *what)
{
  TRM_TRY(check_range(buffer, offset, bytes, what));
  TRM_TRY(trmi_device_idle(buffer->device, what));
  if (bytes == 0) return TRM_OK;
  if (!destination)
    return TRM_FAIL(INVALID, "%s: buffer \"%s\": destination is NULL", what, buffer->name);
  trmi_log_to(buffer->device->context);
  buffer->device->counters.reads++;
  buffer->device->counters.read_bytes += bytes;
  if (is_of_parts(buffer))
    return is_made && !buffer->device->domain->is_alone
             ? domain_buffer_read_made(buffer, offset, bytes, destination)
             : domain_buffer_read(buffer, offset, bytes, destination);
  trmi_host_copy_for(buffer->device);
  const trm_status status = buffer->device->table->buffer_read(
      buffer->device->handle, buffer->handle, offset, bytes, destination);
  trmi_host_copy_for(NULL);
  return name_buffer(status, buffer, "reading from");
}

trm_status trm_buffer_read(trm_buffer *buffer, size_t offset, size_t bytes, void *destination)
{
  return read_bytes(buffer, offset, bytes, destination, 0, "trm_buffer_read");
}

trm_status trm_buffer_read_made(trm_buffer *buffer, size_t offset, size_t bytes, void *destination)
{
  return read_bytes(buffer, offset, bytes, destination, 1, "trm_buffer_read_made");
}

trm_status trm_buffer_copy(trm_buffer *destination, size_t destination_offset, trm_buffer *source,
                           size_t source_offset, size_t bytes)
{
  TRM_TRY(check_range(destination, destination_offset, bytes, "trm_buffer_copy, destination"));
  TRM_TRY(check_range(source, source_offset, bytes, "trm_buffer_copy, source"));
  if (destination->device != source->device)
    return TRM_FAIL(INVALID,
                    "trm_buffer_copy: buffers \"%s\" and \"%s\" belong to different devices; read "
                    "one and write the other",
                    destination->name, source->name);
  const size_t distance = destination_offset > source_offset ? destination_offset - source_offset
                                                             : source_offset - destination_offset;
  if (destination == source && distance < bytes)
    return TRM_FAIL(INVALID,
                    "trm_buffer_copy: %zu bytes from offset %zu to offset %zu of buffer \"%s\" "
                    "overlap; copy through another buffer",
                    bytes, source_offset, destination_offset, source->name);
  if (bytes == 0) return TRM_OK;
  const int is_replicated = destination->device->is_replicated;
  const trmi_sharing sharing = { .how.each = is_replicated ? TRMI_REPLICATED : 0 };
  trm_command command = { .kind = TRM_COMMAND_COPY, .offset = destination_offset,
                          .source_offset = source_offset, .bytes = bytes, .buffer_count = 2,
                          .sharing = &sharing };
  command.buffers[0] = destination->handle;
  command.buffers[1] = source->handle;
  trm_buffer *const buffers[2] = { destination, source };
  return trmi_device_submit(destination->device, &command, buffers, 2, NULL);
}

trm_status trm_buffer_fill(trm_buffer *buffer, size_t offset, size_t bytes, const void *pattern,
                           size_t pattern_bytes)
{
  static const char what[] = "trm_buffer_fill";
  TRM_TRY(check_range(buffer, offset, bytes, what));
  if (!pattern) return TRM_FAIL(INVALID, "%s: buffer \"%s\": pattern is NULL", what, buffer->name);
  if (pattern_bytes != 1 && pattern_bytes != 2 && pattern_bytes != 4 && pattern_bytes != 8)
    return TRM_FAIL(INVALID, "%s: buffer \"%s\": a pattern has 1, 2, 4 or 8 bytes, not %zu", what,
                    buffer->name, pattern_bytes);
  if (offset % pattern_bytes != 0 || bytes % pattern_bytes != 0)
    return TRM_FAIL(INVALID,
                    "%s: buffer \"%s\": offset %zu and bytes %zu are not both multiples of the "
                    "pattern's %zu bytes",
                    what, buffer->name, offset, bytes, pattern_bytes);
  if (bytes == 0) return TRM_OK;
  trm_command command = { .kind = TRM_COMMAND_FILL, .offset = offset, .bytes = bytes,
                          .pattern_bytes = (uint32_t)pattern_bytes, .buffer_count = 1 };
  command.buffers[0] = buffer->handle;
  memcpy(command.pattern, pattern, pattern_bytes);
  return trmi_device_submit(buffer->device, &command, &buffer, 1, NULL);
}

trm_status trmi_buffer_holds(const trm_buffer *buffer, const char *what, const char *role,
                             size_t first, size_t stride, size_t rows, size_t count,
                             size_t value_bytes)
{
  size_t end, bytes;
  TRM_TRY(trm_size_mul(rows - 1, stride, role, &end));
  TRM_TRY(trm_size_add(end, count, role, &end));
  TRM_TRY(trm_size_add(end, first, role, &end));
  TRM_TRY(trm_size_mul(end, value_bytes, role, &bytes));
  if (bytes > buffer->bytes)
    return TRM_FAIL(INVALID, "%s: %s reaches to byte %zu of buffer \"%s\", which has %zu", what,
                    role, bytes, buffer->name, buffer->bytes);
  return TRM_OK;
}
