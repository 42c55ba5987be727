/* section_peaks.c - the peaks of a GPU and a processor over all sizes.
 *
 * Peak-to-peak ratio and peak ratio crossover, after Huebler, Larson, Dennis and Voelz (GMD 19,
 * 3783, 2026). The paper's formulas were not at hand: this is a reading of its abstract. A device's
 * speed at a size is the best of all its settings that promise the same result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/sections.h"
#include "run/text/text.h"

/* ---- sizes as text ------------------------------------------------------------------------ */

/* The axes of a grid of this shape; 0: bodies have no grid, their updates are pairs. */
static int axes_of(const report_row *one)
{
  int axes = 1;
  for (const char *at = one->of.shape; (at = strstr(at, " x ")); at += 3) axes++;
  return !one->of.shape[0] ? 2 : strstr(one->of.shape, " cells") ? axes : 0;
}

const char *report_size_unit(const report_row *one)
{
  return axes_of(one) > 0 ? "cells" : "updates a step";
}

const char *report_size_text(const report_row *one, double cells, char text[SIZE_TEXT])
{
  const int axes = axes_of(one);
  snprintf(text, SIZE_TEXT, "%.0f %s", cells, report_size_unit(one));
  for (int i = 0; axes > 1 && i < axes; i++)
    text_append(text, SIZE_TEXT, "%s%.0f", i ? " x " : " (", pow(cells, 1.0 / axes));
  if (axes > 1) text_append(text, SIZE_TEXT, ")");
  return text;
}

/* ---- curves ------------------------------------------------------------------------------- */

typedef struct curve {
  const report_row **at;       /* the fastest at each size, ascending */
  size_t count;
  char name[260];
} curve;

static int is_of_curve(const report_row *a, const report_row *b)
{
  return strcmp(a->place, b->place) == 0 && report_row_same_work(a, b);
}

static int by_cells(const void *a, const void *b)
{
  const double x = (*(const report_row *const *)a)->of.cells,
               y = (*(const report_row *const *)b)->of.cells;
  return (x > y) - (x < y);
}

/* The curve of the device and the work of row `index`, where it is their first; else none. */
static void read_curve(const report_data *all, size_t index, curve *out)
{
  const report_row *first = &all->list[index];
  out->count = 0;
  for (size_t i = 0; i < index; i++)
    if (is_of_curve(&all->list[i], first)) return;
  for (size_t i = index; i < all->count; i++) {
    const report_row *one = &all->list[i];
    size_t k = 0;
    if (!is_of_curve(one, first) || !(one->rate.median > 0) || !(one->of.cells > 0) ||
        report_row_agreement(all, i) == AGREE_NOT)
      continue;
    while (k < out->count && out->at[k]->of.cells != one->of.cells) k++;
    if (k < out->count && out->at[k]->rate.median >= one->rate.median) continue;
    out->at[k] = one;
    out->count += k == out->count;
  }
  qsort(out->at, out->count, sizeof *out->at, by_cells);
  snprintf(out->name, sizeof out->name, "%s%s", first->place, first->work);
}

static size_t peak_of(const curve *one)
{
  size_t peak = 0;
  for (size_t i = 1; i < one->count; i++)
    if (one->at[i]->rate.median > one->at[peak]->rate.median) peak = i;
  return peak;
}

/* "40000 cells, the largest size measured" */
static void peak_text(const curve *one, size_t peak, char *text, size_t bytes)
{
  snprintf(text, bytes, "%.0f %s%s", one->at[peak]->of.cells, report_size_unit(one->at[0]),
           peak + 1 == one->count ? ", the largest size measured" : "");
}

/* ---- both --------------------------------------------------------------------------------- */

/* The smallest size at which the GPU's median reaches the processor's best, on logarithmic
 * scales. */
static void crossover_text(const curve *gpu, const curve *host, double best, char *text,
                           size_t bytes)
{
  const report_row **at = gpu->at;
  char where[SIZE_TEXT];
  size_t i = 0, below = 0;
  while (i < gpu->count && at[i]->rate.median < best) i++;
  if (i == gpu->count) {
    snprintf(text, bytes, "no PRC: at no size measured %s reaches that", gpu->name);
    return;
  }
  double cells = at[i]->of.cells;
  if (i > 0) {
    const double before = at[i - 1]->rate.median, after = at[i]->rate.median;
    const double part = log(best / before) / log(after / before);
    cells = at[i - 1]->of.cells * pow(cells / at[i - 1]->of.cells, part);
  }
  for (size_t k = i; k < gpu->count; k++) below += at[k]->rate.median < best;
  snprintf(text, bytes, "PRC %s%s: ", i > 0 ? "" : "below ",
           report_size_text(at[0], cells, where));
  text_append(text, bytes, below ? "there the median of %s reaches the best median of %s at any "
                                   "size measured"
                                 : "from there on the median of %s is at least the best median "
                                   "of %s at any size measured", gpu->name, host->name);
  if (below)
    text_append(text, bytes, "; at %zu larger size%s it is lower again", below,
                below > 1 ? "s" : "");
}

static int is_overlap(const curve *a, const curve *b)
{
  return a->at[0]->of.cells <= b->at[b->count - 1]->of.cells &&
         b->at[0]->of.cells <= a->at[a->count - 1]->of.cells;
}

static void say_peaks(page *out, const curve *gpu, const curve *host)
{
  const size_t a = peak_of(gpu), b = peak_of(host);
  const report_row *one = gpu->at[a], *other = host->at[b];
  char text[900], first[96], second[96], around[INTERVAL_TEXT] = "";
  interval range;
  const double ratio = report_row_ratio(one, other, &range, NULL);
  if (!is_overlap(gpu, host)) {
    page_item(out, MARK_UNKNOWN, "%s and %s: PPR and PRC are not known: %s was measured from "
              "%.0f to %.0f %s, and %s from %.0f to %.0f; give both the same sizes (trireme study "
              "--sizes).", gpu->name, host->name, gpu->name, gpu->at[0]->of.cells,
              gpu->at[gpu->count - 1]->of.cells, report_size_unit(one), host->name,
              host->at[0]->of.cells, host->at[host->count - 1]->of.cells);
    return;
  }
  if (isfinite(range.low)) interval_text(&range, "", around);
  if (interval_shows(&range))
    crossover_text(gpu, host, other->rate.median, text, sizeof text);
  else
    snprintf(text, sizeof text, "PRC is not known: the difference of the peaks could not be "
             "shown");
  peak_text(gpu, a, first, sizeof first);
  peak_text(host, b, second, sizeof second);
  page_item(out, interval_shows(&range) ? MARK_NONE : MARK_UNKNOWN, "%s and %s: PPR %.3g (peaks at "
            "%s, and %s%s%s); %s. PPR and PRC by our reading of their abstract. A processor "
            "reaches its peak on one large grid only if the grid can be cut into many independent "
            "cases.", gpu->name, host->name, ratio, first, second,
            *around ? "; " : "", around, text);
}

void section_peaks(page *out, const report_data *all)
{
  curve gpu = {.at = page_room(out, (all->count + 1) * sizeof *gpu.at)};
  curve host = {.at = page_room(out, (all->count + 1) * sizeof *host.at)};
  for (size_t i = 0; gpu.at && host.at && i < all->count; i++) {
    if (!report_row_is_gpu(&all->list[i])) continue;
    read_curve(all, i, &gpu);
    for (size_t k = 0; gpu.count >= 2 && k < all->count; k++) {
      if (!all->list[k].of.is_host || !report_row_same_work(&all->list[i], &all->list[k])) continue;
      read_curve(all, k, &host);
      if (host.count >= 2) say_peaks(out, &gpu, &host);
    }
  }
  free(gpu.at);
  free(host.at);
}
