/* comparison_json.c - what a comparison found, as one document for scripts. */
#include <math.h>

#include "cli/compare/bisect/bisection_json.h"
#include "cli/compare/comparison.h"
#include "cli/measure/conditions.h"
#include "cli/run/json.h"

static json_t *growth_json(const field_difference *f)
{
  json_t *array = json_array();
  for (size_t g = 0; g < f->growth_count; g++)
    json_array_append_new(array, json_pack("{s:I, s:o, s:o}", "step",
                                           (json_int_t)f->growth[g].step, "absolute",
                                           json_number(f->growth[g].absolute), "scaled",
                                           json_number(f->growth[g].scaled)));
  return array;
}

/* '=' equal, '9' near the largest difference, each digit below it a third of that before
 * (half a power of ten), '0' and all below it, '!' not finite. */
static char map_letter(double value, double largest)
{
  if (value == 0) return '=';
  if (!isfinite(value)) return '!';
  const double below = floor(2 * log10(largest / value));
  return below >= 9 ? '0' : (char)('9' - (int)below);
}

/* The map as one text a row, y = 0 first, and its largest finite difference. */
static json_t *map_json(const trm_spread *spread)
{
  char line[TRM_SPREAD_SIDE + 1];
  const size_t cells = spread->width * spread->height;
  double largest = 0;
  json_t *rows = json_array();
  for (size_t i = 0; i < cells; i++)
    if (isfinite(spread->map[i]) && spread->map[i] > largest) largest = spread->map[i];
  for (size_t y = 0; y < spread->height; y++) {
    for (size_t x = 0; x < spread->width; x++)
      line[x] = map_letter(spread->map[y * spread->width + x], largest);
    line[spread->width] = 0;
    json_array_append_new(rows, json_string(line));
  }
  return json_pack("{s:o, s:o}", "largest", json_number(largest), "rows", rows);
}

/* Distances as [[least of a bin, values], ...] without empty bins. */
static json_t *spread_json(const field_difference *f)
{
  const trm_spread *spread = f->spread;
  json_t *bins = f->is_mixed ? json_null() : json_array();
  for (int k = 0; k < TRM_SPREAD_BINS && !f->is_mixed; k++)
    if (spread->ulps[k] > 0)
      json_array_append_new(bins, json_pack("[f, I]", k ? ldexp(1, k - 1) : 0.0,
                                            (json_int_t)spread->ulps[k]));
  return json_pack("{s:o, s:o}", "ulps", bins, "map", map_json(spread));
}

static json_t *difference_json(const contender *one, const field_difference *f)
{
  const trm_difference *d = &f->difference;
  json_t *out = json_pack("{s:o, s:b}", "name", json_text(f->name), "series", f->is_series);
  if (!out) return NULL;
  json_object_set_new(out, "agrees", one->is_checked ? json_boolean(f->agrees) : json_null());
  if (f->missing[0]) {
    json_object_set_new(out, "not_compared", json_text(f->missing));
    return out;
  }
  json_object_set_new(out, "values", json_integer((json_int_t)d->values));
  json_object_set_new(out, "differing", json_integer((json_int_t)d->differing));
  json_object_set_new(out, "not_finite", json_integer((json_int_t)d->not_finite));
  json_object_set_new(out, "absolute", json_number(d->absolute));
  json_object_set_new(out, "relative", json_number(d->relative));
  json_object_set_new(out, "scaled", json_number(d->scaled));
  json_object_set_new(out, "ulp", f->is_mixed || d->ulps > INT64_MAX
                                      ? json_null() : json_integer((json_int_t)d->ulps));
  if (f->is_series) json_object_set_new(out, "growth", growth_json(f));
  if (f->spread) json_object_set_new(out, "spread", spread_json(f));
  return out;
}

static json_t *differences_json(const contender *one)
{
  json_t *array = json_array();
  for (size_t k = 0; k < one->difference_count; k++)
    json_array_append_new(array, difference_json(one, &one->differences[k]));
  return array;
}

static json_t *rates_json(const contender *one, size_t runs)
{
  json_t *array = json_array();
  for (size_t i = 0; i < runs; i++) json_array_append_new(array, json_number(one->rates[i]));
  return array;
}

/* {"run.precision": "f64"}: the value of each varied key. */
static json_t *values_json(const comparison *all, const contender *one)
{
  json_t *out = json_object();
  for (size_t a = 0; a < all->cases->axis_count; a++)
    json_object_set_new(out, all->cases->axes[a].key,
                        json_text(variation_value(all->cases, one->case_index, a)));
  return out;
}

static void add_settings(json_t *out, const contender *one)
{
  const run_settings *settings = &one->chosen->settings;
  json_object_set_new(out, "steps", json_integer((json_int_t)one->steps));
  json_object_set_new(out, "precision",
                      json_text(trm_precision_name(settings->solver.precision)));
  json_object_set_new(out, "math", json_text(trm_math_name(settings->solver.math)));
  json_object_set_new(out, "tolerance", json_number(one->tolerance));
}

static void add_agreement(json_t *out, const comparison *all, size_t index)
{
  const contender *one = &all->contenders[index];
  json_object_set_new(out, "fingerprint", json_text(one->fingerprint));
  json_object_set_new(out, "repeats", json_boolean(one->repeats));
  json_object_set_new(out, "reference", json_integer((json_int_t)one->reference));
  json_object_set_new(out, "must_agree", json_boolean(one->is_checked));
  json_object_set_new(out, "agrees", json_boolean(contender_agrees(all, index)));
  json_object_set_new(out, "differences", differences_json(one));
}

/* The median over the runs, or why there is none. */
static json_t *energy_json(const comparison *all, const contender *one)
{
  if (one->energy_missing[0]) return json_pack("{s:o}", "missing", json_text(one->energy_missing));
  const sample joules = sample_of(one->energies, all->runs, one->order);
  return json_pack("{s:o, s:o, s:o}", "joules_per_update", json_number(joules.median), "runs",
                   json_sample(&joules), "source", json_text(one->meter.source));
}

/* Of the first run. */
static json_t *seconds_json(const contender *one)
{
  const session_times *times = &one->times;
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "create", json_number(times->create),
                   "build", json_number(times->build), "start_to_first_step",
                   json_number(times->first_step), "loop", json_number(times->loop), "kernels",
                   json_number(times->kernels), "steady", json_number(times->steady),
                   "steady_kernels", json_number(times->steady_kernels));
}

static json_t *contender_json(const comparison *all, size_t index)
{
  const contender *one = &all->contenders[index];
  interval range;
  const sample rate = contender_rate(all, index), ratio = contender_ratio(all, index, &range);
  json_t *out = json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:o, s:[o,o], s:o, s:o, s:o, s:o}", "on", json_text(one->spec),
      "values", values_json(all, one), "device", json_device(trm_device_describe(one->device)),
      "updates_per_second", json_sample(&rate), "runs", rates_json(one, all->runs), "ratio",
      json_number(ratio.median), "ratio_interval", json_number(range.low), json_number(range.high),
      "ratio_confidence", json_number(range.confidence), "seconds_per_step",
      json_number(one->step_seconds), "bytes_per_second", json_number(contender_bandwidth(one)),
      "part_of_ceiling", json_number(contender_part_of_ceiling(one)));
  if (!out) return NULL;
  json_object_set_new(out, "flops_per_second",
                      json_number(one->step_flops > 0 && one->step_seconds > 0
                                      ? one->step_flops / one->step_seconds : (double)NAN));
  json_object_set_new(out, "cells", json_number(one->cells));
  json_object_set_new(out, "shape", json_text(one->shape));
  json_object_set_new(out, "seconds", seconds_json(one));
  json_object_set_new(out, "energy", energy_json(all, one));
  if (one->gpu) json_object_set(out, "gpu", one->gpu);
  json_object_set_new(out, "diverged", one->diverged[0] ? json_text(one->diverged) : json_null());
  add_settings(out, one);
  add_agreement(out, all, index);
  json_object_set_new(out, "isa", json_text(one->isa));
  json_object_set_new(out, "row_group", json_pack("[i,i]", one->row_group_x, one->row_group_y));
  json_object_set_new(out, "build_seconds", json_number(one->times.build));
  json_object_set_new(out, "from_cache", json_boolean(one->from_cache));
  json_object_set_new(out, "ceiling",
                      one->roof_missing[0] ? json_null() : json_ceiling(&one->roof, 0));
  if (one->roof_missing[0])
    json_object_set_new(out, "ceiling_missing", json_text(one->roof_missing));
  return out;
}

static json_t *bisections_json(const comparison *all)
{
  json_t *array = json_array();
  for (size_t i = 0; i < all->bisection_count; i++)
    json_array_append_new(array, bisection_json(&all->bisections[i]));
  return array;
}

json_t *comparison_json(const comparison *all)
{
  const run_case *first = all->contenders[0].chosen;
  json_t *document = json_document("compare"), *array = json_array();
  for (size_t i = 0; i < all->count; i++) json_array_append_new(array, contender_json(all, i));
  json_object_set_new(document, "written", json_written());
  json_object_set_new(document, "case", json_text(first->name));
  json_object_set_new(document, "solver", json_text(first->type->name));
  add_settings(document, &all->contenders[0]); /* of the first contender */
  json_object_set_new(document, "varied", variation_json(all->cases));
  json_object_set_new(document, "compile_counted", json_false());
  json_object_set_new(document, "field_transfers_counted", json_false());
  json_object_set_new(document, "series_transfers_counted", json_true());
  json_object_set_new(document, "agrees", json_boolean(comparison_agrees(all)));
  json_object_set_new(document, "contenders", array);
  json_object_set_new(document, "config", json_config(first->config));
  json_object_set_new(document, "conditions", json_pack("{s:O?}", "host", all->host));
  json_object_set_new(document, "build", conditions_build());
  json_object_set_new(document, "command", conditions_command());
  if (all->repeat) json_object_set_new(document, "repeat", json_text(all->repeat));
  if (all->folder) json_object_set_new(document, "folder", json_text(all->folder));
  if (all->bisections) json_object_set_new(document, "bisections", bisections_json(all));
  return document;
}
