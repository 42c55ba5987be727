/* cut_lists.c - the units at walls, their faces and walls: what is summed after each stage. */
#include "solvers/fv/cut_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/fv/fv_clock.h"

/* How close cells are to those that are not whole: one of these or beside one, so that slopes are
 * not central; beside such a cell; 0: farther. */
enum { BESIDE = 1, NOT_CENTRAL = 2 };

/* To cells beyond a face of a leaf, what those at the face have. */
static void spread_beyond(fv_maker *m, size_t leaf, int f, const uint8_t *from)
{
  static const int weight[3] = { 1, 3, 9 };
  const int axis = f / 2, shift = m->shift[axis], b = (axis + 1) % 3, c = (axis + 2) % 3;
  const int32_t slot = m->forest->near[leaf][f % 2 ? 13 + weight[axis] : 13 - weight[axis]];
  const size_t last = (size_t)(m->side[axis] - 1) << shift;
  const size_t here = f % 2 ? last : 0, there = f % 2 ? 0 : last;
  if (fv_cell_is_ghost(m, slot << m->shift[3]) || m->t->near[slot] < 0) return;
  uint8_t *to = m->closeness + ((size_t)m->t->near[slot] << m->shift[3]);
  for (size_t j = 0; j < (size_t)m->side[c]; j++)
    for (size_t i = 0; i < (size_t)m->side[b]; i++) {
      const size_t at = (i << m->shift[b]) + (j << m->shift[c]);
      to[at + there] |= from[at + here];
    }
}

/* To cells beside a leaf's, in the leaf if it is near walls and beyond its faces. */
static void spread(fv_maker *m, size_t leaf, const uint8_t *from)
{
  const int32_t near = m->t->near[leaf];
  uint8_t *to = m->closeness + (near < 0 ? 0 : (size_t)near << m->shift[3]);
  for (int f = 0; f < fv_cell_faces(m); f++) spread_beyond(m, leaf, f, from);
  for (int a = 0; a < fv_cell_faces(m) / 2 && near >= 0; a++) {
    const size_t row = (size_t)1 << m->shift[a], rows = (size_t)1 << m->shift[a + 1];
    for (size_t first = 0; first < m->block; first += rows)
      for (size_t i = first; i < first + rows - row; i++) {
        to[i] |= from[i + row];
        to[i + row] |= from[i];
      }
  }
}

static trm_status note_closeness(fv_maker *m)
{
  const size_t leaves = m->forest->blocks.count;
  uint8_t *from = malloc(m->block);
  if (!from) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a block at walls");
  for (size_t leaf = 0; leaf < leaves; leaf++) {
    const int32_t near = m->t->near[leaf];
    const size_t first = near < 0 ? 0 : (size_t)near << m->shift[3];
    if (near == FV_WHOLE) continue;
    for (size_t i = 0; i < m->block; i++)
      from[i] = near < 0 || m->t->kind[first + i] != FV_WHOLE ? NOT_CENTRAL : 0;
    for (size_t i = 0; i < m->block && near >= 0; i++) m->closeness[first + i] |= from[i];
    spread(m, leaf, from);
  }
  for (size_t leaf = 0; leaf < leaves; leaf++) {
    if (m->t->near[leaf] < 0) continue;
    const uint8_t *of = m->closeness + ((size_t)m->t->near[leaf] << m->shift[3]);
    for (size_t i = 0; i < m->block; i++) from[i] = of[i] & NOT_CENTRAL ? BESIDE : 0;
    spread(m, leaf, from);
  }
  free(from);
  return TRM_OK;
}

/* Whether slopes in a cell are central: it and all beside it are whole. Of leaves that are not near
 * walls all cells are alike. */
int fv_cell_is_central(const fv_maker *m, int32_t cell)
{
  const size_t leaf = (size_t)(cell >> m->shift[3]);
  if (fv_cell_is_ghost(m, cell) || m->t->near[leaf] == FV_WHOLE) return 1;
  return m->t->near[leaf] >= 0 && !(m->closeness[fv_cell_index(m, cell)] & NOT_CENTRAL);
}

/* Cell i of a leaf near walls. */
static int is_listed(const fv_maker *m, size_t leaf, size_t i)
{
  const size_t at = (size_t)m->t->near[leaf] * m->block + i;
  const int32_t cell = (int32_t)(leaf * m->block + i), kind = m->t->kind[at];
  if (kind == FV_SOLID || (kind >= 0 && m->t->record[kind].master != cell)) return 0;
  return m->closeness[at] || (m->before && fv_cell_is_odd(m, cell));
}

/* The number of a unit in the list of slopes; given the first time that it is asked for. */
static trm_status slope_of(fv_maker *m, int32_t master, int32_t *out)
{
  int32_t *number = &m->slope[fv_cell_index(m, master)];
  if (*number < 0) {
    TRM_TRY(fv_list_grow(&m->sloped, &m->sloped_room, (size_t)m->t->sloped, sizeof *m->sloped));
    *number = m->t->sloped;
    m->sloped[m->t->sloped++] = master;
  }
  *out = *number;
  return TRM_OK;
}

const char *const fv_no_room = "a wall comes within three cells of a side of the grid or of "
                                   "cells of another size; leave more room, or let mesh.refine "
                                   "reach farther";

static trm_status add_join(fv_maker *m, fv_lists *l, int32_t value)
{
  TRM_TRY(fv_list_grow(&m->t->join, &l->join_room, m->t->joins, sizeof *m->t->join));
  m->t->join[m->t->joins++] = value;
  return TRM_OK;
}

/* Of the face behind a cell along an axis: how open it is, one over the way between the centroids
 * on both sides, the part of central slopes, and its middle as seen from both centroids. */
enum { FACE_SIZES = 9 };
static void measure_face(const fv_maker *m, int32_t left, int32_t right, int axis, double *size)
{
  const fv_cut_record *r = fv_cell_record(m, left), *other = fv_cell_record(m, right);
  double at[3] = { 0.5, 0.5, 0.5 };
  size[0] = 1;
  if (r) {
    memcpy(at, r->cut.face[2 * axis + 1], sizeof at);
    size[0] = r->cut.open[2 * axis + 1];
  } else if (other) { /* the opening as the cut cell sees it: the same */
    memcpy(at, other->cut.face[2 * axis], sizeof at);
    size[0] = other->cut.open[2 * axis];
  }
  at[axis] = 1;
  fv_from_centre(m, r, at, size + 3);
  at[axis] = 0;
  fv_from_centre(m, other, at, size + 6);
  size[1] = 1 / fmax(size[3 + axis] - size[6 + axis], 0.5);
  size[2] = fv_cell_is_central(m, left) && fv_cell_is_central(m, right) ? 0.5 : 0;
}

/* The face behind a cell along an axis (the cell lies to its left), once. Its entry in m->faces is
 * its number, or until it is listed -2 less that. */
static trm_status add_face(fv_maker *m, int32_t left, int32_t right, int axis, int32_t *out)
{
  int32_t *number = &m->faces[3 * fv_cell_index(m, left) + (size_t)axis];
  if (*number < 0) {
    const size_t listed = (size_t)(-2 - *number);
    double size[FACE_SIZES];
    int32_t *face = m->t->face + 4 * listed;
    face[0] = axis;
    face[3] = m->forest->level[left >> m->shift[3]];
    TRM_TRY(slope_of(m, fv_cell_master(m, left), &face[1]));
    TRM_TRY(slope_of(m, fv_cell_master(m, right), &face[2]));
    measure_face(m, left, right, axis, size);
    double *to = fv_size_of(m->t, listed, 0);
    for (size_t k = 0; k < FACE_SIZES; k++) to[k * FV_CUT_GROUP] = size[k];
    *number = (int32_t)listed;
  }
  *out = *number;
  return TRM_OK;
}

/* The cell beyond face f of a unit's cell, of this kind, if gas passes to another unit there; -1 */
static int32_t pass(const fv_maker *m, int32_t master, int32_t cell, int32_t kind, int f)
{
  if (kind >= 0 && m->t->record[kind].cut.open[f] <= 0) return -1;
  const int32_t beside = fv_cell_beyond(m, cell, f), other = fv_cell_kind(m, beside);
  const int32_t unit = other >= 0 ? m->t->record[other].master : beside;
  return other == FV_SOLID || unit == master ? -1 : beside;
}

/* Numbers the faces of a unit's cells at side f that have no number. */
static trm_status number_unit(fv_maker *m, fv_lists *l, int32_t master, int f)
{
  fv_cut_tables *t = m->t;
  for (int32_t cell = master, at = fv_cell_kind(m, master);;
       at = t->record[at].next, cell = t->record[at].cell) {
    const int32_t beside = pass(m, master, cell, at, f);
    if (beside >= 0) {
      if (fv_cell_is_ghost(m, beside)) return fv_cell_refuse(m, cell, fv_no_room);
      int32_t *number = &m->faces[3 * fv_cell_index(m, f % 2 ? cell : beside) + (size_t)f / 2];
      if (*number == -1) {
        TRM_TRY(fv_list_grow(&t->face, &l->face_room, (size_t)t->faces, 4 * sizeof *t->face));
        TRM_TRY(fv_list_sizes(t, &l->size_room, (size_t)t->faces));
        *number = -2 - t->faces++;
      }
    }
    if (at < 0 || t->record[at].next < 0) return TRM_OK;
  }
}

/* Of the units that one group of a launch works on, first all faces at one side, then all at the
 * next: what its items read of them lies side by side. */
static trm_status number_faces(fv_maker *m, fv_lists *l, int32_t units)
{
  for (int32_t first = 0; first < units; first += FV_CUT_GROUP)
    for (int f = 0; f < fv_cell_faces(m); f++)
      for (int32_t i = first; i < first + FV_CUT_GROUP && i < units; i++)
        TRM_TRY(number_unit(m, l, m->sloped[i], f));
  return TRM_OK;
}

/* A unit's joins: the faces of its cells, in order; walls as -1 less their numbers, until the
 * number of faces is known. */
static trm_status add_unit(fv_maker *m, fv_lists *l, int32_t master)
{
  fv_cut_tables *t = m->t;
  int32_t kind = fv_cell_kind(m, master), number;
  const double total = kind >= 0 ? t->record[kind].total : 1;
  TRM_TRY(slope_of(m, master, &number));
  TRM_TRY(fv_list_grow(&t->unit, &l->unit_room, (size_t)t->units + 1, 3 * sizeof *t->unit));
  TRM_TRY(fv_list_grow(&t->volume, &l->volume_room, (size_t)t->units, 3 * sizeof *t->volume));
  t->volume[3 * t->units] = 1 / total;
  t->volume[3 * t->units + 1] = total;
  t->volume[3 * t->units + 2] = 0;
  t->unit[3 * t->units] = master;
  t->unit[3 * t->units + 1] = (int32_t)t->joins;
  t->unit[3 * t->units + 2] = m->forest->level[(size_t)master / m->block];
  m->unit[fv_cell_index(m, master)] = t->units++;
  for (int32_t cell = master, at = kind;; at = t->record[at].next, cell = t->record[at].cell) {
    for (int f = 0; f < fv_cell_faces(m); f++) {
      const int32_t beside = pass(m, master, cell, at, f);
      if (beside < 0) continue;
      TRM_TRY(f % 2 ? add_face(m, cell, beside, f / 2, &number)
                    : add_face(m, beside, cell, f / 2, &number));
      TRM_TRY(add_join(m, l, 2 * number + (f % 2 == 0)));
    }
    if (at >= 0 && t->record[at].wall >= 0) TRM_TRY(add_join(m, l, -1 - t->record[at].wall));
    if (at < 0 || t->record[at].next < 0) return TRM_OK;
  }
}

/* Leaves with cells that are not whole, now or a step ago. */
static trm_status find_walled(const fv_maker *m, uint8_t **out)
{
  const fv_cut_tables *t = m->t, *old = m->before;
  const size_t leaves = m->forest->blocks.count;
  uint8_t *walled = calloc(leaves, 1);
  if (!walled) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks", leaves);
  for (size_t i = 0; i < leaves; i++) {
    for (size_t k = 0; k < m->block && t->near[i] >= 0 && !walled[i]; k++)
      walled[i] = t->kind[(size_t)t->near[i] * m->block + k] != FV_WHOLE;
    for (size_t k = 0; old && k < m->block && old->near[i] >= 0 && !walled[i]; k++)
      walled[i] = old->held[(size_t)old->near[i] * m->block + k] != 1;
    walled[i] |= t->near[i] == FV_SOLID;
  }
  *out = walled;
  return TRM_OK;
}

/* Whether one of these lies at a leaf near walls, or it is one. */
static int is_walled(const fv_maker *m, const uint8_t *walled, size_t leaf)
{
  int is = 0;
  for (int k = 0; k < 27 && m->t->near[leaf] >= 0 && !is; k++) {
    const int32_t slot = m->forest->near[leaf][k];
    is = (size_t)slot < m->forest->blocks.count && walled[slot];
  }
  return is;
}

/* The units: the first in the list of slopes, in which each has its own number. */
static trm_status list_masters(fv_maker *m, const uint8_t *walled)
{
  int32_t number;
  for (size_t k = 0; k < m->forest->blocks.count; k++) {
    const size_t leaf = (size_t)m->forest->blocks.slot[k];
    for (size_t i = is_walled(m, walled, leaf) ? 0 : m->block; i < m->block; i++)
      if (is_listed(m, leaf, i)) TRM_TRY(slope_of(m, (int32_t)(leaf * m->block + i), &number));
  }
  return TRM_OK;
}

trm_status fv_list_units(fv_maker *m, fv_lists *l)
{
  uint8_t *walled = NULL;
  for (size_t i = 0; i < m->t->records; i++)
    if (m->t->record[i].cut.volume < 1 || m->t->record[i].cut.wall[0] != 0 ||
        m->t->record[i].cut.wall[1] != 0 || m->t->record[i].cut.wall[2] != 0)
      m->t->record[i].wall = m->t->walls++;
  TRM_TRY(note_closeness(m));
  TRM_TRY(find_walled(m, &walled));
  const trm_status status = list_masters(m, walled);
  free(walled);
  TRM_TRY(status);
  const int32_t units = m->t->sloped;
  TRM_TRY(number_faces(m, l, units));
  for (int32_t i = 0; i < units; i++) TRM_TRY(add_unit(m, l, m->sloped[i]));
  TRM_TRY(fv_list_grow(&m->t->unit, &l->unit_room, (size_t)m->t->units + 1,
                       3 * sizeof *m->t->unit));
  m->t->unit[3 * m->t->units + 1] = (int32_t)m->t->joins;
  for (size_t i = 0; i < m->t->joins; i++)
    if (m->t->join[i] < 0) m->t->join[i] = 2 * (m->t->faces - 1 - m->t->join[i]);
  return TRM_OK;
}

/* How far a place of a wall goes in the step along an axis. */
static double wall_step(const fv_maker *m, const fv_cut_record *r, const double at[3], int a)
{
  const fv_body *body = &m->bodies->body[r->body];
  const int i = (a + 1) % 3, j = (a + 2) % 3;
  const double *n = body->axis, *c = body->centre;
  if (!body->turn) return body->step[a];
  return body->step[a] + body->turned * (n[i] * (at[j] - c[j] - body->moved[j]) -
                                         n[j] * (at[i] - c[i] - body->moved[i]));
}

/* Exact for the straight pieces that a cell's wall is made of, so that all of a body's add up to
 * nothing where it turns too. */
double fv_wall_sweep(const fv_maker *m, const fv_cut_record *r)
{
  static const double corner[3] = { 0, 0, 0 };
  const fv_body *body = &m->bodies->body[r->body];
  const double width = fv_cell_width(m, (size_t)r->cell / m->block);
  double at[3], sweep = 0;
  fv_cell_place(m, r->cell, corner, at);
  for (int a = 0; a < 3; a++) {
    sweep += wall_step(m, r, at, a) * r->cut.wall[a] / width;
    if (body->turn) sweep += body->turned * body->axis[a] * r->cut.turn[a];
  }
  return sweep;
}

trm_status fv_list_wall_pieces(fv_maker *m, fv_lists *l)
{
  fv_cut_tables *t = m->t;
  const size_t walls = (size_t)t->walls;
  t->place = calloc(6 * walls, sizeof *t->place);
  if (!t->place) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu walls", walls);
  for (size_t i = 0; i < t->records; i++) {
    const fv_cut_record *r = &t->record[i];
    const fv_body *body = &m->bodies->body[r->body];
    const size_t at = (size_t)t->faces + (size_t)r->wall;
    const double width = fv_cell_width(m, (size_t)r->cell / m->block);
    double size[FV_CUT_SIZES] = { 0 }, place[3], middle[3], area = 0;
    int32_t wall[4] = { (int32_t)body->wall, 0, r->body,
                        m->forest->level[(size_t)r->cell / m->block] };
    if (r->wall < 0) continue;
    TRM_TRY(slope_of(m, r->master, &wall[1]));
    TRM_TRY(fv_list_grow(&t->face, &l->face_room, at, sizeof wall));
    TRM_TRY(fv_list_sizes(t, &l->size_room, at));
    memcpy(size, r->cut.wall, sizeof r->cut.wall);
    fv_from_centre(m, r, r->cut.at, size + 3);
    fv_cell_place(m, r->cell, r->cut.at, place);
    fv_body_to_here(body, body->at, middle);
    size[6] = -body->spin * (place[1] - middle[1]);
    size[7] = body->spin * (place[0] - middle[0]);
    size[9] = body->temperature;
    for (int a = 0; a < 3; a++) {
      size[10 + a] = place[a] - middle[a];
      if (m->before) size[6 + a] += wall_step(m, r, place, a) / m->dt;
      area += size[a] * size[a];
      t->place[(size_t)a * walls + (size_t)r->wall] = place[a];
      t->place[(size_t)(3 + a) * walls + (size_t)r->wall] =
        size[a] * (m->side[2] == 1 ? width : width * width);
    }
    if (m->before) size[14] = fv_wall_sweep(m, r) * width / m->dt;
    size[13] = area > 1e-24 ? 1 / sqrt(area) : 0;
    memcpy(t->face + 4 * at, wall, sizeof wall);
    for (size_t k = 0; k < FV_CUT_SIZES; k++) *fv_size_of(t, at, k) = size[k];
  }
  return TRM_OK;
}
