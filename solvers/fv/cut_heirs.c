/* cut_heirs.c - walls that move: which units have the gas that cells had before the step. */
#include "solvers/fv/cut_maker.h"

#include <stdlib.h>

/* The unit that has a cell's gas after the step; a covered one gives it to that beside it with the
 * most room. -1: none has it, or the stage does. */
static int32_t heir_of(const fv_maker *m, int32_t cell)
{
  double most = 0;
  int32_t best = -1;
  if (fv_cell_kind(m, cell) != FV_SOLID) return m->unit[fv_cell_index(m, fv_cell_master(m, cell))];
  for (int k = 0; k < 27; k++) {
    const int by[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
    if (m->side[2] == 1 && by[2]) continue;
    const int32_t beside = fv_cell_beside(m, cell, by), kind = fv_cell_kind(m, beside);
    if (fv_cell_is_ghost(m, beside) || kind == FV_SOLID) continue;
    const int far = abs(by[0]) + abs(by[1]) + abs(by[2]);
    const double room = (kind >= 0 ? m->t->record[kind].total : 1) / (far * far);
    const int32_t unit = m->unit[fv_cell_index(m, fv_cell_master(m, beside))];
    if (unit < 0 || room <= most) continue;
    most = room;
    best = unit;
  }
  return best;
}

/* Volumes of units before the step, their changes, and of these what the sweep of their walls does
 * not account for, since walls are straight in a cell and the gas they leave is not. */
static trm_status weigh_changes(fv_maker *m)
{
  fv_cut_tables *t = m->t;
  for (int i = 0; i < t->units; i++) {
    double *v = t->volume + 4 * i, sweep = 0, old = 0;
    for (int e = t->first[i]; e < t->first[i + 1]; e++) old += t->part[e];
    if (!(old > 0.01))
      return fv_cell_refuse(m, t->unit[3 * i], "a wall uncovers a whole cell in one step; lower "
                                               "compressible.cfl");
    for (int e = t->first[i]; e < t->first[i + 1]; e++) t->part[e] /= old;
    for (int32_t k = fv_cell_kind(m, t->unit[3 * i]); k >= 0; k = t->record[k].next)
      for (int a = 0; a < 3 && t->record[k].wall >= 0; a++)
        sweep += m->bodies->body[t->record[k].body].step[a] * t->record[k].cut.wall[a] /
                 fv_cell_width(m, (size_t)t->record[k].cell / m->block);
    v[2] = v[1] - old;
    v[3] = v[2] - sweep;
    v[1] = old;
  }
  return TRM_OK;
}

trm_status fv_list_heirs(fv_maker *m)
{
  fv_cut_tables *t = m->t;
  const size_t leaves = m->forest->blocks.count;
  if (!m->before) return TRM_OK;
  t->first = calloc((size_t)t->units + 2, sizeof *t->first);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t leaf = 0; leaf < leaves; leaf++)
      for (size_t i = 0; i < m->block && t->near[leaf] >= 0; i++) {
        const int32_t cell = (int32_t)(leaf * m->block + i);
        const int32_t unit = m->before[cell] > 0 ? heir_of(m, cell) : -1;
        if (!t->first || unit < 0) {
          if (m->before[cell] > 0 && fv_cell_kind(m, cell) == FV_SOLID)
            return fv_cell_refuse(m, cell, "a wall covers gas that no cell beside could take; "
                                           "lower compressible.cfl, or leave more room between "
                                           "walls");
          continue;
        }
        if (!pass) t->first[unit + 2]++;
        else {
          const int32_t e = t->first[unit + 1]++;
          t->from[e] = cell;
          t->part[e] = m->before[cell];
        }
      }
    if (pass) break;
    for (int i = 0; i < t->units && t->first; i++) t->first[i + 2] += t->first[i + 1];
    t->froms = t->first ? (size_t)t->first[t->units + 1] : 0;
    t->from = malloc((t->froms + 1) * sizeof *t->from);
    t->part = malloc((t->froms + 1) * sizeof *t->part);
    if (!t->first || !t->from || !t->part)
      return TRM_FAIL(NO_HOST_MEMORY, "no memory for cells that walls move through");
  }
  return weigh_changes(m);
}
