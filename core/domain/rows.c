/* rows.c - see rows.h. */
#include "core/domain/rows.h"

domain_rows domain_rows_undeclared(size_t bytes)
{
  return (domain_rows){ .total = 1, .grain = 1, .plane = 1, .nx = bytes, .row = bytes,
                        .components = 1, .value_bytes = 1, .bytes = bytes, .lists = 1 };
}

domain_rows domain_rows_declared(const trm_by_rows *declared, size_t bytes)
{
  const trm_layout *l = &declared->layout;
  const size_t plane = declared->nz > 1 ? declared->ny : 1;
  return (domain_rows){
    .total = declared->ny * declared->nz, .plane = plane,
    .grain = plane * (declared->block ? declared->block : 1), .reach = declared->reach,
    .nx = declared->nx, .row = l->row, .first = l->first, .component = l->component,
    .components = declared->components, .ghosts = l->ghosts,
    .value_bytes = trm_type_size(declared->type), .bytes = bytes,
    .lists = declared->starts ? declared->lists : 1, .starts = declared->starts, .is_cut = 1,
    .is_output = declared->is_output, .is_bounded = declared->is_bounded,
    .is_repeated = declared->is_repeated,
    .is_real = declared->type == TRM_TYPE_F32 || declared->type == TRM_TYPE_F64
  };
}

domain_rows domain_rows_of_chunks(size_t chunks, size_t rows, size_t value_bytes, size_t bytes)
{
  return (domain_rows){ .total = chunks, .grain = 1, .plane = 1, .nx = 1, .row = 1,
                        .component = chunks, .components = rows, .value_bytes = value_bytes,
                        .bytes = bytes, .lists = 1, .is_cut = 1 };
}

domain_names domain_units_called(domain_names given, const trm_by_rows *rows)
{
  const int are_planes = rows->nz > 1;
  if (given.one && given.several) return given;
  if (rows->block > 1)
    return are_planes ? (domain_names){ "block of planes", "blocks of planes" }
                      : (domain_names){ "block of rows", "blocks of rows" };
  return are_planes ? (domain_names){ "plane", "planes" } : (domain_names){ "row", "rows" };
}

domain_span domain_bytes(const domain_rows *b, size_t component, size_t list, size_t row,
                         size_t count)
{
  const size_t *starts = b->starts ? b->starts + list * (b->total + 1) : NULL;
  if (starts)
    return (domain_span){ (b->first + component * b->component + starts[row]) * b->value_bytes,
                          (starts[row + count] - starts[row]) * b->value_bytes };
  const size_t begin = b->first + component * b->component + row * b->row - b->ghosts;
  return (domain_span){ begin * b->value_bytes,
                        ((count - 1) * b->row + b->nx + 2 * b->ghosts) * b->value_bytes };
}

domain_span domain_bytes_derived(const domain_rows *b, size_t derived)
{
  const size_t begin = b->starts ? b->starts[b->total] + derived * b->nx
                                 : (b->total + derived) * b->row;
  return (domain_span){ (b->first + begin) * b->value_bytes, b->nx * b->value_bytes };
}

size_t domain_bytes_declared(const domain_rows *b)
{
  if (b->derived) return domain_bytes_derived(b, 0).first;
  if (!b->is_tight) return b->bytes;
  const domain_span last = domain_bytes(b, b->components - 1, b->lists - 1, b->total - 1, 1);
  return last.first + last.count;
}

/* ---- pieces of memory ------------------------------------------------------------ */

/* Components that lie within each row are one piece of memory. */
static int is_within_rows(const domain_rows *b)
{
  return b->components > 1 && b->component < b->row;
}

int domain_has_pieces(const domain_rows *b)
{
  const size_t rows = (b->total - 1) * b->row + b->nx;
  return b->is_cut &&
         (b->starts || b->components == 1 || b->component >= rows || is_within_rows(b));
}

static size_t pieces_of(const domain_rows *b)
{
  return is_within_rows(b) && !b->starts ? 1 : b->components * b->lists;
}

/* Between the first and the last cell of these rows, and so many values on either side. */
static domain_span piece_of(const domain_rows *b, size_t piece, size_t row, size_t count,
                            size_t before, size_t behind)
{
  if (b->starts) return domain_bytes(b, piece / b->lists, piece % b->lists, row, count);
  const size_t begin = b->first + piece * b->component + row * b->row;
  const size_t last = is_within_rows(b) ? (b->components - 1) * b->component : 0;
  const size_t first = (begin > before ? begin - before : 0) * b->value_bytes;
  const size_t end = (begin + (count - 1) * b->row + last + b->nx + behind) * b->value_bytes;
  return (domain_span){ first, (end < b->bytes ? end : b->bytes) - first };
}

/* Values from a row's last cell to the ghosts of the next row: its own ghosts, and values that
 * kernels may read behind these. Fewer than its ghosts: rows share them. */
static size_t tail_of(const domain_rows *b)
{
  const size_t last = is_within_rows(b) ? (b->components - 1) * b->component : 0;
  const size_t before = last + b->nx + b->ghosts;
  return b->row > before ? b->row - before : 0;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }
static size_t most(size_t a, size_t b) { return a > b ? a : b; }

/* Visits the bytes that are left up to rows [row, row + count); then those behind them are left. */
static trm_status leave_out(const domain_rows *b, size_t piece, size_t row, size_t count,
                            domain_span *left, domain_visit_fn *visit, void *user)
{
  if (count == 0) return TRM_OK;
  const size_t tail = tail_of(b);
  const domain_span out = piece_of(b, piece, row, count, least(b->ghosts, tail), tail);
  const size_t end = left->first + left->count, behind = out.first + out.count;
  if (out.count == 0 || out.first >= end || behind <= left->first) return TRM_OK;
  if (out.first > left->first) TRM_TRY(visit(user, left->first, out.first - left->first));
  *left = (domain_span){ behind, end > behind ? end - behind : 0 };
  return TRM_OK;
}

trm_status domain_each_piece(const domain_rows *b, domain_span rows, domain_span bytes,
                             domain_visit_fn *visit, void *user)
{
  const int is_all = rows.count >= b->total || !domain_has_pieces(b);
  const size_t end = rows.first + rows.count, declared = domain_bytes_declared(b);
  if (bytes.first + bytes.count > declared)
    bytes.count = bytes.first < declared ? declared - bytes.first : 0;
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

/* Rows that may go on at row 0. */
static trm_status each_row_piece(const domain_rows *b, size_t row, size_t count, int has_ghosts,
                                 domain_visit_fn *visit, void *user)
{
  const size_t end = row + count > b->total ? b->total : row + count;
  const size_t before = has_ghosts ? b->ghosts : 0;
  const size_t behind = has_ghosts ? most(b->ghosts, tail_of(b)) : 0;
  for (size_t i = 0; count && i < pieces_of(b); i++) {
    const domain_span at = piece_of(b, i, row, end - row, before, behind);
    if (at.count) TRM_TRY(visit(user, at.first, at.count));
  }
  return row + count > end ? each_row_piece(b, 0, row + count - end, has_ghosts, visit, user)
                           : TRM_OK;
}

trm_status domain_each_beside(const domain_rows *b, domain_span inner, domain_span outer,
                              int has_ghosts, domain_visit_fn *visit, void *user)
{
  if (outer.count >= b->total) outer = (domain_span){ inner.first, b->total };
  const size_t before = (inner.first + b->total - outer.first) % b->total;
  TRM_TRY(each_row_piece(b, outer.first, before, has_ghosts, visit, user));
  return each_row_piece(b, (inner.first + inner.count) % b->total,
                        outer.count - before - inner.count, has_ghosts, visit, user);
}
