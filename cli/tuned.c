/* tuned.c - the files of `trireme tune`, written whole or not at all. */
#include "cli/tuned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "cli/json.h"
#include "cli/message.h"
#include "core/watch.h"
#include "io/file.h"

enum { LINE_BYTES = 1024, JSON_LIMIT = 1 << 16 };

/* Everything that a choice depends on. Threads are none of it: they are tuned. */
static void conditions_of(const trm_device *device, const trm_solver *solver,
                          const trm_solver_options *options, char *line)
{
  const trm_device_info *info = trm_device_describe(device);
  const int class = solver->cells > 1 ? (int)floor(log2(solver->cells)) : 0;
  snprintf(line, LINE_BYTES, "%s; %s; %s; %s; %s; %d units; trireme %s; solver %s; %s; %s; 2^%d %s",
           info->backend, info->name, info->driver, info->compiler, info->isa, info->compute_units,
           trm_version(), solver->type->name, trm_precision_name(options->precision),
           trm_math_name(options->math), class, solver->counted ? solver->counted
                                                                : solver->type->update_name);
}

static trm_status path_of(const trm_context *context, const char *line, char **path)
{
  char name[64];
  XXH128_canonical_t hash;
  const char *folder = trmi_context_folder(context);
  if (!folder[0])
    return TRM_FAIL(IO, "there is no cache folder to keep it in; set TRIREME_CACHE_DIR or HOME");
  XXH128_canonicalFromHash(&hash, XXH3_128bits(line, strlen(line)));
  int used = snprintf(name, sizeof name, "tuned-");
  for (size_t i = 0; i < sizeof hash.digest; i++)
    used += snprintf(name + used, sizeof name - (size_t)used, "%02x", hash.digest[i]);
  snprintf(name + used, sizeof name - (size_t)used, ".json");
  return trm_path_join(folder, name, path);
}

trm_status tuned_store(const trm_context *context, const trm_device *device,
                       const trm_solver *solver, const trm_solver_options *options,
                       const tuned *found, char **path)
{
  char line[LINE_BYTES], *file = NULL, *text = NULL;
  conditions_of(device, solver, options, line);
  TRM_TRY(path_of(context, line, &file));
  json_t *document = json_document("tuned"), *values = json_object();
  for (size_t i = 0; i < found->count; i++)
    json_object_set_new(values, found->values[i].key, json_text(found->values[i].text));
  json_object_set_new(document, "format", json_integer(TUNED_FORMAT));
  json_object_set_new(document, "conditions", json_text(line));
  json_object_set_new(document, "gain", json_number(found->gain));
  json_object_set_new(document, "values", values);
  text = json_dumps(document, JSON_INDENT(2));
  json_decref(document);
  trm_status status = text ? trm_file_save(file, text, strlen(text))
                           : TRM_FAIL(NO_HOST_MEMORY, "no memory for what was tuned");
  free(text);
  if (status == TRM_OK) *path = file;
  else free(file);
  return status;
}

/* ---- loading ------------------------------------------------------------------ */

/* NULL where all is well, else what is wrong. */
static const char *read_document(const json_t *document, const char *line, tuned *out)
{
  const char *key;
  json_t *value;
  json_t *values = json_object_get(document, "values");
  const char *kept = json_string_value(json_object_get(document, "conditions"));
  const json_t *gain = json_object_get(document, "gain");
  if (json_integer_value(json_object_get(document, "format")) != TUNED_FORMAT)
    return "it is of another format";
  if (!kept || strcmp(kept, line) != 0) return "it is about another device or solver";
  if (!json_is_object(values) || json_object_size(values) > TUNED_LIMIT || !json_is_number(gain))
    return "it is damaged";
  out->gain = json_number_value(gain);
  json_object_foreach(values, key, value) {
    tuned_value *added = &out->values[out->count++];
    const char *text = json_string_value(value);
    if (!text || strlen(text) >= sizeof added->text || strlen(key) >= sizeof added->key)
      return "it is damaged";
    snprintf(added->key, sizeof added->key, "%s", key);
    snprintf(added->text, sizeof added->text, "%s", text);
  }
  return NULL;
}

int tuned_load(const trm_context *context, const trm_device *device, const trm_solver *solver,
               const trm_solver_options *options, tuned *out)
{
  char line[LINE_BYTES], *path = NULL, *text = NULL;
  tuned read = {.count = 0};
  conditions_of(device, solver, options, line);
  if (!trmi_context_folder(context)[0] || path_of(context, line, &path) != TRM_OK) return 0;
  const char *wrong = NULL;
  const int is_there = access(path, F_OK) == 0;
  if (is_there && trm_file_load(path, JSON_LIMIT, &text, NULL) != TRM_OK)
    wrong = "it cannot be read";
  json_t *document = text ? json_loads(text, 0, NULL) : NULL;
  if (is_there && !wrong) wrong = document ? read_document(document, line, &read) : "it is no JSON";
  if (wrong)
    message_warning("%s, which 'trireme tune' wrote, is not used: %s; tune again, or remove it",
                    path, wrong);
  json_decref(document);
  free(text);
  free(path);
  if (is_there && !wrong) *out = read;
  return is_there && !wrong;
}

/* ---- using -------------------------------------------------------------------- */

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

trm_status tuned_apply(const tuned *found, run_case *chosen, int *changed)
{
  char list[512] = "";
  *changed = 0;
  for (size_t i = 0; i < found->count; i++) {
    const tuned_value *v = &found->values[i];
    const size_t used = strlen(list);
    if (!promises_same_result(chosen, v->key)) {
      message_warning("'trireme tune' kept the key %s, which may change results now, or is none; "
                      "it is left aside", v->key);
      continue;
    }
    if (!tuned_is_free(chosen, v->key)) continue;
    *changed |= strcmp(trm_config_text(chosen->config, v->key), v->text) != 0;
    TRM_TRY(trm_config_set_ranked(chosen->config, v->key, v->text, TRM_RANK_DEFAULT,
                                  "trireme tune"));
    snprintf(list + used, sizeof list - used, "%s%s=%s", used ? ", " : "", v->key, v->text);
  }
  if (!*changed) return TRM_OK;
  message_note("tuned for this device: %s (%.3g times the default's speed when it was measured); "
               "--no-tuned leaves it out", list, found->gain);
  return settings_read(chosen->config, &chosen->settings);
}
