/* sides.c - the pushes of moving walls, for all kinds of grids. Also the table by population and
 * corner, for moments and for stored populations, whose cells beside such walls need no lists
 * (lbm3d_stored_walls.h). */
#include "solvers/lbm3d/lbm3d.h"

/* 6 w e.u (Ladd 1994), that is twice what is odd in e of the equilibrium with density 1; of
 * cumulants their own (lbm3d_given.h). */
double lbm3d_push(const lbm3d_scene *scene, int k, const double u[3])
{
  const double e[] = { lbm3d_ex[k], lbm3d_ey[k], lbm3d_ez[k] };
  double lean = e[0] * u[0] + e[1] * u[1] + e[2] * u[2], even[3];
  if (scene->is_product) {
    for (int a = 0; a < 3; a++) even[a] = 1.0 + (e[a] != 0.0 ? 3.0 : -1.5) * u[a] * u[a];
    lean = e[0] * u[0] * even[1] * even[2] + e[1] * u[1] * even[2] * even[0] +
           e[2] * u[2] * even[0] * even[1] + 9.0 * e[0] * u[0] * e[1] * u[1] * e[2] * u[2];
  }
  return 6.0 * lbm3d_weight(scene->velocities, k) * lean;
}

double lbm3d_side_push(const lbm3d_scene *scene, int side, const double at[3], int k)
{
  double u[3];
  lbm3d_side_slip(scene, side, at, u);
  return lbm3d_side_density(scene, side) * lbm3d_push(scene, k, u);
}

/* The side that decides where a population comes across several: links.c. */
static int deciding(const lbm3d_scene *scene, int k, int crossed)
{
  const int e[] = { lbm3d_ex[k], lbm3d_ey[k], lbm3d_ez[k] };
  int side = -1;
  for (int axis = 0; axis < 3; axis++) {
    const int one = 2 * axis + (e[axis] < 0);
    if (!(crossed >> axis & 1) || e[axis] == 0) continue;
    if (scene->sides[one].kind == SIDE_PERIODIC) continue;
    if (side < 0 || scene->sides[one].kind > scene->sides[side].kind) side = one;
  }
  return side;
}

void lbm3d_sides_give(const lbm3d_scene *scene, double given[8 * D3Q27])
{
  for (int k = 1; k < scene->velocities; k++)
    for (int crossed = 1; crossed < 8; crossed++) {
      const int side = deciding(scene, k, crossed);
      double at[3];
      if (side < 0) continue;
      for (int a = 0; a < 3; a++) {
        const int e = a == 0 ? lbm3d_ex[k] : a == 1 ? lbm3d_ey[k] : lbm3d_ez[k];
        at[a] = !(crossed >> a & 1) || e == 0 ? 0.5 * scene->n[a] : e < 0 ? scene->n[a] : 0.0;
      }
      given[8 * k + crossed] = lbm3d_side_push(scene, side, at, k);
    }
}
