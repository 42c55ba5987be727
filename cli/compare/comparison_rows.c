/* comparison_rows.c - rows.json: the finished runs of an unfinished comparison, to continue it. The
 * results of a run are not in it: they are read from its final state, if that was kept
 * (candidate_keep.h), else the steps are repeated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/compare/comparison.h"
#include "run/text/json.h"
#include "run/text/members.h"
#include "io/file.h"
#include "io/json_kept.h"

enum { LARGEST_FILE = 64 << 20 };

static const member_place row_members[] = {
  MEMBER(comparison_row, TEXT, "fingerprint", who.benchmark.fingerprint),
  MEMBER(comparison_row, TEXT, "series", series),
  MEMBER(comparison_row, FLAG, "repeats", who.benchmark.repeats),
  MEMBER(comparison_row, TEXT, "energy_missing", who.benchmark.energy_missing),
  MEMBER(comparison_row, TEXT, "diverged", diverged)};

static json_t *row_json(const comparison *all, const comparison_row *one)
{
  const benchmark *of = &one->who.benchmark;
  json_t *out = MEMBERS_WRITE(json_object(), row_members, one);
  char name[256];
  candidate_say(&one->who, name, sizeof name);
  json_object_set_new(out, "row", json_text(name));
  json_object_set_new(out, "device", json_text(comparison_row_device(all, one)->name));
  json_object_set_new(out, "runs", member_array(of->rates, of->run_count));
  json_object_set_new(out, "joules_per_update", member_array(of->energies, of->run_count));
  return out;
}

trm_status comparison_save(const comparison *all)
{
  char *path = NULL, *text = NULL;
  if (!all->folder) return TRM_OK;
  json_t *document = json_document("comparison"), *rows = json_array();
  for (size_t i = 0; i < all->count; i++)
    json_array_append_new(rows, row_json(all, &all->rows[i]));
  json_object_set_new(document, "question", json_text(all->question));
  json_object_set_new(document, "rows", rows);
  text = json_print(document);
  json_decref(document);
  trm_status status = text ? trm_path_join(all->folder, "rows.json", &path)
                           : TRM_FAIL(NO_HOST_MEMORY, "no memory for rows.json");
  if (status == TRM_OK) status = trm_file_keep(path, text, strlen(text));
  free(path);
  free(text);
  return status;
}

void comparison_forget(const comparison *all)
{
  char *path = NULL;
  if (trm_path_join(all->folder, "rows.json", &path) == TRM_OK) (void)trm_file_remove(path);
  free(path);
  candidate_keep_remove(all->folder);
}

/* ---- reading again ------------------------------------------------------------------- */

static trm_status check(const comparison *all, const char *path, const json_t *document)
{
  const json_t *rows = json_object_get(document, "rows");
  if (strcmp(member_text(document, "kind"), "comparison") != 0 || !json_is_array(rows))
    return TRM_FAIL(INPUT, "%s: does not belong to a comparison; choose another folder with "
                           "--output", path);
  if (strcmp(member_text(document, "question"), all->question) != 0)
    return TRM_FAIL(INPUT, "%s: belongs to another comparison (%s); choose another folder with "
                           "--output", path, member_text(document, "question"));
  if (strcmp(member_text(document, "trireme"), trm_version()) != 0)
    return TRM_FAIL(INPUT, "%s: was begun by trireme %s and cannot be continued by %s; choose "
                    "another folder with --output", path,
                    member_text(document, "trireme"), trm_version());
  if (json_array_size(rows) != all->count)
    return TRM_FAIL(INPUT, "%s: has %zu rows, and the same command has %zu with the devices of "
                    "this machine; choose another folder with --output", path,
                    json_array_size(rows), all->count);
  const json_int_t schema = json_integer_value(json_object_get(document, "schema"));
  if (schema != TRIREME_SCHEMA)
    return TRM_FAIL(INPUT, "%s: was begun in schema %lld, and its fingerprints cannot be compared "
                    "with those of schema %d; choose another folder with --output", path,
                    (long long)schema, TRIREME_SCHEMA);
  for (size_t i = 0; i < all->count; i++) {
    const char *then = member_text(json_array_get(rows, i), "device");
    const char *now = comparison_row_device(all, &all->rows[i])->name;
    if (strcmp(then, now) != 0)
      return TRM_FAIL(INPUT, "%s: row %zu ran on '%s', and here is '%s'; choose another folder "
                      "with --output", path, i + 1, then, now);
  }
  return TRM_OK;
}

static trm_status read_row(comparison *all, const json_t *from, comparison_row *to)
{
  benchmark *of = &to->who.benchmark;
  MEMBERS_READ(from, row_members, to);
  if (to->diverged[0]) return comparison_give_up(all, to, 1);
  snprintf(of->energy_source, sizeof of->energy_source, "%s",
           all->devices.list[to->who.device].meter.source);
  return benchmark_read_runs(of, member(from, "runs"), member(from, "joules_per_update"),
                             all->runs);
}

trm_status comparison_finished(const char *folder, const char *question, json_t **out)
{
  char *path = NULL;
  struct stat about;
  json_t *document = NULL;
  TRM_TRY(trm_path_join(folder, "compare.json", &path));
  trm_status status = stat(path, &about) == 0 ? trmi_json_load(path, LARGEST_FILE, &document)
                                              : TRM_OK;
  const char *asked = member_text(document, "question");
  if (document && strcmp(member_text(document, "kind"), "compare") != 0)
    status = TRM_FAIL(INPUT, "%s: does not belong to a comparison; choose another folder with "
                             "--output", path);
  else if (document && strcmp(asked, question) != 0)
    status = TRM_FAIL(INPUT, "%s: belongs to another comparison (%s); choose another folder with "
                             "--output", path, asked[0] ? asked : "of an earlier version");
  free(path);
  if (status == TRM_OK) *out = document;
  else json_decref(document);
  return status;
}

trm_status comparison_take_up(comparison *all, const char *folder, int *is_again)
{
  char *path = NULL, *text = NULL;
  size_t bytes = 0;
  TRM_TRY(trm_path_join(folder, "rows.json", &path));
  *is_again = access(path, F_OK) == 0;
  trm_status status = *is_again ? trm_file_load(path, LARGEST_FILE, &text, &bytes) : TRM_OK;
  if (*is_again && status == TRM_OK) {
    json_t *document = json_loadb(text, bytes, 0, NULL);
    status = check(all, path, document);
    for (size_t i = 0; i < all->count && status == TRM_OK; i++)
      status = read_row(all, json_array_get(json_object_get(document, "rows"), i),
                        &all->rows[i]);
    json_decref(document);
  }
  free(text);
  free(path);
  return status;
}
