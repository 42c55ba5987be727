/* stl_distance.c - the distance of a point from a closed surface of triangles, and its side. A tree
 * of boxes holds the triangles; only boxes that may hold the nearest triangle are opened. After a
 * search nearby, few boxes are opened, and the earlier side holds here if no wall can lie
 * between. */
#include "io/stl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/stl_tree.h"

/* Triangles of a box that is not parted; of one whose triangles may be long beside it. */
enum { FEW = 4, MANY = 16 };

/* Two squares of distances that differ by a larger part differ by more than rounding. */
static const double SLACK = 1e-6;

typedef struct place { double at; size_t triangle; } place;

static int compare_places(const void *a, const void *b)
{
  const place *s = a, *t = b;
  if (s->at != t->at) return s->at < t->at ? -1 : 1;
  return (s->triangle > t->triangle) - (s->triangle < t->triangle);
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
    f->square = trmi_dot(f->normal, f->normal);
    f->triangle = tree->order[i];
  }
}

/* Three times the middle of a triangle, as the nodes have them. */
static double middle_of(const trm_stl_tree *tree, size_t i, int axis)
{
  const double *v = tree->surface->corners + 9 * tree->order[i] + axis;
  return v[0] + v[3] + v[6];
}

/* The axis along which the node is longest. Where long triangles lie side by side, their middles
 * are closer together than half of that: then the axis along which these lie farthest apart. */
static int axis_of(const trm_stl_tree *tree, const node *n, size_t first, size_t count)
{
  double apart[3];
  int longest = 0, farthest = 0;
  for (int a = 0; a < 3; a++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = first; i < first + count && count >= MANY; i++) {
      low = trmi_less(low, middle_of(tree, i, a));
      high = trmi_more(high, middle_of(tree, i, a));
    }
    apart[a] = (high - low) / 3;
    if (n->high[a] - n->low[a] > n->high[longest] - n->low[longest]) longest = a;
    if (apart[a] > apart[farthest]) farthest = a;
  }
  return apart[longest] < 0.5 * (n->high[longest] - n->low[longest]) && count >= MANY ? farthest
                                                                                      : longest;
}

static void build(trm_stl_tree *tree, place *places, size_t first, size_t count)
{
  const size_t number = tree->node_count++;
  node *n = &tree->nodes[number];
  *n = (node){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY }, first, count,
               0, 0 };
  for (size_t i = first; i < first + count; i++)
    for (int k = 0; k < 9; k++) {
      const double at = tree->surface->corners[9 * tree->order[i] + (size_t)k];
      n->low[k % 3] = trmi_less(n->low[k % 3], at);
      n->high[k % 3] = trmi_more(n->high[k % 3], at);
    }
  if (count <= FEW) return;
  const int axis = axis_of(tree, n, first, count);
  for (size_t i = first; i < first + count; i++)
    places[i] = (place){ middle_of(tree, i, axis), tree->order[i] };
  qsort(places + first, count, sizeof *places, compare_places);
  for (size_t i = first; i < first + count; i++) tree->order[i] = places[i].triangle;
  n->count = 0;
  build(tree, places, first, count / 2);
  tree->nodes[number].second = tree->node_count;
  build(tree, places, first + count / 2, count - count / 2);
}

/* Boxes aslant, about the nodes to which one is worth a look. */
static void add_slants(trm_stl_tree *tree, size_t number, size_t first, size_t count, double far)
{
  node *n = &tree->nodes[number];
  const facet *f = &tree->facets[first];
  if (trmi_slant_about(f->v, f->normal, sizeof *f / sizeof(double), count, n->low, n->high, far,
                       &tree->slants[tree->slant_count]))
    n->slant = ++tree->slant_count;
  tree->is_long |= n->slant && count >= MANY;
  if (n->count) return;
  add_slants(tree, number + 1, first, count / 2, far);
  add_slants(tree, n->second, first + count / 2, count - count / 2, far);
}

static double largest_of(const node *all)
{
  double far = 0;
  for (int a = 0; a < 3; a++) far = trmi_more(far, trmi_more(-all->low[a], all->high[a]));
  return far;
}

static trm_status describe(trm_stl_tree *tree)
{
  list_facets(tree);
  tree->slants = malloc(tree->node_count * sizeof *tree->slants);
  if (!tree->slants)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory to sort %zu triangles", tree->surface->count);
  add_slants(tree, 0, 0, tree->surface->count, largest_of(tree->nodes));
  trmi_slant *less = realloc(tree->slants, (tree->slant_count + 1) * sizeof *less);
  if (less) tree->slants = less;
  return trmi_stl_find_sides(tree);
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
  free(places);
  const trm_status status = describe(tree);
  if (status != TRM_OK) trm_stl_tree_destroy(&tree);
  *out = tree;
  return status;
}

void trm_stl_tree_destroy(trm_stl_tree **tree)
{
  if (!*tree) return;
  free((*tree)->order);
  free((*tree)->nodes);
  free((*tree)->facets);
  free((*tree)->slants);
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

static double to_edge(const double *p, const double *q, const double *at)
{
  double along[3], off[3], square = 0;
  for (int i = 0; i < 3; i++) {
    along[i] = q[i] - p[i];
    off[i] = at[i] - p[i];
  }
  const double t = trmi_less(trmi_more(trmi_dot(off, along) / trmi_dot(along, along), 0), 1);
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
  const double height = trmi_dot(off, f->normal), plane = height * height / f->square;
  if (plane > least * (1 + SLACK)) return plane;
  for (int i = 0; i < 3; i++) {
    a[i] = v[3 + i] - v[i];
    b[i] = v[6 + i] - v[i];
  }
  const double aa = trmi_dot(a, a), ab = trmi_dot(a, b), bb = trmi_dot(b, b);
  const double area = aa * bb - ab * ab;
  const double oa = trmi_dot(off, a), ob = trmi_dot(off, b);
  const double s = bb * oa - ab * ob, t = aa * ob - ab * oa;
  if (s >= 0 && t >= 0 && s + t <= area) return plane;
  return trmi_less(to_edge(v, v + 3, at),
                   trmi_less(to_edge(v + 3, v + 6, at), to_edge(v + 6, v, at)));
}

static double to_box(const node *n, const double *at)
{
  double square = 0;
  for (int a = 0; a < 3; a++) {
    const double off = trmi_more(trmi_more(n->low[a] - at[a], at[a] - n->high[a]), 0);
    square += off * off;
  }
  return square;
}

typedef struct found { double square; size_t facet; } found;

/* Not more than the square of the distance from any of the node's triangles. */
typedef double (*bound_of)(const trm_stl_tree *tree, const node *n, const double *at);

static double by_box(const trm_stl_tree *tree, const node *n, const double *at)
{
  (void)tree;
  return to_box(n, at);
}

static double by_both(const trm_stl_tree *tree, const node *n, const double *at)
{
  const double square = to_box(n, at);
  return n->slant ? trmi_more(square, trmi_slant_square(&tree->slants[n->slant - 1], at)) : square;
}

/* bound: of the node. Boxes aslant leave out what changes nothing, so that kernels, which have
 * none, find the same bits. */
static void search_near(const trm_stl_tree *tree, size_t number, double bound, bound_of of,
                        const double *at, found *so_far)
{
  const node *n = &tree->nodes[number];
  if (bound >= so_far->square) return;
  if (n->slant && trmi_slant_square(&tree->slants[n->slant - 1], at) >= so_far->square) return;
  for (size_t i = n->first; i < n->first + n->count; i++) {
    const double square = to_triangle(&tree->facets[i], at, so_far->square);
    if (square < so_far->square) *so_far = (found){ square, i };
  }
  if (n->count) return;
  const double first = of(tree, n + 1, at), second = of(tree, &tree->nodes[n->second], at);
  const int swaps = second < first;
  search_near(tree, swaps ? n->second : number + 1, swaps ? second : first, of, at, so_far);
  search_near(tree, swaps ? number + 1 : n->second, swaps ? first : second, of, at, so_far);
}

/* ---- which side ------------------------------------------------------------------- */

/* For a place that is nearest to the inside of its nearest triangle: -1 in the surface, 1 outside.
 * 0: it is nearest to an edge or a corner, or too near to decide. */
static int side_by(const trm_stl_tree *tree, const double at[3], found nearest)
{
  static const double within = 1e-6;
  const facet *f = &tree->facets[nearest.facet];
  const double *v = f->v, *normal = f->normal, square = f->square;
  double off[3], part[3];
  for (int a = 0; a < 3; a++) off[a] = at[a] - v[a];
  const double height = trmi_dot(off, normal);
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

/* The triangle that was nearest to a place nearby, or that oblique boxes find first, is not much
 * farther than the nearest triangle. A triangle that is farther, by more than rounding, cannot
 * change the result. */
static found begin_by(const trm_stl_tree *tree, const double at[3], const trm_stl_cursor *cursor)
{
  const node *all = &tree->nodes[0];
  double extent = 0;
  found begin = { INFINITY, 0 };
  if (cursor->is_any)
    begin = (found){ to_triangle(&tree->facets[cursor->facet], at, INFINITY), cursor->facet };
  else if (tree->is_long) search_near(tree, 0, 0, by_both, at, &begin);
  for (int a = 0; a < 3; a++) extent = trmi_more(extent, all->high[a] - all->low[a]);
  begin.square = begin.square * (1 + SLACK) + 1e-24 * extent * extent;
  return begin;
}

/* Two places have a wall between them only if they are as far apart as from walls. */
static int is_inside_by(const trm_stl_tree *tree, const double at[3], found nearest,
                        const trm_stl_cursor *cursor)
{
  const double distance = sqrt(nearest.square);
  const int side = side_by(tree, at, nearest);
  double square = 0;
  if (side) return side < 0;
  for (int a = 0; a < 3; a++) square += (at[a] - cursor->at[a]) * (at[a] - cursor->at[a]);
  if (cursor->is_any && sqrt(square) * (1 + SLACK) < distance + fabs(cursor->distance))
    return cursor->distance < 0;
  return trmi_stl_is_inside(tree, at);
}

double trm_stl_distance(const trm_stl_tree *tree, const double at[3], trm_stl_cursor *cursor)
{
  trm_stl_cursor none = { .is_any = 0 };
  trm_stl_cursor *by = cursor ? cursor : &none;
  found least = begin_by(tree, at, by);
  search_near(tree, 0, to_box(tree->nodes, at), by_box, at, &least);
  const double here = is_inside_by(tree, at, least, by) ? -sqrt(least.square) : sqrt(least.square);
  *by = (trm_stl_cursor){ { at[0], at[1], at[2] }, here, least.facet, 1 };
  return here;
}
