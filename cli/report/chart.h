/* chart.h - figures of a report as SVG: bars, stacked bars, lines on linear or logarithmic axes,
 * maps.
 *
 * Each returns one malloc'd <svg> element, or NULL without memory. Colours and fonts are classes
 * that chart_style defines, in light and dark; series differ by their marks too. Numbers that are
 * not finite, or have no place on a logarithmic axis, are left out. */
#ifndef TRIREME_CLI_CHART_H
#define TRIREME_CLI_CHART_H

#include <stddef.h>
#include <stdio.h>

enum { CHART_COLOURS = 8 };

/* CSS for every chart, to stand in a page once, or in a file of its own SVG. */
const char *chart_style(void);

/* One bar a row, with a whisker from low to high (NaN: none) and a note behind it. */
typedef struct chart_bar {
  const char *label, *note;
  double value, low, high;
  int colour;
} chart_bar;

char *chart_bars(const char *axis, const chart_bar *bars, size_t count);

/* Rows of parts of a whole, each row drawn to the same length: values[row * parts + part]. */
char *chart_stack(const char *axis, const char *const *labels, size_t rows,
                  const char *const *names, size_t parts, const double *values);

typedef enum chart_form {
  CHART_LINE, CHART_DASHED, CHART_DOTS, CHART_RINGS,
  CHART_CURVE                  /* a line of many points, without marks */
} chart_form;

typedef struct chart_point {
  double x, y;
  const char *label;           /* beside it, or NULL */
} chart_point;

typedef struct chart_series {
  const char *name;            /* in the legend; NULL: not there */
  const chart_point *points;   /* lines: by rising x */
  size_t count;
  int colour;
  chart_form form;
} chart_series;

typedef struct chart_axes {
  const char *x, *y;           /* what they show, with the unit */
  int log_x, log_y;            /* a linear y begins at 0 */
  int is_count;                /* of x: there is nothing between whole numbers */
} chart_axes;

char *chart_lines(const chart_axes *axes, const chart_series *series, size_t count);

/* Letters of results' maps (docs/results.md), the first row at the bottom. */
char *chart_map(const char *const *rows, size_t height, double largest);

#endif
