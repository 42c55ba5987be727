/* fv_run.c - see fv_run.h. */
#include "tests/solvers/compressible/fv_run.h"
#include "tests/solvers/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What create says of the case. */
static trm_status try(trm_device *device, trm_precision precision, const char *const *sets,
                      fv_run *out)
{
  static const trm_option program[] = { /* the program's keys that a case may set */
    { "run.steps", TRM_OPTION_INTEGER, "1", "1", 1, NAN, 0, NULL, "steps" },
    { "run.end_time", TRM_OPTION_REAL, "s", "0", 0, NAN, 0, NULL, "" },
    { "run.precision", TRM_OPTION_STRING, "", "f64", NAN, NAN, 0, "f64", "" },
    { "output.formats", TRM_OPTION_STRING, "", "", NAN, NAN, 0, NULL, "" } };
  const trm_option *const tables[] = { program, trm_solver_compressible.options };
  const size_t counts[] = { sizeof program / sizeof *program,
                            trm_solver_compressible.option_count };
  const trm_solver_options how = { .precision = precision, .math = TRM_STRICT };
  *out = (fv_run){ NULL, NULL, 0 };
  TEST_OK(trm_config_create(tables, counts, 2, &out->config));
  if (*sets && strcmp(sets[0], "case") == 0) {
    char path[256];
    snprintf(path, sizeof path, "../../cases/%s/case.conf", sets[1]);
    TEST_OK(trm_config_read(out->config, test_data(path)));
    sets += 2;
  }
  for (; *sets; sets += 2) TEST_OK(trm_config_set(out->config, sets[0], sets[1], "the test"));
  TEST_OK(trm_config_check(out->config));
  return trm_solver_compressible.create(device, out->config, &how, &out->solver);
}

fv_run fv_run_begin(trm_device *device, trm_precision precision, const char *const *sets)
{
  fv_run run;
  TEST_OK(try(device, precision, sets, &run));
  return run;
}

void fv_run_refused(trm_device *device, const char *const *sets, trm_status status,
                    const char *part)
{
  fv_run run;
  TEST_FAILS(try(device, TRM_F32, sets, &run), status, part);
  fv_run_end(&run);
}

void fv_run_advance(fv_run *run, double end, uint64_t steps, uint64_t batch)
{
  for (uint64_t left = steps; left > 0;) {
    uint64_t launched = 0, made = 0;
    TEST_OK(trm_solver_compressible.advance(run->solver, left < batch ? left : batch, end, 1,
                                            &launched));
    if (launched == 0) return;
    TEST_OK(trm_solver_compressible.account(run->solver, launched, &made));
    run->made = made;
    left -= made;
  }
}

void fv_run_end(fv_run *run)
{
  if (run->solver) trm_solver_compressible.destroy(&run->solver);
  trm_config_destroy(&run->config);
}

void fv_run_is(const fv_run *run, const char *name, ...)
{
  char found[33], whole[64];
  va_list arguments;
  va_start(arguments, name);
  vsnprintf(whole, sizeof whole, name, arguments);
  va_end(arguments);
  TEST_OK(trm_solver_fingerprint(run->solver, found));
  test_is_known(found, "compressible/%s/%s", whole, trm_type_name(run->solver->fields[0].type));
}

/* The grid that a run has come to. */
static void reshape(fv_run *to, const fv_run *from)
{
  for (size_t i = 0; i < from->solver->kept_count; i++) {
    const trm_kept *kept = &from->solver->kept[i], *same = &to->solver->kept[i];
    const size_t size = trm_type_size(kept->type), bytes = kept->count * size;
    void *values = malloc(bytes);
    assert_non_null(values);
    TEST_OK(trm_buffer_read(kept->buffer, kept->first * size, bytes, values));
    TEST_OK(trm_buffer_write(same->buffer, same->first * size, bytes, values));
    free(values);
  }
  TEST_OK(trm_solver_compressible.reshape(to->solver));
}

/* What a checkpoint keeps. */
static void restore(fv_run *to, const fv_run *from)
{
  reshape(to, from);
  for (size_t f = 0; f < from->solver->field_count; f++) {
    const trm_field *field = &from->solver->fields[f];
    size_t count;
    if (!(field->flags & TRM_FIELD_KEPT)) continue;
    TEST_OK(trm_field_elements(field, &count));
    void *values = malloc(count * trm_type_size(field->type));
    assert_non_null(values);
    TEST_OK(trm_field_read(field, values));
    TEST_OK(trm_field_write(&to->solver->fields[f], values));
    free(values);
  }
  TEST_OK(trm_solver_compressible.restore(to->solver, from->solver->step, from->solver->time));
}

/* What a checkpoint keeps of both is the same, also what no fingerprint has. */
static void assert_kept_alike(const fv_run *a, const fv_run *b)
{
  for (size_t i = 0; i < a->solver->field_count; i++) {
    const trm_field *field = &a->solver->fields[i];
    size_t count = 0;
    if (!(field->flags & TRM_FIELD_KEPT)) continue;
    TEST_OK(trm_field_elements(field, &count));
    double *one = fv_run_values(a, field->name), *other = fv_run_values(b, field->name);
    assert_memory_equal(one, other, count * sizeof *one);
    free(one);
    free(other);
  }
}

trm_precision fv_run_precision(trm_device *device, const char *const *sets)
{
  if (!test_spares(device)) return TRM_F32;
  while (*sets && strcmp(*sets, "grid.nz") != 0) sets += 2;
  return test_takes(device, *sets ? TRM_F32 : TRM_F64, TRM_F64) ? TRM_F64 : TRM_F32;
}

int fv_run_takes(trm_device *device, const char *const *sets, trm_precision precision)
{
  return test_spares(device) ? precision == fv_run_precision(device, sets)
                             : test_takes(device, 0, precision);
}

void fv_run_resumes(trm_device *device, trm_precision precision, const char *const *sets,
                    uint64_t first, uint64_t rest, const char *name)
{
  char straight[33], resumed[33];
  fv_run whole = fv_run_begin(device, precision, sets);
  fv_run next = fv_run_begin(device, precision, sets);
  fv_run_advance(&whole, INFINITY, first, first);
  restore(&next, &whole);
  fv_run_advance(&whole, INFINITY, rest, 3);
  fv_run_advance(&next, INFINITY, rest, rest);
  TEST_OK(trm_solver_fingerprint(whole.solver, straight));
  TEST_OK(trm_solver_fingerprint(next.solver, resumed));
  assert_string_equal(resumed, straight);
  assert_kept_alike(&whole, &next);
  if (name) fv_run_is(&whole, "%s", name);
  fv_run_end(&whole);
  fv_run_end(&next);
}

double fv_run_last(const fv_run *run, const char *name)
{
  for (size_t i = 0; i < run->solver->series_count; i++) {
    const trm_series *series = &run->solver->series[i];
    double value;
    if (strcmp(series->name, name) != 0) continue;
    TEST_OK(trm_framework_read_reals(series->buffer, series->type, series->first + run->made - 1,
                                     &value, 1));
    return value / series->divisor;
  }
  fail_msg("there is no series %s", name);
  return NAN;
}

double *fv_run_values(const fv_run *run, const char *name)
{
  TEST_OK(trm_solver_compressible.observe(run->solver));
  return solver_values(run->solver, name, NULL);
}

double fv_run_disturbed(const fv_run *run, double pressure, const double velocity[2])
{
  const trm_field *field = run->solver->fields;
  const size_t cells = field->nx * field->ny * field->nz;
  double *rho = fv_run_values(run, "density"), *u = fv_run_values(run, "velocity");
  double *p = fv_run_values(run, "pressure"), most = 0;
  for (size_t i = 0; i < cells; i++)
    if (rho[i] != 0)
      most = fmax(fmax(fmax(most, fabs(rho[i] - 1)), fabs(p[i] - pressure)),
                  fmax(fabs(u[i] - velocity[0]), fabs(u[cells + i] - velocity[1])));
  free(rho);
  free(u);
  free(p);
  return most;
}
