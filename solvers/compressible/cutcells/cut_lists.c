/* cut_lists.c - the units at walls, and their walls. */
#include "solvers/compressible/cutcells/cut_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/compressible/kernels/fv_clock.h"

/* ---- cells near those that are not whole --------------------------------------------- */

/* What cells beyond a face of a leaf have, to those at it. beyond: of that block's cells; NULL: all
 * have `mark`. */
static void spread_in(const fv_maker *m, int f, const uint8_t *beyond, uint8_t mark, uint8_t *to)
{
  const int axis = f / 2, shift = m->shift[axis], b = (axis + 1) % 3, c = (axis + 2) % 3;
  const size_t last = (size_t)(m->side[axis] - 1) << shift;
  const size_t here = f % 2 ? last : 0, there = f % 2 ? 0 : last;
  for (size_t j = 0; j < (size_t)m->side[c]; j++)
    for (size_t i = 0; i < (size_t)m->side[b]; i++) {
      const size_t at = (i << m->shift[b]) + (j << m->shift[c]);
      to[at + here] |= beyond ? beyond[at + there] : mark;
    }
}

/* What a leaf's cells have, to those beside them in it. */
static void spread_within(const fv_maker *m, const uint8_t *from, uint8_t *to)
{
  for (int a = 0; a < fv_cell_faces(m) / 2; a++) {
    const size_t row = (size_t)1 << m->shift[a], rows = (size_t)1 << m->shift[a + 1];
    for (size_t first = 0; first < m->block; first += rows)
      for (size_t i = first; i < first + rows - row; i++) {
        to[i] |= from[i + row];
        to[i + row] |= from[i];
      }
  }
}

/* Marks of leaves near walls' cells, and what becomes of them; solid: the mark of all cells of a
 * leaf in a body. */
typedef struct spread {
  const fv_maker *m;
  const uint8_t *from;
  uint8_t *to, solid;
} spread;

/* To a leaf's cells what they and those beside them have. */
static trm_status spread_leaf(void *user, size_t leaf, int thread)
{
  static const int weight[3] = { 1, 3, 9 };
  const spread *s = user;
  const fv_maker *m = s->m;
  const int32_t near = m->t->near[leaf];
  (void)thread;
  if (near < 0) return TRM_OK;
  const uint8_t *from = s->from + ((size_t)near << m->shift[3]);
  uint8_t *to = s->to + ((size_t)near << m->shift[3]);
  memcpy(to, from, m->block);
  spread_within(m, from, to);
  for (int f = 0; f < fv_cell_faces(m); f++) {
    const int by = f % 2 ? weight[f / 2] : -weight[f / 2];
    const int32_t slot = m->forest->near[leaf][13 + by];
    if ((size_t)slot >= m->forest->blocks.count) continue;
    const int32_t beyond = m->t->near[slot];
    if (beyond >= 0) spread_in(m, f, s->from + ((size_t)beyond << m->shift[3]), 0, to);
    else if (beyond == FV_SOLID && s->solid) spread_in(m, f, NULL, s->solid, to);
  }
  return TRM_OK;
}

static trm_status mark_leaf(void *user, size_t leaf, int thread)
{
  const spread *s = user;
  const fv_maker *m = s->m;
  const int32_t near = m->t->near[leaf];
  const size_t first = near < 0 ? 0 : (size_t)near << m->shift[3];
  (void)thread;
  for (size_t i = 0; i < m->block && near >= 0; i++)
    s->to[first + i] = m->t->kind[first + i] != FV_WHOLE;
  return TRM_OK;
}

/* close: cells with one that is not central at a face, or that are such. */
static trm_status note_closeness(fv_maker *m, uint8_t *close)
{
  const size_t leaves = m->forest->blocks.count;
  TRM_TRY(trm_device_host_each(m->device, leaves, mark_leaf, &(spread){ .m = m, .to = close }));
  TRM_TRY(trm_device_host_each(m->device, leaves, spread_leaf,
                               &(spread){ m, close, m->is_beside, 1 }));
  return trm_device_host_each(m->device, leaves, spread_leaf,
                              &(spread){ m, m->is_beside, close, 0 });
}

/* Whether slopes in a cell are central: it and all beside it are whole. Of leaves that are not near
 * walls all cells are alike. */
int fv_cell_is_central(const fv_maker *m, int32_t cell)
{
  const size_t leaf = (size_t)(cell >> m->shift[3]);
  if (fv_cell_is_ghost(m, cell) || m->t->near[leaf] == FV_WHOLE) return 1;
  return m->t->near[leaf] >= 0 && !m->is_beside[fv_cell_index(m, cell)];
}

/* ---- units --------------------------------------------------------------------------- */

const char *const fv_no_room = "a wall comes within three cells of a side of the grid or of "
                                   "cells of another size; leave more room, or let mesh.refine "
                                   "reach farther";

trm_status fv_number_slope(fv_maker *m, int32_t master)
{
  int32_t *number = &m->slope[fv_cell_index(m, master)];
  if (*number >= 0) return TRM_OK;
  TRM_TRY(fv_list_grow(&m->sloped, &m->sloped_room, (size_t)m->t->sloped, sizeof *m->sloped));
  *number = m->t->sloped;
  m->sloped[m->t->sloped++] = master;
  return TRM_OK;
}

typedef struct census {
  fv_maker *m;
  uint8_t *close, *walled;     /* walled: of leaves, 1: it has cells that are not whole, now or a
                                * step ago */
  size_t *first;               /* of leaves: how many units, then which is the first */
} census;

static trm_status find_walled(void *user, size_t leaf, int thread)
{
  const census *c = user;
  const fv_maker *m = c->m;
  const fv_cut_tables *t = m->t, *old = m->before;
  int is = t->near[leaf] == FV_SOLID;
  (void)thread;
  for (size_t k = 0; k < m->block && t->near[leaf] >= 0 && !is; k++)
    is = t->kind[(size_t)t->near[leaf] * m->block + k] != FV_WHOLE;
  for (size_t k = 0; old && k < m->block && old->near[leaf] >= 0 && !is; k++)
    is = old->held[(size_t)old->near[leaf] * m->block + k] != 1;
  c->walled[leaf] = (uint8_t)is;
  return TRM_OK;
}

/* Whether one of these lies at a leaf near walls, or it is one. */
static int is_walled(const census *c, size_t leaf)
{
  const fv_maker *m = c->m;
  int is = 0;
  for (int k = 0; k < 27 && m->t->near[leaf] >= 0 && !is; k++) {
    const int32_t slot = m->forest->near[leaf][k];
    is = (size_t)slot < m->forest->blocks.count && c->walled[slot];
  }
  return is;
}

/* Cell i of a leaf near walls. */
static int is_listed(const census *c, size_t leaf, size_t i)
{
  const fv_maker *m = c->m;
  const size_t at = (size_t)m->t->near[leaf] * m->block + i;
  const int32_t cell = (int32_t)(leaf * m->block + i), kind = m->t->kind[at];
  if (kind == FV_SOLID || (kind >= 0 && m->t->record[kind].master != cell)) return 0;
  return c->close[at] || (m->before && fv_cell_is_odd(m, cell));
}

/* A leaf's units, by their numbers among its own. */
static trm_status count_masters(void *user, size_t leaf, int thread)
{
  const census *c = user;
  const fv_maker *m = c->m;
  const size_t at = (size_t)m->t->near[leaf] * m->block;
  int32_t count = 0;
  (void)thread;
  c->first[leaf] = 0;
  if (m->t->near[leaf] < 0) return TRM_OK;
  memset(m->unit + at, -1, m->block * sizeof *m->unit);
  for (size_t k = is_walled(c, leaf) ? 0 : m->block; k < m->block; k++) {
    const size_t i = fv_cell_in_turn(m, k);
    if (is_listed(c, leaf, i)) m->unit[at + i] = count++;
  }
  c->first[leaf] = (size_t)count;
  return TRM_OK;
}

/* The units are the first in the list of slopes, in which each has its own number. */
static trm_status list_masters(void *user, size_t leaf, int thread)
{
  const census *c = user;
  const fv_maker *m = c->m;
  const size_t at = (size_t)m->t->near[leaf] * m->block;
  (void)thread;
  for (size_t i = m->t->near[leaf] < 0 ? m->block : 0; i < m->block; i++) {
    if (m->unit[at + i] >= 0) {
      m->unit[at + i] += (int32_t)c->first[leaf];
      m->sloped[m->unit[at + i]] = (int32_t)(leaf * m->block + i);
    }
    m->slope[at + i] = m->unit[at + i];
  }
  return TRM_OK;
}

static trm_status number_masters(census *c)
{
  fv_maker *m = c->m;
  const size_t leaves = m->forest->blocks.count;
  size_t units = 0;
  TRM_TRY(note_closeness(m, c->close));
  TRM_TRY(trm_device_host_each(m->device, leaves, find_walled, c));
  TRM_TRY(trm_device_host_each(m->device, leaves, count_masters, c));
  for (size_t i = 0; i < leaves; i++) {
    size_t *first = &c->first[m->forest->blocks.slot[i]];
    const size_t count = *first;
    *first = units;
    units += count;
  }
  m->t->units = m->t->sloped = (int)units;
  m->sloped_room = units + units / 2 + 1;
  m->sloped = malloc(m->sloped_room * sizeof *m->sloped);
  if (!m->sloped) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", units);
  return trm_device_host_each(m->device, leaves, list_masters, c);
}

trm_status fv_list_units(fv_maker *m)
{
  const size_t leaves = m->forest->blocks.count, cells = (size_t)m->t->near_count * m->block;
  census c = { .m = m, .close = malloc(cells + 1), .walled = malloc(leaves),
               .first = malloc(leaves * sizeof *c.first) };
  const trm_status status = c.close && c.walled && c.first ? number_masters(&c)
                              : TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", cells);
  free(c.close);
  free(c.walled);
  free(c.first);
  return status;
}

/* ---- walls --------------------------------------------------------------------------- */

/* How far a place of a wall goes in the step along an axis. */
static double wall_step(const fv_maker *m, const fv_cut_record *r, const double at[3], int a)
{
  const fv_body *body = &m->bodies->body[r->body];
  const int i = (a + 1) % 3, j = (a + 2) % 3;
  const double *n = body->axis, *c = body->centre;
  if (!body->rotation) return body->step[a];
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
    if (body->rotation) sweep += body->turned * body->axis[a] * r->cut.turn[a];
  }
  return sweep;
}

static trm_status list_piece(void *user, size_t i, int thread)
{
  const fv_maker *m = user;
  fv_cut_tables *t = m->t;
  const size_t walls = (size_t)t->walls;
  const fv_cut_record *r = &t->record[i];
  const fv_body *body = &m->bodies->body[r->body];
  const size_t at = (size_t)t->faces + (size_t)r->wall;
  const double width = fv_cell_width(m, (size_t)r->cell / m->block);
  double size[FV_CUT_SIZES] = { 0 }, place[3], middle[3], area = 0;
  (void)thread;
  if (r->wall < 0) return TRM_OK;
  const int32_t wall[4] = { (int32_t)body->wall, m->slope[fv_cell_index(m, r->master)], r->body,
                            m->forest->level[(size_t)r->cell / m->block] };
  memcpy(size, r->cut.wall, sizeof r->cut.wall);
  fv_from_centre(m, r, r->cut.at, size + 3);
  fv_cell_place(m, r->cell, r->cut.at, place);
  fv_body_to_here(body, body->at, middle);
  size[6] = -body->spin * (place[1] - middle[1]);
  size[7] = body->spin * (place[0] - middle[0]);
  size[9] = body->temperature;
  for (int a = 0; a < 3; a++) {
    size[10 + a] = place[a] - middle[a];
    if (m->dt > 0) size[6 + a] += wall_step(m, r, place, a) / m->dt;
    area += size[a] * size[a];
    t->place[(size_t)a * walls + (size_t)r->wall] = place[a];
    t->place[(size_t)(3 + a) * walls + (size_t)r->wall] =
      size[a] * (m->side[2] == 1 ? width : width * width);
  }
  if (m->before) size[14] = fv_wall_sweep(m, r) * width / m->dt;
  size[13] = area > 1e-24 ? 1 / sqrt(area) : 0;
  memcpy(t->face + 4 * at, wall, sizeof wall);
  for (size_t k = 0; k < FV_CUT_SIZES; k++) *fv_wall_size(t, (size_t)r->wall, k) = size[k];
  return TRM_OK;
}

/* The unit of each is listed. */
trm_status fv_list_wall_pieces(fv_maker *m)
{
  fv_cut_tables *t = m->t;
  t->place = malloc((6 * (size_t)t->walls + 1) * sizeof *t->place);
  if (!t->place) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %d walls", t->walls);
  return trm_device_host_each(m->device, t->records, list_piece, m);
}
