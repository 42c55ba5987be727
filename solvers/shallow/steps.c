/* steps.c - how the shallow-water solver gets through a batch of steps.
 *
 * A step is one launch (Lax-Friedrichs) or two (the stages of HLLC), then the fold of the largest
 * wave speed and the clock, which sets the next step's length on the device. Launches say nothing
 * of time, so recorded sequences of 2 to 64 steps serve the whole run. Nothing
 * is read before account. */
#include "solvers/shallow/shallow.h"

#include <math.h>
#include <string.h>

size_t shallow_leaves(const shallow_solver *swe)
{
  return ((size_t)swe->nx + 31) / 32 * (size_t)swe->ny;
}

static int blocks(const shallow_solver *swe)
{
  return (swe->ny + swe->rows - 1) / swe->rows;
}

/* The cells that a step's kernel is launched over, in x: an item of a GPU takes several. */
static int width(const shallow_solver *swe)
{
  const int is_wide = swe->scheme == SHALLOW_LAX_FRIEDRICHS &&
                      !trm_device_describe(swe->base.device)->is_host;
  const int size = (int)trm_type_size(trm_real_type(swe->precision));
  const int cells = is_wide ? SHALLOW_LF_BYTES / size : 1;
  return (swe->nx + cells - 1) / cells;
}

/* The maxima that a step leaves. */
static size_t step_leaves(const shallow_solver *swe)
{
  return ((size_t)width(swe) + 31) / 32 * (size_t)blocks(swe);
}

/* ---- launches -------------------------------------------------------------- */

static trm_status launch(const shallow_solver *swe, trm_kernel *kernel, int nx, int ny,
                         shallow_moment at, trm_buffer *const *buffers, size_t count)
{
  shallow_packed params;
  size_t bytes;
  shallow_pack(swe, at, &params, &bytes);
  const trm_extent extent = { nx, ny, 1, 0 };
  return trm_kernel_launch(kernel, &extent, &params, bytes, buffers, count);
}

/* The fold of `values` leaf maxima and the clock; begins as in shallow_params.h. */
static trm_status launch_clock(shallow_solver *swe, size_t values, int begins)
{
  trm_buffer *peaks = swe->part;
  if (values > SHALLOW_CLOCK_VALUES) {
    const size_t chunks = (values + SHALLOW_CHUNK_VALUES - 1) / SHALLOW_CHUNK_VALUES;
    trm_buffer *const fold[] = { swe->part, swe->peaks, swe->clock };
    TRM_TRY(launch(swe, swe->peak, (int)chunks, 1, (shallow_moment){ 0, (int)values, 0 }, fold, 3));
    peaks = swe->peaks;
    values = chunks;
  }
  trm_buffer *const buffers[] = { peaks, swe->clock, swe->tally, swe->series_buffer, swe->tables,
                                  swe->state[swe->current], swe->bed, swe->gauge_cells };
  return launch(swe, swe->clock_kernel, 1, 1, (shallow_moment){ 0, (int)values, begins }, buffers,
                8);
}

static trm_status launch_lf(shallow_solver *swe)
{
  trm_buffer *const buffers[] = { swe->state[swe->current], swe->state[!swe->current], swe->bed,
                                  swe->clock, swe->part };
  TRM_TRY(launch(swe, swe->lf, width(swe), blocks(swe), (shallow_moment){ 0, 0, 0 }, buffers, 5));
  swe->current = !swe->current;
  return launch_clock(swe, step_leaves(swe), 0);
}

/* From state 0 into state 1, and from there back. */
static trm_status launch_hllc(shallow_solver *swe)
{
  for (int stage = 0; stage < 2; stage++) {
    trm_buffer *const buffers[] = { swe->state[stage], swe->state[!stage], swe->bed, swe->clock,
                                    swe->part };
    TRM_TRY(launch(swe, swe->hllc, swe->nx, blocks(swe), (shallow_moment){ stage, 0, 0 }, buffers,
                   5));
  }
  return launch_clock(swe, step_leaves(swe), 0);
}

static trm_status launch_step(shallow_solver *swe)
{
  TRM_TRY(swe->scheme == SHALLOW_HLLC ? launch_hllc(swe) : launch_lf(swe));
  if (!swe->has_maps) return TRM_OK;
  trm_buffer *const buffers[] = { swe->state[swe->current], swe->bed, swe->clock, swe->maps };
  return launch(swe, swe->maps_kernel, swe->nx, swe->ny, (shallow_moment){ 0, 0, 0 }, buffers, 4);
}

/* The first step's length, the edges' first values, and with these the ghost columns. */
trm_status shallow_begin(shallow_solver *swe)
{
  trm_buffer *const buffers[] = { swe->state[0], swe->bed, swe->clock, swe->part };
  const shallow_moment none = { 0, 0, 0 };
  TRM_TRY(launch(swe, swe->start, swe->nx, swe->ny, none, buffers, 4));
  TRM_TRY(launch_clock(swe, shallow_leaves(swe), 1));
  return launch(swe, swe->start, swe->nx, swe->ny, none, buffers, 4);
}

/* ---- the end of the run, in two parts of the clock's precision --------------- */

static trm_status set_end(shallow_solver *swe, double t_end)
{
  const size_t size = trm_type_size(trm_real_type(swe->precision));
  const float high = (float)t_end, low = isfinite(t_end) ? (float)(t_end - (double)high) : 0.0f;
  const float in_f32[2] = { high, low };
  const double in_f64[2] = { t_end, 0.0 };
  TRM_TRY(trm_buffer_write(swe->clock, SHALLOW_END * size, 2 * size,
                           swe->precision == TRM_F64 ? (const void *)in_f64 : in_f32));
  const int is_first = isnan(swe->end_time);
  swe->end_time = t_end;
  if (is_first) return shallow_begin(swe);
  return launch_clock(swe, swe->base.step > 0 ? step_leaves(swe) : shallow_leaves(swe), 2);
}

/* ---- batches --------------------------------------------------------------- */

static trm_status record(shallow_solver *swe, uint64_t length, trm_sequence **out)
{
  TRM_TRY(trm_sequence_begin(swe->base.device));
  trm_status status = TRM_OK;
  for (uint64_t i = 0; i < length && status == TRM_OK; i++) status = launch_step(swe);
  if (status != TRM_OK) {
    trm_sequence_cancel(swe->base.device);
    return status;
  }
  return trm_sequence_end(swe->base.device, out);
}

/* As in lbm: where recording is dear (a GPU's graph), only the two longest serve. */
static int longest(const shallow_solver *swe, uint64_t left)
{
  const int least = trm_device_describe(swe->base.device)->is_host ? 0 : SHALLOW_SEQUENCES - 2;
  int i = SHALLOW_SEQUENCES - 1;
  while (i >= least && 2ull << i > left) i--;
  return i >= least ? i : -1;
}

trm_status shallow_advance(trm_solver *solver, uint64_t max_steps, double t_end, int settle,
                           uint64_t *done)
{
  shallow_solver *swe = (shallow_solver *)solver;
  const uint64_t count = max_steps < SHALLOW_BATCH_LIMIT ? max_steps : SHALLOW_BATCH_LIMIT;
  const int32_t none = 0;
  (void)settle; /* every state is canonical */
  *done = 0;
  if (solver->time >= t_end) return TRM_OK;
  if (t_end != swe->end_time) TRM_TRY(set_end(swe, t_end));
  TRM_TRY(trm_buffer_fill(swe->tally, SHALLOW_SLOT * sizeof none, sizeof none, &none, sizeof none));
  for (uint64_t at = 0; at < count;) {
    const int i = swe->current == 0 ? longest(swe, count - at) : -1;
    if (i >= 0) {
      if (!swe->sequences[i]) TRM_TRY(record(swe, 2ull << i, &swe->sequences[i]));
      TRM_TRY(trm_sequence_replay(swe->sequences[i], 1));
      at += 2ull << i;
    } else {
      TRM_TRY(launch_step(swe));
      at++;
    }
  }
  shallow_place_fields(swe);
  *done = count;
  return TRM_OK;
}

trm_status shallow_account(trm_solver *solver, uint64_t launched, uint64_t *made)
{
  shallow_solver *swe = (shallow_solver *)solver;
  const size_t size = trm_type_size(trm_real_type(swe->precision));
  int32_t slot = 0;
  double time = 0;
  if (launched == 0) {
    *made = 0;
    return TRM_OK;
  }
  TRM_TRY(trm_buffer_read(swe->tally, SHALLOW_SLOT * sizeof slot, sizeof slot, &slot));
  if (swe->precision == TRM_F64) {
    double parts[4];
    TRM_TRY(trm_buffer_read(swe->clock, SHALLOW_TIME * size, sizeof parts, parts));
    time = parts[SHALLOW_TIME] + parts[SHALLOW_TIME_REST];
    if (parts[SHALLOW_LIVE] == 0.0) time = swe->end_time;
  } else {
    float parts[4];
    TRM_TRY(trm_buffer_read(swe->clock, SHALLOW_TIME * size, sizeof parts, parts));
    time = (double)parts[SHALLOW_TIME] + (double)parts[SHALLOW_TIME_REST];
    if (parts[SHALLOW_LIVE] == 0.0f) time = swe->end_time;
  }
  if (slot < 0 || (uint64_t)slot > launched)
    return TRM_FAIL(DEVICE, "the device counted %d steps where %llu were launched", (int)slot,
                    (unsigned long long)launched);
  solver->step += (uint64_t)slot;
  solver->time = time;
  *made = (uint64_t)slot;
  return TRM_OK;
}
