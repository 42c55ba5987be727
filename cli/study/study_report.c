/* study_report.c - the tables of a study on stdout. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/listing.h"
#include "cli/message.h"
#include "cli/study/study.h"

enum { NAME_COLUMN = 12 };

/* ---- words ------------------------------------------------------------------------ */

static void print_result(const study *all, const study_row *row)
{
  const int agrees = row_agrees(all, row);
  const int strict = row->who.chosen->settings.solver.math == TRM_STRICT;
  const char *word = !row->who.trial.fingerprint[0]              ? "-"
                     : !strict                         ? "fast"
                     : !agrees                         ? "DIFFERS"
                     : row_reference(all, row) == row  ? "first"
                                                       : "equal";
  const message_colour colour = agrees ? COLOUR_GOOD : COLOUR_BAD;
  printf(" %s%-7s%s", colour_begin(stdout, colour), word, colour_end(stdout, colour));
}

/* "1.54 [1.50, 1.58]", and whether that is more than noise. */
static void print_ratio(const study_row *row, const study_row *to)
{
  char text[64] = "-";
  if (to && to != row) {
    interval range;
    const sample ratio = trial_ratio(&row->who.trial, &to->who.trial, &range);
    const char *noise = range.low <= 1 && range.high >= 1 ? " ~" : "";
    snprintf(text, sizeof text, "%.3g [%.3g, %.3g]%s", ratio.median, range.low, range.high, noise);
  }
  printf(" %-26s", text);
}

static void print_speed(const study_row *row)
{
  const sample rate = trial_rate(&row->who.trial);
  printf(" %11.4g %6.1f %% %12.5g", 1e6 * trial_step_seconds(&row->who.trial),
         100 * sample_spread(&rate), 1e-6 * rate.median);
}

static void print_failure(const study_row *row)
{
  printf(" %sfailed: %s%s\n", colour_begin(stdout, COLOUR_BAD), row->error,
         colour_end(stdout, COLOUR_BAD));
}

/* ---- a ladder ----------------------------------------------------------------------- */

static int has_why(const study *all, const study_row *row)
{
  return row->who.trial.run_count > 0 && row_before(all, row) &&
         ceiling_copy(&all->roofs[row->group]) > 0;
}

static why why_of(const study *all, const study_row *row)
{
  return study_explain(row_before(all, row), row, &all->roofs[row->group],
                       row_device(all, row)->is_host);
}

/* "saved 43.2 = transfers 40.1 + launches 3.0 + rest 0.1" */
static void print_why(const study *all, const study_row *row)
{
  if (!has_why(all, row)) return;
  const why because = why_of(all, row);
  printf(" %.3g =", 1e6 * because.saved);
  for (size_t i = 0; i < because.count; i++)
    if (isfinite(because.parts[i].seconds))
      printf(" %s %.3g,", because.parts[i].what, 1e6 * because.parts[i].seconds);
  printf(" rest %.3g", 1e6 * because.rest);
}

static void print_rungs(const study *all, size_t begin, size_t end)
{
  printf("%-*s %11s %8s %12s %-26s %-26s %-7s %s\n", NAME_COLUMN, "rung", "us a step", "spread",
         "M updates/s", "to the rung before", "to the first", "result",
         "why: us a step saved");
  for (size_t i = begin; i < end; i++) {
    const study_row *row = &all->rows[i];
    printf("%-*s", NAME_COLUMN, row->rung->name);
    if (row->status == ROW_FAILED) {
      print_failure(row);
      continue;
    }
    print_speed(row);
    print_ratio(row, row_before(all, row));
    print_ratio(row, all->rows[begin].who.trial.run_count ? &all->rows[begin] : NULL);
    print_result(all, row);
    print_why(all, row);
    printf("\n");
  }
}

/* What the rung was meant to save and what of that was not seen. */
static void print_unseen(const trm_rung *rung, const why *because)
{
  static const char *const names[] = {"transfers", "launches", "bytes", "serial", "divergence"};
  for (unsigned bit = 0; bit < WHY_PARTS; bit++) {
    if (!(rung->saves & 1u << bit)) continue;
    size_t i = 0;
    while (i < because->count && strcmp(because->parts[i].what, names[bit]) != 0) i++;
    if (i == because->count)
      printf("    %-10s no difference here, though the rung is meant to make one\n", names[bit]);
  }
}

static void print_changes(const study *all, size_t begin, size_t end)
{
  printf("\n");
  for (size_t i = begin; i < end; i++) {
    const study_row *row = &all->rows[i];
    printf("  %s: %s\n", row->rung->name, row->rung->changes);
    if (!has_why(all, row)) continue;
    const why because = why_of(all, row);
    for (size_t k = 0; k < because.count; k++)
      printf("    %-10s %s, %s%s\n", because.parts[k].what, because.parts[k].text,
             because.parts[k].how, isfinite(because.parts[k].seconds) ? "" : "; not priced");
    print_unseen(row->rung, &because);
  }
}

static void print_roofs(const ceiling *roofs)
{
  if (!(ceiling_copy(roofs) > 0)) {
    printf("The device's prices were not measured: %s\n", roofs->missing);
    return;
  }
  printf("Prices on this device: memory %.4g GB/s", 1e-9 * ceiling_copy(roofs));
  if (roofs->here_bytes)
    printf(", arrays of %.4g kB as here %.4g GB/s", 1e-3 * (double)roofs->here_bytes,
           1e-9 * roofs->here);
  printf("; a launch %.3g us,\nrecorded %.3g us; to the device %.3g GB/s, back %.3g GB/s, %.3g us "
         "a transfer; a value that one item sums %.3g ns.\n", 1e6 * roofs->launch_plain.median,
         1e6 * roofs->launch_recorded.median, 1e-9 * roofs->to_device.median,
         1e-9 * roofs->from_device.median, 1e6 * roofs->transfer.median,
         1e9 * roofs->serial.median);
}

static void print_ladder(const study *all, size_t begin, size_t end)
{
  const study_row *first = &all->rows[begin];
  const trial_device *of = &all->devices.list[first->who.device];
  const run_settings *settings = &first->who.chosen->settings;
  printf("case %s (%s), ladder on %s (%s): %s, %s, %s", first->who.chosen->name,
         first->who.chosen->type->name, of->spec, of->info.name, first->who.trial.shape,
         trm_precision_name(settings->solver.precision), trm_math_name(settings->solver.math));
  if (of->info.threads > 0) printf(", %d threads", of->info.threads);
  for (size_t a = 0; a < first->who.cases->axis_count; a++)
    printf(", %s=%s", first->who.cases->axes[a].name,
           variation_value(first->who.cases, first->who.case_index, a));
  printf("\n\n");
  print_rungs(all, begin, end);
  print_changes(all, begin, end);
  print_roofs(&all->roofs[first->group]);
  printf("\n");
}

/* ---- a sweep ------------------------------------------------------------------------- */

static void print_labels(const study_row *row)
{
  char name[256];
  entrant_say(&row->who, name, sizeof name);
  printf("%-44s", name);
}

static size_t threads_axis(const variation *cases)
{
  size_t a = 0;
  while (a < cases->axis_count && strcmp(cases->axes[a].key, "run.threads") != 0) a++;
  return a;
}

/* Speed a thread against that of the first row whose other values are alike. */
static void print_efficiency(const study *all, const study_row *row, size_t axis)
{
  const int threads = row_device(all, row)->threads;
  for (size_t i = 0; i < all->row_count && threads > 0; i++) {
    const study_row *to = &all->rows[i];
    const int to_threads = row_device(all, to)->threads;
    size_t a = 0;
    while (a < row->who.cases->axis_count &&
           (a == axis || strcmp(variation_value(row->who.cases, row->who.case_index, a),
                                variation_value(to->who.cases, to->who.case_index, a)) == 0)) a++;
    if (a < row->who.cases->axis_count || to->who.size != row->who.size || to_threads <= 0 ||
        to->who.trial.run_count == 0 ||
        strcmp(to->who.trial.on, row->who.trial.on) != 0) continue;
    const double gain = trial_rate(&row->who.trial).median / trial_rate(&to->who.trial).median;
    printf(" %10.3f", gain * to_threads / threads);
    return;
  }
  printf(" %10s", "-");
}

static void print_rows(const study *all)
{
  const size_t axis = threads_axis(&all->variations[0]);
  const int has_threads = axis < all->variations[0].axis_count;
  printf("%-44s %11s %8s %12s %-26s %-7s%s\n", "row", "us a step", "spread", "M updates/s",
         "to the first", "result", has_threads ? " efficiency" : "");
  for (size_t i = 0; i < all->row_count; i++) {
    const study_row *row = &all->rows[i];
    print_labels(row);
    if (row->status == ROW_FAILED) {
      print_failure(row);
      continue;
    }
    print_speed(row);
    print_ratio(row, all->rows[0].who.trial.run_count ? &all->rows[0] : NULL);
    print_result(all, row);
    if (has_threads) print_efficiency(all, row, axis);
    printf("\n");
  }
}

/* ---- crossings ------------------------------------------------------------------------ */

/* The number that a row has on the axis of sizes: --sizes, else the first key that changes the
 * result and has numbers for values; NaN: none. *name is that of the axis. */
static double size_of(const study_row *row, const char **name)
{
  if (row->who.size) {
    *name = "size";
    return strtod(row->who.size, NULL);
  }
  for (size_t a = 0; a < row->who.cases->axis_count; a++) {
    const vary_axis *axis = &row->who.cases->axes[a];
    size_t numbers = 0;
    for (size_t i = 0; i < axis->count; i++)
      numbers += isdigit((unsigned char)axis->values[i][0]) != 0;
    if (axis->same_result || numbers < axis->count) continue;
    *name = axis->name;
    char *end;
    const double value = strtod(variation_value(row->who.cases, row->who.case_index, a), &end);
    if (!*end && value > 0) return value;
  }
  return (double)NAN;
}

/* Alike in all but the size and the device. */
static int is_alike(const study_row *a, const study_row *b)
{
  for (size_t i = 0; i < a->who.cases->axis_count; i++) {
    const char *name = NULL;
    (void)size_of(a, &name);
    if (name && strcmp(name, a->who.cases->axes[i].name) == 0) continue;
    if (strcmp(variation_value(a->who.cases, a->who.case_index, i),
               variation_value(b->who.cases, b->who.case_index, i)) != 0) return 0;
  }
  return 1;
}

typedef struct curve { double size[STUDY_ROWS], ratio[STUDY_ROWS]; size_t count; } curve;

static void add_point(curve *to, double size, double ratio)
{
  size_t at = to->count++;
  for (; at > 0 && to->size[at - 1] > size; at--) {
    to->size[at] = to->size[at - 1];
    to->ratio[at] = to->ratio[at - 1];
  }
  to->size[at] = size;
  to->ratio[at] = ratio;
}

/* Speed of `other` over `base` by size, for the rows that are alike. */
static const char *find_curve(const study *all, const study_row *base, const study_row *other,
                              curve *out)
{
  const char *name = NULL, *unused = NULL;
  out->count = 0;
  for (size_t i = 0; i < all->row_count; i++)
    for (size_t k = 0; k < all->row_count; k++) {
      const study_row *a = &all->rows[i], *b = &all->rows[k];
      if (strcmp(a->who.trial.on, base->who.trial.on) != 0 ||
          strcmp(b->who.trial.on, other->who.trial.on) != 0) continue;
      const double size = size_of(a, &name);
      if (!isfinite(size) || size != size_of(b, &unused) || !is_alike(a, base) ||
          !is_alike(b, other) || !is_alike(a, b) || !a->who.trial.run_count ||
          !b->who.trial.run_count)
        continue;
      add_point(out, size, trial_rate(&b->who.trial).median / trial_rate(&a->who.trial).median);
    }
  return name;
}

static void print_crossing(const study *all, const study_row *base, const study_row *other)
{
  static curve found;
  int rising = 0;
  const char *name = find_curve(all, base, other, &found);
  if (found.count < 2) return;
  const char *a = base->who.trial.on, *b = other->who.trial.on;
  const double at = crossing_of(found.size, found.ratio, found.count, &rising);
  if (isfinite(at))
    printf("%s is faster than %s above %s = %.3g (between the points studied: a straight line in "
           "logarithms).\n", rising ? b : a, rising ? a : b, name, at);
  else
    printf("%s is faster than %s at every %s studied: %.3g to %.3g times.\n",
           found.ratio[0] >= 1 ? b : a, found.ratio[0] >= 1 ? a : b, name,
           found.ratio[0] >= 1 ? found.ratio[0] : 1 / found.ratio[0],
           found.ratio[0] >= 1 ? found.ratio[found.count - 1]
                               : 1 / found.ratio[found.count - 1]);
}

/* Each further device against the first, by size. */
static void print_crossings(const study *all)
{
  const study_row *base = &all->rows[0];
  for (size_t i = 1; i < all->row_count; i++) {
    const study_row *row = &all->rows[i];
    const char *spec = row->who.trial.on;
    int is_new = strcmp(spec, base->who.trial.on) != 0 && is_alike(row, base);
    for (size_t k = 0; k < i && is_new; k++)
      is_new = strcmp(all->rows[k].who.trial.on, spec) != 0;
    if (is_new) print_crossing(all, base, row);
  }
}

/* ---- the whole ------------------------------------------------------------------------- */

static void print_end(const study *all)
{
  size_t failed = 0, differ = 0;
  for (size_t i = 0; i < all->row_count; i++) {
    failed += all->rows[i].status == ROW_FAILED;
    differ += !row_agrees(all, &all->rows[i]);
  }
  interval range = {0};
  for (size_t i = 0; i < all->row_count && range.confidence <= 0; i++) {
    const trial *of = &all->rows[i].who.trial;
    if (of->run_count) (void)trial_ratio(of, of, &range);
  }
  printf("%zu runs of each row, taking turns, of about %g s or the whole case; before them %d\n"
         "steps, or about %d s of them, that warm up and are compared: equal means every bit of\n"
         "state and series. Ratios are medians over rounds with an interval of %.1f %% confidence\n"
         "(sign test); ~ marks those that noise explains.\n", all->runs, all->seconds,
         (int)STUDY_VERIFIED_STEPS, (int)STUDY_VERIFIED_SECONDS, 100 * range.confidence);
  if (all->is_ladder)
    printf("Why: each count times the price of one, measured on the device; what is left is the\n"
           "rest. A part can be more than the whole where it was hidden behind other work.\n");
  if (differ) printf("%zu rows DIFFER from the first.\n", differ);
  if (failed) printf("%zu rows failed.\n", failed);
  listing_results(all->out.folder);
}

void study_print(const study *all)
{
  if (all->is_ladder) {
    for (size_t begin = 0, end; begin < all->row_count; begin = end) {
      for (end = begin; end < all->row_count && all->rows[end].group == all->rows[begin].group;)
        end++;
      print_ladder(all, begin, end);
    }
  } else {
    printf("case %s (%s)\n\n", all->rows[0].who.chosen->name, all->rows[0].who.chosen->type->name);
    print_rows(all);
    printf("\n");
    print_crossings(all);
  }
  print_end(all);
}
