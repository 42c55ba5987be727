/* study.c - the rows of a study, from the command line; nothing runs here. */
#include "cli/study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/listing.h"
#include "run/measure/clock.h"
#include "cli/message.h"

enum { DEFAULT_RUNS = 6 }; /* the fewest that a 95 % interval of the sign test takes */

static trm_status no_memory(void) { return TRM_FAIL(NO_HOST_MEMORY, "no memory for the study"); }

/* ---- rows ------------------------------------------------------------------------ */

static const char *value_of(const study_row *row, size_t axis)
{
  return variation_value(row->who.cases, row->who.case_index, axis);
}

/* Whether two rows must have the same result: the size and every key that may change it alike. */
static int is_family(const study_row *a, const study_row *b)
{
  if (a->who.size != b->who.size || !a->family != !b->family) return 0;
  if (a->family && strcmp(a->family, b->family) != 0) return 0;
  if (a->who.chosen->settings.solver.math != TRM_STRICT) return 0;
  const unsigned another = TRM_FEWER_BITS | TRM_OTHER_METHOD | TRM_VARYING_BITS;
  if (a->implementation && b->implementation &&
      ((a->implementation->saves ^ b->implementation->saves) & another) != 0)
    return 0;
  for (size_t i = 0; i < a->who.cases->axis_count; i++)
    if (!a->who.cases->axes[i].same_result && strcmp(value_of(a, i), value_of(b, i)) != 0) return 0;
  return 1;
}

trm_status study_add_row(study *all, const study_row *row)
{
  if (all->row_count == STUDY_ROWS)
    return TRM_FAIL(INPUT, "more than %d runs to study; name fewer devices, or vary less",
                    STUDY_ROWS);
  study_row *grown = realloc(all->rows, (all->row_count + 1) * sizeof *grown);
  if (!grown) return no_memory();
  const size_t count = all->row_count++;
  all->rows = grown;
  study_row *added = &grown[count];
  *added = *row;
  added->who.reference = count;
  added->apart = added->own_apart = (double)NAN;
  for (size_t i = 0; i < count && added->who.reference == count; i++)
    if (is_family(&grown[i], added)) added->who.reference = i;
  const int is_first = count == 0 || grown[count - 1].group != row->group;
  added->before = row->implementation && !is_first ? count - 1 : count;
  return TRM_OK;
}

/* Along a ladder the implementations of one size, case and device are a group; a sweep is one
 * group. */
static trm_status add_rows_of(study *all, size_t first, size_t count, size_t c, const char *spec)
{
  const trm_solver_type *type = all->variations[first].cases[c].type;
  for (size_t r = 0; r < count; r++) {
    const variation *cases = &all->variations[first + r];
    study_row row = {.implementation = all->is_ladder ? &type->implementations->list[r] : NULL,
                     .group = all->group_count};
    TRM_TRY(candidate_create(cases, c, spec ? spec : cases->cases[c].settings.backend,
                             spec ? "--on" : NULL, &all->devices, &row.who));
    row.who.implementation = row.implementation ? row.implementation->name : NULL;
    row.who.size = all->sizes ? all->sizes[first / count] : NULL;
    TRM_TRY(study_add_row(all, &row));
  }
  if (all->is_ladder) all->group_count++;
  return TRM_OK;
}

static trm_status list_rows(study *all)
{
  const trm_implementations *ladder = all->variations[0].cases[0].type->implementations;
  const size_t count = all->is_ladder ? ladder->count : 1;
  char word[128];
  for (size_t first = 0; first < all->variation_count; first += count)
    for (size_t c = 0; c < all->variations[first].case_count; c++) {
      const char *rest = all->args->on;
      if (!rest) TRM_TRY(add_rows_of(all, first, count, c, NULL));
      while (rest && (rest = list_next(rest, word, sizeof word)))
        TRM_TRY(add_rows_of(all, first, count, c, word));
    }
  if (!all->is_ladder) all->group_count = 1;
  return TRM_OK;
}

/* ---- the whole --------------------------------------------------------------------- */

static trm_status check_ladder(const study *all, const trm_solver_type *type)
{
  if (!all->is_ladder && all->args->vary_count == 0 && !all->sizes && !all->args->on)
    return TRM_FAIL(INPUT, "nothing to study: give --ladder, --vary=KEY=A,B, --sizes=A,B or "
                    "--on=openmp,opencl");
  if (!all->is_ladder || type->implementations) return TRM_OK;
  return TRM_FAIL(INPUT, "--ladder: solver '%s' declares no ladder; compare the values of a key "
                  "with --vary=KEY=A,B", type->name);
}

/* A solver may have a ladder for some of its cases only; its own check of the first
 * implementation tells. Any other failure there belongs to the row. */
static trm_status try_ladder(study *all)
{
  const study_row *row = &all->rows[0];
  char reason[400];
  session run;
  if (!all->is_ladder || row->who.benchmark.run_count > 0) return TRM_OK;
  trm_status status = candidate_open(&run, row->who.chosen, &all->devices, row->who.device, NULL);
  session_end(&run);
  if (status != TRM_ERROR_INPUT) return TRM_OK;
  snprintf(reason, sizeof reason, "%.399s", trm_error_last()->text);
  return TRM_FAIL(INPUT, "--ladder: this case does not support the ladder: %s. Compare what "
                  "this case can vary with --vary=KEY=A,B", reason);
}

trm_status study_begin(study *all, const arguments *args)
{
  *all = (study){.args = args, .is_ladder = args->ladder, .out.lock = -1,
                 .runs = args->runs ? (size_t)args->runs : DEFAULT_RUNS,
                 .seconds = args->seconds > 0 ? args->seconds : 1.0};
  if (all->runs > STUDY_RUNS)
    return TRM_FAIL(INPUT, "--runs=%d: a study takes at most %d runs of a row", args->runs,
                    STUDY_RUNS);
  return TRM_OK;
}

trm_status study_prepare(study *all, const char *kind)
{
  const run_settings *settings = &all->rows[0].who.chosen->settings;
  all->roofs = calloc(all->group_count + 1, sizeof *all->roofs);
  all->until = settings->seconds > 0 ? clock_now() + settings->seconds : 0;
  all->question = candidate_question(kind, all->args, all->runs, all->seconds);
  if (!all->roofs || !all->question) return no_memory();
  if (settings->folder[0]) TRM_TRY(study_resume(all, settings->folder));
  if (all->finished) {
    all->out.folder = strdup(settings->folder);
    return all->out.folder ? TRM_OK : no_memory();
  }
  if (!all->halvings) TRM_TRY(try_ladder(all));
  TRM_TRY(results_open_plain(&all->out, all->rows[0].who.chosen, "study", message_kept(), 1));
  if (all->args->again) candidate_keep_remove(all->out.folder);
  return TRM_OK;
}

trm_status study_open(study *all, const arguments *args)
{
  run_case plain;
  TRM_TRY(study_begin(all, args));
  if (args->sizes) TRM_TRY(study_read_sizes(all, args->sizes));
  trm_status status = study_plain_case(all, &plain);
  if (status == TRM_OK) status = check_ladder(all, plain.type);
  if (status == TRM_OK) status = study_read_cases(all, &plain);
  case_clear(&plain);
  TRM_TRY(status);
  TRM_TRY(listing_context(&all->devices.context));
  TRM_TRY(listing_start_drivers(all->devices.context));
  TRM_TRY(list_rows(all));
  return study_prepare(all, all->is_ladder ? "ladder" : "sweep");
}

void study_close(study *all)
{
  trm_context *context = all->devices.context;
  for (size_t i = 0; i < all->row_count; i++) candidate_clear(&all->rows[i].who);
  candidate_devices_close(&all->devices);
  trm_context_destroy(&context);
  for (size_t i = 0; i < all->variation_count; i++) variation_clear(&all->variations[i]);
  for (size_t i = 0; all->sizes && all->sizes[i]; i++) free(all->sizes[i]);
  results_close(&all->out);
  json_decref(all->host);
  json_decref(all->finished);
  json_decref(all->halvings);
  json_decref(all->kernels);
  free(all->question);
  free(all->sizes);
  free(all->variations);
  free(all->rows);
  free(all->roofs);
  *all = (study){.out.lock = -1};
}

/* ---- rows, asked -------------------------------------------------------------------- */

const trm_device_info *row_device(const study *all, const study_row *row)
{
  return &all->devices.list[row->who.device].info;
}

const study_row *row_before(const study *all, const study_row *row)
{
  for (const study_row *at = row; at->before != (size_t)(at - all->rows);) {
    at = &all->rows[at->before];
    if (at->who.benchmark.run_count > 0) return at;
  }
  return NULL;
}

const study_row *row_reference(const study *all, const study_row *row)
{
  for (size_t i = row->who.reference; i < all->row_count; i++)
    if (all->rows[i].who.reference == row->who.reference &&
        all->rows[i].who.benchmark.fingerprint[0])
      return &all->rows[i];
  return row;
}

int row_varies(const study_row *row)
{
  return row->implementation && (row->implementation->saves & TRM_VARYING_BITS) != 0;
}

int row_is_too_far(const study_row *row)
{
  return row->tolerance > 0 && (row->apart > row->tolerance || row->own_apart > row->tolerance);
}

/* The verified steps against the reference's; one that did not come so far says nothing. */
int row_agrees(const study *all, const study_row *row)
{
  const study_row *reference = row_reference(all, row);
  const benchmark *of = &row->who.benchmark;
  if (row_is_too_far(row)) return 0;
  if (row_varies(row)) return 1;
  if (!of->repeats) return 0;
  if (!of->fingerprint[0]) return 1;
  const int has_series =
    !row->implementation || !reference->implementation ||
    !((row->implementation->saves ^ reference->implementation->saves) & TRM_OTHER_SUMS);
  return strcmp(of->fingerprint, reference->who.benchmark.fingerprint) == 0 &&
         (!has_series || strcmp(row->series, reference->series) == 0);
}
