/* steps.c - how the driven box gets through a batch of steps.
 *
 * Steps run from the kit's recorded sequences. The partial sums of `slots` steps wait for one fold;
 * nothing is read and nothing waits. A settled batch ends with a step that leaves the next step's
 * acceleration out. */
#include "solvers/lbm/driven/rung.h"

static trm_status launch_step(lbm_solver *lbm, int slot)
{
  lbm_box *box = &lbm->box;
  lbm->p.accelerated_row = lbm->is_last ? -1 : box->ny - 2;
  lbm->p.part = slot * lbm->leaves;
  TRM_TRY(LBM_LAUNCH(box, LBM_STEP, box->nx, box->ny, &lbm->p, box->lattice[box->current],
                     box->lattice[!box->current], box->walls, box->partial));
  box->current = !box->current;
  return TRM_OK;
}

/* Launches count steps and folds their sums, to the series or, recorded, to the window. */
static trm_status launch_steps(void *user, uint64_t count, uint64_t at, int is_recorded)
{
  lbm_solver *lbm = user;
  lbm_box *box = &lbm->box;
  for (uint64_t done = 0; done < count;) {
    const uint64_t left = count - done;
    const int rows = left < (uint64_t)box->slots ? (int)left : box->slots;
    for (int slot = 0; slot < rows; slot++) TRM_TRY(launch_step(lbm, slot));
    TRM_TRY(trm_reduction_run(box->fold, box->partial, 0, (size_t)lbm->leaves, (size_t)rows,
                              is_recorded ? box->window : box->sums, (size_t)(at + done)));
    done += (uint64_t)rows;
  }
  return TRM_OK;
}

static trm_status keep_sums(void *user, uint64_t count, uint64_t at, int is_recorded)
{
  const lbm_box *box = user;
  const size_t size = trm_type_size(box->real_type);
  if (!is_recorded) return TRM_OK;
  return trm_buffer_copy(box->sums, (size_t)at * size, box->window, 0, (size_t)count * size);
}

void lbm_driven_begin(lbm_solver *lbm)
{
  lbm_box *box = &lbm->box;
  const int is_host = trm_device_describe(box->base.device)->is_host;
  box->stepper = (trm_kit_stepper){ .device = box->base.device, .user = lbm,
                                    .current = &box->current,
                                    .most = 2 * (uint64_t)(is_host ? box->slots : LBM_GPU_SLOTS),
                                    .fewest = box->slots < LBM_GPU_SLOTS ? 8 : 0,
                                    .launch = launch_steps, .after = keep_sums };
}

static trm_status start(lbm_solver *lbm)
{
  lbm_box *box = &lbm->box;
  if (lbm->accelerated) return TRM_OK;
  lbm->p.accelerated_row = box->ny - 2;
  lbm->accelerated = 1;
  trm_buffer *const buffers[] = { box->lattice[box->current], box->solid };
  return trm_kit_program_launch_row(&box->program, LBM_ACCELERATE, box->nx, box->ny - 2, &lbm->p,
                                    buffers, 2);
}

/* The kernel of lbm.k, which accelerates the step after its own. */
static trm_status run_best(lbm_solver *lbm, uint64_t count, int settle)
{
  const uint64_t fused = settle ? count - 1 : count; /* steps that accelerate their successor */
  TRM_TRY(start(lbm));
  TRM_TRY(trm_kit_steps(&lbm->box.stepper, 0, fused));
  if (!settle) return TRM_OK;
  lbm->is_last = 1;
  lbm->accelerated = 0;
  const trm_status status = launch_steps(lbm, 1, fused, 0);
  lbm->is_last = 0;
  return status;
}

trm_status lbm_driven_steps(lbm_box *box, uint64_t count, int settle)
{
  lbm_solver *lbm = (lbm_solver *)box;
  return lbm->rung ? lbm_rung_steps(lbm, count, settle) : run_best(lbm, count, settle);
}
