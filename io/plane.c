/* plane.c - a plane of a field as one number a cell, and its means over blocks of cells. */
#include <config.h>

#include "io/plane.h"

#include <math.h>
#include <stdlib.h>

static size_t extent(const trm_array *field, int axis)
{
  return axis == 0 ? field->nx : axis == 1 ? field->ny : field->nz;
}

trm_status trm_plane_size(const trm_plane *plane, size_t *width, size_t *height)
{
  const trm_array *f = plane->field, *s = plane->solid;
  TRM_TRY(plane->window ? trm_array_shape(f, NULL) : trm_array_elements(f, NULL));
  if (plane->normal < 0 || plane->normal > 2)
    return TRM_FAIL(INVALID, "a plane across axis %d; give 0, 1 or 2", plane->normal);
  if (plane->index >= extent(f, plane->normal))
    return TRM_FAIL(INVALID, "the picture shows plane %zu of '%s', which has %zu; choose 0 to %zu",
                    plane->index, f->name, extent(f, plane->normal),
                    extent(f, plane->normal) - 1);
  if (s && (s->type != TRM_TYPE_U8 || s->nx != f->nx || s->ny != f->ny || s->nz != f->nz))
    return TRM_FAIL(INVALID, "the flags '%s' do not belong to the cells of '%s'", s->name, f->name);
  *width = extent(f, plane->normal == 0 ? 1 : 0);
  *height = extent(f, plane->normal == 2 ? 1 : 2);
  return TRM_OK;
}

static size_t cell(const trm_plane *plane, size_t x, size_t y)
{
  const trm_array *f = plane->field;
  if (plane->normal == 2) return (plane->index * f->ny + y) * f->nx + x;
  if (plane->normal == 1) return (y * f->ny + plane->index) * f->nx + x;
  return (y * f->ny + x) * f->nx + plane->index;
}

static double value(const trm_plane *plane, size_t at)
{
  const trm_array *f = plane->field;
  const size_t cells = f->nx * f->ny * f->nz;
  if (plane->solid && ((const uint8_t *)plane->solid->data)[at]) return (double)NAN;
  double v = trm_array_value(f, at);
  if (plane->is_reduced) return v;
  if (f->components > 1) {
    double sum = 0;
    for (size_t c = 0; c < (size_t)f->components; c++) {
      const double part = trm_array_value(f, c * cells + at);
      sum += part * part;
    }
    v = sqrt(sum);
  }
  if (!isfinite(v)) return (double)INFINITY;
  return plane->has_none && v < 0 ? -(double)INFINITY : v;
}

/* ---- a window ---------------------------------------------------------------------------- */

enum { WINDOW_CELLS = 1 << 17 };

static trm_status make_room(trm_plane_window *w, const trm_plane *plane, size_t cells)
{
  const trm_array *f = plane->field;
  if (cells <= w->room) return TRM_OK;
  free(w->values);
  free(w->flags);
  w->room = cells;
  w->values = malloc((size_t)f->components * cells * trm_type_size(f->type));
  w->flags = malloc(plane->solid ? cells : 1);
  return w->values && w->flags ? TRM_OK
         : TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells of a picture", cells);
}

static trm_status read_window(trm_plane_window *w, const trm_plane *plane)
{
  const trm_array *f = plane->field;
  const size_t first = w->first * f->nx, cells = w->rows * f->nx;
  const size_t bytes = cells * trm_type_size(f->type);
  TRM_TRY(make_room(w, plane, cells));
  for (size_t c = 0; c < (size_t)f->components; c++)
    TRM_TRY(trm_array_part(f, &w->source, c, first, cells, (char *)w->values + c * bytes));
  return plane->solid ? trm_array_part(plane->solid, &w->source, 0, first, cells, w->flags)
                      : TRM_OK;
}

/* Rows y0 ... y1 - 1 are to be there: with those behind them, or, on a way back, those before. */
static trm_status bring_rows(trm_plane_window *w, const trm_plane *plane, size_t y0, size_t y1)
{
  const size_t ny = plane->field->ny, some = WINDOW_CELLS / plane->field->nx;
  const size_t rows = some > y1 - y0 ? some : y1 - y0;
  const int is_back = w->rows > 0 && y0 < w->first;
  if (w->status != TRM_OK || (y0 >= w->first && y1 <= w->first + w->rows)) return w->status;
  w->first = !is_back ? y0 : y1 > rows ? y1 - rows : 0;
  w->rows = ny - w->first < rows ? ny - w->first : rows;
  w->status = read_window(w, plane);
  return w->status;
}

void trm_plane_window_free(trm_plane_window *window)
{
  free(window->values);
  free(window->flags);
  *window = (trm_plane_window){.status = window->status};
}

trm_status trm_plane_status(const trm_plane *plane)
{
  return plane->window ? plane->window->status : TRM_OK;
}

static double mean_of_window(const trm_plane *plane, size_t x0, size_t x1, size_t y0, size_t y1)
{
  trm_plane_window *w = plane->window;
  if (bring_rows(w, plane, y0, y1) != TRM_OK) return (double)NAN;
  trm_plane part = *plane;
  trm_array field = *plane->field, solid = plane->solid ? *plane->solid : *plane->field;
  field.data = w->values;
  solid.data = w->flags;
  field.ny = solid.ny = w->rows;
  part.window = NULL;
  part.field = &field;
  part.solid = plane->solid ? &solid : NULL;
  return trm_plane_mean(&part, x0, x1, y0 - w->first, y1 - w->first);
}

/* ---- means ------------------------------------------------------------------------------- */

double trm_plane_mean(const trm_plane *plane, size_t x0, size_t x1, size_t y0, size_t y1)
{
  if (plane->window) return mean_of_window(plane, x0, x1, y0, y1);
  double sum = 0;
  size_t count = 0, none = 0;
  for (size_t y = y0; y < y1; y++)
    for (size_t x = x0; x < x1; x++) {
      const double v = value(plane, cell(plane, x, y));
      if (v == -(double)INFINITY) none++;
      else if (!isnan(v)) sum += v, count++;
    }
  if (count) return isfinite(sum) ? sum / (double)count : (double)INFINITY;
  return none ? -(double)INFINITY : (double)NAN;
}

static size_t divide_up(size_t a, size_t b) { return a / b + (a % b != 0); }

trm_status trm_plane_fit(const trm_plane *plane, size_t most_width, size_t most_height,
                         size_t *cells, size_t *width, size_t *height)
{
  size_t nx, ny;
  TRM_TRY(trm_plane_size(plane, &nx, &ny));
  const size_t across = divide_up(nx, most_width), up = divide_up(ny, most_height);
  *cells = across > up ? across : up;
  *width = divide_up(nx, *cells);
  *height = divide_up(ny, *cells);
  return TRM_OK;
}

trm_status trm_plane_reduce(const trm_plane *plane, size_t cells, float *out)
{
  size_t nx, ny;
  TRM_TRY(trm_plane_size(plane, &nx, &ny));
  for (size_t y = 0; y < ny; y += cells)
    for (size_t x = 0; x < nx; x += cells)
      *out++ = (float)trm_plane_mean(plane, x, x + cells < nx ? x + cells : nx, y,
                                     y + cells < ny ? y + cells : ny);
  return trm_plane_status(plane);
}
