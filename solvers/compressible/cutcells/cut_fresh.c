/* cut_fresh.c - which cells walls leave otherwise than a step ago; slopes far from all of these are
 * kept. */
#include "solvers/compressible/cutcells/cut_maker.h"

#include <stdlib.h>
#include <string.h>

static int is_same(const fv_cut_record *r, const fv_cut_record *old)
{
  return r->master == old->master && r->body == old->body && r->is_gap == old->is_gap &&
         r->total == old->total && memcmp(r->to, old->to, sizeof r->to) == 0 &&
         memcmp(r->centre, old->centre, sizeof r->centre) == 0 &&
         memcmp(&r->cut, &old->cut, sizeof r->cut) == 0;
}

static trm_status mark_leaf(void *user, size_t leaf, int thread)
{
  const fv_maker *m = user;
  const fv_cut_tables *t = m->t, *old = m->known;
  const int32_t near = t->near[leaf], before = old->near[leaf];
  (void)thread;
  if (near < 0) return TRM_OK;
  const int32_t *kinds = t->kind + (size_t)near * m->block;
  for (size_t i = 0; i < m->block; i++) {
    const int32_t was = before < 0 ? before : old->kind[(size_t)before * m->block + i];
    m->fresh[(size_t)near * m->block + i] =
      kinds[i] < 0 || was < 0 ? kinds[i] != was
                              : !is_same(&t->record[kinds[i]], &old->record[was]);
  }
  return TRM_OK;
}

/* All cells of a group are, or none. */
static trm_status mark_group(void *user, size_t i, int thread)
{
  const fv_maker *m = user;
  const fv_cut_record *record = m->t->record;
  uint8_t any = 0;
  (void)thread;
  if (record[i].master != record[i].cell || record[i].next < 0) return TRM_OK;
  for (int32_t k = (int32_t)i; k >= 0; k = record[k].next)
    any |= m->fresh[fv_cell_index(m, record[k].cell)];
  for (int32_t k = (int32_t)i; k >= 0; k = record[k].next)
    m->fresh[fv_cell_index(m, record[k].cell)] = any;
  return TRM_OK;
}

/* Whether a leaf has such cells: behind all leaves' calm. */
static trm_status find_fresh(void *user, size_t leaf, int thread)
{
  const fv_maker *m = user;
  const int32_t near = m->t->near[leaf];
  const uint8_t *of = m->fresh + (near < 0 ? 0 : (size_t)near * m->block);
  (void)thread;
  m->calm[m->forest->blocks.count + leaf] =
    near < 0 ? near != m->known->near[leaf] : memchr(of, 1, m->block) != NULL;
  return TRM_OK;
}

static trm_status find_calm(void *user, size_t leaf, int thread)
{
  const fv_maker *m = user;
  const size_t leaves = m->forest->blocks.count;
  uint8_t is_calm = m->known->near[leaf] >= 0;
  (void)thread;
  for (int k = 0; k < 27 && is_calm; k++) {
    const int32_t slot = m->forest->near[leaf][k];
    is_calm = (size_t)slot >= leaves || !m->calm[leaves + (size_t)slot];
  }
  m->calm[leaf] = is_calm;
  return TRM_OK;
}

trm_status fv_mark_fresh(fv_maker *m)
{
  const size_t leaves = m->forest->blocks.count;
  if (!m->known) return TRM_OK;
  m->fresh = malloc((size_t)m->t->near_count * m->block + 1);
  m->calm = malloc(2 * leaves + 1);
  if (!m->fresh || !m->calm) return TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at walls");
  TRM_TRY(trm_device_host_each(m->device, leaves, mark_leaf, m));
  TRM_TRY(trm_device_host_each(m->device, m->t->records, mark_group, m));
  TRM_TRY(trm_device_host_each(m->device, leaves, find_fresh, m));
  return trm_device_host_each(m->device, leaves, find_calm, m);
}

static int is_fresh(const fv_maker *m, int32_t cell)
{
  const size_t leaf = (size_t)cell >> m->shift[3];
  if (fv_cell_is_ghost(m, cell)) return 0;
  return m->t->near[leaf] < 0 ? m->t->near[leaf] != m->known->near[leaf]
                              : m->fresh[fv_cell_index(m, cell)];
}

int fv_cell_is_kept(const fv_maker *m, int32_t cell)
{
  if (m->calm[cell >> m->shift[3]]) return 1;
  if (m->known->near[cell >> m->shift[3]] < 0 || is_fresh(m, cell)) return 0; /* most are */
  for (int k = 0; k < 27; k++) {
    const int by[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
    if (m->side[2] == 1 && by[2]) continue;
    if (is_fresh(m, fv_cell_beside(m, cell, by))) return 0;
  }
  return 1;
}
