/* retrace_page.c - a retraced report as a page: verdicts, tables, traps, conditions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/chart.h"
#include "cli/report/fairness.h"
#include "cli/report/sections.h"
#include "cli/retrace/retrace.h"
#include "run/text/members.h"
#include "run/text/text.h"

/* ---- verdicts ----------------------------------------------------------------------- */

/* A claim that no device can test. */
static int is_of_none(const retrace_claim *of)
{
  return strcmp(member_text(of->claim, "kind"), "none") == 0;
}

/* Counts each verdict among a device's rows and claims. RETRACE_FREE: without a verdict. */
static void count_verdicts(const retrace *all, size_t device, size_t count[RETRACE_VERDICTS])
{
  memset(count, 0, RETRACE_VERDICTS * sizeof *count);
  for (size_t i = 0; i < all->entry_count; i++)
    if (all->entries[i].device == device && !all->entries[i].is_elsewhere)
      count[all->entries[i].verdict]++;
  for (size_t i = 0; i < all->claim_count; i++)
    if (all->claims[i].device == device && !is_of_none(&all->claims[i]))
      count[all->claims[i].verdict]++;
}

static void show_counts(page *out, const retrace *all)
{
  for (size_t d = 0; d < all->device_count; d++) {
    size_t count[RETRACE_VERDICTS];
    char text[240] = "";
    count_verdicts(all, d, count);
    for (int v = 1; v < RETRACE_VERDICTS; v++)
      text_append(text, sizeof text, "%zu %s; ", count[v],
                  retrace_verdict_name((retrace_verdict)v));
    page_item(out, MARK_NONE, "%s: %s%zu without a verdict.", all->devices[d], text,
              count[RETRACE_FREE]);
  }
  page_text(out, "A row has no verdict if it is the base of others, if the report has no number "
            "for it, or if this study adds it.");
}

static void show_claims(page *out, const retrace *all)
{
  static const char *const headings[] = {"claim", "on", "verdict", "the claim, and its reason",
                                         NULL};
  if (all->claim_count == 0) return;
  page_table(out, "claims", "The report's claims. Without a reason from counts and prices a "
             "verdict other than reproduced is unexplained.", headings, "000n");
  for (size_t i = 0; i < all->claim_count; i++) {
    const retrace_claim *of = &all->claims[i];
    const int is_again = i > 0 && of[-1].claim == of->claim; /* its text stands there */
    const char *rule = is_again ? "" : member_text(of->claim, "rule"),
               *trap = is_again ? "" : member_text(of->claim, "trap");
    page_cell_text(out, "%s", member_text(of->claim, "claim"));
    page_cell_text(out, "%s", is_of_none(of) ? "-" : all->devices[of->device]);
    page_cell_text(out, "%s", retrace_verdict_name(of->verdict));
    if (out->is_brief) page_cell_text(out, "-");
    else
      page_cell_text(out, "%s%s%s%s%s%s%s%s%s", is_again ? "" : member_text(of->claim, "text"),
                     *rule ? " Reproduced if: " : "", rule, *rule ? "." : "",
                     !of->reason[0] ? "" : is_again ? "Here: " : " Here: ", of->reason,
                     of->reason[0] ? "." : "",
                     *trap ? " " : "", trap);
  }
}

/* ---- tables ---------------------------------------------------------------------------- */

/* The time here in the report's unit and for its steps; without steps, of one step. */
static double time_here(const retrace *all, const retrace_entry *entry)
{
  const study_row *row = retrace_timed(all, entry);
  const double steps = member_number(entry->table, "steps");
  if (!row) return NAN;
  const double step = benchmark_step_seconds(&row->who.benchmark);
  return isfinite(steps) ? step * steps : 1e6 * step;
}

static const char *bits_of(const retrace *all, const retrace_entry *entry)
{
  if (entry->at == RETRACE_NONE) return "-";
  const study_row *row = &all->of.rows[entry->at];
  if (row->status == ROW_FAILED || !row->who.benchmark.fingerprint[0]) return "-";
  if (row_varies(row) && !row_is_too_far(row)) return "vary";
  if (!row_agrees(&all->of, row)) return "DIFFERS";
  return row_reference(&all->of, row) == row ? "the first" : "equal";
}

/* "; off by 4e-15 of the largest value of momentum from row 'gather' after 100 steps, at most 1e-12
 * is allowed". */
static void say_apart(const retrace *all, const retrace_entry *entry, char *text, size_t bytes)
{
  const char *near = member_text(entry->row, "near"), *colon = strchr(near, ':');
  const study_row *row = entry->at == RETRACE_NONE ? NULL : &all->of.rows[entry->at];
  text[0] = 0;
  if (!row || !*near || row->status == ROW_FAILED) return;
  if (!(row->tolerance > 0) || isnan(row->apart)) {
    snprintf(text, bytes, ". Its distance from row '%s' was not measured, as that row cannot run "
             "here", colon ? colon + 1 : near);
    return;
  }
  snprintf(text, bytes, ". After %llu steps it is %.2g of the largest value of %s away from row "
           "'%s'", (unsigned long long)row->near_steps, row->apart, row->apart_in,
           colon ? colon + 1 : near);
  if (isfinite(row->own_apart))
    text_append(text, bytes, ", and two runs of it are %.2g apart", row->own_apart);
  text_append(text, bytes, "; at most %.2g is allowed", row->tolerance);
}

/* Whether the report has a number for a row of the table. */
static int is_published(const retrace *all, size_t t)
{
  for (size_t i = 0; i < all->entry_count; i++) {
    const retrace_entry *entry = &all->entries[i];
    if (entry->table_index == t && !entry->is_elsewhere &&
        (isfinite(member_number(entry->row, "published")) || isfinite(entry->published)))
      return 1;
  }
  return 0;
}

static void show_row(page *out, const retrace *all, const retrace_entry *entry, int has_published)
{
  const study_row *row = retrace_timed(all, entry);
  char apart[320];
  page_cell_text(out, "%s", member_text(entry->row, "row"));
  page_cell_text(out, "%s", all->devices[entry->device]);
  if (has_published) page_cell_number(out, member_number(entry->row, "published"), 1, "%.5g");
  if (has_published) page_cell_number(out, entry->published, 1, "%.3g");
  const double here = time_here(all, entry);
  page_cell_number(out, here, 1, here < 1e5 ? "%.5g" : "%.0f");
  if (isfinite(entry->factor)) page_cell_text(out, "%s", RETRACE_NUMBER(entry->factor));
  else page_cell_text(out, "-");
  if (isfinite(entry->range.low))
    page_cell_text(out, "%s to %s", RETRACE_NUMBER(entry->range.low),
                   RETRACE_NUMBER(entry->range.high));
  else page_cell_text(out, "-");
  page_cell_text(out, "%s", retrace_verdict_name(entry->verdict));
  page_cell_text(out, "%s", bits_of(all, entry));
  page_cell_number(out, row ? row->who.benchmark.times.first_step : (double)NAN, 1, "%.2g");
  say_apart(all, entry, apart, sizeof apart);
  const retrace_entry *base = entry->against == RETRACE_NONE ? NULL
                                                             : &all->entries[entry->against];
  const int is_named = base && base + 1 != entry && isfinite(entry->factor);
  page_cell_text(out, "%s%s%s%s%s%s%s%s", member_text(entry->row, "what"),
                 is_named ? ". Factor over row '" : "",
                 is_named ? member_text(base->row, "row") : "", is_named ? "'" : "", apart,
                 entry->reason[0] ? ". " : "",
                 entry->verdict == RETRACE_FREE ? "" : entry->reason[0] ? "Here: " : "",
                 entry->reason);
}

enum { MOST_BARS = 128 };

/* The factors of a table, each published one beside those of the devices. */
static void draw_table(page *out, const retrace *all, size_t t)
{
  chart_bar bars[MOST_BARS];
  char labels[MOST_BARS][96], notes[MOST_BARS][24], id[32];
  size_t count = 0;
  for (size_t i = 0; i < all->entry_count && count + 2 <= MOST_BARS; i++) {
    const retrace_entry *entry = &all->entries[i];
    const char *row = member_text(entry->row, "row");
    if (entry->table_index != t || !isfinite(entry->published) || !isfinite(entry->factor))
      continue;
    snprintf(labels[count], sizeof labels[0], "%s, published", row);
    snprintf(notes[count], sizeof notes[0], "%s", RETRACE_NUMBER(entry->published));
    bars[count] = (chart_bar){labels[count], notes[count], entry->published, (double)NAN,
                              (double)NAN, 0};
    count++;
    snprintf(labels[count], sizeof labels[0], "%s on %s", row, all->devices[entry->device]);
    snprintf(notes[count], sizeof notes[0], "%s", RETRACE_NUMBER(entry->factor));
    bars[count] = (chart_bar){labels[count], notes[count], entry->factor, entry->range.low,
                              entry->range.high, 1 + (int)entry->device % (CHART_COLOURS - 1)};
    count++;
  }
  if (count == 0) return;
  snprintf(id, sizeof id, "factors-%zu", t + 1);
  page_figure(out, id, "Factors, published and here; the whisker is the interval.",
              chart_bars("factor", bars, count), "Bars of %zu factor%s, each beside the "
              "published one.", count / 2, count > 2 ? "s" : "");
}

/* "bodies"; "cells" unless the report names others. */
static const char *noun_of(const retrace *all)
{
  const char *noun = member_text(all->report, "noun");
  return *noun ? noun : "cells";
}

static void print_caption(const retrace *all, const json_t *table, const char *size,
                          int is_smaller, char *text, size_t bytes)
{
  const char *order = member_text(table, "order");
  snprintf(text, bytes, "%s%s %s%s. Factor: the speed of a row over that of the row before, or of "
           "the row that it names. Before: seconds until the loop, of the first run.",
           strcmp(order, "report") == 0 ? "In the report's order. "
           : strcmp(order, "addition") == 0 ? "An addition of this study. " : "", size,
           noun_of(all), is_smaller ? ", fewer than in the report" : "");
}

static int has_rows(const retrace *all, size_t t)
{
  for (size_t i = 0; i < all->entry_count; i++)
    if (all->entries[i].table_index == t && !all->entries[i].is_elsewhere) return 1;
  return 0;
}

static void show_table(page *out, const retrace *all, size_t t, const json_t *table)
{
  char id[32], title[200], size[96], caption[900];
  const int is_smaller = retrace_size(all, t, size, sizeof size);
  const char *note = member_text(table, "note");
  const char *here = isfinite(member_number(table, "steps")) ? "s here" : "\u00b5s a step";
  char published[32];
  const char *const headings[] = {"row", "on", published, "its factor", here, "factor",
                                  "interval", "verdict", "bits", "before s",
                                  "the row, and its reason", NULL};
  const char *const own[] = {"row", "on", here, "factor", "interval", "verdict", "bits",
                             "before s", "the row, and its reason", NULL};
  const int has_published = is_published(all, t);
  snprintf(published, sizeof published, "published %s", member_text(table, "unit"));
  snprintf(id, sizeof id, "table-%zu", t + 1);
  snprintf(title, sizeof title, "Table %zu. %s", t + 1, member_text(table, "title"));
  page_section(out, id, title);
  print_caption(all, table, size, is_smaller, caption, sizeof caption);
  const char *with = *member_text(table, "smaller") ? member_text(table, "smaller")
                                                    : member_text(all->report, "smaller");
  if (is_smaller)
    page_text(out, "Sizes differ from the report: %s %s%s%s.%s%s", size, noun_of(all),
              *with ? ", with " : "", with, *note ? " " : "", note);
  else if (*note) page_text(out, "%s", note);
  if (!has_rows(all, t)) {
    page_text(out, "None of its rows is for these devices.");
    return;
  }
  page_table(out, id, caption, has_published ? headings : own,
             has_published ? "0142303056n" : "01304025n");
  for (size_t i = 0; i < all->entry_count; i++)
    if (all->entries[i].table_index == t && !all->entries[i].is_elsewhere)
      show_row(out, all, &all->entries[i], has_published);
  draw_table(out, all, t);
}

/* ---- what was done ----------------------------------------------------------------------- */

static void show_texts(page *out, const json_t *list)
{
  const json_t *one;
  size_t i;
  json_array_foreach((json_t *)list, i, one) page_item(out, MARK_NONE, "%s",
                                                       json_string_value(one));
}

/* Further numbers, published or derived from those. */
static void show_numbers(page *out, const char *kind, const json_t *list)
{
  const json_t *one, *value;
  size_t i, k;
  char text[256];
  json_array_foreach((json_t *)list, i, one) {
    text[0] = 0;
    json_array_foreach(json_object_get(one, "values"), k, value)
      text_append(text, sizeof text, "%s%.4g", k ? ", " : "", json_number_value(value));
    page_item(out, MARK_NONE, "%s. %s: %s.", kind, member_text(one, "what"), text);
  }
}

/* A table of kernels that has no rows here. */
static void show_published(page *out, const json_t *list)
{
  static const char *const headings[] = {"kernel", "Numba, ms", "CuPy, ms", "Numba, %", "CuPy, %",
                                         "least bytes a cell", NULL};
  static const char *const parts[] = {"numba_percent", "cupy_percent"};
  const json_t *one, *value;
  size_t i, k;
  if (!list) return;
  page_table(out, "published", "The report's kernels, as published. The four percents are of "
             "compute, memory, L1 and L2.", headings, "001342");
  json_array_foreach((json_t *)list, i, one) {
    page_cell_text(out, "%s", member_text(one, "kernel"));
    page_cell_number(out, member_number(one, "numba_ms"), 1, "%.5g");
    page_cell_number(out, member_number(one, "cupy_ms"), 1, "%.5g");
    for (size_t p = 0; p < 2; p++) {
      char text[64] = "";
      json_array_foreach(json_object_get(one, parts[p]), k, value)
        text_append(text, sizeof text, "%s%.4g", k ? ", " : "", json_number_value(value));
      page_cell_text(out, "%s", *text ? text : "-");
    }
    page_cell_number(out, member_number(one, "bytes"), 1, "%.0f");
  }
}

static void show_devices(page *out, const retrace *all)
{
  for (size_t d = 0; d < all->device_count; d++)
    page_item(out, MARK_NONE, "%s: %s, %s%s", all->devices[d], all->infos[d].name,
              all->infos[d].driver, retrace_is_emulated(all, d)
              ? ". PoCL runs on the processor: only the bits are checked there" : "");
}

static void compose_verdicts(page *out, const retrace *all)
{
  page_section(out, "verdicts", "Verdicts");
  show_devices(out, all);
  show_counts(out, all);
  show_claims(out, all);
}

/* The machine, as a reader of a ratio needs to know it. */
static void show_machine(page *out, const retrace *all)
{
  answers to = {.out = out};
  const double others = member_number(all->of.host, "others_busy_cores");
  page_section(out, "machine", "Machine");
  page_item(out, MARK_NONE, "Processor: %s. Program: trireme %s.",
            member_text(all->of.host, "processor"), trm_version());
  if (others > 0.1)
    page_item(out, MARK_WARNING, "Other load: other processes kept %.2f of %.0f processors busy "
              "meanwhile.", others, member_number(all->of.host, "cores"));
  fairness_ask_machine(&to, all->of.host);
  free(to.given);
}

/* With the options that change a size, a device or a time. */
static void show_command(page *out, const arguments *args)
{
  char text[640];
  snprintf(text, sizeof text, "trireme study --retrace=%s%s", args->retrace,
           args->quick ? " --quick" : "");
  if (args->on) text_append(text, sizeof text, " --on=%s", args->on);
  if (args->sizes) text_append(text, sizeof text, " --sizes=%s", args->sizes);
  if (args->runs) text_append(text, sizeof text, " --runs=%zu", (size_t)args->runs);
  if (args->seconds > 0) text_append(text, sizeof text, " --seconds=%g", args->seconds);
  page_command(out, "%s", text);
}

void retrace_compose(page *out, const retrace *all, int is_brief)
{
  const json_t *tables = json_object_get(all->report, "tables"), *table;
  size_t t;
  page_begin(out, chart_style(), "%s, retraced%s", member_text(all->report, "title"),
             all->of.args->quick ? " (quick)" : "");
  out->is_brief = is_brief;
  if (!out->is_brief) {
    page_section(out, "report", "The report");
    show_texts(out, json_object_get(all->report, "about"));
    show_published(out, json_object_get(all->report, "published"));
    show_numbers(out, "Published", json_object_get(all->report, "numbers"));
    show_numbers(out, "Derived", json_object_get(all->report, "derived"));
  }
  compose_verdicts(out, all);
  if (out->is_brief) return;
  show_machine(out, all);
  json_array_foreach((json_t *)tables, t, table) show_table(out, all, t, table);
  if (json_object_get(all->report, "traps")) {
    page_section(out, "traps", "Traps");
    show_texts(out, json_object_get(all->report, "traps"));
  }
  page_section(out, "repeat", "How to do it again");
  show_command(out, all->of.args);
}
