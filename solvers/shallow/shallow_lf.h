/* Lax-Friedrichs, as the EPFL course has it (README.md): a cell becomes the mean of its four
 * neighbours plus the differences of their fluxes. Sums are paired west-east and south-north, so a
 * mirrored or transposed problem gives the mirrored or transposed bits.
 *
 * A launch's row is a block of p.rows rows. An item of a GPU takes its column through the block from
 * south to north: a cell is loaded, and its flux along y made, once for the neighbour on either side. */

/* The three components of a cell of a row. */
#define SHALLOW_LF_LOAD(name, row, at) \
  name##_0 = SHALLOW_H(row)[at]; name##_1 = SHALLOW_HU(row)[at]; name##_2 = SHALLOW_HV(row)[at]

/* What a cell gives its neighbours along an axis: depth, momentum `along` the axis and `across` it, and
 * their fluxes along the axis. A dry cell has no momentum. */
#define SHALLOW_LF_GIVE(name, from, along_component, across_component, flip) \
  real name##_h = from##_0, name##_along = (flip) * from##_##along_component; \
  real name##_across = from##_##across_component; \
  const real name##_speed = name##_along * (R(1.0) / shallow_max(name##_h, n.dry)); \
  real name##_push = trm_fma(n.half_g * name##_h, name##_h, name##_along * name##_speed); \
  real name##_carry = name##_across * name##_speed

#define SHALLOW_LF_MOVE(to, from) \
  to##_h = from##_h; to##_along = from##_along; to##_across = from##_across; \
  to##_push = from##_push; to##_carry = from##_carry

#define SHALLOW_FLIP(kind) ((kind) == SHALLOW_WALL ? R(-1.0) : R(1.0))

/* The rows of a block. A host's has one, and the loop over the cells is the innermost. */
#if defined(TRM_HOST)
#define SHALLOW_LF_ROWS(k)
#define SHALLOW_LF_IS_LAST(k) 1
#else
#if defined(TRM_CUDA) || defined(__NV_CL_C_VERSION)
#define SHALLOW_LF_ROWS(k) _Pragma("unroll 1") for (int k = 0; k < rows; k++)
#else
#define SHALLOW_LF_ROWS(k) for (int k = 0; k < rows; k++)
#endif
#define SHALLOW_LF_IS_LAST(k) ((k) == rows - 1)
#endif

/* Column x of a block, from the row before it to the row after it; returns the largest of what
 * shallow_speed says. */
TRM_INLINE real shallow_lf_column(TRM_IN(real) before, TRM_IN(real) row, TRM_IN(real) after,
                                  TRM_IN(real) bed, TRM_OUT(real) to, const shallow_params p,
                                  const shallow_numbers n, const real rate, const real pull, const int x,
                                  const int west_x, const int east_x, const real flip_w, const real flip_e,
                                  const real flip_s, const real flip_n, TRM_UNUSED const int rows)
{
  const trm_index up = p.row, bed_up = p.bed_row, slope_x = p.bed_component, slope_y = 2 * slope_x;
  real at_0, at_1, at_2, b_0, b_1, b_2, w_0, w_1, w_2, e_0, e_1, e_2;
  SHALLOW_LF_LOAD(at, before, x);
  SHALLOW_LF_GIVE(south, at, 2, 1, flip_s);
  SHALLOW_LF_LOAD(at, row, x);
  SHALLOW_LF_GIVE(middle, at, 2, 1, R(1.0));
  TRM_IN(real) next = SHALLOW_LF_IS_LAST(0) ? after : row + up;
  SHALLOW_LF_LOAD(b, next, x);
  SHALLOW_LF_LOAD(w, row, west_x);
  SHALLOW_LF_LOAD(e, row, east_x);
  real fall_x = bed[slope_x + x], fall_y = bed[slope_y + x], most = R(0.0);
  SHALLOW_LF_ROWS(k) {
    SHALLOW_LF_GIVE(north, b, 2, 1, SHALLOW_LF_IS_LAST(k) ? flip_n : R(1.0));
    SHALLOW_LF_GIVE(west, w, 1, 2, flip_w);
    SHALLOW_LF_GIVE(east, e, 1, 2, flip_e);
    const real bed_x = fall_x, bed_y = fall_y;
    /* The next row is under way while this one is computed. */
    if (!SHALLOW_LF_IS_LAST(k)) {
      row += up;
      bed += bed_up;
      next = SHALLOW_LF_IS_LAST(k + 1) ? after : row + up;
      SHALLOW_LF_LOAD(b, next, x);
      SHALLOW_LF_LOAD(w, row, west_x);
      SHALLOW_LF_LOAD(e, row, east_x);
      fall_x = bed[slope_x + x];
      fall_y = bed[slope_y + x];
    }
    const real h = trm_fma(rate, (west_along - east_along) + (south_along - north_along),
                           R(0.25) * ((west_h + east_h) + (south_h + north_h)));
    const real hu = trm_fma(rate, (west_push - east_push) + (south_carry - north_carry),
                            R(0.25) * ((west_along + east_along) + (south_across + north_across)));
    const real hv = trm_fma(rate, (west_carry - east_carry) + (south_push - north_push),
                            R(0.25) * ((west_across + east_across) + (south_along + north_along)));
    const real fall = pull * h;
    const real mu = trm_fma(-fall, bed_x, hu), mv = trm_fma(-fall, bed_y, hv);
    const real depth = h <= R(0.0) ? n.film : h;
    const real along_x = shallow_momentum(depth <= n.dry ? R(0.0) : mu);
    const real along_y = shallow_momentum(depth <= n.dry ? R(0.0) : mv);
    SHALLOW_H(to)[x] = depth;
    SHALLOW_HU(to)[x] = along_x;
    SHALLOW_HV(to)[x] = along_y;
    most = trm_more(most, shallow_speed(n, depth, along_x, along_y, SHALLOW_LAX_FRIEDRICHS));
    SHALLOW_LF_MOVE(south, middle);
    SHALLOW_LF_MOVE(middle, north);
    to += up;
  }
  return most;
}

TRM_ROW_KERNEL5(shallow_lf, 1, shallow_params, TRM_RO(real) u, TRM_RW(real) v, TRM_RO(real) beds,
                TRM_RO(real) clock, TRM_RW(real) part)
{
  TRM_ROW(block);
  const int y0 = (int)block * p.rows, rows = y0 + p.rows < p.ny ? p.rows : p.ny - y0;
  const int is_north = y0 + rows == p.ny;
  const real flip_s = y0 == 0 ? SHALLOW_FLIP(p.south) : R(1.0);
  const real flip_n = is_north ? SHALLOW_FLIP(p.north) : R(1.0);
  const real flip_w = SHALLOW_FLIP(p.west), flip_e = SHALLOW_FLIP(p.east);
  const real dt = clock[SHALLOW_DT], rate = R(0.5) * dt * p.inv_dx, pull = dt * p.g;
  TRM_IN(real) row = u + p.first + (trm_index)y0 * p.row;
  TRM_IN(real) before = row - (y0 == 0 ? 0 : p.row);
  TRM_IN(real) after = row + (trm_index)(is_north ? rows - 1 : rows) * p.row;
  TRM_OUT(real) to = v + p.first + (trm_index)y0 * p.row;
  TRM_IN(real) bed = beds + p.bed_first + (trm_index)y0 * p.bed_row;
  SHALLOW_NUMBERS(numbers);
  TRM_LEAVES(speed);

  if (clock[SHALLOW_LIVE] > R(0.0)) {
    TRM_CELLS(x) {
      TRM_ADD(speed, x) =
        shallow_lf_column(before, row, after, bed, to, p, numbers, rate, pull, x,
                          TRM_BESIDE(x, -1), TRM_BESIDE(x, 1),
                          TRM_BEYOND_WEST(x - 1) ? flip_w : R(1.0),
                          TRM_BEYOND_EAST(x + 1) ? flip_e : R(1.0), flip_s, flip_n, rows);
    }
    TRM_FOLD_MAX(speed, part + block * TRM_LEAVES_OF(TRM_NX));
  } else {
    for (int k = 0; k < rows; k++)
      TRM_CELLS(x) {
        const trm_index at = (trm_index)k * p.row + x;
        SHALLOW_H(to)[at] = SHALLOW_H(row)[at];
        SHALLOW_HU(to)[at] = SHALLOW_HU(row)[at];
        SHALLOW_HV(to)[at] = SHALLOW_HV(row)[at];
      }
  }
  SHALLOW_GHOSTS(to, bed, 1);
}
