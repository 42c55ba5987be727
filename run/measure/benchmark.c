/* benchmark.c - a benchmark's runs, their statistics, and its one form in JSON. */
#include "run/measure/benchmark.h"

#include "core/sharing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/measure/conditions.h"
#include "run/json_parts.h"
#include "run/summary.h"
#include "run/text/json.h"
#include "run/text/members.h"
#include "run/text/text.h"

void benchmark_clear(benchmark *of)
{
  free(of->rates);
  free(of->energies);
  json_decref(of->gpu);
  json_decref(of->tuned);
  *of = (benchmark){0};
}

/* ---- runs ----------------------------------------------------------------------- */

trm_status benchmark_add(benchmark *to, double rate, double joules)
{
  const size_t bytes = (to->run_count + 1) * sizeof(double);
  double *rates = realloc(to->rates, bytes);
  if (rates) to->rates = rates;
  double *energies = realloc(to->energies, bytes);
  if (energies) to->energies = energies;
  if (!rates || !energies) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the runs");
  rates[to->run_count] = rate;
  energies[to->run_count++] = joules;
  return TRM_OK;
}

trm_status benchmark_take(benchmark *to, const session *run, const energy_meter *meter)
{
  const double updates = run->solver->cells * (double)run->steady_steps;
  const int is_missing = meter->missing[0] != 0;
  if (is_missing) text_copy(to->energy_missing, sizeof to->energy_missing, meter->missing);
  text_copy(to->energy_source, sizeof to->energy_source, meter->source);
  if (!to->gpu && !trm_device_describe(run->device)->is_host)
    to->gpu = conditions_gpu(meter->gpu, meter->missing);
  return benchmark_add(to, session_rate(run), is_missing ? (double)NAN : meter->joules / updates);
}

static int all_are_hosts(const trm_device *device, size_t count)
{
  trm_device_part *parts = calloc(count + 1, sizeof *parts);
  int are_hosts = parts != NULL;
  (void)trm_device_parts(device, parts ? count : 0, parts);
  for (size_t m = 0; m < count && are_hosts; m++) are_hosts = parts[m].info->is_host;
  free(parts);
  return are_hosts;
}

/* The launches of a GPU are not waited for, so that nobody knows. */
static double exchange_of(trm_device *device)
{
  const size_t count = trm_device_parts(device, 0, NULL);
  trm_spent all = { 0, 0 }, one;
  if (count == 0 || !all_are_hosts(device, count)) return NAN;
  for (size_t m = 0; m < count; m++) {
    if (trm_device_spent(device, m, &one) != TRM_OK) return NAN;
    all.launches += one.launches;
    all.rows += one.rows;
  }
  return all.rows / (all.rows + all.launches);
}

void benchmark_take_facts(benchmark *to, const session *run)
{
  const trm_solver *solver = run->solver;
  to->times = run->times;
  to->steps = (double)run->steps_done;
  to->cells = solver->cells;
  to->step_bytes = session_step_bytes(solver);
  to->step_flops = session_step_flops(solver);
  to->repeats = 1;
  to->exchange = exchange_of(run->device);
  report_shape(solver, to->shape, sizeof to->shape);
  memcpy(to->fingerprint, run->fingerprint, sizeof to->fingerprint);
  if (solver->program) snprintf(to->isa, sizeof to->isa, "%s", solver->program->isa);
}

sample benchmark_rate(const benchmark *of)
{
  double order[BENCHMARK_RUNS];
  return sample_of(of->rates, of->run_count < BENCHMARK_RUNS ? of->run_count : BENCHMARK_RUNS,
                   order);
}

double benchmark_step_seconds(const benchmark *of)
{
  const double rate = benchmark_rate(of).median;
  return rate > 0 ? of->cells / rate : (double)NAN;
}

sample benchmark_ratio(const benchmark *of, const benchmark *to, interval *range)
{
  double ratios[BENCHMARK_RUNS], order[BENCHMARK_RUNS];
  const size_t count = of->run_count < to->run_count ? of->run_count : to->run_count;
  for (size_t i = 0; i < count; i++) ratios[i] = of->rates[i] / to->rates[i];
  *range = median_interval(ratios, count, order);
  return sample_of(ratios, count, order);
}

/* ---- written -------------------------------------------------------------------- */

/* Written and read under the same names. */
static const member_place members[] = {
  MEMBER(benchmark, NUMBER, "cells", cells), MEMBER(benchmark, TEXT, "shape", shape),
  MEMBER(benchmark, TEXT, "precision", precision), MEMBER(benchmark, TEXT, "math", math),
  MEMBER(benchmark, TEXT, "fingerprint", fingerprint),
  MEMBER(benchmark, NUMBER, "seconds_per_step", step_seconds),
  MEMBER(benchmark, NUMBER, "exchange_part", exchange),
  MEMBER(benchmark, NUMBER, "bytes_per_second", bytes_per_second),
  MEMBER(benchmark, NUMBER, "flops_per_second", flops_per_second)};

/* The median over the runs, or why no run has energy. */
static json_t *energy_json(const benchmark *of)
{
  double order[BENCHMARK_RUNS];
  const char *missing = of->energy_missing;
  for (size_t i = 0; i < of->run_count && !missing[0]; i++)
    if (!isfinite(of->energies[i])) missing = "not every run was metered";
  if (missing[0]) return json_pack("{s:o}", "missing", json_text(missing));
  const sample joules = sample_of(of->energies, of->run_count, order);
  return json_pack("{s:o, s:o, s:o}", "joules_per_update", json_number(joules.median), "runs",
                   json_sample(&joules), "source", json_text(of->energy_source));
}

json_t *benchmark_json(benchmark *of, const trm_device_info *device)
{
  const sample rate = benchmark_rate(of);
  json_t *out = json_object();
  if (device) json_object_set_new(out, "device", json_device(device));
  of->step_seconds = benchmark_step_seconds(of);
  of->bytes_per_second = of->step_bytes > 0 ? of->step_bytes / of->step_seconds : (double)NAN;
  of->flops_per_second = of->step_flops > 0 ? of->step_flops / of->step_seconds : (double)NAN;
  MEMBERS_WRITE(out, members, of);
  json_object_set_new(out, "steps", json_integer((json_int_t)of->steps));
  json_object_set_new(out, "updates_per_second", json_sample(&rate));
  json_object_set_new(out, "runs", member_array(of->rates, of->run_count));
  if (of->run_count > 0) json_object_set_new(out, "energy", energy_json(of));
  if (of->gpu) json_object_set(out, "gpu", of->gpu);
  if (of->tuned) json_object_set(out, "tuned", of->tuned);
  return out;
}

void benchmark_json_ratio(json_t *out, const char *name, const benchmark *of, const benchmark *to)
{
  interval range;
  char key[64];
  const sample ratio = benchmark_ratio(of, to, &range);
  json_object_set_new(out, name, json_number(ratio.median));
  snprintf(key, sizeof key, "%s_interval", name);
  json_object_set_new(out, key, member_pair(range.low, range.high));
  snprintf(key, sizeof key, "%s_confidence", name);
  json_object_set_new(out, key, json_number(range.confidence));
}

static int is_listed(const char *list, const char *key)
{
  char word[64];
  while (list && (list = list_next(list, word, sizeof word)))
    if (strcmp(word, key) == 0) return 1;
  return 0;
}

json_t *benchmark_roles(const run_case *chosen)
{
  json_t *out = json_object();
  for (size_t i = 0; i < trm_config_count(chosen->config); i++) {
    const char *key = trm_config_option(chosen->config, i)->key;
    const int is_size = is_listed(chosen->type->size_keys, key);
    if (is_size || strncmp(trm_config_origin(chosen->config, key), "--", 2) == 0)
      json_object_set_new(out, key, json_string(is_size ? "size" : "set"));
  }
  return out;
}

/* ---- read ----------------------------------------------------------------------- */

static const member_place told[] = {
  MEMBER(benchmark, TEXT, "on", on), MEMBER(benchmark, TEXT, "device.id", id),
  MEMBER(benchmark, TEXT, "device.name", device), MEMBER(benchmark, FLAG, "device.host", is_host),
  MEMBER(benchmark, NUMBER, "device.threads", threads), MEMBER(benchmark, NUMBER, "steps", steps),
  MEMBER(benchmark, NUMBER, "energy.joules_per_update", energy),
  MEMBER(benchmark, TEXT, "energy.missing", energy_missing),
  MEMBER(benchmark, NUMBER, "ceiling.copy_bytes_per_second", copy_roof)};

/* run.json is about one run, and has members of its own. */
static const member_place of_run[] = {
  MEMBER(benchmark, TEXT, "program.precision", precision), MEMBER(benchmark, TEXT, "program.math",
                                                                  math),
  MEMBER(benchmark, NUMBER, "speed.bytes_per_second", bytes_per_second),
  MEMBER(benchmark, NUMBER, "speed.flops_per_second", flops_per_second),
  MEMBER(benchmark, NUMBER, "speed.ceiling.copy_bytes_per_second", copy_roof),
  MEMBER(benchmark, NUMBER, "speed.seconds_per_step", step_seconds)};

trm_status benchmark_read_runs(benchmark *to, const json_t *rates, const json_t *energies,
                               size_t most)
{
  const json_t *value;
  size_t i;
  json_array_foreach((json_t *)rates, i, value) {
    const json_t *joules = json_array_get(energies, i);
    const double rate = json_number_value(value);
    to->has_gaps |= !(rate > 0);
    if (rate > 0 && to->run_count < most)
      TRM_TRY(benchmark_add(to, rate, json_is_number(joules) ? json_number_value(joules)
                                                         : (double)NAN));
  }
  return TRM_OK;
}

trm_status benchmark_read(benchmark *out, const json_t *data, const json_t *document)
{
  const char *kind = member_text(document, "kind");
  const double rate = member_number(data, "speed.updates_per_second");
  *out = (benchmark){0};
  MEMBERS_READ(data, members, out);
  MEMBERS_READ(data, told, out);
  if (strcmp(kind, "run") == 0) {
    MEMBERS_READ(data, of_run, out);
    return rate > 0 ? benchmark_add(out, rate, (double)NAN) : TRM_OK;
  }
  if (strcmp(kind, "study") == 0) out->steps = member_number(data, "verified_steps");
  if (!*out->precision)
    text_copy(out->precision, sizeof out->precision, member_text(document, "precision"));
  if (!*out->math) text_copy(out->math, sizeof out->math, member_text(document, "math"));
  if (!(out->cells > 0)) /* of a row that has not run yet, too */
    out->cells = round(out->step_seconds * member_median(data, "updates_per_second"));
  return benchmark_read_runs(out, member(data, "runs"), NULL, BENCHMARK_RUNS);
}
