/* framework.c - what the framework makes of declarations, on every device. docs/solver.md's solvers
 * are run by new_solver.sh. */
#include "tests/solvers/framework/pond.h"

#include <math.h>

static trm_solver *created(trm_device *device, trm_precision precision, const char *key,
                           const char *text)
{
  trm_solver *solver = NULL;
  TEST_OK(pond_make(pond_table, device, precision, key, text, &solver));
  return solver;
}

static void advance(trm_solver *solver, uint64_t steps)
{
  while (steps > 0) {
    uint64_t done = 0;
    TEST_OK(trm_framework_advance(solver, steps, INFINITY, 1, &done));
    assert_true(done >= 1 && done <= steps);
    steps -= done;
  }
}

static double series_at(const trm_solver *solver, size_t i, size_t step)
{
  const trm_series *series = &solver->series[i];
  const size_t size = trm_type_size(series->type);
  double in_f64;
  float in_f32;
  TEST_OK(trm_buffer_read(series->buffer, (series->first + step) * size, size,
                          size == 8 ? (void *)&in_f64 : &in_f32));
  return (size == 8 ? in_f64 : (double)in_f32) / series->divisor;
}

/* The same by hand, in doubles: two components of 40 x 9 cells. */
enum { NX = 40, NY = 9, CELLS = NX * NY };
static void spread(const double *from, double rate, double *to)
{
  for (int y = 0; y < NY; y++)
    for (int x = 0; x < NX; x++) {
      const double here = from[y * NX + x];
      const double near = (from[y * NX + (x + NX - 1) % NX] + from[y * NX + (x + 1) % NX]) +
                          (from[(y + NY - 1) % NY * NX + x] + from[(y + 1) % NY * NX + x]);
      const int is_solid = x == 0 && y == 3;
      to[y * NX + x] = is_solid ? here : here + rate * (near - 4.0 * here);
    }
}

static void steps_are_those_of_the_declarations(trm_device *device)
{
  static double expected[2][2][CELLS], found[2 * CELLS], ages[CELLS];
  static unsigned char solids[CELLS];
  test_needs_f64(device);
  trm_solver *solver = created(device, TRM_F64, NULL, NULL);
  double sum = 0, highest = 0;
  for (int c = 0; c < 2; c++)
    for (int i = 0; i < CELLS; i++)
      expected[0][c][i] = c + (i % NX == NX / 2) * (i / NX + 1);
  for (int step = 0; step < 37; step++)
    for (int c = 0; c < 2; c++)
      spread(expected[step % 2][c], c ? 0.125 : 0.25, expected[1 - step % 2][c]);
  advance(solver, 37);
  TEST_OK(trm_framework_observe(solver));
  TEST_OK(trm_field_read(&solver->fields[0], found));
  TEST_SAME_BITS(found, expected[1], 2 * CELLS, TRM_TYPE_F64);
  TEST_OK(trm_field_read(&solver->fields[1], solids));
  for (int i = 0; i < CELLS; i++) assert_int_equal(solids[i], i == 3 * NX);
  TEST_OK(trm_field_read(&solver->fields[2], ages));
  for (int i = 0; i < CELLS; i++) assert_true(ages[i] == 37);
  TEST_OK(trm_field_read(&solver->fields[3], ages));
  for (int i = 0; i < CELLS; i++) assert_true(ages[i] == 74);
  for (int i = 0; i < CELLS; i++) { /* the series are those of the second component */
    sum += expected[1][1][i];
    highest = fmax(highest, expected[1][1][i]);
  }
  TEST_CLOSE(series_at(solver, 0, 36), sum / CELLS, 1e-12);
  TEST_CLOSE(series_at(solver, 1, 36), sum / CELLS, 1e-12);
  assert_true(series_at(solver, 2, 36) == highest);
  assert_int_equal(solver->step, 37);
  trm_framework_destroy(&solver);
  assert_null(solver);
}

static void batches_change_no_bit(trm_device *device)
{
  char whole[33], parts[33];
  static const uint64_t lengths[] = { 1, 2, 128, 3, 64, 7, 1, 90, 4 };
  trm_solver *a = created(device, TRM_F32, NULL, NULL), *b = created(device, TRM_F32, NULL, NULL);
  advance(a, 300);
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) advance(b, lengths[i]);
  TEST_OK(trm_solver_fingerprint(a, whole));
  TEST_OK(trm_solver_fingerprint(b, parts));
  assert_string_equal(whole, parts);
  for (size_t i = 0; i < 3; i++) /* the last batch of b is of 4 steps */
    assert_true(series_at(a, i, 299) == series_at(b, i, 3));
  trm_framework_destroy(&a);
  trm_framework_destroy(&b);
}

static void groups_of_a_row_do_what_cells_do(trm_device *device)
{
  trm_framework_declaration declaration = *pond_table;
  trm_solver *solver = NULL;
  static float ages[256 * NY];
  declaration.step[1].kernel = "pond_group";
  TEST_OK(pond_make(&declaration, device, TRM_F32, "grid.nx", "256", &solver));
  advance(solver, 5);
  TEST_OK(trm_field_read(&solver->fields[2], ages));
  for (int i = 0; i < 256 * NY; i++) assert_true(ages[i] == 5);
  trm_framework_destroy(&solver);
}

static void a_run_ends_at_its_time(trm_device *device)
{
  trm_solver *solver = created(device, TRM_F32, "pond.dt", "0.1");
  uint64_t done = 0;
  TEST_OK(trm_framework_advance(solver, 1000, 2.0, 1, &done));
  assert_int_equal(done, 20);
  TEST_CLOSE(solver->time, 2.0, 1e-12);
  TEST_OK(trm_framework_advance(solver, 1000, 2.05, 1, &done));
  assert_int_equal(done, 1);
  TEST_OK(trm_framework_advance(solver, 1000, 2.05, 1, &done));
  assert_int_equal(done, 0);
  TEST_OK(trm_framework_finish(solver, NULL));
  TEST_CLOSE(solver->results[0].value, 2.1, 1e-12);
  trm_framework_destroy(&solver);
}

/* Steps 38 to 57 from what a checkpoint keeps of the first 37, in another run. */
static void a_run_goes_on_from_its_kept_fields(trm_device *device)
{
  static double kept[4][2 * CELLS];
  char whole[33], parts[33];
  trm_solver *first = created(device, TRM_F32, NULL, NULL);
  trm_solver *second = created(device, TRM_F32, NULL, NULL);
  advance(first, 37);
  for (size_t i = 0; i < first->field_count; i++)
    if (first->fields[i].flags & TRM_FIELD_KEPT) {
      TEST_OK(trm_field_read(&first->fields[i], kept[i]));
      TEST_OK(trm_field_write(&second->fields[i], kept[i]));
    }
  TEST_OK(trm_solver_pond.restore(second, 37, first->time));
  TEST_OK(trm_solver_fingerprint(first, whole));
  TEST_OK(trm_solver_fingerprint(second, parts));
  assert_string_equal(whole, parts);
  advance(first, 20);
  advance(second, 20);
  assert_int_equal(second->step, 57);
  assert_true(second->time == first->time);
  TEST_OK(trm_solver_fingerprint(first, whole));
  TEST_OK(trm_solver_fingerprint(second, parts));
  assert_string_equal(whole, parts);
  for (size_t i = 0; i < 3; i++)
    assert_true(series_at(first, i, 19) == series_at(second, i, 19));
  trm_framework_destroy(&first);
  trm_framework_destroy(&second);
}

static void memory_is_said_before_and_is_what_is_asked_for(trm_device *device)
{
  const trm_solver_options run = { .precision = TRM_F32 };
  trm_config *config = pond_configured(NULL, NULL);
  trm_layout level_layout, solid_layout, age_layout;
  uint64_t bytes = 0;
  TEST_OK(trm_layout_rows(device, TRM_TYPE_F32, NX, NY, 1, 2, &level_layout));
  TEST_OK(trm_layout_rows(device, TRM_TYPE_U8, NX, NY, 1, 1, &solid_layout));
  TEST_OK(trm_layout_rows(device, TRM_TYPE_F32, NX, NY, 1, 1, &age_layout));
  TEST_OK(trm_framework_memory(pond_table, device, config, &run, &bytes));
  const uint64_t fields = (2 * level_layout.elements + 2 * age_layout.elements) * 4 +
                          solid_layout.elements;
  const uint64_t series = 3 * (65536 + TRM_FRAMEWORK_LONGEST) * 4, leaves_of_a_step = 2 * NY * 4;
  uint64_t slots = 64;
  while (slots > 2 && slots * 2 * leaves_of_a_step > fields / 2) slots /= 2;
  assert_int_equal(bytes, fields + series + slots * 2 * leaves_of_a_step);
  trm_config_destroy(&config);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(steps_are_those_of_the_declarations),
    TEST_DEVICE(batches_change_no_bit),
    TEST_DEVICE(groups_of_a_row_do_what_cells_do),
    TEST_DEVICE(a_run_ends_at_its_time),
    TEST_DEVICE(a_run_goes_on_from_its_kept_fields),
    TEST_DEVICE(memory_is_said_before_and_is_what_is_asked_for),
  };
  return TEST_RUN(argc, argv, cases);
}
