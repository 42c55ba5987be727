/* forest.c - leaves in Morton order, each in a slot, found again by a table of their places; ghosts
 * beside them. */
#include <config.h>

#include "solvers/framework/forest_slots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 1 << 24 };

/* Places of blocks to slots: open addressing over (level, x, y, z). */
typedef struct trm_forest_table {
  size_t mask, count;
  uint64_t *keys;              /* 0: empty */
  int32_t *slots;
} table;

/* A block beyond the box has the place -1: one is added. Places are below 2^19 - 1. */
static uint64_t key_of(int level, const int32_t place[3])
{
  uint64_t key = (uint64_t)level + 1;
  for (int a = 0; a < 3; a++) key = key << 19 | (uint64_t)(place[a] + 1);
  return key;
}

/* All of a key's bits count: a product's lower bits know nothing of its factors' upper ones. */
static size_t find(const table *t, uint64_t key)
{
  size_t at = (size_t)((key ^ key >> 32) * 0x9e3779b97f4a7c15u >> 29) & t->mask;
  while (t->keys[at] && t->keys[at] != key) at = (at + 1) & t->mask;
  return at;
}

static trm_status grow(table *t)
{
  table next = { .mask = t->keys ? 2 * t->mask + 1 : 1023, .count = t->count };
  next.keys = calloc(next.mask + 1, sizeof *next.keys);
  next.slots = malloc((next.mask + 1) * sizeof *next.slots);
  if (!next.keys || !next.slots) {
    free(next.keys);
    free(next.slots);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the places of %zu blocks", t->count);
  }
  for (size_t i = 0; t->keys && i <= t->mask; i++)
    if (t->keys[i]) {
      const size_t at = find(&next, t->keys[i]);
      next.keys[at] = t->keys[i];
      next.slots[at] = t->slots[i];
    }
  free(t->keys);
  free(t->slots);
  *t = next;
  return TRM_OK;
}

static trm_status enter(table *t, int level, const int32_t place[3], int32_t slot)
{
  const uint64_t key = key_of(level, place);
  if (!t->keys || 2 * t->count > t->mask) TRM_TRY(grow(t));
  const size_t at = find(t, key);
  t->count += t->keys[at] == 0;
  t->keys[at] = key;
  t->slots[at] = slot;
  return TRM_OK;
}

static int32_t slot_at(const table *t, int level, const int32_t place[3])
{
  if (!t->keys) return -1;
  const size_t at = find(t, key_of(level, place));
  return t->keys[at] ? t->slots[at] : -1;
}

/* ---- which blocks are split ---------------------------------------------------------------- */

typedef struct builder {
  trm_forest *forest;
  table split, *slots;         /* places of split blocks; of leaves and ghosts, to slots */
  size_t leaves, room;         /* ghosts that there is room for */
} builder;

static void boxes_of(const trm_forest_shape *shape, int level, int32_t out[3])
{
  for (int a = 0; a < 3; a++)
    out[a] = shape->side[a] == 1 ? shape->roots[a] : shape->roots[a] << level;
}

static trm_status too_many(const trm_forest_shape *shape)
{
  const int finest = shape->level > shape->finest ? shape->level : shape->finest;
  char split[48] = "";
  if (finest > 0) snprintf(split, sizeof split, ", each split up to %d times,", finest);
  return TRM_FAIL(INPUT, "%d x %d x %d blocks%s are more than a grid may have, %d; take a coarser "
                  "grid", shape->roots[0], shape->roots[1], shape->roots[2], split, MOST_BLOCKS);
}

static trm_status check(const trm_forest_shape *shape)
{
  const int is_flat = shape->side[2] == 1;
  const int finest = shape->level > shape->finest ? shape->level : shape->finest;
  double count = 1;
  for (int a = 0; a < (is_flat ? 2 : 3); a++) {
    if ((double)shape->roots[a] * (double)(1u << finest) > (1 << 19) - 2)
      return too_many(shape);
    count *= (double)shape->roots[a] * (double)(1u << shape->level);
  }
  return count > MOST_BLOCKS ? too_many(shape) : TRM_OK;
}

#define ROW(y, z) { -1, y, z }, { 0, y, z }, { 1, y, z }
static const int8_t steps[27][3] = { ROW(-1, -1), ROW(0, -1), ROW(1, -1), ROW(-1, 0), ROW(0, 0),
                                     ROW(1, 0), ROW(-1, 1), ROW(0, 1), ROW(1, 1) };

/* The place beside one of a level, across ends that meet; beyond: where it lies by axis. */
static void step_to(const trm_forest_shape *shape, int level, const int32_t place[3], int k,
                    int32_t to[3], int8_t beyond[3])
{
  int32_t n[3];
  boxes_of(shape, level, n);
  for (int a = 0; a < 3; a++) {
    to[a] = place[a] + (shape->side[a] == 1 ? 0 : steps[k][a]);
    if (shape->is_periodic[a]) to[a] += to[a] < 0 ? n[a] : to[a] >= n[a] ? -n[a] : 0;
    beyond[a] = (int8_t)(to[a] < 0 ? -1 : to[a] >= n[a]);
  }
}

static void parent_of(const trm_forest_shape *shape, const int32_t place[3], int32_t out[3])
{
  for (int a = 0; a < 3; a++) out[a] = shape->side[a] == 1 ? place[a] : place[a] >> 1;
}

/* Splits a block. Before that, it splits the blocks that contain the block and its neighbours: by
 * axis, its own parent and the parent on its side. */
static trm_status split(builder *b, int level, const int32_t place[3])
{
  const trm_forest_shape *shape = &b->forest->shape;
  if (slot_at(&b->split, level, place) >= 0) return TRM_OK;
  for (int i = 0; level > 0 && i < (shape->side[2] == 1 ? 4 : 8); i++) {
    int32_t beside[3], parent[3];
    int8_t beyond[3];
    int k = 13;
    for (int a = 0, unit = 1; a < 3; a++, unit *= 3)
      if (i >> a & 1) k += place[a] & 1 ? unit : -unit;
    step_to(shape, level, place, k, beside, beyond);
    if (beyond[0] || beyond[1] || beyond[2]) continue;
    parent_of(shape, beside, parent);
    TRM_TRY(split(b, level - 1, parent));
  }
  b->leaves += shape->side[2] == 1 ? 3 : 7;
  if (b->leaves > MOST_BLOCKS) return too_many(shape);
  return enter(&b->split, level, place, 0);
}

/* Place of part i of a block, x fastest. */
static void part_of(const trm_forest_shape *shape, const int32_t place[3], int i, int32_t out[3])
{
  for (int a = 0; a < 3; a++)
    out[a] = shape->side[a] == 1 ? place[a] : 2 * place[a] + (i >> a & 1);
}

static trm_status split_wanted(builder *b, int level, const int32_t place[3])
{
  const trm_forest_shape *shape = &b->forest->shape;
  const int is_wanted = level < shape->level ||
                        (level < shape->finest && shape->wants(shape->user, level, place));
  if (!is_wanted) return TRM_OK;
  TRM_TRY(split(b, level, place));
  for (int i = 0; i < (shape->side[2] == 1 ? 4 : 8); i++) {
    int32_t part[3];
    part_of(shape, place, i, part);
    TRM_TRY(split_wanted(b, level + 1, part));
  }
  return TRM_OK;
}

/* ---- leaves -------------------------------------------------------------------------------- */

/* The roots in a cube of `size` along each axis, a power of two, in Morton order. */
static void list_roots(const int n[3], int32_t size, const int32_t at[3], int32_t (*roots)[3],
                       size_t *count)
{
  if (at[0] >= n[0] || at[1] >= n[1] || at[2] >= n[2]) return;
  if (size == 1) memcpy(roots[(*count)++], at, sizeof *roots);
  for (int i = 0; i < 8 && size > 1; i++) {
    int32_t part[3];
    for (int a = 0; a < 3; a++) part[a] = at[a] + (i >> a & 1) * (size / 2);
    list_roots(n, size / 2, part, roots, count);
  }
}

static trm_status add_leaves(builder *b, int level, const int32_t place[3])
{
  trm_forest *forest = b->forest;
  const trm_forest_shape *shape = &forest->shape;
  if (slot_at(&b->split, level, place) < 0) {
    const size_t i = forest->blocks.count++;
    const int32_t slot = forest->leaf_slot[i];
    memcpy(forest->leaf_place[i], place, sizeof forest->leaf_place[i]);
    memcpy(forest->place[slot], place, sizeof forest->place[slot]);
    forest->leaf_level[i] = forest->level[slot] = (uint8_t)level;
    return enter(b->slots, level, place, slot);
  }
  for (int i = 0; i < (shape->side[2] == 1 ? 4 : 8); i++) {
    int32_t part[3];
    part_of(shape, place, i, part);
    TRM_TRY(add_leaves(b, level + 1, part));
  }
  return TRM_OK;
}

static trm_status make_room(trm_forest *forest, size_t leaves)
{
  forest->leaf_slot = malloc(leaves * sizeof *forest->leaf_slot);
  forest->leaf_place = malloc(leaves * sizeof *forest->leaf_place);
  forest->leaf_level = malloc(leaves);
  forest->place = malloc(leaves * sizeof *forest->place);
  forest->level = malloc(leaves);
  forest->near = malloc(leaves * sizeof *forest->near);
  return forest->leaf_slot && forest->leaf_place && forest->leaf_level && forest->place &&
                 forest->level && forest->near
             ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks", leaves);
}

static trm_status make_leaves(builder *b)
{
  trm_forest *forest = b->forest;
  const int *n = forest->shape.roots;
  const size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
  int32_t (*roots)[3] = malloc(count * sizeof *roots), size = 1;
  if (!roots) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks", count);
  size_t i = 0;
  while (size < n[0] || size < n[1] || size < n[2]) size *= 2;
  list_roots(n, size, (const int32_t[3]){ 0, 0, 0 }, roots, &i);
  b->leaves = count;
  trm_status status = TRM_OK;
  for (i = 0; i < count && status == TRM_OK; i++) status = split_wanted(b, 0, roots[i]);
  if (status == TRM_OK && forest->shape.affords)
    status = forest->shape.affords(forest->shape.user, b->leaves);
  if (status == TRM_OK) status = make_room(forest, b->leaves);
  if (status == TRM_OK) forest_choose_slots(forest->leaf_slot, b->leaves, &forest->shape);
  for (i = 0; i < count && status == TRM_OK; i++) status = add_leaves(b, 0, roots[i]);
  forest->blocks.slot = forest->leaf_slot;
  forest->blocks.level = forest->leaf_level;
  forest->blocks.place = (const int32_t (*)[3])forest->leaf_place;
  forest->slots = forest->blocks.count;
  free(roots);
  return status;
}

/* ---- what lies beside them ----------------------------------------------------------------- */

/* A leaf looks at a ghost from the other end of step k. */
static void widen(trm_ghost *ghost, const int32_t side[3], int k)
{
  const int8_t *step = steps[k];
  for (int a = 0; a < 3; a++) {
    const int is_thin = side[a] > 1;
    const int from = is_thin && step[a] < 0 ? side[a] - 2 : 0;
    const int to = is_thin && step[a] > 0 ? 2 : side[a];
    if (from < ghost->from[a]) ghost->from[a] = (int16_t)from;
    if (to > ghost->to[a]) ghost->to[a] = (int16_t)to;
  }
}

static trm_status add_ghost(builder *b, const trm_ghost *ghost, int level, const int32_t place[3])
{
  trm_forest *forest = b->forest;
  if (forest->ghost_count == b->room) {
    const size_t room = b->room ? 2 * b->room : 64;
    trm_ghost *more = realloc(forest->ghosts, room * sizeof *more);
    if (!more) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks beside leaves", room);
    forest->ghosts = more;
    b->room = room;
  }
  forest->ghosts[forest->ghost_count++] = *ghost;
  forest->slots++;
  return enter(b->slots, level, place, ghost->slot);
}

static trm_status beside(builder *b, int level, const int32_t place[3], int k, int32_t *out)
{
  trm_forest *forest = b->forest;
  const trm_forest_shape *shape = &forest->shape;
  const size_t leaves = forest->blocks.count;
  trm_ghost ghost = { .slot = (int32_t)forest->slots };
  int32_t at[3], other[3];
  step_to(shape, level, place, k, at, ghost.part);
  *out = slot_at(b->slots, level, at);
  if (*out >= 0) {
    if ((size_t)*out >= leaves)
      widen(&forest->ghosts[(size_t)*out - leaves], forest->blocks.side, k);
    return TRM_OK;
  }
  for (int a = 0; a < 3; a++) {
    ghost.from[a] = INT16_MAX;
    ghost.to[a] = 0;
  }
  widen(&ghost, forest->blocks.side, k);
  if (ghost.part[0] || ghost.part[1] || ghost.part[2]) {
    int inner = k;
    for (int a = 0, unit = 1; a < 3; a++, unit *= 3) inner -= ghost.part[a] * unit;
    TRM_TRY(beside(b, level, place, inner, &ghost.source[0]));
    const int32_t source = ghost.source[0];
    const int is_line = (size_t)source >= leaves &&
                        forest->ghosts[(size_t)source - leaves].kind == TRM_GHOST_PROLONGED;
    ghost.kind = is_line ? TRM_GHOST_OUTER_BOUNDARY : TRM_GHOST_BOUNDARY;
    ghost.slot = (int32_t)forest->slots; /* after what may have been added */
  } else if (slot_at(&b->split, level, at) >= 0) {
    ghost.kind = TRM_GHOST_RESTRICTED;
    for (int i = 0; i < 8; i++) {
      part_of(shape, at, i, other);
      ghost.source[i] = slot_at(b->slots, level + 1, other);
      if ((size_t)ghost.source[i] >= leaves) ghost.source[i] = -1;
    }
  } else {
    ghost.kind = TRM_GHOST_PROLONGED;
    parent_of(shape, at, other);
    ghost.source[0] = slot_at(b->slots, level - 1, other);
    for (int a = 0; a < 3; a++) ghost.part[a] = (int8_t)(shape->side[a] == 1 ? 0 : at[a] & 1);
  }
  ghost.level = level;
  memcpy(ghost.place, at, sizeof ghost.place);
  *out = ghost.slot;
  return add_ghost(b, &ghost, level, at);
}

/* Slots at the places about the parts of one block, 4 x 4 x 4: the parts share most neighbours.
 * UNKNOWN: not sought yet. */
enum { UNKNOWN = -2 };
typedef struct surroundings {
  int level;
  int32_t parent[3];
  int32_t slot[64];
} surroundings;

static trm_status find_around(builder *b, size_t leaf, surroundings *about)
{
  trm_forest *forest = b->forest;
  const int level = forest->leaf_level[leaf], is_flat = forest->shape.side[2] == 1;
  const int32_t *place = forest->leaf_place[leaf];
  const int32_t parent[3] = { place[0] >> 1, place[1] >> 1, is_flat ? 0 : place[2] >> 1 };
  if (level != about->level || memcmp(parent, about->parent, sizeof parent) != 0) {
    about->level = level;
    memcpy(about->parent, parent, sizeof parent);
    for (int i = 0; i < 64; i++) about->slot[i] = UNKNOWN;
  }
  const int up = is_flat ? 0 : 16;
  const int at = 5 + (place[0] & 1) + 4 * (place[1] & 1) + up * (1 + (place[2] & 1));
  for (int k = 0; k < 27; k++) {
    int32_t *slot = &about->slot[at + steps[k][0] + 4 * steps[k][1] + up * steps[k][2]];
    if (*slot == UNKNOWN) TRM_TRY(beside(b, level, place, k, slot));
    else if ((size_t)*slot >= forest->blocks.count)
      widen(&forest->ghosts[(size_t)*slot - forest->blocks.count], forest->blocks.side, k);
    forest->near[forest->leaf_slot[leaf]][k] = *slot;
  }
  return TRM_OK;
}

/* Ghosts by kind, each kind in the order in which they were found. */
static trm_status sort_ghosts(trm_forest *forest)
{
  const size_t count = forest->ghost_count, leaves = forest->blocks.count;
  trm_ghost *sorted = malloc((count + 1) * sizeof *sorted);
  int32_t *slot = malloc((count + 1) * sizeof *slot);
  if (!sorted || !slot) {
    free(sorted);
    free(slot);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks beside leaves", count);
  }
  size_t next = 0;
  for (int kind = 0; kind < TRM_GHOST_KINDS; kind++) {
    forest->first[kind] = next;
    for (size_t i = 0; i < count; i++)
      if (forest->ghosts[i].kind == kind) {
        slot[i] = (int32_t)(leaves + next);
        sorted[next++] = forest->ghosts[i];
      }
  }
  forest->first[TRM_GHOST_KINDS] = count;
  for (size_t i = 0; i < count; i++) {
    sorted[i].slot = (int32_t)(leaves + i);
    const size_t source = (size_t)sorted[i].source[0] - leaves;
    if (sorted[i].kind >= TRM_GHOST_BOUNDARY && sorted[i].source[0] >= (int32_t)leaves)
      sorted[i].source[0] = slot[source];
  }
  for (size_t i = 0; i < leaves; i++)
    for (int k = 0; k < 27; k++)
      if ((size_t)forest->near[i][k] >= leaves)
        forest->near[i][k] = slot[(size_t)forest->near[i][k] - leaves];
  free(forest->ghosts);
  free(slot);
  forest->ghosts = sorted;
  return TRM_OK;
}

static trm_status build(builder *b)
{
  trm_forest *forest = b->forest;
  surroundings about = { .level = -1 };
  TRM_TRY(make_leaves(b));
  for (size_t i = 0; i < forest->blocks.count; i++) TRM_TRY(find_around(b, i, &about));
  return sort_ghosts(forest);
}

trm_status trm_forest_create(const trm_forest_shape *shape, trm_forest **out)
{
  TRM_TRY(check(shape));
  trm_forest *forest = calloc(1, sizeof *forest);
  if (!forest) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a forest of blocks");
  forest->shape = *shape;
  for (int a = 0; a < 3; a++) {
    forest->blocks.side[a] = shape->side[a];
    forest->blocks.roots[a] = shape->roots[a];
  }
  forest->table = calloc(1, sizeof *forest->table);
  builder b = { .forest = forest, .slots = forest->table };
  const trm_status status = forest->table ? build(&b)
                            : TRM_FAIL(NO_HOST_MEMORY, "no memory for a forest of blocks");
  free(b.split.keys);
  free(b.split.slots);
  if (status != TRM_OK) trm_forest_destroy(&forest);
  else *out = forest;
  return status;
}

int32_t trm_forest_leaf(const trm_forest *forest, int level, const int32_t place[3])
{
  const int32_t slot = slot_at(forest->table, level, place);
  return (size_t)slot < forest->blocks.count ? slot : -1;
}

void trm_forest_destroy(trm_forest **forest)
{
  if (!forest || !*forest) return;
  if ((*forest)->table) {
    free((*forest)->table->keys);
    free((*forest)->table->slots);
  }
  free((*forest)->table);
  free((*forest)->leaf_slot);
  free((*forest)->leaf_level);
  free((*forest)->leaf_place);
  free((*forest)->level);
  free((*forest)->place);
  free((*forest)->ghosts);
  free((*forest)->near);
  free(*forest);
  *forest = NULL;
}
