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

enum { MOST_BESIDE = 96 };

/* Of what a thread listed, that of a leaf or a unit. */
typedef struct section { int thread; size_t first, count; } section;

/* What a cell held before the step. */
static double held_before(const fv_maker *m, int32_t cell)
{
  const fv_cut_tables *t = m->before;
  const int32_t near = t->near[cell >> m->shift[3]];
  return near < 0 ? near == FV_WHOLE
                  : t->held[(size_t)near * m->block + ((size_t)cell & (m->block - 1))];
}

int fv_cell_is_odd(const fv_maker *m, int32_t cell) { return held_before(m, cell) != 1; }

static int32_t unit_of(const fv_maker *m, int32_t cell)
{
  if (fv_cell_is_ghost(m, cell) || fv_cell_kind(m, cell) == FV_SOLID) return -1;
  const int32_t master = fv_cell_master(m, cell);
  return m->t->near[master >> m->shift[3]] < 0 ? -1 : m->unit[fv_cell_index(m, master)];
}

/* A cell's unit, if it is neither this one nor found. */
static void find_unit(const fv_maker *m, int32_t cell, int32_t unit, int32_t *found, int *count)
{
  const int32_t other = unit_of(m, cell);
  int is_new = other >= 0 && other != unit && *count < MOST_BESIDE;
  for (int i = 0; i < *count; i++) is_new &= found[i] != other;
  if (is_new) found[(*count)++] = other;
}

/* The units in the cells about a cell, so many steps along axes away. */
static void find_units(const fv_maker *m, int32_t cell, int far, int32_t unit, int32_t *found,
                       int *count)
{
  static const int faces[6] = { 4, 2, 0, 1, 3, 5 }; /* as k below comes to them */
  for (int k = 0; k < 6 && far == 1; k++)
    if (faces[k] < fv_cell_faces(m))
      find_unit(m, fv_cell_beyond(m, cell, faces[k]), unit, found, count);
  for (int k = 0; k < 27 && far > 1; k++) {
    const int by[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
    if (abs(by[0]) + abs(by[1]) + abs(by[2]) != far || (m->side[2] == 1 && by[2])) continue;
    find_unit(m, fv_cell_beside(m, cell, by), unit, found, count);
  }
}

/* The units in the cells about one's, nearest first: over faces alone, or over corners too. */
static int units_beside(const fv_maker *m, int32_t unit, int over_corners, int32_t *found)
{
  const int32_t master = m->t->unit[3 * unit];
  int count = 0;
  for (int far = 1; far <= (over_corners ? 3 : 1); far++)
    for (int32_t cell = master, kind = fv_cell_kind(m, master);;) {
      find_units(m, cell, far, unit, found, &count);
      kind = kind >= 0 ? m->t->record[kind].next : -1;
      if (kind < 0) break;
      cell = m->t->record[kind].cell;
    }
  return count;
}

static trm_status add_entry(fv_heirs *h, int32_t unit, int32_t cell, double part)
{
  TRM_TRY(fv_list_grow(&h->entries, &h->room, h->count, sizeof *h->entries));
  h->entries[h->count] = (fv_entry){ unit, cell, part };
  h->has[unit] += part;
  if (h->most[unit] < 0 || part > h->entries[h->most[unit]].part)
    h->most[unit] = (int32_t)h->count;
  h->count++;
  return TRM_OK;
}

/* So much gas of one unit to another. */
static trm_status give(fv_heirs *h, int32_t from, int32_t to, double part)
{
  fv_entry *of = &h->entries[h->most[from]];
  const int32_t most = h->most[to];
  if (!(part < 0.9 * of->part))
    return fv_cell_refuse(h->m, of->cell, "a wall sweeps most of a cell in one step; lower "
                                          "compressible.cfl");
  const int32_t cell = of->cell;
  of->part -= part;
  h->has[from] -= part;
  h->rest[from] -= part;
  h->rest[to] += part;
  TRM_TRY(add_entry(h, to, cell, part));
  if (most >= 0) h->most[to] = most;
  return TRM_OK;
}

/* ---- cells to units ------------------------------------------------------------------ */

/* A covered cell's gas goes to the unit beside it with the most room. -1: there is none. */
static int32_t heir_of(const fv_maker *m, int32_t cell)
{
  double most = 0;
  int32_t best = -1;
  if (fv_cell_kind(m, cell) != FV_SOLID) return unit_of(m, cell);
  for (int k = 0; k < 27; k++) {
    const int by[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
    if (m->side[2] == 1 && by[2]) continue;
    const int32_t beside = fv_cell_beside(m, cell, by), unit = unit_of(m, beside);
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
      TRM_TRY(add_entry(h, o.unit, o.cell, held_before(h->m, o.cell)));
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

/* What leaves' cells held, and whose it is; unit -1: nobody's yet. */
typedef struct claims { fv_entry *of; size_t count, room; } claims;
typedef struct estate {
  const fv_maker *m;
  claims *claims;              /* of threads */
  section *leaf;
} estate;

static trm_status claim_leaf(void *user, size_t leaf, int thread)
{
  const estate *e = user;
  const fv_maker *m = e->m;
  const fv_cut_tables *t = m->t;
  claims *to = &e->claims[thread];
  e->leaf[leaf] = (section){ .thread = thread, .first = to->count };
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
  }
  e->leaf[leaf].count = to->count - e->leaf[leaf].first;
  return TRM_OK;
}

/* In the order of cells. */
static trm_status add_claims(fv_heirs *h, const estate *e)
{
  orphan *orphans = NULL;
  size_t count = 0, room = 0;
  trm_status status = TRM_OK;
  for (size_t k = 0; k < h->m->forest->blocks.count; k++) {
    const section *leaf = &e->leaf[h->m->forest->blocks.slot[k]];
    for (size_t i = 0; i < leaf->count && status == TRM_OK; i++) {
      const fv_entry *one = &e->claims[leaf->thread].of[leaf->first + i];
      if (one->unit >= 0) {
        status = add_entry(h, one->unit, one->cell, one->part);
        continue;
      }
      status = fv_list_grow(&orphans, &room, count, sizeof *orphans);
      if (status == TRM_OK) orphans[count++] = (orphan){ one->cell, -1 };
    }
  }
  if (status == TRM_OK) status = hand_on(h, orphans, count);
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
  estate e = { .m = m, .claims = calloc((size_t)threads, sizeof *e.claims),
               .leaf = malloc(leaves * sizeof *e.leaf) };
  trm_status status = e.claims && e.leaf ? trm_device_host_each(m->device, leaves, claim_leaf, &e)
                        : TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at walls");
  if (status == TRM_OK) status = add_claims(h, &e);
  for (int i = 0; i < threads && e.claims; i++) free(e.claims[i].of);
  free(e.claims);
  free(e.leaf);
  TRM_TRY(status);
  return trm_device_host_each(m->device, (size_t)m->t->units, weigh_unit, h);
}

/* ---- between units ------------------------------------------------------------------- */

/* Of a unit that walls uncover so fast that it would begin with next to nothing; in a gap, where
 * all beside it are like it and walls sweep the rest, so much is enough to begin with. */
static const double LEAST = 0.25, LEAST_IN_GAP = 0.1;

static int is_at_gap(const fv_heirs *h, int32_t unit)
{
  int is = 0;
  for (int32_t k = fv_cell_kind(h->m, h->m->t->unit[3 * unit]); k >= 0 && !is;
       k = h->m->t->record[k].next)
    is = h->m->t->record[k].is_gap;
  return is;
}

static trm_status fill_up(fv_heirs *h)
{
  int32_t beside[MOST_BESIDE];
  for (int32_t i = 0; i < h->m->t->units; i++) {
    if (h->has[i] >= LEAST) continue;
    const int count = units_beside(h->m, i, 0, beside);
    int32_t best = -1;
    for (int k = 0; k < count; k++)
      if (best < 0 || h->has[beside[k]] > h->has[best]) best = beside[k];
    const double lacks = LEAST - h->has[i];
    const int has_donor = best >= 0 && h->has[best] - lacks >= LEAST;
    if (!has_donor && h->has[i] >= LEAST_IN_GAP && is_at_gap(h, i)) continue;
    if (!has_donor)
      return fv_cell_refuse(h->m, h->m->t->unit[3 * i], is_at_gap(h, i)
                              ? "a gap opens to a whole cell in one step; move the flat wall that "
                                "rests beside it off the sides of cells, by part of a cell"
                              : "a wall uncovers a whole cell in one step; lower compressible.cfl");
    TRM_TRY(give(h, best, i, lacks));
  }
  return TRM_OK;
}

static trm_status hand_rests(fv_heirs *h)
{
  int32_t beside[MOST_BESIDE];
  for (int32_t i = 0; i < h->m->t->units; i++) {
    const double rest = h->rest[i];
    if (h->has_wall[i] || rest == 0) continue;
    const int count = units_beside(h->m, i, 1, beside);
    int k = 0;
    while (k < count && !h->has_wall[beside[k]]) k++;
    if (k == count)
      return fv_cell_refuse(h->m, h->m->t->unit[3 * i], "a wall leaves too far in one step; lower "
                                                        "compressible.cfl");
    TRM_TRY(rest > 0 ? give(h, i, beside[k], rest) : give(h, beside[k], i, -rest));
    h->rest[i] = 0;
  }
  return TRM_OK;
}

/* So much, or as much as the one can do without. */
static trm_status spare(fv_heirs *h, int32_t from, int32_t to, double part)
{
  const double most = fmin(0.89 * h->entries[h->most[from]].part, h->has[from] - 0.1);
  return most > 0 ? give(h, from, to, fmin(part, most)) : TRM_OK;
}

/* Units with walls beside one another: of a unit, those that a thread found. */
typedef struct pairs {
  const fv_heirs *h;
  struct others { int32_t *of; size_t count, room; } *found;
  section *unit;
} pairs;

static trm_status find_pairs(void *user, size_t i, int thread)
{
  const pairs *p = user;
  struct others *to = &p->found[thread];
  int32_t beside[MOST_BESIDE];
  const int all = p->h->has_wall[i] ? units_beside(p->h->m, (int32_t)i, 0, beside) : 0;
  p->unit[i] = (section){ .thread = thread, .first = to->count };
  for (int k = 0; k < all; k++) {
    if (!p->h->has_wall[beside[k]]) continue;
    TRM_TRY(fv_list_grow(&to->of, &to->room, to->count, sizeof *to->of));
    to->of[to->count++] = beside[k];
  }
  p->unit[i].count = to->count - p->unit[i].first;
  return TRM_OK;
}

/* Half of what would make neighbours alike, were each pair alone. */
static trm_status level_pairs(fv_heirs *h, const pairs *p, const double *rest)
{
  for (int32_t i = 0; i < h->m->t->units; i++) {
    const int32_t *other = p->found[p->unit[i].thread].of + p->unit[i].first;
    for (size_t k = 0; k < p->unit[i].count; k++) {
      const int32_t j = other[k];
      if (j < i || rest[i] == rest[j]) continue;
      const size_t here = p->unit[i].count, there = p->unit[j].count;
      const double part = 0.5 * (rest[i] - rest[j]) / (double)(here > there ? here : there);
      TRM_TRY(part > 0 ? spare(h, i, j, part) : spare(h, j, i, -part));
    }
  }
  return TRM_OK;
}

static trm_status level_out(fv_heirs *h)
{
  const size_t units = (size_t)h->m->t->units;
  const int threads = trm_device_host_threads(h->m->device);
  pairs p = { .h = h, .found = calloc((size_t)threads, sizeof *p.found),
              .unit = malloc((units + 1) * sizeof *p.unit) };
  double *rest = malloc((units + 1) * sizeof *rest);
  trm_status status = rest && p.found && p.unit
                        ? trm_device_host_each(h->m->device, units, find_pairs, &p)
                        : TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at walls");
  if (status == TRM_OK) {
    memcpy(rest, h->rest, units * sizeof *rest);
    status = level_pairs(h, &p, rest);
  }
  for (int i = 0; i < threads && p.found; i++) free(p.found[i].of);
  free(rest);
  free(p.found);
  free(p.unit);
  return status;
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
  if (status == TRM_OK) status = fill_up(&h);
  if (status == TRM_OK) status = hand_rests(&h);
  if (status == TRM_OK) status = level_out(&h);
  if (status == TRM_OK) status = fv_list_entries(&h);
  free(h.most);
  free(h.sweep);
  free(h.has);
  free(h.rest);
  free(h.has_wall);
  free(h.entries);
  return status;
}
