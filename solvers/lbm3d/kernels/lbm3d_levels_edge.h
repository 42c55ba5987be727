/* lbm3d_levels_edge.h - changes of level that meet a side: the wall's velocity there, and the sums
 * of openings beyond those of lbm3d_levels_sides. */

/* The density less 1 of cell i. */
TRM_INLINE real levels_change(TRM_IN(real) c, const lbm3d_levels_params p, const int i)
{
  LEVELS_OWN(c, i);
  D3_MOMENTS;
  (void)mx, (void)my, (void)mz;
  return d;
}

/* A wall's velocity may differ from place to place. Populations that it turned round get the
 * difference between their parts' places and the place of the coarser link (levels_pushes.c). */
TRM_INLINE void levels_push_one(TRM_OUT(real) a, TRM_OUT(real) b, TRM_IN(int) push,
                                const real value, const lbm3d_levels_params p)
{
  const trm_index at = LEVELS_AT(LEVELS_SLOT(push[0]), push[1] & LEVELS_PUSH_K,
                                 LEVELS_PLACE_IN(push[0]));
  TRM_OUT(real) f = push[1] & LEVELS_PUSH_RETURNS || p.now ? b : a;
  const int own = push[2];
  TRM_IN(real) now = p.now ? b : a;
  const real change = own < 0 ? R(0.0)
    : levels_change(now + LEVELS_AT(LEVELS_SLOT(own), 0, 0), p, LEVELS_PLACE_IN(own));
  f[at] += trm_fma(change, value, value);
}

TRM_ROW_KERNEL4(lbm3d_levels_push, -1, lbm3d_levels_params, TRM_RW(real) a, TRM_RW(real) b,
                TRM_RO(int) pushes, TRM_RO(real) values)
{
  TRM_ROW1;
  TRM_SERIAL_CELLS(i) {
    const trm_index at = p.first + i;
    levels_push_one(a, b, pushes + LEVELS_PUSH_INTS * at, values[at], p);
  }
}

/* Through a side a coarser cell lost an eighth of `sent` and got an eighth of `got` with population
 * k; `more` -1: they were counted and did not pass. */
TRM_INLINE void levels_tell(real *sums, const int k, const real more, const real sent,
                            const real got)
{
  const real both = more * (sent + got);
  sums[0] += more * (got - sent);
  sums[2] += both * (real)lbm3d_ex[k];
  sums[3] += both * (real)lbm3d_ey[k];
  sums[4] += both * (real)lbm3d_ez[k];
}

/* One part of population k of the coarser cell cx, cy, cz beside `side`. If it left for a finer
 * cell, it did not come to the side. If a finer cell sent its population to the side through this
 * part, that came back (levels_parts, levels_second). */
TRM_INLINE void levels_book_part(TRM_IN(real) a, TRM_IN(real) b, TRM_IN(real) f,
                                 TRM_IN(int) near, TRM_IN(int) ghosts, TRM_IN(int) sided,
                                 const lbm3d_levels_params p, const int side, const int k,
                                 const int cx, const int cy, const int cz, const int part,
                                 real *sums)
{
  const int ex = lbm3d_ex[k], ey = lbm3d_ey[k], ez = lbm3d_ez[k], slot = sided[0];
  const int x = 2 * cx + (part & 1), y = 2 * cy + (part >> 1 & 1), z = 2 * cz + (part >> 2);
  TRM_IN(int) about = near + (trm_index)slot * LEVELS_NEAR_INTS;
  const int last = levels_finer(about, ghosts, p, x - ex, y - ey, z - ez);
  const int back = levels_finer(about, ghosts, p, x + ex, y + ey, z + ez);
  if (last >= 0 && levels_decides(sided, p, cx - ex, cy - ey, cz - ez) == side) {
    const int from = about[LEVELS_BESIDE(cx - ex, cy - ey, cz - ez)];
    const int left = near[(trm_index)last * LEVELS_NEAR_INTS +
                          LEVELS_BESIDE(LEVELS_IN(x - ex) + ex, LEVELS_IN(y - ey) + ey,
                                        LEVELS_IN(z - ez) + ez)];
    const real all = f[LEVELS_AT(from, k, LEVELS_CELL(cx - ex, cy - ey, cz - ez))];
    const real own = f[LEVELS_AT(slot, D3_BACK(k), LEVELS_CELL(cx, cy, cz))];
    const real sent = a[LEVELS_AT(left, D3_BACK(k), LEVELS_CELL(x, y, z))];
    levels_tell(sums, k, R(-1.0), sent,
                p.kind[side] == LEVELS_OUTFLOW ? (all + own) - sent : sent + (all - own));
  }
  if (back >= 0 && levels_decides(sided, p, LEVELS_HALF(x - ex), LEVELS_HALF(y - ey),
                                  LEVELS_HALF(z - ez)) == side) {
    const int here = near[(trm_index)back * LEVELS_NEAR_INTS +
                          LEVELS_BESIDE(LEVELS_IN(x + ex) - ex, LEVELS_IN(y + ey) - ey,
                                        LEVELS_IN(z + ez) - ez)];
    const int from = LEVELS_CELL(x + ex, y + ey, z + ez);
    levels_tell(sums, k, R(1.0), a[LEVELS_AT(back, D3_BACK(k), from)],
                b[LEVELS_AT(here, k, LEVELS_CELL(x, y, z))]);
  }
}

/* Between two finer steps: coarser leaves at openings add to the sums of lbm3d_levels_sides. */
TRM_GROUP_KERNEL6(lbm3d_levels_book, levels_side, lbm3d_levels_params, TRM_RO(real) a,
                  TRM_RO(real) b, TRM_RO(int) near, TRM_RO(int) ghosts, TRM_RO(int) list,
                  TRM_RW(real) part)
{
  TRM_GROUP1(group);
  TRM_SHARED(levels_side, s);
  TRM_IN(int) sided = list + (trm_index)(p.first + group) * LEVELS_SIDED_INTS;
  TRM_IN(real) f = p.now ? b : a;
  for (int side = 0; side < 6; side++)
    if (sided[LEVELS_PLACE + side] >= 0) {
      TRM_SERIAL(i, LEVELS_FACE_CELLS) {
        const int axis = side / 2, end = side % 2 ? LEVELS_SIDE - 1 : 0;
        const int low = LEVELS_X(i), high = LEVELS_Y(i), at = LEVELS_FACE_SUMMED(i);
        const int x = axis == 0 ? end : low, y = axis == 1 ? end : axis == 0 ? low : high;
        const int z = axis == 2 ? end : high;
        real sums[LBM3D_VALUES];
        for (int v = 0; v < LBM3D_VALUES; v++) sums[v] = R(0.0);
        for (int k = 1; k < LBM3D_Q; k++)
          for (int one = 0; one < 8; one++)
            levels_book_part(a, b, f, near, ghosts, sided, p, side, k, x, y, z, one, sums);
        for (int v = 0; v < LBM3D_VALUES; v++) s.sums[v][at] = R(0.125) * sums[v];
      }
      for (int fold = LEVELS_FACE_CELLS / 2; fold >= LEVELS_FACE_SUMS; fold /= 2)
        TRM_EACH(i, fold) {
          for (int v = 0; v < LBM3D_VALUES; v++) s.sums[v][i] += s.sums[v][i + fold];
        }
      TRM_EACH(i, LBM3D_VALUES * LEVELS_FACE_SUMS) {
        const int v = i / LEVELS_FACE_SUMS, sum = i % LEVELS_FACE_SUMS;
        part[p.part + sided[LEVELS_PLACE + side] + v * p.places + sum] += p.share * s.sums[v][sum];
      }
    }
}
