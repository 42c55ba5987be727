/* lbm3d_stored_walls.h - cells beside sides of the box that are walls, at rest or moving, without
 * lists (lbm3d_stored.k).
 *
 * A population that a cell sent out through such a side comes back as the opposite population, by
 * half-way bounce-back, plus the wall's push. The step pulls it from the place of the opposite
 * cell, at the far end of the box, and the opposite cell pulls from this cell's place. So the two
 * are exchanged, each in the form that its cell gets. A cell that also has other links is in the
 * lists, which serve all its links; a solid cell gets nothing. Both are left out here.
 *
 * Plane z of a launch has the sides across axis z, 0 to 2. Its rows count y for the sides across
 * the third axis, else z. Its items count y for the sides across the first axis, else x. Links
 * across two axes that are not periodic belong to the first. */

/* A cell beside a side across this axis; -1: no cell. */
typedef struct stored_side { int axis, x, y, z; } stored_side;

/* is_high: at the end of the axis. */
TRM_INLINE stored_side stored_side_of(const stored_params p, const int i, const int row,
                                      const int axis, const int is_high)
{
  const int is_open = axis == 0 ? p.open_x : axis == 1 ? p.open_y : p.open_z;
  const int is_inside = i < (axis == 0 ? p.ny : p.nx) && row < (axis == 2 ? p.ny : p.nz);
  const int last = is_high ? (axis == 0 ? p.nx : axis == 1 ? p.ny : p.nz) - 1 : 0;
  const stored_side cell = { is_open && is_inside ? axis : -1, axis == 0 ? last : i,
                             axis == 0 ? i : axis == 1 ? last : row, axis == 2 ? last : row };
  return cell;
}

/* The axes, among those that are not periodic, that the way from the cell by -e crosses: bits 0 to
 * 2. */
TRM_INLINE int stored_crossed(const stored_params p, const stored_side b, const int k)
{
  const int x = b.x - stored_ex[k], y = b.y - stored_ey[k], z = b.z - stored_ez[k];
  return (p.open_x && (x < 0 || x >= p.nx)) | (p.open_y && (y < 0 || y >= p.ny)) << 1 |
         (p.open_z && (z < 0 || z >= p.nz)) << 2;
}

/* Neither in a list nor solid. */
TRM_INLINE int stored_is_free(TRM_IN(trm_bits) marks, const stored_params p, const int x,
                              const int y, const int z)
{
  TRM_IN(trm_bits) words = marks + p.marks_first + ((trm_index)z * p.ny + y) * p.marks_row + x / 32;
  return !((words[0] | words[p.solids]) >> x % 32 & 1);
}

/* The population that comes back, computed as in lbm3d_link. */
TRM_INLINE real stored_back(const real sent, const real given)
{
  return (sent + R(0.0)) + given;
}

TRM_INLINE void stored_exchange(TRM_OUT(real) f, TRM_IN(trm_bits) marks, TRM_IN(real) given,
                                const stored_params p, const stored_side b, const int is_free,
                                const int k, const int crossed)
{
  const int back = D3_BACK(k), x = stored_wrapped(b.x - stored_ex[k], p.nx);
  const int y = stored_wrapped(b.y - stored_ey[k], p.ny);
  const int z = stored_wrapped(b.z - stored_ez[k], p.nz);
  const trm_index here = stored_place(p, b.x, b.y, b.z, back);
  const trm_index there = stored_place(p, x, y, z, k);
  const int is_other_free = stored_is_free(marks, p, x, y, z);
  const real mine = is_free ? stored_get(f, p.is_16, here) : R(0.0);
  const real other = is_other_free ? stored_get(f, p.is_16, there) : R(0.0);
  if (is_free)
    stored_put(f, p.is_16, there, stored_got(stored_back(mine, given[8 * k + crossed]), p, k));
  if (is_other_free)
    stored_put(f, p.is_16, here,
               stored_got(stored_back(other, given[8 * back + crossed]), p, back));
}

TRM_INLINE void stored_walls_cell(TRM_OUT(real) f, TRM_IN(trm_bits) marks, TRM_IN(real) given,
                                  const stored_params p, const int i, const int row,
                                  const int axis)
{
  const stored_side b = stored_side_of(p, i, row, axis, 0);
  if (b.axis >= 0) {
    const int is_free = stored_is_free(marks, p, b.x, b.y, b.z);
    for (int k = 1; k < LBM3D_Q; k++) {
      const int along = axis == 0 ? stored_ex[k] : axis == 1 ? stored_ey[k] : stored_ez[k];
      if (along == 1) {
        const int crossed = stored_crossed(p, b, k);
        if ((crossed & ((1 << axis) - 1)) == 0)
          stored_exchange(f, marks, given, p, b, is_free, k, crossed);
      }
    }
  }
}

TRM_ROW_KERNEL3(stored_walls, -1, stored_params, TRM_RW(real) f, TRM_RO(trm_bits) marks,
                TRM_RO(real) given)
{
  TRM_ROW3(y, z);
  TRM_SERIAL_CELLS(x) { stored_walls_cell(f, marks, given, p, x, (int)y, (int)z); }
}

#if !TRM_F64_KERNEL
/* For 16 bits, before that: the population at rest takes the rounding of a moving wall's push, as
 * with links (lbm3d_through). Planes: two sides to an axis. A cell beside several sides belongs to
 * the first of them. p.what: the moving sides, bits in the order of planes. */
TRM_INLINE void stored_walls_rest_cell(TRM_OUT(real) f, TRM_IN(trm_bits) marks,
                                       TRM_IN(real) given, const stored_params p, const int i,
                                       const int row, const int side)
{
  const stored_side b = stored_side_of(p, i, row, side / 2, side % 2);
  const int is_end_x = p.open_x && (b.x == 0 || b.x == p.nx - 1);
  const int is_end_y = p.open_y && (b.y == 0 || b.y == p.ny - 1);
  const int is_first = b.axis == 0 || (!is_end_x && (b.axis == 1 || !is_end_y));
  const int is_beside = (p.open_x && b.x == 0) | (p.open_x && b.x == p.nx - 1) << 1 |
                        (p.open_y && b.y == 0) << 2 | (p.open_y && b.y == p.ny - 1) << 3 |
                        (p.open_z && b.z == 0) << 4 | (p.open_z && b.z == p.nz - 1) << 5;
  if (b.axis >= 0 && is_first && (is_beside & p.what) && stored_is_free(marks, p, b.x, b.y, b.z)) {
    real more = R(0.0);
    int is_given = 0;
    for (int k = 1; k < LBM3D_Q; k++) {
      const int crossed = stored_crossed(p, b, k);
      if (crossed) {
        const real gives = given[8 * k + crossed];
        const real got =
          stored_back(stored_value(f, p, b.x, b.y, b.z, D3_BACK(k)), gives);
        more += stored_got(got, p, k) - got;
        if (gives != R(0.0)) is_given = 1;
      }
    }
    if (is_given) {
      const trm_index at = stored_place(p, b.x, b.y, b.z, 0);
      stored_put(f, 1, at, stored_by_chance(stored_get(f, 1, at) - more));
    }
  }
}

TRM_ROW_KERNEL3(stored_walls_rest, -1, stored_params, TRM_RW(real) f, TRM_RO(trm_bits) marks,
                TRM_RO(real) given)
{
  TRM_ROW3(y, z);
  TRM_SERIAL_CELLS(x) { stored_walls_rest_cell(f, marks, given, p, x, (int)y, (int)z); }
}
#endif
