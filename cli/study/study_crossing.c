/* study_crossing.c - the size from which on one device is faster than another. */
#include <math.h>

#include "cli/study/study.h"

double study_crossing(const double *sizes, const double *ratios, size_t count, int *rising)
{
  double found = (double)NAN;
  for (size_t i = 1; i < count; i++) {
    const double a = log(ratios[i - 1]), b = log(ratios[i]);
    if (!isfinite(a) || !isfinite(b) || (a < 0) == (b < 0)) continue;
    /* where there are several, the last: above it nothing changes any more */
    const double x = log(sizes[i - 1]), y = log(sizes[i]);
    found = exp(x + (y - x) * (a / (a - b)));
    *rising = b > a;
  }
  return found;
}
