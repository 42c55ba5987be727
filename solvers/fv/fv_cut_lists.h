/* Of cells that walls cut (fv_unit.h) all that is the same for every flux: slopes, what units have
 * where walls move, and what bodies feel. */

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
