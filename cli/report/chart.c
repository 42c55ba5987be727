/* chart.c - style, elements and scales of charts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/chart_parts.h"
#include "cli/report/markup.h"
#include "run/text/text.h"

/* Colours after Okabe and Ito (jfly.uni-koeln.de/color), which people of every colour vision can
 * tell apart; darker on white and lighter on black, for contrast. */
const char *chart_style(void)
{
  return
    ".chart{--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--box:#f6f8fa;--c0:#0072b2;--c1:#c35500;"
    "--c2:#00815e;--c3:#a84d83;--c4:#946800;--c5:#2f8fc4;--c6:#555;--c7:#6f4a9e;--on:#fff;"
    "--ground:#fff}\n"
    "@media screen and (prefers-color-scheme:dark){.chart{--ink:#e6edf3;--soft:#9da7b1;"
    "--line:#3d444d;--box:#161b22;--c0:#56b4e9;--c1:#ff8c42;--c2:#2bc79a;--c3:#e59ac4;--c4:#f0c04a;"
    "--c5:#9fd6f5;--c6:#aaa;--c7:#b58ee0;--on:#000;"
    "--ground:#0d1117}}\n"
    ".chart text{font:12px system-ui,sans-serif;fill:var(--ink);stroke:none}"
    ".chart .over{paint-order:stroke;stroke:var(--ground);stroke-width:3}"
    ".chart .soft{fill:var(--soft)}.chart .grid{stroke:var(--line);stroke-width:1}"
    ".chart .edge{stroke:var(--ink);stroke-width:1.5;fill:none}.chart .empty{fill:var(--box);"
    "stroke:var(--line)}.chart .l{fill:none;stroke-width:2}.chart .d{stroke-dasharray:6 4}\n"
    ".chart .c0{fill:var(--c0);stroke:var(--c0)}.chart .c1{fill:var(--c1);stroke:var(--c1)}"
    ".chart .c2{fill:var(--c2);stroke:var(--c2)}.chart .c3{fill:var(--c3);stroke:var(--c3)}"
    ".chart .c4{fill:var(--c4);stroke:var(--c4)}.chart .c5{fill:var(--c5);stroke:var(--c5)}"
    ".chart .c6{fill:var(--c6);stroke:var(--c6)}.chart .c7{fill:var(--c7);stroke:var(--c7)}"
    ".chart .l{fill:none}.chart .b{stroke:none}\n";
}

/* ---- elements ------------------------------------------------------------------- */

int chart_begin(chart *c, double height)
{
  *c = (chart){0};
  c->out = open_memstream(&c->text, &c->bytes);
  if (!c->out) return 0;
  fprintf(c->out, "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
                  "%.0f\">",
          CHART_WIDTH, height);
  return 1;
}

char *chart_end(chart *c)
{
  fputs("</svg>", c->out);
  if (fclose(c->out) == 0) return c->text;
  free(c->text);
  return NULL;
}

/* Bytes of the first `most` characters of UTF-8. */
static size_t prefix(const char *text, size_t most)
{
  size_t i = 0;
  for (; text[i]; i++)
    if (((unsigned char)text[i] & 0xc0) != 0x80 && most-- == 0) break;
  return i;
}

void chart_text(FILE *out, double x, double y, const char *class_name, const char *anchor,
                const char *text, size_t most)
{
  char part[256];
  const int is_cut = text[prefix(text, most)] != 0;
  const size_t length = prefix(text, is_cut ? most - 1 : most);
  snprintf(part, sizeof part, "%.*s%s", (int)(length < 240 ? length : 240), text,
           is_cut ? "\u2026" : "");
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\" text-anchor=\"%s\">", x, y, class_name,
          anchor);
  html_text(out, text_clean(part));
  fputs("</text>", out);
}

void chart_line(FILE *out, double x1, double y1, double x2, double y2, const char *class_name)
{
  fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" class=\"%s\"/>", x1, y1, x2, y2, class_name);
}

void chart_box(FILE *out, double x, double y, double width, double height, const char *class_name)
{
  fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>", x, y,
          width, height, class_name);
}

void chart_mark(FILE *out, double x, double y, int colour, int hollow)
{
  static const char *const shapes[] = {
    "m-4 -4h8v8h-8z",                 /* square */
    "m0 -5.5l5.5 9.5h-11z",           /* triangle */
    "m0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z", /* diamond */
    "m0 5.5l5.5 -9.5h-11z",
  };
  const char *form = hollow ? " l" : "";
  if (colour % 5 == 0)
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" class=\"c%d%s\"/>", x, y, colour,
            form);
  else
    fprintf(out, "<path d=\"M%.1f %.1f%s\" class=\"c%d%s\"/>", x, y, shapes[colour % 5 - 1],
            colour, form);
}

/* ---- scales ------------------------------------------------------------------------ */

static void add_tick(chart_scale *scale, double value)
{
  if (scale->tick_count < CHART_TICKS) scale->ticks[scale->tick_count++] = value;
}

/* Powers of ten, with 2 and 5 between them where there are few; every so many where there are a
 * lot. */
static void set_log(chart_scale *scale, double low, double high)
{
  const double few = log10(high) - log10(low);
  const int every = few > 10 ? (int)ceil(few / 8) : 1;
  const int first = (int)floor(log10(low)), last = (int)ceil(log10(high));
  static const double parts[] = {1, 2, 5};
  scale->low = pow(10, first);
  scale->high = pow(10, last > first ? last : first + 1);
  for (int k = first; k <= last; k++)
    for (int i = 0; i < (few < 2.5 ? 3 : 1); i++) {
      const double tick = parts[i] * pow(10, k);
      if (tick <= low * 1.0001) scale->low = tick;
      if (tick >= high * 0.9999 && tick < scale->high) scale->high = tick;
      if ((k - first) % every == 0) add_tick(scale, tick);
    }
}

static void set_linear(chart_scale *scale, double low, double high)
{
  const double rough = (high - low) / 6, power = pow(10, floor(log10(rough)));
  const double part = rough / power;
  const double step = power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
  scale->low = step * floor(low / step * 1.0000001);
  scale->high = step * ceil(high / step * 0.9999999);
  for (int i = 0; scale->low + i * step <= scale->high + 0.01 * step && i < CHART_TICKS; i++)
    add_tick(scale, scale->low + i * step);
}

void chart_scale_set(chart_scale *scale, double low, double high, int is_log, int with_zero)
{
  scale->is_log = is_log;
  scale->tick_count = 0;
  if (!isfinite(low) || !isfinite(high) || (is_log && !(low > 0))) {
    low = is_log ? 1 : 0; /* nothing to show */
    high = 10;
  }
  if (!is_log && with_zero && low > 0) low = 0;
  /* values that are nearly equal: the scale still needs a length */
  if (!(high - low > 0.001 * fabs(low)))
    high = is_log ? 2 * low : low + (low != 0 ? fabs(low) : 1);
  if (is_log) set_log(scale, low, high);
  else set_linear(scale, low, high);
}

double chart_place(const chart_scale *scale, double value)
{
  const double part = scale->is_log ? log(value / scale->low) / log(scale->high / scale->low)
                                    : (value - scale->low) / (scale->high - scale->low);
  return scale->from + part * (scale->to - scale->from);
}

void chart_number(double value, char *text, size_t bytes)
{
  static const struct { double least; const char *name; } units[] = {
    {1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""},
  };
  const double size = fabs(value);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (size >= units[i].least * 0.9999999) {
      snprintf(text, bytes, "%.3g%s%s", value / units[i].least, *units[i].name ? " " : "",
               units[i].name);
      return;
    }
  snprintf(text, bytes, "%.3g", value);
}
