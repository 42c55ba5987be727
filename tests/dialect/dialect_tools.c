/* dialect_tools.c - kernel_math.h and kernel_group.h on every backend: reciprocals and roots are
 * within their bounds and have the bits of openmp's baseline; selections, ranks, largest values and
 * sweeps are what plain C makes them. */
#include "tests/dialect/dialect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules.h"

TRM_DECLARE_MODULES(dialect_tools);
extern const char trm_text_dialect_tools[];
static const trm_host_module *const modules[] = { TRM_MODULES(dialect_tools), NULL };
static const trm_program_source source = { "dialect_tools", "tests/dialect/dialect_tools.k",
                                           trm_text_dialect_tools, modules };

enum { ROOTS = 7, SELECTIONS = 7, CELLS = 1 << 16 };

static double get(const dialect_run *run, const void *values, size_t i)
{
  return run->type == TRM_TYPE_F32 ? ((const float *)values)[i] : ((const double *)values)[i];
}

static void put(const dialect_run *run, void *values, size_t i, double value)
{
  if (run->type == TRM_TYPE_F32) ((float *)values)[i] = (float)value;
  else ((double *)values)[i] = value;
}

/* values through a row kernel that makes `rows` rows of them; free the result. */
static void *map_rows(const dialect_run *run, const char *kernel, const void *values, size_t given,
                      size_t rows, const dialect_params *params)
{
  const size_t bytes = rows * CELLS * run->size;
  trm_buffer *buffers[] = { dialect_upload(run, values, given * CELLS * run->size),
                            dialect_poison(run, bytes) };
  void *found = dialect_room(run, rows * CELLS);
  dialect_launch(run, kernel, CELLS, 1, 1, params, buffers, 2);
  TEST_OK(trm_buffer_read(buffers[1], 0, bytes, found));
  for (size_t i = 0; i < 2; i++) trm_buffer_destroy(&buffers[i]);
  return found;
}

/* ---- reciprocals and roots ------------------------------------------------------------------ */

/* Numbers over two octaves, and the ends of what the functions are for. */
static void *operands(const dialect_run *run, size_t chunk, size_t chunks)
{
  static const double ends[] = { 1e-30, 1.5e-30, 1e-20, 3e-9, 7e8, 1e20, 1e30, 9.9e36 };
  void *values = dialect_room(run, CELLS);
  const size_t first = chunk * CELLS;
  for (size_t i = 0; i < CELLS; i++)
    put(run, values, i, 1.0 + 3.0 * ((double)(first + i) + 0.37) / (double)(chunks * CELLS));
  for (size_t i = 0; chunks == 1 && i < sizeof ends / sizeof ends[0]; i++)
    put(run, values, i, ends[i]);
  return values;
}

static long double exact(size_t row, long double a, long double mass)
{
  switch (row) {
  case 0: case 3: return 1.0L / a;
  case 1: case 4: return sqrtl(a);
  case 6: return mass / (a * sqrtl(a));
  default: return 1.0L / sqrtl(a);
  }
}

/* Two units in the last place; correctly rounded where that is promised: half a unit. */
static long double bound(const dialect_run *run, size_t row)
{
  const int is_f32 = run->type == TRM_TYPE_F32;
  const long double unit = is_f32 ? 0x1p-23L : 0x1p-52L;
  if (row == 5) return is_f32 ? 1.8e-7L : 4e-16L;
  if (row == 6) return is_f32 ? 5e-7L : 1.5e-15L;
  return is_f32 && row >= 3 ? unit / 2.0L : 2.0L * unit;
}

static const dialect_params half_masses = { .a = 1.7 };

static void check_bounds(const dialect_run *run, const void *values, const void *found)
{
  const long double mass = run->type == TRM_TYPE_F32 ? (long double)1.7f : (long double)1.7;
  for (size_t row = 0; row < ROOTS; row++) {
    long double worst = 0.0L;
    for (size_t i = 0; i < CELLS; i++) {
      const long double right = exact(row, get(run, values, i), mass);
      if (row == 6 && (right < 1e-30L || right > 1e30L)) continue; /* no room for its square */
      const long double off = fabsl((long double)get(run, found, row * CELLS + i) / right - 1.0L);
      if (!(off <= bound(run, row)))
        fail_msg("row %zu, %g: relative error %Lg", row, get(run, values, i), off);
      worst = off > worst ? off : worst;
    }
    assert_true(worst > bound(run, row) / 40.0L); /* the bound is near */
  }
}

static void *roots_on(const dialect_run *run, const void *values)
{
  return map_rows(run, "dialect_roots", values, 1, ROOTS, &half_masses);
}

/* The same numbers on openmp, baseline. */
static void *roots_on_a_host(const dialect_run *like, const void *values)
{
  const trm_program_options options = {
    .precision = like->type == TRM_TYPE_F32 ? TRM_F32 : TRM_F64, .math = TRM_STRICT };
  trm_device *device = test_open("openmp", NULL);
  dialect_run run;
  setenv("TRIREME_ISA", "baseline", 1);
  dialect_run_open(device, &source, &options, &run);
  unsetenv("TRIREME_ISA");
  void *found = roots_on(&run, values);
  dialect_run_close(&run);
  trm_device_close(&device);
  return found;
}

static void roots_body(const dialect_run *run)
{
  void *values = operands(run, 0, 1), *found = roots_on(run, values);
  void *host = roots_on_a_host(run, values);
  check_bounds(run, values, found);
  TEST_SAME_BITS(found, host, (size_t)ROOTS * CELLS, run->type);
  free(values);
  free(found);
  free(host);
}

static void reciprocals_and_roots_are_near_and_the_same_everywhere(trm_device *device)
{
  dialect_each(device, &source, NULL, roots_body);
}

/* Diverging flows ask for such; the undefined-behaviour sanitizer watches the guesses. */
static void have_no_number_where_there_is_none_body(const dialect_run *run)
{
  void *values = operands(run, 0, 1);
  for (size_t x = 0; x < CELLS; x++) {
    const double v = x % 3 == 0 ? (double)NAN : x % 3 == 1 ? -(double)NAN : -(double)x;
    if (run->type == TRM_TYPE_F32) ((float *)values)[x] = (float)v;
    else ((double *)values)[x] = v;
  }
  void *found = roots_on(run, values);
  for (size_t i = 0; i < (size_t)ROOTS * CELLS; i++)
    if (i % CELLS % 3 != 2)
      assert_true(isnan(run->type == TRM_TYPE_F32 ? (double)((float *)found)[i]
                                                  : ((double *)found)[i]));
  free(values);
  free(found);
}

static void and_have_no_number_where_there_is_none(trm_device *device)
{
  dialect_each(device, &source, NULL, have_no_number_where_there_is_none_body);
}

static void and_are_near_for_every_mantissa_of_f32(void)
{
  enum { CHUNKS = (1 << 24) / CELLS };
  const trm_program_options options = { .precision = TRM_F32, .math = TRM_STRICT };
  trm_device *device = test_open("openmp", NULL);
  dialect_run run;
  dialect_run_open(device, &source, &options, &run);
  for (size_t chunk = 0; chunk < CHUNKS; chunk++) {
    void *values = operands(&run, chunk, CHUNKS);
    for (uint32_t i = 0; i < CELLS; i++) { /* two octaves: 1 to 4 */
      const uint32_t bits = 0x3f800000u + (uint32_t)chunk * CELLS + i;
      memcpy((float *)values + i, &bits, sizeof bits);
    }
    void *found = roots_on(&run, values);
    check_bounds(&run, values, found);
    free(values);
    free(found);
  }
  dialect_run_close(&run);
  trm_device_close(&device);
}

/* ---- selections ------------------------------------------------------------------------------ */

/* a and b of every pairing of some numbers; no two zeros, of which either sign may be chosen. */
static void *pairs(const dialect_run *run)
{
  static const double some[] = { 1.0, -1.0, 0.25, -0.25, 1.0000001, 3e30, -3e30, 1e-30, -1e-30,
                                 2.5, -7.0, 1e-3 };
  enum { SOME = sizeof some / sizeof some[0] };
  void *values = dialect_room(run, 2 * CELLS);
  for (size_t i = 0; i < CELLS; i++) {
    put(run, values, i, some[i % SOME]);
    put(run, values, CELLS + i, some[i / SOME % SOME]);
  }
  return values;
}

static double rounded(const dialect_run *run, double value)
{
  return run->type == TRM_TYPE_F32 ? (double)(float)value : value;
}

/* mean (a + b), no steeper than either, 0 where they differ in sign. */
static double limited(const dialect_run *run, double mean, double a, double b)
{
  const double middle = rounded(run, rounded(run, mean) * rounded(run, a + b));
  const double least = fabs(a) < fabs(b) ? a : b;
  if ((a < 0.0) != (b < 0.0)) return 0.0;
  return fabs(middle) < fabs(least) ? middle : least;
}

static void selections_body(const dialect_run *run)
{
  const dialect_params params = { .a = 0.5, .b = 0.125 };
  void *values = pairs(run);
  void *found = map_rows(run, "dialect_selections", values, 2, SELECTIONS, &params);
  for (size_t i = 0; i < CELLS; i++) {
    const double a = get(run, values, i), b = get(run, values, CELLS + i);
    const double want[SELECTIONS] = { a < b ? a : b, a > b ? a : b, limited(run, 0.5, a, b),
                                      fmax(a < b ? a : b, 0.125), fmin(a, -fabs(b)),
                                      fmax(a, fabs(b)), b };
    for (size_t row = 0; row < SELECTIONS; row++)
      if (get(run, found, row * CELLS + i) != want[row])
        fail_msg("row %zu of %g and %g: %g, not %g", row, a, b, get(run, found, row * CELLS + i),
                 want[row]);
  }
  free(values);
  free(found);
}

static void selections_and_bits(trm_device *device)
{
  dialect_each(device, &source, NULL, selections_body);
}

static void branches_body(const dialect_run *run)
{
  const dialect_params params = { .a = 0.0 };
  void *values = operands(run, 0, 1);
  void *found = map_rows(run, "dialect_branches", values, 1, 1, &params);
  for (size_t i = 0; i < CELLS; i++) {
    double a = get(run, values, i);
    while (a > 1.0) a *= 0.5;
    assert_true(get(run, found, i) == (a > 0.75 ? a : -a));
  }
  free(values);
  free(found);
}

static void cells_that_branch(trm_device *device)
{
  dialect_each(device, &source, NULL, branches_body);
}

/* ---- groups ------------------------------------------------------------------------------ */

enum { GROUPS = 9 };

static void expect_ints(trm_buffer *buffer, const int32_t *want, size_t count)
{
  int32_t *found = malloc(count * sizeof *found);
  assert_non_null(found);
  TEST_OK(trm_buffer_read(buffer, 0, count * sizeof *found, found));
  for (size_t i = 0; i < count; i++)
    if (found[i] != want[i]) fail_msg("value %zu: %d, not %d", i, (int)found[i], (int)want[i]);
  free(found);
}

/* Groups of one kind only, of none, and mixed. */
static void ranks_body(const dialect_run *run)
{
  int32_t kinds[GROUPS][32], want[GROUPS][35] = { { 0 } };
  for (int g = 0; g < GROUPS; g++)
    for (int t = 0; t < 32; t++) {
      const int kind = g < 4 ? g : t * t * 7 / (g - 1) % 4;
      kinds[g][t] = kind;
      want[g][t] = kind ? want[g][31 + kind]++ : -1;
    }
  /* counted in the places of kinds 1 to 3 */
  const dialect_params params = { .a = 0.0 };
  trm_buffer *buffers[] = { dialect_upload(run, kinds, sizeof kinds),
                            dialect_poison(run, sizeof want) };
  dialect_launch(run, "dialect_ranks", GROUPS, 1, 1, &params, buffers, 2);
  expect_ints(buffers[1], want[0], sizeof want / sizeof want[0][0]);
  for (size_t i = 0; i < 2; i++) trm_buffer_destroy(&buffers[i]);
}

static void lanes_rank_themselves(trm_device *device)
{
  dialect_each(device, &source, NULL, ranks_body);
}

static void check_largest(const dialect_run *run, int count, int with_nan)
{
  const size_t all = (size_t)(count ? count : 1) * GROUPS;
  void *values = dialect_room(run, all), *want = dialect_room(run, GROUPS);
  for (int g = 0; g < GROUPS; g++) {
    double most = 0.0;
    for (int i = 0; i < count; i++) {
      const double v = rounded(run, fabs(sin(1.0 + 3.0 * i + 1000.0 * g)));
      put(run, values, (size_t)(g * count + i), v);
      most = fmax(most, v);
    }
    put(run, want, (size_t)g, most);
  }
  if (with_nan) put(run, values, (size_t)(2 * count + count / 2), NAN);
  const dialect_params params = { .count = count };
  trm_buffer *buffers[] = { dialect_upload(run, values, all * run->size),
                            dialect_poison(run, GROUPS * run->size) };
  dialect_launch(run, "dialect_largest_of", GROUPS, 1, 1, &params, buffers, 2);
  void *found = dialect_room(run, GROUPS);
  TEST_OK(trm_buffer_read(buffers[1], 0, GROUPS * run->size, found));
  for (size_t g = 0; g < GROUPS; g++)
    if (with_nan && g == 2) assert_true(isnan(get(run, found, g)));
    else assert_true(get(run, found, g) == get(run, want, g));
  for (size_t i = 0; i < 2; i++) trm_buffer_destroy(&buffers[i]);
  free(values);
  free(want);
  free(found);
}

static void largest_body(const dialect_run *run)
{
  static const int counts[] = { 0, 1, 3, 31, 255, 256, 257, 1000, 5001 };
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) check_largest(run, counts[i], 0);
  check_largest(run, 1, 1);
  check_largest(run, 777, 1);
}

static void the_largest_of_many(trm_device *device)
{
  dialect_each(device, &source, NULL, largest_body);
}

static void sweeps_body(const dialect_run *run)
{
  enum { COUNT = 21 };
  const size_t size = 32 * GROUPS;
  void *values = dialect_room(run, 4 * COUNT), *g = dialect_room(run, size);
  void *h = dialect_room(run, size);
  for (size_t j = 0; j < COUNT; j++) put(run, values, 4 * j, 0.1 * (double)(j + 1));
  for (size_t i = 0; i < size; i++) {
    double every = (double)(i / 32), lanes = 0.0;
    for (size_t j = 0; j < COUNT; j++) {
      const double term = rounded(run, (double)(i % 32) * get(run, values, 4 * j));
      if (j % 2 == 0) every = rounded(run, every + term);
      lanes = rounded(run, lanes + term);
    }
    put(run, g, i, every);
    put(run, h, i, lanes);
  }
  const dialect_params params = { .count = COUNT };
  trm_buffer *buffers[] = { dialect_upload(run, values, 4 * COUNT * run->size),
                            dialect_poison(run, size * run->size),
                            dialect_poison(run, size * run->size) };
  dialect_launch(run, "dialect_sweeps", GROUPS, 1, 1, &params, buffers, 3);
  dialect_expect(run, buffers[1], g, size);
  dialect_expect(run, buffers[2], h, size);
  for (size_t i = 0; i < 3; i++) trm_buffer_destroy(&buffers[i]);
  free(values);
  free(g);
  free(h);
}

static void loops_of_every_item_and_of_32_lanes(trm_device *device)
{
  dialect_each(device, &source, NULL, sweeps_body);
}

/* ---- 16-bit floats -------------------------------------------------------------------------- */

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
      const double value = get(run, found, i), want = half_of_bits(i);
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
  for (size_t i = 0; i < CELLS; i++) put(run, values, i, (double)half_operand(i));
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
  dialect_each(device, &source, NULL, from_halves_body);
}

static void reals_round_to_the_nearest_16_bit_float(trm_device *device)
{
  dialect_each(device, &source, NULL, to_halves_body);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(reciprocals_and_roots_are_near_and_the_same_everywhere),
    TEST_DEVICE(and_have_no_number_where_there_is_none),
    TEST_HOST(and_are_near_for_every_mantissa_of_f32),
    TEST_DEVICE(selections_and_bits),
    TEST_DEVICE(cells_that_branch),
    TEST_DEVICE(lanes_rank_themselves),
    TEST_DEVICE(the_largest_of_many),
    TEST_DEVICE(loops_of_every_item_and_of_32_lanes),
    TEST_DEVICE(all_16_bit_floats),
    TEST_DEVICE(reals_round_to_the_nearest_16_bit_float),
  };
  return TEST_RUN(argc, argv, cases);
}
