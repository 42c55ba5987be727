/* report_data.c - reads result files of run, compare, study and bench; checks all of them. */
#include "cli/report/report_data.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/text/json.h"
#include "run/text/members.h"
#include "run/text/text.h"
#include "io/file.h"
#include "io/json_kept.h"
#include "io/place.h"

enum { FILE_BYTES = 16 * 1024 * 1024 };

/* ---- files ----------------------------------------------------------------------- */

static trm_status check_file(result_file *file)
{
  static const char *const kinds[] = {"run", "compare", "study", "bench"};
  const json_t *schema = json_object_get(file->document, "schema");
  const char *version = member_text(file->document, "trireme");
  const json_int_t number = json_integer_value(schema);
  file->kind = member_text(file->document, "kind");
  if (!json_is_integer(schema) || !*version || !*file->kind)
    return TRM_FAIL(INPUT, "%s is not a result of trireme: it lacks \"schema\", \"trireme\" or "
                    "\"kind\"; give run.json or compare.json, or a folder that holds one",
                    file->path);
  if (number > TRIREME_SCHEMA)
    return TRM_FAIL(INPUT, "%s was written by trireme %s in schema %lld; this is %s, which reads "
                    "up to %d: use that version, or a later one", file->path, version,
                    (long long)number, trm_version(), TRIREME_SCHEMA);
  if (number < 1)
    return TRM_FAIL(INPUT, "%s: schema %lld does not exist", file->path, (long long)number);
  file->schema = (int)number;
  file->roles = report_data_roles(file);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(file->kind, kinds[i]) == 0) return TRM_OK;
  return TRM_FAIL(INPUT, "%s is of the kind '%s'; a report is made of results of run, compare, "
                  "study and bench", file->path, file->kind);
}

/* The same results count once, under any name: they are no further runs. */
static int is_known(const report_data *all, const json_t *document)
{
  for (size_t i = 0; i < all->file_count; i++)
    if (json_equal(all->files[i].document, document)) return 1;
  return 0;
}

static trm_status add_file(report_data *all, const char *path)
{
  json_t *document = NULL;
  result_file *grown = realloc(all->files, (all->file_count + 1) * sizeof *grown);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the results");
  all->files = grown;
  TRM_TRY(trmi_json_load(path, FILE_BYTES, &document));
  report_take_present_keys(document);
  if (is_known(all, document)) {
    json_decref(document);
    return TRM_OK;
  }
  result_file *file = &all->files[all->file_count++];
  *file = (result_file){.path = strdup(path), .document = document};
  if (!file->path || !json_is_whole(json_true()))
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the results of %s", path);
  return check_file(file);
}

/* The result files of a folder; none is an error. */
static trm_status add_folder(report_data *all, const char *folder)
{
  static const char *const names[] = {"run.json", "compare.json", "study.json", "bench.json"};
  int is_found = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *path = NULL;
    struct stat about;
    TRM_TRY(trm_path_join(folder, names[i], &path));
    const int is_there = trmi_place_stat(path, &about) == 0;
    const trm_status status = is_there ? add_file(all, path) : TRM_OK;
    free(path);
    TRM_TRY(status);
    is_found |= is_there;
  }
  if (is_found) return TRM_OK;
  return TRM_FAIL(NOT_FOUND, "%s holds no results: no run.json, compare.json, study.json or "
                  "bench.json; was the run finished?", folder);
}

static trm_status add_path(report_data *all, const char *path)
{
  struct stat about;
  const int is_folder = trmi_place_stat(path, &about) == 0 && S_ISDIR(about.st_mode);
  return is_folder ? add_folder(all, path) : add_file(all, path);
}

/* ---- rows -------------------------------------------------------------------------- */

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

/* Facts that a report needs beside the benchmark. */
static void take_context(report_row *one)
{
  const json_t *document = one->file->document;
  benchmark *of = &one->of;
  text_copy(one->machine, sizeof one->machine, member_text(document, "conditions.host.name"));
  one->solver = member_text(document, "solver");
  one->name = member_text(document, "case");
  if (!isfinite(of->energy) && !of->energy_missing[0])
    snprintf(of->energy_missing, sizeof of->energy_missing, "the file is of an older version, "
             "which did not measure it; run again");
  one->config = json_object();
  set_texts(one->config, member(document, "config"));
  if (one->data != document) set_texts(one->config, member(one->data, "config"));
  if (one->data != document) set_texts(one->config, member(one->data, "values"));
  one->rate = benchmark_rate(of);
  if (of->run_count == 0) one->rate.median = one->rate.least = one->rate.most = NAN;
  /* where the program chose the number of threads, the number that it chose is reported */
  const char *threads = json_string_value(json_object_get(one->config, "run.threads"));
  if (!of->is_host || (!isfinite(of->threads) && threads && strcmp(threads, "0") == 0))
    json_object_del(one->config, "run.threads");
  else if (isfinite(of->threads) && json_object_size(one->config) > 0)
    json_object_set_new(one->config, "run.threads", json_sprintf("%.0f", of->threads));
}

static trm_status add_row(report_data *all, const result_file *file, const json_t *data)
{
  if (all->count == REPORT_LIMIT)
    return TRM_FAIL(INPUT, "more than %d runs in one report; give fewer files", REPORT_LIMIT);
  if (!json_is_object(data) || !json_is_object(member(data, "device")))
    return TRM_FAIL(INPUT, "%s is damaged: a run without a device", file->path);
  report_row *grown = realloc(all->list, (all->count + 1) * sizeof *grown);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the results");
  all->list = grown;
  report_row *one = &all->list[all->count];
  *one = (report_row){.file = file, .data = data};
  all->count++;
  TRM_TRY(benchmark_read(&one->of, data, file->document));
  take_context(one);
  return TRM_OK;
}

static trm_status add_rows(report_data *all, const result_file *file)
{
  const json_t *value, *list = member(file->document, "contenders");
  size_t i;
  if (strcmp(file->kind, "run") == 0) {
    const char *status = member_text(file->document, "status");
    if (strcmp(status, "finished") != 0 && strcmp(status, "stopped") != 0)
      return TRM_FAIL(INPUT, "%s is of a run that is '%s': %s", file->path, status,
                      strcmp(status, "running") == 0 ? "it goes on, or was killed"
                                                     : member_text(file->document, "error"));
    return add_row(all, file, file->document);
  }
  if (strcmp(file->kind, "compare") == 0 && !json_is_array(list))
    return TRM_FAIL(INPUT, "%s is damaged: it has no \"contenders\"", file->path);
  json_array_foreach((json_t *)list, i, value)
    if (!*member_text(value, "error")) TRM_TRY(add_row(all, file, value));
  return TRM_OK;
}

/* ---- what lies in a folder ------------------------------------------------------------ */

static size_t list_file(const char *folder, const char *name, const char *kind, FILE *out)
{
  char *path = NULL;
  json_t *document = NULL;
  if (asprintf(&path, "%s/%s/%s.json", folder, name, kind) < 0) return 0;
  const trm_status read = trmi_json_load(path, FILE_BYTES, &document);
  free(path);
  if (read != TRM_OK) return 0;
  const char *status = member_text(document, "status");
  char *line = NULL;
  if (asprintf(&line, "%s/%s: %s of %s (%s)%s%s, %s", folder, name, kind,
               member_text(document, "case"), member_text(document, "solver"), *status ? ", " : "",
               status, member_text(document, "written")) >= 0)
    fprintf(out, "%s\n", text_clean(line));
  free(line);
  json_decref(document);
  return 1;
}

size_t report_data_list(const char *folder, FILE *out)
{
  static const char *const kinds[] = {"run", "compare", "study", "bench"};
  struct dirent **names = NULL;
  size_t found = 0;
  const int count = scandir(folder, &names, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    for (size_t k = 0; k < 4 && names[i]->d_name[0] != '.'; k++)
      found += list_file(folder, names[i]->d_name, kinds[k], out);
    free(names[i]);
  }
  free(names);
  return found;
}

/* ---- all ------------------------------------------------------------------------------ */

trm_status report_data_read(report_data *out, char *const *paths, size_t count, int mixed)
{
  *out = (report_data){.is_mixed = mixed};
  if (count == 0)
    return TRM_FAIL(INPUT, "no results given; name files or folders, such as 'trireme report "
                    "results/NAME-0001'");
  for (size_t i = 0; i < count; i++) TRM_TRY(add_path(out, paths[i]));
  for (size_t i = 0; i < out->file_count; i++) TRM_TRY(add_rows(out, &out->files[i]));
  return report_data_match(out);
}

void report_data_clear(report_data *all)
{
  for (size_t i = 0; i < all->file_count; i++) {
    free(all->files[i].path);
    json_decref(all->files[i].document);
    json_decref(all->files[i].roles);
  }
  for (size_t i = 0; i < all->count; i++) {
    json_decref(all->list[i].config);
    benchmark_clear(&all->list[i].of);
  }
  free(all->files);
  free(all->list);
  *all = (report_data){0};
}
