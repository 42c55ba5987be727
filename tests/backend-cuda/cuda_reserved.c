/* cuda_reserved.c - buffers of addresses of trireme_cuda.so against the fake driver (tests/fake).
 * Held grains have memory, which is empty at first and free again after a drop. Too little memory
 * leaves a buffer as it was. No GPU needed. */
#include "tests/fake/rig.h"

#include <string.h>

enum { GRAIN = 2 << 20, GRAINS = 12 };
static const size_t TAIL = GRAIN - 4096;          /* the last grain is not full */
static const size_t BYTES = (size_t)GRAINS * GRAIN - 4096;

static void *reserve(void *device)
{
  void *buffer = NULL;
  TEST_OK(table()->buffer_reserve(device, BYTES, &buffer));
  assert_int_equal(fake->mapped_bytes, 0);
  return buffer;
}

static void hold(void *device, void *buffer, size_t offset, size_t bytes)
{
  TEST_OK(table()->buffer_hold(device, buffer, offset, bytes));
}

static void drop(void *device, void *buffer, size_t offset, size_t bytes)
{
  TEST_OK(table()->buffer_drop(device, buffer, offset, bytes));
}

static void end(void *device, void *buffer)
{
  table()->buffer_destroy(device, buffer);
  table()->close(device);
  assert_left_empty();
}

static void held_bytes_have_memory_and_others_none(void)
{
  use_fake();
  void *device = open_device(), *buffer = reserve(device);
  const unsigned char out[3] = {1, 2, 3};
  unsigned char in[5] = {9, 9, 9, 9, 9};
  hold(device, buffer, 3 * (size_t)GRAIN - 1, 2);  /* the end of one grain, the start of another */
  assert_int_equal(fake->mapped_bytes, 2 * GRAIN);
  hold(device, buffer, BYTES - 1, 1);
  assert_int_equal(fake->mapped_bytes, 3 * GRAIN);
  TEST_OK(table()->buffer_write(device, buffer, 3 * (size_t)GRAIN - 2, sizeof out, out));
  TEST_OK(table()->buffer_read(device, buffer, 3 * (size_t)GRAIN - 3, sizeof in, in));
  assert_memory_equal(in, ((unsigned char[5]){0, 1, 2, 3, 0}), sizeof in);
  assert_int_equal(fake->misuses, 0);
  end(device, buffer);
  use_fake();
  device = open_device();
  buffer = reserve(device);
  hold(device, buffer, 0, GRAIN);
  (void)table()->buffer_write(device, buffer, GRAIN, sizeof out, out); /* the fake sees it */
  assert_string_equal(fake->misuse, "a copy outside its memory");
  fake->misuses = 0;
  fake->misuse[0] = 0;
  end(device, buffer);
}

static void bytes_held_again_are_mapped_once(void)
{
  use_fake();
  void *device = open_device(), *buffer = reserve(device);
  const unsigned char mark = 7;
  unsigned char found = 0;
  hold(device, buffer, 2 * (size_t)GRAIN, GRAIN);
  hold(device, buffer, 5 * (size_t)GRAIN, 100);
  TEST_OK(table()->buffer_write(device, buffer, 5 * (size_t)GRAIN, 1, &mark));
  hold(device, buffer, 0, BYTES);
  assert_int_equal(fake->mapped_bytes, GRAINS * GRAIN);
  TEST_OK(table()->buffer_read(device, buffer, 5 * (size_t)GRAIN, 1, &found));
  assert_int_equal(found, mark);
  end(device, buffer);
}

/* A grain that has other bytes too stays; new memory after a drop is empty. */
static void dropped_bytes_give_whole_grains_back(void)
{
  use_fake();
  void *device = open_device(), *buffer = reserve(device);
  uint64_t before, after;
  const unsigned char mark = 7;
  unsigned char found = 9;
  TEST_OK(table()->free_memory(device, &before));
  hold(device, buffer, 0, BYTES);
  TEST_OK(table()->buffer_write(device, buffer, 4 * (size_t)GRAIN, 1, &mark));
  TEST_OK(table()->buffer_write(device, buffer, 3 * (size_t)GRAIN - 1, 1, &mark));
  drop(device, buffer, 3 * (size_t)GRAIN - 1, 3 * (size_t)GRAIN); /* while the write may run */
  assert_int_equal(fake->mapped_bytes, (GRAINS - 2) * GRAIN);
  TEST_OK(table()->buffer_read(device, buffer, 3 * (size_t)GRAIN - 1, 1, &found));
  assert_int_equal(found, mark);
  hold(device, buffer, 3 * (size_t)GRAIN, 2 * (size_t)GRAIN);
  TEST_OK(table()->buffer_read(device, buffer, 4 * (size_t)GRAIN, 1, &found));
  assert_int_equal(found, 0);
  drop(device, buffer, (GRAINS - 1) * (size_t)GRAIN, TAIL);
  assert_int_equal(fake->mapped_bytes, (GRAINS - 1) * GRAIN);
  drop(device, buffer, 0, BYTES);
  assert_int_equal(fake->mapped_bytes, 0);
  TEST_OK(table()->free_memory(device, &after));
  assert_int_equal(after, before);
  end(device, buffer);
}

/* A run of more than 32 grains has blocks of more than one, and only whole ones go. */
static void large_runs_have_few_blocks(void)
{
  enum { MANY = 48 };
  use_fake();
  fake->memory_bytes = (size_t)128 << 20;
  void *device = open_device(), *buffer = NULL;
  TEST_OK(table()->buffer_reserve(device, (size_t)MANY * GRAIN, &buffer));
  hold(device, buffer, 0, (size_t)MANY * GRAIN);
  assert_int_equal(fake->creates, MANY / 2);
  drop(device, buffer, GRAIN, 4 * (size_t)GRAIN);
  assert_int_equal(fake->mapped_bytes, (MANY - 2) * (size_t)GRAIN);
  hold(device, buffer, 2 * (size_t)GRAIN, 2 * (size_t)GRAIN);
  assert_int_equal(fake->mapped_bytes, MANY * (size_t)GRAIN);
  end(device, buffer);
}

/* The fourth of five blocks, in the second of two gaps: neither gap keeps memory. */
static void too_little_memory_half_way_leaves_all_as_it_was(void)
{
  use_fake();
  void *device = open_device(), *buffer = reserve(device);
  uint64_t before, after;
  hold(device, buffer, 2 * (size_t)GRAIN, GRAIN);
  TEST_OK(table()->free_memory(device, &before));
  fake->refused_create = fake->creates + 4;
  TEST_FAILS(table()->buffer_hold(device, buffer, 0, 6 * (size_t)GRAIN),
             TRM_ERROR_NO_DEVICE_MEMORY, "use a smaller grid");
  assert_int_equal(fake->mapped_bytes, GRAIN);
  TEST_OK(table()->free_memory(device, &after));
  assert_int_equal(after, before);
  hold(device, buffer, 0, 6 * (size_t)GRAIN);
  assert_int_equal(fake->mapped_bytes, 6 * GRAIN);
  end(device, buffer);
  use_fake();
  fake->memory_bytes = (size_t)10 << 20;
  device = open_device();
  buffer = reserve(device);
  TEST_FAILS(table()->buffer_hold(device, buffer, 0, BYTES), TRM_ERROR_NO_DEVICE_MEMORY,
             "25165824 bytes needed, 10485760 bytes available");
  assert_int_equal(fake->mapped_bytes, 0);
  end(device, buffer);
}

static void a_small_buffer_and_a_device_that_cannot_take_whole_memory(void)
{
  trm_device_info info;
  void *buffer = NULL;
  unsigned char found[2] = {9, 9};
  use_fake();
  void *device = open_device();
  TEST_OK(table()->describe(0, &info));
  assert_string_equal(info.whole, "");
  TEST_OK(table()->buffer_reserve(device, GRAIN, &buffer));
  assert_int_equal(fake->buffers, 1);
  hold(device, buffer, 0, 2);
  TEST_OK(table()->buffer_read(device, buffer, GRAIN - 2, 2, found));
  assert_memory_equal(found, ((unsigned char[2]){0, 0}), 2);
  drop(device, buffer, 0, GRAIN);
  end(device, buffer);
  use_fake();
  fake->is_whole = 1;
  device = open_device();
  TEST_OK(table()->describe(0, &info));
  assert_string_equal(info.whole, "its driver has no virtual memory management");
  TEST_OK(table()->buffer_reserve(device, BYTES, &buffer));
  assert_int_equal(fake->buffers, 1);
  assert_int_equal(fake->reservations, 0);
  end(device, buffer);
}

/* Rows of one GPU that another one copies: both are given access. */
static void a_gpu_with_a_direct_way_reaches_mapped_memory(void)
{
  trm_device_info info;
  void *other = NULL, *target = NULL;
  int can = 0;
  unsigned char mark = 5;
  use_fake();
  void *device = open_device();
  TEST_OK(table()->describe(1, &info));
  TEST_OK(table()->open(1, NULL, &info, &other));
  TEST_OK(table()->peer_access(other, device, &can));
  assert_true(can);
  void *buffer = reserve(device);
  hold(device, buffer, 0, GRAIN);
  assert_int_equal(fake->granted, 2);
  TEST_OK(table()->buffer_reserve(other, BYTES, &target));
  hold(other, target, 0, GRAIN);
  assert_int_equal(fake->granted, 1);
  TEST_OK(table()->buffer_write(device, buffer, 0, 1, &mark));
  TEST_OK(table()->arrive(other, target, 8, device, buffer, 0, 1));
  TEST_OK(table()->buffer_read(other, target, 8, 1, &mark));
  assert_int_equal(mark, 5);
  drop(device, buffer, 0, GRAIN);
  table()->buffer_destroy(device, buffer);
  table()->close(device);
  end(other, target);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(held_bytes_have_memory_and_others_none),
    TEST_HOST(bytes_held_again_are_mapped_once),
    TEST_HOST(dropped_bytes_give_whole_grains_back),
    TEST_HOST(large_runs_have_few_blocks),
    TEST_HOST(too_little_memory_half_way_leaves_all_as_it_was),
    TEST_HOST(a_small_buffer_and_a_device_that_cannot_take_whole_memory),
    TEST_HOST(a_gpu_with_a_direct_way_reaches_mapped_memory),
  };
  return TEST_RUN(argc, argv, cases);
}
