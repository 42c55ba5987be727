/* comparison_report.c - what a comparison found, as tables for readers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/comparison.h"
#include "cli/message.h"

static const run_settings *settings_of(const contender *one) { return &one->who.chosen->settings; }

/* ---- tables ---------------------------------------------------------------- */

static void print_speeds(const comparison *all)
{
  printf("%s %-28s %12s %7s %8s %-17s %10s %7s %11s\n", all->heading, "device", "M updates/s",
         "spread", "ratio", " interval", "GB/s", "of copy", "us a step");
  for (size_t i = 0; i < all->count; i++) {
    const contender *one = &all->contenders[i];
    const trial *of = &one->who.trial;
    const char *name = contender_device(all, one)->name;
    interval range;
    const sample rate = trial_rate(of), ratio = contender_ratio(all, one, &range);
    const double seconds = trial_step_seconds(of), bandwidth = of->step_bytes / seconds;
    char part[16] = "-", moved[16] = "-";
    if (one->diverged[0]) {
      printf("%s %-28.28s %s\n", one->label, name, one->diverged);
      continue;
    }
    if (bandwidth > 0) snprintf(moved, sizeof moved, "%.2f", 1e-9 * bandwidth);
    if (bandwidth > 0 && !one->roof.missing[0])
      snprintf(part, sizeof part, "%.3f", contender_part_of_ceiling(one));
    printf("%s %-28.28s %12.1f %5.1f %% %8.3f [%7.3f,%7.3f] %10s %7s %11.3f\n", one->label, name,
           1e-6 * rate.median, 100 * sample_spread(&rate), ratio.median, range.low, range.high,
           moved, part, 1e6 * seconds);
  }
}

/* A verdict only where agreement is promised. */
static void print_verdict(const contender *one, const field_difference *f)
{
  const message_colour colour = f->agrees ? COLOUR_GOOD : COLOUR_BAD;
  if (one->is_checked)
    printf("  %s%s%s", colour_begin(stdout, colour), f->agrees ? "agrees" : "DIFFERS",
           colour_end(stdout, colour));
  printf("%s\n", f->is_series ? "  (series)" : "");
}

static void print_difference(const contender *one, const field_difference *f)
{
  const trm_difference *d = &f->difference;
  char ulps[16] = "-";
  printf("%s %-18.18s ", one->label, f->name);
  if (f->missing[0]) {
    printf("%-71s", f->missing);
  } else {
    if (!f->is_mixed) snprintf(ulps, sizeof ulps, "%.4g", (double)d->ulps);
    printf("%11zu %11zu %11.3g %11.3g %11.3g %11s", d->values, d->differing, d->absolute,
           d->scaled, d->relative, ulps);
  }
  print_verdict(one, f);
}

static int is_equal(const contender *one)
{
  for (size_t k = 0; k < one->difference_count; k++)
    if (one->differences[k].missing[0] || one->differences[k].difference.differing > 0) return 0;
  return one->difference_count > 0;
}

/* Of many contenders those that are equal get one line each. */
static void print_differences_of(const comparison *all, const contender *one)
{
  if (all->cases->axis_count > 0 && one->is_checked && is_equal(one)) {
    printf("%s %-78s  %sagrees%s\n", one->label, "every field and series: equal in every bit",
           colour_begin(stdout, COLOUR_GOOD), colour_end(stdout, COLOUR_GOOD));
    return;
  }
  for (size_t k = 0; k < one->difference_count; k++) print_difference(one, &one->differences[k]);
}

/* The differences of contenders that are checked, or of those that are not. */
static void print_differences(const comparison *all, int is_checked)
{
  int begun = 0;
  for (size_t i = 1; i < all->count; i++) {
    const contender *one = &all->contenders[i];
    if (one->is_checked != is_checked || one->difference_count == 0) continue;
    if (!begun++)
      printf("\n%s %-18s %11s %11s %11s %11s %11s %11s\n", all->heading,
             is_checked ? "against its first" : "against the 1st", "values", "differing",
             "absolute", "of largest", "relative", "ULP");
    print_differences_of(all, one);
  }
}

static void print_growth_of(const contender *one, const field_difference *f)
{
  printf("%s %-18.18s", one->label, f->name);
  for (size_t g = 0; g < f->growth_count; g++)
    printf("  %llu: %.2g", (unsigned long long)f->growth[g].step, f->growth[g].absolute);
  printf("\n");
}

static void print_growth(const comparison *all)
{
  int begun = 0;
  for (size_t i = 1; i < all->count; i++) {
    const contender *one = &all->contenders[i];
    for (size_t k = 0; k < one->difference_count; k++) {
      const field_difference *f = &one->differences[k];
      if (f->growth_count == 0 || f->difference.differing == 0) continue;
      if (!begun++)
        printf("\n%s %-18s  step: absolute difference there\n", all->heading, "series");
      print_growth_of(one, f);
    }
  }
}

static void print_fingerprints(const comparison *all)
{
  printf("\n");
  for (size_t i = 0; i < all->count; i++) {
    const contender *one = &all->contenders[i];
    const trial *of = &one->who.trial;
    const char *reference = all->contenders[one->who.reference].who.trial.fingerprint;
    if (one->diverged[0]) {
      printf("%s no fingerprint: it diverged\n", one->label);
      continue;
    }
    printf("%s fingerprint %s", one->label, of->fingerprint);
    if (one->is_checked)
      printf(", %s", strcmp(of->fingerprint, reference) == 0 ? "equal" : "DIFFERENT");
    if (all->runs > 1)
      printf("; %zu runs %s", all->runs, of->repeats ? "repeat it" : "DO NOT REPEAT IT");
    printf("\n");
  }
}

/* ---- conditions ------------------------------------------------------------- */

static void print_condition(const comparison *all, const contender *one)
{
  const run_settings *settings = settings_of(one);
  const trm_device_info *device = contender_device(all, one);
  char wavefront[32] = "automatic";
  if (settings->device.plain_replay) snprintf(wavefront, sizeof wavefront, "off (plain replay)");
  else if (settings->device.wavefront == 1) snprintf(wavefront, sizeof wavefront, "off");
  else if (settings->device.wavefront > 1)
    snprintf(wavefront, sizeof wavefront, "%d", settings->device.wavefront);
  printf("%s %s:%zu %s", one->label, device->backend, device->index, device->name);
  if (device->driver[0]) printf("; %s", device->driver);
  printf("; %s, %s", trm_precision_name(settings->solver.precision),
         trm_math_name(settings->solver.math));
  if (device->threads > 0)
    printf("; %d threads, pinning %s, instances %s, wavefront %s", device->threads, device->pinning,
           one->who.trial.isa, wavefront);
  else printf("; group %dx%d", one->row_group_x, one->row_group_y);
  if (device->is_host) printf("; kernels compiled ahead of time");
  else
    printf("; kernels %s in %.3f s", one->from_cache ? "from the cache" : "built",
           one->who.trial.times.build);
  if (one->roof.missing[0]) printf("; copy ceiling not measured: %s\n", one->roof.missing);
  else printf("; copy ceiling %.2f GB/s\n", 1e-9 * ceiling_copy(&one->roof));
}

static void print_conditions(const comparison *all)
{
  printf("\nConditions: %zu run%s each, taking turns. Compilation, transfer of fields and files "
         "are\nnot counted; launches, kernels and the read-back of series are, from the second "
         "batch on.\nA part of copy above 1 is served by caches.",
         all->runs, all->runs == 1 ? "" : "s");
  interval range = {0};
  for (size_t i = 0; i < all->count && range.confidence == 0; i++)
    if (!all->contenders[i].diverged[0]) (void)contender_ratio(all, &all->contenders[i], &range);
  if (all->runs > 1)
    printf(" Ratio: median over rounds of the speed against\nthe first line's in the same round, "
           "with an interval that holds that median with %.0f %%\nconfidence (sign test).",
           100 * range.confidence);
  printf("\n");
  for (size_t i = 0; i < all->count; i++)
    if (!all->contenders[i].diverged[0]) print_condition(all, &all->contenders[i]);
}

/* ---- the whole --------------------------------------------------------------- */

/* "precision, theta": the varied keys that promise no equal result. */
static void changing_keys(const comparison *all, char *text, size_t bytes)
{
  int used = 0;
  for (size_t a = 0; a < all->cases->axis_count; a++) {
    const vary_axis *axis = &all->cases->axes[a];
    if (axis->same_result || axis->count < 2 || used < 0 || (size_t)used >= bytes) continue;
    used += snprintf(text + used, bytes - (size_t)used, "%s%s", used ? ", " : "", axis->name);
  }
}

/* Where keys are varied that change the result. */
static void print_end_of_families(const comparison *all, int agrees)
{
  char keys[256] = "";
  int checked = 0;
  changing_keys(all, keys, sizeof keys);
  for (size_t i = 0; i < all->count; i++) checked += all->contenders[i].is_checked;
  if (!agrees) printf(" where they must not.");
  else if (checked) printf(" where they must.");
  printf("%sAnother value of %s changes the result: the differences from the first line\nsay how "
         "much, and nothing is demanded of them.\n", agrees && !checked ? "" : "\n", keys);
}

static void print_end(const comparison *all)
{
  const int agrees = comparison_agrees(all), families = comparison_has_families(all);
  const message_colour colour = agrees ? COLOUR_GOOD : COLOUR_BAD;
  const run_settings *first = settings_of(&all->contenders[0]);
  int checked = !families;
  for (size_t i = 0; i < all->count; i++) checked |= all->contenders[i].is_checked;
  printf("\n");
  if (checked || !agrees)
    printf("%s%s%s", colour_begin(stdout, colour),
           agrees ? "The results agree" : "THE RESULTS DIFFER", colour_end(stdout, colour));
  if (families) print_end_of_families(all, agrees);
  else if (first->solver.math == TRM_STRICT)
    printf("%s\n", agrees ? " in every bit." : ": strict runs must be equal in every bit.");
  else
    printf(" (fast arithmetic: to %.3g of the largest value, for %llu steps in %s).\n",
           all->contenders[0].tolerance, (unsigned long long)first->steps,
           trm_precision_name(first->solver.precision));
}

/* What all have in common; what is varied stands in the columns. */
static void print_title(const comparison *all)
{
  const contender *first = &all->contenders[0];
  int shapes = 0, steps = 0, precisions = 0, maths = 0;
  for (size_t i = 1; i < all->count; i++) {
    const contender *one = &all->contenders[i];
    shapes += strcmp(one->who.trial.shape, first->who.trial.shape) != 0;
    steps += one->who.trial.steps != first->who.trial.steps;
    precisions += settings_of(one)->solver.precision != settings_of(first)->solver.precision;
    maths += settings_of(one)->solver.math != settings_of(first)->solver.math;
  }
  printf("case %s (%s):", first->who.chosen->name, first->who.chosen->type->name);
  if (!shapes) printf(" %s,", first->who.trial.shape);
  if (!steps) printf(" %.0f steps,", first->who.trial.steps);
  if (!precisions) printf(" %s,", trm_precision_name(settings_of(first)->solver.precision));
  printf(" %s\n\n", maths ? "strict and fast" : trm_math_name(settings_of(first)->solver.math));
}

void comparison_print(const comparison *all)
{
  print_title(all);
  print_speeds(all);
  print_differences(all, 1);
  print_differences(all, 0);
  print_growth(all);
  print_fingerprints(all);
  print_conditions(all);
  print_end(all);
  if (comparison_diverged(all))
    printf("%zu of %zu diverged; there is nothing of theirs to compare.\n",
           comparison_diverged(all), all->count);
}
