/* picture.c - a plane of a field in colours, with a title, axes, a colour bar and a key.
 *
 * Unless a width is asked for, a pixel is a whole number of cells or a cell a whole number of
 * pixels; in no case is anything interpolated that was not computed: a pixel is a cell, or the mean
 * of those that it covers, taken as values. */
#include <config.h>

#include "io/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 512, LARGEST = 2048, THINNEST = 64, MARGIN = 12, GAP = 6, TICK = 5,
       BAR = 20,
       DECADES = 4 /* of logarithmic colours, at most: what is fainter has the lowest colour */ };

static const uint8_t ink[3] = {32, 32, 32};

/* Cells and pixels along one axis. */
typedef struct axis {
  size_t cells, pixels;
  size_t up, down;             /* pixels a cell, or cells a pixel; the other is 1. 0: not whole */
} axis;

typedef struct view {
  const trm_picture *picture;
  axis x, y;
  trmi_scale scale;            /* of the colours */
  trm_colours colours;
  int is_below, is_above;      /* values lie beyond the scale */
  int has_solid, has_none, has_wrong;
  trmi_letters *letters;
  size_t left, top;            /* of the cells on the canvas */
} view;

/* ---- the range ---------------------------------------------------------------------------- */

static double cell_value(const trm_plane *plane, size_t x, size_t y)
{
  return trm_plane_mean(plane, x, x + 1, y, y + 1);
}

/* Draws the ends of a range in to where 1/200 of the values lie beyond each, a bin of 4096 wide. */
static void leave_extremes(const view *v, double *low, double *high)
{
  enum { BINS = 4096, PART = 200 };
  size_t counts[BINS] = {0}, total = 0, below = 0, above = 0;
  const double from = *low, width = (*high - *low) / BINS;
  if (!(width > 0) || !isfinite(width)) return;
  for (size_t y = 0; y < v->y.cells; y++)
    for (size_t x = 0; x < v->x.cells; x++) {
      const double at = (cell_value(&v->picture->plane, x, y) - from) / width;
      if (!isfinite(at)) continue;
      counts[at > 0 ? at < BINS - 1 ? (size_t)at : BINS - 1 : 0]++;
      total++;
    }
  size_t first = 0, last = BINS - 1;
  while (first < last && (below += counts[first]) <= total / PART) first++;
  while (last > first && (above += counts[last]) <= total / PART) last--;
  *low = from + width * (double)first;
  *high = from + width * (double)(last + 1);
}

/* Least and largest value; least: above zero where that counts. What else there is to see. */
static void find_extremes(view *v, double *low, double *high)
{
  const int from_zero = v->scale.logarithmic;
  *low = (double)INFINITY;
  *high = -(double)INFINITY;
  v->has_solid = v->picture->show_solid;
  v->has_none = v->picture->show_none;
  for (size_t y = 0; y < v->y.cells; y++)
    for (size_t x = 0; x < v->x.cells; x++) {
      const double value = cell_value(&v->picture->plane, x, y);
      v->has_solid |= isnan(value);
      v->has_none |= value == -(double)INFINITY && !v->picture->light;
      v->has_wrong |= value == (double)INFINITY;
      if (!isfinite(value)) continue;
      if (value < *low && (!from_zero || value > 0)) *low = value;
      if (value > *high) *high = value;
    }
  if (!(*low <= *high)) *low = *high = from_zero ? 1 : 0;
}

/* What the caller says, else what the values say. */
static void find_range(view *v)
{
  const trm_picture *p = v->picture;
  double least, largest, low, high;
  v->scale.logarithmic = p->logarithmic;
  find_extremes(v, &least, &largest);
  low = least, high = largest;
  for (int i = 0; i < 3 && p->bulk; i++) leave_extremes(v, &low, &high);
  v->colours = p->colours;
  if (p->is_signed && !p->logarithmic && low <= p->middle && p->middle <= high) {
    const double most = fmax(p->middle - low, high - p->middle);
    low = p->middle - most;
    high = p->middle + most;
  } else if (!p->logarithmic && low > 0 && low < 0.02 * high) low = 0;
  if (p->logarithmic) low = fmax(low, high * pow(10, -DECADES));
  if (!isnan(p->minimum)) low = p->minimum;
  if (!isnan(p->maximum)) high = p->maximum;
  if (p->is_signed && low <= p->middle && p->middle <= high) v->colours = TRM_COLOURS_DIVERGING;
  if (!(high > low)) {
    if (p->logarithmic) high = low * 10;
    else if (v->colours == TRM_COLOURS_DIVERGING) low -= 1, high = low + 2;
    else high = low + (low != 0 ? fabs(low) : 1);
  }
  v->scale.low = low;
  v->scale.high = high;
  v->is_below = least < low - 1e-6 * (high - low);
  v->is_above = largest > high + 1e-6 * (high - low);
}

/* ---- cells and pixels --------------------------------------------------------------------- */

static size_t divide_up(size_t a, size_t b) { return a / b + (a % b != 0); }

static void whole(axis *a, size_t up, size_t down)
{
  a->up = up;
  a->down = down;
  a->pixels = divide_up(a->cells, down) * up;
}

/* How many cells are as high as one is wide. */
static double cell_shape(const trm_picture *p)
{
  const double shape = p->side[0] > 0 && p->side[1] > 0 ? p->side[1] / p->side[0] : 1;
  return fabs(shape - 1) < 1e-3 || !isfinite(shape) ? 1 : shape;
}

static size_t at_least(double value, size_t least, size_t most)
{
  return !(value > (double)least) ? least : value > (double)most ? most : (size_t)(value + 0.5);
}

static trm_status measure(view *v)
{
  const trm_picture *p = v->picture;
  const double shape = cell_shape(p);
  TRM_TRY(trm_plane_size(&p->plane, &v->x.cells, &v->y.cells));
  const size_t longest = v->x.cells > v->y.cells ? v->x.cells : v->y.cells;
  const size_t up = longest < SMALLEST ? divide_up(SMALLEST, longest) : 1;
  const size_t down = divide_up(longest, LARGEST);
  whole(&v->x, up, down);
  whole(&v->y, up, down);
  if (p->width) v->x = (axis){v->x.cells, p->width, 0, 0};
  if (p->width || shape != 1) {
    const double pixel = (double)v->x.pixels / (double)v->x.cells * shape;
    v->y = (axis){v->y.cells, at_least(pixel * (double)v->y.cells, 1, 4 * LARGEST), 0, 0};
  }
  /* a picture one or two pixels wide would hardly be seen */
  if (!p->plain && v->y.pixels < THINNEST)
    v->y = (axis){v->y.cells, divide_up(THINNEST, v->y.pixels) * v->y.pixels, 0, 0};
  if (!p->plain && v->x.pixels < THINNEST)
    v->x = (axis){v->x.cells, divide_up(THINNEST, v->x.pixels) * v->x.pixels, 0, 0};
  return TRM_OK;
}

/* The cells that a pixel covers. */
static void covered(const axis *a, size_t pixel, size_t *from, size_t *to)
{
  *from = a->up ? pixel / a->up * a->down : pixel * a->cells / a->pixels;
  *to = a->up ? *from + a->down : (pixel + 1) * a->cells / a->pixels;
  if (*to <= *from) *to = *from + 1;
  if (*to > a->cells) *to = a->cells;
}

/* ---- colours ------------------------------------------------------------------------------ */

/* Of the diverging map, the middle value has the middle colour wherever the ends lie. */
static double colour_part(const view *v, double value)
{
  const double middle = v->picture->middle, low = v->scale.low, high = v->scale.high;
  if (v->colours != TRM_COLOURS_DIVERGING || !v->picture->is_signed)
    return trmi_scale_part(&v->scale, value);
  return value < middle ? 0.5 * (value - low) / (middle - low)
                        : 0.5 + (high > middle ? 0.5 * (value - middle) / (high - middle) : 0);
}

static void value_colour(const view *v, double value, uint8_t rgb[3])
{
  if (isnan(value)) memcpy(rgb, trm_colour_solid, 3);
  else if (value == -(double)INFINITY) memcpy(rgb, trm_colour_none, 3);
  else if (value == (double)INFINITY) memcpy(rgb, trm_colour_wrong, 3);
  else trm_colour(v->colours, colour_part(v, value), rgb);
}

/* The colour of the cells x0 <= x < x1 at y0 ... y1; what is lit has the light of the first. */
static void cells_colour(const view *v, size_t x0, size_t x1, size_t y0, size_t y1, uint8_t rgb[3])
{
  const double value = trm_plane_mean(&v->picture->plane, x0, x1, y0, y1);
  const float *light = v->picture->light;
  value_colour(v, value, rgb);
  for (int c = 0; c < 3 && light; c++)
    rgb[c] = value == -(double)INFINITY ? 255
           : (uint8_t)(light[y0 * v->x.cells + x0] * (float)rgb[c] + 0.5f);
}

/* A row of pixels, and as many below it as show the same cells. */
static size_t draw_row(const view *v, size_t row, trmi_canvas *canvas)
{
  const size_t py = v->y.pixels - 1 - row, bytes = 3 * v->x.pixels;
  uint8_t *to = canvas->pixels + 3 * ((v->top + row) * canvas->width + v->left);
  size_t y0, y1, last = SIZE_MAX, same = 1;
  covered(&v->y, py, &y0, &y1);
  for (size_t px = 0; px < v->x.pixels; px++) {
    size_t x0, x1;
    covered(&v->x, px, &x0, &x1);
    if (x0 == last) memcpy(to + 3 * px, to + 3 * px - 3, 3);
    else cells_colour(v, x0, x1, y0, y1, to + 3 * px);
    last = x1 == x0 + 1 ? x0 : SIZE_MAX;
  }
  for (; row + same < v->y.pixels; same++) {
    size_t from, past;
    covered(&v->y, py - same, &from, &past);
    if (from != y0 || past != y1) break;
    memcpy(to + same * 3 * canvas->width, to, bytes);
  }
  return same;
}

static void draw_cells(const view *v, trmi_canvas *canvas)
{
  for (size_t row = 0; row < v->y.pixels;) row += draw_row(v, row, canvas);
}

/* Whether a line of picture->edges passes through a pixel: those of cells along the first of their
 * pixels. */
static int has_line(const view *v, size_t px, size_t py)
{
  size_t x0, x1, y0, y1, before, unused;
  int lines = 0;
  covered(&v->x, px, &x0, &x1);
  covered(&v->y, py, &y0, &y1);
  covered(&v->x, px > 0 ? px - 1 : 0, &before, &unused);
  const int is_first_x = px == 0 || before != x0;
  covered(&v->y, py > 0 ? py - 1 : 0, &before, &unused);
  const int is_first_y = py == 0 || before != y0;
  for (size_t y = y0; y < y1; y++)
    for (size_t x = x0; x < x1; x++) {
      const uint8_t edge = v->picture->edges[y * v->x.cells + x];
      lines |= (edge & 1 && (is_first_x || x > x0)) || (edge & 2 && (is_first_y || y > y0));
    }
  return lines;
}

static void draw_lines(const view *v, trmi_canvas *canvas)
{
  for (size_t py = 0; py < v->y.pixels; py++) {
    const size_t row = v->top + v->y.pixels - 1 - py;
    uint8_t *to = canvas->pixels + 3 * (row * canvas->width + v->left);
    for (size_t px = 0; px < v->x.pixels; px++)
      if (has_line(v, px, py)) memcpy(to + 3 * px, ink, 3);
  }
}

/* ---- what stands around them -------------------------------------------------------------- */

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
static void axis_scale(const view *v, int which, trmi_scale *scale, char *name, size_t bytes)
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

static size_t widest(const view *v, const trmi_tick *ticks, size_t count)
{
  size_t most = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t width = trmi_text_width(v->letters, TRMI_SMALL, ticks[i].label);
    if (width > most) most = width;
  }
  return most;
}

static size_t ticks_for(size_t pixels, size_t each)
{
  const size_t fit = pixels / each;
  return fit < 2 ? 2 : fit > 8 ? 8 : fit;
}

static size_t vertical_ticks(const view *v, const trmi_scale *scale, trmi_tick ticks[TRMI_TICKS])
{
  const size_t line = trmi_line_height(v->letters, TRMI_SMALL);
  return trmi_scale_ticks(scale, ticks_for(v->y.pixels, 2 * line), ticks);
}

/* The row of the cells' own pixels where a part of a vertical scale lies. */
static size_t row_of(const view *v, double part)
{
  const double at = (1 - part) * (double)v->y.pixels;
  return at < 0 ? 0 : at > (double)v->y.pixels ? v->y.pixels : (size_t)(at + 0.5);
}

static void draw_frame(const view *v, trmi_canvas *canvas)
{
  const size_t x = v->left - 1, y = v->top - 1, w = v->x.pixels + 2, h = v->y.pixels + 2;
  trmi_canvas_fill(canvas, x, y, w, 1, ink);
  trmi_canvas_fill(canvas, x, y + h - 1, w, 1, ink);
  trmi_canvas_fill(canvas, x, y, 1, h, ink);
  trmi_canvas_fill(canvas, x + w - 1, y, 1, h, ink);
}

/* A label beside a tick of a vertical scale: to its left, or to its right. */
static void draw_vertical(const view *v, const trmi_scale *scale, size_t x, int to_left,
                          trmi_canvas *canvas)
{
  trmi_tick ticks[TRMI_TICKS];
  const size_t count = vertical_ticks(v, scale, ticks);
  const size_t line = trmi_line_height(v->letters, TRMI_SMALL);
  for (size_t i = 0; i < count; i++) {
    const size_t row = row_of(v, ticks[i].part);
    const size_t wide = trmi_text_width(v->letters, TRMI_SMALL, ticks[i].label);
    trmi_canvas_fill(canvas, to_left ? x - TICK : x, v->top + row - (row > 0), TICK, 1, ink);
    trmi_text_draw(v->letters, TRMI_SMALL, canvas, to_left ? x - TICK - 3 - wide : x + TICK + 3,
                   v->top + row - line / 2, ticks[i].label);
  }
}

static void draw_horizontal(const view *v, const trmi_scale *scale, trmi_canvas *canvas)
{
  trmi_tick ticks[TRMI_TICKS];
  const size_t count = trmi_scale_ticks(scale, ticks_for(v->x.pixels, 60), ticks);
  const size_t y = v->top + v->y.pixels + 1;
  for (size_t i = 0; i < count; i++) {
    const size_t x = v->left + (size_t)(ticks[i].part * (double)v->x.pixels + 0.5);
    const size_t wide = trmi_text_width(v->letters, TRMI_SMALL, ticks[i].label);
    trmi_canvas_fill(canvas, x - (ticks[i].part > 0.5), y, 1, TICK, ink);
    trmi_text_draw(v->letters, TRMI_SMALL, canvas, x > wide / 2 ? x - wide / 2 : 0, y + TICK + 1,
                   ticks[i].label);
  }
}

/* An arrowhead at an end of the bar: values lie beyond it, and have the colour of that end. */
static void draw_arrow(const view *v, size_t x, int above, trmi_canvas *canvas)
{
  uint8_t rgb[3];
  trm_colour(v->colours, above ? 1 : 0, rgb);
  for (size_t i = 0; i < BAR / 2; i++) {
    const size_t y = above ? v->top - 2 - i : v->top + v->y.pixels + 1 + i;
    trmi_canvas_fill(canvas, x + i, y, BAR - 2 * i, 1, rgb);
    trmi_canvas_fill(canvas, x + i, y, 1, 1, ink);
    trmi_canvas_fill(canvas, x + BAR - 1 - i, y, 1, 1, ink);
  }
}

static void draw_bar(const view *v, size_t x, trmi_canvas *canvas)
{
  const double rows = (double)v->y.pixels;
  for (size_t row = 0; row < v->y.pixels; row++) {
    uint8_t rgb[3];
    const double part = 1 - ((double)row + 0.5) / rows;
    const double value = v->scale.logarithmic
                             ? v->scale.low * pow(v->scale.high / v->scale.low, part)
                             : v->scale.low + part * (v->scale.high - v->scale.low);
    value_colour(v, value, rgb);
    trmi_canvas_fill(canvas, x, v->top + row, BAR, 1, rgb);
  }
  if (v->is_below) draw_arrow(v, x, 0, canvas);
  if (v->is_above) draw_arrow(v, x, 1, canvas);
  draw_vertical(v, &v->scale, x + BAR, 0, canvas);
}

/* A square of a colour that the bar does not have, and its name; where the next one goes. */
static size_t draw_key(const view *v, size_t x, size_t y, const uint8_t rgb[3], const char *name,
                       trmi_canvas *canvas)
{
  const size_t side = trmi_line_height(v->letters, TRMI_SMALL) - 5;
  trmi_canvas_fill(canvas, x, y + 2, side + 2, side + 2, ink);
  trmi_canvas_fill(canvas, x + 1, y + 3, side, side, rgb);
  trmi_text_draw(v->letters, TRMI_SMALL, canvas, x + side + GAP + 2, y, name);
  return x + side + 2 * MARGIN + trmi_text_width(v->letters, TRMI_SMALL, name);
}

static void draw_keys(const view *v, size_t y, trmi_canvas *canvas)
{
  const trm_picture *p = v->picture;
  size_t x = v->left;
  if (v->has_solid)
    x = draw_key(v, x, y, trm_colour_solid, p->solid_name ? p->solid_name : "solid", canvas);
  if (v->has_none) x = draw_key(v, x, y, trm_colour_none, "no value yet", canvas);
  if (v->has_wrong) (void)draw_key(v, x, y, trm_colour_wrong, "not finite", canvas);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* Everything around the cells: where it goes, then its drawing. */
static trm_status draw_around(view *v, trmi_canvas *out)
{
  const trm_picture *p = v->picture;
  const size_t small = trmi_line_height(v->letters, TRMI_SMALL);
  const size_t large = trmi_line_height(v->letters, TRMI_LARGE);
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
  const size_t texts = larger(trmi_text_width(v->letters, TRMI_LARGE, title),
                              trmi_text_width(v->letters, TRMI_SMALL, below));
  const size_t width = larger(bar + BAR + TICK + 3 + bar_labels, v->left + texts) + MARGIN;
  TRM_TRY(trmi_canvas_create(width, under + small + (has_keys ? GAP + small : 0) + GAP, out));
  draw_cells(v, out);
  if (v->picture->edges) draw_lines(v, out);
  draw_frame(v, out);
  draw_bar(v, bar, out);
  draw_vertical(v, &y_scale, v->left - 1, 1, out);
  draw_horizontal(v, &x_scale, out);
  trmi_text_draw(v->letters, TRMI_LARGE, out, v->left, MARGIN, title);
  trmi_text_draw(v->letters, TRMI_SMALL, out, v->left, MARGIN + large, below);
  trmi_text_draw(v->letters, TRMI_SMALL, out, MARGIN, v->top - MARGIN - small, up);
  const size_t wide = trmi_text_width(v->letters, TRMI_SMALL, across);
  trmi_text_draw(v->letters, TRMI_SMALL, out, v->left + larger(v->x.pixels, wide) / 2 - wide / 2,
                 under, across);
  if (has_keys) draw_keys(v, under + small + GAP, out);
  return TRM_OK;
}

static trm_status begin(const trm_picture *picture, view *v)
{
  *v = (view){.picture = picture};
  TRM_TRY(measure(v));
  find_range(v);
  return TRM_OK;
}

trm_status trm_picture_range(const trm_picture *picture, double *minimum, double *maximum,
                             trm_colours *colours)
{
  view v;
  TRM_TRY(begin(picture, &v));
  *minimum = v.scale.low;
  *maximum = v.scale.high;
  *colours = v.colours;
  return TRM_OK;
}

trm_status trm_picture_draw(const trm_picture *picture, trmi_canvas *out)
{
  view v;
  TRM_TRY(begin(picture, &v));
  if (picture->plain) {
    TRM_TRY(trmi_canvas_create(v.x.pixels, v.y.pixels, out));
    draw_cells(&v, out);
    return TRM_OK;
  }
  TRM_TRY(trmi_letters_open(&v.letters));
  const trm_status status = draw_around(&v, out);
  trmi_letters_close(&v.letters);
  return status;
}
