/* Between a grid and the next coarser one, whose leaves are each four (eight) leaves of the finer
 * or one and the same: family[leaf] has 0 and that one's slot, or 1 and the parts' slots, x
 * fastest. Full approximation (Brandt 1977): down goes the state as means, and with it the mean
 * residual; what the coarser grid made of the state since goes up as a correction. */
#if FV_IS_DUAL

/* Cells of a coarser leaf: state, a copy of it, and the residual that is still to go. */
TRM_GROUP_KERNEL7(fv_down, TRM_NO_SHARED, fv_params, TRM_RO(int) family, TRM_RO(real) q,
                  TRM_RO(real) rest, TRM_RW(real) to, TRM_RW(real) copy, TRM_RW(real) mean_rest,
                  TRM_RO(real) clock)
{
  TRM_GROUP1(group);
  TRM_IN(int) kin = family + (trm_index)group * FV_FAMILY_INTS;
  const trm_index first = (trm_index)group * FV_BLOCK;
  if (FV_RUNS(clock))
    TRM_SERIAL(i, FV_CELLS) {
      const int x = i % FV_SX, y = i / FV_SX % FV_SY, z = i / (FV_SX * FV_SY);
      const int child = 2 * x / FV_SX + 2 * (2 * y / FV_SY) +
                        (FV_SZ > 1 ? 4 * (2 * z / FV_SZ) : 0);
      const int is_mean = kin[0], parts = is_mean ? FV_PARTS : 1;
      const trm_index from = (trm_index)kin[1 + (is_mean ? child : 0)] * FV_BLOCK;
      const real share = is_mean ? R(1.0) / (real)FV_PARTS : R(1.0);
      for (int v = 0; v < FV_VALUES; v++) {
        real state = R(0.0), left = R(0.0);
        for (int k = 0; k < parts; k++) {
          const int at = is_mean ? (((2 * z + (k >> 2)) & (FV_SZ - 1)) * FV_SY +
                                    ((2 * y + (k >> 1 & 1)) & (FV_SY - 1))) * FV_SX +
                                     ((2 * x + (k & 1)) & (FV_SX - 1))
                                 : i;
          state = state + q[from + v * FV_CELLS + at];
          left = left + rest[from + v * FV_CELLS + at];
        }
        to[first + v * FV_CELLS + i] = share * state;
        copy[first + v * FV_CELLS + i] = share * state;
        mean_rest[first + v * FV_CELLS + i] = share * left;
      }
    }
}

/* What value v of the coarser cell at x, y, z of a slot changed by; in a block beside that is no
 * leaf, `own`. */
TRM_INLINE real fv_change(const fv_params p, TRM_IN(real) q, TRM_IN(real) copy, TRM_IN(int) near,
                          const int v, const int x, const int y, const int z, const real own)
{
  const int beside = near[(z < 0 ? 0 : z < FV_SZ ? 9 : 18) + (y < 0 ? 0 : y < FV_SY ? 3 : 6) +
                          (x < 0 ? 0 : x < FV_SX ? 1 : 2)];
  const trm_index at = (trm_index)(beside < p.blocks ? beside : 0) * FV_BLOCK + v * FV_CELLS +
                       ((z & (FV_SZ - 1)) * FV_SY + (y & (FV_SY - 1))) * FV_SX + (x & (FV_SX - 1));
  return beside < p.blocks ? q[at] - copy[at] : own;
}

/* Cells of the finer leaves in a coarser one: p.alpha of its change, on a line along each axis.
 * Where density or pressure would not stay positive a cell stays as it is. */
TRM_GROUP_KERNEL7(fv_up, TRM_NO_SHARED, fv_params, TRM_RO(int) family, TRM_RO(real) q,
                  TRM_RO(real) copy, TRM_RO(int) near, TRM_RW(real) to, TRM_RW(real) w,
                  TRM_RO(real) clock)
{
  TRM_GROUP1(group);
  TRM_IN(int) kin = family + (trm_index)group * FV_FAMILY_INTS;
  TRM_IN(int) beside = near + (trm_index)group * FV_NEAR_INTS;
  const trm_index here = (trm_index)group * FV_BLOCK;
  if (FV_RUNS(clock))
    for (int child = 0; child < (kin[0] ? FV_PARTS : 1); child++)
      TRM_SERIAL(i, FV_CELLS) {
        const trm_index to_cell = (trm_index)kin[1 + child] * FV_BLOCK + i;
        const int fine_x = i % FV_SX, fine_y = i / FV_SX % FV_SY, fine_z = i / (FV_SX * FV_SY);
        const int x = kin[0] ? ((child & 1) * FV_SX + fine_x) / 2 : fine_x;
        const int y = kin[0] ? ((child >> 1 & 1) * FV_SY + fine_y) / 2 : fine_y;
        const int z = kin[0] ? ((child >> 2) * FV_SZ + fine_z) / 2 : fine_z;
        const int at = (z * FV_SY + y) * FV_SX + x;
        real now[FV_VALUES];
        for (int v = 0; v < FV_VALUES; v++) {
          const real own = q[here + v * FV_CELLS + at] - copy[here + v * FV_CELLS + at];
          real change = own;
          if (kin[0]) {
            const real along_x = fv_change(p, q, copy, beside, v, fine_x & 1 ? x + 1 : x - 1, y, z,
                                           own);
            const real along_y = fv_change(p, q, copy, beside, v, x, fine_y & 1 ? y + 1 : y - 1, z,
                                           own);
#if FV_SZ > 1
            const real along_z = fv_change(p, q, copy, beside, v, x, y, fine_z & 1 ? z + 1 : z - 1,
                                           own) - own;
#else
            const real along_z = R(0.0);
#endif
            change = trm_fma(R(0.25), ((along_x - own) + (along_y - own)) + along_z, own);
          }
          now[v] = trm_fma(p.alpha, change, to[to_cell + v * FV_CELLS]);
        }
        const fv_cell c = fv_values(p, now[0], now[1], now[2], now[3], now[4]);
        if (c.rho > R(0.0) && c.t > R(0.0)) {
          FV_STORE(w, to_cell, c);
          for (int v = 0; v < FV_VALUES; v++) to[to_cell + v * FV_CELLS] = now[v];
        }
      }
}
#endif
