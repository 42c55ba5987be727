/* levels.c - a grid of blocks of several levels for a flow in three dimensions: the keys that
 * refine it, and refusals of features that it lacks. Lengths are in cells of level 0. */
#include "solvers/lbm3d/levels/levels.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "io/file.h"

static const char *const coordinates[] = { "x", "y", "z", "nx", "ny", "nz" };

trm_status lbm3d_levels_read(const trm_config *config, lbm3d_levels **out)
{
  const int levels = (int)trm_config_integer(config, "grid.levels");
  if (levels == 0 && !trm_config_boolean(config, "lbm.blocks")) {
    if (trm_config_is_given(config, "mesh.shuffle"))
      return TRM_FAIL(INPUT, "%s: mesh.shuffle is of blocks, and cells lie in rows; set lbm.blocks "
                      "= true or grid.levels", trm_config_origin(config, "mesh.shuffle"));
    if (!*trm_config_string(config, "mesh.refine")) return TRM_OK;
    return TRM_FAIL(INPUT, "%s: mesh.refine says where the grid is finer, but grid.levels not how "
                    "much; set both", trm_config_origin(config, "mesh.refine"));
  }
  if (levels == 0 && *trm_config_string(config, "mesh.refine"))
    return TRM_FAIL(INPUT, "%s: mesh.refine says where the grid is finer, and grid.levels = 0 that "
                    "it is so nowhere; set grid.levels = 1 or more, or leave it out",
                    trm_config_origin(config, "mesh.refine"));
  if (levels > 0 && !*trm_config_string(config, "mesh.refine"))
    return TRM_FAIL(INPUT, "%s: grid.levels says how fine the grid may be, but mesh.refine not "
                    "where; set both", trm_config_origin(config, "grid.levels"));
  *out = calloc(1, sizeof **out);
  if (!*out) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the grid's levels");
  (*out)->finest = levels;
  return TRM_OK;
}

void lbm3d_levels_free(lbm3d_levels **levels)
{
  lbm3d_levels *all = *levels;
  if (!all) return;
  trm_forest_destroy(&all->forest);
  trm_formula_destroy(&all->where);
  trm_stl_tree_destroy(&all->tree);
  for (int level = 0; level <= LEVELS_MOST; level++) lbm3d_scene_leave_level(&all->scenes[level]);
  free(all->boxes);
  free(all->near);
  free(all->order);
  free(all->ghosts);
  free(all->prolonged_list);
  free(all->interfaces);
  free(all->sided);
  free(all->given);
  free(all->pushes);
  free(all->push_values);
  free(all->walls);
  free(all->solid);
  free(all->rests);
  free(all);
  *levels = NULL;
}

int lbm3d_levels_at_side(const lbm3d_levels *levels, int side)
{
  const trm_blocks *blocks = &levels->blocks;
  const int axis = side / 2;
  int least = levels->finest;
  for (size_t i = 0; i < blocks->count; i++) {
    const int last = (blocks->roots[axis] << blocks->level[i]) - 1;
    if (blocks->place[i][axis] == (side % 2 ? last : 0) && blocks->level[i] < least)
      least = blocks->level[i];
  }
  return least;
}

/* ---- where ----------------------------------------------------------------------- */

/* One box; NULL: it is none. */
static int read_box(const char *text, double box[6])
{
  const trm_words read = trm_words_read(text, "# # # # # #");
  memcpy(box, read.number, 6 * sizeof *box);
  return read.used && !text[read.used] && box[0] < box[1] && box[2] < box[3] && box[4] < box[5];
}

static trm_status read_entry(lbm3d_solver *flow, const trm_config *config, const char *text)
{
  lbm3d_levels *all = flow->levels;
  const char *origin = trm_config_origin(config, "mesh.refine");
  const trm_words formula = trm_words_read(text, "formula"), wall = trm_words_read(text, "wall #");
  if (formula.used) {
    if (!all->where)
      return trm_formula_create(text + formula.used, coordinates, 6, origin, &all->where);
    return TRM_FAIL(INPUT, "%s: mesh.refine has two formulas; make one of them, 'formula A + B', "
                    "say", origin);
  }
  if (wall.used && !text[wall.used] && wall.number[0] > 0) {
    all->wall = fmax(all->wall, wall.number[0]);
    return TRM_OK;
  }
  if (!read_box(text, all->boxes + 6 * all->box_count))
    return TRM_FAIL(INPUT, "%s: '%s' in mesh.refine is no place; write a box, as least and largest "
                    "x, y and z, '0 8 0 8 0 8'; 'wall D', so near to walls; 'formula F', where it "
                    "is positive; and ';' between them", origin, text);
  all->box_count++;
  return TRM_OK;
}

static trm_status read_places(lbm3d_solver *flow, const trm_config *config)
{
  char *text = strdup(trm_config_string(config, "mesh.refine")), *rest = NULL;
  flow->levels->boxes = calloc(text ? strlen(text) / 12 + 1 : 1, 6 * sizeof(double));
  trm_status status = text && flow->levels->boxes
    ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for mesh.refine");
  for (char *one = text ? strtok_r(text, ";", &rest) : NULL; one && status == TRM_OK;
       one = strtok_r(NULL, ";", &rest))
    status = read_entry(flow, config, one);
  free(text);
  return status;
}

/* At any corner, or middle between corners, of a block. */
static int is_positive(const lbm3d_solver *flow, const double from[3], double side)
{
  const int *n = flow->scene.n;
  for (int i = 0; i < 27; i++) {
    const double values[] = { from[0] + 0.5 * side * (i % 3), from[1] + 0.5 * side * (i / 3 % 3),
                              from[2] + 0.5 * side * (i / 9), n[0], n[1], n[2] };
    if (trm_formula_value(flow->levels->where, values) > 0.0) return 1;
  }
  return 0;
}

/* Of bodies and the surface. */
static double wall_distance(const lbm3d_solver *flow, const double at[3])
{
  const trm_stl_tree *tree = flow->levels->tree;
  return tree ? fabs(trm_stl_distance(tree, at, NULL)) : lbm3d_shape_wall(&flow->scene, at);
}

/* Whether the wall is nearer than `far` to a cube of side 2 `half`. Between the balls in it and
 * about it its eight parts are asked, `depth` times. */
static int is_near_wall(const lbm3d_solver *flow, const double middle[3], double half, double far,
                        int depth)
{
  const double distance = wall_distance(flow, middle);
  if (distance >= far + sqrt(3.0) * half) return 0;
  if (distance < far + half || depth == 0) return 1;
  for (int i = 0; i < 8; i++) {
    double at[3];
    for (int a = 0; a < 3; a++) at[a] = middle[a] + (i >> a & 1 ? 0.5 : -0.5) * half;
    if (is_near_wall(flow, at, 0.5 * half, far, depth - 1)) return 1;
  }
  return 0;
}

static int is_beside_wall(const lbm3d_solver *flow, const double from[3], double side)
{
  const double wall = flow->levels->wall;
  for (int i = 0; i < LBM3D_SIDES && wall > 0.0; i++) {
    const double off = i % 2 ? flow->scene.n[i / 2] - from[i / 2] - side : from[i / 2];
    if (flow->scene.sides[i].kind >= SIDE_MOVING && flow->scene.sides[i].kind != SIDE_INFLOW &&
        off < wall)
      return 1;
  }
  const double middle[] = { from[0] + 0.5 * side, from[1] + 0.5 * side, from[2] + 0.5 * side };
  return wall > 0.0 && flow->scene.solid && is_near_wall(flow, middle, 0.5 * side, wall, 3);
}

static int touches(const double box[6], const double from[3], double side)
{
  for (int a = 0; a < 3; a++)
    if (from[a] >= box[2 * a + 1] || from[a] + side <= box[2 * a]) return 0;
  return 1;
}

static int is_wanted(const void *user, int level, const int32_t place[3])
{
  const lbm3d_solver *flow = user;
  const lbm3d_levels *all = flow->levels;
  const double side = (double)LEVELS_SIDE / (1 << level);
  const double from[] = { place[0] * side, place[1] * side, place[2] * side };
  if (is_beside_wall(flow, from, side)) return 1;
  for (size_t i = 0; i < all->box_count; i++)
    if (touches(all->boxes + 6 * i, from, side)) return 1;
  return all->where && is_positive(flow, from, side);
}

/* Whether a block of level 0 is split for that entry: a box, the walls, the formula. */
static int does_split(const lbm3d_solver *flow, const double *box, int is_wall)
{
  const double side = LEVELS_SIDE;
  const int *n = flow->scene.n;
  for (int z = 0; z < n[2]; z += LEVELS_SIDE)
    for (int y = 0; y < n[1]; y += LEVELS_SIDE)
      for (int x = 0; x < n[0]; x += LEVELS_SIDE) {
        const double from[] = { x, y, z };
        if (box ? touches(box, from, side) : is_wall ? is_beside_wall(flow, from, side)
                                                     : is_positive(flow, from, side))
          return 1;
      }
  return 0;
}

/* An entry that splits nothing is a mistake in it. */
static trm_status check_entries(const lbm3d_solver *flow, const trm_config *config)
{
  const lbm3d_levels *all = flow->levels;
  const char *origin = trm_config_origin(config, "mesh.refine");
  const int *n = flow->scene.n;
  for (size_t i = 0; i < all->box_count; i++) {
    const double *box = all->boxes + 6 * i;
    if (!does_split(flow, box, 0))
      return TRM_FAIL(INPUT, "%s: the box %g %g %g %g %g %g in mesh.refine splits no block: it "
                      "lies "
                      "outside the grid of %d x %d x %d cells of level 0; move it", origin, box[0],
                      box[1], box[2], box[3], box[4], box[5], n[0], n[1], n[2]);
  }
  if (all->wall > 0.0 && !does_split(flow, NULL, 1))
    return TRM_FAIL(INPUT, "%s: 'wall %g' in mesh.refine splits no block: no side is a wall, and "
                    "there is no body; write a box, '0 8 0 8 0 8', say", origin, all->wall);
  if (all->where && !does_split(flow, NULL, 0))
    return TRM_FAIL(INPUT, "%s: the formula in mesh.refine splits no block: it is positive at no "
                    "corner and no middle of a block, of x, y and z from 0 to %d, %d and %d; "
                    "change "
                    "it", origin, n[0], n[1], n[2]);
  return TRM_OK;
}

/* Tables of many blocks take a minute and gigabytes: what cannot run is refused before. */
static trm_status affords(const void *user, size_t leaves)
{
  const lbm3d_solver *flow = user;
  const uint64_t cells = (uint64_t)leaves * LEVELS_CELLS;
  const uint64_t tables = leaves * (sizeof *flow->levels->forest->near +
                                    (LEVELS_NEAR_INTS + 2) * sizeof(int32_t));
  char what[96];
  flow->levels->lattice_bytes = 2 * cells * (uint64_t)flow->scene.velocities *
                                trm_type_size(flow->real_type);
  snprintf(what, sizeof what, "a grid of %zu blocks of %d x %d x %d cells", leaves, LEVELS_SIDE,
           LEVELS_SIDE, LEVELS_SIDE);
  TRM_TRY(trm_device_require(flow->base.device, flow->levels->lattice_bytes, what));
  return trmi_memory_require("the tables of blocks", tables);
}

/* ---- what there is not ------------------------------------------------------------ */

trm_status lbm3d_levels_check(const trm_config *config, const int n[3])
{
  static const char *const keys[] = { "grid.nx", "grid.ny", "grid.nz" };
  for (int a = 0; a < 3; a++)
    if (n[a] % LEVELS_SIDE)
      return TRM_FAIL(INPUT,
                      "%s: %s = %d is no multiple of %d; a block has %d x %d x %d cells: take %d",
                      trm_config_origin(config, keys[a]), keys[a], n[a], LEVELS_SIDE,
                      LEVELS_SIDE, LEVELS_SIDE, LEVELS_SIDE,
                      (n[a] / LEVELS_SIDE + 1) * LEVELS_SIDE);
  return TRM_OK;
}

/* tau - 1/2 doubles from level to level. */
static trm_status check_viscosity(const lbm3d_solver *flow, const trm_config *config)
{
  const double finest = ldexp(flow->viscosity, flow->levels->finest);
  if (finest <= 1.0) return TRM_OK;
  return TRM_FAIL(
      INPUT,
      "%s: a viscosity of %g on level 0 is %g on level %d, whose cells "
      "and steps are smaller; above 1 the method is no longer accurate: take fewer levels or a "
      "smaller viscosity",
      trm_config_origin(config, "grid.levels"), flow->viscosity, finest, flow->levels->finest);
}

static void fill_params(lbm3d_solver *flow)
{
  lbm3d_levels *all = flow->levels;
  for (int level = 0; level <= all->finest; level++) {
    const double finer = 1 << level, plus = 1.0 / (3.0 * flow->viscosity * finer + 0.5);
    const double magic = flow->p.magic;
    lbm3d_levels_params p = { .component = LEVELS_CELLS, .plus = plus, .minus = plus,
                              .places = (trm_index)flow->marks.place_count,
      .force_x = flow->p.force_x / finer, .force_y = flow->p.force_y / finer,
      .force_z = flow->p.force_z / finer, .eddy = flow->p.eddy, .magic = magic,
                              .share = 1.0 / (finer * finer * finer), .per_cell = finer,
      .shear = 18.0 * flow->viscosity * finer, .leaves = (int)all->forest->blocks.count };
    p.own = flow->scene.is_own;
    if (magic > 0.0) p.minus = 1.0 / (magic / (1.0 / plus - 0.5) + 0.5);
    for (int i = 0; i < LBM3D_SIDES; i++) {
      p.kind[i] = (int)flow->scene.sides[i].kind;
      p.density[i] = lbm3d_side_density(&flow->scene, i);
    }
    all->p[level] = p;
  }
}

/* Whether anything can flow, and how many cells a passage is across: on the level of the walls. */
static trm_status check_lumen(lbm3d_solver *flow, const trm_config *config)
{
  const int level = flow->levels->wall > 0.0 && flow->scene.solid ? flow->levels->finest : 0;
  const int *n = flow->scene.n;
  lbm3d_scene scene;
  lbm3d_marks marks = { 0 };
  if (ldexp((double)n[0] * n[1] * n[2], 3 * level) > INT_MAX)
    return TRM_FAIL(INPUT, "%s: with bodies or a surface there may be 2^31 cells of the finest "
                    "level in the box, and %d x %d x %d cells with %d levels have more; take fewer "
                    "levels", trm_config_origin(config, "grid.levels"), n[0], n[1], n[2],
                    level);
  trm_status status = lbm3d_scene_at_level(config, &flow->scene, level, &scene);
  if (status == TRM_OK) status = lbm3d_marks_create(&scene, &marks);
  if (status == TRM_OK) status = lbm3d_lumen_check(config, &scene, &marks);
  flow->scene.across = scene.across;
  flow->is_bounded = marks.link_count > 0;
  lbm3d_marks_free(&marks);
  lbm3d_scene_leave_level(&scene);
  return status;
}

trm_status lbm3d_levels_plan(lbm3d_solver *flow, const trm_config *config)
{
  lbm3d_levels *all = flow->levels;
  const int *n = flow->scene.n;
  trm_forest_shape shape = { .side = { LEVELS_SIDE, LEVELS_SIDE, LEVELS_SIDE },
                             .finest = all->finest, .wants = is_wanted, .affords = affords,
                             .user = flow,
                             .shuffle = (uint64_t)trm_config_integer(config, "mesh.shuffle") };
  TRM_TRY(check_viscosity(flow, config));
  TRM_TRY(read_places(flow, config));
  TRM_TRY(check_lumen(flow, config));
  if (all->wall > 0.0 && flow->scene.stl.count > 0)
    TRM_TRY(trm_stl_tree_create(&flow->scene.stl, &all->tree));
  for (int a = 0; a < 3; a++) {
    shape.roots[a] = n[a] / LEVELS_SIDE;
    shape.is_periodic[a] = flow->scene.sides[2 * a].kind == SIDE_PERIODIC;
  }
  TRM_TRY(check_entries(flow, config));
  TRM_TRY(trm_forest_create(&shape, &all->forest));
  all->blocks = all->forest->blocks;
  all->finest = 0;
  for (size_t i = 0; i < all->blocks.count; i++)
    if (all->blocks.level[i] > all->finest) all->finest = all->blocks.level[i];
  TRM_TRY(lbm3d_levels_solid(flow, config));
  TRM_TRY(lbm3d_levels_tables(flow));
  TRM_TRY(lbm3d_levels_pushes(flow));
  TRM_TRY(lbm3d_levels_links(flow));
  TRM_TRY(lbm3d_probes_create(config, flow));
  fill_params(flow);
  lbm3d_levels_size_up(flow);
  return TRM_OK;
}
