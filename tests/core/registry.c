/* registry.c - which plugins are found, and the sentence for each table that is refused. */
#include "tests/core/plugin_folder.h"
#include "core/backend.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a plugin that works -------------------------------------------------------- */

static void a_plugin_that_works_is_ready(void)
{
  add_link("ready", "fake", "fake");
  trm_context *context = context_of("ready");
  const trm_backend_info *info = info_of(context, "fake");
  assert_int_equal(info->state, TRM_BACKEND_READY);
  assert_string_equal(info->reason, "");
  assert_string_equal(info->cure, "");
  assert_string_equal(info->summary, "one thread of this host");
  assert_string_equal(info->version, "1");
  assert_text(info->path, "/ready/trireme_fake.so");
  assert_int_equal(info->device_count, 1);
  trm_device *device = NULL;
  TEST_OK(trm_device_open(context, "fake:0", NULL, &device));
  assert_string_equal(trm_device_describe(device)->backend, "fake");
  assert_string_equal(trm_device_describe(device)->name, "one thread");
  trm_device_close(&device);
  trm_context_destroy(&context);
}

static void known_backends_without_a_file_are_listed_with_a_cure(void)
{
  assert_refused("empty", "openmp", TRM_BACKEND_NOT_FOUND, "no file trireme_openmp.so");
  assert_refused("empty", "opencl", TRM_BACKEND_NOT_FOUND, "no file trireme_opencl.so");
  assert_refused("empty", "cuda", TRM_BACKEND_NOT_FOUND, "no file trireme_cuda.so");
  trm_context *context = context_of("empty");
  assert_text(info_of(context, "cuda")->cure, "--with-cuda");
  trm_context_destroy(&context);
}

static void an_unknown_name_is_answered_with_the_nearest(void)
{
  trm_context *context = context_of("ready");
  trm_device *device = NULL;
  TEST_FAILS(trm_device_open(context, "cdua:0", NULL, &device), TRM_ERROR_NOT_FOUND,
             "did you mean \"cuda\"?");
  TEST_FAILS(trm_device_open(context, "fale", NULL, &device), TRM_ERROR_NOT_FOUND,
             "did you mean \"fake\"?");
  TEST_FAILS(trm_device_open(context, "zebra", NULL, &device), TRM_ERROR_NOT_FOUND,
             "fake, openmp, opencl, cuda");
  assert_null(strstr(trm_error_last()->text, "did you mean"));
  trm_context_destroy(&context);
}

/* Each thread has a context of its own; the files are loaded once for all of them. */
static void *list_and_open(void *result)
{
  trm_context *context = NULL;
  trm_device *device = NULL;
  const trm_backend_info *list;
  size_t count;
  trm_status *status = result;
  *status = trm_context_create(NULL, &context);
  if (*status == TRM_OK) *status = trm_backend_list(context, &list, &count);
  if (*status == TRM_OK) *status = trm_device_open(context, "fake", NULL, &device);
  trm_device_close(&device);
  trm_context_destroy(&context);
  return NULL;
}

static void threads_may_ask_at_once(void)
{
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  trm_status results[THREADS];
  add_link("threads", "fake", "fake");
  add_link("threads", "driverless", "broken");
  setenv("TRIREME_BACKEND_PATH", make_folder("threads"), 1);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, list_and_open, &results[i]), 0);
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(results[i], TRM_OK);
  }
}

/* ---- the search path ------------------------------------------------------------ */

static void only_absolute_folders_are_searched(void)
{
  char here[PATH_BYTES], path[3 * PATH_BYTES];
  const trm_backend_info *list;
  trm_context *context = NULL;
  size_t count, refused = 0;
  add_link("relative", "fake", "fake");
  assert_non_null(getcwd(here, sizeof here));
  assert_int_equal(chdir(test_folder()), 0);
  snprintf(path, sizeof path, "relative::.:%s/nowhere:", test_folder());
  setenv("TRIREME_BACKEND_PATH", path, 1);
  TEST_OK(trm_context_create(NULL, &context));
  TEST_OK(trm_backend_list(context, &list, &count));
  assert_int_equal(chdir(here), 0);
  for (size_t i = 0; i < count; i++) {
    assert_string_not_equal(list[i].name, "fake");
    if (list[i].state == TRM_BACKEND_CANNOT_LOAD) {
      assert_text(list[i].reason, "is not an absolute path");
      refused++;
    } else {
      assert_int_equal(list[i].state, TRM_BACKEND_NOT_FOUND);
    }
  }
  assert_int_equal(refused, 2); /* "relative" and "."; empty elements are left out */
  assert_int_equal(count, 2 + 1 + 3);
  assert_text(list[2].reason, "cannot be read: No such file or directory");
  trm_device *device = NULL;
  for (size_t i = 0; i < 2; i++) {
    TEST_FAILS(trm_device_open(context, i ? "fake" : "cuda", NULL, &device),
               i ? TRM_ERROR_NOT_FOUND : TRM_ERROR_NOT_READY,
               "the element \"relative\" of TRIREME_BACKEND_PATH is not an absolute path");
    assert_text(trm_error_last()->text, "nowhere of TRIREME_BACKEND_PATH cannot be read");
  }
  assert_text(trm_error_last()->text, "\".\" of TRIREME_BACKEND_PATH");
  trm_context_destroy(&context);
}

static void a_path_without_a_folder_searches_nothing_and_says_so(void)
{
  trm_context *context = NULL;
  trm_device *device = NULL;
  setenv("TRIREME_BACKEND_PATH", ":::", 1);
  TEST_OK(trm_context_create(NULL, &context));
  TEST_FAILS(trm_device_open(context, "openmp", NULL, &device), TRM_ERROR_NOT_READY,
             "TRIREME_BACKEND_PATH names no folder");
  trm_context_destroy(&context);
}

static void the_first_file_of_a_name_is_the_backend(void)
{
  char path[2 * PATH_BYTES];
  const trm_backend_info *list;
  trm_context *context = NULL;
  size_t count;
  add_link("first", "fake", "fake");
  add_link("second", "fake", "fake");
  snprintf(path, sizeof path, "%s/first:%s/second", test_folder(), test_folder());
  setenv("TRIREME_BACKEND_PATH", path, 1);
  TEST_OK(trm_context_create(NULL, &context));
  TEST_OK(trm_backend_list(context, &list, &count));
  assert_int_equal(count, 2 + 3);
  assert_int_equal(list[0].state, TRM_BACKEND_READY);
  assert_int_equal(list[1].state, TRM_BACKEND_CANNOT_LOAD);
  assert_text(list[1].reason, "passed over: ");
  assert_text(list[1].reason, "/first/trireme_fake.so");
  trm_context_destroy(&context);
}

/* Nothing takes the place of what was found first, and its message names it. */
static void a_first_file_that_is_broken_is_not_replaced_by_the_second(void)
{
  char path[2 * PATH_BYTES];
  trm_context *context = NULL;
  trm_device *device = NULL;
  add_file("spoiled", "fake", "text", 4);
  add_link("whole", "fake", "fake");
  snprintf(path, sizeof path, "%s/spoiled:%s/whole", test_folder(), test_folder());
  setenv("TRIREME_BACKEND_PATH", path, 1);
  TEST_OK(trm_context_create(NULL, &context));
  TEST_FAILS(trm_device_open(context, "fake", NULL, &device), TRM_ERROR_NOT_READY,
             "/spoiled/trireme_fake.so is not a shared object");
  trm_context_destroy(&context);
}

/* trireme_broken.so holds many tables; under each of two names it is the one of that name. */
static void of_several_tables_in_a_file_the_one_of_its_name_is_used(void)
{
  add_link("twins", "driverless", "broken");
  add_link("twins", "hollow", "broken");
  trm_context *context = context_of("twins");
  assert_int_equal(info_of(context, "driverless")->state, TRM_BACKEND_NO_DRIVER);
  assert_text(info_of(context, "driverless")->reason, "libdriver.so.1: not there");
  assert_int_equal(info_of(context, "hollow")->state, TRM_BACKEND_BROKEN);
  trm_context_destroy(&context);
}

static void other_files_in_the_folder_are_not_looked_at(void)
{
  char path[2 * PATH_BYTES];
  trm_context *context = NULL;
  const trm_backend_info *list;
  size_t count;
  snprintf(path, sizeof path, "%s/libharness.so", make_folder("others"));
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
  context = context_of("others");
  TEST_OK(trm_backend_list(context, &list, &count));
  assert_int_equal(count, 3);
  trm_context_destroy(&context);
}

/* ---- tables that are refused ----------------------------------------------------- */

static void refuse_table(const char *name, trm_backend_state state, const char *reason)
{
  add_link(name, name, "broken");
  assert_refused(name, name, state, reason);
}

/* The plugin's number is so much more than the library's. */
static void refuse_number(const char *name, const char *format, int more)
{
  char reason[128];
  snprintf(reason, sizeof reason, format, TRM_BACKEND_ABI + more, TRM_BACKEND_ABI);
  refuse_table(name, TRM_BACKEND_ABI_MISMATCH, reason);
}

static void another_abi_is_refused_with_both_numbers(void)
{
  refuse_number("old", "was built for ABI %d, this library has ABI %d", 41);
}

static void a_short_table_is_refused_with_both_sizes(void)
{
  refuse_table("short", TRM_BACKEND_ABI_MISMATCH, "has a table of 8 bytes");
}

static void a_plugin_that_refuses_the_library_says_why(void)
{
  refuse_number("refuser", "I was made for ABI %d, not %d", 1);
}

static void a_plugin_that_refuses_without_a_word_is_refused(void)
{
  refuse_table("mute", TRM_BACKEND_ABI_MISMATCH, "without saying why");
}

static void a_missing_entry_is_named(void)
{
  refuse_table("lacking", TRM_BACKEND_BROKEN, "lacks the entry finish");
}

static void half_of_an_optional_group_is_refused(void)
{
  refuse_table("halved", TRM_BACKEND_BROKEN, "lacks the entry sequence_replay");
  refuse_table("queueless", TRM_BACKEND_BROKEN, "lacks the entry queue_wait");
  refuse_table("unheld", TRM_BACKEND_BROKEN, "lacks the entry buffer_hold");
}

static void a_table_of_another_name_is_refused(void)
{
  refuse_table("misnamed", TRM_BACKEND_BROKEN, "calls itself \"cuda\", its file says \"misnamed\"");
}

static void a_file_without_its_symbol_is_refused(void)
{
  refuse_table("unnamed", TRM_BACKEND_BROKEN, "does not export trm_backend_unnamed");
}

static void a_probe_that_leaves_no_state_is_refused(void)
{
  refuse_table("silent", TRM_BACKEND_BROKEN, "left no state");
}

static void a_ready_plugin_without_a_device_is_refused(void)
{
  refuse_table("hollow", TRM_BACKEND_BROKEN, "names no device");
}

static void what_the_probe_says_is_passed_on(void)
{
  refuse_table("driverless", TRM_BACKEND_NO_DRIVER, "libdriver.so.1: not there");
  trm_context *context = context_of("driverless");
  assert_string_equal(info_of(context, "driverless")->cure, "install the driver");
  assert_string_equal(info_of(context, "driverless")->summary, "broken, for the tests");
  trm_context_destroy(&context);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_plugin_that_works_is_ready),
    TEST_HOST(known_backends_without_a_file_are_listed_with_a_cure),
    TEST_HOST(an_unknown_name_is_answered_with_the_nearest),
    TEST_HOST(threads_may_ask_at_once),
    TEST_HOST(only_absolute_folders_are_searched),
    TEST_HOST(a_path_without_a_folder_searches_nothing_and_says_so),
    TEST_HOST(the_first_file_of_a_name_is_the_backend),
    TEST_HOST(a_first_file_that_is_broken_is_not_replaced_by_the_second),
    TEST_HOST(of_several_tables_in_a_file_the_one_of_its_name_is_used),
    TEST_HOST(other_files_in_the_folder_are_not_looked_at),
    TEST_HOST(another_abi_is_refused_with_both_numbers),
    TEST_HOST(a_short_table_is_refused_with_both_sizes),
    TEST_HOST(a_plugin_that_refuses_the_library_says_why),
    TEST_HOST(a_plugin_that_refuses_without_a_word_is_refused),
    TEST_HOST(a_missing_entry_is_named),
    TEST_HOST(half_of_an_optional_group_is_refused),
    TEST_HOST(a_table_of_another_name_is_refused),
    TEST_HOST(a_file_without_its_symbol_is_refused),
    TEST_HOST(a_probe_that_leaves_no_state_is_refused),
    TEST_HOST(a_ready_plugin_without_a_device_is_refused),
    TEST_HOST(what_the_probe_says_is_passed_on),
  };
  umask(022); /* plugins that everybody can write are refused */
  return TEST_RUN(argc, argv, cases);
}
