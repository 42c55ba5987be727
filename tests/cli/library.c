/* library.c - libtrireme-run as a program of one's own uses it: this one links the shared library
 * and nothing else of the program. */
#include "tests/harness.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/trireme-run.h"

enum { N = 32, STEPS = 150 };

static const trm_run_key box[] = {
  {"grid.nx", "32", NULL}, {"grid.ny", "32", NULL}, {"lbm.density", "0.1", NULL},
  {"lbm.accel", "0.005", NULL}, {"lbm.omega", "1.7", NULL}, {"lbm.reynolds_dim", "10", NULL},
  {"run.roof", "false", NULL}, {"output.formats", "npy", NULL},
};
enum { BOX = sizeof box / sizeof *box };

/* The box on a backend with one more key; NULL: none. */
static trm_status open_with(const char *backend, const char *key, const char *text, trm_run **out)
{
  trm_run_key keys[BOX + 2];
  memcpy(keys, box, sizeof box);
  keys[BOX] = (trm_run_key){"run.backend", backend, NULL};
  keys[BOX + 1] = (trm_run_key){key, text, "the test"};
  const trm_run_options options = {.bytes = sizeof options, .keys = keys,
                                   .key_count = BOX + (key ? 2u : 1u),
                                   .flags = TRM_RUN_NO_TUNED};
  return trm_run_open("lbm", &options, out);
}

static trm_run *open_box(trm_device *device)
{
  trm_run *run = NULL;
  TEST_OK(open_with(test_backend(device), NULL, NULL, &run));
  return run;
}

static void expect_fingerprint(trm_run *run, const char *expected)
{
  char text[33];
  TEST_OK(trm_run_fingerprint(run, text));
  assert_string_equal(text, expected);
}

/* ---- what a program of C may leave out or count wrong --------------------------- */

static void options_that_do_not_hold_together_are_refused(void)
{
  trm_run *run = NULL, *same = (trm_run *)&run;
  const char *no_file = NULL;
  const trm_run_key half = {"grid.nx", NULL, NULL}, unnamed = {NULL, "32", NULL};
  const struct { trm_run_options options; const char *text; } wrong[] = {
    {{.key_count = 5}, "options.keys is NULL, and options.key_count is 5"},
    {{.file_count = 2}, "options.files is NULL, and options.file_count is 2"},
    {{.keys = box, .key_count = SIZE_MAX}, "options.key_count is"},
    {{.keys = box, .key_count = SIZE_MAX / 4}, "options.key_count is"},
    {{.files = &no_file, .file_count = SIZE_MAX}, "options.file_count is"},
    {{.files = &no_file, .file_count = 1}, "file 0 of the options is NULL"},
    {{.keys = &half, .key_count = 1}, "key 0 of the options lacks its text"},
    {{.keys = &unnamed, .key_count = 1}, "key 0 of the options lacks its name"},
    {{.flags = 64}, "options.flags is 0x40"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    trm_run_options options = wrong[i].options;
    options.bytes = sizeof options;
    run = same;
    TEST_FAILS(trm_run_open("lbm", &options, &run), TRM_ERROR_INVALID, wrong[i].text);
    assert_ptr_equal(run, same);
    TEST_FAILS(trm_run_resume("nowhere", &options, &run), TRM_ERROR_INVALID, wrong[i].text);
  }
  const trm_run_options none = {.bytes = sizeof none, .keys = box}; /* of which none is counted */
  TEST_FAILS(trm_run_open("lbm", &none, &run), TRM_ERROR_INPUT, "grid.nx is not set");
}

static void a_run_that_is_none_is_refused(void)
{
  char text[33];
  double number = 0;
  const char *words = NULL;
  const trm_run_field *field = NULL;
  const trm_run_series *series = NULL;
  TEST_FAILS(trm_run_advance(NULL, 1), TRM_ERROR_INVALID, "run is NULL");
  TEST_FAILS(trm_run_advance_to(NULL, 1), TRM_ERROR_INVALID, "run is NULL");
  TEST_FAILS(trm_run_advance_within(NULL, 1, 1, 1), TRM_ERROR_INVALID, "run is NULL");
  TEST_FAILS(trm_run_finish(NULL), TRM_ERROR_INVALID, "run is NULL");
  TEST_FAILS(trm_run_field_find(NULL, "speed", &field), TRM_ERROR_INVALID, "run is NULL");
  TEST_FAILS(trm_run_field_read(NULL, "speed", text, 1), TRM_ERROR_INVALID, "run is NULL");
  TEST_FAILS(trm_run_series_find(NULL, "speed", &series), TRM_ERROR_INVALID, "run is NULL");
  TEST_FAILS(trm_run_result(NULL, "reynolds", &number), TRM_ERROR_INVALID, "run is NULL");
  TEST_FAILS(trm_run_fingerprint(NULL, text), TRM_ERROR_INVALID, "run is NULL");
  TEST_FAILS(trm_run_keep(NULL, "none"), TRM_ERROR_INVALID, "run is NULL");
  TEST_FAILS(trm_run_write(NULL, "none"), TRM_ERROR_INVALID, "run is NULL");
  TEST_FAILS(trm_run_json(NULL, &words), TRM_ERROR_INVALID, "run is NULL");
  assert_null(trm_run_describe(NULL));
  assert_null(trm_run_value(NULL, "run.steps"));
  assert_null(trm_run_field_at(NULL, 0));
  assert_null(trm_run_series_at(NULL, 0));
  assert_string_equal(trm_run_folder(NULL), "");
  trm_run_interrupt(NULL);
  trm_run_checkpoint(NULL);
  trm_run_close(NULL);
}

static void arguments_that_are_none_are_refused(trm_device *device)
{
  trm_run *run = open_box(device);
  char text[33];
  double number = 0;
  const trm_run_field *field = NULL;
  const trm_run_series *series = NULL;
  TEST_FAILS(trm_run_field_find(run, NULL, &field), TRM_ERROR_INVALID, "name is NULL");
  TEST_FAILS(trm_run_field_find(run, "speed", NULL), TRM_ERROR_INVALID, "out is NULL");
  TEST_FAILS(trm_run_field_read(run, NULL, text, 1), TRM_ERROR_INVALID, "name is NULL");
  TEST_FAILS(trm_run_field_read(run, "speed", NULL, N * N * 4), TRM_ERROR_INVALID,
             "destination is NULL");
  TEST_FAILS(trm_run_field_read(run, "speed", text, SIZE_MAX), TRM_ERROR_INVALID, "bytes, and");
  TEST_FAILS(trm_run_series_find(run, NULL, &series), TRM_ERROR_INVALID, "name is NULL");
  TEST_FAILS(trm_run_series_find(run, "mean_speed", NULL), TRM_ERROR_INVALID, "out is NULL");
  TEST_FAILS(trm_run_result(run, NULL, &number), TRM_ERROR_INVALID, "name is NULL");
  TEST_FAILS(trm_run_result(run, "reynolds", NULL), TRM_ERROR_INVALID, "out is NULL");
  TEST_FAILS(trm_run_fingerprint(run, NULL), TRM_ERROR_INVALID, "text is NULL");
  TEST_FAILS(trm_run_json(run, NULL), TRM_ERROR_INVALID, "text is NULL");
  assert_null(trm_run_value(run, NULL));
  assert_null(trm_run_field_at(run, SIZE_MAX));
  assert_null(trm_run_series_at(run, SIZE_MAX));
  TEST_OK(trm_run_advance_within(run, UINT64_MAX, INFINITY, 0)); /* one step */
  TEST_OK(trm_run_advance_within(run, UINT64_MAX, INFINITY, -1));
  trm_run_close(&run);
}

/* ---- advance ------------------------------------------------------------------ */

static void steps_in_pieces_give_the_bits_of_steps_at_once(trm_device *device)
{
  static const uint64_t pieces[] = {1, 2, 61, 64, 22};
  trm_run *once = open_box(device), *pieced = open_box(device);
  char expected[33];
  TEST_OK(trm_run_advance(once, STEPS));
  TEST_OK(trm_run_fingerprint(once, expected));
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    char early[33];
    TEST_OK(trm_run_advance(pieced, pieces[i]));
    TEST_OK(trm_run_fingerprint(pieced, early)); /* which changes nothing */
  }
  expect_fingerprint(pieced, expected);
  const trm_run_series *a = trm_run_series_at(once, 0), *b = trm_run_series_at(pieced, 0);
  assert_int_equal(a->count, STEPS);
  assert_int_equal(b->count, STEPS);
  TEST_SAME_BITS(a->values, b->values, STEPS, TRM_TYPE_F64);
  trm_run_close(&once);
  trm_run_close(&pieced);
}

static void time_and_patience_end_an_advance(trm_device *device)
{
  trm_run *run = open_box(device);
  const trm_run_info *info = trm_run_describe(run);
  TEST_OK(trm_run_advance_to(run, 12.0));
  assert_int_equal(info->step, 12);
  TEST_OK(trm_run_advance_to(run, 3.0)); /* is behind it */
  assert_int_equal(info->step, 12);
  TEST_OK(trm_run_advance_within(run, UINT64_MAX, INFINITY, 0.05));
  assert_true(info->step > 12);
  const uint64_t step = info->step;
  TEST_OK(trm_run_advance_within(run, 0, INFINITY, 1));
  assert_int_equal(info->step, step);
  TEST_FAILS(trm_run_advance_within(run, 1, NAN, 1), TRM_ERROR_INVALID, "time is not a number");
  TEST_FAILS(trm_run_finish(run), TRM_ERROR_INVALID, "does not say when it ends");
  trm_run_close(&run);
}

static void *interrupt_soon(void *run)
{
  usleep(50000);
  trm_run_interrupt(run);
  return NULL;
}

static void an_interrupted_run_can_be_read_and_goes_on(trm_device *device)
{
  trm_run *run = open_box(device), *whole = open_box(device);
  const trm_run_info *info = trm_run_describe(run);
  pthread_t thread;
  char expected[33];
  assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, run), 0);
  TEST_FAILS(trm_run_advance(run, UINT64_MAX), TRM_ERROR_INTERRUPTED, "was interrupted after step");
  pthread_join(thread, NULL);
  TEST_OK(trm_run_advance(run, 7));
  TEST_OK(trm_run_advance(whole, info->step));
  TEST_OK(trm_run_fingerprint(whole, expected));
  expect_fingerprint(run, expected);
  trm_run_close(&run);
  trm_run_close(&whole);
}

typedef struct worker {
  const char *backend;
  char fingerprint[33];
  int is_good;
} worker;

static void *work(void *user)
{
  worker *w = user;
  trm_run *run = NULL;
  w->is_good = open_with(w->backend, NULL, NULL, &run) == TRM_OK &&
               trm_run_advance(run, STEPS) == TRM_OK &&
               trm_run_fingerprint(run, w->fingerprint) == TRM_OK;
  trm_run_close(&run);
  return NULL;
}

static void two_threads_run_at_once(trm_device *device)
{
  worker both[2] = {{.backend = test_backend(device)}, {.backend = test_backend(device)}};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, work, &both[i]), 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert_true(both[0].is_good && both[1].is_good);
  assert_string_equal(both[0].fingerprint, both[1].fingerprint);
}

static void two_runs_take_turns_and_close_in_any_order(trm_device *device)
{
  trm_run *a = open_box(device), *b = NULL;
  char expected[33];
  TEST_OK(open_with(test_backend(device), "lbm.omega", "1.2", &b));
  for (int i = 0; i < 5; i++) {
    TEST_OK(trm_run_advance(a, 10));
    TEST_OK(trm_run_advance(b, 20));
  }
  trm_run *alone = open_box(device);
  TEST_OK(trm_run_advance(alone, 50));
  TEST_OK(trm_run_fingerprint(alone, expected));
  expect_fingerprint(a, expected);
  trm_run_close(&a);
  TEST_OK(trm_run_advance(b, 1));
  trm_run_close(&alone);
  trm_run_close(&b);
  trm_run_close(&b);
  assert_null(b);
}

/* ---- fields and numbers --------------------------------------------------------- */

static void a_field_is_read_while_it_runs(trm_device *device)
{
  trm_run *run = open_box(device);
  const trm_run_field *speed = NULL;
  float before[N * N], after[N * N];
  TEST_OK(trm_run_field_find(run, "speed", &speed));
  assert_int_equal(speed->type, TRM_TYPE_F32);
  assert_true(speed->components == 1 && speed->nx == N && speed->ny == N && speed->nz == 1);
  assert_int_equal(speed->bytes, sizeof before);
  TEST_OK(trm_run_field_read(run, "speed", before, sizeof before));
  TEST_OK(trm_run_advance(run, 40));
  TEST_OK(trm_run_field_read(run, "speed", after, sizeof after));
  double mean = 0;
  int changed = 0;
  for (size_t i = 0; i < N * N; i++) {
    mean += after[i] / (N * N);
    changed |= after[i] != before[i];
  }
  const trm_run_series *series = NULL;
  TEST_OK(trm_run_series_find(run, "mean_speed", &series));
  assert_true(changed);
  TEST_CLOSE(mean, series->values[series->count - 1], 1e-5);
  double reynolds = 0;
  TEST_OK(trm_run_result(run, "reynolds", &reynolds));
  assert_true(reynolds > 0);
  TEST_FAILS(trm_run_field_read(run, "speed", after, 4), TRM_ERROR_INVALID, "room for 4");
  TEST_FAILS(trm_run_field_read(run, "sped", after, 4), TRM_ERROR_NOT_FOUND, "nearest is 'speed'");
  TEST_FAILS(trm_run_series_find(run, "x", &series), TRM_ERROR_NOT_FOUND, "it has: mean_speed");
  assert_null(trm_run_field_at(run, trm_run_describe(run)->field_count));
  trm_run_close(&run);
}

static void a_run_that_diverges_says_where_and_keeps_its_numbers(trm_device *device)
{
  trm_run *run = NULL;
  const char *json = NULL;
  const trm_run_field *speed = NULL;
  const trm_run_key keys[] = {{"run.backend", test_backend(device), NULL},
                              {"lbm.accel", "0.9", NULL},
                              {"lbm.omega", "1.99", NULL}};
  const trm_run_options options = {.bytes = sizeof options, .keys = keys, .key_count = 3};
  TEST_OK(trm_run_open(test_data("../../cases/driven-box"), &options, &run));
  TEST_FAILS(trm_run_advance(run, 5000), TRM_ERROR_DIVERGED, "the run diverged: at step");
  TEST_FAILS(trm_run_advance(run, 1), TRM_ERROR_DIVERGED, "the run diverged: at step");
  TEST_OK(trm_run_field_find(run, "speed", &speed));
  float *values = malloc(speed->bytes);
  TEST_OK(trm_run_field_read(run, "speed", values, speed->bytes)); /* as they are */
  free(values);
  TEST_OK(trm_run_json(run, &json));
  assert_non_null(strstr(json, "\"status\": \"diverged\""));
  trm_run_close(&run);
}

/* ---- results --------------------------------------------------------------------- */

static int is_there(const char *folder, const char *name)
{
  char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

/* used.conf of a run that was advanced by hand gives the same state again. */
static void what_it_writes_can_be_run_again(trm_device *device)
{
  static const char *const names[] = {"run.json", "used.conf", "log.txt", "series.csv",
                                      "speed.npy"};
  trm_run *run = open_box(device), *again = NULL;
  char folder[512], conf[560], expected[33];
  const char *json = NULL;
  snprintf(folder, sizeof folder, "%s/%s", test_folder(), test_backend(device));
  TEST_OK(trm_run_advance(run, 20));
  TEST_OK(trm_run_write(run, folder));
  TEST_OK(trm_run_advance(run, 13));
  TEST_OK(trm_run_write(run, folder));
  TEST_OK(trm_run_fingerprint(run, expected));
  TEST_OK(trm_run_json(run, &json));
  assert_non_null(strstr(json, expected));
  assert_non_null(strstr(json, "\"status\": \"finished\""));
  assert_string_equal(trm_run_folder(run), folder);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!is_there(folder, names[i])) fail_msg("%s is not there", names[i]);
  trm_run_close(&run);
  snprintf(conf, sizeof conf, "%s/used.conf", folder);
  TEST_OK(trm_run_open(conf, NULL, &again));
  assert_int_equal(trm_run_describe(again)->end_step, 33);
  TEST_OK(trm_run_finish(again));
  expect_fingerprint(again, expected);
  trm_run_close(&again);
}

static void outputs_on_the_way_come_at_their_multiples(trm_device *device)
{
  trm_run *run = NULL;
  char folder[512];
  TEST_OK(open_with(test_backend(device), "output.every", "10", &run));
  snprintf(folder, sizeof folder, "%s/every-%s", test_folder(), test_backend(device));
  TEST_OK(trm_run_keep(run, folder));
  TEST_OK(trm_run_advance(run, 15));
  TEST_OK(trm_run_advance(run, 5));
  TEST_OK(trm_run_advance(run, 1));
  assert_true(is_there(folder, "speed-00000010.npy"));
  assert_true(is_there(folder, "speed-00000020.npy"));
  assert_false(is_there(folder, "speed-00000015.npy"));
  trm_run_close(&run);
}

/* ---- refusals -------------------------------------------------------------------- */

static void a_wrong_case_is_refused(void)
{
  trm_run *run = NULL;
  const trm_run_options old = {.bytes = 8};
  TEST_FAILS(open_with("openmp", "lbm.omga", "1", &run), TRM_ERROR_NOT_FOUND,
             "the test: unknown key 'lbm.omga'; did you mean 'lbm.omega'?");
  TEST_FAILS(open_with("openmp", "lbm.omega", "9", &run), TRM_ERROR_INPUT, "outside its range");
  TEST_FAILS(open_with("opnmp", NULL, NULL, &run), TRM_ERROR_NOT_FOUND, "openmp");
  TEST_FAILS(trm_run_open("no/such/case", NULL, &run), TRM_ERROR_NOT_FOUND, "neither a case");
  TEST_FAILS(trm_run_open("lbm", &old, &run), TRM_ERROR_INVALID, "set it to sizeof");
  TEST_FAILS(trm_run_open(NULL, NULL, &run), TRM_ERROR_INVALID, "what is NULL");
  TEST_FAILS(open_with("openmp", NULL, "x", NULL), TRM_ERROR_INVALID, "out is NULL");
  assert_null(run);
  trm_run_close(&run);
  trm_run_close(NULL);
}

static int has_comma(void)
{
  static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (setlocale(LC_ALL, names[i]) && strcmp(localeconv()->decimal_point, ",") == 0) return 1;
  return 0;
}

/* Of a case file too: libconfig leaves a thread with its program's locale. */
static void a_program_may_write_numbers_with_commas(void)
{
  static const char text[] = "solver = \"lbm\"; grid = { nx = 32; ny = 32; };\n"
                             "lbm = { density = 0.1; accel = 0.005; omega = 1.7; };\n";
  char folder[512], conf[560], line[80] = "";
  trm_run *run = NULL;
  if (!has_comma()) TEST_SKIP("no locale with a decimal comma here; localedef -i de_DE makes one");
  snprintf(folder, sizeof folder, "%s/commas", test_folder());
  snprintf(conf, sizeof conf, "%s.conf", folder);
  FILE *file = fopen(conf, "we");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  const trm_run_options options = {.bytes = sizeof options, .keys = box, .key_count = BOX};
  TEST_OK(trm_run_open(conf, &options, &run));
  TEST_OK(trm_run_advance(run, 3));
  TEST_OK(trm_run_write(run, folder));
  trm_run_close(&run);
  assert_string_equal(localeconv()->decimal_point, ",");
  setlocale(LC_ALL, "C");
  snprintf(conf, sizeof conf, "%s/series.csv", folder);
  file = fopen(conf, "re");
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) { }
  fclose(file);
  assert_true(strncmp(line, "3,", 2) == 0 && strchr(line, '.') && !strchr(line + 2, ','));
}

static void a_listener_gets_the_warnings(void *user, trm_log_level level, const char *text)
{
  if (level == TRM_LOG_WARNING && strstr(text, "run.group concerns GPUs")) *(int *)user += 1;
}

static void warnings_come_to_the_listener(void)
{
  int count = 0;
  trm_run *run = NULL;
  trm_run_key keys[BOX + 1];
  memcpy(keys, box, sizeof box);
  keys[BOX] = (trm_run_key){"run.group", "64x2", NULL};
  const trm_run_options options = {.bytes = sizeof options, .keys = keys, .key_count = BOX + 1,
                                   .log = a_listener_gets_the_warnings, .log_user = &count};
  TEST_OK(trm_run_open("lbm", &options, &run));
  TEST_OK(trm_run_advance(run, 1));
  assert_int_equal(count, 1);
  assert_string_equal(trm_run_value(run, "run.group"), "64x2");
  assert_null(trm_run_value(run, "no.such"));
  trm_run_close(&run);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(steps_in_pieces_give_the_bits_of_steps_at_once),
    TEST_DEVICE(time_and_patience_end_an_advance),
    TEST_DEVICE(an_interrupted_run_can_be_read_and_goes_on),
    TEST_DEVICE(two_threads_run_at_once),
    TEST_DEVICE(two_runs_take_turns_and_close_in_any_order),
    TEST_DEVICE(a_field_is_read_while_it_runs),
    TEST_DEVICE(a_run_that_diverges_says_where_and_keeps_its_numbers),
    TEST_DEVICE(what_it_writes_can_be_run_again),
    TEST_DEVICE(outputs_on_the_way_come_at_their_multiples),
    TEST_HOST(a_wrong_case_is_refused),
    TEST_HOST(a_program_may_write_numbers_with_commas),
    TEST_HOST(warnings_come_to_the_listener),
    TEST_HOST(options_that_do_not_hold_together_are_refused),
    TEST_HOST(a_run_that_is_none_is_refused),
    TEST_DEVICE(arguments_that_are_none_are_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
