/* check.c - TRIREME_CHECK_ROWS=1 looks at each launch of which each part carries out its own rows.
 * Rows that the part has not become NaN. So a kernel that reads beyond the halo
 * that it declares is found at once, and named. A kernel that writes rows beside its own is found,
 * too. Each part has memory for all rows, and reads all of them back: this is slow. */
#include "core/domain/parts.h"
#include "core/domain/plan_adding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

trm_status domain_check_read(int *out)
{
  const char *wanted = getenv("TRIREME_CHECK_ROWS");
  *out = wanted && strcmp(wanted, "1") == 0;
  if (*out || !wanted || !*wanted || strcmp(wanted, "0") == 0) return TRM_OK;
  return TRM_FAIL(INVALID, "TRIREME_CHECK_ROWS=%s: give 1 to check the rows that kernels touch, or "
                  "0", wanted);
}

/* Rows beside the part's own stay on the device: no span tells of them. */
static int is_local(const trm_command *command, uint32_t i)
{
  return (int)(command->sharing->how.device_local >> i & 1);
}

static int is_written(const trm_command *command, uint32_t i)
{
  return command->declaration->access[i] == 'w' && !is_local(command, i);
}

/* Of blocks on a curve a part has rows that no span tells of (near.c). */
static int has_spans(const trm_command *command, trm_buffer *const *buffers, uint32_t i)
{
  const domain_rows *b = domain_rows_of(buffers[i]);
  return !is_local(command, i) && b->is_cut && !buffers[i]->part->apart && !b->starts;
}

static int is_among(domain_span rows, size_t row, size_t total)
{
  return domain_rows_in(rows, total, row) > 0;
}

/* ---- rows that the part has not -------------------------------------------------- */

static trm_status poison(trm_buffer *buffer, domain_span bytes)
{
  static const unsigned char none = 0xff;
  return trm_buffer_fill(buffer, bytes.first, bytes.count, &none, 1);
}

/* Rows that may go on at row 0. */
static trm_status poison_rows(trm_buffer *buffer, size_t first, size_t count)
{
  const domain_rows *b = domain_rows_of(buffer);
  const size_t end = first + count > b->total ? b->total : first + count;
  for (size_t i = 0; count && i < b->components * b->lists; i++)
    TRM_TRY(poison(buffer, domain_bytes(b, i / b->lists, i % b->lists, first, end - first)));
  return end < first + count ? poison_rows(buffer, 0, first + count - end) : TRM_OK;
}

static trm_status poison_others(trm_buffer *buffer, domain_span rows)
{
  const size_t total = domain_rows_of(buffer)->total;
  if (rows.count >= total) return TRM_OK;
  return poison_rows(buffer, (rows.first + rows.count) % total, total - rows.count);
}

static size_t largest(size_t a, size_t b) { return a > b ? a : b; }

/* These rows, and those across the ends of a bounded grid. A kernel may read such rows and leave
 * what comes of them, since a later launch writes there. */
static domain_span with_ends(const domain_rows *b, domain_span rows, int halo)
{
  const size_t each = largest(b->plane, largest(b->reach, b->grain));
  const size_t beyond = halo > 0 ? (size_t)halo * each : 0;
  const size_t end = rows.first + rows.count;
  if (!b->is_bounded || rows.count == 0 || rows.count + 2 * beyond >= b->total) return rows;
  const size_t before = rows.first == 0 ? beyond : 0, after = end == b->total ? beyond : 0;
  return (domain_span){ (rows.first + b->total - before) % b->total, before + rows.count + after };
}

/* Derived rows lie behind them. */
static trm_status poison_derived(trm_buffer *buffer)
{
  const domain_rows *b = domain_rows_of(buffer);
  const size_t begin = domain_bytes_declared(b);
  return begin < b->bytes ? poison(buffer, (domain_span){ begin, b->bytes - begin }) : TRM_OK;
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

/* ---- a row ------------------------------------------------------------------------ */

static trm_status read_row(trm_buffer *buffer, size_t component, size_t row, unsigned char *room)
{
  const domain_rows *b = domain_rows_of(buffer);
  const size_t at = (b->first + component * b->component + row * b->row) * b->value_bytes;
  return trm_buffer_read(buffer, at, b->nx * b->value_bytes, room);
}

static unsigned char *room_of(const domain_rows *b) { return malloc(b->nx * b->value_bytes); }

static trm_status fail_memory(void)
{
  return TRM_FAIL(NO_HOST_MEMORY, "no memory to check rows");
}

static trm_status hash_row(trm_buffer *buffer, size_t row, unsigned char *room, uint64_t *out)
{
  const domain_rows *b = domain_rows_of(buffer);
  *out = 0;
  for (size_t c = 0; c < b->components; c++) {
    TRM_TRY(read_row(buffer, c, row, room));
    *out = XXH3_64bits_withSeed(room, b->nx * b->value_bytes, *out);
  }
  return TRM_OK;
}

/* ---- rows that the launch may not write ------------------------------------------- */

typedef trm_status row_fn(trm_buffer *buffer, size_t row, uint64_t hash, void *user);

/* The hash of each row that the launch does not give the part. */
static trm_status each_other(trm_buffer *buffer, uint32_t i, row_fn *visit, void *user)
{
  const domain_device *domain = buffer->device->domain;
  const domain_rows *b = domain_rows_of(buffer);
  const domain_span given = domain_plan_written(domain->plan, i, domain->part);
  unsigned char *room = room_of(b);
  trm_status status = room ? TRM_OK : fail_memory();
  for (size_t row = 0; row < b->total && status == TRM_OK; row++) {
    uint64_t hash;
    if (is_among(given, row, b->total)) continue;
    status = hash_row(buffer, row, room, &hash);
    if (status == TRM_OK) status = visit(buffer, row, hash, user);
  }
  free(room);
  return status;
}

static trm_status note_hash(trm_buffer *buffer, size_t row, uint64_t hash, void *user)
{
  (void)buffer;
  ((uint64_t *)user)[row] = hash;
  return TRM_OK;
}

trm_status domain_check_before(trm_device *device, const trm_command *command,
                               trm_buffer *const *buffers, domain_hashes *before)
{
  const domain_device *domain = device->domain;
  for (uint32_t i = 0; i < command->buffer_count; i++) {
    if (!has_spans(command, buffers, i)) continue;
    const domain_span there = domain_plan_moved(domain->plan, buffers[i]->part->number,
                                                domain->part);
    TRM_TRY(poison_others(buffers[i], with_ends(domain_rows_of(buffers[i]), there,
                                                adding_halo(&domain->plan->last))));
    if (!is_written(command, i)) continue;
    before->of[i] = calloc(domain_rows_of(buffers[i])->total, sizeof *before->of[i]);
    if (!before->of[i]) return fail_memory();
    TRM_TRY(each_other(buffers[i], i, note_hash, before->of[i]));
  }
  return TRM_OK;
}

/* ---- after the launch --------------------------------------------------------------- */

/* "openmp:0, part 1 of 3" */
static void name_part(const trm_device *device, char out[96])
{
  const domain_device *domain = device->domain;
  snprintf(out, 96, "%s:%zu, %s %zu of %zu", device->info.backend, device->info.index,
           *domain->comm.called ? domain->comm.called : "part", domain->part, domain->parts);
}

typedef struct writer {
  const trm_command *command;
  uint32_t argument;
  const uint64_t *before;
} writer;

static trm_status compare_hash(trm_buffer *buffer, size_t row, uint64_t hash, void *user)
{
  const writer *w = user;
  char part[96];
  if (hash == w->before[row]) return TRM_OK;
  name_part(buffer->device, part);
  return TRM_FAIL(INVALID, "kernel %s wrote row %zu of its argument %u on %s, which has other "
                  "rows: it writes further than the row that it is given; write that one, or run "
                  "on one device", w->command->declaration->name, row, w->argument, part);
}

static trm_status name_reader(const trm_buffer *buffer, const trm_command *command, uint32_t i,
                              size_t row)
{
  char part[96];
  name_part(buffer->device, part);
  return TRM_FAIL(INVALID, "kernel %s left in row %zu of its argument %u, on %s, a number that "
                  "stands for rows that this device does not have: it reads further than it "
                  "declares (halo %d); declare all that it reads, or run on one device",
                  command->declaration->name, row, i, part,
                  adding_halo(&buffer->device->domain->plan->last));
}

/* Own rows that the launch has written. */
static trm_status find_poison(trm_buffer *buffer, const trm_command *command, uint32_t i,
                              unsigned char *room)
{
  const domain_device *domain = buffer->device->domain;
  const domain_rows *b = domain_rows_of(buffer);
  const trmi_sharing *sharing = command->sharing;
  const domain_span valid = domain_valid_of(buffer)[domain->part];
  const size_t written = sharing->chunks.values ? (size_t)sharing->how.each : b->components;
  for (size_t c = 0; c < written; c++)
    for (size_t r = 0; r < valid.count; r++) {
      const size_t row = (valid.first + r) % b->total;
      TRM_TRY(read_row(buffer, c, row, room));
      for (size_t x = 0; x < b->nx; x++)
        if (is_poison(room + x * b->value_bytes, b->value_bytes))
          return name_reader(buffer, command, i, row);
    }
  return TRM_OK;
}

static trm_status check_written(trm_buffer *buffer, const trm_command *command, uint32_t i)
{
  const domain_device *domain = buffer->device->domain;
  const domain_rows *b = domain_rows_of(buffer);
  unsigned char *room = room_of(b);
  trm_status status = room ? TRM_OK : fail_memory();
  if (status == TRM_OK && b->is_real && !b->starts) status = find_poison(buffer, command, i, room);
  free(room);
  if (status != TRM_OK || !buffer->part->apart) return status;
  TRM_TRY(poison_others(buffer, domain_valid_of(buffer)[domain->part]));
  return poison_derived(buffer);
}

trm_status domain_check_after(trm_device *device, const trm_command *command,
                              trm_buffer *const *buffers, const domain_hashes *before)
{
  (void)device;
  for (uint32_t i = 0; i < command->buffer_count; i++)
    if (before->of[i])
      TRM_TRY(each_other(buffers[i], i, compare_hash, &(writer){ command, i, before->of[i] }));
  for (uint32_t i = 0; i < command->buffer_count; i++)
    if (is_written(command, i)) TRM_TRY(check_written(buffers[i], command, i));
  return TRM_OK;
}
