/* openmp_device.c - what trireme_openmp.so tells of this host, its buffers and their debug mode,
 * and what it refuses. */
#include <stdlib.h>
#include <string.h>

#include "tests/backend-openmp/openmp_table.h"

/* ---- buffers --------------------------------------------------------------------- */

static void large_writes_fills_and_copies_are_whole(void)
{
  enum { BYTES = (5 << 20) + 12 };
  unsigned char *there = malloc(BYTES), *back = malloc(BYTES);
  void *device = open_team(3, 0), *one = NULL, *two = NULL;
  trm_command command;

  assert_non_null(there);
  assert_non_null(back);
  for (size_t i = 0; i < BYTES; i++) there[i] = (unsigned char)(i * 2654435761u >> 13);
  TEST_OK(table()->buffer_create(device, BYTES, &one));
  TEST_OK(table()->buffer_create(device, BYTES, &two));
  assert_int_equal((uintptr_t)((trmo_buffer *)one)->data % 64, 0);
  TEST_OK(table()->buffer_write(device, one, 0, BYTES, there));
  memset(&command, 0, sizeof command);
  command.kind = TRM_COMMAND_FILL;
  command.buffers[0] = two;
  command.bytes = BYTES;
  command.pattern_bytes = 2;
  memcpy(command.pattern, "xy", 2);
  TEST_OK(table()->enqueue(device, &command));
  command.kind = TRM_COMMAND_COPY;
  command.buffers[1] = one;
  command.offset = 6;
  command.source_offset = 4;
  command.bytes = BYTES - 9;
  TEST_OK(table()->enqueue(device, &command));
  TEST_OK(table()->buffer_read(device, two, 2, BYTES - 2, back));
  assert_memory_equal(back, "xyxy", 4);
  assert_memory_equal(back + 4, there + 4, BYTES - 9);
  assert_int_equal(back[BYTES - 3], 'y');
  table()->buffer_destroy(device, one);
  table()->buffer_destroy(device, two);
  table()->close(device);
  free(there);
  free(back);
}

static void too_much_memory_is_refused_with_both_figures(void)
{
  void *device = open_team(1, 0), *buffer = NULL;
  TEST_FAILS(table()->buffer_create(device, (size_t)1 << 46, &buffer), TRM_ERROR_NO_DEVICE_MEMORY,
             "70368744177664 bytes of host memory needed");
  TEST_FAILS(table()->buffer_create(device, SIZE_MAX - 64, &buffer), TRM_ERROR_NO_DEVICE_MEMORY,
             "available");
  assert_null(buffer);
  table()->close(device);
}

static void debug_buffers_begin_as_nan_and_see_writes_outside(void)
{
  void *device, *buffer = NULL;
  double values[10];

  setenv("TRIREME_DEBUG_BUFFERS", "1", 1);
  device = open_team(2, 0);
  unsetenv("TRIREME_DEBUG_BUFFERS");
  for (int side = 0; side < 2; side++) {
    unsigned char *byte;
    TEST_OK(table()->buffer_create(device, sizeof values, &buffer));
    TEST_OK(table()->buffer_read(device, buffer, 0, sizeof values, values));
    for (int i = 0; i < 10; i++) assert_true(values[i] != values[i]);
    TEST_OK(table()->finish(device));
    byte = ((trmo_buffer *)buffer)->data + (side ? (int)sizeof values + 3 : -2);
    *byte ^= 1;
    TEST_FAILS(table()->finish(device), TRM_ERROR_DEVICE, side ? "at byte 83" : "at byte -2");
    table()->buffer_destroy(device, buffer);
    TEST_FAILS(table()->finish(device), TRM_ERROR_DEVICE, "destroyed");
    TEST_OK(table()->finish(device));
  }
  table()->close(device);
}

/* ---- the table ---------------------------------------------------------------- */

static void another_abi_is_refused(void)
{
  static trm_services services = {TRM_BACKEND_ABI + 1, sizeof services, trm_error_record,
                                  log_nothing, NULL, 0, NULL};
  assert_null(trm_backend_openmp(TRM_BACKEND_ABI + 1, &services));
  assert_non_null(strstr(trm_error_last()->text, "ABI"));
}

static void the_host_is_described(void)
{
  trm_device_info info;
  trm_probe probe;
  table()->probe(&probe);
  assert_int_equal(probe.state, TRM_BACKEND_READY);
  assert_int_equal(probe.device_count, 1);
  assert_non_null(strstr(probe.version, "OpenMP"));
  TEST_OK(table()->describe(0, &info));
  assert_string_equal(info.backend, "openmp");
  assert_true(info.name[0] && info.memory_bytes > 0 && info.is_host && info.has_f64);
  assert_int_equal(info.ghost_columns, 1);
  assert_int_equal(info.row_align_bytes, 64);
}

static void more_threads_than_can_be_are_refused(void)
{
  const trm_device_options options = {.threads = 1 << 20};
  trm_device_info info;
  void *device = NULL;
  TEST_FAILS(table()->open(0, &options, &info, &device), TRM_ERROR_UNSUPPORTED, "1048576 threads");
  assert_null(device);
}

static void a_kernel_without_a_function_is_refused(void)
{
  static const trm_host_kernel empty[] = {{"empty", TRM_KERNEL_ROW, 1, 0, 0, 0, "", NULL, NULL, 0}};
  const trm_host_module module = {.abi = TRM_HOST_MODULE_ABI, .program = "none", .isa = "baseline",
                                  .kernel_count = 1, .kernels = empty};
  const trm_build build = {.name = "none", .module = &module};
  void *device = open_team(1, 0), *program = NULL;
  char *text = NULL;
  TEST_FAILS(table()->program_build(device, &build, &text, &program), TRM_ERROR_BUILD,
             "kernel empty has no host function");
  table()->close(device);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(large_writes_fills_and_copies_are_whole),
    TEST_HOST(too_much_memory_is_refused_with_both_figures),
    TEST_HOST(debug_buffers_begin_as_nan_and_see_writes_outside),
    TEST_HOST(another_abi_is_refused),
    TEST_HOST(the_host_is_described),
    TEST_HOST(more_threads_than_can_be_are_refused),
    TEST_HOST(a_kernel_without_a_function_is_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
