/* exchange.c - launches that several devices share, with and without rows of others: what is left
 * between the two is the exchange. */
#include "run/measure/exchange.h"

#include <math.h>

#include "run/measure/roofs_parts.h"

enum { LAUNCHES = 200, ROWS_EACH = 16, SHORT_ROW = 64, LONG_ROW = 65536 };

/* From one array to the other and back: each launch needs the result of the launch before. */
static trm_status launch_to_and_fro(bench *b, const void *user)
{
  const bench_kernel *work = user;
  for (int i = 0; i < LAUNCHES; i++) {
    trm_buffer *const buffers[] = {i % 2 ? b->to : b->from, i % 2 ? b->from : b->to};
    TRM_TRY(trm_kernel_launch(work->kernel, &work->extent, &work->params, sizeof work->params,
                              buffers, 2));
  }
  return TRM_OK;
}

static trm_status make_rows(bench *b, size_t cells, size_t rows)
{
  const trm_by_rows by = {.type = TRM_TYPE_F32, .nx = cells, .ny = rows, .nz = 1, .components = 1,
                          .layout = {.row = cells, .component = cells * rows,
                                     .elements = cells * rows}};
  TRM_TRY(bench_buffers(b, cells * rows * sizeof(float), 0));
  TRM_TRY(trm_buffer_rows(b->from, &by));
  return trm_buffer_rows(b->to, &by);
}

static trm_status time_kernel(bench *b, const char *name, size_t cells, size_t rows, sample *out)
{
  bench_kernel work = {.extent = {(int32_t)cells, (int32_t)rows, 1, 0},
                       .params = {0, (int)cells, 0, 0}, .buffers = 2};
  TRM_TRY(trm_program_kernel(b->program, name, &work.kernel));
  return bench_latency(b, launch_to_and_fro, &work, LAUNCHES, out);
}

static trm_status measure(bench *b, size_t rows, exchange *out)
{
  sample beside_short, apart_long, beside_long;
  TRM_TRY(make_rows(b, SHORT_ROW, rows));
  TRM_TRY(time_kernel(b, "bench_apart", SHORT_ROW, rows, &out->launch));
  TRM_TRY(time_kernel(b, "bench_beside", SHORT_ROW, rows, &beside_short));
  TRM_TRY(make_rows(b, LONG_ROW, rows));
  TRM_TRY(time_kernel(b, "bench_apart", LONG_ROW, rows, &apart_long));
  TRM_TRY(time_kernel(b, "bench_beside", LONG_ROW, rows, &beside_long));
  out->row_bytes = LONG_ROW * sizeof(float);
  out->latency = fmax(beside_short.least - out->launch.least, 0);
  const double seconds = beside_long.least - apart_long.least - out->latency;
  out->bandwidth = seconds > 0 ? 2 * (double)out->row_bytes / seconds : (double)NAN;
  return TRM_OK;
}

double exchange_efficiency(const exchange *measured, double devices, double step, double row_bytes,
                           size_t of, int is_over_ranks)
{
  const double tell = measured->launch.least / (double)of * devices;
  const double long_rows = isfinite(measured->bandwidth) ? 2 * row_bytes / measured->bandwidth : 0;
  const double late = fmax(measured->latency + long_rows - step, 0);
  return step / ((is_over_ranks ? step + tell : fmax(step, tell)) + late);
}

trm_status exchange_measure(trm_device *device, int runs, exchange *out)
{
  bench b;
  const size_t rows = ROWS_EACH * trm_device_parts(device, 0, NULL);
  trm_status status = bench_open(&b, device, TRM_F32, runs);
  if (status == TRM_OK) status = measure(&b, rows, out);
  bench_close(&b);
  return status;
}
