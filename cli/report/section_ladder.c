/* section_ladder.c - the rungs of a study's ladders, with the reasons for each gain. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/report/chart.h"
#include "cli/report/sections.h"
#include "cli/terminal.h"
#include "run/text/members.h"
#include "run/text/text.h"

enum { RUNG_LIMIT = 32 };

/* The reason why noise may explain a ratio. Its interval holds 1, its confidence is too low for a
 * verdict, or the median time of a step moved the other way. */
static const char *noise_of(const json_t *rung, const char *name, double before, double after)
{
  const interval range = member_interval(rung, name);
  const double ratio = member_number(rung, name);
  if (isnan(range.confidence)) return ""; /* the first */
  const int other_way = (ratio > 1 && after > before) || (ratio < 1 && after < before);
  return interval_shows(&range) && !other_way ? "" : " ~";
}

/* Seconds of a step on the rung before, from the saving of this rung. */
static double step_before(const json_t *rung)
{
  return member_number(rung, "seconds_per_step") + member_number(rung, "saved_seconds");
}

/* "bytes +12.3 us (measured), launches +4.5 us (declared); unexplained -0.7 us". No part can save
 * more than the step before took, or cost more than the step takes: such a price is not that of
 * this work. */
static void print_why(const json_t *rung, char *text, size_t bytes)
{
  const json_t *cause;
  size_t i;
  const double rest = member_number(rung, "unexplained_seconds");
  const double before = step_before(rung), after = member_number(rung, "seconds_per_step");
  text[0] = 0;
  json_array_foreach((json_t *)member(rung, "why"), i, cause) {
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

static int has_energy(const json_t *rungs)
{
  const json_t *rung;
  size_t i;
  json_array_foreach((json_t *)rungs, i, rung)
    if (isfinite(member_number(rung, "energy.joules_per_update"))) return 1;
  return 0;
}

/* Whether the rung has the required bits. A rung with another form of the numbers, and fast
 * arithmetic, need not have the bits of the rungs before. */
static const char *rung_result(const json_t *rung, int is_first)
{
  const json_t *agrees = member(rung, "agrees");
  if (json_is_false(agrees)) return "DIFFERS";
  if (!json_is_true(agrees)) return "-";
  return !json_is_false(member(rung, "must_agree")) ? "equal" : is_first ? "the first"
                                                                         : "not demanded";
}

/* On a terminal what the rung changes and why that gains stands below its row. */
static void print_note(const json_t *rung, int is_brief, char *text, size_t bytes)
{
  char why[1024], saved[32];
  const char *changes = member_text(rung, "changes");
  table_significant(1e6 * member_number(rung, "saved_seconds"), saved, sizeof saved);
  print_why(rung, why, sizeof why);
  if (!is_brief || !*changes) snprintf(text, bytes, "%s", *why ? why : "-");
  else if (!*why) snprintf(text, bytes, "%s", changes);
  else
    snprintf(text, bytes, "%s. Saved %s \u00b5s a step: %s", changes, saved, why);
}

static void show_rung(page *out, const json_t *rung, const json_t *first, int with_energy)
{
  char why[1280];
  const int is_first = rung == first;
  const double step = member_number(rung, "seconds_per_step");
  const json_t *range = member(rung, "ratio_interval");
  const int failed = strcmp(member_text(rung, "status"), "failed") == 0;
  print_note(rung, out->is_brief, why, sizeof why);
  page_cell_text(out, "%s", member_text(rung, "name"));
  page_cell_number(out, member_median(rung, "updates_per_second"), 1e-6, "%.1f");
  page_cell_number(out, member_number(rung, "seconds_per_step"), 1e6, "%.2f");
  page_cell_marked(out, member_number(rung, "ratio"), "%.3f",
                   noise_of(rung, "ratio", step_before(rung), step));
  if (json_array_size(range) == 2)
    page_cell_text(out, "%.3f to %.3f", json_number_value(json_array_get(range, 0)),
                   json_number_value(json_array_get(range, 1)));
  else page_cell_text(out, "-");
  page_cell_marked(out, member_number(rung, "total_ratio"), "%.3f",
                   is_first ? "" : noise_of(rung, "total_ratio",
                                            member_number(first, "seconds_per_step"), step));
  if (failed) page_cell_text(out, "failed: %s", member_text(rung, "error"));
  else page_cell_text(out, "%s", rung_result(rung, is_first));
  if (with_energy)
    page_cell_number(out, member_number(rung, "energy.joules_per_update"), 1e9, "%.3g");
  page_cell_text(out, "%s", why);
}

/* Each rung against the one before. */
static void show_rungs(page *out, const char *id, const json_t *rungs)
{
  static const char why[] = "why: \u00b5s saved a step", joules[] = "nJ an update";
  const int with_energy = has_energy(rungs);
  const char *gain = out->is_brief ? "gain" : "to the one before";
  const char *const headings[] = {"rung", "M updates/s", "\u00b5s a step", gain,
                                  "interval", "to the first", "result", with_energy ? joules : why,
                                  with_energy ? why : NULL, NULL};
  const json_t *rung;
  size_t i;
  page_table(out, id, "Each rung against the one before. Reasons are in microseconds saved a "
             "step, negative where the step became longer, as measured or as declared by the "
             "solver; the rest is unexplained. ~ marks a ratio that noise can explain: no "
             "difference could be shown with 90 % confidence.", headings,
                 with_energy ? "02001004n" : "0200100n");
  json_array_foreach((json_t *)rungs, i, rung) show_rung(out, rung, json_array_get(rungs, 0),
      with_energy);
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
  static chart_bar bars[RUNG_LIMIT];
  static char notes[RUNG_LIMIT][32];
  const json_t *rung, *rungs = member(ladder, "rungs");
  char id[32];
  size_t i, count = 0, best = 0;
  json_array_foreach((json_t *)rungs, i, rung) {
    if (count == RUNG_LIMIT) break;
    const double rate = 1e-6 * member_median(rung, "updates_per_second");
    rate_text(rate, notes[count], sizeof notes[0]);
    bars[count] = (chart_bar){member_text(rung, "name"), isfinite(rate) ? notes[count] : "failed",
                              rate, 1e-6 * member_number(rung, "updates_per_second.least"),
                              1e-6 * member_number(rung, "updates_per_second.most"),
                              (int)number % CHART_COLOURS};
    if (isfinite(rate) && !(bars[best].value >= rate)) best = count;
    count++;
  }
  if (count == 0) return;
  const char *size = member_text(ladder, "size"); /* "" where every rung failed */
  page_text(out, "%s (%s)%s%s:", member_text(ladder, "on"), member_text(ladder, "device.name"),
            *size ? ", " : "", size);
  snprintf(id, sizeof id, "ladder-%zu", number + 1);
  page_figure(out, id, "Median speed of each rung; the whisker goes from the slowest to the "
              "fastest run.", chart_bars("million updates a second", bars, count),
              "Bars of the speed of %zu rungs on %s; the fastest, %s, runs at %s million updates a "
              "second.", count, member_text(ladder, "on"), bars[best].label, bars[best].note);
  show_rungs(out, id, rungs);
  if (!out->is_brief) return;
  say_costs(out, member(ladder, "roofs"));
}

/* The change of each rung, once for all ladders of a solver. */
static void show_changes(page *out, const report_data *all)
{
  static const char *const headings[] = {"rung", "what changes", NULL};
  const json_t *ladder, *rung;
  const char *told[REPORT_LIMIT];
  size_t k, r, count = 0;
  for (size_t i = 0; i < all->file_count; i++)
    json_array_foreach((json_t *)member(all->files[i].document, "ladders"), k, ladder)
      json_array_foreach((json_t *)member(ladder, "rungs"), r, rung) {
        const char *changes = member_text(rung, "changes");
        size_t t = 0;
        while (t < count && strcmp(told[t], changes) != 0) t++;
        if (t < count || count == REPORT_LIMIT || !*changes) continue;
        if (count == 0)
          page_table(out, "rungs", "The ladder: each rung changes one thing against the one "
                     "before.", headings, "00");
        told[count++] = changes;
        page_cell_text(out, "%s", member_text(rung, "name"));
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
