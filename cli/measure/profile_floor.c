/* profile_floor.c - what timing itself costs on a device, and how the host gets ahead of it.
 *
 * An event between two kernels makes the second wait until the first is done, and takes time of its
 * own: more than an event alone. So kernels without work are timed twice: each between two events,
 * and many of them, replayed as a run replays, between two. The difference is what a timed kernel
 * shows too much. Behind some work in either case, so that the device never waits for the host. */
#include <math.h>
#include <stdlib.h>

#include "cli/measure/bench_params.h"
#include "cli/measure/profile_parts.h"
#include "cli/measure/statistics.h"
#include "core/modules.h"

TRM_DECLARE_MODULES(bench);
extern const char trm_text_bench[];

enum { SPANS = 16, ROUNDS = 3, CELLS = 64, LAUNCHES = 64, REPLAYS = 4, MOST_FILLS = 128 };
static const size_t filled_bytes = (size_t)64 << 20;
static const double ahead_seconds = 1.5e-3;

typedef struct bench {
  trm_device *device;
  trm_program *program;
  trm_kernel *kernel;
  trm_buffer *from, *to;
  trm_sequence *sequence;
  trm_event *events[SPANS + 1];
} bench;

static trm_status launch(const bench *b)
{
  const bench_params params = {0, CELLS, 0, 0};
  const trm_extent extent = {CELLS, 1, 1, 0};
  trm_buffer *const buffers[] = {b->from, b->to};
  return trm_kernel_launch(b->kernel, &extent, &params, sizeof params, buffers, 2);
}

static trm_status record(bench *b)
{
  TRM_TRY(trm_sequence_begin(b->device));
  for (int i = 0; i < LAUNCHES; i++) {
    const trm_status status = launch(b);
    if (status == TRM_OK) continue;
    trm_sequence_cancel(b->device);
    return status;
  }
  return trm_sequence_end(b->device, &b->sequence);
}

static trm_status bench_open(bench *b)
{
  static const trm_host_module *const modules[] = {TRM_MODULES(bench), NULL};
  static const trm_program_source source = {
    "bench", "cli/measure/bench.k", trm_text_bench, modules
  };
  const trm_program_options options = {.precision = TRM_F32, .math = TRM_FAST};
  const size_t bytes = 8 * CELLS * sizeof(float);
  const float zero = 0;
  TRM_TRY(trm_program_create(b->device, &source, &options, &b->program));
  TRM_TRY(trm_program_kernel(b->program, "bench_copy", &b->kernel));
  TRM_TRY(trm_buffer_create(b->device, bytes, "bench source", &b->from));
  TRM_TRY(trm_buffer_create(b->device, bytes, "bench destination", &b->to));
  TRM_TRY(trm_buffer_fill(b->from, 0, bytes, &zero, sizeof zero));
  for (int i = 0; i <= SPANS; i++) TRM_TRY(trm_event_create(b->device, &b->events[i]));
  return record(b);
}

static void bench_close(bench *b)
{
  trm_sequence_destroy(&b->sequence);
  for (int i = 0; i <= SPANS; i++) trm_event_destroy(&b->events[i]);
  trm_buffer_destroy(&b->from);
  trm_buffer_destroy(&b->to);
  trm_program_destroy(&b->program);
}

/* ---- ahead of the device ---------------------------------------------------------- */

static trm_status fill(profile *p, int times)
{
  const uint32_t pattern = 0x3f9e3779u;
  for (int i = 0; i < times; i++)
    TRM_TRY(trm_buffer_fill(p->filled, 0, filled_bytes, &pattern, sizeof pattern));
  return TRM_OK;
}

trm_status profile_get_ahead(profile *p)
{
  return p->filled ? fill(p, p->fills) : TRM_OK;
}

/* A host is never behind itself. */
static trm_status prepare_fills(profile *p, const bench *b)
{
  double seconds = 0;
  if (trm_device_describe(p->device)->is_host) return TRM_OK;
  TRM_TRY(trm_buffer_create(p->device, filled_bytes, "what a profile waits behind", &p->filled));
  TRM_TRY(fill(p, 1));
  TRM_TRY(trm_event_record(b->events[0]));
  TRM_TRY(fill(p, 4));
  TRM_TRY(trm_event_record(b->events[1]));
  TRM_TRY(trm_event_elapsed(b->events[0], b->events[1], &seconds));
  const double wanted = seconds > 0 ? ceil(ahead_seconds / (seconds / 4)) : MOST_FILLS;
  p->fills = wanted < MOST_FILLS ? (int)wanted : MOST_FILLS;
  p->ahead = p->fills * seconds / 4;
  return TRM_OK;
}

/* ---- kernels without work ------------------------------------------------------------ */

/* The median of the times of a kernel between two events. */
static trm_status time_singly(profile *p, const bench *b, double *out)
{
  double seconds[SPANS];
  TRM_TRY(profile_get_ahead(p));
  TRM_TRY(trm_event_record(b->events[0]));
  for (int i = 1; i <= SPANS; i++) {
    TRM_TRY(launch(b));
    TRM_TRY(trm_event_record(b->events[i]));
  }
  for (int i = 0; i < SPANS; i++)
    TRM_TRY(trm_event_elapsed(b->events[i], b->events[i + 1], &seconds[i]));
  *out = sample_of(seconds, SPANS, seconds).median;
  return TRM_OK;
}

static trm_status time_replayed(profile *p, const bench *b, double *out)
{
  TRM_TRY(profile_get_ahead(p));
  TRM_TRY(trm_event_record(b->events[0]));
  TRM_TRY(trm_sequence_replay(b->sequence, REPLAYS));
  TRM_TRY(trm_event_record(b->events[1]));
  TRM_TRY(trm_event_elapsed(b->events[0], b->events[1], out));
  *out /= LAUNCHES * REPLAYS;
  return TRM_OK;
}

/* The last of a few rounds: the first ones warm up. */
static trm_status measure(profile *p, bench *b)
{
  double single = 0;
  TRM_TRY(bench_open(b));
  TRM_TRY(prepare_fills(p, b));
  for (int round = 0; round < ROUNDS; round++) {
    TRM_TRY(time_singly(p, b, &single));
    TRM_TRY(time_replayed(p, b, &p->launch));
  }
  p->floor = fmax(0, single - p->launch);
  return TRM_OK;
}

trm_status profile_measure_floor(profile *p)
{
  bench b = {.device = p->device};
  const trm_status status = measure(p, &b);
  bench_close(&b);
  return status;
}
