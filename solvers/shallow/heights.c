/* heights.c - the heights of a run: above the scene's reference, at its lowest bed, and multiples
 * of a quantum. So every bed, every difference of beds and the depth of every lake are numbers of
 * the run's precision. So a lake is at rest exactly, at any height above the datum.
 *
 * A film on a slope keeps its depth. */
#include "solvers/shallow/scene.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

double shallow_scene_height(const shallow_scene *scene, double height)
{
  const double above = height - scene->reference;
  return scene->quantum > 0 ? rint(above / scene->quantum) * scene->quantum : above;
}

/* Beds beyond an edge go on as straight lines, two cells far. */
static double reach_beyond(const shallow_scene *scene, size_t near, size_t next)
{
  return fabs(scene->z[near] - scene->reference + 2 * (scene->z[near] - scene->z[next]));
}

/* The largest height above the reference. */
static double reach_of(const shallow_scene *scene)
{
  const size_t nx = (size_t)scene->nx, ny = (size_t)scene->ny, cells = nx * ny;
  double reach = 0;
  for (size_t i = 0; i < cells; i++)
    reach = fmax(reach, fmax(scene->z[i], scene->level[i]) - scene->reference);
  for (size_t y = 0; y < ny; y++) {
    reach = fmax(reach, reach_beyond(scene, y * nx, y * nx + 1));
    reach = fmax(reach, reach_beyond(scene, y * nx + nx - 1, y * nx + nx - 2));
  }
  for (size_t x = 0; x < nx; x++) {
    reach = fmax(reach, reach_beyond(scene, x, nx + x));
    reach = fmax(reach, reach_beyond(scene, cells - nx + x, cells - 2 * nx + x));
  }
  return reach;
}

/* ---- lakes ------------------------------------------------------------------ */

/* A lake: wet cells side by side with one surface, somewhere so many quanta deep: its surface lies
 * on the quantum. Other water of this depth keeps its surface, shallower water its depth. */
enum { LEAST_QUANTA = 64 };

typedef struct search { size_t *cells, count; unsigned char *is_met; } search;

static void meet(search *found, const shallow_scene *scene, size_t from, size_t to)
{
  if (found->is_met[to] || !(scene->h[to] > 0) || scene->level[to] != scene->level[from]) return;
  found->is_met[to] = 1;
  found->cells[found->count++] = to;
}

/* The lake of a cell, into found->cells; returns its greatest depth. */
static double find_lake(search *found, const shallow_scene *scene, size_t first)
{
  const size_t nx = (size_t)scene->nx, cells = nx * (size_t)scene->ny;
  double deepest = 0;
  found->count = 0;
  meet(found, scene, first, first);
  for (size_t k = 0; k < found->count; k++) {
    const size_t i = found->cells[k], x = i % nx;
    deepest = fmax(deepest, scene->h[i]);
    if (x > 0) meet(found, scene, i, i - 1);
    if (x + 1 < nx) meet(found, scene, i, i + 1);
    if (i >= nx) meet(found, scene, i, i - nx);
    if (i + nx < cells) meet(found, scene, i, i + nx);
  }
  return deepest;
}

/* Depths of lakes become differences of heights that the run can hold. */
static void resolve_lakes(shallow_scene *scene, search *found)
{
  for (size_t i = 0; i < (size_t)scene->nx * (size_t)scene->ny; i++) {
    const double least = LEAST_QUANTA * scene->quantum, above = scene->level[i] - scene->reference;
    if (found->is_met[i] || !(scene->h[i] > 0) || find_lake(found, scene, i) < least) continue;
    const double level = found->count > 1 ? shallow_scene_height(scene, scene->level[i]) : above;
    for (size_t k = 0; k < found->count; k++) {
      const size_t cell = found->cells[k];
      scene->h[cell] = fmax(level - shallow_scene_height(scene, scene->z[cell]), 0.0);
    }
  }
}

/* The quantum hides slopes, so the edges' are looked at before. */
static trm_status find_flat_edges(shallow_scene *scene)
{
  const size_t nx = (size_t)scene->nx, ny = (size_t)scene->ny;
  const size_t first[] = { 0, nx - 1, 0, (ny - 1) * nx }, along[] = { nx, nx, 1, 1 };
  const ptrdiff_t inward[] = { 1, -1, (ptrdiff_t)nx, -(ptrdiff_t)nx };
  unsigned char *to = scene->is_flat = calloc(2 * (nx + ny), 1);
  if (!to) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at edges", 2 * (nx + ny));
  for (int side = 0; side < 4; side++)
    for (size_t i = 0; i < (side < 2 ? ny : nx); i++, to++) {
      const double *near = scene->z + first[side] + i * along[side];
      *to = fabs(near[0] - near[inward[side]]) <=
            SHALLOW_LEVEL_SLOPE * (side < 2 ? scene->dx : scene->dy);
    }
  return TRM_OK;
}

/* ---- all heights -------------------------------------------------------------- */

trm_status shallow_scene_resolve(shallow_scene *scene, int digits)
{
  const size_t cells = (size_t)scene->nx * (size_t)scene->ny;
  int exponent = 0;
  TRM_TRY(find_flat_edges(scene));
  if (!scene->level) return TRM_OK;
  scene->reference = INFINITY;
  for (size_t i = 0; i < cells; i++) scene->reference = fmin(scene->reference, scene->z[i]);
  const double reach = reach_of(scene);
  frexp(1.001 * reach, &exponent);
  scene->quantum = digits && reach > 0 ? ldexp(1.0, exponent - digits) : 0.0;
  if (scene->quantum > 0) /* the datum and other round heights are on it */
    scene->reference = floor(scene->reference / scene->quantum) * scene->quantum;
  if (scene->quantum > 0) {
    search found = { malloc(cells * sizeof(size_t)), 0, calloc(cells, 1) };
    if (found.cells && found.is_met) resolve_lakes(scene, &found);
    const int has_room = found.cells && found.is_met;
    free(found.cells);
    free(found.is_met);
    if (!has_room) return TRM_FAIL(NO_HOST_MEMORY, "no memory to find lakes in %zu cells", cells);
  }
  for (size_t i = 0; i < cells; i++) scene->z[i] = shallow_scene_height(scene, scene->z[i]);
  free(scene->level);
  scene->level = NULL;
  return TRM_OK;
}
