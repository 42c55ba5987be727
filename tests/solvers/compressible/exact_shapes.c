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

/* ---- several planes: corners as fractions ------------------------------------------------- */

enum { ALL = EXACT_PLANES + 6, CORNERS = ALL * (ALL - 1) * (ALL - 2) / 6 };
typedef struct face { int64_t n[3], c; } face;          /* n.x <= c */
typedef struct corner { int64_t at[3], by; } corner;    /* at / by, by > 0, in lowest terms */

static int64_t divisor(int64_t a, int64_t b)
{
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

static int64_t determinant(const int64_t a[3], const int64_t b[3], const int64_t c[3])
{
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Returns 0 where the three planes do not meet in one place. */
static int meet(const face *a, const face *b, const face *c, corner *found)
{
  const face *const all[] = { a, b, c };
  int64_t columns[4][3], by = 0;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) columns[i][k] = all[k]->n[i];
    columns[3][k] = all[k]->c;
  }
  by = determinant(columns[0], columns[1], columns[2]);
  if (by == 0) return 0;
  found->at[0] = determinant(columns[3], columns[1], columns[2]);
  found->at[1] = determinant(columns[0], columns[3], columns[2]);
  found->at[2] = determinant(columns[0], columns[1], columns[3]);
  int64_t common = by;
  for (int i = 0; i < 3; i++) common = divisor(common, found->at[i]);
  if (by < 0) common = -common;
  for (int i = 0; i < 3; i++) found->at[i] /= common;
  found->by = by / common;
  return 1;
}

/* > 0: beyond the face; 0: on it. */
static int64_t beyond(const face *f, const corner *p)
{
  return f->n[0] * p->at[0] + f->n[1] * p->at[1] + f->n[2] * p->at[2] - f->c * p->by;
}

static int add_face(face *faces, int count, const int64_t n[3], int64_t c)
{
  face f = { { n[0], n[1], n[2] }, c };
  const int64_t common = divisor(divisor(divisor(n[0], n[1]), n[2]), c);
  if (n[0] == 0 && n[1] == 0 && n[2] == 0 && c > 0) return count;
  for (int i = 0; i < 3; i++) f.n[i] /= common ? common : 1;
  f.c /= common ? common : 1;
  for (int k = 0; k < count; k++)
    if (memcmp(&faces[k], &f, sizeof f) == 0) return count;
  faces[count] = f;
  return count + 1;
}

static int find_corners(const face *faces, int count, corner *corners)
{
  int found = 0;
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++)
      for (int k = j + 1; k < count; k++) {
        corner here;
        int is_new = meet(&faces[i], &faces[j], &faces[k], &here);
        for (int f = 0; f < count && is_new; f++) is_new = beyond(&faces[f], &here) <= 0;
        for (int p = 0; p < found && is_new; p++)
          is_new = memcmp(&corners[p], &here, sizeof here) != 0;
        if (is_new) corners[found++] = here;
      }
  return found;
}

typedef struct place { long double at[3], angle; } place;

/* The corners of a face, anticlockwise seen from outside. */
static int go_around(const face *f, const corner *corners, int count, place *around)
{
  int found = 0, axis = 0;
  long double middle[3] = { 0 };
  for (int i = 0; i < count; i++)
    if (beyond(f, &corners[i]) == 0) {
      for (int a = 0; a < 3; a++) {
        around[found].at[a] = (long double)corners[i].at[a] / (long double)corners[i].by;
        middle[a] += around[found].at[a];
      }
      found++;
    }
  for (int a = 1; a < 3; a++)
    if (llabs(f->n[a]) > llabs(f->n[axis])) axis = a;
  const int b = (axis + 1) % 3, c = (axis + 2) % 3, sense = f->n[axis] < 0 ? -1 : 1;
  for (int i = 0; i < found; i++)
    around[i].angle = sense * atan2l(around[i].at[c] - middle[c] / found,
                                     around[i].at[b] - middle[b] / found);
  for (int i = 1; i < found; i++)
    for (int j = i; j > 0 && around[j].angle < around[j - 1].angle; j--) {
      const place other = around[j];
      around[j] = around[j - 1];
      around[j - 1] = other;
    }
  return found;
}

static void add_tetrahedron(const place *a, const place *b, const place *c, long double found[4])
{
  long double six = 0;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    six += a->at[i] * (b->at[j] * c->at[k] - b->at[k] * c->at[j]);
  }
  found[0] += six / 6;
  for (int i = 0; i < 3; i++) found[1 + i] += six * (a->at[i] + b->at[i] + c->at[i]) / 24;
}

void exact_cut_all(const exact_plane *planes, int count, long double found[4])
{
  face faces[ALL];
  static corner corners[CORNERS];
  static place around[CORNERS];
  int all = 0;
  for (int k = 0; k < 6; k++) {
    const int64_t n[3] = { k / 2 == 0 ? k % 2 * 4 - 2 : 0, k / 2 == 1 ? k % 2 * 4 - 2 : 0,
                           k / 2 == 2 ? k % 2 * 4 - 2 : 0 };
    all = add_face(faces, all, n, 1);
  }
  for (int k = 0; k < count; k++) {
    const int64_t n[3] = { 2 * planes[k].n[0], 2 * planes[k].n[1], 2 * planes[k].n[2] };
    all = add_face(faces, all, n, planes[k].c);
  }
  const int meets = find_corners(faces, all, corners);
  memset(found, 0, 4 * sizeof *found);
  for (int k = 0; k < all; k++) {
    const int here = go_around(&faces[k], corners, meets, around);
    for (int i = 2; i < here; i++)
      add_tetrahedron(&around[0], &around[i - 1], &around[i], found);
  }
}
