/* cut_gifts.c - walls that move: gas that units hand to one another (cut_heirs.c).
 *
 * Each unit asks by what all have when a round begins; whom more is asked of than it can spare
 * gives everyone the same part of it, and those who lack some still ask again. Units that are as
 * good as one another give alike, so that what mirror images do are mirror images. */
#include "solvers/compressible/cutcells/cut_heirs.h"

#include <math.h>
#include <stdlib.h>

enum {
  MOST_BESIDE = 96,
  CHUNK = 256                  /* so many units are looked through at a time */
};

/* What is less is a sum's rounding. */
static const double ROUNDING = 1e-15;

/* A cell's unit, if it is neither this one nor found. */
static void find_unit(const fv_maker *m, int32_t cell, int32_t unit, int32_t *found, int *count)
{
  const int32_t other = fv_unit_of(m, cell);
  int is_new = other >= 0 && other != unit && *count < MOST_BESIDE;
  for (int i = 0; i < *count; i++) is_new &= found[i] != other;
  if (is_new) found[(*count)++] = other;
}

/* The units in the cells about one's, so many steps along axes away: 1, over faces. */
static void find_units(const fv_maker *m, int32_t unit, int far, int32_t *found, int *count)
{
  const int32_t master = m->t->unit[3 * unit];
  for (int32_t cell = master, kind = fv_cell_kind(m, master); cell >= 0;) {
    for (int f = 0; f < fv_cell_faces(m) && far == 1; f++)
      find_unit(m, fv_cell_beyond(m, cell, f), unit, found, count);
    for (int k = 0; k < 27 && far > 1; k++) {
      const int by[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
      if (abs(by[0]) + abs(by[1]) + abs(by[2]) != far || (m->side[2] == 1 && by[2])) continue;
      find_unit(m, fv_cell_beside(m, cell, by), unit, found, count);
    }
    kind = kind >= 0 ? m->t->record[kind].next : -1;
    cell = kind >= 0 ? m->t->record[kind].cell : -1;
  }
}

/* ---- gifts of few ---------------------------------------------------------------------- */

/* What a unit can do without, of its own, so that it has so much at least. */
static double spare(const fv_heir *unit, double least)
{
  return fmax(0, fmin(0.9 * unit->kept, unit->has - least));
}

/* Asks some for so much, the one more that can spare more; 0: all together cannot. */
static trm_status ask(const fv_heirs *h, const int32_t *of, int count, int32_t to, double part,
                      double least, int *can, fv_row *row)
{
  double all = 0;
  for (int k = 0; k < count; k++) all += spare(&h->unit[of[k]], least);
  *can = all >= part;
  for (int k = 0; k < count && *can; k++) {
    const double one = spare(&h->unit[of[k]], least) / all * part;
    if (one > 0) TRM_TRY(fv_row_add(row, &(fv_gift){ of[k], to, 0, one }, 1));
  }
  return TRM_OK;
}

/* Gifts from this one on are made, so that everyone who gives has so much at least. */
static void give(const fv_heirs *h, size_t first, double least)
{
  for (size_t i = first; i < h->gift_count; i++)
    h->unit[h->gifts[i].from].asked += h->gifts[i].part;
  for (size_t i = first; i < h->gift_count; i++) {
    const fv_heir *from = &h->unit[h->gifts[i].from];
    h->gifts[i].part *= fmin(1, spare(from, least) / from->asked);
  }
  for (size_t i = first; i < h->gift_count; i++) {
    const fv_gift *gift = &h->gifts[i];
    fv_heir *from = &h->unit[gift->from], *to = &h->unit[gift->to];
    from->asked = 0;
    from->kept -= gift->part;
    from->has -= gift->part;
    from->rest -= gift->part;
    to->has += gift->part;
    to->rest += gift->part;
  }
}

/* Rounds of gifts, as `wish` lists them for a chunk of units, until there are none. */
static trm_status give_all(fv_heirs *h, fv_row_fn *wish, double least)
{
  const size_t chunks = ((size_t)h->m->t->units + CHUNK - 1) / CHUNK;
  for (size_t before = SIZE_MAX; before != h->gift_count;) {
    fv_rows rows = { .threads = 0 };
    before = h->gift_count;
    trm_status status = fv_rows_make(h->m->device, chunks, sizeof *h->gifts, wish, h, &rows);
    if (status == TRM_OK)
      status = fv_rows_join(&rows, chunks, &h->gifts, &h->gift_room, &h->gift_count);
    fv_rows_free(&rows);
    TRM_TRY(status);
    give(h, before, least);
  }
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

static trm_status fill_up(const fv_heirs *h, int32_t i, fv_row *row)
{
  const fv_heir *unit = &h->unit[i];
  int32_t beside[MOST_BESIDE];
  int count = 0, can;
  if (unit->has >= LEAST - ROUNDING) return TRM_OK;
  find_units(h->m, i, 1, beside, &count);
  TRM_TRY(ask(h, beside, count, i, LEAST - unit->has, LEAST, &can, row));
  if (can || (unit->has >= LEAST_IN_GAP && is_at_gap(h, i))) return TRM_OK;
  return fv_cell_refuse(h->m, h->m->t->unit[3 * i], is_at_gap(h, i)
                          ? "a gap opens to a whole cell in one step; move the flat wall that "
                            "rests beside it off the sides of cells, by part of a cell"
                          : "a wall uncovers a whole cell in one step; lower compressible.cfl");
}

/* To the nearest units with walls, or from the nearest that can spare it together: one that begins
 * may have less. */
static trm_status hand_rest(const fv_heirs *h, int32_t i, fv_row *row)
{
  const fv_heir *unit = &h->unit[i];
  int32_t beside[MOST_BESIDE];
  int count = 0, can = 0;
  if (unit->has_wall || fabs(unit->rest) <= ROUNDING) return TRM_OK;
  for (int far = 1; far <= 3 && !can; far++) {
    int walled = count;
    find_units(h->m, i, far, beside, &count);
    for (int k = walled; k < count; k++)
      if (h->unit[beside[k]].has_wall) beside[walled++] = beside[k];
    count = walled;
    if (unit->rest < 0) TRM_TRY(ask(h, beside, count, i, -unit->rest, 0, &can, row));
    else can = count > 0 && unit->rest <= spare(unit, 0);
  }
  for (int k = 0; k < count && can && unit->rest > 0; k++)
    TRM_TRY(fv_row_add(row, &(fv_gift){ i, beside[k], 0, unit->rest / count }, 1));
  if (can) return TRM_OK;
  return fv_cell_refuse(h->m, h->m->t->unit[3 * i], count > 0
                          ? "a wall sweeps most of a cell in one step; lower compressible.cfl"
                          : "a wall leaves too far in one step; lower compressible.cfl");
}

/* From then on it is gas of their own: of all cells of the one that gave it alike. */
typedef struct filling { fv_heirs *h; int32_t to; double part; } filling;

static trm_status fill_from(void *user, int32_t cell, double part)
{
  const filling *f = user;
  f->h->unit[f->to].cells++;
  return fv_add_covered(f->h, f->to, cell, f->part * part);
}

static trm_status own_gifts(fv_heirs *h)
{
  for (size_t i = 0; i < h->gift_count; i++) {
    const fv_gift *gift = &h->gifts[i];
    fv_heir *to = &h->unit[gift->to];
    to->own += gift->part;
    to->kept += gift->part;
    TRM_TRY(fv_each_own(h, (size_t)gift->from, fill_from,
                        &(filling){ h, gift->to, gift->part / h->unit[gift->from].own }));
  }
  h->gift_count = 0;
  return TRM_OK;
}

static trm_status fill_chunk(void *user, size_t chunk, fv_row *row)
{
  const fv_heirs *h = user;
  for (size_t i = chunk * CHUNK; i < (chunk + 1) * CHUNK && i < (size_t)h->m->t->units; i++)
    TRM_TRY(fill_up(h, (int32_t)i, row));
  return TRM_OK;
}

static trm_status hand_chunk(void *user, size_t chunk, fv_row *row)
{
  const fv_heirs *h = user;
  for (size_t i = chunk * CHUNK; i < (chunk + 1) * CHUNK && i < (size_t)h->m->t->units; i++)
    TRM_TRY(hand_rest(h, (int32_t)i, row));
  return TRM_OK;
}

/* ---- gifts of all with walls ------------------------------------------------------------ */

static trm_status list_beside(void *user, size_t i, fv_row *row)
{
  const fv_heirs *h = user;
  int32_t beside[MOST_BESIDE];
  int count = 0;
  if (!h->unit[i].has_wall) return TRM_OK;
  find_units(h->m, (int32_t)i, 1, beside, &count);
  for (int k = 0; k < count; k++)
    if (h->unit[beside[k]].has_wall) TRM_TRY(fv_row_add(row, &beside[k], 1));
  return TRM_OK;
}

/* Half of what would make neighbours alike, were each pair alone. */
static double level_wish(const fv_heirs *h, int32_t from, int32_t to)
{
  const double more = h->unit[from].rest - h->unit[to].rest;
  if (!(more > ROUNDING)) return 0;
  const size_t here = h->beside.item[from].count, there = h->beside.item[to].count;
  return 0.5 * more / (double)(here > there ? here : there);
}

static trm_status ask_to_level(void *user, size_t i, int thread)
{
  const fv_heirs *h = user;
  const int32_t *beside = fv_rows_of(&h->beside, i);
  (void)thread;
  for (size_t k = 0; k < h->beside.item[i].count; k++)
    h->unit[i].asked += level_wish(h, (int32_t)i, beside[k]);
  return TRM_OK;
}

/* All that is asked, or as much as the one can do without. */
double fv_level_gifts(const fv_heirs *h, int32_t from)
{
  return fmin(h->unit[from].asked, spare(&h->unit[from], 0.1));
}

double fv_level_gift(const fv_heirs *h, int32_t from, int32_t to)
{
  const double wish = level_wish(h, from, to);
  return wish > 0 ? wish * (fv_level_gifts(h, from) / h->unit[from].asked) : 0;
}

trm_status fv_hand_out(fv_heirs *h)
{
  const size_t units = (size_t)h->m->t->units;
  TRM_TRY(give_all(h, fill_chunk, LEAST));
  TRM_TRY(own_gifts(h));
  TRM_TRY(give_all(h, hand_chunk, 0));
  for (size_t i = h->gift_count; i-- > 0;) {
    int32_t *first = &h->unit[h->gifts[i].to].first_gift;
    h->gifts[i].next = *first;
    *first = (int32_t)i + 1;
  }
  TRM_TRY(fv_rows_make(h->m->device, units, sizeof(int32_t), list_beside, h, &h->beside));
  return trm_device_host_each(h->m->device, units, ask_to_level, h);
}
