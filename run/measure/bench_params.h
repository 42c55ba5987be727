/* Parameters of the kernels that measure a device: the layout of rows, in elements; rounds of
 * fused multiply-adds. */
typedef struct bench_params {
  int first, row, component;
  int rounds;
} bench_params;

/* Operations of a round: 16 fused multiply-adds in each of 12 chains. */
#define BENCH_ROUND_OPERATIONS (2 * 16 * 12)
