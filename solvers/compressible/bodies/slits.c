/* slits.c - gaps within a surface, which the grid would leave open or close by where they lie in
 * cells: one narrower than the cells there is refused. Rays find them once, from the surface's
 * triangles through the gas to triangles that face the first ones. */
#include "solvers/compressible/bodies/bodies.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 16 };            /* samples along a triangle's edge */

/* Two triangles face each other, but for a rim, which is narrow by itself. */
static const double FACING = 0.966;

static double normal_of(const double *v, double sense, double to[3])
{
  double square = 0;
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    to[a] = sense * ((v[3 + b] - v[b]) * (v[6 + c] - v[c]) -
                     (v[3 + c] - v[c]) * (v[6 + b] - v[b]));
    square += to[a] * to[a];
  }
  for (int a = 0; a < 3; a++) to[a] /= sqrt(square);
  return sqrt(square);
}

static double longest_edge(const double *v)
{
  double most = 0;
  for (int k = 0; k < 3; k++) {
    const double *p = v + 3 * k, *q = v + 3 * ((k + 1) % 3);
    most = fmax(most, hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
  }
  return most;
}

static trm_status add_slit(fv_body *body, const double from[3], const double normal[3], double wide)
{
  if (body->slit_count == body->slit_room) {
    const size_t room = body->slit_room ? 2 * body->slit_room : 64;
    fv_slit *grown = realloc(body->slits, room * sizeof *grown);
    if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu narrow places", room);
    body->slits = grown;
    body->slit_room = room;
  }
  fv_slit *to = &body->slits[body->slit_count++];
  for (int a = 0; a < 3; a++) to->at[a] = from[a] + 0.5 * wide * normal[a];
  to->wide = wide;
  return TRM_OK;
}

static trm_status look_from(fv_body *body, const double at[3], const double normal[3], double size,
                            double most)
{
  double from[3], other[3], facing = 0;
  size_t found = 0;
  for (int a = 0; a < 3; a++) from[a] = at[a] + 1e-9 * size * normal[a];
  const double wide = trm_stl_first(body->tree, from, normal, most, &found);
  if (wide == INFINITY) return TRM_OK;
  normal_of(body->surface.corners + 9 * found, body->is_hollow ? -1 : 1, other);
  for (int a = 0; a < 3; a++) facing -= normal[a] * other[a];
  return facing > FACING ? add_slit(body, at, normal, wide) : TRM_OK;
}

static trm_status check_slit(fv_body *body, const double *v, double most, double step)
{
  double normal[3];
  const double size = sqrt(normal_of(v, body->is_hollow ? -1 : 1, normal));
  const int n = (int)fmin(fmax(ceil(longest_edge(v) / step), 1), MOST);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n - i; j++) {
      const double s = (i + 1.0 / 3) / n, t = (j + 1.0 / 3) / n;
      double at[3];
      for (int a = 0; a < 3; a++)
        at[a] = v[a] + s * (v[3 + a] - v[a]) + t * (v[6 + a] - v[a]);
      TRM_TRY(look_from(body, at, normal, size, most));
    }
  return TRM_OK;
}

trm_status fv_find_slits(fv_bodies *bodies, double coarsest, double finest)
{
  for (int b = 0; b < bodies->count; b++) {
    fv_body *body = &bodies->body[b];
    if (body->shape != FV_SURFACE) continue;
    for (size_t i = 0; i < body->within; i++)
      TRM_TRY(check_slit(body, body->surface.corners + 9 * i, coarsest, 2 * finest));
  }
  return TRM_OK;
}

/* How wide the cells about a place are; 0: it is not in the grid. */
static double width_at(const trm_forest *forest, double h, const double origin[3],
                       const double at[3])
{
  for (int level = forest->shape.finest; level >= 0; level--) {
    const double width = h / (1 << level);
    int32_t place[3];
    for (int a = 0; a < 3; a++) {
      const double block = floor((at[a] - origin[a]) / (width * forest->blocks.side[a]));
      if (block < 0 || block >= ldexp(forest->shape.roots[a], level)) return 0;
      place[a] = (int32_t)block;
    }
    if (trm_forest_leaf(forest, level, place) >= 0) return width;
  }
  return 0;
}

trm_status fv_check_slits(const fv_bodies *bodies, const trm_forest *forest, double h,
                          const double origin[3])
{
  enum { DEEPEST = 12 };
  for (int b = 0; b < bodies->count; b++)
    for (size_t i = 0; i < bodies->body[b].slit_count; i++) {
      const fv_slit *slit = &bodies->body[b].slits[i];
      double at[3];
      char when[FV_WHEN];
      fv_body_to_here(&bodies->body[b], slit->at, at);
      const double width = width_at(forest, h, origin, at);
      if (slit->wide >= (1 - 1e-6) * width) continue;
      int level = 0;
      while (h / (1 << level) > slit->wide && level < DEEPEST) level++;
      return TRM_FAIL(INPUT, "%s: body %d leaves a slit %g wide at x = %g, y = %g, z = %g%s, and "
                      "cells there are %g wide: less than one across; grid.levels = %d with "
                      "mesh.refine = 'wall %g' would resolve it, or a grid %g times finer, or "
                      "close the slit in the surface", bodies->said, b + 1, slit->wide, at[0],
                       at[1],
                      at[2], fv_when(bodies, when), width, level, width,
                      ceil(width / slit->wide));
    }
  return TRM_OK;
}
