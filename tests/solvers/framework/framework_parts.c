/* framework_parts.c - parts of the framework that solvers use without it: reals, ghosts, a first
 * state. */
#include "tests/harness.h"

#include <stdlib.h>

#include "solvers/framework/framework.h"

static void reals_go_to_and_from_doubles(trm_device *device)
{
  static const double values[] = { 1.0 / 3.0, -2.5, 1e-3 };
  test_needs_f64(device);
  for (int p = 0; p < 2; p++) {
    const trm_type type = trm_real_type((trm_precision)p);
    trm_buffer *buffer = NULL;
    const trm_framework_buffer list[] = { { &buffer, "reals", 5, type, 1, NULL } };
    double found[5];
    TEST_OK(trm_framework_allocate(device, list, 1, "five reals"));
    TEST_OK(trm_framework_write_reals(buffer, type, 1, values, 3));
    TEST_OK(trm_framework_read_reals(buffer, type, 0, found, 5));
    assert_true(found[0] == 0 && found[4] == 0);
    for (int i = 0; i < 3; i++)
      assert_true(found[1 + i] == (type == TRM_TYPE_F64 ? values[i] : (double)(float)values[i]));
    trm_framework_release(list, 1);
    assert_null(buffer);
  }
}

static double ten_times(const void *user, trm_framework_cell at)
{
  (void)user;
  return 10 * at.y + at.x;
}

/* Three ghosts on rows of two cells: the row comes round more than once. */
static void ghosts_are_those_of_the_layout(trm_device *device)
{
  trm_framework_shape shape = { TRM_TYPE_F32, 2, 2, 1, 1, { 3, 8, 16, 19, 3 } };
  trm_buffer *buffer = NULL;
  const trm_framework_buffer list[] = { { &buffer, "cells", 19, TRM_TYPE_F32, 0, NULL } };
  double found[19];
  TEST_OK(trm_framework_allocate(device, list, 1, "cells"));
  TEST_OK(trm_framework_upload(buffer, &shape, ten_times, NULL));
  TEST_OK(trm_framework_read_reals(buffer, TRM_TYPE_F32, 0, found, 19));
  for (int y = 0; y < 2; y++)
    for (int x = -3; x < 5; x++) assert_true(found[3 + 8 * y + x] == 10 * y + (x + 4) % 2);
  shape.layout.ghosts = 0;
  TEST_OK(trm_framework_upload(buffer, &shape, ten_times, NULL));
  TEST_OK(trm_framework_read_reals(buffer, TRM_TYPE_F32, 0, found, 19));
  assert_true(found[2] == 0 && found[3] == 0 && found[4] == 1 && found[5] == 0);
  trm_framework_release(list, 1);
}

static double told_apart(const void *user, trm_framework_cell at)
{
  (void)user;
  return 1 + at.x + 10 * at.y + 100 * at.z + 1000 * at.component;
}

/* Rows far apart: a component goes in three parts, and what lies between rows is zero. */
static void a_first_state_goes_in_parts(trm_device *device)
{
  enum { ROW = 1 << 19, ROWS = 5, ALL = 2 * ROWS * ROW };
  const trm_framework_shape shape = { TRM_TYPE_F32, 3, 1, ROWS, 2, { 4, ROW, ROWS * ROW, ALL, 1 } };
  trm_buffer *buffer = NULL;
  const trm_framework_buffer list[] = { { &buffer, "cells", ALL, TRM_TYPE_F32, 0, NULL } };
  float *found = malloc(ALL * sizeof *found);
  TEST_OK(trm_framework_allocate(device, list, 1, "cells"));
  TEST_OK(trm_framework_upload(buffer, &shape, told_apart, NULL));
  TEST_OK(trm_buffer_read(buffer, 0, ALL * sizeof *found, found));
  for (int i = 0; i < ALL; i++) {
    const int x = i % ROW - 4, row = i / ROW;
    const trm_framework_cell at = { row / ROWS, (x + 3) % 3, 0, row % ROWS };
    const double expected = x >= -1 && x <= 3 ? told_apart(NULL, at) : 0.0;
    if ((double)found[i] != expected) fail_msg("element %d is %g", i, (double)found[i]);
  }
  free(found);
  trm_framework_release(list, 1);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(reals_go_to_and_from_doubles),
    TEST_DEVICE(ghosts_are_those_of_the_layout),
    TEST_DEVICE(a_first_state_goes_in_parts),
  };
  return TEST_RUN(argc, argv, cases);
}
