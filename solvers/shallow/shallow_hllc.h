/* HLLC with hydrostatic reconstruction (Audusse et al. 2004), limited slopes in space, one stage of
 * the two of a strong-stability-preserving Runge-Kutta step.
 *
 * A launch's row is a block of p.rows rows, taken from south to north. Values that a row shares
 * with its southern neighbour, differences and fluxes, are kept for the next row. Pairs are added
 * west-east and south-north first, so that mirrored and transposed problems give mirrored and
 * transposed bits. */

/* One cell's depth, bed, velocity and theta / 2 of 1/depth (0 where dry) at column x of a row.
 * is_west and is_east: x lies beyond that edge. side: the row lies beyond the southern edge (1) or
 * the northern edge (2), as the first or second there (far); `from` is then the last row inside.
 * bed: the row's own. i: x, or a column inside; column: x, or a column that the bed has. */
TRM_INLINE void shallow_fetch(const shallow_params p, const shallow_numbers n, TRM_IN(real) clock,
                              TRM_IN(real) from, TRM_IN(real) bed, const int nx, const int i,
                              const int column, const int is_west, const int is_east,
                              const int side, const int far, const int y, real *h_out, real *z_out,
                              real *u_out, real *v_out, real *i_out)
{
  const real z = bed[column];
  real h = SHALLOW_H(from)[i], hu = SHALLOW_HU(from)[i], hv = SHALLOW_HV(from)[i];
  if (side == 0 && (is_west || is_east)) {
    const int near = is_west ? 0 : nx - 1, step = is_west ? 1 : -1, at = is_west ? 0 : 2;
    const shallow_cell ghost =
      shallow_beyond(p, is_west ? p.west : p.east, (real)step, clock[SHALLOW_VALUE + at + p.stage],
                     clock + (is_west ? SHALLOW_OUT_WEST(y) : SHALLOW_OUT_EAST(y)),
                     (near - column) * step - 1, z,
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
                     clock[SHALLOW_VALUE + at + p.stage],
                     clock + (side == 1 ? SHALLOW_OUT_SOUTH(i) : SHALLOW_OUT_NORTH(i)), far,
                     z, shallow_along(p, from, bed_near, i),
                     shallow_along(p, from + (trm_index)step * p.row,
                                   bed_near + (trm_index)step * p.bed_row, i));
    h = ghost.h;
    hv = ghost.along;
    hu = ghost.across;
  }
  const real inverse = shallow_inverse(n.dry, h);
  *h_out = h;
  *z_out = z;
  *u_out = hu * inverse;
  *v_out = hv * inverse;
  *i_out = n.steep * inverse;
}

/* Half of the rise of the surface in a cell h deep, from the rises to either side: with theta as
 * for all slopes, but with 1 where these are larger than h together. There, as on rough ground, a
 * steeper slope could make the surface rise towards a face where it falls, by more than the depth.
 * The face would then be shut (README.md). */
TRM_INLINE real shallow_slope_source(const shallow_numbers n, const real h, const real back,
                                     const real ahead)
{
  const int is_thin = h < trm_fabs(back) + trm_fabs(ahead);
  const real mean = is_thin ? R(0.5) : n.mean, reach = is_thin ? R(0.5) : n.steep;
  return reach * trm_limit(mean, back, ahead);
}

/* The flux through a face between two reconstructed states. Depths hl and hr, velocities across and
 * along; the surface jumps by `jump`. The results are constants: f_mass; f_low and f_high (momentum
 * across less the pressure g h*^2 / 2 of either side); f_along. A change of the surface inside a
 * cell is left to the cell, so a lake at rest gives no flux here. A depth at a face is at least
 * `trace`, a speed `creep`: roots and reciprocals are of normal numbers. First the depths f_a and
 * f_b and the speeds of waves f_cl, f_cr. Heights enter only as differences: so a lake is at rest
 * at any height above the datum. */
#define SHALLOW_FACE_DEPTHS(f, hl, hr, jump) \
  const real f##_a = trm_min_above(hl, (hr) - (jump), numbers.trace); \
  const real f##_b = trm_min_above(hr, (hl) + (jump), numbers.trace); \
  const real f##_cl = trm_root(numbers.g * f##_a), f##_cr = trm_root(numbers.g * f##_b)
/* and from them the fluxes. With pl = ul + 2 cl and pr = ur - 2 cr, the fronts on a dry bed,
 * Einfeldt's u* - c* and u* + c* are a quarter of the way from one front to the other. No product
 * of a difference is fused: the mirror image has the same bits. (No selection joins two conditions:
 * gcc's simd loops end there.) */
#define SHALLOW_FACE_FLUXES(f, a, b, cl, cr, ul, vl, ur, vr) \
  const real f##_pl = trm_fma(R(2.0), cl, ul), f##_pr = trm_fma(R(-2.0), cr, ur); \
  const real f##_way = f##_pl - f##_pr; \
  const real f##_slow = trm_falling((ul) - (cl), trm_fma(R(0.25), f##_way, f##_pr)); \
  const real f##_fast = trm_rising((ur) + (cr), trm_fma(R(-0.25), f##_way, f##_pl)); \
  const real f##_sl = trm_falling((a) > numbers.trace ? f##_slow : f##_pr, -numbers.creep); \
  const real f##_sr = trm_rising((b) > numbers.trace ? f##_fast : f##_pl, numbers.creep); \
  const real f##_inverse = trm_reciprocal(f##_sr - f##_sl); \
  const real f##_ql = (a) * (ul), f##_qr = (b) * (ur), f##_product = f##_sl * f##_sr; \
  const real f##_ml = f##_sr * f##_ql, f##_mr = f##_sl * f##_qr; \
  const real f##_rise = (b) - (a), f##_dp = numbers.half_g * ((b) + (a)) * f##_rise; \
  const real f##_mass = trm_fma(f##_product, f##_rise, f##_ml - f##_mr) * f##_inverse; \
  const real f##_base = trm_fma(f##_product, f##_qr - f##_ql, f##_ml * (ul) - f##_mr * (ur)); \
  const real f##_low = trm_fma(-f##_sl, f##_dp, f##_base) * f##_inverse; \
  const real f##_high = trm_fma(-f##_sr, f##_dp, f##_base) * f##_inverse; \
  const real f##_along = f##_mass * (f##_mass >= R(0.0) ? (vl) : (vr))

/* A depth and its rounding error; a negative rest is water that is still owed. */
typedef struct shallow_exact { real h, rest; } shallow_exact;
TRM_INLINE shallow_exact shallow_sum(const real a, const real b)
{
  const real sum = a + b, part = sum - a;
  const shallow_exact out = { sum, (a - (sum - part)) + (b - part) };
  return out;
}

/* The values that a cell's update alone reads: the rest at the stage's begin, and in stage 1 the
 * state at the step's begin. By cell they are loaded before the fluxes, which hide the load's
 * latency; the update would wait for memory. */
typedef struct shallow_start_values { real rest, h, hu, hv, h_rest; } shallow_start_values;
TRM_INLINE shallow_start_values shallow_read_start(const shallow_params p, TRM_IN(real) old,
                                                   TRM_IN(real) first, const int x,
                                                   const int stage, const int is_exact)
{
  shallow_start_values start = { R(0.0), R(0.0), R(0.0), R(0.0), R(0.0) };
  if (is_exact) start.rest = SHALLOW_REST(old)[x];
  if (stage == 1) {
    start.h = SHALLOW_H(first)[x];
    start.hu = SHALLOW_HU(first)[x];
    start.hv = SHALLOW_HV(first)[x];
    if (is_exact) start.h_rest = SHALLOW_REST(first)[x];
  }
  return start;
}

/* A cell's new state from the sums of its fluxes' differences. */
TRM_INLINE real shallow_update_cell(const shallow_params p, const shallow_numbers n,
                                    TRM_OUT(real) to, TRM_IN(real) old,
                                    const shallow_start_values start,
                                    const real dt, const int x, const real dh, const real du,
                                    const real dv, const int stage, const int is_rough,
                                    const int is_exact)
{
  shallow_exact made = { SHALLOW_H(old)[x] - dh, R(0.0) };
  if (is_exact) made = shallow_sum(SHALLOW_H(old)[x], start.rest - dh);
  real h = made.h;
  real hu = SHALLOW_HU(old)[x] - du, hv = SHALLOW_HV(old)[x] - dv;
  made.rest = h < R(0.0) ? made.rest + h : made.rest;
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
    if (is_exact) {
      const shallow_exact both = shallow_sum(start.h, h);
      const shallow_exact mean = shallow_sum(
        R(0.5) * both.h, R(0.5) * ((start.h_rest + made.rest) + both.rest));
      made.rest = mean.h < R(0.0) ? mean.rest + mean.h : mean.rest;
      h = mean.h < R(0.0) ? R(0.0) : mean.h;
    } else h = R(0.5) * (start.h + h);
    hu = R(0.5) * (start.hu + hu);
    hv = R(0.5) * (start.hv + hv);
  }
  hu = shallow_momentum(n, h > n.dry ? hu : R(0.0));
  hv = shallow_momentum(n, h > n.dry ? hv : R(0.0));
  SHALLOW_H(to)[x] = h;
  if (is_exact) SHALLOW_REST(to)[x] = made.rest;
  SHALLOW_HU(to)[x] = hu;
  SHALLOW_HV(to)[x] = hv;
  return stage == 1 ? shallow_speed(n, h, hu, hv, SHALLOW_HLLC) : R(0.0);
}

/* ---- the kernel ------------------------------------------------------------
 *
 * Strips (kernel_strips.h). Spans are short: 1.5 KiB a strip, in a core's first two caches
 * together. A ring has the rows that are fetched: depth, bed, velocities, theta / 2 of 1/depth. */
#undef TRM_SPAN
#define TRM_SPAN (1536 / (int)sizeof(real))
#undef TRM_OVERLAP
#define TRM_OVERLAP 2
#define SHALLOW_STRIPS \
  TRM_RING(h) TRM_RING(z) TRM_RING(u) TRM_RING(v) TRM_RING(i) \
  TRM_PASS(edge_u) TRM_PASS(edge_v) TRM_PASS(tilt_y) \
  TRM_OWN(edge_h) TRM_OWN(rise_y) TRM_WIDE(rise_x_term) \
  TRM_OWN(below_mass) TRM_OWN(below_high) TRM_OWN(below_along) \
  TRM_EITHER(TRM_WIDE(west_h) TRM_OWN(depth_l) TRM_OWN(row_h)) \
  TRM_EITHER(TRM_WIDE(rise_x) TRM_OWN(depth_r) TRM_OWN(row_u)) \
  TRM_EITHER(TRM_WIDE(west_u) TRM_OWN(south_u) TRM_OWN(row_v)) \
  TRM_EITHER(TRM_WIDE(west_v) TRM_OWN(south_v)) \
  TRM_EITHER(TRM_WIDE(east_h) TRM_OWN(face_l) TRM_WIDE(mass)) \
  TRM_EITHER(TRM_OWN(face_r) TRM_WIDE(low)) \
  TRM_EITHER(TRM_WIDE(east_u) TRM_WIDE(high)) \
  TRM_EITHER(TRM_WIDE(east_v) TRM_WIDE(along)) \
  TRM_OWN(speed_l) TRM_OWN(speed_r)
TRM_STRIPS(shallow_strips, SHALLOW_STRIPS)

/* By span, the literal arguments of a simd loop select its work. A depth is copied as its own
 * absolute value, since gcc would copy the row by rep movs, which is slower. The few rows beyond
 * the grid have branches that no simd loop can have. By cell, one loop serves all rows: barriers
 * stand where every item of the group comes by, whatever its own row is. */
#define SHALLOW_FETCH(loop, side) \
  loop(x, 2, 2) { \
    real h, z, along_x, along_y, inverse; \
    shallow_fetch(p, numbers, clock, from, bed, TRM_NX, TRM_BESIDE(x, 0), \
                  TRM_COLUMN(x, TRM_NX + 1), TRM_BEYOND_WEST(x), TRM_BEYOND_EAST(x), side, far, \
                  inside, &h, &z, &along_x, &along_y, &inverse); \
    TRM_PUT(h, x, TRM_BY_SPAN ? trm_fabs(h) : h); \
    TRM_PUT(z, x, z); \
    TRM_PUT(u, x, along_x); \
    TRM_PUT(v, x, along_y); \
    TRM_PUT(i, x, inverse); \
  }
#define SHALLOW_FETCH_HERE \
  if (TRM_BY_SPAN && side == 0) SHALLOW_FETCH(TRM_SEE, 0) \
  else SHALLOW_FETCH(TRM_SEE_SERIAL, side)

/* By span the next row is asked for, since a core's own prefetcher starts anew with each short
 * span, and the row that will be written next. */
#define SHALLOW_ASK_NEXT(from, bed, to) \
  TRM_LINES(x) { \
    trm_prefetch(SHALLOW_H(from) + x); \
    trm_prefetch(SHALLOW_HU(from) + x); \
    trm_prefetch(SHALLOW_HV(from) + x); \
    trm_prefetch((bed) + x); \
    trm_prefetch(SHALLOW_H(to) + x); \
    trm_prefetch(SHALLOW_HU(to) + x); \
    trm_prefetch(SHALLOW_HV(to) + x); \
  }

#define SHALLOW_IS_GIVEN(kind) (SHALLOW_HAS_DISCHARGE && (kind) == SHALLOW_DISCHARGE)
/* The row at hand along y: slopes, both its edges, and the depths at the face to the row before. A
 * face of a given discharge, of the southern or the northern edge, keeps the depth of its cell. */
#define SHALLOW_SLOPES_Y(is_south, is_north) \
  const real h = TRM_HERE(h, x), i = TRM_HERE(i, x); \
  const real along_x = TRM_HERE(u, x), along_y = TRM_HERE(v, x); \
  const real up_h = TRM_NEW(h, x) - h, up_e = up_h + (TRM_NEW(z, x) - TRM_HERE(z, x)); \
  const real down_e = TRM_STEP(h, x) + TRM_STEP(z, x); \
  const real up_u = TRM_NEW(u, x) - along_x, up_v = TRM_NEW(v, x) - along_y; \
  const real sh = trm_limit(numbers.mean, TRM_STEP(h, x), up_h); \
  const real rise = shallow_slope_source(numbers, h, down_e, up_e); \
  const real su = i * trm_limit(numbers.mean, TRM_STEP(u, x), up_u); \
  const real sv = i * trm_limit(numbers.mean, TRM_STEP(v, x), up_v); \
  const real hs = trm_fma(-numbers.steep, sh, h), hn = trm_fma(numbers.steep, sh, h); \
  SHALLOW_FACE_DEPTHS(f, TRM_MINE(edge_h, x), hs, down_e - (TRM_MINE(rise_y, x) + rise)); \
  TRM_MINE(depth_l, x) = is_north ? TRM_MINE(edge_h, x) : f_a; \
  TRM_MINE(depth_r, x) = is_south ? hs : f_b; \
  TRM_MINE(speed_l, x) = f_cl; \
  TRM_MINE(speed_r, x) = f_cr; \
  TRM_MINE(south_u, x) = trm_fma(-hn, su, along_x); \
  TRM_MINE(south_v, x) = trm_fma(-hn, sv, along_y); \
  TRM_MINE(edge_h, x) = hn; \
  TRM_MINE(rise_y, x) = rise; \
  TRM_NEXT(edge_u, x) = trm_fma(hs, su, along_x); \
  TRM_NEXT(edge_v, x) = trm_fma(hs, sv, along_y); \
  TRM_NEXT(tilt_y, x) = numbers.two_g * h * rise; \
  SHALLOW_STEPPED
#define SHALLOW_STEPPED \
  TRM_STEPPED(h, x); TRM_STEPPED(z, x); TRM_STEPPED(u, x); TRM_STEPPED(v, x);
/* The fluxes of that face: the differences of the row before, row_h, row_u and row_v, are complete
 * then. along: the differences along x. is_given: the face has a given discharge, at the southern
 * edge if is_given_south is set, else at the northern edge. */
#define SHALLOW_FACE_Y(along, is_given) \
  SHALLOW_FACE_FLUXES(f, TRM_MINE(depth_l, x), TRM_MINE(depth_r, x), \
                      TRM_MINE(speed_l, x), TRM_MINE(speed_r, x), TRM_LAST(edge_v, x), \
                      TRM_LAST(edge_u, x), TRM_MINE(south_v, x), \
                      TRM_MINE(south_u, x)); \
  real mass = f_mass, low = f_low, high = f_high, swept = f_along; \
  if (is_given) { \
    const int bed_row = is_given_south ? 0 : p.ny - 1, bed_next = is_given_south ? 1 : p.ny - 2; \
    TRM_IN(real) bed_x = beds + p.bed_first + x; \
    const shallow_passage face = shallow_given( \
      numbers, clock[SHALLOW_VALUE + (is_given_south ? 4 : 6) + p.stage], \
      clock[SHALLOW_DEPTH + (is_given_south ? 4 : 6) + p.stage], \
      (bed_x[(trm_index)bed_row * p.bed_row] - bed_x[(trm_index)bed_next * p.bed_row]) * \
        numbers.inv_dy, \
      is_given_south ? TRM_MINE(depth_r, x) : TRM_MINE(depth_l, x), \
      is_given_south ? TRM_MINE(south_v, x) : -TRM_LAST(edge_v, x)); \
    mass = is_given_south ? face.mass : -face.mass; \
    low = high = face.push; \
    swept = face.mass < R(0.0) \
              ? mass * (is_given_south ? TRM_MINE(south_u, x) : TRM_LAST(edge_u, x)) : R(0.0); \
  } \
  TRM_UNUSED const real row_h = along(h) + rate_y * (mass - TRM_MINE(below_mass, x)); \
  TRM_UNUSED const real row_u = along(u) + rate_y * (swept - TRM_MINE(below_along, x)); \
  TRM_UNUSED const real row_v = along(v) + \
    rate_y * ((low - TRM_MINE(below_high, x)) + TRM_LAST(tilt_y, x)); \
  TRM_MINE(below_mass, x) = mass; \
  TRM_MINE(below_high, x) = high; \
  TRM_MINE(below_along, x) = swept;
#define SHALLOW_KEEP(h, u, v) \
  TRM_MINE(row_h, x) = h; \
  TRM_MINE(row_u, x) = u; \
  TRM_MINE(row_v, x) = v;
#define SHALLOW_KEPT(name) TRM_MINE(row_##name, x)
/* A row's differences along x. */
#define SHALLOW_X(name) SHALLOW_X_##name
#define SHALLOW_X_h (rate_x * (TRM_SEEN(mass, x) - TRM_SEEN(mass, x - 1)))
#define SHALLOW_X_u \
  (rate_x * ((TRM_SEEN(low, x) - TRM_SEEN(high, x - 1)) + TRM_SEEN(rise_x_term, x)))
#define SHALLOW_X_v (rate_x * (TRM_SEEN(along, x) - TRM_SEEN(along, x - 1)))

/* By span there are several short loops, since one loop of many dependent operations would fill a
 * core's window. A row's values along x stay in strips until the next iteration. By cell it stays
 * in registers. */
#define SHALLOW_UPDATE_CELL(stage, is_rough, is_exact) \
  const real most = shallow_update_cell( \
    p, numbers, to, old, \
    TRM_BY_SPAN ? shallow_read_start(p, old, first, x, stage, is_exact) : start, dt, x, \
    row_h, row_u, row_v, stage, is_rough, is_exact); \
  if (stage) TRM_ADD(speed, x) = trm_more(TRM_ADD(speed, x), most);
#define SHALLOW_FINISH(stage) TRM_CELLS(x) { \
    SHALLOW_FACE_Y(SHALLOW_X, 0) \
    SHALLOW_UPDATE_CELL(stage, 0, 0) \
  }
#define SHALLOW_FACE_FIRST(loop, is_given) loop(x) { /* friction is long */ \
    SHALLOW_FACE_Y(SHALLOW_X, is_given) \
    SHALLOW_KEEP(row_h, row_u, row_v) \
  }
#define SHALLOW_FINISH_KEPT(stage, is_rough, is_exact) TRM_CELLS(x) { \
    const real row_h = SHALLOW_KEPT(h), row_u = SHALLOW_KEPT(u), row_v = SHALLOW_KEPT(v); \
    SHALLOW_UPDATE_CELL(stage, is_rough, is_exact) \
  }
#define SHALLOW_FINISH_STAGE(is_rough, is_exact) \
  if (p.stage == 1) SHALLOW_FINISH_KEPT(1, is_rough, is_exact) \
  else SHALLOW_FINISH_KEPT(0, is_rough, is_exact)
#define SHALLOW_FINISH_HERE \
  if (!TRM_BY_SPAN) SHALLOW_FINISH_KEPT(p.stage, SHALLOW_IS_ROUGH, SHALLOW_IS_EXACT) \
  else if (SHALLOW_IS_ROUGH || SHALLOW_IS_EXACT || is_given_north) { \
    if (is_given_north) SHALLOW_FACE_FIRST(TRM_SERIAL_CELLS, 1) \
    else SHALLOW_FACE_FIRST(TRM_CELLS, 0) \
    if (SHALLOW_IS_ROUGH && SHALLOW_IS_EXACT) { SHALLOW_FINISH_STAGE(1, 1) } \
    else if (SHALLOW_IS_EXACT) { SHALLOW_FINISH_STAGE(0, 1) } \
    else if (SHALLOW_IS_ROUGH) { SHALLOW_FINISH_STAGE(1, 0) } \
    else { SHALLOW_FINISH_STAGE(0, 0) } \
  } \
  else if (p.stage == 1) SHALLOW_FINISH(1) \
  else SHALLOW_FINISH(0)

/* The row at hand along x: slopes and both its edges, */
#define SHALLOW_SLOPES_X \
  const real h = TRM_HERE(h, x), i = TRM_HERE(i, x); \
  const real along_x = TRM_HERE(u, x), along_y = TRM_HERE(v, x); \
  const real sh = SHALLOW_LIMIT_X(h, h); \
  const real rise = shallow_slope_source(numbers, h, SHALLOW_RISE_X(x - 1, x), \
                                         SHALLOW_RISE_X(x, x + 1)); \
  const real su = i * SHALLOW_LIMIT_X(u, along_x), sv = i * SHALLOW_LIMIT_X(v, along_y); \
  const real hw = trm_fma(-numbers.steep, sh, h), he = trm_fma(numbers.steep, sh, h); \
  TRM_SEEN(rise_x_term, x) = numbers.two_g * h * rise; \
  TRM_SEEN(rise_x, x) = rise; \
  TRM_SEEN(west_h, x) = hw; \
  TRM_SEEN(west_u, x) = trm_fma(-he, su, along_x); \
  TRM_SEEN(west_v, x) = trm_fma(-he, sv, along_y); \
  TRM_SEEN(east_h, x) = he; \
  TRM_SEEN(east_u, x) = trm_fma(hw, su, along_x); \
  TRM_SEEN(east_v, x) = trm_fma(hw, sv, along_y);
#define SHALLOW_LIMIT_X(name, here) \
  trm_limit(numbers.mean, here - TRM_HERE(name, x - 1), TRM_HERE(name, x + 1) - here)
#define SHALLOW_RISE_X(from, to) \
  ((TRM_HERE(h, to) - TRM_HERE(h, from)) + (TRM_HERE(z, to) - TRM_HERE(z, from)))
/* the depths at the face to the next cell, and its fluxes. */
#define SHALLOW_DEPTHS_X \
  SHALLOW_FACE_DEPTHS(f, TRM_SEEN(east_h, x), TRM_SEEN(west_h, x + 1), \
                      SHALLOW_RISE_X(x, x + 1) - (TRM_SEEN(rise_x, x) + TRM_SEEN(rise_x, x + 1)));
#define SHALLOW_FLUXES_X \
  SHALLOW_FACE_FLUXES(f, f_a, f_b, f_cl, f_cr, TRM_SEEN(east_u, x), TRM_SEEN(east_v, x), \
                      TRM_SEEN(west_u, x + 1), TRM_SEEN(west_v, x + 1)); \
  TRM_SEEN(mass, x) = f_mass; \
  TRM_SEEN(low, x) = f_low; \
  TRM_SEEN(high, x) = f_high; \
  TRM_SEEN(along, x) = f_along;

/* The row's first and last cells, where it meets the western and the eastern edge. The faces of a
 * given discharge are computed from the cells' edges, whose strips the fluxes use on a host. They
 * are put in the fluxes' place after the fluxes. */
#if TRM_BY_SPAN
#define SHALLOW_ENDS(x) \
  for (int x = TRM_FIRST == 0 ? 0 : p.nx - 1; x <= TRM_FINAL; x += p.nx - 1)
#else
#define SHALLOW_ENDS(x) TRM_CELLS(x) if (x == 0 || x == p.nx - 1)
#endif
#define SHALLOW_GIVE_X(x) \
  if (x == 0 && SHALLOW_IS_GIVEN(p.west)) \
    west = shallow_given(numbers, clock[SHALLOW_VALUE + p.stage], \
                         clock[SHALLOW_DEPTH + p.stage], \
                         (TRM_HERE(z, x) - TRM_HERE(z, x + 1)) * numbers.inv_dx, \
                         TRM_SEEN(west_h, x), TRM_SEEN(west_u, x)); \
  if (x == p.nx - 1 && SHALLOW_IS_GIVEN(p.east)) \
    east = shallow_given(numbers, clock[SHALLOW_VALUE + 2 + p.stage], \
                         clock[SHALLOW_DEPTH + 2 + p.stage], \
                         (TRM_HERE(z, x) - TRM_HERE(z, x - 1)) * numbers.inv_dx, \
                         TRM_SEEN(east_h, x), -TRM_SEEN(east_u, x)); \
  if (x == p.nx - 1) east_swept = TRM_SEEN(east_v, x);
#define SHALLOW_TAKE_X(x) \
  if (x == 0 && SHALLOW_IS_GIVEN(p.west)) { \
    TRM_SEEN(mass, x - 1) = west.mass; \
    TRM_SEEN(high, x - 1) = west.push; \
    TRM_SEEN(along, x - 1) = west.mass < R(0.0) ? west.mass * TRM_SEEN(west_v, x) : R(0.0); \
  } \
  if (x == p.nx - 1 && SHALLOW_IS_GIVEN(p.east)) { \
    TRM_SEEN(mass, x) = -east.mass; \
    TRM_SEEN(low, x) = east.push; \
    TRM_SEEN(along, x) = east.mass < R(0.0) ? -east.mass * east_swept : R(0.0); \
  }
#define SHALLOW_BOOK_X(x, y) \
  if (x == 0 && p.west != SHALLOW_WALL) \
    shallow_book(book + SHALLOW_BOOK_WEST(y), rate_x, TRM_SEEN(mass, x - 1)); \
  if (x == p.nx - 1 && p.east != SHALLOW_WALL) \
    shallow_book(book + SHALLOW_BOOK_EAST(y), rate_x, TRM_SEEN(mass, x));

/* CUDA: more resident items hide the roots' and reciprocals' latency, at the price of registers in
 * memory. With the constants of shallow_common.h, an H200 is 1.18 (f32) and 1.6 (f64) times as
 * fast. */
#undef TRM_RESIDENT
#define TRM_RESIDENT (TRM_F64_KERNEL ? 768 : 1152)
/* Halo 1: a block of p.rows rows, at least 2, reads two rows of the neighbouring blocks. u: the
 * begin of the stage. v: the result of the stage; in stage 1 it first holds the state at the step's
 * begin. */
TRM_ROW_KERNEL6(shallow_hllc, 1, shallow_params, TRM_RO(real) u, TRM_RW(real) v, TRM_RO(real) beds,
                TRM_RO(real) clock, TRM_RW(real) part, TRM_RW(real) book)
{
  TRM_ROW(block);
  const int y0 = (int)block * p.rows;
  const int rows = TRM_UNIFORM_ROWS(y0 + p.rows < p.ny ? p.rows : p.ny - y0, p.rows);
  const real dt = clock[SHALLOW_DT], rate_x = dt * p.inv_dx, rate_y = dt * p.inv_dy;
  TRM_STRIPS_HERE(shallow_strips, SHALLOW_STRIPS);
  SHALLOW_NUMBERS(numbers);
  TRM_LEAVES(speed);

  if (clock[SHALLOW_LIVE] > R(0.0)) {
    TRM_CELLS(x) {
      TRM_ADD(speed, x) = R(0.0);
      TRM_MINE(below_mass, x) = R(0.0);
      TRM_MINE(below_high, x) = R(0.0);
      TRM_MINE(below_along, x) = R(0.0);
      TRM_MINE(edge_h, x) = R(0.0);
      TRM_MINE(rise_y, x) = R(0.0);
    }
    if (TRM_BY_SPAN)
      TRM_SEE(x, 1, 0) { /* no fluxes yet */
        TRM_SEEN(mass, x) = TRM_SEEN(low, x) = TRM_SEEN(high, x) = R(0.0);
        TRM_SEEN(along, x) = TRM_SEEN(rise_x_term, x) = R(0.0);
      }
    TRM_ROW_LOOP(rows + 4) {
      const int row_step = TRM_ROW_STEP;
      const int k = y0 - 2 + row_step, side = k < 0 ? 1 : k >= p.ny ? 2 : 0;
      const int inside = k < 0 ? 0 : k >= p.ny ? p.ny - 1 : k;
      const int row = k > p.ny + 1 ? p.ny + 1 : k; /* the bed's last */
      const int far = k < 0 ? -1 - k : row - p.ny, before = k - 2, y = k - 1; /* y: at hand */
      /* the face to the row before is one of a given discharge */
      const int is_given_south = y == 0 && SHALLOW_IS_GIVEN(p.south);
      const int is_given_north = y == p.ny && SHALLOW_IS_GIVEN(p.north);
      TRM_IN(real) from = u + p.first + (trm_index)inside * p.row;
      TRM_IN(real) bed = beds + p.bed_first + (trm_index)row * p.bed_row;
      const int is_ready = row_step > 3 && before < p.ny;
      const trm_index at = p.first + (trm_index)before * p.row;
      SHALLOW_FETCH_HERE
      SHALLOW_ASK_NEXT(from + p.row, bed + p.bed_row, v + p.first + (trm_index)(before + 1) * p.row)
      shallow_start_values start = { R(0.0), R(0.0), R(0.0), R(0.0), R(0.0) };
      if (!TRM_BY_SPAN && is_ready)
        TRM_SERIAL_CELLS(x) {       /* an item's own cell; a host reads later */
          start = shallow_read_start(p, u + at, v + at, x, p.stage, SHALLOW_IS_EXACT);
        }
      if (TRM_BY_SPAN) {
        if (row_step > 1 && (is_given_south || is_given_north))
          TRM_SERIAL_CELLS(x) { SHALLOW_SLOPES_Y(is_given_south, is_given_north) }
        else if (row_step > 1)
          TRM_CELLS(x) { SHALLOW_SLOPES_Y(0, 0) }
        if (row_step == 3 && is_given_south)
          TRM_SERIAL_CELLS(x) { SHALLOW_FACE_Y(SHALLOW_X, 1) }
        else if (row_step == 3)
          TRM_CELLS(x) { SHALLOW_FACE_Y(SHALLOW_X, 0) }
      }
      if (!TRM_BY_SPAN) {
        if (row_step == 1)
          TRM_CELLS(x) { SHALLOW_STEPPED }
        if (row_step > 1)
          TRM_CELLS(x) {
            SHALLOW_SLOPES_Y(is_given_south, is_given_north)
            if (row_step > 2) {
              SHALLOW_FACE_Y(SHALLOW_KEPT, is_given_south || is_given_north)
              SHALLOW_KEEP(row_h, row_u, row_v)
            }
            TRM_PASSED(edge_u, x);
            TRM_PASSED(edge_v, x);
            TRM_PASSED(tilt_y, x);
          }
      }
      if (is_ready) {
        TRM_OUT(real) to = v + at;
        TRM_IN(real) old = u + at;
        TRM_UNUSED TRM_IN(real) first = v + at;
        SHALLOW_FINISH_HERE
        SHALLOW_GHOSTS(to, beds + p.bed_first + (trm_index)before * p.bed_row, before, 1);
      }
      if (row_step > 2 && y == 0 && p.south != SHALLOW_WALL)
        TRM_SERIAL_CELLS(x) {
          shallow_book(book + SHALLOW_BOOK_SOUTH(x), rate_y, TRM_MINE(below_mass, x));
        }
      if (row_step > 2 && y == p.ny && p.north != SHALLOW_WALL)
        TRM_SERIAL_CELLS(x) {
          shallow_book(book + SHALLOW_BOOK_NORTH(x), rate_y, TRM_MINE(below_mass, x));
        }
      if (row_step > 2 && row_step < rows + 3) {
        shallow_passage west = { R(0.0), R(0.0) }, east = { R(0.0), R(0.0) };
        real east_swept = R(0.0);
        TRM_SEE(x, 1, 1) { SHALLOW_SLOPES_X }
        if (TRM_BY_SPAN) {
          SHALLOW_ENDS(x) { SHALLOW_GIVE_X(x) }
          TRM_SEE(x, 1, 0) {
            SHALLOW_DEPTHS_X
            TRM_MINE(face_l, x) = f_a;
            TRM_MINE(face_r, x) = f_b;
            TRM_MINE(speed_l, x) = f_cl;
            TRM_MINE(speed_r, x) = f_cr;
          }
          TRM_SEE(x, 1, 0) {
            const real f_a = TRM_MINE(face_l, x), f_b = TRM_MINE(face_r, x);
            const real f_cl = TRM_MINE(speed_l, x), f_cr = TRM_MINE(speed_r, x);
            SHALLOW_FLUXES_X
          }
          SHALLOW_ENDS(x) { SHALLOW_TAKE_X(x) SHALLOW_BOOK_X(x, y) }
        }
        if (!TRM_BY_SPAN) {
          TRM_SEE(x, 1, 0) { SHALLOW_DEPTHS_X SHALLOW_FLUXES_X }
          if (y < p.ny) SHALLOW_ENDS(x) { SHALLOW_GIVE_X(x) SHALLOW_TAKE_X(x) SHALLOW_BOOK_X(x, y) }
          TRM_CELLS(x) { SHALLOW_KEEP(SHALLOW_X_h, SHALLOW_X_u, SHALLOW_X_v) }
        }
      }
    }
    if (p.stage == 1) TRM_FOLD_MAX(speed, part + block * TRM_LEAVES_OF(TRM_NX));
  }
}
#undef TRM_OVERLAP
#define TRM_OVERLAP 0
#undef TRM_SPAN
#define TRM_SPAN 512
#undef TRM_RESIDENT
#define TRM_RESIDENT 0
