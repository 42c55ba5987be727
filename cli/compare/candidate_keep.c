/* candidate_keep.c - checkpoints of the runs of comparisons and studies. */
#include "cli/compare/candidate_keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/measure/clock.h"
#include "cli/message.h"
#include "cli/process.h"
#include "run/resume.h"

static const double least_seconds = 60; /* of a run whose end is worth keeping */

void candidate_keep_remove(const char *folder)
{
  char *rows = NULL;
  if (trm_path_join(folder, "rows", &rows) == TRM_OK) (void)trm_folder_remove(rows);
  free(rows);
}

/* ---- going on ------------------------------------------------------------------------ */

static trm_status restore(candidate_keeper *keep, const trm_found *found, session *run)
{
  const json_t *steady = json_object_get(found->manifest.json, "steady");
  TRM_TRY(resume_check_same(found, run->chosen));
  TRM_TRY(resume_restore(found, run));
  TRM_TRY(resume_take_up(found, &keep->keep));
  run->before_steps = (uint64_t)json_integer_value(json_object_get(steady, "steps"));
  run->before_seconds = json_number_value(json_object_get(steady, "seconds"));
  message_note("goes on after step %llu, from '%s'", (unsigned long long)found->manifest.step,
               found->path);
  return TRM_OK;
}

static trm_status go_on(candidate_keeper *keep, session *run)
{
  trm_found *found = NULL;
  trm_status status = trm_checkpoint_find(keep->at.folder, &found);
  if (status == TRM_ERROR_NOT_FOUND) return TRM_OK;
  if (status == TRM_ERROR_INPUT) {
    message_warning("this run starts again from its first step: %s", trm_error_last()->text);
    return TRM_OK;
  }
  TRM_TRY(status);
  if (found->refused[0])
    message_warning("an older checkpoint is used, since the newest is not intact: %s",
                    found->refused);
  if (found->manifest.step <= run->chosen->settings.steps) status = restore(keep, found, run);
  trm_checkpoint_close(&found);
  return status;
}

trm_status candidate_keep_open(candidate_keeper *out, const candidate_place *place, session *run)
{
  char name[64];
  *out = (candidate_keeper){.at = {.chosen = run->chosen, .log = &out->quiet, .lock = -1,
                                   .movie = -1}};
  run->hooks.until = place->until;
  out->at.folder = strdup(place->folder); /* the row's own comes with its first checkpoint */
  if (!out->at.folder) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a path");
  TRM_TRY(keep_open(&out->keep, run, &out->at, 0));
  out->at.log = out->keep.log = message_kept();
  snprintf(name, sizeof name, "rows/%04zu-%02zu", place->row + 1, place->run);
  free(out->at.folder);
  out->at.folder = NULL;
  TRM_TRY(trm_path_join(place->folder, name, &out->at.folder));
  return out->keep.missing ? TRM_OK : go_on(out, run);
}

void candidate_keep_close(candidate_keeper *keep)
{
  keep_close(&keep->keep);
  results_close(&keep->at);
  log_clear(&keep->quiet);
}

/* ---- keeping --------------------------------------------------------------------------- */

int candidate_keep_wants(candidate_keeper *keep, const session *run)
{
  if (atomic_exchange(&process_checkpoint_requested, 0)) atomic_store(&keep->keep.wanted, 1);
  return keep_wants(&keep->keep, run);
}

trm_status candidate_keep_write(candidate_keeper *keep, session *run)
{
  if (keep->keep.missing || trm_folder_create(keep->at.folder) == TRM_OK)
    return keep_write(&keep->keep, run);
  message_warning("no checkpoint can be written: %s", trm_error_last()->text);
  return TRM_OK;
}

trm_status candidate_keep_end(candidate_keeper *keep, session *run, int is_wanted)
{
  const double every = keep->keep.every, pause = every > 0 ? every : least_seconds;
  const int is_long = every != 0 && clock_now() - keep->keep.began >= pause;
  const int is_there = run->steps_done > 0 && keep->keep.step == run->steps_done;
  if (is_wanted && (is_long || is_there || (keep->keep.written > 0 && every != 0)))
    return candidate_keep_write(keep, run);
  if (keep->at.folder) (void)trm_folder_remove(keep->at.folder);
  return TRM_OK;
}
