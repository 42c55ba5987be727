/* Adaptation: the state's way from the old leaves to the new ones. */

/* The conserved values of a cell at x, y, z of the slot's block or beside it. */
#define FV_HELD(to, x, y, z) \
  do { \
    const real fv_u = FV_VALUE(0, x, y, z), fv_v = FV_VALUE(1, x, y, z); \
    const real fv_w = FV_VALUE(2, x, y, z), fv_rho = FV_VALUE(3, x, y, z); \
    (to)[0] = fv_rho; \
    (to)[1] = fv_rho * fv_u; \
    (to)[2] = fv_rho * fv_v; \
    (to)[3] = fv_rho * fv_w; \
    (to)[4] = fv_rho * trm_fma(p.enthalpy * p.inv_gamma, FV_VALUE(4, x, y, z), \
                               R(0.5) * fv_square(fv_u, fv_v, fv_w)); \
  } while (0)

/* Inner energy of a volume of gas. */
TRM_INLINE real fv_inner(const real q0, const real q1, const real q2, const real q3, const real q4)
{
  return q4 - R(0.5) * fv_square(q1, q2, q3) / q0;
}

/* A quarter of the slope of each conserved value of a cell along an axis. */
#define FV_QUARTERS(to, dx, dy, dz) \
  do { \
    real low[5], high[5]; \
    FV_HELD(low, x - dx, y - dy, z - dz); \
    FV_HELD(high, x + dx, y + dy, z + dz); \
    for (int v = 0; v < FV_VALUES; v++) to[v] = FV_QUARTER(low[v], held[v], high[v]); \
  } while (0)

/* The leaves of the new grid: copied; or means of finer cells; or parts of a coarser leaf's cells
 * on a line along each axis, with the cell as their mean. Where such a line would leave a part
 * without pressure, the parts are like the cell. moves: kind, part, sources. */
TRM_GROUP_KERNEL5(fv_move, TRM_NO_SHARED, fv_params, TRM_RO(real) q, TRM_RO(real) w,
                  TRM_RO(int) near, TRM_RO(int) moves, TRM_RW(real) to)
{
  TRM_GROUP1(group);
  TRM_IN(int) move = moves + (trm_index)group * FV_MOVE_INTS;
  const int kind = move[0], part = move[1];
  TRM_OUT(real) next = to + (trm_index)group * FV_BLOCK;
  TRM_SERIAL(i, FV_CELLS) {
    const int fine_x = i % FV_SX, fine_y = i / FV_SX % FV_SY, fine_z = i / (FV_SX * FV_SY);
    if (kind == FV_MOVE_COPY) {
      TRM_IN(real) from = q + (trm_index)move[2] * FV_BLOCK;
      for (int v = 0; v < FV_VALUES; v++) next[v * FV_CELLS + i] = from[v * FV_CELLS + i];
    } else if (kind == FV_MOVE_MERGE) {
      const int child = 2 * fine_x / FV_SX + 2 * (2 * fine_y / FV_SY) +
                        (FV_SZ > 1 ? 4 * (2 * fine_z / FV_SZ) : 0);
      TRM_IN(real) from = q + (trm_index)move[2 + child] * FV_BLOCK;
      for (int v = 0; v < FV_VALUES; v++) {
        real some[FV_PARTS];
        for (int k = 0; k < FV_PARTS; k++)
          some[k] = from[v * FV_CELLS + FV_PART_AT(k, fine_x, fine_y, fine_z)];
        next[v * FV_CELLS + i] = FV_OF_PARTS(some) * (R(1.0) / (real)FV_PARTS);
      }
    } else {
      const trm_index slot = move[2];
      const int x = ((part & 1) * FV_SX + fine_x) / 2, y = ((part >> 1 & 1) * FV_SY + fine_y) / 2;
      const int z = ((part >> 2) * FV_SZ + fine_z) / 2;
      TRM_IN(real) from = q + slot * FV_BLOCK + (z * FV_SY + y) * FV_SX + x;
      real held[5], by_x[5], by_y[5], by_z[5];
      for (int v = 0; v < FV_VALUES; v++) {
        held[v] = from[v * FV_CELLS];
        by_z[v] = R(0.0);
      }
      FV_QUARTERS(by_x, 1, 0, 0);
      FV_QUARTERS(by_y, 0, 1, 0);
      if (FV_SZ > 1) FV_QUARTERS(by_z, 0, 0, 1);
      const real least = R(0.1) * fv_inner(held[0], held[1], held[2], held[3], held[4]);
      int is_gas = 1;
      for (int k = 0; k < FV_PARTS; k++) {
        real some[5];
        for (int v = 0; v < FV_VALUES; v++)
          some[v] = held[v] + fv_of_axes(k & 1 ? by_x[v] : -by_x[v], k & 2 ? by_y[v] : -by_y[v],
                                         k & 4 ? by_z[v] : -by_z[v]);
        is_gas = is_gas && some[0] > R(0.1) * held[0] &&
                 fv_inner(some[0], some[1], some[2], some[3], some[4]) > least;
      }
      for (int v = 0; v < FV_VALUES; v++) {
        const real off = fv_of_axes(fine_x & 1 ? by_x[v] : -by_x[v],
                                    fine_y & 1 ? by_y[v] : -by_y[v],
                                    fine_z & 1 ? by_z[v] : -by_z[v]);
        next[v * FV_CELLS + i] = is_gas ? held[v] + off : held[v];
      }
    }
  }
}
