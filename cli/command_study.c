/* command_study.c - `trireme study`: a solver's ladder, or a sweep, verified, timed and
 * explained. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "cli/process.h"
#include "cli/report/sections.h"
#include "cli/study/study.h"

static trm_status show(const study *all, const arguments *args)
{
  if (!all->finished) results_tell_place(&all->out);
  const trm_status log = log_close(message_kept());
  TRM_TRY(log);
  if (args->json)
    return listing_show(all->finished ? json_incref(all->finished) : study_json(all));
  TRM_TRY(sections_print(all->out.folder, args->brief ? SECTIONS_BRIEF : args->explain
                                          ? SECTIONS_EXPLAINED : SECTIONS_USUAL));
  if (args->explain)
    printf("\n%zu run%s of each row, taking turns, of about %g s or the whole case; before them\n"
         "%d steps, or about %d s of them, that warm up and are compared: equal means\n"
         "every bit of state and series.\n", all->runs, all->runs == 1 ? "" : "s", all->seconds,
         (int)STUDY_VERIFIED_STEPS, (int)STUDY_VERIFIED_SECONDS);
  listing_folder("Results: ", all->out.folder);
  return TRM_OK;
}

exit_code command_study(const arguments *args)
{
  study all;
  if (args->retrace) return command_retrace(args);
  if (args->quick || args->page)
    return message_failure(TRM_FAIL(INPUT, "--%s goes with --retrace=NAME; leave it out",
                                    args->quick ? "quick" : "page"));
  process_catch_early("trireme: stopped by the user before the first run; nothing was written\n");
  trm_status status = study_open(&all, args);
  if (status == TRM_OK && all.finished)
    message_note("'%s' holds this study, which is finished; --again measures it anew",
                 all.out.folder);
  if (status == TRM_OK && !all.finished) {
    candidate_catch_signals(all.out.folder);
    study_say_estimate(&all);
    status = study_run(&all);
  }
  if (status == TRM_OK) status = show(&all, args);
  exit_code code = message_failure(status);
  for (size_t i = 0; i < all.row_count && code == EXIT_GOOD; i++)
    if (all.rows[i].status == ROW_FAILED) code = EXIT_CANNOT;
  for (size_t i = 0; i < all.row_count && code == EXIT_GOOD; i++)
    if (!row_agrees(&all, &all.rows[i])) code = EXIT_DIFFER;
  if (log_close(message_kept()) != TRM_OK && code == EXIT_GOOD)
    code = message_failure(TRM_ERROR_IO);
  study_close(&all);
  return code;
}
