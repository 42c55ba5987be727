/* lbm3d_folded.h - a GPU's step of populations of 16 bits in folded rows. Cells x and x + fold of a
 * row lie side by side, a pair in a word, and an item steps both cells, one after the other. So a
 * warp moves whole words, where single numbers of 16 bits leave half of a load unused, and computes
 * addresses once for two cells. A neighbour's pair lies one word further. Across the row's end it
 * is the pair at the opposite end, with its halves exchanged. Needs rows of a multiple of 64 cells:
 * then each half of a row is whole leaves of the sums, which have the bits of other rows. */


/* The begin of a kernel: the sums, and the solid cells, of both halves of a row. */
#define FOLDED_BEGIN \
  TRM_ROW3(y, z); \
  FOLDED_WHOLE; \
  const int fold = TRM_NX; \
  const trm_bits at_row = (trm_bits)z * (trm_bits)TRM_NY + (trm_bits)y; \
  const trm_index leaf = p.leaves + at_row * (trm_bits)TRM_LEAVES_OF(2 * fold); \
  TRM_IN(trm_bits) solids = marks + (p.marks_first + p.solids) + at_row * (trm_bits)p.marks_row; \
  TRM_LEAVES(energy); \
  TRM_LEAVES(change); \
  TRM_LEAVES(far_energy); \
  TRM_LEAVES(far_change); \
  TRM_BITS(solids, wall); \
  TRM_BITS(solids + fold / 32, far_wall)

#if TRM_BY_SPAN
#define FOLDED_WHOLE (void)0
/* A host takes the two halves of a row one after the other: for comparison with a GPU. */
TRM_ONCE void folded_span(TRM_IN(real) f, TRM_OUT(real) g, const stored_params p, const trm_index y,
                          const trm_index z, const int begin, const int n, const trm_mask *wall,
                          real *energy, real *change, const int forced, const int eddy)
{
  stored_line line;
  stored_gather(&line, f, p, y, z, begin, n);
  (eddy ? stored_collide_eddies : forced ? stored_collide_forced : stored_collide_line)(
    &line, p, n, wall, energy, change);
  if (p.is_16) stored_keep_mass(&line, change, n);
  stored_scatter(g, &line, p, y, z, begin, n);
}

#define FOLDED_STEP(f, g, in_place, forced, eddy) \
  FOLDED_BEGIN; \
  const int begin = TRM_FIRST < TRM_FINAL ? TRM_FIRST : TRM_FINAL, n = TRM_FINAL + 1 - begin; \
  folded_span(f, g, p, y, z, begin, n, wall, energy, change, forced, eddy); \
  folded_span(f, g, p, y, z, fold + begin, n, far_wall, far_energy, far_change, forced, eddy); \
  TRM_FOLD(energy, energies + leaf); \
  TRM_FOLD(change, changes + leaf); \
  TRM_FOLD(far_energy, energies + leaf + fold / 32); \
  TRM_FOLD(far_change, changes + leaf + fold / 32)
#else
#define FOLDED_WHOLE TRM_WHOLE_LEAVES
#define FOLDED_SOLIDS ((TRM_BIT(wall, x) ? 0xffffu : 0) | (TRM_BIT(far_wall, x) ? 0xffff0000u : 0))
#define FOLDED_REST \
  if (keep & 0xffffu) energy = change = R(0.0); \
  if (keep & 0xffff0000u) far_energy = far_change = R(0.0)
#define FOLDED_END \
  TRM_FOLD4(energy, energies + leaf, change, changes + leaf, far_energy, \
            energies + leaf + fold / 32, far_change, changes + leaf + fold / 32)

/* by: 16 beyond a row's end, or 0. */
TRM_INLINE trm_bits folded_swapped(const trm_bits pair, const trm_bits by)
{
  return pair << by | pair >> (-by & 31);
}

/* Populations of pairs are collided as they are stored, in units of 2^-15, which saves two products
 * each. Sums are linear in them, and a product with a power of two is exact; so the bits are those
 * of stored_collide_cell. */
#define FOLDED_VELOCITY \
  const real rho = trm_fma(d, STORED_UNIT, R(1.0)), per_rho = trm_reciprocal(rho); \
  const real fx = forced ? p.force_x * STORED_PER_UNIT : R(0.0), \
             fy = forced ? p.force_y * STORED_PER_UNIT : R(0.0), \
             fz = forced ? p.force_z * STORED_PER_UNIT : R(0.0); \
  const real jx = forced ? trm_fma(R(0.5), fx, mx) : mx; \
  const real jy = forced ? trm_fma(R(0.5), fy, my) : my; \
  const real jz = forced ? trm_fma(R(0.5), fz, mz) : mz; \
  const real to_speed = per_rho * STORED_UNIT; \
  const real ux = jx * to_speed, uy = jy * to_speed, uz = jz * to_speed; \
  const real ju = trm_fma(jx, ux, trm_fma(jy, uy, jz * uz)); \
  const real rest = trm_fma(R(-1.5), ju, d)
/* D3_RELAX with halves subtracted in one operation: of 16-bit numbers they are exact. */
#undef D3_RELAX
#define D3_RELAX(a, b, weight, eu, ej, ef, es) \
  do { \
    const real along = eu, moment = ej; \
    const real even = weight * trm_fma(R(4.5) * moment, along, rest); \
    const real odd = R(3.0) * weight * moment; \
    const real push_even = forced ? half_plus * weight * (R(9.0) * along * (ef) - uf) : R(0.0); \
    const real push_odd = forced ? half_minus * R(3.0) * weight * (ef) : R(0.0); \
    const real dp = trm_fma(plus, trm_fma(R(-0.5), f##a + f##b, even), push_even); \
    const real dm = trm_fma(minus, trm_fma(R(-0.5), f##a - f##b, odd), push_odd); \
    D3_SET(a, f##a + (dp + dm)); \
    D3_SET(b, f##b + (dp - dm)); \
  } while (0)
TRM_INLINE void folded_collide_cell(real *f, const stored_params p, const int forced,
                                    const int eddy, real *energy, real *change)
{
#if defined(TRM_VARIANT_cumulant) /* these have products of populations */
  for (int k = 0; k < LBM3D_Q; k++) f[k] *= STORED_UNIT;
  stored_collide_cell(f, p, forced, eddy, energy, change);
  for (int k = 0; k < LBM3D_Q; k++) f[k] *= STORED_PER_UNIT;
#else
  LBM3D_NAMES(STORED_HERE);
  STORED_NAMES;
  D3_MOMENTS;
  FOLDED_VELOCITY;
  D3_STRESS;
  const real stress2 = D3_STRESS2 * (STORED_UNIT * STORED_UNIT);
  const real plus = eddy ? lbm3d_eddy_rate(p.plus, p.eddy * per_rho, stress2) : p.plus;
  const real minus = eddy ? lbm3d_minus(plus, p.magic) : p.minus;
  LBM3D_COLLIDE;
  (void)minus, (void)sxx, (void)syy, (void)szz, (void)sxy, (void)sxz, (void)syz, (void)rest;
  *energy = R(0.5) * trm_fma(ux, ux, trm_fma(uy, uy, uz * uz));
  *change = d * STORED_UNIT;
  f[0] = h0;
  LBM3D_TIES(STORED_KEEP);
#endif
}

/* Populations after the step become the high halves of words, and those the low ones. */
#define FOLDED_NEXT(a, b, row, column, from_row, from_column) \
  do { \
    const trm_bits two = trm_two_halves(v[a], v[b]); \
    others += trm_low_half(two) + trm_high_half(two); \
    w[a] = w[a] >> 16 | two << 16; \
    w[b] = trm_high_halves(w[b], two); \
  } while (0)
TRM_INLINE void folded_next(trm_bits *w, const real *v, const real change)
{
  real others = R(0.0);
  LBM3D_TIES(FOLDED_NEXT);
  const real rest = stored_by_chance(change * STORED_PER_UNIT - others);
  w[0] = trm_high_halves(w[0], trm_two_halves(R(0.0), rest));
}

/* Pairs after the step for pairs that came; energy and change of the cell x, far_ of x + fold. */
TRM_INLINE void folded_collide(trm_bits *w, const stored_params p, const int forced, const int eddy,
                               real *energy, real *change, real *far_energy, real *far_change)
{
  TRM_ROLL for (int half_row = 0; half_row < 2; half_row++) { /* fewer registers than at once */
    real v[LBM3D_Q];
    *energy = *far_energy;
    *change = *far_change;
    TRM_UNROLL for (int k = 0; k < LBM3D_Q; k++) v[k] = trm_low_half(w[k]);
    folded_collide_cell(v, p, forced, eddy, far_energy, far_change);
    folded_next(w, v, *far_change);
  }
}

/* Components are addressed in fours, by 32 bits from the first: a grid has less than 2^31 cells. */
#define FOLDED_FIRST(k) ((k) == 0 ? 0 : ((k) - 1) / 4 * 4 + 1)
#define FOLDED_WORDS(k) ((trm_bits)((k) - FOLDED_FIRST(k)) * words)
TRM_INLINE TRM_IN(trm_bits) folded_from(TRM_IN(trm_bits) f, const stored_params p, const int first)
{
  TRM_IN(trm_bits) four = f + first * (p.component >> 1);
  TRM_APART(four);
  return four;
}

TRM_INLINE TRM_OUT(trm_bits) folded_to(TRM_OUT(trm_bits) g, const stored_params p, const int first)
{
  TRM_OUT(trm_bits) four = g + first * (p.component >> 1);
  TRM_APART(four);
  return four;
}
#define FOLDED_FROM(k, place) folded_from(from, p, FOLDED_FIRST(k))[FOLDED_WORDS(k) + (place)]
#define FOLDED_TO(k, place) folded_to(to, p, FOLDED_FIRST(k))[FOLDED_WORDS(k) + (place)]

/* Where rows begin in a component, in words (a grid has less than 2^31 cells), and at which columns
 * a neighbour's pair is beyond the end. */
#define FOLDED_PLACES \
  const trm_bits row_words = (trm_bits)(p.row >> 1), plane_words = (trm_bits)ny * row_words; \
  const trm_bits south = y == 0 ? plane_words - row_words : 0u - row_words; \
  const trm_bits north = y == ny - 1 ? row_words - plane_words : row_words; \
  const trm_bits below = (z == 0 ? (trm_bits)nz - 1 : 0u - 1) * plane_words; \
  const trm_bits above = (z == nz - 1 ? 1 - (trm_bits)nz : 1) * plane_words; \
  const trm_bits west_swaps = x == 0 ? 16 : 0, east_swaps = x == fold - 1 ? 16 : 0, x_swaps = 0; \
  const trm_bits mc = ((trm_bits)z * (trm_bits)ny + (trm_bits)y) * row_words; \
  const trm_bits here = mc + (trm_bits)x; \
  const trm_bits to_west = mc + (trm_bits)(x == 0 ? fold - 1 : x - 1), \
                 to_east = mc + (trm_bits)(x == fold - 1 ? 0 : x + 1); \
  const trm_bits words = (trm_bits)(p.component >> 1), odd = p.odd ? words : 0, \
                 even = words - odd; \
  (void)west_swaps, (void)x_swaps, (void)to_west, (void)odd, (void)even

#define FOLDED_BY_bs (south + below)
#define FOLDED_BY_bc below
#define FOLDED_BY_bn (north + below)
#define FOLDED_BY_ms south
#define FOLDED_BY_mc 0
#define FOLDED_BY_mn north
#define FOLDED_BY_as (south + above)
#define FOLDED_BY_ac above
#define FOLDED_BY_an (north + above)
#define FOLDED_AT_x here
#define FOLDED_AT_west to_west
#define FOLDED_AT_east to_east
#define FOLDED_AT(row, column) (FOLDED_AT_##column + FOLDED_BY_##row)

#define FOLDED_PULL(a, b, row, column, from_row, from_column) \
  w[a] = folded_swapped(FOLDED_FROM(a, FOLDED_AT(from_row, from_column)), from_column##_swaps); \
  w[b] = folded_swapped(FOLDED_FROM(b, FOLDED_AT(row, column)), column##_swaps)
#define FOLDED_LEAVE(a, b, row, column, from_row, from_column) \
  FOLDED_TO(a, here) = w[a]; \
  FOLDED_TO(b, here) = w[b]

/* In place; even and odd: words to the component that holds what is pulled from here, or beside. */
#define FOLDED_TAKE(a, b, row, column, from_row, from_column) \
  w[a] = FOLDED_FROM(a, even + here); \
  w[b] = folded_swapped(FOLDED_FROM(a, odd + FOLDED_AT(row, column)), column##_swaps)
#define FOLDED_SWAP(a, b, row, column, from_row, from_column) \
  FOLDED_TO(a, odd + FOLDED_AT(row, column)) = folded_swapped(w[a], column##_swaps); \
  FOLDED_TO(a, even + here) = w[b]
/* FOLDED_SWAP beside solid cells, whose places stay unchanged: `keep` covers their halves. */
#define FOLDED_KEEP(place, pair, kept) place = (place & (kept)) | ((pair) & ~(kept))
#define FOLDED_SWAP_BUT(a, b, row, column, from_row, from_column) \
  FOLDED_KEEP(FOLDED_TO(a, odd + FOLDED_AT(row, column)), \
              folded_swapped(w[a], column##_swaps), folded_swapped(keep, column##_swaps)); \
  FOLDED_KEEP(FOLDED_TO(a, even + here), w[b], keep)

/* Both cells of an item; keep: the halves of solid ones. In two lattices these become 0. */
TRM_INLINE void folded_come(trm_bits *w, TRM_IN(trm_bits) from, const stored_params p, const int x,
                            const int y, const int z, const int fold, const int ny, const int nz,
                            const int in_place)
{
  FOLDED_PLACES;
  w[0] = FOLDED_FROM(0, here);
  if (in_place) {
    LBM3D_TIES(FOLDED_TAKE);
  } else {
    LBM3D_TIES(FOLDED_PULL);
  }
}

TRM_INLINE void folded_go(trm_bits *w, TRM_OUT(trm_bits) to, const stored_params p, const int x,
                          const int y, const int z, const int fold, const int ny, const int nz,
                          const trm_bits keep, const int in_place)
{
  FOLDED_PLACES;
  if (!in_place) {
    if (keep)
      TRM_UNROLL for (int k = 0; k < LBM3D_Q; k++) w[k] &= ~keep;
    FOLDED_TO(0, here) = w[0];
    LBM3D_TIES(FOLDED_LEAVE);
  } else if (keep == 0) {
    FOLDED_TO(0, here) = w[0];
    LBM3D_TIES(FOLDED_SWAP);
  } else {
    FOLDED_KEEP(FOLDED_TO(0, here), w[0], keep);
    LBM3D_TIES(FOLDED_SWAP_BUT);
  }
}

/* In one lattice, populations are stored where they were loaded. Keeping those addresses would take
 * 38 registers. p.zero may be any number for a compiler, which therefore computes the addresses
 * again. */
#define FOLDED_AGAIN(x, in_place) ((in_place) ? (x) + p.zero : (x))

#define FOLDED_STEP(f, g, in_place, forced, eddy) \
  FOLDED_BEGIN; \
  TRM_SERIAL_CELLS(x) { \
    const trm_bits keep = FOLDED_SOLIDS; \
    trm_bits w[LBM3D_Q]; \
    folded_come(w, (TRM_IN(trm_bits))f + (p.first >> 1), p, x, (int)y, (int)z, fold, TRM_NY, \
                TRM_NZ, in_place); \
    folded_collide(w, p, forced, eddy, &energy, &change, &far_energy, &far_change); \
    folded_go(w, (TRM_OUT(trm_bits))g + (p.first >> 1), p, FOLDED_AGAIN(x, in_place), (int)y, \
              (int)z, fold, TRM_NY, TRM_NZ, keep, in_place); \
    FOLDED_REST; \
  } \
  FOLDED_END
#endif

/* Kernels that step two lattices, and one. Nearly without spills, D3Q19 has room for so many items
 * at once: 72 registers each, 80 or 96. */
#undef TRM_RESIDENT
#if LBM3D_Q == 19
#define FOLDED_MANY 896
#define FOLDED_SOME 768
#define FOLDED_FEW 640
#else
#define FOLDED_MANY 0
#define FOLDED_SOME 0
#define FOLDED_FEW 0
#endif
#define FOLDED_TWO(name, step, forced, eddy) \
  TRM_ROW_KERNEL5(name, -1, stored_params, TRM_RO(real) f, TRM_RW(real) g, TRM_RO(trm_bits) marks, \
                  TRM_RW(real) energies, TRM_RW(real) changes) \
  { \
    step(f, g, 0, forced, eddy); \
  }
#define FOLDED_IN_PLACE(name, step, forced, eddy) \
  TRM_ROW_KERNEL4(name, -1, stored_params, TRM_RW(real) f, TRM_RO(trm_bits) marks, \
                  TRM_RW(real) energies, TRM_RW(real) changes) \
  { \
    step(f, f, 1, forced, eddy); \
  }
#define TRM_RESIDENT FOLDED_MANY
FOLDED_TWO(folded_step_two, FOLDED_STEP, 0, 0)
FOLDED_TWO(folded_forced_two, FOLDED_STEP, 1, 0)
FOLDED_IN_PLACE(folded_step, FOLDED_STEP, 0, 0)
FOLDED_IN_PLACE(folded_forced, FOLDED_STEP, 1, 0)
#undef TRM_RESIDENT
#define TRM_RESIDENT FOLDED_SOME
FOLDED_TWO(folded_eddies_two, FOLDED_STEP, 1, 1)
FOLDED_IN_PLACE(folded_eddies, FOLDED_STEP, 1, 1)
