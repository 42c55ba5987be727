/* resume.c - from a checkpoint back to a run. */
#include "run/resume.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/field.h"

/* ---- what must be the same ------------------------------------------------------ */

static const char *text_of(const trm_found *found, const char *key)
{
  const char *text = json_string_value(json_object_get(found->manifest.json, key));
  return text ? text : "";
}

static trm_status check_solver(const trm_found *found, const trm_solver_type *type)
{
  const json_int_t version = json_integer_value(json_object_get(found->manifest.json,
                                                                "state_version"));
  if (strcmp(text_of(found, "solver"), type->name) != 0)
    return TRM_FAIL(INPUT, "'%s' is of the solver '%s', and its case names '%s'", found->path,
                    text_of(found, "solver"), type->name);
  if (version != (json_int_t)type->state_version)
    return TRM_FAIL(INPUT, "'%s' has version %lld of the state of solver '%s', and the solver here "
                           "has version %u; resume it with Trireme %s, which wrote it, or run the "
                           "case again",
                    found->path, (long long)version, type->name, type->state_version,
                    text_of(found, "trireme"));
  if (type->restore) return TRM_OK;
  return TRM_FAIL(UNSUPPORTED, "this version of the solver '%s' cannot be resumed from a "
                               "checkpoint", type->name);
}

static int is_equal(const trm_config *a, const trm_config *b, const trm_option *option)
{
  const char *key = option->key;
  if (strcmp(trm_config_text(a, key), trm_config_text(b, key)) == 0) return 1;
  return option->type == TRM_OPTION_REAL && trm_config_real(a, key) == trm_config_real(b, key);
}

static trm_status check_keys(const trm_found *found, const run_case *was, const run_case *chosen)
{
  for (size_t i = 0; i < trm_config_count(chosen->config); i++) {
    const trm_option *option = trm_config_option(chosen->config, i);
    const char *key = option->key;
    /* files are compared by their contents elsewhere, the end of the run by check_end */
    if ((option->flags & (TRM_OPTION_SAME_RESULT | TRM_OPTION_ONCE)) ||
        option->type == TRM_OPTION_FILE || strcmp(key, "run.steps") == 0 ||
        strcmp(key, "run.end_time") == 0 || is_equal(was->config, chosen->config, option))
      continue;
    return TRM_FAIL(INPUT, "%s: %s = '%s', but the checkpoint '%s' was written with '%s', and a "
                           "change would mix two results; leave it out, or run the case again",
                    trm_config_origin(chosen->config, key), key,
                    trm_config_text(chosen->config, key), found->path,
                    trm_config_text(was->config, key));
  }
  return TRM_OK;
}

/* Ends may grow. */
static trm_status check_end(const trm_found *found, const run_case *was, const run_case *chosen)
{
  const run_settings *now = &chosen->settings, *then = &was->settings;
  if (now->steps < then->steps && now->steps < strtoull(TRM_STEPS_UNTIL_END, NULL, 10) &&
      then->steps < strtoull(TRM_STEPS_UNTIL_END, NULL, 10))
    return TRM_FAIL(INPUT, "%s: run.steps = %llu, and the run was to have %llu; it may have more, "
                    "not fewer", trm_config_origin(chosen->config, "run.steps"),
                    (unsigned long long)now->steps, (unsigned long long)then->steps);
  if (now->end_time < then->end_time && isfinite(then->end_time))
    return TRM_FAIL(INPUT, "%s: run.end_time = %g, and the run was to end at %g; it may end later, "
                    "not earlier", trm_config_origin(chosen->config, "run.end_time"),
                    now->end_time, then->end_time);
  if (now->steps > found->manifest.step && now->end_time > found->manifest.time) return TRM_OK;
  return TRM_FAIL(INPUT, "the checkpoint is of step %llu, and the run ends there; give it more "
                  "with --steps or --end-time", (unsigned long long)found->manifest.step);
}

static trm_status check_inputs(const trm_found *found, const trm_config *config)
{
  const json_t *then = json_object_get(found->manifest.json, "inputs");
  json_t *now = NULL;
  TRM_TRY(keep_inputs(config, NULL, &now));
  trm_status status = TRM_OK;
  for (size_t i = 0; i < json_array_size(then) && status == TRM_OK; i++) {
    const json_t *a = json_array_get(then, i), *b = json_array_get(now, i);
    const char *key = json_string_value(json_object_get(b ? b : a, "key"));
    const char *was = json_string_value(json_object_get(a, "xxh128"));
    const char *is = json_string_value(json_object_get(b, "xxh128"));
    const char *path = json_string_value(json_object_get(b ? b : a, "path"));
    if (!key || !was || !is || strcmp(was, is) != 0)
      status = TRM_FAIL(INPUT, "%s: the file '%s' has changed since the run began (XXH128 %s then, "
                               "%s now); restore the old file, or run the case again",
                        key ? key : "", path ? path : "", was ? was : "unknown",
                        is ? is : "missing");
  }
  if (status == TRM_OK && json_array_size(then) != json_array_size(now))
    status = TRM_FAIL(INPUT, "the case names %zu files, and the run began with %zu; run the case "
                             "again", json_array_size(now), json_array_size(then));
  json_decref(now);
  return status;
}

static trm_status check(const trm_found *found, const run_case *chosen, int is_end_checked)
{
  char *path = NULL;
  run_case was = {0};
  TRM_TRY(check_solver(found, chosen->type));
  TRM_TRY(trm_path_join(found->path, "case.conf", &path));
  const char *const operands[] = {path};
  const case_request wanted = {.operands = operands, .operand_count = 1, .may_be_endless = 1};
  trm_status status = case_create(&wanted, &was);
  free(path);
  if (status == TRM_OK) status = check_keys(found, &was, chosen);
  if (status == TRM_OK && is_end_checked) status = check_end(found, &was, chosen);
  if (status == TRM_OK) status = check_inputs(found, chosen->config);
  case_clear(&was);
  return status;
}

trm_status resume_check(const trm_found *found, const run_case *chosen)
{
  return check(found, chosen, 1);
}

trm_status resume_check_same(const trm_found *found, const run_case *chosen)
{
  return check(found, chosen, 0);
}

/* ---- the state -------------------------------------------------------------------- */

typedef struct source {
  const trm_found *found;
  const trm_manifest_array *array;
  size_t component, row;
} source;

static trm_status read_elements(void *user, void *elements, size_t count)
{
  source *s = user;
  const size_t rows = count / s->array->nx;
  TRM_TRY(trm_checkpoint_rows(s->found, s->array, s->component, s->row, rows, elements));
  s->row += rows;
  if (s->row < s->array->rows) return TRM_OK;
  s->row = 0;
  s->component++;
  return TRM_OK;
}

static trm_status find(const trm_found *found, const char *name, trm_type type, size_t components,
                       size_t rows, size_t nx, const trm_manifest_array **out)
{
  const trm_manifest_array *array = trm_checkpoint_array_of(found, name);
  if (!array) return TRM_FAIL(INPUT, "'%s' lacks '%s' of the state", found->path, name);
  if (array->type != type || array->components != components || array->rows != rows ||
      array->nx != nx)
    return TRM_FAIL(INPUT, "'%s' has '%s' as %zu x %zu x %zu %s, and the case has it as %zu x %zu "
                    "x %zu %s", found->path, name, array->components, array->rows, array->nx,
                    trm_type_name(array->type), components, rows, nx, trm_type_name(type));
  *out = array;
  return TRM_OK;
}

static trm_status restore_field(const trm_found *found, const trm_field *field)
{
  source s = {.found = found};
  size_t rows, nx;
  trmi_field_stored(field, &rows, &nx);
  TRM_TRY(find(found, field->name, field->type, (size_t)field->components, rows, nx, &s.array));
  return trmi_field_fill_stored(field, read_elements, &s);
}

static trm_status restore_kept(const trm_found *found, const trm_kept *kept)
{
  const size_t size = trm_type_size(kept->type), bytes = kept->count * size;
  const trm_manifest_array *array = NULL;
  TRM_TRY(find(found, kept->name, kept->type, 1, 1, kept->count, &array));
  void *values = malloc(bytes);
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for '%s'", kept->name);
  trm_status status = trm_checkpoint_rows(found, array, 0, 0, 1, values);
  if (status == TRM_OK)
    status = trm_buffer_write(kept->buffer, kept->first * size, bytes, values);
  free(values);
  return status;
}

int resume_compares(const trm_found *found) { return found->manifest.schema >= 2; }

static trm_status restore_solver(const trm_found *found, trm_solver *solver)
{
  char is[33];
  for (size_t i = 0; i < solver->kept_count; i++)
    TRM_TRY(restore_kept(found, &solver->kept[i]));
  if (solver->type->reshape) TRM_TRY(solver->type->reshape(solver));
  for (size_t i = 0; i < solver->field_count; i++)
    if (solver->fields[i].flags & TRM_FIELD_KEPT)
      TRM_TRY(restore_field(found, &solver->fields[i]));
  TRM_TRY(solver->type->restore(solver, found->manifest.step, found->manifest.time));
  if (!resume_compares(found)) return TRM_OK;
  TRM_TRY(trm_solver_fingerprint(solver, is));
  if (strcmp(is, text_of(found, "fingerprint")) == 0) return TRM_OK;
  return TRM_FAIL(INPUT, "the state that was restored from '%s' has the fingerprint %s, and the "
                         "checkpoint was written with %s; the solver '%s' does not restore its "
                         "state completely",
                  found->path, is, text_of(found, "fingerprint"), solver->type->name);
}

trm_status resume_restore(const trm_found *found, session *run)
{
  const trm_solver *solver = run->solver;
  if (keep_missing(solver))
    return TRM_FAIL(UNSUPPORTED, "this case cannot be resumed from a checkpoint: %s",
                    keep_missing(solver));
  if (found->manifest.series_count != run->series_count)
    return TRM_FAIL(INPUT, "'%s' has %zu series, and the case has %zu", found->path,
                    found->manifest.series_count, run->series_count);
  TRM_TRY(restore_solver(found, run->solver));
  TRM_TRY(session_take_up(run, found->manifest.step));
  for (size_t i = 0; i < run->series_count; i++)
    TRM_TRY(trm_checkpoint_values(found, i, run->series[i]));
  return TRM_OK;
}

trm_status resume_take_up(const trm_found *found, keeper *keep)
{
  const json_t *json = found->manifest.json;
  trm_checkpoint_follow(&keep->series, json);
  keep->parts = json_incref(json_object_get(json, "parts"));
  keep->step = found->manifest.step;
  return TRM_OK;
}

trm_status resume_outputs(const trm_found *found, session *run, results *out)
{
  TRM_TRY(results_rewind(out, run, found->manifest.step));
  run->outputs = json_number_value(json_object_get(found->manifest.json, "outputs"));
  for (size_t i = 0; i < found->manifest.file_count; i++)
    if (strcmp(found->manifest.files[i].name, "fields.pvd") == 0)
      return trm_checkpoint_read(found, "fields.pvd", &out->collected);
  return TRM_OK;
}
