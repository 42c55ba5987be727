/* passes.c - launches of a part that need no rows of others between them, as one sequence of its
 * backend. The sequence runs each launch over the part's own rows, and over rows beside them, which
 * become fewer from launch to launch. A host goes over its memory once for all of them. A GPU takes
 * several steps a launch; where it takes one, launches stay as they are: rows then come while it
 * computes the inner ones. */
#include "core/domain/parts.h"

#include <stdlib.h>

typedef struct pass {
  size_t first, count;          /* launches */
  trm_command *commands;        /* of all sequences */
  domain_pass handles;
} pass;

struct domain_passes {
  size_t count;
  pass list[];
};

/* Steps of one launch write no rows beside those of the last one. So other rows than the part's own
 * have to be nobody's. */
static int may_share_launch(const trm_sequence *sequence, size_t i)
{
  const trm_host_kernel *kernel = sequence->commands[i].declaration;
  for (int b = 0; b < kernel->buffer_count; b++) {
    const trm_buffer *buffer = sequence->kept[i].buffers[b];
    if (kernel->access[b] == 'w' && kernel->steps && b != kernel->steps->to &&
        !domain_rows_of(buffer)->is_output)
      return 0;
  }
  return kernel->steps != NULL;
}

static int is_by_rows(const trm_device *device, const trm_sequence *sequence,
                      const domain_exchange *exchange, size_t i)
{
  const trm_command *command = &sequence->commands[i];
  if (command->kind == TRM_COMMAND_LAUNCH && !device->info.is_host &&
      !may_share_launch(sequence, i))
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

static trm_status create(trm_device *device, const trm_command *commands, size_t count,
                         void **out)
{
  if (count == 0) return TRM_OK;
  trmi_log_to(device->context);
  return device->table->sequence_create(device->handle, commands, count, out);
}

static void destroy_one(trm_device *device, void **handle)
{
  if (*handle) device->table->sequence_destroy(device->handle, *handle);
  *handle = NULL;
}

static void destroy(trm_device *device, pass *one)
{
  destroy_one(device, &one->handles.inner);
  for (int k = 0; k < 3; k++) destroy_one(device, &one->handles.rest[k]);
  free(one->commands);
  *one = (pass){ .count = 0 };
}

static trm_status make(trm_device *device, const trm_sequence *sequence,
                       const domain_exchange *exchange, size_t first, size_t count, pass *out)
{
  enum { SETS = 4 };            /* the launches once, and the first of them three times */
  *out = (pass){ first, count, calloc(SETS * count, sizeof *out->commands), { .inner = NULL } };
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
  return create(device, out->commands, count, &out->handles.rest[2]);
}

/* ---- rows at the ends, of steps that share a launch ------------------------------------- */

/* So many launches from the first on, whose last one covers rows [low, high). */
static trm_status create_over(trm_device *device, const pass *one, size_t launches, int64_t low,
                              int64_t high, trm_command *commands, void **out)
{
  const int64_t halo = one->commands->declaration->halo;
  for (size_t i = 0; i < launches; i++) {
    const int64_t more = halo * (int64_t)(launches - 1 - i);
    commands[i] = one->commands[i];
    commands[i].first_row = low - more;
    commands[i].rows = high - low + 2 * more;
    if (commands[i].first_row < 0) commands[i].first_row += one->commands->extent.ny;
  }
  return create(device, commands, launches, out);
}

static int is_one_launch(const trm_device *device, void *handle, size_t launches)
{
  const char *why;
  return device->table->sequence_fused(device->handle, handle, 0, &why) == (int)launches;
}

/* Replaces the sequence of the pass by four. The first `launches` share one launch, whose steps
 * leave no trace but the last one's rows; so it may go over inner rows first, while others come. */
static trm_status divide(trm_device *device, const domain_share *share, size_t launches, pass *one)
{
  const trm_command *last = &one->commands[launches - 1];
  const int64_t total = last->extent.ny, reach = (int64_t)launches * last->declaration->halo;
  const int64_t halo = last->declaration->halo, first = one->commands->first_row;
  const int64_t more = ((int64_t)share->spans[0].first - halo - first + 2 * total) % total;
  const int64_t low = first + more + reach;
  const int64_t high = first + more + (int64_t)share->spans[0].count + 2 * halo - reach;
  domain_pass made = { .inner = NULL };
  trm_command *commands = one->commands + one->count;
  trm_status status = TRM_OK;
  if (high - low < 4 * reach) return TRM_OK;
  status = create_over(device, one, launches, low, high, commands, &made.inner);
  if (status == TRM_OK)
    status = create_over(device, one, launches, last->first_row, low, commands + launches,
                         &made.rest[0]);
  if (status == TRM_OK)
    status = create_over(device, one, launches, high, last->first_row + last->rows,
                         commands + 2 * launches, &made.rest[1]);
  if (status == TRM_OK)
    status = create(device, one->commands + launches, one->count - launches, &made.rest[2]);
  const int is_good = status == TRM_OK && is_one_launch(device, made.inner, launches) &&
                      is_one_launch(device, made.rest[0], launches) &&
                      is_one_launch(device, made.rest[1], launches);
  pass unused = { .handles = is_good ? one->handles : made };
  destroy(device, &unused);
  if (is_good) one->handles = made;
  return status;
}

/* Rows of neighbours come before a pass, and some of its rows need none of them. */
static trm_status divide_where_due(trm_device *device, const domain_exchange *exchange, pass *one)
{
  const char *why;
  const domain_share *share = domain_exchange_share(exchange, one->first);
  const trm_stepping *steps = one->commands->declaration->steps;
  if (device->info.is_host || !steps->is_scratch || share->inner != 1) return TRM_OK;
  const int fused = device->table->sequence_fused(device->handle, one->handles.rest[2], 0, &why);
  return fused > 1 ? divide(device, share, (size_t)fused, one) : TRM_OK;
}

/* ---- life --------------------------------------------------------------------------------- */

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
    const int fused = device->table->sequence_fused(device->handle, one->handles.rest[2], i, &why);
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
  return status == TRM_OK && made->commands ? divide_where_due(device, exchange, made) : status;
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

size_t domain_passes_at(const domain_passes *passes, size_t i, domain_pass *out)
{
  for (size_t p = 0; passes && p < passes->count; p++) {
    if (passes->list[p].first != i) continue;
    *out = passes->list[p].handles;
    return passes->list[p].count;
  }
  return 0;
}
