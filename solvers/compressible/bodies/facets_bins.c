/* facets_bins.c - what facets of any origin share (facets.h): memory, volume, boxes and bins. There
 * are two to four times as many bins as facets, so that a bin at the wall has a few of them. */
#include "solvers/compressible/bodies/facets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

trm_status fv_make_room(size_t corners, size_t facets, size_t planes, fv_facets *out)
{
  *out = (fv_facets){ .corner_count = corners, .facet_count = facets, .plane_count = planes };
  TRM_TRY(trmi_memory_require("the facets of a body", corners * sizeof *out->corner +
                              facets * (sizeof *out->facet + sizeof *out->box) +
                              planes * sizeof *out->plane));
  out->corner = calloc(corners, sizeof *out->corner);
  out->facet = calloc(facets, sizeof *out->facet);
  out->plane = calloc(planes, sizeof *out->plane);
  out->box = calloc(facets, sizeof *out->box);
  if (out->corner && out->facet && out->plane && out->box) return TRM_OK;
  fv_free_facets(out);
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the %zu facets of a body", facets);
}

void fv_free_facets(fv_facets *facets)
{
  free(facets->corner);
  free(facets->facet);
  free(facets->plane);
  free(facets->box);
  free(facets->first);
  free(facets->list);
  *facets = (fv_facets){ 0 };
}

double fv_facets_volume(const fv_facets *f)
{
  double six = 0;
  for (size_t i = 0; i < f->facet_count; i++) {
    const double *v[3];
    for (int k = 0; k < 3; k++) v[k] = f->corner[f->facet[i].corner[k]];
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      six += v[0][a] * (v[1][b] * v[2][c] - v[1][c] * v[2][b]);
    }
  }
  return six / 6;
}

int fv_facets_bulge(const fv_facets *f, double slack)
{
  int is_convex = 1, is_hollow = 1;
  for (size_t k = 0; k < f->plane_count; k++) {
    const double *p = f->plane[k];
    for (size_t i = 0; i < f->corner_count && (is_convex || is_hollow); i++) {
      const double *v = f->corner[i];
      const double beyond = ((p[0] * v[0] + p[1] * v[1]) + p[2] * v[2]) - p[3];
      is_convex &= beyond <= slack;
      is_hollow &= beyond >= -slack;
    }
  }
  return is_convex ? 1 : is_hollow ? -1 : 0;
}

/* ---- bins -------------------------------------------------------------------------------- */

/* A box along the axes, of a facet or of all. */
typedef struct box { double low[3], high[3]; } box;

static const box nowhere = { { INFINITY, INFINITY, INFINITY },
                             { -INFINITY, -INFINITY, -INFINITY } };

static void widen(box *b, const double at[3])
{
  for (int a = 0; a < 3; a++) {
    b->low[a] = fmin(b->low[a], at[a]);
    b->high[a] = fmax(b->high[a], at[a]);
  }
}

/* The side becomes shorter, from the longest extent on, until there are enough bins. */
static void choose_bins(fv_facets *f, const box *all)
{
  const double most = 2 * (double)f->facet_count;
  double count = 1, side = 0;
  for (int a = 0; a < 3; a++) side = fmax(side, all->high[a] - all->low[a]);
  while (count < most) {
    count = 1;
    side *= 0.8;
    for (int a = 0; a < 3; a++) count *= floor((all->high[a] - all->low[a]) / side) + 1;
  }
  f->per = 1 / side;
  for (int a = 0; a < 3; a++) {
    f->low[a] = all->low[a];
    f->bins[a] = (int32_t)((all->high[a] - all->low[a]) / side) + 1;
  }
}

static int32_t bin_along(const fv_facets *f, int a, double at)
{
  const double bin = floor((at - f->low[a]) * f->per);
  return bin < 0 ? 0 : bin < f->bins[a] ? (int32_t)bin : f->bins[a] - 1;
}

static void make_boxes(fv_facets *f)
{
  for (size_t i = 0; i < f->facet_count; i++) {
    box own = nowhere;
    for (int k = 0; k < 3; k++) widen(&own, f->corner[f->facet[i].corner[k]]);
    memcpy(f->box[i], own.low, sizeof own.low);
    memcpy(f->box[i] + 3, own.high, sizeof own.high);
  }
}

/* Visits the bins of each facet: counts in first[bin + 1], or enters into the list at first[bin],
 * which goes on to the end of the bin. */
static void visit_bins(fv_facets *f, int is_counting)
{
  for (size_t i = 0; i < f->facet_count; i++) {
    int32_t from[3], to[3];
    for (int a = 0; a < 3; a++) {
      from[a] = bin_along(f, a, f->box[i][a]);
      to[a] = bin_along(f, a, f->box[i][3 + a]);
    }
    for (int32_t z = from[2]; z <= to[2]; z++)
      for (int32_t y = from[1]; y <= to[1]; y++)
        for (int32_t x = from[0]; x <= to[0]; x++) {
          int32_t *first = f->first + ((size_t)z * (size_t)f->bins[1] + (size_t)y) *
                           (size_t)f->bins[0] + x;
          if (is_counting) first[1]++;
          else f->list[first[0]++] = (int32_t)i;
        }
  }
}

trm_status fv_fill_bins(fv_facets *f)
{
  box all = nowhere;
  for (size_t i = 0; i < f->corner_count; i++) widen(&all, f->corner[i]);
  choose_bins(f, &all);
  make_boxes(f);
  const size_t bins = (size_t)f->bins[0] * (size_t)f->bins[1] * (size_t)f->bins[2];
  size_t entries = 0;
  f->first = calloc(bins + 1, sizeof *f->first);
  if (!f->first) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bins of facets", bins);
  visit_bins(f, 1);
  for (size_t b = 0; b <= bins; b++) entries += (size_t)f->first[b];
  if (entries > INT32_MAX)
    return TRM_FAIL(INPUT, "a surface of %zu triangles has too many for a list of those near a "
                    "cell; export it with fewer", f->facet_count);
  TRM_TRY(trmi_memory_require("the bins of facets", entries * sizeof *f->list));
  f->list = malloc(entries * sizeof *f->list);
  if (!f->list) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu facets in bins", entries);
  for (size_t b = 0; b < bins; b++) f->first[b + 1] += f->first[b];
  visit_bins(f, 0);
  memmove(f->first + 1, f->first, bins * sizeof *f->first); /* each tells where the next begins */
  f->first[0] = 0;
  return TRM_OK;
}
