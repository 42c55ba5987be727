/* batch.c - the size of the next batch.
 *
 * Solvers record powers of two of steps (up to 128 for lbm) and replay them. After a batch that
 * ends on a multiple of such a number, few steps are left to launch one by one. A first batch of
 * one step measures the speed and tells the time from start to first step. */
#include "run/batch.h"

#include <math.h>

static const double batch_seconds = 0.1, longest_seconds = 1;
enum { RECORDED_STEPS = 64 };

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Whether a batch of so many steps is worth waiting for. A host runs a recording as wavefronts: one
 * that is longer than any of them is no faster, and the run would hear a signal later. */
static int is_worth(const batch_plan *plan, uint64_t count)
{
  const double seconds = (double)count * plan->seconds_per_step;
  const int may_be_faster = plan->fused == 0 ||
                            (plan->fused > 1 && count <= 2 * (uint64_t)plan->fused);
  return seconds < (may_be_faster ? plan->patience : fmin(plan->patience, longest_seconds));
}

static uint64_t automatic_end(const batch_plan *plan, uint64_t step)
{
  if (step == 0 || plan->seconds_per_step <= 0) return step + 1;
  const double steps = batch_seconds / plan->seconds_per_step;
  uint64_t count = steps >= 1e9 ? 1000000000u : steps < 1 ? 1 : (uint64_t)steps;
  while (count < RECORDED_STEPS && is_worth(plan, least(2 * count, RECORDED_STEPS)))
    count = least(2 * count, RECORDED_STEPS);
  if (count > RECORDED_STEPS && count < 2 * RECORDED_STEPS) count = RECORDED_STEPS;
  if (plan->most && count > plan->most) count = plan->most;
  if (count > plan->limit) count = plan->limit;
  uint64_t unit = RECORDED_STEPS;
  while (unit > count) unit /= 2;
  const uint64_t end = step + count - (step + count) % unit;
  return end > step ? end : step + count;
}

/* `end`, or the next multiple where that comes first. */
static uint64_t until_multiple(uint64_t end, uint64_t step, uint64_t every)
{
  if (!every) return end;
  const uint64_t next = (step / every + 1) * every;
  return end < next ? end : next;
}

uint64_t batch_next(const batch_plan *plan, uint64_t step)
{
  uint64_t end = plan->fixed ? step + plan->fixed : automatic_end(plan, step);
  if (plan->limit && end > step + plan->limit) end = step + plan->limit;
  end = until_multiple(until_multiple(end, step, plan->every), step, plan->frames);
  if (end > plan->steps) end = plan->steps;
  return end - step;
}
