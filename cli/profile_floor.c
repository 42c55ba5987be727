/* profile_floor.c - what timing itself costs on a device: an event, and a kernel without work.
 *
 * Both are taken behind some work, so that the device never waits for the host in between: as they
 * are in the middle of a run. */
#include <stdlib.h>

#include "cli/bench_params.h"
#include "cli/profile_parts.h"
#include "cli/statistics.h"
#include "core/modules.h"

TRM_DECLARE_MODULES(bench);
extern const char trm_text_bench[];

enum { SPANS = 16, ROUNDS = 3, FILLS = 16, CELLS = 64 };
static const size_t filled_bytes = (size_t)16 << 20;

typedef struct bench {
  trm_device *device;
  trm_program *program;
  trm_kernel *kernel;
  trm_buffer *filled, *from, *to;
  trm_event *events[SPANS + 1];
} bench;

static trm_status bench_open(bench *b)
{
  static const trm_host_module *const modules[] = {TRM_MODULES(bench), NULL};
  static const trm_program_source source = {"bench", "cli/bench.k", trm_text_bench, modules};
  const trm_program_options options = {.precision = TRM_F32, .math = TRM_FAST};
  const size_t bytes = 8 * CELLS * sizeof(float);
  const float zero = 0;
  TRM_TRY(trm_program_create(b->device, &source, &options, &b->program));
  TRM_TRY(trm_program_kernel(b->program, "bench_copy", &b->kernel));
  TRM_TRY(trm_buffer_create(b->device, filled_bytes, "what a profile waits behind", &b->filled));
  TRM_TRY(trm_buffer_create(b->device, bytes, "bench source", &b->from));
  TRM_TRY(trm_buffer_create(b->device, bytes, "bench destination", &b->to));
  TRM_TRY(trm_buffer_fill(b->from, 0, bytes, &zero, sizeof zero));
  for (int i = 0; i <= SPANS; i++) TRM_TRY(trm_event_create(b->device, &b->events[i]));
  return TRM_OK;
}

static void bench_close(bench *b)
{
  for (int i = 0; i <= SPANS; i++) trm_event_destroy(&b->events[i]);
  trm_buffer_destroy(&b->filled);
  trm_buffer_destroy(&b->from);
  trm_buffer_destroy(&b->to);
  trm_program_destroy(&b->program);
}

static trm_status launch(const bench *b)
{
  const bench_params params = {0, CELLS, 0, 0};
  const trm_extent extent = {CELLS, 1, 1, 0};
  trm_buffer *const buffers[] = {b->from, b->to};
  return trm_kernel_launch(b->kernel, &extent, &params, sizeof params, buffers, 2);
}

/* The median of the times between neighbouring events, with a kernel between them or nothing. */
static trm_status time_round(const bench *b, int with_kernel, double *out)
{
  const uint32_t pattern = 0x3f9e3779u;
  double seconds[SPANS];
  const int fills = trm_device_describe(b->device)->is_host ? 0 : FILLS; /* a host is never behind */
  for (int i = 0; i < fills; i++)
    TRM_TRY(trm_buffer_fill(b->filled, 0, filled_bytes, &pattern, sizeof pattern));
  TRM_TRY(trm_event_record(b->events[0]));
  for (int i = 1; i <= SPANS; i++) {
    if (with_kernel) TRM_TRY(launch(b));
    TRM_TRY(trm_event_record(b->events[i]));
  }
  for (int i = 0; i < SPANS; i++)
    TRM_TRY(trm_event_elapsed(b->events[i], b->events[i + 1], &seconds[i]));
  *out = sample_of(seconds, SPANS, seconds).median;
  return TRM_OK;
}

/* The last of a few rounds: the first ones warm up. */
static trm_status measure(const bench *b, double *floor, double *launch_seconds)
{
  double empty = 0, full = 0;
  for (int round = 0; round < ROUNDS; round++) {
    TRM_TRY(time_round(b, 0, &empty));
    TRM_TRY(time_round(b, 1, &full));
  }
  *floor = empty > 0 ? empty : 0;
  *launch_seconds = full > *floor ? full - *floor : 0;
  return TRM_OK;
}

trm_status profile_measure_floor(trm_device *device, double *floor, double *launch_seconds)
{
  bench b = {.device = device};
  trm_status status = bench_open(&b);
  if (status == TRM_OK) status = measure(&b, floor, launch_seconds);
  bench_close(&b);
  return status;
}
