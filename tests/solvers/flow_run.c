/* flow_run.c - runs of lbm's and lbm3d's flows for the tests. */
#include "tests/solvers/flow_run.h"
#include "tests/solvers/values.h"
#include "solvers/registry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *flow_solver = "lbm";

static const trm_solver_type *flow_type(void)
{
  for (const trm_solver_type *const *type = trm_solver_types(); *type; type++)
    if (strcmp((*type)->name, flow_solver) == 0) return *type;
  fail_msg("there is no solver %s", flow_solver);
  return NULL;
}

static trm_config *configure(const char *settings)
{
  static const trm_option program[] = { /* the program's key that says how long a run is */
    {"run.steps", TRM_OPTION_INTEGER, "1", "1", 0, 9e15, 0, NULL, ""}};
  const trm_option *const tables[] = {flow_type()->options, program};
  const size_t counts[] = {flow_type()->option_count, 1};
  trm_config *config = NULL;
  char *text = strdup(settings), *rest = NULL;
  assert_non_null(text);
  TEST_OK(trm_config_create(tables, counts, 2, &config));
  for (char *one = strtok_r(text, "|", &rest); one; one = strtok_r(NULL, "|", &rest)) {
    one += strspn(one, " ");
    char *value = strchr(one, '=');
    assert_non_null(value);
    *value++ = 0;
    TEST_OK(trm_config_set(config, one, value, "the test"));
  }
  free(text);
  TEST_OK(trm_config_check(config));
  return config;
}

static void create(flow_run *run, trm_device *device, trm_precision precision)
{
  const trm_solver_options how = {.precision = precision};
  TEST_OK(flow_type()->create(device, run->config, &how, &run->solver));
  assert_true(run->solver->series_count <= sizeof run->series / sizeof *run->series);
}

void flow_begin(flow_run *run, trm_device *device, trm_precision precision, const char *settings)
{
  *run = (flow_run){.config = configure(settings)};
  create(run, device, precision);
}

trm_status flow_try(flow_run *run, trm_device *device, trm_precision precision,
                    const char *settings)
{
  const trm_solver_options how = {.precision = precision};
  *run = (flow_run){.config = configure(settings)};
  const trm_status status = flow_type()->create(device, run->config, &how, &run->solver);
  if (status != TRM_OK) trm_config_destroy(&run->config);
  return status;
}

uint64_t flow_begin_case(flow_run *run, trm_device *device, const char *name)
{
  static const trm_option program[] = { /* the program's keys that such a case sets */
    {"run.steps", TRM_OPTION_INTEGER, "1", NULL, 0, 9e15, 0, NULL, ""},
    {"run.precision", TRM_OPTION_STRING, "", "f64", NAN, NAN, 0, "f64", ""},
    {"output.every", TRM_OPTION_INTEGER, "1", "0", 0, 9e15, 0, NULL, ""},
    {"output.formats", TRM_OPTION_STRING, "", "", NAN, NAN, 0, NULL, ""}};
  const trm_option *const tables[] = {flow_type()->options, program};
  const size_t counts[] = {flow_type()->option_count, sizeof program / sizeof *program};
  char path[256];
  snprintf(path, sizeof path, "../../cases/%s/case.conf", name);
  *run = (flow_run){0};
  TEST_OK(trm_config_create(tables, counts, 2, &run->config));
  TEST_OK(trm_config_read(run->config, test_data(path)));
  TEST_OK(trm_config_check(run->config));
  create(run, device, TRM_F64);
  return (uint64_t)trm_config_integer(run->config, "run.steps");
}

void flow_refused(trm_device *device, const char *settings, const char *part)
{
  const trm_solver_options how = {.precision = TRM_F32};
  trm_config *config = configure(settings);
  trm_solver *solver = NULL;
  TEST_FAILS(flow_type()->create(device, config, &how, &solver), TRM_ERROR_INPUT, part);
  assert_null(solver);
  trm_config_destroy(&config);
}

static void keep_series(flow_run *run, uint64_t count)
{
  const uint64_t before = run->solver->step - count;
  for (size_t i = 0; i < run->solver->series_count; i++) {
    const trm_series *series = &run->solver->series[i];
    const size_t size = trm_type_size(series->type);
    unsigned char *bytes = malloc((size_t)count * size);
    run->series[i] = realloc(run->series[i], (size_t)run->solver->step * sizeof(double));
    assert_true(bytes && run->series[i]);
    TEST_OK(trm_buffer_read(series->buffer, series->first * size, (size_t)count * size, bytes));
    for (uint64_t step = 0; step < count; step++) {
      double value;
      float single;
      if (series->type == TRM_TYPE_F64) {
        memcpy(&value, bytes + step * size, size);
      } else {
        memcpy(&single, bytes + step * size, size);
        value = (double)single;
      }
      run->series[i][before + step] = value / series->divisor;
    }
    free(bytes);
  }
}

void flow_steps(flow_run *run, uint64_t steps, uint64_t batch)
{
  while (steps > 0) {
    uint64_t count = batch && batch < steps ? batch : steps, done = 0;
    if (count > run->solver->batch_limit) count = run->solver->batch_limit;
    TEST_OK(flow_type()->advance(run->solver, count, (double)INFINITY, 1, &done));
    assert_int_equal(done, count);
    keep_series(run, done);
    steps -= done;
  }
}

void flow_end(flow_run *run)
{
  for (size_t i = 0; i < sizeof run->series / sizeof *run->series; i++) free(run->series[i]);
  flow_type()->destroy(&run->solver);
  assert_null(run->solver);
  trm_config_destroy(&run->config);
}

double *flow_values(flow_run *run, const char *name)
{
  TEST_OK(flow_type()->observe(run->solver));
  return solver_values(run->solver, name, NULL);
}

double flow_fluid_cells(flow_run *run)
{
  double *solid = flow_values(run, "solid"), cells = 0;
  for (size_t i = 0; i < (size_t)run->solver->cells; i++) cells += solid[i] == 0.0;
  free(solid);
  return cells;
}

const double *flow_series(const flow_run *run, const char *name)
{
  for (size_t i = 0; i < run->solver->series_count; i++)
    if (strcmp(run->solver->series[i].name, name) == 0) return run->series[i];
  fail_msg("there is no series %s", name);
  return NULL;
}

double flow_result(flow_run *run, const char *name)
{
  const double last[64] = {0};
  TEST_OK(flow_type()->observe(run->solver));
  TEST_OK(flow_type()->finish(run->solver, last));
  for (size_t i = 0; i < run->solver->result_count; i++)
    if (strcmp(run->solver->results[i].name, name) == 0) return run->solver->results[i].value;
  fail_msg("there is no result %s", name);
  return NAN;
}

void flow_print(const flow_run *run, char text[33])
{
  TEST_OK(trm_solver_fingerprint(run->solver, text));
}

void flow_brought_back(flow_run *whole, flow_run *cut, flow_run *rest, uint64_t at, uint64_t steps)
{
  const trm_field *from = &cut->solver->fields[0], *to = &rest->solver->fields[0];
  char text[2][33];
  size_t count;
  flow_steps(whole, steps, 0);
  flow_steps(cut, at, 0);
  TEST_OK(trm_field_elements(from, &count));
  void *kept = malloc(count * trm_type_size(from->type));
  assert_non_null(kept);
  TEST_OK(trm_field_read(from, kept));
  TEST_OK(trm_field_write(to, kept));
  TEST_OK(rest->solver->type->restore(rest->solver, cut->solver->step, cut->solver->time));
  for (size_t s = 0; s < rest->solver->series_count; s++)
    rest->series[s] = calloc((size_t)cut->solver->step, sizeof(double));
  flow_steps(rest, steps - at, 0);
  flow_print(whole, text[0]);
  flow_print(rest, text[1]);
  assert_string_equal(text[0], text[1]);
  free(kept);
}
