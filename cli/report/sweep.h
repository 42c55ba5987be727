/* sweep.h - the curves of a sweep, for chart_lines: speeds over sizes, threads or devices. */
#ifndef TRIREME_CLI_SWEEP_H
#define TRIREME_CLI_SWEEP_H

#include "cli/report/chart.h"
#include "cli/report/page.h"

enum { SWEEP_SERIES = 16, SWEEP_POINTS = 64 };

typedef struct sweep {
  chart_point points[SWEEP_SERIES + 1][SWEEP_POINTS];
  chart_series series[SWEEP_SERIES + 1];
  char names[SWEEP_SERIES + 1][160];
  size_t count;
} sweep;

/* A point of the series of that name; one of the same x is there once. */
void sweep_add(sweep *all, const char *name, double x, double y);
/* Sorts, and drops series that are a single point; 1 when any is left. */
int sweep_finish(sweep *all);
/* Speeds become ratios to that of the fewest threads, for each thread of those; or devices. The
 * page says what the most of them reach. */
void sweep_divide(sweep *all, page *out, const char *noun);
/* What twice the threads being twice as fast would be. */
void sweep_add_ideal(sweep *all);

#endif
