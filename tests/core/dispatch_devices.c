/* dispatch_devices.c - names of devices, layouts of fields, host instances, the program cache, and
 * the record of errors. */
#include "tests/core/dispatch.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors and names ----------------------------------------------------- */

static trm_status fails_deep_down(void) { return TRM_FAIL(INPUT, "case.conf:%d: no such key", 12); }
static trm_status passes_it_on(void)
{
  TRM_TRY(fails_deep_down());
  return TRM_OK;
}

static void an_error_says_where_and_may_quote_the_one_before(void)
{
  assert_int_equal(passes_it_on(), TRM_ERROR_INPUT);
  const trm_error *error = trm_error_last();
  assert_string_equal(error->text, "case.conf:12: no such key");
  assert_non_null(strstr(error->file, "dispatch_devices.c"));
  assert_true(error->line > 0);
  assert_int_equal(TRM_FAIL(IO, "while reading: %s", trm_error_last()->text), TRM_ERROR_IO);
  assert_string_equal(trm_error_last()->text, "while reading: case.conf:12: no such key");
}

/* printf knows a sign of it, which differs between processors. */
static void what_is_not_a_number_has_no_sign_in_an_error(void)
{
  const double none = copysign((double)NAN, -1);
  (void)TRM_FAIL(INPUT, "speed = %g in run-nan of (%g, %.3f): %e", none, none, none, none);
  assert_string_equal(trm_error_last()->text, "speed = nan in run-nan of (nan, nan): nan");
  (void)TRM_FAIL(INPUT, "%f", none);
  assert_string_equal(trm_error_last()->text, "nan");
}

static void *other_thread(void *argument)
{
  (void)argument;
  const int clean = trm_error_last()->status == TRM_OK;
  (void)TRM_FAIL(INVALID, "of the other thread");
  return clean ? NULL : (void *)trm_error_last();
}

static void each_thread_has_its_own_last_error(void)
{
  pthread_t thread;
  void *result = NULL;
  (void)TRM_FAIL(INPUT, "of this thread");
  assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
  assert_int_equal(pthread_join(thread, &result), 0);
  assert_null(result);
  assert_string_equal(trm_error_last()->text, "of this thread");
}

static void sizes_that_do_not_fit_are_named(void)
{
  size_t out = 5;
  TEST_OK(trm_size_mul(6, 7, "cells", &out));
  assert_int_equal(out, 42);
  TEST_OK(trm_size_mul(0, SIZE_MAX, "cells", &out));
  assert_int_equal(out, 0);
  TEST_OK(trm_size_add(SIZE_MAX - 1, 1, "cells", &out));
  TEST_FAILS(trm_size_mul(SIZE_MAX / 2, 3, "nx * ny", &out), TRM_ERROR_OVERFLOW, "nx * ny: ");
  TEST_FAILS(trm_size_add(SIZE_MAX, 1, "rows", &out), TRM_ERROR_OVERFLOW, "rows: ");
  assert_true(out == SIZE_MAX);
}

static void everything_has_a_name(void)
{
  for (int s = 0; s < TRM_STATUS_COUNT; s++) assert_non_null(trm_status_text((trm_status)s));
  for (int s = 0; s < TRM_BACKEND_STATE_COUNT; s++)
    assert_non_null(trm_backend_state_text((trm_backend_state)s));
  assert_string_equal(trm_status_text((trm_status)999), "unknown status");
  assert_string_equal(trm_backend_state_text(TRM_BACKEND_NO_DRIVER), "no driver");
  assert_string_equal(trm_precision_name(TRM_F64), "f64");
  assert_string_equal(trm_math_name(TRM_FAST), "fast");
  assert_string_equal(trm_type_name(TRM_TYPE_U8), "u8");
  assert_int_equal(trm_type_size(TRM_TYPE_F64), 8);
  assert_int_equal(trm_type_size((trm_type)99), 0);
  assert_int_equal(trm_real_type(TRM_F64), TRM_TYPE_F64);
  assert_string_equal(trm_version(), "0.1.0");
}

/* ---- devices by name ------------------------------------------------------ */

static trm_status try_open(const char *format, const char *backend)
{
  char name[200];
  trm_device *device = NULL;
  snprintf(name, sizeof name, format, backend);
  const trm_status status = trm_device_open(test_context(), name, NULL, &device);
  trm_device_close(&device);
  return status;
}

static void a_device_is_found_by_number_and_by_part_of_its_name(trm_device *device)
{
  const trm_device_info *info = trm_device_describe(device);
  char name[200];
  trm_device *again = NULL;
  TEST_OK(try_open("%s:0", info->backend));
  snprintf(name, sizeof name, "%s:%s", info->backend, info->name);
  for (char *at = name + strlen(info->backend); *at; at++)
    if (*at >= 'a' && *at <= 'z') *at = (char)(*at - 'a' + 'A');
  TEST_OK(trm_device_open(test_context(), name, NULL, &again));
  assert_string_equal(trm_device_describe(again)->name, info->name);
  trm_device_close(&again);
}

static void a_device_that_is_not_there_is_met_with_those_that_are(trm_device *device)
{
  const trm_device_info *info = trm_device_describe(device);
  TEST_FAILS(try_open("%s:7000", info->backend), TRM_ERROR_NOT_FOUND, ":7000\": there");
  assert_non_null(strstr(trm_error_last()->text, info->name));
  TEST_FAILS(try_open("%s:99999999999999999999999", info->backend), TRM_ERROR_NOT_FOUND, "there");
  TEST_FAILS(try_open("%s:no such name", info->backend), TRM_ERROR_NOT_FOUND,
             "contains \"no such name\"");
  TEST_FAILS(try_open("%s:", info->backend), TRM_ERROR_INVALID, "after the colon comes a number");
}

static void a_wrong_backend_is_met_with_the_nearest_name(void)
{
  TEST_FAILS(try_open("%s", "opnmp"), TRM_ERROR_NOT_FOUND, "openmp");
  TEST_FAILS(try_open("%s", ""), TRM_ERROR_INVALID, "a device is BACKEND");
  TEST_FAILS(try_open("%s:0", ""), TRM_ERROR_INVALID, "a device is BACKEND");
  TEST_FAILS(try_open("%s", "a-name-much-longer-than-any-backend-has"), TRM_ERROR_INVALID,
             "a device is BACKEND");
}

static void the_list_of_devices_has_every_ready_one(trm_device *device)
{
  const trm_device_info *list;
  size_t count, found = 0;
  TEST_OK(trm_device_list(test_context(), &list, &count));
  for (size_t i = 0; i < count; i++)
    found += strcmp(list[i].backend, test_backend(device)) == 0 && list[i].index == 0;
  assert_int_equal(found, 1);
}

static void negative_options_are_refused(trm_device *device)
{
  trm_device *other = NULL;
  trm_device_options options = { .threads = -1 };
  TEST_FAILS(trm_device_open(test_context(), test_backend(device), &options, &other),
             TRM_ERROR_INVALID, "-1 threads");
  options = (trm_device_options){ .wavefront = -2 };
  TEST_FAILS(trm_device_open(test_context(), test_backend(device), &options, &other),
             TRM_ERROR_INVALID, "wavefront -2");
}

/* ---- layouts -------------------------------------------------------------- */

static void check_layout(const trm_device *device, trm_type type, size_t nx, size_t ny, size_t nz,
                         size_t components, size_t wanted)
{
  const trm_device_info *info = trm_device_describe(device);
  const size_t size = trm_type_size(type), ghosts = info->ghost_columns ? wanted : 0;
  const size_t align = (size_t)info->row_align_bytes;
  trm_layout l;
  if (wanted == 1) TEST_OK(trm_layout_rows(device, type, nx, ny, nz, components, &l));
  else TEST_OK(trm_layout_ghosts(device, type, nx, ny, nz, components, wanted, &l));
  assert_int_equal(l.ghosts, ghosts);
  assert_int_equal(l.first * size % align, 0);
  assert_int_equal(l.row * size % align, 0);
  assert_int_equal(l.component * size % align, 0);
  assert_true(l.first >= ghosts);
  assert_true(l.row >= nx + 2 * ghosts);
  assert_true(l.component >= l.row * ny * nz);
  /* the last cell and its ghosts */
  assert_true(l.first + (components - 1) * l.component + (ny * nz - 1) * l.row + nx + ghosts <=
              l.elements);
  if (ghosts) assert_int_not_equal(l.row * size % 256, 0);
  if (components > 1) assert_int_not_equal(l.component * size % 4096, 0);
}

static void rows_are_aligned_and_strides_are_no_powers_of_two(trm_device *device)
{
  static const size_t sides[] = { 1, 2, 31, 61, 64, 97, 128, 130, 256, 510, 1022, 1024, 4096 };
  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
    for (int type = TRM_TYPE_F32; type <= TRM_TYPE_U8; type++) {
      check_layout(device, (trm_type)type, sides[i], sides[i], 1, 9, 1);
      check_layout(device, (trm_type)type, sides[i], 3, 5, 1, 1);
      check_layout(device, (trm_type)type, sides[i], 3, 5, 2, 2);
      check_layout(device, (trm_type)type, sides[i], 3, 5, 2, 9);
      check_layout(device, (trm_type)type, sides[i], 4, 1, 1, 70);
    }
}

static void padding_of_a_large_field_stays_under_two_percent(trm_device *device)
{
  trm_layout l;
  const double cells = 9.0 * 4096 * 4096;
  TEST_OK(trm_layout_rows(device, TRM_TYPE_F32, 4096, 4096, 1, 9, &l));
  assert_true((double)l.elements <= 1.02 * cells);
}

static void layouts_that_do_not_fit_a_size_are_refused(trm_device *device)
{
  trm_layout l = { 1, 2, 3, 4, 5 };
  TEST_FAILS(trm_layout_rows(device, TRM_TYPE_F64, (size_t)1 << 32, (size_t)1 << 32, 1, 1, &l),
             TRM_ERROR_OVERFLOW, "trm_layout_rows");
  TEST_FAILS(trm_layout_rows(device, TRM_TYPE_F64, (size_t)1 << 31, (size_t)1 << 31, 1, 1, &l),
             TRM_ERROR_OVERFLOW, "trm_layout_rows: bytes");
  TEST_FAILS(trm_layout_rows(device, TRM_TYPE_F64, SIZE_MAX, 1, 1, 1, &l), TRM_ERROR_OVERFLOW,
             "nx");
  TEST_FAILS(trm_layout_rows(device, TRM_TYPE_F64, 1, SIZE_MAX, 2, 1, &l), TRM_ERROR_OVERFLOW,
             "ny * nz");
  if (trm_device_describe(device)->ghost_columns)
    TEST_FAILS(trm_layout_ghosts(device, TRM_TYPE_F64, 4, 4, 1, 1, 1025, &l), TRM_ERROR_INVALID,
               "1025 ghost columns");
  TEST_FAILS(trm_layout_rows(device, TRM_TYPE_F64, 4, 0, 1, 1, &l), TRM_ERROR_INVALID,
             "1 components of 4 x 0 x 1 cells");
  TEST_FAILS(trm_layout_rows(device, (trm_type)9, 4, 4, 1, 1, &l), TRM_ERROR_INVALID,
             "unknown type 9");
  assert_int_equal(l.elements, 4);
}

/* ---- host instances ------------------------------------------------------- */

static trm_status isa_of(trm_device *device, const char *isa, trm_math math, char *text)
{
  const trm_program_options options = { .precision = TRM_F32, .math = math };
  trm_program *program = NULL;
  setenv("TRIREME_ISA", isa, 1);
  const trm_status status = trm_program_create(device, &dispatch_source, &options, &program);
  unsetenv("TRIREME_ISA");
  if (status != TRM_OK) return status;
  snprintf(text, 32, "%s", trm_program_describe(program)->isa);
  trm_program_destroy(&program);
  return TRM_OK;
}

static int has_instance(const char *isa)
{
  for (const trm_host_module *const *m = dispatch_source.modules; *m; m++)
    if (strcmp((*m)->isa, isa) == 0) return 1;
  return 0;
}

static void trireme_isa_picks_the_host_instance(trm_device *device)
{
  static const char *const sets[] = { "baseline", "reverse" };
  char text[32];
  if (!trm_device_describe(device)->is_host) TEST_SKIP("host instances are not run here");
  TEST_OK(isa_of(device, "", TRM_STRICT, text));
  assert_string_equal(text, trm_device_describe(device)->isa);
  for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
    if (has_instance(sets[i])) {
      TEST_OK(isa_of(device, sets[i], TRM_STRICT, text));
      assert_string_equal(text, sets[i]);
    } else {
      TEST_FAILS(isa_of(device, sets[i], TRM_STRICT, text), TRM_ERROR_UNSUPPORTED,
                 "this processor, or this build (configure --with-isa), lacks");
    }
  if (has_instance("reverse"))
    TEST_FAILS(isa_of(device, "reverse", TRM_FAST, text), TRM_ERROR_NOT_FOUND,
               "no host instance for f32 fast that is the one of TRIREME_ISA; there ");
  TEST_FAILS(isa_of(device, "sse2", TRM_STRICT, text), TRM_ERROR_INVALID,
             "TRIREME_ISA=sse2: no such instruction set; there are baseline");
}

static void the_reverse_instance_is_never_taken_unasked(trm_device *device)
{
  const trm_program_options options = { .precision = TRM_F32 };
  const trm_host_module *only[2] = { NULL, NULL };
  trm_program_source source = dispatch_source;
  trm_program *program = NULL;
  if (!trm_device_describe(device)->is_host) TEST_SKIP("host instances are not run here");
  for (const trm_host_module *const *m = dispatch_source.modules; *m; m++)
    if (strcmp((*m)->isa, "reverse") == 0 && (*m)->precision == TRM_F32 && !(*m)->variant[0])
      only[0] = *m;
  if (!only[0]) TEST_SKIP("this build has no reverse instances (configure --with-isa)");
  source.modules = only;
  TEST_FAILS(trm_program_create(device, &source, &options, &program), TRM_ERROR_NOT_FOUND,
             "no host instance for f32 strict that this processor can run; there is reverse; "
             "compile one that it runs");
}

static void a_variant_is_another_instance(trm_device *device)
{
  const trm_program_options options = { .precision = TRM_F32, .variant = "twice" };
  dispatch_field field;
  trm_program *program = NULL;
  dispatch_open(device, &field);
  TEST_OK(trm_program_create(device, &dispatch_source, &options, &program));
  assert_string_equal(trm_program_describe(program)->variant, "twice");
  TEST_OK(trm_program_kernel(program, "dispatch_scale", &field.scale));
  TEST_OK(dispatch_scale(&field, field.f, field.g, 3.0f));
  dispatch_expect(&field, field.g, 6.0f);
  trm_program_destroy(&program);
  dispatch_close(&field);
}

static void group_shapes_are_told_as_built(trm_device *device)
{
  const trm_program_options options = {
    .precision = TRM_F32, .row_group_x = 96, .row_group_y = 2, .group = 96
  };
  const trm_device_info *info = trm_device_describe(device);
  trm_program *program = NULL;
  TEST_OK(trm_program_create(device, &dispatch_source, &options, &program));
  const trm_program_info *built = trm_program_describe(program);
  assert_int_equal(built->row_group_x, info->is_host ? info->row_group_x : 96);
  assert_int_equal(built->row_group_y, info->is_host ? info->row_group_y : 2);
  assert_int_equal(built->group, info->is_host ? dispatch_source.modules[0]->group : 96);
  trm_program_destroy(&program);
}

static void a_group_kernel_runs_every_group(trm_device *device)
{
  enum { GROUPS = 7, COUNT = 50 };
  const trm_program_options options = { .precision = TRM_F32 };
  const dispatch_params params = { .first = 0, .factor = 0.5f, .count = COUNT };
  const trm_extent extent = { GROUPS, 1, 1, 0 };
  trm_program *program = NULL;
  trm_kernel *kernel = NULL;
  trm_buffer *out = NULL;
  float found[GROUPS * COUNT];
  TEST_OK(trm_program_create(device, &dispatch_source, &options, &program));
  TEST_OK(trm_program_kernel(program, "dispatch_number", &kernel));
  TEST_OK(trm_buffer_create(device, sizeof found, "out", &out));
  TEST_OK(trm_kernel_launch(kernel, &extent, &params, sizeof params, &out, 1));
  TEST_OK(trm_buffer_read(out, 0, sizeof found, found));
  for (int i = 0; i < GROUPS * COUNT; i++) assert_true(found[i] == 0.5f * (float)(i / COUNT));
  trm_buffer_destroy(&out);
  trm_program_destroy(&program);
}

/* ---- the program cache ---------------------------------------------------- */

static int from_cache(const trm_context_options *context_options, const char *backend)
{
  const trm_program_options options = { .precision = TRM_F32 };
  trm_context *context = NULL;
  trm_device *device = NULL;
  trm_program *program = NULL;
  TEST_OK(trm_context_create(context_options, &context));
  TEST_OK(trm_device_open(context, backend, NULL, &device));
  trm_context_destroy(&context);
  TEST_OK(trm_program_create(device, &dispatch_source, &options, &program));
  assert_true(trm_program_describe(program)->build_seconds >= 0.0);
  const int result = trm_program_describe(program)->from_cache;
  trm_program_destroy(&program);
  trm_device_close(&device);
  return result;
}

static void a_program_built_before_comes_from_the_cache(trm_device *device)
{
  const trm_context_options no_cache = { .no_cache = 1 };
  const char *before = getenv("TRIREME_CACHE_DIR");
  char old[512] = "";
  if (trm_device_describe(device)->is_host) TEST_SKIP("host programs are not built at run time");
  if (before) snprintf(old, sizeof old, "%s", before);
  setenv("TRIREME_CACHE_DIR", test_folder(), 1);
  assert_int_equal(from_cache(NULL, test_backend(device)), 0);
  assert_int_equal(from_cache(NULL, test_backend(device)), 1);
  assert_int_equal(from_cache(&no_cache, test_backend(device)), 0);
  if (before) setenv("TRIREME_CACHE_DIR", old, 1);
  else unsetenv("TRIREME_CACHE_DIR");
}

int main(int argc, char **argv)
{
  unsetenv("POCL_CACHE_DIR"); /* with it PoCL keeps programs, and core none */
  static const test_case cases[] = {
    TEST_HOST(an_error_says_where_and_may_quote_the_one_before),
    TEST_HOST(what_is_not_a_number_has_no_sign_in_an_error),
    TEST_HOST(each_thread_has_its_own_last_error),
    TEST_HOST(sizes_that_do_not_fit_are_named),
    TEST_HOST(everything_has_a_name),
    TEST_HOST(a_wrong_backend_is_met_with_the_nearest_name),
    TEST_DEVICE(a_device_is_found_by_number_and_by_part_of_its_name),
    TEST_DEVICE(a_device_that_is_not_there_is_met_with_those_that_are),
    TEST_DEVICE(the_list_of_devices_has_every_ready_one),
    TEST_DEVICE(negative_options_are_refused),
    TEST_DEVICE(rows_are_aligned_and_strides_are_no_powers_of_two),
    TEST_DEVICE(padding_of_a_large_field_stays_under_two_percent),
    TEST_DEVICE(layouts_that_do_not_fit_a_size_are_refused),
    TEST_DEVICE(trireme_isa_picks_the_host_instance),
    TEST_DEVICE(the_reverse_instance_is_never_taken_unasked),
    TEST_DEVICE(a_variant_is_another_instance),
    TEST_DEVICE(group_shapes_are_told_as_built),
    TEST_DEVICE(a_group_kernel_runs_every_group),
    TEST_DEVICE(a_program_built_before_comes_from_the_cache),
  };
  return TEST_RUN(argc, argv, cases);
}
