/* cut_entries.c - walls that move: the tables of what units take over from cells.
 *
 * Kernels read them unit by unit, as parts of the unit's volume before the step: first of its own
 * gas, then of what others gave, of each of their cells alike. */
#include "solvers/compressible/cutcells/cut_heirs.h"

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

/* How many entries a unit has. */
static trm_status count_entries(void *user, size_t i, int thread)
{
  const fv_heirs *h = user;
  const int32_t *beside = fv_rows_of(&h->beside, i);
  int32_t count = h->unit[i].cells;
  (void)thread;
  for (int32_t k = h->unit[i].first_gift; k > 0; k = h->gifts[k - 1].next)
    count += h->unit[h->gifts[k - 1].from].cells;
  for (size_t k = 0; k < h->beside.item[i].count; k++)
    if (fv_level_gift(h, beside[k], (int32_t)i) > 0) count += h->unit[beside[k]].cells;
  h->m->t->first[i + 1] = count;
  return TRM_OK;
}

/* Where the next entry comes. */
typedef struct place { int32_t *from; double *part; } place;

static trm_status list_one(void *user, int32_t cell, double part)
{
  place *next = user;
  *next->from++ = cell;
  *next->part++ = part;
  return TRM_OK;
}

static trm_status list_own(void *user, size_t i, int thread)
{
  const fv_heirs *h = user;
  const fv_cut_tables *t = h->m->t;
  (void)thread;
  return fv_each_own(h, i, list_one, &(place){ t->from + t->first[i], t->part + t->first[i] });
}

/* What another gave, of all that is listed as its own; returns where the next one's come. */
static int32_t list_gift(const fv_heirs *h, int32_t from, double gift, int32_t at)
{
  const fv_cut_tables *t = h->m->t;
  const double part = gift / h->unit[from].own;
  const int32_t first = t->first[from], end = first + h->unit[from].cells;
  for (int32_t e = first; e < end; e++, at++) {
    t->from[at] = t->from[e];
    t->part[at] = part * t->part[e];
  }
  return at;
}

static trm_status list_gifts(void *user, size_t i, int thread)
{
  const fv_heirs *h = user;
  const int32_t *beside = fv_rows_of(&h->beside, i);
  int32_t at = h->m->t->first[i] + h->unit[i].cells;
  (void)thread;
  for (int32_t k = h->unit[i].first_gift; k > 0; k = h->gifts[k - 1].next)
    at = list_gift(h, h->gifts[k - 1].from, h->gifts[k - 1].part, at);
  for (size_t k = 0; k < h->beside.item[i].count; k++) {
    const double gift = fv_level_gift(h, beside[k], (int32_t)i);
    if (gift > 0) at = list_gift(h, beside[k], gift, at);
  }
  return TRM_OK;
}

/* A unit's volume, before the step and what is swept; entries' parts of it. */
static trm_status share_out(void *user, size_t i, int thread)
{
  const fv_heirs *h = user;
  const fv_heir *unit = &h->unit[i];
  fv_cut_tables *t = h->m->t;
  double *v = t->volume + 3 * i, old = 0;
  (void)thread;
  if (unit->kept < unit->own || unit->asked > 0)
    for (int32_t e = t->first[i]; e < t->first[i] + unit->cells; e++)
      t->part[e] *= (unit->kept - fv_level_gifts(h, (int32_t)i)) / unit->own;
  for (int32_t e = t->first[i]; e < t->first[i + 1]; e++) old += t->part[e];
  if (!(fmin(old, old + unit->sweep) > 0.05))
    return fv_cell_refuse(h->m, t->unit[3 * i], "a wall sweeps most of a cell in one step; lower "
                                                "compressible.cfl");
  for (int32_t e = t->first[i]; e < t->first[i + 1]; e++) t->part[e] /= old;
  v[0] = 1 / (old + unit->sweep);
  v[1] = old;
  v[2] = unit->sweep;
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
  if (!h->unit[i].has_wall) return TRM_OK;
  for (int32_t kind = fv_cell_kind(m, t->unit[3 * i]); kind >= 0; kind = t->record[kind].next) {
    const fv_cut_record *r = &t->record[kind];
    t->held[fv_cell_index(m, r->cell)] = r->cut.volume * (has / r->total);
  }
  return TRM_OK;
}

trm_status fv_list_entries(fv_heirs *h)
{
  trm_device *device = h->m->device;
  fv_cut_tables *t = h->m->t;
  const size_t units = (size_t)t->units;
  t->first = calloc(units + 1, sizeof *t->first);
  if (!t->first) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", units);
  TRM_TRY(trm_device_host_each(device, units, count_entries, h));
  for (size_t i = 0; i < units; i++) t->first[i + 1] += t->first[i];
  t->froms = (size_t)t->first[units];
  t->from = malloc((t->froms + 1) * sizeof *t->from);
  t->part = malloc((t->froms + 1) * sizeof *t->part);
  t->tilt = malloc((t->froms + 1) * sizeof *t->tilt);
  t->off = malloc((t->froms + 1) * 3 * sizeof *t->off);
  if (!t->from || !t->part || !t->tilt || !t->off)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for cells that walls move through");
  TRM_TRY(trm_device_host_each(device, units, list_own, h));
  TRM_TRY(trm_device_host_each(device, units, list_gifts, h));
  TRM_TRY(trm_device_host_each(device, t->froms, tilt, h->m));
  TRM_TRY(trm_device_host_each(device, units, share_out, h));
  return trm_device_host_each(device, units, hold, h);
}
