/* cut_gifts.c - walls that move: gas that units hand to one another (cut_heirs.c), one after the
 * other in their order, since each gift depends on those before it. */
#include "solvers/fv/cut_heirs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BESIDE = 96 };

/* A cell's unit, if it is neither this one nor found. */
static void find_unit(const fv_maker *m, int32_t cell, int32_t unit, int32_t *found, int *count)
{
  const int32_t other = fv_unit_of(m, cell);
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
  TRM_TRY(fv_add_entry(h, to, cell, part));
  if (most >= 0) h->most[to] = most;
  return TRM_OK;
}

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

/* Which of these units, nearest first, takes a rest, or gives where it is negative: the first that
 * has a wall and can spare it, else the first that has a wall; -1. A piece at the edge of a box may
 * hold no more than it was filled up with from the very unit that has the rest. */
static int choose_walled(const fv_heirs *h, const int32_t *units, int count, double rest)
{
  int first = -1;
  for (int k = 0; k < count; k++) {
    if (!h->has_wall[units[k]]) continue;
    if (-rest < 0.9 * h->entries[h->most[units[k]]].part) return k;
    if (first < 0) first = k;
  }
  return first;
}

static trm_status hand_rests(fv_heirs *h)
{
  int32_t beside[MOST_BESIDE];
  for (int32_t i = 0; i < h->m->t->units; i++) {
    const double rest = h->rest[i];
    if (h->has_wall[i] || rest == 0) continue;
    const int count = units_beside(h->m, i, 1, beside);
    const int k = choose_walled(h, beside, count, rest);
    if (k < 0)
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
  fv_section *unit;
} pairs;

static trm_status find_pairs(void *user, size_t i, int thread)
{
  const pairs *p = user;
  struct others *to = &p->found[thread];
  int32_t beside[MOST_BESIDE];
  const int all = p->h->has_wall[i] ? units_beside(p->h->m, (int32_t)i, 0, beside) : 0;
  p->unit[i] = (fv_section){ .thread = thread, .first = to->count };
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

trm_status fv_hand_out(fv_heirs *h)
{
  TRM_TRY(fill_up(h));
  TRM_TRY(hand_rests(h));
  return level_out(h);
}
