/* entrant.c - devices, runs and names of what takes part. */
#include "cli/compare/entrant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure/clock.h"
#include "cli/measure/conditions.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "cli/run/json.h"

/* The device of that name with the case's options, opened where none is. */
static trm_status find_device(trial_devices *all, const char *spec, const run_case *chosen,
                              const char *origin, size_t *out)
{
  const trm_device_options *y = &chosen->settings.device;
  for (size_t i = 0; i < all->count; i++) {
    const trm_device_options *x = &all->list[i].options;
    *out = i;
    if (strcmp(all->list[i].spec, spec) == 0 && x->threads == y->threads &&
        x->wavefront == y->wavefront && x->plain_replay == y->plain_replay &&
        x->steps_per_launch == y->steps_per_launch &&
        (all->list[i].info.has_f64 || chosen->settings.solver.precision == TRM_F32))
      return TRM_OK;
  }
  trial_device *grown = realloc(all->list, (all->count + 1) * sizeof *grown);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the devices");
  all->list = grown;
  *out = all->count++;
  trial_device *added = &grown[*out];
  *added = (trial_device){.options = *y};
  snprintf(added->spec, sizeof added->spec, "%s", spec);
  TRM_TRY(case_open_on(chosen, all->context, spec, origin, &added->device));
  added->info = *trm_device_describe(added->device);
  energy_open(&added->meter, &added->info, "/sys/class/powercap");
  return TRM_OK;
}

void trial_devices_close(trial_devices *all)
{
  for (size_t i = 0; i < all->count; i++) {
    energy_close(&all->list[i].meter);
    trm_device_close(&all->list[i].device);
  }
  free(all->list);
  *all = (trial_devices){0};
}

trm_status entrant_create(const variation *cases, size_t index, const char *on,
                          const char *origin, trial_devices *devices, entrant *out)
{
  const run_case *chosen = &cases->cases[index];
  const trm_solver_options *options = &chosen->settings.solver;
  trial *of = &out->trial;
  *out = (entrant){.chosen = chosen, .cases = cases, .case_index = index, .trial.repeats = 1};
  snprintf(of->on, sizeof of->on, "%s", on);
  snprintf(of->precision, sizeof of->precision, "%s", trm_precision_name(options->precision));
  snprintf(of->math, sizeof of->math, "%s", trm_math_name(options->math));
  if (!origin) origin = trm_config_origin(chosen->config, "run.backend");
  return find_device(devices, on, chosen, origin, &out->device);
}

void entrant_say(const entrant *one, char *text, size_t bytes)
{
  snprintf(text, bytes, "%s%s%s%s%s", one->rung ? one->rung : "", one->rung ? " on " : "",
           one->trial.on, one->size ? ", size " : "", one->size ? one->size : "");
  for (size_t a = 0; a < one->cases->axis_count; a++)
    text_append(text, bytes, ", %s=%s", one->cases->axes[a].name,
                variation_value(one->cases, one->case_index, a));
}

json_t *entrant_values(const entrant *one)
{
  json_t *out = json_object();
  for (size_t a = 0; a < one->cases->axis_count; a++)
    json_object_set_new(out, one->cases->axes[a].key,
                        json_text(variation_value(one->cases, one->case_index, a)));
  if (one->size) json_object_set_new(out, "size", json_text(one->size));
  return out;
}

trm_status entrant_run(const entrant *one, const trial_devices *devices, const char *what,
                       uint64_t steps, run_case *shortened, energy_meter *meter, session *run)
{
  char label[320], name[256];
  progress bar;
  const session_watch watch = {.user = &bar, .progress = progress_update,
                               .interrupted = &process_interrupted};
  const double begin = clock_now();
  *shortened = *one->chosen;
  shortened->settings.steps = steps;
  entrant_say(one, name, sizeof name);
  snprintf(label, sizeof label, "%s: %s", what, name);
  progress_begin(&bar, label, steps);
  trm_status status = session_begin(run, shortened, devices->list[one->device].device, &watch);
  run->meter = meter;
  if (status == TRM_OK) status = session_run(run);
  run->times.first_step -= begin; /* of this run, not of those before it */
  progress_end(&bar);
  return status;
}

json_t *entrant_document(const char *kind, const entrant *first, json_t *host)
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
  json_object_set_new(out, "config", json_config(first->chosen->config));
  json_object_set_new(out, "roles", trial_roles(first->chosen));
  json_object_set_new(out, "conditions", json_pack("{s:O?}", "host", host));
  json_object_set_new(out, "build", conditions_build());
  json_object_set_new(out, "command", conditions_command());
  return out;
}
