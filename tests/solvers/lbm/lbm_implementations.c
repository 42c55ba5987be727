/* lbm_implementations.c - the lattice-Boltzmann ladder: each implementation has the state and the
 * series of the solver's own kernel in every bit, and does what its name says. */
#include "tests/solvers/lbm/lbm_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/counters.h"
#include "solvers/implementations.h"

/* The value of lbm.implementation in an implementation's settings. */
static void variant_of(const trm_implementation *implementation, char text[64])
{
  const char *begin = strstr(implementation->settings, "lbm.implementation=");
  assert_non_null(begin);
  assert_int_equal(sscanf(begin, "lbm.implementation=%63s", text), 1);
}

static const trm_implementation *implementation_named(const char *name)
{
  const trm_implementations *ladder = lbm_type()->implementations;
  for (size_t i = 0; i < ladder->count; i++)
    if (strcmp(ladder->list[i].name, name) == 0) return &ladder->list[i];
  fail_msg("no implementation is called %s", name);
  return NULL;
}

static void every_implementation_matches(trm_device *device, const int *cases, size_t count)
{
  const trm_implementations *ladder = lbm_type()->implementations;
  for (size_t r = 0; r < ladder->count; r++)
    for (size_t c = 0; c < count; c++)
      for (int p = 0; p < lbm_precisions(device); p++) {
        lbm_run run;
        char variant[64];
        variant_of(&ladder->list[r], variant);
        if (strcmp(variant, "best") == 0) continue; /* lbm_same.c */
        lbm_begin_variant(&run, device, &lbm_cases[cases[c]], (trm_precision)p, variant);
        lbm_steps(&run, run.lbm->steps, 0, 0);
        lbm_matches(&run, variant);
        lbm_end(&run);
      }
}

/* Rows of less than a leaf, of some, and longer than a span; rocks in the accelerated row. */
static void every_implementation_has_the_same_bits(trm_device *device)
{
  test_is_spared(device);
  static const int cases[] = {LBM_TINY, LBM_SHORT_ROWS, LBM_FLAT_ROCKS, LBM_LONG_ROWS};
  every_implementation_matches(device, cases, COUNT(cases));
}

static void every_implementation_has_the_same_bits_for_longer(trm_device *device)
{
  static const int cases[] = {LBM_ODD, LBM_ODD_BOX, LBM_EVEN, LBM_CHANNEL, LBM_COURSE_START};
  test_is_long();
  every_implementation_matches(device, cases, COUNT(cases));
}

/* Batches that end canonical and batches that do not. */
static void batches_do_not_change_an_implementation(trm_device *device)
{
  const trm_implementations *ladder = lbm_type()->implementations;
  for (size_t r = 0; r < ladder->count; r++) {
    lbm_run run;
    char variant[64];
    variant_of(&ladder->list[r], variant);
    lbm_begin_variant(&run, device, &lbm_cases[LBM_FLAT_ROCKS], TRM_F32, variant);
    lbm_steps(&run, 101, 7, 0);
    TEST_OK(run.solver->type->observe(run.solver));
    lbm_steps(&run, 99, 10, 1);
    TEST_OK(run.solver->type->observe(run.solver));
    lbm_steps(&run, run.lbm->steps - 200, 0, 0);
    lbm_matches(&run, variant);
    lbm_end(&run);
  }
}

/* Sums of more leaves than fit a chunk: one item keeps the order of the tree. */
static void one_item_sums_as_a_tree_does(trm_device *device)
{
  static const lbm_case columns = {.name = "columns", .nx = 5, .ny = 9001, .steps = 3,
                                   .solids = ROCKS};
  lbm_print prints[2];
  static const char *const variants[] = {"best", "bristol-swapped"};
  for (size_t i = 0; i < COUNT(variants); i++) {
    lbm_run run;
    lbm_begin_variant(&run, device, &columns, TRM_F32, variants[i]);
    lbm_steps(&run, columns.steps, 0, 0);
    prints[i] = lbm_prints(&run);
    lbm_end(&run);
  }
  assert_string_equal(prints[0].state, prints[1].state);
  assert_string_equal(prints[0].series, prints[1].series);
}

/* The commands of ten steps of an implementation, past the first step. */
static trm_counters counters_of(trm_device *device, const char *implementation)
{
  lbm_run run;
  char variant[64];
  variant_of(implementation_named(implementation), variant);
  lbm_begin_variant(&run, device, &lbm_cases[LBM_FLAT_ROCKS], TRM_F32, variant);
  uint64_t done;
  TEST_OK(run.solver->type->advance(run.solver, 1, (double)INFINITY, 0, &done));
  const trm_counters before = trm_device_counters(device);
  TEST_OK(run.solver->type->advance(run.solver, 10, (double)INFINITY, 0, &done));
  const trm_counters after = trm_device_counters(device);
  lbm_end(&run);
  return (trm_counters){.launches = after.launches - before.launches,
                        .copies = after.copies - before.copies,
                        .writes = after.writes - before.writes,
                        .reads = after.reads - before.reads,
                        .copied_bytes = after.copied_bytes - before.copied_bytes,
                        .written_bytes = after.written_bytes - before.written_bytes,
                        .read_bytes = after.read_bytes - before.read_bytes};
}

static void implementations_do_what_they_are_called(trm_device *device)
{
  const lbm_case *lbm = &lbm_cases[LBM_FLAT_ROCKS];
  const uint64_t lattice = 9u * sizeof(float) * (uint64_t)(lbm->nx * lbm->ny);
  const trm_counters copied = counters_of(device, "copied"), resident = counters_of(device,
                                                                                    "resident");
  const trm_counters fused = counters_of(device, "fused"), swapped = counters_of(device, "swapped");
  const trm_counters tree = counters_of(device, "tree");
  assert_int_equal(copied.written_bytes, 10 * lattice);
  assert_int_equal(copied.read_bytes, 10 * lattice);
  assert_int_equal(copied.launches, 60); /* acceleration, four functions, sum */
  assert_int_equal(resident.launches, 60);
  assert_int_equal(resident.writes + resident.reads, 0);
  assert_int_equal(fused.launches, 30);
  assert_int_equal(fused.copied_bytes, 10 * lattice);
  assert_int_equal(swapped.launches, 30);
  assert_int_equal(swapped.copies, 0);
  assert_int_equal(tree.launches, 30); /* 20 leaves: one level of the reduction */
}

static trm_burden burden_of(const lbm_run *run)
{
  trm_burden out = {0};
  lbm_type()->implementations->burden(run->solver, &out);
  return out;
}

static void implementations_tell_what_is_serial_and_what_diverges(trm_device *device)
{
  lbm_run run;
  trm_burden burden;
  lbm_begin_variant(&run, device, &lbm_cases[LBM_CHANNEL], TRM_F32, "bristol-arrays");
  burden = burden_of(&run);
  assert_true(burden.serial_values == 70.0 * 18.0);
  assert_true(burden.groups == 3.0 * 18.0);
  assert_true(burden.divergent_groups == 0.0); /* the wall is a whole row */
  lbm_end(&run);
  lbm_begin_variant(&run, device, &lbm_cases[LBM_ODD_BOX], TRM_F32, "bristol-tree");
  burden = burden_of(&run);
  assert_true(burden.serial_values == 0.0);
  assert_true(burden.groups == 5.0 * 67.0);
  assert_true(burden.divergent_groups == 2.0 * 65.0); /* columns 0 and 129 */
  lbm_end(&run);
  lbm_begin_variant(&run, device, &lbm_cases[LBM_ODD_BOX], TRM_F32, "bristol-selects");
  burden = burden_of(&run);
  assert_true(burden.divergent_groups == 0.0);
  lbm_end(&run);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(every_implementation_has_the_same_bits),
    TEST_DEVICE(every_implementation_has_the_same_bits_for_longer),
    TEST_DEVICE(batches_do_not_change_an_implementation),
    TEST_DEVICE(one_item_sums_as_a_tree_does),
    TEST_DEVICE(implementations_do_what_they_are_called),
    TEST_DEVICE(implementations_tell_what_is_serial_and_what_diverges),
  };
  return TEST_RUN(argc, argv, cases);
}
