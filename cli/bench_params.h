/* Parameters of the kernels that measure a device: the layout of rows, in elements. */
typedef struct bench_params {
  int first, row, component;
  int unused;
} bench_params;
