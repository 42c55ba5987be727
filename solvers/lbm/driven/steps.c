/* steps.c - how the driven box gets through a batch of steps.
 *
 * Steps run from the framework's recorded sequences. The partial sums of `slots` steps wait for one
 * fold; nothing is read and nothing waits. A batch with sync_state ends with a step that leaves the
 * next step's acceleration out. */
#include "solvers/lbm/driven/implementation.h"

static trm_status launch_step(void *user, size_t slot)
{
  lbm_solver *lbm = user;
  lbm_box *box = &lbm->box;
  lbm->p.accelerated_row = lbm->is_last ? -1 : box->ny - 2;
  lbm->p.part = (int)slot * lbm->leaves;
  TRM_TRY(LBM_LAUNCH(box, LBM_STEP, box->nx, box->ny, &lbm->p, box->lattice[box->current],
                     box->lattice[!box->current], box->walls, box->partial));
  box->current = !box->current;
  return TRM_OK;
}

static trm_status fold(void *user, size_t rows, trm_buffer *to, size_t stride, size_t at)
{
  const lbm_solver *lbm = user;
  (void)stride; /* of one series */
  return trm_reduction_run(lbm->box.fold, lbm->box.partial, 0, (size_t)lbm->leaves, rows, to, at);
}

void lbm_driven_begin(lbm_solver *lbm)
{
  lbm_box *box = &lbm->box;
  const int is_host = trm_device_describe(box->base.device)->is_host;
  const int is_small = box->slots >= LBM_GPU_FEW;
  lbm->folder = (trm_framework_folder){ .user = lbm, .slots = (size_t)box->slots, .sums = box->sums,
                                        .window = box->window, .type = box->real_type, .series = 1,
                                        .step = launch_step, .fold = fold };
  box->stepper = (trm_framework_stepper){ .device = box->base.device, .user = &lbm->folder,
                                          .current = &box->current,
                                          .most = is_host ? 2 * (uint64_t)box->slots
                                            : is_small ? LBM_GPU_SEQUENCE : LBM_GPU_SHORT,
                                          .fewest = is_small ? LBM_GPU_FEW : 8,
                                          .launch = trm_framework_fold_steps,
                                          .after = trm_framework_keep_series };
}

static trm_status start(lbm_solver *lbm)
{
  lbm_box *box = &lbm->box;
  if (lbm->accelerated) return TRM_OK;
  lbm->p.accelerated_row = box->ny - 2;
  lbm->accelerated = 1;
  trm_buffer *const buffers[] = { box->lattice[box->current], box->solid };
  return trm_framework_program_launch_row(&box->program, LBM_ACCELERATE, box->nx, box->ny - 2,
                                          &lbm->p, buffers, 2);
}

/* The kernel of lbm.k, which accelerates the step after its own. */
static trm_status run_best(lbm_solver *lbm, uint64_t count, int sync_state)
{
  const uint64_t fused = sync_state ? count - 1 : count; /* steps that accelerate their successor */
  TRM_TRY(start(lbm));
  TRM_TRY(trm_framework_steps(&lbm->box.stepper, 0, fused));
  if (!sync_state) return TRM_OK;
  lbm->is_last = 1;
  lbm->accelerated = 0;
  const trm_status status = trm_framework_fold_steps(&lbm->folder, 1, fused, 0);
  lbm->is_last = 0;
  return status;
}

trm_status lbm_driven_steps(lbm_box *box, uint64_t count, int sync_state)
{
  lbm_solver *lbm = (lbm_solver *)box;
  return lbm->implementation ? lbm_implementation_steps(lbm, count, sync_state)
                             : run_best(lbm, count, sync_state);
}
