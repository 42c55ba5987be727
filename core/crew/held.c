/* held.c - the rows of a buffer that have memory on a member: its own rows, and rows beside them
 * that it received or computed. Every member has the bytes between rows and at either end. */
#include "core/crew/crew.h"

/* Components that lie within each row are one piece of memory. */
static int is_within_rows(const crew_buffer *b)
{
  return b->components > 1 && b->component < b->row;
}

/* Whether rows that a member does not need lie together. */
static int can_be_held_in_part(const crew_buffer *b)
{
  const size_t rows = (b->total - 1) * b->row + b->nx;
  return b->is_cut &&
         (b->starts || b->components == 1 || b->component >= rows || is_within_rows(b));
}

static size_t pieces_of(const crew_buffer *b)
{
  return is_within_rows(b) && !b->starts ? 1 : b->components * b->lists;
}

/* Between these rows' first and last cell; not the ghosts at both ends, which rows may share. */
static crew_span inside_of(const crew_buffer *b, size_t piece, size_t row, size_t count)
{
  if (b->starts)
    return crew_bytes_of(b, piece / b->lists, piece % b->lists, row, count);
  const size_t begin = b->first + piece * b->component + row * b->row;
  const size_t last = is_within_rows(b) ? (b->components - 1) * b->component : 0;
  return (crew_span){ begin * b->value_bytes,
                      ((count - 1) * b->row + last + b->nx) * b->value_bytes };
}

/* ---- pieces ---------------------------------------------------------------------- */

/* Visits the bytes that are left up to rows [row, row + count); then those behind them are left. */
static trm_status leave_out(const crew_buffer *b, size_t piece, size_t row, size_t count,
                            crew_span *left, crew_piece_fn *visit, void *user)
{
  if (count == 0) return TRM_OK;
  const crew_span out = inside_of(b, piece, row, count);
  const size_t end = left->first + left->count, behind = out.first + out.count;
  if (out.count == 0 || out.first >= end || behind <= left->first) return TRM_OK;
  if (out.first > left->first) TRM_TRY(visit(user, left->first, out.first - left->first));
  *left = (crew_span){ behind, end > behind ? end - behind : 0 };
  return TRM_OK;
}

trm_status crew_each_piece(const crew_buffer *b, crew_span rows, crew_span bytes,
                           crew_piece_fn *visit, void *user)
{
  const int is_all = rows.count >= b->total || !can_be_held_in_part(b);
  const size_t end = rows.first + rows.count;
  for (size_t i = 0; i < pieces_of(b) && !is_all && bytes.count; i++) {
    if (end > b->total) {
      TRM_TRY(leave_out(b, i, end - b->total, b->total - rows.count, &bytes, visit, user));
    } else {
      TRM_TRY(leave_out(b, i, 0, rows.first, &bytes, visit, user));
      TRM_TRY(leave_out(b, i, end, b->total - end, &bytes, visit, user));
    }
  }
  return bytes.count ? visit(user, bytes.first, bytes.count) : TRM_OK;
}

/* ---- memory ---------------------------------------------------------------------- */

typedef trm_status change_fn(trm_buffer *part, size_t offset, size_t bytes);

/* Rows that may go on at row 0. They are held with the ghosts at both ends, which move with a row;
 * dropped without them. */
static trm_status change_rows(const crew_buffer *b, size_t m, size_t row, size_t count,
                              change_fn *change)
{
  const size_t end = row + count > b->total ? b->total : row + count;
  const size_t ghosts = change == trmi_buffer_hold && !b->starts ? b->ghosts * b->value_bytes : 0;
  for (size_t i = 0; count && i < pieces_of(b); i++) {
    const crew_span at = inside_of(b, i, row, end - row);
    TRM_TRY(change(b->parts[m], at.first - ghosts, at.count + 2 * ghosts));
  }
  return row + count > end ? change_rows(b, m, 0, row + count - end, change) : TRM_OK;
}

/* Rows of `outer` that are not among `inner`, which lies in it. */
static trm_status change_beside(const crew_buffer *b, size_t m, crew_span inner, crew_span outer,
                                change_fn *change)
{
  if (outer.count >= b->total) outer = (crew_span){ inner.first, b->total };
  const size_t before = (inner.first + b->total - outer.first) % b->total;
  TRM_TRY(change_rows(b, m, outer.first, before, change));
  return change_rows(b, m, (inner.first + inner.count) % b->total,
                     outer.count - before - inner.count, change);
}

static trm_status hold_piece(void *part, size_t offset, size_t bytes)
{
  return trmi_buffer_hold(part, offset, bytes);
}

trm_status crew_hold(const crew_device *crew, crew_buffer *b, size_t m, crew_span rows)
{
  const crew_span had = b->held[m], then = domain_join(had, rows, b->total);
  if (rows.count == 0 || then.count <= had.count) return TRM_OK;
  TRM_TRY(crew_settle(crew, m));
  b->held[m] = then;
  if (had.count > 0) return change_beside(b, m, had, then, trmi_buffer_hold);
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
  return change_beside(b, m, rows, had, trmi_buffer_drop);
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
