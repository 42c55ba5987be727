/* near.c - rows that are near to others by a table, as blocks of cells on a curve are: which rows
 * of other members a member reads, and which of those that are made of rows it makes itself. Both
 * follow from the cut, and are found again where that is another. */
#include "core/crew/crew.h"
#include "core/domain/parts.h"

#include <stdlib.h>
#include <string.h>

typedef struct crew_near {
  size_t rows, made;
  size_t *begins;
  int32_t *reads;
  unsigned char *is_there;      /* of each member: what its own rows are near to is fresh there */
  crew_span *own;               /* of each member, for which the rest was found */
  crew_span **runs;             /* of each member, ascending: rows of others */
  size_t *run_count;
  size_t *inner;                /* of each member: rows before the first one that reads of these */
  unsigned char **needed;       /* of each member, of each number that is made: not 0 */
} crew_near;

void crew_near_free(crew_buffer *buffer, size_t members)
{
  crew_near *near = buffer->near;
  if (!near) return;
  for (size_t m = 0; near->runs && near->needed && m < members; m++) {
    free(near->runs[m]);
    free(near->needed[m]);
  }
  free(near->runs);
  free(near->needed);
  free(near->run_count);
  free(near->inner);
  free(near->own);
  free(near->is_there);
  free(near->begins);
  free(near->reads);
  free(near);
  buffer->near = NULL;
}

void crew_near_is_there(const crew_buffer *buffer, size_t m, int is_there)
{
  if (buffer->near) buffer->near->is_there[m] = (unsigned char)is_there;
}

/* ---- declared ---------------------------------------------------------------- */

static trm_status check(const trm_buffer *buffer, const crew_buffer *cut, const trm_adjacency *near)
{
  const size_t all = near->rows + near->derived;
  if (!cut->is_cut || cut->total != near->rows || cut->near)
    return TRM_FAIL(INVALID,
                    "trm_buffer_adjacency: buffer \"%s\" has %zu rows where %zu are near to "
                    "others; declare them before, by trm_buffer_rows, and this once", buffer->name,
                    cut->is_cut ? cut->total : 0, near->rows);
  for (size_t r = 0; r < all; r++)
    if (near->begins[r] > near->begins[r + 1])
      return TRM_FAIL(INVALID,
                      "trm_buffer_adjacency: buffer \"%s\": what row %zu reads ends before it "
                      "begins", buffer->name, r);
  for (size_t i = near->begins[0]; i < near->begins[all]; i++)
    if (near->reads[i] < 0 || (size_t)near->reads[i] >= all)
      return TRM_FAIL(INVALID,
                      "trm_buffer_adjacency: buffer \"%s\": a row is near to %d, of %zu rows",
                      buffer->name, (int)near->reads[i], all);
  return TRM_OK;
}

static trm_status copy(const crew_device *crew, const trm_adjacency *from, crew_near *to)
{
  const size_t all = from->rows + from->derived, count = from->begins[all];
  *to = (crew_near){ .rows = from->rows, .made = from->derived,
                     .begins = malloc((all + 1) * sizeof *to->begins),
                     .reads = malloc((count + 1) * sizeof *to->reads),
                     .is_there = calloc(crew->count, 1),
                     .own = calloc(crew->count, sizeof *to->own),
                     .runs = calloc(crew->count, sizeof *to->runs),
                     .run_count = calloc(crew->count, sizeof *to->run_count),
                     .inner = calloc(crew->count, sizeof *to->inner),
                     .needed = calloc(crew->count, sizeof *to->needed) };
  if (!to->begins || !to->reads || !to->is_there || !to->own || !to->runs || !to->run_count ||
      !to->inner || !to->needed)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for what is near to %zu rows", from->rows);
  memcpy(to->begins, from->begins, (all + 1) * sizeof *to->begins);
  memcpy(to->reads, from->reads, count * sizeof *to->reads);
  return TRM_OK;
}

trm_status trm_buffer_adjacency(trm_buffer *buffer, const trm_adjacency *near)
{
  if (!buffer || !near) return TRM_FAIL(INVALID, "trm_buffer_adjacency: buffer or near is NULL");
  if (buffer->part && domain_of(buffer->device)) return domain_buffer_adjacency(buffer, near);
  if (!buffer->device->is_crew) return TRM_OK;
  const crew_device *crew = buffer->device->handle;
  crew_buffer *cut = buffer->handle;
  TRM_TRY(check(buffer, cut, near));
  cut->near = calloc(1, sizeof *cut->near);
  if (!cut->near) return TRM_FAIL(NO_HOST_MEMORY, "no memory for what is near to rows");
  const trm_status status = copy(crew, near, cut->near);
  if (status != TRM_OK) crew_near_free(cut, crew->count);
  return status == TRM_OK ? crew_hold_all(crew, cut) : status;
}

/* ---- found ------------------------------------------------------------------- */

/* Marks what the row reads, and what that is made of, and has no mark yet. pending: room for all.
 * Returns whether a row of others was among it. */
static int mark(const crew_near *near, size_t row, crew_span own, unsigned char *marks,
                int32_t *pending)
{
  size_t left = 0, next = row;
  int is_others = 0;
  do {
    for (size_t i = near->begins[next]; i < near->begins[next + 1]; i++) {
      const size_t one = (size_t)near->reads[i];
      if (marks[one]) continue;
      marks[one] = 1;
      if (one >= near->rows) pending[left++] = near->reads[i];
      else if (one < own.first || one >= own.first + own.count) is_others = 1;
    }
    if (left > 0) next = (size_t)pending[--left];
    else next = row;
  } while (next != row);
  return is_others;
}

/* Marked rows as runs; counts them where `to` is NULL. */
static size_t list_runs(const unsigned char *marks, size_t rows, crew_span *to)
{
  size_t count = 0;
  for (size_t r = 0, end; r < rows; r = end) {
    for (end = r + 1; end < rows && marks[end] == marks[r]; end++) continue;
    if (!marks[r]) continue;
    if (to) to[count] = (crew_span){ r, end - r };
    count++;
  }
  return count;
}

static trm_status find(crew_near *near, size_t m, crew_span own)
{
  const size_t all = near->rows + near->made;
  unsigned char *marks = calloc(all + 1, 1);
  int32_t *pending = malloc((all + 1) * sizeof *pending);
  trm_status status = marks && pending ? TRM_OK
                      : TRM_FAIL(NO_HOST_MEMORY, "no memory for what %zu rows read", near->rows);
  if (status == TRM_OK) {
    near->inner[m] = own.count;
    for (size_t i = 0; i < own.count; i++)
      if (mark(near, own.first + i, own, marks, pending) && near->inner[m] == own.count)
        near->inner[m] = i;
    memset(marks + own.first, 0, own.count);
    free(near->runs[m]);
    near->run_count[m] = list_runs(marks, near->rows, NULL);
    near->runs[m] = calloc(near->run_count[m] + 1, sizeof **near->runs);
    if (!near->runs[m]) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for runs of rows");
  }
  if (status == TRM_OK) {
    (void)list_runs(marks, near->rows, near->runs[m]);
    memmove(marks, marks + near->rows, near->made);
    free(near->needed[m]);
    near->needed[m] = marks;
    near->own[m] = own;
    near->is_there[m] = 0;
    marks = NULL;
  }
  free(marks);
  free(pending);
  return status;
}

static trm_status find_again(const crew_device *crew, const crew_buffer *b, size_t m)
{
  crew_near *near = b->near;
  const crew_span own = crew_own(crew, b->total, b->grain, m);
  if (!near)
    return TRM_FAIL(INVALID, "a launch reads rows that others are near to, of a buffer that "
                             "has none; declare it by trm_buffer_adjacency");
  const int is_same = near->needed[m] && near->own[m].first == own.first &&
                      near->own[m].count == own.count;
  return is_same ? TRM_OK : find(near, m, own);
}

trm_status crew_fetch_near(crew_device *crew, crew_buffer *b, size_t m)
{
  TRM_TRY(find_again(crew, b, m));
  const crew_near *near = b->near;
  if (b->fresh[m].count >= b->total) return TRM_OK;
  TRM_TRY(crew_fetch(crew, b, m, near->own[m]));
  if (near->is_there[m]) return TRM_OK;
  for (size_t i = 0; i < near->run_count[m]; i++)
    TRM_TRY(crew_fetch_run(crew, b, m, near->runs[m][i].first, near->runs[m][i].count));
  return crew_add_news(crew, (crew_news){ b, m, crew_fresh_then(crew, b, m), 1 });
}

size_t crew_near_made(const crew_buffer *b) { return b->near ? b->near->made : 0; }

size_t crew_near_inner(const crew_buffer *b, size_t m) { return b->near->inner[m]; }

trm_status crew_needed(const crew_device *crew, crew_buffer *b, size_t m, size_t first,
                       size_t count, crew_span *out)
{
  TRM_TRY(find_again(crew, b, m));
  const crew_near *near = b->near;
  size_t begin = first, end = first + count;
  if (end > near->made)
    return TRM_FAIL(INVALID, "a launch makes rows up to number %zu, of %zu", end, near->made);
  while (begin < end && !near->needed[m][begin]) begin++;
  while (end > begin && !near->needed[m][end - 1]) end--;
  *out = (crew_span){ begin - first, end - begin };
  return TRM_OK;
}
