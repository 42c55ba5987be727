/* comparison.c - contenders, their devices and their runs in turn.
 *
 * Tolerance of fast arithmetic (docs/program.md): 1e-13 * steps in f64, 1e-5 * sqrt(steps) in f32,
 * relative to the largest value of the field. */
#include "cli/process.h"
#include "cli/compare/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure/clock.h"
#include "cli/measure/conditions.h"
#include "cli/listing.h"
#include "cli/progress.h"
#include "cli/run/summary.h"

enum { CEILING_RUNS = 3, DEVICE_COLUMN = 12, VALUE_COLUMN = 24 };

/* ---- contenders ------------------------------------------------------------- */

static double tolerance(const run_settings *settings)
{
  /* where only the device knows the number of steps, a run of some thousands is supposed */
  const double steps = isfinite(settings->end_time) ? fmin((double)settings->steps, 1e4)
                                                    : (double)settings->steps;
  return settings->solver.math == TRM_STRICT     ? 0
         : settings->solver.precision == TRM_F64 ? 1e-13 * steps
                                                 : 1e-5 * sqrt(steps);
}

static trm_status add(comparison *all, size_t case_index, const char *spec)
{
  if (all->count == CONTENDER_LIMIT)
    return TRM_FAIL(INPUT, "more than %d runs to compare; name fewer devices, or vary less",
                    CONTENDER_LIMIT);
  if (all->count == all->capacity) {
    const size_t capacity = all->capacity ? 2 * all->capacity : 8;
    contender *grown = realloc(all->contenders, capacity * sizeof *grown);
    if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the runs");
    all->contenders = grown;
    all->capacity = capacity;
  }
  contender *added = &all->contenders[all->count++];
  *added = (contender){.chosen = &all->cases->cases[case_index], .case_index = case_index,
                       .repeats = 1};
  snprintf(added->spec, sizeof added->spec, "%s", spec);
  added->tolerance = tolerance(&added->chosen->settings);
  added->rates = calloc(all->runs, sizeof *added->rates);
  added->ratios = calloc(all->runs, sizeof *added->ratios);
  added->order = calloc(all->runs, sizeof *added->order);
  added->energies = calloc(all->runs, sizeof *added->energies);
  if (!added->rates || !added->ratios || !added->order || !added->energies)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the runs");
  return TRM_OK;
}

static trm_status add_every_device(comparison *all, trm_context *context)
{
  const trm_device_info *devices = NULL;
  size_t count = 0;
  char word[128];
  TRM_TRY(trm_device_list(context, &devices, &count));
  for (int is_host = 1; is_host >= 0; is_host--) /* the host is the reference */
    for (size_t i = 0; i < count; i++) {
      if (devices[i].is_host != is_host) continue;
      snprintf(word, sizeof word, "%s:%zu", devices[i].backend, devices[i].index);
      TRM_TRY(add(all, 0, word));
    }
  return TRM_OK;
}

static trm_status list_contenders(comparison *all, trm_context *context, const char *on)
{
  char word[128];
  for (size_t i = 0; i < all->cases->case_count; i++) {
    const char *rest = on;
    if (on) while ((rest = list_next(rest, word, sizeof word))) TRM_TRY(add(all, i, word));
    else if (all->cases->axis_count > 0)
      TRM_TRY(add(all, i, all->cases->cases[i].settings.backend));
    else TRM_TRY(add_every_device(all, context));
  }
  if (all->count == 0)
    return TRM_FAIL(INPUT, "nothing to compare; name backends with --on=openmp,opencl");
  return TRM_OK;
}

/* The first of a family is compared with the first of all, the others with the first of theirs. */
static void find_references(comparison *all)
{
  for (size_t i = 1; i < all->count; i++) {
    contender *one = &all->contenders[i];
    const size_t family = variation_family(all->cases, one->case_index);
    for (size_t k = 0; k < i && !one->is_checked; k++) {
      one->is_checked = variation_family(all->cases, all->contenders[k].case_index) == family;
      if (one->is_checked) one->reference = k;
    }
    all->contenders[one->reference].users++;
  }
}

/* Appends a column of a label. */
static void add_column(char *label, size_t bytes, const char *text, size_t width)
{
  const size_t length = strlen(label);
  snprintf(label + length, bytes - length, "%s%-*.*s", length ? " " : "", (int)width, (int)width,
           text);
}

static size_t column_width(const vary_axis *axis)
{
  size_t width = strlen(axis->name);
  for (size_t i = 0; i < axis->count; i++)
    if (strlen(axis->values[i]) > width) width = strlen(axis->values[i]);
  return width < VALUE_COLUMN ? width : VALUE_COLUMN;
}

static void make_labels(comparison *all)
{
  size_t width = DEVICE_COLUMN;
  for (size_t i = 0; i < all->count; i++)
    if (strlen(all->contenders[i].spec) > width) width = strlen(all->contenders[i].spec);
  add_column(all->heading, sizeof all->heading, "backend", width);
  for (size_t a = 0; a < all->cases->axis_count; a++)
    add_column(all->heading, sizeof all->heading, all->cases->axes[a].name,
               column_width(&all->cases->axes[a]));
  for (size_t i = 0; i < all->count; i++) {
    contender *one = &all->contenders[i];
    add_column(one->label, sizeof one->label, one->spec, width);
    for (size_t a = 0; a < all->cases->axis_count; a++)
      add_column(one->label, sizeof one->label, variation_value(all->cases, one->case_index, a),
                 column_width(&all->cases->axes[a]));
  }
}

/* ---- devices ---------------------------------------------------------------- */

static int same_device(const contender *a, const contender *b)
{
  const trm_device_options *x = &a->chosen->settings.device, *y = &b->chosen->settings.device;
  return strcmp(a->spec, b->spec) == 0 && x->threads == y->threads &&
         x->wavefront == y->wavefront && x->plain_replay == y->plain_replay;
}

static trm_status open_device(comparison *all, trm_context *context, size_t index, const char *on)
{
  contender *one = &all->contenders[index];
  for (size_t i = 0; i < index && !one->device; i++)
    if (same_device(&all->contenders[i], one)) one->device = all->contenders[i].device;
  if (!one->device) {
    TRM_TRY(device_open(context, one->spec, &one->chosen->settings.device,
                           on || all->cases->axis_count == 0
                               ? "--on" : trm_config_origin(one->chosen->config, "run.backend"),
                           &one->device));
    one->owns_device = 1;
  }
  energy_open(&one->meter, trm_device_describe(one->device), "/sys/class/powercap");
  if (one->chosen->settings.solver.precision == TRM_F64 &&
      !trm_device_describe(one->device)->has_f64)
    return TRM_FAIL(UNSUPPORTED, "%s (%s) has no double precision; compare with --precision=f32",
                    one->spec, trm_device_describe(one->device)->name);
  return TRM_OK;
}

trm_status comparison_open(comparison *out, trm_context *context, const variation *cases,
                           const char *on, size_t runs)
{
  *out = (comparison){.cases = cases, .runs = runs};
  TRM_TRY(list_contenders(out, context, on));
  find_references(out);
  make_labels(out);
  TRM_TRY(listing_start_drivers(context));
  for (size_t i = 0; i < out->count; i++) TRM_TRY(open_device(out, context, i, on));
  return TRM_OK;
}

void comparison_close(comparison *all)
{
  for (size_t i = 0; i < all->count; i++) {
    contender *one = &all->contenders[i];
    free(one->rates);
    free(one->ratios);
    free(one->order);
    free(one->energies);
    for (size_t k = 0; k < one->difference_count; k++) free(one->differences[k].spread);
    free(one->differences);
    json_decref(one->gpu);
    energy_close(&one->meter);
    kept_run_free(&one->kept);
    if (one->owns_device) trm_device_close(&one->device);
  }
  free(all->contenders);
  json_decref(all->host);
  free(all->bisections);
  *all = (comparison){0};
}

/* ---- runs ------------------------------------------------------------------ */

void comparison_say_whose(const comparison *all, const contender *one, char *text, size_t bytes)
{
  int used = snprintf(text, bytes, "%s", one->spec);
  for (size_t a = 0; a < all->cases->axis_count && used > 0 && (size_t)used < bytes; a++)
    used += snprintf(text + used, bytes - (size_t)used, ", %s=%s", all->cases->axes[a].name,
                     variation_value(all->cases, one->case_index, a));
}

static trm_status blame(const comparison *all, const contender *one, trm_status status)
{
  char whose[192];
  const trm_error cause = *trm_error_last();
  comparison_say_whose(all, one, whose, sizeof whose);
  return trm_error_record(status, cause.file, cause.line, "on %s: %s", whose, cause.text);
}

static void keep_facts(contender *one, const session *run)
{
  const trm_program_info *program = run->solver->program;
  one->times = run->times;
  one->steps = run->steps_done;
  one->cells = run->solver->cells;
  one->step_bytes = session_step_bytes(run->solver);
  one->step_flops = session_step_flops(run->solver);
  report_shape(run->solver, one->shape, sizeof one->shape);
  memcpy(one->fingerprint, run->fingerprint, sizeof one->fingerprint);
  if (!program) return;
  snprintf(one->isa, sizeof one->isa, "%s", program->isa);
  one->row_group_x = program->row_group_x;
  one->row_group_y = program->row_group_y;
  one->from_cache = program->from_cache;
}

static const contender *first_that_ran(const comparison *all)
{
  const contender *one = all->contenders;
  while (one->diverged[0]) one++;
  return one;
}

static trm_status take_run(comparison *all, size_t index, size_t round, session *run)
{
  contender *one = &all->contenders[index];
  one->rates[round] = session_rate(run);
  one->ratios[round] = one->rates[round] / first_that_ran(all)->rates[round];
  if (round > 0) {
    if (strcmp(one->fingerprint, run->fingerprint) != 0) one->repeats = 0;
    return TRM_OK;
  }
  keep_facts(one, run);
  return comparison_take_result(all, index, run);
}

/* Clocks and energy, right after the time loop. */
static void take_conditions(contender *one, size_t round, const session *run,
                            const energy_meter *meter)
{
  const double updates = run->solver->cells * (double)run->steady_steps;
  one->energies[round] = meter->missing[0] ? (double)NAN : meter->joules / updates;
  if (meter->missing[0])
    memcpy(one->energy_missing, meter->missing, sizeof one->energy_missing);
  if (round == 0 && !trm_device_describe(one->device)->is_host)
    one->gpu = conditions_gpu(one->meter.gpu, one->meter.missing);
}

static void show_progress(void *user, const session *run)
{
  progress_update(user, run);
}

/* A run that diverged has no result; another that would be compared with it goes without. */
static void note_divergence(comparison *all, contender *one, size_t round)
{
  contender *reference = &all->contenders[one->reference];
  snprintf(one->diverged, sizeof one->diverged, "%.319s", trm_error_last()->text);
  for (size_t i = 0; i < all->runs; i++)
    one->rates[i] = one->ratios[i] = one->energies[i] = (double)NAN;
  snprintf(one->energy_missing, sizeof one->energy_missing, "the run diverged");
  one->cells = one->step_seconds = (double)NAN;
  if (round == 0 && reference != one && --reference->users == 0) kept_run_free(&reference->kept);
}

static trm_status run_once(comparison *all, size_t index, size_t round)
{
  char label[256], whose[192];
  progress bar;
  session run;
  contender *one = &all->contenders[index];
  const session_watch watch = {&bar, show_progress, NULL, NULL, 0, 0, &process_interrupted};
  const double begin = clock_now();
  comparison_say_whose(all, one, whose, sizeof whose);
  snprintf(label, sizeof label, "run %zu of %zu on %s", round + 1, all->runs, whose);
  progress_begin(&bar, label, one->chosen->settings.steps);
  trm_status status = session_begin(&run, one->chosen, one->device, &watch);
  energy_meter meter = one->meter;
  run.meter = &meter;
  if (status == TRM_OK) status = session_run(&run);
  run.times.first_step -= begin; /* of this run, not of those before it */
  if (status == TRM_OK) take_conditions(one, round, &run, &meter);
  progress_end(&bar);
  if (status == TRM_ERROR_INTERRUPTED)
    status = TRM_FAIL(INTERRUPTED, "stopped by the user in run %zu on %s; nothing was compared",
                      round + 1, one->spec);
  else if (status != TRM_OK) status = blame(all, one, status);
  if (status == TRM_OK) status = take_run(all, index, round, &run);
  session_end(&run);
  if (status != TRM_ERROR_DIVERGED) return status;
  note_divergence(all, one, round);
  return comparison_diverged(all) == all->count ? status : TRM_OK;
}

trm_status comparison_try(comparison *all)
{
  for (size_t i = 0; i < all->count && all->cases->axis_count > 0; i++) {
    contender *one = &all->contenders[i];
    session run;
    trm_status status = session_begin(&run, one->chosen, one->device, NULL);
    if (status != TRM_OK) status = blame(all, one, status);
    session_end(&run);
    TRM_TRY(status);
  }
  return TRM_OK;
}

/* Once a device: those that share one have its ceiling. */
static void measure_ceiling(comparison *all, contender *one)
{
  if (!one->chosen->settings.ceiling) {
    snprintf(one->roof_missing, sizeof one->roof_missing, "run.ceiling is false");
    return;
  }
  for (const contender *other = all->contenders; other < one; other++)
    if (other->device == one->device && other->chosen->settings.ceiling) {
      one->roof = other->roof;
      memcpy(one->roof_missing, other->roof_missing, sizeof one->roof_missing);
      return;
    }
  if (ceiling_measure(one->device, CEILING_COPY, CEILING_RUNS, &one->roof) != TRM_OK)
    snprintf(one->roof_missing, sizeof one->roof_missing, "%.250s", trm_error_last()->text);
}

trm_status comparison_run(comparison *all)
{
  conditions_clock clock;
  conditions_begin("", &clock);
  for (size_t round = 0; round < all->runs; round++)
    for (size_t i = 0; i < all->count; i++)
      if (!all->contenders[i].diverged[0]) TRM_TRY(run_once(all, i, round));
  all->host = conditions_host("", &clock);
  for (size_t i = 0; i < all->count; i++) {
    contender *one = &all->contenders[i];
    const double rate = contender_rate(all, i).median;
    if (!one->diverged[0]) one->step_seconds = rate > 0 ? one->cells / rate : 0;
    measure_ceiling(all, one);
  }
  return TRM_OK;
}

/* ---- verdicts -------------------------------------------------------------- */

int contender_agrees(const comparison *all, size_t index)
{
  const contender *one = &all->contenders[index];
  const int strict = one->chosen->settings.solver.math == TRM_STRICT;
  const int diverged = one->diverged[0] != 0;
  if (diverged || all->contenders[one->reference].diverged[0])
    return !one->is_checked || diverged == (all->contenders[one->reference].diverged[0] != 0);
  if (strict && !one->repeats) return 0;
  if (!one->is_checked) return 1;
  if (strict && strcmp(one->fingerprint, all->contenders[one->reference].fingerprint) != 0)
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

sample contender_rate(const comparison *all, size_t index)
{
  const contender *one = &all->contenders[index];
  return sample_of(one->rates, all->runs, one->order);
}

sample contender_ratio(const comparison *all, size_t index, interval *out)
{
  const contender *one = &all->contenders[index];
  *out = median_interval(one->ratios, all->runs, one->order);
  return sample_of(one->ratios, all->runs, one->order);
}

double contender_bandwidth(const contender *one)
{
  return one->step_seconds > 0 ? one->step_bytes / one->step_seconds : (double)NAN;
}

double contender_part_of_ceiling(const contender *one)
{
  return one->roof_missing[0] ? (double)NAN
                              : contender_bandwidth(one) / ceiling_copy(&one->roof);
}
