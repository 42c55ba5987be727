/* fv_volumes_tree_begin.h - the gas at a step's begin in the control volumes of trees. It is the
 * map fv_volumes_begin of cells that have, or had, a tree.
 *
 * The gas that a part takes from a part of the step before is that of all pairs of their leaves at
 * the begin. A part that is alone in taking from another one takes over all of its gas. */

/* A cell as a step keeps it, and its tree if it has one. */
typedef struct fv_kept_cell {
  TRM_IN(int) kept;
  int is_tree, leaves;
  fv_tree_at tree;
} fv_kept_cell;

TRM_INLINE fv_kept_cell fv_kept_of(TRM_IN(real) shapes, TRM_IN(int) tables, TRM_IN(int) kept,
                                   TRM_IN(int) trees)
{
  fv_kept_cell c;
  c.kept = kept;
  c.is_tree = kept[FV_KEPT_BODY] >= 0 && kept[FV_KEPT_PLANES] == 0;
  c.leaves = kept[FV_KEPT_PLANES];
  c.tree.tree = trees;
  c.tree.shapes = shapes;
  c.tree.tables = tables;
  if (c.is_tree) {
    c.tree = fv_tree_of(shapes, tables, trees + (trm_index)kept[FV_KEPT_PLANE] * FV_TREE_INTS);
    c.leaves = c.tree.tree[FV_TREE_LEAVES];
  }
  return c;
}

/* The part of a leaf, -1 where none is. */
TRM_INLINE int fv_kept_part(const fv_kept_cell *c, const int i)
{
  return c->is_tree ? FV_LEAF_PART(c->tree.tree[FV_TREE_LEAF + i]) : c->kept[FV_KEPT_PART + i];
}

/* Adds the half-spaces of a leaf: in a cell without a tree, of kind CONVEX. */
TRM_INLINE void fv_add_kept(const fv_kept_cell *c, const int *cell, const int i, fv_leaf *to)
{
  if (c->is_tree) {
    fv_take_path(&c->tree, FV_LEAF_NODE(c->tree.tree[FV_TREE_LEAF + i]), -1, -1, to);
    return;
  }
  const int body = c->kept[FV_KEPT_BODY];
  const fv_shape s = fv_shape_of(c->tree.shapes, c->tree.tables, body);
  fv_add_chain(&s, body, cell, c->kept + FV_KEPT_PLANE, i, to);
}

/* The gas at the begin that part q has in common with part r of the step before. */
TRM_INLINE fv_moments fv_common_gas(const fv_kept_cell *own, const fv_kept_cell *was,
                                    const int *cell, const int q, const int r, fv_bench *b)
{
  const int is_parted = was->kept[FV_KEPT_COUNT] > 1, others = is_parted ? was->leaves : 1;
  fv_moments sum = { R(0.0), { R(0.0), R(0.0), R(0.0) } };
  for (int i = 0; i < own->leaves * others; i++) {
    if (fv_kept_part(own, i / others) != q) continue;
    if (is_parted && fv_kept_part(was, i % others) != r) continue;
    fv_clear_leaf(&b->leaf);
    fv_add_kept(own, cell, i / others, &b->leaf);
    if (is_parted) fv_add_kept(was, cell, i % others, &b->leaf);
    const fv_moments m = fv_leaf_in(b, 0);
    fv_add_moments(&sum, &m);
  }
  return sum;
}

/* The arrays of fv_volumes_begin. was_trees: of the step before. */
TRM_GROUP_KERNEL12(fv_volumes_tree_begin, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                   TRM_RO(int) tables, TRM_RO(int) now, TRM_RO(int) volumes, TRM_RO(int) was,
                   TRM_RO(int) kept, TRM_RO(real) was_gas, TRM_RO(int) trees,
                   TRM_RO(int) was_trees, TRM_RW(real) gas, TRM_RW(int) olds, TRM_RW(real) taken)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      const int which = volumes[v] % FV_CELL_PARTS;
      TRM_IN(int) mine = now + (trm_index)(volumes[v] / FV_CELL_PARTS) * FV_KEPT_INTS;
      TRM_IN(int) from = kept + (trm_index)FV_FOUND_PLACE(was[mine[FV_KEPT_CELL]]) * FV_KEPT_INTS;
      const int is_known = from[FV_KEPT_CELL] == mine[FV_KEPT_CELL] && from[FV_KEPT_COUNT] > 0;
      if (is_known && mine[FV_KEPT_COUNT] > 1) {
        const fv_kept_cell own = fv_kept_of(shapes, tables, mine, trees);
        const fv_kept_cell old = fv_kept_of(shapes, tables, from, was_trees);
        TRM_IN(int) cell = own.is_tree ? own.tree.tree : old.tree.tree;
        const int at[3] = { cell[FV_TREE_CELL], cell[FV_TREE_CELL + 1], cell[FV_TREE_CELL + 2] };
        int count = 0;
        real sum[4] = { R(0.0), R(0.0), R(0.0), R(0.0) };
        for (int r = 0; r < from[FV_KEPT_COUNT] && (own.is_tree || old.is_tree); r++) {
          fv_moments gets = { R(0.0), { R(0.0), R(0.0), R(0.0) } };
          int takers = 0;
          for (int q = 0; q < mine[FV_KEPT_COUNT]; q++) {
            fv_bench b;
            const fv_moments m = fv_common_gas(&own, &old, at, q, r, &b);
            takers += m.volume > R(0.0);
            if (q == which) gets = m;
          }
          if (!(gets.volume > FV_DUST)) continue;
          const trm_index one = (trm_index)(from[FV_KEPT_FIRST] + r) * FV_VOLUME_REALS;
          if (takers == 1) {
            gets.volume = was_gas[one + FV_GAS_END];
            for (int a = 0; a < 3; a++) gets.moment[a] = was_gas[one + FV_GAS_END + 1 + a];
          }
          taken[v * FV_CELL_PARTS + count] = gets.volume;
          olds[v * FV_OLD_INTS + ++count] = from[FV_KEPT_FIRST] + r;
          sum[0] += gets.volume;
          for (int a = 0; a < 3; a++) sum[1 + a] += gets.moment[a];
        }
        if (own.is_tree || old.is_tree) {
          olds[v * FV_OLD_INTS] = count;
          for (int i = 0; i < 4; i++) gas[v * FV_VOLUME_REALS + FV_GAS_BEGIN + i] = sum[i];
        }
      }
    }
  }
}
