/* probe.c - strict arithmetic is refused on a device that computes otherwise, by the operation's
 * name; fast arithmetic and the reductions are not. */
#include "tests/core/dispatch.h"

#include <stdlib.h>

/* Every ready device passes, since every strict program of the other tests was proved first; here
 * both precisions are asked for in so many words. */
static void the_device_computes_what_strict_arithmetic_promises(trm_device *device)
{
  static const trm_precision precisions[] = { TRM_F32, TRM_F64 };
  for (int i = 0; i < 1 + trm_device_describe(device)->has_f64; i++) {
    const trm_program_options options = { .precision = precisions[i], .math = TRM_STRICT };
    trm_program *program = NULL;
    TEST_OK(trm_program_create(device, &dispatch_source, &options, &program));
    trm_program_destroy(&program);
  }
}

/* The fake backend's device, which nobody has probed yet. */
static void open_fake(trm_context **context, trm_device **device)
{
  setenv("TRIREME_BACKEND_PATH", TEST_PLUGINS, 1);
  TEST_OK(trm_context_create(NULL, context));
  TEST_OK(trm_device_open(*context, "fake", NULL, device));
}

static void assert_refused(const char *flaw, trm_precision precision, const char *operation)
{
  const trm_program_options strict = { .precision = precision, .math = TRM_STRICT };
  trm_context *context = NULL;
  trm_device *device = NULL;
  trm_program *program = NULL;
  trm_reduction *reduction = NULL;
  open_fake(&context, &device);
  setenv("TRIREME_FAKE_FLAW", flaw, 1);
  TEST_FAILS(trm_program_create(device, &dispatch_source, &strict, &program), TRM_ERROR_UNSUPPORTED,
             operation);
  assert_null(program);
  TEST_FAILS(trm_program_create(device, &dispatch_source, &strict, &program), TRM_ERROR_UNSUPPORTED,
             "one thread) is refused for strict arithmetic");
  TEST_OK(trm_reduction_create(device, TRM_SUM, precision, 10, 1, &reduction));
  unsetenv("TRIREME_FAKE_FLAW");
  trm_reduction_destroy(&reduction);
  TEST_OK(trm_program_create(device, &dispatch_source, &strict, &program));
  trm_program_destroy(&program);
  trm_device_close(&device);
  trm_context_destroy(&context);
}

static void a_device_that_rounds_upwards_is_refused(void)
{
  assert_refused("rounding", TRM_F32, "a + b in f32");
  assert_refused("rounding", TRM_F64, "a + b in f64");
}

static void a_device_that_flushes_subnormals_is_refused(void)
{
#if defined(__x86_64__)
  assert_refused("subnormals", TRM_F32, "with subnormal numbers");
  assert_refused("subnormals", TRM_F64, "with subnormal numbers");
#else
  TEST_SKIP("the fake backend can flush subnormals on x86 only");
#endif
}

static void one_wrong_bit_is_reported_with_the_operation_and_its_operands(void)
{
  assert_refused("fma", TRM_F32, "fma(a, b, c) in f32");
  assert_refused("fma", TRM_F32, "instead of 0x");
  assert_refused("fma", TRM_F32, "use --math=fast");
}

static void fast_arithmetic_is_not_refused(void)
{
  const trm_program_options fast = { .precision = TRM_F32, .math = TRM_FAST };
  trm_context *context = NULL;
  trm_device *device = NULL;
  trm_program *program = NULL;
  open_fake(&context, &device);
  setenv("TRIREME_FAKE_FLAW", "rounding", 1);
  const trm_status status = trm_program_create(device, &dispatch_source, &fast, &program);
  unsetenv("TRIREME_FAKE_FLAW");
  /* the reverse instances are strict only */
  const int none = status == TRM_ERROR_NOT_FOUND && getenv("TRIREME_ISA");
  if (!none) TEST_OK(status);
  trm_program_destroy(&program);
  trm_device_close(&device);
  trm_context_destroy(&context);
  if (none) TEST_SKIP("TRIREME_ISA=%s has no fast kernels", getenv("TRIREME_ISA"));
}

static void the_probe_runs_once_a_device_and_precision(void)
{
  const trm_program_options strict = { .precision = TRM_F32, .math = TRM_STRICT };
  trm_context *context = NULL;
  trm_device *device = NULL;
  trm_program *program = NULL;
  open_fake(&context, &device);
  TEST_OK(trm_program_create(device, &dispatch_source, &strict, &program));
  trm_program_destroy(&program);
  setenv("TRIREME_FAKE_FLAW", "rounding", 1); /* a second probe would see it */
  TEST_OK(trm_program_create(device, &dispatch_source, &strict, &program));
  unsetenv("TRIREME_FAKE_FLAW");
  trm_program_destroy(&program);
  trm_device_close(&device);
  trm_context_destroy(&context);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(the_device_computes_what_strict_arithmetic_promises),
    TEST_HOST(a_device_that_rounds_upwards_is_refused),
    TEST_HOST(a_device_that_flushes_subnormals_is_refused),
    TEST_HOST(one_wrong_bit_is_reported_with_the_operation_and_its_operands),
    TEST_HOST(fast_arithmetic_is_not_refused),
    TEST_HOST(the_probe_runs_once_a_device_and_precision),
  };
  return TEST_RUN(argc, argv, cases);
}
