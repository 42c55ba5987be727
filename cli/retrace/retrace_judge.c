/* retrace_judge.c - factors and verdicts of a report's rows, from the runs of the study. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/retrace/retrace.h"
#include "run/text/members.h"
#include "run/text/text.h"

const char *retrace_verdict_name(retrace_verdict verdict)
{
  static const char *const names[RETRACE_VERDICTS] = {
    "-", "reproduced", "same sign, other size", "not seen", "opposite", "not testable here"};
  return names[verdict];
}

const char *retrace_number(double value, char text[32])
{
  double unit = 1;
  while (fabs(value) >= 999.5 * unit && unit < 1e6) unit *= 10;
  if (unit > 1) snprintf(text, 32, "%.0f", unit * round(value / unit));
  else snprintf(text, 32, "%.3g", value);
  return text;
}

const char *retrace_ratio(double value, double low, double high, char text[96])
{
  snprintf(text, 96, "%s (%s to %s)", RETRACE_NUMBER(value), RETRACE_NUMBER(low),
           RETRACE_NUMBER(high));
  return text;
}

const retrace_entry *retrace_find(const retrace *all, const char *table, size_t device,
                                  const char *row)
{
  for (size_t i = 0; i < all->entry_count; i++) {
    const retrace_entry *entry = &all->entries[i];
    if (entry->device == device && strcmp(member_text(entry->table, "id"), table) == 0 &&
        strcmp(member_text(entry->row, "row"), row) == 0)
      return entry;
  }
  return NULL;
}

const study_row *retrace_timed(const retrace *all, const retrace_entry *entry)
{
  if (!entry || entry->at == RETRACE_NONE) return NULL;
  const study_row *row = &all->of.rows[entry->at];
  return row->who.benchmark.run_count > 0 && row->status != ROW_FAILED ? row : NULL;
}

const study_row *retrace_trusted(const retrace *all, const retrace_entry *entry)
{
  const study_row *row = retrace_timed(all, entry);
  return row && row_agrees(&all->of, row) ? row : NULL;
}

/* ---- rules ----------------------------------------------------------------------- */

retrace_verdict retrace_compare(double published, double here, const interval *range)
{
  if (!interval_shows(range)) return RETRACE_NOT_SEEN;
  if ((published > 1) != (here > 1)) return RETRACE_OPPOSITE;
  const double apart = here > published ? here / published : published / here;
  return apart <= RETRACE_FACTOR ? RETRACE_REPRODUCED : RETRACE_OTHER_SIZE;
}

int retrace_has_runs(const interval *range)
{
  return 100 * range->confidence >= VERDICT_PERCENT;
}

/* Limits that promise a gain or a loss need one that is shown. Others hold for a ratio of 1; noise
 * alone neither holds nor breaks them. */
retrace_verdict retrace_limit(const retrace_limits *limits, double here, const interval *range)
{
  const int is_gain = isfinite(limits->above), is_loss = isfinite(limits->under);
  const int is_low = here < limits->above || here < limits->least ||
                     here < 1 - limits->within,
            is_high = here > limits->most || here > 1 + limits->within ||
                      (is_loss && here >= limits->under);
  if (!interval_shows(range))
    return is_gain || is_loss || is_low || is_high ? RETRACE_NOT_SEEN : RETRACE_REPRODUCED;
  if ((is_gain && here < 1) || (is_loss && here > 1)) return RETRACE_OPPOSITE;
  if (!is_low && !is_high) return RETRACE_REPRODUCED;
  if (here < limits->least || isfinite(limits->within)) return RETRACE_OPPOSITE;
  return RETRACE_OTHER_SIZE;
}

const char *retrace_untestable(const retrace *all, size_t device, const char *where)
{
  const int is_host = all->infos[device].is_host != 0;
  if (retrace_is_emulated(all, device))
    return "PoCL runs on the processor, so that only the bits are checked";
  if (is_host && strcmp(where, "host") != 0 && strcmp(where, "any") != 0)
    return "the report tells of GPUs, and this is a processor";
  if (!is_host && strcmp(where, "host") == 0)
    return "the report tells of processors, and this is a GPU";
  return NULL;
}

/* ---- reasons ----------------------------------------------------------------------- */

static void print_part(const why_part *part, char text[RETRACE_REASON])
{
  text_append(text, RETRACE_REASON, "%s%s", *text ? "; " : "", part->text);
  if (isfinite(part->seconds))
    text_append(text, RETRACE_REASON, ": %s%s \u00b5s (%s)", part->seconds < 0 ? "" : "+",
                RETRACE_NUMBER(1e6 * part->seconds), part->how);
}

/* Prices explain a difference if they leave at most a quarter of the time saved, or no more than
 * the noise of runs that are spread little. */
static const double widest_noise = 0.1;

static int is_explained(const why *because, double noise)
{
  int priced = 0;
  for (size_t i = 0; i < because->count; i++) priced += isfinite(because->parts[i].seconds) != 0;
  return priced > 0 && fabs(because->rest) <= fmax(0.25 * fabs(because->saved), noise);
}

/* Whether a part is more than the step that had or has it: its work overlaps, or is cheaper here
 * than its price. A sum of such parts is chance. */
static int exceeds(const why *because, double before, double after)
{
  for (size_t i = 0; i < because->count; i++) {
    const double seconds = because->parts[i].seconds;
    if (fabs(seconds) > (seconds > 0 ? before : after)) return 1;
  }
  return 0;
}

void retrace_explain(const retrace *all, const study_row *before, const study_row *after,
                     const interval *range, char text[RETRACE_REASON])
{
  const device_roofs *roofs = &all->of.roofs[after->group];
  text[0] = 0;
  if (!(roof_copy(roofs) > 0)) {
    snprintf(text, RETRACE_REASON, "unexplained: the device's costs were not measured%s%s",
             roofs->missing[0] ? ", " : "", roofs->missing);
    return;
  }
  const why because = study_explain(before, after, roofs, row_device(&all->of, after)->is_host);
  const double step = benchmark_step_seconds(&after->who.benchmark);
  for (size_t i = 0; i < because.count; i++) print_part(&because.parts[i], text);
  if (*text) text_append(text, RETRACE_REASON, "; ");
  if (!interval_shows(range)) {
    text_append(text, RETRACE_REASON, "the interval holds 1");
    return;
  }
  const double width = range->high - range->low;
  const double noise = width < widest_noise ? 0.5 * width * step : 0;
  if (exceeds(&because, benchmark_step_seconds(&before->who.benchmark), step))
    text_append(text, RETRACE_REASON, "unexplained, since a part is more than the whole step: ");
  else if (!is_explained(&because, noise))
    text_append(text, RETRACE_REASON, "unexplained: %s%s \u00b5s ", because.rest < 0 ? "" : "+",
                RETRACE_NUMBER(1e6 * because.rest));
  text_append(text, RETRACE_REASON, "of %s \u00b5s %s a step",
              RETRACE_NUMBER(1e6 * fabs(because.saved)), because.saved < 0 ? "lost" : "saved");
  const double others = member_number(all->of.host, "others_busy_cores"),
               cores = member_number(all->of.host, "cores");
  if (row_device(&all->of, after)->is_host && others > 0.1 * cores)
    text_append(text, RETRACE_REASON, "; other processes kept %.2f of %.0f processors busy", others,
                cores);
}

static int is_listed(const json_t *list, const char *name)
{
  const json_t *one;
  size_t i;
  json_array_foreach((json_t *)list, i, one)
    if (strcmp(json_string_value(one), name) == 0) return 1;
  return 0;
}

/* Bytes between host and device in a step. */
static double bytes_moved(const study_row *row) { return row->cost.written + row->cost.read; }

int retrace_has_parts(const retrace *all, const json_t *claim, const study_row *before,
                      const study_row *after, char text[RETRACE_REASON])
{
  const json_t *names = json_object_get(claim, "parts");
  const device_roofs *roofs = &all->of.roofs[after->group];
  const why because = study_explain(before, after, roofs, row_device(&all->of, after)->is_host);
  double price = 0, rate = (double)NAN;
  if (!(roof_copy(roofs) > 0)) {
    snprintf(text, RETRACE_REASON, "the device's costs were not measured");
    return 0;
  }
  for (size_t i = 0; i < because.count; i++) {
    const why_part *part = &because.parts[i];
    if (!is_listed(names, part->what) || !isfinite(part->seconds)) continue;
    price += part->seconds;
    if (strcmp(part->what, "transfers") == 0)
      rate = 1e-9 * (bytes_moved(before) - bytes_moved(after)) / part->seconds;
  }
  snprintf(text, RETRACE_REASON, "%s \u00b5s saved a step,", RETRACE_NUMBER(1e6 * because.saved));
  for (size_t i = 0; i < json_array_size(names); i++)
    text_append(text, RETRACE_REASON, "%s %s", i ? " and" : "",
                json_string_value(json_array_get(names, i)));
  text_append(text, RETRACE_REASON, " cost %s \u00b5s", RETRACE_NUMBER(1e6 * price));
  if (isfinite(rate)) text_append(text, RETRACE_REASON, " at %s GB/s", RETRACE_NUMBER(rate));
  const double apart = because.saved / price;
  return apart <= RETRACE_FACTOR &&
         (json_is_true(json_object_get(claim, "is_most")) || apart >= 1 / RETRACE_FACTOR);
}

/* ---- rows -------------------------------------------------------------------------- */

static void untestable(retrace_entry *entry, const char *reason)
{
  entry->verdict = RETRACE_UNTESTABLE;
  snprintf(entry->reason, sizeof entry->reason, "%s", reason);
}

/* The entry that a row is held against: the row that it names, else the row before. */
static void find_base(const retrace *all, retrace_entry *entry)
{
  const json_t *named = json_object_get(entry->row, "against");
  const long index = (long)(entry - all->entries);
  const retrace_entry *before = index > 0 ? entry - 1 : NULL;
  entry->against = RETRACE_NONE;
  if (named) {
    const retrace_entry *found = retrace_find(all, member_text(entry->table, "id"), entry->device,
                                              member_text(entry->row, "against"));
    if (found) entry->against = (long)(found - all->entries);
  } else if (before && before->table == entry->table && before->device == entry->device) {
    entry->against = index - 1;
  }
}

static void take_factor(const retrace *all, retrace_entry *entry)
{
  const study_row *row = retrace_timed(all, entry), *base = NULL;
  entry->published = member_number(entry->row, "factor");
  entry->factor = (double)NAN;
  entry->range = (interval){(double)NAN, (double)NAN, (double)NAN};
  if (entry->against == RETRACE_NONE) return;
  const retrace_entry *against = &all->entries[entry->against];
  if (!isfinite(entry->published))
    entry->published = member_number(against->row, "published") /
                       member_number(entry->row, "published");
  base = retrace_timed(all, against);
  if (!row || !base) return;
  entry->factor = benchmark_ratio(&row->who.benchmark, &base->who.benchmark, &entry->range).median;
  /* rows of a table have one size: a tree's updates are bodies, and those of pairs interactions */
  const double steps = base->who.benchmark.cells / row->who.benchmark.cells;
  entry->factor *= steps;
  entry->range.low *= steps;
  entry->range.high *= steps;
}

retrace_limits retrace_limits_of(const json_t *of)
{
  return (retrace_limits){member_number(of, "above"), member_number(of, "most"),
                          member_number(of, "least"), member_number(of, "within"),
                          member_number(of, "under")};
}

int retrace_is_limited(const retrace_limits *limits)
{
  return isfinite(limits->above) || isfinite(limits->most) || isfinite(limits->least) ||
         isfinite(limits->within) || isfinite(limits->under);
}

static void judge_factor(retrace *all, retrace_entry *entry)
{
  const retrace_limits limits = retrace_limits_of(entry->row);
  const int is_limited = retrace_is_limited(&limits);
  const char *where = member_text(entry->row, "where");
  if (!*where) where = member_text(entry->table, "where");
  const char *barred = retrace_untestable(all, entry->device, where);
  if (!is_limited && fabs(entry->published - 1) < RETRACE_APART) {
    snprintf(entry->reason, sizeof entry->reason, "No verdict: the report's own times differ by "
             "%.1f %%, in single runs", 100 * fabs(entry->published - 1));
    return;
  }
  if (barred) untestable(entry, barred);
  else if (!retrace_has_runs(&entry->range)) untestable(entry, RETRACE_TOO_FEW);
  else
    entry->verdict = is_limited ? retrace_limit(&limits, entry->factor, &entry->range)
                                : retrace_compare(entry->published, entry->factor, &entry->range);
  if (entry->verdict == RETRACE_OTHER_SIZE || entry->verdict == RETRACE_NOT_SEEN ||
      entry->verdict == RETRACE_OPPOSITE)
    retrace_explain(all, retrace_timed(all, &all->entries[entry->against]),
                    retrace_timed(all, entry), &entry->range, entry->reason);
}

static void judge_row(retrace *all, retrace_entry *entry)
{
  char text[RETRACE_REASON];
  if (entry->is_elsewhere) return;
  if (entry->at == RETRACE_NONE) {
    untestable(entry, entry->missing);
    return;
  }
  const study_row *row = &all->of.rows[entry->at];
  const retrace_limits limits = retrace_limits_of(entry->row);
  if (row->status == ROW_FAILED) untestable(entry, row->error);
  else if (row_is_too_far(row)) untestable(entry, "its result is further from that of another row "
                                           "than its bound allows");
  else if (!row_agrees(&all->of, row)) {
    const study_row *reference = row_reference(&all->of, row);
    snprintf(text, sizeof text, "its bits differ from %s%s",
             reference == row ? "run to run" : "those of ",
             reference == row ? "" : reference->implementation->name);
    untestable(entry, text);
  } else if (entry->against == RETRACE_NONE ||
             (!isfinite(entry->published) && !retrace_is_limited(&limits))) {
    return;
  } else if (!retrace_trusted(all, &all->entries[entry->against])) {
    const retrace_entry *base = &all->entries[entry->against];
    snprintf(text, sizeof text, "its base, row '%s', %s", member_text(base->row, "row"),
             retrace_timed(all, base) ? "has a result that differs" : "cannot run here");
    untestable(entry, text);
  } else {
    judge_factor(all, entry);
  }
}

void retrace_judge(retrace *all)
{
  for (size_t i = 0; i < all->entry_count; i++) find_base(all, &all->entries[i]);
  for (size_t i = 0; i < all->entry_count; i++) take_factor(all, &all->entries[i]);
  for (size_t i = 0; i < all->entry_count; i++) judge_row(all, &all->entries[i]);
  retrace_judge_claims(all);
}
