/* dispatch_params.h - parameters of dispatch.k; included by the kernels and, with `real` a float,
 * by the tests. */
typedef struct dispatch_params {
  trm_index first, row; /* elements */
  real factor;
  int count;
} dispatch_params;
