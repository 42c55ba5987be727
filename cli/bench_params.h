/* Parameters of the kernels that measure a device: the layout of rows, in elements; rounds of
 * fused multiply-adds. */
typedef struct bench_params {
  int first, row, component;
  int rounds;
} bench_params;

/* Chains of one cell, fused multiply-adds of each in a round, operations of a round. */
#define BENCH_CHAINS 12
#define BENCH_LENGTH 16
#define BENCH_FMA_OPERATIONS (2 * BENCH_CHAINS * BENCH_LENGTH)
