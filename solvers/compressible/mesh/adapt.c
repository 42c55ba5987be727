/* adapt.c - refinement as the flow goes. After every so many steps the device says of each sub-
 * block of each leaf how much it shows of what is looked at, as a multiple of the thresholds;
 * tagging.c makes the next grid of that. The state goes over on the device: copied, as means, or on
 * limited lines; mass, momentum and energy are kept to rounding. */
#include "solvers/compressible/solver/fv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "core/sharing.h"

#define NO_LEAF 255

static const char *const names[FV_INDICATORS] = {
  [FV_INDICATOR_DENSITY] = "density", [FV_INDICATOR_PRESSURE] = "pressure",
  [FV_INDICATOR_VELOCITY] = "velocity", [FV_INDICATOR_VORTICITY] = "vorticity"
};

/* ---- the case ---------------------------------------------------------------- */

trm_status fv_refuse_twice(const trm_config *config, const char *what)
{
  return TRM_FAIL(INPUT, "%s: mesh.refine names '%s' twice; leave one out",
                  trm_config_origin(config, "mesh.refine"), what);
}

static trm_status read_reach(fv_solver *fv, const trm_config *config, const char *text,
                             const char **end)
{
  const trm_words read = trm_words_read(text, "#");
  const double cells = read.number[0];
  if (!read.used || !(cells > 0) || cells != rint(cells) || cells > fv_block_side(fv) ||
      (int)cells % FV_SUB_BLOCK != 0)
    return TRM_FAIL(INPUT, "%s: mesh.refine names 'reach' without a multiple of %d cells up to a "
                    "block's %d; write \"reach %d\"", trm_config_origin(config, "mesh.refine"),
                    FV_SUB_BLOCK, fv_block_side(fv), FV_SUB_BLOCK);
  if (fv->adapt.reach > 0) return fv_refuse_twice(config, "reach");
  fv->adapt.reach = (int)cells;
  *end = text + read.used;
  return TRM_OK;
}

/* "density 0.05" or "reach 4": whether the entry is a criterion; *end: where it ends. */
trm_status fv_read_criterion(fv_solver *fv, const trm_config *config, const char *text,
                             const char **end)
{
  const char *word = text + strspn(text, " ");
  const size_t length = strcspn(word, " ,;");
  *end = NULL;
  if (length == 5 && strncmp(word, "reach", 5) == 0)
    return read_reach(fv, config, word + length, end);
  for (int i = 0; i < FV_INDICATORS; i++) {
    if (strlen(names[i]) != length || strncmp(names[i], word, length) != 0) continue;
    const trm_words read = trm_words_read(word + length, "#");
    const double value = read.number[0];
    if (!read.used || !(value > 0.0))
      return TRM_FAIL(INPUT, "%s: mesh.refine names '%s' without a threshold above 0; write \"%s "
                      "0.05\"", trm_config_origin(config, "mesh.refine"), names[i], names[i]);
    if (fv->adapt.thresholds[i] > 0) return fv_refuse_twice(config, names[i]);
    fv->adapt.thresholds[i] = value;
    fv->p.indicator[i] = 1.0 / value;
    fv->adapt.is_asked = 1;
    *end = word + length + read.used;
    return TRM_OK;
  }
  return TRM_OK;
}

trm_status fv_read_adaptation(fv_solver *fv, const trm_config *config)
{
  fv_adaptation *adapt = &fv->adapt;
  adapt->every = adapt->is_asked ? (uint64_t)trm_config_integer(config, "mesh.adapt_every") : 0;
  adapt->most = (size_t)trm_config_integer(config, "mesh.blocks");
  adapt->coarsens = strcmp(trm_config_string(config, "mesh.overflow"), "coarsen") == 0;
  adapt->squeezed = 1;
  static const char *const keys[] = { "mesh.adapt_every", "mesh.blocks", "mesh.overflow" };
  if (adapt->reach > 0 && !adapt->is_asked)
    return TRM_FAIL(INPUT, "%s: mesh.refine has a reach, but names no quantity of the flow; "
                    "write \"density 0.05; reach %d\"", trm_config_origin(config, "mesh.refine"),
                    adapt->reach);
  if (adapt->reach == 0) adapt->reach = fv_block_side(fv) / 2;
  for (int i = 0; i < 3 && !adapt->is_asked; i++)
    if (trm_config_is_given(config, keys[i]))
      return TRM_FAIL(INPUT, "%s: %s is given, but mesh.refine names no quantity of the flow; name "
                      "density, pressure, velocity or vorticity there, as \"density 0.05\"",
                      trm_config_origin(config, keys[i]), keys[i]);
  return TRM_OK;
}

static int parts_of(const fv_solver *fv) { return fv->n[2] == 1 ? 4 : 8; }

/* ---- the state's way ------------------------------------------------------------ */

/* Where the values of a leaf of `next` come from. */
static void find_move(const fv_solver *fv, const trm_forest *next, size_t leaf, int32_t *to)
{
  const trm_forest *old = fv->forest;
  const int is_flat = fv->n[2] == 1, level = next->level[leaf];
  const int32_t *place = next->place[leaf];
  const int32_t parent[3] = { place[0] >> 1, place[1] >> 1, is_flat ? place[2] : place[2] >> 1 };
  for (int i = 0; i < FV_MOVE_INTS; i++) to[i] = 0;
  to[0] = FV_MOVE_COPY;
  to[2] = trm_forest_leaf(old, level, place);
  if (to[2] >= 0) return;
  to[0] = FV_MOVE_SPLIT;
  to[1] = (place[0] & 1) + 2 * (place[1] & 1) + (is_flat ? 0 : 4 * (place[2] & 1));
  to[2] = level > 0 ? trm_forest_leaf(old, level - 1, parent) : -1;
  if (to[2] >= 0) return;
  to[0] = FV_MOVE_MERGE;
  for (int i = 0; i < parts_of(fv); i++) {
    const int32_t part[3] = { 2 * place[0] + (i & 1), 2 * place[1] + (i >> 1 & 1),
                              is_flat ? place[2] : 2 * place[2] + (i >> 2) };
    to[2 + i] = trm_forest_leaf(old, level + 1, part);
  }
}

static size_t moves_bytes(const trm_forest *next)
{
  return next->blocks.count * FV_MOVE_INTS * sizeof(int32_t);
}

/* Into `to`, from the grid as it is. */
static trm_status move_state(fv_solver *fv, const trm_forest *next, trm_buffer *moves,
                             trm_buffer *to)
{
  static const trm_sharing by_moves = { .each = FV_MOVE_INTS, .counts = 4,
                                        .adjacent = 1 << 0 | 1 << 1 };
  const size_t leaves = next->blocks.count;
  int32_t *list = malloc(moves_bytes(next));
  trm_status status = list ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for the moves of %zu "
                                               "blocks", leaves);
  for (size_t i = 0; i < leaves && list; i++) find_move(fv, next, i, list + i * FV_MOVE_INTS);
  if (status == TRM_OK) status = fv_share_moves(fv, list, leaves, moves, to);
  if (status == TRM_OK) status = trm_buffer_write(moves, 0, moves_bytes(next), list);
  free(list);
  TRM_TRY(trm_device_agree(fv->base.device, status));
  return FV_SHARE(fv, FV_MOVE, (int)leaves, &by_moves, fv->q, fv->w[fv->current], fv->near, moves,
                  to);
}

/* ---- means over time ------------------------------------------------------------ */

/* The place of the first value from which a cell has its means: its own; those of the coarser cell
 * that contains it; or those of its k-th part. */
static size_t source_of(const fv_solver *fv, const int32_t *move, size_t cell, int k)
{
  const int32_t *side = fv->forest->blocks.side;
  int in[3] = { (int)cell % side[0], (int)cell / side[0] % side[1],
                (int)cell / (side[0] * side[1]) };
  int child = 0;
  for (int a = 0; a < fv_axes(fv); a++) {
    if (move[0] == FV_MOVE_SPLIT) in[a] = ((move[1] >> a & 1) * side[a] + in[a]) / 2;
    if (move[0] != FV_MOVE_MERGE) continue;
    in[a] = 2 * in[a] + (k >> a & 1);
    child |= (in[a] >= side[a]) << a;
    in[a] %= side[a];
  }
  return (size_t)move[2 + child] * FV_VALUES * fv->block +
         (size_t)((in[2] * side[1] + in[1]) * side[0] + in[0]);
}

/* Means of a leaf of the next grid, from those of the old ones. */
static void carry_leaf(const fv_solver *fv, const int32_t *move, const double *old, double *to)
{
  const int parts = move[0] == FV_MOVE_MERGE ? parts_of(fv) : 1;
  for (size_t i = 0; i < fv->block; i++)
    for (int k = 0; k < parts; k++) {
      const double *from = old + source_of(fv, move, i, k);
      for (size_t v = 0; v < FV_VALUES; v++)
        to[v * fv->block + i] += from[v * fv->block] / parts;
    }
}

/* Means on the next grid, the caller's to free; NULL: none are made. They go through the host,
 * since few runs ask for them. */
static trm_status carry_means(const fv_solver *fv, const trm_forest *next, double **out)
{
  const size_t leaf = fv->block * FV_VALUES, count = fv->forest->blocks.count;
  if (!fv->diagnostics.has_means) return TRM_OK;
  double *old = malloc(count * leaf * sizeof *old);
  double *to = calloc(next->blocks.count * leaf, sizeof *to);
  trm_status status = TRM_OK;
  if (!old || !to) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for means of %zu blocks", count);
  if (status == TRM_OK)
    status = trm_framework_read_reals(fv->diagnostics.means, fv->real_type, 0, old, count * leaf);
  for (size_t i = 0; status == TRM_OK && i < next->blocks.count; i++) {
    int32_t move[FV_MOVE_INTS];
    find_move(fv, next, i, move);
    carry_leaf(fv, move, old, to + i * leaf);
  }
  free(old);
  if (status == TRM_OK) *out = to;
  else free(to);
  return status;
}

/* ---- the grid's change ---------------------------------------------------------- */

/* Buffers of the moves' own. */
static trm_status make_way(const fv_solver *fv, const trm_forest *next, size_t bytes,
                           trm_buffer *own[2])
{
  trm_status status = trm_buffer_create(fv->base.device, moves_bytes(next), "moves of leaves",
                                        &own[0]);
  if (status == TRM_OK)
    status = trm_buffer_create(fv->base.device, bytes, "state of the next grid", &own[1]);
  return trm_device_agree(fv->base.device, status);
}

/* The state on the next grid, which takes the place of the one there is. On its way it lies where
 * the next stage's values will, or, where buffers have to grow or several devices share the grid,
 * in one of its own. */
static trm_status change_to(fv_solver *fv, trm_forest **next)
{
  const size_t bytes = (*next)->blocks.count * fv->block * FV_VALUES *
                       trm_type_size(fv->real_type);
  trm_buffer *own[2] = { NULL, NULL }, *moves = fv->adapt.moves, *way = fv->w[!fv->current];
  double *means = NULL;
  trm_status status = carry_means(fv, *next, &means);
  if (status == TRM_OK && (fv_is_shared(fv) || !fv_has_room(fv, *next))) {
    status = make_way(fv, *next, bytes, own);
    moves = own[0];
    way = own[1];
  }
  if (status == TRM_OK) status = move_state(fv, *next, moves, way);
  if (status == TRM_OK && !own[1]) status = trm_buffer_copy(fv->q, 0, way, 0, bytes);
  if (status == TRM_OK) status = fv_take_forest(fv, next);
  if (status == TRM_OK && own[1]) status = trm_buffer_copy(fv->q, 0, way, 0, bytes);
  if (status == TRM_OK && means)
    status = trm_framework_write_reals(fv->diagnostics.means, fv->real_type, 0, means,
                                       fv->forest->blocks.count * fv->block * FV_VALUES);
  trm_buffer_destroy(&own[0]);
  trm_buffer_destroy(&own[1]);
  free(means);
  return status;
}

/* ---- adaptation ------------------------------------------------------------------ */

/* Each part of a run tells what its own leaves show. In f32 `values` has floats at first. */
static trm_status read_indicated(const fv_solver *fv, double *values)
{
  trm_device *device = fv->base.device;
  const size_t leaves = fv->forest->blocks.count, count = leaves * fv_sub_blocks(fv);
  const size_t each = fv_sub_blocks(fv) * trm_type_size(fv->real_type);
  size_t first, own;
  trm_device_made_rows(device, leaves, 1, &first, &own);
  const trm_status status = trm_buffer_read_made(fv->adapt.indicated, first * each, own * each,
                                                 (unsigned char *)values + first * each);
  TRM_TRY(trm_device_complete_rows(device, status, values, leaves, 1, each));
  for (size_t i = count; fv->real_type == TRM_TYPE_F32 && i-- > 0;) {
    float value;
    memcpy(&value, (unsigned char *)values + i * sizeof value, sizeof value);
    values[i] = value;
  }
  return TRM_OK;
}

static trm_status indicator(fv_solver *fv, double *values)
{
  TRM_TRY(fv_launch_ghosts(fv));
  TRM_TRY(FV_SHARE(fv, FV_INDICATOR, fv->p.blocks, FV_LEAVES_OF(1), fv->w[fv->current], fv->near,
                   fv->adapt.indicated));
  return read_indicated(fv, values);
}

static trm_status find_next(fv_solver *fv, trm_forest **next)
{
  const size_t leaves = fv->forest->blocks.count;
  double *values = malloc(leaves * fv_sub_blocks(fv) * sizeof *values);
  trm_status status = TRM_OK;
  *next = NULL;
  if (!values)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the indicators of %zu blocks", leaves);
  status = trm_device_agree(fv->base.device, status);
  if (status == TRM_OK) status = indicator(fv, values);
  if (status == TRM_OK)
    status = trm_device_agree(fv->base.device, fv_plan(fv, values, next));
  free(values);
  return status;
}

trm_status fv_adapt(fv_solver *fv)
{
  const double begun = fv_now();
  trm_forest *next = NULL;
  fv_volumes_held *held = NULL;
  trm_status status = find_next(fv, &next);
  if (status == TRM_OK && next) {
    status = fv_hold_volumes(fv, &held);
    if (status == TRM_OK) status = change_to(fv, &next);
    if (status == TRM_OK) status = fv_regain_volumes(fv, held);
    if (status == TRM_OK) status = fv_launch_start(fv);
    if (status == TRM_OK) status = fv_launch_next(fv);
    fv->adapt.count++;
  }
  fv_drop_volumes(&held);
  trm_forest_destroy(&next);
  fv->adapt.seconds += fv_now() - begun;
  return status;
}

/* The first grid: the formulas are laid on each that their own values ask for, until one is as it
 * is to be. */
trm_status fv_adapt_start(fv_solver *fv, const trm_config *config)
{
  for (int i = 0; i <= fv->finest && fv->adapt.is_asked; i++) {
    trm_forest *next = NULL;
    TRM_TRY(find_next(fv, &next));
    if (!next) return TRM_OK;
    trm_status status = fv_take_forest(fv, &next);
    trm_forest_destroy(&next);
    if (status == TRM_OK) status = fv_fill(fv, config);
    if (status == TRM_OK) status = fv_launch_start(fv);
    TRM_TRY(status);
  }
  return TRM_OK;
}

/* ---- checkpoints ------------------------------------------------------------------ */

trm_status fv_keep_levels(fv_solver *fv)
{
  const trm_forest *forest = fv->forest;
  if (!fv->adapt.is_asked) return TRM_OK;
  uint8_t *levels = malloc(fv->adapt.most);
  if (!levels) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu levels", fv->adapt.most);
  memset(levels, NO_LEAF, fv->adapt.most);
  memcpy(levels, forest->blocks.level, forest->blocks.count);
  const trm_status status = trm_buffer_write(fv->adapt.levels, 0, fv->adapt.most, levels);
  free(levels);
  return status;
}

/* Leaves are met in their order; those of the finest level are not asked for. */
typedef struct reading {
  const fv_solver *fv;
  uint8_t *levels;
  size_t at;
} reading;

static int was_split(const void *user, int level, const int32_t place[3])
{
  reading *r = (reading *)(uintptr_t)user;
  (void)place;
  if (r->at >= r->fv->adapt.most || r->levels[r->at] == NO_LEAF) return 0;
  if (r->levels[r->at] <= level) {
    r->at++;
    return 0;
  }
  if (level + 1 == r->fv->finest) r->at += (size_t)parts_of(r->fv);
  return 1;
}

trm_status fv_reshape(trm_solver *solver)
{
  fv_solver *fv = (fv_solver *)solver;
  trm_forest *next = NULL;
  reading r = { .fv = fv };
  if (!fv->adapt.is_asked) return TRM_OK;
  r.levels = malloc(fv->adapt.most);
  if (!r.levels) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu levels", fv->adapt.most);
  trm_status status = trm_buffer_read(fv->adapt.levels, 0, fv->adapt.most, r.levels);
  trm_forest_shape shape = fv->forest->shape;
  shape.wants = was_split;
  shape.user = &r;
  if (status == TRM_OK) status = trm_forest_create(&shape, &next);
  if (status == TRM_OK &&
      (next->blocks.count > fv->adapt.most ||
       memcmp(next->blocks.level, r.levels, next->blocks.count) != 0 ||
       (next->blocks.count < fv->adapt.most && r.levels[next->blocks.count] != NO_LEAF)))
    status = TRM_FAIL(INPUT, "the levels that were kept are not those of a grid of blocks");
  if (status == TRM_OK) status = fv_take_forest(fv, &next);
  trm_forest_destroy(&next);
  free(r.levels);
  return status;
}
