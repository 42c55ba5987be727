/* lbm3d_levels_interface.h - what passes between two levels. Volumes, not points: a coarser cell's
 * population is eight finer ones, spread along lines through the cells about it, and eight finer
 * ones are one coarser (M. Rohde et al., International Journal for Numerical Methods in Fluids 51
 * (2006) 439; H. Chen et al., Physica A 362 (2006) 158). Parts move for two finer steps, without
 * collision as long as they are where cells are coarser, and each is counted once: mass is kept.
 *
 * a: the first lattice, in which every level begins the step of a coarser one; b: the second. */

/* The coarser cell of a finer one, both counted from a coarser leaf's corner. */
#define LEVELS_HALF(x) (((x) + 2 * LEVELS_SIDE) / 2 - LEVELS_SIDE)

/* The finer leaf that has the finer cell x, y, z, counted from a coarser leaf's corner; -1: none
 * has. about: the blocks about the leaf. */
TRM_INLINE int levels_finer(TRM_IN(int) about, TRM_IN(int) ghosts, const lbm3d_levels_params p,
                            const int x, const int y, const int z)
{
  const int slot = about[LEVELS_BESIDE(LEVELS_HALF(x), LEVELS_HALF(y), LEVELS_HALF(z))];
  if (slot < p.leaves) return -1;
  TRM_IN(int) ghost = ghosts + (trm_index)(slot - p.leaves) * LEVELS_GHOST_INTS;
  if (ghost[0] != LEVELS_RESTRICTED) return -1;
  return ghost[1 + ((x >> LEVELS_BITS & 1) | (y >> LEVELS_BITS & 1) << 1 |
                    (z >> LEVELS_BITS & 1) << 2)];
}

/* A quarter of the slope along an axis. has_low, has_high: whether there are cells of the same
 * level. */
TRM_INLINE real levels_quarter(const int has_low, const int has_high, const real low,
                               const real here, const real high)
{
  const real down = has_low ? here - low : R(0.0), up = has_high ? high - here : R(0.0);
  return (has_low && has_high ? R(0.125) : R(0.25)) * (down + up);
}

/* In which of two finer steps the part x, y, z of a coarser cell meets finer cells: 1, 2, or 0,
 * neither. */
TRM_INLINE int levels_meets(TRM_IN(int) about, TRM_IN(int) ghosts, const lbm3d_levels_params p,
                            const int k, const int x, const int y, const int z)
{
  const int ex = lbm3d_ex[k], ey = lbm3d_ey[k], ez = lbm3d_ez[k];
  const int first = levels_finer(about, ghosts, p, x + ex, y + ey, z + ez);
  const int second = levels_finer(about, ghosts, p, x + 2 * ex, y + 2 * ey, z + 2 * ez);
  return first >= 0 ? 1 : second >= 0 ? 2 : 0;
}

/* 1 where a part comes early (in the first finer step) and as many others of its cell come late, -1
 * where it comes late, else 0. */
TRM_INLINE real levels_early(TRM_IN(int) about, TRM_IN(int) ghosts, const lbm3d_levels_params p,
                             const int k, const int x, const int y, const int z)
{
  const int own = levels_meets(about, ghosts, p, k, x, y, z);
  int early = 0, late = 0;
  for (int part = 0; part < 8; part++) {
    const int meets = levels_meets(about, ghosts, p, k, (x & ~1) + (part & 1),
                                   (y & ~1) + (part >> 1 & 1), (z & ~1) + (part >> 2));
    early += meets == 1;
    late += meets == 2;
  }
  return early != late ? R(0.0) : own == 1 ? R(1.0) : own == 2 ? R(-1.0) : R(0.0);
}

/* Population k in the finer cell x, y, z, counted from the corner of the coarser leaf `slot`, from
 * lines along the axes through the cell's own value. A population that arrives a quarter of a
 * coarser step early or late is taken from a place that far back or ahead on its way. */
TRM_INLINE real levels_spread(TRM_IN(real) f, TRM_IN(int) near, TRM_IN(int) ghosts,
                              const lbm3d_levels_params p, const int slot, const int k,
                              const int x, const int y, const int z)
{
  const int cx = LEVELS_HALF(x), cy = LEVELS_HALF(y), cz = LEVELS_HALF(z);
  const int at = near[(trm_index)slot * LEVELS_NEAR_INTS + LEVELS_BESIDE(cx, cy, cz)];
  const real here = f[LEVELS_AT(at, k, LEVELS_CELL(cx, cy, cz))];
  real all = here;
  if (at < p.leaves) {
    TRM_IN(int) about = near + (trm_index)at * LEVELS_NEAR_INTS;
    const int ix = LEVELS_IN(cx), iy = LEVELS_IN(cy), iz = LEVELS_IN(cz);
    const int w = about[LEVELS_BESIDE(ix - 1, iy, iz)], e = about[LEVELS_BESIDE(ix + 1, iy, iz)];
    const int s = about[LEVELS_BESIDE(ix, iy - 1, iz)], n = about[LEVELS_BESIDE(ix, iy + 1, iz)];
    const int b = about[LEVELS_BESIDE(ix, iy, iz - 1)], t = about[LEVELS_BESIDE(ix, iy, iz + 1)];
    const real qx = levels_quarter(w < p.leaves, e < p.leaves,
                                   f[LEVELS_AT(w, k, LEVELS_CELL(ix - 1, iy, iz))], here,
                                   f[LEVELS_AT(e, k, LEVELS_CELL(ix + 1, iy, iz))]);
    const real qy = levels_quarter(s < p.leaves, n < p.leaves,
                                   f[LEVELS_AT(s, k, LEVELS_CELL(ix, iy - 1, iz))], here,
                                   f[LEVELS_AT(n, k, LEVELS_CELL(ix, iy + 1, iz))]);
    const real qz = levels_quarter(b < p.leaves, t < p.leaves,
                                   f[LEVELS_AT(b, k, LEVELS_CELL(ix, iy, iz - 1))], here,
                                   f[LEVELS_AT(t, k, LEVELS_CELL(ix, iy, iz + 1))]);
    const real early = levels_early(about, ghosts, p, k, 2 * ix + (x & 1), 2 * iy + (y & 1),
                                    2 * iz + (z & 1));
    const real mx = (x & 1 ? R(1.0) : R(-1.0)) - early * (real)lbm3d_ex[k];
    const real my = (y & 1 ? R(1.0) : R(-1.0)) - early * (real)lbm3d_ey[k];
    const real mz = (z & 1 ? R(1.0) : R(-1.0)) - early * (real)lbm3d_ez[k];
    all = here + ((mx * qx + my * qy) + mz * qz);
  }
  return all;
}

/* The population that arrives at the second finer step from the cell x, y, z of a part of a coarser
 * leaf. It is the value at the cell of origin a step before. If a side reflected a finer cell's
 * population there, the finer cell gets it back; the coarser cell keeps its own part. The side adds
 * as much as to the coarser cell by the same link. An opening of given density turns round the part
 * that was there. */
TRM_INLINE real levels_second(TRM_IN(real) a, TRM_IN(real) f, TRM_IN(int) near, TRM_IN(int) ghosts,
                              TRM_IN(int) prolonged, const lbm3d_levels_params p, const int k,
                              const int x, const int y, const int z)
{
  const int ex = lbm3d_ex[k], ey = lbm3d_ey[k], ez = lbm3d_ez[k],
            slot = prolonged[LEVELS_PROLONGED_SOURCE];
  const int px = LEVELS_SIDE * prolonged[LEVELS_PROLONGED_PART];
  const int py = LEVELS_SIDE * prolonged[LEVELS_PROLONGED_PART + 1];
  const int pz = LEVELS_SIDE * prolonged[LEVELS_PROLONGED_PART + 2];
  TRM_IN(int) about = prolonged + LEVELS_PROLONGED_NEAR;
  const int from = about[LEVELS_BESIDE(x - ex, y - ey, z - ez)];
  const int to = about[LEVELS_BESIDE(x + ex, y + ey, z + ez)];
  real got = R(0.0);
  if (from >= 0)
    got = a[LEVELS_AT(from, k, LEVELS_CELL(x - ex, y - ey, z - ez))];
  else if (from == LEVELS_IS_COARSER)
    got = levels_spread(f, near, ghosts, p, slot, k, px + x - ex, py + y - ey, pz + z - ez);
  else if (to >= 0) {
    const int ix = (px + x) / 2, iy = (py + y) / 2, iz = (pz + z) / 2;
    const int beyond = near[(trm_index)slot * LEVELS_NEAR_INTS +
                            LEVELS_BESIDE(ix - ex, iy - ey, iz - ez)];
    const real given = f[LEVELS_AT(beyond, k, LEVELS_CELL(ix - ex, iy - ey, iz - ez))];
    const real own = f[LEVELS_AT(slot, D3_BACK(k), LEVELS_CELL(ix, iy, iz))];
    if (from == LEVELS_IS_OPEN)
      got = (given + own) - levels_spread(f, near, ghosts, p, slot, D3_BACK(k), px + x, py + y,
                                          pz + z);
    else
      got = (given - own) + a[LEVELS_AT(to, D3_BACK(k), LEVELS_CELL(x + ex, y + ey, z + ez))];
  }
  return got;
}

/* Before the first of two finer steps: parts of coarser leaves, as finer leaves see them then (in
 * a) and at the second step (in b). */
TRM_GROUP_KERNEL5(lbm3d_levels_explode, TRM_NO_SHARED, lbm3d_levels_params, TRM_RW(real) a,
                  TRM_RW(real) b, TRM_RO(int) near, TRM_RO(int) ghosts, TRM_RO(int) prolonged_list)
{
  TRM_GROUP1(group);
  TRM_IN(int) prolonged = prolonged_list + (trm_index)(p.first + group) * LEVELS_PROLONGED_INTS;
  TRM_IN(real) f = p.now ? b : a;
  const int slot = prolonged[0], source = prolonged[LEVELS_PROLONGED_SOURCE];
  TRM_SERIAL(i, LEVELS_CELLS) {
    const int x = LEVELS_X(i), y = LEVELS_Y(i), z = LEVELS_Z(i);
    if (x >= prolonged[LEVELS_PROLONGED_FROM] && x < prolonged[LEVELS_PROLONGED_TO] &&
        y >= prolonged[LEVELS_PROLONGED_FROM + 1] && y < prolonged[LEVELS_PROLONGED_TO + 1] &&
        z >= prolonged[LEVELS_PROLONGED_FROM + 2] && z < prolonged[LEVELS_PROLONGED_TO + 2])
      for (int k = 1; k < LBM3D_Q; k++) {
        const int to = LEVELS_BESIDE(x + lbm3d_ex[k], y + lbm3d_ey[k], z + lbm3d_ez[k]);
        if (prolonged[LEVELS_PROLONGED_NEAR + to] < 0) continue; /* nobody pulls it */
        a[LEVELS_AT(slot, k, i)] =
          levels_spread(f, near, ghosts, p, source, k,
                        LEVELS_SIDE * prolonged[LEVELS_PROLONGED_PART] + x,
                        LEVELS_SIDE * prolonged[LEVELS_PROLONGED_PART + 1] + y,
                        LEVELS_SIDE * prolonged[LEVELS_PROLONGED_PART + 2] + z);
        b[LEVELS_AT(slot, k, i)] = levels_second(a, f, near, ghosts, prolonged, p, k, x, y, z);
      }
  }
}

/* The population k that arrives at the cell cx, cy, cz of a coarser leaf, the sum of eight parts.
 * kind: of the block from which it will be pulled. Where finer cells are there, their parts.
 * Elsewhere the difference that finer cells made: their parts came, and others did not. From a
 * coarser cell these others are its own parts. A side adds `turned` times a part, and `given`, for
 * each. */
TRM_INLINE real levels_parts(TRM_IN(real) a, TRM_IN(real) b, TRM_IN(int) near, TRM_IN(int) ghosts,
                             const lbm3d_levels_params p, const int slot, const int kind,
                             const int k, const int cx, const int cy, const int cz,
                             const real turned, const real given)
{
  const int ex = lbm3d_ex[k], ey = lbm3d_ey[k], ez = lbm3d_ez[k];
  TRM_IN(int) about = near + (trm_index)slot * LEVELS_NEAR_INTS;
  real sum = R(0.0);
  for (int part = 0; part < 8; part++) {
    const int x = 2 * cx + (part & 1) - ex, y = 2 * cy + (part >> 1 & 1) - ey;
    const int z = 2 * cz + (part >> 2) - ez;
    const int last = levels_finer(about, ghosts, p, x, y, z);
    real got = R(0.0);
    if (last >= 0) {
      got = b[LEVELS_AT(last, k, LEVELS_CELL(x, y, z))];
      if (kind != LEVELS_RESTRICTED) { /* less what left for that cell at the first step */
        const int sign = kind == LEVELS_LEAF ? -1 : 1, ix = LEVELS_IN(x) + sign * ex;
        const int iy = LEVELS_IN(y) + sign * ey, iz = LEVELS_IN(z) + sign * ez;
        const int left = near[(trm_index)last * LEVELS_NEAR_INTS + LEVELS_BESIDE(ix, iy, iz)];
        got -= trm_fma(turned, a[LEVELS_AT(left, sign < 0 ? k : D3_BACK(k),
                                           LEVELS_CELL(ix, iy, iz))], given);
      }
    } else if (kind == LEVELS_RESTRICTED) {
      const int first = levels_finer(about, ghosts, p, x - ex, y - ey, z - ez);
      got = a[LEVELS_AT(first, k, LEVELS_CELL(x - ex, y - ey, z - ez))];
    }
    sum += got;
  }
  return R(0.125) * sum;
}

/* Between two finer steps, before the coarser leaf's: to each place that it will pull from, what
 * finer cells sent. */
TRM_GROUP_KERNEL5(lbm3d_levels_coalesce, TRM_NO_SHARED, lbm3d_levels_params, TRM_RW(real) a,
                  TRM_RW(real) b, TRM_RO(int) near, TRM_RO(int) ghosts, TRM_RO(int) interfaces)
{
  TRM_GROUP1(group);
  const int slot = interfaces[p.first + group];
  TRM_OUT(real) f = p.now ? b : a;
  TRM_SERIAL(i, LEVELS_CELLS) {
    const int x = LEVELS_X(i), y = LEVELS_Y(i), z = LEVELS_Z(i);
    for (int k = 1; k < LBM3D_Q; k++) {
      const int fx = x - lbm3d_ex[k], fy = y - lbm3d_ey[k], fz = z - lbm3d_ez[k];
      const int number = LEVELS_BESIDE(fx, fy, fz);
      if (number != 13) {
        const int from = near[(trm_index)slot * LEVELS_NEAR_INTS + number];
        const int kind = from < p.leaves ? LEVELS_LEAF
                         : ghosts[(trm_index)(from - p.leaves) * LEVELS_GHOST_INTS];
        if (kind == LEVELS_RESTRICTED || (kind != LEVELS_PROLONGED && k > 6)) {
          const trm_index to = LEVELS_AT(from, k, LEVELS_CELL(fx, fy, fz));
          const int is_open = LEVELS_IS_OPENING(ghosts, from, p.leaves);
          const real all = f[to], sent = f[LEVELS_AT(slot, D3_BACK(k), i)];
          const real given = kind == LEVELS_LEAF || kind == LEVELS_RESTRICTED ? R(0.0)
                             : is_open ? all + sent : all - sent;
          const real got = levels_parts(a, b, near, ghosts, p, slot, kind, k, x, y, z,
                                        is_open ? R(-1.0) : R(1.0), given);
          f[to] = kind == LEVELS_RESTRICTED ? got : all + got;
        }
      }
    }
  }
}
