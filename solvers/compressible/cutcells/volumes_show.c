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

/* A step's lists of walls, on the host. */
typedef struct wall_lists {
  double (*wall)[FV_WALL_REALS], (*state)[FV_VALUES];
  double (*grip)[FV_FLOW_GRIP]; /* over a step of the clock's length; NULL: no friction */
  int32_t *body, (*owner)[FV_OWNER_INTS], *place;
  size_t volumes, trees;       /* walls of trees */
} wall_lists;

static void free_walls(wall_lists *w)
{
  free(w->wall);
  free(w->state);
  free(w->grip);
  free(w->body);
  free(w->owner);
  free(w->place);
}

/* The caller owns what it returns; *status stays an error. */
static void *take(trm_buffer *from, size_t bytes, trm_status *status)
{
  void *to = malloc(bytes + 1);
  if (*status == TRM_OK && !to) *status = TRM_FAIL(NO_HOST_MEMORY, "no memory for walls");
  if (*status == TRM_OK && bytes > 0) *status = trm_buffer_read(from, 0, bytes, to);
  return to;
}

static trm_status read_walls(const fv_volumes_run *v, wall_lists *w)
{
  const fv_volumes *l = &v->lists;
  *w = (wall_lists){ .volumes = (size_t)l->p.volumes,
                     .trees = FV_TREE_WALLS * (size_t)l->p.trees };
  trm_status status = TRM_OK;
  w->wall = take(l->walls, (w->volumes + w->trees) * sizeof *w->wall, &status);
  w->state = take(v->flow.state, w->volumes * sizeof *w->state, &status);
  w->body = take(l->bodies, w->volumes * sizeof *w->body, &status);
  w->place = take(l->places, w->volumes * sizeof *w->place, &status);
  w->owner = take(l->owners, w->trees * sizeof *w->owner, &status);
  if (v->flow.p.viscosity > 0)
    w->grip = take(v->flow.grips, (w->volumes + w->trees) * sizeof *w->grip, &status);
  return status;
}

/* The volume that a wall is of, or -1 where there is no wall. */
static int32_t volume_of(const wall_lists *w, size_t i)
{
  const double *n = w->wall[i] + FV_WALL_VECTOR;
  if (i < w->volumes && w->body[i] < 0) return -1;
  if (i >= w->volumes && w->owner[i - w->volumes][FV_OWNER_VOLUME] < 0) return -1;
  if (n[0] == 0 && n[1] == 0 && n[2] == 0) return -1;
  return i < w->volumes ? (int32_t)i : w->owner[i - w->volumes][FV_OWNER_VOLUME];
}

/* Where a wall is at the step's end, the pressure of the volume behind it, friction and heat. */
static void tell_wall(const fv_solver *fv, const wall_lists *w, size_t wall_of, int32_t volume,
                      size_t count, double *to)
{
  const fv_volumes_run *v = fv->volumes;
  const double *wall = w->wall[wall_of], *q = w->state[volume], h = fv_finest_side(fv);
  const int32_t cell = v->seen.list[w->place[volume] / FV_CELL_PARTS];
  const int32_t *leaf = fv->forest->place[v->slots[(size_t)cell / fv->block]];
  const double area = fv->n[2] == 1 ? h : h * h;
  const double *n = wall + FV_WALL_VECTOR, size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  size_t rest = (size_t)cell % fv->block;
  double square = 0;
  for (size_t a = 0; a < 3; a++) {
    const size_t side = (size_t)v->lists.p.side[a];
    const double at = (double)(leaf[a] * (int32_t)side) + (double)(rest % side) + 0.5;
    rest /= side;
    to[(FV_FELT_PLACE + a) * count] =
      fv->n[a] == 1 ? 0 : fv->origin[a] + h * (at + wall[FV_WALL_CENTROID + a] +
                                               0.5 * wall[FV_WALL_VELOCITY + a]);
    to[(FV_FELT_AREA + a) * count] = area * wall[FV_WALL_VECTOR + a];
    square += q[1 + a] * q[1 + a];
  }
  for (size_t i = 0; i < 4; i++)
    to[(FV_FELT_FRICTION + i) * count] =
      w->grip ? -w->grip[wall_of][i < 3 ? i : FV_GRIP_HEAT] * h / (v->dt * size) : 0;
  to[FV_FELT_PRESSURE * count] = q[0] > 0 ? (q[4] - 0.5 * square / q[0]) / fv->p.enthalpy : 0;
}

/* Walls as points, at the end of the last step. */
static trm_status write_walls(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  wall_lists w;
  size_t count = 0;
  double *all = NULL;
  trm_status status = read_walls(v, &w);
  for (size_t i = 0; i < w.volumes + w.trees && status == TRM_OK; i++)
    count += volume_of(&w, i) >= 0;
  if (status == TRM_OK) {
    v->walls = count;
    all = malloc((count + 1) * FV_FELT_REALS * sizeof *all);
    if (!all) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for walls");
  }
  for (size_t i = 0, k = 0; i < w.volumes + w.trees && status == TRM_OK; i++) {
    const int32_t volume = volume_of(&w, i);
    if (volume >= 0) tell_wall(fv, &w, i, volume, count, all + k++);
  }
  if (status == TRM_OK)
    status = fv_volumes_reserve(&v->lists, &v->felt, (int)count, FV_FELT_REALS * sizeof *all);
  if (status == TRM_OK && count > 0)
    status = trm_buffer_write(v->felt, 0, count * FV_FELT_REALS * sizeof *all, all);
  free(all);
  free_walls(&w);
  return status;
}

/* Fields for output alone: walls, and which cells lie in bodies. */
trm_status fv_observe_volumes(fv_solver *fv)
{
  TRM_TRY(fv_see_volumes(fv->volumes));
  TRM_TRY(fv_look_at_volumes(fv));
  if (fv->p.viscosity > 0) TRM_TRY(fv_flow_grip(&fv->volumes->flow, fv->volumes->clock));
  TRM_TRY(write_walls(fv));
  fv_place_volumes(fv);
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
static int has_gaps(const fv_solver *fv)
{
  return fv->bodies.is_moving && fv->volumes->told.lists.count > 1;
}

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

/* The last of the fields. Walls are points, so that they become bodies.vtp. */
void fv_declare_volumes(fv_solver *fv)
{
  static const struct { const char *name, *unit, *help; int components; } walls[] = {
    { "position", "m", "of pieces of walls, one a part of a cell and body", 3 },
    { "wall_area", "m^2", "their areas times the normal into the body", 3 },
    { "wall_pressure", "Pa", "the pressure of the gas there", 1 },
    { "wall_friction", "Pa", "friction there, on the body", 3 },
    { "wall_heat", "W/m^2", "heat that passes into the body", 1 } };
  const int is_flat = fv->n[2] == 1;
  trm_field *field = fv_declare_solid(fv, fv->volumes->solid);
  field++;
  *field = (trm_field){ .name = "volume_state", .unit = "", .type = TRM_TYPE_F64,
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
  if (fv->dual.has_past) {
    field[1] = *field;
    (++field)->name = "volume_state_before";
    field->help = "the same a step before";
  }
  for (int i = 0; i < FV_FELT_FIELDS; i++)
    *++field = (trm_field){ .name = walls[i].name, .unit = i == 1 && is_flat ? "m" : walls[i].unit,
                            .help = walls[i].help, .type = TRM_TYPE_F64,
                            .components = walls[i].components, .nx = 1, .ny = 1, .nz = 1,
                            .flags = TRM_FIELD_LIST };
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
    { v->flow.state, FV_VALUES * volumes },
    { fv->dual.has_past ? v->flow.past : v->lists.now.volumes,
      (fv->dual.has_past ? FV_VALUES : FV_VOLUME_REALS) * volumes },
    { has_lacks ? v->lists.now.lacks : v->kept, has_lacks ? FV_LACK_REALS * volumes : 1 } };
  fv->fields[fv->gas_fields].buffer = v->solid;
  static const size_t firsts[FV_FELT_FIELDS] = { FV_FELT_PLACE, FV_FELT_AREA, FV_FELT_PRESSURE,
                                                 FV_FELT_FRICTION, FV_FELT_HEAT };
  const size_t parts = has_gaps(fv) ? 3 : fv->dual.has_past ? 2 : 1, walls = v->walls;
  for (size_t i = 0; i < FV_FELT_FIELDS; i++) {
    trm_field *field = &fv->fields[fv->gas_fields + 1 + parts + i];
    field->nx = walls;
    field->buffer = v->felt;
    field->layout = (trm_layout){ .first = firsts[i] * walls, .row = walls, .component = walls,
                                  .elements = FV_FELT_REALS * walls };
  }
  for (size_t i = 0; i < parts; i++) {
    trm_field *field = &fv->fields[fv->gas_fields + 1 + i];
    field->nx = lists[i].count;
    field->buffer = lists[i].buffer;
    field->layout = (trm_layout){ .row = field->nx, .component = field->nx,
                                  .elements = field->nx };
  }
}
