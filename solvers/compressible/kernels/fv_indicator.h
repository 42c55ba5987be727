/* The indicator of each part of a leaf, by which the host decides where to refine the grid. */

typedef struct fv_indicators { real cell[FV_CELLS]; } fv_indicators;

/* A change as a multiple of a criterion's threshold: half the difference of two cells, relative. */
#define FV_INDICATOR_CHANGE(which, high, low, scale) \
  seen = trm_more(seen, p.indicator[which] * R(0.5) * trm_fabs((high) - (low)) * (scale))
#define FV_INDICATOR_AXIS(dx, dy, dz) \
  do { \
    const real rho_1 = FV_VALUE(3, x + dx, y + dy, z + dz); \
    const real rho_0 = FV_VALUE(3, x - dx, y - dy, z - dz); \
    const real t_1 = FV_VALUE(4, x + dx, y + dy, z + dz); \
    const real t_0 = FV_VALUE(4, x - dx, y - dy, z - dz); \
    FV_INDICATOR_CHANGE(FV_INDICATOR_DENSITY, rho_1, rho_0, per_rho); \
    FV_INDICATOR_CHANGE(FV_INDICATOR_PRESSURE, rho_1 * t_1, rho_0 * t_0, per_rho * per_t); \
    for (int v = 0; v < 3; v++) \
      FV_INDICATOR_CHANGE(FV_INDICATOR_VELOCITY, FV_VALUE(v, x + dx, y + dy, z + dz), \
                          FV_VALUE(v, x - dx, y - dy, z - dz), per_a); \
  } while (0)

/* For each sub-block of a leaf, 4 cells along each axis (x fastest), the greatest indicator of its
 * cells, as a multiple of the criteria's thresholds. */
#define FV_SUB_BLOCKS_X (FV_SX / FV_SUB_BLOCK)
#define FV_SUB_BLOCKS (FV_SUB_BLOCKS_X * FV_SUB_BLOCKS_X * (FV_SZ > 1 ? FV_SUB_BLOCKS_X : 1))
TRM_GROUP_KERNEL3(fv_indicator, fv_indicators, fv_params, TRM_RO(real) w, TRM_RO(int) near,
                  TRM_RW(real) indicated)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_indicators, s);
  const trm_index slot = group;
  TRM_IN(real) here = w + slot * FV_BLOCK;
  const real per_two_h = R(0.5) * fv_at_level(p, near[slot * FV_NEAR_INTS + FV_LEVEL]).inv_h;
  TRM_SERIAL(i, FV_CELLS) {
    const int x = i % FV_SX, y = i / FV_SX % FV_SY, z = i / (FV_SX * FV_SY);
    const real per_rho = trm_near_reciprocal(here[3 * FV_CELLS + i]);
    const real per_a = trm_near_rsqrt(here[4 * FV_CELLS + i]), per_t = per_a * per_a;
    real seen = R(0.0);
    FV_INDICATOR_AXIS(1, 0, 0);
    FV_INDICATOR_AXIS(0, 1, 0);
    if (FV_SZ > 1) FV_INDICATOR_AXIS(0, 0, 1);
    if (p.indicator[FV_INDICATOR_VORTICITY] > R(0.0)) {
      const real a = FV_SLOPE_Y(2) - FV_SLOPE_Z(1), b = FV_SLOPE_Z(0) - FV_SLOPE_X(2);
      const real c = FV_SLOPE_X(1) - FV_SLOPE_Y(0);
      seen = trm_more(seen, p.indicator[FV_INDICATOR_VORTICITY] * per_two_h *
                              trm_sqrt(fv_square(a, b, c)));
    }
    s.cell[i] = seen;
  }
  TRM_SERIAL(sub_block, FV_SUB_BLOCKS) {
    const int x0 = sub_block % FV_SUB_BLOCKS_X * FV_SUB_BLOCK, y0 = sub_block / FV_SUB_BLOCKS_X %
        FV_SUB_BLOCKS_X * FV_SUB_BLOCK;
    const int z0 = sub_block / (FV_SUB_BLOCKS_X * FV_SUB_BLOCKS_X) * FV_SUB_BLOCK;
    real most = R(0.0);
    for (int z = z0; z < (FV_SZ > 1 ? z0 + FV_SUB_BLOCK : 1); z++)
      for (int y = y0; y < y0 + FV_SUB_BLOCK; y++)
        for (int x = x0; x < x0 + FV_SUB_BLOCK; x++)
          most = trm_more(most, s.cell[(z * FV_SY + y) * FV_SX + x]);
    indicated[slot * FV_SUB_BLOCKS + sub_block] = most;
  }
}
