/* dialect_tools.c - kernel_math.h on every backend: reciprocals and roots are within their bounds
 * and have the bits of openmp; selections are what plain C makes them. */
#include "tests/dialect/dialect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOTS = 9, SELECTIONS = 7, CELLS = 1 << 16 };

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
    dialect_put(run, values, i,
                1.0 + 3.0 * ((double)(first + i) + 0.37) / (double)(chunks * CELLS));
  for (size_t i = 0; chunks == 1 && i < sizeof ends / sizeof ends[0]; i++)
    dialect_put(run, values, i, ends[i]);
  return values;
}

static long double exact(size_t row, long double a, long double mass)
{
  switch (row) {
  case 0: case 3: return 1.0L / a;
  case 1: case 4: return sqrtl(a);
  case 6: return mass / (a * sqrtl(a));
  case 7: return mass / a;
  case 8: return -1.0L / a;
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
      const long double right = exact(row, dialect_get(run, values, i), mass);
      /* no room for its square, or for what is left of a quotient */
      if (row >= 6 && (fabsl(right) < 1e-30L || fabsl(right) > 1e30L)) continue;
      const long double is = dialect_get(run, found, row * CELLS + i);
      const long double off = fabsl(is / right - 1.0L);
      if (!(off <= bound(run, row)))
        fail_msg("row %zu, %g: relative error %Lg", row, dialect_get(run, values, i), off);
      worst = off > worst ? off : worst;
    }
    assert_true(worst > bound(run, row) / 40.0L); /* the bound is near */
  }
}

static void *roots_on(const dialect_run *run, const void *values)
{
  return map_rows(run, "dialect_roots", values, 1, ROOTS, &half_masses);
}

/* The same numbers on openmp. */
static void *roots_on_a_host(const dialect_run *like, const void *values)
{
  const trm_program_options options = {
    .precision = like->type == TRM_TYPE_F32 ? TRM_F32 : TRM_F64, .math = TRM_STRICT };
  trm_device *device = test_open("openmp", NULL);
  dialect_run run;
  dialect_run_open(device, &dialect_tools_source, &options, &run);
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
  dialect_each(device, &dialect_tools_source, NULL, roots_body);
}

/* Diverging flows ask for such; the undefined-behaviour sanitizer watches the guesses. */
static void have_no_number_where_there_is_none_body(const dialect_run *run)
{
  void *values = operands(run, 0, 1);
  for (size_t x = 0; x < CELLS; x++) {
    const double v = x % 3 == 0 ? (double)NAN : x % 3 == 1 ? -(double)NAN : -(double)x;
    dialect_put(run, values, x, v);
  }
  void *found = roots_on(run, values);
  for (size_t i = 0; i < (size_t)ROOTS * CELLS; i++)
    if (i % CELLS % 3 != 2) assert_true(isnan(dialect_get(run, found, i)));
  free(values);
  free(found);
}

static void and_have_no_number_where_there_is_none(trm_device *device)
{
  dialect_each(device, &dialect_tools_source, NULL, have_no_number_where_there_is_none_body);
}

static void and_are_near_for_every_mantissa_of_f32(void)
{
  enum { CHUNKS = (1 << 24) / CELLS };
  const trm_program_options options = { .precision = TRM_F32, .math = TRM_STRICT };
  trm_device *device = test_open("openmp", NULL);
  dialect_run run;
  dialect_run_open(device, &dialect_tools_source, &options, &run);
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
    dialect_put(run, values, i, some[i % SOME]);
    dialect_put(run, values, CELLS + i, some[i / SOME % SOME]);
  }
  return values;
}

/* mean (a + b), no steeper than either, 0 where they differ in sign. */
static double limited(const dialect_run *run, double mean, double a, double b)
{
  const double sum = dialect_rounded(run, a + b);
  const double middle = dialect_rounded(run, dialect_rounded(run, mean) * sum);
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
    const double a = dialect_get(run, values, i), b = dialect_get(run, values, CELLS + i);
    const double want[SELECTIONS] = { a < b ? a : b, a > b ? a : b, limited(run, 0.5, a, b),
                                      fmax(a < b ? a : b, 0.125), fmin(a, -fabs(b)),
                                      fmax(a, fabs(b)), b };
    for (size_t row = 0; row < SELECTIONS; row++) {
      const double is = dialect_get(run, found, row * CELLS + i);
      if (is != want[row])
        fail_msg("row %zu of %g and %g: %g, not %g", row, a, b, is, want[row]);
    }
  }
  free(values);
  free(found);
}

static void selections_and_bits(trm_device *device)
{
  dialect_each(device, &dialect_tools_source, NULL, selections_body);
}

static void branches_body(const dialect_run *run)
{
  const dialect_params params = { .a = 0.0 };
  void *values = operands(run, 0, 1);
  void *found = map_rows(run, "dialect_branches", values, 1, 1, &params);
  for (size_t i = 0; i < CELLS; i++) {
    double a = dialect_get(run, values, i);
    while (a > 1.0) a *= 0.5;
    assert_true(dialect_get(run, found, i) == (a > 0.75 ? a : -a));
  }
  free(values);
  free(found);
}

static void cells_that_branch(trm_device *device)
{
  dialect_each(device, &dialect_tools_source, NULL, branches_body);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(reciprocals_and_roots_are_near_and_the_same_everywhere),
    TEST_DEVICE(and_have_no_number_where_there_is_none),
    TEST_HOST(and_are_near_for_every_mantissa_of_f32),
    TEST_DEVICE(selections_and_bits),
    TEST_DEVICE(cells_that_branch),
  };
  return TEST_RUN(argc, argv, cases);
}
