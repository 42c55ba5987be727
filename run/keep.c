/* keep.c - the state of a run as a checkpoint: its arrays, its series and its input. */
#include "run/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "run/measure/clock.h"
#include "run/divergence.h"
#include "run/json_parts.h"
#include "run/text/json.h"
#include "io/place.h"
#include "solvers/field.h"

static const double first_seconds = 600, least_seconds = 60, most_seconds = 3600;
enum { GENERATIONS = 3 };                /* on the disk at once: two, and the one that is written */

/* ---- size and room --------------------------------------------------------------- */

static trm_status add_bytes(size_t elements, trm_type type, const char *name, uint64_t *bytes)
{
  size_t more;
  TRM_TRY(trm_size_mul(elements, trm_type_size(type), name, &more));
  *bytes += more;
  return TRM_OK;
}

/* Bytes of a checkpoint without the series. */
static trm_status keep_size(const trm_solver *solver, uint64_t *bytes)
{
  *bytes = 0;
  for (size_t i = 0; i < solver->field_count; i++) {
    const trm_field *field = &solver->fields[i];
    size_t rows, nx;
    if (!(field->flags & TRM_FIELD_KEPT)) continue;
    trmi_field_stored(field, &rows, &nx);
    TRM_TRY(add_bytes(rows * nx * (size_t)field->components, field->type, field->name, bytes));
  }
  for (size_t i = 0; i < solver->kept_count; i++)
    TRM_TRY(add_bytes(solver->kept[i].count, solver->kept[i].type, solver->kept[i].name, bytes));
  return TRM_OK;
}

const char *keep_missing(const trm_solver *solver)
{
  if (!solver->type->restore) return "its solver cannot be resumed from one (it has no `restore`)";
  return solver->unkept;
}

static void print_bytes(double bytes, char text[32])
{
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
  int i = 0;
  for (; bytes >= 1000 && i < 4; i++) bytes /= 1000;
  snprintf(text, 32, i ? "%.1f %s" : "%.0f %s", bytes, units[i]);
}

static void print_seconds(double seconds, char text[32])
{
  if (seconds < 120) snprintf(text, 32, "%.3g s", seconds);
  else if (seconds < 7200) snprintf(text, 32, "%.3g min", seconds / 60);
  else snprintf(text, 32, "%.3g h", seconds / 3600);
}

/* ---- the beginning ------------------------------------------------------------------ */

static trm_status cannot(keeper *keep, const char *why)
{
  const trm_config *config = keep->chosen->config;
  const double wanted = keep->chosen->settings.keep_every;
  keep->missing = why;
  keep->every = 0;
  if (wanted != 0)
    snprintf(keep->said, sizeof keep->said, "no checkpoints, so this run cannot be resumed: %s",
             why);
  log_record(keep->log, "no checkpoints: %s", why);
  if (wanted <= 0) return TRM_OK;
  return TRM_FAIL(UNSUPPORTED, "%s: this case cannot have checkpoints: %s; leave "
                  "checkpoint.every out", trm_config_origin(config, "checkpoint.every"), why);
}

static trm_status no_room(keeper *keep, double bytes, double room)
{
  char size[32], there[32];
  print_bytes(bytes, size);
  print_bytes(room, there);
  keep->every = 0;
  if (keep->chosen->settings.keep_every > 0)
    return TRM_FAIL(IO, "%s: %d checkpoints of %s each do not fit: '%s' has room for %s; free some "
                    "space, write to another disk (--output), or give --checkpoint-every=0",
                    trm_config_origin(keep->chosen->config, "checkpoint.every"), GENERATIONS, size,
                    keep->out->folder, there);
  snprintf(keep->said, sizeof keep->said, "checkpoints only when the run is stopped: %d of %s each "
           "do not fit into the %s that '%s' has room for", GENERATIONS, size, there,
           keep->out->folder);
  log_record(keep->log, "%s", keep->said);
  return TRM_OK;
}

static trm_status check_room(keeper *keep, const session *run)
{
  struct statvfs disk;
  uint64_t bytes;
  char size[32], room[32], often[96] = ": the first after 10 minutes, then at intervals chosen by "
                                       "their cost";
  TRM_TRY(keep_size(run->solver, &bytes));
  const int folder = trmi_place_open(keep->out->folder, O_PATH | O_DIRECTORY);
  const int error = folder < 0 || fstatvfs(folder, &disk) != 0 ? errno : 0;
  if (folder >= 0) close(folder);
  if (error)
    return TRM_FAIL(IO, "cannot see how much room '%s' has: %s", keep->out->folder,
                    strerror(error));
  const double there = (double)disk.f_bavail * (double)disk.f_frsize;
  if (GENERATIONS * (double)bytes > there) return no_room(keep, (double)bytes, there);
  print_bytes(GENERATIONS * (double)bytes, size);
  print_bytes(there, room);
  if (keep->every > 0) print_seconds(keep->every, often);
  snprintf(keep->said, sizeof keep->said, "checkpoints%s%s; up to %s, of %s free",
           keep->every > 0 ? " every " : "", often, size, room);
  log_record(keep->log, "%s", keep->said);
  return TRM_OK;
}

trm_status keep_open(keeper *keep, const session *run, results *out, int is_again)
{
  const run_settings *settings = &run->chosen->settings;
  keep->chosen = run->chosen;
  keep->out = out;
  keep->log = out->log;
  keep->every = settings->keep_every;
  keep->began = clock_now();
  keep->said[0] = 0;
  json_decref(keep->marks);
  keep->marks = NULL;
  TRM_TRY(keep_marks(run->chosen->config, &keep->marks));
  if (!is_again) {
    trm_checkpoint_forget(&keep->series);
    keep->step = 0;
  }
  if (keep_missing(run->solver)) return cannot(keep, keep_missing(run->solver));
  return settings->keep_every != 0 ? check_room(keep, run) : TRM_OK;
}

void keep_close(keeper *keep)
{
  json_decref(keep->inputs);
  json_decref(keep->marks);
  trm_checkpoint_forget(&keep->series);
  json_decref(keep->parts);
  *keep = (keeper){0};
}

/* ---- when ------------------------------------------------------------------------- */

int keep_wants(keeper *keep, const session *run)
{
  const double now = clock_now();
  (void)run;
  if (keep->missing || !keep->out) return 0;
  if (atomic_load(&keep->wanted)) return 1;
  if (keep->every == 0) return 0;
  if (keep->due == 0) keep->due = now + (keep->every > 0 ? keep->every : first_seconds);
  return now >= keep->due;
}

/* cost: seconds that the last one took. */
static double next_after(const keeper *keep, double cost)
{
  if (keep->every >= 0) return keep->every;
  const double best = sqrt(2 * cost * keep->chosen->settings.mtbf);
  return fmin(fmax(best, least_seconds), most_seconds);
}

/* ---- what --------------------------------------------------------------------------- */

typedef struct sink {
  trm_checkpoint *to;
  trm_type type;
  int is_finite;                         /* every value so far */
} sink;

static trm_status write_elements(void *user, const void *elements, size_t count)
{
  sink *s = user;
  s->is_finite &= session_are_finite(s->type, elements, count);
  return trm_checkpoint_write(s->to, elements, count * trm_type_size(s->type));
}

typedef struct shared {
  trm_checkpoint *to;
  const trm_field *field;
} shared;

static trm_status write_runs(void *user, const trmi_run *runs, size_t count)
{
  const shared *s = user;
  return trm_checkpoint_runs(s->to, s->field->buffer, s->field->type, runs, count);
}

/* Each rank what it has. */
static trm_status write_shared(trm_checkpoint *to, const session *run, const trm_field *field,
                               const trm_checkpoint_array *array)
{
  int is_finite = 1;
  shared s = {to, field};
  TRM_TRY(trm_checkpoint_shared_part(to, array));
  TRM_TRY(trmi_field_walk_runs(field, write_runs, &s));
  TRM_TRY(trm_checkpoint_shared_end(to, &is_finite));
  if (is_finite || field->flags & TRM_FIELD_MEAN) return TRM_OK;
  return divergence_find(run->solver, field, 0, run->steps_done);
}

/* A mean may have seen no time yet; what it is of is looked at. */
static trm_status write_field(trm_checkpoint *to, const session *run, const trm_field *field)
{
  size_t rows, nx;
  trmi_field_stored(field, &rows, &nx);
  const trm_checkpoint_array array = {field->name, field->type, (size_t)field->components, rows,
                                      nx};
  sink s = {to, field->type, 1};
  TRM_TRY(trm_field_require_whole(field, "a checkpoint"));
  if (trmi_saving_is_shared(run->device)) return write_shared(to, run, field, &array);
  TRM_TRY(trm_checkpoint_part(to, &array, 0, rows));
  TRM_TRY(trmi_field_walk_stored(field, write_elements, &s));
  if (!s.is_finite && !(field->flags & TRM_FIELD_MEAN))
    TRM_TRY(divergence_find(run->solver, field, 0, run->steps_done));
  return trm_checkpoint_end(to);
}

static trm_status write_kept(trm_checkpoint *to, const trm_kept *kept)
{
  const trm_checkpoint_array array = {kept->name, kept->type, 1, 1, kept->count};
  const size_t size = trm_type_size(kept->type), bytes = kept->count * size;
  void *values = malloc(bytes);
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for '%s'", kept->name);
  trm_status status = trm_buffer_read(kept->buffer, kept->first * size, bytes, values);
  if (status == TRM_OK) status = trm_checkpoint_part(to, &array, 0, 1);
  if (status == TRM_OK) status = trm_checkpoint_write(to, values, bytes);
  if (status == TRM_OK) status = trm_checkpoint_end(to);
  free(values);
  return status;
}

/* The user is told once of a rank that cannot write. */
static trm_status share(keeper *keep, trm_checkpoint *to, const session *run)
{
  char *blind = NULL;
  if (!trmi_saving_is_shared(run->device)) return TRM_OK;
  TRM_TRY(trm_checkpoint_share(to, run->device, &blind));
  if (blind && !keep->is_blind) log_say(keep->log, TRM_LOG_WARNING, "%s", blind);
  keep->is_blind = blind != NULL;
  free(blind);
  return TRM_OK;
}

static trm_status write_state(keeper *keep, trm_checkpoint *to, const session *run)
{
  const trm_solver *solver = run->solver;
  TRM_TRY(share(keep, to, run));
  for (size_t i = 0; i < solver->field_count; i++)
    if (solver->fields[i].flags & TRM_FIELD_KEPT)
      TRM_TRY(write_field(to, run, &solver->fields[i]));
  for (size_t i = 0; i < solver->kept_count; i++) TRM_TRY(write_kept(to, &solver->kept[i]));
  return TRM_OK;
}

/* The case, and the list of .vti files so far. */
static trm_status write_texts(const keeper *keep, trm_checkpoint *to)
{
  char *text = NULL;
  TRM_TRY(trm_config_print(keep->chosen->config, keep->chosen->type->name, &text));
  trm_status status = trm_checkpoint_text(to, "case.conf", text);
  free(text);
  text = NULL;
  if (status == TRM_OK) status = results_read_collection(keep->out, &text);
  if (status == TRM_OK && text) status = trm_checkpoint_text(to, "fields.pvd", text);
  free(text);
  return status;
}

json_t *keep_parts(const keeper *keep, const session *run)
{
  const trm_device_info *device = trm_device_describe(run->device);
  char id[64];
  json_t *parts = keep->parts ? json_copy(keep->parts) : json_array();
  snprintf(id, sizeof id, "%s:%zu", device->backend, device->index);
  json_array_append_new(parts, json_pack("{s:I, s:I, s:s, s:o, s:o}", "from",
                                         (json_int_t)run->begun, "to", (json_int_t)run->steps_done,
                                         "device", id, "name", json_text(device->name), "seconds",
                                         json_number(clock_now() - keep->began)));
  return parts;
}

static trm_status make_manifest(const keeper *keep, const session *run, json_t **out)
{
  const run_settings *settings = &keep->chosen->settings;
  char fingerprint[33];
  TRM_TRY(session_print(run, fingerprint));
  json_begin();
  json_t *manifest = json_pack(
    "{s:s, s:s, s:o, s:I, s:s, s:s, s:s, s:b, s:o, s:O, s:f, s:o, s:o, s:{s:I, s:o}}", "trireme",
    trm_version(),
    "solver", keep->chosen->type->name, "case", json_text(keep->chosen->name), "state_version",
    (json_int_t)keep->chosen->type->state_version, "precision",
    trm_precision_name(settings->solver.precision), "math", trm_math_name(settings->solver.math),
    "fingerprint", fingerprint, "from_files", keep->chosen->is_from_files, "parts",
    keep_parts(keep, run), "inputs", keep->inputs, "outputs", run->outputs, "device",
    json_opened(run->device), "written", json_written(), "steady", "steps",
    (json_int_t)(run->steady_steps + run->before_steps), "seconds",
    json_number(run->times.steady + run->before_seconds));
  if (!json_is_whole(manifest)) {
    json_decref(manifest);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the manifest of a checkpoint");
  }
  *out = manifest;
  return TRM_OK;
}

static trm_status write_all(keeper *keep, session *run, uint64_t *bytes)
{
  trm_checkpoint *to = NULL;
  json_t *manifest = NULL;
  if (!keep->inputs) TRM_TRY(keep_inputs(keep->chosen->config, keep->marks, &keep->inputs));
  TRM_TRY(trm_checkpoint_begin(keep->out->folder, run->steps_done, run->solver->time, &to));
  trm_status status = write_state(keep, to, run);
  if (status == TRM_OK) status = write_texts(keep, to);
  if (status == TRM_OK)
    status = trm_checkpoint_series(to, &keep->series, run->series, run->series_count);
  if (status == TRM_OK) status = make_manifest(keep, run, &manifest);
  if (status == TRM_OK) status = results_sync(keep->out, run, keep->step);
  *bytes = trm_checkpoint_bytes(to);
  if (status == TRM_OK) status = trm_checkpoint_commit(&to, manifest);
  trm_checkpoint_follow(&keep->series, status == TRM_OK ? manifest : NULL);
  if (to) {
    const trm_error cause = *trm_error_last();
    trm_checkpoint_drop(&to);
    status = trm_error_record(status, cause.file, cause.line, "%s", cause.text);
  }
  json_decref(manifest);
  return status;
}

/* Reports the cause of the failure, and the checkpoint that exists. */
static trm_status tell_divergence(const keeper *keep)
{
  const trm_error cause = *trm_error_last();
  char last[96] = "";
  if (keep->step > 0)
    snprintf(last, sizeof last, "; the checkpoint of step %llu is kept",
             (unsigned long long)keep->step);
  return trm_error_record(TRM_ERROR_DIVERGED, cause.file, cause.line, "%s%s", cause.text, last);
}

trm_status keep_write(keeper *keep, session *run)
{
  char size[32], cost[32], next[32];
  uint64_t bytes = 0;
  const double begin = clock_now();
  /* with checkpoints off, a stop leaves none either */
  if (keep->missing || !keep->out || !keep->out->folder) return TRM_OK;
  if (keep->chosen->settings.keep_every == 0 && !atomic_load(&keep->wanted)) return TRM_OK;
  atomic_store(&keep->wanted, 0);
  const int is_there = keep->step == run->steps_done && run->steps_done > 0;
  const trm_status status = is_there ? TRM_OK : write_all(keep, run, &bytes);
  const double seconds = clock_now() - begin, pause = next_after(keep, seconds);
  run->times.output += seconds;
  keep->seconds += seconds;
  keep->due = clock_now() + pause;
  run->is_kept = status == TRM_OK && run->stopped;
  if (status == TRM_ERROR_DIVERGED) return tell_divergence(keep);
  if (status != TRM_OK && trmi_saving_is_cut_off(run->device)) return status;
  if (status != TRM_OK) {
    log_say(keep->log, TRM_LOG_WARNING, "no checkpoint was written at step %llu: %s; the run "
            "continues, and the checkpoint before it is kept", (unsigned long long)run->steps_done,
            trm_error_last()->text);
    return TRM_OK;
  }
  if (is_there) return TRM_OK;
  keep->written++;
  keep->step = run->steps_done;
  print_bytes((double)bytes, size);
  print_seconds(seconds, cost);
  print_seconds(pause, next);
  log_record(keep->log, "checkpoint at step %llu: %s in %s%s%s",
             (unsigned long long)run->steps_done, size, cost, pause > 0 && !run->stopped ?
             "; the next one in " : "", pause > 0 && !run->stopped ? next : "");
  return TRM_OK;
}
