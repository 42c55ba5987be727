/* candidate.c - devices, runs and names of the candidates. */
#include "cli/compare/candidate.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "run/measure/clock.h"
#include "run/measure/conditions.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "run/json_parts.h"
#include "run/parts.h"
#include "run/text/json.h"
#include "run/text/text.h"
#include "run/tuned.h"

/* Several devices are opened to be described. */
static trm_status open_first(const candidate_devices *all, const run_case *chosen,
                             candidate_device *out)
{
  run_parts *parts = NULL;
  run_case own = *chosen;
  if (!out->is_several) {
    TRM_TRY(case_open_on(chosen, all->context, out->spec, out->origin, &out->device));
    out->info = *trm_device_describe(out->device);
    return TRM_OK;
  }
  trm_device *device = NULL;
  TRM_TRY(parts_open_on(&own, all->context, out->spec, out->origin, &parts, &device));
  out->info = *trm_device_describe(device);
  parts_close(&parts, &own, &device);
  return TRM_OK;
}

/* The device of that name with the case's options, opened where none is. */
static trm_status find_device(candidate_devices *all, const char *spec, const run_case *chosen,
                              const char *origin, size_t *out)
{
  const trm_device_options *y = &chosen->settings.device;
  for (size_t i = 0; i < all->count; i++) {
    const trm_device_options *x = &all->list[i].options;
    *out = i;
    if (strcmp(all->list[i].spec, spec) == 0 && x->threads == y->threads &&
        x->wavefront == y->wavefront && x->plain_replay == y->plain_replay &&
        x->steps_per_launch == y->steps_per_launch && x->shape_columns == y->shape_columns &&
        x->shape_rows == y->shape_rows && x->shape_is_tile == y->shape_is_tile &&
        x->plain_host == y->plain_host && x->residency == y->residency &&
        x->no_overlap == y->no_overlap && x->read_only_loads == y->read_only_loads &&
        (all->list[i].info.has_f64 || chosen->settings.solver.precision == TRM_F32))
      return TRM_OK;
  }
  candidate_device *grown = realloc(all->list, (all->count + 1) * sizeof *grown);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the devices");
  all->list = grown;
  *out = all->count++;
  candidate_device *added = &grown[*out];
  *added = (candidate_device){.options = *y, .origin = origin, .is_several = parts_are_named(spec)};
  snprintf(added->spec, sizeof added->spec, "%s", spec);
  TRM_TRY(open_first(all, chosen, added));
  energy_open(&added->meter, &added->info, "/sys/class/powercap");
  return TRM_OK;
}

void candidate_devices_close(candidate_devices *all)
{
  for (size_t i = 0; i < all->count; i++) {
    energy_close(&all->list[i].meter);
    trm_device_close(&all->list[i].device);
  }
  free(all->list);
  *all = (candidate_devices){0};
}

trm_status candidate_create(const variation *cases, size_t index, const char *on,
                            const char *origin, candidate_devices *devices, candidate *out)
{
  const run_case *chosen = &cases->cases[index];
  const trm_solver_options *options = &chosen->settings.solver;
  benchmark *of = &out->benchmark;
  *out = (candidate){.chosen = chosen, .cases = cases, .case_index = index, .benchmark.repeats = 1};
  snprintf(of->on, sizeof of->on, "%s", on);
  snprintf(of->precision, sizeof of->precision, "%s", trm_precision_name(options->precision));
  snprintf(of->math, sizeof of->math, "%s", trm_math_name(options->math));
  if (!origin) origin = trm_config_origin(chosen->config, chosen->settings.backend_key);
  return find_device(devices, on, chosen, origin, &out->device);
}

void candidate_clear(candidate *one)
{
  benchmark_clear(&one->benchmark);
  if (one->own) case_clear(one->own);
  free(one->own);
  one->own = NULL;
}

/* The tuned values that the cache keeps for it, if any. */
static trm_status find_tuned(const candidate *one, const candidate_devices *devices, tuned *found,
                             int *is_kept)
{
  session run;
  const trm_status status = candidate_begin_on(&run, one->chosen, devices, one->device, NULL);
  *is_kept = status == TRM_OK && tuned_load(devices->context, run.device, run.solver,
                                            &one->chosen->settings.solver, found);
  session_end(&run);
  return status;
}

trm_status candidate_tune(candidate *one, candidate_devices *devices, const arguments *args)
{
  tuned found;
  int is_kept = 0;
  char line[TUNED_LINE];
  TRM_TRY(find_tuned(one, devices, &found, &is_kept));
  if (!is_kept) return TRM_OK;
  one->own = calloc(1, sizeof *one->own);
  if (!one->own) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a tuned case");
  TRM_TRY(variation_case(args, one->cases, one->case_index, one->own));
  TRM_TRY(tuned_apply(devices->context, &found, one->own, line));
  one->chosen = one->own;
  return find_device(devices, one->benchmark.on, one->own, "trireme tune", &one->device);
}

void candidate_say(const candidate *one, char *text, size_t bytes)
{
  const char *name = one->implementation;
  snprintf(text, bytes, "%s%s%s%s%s", name ? name : "", name ? " on " : "", one->benchmark.on,
           one->size ? ", size " : "", one->size ? one->size : "");
  for (size_t a = 0; a < one->cases->axis_count; a++)
    text_append(text, bytes, ", %s=%s", one->cases->axes[a].name,
                variation_value(one->cases, one->case_index, a));
}

json_t *candidate_values(const candidate *one)
{
  json_t *out = json_object();
  for (size_t a = 0; a < one->cases->axis_count; a++)
    json_object_set_new(out, one->cases->axes[a].key,
                        json_text(variation_value(one->cases, one->case_index, a)));
  if (one->size) json_object_set_new(out, "size", json_text(one->size));
  return out;
}

typedef struct watcher {
  progress bar;
  candidate_keeper keep;
} watcher;

static void show_progress(void *user, const session *run)
{
  progress_update(&((watcher *)user)->bar, run);
}

static int wants(void *user, const session *run)
{
  return candidate_keep_wants(&((watcher *)user)->keep, run);
}

static trm_status keep(void *user, session *run)
{
  return candidate_keep_write(&((watcher *)user)->keep, run);
}

static trm_status run_with_hooks(watcher *by, const candidate_order *order, session *run)
{
  if (order->place) {
    TRM_TRY(candidate_keep_open(&by->keep, order->place, run));
    run->hooks.wants = wants;
    run->hooks.keep = keep;
  }
  TRM_TRY(session_run(run));
  return order->place ? candidate_keep_end(&by->keep, run, order->keeps_end) : TRM_OK;
}

void candidate_catch_signals(const char *folder)
{
  static char line[PATH_MAX + 128];
  snprintf(line, sizeof line, "trireme: stopped by the user; finished runs are kept: the same "
           "command with --output=%s goes on from there\n", folder);
  process_catch_early(line);
  process_catch_signals(NULL);
}

trm_status candidate_open(session *run, const run_case *chosen, const candidate_devices *all,
                          size_t device, const session_hooks *hooks)
{
  const candidate_device *of = &all->list[device];
  return of->is_several
         ? session_begin_on(run, chosen, all->context, of->spec, of->origin, hooks)
         : session_begin(run, chosen, of->device, hooks);
}

static trm_status enter(session *run)
{
  *run = (session){0};
  fflush(NULL);                /* such an end keeps no buffer */
  process_catch_early(NULL);
  return atomic_load(&process_interrupted) ? TRM_FAIL(INTERRUPTED, "stopped %s", process_cause())
                                           : TRM_OK;
}

trm_status candidate_begin(session *run, const run_case *chosen, trm_device *device,
                           const session_hooks *hooks)
{
  trm_status status = enter(run);
  if (status == TRM_OK) status = session_begin(run, chosen, device, hooks);
  process_catch_signals(NULL);
  return status;
}

trm_status candidate_begin_on(session *run, const run_case *chosen, const candidate_devices *all,
                              size_t device, const session_hooks *hooks)
{
  trm_status status = enter(run);
  if (status == TRM_OK) status = candidate_open(run, chosen, all, device, hooks);
  process_catch_signals(NULL);
  return status;
}

trm_status candidate_run(const candidate *one, const candidate_devices *devices,
                         const candidate_order *order, run_case *shortened, session *run)
{
  char label[320], name[256];
  watcher by = {.keep.at.lock = -1};
  const session_hooks hooks = {.user = &by, .progress = show_progress,
                               .interrupted = &process_interrupted};
  const double begin = clock_now();
  *shortened = *one->chosen;
  shortened->settings.steps = order->steps;
  candidate_say(one, name, sizeof name);
  snprintf(label, sizeof label, "%s: %s", order->what, name);
  progress_begin(&by.bar, label, order->steps);
  trm_status status = candidate_begin_on(run, shortened, devices, one->device, &hooks);
  run->meter = order->meter;
  if (status == TRM_OK) status = run_with_hooks(&by, order, run);
  run->times.first_step -= begin; /* of this run, not of those before it */
  progress_end(&by.bar);
  candidate_keep_close(&by.keep);
  return status;
}

void candidate_take_tuned(candidate *one, const candidate_devices *devices, const session *run)
{
  char text[400] = "";
  tuned found;
  int is_used = 1;
  const trm_config *config = one->chosen->config;
  const int is_kept = tuned_load(devices->context, run->device, run->solver,
                                 &one->chosen->settings.solver, &found);
  for (size_t i = 0; is_kept && i < found.count; i++) {
    const tuned_value *value = &found.values[i];
    const char *key = trm_config_present_key(config, value->key);
    text_append(text, sizeof text, "%s%s=%s", *text ? " " : "", value->key, value->text);
    is_used &= key && strcmp(trm_config_text(config, key), value->text) == 0;
  }
  json_decref(one->benchmark.tuned);
  one->benchmark.tuned = json_pack("{s:b, s:o, s:b}", "kept", is_kept, "values", json_text(text),
                                   "used", is_kept && is_used);
}

/* Whether this key changes what is asked: where results and checkpoints go does not. */
static int is_asked(const char *key)
{
  return strcmp(key, "output.folder") != 0 && strcmp(key, "run.roof") != 0 &&
         strcmp(key, "run.for") != 0 && strncmp(key, "checkpoint.", 11) != 0;
}

char *candidate_question(const char *kind, const arguments *args, size_t runs, double seconds)
{
  char *question = NULL;
  size_t bytes = 0;
  FILE *text = open_memstream(&question, &bytes);
  if (!text) return NULL;
  fprintf(text, "%s", kind);
  for (size_t i = 0; i < args->operand_count; i++) fprintf(text, " %s", args->operands[i]);
  for (size_t i = 0; i < args->setting_count; i++)
    if (is_asked(args->settings[i].key))
      fprintf(text, " %s=%s", args->settings[i].key, args->settings[i].text);
  for (size_t i = 0; i < args->vary_count; i++) fprintf(text, " --vary=%s", args->vary[i]);
  fprintf(text, " --on=%s --sizes=%s --runs=%zu --seconds=%g", args->on ? args->on : "",
          args->sizes ? args->sizes : "", runs, seconds);
  if (args->tuned) fputs(" --tuned", text);
  if (args->cpu_cores) fprintf(text, " --cpu-cores=%d", args->cpu_cores);
  return fclose(text) == 0 ? question : NULL;
}

void candidate_print_series(const session *run, char text[33])
{
  XXH128_hash_t hash = {0};
  for (size_t i = 0; i < run->series_count; i++)
    hash = XXH3_128bits_withSeed(run->series[i], (size_t)run->steps_done * sizeof **run->series,
                                 hash.low64);
  snprintf(text, 33, "%016llx%016llx", (unsigned long long)hash.high64,
           (unsigned long long)hash.low64);
}

json_t *candidate_document(const char *kind, const candidate *first, json_t *host)
{
  const run_settings *settings = &first->chosen->settings;
  json_t *out = json_document(kind);
  if (!out) return NULL;
  json_object_set_new(out, "written", json_written());
  json_object_set_new(out, "case", json_text(first->chosen->name));
  json_object_set_new(out, "solver", json_text(first->chosen->type->name));
  json_object_set_new(out, "precision", json_text(trm_precision_name(settings->solver.precision)));
  json_object_set_new(out, "math", json_text(trm_math_name(settings->solver.math)));
  json_object_set_new(out, "compile_counted", json_false());
  json_object_set_new(out, "config",
                      json_config(first->cases->cases[first->case_index].config));
  json_object_set_new(out, "roles", benchmark_roles(first->chosen));
  json_object_set_new(out, "conditions", json_pack("{s:O?}", "host", host));
  json_object_set_new(out, "build", conditions_build());
  json_object_set_new(out, "command", conditions_command());
  return out;
}
