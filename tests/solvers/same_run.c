/* same_run.c - runs a case and reads every field, series and result that its solver declares. */
#include "tests/solvers/same_run.h"
#include "solvers/registry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Steps after which the fields are compared; in between, batches of odd and of even length. Unless
 * the tests are long, costly cases make fewer. A step of a lattice on three levels is four of its
 * finest cells. A step of compressible flow is many launches; its longest batch has 6 steps. */
static const uint64_t *sample_steps(const same_case *of)
{
  static const uint64_t many[SAME_SAMPLES] = { 0, 1, 2, 7, 24 }, some[SAME_SAMPLES] = { 0, 1, 2, 5,
                                                                                       11 },
                        few[SAME_SAMPLES] = { 0, 1, 2, 5, 9 };
  const int is_deep = strcmp(of->solver, "lbm3d") == 0 && strstr(of->settings, "grid.levels=2");
  const int is_flow = strcmp(of->solver, "compressible") == 0;
  return test_runs_long() ? many : is_deep ? few : is_flow ? some : many;
}

static const trm_solver_type *type_of(const char *name)
{
  for (const trm_solver_type *const *type = trm_solver_types(); *type; type++)
    if (strcmp((*type)->name, name) == 0) return *type;
  fail_msg("there is no solver %s", name);
  return NULL;
}

/* A leaning brick as STL: its sides 0 and 1 are the solids "west" and "east". */
static void write_brick(FILE *file)
{
  static const double corners[8][3] = { { 0, 0, 0 }, { 7, 0, 1 }, { 0, 3, 0 }, { 7, 3, 1 },
                                        { 0, 0, 2 }, { 7, 0, 3 }, { 0, 3, 2 }, { 7, 3, 3 } };
  static const int sides[6][4] = { { 0, 4, 6, 2 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
                                   { 2, 6, 7, 3 }, { 0, 2, 3, 1 }, { 4, 5, 7, 6 } };
  for (int i = 0; i < 12; i++) {
    const int *side = sides[i / 2], three[] = { side[0], side[1 + i % 2], side[2 + i % 2] };
    fprintf(file, "solid %s\nfacet normal 0 0 0\nouter loop\n",
            i < 2 ? "west" : i < 4 ? "east" : "wall");
    for (int k = 0; k < 3; k++)
      fprintf(file, "vertex %g %g %g\n", corners[three[k]][0], corners[three[k]][1],
              corners[three[k]][2]);
    fprintf(file, "endloop\nendfacet\nendsolid\n");
  }
}

/* Solid cells here and there, none in the first rows; and an inflow that varies. */
static const char *make_file(const char *word, same_size size)
{
  static char path[1200];
  snprintf(path, sizeof path, "%s/%s-%d", test_folder(), word + 1, size.nx);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  if (strcmp(word, "@TABLE") == 0) fprintf(file, "0 0.01\n%d 0.05\n%d 0.02\n", size.ny / 2,
    size.ny);
  else if (strcmp(word, "@BRICK") == 0) write_brick(file);
  else if (strcmp(word, "@BODIES") == 0)
    for (int i = 0; i < 37; i++)
      fprintf(file, "%g %g %g %g 0 %g 0.03\n", sin(i), cos(2.0 * i), sin(3.0 * i), 0.1 * cos(i),
              0.1 * sin(i));
  else
    for (int i = 2 * size.nx; i < size.nx * size.ny; i++)
      if (i * 7919 % 11 == 3) fprintf(file, "%d %d 1\n", i % size.nx, i / size.nx);
  assert_int_equal(fclose(file), 0);
  return path;
}

const char *same_value(const char *value, same_size size)
{
  return *value == '@' ? make_file(value, size) : value;
}

static trm_config *configure(const same_case *of, same_size size)
{
  static const trm_option program[] = {
    { "run.steps", TRM_OPTION_INTEGER, "steps", "1", 1, NAN, 0, NULL, "steps" },
    { "run.end_time", TRM_OPTION_REAL, "", "0", 0, NAN, 0, NULL, "end" },
    { "run.precision", TRM_OPTION_STRING, "", "f32", NAN, NAN, 0, "f32|f64", "precision" } };
  const trm_solver_type *type = type_of(of->solver);
  const trm_option *const tables[] = { program, type->options };
  const size_t counts[] = { COUNT(program), type->option_count };
  trm_config *config = NULL;
  char text[1024], number[16], *rest = NULL;
  snprintf(text, sizeof text, "%s", of->settings);
  TEST_OK(trm_config_create(tables, counts, 2, &config));
  for (char *one = strtok_r(text, "|", &rest); one; one = strtok_r(NULL, "|", &rest)) {
    char *value = strchr(one, '=');
    assert_non_null(value);
    *value++ = '\0';
    TEST_OK(trm_config_set(config, one, same_value(value, size), "a case"));
  }
  for (int axis = 0; axis < 2 && of->sizes > 0; axis++) {
    snprintf(number, sizeof number, "%d", axis ? size.ny : size.nx);
    TEST_OK(trm_config_set(config, axis ? "grid.ny" : "grid.nx", number, "a size"));
  }
  TEST_OK(trm_config_check(config));
  return config;
}

static unsigned char *room(same_sample *sample, size_t more)
{
  sample->bytes = realloc(sample->bytes, sample->count + more + 1);
  assert_non_null(sample->bytes);
  sample->count += more;
  return sample->bytes + sample->count - more;
}

static void sample_fields(trm_solver *solver, same_sample *sample)
{
  TEST_OK(solver->type->observe(solver));
  for (size_t i = 0; i < solver->field_count; i++) {
    const trm_field *field = &solver->fields[i];
    size_t count;
    TEST_OK(trm_field_elements(field, &count));
    TEST_OK(trm_field_read(field, room(sample, count * trm_type_size(field->type))));
  }
}

/* Sign and payload of a NaN are nobody's business: every NaN becomes the same one. */
static void one_nan(trm_type type, unsigned char *values, size_t count)
{
  const size_t size = trm_type_size(type);
  for (size_t i = 0; i < count; i++, values += size) {
    float single = 0;
    double twice = 0;
    if (type == TRM_TYPE_F32) memcpy(&single, values, size);
    if (type == TRM_TYPE_F64) memcpy(&twice, values, size);
    if (isnan(single) || isnan(twice)) memset(values, 0xff, size);
  }
}

static void sample_series(const trm_solver *solver, uint64_t made, same_sample *sample)
{
  for (size_t i = 0; i < solver->series_count; i++) {
    const trm_series *series = &solver->series[i];
    const size_t size = trm_type_size(series->type), bytes = (size_t)made * size;
    unsigned char *values = room(sample, bytes);
    TEST_OK(trm_buffer_read(series->buffer, series->first * size, bytes, values));
    one_nan(series->type, values, (size_t)made);
  }
}

/* So many steps, in as many batches as the solver makes of them; their series go to the sample. */
static void advance(const trm_solver_type *type, trm_solver *solver, uint64_t steps,
                    same_sample *sample)
{
  for (uint64_t left = steps; left > 0;) {
    uint64_t launched = 0, made = 0;
    TEST_OK(type->advance(solver, left, (double)INFINITY, 1, &launched));
    made = launched;
    if (type->account) TEST_OK(type->account(solver, launched, &made));
    assert_true(made > 0 && made == launched && made <= left);
    sample_series(solver, made, sample);
    left -= made;
  }
}

/* Where two steps differ: the field, or what follows fields. */
static void tell(const trm_solver *solver, const same_sample *a, const same_sample *b,
                 const char *what)
{
  size_t at = 0;
  assert_int_equal(a->count, b->count);
  while (a->bytes[at] == b->bytes[at]) at++;
  size_t end = 0;
  for (size_t i = 0; i < solver->field_count; i++) {
    const trm_field *field = &solver->fields[i];
    const size_t size = trm_type_size(field->type), begin = end;
    size_t count;
    TEST_OK(trm_field_elements(field, &count));
    end += count * size;
    const size_t cell = (at - begin) / size;
    if (at < end)
      fail_msg("%s: field %s, component %zu, cell (%zu, %zu) differs", what, field->name,
               cell / (field->nx * field->ny * field->nz), cell % field->nx,
               cell / field->nx % field->ny);
  }
  fail_msg("%s: a series or a result differs", what);
}

/* What several devices cannot share is refused in words like these, which name the cure. */
static int is_refused(trm_status status)
{
  const char *text = trm_error_last()->text;
  return (status == TRM_ERROR_UNSUPPORTED || status == TRM_ERROR_INPUT) &&
         (strstr(text, "were named") || strstr(text, "name one") || strstr(text, "devices share"));
}

/* A tile of moments that the groups of an OpenCL device have no room for; tests/solvers/lbm3d asks
 * which those may be. */
static int is_too_large(trm_device *device, trm_status status)
{
  return status == TRM_ERROR_UNSUPPORTED && strcmp(test_backend(device), "opencl") == 0 &&
         strstr(trm_error_last()->text, "bytes of shared memory; name a smaller one") != NULL;
}

/* Of the whole run, but for times that it took. */
static void sample_results(trm_solver *solver, same_sample *sample)
{
  const double last[64] = { 0 };
  if (!solver->type->finish) return;
  TEST_OK(solver->type->finish(solver, last));
  for (size_t i = 0; i < solver->result_count; i++) {
    const trm_result *result = &solver->results[i];
    unsigned char *value = room(sample, sizeof result->value);
    memset(value, 0, sizeof result->value);
    if (strcmp(result->unit, "s") != 0) memcpy(value, &result->value, sizeof result->value);
  }
}

static void sample_all(trm_solver *solver, const uint64_t steps[SAME_SAMPLES],
                       const same_sample *expected, same_sample *seen, const char *what)
{
  for (size_t i = 0; i < SAME_SAMPLES; i++) {
    same_sample sample = { NULL, 0 }, series = { NULL, 0 };
    if (steps[i] > 0) advance(solver->type, solver, steps[i] - steps[i - 1], &series);
    sample_fields(solver, &sample);
    if (series.count) memcpy(room(&sample, series.count), series.bytes, series.count);
    free(series.bytes);
    if (i == SAME_SAMPLES - 1) sample_results(solver, &sample);
    if (expected && (sample.count != expected[i].count ||
                     memcmp(sample.bytes, expected[i].bytes, sample.count) != 0)) {
      char where[1500];
      snprintf(where, sizeof where, "%s, step %d", what, (int)steps[i]);
      tell(solver, &sample, &expected[i], where);
    }
    if (expected) free(sample.bytes);
    else seen[i] = sample;
  }
}

int same_run_with(const trm_solver_type *type, trm_device *device, const trm_config *config,
                  const same_case *of, trm_precision precision,
                  const same_sample expected[SAME_SAMPLES], same_sample seen[SAME_SAMPLES],
                  const char *what)
{
  const trm_solver_options how = { .precision = precision, .math = TRM_STRICT };
  trm_solver *solver = NULL;
  uint64_t done;
  const trm_status status = type->create(device, config, &how, &solver);
  const int is_run = !(trm_device_parts(device, 0, NULL) > 0 && is_refused(status)) &&
                     !(status != TRM_OK && is_too_large(device, status));
  if (is_run) {
    test_ok(status, what, __FILE__, __LINE__);
    TEST_FAILS(type->advance(solver, 1, (double)NAN, 1, &done), TRM_ERROR_INVALID, "not a number");
    sample_all(solver, sample_steps(of), expected, seen, what);
    type->destroy(&solver);
  }
  return is_run;
}

int same_run(trm_device *device, const same_case *of, same_size size, trm_precision precision,
             const same_sample expected[SAME_SAMPLES], same_sample seen[SAME_SAMPLES],
             const char *where)
{
  trm_config *config = configure(of, size);
  char what[1400];
  snprintf(what, sizeof what, "%s, %s, %s %s, %d x %d", where, trm_precision_name(precision),
           of->solver, of->settings, size.nx, size.ny);
  const int is_run = same_run_with(type_of(of->solver), device, config, of, precision, expected,
                                   seen, what);
  trm_config_destroy(&config);
  return is_run;
}

/* What a checkpoint keeps, from one run to another. */
static void hand_over(trm_solver *from, trm_solver *to)
{
  same_sample kept = { NULL, 0 };
  assert_int_equal(from->kept_count, to->kept_count);
  for (size_t i = 0; i < from->kept_count; i++) {
    const trm_kept *one = &from->kept[i], *other = &to->kept[i];
    const size_t size = trm_type_size(one->type), bytes = one->count * size;
    unsigned char *values = room(&kept, bytes);
    TEST_OK(trm_buffer_read(one->buffer, one->first * size, bytes, values));
    TEST_OK(trm_buffer_write(other->buffer, other->first * size, bytes, values));
  }
  if (to->type->reshape) TEST_OK(to->type->reshape(to));
  for (size_t i = 0; i < from->field_count; i++) {
    size_t count;
    if (!(from->fields[i].flags & TRM_FIELD_KEPT)) continue;
    TEST_OK(trm_field_elements(&from->fields[i], &count));
    unsigned char *values = room(&kept, count * trm_type_size(from->fields[i].type));
    TEST_OK(trm_field_read(&from->fields[i], values));
    TEST_OK(trm_field_write(&to->fields[i], values));
  }
  TEST_OK(to->type->restore(to, from->step, from->time));
  free(kept.bytes);
}

void same_resume(trm_device *device, const same_case *first, const same_case *next,
                 trm_precision precision)
{
  enum { BEFORE = 5, AFTER = 6 };
  const trm_solver_options how = { .precision = precision, .math = TRM_STRICT };
  const same_case *const cases[] = { first, next };
  trm_config *configs[2];
  trm_solver *solvers[2];
  same_sample series = { NULL, 0 };
  char prints[2][33];
  for (int i = 0; i < 2; i++) {
    configs[i] = configure(cases[i], (same_size){ 0, 0 });
    TEST_OK(type_of(cases[i]->solver)->create(device, configs[i], &how, &solvers[i]));
  }
  advance(solvers[0]->type, solvers[0], BEFORE, &series);
  hand_over(solvers[0], solvers[1]);
  for (int i = 0; i < 2; i++) {
    const double last[64] = { 0 };
    advance(solvers[i]->type, solvers[i], AFTER, &series);
    TEST_OK(trm_solver_fingerprint(solvers[i], prints[i]));
    if (solvers[i]->type->finish) TEST_OK(solvers[i]->type->finish(solvers[i], last));
  }
  for (size_t i = 0; i < solvers[0]->result_count; i++)
    if (strstr(solvers[0]->results[i].name, "_change") &&
        solvers[0]->results[i].value != solvers[1]->results[i].value)
      fail_msg("%s %s: the result %s is another one", next->solver, next->settings,
               solvers[0]->results[i].name);
  if (strcmp(prints[0], prints[1]) != 0)
    fail_msg("%s %s: goes on to %s from %s, and that to %s", next->solver, next->settings,
             prints[1], first->settings, prints[0]);
  for (int i = 0; i < 2; i++) {
    solvers[i]->type->destroy(&solvers[i]);
    trm_config_destroy(&configs[i]);
  }
  free(series.bytes);
}

void same_forget(same_sample seen[SAME_SAMPLES])
{
  for (size_t i = 0; i < SAME_SAMPLES; i++) free(seen[i].bytes);
}
