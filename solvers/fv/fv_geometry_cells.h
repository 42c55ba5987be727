/* How far walls are from corners of cells, and which cells they cut: as cut_corners.c and
 * cut_find.c have it. */

/* As many corners as a block's cells have, and how near a body counts as near (cut_maker.h). */
#define FV_CORNERS ((FV_SX + 1) * (FV_SY + 1) * (FV_SZ + 1))
#define FV_ABOUT R(3.4)
#define FV_NEAREST R(1e-6)
#define FV_BEYOND_ALL R(1e30)

/* A place in the grid as the body had it where the case put it: turned back about its axis. */
TRM_INLINE void fv_from_here(TRM_IN(real) b, const real *at, real *own)
{
  real off[3];
  for (int a = 0; a < 3; a++) own[a] = at[a] - b[FV_BODY_MOVED + a];
  if (b[FV_BODY_TURNS] == R(0.0)) return;
  for (int a = 0; a < 3; a++) off[a] = own[a] - b[FV_BODY_CENTRE + a];
  TRM_IN(real) n = b + FV_BODY_AXIS;
  const real s = -b[FV_BODY_SINE], c = b[FV_BODY_COSINE];
  const real along = (R(1.0) - c) * (n[0] * off[0] + n[1] * off[1] + n[2] * off[2]);
  for (int a = 0; a < 3; a++) {
    const int i = (a + 1) % 3, j = (a + 2) % 3;
    own[a] = c * off[a] + s * (n[i] * off[j] - n[j] * off[i]) + along * n[a];
  }
  for (int a = 0; a < 3; a++) own[a] += b[FV_BODY_CENTRE + a];
}

TRM_INLINE real fv_to_outline(TRM_IN(real) p, const int corners, const real *at)
{
  real least = FV_BEYOND_ALL;
  int is_inside = 0;
  for (int i = 0, j = corners - 1; i < corners; j = i++) {
    const real dx = p[2 * i] - p[2 * j], dy = p[2 * i + 1] - p[2 * j + 1];
    const real ax = at[0] - p[2 * j], ay = at[1] - p[2 * j + 1], square = dx * dx + dy * dy;
    const real t = square > R(0.0)
                     ? trm_min(trm_max((ax * dx + ay * dy) / square, R(0.0)), R(1.0)) : R(0.0);
    const real rx = ax - t * dx, ry = ay - t * dy;
    least = trm_min(least, rx * rx + ry * ry);
    if ((p[2 * i + 1] > at[1]) != (p[2 * j + 1] > at[1]) && ax < dx * (ay / dy))
      is_inside = !is_inside;
  }
  return is_inside ? -trm_sqrt(least) : trm_sqrt(least);
}

/* How far from a body's wall a place is: positive outside of it. */
TRM_INLINE real fv_away(TRM_IN(real) bodies, const int number, const real *at)
{
  TRM_IN(real) b = bodies + number * FV_BODY_REALS;
  const int shape = (int)b[FV_BODY_SHAPE];
  real here[3], off[3], most = -FV_BEYOND_ALL;
  fv_from_here(b, at, here);
  for (int a = 0; a < 3; a++) off[a] = here[a] - b[FV_BODY_AT + a];
  if (shape == FV_SHAPE_SPHERE)
    return trm_sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]) - b[FV_BODY_SIZE];
  if (shape == FV_SHAPE_CYLINDER)
    return trm_sqrt(off[0] * off[0] + off[1] * off[1]) - b[FV_BODY_SIZE];
  if (shape == FV_SHAPE_TUBE)
    return b[FV_BODY_SIZE] - trm_sqrt(off[0] * off[0] + off[1] * off[1]);
  if (shape == FV_SHAPE_PROFILE) {
    const real far = trm_sqrt(off[0] * off[0] + off[1] * off[1]) - R(1.1) * b[FV_BODY_SIZE];
    return far > R(0.5) * b[FV_BODY_SIZE]
             ? far : fv_to_outline(bodies + (int)b[FV_BODY_OUTLINE], (int)b[FV_BODY_CORNERS], here);
  }
  for (int a = 0; a < 3; a++)
    if (b[FV_BODY_SIZE + a] > R(0.0))
      most = trm_max(most, trm_max(off[a] - b[FV_BODY_ENDS + 2 * a + 1],
                                   -off[a] - b[FV_BODY_ENDS + 2 * a]));
  return most;
}

/* Of a corner the least distance of all walls, in cells, and marks: a bit for each body that it
 * lies in, and 16 on for each that is near. */
TRM_INLINE int fv_mark_corner(const fv_geometry_params p, TRM_IN(int) leaf, TRM_IN(real) bodies,
                              const int corner, TRM_OUT(real) to, TRM_OUT(int) mark)
{
  const real width = fv_width(p, leaf);
  real at[3], least = FV_BEYOND_ALL;
  int marks = 0, firm = 0;
  at[0] = fv_place(p, leaf, 0, corner % (FV_SX + 1), R(0.0));
  at[1] = fv_place(p, leaf, 1, corner / (FV_SX + 1) % (FV_SY + 1), R(0.0));
  at[2] = fv_place(p, leaf, 2, corner / ((FV_SX + 1) * (FV_SY + 1)), R(0.0));
  for (int b = 0; b < p.bodies; b++) {
    const real own = fv_away(bodies, b, at) / width;
    const int slides = bodies[b * FV_BODY_REALS + FV_BODY_SLIDES] != R(0.0);
    least = own < least ? own : least;
    marks |= (own > R(0.0) ? 0 : 1 << b) | (trm_fabs(own) <= FV_ABOUT ? 1 << (16 + b) : 0);
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
  TRM_IN(int) leaf = ints + p.leaf + (trm_index)group * FV_LEAF_INTS;
  TRM_OUT(real) distance = reals + p.distance + (trm_index)group * FV_CORNERS;
  TRM_OUT(int) mark = ints + p.marks + (trm_index)group * FV_CORNERS;
  TRM_SERIAL(i, FV_CORNERS) {
    if (fv_mark_corner(p, leaf, bodies, i, distance + i, mark + i)) ints[FV_TOTAL_FAULT] = 1;
  }
}

TRM_INLINE int fv_corner_of(const int cell, const int k)
{
  const int x = cell % FV_SX + (k & 1), y = cell / FV_SX % FV_SY + (k >> 1 & 1);
  return ((cell / (FV_SX * FV_SY) + (k >> 2)) * (FV_SY + 1) + y) * (FV_SX + 1) + x;
}

/* Cells that are whole, solid or, by their numbers in the block, cut. */
TRM_GROUP_KERNEL2(fv_geometry_kinds, fv_ranks, fv_geometry_params, TRM_RW(int) ints,
                  TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_ranks, s);
  TRM_IN(real) distance = reals + p.distance + (trm_index)group * FV_CORNERS;
  TRM_OUT(int) kind = FV_CELL(FV_CELL_KIND + p.now) + (trm_index)group * FV_CELLS;
  TRM_SERIAL(k, FV_CELLS) {
    const int i = fv_in_turn(k);
    int gas = 0;
    for (int c = 0; c < 8; c++) gas += distance[fv_corner_of(i, c)] > R(0.0);
    s.flag[k] = gas > 0 && gas < 8;
    kind[i] = gas == 0 ? FV_KIND_SOLID : FV_KIND_WHOLE;
  }
  FV_RANK_ALL(s)
  TRM_SERIAL(k, FV_CELLS) {
    if (s.flag[k]) kind[fv_in_turn(k)] = fv_rank(&s, k);
  }
  TRM_SERIAL(c, FV_COUNTS) {
    ints[p.counts + (trm_index)group * FV_COUNTS + c] = c == 0 ? s.all : 0;
  }
}

TRM_GROUP_KERNEL1(fv_geometry_cells, TRM_NO_SHARED, fv_geometry_params, TRM_RW(int) ints)
{
  TRM_GROUP1(group);
  TRM_OUT(int) kind = FV_CELL(FV_CELL_KIND + p.now) + (trm_index)group * FV_CELLS;
  const int first = FV_NUMBER_OF(1, group, 0);
  const int slot = ints[p.leaf + (trm_index)group * FV_LEAF_INTS];
  TRM_SERIAL(i, FV_CELLS) {
    if (kind[i] >= 0) {
      const int record = first + kind[i], fits = record < p.most_records;
      kind[i] = fits ? record : FV_KIND_WHOLE;
      if (fits) FV_REC(FV_R_CELL)[record] = slot * FV_CELLS + i;
      else ints[FV_TOTAL_FAULT] = 1;
    }
  }
}
