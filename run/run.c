/* run.c - libtrireme-run: a run is opened, described, advanced and closed. */
#include "run/run_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/domain/device.h"
#include "run/json_parts.h"
#include "run/measure/clock.h"
#include "run/parts.h"
#include "run/surroundings.h"
#include "run/text/json.h"

const session *trm_run_session(const trm_run *run) { return &run->session; }
const report *trm_run_report(const trm_run *run) { return &run->about; }
int trm_run_is_kept(const trm_run *run) { return run->session.is_kept; }

void trm_run_set_viewer(trm_run *run, void *viewer, int (*is_viewed)(void *viewer, session *run),
                        trm_status (*show)(void *viewer, session *run))
{
  run->session.hooks.viewer = viewer;
  run->session.hooks.is_viewed = is_viewed;
  run->session.hooks.show = show;
}

/* ---- open ------------------------------------------------------------------ */

trm_status run_check(const trm_run *run, const char *function, const void *argument,
                     const char *name)
{
  if (!run) return TRM_FAIL(INVALID, "%s: run is NULL", function);
  if (name && !argument) return TRM_FAIL(INVALID, "%s: %s is NULL", function, name);
  if (run->process == getpid()) return TRM_OK;
  return TRM_FAIL(INVALID, "%s: the run belongs to the process that this one was forked from; use "
                  "it there, and start processes before the first run, or as programs of their own "
                  "(in Python: multiprocessing.get_context(\"spawn\"))", function);
}

/* Members that a C program leaves out of the struct, or counts wrong. */
static trm_status check_options(const trm_run_options *options)
{
  const unsigned known = TRM_RUN_NO_TUNED | TRM_RUN_PROFILE | TRM_RUN_MUST_END |
                         TRM_RUN_WRITES;
  const size_t most = SIZE_MAX / sizeof(setting) - 1;
  if (options->flags & ~known)
    return TRM_FAIL(INVALID, "trm_run_open: options.flags is 0x%x, and 0x%x is no TRM_RUN_... flag",
                    options->flags, options->flags & ~known);
  if (options->key_count > most || options->file_count > most)
    return TRM_FAIL(INVALID, "trm_run_open: options.%s is %zu; give the number of %s",
                    options->key_count > most ? "key_count" : "file_count",
                    options->key_count > most ? options->key_count : options->file_count,
                    options->key_count > most ? "keys" : "files");
  if ((options->key_count > 0 && !options->keys) || (options->file_count > 0 && !options->files))
    return TRM_FAIL(INVALID, "trm_run_open: options.%s is NULL, and options.%s is %zu",
                    options->keys || !options->key_count ? "files" : "keys",
                    options->keys || !options->key_count ? "file_count" : "key_count",
                    options->keys || !options->key_count ? options->file_count
                                                         : options->key_count);
  for (size_t i = 0; i < options->key_count; i++)
    if (!options->keys[i].key || !options->keys[i].text)
      return TRM_FAIL(INVALID, "trm_run_open: key %zu of the options lacks its %s", i,
                      options->keys[i].key ? "text" : "name");
  for (size_t i = 0; i < options->file_count; i++)
    if (!options->files[i])
      return TRM_FAIL(INVALID, "trm_run_open: file %zu of the options is NULL", i);
  return TRM_OK;
}

static trm_status read_options(const trm_run_options *options, trm_run_options *out)
{
  if (options && options->bytes != sizeof *options)
    return TRM_FAIL(INVALID, "trm_run_open: options.bytes is %zu, and this library's "
                    "trm_run_options has %zu bytes; set it to sizeof(trm_run_options), and build "
                    "the program with the header of the installed library", options->bytes,
                    sizeof *options);
  if (!options) return TRM_OK;
  TRM_TRY(check_options(options));
  *out = *options;
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
    settings[i] = (setting){(char *)key->key, (char *)key->text,
                            key->origin ? (char *)key->origin : origin, TRM_RANK_OPTION};
  }
  if (status == TRM_OK) {
    operands[0] = what;
    for (size_t i = 0; i < options->file_count; i++) operands[i + 1] = options->files[i];
    const case_request wanted = {operands, options->file_count + 1, settings, options->key_count,
                                 !(options->flags & TRM_RUN_MUST_END), log_receive, &run->log};
    status = case_create(&wanted, &run->chosen);
  }
  free(settings);
  free(operands);
  return status;
}

static void tell_progress(void *user, const session *at);

static int wants_checkpoint(void *user, const session *at)
{
  return keep_wants(&((trm_run *)user)->keep, at);
}

static trm_status write_checkpoint(void *user, session *at)
{
  return keep_write(&((trm_run *)user)->keep, at);
}

static trm_status begin_session(trm_run *run)
{
  const session_hooks hooks = {.user = run, .progress = tell_progress, .series = run_tell_series,
                               .output = run_write_output, .frame = run_write_frame,
                               .interrupted = &run->interrupted, .wants = wants_checkpoint,
                               .keep = write_checkpoint};
  return session_begin(&run->session, &run->chosen, run->device, &hooks);
}

static trm_status open_device(trm_run *run)
{
  return parts_open_device(&run->chosen, run->context, &run->parts, &run->device);
}

static void close_device(trm_run *run)
{
  parts_close(&run->parts, &run->chosen, &run->device);
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
    close_device(run);
    TRM_TRY(parts_are_named(run->chosen.settings.backend)
              ? open_device(run)
              : device_open(run->context, run->chosen.settings.backend,
                            &run->chosen.settings.device, "trireme tune", &run->device));
  }
  return begin_session(run);
}

/* A host's groups are fixed, but a solver may make run.group the shape of a tile. */
static int is_group_idle(const trm_run *run, const trm_device_info *device)
{
  const trm_solver_options *asked = &run->chosen.settings.solver;
  const trm_program_info *program = run->session.solver->program;
  return device->is_host && asked->row_group_x > 0 &&
         !(program && program->row_group_x == asked->row_group_x &&
           program->row_group_y == asked->row_group_y);
}

/* Options that the device at hand has no use for are said to be so, never silently dropped. */
static void warn_of_idle_settings(trm_run *run, const trm_device_info *device)
{
  const run_settings *settings = &run->chosen.settings;
  const trm_config *config = run->chosen.config;
  if (is_group_idle(run, device))
    log_say(&run->log, TRM_LOG_WARNING, "%s: run.group concerns GPUs; on %s the group shape is "
            "fixed", trm_config_origin(config, "run.group"), device->backend);
  if (device->is_host && settings->device.steps_per_launch > 1)
    log_say(&run->log, TRM_LOG_WARNING, "%s: run.steps_per_launch concerns GPUs, not %s",
            trm_config_origin(config, "run.steps_per_launch"), device->backend);
  if (device->is_host && settings->device.shape_columns > 0)
    log_say(&run->log, TRM_LOG_WARNING, "%s: run.steps_shape concerns GPUs, not %s",
            trm_config_origin(config, "run.steps_shape"), device->backend);
  if (!device->is_host && settings->device.threads > 0)
    log_say(&run->log, TRM_LOG_WARNING, "%s: run.threads concerns the openmp backend, not %s",
            trm_config_origin(config, "run.threads"), device->backend);
  if (!device->is_host && settings->device.wavefront > 0)
    log_say(&run->log, TRM_LOG_WARNING, "%s: run.wavefront concerns the openmp backend, not %s",
            trm_config_origin(config, "run.wavefront"), device->backend);
}

static void warn_of_idle_lanes(trm_run *run, const trm_device_info *device)
{
  const trm_program_info *program = run->session.solver->program;
  const trm_config *config = run->chosen.config;
  if (device->is_host || !program || !trm_config_is_given(config, "run.group")) return;
  const int x = program->row_group_x, y = program->row_group_y;
  const char *text = trm_config_string(config, "run.group");
  if (strncmp(text, "rule:", 5) == 0)
    log_say(&run->log, TRM_LOG_INFO, "run.group = %s: groups of %d x %d items", text, x, y);
  const double idle = idle_lanes(device->name, x, y);
  if (idle > 0.0)
    log_say(&run->log, TRM_LOG_WARNING,
            "%s: run.group = %dx%d: %.1f %% of a group's lanes are idle",
            trm_config_origin(config, "run.group"), x, y, 100.0 * idle);
}

void run_warn(trm_run *run)
{
  if (run->has_warned) return;
  run->has_warned = 1;
  warn_of_idle_settings(run, run->info.device);
  warn_of_idle_lanes(run, run->info.device);
  if (run->session.solver->caution)
    log_say(&run->log, TRM_LOG_WARNING, "%s", run->session.solver->caution);
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

/* The facts that do not change during the run. */
static void describe_run(trm_run *run)
{
  const run_settings *settings = &run->chosen.settings;
  const trm_solver *solver = run->session.solver;
  run->info = (trm_run_info){
    .name = run->chosen.name, .solver = run->chosen.type->name,
    .device = trm_device_describe(run->device), .precision = settings->solver.precision,
    .math = settings->solver.math, .end_time = settings->end_time, .cells = solver->cells,
    .end_step = settings->steps < strtoull(TRM_STEPS_UNTIL_END, NULL, 10) ? settings->steps
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
  run->info.checkpoints = run->keep.said;
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
  domain_way way;
  if (domain_device_way(run->device, &way))
    log_record(&run->log, "control: parts, each with a copy of the host code; rows go by %s",
               way.carrier);
}

/* found: what the run goes on from, or NULL. */
static trm_status open_run(trm_run *run, const char *what, const trm_run_options *options,
                           const trm_found *found)
{
  const trm_context_options logging = {.log = log_receive, .log_user = &run->log};
  run->log.listener = options->log;
  run->log.user = options->log_user;
  run->progress = options->progress;
  run->progress_user = options->progress_user;
  TRM_TRY(read_request(run, what, options));
  if (found) TRM_TRY(resume_check(found, &run->chosen));
  else if (options->flags & TRM_RUN_WRITES) TRM_TRY(results_check_folder(&run->chosen));
  const double begin = clock_now();
  TRM_TRY(trm_context_create(&logging, &run->context));
  TRM_TRY(open_device(run));
  run->about.open_seconds = clock_now() - begin;
  TRM_TRY(begin_session(run));
  if (!(options->flags & TRM_RUN_NO_TUNED)) TRM_TRY(use_tuned(run));
  if (found) TRM_TRY(resume_restore(found, &run->session));
  energy_open(&run->meter, trm_device_describe(run->device), "/sys/class/powercap");
  if (options->flags & TRM_RUN_PROFILE) TRM_TRY(profile_create(run->device, &run->profile));
  run->session.meter = &run->meter;
  run->session.profile = run->profile;
  TRM_TRY(describe_fields(run));
  describe_run(run);
  update_info(run);
  record_start(run);
  return TRM_OK;
}

static trm_status make_run(trm_run **out)
{
  trm_run *run = calloc(1, sizeof *run);
  if (!run) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a run");
  surroundings_record();
  json_begin();
  run->process = getpid();
  run->out.lock = -1;
  run->start = clock_now();
  *out = run;
  return TRM_OK;
}

/* The run as it was opened, or closed again. */
static trm_status hand_out(trm_run *run, trm_status status, trm_run **out)
{
  if (status == TRM_OK) {
    *out = run;
    return TRM_OK;
  }
  const trm_error cause = *trm_error_last();
  trm_run_close(&run);
  return trm_error_record(status, cause.file, cause.line, "%s", cause.text);
}

static trm_status open_case(const char *what, const trm_run_options *options, trm_run **out)
{
  trm_run_options taken = {0};
  trm_run *run = NULL;
  if (!what || !out)
    return TRM_FAIL(INVALID, "trm_run_open: %s is NULL", what ? "out" : "what");
  TRM_TRY(read_options(options, &taken));
  TRM_TRY(make_run(&run));
  return hand_out(run, open_run(run, what, &taken, NULL), out);
}

trm_status trm_run_open(const char *what, const trm_run_options *options, trm_run **out)
{
  const locale_t before = trm_numbers_begin();
  const trm_status status = open_case(what, options, out);
  trm_numbers_end(before);
  return status;
}

/* The case as it was kept, in the folder where it was. */
static trm_status open_found(trm_run *run, const trm_run_options *options, const char *folder,
                             const trm_found *found)
{
  char *path = NULL;
  trm_run_options in_folder = *options;
  trm_run_key *keys = calloc(options->key_count + 1, sizeof *keys);
  if (!keys) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the keys of a run");
  for (size_t i = 0; i < options->key_count; i++) keys[i] = options->keys[i];
  keys[options->key_count] = (trm_run_key){"output.folder", folder, "trm_run_resume"};
  in_folder.keys = keys;
  in_folder.key_count = options->key_count + 1;
  in_folder.files = NULL;
  in_folder.file_count = 0;
  in_folder.flags |= TRM_RUN_NO_TUNED;
  trm_status status = trm_path_join(found->path, "case.conf", &path);
  if (status == TRM_OK) status = open_run(run, path, &in_folder, found);
  run->chosen.is_from_files =
    json_is_true(json_object_get(found->manifest.json, "from_files"));
  free(path);
  free(keys);
  return status;
}

/* Its log goes on too, and its folder is its own. */
static trm_status resume_run(trm_run *run, const char *folder, const trm_run_options *options)
{
  trm_found *found = NULL;
  int lock = -1;
  TRM_TRY(trm_folder_lock(folder, &lock));
  trm_status status = trm_checkpoint_find(folder, &found);
  if (status == TRM_OK) status = log_take_up(&run->log, folder);
  if (status == TRM_OK && found->refused[0]) {
    run->log.listener = options->log;
    run->log.user = options->log_user;
    log_say(&run->log, TRM_LOG_WARNING, "an older checkpoint is used, since the newest is not "
                                        "intact: %s",
            found->refused);
  }
  if (status == TRM_OK) status = open_found(run, options, folder, found);
  if (status == TRM_OK) {
    run->out.folder = strdup(folder);
    if (!run->out.folder) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for a path");
  }
  if (status == TRM_OK) run->out.lock = lock;
  else trm_folder_unlock(&lock);
  if (status == TRM_OK) status = resume_take_up(found, &run->keep);
  if (status == TRM_OK) status = trm_run_keep(run, NULL);
  if (status == TRM_OK) status = resume_outputs(found, &run->session, &run->out);
  if (status == TRM_OK)
    log_record(&run->log, "goes on from '%s', step %llu", found->path,
               (unsigned long long)found->manifest.step);
  if (status == TRM_OK && !resume_compares(found))
    log_say(&run->log, TRM_LOG_WARNING, "the fingerprint of '%s' is of version 1 and was not "
            "compared with that of the restored state; the hashes of its files were", found->path);
  trm_checkpoint_close(&found);
  return status;
}

static trm_status open_folder(const char *folder, const trm_run_options *options, trm_run **out)
{
  trm_run_options taken = {0};
  trm_run *run = NULL;
  if (!folder || !out)
    return TRM_FAIL(INVALID, "trm_run_resume: %s is NULL", folder ? "out" : "folder");
  TRM_TRY(read_options(options, &taken));
  TRM_TRY(make_run(&run));
  return hand_out(run, resume_run(run, folder, &taken), out);
}

trm_status trm_run_resume(const char *folder, const trm_run_options *options, trm_run **out)
{
  const locale_t before = trm_numbers_begin();
  const trm_status status = open_folder(folder, options, out);
  trm_numbers_end(before);
  return status;
}

void trm_run_close(trm_run **handle)
{
  if (!handle || !*handle) return;
  trm_run *run = *handle;
  *handle = NULL;
  if (run->process != getpid()) return; /* its device and its files are the other process's */
  run_drop_report(run);
  energy_close(&run->meter);
  profile_destroy(&run->profile);
  session_end(&run->session);
  keep_close(&run->keep);
  results_close(&run->out);
  close_device(run);
  trm_context_destroy(&run->context);
  case_clear(&run->chosen);
  log_clear(&run->log);
  free(run->fields);
  free(run->series);
  free(run->marks);
  free(run);
}

const trm_run_info *trm_run_describe(const trm_run *run) { return run ? &run->info : NULL; }

const char *trm_run_value(const trm_run *run, const char *key)
{
  if (!run || !key) return NULL;
  const char *present = trm_config_present_key(run->chosen.config, key);
  if (present) return trm_config_text(run->chosen.config, present);
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

trm_status run_repeat_failure(const trm_run *run)
{
  return run->failed == TRM_OK ? TRM_OK
         : trm_error_record(run->failed, __FILE__, __LINE__, "%s", run->failure);
}

static trm_status advance_on(trm_run *run, const session_goal *goal)
{
  TRM_TRY(run_repeat_failure(run));
  run_warn(run);
  const int is_first = run->session.steps_done == run->session.begun;
  if (is_first) conditions_begin("", &run->clock);
  run_drop_report(run);
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
  return TRM_FAIL(INTERRUPTED, "%s was interrupted after step %llu and has the state of this step",
                  run->chosen.name, (unsigned long long)run->info.step);
}

static trm_status advance(trm_run *run, const session_goal *goal)
{
  const locale_t before = trm_numbers_begin();
  const trm_status status = advance_on(run, goal);
  trm_numbers_end(before);
  return status;
}

trm_status trm_run_advance_within(trm_run *run, uint64_t steps, double time, double seconds)
{
  TRM_TRY(run_check(run, "trm_run_advance", NULL, NULL));
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
  TRM_TRY(run_check(run, "trm_run_finish", NULL, NULL));
  const session_goal end = session_case_end(&run->session);
  if (run->info.end_step == UINT64_MAX && !isfinite(end.time))
    return TRM_FAIL(INVALID, "trm_run_finish: the case does not say when it ends; set run.steps or "
                    "run.end_time, or call trm_run_advance");
  return advance(run, &end);
}

void trm_run_interrupt(trm_run *run)
{
  if (run) atomic_store(&run->interrupted, 1);
}

void trm_run_checkpoint(trm_run *run)
{
  if (run) atomic_store(&run->keep.wanted, 1);
}
