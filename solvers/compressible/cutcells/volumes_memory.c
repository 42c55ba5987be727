/* volumes_memory.c - about how much memory the lists of control volumes take, before there are any.
 * Facets cut about as many cells as they have area, each by the sum of its normal's parts. The
 * other counts follow from that one, as measured about spheres and boxes. */
#include "solvers/compressible/cutcells/volumes_run.h"
#include "solvers/compressible/solver/fv.h"

#include <math.h>

/* For each cut cell. Moving bodies cut the cells of their way, too. */
static const double LISTED = 2.1, OUTER = 2.2, FACES = 5.6, TREES = 0.05, ON_THE_WAY = 1.15;

/* The part of a facet's extent that is in the grid: bodies may be endless along z, or go on beyond
 * periodic sides. */
static double part_within(const fv_solver *fv, int body, const double *box)
{
  double part = 1, at[3];
  fv_body_to_here(&fv->bodies.body[body], fv->bodies.body[body].at, at);
  for (int a = 0; a < 3; a++) {
    const double off = (at[a] - fv->origin[a]) / fv_finest_side(fv);
    const int cells = fv_finest_cells(fv, a);
    const double low = box[a] + off, high = box[3 + a] + off;
    const double within = fmin(high, cells) - fmax(low, 0);
    if (high - low > cells) part *= fmax(within, 0) / (high - low);
  }
  return part;
}

static double cut_cells(const fv_solver *fv)
{
  const fv_told *told = &fv->volumes->told;
  double sum = 0;
  for (int b = 0; b < fv->bodies.count; b++) {
    const fv_facets *f = &told->facets[b];
    for (size_t i = 0; i < f->facet_count; i++) {
      const double *v[3] = { f->corner[f->facet[i].corner[0]], f->corner[f->facet[i].corner[1]],
                             f->corner[f->facet[i].corner[2]] };
      const double *n = f->plane[f->facet[i].plane];
      double square = 0;
      if (fv->n[2] == 1 && fabs(n[2]) > 0.5) continue; /* ends out of the plane */
      for (int a = 0; a < 3; a++) {
        const int j = (a + 1) % 3, k = (a + 2) % 3;
        const double across = (v[1][j] - v[0][j]) * (v[2][k] - v[0][k]) -
                              (v[1][k] - v[0][k]) * (v[2][j] - v[0][j]);
        square += across * across;
      }
      sum += 0.5 * sqrt(square) * (fabs(n[0]) + fabs(n[1]) + fabs(n[2])) *
             part_within(fv, b, f->box[i]);
    }
  }
  return fv->bodies.is_moving ? ON_THE_WAY * sum : sum;
}

trm_status fv_count_volumes(const fv_solver *fv, uint64_t *bytes)
{
  enum { I = sizeof(int32_t), R = sizeof(double) };
  if (!fv->volumes) return TRM_OK;
  const double cells = (double)fv->forest->blocks.count * (double)fv->block;
  const double cut = cut_cells(fv), listed = LISTED * cut, volumes = listed;
  const double outer = OUTER * cut, faces = FACES * cut, trees = TREES * cut;
  const int is_viscous = fv->p.viscosity > 0;
  const double of_cells = 6 * I + 1;
  const double of_listed = I * (FV_FOUND_INTS + FV_FOUND_PLANES + 2 * FV_CELL_PARTS +
                                2 * FV_KEPT_INTS + 2 * FV_CELL_FACES + FV_CELL_SIDES + 6) +
                           R * 2 * FV_GAS_REALS;
  const double of_volume = I * (FV_NEAR_LIST_INTS + FV_OLD_INTS + 12) +
                           R * (2 * FV_VOLUME_REALS + FV_WALL_REALS + FV_HOOD_REALS +
                                FV_ASK_REALS + FV_GIVE_REALS + FV_CELL_PARTS + 2 * FV_VALUES +
                                FV_HOOD_REALS + FV_ASK_REALS + FV_GIVE_REALS + 32 + 6);
  const double of_state = I * 2 + R * (4 + 4 * FV_VALUES + (is_viscous ? 20 : 0));
  const double of_outer = I * (2 + FV_CELL_SIDES) + R * (FV_VALUES + FV_CELL_SIDES * FV_VALUES);
  const double of_face = I * (FV_JOIN_INTS + 2) +
                         R * (FV_OPENING_REALS + 2 * FV_SHARE_REALS + FV_VALUES);
  const double of_tree = I * 2 * FV_TREE_INTS + R * FV_TREE_WALLS * (FV_WALL_REALS + 2);
  *bytes += (uint64_t)(cells * of_cells +
                       1.125 * (listed * of_listed + volumes * of_volume +
                                (volumes + outer) * of_state + outer * of_outer +
                                faces * of_face + trees * of_tree) +
                       R * (double)fv->volumes->told.lists.real_count +
                       I * (double)fv->volumes->told.lists.int_count);
  return TRM_OK;
}
