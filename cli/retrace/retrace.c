/* retrace.c - the rows of a report: a case for each row of its tables, on each device. */
#include "cli/retrace/retrace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/listing.h"
#include "cli/retrace/reports.h"
#include "core/number.h"
#include "io/json_kept.h"
#include "run/text/json.h"
#include "run/text/members.h"
#include "run/text/text.h"

enum { MOST_HALVINGS = 10, PILOT_STEPS = 4, LEAST_SIDE = 16 };

/* A quick row is verified in this time; its timed runs take about half a second more. */
static const double quick_seconds = 1.5;

/* Seconds for the timed runs of all rows: a report takes minutes. */
static const double budget = 150, longest_run = 0.5, shortest_run = 0.02, quick_run = 0.1;

static trm_status no_memory(void) { return TRM_FAIL(NO_HOST_MEMORY, "no memory for the report"); }

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

static const json_t *tables_of(const retrace *all)
{
  return json_object_get(all->report, "tables");
}

/* A table's own word, or the report's. */
static const char *text_of(const retrace *all, const json_t *table, const char *name)
{
  const char *own = member_text(table, name);
  return *own ? own : member_text(all->report, name);
}

/* ---- sizes ----------------------------------------------------------------------- */

static double longest_side(const json_t *sides)
{
  const char *key;
  json_t *side;
  double most = 0;
  json_object_foreach((json_t *)sides, key, side) most = fmax(most, json_number_value(side));
  return most;
}

/* A side as it runs here; "multiple" of a table: a smaller side is one of that number. */
static long long side_here(const retrace *all, const json_t *sides, size_t table, double side)
{
  double here = ldexp(side, -(int)all->halvings[table]);
  const double of = member_number(json_array_get(tables_of(all), table), "multiple");
  if (all->shrink > 0) here = side * all->shrink / longest_side(sides);
  if (of > 0 && here < side) here = fmax(of, of * floor(here / of));
  return here < 1 ? 1 : (long long)here;
}

int retrace_size(const retrace *all, size_t table, char *text, size_t bytes)
{
  const json_t *sides = member(json_array_get(tables_of(all), table), "size");
  const char *key;
  json_t *side;
  int is_smaller = 0;
  size_t used = 0;
  text[0] = 0;
  json_object_foreach((json_t *)sides, key, side) {
    const long long here = side_here(all, sides, table, json_number_value(side));
    is_smaller |= (double)here < json_number_value(side);
    if (used < bytes)
      used += (size_t)snprintf(text + used, bytes - used, "%s%lld", used ? " x " : "", here);
  }
  return is_smaller;
}

/* ---- cases ----------------------------------------------------------------------- */

/* A list of settings of a row, one after the other; `text` is cut up by the caller. */
static char *settings_text(const retrace *all, size_t t, const json_t *row)
{
  text_stream stream;
  const json_t *table = json_array_get(tables_of(all), t), *sides = member(table, "size");
  char size[96];
  const char *key;
  json_t *side;
  FILE *out = text_begin(&stream);
  if (!out) return NULL;
  fprintf(out, "%s", text_of(all, table, "set"));
  if (retrace_size(all, t, size, sizeof size))
    fprintf(out, " %s", text_of(all, table, "smaller"));
  json_object_foreach((json_t *)sides, key, side)
    fprintf(out, " %s=%lld", key, side_here(all, sides, t, json_number_value(side)));
  fprintf(out, " %s", member_text(row, "set"));
  return text_end(&stream);
}

/* A value with the sides put in: "%x*0.25" is a quarter of the first side, "%y/500000" that number
 * divided by the second. malloc'd. */
static char *sized_text(const retrace *all, size_t t, const char *pattern)
{
  text_stream stream;
  double sides[RETRACE_SIDES] = {0};
  const json_t *list = member(json_array_get(tables_of(all), t), "size");
  const char *key;
  json_t *side;
  size_t count = 0;
  FILE *out = text_begin(&stream);
  json_object_foreach((json_t *)list, key, side)
    if (count < RETRACE_SIDES)
      sides[count++] = (double)side_here(all, list, t, json_number_value(side));
  for (const char *at = pattern; out && *at;) {
    const int axis = *at == '%' ? at[1] - 'x' : -1;
    if (axis < 0 || axis >= RETRACE_SIDES) {
      fputc(*at++, out);
      continue;
    }
    char *end;
    const double number = trm_number(at + 3, &end);
    fprintf(out, "%.9g", at[2] == '/' ? number / sides[axis] : number * sides[axis]);
    at = end;
  }
  return out ? text_end(&stream) : NULL;
}

enum { MOST_SIZED = 8 };

/* Settings of "sized", whose texts the caller frees. */
static trm_status add_sized(const retrace *all, size_t t, arguments *to, char *origin,
                            char *texts[MOST_SIZED])
{
  const char *key;
  json_t *value;
  size_t count = 0;
  json_t *sized = json_object_get(json_array_get(tables_of(all), t), "sized");
  if (!sized) sized = json_object_get(all->report, "sized");
  json_object_foreach(sized, key, value) {
    if (count == MOST_SIZED) break;
    texts[count] = sized_text(all, t, json_string_value(value));
    if (!texts[count]) return no_memory();
    to->settings[to->setting_count++] = (setting){(char *)key, texts[count++], origin,
                                                  TRM_RANK_OPTION};
  }
  return TRM_OK;
}

/* The first key of a list that the case's solver does not have: a variant of a later version. */
static int lacks_key(const char *list, const trm_config *config, char *key, size_t bytes)
{
  for (const char *at = list; *at;) {
    at += strspn(at, " ");
    const size_t length = strcspn(at, "= ");
    snprintf(key, bytes, "%.*s", (int)length, at);
    if (length > 0 && !trm_config_present_key(config, key)) return 1;
    at += strcspn(at, " ");
  }
  return 0;
}

/* The keys of the case's solver. */
static trm_status read_keys(const char *name, trm_config **out)
{
  const trm_solver_type *type;
  TRM_TRY(case_solver(name, &type));
  return case_keys(type, out);
}

/* The case of a row. A row of a later version, or one that is refused here, has a reason in
 * `missing`, and *has_case is 0. */
static trm_status create_row(retrace *all, size_t t, const json_t *row, variation *out,
                             int *has_case, char *missing, size_t bytes)
{
  enum { ROOM = 64 };
  char origin[160], key[96], *operands[1], *texts[MOST_SIZED] = {NULL};
  const json_t *table = json_array_get(tables_of(all), t);
  const size_t given = all->of.args->setting_count;
  arguments args = *all->of.args;
  trm_config *keys = NULL;
  char *name = strdup(text_of(all, table, "case")), *list = settings_text(all, t, row);
  *out = (variation){0};
  *has_case = 0;
  snprintf(origin, sizeof origin, "row '%s' of table '%s'", member_text(row, "row"),
           member_text(table, "id"));
  args.settings = calloc(given + ROOM, sizeof *args.settings);
  trm_status status = name && list && args.settings ? TRM_OK : no_memory();
  if (status == TRM_OK) status = read_keys(name, &keys);
  if (status == TRM_OK && lacks_key(list, keys, key, sizeof key)) {
    snprintf(missing, bytes, "no such variant yet (%s)", key);
  } else if (status == TRM_OK) {
    if (given) memcpy(args.settings, all->of.args->settings, given * sizeof *args.settings);
    operands[0] = name;
    args.operands = operands;
    args.operand_count = 1;
    status = add_sized(all, t, &args, origin, texts);
    if (status == TRM_OK) status = study_add_settings(&args, list, origin);
    if (status == TRM_OK) status = study_check_own(&args, given, keys);
    args.on = NULL;            /* devices come from the list of this study */
    const trm_status refused = status == TRM_OK ? variation_create(&args, out) : TRM_OK;
    if (refused == TRM_ERROR_INPUT)
      snprintf(missing, bytes, "%.*s", (int)bytes - 1, trm_error_last()->text);
    else if (status == TRM_OK) status = refused;
    *has_case = status == TRM_OK && refused == TRM_OK;
  }
  for (size_t i = 0; i < MOST_SIZED; i++) free(texts[i]);
  trm_config_destroy(&keys);
  free(args.settings);
  free(list);
  free(name);
  return status;
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
  if (!devices || !infos) return no_memory();
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
static int is_wanted_on(const retrace *all, const json_t *table, const json_t *row, size_t device)
{
  const char *on = member_text(row, "on");
  if (!*on) on = member_text(table, "on");
  return !*on || (strcmp(on, "host") == 0) == (all->infos[device].is_host != 0);
}

/* ---- quick --------------------------------------------------------------------------- */

/* Seconds of a step of this case on this device. */
static trm_status pilot(retrace *all, const run_case *chosen, size_t device, double *seconds)
{
  session run;
  trm_device *opened = NULL;
  run_case shortened = *chosen;
  shortened.settings.steps = PILOT_STEPS;
  shortened.settings.roof = 0;
  TRM_TRY(case_open_on(chosen, all->of.devices.context, all->devices[device], "--on", &opened));
  trm_status status = candidate_begin(&run, &shortened, opened, NULL);
  if (status == TRM_OK) status = session_run(&run);
  if (status == TRM_OK) *seconds = run.times.loop / PILOT_STEPS;
  session_end(&run);
  trm_device_close(&opened);
  return status;
}

/* Seconds of a step of the table's first row that can run on this device. 0: no row can;
 * infinite: the row failed. */
static trm_status first_step(retrace *all, size_t t, size_t device, double *seconds)
{
  const json_t *table = json_array_get(tables_of(all), t), *row;
  size_t r;
  char missing[16];
  int has_case = 0;
  trm_status status = TRM_OK;
  *seconds = 0;
  json_array_foreach(json_object_get(table, "rows"), r, row) {
    variation cases = {0};
    if (has_case || !is_wanted_on(all, table, row, device)) continue;
    status = create_row(all, t, row, &cases, &has_case, missing, sizeof missing);
    const trm_status made = status == TRM_OK && has_case
                              ? pilot(all, &cases.cases[0], device, seconds) : status;
    if (made == TRM_ERROR_INTERRUPTED || made == TRM_ERROR_NO_HOST_MEMORY) status = made;
    else if (made != TRM_OK) *seconds = INFINITY; /* its refusal is that of the row */
    variation_clear(&cases);
    if (status != TRM_OK) break;
  }
  return status;
}

/* On any device, at the table's present size. */
static trm_status longest_step(retrace *all, size_t t, double *longest)
{
  double seconds;
  *longest = 0;
  for (size_t d = 0; d < all->device_count; d++) {
    TRM_TRY(first_step(all, t, d, &seconds));
    *longest = fmax(*longest, seconds);
  }
  return TRM_OK;
}

/* How many halvings fewer a row allows that is verified in the time of a quick one; small grids,
 * whose steps are all launches, foresee too few. */
static size_t spare_halvings(double step, double cost, size_t most)
{
  const double spare = floor(log2(quick_seconds / (step * STUDY_VERIFIED_STEPS)) / cost);
  return !(spare > 0) ? 0 : spare < (double)most ? (size_t)spare : most;
}

static const char *family_of(const retrace *all, const json_t *table)
{
  const char *family = text_of(all, table, "family");
  return *family ? family : member_text(table, "id");
}

/* Tables of one family must agree in their bits, so that they have one size: that of the first. */
static int share_halvings(retrace *all, size_t t)
{
  const json_t *table = json_array_get(tables_of(all), t);
  for (size_t u = 0; u < t; u++) {
    const json_t *other = json_array_get(tables_of(all), u);
    if (strcmp(family_of(all, other), family_of(all, table)) != 0) continue;
    all->halvings[t] = all->halvings[u];
    return 1;
  }
  return 0;
}

/* Halves every side until a row is verified in the time of a quick one. The smallest grid is tried
 * first, then larger ones. */
static trm_status choose_halvings(retrace *all, size_t t)
{
  const json_t *table = json_array_get(tables_of(all), t), *sides = member(table, "size"), *side;
  const double own = member_number(table, "least"), least = isfinite(own) ? own : LEAST_SIDE;
  const double power = member_number(table, "cost");
  const double cost = (isfinite(power) ? power : 1) * (double)json_object_size(sides);
  size_t *halvings = &all->halvings[t], spare;
  if (share_halvings(all, t)) return TRM_OK;
  const char *key;
  double step = 0;
  *halvings = MOST_HALVINGS;
  json_object_foreach((json_t *)sides, key, side)
    while (*halvings > 0 && ldexp(json_number_value(side), -(int)*halvings) < least) --*halvings;
  do {
    if (*halvings == 0) return TRM_OK;
    TRM_TRY(longest_step(all, t, &step));
    if (!(step > 0)) *halvings = 0; /* no row can run: the size as published */
    if (*halvings == 0) return TRM_OK;
    spare = spare_halvings(step, cost, *halvings);
    *halvings -= spare;
  } while (spare > 0);
  return TRM_OK;
}

/* An interrupted study keeps its own halvings. */
static trm_status list_halvings(retrace *all, const char *folder)
{
  json_t *document = NULL, *kept = json_array();
  const size_t tables = json_array_size(tables_of(all));
  all->halvings = calloc(tables + 1, sizeof *all->halvings);
  if (!all->halvings) return no_memory();
  if (*folder) TRM_TRY(study_document(folder, &document));
  const json_t *before = json_object_get(document, "halvings");
  trm_status status = TRM_OK;
  for (size_t t = 0; t < tables && status == TRM_OK; t++) {
    const json_int_t was = json_integer_value(json_array_get(before, t));
    if (json_array_size(before) == tables)
      all->halvings[t] = was < 0 || was > MOST_HALVINGS ? 0 : (size_t)was;
    else if (all->of.args->quick && !(all->shrink > 0)) status = choose_halvings(all, t);
    json_array_append_new(kept, json_integer((json_int_t)all->halvings[t]));
  }
  json_decref(document);
  all->of.halvings = kept;
  return status;
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

/* One row of a table on a device; cases NULL: it cannot run, for the reason that the entry has. */
static trm_status add_entry(retrace *all, retrace_entry *entry, const variation *cases,
                            const trm_implementation *form)
{
  study_row row = {.implementation = form, .group = all->of.group_count};
  entry->is_elsewhere = !is_wanted_on(all, entry->table, entry->row, entry->device);
  if (entry->is_elsewhere)
    snprintf(entry->missing, sizeof entry->missing, "%s", all->infos[entry->device].is_host
             ? "a row of GPUs" : "a row of processors");
  if (entry->is_elsewhere) return TRM_OK;
  if (!cases) return TRM_OK;
  const trm_status status = candidate_create(cases, 0, all->devices[entry->device], "--on",
                                             &all->of.devices, &row.who);
  if (status == TRM_ERROR_NO_HOST_MEMORY) return status;
  if (status != TRM_OK) {
    snprintf(entry->missing, sizeof entry->missing, "%.399s", trm_error_last()->text);
    return TRM_OK;
  }
  row.who.implementation = form->name;
  row.family = family_of(all, entry->table);
  entry->at = (long)all->of.row_count;
  return study_add_row(&all->of, &row);
}

/* A row of a table, once for each device. */
typedef struct table_row { int has_case; char missing[400]; } table_row;

/* A case and a form for each row of a table. */
static trm_status create_rows(retrace *all, size_t t, table_row *made)
{
  const json_t *table = json_array_get(tables_of(all), t), *row;
  size_t r;
  json_array_foreach(json_object_get(table, "rows"), r, row) {
    const size_t at = all->of.variation_count++;
    snprintf(all->names[at], sizeof *all->names, "%s:%s", member_text(table, "id"),
             member_text(row, "row"));
    all->list[at] = (trm_implementation){all->names[at], member_text(row, "set"),
                                         member_text(row, "what"), saves_of(row)};
    TRM_TRY(create_row(all, t, row, &all->of.variations[at], &made[r].has_case, made[r].missing,
                       sizeof made[r].missing));
  }
  return TRM_OK;
}

static trm_status add_table(retrace *all, size_t t)
{
  const json_t *table = json_array_get(tables_of(all), t), *rows = json_object_get(table, "rows"),
               *row;
  const size_t first = all->of.variation_count;
  size_t r;
  table_row *made = calloc(json_array_size(rows) + 1, sizeof *made);
  trm_status status = made ? create_rows(all, t, made) : no_memory();
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
  json_array_foreach((json_t *)tables_of(all), t, table)
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
  const size_t rows = count_rows(all), tables = json_array_size(tables_of(all));
  all->of.variations = calloc(rows + 1, sizeof *all->of.variations);
  all->list = calloc(rows + 1, sizeof *all->list);
  all->names = calloc(rows + 1, sizeof *all->names);
  all->entries = calloc(rows * all->device_count + 1, sizeof *all->entries);
  if (!all->of.variations || !all->list || !all->names || !all->entries) return no_memory();
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
  TRM_TRY(list_halvings(all, folder_of(args)));
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
