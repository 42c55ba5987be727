/* leaves.c - the sum of leaves on the host, for lbm.fold = host: in the order of a trm_reduction
 * (core/kernels/reduce.k), so with its bits. Chunks of 4096 values are added in 256 lanes, the
 * lanes by halves; the chunks' sums are added in the same way. */
#include "solvers/lbm/driven/implementation.h"

enum { LANES = 256, CHUNK = 4096 };

#define DEFINE(name, real) \
  static real name##_chunk(const real *values, size_t count) \
  { \
    real lane[LANES] = { 0 }; \
    for (size_t i = 0; i < count; i++) lane[i % LANES] += values[i]; \
    for (size_t half = LANES / 2; half > 0; half /= 2) \
      for (size_t i = 0; i < half; i++) lane[i] += lane[i + half]; \
    return lane[0]; \
  } \
  static real name(real *values, size_t count) \
  { \
    do { /* a chunk's sum is stored where its values have been read */ \
      size_t chunks = 0; \
      for (size_t at = 0; at < count; at += CHUNK) \
        values[chunks++] = name##_chunk(values + at, count - at < CHUNK ? count - at : CHUNK); \
      count = chunks; \
    } while (count > 1); \
    return values[0]; \
  }

DEFINE(add_f32, float)
DEFINE(add_f64, double)

void lbm_add_leaves(trm_type type, void *leaves, size_t count, void *sum)
{
  if (type == TRM_TYPE_F64) *(double *)sum = add_f64(leaves, count);
  else *(float *)sum = add_f32(leaves, count);
}
