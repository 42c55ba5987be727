/* geometry_known.c - the arrays that the device's lists are made in (geometry.h), and what it knows
 * of the cells of the step before: told by the host's tables, and fetched for them. */
#include "core/host_work.h"
#include "solvers/compressible/cutcells/geometry_parts.h"

#include <stdlib.h>
#include <string.h>

/* Counts, and their chunks' sums. */
static size_t chunked(size_t counts) { return counts + (size_t)fv_groups_of(counts) + 1; }

/* Where things lie in the two arrays. */
static void place_all(fv_solver *fv, size_t records, size_t units)
{
  fv_geometry *g = &fv->geometry;
  fv_geometry_params *p = &g->p;
  const size_t corners = fv_corners_of_leaf(fv);
  const size_t claims = fv->bodies.count > 1 ? 2 * (size_t)fv->bodies.count : 0;
  const size_t nears = g->room_nears;
  trm_index *const ints[] = { &p->near_of, &p->leaf, &p->counts, &p->group_counts, &p->marks,
                              &p->cell, &p->record, &p->unit };
  trm_index *const reals[] = { &p->distance, &p->cell_real, &p->record_real, &p->unit_real };
  p->cells = (trm_index)(nears * fv->block);
  p->records = (int)records;
  p->units = (int)units;
  const size_t groups = (size_t)fv_groups_of(records > units ? records : units) + 1;
  const size_t int_counts[] = { g->room_leaves, FV_LEAF_INTS * (g->room_leaves + nears),
                                FV_COUNTS * chunked(nears * fv->block / FV_CUT_GROUP),
                                FV_COUNTS * chunked(groups),
                                corners * nears, FV_CELL_INTS * (size_t)p->cells,
                                FV_R_INTS * records, FV_U_INTS * units };
  const size_t real_counts[] = { corners * nears * (1 + g->surfaces),
                                 FV_CELL_REALS * (size_t)p->cells,
                                 (FV_RECORD_REALS + claims) * records, FV_U_REALS * units };
  g->int_count = FV_TOTALS;
  g->real_count = 0;
  for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
    *ints[i] = (trm_index)g->int_count;
    g->int_count += int_counts[i];
  }
  for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
    *reals[i] = (trm_index)g->real_count;
    g->real_count += real_counts[i];
  }
}

/* Of bodies the numbers behind all that fv_geometry_places.h has of each: outlines and trees. */
static size_t outlines_of(const fv_solver *fv)
{
  size_t count = 0;
  for (int b = 0; b < fv->bodies.count; b++) count += fv_body_outline(&fv->bodies.body[b], NULL);
  return count;
}

enum { ARRAYS = 3 };

static void list_arrays(fv_geometry *g, trm_framework_buffer list[ARRAYS])
{
  const trm_framework_buffer all[ARRAYS] = {
    { &g->ints, "what is known of moving walls", g->int_count, TRM_TYPE_I32, 1, NULL },
    { &g->reals, "numbers of moving walls", g->real_count, TRM_TYPE_F64, 1, NULL },
    { &g->bodies, "bodies", g->body_count, TRM_TYPE_F64, 1, NULL } };
  memcpy(list, all, sizeof all);
}

size_t fv_body_outline(const fv_body *body, double *to)
{
  size_t count = 2 * (size_t)body->corners;
  if (body->shape == FV_SURFACE) trm_stl_tree_list(body->tree, to, &count);
  else if (to) memcpy(to, body->outline, count * sizeof *to);
  return count;
}

static trm_status write_outlines(fv_solver *fv)
{
  const size_t count = outlines_of(fv);
  double *all = malloc((count + 1) * sizeof *all), *to = all;
  if (!all) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu numbers of bodies", count);
  for (int b = 0; b < fv->bodies.count; b++) to += fv_body_outline(&fv->bodies.body[b], to);
  const trm_status status = count == 0 ? TRM_OK
    : trm_framework_write_reals(fv->geometry.bodies, TRM_TYPE_F64, FV_BODIES * FV_BODY_REALS, all,
                                count);
  free(all);
  return status;
}

static int is_short(const fv_solver *fv)
{
  const fv_geometry *g = &fv->geometry;
  return g->leaves.nears + g->leaves.solids > g->room_nears ||
         fv->forest->blocks.count > g->room_leaves ||
         fv_room_again(fv->cut->records, g->most_records) > (size_t)g->p.records ||
         fv_room_again((size_t)fv->cut->sloped, g->most_sloped) > (size_t)g->p.units;
}

/* More than there is now, so that it serves for long. */
static void plan_room(fv_solver *fv)
{
  fv_geometry *g = &fv->geometry;
  const size_t records = fv_room_again(fv->cut->records, g->most_records);
  const size_t sloped = fv_room_again((size_t)fv->cut->sloped, g->most_sloped);
  g->room_nears = g->leaves.nears + g->leaves.solids + g->leaves.nears / 8 + 8;
  g->room_leaves = fv->forest->blocks.count;
  g->body_count = FV_BODIES * FV_BODY_REALS + outlines_of(fv);
  g->surfaces = 0;
  for (int b = 0; b < fv->bodies.count; b++)
    g->surfaces += fv->bodies.body[b].shape == FV_SURFACE;
  place_all(fv, records + records / 4, sloped + sloped / 4);
}

trm_status fv_make_arrays(fv_solver *fv)
{
  trm_framework_buffer list[ARRAYS];
  if (!is_short(fv)) return TRM_OK;
  TRM_TRY(fv_fetch_geometry(fv));
  fv->geometry.is_known = 0;
  plan_room(fv);
  list_arrays(&fv->geometry, list);
  trm_framework_release(list, ARRAYS);
  TRM_TRY(trm_framework_allocate(fv->base.device, list, ARRAYS, "walls that move"));
  return write_outlines(fv);
}

trm_status fv_count_geometry(fv_solver *fv, uint64_t *bytes)
{
  trm_framework_buffer list[ARRAYS];
  uint64_t own = 0;
  if (!fv->geometry.is_on) return TRM_OK;
  TRM_TRY(fv_find_leaves(fv, &fv->geometry.leaves));
  plan_room(fv);
  list_arrays(&fv->geometry, list);
  TRM_TRY(trm_framework_bytes(list, ARRAYS, &own));
  *bytes += own;
  if (fv->real_type == TRM_TYPE_F64) return TRM_OK;
  size_t exact[FV_ROUNDINGS]; /* rounded then: made in double precision */
  fv_count_exact(fv, fv->cut, exact);
  for (int i = 0; i < FV_ROUNDINGS; i++) *bytes += sizeof(double) * exact[i];
  return TRM_OK;
}

/* What cells near walls are and hold, by the host's tables. */
typedef struct loading { const fv_solver *fv; int32_t *kind; double *held; } loading;

static trm_status load_leaf(void *user, size_t number, int thread)
{
  const loading *l = user;
  const fv_solver *fv = l->fv;
  const fv_geometry *g = &fv->geometry;
  const fv_cut_tables *t = fv->cut;
  int32_t *kind = l->kind + number * fv->block;
  double *held = l->held + number * fv->block;
  const int32_t near = t->near[g->leaves.leaf[FV_LEAF_INTS * number]];
  (void)thread;
  for (size_t i = 0; i < fv->block; i++) {
    kind[i] = near < 0 ? near : t->kind[(size_t)near * fv->block + i];
    held[i] = near < 0 ? near == FV_KIND_WHOLE : t->held[(size_t)near * fv->block + i];
  }
  return TRM_OK;
}

trm_status fv_write_ints(fv_geometry *g, trm_index at, const int32_t *values, size_t count)
{
  return count == 0 ? TRM_OK : trm_buffer_write(g->ints, (size_t)at * sizeof *values,
                                                count * sizeof *values, values);
}

/* Slopes of groups, and the ways of cells in them. */
static trm_status load_records(fv_solver *fv)
{
  fv_geometry *g = &fv->geometry;
  const fv_cut_tables *t = fv->cut;
  const size_t records = t->records, stride = (size_t)g->p.records;
  int32_t *slope = malloc((records + 1) * sizeof *slope);
  double *off = calloc(3 * (records + 1), sizeof *off);
  trm_status status = slope && off ? TRM_OK
                        : TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", records);
  for (size_t i = 0; i < records && status == TRM_OK; i++) {
    const fv_cut_record *r = &t->record[i];
    slope[i] = r->slope;
    for (int a = 0; a < fv->bodies.dimensions; a++)
      off[(size_t)a * records + i] = r->cut.centroid[a] - r->centre[a];
  }
  if (status == TRM_OK)
    status = fv_write_ints(g, g->p.record + (trm_index)(FV_R_SLOPE + g->p.now) * g->p.records,
                           slope, records);
  for (size_t a = 0; a < 3 && status == TRM_OK && records > 0; a++)
    status = trm_framework_write_reals(g->reals, TRM_TYPE_F64, (size_t)g->p.record_real +
                                   (FV_R_OFF + 3 * (size_t)g->p.now + a) * stride,
                                       off + a * records, records);
  free(slope);
  free(off);
  return status;
}

static trm_status load_cells(fv_solver *fv)
{
  fv_geometry *g = &fv->geometry;
  const size_t cells = g->leaves.nears * fv->block;
  int32_t *kind = malloc((cells + 1) * sizeof *kind);
  double *held = malloc((cells + 1) * sizeof *held);
  trm_status status = kind && held ? TRM_OK
                        : TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", cells);
  if (status == TRM_OK)
    status = trm_device_host_each(fv->base.device, g->leaves.nears, load_leaf,
                                  &(loading){ fv, kind, held });
  if (status == TRM_OK)
    status = fv_write_ints(g, g->p.cell + (FV_CELL_KIND + g->p.now) * g->p.cells, kind, cells);
  if (status == TRM_OK && cells > 0)
    status = trm_framework_write_reals(g->reals, TRM_TYPE_F64, (size_t)(g->p.cell_real +
                                   (FV_CELL_HELD + g->p.now) * g->p.cells), held, cells);
  free(kind);
  free(held);
  return status;
}

/* No leaf has marks but those that the kernels tell of. */
static trm_status load_leaves(fv_solver *fv)
{
  fv_geometry *g = &fv->geometry;
  const size_t leaves = fv->forest->blocks.count;
  const int32_t none = -1;
  g->p.nears = (int)g->leaves.nears;
  g->p.solids = (int)g->leaves.solids;
  TRM_TRY(fv_write_ints(g, g->p.near_of, g->leaves.near, leaves));
  TRM_TRY(fv_write_ints(g, g->p.leaf, g->leaves.leaf,
                        FV_LEAF_INTS * (g->leaves.nears + g->leaves.solids)));
  return trm_buffer_fill(fv->walls.numbers, 0, leaves * sizeof none, &none, sizeof none);
}

trm_status fv_load_geometry(fv_solver *fv)
{
  TRM_TRY(load_leaves(fv));
  TRM_TRY(load_records(fv));
  TRM_TRY(load_cells(fv));
  fv->geometry.is_known = 1;
  return TRM_OK;
}

trm_status fv_renumber_geometry(fv_solver *fv, const int32_t *near)
{
  fv_geometry *g = &fv->geometry;
  int32_t *was = malloc((g->leaves.nears + 1) * sizeof *was);
  if (!was) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks at walls", g->leaves.nears);
  for (size_t i = 0; i < g->leaves.nears; i++) was[i] = near[g->leaves.leaf[FV_LEAF_INTS * i]];
  trm_status status = load_leaves(fv);
  if (status == TRM_OK) status = fv_write_ints(g, g->p.marks, was, g->leaves.nears);
  free(was);
  return status == TRM_OK ? fv_launch_renumber(fv) : status;
}

trm_status fv_fetch_geometry(fv_solver *fv)
{
  fv_geometry *g = &fv->geometry;
  fv_cut_tables *t = fv->cut;
  if (!t || !g->is_ahead) return TRM_OK;
  const size_t cells = g->leaves.nears * fv->block;
  const size_t records = t->records, stride = (size_t)g->p.records;
  void **const gone[] = { (void **)&t->still, (void **)&t->inside, (void **)&t->reach,
                          (void **)&t->middle, (void **)&t->far, (void **)&t->turn,
                          (void **)&t->kind, (void **)&t->held, (void **)&t->leaf,
                          (void **)&t->record };
  for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
    free(*gone[i]);
    *gone[i] = NULL;
  }
  t->kind = malloc((cells + 1) * sizeof *t->kind);
  t->held = malloc((cells + 1) * sizeof *t->held);
  t->leaf = malloc(4 * (g->leaves.nears + 1) * sizeof *t->leaf);
  t->record = calloc(records + 1, sizeof *t->record);
  double *off = malloc((records + 1) * sizeof *off);
  int32_t *slope = malloc((records + 1) * sizeof *slope);
  trm_status status = t->kind && t->held && t->leaf && t->record && off && slope ? TRM_OK
                        : TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", cells);
  if (status == TRM_OK)
    status = trm_buffer_read(g->ints, (size_t)(g->p.cell + (FV_CELL_KIND + g->p.now) *
                                                 g->p.cells) * sizeof *t->kind,
                             cells * sizeof *t->kind, t->kind);
  if (status == TRM_OK)
    status = trm_framework_read_reals(g->reals, TRM_TYPE_F64, (size_t)(g->p.cell_real +
                                  (FV_CELL_HELD + g->p.now) * g->p.cells), t->held, cells);
  if (status == TRM_OK)
    status = trm_buffer_read(g->ints, ((size_t)g->p.record + (FV_R_SLOPE + (size_t)g->p.now) *
                                         stride) * sizeof *slope, records * sizeof *slope, slope);
  for (size_t i = 0; i < records && status == TRM_OK; i++) t->record[i].slope = slope[i];
  for (size_t a = 0; a < 3 && status == TRM_OK; a++) {
    status = trm_framework_read_reals(g->reals, TRM_TYPE_F64, (size_t)g->p.record_real +
                                  (FV_R_OFF + 3 * (size_t)g->p.now + a) * stride, off, records);
    for (size_t i = 0; i < records && status == TRM_OK; i++)
      t->record[i].cut.centroid[a] = off[i]; /* from a centre at 0 */
  }
  free(off);
  free(slope);
  TRM_TRY(status);
  memcpy(t->near, g->leaves.near, g->leaves.count * sizeof *t->near);
  for (size_t i = 0; i < g->leaves.nears; i++)
    memcpy(t->leaf + 4 * i, g->leaves.leaf + FV_LEAF_INTS * i + 1, 4 * sizeof *t->leaf);
  t->near_count = (int)g->leaves.nears;
  t->is_bare = 1;
  g->is_ahead = 0;
  return TRM_OK;
}
