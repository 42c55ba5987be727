/* command_report.c - `trireme report`: a page from stored results; nothing is run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/report/findings.h"
#include "cli/report/sections.h"
#include "cli/text/json.h"
#include "io/file.h"

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

/* STEM-ID.END or STEM.END with this text, which is freed; NULL: without memory. */
static trm_status save(const char *stem, const char *id, const char *end, char *text)
{
  char *path = NULL;
  trm_status status = TRM_OK;
  if (!text || asprintf(&path, "%s%s%s.%s", stem, id ? "-" : "", id ? id : "", end) < 0)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the report");
  else status = trm_file_save(path, text, strlen(text));
  free(path);
  free(text);
  return status;
}

static trm_status save_parts(const page *from, const char *stem)
{
  for (size_t i = 0; i < from->count; i++) {
    const page_block *block = &from->blocks[i];
    if (block->kind == BLOCK_FIGURE) TRM_TRY(save(stem, block->id, "svg", page_svg(from, block)));
    if (block->kind == BLOCK_TABLE) TRM_TRY(save(stem, block->id, "csv", page_csv(block)));
  }
  return TRM_OK;
}

/* The page itself comes last: where it is, all is. */
static trm_status save_all(const page *from, const char *path)
{
  char *stem = NULL;
  TRM_TRY(stem_of(path, &stem));
  const char *name = strrchr(stem, '/') ? strrchr(stem, '/') + 1 : stem;
  trm_status status = TRM_OK;
  if (from->failed || !json_is_whole(json_true()))
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the report");
  if (status == TRM_OK) status = save_parts(from, stem);
  if (status == TRM_OK) status = save(stem, NULL, "md", page_markdown(from, name));
  if (status == TRM_OK) status = save(stem, NULL, "html", page_html(from));
  free(stem);
  return status;
}

exit_code command_report(const arguments *args)
{
  findings all;
  page made = {0};
  const char *path = args->output ? args->output : "report.html";
  trm_status status = findings_read(&all, args->operands, args->operand_count, args->mixed);
  if (status == TRM_OK) {
    sections_compose(&made, &all);
    status = save_all(&made, path);
  }
  if (status == TRM_OK) printf("%s\n", path);
  /* the folder holds no results itself: list the folders in it that do */
  if (status == TRM_ERROR_NOT_FOUND && args->operand_count == 1) {
    const trm_error cause = *trm_error_last();
    if (findings_list(args->operands[0], stdout) > 0) {
      printf("Give one or more of them to 'trireme report'.\n");
      status = TRM_OK;
    } else trm_error_record(status, cause.file, cause.line, "%s", cause.text);
  }
  page_clear(&made);
  findings_clear(&all);
  return message_failure(status);
}
