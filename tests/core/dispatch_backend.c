/* dispatch_backend.c - what core asks of a backend, in which order, and what it makes of failures;
 * seen through a plugin that tells the log and fails on demand (strange_backend.c). */
#include "tests/core/dispatch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one device, and what its plugin told ---------------------------------- */

static char told[1 << 16];

static void keep_line(void *user, trm_log_level level, const char *text)
{
  (void)user, (void)level;
  const size_t used = strlen(told);
  snprintf(told + used, sizeof told - used, "%s\n", text);
}

static void told_is(const char *expected)
{
  assert_string_equal(told, expected);
  told[0] = 0;
}

static void told_has(const char *part)
{
  if (!strstr(told, part)) print_error("no \"%s\" in\n%s", part, told);
  assert_non_null(strstr(told, part));
  told[0] = 0;
}

static trm_context *make_context(int no_cache)
{
  const trm_context_options options = { .log = keep_line, .no_cache = no_cache };
  trm_context *context = NULL;
  setenv("TRIREME_BACKEND_PATH", TEST_PLUGINS, 1);
  TEST_OK(trm_context_create(&options, &context));
  return context;
}

/* Opens a device of a context of its own; the device keeps the context. */
static trm_device *open_strange(const char *name, const trm_device_options *options, int no_cache)
{
  trm_context *context = make_context(no_cache);
  trm_device *device = NULL;
  TEST_OK(trm_device_open(context, name, options, &device));
  trm_context_destroy(&context);
  return device;
}

/* While a word is set, the plugin fails there. */
static void fail_at(const char *word)
{
  if (word) setenv("TRIREME_STRANGE", word, 1);
  else unsetenv("TRIREME_STRANGE");
}

static trm_status build(trm_device *device, trm_program_options options, trm_program **program)
{
  return trm_program_create(device, &dispatch_source, &options, program);
}

/* ---- names ----------------------------------------------------------------- */

static trm_status open_and_close(const char *name, char device_name[128], size_t *index)
{
  trm_context *context = make_context(1);
  trm_device *device = NULL;
  const trm_status status = trm_device_open(context, name, NULL, &device);
  if (status == TRM_OK) {
    snprintf(device_name, 128, "%s", trm_device_describe(device)->name);
    *index = trm_device_describe(device)->index;
  }
  trm_device_close(&device);
  trm_context_destroy(&context);
  return status;
}

static void part_of_a_name_picks_the_first_of_its_kind(void)
{
  char name[128];
  size_t index = 9;
  TEST_OK(open_and_close("strange", name, &index));
  assert_int_equal(index, 0);
  TEST_OK(open_and_close("strange:beta", name, &index));
  assert_string_equal(name, "Beta 200");
  TEST_OK(open_and_close("strange:gam", name, &index));
  assert_int_equal(index, 2);
  TEST_OK(open_and_close("strange:3", name, &index));
  assert_int_equal(index, 3);
}

static void part_of_different_names_is_refused_with_the_list(void)
{
  char name[128];
  size_t index = 9;
  TEST_FAILS(open_and_close("strange:a 200", name, &index), TRM_ERROR_INVALID,
             "\"strange:a 200\" fits different devices; name one by its number: strange:0 (Alpha "
             "200), strange:1 (Beta 200), strange:2 (Gamma)");
  TEST_FAILS(open_and_close("strange:200", name, &index), TRM_ERROR_NOT_FOUND,
             "no device \"strange:200\": there are strange:0 (Alpha 200)");
  assert_int_equal(index, 9);
}

static void a_device_that_cannot_be_described_hides_no_other(void)
{
  trm_context *context = make_context(1);
  const trm_device_info *list;
  size_t count;
  told[0] = 0;
  fail_at("describe");
  TEST_OK(trm_device_list(context, &list, &count));
  fail_at(NULL);
  size_t strange = 0;
  for (size_t i = 0; i < count; i++) strange += strcmp(list[i].backend, "strange") == 0;
  assert_int_equal(strange, 4);
  told_has("strange:4 is left out of the list: nobody knows this device");
  trm_context_destroy(&context);
}

static void a_plugin_with_crooked_rows_is_refused_and_closed(void)
{
  char name[128];
  size_t index;
  told[0] = 0;
  TEST_FAILS(open_and_close("strange:4", name, &index), TRM_ERROR_DEVICE,
             "strange:4: its plugin says that rows begin at multiples of 3 bytes");
  told_is("open 4\nclose\n");
  fail_at("open");
  TEST_FAILS(open_and_close("strange:0", name, &index), TRM_ERROR_DEVICE, "the door is locked");
  fail_at(NULL);
  told_is("");
}

/* ---- memory ---------------------------------------------------------------- */

static void too_little_memory_tells_needed_and_available(void)
{
  trm_device *device = open_strange("strange:1", NULL, 1);
  trm_buffer *first = NULL, *second = NULL;
  uint64_t bytes = 0;
  TEST_OK(trm_buffer_create(device, 786432, "first", &first));
  TEST_OK(trm_device_free_memory(device, &bytes));
  assert_int_equal(bytes, 262144);
  TEST_FAILS(trm_buffer_create(device, 524288, "second", &second), TRM_ERROR_NO_DEVICE_MEMORY,
             "strange:1 (Beta 200): buffer \"second\" needs 524288 bytes, 262144 bytes are "
             "available; make");
  TEST_FAILS(trm_buffer_create(device, 2097152, "third", &second), TRM_ERROR_NO_DEVICE_MEMORY,
             "needs 2.0 MiB, the largest single buffer is 1.0 MiB");
  fail_at("memory");
  TEST_FAILS(trm_buffer_create(device, 131072, "fourth", &second), TRM_ERROR_NO_DEVICE_MEMORY,
             "needs 131072 bytes, 262144 bytes are available: error 2, says the driver; make");
  fail_at(NULL);
  assert_null(second);
  trm_buffer_destroy(&first);
  trm_device_close(&device);
}

/* ---- programs -------------------------------------------------------------- */

static void a_build_gets_its_defines_in_order(void)
{
  trm_device *device = open_strange("strange:0", NULL, 1);
  trm_program *program = NULL;
  told[0] = 0;
  TEST_OK(build(device, (trm_program_options){ .precision = TRM_F64, .math = TRM_FAST }, &program));
  told_is("build dispatch core/kernel.h:/* kernel.h  tests/core/dispatch.k:/* dispatch.k  #define "
          "TRM_F64_KERNEL 1;#define TRM_STRICT_KERNEL 0;#define TRM_ROW_GX 64;#define TRM_ROW_GY "
          "4;#define TRM_GROUP 128;\nprogram \"dispatch\": warning: strange code\n");
  assert_int_equal(trm_program_describe(program)->from_cache, 0);
  assert_string_equal(trm_program_describe(program)->isa, "");
  trm_program_destroy(&program);
  TEST_OK(build(device,
                (trm_program_options){ .variant = "twice", .row_group_x = 256, .row_group_y = 1,
                                       .group = 32 },
                &program));
  told_has("TRM_STRICT_KERNEL 1;#define TRM_ROW_GX 256;#define TRM_ROW_GY 1;#define TRM_GROUP "
           "32;#define TRM_VARIANT_twice 1;\n");
  trm_program_destroy(&program);
  trm_device_close(&device);
}

static void strict_is_proved_once_and_before_the_first_strict_program(void)
{
  trm_device *device = open_strange("strange:0", NULL, 1);
  trm_program *program = NULL;
  told[0] = 0;
  TEST_OK(build(device, (trm_program_options){ .math = TRM_FAST }, &program));
  assert_null(strstr(told, "build probe"));
  trm_program_destroy(&program);
  TEST_OK(build(device, (trm_program_options){ .math = TRM_STRICT }, &program));
  const char *at = strstr(told, "build probe");
  assert_non_null(at);
  assert_non_null(strstr(at, "build dispatch"));
  trm_program_destroy(&program);
  told[0] = 0;
  TEST_OK(build(device, (trm_program_options){ .math = TRM_STRICT }, &program));
  assert_null(strstr(told, "build probe"));
  trm_program_destroy(&program);
  trm_device_close(&device);
}

static void double_precision_is_refused_where_there_is_none(void)
{
  trm_device *device = open_strange("strange:1", NULL, 1);
  trm_program *program = NULL;
  TEST_FAILS(build(device, (trm_program_options){ .precision = TRM_F64 }, &program),
             TRM_ERROR_UNSUPPORTED,
             "program \"dispatch\": strange:1 (Beta 200) has no double precision; use f32");
  trm_device_close(&device);
}

static void a_compilers_words_reach_the_caller(void)
{
  trm_device *device = open_strange("strange:0", NULL, 1);
  trm_program *program = NULL;
  fail_at("build");
  TEST_FAILS(build(device, (trm_program_options){ .math = TRM_FAST }, &program), TRM_ERROR_BUILD,
             "tests/core/dispatch.k:3: expected ';'");
  fail_at(NULL);
  assert_null(program);
  trm_device_close(&device);
}

static int built_from_cache(trm_device *device)
{
  trm_program *program = NULL;
  TEST_OK(build(device, (trm_program_options){ .math = TRM_FAST }, &program));
  const int result = trm_program_describe(program)->from_cache;
  trm_program_destroy(&program);
  return result;
}

static void a_refused_binary_is_built_anew_and_kept(void)
{
  setenv("TRIREME_CACHE_DIR", test_folder(), 1);
  trm_device *device = open_strange("strange:0", NULL, 0);
  assert_int_equal(built_from_cache(device), 0);
  told[0] = 0;
  assert_int_equal(built_from_cache(device), 1);
  told_has("load strange binary\nfinish\nprogram_destroy\n");
  fail_at("load");
  (void)TRM_FAIL(INPUT, "an error from before");
  assert_int_equal(built_from_cache(device), 0);
  fail_at(NULL);
  assert_string_equal(trm_error_last()->text, "an error from before");
  told_has("the cached binary was refused and is built anew: this binary is for another device\n"
           "build dispatch");
  assert_int_equal(built_from_cache(device), 1);
  trm_device_close(&device);
}

static void without_a_key_nothing_is_cached(void)
{
  setenv("TRIREME_CACHE_DIR", test_folder(), 1);
  trm_device *device = open_strange("strange:0", NULL, 0);
  (void)built_from_cache(device);
  told[0] = 0;
  fail_at("key");
  assert_int_equal(built_from_cache(device), 0);
  fail_at(NULL);
  told_has("program \"dispatch\" is not cached: the driver does not tell its version\n");
  trm_device_close(&device);
}

/* ---- sequences and lifetimes ------------------------------------------------ */

static void a_backends_own_replay_is_used_unless_plain_is_asked_for(void)
{
  for (int plain = 0; plain < 2; plain++) {
    const trm_device_options options = { .plain_replay = plain };
    trm_device *device = open_strange("strange:0", &options, 1);
    dispatch_field field;
    trm_sequence *sequence = NULL;
    dispatch_open(device, &field);
    told[0] = 0;
    TEST_OK(trm_sequence_begin(device));
    TEST_OK(dispatch_scale(&field, field.f, field.g, 3.0f));
    TEST_OK(dispatch_scale(&field, field.g, field.f, 2.0f));
    TEST_OK(trm_sequence_end(device, &sequence));
    TEST_OK(trm_sequence_replay(sequence, 3));
    told_is(plain ? "kernel dispatch_scale, 97 x 5 cells: 1 recorded step a launch: commands are "
                    "enqueued one by one (run.plain_replay, a trace)\n"
                  : "sequence_create 2\nkernel dispatch_scale, 97 x 5 cells: 1 recorded step a "
                    "launch: the backend does not tell\nsequence_replay 3\n");
    dispatch_expect(&field, field.f, 216.0f);
    trm_sequence_destroy(&sequence);
    dispatch_close(&field);
    trm_device_close(&device);
  }
}

static void a_sequence_goes_before_what_it_uses(void)
{
  trm_device *device = open_strange("strange:0", NULL, 1);
  dispatch_field field;
  trm_sequence *sequence = NULL;
  dispatch_open(device, &field);
  TEST_OK(trm_sequence_begin(device));
  TEST_OK(dispatch_scale(&field, field.f, field.g, 3.0f));
  TEST_OK(trm_sequence_end(device, &sequence));
  told[0] = 0;
  dispatch_close(&field);
  trm_device_close(&device);
  told_is("");
  trm_sequence_destroy(&sequence);
  told_is("finish\nsequence_destroy\nbuffer_destroy\nbuffer_destroy\nfinish\nprogram_destroy\n"
          "close\n");
}

static void a_failed_end_closes_the_recording(void)
{
  trm_device *device = open_strange("strange:0", NULL, 1);
  dispatch_field field;
  trm_sequence *sequence = NULL;
  dispatch_open(device, &field);
  TEST_OK(trm_sequence_begin(device));
  TEST_OK(dispatch_scale(&field, field.f, field.g, 3.0f));
  fail_at("sequence");
  TEST_FAILS(trm_sequence_end(device, &sequence), TRM_ERROR_DEVICE, "no graph today");
  fail_at(NULL);
  assert_null(sequence);
  TEST_OK(trm_device_finish(device));
  dispatch_close(&field);
  trm_device_close(&device);
}

static void cleaning_up_keeps_the_error_that_caused_it(void)
{
  trm_device *device = open_strange("strange:0", NULL, 1);
  dispatch_field field;
  trm_sequence *sequence = NULL;
  dispatch_open(device, &field);
  TEST_OK(trm_sequence_begin(device));
  TEST_OK(dispatch_scale(&field, field.f, field.g, 3.0f));
  TEST_OK(trm_sequence_end(device, &sequence));
  fail_at("finish");
  (void)TRM_FAIL(INPUT, "the cause");
  trm_sequence_destroy(&sequence);
  dispatch_close(&field);
  trm_device_close(&device);
  fail_at(NULL);
  assert_string_equal(trm_error_last()->text, "the cause");
}

static void closing_a_device_gives_up_its_recording(void)
{
  trm_device *device = open_strange("strange:0", NULL, 1);
  trm_buffer *buffer = NULL;
  const char zero = 0;
  TEST_OK(trm_buffer_create(device, 64, "cells", &buffer));
  TEST_OK(trm_sequence_begin(device));
  TEST_OK(trm_buffer_fill(buffer, 0, 64, &zero, 1));
  trm_buffer_destroy(&buffer);
  told[0] = 0;
  trm_device_close(&device);
  told_is("buffer_destroy\nclose\n");
}

/* ---- threads ---------------------------------------------------------------- */

typedef struct worker { trm_context *context; const char *name; char *failure; } worker;

static trm_status work(const worker *self, trm_device **device, trm_program **program,
                       trm_buffer **buffer)
{
  const trm_program_options options = { .precision = TRM_F32 };
  const trm_device_info *list;
  size_t count;
  float value = 2.5f;
  TRM_TRY(trm_device_list(self->context, &list, &count));
  TRM_TRY(trm_device_open(self->context, self->name, NULL, device));
  TRM_TRY(trm_program_create(*device, &dispatch_source, &options, program));
  TRM_TRY(trm_buffer_create(*device, 4096, "cells", buffer));
  TRM_TRY(trm_buffer_fill(*buffer, 0, 4096, &value, sizeof value));
  TRM_TRY(trm_buffer_read(*buffer, 4092, 4, &value));
  return value == 2.5f ? TRM_OK : TRM_FAIL(DEVICE, "read %g", (double)value);
}

/* cmocka's assertions belong to the main thread: a failure is handed back as text. */
static void *run_worker(void *argument)
{
  worker *self = argument;
  for (int i = 0; i < 20 && !self->failure; i++) {
    trm_device *device = NULL;
    trm_program *program = NULL;
    trm_buffer *buffer = NULL;
    if (work(self, &device, &program, &buffer) != TRM_OK)
      self->failure = strdup(trm_error_last()->text);
    trm_buffer_destroy(&buffer);
    trm_program_destroy(&program);
    trm_device_close(&device);
  }
  return NULL;
}

static void two_threads_use_two_devices_of_one_context(void)
{
  trm_context *context = NULL;
  pthread_t threads[2];
  setenv("TRIREME_BACKEND_PATH", TEST_PLUGINS, 1);
  setenv("TRIREME_CACHE_DIR", test_folder(), 1);
  TEST_OK(trm_context_create(NULL, &context));
  worker workers[2] = { { context, "strange:0", NULL }, { context, "strange:2", NULL } };
  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, run_worker, &workers[i]), 0);
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < 2; i++) {
    if (workers[i].failure) print_error("%s: %s\n", workers[i].name, workers[i].failure);
    assert_null(workers[i].failure);
    free(workers[i].failure);
  }
  trm_context_destroy(&context);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(part_of_a_name_picks_the_first_of_its_kind),
    TEST_HOST(part_of_different_names_is_refused_with_the_list),
    TEST_HOST(a_device_that_cannot_be_described_hides_no_other),
    TEST_HOST(a_plugin_with_crooked_rows_is_refused_and_closed),
    TEST_HOST(too_little_memory_tells_needed_and_available),
    TEST_HOST(a_build_gets_its_defines_in_order),
    TEST_HOST(strict_is_proved_once_and_before_the_first_strict_program),
    TEST_HOST(double_precision_is_refused_where_there_is_none),
    TEST_HOST(a_compilers_words_reach_the_caller),
    TEST_HOST(a_refused_binary_is_built_anew_and_kept),
    TEST_HOST(without_a_key_nothing_is_cached),
    TEST_HOST(a_backends_own_replay_is_used_unless_plain_is_asked_for),
    TEST_HOST(a_sequence_goes_before_what_it_uses),
    TEST_HOST(a_failed_end_closes_the_recording),
    TEST_HOST(cleaning_up_keeps_the_error_that_caused_it),
    TEST_HOST(closing_a_device_gives_up_its_recording),
    TEST_HOST(two_threads_use_two_devices_of_one_context),
  };
  return TEST_RUN(argc, argv, cases);
}
