/* fv_volumes_find.h - kinds of cells in a step, and the planes that cut them: three maps.
 *
 * `mark` flags each cell of leaves near walls that facets may meet, by boxes alone. It goes
 * through rows and gives all other cells their kind, gas or solid. `ring` adds the cells of gas
 * that share a face with a flagged cell. So a cut cell's neighbours are listed, too. The library
 * makes the list (trm_compact). `find` gives a listed cell its kind, and its planes if it is cut.
 *
 * Facets that meet the cell's box (fv_volumes_bodies.h) are convex if all corners of each facet are
 * inside of the planes of all others. Then the solid is exactly the part inside of all planes.
 * Hollow: the same outside of the planes, for the gas. */

/* A cell of the leaves, in cells of the grid. */
TRM_INLINE void fv_cell_place(const fv_volumes_params p, TRM_IN(int) leaves, const trm_index i,
                              int *at)
{
  const int all = p.side[0] * p.side[1] * p.side[2], within = (int)(i % all);
  TRM_IN(int) leaf = leaves + 3 * (i / all);
  at[0] = leaf[0] * p.side[0] + within % p.side[0];
  at[1] = leaf[1] * p.side[1] + within / p.side[0] % p.side[1];
  at[2] = leaf[2] * p.side[2] + within / (p.side[0] * p.side[1]);
}

#define FV_ALL_CELLS(p) ((trm_index)(p).leaves * ((p).side[0] * (p).side[1] * (p).side[2]))

/* Facets that meet a box, by number, and their planes, each once. */
typedef struct fv_near {
  int planes, facets;          /* how many; more than there is room for: some are missing */
  int touches;                 /* one is nearer than FV_MEETS */
  int plane[FV_NEAR_PLANES], facet[FV_NEAR_FACETS];
} fv_near;

TRM_INLINE void fv_add_facet(const fv_shape *s, const int facet, fv_near *n)
{
  const int plane = s->facets[4 * facet + 3];
  int known = 0;
  for (int k = 0; k < n->planes && k < FV_NEAR_PLANES; k++) known |= n->plane[k] == plane;
  if (!known && n->planes < FV_NEAR_PLANES) n->plane[n->planes] = plane;
  n->planes += !known;
  if (n->facets < FV_NEAR_FACETS) n->facet[n->facets] = facet;
  n->facets++;
}

/* The first and the last bin of a box along each axis; 0 where the box is beyond all bins. */
TRM_INLINE int fv_bins_of(const fv_shape *s, const fv_box *b, int *from, int *to)
{
  int is_near = 1;
  for (int a = 0; a < 3; a++) {
    const real low = b->low[a] - FV_MEETS_WIDELY, high = b->high[a] + FV_MEETS_WIDELY;
    from[a] = fv_bin(s, a, low);
    to[a] = fv_bin(s, a, high);
    is_near &= high >= s->own[FV_SHAPE_LOW + a] &&
               fv_in_bins(s, a, low) <= (real)s->table[FV_SHAPE_BINS + a];
  }
  return is_near;
}

/* A facet in several bins of a box counts in the first of them. at: a bin that has it, along each
 * axis. So along an axis the facet begins in this bin, or in one before. */
TRM_INLINE int fv_is_first(const fv_shape *s, const int facet, const int *from, const int *at)
{
  int is_first = 1;
  for (int a = 0; a < 3; a++)
    is_first &= (at[a] == from[a]) |
                (fv_in_bins(s, a, s->boxes[6 * facet + a]) >= (real)at[a]);
  return is_first;
}

/* Whether any facet's own box meets a box. Bins that follow each other along x have one list. */
TRM_INLINE int fv_is_near(const fv_shape *s, const fv_box *b)
{
  int from[3], to[3], is_near = 0;
  if (!fv_bins_of(s, b, from, to)) return 0;
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1] && !is_near; y++) {
      const int row = (z * s->table[FV_SHAPE_BINS + 1] + y) * s->table[FV_SHAPE_BINS];
      const int end = s->first[row + to[0] + 1];
      for (int i = s->first[row + from[0]]; i < end && !is_near; i++)
        is_near = !fv_is_beside(s, s->list[i], b);
    }
  return is_near;
}

/* The facets that meet a box. */
TRM_INLINE void fv_find_near(const fv_shape *s, const fv_box *b, fv_near *n)
{
  int from[3], to[3];
  n->planes = n->facets = n->touches = 0;
  if (!fv_bins_of(s, b, from, to)) return;
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++) {
      const int row = (z * s->table[FV_SHAPE_BINS + 1] + y) * s->table[FV_SHAPE_BINS];
      const int end = s->first[row + to[0] + 1];
      int at[3] = { from[0], y, z };
      for (int i = s->first[row + from[0]]; i < end; i++) {
        const int facet = s->list[i];
        while (i >= s->first[row + at[0] + 1]) at[0]++;
        if (fv_is_beside(s, facet, b) | !fv_is_first(s, facet, from, at)) continue;
        const real apart = fv_facet_apart(s, facet, b);
        if (apart <= FV_MEETS_WIDELY) fv_add_facet(s, facet, n);
        n->touches |= apart <= FV_MEETS;
      }
    }
}

/* Bodies that are convex or hollow as a whole are so in each cell. */
TRM_INLINE int fv_kind_of(const fv_shape *s, const fv_near *n)
{
  const real slack = s->own[FV_SHAPE_SLACK];
  int is_convex = 1, is_hollow = 1;
  if (n->planes == 1) return FV_FOUND_PLANE;
  if (n->planes > FV_FOUND_PLANES || n->facets > FV_FOUND_FACETS) return FV_FOUND_TREE;
  if (s->table[FV_SHAPE_KIND] != FV_FOUND_TREE) return s->table[FV_SHAPE_KIND];
  for (int f = 0; f < n->facets && (is_convex || is_hollow); f++) {
    real v[3][3];
    fv_facet_corners(s, n->facet[f], v);
    for (int j = 0; j < n->planes; j++) {
      TRM_IN(real) p = s->planes + 4 * n->plane[j];
      if (n->plane[j] == s->facets[4 * n->facet[f] + 3]) continue;
      for (int k = 0; k < 3; k++) {
        const real beyond = ((p[0] * v[k][0] + p[1] * v[k][1]) + p[2] * v[k][2]) - p[3];
        is_convex &= beyond <= slack;
        is_hollow &= beyond >= -slack;
      }
    }
  }
  return is_convex ? FV_FOUND_CONVEX : is_hollow ? FV_FOUND_HOLLOW : FV_FOUND_TREE;
}

/* Whether the cell, which no facet meets, is in the body at the begin, and so in the whole step. */
TRM_INLINE int fv_is_in(const fv_shape *s, const int *cell)
{
  real middle[3];
  fv_cell_middle(s, cell, 0, middle);
  return fv_is_solid(s, middle);
}

/* The kind of a cell beside all bodies; to: its FV_FOUND_INTS, of no planes so far. */
TRM_INLINE int fv_find_cell(const fv_volumes_params p, TRM_IN(real) shapes, TRM_IN(int) tables,
                            const int *cell, TRM_OUT(int) to)
{
  int kind = FV_FOUND_GAS;
  for (int body = 0; body < p.bodies && kind != FV_FOUND_SOLID; body++) {
    const fv_shape s = fv_shape_of(shapes, tables, body);
    const fv_box b = fv_cell_box(&s, cell);
    fv_near n;
    fv_find_near(&s, &b, &n);
    if (!n.touches) {
      kind = fv_is_in(&s, cell) ? FV_FOUND_SOLID : kind;
      continue;
    }
    kind = kind == FV_FOUND_GAS ? fv_kind_of(&s, &n) : FV_FOUND_TREE;
    to[0] = body;
    to[1] = n.planes < FV_FOUND_PLANES ? n.planes : FV_FOUND_PLANES;
    for (int k = 0; k < to[1]; k++) to[2 + k] = n.plane[k];
  }
  return kind;
}

/* The cells of a row along x; bodies far from all of them are left out. */
TRM_INLINE void fv_mark_row(const fv_volumes_params p, TRM_IN(real) shapes, TRM_IN(int) tables,
                            const int *row, TRM_OUT(int) flags)
{
  for (int x = 0; x < p.side[0]; x++) flags[x] = 0;
  for (int body = 0; body < p.bodies; body++) {
    const fv_shape s = fv_shape_of(shapes, tables, body);
    int cell[3] = { row[0] + p.side[0] - 1, row[1], row[2] };
    fv_box all = fv_cell_box(&s, row);
    const fv_box last = fv_cell_box(&s, cell);
    fv_join_boxes(&all, &last);
    if (!fv_is_near(&s, &all)) continue;
    for (int x = 0; x < p.side[0]; x++) {
      cell[0] = row[0] + x;
      const fv_box b = fv_cell_box(&s, cell);
      if (!flags[x]) flags[x] = fv_is_near(&s, &b);
    }
  }
}

/* Asks the first cell behind each that is flagged. The next cells without a flag are of the same
 * kind, since no facet lies between. */
TRM_INLINE void fv_fill_row(const fv_volumes_params p, TRM_IN(real) shapes, TRM_IN(int) tables,
                            const int *row, TRM_IN(int) flags, TRM_OUT(int) kinds)
{
  int is_known = 0, is_solid = 0;
  for (int x = 0; x < p.side[0]; x++) {
    const int cell[3] = { row[0] + x, row[1], row[2] };
    if (!flags[x] && !is_known) {
      is_solid = 0;
      for (int body = 0; body < p.bodies && !is_solid; body++) {
        const fv_shape s = fv_shape_of(shapes, tables, body);
        is_solid = fv_is_in(&s, cell);
      }
    }
    is_known = !flags[x];
    if (is_known) kinds[x] = is_solid ? FV_FOUND_SOLID : FV_FOUND_GAS;
  }
}

/* The cell below or above along an axis, -1 where its leaf is not near walls. beside: of each leaf,
 * three leaves below and three above. */
TRM_INLINE int fv_cell_beside(const fv_volumes_params p, TRM_IN(int) beside, const int i,
                              const int axis, const int is_above)
{
  const int stride = axis == 0 ? 1 : axis == 1 ? p.side[0] : p.side[0] * p.side[1];
  const int all = p.side[0] * p.side[1] * p.side[2], leaf = i / all, last = p.side[axis] - 1;
  const int way = is_above ? stride : -stride;
  if (i % all / stride % p.side[axis] != (is_above ? last : 0)) return i + way;
  const int other = beside[6 * leaf + 3 * is_above + axis];
  return other < 0 ? -1 : i + (other - leaf) * all - last * way;
}
