/* forest.c - blocks of a box: their order, their neighbours, those beyond its ends. */
#include "tests/harness.h"

#include "solvers/kit/forest.h"

/* The place of a slot's leaf. */
static const int32_t *place_of(const trm_forest *forest, int32_t slot)
{
  assert_in_range(slot, 0, forest->blocks.count - 1);
  return forest->blocks.place[slot];
}

static void neighbours_are_where_they_say(void)
{
  const trm_forest_shape shape = { { 8, 8, 8 }, { 3, 1, 2 }, 1, { 1, 1, 1 }, 0, NULL, NULL };
  const int32_t n[3] = { 6, 2, 4 };
  trm_forest *forest = NULL;
  TEST_OK(trm_forest_create(&shape, &forest));
  assert_int_equal(forest->blocks.count, 48);
  assert_int_equal(forest->slots, 48);
  for (int32_t slot = 0; slot < 48; slot++)
    for (int k = 0; k < 27; k++) {
      const int step[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
      const int32_t other = forest->near[slot][k];
      for (int a = 0; a < 3; a++)
        assert_int_equal(place_of(forest, other)[a],
                         (place_of(forest, slot)[a] + step[a] + n[a]) % n[a]);
      assert_int_equal(forest->near[other][26 - k], slot);
    }
  trm_forest_destroy(&forest);
}

static void leaves_are_in_mortons_order(void)
{
  const trm_forest_shape shape = { { 16, 16, 1 }, { 1, 1, 1 }, 1, { 1, 1, 1 }, 0, NULL, NULL };
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
static void blocks_beyond_the_box_have_slots(void)
{
  const trm_forest_shape shape = { { 16, 16, 1 }, { 2, 2, 1 }, 0, { 0, 0, 1 }, 0, NULL, NULL };
  trm_forest *forest = NULL;
  TEST_OK(trm_forest_create(&shape, &forest));
  assert_int_equal(forest->ghost_count, 12);
  assert_int_equal(forest->slots, 16);
  for (size_t i = 0; i < forest->ghost_count; i++) {
    const trm_ghost *shell = &forest->ghosts[i];
    const int dx = shell->part[0], dy = shell->part[1];
    assert_int_equal(shell->kind, TRM_GHOST_SHELL);
    assert_int_equal(shell->slot, 4 + i);
    assert_true(dx || dy);
    assert_int_equal(forest->near[shell->source[0]][9 + (dy + 1) * 3 + dx + 1], shell->slot);
  }
  trm_forest_destroy(&forest);
}

/* The block in the corner at 0, and what is split from it, down to the finest level. */
static int is_corner(const void *user, int level, const int32_t place[3])
{
  (void)user, (void)level;
  return place[0] == 0 && place[1] == 0 && place[2] == 0;
}

/* Every cell of the box lies in one leaf, and levels beside each other differ by one at most: a
 * neighbour is a leaf of the same level, or a ghost made of leaves of the next one. */
static void levels_differ_by_one(void)
{
  const trm_forest_shape shapes[] = {
    { { 8, 8, 8 }, { 2, 2, 2 }, 0, { 0, 0, 0 }, 4, is_corner, NULL },
    { { 8, 8, 8 }, { 3, 2, 2 }, 0, { 1, 1, 1 }, 3, is_corner, NULL },
    { { 16, 16, 1 }, { 2, 3, 1 }, 1, { 0, 1, 1 }, 4, is_corner, NULL } };
  for (int c = 0; c < 3; c++) {
    const trm_forest_shape *shape = &shapes[c];
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
        if (ghost->kind == TRM_GHOST_LINE)
          assert_int_equal(forest->level[ghost->source[0]], forest->level[i] - 1);
        else if (ghost->kind == TRM_GHOST_MEAN) {
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

static void a_box_too_large_is_refused(void)
{
  const trm_forest_shape shape = { { 8, 8, 8 }, { 1000, 1000, 1000 }, 3, { 1, 1, 1 },
                                   0, NULL, NULL };
  trm_forest *forest = NULL;
  TEST_FAILS(trm_forest_create(&shape, &forest), TRM_ERROR_INPUT, "take a coarser grid");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(neighbours_are_where_they_say),
    TEST_HOST(leaves_are_in_mortons_order),
    TEST_HOST(blocks_beyond_the_box_have_slots),
    TEST_HOST(levels_differ_by_one),
    TEST_HOST(a_box_too_large_is_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
