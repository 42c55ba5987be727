/* command_retrace.c - `trireme study --retrace=NAME`: a published report, measured again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "cli/process.h"
#include "cli/retrace/retrace.h"
#include "io/file.h"

/* Takes the text. */
static trm_status keep(const retrace *all, const char *name, char *text)
{
  const trm_status status = text ? results_write_text(&all->of.out, name, text)
                                 : TRM_FAIL(NO_HOST_MEMORY, "no memory for %s", name);
  free(text);
  return status;
}

/* Each table of the page that has a number: table-1.csv. */
static trm_status keep_tables(const retrace *all, const page *made)
{
  char name[64];
  for (size_t i = 0; i < made->count; i++) {
    const page_block *block = &made->blocks[i];
    if (block->kind != BLOCK_TABLE || strncmp(block->id, "table-", 6) != 0) continue;
    snprintf(name, sizeof name, "%s.csv", block->id);
    TRM_TRY(keep(all, name, page_csv(block)));
  }
  return TRM_OK;
}

static int ends_in(const char *path, const char *end)
{
  const size_t length = strlen(path), tail = strlen(end);
  return length > tail && strcmp(path + length - tail, end) == 0;
}

static trm_status check_page(const char *path)
{
  if (!path || ends_in(path, ".md") || ends_in(path, ".html")) return TRM_OK;
  return TRM_FAIL(INPUT, "--page=%s: the page's name must end in .md or .html", path);
}

/* Takes both texts. */
static trm_status save(char *path, char *text)
{
  const trm_status status = path && text ? trm_file_save(path, text, strlen(text))
                                         : TRM_FAIL(NO_HOST_MEMORY, "no memory for the page");
  free(path);
  free(text);
  return status;
}

/* Markdown has its figures beside it: "page-factors-1.svg". */
static trm_status save_markdown(const page *made, const char *path)
{
  char *stem = strndup(path, strlen(path) - strlen(".md")), *figure = NULL;
  const char *name = stem && strrchr(stem, '/') ? strrchr(stem, '/') + 1 : stem;
  trm_status status = stem ? save(strdup(path), page_markdown(made, name))
                           : TRM_FAIL(NO_HOST_MEMORY, "no memory for the page");
  for (size_t i = 0; i < made->count && status == TRM_OK; i++) {
    const page_block *block = &made->blocks[i];
    if (block->kind != BLOCK_FIGURE) continue;
    if (asprintf(&figure, "%s-%s.svg", stem, block->id) < 0) figure = NULL;
    status = save(figure, page_svg(made, block));
  }
  free(stem);
  return status;
}

static trm_status save_page(const page *made, const char *path)
{
  return ends_in(path, ".md") ? save_markdown(made, path) : save(strdup(path), page_html(made));
}

/* The files first: everything that is printed has been kept. */
static trm_status keep_all(const retrace *all, const page *made, const json_t *document)
{
  if (made->failed) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the page");
  TRM_TRY(results_write_document(&all->of.out, "retrace.json", (json_t *)document));
  TRM_TRY(keep_tables(all, made));
  TRM_TRY(keep(all, "retrace.html", page_html(made)));
  return all->of.args->page ? save_page(made, all->of.args->page) : TRM_OK;
}

static trm_status show(retrace *all, const arguments *args)
{
  page made = {0}, printed = {0};
  json_t *document = retrace_json(all);
  retrace_compose(&made, all, 0);
  trm_status status = keep_all(all, &made, document);
  retrace_compose(&printed, all, args->brief);
  if (!all->of.finished) results_tell_place(&all->of.out);
  const trm_status log = log_close(message_kept());
  if (status == TRM_OK) status = log;
  if (status == TRM_OK && args->json) status = listing_show(json_incref(document));
  else if (status == TRM_OK) {
    printed.is_explained = args->explain;
    page_print(&printed);
    listing_folder("Results: ", all->of.out.folder);
  }
  json_decref(document);
  page_clear(&printed);
  page_clear(&made);
  return status;
}

static exit_code code_of(const retrace *all)
{
  for (size_t i = 0; i < all->of.row_count; i++)
    if (all->of.rows[i].status != ROW_FAILED && !row_agrees(&all->of, &all->of.rows[i]))
      return EXIT_DIFFER;
  return EXIT_GOOD;
}

exit_code command_retrace(const arguments *args)
{
  retrace all = {.of.out.lock = -1};
  process_catch_early("trireme: stopped by the user before the first run; nothing was written\n");
  trm_status status = check_page(args->page);
  if (status == TRM_OK) status = retrace_open(&all, args);
  if (status == TRM_OK && all.of.finished)
    message_note("'%s' holds this study, which is finished; --again measures it anew",
                 all.of.out.folder);
  if (status == TRM_OK && !all.of.finished) {
    candidate_catch_signals(all.of.out.folder);
    study_say_estimate(&all.of);
    status = study_run(&all.of);
  }
  if (status == TRM_OK) {
    retrace_judge(&all);
    status = show(&all, args);
  }
  exit_code code = message_failure(status);
  if (code == EXIT_GOOD) code = code_of(&all);
  if (log_close(message_kept()) != TRM_OK && code == EXIT_GOOD)
    code = message_failure(TRM_ERROR_IO);
  retrace_close(&all);
  return code;
}
