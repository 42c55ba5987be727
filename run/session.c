/* session.c - the time loop in batches, with its clocks. */
#include "run/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/measure/clock.h"
#include "run/divergence.h"
#include "run/parts.h"
#include "core/trace.h"

/* ---- series ---------------------------------------------------------------- */

static trm_status series_reserve(session *run, size_t steps)
{
  if (steps <= run->series_capacity) return TRM_OK;
  size_t bytes, capacity = run->series_capacity ? run->series_capacity : 4096;
  while (capacity < steps) TRM_TRY(trm_size_mul(capacity, 2, "the steps of a run", &capacity));
  TRM_TRY(trm_size_mul(capacity, sizeof(double), "the series of a run", &bytes));
  for (size_t i = 0; i < run->series_count; i++) {
    double *grown = realloc(run->series[i], bytes);
    if (!grown)
      return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu values of the series '%s'", capacity,
                      run->solver->series[i].name);
    run->series[i] = grown;
  }
  run->series_capacity = capacity;
  return TRM_OK;
}

/* Appends the batch's values, as the device has them, to series i; *bad is the first step whose
 * value is not finite. */
static void series_append(session *run, size_t i, size_t count, const void *from, uint64_t *bad)
{
  const trm_series *series = &run->solver->series[i];
  double *values = run->series[i] + run->steps_done;
  for (size_t k = 0; k < count; k++) {
    const double raw = series->type == TRM_TYPE_F64 ? ((const double *)from)[k]
                                                    : (double)((const float *)from)[k];
    /* The quotient is rounded in the series' own precision, as the solver itself would. */
    values[k] = series->type == TRM_TYPE_F64 ? raw / series->divisor
                                             : (double)((float)raw / (float)series->divisor);
    values[k] += series->offset;
    if (!isfinite(values[k]) && run->steps_done + k + 1 < *bad) *bad = run->steps_done + k + 1;
  }
}

/* Elements from the first of series i to the last of series `last`, if one read serves them: these
 * series share its buffer and lie closely behind it. For a device, a second read costs more than a
 * few extra numbers. 0 if not. */
static size_t series_span(const session *run, size_t i, size_t last, size_t count)
{
  enum { CLOSE = 512 };
  const trm_series *from = &run->solver->series[i], *to = &run->solver->series[last];
  if (from == to) return count;
  if (to->buffer != from->buffer || to->type != from->type || to->first < from->first) return 0;
  const size_t span = to->first - from->first + count;
  return span <= CLOSE ? span : 0;
}

/* Series i and those after it that lie close to it; returns the next one's number in *next. */
static trm_status series_collect(session *run, size_t i, size_t count, uint64_t *bad, size_t *next)
{
  const trm_series *series = &run->solver->series[i];
  const size_t bytes = trm_type_size(series->type);
  size_t span = count, end = i + 1;
  for (; end < run->series_count; end++) {
    const size_t wider = series_span(run, i, end, count);
    if (wider == 0) break;
    span = wider > span ? wider : span;
  }
  char *scratch = malloc(span * bytes);
  if (!scratch) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a batch of %zu steps", count);
  const trm_status status = trm_buffer_read(series->buffer, series->first * bytes, span * bytes,
                                            scratch);
  for (size_t k = i; k < end && status == TRM_OK; k++)
    series_append(run, k, count, scratch + (series[k - i].first - series->first) * bytes, bad);
  free(scratch);
  *next = end;
  return status;
}

static trm_status collect(session *run, uint64_t done)
{
  const double begin = clock_now();
  const size_t count = (size_t)done;
  uint64_t bad = UINT64_MAX;
  if (run->series_count > 0 && count > 0) {
    TRM_TRY(series_reserve(run, (size_t)run->steps_done + count));
    for (size_t i = 0; i < run->series_count;) TRM_TRY(series_collect(run, i, count, &bad, &i));
  }
  run->times.transfers += clock_now() - begin;
  run->steps_done += done;
  return bad == UINT64_MAX ? TRM_OK : divergence_locate(run, bad);
}

/* ---- the loop -------------------------------------------------------------- */

typedef struct loop_clock { trm_event *begin, *end; } loop_clock;

/* Where the coming batch ends at the latest. */
static double stop_time(const session *run)
{
  if (!(run->hooks.every_time > 0)) return run->goal.time;
  return fmin(run->goal.time, (run->outputs + 1) * run->hooks.every_time);
}

static int is_interrupted(const session *run)
{
  return run->hooks.interrupted && atomic_load(run->hooks.interrupted);
}

static int is_to_stop(const session *run)
{
  return is_interrupted(run) || (run->hooks.until > 0 && clock_now() >= run->hooks.until);
}

static void add_counters(trm_counters *sum, const trm_counters *before, const trm_counters *after)
{
  sum->launches += after->launches - before->launches;
  sum->copies += after->copies - before->copies;
  sum->fills += after->fills - before->fills;
  sum->replayed += after->replayed - before->replayed;
  sum->writes += after->writes - before->writes;
  sum->reads += after->reads - before->reads;
  sum->copied_bytes += after->copied_bytes - before->copied_bytes;
  sum->written_bytes += after->written_bytes - before->written_bytes;
  sum->read_bytes += after->read_bytes - before->read_bytes;
}

static const double most_steps = 9e15;  /* TRM_STEPS_UNTIL_END, the largest run.steps */

/* Enqueues the steps, before the eyes of a profile. */
static trm_status advance(session *run, uint64_t want, int sync_state, uint64_t *launched)
{
  const int is_known = !isfinite(run->goal.time) && (double)run->goal.step < most_steps;
  profile_trace(run->profile, run->steps_done == run->begun,
                is_known ? run->plan.seconds_per_step * (double)run->plan.steps : 0);
  const trm_status status =
    run->chosen->type->advance(run->solver, want, stop_time(run), sync_state, launched);
  profile_rest(run->profile);
  return status;
}

/* The first batch counts only while there is no other, and so does one with steps beyond the end:
 * these take time and are not counted. */
static void add_steady(session *run, uint64_t launched, uint64_t done, double loop, double kernels,
                       const trm_counters *before)
{
  const int is_first = run->steps_done == run->begun + done;
  if (done < launched && run->steady_steps > 0 && !run->steady_is_first) return;
  if (is_first || run->steady_is_first) {
    run->times.steady = run->times.steady_kernels = 0;
    run->steady_steps = 0;
    run->counters = (trm_counters){0};
  }
  run->steady_is_first = is_first;
  run->times.steady += loop;
  run->times.steady_kernels += kernels;
  run->steady_steps += done;
  const trm_counters after = trm_device_counters(run->device);
  add_counters(&run->counters, before, &after);
}

/* The number for the kernel with the most steps at once; 0: none was recorded yet. */
static int most_fused(const trm_device *device)
{
  const trmi_fused_launches *list;
  const size_t count = trmi_device_fused(device, &list);
  int most = 0;
  for (size_t i = 0; i < count; i++)
    if (list[i].launches > most) most = list[i].launches;
  return most;
}

static trm_status record_stop(session *run, uint64_t step, double time)
{
  if (run->stop_count == run->stop_room) {
    const size_t room = run->stop_room ? 2 * run->stop_room : 64;
    session_stop *grown = realloc(run->stops, room * sizeof *grown);
    if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu times of outputs", room);
    run->stops = grown;
    run->stop_room = room;
  }
  run->stops[run->stop_count++] = (session_stop){step, time};
  return TRM_OK;
}

/* last: the advance ends with this batch, wherever it is; kept: its state is looked at. */
static trm_status run_batch(session *run, loop_clock *clock, int last, int kept)
{
  batch_plan *plan = &run->plan;
  const uint64_t step = run->steps_done;
  plan->fused = most_fused(run->device);
  /* An advance that ends early takes one step more, to leave a state that can be read. */
  const uint64_t want = last ? 1 : batch_next(plan, step);
  const trm_solver_type *type = run->chosen->type;
  /* The end may fall into any batch of a solver that counts its own steps. */
  const double stop = stop_time(run);
  const int sync_state = last || kept || type->account || isfinite(stop) ||
                     step + want == plan->steps ||
                     (plan->every && (step + want) % plan->every == 0) ||
                     (plan->frames && (step + want) % plan->frames == 0);
  if (run->meter && step != run->begun) energy_begin(run->meter);
  const double begin = clock_now();
  const trm_counters before = trm_device_counters(run->device);
  uint64_t launched = 0;
  double kernels = 0;
  TRM_TRY(trm_event_record(clock->begin));
  TRM_TRY(advance(run, want, sync_state, &launched));
  TRM_TRY(trm_event_record(clock->end));
  TRM_TRY(trm_event_elapsed(clock->begin, clock->end, &kernels));
  if (run->profile) TRM_TRY(profile_collect(run->profile, kernels));
  const int at_end = run->solver->time >= stop;
  if ((launched == 0 && !at_end) || launched > want)
    return TRM_FAIL(INVALID, "solver '%s' took %llu steps where 1 to %llu were asked for",
                    type->name, (unsigned long long)launched, (unsigned long long)want);
  uint64_t done = launched;
  if (type->account) TRM_TRY(type->account(run->solver, launched, &done));
  run->ended = run->solver->time >= run->goal.time || run->solver->has_ended;
  if (type->account && isfinite(stop) && run->solver->time >= stop)
    TRM_TRY(record_stop(run, step + done, stop));
  TRM_TRY(collect(run, done));
  const double loop = clock_now() - begin;
  if (run->meter) energy_update(run->meter);

  if (step == run->begun) run->times.first_step = clock_now() - run->times.output;
  run->times.loop += loop;
  run->times.kernels += kernels;
  if (step != run->begun || run->steps_done == plan->steps || run->ended)
    add_steady(run, launched, done, loop, kernels, &before);
  plan->seconds_per_step = (kernels > 0 ? kernels : loop) / (double)(launched ? launched : 1);
  return TRM_OK;
}

static int is_at_end(const session *run)
{
  const session_goal end = session_case_end(run);
  return run->solver->time >= end.time || run->steps_done >= end.step || run->solver->has_ended;
}

/* Whether the fields are wanted now; those at the end of the case are written by others. */
static int is_output_due(session *run)
{
  const int is_time = run->hooks.every_time > 0 && run->solver->time >= stop_time(run);
  /* 1e-12: a clock kept as two f32 may end just before the time of an output. */
  if (is_time) run->outputs = floor(run->solver->time * (1 + 1e-12) / run->hooks.every_time);
  if (is_at_end(run)) return 0;
  return is_time || (run->plan.every && run->steps_done % run->plan.every == 0);
}

static int is_there(const session *run)
{
  return run->steps_done >= run->goal.step || run->solver->time >= run->goal.time ||
         run->solver->has_ended;
}

static trm_status write_now(session *run, int output, int frame)
{
  const session_hooks *hooks = &run->hooks;
  if (!output && !frame) return TRM_OK;
  TRM_TRY(run->chosen->type->observe(run->solver));
  if (output) TRM_TRY(hooks->output(hooks->user, run));
  return frame ? hooks->frame(hooks->user, run) : TRM_OK;
}

/* The state that the run begins with, where fields are written on the way. */
static trm_status write_first(session *run)
{
  const session_hooks *hooks = &run->hooks;
  const int output = hooks->output && (hooks->every > 0 || hooks->every_time > 0);
  if (run->has_first || run->steps_done > 0) return TRM_OK;
  run->has_first = 1;
  return write_now(run, output, hooks->frames > 0);
}

static trm_status run_batches(session *run, loop_clock *clock)
{
  TRM_TRY(write_first(run));
  run->deadline = clock_now() + run->goal.seconds;
  for (int last = 0; !last && !is_there(run);) {
    const int stop = is_to_stop(run);
    const int kept = run->hooks.wants && run->hooks.wants(run->hooks.user, run);
    const int shown = run->hooks.is_viewed && run->hooks.is_viewed(run->hooks.viewer, run);
    last = stop || clock_now() >= run->deadline;
    TRM_TRY(run_batch(run, clock, last, kept || shown));
    if (run->hooks.progress) run->hooks.progress(run->hooks.user, run);
    if (run->hooks.series) TRM_TRY(run->hooks.series(run->hooks.user, run));
    if (stop) run->stopped = !is_there(run);
    run->is_interrupted = run->stopped && is_interrupted(run);
    const uint64_t frames = run->hooks.frames;
    /* also where it stops: the run that is resumed has written it */
    TRM_TRY(write_now(run, is_output_due(run), frames && run->steps_done % frames == 0));
    if (run->hooks.keep && (run->stopped || kept) && !is_at_end(run))
      TRM_TRY(run->hooks.keep(run->hooks.user, run));
    if (shown) {
      const double begin = clock_now();
      TRM_TRY(run->chosen->type->observe(run->solver));
      run->observing = clock_now() - begin;
      TRM_TRY(run->hooks.show(run->hooks.viewer, run));
    }
  }
  return TRM_OK;
}

trm_status session_heed(session *run, int *is_over)
{
  const session_hooks *hooks = &run->hooks;
  *is_over = is_to_stop(run) || clock_now() >= run->deadline;
  if (*is_over || is_at_end(run) || !hooks->keep || !hooks->wants) return TRM_OK;
  return hooks->wants(hooks->user, run) ? hooks->keep(hooks->user, run) : TRM_OK;
}

/* Where others hold the processors, a host's step of microseconds takes milliseconds: each thread
 * waits until the last one has had its turn. More steps than this are no faster (D2Q9 on 32^2
 * cells, 1.2 us a step, two threads), and would be minutes in which nobody hears a signal. */
enum { MOST_ON_HOST = 256 };

trm_status session_advance(session *run, const session_goal *goal)
{
  /* A live view wants a picture twice a second, a signal is heard at the end of a batch. */
  const int is_host = trm_device_describe(run->device)->is_host;
  const double patience = run->hooks.is_viewed ? 0.5 : is_host ? 2.0 : 1.0;
  loop_clock clock = {0};
  run->goal = *goal;
  run->stopped = run->is_interrupted = run->is_kept = run->ended = 0;
  run->plan.fixed = run->chosen->settings.batch;
  run->plan.limit = run->solver->batch_limit;
  run->plan.most = is_host ? MOST_ON_HOST : 0;
  run->plan.every = run->hooks.every;
  run->plan.frames = run->hooks.frames;
  run->plan.steps = goal->step;
  run->plan.patience = fmin(patience, goal->seconds);
  trm_status status = trm_event_create(run->device, &clock.begin);
  if (status == TRM_OK) status = trm_event_create(run->device, &clock.end);
  if (status == TRM_OK) status = run_batches(run, &clock);
  if (run->meter) energy_pause(run->meter);
  trm_event_destroy(&clock.begin);
  trm_event_destroy(&clock.end);
  return status;
}

/* Where the step after so many was or is to be cut. Earlier parts of a resumed run were cut at the
 * times of outputs. */
static double cut_time(const session *run, double end)
{
  const double every = run->hooks.every_time;
  if (run->steps_done < run->begun)
    return every > 0 ? (floor(run->solver->time * (1 + 1e-12) / every) + 1) * every : end;
  for (size_t i = 0; i < run->stop_count; i++)
    if (run->stops[i].step > run->steps_done) return fmin(end, run->stops[i].time);
  return end;
}

trm_status session_walk(session *run, uint64_t step, double end, session_made *made, void *user)
{
  const trm_solver_type *type = run->chosen->type;
  while (run->steps_done < step && !run->ended) {
    uint64_t want = step - run->steps_done, done = 0;
    if (run->solver->batch_limit && want > run->solver->batch_limit)
      want = run->solver->batch_limit;
    const int sync_state = type->account || run->steps_done + want == step;
    TRM_TRY(type->advance(run->solver, want, cut_time(run, end), sync_state, &done));
    if (type->account) TRM_TRY(type->account(run->solver, done, &done));
    run->ended = done == 0 || run->solver->time >= end || run->solver->has_ended;
    run->steps_done += done;
    if (made) TRM_TRY(made(user, run, done));
  }
  return TRM_OK;
}

/* The solver's results, from the last value of each series. */
static trm_status finish_solver(session *run)
{
  if (!run->chosen->type->finish) return TRM_OK;
  const size_t count = run->solver->series_count;
  double *last = calloc(count + 1, sizeof *last);
  if (!last) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the last values of %zu series", count);
  for (size_t i = 0; i < count && run->steps_done > 0; i++)
    last[i] = run->series[i][run->steps_done - 1];
  const trm_status status = run->chosen->type->finish(run->solver, last);
  free(last);
  return status;
}

trm_status session_finish(session *run)
{
  trm_solver *solver = run->solver;
  TRM_TRY(run->chosen->type->observe(solver));
  TRM_TRY(finish_solver(run));
  const double begin = clock_now();
  run->memory = trm_device_counters(run->device).most_bytes;
  TRM_TRY(session_fingerprint(run));
  run->times.transfers += clock_now() - begin;
  return TRM_OK;
}

session_goal session_case_end(const session *run)
{
  const run_settings *settings = &run->chosen->settings;
  return (session_goal){settings->steps, settings->end_time, INFINITY};
}

trm_status session_run(session *run)
{
  const session_goal end = session_case_end(run);
  const trm_status status = session_advance(run, &end);
  if (run->meter) energy_end(run->meter);
  TRM_TRY(status);
  TRM_TRY(session_finish(run));
  return !run->stopped ? TRM_OK : TRM_FAIL(INTERRUPTED, "stopped by the user after step %llu",
                                           (unsigned long long)run->steps_done);
}

/* ---- begin, end ------------------------------------------------------------ */

/* A solver that shares nothing out would leave all but the first device idle. */
static trm_status check_parts(const session *run)
{
  trm_device_part first = {0};
  if (trm_device_parts(run->device, 1, &first) == 0 || first.rows > 0) return TRM_OK;
  if (first.node[0])
    return TRM_FAIL(UNSUPPORTED, "solver '%s' works on one device alone, and %s were named; start "
                    "it without mpirun", run->chosen->type->name,
                    trm_device_describe(run->device)->name);
  return TRM_FAIL(UNSUPPORTED, "solver '%s' works on one device alone, and %s were named; give it "
                  "one by --devices=%s:%zu", run->chosen->type->name,
                  trm_device_describe(run->device)->name, first.info->backend, first.info->index);
}

/* run.host_build = plain where the solver has no kernels so compiled would be a key without an
 * effect. */
static trm_status check_build(const session *run)
{
  const trm_program_info *program = run->solver->program;
  if (!run->chosen->settings.device.plain_host || (program && strcmp(program->isa, "plain") == 0))
    return TRM_OK;
  return TRM_FAIL(UNSUPPORTED, "%s: run.host_build = plain: the kernels of solver '%s' are not "
                  "compiled so; leave it out, or run shallow",
                  trm_config_origin(run->chosen->config, "run.host_build"),
                  run->chosen->type->name);
}

static trm_status begin(session *run, const run_case *chosen, trm_device *device,
                        const session_hooks *hooks)
{
  run->chosen = chosen;
  run->device = device;
  if (hooks) run->hooks = *hooks;
  const double begin = clock_now();
  TRM_TRY(chosen->type->create(device, chosen->config, &chosen->settings.solver, &run->solver));
  run->times.create = clock_now() - begin;
  TRM_TRY(check_parts(run));
  TRM_TRY(check_build(run));
  if (run->solver->program) run->times.build = run->solver->program->build_seconds;
  run->series_count = run->solver->series_count;
  if (run->series_count == 0) return TRM_OK;
  run->series = calloc(run->series_count, sizeof *run->series);
  return run->series ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for the series of a run");
}

trm_status session_begin(session *run, const run_case *chosen, trm_device *device,
                         const session_hooks *hooks)
{
  *run = (session){0};
  return begin(run, chosen, device, hooks);
}

trm_status session_begin_on(session *run, const run_case *chosen, trm_context *context,
                            const char *devices, const char *origin, const session_hooks *hooks)
{
  trm_device *device = NULL;
  *run = (session){.of_parts = *chosen};
  TRM_TRY(parts_open_on(&run->of_parts, context, devices, origin, &run->parts, &device));
  return begin(run, &run->of_parts, device, hooks);
}

trm_status session_take_up(session *run, uint64_t step)
{
  TRM_TRY(series_reserve(run, (size_t)step));
  run->steps_done = run->begun = step;
  return TRM_OK;
}

void session_end(session *run)
{
  for (size_t i = 0; run->series && i < run->series_count; i++) free(run->series[i]);
  free(run->series);
  free(run->stops);
  if (run->solver) run->chosen->type->destroy(&run->solver);
  if (run->parts) parts_close(&run->parts, &run->of_parts, &run->device);
  *run = (session){0};
}

double session_rate(const session *run)
{
  const double steps = (double)(run->steady_steps + run->before_steps);
  const double seconds = run->times.steady + run->before_seconds;
  return seconds > 0 ? run->solver->cells * steps / seconds : 0;
}

double session_step_bytes(const trm_solver *solver)
{
  double bytes = 0;
  for (size_t i = 0; i < solver->traffic_count; i++)
    bytes += (solver->traffic[i].bytes_read + solver->traffic[i].bytes_written) *
             solver->traffic[i].calls_per_step;
  return bytes;
}

double session_step_flops(const trm_solver *solver)
{
  double flops = 0;
  for (size_t i = 0; i < solver->traffic_count; i++)
    flops += solver->traffic[i].flops * solver->traffic[i].calls_per_step;
  return flops;
}
