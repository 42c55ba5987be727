/* study_roofs.c - what a device asks for launches, transfers and a worker alone, measured on it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/clock.h"
#include "cli/serial_params.h"
#include "cli/study.h"
#include "core/modules.h"

enum { RUNS = 5, SERIAL_VALUES = 1 << 18, TRANSFER_BYTES = 16 << 20, SMALL_TRANSFERS = 20 };

TRM_DECLARE_MODULES(serial);
extern const char trm_text_serial[];

/* Seconds of the median of some calls; the first one warms up. */
typedef trm_status transfer_fn(trm_buffer *buffer, size_t bytes, void *host);

static trm_status send(trm_buffer *buffer, size_t bytes, void *host)
{
  return trm_buffer_write(buffer, 0, bytes, host);
}

static trm_status receive(trm_buffer *buffer, size_t bytes, void *host)
{
  return trm_buffer_read(buffer, 0, bytes, host);
}

static trm_status time_transfer(trm_device *device, transfer_fn *transfer, trm_buffer *buffer,
                                size_t bytes, void *host, double *out)
{
  double seconds[SMALL_TRANSFERS];
  for (int i = -1; i < SMALL_TRANSFERS; i++) {
    const double begin = clock_now();
    TRM_TRY(transfer(buffer, bytes, host));
    TRM_TRY(trm_device_finish(device));
    if (i >= 0) seconds[i] = clock_now() - begin;
  }
  *out = sample_of(seconds, SMALL_TRANSFERS, seconds).median;
  return TRM_OK;
}

static trm_status time_transfers(trm_device *device, trm_buffer *buffer, void *host,
                                 study_roofs *out)
{
  double send_all, receive_all, small;
  TRM_TRY(time_transfer(device, send, buffer, TRANSFER_BYTES, host, &send_all));
  TRM_TRY(time_transfer(device, receive, buffer, TRANSFER_BYTES, host, &receive_all));
  TRM_TRY(time_transfer(device, receive, buffer, 4, host, &small));
  out->transfer = small;
  out->write = TRANSFER_BYTES / send_all;
  out->read = TRANSFER_BYTES / receive_all;
  return TRM_OK;
}

static trm_status measure_transfers(trm_device *device, study_roofs *out)
{
  trm_buffer *buffer = NULL;
  void *host = calloc(1, TRANSFER_BYTES);
  if (!host) return TRM_FAIL(NO_HOST_MEMORY, "no memory to measure transfers");
  trm_status status = trm_buffer_create(device, TRANSFER_BYTES, "transfers", &buffer);
  if (status == TRM_OK) status = time_transfers(device, buffer, host, out);
  trm_buffer_destroy(&buffer);
  free(host);
  return status;
}

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
  static const trm_program_source source = {"serial", "cli/serial.k", trm_text_serial, modules};
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
  double seconds[2] = {0, 0};
  void *host = calloc(1, bytes);
  if (!host) return TRM_FAIL(NO_HOST_MEMORY, "no memory to measure transfers");
  trm_status status = time_transfer(device, send, buffer, bytes, host, &seconds[0]);
  if (status == TRM_OK) status = time_transfer(device, receive, buffer, bytes, host, &seconds[1]);
  free(host);
  if (seconds[0] > 2 * roofs->transfer)
    roofs->write = (double)bytes / (seconds[0] - roofs->transfer);
  if (seconds[1] > 2 * roofs->transfer)
    roofs->read = (double)bytes / (seconds[1] - roofs->transfer);
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
  trm_status status = ceiling_measure(device, RUNS, &roof);
  if (status == TRM_OK) status = measure_transfers(device, out);
  if (status == TRM_OK) status = measure_serial(device, out);
  if (status != TRM_OK) {
    *out = (study_roofs){0};
    snprintf(out->missing, sizeof out->missing, "%.250s", trm_error_last()->text);
    return;
  }
  out->copy = ceiling_copy(&roof);
  out->launch = roof.launch_plain.median;
  out->recorded = roof.launch_recorded.median;
}
