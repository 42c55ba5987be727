/* cut_corners.c - distances of walls from the corners of cells. Of a body that moves they are
 * bounds, kept from step to step: a bound less how far the body moved is one again. A distance is
 * asked for where its bound is used up, and at cells that are cut. */
#include "solvers/compressible/cutcells/cut_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In a cell that is cut no corner's wall is two cells away. Of bodies that move most corners' sides
 * are enough. */
static const double FARTHEST = 2, JUST_A_SIDE = 0.01;

static const double ROUNDING = 1e-9;  /* a bound stays one */
static const double SHRINK = 1 - 1e-6; /* also as a float */

size_t fv_corner_count(const fv_maker *m)
{
  return (size_t)((m->side[0] + 1) * (m->side[1] + 1) * (m->side[2] + 1));
}

static int has_path(const fv_maker *m, int body) { return m->bodies->body[body].path[0] != NULL; }

/* How far a body's wall is from a place in a leaf, in cells. side: < 0, in the body, or > 0 where
 * that is known, else 0. */
static double away(const fv_maker *m, size_t leaf, int number, const double within[3], double side)
{
  const double width = fv_cell_width(m, leaf);
  double at[3];
  for (int a = 0; a < 3; a++)
    at[a] = m->origin[a] + (m->forest->place[leaf][a] * m->side[a] + within[a]) * width;
  if (side != 0) fv_body_side(&m->bodies->body[number], at, side, &m->look[number]);
  return fv_body_distance(&m->bodies->body[number], at, &m->look[number]) / width;
}

/* ---- leaves ----------------------------------------------------------------------- */

/* A leaf's middle; returns how far its corners are from there. */
static double middle_of(const fv_maker *m, size_t leaf, double middle[3])
{
  const double width = fv_cell_width(m, leaf);
  double square = 0;
  for (int a = 0; a < 3; a++) {
    const double half = 0.5 * m->side[a] * width;
    middle[a] = m->origin[a] + (2 * m->forest->place[leaf][a] + 1) * half;
    square += half * half;
  }
  return sqrt(square);
}

/* How much nearer, at most, the step brought a body to places of a leaf. */
static double stray(const fv_maker *m, size_t leaf, int number)
{
  const fv_body *body = &m->bodies->body[number];
  const double *step = body->step;
  const double by = sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
  double middle[3], far = middle_of(m, leaf, middle), square = 0;
  for (int a = 0; a < 3; a++) {
    const double off = middle[a] - body->centre[a] - body->moved[a];
    square += off * off;
  }
  far += sqrt(square) + by;
  return (by + (body->turned != 0 ? fabs(body->turned) * far : 0)) / SHRINK;
}

static double (*known_of(const fv_maker *m, size_t leaf, int number))[2]
{
  return &m->t->middle[leaf * (size_t)m->bodies->count + (size_t)number];
}

static void ask(const fv_maker *m, size_t leaf, int number)
{
  double middle[3], *known = *known_of(m, leaf, number);
  if (m->known && !(known[1] > 0)) return;
  middle_of(m, leaf, middle);
  known[0] = fv_body_distance(&m->bodies->body[number], middle, &m->look[number]);
  known[1] = 0;
}

int fv_leaf_side(const fv_maker *m, size_t leaf, double band)
{
  double middle[3], low, high;
  const int count = m->bodies->count;
  const double reach = middle_of(m, leaf, middle) + band * fv_cell_width(m, leaf);
  for (int b = 0; b < count; b++) {
    double *known = *known_of(m, leaf, b);
    if (!m->known) ask(m, leaf, b);
    else memcpy(known, m->known->middle[leaf * (size_t)count + (size_t)b], sizeof(double[2]));
    if (m->known && has_path(m, b)) known[1] += stray(m, leaf, b);
  }
  for (int asked = 0; asked < 2; asked++) {
    low = high = INFINITY;
    for (int b = 0; b < count; b++) {
      const double *known = *known_of(m, leaf, b);
      low = fmin(low, known[0] - known[1]);
      high = fmin(high, known[0] + known[1]);
    }
    const int is_sure = low > reach || high < -reach || (low >= -reach && high <= reach);
    for (int b = 0; b < count && !is_sure; b++) ask(m, leaf, b);
  }
  return low > reach ? FV_WHOLE : high < -reach ? FV_SOLID : 0;
}

uint16_t fv_leaf_far(const fv_maker *m, size_t leaf)
{
  _Static_assert(FV_BODIES <= 16, "each body has a bit");
  double middle[3];
  const double reach = middle_of(m, leaf, middle) + 1.01 * FV_ABOUT * fv_cell_width(m, leaf);
  uint16_t far = 0;
  for (int b = 0; b < m->bodies->count; b++) {
    const double *known = *known_of(m, leaf, b);
    if (!has_path(m, b)) continue;
    if (known[0] - known[1] <= reach && known[0] + known[1] > reach) ask(m, leaf, b);
    if (known[0] - known[1] > reach) far |= (uint16_t)(1 << b);
  }
  return far;
}

/* ---- corners ---------------------------------------------------------------------- */

/* How far corners of a block's cells lie from a body's wall, in cells. Those of a part of the block
 * that lies more than `far` cells away as a whole have but the side and a bound. */
static void sample(const fv_maker *m, size_t leaf, int number, double far, const int low[3],
                   const int high[3], fv_corners *c)
{
  const int n[2] = { m->side[0] + 1, m->side[1] + 1 };
  double middle[3], square = 0;
  int axis = 0;
  for (int a = 0; a < 3; a++) {
    middle[a] = 0.5 * (low[a] + high[a]);
    square += 0.25 * (high[a] - low[a]) * (high[a] - low[a]);
    if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
  }
  const double here = away(m, leaf, number, middle, 0);
  if (square == 0) {
    c->own[(low[2] * n[1] + low[1]) * n[0] + low[0]] = here;
  } else if (fabs(here) - sqrt(square) > far) {
    for (int z = low[2]; z <= high[2]; z++)
      for (int y = low[1]; y <= high[1]; y++)
        for (int x = low[0]; x <= high[0]; x++) {
          const double off[3] = { x - middle[0], y - middle[1], z - middle[2] };
          const double least = fabs(here) - ROUNDING - sqrt(off[0] * off[0] + off[1] * off[1] +
                                                            off[2] * off[2]);
          const int at = (z * n[1] + y) * n[0] + x;
          c->own[at] = here > 0 ? least : -least;
          c->inside[at] |= (uint64_t)1 << (FV_BOUND + number);
        }
  } else {
    const int half = (low[axis] + high[axis]) / 2;
    int to[3] = { high[0], high[1], high[2] }, from[3] = { low[0], low[1], low[2] };
    to[axis] = half;
    from[axis] = half + 1;
    sample(m, leaf, number, far, low, to, c);
    sample(m, leaf, number, far, from, high, c);
  }
}

static void place_of(const fv_maker *m, size_t corner, double within[3])
{
  const size_t x = (size_t)m->side[0] + 1, y = (size_t)m->side[1] + 1;
  within[0] = (double)(corner % x);
  within[1] = (double)(corner / x % y);
  within[2] = (double)(corner / (x * y));
}

/* Bounds of a body that moves, by those before the step. */
static void carry(const fv_maker *m, size_t leaf, int number, const float *was, fv_corners *c)
{
  const double width = fv_cell_width(m, leaf), by = stray(m, leaf, number) / width;
  for (size_t i = 0; i < c->count; i++) {
    const double bound = fabs((double)was[i]), least = bound - by;
    double within[3];
    c->inside[i] |= (uint64_t)1 << (FV_BOUND + number);
    c->own[i] = was[i] > 0 ? least : -least;
    c->is_stirred[i] |= by > 0 && bound <= FV_ABOUT;
    if (least > (bound > FV_ABOUT ? FV_ABOUT : JUST_A_SIDE)) continue;
    place_of(m, i, within);
    c->own[i] = away(m, leaf, number, within, least > 0 ? (double)was[i] : 0);
    c->inside[i] &= ~((uint64_t)1 << (FV_BOUND + number));
    c->is_stirred[i] |= by > 0 && fabs(c->own[i]) <= FV_ABOUT;
  }
}

/* Of a body that is far outside of a leaf, a bound for all its corners. */
static double far_bound(const fv_maker *m, size_t leaf, int number)
{
  const double *known = *known_of(m, leaf, number);
  double middle[3];
  const double least = known[0] - known[1] - middle_of(m, leaf, middle);
  return least / fv_cell_width(m, leaf) - ROUNDING;
}

static void bound_far(const fv_maker *m, size_t leaf, int number, const float *was, fv_corners *c)
{
  const double least = far_bound(m, leaf, number);
  for (size_t i = 0; i < c->count; i++) {
    c->inside[i] |= (uint64_t)1 << (FV_BOUND + number);
    c->own[i] = least;
    c->is_stirred[i] |= was && fabs((double)was[i]) <= FV_ABOUT;
  }
}

/* What a body has to do with corners whose distances, or bounds and sides, are known. */
static void note_body(const fv_maker *m, int number, fv_corners *c)
{
  const uint64_t one = (uint64_t)1 << number;
  const int is_firm = !m->bodies->body[number].slides;
  for (size_t i = 0; i < c->count; i++) {
    const double own = c->own[i];
    const int is_left = c->inside[i] >> (FV_BOUND + number) & 1 && own > 0;
    c->distance[i] = !is_left && own < c->distance[i] ? own : c->distance[i];
    c->inside[i] |= (own > 0 ? 0 : one) | (fabs(own) <= FV_ABOUT ? one << FV_NEAR : 0) |
                    (is_firm && own < 0 ? one << FV_IN : 0);
  }
}

static float *reach_of(const fv_cut_tables *t, size_t near, const fv_maker *m, int path)
{
  return t->reach + (near * (size_t)m->paths + (size_t)path) * fv_corner_count(m);
}

/* ---- from step to step -------------------------------------------------------------- */

trm_status fv_make_corners(fv_maker *m)
{
  fv_cut_tables *t = m->t, *old = m->known;
  const size_t bytes = m->forest->blocks.count * sizeof *t->near;
  const size_t all = ((size_t)t->near_count + 1) * fv_corner_count(m);
  m->holds_corners = old && memcmp(t->near, old->near, bytes) == 0;
  t->still = m->holds_corners ? old->still : malloc(all * sizeof *t->still);
  t->inside = m->holds_corners ? old->inside : malloc(all * sizeof *t->inside);
  t->reach = m->holds_corners ? old->reach : malloc(all * (size_t)m->paths * sizeof *t->reach + 1);
  if (m->holds_corners) {
    old->still = NULL;
    old->inside = NULL;
    old->reach = NULL;
  }
  return t->still && t->inside && t->reach
           ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for corners of %d blocks at walls",
                               t->near_count);
}

/* What tables before the step knew of a leaf's corners, which they may have handed over already.
 * Returns whether they knew it. */
static int recall_leaf(const fv_maker *m, size_t leaf)
{
  fv_cut_tables *t = m->t;
  const fv_cut_tables *old = m->known;
  const size_t all = fv_corner_count(m), to = (size_t)t->near[leaf] * all;
  if (m->holds_corners) return 1;
  if (!old || old->near[leaf] < 0) return 0;
  const size_t from = (size_t)old->near[leaf] * all, paths = (size_t)m->paths;
  memcpy(t->still + to, old->still + from, all * sizeof *t->still);
  memcpy(t->inside + to, old->inside + from, all * sizeof *t->inside);
  memcpy(t->reach + to * paths, old->reach + from * paths, all * paths * sizeof *t->reach);
  return 1;
}

/* The least distance of bodies that do not move at corners. */
static void sample_still(const fv_maker *m, size_t leaf, fv_corners *c)
{
  static const int low[3] = { 0, 0, 0 };
  for (int b = 0; b < m->bodies->count; b++) {
    if (has_path(m, b)) continue;
    sample(m, leaf, b, FARTHEST, low, m->side, c);
    for (size_t i = 0; i < c->count; i++) c->inside[i] &= ~((uint64_t)1 << (FV_BOUND + b));
    note_body(m, b, c);
  }
}

/* The same with those that do; what is bounded and outside of a body is left to fv_corner_fill. */
static void sample_moving(const fv_maker *m, size_t leaf, int is_known, fv_corners *c)
{
  static const int low[3] = { 0, 0, 0 };
  const size_t number = (size_t)m->t->near[leaf];
  for (int b = 0, path = 0; b < m->bodies->count; b++) {
    if (!has_path(m, b)) continue;
    float *reach = reach_of(m->t, number, m, path++);
    if (m->known && m->t->far[number] >> b & 1) bound_far(m, leaf, b, is_known ? reach : NULL, c);
    else if (is_known) carry(m, leaf, b, reach, c);
    else sample(m, leaf, b, m->known ? JUST_A_SIDE : FARTHEST, low, m->side, c);
    for (size_t i = 0; i < c->count; i++) reach[i] = (float)(c->own[i] * SHRINK);
    for (size_t i = 0; i < c->count && !m->known; i++)
      c->inside[i] &= ~((uint64_t)1 << (FV_BOUND + b));
    note_body(m, b, c);
  }
}

fv_filled fv_corner_key(const fv_maker *m, size_t leaf, size_t corner)
{
  double within[3];
  fv_filled key = { .level = m->forest->level[leaf] };
  place_of(m, corner, within);
  for (int a = 0; a < 3; a++) {
    const int32_t end = m->forest->shape.roots[a] * m->side[a] << key.level;
    key.at[a] = m->forest->place[leaf][a] * m->side[a] + (int32_t)within[a];
    if (m->forest->shape.is_periodic[a] && key.at[a] == end) key.at[a] = 0;
  }
  return key;
}

static void fill_corners(const fv_maker *m, size_t leaf, fv_corners *c)
{
  for (size_t i = 0; i < c->count && m->filled_count > 0; i++) {
    if (!(c->distance[i] > 0 && c->distance[i] < 1)) continue;
    const fv_filled key = fv_corner_key(m, leaf, i);
    for (size_t k = 0; k < m->filled_count; k++)
      if (memcmp(&m->filled[k], &key, sizeof key) == 0) c->distance[i] = -FV_NEAREST;
  }
}

static trm_status refuse_overlap(const fv_maker *m, size_t leaf, size_t corner)
{
  double within[3], at[3];
  char when[FV_WHEN];
  place_of(m, corner, within);
  for (int a = 0; a < 3; a++)
    at[a] = m->origin[a] + (m->forest->place[leaf][a] * m->side[a] + within[a]) *
                             fv_cell_width(m, leaf);
  return TRM_FAIL(INPUT, "%s: bodies overlap at x = %g, y = %g, z = %g%s; move them apart, or "
                  "make one of them", m->bodies->said, at[0], at[1], at[2],
                  fv_when(m->bodies, when));
}

trm_status fv_sample_corners(const fv_maker *m, size_t leaf, fv_corners *c)
{
  const size_t all = c->count, first = (size_t)m->t->near[leaf] * all;
  const int is_known = recall_leaf(m, leaf);
  memset(c->is_stirred, !is_known, all);
  if (is_known) {
    memcpy(c->distance, m->t->still + first, all * sizeof *c->distance);
    memcpy(c->inside, m->t->inside + first, all * sizeof *c->inside);
  } else {
    for (size_t i = 0; i < all; i++) c->distance[i] = INFINITY;
    memset(c->inside, 0, all * sizeof *c->inside);
    sample_still(m, leaf, c);
    memcpy(m->t->still + first, c->distance, all * sizeof *c->distance);
    memcpy(m->t->inside + first, c->inside, all * sizeof *c->inside);
  }
  sample_moving(m, leaf, is_known, c);
  fill_corners(m, leaf, c);
  for (size_t i = 0; i < all; i++) {
    if (fabs(c->distance[i]) < FV_NEAREST) c->distance[i] = -FV_NEAREST;
    c->is_gas[i] = c->distance[i] > 0;
    const uint64_t in = c->inside[i] >> FV_IN & ((1 << FV_BODIES) - 1);
    if (in & (in - 1)) return refuse_overlap(m, leaf, i);
  }
  return TRM_OK;
}

/* A bound that is no less than what is nearest already changes nothing. */
void fv_fill_corner(const fv_maker *m, size_t leaf, size_t corner, fv_corners *c)
{
  uint64_t *inside = &c->inside[corner];
  double within[3];
  place_of(m, corner, within);
  for (int b = 0, path = 0; b < m->bodies->count && *inside >> FV_BOUND; b++) {
    if (!has_path(m, b)) continue;
    const float *reach = reach_of(m->t, (size_t)m->t->near[leaf], m, path++);
    if (!(*inside >> (FV_BOUND + b) & 1)) continue;
    *inside &= ~((uint64_t)1 << (FV_BOUND + b));
    const double bound = (double)reach[corner];
    if (!(*inside >> (FV_NEAR + b) & 1) || (bound > 0 && bound >= c->distance[corner])) continue;
    c->distance[corner] = fmin(c->distance[corner], away(m, leaf, b, within, bound));
  }
}

void fv_keep_corners(const fv_maker *m, size_t leaf)
{
  const size_t all = fv_corner_count(m), number = (size_t)m->t->near[leaf];
  recall_leaf(m, leaf);
  for (int b = 0, path = 0; b < m->bodies->count; b++) {
    if (!has_path(m, b)) continue;
    const float least = (float)(far_bound(m, leaf, b) * SHRINK);
    float *reach = reach_of(m->t, number, m, path++);
    for (size_t i = 0; i < all && m->t->far[number] >> b & 1; i++) reach[i] = least;
  }
}

/* Of a place in a cell, in its places: how far its corner k is. */
static double to_corner(const double at[3], int k)
{
  const double x = at[0] - (k & 1), y = at[1] - (k >> 1 & 1), z = at[2] - (k >> 2);
  return sqrt(x * x + y * y + z * z);
}

double fv_cell_distance(const fv_corners *c, const double at[3])
{
  double least = INFINITY;
  for (int k = 0; k < 8; k++) least = fmin(least, c->distance[c->at[k]] + to_corner(at, k));
  return least;
}

double fv_cell_bound(const fv_maker *m, size_t leaf, int body, const fv_corners *c,
                     const double at[3])
{
  const size_t near = (size_t)m->t->near[leaf];
  const double *still = m->t->still + near * c->count;
  const float *reach = NULL;
  double most = -INFINITY;
  for (int b = 0, path = 0; b <= body; b++)
    reach = has_path(m, b) ? reach_of(m->t, near, m, path++) : NULL;
  for (int k = 0; k < 8; k++) {
    const double own = reach ? (double)reach[c->at[k]] : still[c->at[k]];
    if (own > 0) most = fmax(most, own - to_corner(at, k) - ROUNDING);
  }
  return most;
}
