/* running.c - what `trireme run` and `trireme resume` have in common. */
#include "cli/running.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/listing.h"
#include "cli/message.h"
#include "cli/process.h"
#include "run/run.h"
#include "cli/run_table.h"
#include "cli/view/view.h"
#include "cli/view/view_terminal.h"

static void show_progress(void *user, const trm_run *run)
{
  running *r = user;
  if (!r->drawn) progress_update(&r->bar, trm_run_session(run));
}

/* The library's warnings stand on lines of their own. */
static void show_line(void *user, trm_log_level level, const char *text)
{
  running *r = user;
  progress_end(&r->bar);
  terminal_view_leave(r->drawn);
  message_log(NULL, level, text);
  terminal_view_enter(r->drawn);
}

/* The command line names where the run takes place; a variable that does so too does not count, be
 * it by the other of the two keys. */
static int is_replaced(const arguments *args, const setting *one)
{
  if (one->rank >= TRM_RANK_SET || !names_device(one->key)) return 0;
  for (size_t i = 0; i < args->setting_count; i++) {
    const setting *other = &args->settings[i];
    if (other->rank >= TRM_RANK_SET && names_device(other->key) && other->text[0]) return 1;
  }
  return 0;
}

/* The settings as the library wants them: those of a higher rank after the others. */
static trm_run_key *order_keys(const arguments *args, size_t *out)
{
  trm_run_key *keys = calloc(args->setting_count + 1, sizeof *keys);
  size_t count = 0;
  for (trm_origin_rank rank = TRM_RANK_DEFAULT; keys && rank <= TRM_RANK_OPTION; rank++)
    for (size_t i = 0; i < args->setting_count; i++) {
      const setting *one = &args->settings[i];
      if (one->rank == rank && !is_replaced(args, one))
        keys[count++] = (trm_run_key){one->key, one->text, one->origin};
    }
  *out = count;
  return keys;
}

trm_status running_open(running *r, const arguments *args, int is_again)
{
  process_catch_early(is_again ? "trireme: stopped by the user before a step was made; 'trireme "
                                 "resume' goes on from the same checkpoint\n"
                               : "trireme: stopped by the user before the first step; nothing was "
                                 "written\n");
  size_t key_count = 0;
  trm_run_key *keys = order_keys(args, &key_count);
  if (!keys) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the settings of a run");
  const trm_run_options options = {
    .bytes = sizeof options, .keys = keys, .key_count = key_count,
    .files = (const char *const *)args->operands + 1, .file_count = args->operand_count - 1,
    .flags = TRM_RUN_MUST_END | TRM_RUN_WRITES | (args->no_tuned ? TRM_RUN_NO_TUNED : 0u) |
             (args->profile ? TRM_RUN_PROFILE : 0u),
    .log = show_line, .log_user = r, .progress = show_progress, .progress_user = r,
  };
  const trm_status status = is_again ? trm_run_resume(args->operands[0], &options, &r->run)
                                     : trm_run_open(args->operands[0], &options, &r->run);
  free(keys);
  if (status == TRM_OK) process_catch_signals(r->run);
  return status;
}

void running_close(running *r)
{
  process_forget_run();
  trm_run_close(&r->run);
}

void running_say_checkpoints(const running *r)
{
  const char *said = trm_run_describe(r->run)->checkpoints;
  const int is_wanted = trm_run_session(r->run)->chosen->settings.keep_every > 0;
  if (said[0] && (is_wanted || isatty(STDERR_FILENO))) message_note("%s", said);
}

static void begin_bar(running *r)
{
  const trm_run_info *info = trm_run_describe(r->run);
  snprintf(r->label, sizeof r->label, "%s on %s:%zu", info->name, info->device->backend,
           info->device->index);
  progress_begin(&r->bar, r->label, info->end_step);
}

/* A run that fails after its start leaves its series, log and run.json. */
static exit_code fail(running *r, trm_status status)
{
  const exit_code code = message_failure(status);
  (void)trm_run_write(r->run, NULL);
  return code;
}

static exit_code tell_stop(const running *r)
{
  const unsigned long long step = (unsigned long long)trm_run_describe(r->run)->step;
  const char *cause = process_cause();
  char *folder = report_shell_path(trm_run_folder(r->run));
  const char *quote = folder && folder[0] != '\'' ? "'" : ""; /* of the command; not twice */
  if (trm_run_is_kept(r->run))
    message_note("stopped %s after step %llu; %strireme resume %s%s goes on from there", cause,
                 step, quote, folder ? folder : trm_run_folder(r->run), quote);
  else
    message_note("stopped %s after step %llu; the results have the state of this step", cause,
                 step);
  free(folder);
  return EXIT_STOPPED;
}

static exit_code write_results(running *r, const arguments *args, int is_stopped)
{
  const char *json = NULL;
  trm_status status = trm_run_write(r->run, NULL);
  if (status == TRM_OK && args->json) {
    status = trm_run_json(r->run, &json);
    if (status == TRM_OK) status = listing_print(json);
  }
  if (status != TRM_OK) return message_failure(status);
  if (!args->json) run_table_print(trm_run_report(r->run), args->brief);
  return is_stopped ? tell_stop(r) : EXIT_GOOD;
}

static trm_status open_view(running *r, const char *where, view **page)
{
  if (!where) return TRM_OK;
  if (strcmp(where, "terminal") == 0) return terminal_view_open(r->run, &r->drawn);
  TRM_TRY(view_open(r->run, where, page));
  message_note("look at %s", view_address(*page));
  return TRM_OK;
}

exit_code running_finish(running *r, const arguments *args)
{
  view *shown = NULL;
  const trm_status opened = open_view(r, args->view, &shown);
  if (opened != TRM_OK) {
    const exit_code cannot = fail(r, opened);
    running_close(r);
    return cannot;
  }
  begin_bar(r);
  const trm_status status = trm_run_finish(r->run);
  progress_end(&r->bar);
  view_close(&shown);
  terminal_view_close(&r->drawn);
  const exit_code code = status == TRM_OK || status == TRM_ERROR_INTERRUPTED
                           ? write_results(r, args, status != TRM_OK) : fail(r, status);
  running_close(r);
  return code;
}
