/* sides.c - what walls give that are sides of the box: of moments, and of stored populations, whose
 * cells beside such walls need no lists (lbm3d_stored_walls.h). */
#include "solvers/lbm3d/lbm3d.h"

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
      double at[3] = { 0.0 }, u[3];
      if (side < 0) continue;
      at[side / 2] = side % 2 ? scene->n[side / 2] : 0.0;
      lbm3d_side_velocity(scene, side, at, u);
      given[8 * k + crossed] = 6.0 * lbm3d_weight(scene->velocities, k) *
        (lbm3d_ex[k] * u[0] + lbm3d_ey[k] * u[1] + lbm3d_ez[k] * u[2]);
    }
}
