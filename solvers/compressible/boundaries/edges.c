/* edges.c - what the sides have by formula: the list of operations for the device, and which blocks
 * beyond the sides ask for them. */
#include "solvers/compressible/solver/fv.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };           /* operations of one formula on the device */

/* ---- operations --------------------------------------------------------------------- */

/* Lists that grow; `codes` and `numbers` beside each other. */
static trm_status put(fv_edges *e, size_t count, const int32_t *codes, const double *numbers)
{
  int32_t *code = realloc(e->code, (e->code_count + count) * sizeof *code);
  if (code) e->code = code;
  double *number = realloc(e->number, (e->code_count + count) * sizeof *number);
  if (number) e->number = number;
  if (!code || !number) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the formulas of sides");
  memcpy(code + e->code_count, codes, count * sizeof *codes);
  memcpy(number + e->code_count, numbers, count * sizeof *numbers);
  e->code_count += count;
  e->number_count = e->code_count;
  return TRM_OK;
}

static trm_status put_one(fv_edges *e, int32_t code, double number)
{
  return put(e, 1, &code, &number);
}

static trm_status put_formula(fv_edges *e, const trm_formula *formula, const char *origin)
{
  int32_t codes[MOST];
  double numbers[MOST];
  size_t count;
  TRM_TRY(trm_formula_stack(formula, origin, MOST, codes, numbers, &count));
  return put(e, count, codes, numbers);
}

/* Value k of a side; of a wall's part beside one where gas passes, no velocity. */
static trm_status put_value(fv_solver *fv, int side, int k, const char *origin)
{
  fv_edges *e = &fv->edges;
  const fv_side *s = &e->side[side];
  const int there_stops = k < 3 && s->there <= FV_CLOSED && s->kind > FV_CLOSED;
  const int rest_stops = k < 3 && s->kind <= FV_CLOSED && s->there > FV_CLOSED;
  const double gamma = 1.0 / fv->p.inv_gamma;
  if (there_stops || rest_stops) TRM_TRY(put_formula(e, s->where, origin));
  if (there_stops) TRM_TRY(put_one(e, '#', 0.0));
  if (!s->value[k]) TRM_TRY(put_one(e, '#', fv->sides[side][k]));
  else TRM_TRY(put_formula(e, s->value[k], origin));
  if (s->value[k] && k > 3) {
    TRM_TRY(put_one(e, '#', gamma));
    TRM_TRY(put_one(e, '*', 0.0));
  }
  if (rest_stops) TRM_TRY(put_one(e, '#', 0.0));
  return there_stops || rest_stops ? put_one(e, '?', 0.0) : TRM_OK;
}

static trm_status put_side(fv_solver *fv, int side, const char *origin)
{
  fv_edges *e = &fv->edges;
  const fv_side *s = &e->side[side];
  const size_t head = (size_t)side * FV_CODE_SIDE, points = s->table.count;
  for (int k = 0; k < FV_EDGE_VALUES; k++) {
    const size_t first = e->code_count;
    if (k < FV_SIDE_VALUES) TRM_TRY(put_value(fv, side, k, origin));
    else if (s->where) TRM_TRY(put_formula(e, s->where, origin));
    else TRM_TRY(put_one(e, '#', 0.0));
    e->code[head + 2 * (size_t)k] = (int32_t)first;
    e->code[head + 2 * (size_t)k + 1] = (int32_t)(e->code_count - first);
  }
  e->code[head + FV_CODE_KINDS] = s->kind;
  e->code[head + FV_CODE_KINDS + 1] = s->there;
  e->code[head + FV_CODE_TABLE] = (int32_t)e->code_count;
  e->code[head + FV_CODE_TABLE + 1] = (int32_t)points;
  for (size_t i = 0; i < points; i++) TRM_TRY(put_one(e, 0, s->table.places[i]));
  for (size_t i = 0; i < points; i++) TRM_TRY(put_one(e, 0, s->table.values[i]));
  return TRM_OK;
}

trm_status fv_write_formulas(fv_solver *fv, const trm_config *config)
{
  static const char *const keys[6] = { "boundary.west_where", "boundary.east_where",
    "boundary.south_where", "boundary.north_where", "boundary.bottom_where",
    "boundary.top_where" };
  const int32_t codes[FV_CODE_FIRST] = { 0 };
  const double numbers[FV_CODE_FIRST] = { fv->origin[0], fv->origin[1], fv->origin[2], fv->h };
  int any = 0;
  for (int side = 0; side < 6; side++) any |= fv->edges.side[side].varies;
  if (!any) return TRM_OK;
  TRM_TRY(put(&fv->edges, FV_CODE_FIRST, codes, numbers));
  for (int side = 0; side < 6; side++)
    if (fv->edges.side[side].varies)
      TRM_TRY(put_side(fv, side, trm_config_origin(config, keys[side])));
  return TRM_OK;
}

void fv_free_edges(fv_edges *e)
{
  for (int side = 0; side < 6; side++) {
    for (int k = 0; k < FV_SIDE_VALUES; k++) trm_formula_destroy(&e->side[side].value[k]);
    trm_formula_destroy(&e->side[side].where);
    trm_table_free(&e->side[side].table);
  }
  free(e->code);
  free(e->number);
}

trm_status fv_upload_formulas(const fv_solver *fv)
{
  const fv_edges *e = &fv->edges;
  if (e->code_count == 0) return TRM_OK;
  TRM_TRY(trm_buffer_write(e->codes, 0, e->code_count * sizeof *e->code, e->code));
  return trm_framework_write_reals(e->numbers, fv->real_type, 0, e->number, e->number_count);
}

/* ---- entries ------------------------------------------------------------------------- */

/* The side beyond whose end along an axis a ghost lies, if it has entries; -1. */
static int side_of(const fv_solver *fv, const trm_ghost *ghost, int axis)
{
  const int is_beyond = ghost->kind >= TRM_GHOST_BOUNDARY && ghost->part[axis] != 0;
  const int side = 2 * axis + (ghost->part[axis] > 0);
  return is_beyond && fv->edges.side[side].varies ? side : -1;
}

void fv_count_edges(fv_solver *fv)
{
  const trm_forest *forest = fv->forest;
  fv->edges.entries = 0;
  for (size_t i = 0; fv->edges.code_count > 0 && i < forest->ghost_count; i++)
    for (int axis = 0; axis < 3; axis++)
      fv->edges.entries += side_of(fv, &forest->ghosts[i], axis) >= 0;
}

/* Enters a ghost into the list; numbers of its entries by axis to `to`. */
void fv_enter_edges(const fv_solver *fv, const trm_ghost *ghost, int32_t (*list)[FV_EDGE_INTS],
                    size_t *next, int32_t to[3])
{
  for (int axis = 0; axis < 3; axis++) {
    const int side = side_of(fv, ghost, axis);
    to[axis] = side >= 0 ? (int32_t)*next : -1;
    if (side < 0) continue;
    int32_t *entry = list[(*next)++];
    entry[0] = side;
    entry[1] = ghost->level - fv->dual.halvings;
    for (int a = 0; a < 3; a++) entry[2 + a] = ghost->place[a] * fv->forest->blocks.side[a];
    entry[2 + axis] = side % 2 == 0 ? 0 : fv->n[axis] << ghost->level;
  }
}
