/* One stage of the Runge-Kutta scheme on a block, by a group. Each face's flux is computed once in
 * the block, and by the block beside it once more from the same values, so both have the same
 * bits. */

/* Copies cell `from` of a slot to place `to` of the ring. */
#define FV_FETCH(to, slot, from) \
  do { \
    TRM_IN(real) fv_from = w + (trm_index)(slot) * FV_BLOCK + (from); \
    s.w[to] = fv_from[0]; \
    s.w[FV_RING_REALS + (to)] = fv_from[FV_CELLS]; \
    s.w[2 * FV_RING_REALS + (to)] = fv_from[2 * FV_CELLS]; \
    s.w[3 * FV_RING_REALS + (to)] = fv_from[3 * FV_CELLS]; \
    s.w[4 * FV_RING_REALS + (to)] = fv_from[4 * FV_CELLS]; \
  } while (0)

/* Plane k of the block, from -2 on, with the cells around it. */
#define FV_BRING(k) \
  { \
    const int fv_low = (k) < 0 ? 0 : (k) < FV_SZ ? 9 : 18, fv_turn = FV_TURN(k); \
    const int fv_plane = ((k) & (FV_SZ - 1)) * FV_SX * FV_SY; \
    TRM_TILE(x, row, FV_SX, FV_SY + 4, 0) { \
      const int y = row - 2, y_near = y < 0 ? 1 : y < FV_SY ? 4 : 7; \
      FV_FETCH(fv_turn + FV_AT(x, y), s.near[fv_low + y_near], \
               fv_plane + (y & (FV_SY - 1)) * FV_SX + x); \
    } \
    TRM_TILE(side, row, 4, FV_SY + 4, FV_SX * (FV_SY + 4)) { \
      const int y = row - 2, y_near = y < 0 ? 1 : y < FV_SY ? 4 : 7; \
      const int x = side < 2 ? side - 2 : FV_SX + side - 2; \
      FV_FETCH(fv_turn + FV_AT(x, y), s.near[fv_low + y_near + (side < 2 ? -1 : 1)], \
               fv_plane + (y & (FV_SY - 1)) * FV_SX + (x & (FV_SX - 1))); \
    } \
  }

/* Keeps a flux, as five arrays of `faces`: mass, momentum by axis, energy. */
#define FV_KEEP(to, faces, i, flux, n, a, b) \
  do { \
    (to)[i] = (flux).mass; \
    (to)[(1 + (n)) * (faces) + (i)] = (flux).along; \
    (to)[(1 + (a)) * (faces) + (i)] = (flux).across_a; \
    (to)[(1 + (b)) * (faces) + (i)] = (flux).across_b; \
    (to)[4 * (faces) + (i)] = (flux).energy; \
  } while (0)

/* Faces above plane k. */
#define FV_FLUX_Z(k, lane) \
  { \
    const int fv_m = FV_TURN((k) - 1), fv_c = FV_TURN(k); \
    const int fv_d = FV_TURN((k) + 1), fv_e = FV_TURN((k) + 2); \
    TRM_TILE(x, y, FV_SX, FV_SY, lane) { \
      const int at = FV_AT(x, y); \
      const fv_flux f = fv_face(own, s.w, s.open_z[(k) + 1], 2, 0, 1, fv_m + at, fv_c + at, \
                                fv_d + at, fv_e + at, 1, -1, FV_PITCH, -FV_PITCH); \
      FV_KEEP(s.z[((k) + 1) & 1], FV_FACES_Z, y * FV_SX + x, f, 2, 0, 1); \
    } \
  }

/* Faces west of each cell of plane k and east of the last, south and north. */
#define FV_FLUX_XY(k) \
  { \
    const int fv_here = FV_TURN(k); \
    const int fv_up = FV_TURN((k) + 1) - fv_here, fv_down = FV_TURN((k) - 1) - fv_here; \
    TRM_TILE(x, y, FV_SX + 1, FV_SY, 0) { \
      const int at = fv_here + FV_AT(x - 1, y); \
      const fv_flux f = fv_face(own, s.w, s.open_x[x], 0, 1, 2, at - 1, at, at + 1, at + 2, \
                                FV_PITCH, -FV_PITCH, fv_up, fv_down); \
      FV_KEEP(s.x, FV_FACES_X, y * (FV_SX + 1) + x, f, 0, 1, 2); \
    } \
    TRM_TILE(x, y, FV_SX, FV_SY + 1, FV_FACES_X) { \
      const int at = fv_here + FV_AT(x, y - 1); \
      const fv_flux f = fv_face(own, s.w, s.open_y[y], 1, 2, 0, at - FV_PITCH, at, \
                                at + FV_PITCH, at + 2 * FV_PITCH, fv_up, fv_down, 1, -1); \
      FV_KEEP(s.y, FV_FACES_Y, y * FV_SX + x, f, 1, 2, 0); \
    } \
  }

/* What leaves a cell of plane k by value v; i: its column. */
#if FV_SZ > 1
#define FV_OUT_Z(k, v, i) (s.z[((k) + 1) & 1][(v) * FV_FACES_Z + (i)] - \
                           s.z[(k) & 1][(v) * FV_FACES_Z + (i)])
#else
#define FV_OUT_Z(k, v, i) R(0.0)
#endif
#define FV_LEAVES(k, v) \
  (((s.x[(v) * FV_FACES_X + y * (FV_SX + 1) + x + 1] - \
     s.x[(v) * FV_FACES_X + y * (FV_SX + 1) + x]) + \
    (s.y[(v) * FV_FACES_Y + i + FV_SX] - s.y[(v) * FV_FACES_Y + i])) + FV_OUT_Z(k, v, i))

/* The cells of plane k after the stage. All stages begin at the step's state, so what is between
 * them need not be conserved: there the temperature stays positive, at 1e-4 of what the step's
 * energy at its begin would make, where a jump of the pressure in gas at rest (Toro's third by
 * AUSM+) drives matter before any energy has passed. */
#define FV_SETTLE(k, is_last) \
  TRM_TILE(x, y, FV_SX, FV_SY, 0) { \
    const int i = y * FV_SX + x, at = (k) * FV_SX * FV_SY + i; \
    const real q0 = trm_fma(-length, FV_LEAVES(k, 0), kept[at]); \
    const real q1 = trm_fma(-length, FV_LEAVES(k, 1), kept[FV_CELLS + at]); \
    const real q2 = trm_fma(-length, FV_LEAVES(k, 2), kept[2 * FV_CELLS + at]); \
    const real q3 = trm_fma(-length, FV_LEAVES(k, 3), kept[3 * FV_CELLS + at]); \
    const real q4 = trm_fma(-length, FV_LEAVES(k, 4), kept[4 * FV_CELLS + at]); \
    fv_cell c = fv_values(own, q0, q1, q2, q3, q4); \
    if (!(is_last)) \
      c.t = trm_more(c.t, R(1e-4) * own.heat * kept[4 * FV_CELLS + at] * trm_near_reciprocal(q0)); \
    FV_STORE(next, at, c); \
    if (is_last) { \
      kept[at] = q0; \
      kept[FV_CELLS + at] = q1; \
      kept[2 * FV_CELLS + at] = q2; \
      kept[3 * FV_CELLS + at] = q3; \
      kept[4 * FV_CELLS + at] = q4; \
      s.speed[i] = trm_more(s.speed[i], fv_rate(own, c)); \
    } \
  }

/* Which faces along an axis let mass through: all but those at a closed side, the numbers `side`
 * and the next, beyond which the block before or after lies. */
#define FV_IS_CLOSED(side, at) \
  (near[slot * FV_NEAR_INTS + (at)] >= p.shells && p.kind[side] != FV_PERIODIC && \
   p.kind[side] <= FV_CLOSED)
#define FV_OPEN(open, cells, side, before, after) \
  TRM_TILE(i, one, (cells) + 1, 1, 0) { \
    const int is_closed = i == 0 ? FV_IS_CLOSED(side, before) \
                                 : i == (cells) && FV_IS_CLOSED((side) + 1, after); \
    (open)[i + one] = is_closed ? R(0.0) : R(1.0); \
  }

/* Keeps plane k's part of the fluxes through those sides that jumps ask for: values of `faces`,
 * from number `at` of a row on, `step` apart, to the side's row k, or, of the bottom and the top,
 * row by row. */
#define FV_KEEP_ROW(side, k, from, faces, at, step) \
  if (near[slot * FV_NEAR_INTS + FV_KEPT + (side)] >= 0) { \
    TRM_OUT(real) fv_to = flux + (trm_index)near[slot * FV_NEAR_INTS + FV_KEPT + (side)] * \
                          (FV_VALUES * FV_FACES) + (k) * FV_SX; \
    TRM_TILE(i, v, FV_SX, FV_VALUES, 0) { \
      fv_to[v * FV_FACES + i] = (from)[v * (faces) + (at) + i * (step)]; \
    } \
  }
#define FV_KEEP_SIDES(k) \
  { \
    FV_KEEP_ROW(0, k, s.x, FV_FACES_X, 0, FV_SX + 1) \
    FV_KEEP_ROW(1, k, s.x, FV_FACES_X, FV_SX, FV_SX + 1) \
    FV_KEEP_ROW(2, k, s.y, FV_FACES_Y, 0, 1) \
    FV_KEEP_ROW(3, k, s.y, FV_FACES_Y, FV_SX * FV_SY, 1) \
    if (FV_SZ > 1 && (k) == 0) FV_KEEP_PLANE(4, s.z[0]) \
    if (FV_SZ > 1 && (k) == FV_SZ - 1) FV_KEEP_PLANE(5, s.z[FV_SZ & 1]) \
  }
#define FV_KEEP_PLANE(side, from) \
  for (int row = 0; row < FV_SY; row++) \
    FV_KEEP_ROW(side, row, from, FV_FACES_Z, row * FV_SX, 1)

/* From w, the state at the last stage, and q, that at the step's begin, to `to`; the last stage
 * also brings q up to date and leaves the block's largest rate. */
TRM_GROUP_KERNEL7(fv_stage, fv_shared, fv_params, TRM_RO(real) w, TRM_RW(real) to, TRM_RW(real) q,
                  TRM_RO(int) near, TRM_RO(real) clock, TRM_RW(real) part, TRM_RW(real) flux)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_shared, s);
  const trm_index slot = group;
  TRM_IN(real) old = w + slot * FV_BLOCK;
  TRM_OUT(real) next = to + slot * FV_BLOCK;
  TRM_OUT(real) kept = q + slot * FV_BLOCK;
  const fv_params own = fv_at_level(p, near[slot * FV_NEAR_INTS + FV_LEVEL]);
  const real length = clock[FV_DT] * p.alpha * own.inv_h;

  if (!(clock[FV_LIVE] > R(0.0))) {
    if (p.is_last) TRM_EACH(i, FV_BLOCK) { next[i] = old[i]; }
  } else {
    TRM_PHASE {
      TRM_TILE(i, one, 27, 1, 0) { s.near[i + one] = near[slot * FV_NEAR_INTS + i]; }
      FV_OPEN(s.open_x, FV_SX, 0, 12, 14)
      FV_OPEN(s.open_y, FV_SY, 2, 10, 16)
      FV_OPEN(s.open_z, FV_SZ, 4, 4, 22)
    }
    if (FV_SZ > 1) {
      TRM_PHASE { FV_BRING(-2) FV_BRING(-1) FV_BRING(0) FV_BRING(1) }
      TRM_PHASE { FV_FLUX_Z(-1, 0) }
    } else {
      TRM_PHASE { FV_BRING(0) }
    }
    TRM_EACH(i, FV_SX * FV_SY) { s.speed[i] = R(0.0); }
    for (int k = 0; k < FV_SZ; k++) {
      if (FV_SZ > 1) {
        TRM_PHASE { FV_BRING(k + 2) }
        TRM_PHASE { FV_FLUX_XY(k) FV_FLUX_Z(k, FV_FACES_X + FV_FACES_Y) }
      } else {
        TRM_PHASE { FV_FLUX_XY(k) }
      }
      TRM_PHASE {
        if (p.is_last) FV_SETTLE(k, 1)
        else FV_SETTLE(k, 0)
        if (p.is_last && p.jumps > 0) FV_KEEP_SIDES(k)
      }
    }
    if (p.is_last) {
      for (int fold = FV_SX * FV_SY / 2; fold > 0; fold /= 2)
        TRM_EACH(i, fold) { s.speed[i] = trm_more(s.speed[i], s.speed[i + fold]); }
      TRM_EACH(i, 1) { part[slot] = s.speed[0]; }
    }
  }
}

/* Values and rates of a state that was written from outside. */
TRM_GROUP_KERNEL4(fv_start, fv_shared, fv_params, TRM_RO(real) q, TRM_RW(real) to,
                  TRM_RW(real) part, TRM_RO(int) near)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_shared, s);
  const trm_index slot = group;
  TRM_IN(real) kept = q + slot * FV_BLOCK;
  const fv_params own = fv_at_level(p, near[slot * FV_NEAR_INTS + FV_LEVEL]);
  TRM_OUT(real) next = to + slot * FV_BLOCK;
  TRM_EACH(i, FV_SX * FV_SY) { s.speed[i] = R(0.0); }
  for (int k = 0; k < FV_SZ; k++)
    TRM_EACH(i, FV_SX * FV_SY) {
      const int at = k * FV_SX * FV_SY + i;
      const fv_cell c = fv_values(p, kept[at], kept[FV_CELLS + at], kept[2 * FV_CELLS + at],
                                  kept[3 * FV_CELLS + at], kept[4 * FV_CELLS + at]);
      FV_STORE(next, at, c);
      s.speed[i] = trm_more(s.speed[i], fv_rate(own, c));
    }
  for (int fold = FV_SX * FV_SY / 2; fold > 0; fold /= 2)
    TRM_EACH(i, fold) { s.speed[i] = trm_more(s.speed[i], s.speed[i + fold]); }
  TRM_EACH(i, 1) { part[slot] = s.speed[0]; }
}
