/* fv_volumes_bodies.h - facets of bodies on the device: whether they meet a box, and on which side
 * of them a place is. Frames, bins and numbers are those of bodies/facets.h, in cells.
 *
 * A box is that of a cell over a step, in the body's frame. It is convex and holds the cell at all
 * times. So for a convex body the planes of facets that meet the box are enough. The way from a
 * place outside to the nearest place of the body passes one of these facets.
 *
 * Numbers are rounded, so there are two slacks. All facets nearer than FV_MEETS_WIDELY are listed,
 * but only where one is nearer than FV_MEETS. Else a box beside an edge could be given one of the
 * edge's two facets alone, whose plane cuts it in half. */
#define FV_MEETS R(2e-7)
#define FV_MEETS_WIDELY R(1e-6)

/* A body: its numbers, and where its lists begin. */
typedef struct fv_shape {
  TRM_IN(real) own;
  TRM_IN(int) table;
  TRM_IN(real) corners;
  TRM_IN(real) planes;
  TRM_IN(real) boxes;
  TRM_IN(int) facets;
  TRM_IN(int) first;
  TRM_IN(int) list;
} fv_shape;

TRM_INLINE fv_shape fv_shape_of(TRM_IN(real) shapes, TRM_IN(int) tables, const int body)
{
  fv_shape s;
  s.own = shapes + body * FV_SHAPE_REALS;
  s.table = tables + body * FV_SHAPE_INTS;
  s.corners = shapes + s.table[FV_SHAPE_CORNERS];
  s.planes = shapes + s.table[FV_SHAPE_PLANES];
  s.boxes = shapes + s.table[FV_SHAPE_BOXES];
  s.facets = tables + s.table[FV_SHAPE_FACETS];
  s.first = tables + s.table[FV_SHAPE_FIRST];
  s.list = tables + s.table[FV_SHAPE_LIST];
  return s;
}

/* The middle of a cell in the body's frame, at the begin or the end. */
TRM_INLINE void fv_cell_middle(const fv_shape *s, const int *cell, const int is_end, real *to)
{
  TRM_IN(real) turn = s->own + FV_SHAPE_TURN + 9 * is_end;
  real off[3];
  for (int a = 0; a < 3; a++)
    off[a] = ((real)cell[a] - s->own[FV_SHAPE_CELL + a]) +
             (R(0.5) - s->own[FV_SHAPE_REST + 3 * is_end + a]);
  for (int a = 0; a < 3; a++)
    to[a] = (turn[3 * a] * off[0] + turn[3 * a + 1] * off[1]) + turn[3 * a + 2] * off[2];
}

typedef struct fv_box { real low[3], high[3]; } fv_box;

/* The box of a cell over the step, in the body's frame. */
TRM_INLINE fv_box fv_cell_box(const fv_shape *s, const int *cell)
{
  real middle[2][3];
  fv_box b;
  fv_cell_middle(s, cell, 0, middle[0]);
  fv_cell_middle(s, cell, 1, middle[1]);
  for (int a = 0; a < 3; a++) {
    for (int e = 0; e < 2; e++) {
      TRM_IN(real) turn = s->own + FV_SHAPE_TURN + 9 * e + 3 * a;
      const real reach = R(0.5) * ((trm_fabs(turn[0]) + trm_fabs(turn[1])) + trm_fabs(turn[2]));
      const real low = middle[e][a] - reach, high = middle[e][a] + reach;
      b.low[a] = e == 0 ? low : trm_min(b.low[a], low);
      b.high[a] = e == 0 ? high : trm_max(b.high[a], high);
    }
    b.low[a] -= s->own[FV_SHAPE_SWELL];
    b.high[a] += s->own[FV_SHAPE_SWELL];
  }
  return b;
}

/* How many bins a place is from the first one's begin along an axis. */
TRM_INLINE real fv_in_bins(const fv_shape *s, const int a, const real at)
{
  return (at - s->own[FV_SHAPE_LOW + a]) * s->own[FV_SHAPE_PER];
}

/* The bin of a place along an axis. */
TRM_INLINE int fv_bin(const fv_shape *s, const int a, const real at)
{
  const real bin = fv_in_bins(s, a, at);
  const int last = s->table[FV_SHAPE_BINS + a] - 1;
  return bin < R(0.0) ? 0 : bin < (real)last ? (int)bin : last;
}

TRM_INLINE void fv_facet_corners(const fv_shape *s, const int facet, real v[3][3])
{
  for (int k = 0; k < 3; k++)
    for (int a = 0; a < 3; a++) v[k][a] = s->corners[3 * s->facets[4 * facet + k] + a];
}

/* b becomes a box that holds both. */
TRM_INLINE void fv_join_boxes(fv_box *b, const fv_box *c)
{
  for (int a = 0; a < 3; a++) {
    b->low[a] = trm_min(b->low[a], c->low[a]);
    b->high[a] = trm_max(b->high[a], c->high[a]);
  }
}

TRM_INLINE fv_box fv_facet_box(const fv_shape *s, const int facet)
{
  TRM_IN(real) box = s->boxes + 6 * facet;
  fv_box b;
  for (int a = 0; a < 3; a++) {
    b.low[a] = box[a];
    b.high[a] = box[3 + a];
  }
  return b;
}

/* Whether a facet's own box is far from a box. */
TRM_INLINE int fv_is_beside(const fv_shape *s, const int facet, const fv_box *b)
{
  TRM_IN(real) box = s->boxes + 6 * facet;
  int is_beside = 0;
  for (int a = 0; a < 3; a++)
    is_beside |= (b->low[a] - box[3 + a] > FV_MEETS_WIDELY) |
                 (box[a] - b->high[a] > FV_MEETS_WIDELY);
  return is_beside;
}

/* How far two boxes are apart along the axis where they are farthest; negative: they overlap. */
TRM_INLINE real fv_boxes_apart(const fv_box *b, const fv_box *c)
{
  real apart = trm_max(b->low[0] - c->high[0], c->low[0] - b->high[0]);
  for (int a = 1; a < 3; a++)
    apart = trm_max(apart, trm_max(b->low[a] - c->high[a], c->low[a] - b->high[a]));
  return apart;
}

/* A box by its middle and half of its lengths. */
typedef struct fv_middle_box { real middle[3], reach[3]; } fv_middle_box;

/* How far a facet and a box are apart along the axis n at least, in lengths; n is 0 along axis
 * `none`. Where they overlap, the number is negative and of no length. */
TRM_INLINE real fv_apart_along(const fv_middle_box *b, real v[3][3], const real *n, const int none)
{
  const int c = none < 0 ? 0 : (none + 1) % 3, d = none < 0 ? 1 : (none + 2) % 3;
  real middle = n[c] * b->middle[c] + n[d] * b->middle[d];
  real reach = trm_fabs(n[c]) * b->reach[c] + trm_fabs(n[d]) * b->reach[d], low, high;
  real at[3];
  for (int k = 0; k < 3; k++) at[k] = n[c] * v[k][c] + n[d] * v[k][d];
  if (none < 0) {
    middle += n[2] * b->middle[2];
    reach += trm_fabs(n[2]) * b->reach[2];
    for (int k = 0; k < 3; k++) at[k] += n[2] * v[k][2];
  }
  low = trm_min(at[0], trm_min(at[1], at[2]));
  high = trm_max(at[0], trm_max(at[1], at[2]));
  const real apart = trm_max(low - middle, middle - high) - reach;
  if (!(apart > R(0.0))) return apart;
  const real size = trm_fabs(n[c]) + trm_fabs(n[d]) + (none < 0 ? trm_fabs(n[2]) : R(0.0));
  return size > R(0.0) ? apart / size : apart;
}

TRM_INLINE int fv_holds_corner(const fv_box *b, real v[3][3])
{
  int holds = 0;
  for (int k = 0; k < 3; k++) {
    int is_in = 1;
    for (int a = 0; a < 3; a++) is_in &= v[k][a] >= b->low[a] && v[k][a] <= b->high[a];
    holds |= is_in;
  }
  return holds;
}

/* How far a facet and a box are apart along any of thirteen axes: those of the box, the normal, and
 * edges across edges. No other axis can part them where these do not (Akenine-Moeller 2001). Ends
 * early where they are far apart, or the box holds a corner. */
TRM_INLINE real fv_facet_apart(const fv_shape *s, const int facet, const fv_box *b)
{
  TRM_IN(real) plane = s->planes + 4 * s->facets[4 * facet + 3];
  const fv_box own = fv_facet_box(s, facet);
  const real normal[3] = { plane[0], plane[1], plane[2] };
  real apart = fv_boxes_apart(b, &own), v[3][3];
  fv_middle_box middle;
  fv_facet_corners(s, facet, v);
  if (apart > FV_MEETS_WIDELY || fv_holds_corner(b, v)) return apart;
  for (int a = 0; a < 3; a++) {
    middle.middle[a] = R(0.5) * (b->low[a] + b->high[a]);
    middle.reach[a] = R(0.5) * (b->high[a] - b->low[a]);
  }
  apart = trm_max(apart, fv_apart_along(&middle, v, normal, -1));
  for (int k = 0; k < 3 && apart <= FV_MEETS_WIDELY; k++)
    for (int a = 0; a < 3; a++) {
      const int c = (a + 1) % 3, d = (a + 2) % 3;
      real n[3];
      n[c] = -(v[(k + 1) % 3][d] - v[k][d]);
      n[d] = v[(k + 1) % 3][c] - v[k][c];
      apart = trm_max(apart, fv_apart_along(&middle, v, n, a));
    }
  return apart;
}

/* ---- sides ------------------------------------------------------------------------------- */

/* Whether the line through `at` along x passes a triangle: an odd number of its edges lies above.
 * An edge is asked from its lesser corner on. So two triangles have one answer for the edge that
 * they share, and the line passes a closed surface without a gap. */
TRM_INLINE int fv_is_passed(const fv_shape *s, const int facet, const real *at)
{
  int above = 0;
  for (int k = 0; k < 3; k++) {
    const int i = s->facets[4 * facet + k], j = s->facets[4 * facet + (k + 1) % 3];
    TRM_IN(real) a = s->corners + 3 * (i < j ? i : j);
    TRM_IN(real) b = s->corners + 3 * (i < j ? j : i);
    if ((a[1] > at[1]) == (b[1] > at[1])) continue;
    const real turn = (b[1] - a[1]) * (at[2] - a[2]) - (b[2] - a[2]) * (at[1] - a[1]);
    above ^= b[1] > a[1] ? turn < R(0.0) : turn > R(0.0);
  }
  return above;
}

/* Whether the facet, which does not hold the place, lies ahead of it along x. */
TRM_INLINE int fv_is_ahead(const fv_shape *s, const int facet, const real *at)
{
  TRM_IN(real) p = s->planes + 4 * s->facets[4 * facet + 3];
  const fv_box b = fv_facet_box(s, facet);
  if (b.low[0] > at[0]) return 1;
  if (b.high[0] < at[0]) return 0;
  const real inside = p[3] - ((p[0] * at[0] + p[1] * at[1]) + p[2] * at[2]);
  return p[0] > R(0.0) ? inside > R(0.0) : inside < R(0.0);
}

/* Whether a place in the body's frame, on no facet, is in the solid: by the facets that the line
 * along x leaves and enters ahead of it. */
TRM_INLINE int fv_is_solid(const fv_shape *s, const real *at)
{
  const int y = fv_bin(s, 1, at[1]), z = fv_bin(s, 2, at[2]), from = fv_bin(s, 0, at[0]);
  int left = s->table[FV_SHAPE_IS_OUTSIDE];
  for (int a = 0; a < 3; a++) /* beyond all bins */
    if (fv_in_bins(s, a, at[a]) > (real)s->table[FV_SHAPE_BINS + a] ||
        at[a] < s->own[FV_SHAPE_LOW + a]) return left;
  for (int x = from; x < s->table[FV_SHAPE_BINS]; x++) {
    const int bin = (z * s->table[FV_SHAPE_BINS + 1] + y) * s->table[FV_SHAPE_BINS] + x;
    for (int i = s->first[bin]; i < s->first[bin + 1]; i++) {
      const int facet = s->list[i];
      if (!fv_is_passed(s, facet, at)) continue;
      const int begin = fv_bin(s, 0, s->boxes[6 * facet]); /* in several bins it counts once */
      if (x == (begin > from ? begin : from) && fv_is_ahead(s, facet, at))
        left += s->planes[4 * s->facets[4 * facet + 3]] > R(0.0) ? 1 : -1;
    }
  }
  return left > 0;
}
