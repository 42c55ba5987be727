/* findings.c - result files of run, compare, study and bench, read with distrust. */
#include "cli/report/findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/json.h"
#include "io/file.h"

enum { FILE_BYTES = 64 * 1024 * 1024 };

/* ---- files ----------------------------------------------------------------------- */

static trm_status check_file(result_file *file)
{
  const json_t *schema = json_object_get(file->document, "schema");
  const char *version = member_text(file->document, "trireme");
  file->kind = member_text(file->document, "kind");
  if (!json_is_integer(schema) || !*version || !*file->kind)
    return TRM_FAIL(INPUT, "%s is no result of trireme: it lacks \"schema\", \"trireme\" or "
                    "\"kind\"; give run.json or compare.json, or a folder that holds "
                    "one", file->path);
  if (json_integer_value(schema) > TRIREME_SCHEMA)
    return TRM_FAIL(INPUT, "%s was written by trireme %s in schema %lld; this is %s, which reads "
                    "up to %d: use that version or a later one", file->path, version,
                    (long long)json_integer_value(schema), trm_version(), TRIREME_SCHEMA);
  if (json_integer_value(schema) < 1)
    return TRM_FAIL(INPUT, "%s: schema %lld is none of ours", file->path,
                    (long long)json_integer_value(schema));
  file->schema = (int)json_integer_value(schema);
  file->size_keys = findings_size_keys(member_text(file->document, "solver"));
  static const char *const kinds[] = {"run", "compare", "study", "bench"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(file->kind, kinds[i]) == 0) return TRM_OK;
  return TRM_FAIL(INPUT, "%s is of the kind '%s'; a report is made of results of run, compare, "
                  "study and bench", file->path, file->kind);
}

static trm_status add_file(findings *all, const char *path)
{
  char *text = NULL;
  size_t bytes = 0;
  json_error_t error;
  result_file *grown = realloc(all->files, (all->file_count + 1) * sizeof *grown);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the results");
  all->files = grown;
  TRM_TRY(trm_file_load(path, FILE_BYTES, &text, &bytes));
  result_file *file = &all->files[all->file_count++];
  *file = (result_file){.path = strdup(path)};
  file->document = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
  free(text);
  if (!file->path || !json_is_whole(json_true()))
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the results of %s", path);
  if (!file->document)
    return TRM_FAIL(INPUT, "%s:%d: not JSON: %s; give a file that trireme wrote, whole", path,
                    error.line, error.text);
  return check_file(file);
}

/* The result files of a folder; none is an error. */
static trm_status add_folder(findings *all, const char *folder)
{
  static const char *const names[] = {"run.json", "compare.json", "study.json", "bench.json"};
  const size_t before = all->file_count;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *path = NULL;
    TRM_TRY(trm_path_join(folder, names[i], &path));
    const trm_status status = access(path, F_OK) == 0 ? add_file(all, path) : TRM_OK;
    free(path);
    TRM_TRY(status);
  }
  if (all->file_count > before) return TRM_OK;
  return TRM_FAIL(NOT_FOUND, "%s holds no results: no run.json, compare.json, study.json or "
                  "bench.json; was the run finished?", folder);
}

static trm_status add_path(findings *all, const char *path)
{
  struct stat about;
  const int is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
  return is_folder ? add_folder(all, path) : add_file(all, path);
}

/* ---- findings ---------------------------------------------------------------------- */

/* A value of a key as text, however a file spells it. */
static void value_text(const json_t *value, char *text, size_t bytes)
{
  if (json_is_string(value)) snprintf(text, bytes, "%s", json_string_value(value));
  else if (json_is_number(value)) snprintf(text, bytes, "%.9g", json_number_value(value));
  else if (json_is_boolean(value))
    snprintf(text, bytes, "%s", json_is_true(value) ? "true" : "false");
  else text[0] = 0;
}

static void set_texts(json_t *config, const json_t *from)
{
  const char *key;
  json_t *value;
  char text[512];
  json_object_foreach((json_t *)from, key, value) {
    value_text(value, text, sizeof text);
    json_object_set_new(config, key, json_text(text));
  }
}

static void copy(char *out, size_t bytes, const char *text) { snprintf(out, bytes, "%s", text); }

static void add_rates(finding *one, const json_t *runs)
{
  const json_t *value;
  size_t i;
  json_array_foreach((json_t *)runs, i, value)
    if (json_is_number(value) && json_number_value(value) > 0 && one->rate_count < FINDING_RUNS)
      one->rates[one->rate_count++] = json_number_value(value);
}

static void take_sample(finding *one)
{
  double order[FINDING_RUNS];
  one->rate = sample_of(one->rates, one->rate_count, order);
  if (one->rate_count == 0) one->rate.median = one->rate.least = one->rate.most = NAN;
}

/* What run and contender have in common. */
static void take_common(finding *one)
{
  const json_t *document = one->file->document, *data = one->data;
  const char *host = member_text(document, "conditions.host.name");
  copy(one->machine, sizeof one->machine, host);
  copy(one->id, sizeof one->id, member_text(data, "device.id"));
  copy(one->device, sizeof one->device, member_text(data, "device.name"));
  one->is_host = json_is_true(member(data, "device.host"));
  one->threads = member_number(data, "device.threads");
  one->solver = member_text(document, "solver");
  one->name = member_text(document, "case");
  copy(one->fingerprint, sizeof one->fingerprint, member_text(data, "fingerprint"));
  one->cells = member_number(data, "cells");
  one->steps = member_number(data, "steps");
  one->energy = member_number(data, "energy.joules_per_update");
  copy(one->energy_missing, sizeof one->energy_missing, member_text(data, "energy.missing"));
  if (!isfinite(one->energy) && !one->energy_missing[0])
    copy(one->energy_missing, sizeof one->energy_missing,
         "the file is of an older version, which did not measure it; run again");
  one->config = json_object();
  set_texts(one->config, member(document, "config"));
  copy(one->shape, sizeof one->shape, member_text(data, "shape"));
}

/* A number of threads that was left to the program is the one that it took. */
static void take_threads(finding *one)
{
  if (!one->is_host) json_object_del(one->config, "run.threads");
  if (!one->is_host || !isfinite(one->threads) || json_object_size(one->config) == 0) return;
  json_object_set_new(one->config, "run.threads", json_sprintf("%.0f", one->threads));
}

static void take_run(finding *one)
{
  const json_t *data = one->data;
  const double rate = member_number(data, "speed.updates_per_second");
  take_common(one);
  copy(one->precision, sizeof one->precision, member_text(data, "program.precision"));
  copy(one->math, sizeof one->math, member_text(data, "program.math"));
  if (rate > 0) one->rates[one->rate_count++] = rate;
  one->bytes_per_second = member_number(data, "speed.bytes_per_second");
  one->flops_per_second = member_number(data, "speed.flops_per_second");
  one->ceiling = member_number(data, "speed.ceiling.copy_bytes_per_second");
  one->step_seconds = member_number(data, "speed.seconds_per_step");
  take_threads(one);
}

/* The contender's own, or that of its whole file. */
static const char *either(const json_t *data, const json_t *document, const char *name)
{
  return *member_text(data, name) ? member_text(data, name) : member_text(document, name);
}

static void take_contender(finding *one)
{
  const json_t *data = one->data;
  take_common(one);
  set_texts(one->config, member(data, "config"));
  set_texts(one->config, member(data, "values"));
  take_threads(one);
  if (strcmp(one->file->kind, "study") == 0) one->steps = member_number(data, "verified_steps");
  copy(one->precision, sizeof one->precision, either(data, one->file->document, "precision"));
  copy(one->math, sizeof one->math, either(data, one->file->document, "math"));
  add_rates(one, member(data, "runs"));
  one->bytes_per_second = member_number(data, "bytes_per_second");
  one->flops_per_second = member_number(data, "flops_per_second");
  one->ceiling = member_number(data, "ceiling.copy_bytes_per_second");
  one->step_seconds = member_number(data, "seconds_per_step");
  if (!isfinite(one->cells)) one->cells = one->step_seconds *
                                          member_median(data, "updates_per_second");
}

static trm_status add_finding(findings *all, const result_file *file, const json_t *data)
{
  if (all->count == FINDING_LIMIT)
    return TRM_FAIL(INPUT, "more than %d runs in one report; give fewer files", FINDING_LIMIT);
  if (!json_is_object(data) || !json_is_object(member(data, "device")))
    return TRM_FAIL(INPUT, "%s is damaged: a run without a device", file->path);
  finding *grown = realloc(all->list, (all->count + 1) * sizeof *grown);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the results");
  all->list = grown;
  finding *one = &all->list[all->count];
  *one = (finding){.file = file, .data = data};
  if (strcmp(file->kind, "run") == 0) take_run(one);
  else take_contender(one);
  all->count++;
  take_sample(one);
  return TRM_OK;
}

static trm_status add_findings(findings *all, const result_file *file)
{
  const json_t *value, *list = member(file->document, "contenders");
  size_t i;
  if (strcmp(file->kind, "run") == 0) {
    const char *status = member_text(file->document, "status");
    if (strcmp(status, "finished") != 0 && strcmp(status, "stopped") != 0)
      return TRM_FAIL(INPUT, "%s is of a run that is '%s': %s", file->path, status,
                      strcmp(status, "running") == 0 ? "it goes on, or was killed"
                                                     : member_text(file->document, "error"));
    return add_finding(all, file, file->document);
  }
  if (strcmp(file->kind, "compare") == 0 && !json_is_array(list))
    return TRM_FAIL(INPUT, "%s is damaged: it has no \"contenders\"", file->path);
  json_array_foreach((json_t *)list, i, value)
    if (!*member_text(value, "error")) TRM_TRY(add_finding(all, file, value));
  return TRM_OK;
}

/* ---- all ------------------------------------------------------------------------------ */

trm_status findings_read(findings *out, char *const *paths, size_t count, int mixed)
{
  *out = (findings){.is_mixed = mixed};
  if (count == 0)
    return TRM_FAIL(INPUT, "no results given; name files or folders, such as 'trireme report "
                    "results/NAME-0001'");
  for (size_t i = 0; i < count; i++) TRM_TRY(add_path(out, paths[i]));
  for (size_t i = 0; i < out->file_count; i++) TRM_TRY(add_findings(out, &out->files[i]));
  return findings_match(out);
}

void findings_clear(findings *all)
{
  for (size_t i = 0; i < all->file_count; i++) {
    free(all->files[i].path);
    json_decref(all->files[i].document);
  }
  for (size_t i = 0; i < all->count; i++) json_decref(all->list[i].config);
  free(all->files);
  free(all->list);
  *all = (findings){0};
}
