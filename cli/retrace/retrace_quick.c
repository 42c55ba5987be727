/* retrace_quick.c - with --quick: sizes at which a report takes minutes, from a few steps of each
 * table. */
#include "cli/retrace/retrace_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/text/members.h"

enum { MOST_HALVINGS = 10, PILOT_STEPS = 4, LEAST_SIDE = 16 };

/* A quick row is verified in this time; its timed runs take about half a second more. */
static const double quick_seconds = 1.5;

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
  const json_t *table = json_array_get(retrace_tables(all), t), *row;
  size_t r;
  char missing[16];
  int has_case = 0;
  trm_status status = TRM_OK;
  *seconds = 0;
  json_array_foreach(json_object_get(table, "rows"), r, row) {
    variation cases = {0};
    if (has_case || !retrace_is_wanted_on(all, table, row, device)) continue;
    status = retrace_create_row(all, t, row, &cases, &has_case, missing, sizeof missing);
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

const char *retrace_family(const retrace *all, const json_t *table)
{
  const char *family = retrace_text(all, table, "family");
  return *family ? family : member_text(table, "id");
}

/* Tables of one family must agree in their bits, so that they have one size: that of the first. */
static int share_halvings(retrace *all, size_t t)
{
  const json_t *table = json_array_get(retrace_tables(all), t);
  for (size_t u = 0; u < t; u++) {
    const json_t *other = json_array_get(retrace_tables(all), u);
    if (strcmp(retrace_family(all, other), retrace_family(all, table)) != 0) continue;
    all->halvings[t] = all->halvings[u];
    return 1;
  }
  return 0;
}

/* Halves every side until a row is verified in the time of a quick one. The smallest grid is tried
 * first, then larger ones. */
static trm_status choose_halvings(retrace *all, size_t t)
{
  const json_t *table = json_array_get(retrace_tables(all), t);
  const json_t *sides = member(table, "size"), *side;
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
trm_status retrace_list_halvings(retrace *all, const char *folder)
{
  json_t *document = NULL, *kept = json_array();
  const size_t tables = json_array_size(retrace_tables(all));
  all->halvings = calloc(tables + 1, sizeof *all->halvings);
  if (!all->halvings) return retrace_no_memory();
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
