/* steps.c - how the shallow-water solver gets through a batch of steps.
 *
 * A step is one launch (Lax-Friedrichs) or two (the stages of HLLC). Then come the fold of the
 * largest wave speed and the clock, which sets the next step's length on the device. Launches do
 * not depend on time, so recorded sequences of 2 to 64 steps serve the whole run. Nothing is read
 * before account. */
#include "solvers/shallow/shallow.h"

#include <math.h>

size_t shallow_leaves(const shallow_solver *swe)
{
  return ((size_t)swe->p.nx + 31) / 32 * (size_t)swe->p.ny;
}

int shallow_blocks(const shallow_solver *swe)
{
  return (swe->p.ny + swe->p.rows - 1) / swe->p.rows;
}

/* The cells that a step's kernel is launched over, in x: an item of a GPU takes several. Beside a
 * host, which takes each, a GPU has more items than it needs. */
int shallow_width(const shallow_solver *swe)
{
  const int is_wide = swe->p.scheme == SHALLOW_LAX_FRIEDRICHS &&
                      !trm_device_describe(swe->base.device)->is_host && !swe->is_mixed;
  const int size = (int)trm_type_size(swe->real_type);
  const int cells = is_wide ? SHALLOW_LF_BYTES / size : 1;
  return (swe->p.nx + cells - 1) / cells;
}

/* The maxima that a step leaves. */
static size_t step_leaves(const shallow_solver *swe)
{
  if (swe->implementation) return shallow_implementation_maxima(swe);
  return ((size_t)shallow_width(swe) + 31) / 32 * (size_t)shallow_blocks(swe);
}

static size_t chunks_of(size_t values)
{
  return (values + SHALLOW_CHUNK_VALUES - 1) / SHALLOW_CHUNK_VALUES;
}

/* ---- launches -------------------------------------------------------------- */

/* Chunks of the leaf maxima of a row of a step's launch. */
size_t shallow_chunks(const shallow_solver *swe)
{
  return chunks_of(((size_t)shallow_width(swe) + 31) / 32);
}

/* Whether each of several devices can fold its own maxima, a row of a step's launch by itself, and
 * leaves few enough. The start, and steps that share a launch, have maxima of other rows. */
static int folds_its_own(const shallow_solver *swe)
{
  return shallow_is_shared(swe) && swe->maxima == swe->part && swe->p.every == 1 &&
         (size_t)shallow_blocks(swe) * shallow_chunks(swe) <= SHALLOW_CLOCK_VALUES;
}

static trm_status launch_own_peaks(shallow_solver *swe)
{
  trm_buffer *const buffers[] = { swe->maxima, swe->peaks, swe->clock };
  const int chunks = (int)shallow_chunks(swe), rows = shallow_blocks(swe);
  swe->p.of_row = swe->p.values / rows;
  swe->p.values = rows * chunks;
  return trm_framework_program_launch_groups(SHALLOW_PROGRAM(swe, PEAK), PEAK % SHALLOW_NEXT,
                                             rows * chunks, 1, chunks, 0, &swe->p, buffers, 3);
}

static trm_status launch_peaks(shallow_solver *swe)
{
  const int chunks = (int)chunks_of((size_t)swe->p.values);
  swe->p.of_row = swe->p.values;
  TRM_TRY(SHALLOW_LAUNCH(swe, PEAK, chunks, 1, swe->maxima, swe->peaks, swe->clock));
  swe->p.part = 0;
  swe->p.values = chunks;
  return TRM_OK;
}

/* Each device of a process, and each part of a run, sets the values derived from all maxima itself.
 * So no device waits for another one to set the length of the next step. */
trm_status shallow_launch_clock(shallow_solver *swe, size_t values, int begins)
{
  trm_buffer *state = swe->state[swe->current], *bed = swe->bed, *maxima = swe->maxima;
  trm_device *device = swe->base.device;
  const int is_own = values > SHALLOW_CLOCK_VALUES && folds_its_own(swe);
  trm_status status = TRM_OK;
  swe->p.begins = begins;
  swe->p.values = (int)values;
  if (shallow_is_shared(swe)) {
    TRM_TRY(shallow_launch_gauges(swe));
    state = swe->gauge_depths;
    bed = swe->gauge_beds;
  }
  if (is_own) {
    TRM_TRY(launch_own_peaks(swe));
    maxima = swe->peaks;
  }
  trm_device_replicate(device, trm_device_is_part(device));
  if (swe->p.values > SHALLOW_CLOCK_VALUES) {
    status = launch_peaks(swe);
    maxima = swe->peaks;
  }
  if (status == TRM_OK)
    status = SHALLOW_LAUNCH(swe, CLOCK, 1, 1, maxima, swe->clock, swe->tally, swe->series_buffer,
                            swe->tables, state, bed, swe->gauge_cells);
  trm_device_replicate(device, 0);
  return status;
}

static trm_status launch_lf(shallow_solver *swe)
{
  if (swe->implementation) {
    TRM_TRY(shallow_implementation_step(swe));
    return shallow_launch_clock(swe, step_leaves(swe), 0);
  }
  TRM_TRY(SHALLOW_LAUNCH(swe, LF, shallow_width(swe), shallow_blocks(swe), swe->state[swe->current],
                         swe->state[!swe->current], swe->bed, swe->clock, swe->part));
  swe->current = !swe->current;
  TRM_TRY(shallow_launch_ghosts(swe, swe->current, 1));
  return shallow_launch_clock(swe, step_leaves(swe), 0);
}

/* From state 0 into state 1, and from there back. */
static trm_status launch_hllc(shallow_solver *swe)
{
  for (swe->p.stage = 0; swe->p.stage < 2; swe->p.stage++) {
    TRM_TRY(SHALLOW_LAUNCH(swe, HLLC, swe->p.nx, shallow_blocks(swe), swe->state[swe->p.stage],
                           swe->state[!swe->p.stage], swe->bed, swe->clock, swe->part, swe->book));
    TRM_TRY(shallow_launch_ghosts(swe, !swe->p.stage, 1));
  }
  return shallow_launch_clock(swe, step_leaves(swe), 0);
}

static trm_status launch_step(shallow_solver *swe)
{
  TRM_TRY(swe->p.scheme == SHALLOW_HLLC ? launch_hllc(swe) : launch_lf(swe));
  if (!swe->has_maps) return TRM_OK;
  return SHALLOW_LAUNCH(swe, MAPS, swe->p.nx, swe->p.ny, swe->state[swe->current], swe->bed,
                        swe->clock, swe->maps);
}

static trm_status launch_steps(void *user, uint64_t count, uint64_t at, int is_recorded)
{
  (void)at, (void)is_recorded; /* the clock counts */
  for (uint64_t i = 0; i < count; i++) TRM_TRY(launch_step(user));
  return TRM_OK;
}

void shallow_begin_steps(shallow_solver *swe)
{
  swe->stepper = (trm_framework_stepper){ .device = swe->base.device, .user = swe,
                                          .current = &swe->current, .most = SHALLOW_LONGEST,
                                          .launch = launch_steps };
}

static trm_status launch_start(shallow_solver *swe)
{
  swe->leaves = shallow_leaves(swe);
  swe->last_part = swe->p.part = 0;
  swe->maxima = swe->start_part;
  TRM_TRY(SHALLOW_LAUNCH(swe, START, swe->p.nx, swe->p.ny, swe->state[0], swe->bed, swe->clock,
                         swe->start_part));
  return shallow_launch_ghosts(swe, 0, 0);
}

/* The first step's length, the edges' first values, and with these the ghost columns. */
static trm_status begin(shallow_solver *swe)
{
  TRM_TRY(launch_start(swe));
  TRM_TRY(shallow_launch_clock(swe, shallow_leaves(swe), 1));
  return launch_start(swe);
}

/* ---- the end of the run, in two parts of the clock's precision --------------- */

static trm_status set_end(shallow_solver *swe, double t_end)
{
  const float high = (float)t_end;
  const double in_f32[2] = { (double)high, isfinite(t_end) ? t_end - (double)high : 0.0 };
  const double in_f64[2] = { t_end, 0.0 };
  TRM_TRY(trm_framework_write_reals(swe->clock, swe->real_type, SHALLOW_END,
                                    swe->real_type == TRM_TYPE_F64 ? in_f64 : in_f32, 2));
  const int is_first = isnan(swe->end_time);
  swe->end_time = t_end;
  if (is_first) return begin(swe);
  swe->p.part = swe->last_part;
  return shallow_launch_clock(swe, swe->leaves, 2);
}

/* ---- batches --------------------------------------------------------------- */

trm_status shallow_advance(trm_solver *solver, uint64_t max_steps, double t_end, int sync_state,
                           uint64_t *done)
{
  shallow_solver *swe = (shallow_solver *)solver;
  const uint64_t most = max_steps < SHALLOW_BATCH_LIMIT ? max_steps : SHALLOW_BATCH_LIMIT;
  const uint64_t count = trm_framework_steps_ahead(t_end - solver->time, swe->next_dt, most);
  const int32_t none[] = { 0 };
  (void)sync_state; /* every state is canonical */
  TRM_TRY(trm_framework_check_end(t_end));
  *done = 0;
  if (solver->time >= t_end) return TRM_OK;
  if (t_end != swe->end_time) TRM_TRY(set_end(swe, t_end));
  swe->maxima = swe->implementation ? shallow_implementation_buffer(swe) : swe->part;
  swe->p.part = swe->p.ahead = 0;
  TRM_TRY(trm_buffer_fill(swe->tally, SHALLOW_SLOT * sizeof *none, sizeof *none, none,
                          sizeof *none));
  if (swe->p.every > 1) {
    TRM_TRY(trm_buffer_fill(swe->tally, SHALLOW_FAILED * sizeof *none, sizeof *none, none,
                            sizeof *none));
    TRM_TRY(shallow_advance_blocks(swe, count));
  } else {
    TRM_TRY(trm_framework_steps(&swe->stepper, 0, count));
    swe->leaves = step_leaves(swe);
  }
  shallow_place_fields(swe);
  *done = count;
  return TRM_OK;
}

/* The start's kernel makes the ghost columns and the largest speed from the state, as the last step
 * did. A clock that had come to its end runs again, towards the end that the next advance sets. */
trm_status shallow_restore(trm_solver *solver, uint64_t step, double time)
{
  static const double live = 1.0;
  shallow_solver *swe = (shallow_solver *)solver;
  solver->step = step;
  solver->time = time;
  swe->end_time = -INFINITY;     /* another than any: it is set anew */
  TRM_TRY(trm_framework_write_reals(swe->clock, swe->real_type, SHALLOW_LIVE, &live, 1));
  return launch_start(swe);
}

trm_status shallow_account(trm_solver *solver, uint64_t launched, uint64_t *made)
{
  shallow_solver *swe = (shallow_solver *)solver;
  int32_t slot = 0;
  double clock[4];
  *made = 0;
  if (launched == 0) return TRM_OK;
  if (swe->p.every > 1) TRM_TRY(shallow_mend_blocks(swe, launched));
  TRM_TRY(trm_buffer_read(swe->tally, SHALLOW_SLOT * sizeof slot, sizeof slot, &slot));
  TRM_TRY(trm_framework_read_reals(swe->clock, swe->real_type, SHALLOW_TIME, clock, 4));
  if (slot < 0 || (uint64_t)slot > launched)
    return TRM_FAIL(DEVICE, "the device counted %d steps where %llu were launched", (int)slot,
                    (unsigned long long)launched);
  solver->step += (uint64_t)slot;
  solver->time = clock[SHALLOW_LIVE] == 0.0 ? swe->end_time
                                            : clock[SHALLOW_TIME] + clock[SHALLOW_TIME_REST];
  if (clock[SHALLOW_LIVE] == 1.0) swe->next_dt = clock[SHALLOW_DT]; /* 2: cut by the end */
  *made = (uint64_t)slot;
  return TRM_OK;
}
