/* volumes_regrid.c - control volumes on another grid (mesh/adapt.c). Cells at walls are of the
 * finest level in both grids, so the volumes are the same, and keep their gas. Only their numbers
 * change, as leaves have another order. */
#include "solvers/compressible/cutcells/volumes_run.h"
#include "solvers/compressible/solver/fv.h"

#include <stdlib.h>
#include <string.h>

/* A volume keeps its state, and in gaps its gas at both ends and its lack. */
enum { STATE = 0, GAS = FV_VALUES, LACKS = GAS + FV_VOLUME_REALS, KEPT = LACKS + FV_LACK_REALS };

struct fv_volumes_held {
  int32_t (*leaf)[3];          /* places of the leaves of the lists */
  int32_t *list, *places;      /* listed cells; by volume its listed cell and part */
  double (*kept)[KEPT];
  size_t volumes;
  int has_lacks;
};

void fv_drop_volumes(fv_volumes_held **held)
{
  if (!*held) return;
  free((*held)->leaf);
  free((*held)->list);
  free((*held)->places);
  free((*held)->kept);
  free(*held);
  *held = NULL;
}

/* Between a list of so many numbers a volume and `kept`, from `first` on. */
static trm_status take(trm_buffer *from, size_t first, size_t each, fv_volumes_held *to)
{
  double *all = malloc((to->volumes * each + 1) * sizeof *all);
  if (!all) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu volumes", to->volumes);
  const trm_status status = trm_buffer_read(from, 0, to->volumes * each * sizeof *all, all);
  for (size_t v = 0; v < to->volumes; v++)
    memcpy(to->kept[v] + first, all + v * each, each * sizeof *all);
  free(all);
  return status;
}

static trm_status give(double (*kept)[KEPT], size_t volumes, size_t first, size_t each,
                       trm_buffer *to)
{
  double *all = malloc((volumes * each + 1) * sizeof *all);
  if (!all) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu volumes", volumes);
  for (size_t v = 0; v < volumes; v++) memcpy(all + v * each, kept[v] + first, each * sizeof *all);
  const trm_status status = trm_buffer_write(to, 0, volumes * each * sizeof *all, all);
  free(all);
  return status;
}

static trm_status hold(fv_solver *fv, fv_volumes_held *to)
{
  fv_volumes_run *v = fv->volumes;
  const fv_volumes *l = &v->lists;
  const size_t leaves = (size_t)l->p.leaves, listed = (size_t)l->p.listed;
  to->volumes = (size_t)l->p.volumes;
  to->has_lacks = l->now.has_lacks;
  to->leaf = malloc((leaves + 1) * sizeof *to->leaf);
  to->list = malloc((listed + 1) * sizeof *to->list);
  to->places = malloc((to->volumes + 1) * sizeof *to->places);
  to->kept = calloc(to->volumes + 1, sizeof *to->kept);
  if (!to->leaf || !to->list || !to->places || !to->kept)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu volumes", to->volumes);
  for (size_t i = 0; i < leaves; i++)
    memcpy(to->leaf[i], fv->forest->place[v->slots[i]], sizeof *to->leaf);
  TRM_TRY(trm_buffer_read(l->list, 0, listed * sizeof *to->list, to->list));
  TRM_TRY(trm_buffer_read(l->places, 0, to->volumes * sizeof *to->places, to->places));
  TRM_TRY(take(v->flow.state, STATE, FV_VALUES, to));
  TRM_TRY(take(l->now.volumes, GAS, FV_VOLUME_REALS, to));
  return to->has_lacks ? take(l->now.lacks, LACKS, FV_LACK_REALS, to) : TRM_OK;
}

trm_status fv_hold_volumes(fv_solver *fv, fv_volumes_held **out)
{
  *out = NULL;
  if (!fv->volumes) return TRM_OK;
  *out = calloc(1, sizeof **out);
  if (!*out) return TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at walls");
  return hold(fv, *out);
}

/* The new number of a volume, or -1. numbers: by listed cell and part. */
static int32_t number_of(const fv_solver *fv, const fv_volumes_held *held, size_t volume,
                         const int32_t *numbers)
{
  const fv_volumes_run *v = fv->volumes;
  const int32_t place = held->places[volume];
  const size_t cell = (size_t)held->list[place / FV_CELL_PARTS];
  const int32_t slot = trm_forest_leaf(fv->forest, fv->finest, held->leaf[cell / fv->block]);
  const int32_t leaf = slot < 0 ? -1 : v->leaf_of[slot];
  if (leaf < 0) return -1;
  const int32_t kind = v->seen.kinds[(size_t)leaf * fv->block + cell % fv->block];
  const size_t listed = (size_t)FV_FOUND_PLACE(kind);
  if (listed >= (size_t)v->lists.p.listed ||
      v->seen.list[listed] != (int32_t)((size_t)leaf * fv->block + cell % fv->block)) return -1;
  return numbers[listed * FV_CELL_PARTS + (size_t)place % FV_CELL_PARTS];
}

static trm_status regain(fv_solver *fv, const fv_volumes_held *held, const int32_t *numbers,
                         double (*kept)[KEPT], uint8_t *is_met)
{
  fv_volumes_run *v = fv->volumes;
  fv_volumes *l = &v->lists;
  const size_t volumes = (size_t)l->p.volumes;
  size_t met = 0;
  for (size_t i = 0; i < held->volumes; i++) {
    const int32_t number = number_of(fv, held, i, numbers);
    if (number < 0 || (size_t)number >= volumes || is_met[number]) continue;
    is_met[number] = 1;
    met++;
    memcpy(kept[number], held->kept[i], sizeof *kept);
  }
  if (met != volumes || met != held->volumes)
    return TRM_FAIL(INPUT, "after step %llu the grid changed at walls: of %zu volumes %zu are met "
                    "in %zu; let a box of mesh.refine hold the way of bodies",
                    (unsigned long long)fv->base.step, held->volumes, met, volumes);
  TRM_TRY(fv_volumes_reserve(l, &v->flow.state, (int)volumes, FV_VALUES * sizeof(double)));
  TRM_TRY(give(kept, volumes, STATE, FV_VALUES, v->flow.state));
  v->is_restored = 1;
  l->now.has_lacks = held->has_lacks;
  if (!fv->bodies.is_moving || v->times[1] == 0) return TRM_OK;
  TRM_TRY(give(kept, volumes, GAS, FV_VOLUME_REALS, l->now.volumes));
  if (!held->has_lacks) return TRM_OK;
  TRM_TRY(fv_volumes_reserve(l, &l->now.lacks, (int)volumes, FV_LACK_REALS * sizeof(double)));
  return give(kept, volumes, LACKS, FV_LACK_REALS, l->now.lacks);
}

/* The number of each listed cell's parts, by their places. */
static trm_status read_numbers(const fv_volumes *l, int32_t *numbers)
{
  const size_t volumes = (size_t)l->p.volumes;
  int32_t *places = malloc((volumes + 1) * sizeof *places);
  if (!places) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu volumes", volumes);
  const trm_status status = trm_buffer_read(l->places, 0, volumes * sizeof *places, places);
  for (size_t i = 0; i < (size_t)l->p.listed * FV_CELL_PARTS; i++) numbers[i] = -1;
  for (size_t v = 0; v < volumes && status == TRM_OK; v++) numbers[places[v]] = (int32_t)v;
  free(places);
  return status;
}

trm_status fv_regain_volumes(fv_solver *fv, const fv_volumes_held *held)
{
  fv_volumes_run *v = fv->volumes;
  if (!v) return TRM_OK;
  const size_t listed = (size_t)v->lists.p.listed, volumes = (size_t)v->lists.p.volumes;
  int32_t *numbers = malloc((listed * FV_CELL_PARTS + 1) * sizeof *numbers);
  double (*kept)[KEPT] = malloc((volumes + 1) * sizeof *kept);
  uint8_t *is_met = calloc(volumes + 1, 1);
  trm_status status = numbers && kept && is_met ? fv_see_volumes(v)
                                                : TRM_FAIL(NO_HOST_MEMORY, "no memory for volumes");
  if (status == TRM_OK) status = read_numbers(&v->lists, numbers);
  if (status == TRM_OK) status = regain(fv, held, numbers, kept, is_met);
  free(numbers);
  free(kept);
  free(is_met);
  return status;
}
