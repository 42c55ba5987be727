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

#define FV_CONVEX_CORNERS 64 /* twenty planes leave 48 at most */

/* Edge k of corner i is number 4 i + k; its mate is the number that the other corner has for it.
 * Around a face, anticlockwise seen from outside, edge k + 1 of a corner follows the edge that came
 * in as k. */
typedef struct fv_convex {
  real at[FV_CONVEX_CORNERS][3];
  uchar mate[4 * FV_CONVEX_CORNERS];
  int count, is_cube;
} fv_convex;

TRM_INLINE int fv_next_edge(const int edge)
{
  return edge % 4 == 2 ? edge - 2 : edge + 1;
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
      s->mate[4 * i + (is_odd ? turned : a)] = (uchar)(4 * (i ^ 1 << a) + (is_odd ? a : turned));
    }
  }
}

/* A clip at work. How far each corner is past the plane, and which are out. Then the edges of these
 * with the other end in, around the cut, their mates, and which of them comes next. Each makes a
 * corner: corners that are out give their places, then come places at the end. */
typedef struct fv_clip {
  real past[FV_CONVEX_CORNERS], at[FV_CONVEX_CORNERS][3];
  uchar out[FV_CONVEX_CORNERS], edge[FV_CONVEX_CORNERS], mate[FV_CONVEX_CORNERS];
  uchar next[FV_CONVEX_CORNERS];
  int outs, edges;
} fv_clip;

TRM_INLINE int fv_is_crossed(const fv_convex *s, const fv_clip *clip, const int edge)
{
  return clip->past[s->mate[edge] / 4] < R(0.0);
}

/* Lists corners that are out once more. */
TRM_INLINE void fv_find_out(const fv_convex *s, fv_clip *clip)
{
  int outs = 0;
  for (int i = 0; i < s->count; i++) {
    clip->out[outs] = (uchar)i;
    outs += !(clip->past[i] < R(0.0));
  }
  clip->outs = outs;
}

/* Asks the corners, and lists those that are out. */
TRM_INLINE void fv_ask_corners(const fv_convex *s, const real *n, const real c, fv_clip *clip)
{
  int outs = 0;
  for (int i = 0; i < s->count; i++) {
    const real past = ((n[0] * s->at[i][0] + n[1] * s->at[i][1]) + n[2] * s->at[i][2]) - c;
    clip->past[i] = past;
    clip->out[outs] = (uchar)i;
    outs += !(past < R(0.0));
  }
  clip->outs = outs;
}

/* How many edges of corners that are out have the other end in; last: one of these. */
TRM_INLINE int fv_count_crossed(const fv_convex *s, const fv_clip *clip, int *last)
{
  int crossed = 0;
  for (int i = 0; i < clip->outs; i++)
    for (int edge = 4 * clip->out[i], k = 0; k < 3; edge++, k++) {
      const int is_crossed = fv_is_crossed(s, clip, edge);
      *last = is_crossed ? edge : *last;
      crossed += is_crossed;
    }
  return crossed;
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
      const int j = s->mate[4 * i + k] / 4;
      if (is_out[j] || past[j] < R(0.0)) continue;
      is_out[j] = 1;
      waits[count++] = (uchar)j;
    }
  }
  for (int i = 0; i < s->count; i++) past[i] = is_out[i] || past[i] < R(0.0) ? past[i] : -R(1.0);
}

/* Lists crossed edges from one of them on. The next one is that of the face to its left: along
 * corners that are out to the first edge with the other end in. */
TRM_INLINE void fv_walk_around(const fv_convex *s, fv_clip *clip, const int start)
{
  const int first = clip->edges;
  int edge = start, w = first;
  do {
    const int inside = s->mate[edge], i = edge / 4, j = inside / 4;
    const real part = clip->past[j] / (clip->past[j] - clip->past[i]);
    for (int a = 0; a < 3; a++)
      clip->at[w][a] = s->at[j][a] + part * (s->at[i][a] - s->at[j][a]);
    clip->edge[w] = (uchar)edge;
    clip->mate[w] = (uchar)inside;
    clip->next[w] = (uchar)(w + 1);
    w++;
    edge = fv_next_edge(edge);
    while (!fv_is_crossed(s, clip, edge)) edge = fv_next_edge(s->mate[edge]);
  } while (edge != start);
  clip->next[w - 1] = (uchar)first;
  clip->edges = w;
}

/* An edge that is crossed and not in the list. */
TRM_INLINE int fv_find_crossed(const fv_convex *s, const fv_clip *clip)
{
  int found = -1;
  for (int i = 0; i < clip->outs; i++)
    for (int edge = 4 * clip->out[i], k = 0; k < 3; edge++, k++) {
      int is_listed = !fv_is_crossed(s, clip, edge);
      for (int w = 0; w < clip->edges; w++) is_listed |= clip->edge[w] == edge;
      found = is_listed ? found : edge;
    }
  return found;
}

/* Puts the new corners at their places. If places are left over, the last corners take these. */
TRM_INLINE void fv_put_corners(fv_convex *s, fv_clip *clip)
{
  int last = s->count;
  for (int w = clip->outs; w < clip->edges; w++) clip->out[w] = (uchar)last++;
  for (int w = 0; w < clip->edges; w++) {
    const int i = clip->out[w], j = clip->out[clip->next[w]], inside = clip->mate[w];
    for (int a = 0; a < 3; a++) s->at[i][a] = clip->at[w][a];
    s->mate[4 * i] = (uchar)inside;
    s->mate[inside] = (uchar)(4 * i);
    s->mate[4 * i + 1] = (uchar)(4 * j + 2);
    s->mate[4 * j + 2] = (uchar)(4 * i + 1);
  }
  for (int o = clip->edges; o < clip->outs && clip->out[o] < last; o++) {
    const int i = clip->out[o];
    do last--;
    while (last > i && !(clip->past[last] < R(0.0)));
    for (int k = 0; k < 3 && last > i; k++) {
      const int edge = s->mate[4 * last + k];
      s->at[i][k] = s->at[last][k];
      s->mate[4 * i + k] = (uchar)edge;
      s->mate[edge] = (uchar)(4 * i + k);
    }
  }
  s->count = last;
}

/* How far the cube reaches along n. */
TRM_INLINE real fv_reach_of(const real *n)
{
  return R(0.5) * ((trm_fabs(n[0]) + trm_fabs(n[1])) + trm_fabs(n[2]));
}

/* Keeps what has n.x < c. Returns 0, with the polyhedron as it was, where there is no room. */
TRM_INLINE int fv_convex_clip(fv_convex *s, const real *n, const real c)
{
  fv_clip clip;
  int start = 0;
  if (c > fv_reach_of(n)) return 1; /* beyond the cube: the corners need not be asked */
  fv_ask_corners(s, n, c, &clip);
  if (clip.outs == 0) return 1;
  s->is_cube = 0;
  if (clip.outs == s->count) {
    s->count = 0;
    return 1;
  }
  int crossed = fv_count_crossed(s, &clip, &start);
  if (crossed > clip.outs + 2) {
    fv_join_out(s, clip.past);
    fv_find_out(s, &clip);
    crossed = fv_count_crossed(s, &clip, &start);
  }
  if (s->count - clip.outs + crossed > FV_CONVEX_CORNERS) return 0;
  clip.edges = 0;
  fv_walk_around(s, &clip, start);
  while (clip.edges < crossed) fv_walk_around(s, &clip, fv_find_crossed(s, &clip));
  fv_put_corners(s, &clip);
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

TRM_INLINE void fv_from_corner(const fv_convex *s, const int corner, real *to)
{
  TRM_UNROLL for (int a = 0; a < 3; a++) to[a] = s->at[corner][a] - s->at[0][a];
}

/* Volume and moments about corner 0, of tetrahedra from it to the triangles of each face, which
 * begin at the face's first corner. So its own three faces add nothing. */
TRM_INLINE fv_moments fv_convex_sum(const fv_convex *s)
{
  fv_moments sum = { R(0.0), { R(0.0), R(0.0), R(0.0) } };
  uchar done[4 * FV_CONVEX_CORNERS];
  sum.volume = s->is_cube ? R(1.0) : R(0.0);
  if (s->is_cube || s->count == 0) return sum;
  for (int i = 0; i < 4 * s->count; i++) done[i] = i % 4 == 3;
  for (int first = 0; first < 3; first++)
    for (int edge = first; !done[edge]; edge = fv_next_edge(s->mate[edge])) done[edge] = 1;
  for (int first = 4; first < 4 * s->count; first++) {
    real a[3], b[3], c[3];
    if (done[first]) continue;
    int edge = fv_next_edge(s->mate[first]);
    fv_from_corner(s, first / 4, a);
    fv_from_corner(s, edge / 4, b);
    done[edge] = 1;
    for (edge = fv_next_edge(s->mate[edge]); edge != first; edge = fv_next_edge(s->mate[edge])) {
      done[edge] = 1;
      fv_from_corner(s, edge / 4, c);
      fv_add_tetrahedron(a, b, c, &sum);
      TRM_UNROLL for (int k = 0; k < 3; k++) b[k] = c[k];
    }
  }
  sum.volume /= R(6.0);
  for (int k = 0; k < 3; k++) sum.moment[k] = sum.moment[k] / R(24.0) + sum.volume * s->at[0][k];
  return sum;
}
