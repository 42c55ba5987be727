/* retrace_claims.c - a report's claims: orders, shares of kernels, parts of a roof, two devices. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/retrace/retrace.h"
#include "run/text/members.h"
#include "run/text/text.h"

static const double no_number = (double)NAN;
static const double BY_BYTES = 0.15; /* a share is as that of the bytes */

static void decide(retrace_claim *of, retrace_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void decide(retrace_claim *of, retrace_verdict verdict, const char *format, ...)
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
    text_append(of->reason, sizeof of->reason, "; taken back alone (%s, row '%s'): %.3g (%.3g to "
                "%.3g)", member_text(entry->table, "id"), row, entry->factor, entry->range.low,
                entry->range.high);
  }
}

/* The rows named by a claim, judged by its own limits or else by their own verdicts. */
static void judge_rows(const retrace *all, retrace_claim *of)
{
  const json_t *claim = of->claim;
  const retrace_limits limits = retrace_limits_of(claim);
  const int is_limited = retrace_is_limited(&limits);
  for (size_t i = 0; i < table_count(claim); i++) {
    const char *table = table_name(claim, i);
    const retrace_entry *entry = retrace_find(all, table, of->device, member_text(claim, "row"));
    if (!entry || entry->is_elsewhere) continue;
    const int has_limit = is_limited && isfinite(entry->factor) &&
                          100 * entry->range.confidence >= VERDICT_PERCENT;
    const retrace_verdict own = has_limit
      ? retrace_limit(&limits, entry->factor, &entry->range) : entry->verdict;
    of->verdict = worse(of->verdict, own);
    text_append(of->reason, sizeof of->reason, "%s%s: %s", *of->reason ? "; " : "", table,
                retrace_verdict_name(own));
    if (isfinite(entry->factor))
      text_append(of->reason, sizeof of->reason, " (%.3g)", entry->factor);
    else if (entry->reason[0])
      text_append(of->reason, sizeof of->reason, " (%s)", entry->reason);
    if (own == RETRACE_NOT_SEEN || own == RETRACE_OPPOSITE || own == RETRACE_OTHER_SIZE) {
      char cause[RETRACE_REASON] = "";
      retrace_explain(all, retrace_timed(all, &all->entries[entry->against]),
                      retrace_timed(all, entry), &entry->range, cause);
      text_append(of->reason, sizeof of->reason, ", %s", cause);
    }
  }
  if (!*of->reason) decide(of, RETRACE_UNTESTABLE, "no such row on this device");
  add_alone(all, of);
}

/* The fastest row of the table over the claim's row: at most 1 + "within". */
static void judge_best(const retrace *all, retrace_claim *of)
{
  const char *table = member_text(of->claim, "table");
  const retrace_entry *own = retrace_find(all, table, of->device, member_text(of->claim, "row"));
  const study_row *row = retrace_timed(all, own), *best = row;
  const char *name = row ? member_text(own->row, "row") : "";
  for (size_t i = 0; row && i < all->entry_count; i++) {
    const retrace_entry *entry = &all->entries[i];
    const study_row *one = retrace_timed(all, entry);
    if (!one || entry->table != own->table || entry->device != of->device ||
        !(benchmark_rate(&one->who.benchmark).median > benchmark_rate(&best->who.benchmark).median))
      continue;
    best = one;
    name = member_text(entry->row, "row");
  }
  if (!row) {
    decide(of, RETRACE_UNTESTABLE, "its row did not run here");
    return;
  }
  interval range;
  const sample ratio = benchmark_ratio(&best->who.benchmark, &row->who.benchmark, &range);
  const double most = 1 + member_number(of->claim, "within");
  const retrace_verdict verdict = best == row || !interval_shows(&range) || ratio.median <= most
                                    ? RETRACE_REPRODUCED : RETRACE_OPPOSITE;
  decide(of, verdict, "%sthe fastest is '%s', %.3g times as fast",
         verdict == RETRACE_REPRODUCED ? "" : "unexplained: ", name, best == row ? 1.0
                                                                                 : ratio.median);
}

/* Decreasing returns: a second change gains less than the first. */
static void judge_returns(const retrace *all, retrace_claim *of)
{
  const char *table = member_text(of->claim, "table");
  const char *names[] = {member_text(of->claim, "first"), member_text(of->claim, "second")};
  const retrace_entry *first = retrace_find(all, table, of->device, names[0]),
                      *second = retrace_find(all, table, of->device, names[1]);
  if (!first || !second || !isfinite(first->factor) || !isfinite(second->factor)) {
    decide(of, RETRACE_UNTESTABLE, "two gains are needed");
    return;
  }
  const retrace_verdict verdict = second->range.high < first->range.low ? RETRACE_REPRODUCED
                                : second->range.low > first->range.high ? RETRACE_OPPOSITE
                                                                        : RETRACE_NOT_SEEN;
  decide(of, verdict, "%s%.3g (%.3g to %.3g), then %.3g (%.3g to %.3g)",
         verdict == RETRACE_REPRODUCED ? "" : "unexplained: ", first->factor, first->range.low,
         first->range.high, second->factor, second->range.low, second->range.high);
}

/* ---- an order --------------------------------------------------------------------------- */

/* The pairs of rows that the report separates, and how many are so here, or reversed. */
typedef struct order_count { size_t pairs, alike, reversed; char first[160]; } order_count;

static void count_pair(const retrace *all, const retrace_entry *a, const retrace_entry *b,
                       order_count *out)
{
  const double x = member_number(a->row, "published"), y = member_number(b->row, "published");
  const study_row *one = retrace_timed(all, a), *other = retrace_timed(all, b);
  interval range;
  if (!one || !other || !isfinite(x) || !isfinite(y) || fabs(x / y - 1) < RETRACE_APART) return;
  const sample ratio = benchmark_ratio(&one->who.benchmark, &other->who.benchmark, &range);
  out->pairs++;
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
  if (count.pairs == 0) decide(of, RETRACE_UNTESTABLE, "no two of its rows ran here");
  else if (count.reversed)
    decide(of, RETRACE_OPPOSITE, "unexplained: %zu of %zu pairs reversed, the first: %s",
           count.reversed, count.pairs, count.first);
  else if (count.alike == 0)
    decide(of, RETRACE_NOT_SEEN, "unexplained: none of %zu pairs differs here", count.pairs);
  else
    decide(of, RETRACE_REPRODUCED, "%zu of %zu pairs as published, none reversed", count.alike,
           count.pairs);
}

/* ---- parts of a roof, bits, growth ------------------------------------------------------- */

static void judge_roof(const retrace *all, retrace_claim *of)
{
  const json_t *claim = of->claim;
  const double low = member_number(claim, "low"), high = member_number(claim, "high");
  for (size_t i = 0; i < table_count(claim); i++) {
    const char *table = table_name(claim, i);
    const study_row *row = retrace_timed(all, retrace_find(all, table, of->device,
                                                           member_text(claim, "row")));
    if (!row || !(roof_copy(&all->of.roofs[row->group]) > 0)) continue;
    const double rate = row->cost.bytes / benchmark_step_seconds(&row->who.benchmark);
    const double part = rate / roof_copy(&all->of.roofs[row->group]);
    of->verdict = worse(of->verdict, part >= low && part <= high ? RETRACE_REPRODUCED
                                                                 : RETRACE_OTHER_SIZE);
    text_append(of->reason, sizeof of->reason, "%s%s: %.*f GB/s, %.3g of the device's copy of "
                "large arrays%s", *of->reason ? "; " : "", table, rate < 1e11, 1e-9 * rate, part,
                part > 1 ? ", since the grid lies in a cache" : "");
  }
  if (!*of->reason) decide(of, RETRACE_UNTESTABLE, "its row did not run here");
  else if (of->verdict == RETRACE_OTHER_SIZE)
    text_append(of->reason, sizeof of->reason, "; unexplained; published %.3g to %.3g", low, high);
}

static void judge_bits(const retrace *all, retrace_claim *of)
{
  size_t rows = 0, differ = 0;
  for (size_t t = 0; t < table_count(of->claim); t++)
    for (size_t i = 0; i < all->entry_count; i++) {
      const retrace_entry *entry = &all->entries[i];
      const study_row *row = retrace_timed(all, entry);
      if (entry->device != of->device || !row || row_varies(row) ||
          strcmp(member_text(entry->table, "id"), table_name(of->claim, t)) != 0) continue;
      rows++;
      differ += !row_agrees(&all->of, row);
    }
  if (rows == 0) decide(of, RETRACE_UNTESTABLE, "none of its rows ran here");
  else if (differ) decide(of, RETRACE_OPPOSITE, "unexplained: %zu of %zu rows differ", differ,
                          rows);
  else decide(of, RETRACE_REPRODUCED, "%zu rows have equal bits", rows);
}

static double cells_of(const study_row *row) { return row->who.benchmark.cells; }

/* The power with which a row's time grows between the two largest of its tables. */
static void judge_growth(const retrace *all, retrace_claim *of)
{
  const double power = member_number(of->claim, "power");
  const study_row *large = NULL, *second = NULL;
  for (size_t i = 0; i < table_count(of->claim); i++) {
    const study_row *row = retrace_timed(
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
    decide(of, RETRACE_UNTESTABLE, "two sizes are needed");
    return;
  }
  const double found = log(benchmark_step_seconds(&large->who.benchmark) /
                           benchmark_step_seconds(&second->who.benchmark)) /
                       log(cells_of(large) / cells_of(second));
  const int is_alike = fabs(found - power) < 0.1 * power;
  decide(of, is_alike ? RETRACE_REPRODUCED : RETRACE_OTHER_SIZE, "%sa power of %.3g from %s to %s",
         is_alike ? "" : "unexplained: ", found, second->who.benchmark.shape,
         large->who.benchmark.shape);
}

/* ---- two devices ------------------------------------------------------------------------- */

static const study_row *host_row(const retrace *all, const char *table, const char *row)
{
  for (size_t d = 0; d < all->device_count; d++)
    if (all->infos[d].is_host) return retrace_timed(all, retrace_find(all, table, d, row));
  return NULL;
}

/* GPU over host in each table: published, here. Their runs took no turns, so that the range goes
 * from worst against best. */
static void judge_devices(const retrace *all, retrace_claim *of)
{
  const json_t *claim = of->claim, *published = json_object_get(claim, "published");
  double first = no_number, last = no_number, launch = no_number;
  for (size_t i = 0; i < table_count(claim); i++) {
    const char *table = table_name(claim, i);
    const study_row *host = host_row(all, table, member_text(claim, "host")),
                    *gpu = retrace_timed(all, retrace_find(all, table, of->device,
                                                           member_text(claim, "gpu")));
    if (!host || !gpu) continue;
    const sample a = benchmark_rate(&gpu->who.benchmark), b = benchmark_rate(&host->who.benchmark);
    const double ratio = a.median / b.median;
    if (isnan(first)) first = ratio;
    last = ratio;
    launch = all->of.roofs[gpu->group].launch_plain.median;
    text_append(of->reason, sizeof of->reason, "%s%s: %.3g (%.3g to %.3g)",
                *of->reason ? "; " : "", table, ratio, a.least / b.most, a.most / b.least);
    const double then = json_number_value(json_array_get(published, i));
    if (then > 0) text_append(of->reason, sizeof of->reason, ", published %.3g", then);
  }
  if (!*of->reason) {
    decide(of, RETRACE_UNTESTABLE, "the report compares a processor with a GPU, and one of the two "
           "did not run here");
    return;
  }
  if (strcmp(member_text(claim, "kind"), "devices") == 0) return; /* no factor is demanded */
  if (all->of.args->quick || all->shrink > 0) {
    of->verdict = RETRACE_UNTESTABLE;
    text_append(of->reason, sizeof of->reason, "; no verdict on a crossover with other sizes");
  } else if (first < 1 && last > 1) of->verdict = RETRACE_REPRODUCED;
  else {
    of->verdict = RETRACE_NOT_SEEN;
    text_append(of->reason, sizeof of->reason, "; %s is ahead at all sizes",
                first > 1 ? "the GPU" : "the processor");
    if (launch > 0)
      text_append(of->reason, sizeof of->reason, ", a launch takes %.3g \u00b5s", 1e6 * launch);
    else text_append(of->reason, sizeof of->reason, ", unexplained");
  }
}

/* ---- shares of kernels --------------------------------------------------------------------- */

/* A run of the row's steps with a profile; the caller clears the table. */
static trm_status profile_row_of(retrace *all, const study_row *row, profile_table *table)
{
  session run = {0};
  profile *made = NULL;
  trm_device *device = NULL;
  run_case shortened = *row->who.chosen;
  shortened.settings.steps = row->steps;
  TRM_TRY(case_open_on(row->who.chosen, all->of.devices.context, row->who.benchmark.on, "--on",
                       &device));
  trm_status status = candidate_begin(&run, &shortened, device, NULL);
  if (status == TRM_OK) status = profile_create(device, &made);
  run.profile = made;
  if (status == TRM_OK) status = session_run(&run);
  if (status == TRM_OK)
    status = profile_tabulate(made, run.solver, shortened.settings.solver.precision,
                              &all->of.roofs[row->group], table);
  session_end(&run);
  profile_destroy(&made);
  trm_device_close(&device);
  return status;
}

/* A kernel's name, or the text before a '*' with which names begin. */
static int is_named(const char *kernel, const char *name)
{
  const size_t length = strcspn(name, "*");
  return strncmp(kernel, name, length) == 0 && (!kernel[length] || name[length] == '*');
}

/* Of all kernels of that name: their share of the time, and the bytes that they move. NaN: no such
 * kernel ran, or its bytes are not declared. */
typedef struct part { double share, bytes; } part;

static part part_of(const profile_table *table, const char *name)
{
  part all = {0, 0};
  size_t found = 0;
  for (size_t i = 0; i < table->count; i++) {
    const profile_row *row = &table->rows[i];
    if (!is_named(row->name, name)) continue;
    all.share += row->share;
    all.bytes += row->bytes * (double)row->calls;
    found++;
  }
  return found ? all : (part){no_number, no_number};
}

enum { KERNELS = 16 };

/* Kernels whose times are as their bytes are all bound by memory: a reason for any order. */
static void explain_shares(retrace_claim *of, const part *parts, size_t count, size_t apart,
                           size_t reversed)
{
  double all = 0, most = 0;
  for (size_t i = 0; i < count; i++) all += parts[i].bytes;
  for (size_t i = 0; i < count; i++)
    most = fmax(most, fabs(parts[i].bytes / all / parts[i].share - 1));
  text_append(of->reason, sizeof of->reason, "; %s%zu share%s apart by more than %.1f, %zu pair%s "
              "reversed", all > 0 && most <= BY_BYTES ? "" : "unexplained: ", apart,
              apart == 1 ? " is" : "s are", RETRACE_FACTOR, reversed, reversed == 1 ? "" : "s");
  if (!(all > 0)) return;
  text_append(of->reason, sizeof of->reason, "; their bytes would give");
  for (size_t i = 0; i < count; i++)
    text_append(of->reason, sizeof of->reason, "%s %.1f", i ? "," : "", 100 * parts[i].bytes / all);
  text_append(of->reason, sizeof of->reason, " %%%s", most <= BY_BYTES ? ": memory binds all" : "");
}

void retrace_compare_shares(retrace_claim *of, const profile_table *table)
{
  const json_t *list = json_object_get(of->claim, "kernels"), *one;
  part here[KERNELS];
  double then[KERNELS], sum = 0;
  size_t i, apart = 0, reversed = 0;
  const size_t count = json_array_size(list) < KERNELS ? json_array_size(list) : KERNELS;
  json_array_foreach(list, i, one) {
    if (i == count) break;
    then[i] = member_number(one, "published");
    here[i] = part_of(table, member_text(one, "kernels"));
    sum += isfinite(here[i].share) ? here[i].share : 0;
  }
  for (i = 0; i < count; i++) {
    here[i].share /= sum;
    const double share = here[i].share;
    text_append(of->reason, sizeof of->reason, "%s%s %.1f %% (published %.1f)", i ? ", " : "",
                member_text(json_array_get(list, i), "name"), 100 * share, 100 * then[i]);
    apart += !(fmax(share / then[i], then[i] / share) <= RETRACE_FACTOR);
    for (size_t k = 0; k < i; k++)
      reversed += fabs(then[i] / then[k] - 1) >= RETRACE_APART &&
                  (then[i] > then[k]) != (share > here[k].share);
  }
  of->verdict = reversed ? RETRACE_OPPOSITE : apart ? RETRACE_OTHER_SIZE : RETRACE_REPRODUCED;
  if (of->verdict != RETRACE_REPRODUCED) explain_shares(of, here, count, apart, reversed);
}

static void judge_shares(retrace *all, retrace_claim *of)
{
  profile_table table = {0};
  const retrace_entry *entry = retrace_find(all, member_text(of->claim, "table"), of->device,
                                            member_text(of->claim, "row"));
  const study_row *row = retrace_timed(all, entry);
  if (!row) {
    decide(of, RETRACE_UNTESTABLE, "%s", entry && entry->missing[0] ? entry->missing
                                                              : "its row did not run here");
    return;
  }
  if (profile_row_of(all, row, &table) != TRM_OK)
    decide(of, RETRACE_UNTESTABLE, "%s", trm_error_last()->text);
  else retrace_compare_shares(of, &table);
  profile_clear(&table);
}

/* "kernels" takes at most the part "most" of a row's step. */
static void judge_share(retrace *all, retrace_claim *of)
{
  profile_table table = {0};
  const double most = member_number(of->claim, "most");
  const char *kernel = member_text(of->claim, "kernels");
  const study_row *row = retrace_timed(all, retrace_find(all, member_text(of->claim, "table"),
                                                         of->device,
                                                         member_text(of->claim, "row")));
  if (!row) decide(of, RETRACE_UNTESTABLE, "its row did not run here");
  else if (profile_row_of(all, row, &table) != TRM_OK)
    decide(of, RETRACE_UNTESTABLE, "%s", trm_error_last()->text);
  else {
    const double share = part_of(&table, kernel).share;
    const retrace_verdict verdict = isnan(share) ? RETRACE_UNTESTABLE
                                  : share <= most ? RETRACE_REPRODUCED : RETRACE_OTHER_SIZE;
    decide(of, verdict, "%s%s takes %.2g %% of the kernels' time",
           verdict == RETRACE_OTHER_SIZE ? "unexplained: " : "", kernel, 100 * share);
  }
  profile_clear(&table);
}

/* Seconds of a call of the kernels of that name in a few steps of a row; NaN: unknown. */
static double kernel_seconds(retrace *all, const study_row *row, const char *name)
{
  profile_table table = {0};
  double seconds = 0;
  uint64_t calls = 0;
  if (profile_row_of(all, row, &table) == TRM_OK)
    for (size_t i = 0; i < table.count; i++) {
      if (!is_named(table.rows[i].name, name)) continue;
      seconds += table.rows[i].seconds;
      calls += table.rows[i].calls;
    }
  profile_clear(&table);
  return calls > 0 ? seconds / (double)calls : no_number;
}

/* The speed of a kernel of one row over that of another row ("base"), in profiles that take turns;
 * the range goes from worst against best. */
static void judge_kernel(retrace *all, retrace_claim *of)
{
  const json_t *claim = of->claim;
  const char *table = member_text(claim, "table"), *name = member_text(claim, "kernels");
  const retrace_limits limits = retrace_limits_of(claim);
  const study_row *row = retrace_timed(all, retrace_find(all, table, of->device,
                                                         member_text(claim, "row"))),
                  *base = retrace_timed(all, retrace_find(all, table, of->device,
                                                          member_text(claim, "base")));
  double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0}, middle[2] = {0, 0};
  if (!row || !base) {
    decide(of, RETRACE_UNTESTABLE, "its rows did not run here");
    return;
  }
  for (int turn = 0; turn < VERDICT_RUNS; turn++)
    for (int i = 0; i < 2; i++) {
      const double seconds = kernel_seconds(all, i ? base : row, name);
      least[i] = fmin(least[i], seconds);
      most[i] = fmax(most[i], seconds);
      middle[i] += seconds / VERDICT_RUNS;
    }
  const double ratio = middle[1] / middle[0];
  const interval range = {least[1] / most[0], most[1] / least[0],
                          separation_confidence(VERDICT_RUNS, VERDICT_RUNS)};
  if (isnan(ratio)) {
    decide(of, RETRACE_UNTESTABLE, "no time of kernel %s is known", name);
    return;
  }
  const retrace_verdict verdict = retrace_limit(&limits, ratio, &range);
  decide(of, verdict, "%s%.*s of row '%s' over that of '%s': %.3g (%.3g to %.3g)",
         verdict == RETRACE_REPRODUCED ? "" : "unexplained: ", (int)strcspn(name, "*"), name,
         member_text(claim, "row"), member_text(claim, "base"), ratio, range.low, range.high);
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
    decide(of, RETRACE_UNTESTABLE, "%s", member_text(of->claim, "reason"));
  else if (strcmp(kind, "bits") == 0) judge_bits(all, of);
  else if (barred) decide(of, RETRACE_UNTESTABLE, "%s", barred);
  else if (!has_vendor(all, of))
    decide(of, RETRACE_UNTESTABLE, "a claim about devices of %s", member_text(of->claim, "vendor"));
  else if (strcmp(kind, "order") == 0) judge_order(all, of);
  else if (strcmp(kind, "roof") == 0) judge_roof(all, of);
  else if (strcmp(kind, "growth") == 0) judge_growth(all, of);
  else if (strcmp(kind, "shares") == 0) judge_shares(all, of);
  else if (strcmp(kind, "share") == 0) judge_share(all, of);
  else if (strcmp(kind, "kernel") == 0) judge_kernel(all, of);
  else if (strcmp(kind, "row") == 0) judge_rows(all, of);
  else if (strcmp(kind, "best") == 0) judge_best(all, of);
  else if (strcmp(kind, "returns") == 0) judge_returns(all, of);
  else judge_devices(all, of);
}

void retrace_judge_claims(retrace *all)
{
  const json_t *claims = json_object_get(all->report, "claims"), *claim;
  size_t i;
  all->claims = calloc(json_array_size(claims) * all->device_count + 1, sizeof *all->claims);
  if (!all->claims) return;
  json_array_foreach(claims, i, claim)
    for (size_t d = 0; d < all->device_count; d++) {
      if (d > 0 && strcmp(member_text(claim, "kind"), "none") == 0) break;
      retrace_claim *of = &all->claims[all->claim_count++];
      *of = (retrace_claim){.claim = claim, .device = d};
      judge(all, of);
    }
}
