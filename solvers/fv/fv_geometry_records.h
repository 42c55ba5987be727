/* Records of cells that a wall cuts, and whose wall that is: as cut_find.c has it. */

/* What corners of a record's cell lie in or near. */
TRM_INLINE int fv_seen_of(const fv_geometry_params p, TRM_IN(int) ints, const int of, const int in)
{
  TRM_IN(int) mark = ints + p.marks + (trm_index)of * FV_CORNERS;
  int seen = 0;
  TRM_UNROLL for (int c = 0; c < 8; c++) seen |= mark[fv_corner_of(in, c)];
  return seen;
}

/* Returns whether no cell can be made of it. */
TRM_INLINE int fv_make_record(const fv_geometry_params p, const int i, TRM_OUT(int) ints,
                              TRM_OUT(real) reals)
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
  return fv_cut_one(distance, FV_REC_REAL(FV_R_CUT) + (trm_index)i * FV_CUT_REALS);
}

/* All are cut by the wall of the first body but where there are more (fv_geometry_owners). */
TRM_GROUP_KERNEL3(fv_geometry_cut, TRM_NO_SHARED, fv_geometry_params, TRM_RO(real) bodies,
                  TRM_RW(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < FV_CUTS) {
      const int of = ints[p.near_of + FV_REC(FV_R_CELL)[i] / FV_CELLS];
      const real width = fv_width(p, ints + p.leaf + (trm_index)of * FV_LEAF_INTS);
      int is_wrong = fv_make_record(p, i, ints, reals);
      if (p.bodies == 1) {
        is_wrong |= bodies[FV_BODY_LEAST] < R(2.0) * width;
        ints[FV_TOTAL_SEEN] = 1;
      }
      if (is_wrong) ints[FV_TOTAL_FAULT] = 1;
    }
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

/* How far body number b is from a place in cell `in` of a leaf; of a surface found from the corner
 * of the cell that is nearest to it. */
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
        for (int k = 0; k <= slide; k++)
          FV_CLAIM(b + k * p.bodies)[i] = fv_claim(p, bodies, reals, b, leaf, of, in,
                                                   k ? middle : wall);
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
        *is_gap = trm_fabs(FV_CLAIM(b + p.bodies)[i]) <= R(2.5) * width;
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
