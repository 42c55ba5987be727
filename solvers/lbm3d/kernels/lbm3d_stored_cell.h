/* lbm3d_stored_cell.h - the step of stored populations on a GPU, cell by cell (lbm3d_stored.k). */

#define STORED_HERE(k) f[k]
/* f[k] collided. */
TRM_INLINE void stored_collide_cell(real *f, const stored_params p, const int forced,
                                    const int eddy, real *energy, real *change)
{
  LBM3D_NAMES(STORED_HERE);
  STORED_COLLIDE(*energy, *change);
#define STORED_KEEP(a, b, row, column, from_row, from_column) f[a] = h##a; f[b] = h##b
  f[0] = h0;
  LBM3D_TIES(STORED_KEEP);
}

/* The sum of two populations as they will be stored. */
TRM_INLINE real stored_two(const real a, const real b)
{
  const trm_bits two = trm_two_halves(a * STORED_PER_UNIT, b * STORED_PER_UNIT);
  return (trm_low_half(two) + trm_high_half(two)) * STORED_UNIT;
}

TRM_INLINE void stored_keep_mass(real *f, const real change)
{
  STORED_KEEP_MASS(change);
}

/* The cell's populations: of two lattices from x - e_k; of one, a pair's from here and beside. */
TRM_INLINE void stored_cell(TRM_IN(real) f, TRM_OUT(real) g, const stored_params p,
                            const lbm3d_neighbours b, const int x, const int west, const int east,
                            const int is_16, const int in_place, const int forced, const int eddy,
                            real *energy, real *change)
{
  const trm_index bs = lbm3d_row(b, p, -1, -1), bc = lbm3d_row(b, p, 0, -1),
                  bn = lbm3d_row(b, p, 1, -1), ms = lbm3d_row(b, p, -1, 0),
                  mc = lbm3d_row(b, p, 0, 0), mn = lbm3d_row(b, p, 1, 0),
                  as = lbm3d_row(b, p, -1, 1), ac = lbm3d_row(b, p, 0, 1),
                  an = lbm3d_row(b, p, 1, 1);
  const trm_index here = (1 - p.odd) * p.component, there = p.odd * p.component;
#define STORED_PULL(a, b, row, column, from_row, from_column) \
  v[a] = stored_get(f, is_16, in_place ? mc + x + (a * p.component + here) \
                              : from_row + from_column + a * p.component); \
  v[b] = stored_get(f, is_16, row + column + \
                    (in_place ? a * p.component + there : b * p.component))
  real v[LBM3D_Q];
  v[0] = stored_get(f, is_16, mc + x);
  LBM3D_TIES(STORED_PULL);
  stored_collide_cell(v, p, forced, eddy, energy, change);
  if (is_16) stored_keep_mass(v, *change);
#define STORED_PUSH(a, b, row, column, from_row, from_column) \
  stored_put(g, is_16, in_place ? row + column + (a * p.component + there) \
                       : mc + x + a * p.component, v[a]); \
  stored_put(g, is_16, mc + x + (in_place ? a * p.component + here : b * p.component), v[b])
  stored_put(g, is_16, mc + x, v[0]);
  LBM3D_TIES(STORED_PUSH);
  (void)bs, (void)bn, (void)as, (void)ms, (void)west, (void)here, (void)there;
}

#define STORED_CELLS(f, g, is_16, in_place, forced, eddy) \
  const lbm3d_neighbours b = { y, TRM_SOUTH(y), TRM_NORTH(y), z, TRM_BELOW(z), TRM_ABOVE(z), \
                              TRM_NY, \
                           0, 0, 0 }; \
  TRM_SERIAL_CELLS(x) { \
    if (!TRM_BIT(wall, x)) \
      stored_cell(f, g, p, b, x, TRM_WEST(x), TRM_EAST(x), is_16, in_place, forced, eddy, \
                  &TRM_ADD(energy, x), &TRM_ADD(change, x)); \
  }
