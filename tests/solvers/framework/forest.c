/* forest.c - blocks of a box: their order, their neighbours, those beyond its ends. */
#include "tests/harness.h"

#include "solvers/framework/forest.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3 };            /* what is said of a forest holds with each: 0, 1 and 2 */

/* The place of a slot's leaf. */
static const int32_t *place_of(const trm_forest *forest, int32_t slot)
{
  assert_in_range(slot, 0, forest->blocks.count - 1);
  return forest->place[slot];
}

static void expect_neighbours(uint64_t seed)
{
  const trm_forest_shape shape = { .side = { 8, 8, 8 }, .roots = { 3, 1, 2 }, .level = 1,
                                   .is_periodic = { 1, 1, 1 }, .shuffle = seed };
  const int32_t n[3] = { 6, 2, 4 };
  trm_forest *forest = NULL;
  TEST_OK(trm_forest_create(&shape, &forest));
  assert_int_equal(forest->blocks.count, 48);
  assert_int_equal(forest->slots, 48);
  for (int32_t slot = 0; slot < 48; slot++) {
    assert_int_equal(trm_forest_leaf(forest, forest->level[slot], forest->place[slot]), slot);
    for (int k = 0; k < 27; k++) {
      const int step[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
      const int32_t other = forest->near[slot][k];
      for (int a = 0; a < 3; a++)
        assert_int_equal(place_of(forest, other)[a],
                         (place_of(forest, slot)[a] + step[a] + n[a]) % n[a]);
      assert_int_equal(forest->near[other][26 - k], slot);
    }
  }
  trm_forest_destroy(&forest);
}

static void neighbours_are_where_they_say(void)
{
  for (uint64_t seed = 0; seed < SEEDS; seed++) expect_neighbours(seed);
}

static void leaves_are_in_mortons_order(void)
{
  const trm_forest_shape shape = { .side = { 16, 16, 1 }, .roots = { 1, 1, 1 }, .level = 1,
                                   .is_periodic = { 1, 1, 1 }, .shuffle = 1 };
  trm_forest *forest = NULL;
  TEST_OK(trm_forest_create(&shape, &forest));
  assert_int_equal(forest->blocks.count, 4);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(forest->blocks.place[i][0], i % 2);
    assert_int_equal(forest->blocks.place[i][1], i / 2);
    assert_int_equal(forest->blocks.place[i][2], 0);
  }
  trm_forest_destroy(&forest);
}

/* Two by two blocks, a wall all round: twelve blocks beyond it, each next to the leaf it says. */
static void expect_boundaries(uint64_t seed)
{
  const trm_forest_shape shape = { .side = { 16, 16, 1 }, .roots = { 2, 2, 1 },
                                   .is_periodic = { 0, 0, 1 }, .shuffle = seed };
  trm_forest *forest = NULL;
  TEST_OK(trm_forest_create(&shape, &forest));
  assert_int_equal(forest->ghost_count, 12);
  assert_int_equal(forest->slots, 16);
  for (size_t i = 0; i < forest->ghost_count; i++) {
    const trm_ghost *boundary = &forest->ghosts[i];
    const int dx = boundary->part[0], dy = boundary->part[1];
    assert_int_equal(boundary->kind, TRM_GHOST_BOUNDARY);
    assert_int_equal(boundary->slot, 4 + i);
    assert_true(dx || dy);
    assert_int_equal(forest->near[boundary->source[0]][9 + (dy + 1) * 3 + dx + 1], boundary->slot);
  }
  trm_forest_destroy(&forest);
}

static void blocks_beyond_the_box_have_slots(void)
{
  for (uint64_t seed = 0; seed < SEEDS; seed++) expect_boundaries(seed);
}

/* The block in the corner at 0, and what is split from it, down to the finest level. */
static int is_corner(const void *user, int level, const int32_t place[3])
{
  (void)user, (void)level;
  return place[0] == 0 && place[1] == 0 && place[2] == 0;
}

enum { SHAPES = 3 };
static trm_forest_shape shape_of(size_t number, uint64_t seed)
{
  static const trm_forest_shape shapes[SHAPES] = {
    { { 8, 8, 8 }, { 2, 2, 2 }, 0, { 0, 0, 0 }, 4, is_corner, NULL, NULL, NULL, 0 },
    { { 8, 8, 8 }, { 3, 2, 2 }, 0, { 1, 1, 1 }, 3, is_corner, NULL, NULL, NULL, 0 },
    { { 16, 16, 1 }, { 2, 3, 1 }, 1, { 0, 1, 1 }, 4, is_corner, NULL, NULL, NULL, 0 } };
  trm_forest_shape shape = shapes[number];
  shape.shuffle = seed;
  return shape;
}

/* Every cell of the box lies in one leaf, and levels beside each other differ by one at most: a
 * neighbour is a leaf of the same level, or a ghost made of leaves of the next one. */
static void levels_differ_by_one(void)
{
  for (size_t c = 0; c < SEEDS * SHAPES; c++) {
    const trm_forest_shape with_seed = shape_of(c % SHAPES, c / SHAPES), *shape = &with_seed;
    trm_forest *forest = NULL;
    double volume = 0;
    TEST_OK(trm_forest_create(shape, &forest));
    const int32_t leaves = (int32_t)forest->blocks.count;
    int finest = 0;
    for (int32_t i = 0; i < leaves; i++) {
      const int is_flat = shape->side[2] == 1;
      if (forest->level[i] > finest) finest = forest->level[i];
      volume += 1.0 / (double)(1 << (is_flat ? 2 : 3) * forest->level[i]);
      for (int k = 0; k < 27; k++) {
        const int32_t slot = forest->near[i][k];
        assert_in_range(slot, 0, (int32_t)forest->slots - 1);
        if (slot < leaves) {
          assert_int_equal(forest->level[slot], forest->level[i]);
          continue;
        }
        const trm_ghost *ghost = &forest->ghosts[slot - leaves];
        assert_int_equal(ghost->slot, slot);
        int children = 0;
        if (ghost->kind == TRM_GHOST_PROLONGED)
          assert_int_equal(forest->level[ghost->source[0]], forest->level[i] - 1);
        else if (ghost->kind == TRM_GHOST_RESTRICTED) {
          for (int s = 0; s < 8; s++)
            if (ghost->source[s] >= 0) {
              assert_int_equal(forest->level[ghost->source[s]], forest->level[i] + 1);
              children++;
            }
          assert_true(children > 0);
        }
      }
    }
    assert_int_equal(finest, shape->finest);
    assert_true(volume == shape->roots[0] * shape->roots[1] * shape->roots[2]);
    for (int kind = 0; kind < TRM_GHOST_KINDS; kind++)
      for (size_t g = forest->first[kind]; g < forest->first[kind + 1]; g++)
        assert_int_equal(forest->ghosts[g].kind, kind);
    trm_forest_destroy(&forest);
  }
}

/* The slots of a shape's leaves, each once, and all that lists them in order as without a seed. */
static void expect_shuffled(const trm_forest *plain, const trm_forest *forest)
{
  const size_t count = plain->blocks.count;
  size_t moved = 0;
  uint8_t *seen = calloc(count, 1);
  assert_non_null(seen);
  assert_true(forest->blocks.count == count && forest->slots == plain->slots);
  assert_memory_equal(forest->blocks.level, plain->blocks.level, count);
  assert_memory_equal(forest->blocks.place, plain->blocks.place,
                      count * sizeof *plain->blocks.place);
  for (size_t i = 0; i < count; i++) {
    const int32_t slot = forest->blocks.slot[i];
    assert_int_equal(plain->blocks.slot[i], i);
    assert_in_range(slot, 0, count - 1);
    assert_int_equal(seen[slot]++, 0);
    assert_int_equal(forest->level[slot], plain->level[i]);
    assert_memory_equal(forest->place[slot], plain->place[i], sizeof plain->place[i]);
    moved += slot != (int32_t)i;
  }
  assert_true(2 * moved > count);
  free(seen);
}

/* Slots of blocks that are no leaves are the same ones: they are met in the order of leaves. */
static void expect_same_ghosts(const trm_forest *plain, const trm_forest *forest)
{
  for (size_t i = 0; i < plain->blocks.count; i++)
    for (int k = 0; k < 27; k++) {
      const int32_t there = plain->near[i][k];
      const int32_t slot = forest->near[forest->blocks.slot[i]][k];
      assert_int_equal(slot, (size_t)there < plain->blocks.count ? forest->blocks.slot[there]
                                                                 : there);
    }
  for (size_t g = 0; g < plain->ghost_count; g++)
    for (int i = 0; i < (plain->ghosts[g].kind == TRM_GHOST_RESTRICTED ? 8 : 1); i++) {
      const int32_t there = plain->ghosts[g].source[i];
      const int is_leaf = there >= 0 && (size_t)there < plain->blocks.count;
      assert_int_equal(forest->ghosts[g].source[i], is_leaf ? forest->blocks.slot[there] : there);
    }
}

static void a_seed_changes_slots_alone(void)
{
  for (size_t c = 0; c < SHAPES; c++) {
    const trm_forest_shape shapes[SEEDS] = { shape_of(c, 0), shape_of(c, 1), shape_of(c, 2) };
    trm_forest *forests[SEEDS] = { NULL };
    for (int i = 0; i < SEEDS; i++) TEST_OK(trm_forest_create(&shapes[i], &forests[i]));
    for (int i = 1; i < SEEDS; i++) {
      expect_shuffled(forests[0], forests[i]);
      expect_same_ghosts(forests[0], forests[i]);
    }
    assert_true(memcmp(forests[1]->blocks.slot, forests[2]->blocks.slot,
                       forests[1]->blocks.count * sizeof(int32_t)) != 0);
    for (int i = 0; i < SEEDS; i++) trm_forest_destroy(&forests[i]);
  }
}

static void slots_are_those_asked_for(void)
{
  trm_forest_shape shape = shape_of(0, 1);
  trm_forest *shuffled = NULL, *forest = NULL;
  TEST_OK(trm_forest_create(&shape, &shuffled));
  shape.shuffle = 0;
  shape.slots = shuffled->blocks.slot;
  TEST_OK(trm_forest_create(&shape, &forest));
  assert_memory_equal(forest->blocks.slot, shape.slots,
                      forest->blocks.count * sizeof *shape.slots);
  trm_forest_destroy(&forest);
  trm_forest_destroy(&shuffled);
}

static void a_box_too_large_is_refused(void)
{
  const trm_forest_shape shape = { .side = { 8, 8, 8 }, .roots = { 1000, 1000, 1000 }, .level = 3,
                                   .is_periodic = { 1, 1, 1 } };
  trm_forest *forest = NULL;
  TEST_FAILS(trm_forest_create(&shape, &forest), TRM_ERROR_INPUT, "take a coarser grid");
}

static trm_status affords_no_more(const void *user, size_t leaves)
{
  const size_t *most = user;
  return leaves <= *most ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for all of %zu", leaves);
}

static void a_forest_that_is_not_afforded_is_refused(void)
{
  for (size_t c = 0; c < SHAPES; c++) {
    trm_forest_shape shape = shape_of(c, 0);
    trm_forest *forest = NULL;
    char why[64];
    TEST_OK(trm_forest_create(&shape, &forest));
    size_t most = forest->blocks.count - 1;
    snprintf(why, sizeof why, "no memory for all of %zu", forest->blocks.count);
    trm_forest_destroy(&forest);
    shape.affords = affords_no_more;
    shape.user = &most;
    TEST_FAILS(trm_forest_create(&shape, &forest), TRM_ERROR_NO_HOST_MEMORY, why);
    assert_null(forest);
    most++;
    TEST_OK(trm_forest_create(&shape, &forest));
    trm_forest_destroy(&forest);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(neighbours_are_where_they_say),
    TEST_HOST(leaves_are_in_mortons_order),
    TEST_HOST(blocks_beyond_the_box_have_slots),
    TEST_HOST(levels_differ_by_one),
    TEST_HOST(a_seed_changes_slots_alone),
    TEST_HOST(slots_are_those_asked_for),
    TEST_HOST(a_box_too_large_is_refused),
    TEST_HOST(a_forest_that_is_not_afforded_is_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
