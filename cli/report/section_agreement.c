/* section_agreement.c - how far results agree: bits, growth over the steps, distances, places. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/chart.h"
#include "cli/report/sections.h"
#include "run/text/members.h"
#include "run/text/text.h"

enum { GROWTH_SERIES = 24, GROWTH_POINTS = 24, MAP_SIDE = 64, MAPS = 4, BINS = 65 };

/* ---- who agrees with whom -------------------------------------------------------------- */

static int is_run(const report_row *one) { return strcmp(one->file->kind, "run") == 0; }

static int is_of_one_kind(const benchmark *a, const benchmark *b)
{
  return strcmp(a->precision, b->precision) == 0 && strcmp(a->math, b->math) == 0 &&
         a->cells == b->cells && a->steps == b->steps;
}

/* Up to schema 3 fingerprints are of version 1. */
static int are_of_one_version(const result_file *a, const result_file *b)
{
  return (a->schema < 4) == (b->schema < 4);
}

/* Its reference; itself where it is one. A file whose fingerprints are of the other version is one
 * only where there is no better. */
static size_t report_row_reference(const report_data *all, size_t index)
{
  const report_row *one = &all->list[index];
  const double stored = member_number(one->data, "reference");
  if (!is_run(one)) { /* a number within its own file */
    size_t first = index;
    while (first > 0 && all->list[first - 1].file == one->file) first--;
    if (stored >= 0 && first + (size_t)stored < all->count &&
        first + (size_t)stored != index && all->list[first + (size_t)stored].file == one->file)
      return first + (size_t)stored;
    for (size_t i = first; i < index && !isfinite(stored); i++) /* a study's first of the size */
      if (all->list[i].of.cells == one->of.cells) return i;
    if (strcmp(one->file->kind, "study") == 0) return index;
  }
  size_t found = index;
  for (size_t i = 0; i < index; i++) { /* another file's, of the same precision and arithmetic */
    const report_row *other = &all->list[i];
    if (other->file == one->file || !is_of_one_kind(&other->of, &one->of)) continue;
    if (are_of_one_version(other->file, one->file)) return i;
    if (found == index) found = i;
  }
  return found;
}

static int have_comparable_prints(const report_row *one, const report_row *other)
{
  return one->of.fingerprint[0] && other->of.fingerprint[0] &&
         are_of_one_version(one->file, other->file);
}

agreement report_row_agreement(const report_data *all, size_t index)
{
  const report_row *one = &all->list[index];
  const size_t k = report_row_reference(all, index);
  const report_row *other = &all->list[k];
  const int strict = strcmp(one->of.math, "strict") == 0;
  const int are_known = have_comparable_prints(one, other);
  const int equal = are_known && strcmp(one->of.fingerprint, other->of.fingerprint) == 0;
  /* a first row as well: its runs may differ among themselves */
  if (!is_run(one) && json_is_false(member(one->data, "agrees"))) return AGREE_NOT;
  if (k == index) return AGREE_FIRST;
  if (one->file == other->file && !is_run(one)) {
    const int is_study = strcmp(one->file->kind, "study") == 0; /* it knows bits alone */
    if (!member(one->data, "agrees") || json_is_false(member(one->data, "must_agree")))
      return equal ? AGREE_BITS : AGREE_FREE;
    if (equal) return AGREE_BITS;
    if (!are_known || !json_is_true(member(one->data, "agrees"))) return AGREE_UNKNOWN;
    return is_study ? AGREE_FREE : AGREE_TOLERANCE;
  }
  if (equal) return AGREE_BITS;
  if (all->is_mixed) return AGREE_FREE;
  return strict && are_known ? AGREE_NOT : AGREE_UNKNOWN;
}

static const char *words_of(agreement found)
{
  static const char *const words[] = {"the first", "equal in every bit", "within the tolerance",
                                      "DIFFERS", "not demanded", "not known"};
  return words[found];
}

static void show_fingerprints(page *out, const report_data *all)
{
  static const char *const headings[] = {"run on", "fingerprint", "against", "result",
                                         "repeats itself", NULL};
  page_table(out, "fingerprints", "XXH128 over the final state. Strict runs of one case have the "
             "same fingerprint on every device.", headings, "00201");
  for (size_t i = 0; i < all->count; i++) {
    const report_row *one = &all->list[i];
    const size_t k = report_row_reference(all, i);
    const json_t *repeats = member(one->data, "repeats");
    page_cell_text(out, "%s", one->label);
    page_cell_text(out, "%s", one->of.fingerprint[0] ? one->of.fingerprint : "-");
    page_cell_text(out, "%s", k == i ? "-" : all->list[k].label);
    page_cell_text(out, "%s", words_of(report_row_agreement(all, i)));
    page_cell_text(out, "%s", one->of.run_count < 2 ? "one run" : !repeats ? "yes"
                              : json_is_true(repeats) ? "yes" : "NO");
  }
}

/* Why the results of two files are 'not known' to agree. */
static void say_versions(page *out, const report_data *all)
{
  for (size_t i = 1; i < all->file_count; i++)
    if (!are_of_one_version(&all->files[i], &all->files[0])) {
      page_text(out, "Fingerprints of version 1 and 2 cannot be compared: results up to schema 3 "
                "have version 1. Run them again to compare them.");
      return;
    }
}

/* ---- differences -------------------------------------------------------------------------- */

/* Grids of different sizes have nothing to compare value by value. */
static int is_comparable(const report_data *all, size_t index)
{
  return all->list[report_row_reference(all, index)].of.cells == all->list[index].of.cells;
}

static int has_difference(const json_t *difference)
{
  return member_number(difference, "differing") > 0 || *member_text(difference, "not_compared");
}

static void show_differences(page *out, const report_data *all)
{
  static const char *const headings[] = {"run on", "field or series", "values", "differing",
                                         "largest absolute", "of the largest value", "relative",
                                         "ULP", NULL};
  const json_t *difference;
  size_t k, found = 0;
  for (size_t i = 0; i < all->count; i++)
    json_array_foreach((json_t *)member(all->list[i].data, "differences"), k, difference)
      found += (size_t)(is_comparable(all, i) && has_difference(difference));
  if (found == 0) return;
  page_table(out, "differences", "Fields and series whose bits differ from the reference's.",
             headings, "00500132");
  for (size_t i = 0; i < all->count; i++)
    json_array_foreach((json_t *)member(all->list[i].data, "differences"), k, difference) {
      if (!is_comparable(all, i) || !has_difference(difference)) continue;
      const char *missing = member_text(difference, "not_compared");
      page_cell_text(out, "%s", all->list[i].label);
      page_cell_text(out, "%s%s%s", member_text(difference, "name"), *missing ? ": " : "", missing);
      page_cell_number(out, member_number(difference, "values"), 1, "%.0f");
      page_cell_number(out, member_number(difference, "differing"), 1, "%.0f");
      page_cell_number(out, member_number(difference, "absolute"), 1, "%.3g");
      page_cell_number(out, member_number(difference, "scaled"), 1, "%.3g");
      page_cell_number(out, member_number(difference, "relative"), 1, "%.3g");
      page_cell_number(out, member_number(difference, "ulp"), 1, "%.4g");
    }
}

/* ---- growth -------------------------------------------------------------------------------- */

typedef struct growth_plot {
  chart_point points[GROWTH_SERIES][GROWTH_POINTS];
  chart_series series[GROWTH_SERIES];
  char names[GROWTH_SERIES][128];
  size_t count;
} growth_plot;

static void add_growth(growth_plot *plot, const report_row *one, const json_t *difference)
{
  const json_t *point;
  size_t i;
  if (plot->count == GROWTH_SERIES || !(member_number(difference, "differing") > 0)) return;
  chart_series *series = &plot->series[plot->count];
  chart_point *points = plot->points[plot->count];
  *series = (chart_series){plot->names[plot->count], points, 0, (int)plot->count % CHART_COLOURS,
                           CHART_LINE};
  json_array_foreach((json_t *)member(difference, "growth"), i, point)
    if (series->count < GROWTH_POINTS && member_number(point, "scaled") > 0)
      points[series->count++] = (chart_point){member_number(point, "step"),
                                              member_number(point, "scaled"), NULL};
  if (series->count < 2) return;
  snprintf(plot->names[plot->count], sizeof plot->names[0], "%.60s: %.60s", one->label,
           member_text(difference, "name"));
  plot->count++;
}

/* For each series that differs: "1: 1.2e-07, 10: 3e-06". */
static void show_growth(page *out, const report_data *all)
{
  static const char *const headings[] = {"run on", "series", "difference after step", NULL};
  const json_t *difference, *point;
  size_t k, g, rows = 0;
  for (size_t i = 0; i < all->count; i++)
    json_array_foreach((json_t *)member(all->list[i].data, "differences"), k, difference) {
      char text[320] = "";
      if (!(member_number(difference, "differing") > 0) || !member(difference, "growth")) continue;
      json_array_foreach((json_t *)member(difference, "growth"), g, point)
        text_append(text, sizeof text, "%s%.0f: %.2g", g ? ", " : "", member_number(point, "step"),
                    member_number(point, "absolute"));
      if (rows++ == 0)
        page_table(out, "growths", "Absolute differences of the series' values.", headings, "000");
      page_cell_text(out, "%s", all->list[i].label);
      page_cell_text(out, "%s", member_text(difference, "name"));
      page_cell_text(out, "%s", text);
    }
}

static void draw_growth(page *out, const report_data *all)
{
  static const chart_axes axes = {"step", "difference, of the largest value", 1, 1, 0};
  const json_t *difference;
  size_t k;
  growth_plot *plot = page_room(out, sizeof *plot);
  if (!plot) return;
  for (size_t i = 0; i < all->count; i++)
    json_array_foreach((json_t *)member(all->list[i].data, "differences"), k, difference)
      if (is_comparable(all, i)) add_growth(plot, &all->list[i], difference);
  if (plot->count > 0)
    page_figure(out, "growth", "How the difference of each series grows over the steps.",
                chart_lines(&axes, plot->series, plot->count),
                "Growth of the difference over the steps for %zu series, on logarithmic axes.",
                plot->count);
  free(plot);
}

/* ---- distances and places ----------------------------------------------- */

static void draw_distances(page *out, const report_row *one, const json_t *difference,
                           const char *id)
{
  static chart_bar bars[BINS];
  static char labels[BINS][48], notes[BINS][32];
  const json_t *pair, *list = member(difference, "spread.ulps");
  const double values = member_number(difference, "values");
  size_t i, count = 0;
  json_array_foreach((json_t *)list, i, pair) {
    const json_t *least = json_array_get(pair, 0), *number = json_array_get(pair, 1);
    if (!json_is_number(least) || !json_is_number(number) || count == BINS) continue;
    const double ulps = json_number_value(least), part = 100 * json_number_value(number) / values;
    if (ulps < 2) snprintf(labels[count], sizeof labels[0], "%.0f ULP", ulps);
    else snprintf(labels[count], sizeof labels[0], "%.4g to %.4g ULP", ulps, 2 * ulps - 1);
    snprintf(notes[count], sizeof notes[0], "%.3g %%", part);
    bars[count] = (chart_bar){labels[count], notes[count], part, NAN, NAN, ulps > 0 ? 1 : 2};
    count++;
  }
  if (count == 0) return;
  page_figure(out, id, "Share of the values at each distance from the reference, in units in the "
              "last place.", chart_bars("% of the values", bars, count),
              "%s, field %s: %zu classes of distance; %s of the values are at %s.", one->label,
              member_text(difference, "name"), count, notes[0], labels[0]);
}

/* A row of another length would tear the picture: such a map is left out. */
static size_t read_map(const json_t *map, const char **rows)
{
  const json_t *row, *list = member(map, "rows");
  size_t i, width = 0, count = json_array_size(list);
  if (count == 0 || count > MAP_SIDE) return 0;
  json_array_foreach((json_t *)list, i, row) {
    rows[i] = json_string_value(row);
    if (!rows[i] || !*rows[i] || (i > 0 && strlen(rows[i]) != width) ||
        rows[i][strspn(rows[i], "=!0123456789")])
      return 0;
    width = strlen(rows[i]);
  }
  return width <= MAP_SIDE ? count : 0;
}

static void draw_map(page *out, const report_row *one, const json_t *difference, const char *id)
{
  const char *rows[MAP_SIDE];
  const size_t height = read_map(member(difference, "spread.map"), rows);
  const double largest = member_number(difference, "spread.map.largest");
  if (height < 2 || strlen(rows[0]) < 2) return; /* a row is not a plane */
  page_figure(out, id, "Where the field differs: the largest difference of each part of the plane.",
              chart_map(rows, height, largest),
              "Map of the difference of %s on %s, %zu by %zu parts; the largest difference is "
              "%.3g.",
              member_text(difference, "name"), one->label, strlen(rows[0]), height, largest);
}

/* For each candidate, the field that differs most, compared with its largest value; a few
 * candidates at most. */
static void draw_places(page *out, const report_data *all)
{
  const json_t *difference;
  size_t k, drawn = 0;
  for (size_t i = 0; i < all->count && drawn < MAPS; i++) {
    const json_t *worst = NULL;
    char id[40];
    json_array_foreach((json_t *)member(all->list[i].data, "differences"), k, difference)
      if (member(difference, "spread") &&
          (!worst || member_number(difference, "scaled") > member_number(worst, "scaled")))
        worst = difference;
    if (!worst || !is_comparable(all, i)) continue;
    drawn++;
    page_text(out, "%s, field %s, which differs most:", all->list[i].label,
              member_text(worst, "name"));
    snprintf(id, sizeof id, "distances-%zu", i + 1);
    draw_distances(out, &all->list[i], worst, id);
    snprintf(id, sizeof id, "map-%zu", i + 1);
    draw_map(out, &all->list[i], worst, id);
  }
}

static int is_everything_equal(const report_data *all)
{
  for (size_t i = 0; i < all->count; i++) {
    const agreement found = report_row_agreement(all, i);
    if (found != AGREE_FIRST && found != AGREE_BITS) return 0;
  }
  return all->count > 1;
}

void section_agreement(page *out, const report_data *all)
{
  int unknown = 0;
  if (all->count == 0) return;
  page_section(out, "agreement", "Agreement");
  show_fingerprints(out, all);
  say_versions(out, all);
  for (size_t i = 0; i < all->count; i++) unknown |= report_row_agreement(all, i) == AGREE_UNKNOWN;
  if (is_everything_equal(all)) {
    page_text(out, "Every field of the final state is equal in every bit.");
    return;
  }
  show_differences(out, all);
  if (out->is_brief) show_growth(out, all);
  draw_growth(out, all);
  draw_places(out, all);
  if (unknown || all->count == 1)
    section_advise(out, all, "'compare' looks at every value and says by how much runs differ, "
                   "and where:", "compare", "");
}
