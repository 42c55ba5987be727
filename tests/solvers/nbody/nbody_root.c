/* nbody_root.c - the bounds that nbody_root.h states for its 1 / sqrt and mu / sqrt^3, for every
 * f32 of two octaves and at the ends of its range. */
#include "tests/harness.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define TRM_F64_KERNEL 0
#define TRM_STRICT_KERNEL 1
#include "core/kernel.h"
#define nbody_bits root_bits_f32
#define nbody_both root_both_f32
#define nbody_root_strict root_f32
#define nbody_pull pull_f32
#include "solvers/nbody/kernels/nbody_root.h"
#undef nbody_bits
#undef nbody_both
#undef nbody_root_strict
#undef nbody_pull
#undef nbody_root
#undef NBODY_BITS
#undef NBODY_REAL
#undef NBODY_SWEEP
#undef TRM_F64_KERNEL
#undef trm_fma
#undef R
#define TRM_F64_KERNEL 1
#define R(literal) literal
#define trm_fma(a, b, c) __builtin_fma(a, b, c)
#define real double
#define nbody_bits root_bits_f64
#define nbody_both root_both_f64
#define nbody_root_strict root_f64
#define nbody_pull pull_f64
#include "solvers/nbody/kernels/nbody_root.h"
#undef real

static double worst_f32(float from, float to)
{
  double worst = 0.0;
  uint32_t bits, end;
  memcpy(&bits, &from, sizeof bits);
  memcpy(&end, &to, sizeof end);
  for (; bits < end; bits++) {
    float a;
    memcpy(&a, &bits, sizeof a);
    worst = fmax(worst, fabs((double)root_f32(a) * sqrt((double)a) - 1.0));
  }
  return worst;
}

static void one_over_sqrt_in_f32_is_within_its_bound_for_every_mantissa(void)
{
  const double worst = worst_f32(1.0f, 4.0f);
  if (!(worst < 1.8e-7)) fail_msg("relative error %g", worst);
  assert_true(worst > 5e-8);
  assert_true(worst_f32(0x1p-126f, 0x1.001p-126f) < 1.8e-7);
  assert_true(worst_f32(0x1.ffcp125f, 0x1p126f) < 1.8e-7);
}

static void one_over_sqrt_in_f64_is_within_its_bound(void)
{
  long double worst = 0.0L;
  for (int i = 0; i < 1 << 22; i++) {
    const double a = 1.0 + 3.0 * ((double)i + 0.37) / (1 << 22);
    const long double error = fabsl((long double)root_f64(a) * sqrtl((long double)a) - 1.0L);
    if (error > worst) worst = error;
  }
  if (!(worst < 4e-16L)) fail_msg("relative error %Lg", worst);
  assert_true(worst > 1e-16L);
}

static void a_pull_in_f32_is_within_its_bound_for_every_mantissa(void)
{
  static const float masses[] = {1.0f, 1.7f, 0x1.fffffep-1f};
  double worst = 0.0;
  for (int k = 0; k < 3; k++)
    for (uint32_t bits = 0x3f800000; bits < 0x40800000; bits++) {
      float a;
      memcpy(&a, &bits, sizeof a);
      const double exact = (double)masses[k] / ((double)a * sqrt((double)a));
      worst = fmax(worst, fabs((double)pull_f32(masses[k], a) / exact - 1.0));
    }
  if (!(worst < 5e-7)) fail_msg("relative error %g", worst);
  assert_true(worst > 2e-7);
  const double exact = 1e-3 / pow(1e-20, 1.5), far = 1e-3 / pow(1e20, 1.5);
  assert_true(fabs((double)pull_f32(1e-3f, 1e-20f) / exact - 1.0) < 1e-6);
  assert_true(fabs((double)pull_f32(1e-3f, 1e20f) / far - 1.0) < 1e-6);
}

static void a_pull_in_f64_is_within_four_roundings(void)
{
  for (int i = 0; i < 1 << 20; i++) {
    const double a = 1.0 + 3.0 * ((double)i + 0.37) / (1 << 20);
    const long double exact = 1.7L / ((long double)a * sqrtl((long double)a));
    const long double error = fabsl((long double)pull_f64(1.7, a) / exact - 1.0L);
    if (!(error < 1.5e-15L)) fail_msg("relative error %Lg at %.17g", error, a);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(one_over_sqrt_in_f32_is_within_its_bound_for_every_mantissa),
    TEST_HOST(one_over_sqrt_in_f64_is_within_its_bound),
    TEST_HOST(a_pull_in_f32_is_within_its_bound_for_every_mantissa),
    TEST_HOST(a_pull_in_f64_is_within_four_roundings),
  };
  return TEST_RUN(argc, argv, cases);
}
