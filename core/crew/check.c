/* check.c - with TRIREME_CHECK_ROWS=1: after each shared launch, rows that a member does not have
 * are made numbers that are none, so that a kernel which reads them all the same, beyond the halo
 * that it declares, is found at once and named. Slow: what was written is read back. */
#include "core/crew/crew.h"

#include <stdlib.h>
#include <string.h>

static trm_status poison_bytes(const crew_device *crew, crew_buffer *b, size_t m, crew_span bytes)
{
  trm_command fill = { .kind = TRM_COMMAND_FILL, .buffer_count = 1, .offset = bytes.first,
                       .bytes = bytes.count, .pattern = { 0xff }, .pattern_bytes = 1 };
  fill.buffers[0] = b;
  return bytes.count ? crew_enqueue_on(crew, &fill, m) : TRM_OK;
}

static trm_status poison_rows(const crew_device *crew, crew_buffer *b, size_t m, size_t first,
                              size_t count)
{
  const size_t end = first + count > b->total ? b->total : first + count;
  for (size_t i = 0; count && i < b->components * b->lists; i++)
    TRM_TRY(poison_bytes(crew, b, m, crew_bytes_of(b, i / b->lists, i % b->lists, first,
                                                   end - first)));
  return end < first + count ? poison_rows(crew, b, m, 0, first + count - end) : TRM_OK;
}

/* What is made of rows lies behind them. */
static trm_status poison_made(const crew_device *crew, crew_buffer *b, size_t m)
{
  const size_t begin = (b->first + b->total * b->row) * b->value_bytes;
  if (!b->near || b->starts || b->bytes <= begin) return TRM_OK;
  return poison_bytes(crew, b, m, (crew_span){ begin, b->bytes - begin });
}

/* NaN as it was made above, whatever was computed from it since. */
static int is_poison(const unsigned char *value, size_t bytes)
{
  uint64_t wide = 0;
  uint32_t narrow = 0;
  if (bytes == 8) memcpy(&wide, value, 8);
  else memcpy(&narrow, value, 4);
  return bytes == 8 ? wide << 1 == UINT64_MAX - 1 : narrow << 1 == UINT32_MAX - 1;
}

static trm_status name_it(const crew_device *crew, const trm_command *command, uint32_t i, size_t m,
                          size_t row)
{
  const trm_device_info *info = &crew->members[m].device->info;
  return TRM_FAIL(
      INVALID,
      "kernel %s left in row %zu of its argument %u, on %s:%zu of rank %d, what "
      "stands for rows that this device does not have: it reads further than it declares "
      "(halo %d); declare what it reads, or run on one device",
      command->declaration->name, row, i, info->backend, info->index, crew->members[m].rank,
      command->declaration->halo);
}

static trm_status check_rows(const crew_device *crew, const trm_command *command, uint32_t i,
                             size_t m, crew_span own, unsigned char *room)
{
  const crew_buffer *b = command->buffers[i];
  const size_t written = command->bytes ? (size_t)command->each : b->components; /* trmi_chunks */
  for (size_t c = 0; c < written; c++)
    for (size_t r = 0; r < own.count; r++) {
      const size_t row = (own.first + r) % b->total;
      const size_t at = (b->first + c * b->component + row * b->row) * b->value_bytes;
      TRM_TRY(trm_buffer_read(b->parts[m], at, b->nx * b->value_bytes, room));
      for (size_t x = 0; x < b->nx; x++)
        if (is_poison(room + x * b->value_bytes, b->value_bytes))
          return name_it(crew, command, i, m, row);
    }
  return TRM_OK;
}

static trm_status check_buffer(const crew_device *crew, const trm_command *command, uint32_t i)
{
  crew_buffer *b = command->buffers[i];
  unsigned char *room = malloc(b->nx * b->value_bytes);
  trm_status status = room ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory to check rows");
  for (size_t m = 0; m < crew->count && status == TRM_OK; m++) {
    const crew_span own = b->fresh[m];
    status = crew_settle(crew, m);
    if (status == TRM_OK && b->is_real && !b->starts)
      status = check_rows(crew, command, i, m, own, room);
    if (status == TRM_OK && own.count < b->total)
      status = poison_rows(crew, b, m, (own.first + own.count) % b->total, b->total - own.count);
    if (status == TRM_OK) status = poison_made(crew, b, m);
  }
  free(room);
  return status;
}

trm_status crew_check(const crew_device *crew, const trm_command *command)
{
  for (uint32_t i = 0; i < command->buffer_count; i++)
    if (command->declaration->access[i] == 'w' && !(command->kept >> i & 1))
      TRM_TRY(check_buffer(crew, command, i));
  return TRM_OK;
}
