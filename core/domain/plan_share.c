/* plan_share.c - what a part carries out of a launch: all of it, or its own rows and those beside
 * them that it computes. Rows that need none of others come first, while the others are on their
 * way. */
#include "core/domain/plan_adding.h"

/* How many rows at either end of a part's own read rows of others. */
typedef struct edges {
  size_t low, high;
} edges;

/* Groups of those rows; of a list, parts of it. */
static domain_span groups_of(const adding *a, domain_span own)
{
  const size_t each = (size_t)a->how->each;
  const size_t groups = (size_t)(adding_is_list(a) ? a->command->extent.ny : a->command->extent.nx);
  const size_t *starts = a->how->counts ? adding_items(a)->starts : NULL;
  size_t begin = own.first * each, end = (own.first + own.count) * each;
  if (a->by.by_blocks) {
    begin = own.first / a->by.grain * each;
    end = domain_units(own.first + own.count, a->by.grain) * each;
  }
  if (starts) {
    begin = (starts[own.first] - starts[0]) / each;
    end = (starts[own.first + own.count] - starts[0]) / each;
  }
  if (begin > groups) begin = groups;
  return (domain_span){ begin, (end < groups ? end : groups) - begin };
}

/* Rows that do not go on at row 0. */
static void add_run(const adding *a, size_t first, size_t count, domain_share *out)
{
  const domain_span rows = { first, count };
  const domain_span run = a->how->each > 0 ? groups_of(a, rows) : rows;
  if (run.count) out->spans[out->count++] = run;
}

/* Rows of the launch's cut that may begin before row 0, as numbers below 0, and end behind the
 * last row. */
static void add_rows(const adding *a, domain_span rows, domain_share *out)
{
  const size_t total = a->by.rows, first = (rows.first + total) % total;
  const size_t count = first + rows.count > total ? total - first : rows.count;
  if (rows.count == 0) return;
  add_run(a, first, count, out);
  if (count < rows.count) add_run(a, 0, rows.count - count, out);
}

/* Whether rows come to the part, and none of them is awaited by all rows of the launch. */
static int has_inner(const adding *a, size_t part)
{
  int comes = 0;
  if (a->how->each > 0 && (!a->how->adjacent || adding_inner(a, part) == 0)) return 0;
  for (size_t i = 0; i < a->plan->piece_count; i++) {
    const domain_piece *piece = &a->plan->pieces[i];
    if (piece->to != part) continue;
    if (piece->is_awaited) return 0;
    comes = 1;
  }
  return comes;
}

domain_span domain_derived_run(const domain_derived *derived, size_t k)
{
  const domain_span run = derived->runs[k], window = derived->window;
  const size_t first = run.first > window.first ? run.first : window.first;
  const size_t end = run.first + run.count, last = window.first + window.count;
  const size_t least = end < last ? end : last;
  return (domain_span){ first, least > first ? least - first : 0 };
}

/* Derived rows that own rows of the part read. */
static void share_derived(const adding *a, size_t part, domain_share *out)
{
  out->derived.runs = domain_near_needed(adding_near_written(a), part, &out->derived.count);
  out->derived.window = (domain_span){ (size_t)a->how->derived - 1,
                                       (size_t)a->command->extent.nx };
}

/* Few inner rows are not worth a launch. */
static void share_rows(const adding *a, size_t part, domain_share *out)
{
  const domain_plan *plan = a->plan;
  const domain_span own = domain_plan_own(plan, a->by.rows, a->by.grain, part);
  const domain_span more = plan->more[part];
  const size_t halo = (size_t)adding_halo(a) * adding_plane(a);
  const domain_span all = { own.first - more.first, more.first + own.count + more.count };
  if (own.count == 0) return;
  if (a->how->each == 0)
    out->rows = (domain_span){ (all.first + a->by.rows) % a->by.rows, all.count };
  if (!has_inner(a, part) || own.count <= 4 * halo) {
    add_rows(a, all, out);
    return;
  }
  if (a->how->adjacent) {
    const size_t inner = adding_inner(a, part);
    add_rows(a, (domain_span){ own.first, inner }, out);
    out->inner = out->count;
    add_rows(a, (domain_span){ own.first + inner, own.count - inner }, out);
    return;
  }
  add_rows(a, (domain_span){ own.first + halo, own.count - 2 * halo }, out);
  out->inner = out->count;
  add_rows(a, (domain_span){ all.first, more.first + halo }, out);
  add_rows(a, (domain_span){ own.first + own.count - halo, halo + more.count }, out);
}

void domain_plan_share(const domain_plan *plan, size_t part, domain_share *out)
{
  const adding *a = &plan->last;
  *out = (domain_share){ .is_whole = 0 };
  switch (plan->who) {
  case EACH_WHOLE: out->is_whole = 1; return;
  case FIRST_ALONE: out->is_whole = part == 0; return;
  case ONE_ALONE: out->is_whole = part == plan->one; return;
  case EACH_WITH_ROW:
    out->is_whole = adding_has_row(a, part, (size_t)(a->command->sharing->at_row - 1));
    return;
  case EACH_ITS_COPY: out->copied = adding_buffer(a, 0)->valid[part]; return;
  case EACH_ITS_DERIVED: share_derived(a, part, out); return;
  case EACH_ITS_ROWS: break;
  }
  share_rows(a, part, out);
}
