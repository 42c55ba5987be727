/* cut_covered.c - walls that move: whose the gas is that covered cells held. It is listed in the
 * order of leaves and cells, and a step covers few. */
#include "solvers/compressible/cutcells/cut_heirs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BESIDE = 27 };

/* Way k from a cell to one beside it, itself the 13th; how many axes it goes along, -1: there is
 * none, the grid is flat. */
static int way(const fv_maker *m, int k, int by[3])
{
  by[0] = k % 3 - 1;
  by[1] = k / 3 % 3 - 1;
  by[2] = k / 9 - 1;
  return m->side[2] == 1 && by[2] ? -1 : abs(by[0]) + abs(by[1]) + abs(by[2]);
}

/* Of a covered cell: the unit beside it with the most room, far ones counting less, or those that
 * have as much. Returns how many. */
static int find_heirs(const fv_maker *m, int32_t cell, int32_t units[BESIDE])
{
  double room[BESIDE] = { 0 }, most = 0;
  int32_t unit[BESIDE];
  int count = 0;
  for (int k = 0, by[3]; k < BESIDE; k++) {
    const int far = way(m, k, by);
    if (far <= 0) continue;
    const int32_t beside = fv_cell_beside(m, cell, by);
    unit[k] = fv_unit_of(m, beside);
    if (unit[k] < 0) continue;
    const int32_t kind = fv_cell_kind(m, beside);
    room[k] = (kind >= 0 ? m->t->record[kind].total : 1) / (far * far);
    most = fmax(most, room[k]);
  }
  for (int k = 0; k < BESIDE; k++) {
    int is_new = most > 0 && room[k] * FV_ALIKE >= most;
    for (int i = 0; i < count && is_new; i++) is_new = units[i] != unit[k];
    if (is_new) units[count++] = unit[k];
  }
  return count;
}

/* Whether a leaf near walls may have covered cells that held gas: most have none. */
static int may_have_covered(const fv_maker *m, size_t leaf)
{
  const int32_t was = m->before->near[leaf];
  const int32_t *kind = m->t->kind + (size_t)m->t->near[leaf] * m->block;
  int any = 0;
  if (was < 0) return was == FV_WHOLE;
  const double *held = m->before->held + (size_t)was * m->block;
  for (size_t i = 0; i < m->block; i++) any |= (kind[i] == FV_SOLID) & (held[i] > 0);
  return any;
}

/* What a leaf's covered cells held, shared out; unit -1: nobody's yet. */
static trm_status list_leaf(void *user, size_t i, fv_row *row)
{
  const fv_maker *m = ((const fv_heirs *)user)->m;
  const size_t leaf = (size_t)m->forest->blocks.slot[i];
  const int32_t near = m->t->near[leaf];
  int32_t units[BESIDE];
  if (near < 0 || !may_have_covered(m, leaf)) return TRM_OK;
  for (size_t k = 0; k < m->block; k++) {
    const size_t at = fv_cell_in_turn(m, k);
    const int32_t cell = (int32_t)(leaf * m->block + at);
    if (m->t->kind[(size_t)near * m->block + at] != FV_SOLID) continue;
    const double held = fv_held_before(m, cell);
    if (!(held > 0)) continue;
    const int count = find_heirs(m, cell, units);
    for (int j = 0; j < count; j++)
      TRM_TRY(fv_row_add(row, &(fv_covered){ units[j], cell, 0, held / count }, 1));
    if (count == 0) TRM_TRY(fv_row_add(row, &(fv_covered){ -1, cell, 0, held }, 1));
  }
  return TRM_OK;
}

/* ---- cells with no unit beside them ---------------------------------------------------- */

/* Where a gap closes between flat walls a sheet of cells is covered at once, and those in its midst
 * have no unit beside them: theirs is that of a cell beside that has one, layer by layer from the
 * sheet's rim, of a nearer cell first. Where no rim is the gas is shut in. orphans: which of the
 * covered ones are such; so many of them have a unit. */
static int32_t unit_beside(const fv_heirs *h, int32_t cell, const size_t *orphans, size_t known)
{
  const fv_maker *m = h->m;
  int32_t units[BESIDE];
  for (int far = 1; far <= 3; far++)
    for (int k = 0, by[3]; k < BESIDE; k++) {
      if (way(m, k, by) != far) continue;
      const int32_t beside = fv_cell_beside(m, cell, by);
      if (fv_cell_is_ghost(m, beside) || fv_held_before(m, beside) == 0) continue;
      if (fv_cell_kind(m, beside) == FV_SOLID && find_heirs(m, beside, units) > 0) return units[0];
      for (size_t i = 0; i < known; i++)
        if (h->covered[orphans[i]].cell == beside) return h->covered[orphans[i]].unit;
    }
  return -1;
}

static trm_status find_layers(const fv_heirs *h, size_t *orphans, size_t count)
{
  size_t done = 0;
  while (done < count) { /* found ones come first, in order */
    const size_t known = done;
    for (size_t i = known; i < count; i++) {
      const size_t one = orphans[i];
      h->covered[one].unit = unit_beside(h, h->covered[one].cell, orphans, known);
      if (h->covered[one].unit < 0) continue;
      memmove(orphans + done + 1, orphans + done, (i - done) * sizeof *orphans);
      orphans[done++] = one;
    }
    if (done == known)
      return fv_cell_refuse(h->m, h->covered[orphans[done]].cell,
                            "walls close a gap whose gas has no way out; leave room between them");
  }
  return TRM_OK;
}

static trm_status find_orphans(const fv_heirs *h)
{
  size_t count = 0;
  size_t *orphans = malloc((h->covered_count + 1) * sizeof *orphans);
  if (!orphans) return TRM_FAIL(NO_HOST_MEMORY, "no memory for cells that walls cover");
  for (size_t i = 0; i < h->covered_count; i++)
    if (h->covered[i].unit < 0) orphans[count++] = i;
  const trm_status status = find_layers(h, orphans, count);
  free(orphans);
  return status;
}

/* Entry number i comes first of its unit's. */
static void link_entry(fv_heirs *h, size_t i)
{
  int32_t *first = &h->unit[h->covered[i].unit].first_covered;
  h->covered[i].next = *first;
  *first = (int32_t)i + 1;
}

trm_status fv_add_covered(fv_heirs *h, int32_t unit, int32_t cell, double part)
{
  TRM_TRY(fv_list_grow(&h->covered, &h->covered_room, h->covered_count, sizeof *h->covered));
  h->covered[h->covered_count] = (fv_covered){ unit, cell, 0, part };
  link_entry(h, h->covered_count++);
  return TRM_OK;
}

trm_status fv_list_covered(fv_heirs *h)
{
  const size_t leaves = h->m->forest->blocks.count;
  fv_rows rows = { .threads = 0 };
  trm_status status = fv_rows_make(h->m->device, leaves, sizeof *h->covered, list_leaf, h, &rows);
  if (status == TRM_OK)
    status = fv_rows_join(&rows, leaves, &h->covered, &h->covered_room, &h->covered_count);
  fv_rows_free(&rows);
  TRM_TRY(status);
  TRM_TRY(find_orphans(h));
  for (size_t i = h->covered_count; i-- > 0;) link_entry(h, i);
  return TRM_OK;
}
