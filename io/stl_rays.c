/* stl_rays.c - rays through a surface's tree: the triangles that one meets. Their number says which
 * side of the surface a place is on, or a triangle's normal. */
#include "io/stl.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "io/file.h"
#include "io/stl_corners.h"
#include "io/stl_tree.h"

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

/* How many times `by` away the ray comes into the node; INFINITY: not at all, or beyond `end`. */
static double enter(const trm_stl_tree *tree, const node *n, const double *from, const double *by,
                    double end)
{
  static const double slack = 1 + 1e-9;
  double begin = 0, leave = INFINITY;
  for (int a = 0; a < 3; a++) {
    if (by[a] == 0) {
      if (from[a] < n->low[a] || from[a] > n->high[a]) return INFINITY;
      continue;
    }
    const double one = (n->low[a] - from[a]) / by[a], other = (n->high[a] - from[a]) / by[a];
    begin = trmi_more(begin, trmi_less(one, other));
    leave = trmi_less(leave, trmi_more(one, other));
  }
  if (!(begin <= leave * (1 + 1e-12)) || begin > end * slack) return INFINITY;
  if (n->slant && !trmi_slant_meets(&tree->slants[n->slant - 1], from, by, end * slack))
    return INFINITY;
  return begin;
}

/* How often the ray leaves or enters, through other triangles than `own`. */
static size_t count_met(const trm_stl_tree *tree, size_t number, size_t own, const double *from,
                        const double *by)
{
  const node *n = &tree->nodes[number];
  size_t count = 0;
  if (enter(tree, n, from, by, INFINITY) == INFINITY) return 0;
  for (size_t i = n->first; i < n->first + n->count; i++) {
    const double at = trm_stl_meet(tree->facets[i].v, from, by);
    count += at > 0 && at < INFINITY && tree->facets[i].triangle != own;
  }
  if (n->count) return count;
  return count_met(tree, number + 1, own, from, by) + count_met(tree, n->second, own, from, by);
}

typedef struct met { double at; size_t facet; } met;

/* If several facets are met at one place, the first counts. */
static void find_first(const trm_stl_tree *tree, size_t number, double begin, const double *from,
                       const double *by, met *so_far)
{
  const node *n = &tree->nodes[number];
  if (begin == INFINITY || begin > so_far->at * (1 + 1e-9)) return;
  for (size_t i = n->first; i < n->first + n->count; i++) {
    const double at = trm_stl_meet(tree->facets[i].v, from, by);
    if (at > 0 && (at < so_far->at || (at == so_far->at && i < so_far->facet)))
      *so_far = (met){ at, i };
  }
  if (n->count) return;
  const double first = enter(tree, n + 1, from, by, so_far->at);
  const double second = enter(tree, &tree->nodes[n->second], from, by, so_far->at);
  const int swaps = second < first;
  find_first(tree, swaps ? n->second : number + 1, swaps ? second : first, from, by, so_far);
  find_first(tree, swaps ? number + 1 : n->second, swaps ? first : second, from, by, so_far);
}

double trm_stl_first(const trm_stl_tree *tree, const double from[3], const double by[3],
                     double most, size_t *triangle)
{
  met first = { most, 0 };
  find_first(tree, 0, enter(tree, tree->nodes, from, by, most), from, by, &first);
  if (!(first.at < most)) return INFINITY;
  *triangle = tree->facets[first.facet].triangle;
  return first.at;
}

/* ---- which side ------------------------------------------------------------------- */

/* Rays that are along no axis, so that hardly one meets an edge; two of three decide. */
static const double rays[3][3] = { { 1, 0.01371, 0.02913 }, { 0.03119, -1, 0.01733 },
                                   { -0.02297, 0.03571, 1 } };

int trmi_stl_is_inside(const trm_stl_tree *tree, const double at[3])
{
  const size_t none = tree->surface->count;
  size_t odd = 0;
  for (int a = 0; a < 3; a++)
    if (at[a] < tree->nodes[0].low[a] || at[a] > tree->nodes[0].high[a]) return 0;
  for (int i = 0; i < 2; i++) odd += count_met(tree, 0, none, at, rays[i]) & 1;
  if (odd == 1) odd += count_met(tree, 0, none, at, rays[2]) & 1;
  return odd == 2;
}

/* How many of three rays from a triangle's middle say that its normal points into the enclosed
 * volume. How often a ray meets others says so of the side that it leaves to. */
static int count_in(const trm_stl_tree *tree, const facet *f)
{
  const double *v = f->v;
  double middle[3];
  int in = 0;
  for (int a = 0; a < 3; a++) middle[a] = (v[a] + v[3 + a] + v[6 + a]) / 3;
  for (int i = 0; i < 3; i++) {
    const int is_odd = count_met(tree, 0, f->triangle, middle, rays[i]) & 1;
    in += is_odd == (trmi_dot(rays[i], f->normal) > 0);
  }
  return in;
}

/* For triangles that edges join: the number of rays cast, and the number that found "in". */
typedef struct vote { uint8_t asked, in, is_sure; } vote;

/* One triangle of a part answers for all, or, where its rays differ, some more of them. */
trm_status trmi_stl_find_sides(trm_stl_tree *tree)
{
  enum { MOST = 48 };
  const size_t count = tree->surface->count;
  uint32_t *part = malloc(count * sizeof *part);
  vote *votes = calloc(count, sizeof *votes);
  const int is_joined = part && votes && trmi_stl_join(tree->surface, part);
  for (size_t i = 0; i < count && is_joined; i++) {
    const facet *f = &tree->facets[i];
    vote *all = &votes[part[f->triangle]];
    if (all->is_sure || all->asked == MOST) continue;
    const int in = count_in(tree, f);
    all->is_sure = in == 0 || in == 3;
    *all = all->is_sure ? (vote){ 3, (uint8_t)in, 1 }
                        : (vote){ (uint8_t)(all->asked + 3), (uint8_t)(all->in + in), 0 };
  }
  for (size_t i = 0; i < count && is_joined; i++) {
    const vote *all = &votes[part[tree->facets[i].triangle]];
    tree->facets[i].faces_in = 2 * all->in > all->asked;
  }
  free(part);
  free(votes);
  return is_joined ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for the sides of %zu triangles; "
                                       "take fewer", count);
}
