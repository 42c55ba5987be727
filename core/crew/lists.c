/* lists.c - launches over what lies beside rows: rows that are made of others, and lists of what
 * lies beside rows of a grid, as cells at walls. Each member makes those that its own rows need; of
 * a list, where rows are fetched for several launches at once, also those beside these. What a
 * launch over a list changes in rows, for the next launch over rows to read, each member changes
 * for itself. */
#include "core/crew/reach.h"

/* What member m does of a launch is given to it: the other ranks are told first, and are under way
 * before this process waits for rows. */
typedef trm_status enqueue_fn(crew_device *crew, const trm_command *command, size_t m,
                              const crew_cut *by);

static trm_status run(crew_device *crew, const trm_command *command, const crew_cut *by,
                      enqueue_fn *enqueue)
{
  TRM_TRY(crew_tell_puts(crew));
  TRM_TRY(crew_tell_gets(crew));
  for (int here = 0; here <= 1; here++) {
    if (here) crew_make_puts(crew);
    if (here) TRM_TRY(crew_make_gets(crew));
    for (size_t m = 0; m < crew->count; m++)
      if ((crew->members[m].rank == 0) == here) TRM_TRY(enqueue(crew, command, m, by));
  }
  return TRM_OK;
}

/* ---- made of others --------------------------------------------------------- */

static trm_status enqueue_made(crew_device *crew, const trm_command *command, size_t m,
                               const crew_cut *by)
{
  const size_t first = (size_t)command->sharing->how.derived - 1;
  const size_t count = (size_t)command->extent.nx;
  crew_span groups;
  (void)by;
  TRM_TRY(crew_needed(crew, crew_written_by(command), m, first, count, &groups));
  return groups.count ? crew_enqueue_part(crew, command, m, groups) : TRM_OK;
}

/* Each makes what its own rows need, from what they are near to; all rows stay as fresh as they
 * are. Of another cut other rows would be needed: it stays until they are read. */
trm_status crew_run_beside(crew_device *crew, const trm_command *command, const crew_cut *by)
{
  if (crew->balance && !crew->is_kept) TRM_TRY(crew_weigh(crew));
  crew->is_kept = 1;
  for (size_t m = 0; m < crew->count; m++)
    for (uint32_t i = 0; i < command->buffer_count; i++)
      TRM_TRY(crew_fetch_for(crew, command, i, m, by));
  return run(crew, command, by, enqueue_made);
}

/* ---- lists ------------------------------------------------------------------ */

/* Parts of the list that are of these rows, which do not go on at row 0. */
static crew_span parts_of(const trm_command *command, size_t first, size_t count)
{
  const trm_sharing *how = &command->sharing->how;
  const crew_buffer *by = command->buffers[how->counts - 1];
  const size_t each = (size_t)how->each, *starts = by->starts;
  const size_t begin = (starts[first] - starts[0]) / each;
  return (crew_span){ begin, (starts[first + count] - starts[0]) / each - begin };
}

static trm_status enqueue_parts(const crew_device *crew, const trm_command *command, size_t m,
                                size_t first, size_t count)
{
  const crew_span parts = parts_of(command, first, count);
  return parts.count ? crew_enqueue_part(crew, command, m, parts) : TRM_OK;
}

static trm_status enqueue_member(crew_device *crew, const trm_command *command, size_t m,
                                 const crew_cut *by)
{
  const crew_member *member = &crew->members[m];
  const crew_span own = crew_own(crew, by->rows, by->grain, m);
  const size_t first = (own.first + by->rows - member->more.first) % by->rows;
  const size_t all = own.count + member->more.first + member->more.count;
  const size_t count = first + all > by->rows ? by->rows - first : all;
  if (command->sharing->how.is_of_gpus && member->device->info.is_host) return TRM_OK;
  TRM_TRY(enqueue_parts(crew, command, m, first, count));
  return all > count ? enqueue_parts(crew, command, m, 0, all - count) : TRM_OK;
}

/* The grid is not cut: the first member has all of it. */
static trm_status run_whole(crew_device *crew, const trm_command *command)
{
  if (command->sharing->how.is_of_gpus && crew->members[0].device->info.is_host) return TRM_OK;
  return crew_run_alone(crew, command);
}

trm_status crew_run_list(crew_device *crew, const trm_command *command)
{
  const crew_cut by = crew_cut_of_list(command);
  if (by.rows == 0) return run_whole(crew, command);
  if (crew->balance && !crew->is_kept) TRM_TRY(crew_weigh(crew));
  crew->is_kept = command->sharing->how.device_local != 0;
  for (size_t m = 0; m < crew->count; m++)
    for (uint32_t i = 0; i < command->buffer_count; i++)
      TRM_TRY(crew_fetch_for(crew, command, i, m, &by));
  for (size_t m = 0; m < crew->count; m++)
    crew->members[m].more = crew_find_more(crew, command, &by, m);
  TRM_TRY(crew_hold_written(crew, command));
  if (crew->is_checked) TRM_TRY(crew_check_begin(crew, command));
  TRM_TRY(run(crew, command, &by, enqueue_member));
  TRM_TRY(crew_written_by_all(crew, command));
  return crew->is_checked ? crew_check(crew, command) : TRM_OK;
}
