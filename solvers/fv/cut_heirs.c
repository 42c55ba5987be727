/* cut_heirs.c - walls that move: which units have the gas that cells held before the step.
 *
 * A unit's volume is kept count of like its mass: what it takes over from cells, then what its
 * walls sweep. Since walls are straight in a cell and the body is not, that strays from the volume
 * that the walls leave it, by little: units beside one another level it out, and one without a
 * wall, which is as large as it is, hands its rest to one that has a wall. All of it is gas handed
 * over with what is in it, so nothing is lost, and where all cells hold the same they go on to. */
#include "solvers/fv/cut_heirs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a cell held before the step. */
static double held_before(const fv_maker *m, int32_t cell)
{
  const fv_cut_tables *t = m->before;
  const int32_t near = t->near[cell >> m->shift[3]];
  return near < 0 ? near == FV_WHOLE
                  : t->held[(size_t)near * m->block + ((size_t)cell & (m->block - 1))];
}

int fv_cell_is_odd(const fv_maker *m, int32_t cell) { return held_before(m, cell) != 1; }

int32_t fv_unit_of(const fv_maker *m, int32_t cell)
{
  if (fv_cell_is_ghost(m, cell) || fv_cell_kind(m, cell) == FV_SOLID) return -1;
  const int32_t master = fv_cell_master(m, cell);
  return m->t->near[master >> m->shift[3]] < 0 ? -1 : m->unit[fv_cell_index(m, master)];
}

/* Entry number i is counted to its unit. */
static void add_to_unit(fv_heirs *h, size_t i)
{
  const fv_entry *one = &h->entries[i];
  int32_t *most = &h->most[one->unit];
  h->has[one->unit] += one->part;
  if (*most < 0 || one->part > h->entries[*most].part) *most = (int32_t)i;
}

trm_status fv_add_entry(fv_heirs *h, int32_t unit, int32_t cell, double part)
{
  TRM_TRY(fv_list_grow(&h->entries, &h->room, h->count, sizeof *h->entries));
  h->entries[h->count] = (fv_entry){ unit, cell, part };
  add_to_unit(h, h->count++);
  return TRM_OK;
}

/* ---- cells to units ------------------------------------------------------------------ */

/* A covered cell's gas goes to the unit beside it with the most room. -1: there is none. */
static int32_t heir_of(const fv_maker *m, int32_t cell)
{
  double most = 0;
  int32_t best = -1;
  if (fv_cell_kind(m, cell) != FV_SOLID) return fv_unit_of(m, cell);
  for (int k = 0; k < 27; k++) {
    const int by[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
    if (m->side[2] == 1 && by[2]) continue;
    const int32_t beside = fv_cell_beside(m, cell, by), unit = fv_unit_of(m, beside);
    if (unit < 0) continue;
    const int32_t kind = fv_cell_kind(m, beside);
    const int far = abs(by[0]) + abs(by[1]) + abs(by[2]);
    const double room = (kind >= 0 ? m->t->record[kind].total : 1) / (far * far);
    if (room <= most) continue;
    most = room;
    best = unit;
  }
  return best;
}

/* Where a gap closes between flat walls a sheet of cells is covered at once, and those in its midst
 * have no unit beside them: theirs is that of a cell beside that has one, layer by layer from the
 * sheet's rim, of a nearer cell first. Where no rim is the gas is shut in. */
typedef struct orphan { int32_t cell, unit; } orphan;

static int32_t unit_beside(const fv_maker *m, int32_t cell, const orphan *known, size_t count)
{
  for (int far = 1; far <= 3; far++)
    for (int k = 0; k < 27; k++) {
      const int by[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
      if (abs(by[0]) + abs(by[1]) + abs(by[2]) != far || (m->side[2] == 1 && by[2])) continue;
      const int32_t beside = fv_cell_beside(m, cell, by);
      if (fv_cell_is_ghost(m, beside) || held_before(m, beside) == 0) continue;
      int32_t unit = fv_cell_kind(m, beside) == FV_SOLID ? heir_of(m, beside) : -1;
      for (size_t i = 0; i < count && unit < 0; i++)
        if (known[i].cell == beside) unit = known[i].unit;
      if (unit >= 0) return unit;
    }
  return -1;
}

static trm_status hand_on(fv_heirs *h, orphan *orphans, size_t count)
{
  size_t done = 0;
  while (done < count) { /* found ones come first, in order */
    const size_t known = done;
    for (size_t i = known; i < count; i++) {
      orphan o = orphans[i];
      o.unit = unit_beside(h->m, o.cell, orphans, known);
      if (o.unit < 0) continue;
      memmove(orphans + done + 1, orphans + done, (i - done) * sizeof *orphans);
      orphans[done++] = o;
      TRM_TRY(fv_add_entry(h, o.unit, o.cell, held_before(h->m, o.cell)));
    }
    if (done == known)
      return fv_cell_refuse(h->m, orphans[done].cell,
                            "walls close a gap whose gas has no way out; leave room between them");
  }
  return TRM_OK;
}

/* Where a gap opens between a body that slides and another, the grid sees it when it has reached a
 * corner of a cell, then the whole of it, of a flat wall a sheet of cells at once. A unit at a gap
 * that has much less gas, or more, than the walls leave it would have faces too large for its
 * volume. The walls there sweep the difference; a part of it in a step, so that gas stays gas. */
static const double SWEPT = 0.15, LITTLE = 0.8, MUCH = 1.25;

static void open_gaps(fv_heirs *h, int32_t unit)
{
  fv_cut_tables *t = h->m->t;
  const double has = h->has[unit] + h->sweep[unit], total = has - h->rest[unit];
  const double most = SWEPT * h->has[unit];
  const double lacks = fmin(fmax(fmin(fmax(has, LITTLE * total), MUCH * total) - has, -most), most);
  double area = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int32_t k = fv_cell_kind(h->m, t->unit[3 * unit]); k >= 0; k = t->record[k].next) {
      const fv_cut_record *r = &t->record[k];
      const double *n = r->cut.wall, own = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
      if (!r->is_gap || r->wall < 0) continue;
      if (pass == 0) area += own;
      else if (lacks != 0 && area > 0)
        *fv_wall_size(t, (size_t)r->wall, 14) +=
          own / area * lacks * fv_cell_width(h->m, (size_t)r->cell / h->m->block) / h->m->dt;
    }
  if (lacks == 0 || !(area > 0)) return;
  h->sweep[unit] += lacks;
  h->rest[unit] += lacks;
}

/* What leaves' cells held, and whose it is; unit -1: nobody's yet, which lost counts. to: where a
 * leaf's own come among all entries. */
typedef struct claims { fv_entry *of; size_t count, room; } claims;
typedef struct claim { fv_section own; size_t lost, to; } claim;
typedef struct estate {
  fv_heirs *h;
  claims *claims;              /* of threads */
  claim *leaf;
} estate;

static trm_status claim_leaf(void *user, size_t leaf, int thread)
{
  const estate *e = user;
  const fv_maker *m = e->h->m;
  const fv_cut_tables *t = m->t;
  claims *to = &e->claims[thread];
  claim *all = &e->leaf[leaf];
  *all = (claim){ .own = { .thread = thread, .first = to->count } };
  for (size_t k = 0; k < m->block && t->near[leaf] >= 0; k++) {
    const size_t i = fv_cell_in_turn(m, k);
    const int32_t cell = (int32_t)(leaf * m->block + i);
    const size_t at = (size_t)t->near[leaf] * m->block + i;
    if (t->kind[at] == FV_WHOLE && m->unit[at] < 0) continue; /* no unit's, and whole as before */
    const double held = held_before(m, cell);
    const int32_t unit = held > 0 ? heir_of(m, cell) : -1;
    if (!(held > 0) || (unit < 0 && t->kind[at] != FV_SOLID)) continue;
    TRM_TRY(fv_list_grow(&to->of, &to->room, to->count, sizeof *to->of));
    to->of[to->count++] = (fv_entry){ unit, cell, held };
    all->lost += unit < 0;
  }
  all->own.count = to->count - all->own.first;
  return TRM_OK;
}

static trm_status enter_leaf(void *user, size_t leaf, int thread)
{
  const estate *e = user;
  const fv_section *own = &e->leaf[leaf].own;
  const fv_entry *of = e->claims[own->thread].of + own->first;
  fv_entry *to = e->h->entries + e->leaf[leaf].to;
  (void)thread;
  for (size_t i = 0; i < own->count; i++)
    if (of[i].unit >= 0) *to++ = of[i];
  return TRM_OK;
}

/* Part i of all units: what they have by the entries, which are gone through in order. */
static trm_status add_up(void *user, size_t i, int thread)
{
  const estate *e = user;
  fv_heirs *h = e->h;
  const size_t parts = (size_t)trm_device_host_threads(h->m->device);
  const size_t units = (size_t)h->m->t->units, first = units * i / parts;
  const size_t count = units * (i + 1) / parts - first;
  (void)thread;
  for (size_t k = 0; k < h->count; k++)
    if ((size_t)h->entries[k].unit - first < count) add_to_unit(h, k);
  return TRM_OK;
}

/* In the order of cells, so that sums do not depend on threads. */
static trm_status enter_all(estate *e)
{
  fv_heirs *h = e->h;
  const trm_blocks *blocks = &h->m->forest->blocks;
  for (size_t k = 0; k < blocks->count; k++) {
    claim *leaf = &e->leaf[blocks->slot[k]];
    leaf->to = h->count;
    h->count += leaf->own.count - leaf->lost;
  }
  TRM_TRY(fv_list_grow(&h->entries, &h->room, h->count + h->count / 4, sizeof *h->entries));
  TRM_TRY(trm_device_host_each(h->m->device, blocks->count, enter_leaf, e));
  return trm_device_host_each(h->m->device, (size_t)trm_device_host_threads(h->m->device), add_up,
                              e);
}

static trm_status find_orphans(const estate *e)
{
  const trm_blocks *blocks = &e->h->m->forest->blocks;
  orphan *orphans = NULL;
  size_t count = 0, room = 0;
  trm_status status = TRM_OK;
  for (size_t k = 0; k < blocks->count; k++) {
    const claim *leaf = &e->leaf[blocks->slot[k]];
    for (size_t i = 0; leaf->lost > 0 && i < leaf->own.count && status == TRM_OK; i++) {
      const fv_entry *one = &e->claims[leaf->own.thread].of[leaf->own.first + i];
      if (one->unit >= 0) continue;
      status = fv_list_grow(&orphans, &room, count, sizeof *orphans);
      if (status == TRM_OK) orphans[count++] = (orphan){ one->cell, -1 };
    }
  }
  if (status == TRM_OK) status = hand_on(e->h, orphans, count);
  free(orphans);
  return status;
}

static trm_status weigh_unit(void *user, size_t i, int thread)
{
  fv_heirs *h = user;
  const fv_cut_tables *t = h->m->t;
  (void)thread;
  for (int32_t k = fv_cell_kind(h->m, t->unit[3 * i]); k >= 0; k = t->record[k].next) {
    const fv_cut_record *r = &t->record[k];
    h->has_wall[i] |= r->wall >= 0;
    if (r->wall >= 0) h->sweep[i] += fv_wall_sweep(h->m, r);
  }
  h->rest[i] = h->has[i] - (t->volume[3 * i + 1] - h->sweep[i]);
  open_gaps(h, (int32_t)i);
  return TRM_OK;
}

/* What units take over. */
static trm_status take_over(fv_heirs *h)
{
  fv_maker *m = h->m;
  const size_t leaves = m->forest->blocks.count;
  const int threads = trm_device_host_threads(m->device);
  estate e = { .h = h, .claims = calloc((size_t)threads, sizeof *e.claims),
               .leaf = malloc(leaves * sizeof *e.leaf) };
  trm_status status = e.claims && e.leaf ? trm_device_host_each(m->device, leaves, claim_leaf, &e)
                        : TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at walls");
  if (status == TRM_OK) status = enter_all(&e);
  if (status == TRM_OK) status = find_orphans(&e);
  for (int i = 0; i < threads && e.claims; i++) free(e.claims[i].of);
  free(e.claims);
  free(e.leaf);
  TRM_TRY(status);
  return trm_device_host_each(m->device, (size_t)m->t->units, weigh_unit, h);
}

trm_status fv_list_heirs(fv_maker *m)
{
  const size_t units = (size_t)m->t->units;
  fv_heirs h = { .m = m };
  if (!m->before) return TRM_OK;
  h.most = malloc((units + 1) * sizeof *h.most);
  h.sweep = calloc(units + 1, sizeof *h.sweep);
  h.has = calloc(units + 1, sizeof *h.has);
  h.rest = calloc(units + 1, sizeof *h.rest);
  h.has_wall = calloc(units + 1, 1);
  trm_status status = h.most && h.sweep && h.has && h.rest && h.has_wall
                        ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at walls");
  if (status == TRM_OK) memset(h.most, -1, (units + 1) * sizeof *h.most);
  if (status == TRM_OK) status = take_over(&h);
  if (status == TRM_OK) status = fv_hand_out(&h);
  if (status == TRM_OK) status = fv_list_entries(&h);
  free(h.most);
  free(h.sweep);
  free(h.has);
  free(h.rest);
  free(h.has_wall);
  free(h.entries);
  return status;
}
