/* cut_entries.c - walls that move: the tables of what units take over from cells.
 *
 * cut_heirs.c finds the entries in the order of cells; kernels read them unit by unit, as parts of
 * the unit's volume before the step. */
#include "solvers/fv/cut_heirs.h"

#include <math.h>
#include <stdlib.h>

/* Where the cell of an entry lay in its group. */
static trm_status tilt(void *user, size_t i, int thread)
{
  const fv_maker *m = user;
  const fv_cut_tables *t = m->before;
  const int32_t cell = m->t->from[i];
  const int32_t kind = fv_cut_kind_of(t, m->block, (size_t)cell / m->block,
                                      (size_t)cell % m->block);
  const fv_cut_record *r = kind >= 0 ? &t->record[kind] : NULL;
  (void)thread;
  m->t->tilt[i] = r ? r->slope : -1;
  for (int a = 0; a < 3; a++)
    m->t->off[3 * i + (size_t)a] =
      r && a < m->bodies->dimensions ? r->cut.centroid[a] - r->centre[a] : 0;
  return TRM_OK;
}

/* A unit's volume, before the step and what is swept; entries' parts of it. */
static trm_status share_out(void *user, size_t i, int thread)
{
  const fv_heirs *h = user;
  fv_cut_tables *t = h->m->t;
  double *v = t->volume + 3 * i, old = 0;
  (void)thread;
  for (int e = t->first[i]; e < t->first[i + 1]; e++) old += t->part[e];
  if (!(fmin(old, old + h->sweep[i]) > 0.05))
    return fv_cell_refuse(h->m, t->unit[3 * i], "a wall sweeps most of a cell in one step; lower "
                                                "compressible.cfl");
  for (int e = t->first[i]; e < t->first[i + 1]; e++) t->part[e] /= old;
  v[0] = 1 / (old + h->sweep[i]);
  v[1] = old;
  v[2] = h->sweep[i];
  return TRM_OK;
}

/* What a unit's cells hold after the step: as much of its volume as of that which walls leave. */
static trm_status hold(void *user, size_t i, int thread)
{
  const fv_heirs *h = user;
  const fv_maker *m = h->m;
  fv_cut_tables *t = m->t;
  const double *v = t->volume + 3 * i, has = v[1] + v[2];
  (void)thread;
  if (!h->has_wall[i]) return TRM_OK;
  for (int32_t kind = fv_cell_kind(m, t->unit[3 * i]); kind >= 0; kind = t->record[kind].next) {
    const fv_cut_record *r = &t->record[kind];
    t->held[fv_cell_index(m, r->cell)] = r->cut.volume * (has / r->total);
  }
  return TRM_OK;
}

trm_status fv_list_entries(fv_heirs *h)
{
  fv_cut_tables *t = h->m->t;
  const size_t units = (size_t)t->units;
  t->first = calloc(units + 2, sizeof *t->first);
  t->from = malloc((h->count + 1) * sizeof *t->from);
  t->part = malloc((h->count + 1) * sizeof *t->part);
  t->tilt = malloc((h->count + 1) * sizeof *t->tilt);
  t->off = malloc((h->count + 1) * 3 * sizeof *t->off);
  if (!t->first || !t->from || !t->part || !t->tilt || !t->off)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for cells that walls move through");
  t->froms = h->count;
  for (size_t i = 0; i < h->count; i++) t->first[h->entries[i].unit + 2]++;
  for (size_t i = 0; i < units; i++) t->first[i + 2] += t->first[i + 1];
  for (size_t i = 0; i < h->count; i++) {
    const int32_t at = t->first[h->entries[i].unit + 1]++;
    t->from[at] = h->entries[i].cell;
    t->part[at] = h->entries[i].part;
  }
  TRM_TRY(trm_device_host_each(h->m->device, h->count, tilt, h->m));
  TRM_TRY(trm_device_host_each(h->m->device, units, share_out, h));
  return trm_device_host_each(h->m->device, units, hold, h);
}
