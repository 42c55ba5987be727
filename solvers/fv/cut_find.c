/* cut_find.c - which cells walls cut, from distances at corners; bodies that no cells can be made
 * of are refused. */
#include "solvers/fv/cut_maker.h"

#include <math.h>
#include <stdlib.h>

/* So many cells about a wall there are lists; leaves farther away have none. */
static const double BAND = 5.0;

static trm_status check_place(const fv_maker *m, int number)
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

/* A cell's kind; one that is cut gets a record. distance: of all bodies at its corners. */
static trm_status cut_one(fv_maker *m, int32_t cell, const double distance[8], int32_t *kind)
{
  fv_cut cut;
  const fv_cut_kind is = fv_cut_cell(distance, &cut);
  *kind = is == FV_CUT_SOLID ? FV_SOLID : FV_WHOLE;
  if (is == FV_CUT_TORN)
    return fv_cell_refuse(m, cell, "a wall leaves the gas or the body in two parts; make the grid "
                                   "finer there (grid.levels), or move the bodies");
  const double before = m->before ? m->before[cell] : 1;
  if (is == FV_CUT_SOLID || (is == FV_CUT_WHOLE && before >= FV_SMALL)) return TRM_OK;
  fv_cut_record r = { .cell = cell, .master = cell, .next = -1, .wall = -1, .cut = cut,
                      .lesser = m->before ? fmin(before, cut.volume) : cut.volume };
  double at[3];
  fv_cell_place(m, cell, cut.at, at);
  fv_bodies_distance(m->bodies, at, &r.body);
  TRM_TRY(check_thickness(m, r.body, fv_cell_width(m, (size_t)cell / m->block)));
  for (int i = 0; i < m->bodies->count; i++) {
    int gas = 0;
    for (int c = 0; c < 8 && i != r.body; c++) {
      const double corner[3] = { c & 1, c >> 1 & 1, c >> 2 };
      double there[3];
      fv_cell_place(m, cell, corner, there);
      gas += fv_body_distance(&m->bodies->body[i], there) > 0;
    }
    if (i != r.body && gas < 8)
      return fv_cell_refuse(m, cell, "two bodies meet; bodies neither overlap nor touch: move them "
                                     "apart, or make one of them");
  }
  *kind = (int32_t)m->t->records;
  TRM_TRY(fv_list_grow(&m->t->record, &m->record_room, m->t->records, sizeof r));
  m->t->record[m->t->records++] = r;
  return TRM_OK;
}

/* No corner lies nearer to a wall than this part of a cell: it is in the body then. */
static const double NEAREST = 1e-6;

static trm_status cut_leaf(fv_maker *m, size_t leaf)
{
  const double width = fv_cell_width(m, leaf);
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
static void look_around(fv_maker *m)
{
  const trm_forest *forest = m->forest;
  const int32_t own = m->near_count;
  for (size_t i = 0; i < forest->blocks.count; i++)
    for (int k = 0; k < 27 && m->t->near[i] >= 0 && m->t->near[i] < own; k++) {
      const int32_t slot = forest->near[i][k];
      int is_beyond = 0;
      if ((size_t)slot >= forest->blocks.count || m->t->near[slot] != FV_WHOLE) continue;
      for (int a = 0; a < 3; a++)
        is_beyond |= abs(forest->place[slot][a] - forest->place[i][a]) > 1;
      if (is_beyond) m->t->near[slot] = m->near_count++;
    }
}

trm_status fv_find_cut_cells(fv_maker *m)
{
  const size_t leaves = m->forest->blocks.count;
  double least = INFINITY;
  for (int i = 0; i < m->bodies->count; i++) TRM_TRY(check_place(m, i));
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
    const double distance = fv_bodies_distance(m->bodies, middle, NULL);
    const int is_near = fabs(distance) <= sqrt(square) + BAND * width;
    m->t->near[i] = is_near ? m->near_count++ : distance > 0 ? FV_WHOLE : FV_SOLID;
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
