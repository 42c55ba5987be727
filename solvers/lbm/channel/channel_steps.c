/* channel_steps.c - how a flow between boundaries gets through a batch of steps.
 *
 * A step is one launch, or the Geneva study's eight kernels and one that records. Steps run from
 * the framework's recorded sequences; within those the forces of up to `slots` steps wait for one
 * fold. After each sequence its window of forces and probes is collected into the series and the
 * statistics. Nothing is read and nothing waits; every state is canonical. */
#include "solvers/lbm/channel/channel.h"

#define LAUNCH(flow, kernel, nx, ny, ...) \
  LBM_LAUNCH(&(flow)->box, kernel, nx, ny, &(flow)->p, __VA_ARGS__)

/* One of the eight kernels, from the program that has it. */
#define LAUNCH_STUDY(flow, kernel, nx, ny, ...) \
  TRM_FRAMEWORK_LAUNCH((flow)->is_across ? &(flow)->across : &(flow)->box.program, kernel, \
                       (flow)->is_across ? (ny) : (nx), (flow)->is_across ? (nx) : (ny), \
                       &(flow)->p, __VA_ARGS__)

/* ---- one step -------------------------------------------------------------------- */

/* The eight kernels, and their record: lattice 0 has the result of the collision, lattice 1 the
 * result of streaming. */
static trm_status launch_split(channel_solver *flow)
{
  lbm_box *box = &flow->box;
  trm_buffer *f = box->lattice[0], *in = box->lattice[1], *feq = flow->feq, *macro = flow->macro;
  const int nx = box->nx, ny = box->ny;
  flow->p.at = nx - 1; /* outflow: to this column from that one */
  flow->p.start = nx - 2;
  TRM_TRY(LAUNCH_STUDY(flow, STREAMING, nx, ny, f, in));
  TRM_TRY(LAUNCH_STUDY(flow, OUTFLOW, 1, ny, in));
  TRM_TRY(flow->is_study ? LAUNCH_STUDY(flow, MACROSCOPIC, nx, ny, in, flow->directions, macro)
                         : LAUNCH_STUDY(flow, MACROSCOPIC, nx, ny, in, macro));
  TRM_TRY(LAUNCH_STUDY(flow, INFLOW, 1, ny, in, flow->inlet, macro));
  TRM_TRY(LAUNCH_STUDY(flow, EQUILIBRIUM, nx, ny, macro, feq));
  TRM_TRY(LAUNCH_STUDY(flow, UPDATE, 1, ny, feq, in));
  TRM_TRY(LAUNCH_STUDY(flow, COLLISION, nx, ny, in, feq, f));
  TRM_TRY(LAUNCH_STUDY(flow, BOUNCE, nx, ny, in, box->walls, f));
  return LAUNCH(flow, RECORD, nx, ny, in, macro, flow->marked, flow->mark_flags, box->partial,
                box->window);
}

static trm_status launch_step(channel_solver *flow)
{
  lbm_box *box = &flow->box;
  trm_buffer *f = box->lattice[box->current], *to = box->lattice[!box->current];
  if (flow->is_split) return launch_split(flow);
  TRM_TRY(flow->is_geneva ? LAUNCH(flow, STEP, box->nx, box->ny, f, to, box->walls, flow->marked,
                                   flow->mark_flags, flow->inlet, box->partial,
                                   box->window) : LAUNCH(flow, STEP, box->nx, box->ny, f, to,
                                                         flow->marked, flow->mark_flags,
                                                         flow->links, box->partial, box->window));
  box->current = !box->current;
  return TRM_OK;
}

/* ---- batches --------------------------------------------------------------------- */

static trm_status step(void *user, size_t slot)
{
  channel_solver *flow = user;
  flow->p.part = (int)slot * 2 * flow->p.marks;
  TRM_TRY(launch_step(flow));
  flow->p.moment++;
  return TRM_OK;
}

/* The forces of `rows` steps, along x and y. */
static trm_status fold(void *user, size_t rows, trm_buffer *to, size_t stride, size_t at)
{
  const channel_solver *flow = user;
  const size_t marks = (size_t)flow->p.marks;
  (void)stride; /* the window's */
  for (size_t axis = 0; axis < 2 && flow->p.has_forces; axis++)
    TRM_TRY(trm_reduction_run(flow->box.fold, flow->box.partial, axis * marks, 2 * marks, rows, to,
                              axis * CHANNEL_WINDOW + at));
  return TRM_OK;
}

/* Places in the window begin at 0, recorded or not. */
static trm_status launch_steps(void *user, uint64_t count, uint64_t at, int is_recorded)
{
  channel_solver *flow = user;
  (void)at, (void)is_recorded;
  flow->p.moment = 0;
  return trm_framework_fold_steps(&flow->folder, count, 0, 1);
}

static trm_status collect(void *user, uint64_t count, uint64_t at, int is_recorded)
{
  channel_solver *flow = user;
  lbm_box *box = &flow->box;
  const uint64_t from = flow->statistics_from, step = box->base.step + at;
  (void)is_recorded;
  flow->p.at = (int)at;
  flow->p.count = (int)count;
  flow->p.start = (int)(from <= step ? 0 : from - step < count ? from - step : count);
  TRM_TRY(LAUNCH(flow, COLLECT, (int)count, flow->series_used, box->window, box->sums));
  if (!flow->p.has_forces || flow->p.start == (int)count) return TRM_OK;
  return LAUNCH(flow, SHED, 1, 1, box->window, flow->statistics);
}

void channel_begin_steps(channel_solver *flow)
{
  trm_device *device = flow->box.base.device;
  flow->folder = (trm_framework_folder){ .user = flow, .window = flow->box.window,
                                   .slots = trm_framework_whole(device, (uint64_t)flow->box.slots),
                                         .step = step, .fold = fold };
  flow->box.stepper = (trm_framework_stepper){ .device = device, .user = flow,
                                               .current = &flow->box.current,
                                               .most = trm_framework_whole(device, CHANNEL_WINDOW),
                                               .launch = launch_steps, .after = collect };
}

trm_status channel_steps(lbm_box *box, uint64_t count, int sync_state)
{
  (void)sync_state;
  return trm_framework_steps(&box->stepper, 0, count);
}

trm_status channel_observe(trm_solver *solver)
{
  channel_solver *flow = (channel_solver *)solver;
  lbm_box *box = &flow->box;
  trm_buffer *f = box->lattice[box->current], *to = box->lattice[!box->current];
  TRM_TRY(flow->is_geneva ? LAUNCH(flow, OBSERVE, box->nx, box->ny, f, to, flow->marked,
                                   flow->mark_flags, flow->inlet)
                          : LAUNCH(flow, OBSERVE, box->nx, box->ny, f, to, box->solid));
  return LAUNCH(flow, VORTICITY, box->nx, box->ny, to);
}
