/* picture.c - a plane of a field in colours, with a title, axes, a colour bar and a key.
 *
 * Unless a width is given, a pixel is a whole number of cells or a cell a whole number of pixels.
 * No value is interpolated: a pixel is a cell, or the mean of the values of the cells that it
 * covers. */
#include <config.h>

#include "io/picture_view.h"

#include <math.h>
#include <string.h>

enum { SMALLEST = 512, LARGEST = 2048, THINNEST = 64 };

/* ---- cells and pixels --------------------------------------------------------------------- */

static size_t divide_up(size_t a, size_t b) { return a / b + (a % b != 0); }

static void whole(trmi_axis *a, size_t up, size_t down)
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

static trm_status measure(trmi_view *v)
{
  const trm_picture *p = v->picture;
  const double shape = cell_shape(p);
  TRM_TRY(trm_plane_size(&p->plane, &v->x.cells, &v->y.cells));
  const size_t longest = v->x.cells > v->y.cells ? v->x.cells : v->y.cells;
  const size_t up = longest < SMALLEST ? divide_up(SMALLEST, longest) : 1;
  const size_t down = divide_up(longest, LARGEST);
  whole(&v->x, up, down);
  whole(&v->y, up, down);
  if (p->width) v->x = (trmi_axis){v->x.cells, p->width, 0, 0};
  if (p->width || shape != 1) {
    const double pixel = (double)v->x.pixels / (double)v->x.cells * shape;
    v->y = (trmi_axis){v->y.cells, at_least(pixel * (double)v->y.cells, 1, 4 * LARGEST), 0, 0};
  }
  /* a picture one or two pixels wide would hardly be seen */
  if (!p->plain && v->y.pixels < THINNEST)
    v->y = (trmi_axis){v->y.cells, divide_up(THINNEST, v->y.pixels) * v->y.pixels, 0, 0};
  if (!p->plain && v->x.pixels < THINNEST)
    v->x = (trmi_axis){v->x.cells, divide_up(THINNEST, v->x.pixels) * v->x.pixels, 0, 0};
  return TRM_OK;
}

/* The cells that a pixel covers. */
static void covered(const trmi_axis *a, size_t pixel, size_t *from, size_t *to)
{
  *from = a->up ? pixel / a->up * a->down : pixel * a->cells / a->pixels;
  *to = a->up ? *from + a->down : (pixel + 1) * a->cells / a->pixels;
  if (*to <= *from) *to = *from + 1;
  if (*to > a->cells) *to = a->cells;
}

/* ---- colours ------------------------------------------------------------------------------ */

/* The place of a value in the map. With diverging colours, the middle value has the middle colour
 * wherever the ends lie. A value beyond an end has the colour of that end. */
static double colour_part(const trmi_view *v, double value)
{
  const double low = v->scale.low, high = v->scale.high, middle = v->picture->middle;
  const double shown = value < low ? low : value > high ? high : value;
  if (v->colours != TRM_COLOURS_DIVERGING || !v->picture->is_signed || v->scale.logarithmic ||
      !(low <= middle && middle <= high))
    return trmi_scale_part(&v->scale, shown);
  if (shown == middle) return 0.5;
  return shown < middle ? 0.5 * (shown - low) / (middle - low)
                        : 0.5 + 0.5 * (shown - middle) / (high - middle);
}

void trmi_view_colour(const trmi_view *v, double value, uint8_t rgb[3])
{
  if (isnan(value)) memcpy(rgb, trm_colour_solid, 3);
  else if (value == -(double)INFINITY) memcpy(rgb, trm_colour_none, 3);
  else if (value == (double)INFINITY) memcpy(rgb, trm_colour_wrong, 3);
  else trm_colour(v->colours, colour_part(v, value), rgb);
}

/* The colour of the cells x0 <= x < x1 at y0 ... y1; what is lit has the light of the first. */
static void cells_colour(const trmi_view *v, size_t x0, size_t x1, size_t y0, size_t y1,
                         uint8_t rgb[3])
{
  const double value = trm_plane_mean(&v->picture->plane, x0, x1, y0, y1);
  const float *light = v->picture->light;
  trmi_view_colour(v, value, rgb);
  for (int c = 0; c < 3 && light; c++)
    rgb[c] = value == -(double)INFINITY ? 255
           : (uint8_t)(light[y0 * v->x.cells + x0] * (float)rgb[c] + 0.5f);
}

/* A row of pixels, and as many below it as show the same cells. */
static size_t draw_row(const trmi_view *v, size_t row, trmi_image *image)
{
  const size_t py = v->y.pixels - 1 - row, bytes = 3 * v->x.pixels;
  uint8_t *to = image->pixels + 3 * ((v->top + row) * image->width + v->left);
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
    memcpy(to + same * 3 * image->width, to, bytes);
  }
  return same;
}

/* Whether a line of picture->edges passes through a pixel: those of cells along the first of their
 * pixels. */
static int has_line(const trmi_view *v, size_t px, size_t py)
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

/* A line over this colour: ink, or grey where the colour is nearly as dark. */
static void draw_line(uint8_t rgb[3])
{
  static const uint8_t grey[3] = {144, 144, 144};
  const int brightness = 299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2]; /* ITU-R BT.601, x 1000 */
  memcpy(rgb, brightness < 64 * 1000 ? grey : trmi_ink, 3);
}

static void draw_lines(const trmi_view *v, trmi_image *image)
{
  for (size_t py = 0; py < v->y.pixels; py++) {
    const size_t row = v->top + v->y.pixels - 1 - py;
    uint8_t *to = image->pixels + 3 * (row * image->width + v->left);
    for (size_t px = 0; px < v->x.pixels; px++)
      if (has_line(v, px, py)) draw_line(to + 3 * px);
  }
}

void trmi_view_draw_cells(const trmi_view *v, trmi_image *image)
{
  for (size_t row = 0; row < v->y.pixels;) row += draw_row(v, row, image);
  if (v->picture->edges && !v->picture->plain) draw_lines(v, image);
}

/* ---- the picture -------------------------------------------------------------------------- */

static trm_status begin(const trm_picture *picture, trmi_view *v)
{
  *v = (trmi_view){.picture = picture};
  TRM_TRY(measure(v));
  trmi_view_find_range(v);
  return TRM_OK;
}

trm_status trm_picture_range(const trm_picture *picture, double *minimum, double *maximum,
                             trm_colours *colours)
{
  trmi_view v;
  TRM_TRY(begin(picture, &v));
  *minimum = v.scale.low;
  *maximum = v.scale.high;
  *colours = v.colours;
  return trm_plane_status(&picture->plane);
}

trm_status trm_picture_draw(const trm_picture *picture, trmi_image *out)
{
  trmi_view v;
  TRM_TRY(begin(picture, &v));
  if (picture->plain) {
    TRM_TRY(trmi_image_create(v.x.pixels, v.y.pixels, out));
    trmi_view_draw_cells(&v, out);
    return trm_plane_status(&picture->plane);
  }
  TRM_TRY(trmi_font_open(&v.font));
  const trm_status status = trmi_view_draw_around(&v, out);
  trmi_font_close(&v.font);
  return status == TRM_OK ? trm_plane_status(&picture->plane) : status;
}
