/* steps.c - how a solver of the kit gets through a batch of steps.
 *
 * The launches of a step in their order, then the fields change places. The leaves of some steps
 * wait for one fold. Nothing is read and nothing waits; the state after every step is canonical. */
#include <config.h>

#include "solvers/framework/inside.h"

#include <math.h>
#include <string.h>

static trm_buffer *buffer_of(const trm_kit *kit, const kit_array *array)
{
  const struct trm_kit_inside *inside = kit->inside;
  if (array->is_leaves) return inside->parts[array->index];
  const int swaps = kit->plan->fields[array->index].swaps;
  return inside->cells[array->index][swaps ? inside->current ^ array->is_next : 0];
}

static trm_status launch_all(trm_kit *kit, const kit_launches *launches, size_t slot)
{
  struct trm_kit_inside *inside = kit->inside;
  const trm_extent cells = { kit->nx, kit->ny, kit->nz, 0 };
  const trm_index leaves = (trm_index)(slot * inside->leaves);
  if (inside->leaves_count > 0) memcpy(inside->packed + inside->leaves_at, &leaves, sizeof leaves);
  for (size_t i = 0; i < launches->count; i++) {
    const kit_launch *launch = &launches->list[i];
    trm_buffer *buffers[TRM_MAX_BUFFERS];
    for (size_t a = 0; a < launch->array_count; a++)
      buffers[a] = buffer_of(kit, &launch->arrays[a]);
    TRM_TRY(trm_kernel_launch(launch->kernel, &cells, inside->packed,
                              inside->params.bytes[kit->precision], buffers, launch->array_count));
  }
  return TRM_OK;
}

/* The leaves of `rows` steps, to element `at` of each series, which lie `stride` apart in `to`. */
static trm_status fold(void *user, size_t rows, trm_buffer *to, size_t stride, size_t at)
{
  trm_kit *kit = user;
  struct trm_kit_inside *inside = kit->inside;
  for (size_t i = 0; i < inside->series_count; i++) {
    trm_reduction *how = kit->plan->series[i].fold == TRM_KIT_LARGEST ? inside->largest
                                                                      : inside->sum;
    TRM_TRY(trm_reduction_run(how, inside->parts[inside->leaves_of[i]], 0, inside->leaves, rows, to,
                              i * stride + at));
  }
  return TRM_OK;
}

static trm_status launch_step(void *user, size_t slot)
{
  trm_kit *kit = user;
  TRM_TRY(launch_all(kit, &kit->inside->step, slot));
  kit->inside->current = !kit->inside->current;
  return TRM_OK;
}

void kit_begin_steps(trm_kit *kit)
{
  struct trm_kit_inside *inside = kit->inside;
  inside->folder = (trm_kit_folder){ .user = kit, .slots = inside->fold_after,
                                     .sums = inside->sums, .window = inside->window,
                                     .type = trm_real_type(kit->precision),
                                     .series = inside->series_count, .batch = KIT_BATCH,
                                     .step = launch_step, .fold = fold };
  inside->stepper = (trm_kit_stepper){ .device = kit->base.device, .user = &inside->folder,
                                       .current = &inside->current, .most = 2 * inside->fold_after,
                                       .launch = trm_kit_fold_steps,
                                       .after = trm_kit_keep_series };
}

trm_status trm_kit_advance(trm_solver *solver, uint64_t max_steps, double t_end, int sync_state,
                           uint64_t *done)
{
  trm_kit *kit = (trm_kit *)solver;
  const uint64_t most = max_steps < KIT_BATCH ? max_steps : KIT_BATCH;
  const uint64_t count = trm_kit_steps_until(solver->step, kit->dt, t_end, most);
  TRM_TRY(trm_kit_check_end(t_end));
  (void)sync_state;
  TRM_TRY(trm_kit_steps(&kit->inside->stepper, 0, count));
  solver->step += count;
  solver->time = trm_kit_time_of(solver->step, kit->dt, t_end);
  kit_place_fields(kit);
  *done = count;
  return TRM_OK;
}

/* The kept fields are in the buffers that are current after create, and nothing else outlasts a
 * step. */
trm_status trm_kit_restore(trm_solver *solver, uint64_t step, double time)
{
  solver->step = step;
  solver->time = time;
  return TRM_OK;
}

trm_status trm_kit_observe(trm_solver *solver)
{
  trm_kit *kit = (trm_kit *)solver;
  return launch_all(kit, &kit->inside->observe, 0);
}

trm_status trm_kit_finish(trm_solver *solver, const double *series_last)
{
  (void)series_last;
  ((trm_kit *)solver)->inside->results[0].value = solver->time;
  return TRM_OK;
}
