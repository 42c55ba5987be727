/* lbm3d_levels_step.h - the step of a level, for every collision. Before it LBM3D_COLLIDE, what a
 * cell's collision is (lbm3d_pairs.h, ...). */

/* Collides f0 ... and stores them at cell x of the block g. Adds the cell's share to energy and
 * change, the sums of |u|^2 / 2 and of rho - 1. forced, eddy: literals. */
TRM_INLINE void lbm3d_collide(TRM_OUT(real) g, const lbm3d_levels_params p, const int x, LBM3D_FS,
                              const int forced, const int eddy, TRM_LOCAL real *energy,
                              TRM_LOCAL real *change)
{
  D3_MOMENTS;
  D3_VELOCITY;
  D3_STRESS;
  const real plus = eddy ? lbm3d_eddy_rate(p.plus, p.eddy * per_rho, D3_STRESS2) : p.plus;
  const real minus = eddy ? lbm3d_minus(plus, p.magic) : p.minus;
  LBM3D_COLLIDE;
  (void)minus, (void)sxx, (void)syy, (void)szz, (void)sxy, (void)sxz, (void)syz, (void)rest;
  *energy = R(0.5) * trm_fma(ux, ux, trm_fma(uy, uy, uz * uz));
  *change = d;
}

typedef struct levels_shared {
  int near[27];
  real energy[LEVELS_CELLS], change[LEVELS_CELLS];
} levels_shared;

#define LEVELS_FROM(k, dx, dy, dz) \
  f[LEVELS_AT(s.near[LEVELS_BESIDE(x - (dx), y - (dy), z - (dz))], k, \
              LEVELS_CELL(x - (dx), y - (dy), z - (dz)))]

/* Solid cells rest. forced, eddy: literals. */
#define LEVELS_STEP(forced, eddy) \
  TRM_GROUP1(group); \
  TRM_SHARED(levels_shared, s); \
  const int slot = order[p.first + group]; \
  TRM_OUT(real) to = g + LEVELS_AT(slot, 0, 0); \
  TRM_EACH(i, 27) { s.near[i] = near[(trm_index)slot * LEVELS_NEAR_INTS + i]; } \
  TRM_EACH(i, LEVELS_CELLS) { \
    const int x = LEVELS_X(i), y = LEVELS_Y(i), z = LEVELS_Z(i), at = LEVELS_SUMMED(i); \
    LEVELS_PULL; \
    lbm3d_collide(to, p, i, LBM3D_PASS, forced, eddy, &s.energy[at], &s.change[at]); \
  } \
  if (walls[slot] > 0) \
    TRM_EACH(i, LEVELS_CELLS) { \
      if (LEVELS_IS_SOLID(walls, slot, i)) { \
        for (int k = 0; k < LBM3D_Q; k++) D3_AT(to, k)[i] = R(0.0); \
        s.energy[LEVELS_SUMMED(i)] = s.change[LEVELS_SUMMED(i)] = R(0.0); \
      } \
    } \
  for (int fold = LEVELS_CELLS / 2; fold >= LEVELS_SUMS; fold /= 2) \
    TRM_EACH(i, fold) { \
      s.energy[i] += s.energy[i + fold]; \
      s.change[i] += s.change[i + fold]; \
    } \
  TRM_EACH(i, LEVELS_SUMS) { \
    const int number = near[(trm_index)slot * LEVELS_NEAR_INTS + LEVELS_NUMBER]; \
    energies[p.sums + (trm_index)number * LEVELS_SUMS + i] = p.share * s.energy[i]; \
    changes[p.sums + (trm_index)number * LEVELS_SUMS + i] = p.share * s.change[i]; \
  }

TRM_GROUP_KERNEL7(lbm3d_levels_step, levels_shared, lbm3d_levels_params, TRM_RO(real) f,
                  TRM_RW(real) g, TRM_RO(int) near, TRM_RO(int) order, TRM_RO(int) walls,
                  TRM_RW(real) energies, TRM_RW(real) changes)
{
  LEVELS_STEP(0, 0)
}

TRM_GROUP_KERNEL7(lbm3d_levels_forced_step, levels_shared, lbm3d_levels_params, TRM_RO(real) f,
                  TRM_RW(real) g, TRM_RO(int) near, TRM_RO(int) order, TRM_RO(int) walls,
                  TRM_RW(real) energies, TRM_RW(real) changes)
{
  LEVELS_STEP(1, 0)
}

TRM_GROUP_KERNEL7(lbm3d_levels_eddy_step, levels_shared, lbm3d_levels_params, TRM_RO(real) f,
                  TRM_RW(real) g, TRM_RO(int) near, TRM_RO(int) order, TRM_RO(int) walls,
                  TRM_RW(real) energies, TRM_RW(real) changes)
{
  LEVELS_STEP(1, 1)
}
