/* Records of cells that a wall cuts, and whose wall that is: as cut_find.c has it. */

/* Of those near; seen: what the cell's corners lie in or near. */
TRM_INLINE int fv_nearest(const fv_geometry_params p, TRM_IN(real) bodies, const int seen,
                          const real *at)
{
  real least = FV_BEYOND_ALL;
  int found = 0;
  for (int b = 0; b < p.bodies; b++)
    if (seen >> (16 + b) & 1) {
      const real away = fv_away(bodies, b, at);
      if (away < least) found = b;
      least = trm_min(least, away);
    }
  return found;
}

#define FV_IS_SLIDING(b) (bodies[(b) * FV_BODY_REALS + FV_BODY_SLIDES] != R(0.0))

/* Another body in the cell has to be one that slides, or to slide along it; whether one is within
 * two cells then. Returns whether it may not be there. */
TRM_INLINE int fv_find_others(const fv_geometry_params p, TRM_IN(real) bodies, const int seen,
                              const real *middle, const real width, const int nearest, int *body,
                              int *is_gap)
{
  int meets = 0;
  for (int b = 0; b < p.bodies; b++)
    if (b != nearest && (seen >> (16 + b) & 1)) {
      const int slides = FV_IS_SLIDING(b) || FV_IS_SLIDING(nearest);
      if (!*is_gap && slides)
        *is_gap = trm_fabs(fv_away(bodies, b, middle)) <= R(2.5) * width;
      if (seen >> b & 1) {
        meets |= !slides;
        if (FV_IS_SLIDING(b) && !FV_IS_SLIDING(*body)) *body = b;
      }
    }
  return meets;
}

/* Returns whether no cell can be made of it. */
TRM_INLINE int fv_make_record(const fv_geometry_params p, TRM_IN(real) bodies, const int i,
                              TRM_OUT(int) ints, TRM_OUT(real) reals)
{
  const int cell = FV_REC(FV_R_CELL)[i], in = cell % FV_CELLS;
  const int of = ints[p.near_of + cell / FV_CELLS];
  TRM_IN(int) leaf = ints + p.leaf + (trm_index)of * FV_LEAF_INTS;
  TRM_IN(real) from = reals + p.distance + (trm_index)of * FV_CORNERS;
  TRM_IN(int) mark = ints + p.marks + (trm_index)of * FV_CORNERS;
  TRM_OUT(real) to = FV_REC_REAL(FV_R_CUT) + (trm_index)i * FV_CUT_REALS;
  const real width = fv_width(p, leaf);
  real distance[8];
  int seen = 0, body = 0, is_gap = 0;
  TRM_UNROLL for (int c = 0; c < 8; c++) {
    distance[c] = from[fv_corner_of(in, c)];
    seen |= mark[fv_corner_of(in, c)];
  }
  int is_wrong = fv_cut_one(distance, to);
  if (p.bodies > 1 && !is_wrong) {
    real at[3], middle[3];
    for (int a = 0; a < 3; a++) {
      at[a] = fv_place(p, leaf, a, fv_at_along(in, a), to[FV_CUT_WALL_AT + a]);
      middle[a] = fv_place(p, leaf, a, fv_at_along(in, a), R(0.5));
    }
    body = fv_nearest(p, bodies, seen, at);
    is_wrong = bodies[body * FV_BODY_REALS + FV_BODY_LEAST] < R(2.0) * width;
    if (fv_find_others(p, bodies, seen, middle, width, body, &body, &is_gap)) is_wrong = 1;
  }
  if (bodies[FV_BODY_LEAST] < R(2.0) * width && p.bodies == 1) is_wrong = 1;
  FV_REC(FV_R_MASTER)[i] = cell;
  FV_REC(FV_R_NEXT)[i] = -1;
  FV_REC(FV_R_BODY)[i] = body;
  ints[FV_TOTAL_SEEN + body] = 1;
  for (int a = 0; a < 3; a++) FV_REC(FV_R_TO + a)[i] = 0;
  FV_REC(FV_R_GAP)[i] = is_gap;
  FV_REC(FV_R_CHAINED)[i] = 0;
  FV_REC(FV_R_ROUND)[i] = FV_ROUND_NONE;
  FV_REC(FV_R_LEADS)[i] = 0;
  return is_wrong;
}

TRM_GROUP_KERNEL3(fv_geometry_cut, TRM_NO_SHARED, fv_geometry_params, TRM_RO(real) bodies,
                  TRM_RW(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < FV_CUTS && fv_make_record(p, bodies, i, ints, reals)) ints[FV_TOTAL_FAULT] = 1;
  }
}
