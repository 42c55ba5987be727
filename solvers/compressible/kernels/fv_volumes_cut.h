/* fv_volumes_cut.h - volumes and openings of cells that planes of one body cut (fv_volumes_find.h).
 *
 * The gas at both ends of the step, and the mean openings of the three upper faces over it. Lower
 * faces are the upper ones of the cells before. For a body that translates, an opening is
 * exact in space and time, so V1 - V0 = W.D holds to rounding. For one that turns it is the mean of
 * the openings at both ends.
 *
 * In a step that follows another, the gas at the begin is copied from the other's end. So no gas
 * comes or goes between steps. Beside a body at rest the end is copied from the begin. If the body
 * was at rest in the step before, too, all numbers of the cell are copied. */

/* A plane in the frame of a cell: n.x < c is its inside, at the begin and at the end. */
typedef struct fv_cut_plane { real n[2][3], c[2]; } fv_cut_plane;

/* A plane that stays this near to a side of cells is on it, which is less than FV_MEETS. Its body
 * reaches past the side by 2^-50. So no plane is a face's own, and no gas is left at the side. A
 * sliver there would have openings 1e7 times its gas. A body that leaves the side gains at once the
 * gas that it was put away by. */
#define FV_ON_SIDE R(1e-7)
#define FV_PAST_SIDE R(8.8817841970012523e-16)
#define FV_NO_TILT R(4e-15)    /* of a unit normal, components that are 0 but for rounding */

/* The axis that a plane is across at both ends, -1: none. */
TRM_INLINE int fv_axis_of(const fv_cut_plane *plane)
{
  int axis = -1;
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    const real off = (trm_fabs(plane->n[0][b]) + trm_fabs(plane->n[0][c])) +
                     (trm_fabs(plane->n[1][b]) + trm_fabs(plane->n[1][c]));
    axis = off <= FV_NO_TILT ? a : axis;
  }
  return axis;
}

/* Puts a plane on a side of cells. Else rounding decides, for each cell by itself, which of two
 * cells has the wall and whether the face between is open. The plane's place in the grid decides
 * here, which no cell is part of. away: the plane's distance from the body's place. */
TRM_INLINE void fv_put_on_side(TRM_IN(real) body, const real away, fv_cut_plane *plane)
{
  const int axis = fv_axis_of(plane);
  int is_on = axis >= 0 && trm_fabs(plane->c[1] - plane->c[0]) <= R(2.0) * FV_ON_SIDE;
  for (int e = 0; e < 2 && is_on; e++) {
    const real rest = body[FV_SHAPE_REST + 3 * e + axis];
    const real at = plane->n[e][axis] < R(0.0) ? rest - away : rest + away;
    is_on = trm_fabs(at - trm_rint(at)) <= FV_ON_SIDE;
  }
  for (int e = 0; e < 2 && is_on; e++) {
    for (int a = 0; a < 3; a++)
      plane->n[e][a] = a != axis ? R(0.0) : plane->n[e][a] < R(0.0) ? -R(1.0) : R(1.0);
    plane->c[e] = (trm_rint(plane->c[0] - R(0.5)) + R(0.5)) + FV_PAST_SIDE;
  }
}

/* middle: the cell's in the body's frame, at both ends. */
TRM_INLINE fv_cut_plane fv_place_plane(const fv_shape *s, real middle[2][3], const int plane)
{
  TRM_IN(real) own = s->planes + 4 * plane;
  fv_cut_plane to;
  for (int e = 0; e < 2; e++) {
    TRM_IN(real) turn = s->own + FV_SHAPE_TURN + 9 * e;
    for (int a = 0; a < 3; a++)
      to.n[e][a] = (own[0] * turn[a] + own[1] * turn[3 + a]) + own[2] * turn[6 + a];
    to.c[e] = own[3] -
              ((own[0] * middle[e][0] + own[1] * middle[e][1]) + own[2] * middle[e][2]);
  }
  fv_put_on_side(s->own, own[3], &to);
  return to;
}

/* body: its reals. */
TRM_INLINE int fv_turns(TRM_IN(real) body)
{
  int turns = 0;
  for (int k = 0; k < 9; k++)
    turns |= body[FV_SHAPE_TURN + k] != body[FV_SHAPE_TURN + 9 + k];
  return turns;
}

/* Cubes 0 and 1 are the cell at the begin and at the end. Cube 2 + axis is an upper face over the
 * step; 5 + axis and 8 + axis are it at the begin and the end. */
typedef struct fv_cube { int axis, b, c, end, is_step; } fv_cube;

TRM_INLINE fv_cube fv_cube_of(const int cube)
{
  fv_cube to;
  to.axis = cube < 2 ? -1 : cube < 5 ? cube - 2 : cube < 8 ? cube - 5 : cube - 8;
  to.b = to.axis == 2 ? 0 : to.axis + 1;
  to.c = to.axis == 0 ? 2 : to.axis - 1;
  to.end = cube < 2 ? cube : cube >= 8;
  to.is_step = cube >= 2 && cube < 5;
  return to;
}

/* The plane in the frame of a cube. */
TRM_INLINE real fv_plane_on(const fv_cut_plane *plane, const fv_cube *cube, real *n)
{
  const int e = cube->end;
  if (cube->axis < 0) {
    for (int a = 0; a < 3; a++) n[a] = plane->n[e][a];
    return plane->c[e];
  }
  n[0] = plane->n[e][cube->b];
  n[1] = plane->n[e][cube->c];
  n[2] = cube->is_step ? plane->c[0] - plane->c[1] : R(0.0);
  return (cube->is_step ? R(0.5) * (plane->c[0] + plane->c[1]) : plane->c[e]) -
         R(0.5) * plane->n[e][cube->axis];
}

TRM_INLINE real fv_plane_in(const fv_cut_plane *plane, const int cube, real *n)
{
  const fv_cube to = fv_cube_of(cube);
  return fv_plane_on(plane, &to, n);
}

/* The planes of a cell, and whether they have the gas inside of them together. */
typedef struct fv_cut_cell {
  fv_cut_plane plane[FV_FOUND_PLANES];
  int planes, is_hollow;
} fv_cut_cell;

/* The gas in a cube. Planes that leave all of it, or nothing, are asked first. */
TRM_INLINE fv_moments fv_gas_in(const fv_cut_cell *s, const int which)
{
  const real sense = s->is_hollow ? -R(1.0) : R(1.0);
  const fv_cube cube = fv_cube_of(which);
  fv_convex shape;
  uchar cuts[FV_FOUND_PLANES];
  real n[3];
  int count = 0, is_nothing = 0;
  for (int k = 0; k < s->planes; k++) {
    const real c = sense * fv_plane_on(&s->plane[k], &cube, n), reach = fv_reach_of(n);
    is_nothing |= c < -reach;
    cuts[count] = (uchar)k;
    count += !(c > reach);
  }
  if (count == 1) {
    const real c = fv_plane_on(&s->plane[cuts[0]], &cube, n);
    for (int a = 0; a < 3; a++) n[a] = -n[a];
    return fv_plane_cube(n, -c);
  }
  fv_convex_cube(&shape);
  if (is_nothing) shape.count = shape.is_cube = 0;
  for (int k = 0; k < count && shape.count > 0; k++) {
    const real c = fv_plane_on(&s->plane[cuts[k]], &cube, n);
    const int is_face = c == R(0.0) && fv_reach_of(n) == R(0.0); /* in this plane: it is closed */
    for (int a = 0; a < 3; a++) n[a] *= sense;
    if (!is_face || s->is_hollow) fv_convex_clip(&shape, n, sense * c);
  }
  fv_moments gas = fv_convex_sum(&shape);
  gas.volume = s->is_hollow ? gas.volume : R(1.0) - gas.volume;
  for (int a = 0; a < 3; a++) gas.moment[a] *= -sense;
  return gas;
}

/* The gas at ends `from` to `to` of a cell (axis -1), or of an upper face beside a body that turns.
 * An upper face beside any other body has one number for the step, as end 0. There is
 * one call: GPUs' compilers copy the long fv_gas_in to each. */
TRM_INLINE void fv_gas_at_ends(const fv_cut_cell *s, const int axis, const int turns,
                               const int from, const int to, fv_moments *gas)
{
  const int first = axis < 0 ? 0 : turns ? 5 + axis : 2 + axis, next = axis < 0 ? 1 : 3;
  for (int e = from; e < to; e++) gas[e] = fv_gas_in(s, first + e * next);
}

/* An upper face beside a body that turns: the mean of both ends, linear in between. */
TRM_INLINE fv_moments fv_average_face(const fv_moments *begin, const fv_moments *end)
{
  fv_moments mean;
  mean.volume = R(0.5) * (begin->volume + end->volume);
  for (int a = 0; a < 2; a++) mean.moment[a] = R(0.5) * (begin->moment[a] + end->moment[a]);
  mean.moment[2] = (end->volume - begin->volume) / R(12.0);
  return mean;
}

TRM_INLINE int fv_rests(const fv_shape *s)
{
  int moves = fv_turns(s->own);
  for (int a = 0; a < 3; a++)
    moves |= s->own[FV_SHAPE_REST + a] != s->own[FV_SHAPE_REST + 3 + a];
  return !moves;
}

/* Puts volume and moments where they belong. */
TRM_INLINE void fv_put_moments(const fv_moments *m, TRM_OUT(real) to)
{
  to[0] = m->volume;
  for (int a = 0; a < 3; a++) to[1 + a] = m->moment[a];
}

/* The gas of a cell at the end of the step before. */
TRM_INLINE fv_moments fv_gas_before(const int was, TRM_IN(real) was_gas)
{
  const int kind = FV_FOUND_KIND(was);
  fv_moments m = { kind == FV_FOUND_GAS ? R(1.0) : R(0.0), { R(0.0), R(0.0), R(0.0) } };
  if (kind < FV_FOUND_PLANE) return m;
  TRM_IN(real) from = was_gas + FV_FOUND_PLACE(was) * FV_GAS_REALS + FV_GAS_END;
  m.volume = from[0];
  for (int a = 0; a < 3; a++) m.moment[a] = from[1 + a];
  return m;
}

/* The planes of a cell of kind PLANE, CONVEX or HOLLOW; own: its FV_FOUND_INTS. */
TRM_INLINE void fv_place_planes(const fv_shape *s, const int *cell, const int kind,
                                TRM_IN(int) own, fv_cut_cell *to)
{
  real middle[2][3];
  for (int e = 0; e < 2; e++) fv_cell_middle(s, cell, e, middle[e]);
  to->planes = own[1];
  to->is_hollow = kind == FV_FOUND_HOLLOW;
  for (int j = 0; j < own[1]; j++) to->plane[j] = fv_place_plane(s, middle, own[2 + j]);
}
