/* values.c - see values.h. */
#include "tests/solvers/values.h"

#include <stdlib.h>
#include <string.h>

static const trm_field *find(const trm_solver *solver, const char *name)
{
  for (size_t i = 0; i < solver->field_count; i++)
    if (strcmp(solver->fields[i].name, name) == 0) return &solver->fields[i];
  fail_msg("there is no field %s", name);
  return NULL;
}

double *solver_values(const trm_solver *solver, const char *name, size_t *count)
{
  const trm_field *field = find(solver, name);
  size_t all;
  TEST_OK(trm_field_elements(field, &all));
  double *values = malloc(all * sizeof *values);
  void *raw = malloc(all * trm_type_size(field->type));
  assert_true(values && raw);
  TEST_OK(trm_field_read(field, raw));
  for (size_t i = 0; i < all; i++)
    values[i] = field->type == TRM_TYPE_F64   ? ((const double *)raw)[i]
                : field->type == TRM_TYPE_F32 ? (double)((const float *)raw)[i]
                                              : (double)((const uint8_t *)raw)[i];
  free(raw);
  if (count) *count = all;
  return values;
}
