/* lengths.c - steps that share a length (shallow.dt_every): Lax-Friedrichs with a length from the
 * largest known speed. A host can then make several steps in its caches, or a GPU in one launch,
 * before their speeds are folded.
 *
 * The rule: step n has the length of step n - 1, unless n is a multiple of p.every or a wave would
 * pass more than a cell in it. Then its length is p.cfl of the limit from the largest speed after
 * step n - 1. So the bits do not depend on how steps are launched.
 * The method: p.every steps are launched, each with a place of its own for its maxima, and then as
 * many clocks. A clock notes the step (SHALLOW_FAILED) if it finds another length than its next
 * step has. Then all later launches of the batch change nothing. When the host reads that, it goes
 * back to the batch's begin, makes the steps up to that step again, and continues from there step
 * by step.
 */
#include "solvers/shallow/shallow.h"

/* Steps, then their clocks. */
static trm_status launch_block(shallow_solver *swe, int steps)
{
  const size_t leaves = shallow_leaves(swe);
  for (int i = 0; i < steps; i++) {
    swe->p.part = (int)((size_t)i * leaves);
    TRM_TRY(SHALLOW_LAUNCH(swe, LF_LINE, swe->p.nx, swe->p.ny, swe->state[swe->current],
                           swe->state[!swe->current], swe->bed, swe->clock, swe->part));
    swe->current = !swe->current;
  }
  for (int i = 0; i < steps; i++) {
    swe->p.part = (int)((size_t)i * leaves);
    swe->p.ahead = steps - 1 - i;
    TRM_TRY(shallow_launch_clock(swe, leaves, 0));
  }
  swe->leaves = leaves;
  swe->last_part = (int)((size_t)(steps - 1) * leaves);
  return TRM_OK;
}

/* Blocks of the long recording, about SHALLOW_LONGEST steps: even, so that it ends in the buffer
 * that it began in. */
static int blocks_of_long(const shallow_solver *swe)
{
  const int pairs = SHALLOW_LONGEST / (2 * swe->p.every);
  return 2 * (pairs > 1 ? pairs : 1);
}

/* A long recording, or one of a single block: so no whole block goes step by step. */
static trm_status replay_blocks(shallow_solver *swe, int is_long)
{
  const int from = swe->current, blocks = is_long ? blocks_of_long(swe) : 1;
  trm_sequence **sequence = &swe->blocks[is_long][from];
  if (!*sequence) {
    trm_status status = trm_sequence_begin(swe->base.device);
    for (int i = 0; i < blocks && status == TRM_OK; i++) status = launch_block(swe, swe->p.every);
    if (status != TRM_OK) {
      trm_sequence_cancel(swe->base.device);
      return status;
    }
    TRM_TRY(trm_sequence_end(swe->base.device, sequence));
  }
  swe->current = blocks * swe->p.every % 2 ? !from : from;
  swe->leaves = shallow_leaves(swe);
  swe->last_part = (int)((size_t)(swe->p.every - 1) * swe->leaves);
  return trm_sequence_replay(*sequence, 1);
}

/* Steps from number `at` on, by blocks that end at multiples of p.every. */
static trm_status launch_steps(shallow_solver *swe, uint64_t at, uint64_t count)
{
  const uint64_t every = (uint64_t)swe->p.every, end = at + count;
  const uint64_t longest = every * (uint64_t)blocks_of_long(swe);
  while (at < end) {
    const uint64_t rest = every - at % every, block = rest < end - at ? rest : end - at;
    const int is_long = block == every && end - at >= longest;
    TRM_TRY(block == every ? replay_blocks(swe, is_long) : launch_block(swe, (int)block));
    at += is_long ? longest : block;
  }
  return TRM_OK;
}

/* Copies between the batch's buffers and the buffers that keep its begin. */
static trm_status copy_all(shallow_solver *swe, int is_back)
{
  trm_buffer *const now[] = { swe->state[swe->begin_current], swe->clock, swe->tally };
  trm_buffer *const kept[] = { swe->begin_state, swe->begin_clock, swe->begin_counters };
  for (int i = 0; i < 3; i++)
    TRM_TRY(trm_buffer_copy(is_back ? now[i] : kept[i], 0, is_back ? kept[i] : now[i], 0,
                            trm_buffer_bytes(now[i])));
  return TRM_OK;
}

trm_status shallow_advance_blocks(shallow_solver *swe, uint64_t count)
{
  swe->begin_current = swe->current;
  TRM_TRY(copy_all(swe, 0));
  return launch_steps(swe, swe->base.step, count);
}

trm_status shallow_mend_blocks(shallow_solver *swe, uint64_t launched)
{
  int32_t failed = 0;
  TRM_TRY(trm_buffer_read(swe->tally, SHALLOW_FAILED * sizeof failed, sizeof failed, &failed));
  if (failed == 0) return TRM_OK;
  if (failed < 0 || (uint64_t)failed > launched)
    return TRM_FAIL(DEVICE, "the device wants %d steps again where %llu were launched", (int)failed,
                    (unsigned long long)launched);
  swe->current = swe->begin_current;
  TRM_TRY(copy_all(swe, 1));
  TRM_TRY(launch_steps(swe, swe->base.step, (uint64_t)failed));
  for (uint64_t i = (uint64_t)failed; i < launched; i++) TRM_TRY(launch_block(swe, 1));
  shallow_place_fields(swe);
  return TRM_OK;
}
