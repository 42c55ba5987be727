/* retrace_claims.c - a report's claims: orders, parts of a roof, two devices. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/retrace/retrace.h"
#include "run/text/members.h"
#include "run/text/text.h"

static const double no_number = (double)NAN;

void retrace_say(retrace_claim *of, retrace_verdict verdict, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(of->reason, sizeof of->reason, format, list);
  va_end(list);
  of->verdict = verdict;
}

/* The tables of a claim: a list, or one. */
static size_t table_count(const json_t *claim)
{
  const json_t *list = json_object_get(claim, "tables");
  return list ? json_array_size(list) : json_object_get(claim, "table") != NULL;
}

static const char *table_name(const json_t *claim, size_t i)
{
  const char *name = json_string_value(json_array_get(json_object_get(claim, "tables"), i));
  return name ? name : member_text(claim, "table");
}

static const char *where_of(const json_t *claim)
{
  const char *where = member_text(claim, "where");
  return *where ? where : "gpu";
}

/* Why no speed of a row is judged. */
static const char *why_not(const retrace_entry *entry)
{
  return !entry ? "no such row on this device" : entry->reason[0] ? entry->reason
       : entry->missing[0] ? entry->missing : "it did not run here";
}

const study_row *retrace_row_of(const retrace *all, retrace_claim *of, const char *name)
{
  const retrace_entry *entry = retrace_find(all, member_text(of->claim, "table"), of->device,
                                            name);
  const study_row *row = retrace_trusted(all, entry);
  if (!row) retrace_say(of, RETRACE_UNTESTABLE, "row '%s': %s", name, why_not(entry));
  return row;
}

/* Two verdicts of one claim: the worse. */
static retrace_verdict worse(retrace_verdict a, retrace_verdict b)
{
  static const int rank[RETRACE_VERDICTS] = {0, 2, 3, 4, 5, 1};
  return rank[a] > rank[b] ? a : b;
}

/* ---- a row's factor, in each of the tables --------------------------------------------- */

/* The same change taken back alone, from the final form: the factor of that row, in each table of
 * such rows. */
static void add_alone(const retrace *all, retrace_claim *of)
{
  const char *row = member_text(of->claim, "alone");
  for (size_t i = 0; *row && i < all->entry_count; i++) {
    const retrace_entry *entry = &all->entries[i];
    if (entry->device != of->device || !isfinite(entry->factor) ||
        strcmp(member_text(entry->table, "order"), "alone") != 0 ||
        strcmp(member_text(entry->row, "row"), row) != 0) continue;
    text_append(of->reason, sizeof of->reason, "; taken back alone (%s, row '%s'): %s",
                member_text(entry->table, "id"), row,
                RETRACE_RATIO(entry->factor, entry->range.low, entry->range.high));
  }
}

/* A row's verdict for a claim: by the claim's own limits, or else its own. `cause`: the reason. */
static retrace_verdict judge_one(const retrace *all, const retrace_claim *of,
                                 const retrace_entry *entry, char cause[RETRACE_REASON])
{
  const retrace_limits limits = retrace_limits_of(of->claim);
  snprintf(cause, RETRACE_REASON, "%s", entry->reason);
  if (entry->verdict == RETRACE_UNTESTABLE || !retrace_is_limited(&limits)) return entry->verdict;
  const retrace_entry *base = entry->against == RETRACE_NONE ? NULL
                                                             : &all->entries[entry->against];
  const int is_known = isfinite(entry->factor) && retrace_trusted(all, base) != NULL;
  if (!is_known || !retrace_has_runs(&entry->range)) {
    snprintf(cause, RETRACE_REASON, "%s", is_known ? RETRACE_TOO_FEW : "its base did not run here");
    return RETRACE_UNTESTABLE;
  }
  cause[0] = 0;
  const study_row *before = retrace_timed(all, base), *after = retrace_timed(all, entry);
  retrace_verdict own = retrace_limit(&limits, entry->factor, &entry->range);
  if (own != RETRACE_REPRODUCED) retrace_explain(all, before, after, &entry->range, cause);
  else if (json_object_get(of->claim, "parts") &&
           !retrace_has_parts(all, of->claim, before, after, cause)) {
    own = RETRACE_OTHER_SIZE;
    retrace_explain(all, before, after, &entry->range, cause);
  }
  return own;
}

/* One row of one of a claim's tables. */
static void judge_entry(const retrace *all, retrace_claim *of, const retrace_entry *entry,
                        int has_name)
{
  char cause[RETRACE_REASON];
  if (!entry || entry->is_elsewhere) return;
  const retrace_verdict own = judge_one(all, of, entry, cause);
  of->verdict = worse(of->verdict, own);
  text_append(of->reason, sizeof of->reason, "%s%s%s%s%s: %s", *of->reason ? "; " : "",
              member_text(entry->table, "id"), has_name ? ", row '" : "",
              has_name ? member_text(entry->row, "row") : "", has_name ? "'" : "",
              retrace_verdict_name(own));
  if (isfinite(entry->factor) && own != RETRACE_UNTESTABLE)
    text_append(of->reason, sizeof of->reason, " (%s)", RETRACE_NUMBER(entry->factor));
  if (*cause) text_append(of->reason, sizeof of->reason, ", %s", cause);
}

/* The rows named by a claim, in each of its tables. */
static void judge_rows(const retrace *all, retrace_claim *of)
{
  const json_t *claim = of->claim, *rows = json_object_get(claim, "rows"), *name;
  size_t k;
  for (size_t i = 0; i < table_count(claim); i++) {
    const char *table = table_name(claim, i), *row = member_text(claim, "row");
    if (*row) judge_entry(all, of, retrace_find(all, table, of->device, row), 0);
    json_array_foreach(rows, k, name)
      judge_entry(all, of, retrace_find(all, table, of->device, json_string_value(name)), 1);
  }
  if (!*of->reason) retrace_say(of, RETRACE_UNTESTABLE, "no such row on this device");
  add_alone(all, of);
}

/* The fastest row of the table over the claim's row: at most 1 + "within". */
static void judge_best(const retrace *all, retrace_claim *of)
{
  const char *table = member_text(of->claim, "table"), *name = member_text(of->claim, "row");
  const char *own = name;
  const study_row *row = retrace_row_of(all, of, own), *best = row;
  size_t others = 0;
  for (size_t i = 0; row && i < all->entry_count; i++) {
    const retrace_entry *entry = &all->entries[i];
    const study_row *one = retrace_trusted(all, entry);
    if (!one || one == row || entry->device != of->device ||
        strcmp(member_text(entry->table, "id"), table) != 0) continue;
    others++;
    if (!(benchmark_rate(&one->who.benchmark).median > benchmark_rate(&best->who.benchmark).median))
      continue;
    best = one;
    name = member_text(entry->row, "row");
  }
  if (!row) return;
  interval range;
  const sample ratio = benchmark_ratio(&best->who.benchmark, &row->who.benchmark, &range);
  if (others == 0 || !retrace_has_runs(&range)) {
    retrace_say(of, RETRACE_UNTESTABLE, "%s", others ? RETRACE_TOO_FEW : "no other row ran here");
    return;
  }
  const double most = 1 + member_number(of->claim, "within");
  const retrace_verdict verdict = ratio.median <= most ? RETRACE_REPRODUCED
                                : interval_shows(&range) ? RETRACE_OPPOSITE : RETRACE_NOT_SEEN;
  if (best == row) retrace_say(of, verdict, "none of %zu others is faster", others);
  else
    retrace_say(of, verdict, "%sthe fastest is '%s', %.3g times as fast as '%s'",
                verdict == RETRACE_REPRODUCED ? "" : "unexplained: ", name, ratio.median, own);
}

/* A maximum: the claim's row is faster than each of its "others". */
static void judge_maximum(const retrace *all, retrace_claim *of)
{
  const json_t *others = json_object_get(of->claim, "others"), *name;
  const study_row *row = retrace_row_of(all, of, member_text(of->claim, "row"));
  size_t i, faster = 0, slower = 0;
  char text[RETRACE_REASON] = "";
  json_array_foreach(others, i, name) {
    const study_row *other = row ? retrace_row_of(all, of, json_string_value(name)) : NULL;
    if (!other) return;
    interval range;
    const sample ratio = benchmark_ratio(&row->who.benchmark, &other->who.benchmark, &range);
    if (!retrace_has_runs(&range)) {
      retrace_say(of, RETRACE_UNTESTABLE, "%s", RETRACE_TOO_FEW);
      return;
    }
    faster += interval_shows(&range) && range.low > 1;
    slower += interval_shows(&range) && range.high < 1;
    text_append(text, sizeof text, "%sover '%s' %s", i ? ", " : "", json_string_value(name),
                RETRACE_RATIO(ratio.median, range.low, range.high));
  }
  const retrace_verdict verdict = slower ? RETRACE_OPPOSITE
                                : faster == i ? RETRACE_REPRODUCED : RETRACE_NOT_SEEN;
  retrace_say(of, verdict, "%s%s", verdict == RETRACE_REPRODUCED ? "" : "unexplained: ", text);
}

/* Decreasing returns: of three "rows" the third gains less over the second than that over the
 * first. */
static void judge_returns(const retrace *all, retrace_claim *of)
{
  enum { ROWS = 3 };
  const study_row *rows[ROWS];
  interval range[ROWS - 1];
  double gain[ROWS - 1];
  for (size_t i = 0; i < ROWS; i++) {
    rows[i] = retrace_row_of(all, of, json_string_value(
                       json_array_get(json_object_get(of->claim, "rows"), i)));
    if (!rows[i]) return;
    if (i > 0)
      gain[i - 1] = benchmark_ratio(&rows[i]->who.benchmark, &rows[i - 1]->who.benchmark,
                                    &range[i - 1]).median;
    if (i > 0 && !retrace_has_runs(&range[i - 1])) {
      retrace_say(of, RETRACE_UNTESTABLE, "%s", RETRACE_TOO_FEW);
      return;
    }
  }
  const retrace_verdict verdict = range[1].high < range[0].low ? RETRACE_REPRODUCED
                                : range[1].low > range[0].high ? RETRACE_OPPOSITE
                                                               : RETRACE_NOT_SEEN;
  retrace_say(of, verdict, "%s%s, then %s", verdict == RETRACE_REPRODUCED ? "" : "unexplained: ",
              RETRACE_RATIO(gain[0], range[0].low, range[0].high),
              RETRACE_RATIO(gain[1], range[1].low, range[1].high));
}

/* ---- an order --------------------------------------------------------------------------- */

/* The pairs of rows that the report separates, and how many are so here, or reversed. */
typedef struct order_count { size_t pairs, few, alike, reversed; char first[160]; } order_count;

static void count_pair(const retrace *all, const retrace_entry *a, const retrace_entry *b,
                       order_count *out)
{
  const double x = member_number(a->row, "published"), y = member_number(b->row, "published");
  const study_row *one = retrace_trusted(all, a), *other = retrace_trusted(all, b);
  interval range;
  if (!one || !other || !isfinite(x) || !isfinite(y) || fabs(x / y - 1) < RETRACE_APART) return;
  const sample ratio = benchmark_ratio(&one->who.benchmark, &other->who.benchmark, &range);
  out->pairs++;
  out->few += !retrace_has_runs(&range);
  if (!interval_shows(&range)) return;
  if ((y / x > 1) == (ratio.median > 1)) {
    out->alike++;
    return;
  }
  if (out->reversed++ == 0)
    snprintf(out->first, sizeof out->first, "%s is %.3g times as fast as %s, published %.3g",
             member_text(a->row, "row"), ratio.median, member_text(b->row, "row"), y / x);
}

static void judge_order(const retrace *all, retrace_claim *of)
{
  order_count count = {0};
  const char *table = member_text(of->claim, "table");
  for (size_t i = 0; i < all->entry_count; i++) {
    const retrace_entry *a = &all->entries[i];
    if (a->device != of->device || strcmp(member_text(a->table, "id"), table) != 0) continue;
    for (size_t k = i + 1; k < all->entry_count; k++)
      if (all->entries[k].table == a->table && all->entries[k].device == a->device)
        count_pair(all, a, &all->entries[k], &count);
  }
  if (count.pairs == 0) retrace_say(of, RETRACE_UNTESTABLE, "no two of its rows ran here");
  else if (count.few == count.pairs) retrace_say(of, RETRACE_UNTESTABLE, "%s", RETRACE_TOO_FEW);
  else if (count.reversed)
    retrace_say(of, RETRACE_OPPOSITE, "unexplained: %zu of %zu pairs reversed, the first: %s",
                count.reversed, count.pairs, count.first);
  else if (count.alike == 0)
    retrace_say(of, RETRACE_NOT_SEEN, "unexplained: none of %zu pairs differs here", count.pairs);
  else
    retrace_say(of, RETRACE_REPRODUCED, "%zu of %zu pairs as published, none reversed", count.alike,
                count.pairs);
}

/* ---- parts of a roof, bits, growth ------------------------------------------------------- */

/* A rate above the roof has a reason if a copy of arrays of the case's own size is as fast: a cache
 * holds them. */
static void judge_roof(const retrace *all, retrace_claim *of)
{
  const json_t *claim = of->claim;
  const double low = member_number(claim, "low"), high = member_number(claim, "high");
  int is_explained = 1;
  for (size_t i = 0; i < table_count(claim); i++) {
    const char *table = table_name(claim, i);
    const study_row *row = retrace_trusted(all, retrace_find(all, table, of->device,
                                                             member_text(claim, "row")));
    if (!row || !(roof_copy(&all->of.roofs[row->group]) > 0)) continue;
    const device_roofs *roofs = &all->of.roofs[row->group];
    const double rate = row->cost.bytes / benchmark_step_seconds(&row->who.benchmark);
    const double part = rate / roof_copy(roofs);
    const int is_within = part >= low && part <= high,
              is_cached = part > 1 && roofs->here > roof_copy(roofs) &&
                          rate <= (1 + RETRACE_BY_BYTES) * roofs->here;
    of->verdict = worse(of->verdict, is_within ? RETRACE_REPRODUCED : RETRACE_OTHER_SIZE);
    is_explained &= is_within || is_cached;
    text_append(of->reason, sizeof of->reason, "%s%s: %.*f GB/s, %.3g of the device's copy of "
                "large arrays", *of->reason ? "; " : "", table, rate < 1e11, 1e-9 * rate, part);
    if (is_cached)
      text_append(of->reason, sizeof of->reason, ", and arrays of this size lie in a cache: their "
                  "copy has %.*f GB/s", roofs->here < 1e11, 1e-9 * roofs->here);
  }
  if (!*of->reason)
    retrace_say(of, RETRACE_UNTESTABLE, "its row or the device's copy was not measured");
  else if (of->verdict == RETRACE_OTHER_SIZE)
    text_append(of->reason, sizeof of->reason, "; %sthe rule allows %.3g to %.3g",
                is_explained ? "" : "unexplained, ", low, high);
}

static void judge_bits(const retrace *all, retrace_claim *of)
{
  size_t rows = 0, differ = 0, own = 0;
  for (size_t t = 0; t < table_count(of->claim); t++)
    for (size_t i = 0; i < all->entry_count; i++) {
      const retrace_entry *entry = &all->entries[i];
      const study_row *row = retrace_timed(all, entry);
      if (entry->device != of->device || !row ||
          (row_varies(row) && !row_is_too_far(row)) ||
          strcmp(member_text(entry->table, "id"), table_name(of->claim, t)) != 0) continue;
      rows++;
      differ += !row_agrees(&all->of, row);
      own += row->tolerance > 0;
    }
  if (rows == 0) retrace_say(of, RETRACE_UNTESTABLE, "none of its rows ran here");
  else if (differ) retrace_say(of, RETRACE_OPPOSITE, "unexplained: %zu of %zu rows differ", differ,
                               rows);
  else {
    retrace_say(of, RETRACE_REPRODUCED, "%zu row%s equal bits", rows - own,
                rows - own == 1 ? " has" : "s have");
    if (own) text_append(of->reason, sizeof of->reason, "; %zu with bits of %s own %s within %s "
                         "bound%s", own, own == 1 ? "its" : "their", own == 1 ? "is" : "are",
                         own == 1 ? "its" : "their", own == 1 ? "" : "s");
  }
}

static double cells_of(const study_row *row) { return row->who.benchmark.cells; }

/* The power of the sizes' ratio that the times of a step have at these speeds. */
static double power_of(const study_row *large, const study_row *small, double slow, double fast)
{
  return log(cells_of(large) / slow / (cells_of(small) / fast)) /
         log(cells_of(large) / cells_of(small));
}

/* The power with which a row's time grows between the two largest of its tables. Their runs took no
 * turns, so that the range goes from worst against best. */
static void judge_growth(const retrace *all, retrace_claim *of)
{
  const double power = member_number(of->claim, "power");
  const study_row *large = NULL, *second = NULL;
  for (size_t i = 0; i < table_count(of->claim); i++) {
    const study_row *row = retrace_trusted(
      all, retrace_find(all, table_name(of->claim, i), of->device, member_text(of->claim, "row")));
    if (!row) continue;
    if (!large || cells_of(row) > cells_of(large)) {
      second = large;
      large = row;
    } else if (!second || cells_of(row) > cells_of(second)) {
      second = row;
    }
  }
  if (!second || cells_of(second) == cells_of(large)) {
    retrace_say(of, RETRACE_UNTESTABLE, "two sizes are needed");
    return;
  }
  const sample fast = benchmark_rate(&second->who.benchmark),
               slow = benchmark_rate(&large->who.benchmark);
  const double found = power_of(large, second, slow.median, fast.median),
               least = power_of(large, second, slow.most, fast.least),
               most = power_of(large, second, slow.least, fast.most);
  const size_t runs = second->who.benchmark.run_count;
  const interval range = {least, most, separation_confidence(runs, runs)};
  if (!retrace_has_runs(&range)) {
    retrace_say(of, RETRACE_UNTESTABLE, "%s", RETRACE_TOO_FEW);
    return;
  }
  const double low = 0.9 * power, high = 1.1 * power;
  const retrace_verdict verdict = least >= low && most <= high ? RETRACE_REPRODUCED
                                : most < low || least > high ? RETRACE_OTHER_SIZE
                                                             : RETRACE_NOT_SEEN;
  retrace_say(of, verdict, "%sa power of %.3g (%.3g to %.3g) from %s to %s%s",
              verdict == RETRACE_OTHER_SIZE ? "unexplained: " : "", found, least, most,
              second->who.benchmark.shape, large->who.benchmark.shape,
              verdict == RETRACE_NOT_SEEN ? ": noise is wider than the rule" : "");
}

/* ---- two devices ------------------------------------------------------------------------- */

static const study_row *host_row(const retrace *all, const char *table, const char *row)
{
  for (size_t d = 0; d < all->device_count; d++)
    if (all->infos[d].is_host) return retrace_trusted(all, retrace_find(all, table, d, row));
  return NULL;
}

enum { GRIDS = 8 };

/* GPU over host in each table. shown: 1: the GPU is ahead in all runs, -1: the host, 0: neither. */
typedef struct two_devices {
  size_t count;
  double ratio[GRIDS], published[GRIDS], launch;
  int shown[GRIDS], is_measured[GRIDS], has_runs;
} two_devices;

/* Their runs took no turns, so that the range goes from worst against best. */
static void compare_devices(const retrace *all, retrace_claim *of, two_devices *out)
{
  const json_t *claim = of->claim, *published = json_object_get(claim, "published");
  *out = (two_devices){.count = table_count(claim), .launch = no_number, .has_runs = 1};
  if (out->count > GRIDS) out->count = GRIDS;
  for (size_t i = 0; i < out->count; i++) {
    const char *table = table_name(claim, i);
    const study_row *host = host_row(all, table, member_text(claim, "host")),
                    *gpu = retrace_trusted(all, retrace_find(all, table, of->device,
                                                             member_text(claim, "gpu")));
    const double then = json_number_value(json_array_get(published, i));
    out->published[i] = then > 0 ? then : no_number;
    if (!host || !gpu) continue;
    const sample a = benchmark_rate(&gpu->who.benchmark), b = benchmark_rate(&host->who.benchmark);
    const interval range = {a.least / b.most, a.most / b.least,
                            separation_confidence(gpu->who.benchmark.run_count,
                                                  host->who.benchmark.run_count)};
    out->is_measured[i] = 1;
    out->has_runs &= retrace_has_runs(&range);
    out->ratio[i] = a.median / b.median;
    out->shown[i] = !interval_shows(&range) ? 0 : range.low > 1 ? 1 : -1;
    out->launch = all->of.roofs[gpu->group].launch_plain.median;
    text_append(of->reason, sizeof of->reason, "%s%s: %s", *of->reason ? "; " : "", table,
                RETRACE_RATIO(out->ratio[i], range.low, range.high));
    if (then > 0) text_append(of->reason, sizeof of->reason, ", published %s",
                              RETRACE_NUMBER(then));
  }
}

/* The grid above the two between which the ratio crossed 1 in the report. */
static size_t published_crossing(const two_devices *of)
{
  for (size_t i = 1; i < of->count; i++)
    if (of->published[i - 1] < 1 && of->published[i] > 1) return i;
  return 0;
}

/* Whether one device is ahead on a grid, and on a larger one the other, which is the GPU or not. */
static int crosses(const two_devices *of, int to_gpu)
{
  for (size_t i = 0; i < of->count; i++)
    for (size_t k = i + 1; k < of->count; k++)
      if (of->shown[i] == -to_gpu && of->shown[k] == to_gpu) return 1;
  return 0;
}

static int is_ahead(const two_devices *of, int device)
{
  for (size_t i = 0; i < of->count; i++)
    if (of->shown[i] != device) return 0;
  return 1;
}

/* A grid whose ratio noise hides takes nothing from grids at which one device is ahead. */
static void judge_crossover(retrace_claim *of, const two_devices *all)
{
  const size_t after = published_crossing(all);
  const char *text = "";
  of->verdict = RETRACE_NOT_SEEN;
  if (crosses(all, 1) && crosses(all, -1)) {
    text = "; unexplained: it crosses 1 both ways";
  } else if (crosses(all, 1)) {
    const int before = all->shown[after - 1], then = all->shown[after];
    const int is_there = before < 0 && then > 0, is_elsewhere = before > 0 || then < 0;
    if (is_there) of->verdict = RETRACE_REPRODUCED;
    else if (is_elsewhere) of->verdict = RETRACE_OTHER_SIZE;
    text = is_there       ? ""
           : is_elsewhere ? "; unexplained: it crosses 1 between other grids"
                          : "; it crosses 1, and noise hides between which grids";
  } else if (crosses(all, -1)) {
    of->verdict = RETRACE_OPPOSITE;
    text = "; unexplained: the processor overtakes the GPU";
  } else if (is_ahead(all, 1) || is_ahead(all, -1)) {
    text = is_ahead(all, 1) ? "; the GPU is ahead at all sizes"
                            : "; the processor is ahead at all sizes";
  } else {
    text = "; unexplained: no crossover could be shown";
  }
  text_append(of->reason, sizeof of->reason, "%s", text);
  if (!is_ahead(all, 1) && !is_ahead(all, -1)) return;
  if (all->launch > 0)
    text_append(of->reason, sizeof of->reason, ", a launch takes %.3g \u00b5s",
                1e6 * all->launch);
  else text_append(of->reason, sizeof of->reason, ", unexplained");
}

static int all_measured(const two_devices *of)
{
  for (size_t i = 0; i < of->count; i++)
    if (!of->is_measured[i]) return 0;
  return 1;
}

static void judge_devices(const retrace *all, retrace_claim *of)
{
  two_devices found;
  compare_devices(all, of, &found);
  const char *barred = NULL;
  if (!*of->reason) {
    retrace_say(of, RETRACE_UNTESTABLE, "the report compares a processor with a GPU, and one of "
                "the two did not run here");
    return;
  }
  if (strcmp(member_text(of->claim, "kind"), "devices") == 0) return; /* no factor is demanded */
  if (all->of.args->quick || all->shrink > 0) barred = "no verdict on a crossover with other sizes";
  else if (!all_measured(&found)) barred = "all its grids are needed";
  else if (!found.has_runs) barred = RETRACE_TOO_FEW;
  if (!barred) {
    judge_crossover(of, &found);
    return;
  }
  of->verdict = RETRACE_UNTESTABLE;
  text_append(of->reason, sizeof of->reason, "; %s", barred);
}

/* ---- all ------------------------------------------------------------------------------------ */

static int has_vendor(const retrace *all, const retrace_claim *of)
{
  const char *vendor = member_text(of->claim, "vendor");
  return !*vendor || strstr(all->infos[of->device].vendor, vendor) != NULL;
}

static void judge(retrace *all, retrace_claim *of)
{
  const char *kind = member_text(of->claim, "kind");
  const char *barred = retrace_untestable(all, of->device, where_of(of->claim));
  of->verdict = RETRACE_FREE;
  of->reason[0] = 0;
  if (strcmp(kind, "none") == 0)
    retrace_say(of, RETRACE_UNTESTABLE, "%s", member_text(of->claim, "reason"));
  else if (strcmp(kind, "bits") == 0) judge_bits(all, of);
  else if (barred) retrace_say(of, RETRACE_UNTESTABLE, "%s", barred);
  else if (!has_vendor(all, of))
    retrace_say(of, RETRACE_UNTESTABLE, "a claim about devices of %s",
                member_text(of->claim, "vendor"));
  else if (strcmp(kind, "order") == 0) judge_order(all, of);
  else if (strcmp(kind, "roof") == 0) judge_roof(all, of);
  else if (strcmp(kind, "growth") == 0) judge_growth(all, of);
  else if (strcmp(kind, "shares") == 0) retrace_judge_shares(all, of);
  else if (strcmp(kind, "share") == 0) retrace_judge_share(all, of);
  else if (strcmp(kind, "few") == 0) retrace_judge_few(all, of);
  else if (strcmp(kind, "bound") == 0) retrace_judge_bound(all, of);
  else if (strcmp(kind, "kernel") == 0) retrace_judge_kernel(all, of);
  else if (strcmp(kind, "maximum") == 0) judge_maximum(all, of);
  else if (strcmp(kind, "row") == 0) judge_rows(all, of);
  else if (strcmp(kind, "best") == 0) judge_best(all, of);
  else if (strcmp(kind, "returns") == 0) judge_returns(all, of);
  else judge_devices(all, of);
}

/* A claim about GPUs is judged on a processor only where there is no GPU, and the reverse. */
static int is_of_others(const retrace *all, const json_t *claim, size_t device)
{
  const char *where = where_of(claim);
  const int is_of_host = strcmp(where, "host") == 0;
  if (strcmp(where, "any") == 0 || strcmp(member_text(claim, "kind"), "bits") == 0 ||
      (all->infos[device].is_host != 0) == is_of_host)
    return 0;
  for (size_t d = 0; d < all->device_count; d++)
    if ((all->infos[d].is_host != 0) == is_of_host) return 1;
  return 0;
}

void retrace_judge_claims(retrace *all)
{
  const json_t *claims = json_object_get(all->report, "claims"), *claim;
  size_t i;
  all->claims = calloc(json_array_size(claims) * all->device_count + 1, sizeof *all->claims);
  if (!all->claims) return;
  json_array_foreach(claims, i, claim)
    for (size_t d = 0; d < all->device_count; d++) {
      const int is_untested = strcmp(member_text(claim, "kind"), "none") == 0;
      if (is_untested && d > 0) break;
      if (!is_untested && is_of_others(all, claim, d)) continue;
      retrace_claim *of = &all->claims[all->claim_count++];
      *of = (retrace_claim){.claim = claim, .device = d};
      judge(all, of);
    }
}
