/* tuning.c - which values are tried, and which are taken. */
#include "cli/study/tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/comparison.h"
#include "cli/compare/candidate.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "cli/process.h"
#include "run/text/text.h"

enum { DEFAULT_RUNS = VERDICT_RUNS, CHECK_STEPS = 3, VALUE_LIMIT = 24, RECORDED = 128, SHORT = 8,
       FAR = 4 };
static const double run_seconds = 0.2;

typedef struct search {
  const arguments *args;
  trm_context *context;
  const char *on;              /* the device, as asked for */
  size_t runs;
  struct outcome {             /* what some steps have shown */
    char fingerprint[33];
    trm_program_info built;
    double rate;               /* steps a second */
    int at_once;               /* most recorded launches of a kernel at once; and why 1 */
    char alone[160];
    int is_strict;
  } first;                     /* of the default, after CHECK_STEPS steps */
  double rate;                 /* of the default in a short run */
  tuning *out;
} search;

typedef struct outcome outcome;

/* ---- cases ---------------------------------------------------------------------- */

/* The case with the values taken so far, one further value (key NULL: none), and `steps` steps. */
static trm_status make_case(const search *s, const char *key, const char *text, uint64_t steps,
                            int with_taken, run_case *out)
{
  static char origin[] = "trireme tune", steps_key[] = "run.steps", roof_key[] = "run.roof";
  static char no[] = "false";
  char number[32];
  setting settings[TUNED_LIMIT + 3];
  size_t count = 0;
  snprintf(number, sizeof number, "%llu", (unsigned long long)steps);
  tuned *taken = &s->out->found;
  for (size_t i = 0; i < taken->count && with_taken; i++)
    settings[count++] = (setting){taken->values[i].key, taken->values[i].text, origin,
                                  TRM_RANK_OPTION};
  if (key) settings[count++] = (setting){(char *)key, (char *)text, origin, TRM_RANK_OPTION};
  settings[count++] = (setting){steps_key, number, origin, TRM_RANK_OPTION};
  settings[count++] = (setting){roof_key, no, origin, TRM_RANK_OPTION};
  const case_request wanted = arguments_case(s->args);
  return case_create_with(&wanted, settings, count, out);
}

/* As the session's device tells. */
static void ask_fused(const session *run, outcome *out)
{
  const trmi_fused_launches *list;
  const size_t count = trmi_device_fused(run->device, &list);
  out->at_once = 0;
  snprintf(out->alone, sizeof out->alone, "so few steps are not recorded");
  for (size_t i = 0; i < count; i++) {
    if (list[i].launches <= out->at_once) continue;
    out->at_once = list[i].launches;
    memcpy(out->alone, list[i].reason, sizeof out->alone);
  }
}

/* On a device of its own. */
static trm_status run_case_alone(const search *s, const run_case *chosen, outcome *out)
{
  trm_device *device = NULL;
  session run = {0};
  const session_hooks hooks = {.interrupted = &process_interrupted};
  TRM_TRY(device_open(s->context, s->on, &chosen->settings.device, "--device", &device));
  trm_status status = candidate_begin(&run, chosen, device, &hooks);
  if (status == TRM_OK) status = session_run(&run);
  if (status == TRM_OK) {
    memcpy(out->fingerprint, run.fingerprint, sizeof out->fingerprint);
    out->built = run.solver->program ? *run.solver->program : (trm_program_info){.group = 0};
    out->rate = run.times.steady > 0 ? (double)run.steady_steps / run.times.steady : 0;
    out->is_strict = chosen->settings.solver.math == TRM_STRICT;
    ask_fused(&run, out);
  }
  session_end(&run);
  trm_device_close(&device);
  return status;
}

/* key NULL: the defaults. */
static trm_status try_value(const search *s, const char *key, const char *text, uint64_t steps,
                            outcome *out)
{
  run_case chosen;
  trm_status status = make_case(s, key, text, steps, key != NULL, &chosen);
  if (status == TRM_OK) status = run_case_alone(s, &chosen, out);
  case_clear(&chosen);
  return status;
}

/* As many steps as take run_seconds, but no more than the case has; whole recordings of steps. */
static trm_status choose_steps(search *s, uint64_t most)
{
  uint64_t steps = most < 8 ? most : 8;
  for (int round = 0; round < 3 && steps < most; round++) {
    outcome seen;
    TRM_TRY(try_value(s, NULL, NULL, steps, &seen));
    const double wanted = seen.rate * run_seconds;
    uint64_t next = wanted < 8 ? 8 : wanted < 1e9 ? (uint64_t)wanted : 1000000000u;
    if (next > 2 * RECORDED) next -= next % RECORDED;
    steps = next < most ? next : most;
  }
  s->out->steps = steps;
  return TRM_OK;
}

/* ---- values ---------------------------------------------------------------------- */

typedef struct value_list { char text[VALUE_LIMIT][64]; size_t count; } value_list;

static void add_value(value_list *list, const char *text, size_t length)
{
  if (list->count == VALUE_LIMIT || length >= sizeof list->text[0]) return;
  snprintf(list->text[list->count++], sizeof list->text[0], "%.*s", (int)length, text);
}

static void add_words(value_list *list, const char *words, char separator)
{
  while (*words) {
    const char *end = strchr(words, separator);
    const size_t length = end ? (size_t)(end - words) : strlen(words);
    add_value(list, words, length);
    words += length + (end != NULL);
  }
}

static void add_number(value_list *list, double number, const trm_option *option)
{
  char text[32];
  if (number < option->minimum || number > option->maximum) return;
  snprintf(text, sizeof text, "%.0f", number);
  add_value(list, text, strlen(text));
}

/* The values to try for a key; none for a key that does not affect speed on this device. */
static void values_of(const trm_option *option, const trm_device_info *device, value_list *out)
{
  const int is_own = strncmp(option->key, "run.", 4) != 0 &&
                     strncmp(option->key, "output.", 7) != 0 &&
                     strcmp(option->key, "mesh.shuffle") != 0;
  out->count = 0;
  if (!(option->flags & TRM_OPTION_SAME_RESULT)) return;
  /* the parts of a form that another key names, whose values are tried */
  if (option->fallback && strcmp(option->fallback, "named") == 0) return;
  if (strcmp(option->key, "run.group") == 0 && !device->is_host)
    add_words(out, "32x1 64x1 128x1 256x1 512x1 1024x1 32x2 64x2 128x2 256x2 32x4 64x4 128x4 32x8",
              ' ');
  if (strcmp(option->key, "run.steps_shape") == 0 && !device->is_host)
    add_words(out, "3:32x2 3:32x4 3:64x2 3:64x4 3:64x8 3:96x4 3:128x2 3:128x4 3:160x3 5:64x4 "
              "3:32x6:tile 3:32x12:tile 5:32x12:tile 5:32x16:tile 5:32x24:tile 7:32x20:tile", ' ');
  if (strcmp(option->key, "run.wavefront") == 0 && device->is_host)
    add_words(out, "1 4 8 16 32 64 128", ' ');
  if (strcmp(option->key, "run.threads") == 0 && device->is_host)
    for (int threads = device->threads / 2; threads >= 1; threads /= 2)
      add_number(out, threads, option);
  if (!is_own) return;
  if (option->type == TRM_OPTION_STRING && option->choices) add_words(out, option->choices, '|');
  if (option->type == TRM_OPTION_BOOLEAN) add_words(out, "true false", ' ');
  if (option->type == TRM_OPTION_INTEGER)
    for (double number = 32; number <= 1024; number *= 2) add_number(out, number, option);
}

/* ---- one key --------------------------------------------------------------------- */

static tuning_row *add_row(tuning *out, const char *key, const char *text)
{
  if (out->row_count == TUNING_ROWS) return NULL;
  tuning_row *row = &out->rows[out->row_count++];
  *row = (tuning_row){.verdict = TUNING_TIMED, .ratio = NAN};
  snprintf(row->key, sizeof row->key, "%s", key);
  snprintf(row->text, sizeof row->text, "%s", text);
  return row;
}

static int builds_the_same(const trm_program_info *a, const trm_program_info *b)
{
  return a->row_group_x == b->row_group_x && a->row_group_y == b->row_group_y &&
         a->group == b->group;
}

/* A shape (for some solvers a number of items in a group) is not timed if it builds the same
 * program again. A host's shapes are fixed; a GPU's may be the default. */
static int is_shape(const trm_option *option)
{
  return strcmp(option->key, "run.group") == 0 ||
         (option->type == TRM_OPTION_INTEGER && strcmp(option->unit, "items") == 0);
}

/* How many steps a launch takes is seen where there are enough of them to be recorded. */
static const char shape_key[] = "run.steps_shape";

/* Part of a timed run; a form of a kernel that is there to be slow would take minutes. */
static trm_status try_shortly(const search *s, const char *key, const char *text, outcome *seen)
{
  const int whole = key && strcmp(key, shape_key) == 0;
  const uint64_t part = whole ? s->out->steps : s->out->steps / SHORT;
  TRM_TRY(try_value(s, key, text, part > CHECK_STEPS ? part : CHECK_STEPS, seen));
  return TRM_OK;
}

/* A few steps before any is timed; the verdict is TUNING_TIMED where the value may be. */
static trm_status check(search *s, const trm_option *option, tuning_row *row)
{
  outcome seen;
  const trm_status status = try_value(s, row->key, row->text, CHECK_STEPS, &seen);
  if (status == TRM_ERROR_DEVICE || status == TRM_ERROR_INTERRUPTED) return status;
  if (status != TRM_OK) {
    row->verdict = TUNING_REFUSED;
    snprintf(row->why, sizeof row->why, "%.190s", trm_error_last()->text);
  } else if (seen.is_strict && strcmp(seen.fingerprint, s->first.fingerprint) != 0) {
    row->verdict = TUNING_DIFFERS;
  } else if (is_shape(option) && builds_the_same(&seen.built, &s->first.built)) {
    row->verdict = TUNING_SAME;
  } else if (seen.rate * FAR * FAR < s->first.rate) {
    row->verdict = TUNING_FAR;
  }
  if (row->verdict != TUNING_TIMED) return TRM_OK;
  TRM_TRY(try_shortly(s, row->key, row->text, &seen));
  if (strcmp(row->key, shape_key) == 0 && seen.at_once < 2) {
    row->verdict = TUNING_REFUSED;
    snprintf(row->why, sizeof row->why, "%s", seen.alone);
  } else if (seen.rate * FAR < s->rate) row->verdict = TUNING_FAR;
  return TRM_OK;
}

/* Times cases in turn: the first is the reference of the others, row by row. The cases are
 * freed. */
static trm_status time_cases(search *s, run_case *cases, size_t count, trm_status made,
                             tuning_row *const *rows)
{
  comparison all = {0};
  const variation fused = {.cases = cases, .case_count = count};
  trm_status status = made;
  if (status == TRM_OK) status = comparison_open(&all, s->context, &fused, s->on, s->runs);
  if (status == TRM_OK) status = comparison_run(&all);
  for (size_t i = 1; i < count && status == TRM_OK; i++) {
    tuning_row *row = rows[i - 1];
    row->ratio = comparison_row_ratio(&all, &all.rows[i], &row->range).median;
    if (!comparison_row_agrees(&all, i)) row->verdict = TUNING_DIFFERS;
  }
  comparison_close(&all);
  for (size_t i = 0; i < count; i++) case_clear(&cases[i]);
  free(cases);
  return status;
}

/* The best so far beside each row that may be timed. */
static trm_status time_rows(search *s, tuning_row *const *rows, size_t count)
{
  run_case *cases = calloc(count + 1, sizeof *cases);
  if (!cases) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the cases");
  trm_status status = make_case(s, NULL, NULL, s->out->steps, 1, &cases[0]);
  for (size_t i = 0; i < count && status == TRM_OK; i++)
    status = make_case(s, rows[i]->key, rows[i]->text, s->out->steps, 1, &cases[i + 1]);
  return time_cases(s, cases, count + 1, status, rows);
}

static int is_faster(const tuning_row *row)
{
  return row->verdict == TUNING_TIMED && interval_shows(&row->range) && row->range.low > 1;
}

/* The fastest is timed once more, alone with the best so far: of many, one is the fastest by
 * chance. */
static trm_status take_best(search *s, tuning_row **rows, size_t count)
{
  tuning_row *best = NULL;
  for (size_t i = 0; i < count; i++)
    if (is_faster(rows[i]) && (!best || rows[i]->ratio > best->ratio)) best = rows[i];
  if (!best) return TRM_OK;
  TRM_TRY(time_rows(s, &best, 1));
  if (!is_faster(best) || s->out->found.count == TUNED_LIMIT) return TRM_OK;
  tuned_value *taken = &s->out->found.values[s->out->found.count];
  snprintf(taken->key, sizeof taken->key, "%s", best->key);
  snprintf(taken->text, sizeof taken->text, "%s", best->text);
  s->out->found.count++;
  best->verdict = TUNING_TAKEN;
  return TRM_OK;
}

static trm_status search_key(search *s, const trm_option *option, const char *present,
                             const value_list *values)
{
  tuning_row *timed[VALUE_LIMIT];
  size_t count = 0;
  for (size_t i = 0; i < values->count; i++) {
    if (strcmp(values->text[i], present) == 0) continue;
    tuning_row *row = add_row(s->out, option->key, values->text[i]);
    if (!row) return TRM_FAIL(INPUT, "more than %d values to try", TUNING_ROWS);
    TRM_TRY(check(s, option, row));
    if (row->verdict == TUNING_TIMED) timed[count++] = row;
  }
  if (count == 0) return TRM_OK;
  TRM_TRY(time_rows(s, timed, count));
  return take_best(s, timed, count);
}

/* ---- the whole -------------------------------------------------------------------- */

static void take_nothing(tuning *out)
{
  out->found.count = 0;
  for (size_t i = 0; i < out->row_count; i++)
    if (out->rows[i].verdict == TUNING_TAKEN) out->rows[i].verdict = TUNING_TIMED;
}

/* Measures all taken values against the defaults. Where that is within the noise, nothing is
 * taken. */
static trm_status measure_gain(search *s)
{
  tuning_row all = {.verdict = TUNING_TIMED}, *rows[] = {&all};
  s->out->found.gain = 1;
  s->out->range = (interval){1, 1, 1};
  if (s->out->found.count == 0) return TRM_OK;
  run_case *cases = calloc(2, sizeof *cases);
  if (!cases) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the cases");
  trm_status status = make_case(s, NULL, NULL, s->out->steps, 0, &cases[0]);
  if (status == TRM_OK) status = make_case(s, NULL, NULL, s->out->steps, 1, &cases[1]);
  TRM_TRY(time_cases(s, cases, 2, status, rows));
  s->out->range = all.range;
  if (is_faster(&all)) s->out->found.gain = all.ratio;
  else take_nothing(s->out);
  return TRM_OK;
}

static trm_status keep(search *s, trm_device *device, const run_case *chosen)
{
  char *path = NULL;
  session run = {0};
  trm_status status = candidate_begin(&run, chosen, device, NULL);
  if (status == TRM_OK)
    status = tuned_store(s->context, device, run.solver, &chosen->settings.solver, &s->out->found,
                         &path);
  session_end(&run);
  if (path) snprintf(s->out->file, sizeof s->out->file, "%s", path);
  free(path);
  return status;
}

static void record_given(tuning *out, const char *key, const run_case *chosen)
{
  text_append(out->given, sizeof out->given, "%s%s=%s", out->given[0] ? ", " : "", key,
              trm_config_text(chosen->config, key));
}

trm_status tuning_run(const arguments *args, trm_context *context, trm_device *device,
                      const run_case *chosen, tuning *out)
{
  *out = (tuning){.steps = 0};
  search s = {.args = args, .context = context, .on = chosen->settings.backend, .out = out,
              .runs = args->runs ? (size_t)args->runs : DEFAULT_RUNS};
  TRM_TRY(try_value(&s, NULL, NULL, CHECK_STEPS, &s.first));
  TRM_TRY(choose_steps(&s, chosen->settings.steps));
  outcome alone;
  TRM_TRY(try_shortly(&s, NULL, NULL, &alone));
  s.rate = alone.rate;
  for (size_t i = 0; i < trm_config_count(chosen->config); i++) {
    const trm_option *option = trm_config_option(chosen->config, i);
    value_list values;
    values_of(option, trm_device_describe(device), &values);
    if (values.count == 0) continue;
    if (!tuned_is_free(chosen, option->key)) {
      record_given(out, option->key, chosen);
      continue;
    }
    TRM_TRY(search_key(&s, option, trm_config_text(chosen->config, option->key), &values));
  }
  TRM_TRY(measure_gain(&s));
  return keep(&s, device, chosen);
}
