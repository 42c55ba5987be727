/* fv_volumes_cut.h - volumes and openings of cells that planes of one body cut (fv_volumes_find.h).
 *
 * The gas at both ends of the step, and the mean openings of the three upper faces over it. Lower
 * faces are the upper ones of the cells before. For a body that translates, an opening is
 * exact in space and time, so V1 - V0 = W.D holds to rounding. For one that turns it is the mean of
 * the openings at both ends. */

/* A plane in the frame of a cell: n.x < c is its inside, at the begin and at the end. */
typedef struct fv_cut_plane { real n[2][3], c[2]; } fv_cut_plane;

TRM_INLINE fv_cut_plane fv_place_plane(const fv_shape *s, const int *cell, const int plane)
{
  TRM_IN(real) own = s->planes + 4 * plane;
  fv_cut_plane to;
  for (int e = 0; e < 2; e++) {
    TRM_IN(real) turn = s->own + FV_SHAPE_TURN + 9 * e;
    real middle[3];
    fv_cell_middle(s, cell, e, middle);
    for (int a = 0; a < 3; a++)
      to.n[e][a] = (own[0] * turn[a] + own[1] * turn[3 + a]) + own[2] * turn[6 + a];
    to.c[e] = own[3] - ((own[0] * middle[0] + own[1] * middle[1]) + own[2] * middle[2]);
  }
  return to;
}

TRM_INLINE int fv_turns(const fv_shape *s)
{
  int turns = 0;
  for (int k = 0; k < 9; k++)
    turns |= s->own[FV_SHAPE_TURN + k] != s->own[FV_SHAPE_TURN + 9 + k];
  return turns;
}

/* The plane in the frame of a cube. Cubes 0 and 1 are the cell at the begin and at the end. Cube 2
 * + axis is an upper face over the step; 5 + axis and 8 + axis are it at the begin and the end. */
TRM_INLINE real fv_plane_in(const fv_cut_plane *plane, const int cube, real *n)
{
  const int axis = (cube - 2) % 3, b = (axis + 1) % 3, c = (axis + 2) % 3;
  const int e = cube < 2 ? cube : cube >= 8;
  if (cube < 2) {
    for (int a = 0; a < 3; a++) n[a] = plane->n[e][a];
    return plane->c[e];
  }
  n[0] = plane->n[e][b];
  n[1] = plane->n[e][c];
  n[2] = cube < 5 ? plane->c[0] - plane->c[1] : R(0.0);
  return (cube < 5 ? R(0.5) * (plane->c[0] + plane->c[1]) : plane->c[e]) -
         R(0.5) * plane->n[e][axis];
}

/* The planes of a cell, and whether they have the gas inside of them together. */
typedef struct fv_cut_cell {
  fv_cut_plane plane[FV_FOUND_PLANES];
  int planes, is_hollow;
} fv_cut_cell;

/* The gas in a cube. */
TRM_INLINE fv_moments fv_gas_in(const fv_cut_cell *s, const int cube)
{
  const real sense = s->is_hollow ? -R(1.0) : R(1.0);
  fv_convex shape;
  real n[3];
  if (s->planes == 1) {
    const real c = fv_plane_in(&s->plane[0], cube, n);
    for (int a = 0; a < 3; a++) n[a] = -n[a];
    return fv_plane_cube(n, -c);
  }
  fv_convex_cube(&shape);
  for (int k = 0; k < s->planes && shape.count > 0; k++) {
    const real c = fv_plane_in(&s->plane[k], cube, n);
    for (int a = 0; a < 3; a++) n[a] *= sense;
    fv_convex_clip(&shape, n, sense * c);
  }
  fv_moments gas = fv_convex_sum(&shape);
  gas.volume = s->is_hollow ? gas.volume : R(1.0) - gas.volume;
  for (int a = 0; a < 3; a++) gas.moment[a] *= -sense;
  return gas;
}

/* An upper face beside a body that turns: the mean of both ends, linear in between. */
TRM_INLINE fv_moments fv_average_face(const fv_cut_cell *s, const int axis)
{
  const fv_moments begin = fv_gas_in(s, 5 + axis), end = fv_gas_in(s, 8 + axis);
  fv_moments mean;
  mean.volume = R(0.5) * (begin.volume + end.volume);
  for (int a = 0; a < 2; a++) mean.moment[a] = R(0.5) * (begin.moment[a] + end.moment[a]);
  mean.moment[2] = (end.volume - begin.volume) / R(12.0);
  return mean;
}

/* Cells of other kinds than PLANE, CONVEX and HOLLOW keep their numbers. */
TRM_GROUP_KERNEL7(fv_volumes_cut, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                  TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) list, TRM_RO(int) kinds,
                  TRM_RO(int) found, TRM_RW(real) gas)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index k = (trm_index)group * TRM_GROUP + lane;
    const int kind = k < p.listed ? kinds[list[k]] : FV_FOUND_GAS;
    if (kind >= FV_FOUND_PLANE && kind <= FV_FOUND_HOLLOW) {
      TRM_IN(int) own = found + k * FV_FOUND_INTS;
      TRM_OUT(real) to = gas + k * FV_GAS_REALS;
      const fv_shape s = fv_shape_of(shapes, tables, own[0]);
      const int turns = fv_turns(&s);
      fv_cut_cell cut;
      int cell[3];
      fv_cell_place(p, leaves, list[k], cell);
      cut.planes = own[1];
      cut.is_hollow = kind == FV_FOUND_HOLLOW;
      for (int j = 0; j < own[1]; j++) cut.plane[j] = fv_place_plane(&s, cell, own[2 + j]);
      for (int part = 0; part < 5; part++) {
        const fv_moments m = part < 2 || !turns ? fv_gas_in(&cut, part)
                                                : fv_average_face(&cut, part - 2);
        to[4 * part] = m.volume;
        for (int a = 0; a < 3; a++) to[4 * part + 1 + a] = m.moment[a];
      }
    }
  }
}
