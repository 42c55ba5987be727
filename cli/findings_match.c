/* findings_match.c - whether findings belong together, what tells them apart, and how their speeds
 * relate. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/findings.h"

/* ---- one case? -------------------------------------------------------------------- */

static int begins(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

/* Keys that say how, where and how exactly a run is carried out, not what is run. */
static int is_about_running(const char *key)
{
  return begins(key, "output.") || (begins(key, "run.") && strcmp(key, "run.steps") != 0 &&
                                    strcmp(key, "run.end_time") != 0);
}

/* Did the command that wrote the file vary this key itself? */
static int is_varied(const result_file *file, const char *key)
{
  const json_t *axis;
  size_t i;
  json_array_foreach((json_t *)member(file->document, "varied"), i, axis)
    if (strcmp(member_text(axis, "key"), key) == 0) return 1;
  return 0;
}

/* NULL where the file does not tell. A file's path is another on each machine; its name tells. */
static const char *value_of(const finding *one, const char *key)
{
  const char *text = json_string_value(json_object_get(one->config, key));
  const char *slash = text ? strrchr(text, '/') : NULL;
  return slash ? slash + 1 : text;
}

/* What is not told is not taken to differ. */
static int differs(const finding *a, const finding *b, const char *key)
{
  const char *x = value_of(a, key), *y = value_of(b, key);
  return x && y && strcmp(x, y) != 0;
}

/* "grid.nx 128 and 256, lbm.omega 1.7 and 1.8": what differs; "" where nothing does. */
static void find_differences(const finding *a, const finding *b, char *text, size_t bytes)
{
  const char *key;
  json_t *value;
  size_t used = 0;
  text[0] = 0;
  if (strcmp(a->solver, b->solver) != 0)
    used += (size_t)snprintf(text, bytes, "solver %s and %s", a->solver, b->solver);
  json_object_foreach(a->config, key, value) {
    (void)value;
    if (used >= bytes || is_about_running(key) || is_varied(a->file, key) ||
        is_varied(b->file, key) || !differs(a, b, key))
      continue;
    used += (size_t)snprintf(text + used, bytes - used, "%s%s %s and %s", used ? ", " : "", key,
                             value_of(a, key), value_of(b, key));
  }
}

static trm_status check_cases(const findings *all)
{
  char what[400];
  for (size_t i = 1; i < all->count && !all->is_mixed; i++) {
    const finding *a = &all->list[0], *b = &all->list[i];
    if (a->file == b->file) continue;
    find_differences(a, b, what, sizeof what);
    if (what[0])
      return TRM_FAIL(INPUT, "%s and %s are results of different cases: %s; --mixed puts them "
                      "into one report all the same", a->file->path, b->file->path, what);
  }
  return TRM_OK;
}

/* ---- labels --------------------------------------------------------------------------- */

/* One without a name may be any. */
static int machines_differ(const findings *all)
{
  const char *name = "";
  for (size_t i = 0; i < all->count; i++) {
    const char *other = all->list[i].machine;
    if (*name && *other && strcmp(name, other) != 0) return 1;
    if (*other) name = other;
  }
  return 0;
}

static int key_differs(const findings *all, const char *key)
{
  size_t first = 0;
  while (first < all->count && !value_of(&all->list[first], key)) first++;
  for (size_t i = first + 1; i < all->count; i++)
    if (differs(&all->list[i], &all->list[first], key)) return 1;
  return 0;
}

/* Does every change of this key come with another number of cells? */
static int key_sizes(const findings *all, const char *key)
{
  if (is_about_running(key)) return 0;
  for (size_t i = 0; i < all->count; i++)
    for (size_t k = 0; k < i; k++) {
      const finding *a = &all->list[i], *b = &all->list[k];
      if (differs(a, b, key) && a->cells == b->cells) return 0;
    }
  return 1;
}

static void append(char *text, size_t bytes, const char *between, const char *name,
                   const char *value)
{
  const size_t used = strlen(text);
  if (used + 1 < bytes)
    snprintf(text + used, bytes - used, "%s%s%s", used ? between : "", name, value);
}

/* "omega=1.7", without the part before the dot; the precision and the like without a name. */
static void append_key(char *text, size_t bytes, const char *key, const char *value)
{
  char name[64] = "";
  const char *dot = strrchr(key, '.');
  if (strcmp(key, "run.precision") != 0 && strcmp(key, "run.math") != 0)
    snprintf(name, sizeof name, "%s=", dot ? dot + 1 : key);
  append(text, bytes, " ", name, value);
}

/* keys: of all findings. */
static void make_label(const findings *all, json_t *keys, finding *one, int with_machine)
{
  const char *key;
  json_t *value;
  const size_t bytes = sizeof one->label;
  char *const all_three[] = {one->label, one->series, one->team};
  for (int i = 0; i < 3; i++) {
    all_three[i][0] = 0;
    if (with_machine && one->machine[0]) append(all_three[i], bytes, "", one->machine, "");
    append(all_three[i], bytes, " ", one->id, "");
  }
  json_object_foreach(keys, key, value) {
    (void)value;
    if (begins(key, "output.") || strcmp(key, "run.backend") == 0 ||
        strcmp(key, "run.ceiling") == 0 || !key_differs(all, key))
      continue;
    const char *text = value_of(one, key);
    if (!text) continue;
    append_key(one->label, bytes, key, text);
    if (!key_sizes(all, key)) append_key(one->series, bytes, key, text);
    if (strcmp(key, "run.threads") != 0) append_key(one->team, bytes, key, text);
  }
}

/* Those of one label get numbers, from the second on: "cuda:0 #2". */
static trm_status number_labels(findings *all)
{
  int *numbers = calloc(all->count + 1, sizeof *numbers);
  if (!numbers) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the results");
  for (size_t i = 0; i < all->count; i++) {
    numbers[i] = 1;
    for (size_t k = 0; k < i; k++)
      if (strcmp(all->list[i].label, all->list[k].label) == 0) numbers[i] = numbers[k] + 1;
  }
  for (size_t i = 0; i < all->count; i++) {
    char number[16];
    if (numbers[i] == 1) continue;
    snprintf(number, sizeof number, "#%d", numbers[i]);
    append(all->list[i].label, sizeof all->list[i].label, " ", number, "");
  }
  free(numbers);
  return TRM_OK;
}

/* ---- runs of one case on one device --------------------------------------------------- */

static int is_same_run(const finding *a, const finding *b)
{
  const char *key;
  json_t *value;
  if (strcmp(a->file->kind, "run") != 0 || strcmp(b->file->kind, "run") != 0 ||
      strcmp(a->machine, b->machine) != 0 || strcmp(a->id, b->id) != 0 ||
      strcmp(a->device, b->device) != 0 || strcmp(a->fingerprint, b->fingerprint) != 0 ||
      strcmp(member_text(a->file->document, "trireme"), member_text(b->file->document, "trireme")))
    return 0;
  json_object_foreach(a->config, key, value) {
    (void)value;
    if (!begins(key, "output.") && differs(a, b, key)) return 0;
  }
  return 1;
}

/* Joins them: the speeds become one sample. */
static void join_runs(findings *all)
{
  double order[FINDING_RUNS];
  for (size_t i = 1; i < all->count; i++) {
    finding *one = &all->list[i], *first = NULL;
    for (size_t k = 0; k < i && !first; k++)
      if (is_same_run(&all->list[k], one)) first = &all->list[k];
    if (!first) continue;
    for (size_t k = 0; k < one->rate_count && first->rate_count < FINDING_RUNS; k++)
      first->rates[first->rate_count++] = one->rates[k];
    first->rate = sample_of(first->rates, first->rate_count, order);
    json_decref(one->config);
    memmove(one, one + 1, (all->count - i - 1) * sizeof *one);
    all->count--;
    i--;
  }
}

/* ---- ratios ------------------------------------------------------------------------------ */

/* Contenders of one file ran in turn, so that each round gives a ratio; others are held against
 * each other from worst to best. */
static void relate_to(const finding *base, finding *one)
{
  double ratios[FINDING_RUNS], order[FINDING_RUNS];
  const size_t count = one->rate_count;
  one->ratio = one->rate.median / base->rate.median;
  one->ratio_low = one->ratio_high = one->confidence = NAN;
  if (count < 2 || base->rate_count < 2) return;
  if (one->file == base->file && count == base->rate_count) {
    for (size_t i = 0; i < count; i++) ratios[i] = one->rates[i] / base->rates[i];
    const interval range = median_interval(ratios, count, order);
    one->ratio = sample_of(ratios, count, order).median;
    one->ratio_low = range.low;
    one->ratio_high = range.high;
    one->confidence = range.confidence;
  } else {
    one->ratio_low = one->rate.least / base->rate.most;
    one->ratio_high = one->rate.most / base->rate.least;
  }
}

static void relate(findings *all)
{
  for (size_t i = 0; i < all->count; i++) {
    finding *one = &all->list[i];
    while (all->list[one->base].cells != one->cells && one->base < i) one->base++;
    relate_to(&all->list[one->base], one);
  }
}

trm_status findings_match(findings *all)
{
  TRM_TRY(check_cases(all));
  join_runs(all);
  const int with_machine = machines_differ(all);
  json_t *keys = json_object();
  for (size_t i = 0; i < all->count; i++) json_object_update_missing(keys, all->list[i].config);
  for (size_t i = 0; i < all->count; i++) make_label(all, keys, &all->list[i], with_machine);
  json_decref(keys);
  TRM_TRY(number_labels(all));
  relate(all);
  return TRM_OK;
}
