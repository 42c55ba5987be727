/* What a wall leaves of a cell: as cut_cell.c has it. */

/* The corners of a face, round +axis. */
TRM_INLINE void fv_face_corners(const int axis, const int side, int *corner)
{
  const int b = 1 << (axis + 1) % 3, c = 1 << (axis + 2) % 3, base = side << axis;
  corner[0] = base;
  corner[1] = base | b;
  corner[2] = base | b | c;
  corner[3] = base | c;
}

/* Whether a face has gas at two opposite corners, the body at the others; gas: a bit a corner. */
TRM_INLINE int fv_is_crossed(const int gas, const int axis, const int side)
{
  int corner[4];
  fv_face_corners(axis, side, corner);
  const int first = gas >> corner[0] & 1, next = gas >> corner[1] & 1;
  return first == (gas >> corner[2] & 1) && next == (gas >> corner[3] & 1) && first != next;
}

/* The corners that are joined to corner i, over edges and across faces; crossed: a bit for each
 * face that is. */
TRM_INLINE int fv_joined(const int gas, const int crossed, const int i)
{
  const int is_gas = gas >> i & 1, like = is_gas ? gas : ~gas & 255;
  int all = 1 << i, last = 0;
  while (all != last) {
    last = all;
    all |= ((all & 0xaa) >> 1 | (all & 0x55) << 1 | (all & 0xcc) >> 2 | (all & 0x33) << 2 |
            (all & 0xf0) >> 4 | (all & 0x0f) << 4) & like;
    for (int f = 0; f < 6 && crossed && is_gas; f++) {
      const int face = f / 2 == 0 ? f % 2 ? 0xaa : 0x55 : f / 2 == 1 ? f % 2 ? 0xcc : 0x33
                                                                     : f % 2 ? 0xf0 : 0x0f;
      if (crossed >> f & 1 && all & face) all |= face & gas;
    }
  }
  return all;
}

/* The parts of gas and body that corners lie in; returns whether the gas is torn. */
TRM_INLINE int fv_parts(const int gas, int *part)
{
  int count[2] = { 0, 0 }, is_cut = 0, done = 0, crossed = 0;
  for (int f = 0; f < 6; f++) crossed |= fv_is_crossed(gas, f / 2, f % 2) << f;
  for (int i = 0; i < 8; i++)
    if (!(done >> i & 1)) {
      const int all = fv_joined(gas, crossed, i);
      for (int j = 0; j < 8; j++)
        if (all >> j & 1) part[j] = count[gas >> i & 1];
      count[gas >> i & 1]++;
      done |= all;
    }
  for (int axis = 0; axis < 3; axis++)
    is_cut |= (crossed >> 2 * axis & 3) == 3 && (gas & 1) == (gas >> (1 << axis) & 1);
  return count[1] > 1 || is_cut;
}

/* The gas's polygon in a face, round +axis: sums over its sides, and where it leaves along a wall's
 * parts and comes back, at most twice. */
typedef struct fv_polygon {
  real area, moment_b, moment_c, from[2][3], to[2][3];
  int count, edges, part[2];
} fv_polygon;

/* One more side of it. */
TRM_INLINE void fv_add_side(fv_polygon *s, const int axis, const real *p, const real *q)
{
  const int b = (axis + 1) % 3, c = (axis + 2) % 3;
  const real piece = p[b] * q[c] - q[b] * p[c];
  s->area += piece;
  s->moment_b += (p[b] + q[b]) * piece;
  s->moment_c += (p[c] + q[c]) * piece;
}

TRM_INLINE void fv_add_point(fv_polygon *s, const int axis, const real *at, real *first, real *last)
{
  if (s->count > 0) fv_add_side(s, axis, last, at);
  for (int a = 0; a < 3; a++) {
    if (s->count == 0) first[a] = at[a];
    last[a] = at[a];
  }
  s->count++;
}

TRM_INLINE void fv_trace_face(const real *distance, const int gas, const int *part, const int f,
                              fv_polygon *s)
{
  const int axis = f / 2;
  real first[3] = { R(0.0), R(0.0), R(0.0) }, last[3] = { R(0.0), R(0.0), R(0.0) };
  int corner[4], returns = 0;
  fv_face_corners(axis, f % 2, corner);
  s->area = s->moment_b = s->moment_c = R(0.0);
  s->count = s->edges = 0;
  for (int k = 0; k < 4; k++) {
    const int i = corner[k], j = corner[(k + 1) & 3];
    real at[3];
    if (gas >> i & 1) {
      for (int a = 0; a < 3; a++) at[a] = (real)(i >> a & 1);
      fv_add_point(s, axis, at, first, last);
    }
    if ((gas >> i & 1) != (gas >> j & 1)) {
      const int low = i < j ? i : j, high = i < j ? j : i;
      const real t = distance[low] / (distance[low] - distance[high]);
      for (int a = 0; a < 3; a++)
        at[a] = (high ^ low) >> a & 1 ? t : (real)(low >> a & 1);
      for (int a = 0; a < 3; a++) {
        if (gas >> i & 1) s->from[s->edges][a] = at[a];
        else s->to[returns][a] = at[a];
      }
      if (gas >> i & 1) s->part[s->edges++] = part[j];
      else returns++;
      fv_add_point(s, axis, at, first, last);
    }
  }
  if (s->count > 0) fv_add_side(s, axis, last, first);
  if (!(gas >> corner[0] & 1) && s->edges == 2) /* the first end is that of the last edge */
    for (int a = 0; a < 3; a++) {
      const real end = s->to[0][a];
      s->to[0][a] = s->to[1][a];
      s->to[1][a] = end;
    }
}

TRM_INLINE void fv_open_face(const fv_polygon *s, const int f, real *cut)
{
  const int axis = f / 2, b = (axis + 1) % 3, c = (axis + 2) % 3;
  const int is_all = s->count == 4 && !s->edges, is_any = s->area > R(1e-30) && !is_all;
  const real thrice = R(3.0) * s->area;
  real *at = cut + FV_CUT_FACE + 3 * f;
  cut[FV_CUT_OPEN + f] = is_all ? R(1.0) : is_any ? R(0.5) * s->area : R(0.0);
  at[axis] = (real)(f % 2);
  at[b] = is_any ? trm_min(trm_max(s->moment_b / thrice, R(0.0)), R(1.0)) : R(0.5);
  at[c] = is_any ? trm_min(trm_max(s->moment_c / thrice, R(0.0)), R(1.0)) : R(0.5);
}

typedef struct fv_wall_sums { real volume, moment[3], area, wall[3], turn[3]; } fv_wall_sums;

/* A triangle of the wall, round its normal out of the gas. */
TRM_INLINE void fv_add_triangle(fv_wall_sums *s, const real *p, const real *q, const real *r)
{
  real cross_pq[3], normal[3], area = R(0.0), volume = R(0.0);
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    cross_pq[a] = p[b] * q[c] - p[c] * q[b];
    normal[a] = (q[b] - p[b]) * (r[c] - p[c]) - (q[c] - p[c]) * (r[b] - p[b]);
    area += normal[a] * normal[a];
    volume += cross_pq[a] * r[a] / R(6.0);
  }
  area = R(0.5) * trm_sqrt(area);
  s->volume += volume;
  s->area += area;
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    s->turn[a] += ((p[b] + q[b] + r[b]) * normal[c] - (p[c] + q[c] + r[c]) * normal[b]) / R(6.0);
    s->moment[a] += volume * (p[a] + q[a] + r[a]) / R(4.0);
    s->wall[a] += area * (p[a] + q[a] + r[a]) / R(3.0);
  }
}

/* Faces, then the wall's triangles, whose tips are the middles of its parts. */
TRM_INLINE void fv_add_faces(const real *distance, const int gas, const int *part, real *cut,
                             fv_wall_sums *s)
{
  real middle[4][3];
  fv_polygon face;
  int count[4];
  for (int i = 0; i < 4; i++) {
    count[i] = 0;
    for (int a = 0; a < 3; a++) middle[i][a] = R(0.0);
  }
  for (int f = 0; f < 6; f++) {
    fv_trace_face(distance, gas, part, f, &face);
    fv_open_face(&face, f, cut);
    for (int e = 0; e < face.edges; e++) {
      for (int a = 0; a < 3; a++) middle[face.part[e]][a] += face.from[e][a] + face.to[e][a];
      count[face.part[e]] += 2;
    }
    if (f % 2) {
      s->volume += cut[FV_CUT_OPEN + f] / R(3.0);
      for (int a = 0; a < 3; a++)
        s->moment[a] += cut[FV_CUT_OPEN + f] / R(4.0) * cut[FV_CUT_FACE + 3 * f + a];
    }
  }
  for (int i = 0; i < 4; i++)
    for (int a = 0; a < 3 && count[i]; a++) middle[i][a] /= (real)count[i];
  for (int f = 0; f < 6; f++) {
    fv_trace_face(distance, gas, part, f, &face);
    for (int e = 0; e < face.edges; e++) {
      if (f % 2) fv_add_triangle(s, face.to[e], face.from[e], middle[face.part[e]]);
      else fv_add_triangle(s, face.from[e], face.to[e], middle[face.part[e]]);
    }
  }
}

/* Returns whether the gas is torn. */
TRM_INLINE int fv_cut_one(const real *distance, real *cut)
{
  int gas = 0, part[8];
  fv_wall_sums s;
  for (int i = 0; i < 8; i++) gas |= distance[i] > R(0.0) ? 1 << i : 0;
  if (fv_parts(gas, part)) return 1;
  s.volume = s.area = R(0.0);
  for (int a = 0; a < 3; a++) s.moment[a] = s.wall[a] = s.turn[a] = R(0.0);
  fv_add_faces(distance, gas, part, cut, &s);
  cut[FV_CUT_VOLUME] = trm_max(s.volume, R(0.0));
  for (int a = 0; a < 3; a++) {
    const int is_tiny = s.volume < R(1e-12);
    cut[FV_CUT_CENTROID + a] = is_tiny ? s.wall[a] / s.area
                                       : trm_min(trm_max(s.moment[a] / s.volume, R(0.0)), R(1.0));
    cut[FV_CUT_WALL_AREA + a] = -(cut[FV_CUT_OPEN + 2 * a + 1] - cut[FV_CUT_OPEN + 2 * a]);
    cut[FV_CUT_WALL_TURN + a] = s.turn[a];
    cut[FV_CUT_WALL_AT + a] = s.area > R(0.0) ? s.wall[a] / s.area : R(0.5);
  }
  return 0;
}

TRM_INLINE void fv_cut_whole(TRM_OUT(real) cut)
{
  cut[FV_CUT_VOLUME] = R(1.0);
  for (int a = 0; a < 3; a++) {
    cut[FV_CUT_CENTROID + a] = cut[FV_CUT_WALL_AT + a] = R(0.5);
    cut[FV_CUT_WALL_AREA + a] = cut[FV_CUT_WALL_TURN + a] = R(0.0);
  }
  for (int f = 0; f < 6; f++) {
    cut[FV_CUT_OPEN + f] = R(1.0);
    for (int a = 0; a < 3; a++)
      cut[FV_CUT_FACE + 3 * f + a] = a == f / 2 ? (real)(f % 2) : R(0.5);
  }
}
