/* stl_crossing.c - whether a surface of triangles cuts itself. Of two triangles whose boxes meet,
 * an edge of one pierces the other. They are looked at along the axis on which they are shortest;
 * those whose boxes meet one's are found in a tree of boxes over triangles in Morton order. */
#include "io/stl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

/* Of the surface's extent: what is no deeper than that only touches, as rounded corners do. */
static const double SHALLOW = 1e-6;

enum { FEW = 4, CODE_BITS = 21 }; /* triangles of a node that is not parted; of a code, by axis */

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

static double length_of(const double *p, const double *q)
{
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += (q[i] - p[i]) * (q[i] - p[i]);
  return sqrt(sum);
}

/* A triangle's least height. */
static double width_of(const double *v)
{
  const double longest = fmax(length_of(v, v + 3), fmax(length_of(v + 3, v + 6),
                                                         length_of(v + 6, v)));
  return twice_area(v) / longest;
}

/* Whether the way from p to q goes through the triangle v, ends deeper than `depth` on both sides.
 * Corners may be off by that much: so far away, the plane of a narrow one is off by more. */
static int pierces(const double *p, const double *q, const double *v, double depth)
{
  const double from = volume_of(v, v + 3, v + 6, p), to = volume_of(v, v + 3, v + 6, q);
  const double reach = fmax(length_of(v, p), length_of(v, q));
  const double least = depth * twice_area(v) * fmax(1, reach / width_of(v));
  if (!((from > least && to < -least) || (from < -least && to > least))) return 0;
  double part[3], sum = 0;
  for (int i = 0; i < 3; i++)
    sum += part[i] = volume_of(p, q, v + 3 * i, v + 3 * ((i + 1) % 3));
  for (int i = 0; i < 3; i++)
    if (!(part[i] / sum >= -1e-9)) return 0;
  return 1;
}

/* How much of a direction both triangles have; < 0: they are apart along it. */
static double common_along(const double *v, const double *w, const double by[3])
{
  double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
  for (int i = 0; i < 6; i++) {
    const double *at = i < 3 ? v + 3 * i : w + 3 * (i - 3);
    double along = 0;
    for (int a = 0; a < 3; a++) along += (at[a] - v[a]) * by[a];
    low[i / 3] = fmin(low[i / 3], along);
    high[i / 3] = fmax(high[i / 3], along);
  }
  return fmin(high[0], high[1]) - fmax(low[0], low[1]);
}

/* How far the corners of w are from the plane of v. */
static double off_plane(const double *v, const double *w)
{
  double most = 0;
  for (int i = 0; i < 3; i++) most = fmax(most, fabs(volume_of(v, v + 3, v + 6, w + 3 * i)));
  return most / twice_area(v);
}

/* The least of what two triangles have in common along the directions across the edges of v. */
static double common_across(const double *v, const double *w)
{
  double least = INFINITY, normal[3];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    normal[i] = (v[3 + j] - v[j]) * (v[6 + k] - v[k]) - (v[3 + k] - v[k]) * (v[6 + j] - v[j]);
  }
  for (int e = 0; e < 3; e++) {
    const double *a = v + 3 * e, *b = v + 3 * ((e + 1) % 3);
    double by[3], square = 0;
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      by[i] = normal[j] * (b[k] - a[k]) - normal[k] * (b[j] - a[j]);
      square += by[i] * by[i];
    }
    for (int i = 0; i < 3; i++) by[i] /= sqrt(square);
    least = fmin(least, common_along(v, w, by));
  }
  return least;
}

/* Whether two triangles lie in one plane and share a part of it, which is one wall twice then; as
 * where parts that touch are in one file. Not the two sides of an edge, however sharp it is. */
static int do_cover(const double *v, const double *w, double depth)
{
  static const double sharpest = 1e-3;
  const double off = fmax(off_plane(v, w), off_plane(w, v));
  if (off > depth) return 0;
  const double common = fmin(common_across(v, w), common_across(w, v));
  return common > depth && off < sharpest * common;
}

/* Triangles with a common edge do not pierce each other. Of two with a common corner, only what is
 * opposite to it can. */
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
  if (common == 3) return 1;
  for (int i = 0; i < 3 && common < 2; i++) {
    const int next = (i + 1) % 3;
    if (i != of_v && next != of_v && pierces(v + 3 * i, v + 3 * next, w, depth)) return 1;
    if (i != of_w && next != of_w && pierces(w + 3 * i, w + 3 * next, v, depth)) return 1;
  }
  return do_cover(v, w, depth);
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

/* ---- which boxes meet ------------------------------------------------------------ */

typedef struct box { double low[3], high[3]; } box;

typedef struct node {
  box about;
  size_t first, count;         /* of `codes`; count 0: parted */
  size_t second;               /* number of its second part; the first follows it */
} node;

typedef struct code { uint64_t place; size_t triangle; } code;

typedef struct search {
  const trm_stl *surface;
  span *spans;                 /* in the order in which triangles are looked at */
  size_t *turn;                /* of each triangle: where it is in that order */
  code *codes;                 /* in Morton order */
  node *nodes;
  size_t node_count;
  double depth;
} search;

static int compare_codes(const void *a, const void *b)
{
  const code *s = a, *t = b;
  if (s->place != t->place) return s->place < t->place ? -1 : 1;
  return (s->triangle > t->triangle) - (s->triangle < t->triangle);
}

static box box_of(const double *v)
{
  box out;
  for (int a = 0; a < 3; a++) {
    const span s = span_of(v, a);
    out.low[a] = s.low;
    out.high[a] = s.high;
  }
  return out;
}

static box unite(box a, box b)
{
  for (int i = 0; i < 3; i++) {
    a.low[i] = fmin(a.low[i], b.low[i]);
    a.high[i] = fmax(a.high[i], b.high[i]);
  }
  return a;
}

static int do_meet(const box *a, const box *b)
{
  for (int i = 0; i < 3; i++)
    if (!(a->low[i] <= b->high[i] && b->low[i] <= a->high[i])) return 0;
  return 1;
}

/* Bits of the middle of a triangle, x, y and z in turn, the highest ones first. */
static uint64_t place_of(const trm_stl *surface, const double *v)
{
  uint64_t at[3], place = 0;
  for (int a = 0; a < 3; a++) {
    const double extent = surface->high[a] - surface->low[a];
    const double part = ((v[a] - surface->low[a]) + (v[3 + a] - surface->low[a]) +
                         (v[6 + a] - surface->low[a])) / (3 * extent);
    at[a] = part > 0 && part < 1 ? (uint64_t)ldexp(part, CODE_BITS) : part >= 1 ?
            ((uint64_t)1 << CODE_BITS) - 1 : 0;
  }
  for (int bit = CODE_BITS - 1; bit >= 0; bit--)
    for (int a = 0; a < 3; a++) place = place << 1 | (at[a] >> bit & 1);
  return place;
}

static void build(search *s, size_t first, size_t count)
{
  const size_t number = s->node_count++;
  const double *corners = s->surface->corners;
  node *n = &s->nodes[number];
  *n = (node){ box_of(corners + 9 * s->codes[first].triangle), first, count, 0 };
  if (count <= FEW) {
    for (size_t i = first + 1; i < first + count; i++)
      n->about = unite(n->about, box_of(corners + 9 * s->codes[i].triangle));
    return;
  }
  n->count = 0;
  build(s, first, count / 2);
  n->second = s->node_count;
  build(s, first + count / 2, count - count / 2);
  n->about = unite(s->nodes[number + 1].about, s->nodes[n->second].about);
}

/* Of the triangles whose turn comes after that of `own`, the first that cuts it, if it is before
 * *least. */
static void find(const search *s, size_t number, size_t own, const box *about, size_t *least)
{
  const node *n = &s->nodes[number];
  const double *corners = s->surface->corners;
  if (!do_meet(&n->about, about)) return;
  for (size_t i = n->first; i < n->first + n->count; i++) {
    const size_t other = s->codes[i].triangle, turn = s->turn[other];
    if (turn <= s->turn[own] || turn >= *least) continue;
    const box of_other = box_of(corners + 9 * other);
    if (do_meet(&of_other, about) && do_cross(corners + 9 * own, corners + 9 * other, s->depth))
      *least = turn;
  }
  if (n->count) return;
  find(s, number + 1, own, about, least);
  find(s, n->second, own, about, least);
}

static trm_status check_all(const search *s, const char *path)
{
  const size_t count = s->surface->count;
  for (size_t i = 0; i < count; i++) {
    const double *v = s->surface->corners + 9 * s->spans[i].triangle;
    const box about = box_of(v);
    size_t other = count;
    find(s, 0, s->spans[i].triangle, &about, &other);
    if (other == count) continue;
    const double *w = s->surface->corners + 9 * s->spans[other].triangle;
    return TRM_FAIL(INPUT, "%s crosses itself: the triangles %zu, at (%g, %g, %g), and %zu, at "
                    "(%g, %g, %g), cut each other, so that what is inside is not said; unite its "
                    "parts or mend it in the program that made it", path, s->spans[i].triangle + 1,
                    v[0], v[1], v[2], s->spans[other].triangle + 1, w[0], w[1], w[2]);
  }
  return TRM_OK;
}

static void sort_all(search *s)
{
  const trm_stl *surface = s->surface;
  const int axis = shortest_axis(surface);
  for (size_t i = 0; i < surface->count; i++) {
    const double *v = surface->corners + 9 * i;
    s->spans[i] = span_of(v, axis);
    s->spans[i].triangle = i;
    s->codes[i] = (code){ place_of(surface, v), i };
  }
  qsort(s->spans, surface->count, sizeof *s->spans, compare_spans);
  qsort(s->codes, surface->count, sizeof *s->codes, compare_codes);
  for (size_t i = 0; i < surface->count; i++) s->turn[s->spans[i].triangle] = i;
  for (int a = 0; a < 3; a++)
    s->depth = fmax(s->depth, SHALLOW * (surface->high[a] - surface->low[a]));
  build(s, 0, surface->count);
}

trm_status trm_stl_check_crossing(const trm_stl *surface, const char *path)
{
  const size_t count = surface->count;
  search s = { .surface = surface };
  if (count == 0) return TRM_OK;
  /* sorting needs a second list */
  TRM_TRY(trmi_memory_require("the boxes of triangles", count * (2 * sizeof *s.spans +
                              sizeof *s.codes + sizeof *s.turn + sizeof *s.nodes)));
  s.spans = malloc(count * sizeof *s.spans);
  s.turn = malloc(count * sizeof *s.turn);
  s.codes = malloc(count * sizeof *s.codes);
  s.nodes = malloc(count * sizeof *s.nodes); /* of more than FEW, each part has two or more */
  trm_status status = TRM_OK;
  if (!s.spans || !s.turn || !s.codes || !s.nodes) {
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the triangles of %s; take fewer", path);
  } else {
    sort_all(&s);
    status = check_all(&s, path);
  }
  free(s.spans);
  free(s.turn);
  free(s.codes);
  free(s.nodes);
  return status;
}
