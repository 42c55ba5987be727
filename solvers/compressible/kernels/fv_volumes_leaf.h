/* fv_volumes_leaf.h - a leaf: a convex piece of a cell's gas, which half-spaces leave of the cell.
 * Each half-space moves with its body. So bodies of different velocities have leaves in common.
 *
 * The cell at either end is a cube. A face in the step is one, too, and so is one of the planes in
 * the step. Half-spaces cut a leaf out of each of these cubes (fv_convex.h). Leaves of a cell lie
 * beside each other: one has a plane's inside, another one its outside. So sums over leaves leave
 * nothing out.
 *
 * Planes of two bodies may be the same. Then the later body is larger by less than any number. So
 * bodies that touch leave no gap, and a leaf between the planes has no volume, but sides. */

#define FV_LEAF_PLANES 44

/* n.x < c of each plane is kept. side: FV_KEPT_SIDE of each. */
typedef struct fv_leaf {
  fv_cut_plane plane[FV_LEAF_PLANES];
  int side[FV_LEAF_PLANES], planes, has_room;
} fv_leaf;

/* A body, and whether its outside is kept. */
#define FV_KEPT_SIDE(body, is_beyond) (2 * (body) + (is_beyond))

/* Half-spaces n.x < c in the frame of a cube. */
typedef struct fv_halves {
  real n[FV_LEAF_PLANES][3], c[FV_LEAF_PLANES];
  int count, has_room;
} fv_halves;

/* The place of work of several functions. All share one, since an item has little room. */
typedef struct fv_bench {
  fv_leaf leaf;
  fv_halves halves;
  fv_convex shape;
  int has_room;                /* so far */
} fv_bench;

TRM_INLINE void fv_clear_leaf(fv_leaf *leaf)
{
  leaf->planes = 0;
  leaf->has_room = 1;
}

/* The plane with its sides exchanged. */
TRM_INLINE fv_cut_plane fv_reversed(const fv_cut_plane *plane)
{
  fv_cut_plane to;
  for (int e = 0; e < 2; e++) {
    for (int a = 0; a < 3; a++) to.n[e][a] = -plane->n[e][a];
    to.c[e] = -plane->c[e];
  }
  return to;
}

TRM_INLINE void fv_add_plane(fv_leaf *leaf, const fv_cut_plane *plane, const int side)
{
  leaf->has_room &= leaf->planes < FV_LEAF_PLANES;
  if (leaf->planes == FV_LEAF_PLANES) return;
  leaf->side[leaf->planes] = side;
  leaf->plane[leaf->planes++] = *plane;
}

/* The frame of the cell below along an axis takes the place of the cell's. */
TRM_INLINE void fv_lower_planes(fv_leaf *leaf, const int axis)
{
  for (int k = 0; k < leaf->planes; k++)
    for (int e = 0; e < 2; e++) leaf->plane[k].c[e] += leaf->plane[k].n[e][axis];
}

/* A half-space that leaves nothing is asked first. */
TRM_INLINE void fv_clip_halves(fv_halves *h, fv_convex *shape)
{
  fv_convex_cube(shape);
  for (int k = 0; k < h->count; k++)
    if (h->c[k] <= -fv_reach_of(h->n[k])) shape->count = shape->is_cube = 0;
  for (int k = 0; k < h->count && shape->count > 0; k++)
    h->has_room &= fv_convex_clip(shape, h->n[k], h->c[k]);
}

/* cube: one of fv_plane_in. */
TRM_INLINE fv_moments fv_leaf_in(fv_bench *b, const int cube)
{
  fv_halves *h = &b->halves;
  h->count = b->leaf.planes;
  h->has_room = b->leaf.has_room;
  for (int k = 0; k < h->count; k++) h->c[k] = fv_plane_in(&b->leaf.plane[k], cube, h->n[k]);
  if (h->count == 1) return fv_plane_cube(h->n[0], h->c[0]);
  fv_clip_halves(h, &b->shape);
  b->leaf.has_room = h->has_room;
  return fv_convex_sum(&b->shape);
}

/* The leaf in the cell at the begin (0) and the end (1), and on its upper faces (2 + axis). Faces
 * beside a body that turns have the mean of both ends, linear in between. */
TRM_INLINE fv_moments fv_leaf_part(fv_bench *b, const int part, const int turns)
{
  fv_moments sum = { R(0.0), { R(0.0), R(0.0), R(0.0) } };
  const int ends = part >= 2 && turns ? 2 : 1;
  const real share = ends == 2 ? R(0.5) : R(1.0);
  real way = R(0.0);
  for (int e = 0; e < ends; e++) {
    const fv_moments m = fv_leaf_in(b, ends == 2 ? part + 3 + 3 * e : part);
    sum.volume += share * m.volume;
    for (int a = 0; a < 3; a++) sum.moment[a] += share * m.moment[a];
    way += e == 0 ? -m.volume : m.volume;
  }
  if (ends == 2) sum.moment[2] = way / R(12.0);
  return sum;
}

TRM_INLINE void fv_add_moments(fv_moments *to, const fv_moments *m)
{
  to->volume += m->volume;
  for (int a = 0; a < 3; a++) to->moment[a] += m->moment[a];
}

/* ---- on a plane --------------------------------------------------------------------------- */

/* The axis along which a plane is solved for the place: the first of its largest components, where
 * a thousandth makes no difference. So planes that nearly agree have the same one. The points are a
 * cube of the next axis, the axis after that, and time. */
TRM_INLINE int fv_steep_axis(const real *n)
{
  const int axis = trm_fabs(n[1]) > R(1.001) * trm_fabs(n[0]) ? 1 : 0;
  return trm_fabs(n[2]) > R(1.001) * trm_fabs(n[axis]) ? 2 : axis;
}

/* When a plane is looked at: over the step, at the begin, at the end. */
#define FV_IN_STEP 0
#define FV_AT_BEGIN 1
#define FV_AT_END 2

TRM_INLINE real fv_middle_of(const fv_cut_plane *plane, const int when)
{
  return when == FV_IN_STEP ? R(0.5) * (plane->c[0] + plane->c[1]) : plane->c[when - 1];
}

TRM_INLINE real fv_way_of(const fv_cut_plane *plane, const int when)
{
  return when == FV_IN_STEP ? plane->c[1] - plane->c[0] : R(0.0);
}

/* A half-space on the plane `on`, in the frame of its cube. It is scaled by the plane's component
 * along the axis, so no quotient is rounded. Hence a side of the cell has the numbers that the
 * plane has on that face. Each of two planes has the other's numbers, but for the sign. Walls and
 * openings then end at the same places, however small the angle between them. */
TRM_INLINE real fv_half_on(const fv_cut_plane *on, const fv_cut_plane *side, const int when,
                           const int axis, real *n)
{
  const int e = when == FV_AT_END, b = (axis + 1) % 3, c = (axis + 2) % 3;
  const real steep = trm_fabs(on->n[e][axis]);
  const real share = on->n[e][axis] < R(0.0) ? -side->n[e][axis] : side->n[e][axis];
  n[0] = steep * side->n[e][b] - share * on->n[e][b];
  n[1] = steep * side->n[e][c] - share * on->n[e][c];
  n[2] = share * fv_way_of(on, when) - steep * fv_way_of(side, when);
  return steep * fv_middle_of(side, when) - share * fv_middle_of(on, when);
}

/* Whether n.x < c is a tie: the plane is the one that it is asked on. */
TRM_INLINE int fv_is_tie(const real *n, const real c)
{
  return n[0] == R(0.0) && n[1] == R(0.0) && n[2] == R(0.0) && c == R(0.0);
}

/* Whether a half-space holds the same plane of another one. */
TRM_INLINE int fv_holds_tie(const fv_cut_plane *on, const int on_side, const fv_cut_plane *plane,
                            const int side, const int axis)
{
  if (side / 2 == on_side / 2) return 1;
  if (side / 2 > on_side / 2) return side % 2 == 0;
  return ((plane->n[0][axis] < R(0.0)) != (on->n[0][axis] < R(0.0))) == (on_side % 2 == 0);
}

/* The part of a plane in the cell that the leaf's half-spaces leave. For a wall, `below` is the
 * plane in the frame of the cell below along the axis; else it is 0. A wall may agree with a side
 * of the cell but for rounding. Then it is in the cell where it shuts the face. The cell below
 * has the lower face, by the own frame of that cell. */
TRM_INLINE fv_moments fv_leaf_on(fv_bench *b, const fv_cut_plane *on, const fv_cut_plane *below,
                                 const int on_side, const int when, const int axis)
{
  fv_cut_plane side; /* of the cell, along the axis */
  fv_halves *h = &b->halves;
  for (int e = 0; e < 2; e++) {
    for (int a = 0; a < 3; a++) side.n[e][a] = a == axis ? R(1.0) : R(0.0);
    side.c[e] = R(0.5);
  }
  h->count = b->leaf.planes + 2;
  h->has_room = b->leaf.has_room && h->count <= FV_LEAF_PLANES;
  if (!h->has_room) h->count = 0;
  for (int k = 0; k < h->count; k++) {
    const int is_side = k >= b->leaf.planes, is_lower = k > b->leaf.planes;
    const fv_cut_plane *own = is_side ? &side : &b->leaf.plane[k];
    h->c[k] = fv_half_on(is_lower && below ? below : on, own, when, axis, h->n[k]);
    if (fv_is_tie(h->n[k], h->c[k])) {
      const int holds =
          is_side ? below != 0 : fv_holds_tie(on, on_side, own, b->leaf.side[k], axis);
      h->c[k] = holds ? R(1.0) : -R(1.0);
    }
    for (int e = 0; e < 2 && is_side; e++) { /* then the lower one, the upper one below */
      side.n[e][axis] = -R(1.0);
      side.c[e] = below ? -R(0.5) : R(0.5);
    }
  }
  fv_clip_halves(h, &b->shape);
  b->leaf.has_room = h->has_room;
  return fv_convex_sum(&b->shape);
}

/* Whether half-spaces j and k of a leaf are the two sides of one plane, and hold it. */
TRM_INLINE int fv_holds_plane(const fv_leaf *leaf, const int j, const int k, const int turns)
{
  const fv_cut_plane *on = &leaf->plane[j], *plane = &leaf->plane[k];
  const int axis = fv_steep_axis(on->n[0]);
  int holds = leaf->side[j] / 2 != leaf->side[k] / 2 &&
              (on->n[0][axis] < R(0.0)) != (plane->n[0][axis] < R(0.0));
  for (int when = turns; when <= 2 * turns; when++) {
    real n[3];
    const real c = fv_half_on(on, plane, when, axis, n);
    holds &= fv_is_tie(n, c);
  }
  return holds && fv_holds_tie(on, leaf->side[j], plane, leaf->side[k], axis);
}

/* Whether any two half-spaces of a leaf have no place of the cell in common. */
TRM_INLINE int fv_leaf_is_nothing(const fv_leaf *leaf, const int turns)
{
  const fv_cubes cubes = fv_cell_cubes(turns);
  int is_nothing = 0;
  for (int j = 0; j < leaf->planes && !is_nothing; j++)
    for (int k = 0; k <= j && !is_nothing; k++) {
      const fv_cut_plane beyond[2] = { fv_reversed(&leaf->plane[j]), fv_reversed(&leaf->plane[k]) };
      is_nothing = !fv_planes_meet(&beyond[0], &beyond[1], cubes) &&
                   !fv_holds_plane(leaf, j, k, turns);
    }
  return is_nothing;
}

/* Leaf i of a cell of kind CONVEX: the gas beyond plane i, inside of the planes before it. */
TRM_INLINE void fv_add_chain(const fv_shape *s, const int body, const int *cell,
                             TRM_IN(int) planes, const int i, fv_leaf *to)
{
  real middle[2][3];
  for (int e = 0; e < 2; e++) fv_cell_middle(s, cell, e, middle[e]);
  for (int j = 0; j <= i; j++) {
    const fv_cut_plane plane = fv_place_plane(s, middle, planes[j]);
    const fv_cut_plane other = fv_reversed(&plane);
    fv_add_plane(to, j == i ? &other : &plane, FV_KEPT_SIDE(body, j == i));
  }
}

/* ---- leaves of a tree --------------------------------------------------------------------- */

/* A cell's tree, and bodies and cell to place its planes. */
typedef struct fv_tree_at {
  TRM_IN(int) tree;
  TRM_IN(real) shapes;
  TRM_IN(int) tables;
  int cell[3];
} fv_tree_at;

TRM_INLINE fv_tree_at fv_tree_of(TRM_IN(real) shapes, TRM_IN(int) tables, TRM_IN(int) tree)
{
  fv_tree_at t;
  t.tree = tree;
  t.shapes = shapes;
  t.tables = tables;
  for (int a = 0; a < 3; a++) t.cell[a] = tree[FV_TREE_CELL + a];
  return t;
}

/* A plane of the tree as its own body has it. */
TRM_INLINE fv_cut_plane fv_plane_by_body(const fv_tree_at *t, const int number)
{
  TRM_IN(int) plane = t->tree + FV_TREE_PLANE + FV_TREE_PLANE_INTS * number;
  const fv_shape s = fv_shape_of(t->shapes, t->tables, plane[0]);
  real middle[2][3];
  for (int e = 0; e < 2; e++) fv_cell_middle(&s, t->cell, e, middle[e]);
  return fv_place_plane(&s, middle, plane[1]);
}

/* Planes of two bodies that are nearer all over the cell, at both ends, are one. Else rounding
 * decides, for each cell by itself, whether gas is between them. */
#define FV_ONE_PLANE R(5e-13)

TRM_INLINE real fv_direction_of(const fv_cut_plane *j, const fv_cut_plane *k, const int e)
{
  const real along =
      (j->n[e][0] * k->n[e][0] + j->n[e][1] * k->n[e][1]) + j->n[e][2] * k->n[e][2];
  return along < R(0.0) ? -R(1.0) : R(1.0);
}

/* Whether two planes are one, either way around. */
TRM_INLINE int fv_is_same(const fv_cut_plane *j, const fv_cut_plane *k)
{
  int is_same = 1;
  for (int e = 0; e < 2; e++) {
    const real sense = fv_direction_of(j, k, e);
    real off = trm_fabs(j->c[e] - sense * k->c[e]);
    for (int a = 0; a < 3; a++) off += R(0.5) * trm_fabs(j->n[e][a] - sense * k->n[e][a]);
    is_same &= off <= FV_ONE_PLANE;
  }
  return is_same;
}

/* A plane of the tree. If it is one with a plane of an earlier body, it is that one. */
TRM_INLINE fv_cut_plane fv_plane_in_tree(const fv_tree_at *t, const int number)
{
  const int same = t->tree[FV_TREE_PLANE + FV_TREE_PLANE_INTS * number + 2];
  fv_cut_plane own = fv_plane_by_body(t, number);
  if (same < 0) return own;
  const fv_cut_plane other = fv_plane_by_body(t, same);
  for (int e = 0; e < 2; e++) {
    const real sense = fv_direction_of(&own, &other, e);
    own.c[e] = sense * other.c[e];
    for (int a = 0; a < 3; a++) own.n[e][a] = sense * other.n[e][a];
  }
  return own;
}

/* The half-space of a node. */
TRM_INLINE fv_cut_plane fv_plane_of_node(const fv_tree_at *t, const int node)
{
  const int own = t->tree[FV_TREE_NODE + node];
  const fv_cut_plane placed = fv_plane_in_tree(t, FV_NODE_PLANE(own));
  return FV_NODE_BEYOND(own) ? fv_reversed(&placed) : placed;
}

/* The same in the frame of the cell below along an axis. */
TRM_INLINE fv_cut_plane fv_plane_from_below(const fv_tree_at *t, const int node, const int axis)
{
  fv_tree_at below = *t;
  below.cell[axis]--;
  return fv_plane_of_node(&below, node);
}

TRM_INLINE int fv_side_of_node(const fv_tree_at *t, const int node)
{
  const int own = t->tree[FV_TREE_NODE + node];
  TRM_IN(int) plane = t->tree + FV_TREE_PLANE + FV_TREE_PLANE_INTS * FV_NODE_PLANE(own);
  return FV_KEPT_SIDE(plane[0], FV_NODE_BEYOND(own));
}

/* Adds the half-spaces from a node up to the node `stop`, but not these of `stop` and `less`. */
TRM_INLINE void fv_take_path(const fv_tree_at *t, const int node, const int stop, const int less,
                             fv_leaf *to)
{
  for (int k = node; k != stop; k = FV_NODE_PARENT(t->tree[FV_TREE_NODE + k])) {
    if (k == less) continue;
    const fv_cut_plane own = fv_plane_of_node(t, k);
    fv_add_plane(to, &own, fv_side_of_node(t, k));
  }
}
