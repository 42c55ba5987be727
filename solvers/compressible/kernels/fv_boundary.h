/* Blocks beyond the sides of the box: of each the two layers of cells that those inside look at,
 * made from the block next to it. Where two sides meet, both rules apply, walls mirrored. */

/* The cell beyond a side of a kind, where `c` is the cell within. axis: the side's normal; out: 1
 * or -1 along it; given: the side's values in the clock. At closed sides c is the mirror image,
 * else the last cell. A wall's values hold in the middle between a cell and its image. */
TRM_INLINE fv_cell fv_beyond(const fv_params p, const int kind, const int axis, const real out,
                             const fv_given given, const fv_cell inside)
{
  fv_cell c = inside;
  const real gp = c.rho * c.t; /* gamma p */
  if (kind == FV_SYMMETRY) {
    c.u = axis == 0 ? -c.u : c.u;
    c.v = axis == 1 ? -c.v : c.v;
    c.w = axis == 2 ? -c.w : c.w;
  }
  if (kind == FV_ADIABATIC || kind == FV_ISOTHERMAL) {
    c.u = trm_fma(R(2.0), given.value[0], -c.u);
    c.v = trm_fma(R(2.0), given.value[1], -c.v);
    c.w = trm_fma(R(2.0), given.value[2], -c.w);
  }
  if (kind == FV_ISOTHERMAL) {
    c.t = trm_max(trm_fma(R(2.0), given.value[5], -c.t), R(0.1) * given.value[5]);
    c.rho = gp / c.t;
  }
  if (kind == FV_INFLOW || kind == FV_SUBSONIC_INFLOW) {
    c.u = given.value[0];
    c.v = given.value[1];
    c.w = given.value[2];
    c.rho = given.value[3];
    c.t = (kind == FV_INFLOW ? given.value[4] : gp) / c.rho;
  }
  if (kind == FV_SUBSONIC_OUTFLOW) c.t = given.value[4] / c.rho;
  if (kind == FV_FARFIELD) c = fv_far(p, axis, out, given, c, c, c, R(1.0), R(0.0), R(0.0));
  return c;
}

/* A value beyond a wall, in the first or second layer, on the parabola through the wall's own value
 * and the two cells before it. With mirrored values friction at the wall, by the five-point
 * formula, would be off by 0.6 h times the second derivative. */
TRM_INLINE real fv_parabola(const int layer, const real wall, const real first, const real second)
{
  const real third = R(0.33333333333333331);
  return layer == 0 ? trm_fma(R(8.0), wall, trm_fma(R(-6.0), first, second)) * third
                    : trm_fma(R(8.0), wall, trm_fma(R(-9.0), first, R(2.0) * second));
}

/* At a wall: a wall that slides, and the temperature of an isothermal wall. from: the leaf inside,
 * first, second: its two cells; c: the mirrored values. */
TRM_INLINE fv_cell fv_at_wall(const int kind, const int axis, const int layer, const fv_given given,
                              TRM_IN(real) from, const int first, const int second,
                              const fv_cell mirrored)
{
  fv_cell c = mirrored;
  const real gp = c.rho * c.t;
  if (axis != 0) c.u = fv_parabola(layer, given.value[0], from[first], from[second]);
  if (axis != 1)
    c.v = fv_parabola(layer, given.value[1], from[FV_CELLS + first], from[FV_CELLS + second]);
  if (axis != 2)
    c.w = fv_parabola(layer, given.value[2], from[2 * FV_CELLS + first],
                      from[2 * FV_CELLS + second]);
  if (kind == FV_ISOTHERMAL) {
    const real t = fv_parabola(layer, given.value[5], from[4 * FV_CELLS + first],
                               from[4 * FV_CELLS + second]);
    c.t = trm_max(t, trm_max(R(0.5) * given.value[5], R(0.25) * from[4 * FV_CELLS + first]));
    c.rho = gp / c.t;
  }
  return c;
}

/* The cell inside that a boundary's cell at i reads at along an axis of `cells`. */
TRM_INLINE int fv_facing(const int kind, const int beyond, const int i, const int cells)
{
  if (beyond == 0) return i;
  if (kind <= FV_CLOSED) return cells - 1 - i;
  return beyond < 0 ? 0 : cells - 1;
}

/* 0 or 1: how far beyond the side a cell lies. */
#define FV_LAYER(i, cells, beyond) ((beyond) < 0 ? (cells) - 1 - (i) : (i))

TRM_GROUP_KERNEL4(fv_boundary, TRM_NO_SHARED, fv_params, TRM_RW(real) w, TRM_RO(int) ghosts,
                  TRM_RO(real) clock, TRM_RO(real) edges)
{
  TRM_GROUP1(group);
  const trm_index first = (trm_index)(p.first + group) * FV_GHOST_INTS;
  const trm_index slot = ghosts[first], inner = ghosts[first + 1];
  const int bx = ghosts[first + FV_GHOST_PART], by = ghosts[first + FV_GHOST_PART + 1];
  const int bz = ghosts[first + FV_GHOST_PART + 2];
  const int ex = ghosts[first + FV_GHOST_EDGE], ey = ghosts[first + FV_GHOST_EDGE + 1];
  const int ez = ghosts[first + FV_GHOST_EDGE + 2];
  const int sx = bx < 0 ? 0 : 1, sy = by < 0 ? 2 : 3, sz = bz < 0 ? 4 : 5;
  TRM_IN(real) from = w + inner * FV_BLOCK;
  TRM_OUT(real) to = w + slot * FV_BLOCK;
  TRM_IN(real) sides = clock + FV_SIDE;
  const int axis = bx ? 0 : by ? 1 : 2, out = bx + by + bz;
  const int is_one = (bx != 0) + (by != 0) + (bz != 0) == 1;
  const int step = -out * (axis == 0 ? 1 : axis == 1 ? FV_SX : FV_SX * FV_SY); /* inwards */
  TRM_SERIAL(i, FV_CELLS) {
    const int x = i % FV_SX, y = i / FV_SX % FV_SY, z = i / (FV_SX * FV_SY);
    if (FV_IS_WANTED(x, y, z)) {
      const fv_given gx = fv_side(p, sides, edges, sx, ex, FV_LAYER(x, FV_SX, bx) & 1,
                                  y + z * FV_SY);
      const fv_given gy = fv_side(p, sides, edges, sy, ey, FV_LAYER(y, FV_SY, by) & 1,
                                  x + z * FV_SX);
      const fv_given gz = fv_side(p, sides, edges, sz, ez, FV_LAYER(z, FV_SZ, bz) & 1,
                                  x + y * FV_SX);
      const int kx = FV_KIND(gx), ky = FV_KIND(gy), kz = FV_KIND(gz);
      const int at = (fv_facing(kz, bz, z, FV_SZ) * FV_SY + fv_facing(ky, by, y, FV_SY)) * FV_SX +
                     fv_facing(kx, bx, x, FV_SX);
      fv_cell c;
      c.u = from[at];
      c.v = from[FV_CELLS + at];
      c.w = from[2 * FV_CELLS + at];
      c.rho = from[3 * FV_CELLS + at];
      c.t = from[4 * FV_CELLS + at];
      if (bx) c = fv_beyond(p, kx, 0, (real)bx, gx, c);
      if (by) c = fv_beyond(p, ky, 1, (real)by, gy, c);
      if (bz) c = fv_beyond(p, kz, 2, (real)bz, gz, c);
      const int kind = axis == 0 ? kx : axis == 1 ? ky : kz;
      if (is_one && (kind == FV_ADIABATIC || kind == FV_ISOTHERMAL)) {
        const int layer = FV_LAYER(axis == 0 ? x : axis == 1 ? y : z,
                                   axis == 0 ? FV_SX : axis == 1 ? FV_SY : FV_SZ, out);
        const int nearest = at - layer * step;
        if (axis == 0) c = fv_at_wall(kind, 0, layer, gx, from, nearest, nearest + step, c);
        if (axis == 1) c = fv_at_wall(kind, 1, layer, gy, from, nearest, nearest + step, c);
        if (axis == 2) c = fv_at_wall(kind, 2, layer, gz, from, nearest, nearest + step, c);
      }
      if (is_one && kind == FV_FARFIELD) {
        const fv_given given = axis == 0 ? gx : axis == 1 ? gy : gz;
        const int layer = FV_LAYER(axis == 0 ? x : axis == 1 ? y : z,
                                   axis == 0 ? FV_SX : axis == 1 ? FV_SY : FV_SZ, out);
        c = fv_far_side(p, w, ghosts + first, axis, (real)out, given, clock[FV_DRAW + axis], at,
                        step, layer, x, y, z);
      }
      FV_STORE(to, i, c);
    }
  }
}
