/* fv_volumes_flow.h - a step of the gas in control volumes (docs/design.md, "Cut cells").
 *
 * A stage to the part c of the step makes V(c) Q = V0 Qn - c (dt sum A F + walls). V(c) is
 * V0 + c (V1 - V0), and openings are the step's means. So a uniform stream stays uniform to
 * rounding, whatever the walls do. In the stages before the last, a volume in need takes its
 * neighbourhood's mean rate. The last stage redistributes in full, with slopes, in two sweeps.
 * There shares hold what they give, so mass and energy are conserved.
 *
 * Parameters: p.units volumes and p.faces face parts; p.when is the part of the step that the state
 * has, p.alpha that of the stage's end. States are rho, rho u, rho v, rho w, rho E; values are
 * u, v, w, rho, gamma p. Slopes are per cell. Outer cells have all of these behind the volumes
 * (fv_volumes_flow_outer.h). */
#define FV_FLOW_PLACE 4        /* a volume's size and middle, as the state has them */
#define FV_FLOW_SLOPES 15
#define FV_FLOW_MEANS 20       /* a neighbourhood's mean state, and its slopes */
#define FV_FLOW_VACUUM R(1e-13)

/* The gas of a volume, or of a neighbourhood, in a part of the step: its size and middle. */
typedef struct fv_flow_gas { real volume, at[3]; } fv_flow_gas;

/* A middle of a size near rounding is rounding as well: it is kept within the cell, or face. */
TRM_INLINE real fv_flow_within(const real at, const real most)
{
  return trm_max(-most, trm_min(most, at));
}

/* ends: four numbers each. The middle is `most` from the cell's at most. A volume that is gone, or
 * not there yet, is where it was or will be. */
TRM_INLINE fv_flow_gas fv_flow_then(TRM_IN(real) ends, const real when, const real most)
{
  const real begin = R(1.0) - when;
  fv_flow_gas g;
  g.volume = begin * ends[0] + when * ends[4];
  for (int a = 0; a < 3; a++) {
    const real moment = begin * ends[1 + a] + when * ends[5 + a];
    g.at[a] = fv_flow_within(g.volume > R(0.0) ? moment / g.volume
                             : ends[0] > R(0.0) ? ends[1 + a] / ends[0]
                             : ends[4] > R(0.0) ? ends[5 + a] / ends[4] : R(0.0), most);
  }
  return g;
}

/* A volume is in its cell, a neighbourhood in the cells beside, too. */
TRM_INLINE fv_flow_gas fv_gas_then(TRM_IN(real) gas, const real when)
{
  return fv_flow_then(gas, when, R(0.5));
}

TRM_INLINE fv_flow_gas fv_hood_then(TRM_IN(real) hood, const real when)
{
  return fv_flow_then(hood + FV_HOOD_BEGIN, when, R(1.5));
}

TRM_INLINE void fv_flow_values(const fv_params p, TRM_IN(real) q, TRM_OUT(real) to)
{
  const real rho = q[0];
  const int is_there = rho > FV_FLOW_VACUUM;
  const real per = is_there ? R(1.0) / rho : R(0.0);
  for (int a = 0; a < 3; a++) to[a] = q[1 + a] * per;
  const real inner = q[4] - R(0.5) * ((q[1] * to[0] + q[2] * to[1]) + q[3] * to[2]);
  to[3] = is_there ? rho : FV_FLOW_VACUUM;
  to[4] = is_there ? trm_max(p.heat * inner, FV_FLOW_VACUUM) : FV_FLOW_VACUUM;
}

TRM_INLINE void fv_flow_conserved(const fv_params p, TRM_IN(real) w, TRM_OUT(real) to)
{
  to[0] = w[3];
  for (int a = 0; a < 3; a++) to[1 + a] = w[3] * w[a];
  to[4] = w[4] / p.heat + R(0.5) * ((to[1] * w[0] + to[2] * w[1]) + to[3] * w[2]);
}

/* ---- a step's begin ------------------------------------------------------------------------ */

/* The state at the begin: the mean of the step before's in volumes that are now one. */
TRM_GROUP_KERNEL4(fv_flow_begin, TRM_NO_SHARED, fv_params, TRM_RO(int) olds, TRM_RO(real) taken,
                  TRM_RO(real) was, TRM_RW(real) q)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      TRM_IN(int) old = olds + v * FV_OLD_INTS;
      TRM_OUT(real) to = q + v * FV_VALUES;
      real volume = R(0.0);
      for (int i = 0; i < FV_VALUES; i++) to[i] = R(0.0);
      for (int n = 1; n <= old[0]; n++) {
        const real share = taken[v * FV_CELL_PARTS + n - 1];
        for (int i = 0; i < FV_VALUES; i++) to[i] += share * was[old[n] * FV_VALUES + i];
        volume += share;
      }
      for (int i = 0; i < FV_VALUES; i++)
        to[i] = old[0] == 1 ? was[old[1] * FV_VALUES + i]
                : volume > R(0.0) ? to[i] / volume : R(0.0);
    }
  }
}

/* ---- values and slopes --------------------------------------------------------------------- */

TRM_GROUP_KERNEL5(fv_flow_state, TRM_NO_SHARED, fv_params, TRM_RO(real) gas, TRM_RO(real) q,
                  TRM_RW(real) places, TRM_RW(real) w, TRM_RW(int) fresh)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      const fv_flow_gas own = fv_gas_then(gas + v * FV_VOLUME_REALS, p.when);
      places[v * FV_FLOW_PLACE] = own.volume;
      for (int a = 0; a < 3; a++) places[v * FV_FLOW_PLACE + 1 + a] = own.at[a];
      fv_flow_values(p, q + v * FV_VALUES, w + v * FV_VALUES);
      fresh[v] = own.volume > R(0.0) ? FV_FLOW_HOLDS : FV_FLOW_EMPTY;
    }
  }
}

/* A value at a place from the middle of its volume. */
TRM_INLINE real fv_flow_at(const real value, TRM_IN(real) slope, const real *off)
{
  return value + ((slope[0] * off[0] + slope[1] * off[1]) + slope[2] * off[2]);
}


/* The way from a volume's middle to a neighbour's; near: the neighbour's number. */
TRM_INLINE void fv_flow_way(const int near, TRM_IN(real) own, TRM_IN(real) other, real *way)
{
  for (int a = 0; a < 3; a++)
    way[a] = (real)FV_NEAR_WAY(near, a) + (other[1 + a] - own[1 + a]);
}

/* Sums of least squares: squares xx, yy, zz, xy, yz, zx, and the products with each value. */
typedef struct fv_flow_fit {
  real square[6], product[3][FV_VALUES], least[FV_VALUES], most[FV_VALUES];
} fv_flow_fit;

TRM_INLINE void fv_flow_add(fv_flow_fit *f, const real volume, const real *way, TRM_IN(real) w,
                            TRM_IN(real) other)
{
  const real weight =
      volume / (((way[0] * way[0] + way[1] * way[1]) + way[2] * way[2]) + R(0.25));
  for (int a = 0; a < 3; a++) {
    f->square[a] += weight * (way[a] * way[a]);
    f->square[3 + a] += weight * (way[a] * way[(a + 1) % 3]);
  }
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < FV_VALUES; i++)
      f->product[a][i] += weight * (way[a] * (other[i] - w[i]));
  for (int i = 0; i < FV_VALUES; i++) {
    f->least[i] = trm_min(f->least[i], other[i]);
    f->most[i] = trm_max(f->most[i], other[i]);
  }
}

/* The inverse of the squares. Where neighbours nearly lie in a plane or a line, a ridge lets slopes
 * across vanish. It sets in smoothly, where the determinant is below 0.05 of the mean's cube. In
 * two dimensions it is the mean's square, and there are no slopes along z. */
#if FV_SZ > 1
TRM_INLINE void fv_flow_invert(const fv_flow_fit *f, real to[3][3])
{
  real m[3][3], ridge = R(0.0), determinant = R(0.0);
  const real third = ((f->square[0] + f->square[1]) + f->square[2]) / R(3.0);
  const real scale = third > R(0.0) ? R(1.0) / third : R(0.0);
  for (int pass = 0; pass < 2; pass++) {
    for (int a = 0; a < 3; a++) {
      m[a][a] = scale * f->square[a] + ridge;
      m[a][(a + 1) % 3] = m[(a + 1) % 3][a] = scale * f->square[3 + a];
    }
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) {
        const int a1 = (a + 1) % 3, a2 = (a + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;
        to[b][a] = m[a1][b1] * m[a2][b2] - m[a1][b2] * m[a2][b1];
      }
    determinant = (m[0][0] * to[0][0] + m[0][1] * to[1][0]) + m[0][2] * to[2][0];
    const real lacks = trm_max(R(0.0), R(1.0) - R(20.0) * determinant);
    ridge = R(0.06) * (lacks * lacks);
  }
  const real per = determinant > R(0.0) ? scale / determinant : R(0.0);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) to[a][b] *= per;
}
#else
TRM_INLINE void fv_flow_invert(const fv_flow_fit *f, real to[3][3])
{
  const real mean = R(0.5) * (f->square[0] + f->square[1]);
  const real scale = mean > R(0.0) ? R(1.0) / mean : R(0.0), xy = scale * f->square[3];
  real determinant = R(0.0), ridge = R(0.0);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) to[a][b] = R(0.0);
  for (int pass = 0; pass < 2; pass++) {
    to[1][1] = scale * f->square[0] + ridge;
    to[0][0] = scale * f->square[1] + ridge;
    to[0][1] = to[1][0] = -xy;
    determinant = to[0][0] * to[1][1] - xy * xy;
    const real lacks = trm_max(R(0.0), R(1.0) - R(20.0) * determinant);
    ridge = R(0.06) * (lacks * lacks);
  }
  const real per = determinant > R(0.0) ? scale / determinant : R(0.0);
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) to[a][b] *= per;
}
#endif

/* How much of a slope a neighbour allows (Michalak and Ollivier-Gooch, J. Comput. Phys. 228 (2009)
 * 8693). rise: along half of the way to it; room: to the neighbours' least or most value. */
TRM_INLINE real fv_flow_limit(const real rise, const real room, const real slack)
{
  const real square = room * room + slack * slack;
  if (square >= R(2.25) * (rise * rise)) return R(1.0);
  const real y = trm_sqrt(square) / trm_fabs(rise);
  return y - R(4.0) / R(27.0) * (y * y * y);
}

/* The sums of least squares over a volume's neighbours that hold gas. */
TRM_INLINE void fv_flow_gather(TRM_IN(real) places, TRM_IN(int) list, TRM_IN(real) w,
                               TRM_IN(int) fresh, const trm_index v, fv_flow_fit *f)
{
  TRM_IN(real) value = w + v * FV_VALUES;
  for (int i = 0; i < 6; i++) f->square[i] = R(0.0);
  for (int i = 0; i < FV_VALUES; i++) {
    f->product[0][i] = f->product[1][i] = f->product[2][i] = R(0.0);
    f->least[i] = f->most[i] = value[i];
  }
  for (int n = 1; n <= list[0]; n++) {
    const int j = FV_NEAR_VOLUME(list[n]);
    TRM_IN(real) other = places + j * FV_FLOW_PLACE;
    real way[3];
    if (fresh[j] != FV_FLOW_HOLDS) continue;
    fv_flow_way(list[n], places + v * FV_FLOW_PLACE, other, way);
    fv_flow_add(f, other[0], way, value, w + j * FV_VALUES);
  }
}

/* The limited slopes of a volume that holds gas. */
TRM_INLINE void fv_flow_put_slopes(TRM_IN(real) places, TRM_IN(int) list, TRM_IN(real) w,
                                   TRM_IN(int) fresh, const trm_index v, TRM_OUT(real) to)
{
  TRM_IN(real) value = w + v * FV_VALUES;
  fv_flow_fit f;
  real inverse[3][3], slope[3][FV_VALUES], fall[FV_VALUES], rise[FV_VALUES];
  fv_flow_gather(places, list, w, fresh, v, &f);
  fv_flow_invert(&f, inverse);
  for (int i = 0; i < FV_VALUES; i++) fall[i] = rise[i] = R(0.0);
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < FV_VALUES; i++)
      slope[a][i] = (inverse[a][0] * f.product[0][i] + inverse[a][1] * f.product[1][i]) +
                    inverse[a][2] * f.product[2][i];
  for (int n = 1; n <= list[0]; n++) { /* the neighbours that allow least */
    const int j = FV_NEAR_VOLUME(list[n]);
    real way[3];
    if (fresh[j] != FV_FLOW_HOLDS) continue;
    fv_flow_way(list[n], places + v * FV_FLOW_PLACE, places + j * FV_FLOW_PLACE, way);
    for (int i = 0; i < FV_VALUES; i++) {
      const real along =
          R(0.5) * ((slope[0][i] * way[0] + slope[1][i] * way[1]) + slope[2][i] * way[2]);
      fall[i] = trm_min(fall[i], along);
      rise[i] = trm_max(rise[i], along);
    }
  }
  for (int i = 0; i < FV_VALUES; i++) {
    const real slack = R(1e-3) * (i < 3 ? trm_sqrt(value[4] / value[3]) : value[i]);
    const real part = trm_min(fv_flow_limit(fall[i], value[i] - f.least[i], slack),
                              fv_flow_limit(rise[i], f.most[i] - value[i], slack));
    for (int a = 0; a < 3; a++) to[3 * i + a] = part * slope[a][i];
  }
}

TRM_GROUP_KERNEL5(fv_flow_slopes, TRM_NO_SHARED, fv_params, TRM_RO(real) places, TRM_RO(int) near,
                  TRM_RO(real) w, TRM_RO(int) fresh, TRM_RW(real) slopes)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      TRM_OUT(real) to = slopes + v * FV_FLOW_SLOPES;
      for (int i = 0; i < FV_FLOW_SLOPES; i++) to[i] = R(0.0);
      if (fresh[v] == FV_FLOW_HOLDS)
        fv_flow_put_slopes(places, near + v * FV_NEAR_LIST_INTS, w, fresh, v, to);
    }
  }
}

/* The place of a face part from the middle of a volume, which is below it or above. */
TRM_INLINE void fv_flow_off(TRM_IN(real) opening, const int axis, const int is_above,
                            TRM_IN(real) own, real *off)
{
  const int b = (axis + 1) % 3, c = (axis + 2) % 3;
  off[axis] = (is_above ? -R(0.5) : R(0.5)) - own[1 + axis];
  off[b] = fv_flow_within(opening[1] / opening[0], R(0.5)) - own[1 + b];
  off[c] = fv_flow_within(opening[2] / opening[0], R(0.5)) - own[1 + c];
}

/* Values of a volume at a face part, or wall. Where density or pressure nearly vanish, its own. */
TRM_INLINE void fv_flow_reach(TRM_IN(real) w, TRM_IN(real) slopes, const real *off, real *to)
{
  for (int i = 0; i < FV_VALUES; i++) to[i] = fv_flow_at(w[i], slopes + 3 * i, off);
  const int is_low = to[3] < R(0.1) * w[3] || to[4] < R(0.1) * w[4];
  for (int i = 0; i < FV_VALUES; i++) to[i] = is_low ? w[i] : to[i];
}

TRM_INLINE void fv_flow_side(TRM_IN(real) places, TRM_IN(real) w, TRM_IN(real) slopes,
                             TRM_IN(real) opening, const int axis, const int is_above,
                             const int v, real *to)
{
  real off[3];
  fv_flow_off(opening, axis, is_above, places + v * FV_FLOW_PLACE, off);
  fv_flow_reach(w + v * FV_VALUES, slopes + v * FV_FLOW_SLOPES, off, to);
}

/* Volumes without gas take the values at their open faces, each by its opening. Launched twice, so
 * that a second layer has some, too. Volumes that have none then are empty. */
TRM_GROUP_KERNEL9(fv_flow_fill, TRM_NO_SHARED, fv_params, TRM_RO(int) volumes,
                  TRM_RO(real) places, TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(real) openings,
                  TRM_RO(real) slopes, TRM_RO(int) fresh, TRM_RW(real) w, TRM_RW(int) next)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      next[v] = fresh[v];
      if (fresh[v] == FV_FLOW_EMPTY) {
        const int k = volumes[v] / FV_CELL_PARTS;
        TRM_OUT(real) own = w + v * FV_VALUES;
        real sum[FV_VALUES], open = R(0.0);
        for (int i = 0; i < FV_VALUES; i++) sum[i] = R(0.0);
        FV_EACH_SIDE(v, k, s, f) {
          const int j = FV_BEYOND(s, f);
          TRM_IN(real) opening = openings + f * FV_OPENING_REALS;
          if (j >= 0 && fresh[j] != FV_FLOW_EMPTY && opening[0] > R(0.0)) {
            real there[FV_VALUES];
            fv_flow_side(places, w, slopes, opening, s / 2, s % 2, j, there);
            for (int i = 0; i < FV_VALUES; i++) sum[i] += opening[0] * there[i];
            open += opening[0];
          }
        }
        for (int i = 0; i < FV_VALUES; i++)
          own[i] = open > R(0.0) ? sum[i] / open : i < 3 ? R(0.0) : FV_FLOW_VACUUM;
        next[v] = open > R(0.0) ? FV_FLOW_FILLED : FV_FLOW_EMPTY;
      }
    }
  }
}

/* At the begin a volume without gas has its neighbours' state, for rates. */
TRM_GROUP_KERNEL3(fv_flow_adopt, TRM_NO_SHARED, fv_params, TRM_RO(real) w, TRM_RO(int) fresh,
                  TRM_RW(real) q)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units && fresh[v] != FV_FLOW_HOLDS)
      fv_flow_conserved(p, w + v * FV_VALUES, q + v * FV_VALUES);
  }
}

/* ---- fluxes -------------------------------------------------------------------------------- */

/* fluxes: of each face part over the whole step. */
TRM_GROUP_KERNEL8(fv_flow_fluxes, TRM_NO_SHARED, fv_params, TRM_RO(int) joins,
                  TRM_RO(real) openings, TRM_RO(real) places, TRM_RO(real) w,
                  TRM_RO(real) slopes, TRM_RO(int) fresh, TRM_RO(real) clock, TRM_RW(real) fluxes)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index f = (trm_index)group * TRM_GROUP + lane;
    if (f < p.faces) {
      const int left = FV_STATE_OF(p.units, joins[f * FV_JOIN_INTS + FV_JOIN_LOW]);
      const int right = FV_STATE_OF(p.units, joins[f * FV_JOIN_INTS + FV_JOIN_HIGH]);
      const int n = joins[f * FV_JOIN_INTS + FV_JOIN_AXIS], a = (n + 1) % 3, b = (n + 2) % 3;
      TRM_IN(real) opening = openings + f * FV_OPENING_REALS;
      TRM_OUT(real) to = fluxes + f * FV_VALUES;
      const real size = opening[0] * (clock[FV_DT] * p.inv_h);
      real l[FV_VALUES], r[FV_VALUES];
      for (int i = 0; i < FV_VALUES; i++) to[i] = R(0.0);
      if (opening[0] > R(0.0)) {
        fv_flow_side(places, w, slopes, opening, n, 0, left, l);
        fv_flow_side(places, w, slopes, opening, n, 1, right, r);
        int jumps = 0;
        for (int i = 3; i < FV_VALUES; i++)
          jumps |= l[i] < R(0.3) * r[i] || r[i] < R(0.3) * l[i];
        for (int i = 0; i < FV_VALUES; i++) {
          l[i] = jumps && fresh[left] == FV_FLOW_HOLDS ? w[left * FV_VALUES + i] : l[i];
          r[i] = jumps && fresh[right] == FV_FLOW_HOLDS ? w[right * FV_VALUES + i] : r[i];
        }
        const fv_face_flux c =
            fv_convective_flux(p, FV_FORM_OF(p), R(1.0), l[n], r[n], l[a], r[a], l[b], r[b], l[3],
                               r[3], l[4], r[4]);
        to[0] = size * c.mass;
        to[1 + n] = size * (c.mass * c.u + c.pressure);
        to[1 + a] = size * (c.mass * c.v);
        to[1 + b] = size * (c.mass * c.w);
        to[4] = size * (c.mass * c.enthalpy + c.work);
      }
    }
  }
}
