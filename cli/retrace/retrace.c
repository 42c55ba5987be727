/* retrace.c - the rows of a report: a case for each row of its tables, on each device. */
#include "cli/retrace/retrace_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/listing.h"
#include "cli/retrace/reports.h"
#include "core/number.h"
#include "io/json_kept.h"
#include "run/text/members.h"
#include "run/text/text.h"

/* Seconds for the timed runs of all rows: a report takes minutes. */
static const double budget = 150, longest_run = 0.5, shortest_run = 0.02, quick_run = 0.1;

trm_status retrace_no_memory(void)
{
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the report");
}

/* ---- reports --------------------------------------------------------------------- */

static trm_status refuse_name(const char *name)
{
  char names[160] = "";
  const char *list[16];
  size_t count = 0;
  for (; report_texts[count].name && count < 16; count++) {
    list[count] = report_texts[count].name;
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", count ? ", " : "",
             list[count]);
  }
  const char *nearest = trm_nearest_name(name, list, count);
  if (nearest)
    return TRM_FAIL(INPUT, "--retrace=%s: there is no such report; the nearest is '%s'", name,
                    nearest);
  return TRM_FAIL(INPUT, "--retrace=%s: there is no such report; choose one of %s", name, names);
}

trm_status retrace_read(const char *name, json_t **out)
{
  for (const report_text *one = report_texts; one->name; one++)
    if (strcmp(one->name, name) == 0)
      return trmi_json_parse(one->name, one->text, strlen(one->text), out);
  return refuse_name(name);
}

/* ---- devices ----------------------------------------------------------------------- */

static trm_status add_device(retrace *all, const char *spec)
{
  const trm_device_options plain = {.threads = 0};
  trm_device *device = NULL;
  char (*devices)[128] = realloc(all->devices, (all->device_count + 1) * sizeof *devices);
  if (devices) all->devices = devices;
  trm_device_info *infos = realloc(all->infos, (all->device_count + 1) * sizeof *infos);
  if (infos) all->infos = infos;
  if (!devices || !infos) return retrace_no_memory();
  TRM_TRY(device_open(all->of.devices.context, spec, &plain, "--on", &device));
  infos[all->device_count] = *trm_device_describe(device);
  trm_device_close(&device);
  snprintf(devices[all->device_count++], sizeof *devices, "%s", spec);
  return TRM_OK;
}

/* The host, and one GPU: CUDA's, else OpenCL's. */
static trm_status add_usual_devices(retrace *all)
{
  const trm_device_info *list = NULL, *host = NULL, *gpu = NULL;
  size_t count = 0;
  char spec[64];
  TRM_TRY(trm_device_list(all->of.devices.context, &list, &count));
  for (size_t i = 0; i < count; i++) {
    if (list[i].is_host && !host) host = &list[i];
    if (!list[i].is_host && (!gpu || (strcmp(list[i].backend, "cuda") == 0 &&
                                      strcmp(gpu->backend, "cuda") != 0)))
      gpu = &list[i];
  }
  const trm_device_info *const found[] = {host, gpu};
  for (size_t i = 0; i < 2; i++) {
    if (!found[i]) continue;
    snprintf(spec, sizeof spec, "%s:%zu", found[i]->backend, found[i]->index);
    TRM_TRY(add_device(all, spec));
  }
  if (all->device_count > 0) return TRM_OK;
  return TRM_FAIL(INPUT, "nothing to study: no backend is ready; 'trireme backends' says why");
}

static trm_status list_devices(retrace *all)
{
  char word[128];
  const char *rest = all->of.args->on;
  if (!rest) return add_usual_devices(all);
  while ((rest = list_next(rest, word, sizeof word))) TRM_TRY(add_device(all, word));
  return TRM_OK;
}

int retrace_is_emulated(const retrace *all, size_t device)
{
  return strstr(all->infos[device].driver, "Portable Computing") != NULL ||
         strstr(all->infos[device].driver, "PoCL") != NULL ||
         strstr(all->infos[device].driver, "pocl") != NULL;
}

/* "on": "gpu" or "host", of a row or its whole table. */
int retrace_is_wanted_on(const retrace *all, const json_t *table, const json_t *row, size_t device)
{
  const char *on = member_text(row, "on");
  if (!*on) on = member_text(table, "on");
  return !*on || (strcmp(on, "host") == 0) == (all->infos[device].is_host != 0);
}

/* ---- rows --------------------------------------------------------------------------- */

static unsigned saves_of(const json_t *row)
{
  static const char *const names[] = {"transfers", "launches", "bytes", "serial", "divergence",
                                      "passes", "fewer-bits", "other-method", "other-sums",
                                      "varying-bits"};
  unsigned saves = 0;
  char word[64];
  for (const char *rest = member_text(row, "saves"); *rest && (rest = list_next(rest, word,
                                                                               sizeof word));)
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
      if (strcmp(word, names[i]) == 0) saves |= 1u << i;
  return saves;
}

/* A row whose bits are its own has a bound: "tolerance"; "near", the row that it is compared
 * with, of its table or as "TABLE:ROW" of one before; and "near_steps", after how many steps. */
static void take_bound(const retrace *all, const retrace_entry *entry, study_row *row)
{
  char table[64];
  const char *near = member_text(entry->row, "near"), *colon = strchr(near, ':');
  snprintf(table, sizeof table, "%.*s", colon ? (int)(colon - near) : 63,
           colon ? near : member_text(entry->table, "id"));
  const retrace_entry *found = retrace_find(all, table, entry->device, colon ? colon + 1 : near);
  if (!*near || !found || found->at == RETRACE_NONE) return;
  row->near = (size_t)found->at;
  row->tolerance = member_number(entry->row, "tolerance");
  row->near_steps = (uint64_t)member_number(entry->row, "near_steps");
}

/* "devices": 8, of a row: the first eight devices of the backend share its grid. *is_there: 0 where
 * fewer are there, with the reason. */
static trm_status name_devices(const retrace *all, retrace_entry *entry, char *spec, size_t bytes,
                               int *is_there)
{
  const size_t wanted = (size_t)json_integer_value(json_object_get(entry->row, "devices"));
  const char *backend = all->infos[entry->device].backend;
  const trm_device_info *list = NULL;
  size_t count = 0, found = 0;
  snprintf(spec, bytes, "%s", all->devices[entry->device]);
  *is_there = 1;
  if (wanted == 0) return TRM_OK;
  TRM_TRY(trm_device_list(all->of.devices.context, &list, &count));
  spec[0] = 0;
  for (size_t i = 0; i < count && found < wanted; i++)
    if (strcmp(list[i].backend, backend) == 0)
      text_append(spec, bytes, "%s%s:%zu", found++ ? "," : "", backend, list[i].index);
  *is_there = found == wanted;
  if (!*is_there)
    snprintf(entry->missing, sizeof entry->missing, "%zu devices of %s are needed, and this "
             "machine has %zu", wanted, backend, found);
  return TRM_OK;
}

/* One row of a table on a device; cases NULL: it cannot run, for the reason that the entry has. */
static trm_status add_entry(retrace *all, retrace_entry *entry, const variation *cases,
                            const trm_implementation *form)
{
  study_row row = {.implementation = form, .group = all->of.group_count};
  entry->is_elsewhere = !retrace_is_wanted_on(all, entry->table, entry->row, entry->device);
  if (entry->is_elsewhere)
    snprintf(entry->missing, sizeof entry->missing, "%s", all->infos[entry->device].is_host
             ? "a row of GPUs" : "a row of processors");
  if (entry->is_elsewhere) return TRM_OK;
  if (!cases) return TRM_OK;
  char spec[256];
  int is_there;
  TRM_TRY(name_devices(all, entry, spec, sizeof spec, &is_there));
  if (!is_there) return TRM_OK;
  const trm_status status = candidate_create(cases, 0, spec, "--on", &all->of.devices, &row.who);
  if (status == TRM_ERROR_NO_HOST_MEMORY) return status;
  if (status != TRM_OK) {
    snprintf(entry->missing, sizeof entry->missing, "%.399s", trm_error_last()->text);
    return TRM_OK;
  }
  row.who.implementation = form->name;
  row.family = member_text(entry->row, "bits"); /* rows of one size whose bits are their own */
  if (!*row.family) row.family = retrace_family(all, entry->table);
  take_bound(all, entry, &row);
  entry->at = (long)all->of.row_count;
  return study_add_row(&all->of, &row);
}

/* A row of a table, once for each device. */
typedef struct table_row { int has_case; char missing[400]; } table_row;

/* A case and a form for each row of a table. */
static trm_status create_rows(retrace *all, size_t t, table_row *made)
{
  const json_t *table = json_array_get(retrace_tables(all), t), *row;
  size_t r;
  json_array_foreach(json_object_get(table, "rows"), r, row) {
    const size_t at = all->of.variation_count++;
    snprintf(all->names[at], sizeof *all->names, "%s:%s", member_text(table, "id"),
             member_text(row, "row"));
    all->list[at] = (trm_implementation){all->names[at], member_text(row, "set"),
                                         member_text(row, "what"), saves_of(row)};
    TRM_TRY(retrace_create_row(all, t, row, &all->of.variations[at], &made[r].has_case,
                               made[r].missing, sizeof made[r].missing));
  }
  return TRM_OK;
}

static trm_status add_table(retrace *all, size_t t)
{
  const json_t *table = json_array_get(retrace_tables(all), t);
  const json_t *rows = json_object_get(table, "rows"), *row;
  const size_t first = all->of.variation_count;
  size_t r;
  table_row *made = calloc(json_array_size(rows) + 1, sizeof *made);
  trm_status status = made ? create_rows(all, t, made) : retrace_no_memory();
  for (size_t d = 0; d < all->device_count && status == TRM_OK; d++, all->of.group_count++)
    json_array_foreach(rows, r, row) {
      retrace_entry *entry = &all->entries[all->entry_count++];
      *entry = (retrace_entry){.table = table, .row = row, .table_index = t, .device = d,
                               .at = RETRACE_NONE, .against = RETRACE_NONE};
      snprintf(entry->missing, sizeof entry->missing, "%s", made[r].missing);
      const variation *cases = made[r].has_case ? &all->of.variations[first + r] : NULL;
      if (status == TRM_OK) status = add_entry(all, entry, cases, &all->list[first + r]);
    }
  free(made);
  return status;
}

static size_t count_rows(const retrace *all)
{
  const json_t *table;
  size_t t, rows = 0;
  json_array_foreach((json_t *)retrace_tables(all), t, table)
    rows += json_array_size(json_object_get(table, "rows"));
  return rows;
}

/* No two groups are of the same table and device; a group without rows is left out. */
static void number_groups(study *of)
{
  size_t group = 0, last = SIZE_MAX;
  for (size_t i = 0; i < of->row_count; i++) {
    const size_t own = of->rows[i].group;
    if (i > 0 && own != last) group++;
    last = own;
    of->rows[i].group = group;
  }
  of->group_count = group + 1;
}

static trm_status list_rows(retrace *all)
{
  const size_t rows = count_rows(all), tables = json_array_size(retrace_tables(all));
  all->of.variations = calloc(rows + 1, sizeof *all->of.variations);
  all->list = calloc(rows + 1, sizeof *all->list);
  all->names = calloc(rows + 1, sizeof *all->names);
  all->entries = calloc(rows * all->device_count + 1, sizeof *all->entries);
  if (!all->of.variations || !all->list || !all->names || !all->entries) return retrace_no_memory();
  for (size_t t = 0; t < tables; t++) TRM_TRY(add_table(all, t));
  if (all->of.row_count == 0)
    return TRM_FAIL(INPUT, "--retrace=%s: none of its rows can run on these devices (%s); name "
                    "others with --on", all->of.args->retrace, all->entries[0].missing);
  number_groups(&all->of);
  return TRM_OK;
}

/* ---- the whole --------------------------------------------------------------------- */

static trm_status check_arguments(const arguments *args)
{
  if (args->ladder || args->vary_count > 0 || args->operand_count > 0)
    return TRM_FAIL(INPUT, "--retrace=%s: the report names its cases and keys; leave out %s",
                    args->retrace, args->ladder ? "--ladder" : args->vary_count > 0
                    ? "--vary" : "the case");
  return TRM_OK;
}

static trm_status read_shrink(const char *text, double *out)
{
  int64_t side;
  *out = 0;
  if (!text) return TRM_OK;
  if (trm_shape(text, &side, 1) != 1 || side < 1)
    return TRM_FAIL(INPUT, "--sizes=%s: a report takes one number, the cells of each table's "
                    "longest side, such as --sizes=64", text);
  *out = (double)side;
  return TRM_OK;
}

static double run_seconds(const retrace *all)
{
  const double each = budget / (double)(all->of.row_count * all->of.runs);
  if (all->of.args->seconds > 0) return all->of.args->seconds;
  if (all->of.args->quick) return quick_run;
  return fmin(longest_run, fmax(shortest_run, each));
}

static const char *folder_of(const arguments *args)
{
  const char *folder = "";
  for (size_t i = 0; i < args->setting_count; i++)
    if (strcmp(args->settings[i].key, "output.folder") == 0) folder = args->settings[i].text;
  return folder;
}

trm_status retrace_open(retrace *all, const arguments *args)
{
  char kind[64];
  *all = (retrace){.of.out.lock = -1};
  TRM_TRY(check_arguments(args));
  TRM_TRY(retrace_read(args->retrace, &all->report));
  TRM_TRY(study_begin(&all->of, args));
  all->of.is_ladder = 1;
  if (!args->runs) all->of.runs = VERDICT_RUNS;
  TRM_TRY(read_shrink(args->sizes, &all->shrink));
  TRM_TRY(listing_context(&all->of.devices.context));
  TRM_TRY(listing_start_drivers(all->of.devices.context));
  TRM_TRY(list_devices(all));
  TRM_TRY(retrace_list_halvings(all, folder_of(args)));
  TRM_TRY(list_rows(all));
  all->of.seconds = run_seconds(all);
  snprintf(kind, sizeof kind, "retrace %s%s", args->retrace, args->quick ? " quick" : "");
  return study_prepare(&all->of, kind);
}

void retrace_close(retrace *all)
{
  study_close(&all->of);
  json_decref(all->report);
  free(all->list);
  free(all->names);
  free(all->devices);
  free(all->infos);
  free(all->halvings);
  free(all->entries);
  free(all->claims);
  *all = (retrace){.of.out.lock = -1};
}
