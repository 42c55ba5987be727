/* channel.h - the kernels of the channel that no exercise changes, and their functions (d2q9.h). */

/* One of two cells. */
TRM_INLINE cell channel_chosen(const int is_first, const cell a, const cell b)
{
  cell c;
  c.f[0] = is_first ? a.f[0] : b.f[0];
  c.f[1] = is_first ? a.f[1] : b.f[1];
  c.f[2] = is_first ? a.f[2] : b.f[2];
  c.f[3] = is_first ? a.f[3] : b.f[3];
  c.f[4] = is_first ? a.f[4] : b.f[4];
  c.f[5] = is_first ? a.f[5] : b.f[5];
  c.f[6] = is_first ? a.f[6] : b.f[6];
  c.f[7] = is_first ? a.f[7] : b.f[7];
  c.f[8] = is_first ? a.f[8] : b.f[8];
  return c;
}

/* The cell after its collision; a solid cell sends all back. */
TRM_INLINE cell channel_relaxed(const cell a, const real density, const real u, const real v,
                                const real omega, const int is_solid)
{
  const cell r = d2q9_relaxed(a, d2q9_equilibrium(density, u, v), omega);
  return channel_chosen(is_solid, d2q9_rebound(a), r);
}

/* Collision with the density and the velocity in memory. */
TRM_ROW_KERNEL5(channel_collide, 0, exercise_params, TRM_RO(real) f, TRM_RO(real) density,
                TRM_RO(real) velocity, TRM_RO(uchar) solid, TRM_RW(real) relaxed)
{
  TRM_ROW(y);
  TRM_IN(real) from = f + p.populations_first + y * p.populations_row;
  TRM_IN(real) rho = density + p.density_first + y * p.density_row;
  TRM_IN(real) u = velocity + p.velocity_first + y * p.velocity_row;
  TRM_IN(real) v = u + p.velocity_component;
  TRM_OUT(real) to = relaxed + p.relaxed_first + y * p.relaxed_row;
  TRM_FLAGS(solid + p.solid_first + y * p.solid_row, is_solid);
  TRM_CELLS(x) {
    const cell a = d2q9_here(from, p.populations_component, x);
    d2q9_store(to, p.relaxed_component, x,
               channel_relaxed(a, rho[x], u[x], v[x], p.omega, TRM_FLAG(is_solid, x)));
  }
  for (int i = 0; i < 9; i++) {
    TRM_WRAP_WEST(to + i * p.relaxed_component);
    TRM_WRAP_EAST(to + i * p.relaxed_component);
  }
}

/* Streaming. The column in the west is the inflow. The column in the east repeats the cells
 * beside it. */
TRM_ROW_KERNEL2(channel_stream, 1, exercise_params, TRM_RO(real) relaxed, TRM_RW(real) next)
{
  TRM_ROW(y);
  const trm_index k = p.relaxed_component;
  TRM_IN(real) c = relaxed + p.relaxed_first + y * p.relaxed_row;
  TRM_IN(real) s = relaxed + p.relaxed_first + TRM_SOUTH(y) * p.relaxed_row;
  TRM_IN(real) n = relaxed + p.relaxed_first + TRM_NORTH(y) * p.relaxed_row;
  TRM_OUT(real) to = next + p.populations_first + y * p.populations_row;
  const cell inflow = d2q9_equilibrium(R(1.0), p.inflow, R(0.0));
  TRM_CELLS(x) {
    const cell a = d2q9_arriving(c, s, n, k, x, TRM_WEST(x), TRM_EAST(x));
    const cell beside = d2q9_here(c, k, TRM_WEST(x));
    const cell then = channel_chosen(x == TRM_NX - 1, beside, a);
    d2q9_store(to, p.populations_component, x, channel_chosen(x == 0, inflow, then));
  }
}
