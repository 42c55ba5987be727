/* study_json.c - study.json: the rows in their present state, which an interrupted study reads
 * again. Also results computed from them for readers: ladders with their parts, candidates of a
 * sweep. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/json_parts.h"
#include "cli/study/study.h"
#include "run/text/csv.h"
#include "run/text/json.h"
#include "run/text/members.h"
#include "io/file.h"
#include "io/json_kept.h"

enum { LARGEST_FILE = 64 << 20 };

static const char *const status_names[] = {"open", "finished", "failed"};

/* ---- rows ------------------------------------------------------------------------- */

static const member_place cost_members[] = {
  MEMBER(row_cost, NUMBER, "launches", launches), MEMBER(row_cost, NUMBER, "replayed", replayed),
  MEMBER(row_cost, NUMBER, "written", written), MEMBER(row_cost, NUMBER, "read", read),
  MEMBER(row_cost, NUMBER, "at_once", at_once), MEMBER(row_cost, TEXT, "alone", alone),
  MEMBER(row_cost, NUMBER, "transfers", transfers), MEMBER(row_cost, NUMBER, "bytes", bytes),
  MEMBER(row_cost, NUMBER, "serial_values", burden.serial_values),
  MEMBER(row_cost, NUMBER, "groups", burden.groups),
  MEMBER(row_cost, NUMBER, "divergent_groups", burden.divergent_groups),
  MEMBER(row_cost, NUMBER, "launches_apart", apart), MEMBER(row_cost, NUMBER, "group_items", items),
  MEMBER(row_cost, NUMBER, "group_lanes", lanes), MEMBER(row_cost, NUMBER, "resident", resident)};

/* The members that an interrupted study reads again. */
static const member_place row_members[] = {
  MEMBER(study_row, COUNT, "verified_steps", verified_steps),
  MEMBER(study_row, COUNT, "steps", steps), MEMBER(study_row, NUMBER, "cells", who.benchmark.cells),
  MEMBER(study_row, TEXT, "fingerprint", who.benchmark.fingerprint),
  MEMBER(study_row, TEXT, "series", series),
  MEMBER(study_row, TEXT, "timed_fingerprint", timed_print),
  MEMBER(study_row, FLAG, "repeats", who.benchmark.repeats),
  MEMBER(study_row, TEXT, "shape", who.benchmark.shape),
  MEMBER(study_row, NUMBER, "start_to_first_step", who.benchmark.times.first_step),
  MEMBER(study_row, TEXT, "energy_missing", who.benchmark.energy_missing),
  MEMBER(study_row, COUNT, "near_steps", near_steps),
  MEMBER(study_row, NUMBER, "apart", apart), MEMBER(study_row, NUMBER, "own_apart", own_apart),
  MEMBER(study_row, TEXT, "apart_in", apart_in)};

static void add_status(json_t *out, const study_row *row)
{
  json_object_set_new(out, "status", json_string(status_names[row->status]));
  json_object_set_new(out, "error", row->error[0] ? json_text(row->error) : json_null());
}

static json_t *row_json(const study *all, const study_row *row)
{
  char name[256];
  json_t *out = json_object();
  const benchmark *of = &row->who.benchmark;
  candidate_say(&row->who, name, sizeof name);
  json_object_set_new(out, "row", json_text(name));
  add_status(out, row);
  json_object_set_new(out, "device", json_text(row_device(all, row)->name));
  MEMBERS_WRITE(out, row_members, row);
  json_object_set_new(out, "runs", member_array(of->rates, of->run_count));
  json_object_set_new(out, "joules_per_update", member_array(of->energies, of->run_count));
  json_object_set_new(out, "cost", MEMBERS_WRITE(json_object(), cost_members, &row->cost));
  if (of->gpu) json_object_set(out, "gpu", of->gpu);
  if (of->tuned) json_object_set(out, "tuned", of->tuned);
  return out;
}

/* ---- what follows ------------------------------------------------------------------ */

static json_t *settings_json(const trm_implementation *implementation)
{
  json_t *out = json_object();
  for (const char *at = implementation->settings; *at;) {
    char key[64], value[64];
    if (sscanf(at, " %63[^= ]=%63[^ ]", key, value) == 2)
      json_object_set_new(out, key, json_text(value));
    at += strspn(at, " ");
    at += strcspn(at, " ");
  }
  return out;
}

static void add_why(json_t *out, const study *all, const study_row *row)
{
  const study_row *before = row_before(all, row);
  const device_roofs *roofs = &all->roofs[row->group];
  if (!before || row->who.benchmark.run_count == 0 || !(roof_copy(roofs) > 0)) return;
  const why because = study_explain(before, row, roofs, row_device(all, row)->is_host);
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

/* device NULL: an implementation, which stands with its ladder's. */
static json_t *result_json(const study *all, study_row *row, const trm_device_info *device)
{
  benchmark *of = &row->who.benchmark;
  json_t *out = benchmark_json(of, device);
  add_status(out, row);
  json_object_set_new(out, "steps", json_integer((json_int_t)row->steps));
  json_object_set_new(out, "verified_steps", json_integer((json_int_t)row->verified_steps));
  json_object_set_new(out, "must_agree", json_boolean(row_reference(all, row) != row));
  json_object_set_new(out, "agrees", of->fingerprint[0] ? json_boolean(row_agrees(all, row))
                                                        : json_null());
  return out;
}

static void add_ratio(json_t *out, const char *name, const study_row *row, const study_row *to)
{
  if (to && row->who.benchmark.run_count && to->who.benchmark.run_count)
    benchmark_json_ratio(out, name, &row->who.benchmark, &to->who.benchmark);
}

static json_t *implementation_json(const study *all, study_row *row, const study_row *first)
{
  json_t *out = json_pack("{s:s, s:o, s:o}", "name", row->implementation->name, "settings",
                          settings_json(row->implementation), "changes",
                          json_text(row->implementation->changes));
  json_t *result = result_json(all, row, NULL);
  json_object_update(out, result);
  json_decref(result);
  add_ratio(out, "ratio", row, row_before(all, row));
  add_ratio(out, "total_ratio", row, first);
  add_why(out, all, row);
  return out;
}

static const member_place roof_members[] = {
  MEMBER(device_roofs, NUMBER, "copy_here_bytes_per_second", here),
  MEMBER(device_roofs, NUMBER, "fma_f32_per_second", fma_f32.most),
  MEMBER(device_roofs, NUMBER, "fma_f64_per_second", fma_f64.most),
  MEMBER(device_roofs, NUMBER, "launch_seconds", launch_plain.median),
  MEMBER(device_roofs, NUMBER, "recorded_launch_seconds", launch_recorded.median),
  MEMBER(device_roofs, NUMBER, "launch_seconds_without_overlap", launch_apart.median),
  MEMBER(device_roofs, NUMBER, "to_device_bytes_per_second", to_device.median),
  MEMBER(device_roofs, NUMBER, "from_device_bytes_per_second", from_device.median),
  MEMBER(device_roofs, NUMBER, "transfer_seconds", transfer.median),
  MEMBER(device_roofs, NUMBER, "serial_value_seconds", serial.median)};

static json_t *roofs_json(const device_roofs *roofs)
{
  if (!(roof_copy(roofs) > 0)) return json_pack("{s:o}", "missing", json_text(roofs->missing));
  json_t *out = json_pack("{s:o, s:o}", "copy_bytes_per_second", json_number(roof_copy(roofs)),
                          "copy_here_array_bytes",
                          roofs->here_bytes ? json_integer((json_int_t)roofs->here_bytes)
                                            : json_null());
  return MEMBERS_WRITE(out, roof_members, roofs);
}

/* The size of a ladder, which an implementation that failed does not know. */
static const benchmark *sized_of(const study *all, size_t begin, size_t end)
{
  for (size_t i = begin; i < end; i++)
    if (all->rows[i].who.benchmark.shape[0]) return &all->rows[i].who.benchmark;
  return &all->rows[begin].who.benchmark;
}

static json_t *ladder_json(const study *all, size_t begin, size_t end)
{
  json_t *implementations = json_array();
  const study_row *first = &all->rows[begin];
  const benchmark *of = sized_of(all, begin, end);
  for (size_t i = begin; i < end; i++)
    json_array_append_new(implementations, implementation_json(all, &all->rows[i], first));
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "on", json_text(of->on), "device",
                   json_device(row_device(all, first)), "size", json_text(of->shape), "cells",
                   json_number(of->cells), "values", candidate_values(&first->who), "roofs",
                   roofs_json(&all->roofs[first->group]), "rungs", implementations);
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
  json_t *first = json_config(all->rows[0].who.chosen->config);
  json_t *config = json_config(row->who.chosen->config), *out = json_object(), *value;
  const char *key;
  json_object_foreach(config, key, value)
    if (!json_equal(value, json_object_get(first, key))) json_object_set(out, key, value);
  json_decref(first);
  json_decref(config);
  return out;
}

static json_t *candidates_json(const study *all)
{
  json_t *array = json_array();
  for (size_t i = 0; i < all->row_count; i++) {
    study_row *row = &all->rows[i];
    json_t *one = result_json(all, row, row_device(all, row));
    const study_row *reference = row_reference(all, row);
    if (reference != row)
      json_object_set_new(one, "reference", json_integer((json_int_t)(reference - all->rows)));
    json_object_set_new(one, "on", json_text(row->who.benchmark.on));
    json_object_set_new(one, "values", candidate_values(&row->who));
    json_object_set_new(one, "config", own_config(all, row));
    add_ratio(one, "ratio", row, &all->rows[0]);
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
  json_t *document = candidate_document("study", &all->rows[0].who, all->host),
         *rows = json_array();
  for (size_t i = 0; i < all->row_count; i++)
    json_array_append_new(rows, row_json(all, &all->rows[i]));
  json_object_set_new(document, "question", json_text(all->question));
  json_object_set_new(document, "varied", varied_json(all));
  if (all->halvings) json_object_set(document, "halvings", all->halvings);
  if (all->kernels) json_object_set(document, "kernels", all->kernels);
  if (all->is_ladder) json_object_set_new(document, "ladders", ladders_json(all));
  else json_object_set_new(document, "contenders", candidates_json(all));
  json_object_set_new(document, "rows", rows);
  return document;
}

/* "lbm_omega" */
static const char *column_name(const char *key, char *name, size_t bytes)
{
  snprintf(name, bytes, "%s", key);
  for (char *c = name; *c; c++)
    if (*c == '.') *c = '_';
  return name;
}

/* A row of rows.csv, for plots. */
static json_t *study_table(const study *all)
{
  json_t *table = json_array();
  for (size_t i = 0; i < all->row_count; i++) {
    study_row *row = &all->rows[i];
    char name[256];
    interval range;
    const benchmark *of = &row->who.benchmark, *first = &all->rows[0].who.benchmark;
    json_t *one = result_json(all, row, NULL);
    candidate_say(&row->who, name, sizeof name);
    json_object_set_new(one, "row", json_text(name));
    json_object_set_new(one, "on", json_text(of->on));
    json_object_set_new(one, "device", json_text(row_device(all, row)->name));
    json_object_set_new(one, "size", json_text(row->who.size));
    json_object_set_new(one, "rung", json_text(row->who.implementation));
    for (size_t a = 0; a < row->who.cases->axis_count; a++)
      json_object_set_new(one, column_name(row->who.cases->axes[a].key, name, sizeof name),
                          json_text(variation_value(row->who.cases, row->who.case_index, a)));
    json_object_set_new(one, "ratio_to_first",
                        json_number(of->run_count && first->run_count
                                        ? benchmark_ratio(of, first, &range).median : (double)NAN));
    json_array_append_new(table, one);
  }
  return table;
}

/* malloc'd text, given up, and an end of line. */
static trm_status keep(const study *all, const char *name, char *text, const char *end)
{
  char *path = NULL, *lines = NULL;
  if (!text || asprintf(&lines, "%s%s", text, end) < 0) lines = NULL;
  free(text);
  text = lines;
  if (!text) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %s", name);
  trm_status status = trm_path_join(all->out.folder, name, &path);
  if (status == TRM_OK) status = trm_file_keep(path, text, strlen(text));
  free(path);
  free(text);
  return status;
}

/* Measured rows are kept, even if the machine fails. */
trm_status study_save(const study *all)
{
  const char *columns[64] = {
    "row", "rung", "on", "device", "size", "status", "cells", "steps", "verified_steps",
    "updates_per_second.median", "updates_per_second.least", "updates_per_second.most",
    "seconds_per_step", "ratio_to_first", "must_agree", "agrees", "fingerprint",
    "energy.joules_per_update", "error"};
  const variation *cases = &all->variations[0];
  char names[16][64];
  size_t count = 0;
  while (columns[count]) count++;
  for (size_t a = 0; a < cases->axis_count && a < 16; a++)
    columns[count++] = column_name(cases->axes[a].key, names[a], sizeof names[a]);
  json_t *document = study_json(all), *rows = study_table(all);
  trm_status status = keep(all, "study.json", rows ? json_print(document) : NULL, "\n");
  if (status == TRM_OK) status = keep(all, "rows.csv", csv_rows(rows, columns), "");
  json_decref(document);
  json_decref(rows);
  return status;
}

/* ---- reading again ------------------------------------------------------------------- */

/* A row that failed is tried again. */
static trm_status read_row(const study *all, const json_t *from, study_row *to)
{
  benchmark *of = &to->who.benchmark;
  MEMBERS_READ(from, row_members, to);
  MEMBERS_READ(member(from, "cost"), cost_members, &to->cost);
  of->step_bytes = to->cost.bytes;
  TRM_TRY(benchmark_read_runs(of, member(from, "runs"), member(from, "joules_per_update"),
                              all->runs));
  of->gpu = json_incref(json_object_get(from, "gpu"));
  of->tuned = json_incref(json_object_get(from, "tuned"));
  snprintf(of->energy_source, sizeof of->energy_source, "%s",
           all->devices.list[to->who.device].meter.source);
  if (!of->fingerprint[0] || !(of->cells > 0)) of->run_count = 0;
  to->status = of->run_count == all->runs ? ROW_FINISHED : ROW_OPEN;
  return TRM_OK;
}

/* The prices for the finished rows of each ladder: their explanations are valid for these prices
 * alone. */
static void read_roofs(study *all, const json_t *document)
{
  const json_t *ladders = json_object_get(document, "ladders");
  for (size_t group = 0; all->is_ladder && group < all->group_count; group++) {
    const json_t *from = json_object_get(json_array_get(ladders, group), "roofs");
    const double copy = member_number(from, "copy_bytes_per_second");
    device_roofs *roofs = &all->roofs[group];
    if (!(copy > 0)) continue;
    MEMBERS_READ(from, roof_members, roofs);
    roofs->copy_kernel.median = roofs->copy_kernel.most = copy;
    roofs->here_bytes = (size_t)json_integer_value(json_object_get(from, "copy_here_array_bytes"));
  }
}

static int is_finished(const study *all)
{
  for (size_t i = 0; i < all->row_count; i++)
    if (all->rows[i].status != ROW_FINISHED) return 0;
  return 1;
}

static trm_status read_rows(study *all, const char *path, json_t *document)
{
  const json_t *rows = json_object_get(document, "rows");
  if (strcmp(member_text(document, "kind"), "study") != 0 || !json_is_array(rows))
    return TRM_FAIL(INPUT, "%s is not a study of trireme; choose another folder with --output",
                    path);
  if (strcmp(member_text(document, "question"), all->question) != 0)
    return TRM_FAIL(INPUT, "%s: belongs to another study (%s); choose another folder with --output",
                           path, member_text(document, "question"));
  if (all->args->again) return TRM_OK;
  if (strcmp(member_text(document, "trireme"), trm_version()) != 0)
    return TRM_FAIL(INPUT, "%s: was begun by trireme %s and cannot be continued by %s; choose "
                    "another folder with --output", path,
                    member_text(document, "trireme"), trm_version());
  if (json_array_size(rows) != all->row_count)
    return TRM_FAIL(INPUT, "%s: has %zu rows, and the same command has %zu with the devices of "
                    "this machine; choose another folder with --output", path,
                    json_array_size(rows), all->row_count);
  const json_int_t schema = json_integer_value(json_object_get(document, "schema"));
  if (schema != TRIREME_SCHEMA)
    return TRM_FAIL(INPUT, "%s: was begun in schema %lld, and its fingerprints cannot be compared "
                    "with those of schema %d; choose another folder with --output", path,
                    (long long)schema, TRIREME_SCHEMA);
  for (size_t i = 0; i < all->row_count; i++) {
    const char *then = member_text(json_array_get(rows, i), "device");
    const char *now = row_device(all, &all->rows[i])->name;
    if (strcmp(then, now) != 0)
      return TRM_FAIL(INPUT, "%s: row %zu ran on '%s', and here is '%s'; choose another folder "
                      "with --output", path, i + 1, then, now);
  }
  for (size_t i = 0; i < all->row_count; i++)
    TRM_TRY(read_row(all, json_array_get(rows, i), &all->rows[i]));
  all->host = json_incref(json_object_get(json_object_get(document, "conditions"), "host"));
  all->kernels = json_incref(json_object_get(document, "kernels"));
  read_roofs(all, document);
  if (is_finished(all)) all->finished = json_incref(document);
  return TRM_OK;
}

trm_status study_document(const char *folder, json_t **out)
{
  char *path = NULL;
  *out = NULL;
  TRM_TRY(trm_path_join(folder, "study.json", &path));
  const trm_status status = access(path, F_OK) == 0 ? trmi_json_load(path, LARGEST_FILE, out)
                                                    : TRM_OK;
  free(path);
  return status;
}

trm_status study_resume(study *all, const char *folder)
{
  char *path = NULL;
  json_t *document = NULL;
  TRM_TRY(study_document(folder, &document));
  trm_status status = trm_path_join(folder, "study.json", &path);
  if (status == TRM_OK && document) status = read_rows(all, path, document);
  json_decref(document);
  free(path);
  return status;
}
