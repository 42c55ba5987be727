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
  const trm_forest_shape shape = { { 8, 8, 8 }, { 3, 1, 2 }, 1, { 1, 1, 1 } };
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
  const trm_forest_shape shape = { { 16, 16, 1 }, { 1, 1, 1 }, 1, { 1, 1, 1 } };
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
  const trm_forest_shape shape = { { 16, 16, 1 }, { 2, 2, 1 }, 0, { 0, 0, 1 } };
  trm_forest *forest = NULL;
  TEST_OK(trm_forest_create(&shape, &forest));
  assert_int_equal(forest->shell_count, 12);
  assert_int_equal(forest->slots, 16);
  for (size_t i = 0; i < forest->shell_count; i++) {
    const trm_forest_shell *shell = &forest->shells[i];
    const int dx = shell->beyond[0], dy = shell->beyond[1];
    assert_int_equal(shell->slot, 4 + i);
    assert_true(dx || dy);
    assert_int_equal(forest->near[shell->inner][9 + (dy + 1) * 3 + dx + 1], shell->slot);
  }
  trm_forest_destroy(&forest);
}

static void a_box_too_large_is_refused(void)
{
  const trm_forest_shape shape = { { 8, 8, 8 }, { 1000, 1000, 1000 }, 3, { 1, 1, 1 } };
  trm_forest *forest = NULL;
  TEST_FAILS(trm_forest_create(&shape, &forest), TRM_ERROR_INPUT, "take a coarser grid");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(neighbours_are_where_they_say),
    TEST_HOST(leaves_are_in_mortons_order),
    TEST_HOST(blocks_beyond_the_box_have_slots),
    TEST_HOST(a_box_too_large_is_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
