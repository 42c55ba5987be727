/* cut_groups.c - pieces of cells that are too small and whom they join. */
#include "solvers/fv/cut_maker.h"

#include <math.h>
#include <stdlib.h>

/* What differs by less is as much: rounding must not choose, or bodies that are mirror images would
 * have groups that are none. Of such faces the first axis's is taken. */
static const double ALIKE = 1 + 1e-9;

/* Records are looked through so many at a time. */
enum { CHUNK = 512 };

/* A neighbour that a small piece may join: beyond its face, and for how much that counts. whole:
 * the cell, where it had no record when all began; -1. */
typedef struct choice { double value; int32_t whole; int face; } choice;

/* A small piece of gas: its record, and whom it may join. */
typedef struct piece {
  int32_t number;
  int count;
  choice choices[6];
} piece;

/* Large enough neighbours, rather along the wall's normal and through a wide opening. */
static void find_choices(const fv_maker *m, piece *p)
{
  const fv_cut_record *r = &m->t->record[p->number];
  double area = 0;
  p->count = 0;
  for (int a = 0; a < 3; a++) area += r->cut.wall[a] * r->cut.wall[a];
  for (int f = 0; f < fv_cell_faces(m); f++) {
    const int32_t cell = fv_cell_beyond(m, r->cell, f), kind = fv_cell_kind(m, cell);
    if (r->cut.open[f] <= 0 || kind == FV_SOLID || fv_cell_is_ghost(m, cell)) continue;
    if (kind >= 0 && m->t->record[kind].cut.volume < m->bodies->small) continue;
    const double along = -r->cut.wall[f / 2] * (f % 2 ? 1 : -1) / sqrt(area);
    const double value = (kind >= 0 ? 0.5 : 1) * r->cut.open[f] * fmax(along, 0.01);
    p->choices[p->count++] = (choice){ value, kind >= 0 ? -1 : cell, f };
  }
}

/* The face beyond which its master lies, -1. A whole cell that became one counts half since. */
static int choose_face(const fv_maker *m, const piece *p)
{
  double most = 0;
  int best = -1;
  for (int k = 0; k < p->count; k++) {
    const choice *c = &p->choices[k];
    const int is_taken = c->whole >= 0 && fv_cell_kind(m, c->whole) >= 0;
    const double value = is_taken ? 0.5 * c->value : c->value;
    if (value <= most * ALIKE) continue;
    most = value;
    best = c->face;
  }
  return best;
}

/* The same of one without a large enough neighbour: beside a piece that has a master. */
static int choose_chained(const fv_maker *m, const fv_cut_record *r)
{
  double most = 0, area = 0;
  int best = -1;
  for (int a = 0; a < 3; a++) area += r->cut.wall[a] * r->cut.wall[a];
  for (int f = 0; f < fv_cell_faces(m); f++) {
    const int32_t cell = fv_cell_beyond(m, r->cell, f);
    const fv_cut_record *to = fv_cell_record(m, cell);
    if (r->cut.open[f] <= 0 || !to || to->master == cell) continue;
    const double along = -r->cut.wall[f / 2] * (f % 2 ? 1 : -1) / sqrt(area);
    const double value = r->cut.open[f] * fmax(along, 0.01);
    if (value <= most * ALIKE) continue;
    most = value;
    best = f;
  }
  return best;
}

/* Small pieces in the order of records; first: of chunks of these, where their own begin. whole:
 * the record of a whole cell but for its number. */
typedef struct smalls {
  fv_maker *m;
  piece *pieces;
  size_t *first, chunks;
  fv_cut_record whole;
} smalls;

/* Whole cells that become masters have records too. */
static trm_status record_of(const smalls *s, int32_t cell, int32_t *out)
{
  fv_maker *m = s->m;
  *out = fv_cell_kind(m, cell);
  if (*out >= 0) return TRM_OK;
  TRM_TRY(fv_list_grow(&m->t->record, &m->record_room, m->t->records, sizeof s->whole));
  *out = (int32_t)m->t->records;
  m->t->kind[fv_cell_index(m, cell)] = *out;
  fv_cut_record *r = &m->t->record[m->t->records++];
  *r = s->whole;
  r->cell = r->master = cell;
  return TRM_OK;
}

static trm_status merge(const smalls *s, int32_t number, int f)
{
  fv_maker *m = s->m;
  const int32_t beside = fv_cell_beyond(m, m->t->record[number].cell, f);
  const fv_cut_record *to = fv_cell_record(m, beside);
  const int32_t master = to ? to->master : beside;
  int32_t last;
  for (int a = 0; a < 3; a++)
    m->t->record[number].to[a] = (to ? to->to[a] : 0) + (f / 2 == a ? f % 2 ? 1 : -1 : 0);
  m->t->record[number].master = master;
  TRM_TRY(record_of(s, master, &last));
  while (m->t->record[last].next >= 0) last = m->t->record[last].next;
  m->t->record[last].next = number;
  return TRM_OK;
}

static void weigh_group(fv_cut_record *records, fv_cut_record *master)
{
  double total = 0, moment[3] = { 0, 0, 0 };
  for (fv_cut_record *r = master; r; r = r->next >= 0 ? records + r->next : NULL) {
    total += r->cut.volume;
    for (int a = 0; a < 3; a++) moment[a] += r->cut.volume * (r->cut.centroid[a] - r->to[a]);
  }
  for (fv_cut_record *r = master; r; r = r->next >= 0 ? records + r->next : NULL) {
    r->total = total;
    for (int a = 0; a < 3; a++) r->centre[a] = moment[a] / total + r->to[a];
  }
}

static trm_status weigh(void *user, size_t i, int thread)
{
  const fv_maker *m = user;
  fv_cut_record *r = &m->t->record[i];
  (void)thread;
  if (r->master != r->cell) return TRM_OK;
  if (r->cut.volume < m->bodies->small)
    return fv_cell_refuse(m, r->cell, "a small piece of gas has no neighbour that it could be "
                                      "merged with; make the grid finer there (grid.levels), or "
                                      "leave more room between walls");
  weigh_group(m->t->record, r);
  return TRM_OK;
}

static size_t end_of(const smalls *s, size_t chunk)
{
  const size_t end = (chunk + 1) * CHUNK;
  return end < s->m->t->cuts ? end : s->m->t->cuts;
}

static trm_status count_small(void *user, size_t chunk, int thread)
{
  const smalls *s = user;
  (void)thread;
  s->first[chunk + 1] = 0;
  for (size_t i = chunk * CHUNK; i < end_of(s, chunk); i++)
    s->first[chunk + 1] += s->m->t->record[i].cut.volume < s->m->bodies->small;
  return TRM_OK;
}

static trm_status find_small(void *user, size_t chunk, int thread)
{
  const smalls *s = user;
  piece *next = s->pieces + s->first[chunk];
  (void)thread;
  for (size_t i = chunk * CHUNK; i < end_of(s, chunk); i++) {
    if (!(s->m->t->record[i].cut.volume < s->m->bodies->small)) continue;
    next->number = (int32_t)i;
    find_choices(s->m, next++);
  }
  return TRM_OK;
}

static trm_status find_all(smalls *s)
{
  fv_maker *m = s->m;
  s->chunks = (m->t->cuts + CHUNK - 1) / CHUNK;
  s->first = malloc((s->chunks + 1) * sizeof *s->first);
  if (!s->first)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", m->t->records);
  s->first[0] = 0;
  TRM_TRY(trm_device_host_each(m->device, s->chunks, count_small, s));
  for (size_t i = 0; i < s->chunks; i++) s->first[i + 1] += s->first[i];
  s->pieces = malloc((s->first[s->chunks] + 1) * sizeof *s->pieces);
  if (!s->pieces)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", m->t->records);
  return trm_device_host_each(m->device, s->chunks, find_small, s);
}

/* First those that have a large enough neighbour; then, as long as there are such, those beside
 * pieces that have a master. */
static trm_status merge_all(const smalls *s)
{
  fv_maker *m = s->m;
  const size_t count = s->first[s->chunks];
  size_t left = 0;
  int merged = 1;
  for (size_t i = 0; i < count; i++) {
    const int f = choose_face(m, &s->pieces[i]);
    if (f >= 0) TRM_TRY(merge(s, s->pieces[i].number, f));
    else s->pieces[left++].number = s->pieces[i].number;
  }
  while (merged) {
    merged = 0;
    for (size_t i = 0; i < left; i++) {
      const fv_cut_record *r = &m->t->record[s->pieces[i].number];
      const int f = r->master == r->cell ? choose_chained(m, r) : -1;
      if (f < 0) continue;
      TRM_TRY(merge(s, s->pieces[i].number, f));
      merged = 1;
    }
  }
  return TRM_OK;
}

trm_status fv_group_cells(fv_maker *m)
{
  static const double corners[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
  smalls s = { .m = m, .whole = { .next = -1, .wall = -1, .slope = -1 } };
  fv_cut_cell(corners, &s.whole.cut);
  trm_status status = find_all(&s);
  if (status == TRM_OK) status = merge_all(&s);
  free(s.pieces);
  free(s.first);
  TRM_TRY(status);
  return trm_device_host_each(m->device, m->t->records, weigh, m);
}
