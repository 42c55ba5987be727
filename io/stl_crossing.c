/* stl_crossing.c - whether a surface of triangles cuts itself. Triangles are swept along the axis
 * along which they are shortest; of two whose boxes meet, an edge of one pierces the other. */
#include "io/stl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

/* Of the surface's extent: what is no deeper than that only touches, as rounded corners do. */
static const double SHALLOW = 1e-6;

typedef struct span { double low, high; size_t triangle; } span;

static int compare_spans(const void *a, const void *b)
{
  const span *s = a, *t = b;
  if (s->low != t->low) return s->low < t->low ? -1 : 1;
  return (s->triangle > t->triangle) - (s->triangle < t->triangle);
}

static span span_of(const double *v, int axis)
{
  return (span){ fmin(v[axis], fmin(v[3 + axis], v[6 + axis])),
                 fmax(v[axis], fmax(v[3 + axis], v[6 + axis])), 0 };
}

static int do_spans_meet(const double *v, const double *w, int axis)
{
  const span s = span_of(v, axis), t = span_of(w, axis);
  return s.low <= t.high && t.low <= s.high;
}

/* Six times the volume of the tetrahedron a, b, c, d; > 0: d is where the normal of a, b, c
 * points. */
static double volume_of(const double *a, const double *b, const double *c, const double *d)
{
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    sum += (d[i] - a[i]) * ((b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]));
  }
  return sum;
}

static double twice_area(const double *v)
{
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double n = (v[3 + j] - v[j]) * (v[6 + k] - v[k]) - (v[3 + k] - v[k]) * (v[6 + j] - v[j]);
    sum += n * n;
  }
  return sqrt(sum);
}

/* Whether the way from p to q goes through the triangle v, ends deeper than `depth` on both
 * sides. */
static int pierces(const double *p, const double *q, const double *v, double depth)
{
  const double from = volume_of(v, v + 3, v + 6, p), to = volume_of(v, v + 3, v + 6, q);
  const double least = depth * twice_area(v);
  if (!((from > least && to < -least) || (from < -least && to > least))) return 0;
  double part[3], sum = 0;
  for (int i = 0; i < 3; i++)
    sum += part[i] = volume_of(p, q, v + 3 * i, v + 3 * ((i + 1) % 3));
  for (int i = 0; i < 3; i++)
    if (!(part[i] / sum >= -1e-9)) return 0;
  return 1;
}

/* Triangles with a common edge do not cut each other. Of two with a common corner, only what is
 * opposite to it can. Two with the same corners are one wall twice. */
static int do_cross(const double *v, const double *w, double depth)
{
  int common = 0, of_v = -1, of_w = -1;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if (memcmp(v + 3 * i, w + 3 * j, 3 * sizeof *v) == 0) {
        common++;
        of_v = i;
        of_w = j;
      }
  if (common >= 2) return common == 3;
  for (int i = 0; i < 3; i++) {
    const int next = (i + 1) % 3;
    if (i != of_v && next != of_v && pierces(v + 3 * i, v + 3 * next, w, depth)) return 1;
    if (i != of_w && next != of_w && pierces(w + 3 * i, w + 3 * next, v, depth)) return 1;
  }
  return 0;
}

static int shortest_axis(const trm_stl *surface)
{
  double least = INFINITY;
  int axis = 0;
  for (int a = 0; a < 3; a++) {
    double sum = 0;
    for (size_t i = 0; i < surface->count; i++) {
      const span s = span_of(surface->corners + 9 * i, a);
      sum += s.high - s.low;
    }
    sum /= surface->high[a] - surface->low[a];
    if (sum >= least) continue;
    least = sum;
    axis = a;
  }
  return axis;
}

static trm_status check_sorted(const trm_stl *surface, const span *spans, int axis,
                               const char *path)
{
  double extent = 0;
  for (int a = 0; a < 3; a++) extent = fmax(extent, surface->high[a] - surface->low[a]);
  const int b = (axis + 1) % 3, c = (axis + 2) % 3;
  for (size_t i = 0; i < surface->count; i++) {
    const double *v = surface->corners + 9 * spans[i].triangle;
    for (size_t j = i + 1; j < surface->count && spans[j].low <= spans[i].high; j++) {
      const double *w = surface->corners + 9 * spans[j].triangle;
      if (!do_spans_meet(v, w, b) || !do_spans_meet(v, w, c)) continue;
      if (do_cross(v, w, SHALLOW * extent))
        return TRM_FAIL(INPUT, "%s crosses itself: the triangles %zu, at (%g, %g, %g), and %zu, at "
                        "(%g, %g, %g), cut each other, so that what is inside is not said; unite "
                        "its parts or mend it in the program that made it", path,
                        spans[i].triangle + 1, v[0], v[1], v[2], spans[j].triangle + 1, w[0], w[1],
                        w[2]);
    }
  }
  return TRM_OK;
}

trm_status trm_stl_check_crossing(const trm_stl *surface, const char *path)
{
  const int axis = shortest_axis(surface);
  TRM_TRY(trmi_memory_require("the spans of triangles", 2 * surface->count * sizeof(span)));
  span *spans = malloc(surface->count * sizeof *spans);
  if (!spans) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the triangles of %s", path);
  for (size_t i = 0; i < surface->count; i++) {
    spans[i] = span_of(surface->corners + 9 * i, axis);
    spans[i].triangle = i;
  }
  qsort(spans, surface->count, sizeof *spans, compare_spans);
  const trm_status status = check_sorted(surface, spans, axis, path);
  free(spans);
  return status;
}
