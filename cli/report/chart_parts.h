/* chart_parts.h - what charts share: elements of SVG, scales with their ticks, a legend. */
#ifndef TRIREME_CLI_CHART_PARTS_H
#define TRIREME_CLI_CHART_PARTS_H

#include "cli/report/chart.h"

enum { CHART_WIDTH = 720, CHART_TICKS = 40 };

/* A stream whose text is the figure. */
typedef struct chart { FILE *out; char *text; size_t bytes; } chart;
int chart_begin(chart *c, double height);
/* The element, malloc'd; NULL without memory. */
char *chart_end(chart *c);

/* class: of chart_style, such as "c0", "soft", "over" (with a margin over what was drawn before);
 * anchor: start, middle, end. At most `most` characters, the rest cut with an ellipsis. */
void chart_text(FILE *out, double x, double y, const char *class_name, const char *anchor,
                const char *text, size_t most);
void chart_line(FILE *out, double x1, double y1, double x2, double y2, const char *class_name);
void chart_box(FILE *out, double x, double y, double width, double height, const char *class_name);
/* The mark of a series, a few pixels wide. */
void chart_mark(FILE *out, double x, double y, int colour, int hollow);

/* From values to pixels. */
typedef struct chart_scale {
  double low, high;            /* of the values */
  double from, to;             /* of the pixels */
  int is_log;
  double ticks[CHART_TICKS];
  size_t tick_count;
} chart_scale;

/* Widened to round numbers. with_zero: a linear scale begins there. */
void chart_scale_set(chart_scale *scale, double low, double high, int is_log, int with_zero);
double chart_place(const chart_scale *scale, double value);
/* "2.5 k" */
void chart_number(double value, char *text, size_t bytes);

#endif
