/* stl_crossing.c - whether a surface of triangles cuts itself: an edge of one triangle pierces
 * another triangle, or two share a part of a plane. The pairs to compare come from stl_pairs.c. */
#include "io/stl.h"

#include <math.h>
#include <string.h>

#include "io/stl_pairs.h"

/* A fraction of the surface's extent: triangles that overlap no deeper only touch, as rounded
 * corners do. */
static const double SHALLOW = 1e-6;

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

/* The least overlap of two triangles along the directions across the edges of v. */
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

/* Triangles with a common edge do not pierce each other. If two have a common corner, only the
 * edges opposite to it can pierce. */
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

trm_status trm_stl_check_crossing(const trm_stl *surface, const char *path)
{
  double depth = 0;
  size_t pair[2];
  int is_found = 0;
  for (int a = 0; a < 3; a++)
    depth = fmax(depth, SHALLOW * (surface->high[a] - surface->low[a]));
  TRM_TRY(trmi_stl_find_pair(surface, path, do_cross, depth, &is_found, pair));
  if (!is_found) return TRM_OK;
  const double *v = surface->corners + 9 * pair[0], *w = surface->corners + 9 * pair[1];
  return TRM_FAIL(INPUT, "%s crosses itself: the triangles %zu, at (%.9g, %.9g, %.9g), and %zu, at "
                  "(%.9g, %.9g, %.9g), cut each other, so that the inside is undefined; unite "
                  "its parts or mend it in the program that made it", path, pair[0] + 1, v[0], v[1],
                  v[2], pair[1] + 1, w[0], w[1], w[2]);
}
