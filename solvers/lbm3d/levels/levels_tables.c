/* levels_tables.c - the tables of the grid for the kernels of lbm3d_levels.k, each list level by
 * level. They list the blocks about each block, parts of coarser leaves, and leaves at interfaces
 * and at sides. */
#include "solvers/lbm3d/levels/levels.h"

#include <stdlib.h>
#include <string.h>

/* Numbers in `near` of the blocks beyond each side, west to top. */
static const int beyond_side[LBM3D_SIDES] = { 12, 14, 10, 16, 4, 22 };

static int32_t *make(size_t count)
{
  return malloc((count + 1) * sizeof(int32_t)); /* one to point at an empty list */
}

static const trm_ghost *ghost_at(const trm_forest *forest, int32_t slot)
{
  const size_t leaves = forest->blocks.count;
  return (size_t)slot < leaves ? NULL : &forest->ghosts[(size_t)slot - leaves];
}

/* ---- leaves ---------------------------------------------------------------------- */

static void list_near(lbm3d_levels *all)
{
  const trm_forest *forest = all->forest;
  for (size_t i = 0; i < forest->blocks.count; i++) {
    const size_t leaf = (size_t)forest->blocks.slot[i];
    memcpy(all->near + leaf * LEVELS_NEAR_INTS, forest->near[leaf], sizeof forest->near[leaf]);
    all->near[leaf * LEVELS_NEAR_INTS + LEVELS_NUMBER] = (int32_t)i;
  }
}

static int is_beside_finer(const trm_forest *forest, size_t leaf)
{
  for (int k = 0; k < 27; k++) {
    const trm_ghost *ghost = ghost_at(forest, forest->near[leaf][k]);
    if (ghost && ghost->kind == TRM_GHOST_RESTRICTED) return 1;
  }
  return 0;
}

/* In the order of leaves, as all lists are. Sums along the lists then have the same bits for every
 * order of slots. */
static void list_leaves(lbm3d_levels *all)
{
  const trm_forest *forest = all->forest;
  int leaves = 0, interfaces = 0;
  for (int level = 0; level <= all->finest; level++) {
    all->leaves[level].first = all->stepped[level].first = leaves;
    all->interface[level].first = interfaces;
    for (int rests = 0; rests < 2; rests++) {
      for (size_t i = 0; i < forest->blocks.count; i++) {
        const int32_t leaf = forest->blocks.slot[i];
        if (forest->level[leaf] != level || all->rests[leaf] != rests) continue;
        all->order[leaves++] = leaf;
        if (!rests && is_beside_finer(forest, (size_t)leaf)) all->interfaces[interfaces++] = leaf;
      }
      if (!rests) all->stepped[level].count = leaves - all->stepped[level].first;
    }
    all->leaves[level].count = leaves - all->leaves[level].first;
    all->interface[level].count = interfaces - all->interface[level].first;
  }
}

/* ---- ghosts ---------------------------------------------------------------------- */

/* A block beyond sides; part: on which axes. At an edge the side of the highest kind decides. */
static int32_t beyond(const lbm3d_solver *flow, const int8_t part[3])
{
  lbm3d_kind kind = SIDE_PERIODIC;
  for (int a = 0; a < 3; a++) {
    const lbm3d_kind one = flow->scene.sides[2 * a + (part[a] > 0)].kind;
    if (part[a] != 0 && one > kind) kind = one;
  }
  return kind == SIDE_OUTFLOW ? LEVELS_IS_OPEN : LEVELS_IS_WALL;
}

static void list_ghosts(const lbm3d_solver *flow)
{
  lbm3d_levels *all = flow->levels;
  const trm_forest *forest = all->forest;
  for (size_t i = 0; i < forest->ghost_count; i++) {
    int32_t *to = all->ghosts + i * LEVELS_GHOST_INTS;
    to[0] = forest->ghosts[i].kind;
    memcpy(to + 1, forest->ghosts[i].source, sizeof forest->ghosts[i].source);
    if (to[0] >= LEVELS_BOUNDARY) to[1] = beyond(flow, forest->ghosts[i].part);
  }
}

/* The neighbour of a block of a level: a leaf's slot, LEVELS_IS_COARSER, or as `beyond` has it. */
static int32_t beside(const lbm3d_solver *flow, int level, const int32_t place[3], int k)
{
  const trm_forest *forest = flow->levels->forest;
  const int step[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
  int32_t at[3];
  int8_t part[3] = { 0 };
  for (int a = 0; a < 3; a++) {
    const int32_t n = forest->shape.roots[a] << level;
    at[a] = place[a] + step[a];
    if (forest->shape.is_periodic[a]) at[a] = (at[a] + n) % n;
    part[a] = (int8_t)((at[a] >= n) - (at[a] < 0));
  }
  if (part[0] || part[1] || part[2]) return beyond(flow, part);
  const int32_t leaf = trm_forest_leaf(forest, level, at);
  return leaf >= 0 ? leaf : LEVELS_IS_COARSER;
}

static void fill_prolonged(const lbm3d_solver *flow, const trm_ghost *ghost, int32_t *to)
{
  const trm_forest *forest = flow->levels->forest;
  const int32_t source = ghost->source[0];
  int32_t place[3];
  to[0] = ghost->slot;
  to[LEVELS_PROLONGED_SOURCE] = source;
  for (int a = 0; a < 3; a++) {
    place[a] = 2 * forest->place[source][a] + ghost->part[a];
    to[LEVELS_PROLONGED_PART + a] = ghost->part[a];
    /* leaves look at two layers of a ghost; here one is read */
    to[LEVELS_PROLONGED_FROM + a] = ghost->from[a] == LEVELS_SIDE - 2 ?
        LEVELS_SIDE - 1 : ghost->from[a];
    to[LEVELS_PROLONGED_TO + a] = ghost->to[a] == 2 ? 1 : ghost->to[a];
  }
  for (int k = 0; k < 27; k++)
    to[LEVELS_PROLONGED_NEAR + k] = beside(flow, forest->level[source] + 1, place, k);
}

static void list_lines(const lbm3d_solver *flow)
{
  lbm3d_levels *all = flow->levels;
  const trm_forest *forest = all->forest;
  int count = 0;
  for (int level = 0; level <= all->finest; level++) {
    all->prolonged[level].first = count;
    for (size_t i = forest->first[TRM_GHOST_PROLONGED]; i < forest->first[TRM_GHOST_PROLONGED + 1];
         i++)
      if (forest->level[forest->ghosts[i].source[0]] + 1 == level)
        fill_prolonged(flow, &forest->ghosts[i], all->prolonged_list + LEVELS_PROLONGED_INTS *
                       (size_t)count++);
    all->prolonged[level].count = count - all->prolonged[level].first;
  }
}

/* ---- sides ----------------------------------------------------------------------- */

static int is_at_side(const lbm3d_solver *flow, size_t leaf, int side)
{
  const trm_forest *forest = flow->levels->forest;
  if (flow->scene.sides[side].kind == SIDE_PERIODIC) return 0;
  const trm_ghost *ghost = ghost_at(forest, forest->near[leaf][beyond_side[side]]);
  return ghost && (ghost->kind == TRM_GHOST_BOUNDARY || ghost->kind == TRM_GHOST_OUTER_BOUNDARY);
}

static int is_sided(const lbm3d_solver *flow, size_t leaf)
{
  int sides = 0;
  for (int side = 0; side < LBM3D_SIDES; side++) sides |= is_at_side(flow, leaf, side);
  return sides;
}

/* A side's momenta on a leaf's face, where links cross it. */
static void fill_face(const lbm3d_solver *flow, size_t leaf, int side, double *to)
{
  const trm_forest *forest = flow->levels->forest;
  const int axis = side / 2, first = axis == 0 ? 1 : 0, two = axis == 2 ? 1 : 2;
  const double h = 1.0 / (1 << forest->level[leaf]);
  for (int i = 0; i < LEVELS_CROSSINGS * LEVELS_CROSSINGS; i++) {
    double at[3];
    const int low = i % LEVELS_CROSSINGS, high = i / LEVELS_CROSSINGS;
    at[axis] = side % 2 ? flow->scene.n[axis] : 0.0;
    at[first] = h * (LEVELS_SIDE * forest->place[leaf][first] + 0.5 * low);
    at[two] = h * (LEVELS_SIDE * forest->place[leaf][two] + 0.5 * high);
    lbm3d_side_slip(&flow->scene, side, at, to + 3 * i);
  }
}

static void fill_sided(lbm3d_solver *flow, size_t leaf, int32_t *to,
                       size_t next_place[LBM3D_SIDES])
{
  lbm3d_levels *all = flow->levels;
  to[0] = (int32_t)leaf;
  for (int side = 0; side < LBM3D_SIDES; side++) {
    const lbm3d_kind kind = flow->scene.sides[side].kind;
    to[LEVELS_FACE + side] = to[LEVELS_PLACE + side] = -1;
    if (!is_at_side(flow, leaf, side)) continue;
    to[LEVELS_FACE + side] = (int32_t)all->given_count;
    fill_face(flow, leaf, side, all->given + all->given_count);
    all->given_count += 3 * LEVELS_CROSSINGS * LEVELS_CROSSINGS;
    if (kind == SIDE_INFLOW || kind == SIDE_OUTFLOW)
      to[LEVELS_PLACE + side] = (int32_t)next_place[side], next_place[side] += LEVELS_FACE_SUMS;
  }
}

static void list_sided(lbm3d_solver *flow, size_t places[LBM3D_SIDES])
{
  lbm3d_levels *all = flow->levels;
  int count = 0;
  for (int level = 0; level <= all->finest; level++) {
    all->side[level].first = count;
    for (size_t i = 0; i < all->blocks.count; i++) {
      const size_t leaf = (size_t)all->blocks.slot[i];
      if (all->blocks.level[i] == level && is_sided(flow, leaf))
        fill_sided(flow, leaf, all->sided + LEVELS_SIDED_INTS * (size_t)count++, places);
    }
    all->side[level].count = count - all->side[level].first;
  }
  all->sided_count = (size_t)count;
}

/* Beside finer leaves, and at an opening. */
static int is_booked(const lbm3d_levels *all, const int32_t *sided)
{
  int is_at_opening = 0;
  for (int side = 0; side < LBM3D_SIDES; side++) is_at_opening |= sided[LEVELS_PLACE + side] >= 0;
  return is_at_opening && is_beside_finer(all->forest, (size_t)sided[0]);
}

/* Lists once more the leaves at openings for lbm3d_levels_book. */
static void list_booked(lbm3d_levels *all)
{
  for (int level = 0; level <= all->finest; level++) {
    all->book[level].first = (int)all->sided_count;
    for (int i = 0; i < all->side[level].count; i++) {
      const int32_t *sided = all->sided + LEVELS_SIDED_INTS * (size_t)(all->side[level].first + i);
      if (is_booked(all, sided))
        memcpy(all->sided + LEVELS_SIDED_INTS * all->sided_count++, sided,
               LEVELS_SIDED_INTS * sizeof *sided);
    }
    all->book[level].count = (int)all->sided_count - all->book[level].first;
  }
}

/* The places of each opening lie together; they are its series' patches. */
static void count_places(lbm3d_solver *flow, size_t places[LBM3D_SIDES], size_t *sided,
                         size_t *faces)
{
  const int *n = flow->scene.n;
  *sided = *faces = 0;
  for (int side = 0; side < LBM3D_SIDES; side++) {
    const lbm3d_kind kind = flow->scene.sides[side].kind;
    size_t count = 0;
    for (size_t i = 0; i < flow->levels->blocks.count; i++)
      count += (size_t)is_at_side(flow, i, side);
    *faces += count;
    places[side] = flow->marks.place_count;
    if (kind != SIDE_INFLOW && kind != SIDE_OUTFLOW) continue;
    const int axis = side / 2;
    lbm3d_marks_patch(&flow->marks,
                      (lbm3d_patch){ .name = lbm3d_side_names[side], .id = side,
                                     .count = count * LEVELS_FACE_SUMS,
                                     .area = (double)n[(axis + 1) % 3] * n[(axis + 2) % 3] });
  }
  for (size_t i = 0; i < flow->levels->blocks.count; i++) *sided += (size_t)is_sided(flow, i);
}

/* ---- all ------------------------------------------------------------------------- */

trm_status lbm3d_levels_tables(lbm3d_solver *flow)
{
  lbm3d_levels *all = flow->levels;
  const trm_forest *forest = all->forest;
  const size_t leaves = forest->blocks.count;
  const size_t prolonged_list = forest->first[TRM_GHOST_PROLONGED + 1] -
      forest->first[TRM_GHOST_PROLONGED];
  size_t places[LBM3D_SIDES], sided, faces;
  count_places(flow, places, &sided, &faces);
  all->near = make(leaves * LEVELS_NEAR_INTS);
  all->order = make(leaves);
  all->interfaces = make(leaves);
  all->ghosts = make(forest->ghost_count * LEVELS_GHOST_INTS);
  all->prolonged_list = make(prolonged_list * LEVELS_PROLONGED_INTS);
  all->sided = make(2 * sided * LEVELS_SIDED_INTS);
  all->given = malloc((3 * LEVELS_CROSSINGS * LEVELS_CROSSINGS * faces + 1) * sizeof *all->given);
  if (!all->near || !all->order || !all->interfaces || !all->ghosts || !all->prolonged_list ||
      !all->sided || !all->given)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the tables of %zu blocks; take a coarser grid "
                    "or fewer levels", leaves);
  list_near(all);
  list_leaves(all);
  list_ghosts(flow);
  list_lines(flow);
  list_sided(flow, places);
  list_booked(all);
  return TRM_OK;
}
