/* framework_refusals.c - the sentence for each mistake in what the framework is given. */
#include "tests/solvers/framework/pond.h"

#include <math.h>
#include <string.h>

static void refuse_case(const trm_framework_declaration *declaration, const char *key,
                        const char *text, trm_status status, const char *words)
{
  trm_device *device = test_open("openmp", NULL);
  trm_solver *solver = NULL;
  TEST_FAILS(pond_make(declaration, device, TRM_F32, key, text, &solver), status, words);
  assert_null(solver);
  trm_device_close(&device);
}

static void refuse(const trm_framework_declaration *declaration, const char *words)
{
  refuse_case(declaration, NULL, NULL, TRM_ERROR_INVALID, words);
  assert_non_null(strstr(trm_error_last()->text, "solver pond: "));
}

#define CHANGED(change, words) \
  do { \
    trm_framework_declaration declaration = *pond_table; \
    declaration.change; \
    refuse(&declaration, words); \
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
  CHANGED(series[1].fold = TRM_FRAMEWORK_LARGEST,
          "the series 'total' and 'mean' are a sum and a largest "
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
  CHANGED(step[0].arrays = "level level solid sums heights", "names 'level' twice and writes it; a "
          "kernel takes an array that it writes once; the next state");
  CHANGED(step[0].arrays = "level level' solid sums sums", "names 'sums' twice");
  CHANGED(step[0].arrays = "level' level solid sums heights", "no kernel of a step writes level'");
  CHANGED(series[3] = ((trm_framework_series){ .name = "extra", .leaves = "extras" }),
          "no kernel of a " "step writes the leaves 'extras'");
  CHANGED(fields[0].flags = TRM_FIELD_HASHED, "a step changes the field 'level', which no "
          "checkpoint would keep");
  CHANGED(observe[0].kernel = NULL, "entry 0 of .observe has no .kernel");
  CHANGED(observe[0].arrays = "twice age", "the field 'twice' is computed, and no kernel writes "
          "it");
}

static void groups_need_whole_rows(void)
{
  trm_framework_declaration declaration = *pond_table;
  declaration.step[1].kernel = "pond_group";
  refuse_case(&declaration, NULL, NULL, TRM_ERROR_INPUT, "the groups of pond_group are 64 cells of "
              "a row here, and grid.nx = 40 is no multiple of that");
}

static void refuse_params(const char *text, size_t bytes, const char *words)
{
  trm_program_source source = *pond_table->source;
  trm_framework_declaration declaration = *pond_table;
  source.text = text;
  declaration.source = &source;
  declaration.params_bytes = bytes;
  refuse(&declaration, words);
}

static void parameters_are_checked(void)
{
  CHANGED(params = "lake_params", "no `typedef struct lake_params");
  CHANGED(params_bytes = 8, "bytes in the kernel text and 8 on the host");
  CHANGED(own_bytes = 8, ".own_bytes is 8");
  refuse_params("typedef struct pond_params { float rate; } pond_params;", sizeof(pond_params),
                "an unknown type at \"float rate");
  refuse_params("typedef struct pond_params { real rate; trm_index lake_first; } pond_params;", 16,
                "pond_params.lake_first is the layout of a field that is not declared");
  refuse_params("typedef struct pond_params { int level_row; } pond_params;", 4,
                "pond_params.level_row is not a trm_index");
}

/* As the kernels of an exercise, which are built in f32. */
static void the_other_precision_is_refused_by_name(void)
{
  const trm_host_module *singles[64] = { NULL };
  trm_program_source source = *pond_table->source;
  trm_framework_declaration declaration = *pond_table;
  trm_device *device = test_open("openmp", NULL);
  trm_solver *solver = NULL;
  size_t count = 0;
  for (const trm_host_module *const *module = source.modules; *module; module++)
    if ((*module)->precision == TRM_F32 && count < 63) singles[count++] = *module;
  source.modules = singles;
  declaration.source = &source;
  TEST_FAILS(pond_make(&declaration, device, TRM_F64, NULL, NULL, &solver), TRM_ERROR_INVALID,
             "its kernels are built in f32 only; choose --precision=f32");
  TEST_OK(pond_make(&declaration, device, TRM_F32, NULL, NULL, &solver));
  pond_table->type->destroy(&solver);
  trm_device_close(&device);
}

static void a_program_is_checked_against_its_host_side(void)
{
  static const char *const kernels[] = { "pond_grow", NULL };
  const trm_solver_options run = { .precision = TRM_F32 };
  trm_framework_recipe recipe = { pond_table->source, NULL, "pond_params", 8, kernels };
  trm_device *device = test_open("openmp", NULL);
  trm_framework_program program;
  TEST_FAILS(trm_framework_program_create(device, &recipe, &run, &program), TRM_ERROR_INVALID,
             "in pond.k and 8 on the host");
  trm_framework_program_destroy(&program);
  recipe.params_bytes = sizeof(pond_params);
  TEST_OK(trm_framework_program_create(device, &recipe, &run, &program));
  trm_framework_program_destroy(&program);
  trm_device_close(&device);
}

static trm_status prepare_nothing(trm_grid_solver *grid, const trm_config *config)
{
  (void)config;
  grid->dt = NAN;
  return TRM_OK;
}

static trm_status prepare_no_step(trm_grid_solver *grid, const trm_config *config)
{
  (void)grid, (void)config;
  return TRM_OK;
}

static trm_status prepare_endless(trm_grid_solver *grid, const trm_config *config)
{
  return trm_framework_choose_dt(grid, config, INFINITY);
}

static double no_number(const trm_grid_solver *grid, trm_framework_cell at)
{
  return at.x == grid->nx - 1 && at.y == 2 ? NAN : 0;
}

static void numbers_are_checked(void)
{
  refuse_case(pond_table, "pond.dt", "1.5", TRM_ERROR_INPUT, "pond.dt = 1.5 s is too long");
  CHANGED(prepare = prepare_nothing, "prepare leaves a step of nan");
  CHANGED(prepare = prepare_no_step, "prepare leaves the key pond.dt without effect; call "
          "trm_framework_choose_dt");
  CHANGED(prepare = prepare_endless, "is given inf as the longest stable step");
  CHANGED(fields[0].start = no_number, "start of the field 'level' gives nan for component 0 of "
          "cell 39, 2, 0");
}

static const trm_option keys_of_lake[] = {
  TRM_FRAMEWORK_GRID_2D("lake", "40", "9", "m"), TRM_FRAMEWORK_DT("pond", "s"),
};
static const trm_option keys_in_3d[] = {
  TRM_FRAMEWORK_GRID_3D("pond", "40", "9", "2", "m"), TRM_FRAMEWORK_DT("pond", "s"),
};
static const trm_option keys_without_dt[] = { TRM_FRAMEWORK_GRID_2D("pond", "40", "9", "m") };

static void refuse_keys(const trm_option *keys, size_t count, const char *words)
{
  trm_solver_type type = trm_solver_pond;
  trm_framework_declaration declaration = *pond_table;
  type.options = keys;
  type.option_count = count;
  declaration.type = &type;
  refuse(&declaration, words);
}
#define REFUSE_KEYS(keys, words) refuse_keys(keys, sizeof keys / sizeof keys[0], words)

static void keys_and_dimensions_are_checked(void)
{
  CHANGED(dimensions = 1, "a grid of 1 dimensions; TRM_FRAMEWORK_SOLVER takes 2 or 3");
  CHANGED(dimensions = 4, "a grid of 4 dimensions");
  CHANGED(dimensions = 3, "needs the key grid.nz");
  REFUSE_KEYS(keys_of_lake, "the key lake.length_x would have no effect; the framework reads "
              "pond.length_x");
  REFUSE_KEYS(keys_in_3d, "the key grid.nz, and a grid of 2 dimensions");
  REFUSE_KEYS(keys_without_dt,
              "trm_framework_choose_dt reads the key pond.dt; declare it by TRM_FRAMEWORK_DT");
}

static void sizes_that_overflow_are_refused(void)
{
  const trm_solver_options run = { .precision = TRM_F64 };
  trm_device *device = test_open("openmp", NULL);
  trm_solver *solver = NULL;
  trm_config *config = pond_configured("grid.nx", "16777216");
  trm_framework_declaration declaration = *pond_table;
  TEST_OK(trm_config_set(config, "grid.ny", "127", "the test"));
  declaration.fields[0].components = INT32_MAX;
  TEST_FAILS(trm_framework_create(&declaration, device, config, &run, &solver), TRM_ERROR_OVERFLOW,
             "solver pond: the field 'level' of 2147483647 components on 16777216 x 127 x 1 cells");
  TEST_OK(trm_config_set(config, "grid.ny", "128", "the test"));
  TEST_FAILS(trm_framework_create(&declaration, device, config, &run, &solver), TRM_ERROR_INPUT,
             "a grid of 16777216 x 128 x 1 cells is too large");
  TEST_OK(trm_config_set(config, "grid.ny", "127", "the test"));
  declaration.fields[0].components = 4096; /* no machine has it: said before allocation */
  TEST_FAILS(trm_framework_create(&declaration, device, config, &run, &solver),
             TRM_ERROR_NO_DEVICE_MEMORY, "a grid of 16777216 x 127 cells");
  trm_config_destroy(&config);
  trm_device_close(&device);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_program_is_checked_against_its_host_side),
    TEST_HOST(names_are_checked),
    TEST_HOST(launches_are_checked),
    TEST_HOST(groups_need_whole_rows),
    TEST_HOST(parameters_are_checked),
    TEST_HOST(the_other_precision_is_refused_by_name),
    TEST_HOST(numbers_are_checked),
    TEST_HOST(keys_and_dimensions_are_checked),
    TEST_HOST(sizes_that_overflow_are_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
