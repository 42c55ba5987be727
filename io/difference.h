/* difference.h - how far two fields are apart: in bits, absolute, relative and in ULPs.
 *
 * Two values are equal when their bits are, or when both are NaN (payloads are outside the promise
 * of strict arithmetic). +0 and -0 differ in bits, at a distance of 0 ULP. */
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

/* The arrays must have one type and shape. Integers: an ULP is 1. */
TRM_API trm_status trm_difference_compute(const trm_array *reference, const trm_array *other,
                                          trm_difference *out);

#endif
