/* lbm3d_sums.h - what a link adds to the sums of its place, on every kind of grid. */

TRM_INLINE void lbm3d_add(TRM_OUT(real) to, const int is_new, const real value)
{
  to[0] = is_new ? value : to[0] + value;
}

/* Through a link along (ex, ey, ez) a cell lost `sent` and received `got`: of a wall the force on
 * it; of an opening what flowed in, the cell's density less 1, and the momentum that came in.
 * share: the cell's volume, in cells of level 0. */
TRM_INLINE void lbm3d_count(TRM_OUT(real) to, const trm_index places, const int way,
                            const int begins, const real share, const real sent, const real got,
                            const real change, const real ex, const real ey, const real ez)
{
  const int is_first = way & WAY_FIRST, is_new = is_first && begins;
  const real both = sent + got;
  if (way & WAY_FLUX) {
    lbm3d_add(to, is_new, share * (got - sent));
    lbm3d_add(to + places, is_new, share * (is_first ? change : R(0.0)));
    lbm3d_add(to + 2 * places, is_new, share * (both * ex));
    lbm3d_add(to + 3 * places, is_new, share * (both * ey));
    lbm3d_add(to + 4 * places, is_new, share * (both * ez));
  } else {
    lbm3d_add(to, is_new, share * (-both * ex));
    lbm3d_add(to + places, is_new, share * (-both * ey));
    lbm3d_add(to + 2 * places, is_new, share * (-both * ez));
  }
}
