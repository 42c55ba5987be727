/* check.c - with TRIREME_CHECK_ROWS=1: around each shared launch, rows that a member does not have
 * are made numbers that are none, so that a kernel which reads them all the same, beyond the halo
 * that it declares, or writes them, is found at once and named. Slow: all is read back. */
#include "core/crew/reach.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

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

/* Rows of the member's that are not those. */
static trm_status poison_all_but(const crew_device *crew, crew_buffer *b, size_t m, crew_span rows)
{
  if (rows.count >= b->total) return TRM_OK;
  return poison_rows(crew, b, m, (rows.first + rows.count) % b->total, b->total - rows.count);
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
      crew_halo_of(command));
}

static trm_status check_rows(const crew_device *crew, const trm_command *command, uint32_t i,
                             size_t m, crew_span own, unsigned char *room)
{
  const crew_buffer *b = command->buffers[i];
  const trmi_sharing *sharing = command->sharing;
  const size_t written = sharing->chunks.values ? (size_t)sharing->how.each : b->components;
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
    if (status == TRM_OK) status = poison_all_but(crew, b, m, own);
    if (status == TRM_OK) status = poison_made(crew, b, m);
  }
  free(room);
  return status;
}

/* ---- rows that are written ----------------------------------------------------- */

static int is_checked(const trm_command *command, uint32_t i)
{
  return command->declaration->access[i] == 'w' && !(command->sharing->how.device_local >> i & 1);
}

/* Of blocks on a curve a member has rows that no span tells of (near.c). */
static int has_strange_rows(const trm_command *command, uint32_t i)
{
  const crew_buffer *b = command->buffers[i];
  return is_checked(command, i) && b->is_cut && !b->near && !b->starts;
}

static int is_among(crew_span rows, size_t row, size_t total)
{
  return (row + total - rows.first) % total < rows.count;
}

/* Rows that member m is given by the launch at hand. */
static crew_span given_of(const crew_device *crew, const crew_buffer *b, size_t m)
{
  const crew_span own = crew_own_of(crew, b, m), more = crew->members[m].more;
  return (crew_span){ (own.first + b->total - more.first) % b->total,
                      own.count + more.first + more.count };
}

static trm_status hash_row(const crew_buffer *b, size_t m, size_t row, uint64_t *out)
{
  const size_t bytes = b->nx * b->value_bytes;
  trm_status status = TRM_OK;
  unsigned char *room = malloc(bytes);
  if (!room) return TRM_FAIL(NO_HOST_MEMORY, "no memory to check rows");
  *out = 0;
  for (size_t c = 0; c < b->components && status == TRM_OK; c++) {
    const size_t at = (b->first + c * b->component + row * b->row) * b->value_bytes;
    status = trm_buffer_read(b->parts[m], at, bytes, room);
    if (status == TRM_OK) *out = XXH3_64bits_withSeed(room, bytes, *out);
  }
  free(room);
  return status;
}

/* What a row of others is before the launch, also where it has yet to come. Of a buffer that nobody
 * wrote all members have all rows, and each its own. */
static trm_status note_row(crew_device *crew, uint32_t i, const crew_buffer *b, size_t m,
                           size_t row)
{
  size_t from = 0;
  if (crew->note_count == crew->note_room) {
    const size_t room = 2 * crew->note_room + 64;
    crew_note *grown = realloc(crew->notes, room * sizeof *grown);
    if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory to check rows");
    crew->notes = grown;
    crew->note_room = room;
  }
  if (crew_has(b, m, (crew_span){ row, 1 })) from = m;
  while (from < crew->count && !crew_has(b, from, (crew_span){ row, 1 })) from++;
  if (from == crew->count) return TRM_OK;
  crew_note *note = &crew->notes[crew->note_count];
  *note = (crew_note){ .argument = i, .member = m, .row = row };
  TRM_TRY(crew_settle(crew, from));
  TRM_TRY(hash_row(b, from, row, &note->hash));
  crew->note_count++;
  return TRM_OK;
}

/* Rows that a member does not have, also once others have come, are poison; those that it has and
 * is not given are noted. */
trm_status crew_check_begin(crew_device *crew, const trm_command *command)
{
  crew->note_count = 0;
  for (uint32_t i = 0; i < command->buffer_count; i++)
    for (size_t m = 0; m < crew->count && has_strange_rows(command, i); m++) {
      crew_buffer *b = command->buffers[i];
      const crew_span then = crew_fresh_then(crew, b, m), given = given_of(crew, b, m);
      for (size_t row = 0; row < b->total; row++)
        if (is_among(then, row, b->total) && !is_among(given, row, b->total))
          TRM_TRY(note_row(crew, i, b, m, row));
      TRM_TRY(poison_all_but(crew, b, m, then));
    }
  return TRM_OK;
}

static trm_status name_writer(const crew_device *crew, const trm_command *command, uint32_t i,
                              size_t m, size_t row)
{
  const trm_device_info *info = &crew->members[m].device->info;
  return TRM_FAIL(INVALID, "kernel %s wrote row %zu of its argument %u on %s:%zu of rank %d, which "
                  "has other rows: it writes further than the row that it is given; write that "
                  "one, or run on one device", command->declaration->name, row, i, info->backend,
                  info->index, crew->members[m].rank);
}

/* Notes are in the order in which rows are looked at; *at: the first that was not met. */
static int is_noted(const crew_device *crew, uint32_t i, size_t m, size_t row, size_t *at)
{
  const crew_note *note = &crew->notes[*at];
  const int found = *at < crew->note_count && note->argument == i && note->member == m &&
                    note->row == row;
  *at += (size_t)found;
  return found;
}

static trm_status check_notes(const crew_device *crew, const trm_command *command)
{
  for (size_t n = 0; n < crew->note_count; n++) {
    const crew_note *note = &crew->notes[n];
    uint64_t hash;
    TRM_TRY(crew_settle(crew, note->member));
    TRM_TRY(hash_row(command->buffers[note->argument], note->member, note->row, &hash));
    if (hash != note->hash)
      return name_writer(crew, command, note->argument, note->member, note->row);
  }
  return TRM_OK;
}

static trm_status check_poison(const crew_device *crew, const trm_command *command, uint32_t i,
                               size_t m, size_t *at)
{
  const crew_buffer *b = command->buffers[i];
  const size_t bytes = b->nx * b->value_bytes;
  const crew_span given = given_of(crew, b, m);
  uint64_t hash, poison = 0;
  unsigned char *row_of_poison = malloc(bytes);
  if (!row_of_poison) return TRM_FAIL(NO_HOST_MEMORY, "no memory to check rows");
  memset(row_of_poison, 0xff, bytes);
  for (size_t c = 0; c < b->components; c++)
    poison = XXH3_64bits_withSeed(row_of_poison, bytes, poison);
  free(row_of_poison);
  TRM_TRY(crew_settle(crew, m));
  for (size_t row = 0; row < b->total; row++) {
    if (is_among(given, row, b->total) || is_noted(crew, i, m, row, at)) continue;
    TRM_TRY(hash_row(b, m, row, &hash));
    if (hash != poison) return name_writer(crew, command, i, m, row);
  }
  return TRM_OK;
}

trm_status crew_check(const crew_device *crew, const trm_command *command)
{
  size_t noted = 0;
  TRM_TRY(check_notes(crew, command));
  for (uint32_t i = 0; i < command->buffer_count; i++)
    for (size_t m = 0; m < crew->count && has_strange_rows(command, i); m++)
      TRM_TRY(check_poison(crew, command, i, m, &noted));
  for (uint32_t i = 0; i < command->buffer_count; i++)
    if (is_checked(command, i)) TRM_TRY(check_buffer(crew, command, i));
  return TRM_OK;
}
