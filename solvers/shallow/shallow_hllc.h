/* HLLC with hydrostatic reconstruction (Audusse et al. 2004), limited slopes in space, one stage of
 * the two of a strong-stability-preserving Runge-Kutta step.
 *
 * A launch's row is a block of p.rows rows, taken from south to north: what a row and its
 * southern neighbour have in common, differences and the fluxes between them, is kept for the
 * next row. Pairs are added west-east and south-north first, so that mirrored and transposed
 * problems give mirrored and transposed bits. */

/* One cell's depth, surface, velocity and theta / 2 of 1/depth (0 where dry) at column x of a
 * row. is_west and is_east: x lies beyond that edge. side: the row lies beyond the southern edge
 * (1), the northern one (2), and is the first or second there (far); `from` is then the last row
 * inside. bed: the row's own. i: x, or a column inside; column: x, or one that the bed has. */
TRM_INLINE void shallow_fetch(const shallow_params p, const shallow_numbers n, TRM_IN(real) clock,
                              TRM_IN(real) from, TRM_IN(real) bed, const int nx, const int i,
                              const int column, const int is_west, const int is_east,
                              const int side, const int far, real *h_out, real *e_out,
                              real *u_out, real *v_out, real *i_out)
{
  const real z = bed[column];
  real h = SHALLOW_H(from)[i], hu = SHALLOW_HU(from)[i], hv = SHALLOW_HV(from)[i];
  if (side == 0 && (is_west || is_east)) {
    const int near = is_west ? 0 : nx - 1, step = is_west ? 1 : -1, at = is_west ? 0 : 2;
    const shallow_cell ghost =
      shallow_beyond(p, is_west ? p.west : p.east, (real)step, clock[SHALLOW_VALUE + at + p.stage],
                     clock[SHALLOW_DEPTH + at + p.stage], (near - column) * step - 1, z,
                     shallow_across(p, from, bed, near), shallow_across(p, from, bed, near + step));
    h = ghost.h;
    hu = ghost.along;
    hv = ghost.across;
  }
  if (side) {
    const int step = side == 1 ? 1 : -1, at = side == 1 ? 4 : 6;
    TRM_IN(real) bed_near = bed + (trm_index)(far + 1) * step * p.bed_row;
    const shallow_cell ghost =
      shallow_beyond(p, side == 1 ? p.south : p.north, (real)step,
                     clock[SHALLOW_VALUE + at + p.stage], clock[SHALLOW_DEPTH + at + p.stage], far,
                     z, shallow_along(p, from, bed_near, i),
                     shallow_along(p, from + (trm_index)step * p.row,
                                   bed_near + (trm_index)step * p.bed_row, i));
    h = ghost.h;
    hv = ghost.along;
    hu = ghost.across;
  }
  const real inverse = shallow_inverse(n.dry, h);
  *h_out = h;
  *e_out = h + z;
  *u_out = hu * inverse;
  *v_out = hv * inverse;
  *i_out = n.steep * inverse;
}

/* The least depth at a face. */
#define SHALLOW_TRACE R(1e-20)

/* The flux through a face between two reconstructed states (depth, surface, velocity across and
 * along), as constants f_mass, f_low and f_high (momentum across less the pressure g h*^2 / 2 of
 * either side) and f_along. What the surface does inside a cell is the cell's own business, so a
 * lake at rest leaves nothing here. A depth at a face is at least SHALLOW_TRACE, a speed 1e-15:
 * roots and reciprocals are of normal numbers. First the depths f_a and f_b and the speeds of
 * waves f_cl, f_cr: */
#define SHALLOW_FACE_DEPTHS(f, hl, el, hr, er) \
  const real f##_z = trm_max((el) - (hl), (er) - (hr)); \
  const real f##_a = trm_min_above(hl, (el) - f##_z, SHALLOW_TRACE); \
  const real f##_b = trm_min_above(hr, (er) - f##_z, SHALLOW_TRACE); \
  const real f##_cl = trm_root(numbers.g * f##_a), f##_cr = trm_root(numbers.g * f##_b)
/* and from them the fluxes. With pl = ul + 2 cl and pr = ur - 2 cr, the fronts on a dry bed,
 * Einfeldt's u* - c* and u* + c* are a quarter of the way from one to the other. No product of a
 * difference is fused: the mirror image has the same bits. (No selection joins two conditions:
 * gcc's simd loops end there.) */
#define SHALLOW_FACE_FLUXES(f, a, b, cl, cr, ul, vl, ur, vr) \
  const real f##_pl = trm_fma(R(2.0), cl, ul), f##_pr = trm_fma(R(-2.0), cr, ur); \
  const real f##_way = f##_pl - f##_pr; \
  const real f##_slow = trm_falling((ul) - (cl), trm_fma(R(0.25), f##_way, f##_pr)); \
  const real f##_fast = trm_rising((ur) + (cr), trm_fma(R(-0.25), f##_way, f##_pl)); \
  const real f##_sl = trm_falling((a) > SHALLOW_TRACE ? f##_slow : f##_pr, R(-1e-15)); \
  const real f##_sr = trm_rising((b) > SHALLOW_TRACE ? f##_fast : f##_pl, R(1e-15)); \
  const real f##_inverse = trm_reciprocal(f##_sr - f##_sl); \
  const real f##_ql = (a) * (ul), f##_qr = (b) * (ur), f##_product = f##_sl * f##_sr; \
  const real f##_ml = f##_sr * f##_ql, f##_mr = f##_sl * f##_qr; \
  const real f##_rise = (b) - (a), f##_dp = numbers.half_g * ((b) + (a)) * f##_rise; \
  const real f##_mass = trm_fma(f##_product, f##_rise, f##_ml - f##_mr) * f##_inverse; \
  const real f##_base = trm_fma(f##_product, f##_qr - f##_ql, f##_ml * (ul) - f##_mr * (ur)); \
  const real f##_low = trm_fma(-f##_sl, f##_dp, f##_base) * f##_inverse; \
  const real f##_high = trm_fma(-f##_sr, f##_dp, f##_base) * f##_inverse; \
  const real f##_along = f##_mass * (f##_mass >= R(0.0) ? (vl) : (vr))

/* A cell's new state from the sums of its fluxes' differences; first: its state at the step's
 * begin. */
TRM_INLINE real shallow_settle(const shallow_params p, const shallow_numbers n, TRM_OUT(real) to,
                               TRM_IN(real) old, TRM_IN(real) first, const real dt, const int x,
                               const real dh, const real du, const real dv, const int stage,
                               const int is_rough)
{
  real h = SHALLOW_H(old)[x] - dh;
  real hu = SHALLOW_HU(old)[x] - du, hv = SHALLOW_HV(old)[x] - dv;
  h = h < R(0.0) ? R(0.0) : h; /* a NaN stays one */
  if (is_rough) {
    const int is_wet = h > n.dry;
    const real depth = is_wet ? h : R(1.0);
    const real q = trm_near_sqrt(hu * hu + hv * hv);
    const real most =
      dt * n.friction * q * trm_near_reciprocal(depth * depth * shallow_cbrt(depth));
    const real drag = trm_min(most, R(1e30)); /* roots and reciprocals are of finite numbers */
    /* q' = q - drag |q'| q' / |q|: implicit without a remainder, so that steady flows are steady */
    const real root = trm_near_sqrt(trm_fma(R(4.0), drag, R(1.0)));
    const real keep = R(2.0) * trm_near_reciprocal(R(1.0) + root);
    hu *= keep;
    hv *= keep;
  }
  if (stage == 1) {
    h = R(0.5) * (SHALLOW_H(first)[x] + h);
    hu = R(0.5) * (SHALLOW_HU(first)[x] + hu);
    hv = R(0.5) * (SHALLOW_HV(first)[x] + hv);
  }
  hu = shallow_momentum(h > n.dry ? hu : R(0.0));
  hv = shallow_momentum(h > n.dry ? hv : R(0.0));
  SHALLOW_H(to)[x] = h;
  SHALLOW_HU(to)[x] = hu;
  SHALLOW_HV(to)[x] = hv;
  return stage == 1 ? shallow_speed(n, h, hu, hv, SHALLOW_HLLC) : R(0.0);
}

/* ---- the kernel ------------------------------------------------------------
 *
 * Things are kept as shallow_strips.h says. A host's simd loops know by literals what they do. */
#define SHALLOW_FETCH(loop, side) \
  loop(x, 2, 2) { \
    real h, e, along_x, along_y, inverse; \
    shallow_fetch(p, numbers, clock, from, bed, TRM_NX, TRM_BESIDE(x, 0), SHALLOW_COLUMN(x), \
                  TRM_BEYOND_WEST(x), TRM_BEYOND_EAST(x), side, far, &h, &e, &along_x, &along_y, \
                  &inverse); \
    SHALLOW_PUT(h, x, SHALLOW_FETCHED(h)); \
    SHALLOW_PUT(e, x, e); \
    SHALLOW_PUT(u, x, along_x); \
    SHALLOW_PUT(v, x, along_y); \
    SHALLOW_PUT(i, x, inverse); \
  }
/* On a GPU barriers stand where every item of the group comes by, whatever its own row is. */
#if defined(TRM_HOST)
#define SHALLOW_FETCHED(h) trm_fabs(h) /* gcc copies a row by rep movs, which is slower */
#define SHALLOW_FETCH_HERE \
  if (side == 0) SHALLOW_FETCH(SHALLOW_REACH, 0) \
  else SHALLOW_FETCH(SHALLOW_EDGE_REACH, side)
#else
#define SHALLOW_FETCHED(h) (h)
#define SHALLOW_FETCH_HERE SHALLOW_FETCH(SHALLOW_REACH, side)
#endif

/* The row at hand along y: slopes, both its edges, and the depths at the face to the row before. */
#define SHALLOW_SLOPES_Y \
  const real h = SHALLOW_AT(h, x), e = SHALLOW_AT(e, x), i = SHALLOW_AT(i, x); \
  const real along_x = SHALLOW_AT(u, x), along_y = SHALLOW_AT(v, x); \
  const real up_h = SHALLOW_NEW(h, x) - h, up_e = SHALLOW_NEW(e, x) - e; \
  const real up_u = SHALLOW_NEW(u, x) - along_x, up_v = SHALLOW_NEW(v, x) - along_y; \
  const real sh = trm_limit(numbers.mean, SHALLOW_STEP(h, x), up_h); \
  const real se = trm_limit(numbers.mean, SHALLOW_STEP(e, x), up_e); \
  const real su = i * trm_limit(numbers.mean, SHALLOW_STEP(u, x), up_u); \
  const real sv = i * trm_limit(numbers.mean, SHALLOW_STEP(v, x), up_v); \
  const real hs = trm_fma(-numbers.steep, sh, h), hn = trm_fma(numbers.steep, sh, h); \
  const real es = trm_fma(-numbers.steep, se, e); \
  SHALLOW_FACE_DEPTHS(f, SHALLOW_KEPT(edge_h, x), SHALLOW_KEPT(edge_e, x), hs, es); \
  SHALLOW_KEPT(depth_l, x) = f_a; \
  SHALLOW_KEPT(depth_r, x) = f_b; \
  SHALLOW_KEPT(speed_l, x) = f_cl; \
  SHALLOW_KEPT(speed_r, x) = f_cr; \
  SHALLOW_KEPT(south_u, x) = trm_fma(-hn, su, along_x); \
  SHALLOW_KEPT(south_v, x) = trm_fma(-hn, sv, along_y); \
  SHALLOW_KEPT(edge_h, x) = hn; \
  SHALLOW_KEPT(edge_e, x) = trm_fma(numbers.steep, se, e); \
  SHALLOW_NEXT(edge_u, x) = trm_fma(hs, su, along_x); \
  SHALLOW_NEXT(edge_v, x) = trm_fma(hs, sv, along_y); \
  SHALLOW_NEXT(tilt_y, x) = numbers.slant * h * se; \
  SHALLOW_STEPPED
/* That face's fluxes: the differences of the row before, row_h, row_u and row_v, are complete
 * then. */
#define SHALLOW_FACE_Y \
  SHALLOW_FACE_FLUXES(f, SHALLOW_KEPT(depth_l, x), SHALLOW_KEPT(depth_r, x), \
                      SHALLOW_KEPT(speed_l, x), SHALLOW_KEPT(speed_r, x), SHALLOW_LAST(edge_v, x), \
                      SHALLOW_LAST(edge_u, x), SHALLOW_KEPT(south_v, x), \
                      SHALLOW_KEPT(south_u, x)); \
  SHALLOW_SUM row_h = SHALLOW_ALONG_X(h) + rate_y * (f_mass - SHALLOW_KEPT(below_mass, x)); \
  SHALLOW_SUM row_u = SHALLOW_ALONG_X(u) + rate_y * (f_along - SHALLOW_KEPT(below_along, x)); \
  SHALLOW_SUM row_v = SHALLOW_ALONG_X(v) + \
    rate_y * ((f_low - SHALLOW_KEPT(below_high, x)) + SHALLOW_LAST(tilt_y, x)); \
  SHALLOW_KEPT(below_mass, x) = f_mass; \
  SHALLOW_KEPT(below_high, x) = f_high; \
  SHALLOW_KEPT(below_along, x) = f_along;
/* A row's differences along x. */
#define SHALLOW_X_h (rate_x * (SHALLOW_ON(mass, x) - SHALLOW_ON(mass, x - 1)))
#define SHALLOW_X_u \
  (rate_x * ((SHALLOW_ON(low, x) - SHALLOW_ON(high, x - 1)) + SHALLOW_ON(tilt_x, x)))
#define SHALLOW_X_v (rate_x * (SHALLOW_ON(along, x) - SHALLOW_ON(along, x - 1)))

/* A host takes several short loops, since one of many operations that wait for each other would
 * fill a core's window; what a row leaves along x stays in strips until the next turn. */
#define SHALLOW_SETTLE(stage, is_rough) \
  const real most = shallow_settle(p, numbers, to, old, first, dt, x, row_h, row_u, row_v, stage, \
                                   is_rough); \
  if (stage) TRM_ADD(speed, x) = trm_more(TRM_ADD(speed, x), most);
#if defined(TRM_HOST)
#define SHALLOW_STEPPED
#define SHALLOW_SUM TRM_UNUSED const real
#define SHALLOW_ALONG_X(name) SHALLOW_X_##name
#define SHALLOW_FINISH(stage) TRM_CELLS(x) { \
    SHALLOW_FACE_Y \
    SHALLOW_SETTLE(stage, 0) \
  }
#define SHALLOW_FACE_FIRST TRM_CELLS(x) { /* friction is long */ \
    SHALLOW_FACE_Y \
    SHALLOW_ON(row_h, x) = row_h; \
    SHALLOW_ON(row_u, x) = row_u; \
    SHALLOW_ON(row_v, x) = row_v; \
  }
#define SHALLOW_FINISH_ROUGH(stage) TRM_CELLS(x) { \
    const real row_h = SHALLOW_ON(row_h, x), row_u = SHALLOW_ON(row_u, x); \
    const real row_v = SHALLOW_ON(row_v, x); \
    SHALLOW_SETTLE(stage, 1) \
  }
#define SHALLOW_FINISH_HERE \
  if (p.friction > R(0.0)) { \
    SHALLOW_FACE_FIRST \
    if (p.stage == 1) SHALLOW_FINISH_ROUGH(1) else SHALLOW_FINISH_ROUGH(0) \
  } \
  else if (p.stage == 1) SHALLOW_FINISH(1) \
  else SHALLOW_FINISH(0)
#else
#define SHALLOW_STEPPED \
  step_h = up_h; \
  step_e = up_e; \
  step_u = up_u; \
  step_v = up_v;
#define SHALLOW_SUM
#define SHALLOW_ALONG_X(name) row_##name
#define SHALLOW_FINISH_HERE TRM_CELLS(x) { SHALLOW_SETTLE(p.stage, p.friction > R(0.0)) }
#endif

/* The row at hand along x: slopes and both its edges, */
#define SHALLOW_SLOPES_X \
  const real h = SHALLOW_AT(h, x), e = SHALLOW_AT(e, x), i = SHALLOW_AT(i, x); \
  const real along_x = SHALLOW_AT(u, x), along_y = SHALLOW_AT(v, x); \
  const real sh = SHALLOW_LIMIT_X(h, h), se = SHALLOW_LIMIT_X(e, e); \
  const real su = i * SHALLOW_LIMIT_X(u, along_x), sv = i * SHALLOW_LIMIT_X(v, along_y); \
  const real hw = trm_fma(-numbers.steep, sh, h), he = trm_fma(numbers.steep, sh, h); \
  SHALLOW_ON(tilt_x, x) = numbers.slant * h * se; \
  SHALLOW_ON(west_h, x) = hw; \
  SHALLOW_ON(west_e, x) = trm_fma(-numbers.steep, se, e); \
  SHALLOW_ON(west_u, x) = trm_fma(-he, su, along_x); \
  SHALLOW_ON(west_v, x) = trm_fma(-he, sv, along_y); \
  SHALLOW_ON(east_h, x) = he; \
  SHALLOW_ON(east_e, x) = trm_fma(numbers.steep, se, e); \
  SHALLOW_ON(east_u, x) = trm_fma(hw, su, along_x); \
  SHALLOW_ON(east_v, x) = trm_fma(hw, sv, along_y);
#define SHALLOW_LIMIT_X(name, here) \
  trm_limit(numbers.mean, here - SHALLOW_AT(name, x - 1), SHALLOW_AT(name, x + 1) - here)
/* the depths at the face to the next cell, and its fluxes. */
#define SHALLOW_DEPTHS_X \
  SHALLOW_FACE_DEPTHS(f, SHALLOW_ON(east_h, x), SHALLOW_ON(east_e, x), SHALLOW_ON(west_h, x + 1), \
                      SHALLOW_ON(west_e, x + 1));
#define SHALLOW_FLUXES_X \
  SHALLOW_FACE_FLUXES(f, f_a, f_b, f_cl, f_cr, SHALLOW_ON(east_u, x), SHALLOW_ON(east_v, x), \
                      SHALLOW_ON(west_u, x + 1), SHALLOW_ON(west_v, x + 1)); \
  SHALLOW_ON(mass, x) = f_mass; \
  SHALLOW_ON(low, x) = f_low; \
  SHALLOW_ON(high, x) = f_high; \
  SHALLOW_ON(along, x) = f_along;

/* Halo 1: a block of p.rows rows, of which there are at least 2, reads two rows of those beside
 * it. u: what the stage starts from; v: what it writes, and in stage 1 the state at the step's
 * begin. */
TRM_ROW_KERNEL5(shallow_hllc, 1, shallow_params, TRM_RO(real) u, TRM_RW(real) v, TRM_RO(real) beds,
                TRM_RO(real) clock, TRM_RW(real) part)
{
  TRM_ROW(block);
  const int y0 = (int)block * p.rows, rows = SHALLOW_ROWS;
  const real dt = clock[SHALLOW_DT], rate_x = dt * p.inv_dx, rate_y = dt * p.inv_dy;
  SHALLOW_STRIPS;
  SHALLOW_NUMBERS(numbers);
  TRM_LEAVES(speed);

  if (clock[SHALLOW_LIVE] > R(0.0)) {
    TRM_CELLS(x) {
      TRM_ADD(speed, x) = R(0.0);
      SHALLOW_KEPT(below_mass, x) = R(0.0);
      SHALLOW_KEPT(below_high, x) = R(0.0);
      SHALLOW_KEPT(below_along, x) = R(0.0);
      SHALLOW_KEPT(edge_h, x) = R(0.0);
      SHALLOW_KEPT(edge_e, x) = R(0.0);
    }
#if defined(TRM_HOST)
    SHALLOW_REACH(x, 1, 0) { /* no fluxes yet */
      SHALLOW_ON(mass, x) = SHALLOW_ON(low, x) = SHALLOW_ON(high, x) = R(0.0);
      SHALLOW_ON(along, x) = SHALLOW_ON(tilt_x, x) = R(0.0);
    }
#endif
    for (int turn = 0; turn < rows + 4; turn++) {
      const int k = y0 - 2 + turn, side = k < 0 ? 1 : k >= p.ny ? 2 : 0;
      const int inside = k < 0 ? 0 : k >= p.ny ? p.ny - 1 : k;
      const int row = k > p.ny + 1 ? p.ny + 1 : k; /* the bed's last */
      const int far = k < 0 ? -1 - k : row - p.ny, before = k - 2;
      TRM_IN(real) from = u + p.first + (trm_index)inside * p.row;
      TRM_IN(real) bed = beds + p.bed_first + (trm_index)row * p.bed_row;
      SHALLOW_FETCH_HERE
      SHALLOW_ASK_NEXT(from + p.row, bed + p.bed_row, v + p.first + (trm_index)(before + 1) * p.row)
#if defined(TRM_HOST)
      if (turn > 1)
        TRM_CELLS(x) { SHALLOW_SLOPES_Y }
      if (turn == 3)
        TRM_CELLS(x) { SHALLOW_FACE_Y }
#else
      if (turn == 1)
        TRM_CELLS(x) {
          step_h = SHALLOW_NEW(h, x) - SHALLOW_AT(h, x);
          step_e = SHALLOW_NEW(e, x) - SHALLOW_AT(e, x);
          step_u = SHALLOW_NEW(u, x) - SHALLOW_AT(u, x);
          step_v = SHALLOW_NEW(v, x) - SHALLOW_AT(v, x);
        }
      if (turn > 1)
        TRM_CELLS(x) {
          SHALLOW_SLOPES_Y
          if (turn > 2) { SHALLOW_FACE_Y }
          edge_u = edge_u_next;
          edge_v = edge_v_next;
          tilt_y = tilt_y_next;
        }
#endif
      if (turn > 3 && before < p.ny) {
        TRM_OUT(real) to = v + p.first + (trm_index)before * p.row;
        TRM_IN(real) old = u + p.first + (trm_index)before * p.row;
        TRM_IN(real) first = v + p.first + (trm_index)before * p.row;
        SHALLOW_FINISH_HERE
        SHALLOW_GHOSTS(to, beds + p.bed_first + (trm_index)before * p.bed_row, 1);
      }
      if (turn > 2 && turn < rows + 3) {
        SHALLOW_REACH(x, 1, 1) { SHALLOW_SLOPES_X }
#if defined(TRM_HOST)
        SHALLOW_REACH(x, 1, 0) {
          SHALLOW_DEPTHS_X
          SHALLOW_ON(face_l, x) = f_a;
          SHALLOW_ON(face_r, x) = f_b;
          SHALLOW_ON(speed_l, x) = f_cl;
          SHALLOW_ON(speed_r, x) = f_cr;
        }
        SHALLOW_REACH(x, 1, 0) {
          const real f_a = SHALLOW_ON(face_l, x), f_b = SHALLOW_ON(face_r, x);
          const real f_cl = SHALLOW_ON(speed_l, x), f_cr = SHALLOW_ON(speed_r, x);
          SHALLOW_FLUXES_X
        }
#else
        SHALLOW_REACH(x, 1, 0) { SHALLOW_DEPTHS_X SHALLOW_FLUXES_X }
        TRM_CELLS(x) {
          row_h = SHALLOW_X_h;
          row_u = SHALLOW_X_u;
          row_v = SHALLOW_X_v;
        }
#endif
      }
    }
    if (p.stage == 1) TRM_FOLD_MAX(speed, part + block * TRM_LEAVES_OF(TRM_NX));
  }
}
#if defined(TRM_HOST)
#undef TRM_SPAN
#define TRM_SPAN 512
#endif
