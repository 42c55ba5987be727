/* cut_pieces.c - see cut_pieces.h. */
#include "tests/solvers/compressible/cut_pieces.h"

#include <math.h>
#include <string.h>

/* n.x < c */
typedef struct half_space { long double n[3], c; } half_space;

/* A convex body by its faces, as polygons. */
enum { SIDES = 16, AROUND = 24 };
typedef struct polygon { long double at[AROUND][3]; int count; } polygon;
typedef struct solid { polygon face[SIDES]; int faces; } solid;

static long double dot(const long double *a, const long double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- a cube, clipped ------------------------------------------------------------------------ */

static void make_cube(solid *s)
{
  s->faces = 6;
  for (int f = 0; f < 6; f++) {
    s->face[f].count = 4;
    for (int k = 0; k < 4; k++) {
      const int first = (k == 1 || k == 2) ^ (f % 2 == 0), other = k > 1;
      long double *at = s->face[f].at[k];
      at[f / 2] = f % 2 ? 0.5L : -0.5L;
      at[(f / 2 + 1) % 3] = first ? 0.5L : -0.5L;
      at[(f / 2 + 2) % 3] = other ? 0.5L : -0.5L;
    }
  }
}

/* The new face: places around their middle, by angle about the normal. */
static void close_face(const half_space *h, polygon *p)
{
  long double middle[3] = { 0 }, u[3] = { 0 }, v[3], angle[AROUND];
  int axis = 0;
  for (int a = 1; a < 3; a++)
    if (fabsl(h->n[a]) < fabsl(h->n[axis])) axis = a;
  u[axis] = 1;
  for (int a = 0; a < 3; a++) v[a] = h->n[(a + 1) % 3] * u[(a + 2) % 3] -
                                     h->n[(a + 2) % 3] * u[(a + 1) % 3];
  for (int a = 0; a < 3; a++) u[a] = v[(a + 1) % 3] * h->n[(a + 2) % 3] -
                                     v[(a + 2) % 3] * h->n[(a + 1) % 3];
  for (int i = 0; i < p->count; i++)
    for (int a = 0; a < 3; a++) middle[a] += p->at[i][a] / p->count;
  const long double along = sqrtl(dot(u, u)), across = sqrtl(dot(v, v));
  for (int i = 0; i < p->count; i++) {
    long double off[3];
    for (int a = 0; a < 3; a++) off[a] = p->at[i][a] - middle[a];
    angle[i] = atan2l(dot(off, v) / across, dot(off, u) / along);
  }
  for (int i = 1; i < p->count; i++)
    for (int j = i; j > 0 && angle[j] < angle[j - 1]; j--) {
      long double at[3];
      const long double other = angle[j];
      memcpy(at, p->at[j], sizeof at);
      memcpy(p->at[j], p->at[j - 1], sizeof at);
      memcpy(p->at[j - 1], at, sizeof at);
      angle[j] = angle[j - 1];
      angle[j - 1] = other;
    }
}

static void clip(solid *s, const half_space *h)
{
  solid to = { .faces = 0 };
  polygon cap = { .count = 0 };
  for (int f = 0; f < s->faces; f++) {
    const polygon *p = &s->face[f];
    polygon *q = &to.face[to.faces];
    q->count = 0;
    for (int i = 0; i < p->count; i++) {
      const long double *a = p->at[i], *b = p->at[(i + 1) % p->count];
      const long double past = dot(h->n, a) - h->c, next = dot(h->n, b) - h->c;
      if (past < 0) memcpy(q->at[q->count++], a, sizeof *q->at);
      if ((past < 0) == (next < 0)) continue;
      for (int k = 0; k < 3; k++)
        q->at[q->count][k] = a[k] + past / (past - next) * (b[k] - a[k]);
      assert_true(cap.count < AROUND && q->count < AROUND - 2);
      memcpy(cap.at[cap.count++], q->at[q->count++], sizeof *cap.at);
    }
    to.faces += q->count > 2;
    assert_true(to.faces < SIDES - 1);
  }
  if (cap.count > 2) {
    close_face(h, &cap);
    to.face[to.faces++] = cap;
  }
  *s = to;
}

/* Adds volume and moments, times a sign. */
static void add_solid(const solid *s, long double sign, long double to[4])
{
  for (int f = 0; f < s->faces; f++)
    for (int i = 1; i + 1 < s->face[f].count; i++) {
      const long double *a = s->face[f].at[0], *b = s->face[f].at[i], *c = s->face[f].at[i + 1];
      long double six = 0;
      for (int k = 0; k < 3; k++)
        six += a[k] * (b[(k + 1) % 3] * c[(k + 2) % 3] - b[(k + 2) % 3] * c[(k + 1) % 3]);
      to[0] += sign * six / 6;
      for (int k = 0; k < 3; k++) to[1 + k] += sign * six * (a[k] + b[k] + c[k]) / 24;
    }
}

/* ---- tetrahedra in a cube ------------------------------------------------------------------- */

/* Corners from the cell's middle, at both ends of the step. */
typedef struct tetrahedron { long double at[2][4][3]; } tetrahedron;

static void place(const mover *m, const double *corner, int cell, int end, long double *to)
{
  const int at[] = { cell % N, cell / N % N, cell / N / N };
  double turn[9];
  cut_turn(m, end, turn);
  for (int a = 0; a < 3; a++) {
    to[a] = (long double)m->at[a] + (long double)end * m->by[a] - at[a] - 0.5L;
    for (int b = 0; b < 3; b++) to[a] += (long double)turn[3 * b + a] * corner[b];
  }
}

/* Takes the tetrahedra that come near a cell. Returns how many. */
enum { NEAR = 1000 };
static int take(const mover *m, const double from[3], int cell, tetrahedron *to)
{
  int count = 0;
  for (size_t f = 0; f < m->facets.facet_count; f++) {
    int is_near = 1;
    for (int e = 0; e < 2; e++) {
      place(m, from, cell, e, to[count].at[e][3]);
      for (int k = 0; k < 3; k++)
        place(m, m->facets.corner[m->facets.facet[f].corner[k]], cell, e, to[count].at[e][k]);
    }
    for (int a = 0; a < 3; a++) {
      long double low = 1, high = -1;
      for (int k = 0; k < 8; k++) {
        low = fminl(low, to[count].at[k / 4][k % 4][a]);
        high = fmaxl(high, to[count].at[k / 4][k % 4][a]);
      }
      is_near &= low < 0.5L && high > -0.5L;
    }
    count += is_near;
    assert_true(count < NEAR);
  }
  return count;
}

/* The side of a tetrahedron opposite of corner k, in the frame of a part's cube. face: at which end
 * of the step, or 2: over the step. */
static half_space side_of(const tetrahedron *t, int k, int part, int when)
{
  long double n[3] = { 0 }, c[2] = { 0, 0 };
  const int end = when == 1;
  for (int e = 0; e < 2; e++) {
    const int at_end = when == 2 ? e : end;
    const long double *o = t->at[at_end][(k + 1) % 4], *p = t->at[at_end][(k + 2) % 4];
    const long double *q = t->at[at_end][(k + 3) % 4];
    long double size = 0;
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3, d = (a + 2) % 3;
      n[a] = (p[b] - o[b]) * (q[d] - o[d]) - (p[d] - o[d]) * (q[b] - o[b]);
      size += fabsl(n[a]);
    }
    const long double sense = dot(n, t->at[at_end][k]) > dot(n, o) ? -1 : 1;
    for (int a = 0; a < 3; a++) n[a] *= sense / size;
    c[e] = dot(n, o);
  }
  half_space h = { { n[0], n[1], n[2] }, c[0] };
  if (part < 2) return h;
  const int axis = part - 2;
  h.n[0] = n[(axis + 1) % 3];
  h.n[1] = n[(axis + 2) % 3];
  h.n[2] = c[0] - c[1];
  h.c = (c[0] + c[1]) / 2 - n[axis] / 2;
  return h;
}

static void clip_by(solid *s, const tetrahedron *t, int part, int when)
{
  for (int k = 0; k < 4 && s->faces > 0; k++) {
    const half_space h = side_of(t, k, part, when);
    clip(s, &h);
  }
}

static void gas_at(const mover *movers, int count, const double from[][3], int cell, int part,
                   int when, long double gas[4])
{
  static tetrahedron near[BODIES][NEAR];
  int taken[BODIES];
  solid whole;
  make_cube(&whole);
  memset(gas, 0, 4 * sizeof *gas);
  gas[0] = 1;
  for (int b = 0; b < count; b++) {
    taken[b] = take(&movers[b], from[b], cell, near[b]);
    for (int i = 0; i < taken[b]; i++) {
      solid own = whole;
      clip_by(&own, &near[b][i], part, when);
      add_solid(&own, -1, gas);
      for (int other = 0; other < b && own.faces > 0; other++)
        for (int j = 0; j < taken[other]; j++) {
          solid both = own;
          clip_by(&both, &near[other][j], part, when);
          add_solid(&both, 1, gas);
        }
    }
  }
}

void cut_gas_of(const mover *movers, int count, const double from[][3], int cell, int part,
                int turns, long double gas[4])
{
  long double end[4];
  if (part < 2 || !turns) {
    gas_at(movers, count, from, cell, part, part < 2 ? part : 2, gas);
    return;
  }
  gas_at(movers, count, from, cell, part, 0, gas);
  gas_at(movers, count, from, cell, part, 1, end);
  const long double way = end[0] - gas[0];
  for (int k = 0; k < 3; k++) gas[k] = (gas[k] + end[k]) / 2;
  gas[3] = way / 12;
}
