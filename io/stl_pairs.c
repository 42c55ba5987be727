/* stl_pairs.c - which triangles of a surface may cut each other.
 *
 * A tree of boxes halves the triangles by their middles, along the axis on which these lie
 * farthest apart; it is compared with itself. Boxes do not part the triangles of a fan, which meet
 * in one corner, nor long ones aslant. So where the boxes of two groups meet, a plane is sought
 * that has one group on either side. On the plane there may be only corners that both groups have.
 * The vector nearest to zero among differences of the groups' corners is its normal (Gilbert,
 * Johnson and Keerthi 1988), within the part of space orthogonal to the common corners' point, line
 * or plane. */
#include "io/stl_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"
#include "io/stl_corners.h"

/* Triangles of a node that is not parted; looks for a plane; triangles whose memory is asked for,
 * which takes longer than to look at fewer. */
enum { FEW = 4, PASSES = 16, MANY = 10000 };
/* Fractions of the extent: FLAT: corners closer to a plane lie in it (single precision); CLOSE:
 * points farther apart differ. */
static const double FLAT = 3e-7, CLOSE = 1e-12;
static const double SHARP = 1e-9;  /* of a length: the sine of an angle that is one */

typedef struct box { double low[3], high[3]; } box;

typedef struct node {
  box about;
  size_t first, count;         /* of `order` */
  size_t second;               /* number of its second part, the first follows it; 0: not parted */
} node;

typedef struct middle { double at[3]; size_t triangle; } middle;

typedef struct search {
  const trm_stl *surface;
  int (*is_wrong)(const double *v, const double *w, double depth);
  double depth, extent;
  middle *order;
  box *boxes;                  /* in that order */
  node *nodes;
  size_t node_count;
  uint32_t *corner;            /* of triangles' corners: a number by its place; NULL: none yet */
  uint32_t *mark, marks;       /* by that number: which comparison saw it, and where */
  double *vectors;             /* of a comparison */
  int is_found, has_no_memory;
  size_t pair[2];
} search;

/* ---- the tree -------------------------------------------------------------------- */

static box box_of(const double *v)
{
  box out;
  for (int a = 0; a < 3; a++) {
    out.low[a] = fmin(v[a], fmin(v[3 + a], v[6 + a]));
    out.high[a] = fmax(v[a], fmax(v[3 + a], v[6 + a]));
  }
  return out;
}

static void unite(box *to, const box *from)
{
  for (int i = 0; i < 3; i++) {
    to->low[i] = fmin(to->low[i], from->low[i]);
    to->high[i] = fmax(to->high[i], from->high[i]);
  }
}

static int is_before(const middle *a, const middle *b, int axis)
{
  return a->at[axis] < b->at[axis] || (a->at[axis] == b->at[axis] && a->triangle < b->triangle);
}

/* Puts the lesser half of `count` in front. */
static void halve(middle *list, size_t count, int axis)
{
  size_t low = 0, high = count;           /* the half's end lies between these */
  while (high - low > 1) {
    const middle a = list[low], b = list[low + (high - low) / 2], c = list[high - 1];
    const middle pivot = is_before(&a, &b, axis)
      ? (is_before(&b, &c, axis) ? b : is_before(&a, &c, axis) ? c : a)
      : (is_before(&a, &c, axis) ? a : is_before(&b, &c, axis) ? c : b);
    size_t i = low, j = high - 1;
    for (;;) {
      while (is_before(&list[i], &pivot, axis)) i++;
      while (is_before(&pivot, &list[j], axis)) j--;
      if (i >= j) break;
      const middle kept = list[i];
      list[i++] = list[j];
      list[j--] = kept;
    }
    if (count / 2 <= i && count / 2 > low) high = i;
    else if (count / 2 > i) low = i;
    else break;
  }
}

static int longest_axis(const middle *list, size_t count)
{
  double longest = -1;
  int axis = 0;
  for (int a = 0; a < 3; a++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
      low = fmin(low, list[i].at[a]);
      high = fmax(high, list[i].at[a]);
    }
    if (high - low > longest) {
      longest = high - low;
      axis = a;
    }
  }
  return axis;
}

static void build(search *s, size_t first, size_t count)
{
  const size_t number = s->node_count++;
  node *n = &s->nodes[number];
  *n = (node){ .first = first, .count = count };
  if (count <= FEW) {
    for (size_t i = first; i < first + count; i++) {
      s->boxes[i] = box_of(s->surface->corners + 9 * s->order[i].triangle);
      if (i == first) n->about = s->boxes[i];
      else unite(&n->about, &s->boxes[i]);
    }
    return;
  }
  halve(s->order + first, count, longest_axis(s->order + first, count));
  build(s, first, count / 2);
  n->second = s->node_count;
  build(s, first + count / 2, count - count / 2);
  n->about = s->nodes[number + 1].about;
  unite(&n->about, &s->nodes[n->second].about);
}

static void list_middles(search *s)
{
  for (size_t i = 0; i < s->surface->count; i++) {
    const double *v = s->surface->corners + 9 * i;
    s->order[i].triangle = i;
    for (int a = 0; a < 3; a++) s->order[i].at[a] = (v[a] + v[3 + a] + v[6 + a]) / 3;
  }
}

/* ---- corners by number ------------------------------------------------------------- */

/* Also numbers the corners, for comparisons. */
static int number_corners(search *s)
{
  const size_t count = 3 * s->surface->count;
  s->corner = malloc(count * sizeof *s->corner);
  s->mark = calloc(count, sizeof *s->mark);
  s->vectors = malloc(3 * count * sizeof *s->vectors);
  s->has_no_memory = !s->corner || !s->mark || !s->vectors ||
                     !trmi_stl_number_corners(s->surface, s->corner);
  return !s->has_no_memory;
}

/* ---- groups with a plane between them ------------------------------------------------ */

/* The common corners of two groups: a point, and directions from it that span the rest. */
typedef struct common { const double *point; int count; double along[3][3]; } common;

static double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The part of the way from the common point that no common direction has; its length. */
static double part_of(const common *in, const double *at, double out[3])
{
  for (int a = 0; a < 3; a++) out[a] = at[a] - in->point[a];
  for (int i = 0; i < in->count; i++) {
    const double along = dot(out, in->along[i]);
    for (int a = 0; a < 3; a++) out[a] -= along * in->along[i][a];
  }
  return sqrt(dot(out, out));
}

/* 0: the common corners are in no plane. */
static int add_common(const search *s, const double *at, common *to)
{
  double part[3];
  if (!to->point) {
    to->point = at;
    return 1;
  }
  const double length = part_of(to, at, part);
  if (length <= FLAT * s->extent) return 1;
  if (to->count == 2) return 0;
  for (int a = 0; a < 3; a++) to->along[to->count][a] = part[a] / length;
  to->count++;
  return 1;
}

/* Marks the corners of a, then what b has of them; 0: no plane can hold these. */
static int find_common(search *s, const node *a, const node *b, common *out)
{
  if (s->marks > UINT32_MAX - 4) {
    memset(s->mark, 0, 3 * s->surface->count * sizeof *s->mark);
    s->marks = 0;
  }
  s->marks += 4; /* that: of a; + 1: of both; + 2: of b; + 3: of one and taken */
  for (size_t i = a->first; i < a->first + a->count; i++)
    for (size_t k = 0; k < 3; k++) s->mark[s->corner[3 * s->order[i].triangle + k]] = s->marks;
  for (size_t i = b->first; i < b->first + b->count; i++)
    for (size_t k = 0; k < 3; k++) {
      const uint32_t number = s->corner[3 * s->order[i].triangle + k];
      if (s->mark[number] == s->marks + 1 || s->mark[number] == s->marks + 2) continue;
      const int is_common = s->mark[number] == s->marks;
      s->mark[number] = s->marks + (is_common ? 1 : 2);
      if (is_common && !add_common(s, s->surface->corners + 3 * (size_t)number, out)) return 0;
    }
  return 1;
}

/* Puts the group's corners that are not common behind `count` vectors; SIZE_MAX: one lies where no
 * plane has it on one side. */
static size_t take_vectors(search *s, const node *group, const common *in, int sign, size_t count)
{
  const uint32_t taken = s->marks + 3;
  for (size_t i = group->first; i < group->first + group->count; i++)
    for (size_t k = 0; k < 3; k++) {
      const uint32_t number = s->corner[3 * s->order[i].triangle + k];
      double *to = s->vectors + 3 * count;
      if (s->mark[number] == s->marks + 1 || s->mark[number] == taken) continue;
      s->mark[number] = taken;
      const double *at = s->surface->corners + 3 * (size_t)number;
      double scale = 1;
      if (in->point) {
        const double length = part_of(in, at, to);
        if (length <= SHARP * s->extent) return SIZE_MAX;
        scale = sign / length;
      } else for (int a = 0; a < 3; a++) to[a] = at[a] - s->surface->low[a];
      for (int a = 0; a < 3; a++) to[a] *= scale;
      count++;
    }
  return count;
}

static const double *least_along(const double *vectors, size_t count, const double n[3], int sign)
{
  double least = INFINITY;
  const double *out = vectors;
  for (size_t i = 0; i < count; i++) {
    const double along = sign * dot(vectors + 3 * i, n);
    if (along >= least) continue;
    least = along;
    out = vectors + 3 * i;
  }
  return out;
}

static void mean_of(const double *vectors, size_t count, double out[3])
{
  out[0] = out[1] = out[2] = 0;
  for (size_t i = 0; i < count; i++)
    for (int a = 0; a < 3; a++) out[a] += vectors[3 * i + (size_t)a] / (double)count;
}

/* The point nearest to zero of a triangle, or of the edge or corner that `count` corners make, as
 * weights of the corners. Returns the square of its distance. */
static double nearest_of(const double *const corner[3], int count, double weight[3])
{
  double side[2][3], least = INFINITY;
  weight[0] = 1;
  weight[1] = weight[2] = 0;
  if (count == 1) return dot(corner[0], corner[0]);
  for (int a = 0; a < 3; a++) {
    side[0][a] = corner[1][a] - corner[0][a];
    side[1][a] = count > 2 ? corner[2][a] - corner[0][a] : 0;
  }
  const double aa = dot(side[0], side[0]), ab = dot(side[0], side[1]), bb = dot(side[1], side[1]);
  const double ca = -dot(corner[0], side[0]), cb = -dot(corner[0], side[1]);
  if (count == 2) {
    weight[1] = aa > 0 ? fmax(0, fmin(1, ca / aa)) : 0;
    weight[0] = 1 - weight[1];
  } else {
    const double all = aa * bb - ab * ab, u = ca * bb - cb * ab, v = cb * aa - ca * ab;
    if (u > 0 && v > 0 && u + v < all) {
      weight[1] = u / all;
      weight[2] = v / all;
      weight[0] = 1 - weight[1] - weight[2];
    } else for (int i = 0; i < 3; i++) {
      const double *const two[3] = { corner[i], corner[(i + 1) % 3] };
      double own[3];
      const double square = nearest_of(two, 2, own);
      if (square >= least) continue;
      least = square;
      weight[i] = own[0];
      weight[(i + 1) % 3] = own[1];
      weight[(i + 2) % 3] = 0;
    }
  }
  double at[3];
  for (int a = 0; a < 3; a++)
    at[a] = weight[0] * corner[0][a] + weight[1] * corner[1][a] +
            (count > 2 ? weight[2] * corner[2][a] : 0);
  return dot(at, at);
}

/* Among up to four places, keeps the three or fewer whose triangle comes nearest to zero, and that
 * triangle's nearest point. */
static int draw_near(double places[4][3], int count, double out[3])
{
  double least = INFINITY, best[3] = { 0 }, kept[3][3];
  int who[3] = { 0 }, left = 0;
  for (int without = count == 4 ? 0 : 3; without < 4; without++) {
    const double *corner[3] = { places[0], places[1], places[2] };
    int index[3] = { 0, 1, 2 };
    double weight[3];
    for (int i = 0, k = 0; count == 4 && i < 4; i++)
      if (i != without) {
        index[k] = i;
        corner[k++] = places[i];
      }
    const double square = nearest_of(corner, count < 3 ? count : 3, weight);
    if (square >= least) continue;
    least = square;
    memcpy(best, weight, sizeof best);
    memcpy(who, index, sizeof who);
  }
  out[0] = out[1] = out[2] = 0;
  for (int i = 0; i < 3; i++) {
    if (best[i] == 0) continue;
    memcpy(kept[left], places[who[i]], sizeof kept[left]);
    for (int a = 0; a < 3; a++) out[a] += best[i] * kept[left][a];
    left++;
  }
  memcpy(places, kept, (size_t)left * sizeof kept[0]);
  return left;
}

/* Whether all of the first vectors (less any of the second ones, if there are some) point to one
 * side by more than `least`. */
static int is_one_side(const double *vectors, size_t first, size_t second, double least)
{
  double n[3], other[3] = { 0 }, places[4][3];
  int count = 0;
  mean_of(vectors, first, n);
  if (second) mean_of(vectors + 3 * first, second, other);
  for (int a = 0; a < 3; a++) n[a] -= other[a];
  for (int pass = 0; pass < PASSES; pass++) {
    double *way = places[count];
    memcpy(way, least_along(vectors, first, n, 1), sizeof places[0]);
    if (second) {
      const double *most = least_along(vectors + 3 * first, second, n, -1);
      for (int a = 0; a < 3; a++) way[a] -= most[a];
    }
    const double length = sqrt(dot(n, n)), along = dot(way, n);
    if (along > least * length) return 1;
    if (count > 0 && !(along < length * length * (1 - SHARP))) return 0; /* nothing is nearer */
    count = draw_near(places, count + 1, n);
  }
  return 0;
}

/* Whether a triangle of the group has no other corners than common ones: it lies in their plane. */
static int has_side(const search *s, const node *group)
{
  for (size_t i = group->first; i < group->first + group->count; i++) {
    const uint32_t *number = s->corner + 3 * s->order[i].triangle;
    int count = 0;
    for (int k = 0; k < 3; k++) count += s->mark[number[k]] == s->marks + 1;
    if (count == 3) return 1;
  }
  return 0;
}

static int are_apart(search *s, const node *a, const node *b)
{
  common in = { .point = NULL };
  if (!s->corner && !number_corners(s)) return 0;
  if (!find_common(s, a, b, &in)) return 0;
  if (in.count == 2 && has_side(s, a) && has_side(s, b)) return 0;
  const size_t first = take_vectors(s, a, &in, 1, 0);
  const size_t all = first == SIZE_MAX ? first : take_vectors(s, b, &in, -1, first);
  if (all == SIZE_MAX) return 0;
  if (in.point) return is_one_side(s->vectors, all, 0, SHARP);
  return is_one_side(s->vectors, first, all - first, CLOSE * s->extent);
}

/* ---- pairs ------------------------------------------------------------------------- */

static int do_meet(const box *a, const box *b)
{
  for (int i = 0; i < 3; i++)
    if (!(a->low[i] <= b->high[i] && b->low[i] <= a->high[i])) return 0;
  return 1;
}

static void check_pair(search *s, size_t i, size_t j)
{
  const size_t v = s->order[i].triangle, w = s->order[j].triangle;
  const double *corners = s->surface->corners;
  if (s->is_found || !do_meet(&s->boxes[i], &s->boxes[j]) ||
      !s->is_wrong(corners + 9 * v, corners + 9 * w, s->depth)) return;
  s->is_found = 1;
  s->pair[0] = v < w ? v : w;
  s->pair[1] = v < w ? w : v;
}

static void compare(search *s, size_t first, size_t second)
{
  const node *a = &s->nodes[first], *b = &s->nodes[second];
  if (s->is_found || s->has_no_memory || !do_meet(&a->about, &b->about)) return;
  if (!a->second && !b->second) {
    for (size_t i = a->first; i < a->first + a->count; i++)
      for (size_t j = b->first; j < b->first + b->count; j++) check_pair(s, i, j);
    return;
  }
  if (are_apart(s, a, b)) return;
  const size_t parts[2][2] = { { a->second ? first + 1 : first, a->second },
                               { b->second ? second + 1 : second, b->second } };
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      if ((i == 0 || a->second) && (j == 0 || b->second)) compare(s, parts[0][i], parts[1][j]);
}

static void compare_within(search *s, size_t number)
{
  const node *n = &s->nodes[number];
  if (n->second) {
    compare_within(s, number + 1);
    compare_within(s, n->second);
    compare(s, number + 1, n->second);
    return;
  }
  for (size_t i = n->first; i < n->first + n->count; i++)
    for (size_t j = i + 1; j < n->first + n->count; j++) check_pair(s, i, j);
}

trm_status trmi_stl_find_pair(const trm_stl *surface, const char *path,
                              int (*is_wrong)(const double *v, const double *w, double depth),
                              double depth, int *is_found, size_t pair[2])
{
  const size_t count = surface->count;
  search s = { .surface = surface, .is_wrong = is_wrong, .depth = depth };
  *is_found = 0;
  if (count == 0) return TRM_OK;
  const size_t each = sizeof *s.order + sizeof *s.boxes + sizeof *s.nodes +
                      3 * (2 * sizeof *s.corner + 3 * sizeof *s.vectors + 4 * sizeof *s.mark);
  if (count > MANY) TRM_TRY(trmi_memory_require("the boxes of triangles", count * each));
  s.order = malloc(count * sizeof *s.order);
  s.boxes = malloc(count * sizeof *s.boxes);
  s.nodes = malloc(count * sizeof *s.nodes); /* of more than FEW, each part has two or more */
  s.has_no_memory = !s.order || !s.boxes || !s.nodes || count > UINT32_MAX / 3;
  for (int a = 0; a < 3; a++) s.extent = fmax(s.extent, surface->high[a] - surface->low[a]);
  if (!s.has_no_memory) {
    list_middles(&s);
    build(&s, 0, count);
    compare_within(&s, 0);
  }
  free(s.order);
  free(s.boxes);
  free(s.nodes);
  free(s.corner);
  free(s.mark);
  free(s.vectors);
  if (s.has_no_memory)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the triangles of %s; take fewer", path);
  *is_found = s.is_found;
  memcpy(pair, s.pair, sizeof s.pair);
  return TRM_OK;
}
