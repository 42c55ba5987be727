/* crew.c - several devices as one, below the solvers: a kernel that reads beyond its halo, or
 * writes rows of others, is found and named; weights that are measured; what is refused of rows
 * that are near to others. */
#include "core/counters.h"
#include "tests/core/dispatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sharing.h"

#define HOSTS "openmp,openmp,openmp"

/* Skips where openmp is not ready. */
static trm_device *open_several(const char *names)
{
  trm_device *one = test_open("openmp", NULL), *several;
  trm_device_close(&one);
  TEST_OK(trm_device_open(test_context(), names, NULL, &several));
  return several;
}

static trm_buffer *by_rows(trm_device *device, const trm_layout *layout, size_t shift)
{
  trm_buffer *made;
  trm_by_rows rows = { .type = TRM_TYPE_F32, .nx = DISPATCH_NX, .ny = DISPATCH_NY, .nz = 1,
                       .components = 1, .layout = *layout };
  const float zero = 0;
  const size_t bytes = (layout->elements + 2 * layout->row) * sizeof(float);
  rows.layout.first += shift;
  TEST_OK(trm_buffer_create(device, bytes, "rows", &made));
  TEST_OK(trm_buffer_rows(made, &rows));
  TEST_OK(trm_buffer_fill(made, 0, bytes, &zero, sizeof zero));
  return made;
}

/* From one buffer to another, `shift` elements further on in both. */
static trm_status scale(const dispatch_field *field, trm_buffer *from, trm_buffer *to, size_t shift,
                        float factor)
{
  dispatch_params params = field->params;
  params.first += (trm_index)shift;
  params.factor = factor;
  return trm_kernel_launch(field->scale, &field->extent, &params, sizeof params,
                           (trm_buffer *const[]){ from, to }, 2);
}

static void a_kernel_that_reads_beyond_its_halo_is_named(void)
{
  dispatch_field field;
  setenv("TRIREME_CHECK_ROWS", "1", 1);
  trm_device *device = open_several(HOSTS);
  unsetenv("TRIREME_CHECK_ROWS");
  dispatch_open(device, &field);
  const size_t row = field.layout.row;
  trm_buffer *a = by_rows(device, &field.layout, 0), *b = by_rows(device, &field.layout, 0);
  trm_buffer *further = by_rows(device, &field.layout, row); /* its row y is row y + 1 of a */
  TEST_OK(scale(&field, a, b, 0, 1.0f));
  TEST_OK(scale(&field, b, a, 0, NAN)); /* no number, but one's own */
  TEST_OK(scale(&field, b, a, 0, 2.0f));
  TEST_FAILS(scale(&field, a, further, row, 1.0f), TRM_ERROR_INVALID,
             "kernel dispatch_scale left in row ");
  trm_buffer_destroy(&a);
  trm_buffer_destroy(&b);
  trm_buffer_destroy(&further);
  dispatch_close(&field);
  trm_device_close(&device);
}

static void a_kernel_that_writes_rows_of_others_is_named(void)
{
  dispatch_field field;
  setenv("TRIREME_CHECK_ROWS", "1", 1);
  trm_device *device = open_several(HOSTS);
  unsetenv("TRIREME_CHECK_ROWS");
  dispatch_open(device, &field);
  const size_t row = field.layout.row;
  trm_buffer *a = by_rows(device, &field.layout, 0), *b = by_rows(device, &field.layout, 0);
  trm_buffer *further = by_rows(device, &field.layout, row);
  TEST_OK(scale(&field, b, a, 0, 1.0f));
  TEST_OK(scale(&field, b, a, 0, NAN)); /* one's own rows, whatever they become */
  TEST_FAILS(scale(&field, further, a, row, 1.0f), TRM_ERROR_INVALID, /* into row y + 1 of a */
             "kernel dispatch_scale wrote row ");
  TEST_FAILS(scale(&field, further, b, row, NAN), TRM_ERROR_INVALID, /* b: all have all rows */
             "kernel dispatch_scale wrote row ");
  trm_buffer_destroy(&a);
  trm_buffer_destroy(&b);
  trm_buffer_destroy(&further);
  dispatch_close(&field);
  trm_device_close(&device);
}

static void near_rows_are_checked(void)
{
  trm_device *device = open_several(HOSTS);
  trm_layout layout;
  size_t begins[DISPATCH_NY + 2];
  int32_t reads[DISPATCH_NY + 1];
  TEST_OK(trm_layout_rows(device, TRM_TYPE_F32, DISPATCH_NX, DISPATCH_NY, 1, 1, &layout));
  trm_buffer *buffer = by_rows(device, &layout, 0);
  for (int r = 0; r <= DISPATCH_NY; r++) {
    reads[r] = (r + 1) % DISPATCH_NY;
    begins[r] = (size_t)r;
  }
  begins[DISPATCH_NY + 1] = DISPATCH_NY + 1;
  trm_adjacency near = { DISPATCH_NY - 1, 0, begins, reads };
  TEST_FAILS(trm_buffer_adjacency(buffer, &near), TRM_ERROR_INVALID, "has 5 rows where 4 are near");
  near.rows = DISPATCH_NY;
  near.derived = 1;
  reads[2] = DISPATCH_NY + 1;
  TEST_FAILS(trm_buffer_adjacency(buffer, &near), TRM_ERROR_INVALID,
             "a row is near to 6, of 6 rows");
  reads[2] = DISPATCH_NY;
  TEST_OK(trm_buffer_adjacency(buffer, &near));
  TEST_FAILS(trm_buffer_adjacency(buffer, &near), TRM_ERROR_INVALID, "and this once");
  trm_buffer_destroy(&buffer);
  trm_device_close(&device);
}

static trm_status share(const dispatch_field *field, trm_buffer *from, trm_buffer *to,
                        trm_sharing how)
{
  return trm_kernel_launch_shared(field->scale, &field->extent, &how, &field->params,
                                  sizeof field->params, (trm_buffer *const[]){ from, to }, 2);
}

static void what_is_told_of_a_launch_over_rows_is_checked(void)
{
  static const trm_sharing wrong[] = {
    { .each = 1 }, { .halo = -1 }, { .device_local = 1 }, { .is_of_gpus = 1 }, { .adjacent = 1 },
    { .counts = 1 }, { .counts = 1, .each = 1, .write_only = 2 },
    { .counts = 1, .each = 1, .halo = -1 } };
  trm_device *device = open_several(HOSTS);
  dispatch_field field;
  float found[DISPATCH_NX];
  dispatch_open(device, &field);
  trm_buffer *a = by_rows(device, &field.layout, 0), *b = by_rows(device, &field.layout, 0);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    TEST_FAILS(share(&field, a, b, wrong[i]), TRM_ERROR_INVALID, "for a row kernel over rows set");
  TEST_FAILS(share(&field, a, b, (trm_sharing){ .counts = 3, .each = 1 }), TRM_ERROR_INVALID,
             "`counts` is a buffer from 1 to 2");
  TEST_OK(share(&field, field.f, a, (trm_sharing){ .write_only = 2 }));
  TEST_OK(share(&field, a, b, (trm_sharing){ .write_only = 2 }));
  TEST_OK(trm_buffer_read(b, (field.layout.first + 3 * field.layout.row) * sizeof *found,
                          sizeof found, found));
  for (int x = 0; x < DISPATCH_NX; x++)
    assert_true(found[x] == 9.0f * (float)(1 + x + 3 * DISPATCH_NX));
  trm_buffer_destroy(&a);
  trm_buffer_destroy(&b);
  dispatch_close(&field);
  trm_device_close(&device);
}

static void what_is_told_of_groups_over_blocks_is_checked(void)
{
  static const trm_sharing wrong[] = {
    { .each = 1, .halo = -1 }, { .each = 1, .halo = 1, .adjacent = 1 },
    { .each = 1, .halo = 1, .counts = 1 }, { .each = 1, .halo = 1, .derived = 1 } };
  trm_device *device = open_several(HOSTS);
  dispatch_field field;
  trm_kernel *number;
  dispatch_open(device, &field);
  TEST_OK(trm_program_kernel(field.program, "dispatch_number", &number));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    TEST_FAILS(trm_kernel_launch_shared(number, &field.extent, &wrong[i], &field.params,
                                        sizeof field.params, &field.g, 1),
               TRM_ERROR_INVALID, "set `halo` of trm_sharing to 0 or more");
  dispatch_close(&field);
  trm_device_close(&device);
}

static void rows_go_by_weights(void)
{
  trm_device *device = open_several("openmp,openmp*3");
  size_t first, count;
  TEST_OK(trm_device_own(device, 100, 0, &first, &count));
  assert_int_equal(first, 0);
  assert_int_equal(count, 25);
  TEST_OK(trm_device_own(device, 100, 1, &first, &count));
  assert_int_equal(first, 25);
  assert_int_equal(count, 75);
  TEST_FAILS(trm_device_own(device, 100, 2, &first, &count), TRM_ERROR_INVALID, "no device 2");
  assert_true(trm_device_is_one_process(device));
  trm_device_close(&device);
}

static void measured_weights_follow_the_devices(void)
{
  trm_device *device = open_several("openmp*auto,openmp*4");
  dispatch_field field;
  trm_device_part parts[2];
  trm_spent spent;
  dispatch_open(device, &field);
  trm_buffer *a = by_rows(device, &field.layout, 0), *b = by_rows(device, &field.layout, 0);
  assert_int_equal(trm_device_parts(device, 2, parts), 2);
  assert_int_equal(parts[0].rows, 1);
  for (int i = 0; i < 200; i++) TEST_OK(scale(&field, i % 2 ? b : a, i % 2 ? a : b, 0, 1.0f));
  TEST_OK(trm_device_finish(device));
  assert_int_equal(trm_device_parts(device, 2, parts), 2);
  assert_true(parts[0].rows >= 1 && parts[1].rows >= 1);
  assert_int_equal(parts[0].rows + parts[1].rows, DISPATCH_NY);
  assert_true(fabs(parts[0].weight + parts[1].weight - 1) < 1e-9 || parts[1].weight == 4);
  TEST_OK(trm_device_spent(device, 1, &spent));
  assert_true(spent.launches > 0);
  TEST_FAILS(trm_device_spent(device, 2, &spent), TRM_ERROR_UNSUPPORTED, "device 2 of 2");
  trm_buffer_destroy(&a);
  trm_buffer_destroy(&b);
  dispatch_close(&field);
  trm_device_close(&device);
}

enum { TALL = 2000 };

/* The device that has the most memory has two buffers of its rows, and the bytes between rows. */
static void check_held(const trm_device *device, const trm_layout *layout)
{
  enum { BESIDE = 2 * 8 };
  trm_device_part parts[2];
  assert_int_equal(trm_device_parts(device, 2, parts), 2);
  const size_t rows = parts[0].rows > parts[1].rows ? parts[0].rows : parts[1].rows;
  const uint64_t held = trm_device_counters(device).held_bytes, row = layout->row * sizeof(float);
  assert_in_range(held, 2 * rows * row, 2 * (rows + BESIDE) * row + 2 * TALL * row / 8);
}

/* Also where rows are written before they are declared, and where another device gets them. */
static void devices_hold_their_own_rows(void)
{
  trm_device *device = open_several("openmp*auto,openmp*9");
  dispatch_field field;
  trm_device_part parts[2], now[2];
  trm_buffer *rows[2];
  dispatch_open(device, &field);
  const uint64_t before = trm_device_counters(device).held_bytes;
  assert_in_range(before, 0, 16384);
  TEST_OK(trm_layout_rows(device, TRM_TYPE_F32, DISPATCH_NX, TALL, 1, 1, &field.layout));
  field.extent.ny = TALL;
  field.params.first = (trm_index)field.layout.first;
  field.params.row = (trm_index)field.layout.row;
  const trm_by_rows declared = { .type = TRM_TYPE_F32, .nx = DISPATCH_NX, .ny = TALL, .nz = 1,
                                 .components = 1, .layout = field.layout };
  const size_t bytes = field.layout.elements * sizeof(float);
  const float one = 1;
  for (int i = 0; i < 2; i++) {
    TEST_OK(trm_buffer_create(device, bytes, "rows", &rows[i]));
    TEST_OK(trm_buffer_fill(rows[i], 0, bytes, &one, sizeof one));
    assert_in_range(trm_device_counters(device).held_bytes, bytes, SIZE_MAX);
    TEST_OK(trm_buffer_rows(rows[i], &declared));
  }
  check_held(device, &field.layout);
  assert_int_equal(trm_device_parts(device, 2, parts), 2);
  now[0] = parts[0];
  for (int i = 0; i < 800 && now[0].rows == parts[0].rows; i++) {
    TEST_OK(scale(&field, rows[i % 2], rows[1 - i % 2], 0, 1.0f));
    assert_int_equal(trm_device_parts(device, 2, now), 2);
  }
  assert_int_not_equal(now[0].rows, parts[0].rows);
  for (int i = 0; i < 4; i++) TEST_OK(scale(&field, rows[i % 2], rows[1 - i % 2], 0, 1.0f));
  check_held(device, &field.layout);
  for (int i = 0; i < 2; i++) trm_buffer_destroy(&rows[i]);
  dispatch_close(&field);
  trm_device_close(&device);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_kernel_that_reads_beyond_its_halo_is_named),
    TEST_HOST(a_kernel_that_writes_rows_of_others_is_named),
    TEST_HOST(near_rows_are_checked),
    TEST_HOST(what_is_told_of_a_launch_over_rows_is_checked),
    TEST_HOST(what_is_told_of_groups_over_blocks_is_checked),
    TEST_HOST(rows_go_by_weights),
    TEST_HOST(measured_weights_follow_the_devices),
    TEST_HOST(devices_hold_their_own_rows),
  };
  return TEST_RUN(argc, argv, cases);
}
