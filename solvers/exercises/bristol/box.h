/* box.h - a cell of the driven box, for all kernels (d2q9.h). */

/* Collision: towards the equilibrium of the cell's own density and velocity. */
TRM_INLINE cell box_collided(const cell a, const real omega)
{
  const real density = d2q9_density(a);
  const real u = d2q9_momentum_x(a) / density, v = d2q9_momentum_y(a) / density;
  return d2q9_relaxed(a, d2q9_equilibrium(density, u, v), omega);
}

/* The drive pushes the cells of one row east: `push` moves from the directions of the west to
 * those of the east, a quarter of it from each corner. push is 0 in all other rows. */
TRM_INLINE cell box_driven(const cell a, const real push)
{
  cell b = a;
  b.f[1] = a.f[1] + push;
  b.f[5] = a.f[5] + R(0.25) * push;
  b.f[8] = a.f[8] + R(0.25) * push;
  b.f[3] = a.f[3] - push;
  b.f[6] = a.f[6] - R(0.25) * push;
  b.f[7] = a.f[7] - R(0.25) * push;
  return b;
}

TRM_INLINE real box_speed(const cell a)
{
  const real density = d2q9_density(a);
  const real u = d2q9_momentum_x(a) / density, v = d2q9_momentum_y(a) / density;
  return trm_sqrt(u * u + v * v);
}
