/* comparison_difference.c - the fields and series of a run against those of its reference.
 *
 * They are matched by name. Single against double precision is compared as double. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/comparison.h"

/* ---- fields and series as arrays --------------------------------------------- */

static size_t array_count(const session *run)
{
  return run->solver->field_count + run->series_count;
}

/* A series as an array of the type that it was computed in, so that an ULP means what it says. */
static trm_status series_array(const session *run, size_t index, trm_array *out)
{
  const trm_series *series = &run->solver->series[index];
  const size_t count = (size_t)run->steps_done;
  void *data = malloc(count * trm_type_size(series->type) + 1);
  if (!data) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the series '%s'", series->name);
  for (size_t k = 0; k < count; k++) {
    if (series->type == TRM_TYPE_F64) ((double *)data)[k] = run->series[index][k];
    else ((float *)data)[k] = (float)run->series[index][k];
  }
  *out = (trm_array){series->name, series->unit, series->type, 1, count, 1, 1, data};
  return TRM_OK;
}

/* Array `index` of a run: its fields, then its series. The name is a copy: a solver may go. */
static trm_status read_array(session *run, size_t index, kept_array *out)
{
  const size_t fields = run->solver->field_count;
  *out = (kept_array){.is_series = index >= fields};
  TRM_TRY(out->is_series ? series_array(run, index - fields, &out->array)
                         : session_read(run, index, &out->array));
  out->terms = out->is_series ? run->solver->series[index - fields].terms
                              : run->solver->fields[index].terms;
  snprintf(out->name, sizeof out->name, "%s", out->array.name);
  return TRM_OK;
}

trm_status kept_run_take(session *run, kept_run *out)
{
  out->arrays = calloc(array_count(run) + 1, sizeof *out->arrays);
  if (!out->arrays) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the reference");
  for (; out->count < array_count(run); out->count++) {
    kept_array *kept = &out->arrays[out->count];
    TRM_TRY(read_array(run, out->count, kept));
    kept->array.name = kept->name;
    kept->array.unit = "";
  }
  return TRM_OK;
}

void kept_run_free(kept_run *kept)
{
  for (size_t i = 0; i < kept->count; i++) free((void *)kept->arrays[i].array.data);
  free(kept->arrays);
  *kept = (kept_run){0};
}

static const kept_array *find(const kept_run *kept, const kept_array *like)
{
  for (size_t i = 0; i < kept->count; i++)
    if (kept->arrays[i].is_series == like->is_series &&
        strcmp(kept->arrays[i].name, like->name) == 0)
      return &kept->arrays[i];
  return NULL;
}

/* ---- differences --------------------------------------------------------------- */

static int is_real(trm_type type) { return type == TRM_TYPE_F32 || type == TRM_TYPE_F64; }

/* The array with its values as f64. */
static trm_status widen(const trm_array *from, trm_array *out)
{
  size_t count, bytes;
  TRM_TRY(trm_array_elements(from, &count));
  TRM_TRY(trm_size_mul(count, sizeof(double), from->name, &bytes));
  double *data = malloc(bytes);
  if (!data) return TRM_FAIL(NO_HOST_MEMORY, "no memory to compare '%s'", from->name);
  for (size_t i = 0; i < count; i++) data[i] = trm_array_value(from, i);
  *out = *from;
  out->type = TRM_TYPE_F64;
  out->data = data;
  return TRM_OK;
}

static trm_status compare_mixed(const trm_array *reference, const trm_array *array,
                                trm_difference *out)
{
  trm_array a = {0}, b = {0};
  trm_status status = widen(reference, &a);
  if (status == TRM_OK) status = widen(array, &b);
  if (status == TRM_OK) status = trm_difference_compute(&a, &b, out);
  free((void *)a.data);
  free((void *)b.data);
  return status;
}

static void add_growth(const trm_array *a, const trm_array *b, uint64_t step, field_difference *out)
{
  const double x = trm_array_value(a, (size_t)step - 1), y = trm_array_value(b, (size_t)step - 1);
  const double largest = out->difference.largest;
  growth_point *point = &out->growth[out->growth_count++];
  *point = (growth_point){.step = step, .absolute = isnan(x) && isnan(y) ? 0.0 : fabs(x - y)};
  point->scaled = point->absolute == 0.0 ? 0.0 : point->absolute / largest;
}

static void find_growth(const trm_array *a, const trm_array *b, field_difference *out)
{
  const uint64_t last = a->nx;
  for (uint64_t step = 1; step < last && out->growth_count + 1 < GROWTH_LIMIT; step *= 10)
    add_growth(a, b, step, out);
  add_growth(a, b, last, out);
}

static int has_shape(const trm_array *a, const trm_array *b)
{
  return a->components == b->components && a->nx == b->nx && a->ny == b->ny && a->nz == b->nz;
}

/* Single against double precision has a map, as double, and distances that mean nothing. */
static trm_status find_spread(const trm_array *reference, const trm_array *array,
                              field_difference *out)
{
  trm_array a = {0}, b = {0};
  out->spread = malloc(sizeof *out->spread);
  if (!out->spread) return TRM_FAIL(NO_HOST_MEMORY, "no memory to compare '%s'", array->name);
  if (!out->is_mixed) return trm_spread_compute(reference, array, out->spread);
  trm_status status = widen(reference, &a);
  if (status == TRM_OK) status = widen(array, &b);
  if (status == TRM_OK) status = trm_spread_compute(&a, &b, out->spread);
  free((void *)a.data);
  free((void *)b.data);
  return status;
}

/* Whether two series are components of one vector: force_x and force_y. */
static int is_of_vector(const kept_array *a, const kept_array *b)
{
  const size_t length = strlen(a->name);
  return a->is_series && b->is_series && length > 2 && strlen(b->name) == length &&
         a->name[length - 2] == '_' && strchr("xyz", a->name[length - 1]) &&
         strchr("xyz", b->name[length - 1]) && strncmp(a->name, b->name, length - 1) == 0;
}

/* The size with which a difference in fast arithmetic is compared: the largest value, or the terms
 * of a sum or a difference. The other components of a vector count too. */
static double size_of(const kept_run *all, const kept_array *of, const trm_difference *found)
{
  double size = fmax(found->largest, of->terms);
  for (size_t i = 0; i < all->count; i++) {
    const kept_array *other = &all->arrays[i];
    for (size_t k = 0; is_of_vector(of, other) && k < other->array.nx; k++) {
      const double value = fabs(trm_array_value(&other->array, k));
      if (isfinite(value)) size = fmax(size, value);
    }
  }
  return size;
}

static trm_status compare(const comparison_row *one, const kept_run *all, const kept_array *first,
                          const trm_array *array, field_difference *out)
{
  const trm_array *reference = &first->array;
  if (!has_shape(reference, array) || (array->type != reference->type &&
                                       !(is_real(array->type) && is_real(reference->type)))) {
    snprintf(out->missing, sizeof out->missing, "%zu x %zu x %zu values against %zu x %zu x %zu",
             array->nz, array->ny, array->nx, reference->nz, reference->ny, reference->nx);
    if (out->is_series)
      snprintf(out->missing, sizeof out->missing, "%zu steps against %zu", array->nx,
               reference->nx);
    return TRM_OK;
  }
  out->agrees = array->nx == 0; /* a series without steps */
  if (out->agrees) return TRM_OK;
  out->is_mixed = array->type != reference->type;
  TRM_TRY(out->is_mixed ? compare_mixed(reference, array, &out->difference)
                        : trm_difference_compute(reference, array, &out->difference));
  if (out->is_series) find_growth(reference, array, out);
  else if (out->difference.differing > 0) TRM_TRY(find_spread(reference, array, out));
  const trm_difference *d = &out->difference;
  out->agrees = d->differing == 0 || (one->tolerance > 0 && is_real(array->type) &&
                                      d->not_finite == 0 &&
                                      d->absolute <= one->tolerance * size_of(all, first, d));
  return TRM_OK;
}

static field_difference *add(comparison_row *one, const kept_array *of)
{
  field_difference *added = &one->differences[one->difference_count++];
  *added = (field_difference){.is_series = of->is_series};
  snprintf(added->name, sizeof added->name, "%s", of->name);
  return added;
}

static trm_status compare_all(const kept_run *kept, comparison_row *one, session *run)
{
  for (size_t i = 0; i < array_count(run); i++) {
    kept_array array;
    TRM_TRY(read_array(run, i, &array));
    field_difference *added = add(one, &array);
    const kept_array *reference = find(kept, &array);
    trm_status status = TRM_OK;
    if (reference) status = compare(one, kept, reference, &array.array, added);
    else snprintf(added->missing, sizeof added->missing, "the reference has none");
    free((void *)array.array.data);
    TRM_TRY(status);
  }
  const size_t own = one->difference_count;
  for (size_t i = 0; i < kept->count; i++) {
    size_t k = 0;
    while (k < own && (one->differences[k].is_series != kept->arrays[i].is_series ||
                       strcmp(one->differences[k].name, kept->arrays[i].name) != 0)) k++;
    if (k == own)
      snprintf(add(one, &kept->arrays[i])->missing, sizeof one->differences->missing,
               "only the reference has one");
  }
  return TRM_OK;
}

/* A field of the state against the kept one; NaN: it cannot be compared. */
typedef struct state_difference { double absolute, largest; } state_difference;

static trm_status compare_state(const kept_run *kept, session *run, size_t field,
                                state_difference *out)
{
  kept_array array;
  trm_difference found = {0};
  *out = (state_difference){(double)NAN, 0};
  if (!(run->solver->fields[field].flags & TRM_FIELD_KEPT)) return TRM_OK;
  TRM_TRY(read_array(run, field, &array));
  const kept_array *first = find(kept, &array);
  const int is_alike = first && has_shape(&first->array, &array.array) &&
                       is_real(array.array.type) && is_real(first->array.type);
  const trm_status status = is_alike ? compare_mixed(&first->array, &array.array, &found) : TRM_OK;
  free((void *)array.array.data);
  if (status == TRM_OK && is_alike) *out = (state_difference){found.absolute, found.largest};
  return status;
}

/* Components of a vector may be fields of their own, and one of them nothing but rounding: the
 * largest value is that of all fields of one unit. */
static double largest_of_unit(const trm_solver *solver, const state_difference *all, size_t field)
{
  double largest = 0;
  for (size_t i = 0; i < solver->field_count; i++)
    if (strcmp(solver->fields[i].unit, solver->fields[field].unit) == 0)
      largest = fmax(largest, all[i].largest);
  return largest;
}

trm_status kept_run_apart(const kept_run *kept, session *run, double *apart, char in[64])
{
  const trm_solver *solver = run->solver;
  state_difference *all = calloc(solver->field_count + 1, sizeof *all);
  trm_status status = all ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory to compare two runs");
  for (size_t i = 0; i < solver->field_count && status == TRM_OK; i++)
    status = compare_state(kept, run, i, &all[i]);
  *apart = (double)NAN;
  in[0] = 0;
  for (size_t i = 0; i < solver->field_count && status == TRM_OK; i++) {
    const double part = all[i].absolute == 0 ? 0 : all[i].absolute /
                                                   largest_of_unit(solver, all, i);
    if (isnan(part) || part <= *apart) continue;
    *apart = part;
    snprintf(in, 64, "%s", solver->fields[i].name);
  }
  free(all);
  return status;
}

trm_status comparison_take_result(comparison *all, size_t index, session *run)
{
  comparison_row *one = &all->rows[index], *reference = &all->rows[one->who.reference];
  if (one->who.reference != index && !reference->diverged[0]) {
    const size_t most = array_count(run) + reference->kept.count + 1;
    one->differences = calloc(most, sizeof *one->differences);
    if (!one->differences) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the differences");
    TRM_TRY(compare_all(&reference->kept, one, run));
    if (--reference->users == 0) kept_run_free(&reference->kept);
  }
  return one->users > 0 ? kept_run_take(run, &one->kept) : TRM_OK;
}
