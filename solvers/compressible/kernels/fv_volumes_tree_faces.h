/* fv_volumes_tree_faces.h - face parts and walls of the cells of fv_volumes_tree.h.
 *
 * A face part is the gas on a face that a part of the cell below and a part of the cell above have
 * in common. Where one of these cells has one part alone, the other cell's leaves are enough. Each
 * leaf has its part. So no face part is searched for, and openings add up for each volume.
 *
 * These maps follow fv_volumes_faces, fv_volumes_join and fv_volumes_open. They write anew what
 * concerns faces with such a cell below or above. */

/* A cell on one side of a face. */
typedef struct fv_across { int k, kind, parts, turns, leaves; fv_tree_at tree; } fv_across;

/* The arrays of all listed cells. */
typedef struct fv_cells {
  fv_volumes_params p;
  TRM_IN(real) shapes;
  TRM_IN(int) tables;
  TRM_IN(int) leaves;
  TRM_IN(int) beside;
  TRM_IN(int) list;
  TRM_IN(int) kinds;
  TRM_IN(int) found;
  TRM_IN(int) parts;
  TRM_IN(int) trees;
} fv_cells;

TRM_INLINE fv_across fv_cell_across(const fv_cells *cells, const int cell)
{
  fv_across s;
  s.kind = FV_FOUND_KIND(cells->kinds[cell]);
  s.k = fv_is_listed(cells->list, cells->kinds, cell) ? FV_FOUND_PLACE(cells->kinds[cell]) : -1;
  s.parts = s.kind != FV_FOUND_SOLID;
  s.turns = s.leaves = 0;
  s.tree.tree = cells->trees;
  s.tree.shapes = cells->shapes;
  s.tree.tables = cells->tables;
  if (s.kind < FV_FOUND_PLANE) return s;
  TRM_IN(int) own = cells->found + (trm_index)s.k * FV_FOUND_INTS;
  fv_cell_place(cells->p, cells->leaves, cell, s.tree.cell);
  if (s.kind == FV_FOUND_TREE) {
    s.tree.tree += (trm_index)own[FV_FOUND_TREE_PLACE] * FV_TREE_INTS;
    s.parts = own[FV_FOUND_TREE_PARTS];
    s.turns = s.tree.tree[FV_TREE_TURNS];
    s.leaves = s.tree.tree[FV_TREE_LEAVES];
  } else {
    const fv_shape shape = fv_shape_of(cells->shapes, cells->tables, own[0]);
    s.turns = fv_turns(shape.own);
    s.leaves = s.kind == FV_FOUND_CONVEX ? own[1] : 1;
    for (int j = 0; j < own[1] && s.kind == FV_FOUND_CONVEX; j++) {
      const int part = cells->parts[(trm_index)s.k * FV_FOUND_PLANES + j];
      s.parts = s.parts > part + 1 ? s.parts : part + 1;
    }
  }
  return s;
}

/* The part of leaf i of a cell of several parts, -1: none. */
TRM_INLINE int fv_part_across(const fv_cells *cells, const fv_across *s, const int i)
{
  return s->kind == FV_FOUND_TREE ? FV_LEAF_PART(s->tree.tree[FV_TREE_LEAF + i])
                                  : cells->parts[(trm_index)s->k * FV_FOUND_PLANES + i];
}

/* Adds the half-spaces of leaf i. */
TRM_INLINE void fv_add_leaf_across(const fv_cells *cells, const fv_across *s, const int i,
                                   fv_leaf *to)
{
  if (s->kind == FV_FOUND_TREE) {
    fv_take_path(&s->tree, FV_LEAF_NODE(s->tree.tree[FV_TREE_LEAF + i]), -1, -1, to);
    return;
  }
  TRM_IN(int) own = cells->found + (trm_index)s->k * FV_FOUND_INTS;
  const fv_shape shape = fv_shape_of(cells->shapes, cells->tables, own[0]);
  fv_add_chain(&shape, own[0], s->tree.cell, own + 2, i, to);
}

/* The opening of a cell's upper face with its moments; number: a place in kinds. */
TRM_INLINE fv_moments fv_upper_opening(const int number, TRM_IN(real) gas, const int axis)
{
  const int kind = FV_FOUND_KIND(number);
  const trm_index place = (trm_index)FV_FOUND_PLACE(number) * FV_GAS_REALS;
  fv_moments m = { kind == FV_FOUND_GAS ? R(1.0) : R(0.0), { R(0.0), R(0.0), R(0.0) } };
  if (kind < FV_FOUND_PLANE) return m;
  m.volume = gas[place + FV_GAS_FACES + 4 * axis];
  for (int a = 0; a < 3; a++) m.moment[a] = gas[place + FV_GAS_FACES + 4 * axis + 1 + a];
  return m;
}

/* A face part: the parts of both cells, and its opening. */
typedef struct fv_face_part { int low, high; fv_moments gas; } fv_face_part;

/* The opening that part `low` of the cell below and part `high` of the one above have in common.
 * One of the cells has several parts. */
TRM_INLINE fv_moments fv_common_opening(const fv_cells *cells, const fv_across *below,
                                        const fv_across *above, const int axis, const int low,
                                        const int high, fv_bench *b)
{
  const int turns = below->kind >= FV_FOUND_PLANE ? below->turns : above->turns;
  const int lows = below->parts > 1 ? below->leaves : 1;
  const int highs = above->parts > 1 ? above->leaves : 1;
  fv_moments sum = { R(0.0), { R(0.0), R(0.0), R(0.0) } };
  for (int i = 0; i < lows * highs; i++) {
    if (below->parts > 1 && fv_part_across(cells, below, i / highs) != low) continue;
    if (above->parts > 1 && fv_part_across(cells, above, i % highs) != high) continue;
    fv_clear_leaf(&b->leaf);
    if (above->parts > 1) fv_add_leaf_across(cells, above, i % highs, &b->leaf);
    fv_lower_planes(&b->leaf, axis);
    if (below->parts > 1) fv_add_leaf_across(cells, below, i / highs, &b->leaf);
    const fv_moments m = fv_leaf_part(b, 2 + axis, turns);
    b->has_room &= b->leaf.has_room;
    fv_add_moments(&sum, &m);
  }
  return sum;
}

/* Goes over the parts of a face up to number `wanted`, and returns how many there are so far. */
TRM_INLINE int fv_parts_of_face(const fv_cells *cells, TRM_IN(real) gas, const fv_across *below,
                                const fv_across *above, const int axis, const int wanted,
                                fv_bench *b, fv_face_part *to)
{
  int count = 0;
  to->low = to->high = 0;
  to->gas.volume = to->gas.moment[0] = to->gas.moment[1] = to->gas.moment[2] = R(0.0);
  for (int i = 0; i < below->parts * above->parts && count <= wanted; i++) {
    fv_face_part part;
    part.low = i / above->parts;
    part.high = i % above->parts;
    if (below->parts > 1 || above->parts > 1) {
      part.gas = fv_common_opening(cells, below, above, axis, part.low, part.high, b);
    } else {
      const int number = below->k < 0 ? FV_FOUND_GAS : below->kind + 8 * below->k;
      part.gas = fv_upper_opening(number, gas, axis);
    }
    if (!(part.gas.volume > R(0.0))) continue;
    if (count == wanted) *to = part;
    count++;
  }
  return count;
}

TRM_INLINE fv_cells fv_cells_of(const fv_volumes_params p, TRM_IN(real) shapes, TRM_IN(int) tables,
                                TRM_IN(int) leaves, TRM_IN(int) beside, TRM_IN(int) list,
                                TRM_IN(int) kinds, TRM_IN(int) found, TRM_IN(int) parts,
                                TRM_IN(int) trees)
{
  fv_cells c;
  c.p = p;
  c.shapes = shapes;
  c.tables = tables;
  c.leaves = leaves;
  c.beside = beside;
  c.list = list;
  c.kinds = kinds;
  c.found = found;
  c.parts = parts;
  c.trees = trees;
  return c;
}

/* The flags of fv_volumes_faces, of upper and lower faces of the tree's cells. A lower face of two
 * such cells is the lower one's. A face of too many parts is told in its tree's state. */
TRM_GROUP_KERNEL12(fv_volumes_tree_faces, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                   TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) beside, TRM_RO(int) list,
                   TRM_RO(int) kinds, TRM_RO(int) which, TRM_RO(int) found, TRM_RO(int) parts,
                   TRM_RO(real) gas, TRM_RW(int) trees, TRM_RW(int) flags)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index i = (trm_index)group * TRM_GROUP + lane;
    if (i < p.trees) {
      const fv_cells c =
          fv_cells_of(p, shapes, tables, leaves, beside, list, kinds, found, parts, trees);
      const int cell = list[which[i]];
      fv_bench b;
      b.has_room = 1;
      for (int side = 0; side < 6; side++) {
        const int axis = side / 2, is_above = side % 2;
        const int other = fv_cell_beside(p, beside, cell, axis, is_above);
        if (other < 0) continue;
        const int low = is_above ? cell : other, high = is_above ? other : cell;
        const fv_across below = fv_cell_across(&c, low), above = fv_cell_across(&c, high);
        if (below.k < 0 || (!is_above && below.kind == FV_FOUND_TREE)) continue;
        fv_face_part none;
        int count = fv_parts_of_face(&c, gas, &below, &above, axis, FV_FACE_PARTS, &b, &none);
        if (count > FV_FACE_PARTS || !b.has_room)
          trees[i * FV_TREE_INTS + FV_TREE_STATE] = FV_NO_ROOM_FACES;
        TRM_OUT(int) own = flags + ((trm_index)below.k * FV_CELL_FACES + axis * FV_FACE_PARTS);
        for (int j = 0; j < FV_FACE_PARTS; j++) own[j] = j < count;
      }
    }
  }
}

/* The cells below and above face part f, and the number of the face part; -1 if neither is the
 * tree's. */
TRM_INLINE int fv_take_face(const fv_cells *c, TRM_IN(int) faces, const trm_index f,
                            fv_across *below, fv_across *above, int *axis, int *other)
{
  const int k = faces[f] / FV_CELL_FACES, slot = faces[f] % FV_CELL_FACES;
  const int is_lower = slot >= FV_LOWER_FACES;
  *axis = is_lower ? slot - FV_LOWER_FACES : slot / FV_FACE_PARTS;
  *other = fv_cell_beside(c->p, c->beside, c->list[k], *axis, !is_lower);
  if (FV_FOUND_KIND(c->kinds[c->list[k]]) != FV_FOUND_TREE &&
      FV_FOUND_KIND(c->kinds[*other]) != FV_FOUND_TREE)
    return -1;
  *below = fv_cell_across(c, is_lower ? *other : c->list[k]);
  *above = fv_cell_across(c, is_lower ? c->list[k] : *other);
  return is_lower ? 0 : slot % FV_FACE_PARTS;
}

/* The joins of fv_volumes_join. */
TRM_GROUP_KERNEL12(fv_volumes_tree_join, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                   TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) beside, TRM_RO(int) list,
                   TRM_RO(int) kinds, TRM_RO(int) found, TRM_RO(int) parts, TRM_RO(int) trees,
                   TRM_RO(int) numbers, TRM_RO(int) faces, TRM_RW(int) joins)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index f = (trm_index)group * TRM_GROUP + lane;
    if (f < p.faces) {
      const fv_cells c =
          fv_cells_of(p, shapes, tables, leaves, beside, list, kinds, found, parts, trees);
      fv_across below, above;
      fv_bench b;
      int axis, other;
      const int wanted = fv_take_face(&c, faces, f, &below, &above, &axis, &other);
      if (wanted >= 0) {
        fv_face_part part;
        part.low = part.high = 0;
        if (below.parts > 1 || above.parts > 1)
          fv_parts_of_face(&c, shapes, &below, &above, axis, wanted, &b, &part);
        TRM_OUT(int) to = joins + f * FV_JOIN_INTS;
        to[FV_JOIN_LOW] =
            below.k < 0 ? -1 - other : numbers[(trm_index)below.k * FV_CELL_PARTS + part.low];
        to[FV_JOIN_HIGH] =
            above.k < 0 ? -1 - other : numbers[(trm_index)above.k * FV_CELL_PARTS + part.high];
      }
    }
  }
}

/* The openings of fv_volumes_open, on faces of cells with several parts. */
TRM_GROUP_KERNEL11(fv_volumes_tree_open, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                   TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) beside, TRM_RO(int) list,
                   TRM_RO(int) kinds, TRM_RO(int) found, TRM_RO(int) parts, TRM_RO(int) trees,
                   TRM_RO(int) faces, TRM_RW(real) openings)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index f = (trm_index)group * TRM_GROUP + lane;
    if (f < p.faces) {
      const fv_cells c =
          fv_cells_of(p, shapes, tables, leaves, beside, list, kinds, found, parts, trees);
      fv_across below, above;
      fv_bench b;
      int axis, other;
      const int wanted = fv_take_face(&c, faces, f, &below, &above, &axis, &other);
      if (wanted >= 0 && below.k >= 0 && (below.parts > 1 || above.parts > 1)) {
        fv_face_part part;
        fv_parts_of_face(&c, shapes, &below, &above, axis, wanted, &b, &part);
        fv_put_moments(&part.gas, openings + f * FV_OPENING_REALS);
      }
    }
  }
}

/* ---- walls of several bodies -------------------------------------------------------------- */

/* The integrals of a wall: of its vector, and of x_b n_a. */
typedef struct fv_wall_sum { real vector[3], moment[3][3]; } fv_wall_sum;

/* Adds what the leaf's half-spaces leave of a node's plane. */
TRM_INLINE void fv_add_wall(fv_bench *bench, const fv_tree_at *t, const int node,
                            fv_wall_sum *to)
{
  const int side = fv_side_of_node(t, node), turns = t->tree[FV_TREE_TURNS];
  const fv_cut_plane own = fv_plane_of_node(t, node), *on = &own;
  const real share = turns ? R(0.5) : R(1.0);
  for (int when = turns; when <= 2 * turns; when++) {
    const real *n = on->n[when == FV_AT_END];
    const int axis = fv_steep_axis(n), b = (axis + 1) % 3, c = (axis + 2) % 3;
    const fv_cut_plane below = fv_plane_from_below(t, node, axis);
    const fv_moments m = fv_leaf_on(bench, on, &below, side, when, axis);
    real at[3];
    at[b] = m.moment[0];
    at[c] = m.moment[1];
    at[axis] = ((fv_middle_of(on, when) * m.volume + fv_way_of(on, when) * m.moment[2]) -
                (n[b] * at[b] + n[c] * at[c])) / n[axis];
    for (int a = 0; a < 3; a++) {
      const real part = share * (n[a] / trm_fabs(n[axis]));
      to->vector[a] += part * m.volume;
      for (int d = 0; d < 3; d++) to->moment[a][d] += part * at[d];
    }
  }
}

/* The wall of a body beside a part of the gas: over all sides of its leaves. Where a leaf ends
 * beside another one, both add the same plane with opposite normals. */
TRM_INLINE fv_wall_sum fv_sum_wall(const fv_tree_at *t, const int part, const int body,
                                   fv_bench *b)
{
  fv_wall_sum sum;
  for (int a = 0; a < 3; a++) {
    sum.vector[a] = R(0.0);
    for (int d = 0; d < 3; d++) sum.moment[a][d] = R(0.0);
  }
  for (int i = 0; i < t->tree[FV_TREE_LEAVES]; i++) {
    const int own = t->tree[FV_TREE_LEAF + i];
    if (FV_LEAF_PART(own) != part) continue;
    for (int k = FV_LEAF_NODE(own); k >= 0; k = FV_NODE_PARENT(t->tree[FV_TREE_NODE + k])) {
      const int plane = FV_NODE_PLANE(t->tree[FV_TREE_NODE + k]);
      if (t->tree[FV_TREE_PLANE + FV_TREE_PLANE_INTS * plane] != body) continue;
      fv_clear_leaf(&b->leaf);
      fv_take_path(t, FV_LEAF_NODE(own), -1, k, &b->leaf);
      fv_add_wall(b, t, k, &sum);
      b->has_room &= b->leaf.has_room;
    }
  }
  return sum;
}

TRM_INLINE void fv_put_wall_sum(const fv_shape *s, const int *cell, const fv_wall_sum *sum,
                                TRM_OUT(real) to)
{
  const real *w = sum->vector;
  const real size = (w[0] * w[0] + w[1] * w[1]) + w[2] * w[2];
  for (int b = 0; b < 3; b++) {
    const real most = R(0.5) * size;
    real at = R(0.0);
    for (int a = 0; a < 3; a++) at += w[a] * sum->moment[a][b];
    at = trm_max(-most, trm_min(most, at));
    to[FV_WALL_VECTOR + b] = w[b];
    to[FV_WALL_CENTROID + b] = size > R(0.0) ? at / size : R(0.0);
  }
  fv_put_velocity(s->own, cell, to);
  TRM_IN(real) v = to + FV_WALL_VELOCITY;
  to[FV_WALL_SWEPT] = (w[0] * v[0] + w[1] * v[1]) + w[2] * v[2];
}

/* Walls of trees and their owners, where several bodies reach the cell: of each part all bodies. */
TRM_GROUP_KERNEL8(fv_volumes_tree_walls, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                  TRM_RO(int) tables, TRM_RO(int) which, TRM_RO(int) found, TRM_RO(int) numbers,
                  TRM_RW(int) trees, TRM_RW(real) walls, TRM_RW(int) owners)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index i = (trm_index)group * TRM_GROUP + lane;
    if (i < p.trees) {
      TRM_IN(int) own = found + (trm_index)which[i] * FV_FOUND_INTS;
      TRM_OUT(int) tree = trees + i * FV_TREE_INTS;
      TRM_OUT(real) wall = walls + (p.volumes + i * FV_TREE_WALLS) * FV_WALL_REALS;
      TRM_OUT(int) owner = owners + i * FV_TREE_WALLS * FV_OWNER_INTS;
      const int bodies = own[FV_FOUND_TREE_BODIES], parts = own[FV_FOUND_TREE_PARTS];
      int last = -1, nth = 0;
      fv_bench b;
      b.has_room = 1;
      const fv_tree_at t = fv_tree_of(shapes, tables, tree);
      for (int k = 0; k < FV_TREE_WALLS * FV_WALL_REALS; k++) wall[k] = R(0.0);
      for (int k = 0; k < FV_TREE_WALLS; k++) {
        owner[k * FV_OWNER_INTS + FV_OWNER_VOLUME] = -1;
        owner[k * FV_OWNER_INTS + FV_OWNER_BODY] = FV_NO_WALL;
      }
      if (bodies > 1 && bodies * parts > FV_TREE_WALLS && tree[FV_TREE_STATE] == 0)
        tree[FV_TREE_STATE] = FV_NO_ROOM_WALLS;
      for (int k = 0; k < tree[FV_TREE_PLANES] && bodies > 1 && tree[FV_TREE_STATE] == 0; k++) {
        const int body = tree[FV_TREE_PLANE + FV_TREE_PLANE_INTS * k];
        const fv_shape s = fv_shape_of(shapes, tables, body);
        if (body == last) continue;
        last = body;
        for (int q = 0; q < parts; q++) {
          const int place = q * bodies + nth;
          const fv_wall_sum sum = fv_sum_wall(&t, q, body, &b);
          fv_put_wall_sum(&s, t.cell, &sum, wall + place * FV_WALL_REALS);
          owner[place * FV_OWNER_INTS + FV_OWNER_VOLUME] =
              numbers[(trm_index)which[i] * FV_CELL_PARTS + q];
          owner[place * FV_OWNER_INTS + FV_OWNER_BODY] = body;
        }
        nth++;
      }
      if (!b.has_room) tree[FV_TREE_STATE] = FV_NO_ROOM;
    }
  }
}

/* ---- refusals ------------------------------------------------------------------------------ */

/* The least word of each lane. */
#define FV_REFUSERS 64
typedef struct fv_refused { real lane[FV_REFUSERS]; } fv_refused;

/* One group. word: the least code * 2^32 + cell over all trees, or 0. */
TRM_GROUP_KERNEL8(fv_volumes_refuse, fv_refused, fv_volumes_params, TRM_RO(int) list,
                  TRM_RO(int) which, TRM_RO(int) found, TRM_RO(int) numbers, TRM_RO(int) bodies,
                  TRM_RO(real) walls, TRM_RO(int) trees, TRM_RW(real) word)
{
  TRM_GROUP1(group); /* of one */
  TRM_SHARED(fv_refused, s);
  TRM_SERIAL(lane, FV_REFUSERS) {
    real least = FV_BEYOND_WORDS;
    for (int i = lane; i < p.trees; i += FV_REFUSERS) {
      const trm_index k = which[i];
      int code = trees[(trm_index)i * FV_TREE_INTS + FV_TREE_STATE];
      for (int q = 0; q < found[k * FV_FOUND_INTS + FV_FOUND_TREE_PARTS] && code == 0; q++) {
        const trm_index v = numbers[k * FV_CELL_PARTS + q];
        TRM_IN(real) missed = walls + v * FV_WALL_REALS;
        if (bodies[v] <= FV_SEVERAL_WALLS && !p.turns && p.gaps == 0 &&
            !(trm_fabs(missed[FV_WALL_SWEPT]) <= FV_NEARLY_CLOSES))
          code = FV_NOT_CLOSED;
      }
      if (code != 0) least = trm_min(least, (real)code * R(4294967296.0) + (real)list[k]);
    }
    s.lane[lane] = least;
  }
  for (int fold = FV_REFUSERS / 2; fold > 0; fold /= 2)
    TRM_EACH(i, fold) { s.lane[i] = trm_min(s.lane[i], s.lane[i + fold]); }
  TRM_EACH(i, 1) { word[group] = s.lane[0] < FV_BEYOND_WORDS ? s.lane[0] : R(0.0); }
}
