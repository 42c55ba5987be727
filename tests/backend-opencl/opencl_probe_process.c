/* opencl_probe_process.c - OpenCL drivers that end or hang the process which tries them: the others
 * serve on, and each is named with what it did and what to do (failing_driver.c). */
#include "tests/backend-opencl/opencl_vendors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is told of the failing driver in that mode; beside the machine's own, or alone. Twice, since
 * the outcome of a probe process is kept. */
static void ask_rough(const char *mode, int is_alone, answer *told)
{
  char folder[600], name[64];
  need_loader_that_reads_vendors();
  snprintf(name, sizeof name, "rough-%s-%d", mode, is_alone);
  make_vendors(name, folder, sizeof folder);
  write_icd(folder, "a-failing.icd", failing_driver);
  if (!is_alone) copy_icds(folder);
  setenv("TRIREME_TEST_DRIVER", mode, 1);
  ask(vendors, folder, told);
  answer again;
  ask(vendors, folder, &again);
  unsetenv("TRIREME_TEST_DRIVER");
  assert_int_equal(again.state, told->state);
  assert_string_equal(again.reason, told->reason);
}

/* The other platforms still work, and the message names platform, signal, place and cure. */
static void a_platform_whose_compiler_crashes_hides_no_other(void)
{
  answer alone, told;
  need_loader_that_reads_vendors();
  ask(vendors, system_vendors, &alone);
  if (alone.state != TRM_BACKEND_READY)
    TEST_SKIP("no driver of this machine works: %s", alone.reason);
  ask_rough("build", 0, &told);
  assert_int_equal(told.state, TRM_BACKEND_READY);
  assert_int_equal(told.device_count, alone.device_count);
  assert_non_null(strstr(told.reason, "platform Failing Platform: the process that tried it first "
                                      "was ended by signal 11 (Segmentation fault), in "));
  assert_non_null(strstr(told.reason, "failing_driver.so"));
  assert_non_null(strstr(told.cure, "update or remove the driver of that platform"));
}

/* Some loaders ask for devices already when they open the drivers. */
static void a_platform_that_crashes_when_asked_for_devices_is_named(void)
{
  answer told;
  ask_rough("list", 1, &told);
  assert_true(told.state == TRM_BACKEND_NO_DEVICE || told.state == TRM_BACKEND_BROKEN);
  assert_non_null(strstr(told.reason, "was ended by signal 11 (Segmentation fault), in "));
  assert_non_null(strstr(told.reason, "failing_driver.so"));
  assert_non_null(strstr(told.cure, "/etc/OpenCL/vendors"));
}

static void a_platform_whose_compiler_crashes_alone_is_no_device(void)
{
  answer told;
  ask_rough("build", 1, &told);
  assert_int_equal(told.state, TRM_BACKEND_NO_DEVICE);
  assert_non_null(strstr(told.reason, "was ended by signal 11 (Segmentation fault)"));
  assert_non_null(strstr(told.cure, "update or remove the driver of that platform"));
}

static void a_platform_that_hangs_is_given_up(void)
{
  answer told;
  setenv("TRIREME_PROBE_SECONDS", "4", 1);
  ask_rough("hang", 1, &told);
  unsetenv("TRIREME_PROBE_SECONDS");
  assert_int_equal(told.state, TRM_BACKEND_NO_DEVICE);
  assert_non_null(strstr(told.reason, "platform Failing Platform: the process that tried it first "
                                      "was still at it after 4 s"));
}

/* All drivers are opened by one call, so none can be left out; the place names the one. */
static void a_driver_that_crashes_when_opened_is_named(void)
{
  answer told;
  ask_rough("load", 0, &told);
  assert_int_equal(told.state, TRM_BACKEND_BROKEN);
  assert_non_null(strstr(told.reason, "the drivers that the ICD loader opens: the process that "
                                      "tried it first was ended by signal 11"));
  assert_non_null(strstr(told.reason, "failing_driver.so"));
  assert_non_null(strstr(told.cure, "/etc/OpenCL/vendors"));
}

int main(int argc, char **argv)
{
  unsetenv(vendors); /* set by each case */
  unsetenv(filenames);
  unsetenv("OPENCL_VENDOR_PATH");
  static const test_case cases[] = {
    TEST_HOST(a_platform_whose_compiler_crashes_hides_no_other),
    TEST_HOST(a_platform_that_crashes_when_asked_for_devices_is_named),
    TEST_HOST(a_platform_whose_compiler_crashes_alone_is_no_device),
    TEST_HOST(a_platform_that_hangs_is_given_up),
    TEST_HOST(a_driver_that_crashes_when_opened_is_named),
  };
  return TEST_RUN(argc, argv, cases);
}
