/* steps.c - how the compressible solver gets through a batch of steps.
 *
 * A step is five launches over all blocks. They are the stages of a Runge-Kutta scheme, each of
 * which begins at the step's state (Jameson's form; coefficients as m-AIA's). Only the last of them
 * decides the flow between cells, so only its fluxes are matched where levels meet. Then the clock
 * sets the next step's length on the device. Launches do not depend on time, so recorded sequences
 * serve the whole run. Nothing is read before account.
 */
#include "solvers/compressible/solver/fv.h"

#include <math.h>

static const double alphas[FV_STAGES] = { 0.25, 1.0 / 6.0, 0.375, 0.5, 1.0 };

static trm_status launch_fold(fv_solver *fv)
{
  trm_buffer *peaks = fv->part;
  fv->p.values = fv->p.blocks;
  if (fv->p.blocks > FV_CLOCK_VALUES) {
    fv->p.values = (fv->p.blocks + FV_CHUNK - 1) / FV_CHUNK;
    peaks = fv->peaks;
    TRM_TRY(FV_LAUNCH(fv, FV_PEAK, fv->p.values, fv->part, fv->peaks));
  }
  if (fv->dual.is_on)
    return FV_LAUNCH(fv, FV_PSEUDO_CLOCK, 1, peaks, fv->dual.norms, fv->near, fv->clock, fv->tally,
                     fv->series_buffer);
  return FV_LAUNCH(fv, FV_CLOCK, 1, peaks, fv->clock, fv->tally, fv->series_buffer);
}

/* begins: no step was made, only the next length is wanted; 2: as fv_pseudo_clock has it. On each
 * part, and on each of several devices of one process: so none waits for another to have set the
 * length. */
trm_status fv_launch_clock(fv_solver *fv, int begins)
{
  trm_device *device = fv->base.device;
  fv->p.begins = begins;
  trm_device_replicate(device, trm_device_is_part(device));
  const trm_status status = launch_fold(fv);
  trm_device_replicate(device, 0);
  return status;
}

/* The stencils of new tables, on coarser grids too. */
static trm_status launch_stencils(fv_solver *fv)
{
  for (fv_solver *one = fv; one; one = one->dual.coarser) {
    const int are_new = one->cut && !one->has_stencils;
    TRM_TRY(fv_launch_stencils(one));
    if (are_new) TRM_TRY(fv_check_stencils(one));
  }
  return TRM_OK;
}

trm_status fv_launch_start(fv_solver *fv)
{
  TRM_TRY(fv_renew_walls(fv));
  TRM_TRY(launch_stencils(fv));
  TRM_TRY(FV_SHARE(fv, FV_START, fv->p.blocks, FV_LEAVES_OF(0), fv->q, fv->w[fv->current],
                   fv->part, fv->near));
  return fv->volumes ? fv_start_volumes(fv) : fv_update_walls(fv, 1);
}

/* With several devices, each computes all entries: that takes less time than fetching. */
static trm_status launch_edges(fv_solver *fv)
{
  trm_device_replicate(fv->base.device, 1);
  const trm_status status = FV_LAUNCH(fv, FV_EDGES, (int)fv->edges.entries, fv->edges.list,
                                      fv->edges.codes, fv->edges.numbers, fv->clock,
                                      fv->edges.values);
  trm_device_replicate(fv->base.device, 0);
  return status;
}

/* Each kind depends on those before it; a kind without ghosts costs nothing. */
trm_status fv_launch_ghosts(fv_solver *fv)
{
  static const trm_ghost_kind order[] = { TRM_GHOST_RESTRICTED, TRM_GHOST_BOUNDARY,
                                         TRM_GHOST_PROLONGED,
                                          TRM_GHOST_OUTER_BOUNDARY };
  trm_buffer *w = fv->w[fv->current];
  if (fv->edges.entries > 0) TRM_TRY(launch_edges(fv));
  for (int i = 0; i < TRM_GHOST_KINDS; i++) {
    const size_t *first = &fv->forest->first[order[i]];
    const int count = (int)(first[1] - first[0]);
    fv->p.first = (int)first[0];
    const trm_sharing made = { .each = 1, .adjacent = 1, .derived = (int64_t)first[0] + 1 };
    if (count == 0) continue;
    if (order[i] == TRM_GHOST_RESTRICTED) TRM_TRY(FV_SHARE(fv, FV_RESTRICT, count, &made, w,
                                                           fv->ghosts));
    else if (order[i] == TRM_GHOST_PROLONGED)
      TRM_TRY(FV_SHARE(fv, FV_PROLONG, count, &made, w, fv->ghosts, fv->near));
    else TRM_TRY(FV_SHARE(fv, FV_BOUNDARY, count, &made, w, fv->ghosts, fv->clock,
                          fv->edges.values));
  }
  return TRM_OK;
}

trm_status fv_launch_next(fv_solver *fv) { return fv_launch_clock(fv, 1); }

static trm_status launch_stage(fv_solver *fv)
{
  if (fv->implementation.form != FV_FUSED) return fv_launch_implementation(fv);
  const trm_sharing leaves = fv_by_leaves(fv, 0, 1 << 0);
  return FV_SHARE(fv, FV_STAGE, fv->p.blocks, &leaves, fv->w[fv->current],
                  fv->w[!fv->current], fv->q, fv->near, fv->clock, fv->part, fv->flux,
                  fv->dual.is_on ? fv->dual.given : fv->w[fv->current]);
}

trm_status fv_launch_match(fv_solver *fv, trm_buffer *to)
{
  static const trm_sharing at_interfaces = { .each = FV_INTERFACE_INTS, .counts = 1,
                                             .adjacent = 1 << 1 };
  if (fv->p.interfaces == 0) return TRM_OK;
  return FV_SHARE(fv, FV_MATCH, fv->p.interfaces, &at_interfaces, fv->interfaces, fv->flux, to,
                  fv->q, fv->part, fv->clock, fv->near);
}

trm_status fv_launch_sweep(fv_solver *fv, int measures)
{
  for (int stage = 0; stage < FV_STAGES; stage++) {
    fv->p.stage = stage;
    fv->p.alpha = alphas[stage];
    fv->p.when = stage > 0 ? alphas[stage - 1] : 0.0;
    fv->p.is_last = stage == FV_STAGES - 1;
    TRM_TRY(fv_launch_ghosts(fv));
    TRM_TRY(fv_launch_walls(fv, fv->dual.given));
    TRM_TRY(fv_stage_volumes(fv));
    TRM_TRY(launch_stage(fv));
    TRM_TRY(fv_update_volumes(fv));
    fv->current = !fv->current;
    if (fv->p.is_last || fv->dual.is_on) TRM_TRY(fv_launch_match(fv, fv->w[fv->current]));
    TRM_TRY(fv_update_walls(fv, 0));
    TRM_TRY(fv_launch_sources(fv));
    TRM_TRY(fv_show_volumes(fv));
    if (measures && stage == 0) TRM_TRY(fv_launch_norm(fv));
  }
  fv->p.when = 0.0;
  return TRM_OK;
}

static trm_status launch_step(fv_solver *fv)
{
  TRM_TRY(fv_launch_sweep(fv, 0));
  TRM_TRY(fv_launch_forces(fv));
  TRM_TRY(fv_launch_diagnostics(fv));
  TRM_TRY(fv_launch_integrals(fv));
  return fv_launch_clock(fv, 0);
}

static trm_status launch_steps(void *user, uint64_t count, uint64_t at, int is_recorded)
{
  (void)at, (void)is_recorded; /* the clock counts */
  for (uint64_t i = 0; i < count; i++)
    TRM_TRY(((fv_solver *)user)->dual.is_on ? fv_launch_cycle(user) : launch_step(user));
  return TRM_OK;
}

void fv_begin_steps(fv_solver *fv)
{
  fv->stepper = (trm_framework_stepper){ .device = fv->base.device, .user = fv,
                                         .current = &fv->current,
                                         .most = FV_LONGEST, .launch = launch_steps };
}

/* The end of the run, in two parts of the clock's precision. */
trm_status fv_set_end(fv_solver *fv, double t_end)
{
  const float high = (float)t_end;
  const double in_f32[2] = { (double)high, isfinite(t_end) ? t_end - (double)high : 0.0 };
  const double in_f64[2] = { t_end, 0.0 };
  TRM_TRY(trm_framework_write_reals(fv->clock, fv->real_type, FV_END,
                                    fv->real_type == TRM_TYPE_F64 ? in_f64 : in_f32, 2));
  fv->end_time = t_end;
  return fv_launch_clock(fv, 1);
}

/* So that hardly any is launched beyond the end: towards a steady flow, whose end nobody knows, no
 * more than were made. */
static uint64_t steps_ahead(const fv_solver *fv, double t_end, uint64_t most)
{
  const uint64_t made = fv->base.step > 0 ? fv->base.step : 1;
  const uint64_t count = trm_framework_steps_ahead(t_end - fv->base.time, fv->next_dt, most);
  return fv->dual.is_steady && made < count ? made : count;
}

trm_status fv_advance(trm_solver *solver, uint64_t max_steps, double t_end, int sync_state,
                      uint64_t *done)
{
  fv_solver *fv = (fv_solver *)solver;
  const uint64_t most = max_steps < (uint64_t)fv->p.limit ? max_steps : (uint64_t)fv->p.limit;
  const uint64_t every = fv->adapt.every;
  const uint64_t left = every ? every - solver->step % every : most; /* until the grid changes */
  const uint64_t ahead = steps_ahead(fv, t_end, left < most ? left : most);
  const int is_alone = fv->bodies.is_moving || fv->volumes; /* steps are launched one by one */
  const uint64_t count = is_alone ? 1 : ahead;
  const int32_t none = 0;
  (void)sync_state; /* every state is canonical */
  TRM_TRY(trm_framework_check_end(t_end));
  *done = 0;
  if (solver->time >= t_end || solver->has_ended) return TRM_OK;
  if (fv->dual.has_past) return fv_advance_dual(fv, t_end, done);
  if (t_end != fv->end_time) TRM_TRY(fv_set_end(fv, t_end));
  TRM_TRY(trm_buffer_fill(fv->tally, FV_SLOT * sizeof none, sizeof none, &none, sizeof none));
  if (fv->volumes && !fv->dual.is_on) TRM_TRY(fv_begin_volumes(fv));
  else if (fv->bodies.is_moving) TRM_TRY(fv_move_walls(fv));
  TRM_TRY(every || is_alone || fv->implementation.form == FV_COPIED
            ? launch_steps(fv, count, 0, 0)
                                        : trm_framework_steps(&fv->stepper, 0, count));
  fv_place_fields(fv);
  *done = count;
  return TRM_OK;
}

/* After the batch's step number `slot`, wherever an end lies: but a run whose rates are no numbers
 * ends, and says where. */
static trm_status adapt(fv_solver *fv, int slot)
{
  double rate;
  TRM_TRY(trm_framework_read_reals(fv->series_buffer, fv->real_type,
                                   2 * (size_t)fv->p.limit + (size_t)slot - 1, &rate, 1));
  return isfinite(rate) ? fv_adapt(fv) : TRM_OK;
}

trm_status fv_account(trm_solver *solver, uint64_t launched, uint64_t *made)
{
  fv_solver *fv = (fv_solver *)solver;
  int32_t slot = 0;
  double clock[4];
  *made = 0;
  if (launched == 0) return TRM_OK;
  TRM_TRY(trm_buffer_read(fv->tally, FV_SLOT * sizeof slot, sizeof slot, &slot));
  TRM_TRY(trm_framework_read_reals(fv->clock, fv->real_type, FV_TIME, clock, 4));
  if (slot < 0 || (uint64_t)slot > launched)
    return TRM_FAIL(DEVICE, "the device counted %d steps where %llu were launched", (int)slot,
                    (unsigned long long)launched);
  if (fv->cut && fv->bodies.is_moving && !isfinite(clock[FV_DT])) TRM_TRY(fv_check_stencils(fv));
  solver->step += (uint64_t)slot;
  const int is_at_end = clock[FV_LIVE] == 0.0 && !fv->dual.is_steady;
  solver->time = is_at_end ? fv->end_time : clock[FV_TIME] + clock[FV_TIME_REST];
  if (clock[FV_LIVE] == 1.0) fv->next_dt = clock[FV_DT]; /* 2: cut by the end */
  *made = (uint64_t)slot;
  if (fv->dual.is_steady) fv_account_cycles(fv, slot, clock[FV_LIVE] == 0.0);
  if (!fv->adapt.is_asked) return fv_keep_counts(fv);
  fv->adapt.steps += slot;
  fv->adapt.cell_steps += (double)slot * (double)fv->p.blocks * (double)fv->block;
  if (slot > 0 && fv->adapt.every && solver->step % fv->adapt.every == 0) TRM_TRY(adapt(fv, slot));
  fv_declare_cells(fv);
  return fv_keep_counts(fv);
}
