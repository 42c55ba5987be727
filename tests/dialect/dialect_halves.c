/* dialect_halves.c - 16-bit floats on every backend: all of them, and what rounds to them. */
#include "tests/dialect/dialect.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS = 1 << 16 };

/* What the standard says of its 65536 values; 65536 for infinity, which nearest even rounds to. */
static double half_of_bits(unsigned bits)
{
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
  return bits & 0x8000 ? -size : size;
}

/* The nearest of them, by doubles, which hold both exactly. */
static double nearest_half(float value)
{
  int exponent;
  frexp((double)value, &exponent);
  const double unit = ldexp(1, exponent - 11 < -24 ? -24 : exponent - 11);
  const double near = rint((double)value / unit) * unit;
  return fabs(near) < 65536 ? near : near > 0 ? 65536 : -65536;
}

/* Every size from far below the smallest to beyond the largest, ties, zeros, infinities, NaN. */
static float half_operand(size_t i)
{
  static const float ends[] = { 0.0f, -0.0f, 0x1p-25f, 0x1.000002p-25f, -0x1.8p-24f, 0x1.ffcp-15f,
                                0x1.ffep-15f, 65504.0f, 65519.996f, 65520.0f, -65536.0f, 1e30f,
                                1e-45f, INFINITY, -INFINITY, NAN };
  if (i < sizeof ends / sizeof ends[0]) return ends[i];
  uint32_t bits = (uint32_t)i * 2654435761u;
  bits ^= bits >> 15;
  bits *= 2246822519u;
  const int exponent = (int)(i % 48) - 29;
  const float size = ldexpf(1.0f + (float)(bits >> 9) * 0x1p-23f, exponent);
  const float tie = ldexpf(1.0f + (float)(2 * (bits >> 22) + 1) * 0x1p-11f, exponent);
  return (bits & 1 ? -1.0f : 1.0f) * (i % 3 ? size : tie);
}

static int is_half_nan(unsigned bits) { return (bits & 0x7fff) > 0x7c00; }

static void from_halves_body(const dialect_run *run)
{
  uint16_t *bits = malloc(2 * CELLS), *same = malloc(2 * CELLS);
  for (size_t i = 0; i < CELLS; i++) bits[i] = (uint16_t)i;
  trm_buffer *buffers[] = { dialect_upload(run, bits, 2 * CELLS),
                            dialect_poison(run, CELLS * run->size),
                            dialect_poison(run, 2 * CELLS) };
  void *found = dialect_room(run, CELLS);
  for (int pairs = 0; pairs < 2; pairs++) {
    const dialect_params none = { .a = 0 };
    if (pairs) dialect_launch(run, "dialect_pairs_of_halves", CELLS / 2, 1, 1, &none, buffers, 2);
    else dialect_launch(run, "dialect_from_halves", CELLS, 1, 1, &none, buffers, 3);
    TEST_OK(trm_buffer_read(buffers[1], 0, CELLS * run->size, found));
    for (unsigned i = 0; i < CELLS; i++) {
      const double value = dialect_get(run, found, i), want = half_of_bits(i);
      if (is_half_nan(i)) assert_true(isnan(value));
      else if (fabs(want) >= 65536) assert_true(isinf(value) && (value > 0) == (want > 0));
      else assert_true(value == want && !signbit(value) == !(i & 0x8000));
    }
    TEST_OK(trm_buffer_fill(buffers[1], 0, CELLS * run->size, "\xff\xff\xff\xff", 4));
  }
  TEST_OK(trm_buffer_read(buffers[2], 0, 2 * CELLS, same));
  for (unsigned i = 0; i < CELLS; i++)
    assert_true(same[i] == i || (is_half_nan(i) && is_half_nan(same[i])));
  for (size_t i = 0; i < 3; i++) trm_buffer_destroy(&buffers[i]);
  free(found);
  free(bits);
  free(same);
}

static void to_halves_body(const dialect_run *run)
{
  uint16_t *bits = malloc(2 * CELLS);
  void *values = dialect_room(run, CELLS);
  for (size_t i = 0; i < CELLS; i++) dialect_put(run, values, i, (double)half_operand(i));
  trm_buffer *buffers[] = { dialect_upload(run, values, CELLS * run->size),
                            dialect_poison(run, 2 * CELLS), dialect_poison(run, 2 * CELLS) };
  dialect_launch(run, "dialect_to_halves", CELLS, 1, 1, &(dialect_params){ 0 }, buffers, 3);
  for (int pairs = 0; pairs < 2; pairs++) {
    TEST_OK(trm_buffer_read(buffers[1 + pairs], 0, 2 * CELLS, bits));
    for (size_t i = 0; i < CELLS; i++) {
      const float value = half_operand(i);
      if (isnan(value)) assert_true(is_half_nan(bits[i]));
      else if (isinf(value)) assert_int_equal(bits[i], value > 0 ? 0x7c00 : 0xfc00);
      else assert_true(half_of_bits(bits[i]) == nearest_half(value) &&
                       !signbit(value) == !(bits[i] & 0x8000));
    }
  }
  for (size_t i = 0; i < 3; i++) trm_buffer_destroy(&buffers[i]);
  free(values);
  free(bits);
}

static void all_16_bit_floats(trm_device *device)
{
  dialect_each(device, &dialect_tools_source, NULL, from_halves_body);
}

static void reals_round_to_the_nearest_16_bit_float(trm_device *device)
{
  dialect_each(device, &dialect_tools_source, NULL, to_halves_body);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(all_16_bit_floats),
    TEST_DEVICE(reals_round_to_the_nearest_16_bit_float),
  };
  return TEST_RUN(argc, argv, cases);
}
