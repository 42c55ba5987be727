/* reduction.c - sums, minima and maxima: exact where they can be, and everywhere the bits of the
 * order that trireme.h promises, which is written down here a second time, in plain loops. */
#include "tests/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules.h"

typedef int64_t trm_index;
#include "core/kernels/reduce_params.h"

extern const char trm_text_reduce[];
TRM_DECLARE_MODULES(reduce);
static const trm_program_source source = {
  "reduce", "core/kernels/reduce.k", trm_text_reduce, TRM_MODULES(reduce)
};

static const size_t sizes[] = { 1, 2, 31, 255, 256, 257, 1000, 1024, 4095, 4096, 4097, 8192,
                                100003 };
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes, CHUNK = 4096, LANES = 256 };

/* ---- numbers --------------------------------------------------------------------- */

/* An array of f32 or f64. */
typedef struct values {
  trm_precision type;
  size_t count;
  union { void *bytes; float *f32; double *f64; } of;
} values;

static values make_values(trm_precision type, size_t count)
{
  const values made = { type, count, { calloc(count, sizeof(double)) } };
  assert_non_null(made.of.bytes);
  return made;
}

static size_t value_bytes(trm_precision type) { return trm_type_size(trm_real_type(type)); }

static double get(const values *from, size_t i)
{
  return from->type == TRM_F32 ? (double)from->of.f32[i] : from->of.f64[i];
}

static void set(values *to, size_t i, double value)
{
  if (to->type == TRM_F32) to->of.f32[i] = (float)value;
  else to->of.f64[i] = value;
}

/* Of both signs and very different sizes, so that every other order gives other bits. */
static double mixed(size_t i)
{
  const uint64_t word = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  const double mantissa = (double)(word >> 20 & 0xffffffff) / 4294967296.0 - 0.5;
  return ldexp(mantissa, (int)(word >> 56 & 15));
}

/* ---- the promised order, in plain loops -------------------------------------------- */

static double combine(trm_reduce_op op, trm_precision type, double a, double b)
{
  if (op == TRM_SUM) return type == TRM_F32 ? (double)((float)a + (float)b) : a + b;
  if (isnan(a) || isnan(b)) return (double)NAN;
  if (op == TRM_MIN) return b < a ? b : a;
  return b > a ? b : a;
}

/* A missing value: +0 in sums; in minima and maxima the one that is already there. */
static double reduce_chunk(trm_reduce_op op, trm_precision type, const double *v, size_t count)
{
  double lane[LANES];
  for (size_t i = 0; i < LANES; i++) {
    lane[i] = op == TRM_SUM ? 0.0 : v[0];
    for (size_t k = i; k < CHUNK; k += LANES)
      if (k < count) lane[i] = combine(op, type, lane[i], v[k]);
  }
  for (size_t h = LANES / 2; h > 0; h /= 2)
    for (size_t i = 0; i < h; i++) lane[i] = combine(op, type, lane[i], lane[i + h]);
  return lane[0];
}

static double expected(trm_reduce_op op, const values *from, size_t first, size_t count)
{
  double *v = malloc(count * sizeof *v);
  assert_non_null(v);
  for (size_t i = 0; i < count; i++) v[i] = get(from, first + i);
  do {
    const size_t chunks = (count + CHUNK - 1) / CHUNK;
    for (size_t c = 0; c < chunks; c++)
      v[c] = reduce_chunk(op, from->type, v + c * CHUNK,
                          count - c * CHUNK < CHUNK ? count - c * CHUNK : CHUNK);
    count = chunks;
  } while (count > 1);
  const double result = v[0];
  free(v);
  return result;
}

/* ---- on a device --------------------------------------------------------------------- */

static trm_buffer *upload(trm_device *device, const values *from)
{
  trm_buffer *buffer = NULL;
  const size_t bytes = from->count * value_bytes(from->type);
  TEST_OK(trm_buffer_create(device, bytes, "values", &buffer));
  TEST_OK(trm_buffer_write(buffer, 0, bytes, from->of.bytes));
  return buffer;
}

/* Reduces `rows` rows of `count` that begin at 5 and lie count + 3 apart, into results[2] on. */
static void run(trm_device *device, trm_reduce_op op, const values *from, size_t count, size_t rows,
                values *results)
{
  trm_reduction *reduction = NULL;
  trm_buffer *out = NULL, *in = upload(device, from);
  const size_t bytes = results->count * value_bytes(results->type);
  TEST_OK(trm_buffer_create(device, bytes, "results", &out));
  TEST_OK(trm_buffer_write(out, 0, bytes, results->of.bytes));
  TEST_OK(trm_reduction_create(device, op, from->type, count, rows, &reduction));
  TEST_OK(trm_reduction_run(reduction, in, 5, count + 3, rows, out, 2));
  TEST_OK(trm_buffer_read(out, 0, bytes, results->of.bytes));
  trm_reduction_destroy(&reduction);
  assert_null(reduction);
  trm_buffer_destroy(&out);
  trm_buffer_destroy(&in);
}

/* What lies between the rows is NaN, which no result may see. */
static values make_rows(trm_precision type, size_t count, size_t rows, double (*number)(size_t))
{
  values made = make_values(type, 5 + rows * (count + 3));
  for (size_t i = 0; i < made.count; i++) {
    const size_t column = i < 5 ? count : (i - 5) % (count + 3);
    set(&made, i, column < count ? number(i) : (double)NAN);
  }
  return made;
}

static void check_rows(trm_device *device, trm_reduce_op op, trm_precision type, size_t count,
                       double (*number)(size_t))
{
  enum { ROWS = 3 };
  values from = make_rows(type, count, ROWS, number);
  values found = make_values(type, 2 + ROWS + 1), right = make_values(type, 2 + ROWS + 1);
  for (size_t i = 0; i < found.count; i++) set(&found, i, -7.0);
  for (size_t i = 0; i < found.count; i++) set(&right, i, -7.0); /* neighbours stay untouched */
  for (size_t row = 0; row < ROWS; row++)
    set(&right, 2 + row, expected(op, &from, 5 + row * (count + 3), count));
  run(device, op, &from, count, ROWS, &found);
  TEST_SAME_BITS(found.of.bytes, right.of.bytes, found.count, trm_real_type(type));
  free(right.of.bytes);
  free(found.of.bytes);
  free(from.of.bytes);
}

static void check_sizes(trm_device *device, trm_reduce_op op, trm_precision type)
{
  for (size_t i = 0; i < SIZE_COUNT; i++) check_rows(device, op, type, sizes[i], mixed);
}

static void f32_sums_have_the_bits_of_the_promised_order(trm_device *device)
{
  check_sizes(device, TRM_SUM, TRM_F32);
}

static void f64_sums_have_the_bits_of_the_promised_order(trm_device *device)
{
  test_needs_f64(device);
  check_sizes(device, TRM_SUM, TRM_F64);
}

static void minima_and_maxima_are_found_at_every_size(trm_device *device)
{
  check_sizes(device, TRM_MIN, TRM_F32);
  check_sizes(device, TRM_MAX, TRM_F32);
  if (!trm_device_describe(device)->has_f64) return;
  check_sizes(device, TRM_MIN, TRM_F64);
  check_sizes(device, TRM_MAX, TRM_F64);
}

/* Three levels: more than 4096 chunks. */
static double ones(size_t i) { return (double)(i % 2); }

static void a_sum_of_three_levels_is_exact(trm_device *device)
{
  const size_t count = (size_t)CHUNK * CHUNK + 12345;
  values from = make_values(TRM_F32, count), found = make_values(TRM_F32, 1);
  trm_reduction *reduction = NULL;
  trm_buffer *out = NULL;
  for (size_t i = 0; i < count; i++) set(&from, i, ones(i));
  trm_buffer *in = upload(device, &from);
  TEST_OK(trm_buffer_create(device, sizeof(float), "result", &out));
  TEST_OK(trm_reduction_create(device, TRM_SUM, TRM_F32, count, 1, &reduction));
  TEST_OK(trm_reduction_run(reduction, in, 0, 0, 1, out, 0));
  TEST_OK(trm_buffer_read(out, 0, sizeof(float), found.of.bytes));
  assert_true(get(&found, 0) == (double)(count / 2)); /* below 2^24, so f32 holds every sum */
  trm_reduction_destroy(&reduction);
  trm_buffer_destroy(&out);
  trm_buffer_destroy(&in);
  free(found.of.bytes);
  free(from.of.bytes);
}

static void sums_of_whole_numbers_are_exact(trm_device *device)
{
  for (size_t s = 0; s < SIZE_COUNT; s++) {
    const size_t count = sizes[s];
    values from = make_values(TRM_F32, 5 + count + 3), found = make_values(TRM_F32, 3);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
      set(&from, 5 + i, (double)(i % 13) - 4.0);
      sum += (double)(i % 13) - 4.0;
    }
    run(device, TRM_SUM, &from, count, 1, &found);
    assert_true(get(&found, 2) == sum);
    free(found.of.bytes);
    free(from.of.bytes);
  }
}

/* ---- values that are not numbers, and zeros -------------------------------------------- */

/* The result of one row of `count` ones in which value `at` is replaced. */
static double with_one(trm_device *device, trm_reduce_op op, size_t count, size_t at, double value)
{
  values from = make_values(TRM_F32, 5 + count + 3), found = make_values(TRM_F32, 3);
  for (size_t i = 0; i < count; i++) set(&from, 5 + i, 1.0);
  set(&from, 5 + at, value);
  run(device, op, &from, count, 1, &found);
  const double result = get(&found, 2);
  free(found.of.bytes);
  free(from.of.bytes);
  return result;
}

static void one_nan_anywhere_shows_in_every_result(trm_device *device)
{
  static const size_t places[] = { 0, 1, 255, 256, 4095, 4096, 4999 };
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    assert_true(isnan(with_one(device, TRM_SUM, 5000, places[i], (double)NAN)));
    assert_true(isnan(with_one(device, TRM_MIN, 5000, places[i], (double)NAN)));
    assert_true(isnan(with_one(device, TRM_MAX, 5000, places[i], (double)NAN)));
  }
}

static void infinities_are_values(trm_device *device)
{
  assert_true(with_one(device, TRM_MIN, 300, 299, -(double)INFINITY) == -(double)INFINITY);
  assert_true(with_one(device, TRM_MAX, 300, 299, (double)INFINITY) == (double)INFINITY);
  assert_true(with_one(device, TRM_SUM, 300, 299, (double)INFINITY) == (double)INFINITY);
  assert_true(with_one(device, TRM_MIN, 300, 299, (double)INFINITY) == 1.0);
  assert_true(with_one(device, TRM_MAX, 300, 299, -(double)INFINITY) == 1.0);
}

static void missing_values_count_plus_zero_in_sums_and_nothing_otherwise(trm_device *device)
{
  assert_false(signbit(with_one(device, TRM_SUM, 1, 0, -0.0)));
  assert_true(with_one(device, TRM_MAX, 1, 0, -3.0) == -3.0);
  assert_true(with_one(device, TRM_MIN, 1, 0, 3.0) == 3.0);
}

/* ---- groups, sequences ------------------------------------------------------------------- */

/* One launch of the kernel itself, with groups of `group` items. A device may refuse large groups,
 * if it says so: then 0 comes back. */
static int launch(trm_device *device, int group, trm_buffer *in, size_t count, values *found)
{
  const trm_program_options options = { .precision = TRM_F32, .group = group };
  const int chunks = (int)((count + CHUNK - 1) / CHUNK);
  const reduce_params params = { .count = (trm_index)count, .chunks = chunks, .rows = 1 };
  const trm_extent extent = { chunks, 1, 1, 0 };
  trm_program *program = NULL;
  trm_kernel *kernel = NULL;
  trm_buffer *out = NULL;
  trm_status status = trm_program_create(device, &source, &options, &program);
  if (status == TRM_OK) status = trm_program_kernel(program, "reduce_sum", &kernel);
  if (group > 256 && status == TRM_ERROR_UNSUPPORTED) {
    TEST_FAILS(status, TRM_ERROR_UNSUPPORTED, "group");
    trm_program_destroy(&program);
    return 0;
  }
  TEST_OK(status);
  TEST_OK(trm_buffer_create(device, (size_t)chunks * sizeof(float), "sums", &out));
  trm_buffer *const buffers[] = { in, out };
  TEST_OK(trm_kernel_launch(kernel, &extent, &params, sizeof params, buffers, 2));
  TEST_OK(trm_buffer_read(out, 0, (size_t)chunks * sizeof(float), found->of.bytes));
  trm_buffer_destroy(&out);
  trm_program_destroy(&program);
  return 1;
}

static void the_group_size_never_changes_the_bits(trm_device *device)
{
  static const int groups[] = { 32, 64, 128, 256, 512 };
  const size_t count = 100003, chunks = (count + CHUNK - 1) / CHUNK;
  values from = make_values(TRM_F32, count), right = make_values(TRM_F32, chunks);
  for (size_t i = 0; i < count; i++) set(&from, i, mixed(i));
  for (size_t c = 0; c < chunks; c++)
    set(&right, c, expected(TRM_SUM, &from, c * CHUNK,
                            count - c * CHUNK < CHUNK ? count - c * CHUNK : CHUNK));
  trm_buffer *in = upload(device, &from);
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
    values found = make_values(TRM_F32, chunks);
    if (launch(device, groups[g], in, count, &found))
      TEST_SAME_BITS(found.of.bytes, right.of.bytes, chunks, TRM_TYPE_F32);
    free(found.of.bytes);
  }
  trm_buffer_destroy(&in);
  free(right.of.bytes);
  free(from.of.bytes);
}

/* Two levels recorded and replayed, each time on other values. */
static void a_recorded_reduction_runs_at_replay(trm_device *device)
{
  const size_t count = 10000;
  values from = make_values(TRM_F32, count), found = make_values(TRM_F32, 2);
  trm_reduction *reduction = NULL;
  trm_sequence *sequence = NULL;
  trm_buffer *out = NULL, *in = upload(device, &from);
  TEST_OK(trm_buffer_create(device, 2 * sizeof(float), "results", &out));
  TEST_OK(trm_reduction_create(device, TRM_SUM, TRM_F32, count, 1, &reduction));
  TEST_OK(trm_sequence_begin(device));
  TEST_OK(trm_reduction_run(reduction, in, 0, count, 1, out, 0));
  TEST_OK(trm_reduction_run(reduction, in, 0, count, 1, out, 1));
  TEST_OK(trm_sequence_end(device, &sequence));
  assert_int_equal(trm_sequence_length(sequence), 4);
  trm_reduction_destroy(&reduction); /* the sequence keeps what it needs */
  for (int round = 1; round <= 2; round++) {
    for (size_t i = 0; i < count; i++) set(&from, i, (double)round);
    TEST_OK(trm_buffer_write(in, 0, count * sizeof(float), from.of.bytes));
    TEST_OK(trm_sequence_replay(sequence, 2));
    TEST_OK(trm_buffer_read(out, 0, 2 * sizeof(float), found.of.bytes));
    assert_true(get(&found, 0) == (double)round * (double)count);
    assert_true(get(&found, 1) == (double)round * (double)count);
  }
  trm_sequence_destroy(&sequence);
  trm_buffer_destroy(&out);
  trm_buffer_destroy(&in);
  free(found.of.bytes);
  free(from.of.bytes);
}

/* ---- wrong use ----------------------------------------------------------------------------- */

static void wrong_use_is_refused_with_the_numbers(trm_device *device)
{
  trm_reduction *reduction = NULL;
  trm_buffer *in = NULL, *out = NULL;
  const trm_status wrong = TRM_ERROR_INVALID;
  TEST_FAILS(trm_reduction_create(device, TRM_SUM, TRM_F32, 0, 1, &reduction), wrong, "at least 1");
  TEST_FAILS(trm_reduction_create(device, TRM_SUM, TRM_F32, 1, 0, &reduction), wrong, "at least 1");
  TEST_FAILS(trm_reduction_create(device, (trm_reduce_op)7, TRM_F32, 1, 1, &reduction), wrong,
             "operation 7");
  TEST_FAILS(trm_reduction_create(NULL, TRM_SUM, TRM_F32, 1, 1, &reduction), wrong, "device");
  TEST_FAILS(trm_reduction_create(device, TRM_SUM, TRM_F32, 1, (size_t)1 << 31, &reduction),
             TRM_ERROR_OVERFLOW, "2147483648 groups");
  TEST_FAILS(trm_reduction_create(device, TRM_SUM, TRM_F32, SIZE_MAX, SIZE_MAX, &reduction),
             TRM_ERROR_OVERFLOW, "the chunks of a reduction");
  assert_null(reduction);
  TEST_OK(trm_reduction_create(device, TRM_SUM, TRM_F32, 100, 2, &reduction));
  TEST_OK(trm_buffer_create(device, 800, "in", &in));
  TEST_OK(trm_buffer_create(device, 8, "out", &out));
  TEST_OK(trm_reduction_run(reduction, in, 0, 100, 2, out, 0));
  TEST_FAILS(trm_reduction_run(reduction, in, 1, 100, 2, out, 0), wrong,
             "the source reaches to byte 804");
  TEST_FAILS(trm_reduction_run(reduction, in, 0, 101, 2, out, 0), wrong, "which has 800");
  TEST_FAILS(trm_reduction_run(reduction, in, 0, SIZE_MAX, 2, out, 0), TRM_ERROR_OVERFLOW,
             "source");
  TEST_FAILS(trm_reduction_run(reduction, in, 0, 100, 2, out, 1), wrong, "destination");
  TEST_FAILS(trm_reduction_run(reduction, in, 0, 100, 3, out, 0), wrong, "created for 1 to 2");
  TEST_FAILS(trm_reduction_run(reduction, in, 0, 100, 0, out, 0), wrong, "created for 1 to 2");
  TEST_FAILS(trm_reduction_run(reduction, in, 0, 100, 1, in, 0), wrong, "the same buffer \"in\"");
  TEST_FAILS(trm_reduction_run(NULL, in, 0, 100, 1, out, 0), wrong, "NULL");
  trm_reduction_destroy(&reduction);
  trm_reduction_destroy(&reduction);
  trm_buffer_destroy(&out);
  trm_buffer_destroy(&in);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(f32_sums_have_the_bits_of_the_promised_order),
    TEST_DEVICE(f64_sums_have_the_bits_of_the_promised_order),
    TEST_DEVICE(minima_and_maxima_are_found_at_every_size),
    TEST_DEVICE(sums_of_whole_numbers_are_exact),
    TEST_DEVICE(a_sum_of_three_levels_is_exact),
    TEST_DEVICE(one_nan_anywhere_shows_in_every_result),
    TEST_DEVICE(infinities_are_values),
    TEST_DEVICE(missing_values_count_plus_zero_in_sums_and_nothing_otherwise),
    TEST_DEVICE(the_group_size_never_changes_the_bits),
    TEST_DEVICE(a_recorded_reduction_runs_at_replay),
    TEST_DEVICE(wrong_use_is_refused_with_the_numbers),
  };
  return TEST_RUN(argc, argv, cases);
}
