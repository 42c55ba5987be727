/* tuned.c - what `trireme tune` keeps, and how a run takes it over. */
#include "run/tuned.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/measure/cached.h"
#include "run/text/json.h"
#include "run/text/text.h"
#include "core/trace.h"
#include "core/program_text.h"

/* Everything that a choice depends on. Threads are no part of it: they are tuned. */
static void conditions_of(const trm_device *device, const trm_solver *solver,
                          const trm_solver_options *options, char *line)
{
  const trm_device_info *info = trm_device_describe(device);
  const int class = solver->cells > 1 ? (int)floor(log2(solver->cells)) : 0;
  snprintf(line, CACHED_LINE, "%s; %s; %s; %s; %s; %d units; trireme %s; solver %s; %s; %s; 2^%d "
           "%s; text %016" PRIx64,
           info->backend, info->name, info->driver, info->compiler, info->isa, info->compute_units,
           trm_version(), solver->type->name, trm_precision_name(options->precision),
           trm_math_name(options->math), class, solver->counted ? solver->counted
                                                                : solver->type->update_name,
           trmi_program_text(solver->program));
}

static cached about(const char *line)
{
  return (cached){"tuned", line, TUNED_FORMAT, "trireme tune"};
}

trm_status tuned_store(const trm_context *context, const trm_device *device,
                       const trm_solver *solver, const trm_solver_options *options,
                       const tuned *found, char **path)
{
  char line[CACHED_LINE];
  conditions_of(device, solver, options, line);
  const cached kept = about(line);
  json_t *content = json_object(), *values = json_object();
  for (size_t i = 0; i < found->count; i++)
    json_object_set_new(values, found->values[i].key, json_text(found->values[i].text));
  json_object_set_new(content, "gain", json_number(found->gain));
  json_object_set_new(content, "values", values);
  return cached_store(context, &kept, content, path);
}

/* ---- loading ------------------------------------------------------------------ */

/* 1 where it makes sense. */
static int read_document(const json_t *document, tuned *out)
{
  const char *key;
  json_t *value;
  json_t *values = json_object_get(document, "values");
  const json_t *gain = json_object_get(document, "gain");
  if (!json_is_object(values) || json_object_size(values) > TUNED_LIMIT || !json_is_number(gain))
    return 0;
  out->gain = json_number_value(gain);
  json_object_foreach(values, key, value) {
    tuned_value *added = &out->values[out->count++];
    const char *text = json_string_value(value);
    if (!text || strlen(text) >= sizeof added->text || strlen(key) >= sizeof added->key) return 0;
    snprintf(added->key, sizeof added->key, "%s", key);
    snprintf(added->text, sizeof added->text, "%s", text);
  }
  return 1;
}

int tuned_load(const trm_context *context, const trm_device *device, const trm_solver *solver,
               const trm_solver_options *options, tuned *out)
{
  char line[CACHED_LINE];
  tuned read = {.count = 0};
  conditions_of(device, solver, options, line);
  const cached kept = about(line);
  json_t *document = cached_load(context, &kept);
  const int is_sound = document && read_document(document, &read);
  if (document && !is_sound) cached_refuse(context, &kept, "it is damaged");
  json_decref(document);
  if (is_sound) *out = read;
  return is_sound;
}

/* ---- using -------------------------------------------------------------------- */

/* The present name of a stored key, which may have its former name. */
static const char *key_of(const run_case *chosen, const tuned_value *v)
{
  const char *present = trm_config_present_key(chosen->config, v->key);
  return present ? present : v->key;
}

static int promises_same_result(const run_case *chosen, const char *key)
{
  for (size_t i = 0; i < trm_config_count(chosen->config); i++) {
    const trm_option *option = trm_config_option(chosen->config, i);
    if (strcmp(option->key, key) == 0) return (option->flags & TRM_OPTION_SAME_RESULT) != 0;
  }
  return 0;
}

int tuned_is_free(const run_case *chosen, const char *key)
{
  return strcmp(trm_config_origin(chosen->config, key), "the default") == 0;
}

/* A form of several steps a launch gives way to another number of them. */
static int is_contradicted(const run_case *chosen, const tuned_value *v)
{
  const int64_t steps = trm_config_integer(chosen->config, "run.steps_per_launch");
  return strcmp(v->key, "run.steps_shape") == 0 && steps != 0 && steps != atoi(v->text);
}

trm_status tuned_apply(const trm_context *context, const tuned *found, run_case *chosen,
                       char line[TUNED_LINE])
{
  char list[512] = "";
  int changed = 0;
  line[0] = 0;
  for (size_t i = 0; i < found->count; i++) {
    const tuned_value *v = &found->values[i];
    const char *key = key_of(chosen, v);
    if (!promises_same_result(chosen, key)) {
      trmi_context_say(context, TRM_LOG_WARNING, "'trireme tune' kept the key %s: ignored: it no "
                       "longer exists, or may change results", key);
      continue;
    }
    if (!tuned_is_free(chosen, key) || is_contradicted(chosen, v)) continue;
    changed |= strcmp(trm_config_text(chosen->config, key), v->text) != 0;
    TRM_TRY(trm_config_set_ranked(chosen->config, key, v->text, TRM_RANK_DEFAULT,
                                  "trireme tune"));
    text_append(list, sizeof list, "%s%s=%s", *list ? ", " : "", key, v->text);
  }
  if (!changed) return TRM_OK;
  snprintf(line, TUNED_LINE, "tuned for this device: %s (%.3g times the default's speed when it "
           "was measured); --no-tuned leaves it out", list, found->gain);
  return settings_read(chosen->config, &chosen->settings);
}
