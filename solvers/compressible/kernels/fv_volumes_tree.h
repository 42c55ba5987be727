/* fv_volumes_tree.h - cells of mixed shape, and cells that several bodies reach. A tree of planes
 * parts their gas into convex leaves (fv_volumes_leaf.h). A second launch, over a list.
 *
 * A node splits its region by the plane of a facet that meets the region. A region that no facet
 * meets is a leaf. One of its places is asked whether the body holds it. So each leaf is right by
 * itself, and a split too many costs time alone. A facet that rounding puts on the wrong side of a
 * plane changes volumes by a rounding. So there is no tolerance. Corners are on the planes of their
 * facets by name, which spares half of the splits and of the time.
 *
 * The tree is made in the body's frame, of the box that holds the cell in the whole step. So the
 * same leaves serve both ends and the faces. Bodies in a convex, hollow or plane shape have a chain
 * of planes. Below each leaf of a body grows the tree of the next one.
 *
 * Two leaves are of one part if they have a place in common, on the plane that splits their regions
 * in the tree. Such a place is one of two axes and time that half-spaces leave. */

/* The tree of one body. Planes have the numbers of the cell's tree. */
#define FV_GROWN_NODES 240
#define FV_GROWN_LEAVES 96
typedef struct fv_grown {
  int nodes, leaves, has_room, first; /* plane: of the body's first one */
  int node[FV_GROWN_NODES], leaf[FV_GROWN_LEAVES];
} fv_grown;

TRM_INLINE int fv_add_node(fv_grown *g, const int plane, const int is_beyond, const int parent)
{
  g->has_room &= g->nodes < FV_GROWN_NODES;
  if (!g->has_room) return 0;
  g->node[g->nodes] = FV_NODE(g->first + plane, is_beyond, parent);
  return g->nodes++;
}

TRM_INLINE void fv_add_leaf(fv_grown *g, const int node)
{
  g->has_room &= g->leaves < FV_GROWN_LEAVES;
  if (g->has_room) g->leaf[g->leaves++] = node;
}

/* Kinds PLANE, CONVEX and HOLLOW. The gas of a convex body is, for each plane, what lies beyond it
 * and inside of those before it. */
TRM_INLINE void fv_grow_chain(const int planes, const int kind, fv_grown *g)
{
  int above = -1;
  for (int k = 0; k < planes; k++) {
    const int beyond = fv_add_node(g, k, 1, above);
    if (kind == FV_FOUND_CONVEX) fv_add_leaf(g, beyond);
    above = kind == FV_FOUND_CONVEX ? fv_add_node(g, k, 0, above) : beyond;
  }
  if (kind != FV_FOUND_CONVEX) fv_add_leaf(g, above);
}

/* ---- facets of mixed shape ---------------------------------------------------------------- */

/* Facets near a cell on both sides of each plane, by bits: they have corners there. */
typedef struct fv_sides { trm_index inside[FV_NEAR_PLANES], beyond[FV_NEAR_PLANES]; } fv_sides;
#define FV_BIT(f) ((trm_index)1 << (f))

TRM_INLINE int fv_has_plane(const fv_shape *s, const fv_near *n, const int facet, const int plane)
{
  return s->facets[4 * n->facet[facet] + 3] == n->plane[plane];
}

/* Whether a corner is on a plane, since a facet has both. */
TRM_INLINE int fv_is_on(const fv_shape *s, const fv_near *n, const int plane, const int corner)
{
  int is_on = 0;
  for (int f = 0; f < n->facets && !is_on; f++)
    for (int k = 0; k < 3 && fv_has_plane(s, n, f, plane); k++)
      is_on |= s->facets[4 * n->facet[f] + k] == corner;
  return is_on;
}

/* How far a place, from the middle of the box, is beyond a plane. */
TRM_INLINE real fv_beyond(const fv_shape *s, const int plane, const real *middle, const real *at)
{
  TRM_IN(real) p = s->planes + 4 * plane;
  const real c = p[3] - ((p[0] * middle[0] + p[1] * middle[1]) + p[2] * middle[2]);
  return ((p[0] * at[0] + p[1] * at[1]) + p[2] * at[2]) - c;
}

TRM_INLINE void fv_find_sides(const fv_shape *s, const fv_near *n, const real *middle,
                              fv_sides *to)
{
  for (int p = 0; p < n->planes; p++) {
    to->inside[p] = to->beyond[p] = 0;
    for (int f = 0; f < n->facets; f++) {
      if (fv_has_plane(s, n, f, p)) continue;
      for (int k = 0; k < 3; k++) {
        const int corner = s->facets[4 * n->facet[f] + k];
        real at[3];
        for (int a = 0; a < 3; a++) at[a] = s->corners[3 * corner + a] - middle[a];
        const real beyond = fv_beyond(s, n->plane[p], middle, at);
        if (fv_is_on(s, n, p, corner)) continue;
        if (beyond < R(0.0)) to->inside[p] |= FV_BIT(f);
        if (beyond > R(0.0)) to->beyond[p] |= FV_BIT(f);
      }
    }
  }
}

/* A facet, clipped. Corners of its own have their number, others -1. Places are from the middle of
 * the box. */
#define FV_POLYGON 52
typedef struct fv_polygon { real at[FV_POLYGON][3]; int name[FV_POLYGON], count; } fv_polygon;

/* past: of each corner; what is below 0 is kept. */
TRM_INLINE void fv_clip_polygon(fv_polygon *p, const real *past)
{
  fv_polygon to;
  to.count = 0;
  for (int i = 0; i < p->count; i++) {
    const int j = i + 1 < p->count ? i + 1 : 0, before = i > 0 ? i - 1 : p->count - 1;
    const int edge = past[i] < R(0.0) ? past[j] > R(0.0) : past[i] > R(0.0) && past[j] < R(0.0);
    const int stays = past[i] < R(0.0) || (past[i] == R(0.0) && (past[j] < R(0.0) ||
                                                                past[before] < R(0.0)));
    for (int a = 0; a < 3 && stays && to.count < FV_POLYGON; a++)
      to.at[to.count][a] = p->at[i][a];
    if (stays && to.count < FV_POLYGON) to.name[to.count++] = p->name[i];
    if (!edge || to.count == FV_POLYGON) continue;
    for (int a = 0; a < 3; a++)
      to.at[to.count][a] =
          p->at[i][a] + past[i] / (past[i] - past[j]) * (p->at[j][a] - p->at[i][a]);
    to.name[to.count++] = -1;
  }
  *p = to;
}

/* Whether a facet has a part in the region of a node. */
TRM_INLINE int fv_is_in_region(const fv_shape *s, const fv_near *n, const fv_box *box,
                               const fv_grown *g, const int node, const int facet)
{
  fv_polygon p;
  real middle[3], past[FV_POLYGON];
  for (int a = 0; a < 3; a++) middle[a] = R(0.5) * (box->low[a] + box->high[a]);
  p.count = 3;
  for (int k = 0; k < 3; k++) {
    p.name[k] = s->facets[4 * n->facet[facet] + k];
    for (int a = 0; a < 3; a++) p.at[k][a] = s->corners[3 * p.name[k] + a] - middle[a];
  }
  for (int side = 0; side < 6 && p.count > 0; side++) {
    const int a = side / 2;
    for (int i = 0; i < p.count; i++)
      past[i] = (side % 2 ? p.at[i][a] : -p.at[i][a]) - R(0.5) * (box->high[a] - box->low[a]);
    fv_clip_polygon(&p, past);
  }
  for (int k = node; k >= 0 && p.count > 0; k = FV_NODE_PARENT(g->node[k])) {
    const int plane = FV_NODE_PLANE(g->node[k]) - g->first;
    for (int i = 0; i < p.count; i++) {
      const real beyond = fv_beyond(s, n->plane[plane], middle, p.at[i]);
      past[i] = FV_NODE_BEYOND(g->node[k]) ? -beyond : beyond;
      if (p.name[i] >= 0 && fv_is_on(s, n, plane, p.name[i])) past[i] = R(0.0);
    }
    fv_clip_polygon(&p, past);
  }
  return p.count > 2;
}

/* Whether the region of a node, which no facet meets, is gas. A region that is nothing is not. */
TRM_INLINE int fv_is_gas(const fv_shape *s, const fv_near *n, const fv_box *box, fv_grown *g,
                         const int node)
{
  fv_halves h;
  fv_convex shape;
  real at[3];
  h.count = 0;
  h.has_room = 1;
  for (int k = node; k >= 0; k = FV_NODE_PARENT(g->node[k])) {
    TRM_IN(real) p = s->planes + 4 * n->plane[FV_NODE_PLANE(g->node[k]) - g->first];
    const real sense = FV_NODE_BEYOND(g->node[k]) ? -R(1.0) : R(1.0);
    real c = p[3];
    for (int a = 0; a < 3; a++) {
      h.n[h.count][a] = sense * (p[a] * (box->high[a] - box->low[a]));
      c -= p[a] * (R(0.5) * (box->low[a] + box->high[a]));
    }
    h.c[h.count++] = sense * c;
  }
  fv_clip_halves(&h, &shape);
  g->has_room &= h.has_room;
  if (shape.count == 0) return 0;
  for (int a = 0; a < 3; a++) { /* the mean of its corners */
    real sum = R(0.0);
    for (int i = 0; i < shape.count; i++) sum += shape.at[i][a];
    at[a] = R(0.5) * (box->low[a] + box->high[a]) +
            sum / (real)shape.count * (box->high[a] - box->low[a]);
  }
  return !fv_is_solid(s, at);
}

TRM_INLINE int fv_count_bits(const trm_index bits)
{
  int count = 0;
  for (int f = 0; f < FV_NEAR_FACETS; f++) count += (int)(bits >> f & 1);
  return count;
}

/* The plane of a facet, of those by bits, that splits the fewest others; the first one of these. */
TRM_INLINE int fv_choose_plane(const fv_shape *s, const fv_near *n, const fv_sides *sides,
                               const trm_index facets)
{
  int best = -1, fewest = 0;
  for (int p = 0; p < n->planes; p++) {
    int is_there = 0;
    for (int f = 0; f < n->facets && !is_there; f++)
      is_there = (int)(facets >> f & 1) && fv_has_plane(s, n, f, p);
    if (!is_there) continue;
    const int splits = fv_count_bits(facets & sides->inside[p] & sides->beyond[p]);
    if (best >= 0 && splits >= fewest) continue;
    best = p;
    fewest = splits;
  }
  return best;
}

/* Regions still to split: a node, and the facets that meet it. */
#define FV_REGIONS 48
typedef struct fv_regions { int node[FV_REGIONS], count; trm_index facets[FV_REGIONS]; } fv_regions;

TRM_INLINE void fv_grow_tree(const fv_shape *s, const fv_near *n, const fv_box *box, fv_grown *g)
{
  fv_sides sides;
  fv_regions r;
  real middle[3];
  for (int a = 0; a < 3; a++) middle[a] = R(0.5) * (box->low[a] + box->high[a]);
  fv_find_sides(s, n, middle, &sides);
  r.count = 1;
  r.node[0] = -1;
  r.facets[0] = FV_BIT(n->facets) - 1;
  while (r.count > 0 && g->has_room) {
    const int node = r.node[--r.count];
    const trm_index facets = r.facets[r.count];
    if (facets == 0) {
      if (fv_is_gas(s, n, box, g, node)) fv_add_leaf(g, node);
      continue;
    }
    const int plane = fv_choose_plane(s, n, &sides, facets);
    const trm_index split = facets & sides.inside[plane] & sides.beyond[plane];
    g->has_room &= r.count + 2 <= FV_REGIONS;
    for (int is_beyond = 0; is_beyond < 2 && g->has_room; is_beyond++) {
      r.node[r.count] = fv_add_node(g, plane, is_beyond, node);
      r.facets[r.count++] = facets & (is_beyond ? sides.beyond[plane] : sides.inside[plane]);
    }
    for (int i = 0; i < 2 * n->facets && g->has_room; i++) {
      const int to = r.count - 1 - i % 2, f = i / 2;
      if ((int)(split >> f & 1) && !fv_is_in_region(s, n, box, g, r.node[to], f))
        r.facets[to] &= ~FV_BIT(f);
    }
  }
}

/* ---- the cell's tree ---------------------------------------------------------------------- */

/* Grows the tree of a body below each leaf that is there: at first the root, number -1. */
TRM_INLINE void fv_graft(const fv_grown *g, const int is_first, TRM_OUT(int) tree)
{
  int before[FV_MOST_LEAVES];
  const int count = is_first ? 1 : tree[FV_TREE_LEAVES];
  int nodes = tree[FV_TREE_NODES], leaves = 0;
  for (int i = 0; i < count; i++)
    before[i] = is_first ? -1 : FV_LEAF_NODE(tree[FV_TREE_LEAF + i]);
  if (!g->has_room || nodes + count * g->nodes > FV_MOST_NODES ||
      count * g->leaves > FV_MOST_LEAVES) {
    tree[FV_TREE_STATE] = FV_NO_ROOM;
    tree[FV_TREE_LEAVES] = 0;
    return;
  }
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < g->nodes; k++) {
      const int parent = FV_NODE_PARENT(g->node[k]);
      tree[FV_TREE_NODE + nodes + k] = FV_NODE(FV_NODE_PLANE(g->node[k]),
                                               FV_NODE_BEYOND(g->node[k]),
                                               parent < 0 ? before[i] : nodes + parent);
    }
    for (int k = 0; k < g->leaves; k++)
      tree[FV_TREE_LEAF + leaves++] = FV_LEAF(nodes + g->leaf[k], 0);
    nodes += g->nodes;
  }
  tree[FV_TREE_NODES] = nodes;
  tree[FV_TREE_LEAVES] = leaves;
}

/* Adds a body that the cell's box meets. */
TRM_INLINE void fv_add_body(const fv_shape *s, const int body, const fv_box *box,
                            const fv_near *n, const int is_first, TRM_OUT(int) tree)
{
  const int first = tree[FV_TREE_PLANES];
  fv_grown g;
  g.nodes = g.leaves = 0;
  g.has_room = n->planes <= FV_NEAR_PLANES && n->facets <= FV_NEAR_FACETS &&
               first + n->planes <= FV_MOST_PLANES;
  g.first = first;
  for (int k = 0; k < n->planes && g.has_room; k++) {
    TRM_OUT(int) plane = tree + FV_TREE_PLANE + FV_TREE_PLANE_INTS * (first + k);
    plane[0] = body;
    plane[1] = n->plane[k];
    plane[2] = -1;
  }
  if (g.has_room) {
    const int kind = fv_kind_of(s, n);
    tree[FV_TREE_PLANES] += n->planes;
    if (kind == FV_FOUND_TREE) fv_grow_tree(s, n, box, &g);
    else fv_grow_chain(n->planes, kind, &g);
  }
  fv_graft(&g, is_first, tree);
}

/* Leaves that two of their planes leave nothing of go. */
TRM_INLINE void fv_drop_leaves(const fv_tree_at *t, TRM_OUT(int) tree, fv_leaf *leaf)
{
  int kept = 0;
  for (int i = 0; i < tree[FV_TREE_LEAVES]; i++) {
    const int own = tree[FV_TREE_LEAF + i];
    fv_clear_leaf(leaf);
    fv_take_path(t, FV_LEAF_NODE(own), -1, -1, leaf);
    if (!leaf->has_room) tree[FV_TREE_STATE] = FV_NO_ROOM;
    if (!fv_leaf_is_nothing(leaf, tree[FV_TREE_TURNS])) tree[FV_TREE_LEAF + kept++] = own;
  }
  tree[FV_TREE_LEAVES] = kept;
}

/* Finds planes that are one with a plane of an earlier body, which is not itself another one's. */
TRM_INLINE void fv_unite_planes(const fv_tree_at *t, TRM_OUT(int) tree)
{
  for (int k = 1; k < tree[FV_TREE_PLANES]; k++) {
    TRM_OUT(int) plane = tree + FV_TREE_PLANE + FV_TREE_PLANE_INTS * k;
    const fv_cut_plane own = fv_plane_by_body(t, k);
    for (int j = 0; j < k && plane[2] < 0; j++) {
      TRM_IN(int) earlier = tree + FV_TREE_PLANE + FV_TREE_PLANE_INTS * j;
      if (earlier[0] == plane[0] || earlier[2] >= 0) continue;
      const fv_cut_plane other = fv_plane_by_body(t, j);
      if (fv_is_same(&own, &other)) plane[2] = j;
    }
  }
}

/* own: the cell's FV_FOUND_INTS. */
TRM_INLINE void fv_make_tree(const fv_volumes_params p, const fv_tree_at *t, TRM_OUT(int) own,
                             TRM_OUT(int) tree)
{
  int bodies = 0;
  for (int i = 0; i < FV_TREE_CELL; i++) tree[i] = 0;
  tree[FV_TREE_RESTS] = 1;
  for (int body = 0; body < p.bodies && tree[FV_TREE_STATE] == 0; body++) {
    const fv_shape s = fv_shape_of(t->shapes, t->tables, body);
    const fv_box box = fv_cell_box(&s, t->cell);
    fv_near n;
    fv_find_near(&s, &box, &n);
    if (!n.touches) continue;
    if (bodies == 0) own[0] = body;
    tree[FV_TREE_TURNS] |= fv_turns(s.own);
    tree[FV_TREE_RESTS] &= fv_rests(&s);
    fv_add_body(&s, body, &box, &n, bodies == 0, tree);
    bodies++;
  }
  if (bodies > 1) fv_unite_planes(t, tree);
  own[1] = 0;
  own[FV_FOUND_TREE_BODIES] = bodies;
}

/* ---- parts -------------------------------------------------------------------------------- */

/* Whether two leaves meet on the plane that splits their regions. */
TRM_INLINE int fv_leaves_meet(const fv_tree_at *t, const int i, const int j, fv_bench *b)
{
  TRM_IN(int) nodes = t->tree + FV_TREE_NODE;
  const int turns = t->tree[FV_TREE_TURNS];
  int low = i, high = j, meet = 0;
  while (FV_NODE_PARENT(nodes[low]) != FV_NODE_PARENT(nodes[high])) {
    if (low > high) low = FV_NODE_PARENT(nodes[low]); /* parents have lower numbers */
    else high = FV_NODE_PARENT(nodes[high]);
  }
  const fv_cut_plane on = fv_plane_of_node(t, low);
  fv_clear_leaf(&b->leaf);
  fv_take_path(t, i, -1, low, &b->leaf);
  fv_take_path(t, j, FV_NODE_PARENT(nodes[high]), high, &b->leaf);
  for (int when = turns; when <= 2 * turns && !meet; when++)
    meet = fv_leaf_on(b, &on, 0, fv_side_of_node(t, low), when,
                      fv_steep_axis(on.n[when == FV_AT_END])).volume > R(0.0);
  return meet;
}

/* Unites the leaves that meet, each by its least one. */
TRM_INLINE void fv_unite_leaves(const fv_tree_at *t, const int leaves, int *least, fv_bench *b)
{
  for (int j = 0; j < leaves; j++) {
    least[j] = j;
    for (int i = 0; i < j; i++) {
      if (least[i] == least[j]) continue;
      const int meet = fv_leaves_meet(t, FV_LEAF_NODE(t->tree[FV_TREE_LEAF + i]),
                                      FV_LEAF_NODE(t->tree[FV_TREE_LEAF + j]), b);
      const int one = least[i], other = least[j], less = one < other ? one : other;
      b->has_room &= b->leaf.has_room;
      for (int k = 0; k <= j && meet; k++)
        if (least[k] == one || least[k] == other) least[k] = less;
    }
  }
}

/* Numbers the parts that have gas at an end or on a face. is_there: by leaf. Leaves of no part go.
 * Returns how many parts there are; those beyond FV_CELL_PARTS are one with the last. */
TRM_INLINE int fv_number_leaves(const int leaves, const int *least, const uchar *is_there,
                                TRM_OUT(int) tree)
{
  uchar part[FV_MOST_LEAVES];
  int parts = 0, kept = 0;
  for (int i = 0; i < leaves; i++) {
    int has_gas = 0;
    if (least[i] != i) continue;
    for (int k = i; k < leaves && !has_gas; k++) has_gas = least[k] == i && is_there[k];
    part[i] = (uchar)(!has_gas ? 255 : parts < FV_CELL_PARTS ? parts : FV_CELL_PARTS - 1);
    parts += has_gas && parts < FV_CELL_PARTS;
  }
  for (int i = 0; i < leaves; i++) {
    const int own = part[least[i]], node = FV_LEAF_NODE(tree[FV_TREE_LEAF + i]);
    if (own < 255) tree[FV_TREE_LEAF + kept++] = FV_LEAF(node, own);
  }
  tree[FV_TREE_LEAVES] = kept;
  return parts;
}

/* The gas of all leaves: at both ends, then on upper faces. is_there: of each leaf, whether it has
 * gas there or on a lower face. */
TRM_INLINE void fv_sum_leaves(const fv_tree_at *t, const int leaves, fv_moments *gas,
                              uchar *is_there, fv_bench *b)
{
  for (int part = 0; part < 5; part++)
    gas[part].volume = gas[part].moment[0] = gas[part].moment[1] = gas[part].moment[2] = R(0.0);
  for (int i = 0; i < leaves; i++) {
    is_there[i] = 0;
    for (int part = 0; part < 8 && !(part > 4 && is_there[i]); part++) {
      if (part == 0 || part > 4) {
        fv_clear_leaf(&b->leaf);
        fv_take_path(t, FV_LEAF_NODE(t->tree[FV_TREE_LEAF + i]), -1, -1, &b->leaf);
      }
      if (part > 4) fv_lower_planes(&b->leaf, part - 5);
      const fv_moments m = fv_leaf_part(b, part > 4 ? part - 3 : part, t->tree[FV_TREE_TURNS]);
      if (part < 5) fv_add_moments(&gas[part], &m);
      is_there[i] |= m.volume > R(0.0);
      b->has_room &= b->leaf.has_room;
    }
  }
}

/* which: the list of trees. trees: FV_TREE_INTS of each. */
TRM_GROUP_KERNEL7(fv_volumes_tree, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                  TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) list, TRM_RO(int) which,
                  TRM_RW(int) found, TRM_RW(int) trees)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index i = (trm_index)group * TRM_GROUP + lane;
    if (i < p.trees) {
      TRM_OUT(int) own = found + (trm_index)which[i] * FV_FOUND_INTS;
      TRM_OUT(int) tree = trees + i * FV_TREE_INTS;
      int cell[3];
      fv_cell_place(p, leaves, list[which[i]], cell);
      for (int a = 0; a < 3; a++) tree[FV_TREE_CELL + a] = cell[a];
      const fv_tree_at t = fv_tree_of(shapes, tables, tree);
      fv_make_tree(p, &t, own, tree);
      own[FV_FOUND_TREE_PLACE] = (int)i;
    }
  }
}

/* The gas of the trees' cells, and their parts: flags as fv_volumes_link has them. parts: whether
 * there are several. In a step that follows another, the gas at the begin is that of the
 * other's end. */
TRM_GROUP_KERNEL11(fv_volumes_tree_link, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                   TRM_RO(int) tables, TRM_RO(int) list, TRM_RO(int) which,
                   TRM_RO(int) was, TRM_RO(real) was_gas, TRM_RW(int) found, TRM_RW(int) parts,
                   TRM_RW(int) flags, TRM_RW(real) gas, TRM_RW(int) trees)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index i = (trm_index)group * TRM_GROUP + lane;
    if (i < p.trees) {
      const trm_index k = which[i];
      TRM_OUT(int) tree = trees + i * FV_TREE_INTS;
      int least[FV_MOST_LEAVES];
      uchar is_there[FV_MOST_LEAVES];
      fv_moments sum[5];
      fv_bench b;
      const fv_tree_at t = fv_tree_of(shapes, tables, tree);
      fv_drop_leaves(&t, tree, &b.leaf);
      const int count = tree[FV_TREE_LEAVES];
      b.has_room = 1;
      fv_sum_leaves(&t, count, sum, is_there, &b);
      if (p.follows) sum[0] = fv_gas_before(was[list[k]], was_gas);
      if (tree[FV_TREE_RESTS]) sum[1] = sum[0];
      for (int part = 0; part < 5; part++)
        fv_put_moments(&sum[part], gas + k * FV_GAS_REALS + 4 * part);
      fv_unite_leaves(&t, count, least, &b);
      const int own = fv_number_leaves(count, least, is_there, tree);
      if (!b.has_room) tree[FV_TREE_STATE] = FV_NO_ROOM;
      found[k * FV_FOUND_INTS + FV_FOUND_TREE_PARTS] = own;
      for (int j = 0; j < FV_FOUND_PLANES; j++) parts[k * FV_FOUND_PLANES + j] = own - 1;
      for (int j = 0; j < FV_CELL_PARTS; j++) flags[k * FV_CELL_PARTS + j] = j < own;
    }
  }
}

/* The gas of part q at an end, from its leaves. */
TRM_INLINE fv_moments fv_gas_of_part(const fv_tree_at *t, const int q, const int end, fv_bench *b)
{
  fv_moments sum = { R(0.0), { R(0.0), R(0.0), R(0.0) } };
  for (int j = 0; j < t->tree[FV_TREE_LEAVES]; j++) {
    const int leaf = t->tree[FV_TREE_LEAF + j];
    if (FV_LEAF_PART(leaf) != q) continue;
    fv_clear_leaf(&b->leaf);
    fv_take_path(t, FV_LEAF_NODE(leaf), -1, -1, &b->leaf);
    const fv_moments m = fv_leaf_in(b, end);
    fv_add_moments(&sum, &m);
  }
  return sum;
}

/* The gas of each part: of the cell, or of its leaves. to: as fv_volumes_number has it. */
TRM_GROUP_KERNEL8(fv_volumes_tree_number, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                  TRM_RO(int) tables, TRM_RO(int) which, TRM_RO(int) found, TRM_RO(int) trees,
                  TRM_RO(real) gas, TRM_RO(int) numbers, TRM_RW(real) to)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index i = (trm_index)group * TRM_GROUP + lane;
    if (i < p.trees) {
      const trm_index k = which[i];
      const int parts = found[k * FV_FOUND_INTS + FV_FOUND_TREE_PARTS];
      fv_bench b;
      const fv_tree_at t = fv_tree_of(shapes, tables, trees + i * FV_TREE_INTS);
      for (int q = 0; q < parts; q++) {
        TRM_OUT(real) own = to + (trm_index)numbers[k * FV_CELL_PARTS + q] * FV_VOLUME_REALS;
        for (int r = 0; r < FV_VOLUME_REALS && parts == 1; r++) own[r] = gas[k * FV_GAS_REALS + r];
        for (int e = 0; e < 2 && parts > 1; e++) {
          const fv_moments m = fv_gas_of_part(&t, q, e, &b);
          fv_put_moments(&m, own + 4 * e);
        }
        for (int e = 0; e < 2 && found[k * FV_FOUND_INTS + FV_FOUND_TREE_BODIES] > 1; e++)
          for (int a = 3; a >= 0 && own[4 * e] <= FV_DUST; a--) own[4 * e + a] = R(0.0);
      }
    }
  }
}
