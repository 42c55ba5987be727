/* cuda_driver.c - the inside of trireme_cuda.so against a fake driver and compiler (tests/fake):
 * the order of arguments, programs, transfers, and that nothing is left behind. No GPU needed. */
#include "tests/fake/rig.h"

#include <stdlib.h>
#include <string.h>

/* ---- launches ---------------------------------------------------------------------------- */

static void a_launch_gets_buffers_then_parameters_then_the_extent(void)
{
  use_fake();
  rig r = set_up();
  const trm_command add = add_command(&r, 1000, 5);
  TEST_OK(table()->enqueue(r.device, &add));
  for (size_t i = 0; i < CELLS; i++) assert_int_equal(y_at(&r, i), 1000 + 5 * ((int)i + 1));
  const fake_launch *launch = &fake->launches[0];
  assert_string_equal(launch->name, "fake_add");
  assert_int_equal(launch->block[0], 32);
  assert_int_equal(launch->block[1], 2);
  assert_int_equal(launch->grid[0], 1);
  assert_int_equal(launch->grid[1], 2);
  assert_int_equal(launch->grid[2], 1);
  assert_false(launch->programmatic);
  tear_down(&r);
}

static void a_group_launch_without_parameters_gets_its_shared_memory(void)
{
  use_fake();
  rig r = set_up();
  const trm_command bare = {.kind = TRM_COMMAND_LAUNCH, .kernel = r.kernels[BARE],
                            .declaration = &fake_kernels[BARE], .extent = {7, 8, 9, 0},
                            .buffer_count = 1, .buffers = {r.y}};
  TEST_OK(table()->enqueue(r.device, &bare));
  assert_int_equal(y_at(&r, 0), 807);
  const fake_launch *launch = &fake->launches[0];
  assert_int_equal(launch->block[0], 64);
  assert_int_equal(launch->grid[0], 7);
  assert_int_equal(launch->grid[1], 8);
  assert_int_equal(launch->grid[2], 9);
  assert_int_equal(launch->shared_bytes, 100000);
  tear_down(&r);
}

/* The groups along x of a launch over nx columns, where a kernel's groups share so many columns. */
static unsigned int groups_over(int items, int overlap, int32_t nx)
{
  const trm_host_kernel sharing = {.name = "fake_bare", .kind = TRM_KERNEL_ROW, .halo = 0,
                                   .buffer_count = 1, .access = "w", .overlap = overlap};
  trm_build build = add_build;
  void *program = NULL, *kernel = NULL;
  char *log = NULL;
  use_fake();
  rig r = set_up();
  build.row_group_x = items;
  build.row_group_y = 1;
  TEST_OK(table()->program_build(r.device, &build, &log, &program));
  TEST_OK(table()->kernel_get(r.device, program, &sharing, &kernel));
  const trm_command command = {.kind = TRM_COMMAND_LAUNCH, .kernel = kernel,
                               .declaration = &sharing, .extent = {nx, 1, 1, 0},
                               .buffer_count = 1, .buffers = {r.y}};
  TEST_OK(table()->enqueue(r.device, &command));
  TEST_OK(table()->finish(r.device));
  const unsigned int groups = fake->launches[0].grid[0];
  assert_int_equal(fake->launches[0].block[0], items);
  table()->program_destroy(r.device, program);
  tear_down(&r);
  return groups;
}

/* A group has at least 32 columns of its own, or all of its items' columns. */
static void groups_that_share_columns_are_more(void)
{
  assert_int_equal(groups_over(128, 0, 256), 2);
  assert_int_equal(groups_over(128, 2, 124), 1);
  assert_int_equal(groups_over(128, 2, 125), 2);
  assert_int_equal(groups_over(128, 2, 256), 3);
  assert_int_equal(groups_over(64, 4, 113), 3);
  assert_int_equal(groups_over(32, 2, 64), 2);
}

static void a_launch_or_kernel_beyond_the_device_is_refused_with_numbers(void)
{
  void *kernel = NULL;
  use_fake();
  rig r = set_up();
  trm_command bare = {.kind = TRM_COMMAND_LAUNCH, .kernel = r.kernels[BARE],
                      .declaration = &fake_kernels[BARE], .extent = {1, 65536, 1, 0},
                      .buffer_count = 1, .buffers = {r.y}};
  TEST_FAILS(table()->enqueue(r.device, &bare), TRM_ERROR_UNSUPPORTED,
             "needs 65536 groups along y, the device takes 65535");
  TEST_FAILS(table()->kernel_get(r.device, r.program, &fake_kernels[GREEDY], &kernel),
             TRM_ERROR_UNSUPPORTED,
             "needs 300000 bytes of shared memory a group, the device has 232448");
  TEST_FAILS(table()->kernel_get(r.device, r.program, &fake_kernels[ABSENT], &kernel),
             TRM_ERROR_NOT_FOUND, "absent");
  tear_down(&r);
}

/* The fake has 2048 items and 227 KiB of shared memory; groups of ADD have 64 items. */
static void groups_are_kept_out_by_ballast(void)
{
  static const struct { double residency; int groups; } asked[] = {
    {0.5, 16}, {0.25, 8}, {0.125, 4}, {0.01, 1}, {1.0, 25} };
  use_fake();
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
    const trm_device_options options = {.residency = asked[i].residency};
    trm_kernel_resources found;
    trm_device_info info;
    void *device = NULL, *program = NULL, *kernel = NULL;
    char *log = NULL;
    TEST_OK(table()->describe(0, &info));
    TEST_OK(table()->open(0, &options, &info, &device));
    TEST_OK(table()->program_build(device, &add_build, &log, &program));
    TEST_OK(table()->kernel_get(device, program, &fake_kernels[ADD], &kernel));
    const trm_command launch = {.kernel = kernel, .declaration = &fake_kernels[ADD]};
    TEST_OK(table()->kernel_resources(device, &launch, &found));
    assert_int_equal(found.resident_groups, asked[i].groups);
    /* the fewest bytes that do so; none where registers alone allow no more */
    const int per_group = (227 << 10) / (asked[i].groups + 1);
    assert_true(asked[i].groups == 25 ? found.shared_bytes == 0
                : found.shared_bytes > per_group && found.shared_bytes <= per_group + 128);
    table()->program_destroy(device, program);
    table()->close(device);
  }
  assert_left_empty();
}

static void a_launch_tells_what_it_takes_of_a_multiprocessor(void)
{
  trm_kernel_resources found;
  trm_device_info info;
  use_fake();
  rig r = set_up();
  const trm_command add = add_command(&r, 1, 1);
  TEST_OK(table()->kernel_resources(r.device, &add, &found));
  assert_int_equal(found.group_items, 64);
  assert_int_equal(found.registers, 40);
  assert_int_equal(found.local_bytes, 16);
  assert_int_equal(found.shared_bytes, 0);
  assert_int_equal(found.resident_groups, 25); /* 65536 registers, 64 items of 40 */
  assert_true(found.occupancy == 25.0 * 64 / 2048);
  assert_string_equal(found.reason, "");
  const trm_command bare = {.kernel = r.kernels[BARE], .declaration = &fake_kernels[BARE]};
  TEST_OK(table()->kernel_resources(r.device, &bare, &found));
  assert_int_equal(found.shared_bytes, 100000);
  assert_int_equal(found.resident_groups, 2);
  TEST_OK(table()->describe(1, &info));
  assert_string_equal(info.pci, "0000:18:00.0");
  tear_down(&r);
}

/* ---- programs ---------------------------------------------------------------------------- */

static void the_compiler_gets_defines_dialect_and_text_in_order(void)
{
  void *bytes = NULL, *loaded = NULL;
  size_t count = 0;
  char key[512];
  use_fake();
  rig r = set_up();
  TEST_OK(table()->program_binary(r.device, r.program, &bytes, &count));
  const char *source = (const char *)bytes + 64;
  if (!strstr(source, "--gpu-architecture=sm_90 --std=c++14 -default-device --fmad=false "
                      "--ftz=false "
                      "--prec-div=true --prec-sqrt=true #define TRM_CUDA 1\n#define TRM_X 1\n"
                      "#line 1 \"core/kernel.h\"\nDIALECT griddepcontrol.wait\n"
                      "#line 1 \"add.k\"\nTEXT"))
    fail_msg("%s", source);
  TEST_OK(table()->program_load(r.device, &add_build, bytes, count, &loaded));
  table()->program_destroy(r.device, loaded);
  TEST_FAILS(table()->program_load(r.device, &add_build, "not code", 8, &loaded), TRM_ERROR_BUILD,
             "no CUBIN");
  TEST_OK(table()->program_key(r.device, &add_build, key, sizeof key));
  assert_non_null(strstr(key, "capability 90 driver 12040"));
  assert_non_null(strstr(key, "nvrtc 12.4"));
  assert_non_null(strstr(key, "--fmad=false"));
  free(bytes);
  tear_down(&r);
}

/* The dialect is told, and the cache keeps such a program apart. */
static void a_program_with_read_only_loads_is_another_one(void)
{
  const trm_device_options options = {.read_only_loads = 1};
  void *bytes = NULL;
  size_t count = 0;
  char keys[2][512];
  use_fake();
  rig r = set_up();
  TEST_OK(table()->program_key(r.device, &add_build, keys[0], sizeof keys[0]));
  tear_down(&r);
  r = set_up_with(&options);
  TEST_OK(table()->program_key(r.device, &add_build, keys[1], sizeof keys[1]));
  TEST_OK(table()->program_binary(r.device, r.program, &bytes, &count));
  assert_non_null(strstr((const char *)bytes + 64,
                         "#define TRM_X 1\n#define TRM_READ_ONLY_LOADS 1\n"
                         "#line 1 \"core/kernel.h\""));
  assert_string_not_equal(keys[0], keys[1]);
  free(bytes);
  tear_down(&r);
}

static void a_text_that_does_not_compile_shows_the_compilers_words(void)
{
  void *program = NULL;
  char *log = NULL;
  use_fake();
  rig r = set_up();
  trm_build wrong = add_build;
  wrong.text = "nonsense";
  TEST_FAILS(table()->program_build(r.device, &wrong, &log, &program), TRM_ERROR_BUILD,
             "text.k(1): error: nonsense is undefined");
  assert_null(log);
  tear_down(&r);
}

static void code_that_the_driver_refuses_names_both_versions(void)
{
  void *program = NULL;
  char *log = NULL;
  use_fake();
  rig r = set_up();
  fake->module_result = CU_NO_BINARY_FOR_GPU;
  TEST_FAILS(table()->program_build(r.device, &add_build, &log, &program), TRM_ERROR_BUILD,
             "NVRTC 12.4 for sm_90: CUDA_ERROR_NO_BINARY_FOR_GPU");
  fake->module_result = 0;
  tear_down(&r);
}

static void a_device_newer_than_the_compiler_gets_ptx_and_a_dropped_one_an_error(void)
{
  void *program = NULL;
  char *log = NULL, key[512];
  use_fake();
  fake->capability = 103;
  rig r = set_up();
  TEST_OK(table()->program_key(r.device, &add_build, key, sizeof key));
  assert_non_null(strstr(key, "--gpu-architecture=compute_90"));
  tear_down(&r);
  fake->capability = 61;
  void *device = open_device();
  TEST_FAILS(table()->program_build(device, &add_build, &log, &program), TRM_ERROR_UNSUPPORTED,
             "no longer compiles for compute capability 6.1 (7.0 is its oldest)");
  table()->close(device);
  assert_int_equal(fake->contexts, 0);
}

/* ---- buffers ----------------------------------------------------------------------------- */

static void large_transfers_through_both_chunks_keep_every_byte(void)
{
  enum { BYTES = 3 * CUDA_CHUNK_BYTES + 12345, SHIFT = 7 };
  unsigned char *out = malloc(BYTES), *in = malloc(BYTES);
  void *buffer = NULL;
  use_fake();
  rig r = set_up();
  for (size_t i = 0; i < BYTES; i++) out[i] = (unsigned char)(i * 2654435761u >> 24);
  TEST_OK(table()->buffer_create(r.device, BYTES + SHIFT, &buffer));
  for (int round = 0; round < 2; round++) {
    out[0] = (unsigned char)round;
    TEST_OK(table()->buffer_write(r.device, buffer, SHIFT, BYTES, out));
    TEST_OK(table()->buffer_read(r.device, buffer, SHIFT, BYTES, in));
    assert_memory_equal(in, out, BYTES);
  }
  table()->buffer_destroy(r.device, buffer);
  free(out);
  free(in);
  tear_down(&r);
}

static void too_little_memory_says_what_is_needed_and_what_there_is(void)
{
  void *buffer = NULL;
  uint64_t available = 0;
  use_fake();
  rig r = set_up();
  TEST_OK(table()->free_memory(r.device, &available));
  assert_int_equal(available, (64u << 20) - 2 * CELLS * 4);
  TEST_FAILS(table()->buffer_create(r.device, 100u << 20, &buffer), TRM_ERROR_NO_DEVICE_MEMORY,
             "104857600 bytes needed, 67108768 bytes available");
  tear_down(&r);
}

/* Fills a range of a buffer of 0xee, plainly or from a sequence, and compares. */
static void check_fill(const rig *r, uint32_t pattern_bytes, size_t offset, size_t bytes,
                       int recorded)
{
  const size_t all = offset + bytes + 16;
  void *buffer = NULL, *sequence = NULL;
  unsigned char *got = malloc(all), *want = malloc(all);
  trm_command fill = {.kind = TRM_COMMAND_FILL, .offset = offset, .bytes = bytes,
                      .pattern = {1, 2, 3, 4, 5, 6, 7, 8}, .pattern_bytes = pattern_bytes};
  memset(want, 0xee, all);
  TEST_OK(table()->buffer_create(r->device, all, &buffer));
  TEST_OK(table()->buffer_write(r->device, buffer, 0, all, want));
  for (size_t i = 0; i < bytes; i++) want[offset + i] = fill.pattern[i % pattern_bytes];
  fill.buffers[0] = buffer;
  if (recorded) {
    TEST_OK(table()->sequence_create(r->device, &fill, 1, &sequence));
    TEST_OK(table()->sequence_replay(r->device, sequence, 1));
    table()->sequence_destroy(r->device, sequence);
  } else {
    TEST_OK(table()->enqueue(r->device, &fill));
  }
  TEST_OK(table()->buffer_read(r->device, buffer, 0, all, got));
  assert_memory_equal(got, want, all);
  table()->buffer_destroy(r->device, buffer);
  free(got);
  free(want);
}

static void fills_of_every_pattern_cover_their_range_and_no_more(void)
{
  use_fake();
  rig r = set_up();
  for (int recorded = 0; recorded < 2; recorded++)
    for (uint32_t pattern = 1; pattern <= 8; pattern *= 2) {
      check_fill(&r, pattern, 0, pattern, recorded);
      check_fill(&r, pattern, 3 * pattern, 17 * pattern, recorded);
      check_fill(&r, pattern, pattern, 1000003 / pattern * pattern, recorded);
    }
  tear_down(&r);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_launch_gets_buffers_then_parameters_then_the_extent),
    TEST_HOST(a_group_launch_without_parameters_gets_its_shared_memory),
    TEST_HOST(groups_that_share_columns_are_more),
    TEST_HOST(a_launch_or_kernel_beyond_the_device_is_refused_with_numbers),
    TEST_HOST(groups_are_kept_out_by_ballast),
    TEST_HOST(a_launch_tells_what_it_takes_of_a_multiprocessor),
    TEST_HOST(the_compiler_gets_defines_dialect_and_text_in_order),
    TEST_HOST(a_program_with_read_only_loads_is_another_one),
    TEST_HOST(a_text_that_does_not_compile_shows_the_compilers_words),
    TEST_HOST(code_that_the_driver_refuses_names_both_versions),
    TEST_HOST(a_device_newer_than_the_compiler_gets_ptx_and_a_dropped_one_an_error),
    TEST_HOST(large_transfers_through_both_chunks_keep_every_byte),
    TEST_HOST(too_little_memory_says_what_is_needed_and_what_there_is),
    TEST_HOST(fills_of_every_pattern_cover_their_range_and_no_more),
  };
  return TEST_RUN(argc, argv, cases);
}
