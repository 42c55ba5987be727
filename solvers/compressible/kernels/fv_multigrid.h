/* Between a grid and the next coarser one, whose leaves are each four (eight) leaves of the finer
 * grid, or one equal leaf. family[leaf] has 0 and the slot of that leaf, or 1 and the parts' slots,
 * x fastest. Full approximation (Brandt 1977): the state goes down as means, and with it the mean
 * residual. The change that the coarser grid has made since goes up as a correction.
 *
 * Bodies: each grid has walls of its own, cut from the bodies in its own cells. In its cells at
 * walls lies the mean of the finer grid's gas there, with a group as a whole; members of a finer
 * group get the correction of their master. */
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
      const int is_mean = kin[0];
      const trm_index from = (trm_index)kin[1 + (is_mean ? child : 0)] * FV_BLOCK;
      for (int v = 0; v < FV_VALUES; v++) {
        real state = q[from + v * FV_CELLS + i], left = rest[from + v * FV_CELLS + i];
        if (is_mean) {
          real states[FV_PARTS], lefts[FV_PARTS];
          for (int k = 0; k < FV_PARTS; k++) {
            states[k] = q[from + v * FV_CELLS + FV_PART_AT(k, x, y, z)];
            lefts[k] = rest[from + v * FV_CELLS + FV_PART_AT(k, x, y, z)];
          }
          state = FV_OF_PARTS(states) * (R(1.0) / (real)FV_PARTS);
          left = FV_OF_PARTS(lefts) * (R(1.0) / (real)FV_PARTS);
        }
        to[first + v * FV_CELLS + i] = state;
        copy[first + v * FV_CELLS + i] = state;
        mean_rest[first + v * FV_CELLS + i] = left;
      }
    }
}

/* A coarser grid's cells at walls. transfers: their number; for each the cell and the first of its
 * parts; at the end the number of parts. parts: the finer grid's cells, with their fraction of the
 * gas. A solid cell has none. */
TRM_GROUP_KERNEL9(fv_cut_down, TRM_NO_SHARED, fv_params, TRM_RO(int) transfers, TRM_RO(int) parts,
                  TRM_RO(real) shares, TRM_RO(real) q, TRM_RO(real) rest, TRM_RW(real) to,
                  TRM_RW(real) copy, TRM_RW(real) mean_rest, TRM_RO(real) clock)
{
  TRM_GROUP1(group);
  if (FV_RUNS(clock))
    TRM_SERIAL(lane, FV_CUT_GROUP) {
      const int i = group * FV_CUT_GROUP + lane;
      if (i < transfers[0]) {
        const trm_index at = FV_CUT_INDEX(transfers[1 + 2 * i]);
        const int end = transfers[4 + 2 * i];
        for (int v = 0; v < FV_VALUES; v++) {
          real state = R(0.0), left = R(0.0);
          for (int e = transfers[2 + 2 * i]; e < end; e++) {
            const trm_index from = FV_CUT_INDEX(parts[e]) + v * FV_CELLS;
            state = trm_fma(shares[e], q[from], state);
            left = trm_fma(shares[e], rest[from], left);
          }
          to[at + v * FV_CELLS] = state;
          copy[at + v * FV_CELLS] = state;
          mean_rest[at + v * FV_CELLS] = left;
        }
      }
    }
}

/* Blocks at walls after a stage that left residuals: their units' (fv_cut_sums); none in solids. */
TRM_GROUP_KERNEL4(fv_cut_rest, TRM_NO_SHARED, fv_params, TRM_RO(int) marks, TRM_RO(real) fresh,
                  TRM_RW(real) to, TRM_RO(real) clock)
{
  TRM_GROUP1(group);
  TRM_IN(int) mark = marks + (trm_index)group * (FV_CELLS + 1);
  const trm_index first = (trm_index)mark[0] * FV_BLOCK;
  if (FV_RUNS(clock))
    TRM_SERIAL(i, FV_CELLS) {
      const int unit = mark[1 + i];
      TRM_IN(real) from = FV_CUT_ENTRY(fresh, FV_VALUES, unit >= 0 ? unit : 0);
      for (int v = 0; v < FV_VALUES && unit != -1; v++)
        to[first + v * FV_CELLS + i] = unit >= 0 ? FV_CUT_OF(from, v) : R(0.0);
    }
}

/* Members of groups at walls have their master's state again. */
TRM_GROUP_KERNEL5(fv_cut_unite, TRM_NO_SHARED, fv_params, TRM_RO(int) marks, TRM_RO(int) units,
                  TRM_RW(real) q, TRM_RW(real) w, TRM_RO(real) clock)
{
  TRM_GROUP1(group);
  TRM_IN(int) mark = marks + (trm_index)group * (FV_CELLS + 1);
  const int slot = mark[0];
  if (FV_RUNS(clock))
    TRM_SERIAL(i, FV_CELLS) {
      const int own = slot * FV_CELLS + i, unit = mark[1 + i];
      const int master = unit >= 0 ? units[3 * unit] : own;
      const trm_index to = (trm_index)slot * FV_BLOCK + i, from = FV_CUT_INDEX(master);
      for (int v = 0; v < FV_VALUES && master != own; v++) {
        q[to + v * FV_CELLS] = q[from + v * FV_CELLS];
        w[to + v * FV_CELLS] = w[from + v * FV_CELLS];
      }
    }
}

/* The place of the cell at x, y, z of a leaf, one beyond its sides at most. It is -1 in a block
 * that is no leaf, and in a cell without gas, where `copy` has no mass. */
TRM_INLINE trm_index fv_gas_at(const fv_params p, TRM_IN(real) copy, TRM_IN(int) near, const int x,
                               const int y, const int z)
{
  const int beside = near[(z < 0 ? 0 : z < FV_SZ ? 9 : 18) + (y < 0 ? 0 : y < FV_SY ? 3 : 6) +
                          (x < 0 ? 0 : x < FV_SX ? 1 : 2)];
  const trm_index cell = (trm_index)(beside < p.blocks ? beside : 0) * FV_BLOCK +
                         ((z & (FV_SZ - 1)) * FV_SY + (y & (FV_SY - 1))) * FV_SX +
                         (x & (FV_SX - 1));
  return beside < p.blocks && copy[cell] > R(0.0) ? cell : -1;
}

/* The change by a coarser grid's sweeps, without oscillations from cell to cell. The scheme does
 * not see these, and the finer grid, where they oscillate over four cells, would hardly damp them.
 * Weights 1/4, 1/2, 1/4 along each axis; a cell without gas counts as the one in the middle. */
TRM_GROUP_KERNEL5(fv_soften, TRM_NO_SHARED, fv_params, TRM_RO(real) q, TRM_RO(real) copy,
                  TRM_RO(int) near, TRM_RW(real) change, TRM_RO(real) clock)
{
  TRM_GROUP1(group);
  const trm_index here = (trm_index)group * FV_BLOCK;
  TRM_IN(int) beside = near + (trm_index)group * FV_NEAR_INTS;
  if (FV_RUNS(clock))
    TRM_SERIAL(i, FV_CELLS) {
      const int x = i % FV_SX, y = i / FV_SX % FV_SY, z = i / (FV_SX * FV_SY);
      real sum[FV_VALUES];
      for (int v = 0; v < FV_VALUES; v++) sum[v] = R(0.0);
      for (int k = FV_SZ > 1 ? 0 : 9; k < (FV_SZ > 1 ? 27 : 18); k++) {
        const int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
        const real weight = (dx ? R(0.25) : R(0.5)) * (dy ? R(0.25) : R(0.5)) *
                            (FV_SZ == 1 ? R(1.0) : dz ? R(0.25) : R(0.5));
        const trm_index found = fv_gas_at(p, copy, beside, x + dx, y + dy, z + dz);
        const trm_index from = found >= 0 ? found : here + i;
        for (int v = 0; v < FV_VALUES; v++)
          sum[v] = trm_fma(weight, q[from + v * FV_CELLS] - copy[from + v * FV_CELLS], sum[v]);
      }
      for (int v = 0; v < FV_VALUES; v++) change[here + v * FV_CELLS + i] = sum[v];
    }
}

/* Cells of a finer leaf: p.alpha of the coarser grid's change, on a line along each axis. Where
 * density or pressure would not stay positive a cell stays as it is; so does a solid one. The list
 * `parents` has two numbers of each finer leaf. They are the slot that contains it, and its part
 * there, -1: all. */
TRM_GROUP_KERNEL7(fv_up, TRM_NO_SHARED, fv_params, TRM_RO(int) parents, TRM_RO(real) changes,
                  TRM_RO(real) copy, TRM_RO(int) near, TRM_RW(real) to, TRM_RW(real) w,
                  TRM_RO(real) clock)
{
  TRM_GROUP1(group);
  TRM_IN(int) parent = parents + (trm_index)group * FV_PARENT_INTS;
  const int child = parent[1], is_part = child >= 0;
  TRM_IN(int) beside = near + (trm_index)parent[0] * FV_NEAR_INTS;
  const trm_index here = (trm_index)parent[0] * FV_BLOCK;
  if (FV_RUNS(clock))
    TRM_SERIAL(i, FV_CELLS) {
      const trm_index to_cell = (trm_index)group * FV_BLOCK + i;
      const int fine_x = i % FV_SX, fine_y = i / FV_SX % FV_SY, fine_z = i / (FV_SX * FV_SY);
      const int x = is_part ? ((child & 1) * FV_SX + fine_x) / 2 : fine_x;
      const int y = is_part ? ((child >> 1 & 1) * FV_SY + fine_y) / 2 : fine_y;
      const int z = is_part ? ((child >> 2) * FV_SZ + fine_z) / 2 : fine_z;
      const trm_index at = here + (z * FV_SY + y) * FV_SX + x;
      const trm_index found_x = fv_gas_at(p, copy, beside, fine_x & 1 ? x + 1 : x - 1, y, z);
      const trm_index found_y = fv_gas_at(p, copy, beside, x, fine_y & 1 ? y + 1 : y - 1, z);
      const trm_index found_z = fv_gas_at(p, copy, beside, x, y,
                                          FV_SZ == 1 ? z : fine_z & 1 ? z + 1 : z - 1);
      const trm_index beside_x = is_part && found_x >= 0 ? found_x : at;
      const trm_index beside_y = is_part && found_y >= 0 ? found_y : at;
      const trm_index beside_z = is_part && found_z >= 0 ? found_z : at;
      real now[FV_VALUES];
      for (int v = 0; v < FV_VALUES; v++) {
        const real own = changes[at + v * FV_CELLS];
        const real slope = fv_of_axes(changes[beside_x + v * FV_CELLS] - own,
                                      changes[beside_y + v * FV_CELLS] - own,
                                      changes[beside_z + v * FV_CELLS] - own);
        now[v] = trm_fma(p.alpha, trm_fma(R(0.25), slope, own), to[to_cell + v * FV_CELLS]);
      }
      const fv_cell c = fv_values(p, now[0], now[1], now[2], now[3], now[4]);
      if (c.rho > R(0.0) && c.t > R(0.0) && to[to_cell] > R(0.0)) {
        FV_STORE(w, to_cell, c);
        for (int v = 0; v < FV_VALUES; v++) to[to_cell + v * FV_CELLS] = now[v];
      }
    }
}
