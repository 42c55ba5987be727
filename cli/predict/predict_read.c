/* predict_read.c - kept results as rows and devices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/predict/predict.h"

#include "io/json_kept.h"
#include "io/place.h"
#include "run/json_parts.h"
#include "run/measure/benchmark.h"
#include "run/measure/energy.h"
#include "run/text/json.h"
#include "run/text/members.h"
#include "run/text/text.h"

enum { FILE_BYTES = 16 * 1024 * 1024, ROW_LIMIT = 4096, DEVICE_LIMIT = 64 };

static trm_status no_memory(void)
{
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the results");
}

/* ---- devices -------------------------------------- */

static int is_device(const predict_device *of, const predict_device *told)
{
  return strcmp(of->name, told->name) == 0 && strcmp(of->backend, told->backend) == 0 &&
         (of->threads == told->threads || (isnan(of->threads) && isnan(told->threads)));
}

/* The device that a result tells, added where it is new. */
static trm_status find_device(predict_data *all, const json_t *told, size_t *out)
{
  predict_device added = {.copy = NAN, .threads = member_number(told, "threads"),
                          .sheet_f32 = NAN, .sheet_f64 = NAN,
                          .is_host = is_processor(json_is_true(member(told, "host")),
                                                  member_text(told, "driver"))};
  text_copy(added.name, sizeof added.name, member_text(told, "name"));
  text_copy(added.backend, sizeof added.backend, member_text(told, "backend"));
  for (*out = 0; *out < all->device_count; ++*out)
    if (is_device(&all->devices[*out], &added)) {
      all->devices[*out].is_host |= added.is_host; /* another file may lack the driver */
      return TRM_OK;
    }
  if (all->device_count == DEVICE_LIMIT)
    return TRM_FAIL(INPUT, "more than %d devices in the results; give fewer files", DEVICE_LIMIT);
  predict_device *grown = realloc(all->devices, (all->device_count + 1) * sizeof *grown);
  if (!grown) return no_memory();
  all->devices = grown;
  grown[all->device_count++] = added;
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

/* ---- numbers -------------------------------------- */

/* Limits of real machines; numbers beyond them are faults of the file. */
static const double least_seconds = 1e-10, most_seconds = 1e7, least_rate = 1e3, most_rate = 1e18;

static int is_within(const sample *of, double least, double most)
{
  return of->count == 0 || (of->least >= least && of->most <= most);
}

static int are_sound(const device_roofs *of, double sheet_f32, double sheet_f64)
{
  const sample *const rates[] = {&of->copy_command, &of->copy_kernel, &of->fma_f32, &of->fma_f64,
                                 &of->to_device};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
    if (!is_within(rates[i], least_rate, most_rate)) return 0;
  for (int i = 0; i < ROOF_SETS; i++)
    if (!is_within(&of->within[i], least_rate, most_rate)) return 0;
  return is_within(&of->launch_plain, least_seconds, most_seconds) &&
         is_within(&of->launch_recorded, least_seconds, most_seconds) &&
         !(sheet_f32 < least_rate || sheet_f32 > most_rate) &&
         !(sheet_f64 < least_rate || sheet_f64 > most_rate);
}

/* A number that may be unknown; one outside the limits makes the row unusable. */
static double checked(predict_row *of, const char *name, double value, double least, double most)
{
  if (isnan(value) || (value >= least && value <= most)) return value;
  if (!of->missing[0])
    snprintf(of->missing, sizeof of->missing, "its %s is %.3g in the file, outside %.3g to %.3g",
             name, value, least, most);
  return NAN;
}

static trm_status take_bench(predict_data *all, const char *path, const json_t *document)
{
  const json_t *one;
  size_t i, at;
  json_array_foreach((json_t *)member(document, "devices"), i, one) {
    device_roofs read = {0};
    const double sheet_f32 = member_number(one, "sheet.fma_f32");
    const double sheet_f64 = member_number(one, "sheet.fma_f64");
    if (!json_is_object(member(one, "device")) || !json_roofs_read(one, &read) ||
        !are_sound(&read, sheet_f32, sheet_f64))
      return TRM_FAIL(INPUT, "%s is damaged: its device %zu has no sound roofs", path, i + 1);
    TRM_TRY(find_device(all, member(one, "device"), &at));
    predict_device *to = &all->devices[at];
    take_better(&to->roofs.copy_command, &read.copy_command);
    take_better(&to->roofs.copy_kernel, &read.copy_kernel);
    for (int k = 0; k < ROOF_SETS; k++) take_better(&to->roofs.within[k], &read.within[k]);
    take_better(&to->roofs.fma_f32, &read.fma_f32);
    take_better(&to->roofs.fma_f64, &read.fma_f64);
    take_shorter(&to->roofs.launch_plain, &read.launch_plain);
    take_shorter(&to->roofs.launch_recorded, &read.launch_recorded);
    take_better(&to->roofs.to_device, &read.to_device);
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

enum { MOST_AT_ONCE = 9 };

/* "3 in one launch, on small grids 5": 3; without a number: 0. */
static int number_at_once(const char *text)
{
  const long number = strtol(text, NULL, 10);
  return number > 0 && number <= MOST_AT_ONCE ? (int)number : 0;
}

/* A study's count comes first. Else the key of the case limits the steps of a pass. */
static void take_at_once(predict_row *to, double counted)
{
  const json_t *key = json_object_get(to->config, "run.steps_per_launch");
  const json_int_t most = json_integer_value(key);
  if (most > 0 && most < to->at_once) to->at_once = (int)most;
  if (counted >= 1 && counted <= MOST_AT_ONCE) {
    to->at_once = (int)counted;
    to->is_counted = 1;
  }
}

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
                        .replayed = NAN, .least = NAN, .most = NAN, .memory = NAN,
                        .at_once = number_at_once(member_text(device, "steps_at_once"))};
  return TRM_OK;
}

/* The numbers of a step, in seconds and counts, within limits. */
static void check_row(predict_row *to)
{
  to->seconds = checked(to, "time of a step", to->seconds, least_seconds, most_seconds);
  to->least = checked(to, "shortest step", to->least, least_seconds, most_seconds);
  to->most = checked(to, "longest step", to->most, least_seconds, most_seconds);
  to->updates = checked(to, "number of updates", to->updates, 1, most_rate);
  to->bytes = checked(to, "bytes of a step", to->bytes, 0, most_rate);
  to->flops = checked(to, "operations of a step", to->flops, 0, most_rate);
  to->memory = checked(to, "memory", to->memory, 1, most_rate);
  to->copy = checked(to, "copy", to->copy, least_rate, most_rate);
  to->launches = checked(to, "number of launches", to->launches, 0, 1e9);
  to->replayed = checked(to, "number of replayed launches", to->replayed, 0, 1e9);
  to->transferred = checked(to, "bytes transferred", to->transferred, 0, most_rate);
  if (!(to->seconds > 0) && !to->missing[0])
    snprintf(to->missing, sizeof to->missing, "its step was not timed");
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
  to->memory = member_number(one, "memory_bytes");
  to->updates = member_number(one, "updates_per_step");
  json_array_foreach((json_t *)rates, i, value) {
    const double seconds = to->updates / json_number_value(value);
    if (json_array_size(rates) > 1) {
      to->least = fmin(isnan(to->least) ? seconds : to->least, seconds);
      to->most = fmax(isnan(to->most) ? seconds : to->most, seconds);
    }
  }
  to->copy = to->bytes / to->seconds / member_number(one, "of_copy");
  text_copy(to->solver, sizeof to->solver, member_text(one, "solver"));
  text_copy(to->work, sizeof to->work, member_text(one, "row"));
  text_copy(to->shape, sizeof to->shape, member_text(one, "shape"));
  text_copy(to->source, sizeof to->source, *member_text(one, "source") ? member_text(one, "source")
                                                                       : path);
  TRM_TRY(predict_read_command(to, member(one, "command")));
  take_at_once(to, NAN);
  check_row(to);
  take_copy(&all->devices[to->device], to->copy);
  return TRM_OK;
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
      to->memory = member_number(data, "memory_bytes");
      to->launches = member_number(cost, "launches");
      to->replayed = member_number(cost, "replayed");
      to->transferred = member_number(cost, "written") + member_number(cost, "read");
      if (of.run_count > 1 && of.cells > 0) {
        to->least = of.cells / rate.most;
        to->most = of.cells / rate.least;
      }
      to->copy = of.copy_roof;
      text_copy(to->solver, sizeof to->solver, member_text(document, "solver"));
      text_copy(to->shape, sizeof to->shape, of.shape);
      text_copy(to->precision, sizeof to->precision, of.precision);
      text_copy(to->math, sizeof to->math, of.math);
      snprintf(to->work, sizeof to->work, "%s%s%s", member_text(document, "case"),
               *member_text(data, "name") ? " " : "", member_text(data, "name"));
      text_copy(to->source, sizeof to->source, path);
      status = predict_begin_config(to);
      predict_put_config(to, member(document, "config"));
      if (data != document) predict_put_config(to, member(data, "config"));
      predict_put_config(to, member(data, "values"));
      predict_put_config(to, member(data, "settings"));
      take_at_once(to, member_number(cost, "at_once"));
      check_row(to);
      take_copy(&all->devices[to->device], to->copy);
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
  for (size_t i = 0; i + 1 < all->document_count; i++) /* the same results once, under any name */
    if (json_equal(all->documents[i], document)) return TRM_OK;
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
  out->sources = calloc(out->row_count, sizeof *out->sources);
  return out->sources && json_is_whole(json_true()) ? TRM_OK : no_memory();
}

void predict_clear(predict_data *all)
{
  for (size_t i = 0; i < all->row_count; i++) json_decref(all->rows[i].config);
  for (size_t i = 0; i < all->document_count; i++) json_decref(all->documents[i]);
  free(all->rows);
  free(all->sources);
  free(all->devices);
  free(all->documents);
  *all = (predict_data){0};
}
