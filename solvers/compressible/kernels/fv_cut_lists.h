/* Code for cells that walls cut (fv_unit.h) that is the same for every flux: slopes, units where
 * walls move, and forces on bodies. */

/* One more neighbour for value k of s: by its factors along x, y and z, which lie FV_CUT_GROUP
 * apart. */
#define FV_CUT_ADD(k, by, change) \
  do { \
    for (int a = 0; a < 3; a++) \
      s[3 * (k) + a] = trm_fma((by)[a * FV_CUT_GROUP], change, s[3 * (k) + a]); \
  } while (0)
/* The same for neighbour k of a unit whose slopes are central. */
#define FV_CUT_ACROSS(value, change) \
  s[3 * (value) + k / 2] = trm_fma(k % 2 ? R(0.5) : R(-0.5), change, s[3 * (value) + k / 2])

/* The factors of a unit's first neighbour; those of the next one are so many reals on. walled: of
 * the least squares that count walls too. */
#define FV_CUT_WIDTH(turn) ((turn)[FV_STENCIL_KIND] == FV_STENCIL_WALLED ? 6 * FV_CUT_GROUP \
                                                                   : 3 * FV_CUT_GROUP)
TRM_INLINE TRM_IN(real) fv_cut_factors(TRM_IN(int) turn, TRM_IN(real) weights, const int walled)
{
  return weights + (trm_index)turn[FV_STENCIL_WEIGHT] * FV_CUT_GROUP +
         (walled && turn[FV_STENCIL_KIND] == FV_STENCIL_WALLED ? 3 * FV_CUT_GROUP : 0);
}

/* Its first look: where slopes are not central, behind the number of cells among them. */
TRM_INLINE TRM_IN(int) fv_cut_first(TRM_IN(int) turn, TRM_IN(int) looks)
{
  return looks + turn[FV_STENCIL_FIRST] + (turn[FV_STENCIL_KIND] == FV_STENCIL_CENTRAL ?
                                           0 : FV_CUT_GROUP);
}

/* Slopes of u, v and w. */
TRM_INLINE void fv_cut_velocity_slopes(const fv_params p, TRM_IN(int) turn, TRM_IN(real) w,
                                       TRM_IN(int) looks, TRM_IN(real) weights,
                                       TRM_IN(real) sizes, TRM_OUT(real) to)
{
  TRM_IN(real) c = w + FV_CUT_INDEX(turn[FV_STENCIL_CELL]);
  const real c_u = c[0], c_v = c[FV_CELLS], c_w = c[2 * FV_CELLS];
  real s[9];
  for (int k = 0; k < 9; k++) s[k] = R(0.0);
  if (turn[FV_STENCIL_KIND] == FV_STENCIL_CENTRAL) {
    TRM_UNROLL for (int k = 0; k < FV_CUT_BESIDE; k++) {
      TRM_IN(real) d = w + FV_CUT_INDEX(looks[k * FV_CUT_GROUP]);
      FV_CUT_ACROSS(0, d[0] - c_u);
      FV_CUT_ACROSS(1, d[FV_CELLS] - c_v);
      FV_CUT_ACROSS(2, d[2 * FV_CELLS] - c_w);
    }
  } else {
    const int width = FV_CUT_WIDTH(turn), whole = looks[-FV_CUT_GROUP];
    TRM_IN(real) by = fv_cut_factors(turn, weights, !p.is_plain);
    TRM_UNROLL_FOUR for (int k = 0; k < whole; k++) {
      TRM_IN(real) d = w + FV_CUT_INDEX(looks[k * FV_CUT_GROUP]);
      FV_CUT_ADD(0, by + (trm_index)k * width, d[0] - c_u);
      FV_CUT_ADD(1, by + (trm_index)k * width, d[FV_CELLS] - c_v);
      FV_CUT_ADD(2, by + (trm_index)k * width, d[2 * FV_CELLS] - c_w);
    }
    for (int k = whole; k < whole + turn[FV_STENCIL_WALLS] && !p.is_plain; k++) {
      const int wall = -1 - looks[k * FV_CUT_GROUP];
      FV_CUT_ADD(0, by + (trm_index)k * width, FV_CUT_WALL(p, sizes, wall, 6) - c_u);
      FV_CUT_ADD(1, by + (trm_index)k * width, FV_CUT_WALL(p, sizes, wall, 7) - c_v);
      FV_CUT_ADD(2, by + (trm_index)k * width, FV_CUT_WALL(p, sizes, wall, 8) - c_w);
    }
  }
  for (int k = 0; k < 9; k++) FV_CUT_OF(to, k) = s[k];
}

/* Slopes of rho, T and gamma p; walls say only a temperature, where they have one. */
TRM_INLINE void fv_cut_gas_slopes(const fv_params p, TRM_IN(int) turn, TRM_IN(real) w,
                                  TRM_IN(int) looks, TRM_IN(real) weights, TRM_IN(real) sizes,
                                  TRM_OUT(real) to)
{
  TRM_IN(real) c = w + FV_CUT_INDEX(turn[FV_STENCIL_CELL]);
  const real c_rho = c[3 * FV_CELLS], c_t = c[4 * FV_CELLS], c_p = c_rho * c_t;
  real s[9];
  for (int k = 0; k < 9; k++) s[k] = R(0.0);
  if (turn[FV_STENCIL_KIND] == FV_STENCIL_CENTRAL) {
    TRM_UNROLL for (int k = 0; k < FV_CUT_BESIDE; k++) {
      TRM_IN(real) d = w + FV_CUT_INDEX(looks[k * FV_CUT_GROUP]);
      const real d_rho = d[3 * FV_CELLS], d_t = d[4 * FV_CELLS];
      FV_CUT_ACROSS(0, d_rho - c_rho);
      FV_CUT_ACROSS(1, d_t - c_t);
      FV_CUT_ACROSS(2, d_rho * d_t - c_p);
    }
  } else {
    const int width = FV_CUT_WIDTH(turn), whole = looks[-FV_CUT_GROUP];
    const int has_heat = (turn[FV_STENCIL_FLAGS] & FV_STENCIL_HEAT) && !p.is_plain;
    TRM_IN(real) by = fv_cut_factors(turn, weights, 0);
    TRM_IN(real) heat = fv_cut_factors(turn, weights, has_heat);
    TRM_UNROLL_FOUR for (int k = 0; k < whole; k++) {
      TRM_IN(real) d = w + FV_CUT_INDEX(looks[k * FV_CUT_GROUP]);
      const real d_rho = d[3 * FV_CELLS], d_t = d[4 * FV_CELLS];
      FV_CUT_ADD(0, by + (trm_index)k * width, d_rho - c_rho);
      if (has_heat) FV_CUT_ADD(1, heat + (trm_index)k * width, d_t - c_t);
      else FV_CUT_ADD(1, by + (trm_index)k * width, d_t - c_t);
      FV_CUT_ADD(2, by + (trm_index)k * width, d_rho * d_t - c_p);
    }
    for (int k = whole; k < whole + turn[FV_STENCIL_WALLS] && has_heat; k++) {
      const int wall = -1 - looks[k * FV_CUT_GROUP];
      FV_CUT_ADD(1, heat + (trm_index)k * width, FV_CUT_WALL(p, sizes, wall, 9) - c_t);
    }
  }
  for (int k = 0; k < 9; k++) FV_CUT_OF(to, k) = s[k];
}

/* Whether slopes are asked for: by the gas alone it is those of groups (fv_cut_inherit). */
TRM_INLINE int fv_cut_is_asked(const fv_params p, TRM_IN(int) turn)
{
  return turn[FV_STENCIL_NUMBER] >= 0 && (!p.is_plain ||
                                          (turn[FV_STENCIL_FLAGS] & FV_STENCIL_GROUP));
}

/* Slopes of u, v, w, rho, T and gamma p, times h; x, y, z each. Two groups have the same units: one
 * the velocities, one the rest. */
TRM_GROUP_KERNEL6(fv_cut_slopes, TRM_NO_SHARED, fv_params, TRM_RO(real) w, TRM_RO(int) turns,
                  TRM_RO(int) looks, TRM_RO(real) weights, TRM_RO(real) sizes,
                  TRM_RW(real) slopes)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    TRM_IN(int) turn = turns + ((trm_index)(group / 2) * FV_CUT_GROUP + lane) * FV_STENCIL_INTS;
    if (fv_cut_is_asked(p, turn)) {
      TRM_OUT(real) to = FV_CUT_ENTRY(slopes, FV_CUT_SLOPES, turn[FV_STENCIL_NUMBER]);
      TRM_IN(int) first = fv_cut_first(turn, looks) + lane;
      if (group % 2 == 0)
        fv_cut_velocity_slopes(p, turn, w, first, weights + lane, sizes, to);
      else
        fv_cut_gas_slopes(p, turn, w, first, weights + lane, sizes, &FV_CUT_OF(to, 9));
    }
  }
}

/* The values of units before a step in which walls move: the gas of their cells, shared out. A cell
 * of a group has the value of the group's slopes at its place. tilts: number of the slopes, -1 for
 * none; `offs`: the way from the group's centroid to the cell's. Over the group these differences
 * add up to 0. */
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
          TRM_IN(real) s = FV_CUT_ENTRY(slopes, FV_CUT_SLOPES, tilts[e]);
          TRM_IN(real) off = offs + (trm_index)e * 3;
          const real x = off[0], y = off[1], z = off[2];
          const real du = fv_cut_at(R(0.0), s, 0, x, y, z);
          const real dv = fv_cut_at(R(0.0), s, 3, x, y, z);
          const real dw = fv_cut_at(R(0.0), s, 6, x, y, z);
          const real dr = fv_cut_at(R(0.0), s, 9, x, y, z);
          const real dt = fv_cut_at(R(0.0), s, 12, x, y, z);
          const real square = fv_square(c.u, c.v, c.w);
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
      TRM_OUT(real) to = FV_CUT_ENTRY(fresh, FV_VALUES, i);
      for (int v = 0; v < FV_VALUES; v++) FV_CUT_OF(to, v) = sum[v];
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
 * heat that it takes up (6), the force's moment (7 to 9) and the work that it does (10). All belong
 * to the last stage: they are the gas's loss in the step. First a group sums over FV_CUT_CHUNK
 * walls, for each number of each body; then the groups' sums are added: a series each, behind the
 * clock's. */
TRM_GROUP_KERNEL4(fv_cut_parts, fv_lanes, fv_params, TRM_RO(int) faces, TRM_RO(real) forces,
                  TRM_RO(real) scales, TRM_RW(real) parts)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_lanes, s);
  const int chunks = (p.walls + FV_CUT_CHUNK - 1) / FV_CUT_CHUNK;
  const int chunk = group % chunks, part = group / chunks % FV_FORCES;
  const int body = group / chunks / FV_FORCES;
  const int end = p.walls - chunk * FV_CUT_CHUNK < FV_CUT_CHUNK ? p.walls - chunk * FV_CUT_CHUNK
                                                                : FV_CUT_CHUNK;
  TRM_IN(int) wall = faces + (trm_index)p.faces * 4 + (trm_index)chunk * FV_CUT_CHUNK * 4;
  TRM_IN(real) felt = forces + (trm_index)part * p.walls + (trm_index)chunk * FV_CUT_CHUNK;
  TRM_SERIAL(lane, 256) {
    real sum = R(0.0);
    for (int i = lane; i < end; i += 256)
      if (wall[4 * i + 2] == body) sum = trm_fma(scales[wall[4 * i + 3]], felt[i], sum);
    s.lane[lane] = sum;
  }
  for (int fold = 128; fold > 0; fold /= 2)
    TRM_EACH(i, fold) { s.lane[i] = s.lane[i] + s.lane[i + fold]; }
  TRM_EACH(i, 1) { parts[group] = s.lane[0]; }
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
      TRM_IN(real) force = forces + i;
      const trm_index walls = p.walls;
      const real per_area = FV_CUT_WALL(p, sizes, i, 13);
      real along = R(0.0);
      for (int a = 0; a < 3; a++)
        along = trm_fma(force[a * walls] * per_area,
                        FV_CUT_WALL(p, sizes, i, a) * per_area, along);
      surface[i] = along;
      for (int k = 3; k < FV_FELT; k++) surface[(k - 2) * walls + i] = force[k * walls] * per_area;
    }
  }
}
