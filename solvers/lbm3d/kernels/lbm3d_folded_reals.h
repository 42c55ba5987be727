/* lbm3d_folded_reals.h - a GPU's step in folded rows (lbm3d_folded.h) of reals: an item loads and
 * stores pairs of them. */
#if TRM_BY_SPAN
#define FOLDED_STEP_REALS FOLDED_STEP
#else
#define FOLDED_PAIR_FROM(k, place) \
  (folded_reals_from(from, p, FOLDED_FIRST(k)) + 2 * (trm_index)(FOLDED_WORDS(k) + (place)))
#define FOLDED_PAIR_TO(k, place) \
  (folded_reals_to(to, p, FOLDED_FIRST(k)) + 2 * (trm_index)(FOLDED_WORDS(k) + (place)))
TRM_INLINE TRM_IN(real) folded_reals_from(TRM_IN(real) f, const stored_params p, const int first)
{
  TRM_IN(real) four = f + p.first + first * p.component;
  TRM_APART(four);
  return four;
}

TRM_INLINE TRM_OUT(real) folded_reals_to(TRM_OUT(real) g, const stored_params p, const int first)
{
  TRM_OUT(real) four = g + p.first + first * p.component;
  TRM_APART(four);
  return four;
}

TRM_INLINE void folded_take(real *own, real *far_own, TRM_IN(real) from, const trm_bits swaps)
{
  real two[2];
  trm_read(two, from, 2);
  *own = swaps ? two[1] : two[0];
  *far_own = swaps ? two[0] : two[1];
}

/* keep: as in folded_go, of bits of halves. */
TRM_INLINE void folded_put(TRM_OUT(real) to, const real own, const real far_own,
                           const trm_bits swaps, const trm_bits keep)
{
  real two[2];
  two[0] = swaps ? far_own : own;
  two[1] = swaps ? own : far_own;
  if (keep == 0) {
    trm_write(to, two, 2);
  } else {
    if (!(folded_swapped(keep, swaps) & 0xffffu)) to[0] = two[0];
    if (!(folded_swapped(keep, swaps) & 0xffff0000u)) to[1] = two[1];
  }
}

#define FOLDED_PULL_REALS(a, b, row, column, from_row, from_column) \
  folded_take(v + a, far_v + a, FOLDED_PAIR_FROM(a, FOLDED_AT(from_row, from_column)), \
              from_column##_swaps); \
  folded_take(v + b, far_v + b, FOLDED_PAIR_FROM(b, FOLDED_AT(row, column)), column##_swaps)
#define FOLDED_LEAVE_REALS(a, b, row, column, from_row, from_column) \
  folded_put(FOLDED_PAIR_TO(a, here), v[a], far_v[a], 0, keep); \
  folded_put(FOLDED_PAIR_TO(b, here), v[b], far_v[b], 0, keep)
#define FOLDED_TAKE_REALS(a, b, row, column, from_row, from_column) \
  folded_take(v + a, far_v + a, FOLDED_PAIR_FROM(a, even + here), 0); \
  folded_take(v + b, far_v + b, FOLDED_PAIR_FROM(a, odd + FOLDED_AT(row, column)), \
              column##_swaps)
#define FOLDED_SWAP_REALS(a, b, row, column, from_row, from_column) \
  folded_put(FOLDED_PAIR_TO(a, odd + FOLDED_AT(row, column)), v[a], far_v[a], \
             column##_swaps, keep); \
  folded_put(FOLDED_PAIR_TO(a, even + here), v[b], far_v[b], 0, keep)

TRM_INLINE void folded_reals_come(real *v, real *far_v, TRM_IN(real) from, const stored_params p,
                                  const int x, const int y, const int z, const int fold,
                                  const int ny, const int nz, const int in_place)
{
  FOLDED_PLACES;
  folded_take(v, far_v, FOLDED_PAIR_FROM(0, here), 0);
  if (in_place) {
    LBM3D_TIES(FOLDED_TAKE_REALS);
  } else {
    LBM3D_TIES(FOLDED_PULL_REALS);
  }
}

TRM_INLINE void folded_reals_go(const real *v, const real *far_v, TRM_OUT(real) to,
                                const stored_params p, const int x, const int y, const int z,
                                const int fold, const int ny, const int nz, const trm_bits keep,
                                const int in_place)
{
  FOLDED_PLACES;
  folded_put(FOLDED_PAIR_TO(0, here), v[0], far_v[0], 0, keep);
  if (in_place) {
    LBM3D_TIES(FOLDED_SWAP_REALS);
  } else {
    LBM3D_TIES(FOLDED_LEAVE_REALS);
  }
}

#define FOLDED_STEP_REALS(f, g, in_place, forced, eddy) \
  FOLDED_BEGIN; \
  TRM_SERIAL_CELLS(x) { \
    const trm_bits keep = FOLDED_SOLIDS; \
    real v[LBM3D_Q], far_v[LBM3D_Q]; \
    folded_reals_come(v, far_v, f, p, x, (int)y, (int)z, fold, TRM_NY, TRM_NZ, \
                      in_place); \
    stored_collide_cell(v, p, forced, eddy, &energy, &change); \
    stored_collide_cell(far_v, p, forced, eddy, &far_energy, &far_change); \
    const int at_x = FOLDED_AGAIN(x, in_place); \
    if (keep == 0) \
      folded_reals_go(v, far_v, g, p, at_x, (int)y, (int)z, fold, TRM_NY, TRM_NZ, 0, in_place); \
    else \
      folded_reals_go(v, far_v, g, p, at_x, (int)y, (int)z, fold, TRM_NY, TRM_NZ, keep, in_place); \
    FOLDED_REST; \
  } \
  FOLDED_END
#endif

#undef TRM_RESIDENT
#define TRM_RESIDENT FOLDED_FEW
FOLDED_TWO(folded_reals_step_two, FOLDED_STEP_REALS, 0, 0)
FOLDED_TWO(folded_reals_forced_two, FOLDED_STEP_REALS, 1, 0)
FOLDED_TWO(folded_reals_eddies_two, FOLDED_STEP_REALS, 1, 1)
FOLDED_IN_PLACE(folded_reals_step, FOLDED_STEP_REALS, 0, 0)
FOLDED_IN_PLACE(folded_reals_forced, FOLDED_STEP_REALS, 1, 0)
FOLDED_IN_PLACE(folded_reals_eddies, FOLDED_STEP_REALS, 1, 1)
#undef TRM_RESIDENT
#define TRM_RESIDENT 0
