/* steps.c - how a solver of the framework gets through a batch of steps.
 *
 * The launches of a step in their order, then the fields change places. The leaves of some steps
 * wait for one fold. Nothing is read and nothing waits; the state after every step is canonical. */
#include <config.h>

#include "solvers/framework/internal.h"

#include <math.h>
#include <string.h>

static trm_buffer *buffer_of(const trm_grid_solver *grid, const grid_array *array)
{
  const struct trm_framework_internal *internal = grid->internal;
  if (array->is_leaves) return internal->parts[array->index];
  const int swaps = grid->declaration->fields[array->index].swaps;
  return internal->cells[array->index][swaps ? internal->current ^ array->is_next : 0];
}

static trm_status launch_all(trm_grid_solver *grid, const grid_launches *launches, size_t slot)
{
  struct trm_framework_internal *internal = grid->internal;
  const int group = trm_program_describe(internal->program)->group;
  const trm_index leaves = (trm_index)(slot * internal->leaves);
  if (internal->leaves_count > 0) memcpy(internal->packed + internal->leaves_at, &leaves,
                                         sizeof leaves);
  for (size_t i = 0; i < launches->count; i++) {
    const grid_launch *launch = &launches->list[i];
    trm_buffer *buffers[TRM_MAX_BUFFERS];
    for (size_t a = 0; a < launch->array_count; a++)
      buffers[a] = buffer_of(grid, &launch->arrays[a]);
    const trm_extent extent = { launch->is_group ? grid->nx / group : grid->nx, grid->ny, grid->nz,
                                0 };
    TRM_TRY(trm_kernel_launch(launch->kernel, &extent, internal->packed,
                              internal->params.bytes[grid->precision], buffers,
                              launch->array_count));
  }
  return TRM_OK;
}

/* The leaves of `rows` steps, to element `at` of each series, which lie `stride` apart in `to`. */
static trm_status fold(void *user, size_t rows, trm_buffer *to, size_t stride, size_t at)
{
  trm_grid_solver *grid = user;
  struct trm_framework_internal *internal = grid->internal;
  for (size_t i = 0; i < internal->series_count; i++) {
    trm_reduction *how = grid->declaration->series[i].fold == TRM_FRAMEWORK_LARGEST ?
        internal->largest
                                                                      : internal->sum;
    TRM_TRY(trm_reduction_run(how, internal->parts[internal->leaves_of[i]], 0, internal->leaves,
                              rows, to, i * stride + at));
  }
  return TRM_OK;
}

static trm_status launch_step(void *user, size_t slot)
{
  trm_grid_solver *grid = user;
  TRM_TRY(launch_all(grid, &grid->internal->step, slot));
  grid->internal->current = !grid->internal->current;
  return TRM_OK;
}

void grid_begin_steps(trm_grid_solver *grid)
{
  struct trm_framework_internal *internal = grid->internal;
  internal->folder = (trm_framework_folder){ .user = grid, .slots = internal->fold_after,
                                             .sums = internal->sums, .window = internal->window,
                                             .type = trm_real_type(grid->precision),
                                             .series = internal->series_count, .batch = GRID_BATCH,
                                             .step = launch_step, .fold = fold };
  internal->stepper = (trm_framework_stepper){ .device = grid->base.device,
                                               .user = &internal->folder,
                                               .current = &internal->current,
                                               .most = 2 * internal->fold_after,
                                               .launch = trm_framework_fold_steps,
                                               .after = trm_framework_keep_series };
}

trm_status trm_framework_advance(trm_solver *solver, uint64_t max_steps, double t_end,
                                 int sync_state, uint64_t *done)
{
  trm_grid_solver *grid = (trm_grid_solver *)solver;
  const uint64_t most = max_steps < GRID_BATCH ? max_steps : GRID_BATCH;
  const uint64_t count = trm_framework_steps_until(solver->step, grid->dt, t_end, most);
  TRM_TRY(trm_framework_check_end(t_end));
  (void)sync_state;
  TRM_TRY(trm_framework_steps(&grid->internal->stepper, 0, count));
  solver->step += count;
  solver->time = trm_framework_time_of(solver->step, grid->dt, t_end);
  grid_place_fields(grid);
  *done = count;
  return TRM_OK;
}

/* The kept fields are in the buffers that are current after create, and nothing else outlasts a
 * step. */
trm_status trm_framework_restore(trm_solver *solver, uint64_t step, double time)
{
  solver->step = step;
  solver->time = time;
  return TRM_OK;
}

trm_status trm_framework_observe(trm_solver *solver)
{
  trm_grid_solver *grid = (trm_grid_solver *)solver;
  return launch_all(grid, &grid->internal->observe, 0);
}

trm_status trm_framework_finish(trm_solver *solver, const double *series_last)
{
  (void)series_last;
  ((trm_grid_solver *)solver)->internal->results[0].value = solver->time;
  return TRM_OK;
}
