/* steps.c - a batch of steps of a flow in three dimensions, from the framework's recorded
 * sequences. A step is one launch; on a GPU it has two more, over the links. The leaves of `slots`
 * steps wait for one fold. Nothing is read and nothing waits; every state is canonical. */
#include "solvers/lbm3d/levels/levels.h"

#include <stddef.h>
#include <string.h>

trm_status lbm3d_launch_shared(lbm3d_solver *flow, int kernel, trm_extent cells,
                               const trm_sharing *how, trm_buffer *const *buffers, size_t count)
{
  const trm_framework_program *program = lbm3d_program_of(flow, kernel);
  unsigned char packed[TRM_MAX_PARAM_BYTES];
  _Static_assert(offsetof(stored_params, shown_row) == sizeof(lbm3d_params),
                 "stored_params begins with lbm3d_params");
  _Static_assert(offsetof(moments_params, tile_x) == sizeof(lbm3d_params),
                 "moments_params begins with lbm3d_params");
  memcpy(&flow->stored, &flow->p, sizeof flow->p);
  memcpy(&flow->moments.p, &flow->p, sizeof flow->p);
  trm_framework_params_pack(&program->params, program->precision,
                            flow->is_stored ? (const void *)&flow->stored
                            : flow->is_moments ? (const void *)&flow->moments.p : &flow->p, packed);
  const size_t bytes = program->params.bytes[program->precision];
  trm_kernel *one = program->kernels[kernel];
  return how ? trm_kernel_launch_shared(one, &cells, how, packed, bytes, buffers, count)
             : trm_kernel_launch(one, &cells, packed, bytes, buffers, count);
}

trm_status lbm3d_launch(lbm3d_solver *flow, int kernel, trm_extent cells,
                        trm_buffer *const *buffers, size_t count)
{
  return lbm3d_launch_shared(flow, kernel, cells, NULL, buffers, count);
}

static trm_extent box_of(const lbm3d_solver *flow)
{
  return (trm_extent){ flow->scene.n[0], flow->scene.n[1], flow->scene.n[2], 0 };
}

static trm_status launch(lbm3d_solver *flow, int kernel, trm_buffer *const *buffers, size_t count)
{
  return lbm3d_launch(flow, kernel, box_of(flow), buffers, count);
}

/* The lattice that holds the state. */
static trm_buffer *state_of(const lbm3d_solver *flow)
{
  return flow->lattice[flow->in_place ? 0 : flow->current];
}

/* For stored populations: those that come back from walls that are sides of the box; in 16 bits,
 * with the rounding of moving walls' pushes. Rows and planes: lbm3d_stored_walls.h. */
static trm_status launch_walls(lbm3d_solver *flow)
{
  const int *n = flow->scene.n, width = n[0] > n[1] ? n[0] : n[1];
  const int rows = n[1] > n[2] ? n[1] : n[2];
  const trm_extent sides = { width, rows, 3, 0 }, both = { width, rows, 6, 0 };
  trm_buffer *const buffers[] = { state_of(flow), flow->marked, flow->given };
  flow->stored.what = 0;
  for (int side = 0; side < LBM3D_SIDES; side++)
    flow->stored.what |= (flow->scene.sides[side].kind == SIDE_MOVING) << side;
  if (flow->is_16 && flow->marks.side_rests)
    TRM_TRY(lbm3d_launch(flow, WALLS_REST, both, buffers, 3));
  return lbm3d_launch(flow, WALLS, sides, buffers, 3);
}

/* Planes that the step and the launches over links read. In place, populations of a cell beside a
 * link lie a plane farther off. */
static int halo_of(const lbm3d_solver *flow) { return flow->in_place && flow->sites ? 2 : 1; }

/* On a GPU, and where populations are stored, populations that come through boundaries go to the
 * place from which the step will pull them. A link may be handed to a row of another device, which
 * has no use for it. Each device keeps the links that it hands over, and the populations that it
 * got for them. Where populations are not stored, a host does all of this in its step. The walls'
 * launch comes between the two: the first launch reads the places that it changes, and the second
 * one gives the partners in the lists their populations. */
static trm_status launch_links(lbm3d_solver *flow)
{
  enum { STATE, GOT };
  const int is_of_gpus = !flow->is_stored;
  const trm_sharing fetching = { .halo = halo_of(flow), .in_place = flow->in_place,
                                 .is_of_gpus = is_of_gpus, .device_local = 1u << GOT };
  trm_sharing handing = fetching;
  handing.device_local = 1u << STATE | 1u << GOT;
  trm_buffer *const f = state_of(flow);
  trm_buffer *const fetched[] = { f, flow->got, flow->mark_entries, flow->ways, flow->links,
                                 flow->part,
                                  flow->sites, flow->parts[LBM3D_MARKS] };
  trm_buffer *const handed[] = { f, flow->got, flow->ways, flow->sites, flow->parts[LBM3D_LINKS] };
  if (flow->sites) TRM_TRY(lbm3d_launch_list(flow, FETCH, LBM3D_MARKS, fetching, fetched, 8));
  if (flow->marks.side_links) TRM_TRY(launch_walls(flow));
  if (!flow->sites) return TRM_OK;
  return lbm3d_launch_list(flow, HAND, LBM3D_LINKS, handing, handed, 5);
}

/* In place, populations of a row lie in the rows beside it, too. */
static trm_status launch_probes(lbm3d_solver *flow, size_t slot)
{
  const trm_sharing how = { .halo = flow->in_place };
  trm_buffer *const buffers[] = { state_of(flow), flow->probed, flow->probe_cells,
                                  flow->parts[LBM3D_PROBED_CELLS] };
  flow->p.probed = (trm_index)(slot * LBM3D_PROBED * flow->probes.cells);
  return lbm3d_launch_list(flow, PROBE, LBM3D_PROBED_CELLS, how, buffers, 4);
}

/* Links are in lists, also on a host; in place there is no second lattice; of folded rows an item
 * steps two cells. */
static trm_status launch_stored(lbm3d_solver *flow)
{
  trm_buffer *const two[] = { flow->lattice[flow->current], flow->lattice[!flow->current],
                              flow->marked, flow->energies, flow->changes };
  trm_buffer *const one[] = { flow->lattice[0], flow->marked, flow->energies, flow->changes };
  const int *n = flow->scene.n, fold = flow->stored.fold;
  const trm_extent items = { fold ? fold : n[0], n[1], n[2], 0 };
  static const trm_sharing between = { .halo = 1, .write_only = 1 << 1 };
  const trm_sharing within = { .halo = halo_of(flow), .in_place = 1 };
  return flow->in_place ? lbm3d_launch_shared(flow, STEP, items, &within, one, 4)
                        : lbm3d_launch_shared(flow, STEP, items, &between, two, 5);
}

static trm_status launch_step(void *user, size_t slot)
{
  static const trm_sharing stepping = { .write_only = 1 << 1 };
  lbm3d_solver *flow = user;
  if (flow->levels) {
    TRM_TRY(lbm3d_levels_step(flow, slot));
    return lbm3d_means_launch(flow, NULL);
  }
  trm_buffer *const buffers[] = { flow->lattice[flow->current], flow->lattice[!flow->current],
                                  flow->marked, flow->mark_entries, flow->ways, flow->links,
                                      flow->part,
                                  flow->energies, flow->changes };
  flow->p.leaves = (trm_index)(slot * flow->leaves);
  flow->p.part = (trm_index)(slot * flow->marks.values * flow->marks.place_count);
  flow->stored.odd = flow->current;
  TRM_TRY(launch_links(flow));
  if (flow->is_stored) TRM_TRY(launch_stored(flow));
  else if (flow->is_moments) TRM_TRY(lbm3d_moments_step(flow));
  else TRM_TRY(lbm3d_launch_shared(flow, STEP, box_of(flow), &stepping, buffers, 9));
  flow->current = !flow->current;
  flow->stored.odd = flow->current;
  TRM_TRY(lbm3d_means_launch(flow, state_of(flow)));
  return flow->probes.cells > 0 ? launch_probes(flow, slot) : TRM_OK;
}

/* Folds the leaves of `rows` steps to element `at` of each series; series lie `stride` apart in
 * `to`. */
static trm_status fold(void *user, size_t rows, trm_buffer *to, size_t stride, size_t at)
{
  lbm3d_solver *flow = user;
  const size_t places = flow->marks.place_count;
  TRM_TRY(trm_reduction_run(flow->fold, flow->energies, 0, flow->leaves, rows, to, at));
  TRM_TRY(trm_reduction_run(flow->fold, flow->changes, 0, flow->leaves, rows, to, stride + at));
  at += 2 * stride;
  for (size_t i = 0; i < flow->marks.patch_count; i++) {
    const lbm3d_patch *patch = &flow->marks.patches[i];
    for (size_t v = 0; v < patch->values; v++, at += stride)
      TRM_TRY(trm_reduction_run(flow->folds[i], flow->part, v * places + patch->first,
                                flow->marks.values * places, rows, to, at));
  }
  return lbm3d_probes_fold(flow, rows, to, stride, at);
}

void lbm3d_begin_steps(lbm3d_solver *flow)
{
  flow->folder = (trm_framework_folder){ .user = flow, .slots = flow->slots, .sums = flow->sums,
                                         .window = flow->window, .type = flow->real_type,
                                         .series = lbm3d_series_count(flow), .batch = LBM3D_BATCH,
                                         .step = launch_step, .fold = fold };
  flow->stepper = (trm_framework_stepper){ .device = flow->base.device, .user = &flow->folder,
                                           .current = &flow->current, .most = 2 * flow->slots,
                                           .launch = trm_framework_fold_steps,
                                           .after = trm_framework_keep_series };
  flow->averager = flow->stepper;
}

/* The steps of a batch before the means begin, and those after. */
static trm_status advance_by(lbm3d_solver *flow, uint64_t count)
{
  const uint64_t first = lbm3d_means_after(flow), step = flow->base.step;
  const uint64_t before = first <= step ? 0 : first - step < count ? first - step : count;
  flow->means.is_due = 0;
  TRM_TRY(trm_framework_steps(&flow->stepper, 0, before));
  flow->means.is_due = 1;
  return trm_framework_steps(&flow->averager, before, count - before);
}

trm_status lbm3d_advance(trm_solver *solver, uint64_t max_steps, double t_end, int sync_state,
                         uint64_t *done)
{
  lbm3d_solver *flow = (lbm3d_solver *)solver;
  const uint64_t most = max_steps < LBM3D_BATCH ? max_steps : LBM3D_BATCH;
  const double step = flow->units.cell > 0.0 ? flow->units.step : 1.0;
  const uint64_t count = trm_framework_steps_until(solver->step, step, t_end, most);
  TRM_TRY(trm_framework_check_end(t_end));
  (void)sync_state;
  flow->shows = -1;
  TRM_TRY(advance_by(flow, count));
  if (flow->levels) TRM_TRY(lbm3d_levels_sync(flow));
  solver->step += count;
  solver->time = trm_framework_time_of(solver->step, step, t_end);
  lbm3d_place_fields(flow);
  *done = count;
  return TRM_OK;
}

/* Derived fields lie in the lattice that the next step overwrites. */
trm_status lbm3d_observe(trm_solver *solver)
{
  lbm3d_solver *flow = (lbm3d_solver *)solver;
  if (flow->levels) return lbm3d_levels_observe(flow);
  trm_buffer *const buffers[] = { flow->lattice[flow->current], flow->lattice[!flow->current],
                                  flow->marked };
  const trm_sharing shearing = { .halo = LBM3D_SHEARING };
  trm_buffer *const shear[] = { flow->lattice[!flow->current], flow->shear_sites,
                                flow->shear_parts, flow->parts[LBM3D_WALL_CELLS] };
  if (flow->is_moments) return lbm3d_moments_observe(flow);
  if (flow->is_stored) return TRM_OK; /* brought when they are read */
  TRM_TRY(launch(flow, OBSERVE, buffers, 3));
  TRM_TRY(launch(flow, VORTICITY, buffers + 1, 1));
  if (flow->shear.count == 0) return TRM_OK;
  return lbm3d_launch_list(flow, SHEAR, LBM3D_WALL_CELLS, shearing, shear, 4);
}
