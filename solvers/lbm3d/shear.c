/* shear.c - the walls of bodies and surfaces as seen from the cells beside them, for the shear
 * stress on them. A cell has the wall's normal, and two places along the way into the fluid. A
 * parabola of the velocity goes through these and through rest at the wall. */
#include "solvers/lbm3d/lbm3d.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

static const double NEAREST = 0.25; /* cells: a slope from nearer than that is rounding */

static double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double *a, const double *b, double *out)
{
  for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

/* The point of a triangle nearest to p (C. Ericson, Real-Time Collision Detection, 2005, 5.1.5). */
static void nearest_of(const double *v, const double p[3], double out[3])
{
  double ab[3], ac[3], ap[3], bp[3], cp[3], s = 0, t = 0;
  subtract(v + 3, v, ab);
  subtract(v + 6, v, ac);
  subtract(p, v, ap);
  subtract(p, v + 3, bp);
  subtract(p, v + 6, cp);
  const double d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp);
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  if (d1 <= 0 && d2 <= 0) s = t = 0;
  else if (d3 >= 0 && d4 <= d3) s = 1;
  else if (d6 >= 0 && d5 <= d6) t = 1;
  else if (vc <= 0 && d1 >= 0 && d3 <= 0) s = d1 / (d1 - d3);
  else if (vb <= 0 && d2 >= 0 && d6 <= 0) t = d2 / (d2 - d6);
  else if (va <= 0 && d4 >= d3 && d5 >= d6) {
    t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    s = 1 - t;
  } else {
    s = vb / (va + vb + vc);
    t = vc / (va + vb + vc);
  }
  for (int i = 0; i < 3; i++) out[i] = v[i] + s * ab[i] + t * ac[i];
}

static void take_nearer(const double at[3], const double wall[3], double away[3], double *least)
{
  double way[3];
  subtract(at, wall, way);
  const double length = sqrt(dot(way, way));
  if (length >= *least) return;
  *least = length;
  memcpy(away, way, sizeof way);
}

/* The shortest way from a wall to the middle of a cell, and its length. */
static double way_from_wall(const lbm3d_scene *scene, const int place[3], const double at[3],
                            double away[3])
{
  double least = INFINITY, wall[3];
  const size_t cell = lbm3d_near_of(scene, place);
  for (size_t i = scene->near_first ? scene->near_first[cell] : 0;
       scene->near_first && i < scene->near_first[cell + 1]; i++) {
    const size_t triangle = scene->near[i];
    if (scene->openings[scene->stl.patch[triangle]].kind != SIDE_WALL) continue;
    nearest_of(scene->stl.corners + 9 * triangle, at, wall);
    take_nearer(at, wall, away, &least);
  }
  for (size_t s = 0; s < scene->shape_count; s++) {
    const lbm3d_shape image = lbm3d_shape_beside(scene, &scene->shapes[s], at), *shape = &image;
    double from[3];
    subtract(at, shape->at, from);
    const double far = sqrt(dot(from, from));
    for (int i = 0; i < 3; i++)
      wall[i] = shape->is_box ? fmin(fmax(at[i], shape->at[i]), shape->to[i])
                              : shape->at[i] + from[i] / far * shape->radius;
    take_nearer(at, wall, away, &least);
  }
  return least;
}

/* The cell `count` times e away, -1 where one on the way there is no fluid. */
static int32_t fluid_along(const lbm3d_scene *scene, const int at[3], int k, int count)
{
  const int e[] = { lbm3d_ex[k], lbm3d_ey[k], lbm3d_ez[k] };
  int32_t site = 0;
  for (int step = 0; step <= count; step++) {
    site = 0;
    for (int i = 2; i >= 0; i--) {
      const int n = scene->n[i], is_periodic = scene->sides[2 * i].kind == SIDE_PERIODIC;
      const int x = is_periodic ? (at[i] + step * e[i] + n) % n : at[i] + step * e[i];
      if (x < 0 || x >= n) return -1;
      site = site * scene->n[i] + x;
    }
    if (scene->solid[site]) return -1;
  }
  return site;
}

/* The link nearest to the normal's direction. */
static int link_along(const lbm3d_scene *scene, const double normal[3], double *rise)
{
  int best = 1;
  double most = -1;
  for (int k = 1; k < scene->velocities; k++) {
    const double e[] = { lbm3d_ex[k], lbm3d_ey[k], lbm3d_ez[k] };
    const double along = dot(e, normal) / sqrt(dot(e, e));
    if (along <= most) continue;
    most = along;
    best = k;
    *rise = dot(e, normal);
  }
  return best;
}

/* For u = a s + b s^2 through (s1, u1) and (s2, u2): a = part1 u1 + part2 u2. Nearer to the wall
 * than `NEAREST`, the next two cells are taken; with one cell only, a line. */
void lbm3d_shear_cell(const lbm3d_scene *scene, const int cell[3], int32_t sites[3],
                      double parts[5])
{
  const double at[] = { cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5 };
  double away[3] = { 0, 0, 1 }, rise = 1;
  const double far = way_from_wall(scene, cell, at, away);
  const double distance = fmax(far, 1e-9);
  for (int i = 0; i < 3; i++) away[i] = far > 1e-9 ? away[i] / far : i == 2;
  const int k = link_along(scene, away, &rise);
  const int skip = distance < NEAREST && fluid_along(scene, cell, k, 1) >= 0;
  const int32_t next = fluid_along(scene, cell, k, skip + 1);
  const double s1 = distance + skip * rise, s2 = s1 + rise;
  sites[0] = fluid_along(scene, cell, k, 0);
  sites[1] = fluid_along(scene, cell, k, skip);
  sites[2] = next >= 0 ? next : sites[1];
  memcpy(parts, away, sizeof away);
  parts[3] = next >= 0 ? s2 / (s1 * (s2 - s1)) : 1 / s1;
  parts[4] = next >= 0 ? -s1 / (s2 * (s2 - s1)) : 0;
}

static int is_wall(const lbm3d_marks *marks, int32_t place)
{
  for (size_t i = 0; i < marks->patch_count && place >= 0; i++) {
    const lbm3d_patch *patch = &marks->patches[i];
    if ((size_t)place - patch->first < patch->count) return patch->is_body;
  }
  return 0;
}

int lbm3d_shear_has(const lbm3d_marks *marks, size_t mark)
{
  const int first = marks->mark_entries[2 * mark], count = marks->mark_entries[2 * mark + 1] & 255;
  for (int link = first; link < first + count; link++)
    if (is_wall(marks, marks->ways[2 * link + 1])) return 1;
  return 0;
}

/* own: items that are filled here. */
static trm_status make_room(size_t own, lbm3d_shear *out)
{
  if (out->count == 0) return TRM_OK;
  TRM_TRY(trmi_memory_require("the cells beside walls", own * (3 * sizeof *out->sites +
                                                               5 * sizeof *out->parts)));
  out->sites = calloc(3 * out->count, sizeof *out->sites);
  out->parts = calloc(5 * out->count, sizeof *out->parts);
  if (out->sites && out->parts) return TRM_OK;
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells beside walls", out->count);
}

trm_status lbm3d_shear_make(const lbm3d_marks *marks, lbm3d_shear *out)
{
  out->count = 0;
  for (size_t i = 0; i < marks->count; i++) out->count += (size_t)lbm3d_shear_has(marks, i);
  return make_room(out->count, out);
}

/* How many cells there are in all planes, and which are the part's own. */
static trm_status count_cells(const lbm3d_scene *scene, const lbm3d_marks *marks, lbm3d_shear *out)
{
  const size_t plane = (size_t)scene->n[0] * (size_t)scene->n[1];
  size_t *planes = calloc((size_t)scene->n[2], sizeof *planes);
  trm_status status = planes ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for planes of walls");
  for (size_t i = marks->own[0]; i < marks->own[1] && planes; i++)
    planes[(size_t)marks->sites[i] / plane] += (size_t)lbm3d_shear_has(marks, i);
  status = lbm3d_complete_planes(scene, status, planes, sizeof *planes);
  for (int z = 0; z < scene->n[2] && status == TRM_OK; z++) {
    if (z == scene->own[0]) out->own[0] = out->count;
    out->count += planes[z];
    if (z + 1 == scene->own[1]) out->own[1] = out->count;
  }
  free(planes);
  return status;
}

trm_status lbm3d_shear_create(const lbm3d_scene *scene, const lbm3d_marks *marks,
                              lbm3d_shear *out)
{
  const int nx = scene->n[0], ny = scene->n[1];
  TRM_TRY(count_cells(scene, marks, out));
  TRM_TRY(make_room(out->own[1] - out->own[0], out));
  size_t at = out->own[0];
  for (size_t i = marks->own[0]; i < marks->own[1]; i++) {
    const int site = marks->sites[i], cell[] = { site % nx, site / nx % ny, site / nx / ny };
    if (!lbm3d_shear_has(marks, i)) continue;
    lbm3d_shear_cell(scene, cell, out->sites + 3 * at, out->parts + 5 * at);
    at++;
  }
  return TRM_OK;
}
