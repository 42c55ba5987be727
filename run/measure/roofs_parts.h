/* roofs_parts.h - shared by the measurements of a device (roofs.c and its neighbours, and the
 * profile). */
#ifndef TRIREME_RUN_ROOFS_PARTS_H
#define TRIREME_RUN_ROOFS_PARTS_H

#include "run/measure/bench_params.h"
#include "run/measure/roofs.h"

enum { BENCH_RUNS = 1000 }; /* the most repetitions */

typedef struct bench {
  trm_device *device;
  trm_program *program;
  trm_buffer *from, *to, *more;
  trm_event *begin, *end;
  trm_sequence *sequence;
  int runs;
} bench;

trm_status bench_open(bench *b, trm_device *device, trm_precision precision, int runs);
void bench_close(bench *b);

/* Two arrays, or three, written all over. */
trm_status bench_buffers(bench *b, size_t bytes, int is_three);
/* *out: the smaller of `wanted` bytes of one array and an eighth of the free memory. */
trm_status bench_bytes(bench *b, size_t wanted, size_t *out);

/* Work whose end the device's events can tell. */
typedef trm_status bench_work(bench *b, const void *user);

/* Seconds of one execution, as the mean of `times` executions in a row. */
trm_status bench_time(bench *b, bench_work *work, const void *user, int times, double *seconds);
/* Rates, amount / seconds, of repetitions of about 5 ms; the first repetition warms up. */
trm_status bench_rate(bench *b, bench_work *work, const void *user, double amount, sample *out);
/* Seconds of wall time for each of the `parts` parts of a work, waited for; the first repetition
 * warms up. */
trm_status bench_latency(bench *b, bench_work *work, const void *user, double parts, sample *out);

/* A launch as work. */
typedef struct bench_kernel {
  trm_kernel *kernel;
  trm_extent extent;
  bench_params params;
  size_t buffers;              /* of from, to, more */
} bench_kernel;
bench_work bench_launch;

/* A kernel almost without work, with its buffers; BENCH_TINY launches of it in b's sequence. */
enum { BENCH_TINY = 64 };
trm_status bench_record_tiny(bench *b, bench_kernel *tiny);

/* roofs_arithmetic.c, roofs_launches.c */
trm_status bench_arithmetic(trm_device *device, trm_precision precision, int runs, sample *out);
trm_status bench_launches(bench *b, device_roofs *out);
trm_status bench_transfers(bench *b, device_roofs *out);
trm_status bench_serial(bench *b, device_roofs *out);

#endif
