/* command_run.c - `trireme run`: one case on one device, its results in a folder. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/counters.h"
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "run/json_parts.h"
#include "run/parts.h"
#include "run/results.h"
#include "run/run.h"
#include "cli/running.h"
#include "run/text/json.h"

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

/* Facts that a dry run finds on the device; 0: unknown. */
typedef struct forecast {
  uint64_t memory, steps;      /* steps that were made to learn the time */
  size_t devices;              /* that share the work; 0: a single device */
  uint64_t *parts;             /* of each of them, its memory: own rows and those beside them */
  char whole[512];             /* which have memory for whole buffers, and why; "" none */
  double seconds;              /* of the whole run */
  results_memory outputs;
} forecast;

static trm_status find_whole(const trm_device *device, forecast *out)
{
  trm_device_part *parts = calloc(out->devices + 1, sizeof *parts);
  size_t used = 0;
  if (!parts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu devices", out->devices);
  trm_device_parts(device, out->devices, parts);
  for (size_t i = 0; i < out->devices; i++) {
    const char *why = trm_device_whole(device, i);
    if (why && used < sizeof out->whole)
      used += (size_t)snprintf(out->whole + used, sizeof out->whole - used, "%s%s:%zu (%s)",
                               used ? ", " : "", parts[i].info->backend, parts[i].info->index, why);
  }
  free(parts);
  return TRM_OK;
}

static trm_status find_parts(const trm_device *device, forecast *out)
{
  out->devices = trm_device_parts(device, 0, NULL);
  out->parts = calloc(out->devices + 1, sizeof *out->parts);
  if (!out->parts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu devices", out->devices);
  for (size_t i = 0; i < out->devices; i++) out->parts[i] = trm_device_part_bytes(device, i);
  return find_whole(device, out);
}

/* Estimates the time of the whole run from its first step; if that is short, from further steps
 * that take 0.3 s. */
static trm_status estimate_time(const run_case *chosen, trm_device *device, forecast *out)
{
  session run;
  trm_status status = session_begin(&run, chosen, device, NULL);
  session_goal goal = session_case_end(&run);
  const session_goal first = {1, goal.time, INFINITY};
  goal.seconds = 0.3;
  if (status == TRM_OK) status = results_foresee(chosen, &run, &out->outputs);
  if (status == TRM_OK) status = session_advance(&run, &first);
  if (status == TRM_OK && run.times.loop < goal.seconds) status = session_advance(&run, &goal);
  if (status == TRM_OK && run.steady_steps > 0) {
    const run_settings *settings = &chosen->settings;
    const double step = run.times.steady / (double)run.steady_steps, time = run.solver->time;
    out->steps = run.steps_done;
    out->seconds = step * (double)settings->steps;
    if (isfinite(settings->end_time) && time > 0)
      out->seconds = fmin(out->seconds,
                          step * (double)run.steps_done * settings->end_time / time);
  }
  if (status == TRM_OK) status = find_parts(device, out);
  session_end(&run);
  const uint64_t taken = trm_device_counters(device).most_bytes; /* a grid may have grown already */
  if (status == TRM_OK && (taken > out->memory || out->devices > 0)) out->memory = taken;
  return status;
}

/* The device memory that the solver would allocate; 0: it cannot tell in advance. */
static trm_status estimate_memory(const run_case *chosen, trm_device *device, uint64_t *memory)
{
  if (!chosen->type->memory) return TRM_OK;
  TRM_TRY(chosen->type->memory(device, chosen->config, &chosen->settings.solver, memory));
  return trm_device_require(device, *memory, "this case");
}

static trm_status estimate(const run_case *chosen, trm_device *device, forecast *out)
{
  TRM_TRY(estimate_memory(chosen, device, &out->memory));
  return estimate_time(chosen, device, out);
}

/* An unknown backend is refused, as a run would refuse it. If it is not ready, or the case does not
 * suit it, a warning says so: the case may be meant for another machine. */
static trm_status try_backend(const run_case *chosen, forecast *out)
{
  trm_context *context = NULL;
  trm_device *device = NULL;
  run_parts *parts = NULL;
  run_case own = *chosen;       /* its solver's table may become that of all parts */
  const char *name = chosen->settings.backend;
  TRM_TRY(listing_context(&context));
  trm_status status = parts_open_device(&own, context, &parts, &device);
  if (status == TRM_OK && estimate(&own, device, out) != TRM_OK)
    message_warning("here this case would not run: %s", trm_error_last()->text);
  const trm_error cause = *trm_error_last();
  if (status != TRM_OK && (status != TRM_ERROR_NOT_FOUND || is_backend(context, name))) {
    message_warning("here this case would not run: %s", cause.text);
    status = TRM_OK;
  } else if (status != TRM_OK) {
    (void)trm_error_record(status, cause.file, cause.line, "%s", cause.text);
  }
  parts_close(&parts, &own, &device);
  trm_context_destroy(&context);
  return status;
}

static double host_bytes(const forecast *found)
{
  return found->outputs.fields + found->outputs.series + found->outputs.room;
}

/* The case with every key and where its value comes from, as one object. */
static trm_status show_case(const run_case *chosen, const forecast *found)
{
  json_t *out = json_document("case"), *origins = json_object();
  if (!out || !origins) {
    json_decref(out);
    json_decref(origins);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the case as JSON");
  }
  for (size_t i = 0; i < trm_config_count(chosen->config); i++) {
    const char *key = trm_config_option(chosen->config, i)->key;
    json_object_set_new(origins, key, json_text(trm_config_origin(chosen->config, key)));
  }
  json_object_set_new(out, "solver", json_text(chosen->type->name));
  json_object_set_new(out, "case", json_text(chosen->name));
  json_object_set_new(out, "config", json_config(chosen->config));
  json_object_set_new(out, "origins", origins);
  if (found->memory)
    json_object_set_new(out, "memory_bytes", json_integer((json_int_t)found->memory));
  if (host_bytes(found) > 0) json_object_set_new(out, "host_bytes", json_number(host_bytes(found)));
  json_t *parts = found->parts ? json_array() : NULL;
  for (size_t i = 0; parts && i < found->devices; i++)
    json_array_append_new(parts, json_integer((json_int_t)found->parts[i]));
  if (found->devices > 0 && parts) json_object_set(out, "memory_bytes_of_each", parts);
  json_decref(parts);
  json_object_set_new(out, "seconds", found->steps ? json_number(found->seconds) : json_null());
  return listing_show(out);
}

/* "20.1 MiB", or of several devices "20.1 MiB, 10.3 MiB"; of many the most. */
static void name_memory(const forecast *found, char *text, size_t size)
{
  enum { MANY = 8 };
  char one[32];
  size_t used = 0;
  listing_bytes(found->memory, text, size);
  if (found->devices > MANY && strlen(text) + 40 < size)
    snprintf(text + strlen(text), size - strlen(text), " at most, on each of %zu devices",
             found->devices);
  for (size_t i = 0; i < found->devices && found->devices <= MANY; i++) {
    listing_bytes(found->parts[i], one, sizeof one);
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", one);
  }
}

/* The case as it would run: as a case.conf, or every key with its value and origin as JSON. */
static trm_status show_forecast(const run_case *chosen, const forecast *found, int as_json)
{
  char *text = NULL;
  if (as_json) return show_case(chosen, found);
  TRM_TRY(trm_config_print(chosen->config, chosen->type->name, &text));
  const char *folder = chosen->settings.folder;
  if (folder[0]) listing_folder("# results in ", folder);
  else printf("# results in results/%s-NNNN\n", chosen->name);
  char memory[320], outputs[32], time[64] = "unknown: the case does not run here";
  name_memory(found, memory, sizeof memory);
  listing_bytes((uint64_t)host_bytes(found), outputs, sizeof outputs);
  if (found->steps) listing_duration(found->seconds, time, sizeof time);
  printf("# memory on %s: %s\n# memory of the host for outputs and series: %s\n# time on %s: %s",
         chosen->settings.backend, memory, outputs, chosen->settings.backend, time);
  if (found->steps)
    printf(", without outputs (estimated from %llu steps made now)",
           (unsigned long long)found->steps);
  printf("\n");
  if (found->whole[0]) printf("# memory for whole buffers on each device: %s\n", found->whole);
  fputs(text, stdout);
  free(text);
  return TRM_OK;
}

static trm_status dry_run(const run_case *chosen, int as_json)
{
  forecast found = {0};
  trm_status status = try_backend(chosen, &found);
  if (status == TRM_OK) status = show_forecast(chosen, &found, as_json);
  free(found.parts);
  return status;
}

static exit_code dry_run_of(const arguments *args)
{
  run_case chosen;
  const case_request wanted = arguments_case(args);
  trm_status status = case_create(&wanted, &chosen);
  if (status == TRM_OK) status = dry_run(&chosen, args->json);
  const exit_code code = message_failure(status);
  case_clear(&chosen);
  return code;
}

/* ---- the run ------------------------------------------------------------------ */

/* Makes every check that can refuse the run. */
static trm_status prepare(running *r, const arguments *args)
{
  if (args->operand_count == 0)
    return TRM_FAIL(INPUT,
                    "no case given; name one of 'trireme cases', a folder with case.conf, or a "
                    "solver and its files");
  TRM_TRY(running_open(r, args, 0));
  const trm_run_info *info = trm_run_describe(r->run);
  if (info->tuned[0]) message_note("%s", info->tuned);
  TRM_TRY(trm_run_keep(r->run, NULL));
  running_say_checkpoints(r);
  return TRM_OK;
}

exit_code command_run(const arguments *args)
{
  running r = {.run = NULL};
  if (args->dry_run) return dry_run_of(args);
  const trm_status status = prepare(&r, args);
  if (status == TRM_OK) return running_finish(&r, args);
  const exit_code code = message_failure(status);
  running_close(&r);
  return code;
}
