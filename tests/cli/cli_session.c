/* cli_session.c - the time loop against a solver that counts: batches, series, divergence, and a
 * comparison whose runs do differ. */
#include "tests/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/batch.h"
#include "cli/compare/comparison.h"
#include "run/session.h"
#include "run/measure/roofs_parts.h"
#include "run/measure/statistics.h"

/* ---- a solver without kernels: each value of its field is the number of steps done --------- */

enum { NX = 6, NY = 4, CAPACITY = 1000 };

typedef struct counter {
  trm_solver base;
  trm_field field;
  trm_series series;
  trm_buffer *cells, *values;
} counter;

/* What the next runs do: the step at which something ceases to be a number (0: never), whether the
 * series and the cells tell, and a number that is added to all cells of run after run. */
static uint64_t bad_step;
static int series_tells, cells_tell;
static double drift, drifted, series_drift;
static size_t largest_batch, advances;

static void counter_destroy(trm_solver **solver)
{
  counter *c = (counter *)*solver;
  if (!c) return;
  trm_buffer_destroy(&c->cells);
  trm_buffer_destroy(&c->values);
  free(c);
  *solver = NULL;
}

static trm_status counter_fill(counter *c)
{
  double cells[NX * NY];
  for (size_t i = 0; i < NX * NY; i++) cells[i] = (double)c->base.step + drifted;
  if (bad_step && cells_tell && c->base.step >= bad_step) cells[2 * NX + 3] = NAN;
  return trm_buffer_write(c->cells, 0, sizeof cells, cells);
}

static trm_status counter_create(trm_device *device, const trm_config *config,
                                 const trm_solver_options *options, trm_solver **out);

static trm_status counter_advance(trm_solver *solver, uint64_t max_steps, double t_end,
                                  int sync_state, uint64_t *done)
{
  counter *c = (counter *)solver;
  double values[CAPACITY];
  (void)t_end;
  (void)sync_state;
  for (uint64_t i = 0; i < max_steps; i++) {
    const uint64_t step = solver->step + i + 1;
    values[i] = bad_step && series_tells && step >= bad_step ? INFINITY
                : 2.0 * ((double)step + (double)advances * series_drift);
  }
  advances++;
  if (max_steps > largest_batch) largest_batch = (size_t)max_steps;
  solver->step += max_steps;
  *done = max_steps;
  TRM_TRY(trm_buffer_write(c->values, 0, (size_t)max_steps * sizeof *values, values));
  return counter_fill(c);
}

static trm_status counter_observe(trm_solver *solver)
{
  (void)solver;
  return TRM_OK;
}

static const trm_solver_type counter_type = {
  .abi = TRM_SOLVER_ABI, .bytes = sizeof(trm_solver_type), .name = "counter", .summary = "counts",
  .update_name = "counts", .create = counter_create, .advance = counter_advance,
  .observe = counter_observe, .destroy = counter_destroy,
};

static trm_status counter_create(trm_device *device, const trm_config *config,
                                 const trm_solver_options *options, trm_solver **out)
{
  counter *c = calloc(1, sizeof *c);
  (void)config;
  (void)options;
  if (!c) return TRM_FAIL(NO_HOST_MEMORY, "no memory");
  *out = &c->base;
  TRM_TRY(trm_buffer_create(device, NX * NY * sizeof(double), "cells", &c->cells));
  TRM_TRY(trm_buffer_create(device, CAPACITY * sizeof(double), "values", &c->values));
  c->field = (trm_field){.name = "count",
                         .unit = "1",
                         .type = TRM_TYPE_F64,
                         .components = 1,
                         .nx = NX,
                         .ny = NY,
                         .nz = 1,
                         .buffer = c->cells,
                         .layout = {0, NX, NX * NY, NX * NY, 0},
                         .flags = TRM_FIELD_STATE};
  c->series = (trm_series){.name = "twice",
                           .unit = "1",
                           .buffer = c->values,
                           .type = TRM_TYPE_F64,
                           .divisor = 2.0};
  c->base = (trm_solver){.type = &counter_type,
                         .device = device,
                         .fields = &c->field,
                         .field_count = 1,
                         .series = &c->series,
                         .series_count = 1,
                         .cells = NX * NY,
                         .batch_limit = CAPACITY};
  drifted += drift;
  return counter_fill(c);
}

static run_case case_of(uint64_t steps, uint64_t batch)
{
  run_case chosen = {.type = &counter_type, .name = "counter"};
  chosen.settings.steps = steps;
  chosen.settings.batch = batch;
  chosen.settings.end_time = INFINITY;
  chosen.settings.solver.precision = TRM_F64;
  return chosen;
}

static void well_behaved(void)
{
  bad_step = 0;
  series_tells = cells_tell = 1;
  drift = drifted = series_drift = 0;
  largest_batch = advances = 0;
}

/* ---- cases -------------------------------------------------------------------------------- */

static void a_run_collects_every_value_of_its_series(trm_device *device)
{
  static const uint64_t batches[] = {0, 1, 7, 64, 5000};
  for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
    well_behaved();
    const run_case chosen = case_of(2501, batches[i]);
    session run;
    TEST_OK(session_begin(&run, &chosen, device, NULL));
    TEST_OK(session_run(&run));
    assert_int_equal(run.steps_done, 2501);
    for (size_t step = 0; step < 2501; step++)
      assert_true(run.series[0][step] == (double)(step + 1));
    if (batches[i] == 7) assert_int_equal(advances, 358);
    assert_true(largest_batch <= CAPACITY);
    assert_int_equal(strlen(run.fingerprint), 32);
    session_end(&run);
  }
}

static trm_status count_output(void *user, session *run)
{
  assert_int_equal(run->steps_done % 30, 0);
  ++*(int *)user;
  return TRM_OK;
}

static void outputs_fall_on_their_multiples(trm_device *device)
{
  well_behaved();
  const run_case chosen = case_of(100, 0);
  int outputs = 0;
  const session_hooks hooks = {.user = &outputs, .output = count_output, .every = 30};
  session run;
  TEST_OK(session_begin(&run, &chosen, device, &hooks));
  TEST_OK(session_run(&run));
  assert_int_equal(outputs, 4);                      /* that of step 0 is one of them */
  session_end(&run);
}

/* Steps that a host makes in a microsecond each, and in a thousand as soon as it is busy. */
static void a_host_hears_of_a_stop_within_few_steps(trm_device *device)
{
  well_behaved();
  const run_case chosen = case_of(100000, 0);
  session run;
  TEST_OK(session_begin(&run, &chosen, device, NULL));
  TEST_OK(session_run(&run));
  if (trm_device_describe(device)->is_host) assert_int_equal(largest_batch, 256);
  else assert_int_equal(largest_batch, CAPACITY - CAPACITY % 64);
  session_end(&run);
}

static void divergence_names_step_field_and_cell(trm_device *device)
{
  static const uint64_t batches[] = {0, 1, 64};
  for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
    well_behaved();
    bad_step = 1717;
    const run_case chosen = case_of(4000, batches[i]);
    session run;
    TEST_OK(session_begin(&run, &chosen, device, NULL));
    TEST_FAILS(session_run(&run), TRM_ERROR_DIVERGED,
               "at step 1717 field 'count' is nan in cell (3, 2)");
    session_end(&run);
  }
}

static void a_field_that_the_series_does_not_see_is_found_at_the_end(trm_device *device)
{
  well_behaved();
  bad_step = 5;
  series_tells = 0;
  const run_case chosen = case_of(9, 0);
  session run;
  trm_array array;
  TEST_OK(session_begin(&run, &chosen, device, NULL));
  TEST_FAILS(session_run(&run), TRM_ERROR_DIVERGED,
             "at step 9 field 'count' is nan in cell (3, 2)");
  assert_string_equal(run.fingerprint, "");
  TEST_FAILS(session_read(&run, 0, &array), TRM_ERROR_DIVERGED, "in cell (3, 2)");
  session_end(&run);
}

static void a_series_alone_that_diverges_is_said_so(trm_device *device)
{
  well_behaved();
  bad_step = 7;
  cells_tell = 0;
  const run_case chosen = case_of(9, 0);
  session run;
  TEST_OK(session_begin(&run, &chosen, device, NULL));
  TEST_FAILS(session_run(&run), TRM_ERROR_DIVERGED, "the series 'twice' is inf at step 7");
  session_end(&run);
}

static variation one_case;

static void compare(trm_device *device, comparison *all, run_case *chosen, size_t runs)
{
  char on[64];
  snprintf(on, sizeof on, "%.30s,%.30s", test_backend(device), test_backend(device));
  one_case = (variation){.cases = chosen, .case_count = 1};
  TEST_OK(comparison_open(all, test_context(), &one_case, on, runs));
  TEST_OK(comparison_run(all));
}

static void equal_runs_agree(trm_device *device)
{
  well_behaved();
  comparison all;
  run_case chosen = case_of(50, 0);
  compare(device, &all, &chosen, 3);
  assert_true(comparison_agrees(&all));
  assert_int_equal(all.rows[1].differences[0].difference.differing, 0);
  comparison_close(&all);
}

static void runs_that_differ_in_one_bit_do_not_agree(trm_device *device)
{
  well_behaved();
  drift = 0x1p-46; /* half an ULP of 50 is 0x1p-48 */
  comparison all;
  run_case chosen = case_of(50, 0);
  compare(device, &all, &chosen, 1);
  assert_false(comparison_agrees(&all));
  assert_int_equal(all.rows[1].differences[0].difference.differing, NX * NY);
  assert_true(all.rows[1].differences[0].difference.absolute == 0x1p-46);
  comparison_close(&all);
}

static void compare_twice(trm_device *device, int is_repeated)
{
  comparison all;
  run_case chosen = case_of(50, 0);
  char on[64];
  snprintf(on, sizeof on, "%.60s", test_backend(device));
  one_case = (variation){.cases = &chosen, .case_count = 1};
  TEST_OK(comparison_open(&all, test_context(), &one_case, on, 2));
  TEST_OK(comparison_run(&all));
  assert_true(all.rows[0].who.benchmark.repeats == is_repeated);
  assert_true(comparison_agrees(&all) == is_repeated);
  comparison_close(&all);
}

static void a_run_that_does_not_repeat_itself_does_not_agree(trm_device *device)
{
  well_behaved();
  compare_twice(device, 1);
  drift = 1;
  compare_twice(device, 0);
}

static void a_run_that_repeats_its_state_alone_does_not_agree(trm_device *device)
{
  well_behaved();
  series_drift = 0x1p-40;
  compare_twice(device, 0);
}

/* Fast arithmetic would join the steps of a chain where no instruction fuses them. */
static void the_chains_of_a_host_are_strict(trm_device *device)
{
  bench of;
  const int is_host = trm_device_describe(device)->is_host;
  TEST_OK(bench_open(&of, device, TRM_F32, 1));
  assert_int_equal(trm_program_describe(of.program)->math, is_host ? TRM_STRICT : TRM_FAST);
  bench_close(&of);
}

static void fast_runs_agree_within_the_tolerance_and_not_beyond(trm_device *device)
{
  run_case chosen = case_of(50, 0);
  chosen.settings.solver.math = TRM_FAST;
  for (int beyond = 0; beyond < 2; beyond++) {
    well_behaved();
    drift = beyond ? 1e-9 : 1e-10; /* of 50: 2e-11 and 2e-12; allowed are 1e-13 * 50 = 5e-12 */
    comparison all;
    compare(device, &all, &chosen, 1);
    assert_int_equal(comparison_agrees(&all), !beyond);
    comparison_close(&all);
  }
}

static void batches_end_on_recordings_outputs_and_the_last_step(void)
{
  batch_plan plan = {.limit = 1000, .steps = 10000, .patience = 5};
  assert_int_equal(batch_next(&plan, 0), 1);
  plan.seconds_per_step = 1e-3;
  assert_int_equal(batch_next(&plan, 1), 63);
  assert_int_equal(batch_next(&plan, 64), 64);
  plan.seconds_per_step = 1e-5;
  assert_int_equal(batch_next(&plan, 64), 960);
  plan.every = 100;
  assert_int_equal(batch_next(&plan, 64), 36);
  plan.every = 0;
  assert_int_equal(batch_next(&plan, 9999), 1);
  plan.seconds_per_step = 60;
  assert_int_equal(batch_next(&plan, 64), 1);
  plan.seconds_per_step = 0.15; /* 32 steps take less than 5 s */
  assert_int_equal(batch_next(&plan, 1), 31);
  plan.seconds_per_step = 0.05;
  assert_int_equal(batch_next(&plan, 32), 32);
  assert_int_equal(batch_next(&plan, 64), 64);
  plan.seconds_per_step = 0.15; /* of which the device makes 4 at once: 1 s, or 8 steps */
  plan.fused = 4;
  assert_int_equal(batch_next(&plan, 64), 8);
  plan.seconds_per_step = 0.015;
  assert_int_equal(batch_next(&plan, 64), 64);
  plan.seconds_per_step = 0.03;
  assert_int_equal(batch_next(&plan, 64), 16);
  plan.fused = 32;
  assert_int_equal(batch_next(&plan, 64), 64);
  plan.fused = 1;
  plan.seconds_per_step = 0.6;
  assert_int_equal(batch_next(&plan, 64), 1);
  plan.seconds_per_step = 1e-5;
  plan.most = 256;
  assert_int_equal(batch_next(&plan, 256), 256);
  plan.fixed = 7;
  assert_int_equal(batch_next(&plan, 64), 7);
  assert_int_equal(batch_next(&plan, 9998), 2);
}

static void medians_and_their_intervals(void)
{
  const double odd[] = {5, 1, 3}, even[] = {4, 1, 2, 3};
  double many[20], order[20];
  for (int i = 0; i < 20; i++) many[i] = (double)((i * 7) % 20); /* 0 .. 19 in another order */
  const sample a = sample_of(odd, 3, order), b = sample_of(even, 4, order);
  TEST_CLOSE(a.median, 3, 0);
  TEST_CLOSE(b.median, 2.5, 0);
  assert_true(a.least == 1 && a.most == 5);
  const interval few = median_interval(odd, 3, order);
  const interval wide = median_interval(many, 20, order);
  assert_true(few.low == 1 && few.high == 5);
  TEST_CLOSE(few.confidence, 0.75, 1e-12);
  /* the table of the sign test: n = 20, 6th and 15th */
  assert_true(wide.low == 5 && wide.high == 14);
  TEST_CLOSE(wide.confidence, 0.9586, 1e-4);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(batches_end_on_recordings_outputs_and_the_last_step),
    TEST_HOST(medians_and_their_intervals),
    TEST_DEVICE(a_run_collects_every_value_of_its_series),
    TEST_DEVICE(outputs_fall_on_their_multiples),
    TEST_DEVICE(a_host_hears_of_a_stop_within_few_steps),
    TEST_DEVICE(divergence_names_step_field_and_cell),
    TEST_DEVICE(a_field_that_the_series_does_not_see_is_found_at_the_end),
    TEST_DEVICE(a_series_alone_that_diverges_is_said_so),
    TEST_DEVICE(equal_runs_agree),
    TEST_DEVICE(runs_that_differ_in_one_bit_do_not_agree),
    TEST_DEVICE(a_run_that_does_not_repeat_itself_does_not_agree),
    TEST_DEVICE(a_run_that_repeats_its_state_alone_does_not_agree),
    TEST_DEVICE(the_chains_of_a_host_are_strict),
    TEST_DEVICE(fast_runs_agree_within_the_tolerance_and_not_beyond),
  };
  return TEST_RUN(argc, argv, cases);
}
