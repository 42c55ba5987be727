/* wishes.c - the next grid of a flow, from the indicators of each spot of each leaf as a multiple
 * of the thresholds. Beyond 1 the leaf is split; beyond 1/4 it stays, and leaves within reach of
 * such a spot have at least its level. So the spot that has a block split also keeps its parts, and
 * the grid changes with the flow alone. */
#include "solvers/compressible/solver/fv.h"

#include <stdlib.h>

#define FULL 1.0
#define ALIVE 0.25

typedef struct tags {
  fv_solver *fv;
  const double *indicated;     /* of each leaf's sub-blocks */
  double times;                /* thresholds are multiplied by it */
  uint64_t facing[27];         /* the sub-blocks, as bits, that lie towards a step's end */
  uint8_t *wanted;             /* level, of each leaf */
} tags;

static int parts_of(const fv_solver *fv) { return fv->n[2] == 1 ? 4 : 8; }

size_t fv_sub_blocks(const fv_solver *fv)
{
  const size_t along = (size_t)(fv_block_side(fv) / FV_SUB_BLOCK);
  return along * along * (fv->n[2] == 1 ? 1 : along);
}

/* Whether number i, x fastest, of `count` along each axis (along z perhaps one) is among the
 * `depth` outermost at the end that step k goes to. */
static int is_towards(int k, int count, int level_limit, int i)
{
  const int step[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
  int is = 1;
  for (int a = 0; a < 3; a++, i /= count) {
    const int from_end = step[a] < 0 ? i % count : count - 1 - i % count;
    is &= step[a] == 0 || from_end < level_limit;
  }
  return is;
}

static void find_facing(tags *w)
{
  const fv_solver *fv = w->fv;
  const int count = fv->forest->blocks.side[0] / FV_SUB_BLOCK;
  for (int k = 0; k < 27; k++) {
    w->facing[k] = 0;
    for (int i = 0; i < (int)fv_sub_blocks(fv); i++)
      w->facing[k] |= (uint64_t)is_towards(k, count, fv->adapt.reach / FV_SUB_BLOCK, i) << i;
  }
}

/* The sub-blocks, as bits, that show more than so many times the thresholds. */
static uint64_t beyond(const tags *w, size_t leaf, double bound)
{
  const int sub_blocks = (int)fv_sub_blocks(w->fv);
  const double *indicated = w->indicated + leaf * (size_t)sub_blocks;
  uint64_t bits = 0;
  for (int i = 0; i < sub_blocks; i++) bits |= (uint64_t)!(indicated[i] <= bound * w->times) << i;
  return bits;
}

static void want(const tags *w, int32_t leaf, int level)
{
  if (level > w->wanted[leaf]) w->wanted[leaf] = (uint8_t)level;
}

/* The levels that a leaf demands of its neighbours, by its sub-blocks towards them. */
static void ask(const tags *w, size_t leaf, uint64_t alive)
{
  const trm_forest *forest = w->fv->forest;
  const int parts = parts_of(w->fv), level = forest->level[leaf];
  const uint64_t full = beyond(w, leaf, FULL);
  for (int k = parts == 4 ? 9 : 0; k < (parts == 4 ? 18 : 27); k++) {
    const int32_t slot = forest->near[leaf][k];
    if (!(alive & w->facing[k])) continue;
    if ((size_t)slot < forest->blocks.count) {
      want(w, slot, level);
      continue;
    }
    const trm_ghost *ghost = &forest->ghosts[(size_t)slot - forest->blocks.count];
    if (ghost->kind == TRM_GHOST_PROLONGED) want(w, ghost->source[0], level);
    for (int i = 0; ghost->kind == TRM_GHOST_RESTRICTED && full & w->facing[k] && i < parts; i++)
      if (is_towards(26 - k, 2, 1, i)) want(w, ghost->source[i], level + 1);
  }
}

/* The level that walls and boxes demand at its place. */
static int level_of_place(const fv_solver *fv, size_t leaf)
{
  const trm_forest *forest = fv->forest;
  const int level = forest->level[leaf];
  const int32_t *place = forest->place[leaf];
  const int32_t parent[3] = { place[0] >> 1, place[1] >> 1, fv->n[2] == 1 ? 0 : place[2] >> 1 };
  if (fv->box_count == 0 && fv->bodies.count == 0 && fv->near_wall == 0 && fv->wall_cells == 0)
    return 0;
  if (level < fv->finest && fv_is_fine(fv, level, place)) return level + 1;
  return level > 0 && fv_is_fine(fv, level - 1, parent) ? level : 0;
}

static void tag(const tags *w)
{
  const fv_solver *fv = w->fv;
  const trm_forest *forest = fv->forest;
  for (size_t i = 0; i < forest->blocks.count; i++) {
    const int level = forest->level[i];
    w->wanted[i] = (uint8_t)(level > 0 ? level - 1 : 0);
  }
  for (size_t i = 0; i < forest->blocks.count; i++) {
    const int level = forest->level[i];
    const uint64_t alive = beyond(w, i, ALIVE);
    want(w, (int32_t)i, level_of_place(fv, i));
    if (!alive) continue;
    want(w, (int32_t)i, level < fv->finest && beyond(w, i, FULL) ? level + 1 : level);
    ask(w, i, alive);
  }
}

/* ---- the grid that grants them -------------------------------------------------- */

/* Whether the leaves from number `first` on are the parts of a block that all want less. */
static int is_merged(const tags *w, size_t first)
{
  const trm_forest *forest = w->fv->forest;
  const trm_blocks *blocks = &forest->blocks;
  const size_t parts = (size_t)parts_of(w->fv);
  const int level = blocks->level[first];
  const int32_t *place = blocks->place[first];
  if (level <= forest->shape.level || first + parts > blocks->count) return 0;
  if ((place[0] | place[1] | (parts == 4 ? 0 : place[2])) & 1) return 0;
  for (size_t i = first; i < first + parts; i++) {
    if (blocks->level[i] != level || w->wanted[blocks->slot[i]] >= level) return 0;
    for (int k = 0; k < 27; k++) {
      const size_t slot = (size_t)forest->near[blocks->slot[i]][k];
      if (slot >= blocks->count + forest->first[TRM_GHOST_RESTRICTED] &&
          slot < blocks->count + forest->first[TRM_GHOST_RESTRICTED + 1]) return 0;
    }
  }
  return 1;
}

/* Whether the next grid equals this one. A finer leaf beside a block keeps the block's parts from
 * merging. If all blocks that could be merged are kept by such leaves, the finest of these leaves
 * stay, so all stay. */
static int is_kept(const tags *w)
{
  const trm_forest *forest = w->fv->forest;
  for (size_t i = 0; i < forest->blocks.count; i++)
    if (w->wanted[i] > forest->level[i] || is_merged(w, i)) return 0;
  return 1;
}

/* Whether a block of the next grid is split. */
static int is_split(const void *user, int level, const int32_t place[3])
{
  const tags *w = user;
  const trm_forest *forest = w->fv->forest;
  const int is_flat = w->fv->n[2] == 1, parts = parts_of(w->fv);
  const int32_t leaf = trm_forest_leaf(forest, level, place);
  const int32_t parent[3] = { place[0] >> 1, place[1] >> 1, is_flat ? place[2] : place[2] >> 1 };
  if (leaf >= 0) return w->wanted[leaf] > level;
  if (level > 0 && trm_forest_leaf(forest, level - 1, parent) >= 0) return 0; /* it is new */
  for (int i = 0; i < parts; i++) {
    const int32_t part[3] = { 2 * place[0] + (i & 1), 2 * place[1] + (i >> 1 & 1),
                              is_flat ? place[2] : 2 * place[2] + (i >> 2) };
    const int32_t child = trm_forest_leaf(forest, level + 1, part);
    if (child < 0 || w->wanted[child] > level) return 1;
  }
  return 0;
}

/* Thresholds are doubled until there is room, where the case says so. */
static trm_status plan(tags *w, trm_forest **out)
{
  fv_solver *fv = w->fv;
  trm_forest_shape shape = fv->forest->shape;
  shape.wants = is_split;
  shape.user = w;
  if (shape.shuffle) shape.shuffle++; /* each grid in an order of its own */
  find_facing(w);
  for (w->times = 1;; w->times *= 2) {
    *out = NULL;
    tag(w);
    if (!is_kept(w)) TRM_TRY(trm_forest_create(&shape, out));
    const size_t count = (*out ? *out : fv->forest)->blocks.count;
    if (w->times > fv->adapt.squeezed) fv->adapt.squeezed = w->times;
    if (count <= fv->adapt.most) return TRM_OK;
    trm_forest_destroy(out);
    if (fv->adapt.coarsens && w->times < 1e18) continue;
    return TRM_FAIL(INPUT, "after step %llu the grid would have %zu blocks and mesh.blocks = %zu; "
                    "raise it, or the thresholds of mesh.refine, lower grid.levels, or set "
                    "mesh.overflow = \"coarsen\"", (unsigned long long)fv->base.step, count,
                    fv->adapt.most);
  }
}

trm_status fv_plan(fv_solver *fv, const double *indicated, trm_forest **next)
{
  const size_t leaves = fv->forest->blocks.count;
  tags w = { .fv = fv, .indicated = indicated, .wanted = malloc(leaves) };
  if (!w.wanted) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the tags of %zu blocks", leaves);
  const trm_status status = plan(&w, next);
  free(w.wanted);
  return status;
}
