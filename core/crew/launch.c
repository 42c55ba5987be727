/* launch.c - one command of a crew: cut by rows, on the first member alone, or on each. */
#include "core/crew/crew.h"

#include <string.h>

/* The command as member m gets it: over these rows, or groups. */
static trm_status enqueue_on(const crew_device *crew, const trm_command *command, size_t m,
                             crew_span rows)
{
  trm_device *member = crew->members[m].device;
  trm_command part = *command;
  for (uint32_t i = 0; i < part.buffer_count; i++)
    part.buffers[i] = ((crew_buffer *)command->buffers[i])->parts[m]->handle;
  part.at_row = part.each = 0;
  if (command->kind == TRM_COMMAND_LAUNCH) {
    const trm_kernel *kernel = ((const crew_kernel *)command->kernel)->parts[m];
    part.kernel = kernel->handle;
    part.declaration = kernel->declaration;
    part.extent.unused = (int32_t)(part.extent.nz > 1 ? rows.first / (size_t)part.extent.ny
                                                      : rows.first);
    if (kernel->declaration->kind == TRM_KERNEL_GROUP) {
      part.extent.unused = (int32_t)rows.first;
      if (rows.count) part.extent.nx = (int32_t)rows.count;
    } else {
      part.first_row = (int64_t)rows.first;
      part.rows = (int64_t)rows.count;
    }
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

/* The rows that a launch covers, and how they are cut. Rows 0: they are not. */
typedef struct row_cut {
  size_t rows, grain;
} row_cut;

/* Whether a launch over these rows is one over blocks of the buffer's. */
static int is_by_blocks(const crew_buffer *b, size_t rows)
{
  return b->plane == 1 && b->grain > 1 && b->total != rows &&
         crew_units(b->total, b->grain) == rows;
}

static int is_like(const crew_buffer *b, const row_cut *by)
{
  if (!b->is_cut) return 0;
  return b->total == by->rows ? b->grain == by->grain
                              : by->grain == 1 && is_by_blocks(b, by->rows);
}

/* All that a launch writes is cut alike, or the launch is not. */
static row_cut find_cut(const trm_command *command, size_t rows)
{
  row_cut by = { rows, 1 };
  int written = 0;
  for (uint32_t i = 0; i < command->buffer_count; i++) {
    const crew_buffer *b = command->buffers[i];
    if (is_written(command, i) && b->is_cut && b->total == rows) by.grain = b->grain;
  }
  for (uint32_t i = 0; i < command->buffer_count; i++) {
    if (!is_written(command, i)) continue;
    if (!is_like(command->buffers[i], &by)) return (row_cut){ 0, 1 };
    written = 1;
  }
  return written ? by : (row_cut){ 0, 1 };
}

/* The rows of what a launch writes that has not so many itself. */
static row_cut cut_written(const trm_command *command)
{
  for (uint32_t i = 0; i < command->buffer_count; i++) {
    const crew_buffer *b = command->buffers[i];
    if (is_written(command, i)) return b->is_cut ? find_cut(command, b->total) : (row_cut){ 0, 1 };
  }
  return (row_cut){ 0, 1 };
}

static crew_span own_of(const crew_device *crew, const crew_buffer *b, size_t m)
{
  return crew_own(crew, b->total, b->grain, m);
}

/* What member m's part of a launch reads of buffer i. */
static trm_status fetch_for(crew_device *crew, const trm_command *command, uint32_t i, size_t m,
                            const row_cut *by)
{
  crew_buffer *b = command->buffers[i];
  const trm_stepping *steps = command->declaration->steps;
  if (!is_like(b, by)) return crew_fetch_all(crew, b, m);
  const crew_span own = own_of(crew, b, m);
  if (command->each > 0)
    return command->whole >> i & 1 ? crew_fetch_all(crew, b, m) : crew_fetch(crew, b, m, own);
  if ((b->is_output && is_written(command, i)) || (steps && steps->to == (int)i))
    return crew_fetch(crew, b, m, own);
  const size_t halo = (size_t)command->declaration->halo;
  const size_t beyond = b->total == by->rows ? halo * b->plane
                        : halo && b->reach ? b->reach : halo * b->grain;
  if (own.count + 2 * beyond >= b->total) return crew_fetch_all(crew, b, m);
  const size_t before = b->is_bounded && own.first < beyond ? own.first : beyond;
  const size_t rest = b->total - own.first - own.count;
  const size_t after = b->is_bounded && rest < beyond ? rest : beyond;
  return crew_fetch(crew, b, m, (crew_span){ (own.first + b->total - before) % b->total,
                                             before + own.count + after });
}

typedef enum kind { ELSEWHERE, ON_GPU, ON_HOST } kind;

static kind kind_of(const crew_member *member)
{
  return member->rank ? ELSEWHERE : member->device->info.is_host ? ON_HOST : ON_GPU;
}

/* What member m does of a launch: rows, or groups along x. */
static crew_span share_of(const crew_device *crew, const trm_command *command, const row_cut *by,
                          size_t m)
{
  const size_t each = (size_t)command->each, groups = (size_t)command->extent.nx;
  crew_span own = crew_own(crew, by->rows, by->grain, m);
  if (command->each <= 0) return own;
  const size_t begin = own.first * each < groups ? own.first * each : groups;
  const size_t end = (own.first + own.count) * each;
  return (crew_span){ begin, (end < groups ? end : groups) - begin };
}

static trm_status enqueue_on_all(const crew_device *crew, const trm_command *command, kind wanted,
                                 const row_cut *by)
{
  for (size_t m = 0; m < crew->count; m++) {
    const crew_span own = share_of(crew, command, by, m);
    if (kind_of(&crew->members[m]) == wanted && own.count)
      TRM_TRY(enqueue_on(crew, command, m, own));
  }
  return TRM_OK;
}

/* Everybody has its own rows, and nobody others. */
static void written_by_all(const crew_device *crew, const trm_command *command)
{
  for (uint32_t i = 0; i < command->buffer_count; i++)
    for (size_t m = 0; m < crew->count && is_written(command, i); m++) {
      crew_buffer *b = command->buffers[i];
      b->fresh[m] = own_of(crew, b, m);
    }
}

/* Those first whose launches return at once; the other ranks are under way before this one waits
 * for its rows. */
static trm_status run_by_rows(crew_device *crew, const trm_command *command, const row_cut *by)
{
  for (size_t m = 0; m < crew->count; m++)
    for (uint32_t i = 0; i < command->buffer_count; i++)
      TRM_TRY(fetch_for(crew, command, i, m, by));
  TRM_TRY(crew_tell_moves(crew));
  TRM_TRY(enqueue_on_all(crew, command, ELSEWHERE, by));
  TRM_TRY(crew_make_moves(crew));
  TRM_TRY(enqueue_on_all(crew, command, ON_GPU, by));
  TRM_TRY(enqueue_on_all(crew, command, ON_HOST, by));
  written_by_all(crew, command);
  return TRM_OK;
}

/* One row, on the member that owns it; nobody else has it fresh then. */
static trm_status run_at_row(crew_device *crew, const trm_command *command, const row_cut *by)
{
  const size_t row = (size_t)(command->at_row - 1);
  size_t m = 0;
  for (; m + 1 < crew->count; m++) {
    const crew_span own = crew_own(crew, by->rows, by->grain, m);
    if (row < own.first + own.count) break;
  }
  for (uint32_t i = 0; i < command->buffer_count; i++)
    TRM_TRY(fetch_for(crew, command, i, m, by));
  for (uint32_t i = 0; i < command->buffer_count; i++)
    for (size_t other = 0; other < crew->count && is_written(command, i); other++) {
      crew_buffer *b = command->buffers[i];
      if (other != m) TRM_TRY(crew_fetch(crew, b, other, own_of(crew, b, other)));
    }
  TRM_TRY(crew_exchange(crew));
  TRM_TRY(enqueue_on(crew, command, m, (crew_span){ 0, 0 }));
  written_by_all(crew, command);
  return TRM_OK;
}

/* ---- on each ----------------------------------------------------------------- */

/* Kernels of hosts and of GPUs may lay out what lies between two launches in other ways. */
static int are_alike(const crew_device *crew)
{
  for (size_t m = 1; m < crew->count; m++)
    if (crew->members[m].device->info.is_host != crew->members[0].device->info.is_host) return 0;
  return 1;
}

static trm_status run_on_each(crew_device *crew, const trm_command *command)
{
  for (size_t m = 0; m < crew->count; m++)
    for (uint32_t i = 0; i < command->buffer_count; i++)
      TRM_TRY(crew_fetch_all(crew, command->buffers[i], m));
  TRM_TRY(crew_tell_moves(crew));
  for (size_t m = 0; m < crew->count; m++)
    if (crew->members[m].rank) TRM_TRY(enqueue_on(crew, command, m, (crew_span){ 0, 0 }));
  TRM_TRY(crew_make_moves(crew));
  for (size_t m = 0; m < crew->count; m++)
    if (!crew->members[m].rank) TRM_TRY(enqueue_on(crew, command, m, (crew_span){ 0, 0 }));
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
    if (b->is_cut && (b->total == rows || is_by_blocks(b, rows))) cut = i + 1;
    else other = i + 1;
  }
  if (!cut || !other || rows == 1) return TRM_OK;
  return TRM_FAIL(INVALID, "kernel %s writes its argument %zu by rows, and its argument %zu is not "
                  "declared so; declare it by trm_buffer_rows, or run on one device",
                  command->declaration->name, cut - 1, other - 1);
}

/* Planes of another shape than the buffers' are not cut. */
static int has_planes_of(const trm_command *command)
{
  const size_t plane = command->extent.nz > 1 ? (size_t)command->extent.ny : 1;
  for (uint32_t i = 0; i < command->buffer_count; i++)
    if (is_written(command, i) && ((crew_buffer *)command->buffers[i])->plane != plane) return 0;
  return 1;
}

static trm_status run_rows(crew_device *crew, const trm_command *command)
{
  const trm_extent *extent = &command->extent;
  const size_t rows = (size_t)extent->ny * (size_t)extent->nz;
  TRM_TRY(check_outputs(command));
  if (command->declaration->halo < 0) return run_alone(crew, command);
  if (command->at_row && rows == 1) {
    const row_cut by = cut_written(command);
    return by.rows ? run_at_row(crew, command, &by) : run_alone(crew, command);
  }
  const row_cut by = find_cut(command, rows);
  return by.rows && has_planes_of(command) ? run_by_rows(crew, command, &by)
                                           : run_alone(crew, command);
}

static trm_status run_groups(crew_device *crew, const trm_command *command)
{
  const row_cut by = command->each > 0 ? cut_written(command) : (row_cut){ 0, 1 };
  return by.rows ? run_by_rows(crew, command, &by) : run_alone(crew, command);
}

/* ---- copies ------------------------------------------------------------------ */

/* Where one is all of another of its kind, everybody copies what it has. */
static int is_twin(const trm_command *command)
{
  const crew_buffer *to = command->buffers[0], *from = command->buffers[1];
  return command->offset == 0 && command->source_offset == 0 && command->bytes == to->bytes &&
         to->bytes == from->bytes && to->total == from->total && to->grain == from->grain &&
         to->first == from->first && to->row == from->row && to->nx == from->nx &&
         to->ghosts == from->ghosts && to->value_bytes == from->value_bytes &&
         to->components == from->components && to->component == from->component &&
         !to->starts && !from->starts;
}

static trm_status copy_everywhere(const crew_device *crew, const trm_command *command)
{
  crew_buffer *to = command->buffers[0];
  const crew_buffer *from = command->buffers[1];
  for (size_t m = 0; m < crew->count; m++) {
    TRM_TRY(enqueue_on(crew, command, m, (crew_span){ 0, 0 }));
    to->fresh[m] = from->fresh[m];
  }
  return TRM_OK;
}

trm_status crew_enqueue(void *device, const trm_command *command)
{
  crew_device *crew = device;
  crew->move_count = crew->news_count = 0;
  if (command->kind == TRM_COMMAND_FILL) return fill_everywhere(crew, command);
  if (command->each == TRM_ON_EACH && are_alike(crew)) return run_on_each(crew, command);
  if (command->kind == TRM_COMMAND_COPY && is_twin(command)) return copy_everywhere(crew, command);
  if (command->kind != TRM_COMMAND_LAUNCH) return run_alone(crew, command);
  return command->declaration->kind == TRM_KERNEL_ROW ? run_rows(crew, command)
                                                      : run_groups(crew, command);
}
