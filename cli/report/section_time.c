/* section_time.c - where the time goes, and how near the roofs the kernels come. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/chart.h"
#include "cli/report/sections.h"
#include "run/text/members.h"

enum { ROW_LIMIT = 24, SERIES_LIMIT = 64 };

/* ---- time --------------------------------------------------------------------------- */

/* Parts of a whole run, from the start of the program to the last file. */
static const char *const run_parts[] = {"kernels", "launches and host", "transfers",
                                        "compilation", "set-up", "output", "the rest"};
enum { RUN_PARTS = sizeof run_parts / sizeof *run_parts };

static int split_run(const report_row *one, double *parts)
{
  const json_t *times = member(one->data, "seconds");
  const double total = member_number(times, "total"), loop = member_number(times, "loop");
  const double kernels = member_number(times, "kernels");
  const double transfers = member_number(times, "transfers");
  if (!isfinite(total) || !isfinite(loop) || !isfinite(kernels)) return 0;
  const double build = fmax(0, member_number(times, "build"));
  parts[0] = fmin(kernels, loop);
  parts[1] = fmax(0, loop - kernels);
  parts[2] = isfinite(transfers) ? transfers : 0;
  parts[3] = isfinite(build) ? build : 0;
  parts[4] = fmax(0, member_number(times, "init") - build);
  parts[5] = fmax(0, member_number(times, "output"));
  double sum = 0;
  for (int k = 0; k < RUN_PARTS - 1; k++) sum += isfinite(parts[k]) ? parts[k] : 0;
  parts[6] = fmax(0, total - sum);
  return 1;
}

static int split_step(const report_row *one, double *parts)
{
  const json_t *times = member(one->data, "seconds");
  const double steady = member_number(times, "steady");
  const double kernels = member_number(times, "steady_kernels");
  if (!(steady > 0) || !isfinite(kernels)) return 0;
  parts[0] = fmin(kernels, steady);
  parts[1] = fmax(0, steady - kernels);
  return 1;
}

/* The rows of a profile: kernels, and the gaps between them, in seconds. */
static void show_profile(page *out, const report_row *one, size_t index)
{
  static const char *const headings[] = {"what", "kind", "calls", "seconds", "share",
                                         "\u00b5s a call", "GB/s", "GFLOP/s", "of its roof",
                                         "bound by", "registers", "occupancy", NULL};
  const json_t *row, *rows = member(one->data, "profile.rows");
  char id[32];
  size_t i;
  if (json_array_size(rows) == 0) return;
  snprintf(id, sizeof id, "profile-%zu", index + 1);
  page_text(out, "%s, kernel by kernel:", one->label);
  page_table(out, id, "Launch by launch, as 'trireme run --profile' sampled and scaled it.",
             headings, "030200010045");
  json_array_foreach((json_t *)rows, i, row) {
    const double calls = member_number(row, "calls"), seconds = member_number(row, "seconds");
    page_cell_text(out, "%s", member_text(row, "name"));
    page_cell_text(out, "%s", member_text(row, "kind"));
    page_cell_number(out, calls, 1, "%.0f");
    page_cell_number(out, seconds, 1, "%.4g");
    page_cell_number(out, member_number(row, "share"), 100, "%.1f %%");
    page_cell_number(out, seconds / calls, 1e6, "%.3f");
    page_cell_number(out, member_number(row, "bytes_per_second"), 1e-9, "%.1f");
    page_cell_number(out, member_number(row, "flops_per_second"), 1e-9, "%.1f");
    page_cell_number(out, member_number(row, "part_of_bound"), 1, "%.3f");
    page_cell_text(out, "%s", *member_text(row, "bound") ? member_text(row, "bound") : "-");
    page_cell_number(out, member_number(row, "resources.registers"), 1, "%.0f");
    page_cell_number(out, member_number(row, "resources.occupancy"), 1, "%.3f");
  }
  const double sum = member_number(one->data, "profile.seconds");
  const double device = member_number(one->data, "profile.device_seconds");
  if (sum > 0 && device > 0)
    page_text(out, "The rows add up to %.4g s; the steps took the device %.4g s.%s", sum, device,
              sum > 1.05 * device ? " A launch that is timed carries out one step alone, not "
                                    "several steps at once as the others do." : "");
}

static void draw_parts(page *out, const report_data *all, const char *id, const char *title,
                       const char *axis, int (*split)(const report_row *, double *),
                       const char *const *names, size_t parts)
{
  static const char *labels[ROW_LIMIT];
  static double values[ROW_LIMIT * RUN_PARTS];
  size_t rows = 0;
  double most = -1;
  const char *most_label = "";
  for (size_t i = 0; i < all->count; i++) {
    const int is_run = strcmp(all->list[i].file->kind, "run") == 0;
    if ((split == split_run) != is_run || !split(&all->list[i], values + rows * parts)) continue;
    double sum = 0;
    for (size_t k = 0; k < parts; k++) sum += values[rows * parts + k];
    if (values[rows * parts] / sum > most) {
      most = values[rows * parts] / sum;
      most_label = all->list[i].label;
    }
    labels[rows++] = all->list[i].label;
  }
  if (rows == 0) return;
  page_figure(out, id, title, chart_stack(axis, labels, rows, names, parts, values),
              "Shares of time for %zu run%s; the largest share of kernels is %.0f %%, on %s.", rows,
              rows == 1 ? "" : "s", 100 * most, most_label);
}

static void show_starts(page *out, const report_data *all)
{
  static const char *const headings[] = {"run on", "compiling kernels (s)", "set-up (s)",
                                         "to the first step (s)", "timed steps (s)", NULL};
  page_table(out, "times", "Times of the first run of each; the speed counts the timed steps "
             "alone. Compiling takes 0 s where kernels were compiled ahead of time or came from "
             "the cache. The time to the first step begins with the program for 'run', and with "
             "the run for 'compare'.", headings,
             "00000");
  for (size_t i = 0; i < all->count; i++) {
    const json_t *times = member(all->list[i].data, "seconds");
    const double build = member_number(times, "build");
    if (!times) continue; /* a study keeps none */
    page_cell_text(out, "%s", all->list[i].label);
    page_cell_number(out, build < 1e-3 ? 0 : build, 1, "%.3f");
    page_cell_number(out, member_number(times, "create"), 1, "%.3f");
    page_cell_number(out, member_number(times, "start_to_first_step"), 1, "%.3f");
    page_cell_number(out, member_number(times, "steady"), 1, "%.3f");
  }
}

void section_time(page *out, const report_data *all)
{
  static const char *const step_parts[] = {"kernels", "launches, host and series"};
  char options[80];
  int profiled = 0;
  if (all->count == 0) return;
  page_section(out, "time", "Where the time goes");
  draw_parts(out, all, "time-run", "A whole run, from the start of the program to its last file.",
             "share of the run's time", split_run, run_parts, RUN_PARTS);
  draw_parts(out, all, "time-step", "The timed steps: kernels by the device's own clock, and the "
                                    "rest.",
             "share of the timed steps", split_step, step_parts, 2);
  show_starts(out, all);
  for (size_t i = 0; i < all->count; i++) {
    profiled |= json_array_size(member(all->list[i].data, "profile.rows")) > 0;
    show_profile(out, &all->list[i], i);
  }
  snprintf(options, sizeof options, "--profile --backend=%s", all->list[0].of.id);
  if (!profiled)
    section_advise(out, all, "A profile shows how much of it each kernel takes:", "run", options);
}

/* ---- the roofline ---------------------------------------------------------------------- */

/* The best figure of a sample, or the number itself. */
static double best(const json_t *object, const char *path)
{
  const json_t *found = member(object, path);
  return json_is_object(found) ? member_number(found, "most") : member_number(object, path);
}

static int is_same_device(const char *name, const char *id, const report_row *one)
{
  return strcmp(name, one->of.device) == 0 && strcmp(id, one->of.id) == 0;
}

/* A roof of a row's device: of its own profile, of another's of the same device, or of a
 * bench of it; NaN: none tells. */
static double roof_of(const report_data *all, const report_row *one, const char *name)
{
  const json_t *device;
  size_t k;
  double found = best(member(one->data, "profile.ceilings"), name);
  for (size_t i = 0; !isfinite(found) && i < all->count; i++)
    if (is_same_device(all->list[i].of.device, all->list[i].of.id, one))
      found = best(member(all->list[i].data, "profile.ceilings"), name);
  for (size_t i = 0; i < all->file_count; i++)
    json_array_foreach((json_t *)member(all->files[i].document, "devices"), k, device)
      if (!isfinite(found) && is_same_device(member_text(device, "device.name"),
                                             member_text(device, "device.id"), one))
        found = best(device, name);
  return found;
}

/* Fused multiply-adds in the row's precision, in operations a second. */
static double peak_of(const report_data *all, const report_row *one)
{
  return roof_of(all, one, strcmp(one->of.precision, "f64") == 0 ? "fma_f64" : "fma_f32");
}

typedef struct roof_plot {
  chart_point points[SERIES_LIMIT][ROW_LIMIT + 1];
  chart_series series[SERIES_LIMIT];
  char names[SERIES_LIMIT][192];
  size_t count;
  double least, most;          /* intensities of the points */
} roof_plot;

static chart_series *add_series(roof_plot *plot, chart_form form, int colour)
{
  if (plot->count == SERIES_LIMIT) return NULL;
  chart_series *one = &plot->series[plot->count];
  *one = (chart_series){plot->names[plot->count], plot->points[plot->count], 0, colour, form};
  plot->count++;
  return one;
}

static void add_point(roof_plot *plot, chart_series *to, double flops, double bytes,
                      const char *label)
{
  chart_point *points = plot->points[to - plot->series];
  if (!(flops > 0) || !(bytes > 0) || to->count == ROW_LIMIT) return;
  points[to->count++] = (chart_point){flops / bytes, flops, label};
  plot->least = fmin(plot->least, flops / bytes);
  plot->most = fmax(plot->most, flops / bytes);
}

/* A step as a whole, in one series with those of other sizes on the same device. */
static void add_step(roof_plot *plot, const report_data *all, size_t index)
{
  const report_row *one = &all->list[index];
  const char *rest = one->label + strlen(one->place);
  char name[192];
  chart_series *points = NULL;
  if (!(one->of.flops_per_second > 0) || !(one->of.bytes_per_second > 0)) return;
  snprintf(name, sizeof name, "%s, a whole step", one->place);
  for (size_t i = 0; i < plot->count; i++)
    if (strcmp(plot->names[i], name) == 0) points = &plot->series[i];
  if (!points) points = add_series(plot, CHART_DOTS, report_row_colour(all, index));
  if (!points) return;
  snprintf(plot->names[points - plot->series], sizeof plot->names[0], "%s", name);
  add_point(plot, points, one->of.flops_per_second, one->of.bytes_per_second,
            *rest ? rest + 1 : one->label);
}

/* Each kernel where there is a profile, else the step as a whole. */
static void add_points(roof_plot *plot, const report_data *all, size_t index)
{
  const report_row *one = &all->list[index];
  const json_t *row, *rows = member(one->data, "profile.rows");
  size_t i;
  if (json_array_size(rows) == 0) {
    add_step(plot, all, index);
    return;
  }
  chart_series *points = add_series(plot, CHART_RINGS, report_row_colour(all, index));
  if (!points) return;
  json_array_foreach((json_t *)rows, i, row)
    add_point(plot, points, member_number(row, "flops_per_second"),
              member_number(row, "bytes_per_second"), member_text(row, "name"));
  snprintf(plot->names[points - plot->series], sizeof plot->names[0], "%s, each kernel",
           one->label);
  if (points->count == 0) plot->count--;
}

/* The roof of a device: its copy to the ridge, then its fused multiply-adds. */
static void add_roof(roof_plot *plot, const report_data *all, size_t index)
{
  const report_row *one = &all->list[index];
  double copy = roof_of(all, one, "copy_bytes_per_second");
  if (!isfinite(copy)) copy = one->of.copy_roof;
  const double peak = peak_of(all, one);
  for (size_t i = 0; i < index; i++) /* once a device */
    if (report_row_colour(all, i) == report_row_colour(all, index) &&
        strcmp(all->list[i].of.precision, one->of.precision) == 0)
      return;
  if (!(copy > 0)) return;
  const double left = 0.3 * plot->least, ridge = peak / copy;
  const double right = fmax(3 * plot->most, isfinite(ridge) ? 3 * ridge : 0);
  chart_series *roof = add_series(plot, CHART_DASHED, report_row_colour(all, index));
  if (!roof) return;
  chart_point *points = plot->points[roof - plot->series];
  points[roof->count++] = (chart_point){left, left * copy, NULL};
  if (isfinite(ridge)) {
    points[roof->count++] = (chart_point){ridge, peak, NULL};
    points[roof->count++] = (chart_point){right, peak, NULL};
    snprintf(plot->names[roof - plot->series], sizeof plot->names[0], "%s: %.4g GB/s, %.4g TFLOP/s",
             one->of.id, 1e-9 * copy, 1e-12 * peak);
  } else {
    points[roof->count++] = (chart_point){right, right * copy, NULL};
    snprintf(plot->names[roof - plot->series], sizeof plot->names[0], "%s: copies %.4g GB/s",
             one->of.id, 1e-9 * copy);
  }
}

static void draw_roofline(page *out, roof_plot *plot, size_t points)
{
  static const chart_axes axes = {"operations for each byte of memory (FLOP/byte)",
                                  "operations a second (FLOP/s)", 1, 1, 0};
  page_figure(out, "roofline", "Dashed: what the device manages at best, its copy to the left of "
              "the ridge and fused multiply-adds to the right, both measured on it. Marks: "
              "whole steps, hollow ones kernels, by the bytes and operations that the solver "
              "declares. A mark above its roof is served by caches.",
              chart_lines(&axes, plot->series, plot->count),
              "Roofline plot with %zu series of points, at intensities from %.3g to %.3g "
              "operations a byte; the tables hold the numbers.", points, plot->least, plot->most);
}

void section_roofline(page *out, const report_data *all)
{
  int lacks_peak = 0;
  if (all->count == 0) return;
  roof_plot *plot = page_room(out, sizeof *plot);
  if (!plot) return;
  page_section(out, "roofline", "Roofline");
  plot->least = INFINITY;
  for (size_t i = 0; i < all->count; i++) add_points(plot, all, i);
  const size_t points = plot->count;
  for (size_t i = 0; i < all->count && points > 0; i++) {
    add_roof(plot, all, i);
    lacks_peak |= !isfinite(peak_of(all, &all->list[i]));
  }
  if (points > 0) draw_roofline(out, plot, points);
  else
    section_advise(out, all, "The files do not tell how many operations and bytes a step takes: "
                   "they are of an older version, or of a solver that does not declare them. Run "
                   "again:", "run", "--profile");
  if (points > 0 && lacks_peak) {
    page_text(out, "Not every device's peak of arithmetic was measured. 'bench' measures it; its "
              "result may be given to 'report' beside the others:");
    page_command(out, "trireme bench --json >bench.json");
  }
  free(plot);
}
