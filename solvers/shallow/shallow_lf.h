/* Lax-Friedrichs, as the EPFL course has it (README.md): a cell becomes the mean of its four
 * neighbours plus the differences of their fluxes. Sums are paired west-east and south-north, so a
 * mirrored or transposed problem gives the mirrored or transposed bits. */

/* Velocity across over depth of two cells a, b with one division; a dry cell has no momentum. */
#define SHALLOW_INVERSES(ha, hb, ia, ib) \
  const real ia##_depth = (ha) > n.dry ? (ha) : n.dry, ib##_depth = (hb) > n.dry ? (hb) : n.dry; \
  const real ia##_both = R(1.0) / (ia##_depth * ib##_depth); \
  const real ia = ib##_depth * ia##_both, ib = ia##_depth * ia##_both

TRM_INLINE real shallow_lf_cell(TRM_IN(real) centre, TRM_IN(real) south, TRM_IN(real) north, TRM_IN(real) bed,
                                TRM_OUT(real) to, const shallow_params p, const shallow_numbers n, const real dt,
                                const real rate, const int x, const int w, const int e,
                                const real flip_w, const real flip_e, const real flip_s,
                                const real flip_n)
{
  const real hw = SHALLOW_H(centre)[w], he = SHALLOW_H(centre)[e];
  const real hs = SHALLOW_H(south)[x], hn = SHALLOW_H(north)[x];
  const real uw = flip_w * SHALLOW_HU(centre)[w], ue = flip_e * SHALLOW_HU(centre)[e];
  const real us = SHALLOW_HU(south)[x], un = SHALLOW_HU(north)[x];
  const real vw = SHALLOW_HV(centre)[w], ve = SHALLOW_HV(centre)[e];
  const real vs = flip_s * SHALLOW_HV(south)[x], vn = flip_n * SHALLOW_HV(north)[x];
  SHALLOW_INVERSES(hw, he, iw, ie);
  SHALLOW_INVERSES(hs, hn, is, in);
  const real h = R(0.25) * ((hw + he) + (hs + hn)) + rate * ((uw - ue) + (vs - vn));
  const real pull = dt * n.g * h;
  const real vel_w = uw * iw, vel_e = ue * ie, vel_s = vs * is, vel_n = vn * in;
  const real mu = R(0.25) * ((uw + ue) + (us + un)) - pull * bed[p.bed_component + x] +
                  rate * (((uw * vel_w + n.half_g * hw * hw) - (ue * vel_e + n.half_g * he * he)) +
                          (us * vel_s - un * vel_n));
  const real mv = R(0.25) * ((vw + ve) + (vs + vn)) - pull * bed[2 * (trm_index)p.bed_component + x] +
                  rate * ((vw * vel_w - ve * vel_e) +
                          ((vs * vel_s + n.half_g * hs * hs) - (vn * vel_n + n.half_g * hn * hn)));
  const real depth = h <= R(0.0) ? n.film : h;
  const real hu = shallow_momentum(depth <= n.dry ? R(0.0) : mu);
  const real hv = shallow_momentum(depth <= n.dry ? R(0.0) : mv);
  SHALLOW_H(to)[x] = depth;
  SHALLOW_HU(to)[x] = hu;
  SHALLOW_HV(to)[x] = hv;
  return shallow_speed(n, depth, hu, hv, SHALLOW_LAX_FRIEDRICHS);
}

#define SHALLOW_FLIP(kind) ((kind) == SHALLOW_WALL ? R(-1.0) : R(1.0))

TRM_ROW_KERNEL5(shallow_lf, 1, shallow_params, TRM_RO(real) u, TRM_RW(real) v, TRM_RO(real) beds,
                TRM_RO(real) clock, TRM_RW(real) part)
{
  TRM_ROW(y);
  TRM_IN(real) c = u + p.first + y * p.row;
  TRM_IN(real) s = u + p.first + (y == 0 ? 0 : y - 1) * p.row;
  TRM_IN(real) n = u + p.first + (y == (trm_index)p.ny - 1 ? y : y + 1) * p.row;
  TRM_IN(real) bed = beds + p.bed_first + y * p.bed_row;
  TRM_OUT(real) to = v + p.first + y * p.row;
  const real flip_s = y == 0 ? SHALLOW_FLIP(p.south) : R(1.0);
  const real flip_n = y == (trm_index)p.ny - 1 ? SHALLOW_FLIP(p.north) : R(1.0);
  const real flip_w = SHALLOW_FLIP(p.west), flip_e = SHALLOW_FLIP(p.east);
  const real dt = clock[SHALLOW_DT], rate = R(0.5) * dt * p.inv_dx;
  SHALLOW_NUMBERS(numbers);
  TRM_LEAVES(speed);

  if (clock[SHALLOW_LIVE] > R(0.0)) {
    TRM_CELLS(x) {
      TRM_ADD(speed, x) =
        shallow_lf_cell(c, s, n, bed, to, p, numbers, dt, rate, x, TRM_BESIDE(x, -1), TRM_BESIDE(x, 1),
                        TRM_BEYOND_WEST(x - 1) ? flip_w : R(1.0),
                        TRM_BEYOND_EAST(x + 1) ? flip_e : R(1.0), flip_s, flip_n);
    }
    TRM_FOLD_MAX(speed, part + y * TRM_LEAVES_OF(TRM_NX));
  } else {
    TRM_CELLS(x) {
      SHALLOW_H(to)[x] = SHALLOW_H(c)[x];
      SHALLOW_HU(to)[x] = SHALLOW_HU(c)[x];
      SHALLOW_HV(to)[x] = SHALLOW_HV(c)[x];
    }
  }
  SHALLOW_GHOSTS(to, bed, 1);
}
