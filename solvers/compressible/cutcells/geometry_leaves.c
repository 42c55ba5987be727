/* geometry_leaves.c - which leaves walls are near to, for the device's lists (geometry.h). */
#include "core/host_work.h"
#include "solvers/compressible/cutcells/geometry_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many cells about a wall there are lists, and so many more bodies may go before leaves near
 * walls are found anew. Units lie two faces from a cell that a wall cuts at most, and look at
 * one more. */
static const double BAND = 4;
enum { FINE = 2 };             /* parts of a leaf that are looked at: cells along an axis */

/* Whether a wall comes so near to the cells of a block, so many of the level's along an axis from a
 * corner on, as their lists reach. */
static int is_near(const fv_solver *fv, const double low[3], int side, double width)
{
  double middle[3];
  for (int a = 0; a < 3; a++) middle[a] = low[a] + 0.5 * side * width;
  const double away = fabs(fv_bodies_distance(&fv->bodies, middle, NULL, NULL));
  if (away > (0.5 * sqrt(3) * side + BAND + FV_STRAY) * width) return 0;
  if (side <= FINE) return 1;
  for (int k = 0; k < (fv->n[2] == 1 ? 4 : 8); k++) {
    double part[3];
    for (int a = 0; a < 3; a++) part[a] = low[a] + (k >> a & 1) * 0.5 * side * width;
    if (is_near(fv, part, side / 2, width)) return 1;
  }
  return 0;
}

/* What is found out of leaves. */
typedef struct finding { const fv_solver *fv; int32_t *near; } finding;

/* Whether a leaf lies all in the gas, FV_KIND_WHOLE, in bodies, FV_KIND_SOLID, or near walls, 0. */
static trm_status find_side(void *user, size_t leaf, int thread)
{
  const finding *f = user;
  const fv_solver *fv = f->fv;
  const trm_forest *forest = fv->forest;
  const int side = forest->blocks.side[0];
  const double width = fv->h / (1 << forest->level[leaf]);
  double low[3], middle[3];
  (void)thread;
  for (int a = 0; a < 3; a++) {
    low[a] = fv->origin[a] + forest->place[leaf][a] * forest->blocks.side[a] * width;
    middle[a] = low[a] + 0.5 * side * width;
  }
  f->near[leaf] = is_near(fv, low, side, width) ? 0
                    : fv_bodies_distance(&fv->bodies, middle, NULL, NULL) > 0 ? FV_KIND_WHOLE
                                                                               : FV_KIND_SOLID;
  return TRM_OK;
}

/* Leaves beyond a periodic side, of which distances know nothing, beside those near walls: they do
 * not lie where the way to them leads. */
static void look_around(const trm_forest *forest, int32_t *near)
{
  for (size_t i = 0; i < forest->blocks.count; i++)
    for (int k = 0; k < 27 && near[i] == 0; k++) {
      const int by[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
      const int32_t slot = forest->near[i][k];
      if ((size_t)slot < forest->blocks.count && near[slot] == FV_KIND_WHOLE)
        for (int a = 0; a < 3; a++)
          if (forest->place[slot][a] != forest->place[i][a] + by[a]) near[slot] = 1;
    }
}

static void note_leaf(const trm_forest *forest, size_t leaf, int32_t *to)
{
  to[0] = (int32_t)leaf;
  to[1] = forest->level[leaf];
  memcpy(to + 2, forest->place[leaf], 3 * sizeof *to);
}

trm_status fv_find_leaves(const fv_solver *fv, fv_leaves *to)
{
  const trm_forest *forest = fv->forest;
  const size_t leaves = forest->blocks.count;
  *to = (fv_leaves){ .near = malloc(leaves * sizeof *to->near), .count = leaves,
                     .leaf = malloc((FV_LEAF_INTS * leaves + 1) * sizeof *to->leaf) };
  if (!to->near || !to->leaf) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks", leaves);
  TRM_TRY(trm_device_host_each(fv->base.device, leaves, find_side, &(finding){ fv, to->near }));
  look_around(forest, to->near);
  for (size_t i = 0; i < leaves; i++) {
    const size_t leaf = (size_t)forest->blocks.slot[i];
    if (to->near[leaf] < 0) continue;
    note_leaf(forest, leaf, to->leaf + FV_LEAF_INTS * to->nears);
    to->near[leaf] = (int32_t)to->nears++;
  }
  for (size_t leaf = 0; leaf < leaves; leaf++)
    if (to->near[leaf] == FV_KIND_SOLID)
      note_leaf(forest, leaf, to->leaf + FV_LEAF_INTS * (to->nears + to->solids++));
  return TRM_OK;
}
