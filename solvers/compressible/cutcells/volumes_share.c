/* volumes_share.c - lists of control volumes in the parts of a run. Each part makes all of them.
 * Blocks are shared, so each part fetches the outer cells of its own leaves, and writes their
 * listed cells. */
#include "solvers/compressible/cutcells/volumes_run.h"
#include "solvers/compressible/solver/fv.h"

#include <stdlib.h>

#include "core/sharing.h"

/* Counts entries, whose cells of the lists ascend, before each slot. */
static void count(const fv_volumes_run *v, size_t block, const int32_t *cells, size_t entries,
                  size_t *before)
{
  for (size_t slot = 0; slot <= v->own.slots; slot++) before[slot] = 0;
  for (size_t i = 0; i < entries; i++) before[v->slots[(size_t)cells[i] / block] + 1]++;
  for (size_t slot = 0; slot < v->own.slots; slot++) before[slot + 1] += before[slot];
}

/* The cells of volumes, and of outer cells behind them. */
static trm_status read_cells(const fv_volumes *l, int32_t *list, int32_t *cells)
{
  const size_t volumes = (size_t)l->p.volumes;
  TRM_TRY(trm_buffer_read_made(l->list, 0, (size_t)l->p.listed * sizeof *list, list));
  TRM_TRY(trm_buffer_read_made(l->places, 0, volumes * sizeof *cells, cells));
  for (size_t i = 0; i < volumes; i++) cells[i] = list[cells[i] / FV_CELL_PARTS];
  return trm_buffer_read_made(l->outer, 0, (size_t)l->p.outer * sizeof *cells, cells + volumes);
}

static trm_status make_own(fv_volumes_run *v, size_t block)
{
  const fv_volumes *l = &v->lists;
  const size_t volumes = (size_t)l->p.volumes, outers = (size_t)l->p.outer;
  int32_t *list = malloc(((size_t)l->p.listed + volumes + outers + 1) * sizeof *list);
  size_t *before = realloc(v->own.volumes, (v->own.slots + 1) * sizeof *before);
  if (before) v->own.volumes = before;
  size_t *beyond = realloc(v->own.outers, (v->own.slots + 1) * sizeof *beyond);
  if (beyond) v->own.outers = beyond;
  if (!list || !before || !beyond) {
    free(list);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at walls");
  }
  int32_t *cells = list + l->p.listed;
  const trm_status status = read_cells(l, list, cells);
  if (status == TRM_OK) count(v, block, cells, volumes, v->own.volumes);
  if (status == TRM_OK) count(v, block, cells + volumes, outers, v->own.outers);
  free(list);
  return status;
}

trm_status fv_share_volumes(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  if (!trm_device_is_part(fv->base.device)) return TRM_OK;
  v->own.slots = fv->forest->blocks.count;
  v->own.version++;
  v->blocks.own = &v->own;
  TRM_TRY(trm_device_agree(fv->base.device, make_own(v, fv->block)));
  fv_find_own_volumes(fv);
  return TRM_OK;
}

/* Slots of the lists ascend. */
void fv_find_own_volumes(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  fv_flow_own *own = &v->own;
  size_t first, made;
  if (!v->blocks.own) return;
  trm_device_made_rows(fv->base.device, own->slots, 1, &first, &made);
  const size_t ends[2] = { first, first + made };
  for (int k = 0; k < 2; k++) {
    int leaf = 0;
    while (leaf < v->lists.p.leaves && (size_t)v->slots[leaf] < ends[k]) leaf++;
    own->leaf[k] = leaf;
    own->volume[k] = (int)own->volumes[ends[k]];
    own->outer[k] = (int)own->outers[ends[k]];
  }
}
