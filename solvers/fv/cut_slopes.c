/* cut_slopes.c - factors of slopes in units at walls: least squares over the units about one. */
#include "solvers/fv/cut_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/fv/fv_clock.h"

/* A parabola through the wall, the centroid and the slope there has 2, by the distance. The faster
 * friction grows with the velocity the shorter steps have to be; MOST bounds it, by volume: heat
 * between cylinders is stable with steps of 0.12 rho h^2 / mu (without it 0.1), not with 0.16. */
static const double STEEPEST = 2, MOST = 6;

/* Of a unit's least squares: below it neighbours lie in a plane or a line. */
static const double LEAST_DET = 1e-3;

enum { MOST_LOOKS = 128 };
typedef struct stencil {
  int count;
  int32_t look[MOST_LOOKS];
  double off[MOST_LOOKS][3], weight[MOST_LOOKS];
  double factor[MOST_LOOKS][6];
} stencil;

static trm_status add_look(const fv_maker *m, int32_t master, stencil *s, int32_t look,
                           const double off[3], double least)
{
  double square = 0;
  if (s->count == MOST_LOOKS)
    return fv_cell_refuse(m, master, "too many walls meet; make the grid finer there "
                                     "(grid.levels)");
  for (int a = 0; a < m->bodies->dimensions; a++) square += off[a] * off[a];
  s->look[s->count] = look;
  memcpy(s->off[s->count], off, sizeof s->off[0]);
  s->weight[s->count++] = 1 / fmax(square, least);
  return TRM_OK;
}

/* Of a unit in a gap beside a body that slides, 1; 2 where it has cells that do not touch its
 * master, as when a wide gap opens. */
static int gap_of(const fv_maker *m, int32_t master)
{
  int is_in_gap = 0, is_chain = 0;
  for (int32_t i = fv_cell_kind(m, master); i >= 0; i = m->t->record[i].next) {
    const int *to = m->t->record[i].to;
    is_in_gap |= m->t->record[i].is_gap;
    is_chain |= abs(to[0]) + abs(to[1]) + abs(to[2]) > 1;
  }
  return is_in_gap + (is_in_gap && is_chain);
}

static double invert(double a[3][3], double inverse[3][3])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      inverse[j][i] = a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1];
    }
  return a[0][0] * inverse[0][0] + a[0][1] * inverse[1][0] + a[0][2] * inverse[2][0];
}

/* Factors of the least squares over those looks that count, from factor `first` of each on. */
static trm_status solve(const fv_maker *m, int32_t master, stencil *s, int first)
{
  const int with_walls = first == 3, n = m->bodies->dimensions;
  double a[3][3] = { { 0 } }, inverse[3][3];
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < 3 && (with_walls || s->look[k] >= 0); i++)
      for (int j = 0; j < 3; j++) a[i][j] += s->weight[k] * s->off[k][i] * s->off[k][j];
  if (n == 2) {
    a[0][2] = a[2][0] = a[1][2] = a[2][1] = 0;
    a[2][2] = 1;
  }
  const int gap = gap_of(m, master);
  double det = invert(a, inverse);
  if (gap == 2) { /* no slopes: a line would reach far beyond its looks */
    memset(inverse, 0, sizeof inverse);
    det = 1;
  } else if (!(det > LEAST_DET) && gap) { /* a gap one unit wide: hardly any slope across */
    for (int i = 0; i < n; i++) a[i][i] += 0.05;
    det = invert(a, inverse);
  }
  if (!(det > LEAST_DET))
    return fv_cell_refuse(m, master, "too few neighbours hold gas; make the grid finer there "
                             "(grid.levels), or leave more room between walls");
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < 3; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += inverse[i][j] * s->off[k][j];
      s->factor[k][first + i] = i < n && (with_walls || s->look[k] >= 0)
                                  ? s->weight[k] * sum / det : 0.0;
    }
  return TRM_OK;
}

/* The mean over a unit's cells of the squared distance from a plane through one place, of normal n;
 * away: how far the unit's centroid lies. */
static double square_from(const fv_maker *m, int32_t unit, double away)
{
  const int32_t kind = fv_cell_kind(m, unit);
  const double total = kind >= 0 ? m->t->record[kind].total : 1;
  return away * away + total * total / 12;
}

/* How much steeper than at the centroid, in the direction into the body, a velocity's slope is at
 * a wall, by what the line along the centroid's misses there: so much that a parabola along the
 * normal whose slope is 0 at the wall keeps it, whatever units and walls are looked at. */
static double steeper(const fv_maker *m, int32_t master, const stencil *s, const double n[3],
                      const double wall[3])
{
  double own = 0, slope[3] = { 0, 0, 0 }, along = 0, ahead = 0;
  for (int a = 0; a < 3; a++) own += n[a] * wall[a];
  const double here = square_from(m, master, own);
  for (int k = 0; k < s->count; k++) {
    double away = own;
    for (int a = 0; a < 3; a++) away -= n[a] * s->off[k][a];
    const double there = s->look[k] >= 0 ? square_from(m, s->look[k], away) : away * away;
    for (int a = 0; a < 3; a++) slope[a] += s->factor[k][3 + a] * (there - here);
  }
  for (int a = 0; a < 3; a++) {
    along += slope[a] * n[a];
    ahead += slope[a] * wall[a];
  }
  const double missed = -(here + ahead), most = STEEPEST / fmax(own, 0.25);
  return missed > 0 ? fmin(fmax(-along / missed, 0), most) : 0;
}

/* Of the walls of a unit's cells that hold the gas fast. */
static void list_steeper(const fv_maker *m, int32_t master, const stencil *s)
{
  fv_cut_tables *t = m->t;
  for (int32_t i = fv_cell_kind(m, master); i >= 0; i = t->record[i].next) {
    const fv_cut_record *r = &t->record[i];
    if (r->wall < 0 || m->bodies->body[r->body].wall == FV_WALL_SLIP) continue;
    const size_t wall = (size_t)(t->faces + r->wall);
    const double per_area = *fv_size_of(t, wall, 13);
    double n[3], off[3];
    for (size_t a = 0; a < 3; a++) n[a] = *fv_size_of(t, wall, a) * per_area;
    fv_cell_from_centre(m, r->cell, r->cut.at, off);
    *fv_size_of(t, wall, 15) =
      per_area > 0 ? fmin(steeper(m, master, s, n, off) / per_area, MOST * r->total) : 0;
  }
}

/* The units about one, each once, and the walls of its cells that hold the gas fast. */
static trm_status look_about(const fv_maker *m, int32_t master, stencil *s)
{
  const int32_t kind = fv_cell_kind(m, master);
  const int deep = m->side[2] > 1;
  double off[3];
  for (int k = 0; k < 27; k++) {
    const int by[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
    if (k == 13 || (!deep && by[2])) continue;
    const int32_t cell = fv_cell_beside(m, master, by), unit = fv_cell_master(m, cell);
    const int32_t other = fv_cell_kind(m, cell);
    int is_new = other != FV_SOLID && unit != master;
    for (int i = 0; i < s->count; i++) is_new &= s->look[i] != unit;
    if (!is_new) continue;
    if (fv_cell_is_ghost(m, cell)) return fv_cell_refuse(m, master, fv_no_room);
    for (int a = 0; a < 3; a++) {
      const double from = kind >= 0 ? m->t->record[kind].centre[a] : 0.5;
      off[a] = by[a] + (other >= 0 ? m->t->record[other].centre[a] : 0.5) - from;
    }
    TRM_TRY(add_look(m, master, s, unit, off, 1e-6));
  }
  for (int32_t i = kind; i >= 0; i = m->t->record[i].next) {
    const fv_cut_record *r = &m->t->record[i];
    if (r->wall < 0 || m->bodies->body[r->body].wall == FV_WALL_SLIP) continue;
    fv_cell_from_centre(m, r->cell, r->cut.at, off);
    TRM_TRY(add_look(m, master, s, -1 - r->wall, off, 0.0625));
  }
  TRM_TRY(solve(m, master, s, 0));
  const int is_walled = s->count > 0 && s->look[s->count - 1] < 0; /* walls come last */
  return is_walled ? solve(m, master, s, 3) : TRM_OK;
}

/* ---- turns ------------------------------------------------------------------- */

static int kind_of(const fv_maker *m, int32_t cell)
{
  if (fv_cell_is_central(m, cell)) return FV_TURN_CENTRAL;
  for (int32_t i = fv_cell_kind(m, cell); i >= 0; i = m->t->record[i].next) {
    const fv_cut_record *r = &m->t->record[i];
    if (r->wall >= 0 && m->bodies->body[r->body].wall != FV_WALL_SLIP) return FV_TURN_WALLED;
  }
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

typedef struct rooms {
  size_t turn, look, weight;
  size_t look_first, weight_first; /* of the group that is being filled */
} rooms;

/* Room for as many looks of each unit of a group, all of a kind. */
static trm_status widen(fv_cut_tables *t, rooms *r, size_t looks, size_t width)
{
  const size_t row = FV_CUT_GROUP * sizeof *t->weight, lanes = FV_CUT_GROUP;
  while (t->looks < r->look_first + looks * lanes) {
    TRM_TRY(fv_list_grow(&t->look, &r->look, t->looks / lanes, lanes * sizeof *t->look));
    memset(t->look + t->looks, 0, lanes * sizeof *t->look);
    t->looks += lanes;
    for (size_t k = 0; k < width; k++) {
      TRM_TRY(fv_list_grow(&t->weight, &r->weight, t->weights, row));
      memset(t->weight + t->weights++ * lanes, 0, row);
    }
  }
  return TRM_OK;
}

static trm_status find_looks(const fv_maker *m, int32_t cell, int kind, stencil *s)
{
  if (kind == FV_TURN_CENTRAL) {
    for (s->count = 0; s->count < fv_cell_faces(m); s->count++)
      s->look[s->count] = fv_cell_beyond(m, cell, s->count);
    return TRM_OK;
  }
  TRM_TRY(look_about(m, cell, s));
  list_steeper(m, cell, s);
  return TRM_OK;
}

/* Into the turn's group, whose rows are wide enough. */
static void write_looks(fv_cut_tables *t, const rooms *r, const stencil *s, size_t width,
                        int32_t *turn)
{
  const size_t lane = (t->turns - 1) % FV_CUT_GROUP;
  turn[FV_TURN_LOOK] = (int32_t)r->look_first;
  turn[FV_TURN_WEIGHT] = (int32_t)r->weight_first;
  for (size_t k = 0; k < (size_t)s->count; k++) {
    turn[s->look[k] >= 0 ? FV_TURN_LOOKS : FV_TURN_WALLS]++;
    t->look[r->look_first + k * FV_CUT_GROUP + lane] = s->look[k];
    for (size_t f = 0; f < width; f++)
      t->weight[(r->weight_first + k * width + f) * FV_CUT_GROUP + lane] = s->factor[k][f];
  }
}

/* The turn of the unit of a number; -1: of none, at the end of a kind. */
static trm_status add_turn(fv_maker *m, rooms *r, int number, int kind)
{
  static const size_t widths[] = { [FV_TURN_CENTRAL] = 0, [FV_TURN_PLAIN] = 3,
                                   [FV_TURN_WALLED] = 6 };
  fv_cut_tables *t = m->t;
  stencil s = { .count = 0 };
  if (t->turns % FV_CUT_GROUP == 0) {
    r->look_first = t->looks;
    r->weight_first = t->weights;
  }
  TRM_TRY(fv_list_grow(&t->turn, &r->turn, t->turns, FV_TURN_INTS * sizeof *t->turn));
  int32_t *turn = t->turn + FV_TURN_INTS * t->turns++;
  memset(turn, 0, FV_TURN_INTS * sizeof *turn);
  turn[FV_TURN_NUMBER] = number;
  if (number < 0) return TRM_OK;
  turn[FV_TURN_CELL] = m->sloped[number];
  turn[FV_TURN_KIND] = kind;
  turn[FV_TURN_HEAT] = is_isothermal(m, fv_cell_kind(m, m->sloped[number]));
  TRM_TRY(find_looks(m, m->sloped[number], kind, &s));
  TRM_TRY(widen(t, r, (size_t)s.count, widths[kind]));
  write_looks(t, r, &s, widths[kind], turn);
  return TRM_OK;
}

trm_status fv_list_slopes(fv_maker *m)
{
  fv_cut_tables *t = m->t;
  rooms r = { .turn = 0 };
  t->spot = malloc(((size_t)t->sloped + 1) * sizeof *t->spot);
  if (!t->spot) return TRM_FAIL(NO_HOST_MEMORY, "no memory for slopes at walls");
  for (int i = 0; i < t->sloped; i++) t->spot[i] = m->sloped[i];
  for (int kind = FV_TURN_WALLED; kind >= FV_TURN_CENTRAL; kind--) { /* the longest come first */
    for (int i = 0; i < t->sloped; i++)
      if (kind_of(m, m->sloped[i]) == kind) TRM_TRY(add_turn(m, &r, i, kind));
    while (t->turns % FV_CUT_GROUP) TRM_TRY(add_turn(m, &r, -1, kind));
  }
  return TRM_OK;
}
