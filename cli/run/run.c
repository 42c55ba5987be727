/* run.c - libtrireme-run: what owns a run, from its case to its results. */
#include "cli/run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure/clock.h"
#include "cli/measure/conditions.h"
#include "cli/run/json.h"
#include "cli/run/results.h"
#include "cli/run/surroundings.h"
#include "cli/study/tuned.h"

enum { CEILING_RUNS = 3, FIELD_NAMES = 64 };

struct trm_run {
  run_case chosen;
  run_log log;
  trm_context *context;
  trm_device *device;
  session session;
  atomic_int interrupted;
  void (*progress)(void *user, const trm_run *run);
  void *progress_user;
  double start;                  /* of the clock, when it was opened */
  char tuned[TUNED_LINE];
  trm_run_info info;
  trm_run_field *fields;
  trm_run_series *series;
  int is_observed, is_finished;  /* since the last advance */
  trm_status failed;             /* of an advance: the run cannot go on */
  char failure[sizeof ((trm_error *)0)->text];

  results out;                   /* folder NULL: none chosen */
  energy_meter meter, judged;    /* judged: as the report has it */
  conditions_clock clock;
  profile *profile;
  profile_table table;
  ceiling roof;
  char roof_missing[sizeof ((trm_error *)0)->text];
  report about;
  char *json;                    /* of the last report, while it holds; or NULL */
};

const session *trm_run_session(const trm_run *run) { return &run->session; }
const report *trm_run_report(const trm_run *run) { return &run->about; }

/* ---- open ------------------------------------------------------------------ */

static trm_status read_options(const trm_run_options *options, trm_run_options *out)
{
  if (options && options->bytes != sizeof *options)
    return TRM_FAIL(INVALID, "trm_run_open: options.bytes is %zu, and this library's "
                    "trm_run_options has %zu bytes; set it to sizeof(trm_run_options), and build "
                    "the program with the header of the installed library", options->bytes,
                    sizeof *options);
  if (options) *out = *options;
  return TRM_OK;
}

static trm_status read_request(trm_run *run, const char *what, const trm_run_options *options)
{
  static char origin[] = "trm_run_open";
  const char **operands = calloc(options->file_count + 1, sizeof *operands);
  setting *settings = calloc(options->key_count + 1, sizeof *settings);
  trm_status status = TRM_OK;
  if (!operands || !settings) status = TRM_FAIL(NO_HOST_MEMORY, "no memory to read a case");
  for (size_t i = 0; status == TRM_OK && i < options->key_count; i++) {
    const trm_run_key *key = &options->keys[i];
    if (!key->key || !key->text)
      status = TRM_FAIL(INVALID, "trm_run_open: key %zu of the options lacks its %s", i,
                        key->key ? "text" : "name");
    else
      settings[i] = (setting){(char *)key->key, (char *)key->text,
                              key->origin ? (char *)key->origin : origin, TRM_RANK_OPTION};
  }
  if (status == TRM_OK) {
    operands[0] = what;
    for (size_t i = 0; i < options->file_count; i++) operands[i + 1] = options->files[i];
    const case_request wanted = {operands, options->file_count + 1, settings, options->key_count,
                                 !(options->flags & TRM_RUN_MUST_END)};
    status = case_create(&wanted, &run->chosen);
  }
  free(settings);
  free(operands);
  return status;
}

static void tell_progress(void *user, const session *at);
static trm_status tell_series(void *user, const session *at);
static trm_status write_output(void *user, session *at);

static trm_status begin_session(trm_run *run)
{
  const session_watch watch = {.user = run, .progress = tell_progress, .series = tell_series,
                               .output = write_output, .interrupted = &run->interrupted};
  return session_begin(&run->session, &run->chosen, run->device, &watch);
}

/* Takes what 'trireme tune' found; where that changes anything, device and solver are made anew. */
static trm_status use_tuned(trm_run *run)
{
  tuned found;
  const trm_device_options before = run->chosen.settings.device;
  if (!tuned_load(run->context, run->device, run->session.solver, &run->chosen.settings.solver,
                  &found))
    return TRM_OK;
  TRM_TRY(tuned_apply(run->context, &found, &run->chosen, run->tuned));
  if (!run->tuned[0]) return TRM_OK;
  log_record(&run->log, "%s", run->tuned);
  session_end(&run->session);
  if (memcmp(&before, &run->chosen.settings.device, sizeof before) != 0) {
    trm_device_close(&run->device);
    TRM_TRY(device_open(run->context, run->chosen.settings.backend, &run->chosen.settings.device,
                        "trireme tune", &run->device));
  }
  return begin_session(run);
}

/* Options that the device at hand has no use for are said to be so, never silently dropped. */
static void warn_of_idle_settings(trm_run *run, const trm_device_info *device)
{
  const run_settings *settings = &run->chosen.settings;
  const trm_config *config = run->chosen.config;
  if (device->is_host && settings->solver.row_group_x > 0)
    log_say(&run->log, TRM_LOG_WARNING, "%s: run.group concerns GPUs; on %s the group shape is "
            "fixed", trm_config_origin(config, "run.group"), device->backend);
  if (!device->is_host && settings->device.threads > 0)
    log_say(&run->log, TRM_LOG_WARNING, "%s: run.threads concerns the openmp backend, not %s",
            trm_config_origin(config, "run.threads"), device->backend);
  if (!device->is_host && settings->device.wavefront > 0)
    log_say(&run->log, TRM_LOG_WARNING, "%s: run.wavefront concerns the openmp backend, not %s",
            trm_config_origin(config, "run.wavefront"), device->backend);
}

static trm_status describe_fields(trm_run *run)
{
  const trm_solver *solver = run->session.solver;
  run->fields = calloc(solver->field_count + 1, sizeof *run->fields);
  run->series = calloc(solver->series_count + 1, sizeof *run->series);
  if (!run->fields || !run->series)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the fields of a run");
  for (size_t i = 0; i < solver->field_count; i++) {
    const trm_field *field = &solver->fields[i];
    trm_run_field *out = &run->fields[i];
    *out = (trm_run_field){field->name, field->unit, field->help, field->type, field->components,
                           field->nx, field->ny, field->nz, 0,
                           (field->flags & TRM_FIELD_HASHED) != 0};
    TRM_TRY(trm_field_elements(field, &out->bytes));
    TRM_TRY(trm_size_mul(out->bytes, trm_type_size(field->type), field->name, &out->bytes));
  }
  for (size_t i = 0; i < solver->series_count; i++)
    run->series[i] = (trm_run_series){solver->series[i].name, solver->series[i].unit, NULL, 0};
  return TRM_OK;
}

/* What does not change while it runs. */
static void describe_run(trm_run *run)
{
  const run_settings *settings = &run->chosen.settings;
  const trm_solver *solver = run->session.solver;
  run->info = (trm_run_info){
    .name = run->chosen.name, .solver = run->chosen.type->name,
    .device = trm_device_describe(run->device), .precision = settings->solver.precision,
    .math = settings->solver.math, .end_time = settings->end_time, .cells = solver->cells,
    .end_step = settings->steps < strtoull(STEPS_UNTIL_END, NULL, 10) ? settings->steps
                                                                      : UINT64_MAX,
    .counted = solver->counted ? solver->counted : run->chosen.type->update_name,
    .field_count = solver->field_count, .series_count = solver->series_count, .tuned = run->tuned,
  };
}

static void update_info(trm_run *run)
{
  const session *at = &run->session;
  for (size_t i = 0; i < run->info.series_count; i++) {
    run->series[i].values = at->series ? at->series[i] : NULL;
    run->series[i].count = (size_t)at->steps_done;
  }
  run->info.step = at->steps_done;
  run->info.seconds = at->times.loop;
  if (!at->solver) return;
  run->info.time = at->solver->time;
  run->info.updates_per_second = session_rate(at);
}

static void record_start(trm_run *run)
{
  const trm_device_info *device = trm_device_describe(run->device);
  log_record(&run->log, "trireme %s, case %s, solver %s, %llu steps", trm_version(),
             run->chosen.name, run->chosen.type->name,
             (unsigned long long)run->chosen.settings.steps);
  log_record(&run->log, "device %s:%zu %s; %s; %s", device->backend, device->index, device->name,
             device->driver, device->compiler);
}

static trm_status open_run(trm_run *run, const char *what, const trm_run_options *options)
{
  const trm_context_options logging = {.log = log_receive, .log_user = &run->log};
  run->log.listener = options->log;
  run->log.user = options->log_user;
  run->progress = options->progress;
  run->progress_user = options->progress_user;
  TRM_TRY(read_request(run, what, options));
  const double begin = clock_now();
  TRM_TRY(trm_context_create(&logging, &run->context));
  TRM_TRY(case_open_device(&run->chosen, run->context, &run->device));
  run->about.open_seconds = clock_now() - begin;
  TRM_TRY(begin_session(run));
  if (!(options->flags & TRM_RUN_NO_TUNED)) TRM_TRY(use_tuned(run));
  energy_open(&run->meter, trm_device_describe(run->device), "/sys/class/powercap");
  if (options->flags & TRM_RUN_PROFILE) TRM_TRY(profile_create(run->device, &run->profile));
  run->session.meter = &run->meter;
  run->session.profile = run->profile;
  TRM_TRY(describe_fields(run));
  describe_run(run);
  update_info(run);
  warn_of_idle_settings(run, run->info.device);
  record_start(run);
  return TRM_OK;
}

trm_status trm_run_open(const char *what, const trm_run_options *options, trm_run **out)
{
  trm_run_options taken = {0};
  if (!what || !out)
    return TRM_FAIL(INVALID, "trm_run_open: %s is NULL", what ? "out" : "what");
  TRM_TRY(read_options(options, &taken));
  trm_run *run = calloc(1, sizeof *run);
  if (!run) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a run");
  surroundings_note();
  json_begin();
  run->out.lock = -1;
  run->start = clock_now();
  const trm_status status = open_run(run, what, &taken);
  if (status == TRM_OK) {
    *out = run;
    return TRM_OK;
  }
  const trm_error cause = *trm_error_last();
  trm_run_close(&run);
  return trm_error_record(status, cause.file, cause.line, "%s", cause.text);
}

static void drop_report(trm_run *run)
{
  json_decref(run->about.host);
  json_decref(run->about.gpu);
  run->about.host = run->about.gpu = NULL;
  run->about.profile = NULL;
  profile_clear(&run->table);
  free(run->json);
  run->json = NULL;
}

void trm_run_close(trm_run **handle)
{
  if (!handle || !*handle) return;
  trm_run *run = *handle;
  drop_report(run);
  energy_close(&run->meter);
  profile_destroy(&run->profile);
  session_end(&run->session);
  results_close(&run->out);
  trm_device_close(&run->device);
  trm_context_destroy(&run->context);
  case_clear(&run->chosen);
  log_clear(&run->log);
  free(run->fields);
  free(run->series);
  free(run);
  *handle = NULL;
}

const trm_run_info *trm_run_describe(const trm_run *run) { return &run->info; }

const char *trm_run_value(const trm_run *run, const char *key)
{
  for (size_t i = 0; i < trm_config_count(run->chosen.config); i++)
    if (strcmp(trm_config_option(run->chosen.config, i)->key, key) == 0)
      return trm_config_text(run->chosen.config, key);
  return NULL;
}

/* ---- advance ---------------------------------------------------------------- */

static void tell_progress(void *user, const session *at)
{
  trm_run *run = user;
  (void)at;
  update_info(run);
  if (run->progress) run->progress(run->progress_user, run);
}

static trm_status repeat_failure(const trm_run *run)
{
  return run->failed == TRM_OK ? TRM_OK
         : trm_error_record(run->failed, __FILE__, __LINE__, "%s", run->failure);
}

static trm_status advance(trm_run *run, const session_goal *goal)
{
  TRM_TRY(repeat_failure(run));
  const int is_first = run->session.steps_done == 0;
  if (is_first) conditions_begin("", &run->clock);
  drop_report(run);
  run->is_observed = run->is_finished = 0;
  run->session.fingerprint[0] = 0;
  const trm_status status = session_advance(&run->session, goal);
  if (is_first) run->session.times.first_step -= run->start;
  update_info(run);
  if (status != TRM_OK) {
    run->failed = status;
    snprintf(run->failure, sizeof run->failure, "%s", trm_error_last()->text);
    return status;
  }
  if (!run->session.stopped) return TRM_OK;
  atomic_store(&run->interrupted, 0);
  return TRM_FAIL(INTERRUPTED, "%s was interrupted after step %llu; its state is that of this step",
                  run->chosen.name, (unsigned long long)run->info.step);
}

trm_status trm_run_advance_within(trm_run *run, uint64_t steps, double time, double seconds)
{
  if (isnan(time) || isnan(seconds))
    return TRM_FAIL(INVALID, "trm_run_advance_within: %s is not a number; INFINITY stands for no "
                    "end", isnan(time) ? "time" : "seconds");
  const uint64_t done = run->session.steps_done;
  const session_goal goal = {steps > UINT64_MAX - done ? UINT64_MAX : done + steps, time, seconds};
  return advance(run, &goal);
}

trm_status trm_run_advance(trm_run *run, uint64_t steps)
{
  return trm_run_advance_within(run, steps, INFINITY, INFINITY);
}

trm_status trm_run_advance_to(trm_run *run, double time)
{
  return trm_run_advance_within(run, UINT64_MAX, time, INFINITY);
}

trm_status trm_run_finish(trm_run *run)
{
  const session_goal end = session_case_end(&run->session);
  if (run->info.end_step == UINT64_MAX && !isfinite(end.time))
    return TRM_FAIL(INVALID, "trm_run_finish: the case does not say when it ends; set run.steps or "
                    "run.end_time, or call trm_run_advance");
  return advance(run, &end);
}

void trm_run_interrupt(trm_run *run) { atomic_store(&run->interrupted, 1); }

/* ---- fields, series, numbers -------------------------------------------------- */

static trm_status observe(trm_run *run)
{
  if (!run->session.solver) return repeat_failure(run);
  if (run->is_observed) return TRM_OK;
  TRM_TRY(run->chosen.type->observe(run->session.solver));
  run->is_observed = 1;
  return TRM_OK;
}

/* Results and fingerprint. */
static trm_status finish(trm_run *run)
{
  TRM_TRY(repeat_failure(run));
  if (run->is_finished) return TRM_OK;
  TRM_TRY(session_finish(&run->session));
  run->is_observed = run->is_finished = 1;
  return TRM_OK;
}

/* names[i] of the solver's fields, series or results; stride: from one name to the next. */
static trm_status find_name(const trm_run *run, const char *noun, const char *name,
                            const void *first, size_t stride, size_t count, size_t *index)
{
  const char *names[FIELD_NAMES] = {0};
  size_t known = 0;
  for (size_t i = 0; i < count; i++) {
    const char *one = *(const char *const *)((const char *)first + i * stride);
    if (strcmp(one, name) == 0) {
      *index = i;
      return TRM_OK;
    }
    if (known < FIELD_NAMES) names[known++] = one;
  }
  const char *nearest = trm_nearest_name(name, names, known);
  if (nearest)
    return TRM_FAIL(NOT_FOUND, "solver '%s' has no %s '%s'; the nearest is '%s'",
                    run->chosen.type->name, noun, name, nearest);
  char list[512] = "";
  for (size_t i = 0; i < known; i++) {
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", names[i]);
  }
  return TRM_FAIL(NOT_FOUND, "solver '%s' has no %s '%s'; %s%s", run->chosen.type->name, noun, name,
                  known ? "it has: " : "it has none", list);
}

const trm_run_field *trm_run_field_at(const trm_run *run, size_t index)
{
  return index < run->info.field_count ? &run->fields[index] : NULL;
}

trm_status trm_run_field_find(const trm_run *run, const char *name, const trm_run_field **out)
{
  size_t index;
  TRM_TRY(find_name(run, "field", name, run->fields, sizeof *run->fields, run->info.field_count,
                    &index));
  *out = &run->fields[index];
  return TRM_OK;
}

trm_status trm_run_field_read(trm_run *run, const char *name, void *destination, size_t bytes)
{
  const trm_run_field *field = NULL;
  TRM_TRY(trm_run_field_find(run, name, &field));
  if (bytes != field->bytes)
    return TRM_FAIL(INVALID, "trm_run_field_read: field '%s' has %zu bytes, and there is room for "
                    "%zu", name, field->bytes, bytes);
  TRM_TRY(observe(run));
  return trm_field_read(&run->session.solver->fields[field - run->fields], destination);
}

const trm_run_series *trm_run_series_at(const trm_run *run, size_t index)
{
  return index < run->info.series_count ? &run->series[index] : NULL;
}

trm_status trm_run_series_find(const trm_run *run, const char *name, const trm_run_series **out)
{
  size_t index;
  TRM_TRY(find_name(run, "series", name, run->series, sizeof *run->series, run->info.series_count,
                    &index));
  *out = &run->series[index];
  return TRM_OK;
}

trm_status trm_run_result(trm_run *run, const char *name, double *out)
{
  size_t index;
  TRM_TRY(finish(run));
  const trm_solver *solver = run->session.solver;
  TRM_TRY(find_name(run, "result", name, solver->results, sizeof *solver->results,
                    solver->result_count, &index));
  *out = solver->results[index].value;
  return TRM_OK;
}

trm_status trm_run_fingerprint(trm_run *run, char text[33])
{
  TRM_TRY(finish(run));
  memcpy(text, run->session.fingerprint, sizeof run->session.fingerprint);
  return TRM_OK;
}

/* ---- results ------------------------------------------------------------------ */

static trm_status write_series(trm_run *run, int last)
{
  const double begin = clock_now();
  if (!run->out.folder || !run->session.solver) return TRM_OK;
  const trm_status status = results_write_series(&run->out, &run->session, last);
  run->session.times.output += clock_now() - begin;
  return status;
}

static trm_status tell_series(void *user, const session *at)
{
  (void)at;
  return write_series(user, 0);
}

static trm_status write_output(void *user, session *at)
{
  trm_run *run = user;
  return results_write_fields(&run->out, at, 0);
}

const char *trm_run_folder(const trm_run *run) { return run->out.folder ? run->out.folder : ""; }

/* A key of the case, changed on behalf of a function of the library. */
static trm_status set_key(trm_run *run, const char *key, const char *text, const char *origin)
{
  return trm_config_set_ranked(run->chosen.config, key, text, TRM_RANK_OPTION, origin);
}

static void fill_report(trm_run *run, const char *status, const char *error);

/* In a folder that holds an earlier run: whoever reads run.json is to know of this one. */
static trm_status begin_report(trm_run *run)
{
  json_begin();
  drop_report(run);
  fill_report(run, "running", NULL);
  run->about.roof = NULL;
  run->about.roof_missing = "the run has not ended";
  json_t *document = report_json(&run->about);
  const trm_status status = results_write_document(&run->out, "run.json", document);
  json_decref(document);
  return status;
}

trm_status trm_run_keep(trm_run *run, const char *folder)
{
  session_watch *watch = &run->session.watch;
  const run_settings *settings = &run->chosen.settings;
  if (folder) {
    TRM_TRY(set_key(run, "output.folder", folder, "trm_run_keep"));
    run->chosen.settings.folder = trm_config_string(run->chosen.config, "output.folder");
  }
  const int is_again = run->out.folder && strcmp(run->out.folder, settings->folder) == 0;
  (void)log_close(&run->log);
  results_close(&run->out);
  if (!run->session.solver) return repeat_failure(run);
  trm_status status = results_open(&run->out, &run->chosen, &run->session, &run->log, is_again);
  if (status == TRM_OK) status = results_require(&run->out, &run->session);
  if (status == TRM_OK) status = begin_report(run);
  if (status != TRM_OK) {
    results_close(&run->out);
    return status;
  }
  watch->every = settings->every;
  watch->every_time = settings->every_time;
  if (watch->every_time > 0)
    run->session.outputs = floor(run->session.solver->time * (1 + 1e-12) / watch->every_time);
  return TRM_OK;
}

/* The case as it was carried out, so that used.conf repeats it. */
static trm_status note_end(trm_run *run)
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

static void measure_ceiling(trm_run *run, trm_status status)
{
  report *about = &run->about;
  about->roof = run->roof.copy_bytes ? &run->roof : NULL;   /* of an earlier report */
  if (about->roof) return;
  about->roof_missing = run->roof_missing;
  if (status != TRM_OK)
    snprintf(run->roof_missing, sizeof run->roof_missing, "the run failed");
  else if (!run->chosen.settings.ceiling)
    snprintf(run->roof_missing, sizeof run->roof_missing, "run.ceiling is false");
  else if (ceiling_measure(run->device, CEILING_COPY, CEILING_RUNS, &run->roof) == TRM_OK)
    about->roof = &run->roof;
  else
    snprintf(run->roof_missing, sizeof run->roof_missing, "%s", trm_error_last()->text);
}

static trm_status tabulate(trm_run *run)
{
  const trm_precision precision = run->info.precision;
  if (!run->profile || run->failed != TRM_OK) return TRM_OK;
  const ceiling roofs = roofs_find(run->context, run->device, precision, run->about.roof,
                                   run->about.roof_missing);
  TRM_TRY(profile_tabulate(run->profile, run->session.solver, precision, &roofs, &run->table));
  run->about.profile = &run->table;
  return TRM_OK;
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
  about->meter = &run->judged;
  run->judged = run->meter;
  energy_end(&run->judged);
}

/* error: the sentence of what failed with that status, or NULL. */
static trm_status make_report(trm_run *run, trm_status status, const char *error)
{
  fill_report(run, status == TRM_ERROR_DIVERGED ? "diverged" : status != TRM_OK ? "failed"
              : run->session.stopped ? "stopped" : "finished", error);
  measure_ceiling(run, status);
  if (status == TRM_OK) TRM_TRY(tabulate(run));
  json_t *document = report_json(&run->about);
  char *text = json_is_whole(document) ? json_dumps(document, JSON_INDENT(2)) : NULL;
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
  return status;
}

/* All but the report. */
static trm_status write_state(trm_run *run)
{
  TRM_TRY(finish(run));
  TRM_TRY(note_end(run));
  TRM_TRY(results_begin(&run->out));
  TRM_TRY(results_write_fields(&run->out, &run->session, 1));
  TRM_TRY(write_series(run, 1));
  return results_write_exports(&run->out, &run->session);
}

void trm_run_note(trm_run *run, const char *line)
{
  log_record(&run->log, "%s", line);
}

/* What failed leaves its series, log and run.json. */
static void write_failure(trm_run *run, trm_status status, const char *cause)
{
  log_record(&run->log, "error: %s", cause);
  (void)write_series(run, 1);
  if (make_report(run, status, cause) == TRM_OK) (void)write_report(run);
  (void)log_close(&run->log);
}

trm_status trm_run_write(trm_run *run, const char *folder)
{
  if (folder || !run->out.folder) TRM_TRY(trm_run_keep(run, folder));
  json_begin();
  drop_report(run);
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
  if (status == TRM_OK) status = write_report(run);
  if (status == TRM_OK) return log_close(&run->log);
  const trm_error cause = *trm_error_last();
  drop_report(run);
  (void)read_conditions(run);
  write_failure(run, status, cause.text);
  return trm_error_record(status, cause.file, cause.line, "%s", cause.text);
}

trm_status trm_run_json(trm_run *run, const char **text)
{
  if (!run->json) {
    const char *error = run->failed == TRM_OK ? NULL : run->failure;
    json_begin();
    drop_report(run);
    TRM_TRY(read_conditions(run));
    if (!error) TRM_TRY(finish(run));
    TRM_TRY(make_report(run, run->failed, error));
  }
  *text = run->json;
  return TRM_OK;
}
