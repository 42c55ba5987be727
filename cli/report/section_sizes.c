/* section_sizes.c - speed over the size of the grid with the crossover of each two devices, and
 * over the number of threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/chart.h"
#include "cli/report/sections.h"

enum { SWEEP_SERIES = 16, SWEEP_POINTS = 64 };

typedef struct sweep {
  chart_point points[SWEEP_SERIES + 1][SWEEP_POINTS];
  chart_series series[SWEEP_SERIES + 1];
  char names[SWEEP_SERIES + 1][160];
  size_t count;
} sweep;

static int by_x(const void *a, const void *b)
{
  const double x = ((const chart_point *)a)->x, y = ((const chart_point *)b)->x;
  return (x > y) - (x < y);
}

/* The series of that name, made if there is none; NULL when there is no room. */
static chart_series *series_of(sweep *all, const char *name)
{
  for (size_t i = 0; i < all->count; i++)
    if (strcmp(all->names[i], name) == 0) return &all->series[i];
  if (all->count == SWEEP_SERIES) return NULL;
  chart_series *added = &all->series[all->count];
  snprintf(all->names[all->count], sizeof all->names[0], "%s", name);
  *added = (chart_series){all->names[all->count], all->points[all->count], 0, 0, CHART_LINE};
  all->count++;
  return added;
}

static void add_point(sweep *all, const char *name, double x, double y)
{
  chart_series *to = series_of(all, name);
  if (!to || to->count == SWEEP_POINTS || !(x > 0) || !(y > 0)) return;
  for (size_t i = 0; i < to->count; i++) /* what another file tells again */
    if (to->points[i].x == x) return;
  all->points[to - all->series][to->count++] = (chart_point){x, y, NULL};
}

/* Sorts, and drops series that are a single point; 1 when any is left. */
static int finish(sweep *all)
{
  int left = 0;
  for (size_t i = 0; i < all->count; i++) {
    chart_series *one = &all->series[i];
    one->colour = (int)i;
    qsort(all->points[i], one->count, sizeof all->points[i][0], by_x);
    if (one->count < 2) one->count = 0;
    if (one->count < 2) one->name = NULL;
    left |= one->count >= 2;
  }
  return left;
}

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

static void say_crossing(page *out, const chart_series *a, const chart_series *b)
{
  double x[SWEEP_POINTS], ratios[SWEEP_POINTS];
  int rising = 0;
  const size_t count = compare(a, b, x, ratios);
  size_t ahead = 0, behind = 0;
  for (size_t i = 0; i < count; i++) {
    ahead += ratios[i] > 1;
    behind += ratios[i] < 1;
  }
  if (!ahead != !behind) {
    page_item(out, MARK_NONE, "%s is ahead of %s at every size measured: no crossover between %.0f "
              "and %.0f cells.", ahead ? a->name : b->name, ahead ? b->name : a->name,
              a->points[0].x, a->points[a->count - 1].x);
    return;
  }
  const double at = crossing_of(x, ratios, count, &rising);
  if (isfinite(at))
    page_item(out, MARK_NONE, "%s wins over %s above about %.0f cells (%.0f x %.0f).",
              rising ? a->name : b->name, rising ? b->name : a->name, at, sqrt(at), sqrt(at));
}

static void say_crossings(page *out, const sweep *all)
{
  for (size_t i = 1; i < all->count; i++)
    for (size_t k = 0; k < i; k++)
      if (all->series[i].count >= 2 && all->series[k].count >= 2)
        say_crossing(out, &all->series[i], &all->series[k]);
}

void section_sizes(page *out, const findings *all)
{
  static const chart_axes axes = {"cells of the grid", "updates a second", 1, 1};
  sweep *plot = calloc(1, sizeof *plot);
  if (!plot) {
    out->failed = 1;
    return;
  }
  page_section(out, "sizes", "Size sweep");
  for (size_t i = 0; i < all->count; i++)
    add_point(plot, all->list[i].series, all->list[i].of.cells, all->list[i].rate.median);
  if (finish(plot)) {
    page_figure(out, "sizes", "Median speed over the size of the grid.",
                chart_lines(&axes, plot->series, plot->count),
                "Speed over the number of cells for %zu devices or settings, on logarithmic axes.",
                plot->count);
    say_crossings(out, plot);
  } else {
    section_advise(out, all, "All runs are of one size. A sweep shows at which sizes each device "
                   "is the faster one:", "study", "--sizes=128,256,1024");
  }
  free(plot);
}

/* ---- threads and devices -------------------------------------------------------------- */

/* Speeds become ratios to that of the fewest threads, for each thread of those; or devices. */
static void divide(sweep *all, page *out, const char *noun)
{
  for (size_t i = 0; i < all->count; i++) {
    chart_series *one = &all->series[i];
    if (one->count < 2) continue;
    chart_point *points = all->points[i];
    const chart_point first = points[0], last = points[one->count - 1];
    for (size_t k = 0; k < one->count; k++) points[k].y *= first.x / first.y;
    page_item(out, MARK_NONE, "%s: %.0f %s are %.3g times as fast as %.0f, %.0f %% of a "
              "perfect speed-up.", one->name, last.x, noun, last.y / first.y, first.x,
              100 * last.y / first.y * first.x / last.x);
  }
}

/* What twice the threads being twice as fast would be. */
static void add_ideal(sweep *all)
{
  double least = INFINITY, most = 0;
  for (size_t i = 0; i < all->count; i++)
    if (all->series[i].count >= 2) {
      least = fmin(least, all->points[i][0].x);
      most = fmax(most, all->points[i][all->series[i].count - 1].x);
    }
  chart_point *points = all->points[all->count];
  points[0] = (chart_point){least, least, NULL};
  points[1] = (chart_point){most, most, NULL};
  all->series[all->count++] = (chart_series){"perfect speed-up", points, 2, 6, CHART_DASHED};
}

/* "devices:2" */
static double devices_of(const finding *one)
{
  double count = 1;
  return sscanf(one->of.id, "devices:%lf", &count) == 1 ? count : 1;
}

static void say_exchange(page *out, const findings *all)
{
  for (size_t i = 0; i < all->count; i++)
    if (devices_of(&all->list[i]) > 1 && isfinite(all->list[i].of.exchange))
      page_item(out, MARK_NONE, "%s: moving rows and waiting for them took %.1f %% of the devices' "
                "time.", all->list[i].label, 100 * all->list[i].of.exchange);
}

static void scale_devices(page *out, const findings *all)
{
  static const chart_axes axes = {"devices", "speed, of the fewest devices", 0, 0};
  sweep *plot = calloc(1, sizeof *plot);
  if (!plot) {
    out->failed = 1;
    return;
  }
  for (size_t i = 0; i < all->count; i++)
    add_point(plot, all->list[i].name, devices_of(&all->list[i]), all->list[i].rate.median);
  if (finish(plot)) {
    divide(plot, out, "devices");
    say_exchange(out, all);
    add_ideal(plot);
    page_figure(out, "devices", "Speed over the number of devices that share one run (strong "
                "scaling).", chart_lines(&axes, plot->series, plot->count),
                "Speed over the number of devices for %zu settings, beside the ideal line.",
                plot->count - 1);
  }
  free(plot);
}

void section_scaling(page *out, const findings *all)
{
  static const chart_axes axes = {"threads", "speed, of the fewest threads", 0, 0};
  sweep *plot = calloc(1, sizeof *plot);
  if (!plot) {
    out->failed = 1;
    return;
  }
  page_section(out, "scaling", "Scaling");
  for (size_t i = 0; i < all->count; i++)
    if (all->list[i].of.is_host)
      add_point(plot, all->list[i].team, all->list[i].of.threads, all->list[i].rate.median);
  if (finish(plot)) {
    divide(plot, out, "threads");
    add_ideal(plot);
    page_figure(out, "scaling", "Speed over the number of threads on a grid of one size (strong "
                "scaling).", chart_lines(&axes, plot->series, plot->count),
                "Speed over the number of threads for %zu settings, beside the ideal line.",
                plot->count - 1);
  } else {
    section_advise(out, all, "All runs of a processor have one number of threads. This shows how "
                   "it scales:", "compare", "--on=openmp --vary=threads=1,2,4,8");
  }
  free(plot);
  scale_devices(out, all);
}
