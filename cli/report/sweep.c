/* sweep.c - the curves of a sweep. */
#include "cli/report/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_x(const void *a, const void *b)
{
  const double x = ((const chart_point *)a)->x, y = ((const chart_point *)b)->x;
  return (x > y) - (x < y);
}

/* The series of that name, made if it does not exist; NULL when there is no room. */
static chart_series *series_of(sweep *all, const char *name)
{
  for (size_t i = 0; i < all->count; i++)
    if (strcmp(all->names[i], name) == 0) return &all->series[i];
  if (all->count == SWEEP_SERIES) {
    size_t i = 0;
    while (i < all->left_count && strcmp(all->left[i], name) != 0) i++;
    if (i == all->left_count && i < REPORT_LIMIT) all->left[all->left_count++] = name;
    return NULL;
  }
  chart_series *added = &all->series[all->count];
  snprintf(all->names[all->count], sizeof all->names[0], "%s", name);
  *added = (chart_series){all->names[all->count], all->points[all->count], 0, 0, CHART_LINE};
  all->count++;
  return added;
}

void sweep_add(sweep *all, const char *name, double x, double y)
{
  chart_series *to = series_of(all, name);
  if (!to || to->count == SWEEP_POINTS || !(x > 0) || !(y > 0)) return;
  for (size_t i = 0; i < to->count; i++) /* what another file tells again */
    if (to->points[i].x == x) return;
  all->points[to - all->series][to->count++] = (chart_point){x, y, NULL};
}

int sweep_finish(sweep *all)
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

void sweep_say_left(const sweep *all, page *out)
{
  if (all->left_count > 0)
    page_item(out, MARK_UNKNOWN, "%zu of the %zu settings are left out: a figure holds %d. Give "
              "fewer files, or vary less.", all->left_count,
              all->left_count + SWEEP_SERIES, (int)SWEEP_SERIES);
}

/* Speeds become ratios to that of the fewest threads, for each thread of those; or devices. */
static void divide(sweep *all, page *out, const char *noun, int are_alike)
{
  for (size_t i = 0; i < all->count; i++) {
    chart_series *one = &all->series[i];
    if (one->count < 2) continue;
    chart_point *points = all->points[i];
    const chart_point first = points[0], last = points[one->count - 1];
    for (size_t k = 0; k < one->count; k++) points[k].y *= first.x / first.y;
    char share[64] = "";
    if (are_alike)
      snprintf(share, sizeof share, " (%.0f %% parallel efficiency)",
               100 * last.y / first.y * first.x / last.x);
    page_item(out, MARK_NONE, "%s: %.0f %s run at %.3g %s the speed of %.0f %.*s%s.", one->name,
              last.x, noun, last.y / first.y, last.y < first.y ? "of" : "times", first.x,
              (int)strlen(noun) - (first.x == 1), noun, share);
  }
}

/* The ideal: twice the threads, twice the speed. */
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

int sweep_show_scaling(sweep *all, page *out, const char *id, const chart_axes *axes,
                       int are_alike, const char *caption)
{
  if (!sweep_finish(all)) return 0;
  divide(all, out, axes->x, are_alike);
  sweep_say_left(all, out);
  add_ideal(all);
  page_figure(out, id, caption, chart_lines(axes, all->series, all->count),
              "Speed over the number of %s for %zu settings, beside the ideal line.", axes->x,
              all->count - 1);
  return 1;
}
