/* passes.c - launches of a part that need no rows of others between them, as one sequence of its
 * backend. The sequence runs each launch over the part's own rows, and over rows beside them, which
 * become fewer from launch to launch. */
#include "core/domain/parts.h"

#include <stdlib.h>

typedef struct pass {
  size_t first, count;          /* launches */
  trm_command *commands;
  void *handle;                 /* the backend's sequence */
} pass;

struct domain_passes {
  size_t count;
  pass list[];
};

static int is_by_rows(const trm_sequence *sequence, const domain_exchange *exchange, size_t i)
{
  const trm_command *command = &sequence->commands[i];
  return command->kind == TRM_COMMAND_LAUNCH && command->declaration->kind == TRM_KERNEL_ROW &&
         command->declaration->halo >= 0 &&
         domain_exchange_share(exchange, i)->rows.count > 0;
}

static int is_over_as_many(const trm_command *a, const trm_command *b)
{
  return a->extent.ny == b->extent.ny && a->extent.nz == b->extent.nz;
}

/* From launch i on; 1: it stays alone. */
static size_t length_from(const trm_sequence *sequence, const domain_exchange *exchange, size_t i)
{
  size_t end = i + 1;
  if (!is_by_rows(sequence, exchange, i)) return 1;
  while (end < sequence->count && is_by_rows(sequence, exchange, end) &&
         !domain_exchange_moves(exchange, end) &&
         is_over_as_many(&sequence->commands[i], &sequence->commands[end]))
    end++;
  return end - i;
}

/* All in one count, from the first launch on: rows that lie around row 0 do so in each launch. The
 * least is a row of the grid, and rows behind the last go on at row 0. */
static void unroll(trm_command *commands, size_t count)
{
  const int64_t total = (int64_t)commands->extent.ny * commands->extent.nz;
  int64_t low = commands->first_row;
  for (size_t i = 1; i < count; i++) {
    const int64_t behind = (commands[i].first_row - commands->first_row + total) % total;
    commands[i].first_row = commands->first_row + (2 * behind < total ? behind : behind - total);
    if (commands[i].first_row < low) low = commands[i].first_row;
  }
  for (size_t i = 0; i < count && low < 0; i++) commands[i].first_row += total;
}

static trm_status make(trm_device *device, const trm_sequence *sequence,
                       const domain_exchange *exchange, size_t first, size_t count, pass *out)
{
  *out = (pass){ first, count, calloc(count, sizeof *out->commands), NULL };
  if (!out->commands) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a sequence");
  for (size_t i = 0; i < count; i++) {
    const domain_span rows = domain_exchange_share(exchange, first + i)->rows;
    trm_command *command = &out->commands[i];
    *command = sequence->commands[first + i];
    command->sharing = NULL;
    command->first_row = (int64_t)rows.first;
    command->rows = (int64_t)rows.count;
  }
  unroll(out->commands, count);
  trmi_log_to(device->context);
  return device->table->sequence_create(device->handle, out->commands, count, &out->handle);
}

/* NULL: the device takes one launch after the other. */
trm_status domain_passes_create(trm_device *device, const trm_sequence *sequence,
                                const domain_exchange *exchange, domain_passes **out)
{
  *out = NULL;
  if (!device->info.is_host || !device->table->sequence_create || device->options.plain_replay)
    return TRM_OK;
  domain_passes *made = calloc(1, sizeof *made + sequence->count * sizeof *made->list);
  trm_status status = made ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for a sequence");
  for (size_t i = 0; i < sequence->count && status == TRM_OK;) {
    const size_t count = length_from(sequence, exchange, i);
    if (count > 1) status = make(device, sequence, exchange, i, count, &made->list[made->count++]);
    i += count;
  }
  if (status == TRM_OK) *out = made;
  else domain_passes_destroy(device, &made);
  return status;
}

void domain_passes_destroy(trm_device *device, domain_passes **handle)
{
  domain_passes *passes = *handle;
  if (!passes) return;
  for (size_t i = 0; i < passes->count; i++) {
    if (passes->list[i].handle)
      device->table->sequence_destroy(device->handle, passes->list[i].handle);
    free(passes->list[i].commands);
  }
  free(passes);
  *handle = NULL;
}

size_t domain_passes_at(const domain_passes *passes, size_t i, void **handle)
{
  for (size_t p = 0; passes && p < passes->count; p++) {
    if (passes->list[p].first != i) continue;
    *handle = passes->list[p].handle;
    return passes->list[p].count;
  }
  return 0;
}
