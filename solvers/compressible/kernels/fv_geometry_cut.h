/* What a wall leaves of a cell: as cut_cell.c has it. Loops over faces and edges are unrolled and
 * choose by conditions, so that the cells of a group go the same way, with their numbers in
 * registers. */

/* Corner k of a face, round +axis; the edge from there to the next one, of four along each axis. */
TRM_INLINE int fv_face_corner(const int f, const int k)
{
  const int b = 1 << (f / 2 + 1) % 3, c = 1 << (f / 2 + 2) % 3;
  return f % 2 << f / 2 | (k == 1 || k == 2 ? b : 0) | (k >= 2 ? c : 0);
}
TRM_INLINE int fv_face_edge(const int f, const int k)
{
  const int along = (f / 2 + 1 + k % 2) % 3;
  return 4 * along + (k % 2 ? f % 2 + 2 * (k == 1) : 2 * (f % 2) + (k == 2));
}

/* Whether a face has gas at two opposite corners, the body at the others; gas: a bit a corner. */
TRM_INLINE int fv_is_crossed(const int gas, const int f)
{
  const int first = gas >> fv_face_corner(f, 0) & 1, next = gas >> fv_face_corner(f, 1) & 1;
  return first == (gas >> fv_face_corner(f, 2) & 1) &&
         next == (gas >> fv_face_corner(f, 3) & 1) && first != next;
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

/* The parts of gas and body that corners lie in, two bits each; returns whether the gas is torn.
 * bodies: parts of the body. */
TRM_INLINE int fv_parts(const int gas, int *parts, int *bodies)
{
  int count[2] = { 0, 0 }, is_cut = 0, done = 0, crossed = 0;
  TRM_UNROLL for (int f = 0; f < 6; f++) crossed |= fv_is_crossed(gas, f) << f;
  *parts = 0;
  for (int i = 0; i < 8; i++)
    if (!(done >> i & 1)) {
      const int all = fv_joined(gas, crossed, i), is_gas = gas >> i & 1;
      for (int j = 0; j < 8 && !is_gas; j++)
        if (all >> j & 1) *parts |= count[0] << 2 * j;
      count[is_gas]++;
      done |= all;
    }
  for (int axis = 0; axis < 3; axis++)
    is_cut |= (crossed >> 2 * axis & 3) == 3 && (gas & 1) == (gas >> (1 << axis) & 1);
  *bodies = count[0];
  return count[1] > 1 || is_cut;
}

/* How far along each edge the wall crosses it, from its lower corner on. */
TRM_INLINE void fv_find_crossings(const real *distance, const int gas, real *crossing)
{
  TRM_UNROLL for (int e = 0; e < 12; e++) {
    const int a = e / 4, b = (a + 1) % 3, c = (a + 2) % 3;
    const int low = (e & 1) << b | (e >> 1 & 1) << c, high = low | 1 << a;
    crossing[e] = (gas >> low & 1) != (gas >> high & 1)
                 ? distance[low] / (distance[low] - distance[high]) : R(0.0);
  }
}

/* Where the edge behind corner k is crossed, along the axes of the face. */
TRM_INLINE real fv_cross_b(const int k, const real t)
{
  return k % 2 == 0 ? t : k == 1 ? R(1.0) : R(0.0);
}
TRM_INLINE real fv_cross_c(const int k, const real t)
{
  return k % 2 == 1 ? t : k == 2 ? R(1.0) : R(0.0);
}

/* ---- faces ------------------------------------------------------------------------------ */

/* The gas's polygon in a face, round +axis: sums over its sides, its first corner and its last. */
typedef struct fv_polygon {
  real area, moment_b, moment_c, first_b, first_c, last_b, last_c;
  int count;
} fv_polygon;

/* The side to a next corner, if that is one; the one before the first is the face's own. */
TRM_INLINE void fv_add_side(fv_polygon *s, const int is_corner, const real b, const real c)
{
  const real piece = is_corner ? s->last_b * c - b * s->last_c : R(0.0);
  s->area += piece;
  s->moment_b += (s->last_b + b) * piece;
  s->moment_c += (s->last_c + c) * piece;
  s->first_b = is_corner && s->count == 0 ? b : s->first_b;
  s->first_c = is_corner && s->count == 0 ? c : s->first_c;
  s->last_b = is_corner ? b : s->last_b;
  s->last_c = is_corner ? c : s->last_c;
  s->count += is_corner;
}

TRM_INLINE void fv_trace_face(const real *crossing, const int gas, const int f, fv_polygon *s)
{
  s->area = s->moment_b = s->moment_c = R(0.0);
  s->first_b = s->first_c = s->last_b = s->last_c = R(0.0);
  s->count = 0;
  TRM_UNROLL for (int k = 0; k < 4; k++) {
    const int is = gas >> fv_face_corner(f, k) & 1;
    const int next = gas >> fv_face_corner(f, (k + 1) & 3) & 1;
    const real t = crossing[fv_face_edge(f, k)];
    fv_add_side(s, is, k == 1 || k == 2 ? R(1.0) : R(0.0), k >= 2 ? R(1.0) : R(0.0));
    fv_add_side(s, is != next, fv_cross_b(k, t), fv_cross_c(k, t));
  }
  fv_add_side(s, s->count > 0, s->first_b, s->first_c);
}

/* What is open of a face, and the middle of that, round +axis. */
TRM_INLINE void fv_open_face(const real *crossing, const int gas, const int f, real *open, real *b,
                             real *c)
{
  int corners = 0;
  fv_polygon s;
  fv_trace_face(crossing, gas, f, &s);
  TRM_UNROLL for (int k = 0; k < 4; k++) corners += gas >> fv_face_corner(f, k) & 1;
  const int is_any = s.area > R(1e-30) && corners < 4;
  const real thrice = R(3.0) * s.area;
  *open = corners == 4 ? R(1.0) : is_any ? R(0.5) * s.area : R(0.0);
  *b = is_any ? trm_min(trm_max(s.moment_b / thrice, R(0.0)), R(1.0)) : R(0.5);
  *c = is_any ? trm_min(trm_max(s.moment_c / thrice, R(0.0)), R(1.0)) : R(0.5);
}

/* ---- the wall ---------------------------------------------------------------------------- */

typedef struct fv_wall_sums { real volume, moment[3], area, wall[3], turn[3]; } fv_wall_sums;

/* A triangle of the wall, round its normal out of the gas. */
TRM_INLINE void fv_add_triangle(fv_wall_sums *s, const real *p, const real *q, const real *r)
{
  real cross_pq[3], normal[3], area = R(0.0), volume = R(0.0);
  TRM_UNROLL for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    cross_pq[a] = p[b] * q[c] - p[c] * q[b];
    normal[a] = (q[b] - p[b]) * (r[c] - p[c]) - (q[c] - p[c]) * (r[b] - p[b]);
    area += normal[a] * normal[a];
    volume += cross_pq[a] * r[a] / R(6.0);
  }
  area = R(0.5) * trm_sqrt(area);
  s->volume += volume;
  s->area += area;
  TRM_UNROLL for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    s->turn[a] += ((p[b] + q[b] + r[b]) * normal[c] - (p[c] + q[c] + r[c]) * normal[b]) / R(6.0);
    s->moment[a] += volume * (p[a] + q[a] + r[a]) / R(4.0);
    s->wall[a] += area * (p[a] + q[a] + r[a]) / R(3.0);
  }
}

/* Where the gas's polygon in a face leaves along the wall, and where it comes back, round +axis: at
 * most twice; along which part of the body. */
typedef struct fv_ends { real from[2][3], to[2][3]; int count, part[2]; } fv_ends;

TRM_INLINE void fv_find_ends(const real *crossing, const int gas, const int parts, const int f,
                             fv_ends *s)
{
  const int b = (f / 2 + 1) % 3, c = (f / 2 + 2) % 3;
  int returns = 0;
  s->count = 0;
  TRM_UNROLL for (int e = 0; e < 2; e++) {
    TRM_UNROLL for (int a = 0; a < 3; a++)
      s->from[e][a] = s->to[e][a] = a == f / 2 ? (real)(f % 2) : R(0.0);
    s->part[e] = 0;
  }
  TRM_UNROLL for (int k = 0; k < 4; k++) {
    const int j = fv_face_corner(f, (k + 1) & 3);
    const int is = gas >> fv_face_corner(f, k) & 1, next = gas >> j & 1;
    const real t = crossing[fv_face_edge(f, k)];
    TRM_UNROLL for (int e = 0; e < 2; e++) {
      const int leaves = is && !next && s->count == e, comes = !is && next && returns == e;
      s->from[e][b] = leaves ? fv_cross_b(k, t) : s->from[e][b];
      s->from[e][c] = leaves ? fv_cross_c(k, t) : s->from[e][c];
      s->part[e] = leaves ? parts >> 2 * j & 3 : s->part[e];
      s->to[e][b] = comes ? fv_cross_b(k, t) : s->to[e][b];
      s->to[e][c] = comes ? fv_cross_c(k, t) : s->to[e][c];
    }
    s->count += is && !next;
    returns += !is && next;
  }
  const int swaps = !(gas >> fv_face_corner(f, 0) & 1) && s->count == 2;
  TRM_UNROLL for (int a = 0; a < 3; a++) { /* the first end is that of the last edge */
    const real end = s->to[0][a];
    s->to[0][a] = swaps ? s->to[1][a] : end;
    s->to[1][a] = swaps ? end : s->to[1][a];
  }
}

/* The middle of a part's edges. */
TRM_INLINE void fv_find_middle(const real *crossing, const int gas, const int parts, const int part,
                               real *middle)
{
  int count = 0;
  TRM_UNROLL for (int a = 0; a < 3; a++) middle[a] = R(0.0);
  TRM_UNROLL for (int f = 0; f < 6; f++) {
    fv_ends ends;
    fv_find_ends(crossing, gas, parts, f, &ends);
    TRM_UNROLL for (int e = 0; e < 2; e++) {
      const int is_own = e < ends.count && ends.part[e] == part;
      TRM_UNROLL for (int a = 0; a < 3; a++)
        middle[a] += is_own ? ends.from[e][a] + ends.to[e][a] : R(0.0);
      count += is_own ? 2 : 0;
    }
  }
  TRM_UNROLL for (int a = 0; a < 3; a++) middle[a] /= (real)(count ? count : 1);
}

/* The wall's triangles, whose tips are the middles of its parts. */
TRM_INLINE void fv_add_walls(const real *crossing, const int gas, const int parts, const int bodies,
                             fv_wall_sums *s)
{
  real middle[4][3];
  for (int i = 0; i < bodies; i++) fv_find_middle(crossing, gas, parts, i, middle[i]);
  TRM_UNROLL for (int f = 0; f < 6; f++) {
    fv_ends ends;
    fv_find_ends(crossing, gas, parts, f, &ends);
    TRM_UNROLL for (int e = 0; e < 2; e++)
      if (e < ends.count)
        fv_add_triangle(s, f % 2 ? ends.to[e] : ends.from[e], f % 2 ? ends.from[e] : ends.to[e],
                        middle[ends.part[e]]);
  }
}

/* Returns whether the gas is torn. */
TRM_INLINE int fv_cut_one(const real *distance, TRM_LOCAL real *cut)
{
  int gas = 0, parts, bodies;
  real crossing[12], open[6];
  fv_wall_sums s;
  TRM_UNROLL for (int i = 0; i < 8; i++) gas |= distance[i] > R(0.0) ? 1 << i : 0;
  const int is_torn = fv_parts(gas, &parts, &bodies);
  fv_find_crossings(distance, gas, crossing);
  s.volume = s.area = R(0.0);
  TRM_UNROLL for (int a = 0; a < 3; a++) s.moment[a] = s.wall[a] = s.turn[a] = R(0.0);
  TRM_UNROLL for (int f = 0; f < 6; f++) {
    real at[3];
    at[f / 2] = (real)(f % 2);
    fv_open_face(crossing, gas, f, &open[f], &at[(f / 2 + 1) % 3], &at[(f / 2 + 2) % 3]);
    if (f % 2) s.volume += open[f] / R(3.0);
    TRM_UNROLL for (int a = 0; a < 3; a++) {
      if (f % 2) s.moment[a] += open[f] / R(4.0) * at[a];
      cut[FV_CUT_FACE + 3 * f + a] = at[a];
    }
    cut[FV_CUT_OPEN + f] = open[f];
  }
  fv_add_walls(crossing, gas, parts, bodies, &s);
  cut[FV_CUT_VOLUME] = trm_max(s.volume, R(0.0));
  TRM_UNROLL for (int a = 0; a < 3; a++) {
    const int is_tiny = s.volume < R(1e-12);
    cut[FV_CUT_CENTROID + a] = is_tiny ? s.wall[a] / s.area
                                       : trm_min(trm_max(s.moment[a] / s.volume, R(0.0)), R(1.0));
    cut[FV_CUT_WALL_AREA + a] = -(open[2 * a + 1] - open[2 * a]);
    cut[FV_CUT_WALL_TURN + a] = s.turn[a];
    cut[FV_CUT_WALL_AT + a] = s.area > R(0.0) ? s.wall[a] / s.area : R(0.5);
  }
  return is_torn;
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
