/* lbm3d_sums.h - what a link adds to the sums of its place, on every kind of grid. */

/* The sums of a place while a cell's links to it follow one another: in registers, since memory
 * would be read, added to and written for each link. */
typedef struct lbm3d_tally {
  int place;                   /* -1: none yet */
  int count;                   /* of its values: LBM3D_VALUES of an opening, else LBM3D_FORCES */
  real value[LBM3D_VALUES];
} lbm3d_tally;

/* To memory; before another place, and after the last link. */
TRM_INLINE void lbm3d_tally_close(const lbm3d_tally *t, TRM_OUT(real) part,
                                  const trm_index places)
{
  TRM_UNROLL for (int i = 0; i < LBM3D_VALUES; i++)
    if (t->place >= 0 && i < t->count) part[i * places + t->place] = t->value[i];
}

/* Where a place's sums do not begin anew, they go on from memory. */
TRM_INLINE void lbm3d_tally_open(lbm3d_tally *t, TRM_IN(real) part, const trm_index places,
                                 const int place, const int way, const int begins)
{
  t->place = place;
  t->count = way & WAY_FLUX ? LBM3D_VALUES : LBM3D_FORCES;
  TRM_UNROLL for (int i = 0; i < LBM3D_VALUES; i++)
    if (!begins && i < t->count) t->value[i] = part[i * places + place];
}

TRM_INLINE void lbm3d_add(real *to, const int is_new, const real value)
{
  *to = is_new ? value : *to + value;
}

/* Through a link along (ex, ey, ez) a cell lost `sent` and received `got`. At a wall, this is the
 * force on it; at an opening, the inflow, the cell's density less 1, and the incoming momentum.
 * share: the cell's volume, in cells of level 0. */
TRM_INLINE void lbm3d_count(lbm3d_tally *t, const int way, const int begins, const real share,
                            const real sent, const real got, const real change, const real ex,
                            const real ey, const real ez)
{
  const int is_first = (way & WAY_FIRST) != 0, is_new = is_first && begins;
  const real both = sent + got;
  if (way & WAY_FLUX) {
    lbm3d_add(&t->value[0], is_new, share * (got - sent));
    lbm3d_add(&t->value[1], is_new, share * (is_first ? change : R(0.0)));
    lbm3d_add(&t->value[2], is_new, share * (both * ex));
    lbm3d_add(&t->value[3], is_new, share * (both * ey));
    lbm3d_add(&t->value[4], is_new, share * (both * ez));
  } else {
    lbm3d_add(&t->value[0], is_new, share * (-both * ex));
    lbm3d_add(&t->value[1], is_new, share * (-both * ey));
    lbm3d_add(&t->value[2], is_new, share * (-both * ez));
  }
}
