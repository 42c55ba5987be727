/* ceiling_launches.c - what a launch costs, and a transfer between host and device, by the wall's
 * clock: the host waits for both. */
#include <stdlib.h>
#include <string.h>

#include "cli/measure/ceiling_parts.h"
#include "cli/measure/clock.h"

enum { LATENCY_CELLS = 64, LATENCY_LAUNCHES = 64, LATENCY_REPLAYS = 16, TRANSFERS = 20 };
static const size_t transfer_bytes = 64 * 1024 * 1024;

static trm_status launch_many(bench *b, const void *user)
{
  for (int i = 0; i < LATENCY_LAUNCHES; i++) TRM_TRY(bench_launch(b, user));
  return TRM_OK;
}

static trm_status launch_plainly(bench *b, const void *user)
{
  for (int i = 0; i < LATENCY_REPLAYS; i++) TRM_TRY(launch_many(b, user));
  return TRM_OK;
}

static trm_status replay(bench *b, const void *user)
{
  (void)user;
  return trm_sequence_replay(b->sequence, LATENCY_REPLAYS);
}

/* Wall time of many launches of a tiny kernel and one wait, as seconds a launch. */
static trm_status sample_latency(bench *b, bench_work *work, const void *user, sample *out)
{
  double seconds[BENCH_RUNS];
  for (int i = -1; i < b->runs; i++) { /* the first one warms up */
    const double begin = clock_now();
    TRM_TRY(work(b, user));
    TRM_TRY(trm_device_finish(b->device));
    if (i >= 0) seconds[i] = (clock_now() - begin) / (LATENCY_LAUNCHES * LATENCY_REPLAYS);
  }
  *out = sample_of(seconds, (size_t)b->runs, seconds);
  return TRM_OK;
}

trm_status bench_launches(bench *b, ceiling *out)
{
  bench_kernel work = {.extent = {LATENCY_CELLS, 1, 1, 0}, .params = {0, LATENCY_CELLS, 0, 0},
                       .buffers = 2};
  TRM_TRY(bench_buffers(b, 8 * LATENCY_CELLS * sizeof(float), 0));
  TRM_TRY(trm_program_kernel(b->program, "bench_copy", &work.kernel));
  TRM_TRY(sample_latency(b, launch_plainly, &work, &out->launch_plain));

  TRM_TRY(trm_sequence_begin(b->device));
  const trm_status recorded = launch_many(b, &work);
  if (recorded != TRM_OK) {
    trm_sequence_cancel(b->device);
    return recorded;
  }
  TRM_TRY(trm_sequence_end(b->device, &b->sequence));
  return sample_latency(b, replay, NULL, &out->launch_recorded);
}

/* ---- transfers ---------------------------------------------------------------- */

static trm_status transfer(trm_buffer *buffer, ceiling_way way, size_t bytes, void *host)
{
  return way == TO_DEVICE ? trm_buffer_write(buffer, 0, bytes, host)
                          : trm_buffer_read(buffer, 0, bytes, host);
}

trm_status ceiling_transfer(trm_buffer *buffer, trm_device *device, ceiling_way way, size_t bytes,
                            void *host, int times, int runs, sample *out)
{
  double seconds[BENCH_RUNS];
  if (runs > BENCH_RUNS) runs = BENCH_RUNS;
  for (int i = -1; i < runs; i++) {
    const double begin = clock_now();
    for (int k = 0; k < times; k++) {
      TRM_TRY(transfer(buffer, way, bytes, host));
      TRM_TRY(trm_device_finish(device));
    }
    if (i >= 0) seconds[i] = (clock_now() - begin) / times;
  }
  *out = sample_of(seconds, (size_t)runs, seconds);
  return TRM_OK;
}

/* The rates that these times make of an amount. */
static sample rates_of(const sample *seconds, double amount)
{
  return (sample){amount / seconds->most, amount / seconds->median, amount / seconds->least,
                  seconds->count};
}

static trm_status time_transfers(bench *b, size_t bytes, void *host, ceiling *out)
{
  sample to, from;
  TRM_TRY(ceiling_transfer(b->to, b->device, TO_DEVICE, bytes, host, 1, b->runs, &to));
  TRM_TRY(ceiling_transfer(b->to, b->device, FROM_DEVICE, bytes, host, 1, b->runs, &from));
  TRM_TRY(ceiling_transfer(b->to, b->device, FROM_DEVICE, sizeof(float), host, TRANSFERS, b->runs,
                           &out->transfer));
  out->to_device = rates_of(&to, (double)bytes);
  out->from_device = rates_of(&from, (double)bytes);
  return TRM_OK;
}

trm_status bench_transfers(bench *b, ceiling *out)
{
  TRM_TRY(bench_bytes(b, transfer_bytes, &out->transfer_bytes));
  TRM_TRY(bench_buffers(b, out->transfer_bytes, 0));
  void *host = malloc(out->transfer_bytes);
  if (!host) return TRM_FAIL(NO_HOST_MEMORY, "no memory to measure transfers");
  memset(host, 0x3f, out->transfer_bytes); /* real pages */
  const trm_status status = time_transfers(b, out->transfer_bytes, host, out);
  free(host);
  return status;
}
