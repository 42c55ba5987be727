/* geometry.c - see geometry.h. Before a step the kernels of fv_geometry.k make the lists that
 * cut.c makes: from where bodies will be, and from what the device knows of the cells of the step
 * before. The host reads how long the lists are, and whether something is out of the ordinary: a
 * body for which no cells can be made, gas that has no way out, a list for which there is no room.
 * Then it makes the lists of this step itself, from the cells that it fetches, or refuses it. */
#include "solvers/compressible/cutcells/geometry_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- when the device makes lists ------------------------------------------------------ */

static const char *const key = "compressible.cut_cells_on";

/* Why a case's lists are made by the host; NULL: the device can. */
static const char *reason(const fv_solver *fv)
{
  if (!trm_device_describe(fv->base.device)->has_f64) return "the device has no double precision";
  return NULL;
}

trm_status fv_read_geometry(fv_solver *fv, const trm_config *config)
{
  const char *word = trm_config_string(config, key), *why = reason(fv);
  const int is_asked = strcmp(word, "device") == 0;
  if (!fv->bodies.is_moving && trm_config_is_given(config, key))
    return TRM_FAIL(INPUT, "%s: %s is of bodies that move, and none does; leave it out",
                    trm_config_origin(config, key), key);
  if (!fv->bodies.is_moving || fv->volumes) return TRM_OK; /* volumes have lists of their own */
  if (is_asked && why)
    return TRM_FAIL(UNSUPPORTED, "%s: %s = 'device', but %s; leave it out, or set 'host'",
                    trm_config_origin(config, key), key, why);
  const char *place = trm_device_describe(fv->base.device)->pci; /* of a GPU, "" on a host */
  fv->geometry.is_on = is_asked || (strcmp(word, "auto") == 0 && !why && *place);
  return TRM_OK;
}

static void free_leaves(fv_leaves *leaves)
{
  free(leaves->near);
  free(leaves->leaf);
}

void fv_free_geometry(fv_solver *fv)
{
  fv_geometry *g = &fv->geometry;
  trm_buffer **const buffers[] = { &g->ints, &g->reals, &g->bodies };
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) trm_buffer_destroy(buffers[i]);
  for (int i = 0; i < FV_ROUNDINGS; i++) trm_buffer_destroy(&g->exact[i]);
  trm_framework_program_destroy(&g->program);
  free_leaves(&g->leaves);
}

/* ---- bodies ---------------------------------------------------------------------------- */

_Static_assert((int)TRM_STL_NODE == FV_TREE_NODE && (int)TRM_STL_FACET == FV_TREE_FACET,
               "kernels read trees as trm_stl_tree_list has them");

/* outline: where its numbers begin; surface: which of the bodies that are surfaces it is, or -1. */
static void tell_body(const fv_body *body, size_t outline, int surface, double *to)
{
  size_t count;
  static const int shapes[] = { [FV_SPHERE] = FV_SHAPE_SPHERE, [FV_CYLINDER] = FV_SHAPE_CYLINDER,
                                [FV_TUBE] = FV_SHAPE_TUBE, [FV_BOX] = FV_SHAPE_BOX,
                                [FV_PROFILE] = FV_SHAPE_PROFILE,
                                [FV_SURFACE] = FV_SHAPE_SURFACE };
  to[FV_BODY_SHAPE] = shapes[body->shape];
  memcpy(to + FV_BODY_AT, body->at, sizeof body->at);
  memcpy(to + FV_BODY_SIZE, body->size, sizeof body->size);
  memcpy(to + FV_BODY_ENDS, body->end, sizeof body->end);
  memcpy(to + FV_BODY_MOVED, body->moved, sizeof body->moved);
  memcpy(to + FV_BODY_STEP, body->step, sizeof body->step);
  memcpy(to + FV_BODY_CENTRE, body->centre, sizeof body->centre);
  memcpy(to + FV_BODY_AXIS, body->axis, sizeof body->axis);
  to[FV_BODY_COSINE] = body->cosine;
  to[FV_BODY_SINE] = body->sine;
  to[FV_BODY_TURNS] = body->rotation != NULL;
  to[FV_BODY_TURNED] = body->turned;
  to[FV_BODY_SLIDES] = body->slides;
  to[FV_BODY_WALL] = (double)body->wall;
  to[FV_BODY_TEMPERATURE] = body->temperature;
  to[FV_BODY_SPIN] = body->spin;
  to[FV_BODY_OUTLINE] = (double)outline;
  to[FV_BODY_CORNERS] = body->corners;
  if (surface >= 0) to[FV_BODY_CORNERS] = (double)trm_stl_tree_list(body->tree, NULL, &count);
  to[FV_BODY_HOLLOW] = body->is_hollow;
  to[FV_BODY_SURFACE] = surface;
  to[FV_BODY_LEAST] = body->least;
  fv_body_to_here(body, body->at, to + FV_BODY_HERE);
}

static trm_status tell_bodies(fv_solver *fv, double dt)
{
  fv_geometry *g = &fv->geometry;
  double all[FV_BODIES * FV_BODY_REALS] = { 0 };
  size_t outline = FV_BODIES * FV_BODY_REALS;
  for (int b = 0, surfaces = 0; b < fv->bodies.count; b++) {
    const fv_body *body = &fv->bodies.body[b];
    tell_body(body, outline, body->shape == FV_SURFACE ? surfaces++ : -1,
              all + (size_t)b * FV_BODY_REALS);
    outline += fv_body_outline(body, NULL);
  }
  g->p.h = fv->h;
  memcpy(g->p.origin, fv->origin, sizeof g->p.origin);
  g->p.dt = dt;
  g->p.small = fv->bodies.small;
  g->p.blocks = (int)fv->forest->blocks.count;
  g->p.bodies = fv->bodies.count;
  g->p.is_f32 = fv->real_type == TRM_TYPE_F32;
  return trm_framework_write_reals(g->bodies, TRM_TYPE_F64, 0, all,
                                   (size_t)fv->bodies.count * FV_BODY_REALS);
}

/* ---- a step ---------------------------------------------------------------------------- */

/* Whether nothing was out of the ordinary, and all that there is is in the lists. */
static int is_whole(const fv_solver *fv, const int32_t *total)
{
  const fv_geometry *g = &fv->geometry;
  const size_t records = (size_t)total[FV_TOTAL_CUTS] + (size_t)total[FV_TOTAL_MASTERS];
  const size_t units = (size_t)total[FV_TOTAL_UNITS];
  for (int b = 0; b < fv->bodies.count; b++)
    if (!total[FV_TOTAL_SEEN + b]) return 0; /* its wall is nowhere */
  return total[FV_TOTAL_FAULT] == 0 && records <= g->most_records && units < g->most_units &&
         units + (size_t)total[FV_TOTAL_OTHERS] <= g->most_sloped &&
         total[FV_TOTAL_FACES] <= g->p.rooms[0] && total[FV_TOTAL_SIZED] <= g->p.rooms[1] &&
         total[FV_TOTAL_JOINS] <= g->p.rooms[2] && total[FV_TOTAL_FROMS] <= g->p.rooms[3];
}

static void take_counts(fv_solver *fv, const int32_t *total)
{
  fv_geometry *g = &fv->geometry;
  fv_cut_tables *t = fv->cut;
  for (int k = 0; k < FV_COUNTS; k++) g->turns[k] = (size_t)total[FV_TOTAL_TURNS + k];
  fv_count_turns(fv, g->turns, t);
  t->cuts = (size_t)total[FV_TOTAL_CUTS];
  t->records = t->cuts + (size_t)total[FV_TOTAL_MASTERS];
  t->units = total[FV_TOTAL_UNITS];
  t->sloped = t->units + total[FV_TOTAL_OTHERS];
  t->faces = total[FV_TOTAL_FACES];
  g->sized = (size_t)total[FV_TOTAL_SIZED];
  t->sized = g->p.rooms[1]; /* those of walls lie behind the room for these */
  t->joins = (size_t)total[FV_TOTAL_JOINS];
  t->walls = (int)t->cuts;
  t->walled = total[FV_TOTAL_WALLED] + (int)g->leaves.solids;
  t->froms = (size_t)total[FV_TOTAL_FROMS];
}

/* Of all turns that there is room for; most are somebody's. */
static trm_status launch_stencils(fv_solver *fv)
{
  fv->geometry.has_lists = 1;
  fv->cut->renewed_count = (size_t)fv->geometry.p.turn_groups * FV_CUT_GROUP;
  fv->p.sized = fv->geometry.p.rooms[1];
  fv->has_stencils = 0;
  return fv_launch_stencils(fv);
}

/* Bodies went so far that other leaves may be near walls, or the grid is another. Where there is
 * room for their cells, those of the same grid but get new numbers. */
static trm_status find_again(fv_solver *fv)
{
  fv_geometry *g = &fv->geometry;
  fv_leaves last = g->leaves, next = { 0 };
  const int is_same = g->is_known && g->grid == fv->blocks.version + 1;
  trm_status status = fv_find_leaves(fv, &next);
  const int fits = is_same && next.nears + next.solids <= g->room_nears;
  if (status == TRM_OK && !fits) status = fv_fetch_geometry(fv);
  if (status != TRM_OK) {
    free_leaves(&next);
    return status;
  }
  g->leaves = next;
  g->grid = fv->blocks.version + 1;
  g->strayed = 0;
  g->is_known = fits;
  g->is_sampled = 0;
  status = fits ? fv_renumber_geometry(fv, last.near) : TRM_OK;
  free_leaves(&last);
  return status;
}

/* The device knows the cells of the step before, and has room for what it makes of them. */
static trm_status prepare(fv_solver *fv)
{
  fv_geometry *g = &fv->geometry;
  if (g->grid != fv->blocks.version + 1 || g->strayed > FV_STRAY * fv->h / (1 << fv->finest))
    TRM_TRY(find_again(fv));
  if (!g->has_lists) fv_count_orders(fv, g->turns);
  TRM_TRY(fv_make_arrays(fv));
  TRM_TRY(fv_make_lists(fv));
  if (g->is_known) return TRM_OK;
  g->is_sampled = 0;
  return fv_load_geometry(fv);
}

trm_status fv_launch_geometry(fv_solver *fv, double most, double dt, int *is_made)
{
  fv_geometry *g = &fv->geometry;
  int32_t total[FV_TOTALS];
  *is_made = 0;
  if (!g->is_on) return TRM_OK;
  g->strayed += sqrt(3) * most;
  TRM_TRY(prepare(fv));
  TRM_TRY(fv_cut_check(&fv->bodies, fv->forest, fv->h, fv->origin, g->leaves.near));
  TRM_TRY(tell_bodies(fv, dt));
  g->p.now = !g->p.now;
  TRM_TRY(fv_launch_lists(fv));
  TRM_TRY(launch_stencils(fv));
  TRM_TRY(trm_buffer_read(g->ints, 0, sizeof total, total));
  if (!is_whole(fv, total)) {
    g->p.now = !g->p.now; /* what is known is of the step before */
    free(fv->cut->turn); /* what slopes look at is made anew */
    fv->cut->turn = NULL;
    return TRM_OK;
  }
  take_counts(fv, total);
  g->is_ahead = 1;
  g->steps++;
  *is_made = 1;
  return TRM_OK;
}
