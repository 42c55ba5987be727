/* How far a place is from a closed surface of triangles, and on which side: as io/stl_distance.c
 * has it, by the tree that trm_stl_tree_list tells of. */
#define FV_TREE_DEPTH 40      /* nodes that wait to be opened: one a level, of which 31 are most */
#define FV_TREE_SLACK R(1e-6)
#define FV_BEYOND_ALL R(1e30)

/* Where a tree's nodes lie, and its facets. */
typedef struct fv_tree { TRM_IN(real) nodes; TRM_IN(real) facets; } fv_tree;

TRM_INLINE fv_tree fv_tree_of(TRM_IN(real) bodies, TRM_IN(real) b)
{
  fv_tree t;
  t.nodes = bodies + (int)b[FV_BODY_OUTLINE];
  t.facets = t.nodes + FV_TREE_NODE * (int)b[FV_BODY_CORNERS];
  return t;
}

TRM_INLINE real fv_dot(const real *a, const real *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- how far ----------------------------------------------------------------------------- */

/* The square of the distance from the edge between corners i and j. */
TRM_INLINE real fv_to_edge(TRM_IN(real) v, const int i, const int j, const real *at)
{
  real along[3], off[3], square = R(0.0);
  for (int a = 0; a < 3; a++) {
    along[a] = v[3 * j + a] - v[3 * i + a];
    off[a] = at[a] - v[3 * i + a];
  }
  const real t = trm_min(trm_max(fv_dot(off, along) / fv_dot(along, along), R(0.0)), R(1.0));
  for (int a = 0; a < 3; a++)
    square += (off[a] - t * along[a]) * (off[a] - t * along[a]);
  return square;
}

TRM_INLINE real fv_to_facet(TRM_IN(real) f, const real *at, const real least)
{
  real a[3], b[3], off[3], normal[3];
  for (int i = 0; i < 3; i++) {
    off[i] = at[i] - f[i];
    normal[i] = f[FV_FACET_NORMAL + i];
  }
  const real height = fv_dot(off, normal), plane = height * height / f[FV_FACET_SQUARE];
  if (plane > least * (R(1.0) + FV_TREE_SLACK)) return plane;
  for (int i = 0; i < 3; i++) {
    a[i] = f[3 + i] - f[i];
    b[i] = f[6 + i] - f[i];
  }
  const real aa = fv_dot(a, a), ab = fv_dot(a, b), bb = fv_dot(b, b), area = aa * bb - ab * ab;
  const real oa = fv_dot(off, a), ob = fv_dot(off, b);
  const real s = bb * oa - ab * ob, t = aa * ob - ab * oa;
  if (s >= R(0.0) && t >= R(0.0) && s + t <= area) return plane;
  return trm_min(fv_to_edge(f, 0, 1, at),
                 trm_min(fv_to_edge(f, 1, 2, at), fv_to_edge(f, 2, 0, at)));
}

TRM_INLINE real fv_to_node(TRM_IN(real) n, const real *at)
{
  real square = R(0.0);
  for (int a = 0; a < 3; a++) {
    const real off = trm_max(trm_max(n[a] - at[a], at[a] - n[3 + a]), R(0.0));
    square += off * off;
  }
  return square;
}

/* The nearest facet of those less far than the root of *square, which becomes the square of its
 * distance; -1: there is none. */
TRM_INLINE int fv_find_facet(const fv_tree *t, const real *at, real *square)
{
  int waits[FV_TREE_DEPTH], count = 1, facet = -1;
  real far[FV_TREE_DEPTH];
  waits[0] = 0;
  far[0] = fv_to_node(t->nodes, at);
  while (count > 0) {
    const int number = waits[--count];
    if (far[count] >= *square) continue;
    TRM_IN(real) n = t->nodes + FV_TREE_NODE * number;
    const int first = (int)n[FV_NODE_FIRST], all = (int)n[FV_NODE_COUNT];
    for (int i = first; i < first + all; i++) {
      const real own = fv_to_facet(t->facets + FV_TREE_FACET * i, at, *square);
      facet = own < *square ? i : facet;
      *square = own < *square ? own : *square;
    }
    if (all > 0) continue;
    const int second = (int)n[FV_NODE_SECOND];
    const real here = fv_to_node(n + FV_TREE_NODE, at);
    const real there = fv_to_node(t->nodes + FV_TREE_NODE * second, at);
    const int swaps = there < here;
    waits[count] = swaps ? number + 1 : second; /* the nearer one is opened first */
    far[count++] = swaps ? here : there;
    waits[count] = swaps ? second : number + 1;
    far[count++] = swaps ? there : here;
  }
  return facet;
}

/* ---- which side -------------------------------------------------------------------------- */

/* Whether the ray meets a triangle. */
TRM_INLINE int fv_meets(TRM_IN(real) v, const real *from, const real *by)
{
  real a[3], b[3], t[3], det = R(0.0), u = R(0.0), w = R(0.0), at = R(0.0);
  for (int i = 0; i < 3; i++) {
    a[i] = v[3 + i] - v[i];
    b[i] = v[6 + i] - v[i];
    t[i] = from[i] - v[i];
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const real p = by[j] * b[k] - by[k] * b[j], q = t[j] * a[k] - t[k] * a[j];
    det += a[i] * p;
    u += t[i] * p;
    w += by[i] * q;
    at += b[i] * q;
  }
  return det != R(0.0) && !(u / det < -R(1e-9)) && !(w / det < -R(1e-9)) &&
         !((u + w) / det > R(1.0) + R(1e-9)) && at / det > R(0.0);
}

TRM_INLINE int fv_may_meet(TRM_IN(real) n, const real *from, const real *by)
{
  real begin = R(0.0), end = FV_BEYOND_ALL;
  for (int a = 0; a < 3; a++) {
    const real one = (n[a] - from[a]) / by[a], other = (n[3 + a] - from[a]) / by[a];
    begin = trm_max(begin, trm_min(one, other));
    end = trm_min(end, trm_max(one, other));
  }
  return begin <= end * (R(1.0) + R(1e-12));
}

/* Whether the ray meets an odd number of facets. */
TRM_INLINE int fv_is_odd(const fv_tree *t, const real *from, const real *by)
{
  int waits[FV_TREE_DEPTH], count = 1, met = 0;
  waits[0] = 0;
  while (count > 0) {
    const int number = waits[--count];
    TRM_IN(real) n = t->nodes + FV_TREE_NODE * number;
    if (!fv_may_meet(n, from, by)) continue;
    const int first = (int)n[FV_NODE_FIRST], all = (int)n[FV_NODE_COUNT];
    for (int i = first; i < first + all; i++)
      met += fv_meets(t->facets + FV_TREE_FACET * i, from, by);
    if (all > 0) continue;
    waits[count++] = (int)n[FV_NODE_SECOND];
    waits[count++] = number + 1;
  }
  return met & 1;
}

/* Two of three rays decide. */
TRM_INLINE int fv_is_inside(const fv_tree *t, const real *at)
{
  const real rays[9] = { R(1.0), R(0.01371), R(0.02913), R(0.03119), -R(1.0), R(0.01733),
                         -R(0.02297), R(0.03571), R(1.0) };
  int odd = 0;
  for (int a = 0; a < 3; a++)
    if (at[a] < t->nodes[a] || at[a] > t->nodes[3 + a]) return 0;
  for (int i = 0; i < 3; i++)
    if (i < 2 || odd == 1) odd += fv_is_odd(t, at, rays + 3 * i);
  return odd == 2;
}

/* Of a place whose nearest facet is nearest with its inside: -1 within the surface, 1 outside; 0:
 * it is nearest with an edge or a corner, or the place is too near to say. */
TRM_INLINE int fv_side_by(TRM_IN(real) f, const real *at)
{
  const real square = f[FV_FACET_SQUARE];
  real off[3], normal[3], part[3];
  for (int a = 0; a < 3; a++) {
    off[a] = at[a] - f[a];
    normal[a] = f[FV_FACET_NORMAL + a];
  }
  const real height = fv_dot(off, normal);
  for (int k = 0; k < 2; k++) {
    part[k] = R(0.0);
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      part[k] += normal[a] * ((f[3 + 3 * k + b] - f[b]) * off[c] -
                              (f[3 + 3 * k + c] - f[c]) * off[b]) / square;
    }
  }
  part[1] = -part[1];
  part[2] = R(1.0) - part[0] - part[1];
  for (int k = 0; k < 3; k++)
    if (!(part[k] > R(1e-6))) return 0;
  if (!(height * height > R(1e-12) * square * trm_sqrt(square))) return 0;
  return (height > R(0.0)) == (f[FV_FACET_INWARDS] != R(0.0)) ? -1 : 1;
}

/* Positive outside of the body: within the surface of one that is hollow. here: as the body had it
 * where the case put it. last: how far a place was that lies no farther than `by` from this one;
 * by < 0: none is known. */
TRM_INLINE real fv_to_surface(TRM_IN(real) bodies, TRM_IN(real) b, const real *here,
                              const real last, const real by)
{
  const fv_tree t = fv_tree_of(bodies, b);
  const real most = trm_fabs(last) + by;
  const int is_hollow = b[FV_BODY_HOLLOW] != R(0.0);
  real square = by < R(0.0) ? FV_BEYOND_ALL : most * most * (R(1.0) + FV_TREE_SLACK);
  int facet = fv_find_facet(&t, here, &square);
  if (facet < 0) {
    square = FV_BEYOND_ALL;
    facet = fv_find_facet(&t, here, &square);
  }
  const real away = trm_sqrt(square);
  int side = fv_side_by(t.facets + FV_TREE_FACET * facet, here);
  if (side == 0 && by >= R(0.0) && by * (R(1.0) + FV_TREE_SLACK) < away + trm_fabs(last))
    side = (last < R(0.0)) == is_hollow ? 1 : -1; /* no wall lies between */
  if (side == 0) side = fv_is_inside(&t, here) ? -1 : 1;
  return (side < 0) == is_hollow ? away : -away;
}
