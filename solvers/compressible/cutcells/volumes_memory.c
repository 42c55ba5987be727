/* volumes_memory.c - about how much memory the lists of control volumes take, before there are any.
 * Facets cut about as many cells as they have area, each by the sum of its normal's parts. The
 * other counts follow from that one, as measured about spheres and boxes. Facets deep in other
 * bodies cut none. In narrow places the cells with gas are fewer. */
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

/* Whether a place lies deep in another body. */
static int is_covered(const fv_solver *fv, int body, const double at[3])
{
  for (int b = 0; b < fv->bodies.count; b++)
    if (b != body && fv_body_distance(&fv->bodies.body[b], at, NULL) < -1.5 * fv_finest_side(fv))
      return 1;
  return 0;
}

/* The part of a facet that lies in the grid and deep in no other body, by the middles of small
 * triangles. Along axes on which it is longer than the grid, part_within has that. v: corners. */
static double part_bare(const fv_solver *fv, int body, const double *const v[3], const double *box)
{
  enum { MOST = 12 };          /* small triangles along a side; else four cells each */
  double longest = 0;
  int bare = 0;
  for (int k = 0; k < 3 * 3; k++)
    longest = fmax(longest, fabs(v[k / 3][k % 3] - v[(k / 3 + 1) % 3][k % 3]));
  const int n = (int)fmin(MOST, fmax(1, ceil(longest / 4)));
  for (int k = 0; k < 2 * n * n; k++) {
    const int i = k / 2 % n, j = k / 2 / n, is_down = k % 2;
    const double s = (i + (1 + is_down) / 3.) / n, t = (j + (1 + is_down) / 3.) / n;
    const fv_body *own = &fv->bodies.body[body];
    double at[3], here[3];
    int is_inside = i + j + is_down < n;
    for (int a = 0; a < 3; a++)
      at[a] = own->at[a] + fv_finest_side(fv) * (v[0][a] + s * (v[1][a] - v[0][a]) +
                                                 t * (v[2][a] - v[0][a]));
    fv_body_to_here(own, at, here);
    for (int a = 0; a < fv_axes(fv); a++)
      is_inside &= box[3 + a] - box[a] > fv_finest_cells(fv, a) ||
                   (here[a] >= fv->origin[a] && here[a] <= fv->origin[a] + fv->h * fv->n[a]);
    bare += is_inside && !is_covered(fv, body, here);
  }
  return (double)bare / (n * n);
}

static double cut_cells(const fv_solver *fv)
{
  const fv_told *told = &fv->volumes->told;
  double sum = 0;
  for (int b = 0; b < fv->bodies.count; b++) {
    const fv_facets *f = &told->facets[b];
    for (size_t i = 0; i < f->facet_count; i++) {
      const int32_t *own = f->facet[i].corner;
      const double *const v[3] = { f->corner[own[0]], f->corner[own[1]], f->corner[own[2]] };
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
             part_within(fv, b, f->box[i]) * part_bare(fv, b, v, f->box[i]);
    }
  }
  return fv->bodies.is_moving ? ON_THE_WAY * sum : sum;
}

/* About how many cells of the finest level hold gas, by some of their middles. */
static double gas_cells(const fv_solver *fv)
{
  enum { MOST = 20000 };
  const trm_forest *forest = fv->forest;
  const size_t cells = forest->blocks.count * fv->block, every = cells / MOST + 1;
  const double h = fv_finest_side(fv);
  size_t gas = 0;
  for (size_t i = 0; i < cells; i += every) {
    const size_t leaf = i / fv->block;
    size_t rest = i % fv->block;
    double at[3] = { 0, 0, 0 };
    if (forest->level[leaf] != fv->finest) continue;
    for (int a = 0; a < 3; a++) {
      const size_t side = (size_t)forest->shape.side[a];
      const double place = (double)forest->place[leaf][a] * (double)side + (double)(rest % side);
      if (a < fv_axes(fv)) at[a] = fv->origin[a] + h * (place + 0.5);
      rest /= side;
    }
    gas += fv_bodies_distance(&fv->bodies, at, NULL, NULL) > -0.5 * h;
  }
  return (double)gas * (double)every;
}

/* Cells of the leaves that the lists begin with. */
static double looked_at(const fv_solver *fv)
{
  double leaves = 0;
  for (size_t i = 0; i < fv->forest->blocks.count; i++) leaves += fv_is_leaf_near(fv, i);
  return leaves * (double)fv->block;
}

trm_status fv_count_volumes(const fv_solver *fv, uint64_t *bytes)
{
  enum { I = sizeof(int32_t), R = sizeof(double) };
  if (!fv->volumes) return TRM_OK;
  const double cells = (double)fv->forest->blocks.count * (double)fv->block;
  const double cut = cut_cells(fv), listed = LISTED * cut, gas = gas_cells(fv);
  const double volumes = fmin(listed, gas), outer = fmin(OUTER * cut, gas - volumes);
  const double faces = FACES / LISTED * volumes, trees = TREES * cut;
  const int is_viscous = fv->p.viscosity > 0;
  const double of_cells = 6 * I;
  const double of_listed = I * (FV_FOUND_INTS + FV_FOUND_PLANES + 2 * FV_CELL_PARTS +
                                2 * FV_KEPT_INTS + 2 * FV_CELL_FACES + FV_CELL_SIDES + 6) +
                           R * 2 * FV_GAS_REALS;
  const double of_volume = I * (FV_NEAR_LIST_INTS + FV_OLD_INTS + 12) +
                           R * (2 * FV_VOLUME_REALS + FV_WALL_REALS + FV_HOOD_REALS +
                                FV_ASK_REALS + FV_GIVE_REALS + FV_CELL_PARTS + 2 * FV_VALUES +
                                FV_HOOD_REALS + FV_ASK_REALS + FV_GIVE_REALS + 36 + 6);
  const double of_state = I * 2 + R * (4 + 4 * FV_VALUES + (is_viscous ? 20 : 0));
  const double of_outer = I * (2 + FV_CELL_SIDES) + R * (FV_VALUES + FV_CELL_SIDES * FV_VALUES);
  const double of_face = I * (FV_JOIN_INTS + 2) +
                         R * (FV_OPENING_REALS + 2 * FV_SHARE_REALS + FV_VALUES);
  const double of_tree = I * 2 * FV_TREE_INTS + R * FV_TREE_WALLS * (FV_WALL_REALS + 2);
  *bytes += (uint64_t)(cells + looked_at(fv) * of_cells +
                       1.125 * (listed * of_listed + volumes * of_volume +
                                (volumes + outer) * of_state + outer * of_outer +
                                faces * of_face + trees * of_tree) +
                       R * (double)fv->volumes->told.lists.real_count +
                       I * (double)fv->volumes->told.lists.int_count);
  return TRM_OK;
}
