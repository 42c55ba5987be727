/* HLLC with hydrostatic reconstruction (Audusse et al. 2004), limited slopes in space, one stage of the
 * two of a strong-stability-preserving Runge-Kutta step.
 *
 * A launch's row is a block of p.rows rows, taken from south to north: what a row and its southern
 * neighbour have in common, differences and the fluxes between them, is kept for the next row.
 * Pairs are added west-east and south-north first, so that mirrored and transposed problems give
 * mirrored and transposed bits. */

/* Slope over half a cell: generalised minmod of the differences to either side, by selections alone: a
 * product of the two would be subnormal where they are small, which is slow. */
TRM_INLINE real shallow_half_slope(const real theta, const real a, const real b)
{
  const real mean = R(0.25) * (a + b), half_a = R(0.5) * theta * a, half_b = R(0.5) * theta * b;
  const real up = shallow_min(shallow_min(half_a, half_b), mean);
  const real down = shallow_max(shallow_max(half_a, half_b), mean);
  return shallow_max(up, R(0.0)) + shallow_min(down, R(0.0));
}

/* One cell's depth, surface, velocity and 1/depth (0 where dry) at column x of a row. is_west and
 * is_east: x lies beyond that edge. side: the row lies beyond the southern edge (1), the northern
 * one (2), and is the first or second there (far); `from` is then the last row inside. bed: the row's
 * own. i: x, or a column inside; column: x, or one that the bed has. */
TRM_INLINE void shallow_fetch(const shallow_params p, const real dry, TRM_IN(real) clock,
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
  const real inverse = shallow_inverse(dry, h);
  *h_out = h;
  *e_out = h + z;
  *u_out = hu * inverse;
  *v_out = hv * inverse;
  *i_out = inverse;
}

/* The flux through a face between two reconstructed states (depth, surface, velocity across and
 * along): mass, momentum across less the pressure g h*^2 / 2 of either side, momentum along. What the
 * surface does inside a cell is the cell's own business, so a lake at rest leaves nothing here. */
TRM_INLINE void shallow_face(const shallow_numbers n, const real hl, const real el, const real ul,
                             const real vl, const real hr, const real er, const real ur,
                             const real vr, real *mass, real *across_l, real *across_r, real *along)
{
  const real zl = el - hl, zr = er - hr, z = shallow_max(zl, zr);
  const real a = shallow_min(hl, shallow_max(el - z, R(0.0)));
  const real b = shallow_min(hr, shallow_max(er - z, R(0.0)));
  const real cl = trm_sqrt(n.g * a), cr = trm_sqrt(n.g * b);
  const real us = R(0.5) * (ul + ur) + (cl - cr);
  const real cs = R(0.5) * (cl + cr) + R(0.25) * (ul - ur);
  /* Beside a dry cell the front moves at u +- 2c. (No selection joins two conditions: gcc's simd loops
   * end there.) Where both are dry all that follows is 0. */
  const real low = shallow_min(ul - cl, b > R(0.0) ? us - cs : ul - cl);
  const real high = shallow_max(ur + cr, a > R(0.0) ? us + cs : ur + cr);
  const real sl = shallow_min(a > R(0.0) ? low : ur - R(2.0) * cr, R(0.0));
  const real sr = shallow_max(b > R(0.0) ? high : ul + R(2.0) * cl, R(0.0));
  const real width = sr - sl;
  /* a wet side's c is more than 1e-22; a width below that is two dry sides', and 1 / width might be infinite */
  const int moves = width > R(1e-30);
  const real inverse = (moves ? R(1.0) : R(0.0)) / (moves ? width : R(1.0));
  const real ql = a * ul, qr = b * ur, product = sl * sr;
  const real dp = n.half_g * (b + a) * (b - a);
  const real f = (((sr * ql - sl * qr) + product * (b - a))) * inverse;
  const real base = (sr * (ql * ul) - sl * (qr * ur)) + product * (qr - ql);
  *mass = f;
  *across_l = (base - sl * dp) * inverse;
  *across_r = (base - sr * dp) * inverse;
  *along = f * (f >= R(0.0) ? vl : vr);
}

/* A cell's new state from the sums of its fluxes' differences; first: its state at the step's begin. */
TRM_INLINE real shallow_settle(const shallow_params p, const shallow_numbers n, TRM_OUT(real) to, TRM_IN(real) old,
                               TRM_IN(real) first, const real dt, const int x, const real dh,
                               const real du, const real dv, const int stage)
{
  real h = SHALLOW_H(old)[x] - dh;
  real hu = SHALLOW_HU(old)[x] - du, hv = SHALLOW_HV(old)[x] - dv;
  h = shallow_max(h, R(0.0));
  if (n.friction > R(0.0)) {
    const int is_wet = h > n.dry;
    const real depth = is_wet ? h : R(1.0);
    const real q = trm_sqrt(hu * hu + hv * hv);
    const real drag = dt * n.friction * q / (depth * depth * shallow_cbrt(depth));
    /* q' = q - drag |q'| q' / |q|: implicit without a remainder, so that steady flows are steady */
    const real keep = R(2.0) / (R(1.0) + trm_sqrt(R(1.0) + R(4.0) * drag));
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

/* loop: TRM_REACH inside the grid. The few rows beyond it have branches that no simd loop can have. */
#if defined(TRM_HOST)
#define SHALLOW_EDGE_REACH(x, west, east) \
  for (int x = trm_begin - (west); x < trm_end + (east); x++)
#define SHALLOW_COLUMN(x) (x)
#else
#define SHALLOW_EDGE_REACH TRM_REACH
#define SHALLOW_COLUMN(x) ((x) > TRM_NX + 1 ? TRM_NX + 1 : (x)) /* items beyond the grid */
#endif
#define SHALLOW_FETCH(loop, side) \
  loop(x, 2, 2) { \
    shallow_fetch(p, numbers.dry, clock, from, bed, TRM_NX, TRM_BESIDE(x, 0), SHALLOW_COLUMN(x), \
                  TRM_BEYOND_WEST(x), TRM_BEYOND_EAST(x), side, far, &TRM_ON(next_h, x), \
                  &TRM_ON(next_e, x), &TRM_ON(next_u, x), &TRM_ON(next_v, x), \
                  &TRM_ON(next_i, x)); \
  }

/* Row `row` is finished: south and north fluxes, what was kept of the row, and the speed. */
#define SHALLOW_FINISH(stage) TRM_CELLS(x) { \
    const real dh = TRM_KEPT(row_h, x) + rate_y * (TRM_ON(mass, x) - TRM_KEPT(south_mass, x)); \
    const real du = TRM_KEPT(row_u, x) + rate_y * (TRM_ON(along, x) - TRM_KEPT(south_along, x)); \
    const real dv = TRM_KEPT(row_v, x) + \
                    rate_y * ((TRM_ON(low, x) - TRM_KEPT(south_high, x)) + TRM_KEPT(tilt, x)); \
    TRM_ADD(speed, x) = trm_more(TRM_ADD(speed, x), \
                                 shallow_settle(p, numbers, to, old, first, dt, x, dh, du, dv, stage)); \
  }

/* u: what the stage starts from; v: what it writes, and in stage 1 the state at the step's begin. */
TRM_ROW_KERNEL5(shallow_hllc, 2, shallow_params, TRM_RO(real) u, TRM_RW(real) v, TRM_RO(real) beds,
                TRM_RO(real) clock, TRM_RW(real) part)
{
  TRM_ROW(block);
  const int y0 = (int)block * p.rows;
  const int y1 = y0 + p.rows < p.ny ? y0 + p.rows : p.ny;
  const real dt = clock[SHALLOW_DT], rate_x = dt * p.inv_dx, rate_y = dt * p.inv_dy;
  TRM_STRIP(this_h); TRM_STRIP(this_e); TRM_STRIP(this_u); TRM_STRIP(this_v); TRM_STRIP(this_i);
  TRM_STRIP(next_h); TRM_STRIP(next_e); TRM_STRIP(next_u); TRM_STRIP(next_v); TRM_STRIP(next_i);
  TRM_STRIP(half_h); TRM_STRIP(half_e); TRM_STRIP(half_u); TRM_STRIP(half_v);
  TRM_STRIP(mass); TRM_STRIP(low); TRM_STRIP(high); TRM_STRIP(along);
  TRM_KEEP(step_h); TRM_KEEP(step_e); TRM_KEEP(step_u); TRM_KEEP(step_v);
  TRM_KEEP(edge_h); TRM_KEEP(edge_e); TRM_KEEP(edge_u); TRM_KEEP(edge_v);
  TRM_KEEP(south_mass); TRM_KEEP(south_high); TRM_KEEP(south_along);
  TRM_KEEP(row_h); TRM_KEEP(row_u); TRM_KEEP(row_v); TRM_KEEP(tilt);
  SHALLOW_NUMBERS(numbers);
  TRM_LEAVES(speed);

  if (clock[SHALLOW_LIVE] > R(0.0)) {
    TRM_CELLS(x) { TRM_ADD(speed, x) = R(0.0); }
    for (int k = y0 - 2; k <= y1 + 1; k++) {
      const int side = k < 0 ? 1 : k >= p.ny ? 2 : 0;
      const int inside = k < 0 ? 0 : k >= p.ny ? p.ny - 1 : k;
      const int far = k < 0 ? -1 - k : k - p.ny;
      TRM_IN(real) from = u + p.first + (trm_index)inside * p.row;
      TRM_IN(real) bed = beds + p.bed_first + (trm_index)k * p.bed_row;
      if (side == 0) SHALLOW_FETCH(TRM_REACH, 0)
      else SHALLOW_FETCH(SHALLOW_EDGE_REACH, side)

      if (k >= y0) {
        /* Row k - 1: slopes along y, and the face to row k - 2. */
        const int j = k - 1;
        TRM_CELLS(x) {
          const real h = TRM_ON(this_h, x), i = TRM_ON(this_i, x);
          const real sh = shallow_half_slope(numbers.theta, TRM_KEPT(step_h, x), TRM_ON(next_h, x) - h);
          const real se = shallow_half_slope(numbers.theta, TRM_KEPT(step_e, x),
                                             TRM_ON(next_e, x) - TRM_ON(this_e, x));
          const real su = i * shallow_half_slope(numbers.theta, TRM_KEPT(step_u, x),
                                                 TRM_ON(next_u, x) - TRM_ON(this_u, x));
          const real sv = i * shallow_half_slope(numbers.theta, TRM_KEPT(step_v, x),
                                                 TRM_ON(next_v, x) - TRM_ON(this_v, x));
          const real hs = h - sh, hn = h + sh;
          const real e = TRM_ON(this_e, x), uu = TRM_ON(this_u, x), vv = TRM_ON(this_v, x);
          shallow_face(numbers, TRM_KEPT(edge_h, x), TRM_KEPT(edge_e, x), TRM_KEPT(edge_v, x),
                       TRM_KEPT(edge_u, x), hs, e - se, vv - hn * sv, uu - hn * su,
                       &TRM_ON(mass, x), &TRM_ON(low, x), &TRM_ON(high, x), &TRM_ON(along, x));
          TRM_KEPT(edge_h, x) = hn;
          TRM_KEPT(edge_e, x) = e + se;
          TRM_KEPT(edge_u, x) = uu + hs * su;
          TRM_KEPT(edge_v, x) = vv + hs * sv;
          TRM_ON(half_e, x) = R(2.0) * numbers.g * h * se;
        }
        if (j > y0) {
          TRM_OUT(real) to = v + p.first + (trm_index)(j - 1) * p.row;
          TRM_IN(real) old = u + p.first + (trm_index)(j - 1) * p.row;
          TRM_IN(real) first = v + p.first + (trm_index)(j - 1) * p.row;
          if (p.stage == 1) SHALLOW_FINISH(1)
          else SHALLOW_FINISH(0)
          SHALLOW_GHOSTS(to, beds + p.bed_first + (trm_index)(j - 1) * p.bed_row, 1);
        }
        if (j >= y0 && j < y1) {
          TRM_CELLS(x) {
            TRM_KEPT(south_mass, x) = TRM_ON(mass, x);
            TRM_KEPT(south_high, x) = TRM_ON(high, x);
            TRM_KEPT(south_along, x) = TRM_ON(along, x);
            TRM_KEPT(tilt, x) = TRM_ON(half_e, x);
          }
          /* and the faces along x */
          TRM_REACH(x, 1, 1) {
            const real h = TRM_ON(this_h, x), i = TRM_ON(this_i, x);
            TRM_ON(half_h, x) = shallow_half_slope(numbers.theta, h - TRM_ON(this_h, x - 1),
                                                   TRM_ON(this_h, x + 1) - h);
            TRM_ON(half_e, x) =
              shallow_half_slope(numbers.theta, TRM_ON(this_e, x) - TRM_ON(this_e, x - 1),
                                 TRM_ON(this_e, x + 1) - TRM_ON(this_e, x));
            TRM_ON(half_u, x) =
              i * shallow_half_slope(numbers.theta, TRM_ON(this_u, x) - TRM_ON(this_u, x - 1),
                                     TRM_ON(this_u, x + 1) - TRM_ON(this_u, x));
            TRM_ON(half_v, x) =
              i * shallow_half_slope(numbers.theta, TRM_ON(this_v, x) - TRM_ON(this_v, x - 1),
                                     TRM_ON(this_v, x + 1) - TRM_ON(this_v, x));
          }
          TRM_REACH(x, 1, 0) {
            const real hw = TRM_ON(this_h, x), he = TRM_ON(this_h, x + 1);
            const real sw = TRM_ON(half_h, x), se = TRM_ON(half_h, x + 1);
            shallow_face(numbers, hw + sw, TRM_ON(this_e, x) + TRM_ON(half_e, x),
                         TRM_ON(this_u, x) + (hw - sw) * TRM_ON(half_u, x),
                         TRM_ON(this_v, x) + (hw - sw) * TRM_ON(half_v, x), he - se,
                         TRM_ON(this_e, x + 1) - TRM_ON(half_e, x + 1),
                         TRM_ON(this_u, x + 1) - (he + se) * TRM_ON(half_u, x + 1),
                         TRM_ON(this_v, x + 1) - (he + se) * TRM_ON(half_v, x + 1),
                         &TRM_ON(mass, x), &TRM_ON(low, x), &TRM_ON(high, x), &TRM_ON(along, x));
          }
          TRM_CELLS(x) {
            TRM_KEPT(row_h, x) = rate_x * (TRM_ON(mass, x) - TRM_ON(mass, x - 1));
            TRM_KEPT(row_u, x) =
              rate_x * ((TRM_ON(low, x) - TRM_ON(high, x - 1)) +
                        R(2.0) * numbers.g * TRM_ON(this_h, x) * TRM_ON(half_e, x));
            TRM_KEPT(row_v, x) = rate_x * (TRM_ON(along, x) - TRM_ON(along, x - 1));
          }
        }
      }
      /* The next row becomes this one. */
      if (k > y0 - 2)
        TRM_CELLS(x) {
          TRM_KEPT(step_h, x) = TRM_ON(next_h, x) - TRM_ON(this_h, x);
          TRM_KEPT(step_e, x) = TRM_ON(next_e, x) - TRM_ON(this_e, x);
          TRM_KEPT(step_u, x) = TRM_ON(next_u, x) - TRM_ON(this_u, x);
          TRM_KEPT(step_v, x) = TRM_ON(next_v, x) - TRM_ON(this_v, x);
        }
      TRM_REACH(x, 2, 2) {
        TRM_ON(this_h, x) = TRM_ON(next_h, x);
        TRM_ON(this_e, x) = TRM_ON(next_e, x);
        TRM_ON(this_u, x) = TRM_ON(next_u, x);
        TRM_ON(this_v, x) = TRM_ON(next_v, x);
        TRM_ON(this_i, x) = TRM_ON(next_i, x);
      }
    }
    if (p.stage == 1) TRM_FOLD_MAX(speed, part + block * TRM_LEAVES_OF(TRM_NX));
  }
}
