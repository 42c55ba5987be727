/* fv_volumes_walls.h - the walls of listed cells, from volumes and openings (fv_volumes_cut.h).
 *
 * The wall's mean vector is W = sum of A_low n - A_high n. So walls and faces close each cell by
 * definition. Its centroid follows from moments of the faces in the same way. The wall's integrals
 * M_ab of x_b n_a are delta_ab V less the faces' moments, by Gauss' theorem. Here V is the mean
 * volume over the step, (V0 + V1)/2 - D.T with T the moments of W in time. For one plane M W/W^2
 * is the centroid; for several it is the mean with weights n.W. A wall that nearly closes in itself
 * has no such place, so the centroid is kept within the cell.
 *
 * The velocity is the body's own at the centroid. The swept volume is V1 - V0: W.D where the body
 * translates. */

/* The cell below or above along an axis, -1 where its leaf is not near walls. beside: of each leaf,
 * three leaves below and three above. */
TRM_INLINE int fv_cell_beside(const fv_volumes_params p, TRM_IN(int) beside, const int i,
                              const int axis, const int is_above)
{
  const int stride = axis == 0 ? 1 : axis == 1 ? p.side[0] : p.side[0] * p.side[1];
  const int all = p.side[0] * p.side[1] * p.side[2], leaf = i / all, last = p.side[axis] - 1;
  const int way = is_above ? stride : -stride;
  if (i % all / stride % p.side[axis] != (is_above ? last : 0)) return i + way;
  const int other = beside[6 * leaf + 3 * is_above + axis];
  return other < 0 ? -1 : i + (other - leaf) * all - last * way;
}

/* The opening of a cell's upper face with its moments; 0 where it is not known. */
TRM_INLINE int fv_upper_opening(const int number, TRM_IN(real) gas, const int axis, real *to)
{
  const int kind = FV_FOUND_KIND(number);
  TRM_IN(real) from = gas + FV_FOUND_PLACE(number) * FV_GAS_REALS + FV_GAS_FACES + 4 * axis;
  const int is_cut = kind >= FV_FOUND_PLANE;
  if (kind == FV_FOUND_TREE) return 0;
  for (int i = 0; i < 4; i++) to[i] = is_cut ? from[i] : R(0.0);
  if (kind == FV_FOUND_GAS) to[0] = R(1.0);
  return 1;
}

/* The openings of a cell, low and high of each axis, and whose wall it has. */
typedef struct fv_openings { real low[3][4], high[3][4]; int body; } fv_openings;

TRM_INLINE int fv_openings_of(const fv_volumes_params p, TRM_IN(int) beside, TRM_IN(int) kinds,
                              TRM_IN(int) found, TRM_IN(real) gas, const int cell,
                              fv_openings *to)
{
  const int own = kinds[cell];
  int is_known = 1;
  to->body = FV_FOUND_KIND(own) >= FV_FOUND_PLANE ? found[FV_FOUND_PLACE(own) * FV_FOUND_INTS]
                                                 : FV_NO_WALL;
  for (int a = 0; a < 3 && is_known; a++) {
    const int other = fv_cell_beside(p, beside, cell, a, 0), number = other < 0 ? FV_FOUND_TREE
                                                                           : kinds[other];
    is_known = fv_upper_opening(own, gas, a, to->high[a]) &&
               fv_upper_opening(number, gas, a, to->low[a]);
    if (to->body < 0 && is_known && FV_FOUND_KIND(number) >= FV_FOUND_PLANE)
      to->body = found[FV_FOUND_PLACE(number) * FV_FOUND_INTS];
  }
  return is_known;
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
TRM_INLINE void fv_put_velocity(const fv_shape *s, const int *cell, TRM_OUT(real) wall)
{
  TRM_IN(real) spin = s->own + FV_SHAPE_SPIN;
  real off[3], way[3];
  for (int a = 0; a < 3; a++) {
    const real begin = s->own[FV_SHAPE_REST + a], end = s->own[FV_SHAPE_REST + 3 + a];
    way[a] = end - begin;
    off[a] = (((real)cell[a] - s->own[FV_SHAPE_CELL + a]) +
              (R(0.5) - R(0.5) * (begin + end))) + wall[FV_WALL_CENTROID + a];
  }
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    wall[FV_WALL_VELOCITY + a] = way[a] + (spin[b] * off[c] - spin[c] * off[b]);
  }
}

/* gas: the cell's own volumes. */
TRM_INLINE void fv_put_wall(const fv_shape *s, const int *cell, const fv_openings *o,
                            const real begin, const real end, TRM_OUT(real) wall)
{
  real volume = R(0.5) * (begin + end);
  for (int a = 0; a < 3; a++) {
    const real way = s->own[FV_SHAPE_REST + 3 + a] - s->own[FV_SHAPE_REST + a];
    wall[FV_WALL_VECTOR + a] = o->low[a][0] - o->high[a][0];
    if (!fv_turns(s)) volume -= way * (o->low[a][3] - o->high[a][3]);
  }
  fv_put_centroid(o, volume, wall);
  fv_put_velocity(s, cell, wall);
  wall[FV_WALL_SWEPT] = end - begin;
}

TRM_GROUP_KERNEL10(fv_volumes_walls, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                   TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) beside, TRM_RO(int) list,
                   TRM_RO(int) kinds, TRM_RO(int) found, TRM_RO(real) gas, TRM_RW(real) walls,
                   TRM_RW(int) bodies)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index k = (trm_index)group * TRM_GROUP + lane;
    if (k < p.listed) {
      const int kind = FV_FOUND_KIND(kinds[list[k]]);
      TRM_OUT(real) wall = walls + k * FV_WALL_REALS;
      fv_openings o;
      const int is_known = fv_openings_of(p, beside, kinds, found, gas, list[k], &o);
      for (int i = 0; i < FV_WALL_REALS; i++) wall[i] = R(0.0);
      if (is_known && o.body >= 0) {
        TRM_IN(real) own = gas + k * FV_GAS_REALS;
        const int is_cut = kind >= FV_FOUND_PLANE;
        const fv_shape s = fv_shape_of(shapes, tables, o.body);
        int cell[3];
        fv_cell_place(p, leaves, list[k], cell);
        const real whole = kind == FV_FOUND_GAS ? R(1.0) : R(0.0);
        fv_put_wall(&s, cell, &o, is_cut ? own[FV_GAS_BEGIN] : whole,
                    is_cut ? own[FV_GAS_END] : whole, wall);
      }
      bodies[k] = is_known ? o.body : FV_OPEN_WALL;
    }
  }
}
