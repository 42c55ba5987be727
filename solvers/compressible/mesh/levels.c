/* levels.c - the refined parts of the grid, and the kernels' tables of it. */
#include "solvers/compressible/solver/fv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

/* A block's width. */
static double width_of(const fv_solver *fv, int level)
{
  return fv->h / (1 << level) * fv_block_side(fv);
}

/* Whether a place beyond the grid may be no farther than `most` from a body's wall, or in it. */
static int may_be_at_body(const fv_solver *fv, const double at[3], double most)
{
  for (int b = 0; b < fv->bodies.count; b++) {
    double low[3], high[3];
    int is_near = 1;
    fv_body_box(&fv->bodies.body[b], low, high);
    for (int a = 0; a < fv_axes(fv); a++)
      is_near &= !(low[a] < high[a]) /* endless */ ||
                 (at[a] >= low[a] - most && at[a] <= high[a] + most);
    if (is_near) return 1;
  }
  return 0;
}

/* Whether the middle of a block is no farther than `most` from the wall of a body, also beyond
 * periodic sides. There the distance to a body is that of an image of the place. Lists of control
 * volumes have solid cells, too. So for these blocks in bodies are as near. */
static int is_at_body(const fv_solver *fv, int level, const int32_t place[3], double most)
{
  const int axes = fv_axes(fv);
  for (int image = 0; image < (axes == 2 ? 9 : 27); image++) {
    const int by[3] = { image % 3, image / 3 % 3, image / 9 };
    double at[3] = { 0, 0, 0 };
    int is_near = 1;
    for (int a = 0; a < axes; a++) {
      const double length = fv->n[a] * fv->h, from = (place[a] + 0.5) * width_of(fv, level);
      if (by[a]) is_near &= fv->p.kind[2 * a] == FV_PERIODIC &&
                            (fv->volumes || (by[a] == 1 ? from : length - from) <= most);
      at[a] = fv->origin[a] + from + (by[a] == 1 ? length : by[a] == 2 ? -length : 0);
    }
    if (!is_near || (image > 0 && fv->volumes && !may_be_at_body(fv, at, most))) continue;
    const double away = fv_bodies_distance(&fv->bodies, at, NULL, NULL);
    if ((fv->volumes ? away : fabs(away)) <= most) return 1;
  }
  return 0;
}

/* How near to a wall a block of a level is split. */
static double wall_reach(const fv_solver *fv, int level)
{
  return fmax(fv->near_wall, fv->wall_cells * fv->h / (2 << level));
}

/* Whether a block, or one half as wide beside it, touches the wall of a body, or comes as near to
 * a wall as is asked for. */
static int is_at_wall(const fv_solver *fv, int level, const int32_t place[3])
{
  const double width = width_of(fv, level), round = sqrt(fv_axes(fv)) * width;
  const double reach = wall_reach(fv, level);
  if (fv->bodies.count > 0 && is_at_body(fv, level, place, fmax(round, reach + 0.5 * round)))
    return 1;
  for (int a = 0; a < 3 && reach > 0; a++) {
    const double from = place[a] * width, to = fv->n[a] * fv->h - from - width;
    if ((fv_side_is_wall(fv, 2 * a) && from < reach) ||
        (fv_side_is_wall(fv, 2 * a + 1) && to < reach)) return 1;
  }
  return 0;
}

/* Whether a block touches one of the boxes or a wall. */
int fv_is_fine(const fv_solver *fv, int level, const int32_t place[3])
{
  if (is_at_wall(fv, level, place)) return 1;
  for (size_t i = 0; i < fv->box_count; i++) {
    const double *box = fv->boxes + 6 * i;
    int touches = 1;
    for (int a = 0; a < fv_axes(fv); a++) {
      const double width = width_of(fv, level), from = fv->origin[a] + place[a] * width;
      touches &= from < box[2 * a + 1] && from + width > box[2 * a];
    }
    if (touches) return 1;
  }
  return 0;
}

static int is_wanted(const void *user, int level, const int32_t place[3])
{
  return fv_is_fine(user, level, place);
}

/* The text after an entry: the next entry, or the end. NULL: other text. */
static const char *after(const char *text)
{
  while (*text == ' ') text++;
  return *text == ';' || *text == ',' ? text + 1 : *text == '\0' ? text : NULL;
}

/* One box; where it ends. NULL: it is none. */
static const char *read_box(const char *text, int numbers, double *box)
{
  const trm_words read = trm_words_read(text, numbers == 4 ? "# # # #" : "# # # # # #");
  memcpy(box, read.number, 6 * sizeof *box);
  for (int i = 0; i < numbers; i += 2)
    if (!(box[i] < box[i + 1])) return NULL;
  return read.used ? after(text + read.used) : NULL;
}

/* "wall 0.1" or "distance wall 3"; *end: where it ends; NULL: it is neither. */
static trm_status read_wall(fv_solver *fv, const trm_config *config, const char *text,
                            const char **end)
{
  static const char *const forms[] = { "wall #", "distance wall #" };
  double *const to[] = { &fv->near_wall, &fv->wall_cells };
  for (int i = 0; i < 2; i++) {
    const trm_words read = trm_words_read(text, forms[i]);
    if (!read.used || !(read.number[0] > 0)) continue;
    if (*to[i] > 0) return fv_refuse_twice(config, i == 0 ? "wall" : "distance wall");
    *to[i] = read.number[0];
    *end = after(text + read.used);
    return TRM_OK;
  }
  *end = NULL;
  return TRM_OK;
}

/* A box of which no part lies in the grid would refine nothing. */
static trm_status check_box(const fv_solver *fv, const trm_config *config, const double *box)
{
  for (int a = 0; a < fv_axes(fv); a++) {
    const double from = fv->origin[a], to = from + fv->n[a] * fv->h;
    if (box[2 * a] >= to || box[2 * a + 1] <= from)
      return TRM_FAIL(INPUT, "%s: a box of mesh.refine is from %c = %g to %g, and the grid from %g "
                      "to %g; move it", trm_config_origin(config, "mesh.refine"), "xyz"[a],
                      box[2 * a], box[2 * a + 1], from, to);
  }
  return TRM_OK;
}

/* That there is a wall. */
static trm_status check_wall(const fv_solver *fv, const trm_config *config)
{
  int walls = fv->bodies.count > 0;
  for (int side = 0; side < 6; side++) walls |= fv_side_is_wall(fv, side);
  if (walls || (fv->near_wall == 0 && fv->wall_cells == 0)) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: mesh.refine asks for finer cells near walls, and the flow has none: "
                  "no side is wall or isothermal, and there are no bodies; leave 'wall' out",
                  trm_config_origin(config, "mesh.refine"));
}

static trm_status read_entries(fv_solver *fv, const trm_config *config, const char *text)
{
  const int is_flat = fv->n[2] == 1;
  size_t most = 1;
  for (const char *c = text; *c; c++) most += *c == ';' || *c == ',';
  fv->boxes = calloc(most, 6 * sizeof *fv->boxes);
  if (!fv->boxes) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu boxes", most);
  for (const char *at = text; *at;) {
    const char *end, *wall = NULL;
    TRM_TRY(read_wall(fv, config, at, &wall));
    TRM_TRY(fv_read_criterion(fv, config, at, &end));
    if (wall) at = wall;
    else if (end) at = after(end);
    else if ((at = read_box(at, is_flat ? 4 : 6, fv->boxes + 6 * fv->box_count)) != NULL)
      TRM_TRY(check_box(fv, config, fv->boxes + 6 * fv->box_count++));
    if (!at)
      return TRM_FAIL(INPUT, "%s: mesh.refine = '%s' is not a list of boxes and criteria; a box is "
                      "the least and the largest %s, as \"%s\"; a criterion is density, pressure, "
                      "velocity or vorticity and a threshold, as \"density 0.05\"; \"wall 0.1\" "
                      "is all that is so near to a wall, \"distance wall 3\" the same in cells of "
                      "each level; write ; or , between them",
                      trm_config_origin(config, "mesh.refine"), text,
                      is_flat ? "x and y" : "x, y and z", is_flat ? "0 1 0 1" : "0 1 0 1 0 1");
  }
  return TRM_OK;
}

trm_status fv_read_levels(fv_solver *fv, const trm_config *config, trm_forest_shape *shape)
{
  const int levels = (int)trm_config_integer(config, "grid.levels");
  const char *text = trm_config_string(config, "mesh.refine");
  if ((levels > 0) != (*text != '\0') && !(levels > 0 && fv->bodies.count > 0))
    return TRM_FAIL(INPUT, "%s: %s", trm_config_origin(config, levels > 0 ? "grid.levels"
                                                                           : "mesh.refine"),
                    levels > 0 ? "grid.levels says how fine the grid may be, but mesh.refine not "
                                 "where; set both" : "mesh.refine says where the grid is finer, "
                                 "but grid.levels not how much; set both");
  TRM_TRY(read_entries(fv, config, text));
  TRM_TRY(check_wall(fv, config));
  TRM_TRY(fv_read_adaptation(fv, config));
  shape->finest = levels;
  shape->wants = is_wanted;
  shape->user = fv;
  return TRM_OK;
}

/* The number in `near` of the block beyond a side, west to top. */
static const int beyond_side[6] = { 12, 14, 10, 16, 4, 22 };

static int kind_of(const trm_forest *forest, int32_t slot)
{
  const size_t leaves = forest->blocks.count;
  return (size_t)slot < leaves ? -1 : forest->ghosts[(size_t)slot - leaves].kind;
}

int fv_keeps_flux(const fv_solver *fv, size_t leaf, int side, int *is_coarser)
{
  const int is_side = side < 4 || fv->n[2] > 1;
  const int kind = is_side ? kind_of(fv->forest, fv->forest->near[leaf][beyond_side[side]]) : -1;
  *is_coarser |= kind == TRM_GHOST_RESTRICTED;
  return kind == TRM_GHOST_RESTRICTED || kind == TRM_GHOST_PROLONGED;
}

/* Numbers of the flux that each side of each leaf keeps, -1 where it keeps none. */
static void number_fluxes(fv_solver *fv, int32_t (*kept)[6])
{
  const trm_forest *forest = fv->forest;
  fv->flux_count = 0;
  fv->p.interfaces = 0;
  for (size_t i = 0; i < forest->blocks.count; i++) {
    int is_coarser = 0;
    for (int side = 0; side < 6; side++) {
      const int keeps = fv_keeps_flux(fv, i, side, &is_coarser);
      if (kept) kept[i][side] = keeps ? (int32_t)fv->flux_count : -1;
      fv->flux_count += (size_t)keeps;
    }
    fv->p.interfaces += is_coarser;
  }
}

void fv_count_interfaces(fv_solver *fv)
{
  const trm_forest *forest = fv->forest;
  fv->p.blocks = (int)forest->blocks.count;
  fv->p.boundaries = (int)(forest->blocks.count + forest->first[TRM_GHOST_BOUNDARY]);
  fv->finest = fv->adapt.is_asked ? forest->shape.finest : 0;
  for (size_t i = 0; i < forest->blocks.count; i++)
    if (forest->level[i] > fv->finest) fv->finest = forest->level[i];
  number_fluxes(fv, NULL);
  fv_count_edges(fv);
}

/* For a block beyond the sides: the slot of its own level beside its source, at a side of the
 * source, or FV_BESIDE_... Means are made before such blocks, lines of coarser leaves after
 * them. */
int32_t fv_beside_source(const fv_solver *fv, const trm_ghost *ghost, int side)
{
  const trm_forest *forest = fv->forest;
  const int axis = side / 2, is_flat = fv->n[2] == 1;
  int32_t place[3], last[3];
  if (ghost->kind < TRM_GHOST_BOUNDARY || ghost->part[axis] || (axis == 2 && is_flat))
    return FV_BESIDE_NONE;
  for (int a = 0; a < 3; a++) {
    last[a] = (forest->shape.roots[a] << (a == 2 && is_flat ? 0 : ghost->level)) - 1;
    place[a] = ghost->part[a] < 0 ? 0 : ghost->part[a] > 0 ? last[a] : ghost->place[a];
  }
  place[axis] += side % 2 ? 1 : -1;
  if (forest->shape.is_periodic[axis])
    place[axis] = place[axis] < 0 ? last[axis] : place[axis] > last[axis] ? 0 : place[axis];
  else if (place[axis] < 0 || place[axis] > last[axis])
    return fv->p.kind[side] <= FV_CLOSED ? FV_BESIDE_IMAGE : FV_BESIDE_NONE;
  const int32_t leaf = trm_forest_leaf(forest, ghost->level, place);
  if (leaf >= 0 || kind_of(forest, ghost->source[0]) >= 0) return leaf;
  const int32_t beside = forest->near[ghost->source[0]][beyond_side[side]];
  return kind_of(forest, beside) == TRM_GHOST_RESTRICTED ? beside : FV_BESIDE_NONE;
}

static trm_status write_ghosts(fv_solver *fv)
{
  const size_t count = fv->forest->ghost_count, entries = fv->edges.entries;
  size_t next = 0;
  int32_t (*list)[FV_GHOST_INTS] = malloc((count + 1) * sizeof *list);
  int32_t (*edges)[FV_EDGE_INTS] = malloc((entries + 1) * sizeof *edges);
  trm_status status = TRM_OK;
  if (!list || !edges)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks beside leaves", count);
  for (size_t i = 0; i < count && status == TRM_OK; i++) {
    const trm_ghost *ghost = &fv->forest->ghosts[i];
    int32_t *ints = list[i];
    ints[0] = ghost->slot;
    memcpy(ints + 1, ghost->source, sizeof ghost->source);
    for (int a = 0; a < 3; a++) {
      ints[FV_GHOST_PART + a] = ghost->part[a];
      ints[FV_GHOST_FROM + a] = ghost->from[a];
      ints[FV_GHOST_TO + a] = ghost->to[a];
    }
    for (int side = 0; side < 6; side++)
      ints[FV_GHOST_BESIDE + side] = fv_beside_source(fv, ghost, side);
    ints[FV_GHOST_LEVEL] = ghost->level - fv->dual.halvings;
    fv_enter_edges(fv, ghost, edges, &next, ints + FV_GHOST_EDGE);
  }
  if (status == TRM_OK && count)
    status = trm_buffer_write(fv->ghosts, 0, count * sizeof *list, list);
  if (status == TRM_OK && entries)
    status = trm_buffer_write(fv->edges.list, 0, entries * sizeof *edges, edges);
  free(list);
  free(edges);
  return status;
}

/* The finer leaf beyond a side, by quarter, is a child of the mean there. */
static int32_t finer_leaf(const trm_ghost *mean, int side, int quarter)
{
  const int axis = side / 2, a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
  const int near_end = side % 2 == 0; /* beyond the west lies its eastern half */
  return mean->source[near_end << axis | (quarter & 1) << a | (quarter >> 1) << b];
}

static trm_status write_interfaces(fv_solver *fv, int32_t (*kept)[6])
{
  const trm_forest *forest = fv->forest;
  const size_t count = (size_t)fv->p.interfaces;
  size_t next = 0;
  int32_t (*list)[FV_INTERFACE_INTS] = malloc((count + 1) * sizeof *list); /* one to try the last */
  if (!list) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu leaves at interfaces", count);
  for (size_t i = 0; i < forest->blocks.count; i++) {
    int32_t *ints = list[next];
    int is_coarser = 0;
    ints[0] = (int32_t)i;
    for (int side = 0; side < 6; side++) {
      int32_t *to = ints + 1 + 5 * side;
      const int32_t slot = forest->near[i][beyond_side[side]];
      for (int k = 0; k < 5; k++) to[k] = -1;
      if (kept[i][side] < 0 || kind_of(forest, slot) != TRM_GHOST_RESTRICTED) continue;
      const trm_ghost *mean = &forest->ghosts[(size_t)slot - forest->blocks.count];
      is_coarser = 1;
      to[0] = kept[i][side];
      for (int k = 0; k < (fv->n[2] == 1 ? 2 : 4); k++)
        to[1 + k] = kept[finer_leaf(mean, side, k)][side ^ 1];
    }
    next += (size_t)is_coarser;
  }
  const trm_status status = count ? trm_buffer_write(fv->interfaces, 0, count * sizeof *list, list)
                                  : TRM_OK;
  free(list);
  return status;
}

static trm_status write_near(fv_solver *fv, int32_t (*kept)[6])
{
  const trm_forest *forest = fv->forest;
  const size_t leaves = forest->blocks.count;
  int32_t (*near)[FV_NEAR_INTS] = malloc(leaves * sizeof *near);
  if (!near) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the neighbours of %zu blocks", leaves);
  for (size_t i = 0; i < leaves; i++) {
    memcpy(near[i], forest->near[i], sizeof forest->near[i]);
    near[i][FV_LEVEL] = forest->level[i];
    memcpy(near[i] + FV_KEPT, kept[i], sizeof kept[i]);
    near[i][FV_IN_BODY] = fv_stays_in_body(fv, i);
    near[i][FV_SLOT_OF] = forest->blocks.slot[i];
  }
  const trm_status status = trm_buffer_write(fv->near, 0, leaves * sizeof *near, near);
  free(near);
  return status;
}

trm_status fv_write_tables(fv_solver *fv)
{
  int32_t (*kept)[6] = malloc(fv->forest->blocks.count * sizeof *kept);
  if (!kept)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the sides of %zu blocks",
                    fv->forest->blocks.count);
  number_fluxes(fv, kept);
  trm_status status = write_near(fv, kept);
  if (status == TRM_OK) status = write_ghosts(fv);
  if (status == TRM_OK) status = write_interfaces(fv, kept);
  if (status == TRM_OK) status = fv_write_sources(fv);
  if (status == TRM_OK) status = fv_write_probes(fv);
  free(kept);
  return status;
}
