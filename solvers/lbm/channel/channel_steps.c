/* channel_steps.c - how a flow between boundaries gets through a batch of steps.
 *
 * A step is one launch, or the Geneva study's eight kernels and one that records. Steps run from
 * recorded sequences of 2 to CHANNEL_WINDOW steps; within those the forces of `slots` steps wait
 * for one fold. After each sequence its window of forces and probes is collected into the series
 * and the statistics. Nothing is read and nothing waits; every state is canonical. */
#include "solvers/lbm/channel/channel.h"

#include <math.h>

static trm_status launch(const channel_solver *flow, trm_kernel *kernel, int nx, int ny,
                         channel_moment at, trm_buffer *const *buffers, size_t count)
{
  channel_packed params;
  size_t bytes;
  channel_pack(flow, at, &params, &bytes);
  const trm_extent extent = { nx, ny, 1, 0 };
  return trm_kernel_launch(kernel, &extent, &params, bytes, buffers, count);
}

/* ---- one step -------------------------------------------------------------------- */

static trm_status launch_geneva(channel_solver *flow, channel_moment at)
{
  trm_buffer *const buffers[] = { flow->lattice[flow->current], flow->lattice[!flow->current],
                                  flow->walls, flow->marked, flow->notes, flow->inlet, flow->part,
                                  flow->window };
  return launch(flow, flow->step, flow->nx, flow->ny, at, buffers, 8);
}

static trm_status launch_channel(channel_solver *flow, channel_moment at)
{
  trm_buffer *const buffers[] = { flow->lattice[flow->current], flow->lattice[!flow->current],
                                  flow->marked, flow->notes, flow->links, flow->part,
                                  flow->window };
  return launch(flow, flow->step, flow->nx, flow->ny, at, buffers, 7);
}

/* The eight kernels, and their record: lattice 0 is what collided, lattice 1 what streamed. */
static trm_status launch_split(channel_solver *flow, channel_moment at)
{
  trm_buffer *f = flow->lattice[0], *in = flow->lattice[1], *feq = flow->feq, *macro = flow->macro;
  trm_buffer *const streaming[] = { f, in }, *const outflow[] = { in };
  trm_buffer *const macroscopic[] = { in, macro }, *const inflow[] = { in, flow->inlet, macro };
  trm_buffer *const equilibrium[] = { macro, feq }, *const update[] = { feq, in };
  trm_buffer *const collision[] = { in, feq, f }, *const bounce[] = { in, flow->walls, f };
  trm_buffer *const record[] = { in, macro, flow->marked, flow->notes, flow->part, flow->window };
  const int nx = flow->nx, ny = flow->ny;
  channel_moment last_column = at;
  last_column.at = nx - 1;
  last_column.start = nx - 2;
  TRM_TRY(launch(flow, flow->split[0], nx, ny, at, streaming, 2));
  TRM_TRY(launch(flow, flow->split[1], 1, ny, last_column, outflow, 1));
  TRM_TRY(launch(flow, flow->split[2], nx, ny, at, macroscopic, 2));
  TRM_TRY(launch(flow, flow->split[3], 1, ny, at, inflow, 3));
  TRM_TRY(launch(flow, flow->split[4], nx, ny, at, equilibrium, 2));
  TRM_TRY(launch(flow, flow->split[5], 1, ny, at, update, 2));
  TRM_TRY(launch(flow, flow->split[6], nx, ny, at, collision, 3));
  TRM_TRY(launch(flow, flow->split[7], nx, ny, at, bounce, 3));
  return launch(flow, flow->record, nx, ny, at, record, 6);
}

static trm_status launch_step(channel_solver *flow, channel_moment at)
{
  if (flow->is_split) return launch_split(flow, at);
  TRM_TRY(flow->is_geneva ? launch_geneva(flow, at) : launch_channel(flow, at));
  flow->current = !flow->current;
  return TRM_OK;
}

/* Launches count steps, the first of which has place `first` in the window, and folds their
 * forces. */
static trm_status launch_steps(channel_solver *flow, int count)
{
  for (int done = 0; done < count;) {
    const int rows = count - done < flow->slots ? count - done : flow->slots;
    for (int slot = 0; slot < rows; slot++)
      TRM_TRY(launch_step(flow, (channel_moment){ slot, done + slot, 0, 0, 0 }));
    for (size_t axis = 0; axis < 2 && flow->has_forces; axis++)
      TRM_TRY(trm_reduction_run(flow->fold, flow->part, axis * (size_t)flow->marks,
                                2 * (size_t)flow->marks, (size_t)rows, flow->window,
                                axis * CHANNEL_WINDOW + (size_t)done));
    done += rows;
  }
  return TRM_OK;
}

/* ---- batches --------------------------------------------------------------------- */

static trm_status collect(channel_solver *flow, uint64_t step, uint64_t at, int count)
{
  trm_buffer *const series[] = { flow->window, flow->values };
  trm_buffer *const statistics[] = { flow->window, flow->statistics };
  const uint64_t from = flow->statistics_from;
  const int start = from <= step ? 0 : from - step < (uint64_t)count ? (int)(from - step) : count;
  const channel_moment moment = { 0, 0, (int)at, count, start };
  TRM_TRY(launch(flow, flow->collect, count, flow->series_used, moment, series, 2));
  if (!flow->has_forces || start == count) return TRM_OK;
  return launch(flow, flow->shed, 1, 1, moment, statistics, 2);
}

static trm_status record(channel_solver *flow, int length, trm_sequence **out)
{
  TRM_TRY(trm_sequence_begin(flow->base.device));
  const trm_status status = launch_steps(flow, length);
  if (status != TRM_OK) {
    trm_sequence_cancel(flow->base.device);
    return status;
  }
  return trm_sequence_end(flow->base.device, out);
}

/* Steps to launch one by one where no sequence serves: one, to come back to lattice 0, or the
 * rest. */
static int singly(const channel_solver *flow, uint64_t left)
{
  if (flow->current != 0 || left > CHANNEL_WINDOW) return 1;
  return (int)left;
}

/* As in steps.c: where recording is dear (a GPU's graph), only the two longest serve. */
static int longest(const channel_solver *flow, uint64_t left)
{
  const int is_host = trm_device_describe(flow->base.device)->is_host;
  const int least = is_host ? 0 : CHANNEL_SEQUENCES - 2;
  int i = CHANNEL_SEQUENCES - 1;
  while (i >= least && 2ull << i > left) i--;
  return i >= least ? i : -1;
}

trm_status channel_advance(trm_solver *solver, uint64_t max_steps, double t_end, int settle,
                           uint64_t *done)
{
  channel_solver *flow = (channel_solver *)solver;
  uint64_t count = max_steps < CHANNEL_BATCH ? max_steps : CHANNEL_BATCH;
  const double left = t_end - solver->time;
  (void)settle;
  if (!(left > 0.0)) count = 0;
  else if (left < (double)count) count = (uint64_t)left + ((double)(uint64_t)left < left);
  for (uint64_t at = 0; at < count;) {
    const int i = flow->current == 0 ? longest(flow, count - at) : -1;
    const int length = i >= 0 ? 2 << i : singly(flow, count - at);
    if (i >= 0) {
      if (!flow->sequences[i]) TRM_TRY(record(flow, length, &flow->sequences[i]));
      TRM_TRY(trm_sequence_replay(flow->sequences[i], 1));
    } else {
      TRM_TRY(launch_steps(flow, length));
    }
    TRM_TRY(collect(flow, solver->step + at, at, length));
    at += (uint64_t)length;
  }
  solver->step += count;
  solver->time += (double)count;
  channel_place_fields(flow);
  *done = count;
  return TRM_OK;
}

trm_status channel_observe(trm_solver *solver)
{
  channel_solver *flow = (channel_solver *)solver;
  const channel_moment none = { 0, 0, 0, 0, 0 };
  trm_buffer *f = flow->lattice[flow->current], *to = flow->lattice[!flow->current];
  trm_buffer *const geneva[] = { f, to, flow->marked, flow->notes, flow->inlet };
  trm_buffer *const channel[] = { f, to, flow->flags }, *const derived[] = { to };
  TRM_TRY(launch(flow, flow->observe, flow->nx, flow->ny, none, flow->is_geneva ? geneva : channel,
                 flow->is_geneva ? 5 : 3));
  return launch(flow, flow->vorticity, flow->nx, flow->ny, none, derived, 1);
}
