/* lbm3d_levels_side.h - the box's sides, before a level's step. Kernels put populations into the
 * places beyond the sides from which cells will pull, by the rules of lbm3d.k: half-way
 * bounce-back, and anti-bounce-back from a density. */

/* Sums over a leaf's face: inflow, density less 1, incoming momentum (lbm3d_sums.h). */
typedef struct levels_side { real sums[LBM3D_VALUES][LEVELS_FACE_CELLS]; } levels_side;

/* The side beyond which a cell lies. Beyond an edge it is the side of the highest kind. -1: the
 * cell is inside. */
TRM_INLINE int levels_decides(TRM_IN(int) sided, const lbm3d_levels_params p, const int x,
                              const int y, const int z)
{
  int side = -1;
  const int beyond[3] = { x < 0 ? 0 : x >= LEVELS_SIDE ? 1 : -1,
                          y < 0 ? 2 : y >= LEVELS_SIDE ? 3 : -1,
                          z < 0 ? 4 : z >= LEVELS_SIDE ? 5 : -1 };
  for (int axis = 0; axis < 3; axis++) {
    const int one = beyond[axis];
    if (one >= 0 && sided[LEVELS_FACE + one] >= 0 && (side < 0 || p.kind[one] > p.kind[side]))
      side = one;
  }
  return side;
}

/* The momentum of cell i along e. */
TRM_INLINE real levels_along(TRM_IN(real) c, const int i, const int ex, const int ey, const int ez)
{
  real sum = R(0.0);
  for (int k = 1; k < LBM3D_Q; k++)
    sum += (real)(ex * lbm3d_ex[k] + ey * lbm3d_ey[k] + ez * lbm3d_ez[k]) *
           c[(trm_index)k * LEVELS_CELLS + i];
  return sum;
}

TRM_INLINE real levels_weight(const int k)
{
#if LBM3D_Q == 27
  return k < 7 ? D3_AXIS : k < 19 ? D3_EDGE : D3_CORNER;
#else
  return k < 7 ? D3_AXIS : D3_EDGE;
#endif
}

/* Population k as it enters through an opening across `axis` (links.c, let_out), less the shear.
 * The shear follows from the slope of the momentum along the link, towards the neighbour in the
 * opening's plane, or else the cell behind, of the same level. about: the slots around the leaf. */
TRM_INLINE real levels_let_in(TRM_IN(real) f, TRM_IN(int) about, const lbm3d_levels_params p,
                              const int axis, const int k, const int x, const int y, const int z,
                              const real vx, const real vy, const real vz)
{
  const int ex = lbm3d_ex[k], ey = lbm3d_ey[k], ez = lbm3d_ez[k];
  const int bx = axis == 0 ? x : x - ex, by = axis == 1 ? y : y - ey, bz = axis == 2 ? z : z - ez;
  const int is_beside = about[LEVELS_BESIDE(bx, by, bz)] < p.leaves;
  const int ax = is_beside ? bx : x + ex, ay = is_beside ? by : y + ey,
            az = is_beside ? bz : z + ez;
  const int there = about[LEVELS_BESIDE(ax, ay, az)], is_there = there < p.leaves;
  const int i = LEVELS_CELL(x, y, z);
  TRM_IN(real) c = f + LEVELS_AT(about[13], 0, 0);
  const real factor = !is_there ? R(0.0) : is_beside ? -p.shear * levels_weight(k)
                                                     : p.shear * levels_weight(k);
  const real gain = is_there ? levels_along(f + LEVELS_AT(there, 0, 0), LEVELS_CELL(ax, ay, az),
                                            ex, ey, ez) -
                               levels_along(c, i, ex, ey, ez) : R(0.0);
  const real bent = lbm3d_bent(ex, ey, ez, vx, vy, vz);
  const real given = trm_fma(R(1.0) + p.past, bent, p.past);
  return trm_fma(-factor, gain, R(2.0) * levels_weight(k) * given) -
         c[(trm_index)D3_BACK(k) * LEVELS_CELLS + i];
}

/* A group for each leaf at sides. part: the sums of each side's face over a step of level 0. */
TRM_GROUP_KERNEL5(lbm3d_levels_sides, levels_side, lbm3d_levels_params, TRM_RW(real) f,
                  TRM_RO(int) near, TRM_RO(int) list, TRM_RO(real) given, TRM_RW(real) part)
{
  TRM_GROUP1(group);
  TRM_SHARED(levels_side, s);
  TRM_IN(int) sided = list + (trm_index)(p.first + group) * LEVELS_SIDED_INTS;
  const int slot = sided[0];
  TRM_IN(real) c = f + LEVELS_AT(slot, 0, 0);
  for (int side = 0; side < 6; side++)
    if (sided[LEVELS_FACE + side] >= 0) {
      TRM_SERIAL(i, LEVELS_FACE_CELLS) {
        const int axis = side / 2, end = side % 2 ? LEVELS_SIDE - 1 : 0;
        const int low = LEVELS_X(i), high = LEVELS_Y(i), at = LEVELS_FACE_SUMMED(i);
        const int x = axis == 0 ? end : low, y = axis == 1 ? end : axis == 0 ? low : high;
        const int z = axis == 2 ? end : high, cell = LEVELS_CELL(x, y, z);
        real flux = R(0.0), in_x = R(0.0), in_y = R(0.0), in_z = R(0.0);
        LEVELS_OWN(c, cell);
        D3_MOMENTS;
        const real per_rho = R(1.0) / (R(1.0) + d);
        const real vx = trm_fma(R(-0.5), p.force_x, mx) * per_rho;
        const real vy = trm_fma(R(-0.5), p.force_y, my) * per_rho;
        const real vz = trm_fma(R(-0.5), p.force_z, mz) * per_rho;
        for (int k = 1; k < LBM3D_Q; k++) {
          const int ex = lbm3d_ex[k], ey = lbm3d_ey[k], ez = lbm3d_ez[k];
          if (levels_decides(sided, p, x - ex, y - ey, z - ez) == side) {
            const int across = 2 * low + 1 - (axis == 0 ? ey : ex);
            const int up = 2 * high + 1 - (axis == 2 ? ey : ez);
            TRM_IN(real) u = given + sided[LEVELS_FACE + side] +
                             3 * (up * LEVELS_CROSSINGS + across);
            const real sent = c[(trm_index)D3_BACK(k) * LEVELS_CELLS + cell];
            const real given_push = R(6.0) * levels_weight(k) *
                                    lbm3d_lean(ex, ey, ez, u[0], u[1], u[2]) * p.density[side];
            const real own = p.kind[side] == LEVELS_INFLOW ? p.own * d : R(0.0);
            const real pushed = trm_fma(own, given_push, given_push);
            const real got = p.kind[side] == LEVELS_OUTFLOW
              ? levels_let_in(f, near + (trm_index)slot * LEVELS_NEAR_INTS, p, axis, k, x, y, z, vx,
                              vy, vz) : sent + pushed;
            const int to = near[(trm_index)slot * LEVELS_NEAR_INTS +
                                LEVELS_BESIDE(x - ex, y - ey, z - ez)];
            f[LEVELS_AT(to, k, LEVELS_CELL(x - ex, y - ey, z - ez))] = got;
            flux += got - sent;
            in_x += (sent + got) * (real)ex;
            in_y += (sent + got) * (real)ey;
            in_z += (sent + got) * (real)ez;
          }
        }
        s.sums[0][at] = flux;
        s.sums[1][at] = d;
        s.sums[2][at] = in_x;
        s.sums[3][at] = in_y;
        s.sums[4][at] = in_z;
      }
      for (int fold = LEVELS_FACE_CELLS / 2; fold >= LEVELS_FACE_SUMS; fold /= 2)
        TRM_EACH(i, fold) {
          for (int v = 0; v < LBM3D_VALUES; v++) s.sums[v][i] += s.sums[v][i + fold];
        }
      if (sided[LEVELS_PLACE + side] >= 0)
        TRM_EACH(i, LBM3D_VALUES * LEVELS_FACE_SUMS) {
          const int v = i / LEVELS_FACE_SUMS, sum = i % LEVELS_FACE_SUMS;
          TRM_OUT(real) to = part + p.part + sided[LEVELS_PLACE + side] + v * p.places + sum;
          to[0] = (p.begins ? R(0.0) : to[0]) + p.share * s.sums[v][sum];
        }
    }
}
