/* divergence.c - the search for the first value that is not finite, or not positive where it must
 * be.
 *
 * The time loop sees the series only at batch ends. So the run is repeated from its start (the bits
 * do not depend on batches), and stopped at the exact step, with a synchronised state. */
#include "run/divergence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Whether any component of a cell is bad; *component is the first. must_be_positive: 0 and less
 * are too. */
static int cell_is_bad(const trm_array *array, size_t cell, size_t cells, int must_be_positive,
                       int *component)
{
  for (int c = 0; c < array->components; c++) {
    const size_t index = (size_t)c * cells + cell;
    const double value = array->type == TRM_TYPE_F64 ? ((const double *)array->data)[index]
                                                     : (double)((const float *)array->data)[index];
    if (!isfinite(value) || (must_be_positive && value <= 0)) {
      *component = c;
      return 1;
    }
  }
  return 0;
}

/* ", a row of openmp:1 of rank 2", where several devices share the grid's rows. */
static void tell_owner(const trm_device *device, const trm_field *field, size_t row, char *text,
                       size_t bytes)
{
  const size_t count = trm_device_parts(device, 0, NULL);
  size_t rows = 0;
  trm_device_part *parts = calloc(count + 1, sizeof *parts);
  (void)trm_device_parts(device, parts ? count : 0, parts);
  for (size_t i = 0; parts && i < count; i++) rows += parts[i].rows;
  for (size_t i = 0; parts && i < count && rows == field->ny * field->nz; i++) {
    const trm_device_part *one = &parts[i];
    if (row < one->first || row >= one->first + one->rows) continue;
    snprintf(text, bytes, ", in a row of %s:%zu of rank %d", one->info->backend, one->info->index,
             one->rank);
  }
  free(parts);
}

/* The level of the leaf about a cell of the finest level, and how many of these its cells have
 * along an axis. */
static int level_of(const trm_field *field, const size_t at[3], size_t *times)
{
  const trm_blocks *b = field->blocks;
  int finest = 0;
  while (finest < 24 && field->nx > (size_t)b->side[0] * (size_t)b->roots[0] << finest) finest++;
  for (size_t i = 0; i < b->count; i++) {
    int is_in = 1;
    for (int a = 0; a < (b->side[2] == 1 ? 2 : 3); a++) {
      const size_t width = (size_t)b->side[a] << (finest - b->level[i]);
      is_in &= at[a] / width == (size_t)b->place[i][a];
    }
    *times = (size_t)1 << (finest - b->level[i]);
    if (is_in) return b->level[i];
  }
  return 0;
}

/* ", of level 2, about x = 0.5, y = 0.25" */
static void say_where(const trm_solver *solver, const trm_field *field, const size_t at[3],
                      char to[160])
{
  const int dimensions = field->nz > 1 ? 3 : 2;
  size_t times = 1;
  int length = 0;
  to[0] = '\0';
  if (field->blocks) {
    const int level = level_of(field, at, &times);
    length = snprintf(to, 160, ", of level %d", level);
  }
  for (int a = 0; a < dimensions && solver->spacing[a] > 0; a++) {
    const double middle = ((double)(at[a] / times) + 0.5) * (double)times * solver->spacing[a];
    length += snprintf(to + length, 160 - (size_t)length, "%s %c = %g", a ? "," : ", about",
                       "xyz"[a], solver->origin[a] + middle);
  }
}

static trm_status say_diverged(const trm_solver *solver, const trm_field *field, size_t cell,
                               int component, double value, uint64_t step)
{
  static const char usual[] = "make its steps shorter, its speeds lower or its grid finer";
  char where[96], which[48] = "", place[160] = "", owner[96] = "";
  const size_t at[3] = { cell % field->nx, cell / field->nx % field->ny,
                         cell / field->nx / field->ny };
  if (field->nz > 1) snprintf(where, sizeof where, "(%zu, %zu, %zu)", at[0], at[1], at[2]);
  else snprintf(where, sizeof where, "(%zu, %zu)", at[0], at[1]);
  if (field->components > 1) snprintf(which, sizeof which, ", component %d,", component);
  if (!(field->flags & TRM_FIELD_LIST)) say_where(solver, field, at, place);
  tell_owner(solver->device, field, at[1] + at[2] * field->ny, owner, sizeof owner);
  return TRM_FAIL(DIVERGED, "the run diverged: at step %llu field '%s'%s is %f in cell %s%s%s; "
                  "the case is unstable with these parameters; %s",
                  (unsigned long long)step, field->name, which, value, where, place, owner,
                  solver->remedy ? solver->remedy : usual);
}

static trm_status check_values(const trm_solver *solver, const trm_field *field,
                               const trm_array *array, size_t first, int must_be_positive,
                               uint64_t step)
{
  if (array->type != TRM_TYPE_F32 && array->type != TRM_TYPE_F64) return TRM_OK;
  const size_t cells = array->nx * array->ny * array->nz;
  for (size_t cell = 0; cell < cells; cell++) {
    int component = 0;
    if (cell_is_bad(array, cell, cells, must_be_positive, &component))
      return say_diverged(solver, field, first + cell, component,
                          trm_array_value(array, (size_t)component * cells + cell), step);
  }
  return TRM_OK;
}

trm_status divergence_check(const trm_solver *solver, const trm_field *field,
                            const trm_array *array, uint64_t step)
{
  return check_values(solver, field, array, 0, 0, step);
}

trm_status divergence_find(const trm_solver *solver, const trm_field *field, int must_be_positive,
                           uint64_t step)
{
  enum { MOST = 1 << 18 };
  const size_t cells = field->nx * field->ny * field->nz, size = trm_type_size(field->type);
  trm_status status = TRM_OK;
  unsigned char *values = malloc((size_t)field->components * MOST * size);
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a part of a field");
  for (size_t first = 0, count; first < cells && status == TRM_OK; first += count) {
    count = cells - first < MOST ? cells - first : MOST;
    const trm_array part = {field->name, field->unit, field->type, field->components,
                            count, 1, 1, values};
    for (size_t c = 0; c < (size_t)field->components && status == TRM_OK; c++)
      status = trm_field_read_part(field, c, first, count, values + c * count * size);
    if (status == TRM_OK) status = check_values(solver, field, &part, first, must_be_positive,
                                                step);
  }
  free(values);
  return status;
}

/* State fields come first: the next step is computed from them. */
static trm_status scan(session *run, int is_hashed)
{
  for (size_t i = 0; i < run->solver->field_count; i++) {
    if (((run->solver->fields[i].flags & TRM_FIELD_HASHED) != 0) != is_hashed) continue;
    TRM_TRY(session_check(run, i));
  }
  return TRM_OK;
}

static trm_status scan_positive(const session *run)
{
  for (size_t i = 0; i < run->solver->field_count; i++)
    if (run->solver->fields[i].flags & TRM_FIELD_POSITIVE)
      TRM_TRY(divergence_find(run->solver, &run->solver->fields[i], 1, run->steps_done));
  return TRM_OK;
}

trm_status divergence_locate(session *run, uint64_t step)
{
  const char *name = "", *of_sums = NULL;
  double value = 0;
  for (size_t i = 0; i < run->series_count; i++)
    if (!isfinite(run->series[i][step - 1])) {
      name = run->solver->series[i].name;
      value = run->series[i][step - 1];
      if (run->solver->series[i].type == TRM_TYPE_F32)
        of_sums = "f32 ends at 3.4e38: if that sum is beyond, choose --precision=f64 or other "
                  "units";
      break;
    }
  const trm_solver_type *type = run->chosen->type;
  type->destroy(&run->solver);
  TRM_TRY(type->create(run->device, run->chosen->config, &run->chosen->settings.solver,
                       &run->solver));
  run->steps_done = 0;
  run->ended = 0;
  TRM_TRY(session_walk(run, step, run->goal.time, NULL, NULL));
  if (run->steps_done < step)
    return TRM_FAIL(DIVERGED, "the run diverged: the series '%s' is %f at step %llu; the search "
                    "for the cell came to its end after step %llu", name, value,
                    (unsigned long long)step, (unsigned long long)run->steps_done);
  TRM_TRY(scan(run, 1));
  TRM_TRY(type->observe(run->solver));
  TRM_TRY(scan(run, 0));
  TRM_TRY(scan_positive(run));
  const char *remedy = run->solver->remedy ? run->solver->remedy : of_sums;
  return TRM_FAIL(DIVERGED,
                  "the run diverged: the series '%s' is %f at step %llu, while every cell of "
                  "every field is still finite there%s%s",
                  name, value, (unsigned long long)step, remedy ? "; " : "", remedy ? remedy : "");
}
