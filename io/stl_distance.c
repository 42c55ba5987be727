/* stl_distance.c - the distance of a point from a closed surface of triangles, and its side: a tree
 * of boxes about triangles; only boxes that may hold the nearest triangle are opened. Where a place
 * nearby was looked at before, few are, and its side holds here if no wall can lie between. */
#include "io/stl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

enum { FEW = 4 };              /* triangles of a box that is not parted */

/* Two squares of distances that differ by a larger part differ by more than rounding. */
static const double SLACK = 1e-6;

typedef struct node {
  double low[3], high[3];
  size_t first, count;         /* of `facets`; count 0: parted */
  size_t second;               /* number of its second part; the first follows it */
} node;

/* A triangle with its normal, whose length is twice its area, and the square of that. */
typedef struct facet {
  double v[9], normal[3], square;
  size_t triangle;             /* its number in the surface */
  int faces_in;                /* its normal points inwards */
} facet;

struct trm_stl_tree {
  const trm_stl *surface;
  size_t *order;               /* of triangles, as the nodes have them */
  facet *facets;               /* in that order */
  node *nodes;
  size_t node_count;
};

typedef struct place { double at; size_t triangle; } place;

static int compare_places(const void *a, const void *b)
{
  const place *s = a, *t = b;
  if (s->at != t->at) return s->at < t->at ? -1 : 1;
  return (s->triangle > t->triangle) - (s->triangle < t->triangle);
}

static int faces_in(const trm_stl_tree *tree, const facet *f);

static double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void list_facets(trm_stl_tree *tree)
{
  const size_t count = tree->surface->count;
  for (size_t i = 0; i < count; i++) {
    facet *f = &tree->facets[i];
    const double *v = memcpy(f->v, tree->surface->corners + 9 * tree->order[i], sizeof f->v);
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      f->normal[a] = (v[3 + b] - v[b]) * (v[6 + c] - v[c]) - (v[3 + c] - v[c]) * (v[6 + b] - v[b]);
    }
    f->square = dot(f->normal, f->normal);
    f->triangle = tree->order[i];
  }
  for (size_t i = 0; i < count; i++) tree->facets[i].faces_in = faces_in(tree, &tree->facets[i]);
}

static void build(trm_stl_tree *tree, place *places, size_t first, size_t count)
{
  const size_t number = tree->node_count++;
  node *n = &tree->nodes[number];
  int axis = 0;
  *n = (node){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY }, first, count,
               0 };
  for (size_t i = first; i < first + count; i++)
    for (int k = 0; k < 9; k++) {
      const double at = tree->surface->corners[9 * tree->order[i] + (size_t)k];
      n->low[k % 3] = fmin(n->low[k % 3], at);
      n->high[k % 3] = fmax(n->high[k % 3], at);
    }
  if (count <= FEW) return;
  for (int a = 1; a < 3; a++)
    if (n->high[a] - n->low[a] > n->high[axis] - n->low[axis]) axis = a;
  for (size_t i = first; i < first + count; i++) {
    const double *v = tree->surface->corners + 9 * tree->order[i] + axis;
    places[i] = (place){ v[0] + v[3] + v[6], tree->order[i] };
  }
  qsort(places + first, count, sizeof *places, compare_places);
  for (size_t i = first; i < first + count; i++) tree->order[i] = places[i].triangle;
  n->count = 0;
  build(tree, places, first, count / 2);
  tree->nodes[number].second = tree->node_count;
  build(tree, places, first + count / 2, count - count / 2);
}

trm_status trm_stl_tree_create(const trm_stl *surface, trm_stl_tree **out)
{
  const size_t count = surface->count;
  trm_stl_tree *tree = calloc(1, sizeof *tree);
  place *places = malloc(count * sizeof *places);
  if (tree) {
    tree->surface = surface;
    tree->order = malloc(count * sizeof *tree->order);
    tree->nodes = malloc(2 * count * sizeof *tree->nodes);
    tree->facets = malloc(count * sizeof *tree->facets);
  }
  if (!tree || !places || !tree->order || !tree->nodes || !tree->facets) {
    free(places);
    trm_stl_tree_destroy(&tree);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory to sort %zu triangles", count);
  }
  for (size_t i = 0; i < count; i++) tree->order[i] = i;
  build(tree, places, 0, count);
  list_facets(tree);
  free(places);
  *out = tree;
  return TRM_OK;
}

void trm_stl_tree_destroy(trm_stl_tree **tree)
{
  if (!*tree) return;
  free((*tree)->order);
  free((*tree)->nodes);
  free((*tree)->facets);
  free(*tree);
  *tree = NULL;
}

size_t trm_stl_tree_list(const trm_stl_tree *tree, double *to, size_t *count)
{
  const size_t nodes = tree->node_count, facets = tree->surface->count;
  *count = TRM_STL_NODE * nodes + TRM_STL_FACET * facets;
  for (size_t i = 0; i < nodes && to; i++, to += TRM_STL_NODE) {
    const node *n = &tree->nodes[i];
    memcpy(to, n->low, sizeof n->low);
    memcpy(to + 3, n->high, sizeof n->high);
    to[6] = (double)n->first;
    to[7] = (double)n->count;
    to[8] = (double)n->second;
  }
  for (size_t i = 0; i < facets && to; i++, to += TRM_STL_FACET) {
    const facet *f = &tree->facets[i];
    memcpy(to, f->v, sizeof f->v);
    memcpy(to + 9, f->normal, sizeof f->normal);
    to[12] = f->square;
    to[13] = f->faces_in;
  }
  return nodes;
}

/* ---- how far --------------------------------------------------------------------- */

static double less(double a, double b) { return a < b ? a : b; }
static double more(double a, double b) { return a > b ? a : b; }

static double to_edge(const double *p, const double *q, const double *at)
{
  double along[3], off[3], square = 0;
  for (int i = 0; i < 3; i++) {
    along[i] = q[i] - p[i];
    off[i] = at[i] - p[i];
  }
  const double t = less(more(dot(off, along) / dot(along, along), 0), 1);
  for (int i = 0; i < 3; i++) square += (off[i] - t * along[i]) * (off[i] - t * along[i]);
  return square;
}

/* The square of the distance: to the plane where its foot lies within, else to the nearest edge.
 * Where the plane is farther than `least` already, that it is. */
static double to_triangle(const facet *f, const double *at, double least)
{
  const double *v = f->v;
  double a[3], b[3], off[3];
  for (int i = 0; i < 3; i++) off[i] = at[i] - v[i];
  const double height = dot(off, f->normal), plane = height * height / f->square;
  if (plane > least * (1 + SLACK)) return plane;
  for (int i = 0; i < 3; i++) {
    a[i] = v[3 + i] - v[i];
    b[i] = v[6 + i] - v[i];
  }
  const double aa = dot(a, a), ab = dot(a, b), bb = dot(b, b), area = aa * bb - ab * ab;
  const double oa = dot(off, a), ob = dot(off, b);
  const double s = bb * oa - ab * ob, t = aa * ob - ab * oa;
  if (s >= 0 && t >= 0 && s + t <= area) return plane;
  return less(to_edge(v, v + 3, at), less(to_edge(v + 3, v + 6, at), to_edge(v + 6, v, at)));
}

static double to_box(const node *n, const double *at)
{
  double square = 0;
  for (int a = 0; a < 3; a++) {
    const double off = more(more(n->low[a] - at[a], at[a] - n->high[a]), 0);
    square += off * off;
  }
  return square;
}

typedef struct found { double square; size_t facet; } found;

/* box: the square of the distance from the node's box. */
static void look_near(const trm_stl_tree *tree, size_t number, double box, const double *at,
                      found *so_far)
{
  const node *n = &tree->nodes[number];
  if (box >= so_far->square) return;
  for (size_t i = n->first; i < n->first + n->count; i++) {
    const double square = to_triangle(&tree->facets[i], at, so_far->square);
    if (square < so_far->square) *so_far = (found){ square, i };
  }
  if (n->count) return;
  const double first = to_box(n + 1, at), second = to_box(&tree->nodes[n->second], at);
  const int swaps = second < first;
  look_near(tree, swaps ? n->second : number + 1, swaps ? second : first, at, so_far);
  look_near(tree, swaps ? number + 1 : n->second, swaps ? first : second, at, so_far);
}

/* ---- which side ------------------------------------------------------------------- */

double trm_stl_meet(const double *v, const double from[3], const double by[3])
{
  double a[3], b[3], p[3], q[3], t[3], det = 0, u = 0, w = 0, at = 0;
  for (int i = 0; i < 3; i++) {
    a[i] = v[3 + i] - v[i];
    b[i] = v[6 + i] - v[i];
    t[i] = from[i] - v[i];
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    p[i] = by[j] * b[k] - by[k] * b[j];
    q[i] = t[j] * a[k] - t[k] * a[j];
  }
  for (int i = 0; i < 3; i++) {
    det += a[i] * p[i];
    u += t[i] * p[i];
    w += by[i] * q[i];
    at += b[i] * q[i];
  }
  static const double slack = 1e-9; /* an edge belongs to both its triangles */
  if (det == 0.0 || u / det < -slack || w / det < -slack || (u + w) / det > 1 + slack)
    return INFINITY;
  return at / det;
}

static int may_meet(const node *n, const double *from, const double *by)
{
  double begin = 0, end = INFINITY;
  for (int a = 0; a < 3; a++) {
    if (by[a] == 0) {
      if (from[a] < n->low[a] || from[a] > n->high[a]) return 0;
      continue;
    }
    const double one = (n->low[a] - from[a]) / by[a], other = (n->high[a] - from[a]) / by[a];
    begin = fmax(begin, fmin(one, other));
    end = fmin(end, fmax(one, other));
  }
  return begin <= end * (1 + 1e-12);
}

/* How often the ray leaves or enters, through other triangles than `own`; the nearest triangle that
 * it meets. */
static size_t cast(const trm_stl_tree *tree, size_t number, size_t own, const double *from,
                   const double *by, double *least, size_t *triangle)
{
  const node *n = &tree->nodes[number];
  size_t count = 0;
  if (!may_meet(n, from, by)) return 0;
  for (size_t i = n->first; i < n->first + n->count; i++) {
    const double at = trm_stl_meet(tree->facets[i].v, from, by);
    if (!(at > 0 && at < INFINITY) || tree->facets[i].triangle == own) continue;
    count++;
    if (at >= *least) continue;
    *least = at;
    *triangle = tree->facets[i].triangle;
  }
  if (n->count) return count;
  return cast(tree, number + 1, own, from, by, least, triangle) +
         cast(tree, n->second, own, from, by, least, triangle);
}

size_t trm_stl_cast(const trm_stl_tree *tree, const double from[3], const double by[3],
                    double *nearest, size_t *triangle)
{
  *nearest = INFINITY;
  *triangle = 0;
  return cast(tree, 0, tree->surface->count, from, by, nearest, triangle);
}

/* Rays that are along no axis, so that hardly one meets an edge; two of three decide. */
static const double rays[3][3] = { { 1, 0.01371, 0.02913 }, { 0.03119, -1, 0.01733 },
                                   { -0.02297, 0.03571, 1 } };

static int is_inside(const trm_stl_tree *tree, const double at[3])
{
  double nearest;
  size_t triangle, odd = 0;
  for (int a = 0; a < 3; a++)
    if (at[a] < tree->nodes[0].low[a] || at[a] > tree->nodes[0].high[a]) return 0;
  for (int i = 0; i < 2; i++) odd += trm_stl_cast(tree, at, rays[i], &nearest, &triangle) & 1;
  if (odd == 1) odd += trm_stl_cast(tree, at, rays[2], &nearest, &triangle) & 1;
  return odd == 2;
}

/* Whether a triangle's normal points into what the surface encloses: how often rays from its middle
 * meet others says so of the side that they leave to. */
static int faces_in(const trm_stl_tree *tree, const facet *f)
{
  const double *v = f->v;
  double middle[3], nearest;
  size_t met;
  int in = 0;
  for (int a = 0; a < 3; a++) middle[a] = (v[a] + v[3 + a] + v[6 + a]) / 3;
  for (int i = 0; i < 3; i++) {
    nearest = INFINITY;
    const int odd = cast(tree, 0, f->triangle, middle, rays[i], &nearest, &met) & 1;
    in += odd == (dot(rays[i], f->normal) > 0);
  }
  return in >= 2;
}

/* Of a place whose nearest triangle is nearest with its inside: -1 in the surface, 1 outside; 0: it
 * is nearest with an edge or a corner, or the place is too near to say. */
static int side_by(const trm_stl_tree *tree, const double at[3], found nearest)
{
  static const double within = 1e-6;
  const facet *f = &tree->facets[nearest.facet];
  const double *v = f->v, *normal = f->normal, square = f->square;
  double off[3], part[3];
  for (int a = 0; a < 3; a++) off[a] = at[a] - v[a];
  const double height = dot(off, normal);
  for (int k = 0; k < 2; k++) { /* how far from the edges at its first corner, by area */
    const double *u = v + 3 + 3 * k;
    part[k] = 0;
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      part[k] += normal[a] * ((u[b] - v[b]) * off[c] - (u[c] - v[c]) * off[b]) / square;
    }
  }
  part[1] = -part[1];
  part[2] = 1 - part[0] - part[1];
  for (int k = 0; k < 3; k++)
    if (!(part[k] > within)) return 0;
  if (!(height * height > 1e-12 * square * sqrt(square))) return 0;
  return (height > 0) == f->faces_in ? -1 : 1;
}

/* The triangle that was nearest to a place nearby is not much farther than the nearest one: what is
 * farther than that, and by more than rounding, cannot change the result. */
static found begin_by(const trm_stl_tree *tree, const double at[3], const trm_stl_look *look)
{
  const node *all = &tree->nodes[0];
  double extent = 0;
  if (!look->is_any) return (found){ INFINITY, 0 };
  for (int a = 0; a < 3; a++) extent = more(extent, all->high[a] - all->low[a]);
  const double square = to_triangle(&tree->facets[look->facet], at, INFINITY);
  return (found){ square * (1 + SLACK) + 1e-24 * extent * extent, look->facet };
}

/* Two places have a wall between them only if they are as far apart as from walls. */
static int is_inside_by(const trm_stl_tree *tree, const double at[3], found nearest,
                        const trm_stl_look *look)
{
  const double distance = sqrt(nearest.square);
  const int side = side_by(tree, at, nearest);
  double square = 0;
  if (side) return side < 0;
  for (int a = 0; a < 3; a++) square += (at[a] - look->at[a]) * (at[a] - look->at[a]);
  if (look->is_any && sqrt(square) * (1 + SLACK) < distance + fabs(look->distance))
    return look->distance < 0;
  return is_inside(tree, at);
}

double trm_stl_distance(const trm_stl_tree *tree, const double at[3], trm_stl_look *look)
{
  trm_stl_look none = { .is_any = 0 };
  trm_stl_look *by = look ? look : &none;
  found least = begin_by(tree, at, by);
  look_near(tree, 0, to_box(tree->nodes, at), at, &least);
  const double here = is_inside_by(tree, at, least, by) ? -sqrt(least.square) : sqrt(least.square);
  *by = (trm_stl_look){ { at[0], at[1], at[2] }, here, least.facet, 1 };
  return here;
}
