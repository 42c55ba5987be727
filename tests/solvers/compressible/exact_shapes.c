/* exact_shapes.c - see exact_shapes.h. */
#include "tests/solvers/compressible/exact_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one plane: whole numbers of 256 bits ------------------------------------------------ */

enum { WORDS = 8 };
typedef struct whole { uint32_t word[WORDS]; } whole; /* two's complement, the lowest word first */

static whole whole_of(int64_t value)
{
  whole a;
  for (int i = 0; i < WORDS; i++)
    a.word[i] = i == 0 ? (uint32_t)value : i == 1 ? (uint32_t)((uint64_t)value >> 32)
                                                  : value < 0 ? UINT32_MAX : 0;
  return a;
}

static whole plus(whole a, whole b)
{
  uint64_t carry = 0;
  for (int i = 0; i < WORDS; i++) {
    carry += (uint64_t)a.word[i] + b.word[i];
    a.word[i] = (uint32_t)carry;
    carry >>= 32;
  }
  return a;
}

static whole times(whole a, whole b)
{
  whole product = { { 0 } };
  for (int i = 0; i < WORDS; i++) {
    uint64_t carry = 0;
    for (int j = 0; i + j < WORDS; j++) {
      carry += (uint64_t)a.word[i] * b.word[j] + product.word[i + j];
      product.word[i + j] = (uint32_t)carry;
      carry >>= 32;
    }
  }
  return product;
}

static whole minus(whole a, whole b)
{
  return plus(a, times(whole_of(-1), b));
}

static long double rounded(whole a)
{
  const int is_negative = a.word[WORDS - 1] >> 31 != 0;
  long double value = 0;
  if (is_negative) a = minus(whole_of(0), a);
  for (int i = WORDS - 1; i >= 0; i--) value = value * 4294967296.0L + a.word[i];
  return is_negative ? -value : value;
}

/* Sums over the corners of the cube, with alternating signs. The plane is m.x = t from the corner
 * with the least n.x; e is the rest of t at another corner. Dimensions: axes with a slope. */
typedef struct sums { whole volume, moment[3]; int dimensions; long double slopes; } sums;

static sums sum_corners(const int64_t m[3], int64_t t)
{
  sums s = { .slopes = 1 };
  for (int a = 0; a < 3; a++)
    if (m[a] != 0) s.dimensions++, s.slopes *= (long double)(s.dimensions * m[a]);
  for (int corner = 0; corner < 8; corner++) {
    int64_t left = t, sign = 1;
    int is_twice = 0;
    for (int a = 0; a < 3; a++)
      if (corner >> a & 1) {
        left -= m[a];
        sign = -sign;
        is_twice |= m[a] == 0;
      }
    if (left <= 0 || is_twice) continue;
    const whole e = whole_of(left);
    whole power = whole_of(sign);
    for (int k = 0; k < s.dimensions; k++) power = times(power, e);
    s.volume = plus(s.volume, power);
    for (int a = 0; a < 3; a++) {
      const whole beside = times(whole_of((s.dimensions + 1) * (corner >> a & 1)), whole_of(m[a]));
      s.moment[a] = plus(s.moment[a], times(power, plus(beside, e)));
    }
  }
  return s;
}

void exact_cut(const exact_plane *plane, long double found[4])
{
  int64_t m[3], t = plane->c;
  for (int a = 0; a < 3; a++) {
    m[a] = 2 * (plane->n[a] < 0 ? -plane->n[a] : plane->n[a]);
    t += m[a] / 2;
  }
  const sums s = sum_corners(m, t);
  found[0] = rounded(s.volume) / s.slopes;
  for (int a = 0; a < 3; a++) {
    const whole half = times(times(whole_of(s.dimensions + 1), whole_of(m[a])), s.volume);
    const whole about = minus(times(whole_of(2), s.moment[a]), half);
    const long double by = 2 * (s.dimensions + 1) * s.slopes * (long double)m[a];
    found[1 + a] = m[a] == 0 ? 0 : plane->n[a] < 0 ? -rounded(about) / by : rounded(about) / by;
  }
}
