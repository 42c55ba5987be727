/* cut.c - see cut.h. In the order of leaves and cells throughout, so that the same case has the
 * same lists everywhere. */
#include "solvers/fv/cut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/fv/fv_clock.h"

/* Below so much of a cell a piece is merged with a larger neighbour. */
static const double SMALL = 0.5;
/* So many cells about a wall there are lists; leaves farther away have none. */
static const double BAND = 5.0;
enum { WHOLE = -1, SOLID = -2 };

typedef struct maker {
  const fv_bodies *bodies;
  const trm_forest *forest;
  double h, origin[3], dt;
  const double *before;
  int32_t side[3];
  size_t block;                /* cells of one */
  int32_t near_count;
  fv_cut_tables *t;
  size_t record_room;
  int32_t *slope, *unit, *faces; /* of near leaves' cells: numbers in the lists, -1; of the faces
                                  * behind a cell along x, y and z */
  int32_t *sloped;             /* cells by number */
  size_t sloped_room;
} maker;

/* ---- cells ------------------------------------------------------------------- */

static int is_ghost(const maker *m, int32_t cell)
{
  return (size_t)cell / m->block >= m->forest->blocks.count;
}

/* Where a cell's numbers lie among those of leaves near walls. */
static size_t index_of(const maker *m, int32_t cell)
{
  return (size_t)m->t->near[(size_t)cell / m->block] * m->block + (size_t)cell % m->block;
}

int32_t fv_cut_kind_of(const fv_cut_tables *t, size_t cells, size_t leaf, size_t cell)
{
  const int32_t near = t->near[leaf];
  return near < 0 ? near : t->kind[(size_t)near * cells + cell];
}

static int32_t kind_of(const maker *m, int32_t cell)
{
  return is_ghost(m, cell) ? WHOLE : fv_cut_kind_of(m->t, m->block, (size_t)cell / m->block,
                                                     (size_t)cell % m->block);
}

static int32_t master_of(const maker *m, int32_t cell)
{
  const int32_t kind = kind_of(m, cell);
  return kind >= 0 ? m->t->record[kind].master : cell;
}

static int32_t neighbour(const maker *m, int32_t cell, const int by[3])
{
  int at[3], beside = 0;
  size_t rest = (size_t)cell % m->block, to = 0;
  for (int a = 0, weight = 1; a < 3; a++, weight *= 3) {
    at[a] = (int)(rest % (size_t)m->side[a]) + by[a];
    rest /= (size_t)m->side[a];
    const int beyond = at[a] < 0 ? -1 : at[a] >= m->side[a];
    at[a] -= beyond * m->side[a];
    beside += (beyond + 1) * weight;
  }
  for (int a = 2; a >= 0; a--) to = to * (size_t)m->side[a] + (size_t)at[a];
  return m->forest->near[(size_t)cell / m->block][beside] * (int32_t)m->block + (int32_t)to;
}

static int32_t beyond_face(const maker *m, int32_t cell, int f)
{
  int by[3] = { 0, 0, 0 };
  by[f / 2] = f % 2 ? 1 : -1;
  return neighbour(m, cell, by);
}

static int faces_of(const maker *m) { return m->side[2] == 1 ? 4 : 6; }

static double width_of(const maker *m, size_t leaf)
{
  return m->h / (1 << m->forest->level[leaf]);
}

static void place_of(const maker *m, int32_t cell, const double within[3], double at[3])
{
  const size_t leaf = (size_t)cell / m->block;
  size_t rest = (size_t)cell % m->block;
  for (int a = 0; a < 3; a++) {
    const int32_t whole = m->forest->place[leaf][a] * m->side[a] +
                          (int32_t)(rest % (size_t)m->side[a]);
    at[a] = m->origin[a] + (whole + within[a]) * width_of(m, leaf);
    rest /= (size_t)m->side[a];
  }
}

static trm_status refuse(const maker *m, int32_t cell, const char *why)
{
  static const double middle[3] = { 0.5, 0.5, 0.5 };
  double at[3];
  place_of(m, cell, middle, at);
  return TRM_FAIL(INPUT, "%s: in the cell at x = %g, y = %g, z = %g, %g wide, %s",
                  m->bodies->said, at[0], at[1], at[2],
                  width_of(m, (size_t)cell / m->block), why);
}

/* Room for one more entry of `width` values. */
static trm_status grow(void *array, size_t *room, size_t count, size_t bytes)
{
  void **at = array;
  if (count < *room) return TRM_OK;
  const size_t more = *room ? 2 * *room : 1024;
  void *moved = realloc(*at, more * bytes);
  if (!moved) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu entries about walls", more);
  *at = moved;
  *room = more;
  return TRM_OK;
}

/* ---- which cells are cut ------------------------------------------------------- */

static trm_status check_place(const maker *m, int number)
{
  const fv_body *body = &m->bodies->body[number];
  const trm_forest *forest = m->forest;
  for (int a = 0; a < m->bodies->dimensions; a++) {
    const double low = m->origin[a], high = low + m->h * forest->shape.roots[a] * m->side[a];
    const double moved = body->moved[a];
    double least = body->at[a], most = body->at[a];
    const int is_surface = body->shape == FV_SURFACE;
    const int is_long = a == 2 && body->size[2] == 0 && body->shape != FV_SPHERE && !is_surface;
    if (body->shape == FV_TUBE || is_long) continue;
    for (int i = 0; i < body->corners; i++) {
      least = fmin(least, body->outline[i][a]);
      most = fmax(most, body->outline[i][a]);
    }
    if (is_surface) {
      least = body->surface.low[a];
      most = body->surface.high[a];
    }
    const double reach = body->shape == FV_PROFILE || is_surface ? 0
                       : body->shape == FV_BOX ? body->size[a] : body->size[0];
    least += moved;
    most += moved;
    if (least - reach < low || most + reach > high)
      return TRM_FAIL(INPUT, "%s: body %d reaches from %g to %g along %c and the grid from %g to "
                      "%g; a body lies inside: move it, or make the grid larger",
                      m->bodies->said, number + 1, least - reach, most + reach,
                      "xyz"[a], low, high);
  }
  return TRM_OK;
}

static trm_status check_thickness(const maker *m, int number, double width)
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

/* A cell's kind; one that is cut gets a record. distance: of all bodies at its corners. */
static trm_status cut_one(maker *m, int32_t cell, const double distance[8], int32_t *kind)
{
  fv_cut cut;
  const fv_cut_kind is = fv_cut_cell(distance, &cut);
  *kind = is == FV_CUT_SOLID ? SOLID : WHOLE;
  if (is == FV_CUT_TORN)
    return refuse(m, cell, "a wall leaves the gas or the body in two parts; make the grid finer "
                           "there (grid.levels), or move the bodies");
  const double before = m->before ? m->before[cell] : 1;
  if (is == FV_CUT_SOLID || (is == FV_CUT_WHOLE && before >= SMALL)) return TRM_OK;
  fv_cut_record r = { .cell = cell, .master = cell, .next = -1, .wall = -1, .cut = cut,
                      .lesser = m->before ? fmin(before, cut.volume) : cut.volume };
  double at[3];
  place_of(m, cell, cut.at, at);
  fv_bodies_distance(m->bodies, at, &r.body);
  TRM_TRY(check_thickness(m, r.body, width_of(m, (size_t)cell / m->block)));
  for (int i = 0; i < m->bodies->count; i++) {
    int gas = 0;
    for (int c = 0; c < 8 && i != r.body; c++) {
      const double corner[3] = { c & 1, c >> 1 & 1, c >> 2 };
      double there[3];
      place_of(m, cell, corner, there);
      gas += fv_body_distance(&m->bodies->body[i], there) > 0;
    }
    if (i != r.body && gas < 8)
      return refuse(m, cell, "two bodies meet; bodies neither overlap nor touch: move them apart, "
                             "or make one of them");
  }
  *kind = (int32_t)m->t->records;
  TRM_TRY(grow(&m->t->record, &m->record_room, m->t->records, sizeof r));
  m->t->record[m->t->records++] = r;
  return TRM_OK;
}

/* No corner lies nearer to a wall than this part of a cell: it is in the body then. */
static const double NEAREST = 1e-6;

static trm_status cut_leaf(maker *m, size_t leaf)
{
  const double width = width_of(m, leaf);
  const int n[3] = { m->side[0] + 1, m->side[1] + 1, m->side[2] + 1 };
  double *distance = malloc((size_t)(n[0] * n[1] * n[2]) * sizeof *distance);
  trm_status status = TRM_OK;
  if (!distance) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the corners of a block");
  for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
    const int c[3] = { i % n[0], i / n[0] % n[1], i / (n[0] * n[1]) };
    double at[3];
    int inside = 0;
    for (int a = 0; a < 3; a++)
      at[a] = m->origin[a] + (m->forest->place[leaf][a] * m->side[a] + c[a]) * width;
    distance[i] = fv_bodies_distance(m->bodies, at, NULL) / width;
    if (fabs(distance[i]) < NEAREST) distance[i] = -NEAREST;
    for (int b = 0; b < m->bodies->count && distance[i] < 0; b++)
      inside += fv_body_distance(&m->bodies->body[b], at) < 0;
    if (inside > 1 && status == TRM_OK)
      status = TRM_FAIL(INPUT, "%s: bodies overlap at x = %g, y = %g, z = %g; move them apart, or "
                        "make one of them", m->bodies->said, at[0], at[1], at[2]);
  }
  int32_t *kinds = m->t->kind + (size_t)m->t->near[leaf] * m->block;
  for (size_t i = 0; i < m->block && status == TRM_OK; i++) {
    const int x = (int)i % m->side[0], y = (int)i / m->side[0] % m->side[1];
    const int z = (int)i / (m->side[0] * m->side[1]);
    double corner[8];
    for (int c = 0; c < 8; c++)
      corner[c] = distance[((z + (c >> 2)) * n[1] + y + (c >> 1 & 1)) * n[0] + x + (c & 1)];
    status = cut_one(m, (int32_t)(leaf * m->block + i), corner, &kinds[i]);
  }
  free(distance);
  return status;
}

/* Leaves beyond a periodic side, of which distances know nothing, beside those at walls. */
static void look_around(maker *m)
{
  const trm_forest *forest = m->forest;
  const int32_t own = m->near_count;
  for (size_t i = 0; i < forest->blocks.count; i++)
    for (int k = 0; k < 27 && m->t->near[i] >= 0 && m->t->near[i] < own; k++) {
      const int32_t slot = forest->near[i][k];
      int is_beyond = 0;
      if ((size_t)slot >= forest->blocks.count || m->t->near[slot] != WHOLE) continue;
      for (int a = 0; a < 3; a++)
        is_beyond |= abs(forest->place[slot][a] - forest->place[i][a]) > 1;
      if (is_beyond) m->t->near[slot] = m->near_count++;
    }
}

static trm_status cut_all(maker *m)
{
  const size_t leaves = m->forest->blocks.count;
  double least = INFINITY;
  for (int i = 0; i < m->bodies->count; i++) TRM_TRY(check_place(m, i));
  m->t->near = malloc(leaves * sizeof *m->t->near);
  if (!m->t->near) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks", leaves);
  for (size_t i = 0; i < leaves; i++) {
    double middle[3], square = 0;
    const double width = width_of(m, i);
    for (int a = 0; a < 3; a++) {
      const double half = 0.5 * m->side[a] * width;
      middle[a] = m->origin[a] + (2 * m->forest->place[i][a] + 1) * half;
      square += half * half;
    }
    const double distance = fv_bodies_distance(m->bodies, middle, NULL);
    const int is_near = fabs(distance) <= sqrt(square) + BAND * width;
    m->t->near[i] = is_near ? m->near_count++ : distance > 0 ? WHOLE : SOLID;
    least = fmin(least, width);
  }
  look_around(m);
  m->t->kind = malloc(((size_t)m->near_count * m->block + 1) * sizeof *m->t->kind);
  if (!m->t->kind) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %d blocks at walls",
                                   m->near_count);
  for (size_t i = 0; i < leaves; i++)
    if (m->t->near[i] >= 0) TRM_TRY(cut_leaf(m, i));
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

/* ---- groups -------------------------------------------------------------------- */

/* The face beyond which a small piece's master lies: a large enough neighbour, rather along the
 * wall's normal and through a wide opening; or, chained, a piece that has a master; -1. */
static int choose_face(const maker *m, const fv_cut_record *r, int is_chained)
{
  double most = 0, area = 0;
  int best = -1;
  for (int a = 0; a < 3; a++) area += r->cut.wall[a] * r->cut.wall[a];
  for (int f = 0; f < faces_of(m); f++) {
    const int32_t cell = beyond_face(m, r->cell, f), kind = kind_of(m, cell);
    if (r->cut.open[f] <= 0 || kind == SOLID || is_ghost(m, cell)) continue;
    const fv_cut_record *to = kind >= 0 ? &m->t->record[kind] : NULL;
    if (is_chained ? !to || to->master == cell : to && to->lesser < SMALL) continue;
    const double along = -r->cut.wall[f / 2] * (f % 2 ? 1 : -1) / sqrt(area);
    const double value = (to ? 0.5 : 1) * r->cut.open[f] * fmax(along, 0.01);
    if (value > most) {
      most = value;
      best = f;
    }
  }
  return best;
}

/* Whole cells that become masters have records too. */
static trm_status record_of(maker *m, int32_t cell, int32_t *out)
{
  static const double whole[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
  *out = kind_of(m, cell);
  if (*out >= 0) return TRM_OK;
  fv_cut_record r = { .cell = cell, .master = cell, .next = -1, .wall = -1 };
  fv_cut_cell(whole, &r.cut);
  r.lesser = 1;
  TRM_TRY(grow(&m->t->record, &m->record_room, m->t->records, sizeof r));
  *out = (int32_t)m->t->records;
  m->t->kind[index_of(m, cell)] = *out;
  m->t->record[m->t->records++] = r;
  return TRM_OK;
}

static trm_status merge(maker *m, int32_t number, int f)
{
  const int32_t beside = beyond_face(m, m->t->record[number].cell, f), kind = kind_of(m, beside);
  const fv_cut_record *to = kind >= 0 ? &m->t->record[kind] : NULL;
  const int32_t master = to ? to->master : beside;
  int32_t last;
  for (int a = 0; a < 3; a++)
    m->t->record[number].to[a] = (to ? to->to[a] : 0) + (f / 2 == a ? f % 2 ? 1 : -1 : 0);
  m->t->record[number].master = master;
  TRM_TRY(record_of(m, master, &last));
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

static trm_status make_groups(maker *m)
{
  const size_t cut = m->t->records;
  int merged = 1;
  for (int is_chained = 0; is_chained < 2; is_chained++) {
    for (merged = 1; merged; merged = is_chained ? merged : 0) {
      merged = 0;
      for (size_t i = 0; i < cut; i++) {
        const fv_cut_record *r = &m->t->record[i];
        if (r->lesser >= SMALL || r->master != r->cell) continue;
        const int f = choose_face(m, r, is_chained);
        if (f < 0) continue;
        TRM_TRY(merge(m, (int32_t)i, f));
        merged = 1;
      }
    }
  }
  for (size_t i = 0; i < m->t->records; i++) {
    fv_cut_record *r = &m->t->record[i];
    if (r->master == r->cell && r->lesser < SMALL)
      return refuse(m, r->cell, "a small piece of gas has no neighbour that it could be merged "
                                "with; make the grid finer there (grid.levels), or leave more room "
                                "between walls");
    if (r->master == r->cell) weigh_group(m->t->record, r);
  }
  return TRM_OK;
}

/* ---- lists --------------------------------------------------------------------- */

static int is_plain(const maker *m, int32_t cell) { return kind_of(m, cell) == WHOLE; }

/* Whether slopes in a cell are central: it and all beside it are whole. */
static int is_central(const maker *m, int32_t cell)
{
  int is = is_plain(m, cell);
  for (int f = 0; f < faces_of(m) && is && !is_ghost(m, cell); f++)
    is &= is_plain(m, beyond_face(m, cell, f));
  return is;
}

static int is_listed(const maker *m, int32_t cell)
{
  if (!is_central(m, cell)) return kind_of(m, cell) != SOLID;
  if (m->before && m->before[cell] != 1) return 1;
  for (int f = 0; f < faces_of(m); f++)
    if (!is_central(m, beyond_face(m, cell, f))) return 1;
  return 0;
}

/* The number of a unit in the list of slopes; given the first time that it is asked for. */
static trm_status slope_of(maker *m, int32_t master, int32_t *out)
{
  int32_t *number = &m->slope[index_of(m, master)];
  if (*number < 0) {
    TRM_TRY(grow(&m->sloped, &m->sloped_room, (size_t)m->t->sloped, sizeof *m->sloped));
    *number = m->t->sloped;
    m->sloped[m->t->sloped++] = master;
  }
  *out = *number;
  return TRM_OK;
}

static const char *const NO_ROOM = "a wall comes within three cells of a side of the grid or of "
                                   "cells of another size; leave more room, or let mesh.refine "
                                   "reach farther";

typedef struct lists { size_t face_room, size_room, unit_room, volume_room, join_room; } lists;

static trm_status add_join(maker *m, lists *l, int32_t value)
{
  TRM_TRY(grow(&m->t->join, &l->join_room, m->t->joins, sizeof *m->t->join));
  m->t->join[m->t->joins++] = value;
  return TRM_OK;
}

/* A place relative to a unit's centroid, from a place in one of its cells. */
static void from_centre(const maker *m, int32_t cell, const double at[3], double off[3])
{
  const int32_t kind = kind_of(m, cell);
  for (int a = 0; a < 3; a++) off[a] = at[a] - (kind >= 0 ? m->t->record[kind].centre[a] : 0.5);
  if (m->side[2] == 1) off[2] = 0;
}

/* The face behind a cell along an axis (the cell lies to its left), once. */
static trm_status add_face(maker *m, lists *l, int32_t left, int32_t right, int axis,
                           int32_t *out)
{
  int32_t *number = &m->faces[3 * index_of(m, left) + (size_t)axis];
  if (*number < 0) {
    const int32_t kind = kind_of(m, left), other = kind_of(m, right);
    const double middle[3] = { axis == 0 ? 1 : 0.5, axis == 1 ? 1 : 0.5, axis == 2 ? 1 : 0.5 };
    const double *at = kind >= 0 ? m->t->record[kind].cut.face[2 * axis + 1] : middle;
    double size[FV_CUT_SIZES] = { 0 }, beyond[3];
    int32_t face[4] = { axis, 0, 0, m->forest->level[(size_t)left / m->block] };
    if (kind < 0 && other >= 0) { /* the opening as the cut cell sees it: the same */
      memcpy(beyond, m->t->record[other].cut.face[2 * axis], sizeof beyond);
      beyond[axis] = 1;
      at = beyond;
      size[0] = m->t->record[other].cut.open[2 * axis];
      from_centre(m, left, at, size + 3);
    } else {
      size[0] = kind >= 0 ? m->t->record[kind].cut.open[2 * axis + 1] : 1;
      from_centre(m, left, at, size + 3);
    }
    double there[3] = { at[0], at[1], at[2] };
    there[axis] = 0;
    from_centre(m, right, there, size + 6);
    size[1] = 1 / fmax(size[3 + axis] - size[6 + axis], 0.5);
    size[2] = is_central(m, left) && is_central(m, right) ? 0.5 : 0;
    TRM_TRY(slope_of(m, master_of(m, left), &face[1]));
    TRM_TRY(slope_of(m, master_of(m, right), &face[2]));
    TRM_TRY(grow(&m->t->face, &l->face_room, (size_t)m->t->faces, sizeof face));
    TRM_TRY(grow(&m->t->size, &l->size_room, (size_t)m->t->faces, sizeof size));
    memcpy(m->t->face + 4 * m->t->faces, face, sizeof face);
    memcpy(m->t->size + FV_CUT_SIZES * m->t->faces, size, sizeof size);
    *number = m->t->faces++;
  }
  *out = *number;
  return TRM_OK;
}

/* Where in the list of slopes each unit's are. */
static trm_status find_unit_slopes(maker *m)
{
  fv_cut_tables *t = m->t;
  t->unit_slope = malloc((size_t)t->units * sizeof *t->unit_slope + 1);
  if (!t->unit_slope) return TRM_FAIL(NO_HOST_MEMORY, "no memory for slopes at walls");
  for (int i = 0; i < t->units; i++) TRM_TRY(slope_of(m, t->unit[3 * i], &t->unit_slope[i]));
  return TRM_OK;
}

/* A unit's joins: the faces of its cells, in order; walls as -1 less their numbers, until the
 * number of faces is known. */
static trm_status add_unit(maker *m, lists *l, int32_t master)
{
  fv_cut_tables *t = m->t;
  int32_t kind = kind_of(m, master), number;
  const double total = kind >= 0 ? t->record[kind].total : 1;
  TRM_TRY(slope_of(m, master, &number));
  TRM_TRY(grow(&t->unit, &l->unit_room, (size_t)t->units + 1, 3 * sizeof *t->unit));
  TRM_TRY(grow(&t->volume, &l->volume_room, (size_t)t->units, 4 * sizeof *t->volume));
  t->volume[4 * t->units] = 1 / total;
  t->volume[4 * t->units + 1] = total;
  t->volume[4 * t->units + 2] = t->volume[4 * t->units + 3] = 0;
  t->unit[3 * t->units] = master;
  t->unit[3 * t->units + 1] = (int32_t)t->joins;
  t->unit[3 * t->units + 2] = m->forest->level[(size_t)master / m->block];
  m->unit[index_of(m, master)] = t->units++;
  for (int32_t cell = master, at = kind;; at = t->record[at].next, cell = t->record[at].cell) {
    for (int f = 0; f < faces_of(m); f++) {
      const int32_t beside = beyond_face(m, cell, f);
      if (at >= 0 && t->record[at].cut.open[f] <= 0) continue;
      if (is_ghost(m, beside)) return refuse(m, cell, NO_ROOM);
      if (kind_of(m, beside) == SOLID || master_of(m, beside) == master) continue;
      TRM_TRY(f % 2 ? add_face(m, l, cell, beside, f / 2, &number)
                    : add_face(m, l, beside, cell, f / 2, &number));
      TRM_TRY(add_join(m, l, 2 * number + (f % 2 == 0)));
    }
    if (at >= 0 && t->record[at].wall >= 0) TRM_TRY(add_join(m, l, -1 - t->record[at].wall));
    if (at < 0 || t->record[at].next < 0) return TRM_OK;
  }
}

static trm_status list_units(maker *m, lists *l)
{
  const size_t leaves = m->forest->blocks.count;
  for (size_t i = 0; i < m->t->records; i++)
    if (m->t->record[i].cut.volume < 1 || m->t->record[i].cut.wall[0] != 0 ||
        m->t->record[i].cut.wall[1] != 0 || m->t->record[i].cut.wall[2] != 0)
      m->t->record[i].wall = m->t->walls++;
  for (size_t leaf = 0; leaf < leaves; leaf++)
    for (size_t i = 0; i < m->block && m->t->near[leaf] >= 0; i++) {
      const int32_t cell = (int32_t)(leaf * m->block + i);
      if (kind_of(m, cell) != SOLID && master_of(m, cell) == cell && is_listed(m, cell))
        TRM_TRY(add_unit(m, l, cell));
    }
  TRM_TRY(grow(&m->t->unit, &l->unit_room, (size_t)m->t->units + 1, 3 * sizeof *m->t->unit));
  m->t->unit[3 * m->t->units + 1] = (int32_t)m->t->joins;
  for (size_t i = 0; i < m->t->joins; i++)
    if (m->t->join[i] < 0) m->t->join[i] = 2 * (m->t->faces - 1 - m->t->join[i]);
  return TRM_OK;
}

static trm_status list_walls(maker *m, lists *l)
{
  fv_cut_tables *t = m->t;
  const size_t walls = (size_t)t->walls;
  t->place = calloc(6 * walls, sizeof *t->place);
  if (!t->place) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu walls", walls);
  for (size_t i = 0; i < t->records; i++) {
    const fv_cut_record *r = &t->record[i];
    const fv_body *body = &m->bodies->body[r->body];
    const size_t at = (size_t)t->faces + (size_t)r->wall;
    const double width = width_of(m, (size_t)r->cell / m->block);
    double size[FV_CUT_SIZES] = { 0 }, place[3], area = 0;
    int32_t wall[4] = { (int32_t)body->wall, 0, r->body,
                        m->forest->level[(size_t)r->cell / m->block] };
    if (r->wall < 0) continue;
    TRM_TRY(slope_of(m, r->master, &wall[1]));
    TRM_TRY(grow(&t->face, &l->face_room, at, sizeof wall));
    TRM_TRY(grow(&t->size, &l->size_room, at, sizeof size));
    memcpy(size, r->cut.wall, sizeof r->cut.wall);
    from_centre(m, r->cell, r->cut.at, size + 3);
    place_of(m, r->cell, r->cut.at, place);
    size[6] = -body->spin * (place[1] - body->moved[1] - body->at[1]);
    size[7] = body->spin * (place[0] - body->moved[0] - body->at[0]);
    size[9] = body->temperature;
    for (int a = 0; a < 3; a++) {
      size[10 + a] = place[a] - body->moved[a] - body->at[a];
      if (m->before) {
        size[6 + a] += body->step[a] / m->dt;
        size[14] += body->step[a] / m->dt * size[a];
      }
      area += size[a] * size[a];
      t->place[(size_t)a * walls + (size_t)r->wall] = place[a];
      t->place[(size_t)(3 + a) * walls + (size_t)r->wall] =
        size[a] * (m->side[2] == 1 ? width : width * width);
    }
    size[13] = area > 1e-24 ? 1 / sqrt(area) : 0;
    memcpy(t->face + 4 * at, wall, sizeof wall);
    memcpy(t->size + FV_CUT_SIZES * at, size, sizeof size);
  }
  return TRM_OK;
}

/* ---- slopes --------------------------------------------------------------------- */

enum { MOST_LOOKS = 128 };
typedef struct stencil {
  int count;
  int32_t look[MOST_LOOKS];
  double off[MOST_LOOKS][3], weight[MOST_LOOKS];
  double factor[MOST_LOOKS][6];
} stencil;

static trm_status add_look(const maker *m, int32_t master, stencil *s, int32_t look,
                           const double off[3], double least)
{
  double square = 0;
  if (s->count == MOST_LOOKS)
    return refuse(m, master, "too many walls meet; make the grid finer there (grid.levels)");
  for (int a = 0; a < m->bodies->dimensions; a++) square += off[a] * off[a];
  s->look[s->count] = look;
  memcpy(s->off[s->count], off, sizeof s->off[0]);
  s->weight[s->count++] = 1 / fmax(square, least);
  return TRM_OK;
}

/* Factors of the least squares over those looks that count, from factor `first` of each on. */
static trm_status solve(const maker *m, int32_t master, stencil *s, int first)
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
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      inverse[j][i] = a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1];
    }
  const double det = a[0][0] * inverse[0][0] + a[0][1] * inverse[1][0] + a[0][2] * inverse[2][0];
  if (!(det > 1e-3))
    return refuse(m, master, "too few neighbours hold gas; make the grid finer there "
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

/* The units about one, each once, and the walls of its cells that hold the gas fast. */
static trm_status look_about(const maker *m, int32_t master, stencil *s)
{
  const int32_t kind = kind_of(m, master);
  const int deep = m->side[2] > 1;
  double off[3];
  for (int k = 0; k < 27; k++) {
    const int by[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
    if (k == 13 || (!deep && by[2])) continue;
    const int32_t cell = neighbour(m, master, by), unit = master_of(m, cell);
    const int32_t other = kind_of(m, cell);
    int is_new = other != SOLID && unit != master;
    for (int i = 0; i < s->count; i++) is_new &= s->look[i] != unit;
    if (!is_new) continue;
    if (is_ghost(m, cell)) return refuse(m, master, NO_ROOM);
    for (int a = 0; a < 3; a++) {
      const double from = kind >= 0 ? m->t->record[kind].centre[a] : 0.5;
      off[a] = by[a] + (other >= 0 ? m->t->record[other].centre[a] : 0.5) - from;
    }
    TRM_TRY(add_look(m, master, s, unit, off, 1e-6));
  }
  for (int32_t i = kind; i >= 0; i = m->t->record[i].next) {
    const fv_cut_record *r = &m->t->record[i];
    if (r->wall < 0 || m->bodies->body[r->body].wall == FV_WALL_SLIP) continue;
    from_centre(m, r->cell, r->cut.at, off);
    TRM_TRY(add_look(m, master, s, -1 - r->wall, off, 0.0625));
  }
  TRM_TRY(solve(m, master, s, 0));
  return solve(m, master, s, 3);
}

static void look_along(const maker *m, int32_t cell, stencil *s)
{
  for (int f = 0; f < faces_of(m); f++) {
    const double half = f % 2 ? 0.5 : -0.5;
    s->look[f] = beyond_face(m, cell, f);
    for (int k = 0; k < 6; k++) s->factor[f][k] = k % 3 == f / 2 ? half : 0.0;
  }
  s->count = faces_of(m);
}

static trm_status list_slopes(maker *m)
{
  fv_cut_tables *t = m->t;
  size_t look_room = 0, weight_room = 0;
  t->spot = malloc(3 * ((size_t)t->sloped + 1) * sizeof *t->spot);
  if (!t->spot) return TRM_FAIL(NO_HOST_MEMORY, "no memory for slopes at walls");
  for (int i = 0; i <= t->sloped; i++) {
    stencil s = { .count = 0 };
    const int32_t cell = i < t->sloped ? m->sloped[i] : 0;
    const int32_t kind = i < t->sloped ? kind_of(m, cell) : WHOLE;
    t->spot[3 * i] = cell;
    t->spot[3 * i + 1] = (int32_t)t->looks;
    t->spot[3 * i + 2] = kind >= 0 && t->record[kind].wall >= 0 &&
                         m->bodies->body[t->record[kind].body].wall == FV_WALL_ISOTHERMAL;
    for (int32_t k = kind; k >= 0; k = t->record[k].next)
      t->spot[3 * i + 2] |= t->record[k].wall >= 0 &&
                            m->bodies->body[t->record[k].body].wall == FV_WALL_ISOTHERMAL;
    if (i == t->sloped) break;
    if (is_central(m, cell)) look_along(m, cell, &s);
    else TRM_TRY(look_about(m, cell, &s));
    for (int k = 0; k < s.count; k++, t->looks++) {
      TRM_TRY(grow(&t->look, &look_room, t->looks, sizeof *t->look));
      TRM_TRY(grow(&t->weight, &weight_room, t->looks, sizeof s.factor[0]));
      t->look[t->looks] = s.look[k];
      memcpy(t->weight + 6 * t->looks, s.factor[k], sizeof s.factor[0]);
    }
  }
  return TRM_OK;
}

/* ---- walls that move --------------------------------------------------------------- */

/* The unit that has a cell's gas after the step; a covered one gives it to that beside it with the
 * most room. -1: none has it, or the stage does. */
static int32_t heir_of(const maker *m, int32_t cell)
{
  double most = 0;
  int32_t best = -1;
  if (kind_of(m, cell) != SOLID) return m->unit[index_of(m, master_of(m, cell))];
  for (int k = 0; k < 27; k++) {
    const int by[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
    if (m->side[2] == 1 && by[2]) continue;
    const int32_t beside = neighbour(m, cell, by), kind = kind_of(m, beside);
    if (is_ghost(m, beside) || kind == SOLID) continue;
    const int far = abs(by[0]) + abs(by[1]) + abs(by[2]);
    const double room = (kind >= 0 ? m->t->record[kind].total : 1) / (far * far);
    const int32_t unit = m->unit[index_of(m, master_of(m, beside))];
    if (unit < 0 || room <= most) continue;
    most = room;
    best = unit;
  }
  return best;
}

/* Volumes of units before the step, their changes, and of these what the sweep of their walls does
 * not account for, since walls are straight in a cell and the gas they leave is not. */
static trm_status weigh_changes(maker *m)
{
  fv_cut_tables *t = m->t;
  for (int i = 0; i < t->units; i++) {
    double *v = t->volume + 4 * i, sweep = 0, old = 0;
    for (int e = t->first[i]; e < t->first[i + 1]; e++) old += t->part[e];
    if (!(old > 0.01)) return refuse(m, t->unit[3 * i], "a wall uncovers a whole cell in one step; "
                                                        "lower compressible.cfl");
    for (int e = t->first[i]; e < t->first[i + 1]; e++) t->part[e] /= old;
    for (int32_t k = kind_of(m, t->unit[3 * i]); k >= 0; k = t->record[k].next)
      for (int a = 0; a < 3 && t->record[k].wall >= 0; a++)
        sweep += m->bodies->body[t->record[k].body].step[a] * t->record[k].cut.wall[a] /
                 width_of(m, (size_t)t->record[k].cell / m->block);
    v[2] = v[1] - old;
    v[3] = v[2] - sweep;
    v[1] = old;
  }
  return TRM_OK;
}

static trm_status list_heirs(maker *m)
{
  fv_cut_tables *t = m->t;
  const size_t leaves = m->forest->blocks.count;
  if (!m->before) return TRM_OK;
  t->first = calloc((size_t)t->units + 2, sizeof *t->first);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t leaf = 0; leaf < leaves; leaf++)
      for (size_t i = 0; i < m->block && t->near[leaf] >= 0; i++) {
        const int32_t cell = (int32_t)(leaf * m->block + i);
        const int32_t unit = m->before[cell] > 0 ? heir_of(m, cell) : -1;
        if (!t->first || unit < 0) {
          if (m->before[cell] > 0 && kind_of(m, cell) == SOLID)
            return refuse(m, cell, "a wall covers gas that no cell beside could take; lower "
                                   "compressible.cfl, or leave more room between walls");
          continue;
        }
        if (!pass) t->first[unit + 2]++;
        else {
          const int32_t e = t->first[unit + 1]++;
          t->from[e] = cell;
          t->part[e] = m->before[cell];
        }
      }
    if (pass) break;
    for (int i = 0; i < t->units && t->first; i++) t->first[i + 2] += t->first[i + 1];
    t->froms = t->first ? (size_t)t->first[t->units + 1] : 0;
    t->from = malloc((t->froms + 1) * sizeof *t->from);
    t->part = malloc((t->froms + 1) * sizeof *t->part);
    if (!t->first || !t->from || !t->part)
      return TRM_FAIL(NO_HOST_MEMORY, "no memory for cells that walls move through");
  }
  return weigh_changes(m);
}

/* ---- all of it --------------------------------------------------------------------- */

static trm_status mark_blocks(maker *m)
{
  fv_cut_tables *t = m->t;
  const size_t leaves = m->forest->blocks.count, width = m->block + 1;
  size_t room = 0;
  for (size_t leaf = 0; leaf < leaves; leaf++) {
    int is_walled = 0;
    TRM_TRY(grow(&t->mark, &room, (size_t)t->walled, width * sizeof *t->mark));
    int32_t *mark = t->mark + width * (size_t)t->walled;
    mark[0] = (int32_t)leaf;
    for (size_t i = 0; i < m->block; i++) {
      const int32_t cell = (int32_t)(leaf * m->block + i), kind = kind_of(m, cell);
      mark[1 + i] = kind == SOLID ? SOLID
                  : t->near[leaf] < 0 ? -1 : m->unit[index_of(m, master_of(m, cell))];
      is_walled |= mark[1 + i] != -1;
    }
    t->walled += is_walled;
  }
  return TRM_OK;
}

static trm_status make(maker *m)
{
  lists l = { 0 };
  TRM_TRY(cut_all(m));
  TRM_TRY(make_groups(m));
  const size_t cells = (size_t)m->near_count * m->block;
  m->slope = malloc(cells * sizeof *m->slope);
  m->unit = malloc(cells * sizeof *m->unit);
  m->faces = malloc(3 * cells * sizeof *m->faces);
  if (!m->slope || !m->unit || !m->faces)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", cells);
  memset(m->slope, -1, cells * sizeof *m->slope);
  memset(m->unit, -1, cells * sizeof *m->unit);
  memset(m->faces, -1, 3 * cells * sizeof *m->faces);
  TRM_TRY(list_units(m, &l));
  TRM_TRY(list_walls(m, &l));
  TRM_TRY(find_unit_slopes(m));
  TRM_TRY(list_slopes(m));
  TRM_TRY(list_heirs(m));
  return mark_blocks(m);
}

trm_status fv_cut_create(const fv_bodies *bodies, const trm_forest *forest, double h,
                         const double origin[3], const double *before, double dt,
                         fv_cut_tables **out)
{
  maker m = { .bodies = bodies, .forest = forest, .h = h, .before = before, .dt = dt, .block = 1 };
  m.t = calloc(1, sizeof *m.t);
  if (!m.t) return TRM_FAIL(NO_HOST_MEMORY, "no memory for walls");
  for (int a = 0; a < 3; a++) {
    m.origin[a] = origin[a];
    m.side[a] = forest->blocks.side[a];
    m.block *= (size_t)m.side[a];
  }
  const trm_status status = make(&m);
  free(m.slope);
  free(m.unit);
  free(m.faces);
  free(m.sloped);
  if (status == TRM_OK) *out = m.t;
  else fv_cut_destroy(&m.t);
  return status;
}

void fv_cut_destroy(fv_cut_tables **tables)
{
  fv_cut_tables *t = *tables;
  if (!t) return;
  void *const all[] = { t->spot, t->look, t->face, t->unit, t->unit_slope, t->join, t->mark,
                        t->weight, t->size, t->place, t->first, t->from, t->part, t->volume,
                        t->record, t->near, t->kind, t };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  *tables = NULL;
}
