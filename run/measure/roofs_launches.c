/* roofs_launches.c - the cost of a launch, of a transfer between host and device, and of a single
 * worker, in wall-clock time: the host waits for each. */
#include <stdlib.h>
#include <string.h>

#include "run/measure/roofs_parts.h"
#include "run/measure/clock.h"
#include "run/measure/serial_params.h"
#include "core/modules.h"

TRM_DECLARE_MODULES(serial);
extern const char trm_text_serial[];

enum { REPLAYS = 16, TRANSFERS = 20, COPIES = 20, SERIAL_VALUES = 1 << 18, HERE_RUNS = 5 };
static const size_t transfer_bytes = 64 * 1024 * 1024;

trm_status bench_latency(bench *b, bench_work *work, const void *user, double parts, sample *out)
{
  double seconds[BENCH_RUNS];
  for (int i = -1; i < b->runs; i++) {
    TRM_TRY(trm_device_finish(b->device));
    const double begin = clock_now();
    TRM_TRY(work(b, user));
    TRM_TRY(trm_device_finish(b->device));
    if (i >= 0) seconds[i] = (clock_now() - begin) / parts;
  }
  *out = sample_of(seconds, (size_t)b->runs, seconds);
  return TRM_OK;
}

/* ---- launches ------------------------------------------------------------------- */

static trm_status launch_many(bench *b, const void *user)
{
  for (int i = 0; i < BENCH_TINY; i++) TRM_TRY(bench_launch(b, user));
  return TRM_OK;
}

trm_status bench_record_tiny(bench *b, bench_kernel *tiny)
{
  enum { CELLS = 64 };
  *tiny = (bench_kernel){.extent = {CELLS, 1, 1, 0}, .params = {0, CELLS, 0, 0}, .buffers = 2};
  TRM_TRY(bench_buffers(b, 8 * CELLS * sizeof(float), 0));
  TRM_TRY(trm_program_kernel(b->program, "bench_copy", &tiny->kernel));
  TRM_TRY(trm_sequence_begin(b->device));
  const trm_status status = launch_many(b, tiny);
  if (status == TRM_OK) return trm_sequence_end(b->device, &b->sequence);
  trm_sequence_cancel(b->device);
  return status;
}

static trm_status launch_plainly(bench *b, const void *user)
{
  for (int i = 0; i < REPLAYS; i++) TRM_TRY(launch_many(b, user));
  return TRM_OK;
}

static trm_status replay(bench *b, const void *user)
{
  (void)user;
  return trm_sequence_replay(b->sequence, REPLAYS);
}

trm_status bench_launches(bench *b, device_roofs *out)
{
  bench_kernel tiny;
  TRM_TRY(bench_record_tiny(b, &tiny));
  TRM_TRY(bench_latency(b, launch_plainly, &tiny, BENCH_TINY * REPLAYS, &out->launch_plain));
  return bench_latency(b, replay, NULL, BENCH_TINY * REPLAYS, &out->launch_recorded);
}

/* ---- transfers ---------------------------------------------------------------- */

typedef struct transfer { int to_device; size_t bytes; void *host; int times; } transfer;

static trm_status carry(bench *b, const void *user)
{
  const transfer *t = user;
  for (int k = 0; k < t->times; k++) {
    TRM_TRY(t->to_device ? trm_buffer_write(b->to, 0, t->bytes, t->host)
                         : trm_buffer_read(b->to, 0, t->bytes, t->host));
    TRM_TRY(trm_device_finish(b->device));
  }
  return TRM_OK;
}

/* Seconds of one of them. */
static trm_status time_transfers(bench *b, int to_device, size_t bytes, int times, sample *out)
{
  const transfer work = {to_device, bytes, malloc(bytes), times};
  if (!work.host) return TRM_FAIL(NO_HOST_MEMORY, "no memory to measure transfers");
  memset(work.host, 0x3f, bytes); /* real pages */
  const trm_status status = bench_latency(b, carry, &work, times, out);
  free(work.host);
  return status;
}

/* The rates that these times make of an amount. */
static sample rates_of(const sample *seconds, double amount)
{
  return (sample){amount / seconds->most, amount / seconds->median, amount / seconds->least,
                  seconds->count};
}

trm_status bench_transfers(bench *b, device_roofs *out)
{
  sample to, from;
  TRM_TRY(bench_bytes(b, transfer_bytes, &out->transfer_bytes));
  TRM_TRY(bench_buffers(b, out->transfer_bytes, 0));
  TRM_TRY(time_transfers(b, 1, out->transfer_bytes, 1, &to));
  TRM_TRY(time_transfers(b, 0, out->transfer_bytes, 1, &from));
  out->to_device = rates_of(&to, (double)out->transfer_bytes);
  out->from_device = rates_of(&from, (double)out->transfer_bytes);
  return time_transfers(b, 0, sizeof(float), TRANSFERS, &out->transfer);
}

/* ---- a worker alone ------------------------------------------------------------- */

static trm_status sum_serially(bench *b, const void *user)
{
  const serial_params params = {.count = SERIAL_VALUES};
  const trm_extent extent = {1, 1, 1, 0};
  trm_buffer *const buffers[] = {b->from, b->to};
  return trm_kernel_launch(*(trm_kernel *const *)user, &extent, &params, sizeof params, buffers, 2);
}

trm_status bench_serial(bench *b, device_roofs *out)
{
  static const trm_program_source source = {
    "serial", "run/measure/serial.k", trm_text_serial, TRM_MODULES(serial)
  };
  const trm_program_options options = {.precision = TRM_F32, .math = TRM_STRICT};
  trm_kernel *kernel = NULL;
  trm_program_destroy(&b->program);
  TRM_TRY(trm_program_create(b->device, &source, &options, &b->program));
  TRM_TRY(trm_program_kernel(b->program, "serial_sum", &kernel));
  TRM_TRY(bench_buffers(b, SERIAL_VALUES * sizeof(float), 0));
  return bench_latency(b, sum_serially, &kernel, SERIAL_VALUES, &out->serial);
}

/* ---- arrays of a size of their own ------------------------------------------------ */

static trm_status copy_many(bench *b, const void *user)
{
  for (int k = 0; k < COPIES; k++)
    TRM_TRY(trm_buffer_copy(b->to, 0, b->from, 0, *(const size_t *)user));
  return TRM_OK;
}

/* The time beyond the fixed time of a transfer. */
static trm_status time_transfers_here(bench *b, int to_device, size_t bytes, device_roofs *measured)
{
  sample seconds, *rate = to_device ? &measured->to_device : &measured->from_device;
  const double fixed = measured->transfer.median;
  TRM_TRY(time_transfers(b, to_device, bytes, 1, &seconds));
  if (seconds.median > 2 * fixed) rate->median = (double)bytes / (seconds.median - fixed);
  return TRM_OK;
}

void roof_measure_here(trm_device *device, size_t bytes, device_roofs *measured)
{
  bench b = {.device = device, .runs = HERE_RUNS};
  sample seconds = {0};
  measured->here = roof_copy(measured);
  measured->here_bytes = 0;
  if (bytes < 64) return;
  trm_status status = bench_buffers(&b, bytes, 0);
  if (status == TRM_OK) status = bench_latency(&b, copy_many, &bytes, COPIES, &seconds);
  if (status == TRM_OK && seconds.median > 3 * measured->launch_plain.median) {
    measured->here = 2 * (double)bytes / seconds.median;
    measured->here_bytes = bytes;
  }
  b.runs = TRANSFERS;
  if (status == TRM_OK) status = time_transfers_here(&b, 1, bytes, measured);
  if (status == TRM_OK) (void)time_transfers_here(&b, 0, bytes, measured);
  bench_close(&b);
}
