/* ceiling.c - copies and launches, timed by the device's own events.
 *
 * A repetition is repeated copies between two events, long enough for the clock; the first one
 * warms up and is not counted. The arrays are written first, so that every page is really there. */
#include "cli/ceiling.h"

#include <unistd.h>

#include "cli/bench_params.h"
#include "cli/clock.h"
#include "core/modules.h"

TRM_DECLARE_MODULES(bench);
extern const char trm_text_bench[];

enum { MAX_RUNS = 1000, ROW_CELLS = 65536, LATENCY_CELLS = 64, LATENCY_LAUNCHES = 64,
       LATENCY_REPLAYS = 16 };
static const size_t mebibyte = 1024 * 1024;
static const double fast_memory = 500e9; /* bytes a second */

typedef struct bench {
  trm_device *device;
  trm_program *program;
  trm_buffer *from, *to;
  trm_event *begin, *end;
  trm_sequence *sequence;
} bench;

static trm_status bench_open(bench *b, trm_device *device)
{
  static const trm_host_module *const modules[] = {TRM_MODULES(bench), NULL};
  static const trm_program_source source = {"bench", "cli/bench.k", trm_text_bench, modules};
  const trm_program_options options = {.precision = TRM_F32, .math = TRM_FAST};
  *b = (bench){.device = device};
  TRM_TRY(trm_program_create(device, &source, &options, &b->program));
  TRM_TRY(trm_event_create(device, &b->begin));
  return trm_event_create(device, &b->end);
}

static void bench_close(bench *b)
{
  trm_sequence_destroy(&b->sequence);
  trm_event_destroy(&b->begin);
  trm_event_destroy(&b->end);
  trm_buffer_destroy(&b->from);
  trm_buffer_destroy(&b->to);
  trm_program_destroy(&b->program);
}

static trm_status bench_buffers(bench *b, size_t bytes)
{
  static const uint64_t pattern = 0x3f9e3779b97f4a7cu; /* no zeros: memory may move those faster */
  trm_buffer_destroy(&b->from);
  trm_buffer_destroy(&b->to);
  TRM_TRY(trm_buffer_create(b->device, bytes, "bench source", &b->from));
  TRM_TRY(trm_buffer_create(b->device, bytes, "bench destination", &b->to));
  TRM_TRY(trm_buffer_fill(b->from, 0, bytes, &pattern, sizeof pattern));
  return trm_buffer_fill(b->to, 0, bytes, &pattern, sizeof pattern);
}

/* Bytes of one array: `wanted`, but never more than an eighth of what is free. */
static trm_status array_bytes(trm_device *device, size_t wanted, size_t *out)
{
  const trm_device_info *info = trm_device_describe(device);
  size_t bytes = wanted;
  uint64_t available = 0;
  TRM_TRY(trm_device_free_memory(device, &available));
  if (available && bytes > available / 8) bytes = (size_t)(available / 8);
  if (info->max_buffer_bytes && bytes > info->max_buffer_bytes)
    bytes = (size_t)info->max_buffer_bytes;
  bytes -= bytes % (2 * mebibyte); /* whole eights of rows */
  if (bytes == 0)
    return TRM_FAIL(NO_DEVICE_MEMORY,
                    "too little free memory to measure a copy on %s: %llu bytes are "
                    "available, 16 MiB are needed",
                    info->name, (unsigned long long)available);
  *out = bytes;
  return TRM_OK;
}

/* One timed repetition: `times` runs of `work` between two events. */
typedef trm_status work_fn(bench *b, const void *user);

static trm_status time_work(bench *b, work_fn *work, const void *user, int times, double *seconds)
{
  TRM_TRY(trm_event_record(b->begin));
  for (int i = 0; i < times; i++) TRM_TRY(work(b, user));
  TRM_TRY(trm_event_record(b->end));
  TRM_TRY(trm_event_elapsed(b->begin, b->end, seconds));
  *seconds /= times;
  return TRM_OK;
}

/* `amount` of work a run; rates amount / seconds of `runs` repetitions of about 5 ms. */
static trm_status sample_rate(bench *b, work_fn *work, const void *user, double amount, int runs,
                              sample *out)
{
  double rates[MAX_RUNS], seconds;
  TRM_TRY(time_work(b, work, user, 1, &seconds));
  const double wanted = seconds > 0 ? 0.005 / seconds : 1000;
  const int times = wanted < 1 ? 1 : wanted > 1000 ? 1000 : (int)wanted;
  for (int i = 0; i < runs; i++) {
    TRM_TRY(time_work(b, work, user, times, &seconds));
    if (!(seconds > 0))
      return TRM_FAIL(DEVICE, "the clock of %s measured no time",
                      trm_device_describe(b->device)->name);
    rates[i] = amount / seconds;
  }
  *out = sample_of(rates, (size_t)runs, rates);
  return TRM_OK;
}

/* ---- copies ---------------------------------------------------------------- */

typedef struct kernel_work {
  trm_kernel *kernel;
  trm_extent extent;
  bench_params params;
} kernel_work;

static trm_status copy_command(bench *b, const void *user)
{
  return trm_buffer_copy(b->to, 0, b->from, 0, *(const size_t *)user);
}

static trm_status launch(bench *b, const void *user)
{
  const kernel_work *work = user;
  trm_buffer *const buffers[] = {b->from, b->to};
  return trm_kernel_launch(work->kernel, &work->extent, &work->params, sizeof work->params, buffers,
                           2);
}

/* With its partner, twice the host's last cache; 1 GiB where memory is so fast that a copy of less
 * would mostly measure its start. */
static trm_status choose_size(bench *b, ceiling *out)
{
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  size_t bytes = 64 * mebibyte;
  if (cache > 0 && (size_t)cache > bytes) bytes = (size_t)cache;
  TRM_TRY(array_bytes(b->device, bytes, &out->copy_bytes));
  TRM_TRY(bench_buffers(b, out->copy_bytes));
  double seconds;
  TRM_TRY(time_work(b, copy_command, &out->copy_bytes, 1, &seconds));
  if (2.0 * (double)out->copy_bytes < fast_memory * seconds || out->copy_bytes < bytes)
    return TRM_OK;
  TRM_TRY(array_bytes(b->device, 1024 * mebibyte, &out->copy_bytes));
  return bench_buffers(b, out->copy_bytes);
}

static trm_status measure_copy(bench *b, int runs, ceiling *out)
{
  TRM_TRY(choose_size(b, out));
  const double moved = 2.0 * (double)out->copy_bytes;
  TRM_TRY(sample_rate(b, copy_command, &out->copy_bytes, moved, runs, &out->copy_command));

  const size_t rows = out->copy_bytes / (ROW_CELLS * sizeof(float));
  kernel_work work = {.extent = {ROW_CELLS, (int32_t)(rows / 8), 1, 0},
                      .params = {0, ROW_CELLS, 0, 0}};
  TRM_TRY(trm_program_kernel(b->program, "bench_copy", &work.kernel));
  return sample_rate(b, launch, &work, moved, runs, &out->copy_kernel);
}

static trm_status measure_nine(bench *b, int runs, ceiling *out)
{
  const size_t rows = out->copy_bytes / (9 * ROW_CELLS * sizeof(float)) + 1;
  trm_layout layout;
  TRM_TRY(trm_layout_rows(b->device, TRM_TYPE_F32, ROW_CELLS, rows, 1, 9, &layout));
  out->nine_bytes = layout.elements * sizeof(float);
  TRM_TRY(bench_buffers(b, out->nine_bytes));
  kernel_work work = {.extent = {ROW_CELLS, (int32_t)rows, 1, 0},
                      .params = {(int)layout.first, (int)layout.row, (int)layout.component, 0}};
  TRM_TRY(trm_program_kernel(b->program, "bench_nine", &work.kernel));
  const double moved = 2.0 * 9.0 * sizeof(float) * (double)(ROW_CELLS * rows);
  return sample_rate(b, launch, &work, moved, runs, &out->nine);
}

/* ---- launches -------------------------------------------------------------- */

static trm_status launch_many(bench *b, const void *user)
{
  for (int i = 0; i < LATENCY_LAUNCHES; i++) TRM_TRY(launch(b, user));
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
static trm_status sample_latency(bench *b, work_fn *work, const void *user, double launches,
                                 int runs, sample *out)
{
  double seconds[MAX_RUNS];
  for (int i = -1; i < runs; i++) { /* the first one warms up */
    const double begin = clock_now();
    TRM_TRY(work(b, user));
    TRM_TRY(trm_device_finish(b->device));
    if (i >= 0) seconds[i] = (clock_now() - begin) / launches;
  }
  *out = sample_of(seconds, (size_t)runs, seconds);
  return TRM_OK;
}

static trm_status measure_latency(bench *b, int runs, ceiling *out)
{
  const double launches = LATENCY_LAUNCHES * LATENCY_REPLAYS;
  kernel_work work = {.extent = {LATENCY_CELLS, 1, 1, 0}, .params = {0, LATENCY_CELLS, 0, 0}};
  TRM_TRY(bench_buffers(b, 8 * LATENCY_CELLS * sizeof(float)));
  TRM_TRY(trm_program_kernel(b->program, "bench_copy", &work.kernel));
  TRM_TRY(sample_latency(b, launch_plainly, &work, launches, runs, &out->launch_plain));

  TRM_TRY(trm_sequence_begin(b->device));
  const trm_status recorded = launch_many(b, &work);
  if (recorded != TRM_OK) {
    trm_sequence_cancel(b->device);
    return recorded;
  }
  TRM_TRY(trm_sequence_end(b->device, &b->sequence));
  return sample_latency(b, replay, NULL, launches, runs, &out->launch_recorded);
}

/* ---- all ------------------------------------------------------------------- */

double ceiling_copy(const ceiling *measured)
{
  return measured->copy_command.most > measured->copy_kernel.most ? measured->copy_command.most
                                                                  : measured->copy_kernel.most;
}

static trm_status measure(bench *b, int runs, int all, ceiling *out)
{
  TRM_TRY(measure_copy(b, runs, out));
  if (!all) return TRM_OK;
  TRM_TRY(measure_nine(b, runs, out));
  return measure_latency(b, runs, out);
}

static trm_status measure_on(trm_device *device, int runs, int all, ceiling *out)
{
  bench b;
  ceiling measured = {0};
  trm_status status = bench_open(&b, device);
  if (status == TRM_OK) status = measure(&b, runs > MAX_RUNS ? MAX_RUNS : runs, all, &measured);
  bench_close(&b);
  if (status == TRM_OK) *out = measured;
  return status;
}

trm_status ceiling_measure_copy(trm_device *device, int runs, ceiling *out)
{
  return measure_on(device, runs, 0, out);
}

trm_status ceiling_measure(trm_device *device, int runs, ceiling *out)
{
  return measure_on(device, runs, 1, out);
}
