/* Where blocks of two levels meet: what a leaf sees of coarser ones (of finer ones: fv_restrict.h),
 * and the fluxes through the faces between them. */

/* A quarter of the slope along an axis of a value v of the coarser cell at x, y, z. */
#define FV_QUARTER(low, here, high) \
  (FV_FORM_OF(p) & FV_LIMITED \
     ? R(0.25) * trm_limit(R(0.25), R(2.0) * ((here) - (low)), R(2.0) * ((high) - (here))) \
     : R(0.125) * ((high) - (low)))

/* Value v of the cell, and 5: gamma p. */
#define FV_INTERPOLATED(v, x, y, z) \
  ((v) < 5 ? FV_VALUE(v, x, y, z) : FV_VALUE(3, x, y, z) * FV_VALUE(4, x, y, z))
#if FV_SZ > 1
#define FV_PROLONG_Z(v) \
  out_z * FV_QUARTER(FV_INTERPOLATED(v, x, y, z - 1), FV_INTERPOLATED(v, x, y, z), \
                     FV_INTERPOLATED(v, x, y, z + 1))
#else
#define FV_PROLONG_Z(v) R(0.0)
#endif
#define FV_PROLONG_X(v) \
  out_x * FV_QUARTER(FV_INTERPOLATED(v, x - 1, y, z), FV_INTERPOLATED(v, x, y, z), \
                     FV_INTERPOLATED(v, x + 1, y, z))
#define FV_PROLONG_Y(v) \
  out_y * FV_QUARTER(FV_INTERPOLATED(v, x, y - 1, z), FV_INTERPOLATED(v, x, y, z), \
                     FV_INTERPOLATED(v, x, y + 1, z))
#define FV_PROLONG(v) \
  (FV_INTERPOLATED(v, x, y, z) + fv_of_axes(FV_PROLONG_X(v), FV_PROLONG_Y(v), FV_PROLONG_Z(v)))

/* Cells of a part of a coarser leaf: on a line along each axis through that leaf's. */
TRM_GROUP_KERNEL3(fv_prolong, TRM_NO_SHARED, fv_params, TRM_RW(real) w, TRM_RO(int) ghosts,
                  TRM_RO(int) near)
{
  TRM_GROUP1(group);
  const trm_index first = (trm_index)(p.first + group) * FV_GHOST_INTS;
  const trm_index slot = ghosts[first + 1];
  TRM_OUT(real) to = w + (trm_index)ghosts[first] * FV_BLOCK;
  TRM_SERIAL(i, FV_CELLS) {
    const int fine_x = i % FV_SX, fine_y = i / FV_SX % FV_SY, fine_z = i / (FV_SX * FV_SY);
    if (FV_IS_WANTED(fine_x, fine_y, fine_z)) {
      const int x = (ghosts[first + FV_GHOST_PART] * FV_SX + fine_x) / 2;
      const int y = (ghosts[first + FV_GHOST_PART + 1] * FV_SY + fine_y) / 2;
      const int z = (ghosts[first + FV_GHOST_PART + 2] * FV_SZ + fine_z) / 2;
      const real out_x = fine_x & 1 ? R(1.0) : R(-1.0), out_y = fine_y & 1 ? R(1.0) : R(-1.0);
#if FV_SZ > 1
      const real out_z = fine_z & 1 ? R(1.0) : R(-1.0);
#endif
      fv_cell c;
      c.u = FV_PROLONG(0);
      c.v = FV_PROLONG(1);
      c.w = FV_PROLONG(2);
      c.rho = FV_PROLONG(3);
      c.t = FV_PROLONG(5) * trm_near_reciprocal(c.rho);
      FV_STORE(to, i, c);
    }
  }
}

/* The gain of value v of a coarser cell where the mean flux of the finer cells beyond its side
 * replaces its own flux. side: the numbers of its own flux and of its finer neighbours'; i, k: the
 * face's place on the side, of n x m. */
TRM_INLINE real fv_gain(TRM_IN(real) flux, TRM_IN(int) side, const int v, const int i, const int k,
                        const int n, const int m)
{
  TRM_IN(real) own = flux + ((trm_index)side[0] * FV_VALUES + v) * FV_FACES;
  const int part = side[1 + 2 * i / n + (m > 1 ? 2 * (2 * k / m) : 0)];
  TRM_IN(real) finer = flux + ((trm_index)part * FV_VALUES + v) * FV_FACES;
  const int at = ((2 * k) & (m - 1)) * n + ((2 * i) & (n - 1));
  const real sum = m > 1 ? (finer[at] + finer[at + n + 1]) + (finer[at + 1] + finer[at + n])
                         : finer[at] + finer[at + 1];
  return sum * (m > 1 ? R(0.25) : R(0.5)) - own[k * n + i];
}

/* A cell of plane z of a coarser leaf: whether it has finer cells beyond its sides, and the gain of
 * each value through them. At most one of an axis' two sides has such cells. */
#define FV_JUMPING_CELL \
  const int x = i % FV_SX, y = i / FV_SX, at = z * FV_SX * FV_SY + i; \
  const int sides[6] = { x == 0, x == FV_SX - 1, y == 0, y == FV_SY - 1, z == 0, \
                         z == FV_SZ - 1 }; \
  real by_axis[3][FV_VALUES], gains[FV_VALUES]; \
  int is_changed = 0; \
  for (int v = 0; v < FV_VALUES; v++) by_axis[0][v] = by_axis[1][v] = by_axis[2][v] = R(0.0); \
  for (int side = 0; side < (FV_SZ > 1 ? 6 : 4); side++) \
    if (sides[side] && interface[1 + 5 * side] >= 0) { \
      const int a = side < 2 ? y : x, b = side < 4 ? z : y; \
      is_changed = 1; \
      for (int v = 0; v < FV_VALUES; v++) { \
        const real gain = fv_gain(flux, interface + 1 + 5 * side, v, a, b, FV_SX, \
                                  side < 4 ? FV_SZ : FV_SY); \
        by_axis[side / 2][v] = side & 1 ? gain : -gain; \
      } \
    } \
  for (int v = 0; v < FV_VALUES; v++) \
    gains[v] = fv_of_axes(by_axis[0][v], by_axis[1][v], by_axis[2][v]);

/* Coarser leaves at interfaces after a step, in dual time after each stage: through their faces
 * goes what went through the faces of the finer cells. */
TRM_GROUP_KERNEL7(fv_match, fv_rates, fv_params, TRM_RO(int) interfaces, TRM_RO(real) flux,
                  TRM_RW(real) w, TRM_RW(real) q, TRM_RW(real) part, TRM_RO(real) clock,
                  TRM_RO(int) near)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_rates, s);
  TRM_IN(int) interface = interfaces + (trm_index)group * FV_INTERFACE_INTS;
  const trm_index slot = interface[0];
  TRM_OUT(real) next = w + slot * FV_BLOCK;
  TRM_OUT(real) kept = q + slot * FV_BLOCK;
  const fv_params own = fv_at_level(p, near[slot * FV_NEAR_INTS + FV_LEVEL]);
  const int is_dual = FV_FORM_OF(p) & FV_IN_DUAL, is_rest = is_dual && p.is_last == FV_RESIDUAL;
  const real length = clock[FV_DT] * own.inv_h;
  const real per_dt = clock[FV_PER_DT], inner = p.enthalpy * p.inv_gamma;
  if (FV_RUNS(clock)) {
    TRM_EACH(i, FV_SX * FV_SY) { s.speed[i] = R(0.0); }
    for (int z = 0; z < FV_SZ; z++)
      TRM_SERIAL(i, FV_SX * FV_SY) {
        FV_JUMPING_CELL
        if (is_rest) {
          for (int v = 0; v < FV_VALUES && is_changed; v++)
            next[v * FV_CELLS + at] = trm_fma(own.inv_h, gains[v], next[v * FV_CELLS + at]);
        } else {
          fv_cell c;
          c.u = next[at];
          c.v = next[FV_CELLS + at];
          c.w = next[2 * FV_CELLS + at];
          c.rho = next[3 * FV_CELLS + at];
          c.t = next[4 * FV_CELLS + at];
          if (is_changed) {
            FV_STATE(held, at);
            real now[FV_VALUES] = { held.mass, held.u, held.v, held.w, held.energy };
            real step = length;
            if (is_dual) {
              step = own.inv_h * fv_pseudo_step(own, per_dt, held);
              if (!p.is_last) {
                now[0] = c.rho;
                now[1] = c.rho * c.u;
                now[2] = c.rho * c.v;
                now[3] = c.rho * c.w;
                now[4] = c.rho * trm_fma(inner, c.t, R(0.5) * fv_square(c.u, c.v, c.w));
              }
            }
            for (int v = 0; v < FV_VALUES; v++) {
              now[v] = trm_fma(-step, gains[v], now[v]);
              if (p.is_last) kept[v * FV_CELLS + at] = now[v];
            }
            c = fv_values(own, now[0], now[1], now[2], now[3], now[4]);
            FV_STORE(next, at, c);
          }
          s.speed[i] = trm_more(s.speed[i], fv_rate(own, c));
        }
      }
    FV_LEAVE_RATE
  }
}
