/* cut.c - see cut.h. Lists are in the order of leaves and cells throughout, so that the same case
 * has the same lists everywhere, in whatever slots its leaves lie; but for turns, whose order
 * changes no bit. */
#include "solvers/compressible/cutcells/cut_maker.h"

#include <stdlib.h>
#include <string.h>

/* Cell i of a leaf, as the marks of blocks at walls have it: FV_SOLID, its unit or -1. */
static int32_t mark_of(const fv_maker *m, size_t leaf, size_t i)
{
  const int32_t cell = (int32_t)(leaf * m->block + i), kind = fv_cell_kind(m, cell);
  if (kind == FV_SOLID) return FV_SOLID;
  return m->t->near[leaf] < 0 ? -1 : m->unit[fv_cell_index(m, fv_cell_master(m, cell))];
}

static trm_status find_block(void *user, size_t leaf, int thread)
{
  const fv_maker *m = user;
  int32_t *number = &m->t->number[leaf];
  (void)thread;
  *number = -1;
  for (size_t i = m->t->near[leaf] == FV_WHOLE ? m->block : 0; i < m->block && *number < 0; i++)
    if (mark_of(m, leaf, i) != -1) *number = 0;
  return TRM_OK;
}

static trm_status mark_block(void *user, size_t leaf, int thread)
{
  const fv_maker *m = user;
  const int32_t number = m->t->number[leaf];
  (void)thread;
  if (number < 0) return TRM_OK;
  int32_t *mark = m->t->mark + (m->block + 1) * (size_t)number;
  int32_t *piece = m->t->piece + m->block * (size_t)number;
  mark[0] = (int32_t)leaf;
  for (size_t i = 0; i < m->block; i++) {
    mark[1 + i] = mark_of(m, leaf, i);
    piece[i] = fv_cut_kind_of(m->t, m->block, leaf, i);
  }
  return TRM_OK;
}

/* Blocks at walls: t->number says of leaves which of these they are. */
static trm_status mark_blocks(fv_maker *m)
{
  fv_cut_tables *t = m->t;
  const size_t leaves = m->forest->blocks.count;
  t->number = malloc(leaves * sizeof *t->number);
  if (!t->number) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks", leaves);
  TRM_TRY(trm_device_host_each(m->device, leaves, find_block, m));
  for (size_t i = 0; i < leaves; i++) {
    int32_t *number = &t->number[m->forest->blocks.slot[i]];
    if (*number >= 0) *number = t->walled++;
  }
  t->mark = malloc((m->block + 1) * (size_t)t->walled * sizeof *t->mark + 1);
  t->piece = malloc(m->block * (size_t)t->walled * sizeof *t->piece + 1);
  if (!t->mark || !t->piece)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %d blocks at walls", t->walled);
  return trm_device_host_each(m->device, leaves, mark_block, m);
}

/* What factors of slopes are made of. */
static trm_status note_record(void *user, size_t i, int thread)
{
  const fv_maker *m = user;
  const fv_cut_record *r = &m->t->record[i];
  int32_t *member = m->t->member + FV_RECORD_INTS * i;
  double *centre = m->t->centre + 4 * i;
  (void)thread;
  member[FV_RECORD_MASTER] = r->master;
  member[FV_RECORD_NEXT] = r->next;
  member[FV_RECORD_WALL] = r->wall;
  member[FV_RECORD_FLAGS] = (fv_wall_is_fast(m, r) ? FV_CUT_FAST : 0) |
                            (r->is_gap ? FV_CUT_GAP : 0) |
                            (abs(r->to[0]) + abs(r->to[1]) + abs(r->to[2]) > 1 ? FV_CUT_CHAIN : 0);
  memcpy(centre, r->centre, sizeof r->centre);
  centre[3] = r->total;
  return TRM_OK;
}

static trm_status note_records(fv_maker *m)
{
  fv_cut_tables *t = m->t;
  t->member = malloc(FV_RECORD_INTS * (t->records + 1) * sizeof *t->member);
  t->centre = malloc(4 * (t->records + 1) * sizeof *t->centre);
  if (!t->member || !t->centre)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", t->records);
  return trm_device_host_each(m->device, t->records, note_record, m);
}

static trm_status fill_leaf(void *user, size_t leaf, int thread)
{
  const fv_maker *m = user;
  fv_cut_tables *t = m->t;
  const size_t near = (size_t)t->near[leaf];
  (void)thread;
  if (t->near[leaf] < 0) return TRM_OK;
  int32_t *at = t->leaf + 4 * near;
  at[0] = m->forest->level[leaf];
  memcpy(at + 1, m->forest->place[leaf], 3 * sizeof *at);
  for (size_t i = near * m->block; i < (near + 1) * m->block; i++)
    t->held[i] = t->kind[i] >= 0 ? t->record[t->kind[i]].cut.volume : t->kind[i] == FV_WHOLE;
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
  return trm_device_host_each(m->device, m->forest->blocks.count, fill_leaf, m);
}

/* Of groups of more than a cell. */
static trm_status number_slope(void *user, size_t i, int thread)
{
  const fv_maker *m = user;
  fv_cut_record *r = &m->t->record[i];
  const int is_one = r->master == r->cell && r->next < 0;
  (void)thread;
  r->slope = is_one ? -1 : m->slope[fv_cell_index(m, r->master)];
  return TRM_OK;
}

static trm_status make(fv_maker *m)
{
  TRM_TRY(fv_find_cut_cells(m));
  TRM_TRY(fv_group_cells(m));
  TRM_TRY(fv_mark_fresh(m));
  const size_t cells = (size_t)m->t->near_count * m->block;
  m->slope = malloc(cells * sizeof *m->slope);
  m->unit = malloc(cells * sizeof *m->unit);
  m->is_beside = malloc(cells + 1);
  if (!m->slope || !m->unit || !m->is_beside)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", cells);
  TRM_TRY(fv_list_units(m));
  TRM_TRY(fv_list_faces(m));
  TRM_TRY(fv_list_wall_pieces(m));
  TRM_TRY(fv_list_slopes(m));
  TRM_TRY(fill_cells(m));
  TRM_TRY(trm_device_host_each(m->device, m->t->records, number_slope, m));
  TRM_TRY(fv_list_heirs(m));
  TRM_TRY(note_records(m));
  return mark_blocks(m);
}

static fv_maker maker_of(trm_device *device, const fv_bodies *bodies, const trm_forest *forest,
                         double h, const double origin[3])
{
  fv_maker m = { .device = device, .bodies = bodies, .forest = forest, .h = h, .block = 1 };
  for (int a = 0; a < 3; a++) {
    m.origin[a] = origin[a];
    m.side[a] = forest->blocks.side[a];
    m.block *= (size_t)m.side[a];
    m.shift[a + 1] = m.shift[a];
    while (1 << m.shift[a + 1] < (int)m.block) m.shift[a + 1]++;
  }
  for (int b = 0; b < bodies->count; b++) m.paths += bodies->body[b].path[0] != NULL;
  return m;
}

trm_status fv_cut_check(const fv_bodies *bodies, const trm_forest *forest, double h,
                        const double origin[3], const int32_t *near)
{
  fv_maker m = maker_of(NULL, bodies, forest, h, origin);
  m.near = near;
  return fv_check_ends(&m);
}

trm_status fv_cut_create(trm_device *device, const fv_bodies *bodies, const trm_forest *forest,
                         double h, const double origin[3], fv_cut_tables *before, double dt,
                         fv_cut_tables **out)
{
  fv_maker m = maker_of(device, bodies, forest, h, origin);
  m.before = before;
  m.known = before && !before->is_bare ? before : NULL;
  m.dt = dt;
  m.t = calloc(1, sizeof *m.t);
  if (!m.t) return TRM_FAIL(NO_HOST_MEMORY, "no memory for walls");
  const trm_status status = make(&m);
  free(m.is_beside);
  free(m.fresh);
  free(m.calm);
  free(m.slope);
  free(m.unit);
  free(m.sloped);
  free(m.filled);
  if (status == TRM_OK) *out = m.t;
  else fv_cut_destroy(&m.t);
  return status;
}

void fv_cut_destroy(fv_cut_tables **tables)
{
  fv_cut_tables *t = *tables;
  if (!t) return;
  void *const all[] = { t->spot, t->turn, t->face, t->unit, t->join, t->mark, t->number, t->piece,
                        t->member, t->centre, t->renewed,
                        t->size, t->place, t->first, t->from, t->tilt, t->part, t->off,
                        t->volume, t->dt_ratio, t->far, t->record, t->held, t->leaf,
                        t->still, t->inside, t->reach, t->middle, t->near, t->kind,
                        t->turn_of, t };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  *tables = NULL;
}
