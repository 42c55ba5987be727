/* command_compare.c - `trireme compare`: the same run on several backends, or with several values
 * of a key, in turn; kept in a folder as a run is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/compare/comparison.h"
#include "cli/listing.h"
#include "run/measure/clock.h"
#include "cli/message.h"
#include "cli/process.h"
#include "cli/report/sections.h"
#include "run/results.h"
#include "run/summary.h"
#include "run/surroundings.h"

enum { DEFAULT_RUNS = VERDICT_RUNS };

/* " --on='openmp,cuda:0'": as asked for, or every device; nothing where each case names its own. */
static void print_devices(FILE *stream, const comparison *all, const char *on)
{
  if (!on && all->cases->axis_count > 0) return;
  fputs(" --on='", stream);
  if (on) report_print_quoted(stream, on);
  for (size_t i = 0; !on && i < all->count; i++) {
    if (i > 0) fputc(',', stream);
    report_print_quoted(stream, all->rows[i].who.benchmark.on);
  }
  fputc('\'', stream);
}

/* The case as the command named it: a key that the folder's used.conf states is set, and takes no
 * tuned value. */
static void print_asked_case(FILE *stream, const arguments *args)
{
  for (size_t i = 0; i < args->operand_count; i++) {
    fputs(i ? " '" : "'", stream);
    report_print_quoted(stream, args->operands[i]);
    fputc('\'', stream);
  }
  for (size_t i = 0; i < args->setting_count; i++) {
    const setting *one = &args->settings[i];
    if (one->rank < TRM_RANK_SET || strcmp(one->key, "output.folder") == 0) continue;
    fputs(" --set '", stream);
    report_print_quoted(stream, one->key);
    fputc('=', stream);
    report_print_quoted(stream, one->text);
    fputc('\'', stream);
  }
}

/* The command that compares the same again: malloc'd, or NULL. */
static char *repetition(const comparison *all, const arguments *args, const char *folder)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&text, &bytes);
  if (!stream) return NULL;
  fputs("trireme compare ", stream);
  if (args->tuned) print_asked_case(stream, args);
  else report_print_case(stream, folder);
  print_devices(stream, all, args->on);
  for (size_t a = 0; a < all->cases->axis_count; a++) {
    const vary_axis *axis = &all->cases->axes[a];
    fprintf(stream, " --vary='%s=", axis->key);
    for (size_t i = 0; i < axis->count; i++) {
      if (i > 0) fputc(',', stream);
      report_print_quoted(stream, axis->values[i]);
    }
    fputc('\'', stream);
  }
  fprintf(stream, " --runs=%zu%s", all->runs, all->is_tuned ? " --tuned" : "");
  if (surroundings_limited()) fprintf(stream, " --cpu-cores=%d", surroundings_limited());
  return fclose(stream) == 0 ? text : NULL;
}

/* compare.json first: what is shown has been kept. */
static sections_extent extent_of(const arguments *args)
{
  return args->brief ? SECTIONS_BRIEF : args->explain ? SECTIONS_EXPLAINED : SECTIONS_USUAL;
}

static trm_status show(const comparison *all, const results *out, const arguments *args)
{
  json_t *document = comparison_json(all);
  trm_status status = results_write_document(out, "compare.json", document);
  results_tell_place(out);
  const trm_status log = log_close(message_kept());
  if (status == TRM_OK) status = log;
  if (status == TRM_OK && args->json) return listing_show(document);
  json_decref(document);
  if (status == TRM_OK) status = sections_print(out->folder, extent_of(args));
  if (status != TRM_OK) return status;
  comparison_print_bisections(all);
  listing_folder("Results: ", out->folder);
  return TRM_OK;
}

/* ---- what is finished --------------------------------------------------------- */

static trm_status find_finished(const arguments *args, const char *folder, json_t **out)
{
  const size_t runs = args->runs ? (size_t)args->runs : DEFAULT_RUNS;
  if (!folder[0]) return TRM_OK;
  char *question = candidate_question("compare", args, runs, 0);
  if (!question) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the comparison");
  const trm_status status = comparison_finished(folder, question, out);
  free(question);
  TRM_TRY(status);
  if (!*out || args->again || !args->bisect || json_object_get(*out, "bisections")) return TRM_OK;
  return TRM_FAIL(INPUT, "'%s' holds this comparison without --bisect; make it anew by --again, or "
                  "name another folder with --output", folder);
}

/* Its exit code is that of the comparison. */
static exit_code show_finished(const json_t *document, const char *folder, const arguments *args)
{
  const int as_json = args->json;
  const json_t *one, *all = json_object_get(document, "contenders");
  size_t i;
  exit_code code = json_is_false(json_object_get(document, "agrees")) ? EXIT_DIFFER : EXIT_GOOD;
  const trm_status status = as_json ? listing_show(json_deep_copy(document))
                                    : sections_print(folder, extent_of(args));
  if (status != TRM_OK) return message_failure(status);
  if (!as_json && json_array_size(json_object_get(document, "bisections")) > 0)
    printf("\nWhere they differ first is in %s/compare.json, as 'bisections'.\n", folder);
  if (!as_json) listing_folder("Results: ", folder);
  message_note("'%s' holds this comparison, which is finished; --again makes it anew", folder);
  json_array_foreach(all, i, one)
    if (json_is_string(json_object_get(one, "diverged"))) {
      message_error("%s", json_string_value(json_object_get(one, "diverged")));
      code = EXIT_DIVERGED;
    }
  return code;
}

/* The threads that OMP_NUM_THREADS asks for; 0: none. */
static long threads_asked(void)
{
  const char *text = getenv("OMP_NUM_THREADS");
  const long count = text ? strtol(text, NULL, 10) : 0;
  return count > 0 ? count : 0;
}

/* Before any device is opened: libraries count the cores when they are loaded. */
static trm_status limit_cores(const arguments *args, const variation *cases)
{
  if (!args->cpu_cores) return TRM_OK;
  for (size_t i = 0; i < cases->case_count; i++) {
    const int threads = cases->cases[i].settings.device.threads;
    if (threads > args->cpu_cores)
      return TRM_FAIL(INPUT, "--cpu-cores=%d has too few cores for run.threads = %d; leave out one "
                      "of the two", args->cpu_cores, threads);
    if (threads == 0 && threads_asked() > args->cpu_cores)
      return TRM_FAIL(INPUT, "--cpu-cores=%d has too few cores for OMP_NUM_THREADS=%ld; unset it, "
                      "or leave out the option", args->cpu_cores, threads_asked());
  }
  return surroundings_limit(args->cpu_cores);
}

/* ---- the comparison ------------------------------------------------------------ */

static trm_status compare(comparison *all, trm_context *context, const variation *cases,
                          const arguments *args, results *out)
{
  const size_t runs = args->runs ? (size_t)args->runs : DEFAULT_RUNS;
  const char *folder = cases->cases[0].settings.folder;
  int is_again = 0;
  const double most = cases->cases[0].settings.seconds;
  TRM_TRY(comparison_open(all, context, cases, args->on, runs));
  all->is_tuned = args->tuned;
  for (size_t i = 0; i < all->count && args->tuned; i++)
    TRM_TRY(candidate_tune(&all->rows[i].who, &all->devices, args));
  all->until = most > 0 ? clock_now() + most : 0;
  all->question = candidate_question("compare", args, runs, 0);
  if (!all->question) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the comparison");
  if (folder[0] && !args->again) TRM_TRY(comparison_take_up(all, folder, &is_again));
  is_again |= args->again;
  TRM_TRY(comparison_try(all));
  process_catch_signals(NULL); /* before anybody sees the folder */
  TRM_TRY(results_open_plain(out, &cases->cases[0], "compare", message_kept(), is_again));
  all->folder = out->folder;
  if (args->again) comparison_forget(all);
  candidate_catch_signals(all->folder);
  TRM_TRY(comparison_run(all));
  const trm_status search = args->bisect ? comparison_bisect(all) : TRM_OK;
  if (search != TRM_ERROR_INTERRUPTED) TRM_TRY(search);
  char *repeat = repetition(all, args, out->folder);
  all->repeat = repeat;
  const trm_status status = show(all, out, args);
  if (status == TRM_OK) comparison_forget(all);
  all->repeat = NULL;
  free(repeat);
  return status == TRM_OK ? search : status;
}

/* The table has named the place; this line is for users who read no table. */
static exit_code say_divergence(const comparison *all)
{
  for (size_t i = 0; i < all->count; i++)
    if (all->rows[i].diverged[0]) message_error("%s", all->rows[i].diverged);
  return EXIT_DIVERGED;
}

exit_code command_compare(const arguments *args)
{
  variation cases;
  json_t *finished = NULL;
  trm_context *context = NULL;
  comparison all = {0};
  results out = {.lock = -1};
  process_catch_early("trireme: stopped by the user before the first run; nothing was written\n");
  trm_status status = variation_create(args, &cases);
  if (status == TRM_OK) status = variation_check_every_device(args);
  const char *folder = status == TRM_OK ? cases.cases[0].settings.folder : "";
  if (status == TRM_OK) status = find_finished(args, folder, &finished);
  const int is_finished = status == TRM_OK && finished && !args->again;
  exit_code code = is_finished ? show_finished(finished, folder, args) : EXIT_GOOD;
  json_decref(finished);
  if (status == TRM_OK && !is_finished) status = limit_cores(args, &cases);
  if (status == TRM_OK && !is_finished) status = listing_context(&context);
  if (status == TRM_OK && !is_finished) status = compare(&all, context, &cases, args, &out);
  if (!is_finished) code = message_failure(status);
  if (code == EXIT_GOOD && comparison_diverged(&all)) code = say_divergence(&all);
  if (code == EXIT_GOOD && !comparison_agrees(&all)) code = EXIT_DIFFER;
  if (log_close(message_kept()) != TRM_OK && code == EXIT_GOOD)
    code = message_failure(TRM_ERROR_IO);
  comparison_close(&all);
  results_close(&out);
  trm_context_destroy(&context);
  variation_clear(&cases);
  return code;
}
