/* cut_heirs.c - walls that move: which units have the gas that cells held before the step.
 *
 * A unit's volume is kept count of like its mass: what it takes over from cells, then what its
 * walls sweep. Since walls are straight in a cell and the body is not, that strays from the volume
 * that the walls leave it, by little: units beside one another level it out, and one without a
 * wall, which is as large as it is, hands its rest to those that have a wall. All of it is gas
 * handed over with what is in it, so nothing is lost, and where all cells hold the same they go on
 * to. */
#include "solvers/compressible/cutcells/cut_heirs.h"

#include <math.h>
#include <stdlib.h>

double fv_held_before(const fv_maker *m, int32_t cell)
{
  const fv_cut_tables *t = m->before;
  const int32_t near = t->near[cell >> m->shift[3]];
  return near < 0 ? near == FV_WHOLE
                  : t->held[(size_t)near * m->block + ((size_t)cell & (m->block - 1))];
}

int fv_cell_is_odd(const fv_maker *m, int32_t cell) { return fv_held_before(m, cell) != 1; }

int32_t fv_unit_of(const fv_maker *m, int32_t cell)
{
  if (fv_cell_is_ghost(m, cell) || fv_cell_kind(m, cell) == FV_SOLID) return -1;
  const int32_t master = fv_cell_master(m, cell);
  return m->t->near[master >> m->shift[3]] < 0 ? -1 : m->unit[fv_cell_index(m, master)];
}

trm_status fv_each_own(const fv_heirs *h, size_t unit, fv_own_fn *function, void *user)
{
  const fv_maker *m = h->m;
  for (int32_t cell = m->t->unit[3 * unit], kind = fv_cell_kind(m, cell); cell >= 0;) {
    const double held = fv_held_before(m, cell);
    if (held > 0) TRM_TRY(function(user, cell, held));
    kind = kind >= 0 ? m->t->record[kind].next : -1;
    cell = kind >= 0 ? m->t->record[kind].cell : -1;
  }
  for (int32_t k = h->unit[unit].first_covered; k > 0; k = h->covered[k - 1].next)
    TRM_TRY(function(user, h->covered[k - 1].cell, h->covered[k - 1].part));
  return TRM_OK;
}

/* Where a gap opens between a body that slides and another, the grid sees it when it has reached a
 * corner of a cell, then the whole of it, of a flat wall a sheet of cells at once. A unit at a gap
 * that has much less gas, or more, than the walls leave it would have faces too large for its
 * volume. The walls there sweep the difference; a part of it in a step, so that gas stays gas. */
static const double SWEPT = 0.15, LITTLE = 0.8, MUCH = 1.25;

static void open_gaps(const fv_heirs *h, size_t i)
{
  fv_cut_tables *t = h->m->t;
  fv_heir *unit = &h->unit[i];
  const double has = unit->own + unit->sweep, total = t->volume[3 * i + 1];
  const double most = SWEPT * unit->own;
  const double lacks = fmin(fmax(fmin(fmax(has, LITTLE * total), MUCH * total) - has, -most), most);
  double area = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int32_t k = fv_cell_kind(h->m, t->unit[3 * i]); k >= 0; k = t->record[k].next) {
      const fv_cut_record *r = &t->record[k];
      const double *n = r->cut.wall, own = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
      if (!r->is_gap || r->wall < 0) continue;
      if (pass == 0) area += own;
      else if (lacks != 0 && area > 0)
        *fv_wall_size(t, (size_t)r->wall, 14) +=
          own / area * lacks * fv_cell_width(h->m, (size_t)r->cell / h->m->block) / h->m->dt;
    }
  if (area > 0) unit->sweep += lacks;
}

static trm_status count_own(void *user, int32_t cell, double part)
{
  fv_heir *unit = user;
  (void)cell;
  unit->cells++;
  unit->own += part;
  return TRM_OK;
}

static trm_status weigh_unit(void *user, size_t i, int thread)
{
  const fv_heirs *h = user;
  const fv_cut_tables *t = h->m->t;
  fv_heir *unit = &h->unit[i];
  (void)thread;
  TRM_TRY(fv_each_own(h, i, count_own, unit));
  unit->kept = unit->has = unit->own;
  for (int32_t k = fv_cell_kind(h->m, t->unit[3 * i]); k >= 0; k = t->record[k].next) {
    const fv_cut_record *r = &t->record[k];
    if (r->wall < 0) continue;
    unit->has_wall = 1;
    unit->sweep += fv_wall_sweep(h->m, r);
  }
  open_gaps(h, i);
  unit->rest = unit->has - (t->volume[3 * i + 1] - unit->sweep);
  return TRM_OK;
}

trm_status fv_list_heirs(fv_maker *m)
{
  fv_heirs h = { .m = m };
  if (!m->before) return TRM_OK;
  h.unit = calloc((size_t)m->t->units + 1, sizeof *h.unit);
  trm_status status = h.unit ? fv_list_covered(&h)
                             : TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at walls");
  if (status == TRM_OK)
    status = trm_device_host_each(m->device, (size_t)m->t->units, weigh_unit, &h);
  if (status == TRM_OK) status = fv_hand_out(&h);
  if (status == TRM_OK) status = fv_list_entries(&h);
  fv_rows_free(&h.beside);
  free(h.unit);
  free(h.covered);
  free(h.gifts);
  return status;
}
