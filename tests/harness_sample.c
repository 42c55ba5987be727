/* harness_sample.c - cases that fail in every way a case can; harness.sh looks
 * at what is printed. */
#include "tests/harness.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static void a_good_case(void) { puts("this is not shown"); }
static void a_failed_assertion(void)
{
  puts("what it printed");
  assert_int_equal(1, 2);
}
static void a_failed_call(void)
{
  TEST_OK(TRM_FAIL(IO, "%s", "the disk is on fire"));
}
static void an_unexpected_success(void) { TEST_FAILS(TRM_OK, TRM_ERROR_IO, NULL); }
static void another_message(void) { TEST_FAILS(TRM_FAIL(IO, "no ink"), TRM_ERROR_IO, "no paper"); }
static void an_expected_failure(void) { TEST_FAILS(TRM_FAIL(IO, "no ink"), TRM_ERROR_IO, "ink"); }
static void other_bits(void)
{
  const float a[2] = {1.0f, 0.0f}, b[2] = {1.0f, -0.0f};
  TEST_SAME_BITS(a, b, 2, TRM_TYPE_F32);
}
static void not_close(void) { TEST_CLOSE(1.0, 1.1, 0.01); }
static void a_skipped_case(void) { TEST_SKIP("because of %s", "rain"); }
/* Raised, since sanitizers would catch the real thing first. */
static void a_bad_pointer(void) { raise(SIGSEGV); }
static void a_device_case(trm_device *device) { (void)device; }
static void an_abort(void)
{
  if (getenv("HARNESS_SAMPLE_ABORTS")) abort();
}
/* Two devices of one backend are another backend to the harness. */
static void a_case_of_physics(trm_device *device) { test_is_long_elsewhere(device); }

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_good_case),
    TEST_HOST(a_failed_assertion),
    TEST_HOST(a_failed_call),
    TEST_HOST(an_unexpected_success),
    TEST_HOST(another_message),
    TEST_HOST(an_expected_failure),
    TEST_HOST(other_bits),
    TEST_HOST(not_close),
    TEST_HOST(a_skipped_case),
    TEST_HOST(a_bad_pointer),
    TEST_DEVICE(a_device_case),
    TEST_HOST(an_abort),
    TEST_DEVICE(a_case_of_physics),
  };
  return TEST_RUN(argc, argv, cases);
}
