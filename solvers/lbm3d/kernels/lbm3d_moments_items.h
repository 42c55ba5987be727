/* lbm3d_moments_items.h - the schedule of lbm3d_moments.k on a GPU. Each column of the tile and of
 * its halo has an item, which keeps its column's values in registers. First come the columns
 * inside, row by row, so that a warp has 32 cells of a row. Then come the halo's rows at the south
 * and the north, then its columns at the west and the east. The moments of the next plane are on
 * their way while those cells finish that the present one completes. */

/* An item's column, counted from the tile's corner. */
TRM_INLINE int moments_item_x(const int item)
{
  const int halo = item - MOMENTS_INNER, side = halo - 2 * MOMENTS_X;
  return side < 0 ? item % MOMENTS_X : side % 2 ? MOMENTS_X : -1;
}

TRM_INLINE int moments_item_y(const int item)
{
  const int halo = item - MOMENTS_INNER, side = halo - 2 * MOMENTS_X;
  return halo < 0 ? item / MOMENTS_X
         : side < 0 ? (halo < MOMENTS_X ? -1 : MOMENTS_Y) : side / 2 - 1;
}

/* Whether cell i of an axis is looked at: its first and its last one beyond a side are, if that is
 * periodic. */
TRM_INLINE int moments_is_near(const int open, const int i, const int n)
{
  return open ? i >= 0 && i < n : i <= n;
}

#define MOMENTS_KEEP \
  TRM_PRIVATE(int, at); /* the column's place in the tile */ \
  TRM_PRIVATE(int, from); /* its cells' in a plane */ \
  TRM_PRIVATE(int, is_near); \
  TRM_PRIVATE(int, is_own); /* the group finishes its cells */ \
  TRM_PRIVATE(int, of_x); \
  TRM_PRIVATE(int, of_y); \
  TRM_PRIVATE(real, m0); /* moments of the next plane */ \
  TRM_PRIVATE(real, m1); \
  TRM_PRIVATE(real, m2); \
  TRM_PRIVATE(real, m3); \
  TRM_PRIVATE(real, m4); \
  TRM_PRIVATE(real, m5); \
  TRM_PRIVATE(real, m6); \
  TRM_PRIVATE(real, m7); \
  TRM_PRIVATE(real, m8); \
  TRM_PRIVATE(real, m9); \
  TRM_PRIVATE(real, rest); /* populations of the last plane that stay in their column */ \
  TRM_PRIVATE(real, up); \
  TRM_PRIVATE(real, down); \
  TRM_PRIVATE(real, rise); /* moments_rise of the plane before it */ \
  TRM_PRIVATE(real, rise_x); \
  TRM_PRIVATE(real, rise_xx); \
  TRM_PRIVATE(real, rise_y); \
  TRM_PRIVATE(real, rise_yy); \
  TRM_PRIVATE(real, some); /* of moments_meet, and rising to that cell */ \
  TRM_PRIVATE(real, some_x); \
  TRM_PRIVATE(real, some_y); \
  TRM_PRIVATE(real, some_xx); \
  TRM_PRIVATE(real, some_yy); \
  TRM_PRIVATE(real, some_xy); \
  TRM_PRIVATE(real, came); \
  TRM_PRIVATE(real, came_x); \
  TRM_PRIVATE(real, came_y); \
  TRM_PRIVATE(real, energy); \
  TRM_PRIVATE(real, change)

#define MOMENTS_LOAD(z) \
  do { \
    TRM_IN(real) plane = f + p.first + (trm_index)moments_wrapped(z, p.nz) * p.ny * p.row; \
    m0 = plane[from]; \
    m1 = (plane + p.component)[from]; \
    m2 = (plane + 2 * p.component)[from]; \
    m3 = (plane + 3 * p.component)[from]; \
    m4 = (plane + 4 * p.component)[from]; \
    m5 = (plane + 5 * p.component)[from]; \
    m6 = (plane + 6 * p.component)[from]; \
    m7 = (plane + 7 * p.component)[from]; \
    m8 = (plane + 8 * p.component)[from]; \
    m9 = (plane + 9 * p.component)[from]; \
  } while (0)

#define MOMENTS_BEGIN \
  MOMENTS_KEEP; \
  TRM_ITEMS(item) { \
    const int x = moments_item_x(item), y = moments_item_y(item); \
    at = MOMENTS_AT(x, y); \
    from = moments_wrapped(y0 + y, p.ny) * (int)p.row + moments_wrapped(x0 + x, p.nx); \
    is_near = item < MOMENTS_COLUMNS && moments_is_near(p.open_x, x0 + x, p.nx) && \
              moments_is_near(p.open_y, y0 + y, p.ny); \
    is_own = item < MOMENTS_INNER && x0 + x < p.nx && y0 + y < p.ny; \
    of_x = moments_beyond(p.open_x, x0 + x, p.nx); \
    of_y = moments_beyond(p.open_y, y0 + y, p.ny); \
    m0 = m1 = m2 = m3 = m4 = m5 = m6 = m7 = m8 = m9 = R(0.0); \
    rest = up = down = rise = rise_x = rise_xx = rise_y = rise_yy = R(0.0); \
    some = some_x = some_y = some_xx = some_yy = some_xy = came = came_x = came_y = R(0.0); \
    energy = change = R(0.0); \
    if (is_near && MOMENTS_IS_PLANE(z0 - 1)) MOMENTS_LOAD(z0 - 1); \
  }

/* The plane z spreads; cells of plane z - 1 meet; those of plane z - 2 finish. */
#define MOMENTS_PLANE(z, forced) \
  TRM_ITEMS(item) { \
    TRM_LOCAL real *here = s.f[(z) & 1], *below = s.f[((z) - 1) & 1]; \
    const real was_rest = rest, was_down = down; \
    real was_up = up; \
    const int is_wall = is_own && (z) >= z0 && (z) < z1 && ((of_x | of_y) != 0 || of_z != 0); \
    if (is_near && (z) <= z1 && MOMENTS_IS_PLANE(z)) \
      moments_spread(here, at, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, &rest, &up, &down); \
    if (is_near && (z) < z1 && MOMENTS_IS_PLANE((z) + 1)) MOMENTS_LOAD((z) + 1); \
    if (is_wall) { \
      moments_bounce(here, here, walls, MOMENTS_PITCH, at, of_x, of_y, of_z, 0); \
      moments_bounce(here, below, walls, MOMENTS_PITCH, at, of_x, of_y, of_z, 1); \
      if (of_z > 0) was_up = down + MOMENTS_WALL(5); \
    } \
    if ((z) == p.nz && p.open_z) down = was_up + MOMENTS_WALL(6); \
    if (is_own && (z) >= z0) { \
      if ((z) - 2 >= z0) \
        moments_finish(below, MOMENTS_PITCH, at, was_down, some, some_x, some_y, some_xx, some_yy, \
                       some_xy, came, came_x, came_y, \
                       g + p.first + (trm_index)((z) - 2) * p.ny * p.row, from, p, forced, \
                       &energy, &change); \
      moments_meet(below, MOMENTS_PITCH, at, was_rest, rise, rise_x, rise_xx, rise_y, rise_yy, \
                   &some, &some_x, &some_y, &some_xx, &some_yy, &some_xy); \
      came = rise, came_x = rise_x, came_y = rise_y; \
      moments_rise(below, MOMENTS_PITCH, at, was_up, &rise, &rise_x, &rise_xx, &rise_y, &rise_yy); \
    } \
    if (is_wall) moments_bounce(here, below, walls, MOMENTS_PITCH, at, of_x, of_y, of_z, -1); \
  }

#define MOMENTS_GIVE_SUMS \
  TRM_ITEMS(item) { \
    if (item < MOMENTS_INNER) { \
      s.energy[item] = energy; \
      s.change[item] = change; \
    } \
    energy = change = R(0.0); \
  }
#define MOMENTS_CLEAR_SUMS
