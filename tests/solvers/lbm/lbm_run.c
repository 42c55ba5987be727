/* lbm_run.c - runs of the lattice-Boltzmann solver for the tests. */
#include "tests/solvers/lbm/lbm_run.h"
#include "solvers/registry.h"
#include "tests/solvers/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

const lbm_case lbm_cases[LBM_CASES] = {
#define LBM_CASE(id, nx, ny, steps, solids, accel) {#id, nx, ny, steps, solids, accel},
#include "tests/solvers/lbm/lbm_cases.h"
#undef LBM_CASE
};

const trm_solver_type *lbm_type(void)
{
  for (const trm_solver_type *const *type = trm_solver_types(); *type; type++)
    if (strcmp((*type)->name, "lbm") == 0) return *type;
  fail_msg("there is no solver lbm");
  return NULL;
}

/* ---- the case ---------------------------------------------------------------- */

static uint32_t scatter(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

uint8_t *lbm_mask(const lbm_case *lbm)
{
  const int nx = lbm->nx, ny = lbm->ny;
  uint8_t *mask = calloc((size_t)nx * (size_t)ny, 1);
  uint64_t state = (uint64_t)nx * 1000003u + (uint64_t)ny;
  assert_non_null(mask);
  for (int y = 0; y < ny; y++)
    for (int x = 0; x < nx; x++) {
      const int edge = x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
      const int rock = scatter(&state) % 8 == 0 || (y == ny - 2 && x % 11 == 1);
      mask[(size_t)y * (size_t)nx + (size_t)x] = (lbm->solids == CHANNEL && y == 0) ||
                                                 (lbm->solids == BOX && edge) ||
                                                 (lbm->solids == ROCKS && rock);
    }
  return mask;
}

static void set(trm_config *config, const char *key, const char *text)
{
  TEST_OK(trm_config_set(config, key, text, "the test"));
}

static void set_obstacles(trm_config *config, const lbm_case *lbm)
{
  char path[1024];
  uint8_t *mask = lbm_mask(lbm);
  snprintf(path, sizeof path, "%s/%s.dat", test_folder(), lbm->name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < lbm->nx * lbm->ny; i++)
    if (mask[i]) fprintf(file, "%d %d 1\n", i % lbm->nx, i / lbm->nx);
  assert_int_equal(fclose(file), 0);
  set(config, "lbm.obstacles", path);
  free(mask);
}

/* The files of a course case, as a user names them. */
static void set_course(trm_config *config, const lbm_case *lbm)
{
  const char *source = getenv("srcdir");
  char params[1024], obstacles[1024];
  if (!source) source = ".";
  snprintf(params, sizeof params, "%s/cases/bristol-%dx%d/input_%dx%d.params", source, lbm->nx,
           lbm->ny, lbm->nx, lbm->ny);
  snprintf(obstacles, sizeof obstacles, "%s/cases/bristol-%dx%d/obstacles_%dx%d.dat", source,
           lbm->nx, lbm->ny, lbm->nx, lbm->ny);
  const char *const files[] = {params, obstacles};
  TEST_OK(lbm_type()->configure(config, 2, files));
  assert_int_equal(trm_config_integer(config, "grid.nx"), lbm->nx);
  assert_int_equal(trm_config_integer(config, "grid.ny"), lbm->ny);
}

static trm_config *configure(const lbm_case *lbm)
{
  static const trm_option program[] = {
    {"run.steps", TRM_OPTION_INTEGER, "steps", "1", 1, NAN, 0, NULL, "steps"}};
  const trm_option *const tables[] = {program, lbm_type()->options};
  const size_t counts[] = {1, lbm_type()->option_count};
  char number[32];
  trm_config *config = NULL;
  TEST_OK(trm_config_create(tables, counts, 2, &config));
  if (lbm->solids == COURSE) {
    set_course(config, lbm);
  } else {
    snprintf(number, sizeof number, "%d", lbm->nx);
    set(config, "grid.nx", number);
    snprintf(number, sizeof number, "%d", lbm->ny);
    set(config, "grid.ny", number);
    if (lbm->solids != OPEN) set_obstacles(config, lbm);
  }
  if (lbm->accel) set(config, "lbm.accel", lbm->accel);
  TEST_OK(trm_config_check(config));
  return config;
}

/* ---- the run ----------------------------------------------------------------- */

void lbm_begin(lbm_run *run, trm_device *device, const lbm_case *lbm, trm_precision precision,
               const trm_solver_options *options)
{
  trm_solver_options how = {0};
  if (options) how = *options;
  how.precision = precision;
  *run = (lbm_run){.lbm = lbm, .precision = precision, .config = configure(lbm)};
  TEST_OK(lbm_type()->create(device, run->config, &how, &run->solver));
}

/* "lbm.sum=group lbm.fold=host" */
static void set_all(trm_config *config, const char *keys)
{
  char text[256], *rest = text;
  snprintf(text, sizeof text, "%s", keys);
  for (char *word = strtok_r(rest, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(word, '=');
    *value = 0;
    set(config, word, value + 1);
  }
}

trm_status lbm_try_keys(lbm_run *run, trm_device *device, const lbm_case *lbm,
                        trm_precision precision, const char *keys,
                        const trm_solver_options *options)
{
  trm_solver_options how = {0};
  if (options) how = *options;
  how.precision = precision;
  *run = (lbm_run){.lbm = lbm, .precision = precision, .config = configure(lbm)};
  set_all(run->config, keys);
  const trm_status status = lbm_type()->create(device, run->config, &how, &run->solver);
  if (status != TRM_OK) trm_config_destroy(&run->config);
  return status;
}

void lbm_begin_variant(lbm_run *run, trm_device *device, const lbm_case *lbm,
                       trm_precision precision, const char *variant)
{
  char keys[100];
  snprintf(keys, sizeof keys, "lbm.implementation=%s", variant);
  TEST_OK(lbm_try_keys(run, device, lbm, precision, keys, NULL));
}

void lbm_refused(trm_device *device, const lbm_case *lbm, const char *part)
{
  const trm_solver_options how = {0};
  trm_config *config = configure(lbm);
  trm_solver *solver = NULL;
  TEST_FAILS(lbm_type()->create(device, config, &how, &solver), TRM_ERROR_INPUT, part);
  assert_null(solver);
  trm_config_destroy(&config);
}

/* The numbers of the batch that has just been enqueued. */
static void keep_series(lbm_run *run, uint64_t count)
{
  const trm_series *series = &run->solver->series[0];
  const size_t size = trm_type_size(series->type), bytes = (size_t)count * size;
  run->series = realloc(run->series, run->series_bytes + bytes);
  assert_non_null(run->series);
  TEST_OK(trm_buffer_read(series->buffer, series->first * size, bytes,
                          run->series + run->series_bytes));
  run->series_bytes += bytes;
}

void lbm_steps(lbm_run *run, uint64_t steps, uint64_t batch, int sync_each)
{
  while (steps > 0) {
    uint64_t count = batch && batch < steps ? batch : steps, done = 0;
    if (count > run->solver->batch_limit) count = run->solver->batch_limit;
    const uint64_t before = run->solver->step;
    TEST_OK(run->solver->type->advance(run->solver, count, (double)INFINITY,
                                       sync_each || count == steps, &done));
    assert_int_equal(done, count);
    assert_int_equal(run->solver->step, before + done);
    keep_series(run, done);
    steps -= done;
  }
}

void lbm_end(lbm_run *run)
{
  run->solver->type->destroy(&run->solver);
  assert_null(run->solver);
  trm_config_destroy(&run->config);
  free(run->series);
}

/* ---- what it left ------------------------------------------------------------ */

lbm_print lbm_prints(const lbm_run *run)
{
  lbm_print print;
  XXH64_canonical_t canonical;
  TEST_OK(trm_solver_fingerprint(run->solver, print.state));
  XXH64_canonicalFromHash(&canonical, XXH3_64bits(run->series, run->series_bytes));
  for (size_t i = 0; i < sizeof canonical.digest; i++)
    snprintf(print.series + 2 * i, 3, "%02x", canonical.digest[i]);
  return print;
}

void lbm_print_is_known(const lbm_print *found, const lbm_case *lbm, trm_precision precision)
{
  const char *of = trm_precision_name(precision);
  test_is_known(found->state, "lbm/%s/%s/state", lbm->name, of);
  test_is_known(found->series, "lbm/%s/%s/series", lbm->name, of);
}

void lbm_matches(const lbm_run *run, const char *what)
{
  const lbm_print found = lbm_prints(run);
  assert_int_equal(run->solver->step, run->lbm->steps);
  print_message("%s, %s, %s, instances '%s'\n", run->lbm->name,
                trm_precision_name(run->precision), what, run->solver->program->isa);
  lbm_print_is_known(&found, run->lbm, run->precision);
}

void lbm_whole_run_matches(trm_device *device, const lbm_case *lbm, trm_precision precision,
                           const trm_solver_options *options, const char *what)
{
  lbm_run run;
  lbm_begin(&run, device, lbm, precision, options);
  lbm_steps(&run, lbm->steps, 0, 0);
  lbm_matches(&run, what);
  lbm_end(&run);
}

double lbm_speed(const lbm_run *run, uint64_t step)
{
  const trm_series *series = &run->solver->series[0];
  assert_true(step < run->solver->step);
  const double element = series->type == TRM_TYPE_F64 ? ((const double *)run->series)[step]
                                                      : (double)((const float *)run->series)[step];
  return element / series->divisor;
}

const trm_field *lbm_field(const lbm_run *run, const char *name)
{
  for (size_t i = 0; i < run->solver->field_count; i++)
    if (strcmp(run->solver->fields[i].name, name) == 0) return &run->solver->fields[i];
  fail_msg("there is no field %s", name);
  return NULL;
}

double *lbm_values(const lbm_run *run, const char *name)
{
  return solver_values(run->solver, name, NULL);
}

int lbm_precisions(trm_device *device)
{
  return trm_device_describe(device)->has_f64 ? 2 : 1;
}
