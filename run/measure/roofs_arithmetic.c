/* roofs_arithmetic.c - the peak of arithmetic: fused multiply-adds, in as many independent chains
 * as hide their latency, over as many cells as fill the device. Two kernels do it, each in a form
 * that some compilers like: the better one counts. */
#include "run/measure/roofs_parts.h"

enum { ROW_CELLS = 4096, ROWS_LEAST = 16, ROWS_MOST = 8192, ROUNDS = 32, STRAIGHT_ROUNDS = 4 };
static const double long_enough = 0.005; /* seconds of a launch */

/* Rows are doubled until a launch takes long enough. */
static trm_status choose_rows(bench *b, bench_kernel *work, size_t most)
{
  for (work->extent.ny = ROWS_LEAST; (size_t)work->extent.ny * 2 <= most; work->extent.ny *= 2) {
    double seconds;
    TRM_TRY(bench_time(b, bench_launch, work, 1, &seconds)); /* warms up */
    TRM_TRY(bench_time(b, bench_launch, work, 1, &seconds));
    if (seconds >= long_enough) break;
  }
  return TRM_OK;
}

static trm_status measure_form(bench *b, const char *name, int rounds, size_t rows, sample *out)
{
  bench_kernel work = {.extent = {ROW_CELLS, ROWS_LEAST, 1, 0},
                       .params = {0, ROW_CELLS, 0, rounds}, .buffers = 2};
  TRM_TRY(trm_program_kernel(b->program, name, &work.kernel));
  TRM_TRY(choose_rows(b, &work, rows));
  const double cells = (double)ROW_CELLS * work.extent.ny;
  return bench_rate(b, bench_launch, &work, cells * BENCH_ROUND_OPERATIONS * rounds, out);
}

static trm_status measure(bench *b, size_t real_bytes, sample *out)
{
  const size_t row_bytes = ROW_CELLS * real_bytes;
  sample straight, looped;
  size_t bytes;
  TRM_TRY(bench_bytes(b, ROWS_MOST * row_bytes, &bytes));
  TRM_TRY(bench_buffers(b, bytes, 0));
  TRM_TRY(measure_form(b, "bench_straight", STRAIGHT_ROUNDS, bytes / row_bytes, &straight));
  TRM_TRY(measure_form(b, "bench_looped", ROUNDS, bytes / row_bytes, &looped));
  *out = straight.most > looped.most ? straight : looped;
  return TRM_OK;
}

trm_status bench_arithmetic(trm_device *device, trm_precision precision, int runs, sample *out)
{
  bench b;
  trm_status status = bench_open(&b, device, precision, runs);
  if (status == TRM_OK) status = measure(&b, precision == TRM_F64 ? 8 : 4, out);
  bench_close(&b);
  return status;
}
