/* facets.c - facets of the bodies that formulas make (facets.h). All but the sphere are a polygon
 * along z: a circle's is regular, a profile's has some of its outline's corners. Spheres are made
 * of an octahedron's triangles, since those of an icosahedron have no fourfold symmetry. */
#include "solvers/compressible/bodies/facets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sines ---------------------------------------------------------------------------------- */

static const double PI = 3.14159265358979323846;

/* Series of sine (odd) and cosine, for angles up to a quarter of pi. */
static double series(double angle, int is_odd)
{
  double term = is_odd ? angle : 1, sum = term;
  for (int k = is_odd ? 2 : 1; k < 20; k += 2) {
    term *= -angle * angle / (k * (k + 1));
    sum += term;
  }
  return sum;
}

/* The sine of part i of n of a right angle. */
static double sine(int i, int n)
{
  return 2 * i == n ? sqrt(0.5) : 2 * i < n ? series(0.5 * PI * i / n, 1)
                                            : series(0.5 * PI * (n - i) / n, 0);
}

/* ---- planes --------------------------------------------------------------------------------- */

/* The facet, and its plane as that number has it from now on. */
static void set_facet(fv_facets *f, size_t facet, int32_t a, int32_t b, int32_t c, size_t plane)
{
  const double *v[3] = { f->corner[a], f->corner[b], f->corner[c] };
  double *to = f->plane[plane], square = 0;
  f->facet[facet] = (fv_facet){ { a, b, c }, (int32_t)plane };
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    to[i] = (v[1][j] - v[0][j]) * (v[2][k] - v[0][k]) - (v[1][k] - v[0][k]) * (v[2][j] - v[0][j]);
    square += to[i] * to[i];
  }
  for (int i = 0; i < 3; i++) to[i] /= sqrt(square);
  to[3] = to[0] * v[0][0] + to[1] * v[0][1] + to[2] * v[0][2];
}

/* The gas is inside. */
static void turn_inside_out(fv_facets *f)
{
  for (size_t i = 0; i < f->facet_count; i++) {
    const int32_t other = f->facet[i].corner[1];
    f->facet[i].corner[1] = f->facet[i].corner[2];
    f->facet[i].corner[2] = other;
  }
  for (size_t i = 0; i < 4 * f->plane_count; i++) f->plane[i / 4][i % 4] *= -1;
}

/* ---- polygons ------------------------------------------------------------------------------- */

/* Anticlockwise. */
typedef struct polygon { double (*at)[2]; int count; } polygon;

static double length_of(const double a[2], const double b[2])
{
  const double x = b[0] - a[0], y = b[1] - a[1];
  return sqrt(x * x + y * y);
}

static double twice_area(const double a[2], const double b[2], const double c[2])
{
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static double area_of(const polygon *p)
{
  double sum = 0;
  for (int i = 2; i < p->count; i++) sum += twice_area(p->at[0], p->at[i - 1], p->at[i]);
  return 0.5 * sum;
}

static trm_status make_polygon(int count, polygon *out)
{
  out->count = count;
  out->at = calloc((size_t)count, sizeof *out->at);
  if (out->at) return TRM_OK;
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for a polygon of %d corners", count);
}

/* Its area is the circle's: a corner is outside by twice as far as a side's middle is inside. */
static trm_status make_circle(double radius, double sag, polygon *out)
{
  int quarter = 0;
  double corner = 0, off = INFINITY;
  while (off > sag) {
    quarter += 2;
    const double half = sine(1, 2 * quarter), cosine = sine(2 * quarter - 1, 2 * quarter);
    corner = radius * sqrt(0.25 * PI / (quarter * half * cosine));
    off = corner - radius;
  }
  TRM_TRY(make_polygon(4 * quarter, out));
  for (int i = 0; i < out->count; i++) {
    const int part = i % quarter, turns = i / quarter;
    const double x = corner * sine(quarter - part, quarter), y = corner * sine(part, quarter);
    out->at[i][0] = turns == 0 ? x : turns == 1 ? -y : turns == 2 ? -x : y;
    out->at[i][1] = turns == 0 ? y : turns == 1 ? x : turns == 2 ? -y : -x;
  }
  return TRM_OK;
}

static trm_status make_rectangle(const fv_body *body, polygon *out)
{
  TRM_TRY(make_polygon(4, out));
  for (int i = 0; i < 4; i++) {
    out->at[i][0] = i == 1 || i == 2 ? body->end[0][1] : -body->end[0][0];
    out->at[i][1] = i >= 2 ? body->end[1][1] : -body->end[1][0];
  }
  return TRM_OK;
}

/* ---- profiles ------------------------------------------------------------------------------- */

/* Whether the outline between corners i and j is nowhere farther than `most` from the line between
 * them. Corner numbers go on behind the last one. */
static int is_straight(const fv_body *body, int i, int j, double most)
{
  const double (*p)[2] = (const double (*)[2])body->outline;
  const double *a = p[i % body->corners], *b = p[j % body->corners];
  const double along = length_of(a, b);
  for (int k = i + 1; k < j; k++)
    if (fabs(twice_area(a, b, p[k % body->corners])) > most * along) return 0;
  return 1;
}

/* Corners of one side of the profile, from the nose on, each as far on as sides may be long. by:
 * the sense in which numbers go. Returns how many there are, the nose among them, the tail not. */
static int thin_side(const fv_body *body, int by, double most, int *kept)
{
  const int nose = body->corners / 2, tail = by > 0 ? body->corners : 0;
  int count = 0;
  for (int at = nose, to; at != tail; at = to) {
    kept[count++] = at;
    to = at + by;
    while (to != tail && is_straight(body, by > 0 ? at : to + by, by > 0 ? to + by : at, most))
      to += by;
  }
  return count;
}

/* Moves each corner outwards, by the same way from both of its sides; a sharp tail stays. */
static void grow(polygon *p, double by, double (*moved)[2])
{
  for (int i = 0; i < p->count; i++) {
    const double *at = p->at[i];
    double normal[2][2];
    for (int k = 0; k < 2; k++) {
      const double *a = k ? at : p->at[(i + p->count - 1) % p->count];
      const double *b = k ? p->at[(i + 1) % p->count] : at;
      const double length = length_of(a, b);
      normal[k][0] = (b[1] - a[1]) / length;
      normal[k][1] = (a[0] - b[0]) / length;
    }
    const double cosine = normal[0][0] * normal[1][0] + normal[0][1] * normal[1][1];
    for (int a = 0; a < 2; a++)
      moved[i][a] = at[a] + (cosine < 0 ? 0 : by * (normal[0][a] + normal[1][a]) / (1 + cosine));
  }
  memcpy(p->at, moved, (size_t)p->count * sizeof *moved);
}

static trm_status fit_area(polygon *p, double area)
{
  double (*moved)[2] = malloc((size_t)p->count * sizeof *moved), round = 0;
  if (!moved) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a profile");
  for (int i = 0; i < p->count; i++) {
    const double *a = p->at[i], *b = p->at[(i + 1) % p->count];
    round += length_of(a, b);
  }
  for (int i = 0; i < 30; i++) grow(p, (area - area_of(p)) / round, moved);
  free(moved);
  return TRM_OK;
}

/* Half of the sag for leaving corners out, half for moving the others. */
static trm_status make_profile(const fv_body *body, double sag, polygon *out)
{
  const polygon whole = { body->outline, body->corners };
  int *kept = malloc(2 * (size_t)body->corners * sizeof *kept);
  if (!kept) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a profile");
  const int upper = thin_side(body, -1, 0.5 * sag, kept);
  const int lower = thin_side(body, 1, 0.5 * sag, kept + upper);
  trm_status status = make_polygon(upper + lower, out);
  for (int i = 0; status == TRM_OK && i < out->count; i++) {
    /* the tail, the upper side to the nose, the lower side's others */
    const int at = i == 0 ? 0 : kept[i <= upper ? upper - i : i];
    for (int a = 0; a < 2; a++) out->at[i][a] = body->outline[at][a] - body->at[a];
  }
  free(kept);
  return status == TRM_OK ? fit_area(out, area_of(&whole)) : status;
}

/* ---- along z -------------------------------------------------------------------------------- */

static int is_ear(const polygon *p, const int *left, int count, int i)
{
  const int before = left[(i + count - 1) % count], here = left[i], next = left[(i + 1) % count];
  const double *a = p->at[before], *b = p->at[here], *c = p->at[next];
  if (!(twice_area(a, b, c) > 0)) return 0;
  for (int k = 0; k < count; k++) {
    const double *at = p->at[left[k]];
    if (left[k] != before && left[k] != here && left[k] != next && twice_area(a, b, at) >= 0 &&
        twice_area(b, c, at) >= 0 && twice_area(c, a, at) >= 0) return 0;
  }
  return 1;
}

/* Both ends as triangles: corners that stick out are cut off one after the other. */
static trm_status close_ends(fv_facets *f, const polygon *p)
{
  const int n = p->count;
  size_t facet = 2 * (size_t)n;
  int *left = malloc((size_t)n * sizeof *left), count = n;
  if (!left) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a polygon of %d corners", n);
  for (int i = 0; i < n; i++) left[i] = i;
  for (; count > 2; count--) {
    int i = 0;
    while (i < count - 1 && !is_ear(p, left, count, i)) i++;
    const int a = left[(i + count - 1) % count], b = left[i], c = left[(i + 1) % count];
    set_facet(f, facet++, c, b, a, (size_t)n);
    set_facet(f, facet++, n + a, n + b, n + c, (size_t)n + 1);
    memmove(left + i, left + i + 1, (size_t)(count - 1 - i) * sizeof *left);
  }
  free(left);
  return TRM_OK;
}

static trm_status extrude(const polygon *p, const double ends[2], fv_facets *out)
{
  const int n = p->count;
  TRM_TRY(fv_make_room(2 * (size_t)n, 4 * (size_t)n - 4, (size_t)n + 2, out));
  for (int i = 0; i < 2 * n; i++) {
    for (int a = 0; a < 2; a++) out->corner[i][a] = p->at[i % n][a];
    out->corner[i][2] = ends[i / n];
  }
  for (int i = 0; i < n; i++) {
    const int next = (i + 1) % n;
    set_facet(out, 2 * (size_t)i, i, next, n + next, (size_t)i);
    set_facet(out, 2 * (size_t)i + 1, i, n + next, n + i, (size_t)i);
  }
  return close_ends(out, p);
}

/* ---- spheres -------------------------------------------------------------------------------- */

/* A corner of the octahedron's triangles, with at[0] + at[1] + at[2] = n but for signs. The largest
 * part first in each sum, so that images have the same bits. */
static void round_off(const int at[3], int n, double to[3])
{
  int part[3], order[3] = { 0, 1, 2 };
  for (int a = 0; a < 3; a++) part[a] = abs(at[a]);
  for (int k = 0; k < 3; k++) {
    const int a = k % 2, first = order[a];
    if (part[first] >= part[order[a + 1]]) continue;
    order[a] = order[a + 1];
    order[a + 1] = first;
  }
  double square = 0;
  for (int k = 0; k < 3; k++) square += sine(part[order[k]], n) * sine(part[order[k]], n);
  for (int a = 0; a < 3; a++) to[a] = (at[a] < 0 ? -1 : 1) * sine(part[a], n) / sqrt(square);
}

/* Numbers of corners, by their first two parts and the sign of the third. */
typedef struct net { int n; int32_t *number; } net;

static int32_t *number_of(const net *s, const int at[3])
{
  const size_t row = (size_t)(2 * s->n + 1);
  return s->number + ((at[2] < 0) * row + (size_t)(at[1] + s->n)) * row + (size_t)(at[0] + s->n);
}

static void set_corners(const net *s, fv_facets *out)
{
  int32_t count = 0;
  for (int x = -s->n; x <= s->n; x++)
    for (int y = -(s->n - abs(x)); y <= s->n - abs(x); y++) {
      const int rest = s->n - abs(x) - abs(y);
      for (int side = 0; side < (rest ? 2 : 1); side++) {
        const int at[3] = { x, y, side ? -rest : rest };
        *number_of(s, at) = count;
        round_off(at, s->n, out->corner[count++]);
      }
    }
}

/* A triangle of an octant, which has bit a set where axis a is reversed. The triangle begins at
 * (i, j) and points away from the third axis; is_down: towards that axis. */
static void set_octant(const net *s, int octant, int i, int j, int is_down, fv_facets *out,
                       size_t facet)
{
  int32_t number[3];
  for (int k = 0; k < 3; k++) {
    const int x = i + (is_down ? k != 2 : k == 1), y = j + (is_down ? k != 0 : k == 2);
    const int at[3] = { octant & 1 ? -x : x, octant & 2 ? -y : y,
                        octant & 4 ? x + y - s->n : s->n - x - y };
    number[k] = *number_of(s, at);
  }
  const int is_image = (octant ^ octant >> 1 ^ octant >> 2) & 1;
  set_facet(out, facet, number[0], number[is_image ? 2 : 1], number[is_image ? 1 : 2], facet);
}

/* A sphere of radius 1, with 8 n^2 facets. */
static trm_status make_ball(int n, fv_facets *out)
{
  const size_t row = 2 * (size_t)n + 1, square = (size_t)n * (size_t)n;
  net s = { n, calloc(2 * row * row, sizeof *s.number) };
  if (!s.number) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the facets of a sphere");
  const trm_status status = fv_make_room(4 * square + 2, 8 * square, 8 * square, out);
  size_t facet = 0;
  if (status == TRM_OK) set_corners(&s, out);
  for (int octant = 0; status == TRM_OK && octant < 8; octant++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n - i; j++) {
        set_octant(&s, octant, i, j, 0, out, facet++);
        if (i + j + 2 <= n) set_octant(&s, octant, i, j, 1, out, facet++);
      }
  free(s.number);
  return status;
}

/* The root of value, near 1, by Newton's method. */
static double third_root(double value)
{
  double root = 1;
  for (int i = 0; i < 60; i++) root -= (root * root * root - value) / (3 * root * root);
  return root;
}

static void enlarge(fv_facets *f, double by)
{
  for (size_t i = 0; i < f->corner_count; i++)
    for (int a = 0; a < 3; a++) f->corner[i][a] *= by;
  for (size_t i = 0; i < f->plane_count; i++) f->plane[i][3] *= by;
}

/* With the volume of the sphere of radius 1, and how far it is from that sphere anywhere. */
static double fit_volume(fv_facets *f)
{
  const double by = third_root(4 * PI / 3 / fv_facets_volume(f));
  double least = INFINITY;
  enlarge(f, by);
  for (size_t i = 0; i < f->plane_count; i++) least = fmin(least, f->plane[i][3]);
  return fmax(by - 1, 1 - least);
}

/* Few enough facets are tried in twos: an even n has a corner on each axis' diagonals. */
static trm_status make_sphere(double radius, double sag, fv_facets *out)
{
  for (int n = 2;;) {
    TRM_TRY(make_ball(n, out));
    const double off = radius * fit_volume(out);
    if (off <= sag) break;
    fv_free_facets(out);
    const int likely = 2 * (int)(0.5 * n * sqrt(off / sag)); /* the distance falls as 1 / n^2 */
    n = likely > n + 2 ? likely : n + 2;
  }
  enlarge(out, radius);
  return TRM_OK;
}

/* ---- bodies --------------------------------------------------------------------------------- */

static trm_status make_outline(const fv_body *body, double sag, polygon *out)
{
  if (body->shape == FV_BOX) return make_rectangle(body, out);
  if (body->shape == FV_PROFILE) return make_profile(body, sag, out);
  return make_circle(body->size[0], sag, out);
}

static trm_status make_prism(const fv_body *body, double sag, const double ends[2], fv_facets *out)
{
  const int is_box = body->shape == FV_BOX && body->size[2] > 0;
  const double own[2] = { -body->end[2][0], body->end[2][1] };
  polygon outline = { NULL, 0 };
  trm_status status = make_outline(body, sag, &outline);
  if (status == TRM_OK) status = extrude(&outline, is_box ? own : ends, out);
  if (status == TRM_OK && body->shape == FV_TUBE) turn_inside_out(out);
  free(outline.at);
  return status;
}

trm_status fv_facets_of_shape(const fv_body *body, double sag, const double ends[2], fv_facets *out)
{
  *out = (fv_facets){ 0 };
  trm_status status = body->shape == FV_SPHERE ? make_sphere(body->size[0], sag, out)
                                               : make_prism(body, sag, ends, out);
  if (status == TRM_OK) status = fv_fill_bins(out);
  if (status != TRM_OK) fv_free_facets(out);
  return status;
}
