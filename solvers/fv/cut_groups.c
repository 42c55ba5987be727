/* cut_groups.c - pieces of cells that are too small and whom they join. */
#include "solvers/fv/cut_maker.h"

#include <math.h>
#include <stdlib.h>

/* The face beyond which a small piece's master lies: a large enough neighbour, rather along the
 * wall's normal and through a wide opening; or, chained, a piece that has a master; -1. */
static int choose_face(const fv_maker *m, const fv_cut_record *r, int is_chained)
{
  double most = 0, area = 0;
  int best = -1;
  for (int a = 0; a < 3; a++) area += r->cut.wall[a] * r->cut.wall[a];
  for (int f = 0; f < fv_cell_faces(m); f++) {
    const int32_t cell = fv_cell_beyond(m, r->cell, f), kind = fv_cell_kind(m, cell);
    if (r->cut.open[f] <= 0 || kind == FV_SOLID || fv_cell_is_ghost(m, cell)) continue;
    const fv_cut_record *to = kind >= 0 ? &m->t->record[kind] : NULL;
    if (is_chained ? !to || to->master == cell : to && to->cut.volume < m->bodies->small) continue;
    const double along = -r->cut.wall[f / 2] * (f % 2 ? 1 : -1) / sqrt(area);
    const double value = (to ? 0.5 : 1) * r->cut.open[f] * fmax(along, 0.01);
    if (value > most) {
      most = value;
      best = f;
    }
  }
  return best;
}

/* Whole cells that become masters have records too. */
static trm_status record_of(fv_maker *m, int32_t cell, int32_t *out)
{
  static const double whole[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
  *out = fv_cell_kind(m, cell);
  if (*out >= 0) return TRM_OK;
  fv_cut_record r = { .cell = cell, .master = cell, .next = -1, .wall = -1 };
  fv_cut_cell(whole, &r.cut);
  TRM_TRY(fv_list_grow(&m->t->record, &m->record_room, m->t->records, sizeof r));
  *out = (int32_t)m->t->records;
  m->t->kind[fv_cell_index(m, cell)] = *out;
  m->t->record[m->t->records++] = r;
  return TRM_OK;
}

static trm_status merge(fv_maker *m, int32_t number, int f)
{
  const int32_t beside = fv_cell_beyond(m, m->t->record[number].cell, f);
  const int32_t kind = fv_cell_kind(m, beside);
  const fv_cut_record *to = kind >= 0 ? &m->t->record[kind] : NULL;
  const int32_t master = to ? to->master : beside;
  int32_t last;
  for (int a = 0; a < 3; a++)
    m->t->record[number].to[a] = (to ? to->to[a] : 0) + (f / 2 == a ? f % 2 ? 1 : -1 : 0);
  m->t->record[number].master = master;
  TRM_TRY(record_of(m, master, &last));
  while (m->t->record[last].next >= 0) last = m->t->record[last].next;
  m->t->record[last].next = number;
  return TRM_OK;
}

static void weigh_group(fv_cut_record *records, fv_cut_record *master)
{
  double total = 0, moment[3] = { 0, 0, 0 };
  for (fv_cut_record *r = master; r; r = r->next >= 0 ? records + r->next : NULL) {
    total += r->cut.volume;
    for (int a = 0; a < 3; a++) moment[a] += r->cut.volume * (r->cut.centroid[a] - r->to[a]);
  }
  for (fv_cut_record *r = master; r; r = r->next >= 0 ? records + r->next : NULL) {
    r->total = total;
    for (int a = 0; a < 3; a++) r->centre[a] = moment[a] / total + r->to[a];
  }
}

static trm_status weigh(void *user, size_t i, int thread)
{
  const fv_maker *m = user;
  fv_cut_record *r = &m->t->record[i];
  (void)thread;
  if (r->master != r->cell) return TRM_OK;
  if (r->cut.volume < m->bodies->small)
    return fv_cell_refuse(m, r->cell, "a small piece of gas has no neighbour that it could be "
                                      "merged with; make the grid finer there (grid.levels), or "
                                      "leave more room between walls");
  weigh_group(m->t->record, r);
  return TRM_OK;
}

/* Numbers of small pieces' records. */
static trm_status find_small(const fv_maker *m, int32_t **out, size_t *count)
{
  int32_t *small = malloc((m->t->records + 1) * sizeof *small);
  if (!small) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", m->t->records);
  for (size_t i = 0; i < m->t->records; i++)
    if (m->t->record[i].cut.volume < m->bodies->small) small[(*count)++] = (int32_t)i;
  *out = small;
  return TRM_OK;
}

/* First those that have a large enough neighbour; then, as long as there are such, those beside
 * pieces that have a master. */
static trm_status merge_all(fv_maker *m, const int32_t *small, size_t count)
{
  int merged = 1;
  for (int is_chained = 0; is_chained < 2; is_chained++)
    for (merged = 1; merged; merged = is_chained ? merged : 0) {
      merged = 0;
      for (size_t i = 0; i < count; i++) {
        const fv_cut_record *r = &m->t->record[small[i]];
        const int f = r->master == r->cell ? choose_face(m, r, is_chained) : -1;
        if (f < 0) continue;
        TRM_TRY(merge(m, small[i], f));
        merged = 1;
      }
    }
  return TRM_OK;
}

trm_status fv_group_cells(fv_maker *m)
{
  int32_t *small = NULL;
  size_t count = 0;
  TRM_TRY(find_small(m, &small, &count));
  const trm_status status = merge_all(m, small, count);
  free(small);
  TRM_TRY(status);
  return trm_device_host_each(m->device, m->t->records, weigh, m);
}
