/* parts.c - a launch by rows, on each member over its own: all at once, or those first that need
 * nobody else's, while the others' come. */
#include "core/crew/reach.h"

typedef enum kind { ELSEWHERE, ON_GPU, ON_HOST } kind;

static kind kind_of(const crew_member *member)
{
  return member->rank ? ELSEWHERE : member->device->info.is_host ? ON_HOST : ON_GPU;
}

/* Groups along x of those rows. */
static crew_span groups_of(const trm_command *command, crew_span own, const crew_cut *cut)
{
  const trm_sharing *how = &command->sharing->how;
  const size_t each = (size_t)how->each, groups = (size_t)command->extent.nx;
  const crew_buffer *by = how->counts ? command->buffers[how->counts - 1] : NULL;
  const size_t *starts = by ? by->starts : NULL;
  size_t begin = own.first * each, end = (own.first + own.count) * each;
  if (cut->by_blocks) {
    begin = own.first / cut->grain * each;
    end = domain_units(own.first + own.count, cut->grain) * each;
  }
  if (starts) {
    begin = starts[own.first] / each;
    end = starts[own.first + own.count] / each;
  }
  if (begin > groups) begin = groups;
  return (crew_span){ begin, (end < groups ? end : groups) - begin };
}

/* Of a member's rows all, those that can be computed before rows of others are there, or the
 * others, at one end and at the other. */
typedef enum part { ALL_ROWS, INNER, LOW_EDGE, HIGH_EDGE } part;

/* How many rows at either end of a member's read rows of others. */
typedef struct edges {
  size_t low, high;
} edges;

/* own: with `more` rows of others at either end. Few inner ones are not worth a launch. */
static crew_span part_of(crew_span own, part which, edges edge, crew_span more)
{
  const size_t outer = edge.low + edge.high;
  const size_t inner = own.count > 2 * outer ? own.count - outer : 0;
  const size_t begin = own.first - more.first, end = own.first + own.count + more.count;
  if (which == INNER) return (crew_span){ own.first + edge.low, inner };
  if (which == ALL_ROWS || (which == LOW_EDGE && inner == 0))
    return (crew_span){ begin, end - begin };
  if (which == LOW_EDGE)
    return (crew_span){ begin, edge.low ? own.first + edge.low - begin : more.first };
  return (crew_span){ own.first + edge.low + inner, inner ? edge.high + more.count : 0 };
}

/* Rows of which all are near to rows of the member's own come first (trm_buffer_adjacency). */
static edges edges_of(const crew_device *crew, const trm_command *command, const crew_cut *by,
                      size_t m)
{
  const size_t plane = command->extent.nz > 1 ? (size_t)command->extent.ny : 1;
  const size_t halo = (size_t)crew_halo_of(command) * plane;
  const size_t own = crew_own(crew, by->rows, by->grain, m).count;
  edges edge = { halo, halo };
  if (command->sharing->how.each == 0) return edge;
  edge = (edges){ 0, 0 };
  for (uint32_t i = 0; i < command->buffer_count; i++)
    if (command->sharing->how.adjacent >> i & 1) {
      const size_t inner = crew_near_inner(command->buffers[i], m);
      if (own - inner > edge.high) edge.high = own - inner;
    }
  return edge;
}

/* Rows that may begin before the grid, as numbers below 0, and end behind it: periodic ones. */
static trm_status enqueue_rows(const crew_device *crew, const trm_command *command, size_t m,
                               crew_span rows, const crew_cut *by)
{
  const size_t total = by->rows;
  if (command->sharing->how.each > 0) {
    const crew_span groups = groups_of(command, rows, by);
    return groups.count ? crew_enqueue_part(crew, command, m, groups) : TRM_OK;
  }
  const size_t first = (rows.first + total) % total;
  const size_t count = first + rows.count > total ? total - first : rows.count;
  TRM_TRY(crew_enqueue_part(crew, command, m, (crew_span){ first, count }));
  if (count == rows.count) return TRM_OK;
  return crew_enqueue_part(crew, command, m, (crew_span){ 0, rows.count - count });
}

static trm_status enqueue_on_all(const crew_device *crew, const trm_command *command, kind wanted,
                                 const crew_cut *by, part which)
{
  for (size_t m = 0; m < crew->count; m++) {
    const crew_span own = crew_own(crew, by->rows, by->grain, m);
    const edges edge = which == ALL_ROWS ? (edges){ 0, 0 } : edges_of(crew, command, by, m);
    const crew_span rows = part_of(own, which, edge, crew->members[m].more);
    if (kind_of(&crew->members[m]) == wanted && own.count && rows.count)
      TRM_TRY(enqueue_rows(crew, command, m, rows, by));
  }
  return TRM_OK;
}

static trm_status enqueue_edges(const crew_device *crew, const trm_command *command, kind wanted,
                                const crew_cut *by)
{
  TRM_TRY(enqueue_on_all(crew, command, wanted, by, LOW_EDGE));
  return enqueue_on_all(crew, command, wanted, by, HIGH_EDGE);
}

/* Those first whose launches return at once; the other ranks are under way before this one waits
 * for its rows. */
static trm_status run_at_once(crew_device *crew, const trm_command *command, const crew_cut *by)
{
  TRM_TRY(crew_tell_moves(crew));
  TRM_TRY(enqueue_on_all(crew, command, ELSEWHERE, by, ALL_ROWS));
  TRM_TRY(crew_make_moves(crew));
  TRM_TRY(enqueue_on_all(crew, command, ON_GPU, by, ALL_ROWS));
  return enqueue_on_all(crew, command, ON_HOST, by, ALL_ROWS);
}

/* ---- inner rows first ------------------------------------------------------ */

/* Whether rows can move, and those that wait for them be computed, in the second queue of GPUs: the
 * launch changes nothing that moves. */
static int is_beside(const crew_device *crew, const trm_command *command)
{
  if (!crew->drivers) return 0;
  for (size_t i = 0; i < crew->move_count; i++)
    for (uint32_t b = 0; b < command->buffer_count; b++)
      if (crew_is_written(command, b) && command->buffers[b] == crew->moves[i].buffer) return 0;
  for (size_t m = 0; m < crew->count; m++)
    if (kind_of(&crew->members[m]) == ON_GPU && !drivers_have_queues(crew->drivers, m)) return 0;
  return 1;
}

typedef void turn_fn(crew_drivers *drivers, size_t m);

static void turn(const crew_device *crew, turn_fn *fork_or_join)
{
  for (size_t m = 0; m < crew->count; m++)
    if (drivers_have_queues(crew->drivers, m)) fork_or_join(crew->drivers, m);
}

/* What all rows wait for, while the rest is sent in the second queue, which waits for it too. */
static void move_awaited(crew_device *crew, int beside)
{
  if (beside) turn(crew, drivers_fork);
  crew->queue = beside ? TRM_QUEUE_ARRIVALS : TRM_QUEUE_COMMANDS;
  crew_make_puts_of(crew, 0);
  crew->queue = TRM_QUEUE_COMMANDS;
  if (!crew->is_awaited) return;
  crew_make_puts_of(crew, 1);
  crew_make_gets_of(crew, 1);
  if (beside) turn(crew, drivers_fork);
}

/* What is put is put, rows are computed that need nobody else's, while the others' come; then the
 * rows at both ends. */
static trm_status run_inner_first(crew_device *crew, const trm_command *command, const crew_cut *by)
{
  const int beside = is_beside(crew, command);
  TRM_TRY(crew_tell_puts(crew));
  TRM_TRY(enqueue_on_all(crew, command, ELSEWHERE, by, INNER));
  TRM_TRY(crew_tell_gets(crew));
  TRM_TRY(enqueue_edges(crew, command, ELSEWHERE, by));
  if (crew->drivers) move_awaited(crew, beside);
  else crew_make_puts(crew);
  trm_status status = enqueue_on_all(crew, command, ON_GPU, by, INNER);
  if (status == TRM_OK) status = enqueue_on_all(crew, command, ON_HOST, by, INNER);
  const trm_error cause = *trm_error_last();
  const trm_status got = crew_make_gets(crew);
  if (status != TRM_OK)
    return trm_error_record(status, cause.file, cause.line, "%s", cause.text);
  TRM_TRY(got);
  crew->queue = beside ? TRM_QUEUE_ARRIVALS : TRM_QUEUE_COMMANDS;
  status = enqueue_edges(crew, command, ON_GPU, by);
  crew->queue = TRM_QUEUE_COMMANDS;
  TRM_TRY(status);
  TRM_TRY(enqueue_edges(crew, command, ON_HOST, by));
  if (beside) turn(crew, drivers_join);
  return TRM_OK;
}

/* Whether rows move that only the launch's rows at edges wait for. Over ranks all moves of a launch
 * are made together, so there none of them may be awaited by all of its rows. */
static int has_inner(const crew_device *crew, const trm_command *command)
{
  const trm_sharing *how = &command->sharing->how;
  if (how->each > 0 ? !how->adjacent || how->derived : crew_halo_of(command) == 0) return 0;
  if (!crew->drivers && crew->is_awaited) return 0;
  for (size_t i = 0; i < crew->move_count; i++)
    if (!crew->moves[i].is_awaited) return 1;
  return 0;
}

trm_status crew_run_parts(crew_device *crew, const trm_command *command, const crew_cut *by)
{
  return has_inner(crew, command) ? run_inner_first(crew, command, by)
                                  : run_at_once(crew, command, by);
}
