/* picture_around.c - what stands around the cells of a picture: title, axes, colour bar, key. */
#include <config.h>

#include "io/picture_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MARGIN = 12, GAP = 6, TICK = 5, BAR = 20 };

/* Metres are shown as km or mm where their numbers would be long. */
static const char *length_unit(const trm_picture *p, double longest, double *factor)
{
  *factor = 1;
  if (!p->length_unit || !p->length_unit[0]) return "";
  if (strcmp(p->length_unit, "m") != 0) return p->length_unit;
  if (longest >= 1e4) return *factor = 1e-3, "km";
  if (longest < 0.1) return *factor = 1e3, "mm";
  return "m";
}

/* The scale and the name of an axis: 0 across, 1 up. */
static void axis_scale(const trmi_view *v, int which, trmi_scale *scale, char *name, size_t bytes)
{
  const trm_picture *p = v->picture;
  const double cells[] = {(double)v->x.cells, (double)v->y.cells};
  const char *letter = which ? p->up ? p->up : "y" : p->across ? p->across : "x";
  double factor = 1;
  if (!(p->side[0] > 0) || !(p->side[1] > 0)) {
    *scale = (trmi_scale){0, cells[which], 0};
    snprintf(name, bytes, "%s [cells]", letter);
    return;
  }
  const double longest = fmax(p->side[0] * cells[0], p->side[1] * cells[1]);
  const char *unit = length_unit(p, longest, &factor);
  *scale = (trmi_scale){p->corner[which] * factor,
                        (p->corner[which] + cells[which] * p->side[which]) * factor, 0};
  snprintf(name, bytes, "%s%s%s%s", letter, unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
}

static size_t widest(const trmi_view *v, const trmi_tick *ticks, size_t count)
{
  size_t most = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t width = trmi_text_width(v->font, TRMI_SMALL, ticks[i].label);
    if (width > most) most = width;
  }
  return most;
}

static size_t ticks_for(size_t pixels, size_t each)
{
  const size_t fit = pixels / each;
  return fit < 2 ? 2 : fit > 8 ? 8 : fit;
}

static size_t vertical_ticks(const trmi_view *v, const trmi_scale *scale,
                             trmi_tick ticks[TRMI_TICKS])
{
  const size_t line = trmi_line_height(v->font, TRMI_SMALL);
  return trmi_scale_ticks(scale, ticks_for(v->y.pixels, 2 * line), ticks);
}

/* The row of the cells' own pixels where a part of a vertical scale lies. */
static size_t row_of(const trmi_view *v, double part)
{
  const double at = (1 - part) * (double)v->y.pixels;
  return at < 0 ? 0 : at > (double)v->y.pixels ? v->y.pixels : (size_t)(at + 0.5);
}

static void draw_frame(const trmi_view *v, trmi_image *image)
{
  const size_t x = v->left - 1, y = v->top - 1, w = v->x.pixels + 2, h = v->y.pixels + 2;
  trmi_image_fill(image, x, y, w, 1, trmi_ink);
  trmi_image_fill(image, x, y + h - 1, w, 1, trmi_ink);
  trmi_image_fill(image, x, y, 1, h, trmi_ink);
  trmi_image_fill(image, x + w - 1, y, 1, h, trmi_ink);
}

/* A label beside a tick of a vertical scale: to its left, or to its right. */
static void draw_vertical(const trmi_view *v, const trmi_scale *scale, size_t x, int to_left,
                          trmi_image *image)
{
  trmi_tick ticks[TRMI_TICKS];
  const size_t count = vertical_ticks(v, scale, ticks);
  const size_t line = trmi_line_height(v->font, TRMI_SMALL);
  for (size_t i = 0; i < count; i++) {
    const size_t row = row_of(v, ticks[i].part);
    const size_t wide = trmi_text_width(v->font, TRMI_SMALL, ticks[i].label);
    trmi_image_fill(image, to_left ? x - TICK : x, v->top + row - (row > 0), TICK, 1, trmi_ink);
    trmi_text_draw(v->font, TRMI_SMALL, image, to_left ? x - TICK - 3 - wide : x + TICK + 3,
                   v->top + row - line / 2, ticks[i].label);
  }
}

static void draw_horizontal(const trmi_view *v, const trmi_scale *scale, trmi_image *image)
{
  trmi_tick ticks[TRMI_TICKS];
  const size_t count = trmi_scale_ticks(scale, ticks_for(v->x.pixels, 60), ticks);
  const size_t y = v->top + v->y.pixels + 1;
  for (size_t i = 0; i < count; i++) {
    const size_t x = v->left + (size_t)(ticks[i].part * (double)v->x.pixels + 0.5);
    const size_t wide = trmi_text_width(v->font, TRMI_SMALL, ticks[i].label);
    trmi_image_fill(image, x - (ticks[i].part > 0.5), y, 1, TICK, trmi_ink);
    trmi_text_draw(v->font, TRMI_SMALL, image, x > wide / 2 ? x - wide / 2 : 0, y + TICK + 1,
                   ticks[i].label);
  }
}

/* An arrowhead at an end of the bar: values lie beyond it, and have the colour of that end. */
static void draw_arrow(const trmi_view *v, size_t x, int above, trmi_image *image)
{
  uint8_t rgb[3];
  trmi_view_colour(v, above ? v->scale.high : v->scale.low, rgb);
  for (size_t i = 0; i < BAR / 2; i++) {
    const size_t y = above ? v->top - 2 - i : v->top + v->y.pixels + 1 + i;
    trmi_image_fill(image, x + i, y, BAR - 2 * i, 1, rgb);
    trmi_image_fill(image, x + i, y, 1, 1, trmi_ink);
    trmi_image_fill(image, x + BAR - 1 - i, y, 1, 1, trmi_ink);
  }
}

static void draw_bar(const trmi_view *v, size_t x, trmi_image *image)
{
  const double rows = (double)v->y.pixels;
  for (size_t row = 0; row < v->y.pixels; row++) {
    uint8_t rgb[3];
    const double part = 1 - ((double)row + 0.5) / rows;
    const double value = v->scale.logarithmic
                             ? v->scale.low * pow(v->scale.high / v->scale.low, part)
                             : v->scale.low + part * (v->scale.high - v->scale.low);
    trmi_view_colour(v, value, rgb);
    trmi_image_fill(image, x, v->top + row, BAR, 1, rgb);
  }
  if (v->is_below) draw_arrow(v, x, 0, image);
  if (v->is_above) draw_arrow(v, x, 1, image);
  draw_vertical(v, &v->scale, x + BAR, 0, image);
}

/* A square of a colour that the bar does not have, and its name; where the next one goes. */
static size_t draw_key(const trmi_view *v, size_t x, size_t y, const uint8_t rgb[3],
                       const char *name, trmi_image *image)
{
  const size_t side = trmi_line_height(v->font, TRMI_SMALL) - 5;
  trmi_image_fill(image, x, y + 2, side + 2, side + 2, trmi_ink);
  trmi_image_fill(image, x + 1, y + 3, side, side, rgb);
  trmi_text_draw(v->font, TRMI_SMALL, image, x + side + GAP + 2, y, name);
  return x + side + 2 * MARGIN + trmi_text_width(v->font, TRMI_SMALL, name);
}

static void draw_keys(const trmi_view *v, size_t y, trmi_image *image)
{
  const trm_picture *p = v->picture;
  size_t x = v->left;
  if (v->has_solid)
    x = draw_key(v, x, y, trm_colour_solid, p->solid_name ? p->solid_name : "solid", image);
  if (v->has_none) x = draw_key(v, x, y, trm_colour_none, "no value yet", image);
  if (v->has_wrong) (void)draw_key(v, x, y, trm_colour_wrong, "not finite", image);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* Everything around the cells: where it goes, then its drawing. */
trm_status trmi_view_draw_around(trmi_view *v, trmi_image *out)
{
  const trm_picture *p = v->picture;
  const size_t small = trmi_line_height(v->font, TRMI_SMALL);
  const size_t large = trmi_line_height(v->font, TRMI_LARGE);
  const char *title = p->title ? p->title : "", *below = p->subtitle ? p->subtitle : "";
  char across[64], up[64];
  trmi_scale x_scale, y_scale;
  trmi_tick ticks[TRMI_TICKS];
  axis_scale(v, 0, &x_scale, across, sizeof across);
  axis_scale(v, 1, &y_scale, up, sizeof up);
  const size_t y_labels = widest(v, ticks, vertical_ticks(v, &y_scale, ticks));
  const size_t bar_labels = widest(v, ticks, vertical_ticks(v, &v->scale, ticks));
  v->left = MARGIN + larger(y_labels, small) + 3 + TICK + 1;
  v->top = MARGIN + large + (below[0] ? small : 0) + GAP + small + MARGIN;
  const size_t bar = v->left + v->x.pixels + 1 + 2 * MARGIN;
  const size_t under = v->top + v->y.pixels + 1 + TICK + 1 + small;
  const int has_keys = v->has_solid || v->has_none || v->has_wrong;
  const size_t texts = larger(trmi_text_width(v->font, TRMI_LARGE, title),
                              trmi_text_width(v->font, TRMI_SMALL, below));
  const size_t width = larger(bar + BAR + TICK + 3 + bar_labels, v->left + texts) + MARGIN;
  TRM_TRY(trmi_image_create(width, under + small + (has_keys ? GAP + small : 0) + GAP, out));
  trmi_view_draw_cells(v, out);
  draw_frame(v, out);
  draw_bar(v, bar, out);
  draw_vertical(v, &y_scale, v->left - 1, 1, out);
  draw_horizontal(v, &x_scale, out);
  trmi_text_draw(v->font, TRMI_LARGE, out, v->left, MARGIN, title);
  trmi_text_draw(v->font, TRMI_SMALL, out, v->left, MARGIN + large, below);
  trmi_text_draw(v->font, TRMI_SMALL, out, MARGIN, v->top - MARGIN - small, up);
  const size_t wide = trmi_text_width(v->font, TRMI_SMALL, across);
  trmi_text_draw(v->font, TRMI_SMALL, out, v->left + larger(v->x.pixels, wide) / 2 - wide / 2,
                 under, across);
  if (has_keys) draw_keys(v, under + small + GAP, out);
  return TRM_OK;
}
