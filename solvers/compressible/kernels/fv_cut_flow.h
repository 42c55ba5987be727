/* Fluxes through the faces of listed cells and at walls, and the values of their units after a
 * stage (fv_unit.h). */

/* fv_cut_at with a way of the item's own; positive values stay so. */
TRM_INLINE real fv_cut_reach(const real value, TRM_IN(real) slope, const int k, const real *off)
{
  return fv_cut_at(value, slope, k, off[0], off[1], off[2]);
}
TRM_INLINE real fv_cut_positive(const real there, const real value)
{
  return there > R(0.1) * value ? there : value;
}

/* The derivative of value k along axis a at a face: the mean of both slopes. Along the face's
 * normal n, a tenth of the difference between the two values and that mean is added. */
#define FV_CUT_MEAN(k, a) (R(0.5) * (FV_CUT_OF(ls, 3 * (k) + (a)) + FV_CUT_OF(rs, 3 * (k) + (a))))
#define FV_CUT_MEANT(k, x) \
  trm_fma(FV_CUT_MEAN(k, 0), x[0], trm_fma(FV_CUT_MEAN(k, 1), x[1], FV_CUT_MEAN(k, 2) * x[2]))
#define FV_CUT_NORMAL(k, left, right) \
  trm_fma(R(0.1) * at.per, ((right) - (left)) - FV_CUT_MEANT(k, apart), \
          FV_CUT_MEAN(k, n))

/* A value at a face. Along the line between both places: by van Albada's mean of the difference to
 * the other side and of twice the slope less it. Among whole cells these are fv_face's two
 * differences. Off the line: by the slope. part: how much of the line lies before the face.
 */
TRM_INLINE real fv_cut_limited(const real value, const real other, TRM_IN(real) slope, const int k,
                               const real *off, const real *apart, const real part)
{
  const real along = fv_cut_reach(R(0.0), slope, k, apart), ahead = other - value;
  const real limited = fv_slope(trm_fma(R(2.0), along, -ahead), ahead);
  return trm_fma(part, limited - along, fv_cut_reach(value, slope, k, off));
}

/* Velocity along axis i, of three. */
#define FV_CUT_PICK(cell, i) ((i) == 0 ? (cell).u : (i) == 1 ? (cell).v : (cell).w)

/* How much of a face is open, 1 / the distance of both places along its axis, and its own place
 * from either side's. */
typedef struct fv_cut_sides { real open, per, left[3], right[3]; } fv_cut_sides;

TRM_INLINE fv_cut_sides fv_cut_sides_of(TRM_IN(int) face, TRM_IN(real) sizes)
{
  const int n = face[0] & FV_FACE_AXIS;
  fv_cut_sides at;
  at.open = R(1.0);
  at.per = R(1.0);
  for (int a = 0; a < 3; a++) {
    at.left[a] = a == n ? R(0.5) : R(0.0);
    at.right[a] = a == n ? R(-0.5) : R(0.0);
  }
  if (!(face[0] & FV_FACE_WHOLE)) {
    TRM_IN(real) size = FV_CUT_ENTRY(sizes, FV_FACE_SIZES, face[3] / (FV_FACE_LEVEL + 1));
    at.open = size[0];
    at.per = FV_CUT_OF(size, 1);
    for (int a = 0; a < 3; a++) {
      at.left[a] = FV_CUT_OF(size, 2 + a);
      at.right[a] = FV_CUT_OF(size, 5 + a);
    }
  }
  return at;
}

TRM_INLINE void fv_cut_face(const fv_params p, const int form, TRM_IN(int) face,
                            TRM_IN(real) sizes, TRM_IN(int) cell_of_unit, TRM_IN(real) w,
                            TRM_IN(real) slopes, TRM_OUT(real) to)
{
  const int n = face[0] & FV_FACE_AXIS, a = n == 2 ? 0 : n + 1, b = n == 0 ? 2 : n - 1;
  const fv_params own = fv_at_level(p, face[3] & FV_FACE_LEVEL);
  const fv_cut_sides at = fv_cut_sides_of(face, sizes);
  const real *lo = at.left, *ro = at.right;
  const real central = face[0] & FV_FACE_CENTRAL ? R(0.5) : R(0.0);
  TRM_IN(real) ls = FV_CUT_ENTRY(slopes, FV_CUT_SLOPES, face[1]);
  TRM_IN(real) rs = FV_CUT_ENTRY(slopes, FV_CUT_SLOPES, face[2]);
  const fv_cell lc = fv_cut_load(w, cell_of_unit[face[1]]);
  const fv_cell rc = fv_cut_load(w, cell_of_unit[face[2]]);
  const real apart[3] = { lo[0] - ro[0], lo[1] - ro[1], lo[2] - ro[2] };
  const real lu = FV_CUT_PICK(lc, n), lv = FV_CUT_PICK(lc, a), lw = FV_CUT_PICK(lc, b);
  const real ru = FV_CUT_PICK(rc, n), rv = FV_CUT_PICK(rc, a), rw = FV_CUT_PICK(rc, b);
  const real lp = lc.rho * lc.t, rp = rc.rho * rc.t;
  real ul, ur, vl, vr, wl, wr, rl, rr, pl, pr;
  if (form & FV_LIMITED) {
    const real before = lo[n] * at.per, beyond = -ro[n] * at.per;
    const real back[3] = { -apart[0], -apart[1], -apart[2] };
#define FV_CUT_LIMIT(q, k, of_left, of_right) \
  q##l = fv_cut_limited(of_left, of_right, ls, k, lo, apart, before); \
  q##r = fv_cut_limited(of_right, of_left, rs, k, ro, back, beyond)
    FV_CUT_LIMIT(u, 3 * n, lu, ru);
    FV_CUT_LIMIT(v, 3 * a, lv, rv);
    FV_CUT_LIMIT(w, 3 * b, lw, rw);
    FV_CUT_LIMIT(r, 9, lc.rho, rc.rho);
    FV_CUT_LIMIT(p, 15, lp, rp);
  } else {
    ul = fv_cut_reach(lu, ls, 3 * n, lo), ur = fv_cut_reach(ru, rs, 3 * n, ro);
    vl = fv_cut_reach(lv, ls, 3 * a, lo), vr = fv_cut_reach(rv, rs, 3 * a, ro);
    wl = fv_cut_reach(lw, ls, 3 * b, lo), wr = fv_cut_reach(rw, rs, 3 * b, ro);
    rl = fv_cut_reach(lc.rho, ls, 9, lo), rr = fv_cut_reach(rc.rho, rs, 9, ro);
    pl = fv_cut_reach(lp, ls, 15, lo), pr = fv_cut_reach(rp, rs, 15, ro);
  }
  rl = fv_cut_positive(rl, lc.rho), rr = fv_cut_positive(rr, rc.rho);
  pl = fv_cut_positive(pl, lp), pr = fv_cut_positive(pr, rp);
  const fv_face_flux carried = fv_convective_flux(own, form, R(1.0), ul, ur, vl, vr, wl, wr, rl, rr,
                                                  pl, pr);
  const real open = at.open;
  real stress = own.viscosity * own.inv_h;
  if (form & FV_SUTHERLAND) stress = stress * fv_viscosity(own, R(0.5) * (lc.t + rc.t));
  const real along = stress * trm_fma(R(1.3333333333333333), FV_CUT_NORMAL(n, lu, ru),
                                      R(-0.66666666666666663) *
                                        (FV_CUT_MEAN(a, a) + FV_CUT_MEAN(b, b)));
  const real across_a = stress * (FV_CUT_NORMAL(a, lv, rv) + FV_CUT_MEAN(n, a));
  const real across_b = stress * (FV_CUT_NORMAL(b, lw, rw) + FV_CUT_MEAN(n, b));
  const real heat = own.conduction * stress * FV_CUT_NORMAL(4, lc.t, rc.t);
  const real twice_v = trm_fma(central, (lv + rv) - (vl + vr), vl + vr);
  const real twice_w = trm_fma(central, (lw + rw) - (wl + wr), wl + wr);
  const real work = R(0.5) * trm_fma(along, ul + ur,
                                     trm_fma(across_a, twice_v, across_b * twice_w));
  FV_CUT_OF(to, 0) = open * carried.mass;
  FV_CUT_OF(to, 1 + n) = open * trm_fma(carried.mass, carried.u, carried.pressure - along);
  FV_CUT_OF(to, 1 + a) = open * trm_fma(carried.mass, carried.v, -across_a);
  FV_CUT_OF(to, 1 + b) = open * trm_fma(carried.mass, carried.w, -across_b);
  FV_CUT_OF(to, 4) = open * trm_fma(carried.mass, carried.enthalpy, carried.work - (heat + work));
}

/* A wall: pressure, and where it holds the gas fast friction, its work and heat. Slopes are those
 * at the unit's centroid. At the wall they are steeper along its normal. The line along them misses
 * the wall's own velocity by `misses`; times the wall's number 15, that is added: parabolas are
 * exact. */
TRM_INLINE void fv_cut_wall(const fv_params p, const int form, TRM_IN(int) wall,
                            TRM_IN(real) size, TRM_IN(int) cell_of_unit, TRM_IN(real) w,
                            TRM_IN(real) slopes, TRM_OUT(real) to, TRM_OUT(real) force)
{
  const fv_params own = fv_at_level(p, wall[3]);
  TRM_IN(real) s = FV_CUT_ENTRY(slopes, FV_CUT_SLOPES, wall[1]);
  TRM_IN(real) middle = &FV_CUT_OF(size, 3);
  const fv_cell c = fv_cut_load(w, cell_of_unit[wall[1]]);
  const real inside = c.rho * c.t;
  const real pressure = p.inv_gamma * fv_cut_positive(fv_cut_there(inside, s, 15, middle), inside);
  real stress = wall[0] > FV_CUT_SLIP ? own.viscosity * own.inv_h : R(0.0);
  if (form & FV_SUTHERLAND) {
    const real at_wall = fv_cut_positive(fv_cut_there(c.t, s, 12, middle), c.t);
    stress = stress * fv_viscosity(own, wall[0] == FV_CUT_ISOTHERMAL ? FV_CUT_OF(size, 9)
                                                                     : at_wall);
  }
  const real spread = R(0.66666666666666663) *
                      ((FV_CUT_OF(s, 0) + FV_CUT_OF(s, 4)) + FV_CUT_OF(s, 8));
  const trm_index walls = p.walls;
  const real more = stress > R(0.0) ? FV_CUT_OF(size, 15) : R(0.0);
  const real misses[3] = { more * (FV_CUT_OF(size, 6) - fv_cut_there(c.u, s, 0, middle)),
                           more * (FV_CUT_OF(size, 7) - fv_cut_there(c.v, s, 3, middle)),
                           more * (FV_CUT_OF(size, 8) - fv_cut_there(c.w, s, 6, middle)) };
  const real through = R(0.33333333333333331) * FV_CUT_OF(size, 13) * FV_CUT_OF(size, 13) *
                       trm_fma(misses[0], FV_CUT_OF(size, 0),
                               trm_fma(misses[1], FV_CUT_OF(size, 1),
                                       misses[2] * FV_CUT_OF(size, 2)));
  real heat = R(0.0), work = R(0.0);
  for (int a = 0; a < 3; a++) {
    real drag = -stress * trm_fma(through, FV_CUT_OF(size, a), misses[a]);
    for (int b = 0; b < 3; b++) {
      const real sheared = (FV_CUT_OF(s, 3 * a + b) + FV_CUT_OF(s, 3 * b + a)) -
                           (a == b ? spread : R(0.0));
      drag = trm_fma(-stress * sheared, FV_CUT_OF(size, b), drag);
    }
    const real push = pressure * FV_CUT_OF(size, a);
    force[a * walls] = push;
    force[(3 + a) * walls] = drag;
    FV_CUT_OF(to, 1 + a) = push + drag;
    work = trm_fma(drag, FV_CUT_OF(size, 6 + a), work);
    if (wall[0] == FV_CUT_ISOTHERMAL)
      heat = trm_fma(own.conduction * stress * FV_CUT_OF(s, 12 + a), FV_CUT_OF(size, a), heat);
  }
  if (wall[0] == FV_CUT_ISOTHERMAL)
    heat = trm_fma(own.conduction * stress,
                   more * (FV_CUT_OF(size, 9) - fv_cut_there(c.t, s, 12, middle)), heat);
  FV_CUT_OF(to, 0) = R(0.0);
  FV_CUT_OF(to, 4) = trm_fma(pressure, FV_CUT_OF(size, 14), work - heat);
  force[6 * walls] = -heat;
  force[10 * walls] = -trm_fma(pressure, FV_CUT_OF(size, 14), work);
  for (int a = 0; a < 3; a++) {
    const int i = a == 2 ? 0 : a + 1, j = a == 0 ? 2 : a - 1;
    force[(FV_FELT + a) * walls] = trm_fma(FV_CUT_OF(size, 10 + i), FV_CUT_OF(to, 1 + j),
                                           -(FV_CUT_OF(size, 10 + j) * FV_CUT_OF(to, 1 + i)));
  }
}

/* With the usual slopes and viscosity a host asks for no form at each face. */
#define FV_CUT_EACH_FACE(form) \
  TRM_SERIAL(lane, FV_CUT_GROUP) { \
    const int i = group * FV_CUT_GROUP + lane; \
    TRM_IN(int) face = faces + (trm_index)i * 4; \
    const int wall = i - p.faces; \
    TRM_OUT(real) to = FV_CUT_ENTRY(fluxes, FV_VALUES, i); \
    if (wall < 0) fv_cut_face(p, form, face, sizes, cell_of_unit, w, slopes, to); \
    else if (wall < p.walls) \
      fv_cut_wall(p, form, face, FV_CUT_ENTRY(FV_CUT_WALLS(p, sizes), FV_CUT_SIZES, wall), \
                  cell_of_unit, w, slopes, to, forces + wall); \
  }

TRM_GROUP_KERNEL7(fv_cut_fluxes, TRM_NO_SHARED, fv_params, TRM_RO(real) w, TRM_RO(int) cell_of_unit,
                  TRM_RO(real) slopes, TRM_RO(int) faces, TRM_RO(real) sizes,
                  TRM_RW(real) fluxes, TRM_RW(real) forces)
{
  TRM_GROUP1(group);
  const int form = FV_FORM_OF(p) & ~FV_IN_DUAL;
  if (form == 0) FV_CUT_EACH_FACE(0)
  else if (form == FV_BY_PLUS) FV_CUT_EACH_FACE(FV_BY_PLUS)
  else if (form == FV_BY_HLLC) FV_CUT_EACH_FACE(FV_BY_HLLC)
  else FV_CUT_EACH_FACE(form)
}

/* The values of each unit after the stage, a group for each value. volumes: 1 / its volume; where
 * walls move, the volume before the step and the volume that walls sweep in it. (In dual time:
 * fv_dual_sums.) */
TRM_GROUP_KERNEL7(fv_cut_sums, TRM_NO_SHARED, fv_params, TRM_RO(real) q, TRM_RO(int) units,
                  TRM_RO(int) joins, TRM_RO(real) volumes, TRM_RO(real) fluxes,
                  TRM_RO(real) clock, TRM_RW(real) fresh)
{
  TRM_GROUP1(group);
  const int v = group % FV_VALUES;
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group / FV_VALUES * FV_CUT_GROUP + lane;
    if (i < p.units) {
      const real before = q[FV_CUT_INDEX(units[3 * i]) + v * FV_CELLS];
      const int end = units[3 * i + 4];
      const real length = clock[FV_DT] * p.alpha * fv_at_level(p, units[3 * i + 2]).inv_h;
      TRM_IN(real) volume = volumes + (trm_index)i * 3;
      real keep = R(1.0), share = volume[0];
      if (p.moves) {
        share = R(1.0) / trm_fma(p.alpha, volume[2], volume[1]);
        keep = share * volume[1];
      }
      real sum = R(0.0);
      TRM_UNROLL_FOUR for (int e = units[3 * i + 1]; e < end; e++) {
        const real flux = FV_CUT_OF(FV_CUT_ENTRY(fluxes, FV_VALUES, joins[e] / 2), v);
        sum = joins[e] & 1 ? sum - flux : sum + flux;
      }
      FV_CUT_OF(FV_CUT_ENTRY(fresh, FV_VALUES, i), v) =
        trm_fma(-length * share, sum, keep * before);
    }
  }
}

/* Blocks with listed or solid cells after the stage, FV_CUT_UPDATERS groups each; p.begins: before
 * the first. Solid cells hold nothing and take no part in the step's length, which the last stage
 * and the begin ask for. */
TRM_GROUP_KERNEL8(fv_cut_update, fv_rates, fv_params, TRM_RO(int) marks, TRM_RO(real) fresh,
                  TRM_RO(real) dt_ratios, TRM_RW(real) w, TRM_RW(real) q, TRM_RW(real) part,
                  TRM_RO(real) clock, TRM_RO(int) near)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_rates, s);
  const int updaters = FV_CUT_UPDATERS(p, FV_SZ), planes = FV_SZ / updaters;
  const int bottom = group % updaters * planes, asks = p.begins || p.is_last;
  TRM_IN(int) mark = marks + (trm_index)(group / updaters) * (FV_CELLS + 1);
  const trm_index slot = mark[0];
  TRM_OUT(real) next = w + slot * FV_BLOCK;
  TRM_OUT(real) kept = q + slot * FV_BLOCK;
  const fv_params own = fv_at_level(p, near[slot * FV_NEAR_INTS + FV_LEVEL]);
  if (p.begins || FV_RUNS(clock)) {
    TRM_SERIAL(i, FV_SX * FV_SY) {
      real fastest = R(0.0);
      TRM_UNROLL_FOUR for (int z = bottom; z < bottom + planes; z++) {
        const int at = z * FV_SX * FV_SY + i, unit = mark[1 + at];
        fv_cell c;
        if (unit >= 0 && !p.begins) {
          TRM_IN(real) from = FV_CUT_ENTRY(fresh, FV_VALUES, unit);
          c = fv_values(own, from[0], FV_CUT_OF(from, 1), FV_CUT_OF(from, 2), FV_CUT_OF(from, 3),
                        FV_CUT_OF(from, 4));
          FV_STORE(next, at, c);
          for (int v = 0; v < FV_VALUES && p.is_last; v++)
            kept[v * FV_CELLS + at] = FV_CUT_OF(from, v);
        } else if (unit == -2) {
          c.u = R(0.0);
          c.v = R(0.0);
          c.w = R(0.0);
          c.rho = R(1.0);
          c.t = R(1.0);
          FV_STORE(next, at, c);
          for (int v = 0; v < FV_VALUES && p.is_last; v++) kept[v * FV_CELLS + at] = R(0.0);
        } else if (asks) {
          c.u = next[at];
          c.v = next[FV_CELLS + at];
          c.w = next[2 * FV_CELLS + at];
          c.rho = next[3 * FV_CELLS + at];
          c.t = next[4 * FV_CELLS + at];
        }
        if (unit != -2 && asks) {
          const real rate = fv_rate(own, c);
          fastest = trm_more(fastest, unit < 0 ? rate : dt_ratios[unit] * rate);
        }
      }
      s.speed[i] = fastest;
    }
    for (int fold = FV_SX * FV_SY / 2; fold > 0 && asks; fold /= 2)
      TRM_EACH(i, fold) { s.speed[i] = trm_more(s.speed[i], s.speed[i + fold]); }
    if (asks) TRM_EACH(i, 1) { part[slot] = s.speed[0]; }
  }
}
