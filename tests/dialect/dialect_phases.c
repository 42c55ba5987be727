/* dialect_phases.c - group kernels on every backend: groups in one to three dimensions, phases,
 * shared and private variables, one to twelve arrays, and the layout of parameters; bit for bit
 * what plain C computes, for every instruction set, forwards and backwards, every group size. */
#include "tests/dialect/dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define real double
#include "core/kernels/reduce_params.h"
#define lbm_params lbm_params_f64
#include "solvers/lbm/driven/lbm_params.h"
#undef lbm_params
#undef real
#define real float
#define lbm_params lbm_params_f32
#include "solvers/lbm/driven/lbm_params.h"
#undef lbm_params
#undef real

/* Counts below, at and above a group, none of them its multiple in every setting. */
static const int counts[] = { 1, 31, 64, 97, 256, 1000 };
enum { COUNTS = sizeof counts / sizeof *counts };

/* Runs a kernel of values f into values g and compares with want. */
static void check(const dialect_run *run, const char *kernel, const trm_extent *groups,
                  const dialect_params *params, const void *f, const void *want, size_t count)
{
  trm_buffer *buffers[2];
  size_t used = 0;
  if (f) buffers[used++] = dialect_upload(run, f, count * run->size);
  trm_buffer *out = buffers[used++] = dialect_poison(run, count * run->size);
  dialect_launch(run, kernel, groups->nx, groups->ny, groups->nz, params, buffers, used);
  dialect_expect(run, out, want, count);
  for (size_t i = 0; i < used; i++) trm_buffer_destroy(&buffers[i]);
}

/* ---- which group ----------------------------------------------------------------------- */

static void numbers_body(const dialect_run *run)
{
  static const struct { const char *kernel; trm_extent groups; int base; } kernels[] = {
    { "dialect_group_line", { 7, 1, 1, 0 }, 1000 },
    { "dialect_group_plane", { 5, 5, 1, 0 }, 100 },
    { "dialect_group_space", { 3, 3, 3, 0 }, 10 },
  };
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
    for (int i = 0; i < COUNTS; i++) {
      const trm_extent *groups = &kernels[k].groups;
      const size_t cells = (size_t)(groups->nx * groups->ny * groups->nz * counts[i]);
      const dialect_params params = { .count = counts[i], .sides = groups->nx };
      void *want = dialect_room(run, cells);
      run->want->group_numbers(want, groups->nx, groups->ny, groups->nz, counts[i],
                               kernels[k].base);
      check(run, kernels[k].kernel, groups, &params, NULL, want, cells);
      free(want);
    }
}

static void groups_know_their_numbers(trm_device *device)
{
  dialect_each(device, &dialect_groups_source, NULL, numbers_body);
}

/* ---- shared and private ---------------------------------------------------------------- */

static void transpose_body(const dialect_run *run)
{
  for (int sides = 1; sides <= 3; sides += 2) {
    const int across = sides * DIALECT_TILE_X, down = sides * DIALECT_TILE_Y;
    const size_t cells = (size_t)(across * down);
    const trm_extent groups = { sides, sides, 1, 0 };
    const dialect_params params = { .sides = sides };
    void *f = dialect_room(run, cells), *want = dialect_room(run, cells);
    run->want->numbers(f, cells, 6);
    run->want->transpose(f, want, across, down);
    check(run, "dialect_transpose", &groups, &params, f, want, cells);
    free(f);
    free(want);
  }
}

static void scan_body(const dialect_run *run)
{
  enum { GROUPS = 3 };
  for (int i = 0; i < COUNTS; i++) {
    const size_t cells = (size_t)(GROUPS * counts[i]);
    const trm_extent groups = { GROUPS, 1, 1, 0 };
    const dialect_params params = { .count = counts[i] };
    void *f = dialect_room(run, cells), *want = dialect_room(run, cells);
    run->want->numbers(f, cells, 7);
    run->want->scan(f, want, GROUPS, counts[i]);
    check(run, "dialect_scan", &groups, &params, f, want, cells);
    free(f);
    free(want);
  }
}

static void bring_body(const dialect_run *run)
{
  enum { GROUPS = 5, N = 64 };
  const trm_extent groups = { GROUPS, 1, 1, 0 };
  const dialect_params params = { .count = N };
  char *f = dialect_room(run, GROUPS * N), *want = dialect_room(run, GROUPS * N);
  run->want->numbers(f, GROUPS * N, 9);
  for (size_t i = 0; i < GROUPS * N; i++)
    memcpy(want + i * run->size, f + (i / N * N + N - 1 - i % N) * run->size, run->size);
  check(run, "dialect_bring", &groups, &params, f, want, GROUPS * N);
  free(f);
  free(want);
}

/* 768 values are a whole number of groups of 64, 128 and 256. */
static void pairs_body(const dialect_run *run)
{
  enum { N = 768 };
  const trm_extent groups = { N / run->info->group, 1, 1, 0 };
  const dialect_params params = { .count = N };
  void *f = dialect_room(run, N), *want = dialect_room(run, N);
  run->want->numbers(f, N, 8);
  run->want->pairs(f, want, N);
  check(run, "dialect_pairs", &groups, &params, f, want, N);
  free(f);
  free(want);
}

static void large_body(const dialect_run *run)
{
  enum { GROUPS = 3 };
  const int count = DIALECT_LARGE / (int)run->size;
  const size_t cells = (size_t)(GROUPS * count);
  const trm_extent groups = { GROUPS, 1, 1, 0 };
  const dialect_params params = { .count = count };
  void *f = dialect_room(run, cells), *want = dialect_room(run, cells);
  run->want->numbers(f, cells, 9);
  run->want->backwards(f, want, GROUPS, count);
  check(run, "dialect_large", &groups, &params, f, want, cells);
  free(f);
  free(want);
}

static void a_tile_goes_through_shared_memory(trm_device *device)
{
  dialect_each(device, &dialect_groups_source, NULL, transpose_body);
}

static void phases_over_any_count(trm_device *device)
{
  dialect_each(device, &dialect_groups_source, NULL, scan_body);
}

static void pieces_are_brought(trm_device *device)
{
  dialect_each(device, &dialect_groups_source, NULL, bring_body);
}

static void shared_memory_that_grows_with_the_group(trm_device *device)
{
  dialect_each(device, &dialect_groups_source, NULL, pairs_body);
}

/* OpenCL drivers give a kernel a fixed size at most: a refusal with the reason is right. */
static void more_than_48_kib_of_shared_memory(trm_device *device)
{
  const trm_program_options options = { .precision = TRM_F32, .math = TRM_STRICT };
  if (strcmp(test_backend(device), "opencl") == 0) {
    trm_program *program = NULL;
    trm_kernel *kernel = NULL;
    trm_status status = trm_program_create(device, &dialect_large_source, &options, &program);
    if (status == TRM_OK) status = trm_program_kernel(program, "dialect_large", &kernel);
    trm_program_destroy(&program);
    if (status == TRM_ERROR_UNSUPPORTED || status == TRM_ERROR_BUILD) {
      assert_non_null(strstr(trm_error_last()->text, "shared"));
      TEST_SKIP("%s", trm_error_last()->text);
    }
  }
  dialect_each(device, &dialect_large_source, NULL, large_body);
}

/* ---- arrays ---------------------------------------------------------------------------- */

static void arity_body(const dialect_run *run)
{
  enum { N = 97, MOST = TRM_MAX_BUFFERS };
  unsigned char *arrays = dialect_room(run, MOST * N);
  void *want = dialect_room(run, N);
  const dialect_params params = { .a = 0.3, .count = N };
  run->want->numbers(arrays, MOST * N, 4);
  for (int count = 1; count <= MOST; count++) {
    char name[32];
    trm_buffer *buffers[MOST];
    snprintf(name, sizeof name, "dialect_group%d", count);
    for (int k = 0; k < count - 1; k++)
      buffers[k] = dialect_upload(run, arrays + (size_t)k * N * run->size, N * run->size);
    buffers[count - 1] = dialect_poison(run, N * run->size);
    run->want->arity(arrays, count - 1, want, N, params.a);
    dialect_launch(run, name, 1, 1, 1, &params, buffers, (size_t)count);
    dialect_expect(run, buffers[count - 1], want, N);
    for (int k = 0; k < count; k++) trm_buffer_destroy(&buffers[k]);
  }
  free(arrays);
  free(want);
}

static void one_to_twelve_arrays_in_their_order(trm_device *device)
{
  dialect_each(device, &dialect_groups_source, NULL, arity_body);
}

/* ---- parameters ------------------------------------------------------------------------ */

/* Launches one group of a layout kernel; found[0 ... count) are the ints that it wrote. */
static void ask_layout(const dialect_run *run, const char *name, const void *params, size_t bytes,
                       trm_buffer *values, int *found, size_t count)
{
  const trm_extent one = { 1, 1, 1, 0 };
  trm_kernel *kernel = NULL;
  trm_buffer *buffers[2] = { dialect_poison(run, count * sizeof(int)), values };
  TEST_OK(trm_program_kernel(run->program, name, &kernel));
  TEST_OK(trm_kernel_launch(kernel, &one, params, bytes, buffers, values ? 2 : 1));
  TEST_OK(trm_buffer_read(buffers[0], 0, count * sizeof(int), found));
  trm_buffer_destroy(&buffers[0]);
}

/* The same members as the kernels', as this compiler lays them out: f32 and f64. */
typedef struct params_f32 {
#define real float
  DIALECT_MEMBERS(DIALECT_MEMBER)
} params_f32;
typedef struct mixed_f32 {
  DIALECT_MIXED_MEMBERS(DIALECT_MEMBER)
#undef real
} mixed_f32;

#define OFFSET_F32(type, name) \
  (int)offsetof(params_f32, name), (int)sizeof(((params_f32 *)0)->name),
#define OFFSET_F64(type, name) \
  (int)offsetof(dialect_params, name), (int)sizeof(((dialect_params *)0)->name),
#define MIXED_OFFSETS(s) \
  { (int)sizeof(s), (int)offsetof(s, weights), (int)offsetof(s, scale), (int)offsetof(s, shape), \
    (int)offsetof(s, flag), (int)offsetof(s, last), 11, -12, 13, 14, -15 }
#define LBM_OFFSETS(s) \
  { (int)sizeof(s), (int)offsetof(s, rest_pressure), (int)offsetof(s, first), \
    (int)offsetof(s, part) }

static void check_params(const dialect_run *run)
{
  static const int want_f32[] = { (int)sizeof(params_f32), DIALECT_MEMBERS(OFFSET_F32) };
  static const int want_f64[] = { (int)sizeof(dialect_params), DIALECT_MEMBERS(OFFSET_F64) };
  enum { COUNT = sizeof want_f32 / sizeof *want_f32 };
  const dialect_params params = { .a = 1.0 };
  unsigned char bytes[TRM_MAX_PARAM_BYTES];
  int found[COUNT];
  const size_t size = run->want->params(&params, bytes);
  ask_layout(run, "dialect_layout_params", bytes, size, NULL, found, COUNT);
  TEST_SAME_BITS(found, run->info->precision == TRM_F64 ? want_f64 : want_f32, COUNT,
                 TRM_TYPE_I32);
}

/* Every member is sent back as well. */
static void check_mixed(const dialect_run *run)
{
  static const int want_f32[] = MIXED_OFFSETS(mixed_f32), want_f64[] = MIXED_OFFSETS(dialect_mixed);
  enum { COUNT = sizeof want_f32 / sizeof *want_f32 };
  const dialect_mixed mixed = { { 0.1, -0.2, 0.3 }, 0.7, { 11, -12, 13 }, 14, -15 };
  static const float values_f32[] = { 0.1f, -0.2f, 0.3f, 0.7f };
  static const double values_f64[] = { 0.1, -0.2, 0.3, 0.7 };
  const int is_f64 = run->info->precision == TRM_F64;
  unsigned char bytes[TRM_MAX_PARAM_BYTES];
  int found[COUNT];
  const size_t size = run->want->mixed(&mixed, bytes);
  trm_buffer *values = dialect_poison(run, 4 * run->size);
  ask_layout(run, "dialect_layout_mixed", bytes, size, values, found, COUNT);
  TEST_SAME_BITS(found, is_f64 ? want_f64 : want_f32, COUNT, TRM_TYPE_I32);
  dialect_expect(run, values, is_f64 ? (const void *)values_f64 : values_f32, 4);
  trm_buffer_destroy(&values);
}

static void check_of_others(const dialect_run *run)
{
  static const int lbm_f32[] = LBM_OFFSETS(lbm_params_f32), lbm_f64[] = LBM_OFFSETS(lbm_params_f64);
  static const int reduce[] = { (int)sizeof(reduce_params), (int)offsetof(reduce_params, count),
                                (int)offsetof(reduce_params, from_row),
                                (int)offsetof(reduce_params, chunks) };
  static const unsigned char zeros[TRM_MAX_PARAM_BYTES];
  const int is_f64 = run->info->precision == TRM_F64;
  int found[4];
  ask_layout(run, "dialect_layout_lbm", zeros,
             is_f64 ? sizeof(lbm_params_f64) : sizeof(lbm_params_f32), NULL, found, 4);
  TEST_SAME_BITS(found, is_f64 ? lbm_f64 : lbm_f32, 4, TRM_TYPE_I32);
  ask_layout(run, "dialect_layout_reduce", zeros, sizeof(reduce_params), NULL, found, 4);
  TEST_SAME_BITS(found, reduce, 4, TRM_TYPE_I32);
}

static void layout_body(const dialect_run *run)
{
  check_params(run);
  check_mixed(run);
  check_of_others(run);
}

static void parameters_lie_where_the_host_put_them(trm_device *device)
{
  dialect_each(device, &dialect_groups_source, NULL, layout_body);
}

/* ---- the tests' own eyes --------------------------------------------------------------- */

static void the_reverse_instance_shows_a_race_between_items(void)
{
  float start[256];
  for (int i = 0; i < 256; i++) start[i] = (float)(i * i);
  dialect_expect_race(&dialect_groups_source, "dialect_racy_group", 1, start, 256);
}

static void three_threads_and_poisoned_buffers_change_nothing(void)
{
  static dialect_body *const bodies[] = { numbers_body, transpose_body, scan_body, bring_body,
                                          pairs_body, NULL };
  static dialect_body *const large[] = { large_body, NULL };
  dialect_each_checked(&dialect_groups_source, bodies);
  dialect_each_checked(&dialect_large_source, large);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(groups_know_their_numbers),
    TEST_DEVICE(a_tile_goes_through_shared_memory),
    TEST_DEVICE(phases_over_any_count),
    TEST_DEVICE(pieces_are_brought),
    TEST_DEVICE(shared_memory_that_grows_with_the_group),
    TEST_DEVICE(more_than_48_kib_of_shared_memory),
    TEST_DEVICE(one_to_twelve_arrays_in_their_order),
    TEST_DEVICE(parameters_lie_where_the_host_put_them),
    TEST_HOST(the_reverse_instance_shows_a_race_between_items),
    TEST_HOST(three_threads_and_poisoned_buffers_change_nothing),
  };
  return TEST_RUN(argc, argv, cases);
}
