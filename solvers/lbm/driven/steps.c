/* steps.c - how the lattice-Boltzmann solver gets through a batch of steps.
 *
 * Steps run from recorded sequences of 2 to 128 steps, longest first, and launch by launch where
 * none fits. The partial sums of `slots` steps wait for one fold; nothing is read and nothing
 * waits. A settled batch ends with a step that leaves the next step's acceleration out. */
#include "solvers/lbm/driven/rung.h"

static trm_status launch_step(lbm_solver *lbm, int slot, int accelerate)
{
  lbm_packed params;
  size_t bytes;
  lbm_pack(lbm, slot, accelerate, &params, &bytes);
  const trm_extent extent = { lbm->nx, lbm->ny, 1, 0 };
  trm_buffer *const buffers[] = { lbm->lattice[lbm->current], lbm->lattice[!lbm->current],
                                  lbm->walls, lbm->partial };
  TRM_TRY(trm_kernel_launch(lbm->step, &extent, &params, bytes, buffers, 4));
  lbm->current = !lbm->current;
  return TRM_OK;
}

/* Launches count steps and folds their sums into `to` from element `at` on. last_plain: the last
 * one leaves the acceleration of its successor out. */
static trm_status launch_steps(lbm_solver *lbm, uint64_t count, int last_plain, trm_buffer *to,
                               size_t at)
{
  uint64_t done = 0;
  while (done < count) {
    const uint64_t left = count - done;
    const int rows = left < (uint64_t)lbm->slots ? (int)left : lbm->slots;
    for (int slot = 0; slot < rows; slot++)
      TRM_TRY(launch_step(lbm, slot, !(last_plain && done + (uint64_t)slot + 1 == count)));
    TRM_TRY(trm_reduction_run(lbm->fold, lbm->partial, 0, (size_t)lbm->leaves, (size_t)rows, to,
                              at + done));
    done += (uint64_t)rows;
  }
  return TRM_OK;
}

static trm_status record(lbm_solver *lbm, uint64_t length, trm_sequence **out)
{
  TRM_TRY(trm_sequence_begin(lbm->base.device));
  const trm_status status = launch_steps(lbm, length, 0, lbm->window, 0);
  if (status != TRM_OK) {
    trm_sequence_cancel(lbm->base.device);
    return status;
  }
  return trm_sequence_end(lbm->base.device, out);
}

/* The longest recorded length that fits into `left` steps, as an index; -1 when none does. A
 * sequence starts from lattice 0. Where recording costs more than launching a few steps (a GPU's
 * graph: 5 us a node on an H200, against 1.5 us a step), only the two longest serve. */
static int longest(const lbm_solver *lbm, uint64_t left)
{
  const uint64_t most = 2 * (uint64_t)lbm->slots;
  const uint64_t fewest = trm_device_describe(lbm->base.device)->is_host ? 2 : most / 2;
  int i = LBM_SEQUENCES - 1;
  while (i >= 0 && (2ull << i > left || 2ull << i > most)) i--;
  return i >= 0 && 2ull << i >= fewest ? i : -1;
}

static trm_status start(lbm_solver *lbm)
{
  if (lbm->accelerated) return TRM_OK;
  lbm_packed params;
  size_t bytes;
  lbm_pack(lbm, 0, 1, &params, &bytes);
  const trm_extent row = { lbm->nx, 1, 1, 0 };
  trm_buffer *const buffers[] = { lbm->lattice[lbm->current], lbm->solid };
  TRM_TRY(trm_kernel_launch(lbm->accelerate, &row, &params, bytes, buffers, 2));
  lbm->accelerated = 1;
  return TRM_OK;
}

static trm_status replay(lbm_solver *lbm, int i, uint64_t at)
{
  const uint64_t length = 2ull << i;
  const size_t real_bytes = trm_type_size(trm_real_type(lbm->precision));
  if (!lbm->sequences[i]) TRM_TRY(record(lbm, length, &lbm->sequences[i]));
  TRM_TRY(trm_sequence_replay(lbm->sequences[i], 1));
  return trm_buffer_copy(lbm->sums, (size_t)at * real_bytes, lbm->window, 0,
                         (size_t)length * real_bytes);
}

/* The kernel of lbm.k, which accelerates the step after its own. */
static trm_status run_best(lbm_solver *lbm, uint64_t count, int settle)
{
  TRM_TRY(start(lbm));
  const uint64_t fused = settle ? count - 1 : count; /* steps that accelerate their successor */
  uint64_t at = 0;
  while (at < fused) {
    const int i = lbm->current == 0 ? longest(lbm, fused - at) : -1;
    if (i >= 0) {
      TRM_TRY(replay(lbm, i, at));
      at += 2ull << i;
    } else {
      TRM_TRY(launch_steps(lbm, 1, 0, lbm->sums, at++));
    }
  }
  if (settle) {
    TRM_TRY(launch_steps(lbm, 1, 1, lbm->sums, at));
    lbm->accelerated = 0;
  }
  return TRM_OK;
}

trm_status lbm_advance(trm_solver *solver, uint64_t max_steps, double t_end, int settle,
                       uint64_t *done)
{
  lbm_solver *lbm = (lbm_solver *)solver;
  uint64_t count = max_steps < LBM_BATCH_LIMIT ? max_steps : LBM_BATCH_LIMIT;
  const double left = t_end - solver->time;
  if (!(left > 0.0)) count = 0;
  else if (left < (double)count) count = (uint64_t)left + ((double)(uint64_t)left < left);
  if (count == 0) {
    *done = 0;
    return TRM_OK;
  }
  if (lbm->rung) TRM_TRY(lbm_rung_steps(lbm, count, settle));
  else TRM_TRY(run_best(lbm, count, settle));
  solver->step += count;
  solver->time += (double)count;
  lbm_place_fields(lbm);
  *done = count;
  return TRM_OK;
}
