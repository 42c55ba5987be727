/* comparison.c - contenders, their devices and their runs in turn.
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

enum { CEILING_RUNS = 3 };

/* ---- contenders ------------------------------------------------------------- */

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
  if (all->count == CONTENDER_LIMIT)
    return TRM_FAIL(INPUT, "more than %d runs to compare; name fewer devices, or vary less",
                    CONTENDER_LIMIT);
  contender *grown = realloc(all->contenders, (all->count + 1) * sizeof *grown);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the runs");
  all->contenders = grown;
  contender *added = &grown[all->count++];
  *added = (contender){.tolerance = tolerance(&all->cases->cases[case_index].settings)};
  return entrant_create(all->cases, case_index, spec, origin, &all->devices, &added->who);
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

static trm_status list_contenders(comparison *all, const char *on)
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

/* The first contender of a family is compared with the first of all, the others with the first of
 * their family. */
static void find_references(comparison *all)
{
  for (size_t i = 1; i < all->count; i++) {
    contender *one = &all->contenders[i];
    const size_t family = variation_family(all->cases, one->who.case_index);
    for (size_t k = 0; k < i && !one->is_checked; k++) {
      one->is_checked = variation_family(all->cases, all->contenders[k].who.case_index) == family;
      if (one->is_checked) one->who.reference = k;
    }
    all->contenders[one->who.reference].users++;
  }
}

/* ---- life ------------------------------------------------------------------- */

trm_status comparison_open(comparison *out, trm_context *context, const variation *cases,
                           const char *on, size_t runs)
{
  *out = (comparison){.cases = cases, .runs = runs, .devices.context = context};
  TRM_TRY(listing_start_drivers(context));
  TRM_TRY(list_contenders(out, on));
  find_references(out);
  return TRM_OK;
}

void comparison_close(comparison *all)
{
  for (size_t i = 0; i < all->count; i++) {
    contender *one = &all->contenders[i];
    for (size_t k = 0; k < one->difference_count; k++) free(one->differences[k].spread);
    free(one->differences);
    trial_clear(&one->who.trial);
    kept_run_free(&one->kept);
  }
  trial_devices_close(&all->devices);
  free(all->contenders);
  json_decref(all->host);
  free(all->bisections);
  free(all->question);
  *all = (comparison){0};
}

/* ---- runs ------------------------------------------------------------------ */

static trm_status blame(const contender *one, trm_status status)
{
  char whose[192];
  const trm_error cause = *trm_error_last();
  entrant_say(&one->who, whose, sizeof whose);
  return trm_error_record(status, cause.file, cause.line, "on %s: %s", whose, cause.text);
}

/* The first run has the result; later runs only repeat it. meter NULL: an earlier run, made for its
 * result. */
static trm_status take_run(comparison *all, size_t index, session *run, const energy_meter *meter)
{
  contender *one = &all->contenders[index];
  trial *taken = &one->who.trial;
  const int repeats = taken->run_count == 0 ||
                      (taken->repeats && strcmp(taken->fingerprint, run->fingerprint) == 0);
  if (meter) TRM_TRY(trial_take(taken, run, meter));
  if (!repeats) taken->repeats = 0;
  if (one->has_result) return TRM_OK;
  one->has_result = 1;
  trial_take_facts(taken, run);
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
trm_status comparison_give_up(comparison *all, contender *one, int is_first)
{
  contender *reference = &all->contenders[one->who.reference];
  trial *of = &one->who.trial;
  of->run_count = 0;
  for (size_t i = 0; i < all->runs; i++) TRM_TRY(trial_add(of, (double)NAN, (double)NAN));
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
  contender *one = &all->contenders[index];
  energy_meter meter = all->devices.list[one->who.device].meter;
  const int has_result = one->has_result;
  const entrant_place place = {all->folder, index, round + 1, all->until};
  const entrant_order order = {what, one->who.chosen->settings.steps, &meter,
                               all->folder ? &place : NULL, round == 0};
  snprintf(what, sizeof what, "run %zu of %zu", round + 1, all->runs);
  trm_status status = entrant_run(&one->who, &all->devices, &order, &same, &run);
  if (status == TRM_ERROR_INTERRUPTED)
    status = TRM_FAIL(INTERRUPTED, "stopped %s in run %zu on %s; finished runs are kept: the same "
                                   "command with --output=%s goes on from there",
                      process_cause(), round + 1, one->who.trial.on,
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
    contender *one = &all->contenders[i];
    session run;
    trm_status status = session_begin(&run, one->who.chosen,
                                      all->devices.list[one->who.device].device, NULL);
    if (status != TRM_OK) status = blame(one, status);
    session_end(&run);
    TRM_TRY(status);
  }
  return TRM_OK;
}

/* Once a device: those that share one have its ceiling. */
static void measure_ceiling(comparison *all, contender *one)
{
  trm_device *device = all->devices.list[one->who.device].device;
  const int is_shared = trm_device_parts(device, 0, NULL) > 0;
  if (is_shared || !one->who.chosen->settings.ceiling) {
    snprintf(one->roof.missing, sizeof one->roof.missing, "%s",
             is_shared ? "several devices share the work" : "run.ceiling is false");
    return;
  }
  for (const contender *other = all->contenders; other < one; other++)
    if (other->who.device == one->who.device && other->who.chosen->settings.ceiling) {
      one->roof = other->roof;
      return;
    }
  if (ceiling_measure(device, CEILING_COPY, CEILING_RUNS, &one->roof) != TRM_OK)
    snprintf(one->roof.missing, sizeof one->roof.missing, "%.250s", trm_error_last()->text);
}

trm_status comparison_run(comparison *all)
{
  conditions_clock clock;
  conditions_begin("", &clock);
  TRM_TRY(comparison_save(all));
  for (size_t i = 0; i < all->count; i++)
    if (!all->contenders[i].diverged[0] && all->contenders[i].who.trial.run_count > 0)
      TRM_TRY(run_once(all, i, 0, 1));
  for (size_t round = 0; round < all->runs; round++)
    for (size_t i = 0; i < all->count; i++) {
      const contender *one = &all->contenders[i];
      if (!one->diverged[0] && one->who.trial.run_count <= round)
        TRM_TRY(run_once(all, i, round, 0));
    }
  all->host = conditions_host("", &clock);
  for (size_t i = 0; i < all->count; i++) measure_ceiling(all, &all->contenders[i]);
  return TRM_OK;
}

/* ---- verdicts -------------------------------------------------------------- */

int contender_agrees(const comparison *all, size_t index)
{
  const contender *one = &all->contenders[index];
  const contender *reference = &all->contenders[one->who.reference];
  const int strict = one->who.chosen->settings.solver.math == TRM_STRICT;
  if (one->diverged[0] || reference->diverged[0])
    return !one->is_checked || (one->diverged[0] != 0) == (reference->diverged[0] != 0);
  if (strict && !one->who.trial.repeats) return 0;
  if (!one->is_checked) return 1;
  if (strict && strcmp(one->who.trial.fingerprint, reference->who.trial.fingerprint) != 0) return 0;
  for (size_t i = 0; i < one->difference_count; i++)
    if (!one->differences[i].agrees) return 0;
  return 1;
}

int comparison_agrees(const comparison *all)
{
  for (size_t i = 0; i < all->count; i++)
    if (!contender_agrees(all, i)) return 0;
  return 1;
}

size_t comparison_diverged(const comparison *all)
{
  size_t count = 0;
  for (size_t i = 0; i < all->count; i++) count += all->contenders[i].diverged[0] != 0;
  return count;
}

int comparison_has_families(const comparison *all)
{
  for (size_t i = 1; i < all->count; i++)
    if (!all->contenders[i].is_checked) return 1;
  return 0;
}

const trm_device_info *contender_device(const comparison *all, const contender *one)
{
  return &all->devices.list[one->who.device].info;
}

sample contender_ratio(const comparison *all, const contender *one, interval *out)
{
  const contender *first = all->contenders;
  while (first + 1 < all->contenders + all->count && first->diverged[0]) first++;
  return trial_ratio(&one->who.trial, &first->who.trial, out);
}

double contender_part_of_ceiling(const contender *one)
{
  const trial *of = &one->who.trial;
  return of->step_bytes / trial_step_seconds(of) / ceiling_copy(&one->roof);
}
