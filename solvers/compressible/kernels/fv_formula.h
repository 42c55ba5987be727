/* Formulas of the case on a device (trm_formula_stack in io/formula.h): values of sides in x, y, z
 * and t. The functions consist of the dialect's operations, so that they have the same bits
 * everywhere. In f64 they agree with those of io/formula_math.c to some units in the last place. */

#define FV_STACK 16

#if TRM_F64_KERNEL
#define FV_LN2 R(0.69314718055994529)
#define FV_LN2_REST R(2.3190468138462996e-17)
#define FV_HALF_PI R(1.5707963267948966)
#define FV_QUARTER_REST R(6.123233995736766e-17)
#define FV_MOST_EXP R(700.0)
#define FV_MANTISSA 52
#define FV_BIAS 1023
#else
#define FV_LN2 R(0.693147182)
#define FV_LN2_REST R(-1.90465421e-9)
#define FV_HALF_PI R(1.57079637)
#define FV_QUARTER_REST R(-4.37113883e-8)
#define FV_MOST_EXP R(87.0)
#define FV_MANTISSA 23
#define FV_BIAS 127
#endif

/* Beyond FV_MOST_EXP it stays what it is there. */
TRM_INLINE real fv_exp(const real x)
{
  const real at = trm_max(trm_min(x, FV_MOST_EXP), -FV_MOST_EXP);
  const real k = trm_rint(at * R(1.4426950408889634));
  const real r = trm_fma(-k, FV_LN2_REST, trm_fma(-k, FV_LN2, at));
  real sum = R(1.0);
  for (int i = 14; i > 0; i--) sum = trm_fma(r / (real)i, sum, R(1.0));
  return sum * trm_real_of((trm_word)((int)k + FV_BIAS) << FV_MANTISSA);
}

/* NaN where x is not positive. */
TRM_INLINE real fv_log(const real x)
{
  const trm_word bits = trm_word_of(x);
  int e = (int)(bits >> FV_MANTISSA) - FV_BIAS;
  real m = trm_real_of(bits - e * ((trm_word)1 << FV_MANTISSA)), sum = R(0.0);
  e = m > R(1.4142135623730951) ? e + 1 : e;
  m = m > R(1.4142135623730951) ? R(0.5) * m : m;
  const real s = (m - R(1.0)) / (m + R(1.0)), s2 = s * s;
  for (int i = 23; i > 0; i -= 2) sum = trm_fma(sum, s2, R(1.0) / (real)i);
  const real value = trm_fma((real)e, FV_LN2, trm_fma(R(2.0) * s, sum, (real)e * FV_LN2_REST));
  return x > R(0.0) ? value : trm_sqrt(R(-1.0));
}

/* sin (quarter 0) and cos (quarter 1); NaN beyond 1e5. */
TRM_INLINE real fv_quadrant(const real x, const int quarter)
{
  const int is_known = trm_fabs(x) <= R(1e5);
  const real at = is_known ? x : R(0.0), k = trm_rint(at * R(0.63661977236758138));
  const real r = trm_fma(-k, FV_QUARTER_REST, trm_fma(-k, FV_HALF_PI, at)), r2 = r * r;
  const int which = (int)k + quarter, odd = (which & 1) == 0;
  real sum = R(1.0);
  for (int i = 18 + odd; i > odd; i -= 2)
    sum = trm_fma(-(r2 / (real)(i * (i - 1))), sum, R(1.0));
  const real value = odd ? r * sum : sum;
  return !is_known ? trm_sqrt(R(-1.0)) : which & 2 ? -value : value;
}

TRM_INLINE real fv_power(const real a, const real b)
{
  if (b == trm_rint(b) && trm_fabs(b) <= R(64.0)) {
    real product = R(1.0);
    for (int i = 0; i < (int)trm_fabs(b); i++) product *= a;
    return b < R(0.0) ? R(1.0) / product : product;
  }
  return a == R(0.0) && b > R(0.0) ? R(0.0) : fv_exp(b * fv_log(a));
}

TRM_INLINE real fv_apply_one(const int what, const real a)
{
  if (what == '~') return -a;
  if (what == 'a') return trm_fabs(a);
  if (what == 'q') return trm_sqrt(a);
  if (what == 'g') return fv_log(a);
  if (what == 's' || what == 'c') return fv_quadrant(a, what == 'c');
  if (what == 'f') return trm_floor(a);
  /* e, t, h and i are made of one exponential */
  const real e = fv_exp(what == 'e' ? a : what == 't' ? R(-2.0) * trm_fabs(a) : trm_fabs(a));
  const real t = (R(1.0) - e) / (R(1.0) + e), cosh = R(0.5) * (e + R(1.0) / e);
  if (what == 't') return a < R(0.0) ? -t : t;
  return what == 'e' ? e : what == 'h' ? cosh : R(1.0) / cosh;
}

TRM_INLINE real fv_apply_two(const int what, const real a, const real b)
{
  if (what == '+') return a + b;
  if (what == '-') return a - b;
  if (what == '*') return a * b;
  if (what == '/') return a / b;
  if (what == '^') return fv_power(a, b);
  if (what == '<') return a < b ? R(1.0) : R(0.0);
  if (what == '{') return a <= b ? R(1.0) : R(0.0);
  return what == 'm' ? (a < b ? a : b) : a > b ? a : b;
}

/* The names that a formula of a side may have, in their order: x, y, z, t, table. */
typedef struct fv_names { real value[5]; } fv_names;

TRM_INLINE real fv_formula(TRM_IN(int) codes, TRM_IN(real) numbers, const int count,
                           const fv_names names)
{
  real stack[FV_STACK];
  int top = 0;
  for (int i = 0; i < count; i++) {
    const int what = codes[i] & 255, name = codes[i] >> 8;
    if (what == '#') stack[top++] = numbers[i];
    else if (what == '$')
      stack[top++] = name == 0 ? names.value[0] : name == 1 ? names.value[1]
                   : name == 2 ? names.value[2] : name == 3 ? names.value[3] : names.value[4];
    else if (what == '?') {
      top -= 2;
      stack[top - 1] = stack[top - 1] != R(0.0) ? stack[top] : stack[top + 1];
    } else if (what == '+' || what == '-' || what == '*' || what == '/' || what == '^' ||
               what == '<' || what == '{' || what == 'm' || what == 'M') {
      top--;
      stack[top - 1] = fv_apply_two(what, stack[top - 1], stack[top]);
    } else stack[top - 1] = fv_apply_one(what, stack[top - 1]);
  }
  return stack[0];
}
