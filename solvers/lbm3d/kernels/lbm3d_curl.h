/* lbm3d_curl.h - the length of the velocity's curl, of a velocity in components 0 to 2 of rows.
 * Before it: curl_params, the type of a launch's parameters. */

/* Writes component 5; one-sided beside a side that is not periodic. s, n, b, a: the neighbouring
 * rows, or this row where a neighbour is missing; by_y, by_z: 1 over the distance of two
 * neighbours. */
TRM_INLINE void lbm3d_curl(TRM_OUT(real) c, TRM_IN(real) s, TRM_IN(real) n, TRM_IN(real) b,
                           TRM_IN(real) a, const curl_params p, const int x, const int west,
                           const int east, const int last, const real by_y, const real by_z)
{
  const int at_west = p.open_x & (x == 0), at_east = p.open_x & (x == last);
  const real by_x = at_west | at_east ? R(1.0) : R(0.5);
  const real v = D3_AT(c, 1)[x], w = D3_AT(c, 2)[x];
  const real v_west = D3_AT(c, 1)[west], v_east = D3_AT(c, 1)[east];
  const real w_west = D3_AT(c, 2)[west], w_east = D3_AT(c, 2)[east];
  const real v_x = ((at_east ? v : v_east) - (at_west ? v : v_west)) * by_x;
  const real w_x = ((at_east ? w : w_east) - (at_west ? w : w_west)) * by_x;
  const real cx = (D3_AT(n, 2)[x] - D3_AT(s, 2)[x]) * by_y -
                  (D3_AT(a, 1)[x] - D3_AT(b, 1)[x]) * by_z;
  const real cy = (D3_AT(a, 0)[x] - D3_AT(b, 0)[x]) * by_z - w_x;
  const real cz = v_x - (D3_AT(n, 0)[x] - D3_AT(s, 0)[x]) * by_y;
  D3_AT(c, 5)[x] = trm_sqrt(trm_fma(cx, cx, trm_fma(cy, cy, cz * cz)));
}

/* The body of a kernel over rows. */
#define LBM3D_VORTICITY(g) \
  TRM_ROW3(y, z); \
  const trm_index south = p.open_y && y == 0 ? y : TRM_SOUTH(y); \
  const trm_index north = p.open_y && y == TRM_NY - 1 ? y : TRM_NORTH(y); \
  const trm_index below = p.open_z && z == 0 ? z : TRM_BELOW(z); \
  const trm_index above = p.open_z && z == TRM_NZ - 1 ? z : TRM_ABOVE(z); \
  const real by_y = south == y || north == y ? R(1.0) : R(0.5); \
  const real by_z = below == z || above == z ? R(1.0) : R(0.5); \
  TRM_OUT(real) c = g + p.first + (z * TRM_NY + y) * p.row; \
  TRM_IN(real) s = g + p.first + (z * TRM_NY + south) * p.row; \
  TRM_IN(real) n = g + p.first + (z * TRM_NY + north) * p.row; \
  TRM_IN(real) b = g + p.first + (below * TRM_NY + y) * p.row; \
  TRM_IN(real) a = g + p.first + (above * TRM_NY + y) * p.row; \
  const int last = TRM_NX - 1; \
  TRM_CELLS(x) { \
    lbm3d_curl(c, s, n, b, a, p, x, TRM_WEST(x), TRM_EAST(x), last, by_y, by_z); \
  }
