/* study.c - the rows of a study, from the command line; nothing runs here. */
#include "cli/study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/listing.h"
#include "cli/message.h"

enum { DEFAULT_RUNS = 6 }; /* the fewest that a 95 % interval of the sign test takes */

static trm_status no_memory(void) { return TRM_FAIL(NO_HOST_MEMORY, "no memory for the study"); }

/* ---- devices ------------------------------------------------------------------- */

static trm_status find_device(study *all, const char *spec, const run_case *chosen, size_t *out)
{
  const trm_device_options *y = &chosen->settings.device;
  for (size_t i = 0; i < all->device_count; i++) {
    const trm_device_options *x = &all->devices[i].options;
    *out = i;
    if (strcmp(all->devices[i].spec, spec) == 0 && x->threads == y->threads &&
        x->wavefront == y->wavefront && x->plain_replay == y->plain_replay)
      return TRM_OK;
  }
  study_device *grown = realloc(all->devices, (all->device_count + 1) * sizeof *grown);
  if (!grown) return no_memory();
  all->devices = grown;
  *out = all->device_count++;
  study_device *added = &grown[*out];
  *added = (study_device){.options = *y};
  snprintf(added->spec, sizeof added->spec, "%s", spec);
  TRM_TRY(device_open(all->context, spec, y,
                         all->args->on ? "--on" : trm_config_origin(chosen->config, "run.backend"),
                         &added->device));
  added->info = *trm_device_describe(added->device);
  energy_open(&added->meter, &added->info, "/sys/class/powercap");
  if (chosen->settings.solver.precision == TRM_F64 && !added->info.has_f64)
    return TRM_FAIL(UNSUPPORTED, "%s (%s) has no double precision; study it with --precision=f32",
                    spec, added->info.name);
  return TRM_OK;
}

/* ---- rows ------------------------------------------------------------------------ */

static const char *value_of(const study_row *row, size_t axis)
{
  return variation_value(row->cases, row->case_index, axis);
}

/* Whether two rows must have the same result: the size and every key that may change it alike. */
static int is_family(const study_row *a, const study_row *b)
{
  if (a->size != b->size) return 0;
  if (a->chosen->settings.solver.math != TRM_STRICT) return 0;
  for (size_t i = 0; i < a->cases->axis_count; i++)
    if (!a->cases->axes[i].same_result && strcmp(value_of(a, i), value_of(b, i)) != 0) return 0;
  return 1;
}

static trm_status add_row(study *all, const study_row *row)
{
  if (all->row_count == STUDY_ROWS)
    return TRM_FAIL(INPUT, "more than %d runs to study; name fewer devices, or vary less",
                    STUDY_ROWS);
  study_row *grown = realloc(all->rows, (all->row_count + 1) * sizeof *grown);
  if (!grown) return no_memory();
  all->rows = grown;
  grown[all->row_count] = *row;
  study_row *added = &grown[all->row_count];
  added->repeats = 1;
  added->reference = all->row_count;
  for (size_t i = 0; i < all->row_count && added->reference == all->row_count; i++)
    if (is_family(&grown[i], added)) added->reference = i;
  const int is_first = all->row_count == 0 || grown[all->row_count - 1].group != row->group;
  added->before = row->rung && !is_first ? all->row_count - 1 : all->row_count;
  all->row_count++;
  return TRM_OK;
}

/* Along a ladder the rungs of one size, case and device are a group; a sweep is one group. */
static trm_status add_rows_of(study *all, size_t first, size_t rungs, size_t c, const char *spec)
{
  const trm_solver_type *type = all->variations[first].cases[c].type;
  for (size_t r = 0; r < rungs; r++) {
    const variation *cases = &all->variations[first + r];
    study_row row = {.cases = cases, .chosen = &cases->cases[c], .case_index = c,
                     .rung = all->is_ladder ? &type->ladder->rungs[r] : NULL,
                     .group = all->group_count,
                     .size = all->sizes ? all->sizes[first / rungs] : NULL};
    TRM_TRY(find_device(all, spec ? spec : row.chosen->settings.backend, row.chosen, &row.device));
    TRM_TRY(add_row(all, &row));
  }
  if (all->is_ladder) all->group_count++;
  return TRM_OK;
}

static trm_status list_rows(study *all)
{
  const size_t rungs = all->is_ladder ? all->variations[0].cases[0].type->ladder->rung_count : 1;
  char word[128];
  for (size_t first = 0; first < all->variation_count; first += rungs)
    for (size_t c = 0; c < all->variations[first].case_count; c++) {
      const char *rest = all->args->on;
      if (!rest) TRM_TRY(add_rows_of(all, first, rungs, c, NULL));
      while (rest && (rest = list_next(rest, word, sizeof word)))
        TRM_TRY(add_rows_of(all, first, rungs, c, word));
    }
  if (!all->is_ladder) all->group_count = 1;
  all->roofs = calloc(all->group_count + 1, sizeof *all->roofs);
  return all->roofs ? TRM_OK : no_memory();
}

/* ---- the whole --------------------------------------------------------------------- */

/* Whether the value of a key makes another study of it: not where it is kept, nor its prices. */
static int is_asked(const char *key)
{
  return strcmp(key, "output.folder") != 0 && strcmp(key, "run.ceiling") != 0;
}

/* What makes two command lines ask for the same. */
static trm_status ask(study *all)
{
  size_t bytes = 0;
  const arguments *args = all->args;
  FILE *text = open_memstream(&all->question, &bytes);
  if (!text) return no_memory();
  fprintf(text, "%s", all->is_ladder ? "ladder" : "sweep");
  for (size_t i = 0; i < args->operand_count; i++) fprintf(text, " %s", args->operands[i]);
  for (size_t i = 0; i < args->setting_count; i++)
    if (is_asked(args->settings[i].key))
      fprintf(text, " %s=%s", args->settings[i].key, args->settings[i].text);
  for (size_t i = 0; i < args->vary_count; i++) fprintf(text, " --vary=%s", args->vary[i]);
  fprintf(text, " --on=%s --sizes=%s --runs=%zu --seconds=%g", args->on ? args->on : "",
          args->sizes ? args->sizes : "", all->runs, all->seconds);
  return fclose(text) == 0 ? TRM_OK : no_memory();
}

static trm_status check_ladder(const study *all, const trm_solver_type *type)
{
  if (!all->is_ladder && all->args->vary_count == 0 && !all->sizes && !all->args->on)
    return TRM_FAIL(INPUT, "nothing to study: give --ladder, --vary=KEY=A,B, --sizes=A,B or "
                    "--on=openmp,opencl");
  if (!all->is_ladder || type->ladder) return TRM_OK;
  return TRM_FAIL(INPUT, "--ladder: solver '%s' declares no ladder; compare the values of a key "
                  "with --vary=KEY=A,B", type->name);
}

/* A solver may have a ladder for some of its cases only; its own check of the lowest rung tells.
 * What else fails there is the row's affair. */
static trm_status try_ladder(study *all)
{
  const study_row *row = &all->rows[0];
  char reason[400];
  session run;
  if (!all->is_ladder || row->run_count > 0) return TRM_OK;
  trm_status status = session_begin(&run, row->chosen, all->devices[row->device].device, NULL);
  session_end(&run);
  if (status != TRM_ERROR_INPUT) return TRM_OK;
  snprintf(reason, sizeof reason, "%.399s", trm_error_last()->text);
  return TRM_FAIL(INPUT, "--ladder: the solver's ladder is none of this case: %s. Compare what "
                  "this case can vary with --vary=KEY=A,B", reason);
}

trm_status study_open(study *all, const arguments *args)
{
  run_case plain;
  *all = (study){.args = args, .is_ladder = args->ladder, .out.lock = -1,
                 .runs = args->runs ? (size_t)args->runs : DEFAULT_RUNS,
                 .seconds = args->seconds > 0 ? args->seconds : 1.0};
  if (all->runs > STUDY_RUNS)
    return TRM_FAIL(INPUT, "--runs=%d: a study takes at most %d runs of a row", args->runs,
                    STUDY_RUNS);
  if (args->sizes) TRM_TRY(study_read_sizes(all, args->sizes));
  const case_request wanted = arguments_case(args);
  trm_status status = case_create(&wanted, &plain);
  if (status == TRM_OK) status = check_ladder(all, plain.type);
  if (status == TRM_OK) status = study_read_cases(all, &plain);
  case_clear(&plain);
  TRM_TRY(status);
  TRM_TRY(listing_context(&all->context));
  TRM_TRY(listing_start_drivers(all->context));
  TRM_TRY(list_rows(all));
  TRM_TRY(ask(all));
  const char *folder = all->rows[0].chosen->settings.folder;
  if (folder[0]) TRM_TRY(study_resume(all, folder));
  TRM_TRY(try_ladder(all));
  return results_open_plain(&all->out, all->rows[0].chosen, "study", message_kept(), 1);
}

void study_close(study *all)
{
  for (size_t i = 0; i < all->device_count; i++) {
    energy_close(&all->devices[i].meter);
    trm_device_close(&all->devices[i].device);
  }
  for (size_t i = 0; i < all->row_count; i++) json_decref(all->rows[i].gpu);
  trm_context_destroy(&all->context);
  for (size_t i = 0; i < all->variation_count; i++) variation_clear(&all->variations[i]);
  for (size_t i = 0; all->sizes && all->sizes[i]; i++) free(all->sizes[i]);
  results_close(&all->out);
  json_decref(all->host);
  free(all->question);
  free(all->sizes);
  free(all->variations);
  free(all->rows);
  free(all->devices);
  free(all->roofs);
  *all = (study){.out.lock = -1};
}

/* ---- rows, asked -------------------------------------------------------------------- */

void study_say_row(const study *all, const study_row *row, char *text, size_t bytes)
{
  int used = snprintf(text, bytes, "%s%s%s%s%s", row->rung ? row->rung->name : "",
                      row->rung ? " on " : "", all->devices[row->device].spec,
                      row->size ? ", size " : "", row->size ? row->size : "");
  for (size_t a = 0; a < row->cases->axis_count && used > 0 && (size_t)used < bytes; a++)
    used += snprintf(text + used, bytes - (size_t)used, ", %s=%s", row->cases->axes[a].name,
                     value_of(row, a));
}

sample row_rate(const study_row *row)
{
  double order[STUDY_RUNS];
  return sample_of(row->rates, row->run_count, order);
}

double row_seconds(const study_row *row)
{
  const double rate = row_rate(row).median;
  return rate > 0 ? row->cells / rate : (double)NAN;
}

sample row_ratio(const study_row *row, const study_row *to, interval *range)
{
  double ratios[STUDY_RUNS], order[STUDY_RUNS];
  const size_t count = row->run_count < to->run_count ? row->run_count : to->run_count;
  for (size_t i = 0; i < count; i++) ratios[i] = row->rates[i] / to->rates[i];
  *range = median_interval(ratios, count, order);
  return sample_of(ratios, count, order);
}

const study_row *row_before(const study *all, const study_row *row)
{
  for (const study_row *at = row; at->before != (size_t)(at - all->rows);) {
    at = &all->rows[at->before];
    if (at->run_count > 0) return at;
  }
  return NULL;
}

const study_row *row_reference(const study *all, const study_row *row)
{
  for (size_t i = row->reference; i < all->row_count; i++)
    if (all->rows[i].reference == row->reference && all->rows[i].fingerprint[0])
      return &all->rows[i];
  return row;
}

/* The verified steps against the reference's; one that did not come so far says nothing. */
int row_agrees(const study *all, const study_row *row)
{
  const study_row *reference = row_reference(all, row);
  if (!row->repeats) return 0;
  if (!row->fingerprint[0]) return 1;
  return strcmp(row->fingerprint, reference->fingerprint) == 0 &&
         strcmp(row->series, reference->series) == 0;
}
