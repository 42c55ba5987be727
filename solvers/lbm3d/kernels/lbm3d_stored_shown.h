/* lbm3d_stored_shown.h - the contents of a lattice of stored populations, a component at a time. It
 * shows populations, derived fields, shear on walls, and probes (lbm3d_stored.k). */

TRM_INLINE int stored_is_solid(TRM_IN(trm_bits) marks, const stored_params p, const int x,
                               const trm_index y, const trm_index z)
{
  TRM_IN(trm_bits) words = marks + p.marks_first + (z * p.ny + y) * p.marks_row + p.solids;
  return (int)(words[x / 32] >> x % 32 & 1);
}

TRM_INLINE trm_index stored_at(const stored_params p, const int x, const trm_index row)
{
  return row * p.shown_row + x;
}

/* Population p.what; 0 in solid cells. */
TRM_ROW_KERNEL3(stored_bring, -1, stored_params, TRM_RO(real) f, TRM_RW(real) shown,
                TRM_RO(trm_bits) marks)
{
  TRM_ROW3(y, z);
  TRM_SERIAL_CELLS(x) {
    const real value = stored_value(f, p, x, (int)y, (int)z, p.what);
    shown[stored_at(p, x, z * p.ny + y)] = stored_is_solid(marks, p, x, y, z) ? R(0.0) : value;
  }
}

/* Writes back population p.what of all cells. */
TRM_ROW_KERNEL2(stored_put_back, -1, stored_params, TRM_RW(real) f, TRM_RO(real) shown)
{
  TRM_ROW3(y, z);
  TRM_SERIAL_CELLS(x) {
    stored_put(f, p.is_16, stored_place(p, x, (int)y, (int)z, p.what),
               shown[stored_at(p, x, z * p.ny + y)]);
  }
}

/* lbm3d_sample, for output: in ten places. */
TRM_ONCE void stored_sample(TRM_IN(real) f, const stored_params p, const int cell, real *change,
                            real *v)
{
  lbm3d_sample(f, lbm3d_neighbours_of(p, cell), p, change, v, v + 1, v + 2);
}

/* Velocity of the cell (dx, dy, dz) from it, itself beyond a side that is not periodic; 0 in solid
 * cells; and density less 1. */
TRM_INLINE void stored_see_cell(TRM_IN(real) f, TRM_IN(trm_bits) marks, const stored_params p,
                                const lbm3d_neighbours b, const int dx, const int dy, const int dz,
                                real *change, real *v)
{
  const int x = lbm3d_column(b, dx);
  const int y = (int)(dy < 0 ? b.south : dy > 0 ? b.north : b.y);
  const int z = (int)(dz < 0 ? b.below : dz > 0 ? b.above : b.z);
  stored_sample(f, p, (int)(((trm_index)z * p.ny + y) * p.nx + x), change, v);
  if (stored_is_solid(marks, p, x, y, z)) v[0] = v[1] = v[2] = *change = R(0.0);
}

/* The length of the velocity's curl, as lbm3d_curl takes it. */
TRM_INLINE real stored_curl(TRM_IN(real) f, TRM_IN(trm_bits) marks, const stored_params p,
                            const lbm3d_neighbours b)
{
  const int w = !(p.open_x && b.x == 0), e = !(p.open_x && b.x == p.nx - 1);
  const int s = !(p.open_y && b.y == 0), n = !(p.open_y && b.y == p.ny - 1);
  const int d = !(p.open_z && b.z == 0), u = !(p.open_z && b.z == p.nz - 1);
  const real by_x = w && e ? R(0.5) : R(1.0), by_y = s && n ? R(0.5) : R(1.0);
  const real by_z = d && u ? R(0.5) : R(1.0);
  real west[3], east[3], south[3], north[3], below[3], above[3], change;
  stored_see_cell(f, marks, p, b, -w, 0, 0, &change, west);
  stored_see_cell(f, marks, p, b, e, 0, 0, &change, east);
  stored_see_cell(f, marks, p, b, 0, -s, 0, &change, south);
  stored_see_cell(f, marks, p, b, 0, n, 0, &change, north);
  stored_see_cell(f, marks, p, b, 0, 0, -d, &change, below);
  stored_see_cell(f, marks, p, b, 0, 0, u, &change, above);
  const real v_x = (east[1] - west[1]) * by_x, w_x = (east[2] - west[2]) * by_x;
  const real cx = (north[2] - south[2]) * by_y - (above[1] - below[1]) * by_z;
  const real cy = (above[0] - below[0]) * by_z - w_x;
  const real cz = v_x - (north[0] - south[0]) * by_y;
  return trm_sqrt(trm_fma(cx, cx, trm_fma(cy, cy, cz * cz)));
}

/* The derived fields of lbm3d_observe and lbm3d_vorticity: p.what is 0 to 2 velocity, 3 density, 4
 * speed, 5 vorticity, 6 pressure. */
TRM_INLINE real stored_derived(TRM_IN(real) f, TRM_IN(trm_bits) marks, const stored_params p,
                               const lbm3d_neighbours b)
{
  real change, v[3];
  if (p.what == 5) return stored_curl(f, marks, p, b);
  stored_see_cell(f, marks, p, b, 0, 0, 0, &change, v);
  if (p.what == 3) return R(1.0) + change;
  if (p.what == 4) return trm_sqrt(trm_fma(v[0], v[0], trm_fma(v[1], v[1], v[2] * v[2])));
  if (p.what == 6) return R(0.3333333333333333333) * change;
  return v[p.what];
}

TRM_ROW_KERNEL3(stored_derive, -1, stored_params, TRM_RO(real) f, TRM_RW(real) shown,
                TRM_RO(trm_bits) marks)
{
  TRM_ROW3(y, z);
  const trm_index row = z * p.ny + y;
  TRM_SERIAL_CELLS(x) {
    shown[stored_at(p, x, row)] =
      stored_derived(f, marks, p, lbm3d_neighbours_of(p, (int)(row * p.nx + x)));
  }
}

/* Shear stress on walls, as lbm3d_shear_cell takes it. */
TRM_INLINE void stored_shear_cell(TRM_IN(real) f, TRM_OUT(real) shown, TRM_IN(int) sites,
                                  TRM_IN(real) parts, const stored_params p)
{
  real one[3], two[3], own[3], change, unused;
  stored_sample(f, p, sites[1], &unused, one);
  stored_sample(f, p, sites[2], &unused, two);
  stored_sample(f, p, sites[0], &change, own);
  shown[stored_at(p, sites[0] % p.nx, sites[0] / p.nx)] =
    lbm3d_wall_stress(one, two, R(1.0) + change, parts, p);
}

TRM_ROW_KERNEL5(stored_shear, -1, stored_params, TRM_RO(real) f, TRM_RW(real) shown,
                TRM_RO(int) sites, TRM_RO(real) parts, TRM_RO(int) spans)
{
  TRM_ROW(y);
  const int first = spans[2 * y], end = spans[2 * y + 1];
  TRM_SERIAL_CELLS(x) {
    const trm_index i = first + x;
    if (i < end) stored_shear_cell(f, shown, sites + 3 * i, parts + 5 * i, p);
  }
}

/* For a probe's cell, velocity and density - 1. For a cell with an axis: the flux along the axis
 * and density - 1; the other two values are unused. */
TRM_INLINE void stored_probe_cell(TRM_IN(real) f, TRM_OUT(real) to, TRM_IN(int) cell,
                                  const stored_params p)
{
  const int axis = cell[1];
  real change, vx, vy, vz;
  lbm3d_sample(f, lbm3d_neighbours_of(p, cell[0]), p, &change, &vx, &vy, &vz);
  const real along = axis == 0 ? vx : axis == 1 ? vy : vz;
  to[0] = axis < 0 ? vx : trm_fma(change, along, along);
  to[p.probes] = axis < 0 ? vy : change;
  to[2 * p.probes] = vz;
  to[3 * p.probes] = change;
}

TRM_ROW_KERNEL4(stored_probe, -1, stored_params, TRM_RO(real) f, TRM_RW(real) to, TRM_RO(int) cells,
                TRM_RO(int) spans)
{
  TRM_ROW(y);
  const int first = spans[2 * y], end = spans[2 * y + 1];
  TRM_SERIAL_CELLS(x) {
    const trm_index i = first + x;
    if (i < end) stored_probe_cell(f, to + p.probed + i, cells + 2 * i, p);
  }
}
