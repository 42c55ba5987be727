/* motion.c - walls that move, and a grid that changes about walls: tables made anew, and how much
 * gas cells hold carried from one to the next. */
#include "core/host_work.h"
#include "solvers/compressible/solver/fv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- how much gas cells hold ------------------------------------------------------ */

static trm_status round_held(void *user, size_t near, int thread)
{
  const fv_solver *fv = user;
  double *held = fv->cut->held + near * fv->block;
  (void)thread;
  for (size_t k = 0; k < fv->block; k++) held[k] = (double)(float)held[k];
  return TRM_OK;
}

static trm_status list_block(void *user, size_t i, int thread)
{
  const fv_solver *fv = user;
  const fv_cut_tables *t = fv->cut;
  const int32_t near = t->near[t->mark[i * (fv->block + 1)]];
  double *to = fv->held + i * fv->block;
  (void)thread;
  for (size_t k = 0; k < fv->block && near < 0; k++) to[k] = near == FV_KIND_WHOLE;
  if (near >= 0) memcpy(to, t->held + (size_t)near * fv->block, fv->block * sizeof *to);
  return TRM_OK;
}

/* Lists blocks at walls as the tables do, in the precision of the state, so that a resumed run has
 * the same values. */
static trm_status list_held(fv_solver *fv)
{
  const fv_cut_tables *t = fv->cut;
  trm_device *device = fv->base.device;
  if (!fv->bodies.is_moving) return TRM_OK;
  if (fv->real_type == TRM_TYPE_F32)
    TRM_TRY(trm_device_host_each(device, (size_t)t->near_count, round_held, fv));
  fv->held = malloc(fv->block * (size_t)t->walled * sizeof *fv->held + 1);
  if (!fv->held) return TRM_FAIL(NO_HOST_MEMORY, "no memory for blocks at walls");
  return trm_device_host_each(device, (size_t)t->walled, list_block, fv);
}

/* To the device, all of them. */
static trm_status write_held(fv_solver *fv)
{
  const fv_cut_tables *t = fv->cut;
  const size_t leaves = fv->forest->blocks.count;
  double *all = malloc(leaves * fv->block * sizeof *all);
  if (!all) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks", leaves);
  for (size_t i = 0; i < leaves * fv->block; i++) {
    const int32_t near = t->near[i / fv->block];
    all[i] = near < 0 ? near == -1 : t->held[(size_t)near * fv->block + i % fv->block];
  }
  const trm_status status = trm_framework_write_reals(fv->gas, fv->real_type, 0, all,
                                                      leaves * fv->block);
  free(all);
  return status;
}

/* From the device, as a checkpoint had it. */
static trm_status read_held(fv_solver *fv)
{
  fv_cut_tables *t = fv->cut;
  for (size_t leaf = 0; leaf < fv->forest->blocks.count; leaf++)
    if (t->near[leaf] >= 0)
      TRM_TRY(trm_framework_read_reals(fv->gas, fv->real_type, leaf * fv->block,
                                       t->held + (size_t)t->near[leaf] * fv->block, fv->block));
  return TRM_OK;
}

/* From tables of another grid, with the same walls in cells as fine. */
static void take_held(fv_solver *fv, const fv_cut_tables *old)
{
  fv_cut_tables *t = fv->cut;
  for (int i = 0; i < old->near_count; i++) {
    const int32_t *at = old->leaf + 4 * (size_t)i;
    const int32_t leaf = trm_forest_leaf(fv->forest, at[0], at + 1);
    if (leaf < 0 || t->near[leaf] < 0) continue;
    memcpy(t->held + (size_t)t->near[leaf] * fv->block, old->held + (size_t)i * fv->block,
           fv->block * sizeof *t->held);
  }
}

/* ---- how much shorter steps are ------------------------------------------------------ */

static double held_in(const fv_solver *fv, int32_t cell)
{
  const size_t near = (size_t)fv->cut->near[(size_t)cell / fv->block];
  return fv->cut->held[near * fv->block + (size_t)cell % fv->block];
}

/* The mean opening of a unit's two sides along an axis, where that is largest, by the gas that its
 * cells hold: 1 in a whole cell. */
static double openness(const fv_solver *fv, int unit)
{
  const fv_cut_tables *t = fv->cut;
  const int32_t master = t->unit[3 * unit];
  const int32_t kind = fv_cut_kind_of(t, fv->block, (size_t)master / fv->block,
                                      (size_t)master % fv->block);
  double open[3] = { 0 }, most = 0, held = held_in(fv, master);
  for (int32_t k = kind < 0 ? -1 : t->record[kind].next; k >= 0; k = t->record[k].next)
    held += held_in(fv, t->record[k].cell);
  for (int32_t e = t->unit[3 * unit + 1]; e < t->unit[3 * unit + 4]; e++) {
    const int32_t face = t->join[e] / 2;
    if (face >= t->faces) continue;
    open[t->face[4 * face] & FV_FACE_AXIS] += 0.5 * fv_face_open(t, face);
  }
  for (int a = 0; a < 3; a++) most = fmax(most, open[a]);
  return most / held;
}

/* At walls that stay it is 1.21 at most, and steps as long as those of whole cells are stable. In
 * a gap that opens a unit may hold little gas behind wide openings: above this its own rate
 * counts. */
static const double STABLE = 1.25;

/* A unit of one cell with a larger gas fraction than this does not exceed STABLE. */
static const double FULL = 0.81;

static int is_full(const fv_solver *fv, int32_t cell)
{
  const int32_t kind = fv_cut_kind_of(fv->cut, fv->block, (size_t)cell / fv->block,
                                      (size_t)cell % fv->block);
  return (kind < 0 || fv->cut->record[kind].next < 0) && held_in(fv, cell) > FULL;
}

static trm_status record_dt_ratio(void *user, size_t unit, int thread)
{
  const fv_solver *fv = user;
  const int is_even = !fv->bodies.is_moving || is_full(fv, fv->cut->unit[3 * unit]);
  const double open = is_even ? 1 : openness(fv, (int)unit);
  (void)thread;
  fv->cut->dt_ratio[unit] = open > STABLE ? open : 1;
  return TRM_OK;
}

static trm_status list_dt_ratios(fv_solver *fv)
{
  fv_cut_tables *t = fv->cut;
  t->dt_ratio = malloc((size_t)t->units * sizeof *t->dt_ratio + 1);
  if (!t->dt_ratio) return TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at walls");
  return trm_device_host_each(fv->base.device, (size_t)t->units, record_dt_ratio, fv);
}

/* ---- tables ------------------------------------------------------------------------- */

static void record_counts(fv_solver *fv)
{
  fv->is_shown = 0;
  fv->p.units = fv->cut->units;
  fv->p.faces = fv->cut->faces;
  fv->p.sized = fv->cut->sized;
  fv->p.walls = fv->cut->walls;
}

trm_status fv_make_tables(fv_solver *fv, int moves, double dt)
{
  const int carries = fv->bodies.is_moving && !moves && fv->cut && !fv->is_restored;
  if (!moves) TRM_TRY(fv_check_slits(&fv->bodies, fv->forest, fv->h, fv->origin));
  TRM_TRY(fv_fetch_geometry(fv));
  fv_cut_tables *old = fv->cut;
  fv->geometry.is_known = fv->geometry.has_lists = 0;
  free(fv->held);
  fv->held = NULL;
  fv->cut = NULL;
  trm_status status = fv_cut_create(fv->base.device, &fv->bodies, fv->forest, fv->h, fv->origin,
                                    moves ? old : NULL, dt, &fv->cut);
  if (status == TRM_OK && carries) take_held(fv, old);
  fv_cut_destroy(&old);
  if (status == TRM_OK && fv->is_restored) status = read_held(fv);
  TRM_TRY(status);
  TRM_TRY(list_held(fv));
  TRM_TRY(list_dt_ratios(fv));
  fv->is_restored = fv->has_stencils = 0;
  fv->walled = fv->blocks.version;
  record_counts(fv);
  return TRM_OK;
}

/* Buffers that are large enough are written anew; others are made with a quarter more than is
 * needed. */
static trm_status refill(fv_solver *fv, const trm_framework_buffer *one, size_t *room,
                         const char *what)
{
  if (one->count == 0) return TRM_OK;
  if (!*one->buffer || *room < one->count) {
    trm_framework_buffer larger = *one;
    trm_buffer_destroy(one->buffer);
    *room = larger.count += larger.count / 4;
    larger.is_zero = 1;
    TRM_TRY(trm_framework_allocate(fv->base.device, &larger, 1, what));
  }
  if (!one->first) return TRM_OK;
  return one->type == fv->real_type
           ? trm_framework_write_reals(*one->buffer, one->type, 0, one->first, one->count)
           : trm_buffer_write(*one->buffer, 0, one->count * trm_type_size(one->type), one->first);
}

static trm_framework_buffer *wall_buffers(fv_solver *fv)
{
  return fv->memory + (fv->buffer_count - FV_WALL_BUFFERS);
}

trm_status fv_grow_walls(fv_solver *fv)
{
  trm_framework_buffer *list = wall_buffers(fv);
  fv_list_walls(fv, list);
  for (size_t i = 0; i < FV_WALL_BUFFERS; i++) {
    if (list[i].first != fv->scales || list[i].count <= fv->wall_room[i]) list[i].first = NULL;
    TRM_TRY(refill(fv, &list[i], &fv->wall_room[i], "walls that move"));
  }
  return TRM_OK;
}

static trm_status make_again(fv_solver *fv, int moves, double dt)
{
  trm_framework_buffer *list = wall_buffers(fv);
  char what[64];
  TRM_TRY(fv_make_tables(fv, moves, dt));
  snprintf(what, sizeof what, "walls in a grid of %zu blocks", fv->forest->blocks.count);
  if (!moves) {
    trm_framework_release(list, FV_WALL_BUFFERS);
    memset(fv->wall_room, 0, sizeof fv->wall_room);
  }
  fv_list_walls(fv, list);
  if (moves && (list[FV_WALL_STENCILS].count > fv->wall_room[FV_WALL_STENCILS] ||
                list[FV_WALL_WEIGHTS].count > fv->wall_room[FV_WALL_WEIGHTS]))
    TRM_TRY(fv_renew_stencils(fv->cut)); /* what those hold is lost with them */
  for (size_t i = 0; i < FV_WALL_BUFFERS && moves; i++)
    TRM_TRY(refill(fv, &list[i], &fv->wall_room[i], what));
  if (!moves) TRM_TRY(trm_framework_allocate(fv->base.device, list, FV_WALL_BUFFERS, what));
  fv_declare_walls(fv);
  return TRM_OK;
}

/* Cells at walls are those of before, on the finest level, but their blocks have other slots. */
trm_status fv_renew_walls(fv_solver *fv)
{
  if (!fv->cut) return TRM_OK;
  if (fv->walled != fv->blocks.version || fv->is_restored) TRM_TRY(make_again(fv, 0, fv->moved_in));
  else if (!fv->bodies.is_moving || fv->is_filled) return TRM_OK;
  fv->is_filled = 1;
  return fv->bodies.is_moving ? write_held(fv) : TRM_OK;
}

void fv_place_walls(fv_solver *fv, double time)
{
  if (!fv->bodies.is_moving) return;
  fv_move_bodies(&fv->bodies, time);
  fv->moved_in = 0;
  fv->is_restored = 1;
}

/* ---- a step ------------------------------------------------------------------------- */

/* As the clock will have it: fv_add. */
double fv_next_time(const fv_solver *fv, const double *clock)
{
  if (clock[FV_LIVE] > 1) return fv->end_time;
  if (fv->real_type == TRM_TYPE_F64) {
    const double small = clock[FV_DT] + clock[FV_TIME_REST], sum = clock[FV_TIME] + small;
    return sum + (small - (sum - clock[FV_TIME]));
  }
  const float time = (float)clock[FV_TIME];
  const float small = (float)clock[FV_DT] + (float)clock[FV_TIME_REST], sum = time + small;
  return (double)sum + (double)(small - (sum - time));
}

double fv_now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void swap_rooms(fv_solver *fv)
{
  const size_t room = fv->wall_room[FV_WALL_SLOPES];
  fv->wall_room[FV_WALL_SLOPES] = fv->other_room;
  fv->other_room = room;
}

/* The lists of the step, which takes dt and moves bodies so far at most: by the device, or else by
 * the host. */
static trm_status make_lists(fv_solver *fv, double most, double dt)
{
  int is_made;
  TRM_TRY(fv_launch_geometry(fv, most, dt, &is_made));
  if (!is_made) return make_again(fv, 1, dt);
  record_counts(fv);
  fv_declare_walls(fv);
  return TRM_OK;
}

trm_status fv_move_walls(fv_solver *fv)
{
  const double h = fv->h / (1 << fv->finest);
  double clock[4];
  TRM_TRY(trm_framework_read_reals(fv->clock, fv->real_type, FV_TIME, clock, 4));
  if (!(clock[FV_LIVE] > 0)) return TRM_OK;
  const double begun = fv_now(), most = fv_move_bodies(&fv->bodies, fv_next_time(fv, clock));
  TRM_TRY(fv_check_numbers(&fv->bodies));
  TRM_TRY(fv_check_slits(&fv->bodies, fv->forest, fv->h, fv->origin));
  if (!(most <= 0.5 * h))
    return TRM_FAIL(INPUT, "%s: after step %llu body %d would move by %g in a step of %g s, more "
                    "than half of a cell, %g; lower compressible.cfl, or let it start more gently",
                    fv->bodies.said, (unsigned long long)fv->base.step, fv->bodies.fastest + 1,
                    most, clock[FV_DT], 0.5 * h);
  fv->moved_in = clock[FV_DT];
  fv->p.is_plain = 1; /* how fast walls were is no part of the state */
  trm_status status = fv_launch_slopes(fv);
  fv->p.is_plain = 0;
  trm_buffer *slopes = fv->walls.slopes; /* of the tables before; the next ones' take turns */
  fv->walls.slopes = fv->walls.others;
  fv->walls.others = slopes;
  swap_rooms(fv);
  if (status == TRM_OK) status = make_lists(fv, most, clock[FV_DT]);
  if (status == TRM_OK) status = fv_launch_stencils(fv);
  const double took = fv_now() - begun;
  fv->geometry_time += took;
  if (!fv->geometry.has_lists) fv->host_time += took;
  if (status == TRM_OK) status = fv_launch_heirs(fv, slopes);
  return status;
}
