/* kit.c - the kit: what it makes of declarations, on every device, and the sentence for each
 * mistake in them. Its solver is pond.k; docs/solver.md's are run by new_solver.sh. */
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/kit/kit.h"
#include "tests/solvers/kit/pond_params.h"

typedef struct pond { pond_params params; int unused; } pond;

static const trm_option options[] = {
  TRM_KIT_GRID_2D("pond", "40", "9", "m"), TRM_KIT_DT("pond", "s"),
  { "pond.rate", TRM_OPTION_REAL, "1", "0.25", 0, 1, 0, NULL, "how fast" },
};

static trm_status prepare(trm_kit *kit, const trm_config *config)
{
  pond *p = kit->own;
  TRM_TRY(trm_kit_choose_dt(kit, config, 1.0));
  p->params = (pond_params){ .rate = trm_config_real(config, "pond.rate"), .shares = { 1, 0.5 } };
  return TRM_OK;
}

static double level(const trm_kit *kit, trm_kit_cell at)
{
  return at.component + (at.x == kit->nx / 2) * (at.y + 1);
}

static double solid(const trm_kit *kit, trm_kit_cell at)
{
  (void)kit;
  return at.x == 0 && at.y == 3;
}

TRM_KIT_SOLVER(pond, 2, "water that spreads", options,
  .steps = "12", .time_unit = "s", .own_bytes = sizeof(pond), .prepare = prepare,
  .fields = { { .name = "level", .components = 2, .swaps = 1, .flags = TRM_FIELD_STATE,
                .start = level },
              { .name = "solid", .is_flags = 1, .start = solid },
              { .name = "age", .is_computed = 1, .flags = TRM_FIELD_STATE },
              { .name = "twice", .is_computed = 1 } },
  .step = { { .kernel = "pond_step", .arrays = "level level' solid sums heights" },
            { .kernel = "pond_grow", .arrays = "age" } },
  .observe = { { .kernel = "pond_show", .arrays = "age twice" } },
  .series = { { "total", "m3", .leaves = "sums", .fold = TRM_KIT_INTEGRAL },
              { "mean", "m", .leaves = "sums", .fold = TRM_KIT_MEAN },
              { "highest", "m", .leaves = "heights", .fold = TRM_KIT_LARGEST } });

/* ---- runs --------------------------------------------------------------------- */

static trm_config *configured(const char *key, const char *text)
{
  const trm_option *const tables[] = { options };
  const size_t counts[] = { sizeof options / sizeof options[0] };
  trm_config *config = NULL;
  TEST_OK(trm_config_create(tables, counts, 1, &config));
  if (key) TEST_OK(trm_config_set(config, key, text, "the test"));
  return config;
}

static trm_status create(const trm_kit_plan *plan, trm_device *device, trm_precision precision,
                         const char *key, const char *text, trm_solver **out)
{
  const trm_solver_options run = { .precision = precision };
  trm_config *config = configured(key, text);
  const trm_status status = trm_kit_create(plan, device, config, &run, out);
  trm_config_destroy(&config);
  return status;
}

static trm_solver *created(trm_device *device, trm_precision precision, const char *key,
                           const char *text)
{
  trm_solver *solver = NULL;
  TEST_OK(create(&pond_plan, device, precision, key, text, &solver));
  return solver;
}

static void advance(trm_solver *solver, uint64_t steps)
{
  while (steps > 0) {
    uint64_t done = 0;
    TEST_OK(trm_kit_advance(solver, steps, INFINITY, 1, &done));
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
  TEST_OK(trm_kit_observe(solver));
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
  trm_kit_destroy(&solver);
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
  trm_kit_destroy(&a);
  trm_kit_destroy(&b);
}

static void a_run_ends_at_its_time(trm_device *device)
{
  trm_solver *solver = created(device, TRM_F32, "pond.dt", "0.1");
  uint64_t done = 0;
  TEST_OK(trm_kit_advance(solver, 1000, 2.0, 1, &done));
  assert_int_equal(done, 20);
  TEST_CLOSE(solver->time, 2.0, 1e-12);
  TEST_OK(trm_kit_advance(solver, 1000, 2.05, 1, &done));
  assert_int_equal(done, 1);
  TEST_OK(trm_kit_advance(solver, 1000, 2.05, 1, &done));
  assert_int_equal(done, 0);
  TEST_OK(trm_kit_finish(solver, NULL));
  TEST_CLOSE(solver->results[0].value, 2.1, 1e-12);
  trm_kit_destroy(&solver);
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
  trm_kit_destroy(&first);
  trm_kit_destroy(&second);
}

static void memory_is_said_before_and_is_what_is_asked_for(trm_device *device)
{
  const trm_solver_options run = { .precision = TRM_F32 };
  trm_config *config = configured(NULL, NULL);
  trm_layout level_layout, solid_layout, age_layout;
  uint64_t bytes = 0;
  TEST_OK(trm_layout_rows(device, TRM_TYPE_F32, NX, NY, 1, 2, &level_layout));
  TEST_OK(trm_layout_rows(device, TRM_TYPE_U8, NX, NY, 1, 1, &solid_layout));
  TEST_OK(trm_layout_rows(device, TRM_TYPE_F32, NX, NY, 1, 1, &age_layout));
  TEST_OK(trm_kit_memory(&pond_plan, device, config, &run, &bytes));
  const uint64_t fields = (2 * level_layout.elements + 2 * age_layout.elements) * 4 +
                          solid_layout.elements;
  const uint64_t series = 3 * (65536 + TRM_KIT_LONGEST) * 4, leaves_of_a_step = 2 * NY * 4;
  uint64_t slots = 64;
  while (slots > 2 && slots * 2 * leaves_of_a_step > fields / 2) slots /= 2;
  assert_int_equal(bytes, fields + series + slots * 2 * leaves_of_a_step);
  trm_config_destroy(&config);
}

/* ---- parts without the kit ------------------------------------------------------ */

static void reals_go_to_and_from_doubles(trm_device *device)
{
  static const double values[] = { 1.0 / 3.0, -2.5, 1e-3 };
  test_needs_f64(device);
  for (int p = 0; p < 2; p++) {
    const trm_type type = trm_real_type((trm_precision)p);
    trm_buffer *buffer = NULL;
    const trm_kit_buffer list[] = { { &buffer, "reals", 5, type, 1, NULL } };
    double found[5];
    TEST_OK(trm_kit_allocate(device, list, 1, "five reals"));
    TEST_OK(trm_kit_write_reals(buffer, type, 1, values, 3));
    TEST_OK(trm_kit_read_reals(buffer, type, 0, found, 5));
    assert_true(found[0] == 0 && found[4] == 0);
    for (int i = 0; i < 3; i++)
      assert_true(found[1 + i] == (type == TRM_TYPE_F64 ? values[i] : (double)(float)values[i]));
    trm_kit_release(list, 1);
    assert_null(buffer);
  }
}

static double ten_times(const void *user, trm_kit_cell at)
{
  (void)user;
  return 10 * at.y + at.x;
}

/* Three ghosts on rows of two cells: the row comes round more than once. */
static void ghosts_are_those_of_the_layout(trm_device *device)
{
  trm_kit_shape shape = { TRM_TYPE_F32, 2, 2, 1, 1, { 3, 8, 16, 19, 3 } };
  trm_buffer *buffer = NULL;
  const trm_kit_buffer list[] = { { &buffer, "cells", 19, TRM_TYPE_F32, 0, NULL } };
  double found[19];
  TEST_OK(trm_kit_allocate(device, list, 1, "cells"));
  TEST_OK(trm_kit_upload(buffer, &shape, ten_times, NULL));
  TEST_OK(trm_kit_read_reals(buffer, TRM_TYPE_F32, 0, found, 19));
  for (int y = 0; y < 2; y++)
    for (int x = -3; x < 5; x++) assert_true(found[3 + 8 * y + x] == 10 * y + (x + 4) % 2);
  shape.layout.ghosts = 0;
  TEST_OK(trm_kit_upload(buffer, &shape, ten_times, NULL));
  TEST_OK(trm_kit_read_reals(buffer, TRM_TYPE_F32, 0, found, 19));
  assert_true(found[2] == 0 && found[3] == 0 && found[4] == 1 && found[5] == 0);
  trm_kit_release(list, 1);
}

static double told_apart(const void *user, trm_kit_cell at)
{
  (void)user;
  return 1 + at.x + 10 * at.y + 100 * at.z + 1000 * at.component;
}

/* Rows far apart: a component goes in three parts, and what lies between rows is zero. */
static void a_first_state_goes_in_parts(trm_device *device)
{
  enum { ROW = 1 << 19, ROWS = 5, ALL = 2 * ROWS * ROW };
  const trm_kit_shape shape = { TRM_TYPE_F32, 3, 1, ROWS, 2, { 4, ROW, ROWS * ROW, ALL, 1 } };
  trm_buffer *buffer = NULL;
  const trm_kit_buffer list[] = { { &buffer, "cells", ALL, TRM_TYPE_F32, 0, NULL } };
  float *found = malloc(ALL * sizeof *found);
  TEST_OK(trm_kit_allocate(device, list, 1, "cells"));
  TEST_OK(trm_kit_upload(buffer, &shape, told_apart, NULL));
  TEST_OK(trm_buffer_read(buffer, 0, ALL * sizeof *found, found));
  for (int i = 0; i < ALL; i++) {
    const int x = i % ROW - 4, row = i / ROW;
    const trm_kit_cell at = { row / ROWS, (x + 3) % 3, 0, row % ROWS };
    const double expected = x >= -1 && x <= 3 ? told_apart(NULL, at) : 0.0;
    if ((double)found[i] != expected) fail_msg("element %d is %g", i, (double)found[i]);
  }
  free(found);
  trm_kit_release(list, 1);
}

/* ---- mistakes ------------------------------------------------------------------ */

static trm_device *any(void)
{
  return test_open("openmp", NULL);
}

static void refuse_case(const trm_kit_plan *plan, const char *key, const char *text,
                        trm_status status, const char *words)
{
  trm_device *device = any();
  trm_solver *solver = NULL;
  TEST_FAILS(create(plan, device, TRM_F32, key, text, &solver), status, words);
  assert_null(solver);
  trm_device_close(&device);
}

static void refuse(const trm_kit_plan *plan, const char *words)
{
  refuse_case(plan, NULL, NULL, TRM_ERROR_INVALID, words);
  assert_non_null(strstr(trm_error_last()->text, "solver pond: "));
}

#define CHANGED(change, words) \
  do { \
    trm_kit_plan plan = pond_plan; \
    plan.change; \
    refuse(&plan, words); \
  } while (0)

static void names_are_checked(void)
{
  CHANGED(fields[0].start = NULL, "the field 'level' has no start");
  CHANGED(fields[2].name = "level", "two fields are called 'level'");
  CHANGED(fields[0].name = NULL, "entry 0 of .fields has no .name");
  CHANGED(fields[5].swaps = 1, "entry 5 of .fields has no .name");
  CHANGED(series[4].leaves = "sums", "entry 4 of .series has no .name");
  CHANGED(fields[2].name = "a ge", "the field 'a ge': the name of an array has 1 to 47 letters");
  CHANGED(fields[2].name = "", "the field '': the name");
  CHANGED(series[2].leaves = "heights'", "the leaves 'heights'': the name");
  CHANGED(fields[0].components = -1, "the field 'level' has -1 components");
  CHANGED(series[1].name = "total", "two series are called 'total'");
  CHANGED(series[2].leaves = NULL, "the series 'highest' has no leaves");
  CHANGED(series[1].fold = TRM_KIT_LARGEST, "the series 'total' and 'mean' are a sum and a largest "
          "value of the same leaves 'sums'");
  CHANGED(series[2].leaves = "age", "the leaves 'age' of the series 'highest' have the name");
}

static void launches_are_checked(void)
{
  CHANGED(step[0].kernel = "pond_stop", "the kernel 'pond_stop', and pond.k has none of that name; "
          "did you mean 'pond_step'?");
  CHANGED(step[1].arrays = "aged", "pond_grow names the array 'aged', which is not declared; did "
          "you mean 'age'?");
  CHANGED(step[0].arrays = "level level' solid sums", "names 4 arrays (\"level level' solid "
          "sums\"), and the kernel takes 5");
  CHANGED(step[1].arrays = "age twice", "names 2 arrays");
  CHANGED(fields[1].is_flags = 0, "the launch of pond_step gives it 'solid', an array of real, for "
          "one of uchar");
  CHANGED(step[1].arrays = "solid", "the launch of pond_grow gives it 'solid', an array of uchar, "
          "for one of real; give another, or change .is_flags");
  CHANGED(step[1].arrays = NULL, "names 0 arrays");
  CHANGED(step[1].arrays = "age'", "'age' is not a field with a next state");
  CHANGED(step[0].kernel = NULL, "entry 0 of .step has no .kernel");
  CHANGED(step[0].kernel = "pond_group", "pond_group is a group kernel");
  CHANGED(step[0].arrays = "level level solid sums heights", "names 'level' twice and writes it; a "
          "kernel takes an array that it writes once; the next state");
  CHANGED(step[0].arrays = "level level' solid sums sums", "names 'sums' twice");
  CHANGED(step[0].arrays = "level' level solid sums heights", "no kernel of a step writes level'");
  CHANGED(series[3] = ((trm_kit_series){ .name = "extra", .leaves = "extras" }), "no kernel of a "
          "step writes the leaves 'extras'");
  CHANGED(fields[0].flags = TRM_FIELD_HASHED, "a step changes the field 'level', which no "
          "checkpoint would keep");
  CHANGED(observe[0].kernel = NULL, "entry 0 of .observe has no .kernel");
  CHANGED(observe[0].arrays = "twice age", "the field 'twice' is computed, and no kernel writes "
          "it");
}

static const trm_program_source other_params = {
  "pond", "pond.k", "typedef struct pond_params { real rate; trm_index lake_first; } pond_params;",
  pond_modules
};
static const trm_program_source odd_params = {
  "pond", "pond.k", "typedef struct pond_params { float rate; } pond_params;", pond_modules
};
static const trm_program_source int_params = {
  "pond", "pond.k", "typedef struct pond_params { int level_row; } pond_params;", pond_modules
};

static void parameters_are_checked(void)
{
  CHANGED(params = "lake_params", "no `typedef struct lake_params");
  CHANGED(params_bytes = 8, "bytes in the kernel text and 8 on the host");
  CHANGED(own_bytes = 8, ".own_bytes is 8");
  CHANGED(source = &odd_params, "an unknown type at \"float rate");
  trm_kit_plan plan = pond_plan;
  plan.source = &other_params;
  plan.params_bytes = 16;
  refuse(&plan, "pond_params.lake_first is the layout of a field that is not declared");
  plan.source = &int_params;
  plan.params_bytes = 4;
  refuse(&plan, "pond_params.level_row is not a trm_index");
}

static void a_program_is_checked_against_its_host_side(void)
{
  static const char *const kernels[] = { "pond_grow", NULL };
  const trm_solver_options run = { .precision = TRM_F32 };
  trm_kit_recipe recipe = { &pond_source, NULL, "pond_params", 8, kernels };
  trm_device *device = any();
  trm_kit_program program;
  TEST_FAILS(trm_kit_program_create(device, &recipe, &run, &program), TRM_ERROR_INVALID,
             "in pond.k and 8 on the host");
  trm_kit_program_destroy(&program);
  recipe.params_bytes = sizeof(pond_params);
  TEST_OK(trm_kit_program_create(device, &recipe, &run, &program));
  trm_kit_program_destroy(&program);
  trm_device_close(&device);
}

static trm_status prepare_nothing(trm_kit *kit, const trm_config *config)
{
  (void)config;
  kit->dt = NAN;
  return TRM_OK;
}

static trm_status prepare_no_step(trm_kit *kit, const trm_config *config)
{
  (void)kit, (void)config;
  return TRM_OK;
}

static trm_status prepare_endless(trm_kit *kit, const trm_config *config)
{
  return trm_kit_choose_dt(kit, config, INFINITY);
}

static double no_number(const trm_kit *kit, trm_kit_cell at)
{
  return at.x == kit->nx - 1 && at.y == 2 ? NAN : 0;
}

static void numbers_are_checked(void)
{
  refuse_case(&pond_plan, "pond.dt", "1.5", TRM_ERROR_INPUT, "pond.dt = 1.5 s is too long");
  CHANGED(prepare = prepare_nothing, "prepare leaves a step of nan");
  CHANGED(prepare = prepare_no_step, "prepare leaves the key pond.dt without effect; call "
          "trm_kit_choose_dt");
  CHANGED(prepare = prepare_endless, "is given inf as the longest stable step");
  CHANGED(fields[0].start = no_number, "start of the field 'level' gives nan for component 0 of "
          "cell 39, 2, 0");
}

static const trm_option keys_of_lake[] = {
  TRM_KIT_GRID_2D("lake", "40", "9", "m"), TRM_KIT_DT("pond", "s"),
};
static const trm_option keys_in_3d[] = {
  TRM_KIT_GRID_3D("pond", "40", "9", "2", "m"), TRM_KIT_DT("pond", "s"),
};
static const trm_option keys_without_dt[] = { TRM_KIT_GRID_2D("pond", "40", "9", "m") };

static void refuse_keys(const trm_option *keys, size_t count, const char *words)
{
  trm_solver_type type = trm_solver_pond;
  trm_kit_plan plan = pond_plan;
  type.options = keys;
  type.option_count = count;
  plan.type = &type;
  refuse(&plan, words);
}
#define REFUSE_KEYS(keys, words) refuse_keys(keys, sizeof keys / sizeof keys[0], words)

static void keys_and_dimensions_are_checked(void)
{
  CHANGED(dimensions = 1, "a grid of 1 dimensions; TRM_KIT_SOLVER takes 2 or 3");
  CHANGED(dimensions = 4, "a grid of 4 dimensions");
  CHANGED(dimensions = 3, "needs the key grid.nz");
  REFUSE_KEYS(keys_of_lake, "the key lake.length_x would have no effect; the kit reads "
              "pond.length_x");
  REFUSE_KEYS(keys_in_3d, "the key grid.nz, and a grid of 2 dimensions");
  REFUSE_KEYS(keys_without_dt, "trm_kit_choose_dt reads the key pond.dt; declare it by TRM_KIT_DT");
}

static void sizes_that_overflow_are_refused(void)
{
  const trm_solver_options run = { .precision = TRM_F64 };
  trm_device *device = any();
  trm_solver *solver = NULL;
  trm_config *config = configured("grid.nx", "16777216");
  trm_kit_plan plan = pond_plan;
  TEST_OK(trm_config_set(config, "grid.ny", "127", "the test"));
  plan.fields[0].components = INT32_MAX;
  TEST_FAILS(trm_kit_create(&plan, device, config, &run, &solver), TRM_ERROR_OVERFLOW,
             "solver pond: the field 'level' of 2147483647 components on 16777216 x 127 x 1 cells");
  TEST_OK(trm_config_set(config, "grid.ny", "128", "the test"));
  TEST_FAILS(trm_kit_create(&plan, device, config, &run, &solver), TRM_ERROR_INPUT,
             "a grid of 16777216 x 128 x 1 cells is too large");
  TEST_OK(trm_config_set(config, "grid.ny", "127", "the test"));
  plan.fields[0].components = 4096; /* no machine has it: said before anything is allocated */
  TEST_FAILS(trm_kit_create(&plan, device, config, &run, &solver), TRM_ERROR_NO_DEVICE_MEMORY,
             "a grid of 16777216 x 127 cells");
  trm_config_destroy(&config);
  trm_device_close(&device);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(steps_are_those_of_the_declarations),
    TEST_DEVICE(batches_change_no_bit),
    TEST_DEVICE(a_run_ends_at_its_time),
    TEST_DEVICE(a_run_goes_on_from_its_kept_fields),
    TEST_DEVICE(memory_is_said_before_and_is_what_is_asked_for),
    TEST_DEVICE(reals_go_to_and_from_doubles),
    TEST_DEVICE(ghosts_are_those_of_the_layout),
    TEST_DEVICE(a_first_state_goes_in_parts),
    TEST_HOST(a_program_is_checked_against_its_host_side),
    TEST_HOST(names_are_checked),
    TEST_HOST(launches_are_checked),
    TEST_HOST(parameters_are_checked),
    TEST_HOST(numbers_are_checked),
    TEST_HOST(keys_and_dimensions_are_checked),
    TEST_HOST(sizes_that_overflow_are_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
