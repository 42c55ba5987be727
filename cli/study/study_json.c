/* study_json.c - study.json: the rows as they stand, which an interrupted study reads again, and
 * what follows from them for readers: ladders with their parts, contenders of a sweep. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/measure/conditions.h"
#include "cli/measure/members.h"
#include "cli/study/study.h"
#include "io/file.h"

enum { LARGEST_FILE = 64 << 20 };

static const char *const status_names[] = {"open", "finished", "failed"};

/* ---- rows ------------------------------------------------------------------------- */

static json_t *runs_json(const study_row *row)
{
  json_t *array = json_array();
  for (size_t i = 0; i < row->run_count; i++)
    json_array_append_new(array, json_number(row->rates[i]));
  return array;
}

static json_t *joules_json(const study_row *row)
{
  json_t *array = json_array();
  for (size_t i = 0; i < row->run_count; i++)
    json_array_append_new(array, json_number(row->energies[i]));
  return array;
}

/* The median over the runs, or why there is none. */
static json_t *energy_json(const study *all, const study_row *row)
{
  double order[STUDY_RUNS];
  for (size_t i = 0; i < row->run_count; i++)
    if (!isfinite(row->energies[i]))
      return json_pack("{s:o}", "missing", json_text(row->energy_missing[0] ? row->energy_missing
                                                     : "not every run was metered"));
  const sample joules = sample_of(row->energies, row->run_count, order);
  return json_pack("{s:o, s:o, s:o}", "joules_per_update", json_number(joules.median), "runs",
                   json_sample(&joules), "source",
                   json_text(all->devices[row->device].meter.source));
}

static json_t *cost_json(const row_cost *cost)
{
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "launches",
                   json_number(cost->launches), "replayed", json_number(cost->replayed), "written",
                   json_number(cost->written), "read", json_number(cost->read), "transfers",
                   json_number(cost->transfers), "bytes", json_number(cost->bytes),
                   "serial_values", json_number(cost->burden.serial_values), "groups",
                   json_number(cost->burden.groups), "divergent_groups",
                   json_number(cost->burden.divergent_groups));
}

static json_t *row_json(const study *all, const study_row *row)
{
  char name[256];
  study_say_row(all, row, name, sizeof name);
  json_t *out = json_pack("{s:o, s:s, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:b, s:o, s:o, "
                          "s:o}",
                          "row", json_text(name), "status", status_names[row->status], "error",
                          row->error[0] ? json_text(row->error) : json_null(), "device",
                          json_text(all->devices[row->device].info.name), "verified_steps",
                          (json_int_t)row->verified_steps, "steps", (json_int_t)row->steps,
                          "cells", json_number(row->cells), "fingerprint",
                          json_text(row->fingerprint), "series", json_text(row->series),
                          "timed_fingerprint", json_text(row->timed_print), "repeats",
                          row->repeats, "runs", runs_json(row), "joules_per_update",
                          joules_json(row), "cost", cost_json(&row->cost));
  if (!out) return NULL;
  json_object_set_new(out, "shape", json_text(row->shape));
  json_object_set_new(out, "energy_missing", json_text(row->energy_missing));
  if (row->gpu) json_object_set(out, "gpu", row->gpu);
  return out;
}

/* ---- what follows ------------------------------------------------------------------ */

static json_t *settings_json(const trm_rung *rung)
{
  json_t *out = json_object();
  for (const char *at = rung->settings; *at;) {
    char key[64], value[64];
    if (sscanf(at, " %63[^= ]=%63[^ ]", key, value) == 2)
      json_object_set_new(out, key, json_text(value));
    at += strspn(at, " ");
    at += strcspn(at, " ");
  }
  return out;
}

static void add_ratio(json_t *out, const char *name, const study_row *row, const study_row *to)
{
  interval range;
  char key[64];
  const sample ratio = row_ratio(row, to, &range);
  json_object_set_new(out, name, json_number(ratio.median));
  snprintf(key, sizeof key, "%s_interval", name);
  json_object_set_new(out, key, json_pack("[o,o]", json_number(range.low),
                                          json_number(range.high)));
  snprintf(key, sizeof key, "%s_confidence", name);
  json_object_set_new(out, key, json_number(range.confidence));
}

static void add_why(json_t *out, const study *all, const study_row *row)
{
  const study_row *before = row_before(all, row);
  const ceiling *roofs = &all->roofs[row->group];
  if (!before || row->run_count == 0 || !(ceiling_copy(roofs) > 0)) return;
  const why because = study_explain(before, row, roofs, all->devices[row->device].info.is_host);
  json_t *parts = json_array();
  for (size_t i = 0; i < because.count; i++) {
    const why_part *part = &because.parts[i];
    json_array_append_new(parts, json_pack("{s:s, s:o, s:o, s:s}", "what", part->what, "text",
                                           json_text(part->text), "seconds",
                                           json_number(part->seconds), "how", part->how));
  }
  json_object_set_new(out, "why", parts);
  json_object_set_new(out, "saved_seconds", json_number(because.saved));
  json_object_set_new(out, "unexplained_seconds", json_number(because.rest));
}

static void add_result(json_t *out, const study *all, const study_row *row)
{
  const sample rate = row_rate(row);
  json_object_set_new(out, "status", json_string(status_names[row->status]));
  json_object_set_new(out, "error", row->error[0] ? json_text(row->error) : json_null());
  json_object_set_new(out, "updates_per_second", row->run_count ? json_sample(&rate) : json_null());
  json_object_set_new(out, "runs", runs_json(row));
  json_object_set_new(out, "seconds_per_step", json_number(row_seconds(row)));
  json_object_set_new(out, "steps", json_integer((json_int_t)row->steps));
  json_object_set_new(out, "verified_steps", json_integer((json_int_t)row->verified_steps));
  if (row->run_count > 0) json_object_set_new(out, "energy", energy_json(all, row));
  if (row->gpu) json_object_set(out, "gpu", row->gpu);
  json_object_set_new(out, "fingerprint", json_text(row->fingerprint));
  json_object_set_new(out, "agrees", row->fingerprint[0] ? json_boolean(row_agrees(all, row))
                                                         : json_null());
}

static json_t *rung_json(const study *all, const study_row *row, const study_row *first)
{
  const study_row *before = row_before(all, row);
  json_t *out = json_pack("{s:s, s:o, s:o}", "name", row->rung->name, "settings",
                          settings_json(row->rung), "changes", json_text(row->rung->changes));
  if (!out) return NULL;
  add_result(out, all, row);
  if (before && row->run_count) add_ratio(out, "ratio", row, before);
  if (row->run_count && first->run_count) add_ratio(out, "total_ratio", row, first);
  add_why(out, all, row);
  return out;
}

static json_t *roofs_json(const ceiling *roofs)
{
  static const member_place members[] = {
    MEMBER(ceiling, NUMBER, "copy_here_bytes_per_second", here),
    MEMBER(ceiling, NUMBER, "launch_seconds", launch_plain.median),
    MEMBER(ceiling, NUMBER, "recorded_launch_seconds", launch_recorded.median),
    MEMBER(ceiling, NUMBER, "to_device_bytes_per_second", to_device.median),
    MEMBER(ceiling, NUMBER, "from_device_bytes_per_second", from_device.median),
    MEMBER(ceiling, NUMBER, "transfer_seconds", transfer.median),
    MEMBER(ceiling, NUMBER, "serial_value_seconds", serial.median)};
  if (!(ceiling_copy(roofs) > 0)) return json_pack("{s:o}", "missing", json_text(roofs->missing));
  json_t *out = json_pack("{s:o, s:o}", "copy_bytes_per_second", json_number(ceiling_copy(roofs)),
                          "copy_here_array_bytes",
                          roofs->here_bytes ? json_integer((json_int_t)roofs->here_bytes)
                                            : json_null());
  return MEMBERS_WRITE(out, members, roofs);
}

static json_t *values_json(const study_row *row)
{
  json_t *out = json_object();
  for (size_t a = 0; a < row->cases->axis_count; a++)
    json_object_set_new(out, row->cases->axes[a].key,
                        json_text(variation_value(row->cases, row->case_index, a)));
  if (row->size) json_object_set_new(out, "size", json_text(row->size));
  return out;
}

static json_t *ladder_json(const study *all, size_t begin, size_t end)
{
  json_t *rungs = json_array();
  const study_row *first = &all->rows[begin];
  for (size_t i = begin; i < end; i++)
    json_array_append_new(rungs, rung_json(all, &all->rows[i], first));
  const study_device *of = &all->devices[first->device];
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "on", json_text(of->spec), "device",
                   json_device(&of->info), "size", json_text(first->shape), "cells",
                   json_number(first->cells), "values", values_json(first), "roofs",
                   roofs_json(&all->roofs[first->group]), "rungs", rungs);
}

static json_t *ladders_json(const study *all)
{
  json_t *array = json_array();
  for (size_t begin = 0, end; begin < all->row_count; begin = end) {
    for (end = begin; end < all->row_count && all->rows[end].group == all->rows[begin].group;)
      end++;
    json_array_append_new(array, ladder_json(all, begin, end));
  }
  return array;
}

/* The keys of a row's case that are not as in the first row's. */
static json_t *own_config(const study *all, const study_row *row)
{
  json_t *first = json_config(all->rows[0].chosen->config);
  json_t *config = json_config(row->chosen->config), *out = json_object(), *value;
  const char *key;
  json_object_foreach(config, key, value)
    if (!json_equal(value, json_object_get(first, key))) json_object_set(out, key, value);
  json_decref(first);
  json_decref(config);
  return out;
}

static json_t *contenders_json(const study *all)
{
  json_t *array = json_array();
  for (size_t i = 0; i < all->row_count; i++) {
    const study_row *row = &all->rows[i];
    const study_device *of = &all->devices[row->device];
    json_t *one = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "on", json_text(of->spec), "device",
                            json_device(&of->info), "values", values_json(row), "config",
                            own_config(all, row), "cells", json_number(row->cells), "shape",
                            json_text(row->shape));
    if (!one) continue;
    add_result(one, all, row);
    if (row->run_count && all->rows[0].run_count) add_ratio(one, "ratio", row, &all->rows[0]);
    json_array_append_new(array, one);
  }
  return array;
}

static json_t *varied_json(const study *all)
{
  json_t *array = variation_json(&all->variations[0]);
  if (!all->sizes) return array;
  json_t *values = json_array();
  for (size_t i = 0; all->sizes[i]; i++) json_array_append_new(values, json_text(all->sizes[i]));
  json_array_append_new(array, json_pack("{s:s, s:b, s:o}", "key", "size", "same_result", 0,
                                         "values", values));
  return array;
}

json_t *study_json(const study *all)
{
  json_t *document = json_document("study"), *rows = json_array();
  const run_case *first = all->rows[0].chosen;
  for (size_t i = 0; i < all->row_count; i++)
    json_array_append_new(rows, row_json(all, &all->rows[i]));
  json_object_set_new(document, "question", json_text(all->question));
  json_object_set_new(document, "case", json_text(first->name));
  json_object_set_new(document, "solver", json_text(first->type->name));
  json_object_set_new(document, "precision",
                      json_text(trm_precision_name(first->settings.solver.precision)));
  json_object_set_new(document, "math", json_text(trm_math_name(first->settings.solver.math)));
  json_object_set_new(document, "compile_counted", json_false());
  json_object_set_new(document, "varied", varied_json(all));
  if (all->is_ladder) json_object_set_new(document, "ladders", ladders_json(all));
  else json_object_set_new(document, "contenders", contenders_json(all));
  json_object_set_new(document, "rows", rows);
  json_object_set_new(document, "config", json_config(first->config));
  json_object_set_new(document, "conditions",
                      json_pack("{s:O?}", "host", all->host));
  json_object_set_new(document, "written", json_written());
  json_object_set_new(document, "build", conditions_build());
  json_object_set_new(document, "command", conditions_command());
  return document;
}

trm_status study_save(const study *all)
{
  json_t *document = study_json(all);
  if (!document) return TRM_FAIL(NO_HOST_MEMORY, "no memory for study.json");
  const trm_status status = results_write_document(&all->out, "study.json", document);
  json_decref(document);
  return status;
}

/* ---- reading again ------------------------------------------------------------------- */

static double real_of(const json_t *object, const char *key)
{
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static const char *text_of(const json_t *object, const char *key)
{
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static void read_cost(const json_t *from, row_cost *to)
{
  to->launches = real_of(from, "launches");
  to->replayed = real_of(from, "replayed");
  to->written = real_of(from, "written");
  to->read = real_of(from, "read");
  to->transfers = real_of(from, "transfers");
  to->bytes = real_of(from, "bytes");
  to->burden.serial_values = real_of(from, "serial_values");
  to->burden.groups = real_of(from, "groups");
  to->burden.divergent_groups = real_of(from, "divergent_groups");
}

/* A row that failed is tried again. */
static void read_row(const study *all, const json_t *from, study_row *to)
{
  snprintf(to->fingerprint, sizeof to->fingerprint, "%s", text_of(from, "fingerprint"));
  snprintf(to->series, sizeof to->series, "%s", text_of(from, "series"));
  snprintf(to->timed_print, sizeof to->timed_print, "%s", text_of(from, "timed_fingerprint"));
  snprintf(to->shape, sizeof to->shape, "%s", text_of(from, "shape"));
  to->cells = real_of(from, "cells");
  to->verified_steps =
    (uint64_t)json_integer_value(json_object_get(from, "verified_steps"));
  to->steps = (uint64_t)json_integer_value(json_object_get(from, "steps"));
  to->repeats = json_is_true(json_object_get(from, "repeats"));
  read_cost(json_object_get(from, "cost"), &to->cost);
  const json_t *runs = json_object_get(from, "runs");
  const size_t count = json_array_size(runs);
  const json_t *joules = json_object_get(from, "joules_per_update");
  for (size_t i = 0; i < count && i < all->runs; i++) {
    const json_t *one = json_array_get(joules, i);
    to->energies[i] = json_is_number(one) ? json_number_value(one) : (double)NAN;
    to->rates[to->run_count++] = json_number_value(json_array_get(runs, i));
  }
  snprintf(to->energy_missing, sizeof to->energy_missing, "%s", text_of(from, "energy_missing"));
  to->gpu = json_incref(json_object_get(from, "gpu"));
  if (!to->fingerprint[0] || !(to->cells > 0)) to->run_count = 0;
  to->status = to->run_count == all->runs ? ROW_FINISHED : ROW_OPEN;
}

static trm_status read_rows(study *all, const char *path, const json_t *document)
{
  const json_t *rows = json_object_get(document, "rows");
  if (strcmp(text_of(document, "kind"), "study") != 0 || !json_is_array(rows))
    return TRM_FAIL(INPUT, "%s: is no study of trireme; choose another folder with --output", path);
  if (strcmp(text_of(document, "question"), all->question) != 0)
    return TRM_FAIL(INPUT, "%s: is the study of another question (%s); choose another folder with "
                    "--output", path, text_of(document, "question"));
  if (strcmp(text_of(document, "trireme"), trm_version()) != 0 ||
      json_array_size(rows) != all->row_count)
    return TRM_FAIL(INPUT, "%s: was begun by trireme %s and cannot be continued by %s; choose "
                    "another folder with --output", path,
                    text_of(document, "trireme"), trm_version());
  for (size_t i = 0; i < all->row_count; i++) {
    const char *then = text_of(json_array_get(rows, i), "device");
    const char *now = all->devices[all->rows[i].device].info.name;
    if (strcmp(then, now) != 0)
      return TRM_FAIL(INPUT, "%s: row %zu ran on '%s', and here is '%s'; choose another folder "
                      "with --output", path, i + 1, then, now);
  }
  for (size_t i = 0; i < all->row_count; i++)
    read_row(all, json_array_get(rows, i), &all->rows[i]);
  all->host = json_incref(json_object_get(json_object_get(document, "conditions"), "host"));
  return TRM_OK;
}

static trm_status read_document(study *all, const char *path)
{
  char *text = NULL;
  size_t bytes = 0;
  json_error_t error;
  if (access(path, F_OK) != 0) return TRM_OK;
  TRM_TRY(trm_file_load(path, LARGEST_FILE, &text, &bytes));
  json_t *document = json_loadb(text, bytes, 0, &error);
  free(text);
  if (!document)
    return TRM_FAIL(INPUT, "%s:%d: is no JSON: %s; choose another folder with --output", path,
                    error.line, error.text);
  const trm_status status = read_rows(all, path, document);
  json_decref(document);
  return status;
}

trm_status study_resume(study *all, const char *folder)
{
  char *path = NULL;
  TRM_TRY(trm_path_join(folder, "study.json", &path));
  const trm_status status = read_document(all, path);
  free(path);
  return status;
}
