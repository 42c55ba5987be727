/* cut_find.c - which cells walls cut, from distances at corners; bodies that no cells can be made
 * of are refused. */
#include "solvers/fv/cut_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many cells about a wall there are lists; leaves farther away have none. */
static const double BAND = 5.0;

/* What of bodies is known at a corner, a bit for each: whether it is in the body or on its wall;
 * from IN on whether it is in one that does not slide; from NEAR on whether its wall may be so few
 * cells away; from BOUND on whether its distance is not known yet, but for a bound and the side.
 * Bodies that no corner of a cell is near to are more than two and a half away from its middle, and
 * their walls farther from the cell's than one that cuts it. */
enum { IN = FV_BODIES, NEAR = 2 * FV_BODIES, BOUND = 3 * FV_BODIES };
static const double ABOUT = 3.4;

static trm_status check_thickness(const fv_maker *m, int number, double width)
{
  const fv_body *body = &m->bodies->body[number];
  if (body->least >= 2 * width) return TRM_OK;
  int level = 0;
  while (2 * m->h / (1 << level) > body->least && level < 30) level++;
  return TRM_FAIL(INPUT, "%s: body %d is %g thick, and cells at it are %g wide: less than two "
                  "across; grid.levels = %d would resolve it, or a grid %g times finer",
                  m->bodies->said, number + 1, body->least, width, level,
                  ceil(2 * width / body->least));
}

static const char *const two_meet =
  "two bodies meet; bodies neither overlap nor touch, unless one 'slides': move them apart, or "
  "make one of them";

/* Other bodies in a cell that one cuts; seen: what its corners are in or near. None may be, but
 * for one that slides along the other: the cell's wall is its own then, and what it sweeps is right
 * where the other lies along its way. */
static trm_status find_others(const fv_maker *m, int32_t cell, uint64_t seen, fv_cut_record *r)
{
  const fv_body *body = m->bodies->body;
  static const double half[3] = { 0.5, 0.5, 0.5 };
  const double width = fv_cell_width(m, (size_t)cell / m->block);
  const int nearest = r->body;
  double middle[3];
  fv_cell_place(m, cell, half, middle);
  for (int i = 0; i < m->bodies->count; i++) {
    if (i == nearest || !(seen >> (NEAR + i) & 1)) continue;
    if (!r->is_gap && (body[i].slides || body[nearest].slides))
      r->is_gap = fabs(fv_body_distance(&body[i], middle, &m->look[i])) <= 2.5 * width;
    if (!(seen >> i & 1)) continue;
    if (!body[i].slides && !body[nearest].slides)
      return fv_cell_refuse(m, cell, two_meet);
    if (body[i].slides && !body[r->body].slides) r->body = i;
  }
  return TRM_OK;
}

/* Bodies that stand so near to each other that the gas between them reaches no corner. */
static trm_status check_solid(const fv_maker *m, int32_t cell, const double distance[8])
{
  const fv_body *body = m->bodies->body;
  int first = -1;
  for (int c = 0; c < 8 && m->bodies->count > 1 && !m->before; c++) {
    double at[3];
    int which = -1;
    if (distance[c] < -2) return TRM_OK;
    fv_cell_place(m, cell, (const double[3]){ c & 1, c >> 1 & 1, c >> 2 }, at);
    fv_bodies_distance(m->bodies, at, &which, m->look);
    if (first < 0) first = which;
    if (which != first && !body[which].slides && !body[first].slides)
      return fv_cell_refuse(m, cell, two_meet);
  }
  return TRM_OK;
}

/* Whose wall is in the middle of the cell's. */
static void find_nearest(const fv_maker *m, int32_t cell, uint64_t seen, fv_cut_record *r)
{
  const uint64_t near = seen >> NEAR;
  const int is_one = !(near & (near - 1));
  double at[3], least = INFINITY;
  fv_cell_place(m, cell, r->cut.at, at);
  for (int i = 0; i < m->bodies->count; i++) {
    if (!(near >> i & 1)) continue;
    const double away = is_one ? 0 : fv_body_distance(&m->bodies->body[i], at, &m->look[i]);
    if (away < least) r->body = i;
    least = fmin(away, least);
  }
}

/* A cell's kind; one that is cut gets a record. distance: of all bodies at its corners; seen:
 * which of them these are in or near. */
static trm_status cut_one(fv_maker *m, int32_t cell, const double distance[8], uint64_t seen,
                          int32_t *kind)
{
  fv_cut cut;
  int gas = 0;
  for (int c = 0; c < 8; c++) gas += distance[c] > 0;
  *kind = gas == 0 ? FV_SOLID : FV_WHOLE;
  if (gas == 0) return check_solid(m, cell, distance);
  if (gas == 8) return TRM_OK;
  const fv_cut_kind is = fv_cut_cell(distance, &cut);
  if (is == FV_CUT_TORN)
    return fv_cell_refuse(m, cell, "a wall leaves the gas in two parts; make the grid finer "
                                   "there (grid.levels), or move the bodies");
  fv_cut_record r = { .cell = cell, .master = cell, .next = -1, .wall = -1, .cut = cut };
  find_nearest(m, cell, seen, &r);
  TRM_TRY(check_thickness(m, r.body, fv_cell_width(m, (size_t)cell / m->block)));
  TRM_TRY(find_others(m, cell, seen, &r));
  *kind = (int32_t)m->t->records;
  TRM_TRY(fv_list_grow(&m->t->record, &m->record_room, m->t->records, sizeof r));
  m->t->record[m->t->records++] = r;
  return TRM_OK;
}

/* No corner lies nearer to a wall than this part of a cell: it is in the body then. */
static const double NEAREST = 1e-6;

static size_t corners_of(const fv_maker *m)
{
  return (size_t)((m->side[0] + 1) * (m->side[1] + 1) * (m->side[2] + 1));
}

/* How far a body's wall is from a place in a leaf, in cells. */
static double away(const fv_maker *m, size_t leaf, int number, const double within[3])
{
  const double width = fv_cell_width(m, leaf);
  double at[3];
  for (int a = 0; a < 3; a++)
    at[a] = m->origin[a] + (m->forest->place[leaf][a] * m->side[a] + within[a]) * width;
  return fv_body_distance(&m->bodies->body[number], at, &m->look[number]) / width;
}

static const double ROUNDING = 1e-9; /* a bound stays one */

/* How far corners of a block's cells lie from a body's wall, in cells. Those of a part of the block
 * that lies more than `far` cells away as a whole have but the side and a bound. */
static void sample(const fv_maker *m, size_t leaf, int number, double far, const int low[3],
                   const int high[3], double *distance, uint64_t *inside)
{
  const int n[2] = { m->side[0] + 1, m->side[1] + 1 };
  double middle[3], square = 0;
  int axis = 0;
  for (int a = 0; a < 3; a++) {
    middle[a] = 0.5 * (low[a] + high[a]);
    square += 0.25 * (high[a] - low[a]) * (high[a] - low[a]);
    if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
  }
  const double here = away(m, leaf, number, middle);
  if (square == 0) {
    distance[(low[2] * n[1] + low[1]) * n[0] + low[0]] = here;
  } else if (fabs(here) - sqrt(square) > far) {
    for (int z = low[2]; z <= high[2]; z++)
      for (int y = low[1]; y <= high[1]; y++)
        for (int x = low[0]; x <= high[0]; x++) {
          const double off[3] = { x - middle[0], y - middle[1], z - middle[2] };
          const double least = fabs(here) - ROUNDING - sqrt(off[0] * off[0] + off[1] * off[1] +
                                                            off[2] * off[2]);
          const int at = (z * n[1] + y) * n[0] + x;
          distance[at] = here > 0 ? least : -least;
          inside[at] |= (uint64_t)1 << (BOUND + number);
        }
  } else {
    const int half = (low[axis] + high[axis]) / 2;
    int to[3] = { high[0], high[1], high[2] }, from[3] = { low[0], low[1], low[2] };
    to[axis] = half;
    from[axis] = half + 1;
    sample(m, leaf, number, far, low, to, distance, inside);
    sample(m, leaf, number, far, from, high, distance, inside);
  }
}

/* The least distance of bodies that move, or of those that do not, at corners; and bits of bodies
 * that each is in or near. In a cell that is cut no corner's wall is two cells away. Of bodies that
 * move most corners' sides are enough; what is bounded and outside of a body is left to fill_in. */
static const double FARTHEST = 2, JUST_A_SIDE = 0.01;

static void sample_some(const fv_maker *m, size_t leaf, int moving, double *distance,
                        uint64_t *inside)
{
  static const int low[3] = { 0, 0, 0 };
  const size_t all = corners_of(m);
  double *own = distance + all;
  for (int b = 0; b < m->bodies->count; b++) {
    const fv_body *body = &m->bodies->body[b];
    if ((body->path[0] != NULL) != moving) continue;
    const int is_rough = moving && m->before;
    sample(m, leaf, b, is_rough ? JUST_A_SIDE : FARTHEST, low, m->side, own, inside);
    for (size_t i = 0; i < all; i++) {
      if (!is_rough) inside[i] &= ~((uint64_t)1 << (BOUND + b));
      const int is_left = inside[i] >> (BOUND + b) & 1 && own[i] > 0;
      distance[i] = !is_left && own[i] < distance[i] ? own[i] : distance[i];
      inside[i] |= (uint64_t)!(own[i] > 0) << b | (uint64_t)(fabs(own[i]) <= ABOUT) << (NEAR + b) |
                   (uint64_t)(!body->slides && own[i] < 0) << (IN + b);
    }
  }
}

/* Of all bodies; no place may be in two of them. What those that do not move have is kept from step
 * to step. */
static trm_status sample_all(const fv_maker *m, size_t leaf, double *distance, uint64_t *inside)
{
  const size_t all = corners_of(m), number = (size_t)m->t->near[leaf];
  const fv_cut_tables *old = m->before;
  for (size_t i = 0; i < all; i++) distance[i] = INFINITY;
  if (old && old->near[leaf] >= 0) {
    memcpy(distance, old->still + (size_t)old->near[leaf] * all, all * sizeof *distance);
    memcpy(inside, old->inside + (size_t)old->near[leaf] * all, all * sizeof *inside);
  } else {
    memset(inside, 0, all * sizeof *inside);
    sample_some(m, leaf, 0, distance, inside);
  }
  memcpy(m->t->still + number * all, distance, all * sizeof *distance);
  memcpy(m->t->inside + number * all, inside, all * sizeof *inside);
  sample_some(m, leaf, 1, distance, inside);
  for (size_t i = 0; i < all; i++) {
    if (fabs(distance[i]) < NEAREST) distance[i] = -NEAREST;
    const uint64_t in = inside[i] >> IN & ((1 << FV_BODIES) - 1);
    if (!(in & (in - 1))) continue;
    const size_t x = (size_t)m->side[0] + 1, y = (size_t)m->side[1] + 1;
    const size_t c[3] = { i % x, i / x % y, i / (x * y) };
    double at[3];
    for (int a = 0; a < 3; a++)
      at[a] = m->origin[a] + (m->forest->place[leaf][a] * m->side[a] + (double)c[a]) *
                               fv_cell_width(m, leaf);
    return TRM_FAIL(INPUT, "%s: bodies overlap at x = %g, y = %g, z = %g; move them apart, or "
                    "make one of them", m->bodies->said, at[0], at[1], at[2]);
  }
  return TRM_OK;
}

/* The distances at a corner of bodies near by that are but bounded. */
static void fill_in(const fv_maker *m, size_t leaf, const int corner[3], double *distance,
                    uint64_t *inside)
{
  const double at[3] = { corner[0], corner[1], corner[2] };
  for (int b = 0; b < m->bodies->count && *inside >> BOUND; b++) {
    if (!(*inside >> (BOUND + b) & 1)) continue;
    *inside &= ~((uint64_t)1 << (BOUND + b));
    if (*inside >> (NEAR + b) & 1) *distance = fmin(*distance, away(m, leaf, b, at));
  }
}

/* Which bodies that have a path are far outside of a leaf: no corner of it knows of their walls. */
static uint16_t find_far(const fv_maker *m, size_t leaf)
{
  _Static_assert(FV_BODIES <= 16, "each body has a bit");
  const double middle[3] = { 0.5 * m->side[0], 0.5 * m->side[1], 0.5 * m->side[2] };
  double square = 0;
  uint16_t far = 0;
  for (int a = 0; a < 3; a++) square += middle[a] * middle[a];
  for (int b = 0; b < m->bodies->count; b++)
    if (m->bodies->body[b].path[0] && away(m, leaf, b, middle) > sqrt(square) + 1.01 * ABOUT)
      far |= (uint16_t)(1 << b);
  return far;
}

/* Whether a leaf's cells are as they were before the step: what moved in it is and was far. */
static int is_kept(const fv_maker *m, size_t leaf)
{
  const fv_cut_tables *old = m->before;
  if (!old || old->near[leaf] < 0) return 0;
  const uint16_t far = m->t->far[m->t->near[leaf]] & old->far[old->near[leaf]];
  for (int b = 0; b < m->bodies->count; b++) {
    const fv_body *body = &m->bodies->body[b];
    const int moved = body->step[0] != 0 || body->step[1] != 0 || body->step[2] != 0 ||
                      body->turned != 0;
    if (moved && !(far >> b & 1)) return 0;
  }
  return 1;
}

static trm_status keep_leaf(fv_maker *m, size_t leaf)
{
  fv_cut_tables *t = m->t;
  const fv_cut_tables *old = m->before;
  const size_t all = corners_of(m), number = (size_t)t->near[leaf], from = (size_t)old->near[leaf];
  memcpy(t->still + number * all, old->still + from * all, all * sizeof *t->still);
  memcpy(t->inside + number * all, old->inside + from * all, all * sizeof *t->inside);
  for (size_t i = 0; i < m->block; i++) {
    const int32_t kind = old->kind[from * m->block + i];
    const int is_cut = kind >= 0 && (size_t)kind < old->cuts;
    t->kind[number * m->block + i] = is_cut ? (int32_t)t->records : kind >= 0 ? FV_WHOLE : kind;
    if (!is_cut) continue;
    const fv_cut_record *r = &old->record[kind];
    TRM_TRY(fv_list_grow(&t->record, &m->record_room, t->records, sizeof *r));
    t->record[t->records++] = (fv_cut_record){ .cell = r->cell, .master = r->cell, .next = -1,
                                               .wall = -1, .body = r->body, .is_gap = r->is_gap,
                                               .cut = r->cut };
  }
  return TRM_OK;
}

static trm_status cut_leaf(fv_maker *m, size_t leaf)
{
  const int n[3] = { m->side[0] + 1, m->side[1] + 1, m->side[2] + 1 };
  double *distance = malloc(2 * corners_of(m) * sizeof *distance);
  uint64_t *inside = malloc(corners_of(m) * sizeof *inside);
  trm_status status = distance && inside ? sample_all(m, leaf, distance, inside)
                                         : TRM_FAIL(NO_HOST_MEMORY,
                                                    "no memory for the corners of a block");
  int32_t *kinds = m->t->kind + (size_t)m->t->near[leaf] * m->block;
  for (size_t i = 0; i < m->block && status == TRM_OK; i++) {
    const int x = (int)i & (m->side[0] - 1), y = (int)i >> m->shift[1] & (m->side[1] - 1);
    const int z = (int)i >> m->shift[2];
    const int first = (z * n[1] + y) * n[0] + x, up = n[0] * n[1];
    const int at[8] = { first, first + 1, first + n[0], first + n[0] + 1, first + up,
                        first + up + 1, first + up + n[0], first + up + n[0] + 1 };
    double corner[8];
    uint64_t in = 0;
    int gas = 0;
    for (int c = 0; c < 8; c++) gas += distance[at[c]] > 0;
    if (gas == 8 || (gas == 0 && m->before)) { /* nothing to look for */
      kinds[i] = gas ? FV_WHOLE : FV_SOLID;
      continue;
    }
    for (int c = 0; c < 8; c++) in |= inside[at[c]];
    for (int c = 0; c < 8; c++) {
      const int place[3] = { x + (c & 1), y + (c >> 1 & 1), z + (c >> 2) };
      if (gas && in >> BOUND) fill_in(m, leaf, place, &distance[at[c]], &inside[at[c]]);
      corner[c] = distance[at[c]];
    }
    status = cut_one(m, (int32_t)(leaf * m->block + i), corner, in, &kinds[i]);
  }
  free(inside);
  free(distance);
  return status;
}

/* Leaves beyond a periodic side, of which distances know nothing, beside those at walls. */
static void look_around(fv_maker *m)
{
  const trm_forest *forest = m->forest;
  const int32_t own = m->t->near_count;
  for (size_t i = 0; i < forest->blocks.count; i++)
    for (int k = 0; k < 27 && m->t->near[i] >= 0 && m->t->near[i] < own; k++) {
      const int32_t slot = forest->near[i][k];
      int is_beyond = 0;
      if ((size_t)slot >= forest->blocks.count || m->t->near[slot] != FV_WHOLE) continue;
      for (int a = 0; a < 3; a++)
        is_beyond |= abs(forest->place[slot][a] - forest->place[i][a]) > 1;
      if (is_beyond) m->t->near[slot] = m->t->near_count++;
    }
}

trm_status fv_find_cut_cells(fv_maker *m)
{
  const size_t leaves = m->forest->blocks.count;
  double least = INFINITY, high[3];
  for (int a = 0; a < 3; a++)
    high[a] = m->origin[a] + m->h * m->forest->shape.roots[a] * m->side[a];
  TRM_TRY(fv_check_places(m->bodies, m->origin, high));
  m->t->near = malloc(leaves * sizeof *m->t->near);
  if (!m->t->near) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks", leaves);
  for (size_t i = 0; i < leaves; i++) {
    double middle[3], square = 0;
    const double width = fv_cell_width(m, i);
    for (int a = 0; a < 3; a++) {
      const double half = 0.5 * m->side[a] * width;
      middle[a] = m->origin[a] + (2 * m->forest->place[i][a] + 1) * half;
      square += half * half;
    }
    const double distance = fv_bodies_distance(m->bodies, middle, NULL, m->look);
    const int is_near = fabs(distance) <= sqrt(square) + BAND * width;
    m->t->near[i] = is_near ? m->t->near_count++ : distance > 0 ? FV_WHOLE : FV_SOLID;
    least = fmin(least, width);
  }
  look_around(m);
  m->t->kind = malloc(((size_t)m->t->near_count * m->block + 1) * sizeof *m->t->kind);
  m->t->still = malloc(((size_t)m->t->near_count + 1) * corners_of(m) * sizeof *m->t->still);
  m->t->inside = malloc(((size_t)m->t->near_count + 1) * corners_of(m) * sizeof *m->t->inside);
  m->t->far = malloc(((size_t)m->t->near_count + 1) * sizeof *m->t->far);
  if (!m->t->kind || !m->t->still || !m->t->inside || !m->t->far)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %d blocks at walls", m->t->near_count);
  for (size_t i = 0; i < leaves; i++)
    if (m->t->near[i] >= 0) {
      m->t->far[m->t->near[i]] = find_far(m, i);
      TRM_TRY(is_kept(m, i) ? keep_leaf(m, i) : cut_leaf(m, i));
    }
  m->t->cuts = m->t->records;
  for (int b = 0; b < m->bodies->count; b++) {
    size_t found = 0;
    while (found < m->t->records && m->t->record[found].body != b) found++;
    if (found < m->t->records) continue;
    TRM_TRY(check_thickness(m, b, least));
    return TRM_FAIL(INPUT, "%s: the wall of body %d passes through no cell; make the grid finer, "
                    "or leave the body out", m->bodies->said, b + 1);
  }
  return TRM_OK;
}
