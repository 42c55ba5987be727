/* comparison.c - candidates, their devices and their runs in turn.
 *
 * Tolerance of fast arithmetic (docs/program.md): 1e-13 * steps in f64, 1e-5 * sqrt(steps) in f32,
 * relative to the largest value of the field. */
#include "cli/compare/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/listing.h"
#include "run/measure/conditions.h"
#include "cli/process.h"

enum { ROOF_RUNS = 3, IDLE_SECONDS = 2 };

/* ---- candidates ------------------------------------------------------------- */

static double tolerance(const run_settings *settings)
{
  /* where only the device knows the number of steps, at most 10 000 are assumed */
  const double steps = isfinite(settings->end_time) ? fmin((double)settings->steps, 1e4)
                                                    : (double)settings->steps;
  return settings->solver.math == TRM_STRICT     ? 0
         : settings->solver.precision == TRM_F64 ? 1e-13 * steps
                                                 : 1e-5 * sqrt(steps);
}

static trm_status add(comparison *all, size_t case_index, const char *spec, const char *origin)
{
  if (all->count == CANDIDATE_LIMIT)
    return TRM_FAIL(INPUT, "more than %d runs to compare; name fewer devices, or vary less",
                    CANDIDATE_LIMIT);
  comparison_row *grown = realloc(all->rows, (all->count + 1) * sizeof *grown);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the runs");
  all->rows = grown;
  comparison_row *added = &grown[all->count++];
  *added = (comparison_row){.tolerance = tolerance(&all->cases->cases[case_index].settings)};
  return candidate_create(all->cases, case_index, spec, origin, &all->devices, &added->who);
}

static trm_status add_every_device(comparison *all)
{
  const trm_device_info *devices = NULL;
  size_t count = 0;
  char word[128];
  TRM_TRY(trm_device_list(all->devices.context, &devices, &count));
  for (int is_host = 1; is_host >= 0; is_host--) /* the host is the reference */
    for (size_t i = 0; i < count; i++) {
      if (devices[i].is_host != is_host) continue;
      snprintf(word, sizeof word, "%s:%zu", devices[i].backend, devices[i].index);
      TRM_TRY(add(all, 0, word, "--on"));
    }
  return TRM_OK;
}

static trm_status list_rows(comparison *all, const char *on)
{
  char word[128];
  for (size_t i = 0; i < all->cases->case_count; i++) {
    const char *rest = on;
    if (on) while ((rest = list_next(rest, word, sizeof word))) TRM_TRY(add(all, i, word, "--on"));
    else if (all->cases->axis_count > 0)
      TRM_TRY(add(all, i, all->cases->cases[i].settings.backend, NULL));
    else TRM_TRY(add_every_device(all));
  }
  if (all->count == 0)
    return TRM_FAIL(INPUT, "nothing to compare: no backend is ready; 'trireme backends' says why");
  return TRM_OK;
}

/* The first candidate of a family is compared with the first of all, the others with the first of
 * their family. */
static void find_references(comparison *all)
{
  for (size_t i = 1; i < all->count; i++) {
    comparison_row *one = &all->rows[i];
    const size_t family = variation_family(all->cases, one->who.case_index);
    for (size_t k = 0; k < i && !one->is_checked; k++) {
      one->is_checked = variation_family(all->cases, all->rows[k].who.case_index) == family;
      if (one->is_checked) one->who.reference = k;
    }
    all->rows[one->who.reference].users++;
  }
}

/* ---- life ------------------------------------------------------------------- */

trm_status comparison_open(comparison *out, trm_context *context, const variation *cases,
                           const char *on, size_t runs)
{
  *out = (comparison){.cases = cases, .runs = runs, .devices.context = context};
  node_open(&out->node, "/sys/class/powercap");
  TRM_TRY(listing_start_drivers(context));
  TRM_TRY(list_rows(out, on));
  find_references(out);
  return TRM_OK;
}

void comparison_close(comparison *all)
{
  for (size_t i = 0; i < all->count; i++) {
    comparison_row *one = &all->rows[i];
    for (size_t k = 0; k < one->difference_count; k++) free(one->differences[k].spread);
    free(one->differences);
    candidate_clear(&one->who);
    kept_run_free(&one->kept);
  }
  candidate_devices_close(&all->devices);
  node_close(&all->node);
  free(all->rows);
  json_decref(all->host);
  free(all->bisections);
  free(all->question);
  *all = (comparison){0};
}

/* ---- runs ------------------------------------------------------------------ */

static trm_status blame(const comparison_row *one, trm_status status)
{
  char whose[192];
  const trm_error cause = *trm_error_last();
  candidate_say(&one->who, whose, sizeof whose);
  return trm_error_record(status, cause.file, cause.line, "on %s: %s", whose, cause.text);
}

/* Rank 0 reads the counters of its own machine alone. */
static int has_other_machines(const trm_device *device)
{
  const size_t count = trm_device_parts(device, 0, NULL);
  trm_device_part *parts = calloc(count + 1, sizeof *parts);
  const int found = !parts || node_has_others(parts, trm_device_parts(device, count, parts),
                                              trm_rank_node(0));
  free(parts);
  return found;
}

/* The state and the series of the first run; sums alone may hold a fault that no state shows. */
static int repeats_first(comparison_row *one, const session *run)
{
  const benchmark *first = &one->who.benchmark;
  char series[sizeof one->series];
  candidate_print_series(run, series);
  if (!one->series[0]) memcpy(one->series, series, sizeof series);
  if (first->run_count == 0) return 1;
  return first->repeats && strcmp(first->fingerprint, run->fingerprint) == 0 &&
         strcmp(one->series, series) == 0;
}

/* The first run has the result; later runs only repeat it. meter NULL: an earlier run, made for its
 * result. */
static trm_status take_run(comparison *all, size_t index, session *run, const energy_meter *meter)
{
  comparison_row *one = &all->rows[index];
  benchmark *taken = &one->who.benchmark;
  const int repeats = repeats_first(one, run);
  if (meter) TRM_TRY(benchmark_take(taken, run, meter));
  if (meter)
    node_add(&one->node, &all->node, (double)run->steady_steps * run->solver->cells);
  one->node.has_others |= has_other_machines(run->device);
  if (!repeats) taken->repeats = 0;
  if (one->has_result) return TRM_OK;
  one->has_result = 1;
  benchmark_take_facts(taken, run);
  candidate_take_tuned(&one->who, &all->devices, run);
  taken->repeats = repeats;
  const trm_program_info *program = run->solver->program;
  if (program) {
    one->row_group_x = program->row_group_x;
    one->row_group_y = program->row_group_y;
    one->from_cache = program->from_cache;
  }
  return comparison_take_result(all, index, run);
}

/* Another that would be compared with it goes without. */
trm_status comparison_give_up(comparison *all, comparison_row *one, int is_first)
{
  comparison_row *reference = &all->rows[one->who.reference];
  benchmark *of = &one->who.benchmark;
  of->run_count = 0;
  for (size_t i = 0; i < all->runs; i++) TRM_TRY(benchmark_add(of, (double)NAN, (double)NAN));
  snprintf(of->energy_missing, sizeof of->energy_missing, "the run diverged");
  of->cells = (double)NAN;
  if (is_first && reference != one && --reference->users == 0) kept_run_free(&reference->kept);
  return TRM_OK;
}

/* is_again: it was made before, and its result is wanted. */
static trm_status run_once(comparison *all, size_t index, size_t round, int is_again)
{
  char what[64];
  session run = {0};
  run_case same;
  comparison_row *one = &all->rows[index];
  energy_meter meter = all->devices.list[one->who.device].meter;
  meter.node = &all->node;
  node_reset(&all->node);
  const int has_result = one->has_result;
  const candidate_place place = {all->folder, index, round + 1, all->until};
  const candidate_order order = {what, one->who.chosen->settings.steps, &meter,
                                 all->folder ? &place : NULL, round == 0};
  snprintf(what, sizeof what, "run %zu of %zu", round + 1, all->runs);
  trm_status status = candidate_run(&one->who, &all->devices, &order, &same, &run);
  if (status == TRM_ERROR_INTERRUPTED)
    status = TRM_FAIL(INTERRUPTED, "stopped %s in run %zu on %s; finished runs are kept: the same "
                                   "command with --output=%s goes on from there",
                      process_cause(), round + 1, one->who.benchmark.on,
                      all->folder ? all->folder : "");
  else if (status != TRM_OK) status = blame(one, status);
  if (status == TRM_OK) status = take_run(all, index, &run, is_again ? NULL : &meter);
  session_end(&run);
  if (status == TRM_OK) status = comparison_save(all);
  if (status != TRM_ERROR_DIVERGED) return status;
  const trm_error cause = *trm_error_last();
  snprintf(one->diverged, sizeof one->diverged, "%.319s", cause.text);
  TRM_TRY(comparison_give_up(all, one, !has_result));
  TRM_TRY(comparison_save(all));
  return comparison_diverged(all) < all->count
             ? TRM_OK : trm_error_record(status, cause.file, cause.line, "%s", cause.text);
}

trm_status comparison_try(comparison *all)
{
  for (size_t i = 0; i < all->count && all->cases->axis_count > 0; i++) {
    comparison_row *one = &all->rows[i];
    session run;
    trm_status status = candidate_open(&run, one->who.chosen, &all->devices, one->who.device,
                                       NULL);
    if (status != TRM_OK) status = blame(one, status);
    session_end(&run);
    TRM_TRY(status);
  }
  return TRM_OK;
}

/* Once a device: those that share one have its roof. */
static void measure_roof(comparison *all, comparison_row *one)
{
  const candidate_device *of = &all->devices.list[one->who.device];
  const int is_shared = of->is_several;
  if (is_shared || !one->who.chosen->settings.roof) {
    snprintf(one->roof.missing, sizeof one->roof.missing, "%s",
             is_shared ? "several devices share the work" : "run.roof is false");
    return;
  }
  for (const comparison_row *other = all->rows; other < one; other++)
    if (other->who.device == one->who.device && other->who.chosen->settings.roof) {
      one->roof = other->roof;
      return;
    }
  if (roof_measure(of->device, ROOF_COPY, ROOF_RUNS, &one->roof) != TRM_OK)
    snprintf(one->roof.missing, sizeof one->roof.missing, "%.250s", trm_error_last()->text);
}

trm_status comparison_run(comparison *all)
{
  conditions_clock clock;
  conditions_begin("", &clock);
  TRM_TRY(comparison_save(all));
  if (node_has_counters(&all->node)) node_measure_idle(&all->node, IDLE_SECONDS);
  for (size_t i = 0; i < all->count; i++)
    if (!all->rows[i].diverged[0] && all->rows[i].who.benchmark.run_count > 0)
      TRM_TRY(run_once(all, i, 0, 1));
  for (size_t round = 0; round < all->runs; round++)
    for (size_t i = 0; i < all->count; i++) {
      const comparison_row *one = &all->rows[i];
      if (!one->diverged[0] && one->who.benchmark.run_count <= round)
        TRM_TRY(run_once(all, i, round, 0));
    }
  all->host = conditions_host("", &clock);
  for (size_t i = 0; i < all->count; i++) measure_roof(all, &all->rows[i]);
  return TRM_OK;
}

/* ---- verdicts -------------------------------------------------------------- */

int comparison_row_agrees(const comparison *all, size_t index)
{
  const comparison_row *one = &all->rows[index];
  const comparison_row *reference = &all->rows[one->who.reference];
  const int strict = one->who.chosen->settings.solver.math == TRM_STRICT;
  if (one->diverged[0] || reference->diverged[0])
    return !one->is_checked || (one->diverged[0] != 0) == (reference->diverged[0] != 0);
  if (strict && !one->who.benchmark.repeats) return 0;
  if (!one->is_checked) return 1;
  if (strict && strcmp(one->who.benchmark.fingerprint, reference->who.benchmark.fingerprint) != 0)
    return 0;
  for (size_t i = 0; i < one->difference_count; i++)
    if (!one->differences[i].agrees) return 0;
  return 1;
}

int comparison_agrees(const comparison *all)
{
  for (size_t i = 0; i < all->count; i++)
    if (!comparison_row_agrees(all, i)) return 0;
  return 1;
}

size_t comparison_diverged(const comparison *all)
{
  size_t count = 0;
  for (size_t i = 0; i < all->count; i++) count += all->rows[i].diverged[0] != 0;
  return count;
}

int comparison_has_families(const comparison *all)
{
  for (size_t i = 1; i < all->count; i++)
    if (!all->rows[i].is_checked) return 1;
  return 0;
}

const trm_device_info *comparison_row_device(const comparison *all, const comparison_row *one)
{
  return &all->devices.list[one->who.device].info;
}

sample comparison_row_ratio(const comparison *all, const comparison_row *one, interval *out)
{
  const comparison_row *first = all->rows;
  while (first + 1 < all->rows + all->count && first->diverged[0]) first++;
  return benchmark_ratio(&one->who.benchmark, &first->who.benchmark, out);
}

double comparison_row_roof_share(const comparison_row *one)
{
  const benchmark *of = &one->who.benchmark;
  return of->step_bytes / benchmark_step_seconds(of) / roof_copy(&one->roof);
}
