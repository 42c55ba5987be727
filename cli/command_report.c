/* command_report.c - `trireme report`: a page from stored results; nothing is run. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/report/report_data.h"
#include "cli/report/sections.h"
#include "run/text/json.h"
#include "io/file.h"
#include "io/place.h"

/* PATH without ".html". */
static trm_status stem_of(const char *path, char **out)
{
  const size_t length = strlen(path);
  const int has_end = length > 5 && strcmp(path + length - 5, ".html") == 0;
  if (!has_end)
    return TRM_FAIL(INPUT, "--output=%s: the page's name must end in .html, such as "
                           "report.html", path);
  *out = strndup(path, length - 5);
  return *out ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for a path");
}

/* ---- the files, all made before one is written ------------------------------------ */

typedef struct report_file { char *path, *text; } report_file;
typedef struct report_files {
  report_file *list;
  size_t count;
} report_files;

/* STEM-ID.END or STEM.END with this text, which is taken; NULL: without memory. */
static trm_status add(report_files *files, const char *stem, const char *id, const char *end,
                      char *text)
{
  char *path = NULL;
  report_file *grown = realloc(files->list, (files->count + 1) * sizeof *grown);
  if (grown) files->list = grown;
  if (!grown || !text || asprintf(&path, "%s%s%s.%s", stem, id ? "-" : "", id ? id : "", end) < 0) {
    free(text);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the report");
  }
  files->list[files->count++] = (report_file){path, text};
  return TRM_OK;
}

static trm_status add_parts(report_files *files, const page *from, const char *stem)
{
  for (size_t i = 0; i < from->count; i++) {
    const page_block *block = &from->blocks[i];
    if (block->kind == BLOCK_FIGURE)
      TRM_TRY(add(files, stem, block->id, "svg", page_svg(from, block)));
    if (block->kind == BLOCK_TABLE)
      TRM_TRY(add(files, stem, block->id, "csv", page_csv(block)));
  }
  return TRM_OK;
}

/* An existing file may be the page of other results; only the same page may be made again. */
static trm_status check_free(const report_file *file)
{
  char *there = NULL;
  size_t bytes = 0;
  struct stat about;
  if (stat(file->path, &about) != 0 || !S_ISREG(about.st_mode)) return TRM_OK;
  const trm_status status = trm_file_load(file->path, SIZE_MAX / 2, &there, &bytes);
  const int is_same = status == TRM_OK && bytes == strlen(file->text) &&
                      memcmp(there, file->text, bytes) == 0;
  free(there);
  TRM_TRY(status);
  return is_same ? TRM_OK
         : TRM_FAIL(INPUT, "'%s' is there already, and is not of these results; name another page "
                    "with --output=FILE.html, or write over it with --again", file->path);
}

/* All go into the folder that was found for the first of them. */
static trm_status write_all(const report_files *files, const char *path)
{
  int folder = -1;
  const char *name = strrchr(path, '/');
  char *where = strndup(path, name ? (size_t)(name - path) + (name == path) : 0);
  trm_status status = where ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for a path");
  if (status == TRM_OK && where[0]) {
    folder = trmi_place_open(where, O_PATH | O_DIRECTORY);
    if (folder >= 0) status = trmi_place_keep(where, folder);
  }
  for (size_t i = 0; i < files->count && status == TRM_OK; i++)
    status = trm_file_save(files->list[i].path, files->list[i].text, strlen(files->list[i].text));
  if (folder >= 0) {
    trmi_place_forget(folder);
    close(folder);
  }
  free(where);
  return status;
}

static void clear(report_files *files)
{
  for (size_t i = 0; i < files->count; i++) {
    free(files->list[i].path);
    free(files->list[i].text);
  }
  free(files->list);
}

/* The page itself comes last: where it is, all is. */
static trm_status save_all(const page *from, const char *path, int is_again)
{
  char *stem = NULL;
  report_files files = {0};
  TRM_TRY(stem_of(path, &stem));
  const char *name = strrchr(stem, '/') ? strrchr(stem, '/') + 1 : stem;
  trm_status status = TRM_OK;
  if (from->failed || !json_is_whole(json_true()))
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the report");
  if (status == TRM_OK) status = add_parts(&files, from, stem);
  if (status == TRM_OK) status = add(&files, stem, NULL, "md", page_markdown(from, name));
  if (status == TRM_OK) status = add(&files, stem, NULL, "html", page_html(from));
  for (size_t i = 0; i < files.count && status == TRM_OK && !is_again; i++)
    status = check_free(&files.list[i]);
  if (status == TRM_OK) status = write_all(&files, path);
  clear(&files);
  free(stem);
  return status;
}

exit_code command_report(const arguments *args)
{
  report_data all;
  page made = {0};
  const char *path = args->output ? args->output : "report.html";
  trm_status status = report_data_read(&all, args->operands, args->operand_count, args->mixed);
  if (status == TRM_OK) {
    sections_compose(&made, &all);
    status = save_all(&made, path, args->again);
  }
  if (status == TRM_OK) printf("%s\n", path);
  /* the folder holds no results itself: list the folders in it that do */
  if (status == TRM_ERROR_NOT_FOUND && args->operand_count == 1) {
    const trm_error cause = *trm_error_last();
    if (report_data_list(args->operands[0], stdout) > 0) {
      printf("Give one or more of them to 'trireme report'.\n");
      status = TRM_OK;
    } else trm_error_record(status, cause.file, cause.line, "%s", cause.text);
  }
  page_clear(&made);
  report_data_clear(&all);
  return message_failure(status);
}
