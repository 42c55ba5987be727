/* What a leaf sees of finer blocks beside it. */

/* Cells of a mean: of what is conserved, over the finer cells in their places. */
TRM_GROUP_KERNEL2(fv_mean, TRM_NO_SHARED, fv_params, TRM_RW(real) w, TRM_RO(int) ghosts)
{
  TRM_GROUP1(group);
  const trm_index first = (trm_index)(p.first + group) * FV_GHOST_INTS;
  TRM_OUT(real) to = w + (trm_index)ghosts[first] * FV_BLOCK;
  const real inner = p.enthalpy * p.inv_gamma; /* times T an inner energy */
  TRM_SERIAL(i, FV_CELLS) {
    const int x = i % FV_SX, y = i / FV_SX % FV_SY, z = i / (FV_SX * FV_SY);
    const int child = 2 * x / FV_SX + 2 * (2 * y / FV_SY) + (FV_SZ > 1 ? 4 * (2 * z / FV_SZ) : 0);
    const int source = ghosts[first + 1 + child];
    if (FV_IS_WANTED(x, y, z) && source >= 0) {
      TRM_IN(real) from = w + (trm_index)source * FV_BLOCK;
      real q0 = R(0.0), q1 = R(0.0), q2 = R(0.0), q3 = R(0.0), q4 = R(0.0);
      for (int k = 0; k < FV_PARTS; k++) {
        const int at = (((2 * z + (k >> 2)) & (FV_SZ - 1)) * FV_SY +
                        ((2 * y + (k >> 1 & 1)) & (FV_SY - 1))) * FV_SX +
                       ((2 * x + (k & 1)) & (FV_SX - 1));
        const real u = from[at], v = from[FV_CELLS + at], c = from[2 * FV_CELLS + at];
        const real rho = from[3 * FV_CELLS + at], t = from[4 * FV_CELLS + at];
        const real half_square = R(0.5) * trm_fma(u, u, trm_fma(v, v, c * c));
        q0 = q0 + rho;
        q1 = trm_fma(rho, u, q1);
        q2 = trm_fma(rho, v, q2);
        q3 = trm_fma(rho, c, q3);
        q4 = trm_fma(rho, trm_fma(inner, t, half_square), q4);
      }
      const real share = R(1.0) / (real)FV_PARTS;
      const fv_cell c = fv_values(p, q0 * share, q1 * share, q2 * share, q3 * share, q4 * share);
      FV_STORE(to, i, c);
    }
  }
}
