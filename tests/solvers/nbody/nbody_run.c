/* nbody_run.c - runs of the N-body solver for the tests. */
#include "tests/solvers/nbody/nbody_run.h"
#include "tests/solvers/values.h"
#include "solvers/registry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const trm_solver_type *nbody_type(void)
{
  for (const trm_solver_type *const *type = trm_solver_types(); *type; type++)
    if (strcmp((*type)->name, "nbody") == 0) return *type;
  fail_msg("there is no solver nbody");
  return NULL;
}

trm_config *nbody_config(const char *settings)
{
  static const trm_option program[] = {
    {"run.steps", TRM_OPTION_INTEGER, "steps", "1", 1, NAN, 0, NULL, "steps"}};
  const trm_option *const tables[] = {program, nbody_type()->options};
  const size_t counts[] = {1, nbody_type()->option_count};
  char text[1024], key[128], *rest = NULL;
  trm_config *config = NULL;
  TEST_OK(trm_config_create(tables, counts, 2, &config));
  snprintf(text, sizeof text, "picture=16 %s", settings);
  for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(word, '=');
    assert_non_null(value);
    *value++ = '\0';
    snprintf(key, sizeof key, "%s%s", strchr(word, '.') ? "" : "nbody.", word);
    TEST_OK(trm_config_set(config, key, value, "the test"));
  }
  TEST_OK(trm_config_check(config));
  return config;
}

trm_status nbody_try(trm_device *device, const char *settings, trm_precision precision)
{
  const trm_solver_options how = {.precision = precision, .math = TRM_STRICT};
  trm_config *config = nbody_config(settings);
  trm_solver *solver = NULL;
  const trm_status status = nbody_type()->create(device, config, &how, &solver);
  if (solver) nbody_type()->destroy(&solver);
  trm_config_destroy(&config);
  return status;
}

void nbody_begin(nbody_run *run, trm_device *device, const char *settings, trm_precision precision,
                 trm_math math)
{
  const trm_solver_options how = {.precision = precision, .math = math};
  *run = (nbody_run){.config = nbody_config(settings)};
  TEST_OK(nbody_type()->create(device, run->config, &how, &run->solver));
  run->series = calloc(run->solver->series_count, sizeof *run->series);
  assert_non_null(run->series);
}

static void keep(nbody_run *run, uint64_t before, uint64_t count)
{
  for (size_t s = 0; s < run->solver->series_count; s++) {
    const trm_series *series = &run->solver->series[s];
    const size_t size = trm_type_size(series->type);
    void *raw = malloc(count * size);
    run->series[s] = realloc(run->series[s], (size_t)(before + count) * sizeof(double));
    assert_true(raw && run->series[s]);
    TEST_OK(trm_buffer_read(series->buffer, series->first * size, count * size, raw));
    for (size_t i = 0; i < count; i++)
      run->series[s][before + i] = series->type == TRM_TYPE_F64 ? ((double *)raw)[i]
                                                                : (double)((float *)raw)[i];
    free(raw);
  }
}

void nbody_steps(nbody_run *run, uint64_t steps, uint64_t batch)
{
  while (steps > 0) {
    uint64_t count = batch && batch < steps ? batch : steps, done = 0;
    if (count > run->solver->batch_limit) count = run->solver->batch_limit;
    const uint64_t before = run->solver->step;
    TEST_OK(run->solver->type->advance(run->solver, count, (double)INFINITY, 1, &done));
    assert_int_equal(done, count);
    assert_int_equal(run->solver->step, before + done);
    keep(run, before, done);
    steps -= done;
  }
}

void nbody_end(nbody_run *run)
{
  for (size_t s = 0; s < run->solver->series_count; s++) free(run->series[s]);
  free(run->series);
  run->solver->type->destroy(&run->solver);
  assert_null(run->solver);
  trm_config_destroy(&run->config);
}

double *nbody_values(const nbody_run *run, const char *name, size_t *count)
{
  return solver_values(run->solver, name, count);
}

double *nbody_series(const nbody_run *run, const char *name)
{
  for (size_t s = 0; s < run->solver->series_count; s++)
    if (strcmp(run->solver->series[s].name, name) == 0) return run->series[s];
  fail_msg("there is no series %s", name);
  return NULL;
}

double nbody_last(const nbody_run *run, const char *name)
{
  return nbody_series(run, name)[run->solver->step - 1];
}
