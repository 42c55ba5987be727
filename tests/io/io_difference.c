/* Distances between fields: bits, absolute, relative, ULPs and their places. */
#include "tests/harness.h"

#include <math.h>
#include <string.h>

#include "io/difference.h"

static trm_array array_of(trm_type type, size_t nx, size_t ny, int components, const void *data)
{
  return (trm_array){"speed", "lattice", type, components, nx, ny, 1, data};
}

static trm_difference compare(trm_type type, size_t count, const void *a, const void *b)
{
  const trm_array x = array_of(type, count, 1, 1, a), y = array_of(type, count, 1, 1, b);
  trm_difference d;
  TEST_OK(trm_difference_compute(&x, &y, &d));
  return d;
}

static void equal_fields_have_no_difference(void)
{
  const double a[3] = {1.0, -2.0, (double)INFINITY};
  const trm_difference d = compare(TRM_TYPE_F64, 3, a, a);
  assert_int_equal(d.values, 3);
  assert_int_equal(d.differing, 0);
  assert_true(d.absolute == 0.0 && d.relative == 0.0 && d.scaled == 0.0 && d.ulps == 0);
  assert_true(d.largest == 2.0);
}

static void each_largest_has_its_own_place(void)
{
  const double a[6] = {1.0, 100.0, 1e-9, 0.0, 5.0, -1.0};
  const double b[6] = {1.0, 101.0, 2e-9, 1e-12, 5.0, 1.0};
  const trm_array x = array_of(TRM_TYPE_F64, 3, 1, 2, a), y = array_of(TRM_TYPE_F64, 3, 1, 2, b);
  trm_difference d;
  TEST_OK(trm_difference_compute(&x, &y, &d));
  assert_int_equal(d.values, 6);
  assert_int_equal(d.differing, 4);
  assert_true(d.first.x == 1 && d.first.component == 0);
  TEST_CLOSE(d.absolute, 2.0, 0.0);
  assert_true(d.absolute_at.component == 1 && d.absolute_at.x == 2);
  TEST_CLOSE(d.relative, 2.0, 0.0);                  /* -1 and 1 */
  assert_true(d.relative_at.component == 1 && d.relative_at.x == 2);
  TEST_CLOSE(d.scaled, 0.02, 1e-15);
  assert_true(d.ulps_at.component == 1 && d.ulps_at.x == 2);
}

static void positions_are_component_z_y_x(void)
{
  float a[2 * 2 * 3 * 4] = {0}, b[2 * 2 * 3 * 4] = {0};
  const trm_array x = {"a", "", TRM_TYPE_F32, 2, 4, 3, 2, a},
                  y = {"a", "", TRM_TYPE_F32, 2, 4, 3, 2, b};
  trm_difference d;
  b[((1 * 2 + 1) * 3 + 2) * 4 + 3] = 1.0f;
  TEST_OK(trm_difference_compute(&x, &y, &d));
  assert_true(d.first.component == 1 && d.first.z == 1 && d.first.y == 2 && d.first.x == 3);
  assert_true(isinf(d.scaled));                      /* nothing to scale by */
}

static void ulps_count_representable_numbers(void)
{
  const float a[1] = {1.0f}, b[1] = {nextafterf(nextafterf(1.0f, 2.0f), 2.0f)};
  const float below[1] = {nextafterf(1.0f, 0.0f)};
  const double tiny[1] = {4.9406564584124654e-324}, minus[1] = {-4.9406564584124654e-324};
  const double far[1] = {1.7976931348623157e308}, opposite[1] = {-1.7976931348623157e308};
  assert_int_equal(compare(TRM_TYPE_F32, 1, a, b).ulps, 2);
  assert_int_equal(compare(TRM_TYPE_F32, 1, a, below).ulps, 1);
  assert_int_equal(compare(TRM_TYPE_F64, 1, tiny, minus).ulps, 2);
  assert_true(compare(TRM_TYPE_F64, 1, far, opposite).ulps == 2 * UINT64_C(0x7fefffffffffffff));
}

static void zeros_of_both_signs_differ_in_bits_only(void)
{
  const double a[1] = {0.0}, b[1] = {-0.0};
  const trm_difference d = compare(TRM_TYPE_F64, 1, a, b);
  assert_int_equal(d.differing, 1);
  assert_true(d.absolute == 0.0 && d.relative == 0.0 && d.ulps == 0 && d.scaled == 0.0);
}

static void nan_equals_nan_and_nothing_else(void)
{
  uint64_t payload = UINT64_C(0x7ff8000000000123);
  double other;
  memcpy(&other, &payload, sizeof other);
  const double a[2] = {(double)NAN, 1.0}, same[2] = {other, 1.0}, b[2] = {1.0, 1.0};
  const double plus[1] = {(double)INFINITY}, minus[1] = {-(double)INFINITY};
  assert_int_equal(compare(TRM_TYPE_F64, 2, a, same).differing, 0);
  const trm_difference d = compare(TRM_TYPE_F64, 2, a, b);
  assert_int_equal(d.differing, 1);
  assert_int_equal(d.not_finite, 1);
  assert_true(isinf(d.absolute) && isinf(d.relative) && d.ulps == UINT64_MAX);
  assert_int_equal(compare(TRM_TYPE_F64, 1, plus, minus).not_finite, 1);
}

static void integers_are_compared_too(void)
{
  const uint8_t a[3] = {0, 1, 255}, b[3] = {0, 0, 250};
  const int32_t i[1] = {INT32_MIN}, j[1] = {INT32_MAX};
  const trm_difference d = compare(TRM_TYPE_U8, 3, a, b);
  assert_int_equal(d.differing, 2);
  assert_int_equal(d.ulps, 5);
  assert_int_equal(compare(TRM_TYPE_I32, 1, i, j).ulps, UINT32_MAX);
}

static void different_shapes_cannot_be_compared(void)
{
  const float a[4] = {0};
  const trm_array x = array_of(TRM_TYPE_F32, 2, 2, 1, a), y = array_of(TRM_TYPE_F32, 4, 1, 1, a);
  const trm_array z = array_of(TRM_TYPE_I32, 2, 2, 1, a),
                  none = array_of(TRM_TYPE_F32, 2, 2, 1, NULL);
  trm_difference d;
  TEST_FAILS(trm_difference_compute(&x, &y, &d), TRM_ERROR_INVALID,
             "type and shape must be the same");
  TEST_FAILS(trm_difference_compute(&x, &z, &d), TRM_ERROR_INVALID, "i32");
  TEST_FAILS(trm_difference_compute(&x, &none, &d), TRM_ERROR_INVALID, "is empty");
}

static void differences_have_a_place_and_a_distance(void)
{
  enum { NX = 200, NY = 3 };
  float a[NX * NY], b[NX * NY];
  for (size_t i = 0; i < NX * NY; i++) a[i] = b[i] = 1.0f;
  b[NX + 199] = nextafterf(nextafterf(nextafterf(1.0f, 2), 2), 2); /* row 1, last column: 3 ULP */
  b[2 * NX] = nextafterf(1.0f, 2);                                 /* row 2, first column: 1 ULP */
  b[5] = NAN;                                                      /* row 0 */
  const trm_array x = {"x", "1", TRM_TYPE_F32, 1, NX, NY, 1, a}, y = {"x", "1", TRM_TYPE_F32, 1, NX,
                                                                     NY, 1, b};
  static trm_spread spread;
  TEST_OK(trm_spread_compute(&x, &y, &spread));
  assert_int_equal(spread.width, TRM_SPREAD_SIDE);
  assert_int_equal(spread.height, NY);
  assert_int_equal(spread.ulps[0], NX * NY - 3);
  assert_int_equal(spread.ulps[1], 1);
  assert_int_equal(spread.ulps[2], 1);
  assert_true(isinf(spread.map[1]));
  assert_true(spread.map[spread.width + spread.width - 1] == (double)(b[NX + 199] - 1.0f));
  assert_true(spread.map[2 * spread.width] == (double)(b[2 * NX] - 1.0f));
  assert_true(spread.map[2 * spread.width + 1] == 0);
  const trm_array other = {"x", "1", TRM_TYPE_F32, 1, NX, NY - 1, 1, b};
  TEST_FAILS(trm_spread_compute(&x, &other, &spread), TRM_ERROR_INVALID, "cannot be compared");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(equal_fields_have_no_difference),
    TEST_HOST(each_largest_has_its_own_place),
    TEST_HOST(positions_are_component_z_y_x),
    TEST_HOST(ulps_count_representable_numbers),
    TEST_HOST(zeros_of_both_signs_differ_in_bits_only),
    TEST_HOST(nan_equals_nan_and_nothing_else),
    TEST_HOST(integers_are_compared_too),
    TEST_HOST(different_shapes_cannot_be_compared),
    TEST_HOST(differences_have_a_place_and_a_distance),
  };
  return TEST_RUN(argc, argv, cases);
}
