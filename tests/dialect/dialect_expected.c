/* dialect_expected.c - the expected values of the dialect's tests, in both precisions, compiled
 * like any other C: contraction off, no other flag of the kernels. */
#include "tests/dialect/dialect.h"

#include <math.h>
#include <string.h>

/* Of both signs and several sizes, with every bit of a double in use. */
static double dialect_number(size_t i, unsigned seed)
{
  uint64_t word = (i + 1 + ((uint64_t)seed << 32)) * UINT64_C(0x9e3779b97f4a7c15);
  word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
  word ^= word >> 31;
  const double mantissa = (double)(word >> 11) / 9007199254740992.0 - 0.5;
  return ldexp(mantissa, (int)(word & 3));
}

#define real float
#define R(literal) literal##f
#define NAME(name) name##_f32
#define MATH(name) name##f
#define SUBNORMAL R(3e-41)
#include "tests/dialect/dialect_expected.h"
#undef real
#undef R
#undef NAME
#undef MATH
#undef SUBNORMAL

#define real double
#define R(literal) literal
#define NAME(name) name##_f64
#define MATH(name) name
#define SUBNORMAL R(3e-310)
#include "tests/dialect/dialect_expected.h"

#define VALUES(p) \
  { make_params_##p, make_mixed_##p, numbers_##p, operands_##p, line_##p, smooth_##p, wide_##p, \
    space_##p, reach_##p, sums_##p, functions_##p, literals_##p, count_up_##p, arity_##p, \
    group_numbers_##p, transpose_##p, scan_##p, pairs_##p, backwards_##p, difference_##p }
const dialect_values dialect_values_of[2] = { [TRM_F32] = VALUES(f32), [TRM_F64] = VALUES(f64) };
