/* sweep.h - the curves of a sweep, for chart_lines: speeds over sizes, threads or devices. */
#ifndef TRIREME_CLI_SWEEP_H
#define TRIREME_CLI_SWEEP_H

#include "cli/report/chart.h"
#include "cli/report/page.h"
#include "cli/report/report_data.h"

enum { SWEEP_SERIES = 16, SWEEP_POINTS = REPORT_LIMIT };

typedef struct sweep {
  chart_point points[SWEEP_SERIES + 1][SWEEP_POINTS];
  chart_series series[SWEEP_SERIES + 1];
  char names[SWEEP_SERIES + 1][160];
  size_t count;
  const char *left[REPORT_LIMIT]; /* names of further series, for which there is no room */
  size_t left_count;
} sweep;

/* A point of the series of that name, which outlives the sweep; one of the same x is there once. */
void sweep_add(sweep *all, const char *name, double x, double y);
/* Sorts, and drops series that are a single point; 1 when any is left. */
int sweep_finish(sweep *all);
/* Says how many series had no room. */
void sweep_say_left(const sweep *all, page *out);
/* The figure of strong scaling over what axes->x names, threads or devices; 0 where no series has
 * two points. Speeds become ratios to that of the fewest; the page says what the most reach and,
 * where they are alike, the parallel efficiency. */
int sweep_show_scaling(sweep *all, page *out, const char *id, const chart_axes *axes,
                       int are_alike, const char *caption);

#endif
