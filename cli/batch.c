/* batch.c - the size of the next batch.
 *
 * Solvers record some steps (64 for lbm) and replay them; a batch that ends on a multiple of that
 * number has no rest to launch step by step. A first batch of one step measures the speed and tells
 * the time from start to first step. */
#include "cli/batch.h"

static const double batch_seconds = 0.1, patience_seconds = 5.0;
enum { RECORDED_STEPS = 64 };

static uint64_t automatic_end(const batch_plan *plan, uint64_t step)
{
  if (step == 0 || plan->seconds_per_step <= 0) return step + 1;
  const double steps = batch_seconds / plan->seconds_per_step;
  uint64_t count = steps >= 1e9 ? 1000000000u : steps < 1 ? 1 : (uint64_t)steps;
  /* A whole recording is worth a longer wait: a host runs it as one wavefront. */
  if (count < RECORDED_STEPS && RECORDED_STEPS * plan->seconds_per_step < patience_seconds)
    count = RECORDED_STEPS;
  if (count > plan->limit) count = plan->limit;
  if (count < RECORDED_STEPS) return step + count;
  const uint64_t end = step + count - (step + count) % RECORDED_STEPS;
  return end > step ? end : step + count;
}

uint64_t batch_next(const batch_plan *plan, uint64_t step)
{
  uint64_t end = plan->fixed ? step + plan->fixed : automatic_end(plan, step);
  if (plan->limit && end > step + plan->limit) end = step + plan->limit;
  if (plan->every && end > (step / plan->every + 1) * plan->every)
    end = (step / plan->every + 1) * plan->every;
  if (end > plan->steps) end = plan->steps;
  return end - step;
}
