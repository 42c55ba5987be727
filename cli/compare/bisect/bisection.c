/* bisection.c - the search for the step: runs repeated with hashes at checkpoints that close in. */
#include "cli/compare/bisect/bisection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/candidate.h"
#include "cli/process.h"
#include "run/session.h"

enum { CHECKPOINTS = 32 };

/* ---- one run with hashes -------------------------------------------------------- */

/* The state at a step, and every value of the series up to there. */
typedef struct checkpoint {
  uint64_t step;
  char state[33];
  XXH128_hash_t series;
} checkpoint;

static trm_status hash_series(void *user, session *run, uint64_t made)
{
  for (size_t i = 0; i < run->solver->series_count && made > 0; i++) {
    const trm_series *series = &run->solver->series[i];
    const size_t size = trm_type_size(series->type), bytes = (size_t)made * size;
    void *values = malloc(bytes);
    if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a series of %zu bytes", bytes);
    const trm_status status = trm_buffer_read(series->buffer, series->first * size, bytes, values);
    if (status == TRM_OK) XXH3_128bits_update(user, values, bytes);
    free(values);
    TRM_TRY(status);
  }
  return TRM_OK;
}

/* user: the hash, or NULL where the series are not looked at. */
static trm_status made_steps(void *user, session *run, uint64_t done)
{
  if (atomic_load(&process_interrupted))
    return TRM_FAIL(INTERRUPTED, "stopped %s before the first difference was found",
                    process_cause());
  return user ? hash_series(user, run, done) : TRM_OK;
}

static trm_status advance_to(session *run, uint64_t step, XXH3_state_t *hash)
{
  return session_walk(run, step, run->chosen->settings.end_time, made_steps, hash);
}

static trm_status take_checkpoint(session *run, XXH3_state_t *hash, checkpoint *out)
{
  out->step = run->steps_done;
  out->series = XXH3_128bits_digest(hash);
  return trm_solver_fingerprint(run->solver, out->state);
}

static int is_same(const checkpoint *a, const checkpoint *b)
{
  return a->step == b->step && strcmp(a->state, b->state) == 0 &&
         XXH128_isEqual(a->series, b->series);
}

/* From `first` on, after each `stride` steps up to `last`. Stops at the first that differs from
 * `other`, where that is given. *count is how many were taken. */
typedef struct checkpoint_plan { uint64_t first, stride, last; } checkpoint_plan;

static trm_status take_all(session *run, const checkpoint_plan *plan, const checkpoint *other,
                           checkpoint *out, size_t *count)
{
  XXH3_state_t *hash = XXH3_createState();
  if (!hash) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a hash");
  XXH3_128bits_reset(hash);
  trm_status status = advance_to(run, plan->first, NULL);
  uint64_t step = plan->first;
  for (*count = 0; status == TRM_OK;) {
    status = take_checkpoint(run, hash, &out[*count]);
    if (status != TRM_OK) break;
    const int parts = other && !is_same(&out[*count], &other[*count]);
    *count += 1;
    if (parts || step >= plan->last) break;
    step = plan->last - step < plan->stride ? plan->last : step + plan->stride;
    status = advance_to(run, step, hash);
  }
  XXH3_freeState(hash);
  return status;
}

static trm_status run_with_checkpoints(const bisection_side *side, const checkpoint_plan *plan,
                                       const checkpoint *other, checkpoint *out, size_t *count)
{
  session run;
  trm_status status = candidate_begin(&run, side->chosen, side->device, NULL);
  if (status == TRM_OK) status = take_all(&run, plan, other, out, count);
  session_end(&run);
  return status;
}

/* ---- the search ------------------------------------------------------------------ */

/* The first checkpoint of the plan that differs, in *at; *count where none does. */
static trm_status compare_checkpoints(const bisection *b, const checkpoint_plan *plan, size_t *at,
                                      size_t *count)
{
  checkpoint one[CHECKPOINTS + 2], two[CHECKPOINTS + 2];
  size_t mine = 0, others = 0;
  TRM_TRY(run_with_checkpoints(&b->side[0], plan, NULL, one, &mine));
  TRM_TRY(run_with_checkpoints(&b->side[1], plan, one, two, &others));
  *count = mine;
  *at = others < mine || !is_same(&one[others - 1], &two[others - 1]) ? others - 1 : mine;
  return TRM_OK;
}

static trm_status examine(bisection *b, bisection_stage stage, uint64_t step)
{
  b->stage = stage;
  b->step = step;
  return bisection_examine(b);
}

/* The states agree after step `low` and differ after step `high`. */
static trm_status close_in(bisection *b, uint64_t low, uint64_t high)
{
  while (high - low > 1) {
    const uint64_t stride = (high - low + CHECKPOINTS - 1) / CHECKPOINTS;
    const checkpoint_plan plan = {low, stride, high};
    size_t at, count;
    TRM_TRY(compare_checkpoints(b, &plan, &at, &count));
    if (at == 0 || at == count) { /* not so in this division into batches */
      b->outcome = BISECTION_ALONE;
      b->stage = BISECTION_STEP;
      b->step = high;
      return TRM_OK;
    }
    high = low + at * stride < high ? low + at * stride : high;
    low += (at - 1) * stride;
  }
  return examine(b, BISECTION_STEP, high);
}

trm_status bisection_run(const bisection_side *a, const bisection_side *b, uint64_t steps,
                         bisection *out)
{
  *out = (bisection){.side = {*a, *b}, .steps = steps};
  const checkpoint_plan plan = {0, (steps + CHECKPOINTS - 1) / CHECKPOINTS, steps};
  size_t at, count;
  TRM_TRY(compare_checkpoints(out, &plan, &at, &count));
  if (at == 0) return examine(out, BISECTION_CREATE, 0);
  if (at == count) return examine(out, BISECTION_OBSERVE, steps);
  const uint64_t high = at * plan.stride < steps ? at * plan.stride : steps;
  return close_in(out, (at - 1) * plan.stride, high);
}

/* ---- for the stages --------------------------------------------------------------- */

/* The fields' layouts are known only when the solver stands: to look at its making, it is made
 * twice. */
static trm_status learn_fields(const bisection_side *side, trail *t)
{
  session run;
  trm_status status = candidate_begin(&run, side->chosen, side->device, NULL);
  if (status == TRM_OK) status = trail_learn(t, run.solver);
  session_end(&run);
  trail_start_over(t);
  return status;
}

static trm_status carry_out(session *run, bisection_stage stage, uint64_t step, trail *t)
{
  TRM_TRY(advance_to(run, stage == BISECTION_STEP ? step - 1 : step, NULL));
  TRM_TRY(trail_learn(t, run->solver));
  trail_enable(t);
  return stage == BISECTION_STEP ? advance_to(run, step, NULL)
                                 : run->chosen->type->observe(run->solver);
}

trm_status bisection_walk(const bisection_side *side, bisection_stage stage, uint64_t step,
                          trail *t)
{
  session run = {0};
  if (stage == BISECTION_CREATE) {
    TRM_TRY(learn_fields(side, t));
    trail_enable(t);
  }
  trm_status status = candidate_begin(&run, side->chosen, side->device, NULL);
  if (status == TRM_OK && stage != BISECTION_CREATE) status = carry_out(&run, stage, step, t);
  if (status == TRM_OK) status = trail_leave(t, run.solver);
  session_end(&run);
  return status;
}
