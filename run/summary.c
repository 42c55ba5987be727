/* summary.c - what a run has to tell, as the JSON of run.json. */
#include "run/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/measure/conditions.h"
#include "run/measure/benchmark.h"
#include "run/json_parts.h"
#include "run/text/json.h"
#include "core/trace.h"

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

const char *report_unit(const char *unit)
{
  return unit && strcmp(unit, "1") != 0 ? unit : "";
}

void report_print_quoted(FILE *stream, const char *word)
{
  for (; *word; word++) {
    if (*word == '\'') fputs("'\\''", stream);
    else fputc(*word, stream);
  }
}

char *report_shell_path(const char *path)
{
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                              "0123456789_./,:@%+-";
  if (*path && *path != '-' && path[strspn(path, plain)] == '\0') return strdup(path);
  char *text = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&text, &bytes);
  if (!stream) return NULL;
  fputs(*path == '-' ? "'./" : "'", stream);       /* else it were an option */
  report_print_quoted(stream, path);
  fputc('\'', stream);
  if (fclose(stream) == 0) return text;
  free(text);
  return NULL;
}

void report_print_case(FILE *stream, const char *folder)
{
  fputs(folder[0] == '-' ? "'./" : "'", stream);   /* else it were an option */
  report_print_quoted(stream, folder);
  fputs("/used.conf'", stream);
}

double report_init_seconds(const report *about)
{
  return about->open_seconds + about->run->times.create;
}

double report_byte_rate(const session *run)
{
  const double bytes = session_step_bytes(run->solver);
  return run->times.steady > 0 ? bytes * (double)run->steady_steps / run->times.steady : 0;
}

const char *report_counted(const report *about)
{
  const trm_solver *solver = about->run->solver;
  return solver && solver->counted ? solver->counted : about->chosen->type->update_name;
}

static json_t *json_times(const report *about)
{
  const session_times *times = &about->run->times;
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "total",
                   json_number(about->total_seconds), "init",
                   json_number(report_init_seconds(about)), "loop", json_number(times->loop),
                   "kernels", json_number(times->kernels), "transfers",
                   json_number(times->transfers), "build", json_number(times->build), "output",
                   json_number(times->output), "start_to_first_step",
                   json_number(times->first_step), "steady", json_number(times->steady),
                   "steady_kernels", json_number(times->steady_kernels), "create",
                   json_number(times->create));
}

static json_t *json_speed(const report *about)
{
  const session *run = about->run;
  const double rate =
      run->solver->traffic_count && run->times.steady > 0 ? report_byte_rate(run) : NAN;
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
  json_object_set_new(out, "counted", json_text(report_counted(about)));
  json_object_set_new(out, "ceiling", about->roof ? json_roofs_of(about->roof, 0) : json_null());
  json_object_set_new(out, "part_of_ceiling",
                      json_number(about->roof ? rate / roof_copy(about->roof) : NAN));
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

/* The kernels that were recorded, and how many of their launches were carried out at once; without
 * those of measurements around the run. */
static json_t *json_fused(const trm_device *device)
{
  const trmi_fused_launches *list;
  const size_t count = trmi_device_fused(device, &list);
  json_t *out = json_object();
  for (size_t i = 0; i < count; i++) {
    if (strcmp(list[i].program, "bench") == 0) continue;
    json_t *entry = json_pack("{s:i}", "launches", list[i].launches);
    if (list[i].reason[0]) json_object_set_new(entry, "reason", json_text(list[i].reason));
    json_object_set_new(out, list[i].kernel, entry);
  }
  return out;
}

/* Adds conditions, energy, build, and the command that repeats the run. */
static void add_conditions(json_t *out, const report *about)
{
  const session *run = about->run;
  char *repeat = NULL;
  size_t bytes = 0;
  FILE *stream = about->folder[0] ? open_memstream(&repeat, &bytes) : NULL;
  json_object_set_new(out, "conditions",
                      json_pack("{s:O?, s:O?}", "host", about->host, "gpu", about->gpu));
  json_object_set_new(out, "energy",
                      json_energy(about->meter, run->solver ? run->solver->cells *
                                                              (double)run->steady_steps : 0));
  json_object_set_new(out, "build", conditions_build());
  json_object_set_new(out, "command", conditions_command());
  if (!stream) return;
  fputs("trireme run ", stream);
  report_print_case(stream, about->folder);
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
  json_object_set_new(out, "device", json_opened(run->device));
  json_object_set_new(out, "config", json_config(about->chosen->config));
  json_object_set_new(out, "roles", benchmark_roles(about->chosen));
  json_object_set_new(out, "seconds", json_times(about));
  json_object_set_new(out, "memory_bytes",
                      run->memory ? json_integer((json_int_t)run->memory) : json_null());
  if (run->solver) {
    json_object_set_new(out, "program", json_program(run->solver->program));
    json_object_set_new(out, "speed", json_speed(about));
    if (run->fingerprint[0]) json_object_set_new(out, "results", json_numbers(about, 1));
    json_object_set_new(out, "last", json_numbers(about, 0));
  }
  if (run->solver) json_object_set_new(out, "at_once", json_fused(run->device));
  if (about->profile) json_object_set_new(out, "profile", profile_json(about->profile));
  if (about->parts) json_object_set(out, "parts", about->parts);
  add_conditions(out, about);
  json_object_set_new(out, "fingerprint",
                      run->fingerprint[0] ? json_text(run->fingerprint) : json_null());
  json_object_set_new(out, "folder", json_text(about->folder));
  return out;
}
