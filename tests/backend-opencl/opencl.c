/* opencl.c - what only the OpenCL plugin does on a device: the compiler's messages, binaries,
 * arguments kept between launches, kernels frozen in a sequence, memory counted. */
#include "tests/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a program with one kernel ---------------------------------------------- */

enum { NX = 97, NY = 5, CELLS = NX * NY };

typedef struct blend_params {
  float weight;
  int row;
} blend_params;

static const char blend_text[] =
    "typedef struct blend_params { real weight; int row; } blend_params;\n"
    "TRM_ROW_KERNEL2(blend, 0, blend_params, TRM_RO(real) from, TRM_RW(real) to)\n"
    "{\n"
    "  TRM_ROW(y);\n"
    "  TRM_CELLS(x) {\n"
    "    to[y * p.row + x] = trm_sqrt(from[y * p.row + x]) / p.weight + to[y * p.row + x];\n"
    "  }\n"
    "}\n";

static void blend_host(const trm_extent *extent, int64_t begin, int64_t end, const void *params,
                       void *const *buffers)
{
  const blend_params *p = params;
  const float *from = buffers[0];
  float *to = buffers[1];
  for (int64_t y = begin; y < end; y++)
    for (int64_t x = 0; x < extent->nx; x++)
      to[y * p->row + x] = __builtin_sqrtf(from[y * p->row + x]) / p->weight + to[y * p->row + x];
}

static const trm_host_kernel blend_kernels[] = {
  { "blend", TRM_KERNEL_ROW, 0, 2, sizeof(blend_params), 0, "rw", blend_host, NULL, 0 },
};
static const trm_host_module blend_module = {
  TRM_HOST_MODULE_ABI, "blend", "baseline", "", TRM_F32, TRM_STRICT, 64, 1, blend_kernels,
};
static const trm_host_module *const blend_modules[] = { &blend_module, NULL };

static trm_status make_program(trm_device *device, const char *text, trm_program **program)
{
  const trm_program_source source = { "blend", "tests/blend.k", text, blend_modules };
  const trm_program_options options = { .precision = TRM_F32, .math = TRM_STRICT };
  return trm_program_create(device, &source, &options, program);
}

static void start_values(float *from, float *to)
{
  for (int i = 0; i < CELLS; i++) {
    from[i] = 0.37f * (float)i + 0.11f;
    to[i] = 1.0f / (float)(i + 3);
  }
}

static void launch(trm_kernel *kernel, trm_buffer *from, trm_buffer *to, float weight)
{
  const trm_extent extent = { NX, NY, 1, 0 };
  const blend_params params = { weight, NX };
  trm_buffer *const buffers[] = { from, to };
  TEST_OK(trm_kernel_launch(kernel, &extent, &params, sizeof params, buffers, 2));
}

/* One launch on the device; result: CELLS values. */
static void blend_once(trm_device *device, trm_program *program, float *result)
{
  float from[CELLS];
  trm_buffer *buffers[2] = { NULL, NULL };
  trm_kernel *kernel = NULL;
  start_values(from, result);
  TEST_OK(trm_program_kernel(program, "blend", &kernel));
  TEST_OK(trm_buffer_create(device, sizeof from, "from", &buffers[0]));
  TEST_OK(trm_buffer_create(device, sizeof from, "to", &buffers[1]));
  TEST_OK(trm_buffer_write(buffers[0], 0, sizeof from, from));
  TEST_OK(trm_buffer_write(buffers[1], 0, sizeof from, result));
  launch(kernel, buffers[0], buffers[1], 3.0f);
  TEST_OK(trm_buffer_read(buffers[1], 0, sizeof from, result));
  trm_buffer_destroy(&buffers[0]);
  trm_buffer_destroy(&buffers[1]);
}

static void expected_values(float weight, float *result)
{
  float from[CELLS];
  const trm_extent extent = { NX, NY, 1, 0 };
  const blend_params params = { weight, NX };
  void *const buffers[] = { from, result };
  start_values(from, result);
  blend_host(&extent, 0, NY, &params, buffers);
}

static void a_cached_binary_gives_the_bits_of_a_fresh_build(void)
{
  float fresh[CELLS], cached[CELLS], expected[CELLS];
  trm_program *program = NULL;
  char text[sizeof blend_text + 600];
  trm_device *device = test_open("opencl", NULL);
  /* a text of this run's own, so that the first build cannot be a cached one */
  snprintf(text, sizeof text, "/* %s */\n%s", test_folder(), blend_text);
  TEST_OK(make_program(device, text, &program));
  assert_int_equal(trm_program_describe(program)->from_cache, 0);
  blend_once(device, program, fresh);
  trm_program_destroy(&program);
  TEST_OK(make_program(device, text, &program));
  assert_int_equal(trm_program_describe(program)->from_cache, 1);
  blend_once(device, program, cached);
  trm_program_destroy(&program);
  expected_values(3.0f, expected);
  TEST_SAME_BITS(fresh, expected, CELLS, TRM_TYPE_F32);
  TEST_SAME_BITS(cached, expected, CELLS, TRM_TYPE_F32);
  trm_device_close(&device);
}

static void a_build_error_names_our_file_and_line(void)
{
  trm_program *program = NULL;
  trm_device *device = test_open("opencl", NULL);
  TEST_FAILS(make_program(device,
                          "TRM_ROW_KERNEL1(blend, 0, trm_extent, TRM_RW(real) to)\n"
                          "{\n"
                          "  TRM_ROW(y);\n"
                          "  TRM_CELLS(x) { to[x] = no_such_variable; }\n"
                          "}\n",
                          &program),
             TRM_ERROR_BUILD, "tests/blend.k:4");
  assert_null(program);
  TEST_FAILS(make_program(device, "#error no\n", &program), TRM_ERROR_BUILD, "tests/blend.k:1");
  trm_device_close(&device);
}

/* Kernels remember their arguments; a driver may give a new buffer the handle of an old one. */
static void a_new_buffer_is_not_taken_for_one_that_is_gone(void)
{
  float from[CELLS], to[CELLS], expected[CELLS];
  trm_program *program = NULL;
  trm_kernel *kernel = NULL;
  trm_buffer *input = NULL, *output = NULL;
  trm_device *device = test_open("opencl", NULL);
  TEST_OK(make_program(device, blend_text, &program));
  TEST_OK(trm_program_kernel(program, "blend", &kernel));
  for (int round = 0; round < 8; round++) {
    start_values(from, to);
    TEST_OK(trm_buffer_create(device, sizeof from, "one", round % 2 ? &output : &input));
    TEST_OK(trm_buffer_create(device, sizeof to, "other", round % 2 ? &input : &output));
    TEST_OK(trm_buffer_write(input, 0, sizeof from, from));
    TEST_OK(trm_buffer_write(output, 0, sizeof to, to));
    launch(kernel, input, output, (float)(1 + round / 2));
    TEST_OK(trm_buffer_read(output, 0, sizeof to, to));
    expected_values((float)(1 + round / 2), expected);
    TEST_SAME_BITS(to, expected, CELLS, TRM_TYPE_F32);
    trm_buffer_destroy(&output);
    trm_buffer_destroy(&input);
  }
  trm_program_destroy(&program);
  trm_device_close(&device);
}

static void a_replay_does_what_its_launches_do(void)
{
  enum { TIMES = 3 };
  float values[CELLS], from[CELLS], to[CELLS];
  trm_program *program = NULL;
  trm_kernel *kernel = NULL;
  trm_buffer *input = NULL, *output = NULL;
  trm_sequence *sequence = NULL;
  trm_device *device = test_open("opencl", NULL);
  const trm_extent extent = { NX, NY, 1, 0 };
  void *const host[] = { from, to };
  start_values(from, to);
  TEST_OK(make_program(device, blend_text, &program));
  TEST_OK(trm_program_kernel(program, "blend", &kernel));
  TEST_OK(trm_buffer_create(device, sizeof from, "from", &input));
  TEST_OK(trm_buffer_create(device, sizeof to, "to", &output));
  TEST_OK(trm_buffer_write(input, 0, sizeof from, from));
  TEST_OK(trm_buffer_write(output, 0, sizeof to, to));
  TEST_OK(trm_sequence_begin(device));
  for (int i = 0; i < 4; i++) launch(kernel, input, output, (float)(i + 2));
  TEST_OK(trm_sequence_end(device, &sequence));
  launch(kernel, input, output, 9.0f); /* must not change what was recorded */
  TEST_OK(trm_sequence_replay(sequence, TIMES));
  TEST_OK(trm_buffer_read(output, 0, sizeof values, values));
  blend_host(&extent, 0, NY, &(blend_params){ 9.0f, NX }, host);
  for (int i = 0; i < 4 * TIMES; i++)
    blend_host(&extent, 0, NY, &(blend_params){ (float)(i % 4 + 2), NX }, host);
  TEST_SAME_BITS(values, to, CELLS, TRM_TYPE_F32);
  trm_sequence_destroy(&sequence);
  trm_buffer_destroy(&output);
  trm_buffer_destroy(&input);
  trm_program_destroy(&program);
  trm_device_close(&device);
}

/* A driver of a CPU would take any number, and the system would kill the process later. */
static void memory_is_refused_when_it_is_all_in_use_and_comes_back(void)
{
  enum { MOST = 64 };
  trm_buffer *buffers[MOST] = { NULL };
  trm_device *device = test_open("opencl", NULL);
  const trm_device_info *info = trm_device_describe(device);
  const size_t bytes = (size_t)info->max_buffer_bytes;
  int count = 0;
  trm_status status = TRM_OK;
  assert_true(bytes > 0 && info->memory_bytes / bytes < MOST);
  while (count < MOST &&
         (status = trm_buffer_create(device, bytes, "field", &buffers[count])) == TRM_OK)
    count++;
  TEST_FAILS(status, TRM_ERROR_NO_DEVICE_MEMORY, " are available");
  assert_true(count > 0 && count < MOST);
  assert_null(buffers[count]);
  for (int i = 0; i < count; i++) trm_buffer_destroy(&buffers[i]);
  TEST_OK(trm_buffer_create(device, bytes, "field", &buffers[0]));
  trm_buffer_destroy(&buffers[0]);
  trm_device_close(&device);
}

/* ---- shared memory of a group ------------------------------------------------ */

/* Takes so many reals on a device, and says to a host that it takes `declared` bytes. */
static trm_status share(trm_device *device, size_t reals, int declared)
{
  char text[512];
  trm_program *program = NULL;
  trm_kernel *kernel = NULL;
  const trm_host_kernel kernels[] = {
    { "blend", TRM_KERNEL_GROUP, -1, 1, sizeof(trm_extent), declared, "w", blend_host, NULL, 0 } };
  const trm_host_module module = { TRM_HOST_MODULE_ABI, "share", "baseline", "", TRM_F32,
                                   TRM_STRICT, 64, 1, kernels };
  const trm_host_module *const modules[] = { &module, NULL };
  const trm_program_options options = { .precision = TRM_F32, .math = TRM_STRICT };
  snprintf(text, sizeof text,
           "typedef struct share_all { real a[%zu]; } share_all;\n"
           "TRM_GROUP_KERNEL1(blend, share_all, trm_extent, TRM_RW(real) to)\n"
           "{\n"
           "  TRM_GROUP1(group);\n"
           "  TRM_SHARED(share_all, all);\n"
           "  TRM_EACH(i, %zu) { all.a[i] = to[i]; }\n"
           "  TRM_EACH(i, %zu) { to[i] = all.a[%zu - i]; }\n"
           "}\n", reals, reals, reals, reals - 1);
  const trm_program_source source = { "share", "tests/share.k", text, modules };
  trm_status status = trm_program_create(device, &source, &options, &program);
  if (status == TRM_OK) status = trm_program_kernel(program, "blend", &kernel);
  trm_program_destroy(&program);
  return status;
}

/* NVIDIA's compiler refuses what its devices have no room for, others build it. */
static void a_kernel_is_held_to_what_its_groups_take_on_the_device(void)
{
  enum { TOO_MUCH = 16 << 20, NVIDIA = 48 << 10, LEAST = 32 << 10 };
  trm_device *device = test_open("opencl", NULL);
  unsigned long long needs = 0, most = NVIDIA;
  const trm_status status = share(device, TOO_MUCH / 4, 256);
  const char *text = trm_error_last()->text, *has = strstr(text, " a group, ");
  if (status == TRM_ERROR_BUILD) {
    assert_non_null(strstr(text, "shared data"));
  } else {
    TEST_FAILS(status, TRM_ERROR_UNSUPPORTED, "choose a smaller tile or group");
    assert_int_equal(sscanf(strstr(text, "needs"), "needs %llu", &needs), 1);
    assert_int_equal(sscanf(strstr(has, " has "), " has %llu", &most), 1);
    assert_true(needs == TOO_MUCH && most >= LEAST && most < TOO_MUCH);
  }
  TEST_OK(share(device, (size_t)most / 8, TOO_MUCH));
  trm_device_close(&device);
}

/* The unit that is named holds all items of two groups and more. */
static void a_part_of_a_unit_needs_a_unit_and_a_group_that_can_fill_it(void)
{
  trm_program *program = NULL;
  trm_device *device = NULL;
  float found[CELLS], expected[CELLS];
  const trm_device_options half = {.residency = 0.5}, few = {.residency = 0.001};
  setenv("TRIREME_OPENCL_UNIT", "65536:2048", 1);
  device = test_open("opencl", &half);
  TEST_OK(make_program(device, blend_text, &program));
  blend_once(device, program, found);
  expected_values(3.0f, expected);
  TEST_SAME_BITS(found, expected, CELLS, TRM_TYPE_F32);
  trm_program_destroy(&program);
  trm_device_close(&device);
  setenv("TRIREME_OPENCL_UNIT", "999999999:2048", 1); /* no group takes half of it */
  device = test_open("opencl", &few);
  TEST_FAILS(make_program(device, blend_text, &program), TRM_ERROR_UNSUPPORTED,
             "run.residency = 0.001 needs 500000000 bytes of local memory a group");
  trm_device_close(&device);
  setenv("TRIREME_OPENCL_UNIT", "64k", 1);
  TEST_FAILS(trm_device_open(test_context(), "opencl", &half, &device), TRM_ERROR_INVALID,
             "TRIREME_OPENCL_UNIT=64k: write BYTES:ITEMS");
  unsetenv("TRIREME_OPENCL_UNIT");
}

int main(int argc, char **argv)
{
  unsetenv("TRIREME_OPENCL_UNIT");
  unsetenv("POCL_CACHE_DIR"); /* with it PoCL keeps programs, and core none */
  static const test_case cases[] = {
    TEST_HOST(a_cached_binary_gives_the_bits_of_a_fresh_build),
    TEST_HOST(a_build_error_names_our_file_and_line),
    TEST_HOST(a_new_buffer_is_not_taken_for_one_that_is_gone),
    TEST_HOST(a_replay_does_what_its_launches_do),
    TEST_HOST(memory_is_refused_when_it_is_all_in_use_and_comes_back),
    TEST_HOST(a_kernel_is_held_to_what_its_groups_take_on_the_device),
    TEST_HOST(a_part_of_a_unit_needs_a_unit_and_a_group_that_can_fill_it),
  };
  return TEST_RUN(argc, argv, cases);
}
