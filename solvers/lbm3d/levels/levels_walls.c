/* levels_walls.c - bodies and surfaces on blocks of several levels: the solid cells, and the links
 * of the cells beside them. Near a wall all cells are of one level: two levels exchange only values
 * of the fluid about the wall. */
#include "solvers/lbm3d/levels/levels.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ABOUT = 2 };            /* cells to a change of level in which there is no wall */

static void corner_of(const lbm3d_levels *all, size_t leaf, int corner[3])
{
  for (int a = 0; a < 3; a++) corner[a] = LEVELS_SIDE * all->forest->place[leaf][a];
}

static int solid_at(const lbm3d_scene *scene, const int at[3])
{
  size_t cell = 0;
  for (int a = 2; a >= 0; a--) {
    const int n = scene->n[a], is_beyond = at[a] < 0 || at[a] >= n;
    if (is_beyond && scene->sides[2 * a].kind != SIDE_PERIODIC) return 0;
    cell = cell * (size_t)n + (size_t)((at[a] + n) % n);
  }
  return scene->solid[cell];
}

/* Whether a cell of the box from `from`, of `side` cells along each axis, is solid. */
static int has_solid(const lbm3d_scene *scene, const int from[3], int side)
{
  for (int z = from[2]; z < from[2] + side; z++)
    for (int y = from[1]; y < from[1] + side; y++)
      for (int x = from[0]; x < from[0] + side; x++)
        if (solid_at(scene, (const int[]){ x, y, z })) return 1;
  return 0;
}

static int is_near_solid(const lbm3d_scene *scene, const int corner[3], int about, int side)
{
  const int from[] = { corner[0] - about, corner[1] - about, corner[2] - about };
  return has_solid(scene, from, side + 2 * about);
}

/* ---- what is solid --------------------------------------------------------------- */

/* The leaf's bits, and how many of its cells are solid. */
static int fill_leaf(lbm3d_levels *all, size_t leaf)
{
  const lbm3d_scene *scene = &all->scenes[all->forest->level[leaf]];
  int32_t *words = all->walls + all->wall_words;
  int corner[3], count = 0;
  corner_of(all, leaf, corner);
  for (int i = 0; i < LEVELS_CELLS; i++) {
    const int at[] = { corner[0] + LEVELS_X(i), corner[1] + LEVELS_Y(i), corner[2] + LEVELS_Z(i) };
    const int is_solid = solid_at(scene, at);
    all->solid[leaf * LEVELS_CELLS + (size_t)i] = (uint8_t)is_solid;
    words[i / 32] = (int32_t)((uint32_t)words[i / 32] | (uint32_t)is_solid << i % 32);
    count += is_solid;
  }
  if (count == 0) return 0;
  all->walls[leaf] = (int32_t)all->wall_words;
  all->wall_words += LEVELS_CELLS / 32;
  return count;
}

/* Which bodies the leaf's solid cells are of. */
static void hold_leaf(lbm3d_solver *flow, size_t leaf)
{
  const lbm3d_levels *all = flow->levels;
  int corner[3];
  corner_of(all, leaf, corner);
  for (int i = 0; i < LEVELS_CELLS && flow->scene.shape_count > 0; i++) {
    const int at[] = { corner[0] + LEVELS_X(i), corner[1] + LEVELS_Y(i), corner[2] + LEVELS_Z(i) };
    if (all->solid[leaf * LEVELS_CELLS + (size_t)i])
      lbm3d_shapes_hold(&all->scenes[all->forest->level[leaf]], at, flow->scene.holds);
  }
}

typedef struct grid_level { const lbm3d_levels *all; int level; } grid_level;

static int has_cell(const void *user, const int cell[3])
{
  const grid_level *of = user;
  const int32_t place[] = { cell[0] / LEVELS_SIDE, cell[1] / LEVELS_SIDE, cell[2] / LEVELS_SIDE };
  return trm_forest_leaf(of->all->forest, of->level, place) >= 0;
}

static trm_status check_bodies(lbm3d_solver *flow, const trm_config *config)
{
  const lbm3d_levels *all = flow->levels;
  memset(flow->scene.holds, 0, sizeof flow->scene.holds);
  for (size_t i = 0; i < all->blocks.count; i++) hold_leaf(flow, i);
  for (int level = 0; level <= all->finest; level++) {
    const grid_level of = { all, level };
    if (flow->scene.part_count == 0) continue;
    TRM_TRY(lbm3d_surface_hold(&all->scenes[level], has_cell, &of, flow->scene.part_holds));
  }
  TRM_TRY(lbm3d_shapes_check(config, &flow->scene));
  return lbm3d_surface_check(config, &flow->scene);
}

/* Whether all about a leaf is solid, so that nothing ever moves in it. */
static int is_resting(const lbm3d_levels *all, const uint8_t *whole, size_t leaf)
{
  const trm_forest *forest = all->forest;
  for (int k = 0; k < 27; k++) {
    const size_t slot = (size_t)forest->near[leaf][k];
    if (slot < all->blocks.count && !whole[slot]) return 0;
    if (slot < all->blocks.count) continue;
    const trm_ghost *ghost = &forest->ghosts[slot - all->blocks.count];
    const int sources = ghost->kind == TRM_GHOST_RESTRICTED    ? 8
                        : ghost->kind == TRM_GHOST_PROLONGED ? 1 : 0;
    for (int i = 0; i < sources; i++)
      if (ghost->source[i] >= 0 && !whole[ghost->source[i]]) return 0;
  }
  return 1;
}

static trm_status find_solid(lbm3d_solver *flow)
{
  lbm3d_levels *all = flow->levels;
  const size_t leaves = all->blocks.count;
  uint8_t *whole = calloc(leaves, 1);
  all->solid = malloc(leaves * LEVELS_CELLS);
  if (!whole || !all->solid) {
    free(whole);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the mask of solid cells");
  }
  for (size_t i = 0; i < leaves; i++) {
    const int count = fill_leaf(all, i);
    whole[i] = count == LEVELS_CELLS;
    flow->fluid_cells -= ldexp(count, -3 * all->forest->level[i]);
  }
  for (size_t i = 0; i < leaves; i++) all->rests[i] = (uint8_t)is_resting(all, whole, i);
  free(whole);
  return TRM_OK;
}

/* ---- where no wall may be ----------------------------------------------------------- */

static int is_interface(const trm_forest *forest, size_t leaf, int k)
{
  const size_t slot = (size_t)forest->near[leaf][k], leaves = forest->blocks.count;
  const int kind = slot < leaves ? TRM_GHOST_KINDS : forest->ghosts[slot - leaves].kind;
  return kind == TRM_GHOST_RESTRICTED || kind == TRM_GHOST_PROLONGED;
}

static int number_of(int x, int y, int z)
{
  const int at[] = { x, y, z };
  int number = 0;
  for (int a = 2; a >= 0; a--) number = 3 * number + (at[a] < 0 ? 0 : at[a] < LEVELS_SIDE ? 1 : 2);
  return number;
}

static int is_near_interface(const trm_forest *forest, size_t leaf, int cell)
{
  for (int k = 0; k < 27; k++) {
    const int by[] = { ABOUT * (k % 3 - 1), ABOUT * (k / 3 % 3 - 1), ABOUT * (k / 9 - 1) };
    const int number = number_of(LEVELS_X(cell) + by[0], LEVELS_Y(cell) + by[1],
                                 LEVELS_Z(cell) + by[2]);
    if (is_interface(forest, leaf, number)) return 1;
  }
  return 0;
}

static trm_status check_leaf(const lbm3d_solver *flow, const trm_config *config, size_t leaf)
{
  const lbm3d_levels *all = flow->levels;
  const lbm3d_scene *scene = &all->scenes[all->forest->level[leaf]];
  int corner[3], interfaces = 0;
  corner_of(all, leaf, corner);
  for (int k = 0; k < 27; k++) interfaces += is_interface(all->forest, leaf, k);
  if (interfaces == 0 || !is_near_solid(scene, corner, ABOUT, LEVELS_SIDE)) return TRM_OK;
  for (int i = 0; i < LEVELS_CELLS; i++) {
    const int at[] = { corner[0] + LEVELS_X(i), corner[1] + LEVELS_Y(i), corner[2] + LEVELS_Z(i) };
    if (all->solid[leaf * LEVELS_CELLS + (size_t)i] || !is_near_interface(all->forest, leaf, i) ||
        !is_near_solid(scene, at, ABOUT, 1))
      continue;
    return TRM_FAIL(INPUT, "%s: at x = %g, y = %g, z = %g the size of cells changes within two "
                    "cells of a wall, which levels cannot have there; write 'wall 4' in "
                    "mesh.refine, or boxes that reach 4 cells farther from the wall",
                    trm_config_origin(config, "mesh.refine"), ldexp(at[0] + 0.5, -scene->level),
                    ldexp(at[1] + 0.5, -scene->level), ldexp(at[2] + 0.5, -scene->level));
  }
  return TRM_OK;
}

/* Whether a solid cell of the leaf is within two cells of level 0 of the side. */
static int is_near_side(const lbm3d_solver *flow, size_t leaf, int side)
{
  const lbm3d_levels *all = flow->levels;
  const int level = all->forest->level[leaf], axis = side / 2;
  int corner[3];
  corner_of(all, leaf, corner);
  for (int i = 0; i < LEVELS_CELLS; i++) {
    const int in[] = { LEVELS_X(i), LEVELS_Y(i), LEVELS_Z(i) }, at = corner[axis] + in[axis];
    const int off = side % 2 ? (flow->scene.n[axis] << level) - 1 - at : at;
    if (off < ABOUT << level && all->solid[leaf * LEVELS_CELLS + (size_t)i]) return 1;
  }
  return 0;
}

/* Flow through an inflow or an outflow is counted over whole faces of leaves. */
static trm_status check_sides(const lbm3d_solver *flow, const trm_config *config)
{
  const lbm3d_scene *scene = &flow->scene;
  for (int side = 0; side < LBM3D_SIDES; side++) {
    if (scene->sides[side].kind != SIDE_INFLOW && scene->sides[side].kind != SIDE_OUTFLOW) continue;
    for (size_t i = 0; i < flow->levels->blocks.count; i++)
      if (is_near_side(flow, i, side))
        return TRM_FAIL(INPUT, "%s: a body or surface is within two cells of the side '%s', which "
                        "lets flow through; on blocks it has to keep away from it: move one of "
                        "them, or set grid.levels = 0",
                        trm_config_origin(config, scene->stl.count ? "bodies.stl"
                                                                   : "bodies.shapes"),
                        lbm3d_side_names[side]);
  }
  return TRM_OK;
}

trm_status lbm3d_levels_solid(lbm3d_solver *flow, const trm_config *config)
{
  lbm3d_levels *all = flow->levels;
  const size_t leaves = all->blocks.count;
  const int *n = flow->scene.n;
  flow->fluid_cells = (double)n[0] * n[1] * n[2];
  all->wall_words = leaves;
  all->walls = calloc(leaves * (1 + LEVELS_CELLS / 32), sizeof *all->walls);
  all->rests = calloc(leaves, 1);
  if (!all->walls || !all->rests || leaves > INT_MAX / LEVELS_CELLS)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solid cells of %zu blocks", leaves);
  if (!flow->scene.solid) return TRM_OK;
  for (int level = 0; level <= all->finest; level++)
    TRM_TRY(lbm3d_scene_at_level(config, &flow->scene, level, &all->scenes[level]));
  TRM_TRY(find_solid(flow));
  TRM_TRY(check_sides(flow, config));
  TRM_TRY(check_bodies(flow, config));
  for (size_t i = 0; i < leaves; i++) TRM_TRY(check_leaf(flow, config, i));
  return TRM_OK;
}

/* ---- links ------------------------------------------------------------------------ */

/* Cell j of a leaf in the order of sums over places, as LEVELS_SUMMED has it. */
static int summed_cell(int j)
{
  const int cube = j / 512;
  return LEVELS_CELL((cube & 1) * 8 + j % 8, (cube >> 1 & 1) * 8 + j / 8 % 8,
                     (cube >> 2) * 8 + j / 64 % 8);
}

static void mark_leaf(lbm3d_solver *flow, size_t leaf, int fill, size_t places[LBM3D_PATCHES])
{
  const lbm3d_levels *all = flow->levels;
  const lbm3d_scene *scene = &all->scenes[all->forest->level[leaf]];
  int corner[3];
  corner_of(all, leaf, corner);
  if (!is_near_solid(scene, corner, 1, LEVELS_SIDE)) return;
  for (int j = 0; j < LEVELS_CELLS; j++) {
    const int i = summed_cell(j);
    const int at[] = { corner[0] + LEVELS_X(i), corner[1] + LEVELS_Y(i), corner[2] + LEVELS_Z(i) };
    if (!all->solid[leaf * LEVELS_CELLS + (size_t)i])
      lbm3d_marks_cell(scene, at, (int32_t)(leaf * LEVELS_CELLS) + i, fill, &flow->marks, places);
  }
}

static void mark_level(lbm3d_solver *flow, int level, int fill, size_t places[LBM3D_PATCHES])
{
  lbm3d_levels *all = flow->levels;
  all->marked[level].first = (int)flow->marks.count;
  for (int i = 0; i < all->stepped[level].count; i++)
    mark_leaf(flow, (size_t)all->order[all->stepped[level].first + i], fill, places);
  all->marked[level].count = (int)flow->marks.count - all->marked[level].first;
}

/* A cell's face is a quarter of that of the level before. */
static void count_links(lbm3d_solver *flow, size_t places[LBM3D_PATCHES],
                        double areas[LBM3D_PATCHES])
{
  for (int level = 0; level <= flow->levels->finest; level++) {
    size_t before[LBM3D_PATCHES];
    memcpy(before, places, sizeof before);
    mark_level(flow, level, 0, places);
    for (int i = 0; i < LBM3D_PATCHES; i++)
      areas[i] += ldexp((double)(places[i] - before[i]), -2 * level);
  }
}

/* A cell of the grid of a level to its leaf's slot and its number there. */
static int32_t site_of(const lbm3d_levels *all, int level, int32_t cell)
{
  const int *n = all->scenes[level].n;
  const int at[] = { cell % n[0], cell / n[0] % n[1], cell / n[0] / n[1] };
  const int32_t place[] = { at[0] / LEVELS_SIDE, at[1] / LEVELS_SIDE, at[2] / LEVELS_SIDE };
  return LEVELS_CELLS * trm_forest_leaf(all->forest, level, place) +
         LEVELS_CELL(at[0], at[1], at[2]);
}

static void fill_shear(lbm3d_solver *flow, int level, size_t *next)
{
  lbm3d_levels *all = flow->levels;
  const levels_range marked = all->marked[level];
  all->sheared[level].first = (int)*next;
  for (int i = marked.first; i < marked.first + marked.count; i++) {
    const int32_t site = flow->marks.sites[i], at = LEVELS_PLACE_IN(site);
    int32_t *sites = flow->shear.sites + 3 * *next;
    int cell[3];
    if (!lbm3d_shear_has(&flow->marks, (size_t)i)) continue;
    corner_of(all, (size_t)LEVELS_SLOT(site), cell);
    cell[0] += LEVELS_X(at);
    cell[1] += LEVELS_Y(at);
    cell[2] += LEVELS_Z(at);
    lbm3d_shear_cell(&all->scenes[level], cell, sites, flow->shear.parts + 5 * *next);
    for (int j = 0; j < 3; j++) sites[j] = site_of(all, level, sites[j]);
    ++*next;
  }
  all->sheared[level].count = (int)*next - all->sheared[level].first;
}

trm_status lbm3d_levels_links(lbm3d_solver *flow)
{
  lbm3d_levels *all = flow->levels;
  lbm3d_marks *marks = &flow->marks;
  size_t places[LBM3D_PATCHES] = { 0 }, next = 0;
  double areas[LBM3D_PATCHES] = { 0 };
  if (!flow->scene.solid) return TRM_OK;
  count_links(flow, places, areas);
  TRM_TRY(lbm3d_marks_make(&flow->scene, marks, places));
  for (int level = 0; level <= all->finest; level++) mark_level(flow, level, 1, places);
  for (size_t i = 0; i < marks->patch_count; i++)
    if (marks->patches[i].id >= LBM3D_SIDES) marks->patches[i].area = areas[marks->patches[i].id];
  TRM_TRY(lbm3d_shear_make(marks, &flow->shear));
  for (int level = 0; level <= all->finest; level++) fill_shear(flow, level, &next);
  for (int level = 0; level <= all->finest; level++) lbm3d_scene_leave_level(&all->scenes[level]);
  return TRM_OK;
}
