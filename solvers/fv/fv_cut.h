/* Cells that a wall cuts, and those about them whose faces look at one: lists, beside the stage.
 *
 * A unit is a cell, or a group of cells that acts as one: a small piece and the cell that it is
 * merged with. Slopes are least squares over the units about one, with factors that the host made
 * of places alone; where all neighbours are whole cells, they are central and a face's flux is
 * fv_face's but for rounding. Each face is computed once. Before the stage: slopes, fluxes, sums.
 * After it: what it wrote into listed cells is replaced, and solid cells are at rest again.
 *
 * spots[unit]: cell, first of its looks, twice their number and 1 where its wall has a temperature.
 * looks: cells, or -1 less a wall's number; those of FV_CUT_GROUP units side by side, as a group's
 * items read them; so are their six weights. faces: axis, units to its left and right, level; after
 * p.faces the walls: kind, unit, body, level. sizes: of those (FV_CUT_SIZES); of a wall area and
 * normal, place, velocity, temperature, arm about the body's place, 1 / area, normal speed * area,
 * and what the wall's slope is steeper by, times area (fv_cut_wall).
 * units: master cell, first of its joins, level; joins: twice a face's number, and 1 where the unit
 * lies to its right. marks of a block: slot, then for each cell -1, -2 where it is solid, or its
 * number among the units. */

#define FV_CUT_INDEX(cell) ((trm_index)((cell) / FV_CELLS) * FV_BLOCK + (cell) % FV_CELLS)

TRM_INLINE fv_cell fv_cut_load(TRM_IN(real) w, const int cell)
{
  TRM_IN(real) from = w + FV_CUT_INDEX(cell);
  fv_cell c;
  c.u = from[0];
  c.v = from[FV_CELLS];
  c.w = from[2 * FV_CELLS];
  c.rho = from[3 * FV_CELLS];
  c.t = from[4 * FV_CELLS];
  return c;
}

/* Slopes of u, v, w, rho, T and gamma p, times h; x, y, z each. */
TRM_GROUP_KERNEL6(fv_cut_slopes, TRM_NO_SHARED, fv_params, TRM_RO(real) w, TRM_RO(int) spots,
                  TRM_RO(int) looks, TRM_RO(real) weights, TRM_RO(real) sizes,
                  TRM_RW(real) slopes)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < p.sloped) {
      const fv_cell c = fv_cut_load(w, spots[3 * i]);
      const int is_isothermal = spots[3 * i + 2] & 1, count = spots[3 * i + 2] / 2;
      TRM_OUT(real) to = slopes + (trm_index)i * FV_CUT_SLOPES;
      real s[FV_CUT_SLOPES];
      for (int k = 0; k < FV_CUT_SLOPES; k++) s[k] = R(0.0);
      for (int k = 0; k < count; k++) {
        const trm_index row = spots[3 * i + 1] + k * FV_CUT_GROUP - lane;
        const int look = looks[row + lane];
        TRM_IN(real) plain = weights + row * 6 + lane;
        fv_cell d;
        real pressure = R(0.0);
        if (look >= 0) {
          d = fv_cut_load(w, look);
          pressure = d.rho * d.t - c.rho * c.t;
        } else {
          TRM_IN(real) wall = sizes + (trm_index)(p.faces - 1 - look) * FV_CUT_SIZES + 6;
          d.u = wall[0];
          d.v = wall[1];
          d.w = wall[2];
          d.t = wall[3];
          d.rho = c.rho;
        }
        for (int a = 0; a < 3; a++) {
          const real whole = plain[a * FV_CUT_GROUP];
          const real walled = p.is_plain ? whole : plain[(3 + a) * FV_CUT_GROUP];
          s[a] = trm_fma(walled, d.u - c.u, s[a]);
          s[3 + a] = trm_fma(walled, d.v - c.v, s[3 + a]);
          s[6 + a] = trm_fma(walled, d.w - c.w, s[6 + a]);
          s[9 + a] = trm_fma(whole, d.rho - c.rho, s[9 + a]);
          s[12 + a] = trm_fma(is_isothermal ? walled : whole, d.t - c.t, s[12 + a]);
          s[15 + a] = trm_fma(whole, pressure, s[15 + a]);
        }
      }
      for (int k = 0; k < FV_CUT_SLOPES; k++) to[k] = s[k];
    }
  }
}

/* A value of a unit, so far from its centroid; a positive one stays so. */
TRM_INLINE real fv_cut_at(const real value, TRM_IN(real) slope, TRM_IN(real) off)
{
  return trm_fma(slope[0], off[0], trm_fma(slope[1], off[1], trm_fma(slope[2], off[2], value)));
}
TRM_INLINE real fv_cut_above(const real value, TRM_IN(real) slope, TRM_IN(real) off)
{
  const real there = fv_cut_at(value, slope, off);
  return there > R(0.1) * value ? there : value;
}

/* The derivative of value k along axis a at a face: the mean of both slopes, and along the face's
 * normal n a tenth of what the two values say beside that. */
#define FV_CUT_MEAN(k, a) (R(0.5) * (ls[3 * (k) + (a)] + rs[3 * (k) + (a)]))
#define FV_CUT_MEANT(k, x) \
  trm_fma(FV_CUT_MEAN(k, 0), x[0], trm_fma(FV_CUT_MEAN(k, 1), x[1], FV_CUT_MEAN(k, 2) * x[2]))
#define FV_CUT_NORMAL(k, left, right) \
  trm_fma(R(0.1) * size[1], ((right) - (left)) - FV_CUT_MEANT(k, apart), FV_CUT_MEAN(k, n))

/* Velocity along axis i, of three. */
#define FV_CUT_PICK(cell, i) ((i) == 0 ? (cell).u : (i) == 1 ? (cell).v : (cell).w)

TRM_INLINE void fv_cut_face(const fv_params p, TRM_IN(int) face, TRM_IN(real) size,
                            TRM_IN(int) spots, TRM_IN(real) w, TRM_IN(real) slopes,
                            TRM_OUT(real) to)
{
  const int n = face[0], a = n == 2 ? 0 : n + 1, b = n == 0 ? 2 : n - 1;
  const fv_params own = fv_at_level(p, face[3]);
  TRM_IN(real) ls = slopes + (trm_index)face[1] * FV_CUT_SLOPES;
  TRM_IN(real) rs = slopes + (trm_index)face[2] * FV_CUT_SLOPES;
  const fv_cell lc = fv_cut_load(w, spots[3 * face[1]]);
  const fv_cell rc = fv_cut_load(w, spots[3 * face[2]]);
  TRM_IN(real) lo = size + 3;
  TRM_IN(real) ro = size + 6;
  const real apart[3] = { lo[0] - ro[0], lo[1] - ro[1], lo[2] - ro[2] };
  const real lu = FV_CUT_PICK(lc, n), lv = FV_CUT_PICK(lc, a), lw = FV_CUT_PICK(lc, b);
  const real ru = FV_CUT_PICK(rc, n), rv = FV_CUT_PICK(rc, a), rw = FV_CUT_PICK(rc, b);
  const real ul = fv_cut_at(lu, ls + 3 * n, lo), ur = fv_cut_at(ru, rs + 3 * n, ro);
  const real vl = fv_cut_at(lv, ls + 3 * a, lo), vr = fv_cut_at(rv, rs + 3 * a, ro);
  const real wl = fv_cut_at(lw, ls + 3 * b, lo), wr = fv_cut_at(rw, rs + 3 * b, ro);
  const real rl = fv_cut_above(lc.rho, ls + 9, lo), rr = fv_cut_above(rc.rho, rs + 9, ro);
  const real pl = fv_cut_above(lc.rho * lc.t, ls + 15, lo);
  const real pr = fv_cut_above(rc.rho * rc.t, rs + 15, ro);
  const fv_carried carried = fv_carry(own, R(1.0), ul, ur, vl, vr, wl, wr, rl, rr, pl, pr);
  const real stress = own.viscosity * own.inv_h, open = size[0];
  const real along = stress * trm_fma(R(1.3333333333333333), FV_CUT_NORMAL(n, lu, ru),
                                      R(-0.66666666666666663) *
                                        (FV_CUT_MEAN(a, a) + FV_CUT_MEAN(b, b)));
  const real across_a = stress * (FV_CUT_NORMAL(a, lv, rv) + FV_CUT_MEAN(n, a));
  const real across_b = stress * (FV_CUT_NORMAL(b, lw, rw) + FV_CUT_MEAN(n, b));
  const real heat = own.conduction * stress * FV_CUT_NORMAL(4, lc.t, rc.t);
  const real twice_v = trm_fma(size[2], (lv + rv) - (vl + vr), vl + vr);
  const real twice_w = trm_fma(size[2], (lw + rw) - (wl + wr), wl + wr);
  const real work = R(0.5) * trm_fma(along, ul + ur,
                                     trm_fma(across_a, twice_v, across_b * twice_w));
  to[0] = open * carried.mass;
  to[1 + n] = open * trm_fma(carried.mass, carried.u, carried.pressure - along);
  to[1 + a] = open * trm_fma(carried.mass, carried.v, -across_a);
  to[1 + b] = open * trm_fma(carried.mass, carried.w, -across_b);
  to[4] = open * trm_fma(carried.mass, carried.enthalpy, carried.work - (heat + work));
}

/* A wall: pressure, and where it holds the gas fast friction, its work and heat. Slopes are those
 * at the unit's centroid. By as much as the line along them misses the wall's own velocity
 * (`misses`) they are steeper at the wall along its normal, times size[15]: parabolas are exact. */
TRM_INLINE void fv_cut_wall(const fv_params p, TRM_IN(int) wall, TRM_IN(real) size,
                            TRM_IN(int) spots, TRM_IN(real) w, TRM_IN(real) slopes,
                            TRM_OUT(real) to, TRM_OUT(real) force)
{
  const fv_params own = fv_at_level(p, wall[3]);
  TRM_IN(real) s = slopes + (trm_index)wall[1] * FV_CUT_SLOPES;
  const fv_cell c = fv_cut_load(w, spots[3 * wall[1]]);
  const real pressure = p.inv_gamma * fv_cut_above(c.rho * c.t, s + 15, size + 3);
  const real stress = wall[0] > FV_CUT_SLIP ? own.viscosity * own.inv_h : R(0.0);
  const real spread = R(0.66666666666666663) * ((s[0] + s[4]) + s[8]);
  const trm_index walls = p.walls;
  const real more = stress > R(0.0) ? size[15] : R(0.0);
  const real misses[3] = { more * (size[6] - fv_cut_at(c.u, s, size + 3)),
                           more * (size[7] - fv_cut_at(c.v, s + 3, size + 3)),
                           more * (size[8] - fv_cut_at(c.w, s + 6, size + 3)) };
  const real through = R(0.33333333333333331) * size[13] * size[13] *
                       trm_fma(misses[0], size[0], trm_fma(misses[1], size[1],
                                                           misses[2] * size[2]));
  real heat = R(0.0), work = R(0.0);
  for (int a = 0; a < 3; a++) {
    real drag = -stress * trm_fma(through, size[a], misses[a]);
    for (int b = 0; b < 3; b++) {
      const real sheared = (s[3 * a + b] + s[3 * b + a]) - (a == b ? spread : R(0.0));
      drag = trm_fma(-stress * sheared, size[b], drag);
    }
    const real push = pressure * size[a];
    force[a * walls] = push;
    force[(3 + a) * walls] = drag;
    to[1 + a] = push + drag;
    work = trm_fma(drag, size[6 + a], work);
    if (wall[0] == FV_CUT_ISOTHERMAL)
      heat = trm_fma(own.conduction * stress * s[12 + a], size[a], heat);
  }
  if (wall[0] == FV_CUT_ISOTHERMAL)
    heat = trm_fma(own.conduction * stress, more * (size[9] - fv_cut_at(c.t, s + 12, size + 3)),
                   heat);
  to[0] = R(0.0);
  to[4] = trm_fma(pressure, size[14], work - heat);
  force[6 * walls] = -heat;
  force[10 * walls] = -trm_fma(pressure, size[14], work);
  for (int a = 0; a < 3; a++) {
    const int i = a == 2 ? 0 : a + 1, j = a == 0 ? 2 : a - 1;
    force[(FV_FELT + a) * walls] = trm_fma(size[10 + i], to[1 + j], -(size[10 + j] * to[1 + i]));
  }
}

TRM_GROUP_KERNEL7(fv_cut_fluxes, TRM_NO_SHARED, fv_params, TRM_RO(real) w, TRM_RO(int) spots,
                  TRM_RO(real) slopes, TRM_RO(int) faces, TRM_RO(real) sizes,
                  TRM_RW(real) fluxes, TRM_RW(real) forces)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    TRM_IN(int) face = faces + (trm_index)i * 4;
    TRM_IN(real) size = sizes + (trm_index)i * FV_CUT_SIZES;
    TRM_OUT(real) to = fluxes + (trm_index)i * FV_VALUES;
    if (i < p.faces) fv_cut_face(p, face, size, spots, w, slopes, to);
    else if (i < p.faces + p.walls)
      fv_cut_wall(p, face, size, spots, w, slopes, to,
                  forces + (i - p.faces));
  }
}

/* What units hold before a step in which walls move: the gas that their cells had, shared out. A
 * cell of a group has what the group's slopes say of its place: tilts: their number, -1 for none,
 * `offs` the way from the group's centroid to its own. Over the group that adds up to nothing. */
TRM_GROUP_KERNEL9(fv_cut_inherit, TRM_NO_SHARED, fv_params, TRM_RO(real) q, TRM_RO(real) w,
                  TRM_RO(int) firsts, TRM_RO(int) cells, TRM_RO(real) parts, TRM_RO(int) tilts,
                  TRM_RO(real) offs, TRM_RO(real) slopes, TRM_RW(real) fresh)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < p.units) {
      const int end = firsts[i + 1];
      real sum[FV_VALUES];
      for (int v = 0; v < FV_VALUES; v++) sum[v] = R(0.0);
      for (int e = firsts[i]; e < end; e++) {
        TRM_IN(real) from = q + FV_CUT_INDEX(cells[e]);
        const real part = parts[e];
        for (int v = 0; v < FV_VALUES; v++) sum[v] = trm_fma(part, from[v * FV_CELLS], sum[v]);
        if (tilts[e] >= 0) {
          const fv_cell c = fv_cut_load(w, cells[e]);
          TRM_IN(real) s = slopes + (trm_index)tilts[e] * FV_CUT_SLOPES;
          TRM_IN(real) off = offs + (trm_index)e * 3;
          const real du = fv_cut_at(R(0.0), s, off), dv = fv_cut_at(R(0.0), s + 3, off);
          const real dw = fv_cut_at(R(0.0), s + 6, off), dr = fv_cut_at(R(0.0), s + 9, off);
          const real dt = fv_cut_at(R(0.0), s + 12, off);
          const real square = trm_fma(c.u, c.u, trm_fma(c.v, c.v, c.w * c.w));
          const real along = trm_fma(c.u, du, trm_fma(c.v, dv, c.w * dw));
          const real inner = trm_fma(c.rho, dt, c.t * dr) / p.heat;
          sum[0] = trm_fma(part, dr, sum[0]);
          sum[1] = trm_fma(part, trm_fma(c.rho, du, c.u * dr), sum[1]);
          sum[2] = trm_fma(part, trm_fma(c.rho, dv, c.v * dr), sum[2]);
          sum[3] = trm_fma(part, trm_fma(c.rho, dw, c.w * dr), sum[3]);
          sum[4] = trm_fma(part, trm_fma(c.rho, along, trm_fma(R(0.5) * square, dr, inner)),
                           sum[4]);
        }
      }
      for (int v = 0; v < FV_VALUES; v++) fresh[(trm_index)i * FV_VALUES + v] = sum[v];
    }
  }
}

/* Blocks at walls that move: how much of their cells holds gas. */
TRM_GROUP_KERNEL3(fv_cut_hold, TRM_NO_SHARED, fv_params, TRM_RO(int) marks, TRM_RO(real) held,
                  TRM_RW(real) gas)
{
  TRM_GROUP1(group);
  TRM_IN(real) from = held + (trm_index)group * FV_CELLS;
  TRM_OUT(real) to = gas + (trm_index)marks[(trm_index)group * (FV_CELLS + 1)] * FV_CELLS;
  TRM_SERIAL(i, FV_CELLS) { to[i] = from[i]; }
}

/* What each unit holds after the stage. volumes: 1 / its volume; where walls move, the volume
 * before the step and what walls sweep in it. */
#if !FV_IS_DUAL
TRM_GROUP_KERNEL7(fv_cut_sums, TRM_NO_SHARED, fv_params, TRM_RO(real) q, TRM_RO(int) units,
                  TRM_RO(int) joins, TRM_RO(real) volumes, TRM_RO(real) fluxes,
                  TRM_RO(real) clock, TRM_RW(real) fresh)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < p.units) {
      TRM_IN(real) from = q + FV_CUT_INDEX(units[3 * i]);
      TRM_OUT(real) to = fresh + (trm_index)i * FV_VALUES;
      const int end = units[3 * i + 4];
      const real length = clock[FV_DT] * p.alpha * fv_at_level(p, units[3 * i + 2]).inv_h;
      TRM_IN(real) volume = volumes + (trm_index)i * 3;
      real keep = R(1.0), share = volume[0];
      if (p.moves) {
        share = R(1.0) / trm_fma(p.alpha, volume[2], volume[1]);
        keep = share * volume[1];
      }
      real sum[FV_VALUES];
      for (int v = 0; v < FV_VALUES; v++) sum[v] = R(0.0);
      for (int e = units[3 * i + 1]; e < end; e++) {
        TRM_IN(real) flux = fluxes + (trm_index)(joins[e] / 2) * FV_VALUES;
        for (int v = 0; v < FV_VALUES; v++)
          sum[v] = joins[e] & 1 ? sum[v] - flux[v] : sum[v] + flux[v];
      }
      for (int v = 0; v < FV_VALUES; v++)
        to[v] = trm_fma(-length * share, sum[v], keep * from[v * FV_CELLS]);
    }
  }
}
#endif

/* Blocks with listed or solid cells after the stage; p.begins: before the first. Solid cells hold
 * nothing and take no part in the step's length, which the last stage and the begin ask for. */
TRM_GROUP_KERNEL7(fv_cut_settle, fv_rates, fv_params, TRM_RO(int) marks, TRM_RO(real) fresh,
                  TRM_RW(real) w, TRM_RW(real) q, TRM_RW(real) part, TRM_RO(real) clock,
                  TRM_RO(int) near)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_rates, s);
  TRM_IN(int) mark = marks + (trm_index)group * (FV_CELLS + 1);
  const trm_index slot = mark[0];
  TRM_OUT(real) next = w + slot * FV_BLOCK;
  TRM_OUT(real) kept = q + slot * FV_BLOCK;
  const fv_params own = fv_at_level(p, near[slot * FV_NEAR_INTS + FV_LEVEL]);
  if (p.begins || FV_RUNS(clock)) {
    TRM_EACH(i, FV_SX * FV_SY) { s.speed[i] = R(0.0); }
    for (int z = 0; z < FV_SZ; z++)
      TRM_SERIAL(i, FV_SX * FV_SY) {
        const int at = z * FV_SX * FV_SY + i, unit = mark[1 + at];
        fv_cell c;
        if (unit >= 0 && !p.begins) {
          TRM_IN(real) from = fresh + (trm_index)unit * FV_VALUES;
          c = fv_values(own, from[0], from[1], from[2], from[3], from[4]);
          FV_STORE(next, at, c);
          for (int v = 0; v < FV_VALUES && p.is_last; v++) kept[v * FV_CELLS + at] = from[v];
        } else if (unit == -2) {
          c.u = R(0.0);
          c.v = R(0.0);
          c.w = R(0.0);
          c.rho = R(1.0);
          c.t = R(1.0);
          FV_STORE(next, at, c);
          for (int v = 0; v < FV_VALUES && p.is_last; v++) kept[v * FV_CELLS + at] = R(0.0);
        } else if (p.begins || p.is_last) {
          c.u = next[at];
          c.v = next[FV_CELLS + at];
          c.w = next[2 * FV_CELLS + at];
          c.rho = next[3 * FV_CELLS + at];
          c.t = next[4 * FV_CELLS + at];
        }
        if (unit != -2 && (p.begins || p.is_last))
          s.speed[i] = trm_more(s.speed[i], fv_rate(own, c));
      }
    for (int fold = FV_SX * FV_SY / 2; fold > 0; fold /= 2)
      TRM_EACH(i, fold) { s.speed[i] = trm_more(s.speed[i], s.speed[i + fold]); }
    TRM_EACH(i, 1) { part[slot] = s.speed[0]; }
  }
}

/* A body's force along an axis, by pressure (numbers 0 to 2 of a body) and friction (3 to 5), the
 * heat that it takes up (6), the force's moment (7 to 9) and the work that it does (10), as the
 * last stage had them: what the gas lost in the step. First over FV_CUT_CHUNK walls by a group, for
 * each body, then those: a series each, behind the clock's. */
TRM_GROUP_KERNEL4(fv_cut_parts, fv_lanes, fv_params, TRM_RO(int) faces, TRM_RO(real) forces,
                  TRM_RO(real) scales, TRM_RW(real) parts)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_lanes, s);
  const int chunks = (p.walls + FV_CUT_CHUNK - 1) / FV_CUT_CHUNK;
  const int body = group / chunks, chunk = group % chunks;
  const int end = p.walls - chunk * FV_CUT_CHUNK < FV_CUT_CHUNK ? p.walls - chunk * FV_CUT_CHUNK
                                                                : FV_CUT_CHUNK;
  TRM_IN(int) wall = faces + (trm_index)p.faces * 4 + (trm_index)chunk * FV_CUT_CHUNK * 4;
  for (int part = 0; part < FV_FORCES; part++) {
    TRM_IN(real) felt = forces + (trm_index)part * p.walls + (trm_index)chunk * FV_CUT_CHUNK;
    TRM_SERIAL(lane, 256) {
      real sum = R(0.0);
      for (int i = lane; i < end; i += 256)
        if (wall[4 * i + 2] == body) sum = trm_fma(scales[wall[4 * i + 3]], felt[i], sum);
      s.lane[lane] = sum;
    }
    for (int fold = 128; fold > 0; fold /= 2)
      TRM_EACH(i, fold) { s.lane[i] = s.lane[i] + s.lane[i + fold]; }
    TRM_EACH(i, 1) {
      parts[((trm_index)body * FV_FORCES + part) * chunks + chunk] = s.lane[0];
    }
  }
}

TRM_GROUP_KERNEL4(fv_cut_forces, fv_lanes, fv_params, TRM_RO(real) parts, TRM_RO(real) clock,
                  TRM_RO(int) tally, TRM_RW(real) series)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_lanes, s);
  const int chunks = (p.walls + FV_CUT_CHUNK - 1) / FV_CUT_CHUNK;
  TRM_IN(real) part = parts + (trm_index)group * chunks;
  TRM_SERIAL(lane, 256) {
    real sum = R(0.0);
    for (int i = lane; i < chunks; i += 256) sum = sum + part[i];
    s.lane[lane] = sum;
  }
  for (int fold = 128; fold > 0; fold /= 2)
    TRM_EACH(i, fold) { s.lane[i] = s.lane[i] + s.lane[i + fold]; }
  if (clock[FV_LIVE] > R(0.0))
    TRM_EACH(i, 1) {
      series[(trm_index)(FV_SERIES + group) * p.limit + tally[FV_SLOT]] = s.lane[0];
    }
}

/* For output, by area: the pressure, friction along each axis, heat; p.walls apart. */
TRM_GROUP_KERNEL3(fv_cut_surface, TRM_NO_SHARED, fv_params, TRM_RO(real) sizes,
                  TRM_RO(real) forces, TRM_RW(real) surface)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < p.walls) {
      TRM_IN(real) size = sizes + (trm_index)(p.faces + i) * FV_CUT_SIZES;
      TRM_IN(real) force = forces + i;
      const trm_index walls = p.walls;
      const real per_area = size[13];
      real along = R(0.0);
      for (int a = 0; a < 3; a++)
        along = trm_fma(force[a * walls] * per_area, size[a] * per_area, along);
      surface[i] = along;
      for (int k = 3; k < FV_FELT; k++) surface[(k - 2) * walls + i] = force[k * walls] * per_area;
    }
  }
}
