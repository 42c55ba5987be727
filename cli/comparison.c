/* comparison.c - runs in turn and differences.
 *
 * Tolerance of fast arithmetic (NUMERICS 0): 1e-13 * steps in f64, 1e-5 * sqrt(steps) in f32,
 * relative to the largest value of the field. */
#include "cli/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/listing.h"
#include "cli/progress.h"
#include "cli/report.h"

enum { CEILING_RUNS = 3 };

/* ---- devices --------------------------------------------------------------- */

static trm_status add(comparison *all, const char *spec)
{
  if (all->count == CONTENDER_LIMIT)
    return TRM_FAIL(INPUT, "--on: more than %d devices", CONTENDER_LIMIT);
  contender *added = &all->contenders[all->count++];
  snprintf(added->spec, sizeof added->spec, "%s", spec);
  added->repeats = 1;
  added->rates = calloc(all->runs, sizeof *added->rates);
  added->ratios = calloc(all->runs, sizeof *added->ratios);
  return added->rates && added->ratios ? TRM_OK
                                       : TRM_FAIL(NO_HOST_MEMORY, "no memory for the runs");
}

static trm_status list_contenders(comparison *all, trm_context *context, const char *on)
{
  char word[128];
  if (on) {
    while ((on = list_next(on, word, sizeof word))) TRM_TRY(add(all, word));
  } else {
    const trm_device_info *devices = NULL;
    size_t count = 0;
    TRM_TRY(trm_device_list(context, &devices, &count));
    for (int is_host = 1; is_host >= 0; is_host--) /* the host is the reference */
      for (size_t i = 0; i < count; i++) {
        if (devices[i].is_host != is_host) continue;
        snprintf(word, sizeof word, "%s:%zu", devices[i].backend, devices[i].index);
        TRM_TRY(add(all, word));
      }
  }
  if (all->count == 0)
    return TRM_FAIL(INPUT, "nothing to compare; name backends with --on=openmp,opencl");
  return TRM_OK;
}

trm_status comparison_open(comparison *out, trm_context *context, const run_case *chosen,
                           const char *on, size_t runs)
{
  *out = (comparison){.chosen = chosen, .runs = runs};
  /* where only the device knows the number of steps, a run of some thousands is supposed */
  const double steps = isfinite(chosen->settings.end_time) ? fmin((double)chosen->settings.steps, 1e4)
                                                           : (double)chosen->settings.steps;
  out->tolerance = chosen->settings.solver.math == TRM_STRICT     ? 0
                   : chosen->settings.solver.precision == TRM_F64 ? 1e-13 * steps
                                                                  : 1e-5 * sqrt(steps);
  TRM_TRY(list_contenders(out, context, on));
  TRM_TRY(listing_start_drivers(context));
  for (size_t i = 0; i < out->count; i++) {
    contender *one = &out->contenders[i];
    TRM_TRY(listing_device(context, one->spec, &chosen->settings.device, "--on", &one->device));
    if (chosen->settings.solver.precision == TRM_F64 && !trm_device_describe(one->device)->has_f64)
      return TRM_FAIL(UNSUPPORTED, "%s (%s) has no double precision; compare with --precision=f32",
                      one->spec, trm_device_describe(one->device)->name);
  }
  return TRM_OK;
}

static void free_arrays(trm_array *arrays, size_t count)
{
  for (size_t i = 0; arrays && i < count; i++) free((void *)arrays[i].data);
  free(arrays);
}

void comparison_close(comparison *all)
{
  for (size_t i = 0; i < all->count; i++) {
    contender *one = &all->contenders[i];
    free(one->rates);
    free(one->ratios);
    free(one->differences);
    trm_device_close(&one->device);
  }
  free_arrays(all->fields, all->field_count);
  free_arrays(all->series, all->series_count);
  *all = (comparison){0};
}

/* ---- fields and series ----------------------------------------------------- */

/* A series as an array of the type that it was computed in, so that an ULP means what it says. */
static trm_status series_array(const session *run, size_t index, trm_array *out)
{
  const trm_series *series = &run->solver->series[index];
  const size_t count = (size_t)run->steps_done;
  void *data = malloc(count * trm_type_size(series->type) + 1);
  if (!data) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the series '%s'", series->name);
  for (size_t k = 0; k < count; k++) {
    if (series->type == TRM_TYPE_F64) ((double *)data)[k] = run->series[index][k];
    else ((float *)data)[k] = (float)run->series[index][k];
  }
  *out = (trm_array){series->name, series->unit, series->type, 1, count, 1, 1, data};
  return TRM_OK;
}

static trm_status keep_reference(comparison *all, session *run)
{
  all->cells = run->solver->cells;
  report_shape(run->solver, all->shape, sizeof all->shape);
  all->fields = calloc(run->solver->field_count + 1, sizeof *all->fields);
  all->series = calloc(run->series_count + 1, sizeof *all->series);
  if (!all->fields || !all->series) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the reference");
  for (; all->field_count < run->solver->field_count; all->field_count++)
    TRM_TRY(session_read(run, all->field_count, &all->fields[all->field_count]));
  for (; all->series_count < run->series_count; all->series_count++)
    TRM_TRY(series_array(run, all->series_count, &all->series[all->series_count]));
  return TRM_OK;
}

static trm_status add_difference(const comparison *all, contender *one, const trm_array *reference,
                                 const trm_array *array, int is_series)
{
  field_difference *added = &one->differences[one->difference_count];
  TRM_TRY(trm_difference_compute(reference, array, &added->difference));
  snprintf(added->name, sizeof added->name, "%s", array->name);
  added->is_series = is_series;
  const trm_difference *d = &added->difference;
  const int real = array->type == TRM_TYPE_F32 || array->type == TRM_TYPE_F64;
  added->agrees = d->differing == 0 ||
                  (all->tolerance > 0 && real && d->not_finite == 0 && d->scaled <= all->tolerance);
  one->difference_count++;
  return TRM_OK;
}

static trm_status compare_with_reference(const comparison *all, contender *one, session *run)
{
  if (run->solver->field_count != all->field_count || run->series_count != all->series_count)
    return TRM_FAIL(INVALID, "the solver declares other fields on %s than on %s", one->spec,
                    all->contenders[0].spec);
  one->differences = calloc(all->field_count + all->series_count + 1, sizeof *one->differences);
  if (!one->differences) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the differences");
  for (size_t i = 0; i < all->field_count + all->series_count; i++) {
    const int is_series = i >= all->field_count;
    const size_t k = is_series ? i - all->field_count : i;
    trm_array array;
    TRM_TRY(is_series ? series_array(run, k, &array) : session_read(run, k, &array));
    const trm_status status =
        add_difference(all, one, is_series ? &all->series[k] : &all->fields[k], &array, is_series);
    free((void *)array.data);
    TRM_TRY(status);
  }
  return TRM_OK;
}

/* ---- runs ------------------------------------------------------------------ */

static void keep_facts(contender *one, const session *run)
{
  const trm_program_info *program = run->solver->program;
  one->times = run->times;
  one->step_bytes = session_step_bytes(run->solver);
  memcpy(one->fingerprint, run->fingerprint, sizeof one->fingerprint);
  if (!program) return;
  snprintf(one->isa, sizeof one->isa, "%s", program->isa);
  one->row_group_x = program->row_group_x;
  one->row_group_y = program->row_group_y;
  one->from_cache = program->from_cache;
}

static trm_status take_run(comparison *all, size_t index, size_t round, session *run)
{
  contender *one = &all->contenders[index];
  if (run->stopped)
    return TRM_FAIL(INTERRUPTED, "stopped by the user in run %zu on %s; nothing was compared",
                    round + 1, one->spec);
  one->rates[round] = session_rate(run);
  one->ratios[round] = one->rates[round] / all->contenders[0].rates[round];
  if (round > 0) {
    if (strcmp(one->fingerprint, run->fingerprint) != 0) one->repeats = 0;
    return TRM_OK;
  }
  keep_facts(one, run);
  return index == 0 ? keep_reference(all, run) : compare_with_reference(all, one, run);
}

static void show_progress(void *user, const session *run)
{
  progress_update(user, run);
}

static trm_status run_once(comparison *all, size_t index, size_t round)
{
  char label[192];
  progress bar;
  session run;
  const session_watch watch = {&bar, show_progress, NULL, 0};
  snprintf(label, sizeof label, "run %zu of %zu on %s", round + 1, all->runs,
           all->contenders[index].spec);
  progress_begin(&bar, label, all->chosen->settings.steps);
  trm_status status = session_begin(&run, all->chosen, all->contenders[index].device, &watch);
  if (status == TRM_OK) status = session_run(&run);
  progress_end(&bar);
  if (status == TRM_ERROR_DIVERGED) {
    char cause[sizeof trm_error_last()->text];
    snprintf(cause, sizeof cause, "%s", trm_error_last()->text);
    status = TRM_FAIL(DIVERGED, "on %s: %s", all->contenders[index].spec, cause);
  }
  if (status == TRM_OK) status = take_run(all, index, round, &run);
  session_end(&run);
  return status;
}

static void measure_ceilings(comparison *all)
{
  for (size_t i = 0; i < all->count; i++) {
    contender *one = &all->contenders[i];
    if (!all->chosen->settings.ceiling)
      snprintf(one->roof_missing, sizeof one->roof_missing, "run.ceiling is false");
    else if (ceiling_measure_copy(one->device, CEILING_RUNS, &one->roof) != TRM_OK)
      snprintf(one->roof_missing, sizeof one->roof_missing, "%.250s", trm_error_last()->text);
  }
}

trm_status comparison_run(comparison *all)
{
  for (size_t round = 0; round < all->runs; round++)
    for (size_t i = 0; i < all->count; i++) TRM_TRY(run_once(all, i, round));
  for (size_t i = 0; i < all->count; i++) {
    const double rate = contender_rate(all, i).median;
    all->contenders[i].step_seconds = rate > 0 ? all->cells / rate : 0;
  }
  measure_ceilings(all);
  return TRM_OK;
}

/* ---- verdicts -------------------------------------------------------------- */

int contender_agrees(const comparison *all, size_t index)
{
  const contender *one = &all->contenders[index];
  if (all->chosen->settings.solver.math == TRM_STRICT &&
      (!one->repeats || strcmp(one->fingerprint, all->contenders[0].fingerprint) != 0))
    return 0;
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

sample contender_rate(const comparison *all, size_t index)
{
  return sample_of(all->contenders[index].rates, all->runs);
}

sample contender_ratio(const comparison *all, size_t index, interval *out)
{
  *out = median_interval(all->contenders[index].ratios, all->runs);
  return sample_of(all->contenders[index].ratios, all->runs);
}
