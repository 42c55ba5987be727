/* command_run.c - `trireme run`: one case on one device, its results in a folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/case.h"
#include "cli/measure/clock.h"
#include "cli/command.h"
#include "cli/measure/conditions.h"
#include "cli/run/json.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "cli/process.h"
#include "cli/run/progress.h"
#include "cli/run/summary.h"
#include "cli/run/results.h"
#include "cli/study/tuned.h"

enum { CEILING_RUNS = 3 };

/* Everything that a run owns; released in one place. */
typedef struct running {
  run_case chosen;
  trm_context *context;
  trm_device *device;
  session run;
  results out;
  progress bar;
  ceiling roof;
  energy_meter meter;
  conditions_clock clock;
  report about;
  char label[160];
  profile *profile;
  profile_table table;
  int no_tuned, with_profile;
} running;

/* Is there a backend of that name, ready or not? */
static int is_backend(trm_context *context, const char *name)
{
  const trm_backend_info *list;
  const size_t length = strcspn(name, ":");
  size_t count;
  if (trm_backend_list(context, &list, &count) != TRM_OK) return 0;
  for (size_t i = 0; i < count; i++)
    if (strncmp(list[i].name, name, length) == 0 && list[i].name[length] == '\0') return 1;
  return 0;
}

/* The memory that the solver would ask the device for; 0 where it cannot tell. */
static trm_status ask_memory(const run_case *chosen, trm_device *device, uint64_t *memory)
{
  if (!chosen->type->memory) return TRM_OK;
  TRM_TRY(chosen->type->memory(device, chosen->config, &chosen->settings.solver, memory));
  return trm_device_require(device, *memory, "this case");
}

/* A backend that nobody knows is refused, as a run would refuse it. One that is not ready, and a
 * case that does not suit it, are only told: the case may be meant for another machine. */
static trm_status try_backend(const run_case *chosen, uint64_t *memory)
{
  trm_context *context = NULL;
  trm_device *device = NULL;
  const char *name = chosen->settings.backend;
  TRM_TRY(listing_context(&context));
  trm_status status = listing_device(context, name, &chosen->settings.device,
                                     trm_config_origin(chosen->config, "run.backend"), &device);
  if (status == TRM_OK && ask_memory(chosen, device, memory) != TRM_OK)
    message_warning("here this case would not run: %s", trm_error_last()->text);
  const trm_error cause = *trm_error_last();
  if (status != TRM_OK && (status != TRM_ERROR_NOT_FOUND || is_backend(context, name))) {
    message_warning("here this case would not run: %s", cause.text);
    status = TRM_OK;
  } else if (status != TRM_OK) {
    (void)trm_error_record(status, cause.file, cause.line, "%s", cause.text);
  }
  trm_device_close(&device);
  trm_context_destroy(&context);
  return status;
}

/* The case as it would run: as a case.conf, or every key with its value and origin as JSON. */
static trm_status dry_run(const run_case *chosen, int as_json)
{
  char *text = NULL;
  uint64_t memory = 0;
  TRM_TRY(try_backend(chosen, &memory));
  if (as_json) return report_show_case(chosen, memory);
  TRM_TRY(trm_config_print(chosen->config, chosen->type->name, &text));
  if (memory)
    printf("# memory on %s: %.4g MB\n", chosen->settings.backend, (double)memory * 1e-6);
  fputs(text, stdout);
  free(text);
  return TRM_OK;
}

static trm_status write_output(void *user, session *run)
{
  running *r = user;
  progress_end(&r->bar);
  return results_write_fields(&r->out, run, 0);
}

static trm_status write_series(void *user, const session *run)
{
  running *r = user;
  const double begin = clock_now();
  const trm_status status = results_write_series(&r->out, run, 0);
  r->run.times.output += clock_now() - begin;
  return status;
}

static void show_progress(void *user, const session *run)
{
  running *r = user;
  progress_update(&r->bar, run);
}

/* Options that the device at hand has no use for are said to be so, never silently dropped. */
static void warn_of_idle_settings(const run_case *chosen, const trm_device_info *device)
{
  const run_settings *settings = &chosen->settings;
  if (device->is_host && settings->solver.row_group_x > 0)
    message_warning("%s: run.group concerns GPUs; on %s the group shape is fixed",
                    trm_config_origin(chosen->config, "run.group"), device->backend);
  if (!device->is_host && settings->device.threads > 0)
    message_warning("%s: run.threads concerns the openmp backend, not %s",
                    trm_config_origin(chosen->config, "run.threads"), device->backend);
  if (!device->is_host && settings->device.wavefront > 0)
    message_warning("%s: run.wavefront concerns the openmp backend, not %s",
                    trm_config_origin(chosen->config, "run.wavefront"), device->backend);
}

static void record_start(const running *r)
{
  const trm_device_info *device = trm_device_describe(r->device);
  message_record("trireme %s, case %s, solver %s, %llu steps", trm_version(), r->chosen.name,
                 r->chosen.type->name, (unsigned long long)r->chosen.settings.steps);
  message_record("device %s:%zu %s; %s; %s", device->backend, device->index, device->name,
                 device->driver, device->compiler);
}

/* Takes what 'trireme tune' found; where that changes anything, device and solver are made anew. */
static trm_status use_tuned(running *r, const session_watch *watch)
{
  tuned found;
  int changed = 0;
  const trm_device_options before = r->chosen.settings.device;
  if (!tuned_load(r->context, r->device, r->run.solver, &r->chosen.settings.solver, &found))
    return TRM_OK;
  TRM_TRY(tuned_apply(&found, &r->chosen, &changed));
  if (!changed) return TRM_OK;
  session_end(&r->run);
  if (memcmp(&before, &r->chosen.settings.device, sizeof before) != 0) {
    trm_device_close(&r->device);
    TRM_TRY(listing_device(r->context, r->chosen.settings.backend, &r->chosen.settings.device,
                           "trireme tune", &r->device));
  }
  return session_begin(&r->run, &r->chosen, r->device, watch);
}

/* In a folder that holds an earlier run: whoever reads run.json is to know of this one. */
static trm_status begin_report(running *r)
{
  r->about.chosen = &r->chosen;
  r->about.run = &r->run;
  r->about.folder = r->out.folder;
  r->about.meter = &r->meter;
  r->about.status = "running";
  r->about.roof_missing = "the run has not ended";
  json_t *document = report_json(&r->about);
  const trm_status status = results_write_document(&r->out, "run.json", document);
  json_decref(document);
  return status;
}

/* Opens the device, creates the solver, makes the folder: all that can be refused. */
static trm_status prepare(running *r)
{
  const session_watch watch = {r, show_progress, write_series, write_output,
                               r->chosen.settings.every, r->chosen.settings.every_time};
  const double begin = clock_now();
  TRM_TRY(listing_context(&r->context));
  TRM_TRY(listing_device(r->context, r->chosen.settings.backend, &r->chosen.settings.device,
                         trm_config_origin(r->chosen.config, "run.backend"), &r->device));
  r->about.open_seconds = clock_now() - begin;
  const trm_device_info *device = trm_device_describe(r->device);
  if (r->chosen.settings.solver.precision == TRM_F64 && !device->has_f64)
    return TRM_FAIL(UNSUPPORTED, "%s:%zu (%s) has no double precision; run with --precision=f32",
                    device->backend, device->index, device->name);
  TRM_TRY(session_begin(&r->run, &r->chosen, r->device, &watch));
  if (!r->no_tuned) TRM_TRY(use_tuned(r, &watch));
  device = trm_device_describe(r->device);
  energy_open(&r->meter, device, "/sys/class/powercap");
  r->run.meter = &r->meter;
  if (r->with_profile) TRM_TRY(profile_create(r->device, &r->profile));
  r->run.profile = r->profile;
  TRM_TRY(results_open(&r->out, &r->chosen, &r->run));
  TRM_TRY(begin_report(r));
  warn_of_idle_settings(&r->chosen, device);
  record_start(r);
  snprintf(r->label, sizeof r->label, "%s on %s:%zu", r->chosen.name, device->backend,
           device->index);
  progress_begin(&r->bar, r->label, r->chosen.settings.steps);
  process_catch_signals();
  return TRM_OK;
}

static trm_status write_results(running *r)
{
  TRM_TRY(results_write_fields(&r->out, &r->run, 1));
  const double begin = clock_now();
  TRM_TRY(results_write_series(&r->out, &r->run, 1));
  r->run.times.output += clock_now() - begin;
  return results_write_exports(&r->out, &r->run);
}

static void measure_ceiling(running *r)
{
  if (!r->chosen.settings.ceiling) {
    r->about.roof_missing = "run.ceiling is false";
  } else if (ceiling_measure(r->device, CEILING_COPY, CEILING_RUNS, &r->roof) == TRM_OK) {
    r->about.roof = &r->roof;
  } else {
    static char why[sizeof trm_error_last()->text];
    snprintf(why, sizeof why, "%s", trm_error_last()->text);
    r->about.roof_missing = why;
  }
}

/* The table, and profile.csv. */
static trm_status tabulate(running *r)
{
  const trm_precision precision = r->chosen.settings.solver.precision;
  if (!r->profile) return TRM_OK;
  const profile_roofs roofs = profile_roofs_find(r->context, r->device, precision, r->about.roof,
                                                 r->about.roof_missing);
  TRM_TRY(profile_tabulate(r->profile, r->run.solver, precision, &roofs, &r->table));
  r->about.profile = &r->table;
  char *text = profile_csv(&r->table);
  if (!text) return TRM_FAIL(NO_HOST_MEMORY, "no memory for profile.csv");
  const trm_status status = results_write_text(&r->out, "profile.csv", text);
  free(text);
  return status;
}

/* run.json, the end of the log, and then what goes to standard output as JSON: a result is printed
 * only where all of its files are whole. */
static trm_status write_report(running *r, int show_json)
{
  json_t *document = report_json(&r->about);
  trm_status status = results_write_document(&r->out, "run.json", document);
  const trm_status log = message_log_close();
  if (status == TRM_OK) status = log;
  if (status == TRM_OK && show_json) status = json_show(json_incref(document));
  json_decref(document);
  return status;
}

/* A run that failed after its start still leaves its series, log and run.json. */
static exit_code fail_run(running *r, trm_status status)
{
  char cause[sizeof trm_error_last()->text];
  snprintf(cause, sizeof cause, "%s", trm_error_last()->text);
  const exit_code code = message_failure(status);
  r->about.status = status == TRM_ERROR_DIVERGED ? "diverged" : "failed";
  r->about.error = cause;
  r->about.total_seconds = clock_now();
  r->about.roof_missing = "the run failed";
  if (r->run.solver) (void)results_write_series(&r->out, &r->run, 1);
  (void)write_report(r, 0);
  r->about.error = NULL;
  return code;
}

static exit_code finish_run(running *r, const arguments *args)
{
  r->about.status = r->run.stopped ? "stopped" : "finished";
  r->about.total_seconds = clock_now();
  measure_ceiling(r);
  message_record("%s after step %llu, %.3f s; fingerprint %s", r->about.status,
                 (unsigned long long)r->run.steps_done, r->about.total_seconds, r->run.fingerprint);
  trm_status status = tabulate(r);
  if (status == TRM_OK) status = write_report(r, args->json);
  if (status != TRM_OK) return message_failure(status);
  if (!args->json) report_print(&r->about);
  if (!r->run.stopped) return EXIT_GOOD;
  message_note("stopped by the user after step %llu; the results are those of that step",
               (unsigned long long)r->run.steps_done);
  return EXIT_STOPPED;
}

/* Right after the time loop, while clocks are as they were in it. */
static void read_conditions(running *r)
{
  r->about.gpu = trm_device_describe(r->device)->is_host
                     ? NULL : conditions_gpu(r->meter.gpu, r->meter.missing);
  r->about.host = conditions_host("", &r->clock);
}

static exit_code execute(running *r, const arguments *args)
{
  trm_status status = case_create(args, &r->chosen);
  if (status == TRM_OK && args->dry_run) return message_failure(dry_run(&r->chosen, args->json));
  if (status == TRM_OK) status = prepare(r);
  if (status != TRM_OK) return message_failure(status);
  conditions_begin("", &r->clock);
  status = session_run(&r->run);
  if (status == TRM_ERROR_INTERRUPTED) status = TRM_OK; /* told at the end */
  read_conditions(r);
  progress_end(&r->bar);
  if (status == TRM_OK) status = write_results(r);
  return status == TRM_OK ? finish_run(r, args) : fail_run(r, status);
}

exit_code command_run(const arguments *args)
{
  running r = {.out.lock = -1, .no_tuned = args->no_tuned, .with_profile = args->profile};
  exit_code code = execute(&r, args);
  if (message_log_close() != TRM_OK && code == EXIT_GOOD) code = message_failure(TRM_ERROR_IO);
  json_decref(r.about.host);
  json_decref(r.about.gpu);
  energy_close(&r.meter);
  profile_clear(&r.table);
  profile_destroy(&r.profile);
  session_end(&r.run);
  results_close(&r.out);
  trm_device_close(&r.device);
  trm_context_destroy(&r.context);
  case_clear(&r.chosen);
  return code;
}
