/* comparison_json.c - what a comparison found, as one document for scripts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/bisect/bisection.h"
#include "cli/compare/comparison.h"
#include "run/measure/conditions.h"
#include "run/measure/scaling.h"
#include "run/json_parts.h"
#include "run/text/json.h"
#include "run/text/members.h"

static json_t *growth_json(const field_difference *f)
{
  static const member_place members[] = {
    MEMBER(growth_point, COUNT, "step", step), MEMBER(growth_point, NUMBER, "absolute", absolute),
    MEMBER(growth_point, NUMBER, "scaled", scaled)};
  json_t *array = json_array();
  for (size_t g = 0; g < f->growth_count; g++)
    json_array_append_new(array, MEMBERS_WRITE(json_object(), members, &f->growth[g]));
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

static json_t *difference_json(const comparison_row *one, const field_difference *f)
{
  static const member_place members[] = {
    MEMBER(trm_difference, COUNT, "values", values),
    MEMBER(trm_difference, COUNT, "differing", differing),
    MEMBER(trm_difference, COUNT, "not_finite", not_finite),
    MEMBER(trm_difference, NUMBER, "absolute", absolute),
    MEMBER(trm_difference, NUMBER, "relative", relative),
    MEMBER(trm_difference, NUMBER, "scaled", scaled)};
  const trm_difference *d = &f->difference;
  json_t *out = json_pack("{s:o, s:b}", "name", json_text(f->name), "series", f->is_series);
  if (!out) return NULL;
  json_object_set_new(out, "agrees", one->is_checked ? json_boolean(f->agrees) : json_null());
  if (f->missing[0]) {
    json_object_set_new(out, "not_compared", json_text(f->missing));
    return out;
  }
  MEMBERS_WRITE(out, members, d);
  json_object_set_new(out, "ulp", f->is_mixed || d->ulps > INT64_MAX
                                      ? json_null() : json_integer((json_int_t)d->ulps));
  if (f->is_series) json_object_set_new(out, "growth", growth_json(f));
  if (f->spread) json_object_set_new(out, "spread", spread_json(f));
  return out;
}

static json_t *differences_json(const comparison_row *one)
{
  json_t *array = json_array();
  for (size_t k = 0; k < one->difference_count; k++)
    json_array_append_new(array, difference_json(one, &one->differences[k]));
  return array;
}

static void add_agreement(json_t *out, const comparison *all, size_t index)
{
  const comparison_row *one = &all->rows[index];
  json_object_set_new(out, "repeats", json_boolean(one->who.benchmark.repeats));
  json_object_set_new(out, "reference", json_integer((json_int_t)one->who.reference));
  json_object_set_new(out, "must_agree", json_boolean(one->is_checked));
  json_object_set_new(out, "agrees", json_boolean(comparison_row_agrees(all, index)));
  json_object_set_new(out, "differences", differences_json(one));
}

static scaled_run scaled_run_of(const comparison *all, comparison_row *one, char id[48])
{
  const trm_device_info *info = comparison_row_device(all, one);
  snprintf(id, 48, "%s:%zu", info->backend, info->index);
  return (scaled_run){ id, info->name, benchmark_step_seconds(&one->who.benchmark) };
}

/* Do two candidates do the same work on different devices? */
static int is_same_work(const candidate *a, const candidate *b)
{
  for (size_t i = 0; i < a->cases->axis_count; i++)
    if (strcmp(a->cases->axes[i].key, "run.devices") != 0 &&
        strcmp(variation_value(a->cases, a->case_index, i),
               variation_value(b->cases, b->case_index, i)) != 0)
      return 0;
  return 1;
}

/* Against the fewest devices on which the same was run; null where no others were. */
static json_t *scaling_json(const comparison *all, comparison_row *one)
{
  static const member_place members[] = {
    MEMBER(scaling, NUMBER, "devices", devices), MEMBER(scaling, NUMBER, "of", fewest),
    MEMBER(scaling, NUMBER, "speedup", speedup), MEMBER(scaling, NUMBER, "efficiency", efficiency),
    MEMBER(scaling, NUMBER, "lost_seconds_per_step", lost)};
  scaled_run *runs = calloc(all->count, sizeof *runs);
  char (*ids)[48] = calloc(all->count, sizeof *ids);
  size_t count = 0, index = 0;
  int has_others = 0;
  for (comparison_row *other = all->rows; runs && ids && other < all->rows + all->count;
       other++) {
    if (other->diverged[0] || !is_same_work(&one->who, &other->who)) continue;
    if (other == one) index = count;
    runs[count] = scaled_run_of(all, other, ids[count]);
    has_others |= scaling_devices(ids[count]) != scaling_devices(ids[0]);
    count++;
  }
  json_t *out = NULL;
  if (has_others && !one->diverged[0]) {
    scaling of;
    scaling_of(runs, count, index, &of);
    out = MEMBERS_WRITE(json_object(), members, &of);
    if (of.missing[0]) json_object_set_new(out, "efficiency_missing", json_text(of.missing));
  }
  free(ids);
  free(runs);
  return out ? out : json_null();
}

/* The keys whose values `trireme tune` gave: {"run.wavefront": "16"}. */
static json_t *tuned_config(const candidate *one)
{
  json_t *out = json_object();
  const trm_config *config = one->chosen->config;
  for (size_t i = 0; i < trm_config_count(config); i++) {
    const char *key = trm_config_option(config, i)->key;
    if (strcmp(trm_config_origin(config, key), "trireme tune") == 0)
      json_object_set_new(out, key, json_text(trm_config_text(config, key)));
  }
  return out;
}

static json_t *candidate_json(const comparison *all, size_t index)
{
  static const member_place times[] = {
    MEMBER(session_times, NUMBER, "create", create), MEMBER(session_times, NUMBER, "build", build),
    MEMBER(session_times, NUMBER, "start_to_first_step", first_step),
    MEMBER(session_times, NUMBER, "loop", loop), MEMBER(session_times, NUMBER, "kernels", kernels),
    MEMBER(session_times, NUMBER, "steady", steady),
    MEMBER(session_times, NUMBER, "steady_kernels", steady_kernels)};
  comparison_row *one = &all->rows[index];
  benchmark *of = &one->who.benchmark;
  json_t *out = benchmark_json(of, comparison_row_device(all, one));
  json_object_set_new(out, "on", json_text(of->on));
  json_object_set_new(out, "values", candidate_values(&one->who));
  if (one->node.runs > 0)
    json_object_set_new(out, "node_energy", node_json(&all->node, &one->node));
  if (one->who.own) json_object_set_new(out, "config", tuned_config(&one->who));
  interval range;
  const sample ratio = comparison_row_ratio(all, one, &range);
  json_object_set_new(out, "ratio", json_number(ratio.median));
  json_object_set_new(out, "ratio_interval", member_pair(range.low, range.high));
  json_object_set_new(out, "ratio_confidence", json_number(range.confidence));
  json_object_set_new(out, "scaling", scaling_json(all, one));
  json_object_set_new(out, "part_of_ceiling", json_number(comparison_row_roof_share(one)));
  json_object_set_new(out, "seconds", MEMBERS_WRITE(json_object(), times, &of->times));
  json_object_set_new(out, "diverged", one->diverged[0] ? json_text(one->diverged) : json_null());
  json_object_set_new(out, "tolerance", json_number(one->tolerance));
  add_agreement(out, all, index);
  json_object_set_new(out, "isa", json_text(of->isa));
  json_object_set_new(out, "row_group", json_pack("[i,i]", one->row_group_x, one->row_group_y));
  json_object_set_new(out, "build_seconds", json_number(of->times.build));
  json_object_set_new(out, "from_cache", json_boolean(one->from_cache));
  json_object_set_new(out, "ceiling",
                      one->roof.missing[0] ? json_null() : json_roofs_of(&one->roof, 0));
  if (one->roof.missing[0])
    json_object_set_new(out, "ceiling_missing", json_text(one->roof.missing));
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
  const comparison_row *first = &all->rows[0];
  json_t *document = candidate_document("compare", &first->who, all->host), *array = json_array();
  for (size_t i = 0; i < all->count; i++) json_array_append_new(array, candidate_json(all, i));
  json_object_set_new(document, "steps", json_integer((json_int_t)first->who.benchmark.steps));
  json_object_set_new(document, "tolerance", json_number(first->tolerance));
  json_object_set_new(document, "varied", variation_json(all->cases));
  json_object_set_new(document, "field_transfers_counted", json_false());
  json_object_set_new(document, "series_transfers_counted", json_true());
  json_object_set_new(document, "agrees", json_boolean(comparison_agrees(all)));
  json_object_set_new(document, "contenders", array);
  if (all->is_tuned) json_object_set_new(document, "is_tuned", json_true());
  if (all->question) json_object_set_new(document, "question", json_text(all->question));
  if (all->repeat) json_object_set_new(document, "repeat", json_text(all->repeat));
  if (all->folder) json_object_set_new(document, "folder", json_text(all->folder));
  if (all->bisections) json_object_set_new(document, "bisections", bisections_json(all));
  return document;
}
