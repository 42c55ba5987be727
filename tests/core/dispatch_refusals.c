/* dispatch_refusals.c - wrong use is caught in core, before any backend, with the same words on
 * every device. */
#include "tests/core/dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/program_text.h"
#include "core/sharing.h"

/* ---- buffers -------------------------------------------------------------- */

static void a_buffer_of_no_bytes_is_refused(trm_device *device)
{
  trm_buffer *buffer = NULL;
  TEST_FAILS(trm_buffer_create(device, 0, "cells", &buffer), TRM_ERROR_INVALID,
             "buffer \"cells\" has no bytes");
  assert_null(buffer);
}

static void a_buffer_too_large_for_the_device_says_what_is_available(trm_device *device)
{
  trm_buffer *buffer = NULL;
  const size_t bytes = (size_t)1 << 50;
  TEST_FAILS(trm_buffer_create(device, bytes, "lattice", &buffer), TRM_ERROR_NO_DEVICE_MEMORY,
             "buffer \"lattice\" needs 1048576.0 GiB");
  assert_non_null(strstr(trm_error_last()->text, "iB"));
  assert_null(buffer);
}

static void ranges_outside_a_buffer_are_refused(trm_device *device)
{
  trm_buffer *buffer = NULL;
  char bytes[64] = "";
  TEST_OK(trm_buffer_create(device, 64, "cells", &buffer));
  TEST_FAILS(trm_buffer_write(buffer, 8, 64, bytes), TRM_ERROR_INVALID,
             "trm_buffer_write: 64 bytes from offset 8 do not lie inside buffer \"cells\" of 64");
  TEST_FAILS(trm_buffer_read(buffer, 65, 0, bytes), TRM_ERROR_INVALID, "offset 65");
  TEST_FAILS(trm_buffer_read(buffer, 8, SIZE_MAX, bytes), TRM_ERROR_INVALID, "do not lie inside");
  TEST_FAILS(trm_buffer_read(buffer, SIZE_MAX, 8, bytes), TRM_ERROR_INVALID, "do not lie inside");
  TEST_FAILS(trm_buffer_fill(buffer, 60, 8, bytes, 4), TRM_ERROR_INVALID, "trm_buffer_fill: 8");
  TEST_FAILS(trm_buffer_copy(buffer, 60, buffer, 0, 8), TRM_ERROR_INVALID, "destination: 8");
  TEST_FAILS(trm_buffer_copy(buffer, 0, buffer, 60, 8), TRM_ERROR_INVALID, "source: 8");
  TEST_FAILS(trm_buffer_write(buffer, 0, 8, NULL), TRM_ERROR_INVALID, "source is NULL");
  TEST_FAILS(trm_buffer_read(buffer, 0, 8, NULL), TRM_ERROR_INVALID, "destination is NULL");
  TEST_OK(trm_buffer_write(buffer, 64, 0, bytes));
  assert_int_equal(trm_buffer_bytes(buffer), 64);
  trm_buffer_destroy(&buffer);
  assert_null(buffer);
  trm_buffer_destroy(&buffer);
}

static void crooked_fills_are_refused(trm_device *device)
{
  trm_buffer *buffer = NULL;
  const double pattern = 1.0;
  TEST_OK(trm_buffer_create(device, 64, "cells", &buffer));
  TEST_FAILS(trm_buffer_fill(buffer, 0, 12, &pattern, 3), TRM_ERROR_INVALID,
             "a pattern has 1, 2, 4 or 8 bytes, not 3");
  TEST_FAILS(trm_buffer_fill(buffer, 0, 12, &pattern, 0), TRM_ERROR_INVALID, "not 0");
  TEST_FAILS(trm_buffer_fill(buffer, 4, 16, &pattern, 8), TRM_ERROR_INVALID,
             "offset 4 and bytes 16 are not both multiples of the pattern's 8");
  TEST_FAILS(trm_buffer_fill(buffer, 8, 12, &pattern, 8), TRM_ERROR_INVALID, "bytes 12");
  TEST_FAILS(trm_buffer_fill(buffer, 0, 8, NULL, 8), TRM_ERROR_INVALID, "pattern is NULL");
  trm_buffer_destroy(&buffer);
}

static void copies_that_overlap_are_refused(trm_device *device)
{
  trm_buffer *buffer = NULL;
  unsigned char bytes[16];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)i;
  TEST_OK(trm_buffer_create(device, 16, "cells", &buffer));
  TEST_OK(trm_buffer_write(buffer, 0, 16, bytes));
  TEST_FAILS(trm_buffer_copy(buffer, 4, buffer, 0, 8), TRM_ERROR_INVALID, "overlap");
  TEST_FAILS(trm_buffer_copy(buffer, 0, buffer, 4, 8), TRM_ERROR_INVALID, "\"cells\" overlap");
  TEST_OK(trm_buffer_copy(buffer, 8, buffer, 0, 8));
  TEST_OK(trm_buffer_read(buffer, 0, 16, bytes));
  assert_memory_equal(bytes, bytes + 8, 8);
  trm_buffer_destroy(&buffer);
}

static void buffers_of_two_devices_do_not_mix(trm_device *device)
{
  dispatch_field field;
  trm_device *other = test_open(test_backend(device), NULL);
  trm_buffer *there = NULL;
  dispatch_open(device, &field);
  TEST_OK(trm_buffer_create(other, trm_buffer_bytes(field.f), "there", &there));
  TEST_FAILS(trm_buffer_copy(there, 0, field.f, 0, 8), TRM_ERROR_INVALID,
             "buffers \"there\" and \"f\" belong to different devices");
  TEST_FAILS(dispatch_scale(&field, field.f, there, 1.0f), TRM_ERROR_INVALID,
             "launch of dispatch_scale: buffer \"there\" belongs to another device");
  trm_buffer_destroy(&there);
  trm_device_close(&other);
  dispatch_close(&field);
}

/* ---- launches ------------------------------------------------------------- */

static trm_status launch(dispatch_field *field, trm_extent extent, size_t param_bytes,
                         size_t buffer_count)
{
  trm_buffer *const buffers[] = { field->f, field->g, field->f };
  return trm_kernel_launch(field->scale, &extent, &field->params, param_bytes, buffers,
                           buffer_count);
}

static void extents_are_at_least_one(trm_device *device)
{
  dispatch_field field;
  const size_t bytes = sizeof field.params;
  dispatch_open(device, &field);
  TEST_FAILS(launch(&field, (trm_extent){ 0, 1, 1, 0 }, bytes, 2), TRM_ERROR_INVALID,
             "launch of dispatch_scale: extent 0 x 1 x 1; each is 1 or more");
  TEST_FAILS(launch(&field, (trm_extent){ 1, -4, 1, 0 }, bytes, 2), TRM_ERROR_INVALID, "1 x -4");
  TEST_FAILS(launch(&field, (trm_extent){ 1, 1, 0, 0 }, bytes, 2), TRM_ERROR_INVALID, "1 x 1 x 0");
  TEST_FAILS(launch(&field, (trm_extent){ INT32_MAX, INT32_MAX, INT32_MAX, 0 }, bytes, 2),
             TRM_ERROR_OVERFLOW, "more points than can be counted");
  dispatch_close(&field);
}

static void arguments_are_held_against_the_declaration(trm_device *device)
{
  dispatch_field field;
  trm_buffer *none[2] = { NULL, NULL };
  dispatch_open(device, &field);
  const size_t bytes = sizeof field.params;
  TEST_FAILS(launch(&field, field.extent, bytes - 1, 2), TRM_ERROR_INVALID,
             "bytes of parameters, the kernel declares 24");
  TEST_FAILS(launch(&field, field.extent, bytes, 1), TRM_ERROR_INVALID,
             "launch of dispatch_scale: 1 buffers, the kernel declares 2");
  TEST_FAILS(launch(&field, field.extent, bytes, 3), TRM_ERROR_INVALID, "3 buffers");
  TEST_FAILS(trm_kernel_launch(field.scale, &field.extent, NULL, bytes, none, 2),
             TRM_ERROR_INVALID, "params is NULL");
  TEST_FAILS(trm_kernel_launch(field.scale, &field.extent, &field.params, bytes, NULL, 2),
             TRM_ERROR_INVALID, "buffers is NULL");
  TEST_FAILS(trm_kernel_launch(field.scale, &field.extent, &field.params, bytes, none, 2),
             TRM_ERROR_INVALID, "buffer argument 0 is NULL");
  TEST_FAILS(trm_kernel_launch(field.scale, NULL, &field.params, bytes, none, 2),
             TRM_ERROR_INVALID, "extent is NULL");
  TEST_FAILS(trm_kernel_launch(NULL, &field.extent, &field.params, bytes, none, 2),
             TRM_ERROR_INVALID, "kernel is NULL");
  dispatch_close(&field);
}

static void a_written_buffer_is_passed_once_a_read_one_as_often_as_wanted(trm_device *device)
{
  dispatch_field field;
  dispatch_open(device, &field);
  TEST_FAILS(dispatch_scale(&field, field.f, field.f, 1.0f), TRM_ERROR_INVALID,
             "buffer \"f\" is argument 0 and argument 1, and one of them is written");
  trm_buffer *const buffers[] = { field.f, field.f, field.g };
  TEST_OK(trm_kernel_launch(field.add, &field.extent, &field.params, sizeof field.params, buffers,
                            3));
  dispatch_expect(&field, field.g, 2.0f);
  dispatch_close(&field);
}

/* ---- programs ------------------------------------------------------------- */

static trm_status build(trm_device *device, const trm_program_source *source,
                        trm_program_options options)
{
  trm_program *program = NULL;
  const trm_status status = trm_program_create(device, source, &options, &program);
  if (status != TRM_OK) assert_null(program);
  trm_program_destroy(&program);
  return status;
}

static uint64_t text_of(trm_device *device, const char *text, int row_group_x)
{
  trm_program_source source = dispatch_source;
  trm_program *program = NULL;
  source.text = text;
  TEST_OK(trm_program_create(device, &source,
                             &(trm_program_options){.precision = TRM_F32, .math = TRM_STRICT,
                                                    .row_group_x = row_group_x}, &program));
  const uint64_t hash = trmi_program_text(trm_program_describe(program));
  trm_program_destroy(&program);
  return hash;
}

static void a_program_is_known_by_its_text_in_any_shape(trm_device *device)
{
  char *other = NULL;
  const uint64_t own = text_of(device, dispatch_source.text, 64);
  assert_true(asprintf(&other, "%s\n/* one comment more */\n", dispatch_source.text) > 0);
  assert_true(own != 0);
  assert_true(text_of(device, dispatch_source.text, 128) == own);
  assert_true(text_of(device, other, 64) != own);
  assert_true(trmi_program_text(NULL) == 0);
  free(other);
}

static void an_unknown_kernel_is_met_with_the_nearest_name(trm_device *device)
{
  dispatch_field field;
  trm_kernel *kernel = NULL;
  dispatch_open(device, &field);
  TEST_FAILS(trm_program_kernel(field.program, "dispatch_scael", &kernel), TRM_ERROR_NOT_FOUND,
             "no kernel \"dispatch_scael\" (did you mean \"dispatch_scale\"?); it has "
             "dispatch_scale, dispatch_add, dispatch_number");
  assert_null(kernel);
  assert_string_equal(trm_kernel_name(field.add), "dispatch_add");
  dispatch_close(&field);
}

static void an_unknown_variant_is_met_with_those_there_are(trm_device *device)
{
  TEST_FAILS(build(device, &dispatch_source, (trm_program_options){ .variant = "twise" }),
             TRM_ERROR_NOT_FOUND, "no variant \"twise\" for f32 strict (did you mean \"twice\"?)");
  assert_non_null(strstr(trm_error_last()->text, "there are \"\" (the default), twice"));
  TEST_FAILS(build(device, &dispatch_source, (trm_program_options){ .variant = "a b" }),
             TRM_ERROR_INVALID, "not a word of letters");
}

static void group_shapes_are_whole_warps(trm_device *device)
{
  const trm_program_source *source = &dispatch_source;
  TEST_FAILS(build(device, source, (trm_program_options){ .row_group_x = 48 }), TRM_ERROR_INVALID,
             "row group 48 x");
  TEST_FAILS(build(device, source, (trm_program_options){ .row_group_x = -32 }), TRM_ERROR_INVALID,
             "x is a multiple of 32");
  TEST_FAILS(build(device, source,
                   (trm_program_options){ .row_group_x = 64, .row_group_y = 17 }),
             TRM_ERROR_INVALID, "row group 64 x 17: y is 1 or more and x times y at most 1024");
  TEST_FAILS(build(device, source, (trm_program_options){ .group = 100 }), TRM_ERROR_INVALID,
             "group 100: a group is a multiple of 32");
  TEST_FAILS(build(device, source, (trm_program_options){ .group = 2048 }), TRM_ERROR_INVALID,
             "group 2048");
}

static void unknown_precisions_and_arithmetics_are_refused(trm_device *device)
{
  const trm_program_options precision = { .precision = (trm_precision)7 };
  const trm_program_options math = { .math = (trm_math)7 };
  TEST_FAILS(build(device, &dispatch_source, precision), TRM_ERROR_INVALID, "unknown precision 7");
  TEST_FAILS(build(device, &dispatch_source, math), TRM_ERROR_INVALID, "unknown arithmetic 7");
}

/* Damaged tables, as an author outside the tree might write them. */
static void damaged_host_tables_are_refused(trm_device *device)
{
  trm_host_kernel kernels[2] = { dispatch_source.modules[0]->kernels[0],
                                 dispatch_source.modules[0]->kernels[1] };
  trm_host_module module = *dispatch_source.modules[0];
  const trm_host_module *const modules[] = { &module, NULL };
  trm_program_source source = dispatch_source;
  const trm_program_options options = { .precision = module.precision, .math = module.math };
  source.modules = modules;
  module.kernels = kernels;
  module.kernel_count = 2;
  TEST_OK(build(device, &source, options));
  module.abi++;
  TEST_FAILS(build(device, &source, options), TRM_ERROR_INVALID, "compiled for module ABI 6");
  module.abi--;
  kernels[1].name = kernels[0].name;
  TEST_FAILS(build(device, &source, options), TRM_ERROR_INVALID,
             "two kernels named dispatch_scale");
  kernels[1] = dispatch_source.modules[0]->kernels[1];
  kernels[1].access = "rw";
  TEST_FAILS(build(device, &source, options), TRM_ERROR_INVALID, "access \"rw\" is not one letter");
  kernels[1] = dispatch_source.modules[0]->kernels[1];
  kernels[1].buffer_count = TRM_MAX_BUFFERS + 1;
  TEST_FAILS(build(device, &source, options), TRM_ERROR_INVALID, "13 buffers");
  kernels[1] = dispatch_source.modules[0]->kernels[1];
  kernels[1].param_bytes = TRM_MAX_PARAM_BYTES + 1;
  TEST_FAILS(build(device, &source, options), TRM_ERROR_INVALID, "257 bytes of parameters");
  kernels[1] = dispatch_source.modules[0]->kernels[1];
  kernels[1].overlap = 5;
  TEST_FAILS(build(device, &source, options), TRM_ERROR_INVALID, "an overlap of 5 columns");
  kernels[1].overlap = 2;
  kernels[1].kind = TRM_KERNEL_GROUP;
  TEST_FAILS(build(device, &source, options), TRM_ERROR_INVALID, "an overlap of 2 columns");
  trm_stepping steps = { .from = 0, .to = 1, .components = 1, .index_bytes = 4 };
  kernels[1] = dispatch_source.modules[0]->kernels[1];
  kernels[1].steps = &steps;
  kernels[1].kind = TRM_KERNEL_ROW;
  kernels[1].halo = 2;
  TEST_FAILS(build(device, &source, options), TRM_ERROR_INVALID, "with a halo of 1");
  kernels[1].halo = 1;
  steps.to = 12;
  TEST_FAILS(build(device, &source, options), TRM_ERROR_INVALID, "from array 0 to array 12");
  source.modules = modules + 1;
  TEST_FAILS(build(device, &source, options), TRM_ERROR_INVALID, "at least one host instance");
}

static void a_precision_without_an_instance_is_refused(trm_device *device)
{
  const trm_host_module *const modules[] = { dispatch_source.modules[0], NULL };
  trm_program_source source = dispatch_source;
  source.modules = modules;
  assert_int_equal(modules[0]->math, TRM_STRICT);
  TEST_FAILS(build(device, &source, (trm_program_options){ .math = TRM_FAST }),
             TRM_ERROR_NOT_FOUND, "program \"dispatch\" has no host instance for f32 fast");
}

/* ---- no handle, no result ------------------------------------------------- */

static void null_handles_are_refused(void)
{
  trm_layout layout;
  trm_event *event = NULL;
  trm_sequence *sequence = NULL;
  trm_buffer *buffer = NULL;
  trm_program *program = NULL;
  trm_device *device = NULL;
  const trm_backend_info *backends;
  const trm_device_info *devices;
  uint64_t free_bytes;
  size_t count;
  double seconds;
  TEST_FAILS(trm_context_create(NULL, NULL), TRM_ERROR_INVALID, "out is NULL");
  TEST_FAILS(trm_backend_list(NULL, &backends, &count), TRM_ERROR_INVALID, "context is NULL");
  TEST_FAILS(trm_device_list(NULL, &devices, &count), TRM_ERROR_INVALID, "context is NULL");
  TEST_FAILS(trm_device_open(NULL, "openmp", NULL, &device), TRM_ERROR_INVALID, "context is NULL");
  TEST_FAILS(trm_device_open(test_context(), NULL, NULL, &device), TRM_ERROR_INVALID, "name");
  TEST_FAILS(trm_device_finish(NULL), TRM_ERROR_INVALID, "device is NULL");
  TEST_FAILS(trm_device_free_memory(NULL, &free_bytes), TRM_ERROR_INVALID, "device or bytes");
  TEST_FAILS(trm_buffer_create(NULL, 8, "b", &buffer), TRM_ERROR_INVALID, "device is NULL");
  TEST_FAILS(trm_buffer_read(NULL, 0, 0, &count), TRM_ERROR_INVALID, "the buffer is NULL");
  TEST_FAILS(trm_buffer_copy(NULL, 0, NULL, 0, 0), TRM_ERROR_INVALID, "the buffer is NULL");
  TEST_FAILS(trm_layout_rows(NULL, TRM_TYPE_F32, 1, 1, 1, 1, &layout), TRM_ERROR_INVALID, "NULL");
  TEST_FAILS(trm_program_create(NULL, &dispatch_source, NULL, &program), TRM_ERROR_INVALID,
             "device is NULL");
  TEST_FAILS(trm_program_kernel(NULL, "a", NULL), TRM_ERROR_INVALID, "program is NULL");
  TEST_FAILS(trm_event_create(NULL, &event), TRM_ERROR_INVALID, "device or out is NULL");
  TEST_FAILS(trm_event_record(NULL), TRM_ERROR_INVALID, "event is NULL");
  TEST_FAILS(trm_event_elapsed(NULL, NULL, &seconds), TRM_ERROR_INVALID, "NULL");
  TEST_FAILS(trm_sequence_begin(NULL), TRM_ERROR_INVALID, "device is NULL");
  TEST_FAILS(trm_sequence_end(NULL, &sequence), TRM_ERROR_INVALID, "device or out is NULL");
  TEST_FAILS(trm_sequence_replay(NULL, 1), TRM_ERROR_INVALID, "sequence is NULL");
  trm_sequence_cancel(NULL);
  trm_sequence_destroy(&sequence);
  trm_event_destroy(&event);
  trm_program_destroy(&program);
  trm_device_close(&device);
  assert_int_equal(trm_buffer_bytes(NULL), 0);
  assert_int_equal(trm_sequence_length(NULL), 0);
  assert_null(trm_device_describe(NULL));
  assert_null(trm_program_describe(NULL));
}

/* ---- several devices -------------------------------------------------------- */

static trm_status share(const dispatch_field *field, trm_sharing how)
{
  return trm_kernel_launch_shared(field->scale, &field->extent, &how, &field->params,
                                  sizeof field->params, (trm_buffer *const[]){ field->f, field->g },
                                  2);
}

static void members_of_a_shared_launch_over_rows_are_checked(trm_device *device)
{
  static const trm_sharing wrong[] = {
    { .each = 1 }, { .halo = -1 }, { .device_local = 1 }, { .is_of_gpus = 1 }, { .adjacent = 1 },
    { .counts = 1 }, { .counts = 1, .each = 1, .write_only = 2 },
    { .counts = 1, .each = 1, .halo = -1 } };
  dispatch_field field;
  dispatch_open(device, &field);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    TEST_FAILS(share(&field, wrong[i]), TRM_ERROR_INVALID, "for a row kernel over rows set");
  TEST_FAILS(share(&field, (trm_sharing){ .counts = 3, .each = 1 }), TRM_ERROR_INVALID,
             "`counts` is a buffer from 1 to 2");
  TEST_OK(share(&field, (trm_sharing){ .write_only = 2 }));
  dispatch_expect(&field, field.g, 3);
  dispatch_close(&field);
}

static void members_of_a_shared_launch_over_blocks_are_checked(trm_device *device)
{
  static const trm_sharing wrong[] = {
    { .each = 1, .halo = -1 }, { .each = 1, .halo = 1, .adjacent = 1 },
    { .each = 1, .halo = 1, .counts = 1 }, { .each = 1, .halo = 1, .derived = 1 } };
  dispatch_field field;
  trm_kernel *number;
  dispatch_open(device, &field);
  TEST_OK(trm_program_kernel(field.program, "dispatch_number", &number));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    TEST_FAILS(trm_kernel_launch_shared(number, &field.extent, &wrong[i], &field.params,
                                        sizeof field.params, &field.g, 1),
               TRM_ERROR_INVALID, "set `halo` of trm_sharing to 0 or more");
  dispatch_close(&field);
}

/* Several devices are parts of a run. */
static void one_name_opens_one_device(void)
{
  trm_device *device = NULL;
  TEST_FAILS(trm_device_open(test_context(), "openmp,openmp*2", NULL, &device),
             TRM_ERROR_UNSUPPORTED, "trireme run --devices=openmp,openmp*2, or trm_run_open");
  TEST_FAILS(trm_device_open(test_context(), "(openmp, openmp)", NULL, &device),
             TRM_ERROR_UNSUPPORTED, "run --devices=openmp,openmp,");
  TEST_FAILS(trm_device_open(test_context(), "openmp*3", NULL, &device), TRM_ERROR_INPUT,
             "it is the only one, and has all rows; leave *3 out");
  TEST_FAILS(trm_device_open(test_context(), "openmp@0", NULL, &device), TRM_ERROR_INPUT,
             "name one for each in the order of ranks");
  assert_null(device);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(null_handles_are_refused),
    TEST_DEVICE(a_buffer_of_no_bytes_is_refused),
    TEST_DEVICE(a_buffer_too_large_for_the_device_says_what_is_available),
    TEST_DEVICE(ranges_outside_a_buffer_are_refused),
    TEST_DEVICE(crooked_fills_are_refused),
    TEST_DEVICE(copies_that_overlap_are_refused),
    TEST_DEVICE(buffers_of_two_devices_do_not_mix),
    TEST_DEVICE(extents_are_at_least_one),
    TEST_DEVICE(arguments_are_held_against_the_declaration),
    TEST_DEVICE(a_written_buffer_is_passed_once_a_read_one_as_often_as_wanted),
    TEST_DEVICE(a_program_is_known_by_its_text_in_any_shape),
    TEST_DEVICE(an_unknown_kernel_is_met_with_the_nearest_name),
    TEST_DEVICE(an_unknown_variant_is_met_with_those_there_are),
    TEST_DEVICE(group_shapes_are_whole_warps),
    TEST_DEVICE(unknown_precisions_and_arithmetics_are_refused),
    TEST_DEVICE(damaged_host_tables_are_refused),
    TEST_DEVICE(a_precision_without_an_instance_is_refused),
    TEST_DEVICE(members_of_a_shared_launch_over_rows_are_checked),
    TEST_DEVICE(members_of_a_shared_launch_over_blocks_are_checked),
    TEST_HOST(one_name_opens_one_device),
  };
  return TEST_RUN(argc, argv, cases);
}
