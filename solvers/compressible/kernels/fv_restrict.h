/* Ghosts of a leaf from finer blocks beside it. */

/* Cells of a mean: means of conserved values over the finer cells in their places. */
TRM_GROUP_KERNEL2(fv_restrict, TRM_NO_SHARED, fv_params, TRM_RW(real) w, TRM_RO(int) ghosts)
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
      real mass[FV_PARTS], along_x[FV_PARTS], along_y[FV_PARTS], along_z[FV_PARTS];
      real energy[FV_PARTS];
      for (int k = 0; k < FV_PARTS; k++) {
        const int at = FV_PART_AT(k, x, y, z);
        const real u = from[at], v = from[FV_CELLS + at], c = from[2 * FV_CELLS + at];
        const real rho = from[3 * FV_CELLS + at], t = from[4 * FV_CELLS + at];
        mass[k] = rho;
        along_x[k] = rho * u;
        along_y[k] = rho * v;
        along_z[k] = rho * c;
        energy[k] = rho * trm_fma(inner, t, R(0.5) * fv_square(u, v, c));
      }
      const real share = R(1.0) / (real)FV_PARTS;
      const fv_cell c = fv_values(p, FV_OF_PARTS(mass) * share, FV_OF_PARTS(along_x) * share,
                                  FV_OF_PARTS(along_y) * share, FV_OF_PARTS(along_z) * share,
                                  FV_OF_PARTS(energy) * share);
      FV_STORE(to, i, c);
    }
  }
}
