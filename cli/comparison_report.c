/* comparison_report.c - what a comparison found: tables for readers, one document for scripts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/comparison.h"
#include "cli/json.h"
#include "cli/message.h"

static double bandwidth(const comparison *all, size_t index)
{
  const contender *one = &all->contenders[index];
  return one->step_seconds > 0 ? one->step_bytes / one->step_seconds : NAN;
}

static double part_of_ceiling(const comparison *all, size_t index)
{
  const contender *one = &all->contenders[index];
  return one->roof_missing[0] ? NAN : bandwidth(all, index) / ceiling_copy(&one->roof);
}

static const char *words_strict(int equal)
{
  return equal ? "equal" : "DIFFERENT";
}

/* ---- tables ---------------------------------------------------------------- */

static void print_speeds(const comparison *all)
{
  printf("%-12s %-28s %12s %7s %8s %-17s %10s %7s %11s\n", "backend", "device", "M updates/s",
         "spread", "ratio", " interval", "GB/s", "of copy", "us a step");
  for (size_t i = 0; i < all->count; i++) {
    const contender *one = &all->contenders[i];
    interval range;
    const sample rate = contender_rate(all, i), ratio = contender_ratio(all, i, &range);
    char part[16] = "-";
    if (!one->roof_missing[0]) snprintf(part, sizeof part, "%.3f", part_of_ceiling(all, i));
    printf("%-12s %-28.28s %12.1f %5.1f %% %8.3f [%7.3f,%7.3f] %10.2f %7s %11.3f\n", one->spec,
           trm_device_describe(one->device)->name, 1e-6 * rate.median, 100 * sample_spread(&rate),
           ratio.median, range.low, range.high, 1e-9 * bandwidth(all, i), part,
           1e6 * one->step_seconds);
  }
}

static void print_differences(const comparison *all)
{
  if (all->count < 2) return;
  printf("\n%-12s %-16s %11s %11s %11s %11s %11s %11s\n", "backend", "against the 1st", "values",
         "differing", "absolute", "of largest", "relative", "ULP");
  for (size_t i = 1; i < all->count; i++) {
    const contender *one = &all->contenders[i];
    for (size_t k = 0; k < one->difference_count; k++) {
      const field_difference *f = &one->differences[k];
      const message_colour colour = f->agrees ? COLOUR_GOOD : COLOUR_BAD;
      printf("%-12s %-16.16s %11zu %11zu %11.3g %11.3g %11.3g %11.4g  %s%s%s%s\n", one->spec,
             f->name, f->difference.values, f->difference.differing, f->difference.absolute,
             f->difference.scaled, f->difference.relative, (double)f->difference.ulps,
             colour_begin(stdout, colour), f->agrees ? "agrees" : "DIFFERS",
             colour_end(stdout, colour), f->is_series ? " (series)" : "");
    }
  }
}

static void print_fingerprints(const comparison *all)
{
  printf("\n");
  for (size_t i = 0; i < all->count; i++) {
    const contender *one = &all->contenders[i];
    const int equal = strcmp(one->fingerprint, all->contenders[0].fingerprint) == 0;
    printf("%-12s fingerprint %s%s%s", one->spec, one->fingerprint, i ? ", " : "",
           i ? words_strict(equal) : "");
    if (all->runs > 1)
      printf("; %zu runs %s", all->runs, one->repeats ? "repeat it" : "DO NOT REPEAT IT");
    printf("\n");
  }
}

static void print_conditions(const comparison *all)
{
  const run_settings *settings = &all->chosen->settings;
  printf("\nConditions: %s, %s arithmetic; %zu run%s each, taking turns. Compilation, transfer of "
         "fields\nand files are not counted; launches, kernels and the read-back of series are, "
         "from the second\nbatch on. A part of copy above 1 is served by caches.",
         trm_precision_name(settings->solver.precision), trm_math_name(settings->solver.math),
         all->runs, all->runs == 1 ? "" : "s");
  interval range;
  (void)contender_ratio(all, 0, &range);
  if (all->runs > 1)
    printf(" Ratio: median over rounds of the\nspeed against the first backend's in the same "
           "round, with an interval that holds that median\nwith %.0f %% confidence (sign test).",
           100 * range.confidence);
  printf("\n");
  char wavefront[32] = "automatic";
  if (settings->device.plain_replay) snprintf(wavefront, sizeof wavefront, "off (plain replay)");
  else if (settings->device.wavefront == 1) snprintf(wavefront, sizeof wavefront, "off");
  else if (settings->device.wavefront > 1)
    snprintf(wavefront, sizeof wavefront, "%d", settings->device.wavefront);
  for (size_t i = 0; i < all->count; i++) {
    const contender *one = &all->contenders[i];
    const trm_device_info *device = trm_device_describe(one->device);
    printf("%-12s %s:%zu %s; %s", one->spec, device->backend, device->index, device->name,
           device->driver);
    if (device->threads > 0)
      printf("; %d threads, pinning %s, instances %s, wavefront %s", device->threads,
             device->pinning, one->isa, wavefront);
    else printf("; group %dx%d", one->row_group_x, one->row_group_y);
    if (device->is_host) printf("; kernels compiled ahead of time");
    else
      printf("; kernels %s in %.3f s", one->from_cache ? "from the cache" : "built",
             one->times.build);
    if (one->roof_missing[0]) printf("; copy ceiling not measured: %s\n", one->roof_missing);
    else printf("; copy ceiling %.2f GB/s\n", 1e-9 * ceiling_copy(&one->roof));
  }
}

void comparison_print(const comparison *all)
{
  const run_settings *settings = &all->chosen->settings;
  const int agrees = comparison_agrees(all);
  const message_colour colour = agrees ? COLOUR_GOOD : COLOUR_BAD;
  printf("case %s (%s): %s, %llu steps, %s, %s\n\n", all->chosen->name, all->chosen->type->name,
         all->shape, (unsigned long long)settings->steps,
         trm_precision_name(settings->solver.precision), trm_math_name(settings->solver.math));
  print_speeds(all);
  print_differences(all);
  print_fingerprints(all);
  print_conditions(all);
  printf("\n%s%s%s", colour_begin(stdout, colour),
         agrees ? "The results agree" : "THE RESULTS DIFFER", colour_end(stdout, colour));
  if (settings->solver.math == TRM_STRICT)
    printf("%s\n", agrees ? " in every bit." : ": strict runs must be equal in every bit.");
  else
    printf(" (fast arithmetic: to %.3g of the largest value, for %llu steps in %s).\n",
           all->tolerance, (unsigned long long)settings->steps,
           trm_precision_name(settings->solver.precision));
}

/* ---- JSON ------------------------------------------------------------------ */

static json_t *differences_json(const contender *one)
{
  json_t *array = json_array();
  for (size_t k = 0; k < one->difference_count; k++) {
    const field_difference *f = &one->differences[k];
    const trm_difference *d = &f->difference;
    json_array_append_new(
        array, json_pack("{s:s, s:b, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:b}", "name", f->name,
                         "series", f->is_series, "values", (json_int_t)d->values, "differing",
                         (json_int_t)d->differing, "not_finite", (json_int_t)d->not_finite,
                         "absolute", json_number(d->absolute), "relative", json_number(d->relative),
                         "scaled", json_number(d->scaled), "ulp",
                         d->ulps > INT64_MAX ? json_null() : json_integer((json_int_t)d->ulps),
                         "agrees", f->agrees));
  }
  return array;
}

static json_t *rates_json(const contender *one, size_t runs)
{
  json_t *array = json_array();
  for (size_t i = 0; i < runs; i++) json_array_append_new(array, json_number(one->rates[i]));
  return array;
}

static json_t *contender_json(const comparison *all, size_t index)
{
  const contender *one = &all->contenders[index];
  interval range;
  const sample rate = contender_rate(all, index), ratio = contender_ratio(all, index, &range);
  json_t *out = json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:[o,o], s:o, s:o, s:o, s:o}", "on", json_text(one->spec),
      "device", json_device(trm_device_describe(one->device)), "updates_per_second",
      json_sample(&rate), "runs", rates_json(one, all->runs), "ratio", json_number(ratio.median),
      "ratio_interval", json_number(range.low), json_number(range.high), "ratio_confidence",
      json_number(range.confidence), "seconds_per_step", json_number(one->step_seconds),
      "bytes_per_second", json_number(bandwidth(all, index)), "part_of_ceiling",
      json_number(part_of_ceiling(all, index)));
  if (!out) return NULL;
  json_object_set_new(out, "fingerprint", json_text(one->fingerprint));
  json_object_set_new(out, "repeats", json_boolean(one->repeats));
  json_object_set_new(out, "agrees", json_boolean(contender_agrees(all, index)));
  json_object_set_new(out, "differences", differences_json(one));
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

trm_status comparison_show_json(const comparison *all)
{
  const run_settings *settings = &all->chosen->settings;
  json_t *document = json_document("compare"), *array = json_array();
  if (!document) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the JSON result");
  for (size_t i = 0; i < all->count; i++) json_array_append_new(array, contender_json(all, i));
  json_object_set_new(document, "case", json_text(all->chosen->name));
  json_object_set_new(document, "solver", json_text(all->chosen->type->name));
  json_object_set_new(document, "steps", json_integer((json_int_t)settings->steps));
  json_object_set_new(document, "precision",
                      json_text(trm_precision_name(settings->solver.precision)));
  json_object_set_new(document, "math", json_text(trm_math_name(settings->solver.math)));
  json_object_set_new(document, "tolerance", json_number(all->tolerance));
  json_object_set_new(document, "compile_counted", json_false());
  json_object_set_new(document, "field_transfers_counted", json_false());
  json_object_set_new(document, "series_transfers_counted", json_true());
  json_object_set_new(document, "agrees", json_boolean(comparison_agrees(all)));
  json_object_set_new(document, "contenders", array);
  return json_show(document);
}
