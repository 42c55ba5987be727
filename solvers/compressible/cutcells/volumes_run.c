/* volumes_run.c - see volumes_run.h: the case's key, the first lists, steps, forces, and runs that
 * go on from a checkpoint. Lists are made before each step in which bodies move. Bodies at rest
 * have those of the first step. */
#include "solvers/compressible/cutcells/volumes_run.h"
#include "solvers/compressible/solver/fv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const key = "compressible.cut_cells";

/* Cells from walls within which gas is listed; cells that bodies move until leaves of the lists are
 * found again. */
enum { NEAR = 4, AHEAD = 8 };

/* ---- the case -------------------------------------------------------------------------------- */

trm_status fv_check_volumes(const fv_solver *fv, const trm_config *config)
{
  const struct { int is_asked; const char *what, *cure; } wrong[] = {
    { fv->bodies.count == 0, "is about bodies, and the case has no body", "leave it out" },
    { trm_config_is_given(config, "compressible.cut_cells_on"),
      "always makes its lists on the device", "leave compressible.cut_cells_on out" },
    { !trm_device_describe(fv->base.device)->has_f64,
      "needs double precision, which the device has not", "take another device" },
    { trm_device_is_part(fv->base.device) && fv->dual.is_on, "is in dual time on one device alone",
      "take one device, or set compressible.time = 'explicit'" },
    { trm_config_integer(config, "compressible.multigrid") > 0, "sweeps over one grid alone",
      "leave compressible.multigrid out" } };
  if (!fv->volumes) return TRM_OK;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    if (wrong[i].is_asked)
      return TRM_FAIL(UNSUPPORTED,
                      "%s: %s = 'redistribution' %s; %s, or take 'merging'",
                      trm_config_origin(config, key), key, wrong[i].what, wrong[i].cure);
  return TRM_OK;
}

double fv_finest_side(const fv_solver *fv) { return fv->h / (1 << fv->finest); }

int fv_finest_cells(const fv_solver *fv, int axis)
{
  return fv->n[axis] == 1 ? 1 : fv->n[axis] << fv->finest;
}

/* Parameters of launches over lists. */
static fv_params params_of(const fv_solver *fv)
{
  const real scale = (real)(1 << fv->finest);
  fv_params p = fv->p;
  if (fv->real_type == TRM_TYPE_F32) p.form |= FV_IN_SINGLE;
  p.begins = 0; /* which is of the clock */
  p.inv_h *= scale;
  p.diffusion *= scale * scale;
  return p;
}

static int is_endless_along(const fv_body *body, int a)
{
  return a == 2 && body->size[2] == 0 && body->shape != FV_SPHERE && body->shape != FV_SURFACE;
}

/* Whether a body continues beyond both periodic sides of an axis. */
static int continues(const fv_body *body, int a)
{
  return is_endless_along(body, a) || body->surface.count > body->within ||
         (body->shape == FV_BOX && body->end[a][0] > body->size[a] &&
          body->end[a][1] > body->size[a]);
}

/* Whether a body is off both sides of an axis, as it is now. */
static int is_within(const fv_solver *fv, const fv_body *body, int a)
{
  const double room = 4 * fv_finest_side(fv), low = fv->origin[a];
  double least[3], most[3];
  fv_body_bounds(body, least, most);
  return least[a] >= low + room && most[a] <= low + fv->h * fv->n[a] - room;
}

/* Which bodies pass through periodic sides, at the begin or on their way until the run's end. Such
 * a body is shorter than the grid, as seen from its place. */
static trm_status find_passes(fv_solver *fv, double end)
{
  enum { TIMES = 1000 };
  fv_told *told = &fv->volumes->told;
  const int times = fv->bodies.is_moving && end > 0 ? TIMES : 0;
  for (int k = 0; k <= times; k++) {
    if (k > 0) fv_move_bodies(&fv->bodies, end * k / TIMES);
    for (int i = 0; i < 3 * fv->bodies.count; i++) {
      const int a = i % 3;
      const fv_body *body = &fv->bodies.body[i / 3];
      double here[3], least[3], most[3];
      if (a >= fv_axes(fv) || fv->p.kind[2 * a] != FV_PERIODIC || continues(body, a) ||
          body->shape == FV_TUBE || body->is_hollow || is_within(fv, body, a)) continue;
      fv_body_to_here(body, body->at, here);
      fv_body_bounds(body, least, most);
      const double reach = fmax(most[a] - here[a], here[a] - least[a]);
      told->passes[i / 3][a] = reach + 6 * fv_finest_side(fv) < fv->h * fv->n[a] &&
                               most[a] - least[a] + 6 * fv_finest_side(fv) < fv->h * fv->n[a];
    }
  }
  if (times > 0) fv_begin_bodies(&fv->bodies);
  return TRM_OK;
}

/* Walls stay three cells away from sides that are not periodic. A body that neither continues
 * beyond a periodic side nor has copies there stays off it. */
static trm_status check_sides(const fv_solver *fv)
{
  char when[FV_WHEN];
  for (int b = 0; b < fv->bodies.count; b++) {
    const fv_body *body = &fv->bodies.body[b];
    double least[3], most[3];
    fv_body_bounds(body, least, most);
    for (int a = 0; a < fv_axes(fv); a++) {
      const int is_periodic = fv->p.kind[2 * a] == FV_PERIODIC;
      const int is_endless = is_endless_along(body, a), goes_on = continues(body, a);
      if (fv->volumes->told.passes[b][a]) continue;
      const double room = (is_periodic ? 0.01 : 3) * fv_finest_side(fv);
      const double low = fv->origin[a], high = low + fv->h * fv->n[a];
      if ((is_periodic && goes_on) ||
          (!is_endless && least[a] >= low + room && most[a] <= high - room)) continue;
      return TRM_FAIL(UNSUPPORTED, "%s: body %d reaches %s %c = %g%s; with %s = 'redistribution' "
                      "it must stay %g away: move it, or make the grid larger%s", fv->bodies.said,
                      b + 1, is_periodic ? "the periodic side" : "to less than three cells from",
                      "xyz"[a], least[a] < low + room ? low : high,
                      fv_when(&fv->bodies, when), key, room,
                      is_periodic && fv->bodies.is_moving
                        ? ", or set run.end_time, so that its way through the side is known" : "");
    }
  }
  return TRM_OK;
}

/* Whether a block of the finest level holds walls, or gas within four cells of them. off: how far
 * away an image of bodies is. */
static int is_near_wall(const fv_solver *fv, const int32_t place[3], const double off[3])
{
  const double h = fv_finest_side(fv), width = h * fv_block_side(fv);
  double at[3] = { 0, 0, 0 };
  for (int a = 0; a < fv_axes(fv); a++) at[a] = fv->origin[a] + (place[a] + 0.5) * width - off[a];
  return fv_bodies_distance(&fv->bodies, at, NULL, NULL) <=
         0.5 * sqrt(fv_axes(fv)) * width + NEAR * h;
}

/* Where image number `image` of a body is, from the body. The body itself is the first. A body that
 * passes through periodic sides may be less than a length off the grid. */
static int find_image(const fv_solver *fv, int body, int image, double off[3])
{
  int by = image;
  for (int a = 0; a < 3; a++) {
    off[a] = (by % 3 == 2 ? -1 : by % 3) * fv->h * fv->n[a];
    if (by % 3 > 0 && !fv->volumes->told.passes[body][a]) return 0;
    by /= 3;
  }
  return 1;
}

/* Blocks at walls of an image of a body are of the finest level. */
static trm_status check_image(const fv_solver *fv, int b, const double off[3])
{
  const trm_forest *forest = fv->forest;
  const double h = fv_finest_side(fv);
  char when[FV_WHEN];
  int32_t from[3] = { 0, 0, 0 }, to[3] = { 0, 0, 0 }, at[3];
  double least[3], most[3];
  fv_body_bounds(&fv->bodies.body[b], least, most);
  for (int a = 0; a < fv_axes(fv); a++) {
    const int last = fv_finest_cells(fv, a) / forest->shape.side[a] - 1;
    const double width = h * forest->shape.side[a], begin = fv->origin[a] - off[a];
    const int is_long = !(least[a] < most[a]); /* endless */
    const double low = floor((least[a] - begin - 4 * h) / width);
    const double high = floor((most[a] - begin + 4 * h) / width);
    from[a] = is_long ? 0 : (int32_t)fmax(0, fmin(low, last));
    to[a] = is_long ? last : (int32_t)fmax(0, fmin(high, last));
  }
  for (at[2] = from[2]; at[2] <= to[2]; at[2]++)
    for (at[1] = from[1]; at[1] <= to[1]; at[1]++)
      for (at[0] = from[0]; at[0] <= to[0]; at[0]++)
        if (trm_forest_leaf(forest, fv->finest, at) < 0 && is_near_wall(fv, at, off))
          return TRM_FAIL(INPUT, "%s: body %d comes to less than four cells from cells that are "
                          "coarser, near x = %g, y = %g, z = %g%s; let a box of mesh.refine hold "
                          "its way%s", fv->bodies.said, b + 1,
                          fv->origin[0] + (at[0] + 0.5) * h * forest->shape.side[0],
                          fv->origin[1] + (at[1] + 0.5) * h * forest->shape.side[1],
                          fv->origin[2] + (at[2] + 0.5) * h * forest->shape.side[2],
                          fv_when(&fv->bodies, when),
                          fv->adapt.is_asked ? ", or lower mesh.adapt_every" : "");
  return TRM_OK;
}

/* With levels a body goes around the grid once at most. */
static trm_status check_cells(const fv_solver *fv)
{
  double here[3], off[3];
  for (int b = 0; b < fv->bodies.count && fv->finest > 0; b++) {
    const fv_body *body = &fv->bodies.body[b];
    fv_body_to_here(body, body->at, here);
    for (int a = 0; a < 3; a++) {
      const double length = fv->h * fv->n[a], from = here[a] - fv->origin[a];
      if (fv->volumes->told.passes[b][a] && !(from > -length && from < 2 * length))
        return TRM_FAIL(UNSUPPORTED, "%s: body %d goes around the grid along %c more than once, "
                        "and grid.levels is not 0; set it to 0, or let the run end before",
                        fv->bodies.said, b + 1, "xyz"[a]);
    }
    for (int image = 0; image < 27; image++)
      if (find_image(fv, b, image, off)) TRM_TRY(check_image(fv, b, off));
  }
  return TRM_OK;
}

trm_status fv_choose_volumes(fv_solver *fv, const trm_config *config)
{
  if (strcmp(trm_config_string(config, key), "redistribution") != 0) return TRM_OK;
  fv->volumes = calloc(1, sizeof *fv->volumes);
  if (!fv->volumes) return TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at walls");
  fv->bodies.may_meet = 1;
  fv->p.limit = 1; /* so many steps an advance takes */
  return TRM_OK;
}

trm_status fv_make_volumes(fv_solver *fv, double end)
{
  TRM_TRY(find_passes(fv, end));
  TRM_TRY(check_sides(fv));
  TRM_TRY(check_cells(fv));
  return fv_make_facets(fv, &fv->volumes->told);
}

/* ---- leaves ---------------------------------------------------------------------------------- */

/* Whether a body, or its image beyond periodic sides, is within so many cells of a leaf. A body may
 * have gone around the grid. All is solid about bodies that are hollow, so these have no images. */
static int is_body_near(const fv_solver *fv, const fv_body *body, const int32_t place[3],
                        double cells)
{
  const double h = fv_finest_side(fv), width = h * fv_block_side(fv);
  const double room = 0.5 * sqrt(fv_axes(fv)) * width + cells * h;
  const int is_alone = body->is_hollow || body->shape == FV_TUBE;
  double here[3], turns[3];
  int passes[3];
  fv_body_to_here(body, body->at, here);
  for (int a = 0; a < 3; a++) {
    passes[a] = !is_alone && a < fv_axes(fv) && fv->p.kind[2 * a] == FV_PERIODIC;
    turns[a] = passes[a] ? floor((here[a] - fv->origin[a]) / (fv->h * fv->n[a])) : 0;
  }
  for (int i = 0; i < 27; i++) {
    const int image[3] = { i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1 };
    double at[3] = { 0, 0, 0 };
    int is_there = 1;
    for (int a = 0; a < fv_axes(fv); a++)
      at[a] = fv->origin[a] + (place[a] + 0.5) * width + (image[a] + turns[a]) * fv->h * fv->n[a];
    for (int a = 0; a < 3; a++) is_there &= image[a] == 0 || passes[a];
    if (is_there && fv_body_distance(body, at, NULL) <= room) return 1;
  }
  return 0;
}

/* The leaves of the lists: those of the slots that are wanted. */
static trm_status set_leaves(fv_solver *fv, const uint8_t *wanted)
{
  static const int beside[6] = { 12, 10, 4, 14, 16, 22 };
  fv_volumes_run *v = fv->volumes;
  const trm_forest *forest = fv->forest;
  const size_t all = forest->blocks.count;
  int32_t *near = malloc(9 * all * sizeof *near), count = 0;
  int32_t (*places)[3] = (int32_t (*)[3])(near + 6 * all);
  if (!near) return TRM_FAIL(NO_HOST_MEMORY, "no memory for blocks at walls");
  for (size_t slot = 0; slot < all; slot++) v->leaf_of[slot] = -1;
  for (size_t n = 0; n < all; n++) { /* sums over walls go by this order */
    const int32_t slot = forest->blocks.slot[n];
    if (forest->level[slot] != fv->finest || !wanted[slot]) continue;
    v->slots[count] = slot;
    v->leaf_of[slot] = count++;
  }
  for (int i = 0; i < count; i++) {
    memcpy(places[i], forest->place[v->slots[i]], sizeof *places);
    for (int side = 0; side < 6; side++) {
      const int32_t slot = forest->near[v->slots[i]][beside[side]];
      const int is_there = slot >= 0 && (size_t)slot < all && (side % 3 < 2 || fv->n[2] > 1);
      near[6 * i + side] = is_there ? v->leaf_of[slot] : -1;
    }
  }
  trm_status status = fv_volumes_set_leaves(&v->lists, count, *places, near);
  free(near);
  if (status != TRM_OK) return status;
  return trm_buffer_write(v->blocks.slots, 0, (size_t)count * sizeof *v->slots, v->slots);
}

int fv_is_leaf_near(const fv_solver *fv, size_t slot)
{
  const double cells = NEAR + (fv->bodies.is_moving ? AHEAD : 0);
  int is_near = 0;
  for (int b = 0; b < fv->bodies.count && !is_near; b++)
    is_near = fv->forest->level[slot] == fv->finest &&
              is_body_near(fv, &fv->bodies.body[b], fv->forest->place[slot], cells);
  return is_near;
}

static trm_status set_leaves_about_bodies(fv_solver *fv)
{
  const size_t all = fv->forest->blocks.count;
  uint8_t *wanted = calloc(all, 1);
  if (!wanted) return TRM_FAIL(NO_HOST_MEMORY, "no memory for blocks at walls");
  for (size_t slot = 0; slot < all; slot++) wanted[slot] = (uint8_t)fv_is_leaf_near(fv, slot);
  const trm_status status = set_leaves(fv, wanted);
  free(wanted);
  fv->volumes->moved = 0;
  return status;
}

/* Leaves with listed cells, and those about them. */
static trm_status set_near_leaves(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  const size_t all = fv->forest->blocks.count;
  uint8_t *wanted = calloc(all, 1);
  if (!wanted) return TRM_FAIL(NO_HOST_MEMORY, "no memory for blocks at walls");
  trm_status status = fv_see_volumes(v);
  for (int k = 0; k < v->lists.p.listed && status == TRM_OK; k++) {
    const int32_t *near = fv->forest->near[v->slots[(size_t)v->seen.list[k] / fv->block]];
    for (int i = 0; i < 27; i++)
      if (near[i] >= 0 && (size_t)near[i] < all) wanted[near[i]] = 1;
  }
  /* solid cells are in leaves of the lists, too */
  for (size_t slot = 0; slot < all && status == TRM_OK; slot++)
    for (size_t i = 0; i < fv->block && !wanted[slot]; i++)
      wanted[slot] = v->leaf_of[slot] >= 0 &&
                     FV_FOUND_KIND(v->seen.kinds[(size_t)v->leaf_of[slot] * fv->block + i]) ==
                       FV_FOUND_SOLID;
  if (status == TRM_OK) status = set_leaves(fv, wanted);
  free(wanted);
  fv_forget_volumes(v);
  return status;
}

static trm_status make_lists(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  fv_forget_volumes(v);
  TRM_TRY(fv_volumes_step(&v->lists, &v->told.lists, 0));
  return fv_share_volumes(fv);
}

static trm_status make_first_lists(fv_solver *fv)
{
  const fv_volumes *l = &fv->volumes->lists;
  int listed = -1;
  fv_tell_bodies(fv, &fv->volumes->told, 1);
  TRM_TRY(set_leaves_about_bodies(fv));
  TRM_TRY(make_lists(fv));
  while (!fv->bodies.is_moving && l->p.listed != listed) {
    listed = l->p.listed;
    TRM_TRY(set_near_leaves(fv));
    TRM_TRY(make_lists(fv));
  }
  return TRM_OK;
}

/* By leaf of the grid. */
static trm_status make_room(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  const size_t leaves = fv->forest->blocks.count;
  if (v->room >= leaves) return fv_share_leaves(fv, v->solid, TRM_TYPE_U8, fv->block);
  const size_t room = v->room > 0 ? leaves + leaves / 4 : leaves;
  v->room = 0;
  free(v->slots);
  free(v->leaf_of);
  trm_buffer_destroy(&v->blocks.slots);
  trm_buffer_destroy(&v->solid);
  v->slots = malloc(room * sizeof *v->slots);
  v->leaf_of = malloc(room * sizeof *v->leaf_of);
  if (!v->slots || !v->leaf_of) return TRM_FAIL(NO_HOST_MEMORY, "no memory for blocks at walls");
  TRM_TRY(trm_buffer_create(fv->base.device, room * sizeof *v->slots, "blocks at walls",
                            &v->blocks.slots));
  TRM_TRY(trm_buffer_create(fv->base.device, room * fv->block, "solid cells", &v->solid));
  v->room = room;
  return fv_share_leaves(fv, v->solid, TRM_TYPE_U8, fv->block);
}

/* Numbers of sources, in double precision. */
static trm_status make_sources(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  if (!fv->sources.is_force && !fv->sources.is_sponge) return TRM_OK;
  TRM_TRY(trm_buffer_create(fv->base.device, sizeof fv->sources.number, "sources at walls",
                            &v->sources));
  v->flow.sources = v->sources;
  return trm_buffer_write(v->sources, 0, sizeof fv->sources.number, fv->sources.number);
}

/* The step, as the clock has it, in double precision. */
static trm_status tell_step(fv_volumes_run *v, const double clock[FV_STEP_REALS])
{
  v->dt = clock[FV_DT];
  return trm_buffer_write(v->clock, 0, FV_STEP_REALS * sizeof *clock, clock);
}

trm_status fv_build_volumes(fv_solver *fv, const trm_solver_options *run)
{
  fv_volumes_run *v = fv->volumes;
  const int side = fv_block_side(fv), sides[3] = { side, side, fv->n[2] == 1 ? 1 : side };
  if (!v) return TRM_OK;
  TRM_TRY(fv_volumes_open(fv->base.device, fv->n[2] == 1 ? "flat" : NULL, run->group, sides,
                          &v->lists));
  if (fv->bodies.count > 1) TRM_TRY(fv_volumes_open_trees(&v->lists)); /* not in mid-run */
  TRM_TRY(fv_flow_open(&v->lists, &v->flow));
  v->flow.is_dual = fv->dual.is_on;
  v->flow.has_past = fv->dual.has_past;
  TRM_TRY(make_room(fv));
  TRM_TRY(trm_buffer_create(fv->base.device, FV_TIMES * sizeof(double), "times of walls",
                            &v->kept));
  TRM_TRY(trm_buffer_create(fv->base.device, FV_STEP_REALS * sizeof(double), "the step at walls",
                            &v->clock));
  TRM_TRY(make_sources(fv));
  TRM_TRY(tell_step(v, (double[FV_STEP_REALS]){ [FV_DT] = 1, [FV_LIVE] = 1 }));
  TRM_TRY(make_first_lists(fv));
  TRM_TRY(fv_keep_volumes(fv));
  return fv_see_volumes(v);
}

void fv_free_volumes(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  if (!v) return;
  fv_free_told(&v->told);
  fv_forget_volumes(v);
  if (v->lists.device) {
    fv_flow_close(&v->flow);
    fv_volumes_close(&v->lists);
  }
  trm_buffer_destroy(&v->blocks.slots);
  trm_buffer_destroy(&v->solid);
  trm_buffer_destroy(&v->kept);
  trm_buffer_destroy(&v->clock);
  trm_buffer_destroy(&v->sources);
  trm_buffer_destroy(&v->felt);
  free(v->slots);
  free(v->leaf_of);
  free(v->own.volumes);
  free(v->own.outers);
  free(v);
  fv->volumes = NULL;
}

/* ---- a step ---------------------------------------------------------------------------------- */

static void choose_blocks(fv_solver *fv)
{
  fv_flow_blocks *b = &fv->volumes->blocks;
  fv_find_own_volumes(fv);
  b->near = fv->near;
  b->w = fv->w[fv->current];
  b->next = fv->w[!fv->current];
  b->q = fv->q;
  b->part = fv->part;
  b->given = fv->dual.given;
}

/* After the blocks' values from their state: those of cells at walls. */
trm_status fv_start_volumes(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  choose_blocks(fv);
  v->blocks.next = fv->w[fv->current];
  const int was_restored = v->is_restored;
  v->is_restored = 0;
  const fv_params p = params_of(fv);
  TRM_TRY(was_restored ? fv_flow_show(&v->flow, &p, &v->blocks)
                       : fv_flow_start(&v->flow, &p, &v->blocks));
  fv_place_fields(fv);
  return TRM_OK;
}

static trm_status move_bodies(fv_solver *fv, double to, double dt)
{
  fv_volumes_run *v = fv->volumes;
  const double most = fv_move_bodies(&fv->bodies, to);
  TRM_TRY(fv_check_numbers(&fv->bodies));
  TRM_TRY(check_sides(fv));
  TRM_TRY(check_cells(fv));
  if (!(most <= 0.5 * fv_finest_side(fv)))
    return TRM_FAIL(INPUT, "%s: after step %llu body %d would move by %g in a step of %g s, more "
                    "than half of a cell, %g; lower compressible.cfl, or let it start more gently",
                    fv->bodies.said, (unsigned long long)fv->base.step, fv->bodies.fastest + 1,
                    most, dt, 0.5 * fv_finest_side(fv));
  v->moved += most;
  v->times[0] = v->times[1];
  v->times[1] = to;
  return TRM_OK;
}

/* Other leaves, before bodies leave those of the lists. Volumes are the same. */
static trm_status follow_bodies(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  fv_volumes_held *held = NULL;
  if (!fv->bodies.is_moving || v->moved <= (AHEAD - 0.5) * fv_finest_side(fv)) return TRM_OK;
  trm_status status = fv_hold_volumes(fv, &held);
  if (status == TRM_OK) status = fv_renew_volumes(fv);
  if (status == TRM_OK) status = fv_regain_volumes(fv, held);
  v->is_restored = 0;           /* blocks have their state */
  fv_drop_volumes(&held);
  return status;
}

/* The step of the clock, and its lists. */
static trm_status begin_lists(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  double clock[FV_STEP_REALS];
  v->is_live = v->is_open = 0;
  TRM_TRY(trm_framework_read_reals(fv->clock, fv->real_type, FV_TIME, clock, FV_STEP_REALS));
  if (!(clock[FV_LIVE] > 0) || !isfinite(clock[FV_DT])) return TRM_OK;
  v->is_open = !fv->dual.is_on || clock[FV_GOES] > 0;
  const double begun = fv_now();
  TRM_TRY(follow_bodies(fv));
  if (v->is_open) TRM_TRY(tell_step(v, clock));
  v->is_live = 1;
  if (fv->bodies.is_moving) TRM_TRY(move_bodies(fv, fv_next_time(fv, clock), clock[FV_DT]));
  if (fv->bodies.is_moving || !v->is_ready) {
    fv_tell_bodies(fv, &v->told, 0);
    TRM_TRY(make_lists(fv));
  }
  v->is_ready = 1;
  fv->geometry_time += fv_now() - begun;
  return fv_keep_volumes(fv);
}

trm_status fv_begin_volumes(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  TRM_TRY(begin_lists(fv));
  if (!v->is_open) return TRM_OK;
  choose_blocks(fv);
  const fv_params p = params_of(fv);
  if (fv->dual.is_on) TRM_TRY(fv_flow_local_step(&v->flow, &p, &v->blocks, v->clock, &v->dt));
  return fv_flow_begin(&v->flow, &p, &v->blocks);
}

trm_status fv_begin_dual_volumes(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  if (!v) return TRM_OK;
  TRM_TRY(begin_lists(fv));
  const fv_params p = params_of(fv);
  return v->is_open ? fv_flow_given(&v->flow, &p, v->clock) : TRM_OK;
}

trm_status fv_stage_volumes(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  if (!v || !v->is_open) return TRM_OK;
  choose_blocks(fv);
  const fv_params p = params_of(fv);
  return fv_flow_stage(&v->flow, &p, &v->blocks, v->clock);
}

trm_status fv_update_volumes(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  if (!v || !v->is_open) return TRM_OK;
  choose_blocks(fv);
  const fv_params p = params_of(fv);
  return fv_flow_update(&v->flow, &p, &v->blocks, v->clock);
}

trm_status fv_show_volumes(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  if (!v || !v->is_open) return TRM_OK;
  v->blocks.next = fv->w[fv->current];
  const fv_params p = params_of(fv);
  return fv_flow_put(&v->flow, &p, &v->blocks, v->clock);
}

/* ---- the state at a step's end --------------------------------------------------------------- */

trm_status fv_look_at_volumes(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  const fv_params p = params_of(fv);
  choose_blocks(fv);
  return fv_flow_look(&v->flow, &p, &v->blocks, v->clock);
}

trm_status fv_mark_volumes(fv_solver *fv, trm_buffer *w, trm_buffer *parts)
{
  fv_volumes_run *v = fv->volumes;
  const fv_params p = params_of(fv);
  TRM_TRY(fv_flow_mark(&v->flow, &p, &v->blocks));
  if (v->lists.p.leaves == 0) return TRM_OK;
  const trm_sharing own = { .each = TRM_EACH_ITS_OWN, .adjacent = 1 };
  fv->p.marked = 1;
  fv->p.first = v->blocks.own ? v->own.leaf[0] : 0;
  fv->p.values = v->blocks.own ? v->own.leaf[1] : v->lists.p.leaves;
  const int leaves = fv->p.values - fv->p.first;
  return FV_SHARE(fv, FV_INTEGRALS, leaves > 0 ? leaves : 1, &own, w, fv->near, v->flow.marks,
                  parts);
}

trm_status fv_add_integrals(fv_solver *fv)
{
  double of_blocks[FV_SUMS], of_volumes[FV_SUMS];
  if (!fv->volumes || !fv->volumes->is_live) return TRM_OK;
  TRM_TRY(fv_look_at_volumes(fv));
  TRM_TRY(fv_flow_integrals(&fv->volumes->flow, of_volumes));
  trm_buffer *series = fv_series_of_one(fv);
  TRM_TRY(trm_framework_read_reals(series, fv->real_type, (size_t)fv->p.sums, of_blocks, FV_SUMS));
  for (int k = 0; k < FV_SUMS; k++) of_blocks[k] += of_volumes[k];
  return trm_framework_write_reals(series, fv->real_type, (size_t)fv->p.sums, of_blocks, FV_SUMS);
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

trm_status fv_keep_volumes(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  const double times[FV_TIMES] = { v->times[0], v->times[1], v->lists.now.has_lacks };
  return trm_buffer_write(v->kept, 0, sizeof times, times);
}

/* The lists of the last step, from places of bodies at its begin and end. Fields have their numbers
 * of the step before and of gaps (fv_place_volumes). */
static trm_status make_last_lists(fv_solver *fv, const double *times)
{
  fv_volumes_run *v = fv->volumes;
  memcpy(v->times, times, sizeof v->times);
  TRM_TRY(tell_step(v, (double[FV_STEP_REALS]){ [FV_DT] = times[1] - times[0], [FV_LIVE] = 1 }));
  fv_move_bodies(&fv->bodies, times[0]);
  fv_tell_bodies(fv, &v->told, 1);
  fv_move_bodies(&fv->bodies, times[1]);
  fv_tell_bodies(fv, &v->told, 0);
  TRM_TRY(set_leaves_about_bodies(fv));
  TRM_TRY(make_lists(fv));
  v->lists.now.has_lacks = times[2] > 0;
  return v->lists.now.has_lacks
           ? fv_volumes_reserve(&v->lists, &v->lists.now.lacks, v->lists.p.volumes,
                                FV_LACK_REALS * sizeof(double)) : TRM_OK;
}

trm_status fv_renew_volumes(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  if (!v) return TRM_OK;
  const double times[FV_TIMES] = { v->times[0], v->times[1], 0 };
  fv_forget_volumes(v);
  v->is_ready = 0;
  TRM_TRY(make_room(fv));
  TRM_TRY(fv->bodies.is_moving && times[1] > 0 ? make_last_lists(fv, times)
                                               : make_first_lists(fv));
  return fv_see_volumes(v);
}

trm_status fv_reshape_volumes(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  double times[FV_TIMES] = { 0 };
  v->is_restored = 1;
  if (fv->bodies.is_moving) TRM_TRY(trm_buffer_read(v->kept, 0, sizeof times, times));
  if (times[1] > 0) TRM_TRY(make_last_lists(fv, times));
  const fv_params p = params_of(fv);
  TRM_TRY(fv_flow_start(&v->flow, &p, NULL));
  fv_place_fields(fv);
  return TRM_OK;
}

/* ---- series ---------------------------------------------------------------------------------- */

static void note_gaps(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  const double *counts = v->lists.counts, h = fv_finest_side(fv);
  const double area = fv->n[2] == 1 ? h : h * h;
  v->gap[0] = area * counts[FV_GAP_CLOSED_AREA];
  v->gap[1] = area * counts[FV_GAP_OPENED_AREA];
  v->gap[2] = counts[FV_GAP_SHUT];
  if (counts[FV_GAP_CLOSED] + counts[FV_GAP_OPENED] == 0) return;
  for (int a = 0; a < 3; a++)
    v->gap[3 + a] = fv->origin[a] + h * (v->lists.gap_place[a] + 0.5);
}

/* Forces on bodies: sums over their copies. */
static trm_status read_forces(fv_solver *fv, double (*force)[FV_FLOW_FORCES])
{
  fv_volumes_run *v = fv->volumes;
  double (*all)[FV_FLOW_FORCES] = malloc((size_t)v->told.lists.count * sizeof *all);
  if (!all) return TRM_FAIL(NO_HOST_MEMORY, "no memory for forces on bodies");
  const trm_status status = fv_flow_forces(&v->flow, v->clock, all);
  memset(force, 0, FV_BODIES * sizeof *force);
  for (int b = 0; b < fv->bodies.count && status == TRM_OK; b++)
    for (int copy = v->told.first[b]; copy < v->told.first[b + 1]; copy++)
      for (int k = 0; k < FV_FLOW_FORCES; k++) force[b][k] += all[copy][k];
  free(all);
  return status;
}

/* Forces of the step, into the series. */
trm_status fv_write_forces(fv_solver *fv)
{
  fv_volumes_run *v = fv->volumes;
  double force[FV_BODIES][FV_FLOW_FORCES], series[FV_BODIES * FV_FORCES];
  if (!v->is_live) return TRM_OK;
  TRM_TRY(read_forces(fv, force));
  const double h = fv_finest_side(fv), by = (fv->n[2] == 1 ? h * h : h * h * h) / v->dt;
  for (int b = 0; b < fv->bodies.count; b++) {
    const double *from = force[b];
    double *to = series + b * FV_FORCES;
    for (int a = 0; a < 3; a++) {
      to[a] = by * from[FV_FLOW_IMPULSE + a];
      to[3 + a] = by * from[FV_FLOW_FRICTION + a];
      to[FV_FELT + a] = by * h * from[FV_FLOW_MOMENT + a];
    }
    to[6] = by * from[FV_FLOW_HEAT];
    to[FV_FELT + 3] = -by * from[FV_FLOW_WORK];
  }
  TRM_TRY(trm_framework_write_reals(fv->series_buffer, fv->real_type, FV_SERIES, series,
                                    (size_t)fv->bodies.count * FV_FORCES));
  if (fv_gap_series(fv) == 0) return TRM_OK;
  note_gaps(fv);
  return trm_framework_write_reals(fv->series_buffer, fv->real_type,
                                   fv_probe_series(fv) +
                                     (size_t)fv->diagnostics.count * FV_PROBED,
                                   v->gap, fv_gap_series(fv));
}
