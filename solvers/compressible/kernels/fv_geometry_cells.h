/* How far walls are from corners of cells, and which cells they cut: as cut_corners.c and
 * cut_find.c have it. */

/* As many corners as a block's cells have, and how near a body counts as near (cut_maker.h). */
#define FV_CORNERS ((FV_SX + 1) * (FV_SY + 1) * (FV_SZ + 1))
#define FV_SAMPLE_GROUPS ((FV_CORNERS + FV_CUT_GROUP - 1) / FV_CUT_GROUP)
#define FV_ABOUT R(3.4)
#define FV_NEAREST R(1e-6)

TRM_INLINE void fv_corner_at(const fv_geometry_params p, TRM_IN(int) leaf, const int corner,
                             real *at)
{
  at[0] = fv_place(p, leaf, 0, corner % (FV_SX + 1), R(0.0));
  at[1] = fv_place(p, leaf, 1, corner / (FV_SX + 1) % (FV_SY + 1), R(0.0));
  at[2] = fv_place(p, leaf, 2, corner / ((FV_SX + 1) * (FV_SY + 1)), R(0.0));
}

/* Where distances of surfaces lie, behind those of all walls. */
#define FV_SAMPLED(surface) \
  (reals + p.distance + ((trm_index)(surface) + 1) * FV_CORNERS * (p.cells / FV_CELLS))

/* How far a body that is a surface is from a corner, from how far it was, or less where that is far
 * still: cells that walls cut have no corner so far away. */
TRM_INLINE real fv_sample(const fv_geometry_params p, TRM_IN(real) bodies, const int number,
                          TRM_IN(int) leaf, const int corner, const real was)
{
  TRM_IN(real) b = bodies + number * FV_BODY_REALS;
  const real exact = (FV_ABOUT + R(1.0)) * fv_width(p, leaf);
  real at[3];
  fv_corner_at(p, leaf, corner, at);
  if (p.round == 0) return fv_away(bodies, number, at, R(0.0), -R(1.0));
  const real by = fv_stray(b, at), least = trm_fabs(was) - by;
  if (by == R(0.0)) return was;
  if (least > exact) return was > R(0.0) ? least : -least;
  return fv_away(bodies, number, at, was, trm_fabs(was) > exact ? -R(1.0) : by);
}

/* The same of all corners of leaves near walls: of a leaf some in each group, all leaves of a
 * surface, then of the next. p.round: 0, what was is not known. */
TRM_GROUP_KERNEL3(fv_geometry_sample, TRM_NO_SHARED, fv_geometry_params, TRM_RO(real) bodies,
                  TRM_RO(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  const int part = group % FV_SAMPLE_GROUPS, near = group / FV_SAMPLE_GROUPS % p.nears;
  const int surface = group / FV_SAMPLE_GROUPS / p.nears;
  TRM_IN(int) leaf = ints + p.leaf + (trm_index)near * FV_LEAF_INTS;
  TRM_OUT(real) to = FV_SAMPLED(surface) + (trm_index)near * FV_CORNERS;
  int number = 0;
  while (bodies[number * FV_BODY_REALS + FV_BODY_SURFACE] != (real)surface) number++;
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int corner = part * FV_CUT_GROUP + lane;
    if (corner < FV_CORNERS) to[corner] = fv_sample(p, bodies, number, leaf, corner, to[corner]);
  }
}

/* Of a corner the least distance of all walls, in cells, and marks: a bit for each body that it
 * lies in, and 16 on for each that is near. */
TRM_INLINE int fv_mark_corner(const fv_geometry_params p, TRM_IN(int) leaf, TRM_IN(real) bodies,
                              TRM_IN(real) sampled, const int corner, TRM_OUT(real) to,
                              TRM_OUT(int) mark)
{
  const real width = fv_width(p, leaf);
  real at[3], least = FV_BEYOND_ALL;
  int marks = 0, firm = 0;
  fv_corner_at(p, leaf, corner, at);
  for (int k = 0; k < p.bodies; k++) {
    TRM_IN(real) b = bodies + k * FV_BODY_REALS;
    const int surface = (int)b[FV_BODY_SURFACE], slides = b[FV_BODY_SLIDES] != R(0.0);
    real here[3], away;
    if (surface < 0) {
      fv_from_here(b, at, here);
      away = fv_to_shape(bodies, b, here);
    } else
      away = sampled[(trm_index)surface * FV_CORNERS * (p.cells / FV_CELLS) + corner];
    const real own = away / width;
    least = own < least ? own : least;
    marks |= (own > R(0.0) ? 0 : 1 << k) | (trm_fabs(own) <= FV_ABOUT ? 1 << (16 + k) : 0);
    firm += own < R(0.0) && !slides;
  }
  *to = trm_fabs(least) < FV_NEAREST ? -FV_NEAREST : least;
  *mark = marks;
  return firm > 1;
}

TRM_GROUP_KERNEL3(fv_geometry_corners, TRM_NO_SHARED, fv_geometry_params, TRM_RO(real) bodies,
                  TRM_RW(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  FV_EACH_PART(part, p.nears * FV_SAMPLE_GROUPS) {
    const trm_index near = part / FV_SAMPLE_GROUPS;
    TRM_IN(int) leaf = ints + p.leaf + near * FV_LEAF_INTS;
    TRM_IN(real) sampled = FV_SAMPLED(0) + near * FV_CORNERS;
    TRM_OUT(real) distance = reals + p.distance + near * FV_CORNERS;
    TRM_OUT(int) mark = ints + p.marks + near * FV_CORNERS;
    TRM_SERIAL(lane, FV_CUT_GROUP) {
      const int i = part % FV_SAMPLE_GROUPS * FV_CUT_GROUP + lane;
      if (i < FV_CORNERS &&
          fv_mark_corner(p, leaf, bodies, sampled, i, distance + i, mark + i))
        ints[FV_TOTAL_FAULT] = 1;
    }
  }
}

TRM_INLINE int fv_corner_of(const int cell, const int k)
{
  const int x = cell % FV_SX + (k & 1), y = cell / FV_SX % FV_SY + (k >> 1 & 1);
  return ((cell / (FV_SX * FV_SY) + (k >> 2)) * (FV_SY + 1) + y) * (FV_SX + 1) + x;
}

/* Cells that are whole, solid or, by their numbers in their part of the leaf, cut. */
TRM_GROUP_KERNEL2(fv_geometry_kinds, fv_tallies, fv_geometry_params, TRM_RW(int) ints,
                  TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_tallies, s);
  FV_EACH_PART(part, p.nears * FV_LEAF_PARTS) {
    const int leaf = part / FV_LEAF_PARTS, first = part % FV_LEAF_PARTS * FV_CUT_GROUP;
    TRM_IN(real) distance = reals + p.distance + (trm_index)leaf * FV_CORNERS;
    TRM_OUT(int) kind = FV_CELL(FV_CELL_KIND + p.now) + (trm_index)leaf * FV_CELLS;
    TRM_SERIAL(lane, FV_CUT_GROUP) {
      const int i = fv_in_turn(first + lane);
      int gas = 0;
      TRM_UNROLL for (int c = 0; c < 8; c++) gas += distance[fv_corner_of(i, c)] > R(0.0);
      s.of[0][lane] = gas > 0 && gas < 8;
      kind[i] = gas == 0 ? FV_KIND_SOLID : FV_KIND_WHOLE;
    }
    FV_TALLY_UP(s, 1)
    TRM_SERIAL(lane, FV_CUT_GROUP) {
      if (s.of[0][lane]) kind[fv_in_turn(first + lane)] = FV_BEFORE(s, 0, lane);
    }
    TRM_SERIAL(c, FV_COUNTS) {
      ints[p.counts + (trm_index)part * FV_COUNTS + c] = c == 0 ? FV_ALL(s, 0) : 0;
    }
  }
}

TRM_GROUP_KERNEL1(fv_geometry_cells, TRM_NO_SHARED, fv_geometry_params, TRM_RW(int) ints)
{
  TRM_GROUP1(group);
  FV_EACH_PART(part, p.nears * FV_LEAF_PARTS) {
    const int leaf = part / FV_LEAF_PARTS, first = FV_NUMBER_OF(1, part, 0);
    TRM_OUT(int) kind = FV_CELL(FV_CELL_KIND + p.now) + (trm_index)leaf * FV_CELLS;
    const int slot = ints[p.leaf + (trm_index)leaf * FV_LEAF_INTS];
    TRM_SERIAL(lane, FV_CUT_GROUP) {
      const int i = fv_in_turn(part % FV_LEAF_PARTS * FV_CUT_GROUP + lane);
      if (kind[i] >= 0) {
        const int record = first + kind[i], fits = record < p.most_records;
        kind[i] = fits ? record : FV_KIND_WHOLE;
        if (fits) FV_REC(FV_R_CELL)[record] = slot * FV_CELLS + i;
        else ints[FV_TOTAL_FAULT] = 1;
      }
    }
  }
}
