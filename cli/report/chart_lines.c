/* chart_lines.c - lines and points on two axes. */
#include <math.h>
#include <string.h>

#include "cli/report/chart_parts.h"
#include "cli/report/markup.h"

enum { LEFT = 74, RIGHT = 18, PLOT = 300, ROW = 20, LABELS = 256,
       LABEL_WIDTH = 110, LABEL_HEIGHT = 13 };

static int is_shown(const chart_axes *axes, const chart_point *point)
{
  return isfinite(point->x) && isfinite(point->y) && (!axes->log_x || point->x > 0) &&
         (!axes->log_y || point->y > 0);
}

static void set_scales(const chart_axes *axes, const chart_series *series, size_t count,
                       chart_scale *x, chart_scale *y)
{
  double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < series[i].count; k++) {
      const chart_point *point = &series[i].points[k];
      if (!is_shown(axes, point)) continue;
      low_x = fmin(low_x, point->x);
      high_x = fmax(high_x, point->x);
      low_y = fmin(low_y, point->y);
      high_y = fmax(high_y, point->y);
    }
  chart_scale_set(x, low_x, high_x, axes->log_x, 1);
  chart_scale_set(y, low_y, high_y, axes->log_y, 1);
}

static void draw_axes(FILE *out, const chart_axes *axes, const chart_scale *x, const chart_scale *y)
{
  char text[32];
  for (size_t i = 0; i < x->tick_count; i++) {
    if (x->ticks[i] < x->low * 0.999 || x->ticks[i] > x->high * 1.001) continue;
    if (axes->is_count && fabs(x->ticks[i] - rint(x->ticks[i])) > 1e-9) continue;
    const double at = chart_place(x, x->ticks[i]);
    chart_number(x->ticks[i], text, sizeof text);
    chart_line(out, at, y->from, at, y->to, "grid");
    chart_text(out, at, y->from + 17, "soft", "middle", text, 12);
  }
  for (size_t i = 0; i < y->tick_count; i++) {
    if (y->ticks[i] < y->low * 0.999 || y->ticks[i] > y->high * 1.001) continue;
    const double at = chart_place(y, y->ticks[i]);
    chart_number(y->ticks[i], text, sizeof text);
    chart_line(out, x->from, at, x->to, at, "grid");
    chart_text(out, x->from - 7, at + 4, "soft", "end", text, 12);
  }
  chart_line(out, x->from, y->from, x->to, y->from, "edge");
  chart_line(out, x->from, y->from, x->from, y->to, "edge");
  chart_text(out, 0.5 * (x->from + x->to), y->from + 37, "soft", "middle", axes->x, 90);
  fprintf(out, "<text transform=\"translate(15 %.1f) rotate(-90)\" class=\"soft\" "
          "text-anchor=\"middle\">", 0.5 * (y->from + y->to));
  html_text(out, axes->y);
  fputs("</text>", out);
}

/* Where the labels of points stand so far. */
typedef struct placed_labels { double x[LABELS], y[LABELS]; int to_left[LABELS]; size_t count;
} placed_labels;

static int is_free(const placed_labels *placed, double x, double y, int to_left)
{
  for (size_t i = 0; i < placed->count; i++)
    if (placed->to_left[i] == to_left && fabs(placed->x[i] - x) < LABEL_WIDTH &&
        fabs(placed->y[i] - y) < LABEL_HEIGHT)
      return 0;
  return 1;
}

/* Beside the point, on the other side where that place is taken, else a little below; nowhere where
 * that would be nearer to other points. Series stand on both sides in turn. */
static void draw_label(FILE *out, const chart_scale *x, double at_x, double at_y, const char *label,
                       int colour, placed_labels *placed)
{
  const double part = (at_x - x->from) / (x->to - x->from);
  int to_left = part > 0.62 || (part > 0.2 && colour % 2 == 1);
  double y = at_y + 4;
  if (!is_free(placed, at_x, y, to_left) && is_free(placed, at_x, y, !to_left)) to_left = !to_left;
  if (!is_free(placed, at_x, y, to_left)) y += LABEL_HEIGHT;
  if (!is_free(placed, at_x, y, to_left)) return;
  if (placed->count < LABELS) {
    placed->x[placed->count] = at_x;
    placed->y[placed->count] = y;
    placed->to_left[placed->count++] = to_left;
  }
  chart_text(out, at_x + (to_left ? -9 : 9), y, "over", to_left ? "end" : "start", label, 48);
}

static int has_line(const chart_series *one)
{
  return one->form != CHART_DOTS && one->form != CHART_RINGS;
}

static void draw_mark(FILE *out, const chart_series *one, double x, double y)
{
  if (one->form != CHART_DASHED && one->form != CHART_CURVE)
    chart_mark(out, x, y, one->colour % CHART_COLOURS, one->form == CHART_RINGS);
}

static void draw_line(FILE *out, const chart_axes *axes, const chart_series *one,
                      const chart_scale *x, const chart_scale *y)
{
  int begun = 0;
  if (!has_line(one)) return;
  fputs("<path d=\"", out);
  for (size_t i = 0; i < one->count; i++)
    if (is_shown(axes, &one->points[i]))
      fprintf(out, "%s%.1f %.1f", begun++ ? "L" : "M", chart_place(x, one->points[i].x),
              chart_place(y, one->points[i].y));
  fprintf(out, "%s\" class=\"c%d l%s\"/>", begun ? "" : "M0 0", one->colour % CHART_COLOURS,
          one->form == CHART_DASHED ? " d" : "");
}

static void draw_points(FILE *out, const chart_axes *axes, const chart_series *one,
                        const chart_scale *x, const chart_scale *y, placed_labels *placed)
{
  for (size_t i = 0; i < one->count; i++) {
    const chart_point *point = &one->points[i];
    if (!is_shown(axes, point)) continue;
    const double at_x = chart_place(x, point->x), at_y = chart_place(y, point->y);
    draw_mark(out, one, at_x, at_y);
    if (point->label)
      draw_label(out, x, at_x, at_y, point->label, one->colour % CHART_COLOURS, placed);
  }
}

/* Two columns of names above the plot. */
static double draw_legend(FILE *out, const chart_series *series, size_t count)
{
  size_t shown = 0;
  for (size_t i = 0; i < count; i++) {
    if (!series[i].name) continue;
    const double x = LEFT + (shown % 2 ? 0.5 * (CHART_WIDTH - LEFT) : 0);
    const double y = 8 + ROW * (double)(shown / 2);
    shown++;
    if (!out) continue;
    char class_name[24];
    snprintf(class_name, sizeof class_name, "c%d l%s", series[i].colour % CHART_COLOURS,
             series[i].form == CHART_DASHED ? " d" : "");
    if (has_line(&series[i])) chart_line(out, x, y + 7, x + 24, y + 7, class_name);
    draw_mark(out, &series[i], x + 12, y + 7);
    chart_text(out, x + 31, y + 11, "", "start", series[i].name, 42);
  }
  return 14 + ROW * (double)((shown + 1) / 2);
}

char *chart_lines(const chart_axes *axes, const chart_series *series, size_t count)
{
  chart c;
  placed_labels placed = {.count = 0};
  const double top = draw_legend(NULL, series, count);
  chart_scale x = {.from = LEFT, .to = CHART_WIDTH - RIGHT}, y = {.from = top + PLOT, .to = top};
  if (!chart_begin(&c, top + PLOT + 46)) return NULL;
  set_scales(axes, series, count, &x, &y);
  draw_legend(c.out, series, count);
  draw_axes(c.out, axes, &x, &y);
  for (size_t i = 0; i < count; i++) draw_line(c.out, axes, &series[i], &x, &y);
  for (size_t i = 0; i < count; i++) draw_points(c.out, axes, &series[i], &x, &y, &placed);
  return chart_end(&c);
}
