/* stepper.c - chooses the next recorded sequence, and plain launches if none fits. */
#include <config.h>

#include "solvers/framework/stepper.h"

#include <math.h>

static trm_status record(trm_framework_stepper *stepper, uint64_t length, trm_sequence **out)
{
  TRM_TRY(trm_sequence_begin(stepper->device));
  const trm_status status = stepper->launch(stepper->user, length, 0, 1);
  if (status != TRM_OK) {
    trm_sequence_cancel(stepper->device);
    return status;
  }
  return trm_sequence_end(stepper->device, out);
}

static uint64_t length_of(const trm_framework_stepper *stepper, int i)
{
  const uint64_t length = 2ull << i;
  return length < stepper->most ? length : stepper->most;
}

/* The longest sequence that fits into `left` steps, as an index; -1: none fits. A GPU uses only the
 * longest sequence, since recording costs more than launching a few steps: a node of a graph takes
 * 5 us on an H200, a step of a small grid 1.5 us. */
static int longest(const trm_framework_stepper *stepper, uint64_t left)
{
  const uint64_t most = stepper->most;
  const uint64_t fewest = trm_device_describe(stepper->device)->is_host ? 2
                          : stepper->fewest ? stepper->fewest : most / 2;
  int i = TRM_FRAMEWORK_SEQUENCES - 1;
  while (i >= 0 && (length_of(stepper, i) > left || 2ull << i >= 2 * most)) i--;
  return i >= 0 && length_of(stepper, i) >= fewest ? i : -1;
}

static trm_status replay(trm_framework_stepper *stepper, int i)
{
  if (!stepper->sequences[i])
    TRM_TRY(record(stepper, length_of(stepper, i), &stepper->sequences[i]));
  return trm_sequence_replay(stepper->sequences[i], 1);
}

/* Steps to launch singly, where no sequence fits: one if the state lies in the second buffer, as
 * sequences begin in the first; else all that are left. */
static uint64_t singly(const trm_framework_stepper *stepper, int is_home, uint64_t left)
{
  if (!is_home) return 1;
  return left < stepper->most ? left : stepper->most;
}

trm_status trm_framework_steps(trm_framework_stepper *stepper, uint64_t at, uint64_t count)
{
  for (const uint64_t end = at + count; at < end;) {
    const int is_home = !stepper->current || *stepper->current == 0;
    const int i = is_home ? longest(stepper, end - at) : -1;
    const uint64_t length = i >= 0 ? length_of(stepper, i) : singly(stepper, is_home, end - at);
    TRM_TRY(i >= 0 ? replay(stepper, i) : stepper->launch(stepper->user, length, at, 0));
    if (stepper->after) TRM_TRY(stepper->after(stepper->user, length, at, i >= 0));
    at += length;
  }
  return TRM_OK;
}

void trm_framework_stepper_clear(trm_framework_stepper *stepper)
{
  for (int i = 0; i < TRM_FRAMEWORK_SEQUENCES; i++) trm_sequence_destroy(&stepper->sequences[i]);
}

trm_status trm_framework_fold_steps(void *folder, uint64_t count, uint64_t at, int is_recorded)
{
  const trm_framework_folder *f = folder;
  trm_buffer *const to = is_recorded ? f->window : f->sums;
  const size_t stride = is_recorded ? TRM_FRAMEWORK_LONGEST : f->batch;
  for (uint64_t done = 0; done < count;) {
    const uint64_t left = count - done;
    const size_t steps = left < f->slots ? (size_t)left : f->slots;
    for (size_t slot = 0; slot < steps; slot++) TRM_TRY(f->step(f->user, slot));
    TRM_TRY(f->fold(f->user, steps, to, stride, (size_t)(at + done)));
    done += steps;
  }
  return TRM_OK;
}

trm_status trm_framework_keep_series(void *folder, uint64_t count, uint64_t at, int is_recorded)
{
  const trm_framework_folder *f = folder;
  const size_t size = trm_type_size(f->type);
  for (size_t i = 0; i < f->series && is_recorded; i++)
    TRM_TRY(trm_buffer_copy(f->sums, (i * f->batch + (size_t)at) * size, f->window,
                            i * TRM_FRAMEWORK_LONGEST * size, (size_t)count * size));
  return TRM_OK;
}

uint64_t trm_framework_whole(const trm_device *device, uint64_t steps)
{
  const uint64_t launches = steps < 15 ? 3 : steps < 30 ? 15 : 30; /* even, as in a sequence */
  if (trm_device_describe(device)->is_host || steps < launches) return steps;
  return steps - steps % launches;
}

trm_status trm_framework_check_end(double t_end)
{
  if (!isnan(t_end)) return TRM_OK;
  return TRM_FAIL(INVALID, "the time at which an advance is to end is not a number; give a time, "
                  "or INFINITY for no end");
}

uint64_t trm_framework_step_count(double left, uint64_t most)
{
  if (!(left > 0.0)) return 0;
  if (!(left < (double)most)) return most;
  const uint64_t whole = (uint64_t)left;
  return whole + ((double)whole < left);
}

/* The rounding error allowed in t_end / dt. It is relative: within an absolute one, a time far
 * shorter than a step would count as the end of step 0. */
static double slack(double steps) { return 1e-13 * fabs(steps); }

uint64_t trm_framework_steps_until(uint64_t step, double dt, double t_end, uint64_t most)
{
  const double end = t_end / dt;
  if (!isfinite(end)) return trm_framework_step_count(end, most);
  return trm_framework_step_count(end - (double)step - slack(end), most);
}

double trm_framework_time_of(uint64_t step, double dt, double t_end)
{
  const double time = (double)step * dt, end = t_end / dt;
  return isfinite(end) && fabs(end - (double)step) <= slack(end) ? t_end : time;
}

/* The length of a step may change. So an eighth of many steps is left to the next advance, which
 * knows the length better. */
uint64_t trm_framework_steps_ahead(double left, double dt, uint64_t most)
{
  enum { FEW = 8 };
  if (!isfinite(left)) return most;
  const double steps = dt > 0.0 ? left / dt + 1e-6 : 1.0;
  const double sure = fmax(floor(steps < FEW ? steps : steps * (FEW - 1) / FEW), 1.0);
  return sure < (double)most ? (uint64_t)sure : most;
}
