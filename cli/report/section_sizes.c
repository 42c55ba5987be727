/* section_sizes.c - speed over the size of the grid with the crossover of each two devices, and
 * over the number of threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/sections.h"
#include "cli/report/sweep.h"

/* ---- sizes -------------------------------------------------------------------------------- */

/* y of a series at x, between its points by straight lines on logarithmic axes. */
static double value_at(const chart_series *one, double x)
{
  for (size_t i = 1; i < one->count; i++) {
    const chart_point *a = &one->points[i - 1], *b = &one->points[i];
    if (x < a->x || x > b->x || a->x == b->x) continue;
    const double part = log(x / a->x) / log(b->x / a->x);
    return a->y * pow(b->y / a->y, part);
  }
  return NAN;
}

/* Whether one series is ahead of another at a size, by its runs: 1, or behind: -1; 0: neither could
 * be shown. */
static int shown_at(const report_data *all, const chart_series *a, const chart_series *b, double x)
{
  const report_row *one = NULL, *other = NULL;
  interval range;
  for (size_t i = 0; i < all->count; i++) {
    const report_row *at = &all->list[i];
    if (at->of.cells != x) continue;
    if (!one && strcmp(at->series, a->name) == 0) one = at;
    if (!other && strcmp(at->series, b->name) == 0) other = at;
  }
  if (!one || !other) return 0;
  (void)report_row_ratio(one, other, &range, NULL);
  return !interval_shows(&range) ? 0 : range.low > 1 ? 1 : -1;
}

/* The speed of one series over another's, at the points of the first. */
static size_t compare(const chart_series *a, const chart_series *b, double *x, double *ratios)
{
  size_t count = 0;
  for (size_t i = 0; i < a->count; i++) {
    x[count] = a->points[i].x;
    ratios[count] = a->points[i].y / value_at(b, x[count]);
    count += isfinite(ratios[count]) != 0;
  }
  return count;
}

/* The last crossing between two sizes at which one and the other is shown to be ahead: noise at
 * other sizes makes none. shown: as shown_at tells. */
static double shown_crossing(const double *x, const double *ratios, const int *shown, size_t count,
                             int *rising)
{
  double found = NAN;
  size_t last = count;
  for (size_t i = 0; i < count; i++) {
    if (!shown[i]) continue;
    if (last < count && shown[last] != shown[i])
      found = crossing_of(x + last, ratios + last, i - last + 1, rising);
    last = i;
  }
  return found;
}

static void say_crossing(page *out, const report_data *all, const chart_series *a,
                         const chart_series *b)
{
  double x[SWEEP_POINTS], ratios[SWEEP_POINTS];
  int rising = 0;
  const size_t count = compare(a, b, x, ratios);
  int shown[SWEEP_POINTS];
  size_t ahead = 0, behind = 0;
  for (size_t i = 0; i < count; i++) {
    shown[i] = shown_at(all, a, b, x[i]);
    ahead += shown[i] > 0;
    behind += shown[i] < 0;
  }
  const char *first = ahead ? a->name : b->name, *second = ahead ? b->name : a->name;
  if (ahead + behind == 0 && count > 0) {
    page_item(out, MARK_UNKNOWN, "%s and %s: no difference could be shown with %d %% confidence "
                                 "at any size; --runs=%d or more, or longer runs (--seconds), "
                                 "tell more.", a->name, b->name,
              (int)VERDICT_PERCENT, (int)VERDICT_RUNS);
    return;
  }
  if (ahead + behind < count && !ahead != !behind) {
    page_item(out, MARK_NONE, "%s is ahead of %s at %zu of %zu sizes; at the others no difference "
              "could be shown.", first, second, ahead + behind, count);
    return;
  }
  if (!ahead != !behind) {
    page_item(out, MARK_NONE, "%s is ahead of %s at every size measured: no crossover between %.0f "
              "and %.0f cells.", first, second, a->points[0].x, a->points[a->count - 1].x);
    return;
  }
  const double at = shown_crossing(x, ratios, shown, count, &rising);
  if (isfinite(at))
    page_item(out, MARK_NONE, "%s wins over %s above about %.0f cells (%.0f x %.0f).",
              rising ? a->name : b->name, rising ? b->name : a->name, at, sqrt(at), sqrt(at));
}

/* ---- peaks -------------------------------------------------------------------------------- */

static int is_host_series(const report_data *all, const chart_series *one)
{
  for (size_t i = 0; i < all->count; i++)
    if (strcmp(all->list[i].series, one->name) == 0) return all->list[i].of.is_host;
  return -1;
}

static const chart_point *peak_of(const chart_series *one)
{
  const chart_point *peak = &one->points[0];
  for (size_t i = 1; i < one->count; i++)
    if (one->points[i].y > peak->y) peak = &one->points[i];
  return peak;
}

static const char *end_of(const chart_series *one, const chart_point *peak)
{
  return peak == &one->points[one->count - 1] ? ", the largest size measured" : "";
}

/* The smallest size at which a series reaches a speed, on logarithmic scales; NaN: it never
 * does. */
static double size_reaching(const chart_series *one, double speed)
{
  const chart_point *at = one->points;
  for (size_t i = 0; i < one->count; i++) {
    if (at[i].y < speed) continue;
    if (i == 0) return at[0].x;
    const double part = log(speed / at[i - 1].y) / log(at[i].y / at[i - 1].y);
    return at[i - 1].x * pow(at[i].x / at[i - 1].x, part);
  }
  return NAN;
}

/* Peak-to-peak ratio and peak ratio crossover, after Huebler, Larson, Dennis and Voelz (GMD 19,
 * 3783, 2026). The paper's formulas were not at hand: this is a reading of its abstract. */
static void say_peaks(page *out, const chart_series *gpu, const chart_series *host)
{
  const chart_point *a = peak_of(gpu), *b = peak_of(host);
  const double reached = size_reaching(gpu, b->y);
  char text[480];
  if (isnan(reached)) snprintf(text, sizeof text, "no PRC: %s never reaches that", gpu->name);
  else
    snprintf(text, sizeof text, "PRC %s%.3g cells (%.0f x %.0f): from there on %s beats the best "
             "that %s reaches at any size", reached <= gpu->points[0].x ? "below " : "", reached,
             sqrt(reached), sqrt(reached), gpu->name, host->name);
  page_item(out, MARK_NONE, "%s and %s: PPR %.3g (peaks at %.0f cells%s, and %.0f cells%s); %s. "
            "PPR and PRC by our reading of their abstract. A processor reaches its peak on one "
            "large grid only if the grid can be cut into many independent cases.", gpu->name,
            host->name, a->y / b->y, a->x, end_of(gpu, a), b->x, end_of(host, b), text);
}

static void say_all_peaks(page *out, const report_data *found, const sweep *all)
{
  for (size_t i = 0; i < all->count; i++)
    for (size_t k = 0; k < all->count; k++)
      if (all->series[i].count >= 2 && all->series[k].count >= 2 &&
          is_host_series(found, &all->series[i]) == 0 &&
          is_host_series(found, &all->series[k]) == 1)
        say_peaks(out, &all->series[i], &all->series[k]);
}

static void say_crossings(page *out, const report_data *found, const sweep *all)
{
  for (size_t i = 1; i < all->count; i++)
    for (size_t k = 0; k < i; k++)
      if (all->series[i].count >= 2 && all->series[k].count >= 2)
        say_crossing(out, found, &all->series[i], &all->series[k]);
}

void section_sizes(page *out, const report_data *all)
{
  static const chart_axes axes = {"cells of the grid", "updates a second", 1, 1, 0};
  sweep *plot = page_room(out, sizeof *plot);
  if (!plot) return;
  page_section(out, "sizes", "Size sweep");
  for (size_t i = 0; i < all->count; i++)
    sweep_add(plot, all->list[i].series, all->list[i].of.cells, all->list[i].rate.median);
  if (sweep_finish(plot)) {
    page_figure(out, "sizes", "Median speed over the size of the grid.",
                chart_lines(&axes, plot->series, plot->count),
                "Speed over the number of cells for %zu devices or settings, on logarithmic axes.",
                plot->count);
    say_crossings(out, all, plot);
    say_all_peaks(out, all, plot);
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
