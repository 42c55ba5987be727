/* lbm3d_step.h - the step of a box in rows, for every collision. Before it LBM3D_COLLIDE, what a
 * cell's collision is (lbm3d_pairs.h, ...), and lbm3d_links.h.
 *
 * Cells beside a boundary are marked. The loop over cells treats the box as periodic in all axes.
 * On a host, marked cells are then done again with the populations that come through a boundary
 * put right, link by link. On a GPU every group would then wait for its marked warps. There, two
 * small launches before the step put populations that come through a boundary where the loop will
 * pull them from, with the same bits (lbm3d.k). Solid cells are held at rest. The state is the
 * result of a collision, less the weights. */

/* Collides f0 ... and stores them at cell x of the row g. Adds the cell's share to energy and
 * change, the sums of |u|^2 / 2 and of rho - 1. forced, eddy: literals. */
TRM_INLINE void lbm3d_collide(TRM_OUT(real) g, const lbm3d_params p, const int x, LBM3D_FS,
                              const int forced, const int eddy, real *energy, real *change)
{
  D3_MOMENTS;
  D3_VELOCITY;
  D3_STRESS;
  const real plus = eddy ? lbm3d_eddy_rate(p.plus, p.eddy * per_rho, D3_STRESS2) : p.plus;
  const real minus = eddy ? lbm3d_minus(plus, p.magic) : p.minus;
  LBM3D_COLLIDE;
  (void)minus, (void)sxx, (void)syy, (void)szz, (void)sxy, (void)sxz, (void)syz, (void)rest;
  *energy = R(0.5) * trm_fma(ux, ux, trm_fma(uy, uy, uz * uz));
  *change = d;
}

TRM_INLINE void lbm3d_cell(D3_ROWS, TRM_OUT(real) g, const lbm3d_params p, const int x,
                           const int west, const int east, const int forced, const int eddy,
                           real *energy, real *change)
{
  LBM3D_LOAD(x, west, east);
  lbm3d_collide(g, p, x, LBM3D_PASS, forced, eddy, energy, change);
}

/* ---- marked cells --------------------------------------------------------------------------- */

TRM_INLINE void lbm3d_rest(TRM_OUT(real) g, const lbm3d_params p, const int x)
{
  for (int k = 0; k < LBM3D_Q; k++) D3_AT(g, k)[x] = R(0.0);
}

#if TRM_BY_SPAN
/* Everything about the marked cell x, on a host. */
TRM_INLINE void lbm3d_marked(TRM_IN(real) f, TRM_OUT(real) g, TRM_IN(int) entry, TRM_IN(int) ways,
                             TRM_IN(real) links, TRM_OUT(real) part, const lbm3d_neighbours b,
                             const lbm3d_params p, const int x, const int west, const int east,
                             const int forced, const int eddy, real *energy, real *change)
{
  if (entry[1] & MARK_SOLID) {
    lbm3d_rest(g, p, x);
    *energy = R(0.0);
    *change = R(0.0);
  } else {
    for (int k = 0; k < LBM3D_Q; k++) {
      const int ex = lbm3d_ex[k];
      TRM_IN(real) from = f + lbm3d_row(b, p, -lbm3d_ey[k], -lbm3d_ez[k]);
      D3_AT(g, k)[x] = D3_AT(from, k)[ex > 0 ? west : ex < 0 ? east : x];
    }
    lbm3d_neighbours cell = b;
    cell.x = x;
    cell.west = x == 0 ? p.nx - 1 : x - 1;
    cell.east = x == p.nx - 1 ? 0 : x + 1;
    lbm3d_through(f, g, entry, ways, links, part, cell, p);
    D3_ONE_ROW(g);
    LBM3D_LOAD(x, x, x);
    lbm3d_collide(g, p, x, LBM3D_PASS, forced, eddy, energy, change);
  }
}

#define LBM3D_EACH_MARKED(forced, eddy) \
  for (int i = 0; i < count; i++) { \
    const int x = columns[i]; \
    lbm3d_marked(f, g, entries + 2 * (trm_index)i, ways, links, part, b, p, x, TRM_WEST(x), \
                 TRM_EAST(x), forced, eddy, &energies[x - begin], &changes[x - begin]); \
  }

/* The marked cells of a span, `count` columns, whose entries follow one another. The kernels of all
 * three kinds of steps call it: inlined in each, it took two thirds of the text's compile time.
 * energies and changes begin at column `begin`. */
TRM_ONCE void lbm3d_marked_cells(TRM_IN(real) f, TRM_OUT(real) g, TRM_IN(int) entries,
                                 TRM_IN(int) ways, TRM_IN(real) links, TRM_OUT(real) part,
                                 const lbm3d_neighbours b, const lbm3d_params p, const int *columns,
                                 const int count, const int begin, const int forced,
                                 const int eddy, real *energies, real *changes)
{
  if (eddy) LBM3D_EACH_MARKED(1, 1)
  else if (forced) LBM3D_EACH_MARKED(1, 0)
  else LBM3D_EACH_MARKED(0, 0)
}
#define LBM3D_MARKED(forced, eddy) \
  { \
    int columns[TRM_SPAN], count = 0, next = 0; \
    TRM_MARKS(words, words + p.ranks, marked); \
    TRM_MARKED(marked, x, i) { \
      columns[count] = x; \
      next = i + 1; \
      count++; \
    } \
    lbm3d_marked_cells(f, to, mark_entries + 2 * (trm_index)(next - count), ways, links, part, b, \
                       p, columns, count, TRM_FIRST, forced, eddy, &TRM_ADD(energy, TRM_FIRST), \
                       &TRM_ADD(change, TRM_FIRST)); \
  }
#else
#define LBM3D_MARKED(forced, eddy)
#endif

/* A step where a force acts on the fluid, one where none does, one with eddies below the grid. */
#define LBM3D_STEP(forced, eddy) \
  TRM_ROW3(y, z); \
  const lbm3d_neighbours b = { y, TRM_SOUTH(y), TRM_NORTH(y), z, TRM_BELOW(z), TRM_ABOVE(z), \
                              TRM_NY, \
                           0, 0, 0 }; \
  TRM_IN(real) bs = f + lbm3d_row(b, p, -1, -1); \
  TRM_IN(real) bc = f + lbm3d_row(b, p, 0, -1); \
  TRM_IN(real) bn = f + lbm3d_row(b, p, 1, -1); \
  TRM_IN(real) ms = f + lbm3d_row(b, p, -1, 0); \
  TRM_IN(real) mc = f + lbm3d_row(b, p, 0, 0); \
  TRM_IN(real) mn = f + lbm3d_row(b, p, 1, 0); \
  TRM_IN(real) as = f + lbm3d_row(b, p, -1, 1); \
  TRM_IN(real) ac = f + lbm3d_row(b, p, 0, 1); \
  TRM_IN(real) an = f + lbm3d_row(b, p, 1, 1); \
  TRM_OUT(real) to = g + lbm3d_row(b, p, 0, 0); \
  const trm_index at_row = z * TRM_NY + y, leaf = p.leaves + at_row * TRM_LEAVES_OF(TRM_NX); \
  TRM_IN(trm_bits) words = marks + p.marks_first + at_row * p.marks_row; \
  TRM_LEAVES(energy); \
  TRM_LEAVES(change); \
  if (TRM_BY_SPAN) { \
    TRM_CELLS(x) { \
      lbm3d_cell(bs, bc, bn, ms, mc, mn, as, ac, an, to, p, x, TRM_WEST(x), TRM_EAST(x), \
                 forced, eddy, &TRM_ADD(energy, x), &TRM_ADD(change, x)); \
    } \
    LBM3D_MARKED(forced, eddy) \
  } else { \
    TRM_BITS(words + p.solids, wall); \
    TRM_SERIAL_CELLS(x) { \
      if (TRM_BIT(wall, x)) lbm3d_rest(to, p, x); \
      else lbm3d_cell(bs, bc, bn, ms, mc, mn, as, ac, an, to, p, x, TRM_WEST(x), TRM_EAST(x), \
                      forced, eddy, &TRM_ADD(energy, x), &TRM_ADD(change, x)); \
    } \
  } \
  TRM_FOLD(energy, energies + leaf); \
  TRM_FOLD(change, changes + leaf); \
  LBM3D_WRAP(to)

TRM_ROW_KERNEL9(lbm3d_step, 1, lbm3d_params, TRM_RO(real) f, TRM_RW(real) g, TRM_RO(trm_bits) marks,
                TRM_RO(int) mark_entries, TRM_RO(int) ways, TRM_RO(real) links, TRM_RW(real) part,
                TRM_RW(real) energies, TRM_RW(real) changes)
{
  LBM3D_STEP(0, 0);
}

TRM_ROW_KERNEL9(lbm3d_forced_step, 1, lbm3d_params, TRM_RO(real) f, TRM_RW(real) g,
                TRM_RO(trm_bits) marks, TRM_RO(int) mark_entries, TRM_RO(int) ways,
                TRM_RO(real) links, TRM_RW(real) part, TRM_RW(real) energies, TRM_RW(real) changes)
{
  LBM3D_STEP(1, 0);
}

TRM_ROW_KERNEL9(lbm3d_eddy_step, 1, lbm3d_params, TRM_RO(real) f, TRM_RW(real) g,
                TRM_RO(trm_bits) marks, TRM_RO(int) mark_entries, TRM_RO(int) ways,
                TRM_RO(real) links, TRM_RW(real) part, TRM_RW(real) energies, TRM_RW(real) changes)
{
  LBM3D_STEP(1, 1);
}
