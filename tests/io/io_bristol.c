/* The coursework's files: what is read, and each refusal with its file, line, cause and cure. */
#include "tests/harness.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/bristol.h"
#include "io/decimal.h"
#include "io/file.h"

static const char *write_file(const char *name, const char *text)
{
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  TEST_OK(trm_file_save(path, text, strlen(text)));
  return path;
}

static const char *load(const char *path)
{
  static char *text = NULL;
  free(text);
  text = NULL;
  TEST_OK(trm_file_load(path, 1 << 20, &text, NULL));
  return text;
}

/* ---- parameters ------------------------------------------------------------ */

static void the_course_s_parameters_are_read(void)
{
  trm_bristol_params p;
  TEST_OK(trm_bristol_read_params(
      write_file("a.params", "128\n256\n40000\n10\n0.1\n0.005\n1.85\n"), &p));
  assert_int_equal(p.nx, 128);
  assert_int_equal(p.ny, 256);
  assert_int_equal(p.steps, 40000);
  assert_true(p.reynolds_dim == 10.0 && p.density == 0.1 && p.accel == 0.005 && p.omega == 1.85);
  assert_int_equal(p.line[6], 7);
  assert_string_equal(p.text[5], "0.005");
}

static void blank_lines_and_carriage_returns_are_allowed(void)
{
  trm_bristol_params p;
  TEST_OK(trm_bristol_read_params(
      write_file("a.params", "\r\n 8 \r\n\n9\r\n1\r\n10\r\n1e-1\r\n0\r\n1.85"), &p));
  assert_int_equal(p.nx, 8);
  assert_int_equal(p.ny, 9);
  assert_true(p.accel == 0.0);
  assert_int_equal(p.line[0], 2);
  assert_int_equal(p.line[6], 9);
}

/* A good file with line `line` (1 to 7) replaced is refused there, in these words. */
static void params_refused(int line, const char *value, const char *part)
{
  static const char *const good[] = {"128", "128", "10", "10", "0.1", "0.005", "1.85"};
  char text[2048] = "", place[64];
  for (int i = 0; i < 7; i++) {
    strcat(text, i + 1 == line ? value : good[i]);
    strcat(text, "\n");
  }
  trm_bristol_params p = {.nx = -7};
  snprintf(place, sizeof place, "bad.params:%d: ", line);
  TEST_FAILS(trm_bristol_read_params(write_file("bad.params", text), &p), TRM_ERROR_INPUT, place);
  assert_non_null(strstr(trm_error_last()->text, part));
  assert_int_equal(p.nx, -7);
}

static void each_bad_parameter_is_named_with_its_line(void)
{
  params_refused(1, "0", "nx = 0 is too small; give at least 1");
  params_refused(1, "-128", "nx = -128 is too small");
  params_refused(1, "2147483648", "nx = 2147483648 is too large");
  params_refused(1, "99999999999999999999999999", "too large");
  params_refused(1, "128.5", "nx needs a whole number");
  params_refused(1, "wide", "nx needs a number, not 'wide'");
  params_refused(1, "0x80", "nx needs a number");
  params_refused(1, "128 128", "write one value a line");
  params_refused(1, "nan", "nx = nan is not finite");
  params_refused(2, "2", "ny = 2 is too small; give at least 3 (row ny-2 is accelerated");
  params_refused(3, "0", "maxIters = 0 is too small");
  params_refused(3, "1e4", "maxIters needs a whole number");
  params_refused(4, "0", "reynolds_dim = 0 is zero; give a positive number");
  params_refused(5, "-0.1", "density = -0.1 is negative");
  params_refused(5, "inf", "density = inf is not finite");
  params_refused(5, "1e999", "density = 1e999 is not finite");
  params_refused(6, "-0.005", "accel = -0.005 is negative");
  params_refused(6, "0.005x", "follows the value of accel");
  params_refused(7, "2", "omega = 2 is not below 2");
  params_refused(7, "0", "omega = 0 is zero");
  params_refused(7, "NaN", "not finite");
  params_refused(7, "0.000000000000000000000000000000000000000001", "is too long");
}

static void short_and_long_files_are_refused(void)
{
  trm_bristol_params p;
  TEST_FAILS(trm_bristol_read_params(write_file("s.params", "128\n128\n10\n"), &p), TRM_ERROR_INPUT,
             "s.params:3: the file ends after 3 of its seven values, before reynolds_dim");
  TEST_FAILS(trm_bristol_read_params(write_file("e.params", ""), &p), TRM_ERROR_INPUT,
             "after 0 of its seven values, before nx");
  TEST_FAILS(trm_bristol_read_params(write_file("l.params", "8\n8\n1\n1\n1\n0\n1\n\n5\n"), &p),
             TRM_ERROR_INPUT, "l.params:9: '5' is one value too many");
  TEST_FAILS(trm_bristol_read_params("/nonexistent/x.params", &p), TRM_ERROR_IO,
             "/nonexistent/x.params': No such file");
  TEST_FAILS(trm_bristol_read_params(test_folder(), &p), TRM_ERROR_IO, "it is a folder");
}

static void a_grid_that_cannot_be_counted_is_refused(void)
{
  trm_bristol_params p;
  TEST_FAILS(trm_bristol_read_params(
                 write_file("h.params", "2147483647\n2147483647\n1\n1\n1\n0\n1\n"), &p),
             TRM_ERROR_OVERFLOW, "h.params:2: a grid of nx * ny = 2147483647 x 2147483647 cells");
}

static void binary_files_are_refused(void)
{
  trm_bristol_params p;
  char path[4096];
  snprintf(path, sizeof path, "%s/b.params", test_folder());
  TEST_OK(trm_file_save(path, "128\n\0" "128\n", 9));
  TEST_FAILS(trm_bristol_read_params(path, &p), TRM_ERROR_INPUT, "b.params: a zero byte");
}

/* ---- obstacles ------------------------------------------------------------- */

static void obstacles_make_a_set(void)
{
  uint8_t solid[12];
  const uint8_t expected[12] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0};
  size_t blocked = 99;
  memset(solid, 7, sizeof solid);
  TEST_OK(trm_bristol_read_obstacles(write_file("o.dat", "0 0 1\n3 1 1\r\n\n 1\t2 1\n0 0 1"), 4, 3,
                                     solid, &blocked));
  assert_int_equal(blocked, 3);
  assert_memory_equal(solid, expected, 12);
  TEST_OK(trm_bristol_read_obstacles(write_file("o.dat", ""), 4, 3, solid, &blocked));
  assert_int_equal(blocked, 0);
}

static void obstacle_refused(const char *text, int line, const char *part)
{
  uint8_t solid[12];
  size_t blocked = 99;
  char place[64];
  snprintf(place, sizeof place, "o.dat:%d: ", line);
  TEST_FAILS(trm_bristol_read_obstacles(write_file("o.dat", text), 4, 3, solid, &blocked),
             TRM_ERROR_INPUT, place);
  assert_non_null(strstr(trm_error_last()->text, part));
  assert_int_equal(blocked, 99);
}

static void each_bad_obstacle_is_named_with_its_line(void)
{
  obstacle_refused("0 0 1\n4 0 1\n", 2, "x = 4 lies outside the grid, whose nx = 4 allows 0 to 3");
  obstacle_refused("0 3 1\n", 1, "y = 3 lies outside the grid");
  obstacle_refused("-1 0 1\n", 1, "x = -1 lies outside");
  obstacle_refused("0 -1 1\n", 1, "y = -1 lies outside");
  obstacle_refused("99999999999999999999 0 1\n", 1, "lies outside");
  obstacle_refused("0 0 0\n", 1, "the third number is 0 and must be 1");
  obstacle_refused("0 0 2\n", 1, "the third number is 2");
  obstacle_refused("0 0\n", 1, "'0 0' is not an obstacle");
  obstacle_refused("0 0 1 1\n", 1, "is not an obstacle");
  obstacle_refused("0 0 1.5\n", 1, "is not an obstacle");
  obstacle_refused("0,0,1\n", 1, "is not an obstacle");
  obstacle_refused("\n\nx y 1\n", 3, "is not an obstacle");
}

static void a_grid_without_fluid_is_refused(void)
{
  uint8_t solid[2];
  size_t blocked = 99;
  TEST_FAILS(
      trm_bristol_read_obstacles(write_file("o.dat", "0 0 1\n1 0 1\n"), 2, 1, solid, &blocked),
      TRM_ERROR_INPUT, "all 2 cells of the 2 x 1 grid are blocked, so there is no fluid cell");
  TEST_OK(trm_bristol_read_obstacles(write_file("o.dat", "0 0 1\n0 0 1\n"), 2, 1, solid, &blocked));
}

/* ---- results --------------------------------------------------------------- */

static void series_have_the_course_s_form(void)
{
  const double values[] = {1.094269153342e-05, 0.0, 12.5};
  char path[4096];
  snprintf(path, sizeof path, "%s/av_vels.dat", test_folder());
  TEST_OK(trm_bristol_write_series(path, values, 3));
  assert_string_equal(load(path),
                      "0:\t1.094269153342E-05\n1:\t0.000000000000E+00\n2:\t1.250000000000E+01\n");
}

/* A state in the host's memory. */
typedef struct cells {
  size_t all, bytes;
  const void *velocity, *pressure;
  const uint8_t *solid;
} cells;

static trm_status copy_cells(void *user, size_t first, size_t count, void *velocity,
                             void *pressure, uint8_t *solid)
{
  const cells *c = user;
  for (size_t i = 0; i < 2; i++)
    memcpy((char *)velocity + i * count * c->bytes,
           (const char *)c->velocity + (i * c->all + first) * c->bytes, count * c->bytes);
  memcpy(pressure, (const char *)c->pressure + first * c->bytes, count * c->bytes);
  memcpy(solid, c->solid + first, count);
  return TRM_OK;
}

static void states_have_the_course_s_form(void)
{
  const double velocity[] = {0.0, 3e-3, 0.0, 0.0, 0.0, 4e-3, 0.0, 0.0};
  const double pressure[] = {1.0 / 30, 0.5, 0.25, 0.125};
  const uint8_t solid[] = {1, 0, 0, 0};
  char path[4096];
  snprintf(path, sizeof path, "%s/final_state.dat", test_folder());
  cells all = {4, sizeof(double), velocity, pressure, solid};
  TEST_OK(trm_bristol_write_state(path, 2, 2, TRM_TYPE_F64, copy_cells, &all));
  assert_string_equal(
      load(path),
      "0 0 0.000000000000E+00 0.000000000000E+00 0.000000000000E+00 3.333333333333E-02 1\n"
      "1 0 3.000000000000E-03 4.000000000000E-03 5.000000000000E-03 5.000000000000E-01 0\n"
      "0 1 0.000000000000E+00 0.000000000000E+00 0.000000000000E+00 2.500000000000E-01 0\n"
      "1 1 0.000000000000E+00 0.000000000000E+00 0.000000000000E+00 1.250000000000E-01 0\n");
}

static void single_precision_states_print_as_the_course_s(void)
{
  const float velocity[] = {0.1f, 0.2f}, pressure[] = {0.3f};
  const uint8_t solid[] = {0};
  char path[4096], expected[256];
  snprintf(path, sizeof path, "%s/final_state.dat", test_folder());
  cells all = {1, sizeof(float), velocity, pressure, solid};
  TEST_OK(trm_bristol_write_state(path, 1, 1, TRM_TYPE_F32, copy_cells, &all));
  snprintf(expected, sizeof expected, "0 0 %.12E %.12E %.12E %.12E 0\n", (double)0.1f, (double)0.2f,
           (double)sqrtf(0.1f * 0.1f + 0.2f * 0.2f), (double)0.3f);
  assert_string_equal(load(path), expected);
  TEST_FAILS(trm_bristol_write_state(path, 1, 1, TRM_TYPE_U8, copy_cells, &all),
             TRM_ERROR_INVALID, "u8");
}

static void prints_as_printf(double value)
{
  char text[TRMI_DECIMAL_BYTES], expected[64];
  snprintf(expected, sizeof expected, "%.12E", value);
  assert_int_equal(trmi_decimal_real(value, text), strlen(expected));
  assert_string_equal(text, expected);
}

/* Halves, carries into a new power of ten, the ends of the range, and a million arbitrary bits. */
static void decimals_are_those_of_printf(void)
{
  volatile long double one = 1.0L, little = 0x1p-60L;
  if (LDBL_MANT_DIG >= 64 && one + little == one)
    TEST_SKIP("long double is less here than the compiler was told (valgrind)");
  static const double special[] = {
    0.0, -0.0, 1.0, -1.0, 0.1, 9.9999999999999, 9.99999999999949, 9.9999999999995, 99999999999995.0,
    1.0000000000005, 1.5, 1.00000000000050004, 12345678901234.5, 1234567890123.5, 1234567890124.5,
    1e12, 1e13, 9999999999999.5, 1e22, 1e23, 1e39, 1e40, 1e-15, 1e-16, 1e300, 1e-300, 5e-324,
    1.7976931348623157e308, 3.333333333333e-02, 999999999999.95, 0.5000000000005, 0.25};
  uint64_t bits = UINT64_C(0x9e3779b97f4a7c15);
  for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
    prints_as_printf(special[i]);
    prints_as_printf(-special[i]);
    prints_as_printf(nextafter(special[i], 1e308));
    prints_as_printf(nextafter(special[i], -1e308));
  }
  prints_as_printf((double)NAN);
  prints_as_printf((double)INFINITY);
  for (int power = -20; power <= 45; power++) {
    prints_as_printf(pow(10.0, power));
    prints_as_printf(nextafter(pow(10.0, power), 0.0));
  }
  for (int i = 0; i < 1000000; i++) {
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    /* A random mantissa, an exponent between 2^-60 and 2^67, every fourth with float's few bits. */
    const uint64_t exponent = 1023 - 60 + (bits >> 5) % 128;
    const uint64_t mantissa = (bits >> 12) & (i % 4 ? ~UINT64_C(0) : ~UINT64_C(0x1fffffff));
    const uint64_t sign = bits & UINT64_C(1) << 63;
    const uint64_t word = sign | exponent << 52 | (mantissa & (UINT64_MAX >> 12));
    double value;
    memcpy(&value, &word, sizeof value);
    prints_as_printf(value);
  }
}

static void sizes_are_those_of_printf(void)
{
  static const size_t sizes[] = {0, 1, 9, 10, 99, 100, 4096, SIZE_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char text[TRMI_DECIMAL_BYTES], expected[64];
    snprintf(expected, sizeof expected, "%zu", sizes[i]);
    assert_int_equal(trmi_decimal_size(sizes[i], text), strlen(expected));
    assert_string_equal(text, expected);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(the_course_s_parameters_are_read),
    TEST_HOST(blank_lines_and_carriage_returns_are_allowed),
    TEST_HOST(each_bad_parameter_is_named_with_its_line),
    TEST_HOST(short_and_long_files_are_refused),
    TEST_HOST(a_grid_that_cannot_be_counted_is_refused),
    TEST_HOST(binary_files_are_refused),
    TEST_HOST(obstacles_make_a_set),
    TEST_HOST(each_bad_obstacle_is_named_with_its_line),
    TEST_HOST(a_grid_without_fluid_is_refused),
    TEST_HOST(series_have_the_course_s_form),
    TEST_HOST(states_have_the_course_s_form),
    TEST_HOST(single_precision_states_print_as_the_course_s),
    TEST_HOST(decimals_are_those_of_printf),
    TEST_HOST(sizes_are_those_of_printf),
  };
  return TEST_RUN(argc, argv, cases);
}
