/* cut_turns.c - in which order slopes at walls are computed: groups of turns, all of a kind. A turn
 * whose unit looks at what it did before the step stays where it is, with its factors; others take
 * the places that became free, or are groups at the end. What they look at and the factors are made
 * on the device (fv_cut_stencils.h). */
#include "solvers/compressible/cutcells/cut_maker.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/compressible/kernels/fv_clock.h"

_Static_assert(FV_NUMBERED > FV_STENCIL_WALLED + 1, "kinds of turns, and one beside them");

enum {
  KINDS = FV_STENCIL_WALLED + 1,
  SPARE = 3,                   /* walls that each turn with walls has room for */
  MOST_WALLS = 100,
  KEPT = KINDS                 /* of turns, beside those that are idle: renewed, and kept */
};

typedef struct numbers { int32_t *of; size_t count, room; } numbers;

/* The turn that a slope gets which has none from before. */
typedef struct wish {
  int32_t number;
  int8_t kind;                 /* -1: it has one */
  uint8_t flags, walls;
} wish;

typedef struct turns {
  fv_maker *m;
  numbers idle[KINDS];         /* turns that are no unit's */
  wish *wishes;                /* of slopes */
  size_t granted[KINDS];       /* where those of a kind begin in the list of renewed turns */
} turns;

static trm_status add_number(numbers *n, int32_t number)
{
  TRM_TRY(fv_list_grow(&n->of, &n->room, n->count, sizeof *n->of));
  n->of[n->count++] = number;
  return TRM_OK;
}

int fv_wall_is_fast(const fv_maker *m, const fv_cut_record *r)
{
  return r->wall >= 0 && m->bodies->body[r->body].wall != FV_WALL_SLIP;
}

static int32_t *turn_at(const fv_cut_tables *t, size_t number)
{
  return t->turn + FV_STENCIL_INTS * number;
}

static trm_status add_renewed(fv_cut_tables *t, size_t number, int is_kept)
{
  TRM_TRY(fv_list_grow(&t->renewed, &t->renewed_room, t->renewed_count, sizeof *t->renewed));
  t->renewed[t->renewed_count++] = 2 * (int32_t)number + is_kept;
  return TRM_OK;
}

trm_status fv_renew_stencils(fv_cut_tables *t)
{
  t->renewed_count = 0;
  for (size_t i = 0; i < t->turns; i++)
    if (turn_at(t, i)[FV_STENCIL_NUMBER] >= 0) TRM_TRY(add_renewed(t, i, 0));
  return TRM_OK;
}

/* ---- in what order -------------------------------------------------------------------- */

static size_t common_divisor(size_t a, size_t b)
{
  while (b > 0) {
    const size_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* i * step % count goes through all i below count. A GPU begins with the longest groups, but a
 * host's threads share out a launch in equal parts before it begins: there the step is about
 * 0.618 count, so that each part has some of every kind. */
static size_t step_of(const fv_maker *m, size_t count)
{
  const int is_host = trm_device_describe(m->device)->is_host;
  size_t step = is_host && count > 2 ? (size_t)(0.618 * (double)count) : 1;
  while (common_divisor(count, step) > 1) step++;
  return step;
}

/* The list of renewed turns, group by group. */
static trm_status mix_renewed(const fv_maker *m)
{
  fv_cut_tables *t = m->t;
  const size_t groups = t->renewed_count / FV_CUT_GROUP, step = step_of(m, groups);
  const size_t bytes = FV_CUT_GROUP * sizeof *t->renewed;
  if (step == 1) return TRM_OK;
  int32_t *copy = malloc(groups * bytes);
  if (!copy) return TRM_FAIL(NO_HOST_MEMORY, "no memory for slopes at walls");
  memcpy(copy, t->renewed, groups * bytes);
  for (size_t i = 0; i < groups; i++)
    memcpy(t->renewed + i * FV_CUT_GROUP, copy + i * step % groups * FV_CUT_GROUP, bytes);
  free(copy);
  return TRM_OK;
}

/* ---- turns that stay ----------------------------------------------------------------- */

static void take_over(fv_cut_tables *t, fv_cut_tables *old)
{
  t->turn = old->turn;
  t->turns = old->turns;
  t->looks = old->looks;
  t->weights = old->weights;
  t->turn_room = old->turn_room;
  old->turn = NULL;
}

/* The number of the slope of a cell's unit, if it is as it was; -1. */
static int32_t kept_slope(const fv_maker *m, int32_t cell)
{
  if (m->t->near[cell >> m->shift[3]] < 0) return -1;
  const int32_t number = m->slope[fv_cell_index(m, cell)];
  return number >= 0 && fv_cell_is_kept(m, cell) ? number : -1;
}

static trm_status keep_turn(void *user, size_t i, int thread)
{
  const fv_maker *m = user;
  int32_t *turn = turn_at(m->t, i);
  const int is_idle = turn[FV_STENCIL_NUMBER] < 0;
  (void)thread;
  turn[FV_STENCIL_NUMBER] = is_idle ? -1 : kept_slope(m, turn[FV_STENCIL_CELL]);
  if (turn[FV_STENCIL_NUMBER] < 0) return TRM_OK;
  m->t->turn_of[fv_cell_index(m, turn[FV_STENCIL_CELL])] = (int32_t)i;
  return TRM_OK;
}

/* The walls that a unit looks at have other numbers. */
static int kind_kept(const void *user, size_t i)
{
  const int32_t *turn = turn_at(((const turns *)user)->m->t, i);
  if (turn[FV_STENCIL_NUMBER] < 0) return turn[FV_STENCIL_KIND];
  return turn[FV_STENCIL_KIND] == FV_STENCIL_WALLED ? KEPT : -1;
}

static void take_kept(void *user, size_t i, int kind, size_t number)
{
  turns *all = user;
  if (kind == KEPT) all->m->t->renewed[number] = 2 * (int32_t)i + 1;
  else all->idle[kind].of[number] = (int32_t)i;
}

static trm_status keep_turns(turns *all)
{
  fv_maker *m = all->m;
  fv_cut_tables *t = m->t;
  fv_numbering n = { .count = t->turns, .kind = kind_kept, .take = take_kept, .user = all };
  TRM_TRY(trm_device_host_each(m->device, t->turns, keep_turn, m));
  TRM_TRY(fv_count_kinds(m, &n));
  trm_status status = fv_list_grow(&t->renewed, &t->renewed_room, n.found[KEPT],
                                   sizeof *t->renewed);
  for (int kind = 0; kind < KINDS && status == TRM_OK; kind++) {
    numbers *idle = &all->idle[kind];
    idle->count = n.found[kind];
    status = fv_list_grow(&idle->of, &idle->room, idle->count, sizeof *idle->of);
  }
  if (status != TRM_OK) fv_end_numbering(&n);
  TRM_TRY(status);
  t->renewed_count = n.found[KEPT];
  return fv_take_kinds(m, &n);
}

/* ---- turns that are new -------------------------------------------------------------- */

/* A group at the end, with room for so many looks. */
static trm_status add_group(turns *all, int kind, int room)
{
  fv_cut_tables *t = all->m->t;
  const int cells = FV_STENCIL_CELLS(all->m->side[2]);
  TRM_TRY(fv_list_grow(&t->turn, &t->turn_room, t->turns / FV_CUT_GROUP,
                       FV_CUT_GROUP * FV_STENCIL_INTS * sizeof *t->turn));
  for (size_t number = t->turns; number < t->turns + FV_CUT_GROUP; number++) {
    int32_t *turn = turn_at(t, number);
    memset(turn, 0, FV_STENCIL_INTS * sizeof *turn);
    turn[FV_STENCIL_NUMBER] = -1;
    turn[FV_STENCIL_KIND] = kind;
    turn[FV_STENCIL_ROOM] = room;
    turn[FV_STENCIL_FIRST] = (int32_t)t->looks;
    turn[FV_STENCIL_WEIGHT] = (int32_t)t->weights;
    TRM_TRY(add_number(&all->idle[kind], (int32_t)number));
  }
  t->turns += FV_CUT_GROUP;
  t->looks += FV_CUT_GROUP * (size_t)(room + (kind != FV_STENCIL_CENTRAL)); /* and how many */
  if (kind == FV_STENCIL_PLAIN) t->weights += 3 * (size_t)room;
  if (kind == FV_STENCIL_WALLED) t->weights += 6 * (size_t)room + (size_t)(room - cells);
  return TRM_OK;
}

/* Room for looks that a turn of a kind needs. */
static int room_for(const fv_maker *m, const wish *w)
{
  if (w->kind == FV_STENCIL_CENTRAL) return fv_cell_faces(m);
  const int walls = w->walls > SPARE ? w->walls : SPARE;
  return FV_STENCIL_CELLS(m->side[2]) + (w->kind == FV_STENCIL_WALLED ? walls : 0);
}

/* An idle turn with room enough, of those that are tried. */
static trm_status find_turn(turns *all, wish *w)
{
  enum { TRIED = 16 };
  const int room = room_for(all->m, w);
  numbers *idle = &all->idle[w->kind];
  for (size_t k = 1; k <= TRIED && k <= idle->count; k++) {
    w->number = idle->of[idle->count - k];
    if (turn_at(all->m->t, (size_t)w->number)[FV_STENCIL_ROOM] < room) continue;
    idle->of[idle->count - k] = idle->of[idle->count - 1];
    idle->count--;
    return TRM_OK;
  }
  TRM_TRY(add_group(all, w->kind, room));
  w->number = idle->of[--idle->count];
  return TRM_OK;
}

static trm_status make_wish(void *user, size_t i, int thread)
{
  const turns *all = user;
  const fv_maker *m = all->m;
  const int32_t cell = m->sloped[i];
  int walls = 0, flags = 0;
  (void)thread;
  all->wishes[i].kind = -1;
  if (m->t->turn_of[fv_cell_index(m, cell)] >= 0) return TRM_OK;
  for (int32_t k = fv_cell_kind(m, cell); k >= 0; k = m->t->record[k].next) {
    const fv_cut_record *r = &m->t->record[k];
    if (r->next >= 0) flags |= FV_STENCIL_GROUP;
    if (!fv_wall_is_fast(m, r)) continue;
    walls++;
    if (m->bodies->body[r->body].wall == FV_WALL_ISOTHERMAL) flags |= FV_STENCIL_HEAT;
  }
  if (walls > MOST_WALLS)
    return fv_cell_refuse(m, cell, "too many walls meet; make the grid finer there (grid.levels)");
  const int kind = fv_cell_is_central(m, cell) ? FV_STENCIL_CENTRAL
                                               : walls > 0 ? FV_STENCIL_WALLED : FV_STENCIL_PLAIN;
  all->wishes[i] = (wish){ -1, (int8_t)kind, (uint8_t)flags, (uint8_t)walls };
  return TRM_OK;
}

/* Any turn of its kind has room for one with few walls. */
enum { HARD = KINDS };

static int kind_wished(const void *user, size_t i)
{
  const wish *w = &((const turns *)user)->wishes[i];
  return w->kind >= 0 && w->walls > SPARE ? HARD : w->kind;
}

static void grant_wish(void *user, size_t i, int kind, size_t number)
{
  const turns *all = user;
  wish *w = &all->wishes[i];
  if (kind == HARD) return;
  w->number = all->idle[kind].of[number];
  all->m->t->renewed[all->granted[kind] + number] = 2 * w->number;
}

static trm_status fill_turn(void *user, size_t i, int thread)
{
  const turns *all = user;
  const wish *w = &all->wishes[i];
  const int32_t cell = all->m->sloped[i];
  (void)thread;
  if (w->kind < 0) return TRM_OK;
  int32_t *turn = turn_at(all->m->t, (size_t)w->number);
  turn[FV_STENCIL_NUMBER] = (int32_t)i;
  turn[FV_STENCIL_CELL] = cell;
  turn[FV_STENCIL_FLAGS] = w->flags;
  turn[FV_STENCIL_WALLS] = w->walls;
  all->m->t->turn_of[fv_cell_index(all->m, cell)] = w->number;
  return TRM_OK;
}

/* Those that need a turn with more room than others. */
static trm_status grant_hard(turns *all)
{
  for (size_t i = 0; i < (size_t)all->m->t->sloped; i++) {
    if (kind_wished(all, i) != HARD) continue;
    TRM_TRY(find_turn(all, &all->wishes[i]));
    TRM_TRY(add_renewed(all->m->t, (size_t)all->wishes[i].number, 0));
  }
  return TRM_OK;
}

/* Groups at the end, so that there are so many idle turns of each kind; the longest first, or
 * mixed. */
static trm_status add_groups(turns *all, const size_t wanted[FV_NUMBERED])
{
  size_t missing[KINDS], count = 0;
  for (int kind = 0; kind < KINDS; kind++) {
    const size_t has = all->idle[kind].count;
    missing[kind] = has < wanted[kind] ? (wanted[kind] - has + FV_CUT_GROUP - 1) / FV_CUT_GROUP : 0;
    count += missing[kind];
  }
  const size_t step = step_of(all->m, count);
  for (size_t i = 0; i < count; i++) {
    size_t at = i * step % count;
    int kind = KINDS - 1;
    for (; at >= missing[kind]; kind--) at -= missing[kind];
    const wish easy = { .kind = (int8_t)kind };
    TRM_TRY(add_group(all, kind, room_for(all->m, &easy)));
  }
  return TRM_OK;
}

static trm_status grant_easy(turns *all, fv_numbering *n)
{
  fv_cut_tables *t = all->m->t;
  for (int kind = KINDS - 1; kind >= 0; kind--) {
    all->granted[kind] = t->renewed_count;
    t->renewed_count += n->found[kind];
  }
  TRM_TRY(add_groups(all, n->found));
  return fv_list_grow(&t->renewed, &t->renewed_room, t->renewed_count, sizeof *t->renewed);
}

static trm_status grant_wishes(turns *all)
{
  const fv_maker *m = all->m;
  fv_numbering n = { .count = (size_t)m->t->sloped, .kind = kind_wished, .take = grant_wish,
                     .user = all };
  TRM_TRY(fv_count_kinds(m, &n));
  trm_status status = n.found[HARD] > 0 ? grant_hard(all) : TRM_OK;
  if (status == TRM_OK) status = grant_easy(all, &n);
  if (status != TRM_OK) fv_end_numbering(&n);
  TRM_TRY(status);
  return fv_take_kinds(m, &n);
}

static trm_status add_turns(turns *all)
{
  const fv_maker *m = all->m;
  const size_t count = (size_t)m->t->sloped;
  all->wishes = malloc((count + 1) * sizeof *all->wishes);
  if (!all->wishes) return TRM_FAIL(NO_HOST_MEMORY, "no memory for slopes at walls");
  TRM_TRY(trm_device_host_each(m->device, count, make_wish, all));
  TRM_TRY(grant_wishes(all));
  TRM_TRY(mix_renewed(m));
  return trm_device_host_each(m->device, count, fill_turn, all);
}

static trm_status list_turns(turns *all)
{
  const fv_maker *m = all->m;
  const size_t most = (9 * (size_t)m->t->sloped + 32 * FV_CUT_GROUP) / 8; /* else too many idle */
  if (m->known && m->known->turn && m->known->turns <= most) {
    take_over(m->t, m->known);
    TRM_TRY(keep_turns(all));
  }
  return add_turns(all);
}

trm_status fv_list_slopes(fv_maker *m)
{
  fv_cut_tables *t = m->t;
  const size_t cells = (size_t)t->near_count * m->block;
  turns all = { .m = m };
  t->spot = malloc(((size_t)t->sloped + 1) * sizeof *t->spot);
  t->turn_of = malloc((cells + 1) * sizeof *t->turn_of);
  if (!t->spot || !t->turn_of) return TRM_FAIL(NO_HOST_MEMORY, "no memory for slopes at walls");
  for (int i = 0; i < t->sloped; i++) t->spot[i] = m->sloped[i];
  memset(t->turn_of, -1, cells * sizeof *t->turn_of);
  const trm_status status = list_turns(&all);
  for (int kind = 0; kind < KINDS; kind++) free(all.idle[kind].of);
  free(all.wishes);
  return status;
}
