/* study_roofs.c - what a device asks for launches, transfers and a worker alone, measured on it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure/clock.h"
#include "cli/measure/serial_params.h"
#include "cli/study/study.h"
#include "core/modules.h"

enum { RUNS = 5, SERIAL_VALUES = 1 << 18, TRANSFERS = 20 };

TRM_DECLARE_MODULES(serial);
extern const char trm_text_serial[];

static trm_status time_serial(trm_device *device, trm_program *program, trm_buffer *const *buffers,
                              study_roofs *out)
{
  static const float one = 1;
  const serial_params params = {.count = SERIAL_VALUES};
  const trm_extent extent = {1, 1, 1, 0};
  double seconds[RUNS];
  trm_kernel *kernel = NULL;
  TRM_TRY(trm_program_kernel(program, "serial_sum", &kernel));
  TRM_TRY(trm_buffer_fill(buffers[0], 0, SERIAL_VALUES * sizeof one, &one, sizeof one));
  for (int i = -1; i < RUNS; i++) {
    TRM_TRY(trm_device_finish(device));
    const double begin = clock_now();
    TRM_TRY(trm_kernel_launch(kernel, &extent, &params, sizeof params, buffers, 2));
    TRM_TRY(trm_device_finish(device));
    if (i >= 0) seconds[i] = clock_now() - begin;
  }
  out->serial = sample_of(seconds, RUNS, seconds).median / SERIAL_VALUES;
  return TRM_OK;
}

static trm_status measure_serial(trm_device *device, study_roofs *out)
{
  static const trm_host_module *const modules[] = {TRM_MODULES(serial), NULL};
  static const trm_program_source source = {
    "serial", "cli/measure/serial.k", trm_text_serial, modules
  };
  const trm_program_options options = {.precision = TRM_F32, .math = TRM_STRICT};
  trm_program *program = NULL;
  trm_buffer *buffers[2] = {NULL, NULL};
  trm_status status = trm_program_create(device, &source, &options, &program);
  if (status == TRM_OK)
    status = trm_buffer_create(device, SERIAL_VALUES * sizeof(float), "values", &buffers[0]);
  if (status == TRM_OK) status = trm_buffer_create(device, sizeof(float), "sum", &buffers[1]);
  if (status == TRM_OK) status = time_serial(device, program, buffers, out);
  trm_buffer_destroy(&buffers[0]);
  trm_buffer_destroy(&buffers[1]);
  trm_program_destroy(&program);
  return status;
}

/* Seconds of a copy, of many in a row. */
static trm_status time_copies(trm_device *device, size_t bytes, trm_buffer *const *buffers,
                              double *out)
{
  enum { COPIES = 20 };
  double seconds[RUNS];
  for (int b = 0; b < 2; b++) TRM_TRY(trm_buffer_fill(buffers[b], 0, bytes, &bytes, 4));
  for (int i = -1; i < RUNS; i++) {
    TRM_TRY(trm_device_finish(device));
    const double begin = clock_now();
    for (int k = 0; k < COPIES; k++) TRM_TRY(trm_buffer_copy(buffers[1], 0, buffers[0], 0, bytes));
    TRM_TRY(trm_device_finish(device));
    if (i >= 0) seconds[i] = (clock_now() - begin) / COPIES;
  }
  *out = sample_of(seconds, RUNS, seconds).median;
  return TRM_OK;
}

/* Rates of transfers of so many bytes, beside what a transfer takes in any case. */
static trm_status time_transfers_here(trm_device *device, trm_buffer *buffer, size_t bytes,
                                      study_roofs *roofs)
{
  double *const rates[] = {&roofs->write, &roofs->read};
  trm_status status = TRM_OK;
  void *host = malloc(bytes);
  if (!host) return TRM_FAIL(NO_HOST_MEMORY, "no memory to measure transfers");
  memset(host, 0x3f, bytes); /* real pages */
  for (int way = 0; way < 2 && status == TRM_OK; way++) {
    sample seconds = {0};
    status = ceiling_transfer(buffer, device, way ? FROM_DEVICE : TO_DEVICE, bytes, host, 1,
                              TRANSFERS, &seconds);
    if (status == TRM_OK && seconds.median > 2 * roofs->transfer)
      *rates[way] = (double)bytes / (seconds.median - roofs->transfer);
  }
  free(host);
  return status;
}

void study_measure_here(trm_device *device, size_t bytes, study_roofs *roofs)
{
  trm_buffer *buffers[2] = {NULL, NULL};
  double seconds = 0;
  roofs->here = roofs->copy;
  roofs->here_bytes = 0;
  if (bytes < 64) return;
  trm_status status = trm_buffer_create(device, bytes, "copy source", &buffers[0]);
  if (status == TRM_OK) status = trm_buffer_create(device, bytes, "copy target", &buffers[1]);
  if (status == TRM_OK) status = time_copies(device, bytes, buffers, &seconds);
  if (status == TRM_OK && seconds > 3 * roofs->launch) {
    roofs->here = 2 * (double)bytes / seconds;
    roofs->here_bytes = bytes;
  }
  if (status == TRM_OK) (void)time_transfers_here(device, buffers[0], bytes, roofs);
  trm_buffer_destroy(&buffers[0]);
  trm_buffer_destroy(&buffers[1]);
}

void study_measure_roofs(trm_device *device, study_roofs *out)
{
  ceiling roof;
  *out = (study_roofs){0};
  trm_status status = ceiling_measure(device, CEILING_COPY | CEILING_LAUNCHES | CEILING_TRANSFERS,
                                      RUNS, &roof);
  if (status == TRM_OK) status = measure_serial(device, out);
  if (status != TRM_OK) {
    *out = (study_roofs){0};
    snprintf(out->missing, sizeof out->missing, "%.250s", trm_error_last()->text);
    return;
  }
  out->copy = ceiling_copy(&roof);
  out->launch = roof.launch_plain.median;
  out->recorded = roof.launch_recorded.median;
  out->write = roof.to_device.median;
  out->read = roof.from_device.median;
  out->transfer = roof.transfer.median;
}
