/* report_match.c - whether rows belong together, in which keys they differ, and how their
 * speeds relate. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/report_data.h"
#include "run/measure/energy.h"
#include "run/text/members.h"
#include "run/text/text.h"

/* ---- one case? -------------------------------------------------------------------- */

static int begins(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

static int is_length(const char *key)
{
  return strcmp(key, "run.steps") == 0 || strcmp(key, "run.end_time") == 0;
}

/* Keys that say how, where, how exactly and for how long a run is carried out, not what is run. */
static int is_about_running(const char *key)
{
  return begins(key, "output.") || begins(key, "run.");
}

/* A study runs as many steps as it has time for, whatever the case says. */
static int is_study(const report_row *one) { return strcmp(one->file->kind, "study") == 0; }

/* Did the command that wrote the file vary this key itself? */
static int is_varied(const result_file *file, const char *key)
{
  const json_t *axis;
  size_t i;
  json_array_foreach((json_t *)member(file->document, "varied"), i, axis)
    if (strcmp(member_text(axis, "key"), key) == 0) return 1;
  return 0;
}

const char *report_row_value(const report_row *one, const char *key)
{
  const char *text = json_string_value(json_object_get(one->config, key));
  const char *slash = text && !strchr(text, '(') ? strrchr(text, '/') : NULL; /* of no formula */
  return slash ? slash + 1 : text;
}

/* Keys absent from either file compare equal. */
static int differs(const report_row *a, const report_row *b, const char *key)
{
  const char *x = report_row_value(a, key), *y = report_row_value(b, key);
  return x && y && strcmp(x, y) != 0;
}

/* "grid.nx 128 and 256, lbm.omega 1.7 and 1.8": what differs; "" where nothing does. */
static void find_differences(const report_row *a, const report_row *b, char *text, size_t bytes)
{
  const char *key;
  json_t *value;
  text[0] = 0;
  if (strcmp(a->solver, b->solver) != 0)
    text_append(text, bytes, "solver %s and %s", a->solver, b->solver);
  json_object_foreach(a->config, key, value) {
    (void)value;
    if (is_about_running(key) || is_varied(a->file, key) ||
        is_varied(b->file, key) || !differs(a, b, key) || report_row_key_goes_with_size(a, b, key))
      continue;
    text_append(text, bytes, "%s%s %s and %s", *text ? ", " : "", key, report_row_value(a, key),
                report_row_value(b, key));
  }
}

static trm_status check_cases(const report_data *all)
{
  char what[400];
  for (size_t i = 1; i < all->count && !all->is_mixed; i++)
    for (size_t k = 0; k < i; k++) {
      const report_row *a = &all->list[k], *b = &all->list[i];
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
static int machines_differ(const report_data *all)
{
  const char *name = "";
  for (size_t i = 0; i < all->count; i++) {
    const char *other = all->list[i].machine;
    if (*name && *other && strcmp(name, other) != 0) return 1;
    if (*other) name = other;
  }
  return 0;
}

static int key_differs(const report_data *all, const char *key)
{
  size_t first = 0;
  while (first < all->count && !report_row_value(&all->list[first], key)) first++;
  for (size_t i = first + 1; i < all->count; i++)
    if (differs(&all->list[i], &all->list[first], key)) return 1;
  return 0;
}

/* Does every change of this key come with another number of cells? */
static int key_sizes(const report_data *all, const char *key)
{
  if (is_about_running(key)) return 0;
  for (size_t i = 0; i < all->count; i++)
    for (size_t k = 0; k < i; k++) {
      const report_row *a = &all->list[i], *b = &all->list[k];
      if (differs(a, b, key) && a->of.cells == b->of.cells) return 0;
    }
  return 1;
}

/* Is a key of another size, and of nothing else? */
static int key_is_size(const report_data *all, const char *key)
{
  if (!key_sizes(all, key)) return 0;
  for (size_t i = 0; i < all->count; i++)
    for (size_t k = 0; k < i; k++)
      if (differs(&all->list[i], &all->list[k], key) &&
          !report_row_key_goes_with_size(&all->list[i], &all->list[k], key))
        return 0;
  return 1;
}

/* One whose size is not known, as of a run that diverged, may have any. */
int report_data_sizes_differ(const report_data *all)
{
  double cells = NAN;
  for (size_t i = 0; i < all->count; i++) {
    const double own = all->list[i].of.cells;
    if (isfinite(own) && isfinite(cells) && own != cells) return 1;
    if (isfinite(own)) cells = own;
  }
  return 0;
}

/* "128 x 128" of "128 x 128 cells" */
static void append_shape(report_row *one)
{
  char shape[sizeof one->of.shape];
  snprintf(shape, sizeof shape, "%s", one->of.shape);
  char *cells = strstr(shape, " cells");
  if (cells) *cells = 0;
  text_append(one->label, sizeof one->label, " %s", shape);
  text_append(one->team, sizeof one->team, " %s", shape);
  text_append(one->device_group, sizeof one->device_group, " %s", shape);
}

/* "omega=1.7", without the part before the dot; the precision and the like without a name. */
static void append_key(char *text, size_t bytes, const char *key, const char *value)
{
  const char *dot = strrchr(key, '.');
  if (strcmp(key, "run.precision") == 0 || strcmp(key, "run.math") == 0)
    text_append(text, bytes, " %s", value);
  else text_append(text, bytes, " %s=%s", dot ? dot + 1 : key, value);
}

/* Facts about a key, found before labels are made. */
enum { KEY_DIFFERS = 1, KEY_SIZES = 2, KEY_IS_SIZE = 4, KEY_CHANGES = 8 };

/* May it change the result? Where a command varied it, its file tells. */
static int key_changes(const report_data *all, const char *key)
{
  const json_t *axis;
  size_t k;
  for (size_t i = 0; i < all->file_count; i++)
    json_array_foreach((json_t *)member(all->files[i].document, "varied"), k, axis)
      if (strcmp(member_text(axis, "key"), key) == 0)
        return !json_is_true(member(axis, "same_result"));
  return !begins(key, "run.") || strcmp(key, "run.precision") == 0 || strcmp(key, "run.math") == 0;
}

int report_row_same_work(const report_row *a, const report_row *b)
{
  return strcmp(a->work, b->work) == 0 && strcmp(a->of.precision, b->of.precision) == 0 &&
         strcmp(a->of.math, b->of.math) == 0;
}

int report_row_is_gpu(const report_row *one)
{
  return json_is_false(member(one->data, "device.host")) &&
         !is_processor(0, member_text(one->data, "device.driver"));
}

/* Not named in labels, unless it was varied: what files there are, and how long a run goes on. */
static int is_silent(const report_data *all, const char *key)
{
  for (size_t i = 0; i < all->file_count; i++)
    if (is_varied(&all->files[i], key)) return 0;
  return begins(key, "output.") || strcmp(key, "run.roof") == 0 || is_length(key);
}

/* Every key that a label may name, with that; the caller's. */
static json_t *examine_keys(const report_data *all)
{
  json_t *keys = json_object(), *looked = json_object();
  const char *key;
  json_t *value;
  for (size_t i = 0; i < all->count; i++) json_object_update_missing(keys, all->list[i].config);
  json_object_foreach(keys, key, value) {
    if (strcmp(key, "run.backend") == 0 || is_silent(all, key) || !key_differs(all, key)) continue;
    const int about = KEY_DIFFERS | (key_sizes(all, key) ? KEY_SIZES : 0) |
                      (key_is_size(all, key) ? KEY_IS_SIZE : 0) |
                      (key_changes(all, key) ? KEY_CHANGES : 0);
    json_object_set_new(looked, key, json_integer(about));
  }
  json_decref(keys);
  return looked;
}

/* A run that was made for its profile, beside a comparison on the same device. */
static int is_aside(const report_data *all, const report_row *one)
{
  if (!member(one->data, "profile")) return 0;
  for (const report_row *other = all->list; other < one; other++)
    if (other->file != one->file && other->of.cells == one->of.cells &&
        strcmp(other->place, one->place) == 0)
      return 1;
  return 0;
}

static void make_label(const report_data *all, json_t *keys, report_row *one, int with_machine)
{
  const char *key;
  json_t *value;
  const size_t bytes = sizeof one->label;
  const int named = with_machine && one->machine[0];
  snprintf(one->place, sizeof one->place, "%.40s%s%s", named ? one->machine : "", named ? " " : "",
           one->of.id);
  if (begins(one->of.id, "devices:") && one->of.on[0] && !json_object_get(keys, "run.devices"))
    text_append(one->place, sizeof one->place, " %s", one->of.on); /* no key tells which */
  snprintf(one->label, bytes, "%s", one->place);
  snprintf(one->series, bytes, "%s", one->place);
  snprintf(one->team, bytes, "%s", one->place);
  snprintf(one->device_group, bytes, "%.40s%s%.80s", named ? one->machine : "", named ? " " : "",
           one->name);
  const int has_shape = one->of.shape[0] && report_data_sizes_differ(all);
  if (has_shape) append_shape(one);
  json_object_foreach(keys, key, value) {
    const json_int_t about = json_integer_value(value);
    const int is_threads = strcmp(key, "run.threads") == 0;
    const char *text = report_row_value(one, key);
    if (!text || (is_threads && !one->of.is_host) || (has_shape && (about & KEY_IS_SIZE))) continue;
    append_key(one->label, bytes, key, text);
    if (!(about & KEY_SIZES)) append_key(one->series, bytes, key, text);
    if (!(about & KEY_SIZES) && (about & KEY_CHANGES)) append_key(one->work, bytes, key, text);
    if (!is_threads) append_key(one->team, bytes, key, text);
    if (strcmp(key, "run.devices") != 0) append_key(one->device_group, bytes, key, text);
  }
  one->is_aside = is_aside(all, one);
  if (one->is_aside) text_append(one->label, bytes, " profile");
}

/* Rows with equal labels get numbers, from the second on: "cuda:0 #2". "cuda:0 #2". */
static trm_status number_labels(report_data *all)
{
  int *numbers = calloc(all->count + 1, sizeof *numbers);
  if (!numbers) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the results");
  for (size_t i = 0; i < all->count; i++) {
    numbers[i] = 1;
    for (size_t k = 0; k < i; k++)
      if (strcmp(all->list[i].label, all->list[k].label) == 0) numbers[i] = numbers[k] + 1;
  }
  for (size_t i = 0; i < all->count; i++) {
    if (numbers[i] > 1)
      text_append(all->list[i].label, sizeof all->list[i].label, " #%d", numbers[i]);
  }
  free(numbers);
  return TRM_OK;
}

/* ---- runs of one case on one device --------------------------------------------------- */

int report_data_same_build(const json_t *a, const json_t *b)
{
  return strcmp(member_text(a, "build.flags"), member_text(b, "build.flags")) == 0 &&
         strcmp(member_text(a, "build.compiler"), member_text(b, "build.compiler")) == 0;
}

static int is_same_run(const report_row *a, const report_row *b)
{
  const char *key;
  json_t *value;
  if (strcmp(a->file->kind, "run") != 0 || strcmp(b->file->kind, "run") != 0 ||
      strcmp(a->machine, b->machine) != 0 || strcmp(a->of.id, b->of.id) != 0 ||
      strcmp(a->of.device, b->of.device) != 0 ||
      strcmp(a->of.fingerprint, b->of.fingerprint) != 0 ||
      strcmp(member_text(a->file->document, "trireme"),
             member_text(b->file->document, "trireme")) != 0 ||
      !report_data_same_build(a->file->document, b->file->document))
    return 0;
  json_object_foreach(a->config, key, value) {
    (void)value;
    if (!begins(key, "output.") && differs(a, b, key)) return 0;
  }
  return 1;
}

/* Joins them: the speeds become one sample. */
static trm_status join_runs(report_data *all)
{
  for (size_t i = 1; i < all->count; i++) {
    report_row *one = &all->list[i], *first = NULL;
    for (size_t k = 0; k < i && !first; k++)
      if (is_same_run(&all->list[k], one)) first = &all->list[k];
    if (!first) continue;
    for (size_t k = 0; k < one->of.run_count && first->of.run_count < BENCHMARK_RUNS; k++)
      TRM_TRY(benchmark_add(&first->of, one->of.rates[k], (double)NAN));
    first->rate = benchmark_rate(&first->of);
    json_decref(one->config);
    benchmark_clear(&one->of);
    memmove(one, one + 1, (all->count - i - 1) * sizeof *one);
    all->count--;
    i--;
  }
  return TRM_OK;
}

/* ---- ratios ------------------------------------------------------------------------------ */

/* Candidates of one file ran in turn, so that each round gives a ratio; others are held against
 * each other from worst to best. */
double report_row_ratio(const report_row *one, const report_row *base, interval *range, int *paired)
{
  const size_t count = one->of.run_count, other = base->of.run_count;
  const int is_interleaved = one->file == base->file && count == other && !one->of.has_gaps &&
                             !base->of.has_gaps;
  *range = (interval){NAN, NAN, NAN};
  if (paired) *paired = is_interleaved;
  if (count < 2 || other < 2) return one->rate.median / base->rate.median;
  if (is_interleaved) return benchmark_ratio(&one->of, &base->of, range).median;
  *range = (interval){one->rate.least / base->rate.most, one->rate.most / base->rate.least,
                      separation_confidence(count, other)};
  return one->rate.median / base->rate.median;
}

static void relate_to(const report_row *base, report_row *one)
{
  interval range;
  one->ratio = report_row_ratio(one, base, &range, &one->is_paired);
  one->ratio_low = range.low;
  one->ratio_high = range.high;
  one->confidence = range.confidence;
}

static void relate(report_data *all)
{
  for (size_t i = 0; i < all->count; i++) {
    report_row *one = &all->list[i];
    const int alone = is_study(one) || one->is_aside;
    while (one->base < i && (all->list[one->base].of.cells != one->of.cells ||
                             isnan(all->list[one->base].rate.median) ||
                             (alone && all->list[one->base].file != one->file)))
      one->base++;
    relate_to(&all->list[one->base], one);
  }
}

trm_status report_data_match(report_data *all)
{
  TRM_TRY(check_cases(all));
  TRM_TRY(join_runs(all));
  const int with_machine = machines_differ(all);
  json_t *keys = examine_keys(all);
  for (size_t i = 0; i < all->count; i++) make_label(all, keys, &all->list[i], with_machine);
  json_decref(keys);
  TRM_TRY(number_labels(all));
  relate(all);
  return TRM_OK;
}
