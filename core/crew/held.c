/* held.c - the rows of a buffer that have memory on a member: its own rows, and rows beside them
 * that it received or computed. Every member has the bytes between rows and at either end. */
#include "core/crew/crew.h"
#include "core/domain/rows.h"

static domain_rows rows_of(const crew_buffer *b)
{
  return (domain_rows){ .total = b->total, .grain = b->grain, .plane = b->plane, .nx = b->nx,
                        .row = b->row, .first = b->first, .component = b->component,
                        .components = b->components, .ghosts = b->ghosts,
                        .value_bytes = b->value_bytes, .bytes = b->bytes, .lists = b->lists,
                        .starts = b->starts, .is_cut = b->is_cut };
}

/* Whether rows that a member does not need lie together. */
static int can_be_held_in_part(const crew_buffer *b)
{
  const domain_rows rows = rows_of(b);
  return domain_has_pieces(&rows);
}

trm_status crew_each_piece(const crew_buffer *b, crew_span rows, crew_span bytes,
                           crew_piece_fn *visit, void *user)
{
  const domain_rows all = rows_of(b);
  return domain_each_piece(&all, rows, bytes, visit, user);
}

static trm_status hold_piece(void *part, size_t offset, size_t bytes)
{
  return trmi_buffer_hold(part, offset, bytes);
}

static trm_status drop_piece(void *part, size_t offset, size_t bytes)
{
  return trmi_buffer_drop(part, offset, bytes);
}

trm_status crew_hold(const crew_device *crew, crew_buffer *b, size_t m, crew_span rows)
{
  const crew_span had = b->held[m], then = domain_join(had, rows, b->total);
  if (rows.count == 0 || then.count <= had.count) return TRM_OK;
  TRM_TRY(crew_settle(crew, m));
  b->held[m] = then;
  const domain_rows all = rows_of(b);
  if (had.count > 0) return domain_each_beside(&all, had, then, 1, hold_piece, b->parts[m]);
  return crew_each_piece(b, then, (crew_span){ 0, b->bytes }, hold_piece, b->parts[m]);
}

trm_status crew_hold_all(const crew_device *crew, crew_buffer *b)
{
  for (size_t m = 0; m < crew->count; m++)
    TRM_TRY(crew_hold(crew, b, m, (crew_span){ 0, b->total }));
  return TRM_OK;
}

static trm_status drop_all_but(const crew_device *crew, crew_buffer *b, size_t m, crew_span rows)
{
  const crew_span had = b->held[m];
  if (crew->is_checked || rows.count >= had.count) return TRM_OK;
  TRM_TRY(crew_settle(crew, m));
  b->held[m] = rows;
  const domain_rows all = rows_of(b);
  return domain_each_beside(&all, rows, had, 0, drop_piece, b->parts[m]);
}

trm_status crew_hold_own(const crew_device *crew, crew_buffer *b)
{
  const crew_span all = { 0, b->total };
  for (size_t m = 0; m < crew->count; m++) {
    const crew_span own = crew_own(crew, b->total, b->grain, m);
    b->fresh[m] = own.count && can_be_held_in_part(b) ? own : all;
    if (b->held[m].count > 0) b->held[m] = all;
    TRM_TRY(crew_hold(crew, b, m, b->fresh[m]));
    TRM_TRY(drop_all_but(crew, b, m, b->fresh[m]));
  }
  b->cut = crew->cut;
  return TRM_OK;
}

/* Own rows are fresh after a launch that wrote them; nobody reads the rest of another cut again. */
trm_status crew_drop_others(const crew_device *crew, crew_buffer *b)
{
  if (b->cut == crew->cut || !can_be_held_in_part(b) || b->near) return TRM_OK;
  b->cut = crew->cut;
  for (size_t m = 0; m < crew->count; m++)
    if (b->fresh[m].count) TRM_TRY(drop_all_but(crew, b, m, b->fresh[m]));
  return TRM_OK;
}
