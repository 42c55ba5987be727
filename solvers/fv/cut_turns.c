/* cut_turns.c - in which order slopes at walls are computed: groups of turns, all of a kind. A turn
 * whose unit looks at what it did before the step stays where it is, with its factors; others take
 * the places that became free, or are groups at the end. */
#include "solvers/fv/cut_maker.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/fv/fv_clock.h"

enum { KINDS = FV_TURN_WALLED + 1 };
static const size_t widths[KINDS] = { [FV_TURN_CENTRAL] = 0, [FV_TURN_PLAIN] = 3,
                                      [FV_TURN_WALLED] = 6 };

typedef struct numbers { int32_t *of; size_t count, room; } numbers;

typedef struct turns {
  fv_maker *m;
  numbers idle[KINDS], fresh[KINDS]; /* turns that are no unit's; slopes that have none */
} turns;

static trm_status add_number(numbers *n, int32_t number)
{
  TRM_TRY(fv_list_grow(&n->of, &n->room, n->count, sizeof *n->of));
  n->of[n->count++] = number;
  return TRM_OK;
}

static int is_fast(const fv_maker *m, const fv_cut_record *r)
{
  return r->wall >= 0 && m->bodies->body[r->body].wall != FV_WALL_SLIP;
}

static int kind_of(const fv_maker *m, int32_t cell)
{
  if (fv_cell_is_central(m, cell)) return FV_TURN_CENTRAL;
  for (int32_t i = fv_cell_kind(m, cell); i >= 0; i = m->t->record[i].next)
    if (is_fast(m, &m->t->record[i])) return FV_TURN_WALLED;
  return FV_TURN_PLAIN;
}

/* Whether a wall of one of a unit's cells has a temperature. */
static int is_isothermal(const fv_maker *m, int32_t kind)
{
  int is = 0;
  for (; kind >= 0; kind = m->t->record[kind].next)
    is |= m->t->record[kind].wall >= 0 &&
          m->bodies->body[m->t->record[kind].body].wall == FV_WALL_ISOTHERMAL;
  return is;
}

static int32_t *turn_at(const fv_cut_tables *t, size_t number)
{
  return t->turn + FV_TURN_INTS * number;
}

/* ---- turns that stay ----------------------------------------------------------------- */

static trm_status take_over(fv_cut_tables *t, fv_cut_tables *old)
{
  t->new_room = old->turns / FV_CUT_GROUP + 1;
  t->is_new = calloc(t->new_room, 1);
  if (!t->is_new) return TRM_FAIL(NO_HOST_MEMORY, "no memory for slopes at walls");
  t->turn = old->turn;
  t->look = old->look;
  t->weight = old->weight;
  t->turns = old->turns;
  t->looks = old->looks;
  t->weights = old->weights;
  t->turn_room = old->turn_room;
  t->look_room = old->look_room;
  t->weight_room = old->weight_room;
  old->turn = old->look = NULL;
  old->weight = NULL;
  return TRM_OK;
}

/* The walls that a unit looks at have other numbers, and are as much steeper as they were. */
static void renumber_walls(const fv_maker *m, size_t number)
{
  const fv_cut_tables *t = m->t, *old = m->before;
  const int32_t *turn = turn_at(t, number);
  int32_t *look = t->look + (size_t)turn[FV_TURN_LOOK] + number % FV_CUT_GROUP;
  look += (size_t)turn[FV_TURN_LOOKS] * FV_CUT_GROUP;
  for (int32_t i = fv_cell_kind(m, turn[FV_TURN_CELL]); i >= 0; i = t->record[i].next) {
    const fv_cut_record *r = &t->record[i];
    if (!is_fast(m, r)) continue;
    const int32_t was = fv_cut_kind_of(old, m->block, (size_t)r->cell >> m->shift[3],
                                       (size_t)r->cell & (m->block - 1));
    *look = -1 - r->wall;
    look += FV_CUT_GROUP;
    *fv_size_of(t, (size_t)(t->faces + r->wall), 15) =
      *fv_size_of(old, (size_t)(old->faces + old->record[was].wall), 15);
  }
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
  const int is_idle = turn[FV_TURN_NUMBER] < 0;
  (void)thread;
  turn[FV_TURN_NUMBER] = is_idle ? -1 : kept_slope(m, turn[FV_TURN_CELL]);
  if (turn[FV_TURN_NUMBER] < 0) return TRM_OK;
  m->t->turn_of[fv_cell_index(m, turn[FV_TURN_CELL])] = (int32_t)i;
  if (turn[FV_TURN_KIND] == FV_TURN_WALLED) renumber_walls(m, i);
  return TRM_OK;
}

static trm_status keep_turns(turns *all)
{
  fv_maker *m = all->m;
  TRM_TRY(trm_device_host_each(m->device, m->t->turns, keep_turn, m));
  for (size_t i = 0; i < m->t->turns; i++) {
    const int32_t *turn = turn_at(m->t, i);
    if (turn[FV_TURN_NUMBER] < 0) TRM_TRY(add_number(&all->idle[turn[FV_TURN_KIND]], (int32_t)i));
  }
  return TRM_OK;
}

/* ---- turns that are new -------------------------------------------------------------- */

/* A group without looks, at the end. */
static trm_status add_group(turns *all, int kind)
{
  fv_cut_tables *t = all->m->t;
  TRM_TRY(fv_list_grow(&t->turn, &t->turn_room, t->turns / FV_CUT_GROUP,
                       FV_CUT_GROUP * FV_TURN_INTS * sizeof *t->turn));
  TRM_TRY(fv_list_grow(&t->is_new, &t->new_room, t->turns / FV_CUT_GROUP, 1));
  for (int lane = FV_CUT_GROUP - 1; lane >= 0; lane--) { /* so that the first is taken first */
    const size_t number = t->turns + (size_t)lane;
    int32_t *turn = turn_at(t, number);
    memset(turn, 0, FV_TURN_INTS * sizeof *turn);
    turn[FV_TURN_NUMBER] = -1;
    turn[FV_TURN_KIND] = kind;
    turn[FV_TURN_LOOK] = (int32_t)t->looks;
    turn[FV_TURN_WEIGHT] = (int32_t)t->weights;
    TRM_TRY(add_number(&all->idle[kind], (int32_t)number));
  }
  t->turns += FV_CUT_GROUP;
  return TRM_OK;
}

/* Room for so many looks of a turn, which has it or is of the last group. */
static trm_status widen(fv_cut_tables *t, size_t number, size_t looks, size_t width)
{
  const size_t first = (size_t)turn_at(t, number)[FV_TURN_LOOK];
  const size_t row = FV_CUT_GROUP * sizeof *t->weight, lanes = FV_CUT_GROUP;
  while (t->looks < first + looks * lanes) {
    TRM_TRY(fv_list_grow(&t->look, &t->look_room, t->looks / lanes, lanes * sizeof *t->look));
    memset(t->look + t->looks, 0, lanes * sizeof *t->look);
    t->looks += lanes;
    for (size_t k = 0; k < width; k++) {
      TRM_TRY(fv_list_grow(&t->weight, &t->weight_room, t->weights, row));
      memset(t->weight + t->weights++ * lanes, 0, row);
    }
  }
  return TRM_OK;
}

/* How many looks a turn has room for. */
static size_t room_of(const fv_cut_tables *t, size_t number)
{
  const size_t group = number / FV_CUT_GROUP, last = t->turns / FV_CUT_GROUP - 1;
  if (group == last) return FV_MOST_LOOKS; /* it can be widened */
  return (size_t)(turn_at(t, (group + 1) * FV_CUT_GROUP)[FV_TURN_LOOK] -
                  turn_at(t, group * FV_CUT_GROUP)[FV_TURN_LOOK]) / FV_CUT_GROUP;
}

/* An idle turn of a kind with room for so many looks, of those that are tried. */
static trm_status find_turn(turns *all, int kind, size_t looks, int32_t *out)
{
  enum { TRIED = 16 };
  numbers *idle = &all->idle[kind];
  for (size_t k = 1; k <= TRIED && k <= idle->count; k++) {
    *out = idle->of[idle->count - k];
    if (room_of(all->m->t, (size_t)*out) < looks) continue;
    idle->of[idle->count - k] = idle->of[idle->count - 1];
    idle->count--;
    return TRM_OK;
  }
  TRM_TRY(add_group(all, kind));
  *out = idle->of[--idle->count];
  return TRM_OK;
}

/* Some slopes that are made together: what they look at is found, and written where it belongs, by
 * several threads. */
enum { BATCH = 256 };
typedef struct batch {
  const fv_maker *m;
  int kind;
  const int32_t *slopes;
  fv_stencil *stencils;
  int32_t number[BATCH];       /* their turns */
} batch;

static trm_status find_looks(void *user, size_t i, int thread)
{
  const batch *b = user;
  (void)thread;
  return fv_find_looks(b->m, b->m->sloped[b->slopes[i]], b->kind, &b->stencils[i]);
}

static trm_status fill_turn(void *user, size_t i, int thread)
{
  const batch *b = user;
  const fv_cut_tables *t = b->m->t;
  const fv_stencil *s = &b->stencils[i];
  const int32_t number = b->number[i], slope = b->slopes[i], cell = b->m->sloped[slope];
  const size_t lane = (size_t)number % FV_CUT_GROUP, width = widths[b->kind];
  int32_t *turn = turn_at(t, (size_t)number);
  (void)thread;
  turn[FV_TURN_CELL] = cell;
  turn[FV_TURN_HEAT] = is_isothermal(b->m, fv_cell_kind(b->m, cell));
  turn[FV_TURN_LOOKS] = turn[FV_TURN_WALLS] = 0;
  t->turn_of[fv_cell_index(b->m, cell)] = number;
  int32_t *look = t->look + (size_t)turn[FV_TURN_LOOK] + lane;
  double *weight = t->weight + (size_t)turn[FV_TURN_WEIGHT] * FV_CUT_GROUP + lane;
  for (size_t k = 0; k < (size_t)s->count; k++) {
    turn[s->look[k] >= 0 ? FV_TURN_LOOKS : FV_TURN_WALLS]++;
    look[k * FV_CUT_GROUP] = s->look[k];
    for (size_t f = 0; f < width; f++) weight[(k * width + f) * FV_CUT_GROUP] = s->factor[k][f];
  }
  return TRM_OK;
}

static trm_status add_batch(turns *all, batch *b, size_t count)
{
  fv_cut_tables *t = all->m->t;
  TRM_TRY(trm_device_host_each(all->m->device, count, find_looks, b));
  for (size_t i = 0; i < count; i++) {
    TRM_TRY(find_turn(all, b->kind, (size_t)b->stencils[i].count, &b->number[i]));
    const size_t number = (size_t)b->number[i];
    TRM_TRY(widen(t, number, (size_t)b->stencils[i].count, widths[b->kind]));
    turn_at(t, number)[FV_TURN_NUMBER] = b->slopes[i];
    t->is_new[number / FV_CUT_GROUP] = 1;
  }
  return trm_device_host_each(all->m->device, count, fill_turn, b);
}

/* The longest come first. */
static trm_status add_turns(turns *all)
{
  batch b = { .m = all->m, .stencils = malloc(BATCH * sizeof *b.stencils) };
  trm_status status = b.stencils ? TRM_OK
                                 : TRM_FAIL(NO_HOST_MEMORY, "no memory for slopes at walls");
  for (b.kind = KINDS - 1; b.kind >= 0; b.kind--) {
    const numbers *fresh = &all->fresh[b.kind];
    for (size_t i = 0; i < fresh->count && status == TRM_OK; i += BATCH) {
      b.slopes = fresh->of + i;
      status = add_batch(all, &b, fresh->count - i < BATCH ? fresh->count - i : BATCH);
    }
  }
  free(b.stencils);
  return status;
}

/* The kind of a slope that has no turn; -1: it has one. */
typedef struct kinds { const fv_maker *m; int8_t *of; } kinds;

static trm_status find_kind(void *user, size_t i, int thread)
{
  const kinds *k = user;
  const int32_t cell = k->m->sloped[i];
  (void)thread;
  k->of[i] = k->m->t->turn_of[fv_cell_index(k->m, cell)] < 0 ? (int8_t)kind_of(k->m, cell) : -1;
  return TRM_OK;
}

static trm_status find_fresh(turns *all)
{
  const size_t count = (size_t)all->m->t->sloped;
  kinds k = { all->m, malloc(count + 1) };
  trm_status status = k.of ? trm_device_host_each(all->m->device, count, find_kind, &k)
                           : TRM_FAIL(NO_HOST_MEMORY, "no memory for slopes at walls");
  for (size_t i = 0; i < count && status == TRM_OK; i++)
    if (k.of[i] >= 0) status = add_number(&all->fresh[k.of[i]], (int32_t)i);
  free(k.of);
  return status;
}

static trm_status list_turns(turns *all)
{
  const fv_maker *m = all->m;
  const size_t most = (9 * (size_t)m->t->sloped + 32 * FV_CUT_GROUP) / 8; /* else too many idle */
  if (m->before && m->before->turns <= most) {
    TRM_TRY(take_over(m->t, m->before));
    TRM_TRY(keep_turns(all));
  }
  TRM_TRY(find_fresh(all));
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
  for (int kind = 0; kind < KINDS; kind++) {
    free(all.idle[kind].of);
    free(all.fresh[kind].of);
  }
  return status;
}
