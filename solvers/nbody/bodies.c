/* bodies.c - a set of bodies in host memory, and whether it can be integrated. */
#include "solvers/nbody/nbody.h"

#include <math.h>
#include <stdlib.h>

trm_status nbody_bodies_create(size_t count, nbody_bodies *out)
{
  size_t bytes;
  TRM_TRY(trm_size_mul(count, 7 * sizeof(double), "the bodies", &bytes));
  double *values = calloc(1, bytes ? bytes : 1);
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bodies", count);
  out->count = count;
  for (size_t c = 0; c < 7; c++) out->value[c] = values + c * count;
  return TRM_OK;
}

void nbody_bodies_free(nbody_bodies *bodies)
{
  free(bodies->value[0]);
  *bodies = (nbody_bodies){0};
}

void nbody_bodies_centre(nbody_bodies *bodies)
{
  double middle[3], half = 0.0;
  for (int c = 0; c < 3; c++) {
    double low = bodies->value[c][0], high = low;
    for (size_t i = 1; i < bodies->count; i++) {
      low = fmin(low, bodies->value[c][i]);
      high = fmax(high, bodies->value[c][i]);
    }
    middle[c] = low / 2.0 + high / 2.0;
    half = fmax(half, high / 2.0 - low / 2.0);
  }
  if (!(half > 0.0) || !isfinite(half)) return; /* nothing attracts, or is refused */
  int exponent;
  (void)frexp(4.0 * half, &exponent);
  for (int c = 0; c < 3; c++) {
    const double cells = rint(ldexp(middle[c], -exponent));
    bodies->middle[c] = isfinite(cells) ? ldexp(cells, exponent) : 0.0;
    for (size_t i = 0; i < bodies->count; i++) bodies->value[c][i] -= bodies->middle[c];
  }
}

void nbody_bodies_place(nbody_bodies *bodies)
{
  for (int c = 0; c < 3; c++) {
    for (size_t i = 0; i < bodies->count; i++) bodies->value[c][i] += bodies->middle[c];
    bodies->middle[c] = 0.0;
  }
}

/* Total order of positions, so that equal ones become neighbours. */
typedef struct place { double at[3]; size_t body; } place;

static int compare(const void *left, const void *right)
{
  const place *a = left, *b = right;
  for (int c = 0; c < 3; c++)
    if (a->at[c] != b->at[c]) return a->at[c] < b->at[c] ? -1 : 1;
  return a->body < b->body ? -1 : 1;
}

static trm_status check_places(const nbody_bodies *bodies, const char *origin)
{
  const size_t n = bodies->count;
  size_t bytes;
  TRM_TRY(trm_size_mul(n, sizeof(place), "the bodies' places", &bytes));
  place *places = malloc(bytes);
  if (!places) return TRM_FAIL(NO_HOST_MEMORY, "no memory to compare %zu positions", n);
  for (size_t i = 0; i < n; i++)
    places[i] = (place){{bodies->value[0][i], bodies->value[1][i], bodies->value[2][i]}, i};
  qsort(places, n, sizeof *places, compare);
  trm_status status = TRM_OK;
  for (size_t i = 1; i < n && status == TRM_OK; i++) {
    const place *a = &places[i - 1], *b = &places[i];
    if (a->at[0] == b->at[0] && a->at[1] == b->at[1] && a->at[2] == b->at[2])
      status = TRM_FAIL(INPUT, "%s: bodies %zu and %zu are at the same place (%g, %g, %g) in the "
                        "run's precision, and nbody.softening is 0: their attraction is infinite; "
                        "move one, or set a softening", origin, a->body + 1, b->body + 1,
                        b->at[0] + bodies->middle[0], b->at[1] + bodies->middle[1],
                        b->at[2] + bodies->middle[2]);
  }
  free(places);
  return status;
}

trm_status nbody_bodies_check(const nbody_bodies *bodies, double softening, const char *origin)
{
  static const char *const names[] = {"x", "y", "z", "vx", "vy", "vz", "m"};
  double total = 0.0;
  if (bodies->count < 2)
    return TRM_FAIL(INPUT, "%s: %zu bod%s; gravity needs two at least", origin, bodies->count,
                    bodies->count == 1 ? "y" : "ies");
  for (size_t i = 0; i < bodies->count; i++) {
    for (int c = 0; c < 7; c++)
      if (!isfinite(bodies->value[c][i]))
        return TRM_FAIL(INPUT, "%s: %s of body %zu is %f; give a finite number in the range of the "
                        "run's precision", origin, names[c], i + 1, bodies->value[c][i]);
    if (bodies->value[6][i] < 0.0)
      return TRM_FAIL(INPUT, "%s: body %zu has the negative mass %g; masses are zero or more",
                      origin, i + 1, bodies->value[6][i]);
    total += bodies->value[6][i];
  }
  if (!(total > 0.0))
    return TRM_FAIL(INPUT, "%s: no body has any mass; give one of them a mass", origin);
  return softening == 0.0 ? check_places(bodies, origin) : TRM_OK;
}
