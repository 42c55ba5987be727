/* fv_volumes_walls.h - the walls of control volumes, from their gas and face parts
 * (fv_volumes_faces.h).
 *
 * The wall's mean vector is W = sum of A_low n - A_high n. So walls and faces close each volume by
 * definition. Its centroid follows from moments of the faces in the same way. The wall's integrals
 * M_ab of x_b n_a are delta_ab V less the faces' moments, by Gauss' theorem. Here V is the mean
 * volume over the step, (V0 + V1)/2 - D.T with T the moments of W in time. For one plane M W/W^2
 * is the centroid; for several it is the mean with weights n.W. A wall that nearly closes in itself
 * has no such place, so the centroid is kept within the cell.
 *
 * The velocity is the body's own at the centroid. The swept volume is W.D where the body
 * translates, V1 - V0 to rounding. For a body that turns it is V1 - V0. */

/* The openings of a volume, low and high of each axis: sums over face parts. */
typedef struct fv_openings { real low[3][4], high[3][4]; } fv_openings;

/* Goes over the face parts of volume v in listed cell k: of side s, low and high of each axis, the
 * face parts f. */
#define FV_EACH_SIDE(v, k, s, f) \
  for (int s = 0; s < FV_CELL_SIDES; s++) \
    for (int f = FV_SIDE_FIRST(sides[FV_CELL_SIDES * (k) + s]); \
         f < FV_SIDE_END(sides[FV_CELL_SIDES * (k) + s]); f++) \
      if (joins[f * FV_JOIN_INTS + (s % 2 ? FV_JOIN_LOW : FV_JOIN_HIGH)] == (int)(v))

/* The volume on a face part's other side; below 0: a whole cell that is not listed. */
#define FV_BEYOND(s, f) joins[(f) * FV_JOIN_INTS + ((s) % 2 ? FV_JOIN_HIGH : FV_JOIN_LOW)]

TRM_INLINE fv_openings fv_openings_of(TRM_IN(int) sides, TRM_IN(int) joins,
                                      TRM_IN(real) openings, const int v, const int k)
{
  fv_openings o;
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 4; i++) o.low[a][i] = o.high[a][i] = R(0.0);
  FV_EACH_SIDE(v, k, s, f) {
    real *to = s % 2 ? o.high[s / 2] : o.low[s / 2];
    for (int i = 0; i < 4; i++) to[i] += openings[f * FV_OPENING_REALS + i];
  }
  return o;
}

/* Places of whole numbers in moments: along axis b, of a face across axis a. */
TRM_INLINE int fv_moment_along(const int a, const int b)
{
  return 1 + (b + 2 - a) % 3;
}

/* The wall's integral of x_b n_a. */
TRM_INLINE real fv_wall_moment(const fv_openings *o, const real volume, const int a, const int b)
{
  if (a == b) return volume - R(0.5) * (o->low[a][0] + o->high[a][0]);
  return o->low[a][fv_moment_along(a, b)] - o->high[a][fv_moment_along(a, b)];
}

TRM_INLINE void fv_put_centroid(const fv_openings *o, const real volume, TRM_OUT(real) wall)
{
  TRM_IN(real) w = wall + FV_WALL_VECTOR;
  const real size = (w[0] * w[0] + w[1] * w[1]) + w[2] * w[2];
  for (int b = 0; b < 3; b++) {
    real sum = R(0.0);
    for (int a = 0; a < 3; a++) sum += w[a] * fv_wall_moment(o, volume, a, b);
    const real most = R(0.5) * size;
    sum = trm_max(-most, trm_min(most, sum));
    wall[FV_WALL_CENTROID + b] = size > R(0.0) ? sum / size : R(0.0);
  }
}

/* The body's way in the step, and its spin's part at the centroid. */
TRM_INLINE void fv_put_velocity(TRM_IN(real) body, const int *cell, TRM_OUT(real) wall)
{
  TRM_IN(real) spin = body + FV_SHAPE_SPIN;
  real off[3], way[3];
  for (int a = 0; a < 3; a++) {
    const real begin = body[FV_SHAPE_REST + a], end = body[FV_SHAPE_REST + 3 + a];
    way[a] = end - begin;
    off[a] = (((real)cell[a] - body[FV_SHAPE_CELL + a]) +
              (R(0.5) - R(0.5) * (begin + end))) + wall[FV_WALL_CENTROID + a];
  }
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    wall[FV_WALL_VELOCITY + a] = way[a] + (spin[b] * off[c] - spin[c] * off[b]);
  }
}

/* body: its reals. begin, end: the gas of the volume. */
TRM_INLINE void fv_put_wall(TRM_IN(real) body, const int *cell, const fv_openings *o,
                            const real begin, const real end, TRM_OUT(real) wall)
{
  real volume = R(0.5) * (begin + end);
  for (int a = 0; a < 3; a++) {
    const real way = body[FV_SHAPE_REST + 3 + a] - body[FV_SHAPE_REST + a];
    wall[FV_WALL_VECTOR + a] = o->low[a][0] - o->high[a][0];
    if (!fv_turns(body)) volume -= way * (o->low[a][3] - o->high[a][3]);
  }
  fv_put_centroid(o, volume, wall);
  fv_put_velocity(body, cell, wall);
  TRM_IN(real) w = wall + FV_WALL_VECTOR;
  TRM_IN(real) way = wall + FV_WALL_VELOCITY;
  wall[FV_WALL_SWEPT] =
      fv_turns(body) ? end - begin : (w[0] * way[0] + w[1] * way[1]) + w[2] * way[2];
}

/* Whether a cell has openings on all its lower faces. */
TRM_INLINE int fv_is_closed(const fv_volumes_params p, TRM_IN(int) beside, const int cell)
{
  int is_known = 1;
  for (int a = 0; a < 3; a++) is_known &= fv_cell_beside(p, beside, cell, a, 0) >= 0;
  return is_known;
}

/* Whose wall each control volume has. In a cell that several bodies reach, it is for
 * fv_volumes_tree_walls. */
TRM_GROUP_KERNEL6(fv_volumes_owners, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) beside,
                  TRM_RO(int) list, TRM_RO(int) kinds, TRM_RO(int) found, TRM_RO(int) volumes,
                  TRM_RW(int) bodies)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      const int k = volumes[v] / FV_CELL_PARTS;
      const int kind = FV_FOUND_KIND(kinds[list[k]]);
      TRM_IN(int) own = found + k * FV_FOUND_INTS;
      const int has_several = kind == FV_FOUND_TREE && own[FV_FOUND_TREE_BODIES] > 1;
      bodies[v] = !fv_is_closed(p, beside, list[k]) ? FV_OPEN_WALL
                  : has_several ? FV_SEVERAL_WALLS : kind >= FV_FOUND_PLANE ? own[0] : FV_NO_WALL;
    }
  }
}

TRM_GROUP_KERNEL10(fv_volumes_walls, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                   TRM_RO(int) leaves, TRM_RO(int) list, TRM_RO(int) volumes, TRM_RO(real) gas,
                   TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(real) openings,
                   TRM_RO(int) bodies, TRM_RW(real) walls)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      TRM_OUT(real) wall = walls + v * FV_WALL_REALS;
      for (int i = 0; i < FV_WALL_REALS; i++) wall[i] = R(0.0);
      if (bodies[v] >= 0) {
        const int k = volumes[v] / FV_CELL_PARTS;
        TRM_IN(real) own = gas + v * FV_VOLUME_REALS;
        const fv_openings o = fv_openings_of(sides, joins, openings, (int)v, k);
        int cell[3];
        fv_cell_place(p, leaves, list[k], cell);
        fv_put_wall(shapes + bodies[v] * FV_SHAPE_REALS, cell, &o, own[FV_GAS_BEGIN],
                    own[FV_GAS_END], wall);
      }
    }
  }
}
