/* HLLC with hydrostatic reconstruction (Audusse et al. 2004), limited slopes in space, one stage of the
 * two of a strong-stability-preserving Runge-Kutta step.
 *
 * A launch's row is a block of p.rows rows, taken from south to north: what a row and its southern
 * neighbour have in common, differences and the fluxes between them, is kept for the next row.
 * Pairs are added west-east and south-north first, so that mirrored and transposed problems give
 * mirrored and transposed bits. */

/* Slope over half a cell in units of theta / 2: generalised minmod of the differences to either side, by
 * selections alone: a product of the two would be subnormal where they are small, which is slow. */
TRM_INLINE real shallow_limit(const real mean, const real a, const real b)
{
  const real up = shallow_max(shallow_min(a, b), R(0.0)), down = shallow_min(shallow_max(a, b), R(0.0));
  return shallow_max(shallow_min(mean * (a + b), up), down);
}

/* One cell's depth, surface, velocity and theta / 2 of 1/depth (0 where dry) at column x of a row. is_west and
 * is_east: x lies beyond that edge. side: the row lies beyond the southern edge (1), the northern
 * one (2), and is the first or second there (far); `from` is then the last row inside. bed: the row's
 * own. i: x, or a column inside; column: x, or one that the bed has. */
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
                     clock[SHALLOW_VALUE + at + p.stage], clock[SHALLOW_DEPTH + at + p.stage], far, z,
                     shallow_along(p, from, bed_near, i),
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

/* The flux through a face between two reconstructed states (depth, surface, velocity across and
 * along), as constants f_mass, f_low and f_high (momentum across less the pressure g h*^2 / 2 of either
 * side) and f_along. What the surface does inside a cell is the cell's own business, so a lake at rest
 * leaves nothing here. With pl = ul + 2 cl and pr = ur - 2 cr, the fronts on a dry bed, Einfeldt's
 * u* - c* and u* + c* are a quarter of the way from one to the other. A depth at a face is at least
 * SHALLOW_TRACE, a speed 1e-15: roots and reciprocals are of normal numbers. No product of a difference
 * is fused: the mirror image has the same bits. (No selection joins two conditions: gcc's simd loops end
 * there.) */
#define SHALLOW_TRACE R(1e-20)
#define SHALLOW_FACE(f, hl, el, ul, vl, hr, er, ur, vr) \
  const real f##_z = shallow_max((el) - (hl), (er) - (hr)); \
  const real f##_a = shallow_max(shallow_min(hl, (el) - f##_z), SHALLOW_TRACE); \
  const real f##_b = shallow_max(shallow_min(hr, (er) - f##_z), SHALLOW_TRACE); \
  const real f##_cl = shallow_root(numbers.g * f##_a), f##_cr = shallow_root(numbers.g * f##_b); \
  const real f##_pl = trm_fma(R(2.0), f##_cl, ul), f##_pr = trm_fma(R(-2.0), f##_cr, ur); \
  const real f##_way = f##_pl - f##_pr; \
  const real f##_slow = shallow_min((ul) - f##_cl, trm_fma(R(0.25), f##_way, f##_pr)); \
  const real f##_fast = shallow_max((ur) + f##_cr, trm_fma(R(-0.25), f##_way, f##_pl)); \
  const real f##_sl = shallow_min(f##_a > SHALLOW_TRACE ? f##_slow : f##_pr, R(-1e-15)); \
  const real f##_sr = shallow_max(f##_b > SHALLOW_TRACE ? f##_fast : f##_pl, R(1e-15)); \
  const real f##_inverse = shallow_reciprocal(f##_sr - f##_sl); \
  const real f##_ql = f##_a * (ul), f##_qr = f##_b * (ur), f##_product = f##_sl * f##_sr; \
  const real f##_ml = f##_sr * f##_ql, f##_mr = f##_sl * f##_qr; \
  const real f##_rise = f##_b - f##_a, f##_dp = numbers.half_g * (f##_b + f##_a) * f##_rise; \
  const real f##_mass = trm_fma(f##_product, f##_rise, f##_ml - f##_mr) * f##_inverse; \
  const real f##_base = trm_fma(f##_product, f##_qr - f##_ql, f##_ml * (ul) - f##_mr * (ur)); \
  const real f##_low = trm_fma(-f##_sl, f##_dp, f##_base) * f##_inverse; \
  const real f##_high = trm_fma(-f##_sr, f##_dp, f##_base) * f##_inverse; \
  const real f##_along = f##_mass * (f##_mass >= R(0.0) ? (vl) : (vr))

/* A cell's new state from the sums of its fluxes' differences; first: its state at the step's begin. */
TRM_INLINE real shallow_settle(const shallow_params p, const shallow_numbers n, TRM_OUT(real) to, TRM_IN(real) old,
                               TRM_IN(real) first, const real dt, const int x, const real dh,
                               const real du, const real dv, const int stage, const int is_rough)
{
  real h = SHALLOW_H(old)[x] - dh;
  real hu = SHALLOW_HU(old)[x] - du, hv = SHALLOW_HV(old)[x] - dv;
  h = shallow_max(h, R(0.0));
  if (is_rough) {
    const int is_wet = h > n.dry;
    const real depth = is_wet ? h : R(1.0);
    const real q = shallow_near_sqrt(hu * hu + hv * hv);
    const real most = dt * n.friction * q * shallow_near_reciprocal(depth * depth * shallow_cbrt(depth));
    const real drag = shallow_min(most, R(1e30)); /* roots and reciprocals are of finite numbers */
    /* q' = q - drag |q'| q' / |q|: implicit without a remainder, so that steady flows are steady */
    const real root = shallow_near_sqrt(trm_fma(R(4.0), drag, R(1.0)));
    const real keep = R(2.0) * shallow_near_reciprocal(R(1.0) + root);
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

/* ---- rows ------------------------------------------------------------------
 *
 * A row is fetched, and becomes the row at hand when the next one is fetched: both lie in a pair of strips
 * that reach two cells beyond the cells at hand. A host computes each cell of a strip once, and so does a
 * GPU with warps: strips lie in the group's shared memory, its first items compute what lies beyond the
 * group as well. A barrier ends each reach, so what stands around it is uniform in the group. Elsewhere an
 * item computes the cells about its own. */
#if defined(TRM_CUDA) || defined(__NV_CL_C_VERSION)
#if defined(TRM_CUDA)
#define SHALLOW_SHARED __shared__
#define SHALLOW_SYNC __syncthreads()
#else
#define SHALLOW_SHARED __local
#define SHALLOW_SYNC barrier(CLK_LOCAL_MEM_FENCE)
#endif
#define SHALLOW_STRIP(name) SHALLOW_SHARED real name[TRM_ROW_GY][TRM_ROW_GX + 8]
#define SHALLOW_ON(name, x) name[TRM_LOCAL_Y][(x) - TRM_BLOCK_X * TRM_ROW_GX + 4]
#define SHALLOW_PAIR(name) /* the newest row stays in registers too */ \
  SHALLOW_SHARED real name[2][TRM_ROW_GY][TRM_ROW_GX + 8]; \
  TRM_UNUSED real name##_new = R(0.0)
#define SHALLOW_PUT(name, x, value) SHALLOW_ON(name[turn & 1], x) = name##_new = (value)
#define SHALLOW_NEW(name, x) name##_new
#define SHALLOW_BEYOND(west) \
  (TRM_BLOCK_X * TRM_ROW_GX + \
   (TRM_LOCAL_X < (west) ? -1 - TRM_LOCAL_X : TRM_ROW_GX + TRM_LOCAL_X - (west)))
/* what lies beyond first, so that an item's registers end with its own cell */
#define SHALLOW_REACH(x, west, east) \
  for (int trm_once = 1; trm_once; trm_once = 0, SHALLOW_SYNC) \
    _Pragma("unroll 1") for (int trm_left = TRM_LOCAL_X < (west) + (east), \
                                 x = trm_left ? SHALLOW_BEYOND(west) : trm_x; \
                             trm_left >= 0; trm_left--, x = trm_x)
#define SHALLOW_ROWS p.rows
#else
#define SHALLOW_STRIP(name) TRM_STRIP(name)
#define SHALLOW_ON(name, x) TRM_ON(name, x)
#if defined(TRM_HOST)
/* Short spans, and strips that take the place of those no longer needed: the strips of a span, 1.5 KiB
 * each, stay in a core's first two caches. */
#undef TRM_SPAN
#define TRM_SPAN (1536 / (int)sizeof(real))
#define SHALLOW_STRIP_OVER(name, done) real *const name = done
#define SHALLOW_KEEP_OVER(name, done) real *const name = done
#define SHALLOW_PAIR(name) real name[2][TRM_SPAN + 2 * TRM_STRIP_PAD] __attribute__((aligned(64)))
#else
#define SHALLOW_PAIR(name) real name[2][9]
#endif
#define SHALLOW_PUT(name, x, value) TRM_ON(name[turn & 1], x) = (value)
#define SHALLOW_NEW(name, x) TRM_ON(name[turn & 1], x)
#define SHALLOW_REACH(x, west, east) TRM_REACH(x, west, east)
#define SHALLOW_ROWS (y0 + p.rows < p.ny ? p.rows : p.ny - y0)
#endif
#define SHALLOW_AT(name, x) SHALLOW_ON(name[(turn + 1) & 1], x) /* of the row at hand */
#if !defined(TRM_HOST)
#define SHALLOW_STRIP_OVER(name, done) SHALLOW_STRIP(name)
#define SHALLOW_KEEP_OVER(name, done) TRM_KEEP(name)
#endif
/* A host asks for the next row, since a core's own prefetcher starts anew with each short span. */
#if defined(TRM_HOST)
#define SHALLOW_ASK_ROW(u, bed) \
  for (int x = trm_begin; x < trm_end; x += TRM_STRIP_PAD) { \
    SHALLOW_ASK(SHALLOW_H(u) + x); \
    SHALLOW_ASK(SHALLOW_HU(u) + x); \
    SHALLOW_ASK(SHALLOW_HV(u) + x); \
    SHALLOW_ASK((bed) + x); \
  }
#else
#define SHALLOW_ASK_ROW(u, bed)
#endif
/* The few rows beyond the grid have branches that no simd loop can have. */
#if defined(TRM_HOST)
#define SHALLOW_EDGE_REACH(x, west, east) \
  for (int x = trm_begin - (west); x < trm_end + (east); x++)
#define SHALLOW_COLUMN(x) (x)
#else
#define SHALLOW_EDGE_REACH SHALLOW_REACH
#define SHALLOW_COLUMN(x) ((x) > TRM_NX + 1 ? TRM_NX + 1 : (x)) /* items beyond the grid */
#endif

#define SHALLOW_FETCH(loop, side) \
  loop(x, 2, 2) { \
    real h, e, along_x, along_y, inverse; \
    shallow_fetch(p, numbers, clock, from, bed, TRM_NX, TRM_BESIDE(x, 0), SHALLOW_COLUMN(x), \
                  TRM_BEYOND_WEST(x), TRM_BEYOND_EAST(x), side, far, &h, &e, &along_x, &along_y, \
                  &inverse); \
    SHALLOW_PUT(rows_h, x, h); \
    SHALLOW_PUT(rows_e, x, e); \
    SHALLOW_PUT(rows_u, x, along_x); \
    SHALLOW_PUT(rows_v, x, along_y); \
    SHALLOW_PUT(rows_i, x, inverse); \
  }

/* A host's simd loop knows by a literal that it is inside; a GPU's barriers stand where every item of the
 * group comes by, whatever its own row is. */
#if defined(TRM_HOST)
#define SHALLOW_FETCH_HERE \
  if (side == 0) SHALLOW_FETCH(SHALLOW_REACH, 0) \
  else SHALLOW_FETCH(SHALLOW_EDGE_REACH, side)
#else
#define SHALLOW_FETCH_HERE SHALLOW_FETCH(SHALLOW_REACH, side)
#endif


/* The row at hand along y, in short loops on a host, where a long one waits for its own results: slopes, */
#define SHALLOW_SLOPES_Y { \
    const real h = SHALLOW_AT(rows_h, x), e = SHALLOW_AT(rows_e, x), i = SHALLOW_AT(rows_i, x); \
    const real along_x = SHALLOW_AT(rows_u, x), along_y = SHALLOW_AT(rows_v, x); \
    const real up_h = SHALLOW_NEW(rows_h, x) - h, up_e = SHALLOW_NEW(rows_e, x) - e; \
    const real up_u = SHALLOW_NEW(rows_u, x) - along_x, up_v = SHALLOW_NEW(rows_v, x) - along_y; \
    const real sh = shallow_limit(numbers.mean, TRM_KEPT(step_h, x), up_h); \
    TRM_KEPT(south_h, x) = trm_fma(-numbers.steep, sh, h); \
    TRM_KEPT(north_h, x) = trm_fma(numbers.steep, sh, h); \
    TRM_KEPT(slope_e, x) = shallow_limit(numbers.mean, TRM_KEPT(step_e, x), up_e); \
    TRM_KEPT(slope_u, x) = i * shallow_limit(numbers.mean, TRM_KEPT(step_u, x), up_u); \
    TRM_KEPT(slope_v, x) = i * shallow_limit(numbers.mean, TRM_KEPT(step_v, x), up_v); \
    TRM_KEPT(step_h, x) = up_h; \
    TRM_KEPT(step_e, x) = up_e; \
    TRM_KEPT(step_u, x) = up_u; \
    TRM_KEPT(step_v, x) = up_v; \
  }
/* the face between it and the row before, whose differences of fluxes are complete then, */
#define SHALLOW_FACE_Y { \
    const real hs = TRM_KEPT(south_h, x), hn = TRM_KEPT(north_h, x); \
    const real es = trm_fma(-numbers.steep, TRM_KEPT(slope_e, x), SHALLOW_AT(rows_e, x)); \
    const real us = trm_fma(-hn, TRM_KEPT(slope_u, x), SHALLOW_AT(rows_u, x)); \
    const real vs = trm_fma(-hn, TRM_KEPT(slope_v, x), SHALLOW_AT(rows_v, x)); \
    SHALLOW_FACE(f, TRM_KEPT(edge_h, x), TRM_KEPT(edge_e, x), TRM_KEPT(edge_v, x), \
                 TRM_KEPT(edge_u, x), hs, es, vs, us); \
    TRM_KEPT(row_h, x) += rate_y * (f_mass - TRM_KEPT(below_mass, x)); \
    TRM_KEPT(row_u, x) += rate_y * (f_along - TRM_KEPT(below_along, x)); \
    TRM_KEPT(row_v, x) += rate_y * ((f_low - TRM_KEPT(below_high, x)) + TRM_KEPT(tilt_y, x)); \
    TRM_KEPT(below_mass, x) = f_mass; \
    TRM_KEPT(below_high, x) = f_high; \
    TRM_KEPT(below_along, x) = f_along; \
  }
/* and its own side of the face to the next row. */
#define SHALLOW_EDGE_Y { \
    TRM_KEPT(edge_h, x) = TRM_KEPT(north_h, x); \
    TRM_KEPT(edge_e, x) = trm_fma(numbers.steep, TRM_KEPT(slope_e, x), SHALLOW_AT(rows_e, x)); \
    TRM_KEPT(edge_u, x) = trm_fma(TRM_KEPT(south_h, x), TRM_KEPT(slope_u, x), SHALLOW_AT(rows_u, x)); \
    TRM_KEPT(edge_v, x) = trm_fma(TRM_KEPT(south_h, x), TRM_KEPT(slope_v, x), SHALLOW_AT(rows_v, x)); \
    TRM_KEPT(tilt_y, x) = numbers.slant * SHALLOW_AT(rows_h, x) * TRM_KEPT(slope_e, x); \
  }
#define SHALLOW_FINISH(stage, is_rough) TRM_CELLS(x) { \
    const real most = shallow_settle(p, numbers, to, old, first, dt, x, TRM_KEPT(row_h, x), \
                                     TRM_KEPT(row_u, x), TRM_KEPT(row_v, x), stage, is_rough); \
    if (stage) TRM_ADD(speed, x) = trm_more(TRM_ADD(speed, x), most); \
  }
/* A host's simd loops know by literals what they do. */
#if defined(TRM_HOST)
#define SHALLOW_FINISH_HERE \
  if (p.stage == 1 && p.friction > R(0.0)) SHALLOW_FINISH(1, 1) \
  else if (p.stage == 1) SHALLOW_FINISH(1, 0) \
  else if (p.friction > R(0.0)) SHALLOW_FINISH(0, 1) \
  else SHALLOW_FINISH(0, 0)
#else
#define SHALLOW_FINISH_HERE SHALLOW_FINISH(p.stage, p.friction > R(0.0))
#endif

/* Halo 1: a block of p.rows rows, of which there are at least 2, reads two rows of those beside it.
 * u: what the stage starts from; v: what it writes, and in stage 1 the state at the step's begin. */
TRM_ROW_KERNEL5(shallow_hllc, 1, shallow_params, TRM_RO(real) u, TRM_RW(real) v, TRM_RO(real) beds,
                TRM_RO(real) clock, TRM_RW(real) part)
{
  TRM_ROW(block);
  const int y0 = (int)block * p.rows, rows = SHALLOW_ROWS;
  const real dt = clock[SHALLOW_DT], rate_x = dt * p.inv_dx, rate_y = dt * p.inv_dy;
  SHALLOW_PAIR(rows_h); SHALLOW_PAIR(rows_e); SHALLOW_PAIR(rows_u); SHALLOW_PAIR(rows_v);
  SHALLOW_PAIR(rows_i);
  SHALLOW_STRIP(west_h); SHALLOW_STRIP(west_e); SHALLOW_STRIP(west_u); SHALLOW_STRIP(west_v);
  SHALLOW_STRIP(east_h); SHALLOW_STRIP(east_e); SHALLOW_STRIP(east_u); SHALLOW_STRIP(east_v);
  SHALLOW_STRIP_OVER(mass, east_h); SHALLOW_STRIP_OVER(low, east_e);
  SHALLOW_STRIP_OVER(high, east_u); SHALLOW_STRIP_OVER(along, east_v);
  SHALLOW_STRIP(tilt_x);
  TRM_KEEP(step_h); TRM_KEEP(step_e); TRM_KEEP(step_u); TRM_KEEP(step_v);
  SHALLOW_KEEP_OVER(south_h, east_h); SHALLOW_KEEP_OVER(north_h, west_h);
  SHALLOW_KEEP_OVER(slope_e, west_e); SHALLOW_KEEP_OVER(slope_u, west_u);
  SHALLOW_KEEP_OVER(slope_v, west_v);
  TRM_KEEP(edge_h); TRM_KEEP(edge_e); TRM_KEEP(edge_u); TRM_KEEP(edge_v); TRM_KEEP(tilt_y);
  TRM_KEEP(below_mass); TRM_KEEP(below_high); TRM_KEEP(below_along);
  TRM_KEEP(row_h); TRM_KEEP(row_u); TRM_KEEP(row_v);
  SHALLOW_NUMBERS(numbers);
  TRM_LEAVES(speed);

  if (clock[SHALLOW_LIVE] > R(0.0)) {
    TRM_CELLS(x) {
      TRM_ADD(speed, x) = R(0.0);
      TRM_KEPT(row_h, x) = R(0.0);
      TRM_KEPT(row_u, x) = R(0.0);
      TRM_KEPT(row_v, x) = R(0.0);
      TRM_KEPT(below_mass, x) = R(0.0);
      TRM_KEPT(below_high, x) = R(0.0);
      TRM_KEPT(below_along, x) = R(0.0);
    }
    for (int turn = 0; turn < rows + 4; turn++) {
      const int k = y0 - 2 + turn, side = k < 0 ? 1 : k >= p.ny ? 2 : 0;
      const int inside = k < 0 ? 0 : k >= p.ny ? p.ny - 1 : k;
      const int row = k > p.ny + 1 ? p.ny + 1 : k; /* the bed's last */
      const int far = k < 0 ? -1 - k : row - p.ny;
      TRM_IN(real) from = u + p.first + (trm_index)inside * p.row;
      TRM_IN(real) bed = beds + p.bed_first + (trm_index)row * p.bed_row;
      SHALLOW_FETCH_HERE
      SHALLOW_ASK_ROW(from + p.row, bed + p.bed_row)

      if (turn == 1)
        TRM_CELLS(x) {
          TRM_KEPT(step_h, x) = SHALLOW_NEW(rows_h, x) - SHALLOW_AT(rows_h, x);
          TRM_KEPT(step_e, x) = SHALLOW_NEW(rows_e, x) - SHALLOW_AT(rows_e, x);
          TRM_KEPT(step_u, x) = SHALLOW_NEW(rows_u, x) - SHALLOW_AT(rows_u, x);
          TRM_KEPT(step_v, x) = SHALLOW_NEW(rows_v, x) - SHALLOW_AT(rows_v, x);
        }
#if defined(TRM_HOST)
      if (turn > 1) TRM_CELLS(x) SHALLOW_SLOPES_Y
      if (turn > 2) TRM_CELLS(x) SHALLOW_FACE_Y
      if (turn > 1) TRM_CELLS(x) SHALLOW_EDGE_Y
#else
      if (turn > 1) TRM_CELLS(x) {
        SHALLOW_SLOPES_Y
        if (turn > 2) SHALLOW_FACE_Y
        SHALLOW_EDGE_Y
      }
#endif
      const int before = k - 2;
      if (turn > 3 && before < p.ny) {
        TRM_OUT(real) to = v + p.first + (trm_index)before * p.row;
        TRM_IN(real) old = u + p.first + (trm_index)before * p.row;
        TRM_IN(real) first = v + p.first + (trm_index)before * p.row;
        SHALLOW_FINISH_HERE
        SHALLOW_GHOSTS(to, beds + p.bed_first + (trm_index)before * p.bed_row, 1);
      }
      if (turn > 2 && turn < rows + 3) {
        /* Row k - 1 along x. */
        SHALLOW_REACH(x, 1, 1) {
          const real h = SHALLOW_AT(rows_h, x), e = SHALLOW_AT(rows_e, x), i = SHALLOW_AT(rows_i, x);
          const real along_x = SHALLOW_AT(rows_u, x), along_y = SHALLOW_AT(rows_v, x);
          const real sh = shallow_limit(numbers.mean, h - SHALLOW_AT(rows_h, x - 1),
                                             SHALLOW_AT(rows_h, x + 1) - h);
          const real se = shallow_limit(numbers.mean, e - SHALLOW_AT(rows_e, x - 1),
                                             SHALLOW_AT(rows_e, x + 1) - e);
          const real su = i * shallow_limit(numbers.mean, along_x - SHALLOW_AT(rows_u, x - 1),
                                                 SHALLOW_AT(rows_u, x + 1) - along_x);
          const real sv = i * shallow_limit(numbers.mean, along_y - SHALLOW_AT(rows_v, x - 1),
                                                 SHALLOW_AT(rows_v, x + 1) - along_y);
          const real hw = trm_fma(-numbers.steep, sh, h), he = trm_fma(numbers.steep, sh, h);
          SHALLOW_ON(tilt_x, x) = numbers.slant * h * se;
          SHALLOW_ON(west_h, x) = hw;
          SHALLOW_ON(west_e, x) = trm_fma(-numbers.steep, se, e);
          SHALLOW_ON(west_u, x) = trm_fma(-he, su, along_x);
          SHALLOW_ON(west_v, x) = trm_fma(-he, sv, along_y);
          SHALLOW_ON(east_h, x) = he;
          SHALLOW_ON(east_e, x) = trm_fma(numbers.steep, se, e);
          SHALLOW_ON(east_u, x) = trm_fma(hw, su, along_x);
          SHALLOW_ON(east_v, x) = trm_fma(hw, sv, along_y);
        }
        SHALLOW_REACH(x, 1, 0) {
          SHALLOW_FACE(f, SHALLOW_ON(east_h, x), SHALLOW_ON(east_e, x), SHALLOW_ON(east_u, x),
                       SHALLOW_ON(east_v, x), SHALLOW_ON(west_h, x + 1), SHALLOW_ON(west_e, x + 1),
                       SHALLOW_ON(west_u, x + 1), SHALLOW_ON(west_v, x + 1));
          SHALLOW_ON(mass, x) = f_mass;
          SHALLOW_ON(low, x) = f_low;
          SHALLOW_ON(high, x) = f_high;
          SHALLOW_ON(along, x) = f_along;
        }
        TRM_CELLS(x) {
          TRM_KEPT(row_h, x) = rate_x * (SHALLOW_ON(mass, x) - SHALLOW_ON(mass, x - 1));
          TRM_KEPT(row_u, x) = rate_x * ((SHALLOW_ON(low, x) - SHALLOW_ON(high, x - 1)) +
                                          SHALLOW_ON(tilt_x, x));
          TRM_KEPT(row_v, x) = rate_x * (SHALLOW_ON(along, x) - SHALLOW_ON(along, x - 1));
        }
      }
    }
    if (p.stage == 1) TRM_FOLD_MAX(speed, part + block * TRM_LEAVES_OF(TRM_NX));
  }
}
#if defined(TRM_HOST)
#undef TRM_SPAN
#define TRM_SPAN 512
#endif
