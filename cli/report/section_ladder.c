/* section_ladder.c - the implementations of a study's ladders, with the reasons for each gain. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/report/chart.h"
#include "cli/report/sections.h"
#include "cli/terminal.h"
#include "run/text/members.h"
#include "run/text/text.h"

enum { ROW_LIMIT = 32 };

/* The reason why noise may explain a ratio. Its interval holds 1, its confidence is too low for a
 * verdict, or the median time of a step moved the other way. */
static const char *noise_of(const json_t *row, const char *name, double before, double after)
{
  const interval range = member_interval(row, name);
  const double ratio = member_number(row, name);
  if (isnan(range.confidence)) return ""; /* the first */
  const int other_way = (ratio > 1 && after > before) || (ratio < 1 && after < before);
  return interval_shows(&range) && !other_way ? "" : " ~";
}

/* Seconds of a step on the implementation before, from the saving of this implementation. */
static double step_before(const json_t *row)
{
  return member_number(row, "seconds_per_step") + member_number(row, "saved_seconds");
}

/* "bytes +12.3 us (measured), launches +4.5 us (declared); unexplained -0.7 us". No part can save
 * more than the step before took, or cost more than the step takes: such a price is not that of
 * this work. */
static void print_why(const json_t *row, char *text, size_t bytes)
{
  const json_t *cause;
  size_t i;
  const double rest = member_number(row, "unexplained_seconds");
  const double before = step_before(row), after = member_number(row, "seconds_per_step");
  text[0] = 0;
  json_array_foreach((json_t *)member(row, "why"), i, cause) {
    const double seconds = member_number(cause, "seconds");
    const char *words = member_text(cause, "text"), *how = member_text(cause, "how");
    text_append(text, bytes, "%s%s", *text ? "; " : "",
                *words ? words : member_text(cause, "what"));
    if (isfinite(seconds)) text_append(text, bytes, ": %+.3g \u00b5s", 1e6 * seconds);
    const double whole = seconds > 0 ? before : after;
    const int exceeds = fabs(seconds) > whole;
    if (*how) text_append(text, bytes, " (%s", how);
    if (exceeds)
      text_append(text, bytes, "%smore than the whole step of %.3g \u00b5s: overlapped, or cheaper "
                  "here than its price", *how ? "; " : " (", 1e6 * whole);
    if (*how || exceeds) text_append(text, bytes, ")");
  }
  if (isfinite(rest))
    text_append(text, bytes, "%sunexplained %+.3g \u00b5s", *text ? "; " : "", 1e6 * rest);
}

static int has_energy(const json_t *rows)
{
  const json_t *row;
  size_t i;
  json_array_foreach((json_t *)rows, i, row)
    if (isfinite(member_number(row, "energy.joules_per_update"))) return 1;
  return 0;
}

/* Whether the implementation has the required bits. With another form of the numbers, or in fast
 * arithmetic, it need not have the bits of the implementations before. */
static const char *row_result(const json_t *row, int is_first)
{
  const json_t *agrees = member(row, "agrees");
  if (json_is_false(agrees)) return "DIFFERS";
  if (!json_is_true(agrees)) return "-";
  return !json_is_false(member(row, "must_agree")) ? "equal" : is_first ? "the first"
                                                                         : "not demanded";
}

/* On a terminal what the implementation changes and why that gains stands below its row. */
static void print_note(const json_t *row, int is_brief, char *text, size_t bytes)
{
  char why[1024], saved[32];
  const char *changes = member_text(row, "changes");
  table_significant(1e6 * member_number(row, "saved_seconds"), saved, sizeof saved);
  print_why(row, why, sizeof why);
  if (!is_brief || !*changes) snprintf(text, bytes, "%s", *why ? why : "-");
  else if (!*why) snprintf(text, bytes, "%s", changes);
  else
    snprintf(text, bytes, "%s. Saved %s \u00b5s a step: %s", changes, saved, why);
}

static void show_row(page *out, const json_t *row, const json_t *first, int with_energy)
{
  char why[1280];
  const int is_first = row == first;
  const double step = member_number(row, "seconds_per_step");
  const json_t *range = member(row, "ratio_interval");
  const int failed = strcmp(member_text(row, "status"), "failed") == 0;
  print_note(row, out->is_brief, why, sizeof why);
  page_cell_text(out, "%s", member_text(row, "name"));
  page_cell_number(out, member_median(row, "updates_per_second"), 1e-6, "%.1f");
  page_cell_number(out, member_number(row, "seconds_per_step"), 1e6, "%.2f");
  page_cell_marked(out, member_number(row, "ratio"), "%.3f",
                   noise_of(row, "ratio", step_before(row), step));
  if (json_array_size(range) == 2)
    page_cell_text(out, "%.3f to %.3f", json_number_value(json_array_get(range, 0)),
                   json_number_value(json_array_get(range, 1)));
  else page_cell_text(out, "-");
  page_cell_marked(out, member_number(row, "total_ratio"), "%.3f",
                   is_first ? "" : noise_of(row, "total_ratio",
                                            member_number(first, "seconds_per_step"), step));
  if (failed) page_cell_text(out, "failed: %s", member_text(row, "error"));
  else page_cell_text(out, "%s", row_result(row, is_first));
  if (with_energy)
    page_cell_number(out, member_number(row, "energy.joules_per_update"), 1e9, "%.3g");
  page_cell_text(out, "%s", why);
}

/* Each implementation against the one before. */
static void show_rows(page *out, const char *id, const json_t *rows)
{
  static const char why[] = "why: \u00b5s saved a step", joules[] = "nJ an update";
  const int with_energy = has_energy(rows);
  const char *gain = out->is_brief ? "gain" : "to the one before";
  const char *const headings[] = {"implementation", "M updates/s", "\u00b5s a step", gain,
                                  "interval", "to the first", "result", with_energy ? joules : why,
                                  with_energy ? why : NULL, NULL};
  const json_t *row;
  size_t i;
  page_table(out, id, "Each row against the one before. Reasons are in microseconds saved a "
             "step, negative where the step became longer, as measured or as declared by the "
             "solver; the rest is unexplained. ~ marks a ratio that noise can explain: no "
             "difference could be shown with 90 % confidence.", headings,
                 with_energy ? "02001004n" : "0200100n");
  json_array_foreach((json_t *)rows, i, row)
    show_row(out, row, json_array_get(rows, 0), with_energy);
}

static void say_costs(page *out, const json_t *roofs)
{
  if (*member_text(roofs, "missing"))
    page_text(out, "The device's costs were not measured: %s", member_text(roofs, "missing"));
  else
    page_text(out, "Costs measured on this device: memory %.4g GB/s, in arrays as large as "
              "here %.4g GB/s; a launch %.3g \u00b5s, recorded %.3g \u00b5s; to the device %.3g "
              "GB/s, back %.3g GB/s, %.3g \u00b5s a transfer; a value that one item sums %.3g ns.",
              1e-9 * member_number(roofs, "copy_bytes_per_second"),
              1e-9 * member_number(roofs, "copy_here_bytes_per_second"),
              1e6 * member_number(roofs, "launch_seconds"),
              1e6 * member_number(roofs, "recorded_launch_seconds"),
              1e-9 * member_number(roofs, "to_device_bytes_per_second"),
              1e-9 * member_number(roofs, "from_device_bytes_per_second"),
              1e6 * member_number(roofs, "transfer_seconds"),
              1e9 * member_number(roofs, "serial_value_seconds"));
}

static void show_ladder(page *out, const json_t *ladder, size_t number)
{
  static chart_bar bars[ROW_LIMIT];
  static char notes[ROW_LIMIT][32];
  const json_t *row, *rows = member(ladder, "rungs");
  char id[32];
  size_t i, count = 0, best = 0;
  json_array_foreach((json_t *)rows, i, row) {
    if (count == ROW_LIMIT) break;
    const double rate = 1e-6 * member_median(row, "updates_per_second");
    rate_text(rate, notes[count], sizeof notes[0]);
    bars[count] = (chart_bar){member_text(row, "name"), isfinite(rate) ? notes[count] : "failed",
                              rate, 1e-6 * member_number(row, "updates_per_second.least"),
                              1e-6 * member_number(row, "updates_per_second.most"),
                              (int)number % CHART_COLOURS};
    if (isfinite(rate) && !(bars[best].value >= rate)) best = count;
    count++;
  }
  if (count == 0) return;
  const char *size = member_text(ladder, "size"); /* "" where every implementation failed */
  page_text(out, "%s (%s)%s%s:", member_text(ladder, "on"), member_text(ladder, "device.name"),
            *size ? ", " : "", size);
  snprintf(id, sizeof id, "ladder-%zu", number + 1);
  page_figure(out, id, "Median speed of each implementation; the whisker goes from the slowest to "
              "the fastest run.", chart_bars("million updates a second", bars, count),
              "Bars of the speed of %zu implementations on %s; the fastest, %s, runs at %s million "
              "updates a second.", count, member_text(ladder, "on"), bars[best].label,
              bars[best].note);
  show_rows(out, id, rows);
  if (!out->is_brief) return;
  say_costs(out, member(ladder, "roofs"));
}

/* The change of each implementation, once for all ladders of a solver. */
static void show_changes(page *out, const report_data *all)
{
  static const char *const headings[] = {"implementation", "what changes", NULL};
  const json_t *ladder, *row;
  const char *told[REPORT_LIMIT];
  size_t k, r, count = 0;
  for (size_t i = 0; i < all->file_count; i++)
    json_array_foreach((json_t *)member(all->files[i].document, "ladders"), k, ladder)
      json_array_foreach((json_t *)member(ladder, "rungs"), r, row) {
        const char *changes = member_text(row, "changes");
        size_t t = 0;
        while (t < count && strcmp(told[t], changes) != 0) t++;
        if (t < count || count == REPORT_LIMIT || !*changes) continue;
        if (count == 0)
          page_table(out, "implementations", "The ladder: each row changes one thing against the "
                     "one before.", headings, "00");
        told[count++] = changes;
        page_cell_text(out, "%s", member_text(row, "name"));
        page_cell_text(out, "%s", changes);
      }
}

void section_ladder(page *out, const report_data *all)
{
  const json_t *ladder;
  size_t k, number = 0;
  page_section(out, "ladder", "Ladder");
  if (!out->is_brief) show_changes(out, all);
  for (size_t i = 0; i < all->file_count; i++)
    json_array_foreach((json_t *)member(all->files[i].document, "ladders"), k, ladder)
      show_ladder(out, ladder, number++);
  if (number > 0) return;
  section_advise(out, all, "A study of the ladder shows what each optimisation of the kernel "
                 "gains, and why:", "study", "--ladder");
}
