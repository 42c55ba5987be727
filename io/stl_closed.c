/* stl_closed.c - whether a surface of triangles encloses a volume; triangles that have no width. */
#include "io/stl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

/* ---- of no width ----------------------------------------------------------------- */

/* By the squares of twice its area and of its longest side. */
static int is_narrow(const double *v)
{
  static const double least = 1e-6;
  double normal = 0, longest = 0;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double n = (v[3 + j] - v[j]) * (v[6 + k] - v[k]) - (v[3 + k] - v[k]) * (v[6 + j] - v[j]);
    double side = 0;
    for (int a = 0; a < 3; a++) {
      const double along = v[3 * j + a] - v[3 * i + a];
      side += along * along;
    }
    normal += n * n;
    longest = fmax(longest, side);
  }
  return !(sqrt(normal) > least * longest);
}

trm_status trm_stl_leave_narrow(trm_stl *surface, const char *path)
{
  size_t count = 0;
  for (size_t i = 0; i < surface->count; i++) {
    const double *v = surface->corners + 9 * i;
    if (is_narrow(v)) continue;
    memmove(surface->corners + 9 * count, v, 9 * sizeof *v);
    surface->patch[count++] = surface->patch[i];
  }
  if (count == 0)
    return TRM_FAIL(INPUT, "%s: no triangle is as wide as a millionth of its length; export the "
                    "surface again, with better triangles", path);
  surface->count = count;
  surface->flat = 0;
  return TRM_OK;
}

/* ---- closed ---------------------------------------------------------------------- */

/* An edge from its lesser end to its greater one; sense -1: the triangle goes the other way. */
typedef struct edge {
  double ends[6];
  int sense;
} edge;

static int compare_ends(const double *a, const double *b, int count)
{
  for (int i = 0; i < count; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

static int compare_edges(const void *a, const void *b)
{
  return compare_ends(((const edge *)a)->ends, ((const edge *)b)->ends, 6);
}

static void list_edges(const trm_stl *surface, size_t count, edge *edges)
{
  for (size_t i = 0; i < count; i++) {
    const double *v = surface->corners + 9 * (i / 3);
    const double *a = v + 3 * (i % 3), *b = v + 3 * ((i + 1) % 3);
    const int is_turned = compare_ends(a, b, 3) > 0;
    memcpy(edges[i].ends, is_turned ? b : a, 3 * sizeof *a);
    memcpy(edges[i].ends + 3, is_turned ? a : b, 3 * sizeof *a);
    edges[i].sense = is_turned ? -1 : 1;
  }
}

static trm_status check_edges(const edge *edges, size_t count, const char *path)
{
  for (size_t i = 0, next; i < count; i = next) {
    int sum = 0;
    for (next = i; next < count && compare_edges(&edges[i], &edges[next]) == 0; next++)
      sum += edges[next].sense;
    if (sum != 0)
      return TRM_FAIL(INPUT, "%s is open or has triangles turned differently: the edge from "
                      "(%.9g, %.9g, %.9g) to (%.9g, %.9g, %.9g) has no partner; close the surface "
                      "in the program "
                      "that made it", path, edges[i].ends[0], edges[i].ends[1], edges[i].ends[2],
                      edges[i].ends[3], edges[i].ends[4], edges[i].ends[5]);
  }
  return TRM_OK;
}

/* Checks the first `triangles` triangles. */
static trm_status check_first(const trm_stl *surface, size_t triangles, const char *path)
{
  const size_t count = 3 * triangles;
  /* 2: sorting needs a second list of the same size */
  TRM_TRY(trmi_memory_require("the edges of a surface", 2 * count * sizeof(edge)));
  edge *edges = malloc(count * sizeof *edges);
  if (!edges) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the edges of %s", path);
  list_edges(surface, count, edges);
  qsort(edges, count, sizeof *edges, compare_edges);
  const trm_status status = check_edges(edges, count, path);
  free(edges);
  return status;
}

/* Triangles without area may close the rest, or lie about. */
trm_status trm_stl_check_closed(const trm_stl *surface, const char *path)
{
  double volume = 0;
  for (size_t i = 0; i < surface->count; i++) {
    const double *v = surface->corners + 9 * i;
    double a[9];
    for (int k = 0; k < 9; k++) a[k] = v[k] - surface->low[k % 3];
    volume += a[0] * (a[4] * a[8] - a[5] * a[7]) + a[1] * (a[5] * a[6] - a[3] * a[8]) +
              a[2] * (a[3] * a[7] - a[4] * a[6]);
  }
  trm_status status = check_first(surface, surface->count, path);
  if (status == TRM_ERROR_INPUT && surface->flat > 0)
    status = check_first(surface, surface->count + surface->flat, path);
  TRM_TRY(status);
  if (!(volume < 0 || volume > 0))
    return TRM_FAIL(INPUT, "%s encloses no volume; close the surface in the program that made it",
                    path);
  if (volume < 0)
    return TRM_FAIL(INPUT, "%s is inside out: its triangles, seen from outside, turn clockwise; "
                    "flip its normals", path);
  return TRM_OK;
}
