/* run_results.c - libtrireme-run: the folder of a run, and its report. */
#include "run/run_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/domain/device.h"
#include "run/measure/clock.h"
#include "run/text/json.h"

enum { ROOF_RUNS = 3 };

void run_drop_report(trm_run *run)
{
  json_decref(run->about.host);
  json_decref(run->about.gpu);
  json_decref(run->about.parts);
  run->about.host = run->about.gpu = run->about.parts = NULL;
  run->about.profile = NULL;
  profile_clear(&run->table);
  free(run->json);
  run->json = NULL;
}

static trm_status write_series(trm_run *run, int last)
{
  const double begin = clock_now();
  if (!run->out.folder || !run->session.solver) return TRM_OK;
  const trm_status status = results_write_series(&run->out, &run->session, last);
  run->session.times.output += clock_now() - begin;
  return status;
}

trm_status run_tell_series(void *user, const session *at)
{
  (void)at;
  return write_series(user, 0);
}

trm_status run_write_output(void *user, session *at)
{
  trm_run *run = user;
  return results_write_fields(&run->out, at, 0);
}

trm_status run_write_frame(void *user, session *at)
{
  trm_run *run = user;
  const double begin = clock_now();
  const trm_status status = results_write_frame(&run->out, at);
  at->times.output += clock_now() - begin;
  return status;
}

const char *trm_run_folder(const trm_run *run)
{
  return run && run->out.folder ? run->out.folder : "";
}

/* A key of the case, changed on behalf of a function of the library. */
static trm_status set_key(trm_run *run, const char *key, const char *text, const char *origin)
{
  return trm_config_set_ranked(run->chosen.config, key, text, TRM_RANK_OPTION, origin);
}

/* The report as it would be now, without roofs and profile. */
static void fill_report(trm_run *run, const char *status, const char *error)
{
  report *about = &run->about;
  about->chosen = &run->chosen;
  about->run = &run->session;
  about->folder = trm_run_folder(run);
  about->status = status;
  about->error = error;
  about->total_seconds = clock_now() - run->start;
  json_decref(about->parts);
  about->parts = run->keep.parts ? keep_parts(&run->keep, &run->session) : NULL;
  about->meter = &run->judged;
  run->judged = run->meter;
  energy_end(&run->judged);
}

/* A reader of run.json must see this run while it is going on. */
static trm_status begin_report(trm_run *run)
{
  json_begin();
  run_drop_report(run);
  fill_report(run, "running", NULL);
  run->about.roof = NULL;
  run->about.roof_missing = "the run has not ended";
  json_t *document = report_json(&run->about);
  const trm_status status = results_write_document(&run->out, "run.json", document);
  json_decref(document);
  return status;
}

/* With run->out, run.json and the keeper of the new folder. On failure all is as it was. */
static trm_status move_to(trm_run *run, results *next, int is_same)
{
  const results before = run->out;
  run->out = *next;
  trm_status status = keep_open(&run->keep, &run->session, &run->out, is_same);
  if (status == TRM_OK) status = begin_report(run);
  if (status == TRM_OK) status = results_mark_own(&run->out, &run->marks, &run->mark_count);
  if (status == TRM_OK) {
    *next = before;
    return TRM_OK;
  }
  const trm_error cause = *trm_error_last();
  run->out = before;
  if (before.folder) (void)keep_open(&run->keep, &run->session, &run->out, 1);
  return trm_error_record(status, cause.file, cause.line, "%s", cause.text);
}

/* The log of another folder is another file. */
static trm_status choose(trm_run *run)
{
  const int is_same = results_is_same(&run->out, &run->chosen);
  const results_own own = {&run->out, run->marks, run->mark_count};
  trm_file *log = run->log.file;
  results next;
  if (!is_same) run->log.file = NULL;
  trm_status status = results_open(&next, &run->chosen, &run->session, &run->log, &own);
  if (status == TRM_OK) status = results_require(&next, &run->session);
  if (status == TRM_OK) status = move_to(run, &next, is_same);
  const trm_error cause = *trm_error_last();
  results_close(&next);
  if (!is_same && status != TRM_OK) trm_file_discard(&run->log.file);
  if (!is_same && status == TRM_OK && log) (void)trm_file_commit(&log);
  if (!is_same && status != TRM_OK) run->log.file = log;
  return status == TRM_OK ? TRM_OK
         : trm_error_record(status, cause.file, cause.line, "%s", cause.text);
}

static void hook_outputs(trm_run *run)
{
  session_hooks *hooks = &run->session.hooks;
  const run_settings *settings = &run->chosen.settings;
  hooks->every = settings->every;
  hooks->frames = run->out.movie >= 0 ? settings->movie_every : 0;
  hooks->every_time = settings->every_time;
  hooks->until = settings->seconds > 0 ? run->start + settings->seconds : 0;
  if (hooks->every_time > 0)
    run->session.outputs = floor(run->session.solver->time * (1 + 1e-12) / hooks->every_time);
}

static trm_status set_folder(trm_run *run, const char *folder, const char *origin)
{
  TRM_TRY(set_key(run, "output.folder", folder, origin));
  run->chosen.settings.folder = trm_config_string(run->chosen.config, "output.folder");
  return TRM_OK;
}

/* A call that is refused changes nothing. */
static trm_status keep(trm_run *run, const char *folder)
{
  if (!run->session.solver) return run_repeat_failure(run);
  char *before = strdup(run->chosen.settings.folder);
  char *origin = strdup(trm_config_origin(run->chosen.config, "output.folder"));
  trm_status status = before && origin ? TRM_OK
                      : TRM_FAIL(NO_HOST_MEMORY, "no memory for a path");
  if (status == TRM_OK && folder) status = set_folder(run, folder, "trm_run_keep");
  if (status == TRM_OK) status = choose(run);
  if (status != TRM_OK && folder && before && origin) {
    const trm_error cause = *trm_error_last();
    (void)set_folder(run, before, origin);
    trm_error_record(status, cause.file, cause.line, "%s", cause.text);
  }
  if (status == TRM_OK) hook_outputs(run);
  if (status == TRM_OK) run_warn(run);
  free(before);
  free(origin);
  return status;
}

trm_status trm_run_keep(trm_run *run, const char *folder)
{
  TRM_TRY(run_check(run, "trm_run_keep", NULL, NULL));
  const locale_t before = trm_numbers_begin();
  const trm_status status = keep(run, folder);
  trm_numbers_end(before);
  return status;
}

/* The case as it was carried out, so that used.conf repeats it. */
static trm_status record_end(trm_run *run)
{
  char text[32];
  const session *at = &run->session;
  const session_goal end = session_case_end(at);
  if (at->stopped || at->steps_done == 0 || at->steps_done == end.step ||
      (at->ended && at->goal.time == end.time))
    return TRM_OK;
  snprintf(text, sizeof text, "%llu", (unsigned long long)at->steps_done);
  TRM_TRY(set_key(run, "run.steps", text, "trm_run_write"));
  snprintf(text, sizeof text, "%.17g", at->ended ? at->goal.time : 0);
  return set_key(run, "run.end_time", text, "trm_run_write");
}

/* Right after the time loop, while clocks are as they were in it. */
static trm_status read_conditions(trm_run *run)
{
  run->about.gpu = run->info.device->is_host ? NULL
                   : conditions_gpu(run->meter.gpu, run->meter.missing);
  run->about.host = conditions_host("", &run->clock);
  return run->about.host ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for the conditions");
}

static void measure_roof(trm_run *run, trm_status status)
{
  report *about = &run->about;
  about->roof = run->roof.copy_bytes ? &run->roof : NULL;   /* of an earlier report */
  if (about->roof) return;
  about->roof_missing = run->roof_missing;
  if (status != TRM_OK)
    snprintf(run->roof_missing, sizeof run->roof_missing, "the run failed");
  else if (trm_device_parts(run->device, 0, NULL) > 0)
    snprintf(run->roof_missing, sizeof run->roof_missing, "several devices share the work");
  else if (!run->chosen.settings.roof)
    snprintf(run->roof_missing, sizeof run->roof_missing, "run.roof is false");
  else if (run->session.is_interrupted) /* whoever did it waits, or kills it soon */
    snprintf(run->roof_missing, sizeof run->roof_missing, "the run was interrupted");
  else if (roof_measure(run->device, ROOF_COPY, ROOF_RUNS, &run->roof) == TRM_OK)
    about->roof = &run->roof;
  else
    snprintf(run->roof_missing, sizeof run->roof_missing, "%s", trm_error_last()->text);
}

static trm_status tabulate(trm_run *run)
{
  const trm_precision precision = run->info.precision;
  if (!run->profile || run->failed != TRM_OK) return TRM_OK;
  const device_roofs roofs = roofs_find(run->context, run->device, precision, run->about.roof,
                                        run->about.roof_missing);
  TRM_TRY(profile_tabulate(run->profile, run->session.solver, precision, &roofs, &run->table));
  run->about.profile = &run->table;
  return TRM_OK;
}

/* error: the sentence of the failure with that status, or NULL. */
static trm_status make_report(trm_run *run, trm_status status, const char *error)
{
  fill_report(run, status == TRM_ERROR_DIVERGED ? "diverged" : status != TRM_OK ? "failed"
              : run->session.stopped ? "stopped" : "finished", error);
  measure_roof(run, status);
  if (status == TRM_OK) TRM_TRY(tabulate(run));
  json_t *document = report_json(&run->about);
  char *text = json_print(document);
  json_decref(document);
  if (!text) return TRM_FAIL(NO_HOST_MEMORY, "no memory for run.json");
  run->json = text;
  return TRM_OK;
}

/* run.json, profile.csv, and the end of the log. */
static trm_status write_report(trm_run *run)
{
  char *text = run->about.profile ? profile_csv(&run->table) : NULL;
  trm_status status = TRM_OK;
  if (run->about.profile)
    status = text ? results_write_text(&run->out, "profile.csv", text)
                  : TRM_FAIL(NO_HOST_MEMORY, "no memory for profile.csv");
  free(text);
  TRM_TRY(status);
  if (asprintf(&text, "%s\n", run->json) < 0)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for run.json");
  status = results_write_text(&run->out, "run.json", text);
  free(text);
  TRM_TRY(status);
  return results_mark_own(&run->out, &run->marks, &run->mark_count);
}

/* All but the report. */
static trm_status write_state(trm_run *run)
{
  TRM_TRY(run_finish(run));
  TRM_TRY(record_end(run));
  TRM_TRY(results_begin(&run->out));
  TRM_TRY(results_write_fields(&run->out, &run->session, 1));
  TRM_TRY(write_series(run, 1));
  return results_write_exports(&run->out, &run->session);
}

void trm_run_record(trm_run *run, const char *line)
{
  log_record(&run->log, "%s", line);
}

/* Nothing for one device. */
static void record_sharing(trm_run *run)
{
  const double mega = 1e-6;
  domain_way way;
  if (!domain_device_way(run->device, &way)) return;
  const double by_host = mega * (double)way.moved.host_bytes;
  const double direct = mega * (double)way.moved.direct_bytes;
  const int is_named = way.direct_by && direct > 0;
  log_record(&run->log, "rows between parts: %llu messages; %.4g MB from device to device%s%s, "
             "%.4g MB by the host's memory; %.4g MB/s in the %.4g s that all parts spent on them",
             (unsigned long long)way.moved.messages, direct, is_named ? " by " : "",
             is_named ? way.direct_by : "", by_host,
             way.seconds > 0 ? (direct + by_host) / way.seconds : 0.0, way.seconds);
  if (way.moved.other_bytes > 0)
    log_record(&run->log, "rows that went to other parts, as the grid changed: %.4g MB of these",
               mega * (double)way.moved.other_bytes);
}

/* A failed run leaves its series, log and run.json. */
static void write_failure(trm_run *run, trm_status status, const char *cause)
{
  log_record(&run->log, "error: %s", cause);
  (void)write_series(run, 1);
  if (make_report(run, status, cause) == TRM_OK) (void)write_report(run);
  (void)log_close(&run->log);
}

static trm_status write_results(trm_run *run, const char *folder)
{
  if (folder || !run->out.folder) TRM_TRY(keep(run, folder));
  json_begin();
  run_drop_report(run);
  trm_status status = read_conditions(run);
  if (run->failed != TRM_OK) {
    write_failure(run, run->failed, run->failure);
    return TRM_OK;
  }
  if (status == TRM_OK) status = write_state(run);
  if (status == TRM_OK) status = make_report(run, TRM_OK, NULL);
  if (status == TRM_OK)
    log_record(&run->log, "%s after step %llu, %.3f s; fingerprint %s", run->about.status,
               (unsigned long long)run->info.step, run->about.total_seconds,
               run->session.fingerprint);
  if (status == TRM_OK) record_sharing(run);
  if (status == TRM_OK) results_tell_place(&run->out);
  if (status == TRM_OK) status = write_report(run);
  if (status == TRM_OK) return log_close(&run->log);
  const trm_error cause = *trm_error_last();
  run_drop_report(run);
  (void)read_conditions(run);
  write_failure(run, status, cause.text);
  return trm_error_record(status, cause.file, cause.line, "%s", cause.text);
}

trm_status trm_run_write(trm_run *run, const char *folder)
{
  TRM_TRY(run_check(run, "trm_run_write", NULL, NULL));
  const locale_t before = trm_numbers_begin();
  const trm_status status = write_results(run, folder);
  trm_numbers_end(before);
  return status;
}

static trm_status print_json(trm_run *run, const char **text)
{
  if (!run->json) {
    const char *error = run->failed == TRM_OK ? NULL : run->failure;
    json_begin();
    run_drop_report(run);
    TRM_TRY(read_conditions(run));
    if (!error) TRM_TRY(run_finish(run));
    TRM_TRY(make_report(run, run->failed, error));
  }
  *text = run->json;
  return TRM_OK;
}

trm_status trm_run_json(trm_run *run, const char **text)
{
  TRM_TRY(run_check(run, "trm_run_json", text, "text"));
  const locale_t before = trm_numbers_begin();
  const trm_status status = print_json(run, text);
  trm_numbers_end(before);
  return status;
}
