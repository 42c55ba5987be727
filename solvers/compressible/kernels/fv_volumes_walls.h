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
 * translates, V1 - V0 to rounding. Beside a body that turns it is V1 - V0, also in cells that share
 * faces with it.
 *
 * Where several bodies reach a cell, its tree has the walls of each (fv_volumes_tree_faces.h). They
 * miss the faces by rounding, or more where bodies turn. One of them takes what they miss, so these
 * volumes close, too. */

/* Walls close but for rounding. */
#define FV_CLOSES R(1e-12)
#define FV_NEARLY_CLOSES R(1e-6) /* what walls of several bodies may miss of V1 - V0 */

/* The openings of a volume, low and high of each axis: sums over face parts. */
typedef struct fv_openings { real low[3][4], high[3][4]; } fv_openings;

/* Goes over the face parts of volume v in listed cell k: of side s, low and high of each axis, the
 * face parts f. */
#define FV_EACH_SIDE(v, k, s, f) \
  for (int s = 0; s < FV_CELL_SIDES; s++) \
    for (int f = FV_SIDE_FIRST(sides[FV_CELL_SIDES * (k) + s]); \
         f < FV_SIDE_END(sides[FV_CELL_SIDES * (k) + s]); f++) \
      if (joins[f * FV_JOIN_INTS + (s % 2 ? FV_JOIN_LOW : FV_JOIN_HIGH)] == (int)(v))

/* The volume on a face part's other side; below 0: an outer cell. */
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

/* The velocity of a body at a place from the cell's middle in mid-step. It is the body's way in the
 * step, and its spin's part. arm: from the body's place. */
TRM_INLINE void fv_body_velocity(TRM_IN(real) body, const int *cell, const real *at, real *arm,
                                 real *velocity)
{
  TRM_IN(real) spin = body + FV_SHAPE_SPIN;
  real way[3];
  for (int a = 0; a < 3; a++) {
    const real begin = body[FV_SHAPE_REST + a], end = body[FV_SHAPE_REST + 3 + a];
    way[a] = end - begin;
    arm[a] = (((real)cell[a] - body[FV_SHAPE_CELL + a]) +
              (R(0.5) - R(0.5) * (begin + end))) + at[a];
  }
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    velocity[a] = way[a] + (spin[b] * arm[c] - spin[c] * arm[b]);
  }
}

TRM_INLINE void fv_put_velocity(TRM_IN(real) body, const int *cell, TRM_OUT(real) wall)
{
  real at[3], arm[3], velocity[3];
  for (int a = 0; a < 3; a++) at[a] = wall[FV_WALL_CENTROID + a];
  fv_body_velocity(body, cell, at, arm, velocity);
  for (int a = 0; a < 3; a++) {
    wall[FV_WALL_ARM + a] = arm[a];
    wall[FV_WALL_VELOCITY + a] = velocity[a];
  }
}

/* body: its reals; sweeps: whether a body turns or a gap is shut. begin, end: the volume's gas. */
TRM_INLINE void fv_put_wall(TRM_IN(real) body, const int sweeps, const int *cell,
                            const fv_openings *o, const real begin, const real end,
                            TRM_OUT(real) wall)
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
  const real swept = (w[0] * way[0] + w[1] * way[1]) + w[2] * way[2], gained = end - begin;
  const int is_same = trm_fabs(gained - swept) <= FV_CLOSES && !(sweeps && fv_turns(body));
  wall[FV_WALL_SWEPT] = is_same ? swept : gained;
}

/* Whether a cell has openings on all its lower faces. */
TRM_INLINE int fv_is_closed(const fv_volumes_params p, TRM_IN(int) beside, const int cell)
{
  int is_known = 1;
  for (int a = 0; a < FV_VOLUME_AXES; a++)
    is_known &= fv_cell_beside(p, beside, cell, a, 0) >= 0;
  return is_known;
}

TRM_INLINE real fv_wall_size(TRM_IN(real) wall)
{
  TRM_IN(real) w = wall + FV_WALL_VECTOR;
  return trm_sqrt((w[0] * w[0] + w[1] * w[1]) + w[2] * w[2]);
}

/* Sums of the sizes of walls: of all, and of bodies that do not turn or do. */
typedef struct fv_wall_sums { real all, steady, turning; } fv_wall_sums;

TRM_INLINE int fv_wall_turns(TRM_IN(real) shapes, TRM_IN(int) owners, const int i)
{
  const int body = owners[i * FV_OWNER_INTS + FV_OWNER_BODY];
  return body >= 0 && fv_turns(shapes + body * FV_SHAPE_REALS);
}

TRM_INLINE fv_wall_sums fv_sum_walls(TRM_IN(real) shapes, TRM_IN(int) owners,
                                     TRM_IN(real) walls, const int count, real *sizes)
{
  fv_wall_sums sums = { R(0.0), R(0.0), R(0.0) };
  for (int i = 0; i < count; i++) {
    const int turns = fv_wall_turns(shapes, owners, i);
    sizes[i] = fv_wall_size(walls + i * FV_WALL_REALS);
    sums.all += sizes[i];
    sums.steady += turns ? R(0.0) : sizes[i];
    sums.turning += turns ? sizes[i] : R(0.0);
  }
  return sums;
}

/* A wall's share, by its size: among those that turn or do not, if these have a size. */
TRM_INLINE real fv_wall_share(const real size, const int is_asked, const real asked,
                              const real all, const int is_first)
{
  if (asked > R(0.0)) return is_asked ? size / asked : R(0.0);
  return all > R(0.0) ? size / all : is_first ? R(1.0) : R(0.0);
}

/* The wall that takes what is missed of the faces. Its velocity leaves least of V1 - V0; among
 * those that leave as much, but for rounding, it is the largest one. */
TRM_INLINE int fv_wall_of_miss(TRM_IN(real) walls, const real *missed, const real *sizes,
                               const int count, const real gained)
{
  int best = 0;
  real least = R(0.0), rest = gained;
  for (int i = 0; i < count; i++) rest -= walls[i * FV_WALL_REALS + FV_WALL_SWEPT];
  for (int i = 0; i < count; i++) {
    TRM_IN(real) v = walls + i * FV_WALL_REALS + FV_WALL_VELOCITY;
    const real left = trm_fabs(rest - ((missed[0] * v[0] + missed[1] * v[1]) + missed[2] * v[2]));
    const int is_same = trm_fabs(left - least) <= R(0.01) * FV_CLOSES;
    if (i > 0 && !(is_same ? sizes[i] > sizes[best] : left < least)) continue;
    best = i;
    least = left;
  }
  return best;
}

/* Closes a volume of several walls. missed: what they miss of the faces, and of V1 - V0. Where
 * bodies turn, a face has the mean of both ends, or not, as its lower cell says. So walls of bodies
 * that do not turn miss faces there, and take that. Bodies that turn take what is missed of
 * V1 - V0. In a step with gaps that are shut, walls take both as well, and where they miss more
 * than rounding. */
TRM_INLINE void fv_close_walls(TRM_IN(real) shapes, TRM_IN(int) owners, const fv_openings *o,
                               const real gained, const int sweeps, const int count,
                               TRM_OUT(real) walls, TRM_OUT(real) missed)
{
  real sizes[FV_TREE_WALLS], miss[3], rest = gained;
  const fv_wall_sums sums = fv_sum_walls(shapes, owners, walls, count, sizes);
  for (int a = 0; a < 3; a++) {
    miss[a] = o->low[a][0] - o->high[a][0];
    for (int i = 0; i < count; i++) miss[a] -= walls[i * FV_WALL_REALS + FV_WALL_VECTOR + a];
    missed[FV_WALL_VECTOR + a] = miss[a];
  }
  const int best = fv_wall_of_miss(walls, miss, sizes, count, gained);
  for (int i = 0; i < count; i++) {
    TRM_OUT(real) wall = walls + i * FV_WALL_REALS;
    const real share = !(sums.turning > R(0.0))
                         ? (i == best ? R(1.0) : R(0.0))
                         : fv_wall_share(sizes[i], !fv_wall_turns(shapes, owners, i), sums.steady,
                                         sums.all, i == 0);
    for (int a = 0; a < 3; a++) {
      const real part = share * miss[a];
      wall[FV_WALL_VECTOR + a] += part;
      wall[FV_WALL_SWEPT] += part * wall[FV_WALL_VELOCITY + a];
    }
    rest -= wall[FV_WALL_SWEPT];
  }
  missed[FV_WALL_SWEPT] = rest;
  for (int i = 0; i < count && (sweeps || trm_fabs(rest) > FV_CLOSES); i++)
    walls[i * FV_WALL_REALS + FV_WALL_SWEPT] +=
        rest * fv_wall_share(sizes[i], fv_wall_turns(shapes, owners, i), sums.turning, sums.all,
                             i == 0);
}
