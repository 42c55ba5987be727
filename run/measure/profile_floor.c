/* profile_floor.c - what timing itself costs on a device, and how the host gets ahead of it.
 *
 * An event between two kernels makes the second wait until the first is done, and takes time of its
 * own: more than an event alone. So kernels without work are timed twice: each between two events,
 * and many of them, replayed as a run replays, between two. The difference is the excess in the
 * time of a timed kernel. In both cases some work comes before, so that the device never waits for
 * the host. */
#include <math.h>

#include "run/measure/roofs_parts.h"
#include "run/measure/profile_parts.h"

enum { SPANS = 16, ROUNDS = 3, REPLAYS = 4, MOST_FILLS = 128 };
static const size_t filled_bytes = (size_t)64 << 20;
static const double ahead_seconds = 1.5e-3;

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

static trm_status fill_four(bench *b, const void *user)
{
  (void)b;
  return fill((profile *)user, 4);
}

/* A host is never behind itself. */
static trm_status prepare_fills(profile *p, bench *b)
{
  double seconds = 0;
  if (trm_device_describe(p->device)->is_host) return TRM_OK;
  TRM_TRY(trm_buffer_create(p->device, filled_bytes, "what a profile waits behind", &p->filled));
  TRM_TRY(fill(p, 1));
  TRM_TRY(bench_time(b, fill_four, p, 1, &seconds));
  const double wanted = seconds > 0 ? ceil(ahead_seconds / (seconds / 4)) : MOST_FILLS;
  p->fills = wanted < MOST_FILLS ? (int)wanted : MOST_FILLS;
  p->ahead = p->fills * seconds / 4;
  return TRM_OK;
}

/* ---- kernels without work ------------------------------------------------------------ */

/* The median of the times of a kernel between two events. */
static trm_status time_singly(profile *p, bench *b, const bench_kernel *tiny, double *out)
{
  double seconds[SPANS];
  TRM_TRY(profile_get_ahead(p));
  TRM_TRY(trm_event_record(p->events[0]));
  for (int i = 1; i <= SPANS; i++) {
    TRM_TRY(bench_launch(b, tiny));
    TRM_TRY(trm_event_record(p->events[i]));
  }
  for (int i = 0; i < SPANS; i++)
    TRM_TRY(trm_event_elapsed(p->events[i], p->events[i + 1], &seconds[i]));
  *out = sample_of(seconds, SPANS, seconds).median;
  return TRM_OK;
}

static trm_status replay(bench *b, const void *user)
{
  (void)user;
  return trm_sequence_replay(b->sequence, REPLAYS);
}

/* The last of a few rounds: the first ones warm up. */
static trm_status measure(profile *p, bench *b)
{
  bench_kernel tiny;
  double single = 0;
  TRM_TRY(bench_open(b, p->device, TRM_F32, 1));
  TRM_TRY(bench_record_tiny(b, &tiny));
  TRM_TRY(prepare_fills(p, b));
  for (int round = 0; round < ROUNDS; round++) {
    TRM_TRY(time_singly(p, b, &tiny, &single));
    TRM_TRY(profile_get_ahead(p));
    TRM_TRY(bench_time(b, replay, NULL, 1, &p->launch));
    p->launch /= BENCH_TINY * REPLAYS;
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
