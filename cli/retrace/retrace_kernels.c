/* retrace_kernels.c - a report's claims about kernels: their shares of a step, and their speeds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/retrace/retrace_rows.h"
#include "run/text/json.h"
#include "run/text/members.h"
#include "run/text/text.h"

static const double no_number = (double)NAN;

/* A run of the row's steps with a profile; the caller clears the table. */
static trm_status measure(retrace *all, const study_row *row, profile_table *table)
{
  session run = {0};
  profile *made = NULL;
  trm_device *device = NULL;
  const int is_several = all->of.devices.list[row->who.device].is_several;
  run_case shortened = *row->who.chosen;
  shortened.settings.steps = row->steps;
  if (!is_several)
    TRM_TRY(case_open_on(row->who.chosen, all->of.devices.context, row->who.benchmark.on, "--on",
                         &device));
  trm_status status = is_several ? candidate_begin_on(&run, &shortened, &all->of.devices,
                                                      row->who.device, NULL)
                                 : candidate_begin(&run, &shortened, device, NULL);
  if (status == TRM_OK) status = profile_create(run.device, &made);
  run.profile = made;
  if (status == TRM_OK) status = session_run(&run);
  if (status == TRM_OK)
    status = profile_tabulate(made, run.solver, shortened.settings.solver.precision,
                              &all->of.roofs[row->group], table);
  profile_destroy(&made);
  session_end(&run);
  trm_device_close(&device);
  return status;
}

/* The parts of a profile by which claims are judged. */
static json_t *kept_profile(const profile_table *table)
{
  json_t *list = json_array();
  for (size_t i = 0; i < table->count; i++) {
    const profile_row *row = &table->rows[i];
    json_t *one = json_object();
    json_object_set_new(one, "name", json_text(row->name));
    json_object_set_new(one, "calls", json_integer((json_int_t)row->calls));
    json_object_set_new(one, "seconds", json_number(row->seconds));
    json_object_set_new(one, "share", json_number(row->share));
    json_object_set_new(one, "bytes", json_number(row->bytes));
    json_object_set_new(one, "of_bandwidth", json_number(row->of_bandwidth));
    json_object_set_new(one, "of_arithmetic", json_number(row->of_arithmetic));
    json_object_set_new(one, "bound", row->bound ? json_text(row->bound) : json_null());
    json_array_append_new(list, one);
  }
  return list;
}

static trm_status read_profile(const json_t *list, profile_table *table)
{
  const json_t *one;
  size_t i;
  table->rows = calloc(json_array_size(list) + 1, sizeof *table->rows);
  if (!table->rows) return retrace_no_memory();
  json_array_foreach((json_t *)list, i, one) {
    profile_row *row = &table->rows[table->count++];
    snprintf(row->name, sizeof row->name, "%s", member_text(one, "name"));
    row->calls = (uint64_t)json_integer_value(json_object_get(one, "calls"));
    row->seconds = member_number(one, "seconds");
    row->share = member_number(one, "share");
    row->bytes = member_number(one, "bytes");
    row->of_bandwidth = member_number(one, "of_bandwidth");
    row->of_arithmetic = member_number(one, "of_arithmetic");
    row->bound = json_string_value(json_object_get(one, "bound")); /* the study's */
  }
  return TRM_OK;
}

/* The row's profile of this turn. A study keeps it, so that the study can be printed again. */
static trm_status profile_row_of(retrace *all, const study_row *row, size_t turn,
                                 profile_table *table)
{
  char name[256];
  candidate_say(&row->who, name, sizeof name);
  if (!all->of.kernels) all->of.kernels = json_object();
  json_t *turns = json_object_get(all->of.kernels, name);
  const json_t *kept = json_array_get(turns, turn);
  if (kept) return read_profile(kept, table);
  TRM_TRY(measure(all, row, table));
  if (!turns) json_object_set_new(all->of.kernels, name, turns = json_array());
  json_array_append_new(turns, kept_profile(table));
  return all->of.out.folder ? study_save(&all->of) : TRM_OK;
}

/* A kernel's name, or the text before a '*' with which names begin. */
static int is_named(const char *kernel, const char *name)
{
  const size_t length = strcspn(name, "*");
  return strncmp(kernel, name, length) == 0 && (!kernel[length] || name[length] == '*');
}

/* All kernels of a name take this share of the time and move these bytes. NaN: no such kernel ran,
 * or its bytes are not declared. */
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
              "reversed", all > 0 && most <= RETRACE_BY_BYTES ? "" : "unexplained: ", apart,
              apart == 1 ? " is" : "s are", RETRACE_FACTOR, reversed, reversed == 1 ? "" : "s");
  if (!(all > 0)) return;
  text_append(of->reason, sizeof of->reason, "; their bytes would give");
  for (size_t i = 0; i < count; i++)
    text_append(of->reason, sizeof of->reason, "%s %.1f", i ? "," : "", 100 * parts[i].bytes / all);
  text_append(of->reason, sizeof of->reason, " %%%s",
              most <= RETRACE_BY_BYTES ? ": memory binds all" : "");
}

void retrace_compare_shares(retrace_claim *of, const profile_table *table)
{
  const json_t *list = json_object_get(of->claim, "kernels"), *one;
  part here[KERNELS];
  const char *missing = NULL;
  double then[KERNELS], sum = 0;
  size_t i, apart = 0, reversed = 0;
  const size_t count = json_array_size(list) < KERNELS ? json_array_size(list) : KERNELS;
  json_array_foreach(list, i, one) {
    if (i == count) break;
    then[i] = member_number(one, "published");
    here[i] = part_of(table, member_text(one, "kernels"));
    sum += here[i].share;
    if (isnan(here[i].share)) missing = member_text(one, "name");
  }
  if (missing || !(sum > 0)) {
    retrace_say(of, RETRACE_UNTESTABLE, "no time of kernel %s is known", missing ? missing : "any");
    return;
  }
  for (i = 0; i < count; i++) {
    here[i].share /= sum;
    const double share = here[i].share;
    text_append(of->reason, sizeof of->reason, "%s%s %.1f %% (published %.1f)", i ? ", " : "",
                member_text(json_array_get(list, i), "name"), 100 * share, 100 * then[i]);
    apart += !(fmax(share / then[i], then[i] / share) <= RETRACE_FACTOR);
    for (size_t k = 0; k < i; k++)
      reversed += fabs(then[i] / then[k] - 1) >= RETRACE_APART &&
                  fabs(share / here[k].share - 1) >= RETRACE_APART &&
                  (then[i] > then[k]) != (share > here[k].share);
  }
  of->verdict = reversed ? RETRACE_OPPOSITE : apart ? RETRACE_OTHER_SIZE : RETRACE_REPRODUCED;
  if (of->verdict != RETRACE_REPRODUCED) explain_shares(of, here, count, apart, reversed);
}

void retrace_judge_shares(retrace *all, retrace_claim *of)
{
  profile_table table = {0};
  const study_row *row = retrace_row_of(all, of, member_text(of->claim, "row"));
  if (!row) return;
  if (profile_row_of(all, row, 0, &table) != TRM_OK)
    retrace_say(of, RETRACE_UNTESTABLE, "%s", trm_error_last()->text);
  else retrace_compare_shares(of, &table);
  profile_clear(&table);
}

/* "kernels" takes at most the part "most" of the time of a row's kernels. */
void retrace_judge_share(retrace *all, retrace_claim *of)
{
  profile_table table = {0};
  const double most = member_number(of->claim, "most");
  const char *kernel = member_text(of->claim, "kernels");
  const study_row *row = retrace_row_of(all, of, member_text(of->claim, "row"));
  if (!row) return;
  if (profile_row_of(all, row, 0, &table) != TRM_OK)
    retrace_say(of, RETRACE_UNTESTABLE, "%s", trm_error_last()->text);
  else {
    const double share = part_of(&table, kernel).share;
    if (isnan(share)) retrace_say(of, RETRACE_UNTESTABLE, "no time of kernel %s is known", kernel);
    else
      retrace_say(of, share <= most ? RETRACE_REPRODUCED : RETRACE_OTHER_SIZE,
                  "%s%s takes %.2g %% of the kernels' time", share <= most ? "" : "unexplained: ",
                  kernel, 100 * share);
  }
  profile_clear(&table);
}

/* The "count" longest kernels of a row take more than the part "above" of the time. */
void retrace_judge_few(retrace *all, retrace_claim *of)
{
  profile_table table = {0};
  const double above = member_number(of->claim, "above");
  const size_t count = (size_t)member_number(of->claim, "count");
  const study_row *row = retrace_row_of(all, of, member_text(of->claim, "row"));
  char text[RETRACE_REASON] = "";
  double sum = 0;
  if (!row) return;
  if (profile_row_of(all, row, 0, &table) != TRM_OK)
    retrace_say(of, RETRACE_UNTESTABLE, "%s", trm_error_last()->text);
  else if (table.count == 0 || isnan(table.rows[0].share))
    retrace_say(of, RETRACE_UNTESTABLE, "no time of kernels is known");
  else {
    for (size_t i = 0; i < count && i < table.count; i++) {
      sum += table.rows[i].share;
      text_append(text, sizeof text, "%s%s %.1f", i ? ", " : "", table.rows[i].name,
                  100 * table.rows[i].share);
    }
    retrace_say(of, sum > above ? RETRACE_REPRODUCED : RETRACE_OTHER_SIZE,
                "%s%s: %.1f %% of the time", sum > above ? "" : "unexplained: ", text, 100 * sum);
  }
  profile_clear(&table);
}

static const profile_row *find_kernel(const profile_table *table, const char *name)
{
  for (size_t i = 0; i < table->count; i++)
    if (is_named(table->rows[i].name, name)) return &table->rows[i];
  return NULL;
}

/* The limit nearest to each of a row's kernels is "bound". Parts of both roofs are the reason, so
 * both must be known. */
void retrace_judge_bound(retrace *all, retrace_claim *of)
{
  profile_table table = {0};
  const json_t *names = json_object_get(of->claim, "kernels"), *name;
  const char *expected = member_text(of->claim, "bound");
  const study_row *row = retrace_row_of(all, of, member_text(of->claim, "row"));
  char text[RETRACE_REASON] = "";
  size_t i, alike = 0, others = 0;
  if (!row) return;
  if (profile_row_of(all, row, 0, &table) != TRM_OK) {
    retrace_say(of, RETRACE_UNTESTABLE, "%s", trm_error_last()->text);
    return;
  }
  json_array_foreach(names, i, name) {
    const profile_row *kernel = find_kernel(&table, json_string_value(name));
    if (!kernel || !kernel->bound || isnan(kernel->of_bandwidth) || isnan(kernel->of_arithmetic))
      break;
    alike += strcmp(kernel->bound, expected) == 0;
    others += strcmp(kernel->bound, "bandwidth") == 0 || strcmp(kernel->bound, "arithmetic") == 0;
    text_append(text, sizeof text, "%s%s has %.2g of the bandwidth and %.2g of the arithmetic: "
                "%s binds", i ? "; " : "", kernel->name, kernel->of_bandwidth,
                kernel->of_arithmetic, kernel->bound);
  }
  others -= alike;
  if (i < json_array_size(names))
    retrace_say(of, RETRACE_UNTESTABLE, "the roofs or the time of kernel %s are not known; "
                "'trireme bench --on=%s' measures the roofs",
                json_string_value(json_array_get(names, i)), row->who.benchmark.on);
  else
    retrace_say(of, alike == i ? RETRACE_REPRODUCED : others ? RETRACE_OPPOSITE : RETRACE_NOT_SEEN,
                "%s", text);
  profile_clear(&table);
}

/* Seconds of a call of the kernels of that name in a few steps of a row; NaN: unknown. */
static double kernel_seconds(retrace *all, const study_row *row, const char *name, size_t turn)
{
  profile_table table = {0};
  double seconds = 0;
  uint64_t calls = 0;
  if (profile_row_of(all, row, turn, &table) == TRM_OK)
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
void retrace_judge_kernel(retrace *all, retrace_claim *of)
{
  const json_t *claim = of->claim;
  const char *name = member_text(claim, "kernels");
  const retrace_limits limits = retrace_limits_of(claim);
  const study_row *row = retrace_row_of(all, of, member_text(claim, "row")),
                  *base = row ? retrace_row_of(all, of, member_text(claim, "base")) : NULL;
  double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0}, middle[2] = {0, 0};
  if (!row || !base) return;
  for (size_t turn = 0; turn < VERDICT_RUNS; turn++)
    for (int i = 0; i < 2; i++) {
      const double seconds = kernel_seconds(all, i ? base : row, name, turn);
      least[i] = fmin(least[i], seconds);
      most[i] = fmax(most[i], seconds);
      middle[i] += seconds / VERDICT_RUNS;
    }
  const double ratio = middle[1] / middle[0];
  const interval range = {least[1] / most[0], most[1] / least[0],
                          separation_confidence(VERDICT_RUNS, VERDICT_RUNS)};
  if (isnan(ratio)) {
    retrace_say(of, RETRACE_UNTESTABLE, "no time of kernel %s is known", name);
    return;
  }
  const retrace_verdict verdict = retrace_limit(&limits, ratio, &range);
  retrace_say(of, verdict, "%sthe speed of %.*s in row '%s' over that in '%s': %s",
              verdict == RETRACE_REPRODUCED ? "" : "unexplained: ",
              (int)strcspn(name, "*"), name, member_text(claim, "row"), member_text(claim, "base"),
              RETRACE_RATIO(ratio, range.low, range.high));
  const double launch = all->of.roofs[row->group].launch_plain.median;
  if (launch > 0 && middle[0] < 3 * launch)
    text_append(of->reason, sizeof of->reason, "; a call takes %s \u00b5s, and a launch %s",
                RETRACE_NUMBER(1e6 * middle[0]), RETRACE_NUMBER(1e6 * launch));
}
