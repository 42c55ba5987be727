/* lbm_same.c - one run, one result: a strict lattice-Boltzmann run has the same state and the same
 * series, in every bit, on every backend and however it is taken through its steps. */
#include "tests/solvers/lbm/lbm_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Odd in both directions, with solids in the accelerated row; and one whose rows are long. */
static const int odd_cases[] = {LBM_ODD, LBM_ODD_BOX};

static void every_case_has_its_figures(trm_device *device)
{
  test_is_spared(device);
  for (int i = 0; i < LBM_CASES; i++) {
    if (lbm_cases[i].solids == COURSE && lbm_cases[i].steps > 10000) continue; /* lbm_bristol.c */
    for (int p = 0; p < lbm_precisions(device); p++)
      lbm_whole_run_matches(device, &lbm_cases[i], (trm_precision)p, NULL, "one batch");
  }
}

static void batches_of_any_size_give_the_same_bits(trm_device *device)
{
  test_is_spared(device);
  static const uint64_t sizes[] = {1, 7, 64, 600};
  for (size_t c = 0; c < COUNT(odd_cases); c++)
    for (int p = 0; p < lbm_precisions(device); p++)
      for (size_t i = 0; i < COUNT(sizes); i++) {
        char what[64];
        lbm_run run;
        lbm_begin(&run, device, &lbm_cases[odd_cases[c]], (trm_precision)p, NULL);
        lbm_steps(&run, run.lbm->steps, sizes[i], (int)c); /* second case: sync each batch */
        snprintf(what, sizeof what, "batches of %d", (int)sizes[i]);
        lbm_matches(&run, what);
        lbm_end(&run);
      }
}

static void batches_of_changing_sizes_give_the_same_bits(trm_device *device)
{
  for (int p = 0; p < lbm_precisions(device); p++) {
    lbm_run run;
    lbm_begin(&run, device, &lbm_cases[LBM_EVEN], (trm_precision)p, NULL);
    for (uint64_t left = run.lbm->steps, size = 1; left > 0; size = size * 5 % 131) {
      const uint64_t count = size < left ? size : left;
      lbm_steps(&run, count, 0, size % 2 == 0 || count == left);
      left -= count;
    }
    lbm_matches(&run, "batches of changing sizes");
    lbm_end(&run);
  }
}

static void two_halves_are_the_whole(trm_device *device)
{
  for (int p = 0; p < lbm_precisions(device); p++) {
    lbm_run run;
    lbm_begin(&run, device, &lbm_cases[LBM_EVEN], (trm_precision)p, NULL);
    lbm_steps(&run, 1000, 0, 1);
    free(lbm_values(&run, "populations"));
    lbm_steps(&run, 1000, 0, 1);
    lbm_matches(&run, "1000 + 1000 steps");
    lbm_end(&run);
  }
}

/* The derived fields may lie where the next step writes. */
static void looking_does_not_disturb(trm_device *device)
{
  for (int p = 0; p < lbm_precisions(device); p++) {
    lbm_run run;
    lbm_begin(&run, device, &lbm_cases[LBM_ODD], (trm_precision)p, NULL);
    TEST_OK(run.solver->type->observe(run.solver));
    while (run.solver->step < run.lbm->steps) {
      lbm_steps(&run, 111, 0, 1);
      TEST_OK(run.solver->type->observe(run.solver));
      free(lbm_values(&run, "velocity"));
    }
    lbm_matches(&run, "observed every 111 steps");
    lbm_end(&run);
  }
}

static void plain_launches_give_the_same_bits(trm_device *device)
{
  const trm_device_options options = {.plain_replay = 1};
  trm_device *plain = test_open(test_backend(device), &options);
  for (size_t c = 0; c < COUNT(odd_cases); c++)
    for (int p = 0; p < lbm_precisions(plain); p++)
      lbm_whole_run_matches(plain, &lbm_cases[odd_cases[c]], (trm_precision)p, NULL,
                            "launch by launch");
  trm_device_close(&plain);
}

/* A host's shapes are fixed: what is asked for changes nothing there. */
static void group_shapes_give_the_same_bits(trm_device *device)
{
  static const int shapes[][2] = {{64, 1}, {128, 2}, {256, 1}};
  for (size_t i = 0; i < COUNT(shapes); i++) {
    const trm_solver_options options = {.row_group_x = shapes[i][0], .row_group_y = shapes[i][1]};
    char what[64];
    snprintf(what, sizeof what, "groups of %dx%d", shapes[i][0], shapes[i][1]);
    for (int p = 0; p < lbm_precisions(device); p++) {
      if (!test_takes(device, i, (trm_precision)p)) continue;
      lbm_run run;
      lbm_begin(&run, device, &lbm_cases[LBM_ODD_BOX], (trm_precision)p, &options);
      if (!trm_device_describe(device)->is_host) {
        assert_int_equal(run.solver->program->row_group_x, shapes[i][0]);
        assert_int_equal(run.solver->program->row_group_y, shapes[i][1]);
      }
      lbm_steps(&run, run.lbm->steps, 0, 0);
      lbm_matches(&run, what);
      lbm_end(&run);
      lbm_whole_run_matches(device, &lbm_cases[LBM_WIDE], (trm_precision)p, &options, what);
      lbm_whole_run_matches(device, &lbm_cases[LBM_TINY], (trm_precision)p, &options, what);
    }
  }
}

/* ---- the host's own ways ----------------------------------------------------- */

static void on_host(const trm_device_options *options, const int *cases, size_t count)
{
  char what[96];
  trm_device *device = test_open("openmp", options);
  snprintf(what, sizeof what, "%d threads, wavefronts of %d", options->threads,
           options->wavefront);
  assert_int_equal(trm_device_describe(device)->threads, options->threads);
  for (size_t c = 0; c < count; c++)
    for (int p = 0; p < 2; p++)
      lbm_whole_run_matches(device, &lbm_cases[cases[c]], (trm_precision)p, NULL, what);
  trm_device_close(&device);
}

static void any_number_of_threads_gives_the_same_bits(void)
{
  static const int cases[] = {LBM_ODD, LBM_ODD_BOX, LBM_TINY, LBM_FLAT_ROCKS};
  for (int threads = 1; threads <= 3; threads++)
    on_host(&(trm_device_options){.threads = threads}, cases, COUNT(cases));
  on_host(&(trm_device_options){.threads = 7}, cases + 2, 1);
}

static void wavefronts_of_any_depth_give_the_same_bits(void)
{
  static const int cases[] = {LBM_ODD, LBM_WIDE};
  for (int depth = 1; depth <= 16; depth++)
    on_host(&(trm_device_options){.threads = 1 + depth % 3, .wavefront = depth}, cases,
            COUNT(cases));
  on_host(&(trm_device_options){.threads = 1, .wavefront = 64}, cases, COUNT(cases));
}

static void wavefronts_on_grids_too_small_for_them_give_the_same_bits(void)
{
  static const int cases[] = {LBM_TINY, LBM_NARROW, LBM_SHORT_ROWS, LBM_FLAT, LBM_FLAT_ROCKS,
                              LBM_LONG_ROWS, LBM_CHANNEL};
  for (int threads = 1; threads <= 3; threads++)
    for (int depth = 1; depth <= 16; depth++)
      on_host(&(trm_device_options){.threads = threads, .wavefront = depth}, cases, COUNT(cases));
}

/* Instances without a fused multiply-add in hardware are slow: short runs. */
static void every_instruction_set_gives_the_same_bits(void)
{
  static const char *const isas[] = {"baseline", "x86-64-v3", "x86-64-v4", "reverse"};
  static const int cases[] = {LBM_ONE_STEP, LBM_SHORT_ROWS, LBM_FLAT_ROCKS, LBM_LONG_ROWS,
                              LBM_CHANNEL};
  int seen = 0;
  trm_device *device = test_open("openmp", NULL); /* skips where there is none */
  trm_device_close(&device);
  for (size_t i = 0; i < COUNT(isas); i++) {
    const trm_device_options options = {.threads = 1 + (int)i % 3};
    setenv("TRIREME_ISA", isas[i], 1);
    const trm_status status = trm_device_open(test_context(), "openmp", &options, &device);
    if (status == TRM_ERROR_UNSUPPORTED) continue; /* this processor lacks it */
    TEST_OK(status);
    for (size_t c = 0; c < COUNT(cases); c++)
      for (int p = 0; p < 2; p++) {
        lbm_run run;
        lbm_begin(&run, device, &lbm_cases[cases[c]], (trm_precision)p, NULL);
        assert_string_equal(run.solver->program->isa, isas[i]);
        lbm_steps(&run, run.lbm->steps, 0, 0);
        lbm_matches(&run, isas[i]);
        lbm_end(&run);
      }
    trm_device_close(&device);
    seen++;
  }
  unsetenv("TRIREME_ISA");
  assert_true(seen >= 1);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(every_case_has_its_figures),
    TEST_DEVICE(batches_of_any_size_give_the_same_bits),
    TEST_DEVICE(batches_of_changing_sizes_give_the_same_bits),
    TEST_DEVICE(two_halves_are_the_whole),
    TEST_DEVICE(looking_does_not_disturb),
    TEST_DEVICE(plain_launches_give_the_same_bits),
    TEST_DEVICE(group_shapes_give_the_same_bits),
    TEST_HOST(any_number_of_threads_gives_the_same_bits),
    TEST_HOST(wavefronts_of_any_depth_give_the_same_bits),
    TEST_HOST(wavefronts_on_grids_too_small_for_them_give_the_same_bits),
    TEST_HOST(every_instruction_set_gives_the_same_bits),
  };
  return TEST_RUN(argc, argv, cases);
}
