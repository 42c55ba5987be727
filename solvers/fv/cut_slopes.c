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

static trm_status add_look(const fv_maker *m, int32_t master, fv_stencil *s, int32_t look,
                           const double off[3], double least)
{
  double square = 0;
  if (s->count == FV_MOST_LOOKS)
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
static trm_status solve(const fv_maker *m, int32_t master, fv_stencil *s, int first)
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
static double steeper(const fv_maker *m, int32_t master, const fv_stencil *s, const double n[3],
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
static void list_steeper(const fv_maker *m, int32_t master, const fv_stencil *s)
{
  fv_cut_tables *t = m->t;
  for (int32_t i = fv_cell_kind(m, master); i >= 0; i = t->record[i].next) {
    const fv_cut_record *r = &t->record[i];
    if (r->wall < 0 || m->bodies->body[r->body].wall == FV_WALL_SLIP) continue;
    const size_t wall = (size_t)(t->faces + r->wall);
    const double per_area = *fv_size_of(t, wall, 13);
    double n[3], off[3];
    for (size_t a = 0; a < 3; a++) n[a] = *fv_size_of(t, wall, a) * per_area;
    fv_from_centre(m, r, r->cut.at, off);
    *fv_size_of(t, wall, 15) =
      per_area > 0 ? fmin(steeper(m, master, s, n, off) / per_area, MOST * r->total) : 0;
  }
}

/* The units about one, each once, and the walls of its cells that hold the gas fast. */
static trm_status look_about(const fv_maker *m, int32_t master, fv_stencil *s)
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
    fv_from_centre(m, r, r->cut.at, off);
    TRM_TRY(add_look(m, master, s, -1 - r->wall, off, 0.0625));
  }
  TRM_TRY(solve(m, master, s, 0));
  const int is_walled = s->count > 0 && s->look[s->count - 1] < 0; /* walls come last */
  return is_walled ? solve(m, master, s, 3) : TRM_OK;
}

trm_status fv_find_looks(const fv_maker *m, int32_t cell, int kind, fv_stencil *s)
{
  if (kind == FV_TURN_CENTRAL) {
    for (s->count = 0; s->count < fv_cell_faces(m); s->count++)
      s->look[s->count] = fv_cell_beyond(m, cell, s->count);
    return TRM_OK;
  }
  s->count = 0;
  TRM_TRY(look_about(m, cell, s));
  list_steeper(m, cell, s);
  return TRM_OK;
}
