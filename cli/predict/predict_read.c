/* predict_read.c - kept results as rows and devices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/predict/predict.h"

#include "cli/arguments.h"
#include "io/json_kept.h"
#include "io/place.h"
#include "run/json_parts.h"
#include "run/measure/benchmark.h"
#include "run/text/json.h"
#include "run/text/members.h"
#include "run/text/text.h"

enum { FILE_BYTES = 16 * 1024 * 1024, ROW_LIMIT = 4096, DEVICE_LIMIT = 64, WORD_LIMIT = 64 };

static trm_status no_memory(void)
{
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the results");
}

/* ---- devices -------------------------------------- */

static int is_device(const predict_device *of, const json_t *told)
{
  const double threads = member_number(told, "threads");
  return strcmp(of->name, member_text(told, "name")) == 0 &&
         strcmp(of->backend, member_text(told, "backend")) == 0 &&
         (of->threads == threads || (isnan(of->threads) && isnan(threads)));
}

/* The device that a result tells, added where it is new. */
static trm_status find_device(predict_data *all, const json_t *told, size_t *out)
{
  for (*out = 0; *out < all->device_count; ++*out)
    if (is_device(&all->devices[*out], told)) return TRM_OK;
  if (all->device_count == DEVICE_LIMIT)
    return TRM_FAIL(INPUT, "more than %d devices in the results; give fewer files", DEVICE_LIMIT);
  predict_device *grown = realloc(all->devices, (all->device_count + 1) * sizeof *grown);
  if (!grown) return no_memory();
  all->devices = grown;
  predict_device *added = &grown[all->device_count++];
  *added = (predict_device){.is_host = json_is_true(member(told, "host")), .copy = NAN,
                            .threads = member_number(told, "threads"), .sheet_f32 = NAN,
                            .sheet_f64 = NAN};
  text_copy(added->name, sizeof added->name, member_text(told, "name"));
  text_copy(added->backend, sizeof added->backend, member_text(told, "backend"));
  return TRM_OK;
}

static void take_better(sample *to, const sample *from)
{
  if (from->count > 0 && (to->count == 0 || from->most > to->most)) *to = *from;
}

static void take_shorter(sample *to, const sample *from)
{
  if (from->count > 0 && (to->count == 0 || from->median < to->median)) *to = *from;
}

static trm_status take_bench(predict_data *all, const char *path, const json_t *document)
{
  const json_t *one;
  size_t i, at;
  json_array_foreach((json_t *)member(document, "devices"), i, one) {
    device_roofs read = {0};
    if (!json_is_object(member(one, "device")) || !json_roofs_read(one, &read))
      return TRM_FAIL(INPUT, "%s is damaged: its device %zu has no sound roofs", path, i + 1);
    TRM_TRY(find_device(all, member(one, "device"), &at));
    predict_device *to = &all->devices[at];
    take_better(&to->roofs.copy_command, &read.copy_command);
    take_better(&to->roofs.copy_kernel, &read.copy_kernel);
    take_better(&to->roofs.fma_f32, &read.fma_f32);
    take_better(&to->roofs.fma_f64, &read.fma_f64);
    take_shorter(&to->roofs.launch_recorded, &read.launch_recorded);
    take_better(&to->roofs.to_device, &read.to_device);
    const double sheet_f32 = member_number(one, "sheet.fma_f32");
    const double sheet_f64 = member_number(one, "sheet.fma_f64");
    if (sheet_f32 > 0) to->sheet_f32 = sheet_f32;
    if (sheet_f64 > 0) to->sheet_f64 = sheet_f64;
    if (roof_copy(&to->roofs) > 0) {
      to->copy = roof_copy(&to->roofs);
      to->is_benched = 1;
    }
  }
  return TRM_OK;
}

/* A copy beside a run, for a device that bench did not measure. */
static void take_copy(predict_device *to, double copy)
{
  if (!to->is_benched && copy > 0 && !(to->copy >= copy)) to->copy = copy;
}

/* ---- rows -------------------------------------- */

static trm_status add_row(predict_data *all, const json_t *device, predict_row **out)
{
  size_t at;
  if (all->row_count == ROW_LIMIT)
    return TRM_FAIL(INPUT, "more than %d results; give fewer files", ROW_LIMIT);
  TRM_TRY(find_device(all, device, &at));
  predict_row *grown = realloc(all->rows, (all->row_count + 1) * sizeof *grown);
  if (!grown) return no_memory();
  all->rows = grown;
  *out = &grown[all->row_count++];
  **out = (predict_row){.device = at, .copy = NAN, .launches = NAN, .transferred = NAN,
                        .least = NAN, .most = NAN,
                        .at_once = atoi(member_text(device, "steps_at_once"))};
  return TRM_OK;
}

/* The command's words after "trireme run" as a case: options that name a key, --set, operands. */
typedef struct row_command {
  const char *operands[WORD_LIMIT];
  setting settings[WORD_LIMIT];
  char texts[WORD_LIMIT][PREDICT_TEXT];
  size_t operand_count, setting_count;
} row_command;

static const char *key_of_option(const char *name)
{
  for (size_t i = 0; i < named_option_count; i++)
    if (named_options[i].key && (named_options[i].commands & COMMAND_RUN) &&
        strcmp(named_options[i].name, name) == 0)
      return named_options[i].key;
  return NULL;
}

static void add_word(row_command *to, const char *word)
{
  static char origin[] = "its command";
  char *text = to->texts[to->setting_count], *value;
  snprintf(text, PREDICT_TEXT, "%s", word);
  if (strncmp(word, "--", 2) != 0) {
    to->operands[to->operand_count++] = word;
    return;
  }
  const int is_set = strncmp(word, "--set=", 6) == 0;
  char *key = text + (is_set ? 6 : 2);
  value = strchr(key, '=');
  if (!value) return;
  *value++ = 0;
  if (!is_set) key = (char *)key_of_option(key);
  if (key) to->settings[to->setting_count++] = (setting){key, value, origin, TRM_RANK_SET};
}

/* Every key of the case that a command names. */
static trm_status read_command(predict_row *to, const json_t *words)
{
  const json_t *word;
  size_t i;
  run_case chosen = {0};
  trm_status status = TRM_OK;
  row_command *read = calloc(1, sizeof *read);
  if (!read) return no_memory();
  json_array_foreach((json_t *)words, i, word)
    if (i >= 2 && i < WORD_LIMIT && json_is_string(word))
      add_word(read, json_string_value(word));
  const case_request wanted = {.operands = read->operands, .operand_count = read->operand_count,
                               .settings = read->settings, .setting_count = read->setting_count,
                               .may_be_endless = 1};
  if (wanted.operand_count == 0)
    snprintf(to->missing, sizeof to->missing, "its command is not kept");
  else if ((status = case_create(&wanted, &chosen)) != TRM_OK)
    snprintf(to->missing, sizeof to->missing, "its command is not read today: %.300s",
             trm_error_last()->text);
  else {
    const run_settings *settings = &chosen.settings;
    to->config = json_config(chosen.config);
    text_copy(to->solver, sizeof to->solver, chosen.type->name);
    snprintf(to->precision, sizeof to->precision, "%s",
             trm_precision_name(settings->solver.precision));
    snprintf(to->math, sizeof to->math, "%s", trm_math_name(settings->solver.math));
  }
  case_clear(&chosen);
  free(read);
  return status == TRM_ERROR_NO_HOST_MEMORY ? status : TRM_OK;
}

/* A row of docs/measure/measure.py. */
static trm_status take_measured(predict_data *all, const char *path, const json_t *one)
{
  predict_row *to;
  const json_t *value, *rates = member(one, "rates");
  size_t i;
  if (*member_text(one, "error") || !json_is_object(member(one, "device"))) return TRM_OK;
  TRM_TRY(add_row(all, member(one, "device"), &to));
  to->seconds = member_number(one, "seconds_per_step");
  to->bytes = member_number(one, "step_bytes");
  to->flops = member_number(one, "step_flops");
  to->updates = member_number(one, "updates_per_step");
  json_array_foreach((json_t *)rates, i, value) {
    const double seconds = to->updates / json_number_value(value);
    if (json_array_size(rates) > 1) {
      to->least = fmin(isnan(to->least) ? seconds : to->least, seconds);
      to->most = fmax(isnan(to->most) ? seconds : to->most, seconds);
    }
  }
  to->copy = to->bytes / to->seconds / member_number(one, "of_copy");
  take_copy(&all->devices[to->device], to->copy);
  text_copy(to->solver, sizeof to->solver, member_text(one, "solver"));
  text_copy(to->work, sizeof to->work, member_text(one, "row"));
  text_copy(to->shape, sizeof to->shape, member_text(one, "shape"));
  text_copy(to->source, sizeof to->source, *member_text(one, "source") ? member_text(one, "source")
                                                                       : path);
  TRM_TRY(read_command(to, member(one, "command")));
  if (!(to->seconds > 0))
    snprintf(to->missing, sizeof to->missing, "its step was not timed");
  return TRM_OK;
}

/* A candidate's own values are texts; they take the type that the key has in the whole document. */
static void put_all(json_t *to, const json_t *from)
{
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)from, key, value) {
    const json_t *was = json_object_get(to, key);
    const char *text = json_string_value(value);
    if (text && json_is_integer(was))
      json_object_set_new(to, key, json_integer(strtoll(text, NULL, 10)));
    else if (text && json_is_real(was))
      json_object_set_new(to, key, json_number(strtod(text, NULL)));
    else if (text && json_is_boolean(was))
      json_object_set_new(to, key, json_boolean(strcmp(text, "true") == 0));
    else json_object_set(to, key, value);
  }
}

/* A run, a candidate, or an implementation of a ladder, whose device stands beside it. */
static trm_status take_benchmark(predict_data *all, const char *path, const json_t *document,
                                 const json_t *data, const json_t *device, const json_t *cost)
{
  predict_row *to;
  benchmark of;
  if (!json_is_object(device) || json_is_array(member(device, "parts"))) return TRM_OK;
  trm_status status = benchmark_read(&of, data, document);
  const sample rate = benchmark_rate(&of);
  if (status == TRM_OK && of.step_seconds > 0) {
    status = add_row(all, device, &to);
    if (status == TRM_OK) {
      to->seconds = of.step_seconds;
      to->updates = of.cells;
      to->bytes = of.bytes_per_second * of.step_seconds;
      to->flops = of.flops_per_second * of.step_seconds;
      to->launches = member_number(cost, "launches");
      to->transferred = member_number(cost, "written") + member_number(cost, "read");
      if (of.run_count > 1 && of.cells > 0) {
        to->least = of.cells / rate.most;
        to->most = of.cells / rate.least;
      }
      to->copy = of.copy_roof;
      take_copy(&all->devices[to->device], of.copy_roof);
      text_copy(to->solver, sizeof to->solver, member_text(document, "solver"));
      text_copy(to->shape, sizeof to->shape, of.shape);
      text_copy(to->precision, sizeof to->precision, of.precision);
      text_copy(to->math, sizeof to->math, of.math);
      snprintf(to->work, sizeof to->work, "%s%s%s", member_text(document, "case"),
               *member_text(data, "name") ? " " : "", member_text(data, "name"));
      text_copy(to->source, sizeof to->source, path);
      to->config = json_object();
      put_all(to->config, member(document, "config"));
      if (data != document) put_all(to->config, member(data, "config"));
      put_all(to->config, member(data, "values"));
      put_all(to->config, member(data, "settings"));
      if (!to->config) status = no_memory();
    }
  }
  benchmark_clear(&of);
  return status;
}

static trm_status take_study(predict_data *all, const char *path, const json_t *document)
{
  const json_t *one, *ladder, *rows = member(document, "rows");
  size_t i, k, count = 0;
  json_array_foreach((json_t *)member(document, "contenders"), i, one)
    TRM_TRY(take_benchmark(all, path, document, one, member(one, "device"),
                           member(json_array_get(rows, i), "cost")));
  json_array_foreach((json_t *)member(document, "ladders"), k, ladder)
    json_array_foreach((json_t *)member(ladder, "rungs"), i, one)
      TRM_TRY(take_benchmark(all, path, document, one, member(ladder, "device"),
                             member(json_array_get(rows, count++), "cost")));
  return TRM_OK;
}

/* ---- files -------------------------------------- */

static trm_status take_document(predict_data *all, const char *path, const json_t *document)
{
  const char *kind = member_text(document, "kind");
  const json_t *one, *list = member(document, "rows");
  size_t i;
  if (strcmp(kind, "bench") == 0) return take_bench(all, path, document);
  if (strcmp(kind, "run") == 0)
    return take_benchmark(all, path, document, document, member(document, "device"), NULL);
  if (strcmp(kind, "compare") == 0 || strcmp(kind, "study") == 0)
    return take_study(all, path, document);
  if (*kind || !json_is_array(list))
    return TRM_FAIL(INPUT, "%s holds no results of run, compare, study, bench or "
                    "docs/measure/measure.py", path);
  json_array_foreach((json_t *)list, i, one) TRM_TRY(take_measured(all, path, one));
  return TRM_OK;
}

static trm_status read_file(predict_data *all, const char *path)
{
  json_t *document = NULL;
  json_t **grown = realloc(all->documents, (all->document_count + 1) * sizeof *grown);
  if (!grown) return no_memory();
  all->documents = grown;
  TRM_TRY(trmi_json_load(path, FILE_BYTES, &document));
  all->documents[all->document_count++] = document;
  if (!json_is_whole(json_true())) return no_memory();
  return take_document(all, path, document);
}

static trm_status read_place(predict_data *all, const char *place)
{
  static const char *const names[] = {"run.json", "compare.json", "study.json", "bench.json"};
  struct stat about;
  char path[4096 + 32];
  size_t found = 0;
  if (trmi_place_stat(place, &about) != 0 || !S_ISDIR(about.st_mode)) return read_file(all, place);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", place, names[i]);
    if (trmi_place_stat(path, &about) != 0) continue;
    TRM_TRY(read_file(all, path));
    found++;
  }
  return found ? TRM_OK
               : TRM_FAIL(NOT_FOUND, "%s holds no results: no run.json, compare.json, study.json "
                          "or bench.json; name a file", place);
}

trm_status predict_read(predict_data *out, const char *list)
{
  char word[4096];
  *out = (predict_data){0};
  while (list && (list = list_next(list, word, sizeof word))) TRM_TRY(read_place(out, word));
  if (out->row_count == 0)
    return TRM_FAIL(INPUT, "the files of --from hold no step that was measured; add a run.json, "
                    "compare.json, study.json, or docs/measure/h200.json");
  return json_is_whole(json_true()) ? TRM_OK : no_memory();
}

void predict_clear(predict_data *all)
{
  for (size_t i = 0; i < all->row_count; i++) json_decref(all->rows[i].config);
  for (size_t i = 0; i < all->document_count; i++) json_decref(all->documents[i]);
  free(all->rows);
  free(all->devices);
  free(all->documents);
  *all = (predict_data){0};
}

/* ---- the same work -------------------------------------- */

static const char *const size_names[] = {"grid.nx", "grid.ny", "grid.nz", "nbody.bodies"};
enum { SIZE_NAMES = sizeof size_names / sizeof *size_names };

static double size_of(const json_t *config)
{
  double size = 1;
  for (size_t i = 0; i < SIZE_NAMES; i++) {
    const json_t *value = json_object_get(config, size_names[i]);
    if (json_is_number(value)) size *= json_number_value(value);
  }
  return size;
}

/* Keys that change neither how much a step computes nor in which way. */
static int is_left_out(const char *key)
{
  static const char *const begins[] = {"output.", "checkpoint.", "initial.", "average", "probes",
                                       "grid.n", "nbody.bodies"};
  static const char *const ways[] = {"run.steps_per_launch", "run.steps_shape", "run.wavefront",
                                     "run.plain_replay", "run.group"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    if (strncmp(key, begins[i], strlen(begins[i])) == 0) return 1;
  if (strncmp(key, "run.", 4) != 0) return 0;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (strcmp(key, ways[i]) == 0) return 0;
  return 1;
}

/* "lax-friedrichs", "d3q19": a choice, no formula and no file. */
static int is_word(const char *text)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_:";
  return *text && (text[strspn(text, letters)] == 0);
}

/* Numbers with a fraction (a viscosity) and free texts (a formula, a file) need only be there in
 * both or in none. */
static int is_same_value(const json_t *a, const json_t *b)
{
  if (json_is_string(a) && json_is_string(b)) {
    const char *x = json_string_value(a), *y = json_string_value(b);
    if (is_word(x) && is_word(y)) return strcmp(x, y) == 0;
    return !*x == !*y;
  }
  if (json_is_integer(a) && json_is_integer(b))
    return json_integer_value(a) == json_integer_value(b);
  if (json_is_number(a) && json_is_number(b))
    return (json_number_value(a) == 0) == (json_number_value(b) == 0);
  return json_typeof(a) != json_typeof(b) || json_equal((json_t *)a, (json_t *)b);
}

int predict_is_same(const predict_work *of, const predict_row *row, double *scale)
{
  const char *key;
  json_t *value;
  if (!row->config || strcmp(of->solver, row->solver) != 0 ||
      strcmp(of->precision, row->precision) != 0 || strcmp(of->math, row->math) != 0)
    return 0;
  json_object_foreach((json_t *)of->config, key, value) {
    const json_t *other = json_object_get(row->config, key);
    if (!other || is_left_out(key)) continue;
    if (!is_same_value(value, other)) return 0;
  }
  const double own = size_of(of->config), its = size_of(row->config);
  const int are_pairs = row->updates > 1 && fabs(row->updates - its * its) < 1e-6 * its * its;
  if (!(own > 0) || !(its > 0)) return 0;
  *scale = are_pairs ? own / its * (own / its) : own / its;
  return 1;
}
