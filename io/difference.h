/* difference.h - how far two fields are apart: in bits, absolute, relative and in ULPs.
 *
 * Two values are equal when their bits are equal, or when both are NaN (payloads are outside the
 * promise of strict arithmetic). The bits of +0 and -0 differ; their distance is 0 ULP. */
#ifndef TRIREME_DIFFERENCE_H
#define TRIREME_DIFFERENCE_H

#include "io/array.h"

typedef struct trm_position { size_t component, x, y, z; } trm_position;

typedef struct trm_difference {
  size_t values;               /* compared */
  size_t differing;            /* whose bits differ */
  trm_position first;          /* the first of them in memory order */
  size_t not_finite;           /* pairs that differ and in which a value is not finite */
  double absolute;             /* largest |a - b|; infinite where not_finite counts */
  double relative;             /* largest |a - b| / max(|a|, |b|), at most 2; infinite as above */
  uint64_t ulps;               /* largest distance in ULPs; UINT64_MAX where not_finite counts */
  trm_position absolute_at, relative_at, ulps_at;
  double largest;              /* largest finite magnitude in the first array */
  double scaled;               /* absolute / largest; 0 when the arrays are equal */
} trm_difference;

/* How the differences are spread: over distances, and over the plane. */
enum { TRM_SPREAD_BINS = 65, TRM_SPREAD_SIDE = 64 };
typedef struct trm_spread {
  uint64_t ulps[TRM_SPREAD_BINS];  /* values at a distance of 0 ULP (bin 0) and of 2^(k-1) to
                                    * 2^k - 1 ULP (bin k); pairs that are not finite: in none */
  size_t width, height;            /* of the map: the plane's, or less */
  double map[TRM_SPREAD_SIDE * TRM_SPREAD_SIDE]; /* largest |a - b| of the cells of each part, over
                                    * all components and planes; the first row is y = 0 */
} trm_spread;

/* The same demands as below. */
TRM_API trm_status trm_spread_compute(const trm_array *reference, const trm_array *other,
                                      trm_spread *out);

/* The arrays must have one type and shape. Integers: an ULP is 1. */
TRM_API trm_status trm_difference_compute(const trm_array *reference, const trm_array *other,
                                          trm_difference *out);

#endif
