/* picture_range.c - the range that the colours of a picture have. */
#include <config.h>

#include "io/picture_view.h"

#include <math.h>

enum { DECADES = 4 /* of logarithmic colours, at most: what is fainter has the lowest colour */ };

static double cell_value(const trm_plane *plane, size_t x, size_t y)
{
  return trm_plane_mean(plane, x, x + 1, y, y + 1);
}

/* Draws the ends of a range in to where 1/200 of the values lie beyond each, a bin of 4096 wide. */
static void leave_extremes(const trmi_view *v, double *low, double *high)
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

/* Least and largest value; least: above zero where that counts. Also finds the other kinds of cells
 * in the picture. */
static void find_extremes(trmi_view *v, double *low, double *high)
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

/* The caller's range, else the range of the values. */
void trmi_view_find_range(trmi_view *v)
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
  if (p->logarithmic && !(low > 0)) low = high > 0 ? high * pow(10, -DECADES) : 1;
  if (p->is_signed && low <= p->middle && p->middle <= high) v->colours = TRM_COLOURS_DIVERGING;
  if (!(high > low)) {
    if (p->logarithmic) high = low * 10;
    else if (v->colours == TRM_COLOURS_DIVERGING) low -= 1, high = low + 2;
    else high = low + (low != 0 ? fabs(low) : 1);
  }
  v->scale.low = low;
  v->scale.high = high;
  v->is_below = trmi_scale_part(&v->scale, least) < -1e-6;
  v->is_above = trmi_scale_part(&v->scale, largest) > 1 + 1e-6;
}
