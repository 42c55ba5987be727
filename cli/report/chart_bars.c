/* chart_bars.c - horizontal bars, one a row, alone or in parts. */
#include <math.h>
#include <string.h>

#include "cli/report/chart_parts.h"

enum { ROW = 30, LABEL = 250, NOTE = 118, TOP = 8, AXIS = 42 };

/* Vertical lines at the ticks with their numbers below. */
static void draw_axis(FILE *out, const chart_scale *scale, double bottom, const char *title)
{
  char text[32];
  for (size_t i = 0; i < scale->tick_count; i++) {
    const double x = chart_place(scale, scale->ticks[i]);
    chart_number(scale->ticks[i], text, sizeof text);
    chart_line(out, x, TOP, x, bottom, "grid");
    chart_text(out, x, bottom + 16, "soft", "middle", text, 12);
  }
  chart_text(out, 0.5 * (scale->from + scale->to), bottom + 34, "soft", "middle", title, 90);
}

static void draw_bar(FILE *out, const chart_scale *scale, const chart_bar *bar, double y)
{
  char class_name[16];
  chart_text(out, LABEL - 8, y + 19, "", "end", bar->label, 34);
  if (!isfinite(bar->value)) {
    chart_text(out, LABEL + 6, y + 19, "soft", "start", bar->note ? bar->note : "not measured", 70);
    return;
  }
  const double end = chart_place(scale, bar->value);
  double note = end;
  snprintf(class_name, sizeof class_name, "c%d b", bar->colour % CHART_COLOURS);
  chart_box(out, LABEL, y + 6, fmax(end - LABEL, 1), ROW - 12, class_name);
  if (isfinite(bar->low) && isfinite(bar->high) && bar->high > bar->low) {
    const double a = chart_place(scale, bar->low), b = chart_place(scale, bar->high);
    fprintf(out, "<path d=\"M%.1f %.1fv8m0 -4H%.1fm0 -4v8\" class=\"edge\"/>", a, y + 11, b);
    note = fmax(note, b);
  }
  if (bar->note) chart_text(out, note + 6, y + 19, "", "start", bar->note, 30);
}

char *chart_bars(const char *axis, const chart_bar *bars, size_t count)
{
  chart c;
  double most = 0;
  const double bottom = TOP + (double)count * ROW + 4;
  chart_scale scale = {.from = LABEL, .to = CHART_WIDTH - NOTE};
  for (size_t i = 0; i < count; i++) {
    if (isfinite(bars[i].value)) most = fmax(most, bars[i].value);
    if (isfinite(bars[i].high)) most = fmax(most, bars[i].high);
  }
  if (!chart_begin(&c, bottom + AXIS)) return NULL;
  chart_scale_set(&scale, 0, most > 0 ? most : 1, 0, 1);
  draw_axis(c.out, &scale, bottom, axis);
  for (size_t i = 0; i < count; i++) draw_bar(c.out, &scale, &bars[i], TOP + (double)i * ROW);
  chart_line(c.out, LABEL, TOP, LABEL, bottom, "edge");
  return chart_end(&c);
}

/* Names with their colours, in rows; the height that they take. */
static double draw_names(FILE *out, const char *const *names, size_t count)
{
  double x = 8, y = TOP;
  for (size_t i = 0; i < count; i++) {
    char class_name[16];
    const double width = 30 + 7.2 * (double)strlen(names[i]);
    if (x + width > CHART_WIDTH && x > 8) {
      x = 8;
      y += 20;
    }
    snprintf(class_name, sizeof class_name, "c%zu b", i % CHART_COLOURS);
    if (out) {
      chart_box(out, x, y, 12, 12, class_name);
      chart_text(out, x + 17, y + 11, "", "start", names[i], 60);
    }
    x += width;
  }
  return y + 24;
}

static void draw_parts(FILE *out, const chart_scale *scale, const double *values, size_t parts,
                       double y)
{
  double sum = 0, before = 0;
  for (size_t k = 0; k < parts; k++) sum += values[k] > 0 ? values[k] : 0;
  for (size_t k = 0; k < parts && sum > 0; k++) {
    char class_name[16], text[16];
    if (!(values[k] > 0)) continue;
    const double from = chart_place(scale, 100 * before / sum);
    before += values[k];
    const double to = chart_place(scale, 100 * before / sum);
    snprintf(class_name, sizeof class_name, "c%zu b", k % CHART_COLOURS);
    chart_box(out, from, y + 5, to - from, ROW - 10, class_name);
    if (to - from < 44) continue; /* too narrow for its number */
    snprintf(text, sizeof text, "%.1f %%", 100 * values[k] / sum);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
                 "style=\"fill:var(--on)\">%s</text>",
            0.5 * (from + to), y + 19, text);
  }
}

char *chart_stack(const char *axis, const char *const *labels, size_t rows,
                  const char *const *names, size_t parts, const double *values)
{
  chart c;
  const double top = draw_names(NULL, names, parts), bottom = top + (double)rows * ROW + 4;
  chart_scale scale = {.from = LABEL, .to = CHART_WIDTH - 24};
  if (!chart_begin(&c, bottom + AXIS)) return NULL;
  draw_names(c.out, names, parts);
  chart_scale_set(&scale, 0, 100, 0, 1);
  for (size_t i = 0; i < rows; i++) {
    const double y = top + (double)i * ROW;
    chart_text(c.out, LABEL - 8, y + 19, "", "end", labels[i], 34);
    draw_parts(c.out, &scale, values + i * parts, parts, y);
  }
  for (size_t i = 0; i < scale.tick_count; i++) {
    char text[16];
    snprintf(text, sizeof text, "%.0f %%", scale.ticks[i]);
    chart_text(c.out, chart_place(&scale, scale.ticks[i]), bottom + 16, "soft", "middle", text, 8);
  }
  chart_text(c.out, 0.5 * (scale.from + scale.to), bottom + 34, "soft", "middle", axis, 90);
  return chart_end(&c);
}
