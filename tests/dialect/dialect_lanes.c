/* dialect_lanes.c - kernel_group.h on every backend: ranks, largest values and sweeps are what
 * plain C makes them. */
#include "tests/dialect/dialect.h"

#include <math.h>
#include <stdlib.h>

enum { GROUPS = 9 };

static void expect_ints(trm_buffer *buffer, const int32_t *want, size_t count)
{
  int32_t *found = malloc(count * sizeof *found);
  assert_non_null(found);
  TEST_OK(trm_buffer_read(buffer, 0, count * sizeof *found, found));
  for (size_t i = 0; i < count; i++)
    if (found[i] != want[i]) fail_msg("value %zu: %d, not %d", i, (int)found[i], (int)want[i]);
  free(found);
}

/* Groups of one kind only, of none, and mixed. */
static void ranks_body(const dialect_run *run)
{
  int32_t kinds[GROUPS][32], want[GROUPS][35] = { { 0 } };
  for (int g = 0; g < GROUPS; g++)
    for (int t = 0; t < 32; t++) {
      const int kind = g < 4 ? g : t * t * 7 / (g - 1) % 4;
      kinds[g][t] = kind;
      want[g][t] = kind ? want[g][31 + kind]++ : -1;
    }
  /* counted in the places of kinds 1 to 3 */
  const dialect_params params = { .a = 0.0 };
  trm_buffer *buffers[] = { dialect_upload(run, kinds, sizeof kinds),
                            dialect_poison(run, sizeof want) };
  dialect_launch(run, "dialect_ranks", GROUPS, 1, 1, &params, buffers, 2);
  expect_ints(buffers[1], want[0], sizeof want / sizeof want[0][0]);
  for (size_t i = 0; i < 2; i++) trm_buffer_destroy(&buffers[i]);
}

static void lanes_rank_themselves(trm_device *device)
{
  dialect_each(device, &dialect_tools_source, NULL, ranks_body);
}

static void check_largest(const dialect_run *run, int count, int with_nan)
{
  const size_t all = (size_t)(count ? count : 1) * GROUPS;
  void *values = dialect_room(run, all), *want = dialect_room(run, GROUPS);
  for (int g = 0; g < GROUPS; g++) {
    double most = 0.0;
    for (int i = 0; i < count; i++) {
      const double v = dialect_rounded(run, fabs(sin(1.0 + 3.0 * i + 1000.0 * g)));
      dialect_put(run, values, (size_t)(g * count + i), v);
      most = fmax(most, v);
    }
    dialect_put(run, want, (size_t)g, most);
  }
  if (with_nan) dialect_put(run, values, (size_t)(2 * count + count / 2), NAN);
  const dialect_params params = { .count = count };
  trm_buffer *buffers[] = { dialect_upload(run, values, all * run->size),
                            dialect_poison(run, GROUPS * run->size) };
  dialect_launch(run, "dialect_largest_of", GROUPS, 1, 1, &params, buffers, 2);
  void *found = dialect_room(run, GROUPS);
  TEST_OK(trm_buffer_read(buffers[1], 0, GROUPS * run->size, found));
  for (size_t g = 0; g < GROUPS; g++)
    if (with_nan && g == 2) assert_true(isnan(dialect_get(run, found, g)));
    else assert_true(dialect_get(run, found, g) == dialect_get(run, want, g));
  for (size_t i = 0; i < 2; i++) trm_buffer_destroy(&buffers[i]);
  free(values);
  free(want);
  free(found);
}

static void largest_body(const dialect_run *run)
{
  static const int counts[] = { 0, 1, 3, 31, 255, 256, 257, 1000, 5001 };
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) check_largest(run, counts[i], 0);
  check_largest(run, 1, 1);
  check_largest(run, 777, 1);
}

static void the_largest_of_many(trm_device *device)
{
  dialect_each(device, &dialect_tools_source, NULL, largest_body);
}

static void sweeps_body(const dialect_run *run)
{
  enum { COUNT = 21 };
  const size_t size = 32 * GROUPS;
  void *values = dialect_room(run, 4 * COUNT), *g = dialect_room(run, size);
  void *h = dialect_room(run, size);
  for (size_t j = 0; j < COUNT; j++) dialect_put(run, values, 4 * j, 0.1 * (double)(j + 1));
  for (size_t i = 0; i < size; i++) {
    double every = (double)(i / 32), lanes = 0.0;
    for (size_t j = 0; j < COUNT; j++) {
      const double term = dialect_rounded(run, (double)(i % 32) * dialect_get(run, values, 4 * j));
      if (j % 2 == 0) every = dialect_rounded(run, every + term);
      lanes = dialect_rounded(run, lanes + term);
    }
    dialect_put(run, g, i, every);
    dialect_put(run, h, i, lanes);
  }
  const dialect_params params = { .count = COUNT };
  trm_buffer *buffers[] = { dialect_upload(run, values, 4 * COUNT * run->size),
                            dialect_poison(run, size * run->size),
                            dialect_poison(run, size * run->size) };
  dialect_launch(run, "dialect_sweeps", GROUPS, 1, 1, &params, buffers, 3);
  dialect_expect(run, buffers[1], g, size);
  dialect_expect(run, buffers[2], h, size);
  for (size_t i = 0; i < 3; i++) trm_buffer_destroy(&buffers[i]);
  free(values);
  free(g);
  free(h);
}

static void loops_of_every_item_and_of_32_lanes(trm_device *device)
{
  dialect_each(device, &dialect_tools_source, NULL, sweeps_body);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(lanes_rank_themselves),
    TEST_DEVICE(the_largest_of_many),
    TEST_DEVICE(loops_of_every_item_and_of_32_lanes),
  };
  return TEST_RUN(argc, argv, cases);
}
