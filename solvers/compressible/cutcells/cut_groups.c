/* cut_groups.c - pieces of cells that are too small and whom they join. */
#include "solvers/compressible/cutcells/cut_maker.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A neighbour that a small piece may join: beyond its face, and for how much that counts. whole:
 * the cell, where it had no record when all began; -1. */
typedef struct choice { double value; int32_t whole; int face; } choice;

/* A small piece of gas: its record, whom it may join, and whom it joins. */
enum { OPEN = -2, NONE = -1 }; /* not known yet; nobody */
typedef struct piece {
  int32_t number;
  int count, face, next_face;  /* beyond face the master lies; as the round finds it */
  int leads, makes;            /* the first of its group's; of a master that had no record */
  int32_t next;                /* its group's next piece's record, -1 */
  choice choices[6];
} piece;

/* Small pieces in the order of records; number: of records which of them it is, -1. whole: the
 * record of a whole cell but for its number. */
typedef struct smalls {
  fv_maker *m;
  piece *pieces;
  size_t count;
  int32_t *number;
  size_t records;              /* when all began */
  atomic_size_t open;
  fv_cut_record whole;
} smalls;

/* ---- whom pieces may join --------------------------------------------------------------- */

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

static int is_small(const void *user, size_t i)
{
  const smalls *s = user;
  return s->m->t->record[i].cut.volume < s->m->bodies->small ? 0 : -1;
}

static void note_small(void *user, size_t i, int kind, size_t number)
{
  const smalls *s = user;
  piece *p = &s->pieces[number];
  (void)kind;
  p->number = (int32_t)i;
  p->face = OPEN;
  s->number[i] = (int32_t)number;
  find_choices(s->m, p);
}

static trm_status find_pieces(smalls *s)
{
  const size_t cuts = s->m->t->cuts;
  fv_numbering small = { .count = cuts, .kind = is_small, .take = note_small, .user = s };
  TRM_TRY(fv_count_kinds(s->m, &small));
  s->count = small.found[0];
  s->pieces = malloc((s->count + 1) * sizeof *s->pieces);
  s->number = malloc((cuts + 1) * sizeof *s->number);
  if (!s->pieces || !s->number) {
    fv_end_numbering(&small);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", s->records);
  }
  memset(s->number, -1, cuts * sizeof *s->number);
  return fv_take_kinds(s->m, &small);
}

/* ---- whom they join: a whole cell that became a master counts half for those behind ------ */

/* The piece beyond face f of a cell, if that is one which may join the cell; NULL. */
static piece *piece_beside(const smalls *s, int32_t cell, int f)
{
  const int32_t kind = fv_cell_kind(s->m, fv_cell_beyond(s->m, cell, f));
  if (kind < 0 || (size_t)kind >= s->m->t->cuts || s->number[kind] < 0) return NULL;
  return s->m->t->record[kind].cut.open[f ^ 1] > 0 ? &s->pieces[s->number[kind]] : NULL;
}

/* Whether a whole cell became a master by pieces before one: 1, 0, or OPEN. */
static int is_taken(const smalls *s, const piece *p, int32_t cell)
{
  int is = 0;
  for (int f = 0; f < fv_cell_faces(s->m); f++) {
    const piece *other = piece_beside(s, cell, f);
    if (!other || other->number >= p->number) continue;
    if (other->face == (f ^ 1)) return 1;
    if (other->face == OPEN) is = OPEN;
  }
  return is;
}

/* The face of the best, of some that count alike the first axis's, where those of `taken` (a bit a
 * choice) are; NONE. */
static int best_face(const piece *p, unsigned taken)
{
  double most = 0;
  int best = NONE;
  for (int k = 0; k < p->count; k++) {
    const double value = taken >> k & 1 ? 0.5 * p->choices[k].value : p->choices[k].value;
    if (value <= most * FV_ALIKE) continue;
    most = value;
    best = p->choices[k].face;
  }
  return best;
}

/* Whether the best is the same whichever of these are taken besides. */
static int is_sure(const piece *p, unsigned taken, unsigned open)
{
  const int best = best_face(p, taken);
  for (unsigned some = open; some; some = (some - 1) & open)
    if (best_face(p, taken | some) != best) return 0;
  return 1;
}

/* The face beyond which a piece's master lies; OPEN, if that depends on pieces that are. */
static int choose_face(const smalls *s, const piece *p)
{
  unsigned taken = 0, open = 0;
  for (int k = 0; k < p->count; k++) open |= p->choices[k].whole >= 0 ? 1u << k : 0;
  if (is_sure(p, 0, open)) return best_face(p, 0);
  for (int k = 0; k < p->count; k++) {
    const int is = p->choices[k].whole >= 0 ? is_taken(s, p, p->choices[k].whole) : 0;
    if (is == 1) taken |= 1u << k;
    if (is != OPEN) open &= ~(1u << k);
  }
  return is_sure(p, taken, open) ? best_face(p, taken) : OPEN;
}

static trm_status choose(void *user, size_t i, int thread)
{
  const smalls *s = user;
  piece *p = &s->pieces[i];
  (void)thread;
  p->next_face = p->face == OPEN ? choose_face(s, p) : p->face;
  return TRM_OK;
}

static trm_status keep_choice(void *user, size_t i, int thread)
{
  smalls *s = user;
  (void)thread;
  s->pieces[i].face = s->pieces[i].next_face;
  if (s->pieces[i].face == OPEN) atomic_fetch_add(&s->open, 1);
  return TRM_OK;
}

/* As if they chose one after the other: some rounds of all that can, then the rest in order. */
static trm_status choose_all(smalls *s)
{
  enum { ROUNDS = 8, WORTH = 1000 };
  const int is_worth = trm_device_host_threads(s->m->device) > 1 && s->count >= WORTH;
  atomic_init(&s->open, s->count);
  for (int round = 0; round < ROUNDS && is_worth && atomic_load(&s->open) > 0; round++) {
    atomic_store(&s->open, 0);
    TRM_TRY(trm_device_host_each(s->m->device, s->count, choose, s));
    TRM_TRY(trm_device_host_each(s->m->device, s->count, keep_choice, s));
  }
  for (size_t i = 0; i < s->count; i++)
    if (s->pieces[i].face == OPEN) s->pieces[i].face = choose_face(s, &s->pieces[i]);
  return TRM_OK;
}

/* ---- groups ------------------------------------------------------------------------------ */

/* The cell that a piece joins. */
static int32_t master_of(const smalls *s, const piece *p)
{
  return fv_cell_beyond(s->m, s->m->t->record[p->number].cell, p->face);
}

/* Of the pieces that join the same master, whether this one is the first, and which is next. */
static trm_status find_place(void *user, size_t i, int thread)
{
  const smalls *s = user;
  piece *p = &s->pieces[i];
  (void)thread;
  p->next = -1;
  p->leads = p->face >= 0;
  p->makes = 0;
  if (p->face < 0) return TRM_OK;
  const int32_t master = master_of(s, p);
  for (int f = 0; f < fv_cell_faces(s->m); f++) {
    const piece *other = f == (p->face ^ 1) ? NULL : piece_beside(s, master, f);
    if (!other || other->face != (f ^ 1)) continue;
    if (other->number < p->number) p->leads = 0;
    else if (p->next < 0 || other->number < p->next) p->next = other->number;
  }
  p->makes = p->leads && fv_cell_kind(s->m, master) < 0;
  return TRM_OK;
}

static int makes_master(const void *user, size_t i)
{
  return ((const smalls *)user)->pieces[i].makes ? 0 : -1;
}

/* Whole cells that become masters have records too, behind all others. */
static void make_master(void *user, size_t i, int kind, size_t number)
{
  const smalls *s = user;
  const int32_t cell = master_of(s, &s->pieces[i]);
  fv_cut_record *r = &s->m->t->record[s->records + number];
  (void)kind;
  *r = s->whole;
  r->cell = r->master = cell;
  s->m->t->kind[fv_cell_index(s->m, cell)] = (int32_t)(s->records + number);
}

static trm_status make_masters(smalls *s)
{
  fv_maker *m = s->m;
  fv_numbering masters = { .count = s->count, .kind = makes_master, .take = make_master,
                           .user = s };
  TRM_TRY(trm_device_host_each(m->device, s->count, find_place, s));
  TRM_TRY(fv_count_kinds(m, &masters));
  const size_t all = s->records + masters.found[0];
  const trm_status status = fv_list_grow(&m->t->record, &m->record_room, all, sizeof s->whole);
  if (status != TRM_OK) fv_end_numbering(&masters);
  TRM_TRY(status);
  TRM_TRY(fv_take_kinds(m, &masters));
  m->t->records = all;
  return TRM_OK;
}

/* Each entry of a group is written by one piece: its own, its master's by the first. */
static trm_status link_piece(void *user, size_t i, int thread)
{
  const smalls *s = user;
  const piece *p = &s->pieces[i];
  fv_cut_record *record = s->m->t->record, *own = &record[p->number];
  (void)thread;
  if (p->face < 0) return TRM_OK;
  const int32_t master = master_of(s, p);
  own->to[p->face / 2] = p->face % 2 ? 1 : -1;
  own->master = master;
  own->next = p->next;
  if (p->leads) record[fv_cell_kind(s->m, master)].next = p->number;
  return TRM_OK;
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
    if (value <= most * FV_ALIKE) continue;
    most = value;
    best = f;
  }
  return best;
}

/* To the end of the group beyond that face. */
static void join_chain(fv_maker *m, fv_cut_record *own, int f)
{
  fv_cut_record *record = m->t->record;
  const fv_cut_record *to = fv_cell_record(m, fv_cell_beyond(m, own->cell, f));
  int32_t last = fv_cell_kind(m, to->master);
  for (int a = 0; a < 3; a++) own->to[a] = to->to[a] + (f / 2 == a ? f % 2 ? 1 : -1 : 0);
  own->master = to->master;
  while (record[last].next >= 0) last = record[last].next;
  record[last].next = (int32_t)(own - record);
}

/* Those with nobody large enough beside them, round by round, as long as one is beside a piece that
 * had a master when the round began: so their order chooses nothing. */
static void join_chains(const smalls *s)
{
  fv_maker *m = s->m;
  for (int joined = 1; joined;) {
    joined = 0;
    for (size_t i = 0; i < s->count; i++) {
      piece *p = &s->pieces[i];
      const fv_cut_record *r = &m->t->record[p->number];
      p->next_face = p->face < 0 && r->master == r->cell ? choose_chained(m, r) : NONE;
      joined |= p->next_face >= 0;
    }
    for (size_t i = 0; i < s->count && joined; i++) {
      const piece *p = &s->pieces[i];
      if (p->face < 0 && p->next_face >= 0)
        join_chain(m, &m->t->record[p->number], p->next_face);
    }
  }
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

static trm_status group_all(smalls *s)
{
  fv_maker *m = s->m;
  TRM_TRY(find_pieces(s));
  TRM_TRY(choose_all(s));
  TRM_TRY(make_masters(s));
  TRM_TRY(trm_device_host_each(m->device, s->count, link_piece, s));
  join_chains(s);
  return TRM_OK;
}

trm_status fv_group_cells(fv_maker *m)
{
  static const double corners[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
  smalls s = { .m = m, .records = m->t->records,
               .whole = { .next = -1, .wall = -1, .slope = -1 } };
  fv_cut_cell(corners, &s.whole.cut);
  const trm_status status = group_all(&s);
  free(s.pieces);
  free(s.number);
  TRM_TRY(status);
  return trm_device_host_each(m->device, m->t->records, weigh, m);
}
