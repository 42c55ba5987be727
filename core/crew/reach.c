/* reach.c - what a member reads of a launch that is cut by rows, and how far beyond its own rows it
 * computes: rows of others are fetched for several launches at once, each of which computes of them
 * those that the next ones read, with the bits that their owners have. */
#include "core/crew/reach.h"

int crew_is_written(const trm_command *command, uint32_t i)
{
  if (command->kind == TRM_COMMAND_LAUNCH) return command->declaration->access[i] == 'w';
  return i == 0;
}

/* ---- the cut ------------------------------------------------------------------ */

int crew_is_by_blocks(const crew_buffer *b, size_t rows)
{
  return b->plane == 1 && b->grain > 1 && b->total != rows &&
         domain_units(b->total, b->grain) == rows;
}

int crew_is_like(const crew_buffer *b, const crew_cut *by)
{
  if (!b->is_cut) return 0;
  if (by->by_blocks)
    return domain_units(b->total, b->grain) == domain_units(by->rows, by->grain);
  return b->total == by->rows ? b->grain == by->grain
                              : by->grain == 1 && crew_is_by_blocks(b, by->rows);
}

/* A launch of groups that says a halo. */
static int is_by_groups(const trm_command *command)
{
  const trm_sharing *how = &command->sharing->how;
  return how->each > 0 && how->halo > 0 && command->declaration->kind == TRM_KERNEL_GROUP;
}

crew_cut crew_find_cut(const trm_command *command, size_t rows)
{
  crew_cut by = { rows, 1, is_by_groups(command) };
  int written = 0;
  for (uint32_t i = 0; i < command->buffer_count; i++) {
    const crew_buffer *b = command->buffers[i];
    if (crew_is_written(command, i) && b->is_cut && b->total == rows) by.grain = b->grain;
  }
  for (uint32_t i = 0; i < command->buffer_count; i++) {
    if (!crew_is_written(command, i)) continue;
    if (!crew_is_like(command->buffers[i], &by)) return (crew_cut){ 0, 1, 0 };
    written = 1;
  }
  return written ? by : (crew_cut){ 0, 1, 0 };
}

crew_cut crew_cut_written(const trm_command *command)
{
  for (uint32_t i = 0; i < command->buffer_count; i++) {
    const crew_buffer *b = command->buffers[i];
    if (crew_is_written(command, i))
      return b->is_cut ? crew_find_cut(command, b->total) : (crew_cut){ 0, 1, 0 };
  }
  return (crew_cut){ 0, 1, 0 };
}

int crew_is_list(const trm_command *command)
{
  return command->kind == TRM_COMMAND_LAUNCH && command->sharing->how.each > 0 &&
         command->declaration->kind == TRM_KERNEL_ROW;
}

static const crew_buffer *parts_of(const trm_command *command)
{
  return command->buffers[command->sharing->how.counts - 1];
}

crew_cut crew_cut_of_list(const trm_command *command)
{
  const crew_buffer *parts = parts_of(command);
  return parts->is_cut && parts->starts ? (crew_cut){ parts->total, parts->grain, 0 }
                                        : (crew_cut){ 0, 1, 0 };
}

/* Rows to a plane of the grid that a launch is of, and planes, or rows, that it reads beyond its
 * own. */
static size_t plane_of(const trm_command *command)
{
  if (crew_is_list(command)) return parts_of(command)->plane;
  return command->extent.nz > 1 ? (size_t)command->extent.ny : 1;
}

int crew_halo_of(const trm_command *command)
{
  const int halo = command->sharing->how.halo;
  return crew_is_list(command) || halo > 0 ? halo : command->declaration->halo;
}

static size_t halo_of(const trm_command *command) { return (size_t)crew_halo_of(command); }

crew_buffer *crew_written_by(const trm_command *command)
{
  uint32_t i = 0;
  while (!crew_is_written(command, i)) i++;
  return command->buffers[i];
}

crew_span crew_own_of(const crew_device *crew, const crew_buffer *b, size_t m)
{
  return crew_own(crew, b->total, b->grain, m);
}

/* No row of buffer i beside a member's own has to be there: it is written alone. */
static int is_written_alone(const trm_command *command, uint32_t i)
{
  const trm_stepping *steps = command->declaration->steps;
  const int is_output = ((crew_buffer *)command->buffers[i])->is_output;
  return (is_output && crew_is_written(command, i)) || (steps && steps->to == (int)i) ||
         (command->sharing->how.write_only >> i & 1);
}

/* These rows and so many on either side of them. */
static crew_span rows_about(const crew_buffer *b, crew_span own, size_t beyond)
{
  if (own.count + 2 * beyond >= b->total) return (crew_span){ 0, b->total };
  const size_t before = b->is_bounded && own.first < beyond ? own.first : beyond;
  const size_t rest = b->total - own.first - own.count;
  const size_t after = b->is_bounded && rest < beyond ? rest : beyond;
  return (crew_span){ (own.first + b->total - before) % b->total, before + own.count + after };
}

/* The rows of a buffer whose values member m's chunks are of; all where values do not lie one
 * behind another as the rows do. */
static crew_span rows_of_chunks(const crew_device *crew, const trm_command *command,
                                const crew_buffer *b, size_t m, const crew_cut *by)
{
  const crew_span own = crew_own(crew, by->rows, by->grain, m), none = { 0, 0 };
  const trmi_chunks *chunks = &command->sharing->chunks;
  const size_t all = b->total * b->nx, step = b->components > 1 ? b->component : SIZE_MAX;
  const int is_dense = b->is_cut && !b->starts && !b->ghosts && b->row == b->nx &&
                       chunks->first >= b->first && chunks->count == all &&
                       (chunks->first - b->first) % step == 0 &&
                       chunks->stride % step == 0;
  if (own.count == 0) return none;
  if (!is_dense) return (crew_span){ 0, b->total };
  const size_t end = (own.first + own.count) * chunks->values;
  const size_t first = own.first * chunks->values / b->nx;
  return (crew_span){ first, ((end < all ? end : all) - 1) / b->nx + 1 - first };
}

/* What member m reads of buffer i, for so many launches. *is_beside: of own rows and those beside
 * them alone; else all rows of the launch wait for it. */
static trm_status ask_for(crew_device *crew, const trm_command *command, uint32_t i, size_t m,
                          const crew_cut *by, size_t launches, int *is_beside)
{
  crew_buffer *b = command->buffers[i];
  const trm_sharing *how = &command->sharing->how;
  const int is_group = how->each > 0 && !crew_is_list(command);
  if (how->device_local >> i & 1) return TRM_OK;
  if (command->sharing->chunks.values && !crew_is_written(command, i))
    return crew_fetch(crew, b, m, rows_of_chunks(crew, command, b, m, by));
  if (!crew_is_like(b, by)) return crew_fetch_all(crew, b, m);
  const crew_span own = crew_own_of(crew, b, m);
  if (is_group && how->adjacent >> i & 1) {
    *is_beside = crew_has(b, m, own);
    return crew_fetch_near(crew, b, m);
  }
  if (by->by_blocks && !crew_is_written(command, i)) {
    const crew_span about = rows_about(b, own, halo_of(command) * b->plane);
    return crew_fetch(crew, b, m, about);
  }
  if (is_group)
    return how->replicated >> i & 1 ? crew_fetch_all(crew, b, m) : crew_fetch(crew, b, m, own);
  if (how->write_only >> i & 1) return TRM_OK;
  if (is_written_alone(command, i)) return crew_fetch(crew, b, m, own);
  const size_t halo = halo_of(command);
  const size_t beyond = b->total == by->rows ? halo * b->plane
                        : halo && b->reach ? b->reach : halo * b->grain;
  if (crew_has(b, m, rows_about(b, own, beyond))) return TRM_OK;
  *is_beside = crew_has(b, m, own);
  return crew_fetch(crew, b, m, rows_about(b, own, beyond * launches));
}

/* Whether rows between all members come beside launches. */
static int has_lanes(const crew_device *crew)
{
  for (size_t m = 0; m < crew->count; m++)
    if (!crew->drivers || !crew->members[m].device->table->arrive) return 0;
  return 1;
}

/* For how many launches rows of others are fetched at once: each of these computes, of rows beside
 * its own, those that the next ones need. A sixteenth of the smallest part at most is computed
 * twice; where rows come beside launches there is less to gain, and that is a 128th. */
static size_t deep_launches(const crew_device *crew, const trm_command *command, const crew_cut *by)
{
  enum { MOST = 8, MOST_STEPS = 9, PART = 16, BESIDE = 128 }; /* as parts have them */
  const size_t most = command->declaration->steps ? MOST_STEPS : MOST;
  const size_t plane = plane_of(command), halo = halo_of(command);
  const int is_list = crew_is_list(command);
  size_t least = by->rows;
  if (command->sharing->at_row || halo == 0 || by->grain != plane) return 1;
  if (!is_list && (command->sharing->how.each > 0 || crew_written_by(command)->total != by->rows))
    return 1; /* blocks of rows */
  for (size_t m = 0; m < crew->count; m++) {
    const size_t own = crew_own(crew, by->rows, by->grain, m).count;
    if (own < least) least = own;
  }
  const size_t part = has_lanes(crew) ? BESIDE : PART, launches = least / plane / (part * halo);
  return launches < 1 ? 1 : launches < most ? launches : most;
}

trm_status crew_fetch_for(crew_device *crew, const trm_command *command, uint32_t i, size_t m,
                          const crew_cut *by)
{
  const size_t moves = crew->move_count;
  const size_t launches = deep_launches(crew, command, by);
  int is_beside = 0;
  TRM_TRY(ask_for(crew, command, i, m, by, launches, &is_beside));
  for (size_t k = moves; k < crew->move_count; k++) crew->moves[k].is_awaited = !is_beside;
  if (crew->move_count > moves && !is_beside) crew->is_awaited = 1;
  return TRM_OK;
}

/* How many rows before and after member m's own it can compute as well, from what will be fresh
 * there: `more`, up to that. */
static void limit_more(const crew_device *crew, const trm_command *command, uint32_t i, size_t m,
                       crew_span own, crew_span *more)
{
  const crew_buffer *b = command->buffers[i];
  const size_t halo = halo_of(command) * b->plane;
  const crew_span fresh = crew_fresh_then(crew, b, m);
  if (fresh.count >= b->total || is_written_alone(command, i)) return;
  const size_t before = (own.first + b->total - fresh.first) % b->total;
  const size_t after = fresh.count > before + own.count ? fresh.count - before - own.count : 0;
  const size_t low = before > halo ? before - halo : 0, high = after > halo ? after - halo : 0;
  if (low < more->first) more->first = low;
  if (high < more->count) more->count = high;
}

crew_span crew_find_more(const crew_device *crew, const trm_command *command, const crew_cut *by,
                         size_t m)
{
  const size_t plane = plane_of(command), halo = halo_of(command);
  const crew_span own = crew_own(crew, by->rows, by->grain, m);
  const size_t most = (deep_launches(crew, command, by) - 1) * halo * plane;
  crew_span more = { most, most };
  if (most == 0 || own.count + 2 * (most + halo * plane) >= by->rows)
    return (crew_span){ 0, 0 };
  for (uint32_t i = 0; i < command->buffer_count; i++) {
    const crew_buffer *b = command->buffers[i];
    if (!crew_is_like(b, by)) continue;
    if (b->total != by->rows) return (crew_span){ 0, 0 };
    limit_more(crew, command, i, m, own, &more);
    if (b->is_bounded && own.first < more.first) more.first = own.first;
    const size_t rest = b->total - own.first - own.count;
    if (b->is_bounded && rest < more.count) more.count = rest;
  }
  return (crew_span){ more.first / plane * plane, more.count / plane * plane };
}

/* Own rows, those that are computed beside them, and so many beyond both. */
static trm_status hold_about(const crew_device *crew, crew_buffer *b, size_t m, size_t beyond)
{
  const crew_span own = crew_own_of(crew, b, m), more = crew->members[m].more;
  const size_t before = more.first + beyond, count = before + own.count + more.count + beyond;
  if (own.count == 0) return TRM_OK;
  return crew_hold(crew, b, m, count >= b->total ? (crew_span){ 0, b->total }
                   : (crew_span){ (own.first + 2 * b->total - before) % b->total, count });
}

/* A kernel may read rows of a bounded grid's other end and not use them. A host needs no memory for
 * that. */
static trm_status hold_read_by_gpus(const crew_device *crew, const trm_command *command)
{
  for (uint32_t i = 0; i < command->buffer_count; i++)
    for (size_t m = 0; m < crew->count; m++) {
      crew_buffer *b = command->buffers[i];
      const int halo = crew_halo_of(command);
      const int needs_none = crew->members[m].device->info.is_host && !crew->is_strict;
      if (needs_none || !b->is_cut || !b->is_bounded || halo <= 0) continue;
      const size_t blocks = b->reach > b->grain ? b->reach : b->grain;
      TRM_TRY(hold_about(crew, b, m, (size_t)halo * (b->plane > blocks ? b->plane : blocks)));
    }
  return TRM_OK;
}

trm_status crew_hold_written(const crew_device *crew, const trm_command *command)
{
  for (uint32_t i = 0; i < command->buffer_count; i++)
    for (size_t m = 0; m < crew->count && crew_is_written(command, i); m++) {
      crew_buffer *b = command->buffers[i];
      const int is_local = (command->sharing->how.device_local >> i & 1) != 0;
      const size_t beyond = is_local ? halo_of(command) * b->plane : 0;
      TRM_TRY(hold_about(crew, b, m, beyond));
    }
  return hold_read_by_gpus(crew, command);
}
