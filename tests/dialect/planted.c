/* Kernels that are wrong on purpose, and the modes that find them: NaN and guard bytes of
 * TRIREME_DEBUG_BUFFERS here; races and overruns under Oclgrind where tests/dialect/oclgrind.sh
 * asks. */
#include "tests/core/dispatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/dialect/dialect.h"

/* Scales f into g with a row that begins `shift` values off its place. */
static trm_status scale_shifted(trm_device *device, const dispatch_field *field, int64_t shift)
{
  dispatch_params params = field->params;
  trm_buffer *const buffers[] = { field->f, field->g };
  params.first += shift;
  TEST_OK(trm_kernel_launch(field->scale, &field->extent, &params, sizeof params, buffers, 2));
  return trm_device_finish(device);
}

static trm_device *open_checked(void)
{
  setenv("TRIREME_DEBUG_BUFFERS", "1", 1);
  trm_device *device = test_open("openmp", NULL);
  unsetenv("TRIREME_DEBUG_BUFFERS");
  return device;
}

static void a_kernel_that_writes_outside_its_buffer_is_seen(void)
{
  for (int side = -1; side <= 1; side++) {
    trm_device *device = open_checked();
    dispatch_field field;
    dispatch_open(device, &field);
    const int64_t off = (int64_t)field.layout.elements - DISPATCH_NX;
    const trm_status status = scale_shifted(device, &field, side * off);
    if (side == 0) TEST_OK(status);
    else TEST_FAILS(status, TRM_ERROR_DEVICE, "a kernel wrote outside a buffer of");
    dispatch_close(&field);
    trm_device_close(&device);
  }
}

static void a_value_that_nobody_wrote_is_not_a_number(void)
{
  trm_device *device = open_checked();
  dispatch_field field;
  trm_buffer *fresh = NULL;
  float value = 0.0f;
  dispatch_open(device, &field);
  TEST_OK(trm_buffer_create(device, field.layout.elements * sizeof value, "fresh", &fresh));
  TEST_OK(dispatch_scale(&field, fresh, field.g, 2.0f));
  TEST_OK(trm_buffer_read(field.g, field.layout.first * sizeof value, sizeof value, &value));
  assert_true(isnan(value));
  trm_buffer_destroy(&fresh);
  dispatch_close(&field);
  trm_device_close(&device);
}

/* ---- for a tool that watches an OpenCL program ------------------------------------------- */

static void run_racy(trm_device *device, const trm_program_source *source, const char *kernel,
                     int nx)
{
  const trm_program_options options = { .precision = TRM_F32, .math = TRM_STRICT };
  const dialect_params params = { .a = 0.0 };
  float values[257] = { 0 };
  dialect_run run;
  dialect_run_open(device, source, &options, &run);
  trm_buffer *buffer = dialect_upload(&run, values, sizeof values);
  dialect_launch(&run, kernel, nx, 1, 1, &params, &buffer, 1);
  TEST_OK(trm_device_finish(device));
  trm_buffer_destroy(&buffer);
  dialect_run_close(&run);
}

static void what_was_asked_for_is_planted(void)
{
  const char *plant = getenv("TRIREME_PLANT");
  if (!plant) TEST_SKIP("tests/dialect/oclgrind.sh asks for it");
  trm_device *device = test_open("opencl", NULL);
  if (!strcmp(plant, "row")) run_racy(device, &dialect_source, "dialect_racy_row", 256);
  if (!strcmp(plant, "group")) run_racy(device, &dialect_groups_source, "dialect_racy_group", 1);
  if (!strcmp(plant, "overrun") || !strcmp(plant, "nothing")) {
    dispatch_field field;
    dispatch_open(device, &field);
    const int64_t off = (int64_t)field.layout.elements - DISPATCH_NX;
    TEST_OK(scale_shifted(device, &field, strcmp(plant, "overrun") ? 0 : off));
    dispatch_close(&field);
  }
  trm_device_close(&device);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_kernel_that_writes_outside_its_buffer_is_seen),
    TEST_HOST(a_value_that_nobody_wrote_is_not_a_number),
    TEST_HOST(what_was_asked_for_is_planted),
  };
  return TEST_RUN(argc, argv, cases);
}
