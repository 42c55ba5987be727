/* dialect_arithmetic.c - what cells compute, on every backend: the functions of the dialect,
 * literals, indices of 64 bits, one to twelve arrays; bit for bit what plain C computes. */
#include "tests/dialect/dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions and literals ------------------------------------------------------------ */

static void check_functions(const dialect_run *run, int nx)
{
  const size_t n = (size_t)nx, bytes = DIALECT_FUNCTIONS * n * run->size;
  unsigned char *f = dialect_room(run, 2 * n), *g = dialect_room(run, DIALECT_FUNCTIONS * n);
  const dialect_params params = { .a = 0.1 };
  run->want->operands(f, n);
  run->want->functions(f, g, nx, params.a);
  if (nx > 100) /* once rounded, and twice */
    assert_memory_not_equal(g + n * run->size, g + 2 * n * run->size, n * run->size);
  trm_buffer *buffers[] = { dialect_upload(run, f, 2 * n * run->size),
                            dialect_poison(run, bytes) };
  dialect_launch(run, "dialect_functions", nx, 1, 1, &params, buffers, 2);
  dialect_expect(run, buffers[1], g, DIALECT_FUNCTIONS * n);
  for (size_t i = 0; i < 2; i++) trm_buffer_destroy(&buffers[i]);
  free(f);
  free(g);
}

static void functions_body(const dialect_run *run)
{
  check_functions(run, 13);
  check_functions(run, 1030);
}

static void literals_body(const dialect_run *run)
{
  enum { NX = 33 };
  void *want = dialect_room(run, 5 * NX);
  const dialect_params params = { .a = 0.0 };
  run->want->literals(want, NX);
  trm_buffer *buffer = dialect_poison(run, 5 * NX * run->size);
  dialect_launch(run, "dialect_literals", NX, 1, 1, &params, &buffer, 1);
  dialect_expect(run, buffer, want, 5 * NX);
  trm_buffer_destroy(&buffer);
  free(want);
}

/* What a literal that was rounded to double first would have become. */
static void the_literal_of_the_test_shows_a_second_rounding(void)
{
  volatile double rounded = 1.00000017881393432617187499;
  const float once = 1.00000017881393432617187499f, twice = (float)rounded;
  assert_true(once < twice);
}

static void far_body(const dialect_run *run)
{
  enum { NX = 97, NY = 5 };
  int64_t number[NY][NX], found[NY][NX];
  void *want = dialect_room(run, (size_t)NX * NY);
  dialect_field field = dialect_field_make(run, NX, NY, 1, NULL);
  dialect_params params = { .distance = INT64_C(5000000000), .count = 70000 };
  dialect_use(&params, &field);
  for (int y = 0; y < NY; y++)
    for (int x = 0; x < NX; x++)
      number[y][x] = (params.count + (int64_t)y) * params.count + params.distance +
                     y * params.row + x;
  run->want->count_up(want, NX, NY);
  trm_buffer *buffers[] = { field.buffer, dialect_poison(run, sizeof number) };
  dialect_launch(run, "dialect_far", NX, NY, 1, &params, buffers, 2);
  dialect_field_expect(run, &field, want);
  TEST_OK(trm_buffer_read(buffers[1], 0, sizeof found, found));
  assert_memory_equal(found, number, sizeof number);
  for (size_t i = 0; i < 2; i++) trm_buffer_destroy(&buffers[i]);
  free(want);
}

static void the_functions_of_the_dialect(trm_device *device)
{
  dialect_each(device, &dialect_source, NULL, functions_body);
}

static void literals_are_rounded_once(trm_device *device)
{
  dialect_each(device, &dialect_source, NULL, literals_body);
}

static void indices_beyond_31_bits(trm_device *device)
{
  dialect_each(device, &dialect_source, NULL, far_body);
}

/* Fast arithmetic promises closeness, not bits. */
static void check_fast(trm_device *device, trm_precision precision, double tolerance)
{
  enum { NX = 1030 };
  const trm_program_options options = { .precision = precision, .math = TRM_FAST };
  dialect_run run;
  dialect_run_open(device, &dialect_source, &options, &run);
  void *f = dialect_room(&run, NX), *want = dialect_room(&run, NX), *found = dialect_room(&run, NX);
  dialect_params params = { .a = 0.37 };
  run.want->numbers(f, NX, 1);
  run.want->line(f, want, NX, params.a);
  trm_buffer *buffers[] = { dialect_upload(&run, f, NX * run.size),
                            dialect_poison(&run, NX * run.size) };
  dialect_launch(&run, "dialect_line", NX, 1, 1, &params, buffers, 2);
  TEST_OK(trm_buffer_read(buffers[1], 0, NX * run.size, found));
  assert_true(run.want->difference(found, want, NX) <= tolerance * NX);
  for (size_t i = 0; i < 2; i++) trm_buffer_destroy(&buffers[i]);
  free(f);
  free(want);
  free(found);
  dialect_run_close(&run);
}

static void fast_arithmetic_is_close(trm_device *device)
{
  check_fast(device, TRM_F32, 1.2e-7);
  if (trm_device_describe(device)->has_f64) check_fast(device, TRM_F64, 2.3e-16);
}

/* ---- arrays ---------------------------------------------------------------------------- */

static void arity_body(const dialect_run *run)
{
  enum { N = 97, MOST = TRM_MAX_BUFFERS };
  unsigned char *arrays = dialect_room(run, MOST * N);
  void *want = dialect_room(run, N);
  const dialect_params params = { .a = 0.3 };
  run->want->numbers(arrays, MOST * N, 4);
  for (int count = 1; count <= MOST; count++) {
    char name[32];
    trm_buffer *buffers[MOST];
    snprintf(name, sizeof name, "dialect_row%d", count);
    for (int k = 0; k < count - 1; k++)
      buffers[k] = dialect_upload(run, arrays + (size_t)k * N * run->size, N * run->size);
    buffers[count - 1] = dialect_poison(run, N * run->size);
    run->want->arity(arrays, count - 1, want, N, params.a);
    dialect_launch(run, name, N, 1, 1, &params, buffers, (size_t)count);
    dialect_expect(run, buffers[count - 1], want, N);
    for (int k = 0; k < count; k++) trm_buffer_destroy(&buffers[k]);
  }
  free(arrays);
  free(want);
}

static void one_to_twelve_arrays_in_their_order(trm_device *device)
{
  dialect_each(device, &dialect_source, NULL, arity_body);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(the_functions_of_the_dialect),
    TEST_DEVICE(literals_are_rounded_once),
    TEST_HOST(the_literal_of_the_test_shows_a_second_rounding),
    TEST_DEVICE(indices_beyond_31_bits),
    TEST_DEVICE(fast_arithmetic_is_close),
    TEST_DEVICE(one_to_twelve_arrays_in_their_order),
  };
  return TEST_RUN(argc, argv, cases);
}
