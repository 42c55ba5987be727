/* formula_math.c - the functions of formulas, made of allowed operations alone: every machine has
 * the same bits. solvers/compressible/kernels/fv_formula.h has them for kernels. */
#include <config.h>

#include "io/formula_operations.h"

#include <math.h>
#include <string.h>

static const double ln2_high = 0x1.62e42fefa0000p-1, ln2_low = 0x1.cf79abc9e3b39p-40;

double trm_formula_exp(double x)
{
  if (!(x < 709.0)) return x > 0 ? INFINITY : x;
  if (x < -745.0) return 0.0;
  const double k = rint(x / 0x1.62e42fefa39efp-1);
  const double r = (x - k * ln2_high) - k * ln2_low;
  double sum = 1.0;
  for (int i = 14; i > 0; i--) sum = 1.0 + r / i * sum;
  if (k < -1000.0) return ldexp(sum, (int)k);
  const uint64_t bits = (uint64_t)(1023 + (int)k) << 52; /* 2^k; ldexp takes its time */
  double scale;
  memcpy(&scale, &bits, sizeof scale);
  return sum * scale;
}

double trm_formula_log(double x)
{
  int e;
  if (!(x > 0.0) || isinf(x)) return x == 0.0 ? -INFINITY : x > 0 ? x : NAN;
  double m = frexp(x, &e);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2.0;
    e--;
  }
  const double s = (m - 1.0) / (m + 1.0), s2 = s * s;
  double sum = 0.0;
  for (int i = 23; i > 0; i -= 2) sum = sum * s2 + 1.0 / i;
  return e * ln2_high + (2.0 * s * sum + e * ln2_low);
}

/* sin (odd 1) or cos (odd 0) of |r| <= pi/4. */
static double series(double r, int odd)
{
  const double r2 = r * r;
  double sum = 1.0;
  for (int i = 18 + odd; i > odd; i -= 2) sum = 1.0 - r2 / (i * (i - 1)) * sum;
  return odd ? r * sum : sum;
}

static double quadrant(double x, int quarter)
{
  if (!(fabs(x) <= 1e5)) return NAN;
  const double k = rint(x * 0x1.45f306dc9c883p-1);
  const double r = ((x - k * 0x1.921fb54400000p+0) - k * 0x1.0b4611a600000p-34) -
                   k * 0x1.3198a2e037073p-69;
  const long which = (long)k + quarter;
  const double value = series(r, (which & 1) == 0);
  return (which & 2) ? -value : value;
}

double trm_formula_sin(double x) { return quadrant(x, 0); }
double trm_formula_cos(double x) { return quadrant(x, 1); }

double formula_power(double a, double b)
{
  if (b == rint(b) && fabs(b) <= 64.0) {
    double product = 1.0;
    for (int i = 0; i < (int)fabs(b); i++) product *= a;
    return b < 0 ? 1.0 / product : product;
  }
  return a == 0.0 && b > 0.0 ? 0.0 : trm_formula_exp(b * trm_formula_log(a));
}

double formula_cosh(double x)
{
  const double e = trm_formula_exp(fabs(x));
  return 0.5 * (e + 1.0 / e);
}

double formula_tanh(double x)
{
  const double e = trm_formula_exp(-2.0 * fabs(x)), t = (1.0 - e) / (1.0 + e);
  return x < 0 ? -t : t;
}
