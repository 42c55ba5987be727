/* command_resume.c - `trireme resume`: continues a run that was stopped, killed or interrupted. It
 * starts from its newest checkpoint, here or on another machine, in the folder of its results. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "run/resume.h"
#include "run/run.h"
#include "cli/running.h"
#include "run/text/json.h"
#include "io/json_kept.h"

/* ---- a run that has ended -------------------------------------------------------- */

static int is_longer(const arguments *args)
{
  for (size_t i = 0; i < args->setting_count; i++)
    if (strcmp(args->settings[i].key, "run.steps") == 0 ||
        strcmp(args->settings[i].key, "run.end_time") == 0)
      return 1;
  return 0;
}

/* Its run.json says so: a job that is started once more than needed has nothing to do. */
static int has_finished(const char *folder)
{
  char *path = NULL;
  if (trm_path_join(folder, "run.json", &path) != TRM_OK) return 0;
  json_t *json = NULL;
  if (trmi_json_load(path, (size_t)16 << 20, &json) != TRM_OK) json = NULL;
  const char *status = json_string_value(json_object_get(json, "status"));
  const int finished = status && strcmp(status, "finished") == 0;
  json_decref(json);
  free(path);
  return finished;
}

/* ---- without going on ------------------------------------------------------------ */

static trm_status show(const run_case *chosen, const trm_found *found, int as_json)
{
  const unsigned long long step = (unsigned long long)found->manifest.step;
  const json_t *manifest = found->manifest.json;
  const char *written = json_string_value(json_object_get(manifest, "written"));
  const char *fingerprint = json_string_value(json_object_get(manifest, "fingerprint"));
  const int is_compared = resume_compares(found);
  if (as_json) {
    json_t *out = json_document("resume");
    json_object_set_new(out, "checkpoint", json_text(found->path));
    json_object_set_new(out, "step", json_integer((json_int_t)step));
    json_object_set_new(out, "written", json_text(written));
    json_object_set_new(out, "fingerprint", json_text(fingerprint));
    json_object_set_new(out, "fingerprint_version", json_integer(is_compared ? 2 : 1));
    json_object_set_new(out, "fingerprint_compared", json_boolean(is_compared));
    json_object_set_new(out, "backend", json_text(chosen->settings.backend));
    return listing_show(out);
  }
  if (found->refused[0]) message_warning("an older checkpoint is used, since the newest is "
                                         "not intact: %s",
                                         found->refused);
  printf("%s: step %llu, %s, fingerprint %s%s: all hashes are right\n", found->path, step,
         written ? written : "", fingerprint ? fingerprint : "",
         is_compared ? "" : " (of version 1, which is not compared)");
  printf("'trireme resume' would continue from there on %s\n", chosen->settings.backend);
  return TRM_OK;
}

static trm_status inspect(const arguments *args, const char *folder)
{
  trm_found *found = NULL;
  char *path = NULL;
  run_case chosen = {0};
  TRM_TRY(trm_checkpoint_find(folder, &found));
  trm_status status = trm_path_join(found->path, "case.conf", &path);
  const char *const operands[] = {path};
  const case_request wanted = {operands, 1, args->settings, args->setting_count, 0,
                               message_log_once, NULL};
  if (status == TRM_OK) status = case_create(&wanted, &chosen);
  if (status == TRM_OK) status = resume_check(found, &chosen);
  if (status == TRM_OK) status = show(&chosen, found, args->json);
  case_clear(&chosen);
  free(path);
  trm_checkpoint_close(&found);
  return status;
}

static exit_code dry_run(const arguments *args)
{
  int lock = -1;
  trm_status status = trm_folder_lock(args->operands[0], &lock);
  if (status == TRM_OK) status = inspect(args, args->operands[0]);
  trm_folder_unlock(&lock);
  return message_failure(status);
}

/* ---- the run --------------------------------------------------------------------- */

exit_code command_resume(const arguments *args)
{
  running r = {.run = NULL};
  if (args->operand_count != 1) {
    message_error("'trireme resume' takes one folder of results: trireme resume results/NAME-0001");
    return EXIT_CANNOT;
  }
  if (!is_longer(args) && has_finished(args->operands[0])) {
    message_note("'%s' holds a run that has finished; give it more with --steps or --end-time",
                 args->operands[0]);
    return EXIT_GOOD;
  }
  if (args->dry_run) return dry_run(args);
  const trm_status status = running_open(&r, args, 1);
  if (status != TRM_OK) return message_failure(status);
  const trm_run_info *info = trm_run_describe(r.run);
  message_note("goes on after step %llu on %s:%zu", (unsigned long long)info->step,
               info->device->backend, info->device->index);
  running_say_checkpoints(&r);
  return running_finish(&r, args);
}
