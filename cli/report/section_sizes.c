/* section_sizes.c - speed over the size of the grid with the crossover of each two devices, and
 * over the number of threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/sections.h"
#include "cli/report/sweep.h"
#include "run/text/text.h"

/* ---- sizes -------------------------------------------------------------------------------- */

/* The first row of a series at a size that has no wrong result; NaN: at any. NULL: none. */
static const report_row *row_at(const report_data *all, const chart_series *one, double cells)
{
  for (size_t i = 0; i < all->count; i++)
    if ((all->list[i].of.cells == cells || isnan(cells)) && isfinite(all->list[i].rate.median) &&
        strcmp(all->list[i].series, one->name) == 0 && report_row_agreement(all, i) != AGREE_NOT)
      return &all->list[i];
  return NULL;
}

/* One series over another at the sizes of both. */
typedef struct contest {
  const char *one, *other;
  double x[SWEEP_POINTS], ratios[SWEEP_POINTS];
  int shown[SWEEP_POINTS];     /* by the runs: ahead: 1, behind: -1; 0: neither could be shown */
  size_t count, ahead, behind;
  int is_partial;              /* 1: one of them has further sizes */
} contest;

static void compare(const report_data *all, const chart_series *a, const chart_series *b,
                    contest *out)
{
  *out = (contest){.one = a->name, .other = b->name};
  for (size_t i = 0; i < a->count; i++) {
    const double x = a->points[i].x;
    const report_row *one = row_at(all, a, x), *other = row_at(all, b, x);
    interval range;
    if (!one || !other) continue;
    out->x[out->count] = x;
    out->ratios[out->count] = report_row_ratio(one, other, &range, NULL);
    out->shown[out->count] = !interval_shows(&range) ? 0 : range.low > 1 ? 1 : -1;
    out->ahead += out->shown[out->count] > 0;
    out->behind += out->shown[out->count] < 0;
    out->count++;
  }
  out->is_partial = out->count < a->count || out->count < b->count;
}

/* The last crossing between two sizes at which one and the other is shown to be ahead: noise at
 * other sizes makes none. Their number, and how many sizes follow where nothing is shown. */
static double shown_crossing(const contest *of, int *rising, size_t *crossings, size_t *open)
{
  double found = NAN;
  size_t last = of->count;
  *crossings = 0;
  for (size_t i = 0; i < of->count; i++) {
    if (!of->shown[i]) continue;
    if (last < of->count && of->shown[last] != of->shown[i]) {
      found = crossing_of(of->x + last, of->ratios + last, i - last + 1, rising);
      ++*crossings;
    }
    last = i;
  }
  *open = of->count - 1 - last;
  return found;
}

static void say_turn(page *out, const report_row *row, const contest *of)
{
  int rising = 0;
  size_t crossings, open;
  char where[SIZE_TEXT], more[160] = "";
  const double at = shown_crossing(of, &rising, &crossings, &open);
  if (crossings > 1)
    text_append(more, sizeof more, "; the curves cross %zu times, and this is the last",
                crossings);
  if (open > 0)
    text_append(more, sizeof more, "; at the %zu largest size%s no difference could be shown",
                open, open > 1 ? "s" : "");
  page_item(out, MARK_NONE, "%s wins over %s above about %s%s.", rising ? of->one : of->other,
            rising ? of->other : of->one, report_size_text(row, at, where), more);
}

static void say_crossing(page *out, const report_row *row, const contest *of)
{
  const char *first = of->ahead ? of->one : of->other, *second = of->ahead ? of->other : of->one;
  const size_t shown = of->ahead + of->behind;
  if (of->count == 0)
    page_item(out, MARK_UNKNOWN, "%s and %s were measured at no common size, so that no crossover "
              "is known; give both the same sizes (trireme study --sizes).", of->one, of->other);
  else if (shown == 0)
    page_item(out, MARK_UNKNOWN, "%s and %s: no difference could be shown with %d %% confidence "
              "at any size; --runs=%d or more, or longer runs (--seconds), tell more.", of->one,
              of->other, (int)VERDICT_PERCENT, (int)VERDICT_RUNS);
  else if (of->ahead && of->behind) say_turn(out, row, of);
  else if (shown < of->count)
    page_item(out, MARK_NONE, "%s is ahead of %s at %zu of %zu sizes; at the others no difference "
              "could be shown.", first, second, shown, of->count);
  else
    page_item(out, MARK_NONE, "%s is ahead of %s at every size measured%s: no crossover between "
              "%.0f and %.0f %s.", first, second, of->is_partial ? " for both" : "", of->x[0],
              of->x[of->count - 1], report_size_unit(row));
}

/* Each two series of the same work are compared. */
static void say_crossings(page *out, const report_data *found, const sweep *all)
{
  contest *of = page_room(out, sizeof *of);
  for (size_t i = 1; of && i < all->count; i++)
    for (size_t k = 0; k < i; k++) {
      const chart_series *a = &all->series[i], *b = &all->series[k];
      if (a->count < 2 || b->count < 2) continue;
      const report_row *one = row_at(found, a, NAN);
      const report_row *other = row_at(found, b, NAN);
      if (!one || !other || !report_row_same_work(one, other)) continue;
      compare(found, a, b, of);
      say_crossing(out, one, of);
    }
  free(of);
}

void section_sizes(page *out, const report_data *all)
{
  const char *unit = all->count > 0 ? report_size_unit(&all->list[0]) : "cells";
  const chart_axes axes = {unit, "updates a second", 1, 1, 0};
  sweep *plot = page_room(out, sizeof *plot);
  if (!plot) return;
  page_section(out, "sizes", "Size sweep");
  for (size_t i = 0; i < all->count; i++)
    sweep_add(plot, all->list[i].series, all->list[i].of.cells, all->list[i].rate.median);
  if (sweep_finish(plot)) {
    page_figure(out, "sizes", "Median speed over the size of the grid.",
                chart_lines(&axes, plot->series, plot->count),
                "Speed over the number of %s for %zu devices or settings, on logarithmic axes.",
                unit, plot->count);
    sweep_say_left(plot, out);
    say_crossings(out, all, plot);
    section_peaks(out, all);
  } else {
    section_advise(out, all, "All runs are of one size. A sweep shows the sizes at which each "
                   "device is faster:", "study", "--sizes=128,256,1024");
  }
  free(plot);
}

/* ---- threads ------------------------------------------------------------------------------ */

void section_scaling(page *out, const report_data *all)
{
  static const chart_axes axes = {"threads", "speed, of the fewest threads", 0, 0, 1};
  sweep *plot = page_room(out, sizeof *plot);
  if (!plot) return;
  page_section(out, "scaling", "Scaling");
  for (size_t i = 0; i < all->count; i++)
    if (all->list[i].of.is_host)
      sweep_add(plot, all->list[i].team, all->list[i].of.threads, all->list[i].rate.median);
  if (!sweep_show_scaling(plot, out, "scaling", &axes, 1, "Speed over the number of threads on a "
                          "grid of one size (strong scaling)."))
    section_advise(out, all, "All runs of a processor have one number of threads. This shows how "
                   "it scales:", "compare", "--on=openmp --vary=threads=1,2,4,8");
  free(plot);
  section_devices(out, all);
}
