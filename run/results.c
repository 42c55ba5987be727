/* results.c - the folder that a run leaves behind, its texts, series and exports. */
#include "run/results.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/measure/clock.h"
#include "run/text/json.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/place.h"

enum { NAME_BYTES = 160 };

/* ---- the folder ------------------------------------------------------------ */

trm_status results_write_text(const results *out, const char *name, const char *text)
{
  char *path = NULL;
  TRM_TRY(trm_path_join(out->folder, name, &path));
  const trm_status status = trm_file_save(path, text, strlen(text));
  free(path);
  return status;
}

static trm_status open_log(const results *out)
{
  char *path = NULL;
  TRM_TRY(trm_path_join(out->folder, "log.txt", &path));
  const trm_status status = log_open(out->log, path);
  free(path);
  return status;
}

/* Whether a file of that name could be written at the end: made beside it and given up again. */
static trm_status check_file(const results *out, const char *name, const char *suffix)
{
  char file[NAME_BYTES], *path = NULL;
  snprintf(file, sizeof file, "%s.%s", name, suffix);
  TRM_TRY(trm_path_join(out->folder, file, &path));
  trm_file *attempt = NULL;
  const trm_status status = trm_file_create(path, &attempt);
  trm_file_discard(&attempt);
  free(path);
  return status;
}

/* A folder holds the results of one command: files of two would say things that belong to none.
 * own: the document that may be there already, or NULL. */
static trm_status require_free(const results *out, const char *own)
{
  static const char *const documents[] = {"run.json", "compare.json", "study.json", "rows.json",
                                          "checkpoint"};
  for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
    char *path = NULL;
    const int is_state = strcmp(documents[i], "checkpoint") == 0 ||
                         strcmp(documents[i], "rows.json") == 0;
    if (own && (is_state || strcmp(documents[i], own) == 0)) continue;
    TRM_TRY(trm_path_join(out->folder, documents[i], &path));
    struct stat about;
    const int is_taken = trmi_place_stat(path, &about) == 0;
    free(path);
    if (is_taken)
      return TRM_FAIL(INPUT, "%s: '%s' holds earlier results (%s), which are not mixed with new "
                      "ones; name another folder, remove this one, or leave output.folder out for "
                      "a new one below results/",
                      trm_config_origin(out->chosen->config, "output.folder"), out->folder,
                      documents[i]);
  }
  return TRM_OK;
}

trm_status results_check_folder(const run_case *chosen)
{
  const results out = {.chosen = chosen, .folder = (char *)chosen->settings.folder};
  int lock = -1;
  if (!out.folder[0] || trm_folder_lock(out.folder, &lock) != TRM_OK) return TRM_OK;
  const trm_status status = lock >= 0 ? require_free(&out, NULL) : TRM_OK;
  trm_folder_unlock(&lock);
  return status;
}

/* ---- the run's own ---------------------------------------------------------- */

static int is_one(const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int is_unchanged(const struct stat *a, const struct stat *b)
{
  return is_one(a, b) && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
         a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int read_mark(const results *out, results_mark *mark)
{
  return fstat(out->lock, &mark->folder) == 0 &&
         fstatat(out->lock, "run.json", &mark->document, AT_SYMLINK_NOFOLLOW) == 0;
}

trm_status results_mark_own(const results *out, results_mark **marks, size_t *count)
{
  results_mark now;
  if (!read_mark(out, &now)) return TRM_OK;
  for (size_t i = 0; i < *count; i++)
    if (is_one(&(*marks)[i].folder, &now.folder)) {
      (*marks)[i] = now;
      return TRM_OK;
    }
  results_mark *grown = realloc(*marks, (*count + 1) * sizeof *grown);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the folders of a run");
  grown[(*count)++] = now;
  *marks = grown;
  return TRM_OK;
}

/* 1: the folder holds what this run wrote there last. */
static int is_own(const results *out, const results_own *own)
{
  results_mark now;
  if (!read_mark(out, &now)) return 0;
  for (size_t i = 0; i < own->count; i++)
    if (is_one(&own->marks[i].folder, &now.folder))
      return is_unchanged(&own->marks[i].document, &now.document);
  return 0;
}

int results_is_same(const results *out, const run_case *chosen)
{
  return out->folder && strcmp(out->folder, chosen->settings.folder) == 0;
}

void results_tell_place(const results *out)
{
  struct stat kept, there;
  char link[64], place[PATH_MAX] = "";
  if (fstat(out->lock, &kept) != 0) return;
  if (stat(out->folder, &there) == 0 && is_one(&kept, &there)) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", out->lock);
  if (readlink(link, place, sizeof place - 1) < 0) return;
  log_say(out->log, TRM_LOG_WARNING, "'%s' is no longer the folder of the start; the results "
          "are in the folder of the start, now '%s'", out->folder, place);
}

/* ---- a folder is chosen ------------------------------------------------------ */

/* The folder where the run writes already, with its lock. */
static trm_status take_over(results *out, const results *from)
{
  out->folder = strdup(from->folder);
  if (!out->folder) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a path");
  const int lock = fcntl(from->lock, F_DUPFD_CLOEXEC, 0);
  if (lock < 0)
    return TRM_FAIL(IO, "the folder '%s' cannot be kept: %s; raise the limit on open files "
                    "(ulimit -n)", from->folder, strerror(errno));
  const trm_status status = trmi_place_keep(out->folder, lock);
  if (status == TRM_OK) out->lock = lock;
  else close(lock);
  return status;
}

/* output.folder, or a new results/NAME-NNNN; kept from other runs. */
static trm_status make_folder(results *out, const char *name)
{
  if (out->chosen->settings.folder[0]) {
    out->folder = strdup(out->chosen->settings.folder);
    if (!out->folder) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a path");
    TRM_TRY(trm_folder_create(out->folder));
  } else {
    TRM_TRY(trm_results_create("results", name, &out->folder));
  }
  TRM_TRY(trm_folder_lock(out->folder, &out->lock));
  if (out->lock >= 0) return TRM_OK;
  TRM_TRY(trm_folder_check(out->folder));
  return TRM_FAIL(IO, "the folder '%s' was taken away; start again", out->folder);
}

trm_status results_begin(const results *out)
{
  char *text = NULL;
  if (!out->log->file) TRM_TRY(open_log(out));
  TRM_TRY(trm_config_print(out->chosen->config, out->chosen->type->name, &text));
  const trm_status status = results_write_text(out, "used.conf", text);
  free(text);
  return status;
}

static trm_status check_files(const results *out, const session *run)
{
  const unsigned formats = out->chosen->settings.formats;
  TRM_TRY(check_file(out, "run", "json"));
  TRM_TRY(check_file(out, "series", "csv"));
  if (formats & OUTPUT_VTI) TRM_TRY(check_file(out, "fields", "vti"));
  if (formats & OUTPUT_VTU) TRM_TRY(check_file(out, "fields", "vtu"));
  if (formats & OUTPUT_HTG) TRM_TRY(check_file(out, "fields", "htg"));
  for (size_t i = 0; i < run->solver->field_count; i++) {
    const char *name = run->solver->fields[i].name;
    if (out->selected[i] && (formats & OUTPUT_NPY)) TRM_TRY(check_file(out, name, "npy"));
    if (out->pictured[i] && (formats & OUTPUT_PNG)) TRM_TRY(check_file(out, name, "png"));
  }
  return TRM_OK;
}

trm_status results_open(results *out, const run_case *chosen, const session *run, run_log *log,
                        const results_own *own)
{
  const int is_same = results_is_same(own->out, chosen);
  *out = (results){.chosen = chosen, .log = log, .lock = -1, .movie = -1};
  TRM_TRY(results_select(out, run));
  TRM_TRY(is_same ? take_over(out, own->out) : make_folder(out, chosen->name));
  TRM_TRY(require_free(out, is_same || is_own(out, own) ? "run.json" : NULL));
  TRM_TRY(trm_folder_check(out->folder));
  TRM_TRY(check_files(out, run));
  TRM_TRY(results_begin_frames(out, run));
  return results_begin(out);
}

trm_status results_open_plain(results *out, const run_case *chosen, const char *what,
                              run_log *log, int is_again)
{
  char name[NAME_BYTES], document[32];
  *out = (results){.chosen = chosen, .log = log, .lock = -1};
  snprintf(name, sizeof name, "%s-%s", chosen->name, what);
  snprintf(document, sizeof document, "%s.json", what);
  TRM_TRY(make_folder(out, name));
  TRM_TRY(require_free(out, is_again ? document : NULL));
  TRM_TRY(trm_folder_check(out->folder));
  TRM_TRY(check_file(out, what, "json"));
  return results_begin(out);
}

trm_status results_write_document(const results *out, const char *name, json_t *document)
{
  char *text = json_print(document), *lines = NULL;
  trm_status status = TRM_OK;
  if (!text || asprintf(&lines, "%s\n", text) < 0)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for %s", name);
  if (status == TRM_OK) status = results_write_text(out, name, lines);
  free(lines);
  free(text);
  return status;
}

void results_close(results *out)
{
  trm_folder_unlock(&out->lock);
  free(out->folder);
  free(out->selected);
  free(out->pictured);
  trm_file_discard(&out->series);
  trm_file_discard(&out->collection);
  free(out->collected);
  *out = (results){.lock = -1};
}

/* ---- series and exports ---------------------------------------------------- */

static trm_status append_rows(results *out, const session *run, int last)
{
  const size_t count = run->series_count;
  /* the search for the cell where a run diverged takes steps back, so rows may be fewer now */
  const uint64_t rows = run->steps_done > out->rows ? run->steps_done - out->rows : 0;
  trm_csv_column *columns = calloc(count, sizeof *columns);
  if (!columns) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the series of an output");
  for (size_t i = 0; i < count; i++) {
    const trm_series *series = &run->solver->series[i];
    columns[i] = (trm_csv_column){series->name, series->unit, run->series[i] + out->rows,
                                  series->type == TRM_TYPE_F32};
  }
  char *path = NULL;
  trm_status status = trm_path_join(out->folder, "series.csv", &path);
  if (status == TRM_OK && !out->series)
    status = trm_csv_create(path, columns, count, &out->series);
  if (status == TRM_OK)
    status = trm_csv_append(out->series, out->rows + 1, columns, count, (size_t)rows);
  if (status == TRM_OK) status = last ? trm_file_commit(&out->series) : trm_file_flush(out->series);
  free(path);
  free(columns);
  return status;
}

trm_status results_write_series(results *out, const session *run, int last)
{
  static const double pause_seconds = 1;
  if (run->series_count == 0 || run->steps_done == 0) return TRM_OK;
  if (!last && out->series && clock_now() - out->flushed < pause_seconds) return TRM_OK;
  TRM_TRY(append_rows(out, run, last));
  out->rows = last ? 0 : run->steps_done;   /* a file after the last one has all rows again */
  out->flushed = clock_now();
  return TRM_OK;
}

trm_status results_write_exports(const results *out, session *run)
{
  if (!results_have_exports(out, run)) return TRM_OK;
  const double begin = clock_now();
  const trm_status status = out->chosen->type->export_files(run->solver, out->folder, run->series,
                                                            (size_t)run->steps_done);
  run->times.output += clock_now() - begin;
  return status;
}
