/* shallow_run.c - see shallow_run.h. */
#include "tests/solvers/shallow/shallow_run.h"
#include "tests/solvers/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>


/* ---- runs -------------------------------------------------------------------- */

/* sets: pairs of key and text; ends with NULL. */
trm_config *shallow_configure_run(const char *const *sets)
{
  static const trm_option program[] = {
    { "run.steps", TRM_OPTION_INTEGER, "1", "1", 1, NAN, 0, NULL, "steps" },
    { "run.end_time", TRM_OPTION_REAL, "", "0", 0, NAN, 0, NULL, "end" },
    { "run.precision", TRM_OPTION_STRING, "", "f32", NAN, NAN, 0, "f32|f64", "precision" } };
  const trm_option *const tables[] = { program, trm_solver_shallow.options };
  const size_t counts[] = { 3, trm_solver_shallow.option_count };
  trm_config *config = NULL;
  TEST_OK(trm_config_create(tables, counts, 2, &config));
  for (; *sets; sets += 2) TEST_OK(trm_config_set(config, sets[0], sets[1], "the test"));
  TEST_OK(trm_config_check(config));
  return config;
}

static shallow_run begin(trm_device *device, trm_precision precision, trm_math math,
                         const char *const *sets)
{
  const trm_solver_options how = { .precision = precision, .math = math };
  shallow_run run = { .config = shallow_configure_run(sets) };
  TEST_OK(trm_solver_shallow.create(device, run.config, &how, &run.solver));
  return run;
}

shallow_run shallow_run_begin(trm_device *device, trm_precision precision, const char *const *sets)
{
  return begin(device, precision, TRM_STRICT, sets);
}

shallow_run shallow_run_begin_fast(trm_device *device, trm_precision precision,
                                   const char *const *sets)
{
  return begin(device, precision, TRM_FAST, sets);
}

static void keep_steps(shallow_run *run, size_t made)
{
  const trm_series *series = &run->solver->series[0];
  const size_t size = trm_type_size(series->type);
  unsigned char *values = malloc(made * size + 1);
  run->dt = realloc(run->dt, (run->steps + made + 1) * sizeof *run->dt);
  assert_non_null(values);
  assert_non_null(run->dt);
  if (made) TEST_OK(trm_buffer_read(series->buffer, series->first * size, made * size, values));
  for (size_t i = 0; i < made; i++)
    run->dt[run->steps + i] = series->type == TRM_TYPE_F64 ? ((double *)(void *)values)[i]
                                                           : (double)((float *)(void *)values)[i];
  run->steps += made;
  free(values);
}

/* To `end`, or for `steps` steps, in batches. */
void shallow_run_advance(shallow_run *run, double end, uint64_t steps, uint64_t batch)
{
  while (run->steps < steps) {
    const uint64_t left = steps - run->steps, want = left < batch ? left : batch;
    uint64_t launched = 0, made = 0;
    TEST_OK(trm_solver_shallow.advance(run->solver, want, end, 1, &launched));
    if (launched == 0) break;
    TEST_OK(trm_solver_shallow.account(run->solver, launched, &made));
    keep_steps(run, (size_t)made);
  }
  assert_int_equal(run->solver->step, run->steps);
}

void shallow_run_end(shallow_run *run)
{
  trm_solver_shallow.destroy(&run->solver);
  trm_config_destroy(&run->config);
  free(run->dt);
}

/* A field's cells as doubles, malloc'd. */
double *shallow_run_values(const shallow_run *run, const char *name)
{
  return solver_values(run->solver, name, NULL);
}

double shallow_largest(const double *values, size_t count)
{
  double most = 0;
  for (size_t i = 0; i < count; i++) most = fabs(values[i]) > most ? fabs(values[i]) : most;
  return most;
}
