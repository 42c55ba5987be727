/* session_fields.c - a field of a run is read, and its values are looked at. */
#include "cli/run/session.h"

#include <math.h>
#include <stdlib.h>

#include "cli/measure/clock.h"
#include "cli/run/divergence.h"

static int are_finite(trm_type type, const void *values, size_t count)
{
  int all = 1;
  for (size_t i = 0; i < count; i++)
    all &= isfinite(type == TRM_TYPE_F64 ? ((const double *)values)[i]
                                         : (double)((const float *)values)[i]) != 0;
  return all;
}

/* *is_finite: every value is. */
static trm_status look_through(const trm_field *field, int *is_finite)
{
  enum { PART_BYTES = 4 << 20 };
  const size_t most = PART_BYTES / trm_type_size(field->type);
  const size_t cells = field->nx * field->ny * field->nz;
  void *part = malloc(PART_BYTES);
  trm_status status = part ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for a part of a field");
  *is_finite = 1;
  for (size_t c = 0; c < (size_t)field->components; c++)
    for (size_t first = 0, count; first < cells && status == TRM_OK; first += count) {
      count = cells - first < most ? cells - first : most;
      status = trm_field_read_part(field, c, first, count, part);
      if (status == TRM_OK) *is_finite &= are_finite(field->type, part, count);
    }
  free(part);
  return status;
}

trm_status session_check(session *run, size_t index)
{
  const trm_field *field = &run->solver->fields[index];
  const double begin = clock_now();
  int is_finite = 1;
  TRM_TRY(trm_field_require_whole(field, "an output"));
  if (field->type == TRM_TYPE_F32 || field->type == TRM_TYPE_F64)
    TRM_TRY(look_through(field, &is_finite));
  run->times.transfers += clock_now() - begin;
  if (is_finite) return TRM_OK;
  trm_array whole = {0};
  const trm_status status = session_read(run, index, &whole); /* which says where */
  free((void *)whole.data);
  return status;
}

trm_status session_read(session *run, size_t index, trm_array *array)
{
  const trm_field *field = &run->solver->fields[index];
  size_t elements, bytes;
  TRM_TRY(trm_field_elements(field, &elements));
  TRM_TRY(trm_field_require_whole(field, "an output"));
  TRM_TRY(trm_size_mul(elements, trm_type_size(field->type), field->name, &bytes));
  void *data = malloc(bytes);
  if (!data)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for field '%s' (%zu bytes)", field->name, bytes);
  const double begin = clock_now();
  trm_status status = trm_field_read(field, data);
  run->times.transfers += clock_now() - begin;
  const trm_array read = {field->name, field->unit, field->type, field->components,
                          field->nx, field->ny, field->nz, data};
  if (status == TRM_OK) status = divergence_check(run->solver, field, &read, run->steps_done);
  if (status != TRM_OK) {
    free(data);
    return status;
  }
  *array = read;
  return TRM_OK;
}
