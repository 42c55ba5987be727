/* run_values.c - libtrireme-run: fields, series and numbers of a run. */
#include "run/run_parts.h"

#include <stdio.h>
#include <string.h>

#include "run/text/text.h"

enum { FIELD_NAMES = 64 };

static trm_status observe(trm_run *run)
{
  if (!run->session.solver) return run_repeat_failure(run);
  if (run->is_observed) return TRM_OK;
  TRM_TRY(run->chosen.type->observe(run->session.solver));
  run->is_observed = 1;
  return TRM_OK;
}

/* Results and fingerprint. */
trm_status run_finish(trm_run *run)
{
  TRM_TRY(run_repeat_failure(run));
  if (run->is_finished) return TRM_OK;
  TRM_TRY(session_finish(&run->session));
  run->is_observed = run->is_finished = 1;
  return TRM_OK;
}

/* names[i] of the solver's fields, series or results; stride: from one name to the next. */
static trm_status find_name(const trm_run *run, const char *noun, const char *name,
                            const void *first, size_t stride, size_t count, size_t *index)
{
  const char *names[FIELD_NAMES] = {0};
  size_t known = 0;
  for (size_t i = 0; i < count; i++) {
    const char *one = *(const char *const *)((const char *)first + i * stride);
    if (strcmp(one, name) == 0) {
      *index = i;
      return TRM_OK;
    }
    if (known < FIELD_NAMES) names[known++] = one;
  }
  const char *nearest = trm_nearest_name(name, names, known);
  if (nearest)
    return TRM_FAIL(NOT_FOUND, "solver '%s' has no %s '%s'; the nearest is '%s'",
                    run->chosen.type->name, noun, name, nearest);
  char list[512] = "";
  for (size_t i = 0; i < known; i++)
    text_append(list, sizeof list, "%s%s", i ? ", " : "", names[i]);
  return TRM_FAIL(NOT_FOUND, "solver '%s' has no %s '%s'; %s%s", run->chosen.type->name, noun, name,
                  known ? "it has: " : "it has none", list);
}

const trm_run_field *trm_run_field_at(const trm_run *run, size_t index)
{
  return run && index < run->info.field_count ? &run->fields[index] : NULL;
}

trm_status trm_run_field_find(const trm_run *run, const char *name, const trm_run_field **out)
{
  TRM_TRY(run_check(run, "trm_run_field_find", name, "name"));
  TRM_TRY(run_check(run, "trm_run_field_find", out, "out"));
  size_t index;
  TRM_TRY(find_name(run, "field", name, run->fields, sizeof *run->fields, run->info.field_count,
                    &index));
  *out = &run->fields[index];
  return TRM_OK;
}

static trm_status read_field(trm_run *run, const char *name, void *destination, size_t bytes)
{
  const trm_run_field *field = NULL;
  TRM_TRY(trm_run_field_find(run, name, &field));
  if (bytes != field->bytes)
    return TRM_FAIL(INVALID, "trm_run_field_read: field '%s' has %zu bytes, and there is room for "
                    "%zu", name, field->bytes, bytes);
  TRM_TRY(observe(run));
  return trm_field_read(&run->session.solver->fields[field - run->fields], destination);
}

trm_status trm_run_field_read(trm_run *run, const char *name, void *destination, size_t bytes)
{
  TRM_TRY(run_check(run, "trm_run_field_read", name, "name"));
  TRM_TRY(run_check(run, "trm_run_field_read", destination, "destination"));
  const locale_t before = trm_numbers_begin();
  const trm_status status = read_field(run, name, destination, bytes);
  trm_numbers_end(before);
  return status;
}

const trm_run_series *trm_run_series_at(const trm_run *run, size_t index)
{
  return run && index < run->info.series_count ? &run->series[index] : NULL;
}

trm_status trm_run_series_find(const trm_run *run, const char *name, const trm_run_series **out)
{
  TRM_TRY(run_check(run, "trm_run_series_find", name, "name"));
  TRM_TRY(run_check(run, "trm_run_series_find", out, "out"));
  size_t index;
  TRM_TRY(find_name(run, "series", name, run->series, sizeof *run->series, run->info.series_count,
                    &index));
  *out = &run->series[index];
  return TRM_OK;
}

static trm_status find_result(trm_run *run, const char *name, double *out)
{
  size_t index;
  TRM_TRY(run_finish(run));
  const trm_solver *solver = run->session.solver;
  TRM_TRY(find_name(run, "result", name, solver->results, sizeof *solver->results,
                    solver->result_count, &index));
  *out = solver->results[index].value;
  return TRM_OK;
}

trm_status trm_run_result(trm_run *run, const char *name, double *out)
{
  TRM_TRY(run_check(run, "trm_run_result", name, "name"));
  TRM_TRY(run_check(run, "trm_run_result", out, "out"));
  const locale_t before = trm_numbers_begin();
  const trm_status status = find_result(run, name, out);
  trm_numbers_end(before);
  return status;
}

static trm_status print_fingerprint(trm_run *run, char text[33])
{
  TRM_TRY(run_finish(run));
  memcpy(text, run->session.fingerprint, sizeof run->session.fingerprint);
  return TRM_OK;
}

trm_status trm_run_fingerprint(trm_run *run, char text[33])
{
  TRM_TRY(run_check(run, "trm_run_fingerprint", text, "text"));
  const locale_t before = trm_numbers_begin();
  const trm_status status = print_fingerprint(run, text);
  trm_numbers_end(before);
  return status;
}
