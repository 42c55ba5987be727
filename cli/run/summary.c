/* report.c - the table of a run, and the same as JSON.
 *
 * Init, Compute, Collate and Total are the course's own four times: up to the first step, the time
 * loop, what comes after it, and all. */
#include "cli/run/summary.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/measure/conditions.h"
#include "cli/run/json.h"

void report_shape(const trm_solver *solver, char *text, size_t bytes)
{
  if (solver->field_count == 0) {
    snprintf(text, bytes, "%.0f cells", solver->cells);
    return;
  }
  const trm_field *field = &solver->fields[0];
  if (field->nz > 1)
    snprintf(text, bytes, "%zu x %zu x %zu cells", field->nx, field->ny, field->nz);
  else if (field->ny > 1) snprintf(text, bytes, "%zu x %zu cells", field->nx, field->ny);
  else snprintf(text, bytes, "%zu elements", field->nx);
}

/* "reynolds" -> "Reynolds number:", "drag_coefficient" -> "Drag coefficient:" */
static void print_result(const trm_result *result)
{
  char label[64];
  const int named = strcmp(result->name, "reynolds") == 0 || strcmp(result->name, "froude") == 0 ||
                    strcmp(result->name, "mach") == 0;
  snprintf(label, sizeof label, "%s%s:", result->name, named ? " number" : "");
  label[0] = (char)toupper((unsigned char)label[0]);
  for (char *c = label; *c; c++)
    if (*c == '_') *c = ' ';
  const int has_unit = result->unit && result->unit[0] && strcmp(result->unit, "1") != 0;
  printf("%s\t\t%.12E%s%s\n", label, result->value, has_unit ? " " : "",
         has_unit ? result->unit : "");
}

static double init_seconds(const report *about)
{
  return about->open_seconds + about->run->times.create;
}

static double collate_seconds(const report *about)
{
  return about->total_seconds - init_seconds(about) - about->run->times.loop;
}

static double bytes_per_second(const session *run)
{
  const double bytes = session_step_bytes(run->solver);
  return run->times.steady > 0 ? bytes * (double)run->steady_steps / run->times.steady : 0;
}

static void print_course_lines(const report *about)
{
  printf("==done==\n");
  for (size_t i = 0; i < about->run->solver->result_count; i++)
    print_result(&about->run->solver->results[i]);
  printf("Elapsed Init time:\t\t\t%.6f (s)\n", init_seconds(about));
  printf("Elapsed Compute time:\t\t\t%.6f (s)\n", about->run->times.loop);
  printf("Elapsed Collate time:\t\t\t%.6f (s)\n", collate_seconds(about));
  printf("Elapsed Total time:\t\t\t%.6f (s)\n", about->total_seconds);
}

static const char *counted_by(const report *about)
{
  const trm_solver *solver = about->run->solver;
  return solver && solver->counted ? solver->counted : about->chosen->type->update_name;
}

static void print_speed(const report *about)
{
  const session *run = about->run;
  const char *counted = counted_by(about);
  if (run->times.steady <= 0) return;
  printf("speed                %.1f million %s a second, %.3f us a step\n",
         1e-6 * session_rate(run), counted, 1e6 * run->times.steady / (double)run->steady_steps);
  const double rate = bytes_per_second(run);
  if (!(rate > 0)) return; /* not known */
  if (about->roof)
    printf(
        "bandwidth            %.2f GB/s; the device copies %.2f GB/s from and to memory: %.3f of "
        "this ceiling%s\n",
        1e-9 * rate, 1e-9 * ceiling_copy(about->roof), rate / ceiling_copy(about->roof),
        rate > ceiling_copy(about->roof) ? " (served by caches)" : "");
  else
    printf("bandwidth            %.2f GB/s; ceiling not measured: %s\n", 1e-9 * rate,
           about->roof_missing);
}

static void print_times(const report *about)
{
  const session_times *times = &about->run->times;
  const double total = about->total_seconds, part = 100 / total;
  const double other = total - times->kernels - times->transfers - times->build - times->output;
  printf("time                 kernels %.1f %%, transfers %.1f %%, build %.1f %%, output %.1f %%, "
         "other %.1f %% of %.3f s\n", part * times->kernels, part * times->transfers,
         part * times->build, part * times->output, part * other, total);
  printf("start to first step  %.3f s; kernels ", times->first_step);
  if (trm_device_describe(about->run->device)->is_host) printf("compiled ahead of time\n");
  else
    printf("%s in %.3f s\n", about->run->solver->program &&
           about->run->solver->program->from_cache ? "from the cache" : "built", times->build);
}

static void print_energy(const report *about)
{
  const energy_meter *meter = about->meter;
  const double updates = about->run->solver->cells * (double)about->run->steady_steps;
  if (meter->missing[0]) printf("energy               not measured: %s\n", meter->missing);
  else
    printf("energy               %.3f nJ an update, %.1f W (%s)\n", 1e9 * meter->joules / updates,
           meter->joules / meter->seconds, meter->source);
}

static int is_result(const trm_solver *solver, const char *name)
{
  for (size_t i = 0; i < solver->result_count; i++)
    if (strcmp(solver->results[i].name, name) == 0) return 1;
  return 0;
}

void report_print(const report *about)
{
  const session *run = about->run;
  const trm_solver *solver = run->solver;
  const trm_device_info *device = trm_device_describe(run->device);
  char shape[96];
  print_course_lines(about);
  report_shape(solver, shape, sizeof shape);
  char of[64] = "";
  if (isfinite(about->chosen->settings.end_time))
    snprintf(of, sizeof of, " steps, to time %.9g", solver->time);
  else snprintf(of, sizeof of, " of %" PRIu64 " steps", about->chosen->settings.steps);
  printf("\ncase                 %s (%s): %s, %" PRIu64 "%s, %s, %s\n",
         about->chosen->name, about->chosen->type->name, shape, run->steps_done, of,
         trm_precision_name(about->chosen->settings.solver.precision),
         trm_math_name(about->chosen->settings.solver.math));
  printf("device               %s:%zu %s", device->backend, device->index, device->name);
  if (device->threads > 0)
    printf(", %d thread%s, pinning %s, %s", device->threads, device->threads == 1 ? "" : "s",
           device->pinning, device->isa);
  printf("\n");
  print_speed(about);
  print_times(about);
  print_energy(about);
  for (size_t i = 0; i < run->series_count && run->steps_done > 0; i++)
    if (!is_result(solver, solver->series[i].name))
      printf("%-20s %.12E %s\n", solver->series[i].name, run->series[i][run->steps_done - 1],
             solver->series[i].unit);
  printf("fingerprint          %s\n", run->fingerprint);
  printf("results              %s\n", about->folder);
  if (about->profile) profile_print(about->profile);
}

/* ---- JSON ------------------------------------------------------------------ */

static json_t *json_times(const report *about)
{
  const session_times *times = &about->run->times;
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "total",
                   json_number(about->total_seconds), "init", json_number(init_seconds(about)),
                   "loop", json_number(times->loop), "kernels", json_number(times->kernels),
                   "transfers", json_number(times->transfers), "build", json_number(times->build),
                   "output", json_number(times->output), "start_to_first_step",
                   json_number(times->first_step), "steady", json_number(times->steady),
                   "steady_kernels", json_number(times->steady_kernels), "create",
                   json_number(times->create));
}

static json_t *json_speed(const report *about)
{
  const session *run = about->run;
  const double rate =
      run->solver->traffic_count && run->times.steady > 0 ? bytes_per_second(run) : NAN;
  json_t *out = json_pack(
      "{s:o, s:o, s:o, s:o, s:I}", "updates_per_second",
      json_number(run->times.steady > 0 ? session_rate(run) : NAN), "seconds_per_step",
      json_number(run->steady_steps ? run->times.steady / (double)run->steady_steps : NAN),
      "kernel_seconds_per_step",
      json_number(run->steady_steps ? run->times.steady_kernels / (double)run->steady_steps : NAN),
      "bytes_per_second", json_number(rate), "steps_timed", (json_int_t)run->steady_steps);
  if (!out) return NULL;
  const double flops = session_step_flops(run->solver);
  json_object_set_new(out, "flops_per_second",
                      json_number(flops > 0 && run->times.steady > 0
                                      ? flops * (double)run->steady_steps / run->times.steady
                                      : (double)NAN));
  json_object_set_new(out, "counted", json_text(counted_by(about)));
  json_object_set_new(out, "ceiling", about->roof ? json_ceiling(about->roof, 0) : json_null());
  json_object_set_new(out, "part_of_ceiling",
                      json_number(about->roof ? rate / ceiling_copy(about->roof) : NAN));
  if (!about->roof) json_object_set_new(out, "ceiling_missing", json_text(about->roof_missing));
  return out;
}

static json_t *json_numbers(const report *about, int results)
{
  const session *run = about->run;
  json_t *out = json_object();
  if (results) {
    for (size_t i = 0; i < run->solver->result_count; i++)
      json_object_set_new(out, run->solver->results[i].name,
                          json_number(run->solver->results[i].value));
    return out;
  }
  for (size_t i = 0; i < run->series_count && run->steps_done > 0; i++)
    json_object_set_new(out, run->solver->series[i].name,
                        json_number(run->series[i][run->steps_done - 1]));
  return out;
}

/* Under what conditions, with what energy, by which build, and how to do it again. */
static void add_conditions(json_t *out, const report *about)
{
  const session *run = about->run;
  char *repeat = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&repeat, &bytes);
  json_object_set_new(out, "conditions",
                      json_pack("{s:O?, s:O?}", "host", about->host, "gpu", about->gpu));
  json_object_set_new(out, "energy",
                      json_energy(about->meter, run->solver ? run->solver->cells *
                                                              (double)run->steady_steps : 0));
  json_object_set_new(out, "build", conditions_build());
  json_object_set_new(out, "command", conditions_command());
  if (!stream) return;
  fputs("trireme run ", stream);
  command_print_case(stream, about->folder);
  if (fclose(stream) == 0) json_object_set_new(out, "repeat", json_text(repeat));
  free(repeat);
}

json_t *report_json(const report *about)
{
  const session *run = about->run;
  json_t *out = json_document("run");
  if (!out) return NULL;
  json_object_set_new(out, "status", json_text(about->status));
  if (about->error) json_object_set_new(out, "error", json_text(about->error));
  json_object_set_new(out, "written", json_written());
  json_object_set_new(out, "solver", json_text(about->chosen->type->name));
  json_object_set_new(out, "case", json_text(about->chosen->name));
  json_object_set_new(out, "steps", json_integer((json_int_t)run->steps_done));
  json_object_set_new(out, "cells", run->solver ? json_number(run->solver->cells) : json_null());
  if (run->solver) {
    char shape[96];
    report_shape(run->solver, shape, sizeof shape);
    json_object_set_new(out, "shape", json_text(shape));
  }
  json_object_set_new(out, "device", json_device(trm_device_describe(run->device)));
  json_object_set_new(out, "config", json_config(about->chosen->config));
  json_object_set_new(out, "seconds", json_times(about));
  if (run->solver) {
    json_object_set_new(out, "program", json_program(run->solver->program));
    json_object_set_new(out, "speed", json_speed(about));
    if (run->fingerprint[0]) json_object_set_new(out, "results", json_numbers(about, 1));
    json_object_set_new(out, "last", json_numbers(about, 0));
  }
  if (about->profile) json_object_set_new(out, "profile", profile_json(about->profile));
  add_conditions(out, about);
  json_object_set_new(out, "fingerprint",
                      run->fingerprint[0] ? json_text(run->fingerprint) : json_null());
  json_object_set_new(out, "folder", json_text(about->folder));
  return out;
}

trm_status report_show_case(const run_case *chosen, uint64_t memory)
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
  if (memory) json_object_set_new(out, "memory_bytes", json_integer((json_int_t)memory));
  return json_show(out);
}
