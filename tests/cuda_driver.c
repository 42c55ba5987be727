/* cuda_driver.c - the inside of trireme_cuda.so against a fake driver and compiler (tests/fake):
 * every state of the probe with its sentence, the order of arguments, recorded sequences,
 * transfers, errors that surface late, and that nothing is left behind. No GPU is needed. */
#include "tests/harness.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend-cuda/device.h"
#include "tests/fake/driver.h"

trm_backend_entry trm_backend_cuda;

static fake_driver *fake;

static void log_nothing(trm_log_level level, const char *format, ...)
{
  (void)level;
  (void)format;
}

static const trm_backend *table(void)
{
  static const trm_services services = {TRM_BACKEND_ABI, sizeof services, trm_error_record,
                                        log_nothing, NULL, 0};
  return trm_backend_cuda(TRM_BACKEND_ABI, &services);
}

/* Opens the fakes, once, and sets them to a healthy machine. The plugin's own dlopen of
 * libcuda.so.1 then finds the library of that soname already there. */
static void use_fake(void)
{
  void *driver = dlopen(FAKE_FOLDER "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) fail_msg("%s", dlerror());
  fake = dlsym(driver, "fake_driver_state");
  assert_non_null(fake);
  memset(fake, 0, sizeof *fake);
  fake->version = 12040;
  fake->device_count = 2;
  fake->capability = 90;
  fake->memory_bytes = 64u << 20;
  setenv("TRIREME_NVRTC", FAKE_FOLDER "/libnvrtc.so", 1);
  unsetenv("TRIREME_CUDA_PDL");
  unsetenv("TRIREME_CUDA_GRAPH_NODES");
}

/* ---- the probe ----------------------------------------------------------------------- */

static void expect_state(trm_backend_state state, const char *reason, const char *cure)
{
  trm_probe probe;
  table()->probe(&probe);
  assert_string_equal(trm_backend_state_text(probe.state), trm_backend_state_text(state));
  if (!strstr(probe.reason, reason)) fail_msg("reason: %s", probe.reason);
  if (!strstr(probe.cure, cure)) fail_msg("cure: %s", probe.cure);
}

static void a_machine_without_a_driver_says_so(void)
{
  if (fake) TEST_SKIP("the fake driver is already loaded");
  void *real = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (real) {
    dlclose(real);
    TEST_SKIP("this machine has a CUDA driver");
  }
  expect_state(TRM_BACKEND_NO_DRIVER, "libcuda.so.1: cannot open shared object file",
               "install NVIDIA's driver");
}

static void a_healthy_machine_is_ready(void)
{
  trm_probe probe;
  trm_device_info info;
  use_fake();
  table()->probe(&probe);
  assert_int_equal(probe.state, TRM_BACKEND_READY);
  assert_int_equal(probe.device_count, 2);
  assert_string_equal(probe.reason, "");
  assert_non_null(strstr(probe.version, "CUDA driver 12.4"));
  assert_non_null(strstr(probe.version, "NVRTC 12.4"));
  TEST_OK(table()->describe(1, &info));
  assert_string_equal(info.name, "Fake GPU 1");
  assert_int_equal(info.index, 1);
  assert_int_equal(info.compute_units, 132);
  assert_int_equal(info.memory_bytes, 64u << 20);
  assert_non_null(strstr(info.compiler, "sm_90"));
}

static void a_machine_without_a_gpu_says_so(void)
{
  use_fake();
  fake->init_result = CU_NO_DEVICE;
  expect_state(TRM_BACKEND_NO_DEVICE,
               "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)", "CUDA_VISIBLE_DEVICES");
  use_fake();
  fake->device_count = 0;
  expect_state(TRM_BACKEND_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "nvidia-smi");
}

static void an_old_driver_is_named_with_what_is_needed(void)
{
  use_fake();
  fake->version = 11040;
  expect_state(TRM_BACKEND_DRIVER_TOO_OLD, "the driver is for CUDA 11.4; CUDA 11.8", "520");
}

static void a_driver_older_than_the_compiler_is_told_apart(void)
{
  use_fake();
  fake->version = 11080;
  expect_state(TRM_BACKEND_DRIVER_TOO_OLD, "NVRTC found is 12.4", "TRIREME_NVRTC");
}

static void the_toolkits_stub_library_is_recognised(void)
{
  use_fake();
  fake->init_result = CU_STUB_LIBRARY;
  expect_state(TRM_BACKEND_NO_DRIVER, "CUDA_ERROR_STUB_LIBRARY", "LD_LIBRARY_PATH");
}

static void a_driver_half_updated_asks_for_a_restart(void)
{
  use_fake();
  fake->init_result = CU_SYSTEM_DRIVER_MISMATCH;
  expect_state(TRM_BACKEND_BROKEN, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "restart the machine");
  fake->init_result = CU_UNKNOWN;
  expect_state(TRM_BACKEND_BROKEN, "CUDA_ERROR_UNKNOWN", "nvidia-uvm");
}

static void a_missing_compiler_is_a_missing_library(void)
{
  use_fake();
  setenv("TRIREME_NVRTC", "/nowhere/libnvrtc.so", 1);
  expect_state(TRM_BACKEND_MISSING_LIBRARY, "/nowhere/libnvrtc.so: cannot open", "TRIREME_NVRTC");
  setenv("TRIREME_NVRTC", "libnvrtc.so", 1);
  expect_state(TRM_BACKEND_MISSING_LIBRARY, "is not an absolute path", "TRIREME_NVRTC");
  setenv("TRIREME_NVRTC", FAKE_FOLDER "/libcuda.so.1", 1);
  expect_state(TRM_BACKEND_MISSING_LIBRARY, "has no function nvrtc", "TRIREME_NVRTC");
}

static void another_abi_is_refused(void)
{
  static const trm_services services = {TRM_BACKEND_ABI, sizeof services, trm_error_record,
                                        log_nothing, NULL, 0};
  assert_null(trm_backend_cuda(TRM_BACKEND_ABI + 1, &services));
  assert_non_null(strstr(trm_error_last()->text, "ABI"));
}

/* ---- a device ------------------------------------------------------------------------------ */

static const trm_host_kernel fake_kernels[] = {
  {.name = "fake_add", .kind = TRM_KERNEL_ROW, .halo = 0, .buffer_count = 2, .param_bytes = 8,
   .access = "rw"},
  {.name = "fake_bare", .kind = TRM_KERNEL_GROUP, .buffer_count = 1, .access = "w",
   .shared_bytes = 50000}, /* on a host; the program says 100000 */
  {.name = "fake_crash", .kind = TRM_KERNEL_ROW, .buffer_count = 1, .access = "w"},
  {.name = "absent", .kind = TRM_KERNEL_ROW, .buffer_count = 1, .access = "w"},
  {.name = "fake_greedy", .kind = TRM_KERNEL_GROUP, .buffer_count = 1, .access = "w",
   .shared_bytes = 300000},
};
enum { ADD, BARE, CRASH, ABSENT, GREEDY, CELLS = 12 };

static const trm_build add_build = {
  .name = "adding", .dialect_file = "core/kernel.h", .dialect = "DIALECT griddepcontrol.wait",
  .file = "add.k", .text = "TEXT", .defines = "#define TRM_X 1\n", .precision = TRM_F32,
  .math = TRM_STRICT, .row_group_x = 32, .row_group_y = 2, .group = 64,
};

typedef struct rig {
  void *device, *program, *x, *y;
  void *kernels[CRASH + 1];
} rig;

static void *open_device(void)
{
  trm_probe probe;
  trm_device_info info;
  void *device = NULL;
  table()->probe(&probe);
  assert_int_equal(probe.state, TRM_BACKEND_READY);
  TEST_OK(table()->describe(0, &info));
  TEST_OK(table()->open(0, NULL, &info, &device));
  return device;
}

/* A device with a program, and x = 1, 2, ..., y = 0, of CELLS ints. */
static rig set_up(void)
{
  rig r = {0};
  char *log = NULL;
  int32_t x[CELLS], y[CELLS] = {0};
  for (int i = 0; i < CELLS; i++) x[i] = i + 1;
  r.device = open_device();
  TEST_OK(table()->program_build(r.device, &add_build, &log, &r.program));
  assert_null(log);
  for (int k = ADD; k <= CRASH; k++)
    TEST_OK(table()->kernel_get(r.device, r.program, &fake_kernels[k], &r.kernels[k]));
  TEST_OK(table()->buffer_create(r.device, sizeof x, &r.x));
  TEST_OK(table()->buffer_create(r.device, sizeof y, &r.y));
  TEST_OK(table()->buffer_write(r.device, r.x, 0, sizeof x, x));
  TEST_OK(table()->buffer_write(r.device, r.y, 0, sizeof y, y));
  return r;
}

/* Takes it all down, and shows that the driver was used rightly and is left empty. */
static void tear_down(rig *r)
{
  table()->buffer_destroy(r->device, r->x);
  table()->buffer_destroy(r->device, r->y);
  table()->program_destroy(r->device, r->program);
  table()->close(r->device);
  assert_string_equal(fake->misuse, "");
  assert_int_equal(fake->contexts, 0);
  assert_int_equal(fake->streams, 0);
  assert_int_equal(fake->buffers, 0);
  assert_int_equal(fake->pinned, 0);
  assert_int_equal(fake->modules, 0);
  assert_int_equal(fake->events, 0);
  assert_int_equal(fake->graphs, 0);
  assert_int_equal(fake->execs, 0);
}

/* y[i] += factor * x[i] + add */
static trm_command add_command(const rig *r, int32_t add, int32_t factor)
{
  const int32_t params[2] = {add, factor};
  trm_command command = {.kind = TRM_COMMAND_LAUNCH, .kernel = r->kernels[ADD],
                         .declaration = &fake_kernels[ADD], .extent = {4, 3, 1, 0},
                         .param_bytes = sizeof params, .buffer_count = 2,
                         .buffers = {r->x, r->y}};
  memcpy(command.params, params, sizeof params);
  return command;
}

static int32_t y_at(const rig *r, size_t i)
{
  int32_t value;
  TEST_OK(table()->buffer_read(r->device, r->y, i * sizeof value, sizeof value, &value));
  return value;
}

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

/* ---- sequences --------------------------------------------------------------------------- */

/* Two launches, a copy within y and a launch, `times` times over, plainly on the host. */
static void expected_y(int32_t *y, size_t times)
{
  memset(y, 0, CELLS * sizeof *y);
  for (size_t t = 0; t < times; t++) {
    for (int i = 0; i < CELLS; i++) y[i] += 1 * (i + 1) + 3;
    for (int i = 0; i < CELLS; i++) y[i] += 2 * (i + 1) - 1;
    memcpy(y + 8, y, 4 * sizeof *y);
    for (int i = 0; i < CELLS; i++) y[i] += 7;
  }
}

static void replay_and_compare(const char *nodes, size_t times, size_t graph_launches)
{
  int32_t want[CELLS], got[CELLS];
  void *sequence = NULL;
  use_fake();
  setenv("TRIREME_CUDA_GRAPH_NODES", nodes, 1);
  rig r = set_up();
  const trm_command commands[] = {
    add_command(&r, 3, 1), add_command(&r, -1, 2),
    {.kind = TRM_COMMAND_COPY, .buffers = {r.y, r.y}, .offset = 32, .bytes = 16},
    add_command(&r, 7, 0),
  };
  TEST_OK(table()->sequence_create(r.device, commands, 4, &sequence));
  TEST_OK(table()->sequence_replay(r.device, sequence, times));
  TEST_OK(table()->buffer_read(r.device, r.y, 0, sizeof got, got));
  expected_y(want, times);
  assert_memory_equal(got, want, sizeof want);
  assert_int_equal(fake->graph_launches, graph_launches);
  assert_int_equal(fake->launch_count, 3 * times);
  table()->sequence_destroy(r.device, sequence);
  tear_down(&r);
}

static void a_replay_is_the_same_as_its_launches(void)
{
  replay_and_compare("1", 3, 3);
  replay_and_compare("4", 3, 3);
  replay_and_compare("512", 1, 1);
  replay_and_compare("8", 5, 3);           /* two and two and one */
  replay_and_compare("16", 8, 2);
  replay_and_compare("512", 0, 0);
}

/* Which of the launches of one replay carry the attribute, as a text of 0 and 1. */
static const char *overlapped(const char *dialect)
{
  static char text[8];
  void *sequence = NULL, *program = NULL, *kernel = NULL;
  char *log = NULL;
  rig r = set_up();
  trm_build build = add_build;
  build.dialect = dialect;
  TEST_OK(table()->program_build(r.device, &build, &log, &program));
  TEST_OK(table()->kernel_get(r.device, program, &fake_kernels[ADD], &kernel));
  r.kernels[ADD] = kernel;
  const trm_command commands[] = {
    add_command(&r, 3, 1), add_command(&r, -1, 2),
    {.kind = TRM_COMMAND_COPY, .buffers = {r.y, r.y}, .offset = 32, .bytes = 16},
    add_command(&r, 7, 0), add_command(&r, 8, 0),
  };
  TEST_OK(table()->sequence_create(r.device, commands, 5, &sequence));
  TEST_OK(table()->sequence_replay(r.device, sequence, 1));
  TEST_OK(table()->finish(r.device));
  for (size_t i = 0; i < 4; i++) text[i] = fake->launches[i].programmatic ? '1' : '0';
  table()->sequence_destroy(r.device, sequence);
  table()->program_destroy(r.device, program);
  tear_down(&r);
  return text;
}

static void launches_overlap_only_behind_launches_and_only_where_kernels_wait(void)
{
  use_fake();
  assert_string_equal(overlapped("... griddepcontrol.wait ..."), "0101");
  use_fake();
  assert_string_equal(overlapped("a dialect that does not wait"), "0000");
  use_fake();
  setenv("TRIREME_CUDA_PDL", "0", 1);
  assert_string_equal(overlapped("... griddepcontrol.wait ..."), "0000");
  use_fake();
  fake->capability = 80;
  assert_string_equal(overlapped("... griddepcontrol.wait ..."), "0000");
  use_fake();
  fake->version = 12020;
  assert_string_equal(overlapped("... griddepcontrol.wait ..."), "0000");
}

static void settings_that_make_no_sense_are_refused(void)
{
  trm_device_info info;
  void *device = NULL;
  use_fake();
  fake->capability = 80;
  table()->close(open_device());
  TEST_OK(table()->describe(0, &info));
  setenv("TRIREME_CUDA_PDL", "1", 1);
  TEST_FAILS(table()->open(0, NULL, &info, &device), TRM_ERROR_UNSUPPORTED,
             "compute capability 8.0, code for 8.0, driver for CUDA 12.4");
  setenv("TRIREME_CUDA_PDL", "yes", 1);
  TEST_FAILS(table()->open(0, NULL, &info, &device), TRM_ERROR_INVALID, "TRIREME_CUDA_PDL=yes");
  unsetenv("TRIREME_CUDA_PDL");
  setenv("TRIREME_CUDA_GRAPH_NODES", "0", 1);
  TEST_FAILS(table()->open(0, NULL, &info, &device), TRM_ERROR_INVALID, "from 1 to 65536");
  assert_int_equal(fake->contexts, 0);
}

static void a_sequence_that_cannot_be_made_leaves_nothing_behind(void)
{
  void *sequence = NULL;
  use_fake();
  rig r = set_up();
  trm_command commands[2] = {add_command(&r, 1, 1), add_command(&r, 1, 1)};
  commands[1].extent.nz = 70000;
  TEST_FAILS(table()->sequence_create(r.device, commands, 2, &sequence), TRM_ERROR_UNSUPPORTED,
             "70000 groups along z");
  commands[1].extent.nz = 1;
  fake->instantiate_result = CU_OUT_OF_MEMORY;
  TEST_FAILS(table()->sequence_create(r.device, commands, 2, &sequence), TRM_ERROR_NO_DEVICE_MEMORY,
             "cuGraphInstantiate reported CUDA_ERROR_OUT_OF_MEMORY");
  fake->instantiate_result = 0;
  TEST_OK(table()->enqueue(r.device, &commands[0]));
  assert_int_equal(y_at(&r, 0), 2);
  tear_down(&r);
}

/* ---- events, and errors that come late --------------------------------------------------- */

static void events_measure_what_lies_between_them(void)
{
  void *begin = NULL, *end = NULL;
  double seconds = 0.0;
  use_fake();
  rig r = set_up();
  const trm_command add = add_command(&r, 1, 1);
  TEST_OK(table()->event_create(r.device, &begin));
  TEST_OK(table()->event_create(r.device, &end));
  TEST_OK(table()->event_record(r.device, begin));
  for (int i = 0; i < 3; i++) TEST_OK(table()->enqueue(r.device, &add));
  TEST_OK(table()->event_record(r.device, end));
  TEST_OK(table()->event_elapsed(r.device, begin, end, &seconds));
  TEST_CLOSE(seconds, 0.003, 1e-6);
  table()->event_destroy(r.device, begin);
  table()->event_destroy(r.device, end);
  tear_down(&r);
}

static void a_crashed_kernel_surfaces_later_and_the_device_stays_lost(void)
{
  use_fake();
  rig r = set_up();
  const trm_command crash = {.kind = TRM_COMMAND_LAUNCH, .kernel = r.kernels[CRASH],
                             .declaration = &fake_kernels[CRASH], .extent = {1, 1, 1, 0},
                             .buffer_count = 1, .buffers = {r.y}};
  const trm_command add = add_command(&r, 1, 1);
  TEST_OK(table()->enqueue(r.device, &crash));
  TEST_FAILS(table()->finish(r.device), TRM_ERROR_DEVICE,
             "cuStreamSynchronize reported CUDA_ERROR_ILLEGAL_ADDRESS");
  TEST_FAILS(table()->enqueue(r.device, &add), TRM_ERROR_DEVICE,
             "cuda:0 (Fake GPU 0) was lost earlier: cuStreamSynchronize reported");
  TEST_FAILS(table()->finish(r.device), TRM_ERROR_DEVICE, "Start the program again");
  tear_down(&r);
  r = set_up();                            /* opened anew, the fake device works again */
  TEST_OK(table()->finish(r.device));
  tear_down(&r);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_machine_without_a_driver_says_so),
    TEST_HOST(a_healthy_machine_is_ready),
    TEST_HOST(a_machine_without_a_gpu_says_so),
    TEST_HOST(an_old_driver_is_named_with_what_is_needed),
    TEST_HOST(a_driver_older_than_the_compiler_is_told_apart),
    TEST_HOST(the_toolkits_stub_library_is_recognised),
    TEST_HOST(a_driver_half_updated_asks_for_a_restart),
    TEST_HOST(a_missing_compiler_is_a_missing_library),
    TEST_HOST(another_abi_is_refused),
    TEST_HOST(a_launch_gets_buffers_then_parameters_then_the_extent),
    TEST_HOST(a_group_launch_without_parameters_gets_its_shared_memory),
    TEST_HOST(a_launch_or_kernel_beyond_the_device_is_refused_with_numbers),
    TEST_HOST(the_compiler_gets_defines_dialect_and_text_in_order),
    TEST_HOST(a_text_that_does_not_compile_shows_the_compilers_words),
    TEST_HOST(code_that_the_driver_refuses_names_both_versions),
    TEST_HOST(a_device_newer_than_the_compiler_gets_ptx_and_a_dropped_one_an_error),
    TEST_HOST(large_transfers_through_both_chunks_keep_every_byte),
    TEST_HOST(too_little_memory_says_what_is_needed_and_what_there_is),
    TEST_HOST(fills_of_every_pattern_cover_their_range_and_no_more),
    TEST_HOST(a_replay_is_the_same_as_its_launches),
    TEST_HOST(launches_overlap_only_behind_launches_and_only_where_kernels_wait),
    TEST_HOST(settings_that_make_no_sense_are_refused),
    TEST_HOST(a_sequence_that_cannot_be_made_leaves_nothing_behind),
    TEST_HOST(events_measure_what_lies_between_them),
    TEST_HOST(a_crashed_kernel_surfaces_later_and_the_device_stays_lost),
  };
  return TEST_RUN(argc, argv, cases);
}
