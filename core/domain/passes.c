/* passes.c - launches of a part that need no rows of others between them, as one sequence of its
 * backend. The sequence runs each launch over the part's own rows, and over rows beside them, which
 * become fewer from launch to launch. A host goes over its memory once for all of them. A GPU takes
 * several steps a launch; where it takes one, launches stay as they are: rows then come while it
 * computes the inner ones. */
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

/* Steps of one launch write no rows beside those of the last one. So other rows than the part's own
 * have to be nobody's. */
static int may_share_launch(const domain_device *domain, const trm_sequence *sequence, size_t i)
{
  const trm_host_kernel *kernel = sequence->commands[i].declaration;
  for (int b = 0; b < kernel->buffer_count; b++) {
    const trm_buffer *buffer = sequence->kept[i].buffers[b];
    if (kernel->access[b] == 'w' && kernel->steps && b != kernel->steps->to &&
        !domain_plan_rows(domain->plan, buffer->part->number)->is_output)
      return 0;
  }
  return kernel->steps != NULL;
}

static int is_by_rows(const trm_device *device, const trm_sequence *sequence,
                      const domain_exchange *exchange, size_t i)
{
  const trm_command *command = &sequence->commands[i];
  if (command->kind == TRM_COMMAND_LAUNCH && !device->info.is_host &&
      !may_share_launch(device->domain, sequence, i))
    return 0;
  return command->kind == TRM_COMMAND_LAUNCH && command->declaration->kind == TRM_KERNEL_ROW &&
         command->declaration->halo >= 0 &&
         domain_exchange_share(exchange, i)->rows.count > 0;
}

static int is_over_as_many(const trm_command *a, const trm_command *b)
{
  return a->extent.ny == b->extent.ny && a->extent.nz == b->extent.nz;
}

/* From launch i on; 1: it stays alone. */
static size_t length_from(const trm_device *device, const trm_sequence *sequence,
                          const domain_exchange *exchange, size_t i)
{
  size_t end = i + 1;
  if (!is_by_rows(device, sequence, exchange, i)) return 1;
  while (end < sequence->count && is_by_rows(device, sequence, exchange, end) &&
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

static void destroy(trm_device *device, pass *one)
{
  if (one->handle) device->table->sequence_destroy(device->handle, one->handle);
  free(one->commands);
  *one = (pass){ .handle = NULL };
}

/* Part 0 tells how many launches share one, or a pass over memory. */
static void tell(trm_device *device, const trm_sequence *sequence, size_t i, int fused,
                 const char *why)
{
  if (device->domain->part == 0 && sequence->commands[i].kind == TRM_COMMAND_LAUNCH)
    trmi_fused_note(device, sequence->kept[i].program, &sequence->commands[i], fused, why);
}

/* The most launches of the pass that share one. */
static int tell_fused(trm_device *device, const trm_sequence *sequence, const pass *one)
{
  int most = 1;
  for (size_t i = 0; i < one->count && device->table->sequence_fused; i++) {
    const char *why = NULL;
    const int fused = device->table->sequence_fused(device->handle, one->handle, i, &why);
    tell(device, sequence, one->first + i, fused, why);
    if (fused > most) most = fused;
  }
  return most;
}

static trm_status add(trm_device *device, const trm_sequence *sequence,
                      const domain_exchange *exchange, size_t first, size_t count,
                      domain_passes *passes)
{
  pass *made = &passes->list[passes->count];
  const trm_status status = make(device, sequence, exchange, first, count, made);
  if (status != TRM_OK || (tell_fused(device, sequence, made) == 1 && !device->info.is_host))
    destroy(device, made);
  else
    passes->count++;
  return status;
}

/* NULL: the device takes one launch after the other. */
trm_status domain_passes_create(trm_device *device, const trm_sequence *sequence,
                                const domain_exchange *exchange, domain_passes **out)
{
  *out = NULL;
  const int is_plain = device->options.plain_replay;
  for (size_t i = 0; i < sequence->count && is_plain; i++)
    tell(device, sequence, i, 1, TRMI_FUSED_PLAIN);
  if (is_plain || !device->table->sequence_create ||
      (!device->info.is_host && !device->table->sequence_fused))
    return TRM_OK;
  domain_passes *made = calloc(1, sizeof *made + sequence->count * sizeof *made->list);
  trm_status status = made ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for a sequence");
  for (size_t i = 0; i < sequence->count && status == TRM_OK;) {
    const size_t count = length_from(device, sequence, exchange, i);
    if (count > 1) status = add(device, sequence, exchange, i, count, made);
    else tell(device, sequence, i, 1, "it is no row kernel, or rows come before each launch");
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
  for (size_t i = 0; i < passes->count; i++) destroy(device, &passes->list[i]);
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
