/* picture.c - a plane of a field as colours, with a title and a colour bar.
 *
 * A pixel is a whole number of cells or a cell a whole number of pixels, so that nothing is
 * interpolated that was not computed; cells averaged into one pixel are averaged as values. */
#include <config.h>

#include "io/canvas.h"
#include "io/colours.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SMALLEST = 512, LARGEST = 2048, MARGIN = 12, TEXT_SCALE = 2, BAR = 24, TICKS = 6,
       DECADES = 4 /* of logarithmic colours, at most: what is fainter has the lowest colour */ };

static const uint8_t solid_grey[3] = {128, 128, 128}, not_finite[3] = {255, 0, 255},
                     none[3] = {240, 240, 240};

typedef struct view {
  const trm_picture *picture;
  size_t up, down;             /* pixels a cell and cells a pixel; one of them is 1 */
  size_t width, height;        /* pixels of the plane */
  double low, high;
} view;

/* The value, or the magnitude of the components. */
static double cell_value(const trm_picture *p, size_t x, size_t y)
{
  const trm_array *f = p->field;
  const size_t cells = f->nx * f->ny * f->nz, at = (p->plane * f->ny + y) * f->nx + x;
  if (f->components == 1) return trm_array_value(f, at);
  double sum = 0.0;
  for (size_t c = 0; c < (size_t)f->components; c++) {
    const double v = trm_array_value(f, c * cells + at);
    sum += v * v;
  }
  return sqrt(sum);
}

/* What the colour stands for. */
static double scaled(const trm_picture *p, double value)
{
  if (!p->logarithmic || !isfinite(value)) return value;
  return value > 0.0 ? log10(value) : -(double)INFINITY;
}

static int is_solid(const trm_picture *p, size_t x, size_t y)
{
  return p->solid && p->solid[y * p->field->nx + x];
}

/* A value that takes part in the range, NaN where the cell shows none. */
static double ranged(const trm_picture *p, size_t x, size_t y)
{
  if (is_solid(p, x, y)) return (double)NAN;
  const double value = scaled(p, cell_value(p, x, y));
  return isfinite(value) && !(p->has_none && value < 0.0) ? value : (double)NAN;
}

/* Draws the ends of a range in to where 1/200 of the values lie beyond each, a bin of 4096 wide. */
static void leave_extremes(const trm_picture *p, double *low, double *high)
{
  enum { BINS = 4096, PART = 200 };
  size_t counts[BINS] = {0}, total = 0, below = 0, above = 0;
  const double from = *low, width = (*high - *low) / BINS;
  if (!(width > 0.0) || !isfinite(width)) return;
  for (size_t y = 0; y < p->field->ny; y++)
    for (size_t x = 0; x < p->field->nx; x++) {
      const double at = (ranged(p, x, y) - from) / width;
      if (isnan(at)) continue;
      counts[at > 0.0 ? at < BINS - 1 ? (size_t)at : BINS - 1 : 0]++;
      total++;
    }
  size_t first = 0, last = BINS - 1;
  while (first < last && (below += counts[first]) <= total / PART) first++;
  while (last > first && (above += counts[last]) <= total / PART) last--;
  *low = from + width * (double)first;
  *high = from + width * (double)(last + 1);
}

/* The range of the colours: what the caller says, else that of the finite values of fluid cells,
 * from zero where the least is next to nothing. */
static void find_range(view *v)
{
  const trm_picture *p = v->picture;
  double low = (double)INFINITY, high = -(double)INFINITY;
  for (size_t y = 0; y < p->field->ny; y++)
    for (size_t x = 0; x < p->field->nx; x++) {
      const double value = ranged(p, x, y);
      if (value < low) low = value;
      if (value > high) high = value;
    }
  if (low > high) low = high = 0.0;
  for (int i = 0; i < 3 && p->bulk; i++) leave_extremes(p, &low, &high);
  if (!p->logarithmic && low > 0.0 && low < 0.02 * high) low = 0.0;
  if (p->logarithmic && low < high - DECADES) low = high - DECADES;
  v->low = isnan(p->minimum) ? low : p->minimum;
  v->high = isnan(p->maximum) ? high : p->maximum;
  if (!(v->high > v->low)) v->high = v->low + (v->low != 0.0 ? fabs(v->low) : 1.0);
}

/* The mean of the pixel's fluid cells; grey where there is none, and near white where none of them
 * has a value. */
static void pixel_colour(const view *v, size_t px, size_t py, uint8_t rgb[3])
{
  const trm_picture *p = v->picture;
  const size_t x0 = px / v->up * v->down, y0 = py / v->up * v->down;
  double sum = 0.0;
  size_t count = 0, fluid = 0;
  for (size_t y = y0; y < y0 + v->down && y < p->field->ny; y++)
    for (size_t x = x0; x < x0 + v->down && x < p->field->nx; x++) {
      if (is_solid(p, x, y)) continue;
      const double value = cell_value(p, x, y);
      fluid++;
      if (p->has_none && value < 0.0) continue;
      sum += value;
      count++;
    }
  if (!fluid) memcpy(rgb, solid_grey, 3);
  else if (!count) memcpy(rgb, none, 3);
  else if (!isfinite(sum)) memcpy(rgb, not_finite, 3);
  else trm_colour(TRM_COLOURS_VIRIDIS,
                  (scaled(p, sum / (double)count) - v->low) / (v->high - v->low), rgb);
}

static void draw_plane(const view *v, size_t left, size_t top, trmi_canvas *canvas)
{
  for (size_t py = 0; py < v->height; py += v->up)
    for (size_t px = 0; px < v->width; px += v->up) {
      uint8_t rgb[3];
      pixel_colour(v, px, py, rgb);
      trmi_canvas_fill(canvas, left + px, top + v->height - v->up - py, v->up, v->up, rgb);
    }
}

/* 1, 2 or 5 times a power of ten, so that a range holds `ticks` of it at most. */
static double round_step(double range, size_t ticks)
{
  const double least = range / (double)ticks, power = pow(10.0, floor(log10(least)));
  const double digit = least / power;
  return power * (digit <= 1.0 ? 1.0 : digit <= 2.0 ? 2.0 : digit <= 5.0 ? 5.0 : 10.0);
}

static void label_text(double value, double step, char *text, size_t bytes)
{
  const int decimals = (int)-floor(log10(step) + 1e-9);
  if (fabs(value) < step * 1e-6) snprintf(text, bytes, "0");
  else if (decimals > 8 || fabs(value) >= 1e6) snprintf(text, bytes, "%.4g", value);
  else snprintf(text, bytes, "%.*f", decimals > 0 ? decimals : 0, value);
}

static void draw_ticks(const view *v, size_t left, size_t top, trmi_canvas *canvas)
{
  static const uint8_t ink[3] = {32, 32, 32};
  const size_t text = TRMI_FONT_HEIGHT * TEXT_SCALE, last = v->height - 1;
  const size_t room = v->height / (2 * text), ticks = room > TICKS ? TICKS : room ? room : 1;
  const double range = v->high - v->low, step = round_step(range, ticks);
  if (!isfinite(range) || !(step > 0.0) || !isfinite(step)) return;
  const double first = ceil(v->low / step - 1e-9);
  for (size_t i = 0; i <= ticks; i++) {
    char label[32];
    const double value = (first + (double)i) * step, part = (value - v->low) / range;
    if (part > 1.0 + 1e-9) break;
    const double at = (1.0 - part) * (double)last;
    const size_t row = at > 0.0 ? (size_t)(at + 0.5) : 0;
    size_t y = row > text / 2 ? row - text / 2 : 0;
    if (y + text > v->height) y = v->height > text ? v->height - text : 0;
    label_text(value, step, label, sizeof label);
    trmi_canvas_fill(canvas, left, top + row, 5, 1, ink);
    trmi_canvas_text(canvas, left + 8, top + y, TEXT_SCALE, label);
  }
}

static void draw_bar(const view *v, size_t left, size_t top, trmi_canvas *canvas)
{
  const size_t last = v->height > 1 ? v->height - 1 : 1;
  for (size_t row = 0; row < v->height; row++) {
    uint8_t rgb[3];
    trm_colour(TRM_COLOURS_VIRIDIS, (double)(last - (row < last ? row : last)) / (double)last, rgb);
    trmi_canvas_fill(canvas, left, top + row, BAR, 1, rgb);
  }
  draw_ticks(v, left + BAR, top, canvas);
}

/* Cuts the title to what fits. */
static void draw_title(const view *v, size_t width, trmi_canvas *canvas)
{
  char text[256];
  const trm_array *f = v->picture->field;
  if (v->picture->title) snprintf(text, sizeof text, "%s", v->picture->title);
  else snprintf(text, sizeof text, "%s%s%s%s", f->name, f->unit && *f->unit ? " [" : "",
                f->unit ? f->unit : "", f->unit && *f->unit ? "]" : "");
  const size_t fits = width / (TRMI_FONT_WIDTH * TEXT_SCALE);
  if (fits < sizeof text) text[fits] = '\0';
  trmi_canvas_text(canvas, MARGIN, MARGIN, TEXT_SCALE, text);
}

static size_t divide_up(size_t a, size_t b) { return a / b + (a % b != 0); }

trm_status trmi_picture_draw(const trm_picture *picture, trmi_canvas *out)
{
  const trm_array *f = picture->field;
  TRM_TRY(trm_array_elements(f, NULL));
  if (picture->plane >= f->nz)
    return TRM_FAIL(INVALID, "the picture shows plane %zu of '%s', which has %zu; choose 0 to %zu",
                    picture->plane, f->name, f->nz, f->nz - 1);
  const size_t longest = f->nx > f->ny ? f->nx : f->ny;
  view v = {.picture = picture, .up = longest < SMALLEST ? divide_up(SMALLEST, longest) : 1,
            .down = divide_up(longest, LARGEST)};
  v.width = divide_up(f->nx, v.down) * v.up;
  v.height = divide_up(f->ny, v.down) * v.up;
  find_range(&v);
  if (picture->plain) {
    TRM_TRY(trmi_canvas_create(v.width, v.height, out));
    draw_plane(&v, 0, 0, out);
    return TRM_OK;
  }
  const size_t heading = TRMI_FONT_HEIGHT * TEXT_SCALE + MARGIN;
  const size_t labels = 10 * TRMI_FONT_WIDTH * TEXT_SCALE;
  const size_t width = v.width + 3 * MARGIN + BAR + 8 + labels;
  TRM_TRY(trmi_canvas_create(width, v.height + heading + 2 * MARGIN, out));
  draw_title(&v, width - 2 * MARGIN, out);
  draw_plane(&v, MARGIN, MARGIN + heading, out);
  draw_bar(&v, v.width + 2 * MARGIN, MARGIN + heading, out);
  return TRM_OK;
}
