/* levels_steps.c - buffers of a flow on blocks of several levels, and its steps.
 *
 * A step of a level. Populations come through sides and walls. The next finer level gets the parts
 * for its two steps, and makes the first step. Openings' sums get their flow, and coarser cells the
 * parts of finer ones. Then come the level's own launch and the second finer step. A level begins
 * in the first lattice when a coarser one steps. Level 0 goes to and fro between lattices, and is
 * brought back to the first at the end of a batch. */
#include "solvers/lbm3d/levels/levels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPPING, SYNC, OBSERVING, CURL, SHEARING, LINKS, SIDES, EXPLODE, COALESCE, PUSHING,
       BOOK, PROBING };

/* ---- buffers ------------------------------------------------------------------ */

/* Sums of many steps are folded at once, in no more memory than four numbers a cell. */
static size_t choose_slots(const lbm3d_solver *flow)
{
  const size_t leaves = flow->levels->blocks.count;
  const size_t step = 2 * leaves * LEVELS_SUMS + flow->marks.values * flow->marks.place_count +
                      LBM3D_PROBED * flow->probes.cells;
  size_t slots = LEVELS_SLOTS;
  while (slots > 2 && slots * step > 4 * leaves * LEVELS_CELLS) slots /= 2;
  return slots;
}

void lbm3d_levels_size_up(lbm3d_solver *flow)
{
  lbm3d_levels *all = flow->levels;
  const trm_forest *forest = all->forest;
  const trm_type real_type = flow->real_type;
  const size_t leaves = forest->blocks.count;
  const size_t lattice = forest->slots * LEVELS_CELLS * (size_t)flow->scene.velocities;
  const levels_range *prolonged = &all->prolonged[all->finest];
  const levels_range *interface = &all->interface[all->finest];
  const size_t series = lbm3d_series_count(flow);
  const lbm3d_marks *marks = &flow->marks;
  const lbm3d_shear *shear = &flow->shear;
  flow->leaves = leaves * LEVELS_SUMS;
  flow->slots = choose_slots(flow);
  const trm_framework_buffer list[] = {
    { &flow->lattice[0], "lattice 0", lattice, real_type, 1, NULL },
    { &flow->lattice[1], "lattice 1", lattice, real_type, 1, NULL },
    { &all->near_buffer, "neighbours", leaves * LEVELS_NEAR_INTS, TRM_TYPE_I32, 0,
      all->near },
    { &all->order_buffer, "leaves", leaves, TRM_TYPE_I32, 0, all->order },
    { &all->ghosts_buffer, "blocks beside leaves", forest->ghost_count * LEVELS_GHOST_INTS,
      TRM_TYPE_I32, 0, all->ghosts },
    { &all->prolonged_buffer, "parts of coarser leaves",
      (size_t)(prolonged->first + prolonged->count) * LEVELS_PROLONGED_INTS, TRM_TYPE_I32, 0,
          all->prolonged_list },
    { &all->interfaces_buffer, "interfaces", (size_t)(interface->first + interface->count),
     TRM_TYPE_I32,
     0,
      all->interfaces },
    { &all->sided_buffer, "leaves at sides",
      all->sided_count * LEVELS_SIDED_INTS, TRM_TYPE_I32, 0, all->sided },
    { &all->given_buffer, "velocities of sides", all->given_count, real_type, 0, all->given },
    { &all->pushes_buffer, "walls at interfaces", LEVELS_PUSH_INTS * all->push_count, TRM_TYPE_I32,
     0,
      all->pushes },
    { &all->push_values_buffer, "what they give", all->push_count, real_type, 0,
      all->push_values },
    { &all->walls_buffer, "solid cells of leaves", all->wall_words, TRM_TYPE_I32, 0, all->walls },
    { &flow->solid, "solid", all->solid ? leaves * LEVELS_CELLS : 0, TRM_TYPE_U8, 0, all->solid },
    { &flow->sites, "cells beside walls", marks->count, TRM_TYPE_I32, 0, marks->sites },
    { &flow->mark_entries, "entries of them", 2 * marks->count, TRM_TYPE_I32, 0,
     marks->mark_entries },
    { &flow->ways, "ways of links", 2 * marks->link_count, TRM_TYPE_I32, 0, marks->ways },
    { &flow->links, "links", 4 * marks->link_count, real_type, 0, marks->links },
    { &flow->shear_sites, "cells of wall shear", 3 * shear->count, TRM_TYPE_I32, 0,
      shear->sites },
    { &flow->shear_parts, "slopes of wall shear", 5 * shear->count, real_type, 0, shear->parts },
    { &flow->part, "forces and fluxes", flow->slots * marks->values * marks->place_count + 1,
      real_type, 1, NULL },
    { &flow->probe_cells, "cells of probes", 2 * flow->probes.cells, TRM_TYPE_I32, 0,
      flow->probes.list },
    { &flow->probed, "what probes found", flow->slots * LBM3D_PROBED * flow->probes.cells,
      real_type, 0, NULL },
    { &flow->energies, "partial sums of the energy", flow->slots * flow->leaves, real_type, 1,
      NULL },
    { &flow->changes, "partial sums of the density", flow->slots * flow->leaves, real_type, 1,
      NULL },
    { &flow->window, "series of a sequence", series * TRM_FRAMEWORK_LONGEST, real_type, 1, NULL },
    { &flow->sums, "series", series * LBM3D_BATCH, real_type, 1, NULL },
  };
  memcpy(flow->memory, list, sizeof list);
  flow->memory_count = sizeof list / sizeof list[0];
  flow->memory_count += lbm3d_means_list(flow, flow->memory + flow->memory_count);
}

static trm_status allocate(lbm3d_solver *flow)
{
  char what[64];
  snprintf(what, sizeof what, "a grid of %zu blocks of %d x %d x %d cells",
           flow->levels->blocks.count, LEVELS_SIDE, LEVELS_SIDE, LEVELS_SIDE);
  TRM_TRY(trm_framework_allocate(flow->base.device, flow->memory, flow->memory_count, what));
  return lbm3d_create_folds(flow);
}

static const char *step_name(const lbm3d_solver *flow)
{
  if (flow->p.eddy > 0.0) return "lbm3d_levels_eddy_step";
  return flow->scene.is_forced ? "lbm3d_levels_forced_step" : "lbm3d_levels_step";
}

trm_status lbm3d_levels_set_up(lbm3d_solver *flow, const trm_solver_options *run)
{
  const char *const kernels[] = {
    [STEPPING] = step_name(flow), [SYNC] = "lbm3d_levels_sync",
    [OBSERVING] = "lbm3d_levels_observe", [CURL] = "lbm3d_levels_vorticity",
    [SHEARING] = "lbm3d_levels_shear", [LINKS] = "lbm3d_levels_links",
    [SIDES] = "lbm3d_levels_sides", [EXPLODE] = "lbm3d_levels_explode",
    [COALESCE] = "lbm3d_levels_coalesce", [PUSHING] = "lbm3d_levels_push",
    [BOOK] = "lbm3d_levels_book", [PROBING] = "lbm3d_levels_probe", NULL };
  const trm_framework_recipe recipe = { .params = "lbm3d_levels_params",
                                        .params_bytes = sizeof(lbm3d_levels_params),
                                        .kernels = kernels };
  TRM_TRY(allocate(flow));
  return lbm3d_build(flow, &recipe, run);
}

/* ---- steps --------------------------------------------------------------------- */

#define LAUNCH(flow, kernel, range, p, ...) \
  ((p)->first = (range).first, (range).count == 0 ? TRM_OK : \
   TRM_FRAMEWORK_LAUNCH(lbm3d_program_of(flow, kernel), kernel, (range).count, 1, p, __VA_ARGS__))

/* One step of a level, from lattice[now]. begins: the first of it in a step of level 0. */
static trm_status step_level(lbm3d_solver *flow, int level, int now, size_t slot, int begins)
{
  const lbm3d_levels *all = flow->levels;
  trm_buffer *const *f = flow->lattice;
  lbm3d_levels_params p = all->p[level];
  p.now = now;
  p.begins = begins;
  p.sums = (trm_index)(slot * flow->leaves);
  p.part = (trm_index)(slot * flow->marks.values * flow->marks.place_count);
  TRM_TRY(LAUNCH(flow, SIDES, all->side[level], &p, f[now], all->near_buffer, all->sided_buffer,
                 all->given_buffer, flow->part));
  TRM_TRY(LAUNCH(flow, LINKS, all->marked[level], &p, f[now], all->near_buffer, flow->sites,
                 flow->mark_entries, flow->ways, flow->links, flow->part));
  if (level < all->finest) {
    TRM_TRY(LAUNCH(flow, EXPLODE, all->prolonged[level + 1], &p, f[0], f[1], all->near_buffer,
                   all->ghosts_buffer, all->prolonged_buffer));
    TRM_TRY(LAUNCH(flow, PUSHING, all->push[level], &p, f[0], f[1], all->pushes_buffer,
                   all->push_values_buffer));
    TRM_TRY(step_level(flow, level + 1, 0, slot, begins));
    TRM_TRY(LAUNCH(flow, BOOK, all->book[level], &p, f[0], f[1], all->near_buffer,
                   all->ghosts_buffer, all->sided_buffer, flow->part));
    TRM_TRY(LAUNCH(flow, COALESCE, all->interface[level], &p, f[0], f[1], all->near_buffer,
                   all->ghosts_buffer, all->interfaces_buffer));
  }
  TRM_TRY(LAUNCH(flow, STEPPING, all->stepped[level], &p, f[now], f[!now], all->near_buffer,
                 all->order_buffer, all->walls_buffer, flow->energies, flow->changes));
  return level < all->finest ? step_level(flow, level + 1, 1, slot, 0) : TRM_OK;
}

static trm_status probe(lbm3d_solver *flow, size_t slot)
{
  const levels_range cells = { 0, (int)flow->probes.cells };
  lbm3d_levels_params p = flow->levels->p[0];
  p.now = flow->current;
  p.part = (trm_index)(slot * LBM3D_PROBED * flow->probes.cells);
  p.places = (trm_index)flow->probes.cells;
  return LAUNCH(flow, PROBING, cells, &p, flow->lattice[0], flow->lattice[1], flow->probed,
                flow->probe_cells);
}

trm_status lbm3d_levels_step(lbm3d_solver *flow, size_t slot)
{
  TRM_TRY(step_level(flow, 0, flow->current, slot, 1));
  flow->current = !flow->current;
  return probe(flow, slot);
}

trm_status lbm3d_levels_sync(lbm3d_solver *flow)
{
  lbm3d_levels_params p = flow->levels->p[0];
  if (flow->current == 0) return TRM_OK;
  flow->current = 0;
  return LAUNCH(flow, SYNC, flow->levels->stepped[0], &p, flow->lattice[0], flow->lattice[1],
                flow->levels->order_buffer);
}

trm_status lbm3d_levels_observe(lbm3d_solver *flow)
{
  const lbm3d_levels *all = flow->levels;
  for (int level = 0; level <= all->finest; level++) {
    lbm3d_levels_params p = all->p[level];
    TRM_TRY(LAUNCH(flow, OBSERVING, all->leaves[level], &p, flow->lattice[0], flow->lattice[1],
                   all->order_buffer, all->walls_buffer));
  }
  for (int level = 0; level <= all->finest; level++) {
    lbm3d_levels_params p = all->p[level];
    TRM_TRY(LAUNCH(flow, SHEARING, all->sheared[level], &p, flow->lattice[1], flow->shear_sites,
                   flow->shear_parts));
    TRM_TRY(LAUNCH(flow, CURL, all->leaves[level], &p, flow->lattice[1], all->near_buffer,
                   all->order_buffer));
  }
  return TRM_OK;
}

/* ---- what is told ---------------------------------------------------------------- */

void lbm3d_levels_place(const lbm3d_solver *flow, trm_field *field, size_t component)
{
  const lbm3d_levels *all = flow->levels;
  field->nx <<= all->finest;
  field->ny <<= all->finest;
  field->nz <<= all->finest;
  field->blocks = &all->blocks;
  field->stride = LEVELS_CELLS * (size_t)flow->scene.velocities;
  field->layout = (trm_layout){ .first = component * LEVELS_CELLS };
}

double lbm3d_levels_updates(const lbm3d_solver *flow)
{
  double updates = 0.0;
  for (int level = 0; level <= flow->levels->finest; level++)
    updates += (double)LEVELS_CELLS * flow->levels->stepped[level].count * (1 << level);
  return updates;
}

double lbm3d_levels_share(const lbm3d_solver *flow)
{
  const int *n = flow->scene.n;
  return lbm3d_levels_updates(flow) /
         ldexp((double)n[0] * n[1] * n[2], 4 * flow->levels->finest);
}

/* Cells at sides that a step of level 0 works on, on level l 2^l times: by face, by edge between
 * two faces, and at corners of three. */
typedef struct sided_cells { double faces, edges, corners, leaves; } sided_cells;

static sided_cells count_sided(const lbm3d_levels *all)
{
  sided_cells sum = { 0 };
  for (int level = 0; level <= all->finest; level++)
    for (int i = 0; i < all->side[level].count; i++) {
      const int32_t *face = all->sided + LEVELS_FACE +
                            (size_t)(all->side[level].first + i) * LEVELS_SIDED_INTS;
      int axes[3];
      for (int a = 0; a < 3; a++) axes[a] = (face[2 * a] >= 0) + (face[2 * a + 1] >= 0);
      const double steps = ldexp(1.0, level);
      sum.leaves += steps;
      sum.faces += steps * LEVELS_FACE_CELLS * (axes[0] + axes[1] + axes[2]);
      sum.edges += steps * LEVELS_SIDE *
                   (axes[0] * axes[1] + axes[1] * axes[2] + axes[2] * axes[0]);
      sum.corners += steps * axes[0] * axes[1] * axes[2];
    }
  return sum;
}

/* Places where links cross sides; at an edge of the box one of them decides. */
static double crossings_of(const sided_cells *at, int is_27)
{
  const double faces = at->faces / LEVELS_FACE_CELLS, along = LEVELS_CROSSINGS;
  if (is_27) return faces * along * along - at->edges / LEVELS_SIDE * along + at->corners;
  return at->faces + faces * 2 * LEVELS_SIDE * (LEVELS_SIDE + 1) - at->edges;
}

/* Launches a step of level 0: level l has 2^l where it has anything to work on. */
static double calls_of(const levels_range *ranges, int finest)
{
  double calls = 0.0;
  for (int level = 0; level <= finest; level++)
    if (ranges[level].count > 0) calls += ldexp(1.0, level);
  return calls;
}

/* Populations once in and once out, a leaf's numbers in, two sums out. Sides: their cells,
 * velocities and lists in, populations from beyond out. All count as walls and inflows; an opening
 * of given density reads and computes more. Traffic at interfaces and through links of bodies is
 * not declared. */
void lbm3d_levels_declare_traffic(lbm3d_solver *flow)
{
  const lbm3d_levels *all = flow->levels;
  const int is_27 = flow->scene.velocities == D3Q27;
  const double size = (double)trm_type_size(flow->real_type), cells = flow->base.cells;
  const double lattice = cells * flow->scene.velocities * size, blocks = cells / LEVELS_CELLS;
  const double calls = calls_of(all->stepped, all->finest);
  flow->traffic[0] = (trm_traffic){ step_name(flow), (lattice + 30.0 * 4.0 * blocks) / calls,
                                    (lattice + 2.0 * LEVELS_SUMS * size * blocks) / calls,
                                    flow->flops * cells / calls, calls };
  flow->base.traffic = flow->traffic;
  flow->base.traffic_count = 1;

  const double probed = (double)flow->probes.cells;
  if (probed > 0.0)
    flow->traffic[flow->base.traffic_count++] = (trm_traffic){
      "lbm3d_levels_probe", probed * (8.0 + flow->scene.velocities * size),
      LBM3D_PROBED * size * probed, (is_27 ? 77.0 : 53.0) * probed, 1.0 };

  const sided_cells at = count_sided(all);
  const double launches = calls_of(all->side, all->finest);
  if (launches == 0.0) return;
  const double distinct = at.faces - at.edges + at.corners;
  const double come_in = is_27 ? 9 * at.faces - 3 * at.edges + at.corners
                               : 5 * at.faces - at.edges;
  const double read = (flow->scene.velocities * distinct + 3 * crossings_of(&at, is_27)) * size +
                      60 * at.leaves;
  const double flops = (is_27 ? 80 : 61) * at.faces + 20 * come_in;
  flow->traffic[flow->base.traffic_count++] =
    (trm_traffic){ "lbm3d_levels_sides", read / launches, come_in * size / launches,
                   flops / launches, launches };
}
