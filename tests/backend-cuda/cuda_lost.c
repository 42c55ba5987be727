/* cuda_lost.c - a CUDA device that is lost in the middle, through the library: the call that
 * meets it says why, every later call is refused at once, and everything is destroyed in any
 * order. The driver is a fake (tests/fake), loaded into this process before the plugin looks. */
#include "tests/core/dispatch.h"
#include "tests/fake/driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static fake_driver *fake;
static trm_context *context;

static void use_fake(void)
{
  void *driver = dlopen(FAKE_FOLDER "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) fail_msg("%s", dlerror());
  fake = dlsym(driver, "fake_driver_state");
  assert_non_null(fake);
  *fake = (fake_driver)FAKE_HEALTHY;
  fake->takes_any = 1;
  setenv("TRIREME_NVRTC", FAKE_FOLDER "/libnvrtc.so", 1);
  if (!context) TEST_OK(trm_context_create(NULL, &context));
}

/* One of everything. */
typedef struct things {
  trm_device *device;
  trm_buffer *x, *y;
  trm_program *program;
  trm_kernel *scale;
  trm_event *begin, *end;
  trm_sequence *sequence;
  trm_reduction *sum;
} things;

static trm_status launch(const things *t)
{
  const dispatch_params params = {.factor = 2};
  const trm_extent extent = {8, 8, 1, 0};
  trm_buffer *const buffers[] = {t->x, t->y};
  return trm_kernel_launch(t->scale, &extent, &params, sizeof params, buffers, 2);
}

static void make(things *t)
{
  const trm_program_options fast = {.precision = TRM_F32, .math = TRM_FAST};
  memset(t, 0, sizeof *t);
  TEST_OK(trm_device_open(context, "cuda:1", NULL, &t->device));
  TEST_OK(trm_buffer_create(t->device, 4096, "x", &t->x));
  TEST_OK(trm_buffer_create(t->device, 4096, "y", &t->y));
  TEST_OK(trm_program_create(t->device, &dispatch_source, &fast, &t->program));
  TEST_OK(trm_program_kernel(t->program, "dispatch_scale", &t->scale));
  TEST_OK(trm_event_create(t->device, &t->begin));
  TEST_OK(trm_event_create(t->device, &t->end));
  TEST_OK(trm_reduction_create(t->device, TRM_SUM, TRM_F32, 16, 1, &t->sum));
  TEST_OK(trm_sequence_begin(t->device));
  TEST_OK(launch(t));
  TEST_OK(launch(t));
  TEST_OK(trm_sequence_end(t->device, &t->sequence));
  TEST_OK(trm_event_record(t->begin));
}

/* The device first and what lies on it last: each keeps what it needs. */
static void destroy(things *t)
{
  trm_device_close(&t->device);
  trm_program_destroy(&t->program);
  trm_sequence_destroy(&t->sequence);
  trm_buffer_destroy(&t->x);
  trm_event_destroy(&t->end);
  trm_reduction_destroy(&t->sum);
  trm_buffer_destroy(&t->y);
  trm_event_destroy(&t->begin);
  assert_int_equal(fake->contexts + fake->streams + fake->buffers + fake->pinned, 0);
  assert_int_equal(fake->modules + fake->events + fake->graphs + fake->execs, 0);
  assert_string_equal(fake->misuse, "");
}

#define REFUSED(call) TEST_FAILS(call, TRM_ERROR_DEVICE, "cuda:1 (Fake GPU 1) was lost earlier: ")

/* Nothing is executed, nothing hangs, and the first cause stays in every sentence. */
static void everything_is_refused(const things *t)
{
  const trm_program_options fast = {.precision = TRM_F32, .math = TRM_FAST};
  const float zero = 0;
  uint64_t available;
  double seconds;
  char bytes[64] = {0};
  things more = *t;
  REFUSED(trm_device_finish(t->device));
  REFUSED(trm_device_free_memory(t->device, &available));
  REFUSED(trm_buffer_create(t->device, 64, "late", &more.x));
  REFUSED(trm_buffer_write(t->x, 0, sizeof bytes, bytes));
  REFUSED(trm_buffer_read(t->x, 0, sizeof bytes, bytes));
  REFUSED(trm_buffer_copy(t->x, 0, t->y, 0, 64));
  REFUSED(trm_buffer_fill(t->x, 0, 64, &zero, sizeof zero));
  REFUSED(launch(t));
  REFUSED(trm_kernel_launch(t->scale, &(trm_extent){1, 1, 1, 0}, &(dispatch_params){.factor = 1},
                            sizeof(dispatch_params), (trm_buffer *[]){t->y, t->x}, 2));
  REFUSED(trm_event_create(t->device, &more.begin));
  REFUSED(trm_event_record(t->end));
  REFUSED(trm_event_elapsed(t->begin, t->begin, &seconds));
  REFUSED(trm_sequence_replay(t->sequence, 3));
  REFUSED(trm_reduction_run(t->sum, t->x, 0, 16, 1, t->y, 0));
  REFUSED(trm_program_create(t->device, &dispatch_source, &fast, &more.program));
  TEST_OK(trm_sequence_begin(t->device));  /* core's own, until the device is asked */
  TEST_OK(launch(t));
  REFUSED(trm_sequence_end(t->device, &more.sequence));
  trm_sequence_cancel(t->device);
}

static void lose_by(cu_result cause, const char *words)
{
  things t;
  use_fake();
  make(&t);
  fake->fatal_launch = fake->launch_count + 3;
  fake->fatal_result = cause;
  TEST_OK(trm_sequence_replay(t.sequence, 10));
  TEST_FAILS(trm_device_finish(t.device), TRM_ERROR_DEVICE, words);
  assert_non_null(strstr(trm_error_last()->text, "start the program again"));
  everything_is_refused(&t);
  destroy(&t);
  fake->fatal_launch = 0;
  make(&t);                                /* opened anew, the fake device works again */
  TEST_OK(trm_device_finish(t.device));
  destroy(&t);
}

static void a_failed_launch_loses_the_device(void)
{
  lose_by(CU_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED");
}

static void a_bad_address_loses_the_device(void)
{
  lose_by(CU_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS");
}

static void a_device_that_falls_off_the_bus_is_lost(void)
{
  lose_by(CU_UNKNOWN, "the driver gave the device up");
  lose_by(CU_NO_DEVICE, "the driver gave the device up");
}

static void a_memory_error_of_the_hardware_loses_the_device(void)
{
  lose_by(CU_ECC_UNCORRECTABLE, "the hardware failed");
}

/* The blocking calls meet a loss just as finish does. */
static void a_loss_surfaces_at_the_first_call_that_waits(void)
{
  for (int which = 0; which < 3; which++) {
    char bytes[64];
    double seconds;
    things t;
    use_fake();
    make(&t);
    fake->fatal_launch = fake->launch_count + 1;
    fake->fatal_result = CU_ILLEGAL_ADDRESS;
    TEST_OK(launch(&t));
    TEST_OK(trm_event_record(t.end));
    TEST_FAILS(which == 0   ? trm_device_finish(t.device)
               : which == 1 ? trm_buffer_read(t.y, 0, sizeof bytes, bytes)
                            : trm_event_elapsed(t.begin, t.end, &seconds),
               TRM_ERROR_DEVICE, "CUDA_ERROR_ILLEGAL_ADDRESS");
    everything_is_refused(&t);
    destroy(&t);
  }
}

static void a_refused_launch_loses_nothing(void)
{
  things t;
  use_fake();
  make(&t);
  fake->refused_launch = fake->offered_launches + 1;
  fake->refused_result = CU_LAUNCH_OUT_OF_RESOURCES;
  TEST_FAILS(launch(&t), TRM_ERROR_DEVICE, "give a smaller one (--group)");
  TEST_OK(launch(&t));
  TEST_OK(trm_device_finish(t.device));
  destroy(&t);
}

static void without_memory_what_there_is_stays_usable(void)
{
  things t;
  trm_buffer *large = NULL;
  use_fake();
  make(&t);
  TEST_FAILS(trm_buffer_create(t.device, (size_t)80 << 20, "large", &large),
             TRM_ERROR_NO_DEVICE_MEMORY, "buffer \"large\" needs 80.0 MiB");
  assert_null(large);
  fake->instantiate_result = CU_OUT_OF_MEMORY;
  trm_sequence *sequence = NULL;
  TEST_OK(trm_sequence_begin(t.device));
  TEST_OK(launch(&t));
  TEST_FAILS(trm_sequence_end(t.device, &sequence), TRM_ERROR_NO_DEVICE_MEMORY, "nvidia-smi");
  trm_sequence_cancel(t.device);
  fake->instantiate_result = 0;
  TEST_OK(launch(&t));
  TEST_OK(trm_sequence_replay(t.sequence, 2));
  TEST_OK(trm_device_finish(t.device));
  destroy(&t);
  fake->retain_result = CU_OUT_OF_MEMORY;
  TEST_FAILS(trm_device_open(context, "cuda", NULL, &t.device), TRM_ERROR_NO_DEVICE_MEMORY,
             "cuDevicePrimaryCtxRetain reported CUDA_ERROR_OUT_OF_MEMORY");
  assert_int_equal(fake->contexts, 0);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_failed_launch_loses_the_device),
    TEST_HOST(a_bad_address_loses_the_device),
    TEST_HOST(a_device_that_falls_off_the_bus_is_lost),
    TEST_HOST(a_memory_error_of_the_hardware_loses_the_device),
    TEST_HOST(a_loss_surfaces_at_the_first_call_that_waits),
    TEST_HOST(a_refused_launch_loses_nothing),
    TEST_HOST(without_memory_what_there_is_stays_usable),
  };
  const int failed = TEST_RUN(argc, argv, cases);
  trm_context_destroy(&context);
  return failed;
}
