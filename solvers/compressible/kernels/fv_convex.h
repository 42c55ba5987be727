/* fv_convex.h - what several planes leave of a cell: a convex polyhedron, clipped plane by plane.
 *
 * Lengths and the cell are those of fv_plane.h; a face in a step is the same cube of two axes and
 * time. Each corner has three neighbours, before and after a clip, wherever the corners lie.
 * Several corners may lie at one place, with edges of no length between them. A corner is in
 * (n.x < c) or out, by the sign of one number, without a tolerance. So nothing is nearly parallel,
 * or nearly on a plane: the surface stays closed, whatever the planes are.
 *
 * Errors: volume and moments 1e-15 after twelve planes; a corner's place has the rounding of
 * one quotient for each plane that cut its edge.
 *
 * Source: Powell and Abel, J. Comput. Phys. 297 (2015) 340. Here a corner also keeps the number
 * that each of its edges has for the neighbour. So no search is needed, and two corners may share
 * two edges, as rounding can bring about. */

#define FV_CONVEX_CORNERS 82 /* at hand in one clip; twenty planes never need more */

/* Edge k of corner i is number 3 i + k; its mate is the number that the other corner has for it.
 * Around a face, anticlockwise seen from outside, edge k + 1 of a corner follows the edge that came
 * in as k. */
typedef struct fv_convex {
  real at[FV_CONVEX_CORNERS][3];
  uchar mate[3 * FV_CONVEX_CORNERS];
  int count, is_cube;
} fv_convex;

TRM_INLINE int fv_next_edge(const int edge)
{
  return edge % 3 == 2 ? edge - 2 : edge + 1;
}

/* The whole cube. Corner i has bit a set where it is at +1/2 along axis a. */
TRM_INLINE void fv_convex_cube(fv_convex *s)
{
  s->count = 8;
  s->is_cube = 1;
  for (int i = 0; i < 8; i++) {
    const int is_odd = (i ^ i >> 1 ^ i >> 2) & 1; /* its mirror image is not: the sense changes */
    for (int a = 0; a < 3; a++) {
      const int turned = a == 0 ? 0 : 3 - a;
      s->at[i][a] = i >> a & 1 ? R(0.5) : -R(0.5);
      s->mate[3 * i + (is_odd ? turned : a)] = (uchar)(3 * (i ^ 1 << a) + (is_odd ? a : turned));
    }
  }
}

/* Puts a new corner, number w, on an edge of a corner that is out; the other end is in. The edge's
 * number is kept as the mate of edge 1. */
TRM_INLINE void fv_split_edge(fv_convex *s, const real *past, const int edge, const int w)
{
  const int inside = s->mate[edge], i = edge / 3, j = inside / 3;
  const real part = past[j] / (past[j] - past[i]);
  for (int a = 0; a < 3; a++)
    s->at[w][a] = s->at[j][a] + part * (s->at[i][a] - s->at[j][a]);
  s->mate[edge] = (uchar)(3 * w);
  s->mate[inside] = (uchar)(3 * w);
  s->mate[3 * w] = (uchar)inside;
  s->mate[3 * w + 1] = (uchar)edge;
}

/* Joins each new corner with the next one around the face to its left: along corners that are out
 * to the first new one. */
TRM_INLINE void fv_join_corners(fv_convex *s, const int old, const int all)
{
  for (int w = old; w < all; w++) {
    int edge = s->mate[3 * w + 1];
    while (edge < 3 * old) edge = s->mate[fv_next_edge(edge)];
    s->mate[3 * w + 1] = (uchar)(edge + 2);
    s->mate[edge + 2] = (uchar)(3 * w + 1);
  }
}

/* The corners of a polyhedron that are out of a plane, and their edges with the other end in. */
typedef struct fv_convex_out {
  uchar corner[FV_CONVEX_CORNERS], edge[3 * FV_CONVEX_CORNERS];
  int corners, edges;
} fv_convex_out;

TRM_INLINE void fv_find_out(const fv_convex *s, const real *past, fv_convex_out *out)
{
  out->corners = out->edges = 0;
  for (int i = 0; i < s->count; i++) {
    out->corner[out->corners] = (uchar)i;
    out->corners += !(past[i] < R(0.0));
  }
  for (int i = 0; i < out->corners; i++)
    for (int edge = 3 * out->corner[i], k = 0; k < 3; edge++, k++) {
      out->edge[out->edges] = (uchar)edge;
      out->edges += past[s->mate[edge] / 3] < R(0.0);
    }
}

/* The last corners take the numbers of corners that are out. */
TRM_INLINE void fv_drop_corners(fv_convex *s, const real *past, const fv_convex_out *out,
                                const int old, const int all)
{
  int last = all;
  for (int o = 0; o < out->corners && out->corner[o] < last; o++) {
    const int i = out->corner[o];
    do last--;
    while (last > i && last < old && !(past[last] < R(0.0)));
    for (int k = 0; k < 3 && last > i; k++) {
      const int edge = s->mate[3 * last + k];
      s->at[i][k] = s->at[last][k];
      s->mate[3 * i + k] = (uchar)edge;
      s->mate[edge] = (uchar)(3 * i + k);
    }
  }
  s->count = last;
}

/* But for rounding, edges connect all corners that are out. So corners without a way to the
 * farthest one become in. A clip that would add more than two corners has such ones. */
TRM_INLINE void fv_join_out(const fv_convex *s, real *past)
{
  uchar is_out[FV_CONVEX_CORNERS], waits[FV_CONVEX_CORNERS];
  int count = 1, far = 0;
  for (int i = 0; i < s->count; i++) {
    is_out[i] = 0;
    far = past[far] < past[i] ? i : far;
  }
  waits[0] = (uchar)far;
  is_out[far] = 1;
  while (count > 0) {
    const int i = waits[--count];
    for (int k = 0; k < 3; k++) {
      const int j = s->mate[3 * i + k] / 3;
      if (is_out[j] || past[j] < R(0.0)) continue;
      is_out[j] = 1;
      waits[count++] = (uchar)j;
    }
  }
  for (int i = 0; i < s->count; i++) past[i] = is_out[i] || past[i] < R(0.0) ? past[i] : -R(1.0);
}

/* How far the cube reaches along n. */
TRM_INLINE real fv_reach_of(const real *n)
{
  return R(0.5) * ((trm_fabs(n[0]) + trm_fabs(n[1])) + trm_fabs(n[2]));
}

/* Keeps what has n.x < c. Returns 0, with the polyhedron as it was, where there is no room. */
TRM_INLINE int fv_convex_clip(fv_convex *s, const real *n, const real c)
{
  real past[FV_CONVEX_CORNERS];
  const int old = s->count;
  fv_convex_out out;
  int all = old, in = 0;
  if (c > fv_reach_of(n)) return 1; /* beyond the cube: the corners need not be asked */
  for (int i = 0; i < old; i++) {
    past[i] = ((n[0] * s->at[i][0] + n[1] * s->at[i][1]) + n[2] * s->at[i][2]) - c;
    in += past[i] < R(0.0);
  }
  s->is_cube &= in == old;
  if (in == old || in == 0) {
    s->count = in;
    return 1;
  }
  fv_find_out(s, past, &out);
  if (out.edges > out.corners + 2) {
    fv_join_out(s, past);
    fv_find_out(s, past, &out);
  }
  if (old + out.edges > FV_CONVEX_CORNERS) return 0;
  for (int i = 0; i < out.edges; i++) fv_split_edge(s, past, out.edge[i], all++);
  fv_join_corners(s, old, all);
  fv_drop_corners(s, past, &out, old, all);
  return 1;
}

/* Adds the tetrahedron of the origin and a triangle, anticlockwise seen from outside: six times its
 * volume, 24 times its moments. */
TRM_INLINE void fv_add_tetrahedron(const real *a, const real *b, const real *c, fv_moments *to)
{
  real six = R(0.0);
  TRM_UNROLL for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    six += a[i] * (b[j] * c[k] - b[k] * c[j]);
  }
  to->volume += six;
  TRM_UNROLL for (int i = 0; i < 3; i++) to->moment[i] += six * ((a[i] + b[i]) + c[i]);
}

/* Volume and moments: over the triangles of each face, from its first corner on. */
TRM_INLINE fv_moments fv_convex_sum(const fv_convex *s)
{
  fv_moments sum = { R(0.0), { R(0.0), R(0.0), R(0.0) } };
  uchar done[3 * FV_CONVEX_CORNERS];
  sum.volume = s->is_cube ? R(1.0) : R(0.0);
  if (s->is_cube) return sum;
  for (int i = 0; i < 3 * s->count; i++) done[i] = 0;
  for (int first = 0; first < 3 * s->count; first++) {
    const int from = first / 3;
    int edge = first, was = -1;
    while (!done[edge]) {
      const int here = edge / 3;
      done[edge] = 1;
      if (was >= 0 && here != from) fv_add_tetrahedron(s->at[from], s->at[was], s->at[here], &sum);
      was = here == from ? -1 : here;
      edge = fv_next_edge(s->mate[edge]);
    }
  }
  sum.volume /= R(6.0);
  for (int i = 0; i < 3; i++) sum.moment[i] /= R(24.0);
  return sum;
}
