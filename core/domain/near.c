/* near.c - see near.h. */
#include "core/domain/near.h"

#include <stdlib.h>
#include <string.h>

/* Rows that a part reads of others, and derived rows that it computes. */
typedef struct of_part {
  domain_near_run *runs;
  size_t run_count, inner;
  domain_span *needed;
  size_t needed_count;
} of_part;

struct domain_near {
  size_t holders, rows, derived, parts;
  size_t *begins;
  int32_t *reads;
  uint8_t *enough;              /* of each of `reads`; NULL: rows are read in whole */
  trm_slab slabs[TRM_SLABS];
  int is_found;
  of_part *of;
};

/* ---- life ------------------------------------------------------------------ */

static trm_status check(const trm_adjacency *table)
{
  const size_t all = table->rows + table->derived;
  for (size_t r = 0; r < all; r++)
    if (table->begins[r] > table->begins[r + 1])
      return TRM_FAIL(INVALID, "trm_buffer_adjacency: the list of row %zu ends before it begins",
                      r);
  for (size_t i = table->begins[0]; i < table->begins[all]; i++)
    if (table->reads[i] < 0 || (size_t)table->reads[i] >= all)
      return TRM_FAIL(INVALID, "trm_buffer_adjacency: a row reads row %d, of %zu rows",
                      (int)table->reads[i], all);
  return TRM_OK;
}

static trm_status fail_memory(size_t rows)
{
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the neighbours of %zu rows", rows);
}

trm_status domain_near_create(const trm_adjacency *table, size_t parts, domain_near **out)
{
  const size_t all = table->rows + table->derived, count = table->begins[all];
  TRM_TRY(check(table));
  domain_near *near = calloc(1, sizeof *near);
  if (!near) return fail_memory(table->rows);
  *near = (domain_near){ .holders = 1, .rows = table->rows, .derived = table->derived,
                         .parts = parts, .begins = malloc((all + 1) * sizeof *near->begins),
                         .reads = malloc((count + 1) * sizeof *near->reads),
                         .of = calloc(parts, sizeof *near->of) };
  if (!near->begins || !near->reads || !near->of) {
    domain_near_release(&near);
    return fail_memory(table->rows);
  }
  memcpy(near->begins, table->begins, (all + 1) * sizeof *near->begins);
  memcpy(near->reads, table->reads, count * sizeof *near->reads);
  *out = near;
  return TRM_OK;
}

domain_near *domain_near_share(domain_near *near)
{
  near->holders++;
  return near;
}

void domain_near_forget(domain_near *near)
{
  for (size_t m = 0; near->of && m < near->parts; m++) {
    free(near->of[m].runs);
    free(near->of[m].needed);
    near->of[m] = (of_part){ .runs = NULL };
  }
  near->is_found = 0;
}

void domain_near_release(domain_near **handle)
{
  domain_near *near = *handle;
  *handle = NULL;
  if (!near || --near->holders > 0) return;
  domain_near_forget(near);
  free(near->of);
  free(near->enough);
  free(near->begins);
  free(near->reads);
  free(near);
}

int domain_near_is(const domain_near *near, const trm_adjacency *table)
{
  const size_t all = table->rows + table->derived;
  return near->rows == table->rows && near->derived == table->derived &&
         memcmp(near->begins, table->begins, (all + 1) * sizeof *near->begins) == 0 &&
         memcmp(near->reads, table->reads, near->begins[all] * sizeof *near->reads) == 0;
}

trm_status domain_near_take_slabs(domain_near *near, const trm_slabs *slabs)
{
  const size_t count = near->begins[near->rows + near->derived];
  if (near->enough) return TRM_OK;
  near->enough = malloc(count + 1);
  if (!near->enough) return fail_memory(near->rows);
  memcpy(near->enough, slabs->enough, count);
  memcpy(near->slabs, slabs->slab, slabs->count * sizeof *slabs->slab);
  domain_near_forget(near);
  return TRM_OK;
}

const trm_slab *domain_near_slab(const domain_near *near, size_t slab)
{
  return &near->slabs[slab - 1];
}


size_t domain_near_derived(const domain_near *near) { return near->derived; }

/* ---- found ------------------------------------------------------------------- */

/* A part whose rows are followed. seen: by row, the part that found it last, from 1 on. enough: by
 * row, slabs that are enough for all its readers. */
typedef struct search {
  const domain_near *near;
  uint8_t *enough;
  int32_t *seen, *found;        /* found: rows of others from the front, derived from the end */
  size_t all, others, derived;
} search;

/* Marks the rows that a row reads, and the sources of derived rows among them. A derived row waits
 * in the list until its sources are followed. Returns whether a row of others was among them. */
static int follow(search *s, size_t row, size_t m, domain_span own)
{
  const domain_near *near = s->near;
  const int32_t mark = (int32_t)m + 1;
  int is_others = 0;
  for (size_t next = row, pending = s->derived;;) {
    for (size_t i = near->begins[next]; i < near->begins[next + 1]; i++) {
      const size_t one = (size_t)near->reads[i];
      const uint8_t enough = near->enough && next < near->rows ? near->enough[i] : 0;
      s->enough[one] = s->seen[one] == mark ? s->enough[one] & enough : enough;
      if (s->seen[one] == mark) continue;
      s->seen[one] = mark;
      if (one >= near->rows) s->found[s->all - ++s->derived] = near->reads[i];
      else if (one < own.first || one >= own.first + own.count) {
        s->found[s->others++] = near->reads[i];
        is_others = 1;
      }
    }
    if (pending == s->derived) return is_others;
    next = (size_t)s->found[s->all - ++pending];
  }
}

static int compare(const void *a, const void *b)
{
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* The part that has the row: they ascend, so the search goes on from the last one's. */
static size_t owner_from(const double *sums, const domain_near *near, size_t row, size_t from,
                         domain_span *own)
{
  size_t m = from;
  while (row >= own->first + own->count)
    *own = domain_own_of(sums, near->parts, near->rows, 1, ++m);
  return m;
}

/* The first slab that is enough, from 1 on; 0: none is. */
static size_t first_slab(uint8_t enough)
{
  size_t slab = 0;
  while (enough && !(enough >> slab & 1)) slab++;
  return enough ? slab + 1 : 0;
}

static trm_status list_runs(const search *s, const double *sums, of_part *out)
{
  const domain_near *near = s->near;
  size_t owner = 0;
  domain_span own = domain_own_of(sums, near->parts, near->rows, 1, 0);
  qsort(s->found, s->others, sizeof *s->found, compare);
  out->runs = malloc((s->others + 1) * sizeof *out->runs);
  if (!out->runs) return fail_memory(near->rows);
  for (size_t i = 0; i < s->others; i++) {
    const size_t row = (size_t)s->found[i];
    domain_near_run *last = out->run_count ? &out->runs[out->run_count - 1] : NULL;
    const size_t slab = first_slab(s->enough[row]);
    owner = owner_from(sums, near, row, owner, &own);
    if (last && last->from == owner && last->slab == slab && last->first + last->count == row)
      last->count++;
    else out->runs[out->run_count++] = (domain_near_run){ owner, row, 1, slab };
  }
  domain_near_run *fitted = realloc(out->runs, (out->run_count + 1) * sizeof *fitted);
  if (fitted) out->runs = fitted;
  return TRM_OK;
}

static trm_status list_needed(const search *s, of_part *out)
{
  int32_t *derived = s->found + s->all - s->derived;
  qsort(derived, s->derived, sizeof *derived, compare);
  out->needed = malloc((s->derived + 1) * sizeof *out->needed);
  if (!out->needed) return fail_memory(s->near->rows);
  for (size_t i = 0; i < s->derived; i++) {
    const size_t number = (size_t)derived[i] - s->near->rows;
    domain_span *last = out->needed_count ? &out->needed[out->needed_count - 1] : NULL;
    if (last && last->first + last->count == number) last->count++;
    else out->needed[out->needed_count++] = (domain_span){ number, 1 };
  }
  return TRM_OK;
}

static trm_status find_part(search *s, const double *sums, size_t m, of_part *out)
{
  const domain_span own = domain_own_of(sums, s->near->parts, s->near->rows, 1, m);
  s->others = s->derived = 0;
  out->inner = own.count;
  for (size_t i = 0; i < own.count; i++)
    if (follow(s, own.first + i, m, own) && out->inner == own.count) out->inner = i;
  TRM_TRY(list_runs(s, sums, out));
  return list_needed(s, out);
}

trm_status domain_near_find(domain_near *near, const double *sums)
{
  const size_t all = near->rows + near->derived;
  if (near->is_found) return TRM_OK;
  domain_near_forget(near);
  search s = { near, calloc(all + 1, 1), calloc(all + 1, sizeof *s.seen),
               malloc((all + 1) * sizeof *s.found), all, 0, 0 };
  trm_status status = s.enough && s.seen && s.found ? TRM_OK : fail_memory(near->rows);
  for (size_t m = 0; m < near->parts && status == TRM_OK; m++)
    status = find_part(&s, sums, m, &near->of[m]);
  free(s.enough);
  free(s.seen);
  free(s.found);
  if (status == TRM_OK) near->is_found = 1;
  else domain_near_forget(near);
  return status;
}

const domain_near_run *domain_near_runs(const domain_near *near, size_t part, size_t *count)
{
  *count = near->of[part].run_count;
  return near->of[part].runs;
}

size_t domain_near_inner(const domain_near *near, size_t part) { return near->of[part].inner; }

const domain_span *domain_near_needed(const domain_near *near, size_t part, size_t *count)
{
  *count = near->of[part].needed_count;
  return near->of[part].needed;
}

const int32_t *domain_near_sources(const domain_near *near, size_t derived, size_t *count)
{
  const size_t *begin = &near->begins[near->rows + derived];
  *count = begin[1] - begin[0];
  return near->reads + begin[0];
}
