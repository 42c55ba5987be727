/* volumes_show.c - what output, sums and the first state ask of control volumes. */
#include "solvers/compressible/cutcells/volumes_run.h"
#include "solvers/compressible/solver/fv.h"

#include <math.h>
#include <stdlib.h>

/* ---- what the host sees ---------------------------------------------------------------------- */

void fv_forget_volumes(fv_volumes_run *v)
{
  free(v->seen.kinds);
  free(v->seen.list);
  free(v->seen.gas);
  v->seen = (fv_seen){ NULL, NULL, NULL };
}

trm_status fv_see_volumes(fv_volumes_run *v)
{
  const fv_volumes *l = &v->lists;
  const size_t listed = (size_t)l->p.listed;
  const size_t cells = (size_t)l->p.leaves * (size_t)(l->p.side[0] * l->p.side[1] * l->p.side[2]);
  fv_seen *seen = &v->seen;
  if (seen->kinds) return TRM_OK;
  seen->kinds = malloc((cells + 1) * sizeof *seen->kinds);
  seen->list = malloc((listed + 1) * sizeof *seen->list);
  seen->gas = malloc((listed + 1) * sizeof *seen->gas);
  trm_status status = seen->kinds && seen->list && seen->gas
                        ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at walls");
  if (status == TRM_OK)
    status = trm_buffer_read(l->now.kinds, 0, cells * sizeof *seen->kinds, seen->kinds);
  if (status == TRM_OK)
    status = trm_buffer_read(l->list, 0, listed * sizeof *seen->list, seen->list);
  if (status == TRM_OK)
    status = trm_buffer_read(l->now.gas, 0, listed * sizeof *seen->gas, seen->gas);
  if (status != TRM_OK) fv_forget_volumes(v);
  return status;
}

int fv_gas_of_cell(const fv_volumes_run *v, size_t slot, size_t cell, double at[3])
{
  const int *side = v->lists.p.side;
  const int32_t leaf = v->leaf_of[slot];
  for (int a = 0; a < 3; a++) at[a] = 0;
  if (leaf < 0) return 1;
  const size_t each = (size_t)(side[0] * side[1] * side[2]), own = (size_t)leaf * each + cell;
  const int32_t kind = v->seen.kinds[own], place = FV_FOUND_PLACE(kind);
  if (FV_FOUND_KIND(kind) == FV_FOUND_GAS) return 1;
  if (FV_FOUND_KIND(kind) == FV_FOUND_SOLID) return 0;
  const double *gas = v->seen.gas[place] + FV_GAS_END;
  if (!(gas[0] > 0)) return 0;
  for (int a = 0; a < 3; a++) at[a] = fmax(-0.5, fmin(gas[1 + a] / gas[0], 0.5));
  return 2;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* In place of listed cells' states, as whole cells, those of their volumes. */
trm_status fv_sum_volumes(fv_solver *fv, double *mass, double *energy)
{
  fv_volumes_run *v = fv->volumes;
  const fv_volumes *l = &v->lists;
  const size_t slot = FV_VALUES * fv->block, volumes = (size_t)l->p.volumes;
  double *q = malloc(slot * sizeof *q), (*state)[FV_VALUES] = malloc((volumes + 1) * sizeof *state);
  double (*gas)[FV_VOLUME_REALS] = malloc((volumes + 1) * sizeof *gas);
  long double sums[2] = { 0, 0 };
  trm_status status = q && state && gas ? fv_see_volumes(v)
                                        : TRM_FAIL(NO_HOST_MEMORY, "no memory for volumes");
  if (status == TRM_OK)
    status = trm_buffer_read(v->flow.state, 0, volumes * sizeof *state, state);
  if (status == TRM_OK)
    status = trm_buffer_read(l->now.volumes, 0, volumes * sizeof *gas, gas);
  for (size_t i = 0; i < volumes && status == TRM_OK; i++)
    for (int k = 0; k < 2; k++) sums[k] += (long double)gas[i][FV_GAS_END] * state[i][4 * k];
  for (int i = 0; i < l->p.listed && status == TRM_OK; i++) {
    const size_t cell = (size_t)v->seen.list[i], leaf = cell / fv->block;
    if (i == 0 || leaf != (size_t)v->seen.list[i - 1] / fv->block)
      status = trm_framework_read_reals(fv->q, fv->real_type, (size_t)v->slots[leaf] * slot, q,
                                        slot);
    for (int k = 0; k < 2; k++) sums[k] -= q[4 * (size_t)k * fv->block + cell % fv->block];
  }
  free(q);
  free(state);
  free(gas);
  *mass += (double)sums[0];
  *energy += (double)sums[1];
  return status;
}

/* ---- output ---------------------------------------------------------------------------------- */

/* Which cells lie in bodies. */
trm_status fv_observe_volumes(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  const size_t cells = fv->forest->blocks.count * fv->block;
  uint8_t *solid = malloc(cells);
  double at[3];
  trm_status status = solid ? fv_see_volumes(v)
                            : TRM_FAIL(NO_HOST_MEMORY, "no memory for flags of solid cells");
  for (size_t i = 0; i < cells && status == TRM_OK; i++)
    solid[i] = fv_gas_of_cell(v, i / fv->block, i % fv->block, at) == 0;
  if (status == TRM_OK) status = trm_buffer_write(v->solid, 0, cells, solid);
  free(solid);
  return status;
}

/* Which volumes there are, of gaps too, follows from where bodies are, but in gaps. */
static int has_gaps(const fv_solver *fv) { return fv->bodies.is_moving && fv->bodies.count > 1; }

size_t fv_gap_series(const fv_solver *fv)
{
  return fv->volumes && has_gaps(fv) ? 3 + (size_t)fv_axes(fv) : 0;
}

void fv_declare_gaps(fv_solver *fv)
{
  static const char *const names[FV_GAP_SERIES] = { "gap_shut_area", "gap_opened_area",
                                                    "gap_cells_shut", "gap_x", "gap_y", "gap_z" };
  const int is_flat = fv->n[2] == 1;
  const size_t first = fv_probe_series(fv) + (size_t)fv->diagnostics.count * FV_PROBED;
  for (size_t i = 0; i < fv_gap_series(fv); i++)
    fv->series[fv->base.series_count++] = (trm_series){
      names[i], i < 2 && !is_flat ? "m^2" : i == 2 ? "1" : "m", fv->series_buffer, fv->real_type,
      1.0, (first + i) * (size_t)fv->p.limit, 0.0, 0.0 };
}

/* The last of the fields. */
void fv_declare_volumes(fv_solver *fv)
{
  trm_field *field = &fv->fields[fv->gas_fields];
  *field = fv->fields[0]; /* the grid's shape */
  field->name = "solid";
  field->unit = "1";
  field->help = "1 where a body is";
  field->type = TRM_TYPE_U8;
  field->stride = fv->block;
  field->flags = 0;
  field->in_picture = 0;
  field->buffer = fv->volumes->solid;
  field++;
  *field = (trm_field){ .name = "volume_state", .unit = "", .type = fv->real_type,
                        .help = "density, momentum and energy of each control volume at walls",
                        .components = 1, .ny = 1, .nz = 1,
                        .flags = TRM_FIELD_STATE | TRM_FIELD_LIST };
  for (int i = 0; i < 2 && has_gaps(fv); i++) {
    field[1] = *field;
    field++;
    field->name = i == 0 ? "volume_gas" : "volume_lacks";
    field->help = i == 0 ? "their sizes and moments at both ends of the last step, in cells"
                         : "what gaps that are shut take of these";
    field->type = TRM_TYPE_F64;
    field->flags = TRM_FIELD_KEPT | TRM_FIELD_LIST;
  }
  fv->base.field_count = (size_t)(field - fv->fields) + 1;
  fv_place_volumes(fv);
}

/* Points the fields at the lists of now. Where no gap is shut one number stands for the lacks. */
void fv_place_volumes(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  const size_t volumes = (size_t)v->lists.p.volumes;
  const int has_lacks = v->lists.now.has_lacks;
  const struct { trm_buffer *buffer; size_t count; } lists[] = {
    { v->flow.state, FV_VALUES * volumes }, { v->lists.now.volumes, FV_VOLUME_REALS * volumes },
    { has_lacks ? v->lists.now.lacks : v->kept, has_lacks ? FV_LACK_REALS * volumes : 1 } };
  for (int i = 0; i < (has_gaps(fv) ? 3 : 1); i++) {
    trm_field *field = &fv->fields[fv->gas_fields + 1 + (size_t)i];
    field->nx = lists[i].count;
    field->buffer = lists[i].buffer;
    field->layout = (trm_layout){ .row = field->nx, .component = field->nx,
                                  .elements = field->nx };
  }
}
