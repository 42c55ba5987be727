/* lbm3d_moments_span.h - the schedule of lbm3d_moments.k on a host. Each part of a phase is a loop
 * over the rows of the tile, and the values of columns lie in arrays. Rows have ghost columns, so
 * that the halo along x needs no selection. */

#define MOMENTS_KEEP \
  real rest[2][MOMENTS_COLUMNS], up[2][MOMENTS_COLUMNS], down[2][MOMENTS_COLUMNS]; \
  real rise[MOMENTS_COLUMNS], rise_x[MOMENTS_COLUMNS], rise_xx[MOMENTS_COLUMNS], \
    rise_y[MOMENTS_COLUMNS], rise_yy[MOMENTS_COLUMNS]; \
  real some[MOMENTS_COLUMNS], some_x[MOMENTS_COLUMNS], some_y[MOMENTS_COLUMNS], \
    some_xx[MOMENTS_COLUMNS], some_yy[MOMENTS_COLUMNS], some_xy[MOMENTS_COLUMNS]; \
  real came[MOMENTS_COLUMNS], came_x[MOMENTS_COLUMNS], came_y[MOMENTS_COLUMNS]

/* The tile inside the grid, and from where to where its halo is looked at. */
#define MOMENTS_BEGIN \
  MOMENTS_KEEP; \
  const int width = p.nx - x0 < MOMENTS_X ? p.nx - x0 : MOMENTS_X; \
  const int height = p.ny - y0 < MOMENTS_Y ? p.ny - y0 : MOMENTS_Y; \
  const int west = p.open_x && x0 == 0 ? 0 : -1, south = p.open_y && y0 == 0 ? 0 : -1; \
  const int east = p.open_x && x0 + width == p.nx ? width : width + 1; \
  const int north = p.open_y && y0 + height == p.ny ? height : height + 1; \
  TRM_EACH(i, MOMENTS_COLUMNS) { /* what is computed from these at first, nobody uses */ \
    rise[i] = rise_x[i] = rise_xx[i] = rise_y[i] = rise_yy[i] = R(0.0); \
    some[i] = some_x[i] = some_y[i] = some_xx[i] = some_yy[i] = some_xy[i] = R(0.0); \
    came[i] = came_x[i] = came_y[i] = R(0.0); \
    up[0][i] = up[1][i] = down[0][i] = down[1][i] = rest[0][i] = rest[1][i] = R(0.0); \
  } \
  MOMENTS_CLEAR_SUMS

/* The plane z spreads; cells of plane z - 1 meet; those of plane z - 2 finish. */
#define MOMENTS_PLANE(z, forced) \
  do { \
    TRM_LOCAL real *here = s.f[(z) & 1], *below = s.f[((z) - 1) & 1]; \
    real *const rest_here = rest[(z) & 1], *const up_here = up[(z) & 1], \
         *const down_here = down[(z) & 1]; \
    real *const rest_below = rest[((z) - 1) & 1], *const up_below = up[((z) - 1) & 1], \
         *const down_below = down[((z) - 1) & 1]; \
    if ((z) <= z1 && MOMENTS_IS_PLANE(z)) \
      for (int y = south; y < north; y++) { \
        TRM_IN(real) row = f + p.first + \
          ((trm_index)moments_wrapped(z, p.nz) * p.ny + moments_wrapped(y0 + y, p.ny)) * p.row + \
          x0 + west; \
        TRM_EACH(i, east - west) { \
          const int at = MOMENTS_AT(west, y) + i; \
          moments_spread(here, at, row[i], D3_AT(row, 1)[i], D3_AT(row, 2)[i], D3_AT(row, 3)[i], \
                         D3_AT(row, 4)[i], D3_AT(row, 5)[i], D3_AT(row, 6)[i], D3_AT(row, 7)[i], \
                         D3_AT(row, 8)[i], D3_AT(row, 9)[i], rest_here + at, up_here + at, \
                         down_here + at); \
        } \
      } \
    if ((z) >= z0 && (z) < z1) { \
      MOMENTS_BOUNCE(z, here, 0); \
      MOMENTS_BOUNCE(z, below, 1); \
    } \
    if (of_z > 0) \
      TRM_EACH(at, MOMENTS_COLUMNS) { up_below[at] = down_here[at] + MOMENTS_WALL(5); } \
    if ((z) == p.nz && p.open_z) \
      TRM_EACH(at, MOMENTS_COLUMNS) { down_here[at] = up_below[at] + MOMENTS_WALL(6); } \
    if ((z) - 2 >= z0) { \
      MOMENTS_INSIDE(y, i) { \
        const int at = MOMENTS_AT(i, y), own = y * MOMENTS_X + i; \
        moments_finish(below, MOMENTS_PITCH, at, down_below[at], some[at], some_x[at], some_y[at], \
                       some_xx[at], some_yy[at], some_xy[at], came[at], came_x[at], came_y[at], \
                       g + p.first + ((trm_index)((z) - 2) * p.ny + y0 + y) * p.row + x0, i, p, \
                       forced, s.energy + own, s.change + own); \
      } \
      MOMENTS_GHOSTS((z) - 2); \
    } \
    if ((z) >= z0) \
      MOMENTS_INSIDE(y, i) { \
        const int at = MOMENTS_AT(i, y); \
        moments_meet(below, MOMENTS_PITCH, at, rest_below[at], rise[at], rise_x[at], rise_xx[at], \
                     rise_y[at], rise_yy[at], some + at, some_x + at, some_y + at, some_xx + at, \
                     some_yy + at, some_xy + at); \
        came[at] = rise[at]; \
        came_x[at] = rise_x[at]; \
        came_y[at] = rise_y[at]; \
        moments_rise(below, MOMENTS_PITCH, at, up_below[at], rise + at, rise_x + at, rise_xx + at, \
                     rise_y + at, rise_yy + at); \
      } \
    if ((z) >= z0 && (z) < z1) MOMENTS_BOUNCE(z, below, -1); \
  } while (0)
#define MOMENTS_INSIDE(y, i) for (int y = 0; y < height; y++) TRM_EACH(i, width)

/* At those sides of the tile that are the grid's, and all over its first and its last plane. */
#define MOMENTS_BOUNCE(z, beside, e_z) \
  do { \
    const int is_whole = of_z != 0; \
    for (int y = 0; y < height; y++) { \
      const int of_y = moments_beyond(p.open_y, y0 + y, p.ny); \
      for (int i = 0; i < width; i += is_whole || of_y || i == width - 1 ? 1 : width - 1) { \
        const int of_x = moments_beyond(p.open_x, x0 + i, p.nx); \
        if (of_x || of_y || is_whole) \
          moments_bounce(here, beside, walls, MOMENTS_PITCH, MOMENTS_AT(i, y), of_x, of_y, of_z, \
                         e_z); \
      } \
    } \
  } while (0)

/* Ghost columns of finished rows. */
#define MOMENTS_GHOSTS(z) \
  do { \
    for (int y = 0; y < height; y++) { \
      TRM_OUT(real) row = g + p.first + ((trm_index)(z) * p.ny + y0 + y) * p.row; \
      for (int c = 0; c < MOMENTS_REALS; c++) { \
        if (x0 == 0) D3_AT(row, c)[p.nx] = D3_AT(row, c)[0]; \
        if (x0 + width == p.nx) D3_AT(row, c)[-1] = D3_AT(row, c)[p.nx - 1]; \
      } \
    } \
  } while (0)

#define MOMENTS_CLEAR_SUMS \
  TRM_EACH(i, MOMENTS_X * MOMENTS_Y) { s.energy[i] = s.change[i] = R(0.0); }
#define MOMENTS_GIVE_SUMS
