/* difference.c - the largest distances between two fields, and where they are. */
#include <config.h>

#include "io/difference.h"

#include <math.h>
#include <string.h>

static trm_position position_of(const trm_array *a, size_t index)
{
  const size_t row = index / a->nx, plane = row / a->ny;
  return (trm_position){plane / a->nz, index % a->nx, row % a->ny, plane % a->nz};
}

/* Floating-point bits as an integer that grows with the value; both zeros are 0. */
static int64_t ordered32(float value)
{
  int32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits < 0 ? (int64_t)INT32_MIN - bits : bits;
}

static int64_t ordered64(double value)
{
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits < 0 ? INT64_MIN - bits : bits;
}

static uint64_t ulp_distance(const trm_array *a, const trm_array *b, size_t index)
{
  int64_t x, y;
  if (a->type == TRM_TYPE_F32) {
    x = ordered32(((const float *)a->data)[index]);
    y = ordered32(((const float *)b->data)[index]);
  } else if (a->type == TRM_TYPE_F64) {
    x = ordered64(((const double *)a->data)[index]);
    y = ordered64(((const double *)b->data)[index]);
  } else {
    x = (int64_t)trm_array_value(a, index);
    y = (int64_t)trm_array_value(b, index);
  }
  return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

typedef struct largest_at { size_t absolute_at, relative_at, ulps_at; } largest_at;

/* One pair whose bits differ and that are not both NaN. */
static void add_pair(const trm_array *a, const trm_array *b, size_t i, trm_difference *d,
                     largest_at *at)
{
  const double x = trm_array_value(a, i), y = trm_array_value(b, i);
  const int finite = isfinite(x) && isfinite(y);
  const double absolute = finite ? fabs(x - y) : (double)INFINITY;
  const double scale = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
  const double relative = !finite ? (double)INFINITY : scale > 0.0 ? absolute / scale : 0.0;
  const uint64_t ulps = finite ? ulp_distance(a, b, i) : UINT64_MAX;
  if (!d->differing) {
    d->first = position_of(a, i);
    at->absolute_at = at->relative_at = at->ulps_at = i;
  }
  d->differing++;
  d->not_finite += !finite;
  if (absolute > d->absolute) {
    d->absolute = absolute;
    at->absolute_at = i;
  }
  if (relative > d->relative) {
    d->relative = relative;
    at->relative_at = i;
  }
  if (ulps > d->ulps) {
    d->ulps = ulps;
    at->ulps_at = i;
  }
}

static trm_status check_pair(const trm_array *reference, const trm_array *other, size_t *count)
{
  TRM_TRY(trm_array_elements(reference, count));
  TRM_TRY(trm_array_elements(other, NULL));
  if (reference->type != other->type || reference->components != other->components ||
      reference->nx != other->nx || reference->ny != other->ny || reference->nz != other->nz)
    return TRM_FAIL(INVALID,
                    "'%s' (%s, %d x %zu x %zu x %zu) and '%s' (%s, %d x %zu x %zu x %zu) cannot be "
                    "compared: type and shape must be the same",
                    reference->name, trm_type_name(reference->type), reference->components,
                    reference->nz, reference->ny, reference->nx, other->name,
                    trm_type_name(other->type), other->components, other->nz, other->ny, other->nx);
  return TRM_OK;
}

/* 0 -> 0, 1 -> 1, 2 and 3 -> 2, 4 to 7 -> 3, ... */
static size_t bin_of(uint64_t ulps)
{
  size_t bin = 0;
  for (; ulps; ulps >>= 1) bin++;
  return bin;
}

trm_status trm_spread_compute(const trm_array *reference, const trm_array *other, trm_spread *out)
{
  size_t count = 0;
  TRM_TRY(check_pair(reference, other, &count));
  const size_t side = TRM_SPREAD_SIDE;
  memset(out, 0, sizeof *out);
  out->width = reference->nx < side ? reference->nx : side;
  out->height = reference->ny < side ? reference->ny : side;
  for (size_t i = 0; i < count; i++) {
    const double x = trm_array_value(reference, i), y = trm_array_value(other, i);
    const trm_position at = position_of(reference, i);
    double *cell = &out->map[at.y * out->height / reference->ny * out->width +
                             at.x * out->width / reference->nx];
    if (isfinite(x) && isfinite(y)) {
      out->ulps[bin_of(ulp_distance(reference, other, i))]++;
      if (fabs(x - y) > *cell) *cell = fabs(x - y);
    } else if (!(isnan(x) && isnan(y)) && x != y) {
      *cell = INFINITY;
    }
  }
  return TRM_OK;
}

trm_status trm_difference_compute(const trm_array *reference, const trm_array *other,
                                  trm_difference *out)
{
  size_t count = 0;
  TRM_TRY(check_pair(reference, other, &count));
  trm_difference d = {.values = count};
  largest_at at = {0};
  const size_t size = trm_type_size(reference->type);
  const unsigned char *a = reference->data, *b = other->data;
  for (size_t i = 0; i < count; i++) {
    const double x = trm_array_value(reference, i);
    if (isfinite(x) && fabs(x) > d.largest) d.largest = fabs(x);
    if (!memcmp(a + i * size, b + i * size, size)) continue;
    if (isnan(x) && isnan(trm_array_value(other, i))) continue;
    add_pair(reference, other, i, &d, &at);
  }
  if (d.differing) {
    d.absolute_at = position_of(reference, at.absolute_at);
    d.relative_at = position_of(reference, at.relative_at);
    d.ulps_at = position_of(reference, at.ulps_at);
    d.scaled = d.absolute == 0.0 ? 0.0
               : d.largest > 0.0 ? d.absolute / d.largest
                                 : (double)INFINITY;
  }
  *out = d;
  return TRM_OK;
}
