/* roofs.c - copies and similar kernels, timed by the device's own events.
 *
 * A repetition is repeated work between two events, long enough for the clock; the first one
 * warms up and is not counted. The arrays are written first, so that every page is mapped. */
#include "run/measure/roofs_parts.h"

#include <math.h>
#include <unistd.h>

#include "core/modules.h"

TRM_DECLARE_MODULES(bench);
extern const char trm_text_bench[];

enum { ROW_CELLS = 65536 };
static const size_t mebibyte = 1024 * 1024;
static const double fast_memory = 500e9; /* bytes a second */

trm_status bench_open(bench *b, trm_device *device, trm_precision precision, int runs)
{
  static const trm_program_source source = {
    "bench", "run/measure/bench.k", trm_text_bench, TRM_MODULES(bench)
  };
  /* a host's baseline has no fused steps, and fast arithmetic would join those of a chain */
  const trm_math math = trm_device_describe(device)->is_host ? TRM_STRICT : TRM_FAST;
  const trm_program_options options = {.precision = precision, .math = math};
  *b = (bench){.device = device, .runs = runs < BENCH_RUNS ? runs : BENCH_RUNS};
  TRM_TRY(trm_program_create(device, &source, &options, &b->program));
  TRM_TRY(trm_event_create(device, &b->begin));
  return trm_event_create(device, &b->end);
}

void bench_close(bench *b)
{
  trm_sequence_destroy(&b->sequence);
  trm_event_destroy(&b->begin);
  trm_event_destroy(&b->end);
  trm_buffer_destroy(&b->from);
  trm_buffer_destroy(&b->to);
  trm_buffer_destroy(&b->more);
  trm_program_destroy(&b->program);
}

trm_status bench_buffers(bench *b, size_t bytes, int is_three)
{
  static const uint64_t pattern = 0x3f9e3779b97f4a7cu; /* no zeros: memory may move those faster */
  static const char *const names[] = {"bench source", "bench destination", "bench third"};
  trm_buffer **const buffers[] = {&b->from, &b->to, &b->more};
  for (int i = 0; i < 3; i++) trm_buffer_destroy(buffers[i]);
  for (int i = 0; i < 2 + is_three; i++) {
    TRM_TRY(trm_buffer_create(b->device, bytes, names[i], buffers[i]));
    TRM_TRY(trm_buffer_fill(*buffers[i], 0, bytes, &pattern, sizeof pattern));
  }
  return TRM_OK;
}

trm_status bench_bytes(bench *b, size_t wanted, size_t *out)
{
  const trm_device_info *info = trm_device_describe(b->device);
  size_t bytes = wanted;
  uint64_t available = 0;
  TRM_TRY(trm_device_free_memory(b->device, &available));
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

trm_status bench_time(bench *b, bench_work *work, const void *user, int times, double *seconds)
{
  TRM_TRY(trm_event_record(b->begin));
  for (int i = 0; i < times; i++) TRM_TRY(work(b, user));
  TRM_TRY(trm_event_record(b->end));
  TRM_TRY(trm_event_elapsed(b->begin, b->end, seconds));
  *seconds /= times;
  return TRM_OK;
}

trm_status bench_rate(bench *b, bench_work *work, const void *user, double amount, sample *out)
{
  double rates[BENCH_RUNS], seconds;
  TRM_TRY(bench_time(b, work, user, 1, &seconds));
  const double wanted = seconds > 0 ? 0.005 / seconds : 1000;
  const int times = wanted < 1 ? 1 : wanted > 1000 ? 1000 : (int)wanted;
  for (int i = 0; i < b->runs; i++) {
    TRM_TRY(bench_time(b, work, user, times, &seconds));
    if (!(seconds > 0))
      return TRM_FAIL(DEVICE, "the clock of %s measured no time",
                      trm_device_describe(b->device)->name);
    rates[i] = amount / seconds;
  }
  *out = sample_of(rates, (size_t)b->runs, rates);
  return TRM_OK;
}

trm_status bench_launch(bench *b, const void *user)
{
  const bench_kernel *work = user;
  trm_buffer *const buffers[] = {b->from, b->to, b->more};
  return trm_kernel_launch(work->kernel, &work->extent, &work->params, sizeof work->params, buffers,
                           work->buffers);
}

/* ---- copies and their kin ---------------------------------------------------- */

static trm_status copy_command(bench *b, const void *user)
{
  return trm_buffer_copy(b->to, 0, b->from, 0, *(const size_t *)user);
}

/* With its partner, twice the host's last cache; 1 GiB where memory is so fast that a copy of less
 * would mostly measure its start. */
static trm_status choose_size(bench *b, device_roofs *out)
{
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  size_t bytes = 64 * mebibyte;
  if (cache > 0 && (size_t)cache > bytes) bytes = (size_t)cache;
  TRM_TRY(bench_bytes(b, bytes, &out->copy_bytes));
  TRM_TRY(bench_buffers(b, out->copy_bytes, 0));
  double seconds;
  TRM_TRY(bench_time(b, copy_command, &out->copy_bytes, 1, &seconds));
  if (2.0 * (double)out->copy_bytes < fast_memory * seconds || out->copy_bytes < bytes)
    return TRM_OK;
  TRM_TRY(bench_bytes(b, 1024 * mebibyte, &out->copy_bytes));
  return bench_buffers(b, out->copy_bytes, 0);
}

/* A kernel that takes eight rows at a time and moves `streams` whole arrays. */
static trm_status measure_rows(bench *b, const char *name, size_t bytes, double streams,
                               size_t buffers, sample *out)
{
  const size_t rows = bytes / (ROW_CELLS * sizeof(float));
  bench_kernel work = {.extent = {ROW_CELLS, (int32_t)(rows / 8), 1, 0},
                       .params = {0, ROW_CELLS, 0, 0}, .buffers = buffers};
  TRM_TRY(trm_program_kernel(b->program, name, &work.kernel));
  return bench_rate(b, bench_launch, &work, streams * (double)bytes, out);
}

static trm_status measure_copy(bench *b, device_roofs *out)
{
  TRM_TRY(choose_size(b, out));
  const double moved = 2.0 * (double)out->copy_bytes;
  TRM_TRY(bench_rate(b, copy_command, &out->copy_bytes, moved, &out->copy_command));
  return measure_rows(b, "bench_copy", out->copy_bytes, 2, 2, &out->copy_kernel);
}

static trm_status measure_nine(bench *b, device_roofs *out)
{
  const size_t rows = out->copy_bytes / (9 * ROW_CELLS * sizeof(float)) + 1;
  trm_layout layout;
  TRM_TRY(trm_layout_rows(b->device, TRM_TYPE_F32, ROW_CELLS, rows, 1, 9, &layout));
  out->nine_bytes = layout.elements * sizeof(float);
  TRM_TRY(bench_buffers(b, out->nine_bytes, 0));
  bench_kernel work = {.extent = {ROW_CELLS, (int32_t)rows, 1, 0},
                       .params = {(int)layout.first, (int)layout.row, (int)layout.component, 0},
                       .buffers = 2};
  TRM_TRY(trm_program_kernel(b->program, "bench_nine", &work.kernel));
  const double moved = 2.0 * 9.0 * sizeof(float) * (double)(ROW_CELLS * rows);
  return bench_rate(b, bench_launch, &work, moved, &out->nine);
}

/* After the copies, whose size these have. */
static trm_status measure_streams(bench *b, device_roofs *out)
{
  const size_t bytes = out->copy_bytes;
  TRM_TRY(bench_buffers(b, bytes, 1));
  TRM_TRY(measure_rows(b, "bench_triad", bytes, 3, 3, &out->triad));
  TRM_TRY(measure_rows(b, "bench_read", bytes, 1 + 1.0 / 8, 2, &out->read));
  return measure_nine(b, out);
}

/* Short rows, so that each thread of a host has some. Caches do not
 * hold a set as large as the arrays of the copy. */
static trm_status measure_caches(bench *b, device_roofs *out)
{
  enum { SHORT_CELLS = 1024 };
  bench_kernel work = {.params = {0, SHORT_CELLS, 0, 0}, .buffers = 2};
  TRM_TRY(trm_program_kernel(b->program, "bench_copy", &work.kernel));
  for (int i = 0; i < ROOF_SETS; i++) {
    const size_t set = mebibyte << 2 * i, rows = set / 2 / (SHORT_CELLS * sizeof(float));
    if (set >= 2 * out->copy_bytes) break;
    TRM_TRY(bench_buffers(b, set / 2, 0));
    work.extent = (trm_extent){SHORT_CELLS, (int32_t)(rows / 8), 1, 0};
    TRM_TRY(bench_rate(b, bench_launch, &work, (double)set, &out->within[i]));
  }
  return TRM_OK;
}

/* ---- all ------------------------------------------------------------------- */

static double best_of(const sample *rates, double other)
{
  const double most = fmax(rates->most, other);
  return most > 0 ? most : (double)NAN;
}

double roof_copy(const device_roofs *measured)
{
  return best_of(&measured->copy_command, measured->copy_kernel.most);
}

/* Between two sets the rate changes with the logarithm of the bytes. Beyond the last one, memory
 * takes its part: four times that set are copied as fast as large arrays. */
double roof_copy_of(const device_roofs *measured, double copy, double bytes)
{
  double at = log2(bytes / (double)mebibyte) / 2, rate[ROOF_SETS + 1];
  int last = -1;
  while (last + 1 < ROOF_SETS && measured->within[last + 1].count > 0) {
    last++;
    rate[last] = measured->within[last].most;
  }
  if (last < 0 || !(copy > 0) || !(bytes > 0)) return (double)NAN;
  rate[last + 1] = copy;
  at = fmax(0, fmin(at, last + 1));
  const int below = at >= last + 1 ? last : (int)at;
  return rate[below] + (at - below) * (rate[below + 1] - rate[below]);
}

double roof_fma(const device_roofs *measured, trm_precision precision)
{
  return best_of(precision == TRM_F64 ? &measured->fma_f64 : &measured->fma_f32, 0);
}

static trm_status measure(bench *b, unsigned parts, device_roofs *out)
{
  if (parts & (ROOF_COPY | ROOF_STREAMS | ROOF_CACHES)) TRM_TRY(measure_copy(b, out));
  if (parts & ROOF_STREAMS) TRM_TRY(measure_streams(b, out));
  if (parts & ROOF_CACHES) TRM_TRY(measure_caches(b, out));
  if (parts & ROOF_LAUNCHES) TRM_TRY(bench_launches(b, out));
  if (parts & ROOF_TRANSFERS) TRM_TRY(bench_transfers(b, out));
  if (parts & ROOF_SERIAL) TRM_TRY(bench_serial(b, out));
  return TRM_OK;
}

trm_status roof_measure(trm_device *device, unsigned parts, int runs, device_roofs *out)
{
  bench b;
  device_roofs measured = {0};
  trm_status status = bench_open(&b, device, TRM_F32, runs);
  if (status == TRM_OK) status = measure(&b, parts, &measured);
  bench_close(&b);
  if (status == TRM_OK && (parts & ROOF_ARITHMETIC))
    status = bench_arithmetic(device, TRM_F32, runs, &measured.fma_f32);
  if (status == TRM_OK && (parts & ROOF_ARITHMETIC) && trm_device_describe(device)->has_f64)
    status = bench_arithmetic(device, TRM_F64, runs, &measured.fma_f64);
  if (status == TRM_OK) *out = measured;
  return status;
}
