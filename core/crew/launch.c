/* launch.c - one command of a crew: cut by rows, on the first member alone, or on each. */
#include "core/crew/reach.h"

#include <string.h>

trm_status crew_enqueue_part(const crew_device *crew, const trm_command *command, size_t m,
                             crew_span rows)
{
  trm_device *member = crew->members[m].device;
  trm_command part = *command;
  for (uint32_t i = 0; i < part.buffer_count; i++)
    part.buffers[i] = ((crew_buffer *)command->buffers[i])->parts[m]->handle;
  part.sharing = NULL;
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
  if (crew->drivers)
    return drivers_command(crew->drivers, m, &part, rows.count > 0,
                           member->info.is_host ? TRM_QUEUE_COMMANDS : crew->queue);
  if (member->is_remote) return remote_command(member, &part, rows.count > 0);
  return driver_carry_out(member, &part, rows.count > 0);
}

trm_status crew_enqueue_on(const crew_device *crew, const trm_command *command, size_t m)
{
  return crew_enqueue_part(crew, command, m, (crew_span){ 0, 0 });
}

/* ---- alone ----------------------------------------------------------------- */

trm_status crew_run_alone(crew_device *crew, const trm_command *command)
{
  for (uint32_t i = 0; i < command->buffer_count; i++)
    TRM_TRY(crew_fetch_all(crew, command->buffers[i], 0));
  TRM_TRY(crew_exchange(crew));
  TRM_TRY(crew_enqueue_on(crew, command, 0));
  for (uint32_t i = 0; i < command->buffer_count; i++)
    if (crew_is_written(command, i)) crew_written_alone(crew, command->buffers[i], 0);
  return TRM_OK;
}

/* A command over bytes, on member m, piece by piece. */
typedef struct pieces {
  const crew_device *crew;
  const trm_command *command;
  size_t m;
} pieces;

static trm_status enqueue_piece(void *user, size_t offset, size_t bytes)
{
  const pieces *p = user;
  trm_command part = *p->command;
  part.source_offset += offset - part.offset;
  part.offset = offset;
  part.bytes = bytes;
  return crew_enqueue_on(p->crew, &part, p->m);
}

static trm_status enqueue_pieces(const crew_device *crew, const trm_command *command, size_t m,
                                 crew_span rows)
{
  pieces all = { crew, command, m };
  return crew_each_piece(command->buffers[0], rows, (crew_span){ command->offset, command->bytes },
                         enqueue_piece, &all);
}

/* As short as it can be, so that it repeats in each value. */
static trm_command shorten_pattern(const trm_command *command)
{
  trm_command fill = *command;
  for (uint32_t half = fill.pattern_bytes / 2;
       half > 0 && memcmp(fill.pattern, fill.pattern + half, half) == 0; half /= 2)
    fill.pattern_bytes = half;
  return fill;
}

/* Wherever there is memory for it. Memory that nobody has used yet will be zeros. */
static trm_status fill_everywhere(const crew_device *crew, const trm_command *command)
{
  crew_buffer *b = command->buffers[0];
  const trm_command fill = shorten_pattern(command);
  if (b->held[0].count == 0 && fill.pattern_bytes == 1 && fill.pattern[0] == 0) return TRM_OK;
  if (b->held[0].count == 0 || b->value_bytes % fill.pattern_bytes)
    TRM_TRY(crew_hold_all(crew, b));
  for (size_t m = 0; m < crew->count; m++) TRM_TRY(enqueue_pieces(crew, &fill, m, b->held[m]));
  return TRM_OK;
}

/* ---- by rows --------------------------------------------------------------- */

/* Everybody has its own rows, and those of others that it computed beside them; of outputs, of
 * which a launch may write a part of a row alone, only its own. */
trm_status crew_written_by_all(const crew_device *crew, const trm_command *command)
{
  for (uint32_t i = 0; i < command->buffer_count; i++) {
    crew_buffer *b = command->buffers[i];
    if (!crew_is_written(command, i) || command->sharing->how.device_local >> i & 1) continue;
    for (size_t m = 0; m < crew->count; m++) {
      const crew_span own = crew_own_of(crew, b, m), none = { 0, 0 };
      const crew_span more = b->is_output ? none : crew->members[m].more;
      b->fresh[m] = (crew_span){ (own.first + b->total - more.first) % b->total,
                                 own.count + more.first + more.count };
      crew_near_is_there(b, m, 0);
    }
    TRM_TRY(crew_drop_others(crew, b));
  }
  return TRM_OK;
}

/* Whether rows that are made of others are read, which each made for the cut as it is. */
static int reads_made(const trm_command *command)
{
  for (uint32_t i = 0; i < command->buffer_count; i++)
    if (command->sharing->how.adjacent >> i & 1 && crew_near_made(command->buffers[i])) return 1;
  return 0;
}

static trm_status run_by_rows(crew_device *crew, const trm_command *command, const crew_cut *by)
{
  if (crew->balance && !crew->is_kept && !reads_made(command)) TRM_TRY(crew_weigh(crew));
  crew->is_kept = 0;
  for (size_t m = 0; m < crew->count; m++)
    for (uint32_t i = 0; i < command->buffer_count; i++)
      TRM_TRY(crew_fetch_for(crew, command, i, m, by));
  for (size_t m = 0; m < crew->count; m++)
    crew->members[m].more = crew_find_more(crew, command, by, m);
  TRM_TRY(crew_hold_written(crew, command));
  if (crew->is_checked) TRM_TRY(crew_check_begin(crew, command));
  TRM_TRY(crew_run_parts(crew, command, by));
  TRM_TRY(crew_written_by_all(crew, command));
  return crew->is_checked ? crew_check(crew, command) : TRM_OK;
}

/* Whether member m has this row of all that is cut, and the rest in whole. */
static int has_row(const trm_command *command, const crew_cut *by, size_t m, size_t row)
{
  for (uint32_t i = 0; i < command->buffer_count; i++) {
    const crew_buffer *b = command->buffers[i];
    if (crew_is_like(b, by) && b->total == by->rows ? !crew_has(b, m, (crew_span){ row, 1 })
                                               : b->fresh[m].count < b->total)
      return 0;
  }
  return 1;
}

/* Where nothing beside the row is read, each that has it changes it, and it stays as fresh. */
static trm_status run_where_it_is(const crew_device *crew, const trm_command *command,
                                  const crew_cut *by, size_t row)
{
  for (size_t m = 0; m < crew->count; m++)
    if (has_row(command, by, m, row))
      TRM_TRY(crew_enqueue_on(crew, command, m));
  return TRM_OK;
}

/* Each that has the row of one has it of all. */
static int is_had_alike(const crew_device *crew, const trm_command *command, const crew_cut *by,
                        size_t row)
{
  size_t owners = 0;
  for (size_t m = 0; m < crew->count; m++) {
    const int has = has_row(command, by, m, row);
    owners += (size_t)has;
    for (uint32_t i = 0; i < command->buffer_count && !has; i++)
      if (crew_is_written(command, i) && crew_has(command->buffers[i], m, (crew_span){row, 1}))
        return 0;
  }
  return owners > 0;
}

/* One row, on the member that owns it; nobody else has it fresh then. */
static trm_status run_at_row(crew_device *crew, const trm_command *command, const crew_cut *by)
{
  const size_t row = (size_t)(command->sharing->at_row - 1);
  if (crew_halo_of(command) == 0 && is_had_alike(crew, command, by, row))
    return run_where_it_is(crew, command, by, row);
  size_t m = 0;
  for (; m + 1 < crew->count; m++) {
    const crew_span own = crew_own(crew, by->rows, by->grain, m);
    if (row < own.first + own.count) break;
  }
  for (uint32_t i = 0; i < command->buffer_count; i++)
    TRM_TRY(crew_fetch_for(crew, command, i, m, by));
  for (uint32_t i = 0; i < command->buffer_count; i++)
    for (size_t other = 0; other < crew->count && crew_is_written(command, i); other++) {
      crew_buffer *b = command->buffers[i];
      if (other != m) TRM_TRY(crew_fetch(crew, b, other, crew_own_of(crew, b, other)));
    }
  TRM_TRY(crew_exchange(crew));
  TRM_TRY(crew_enqueue_on(crew, command, m));
  for (size_t i = 0; i < crew->count; i++) crew->members[i].more = (crew_span){ 0, 0 };
  return crew_written_by_all(crew, command);
}

/* ---- on each ----------------------------------------------------------------- */

/* Kernels of hosts and of GPUs may lay out what lies between two launches in other ways. */
static int are_alike(const crew_device *crew)
{
  for (size_t m = 1; m < crew->count; m++)
    if (crew->members[m].device->info.is_host != crew->members[0].device->info.is_host) return 0;
  return 1;
}

static trm_status run_replicated(crew_device *crew, const trm_command *command)
{
  for (size_t m = 0; m < crew->count; m++)
    for (uint32_t i = 0; i < command->buffer_count; i++)
      TRM_TRY(crew_fetch_all(crew, command->buffers[i], m));
  TRM_TRY(crew_tell_moves(crew));
  for (size_t m = 0; m < crew->count; m++)
    if (crew->members[m].rank) TRM_TRY(crew_enqueue_on(crew, command, m));
  TRM_TRY(crew_make_moves(crew));
  for (size_t m = 0; m < crew->count; m++)
    if (!crew->members[m].rank) TRM_TRY(crew_enqueue_on(crew, command, m));
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
    if (!crew_is_written(command, i)) continue;
    if (b->is_cut && (b->total == rows || crew_is_by_blocks(b, rows))) cut = i + 1;
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
    if (crew_is_written(command, i) && ((crew_buffer *)command->buffers[i])->plane != plane)
      return 0;
  return 1;
}

static trm_status run_rows(crew_device *crew, const trm_command *command)
{
  const trm_extent *extent = &command->extent;
  const size_t rows = (size_t)extent->ny * (size_t)extent->nz;
  TRM_TRY(check_outputs(command));
  if (crew_halo_of(command) < 0) return crew_run_alone(crew, command);
  if (command->sharing->at_row && rows == 1) {
    const crew_cut by = crew_cut_written(command);
    return by.rows ? run_at_row(crew, command, &by) : crew_run_alone(crew, command);
  }
  const crew_cut by = crew_find_cut(command, rows);
  return by.rows && has_planes_of(command) ? run_by_rows(crew, command, &by)
                                           : crew_run_alone(crew, command);
}

static trm_status run_groups(crew_device *crew, const trm_command *command)
{
  const trm_sharing *how = &command->sharing->how;
  const crew_cut by = how->each > 0 ? crew_cut_written(command) : (crew_cut){ 0, 1, 0 };
  if (by.rows && how->derived) return crew_run_beside(crew, command, &by);
  return by.rows ? run_by_rows(crew, command, &by) : crew_run_alone(crew, command);
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
    TRM_TRY(crew_hold(crew, to, m, from->fresh[m]));
    TRM_TRY(enqueue_pieces(crew, command, m, from->fresh[m]));
    to->fresh[m] = from->fresh[m];
  }
  return TRM_OK;
}

trm_status crew_enqueue(void *device, const trm_command *command)
{
  crew_device *crew = device;
  crew->move_count = crew->news_count = 0;
  crew->is_awaited = 0;
  if (command->kind == TRM_COMMAND_FILL) return fill_everywhere(crew, command);
  for (uint32_t i = 0; i < command->buffer_count; i++) {
    crew_buffer *b = command->buffers[i];
    if (b->held[0].count == 0) TRM_TRY(crew_hold_all(crew, b));
  }
  const int32_t each = command->sharing->how.each;
  if (each == TRMI_REPLICATED && are_alike(crew)) return run_replicated(crew, command);
  if (command->kind == TRM_COMMAND_COPY)
    return is_twin(command) ? copy_everywhere(crew, command) : crew_run_alone(crew, command);
  if (command->declaration->kind == TRM_KERNEL_GROUP) return run_groups(crew, command);
  if (command->sharing->how.in_place)
    return TRM_FAIL(UNSUPPORTED, "kernel %s changes rows in place; devices that obey one do not "
                    "share that", command->declaration->name);
  return each > 0 ? crew_run_list(crew, command) : run_rows(crew, command);
}
