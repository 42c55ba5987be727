/* Records of cells that a wall cuts, and whose wall that is: as cut_find.c has it. */

/* What corners of a record's cell lie in or near. */
TRM_INLINE int fv_seen_of(const fv_geometry_params p, TRM_IN(int) ints, const int of, const int in)
{
  TRM_IN(int) mark = ints + p.marks + (trm_index)of * FV_CORNERS;
  int seen = 0;
  TRM_UNROLL for (int c = 0; c < 8; c++) seen |= mark[fv_corner_of(in, c)];
  return seen;
}

/* Cells of a group as they are cut, which then go to memory side by side. Rows of an odd length lie
 * in different banks. */
#define FV_CUT_ROOM 41
typedef struct fv_all_cut { real of[FV_CUT_GROUP][FV_CUT_ROOM]; } fv_all_cut;

/* Returns whether no cell can be made of it. */
TRM_INLINE int fv_make_record(const fv_geometry_params p, const int i, TRM_OUT(int) ints,
                              TRM_IN(real) reals, TRM_LOCAL real *cut)
{
  const int cell = FV_REC(FV_R_CELL)[i], in = cell % FV_CELLS;
  const int of = ints[p.near_of + cell / FV_CELLS];
  TRM_IN(real) from = reals + p.distance + (trm_index)of * FV_CORNERS;
  real distance[8];
  TRM_UNROLL for (int c = 0; c < 8; c++) distance[c] = from[fv_corner_of(in, c)];
  FV_REC(FV_R_MASTER)[i] = cell;
  FV_REC(FV_R_NEXT)[i] = -1;
  for (int a = 0; a < 3; a++) FV_REC(FV_R_TO + a)[i] = 0;
  FV_REC(FV_R_BODY)[i] = FV_REC(FV_R_GAP)[i] = 0;
  FV_REC(FV_R_CHAINED)[i] = 0;
  FV_REC(FV_R_ROUND)[i] = FV_ROUND_NONE;
  FV_REC(FV_R_LEADS)[i] = 0;
  return fv_cut_one(distance, cut);
}

/* All are cut by the wall of the first body but where there are more (fv_geometry_owners). */
TRM_GROUP_KERNEL3(fv_geometry_cut, fv_all_cut, fv_geometry_params, TRM_RO(real) bodies,
                  TRM_RW(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_all_cut, s);
  const int left = FV_CUTS - group * FV_CUT_GROUP;
  const int count = left < FV_CUT_GROUP ? left : FV_CUT_GROUP;
  TRM_SERIAL(lane, count) {
    const int i = group * FV_CUT_GROUP + lane;
    const int of = ints[p.near_of + FV_REC(FV_R_CELL)[i] / FV_CELLS];
    const real width = fv_width(p, ints + p.leaf + (trm_index)of * FV_LEAF_INTS);
    int is_wrong = fv_make_record(p, i, ints, reals, s.of[lane]);
    if (p.bodies == 1) {
      is_wrong |= bodies[FV_BODY_LEAST] < R(2.0) * width;
      ints[FV_TOTAL_SEEN] = 1;
    }
    if (is_wrong) ints[FV_TOTAL_FAULT] = 1;
  }
  TRM_OUT(real) to = FV_REC_REAL(FV_R_CUT) + (trm_index)group * FV_CUT_GROUP * FV_CUT_REALS;
  TRM_SERIAL(k, count * FV_CUT_REALS) {
    if (k % FV_CUT_REALS < FV_CUT_WALL_TURN + 3) to[k] = s.of[k / FV_CUT_REALS][k % FV_CUT_REALS];
  }
}

/* ---- of several bodies ------------------------------------------------------------------- */

#define FV_IS_SLIDING(b) (bodies[(b) * FV_BODY_REALS + FV_BODY_SLIDES] != R(0.0))
#define FV_IS_NEAR(seen, b) ((seen) >> (16 + (b)) & 1)

/* How far body k is from the wall in a record's cell; body k less p.bodies from the cell's
 * middle. */
#define FV_CLAIM(k) \
  (reals + p.record_real + (FV_RECORD_REALS + (trm_index)(k)) * p.records)

/* Whether several bodies are near; slide: one of these slides. */
TRM_INLINE int fv_are_several(const fv_geometry_params p, TRM_IN(real) bodies, const int seen,
                              int *slide)
{
  int count = 0;
  *slide = 0;
  for (int b = 0; b < p.bodies; b++) {
    count += FV_IS_NEAR(seen, b);
    *slide |= FV_IS_NEAR(seen, b) && FV_IS_SLIDING(b);
  }
  return count > 1;
}

/* How far body number b is from a place in cell `in` of a leaf, as far as the cell's corners tell:
 * between *low and *high. Of a surface, whose distances from far corners are bounds. */
TRM_INLINE void fv_bound_claim(const fv_geometry_params p, TRM_IN(real) bodies, TRM_IN(real) reals,
                               const int b, TRM_IN(int) leaf, const int of, const int in,
                               const real *at, real *low, real *high)
{
  const int surface = (int)bodies[b * FV_BODY_REALS + FV_BODY_SURFACE];
  TRM_IN(real) own = FV_SAMPLED(surface < 0 ? 0 : surface) + (trm_index)of * FV_CORNERS;
  const real exact = (FV_ABOUT + R(1.0)) * fv_width(p, leaf);
  *low = -FV_BEYOND_ALL;
  *high = FV_BEYOND_ALL;
  if (surface < 0) *low = *high = fv_away(bodies, b, at, R(0.0), -R(1.0));
  for (int c = 0; c < 8 && surface >= 0; c++) {
    const real there = own[fv_corner_of(in, c)];
    real corner[3], square = R(0.0);
    fv_corner_at(p, leaf, fv_corner_of(in, c), corner);
    for (int a = 0; a < 3; a++) square += (at[a] - corner[a]) * (at[a] - corner[a]);
    const real far = trm_sqrt(square) * (R(1.0) + R(1e-6)) + R(1e-9) * exact;
    if (there > R(0.0) || trm_fabs(there) <= exact) *low = trm_max(*low, there - far);
    if (there < R(0.0) || trm_fabs(there) <= exact) *high = trm_min(*high, there + far);
  }
}

/* The same without a doubt, from the cell's nearest corner. */
TRM_INLINE real fv_claim(const fv_geometry_params p, TRM_IN(real) bodies, TRM_IN(real) reals,
                         const int b, TRM_IN(int) leaf, const int of, const int in, const real *at)
{
  const int surface = (int)bodies[b * FV_BODY_REALS + FV_BODY_SURFACE];
  TRM_IN(real) own = FV_SAMPLED(surface < 0 ? 0 : surface) + (trm_index)of * FV_CORNERS;
  real corner[3], square = R(0.0);
  int nearest = fv_corner_of(in, 0);
  if (surface < 0) return fv_away(bodies, b, at, R(0.0), -R(1.0));
  for (int c = 1; c < 8; c++)
    if (trm_fabs(own[fv_corner_of(in, c)]) < trm_fabs(own[nearest])) nearest = fv_corner_of(in, c);
  fv_corner_at(p, leaf, nearest, corner);
  for (int a = 0; a < 3; a++) square += (at[a] - corner[a]) * (at[a] - corner[a]);
  return fv_away(bodies, b, at, own[nearest], trm_sqrt(square) * (R(1.0) + R(1e-6)));
}

/* How far the wall in a cell is from body b, of those near: a number that no body's can be above or
 * below where corners tell that another one is nearer, or that none is. */
TRM_INLINE real fv_claim_wall(const fv_geometry_params p, TRM_IN(real) bodies, TRM_IN(real) reals,
                              const int b, const int seen, TRM_IN(int) leaf, const int of,
                              const int in, const real *at)
{
  real low, high;
  int is_first = 1;
  fv_bound_claim(p, bodies, reals, b, leaf, of, in, at, &low, &high);
  for (int k = 0; k < p.bodies; k++)
    if (k != b && FV_IS_NEAR(seen, k)) {
      real from, to;
      fv_bound_claim(p, bodies, reals, k, leaf, of, in, at, &from, &to);
      if (to < low) return FV_BEYOND_ALL * R(0.5);
      is_first &= high < from;
    }
  return is_first ? -FV_BEYOND_ALL : fv_claim(p, bodies, reals, b, leaf, of, in, at);
}

/* How far a cell's middle is from body b; 0 where that is within so much for sure. */
TRM_INLINE real fv_claim_middle(const fv_geometry_params p, TRM_IN(real) bodies,
                                TRM_IN(real) reals, const int b, TRM_IN(int) leaf, const int of,
                                const int in, const real *at, const real within)
{
  real low, high;
  fv_bound_claim(p, bodies, reals, b, leaf, of, in, at, &low, &high);
  if (low > within || high < -within) return FV_BEYOND_ALL;
  if (low >= -within && high <= within) return R(0.0);
  return fv_claim(p, bodies, reals, b, leaf, of, in, at);
}

#define FV_GAP_WIDTH R(2.5)   /* of a gap beside a body that slides, in cells */

/* Where several bodies are near, how far each is: all records for a body, then for the next. */
TRM_GROUP_KERNEL3(fv_geometry_claims, TRM_NO_SHARED, fv_geometry_params, TRM_RO(real) bodies,
                  TRM_RO(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  const int groups = (p.most_records + FV_CUT_GROUP - 1) / FV_CUT_GROUP, b = group / groups;
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group % groups * FV_CUT_GROUP + lane;
    if (i < FV_CUTS) {
      const int cell = FV_REC(FV_R_CELL)[i], in = cell % FV_CELLS;
      const int of = ints[p.near_of + cell / FV_CELLS], seen = fv_seen_of(p, ints, of, in);
      int slide;
      if (fv_are_several(p, bodies, seen, &slide) && FV_IS_NEAR(seen, b)) {
        TRM_IN(int) leaf = ints + p.leaf + (trm_index)of * FV_LEAF_INTS;
        TRM_IN(real) cut = FV_REC_REAL(FV_R_CUT) + (trm_index)i * FV_CUT_REALS;
        real wall[3], middle[3];
        for (int a = 0; a < 3; a++) {
          wall[a] = fv_place(p, leaf, a, fv_at_along(in, a), cut[FV_CUT_WALL_AT + a]);
          middle[a] = fv_place(p, leaf, a, fv_at_along(in, a), R(0.5));
        }
        FV_CLAIM(b)[i] = fv_claim_wall(p, bodies, reals, b, seen, leaf, of, in, wall);
        if (slide)
          FV_CLAIM(b + p.bodies)[i] = fv_claim_middle(p, bodies, reals, b, leaf, of, in, middle,
                                                      FV_GAP_WIDTH * fv_width(p, leaf));
      }
    }
  }
}

/* The nearest of those near. */
TRM_INLINE int fv_nearest(const fv_geometry_params p, TRM_IN(real) bodies, TRM_IN(real) reals,
                          const int seen, const int i)
{
  real least = FV_BEYOND_ALL;
  int found = 0, slide;
  const int several = fv_are_several(p, bodies, seen, &slide);
  for (int b = 0; b < p.bodies; b++)
    if (FV_IS_NEAR(seen, b)) {
      const real away = several ? FV_CLAIM(b)[i] : R(0.0);
      if (away < least) found = b;
      least = trm_min(least, away);
    }
  return found;
}

/* Another body in the cell has to be one that slides, or to slide along it; whether one is within
 * two cells then. Returns whether it may not be there. */
TRM_INLINE int fv_find_others(const fv_geometry_params p, TRM_IN(real) bodies, TRM_IN(real) reals,
                              const int seen, const int i, const real width, const int nearest,
                              int *body, int *is_gap)
{
  int meets = 0;
  for (int b = 0; b < p.bodies; b++)
    if (b != nearest && FV_IS_NEAR(seen, b)) {
      const int slides = FV_IS_SLIDING(b) || FV_IS_SLIDING(nearest);
      if (!*is_gap && slides)
        *is_gap = trm_fabs(FV_CLAIM(b + p.bodies)[i]) <= FV_GAP_WIDTH * width;
      if (seen >> b & 1) {
        meets |= !slides;
        if (FV_IS_SLIDING(b) && !FV_IS_SLIDING(*body)) *body = b;
      }
    }
  return meets;
}

/* The body whose wall cuts a record's cell. Returns whether it may not be there. */
TRM_INLINE int fv_find_owner(const fv_geometry_params p, TRM_IN(real) bodies, const int i,
                             TRM_OUT(int) ints, TRM_IN(real) reals)
{
  const int cell = FV_REC(FV_R_CELL)[i], of = ints[p.near_of + cell / FV_CELLS];
  const int seen = fv_seen_of(p, ints, of, cell % FV_CELLS);
  const real width = fv_width(p, ints + p.leaf + (trm_index)of * FV_LEAF_INTS);
  const int nearest = fv_nearest(p, bodies, reals, seen, i);
  int body = nearest, is_gap = 0;
  int is_wrong = bodies[nearest * FV_BODY_REALS + FV_BODY_LEAST] < R(2.0) * width;
  is_wrong |= fv_find_others(p, bodies, reals, seen, i, width, nearest, &body, &is_gap);
  FV_REC(FV_R_BODY)[i] = body;
  FV_REC(FV_R_GAP)[i] = is_gap;
  ints[FV_TOTAL_SEEN + body] = 1;
  return is_wrong;
}

TRM_GROUP_KERNEL3(fv_geometry_owners, TRM_NO_SHARED, fv_geometry_params, TRM_RO(real) bodies,
                  TRM_RW(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < FV_CUTS && fv_find_owner(p, bodies, i, ints, reals)) ints[FV_TOTAL_FAULT] = 1;
  }
}
