/* cut.c - see cut.h. Lists are in the order of leaves and cells throughout, so that the same case
 * has the same lists everywhere, in whatever slots its leaves lie; but for turns, whose order
 * changes no bit. */
#include "solvers/fv/cut_maker.h"

#include <stdlib.h>
#include <string.h>

static trm_status mark_blocks(fv_maker *m)
{
  fv_cut_tables *t = m->t;
  const size_t leaves = m->forest->blocks.count, width = m->block + 1;
  size_t room = 0;
  for (size_t number = 0; number < leaves; number++) {
    const size_t leaf = (size_t)m->forest->blocks.slot[number];
    int is_walled = 0;
    if (t->near[leaf] == FV_WHOLE) continue;
    TRM_TRY(fv_list_grow(&t->mark, &room, (size_t)t->walled, width * sizeof *t->mark));
    int32_t *mark = t->mark + width * (size_t)t->walled;
    mark[0] = (int32_t)leaf;
    for (size_t i = 0; i < m->block; i++) {
      const int32_t cell = (int32_t)(leaf * m->block + i), kind = fv_cell_kind(m, cell);
      mark[1 + i] = kind == FV_SOLID ? FV_SOLID
                  : t->near[leaf] < 0 ? -1 : m->unit[fv_cell_index(m, fv_cell_master(m, cell))];
      is_walled |= mark[1 + i] != -1;
    }
    t->walled += is_walled;
  }
  return TRM_OK;
}

/* What walls leave of cells. */
static trm_status fill_cells(fv_maker *m)
{
  fv_cut_tables *t = m->t;
  const size_t cells = (size_t)t->near_count * m->block;
  t->held = malloc((cells + 1) * sizeof *t->held);
  if (!t->held) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", cells);
  t->leaf = malloc(4 * ((size_t)t->near_count + 1) * sizeof *t->leaf);
  if (!t->leaf) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %d blocks", t->near_count);
  for (size_t i = 0; i < m->forest->blocks.count; i++) {
    int32_t *at = t->leaf + 4 * (size_t)(t->near[i] < 0 ? 0 : t->near[i]);
    if (t->near[i] < 0) continue;
    at[0] = m->forest->level[i];
    memcpy(at + 1, m->forest->place[i], 3 * sizeof *at);
  }
  for (size_t i = 0; i < cells; i++)
    t->held[i] = t->kind[i] >= 0 ? t->record[t->kind[i]].cut.volume : t->kind[i] == FV_WHOLE;
  return TRM_OK;
}

/* Of groups of more than a cell. */
static void number_slopes(fv_maker *m)
{
  for (size_t i = 0; i < m->t->records; i++) {
    fv_cut_record *r = &m->t->record[i];
    const int is_one = r->master == r->cell && r->next < 0;
    r->slope = is_one ? -1 : m->slope[fv_cell_index(m, r->master)];
  }
}

static trm_status make(fv_maker *m)
{
  fv_lists l = { 0 };
  TRM_TRY(fv_find_cut_cells(m));
  TRM_TRY(fv_group_cells(m));
  TRM_TRY(fv_mark_fresh(m));
  const size_t cells = (size_t)m->t->near_count * m->block;
  m->slope = malloc(cells * sizeof *m->slope);
  m->unit = malloc(cells * sizeof *m->unit);
  m->faces = malloc(3 * cells * sizeof *m->faces);
  if (!m->slope || !m->unit || !m->faces)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", cells);
  m->closeness = calloc(cells + 1, 1);
  if (!m->closeness) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", cells);
  memset(m->slope, -1, cells * sizeof *m->slope);
  memset(m->unit, -1, cells * sizeof *m->unit);
  memset(m->faces, -1, 3 * cells * sizeof *m->faces);
  TRM_TRY(fv_list_units(m, &l));
  TRM_TRY(fv_list_wall_pieces(m, &l));
  TRM_TRY(fv_list_slopes(m));
  TRM_TRY(fill_cells(m));
  number_slopes(m);
  TRM_TRY(fv_list_heirs(m));
  return mark_blocks(m);
}

trm_status fv_cut_create(const fv_bodies *bodies, const trm_forest *forest, double h,
                         const double origin[3], fv_cut_tables *before, double dt,
                         fv_cut_tables **out)
{
  trm_stl_look look[FV_BODIES] = { { .is_any = 0 } };
  fv_maker m = { .bodies = bodies, .forest = forest, .h = h, .before = before, .dt = dt,
                 .block = 1, .look = look };
  m.t = calloc(1, sizeof *m.t);
  if (!m.t) return TRM_FAIL(NO_HOST_MEMORY, "no memory for walls");
  for (int a = 0; a < 3; a++) {
    m.origin[a] = origin[a];
    m.side[a] = forest->blocks.side[a];
    m.block *= (size_t)m.side[a];
    m.shift[a + 1] = m.shift[a];
    while (1 << m.shift[a + 1] < (int)m.block) m.shift[a + 1]++;
  }
  for (int b = 0; b < bodies->count; b++) m.paths += bodies->body[b].path[0] != NULL;
  const trm_status status = make(&m);
  free(m.closeness);
  free(m.fresh);
  free(m.calm);
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
  void *const all[] = { t->spot, t->turn, t->look, t->face, t->unit, t->join,
                        t->mark,
                        t->weight, t->size, t->place, t->first, t->from, t->tilt, t->part, t->off,
                        t->volume, t->pace, t->far, t->record, t->held, t->leaf,
                        t->still, t->inside, t->reach, t->middle, t->near, t->kind,
                        t->turn_of, t };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  *tables = NULL;
}
