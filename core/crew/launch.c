/* launch.c - one command of a crew: cut by rows, or on the first member alone. */
#include "core/crew/crew.h"

#include <string.h>

/* The command as member m gets it. */
static trm_status enqueue_on(const crew_device *crew, const trm_command *command, size_t m,
                             crew_span rows)
{
  trm_device *member = crew->members[m].device;
  trm_command part = *command;
  for (uint32_t i = 0; i < part.buffer_count; i++)
    part.buffers[i] = ((crew_buffer *)command->buffers[i])->parts[m]->handle;
  part.at_row = 0;
  if (command->kind == TRM_COMMAND_LAUNCH) {
    const trm_kernel *kernel = ((const crew_kernel *)command->kernel)->parts[m];
    part.kernel = kernel->handle;
    part.declaration = kernel->declaration;
    part.first_row = (int64_t)rows.first;
    part.rows = (int64_t)rows.count;
    part.extent.unused = (int32_t)(part.extent.nz > 1 ? rows.first / (size_t)part.extent.ny
                                                      : rows.first);
  }
  trmi_tally_command(&member->tally, &part);
  trmi_log_to(member->context);
  return member->table->enqueue(member->handle, &part);
}

static int is_written(const trm_command *command, uint32_t i)
{
  if (command->kind == TRM_COMMAND_LAUNCH) return command->declaration->access[i] == 'w';
  return i == 0;
}

/* ---- alone ----------------------------------------------------------------- */

static trm_status run_alone(crew_device *crew, const trm_command *command)
{
  for (uint32_t i = 0; i < command->buffer_count; i++)
    TRM_TRY(crew_fetch_all(crew, command->buffers[i], 0));
  TRM_TRY(crew_exchange(crew));
  TRM_TRY(enqueue_on(crew, command, 0, (crew_span){ 0, 0 }));
  for (uint32_t i = 0; i < command->buffer_count; i++)
    if (is_written(command, i)) crew_written_alone(crew, command->buffers[i], 0);
  return TRM_OK;
}

static trm_status fill_everywhere(const crew_device *crew, const trm_command *command)
{
  for (size_t m = 0; m < crew->count; m++)
    TRM_TRY(enqueue_on(crew, command, m, (crew_span){ 0, 0 }));
  return TRM_OK;
}

/* ---- by rows --------------------------------------------------------------- */

/* The rows of what a launch writes; 0: not all of it is cut, or not alike. */
static size_t rows_written(const trm_command *command, size_t *grain)
{
  size_t total = 0;
  for (uint32_t i = 0; i < command->buffer_count; i++) {
    const crew_buffer *b = command->buffers[i];
    if (!is_written(command, i)) continue;
    if (!b->is_cut || (total && (b->total != total || b->grain != *grain))) return 0;
    total = b->total;
    *grain = b->grain;
  }
  return total;
}

/* What a launch over these rows reads of buffer i. */
static trm_status fetch_for(crew_device *crew, const trm_command *command, uint32_t i, size_t m,
                            crew_span own, size_t total)
{
  crew_buffer *b = command->buffers[i];
  const trm_stepping *steps = command->declaration->steps;
  if (!b->is_cut || b->total != total) return crew_fetch_all(crew, b, m);
  if (b->is_output || (steps && steps->to == (int)i)) return crew_fetch(crew, b, m, own);
  const size_t halo = (size_t)command->declaration->halo * b->grain;
  if (own.count + 2 * halo >= total) return crew_fetch_all(crew, b, m);
  return crew_fetch(crew, b, m, (crew_span){ (own.first + total - halo) % total,
                                             own.count + 2 * halo });
}

typedef enum kind { ELSEWHERE, ON_GPU, ON_HOST } kind;

static kind kind_of(const crew_member *member)
{
  return member->rank ? ELSEWHERE : member->device->info.is_host ? ON_HOST : ON_GPU;
}

static trm_status enqueue_on_all(const crew_device *crew, const trm_command *command, kind wanted,
                                 size_t total, size_t grain)
{
  for (size_t m = 0; m < crew->count; m++)
    if (kind_of(&crew->members[m]) == wanted)
      TRM_TRY(enqueue_on(crew, command, m, crew_own(crew, total, grain, m)));
  return TRM_OK;
}

/* Those first whose launches return at once; the other ranks are under way before this one waits
 * for its rows. */
static trm_status run_by_rows(crew_device *crew, const trm_command *command, size_t total,
                              size_t grain)
{
  for (size_t m = 0; m < crew->count; m++)
    for (uint32_t i = 0; i < command->buffer_count; i++)
      TRM_TRY(fetch_for(crew, command, i, m, crew_own(crew, total, grain, m), total));
  TRM_TRY(crew_tell_moves(crew));
  TRM_TRY(enqueue_on_all(crew, command, ELSEWHERE, total, grain));
  TRM_TRY(crew_make_moves(crew));
  TRM_TRY(enqueue_on_all(crew, command, ON_GPU, total, grain));
  TRM_TRY(enqueue_on_all(crew, command, ON_HOST, total, grain));
  for (uint32_t i = 0; i < command->buffer_count; i++)
    for (size_t m = 0; m < crew->count && is_written(command, i); m++)
      ((crew_buffer *)command->buffers[i])->fresh[m] = crew_own(crew, total, grain, m);
  return TRM_OK;
}

/* One row, on the member that owns it; nobody else has it fresh then. */
static trm_status run_at_row(crew_device *crew, const trm_command *command, size_t total,
                             size_t grain)
{
  const size_t row = (size_t)(command->at_row - 1);
  size_t m = 0;
  for (; m + 1 < crew->count; m++) {
    const crew_span own = crew_own(crew, total, grain, m);
    if (row < own.first + own.count) break;
  }
  const crew_span own = crew_own(crew, total, grain, m);
  for (uint32_t i = 0; i < command->buffer_count; i++)
    TRM_TRY(fetch_for(crew, command, i, m, own, total));
  for (uint32_t i = 0; i < command->buffer_count; i++)
    for (size_t other = 0; other < crew->count && is_written(command, i); other++)
      if (other != m)
        TRM_TRY(crew_fetch(crew, command->buffers[i], other, crew_own(crew, total, grain, other)));
  TRM_TRY(crew_exchange(crew));
  TRM_TRY(enqueue_on(crew, command, m, (crew_span){ 0, 0 }));
  for (uint32_t i = 0; i < command->buffer_count; i++)
    for (size_t other = 0; other < crew->count && is_written(command, i); other++)
      ((crew_buffer *)command->buffers[i])->fresh[other] = crew_own(crew, total, grain, other);
  return TRM_OK;
}

/* A kernel over all rows that writes something beside them would leave all but one member idle. */
static trm_status check_outputs(const trm_command *command)
{
  const trm_extent *extent = &command->extent;
  const size_t rows = (size_t)extent->ny * (size_t)extent->nz;
  size_t cut = 0, other = 0;
  for (uint32_t i = 0; i < command->buffer_count; i++) {
    const crew_buffer *b = command->buffers[i];
    if (!is_written(command, i)) continue;
    if (b->is_cut && b->total == rows) cut = i + 1;
    else other = i + 1;
  }
  if (!cut || !other || rows == 1) return TRM_OK;
  return TRM_FAIL(INVALID, "kernel %s writes its argument %zu by rows, and its argument %zu is not "
                  "declared so; declare it by trm_buffer_rows, or run on one device",
                  command->declaration->name, cut - 1, other - 1);
}

trm_status crew_enqueue(void *device, const trm_command *command)
{
  crew_device *crew = device;
  const trm_extent *extent = &command->extent;
  size_t grain = 1;
  crew->move_count = crew->news_count = 0;
  if (command->kind == TRM_COMMAND_FILL) return fill_everywhere(crew, command);
  if (command->kind != TRM_COMMAND_LAUNCH) return run_alone(crew, command);
  const size_t total = rows_written(command, &grain);
  if (command->declaration->kind == TRM_KERNEL_ROW) TRM_TRY(check_outputs(command));
  if (command->declaration->kind != TRM_KERNEL_ROW || command->declaration->halo < 0 || !total)
    return run_alone(crew, command);
  if (command->at_row && extent->ny == 1 && extent->nz == 1)
    return run_at_row(crew, command, total, grain);
  const int is_whole = (size_t)extent->ny * (size_t)extent->nz == total &&
                       grain == (extent->nz > 1 ? (size_t)extent->ny : 1);
  return is_whole ? run_by_rows(crew, command, total, grain) : run_alone(crew, command);
}
