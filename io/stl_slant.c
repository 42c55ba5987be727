/* stl_slant.c - see stl_slant.h. */
#include "io/stl_slant.h"

#include <math.h>
#include <string.h>

#include "io/stl_tree.h"

/* Worth a look: so much less surface than the box along the axes. Slack: of its size and of the
 * largest coordinate, what a corner may be off by; of squares, what rounding may do. */
static const double WORTH = 0.25, OFF_SIZE = 1e-8, OFF_FAR = 1e-14, OFF_SQUARE = 1e-6;

static double surface_of(const double low[3], const double high[3])
{
  double sum = 0;
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3;
    sum += (high[a] - low[a]) * (high[b] - low[b]);
  }
  return sum;
}

static int normalise(double *v)
{
  const double length = sqrt(trmi_dot(v, v));
  for (int a = 0; a < 3; a++) v[a] /= length;
  return length > 0 && isfinite(length);
}

/* The mean normal and the longest edge, square to it; 0: they turn all ways. */
static int find_axes(const double *corners, const double *normals, size_t stride, size_t count,
                     double axis[3][3])
{
  double longest = 0, sum = 0;
  memset(axis, 0, 3 * sizeof *axis);
  for (size_t i = 0; i < count; i++) {
    const double *n = normals + i * stride;
    for (int a = 0; a < 3; a++) axis[0][a] += n[a];
    sum += sqrt(trmi_dot(n, n));
  }
  if (!(sqrt(trmi_dot(axis[0], axis[0])) > 0.5 * sum) || !normalise(axis[0])) return 0;
  for (size_t i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) {
      const double *p = corners + i * stride + 3 * k;
      const double *q = corners + i * stride + 3 * ((k + 1) % 3);
      const double edge[3] = { q[0] - p[0], q[1] - p[1], q[2] - p[2] };
      const double square = trmi_dot(edge, edge);
      if (square <= longest) continue;
      longest = square;
      memcpy(axis[1], edge, sizeof edge);
    }
  const double along = trmi_dot(axis[0], axis[1]);
  for (int a = 0; a < 3; a++) axis[1][a] -= along * axis[0][a];
  if (!normalise(axis[1])) return 0;
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    axis[2][a] = axis[0][b] * axis[1][c] - axis[0][c] * axis[1][b];
  }
  return 1;
}

int trmi_slant_about(const double *corners, const double *normals, size_t stride, size_t count,
                     const double low[3], const double high[3], double far, trmi_slant *out)
{
  double size = 0;
  if (!find_axes(corners, normals, stride, count, out->axis)) return 0;
  for (int a = 0; a < 3; a++) {
    const double *axis = out->axis[a];
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++)
      for (int k = 0; k < 3; k++) {
        const double at = trmi_dot(axis, corners + i * stride + 3 * k);
        least = trmi_less(least, at);
        most = trmi_more(most, at);
      }
    out->low[a] = least;
    out->high[a] = most;
    size = trmi_more(size, most - least);
  }
  for (int a = 0; a < 3; a++) {
    out->low[a] -= OFF_SIZE * size + OFF_FAR * far;
    out->high[a] += OFF_SIZE * size + OFF_FAR * far;
  }
  return surface_of(out->low, out->high) < WORTH * surface_of(low, high);
}

double trmi_slant_square(const trmi_slant *slant, const double at[3])
{
  double square = 0;
  for (int a = 0; a < 3; a++) {
    const double along = trmi_dot(slant->axis[a], at);
    const double off = trmi_more(trmi_more(slant->low[a] - along, along - slant->high[a]), 0);
    square += off * off;
  }
  return (1 - OFF_SQUARE) * square;
}

int trmi_slant_meets(const trmi_slant *slant, const double from[3], const double by[3], double end)
{
  double begin = 0;
  for (int a = 0; a < 3; a++) {
    const double at = trmi_dot(slant->axis[a], from), along = trmi_dot(slant->axis[a], by);
    if (along == 0) {
      if (at < slant->low[a] || at > slant->high[a]) return 0;
      continue;
    }
    const double one = (slant->low[a] - at) / along, other = (slant->high[a] - at) / along;
    begin = trmi_more(begin, trmi_less(one, other));
    end = trmi_less(end, trmi_more(one, other));
  }
  return begin <= end * (1 + OFF_SQUARE);
}
