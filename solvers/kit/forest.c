/* forest.c - leaves in Morton order, found again by a table of their places. */
#include <config.h>

#include "solvers/kit/forest.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 1 << 24 };

/* Places of leaves and shells to slots: open addressing over (level, x, y, z). */
typedef struct table {
  size_t mask;
  uint64_t *keys;              /* 0: empty */
  int32_t *slots;
} table;

/* Bits of a place, three apart; places are below 2^19 - 1. */
static uint64_t spread(int32_t value)
{
  uint64_t bits = 0;
  for (int i = 0; i < 19; i++) bits |= ((uint64_t)value >> i & 1) << 3 * i;
  return bits;
}

/* A block beyond the box has the place -1: one is added. */
static uint64_t key_of(int level, const int32_t place[3])
{
  uint64_t key = (uint64_t)level + 1;
  for (int a = 0; a < 3; a++) key = key << 19 | (uint64_t)(place[a] + 1);
  return key;
}

static size_t find(const table *t, uint64_t key)
{
  size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & t->mask;
  while (t->keys[at] && t->keys[at] != key) at = (at + 1) & t->mask;
  return at;
}

static void enter(table *t, int level, const int32_t place[3], int32_t slot)
{
  const uint64_t key = key_of(level, place);
  const size_t at = find(t, key);
  t->keys[at] = key;
  t->slots[at] = slot;
}

static int32_t slot_at(const table *t, int level, const int32_t place[3])
{
  const size_t at = find(t, key_of(level, place));
  return t->keys[at] ? t->slots[at] : -1;
}

static trm_status check(const trm_forest_shape *shape, size_t *out)
{
  const int is_flat = shape->side[2] == 1;
  double count = 1;
  for (int a = 0; a < (is_flat ? 2 : 3); a++) {
    const double along = (double)shape->roots[a] * (double)(1u << shape->level);
    if (along > (1 << 19) - 2) count = 2.0 * MOST_BLOCKS;
    count *= along;
  }
  if (count > MOST_BLOCKS)
    return TRM_FAIL(INPUT, "%d x %d x %d blocks, each split %d times, are more than %d; take a "
                    "coarser grid", shape->roots[0], shape->roots[1], shape->roots[2],
                    shape->level, MOST_BLOCKS);
  *out = (size_t)count;
  return TRM_OK;
}

typedef struct leaf { uint64_t order; int32_t place[3]; } leaf;

static int by_order(const void *a, const void *b)
{
  const uint64_t left = ((const leaf *)a)->order, right = ((const leaf *)b)->order;
  return left < right ? -1 : left > right;
}

static void boxes_of(const trm_forest_shape *shape, int32_t out[3])
{
  for (int a = 0; a < 3; a++)
    out[a] = shape->side[a] == 1 ? shape->roots[a] : shape->roots[a] << shape->level;
}

static trm_status make_leaves(trm_forest *forest, size_t count)
{
  int32_t n[3];
  leaf *leaves = malloc(count * sizeof *leaves);
  int32_t *slots = malloc(count * sizeof *slots), (*places)[3] = malloc(count * sizeof *places);
  uint8_t *levels = malloc(count);
  forest->blocks.slot = forest->slot = slots;
  forest->blocks.level = forest->level = levels;
  forest->place = places;
  forest->blocks.place = (const int32_t (*)[3])places;
  if (!leaves || !slots || !places || !levels) {
    free(leaves);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks", count);
  }
  boxes_of(&forest->shape, n);
  size_t i = 0;
  for (int32_t z = 0; z < n[2]; z++)
    for (int32_t y = 0; y < n[1]; y++)
      for (int32_t x = 0; x < n[0]; x++)
        leaves[i++] = (leaf){ spread(x) | spread(y) << 1 | spread(z) << 2, { x, y, z } };
  qsort(leaves, count, sizeof *leaves, by_order);
  for (i = 0; i < count; i++) {
    memcpy(places[i], leaves[i].place, sizeof places[i]);
    levels[i] = (uint8_t)forest->shape.level;
    slots[i] = (int32_t)i;
  }
  forest->blocks.count = count;
  free(leaves);
  return TRM_OK;
}

/* The slot beside a leaf, which is made where it lies beyond the box for the first time. */
static trm_status beside(trm_forest *forest, table *t, const int32_t n[3], int level,
                         const int32_t place[3], int32_t *out)
{
  trm_forest_shell shell = { .slot = (int32_t)forest->slots };
  int32_t at[3], inner[3];
  for (int a = 0; a < 3; a++) {
    at[a] = place[a];
    if (forest->shape.is_periodic[a]) at[a] = (place[a] + n[a]) % n[a];
    shell.beyond[a] = (int8_t)(at[a] < 0 ? -1 : at[a] >= n[a]);
    inner[a] = at[a] - shell.beyond[a];
  }
  *out = slot_at(t, level, at);
  if (*out >= 0) return TRM_OK;
  shell.inner = slot_at(t, level, inner);
  if ((forest->shell_count & (forest->shell_count - 1)) == 0) {
    const size_t room = forest->shell_count ? 2 * forest->shell_count : 1;
    trm_forest_shell *more = realloc(forest->shells, room * sizeof *more);
    if (!more) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks beyond the box", room);
    forest->shells = more;
  }
  forest->shells[forest->shell_count++] = shell;
  forest->slots++;
  enter(t, level, at, shell.slot);
  *out = shell.slot;
  return TRM_OK;
}

static trm_status find_near(trm_forest *forest, table *t)
{
  const trm_blocks *blocks = &forest->blocks;
  const int is_flat = blocks->side[2] == 1;
  int32_t n[3];
  boxes_of(&forest->shape, n);
  for (size_t i = 0; i < blocks->count; i++)
    enter(t, blocks->level[i], blocks->place[i], blocks->slot[i]);
  for (size_t i = 0; i < blocks->count; i++)
    for (int k = 0; k < 27; k++) {
      const int32_t *place = blocks->place[i];
      const int32_t at[3] = { place[0] + k % 3 - 1, place[1] + k / 3 % 3 - 1,
                              is_flat ? 0 : place[2] + k / 9 - 1 };
      TRM_TRY(beside(forest, t, n, blocks->level[i], at, &forest->near[blocks->slot[i]][k]));
    }
  return TRM_OK;
}

/* Room for the leaves and one layer of blocks about the box, half filled. */
static trm_status make_near(trm_forest *forest)
{
  const size_t count = forest->blocks.count;
  table t = { .mask = 1 };
  int32_t n[3];
  boxes_of(&forest->shape, n);
  size_t most = 1;
  for (int a = 0; a < 3; a++) most *= (size_t)n[a] + 2;
  while (t.mask < 2 * most) t.mask = 2 * t.mask + 1;
  t.keys = calloc(t.mask + 1, sizeof *t.keys);
  t.slots = malloc((t.mask + 1) * sizeof *t.slots);
  forest->near = malloc(count * sizeof *forest->near);
  trm_status status = TRM_OK;
  if (!t.keys || !t.slots || !forest->near)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the neighbours of %zu blocks", count);
  if (status == TRM_OK) status = find_near(forest, &t);
  free(t.keys);
  free(t.slots);
  return status;
}

trm_status trm_forest_create(const trm_forest_shape *shape, trm_forest **out)
{
  size_t count = 0;
  TRM_TRY(check(shape, &count));
  trm_forest *forest = calloc(1, sizeof *forest);
  if (!forest) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a forest of blocks");
  forest->shape = *shape;
  forest->slots = count;
  for (int a = 0; a < 3; a++) {
    forest->blocks.side[a] = shape->side[a];
    forest->blocks.roots[a] = shape->roots[a];
  }
  trm_status status = make_leaves(forest, count);
  if (status == TRM_OK) status = make_near(forest);
  if (status != TRM_OK) trm_forest_destroy(&forest);
  else *out = forest;
  return status;
}

void trm_forest_destroy(trm_forest **forest)
{
  if (!forest || !*forest) return;
  free((*forest)->slot);
  free((*forest)->level);
  free((*forest)->place);
  free((*forest)->shells);
  free((*forest)->near);
  free(*forest);
  *forest = NULL;
}
