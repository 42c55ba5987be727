/* section_speed.c - the verdict, and the speeds with their spread. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/report/chart.h"
#include "cli/report/sections.h"
#include "cli/terminal.h"
#include "run/text/members.h"
#include "run/text/text.h"

static int is_of_one_device(const report_row *a, const report_row *b)
{
  return strcmp(a->of.id, b->of.id) == 0 && strcmp(a->machine, b->machine) == 0;
}

int report_row_colour(const report_data *all, size_t index)
{
  int colours = 0;
  for (size_t i = 0; !is_of_one_device(&all->list[i], &all->list[index]); i++) {
    size_t k = 0;
    while (!is_of_one_device(&all->list[k], &all->list[i])) k++;
    colours += k == i; /* not seen before */
  }
  return colours;
}

void rate_text(double value, char *text, size_t bytes)
{
  if (!isfinite(value)) snprintf(text, bytes, "-");
  else if (value >= 1000 && value < 1e9) snprintf(text, bytes, "%.0f", value);
  else snprintf(text, bytes, "%.4g", value);
}

/* The possible verdicts on a row's speed against the first one's. */
typedef enum speed_verdict { SPEED_FIRST, SPEED_FASTER, SPEED_SLOWER, SPEED_EQUAL, SPEED_UNCLEAR,
                             SPEED_UNKNOWN } speed_verdict;

static speed_verdict report_row_speed(const report_data *all, size_t index)
{
  const report_row *one = &all->list[index];
  if (one->base == index) return SPEED_FIRST;
  if (!isfinite(one->ratio)) return SPEED_UNKNOWN;
  const interval range = {one->ratio_low, one->ratio_high, one->confidence};
  if (!isfinite(range.low) || !isfinite(range.high) || !interval_is_sure(&range))
    return SPEED_UNCLEAR;
  if (!interval_shows(&range)) return SPEED_EQUAL;
  return range.low > 1 ? SPEED_FASTER : SPEED_SLOWER;
}

/* Behind a ratio that noise can explain. */
static const char *ratio_sign(const report_data *all, size_t index)
{
  const speed_verdict found = report_row_speed(all, index);
  return found == SPEED_EQUAL || found == SPEED_UNCLEAR ? " ~" : "";
}

/* ---- the verdict ------------------------------------------------------------------ */

static void print_interval(const report_row *one, char *text, size_t bytes)
{
  char range[INTERVAL_TEXT];
  const interval around = {one->ratio_low, one->ratio_high, one->confidence};
  if (!isfinite(one->ratio_low)) text[0] = 0;
  else
    snprintf(text, bytes, " (%s)",
             interval_text(&around, one->is_paired ? "" : ", worst against best,", range));
}

static void say_speed(page *out, const report_data *all, size_t index)
{
  const report_row *one = &all->list[index], *first = &all->list[one->base];
  const char *wrong = report_row_agreement(all, index) == AGREE_NOT
                        ? " Its result differs where it must not." : "";
  char range[INTERVAL_TEXT + 8];
  print_interval(one, range, sizeof range);
  switch (report_row_speed(all, index)) {
  case SPEED_FASTER:
    page_item(out, MARK_NONE, "%s is %.3g times as fast as %s%s.%s", one->label, one->ratio,
              first->label, range, wrong);
    break;
  case SPEED_SLOWER:
    page_item(out, MARK_NONE, "%s is slower than %s: %.3g of its speed%s.%s", one->label,
              first->label, one->ratio, range, wrong);
    break;
  case SPEED_EQUAL:
    page_item(out, MARK_NONE, "%s and %s: no difference could be shown, %.3g%s.%s", one->label,
              first->label, one->ratio, range, wrong);
    break;
  case SPEED_UNCLEAR:
    page_item(out, MARK_UNKNOWN, "%s ran at %.3g of the speed of %s%s: too few runs to show a "
              "difference; %s--runs=%d%s gives 94 %% confidence.", one->label, one->ratio,
              first->label, range, one->is_paired ? "" : "'trireme compare ", (int)VERDICT_RUNS,
              one->is_paired ? "" : "', which takes turns,");
    break;
  case SPEED_FIRST:
  case SPEED_UNKNOWN: break;
  }
}

static void say_agreement(page *out, const report_data *all)
{
  size_t counts[AGREE_UNKNOWN + 1] = {0}, fast = 0;
  for (size_t i = 0; i < all->count; i++) {
    const agreement found = report_row_agreement(all, i);
    counts[found]++;
    fast += found == AGREE_NOT && strcmp(all->list[i].of.math, "strict") != 0;
  }
  if (counts[AGREE_NOT] > 0)
    page_item(out, MARK_WARNING, "%zu of the results differ where they must not: see Agreement.%s",
              counts[AGREE_NOT], fast == 0 ? "" : " The tolerance of fast arithmetic covers its "
              "roundings, but not their growth in a flow: docs/program.md tells the two apart.");
  else if (counts[AGREE_TOLERANCE] > 0)
    page_item(out, MARK_GOOD, "The results agree to the tolerance of fast arithmetic.");
  else if (counts[AGREE_BITS] > 0)
    page_item(out, MARK_GOOD, "All results that must be identical are identical, bit for bit.");
  if (counts[AGREE_FREE] > 0 && out->is_brief)
    page_item(out, MARK_NONE, "%zu of the results may differ: they have another value of a key "
              "that changes the result, or fast arithmetic.", counts[AGREE_FREE]);
  if (counts[AGREE_UNKNOWN] > 0)
    page_item(out, MARK_UNKNOWN, "Whether %zu of the results agree with the first is not known: "
              "see Agreement.", counts[AGREE_UNKNOWN]);
}

static size_t fastest_of(const report_data *all, size_t base)
{
  size_t best = base;
  for (size_t i = base; i < all->count; i++)
    if (all->list[i].base == base && all->list[i].rate.median > all->list[best].rate.median &&
        report_row_agreement(all, i) != AGREE_NOT)
      best = i;
  return best;
}

static size_t others_of(const report_data *all, size_t base)
{
  size_t count = 0;
  for (size_t i = base + 1; i < all->count; i++) count += all->list[i].base == base;
  return count;
}

/* Many are summed up by the fastest of each size. */
static void say_speeds(page *out, const report_data *all)
{
  const int many = all->count > 8;
  for (size_t i = 0; i < all->count; i++) {
    if (!many) say_speed(out, all, i);
    else if (all->list[i].base == i) {
      const size_t best = fastest_of(all, i);
      if (best == i && others_of(all, i) == 0) continue;
      if (best == i)
        page_item(out, MARK_NONE, "Of its size %s has the fastest median.", all->list[i].label);
      else say_speed(out, all, best);
    }
  }
}

/* A row of a study that was interrupted has no speed yet. */
static void say_open(page *out, const report_data *all)
{
  const json_t *one;
  size_t k, open = 0;
  for (size_t i = 0; i < all->file_count; i++)
    json_array_foreach((json_t *)member(all->files[i].document, "rows"), k, one)
      open += strcmp(member_text(one, "status"), "open") == 0;
  if (open > 0)
    page_item(out, MARK_UNKNOWN, "%zu row%s of the study ha%s not run yet; the same command with "
              "its folder as --output goes on.", open, open > 1 ? "s" : "", open > 1 ? "ve" : "s");
}

/* A run that could not start, or diverged, has no speed, and is listed here. */
static void say_failures(page *out, const report_data *all)
{
  const json_t *one;
  size_t k;
  say_open(out, all);
  for (size_t i = 0; i < all->file_count; i++)
    json_array_foreach((json_t *)member(all->files[i].document, "contenders"), k, one) {
      if (*member_text(one, "error"))
        page_item(out, MARK_WARNING, "%s (%s) did not run: %s", member_text(one, "on"),
                  member_text(one, "shape"), member_text(one, "error"));
      if (*member_text(one, "diverged"))
        page_item(out, MARK_WARNING, "%s, and has no result to compare",
                  member_text(one, "diverged"));
    }
}

/* 1: its interval leaves no doubt that it is faster than the foot of its ladder. */
static int is_shown_faster(const json_t *row)
{
  const interval range = member_interval(row, "total_ratio");
  return interval_shows(&range) && range.low > 1;
}

/* An implementation of a ladder against its foot, and how sure that is. */
static void say_row(page *out, const json_t *ladder, const json_t *row, const json_t *last)
{
  const interval range = member_interval(row, "total_ratio");
  const interval of_last = member_interval(last, "total_ratio");
  const double ratio = member_number(row, "total_ratio");
  char beside[200] = "", around[INTERVAL_TEXT];
  if (last != row)
    snprintf(beside, sizeof beside, "; the last implementation, '%s', %.3g times%s",
             member_text(last, "name"), member_number(last, "total_ratio"),
             interval_shows(&of_last) ? "" : ", which noise can explain");
  if (is_shown_faster(row))
    page_item(out, MARK_NONE, "On %s, %s: the fastest implementation, '%s', is %.3g times as fast "
              "as the first (%s)%s.", member_text(ladder, "on"), member_text(ladder, "size"),
              member_text(row, "name"), ratio, interval_text(&range, "", around), beside);
  else
    page_item(out, MARK_UNKNOWN, "On %s, %s: no implementation could be shown to be faster than "
              "the first; '%s' ran at %.3g of its speed (%s). More or longer runs tell more "
              "(--runs=%d or more, --seconds).", member_text(ladder, "on"),
              member_text(ladder, "size"), member_text(row, "name"), ratio,
              interval_text(&range, "", around), (int)VERDICT_RUNS);
}

/* Whether `row` takes the place of the fastest so far: one that is shown to be faster than the foot
 * goes before any that noise can explain. */
static int is_above(const json_t *row, const json_t *top)
{
  if (!top) return 1;
  const int shown = is_shown_faster(row), was_shown = is_shown_faster(top);
  if (shown != was_shown) return shown;
  return member_number(row, "total_ratio") > member_number(top, "total_ratio");
}

/* An implementation that failed, or has a wrong result. */
static int say_fault(page *out, const json_t *ladder, const json_t *row)
{
  const char *on = member_text(ladder, "on"), *size = member_text(ladder, "size");
  const int is_wrong = json_is_false(member(row, "agrees")), is_failed = *member_text(row, "error");
  if (is_failed)
    page_item(out, MARK_WARNING, "On %s%s%s: implementation '%s' did not run: %s", on,
              *size ? ", " : "", size, member_text(row, "name"), member_text(row, "error"));
  if (is_wrong)
    page_item(out, MARK_WARNING, "On %s, %s: the result of implementation '%s' differs where it "
              "must not.", on, size, member_text(row, "name"));
  return is_failed || is_wrong;
}

/* The fastest implementation of a ladder against its foot, among those with the right result. */
static void say_ladder(page *out, const json_t *ladder)
{
  const json_t *top = NULL, *last = NULL, *row;
  size_t r;
  json_array_foreach((json_t *)member(ladder, "rungs"), r, row) {
    const int is_faulty = say_fault(out, ladder, row);
    if (is_faulty || !(member_number(row, "total_ratio") > 0) || r == 0) continue;
    if (is_above(row, top)) top = row;
    last = row;
  }
  if (top) say_row(out, ladder, top, last);
}

/* Their number. */
static size_t say_ladders(page *out, const report_data *all)
{
  const json_t *ladder;
  size_t k, count = 0;
  for (size_t i = 0; i < all->file_count; i++)
    json_array_foreach((json_t *)member(all->files[i].document, "ladders"), k, ladder) {
      say_ladder(out, ladder);
      count++;
    }
  return count;
}

static void say_warnings(page *out, const report_data *all, const char *where)
{
  const size_t warnings = fairness_warnings(all);
  if (warnings > 0)
    page_item(out, MARK_WARNING, "%s in %zu respect%s: %s before you quote a %s.",
              all->count > 1 ? "The comparison is not fair" : "The conditions were not good",
              warnings, warnings == 1 ? "" : "s", where, all->count > 1 ? "ratio" : "speed");
  else if (all->count > 1)
    page_item(out, MARK_GOOD, "Nothing was found that makes the comparison unfair.");
}

/* ---- in brief: of a comparison five lines, with that of its folder ----------------------- */

/* "cuda:0: 123.4 M updates/s, 1.99 of the first (1.97 to 2.01): faster" */
static void say_in_brief(page *out, const report_data *all, size_t index)
{
  static const char *const words[] = {"", ": faster", ": slower", ": no difference shown",
                                      ": too few runs", ""};
  const report_row *one = &all->list[index];
  char rate[32], ratio[200] = "";
  table_significant(1e-6 * one->rate.median, rate, sizeof rate);
  if (one->base != index && isfinite(one->ratio))
    text_append(ratio, sizeof ratio, ", %.3g of %s", one->ratio,
                one->base == 0 ? "the first" : all->list[one->base].label);
  if (one->base != index && isfinite(one->ratio_low))
    text_append(ratio, sizeof ratio, " (%.3g to %.3g)", one->ratio_low, one->ratio_high);
  page_item(out, MARK_NONE, "%s: %s M updates/s%s%s%s", one->label, rate, ratio,
            words[report_row_speed(all, index)],
            report_row_agreement(all, index) == AGREE_NOT ? "; its result differs" : "");
}

/* The fastest row that is held against the first. Where no row is, the second. */
static size_t best_beside_first(const report_data *all)
{
  size_t best = 0;
  for (size_t i = 1; i < all->count; i++) {
    const report_row *one = &all->list[i];
    if (one->base == 0 && isfinite(one->ratio) &&
        (best == 0 || one->rate.median > all->list[best].rate.median))
      best = i;
  }
  return best ? best : 1;
}

/* The fastest beside the first, and the ratios of the others in one line, as many as it has room
 * for. A row has no ratio to itself. */
static void say_others(page *out, const report_data *all)
{
  char text[600] = "";
  enum { room = 55 };
  const size_t best = best_beside_first(all);
  size_t said = 0;
  say_in_brief(out, all, best);
  for (size_t i = 1; i < all->count; i++) {
    const report_row *one = &all->list[i];
    if (i == best || one->base == i || !isfinite(one->ratio)) continue;
    if (strlen(text) + strlen(one->label) < room || said == 0)
      text_append(text, sizeof text, "%s%s %.3g%s", said++ ? ", " : "", one->label, one->ratio,
                  ratio_sign(all, i));
  }
  if (said + 2 < all->count)
    text_append(text, sizeof text, "%s%zu more", said ? ", " : "", all->count - 2 - said);
  page_item(out, MARK_NONE, "%s", text);
}

/* "identical, bit for bit" */
static page_mark agreement_text(const report_data *all, char *text, size_t bytes)
{
  size_t counts[AGREE_UNKNOWN + 1] = {0}, failed = 0, k;
  const json_t *one;
  for (size_t i = 0; i < all->count; i++) counts[report_row_agreement(all, i)]++;
  for (size_t i = 0; i < all->file_count; i++)
    json_array_foreach((json_t *)member(all->files[i].document, "contenders"), k, one)
      failed += *member_text(one, "error") || *member_text(one, "diverged");
  if (counts[AGREE_NOT] > 0)
    text_append(text, bytes, "%zu results differ where they must not", counts[AGREE_NOT]);
  else if (counts[AGREE_TOLERANCE] > 0) text_append(text, bytes, "all agree to the tolerance");
  else if (counts[AGREE_BITS] > 0) text_append(text, bytes, "identical, bit for bit");
  else text_append(text, bytes, "no results to compare");
  if (counts[AGREE_FREE] > 0) text_append(text, bytes, ", %zu may differ", counts[AGREE_FREE]);
  if (counts[AGREE_UNKNOWN] > 0) text_append(text, bytes, ", %zu not known", counts[AGREE_UNKNOWN]);
  if (failed > 0) text_append(text, bytes, ", %zu without a result", failed);
  if (counts[AGREE_NOT] > 0 || failed > 0) return MARK_WARNING;
  return counts[AGREE_TOLERANCE] + counts[AGREE_BITS] == 0 || counts[AGREE_UNKNOWN] > 0
           ? MARK_UNKNOWN : MARK_GOOD;
}

static int fairness_text(const report_data *all, char *text, size_t bytes)
{
  const size_t warnings = fairness_warnings(all);
  if (warnings == 0) text_append(text, bytes, "nothing unfair was found");
  else
    text_append(text, bytes, "not fair in %zu respect%s: see without --brief", warnings,
                warnings > 1 ? "s" : "");
  return warnings > 0;
}

static void brief_comparison(page *out, const report_data *all)
{
  char text[400] = "";
  const int is_long = all->count > 2;
  if (all->count > 0) say_in_brief(out, all, 0);
  if (all->count == 2) say_in_brief(out, all, 1);
  if (is_long) say_others(out, all);
  page_mark mark = agreement_text(all, text, sizeof text);
  if (!is_long) page_item(out, mark, "%s", text);
  if (!is_long) text[0] = 0;
  else text_append(text, sizeof text, "; ");
  if (!is_long) mark = MARK_GOOD;
  if (fairness_text(all, text, sizeof text)) mark = MARK_WARNING;
  page_item(out, mark, "%s", text);
}

void section_brief(page *out, const report_data *all)
{
  if (all->file_count == 1 && strcmp(all->files[0].kind, "compare") == 0) {
    brief_comparison(out, all);
    return;
  }
  for (size_t i = 0; i < all->count; i++) say_in_brief(out, all, i);
  const size_t ladders = say_ladders(out, all);
  say_failures(out, all);
  if (all->count > 0) say_agreement(out, all);
  if (all->count + ladders > 0) say_warnings(out, all, "read them without --brief");
}

void section_verdict(page *out, const report_data *all)
{
  page_section(out, "verdict", "Verdict");
  if (all->count == 0) {
    const size_t ladders = say_ladders(out, all);
    say_open(out, all);
    if (ladders > 0) say_warnings(out, all, "see Fairness");
    else if (!out->is_brief) page_text(out, "The files hold no comparison of finished runs.");
    return;
  }
  const report_row *first = &all->list[0];
  if (all->is_mixed)
    page_item(out, MARK_WARNING, "These are results of different cases, put side by side as asked "
              "for. Updates a second of different cases are not the same work.");
  if (all->count == 1 && isnan(first->rate.median))
    page_item(out, MARK_UNKNOWN, "%s has no speed; there is nothing to compare it with.",
              first->label);
  else if (all->count == 1)
    page_item(out, MARK_NONE, "%s ran %s at %.4g million updates a second; there is nothing to "
              "compare it with.", first->label, first->name, 1e-6 * first->rate.median);
  else say_speeds(out, all);
  (void)say_ladders(out, all);
  say_failures(out, all);
  say_agreement(out, all);
  say_warnings(out, all, "see Fairness");
}

/* ---- speeds -------------------------------------------------------------------------- */

static void draw_speeds(page *out, const report_data *all)
{
  static chart_bar bars[REPORT_LIMIT];
  static char notes[REPORT_LIMIT][40];
  for (size_t i = 0; i < all->count; i++) {
    const report_row *one = &all->list[i];
    char rate[24];
    rate_text(1e-6 * one->rate.median, rate, sizeof rate);
    if (one->base == i || !isfinite(one->ratio)) snprintf(notes[i], sizeof notes[i], "%s", rate);
    else snprintf(notes[i], sizeof notes[i], "%s (\u00d7 %.3g)", rate, one->ratio);
    const int several = one->of.run_count > 1;
    bars[i] = (chart_bar){one->label, isfinite(one->rate.median) ? notes[i] : "not measured",
                          1e-6 * one->rate.median,
                          several ? 1e-6 * one->rate.least : (double)NAN,
                          several ? 1e-6 * one->rate.most : (double)NAN, report_row_colour(all, i)};
  }
  const report_row *best = &all->list[fastest_of(all, 0)];
  char top[24];
  rate_text(1e-6 * best->rate.median, top, sizeof top);
  page_figure(out, "speed", "Median speed of each; the whisker goes from the slowest to the "
              "fastest run; \u00d7 is the ratio to the first of the same size (of a study: in it).",
              chart_bars("million updates a second", bars, all->count),
              "Bars of the speed of %zu run%s; of the first size the fastest is %s with %s "
              "million updates a second.",
              all->count, all->count == 1 ? "" : "s", best->label, top);
}

/* Whether a comparison asked for tuned values. */
static int is_tuned(const report_data *all)
{
  for (size_t i = 0; i < all->file_count; i++)
    if (json_is_true(member(all->files[i].document, "is_tuned"))) return 1;
  return 0;
}

static const char *tuned_text(const report_row *one)
{
  const json_t *about = member(one->data, "tuned");
  return !about ? "-" : json_is_true(member(about, "used")) ? "yes" : "no";
}

void section_speed(page *out, const report_data *all)
{
  const int with_tuned = is_tuned(all);
  const char *const headings[] = {"run on", "device", "cells", "runs", "M updates/s", "least",
                                  "most", "ratio", "from", "to", "\u00b5s a step", "GB/s",
                                  "of copy", with_tuned ? "tuned" : NULL, NULL};
  if (all->count == 0) return;
  page_section(out, "speed", "Speed");
  draw_speeds(out, all);
  page_table(out, "speeds", "Updates a second of the time loop: launches, kernels and the "
             "read-back of series, from the second batch on. Ratios are to the first row of the "
             "same size, of a study to its own first; ~ marks ratios that noise can explain. "
             "'Of copy': of the device's own copy from and to memory, measured beside the run; "
             "above 1, caches served it.", headings, "09450330112671");
  for (size_t i = 0; i < all->count; i++) {
    const report_row *one = &all->list[i];
    page_cell_text(out, "%s", one->label);
    page_cell_text(out, "%s", one->of.device);
    const char *end = strstr(one->of.shape, " cells");
    if (end) page_cell_text(out, "%.*s", (int)(end - one->of.shape), one->of.shape);
    else if (one->of.shape[0]) page_cell_text(out, "%s", one->of.shape);
    else page_cell_number(out, one->of.cells, 1, "%.0f");
    page_cell_number(out, (double)one->of.run_count, 1, "%.0f");
    page_cell_number(out, one->rate.median, 1e-6, "%.1f");
    page_cell_number(out, one->rate.least, 1e-6, "%.1f");
    page_cell_number(out, one->rate.most, 1e-6, "%.1f");
    page_cell_marked(out, one->ratio, "%.3f", ratio_sign(all, i));
    page_cell_number(out, one->base == i ? (double)NAN : one->ratio_low, 1, "%.3f");
    page_cell_number(out, one->base == i ? (double)NAN : one->ratio_high, 1, "%.3f");
    page_cell_number(out, one->of.step_seconds, 1e6, "%.3f");
    page_cell_number(out, one->of.bytes_per_second, 1e-9, "%.2f");
    page_cell_number(out, one->of.bytes_per_second / one->of.copy_roof, 1, "%.3f");
    if (with_tuned) page_cell_text(out, "%s", tuned_text(one));
  }
}
