/* formula_slopes.c - a formula and its neighbourhood at a run of cells. */
#include "io/formula_slopes.h"

#include <stdlib.h>

enum { MIDDLE, BEFORE, AFTER, SHIFTS };

struct trm_formula_slopes {
  trm_formula *at[TRM_SLOPES_PLACES];
  size_t axes, names, count;
  double step;
  double x[SHIFTS][TRM_FORMULA_RUN];
};

static size_t place_count(const trm_formula_slopes *slopes)
{
  return slopes->step > 0.0 ? 1 + 2 * slopes->axes : 1;
}

trm_status trm_formula_slopes_create(const char *text, const char *const *names, size_t count,
                                     const char *origin, size_t axes, double step,
                                     trm_formula_slopes **out)
{
  trm_formula_slopes *made = calloc(1, sizeof *made);
  if (!made) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the formula of %s", origin);
  *made = (trm_formula_slopes){ .axes = axes, .names = count, .step = step };
  trm_status status = TRM_OK;
  for (size_t p = 0; p < place_count(made) && status == TRM_OK; p++)
    status = trm_formula_create(text, names, count, origin, &made->at[p]);
  if (status == TRM_OK) *out = made;
  else trm_formula_slopes_destroy(&made);
  return status;
}

void trm_formula_slopes_destroy(trm_formula_slopes **slopes)
{
  if (!*slopes) return;
  for (size_t p = 0; p < TRM_SLOPES_PLACES; p++) trm_formula_destroy(&(*slopes)->at[p]);
  free(*slopes);
  *slopes = NULL;
}

/* Whether a place is at the middles, before them or after them along an axis. */
static size_t shift_of(size_t place, size_t axis)
{
  return place == 1 + 2 * axis ? BEFORE : place == 2 + 2 * axis ? AFTER : MIDDLE;
}

void trm_formula_slopes_run(trm_formula_slopes *slopes, const double *x, size_t count,
                            const double *constants)
{
  if (!slopes) return;
  slopes->count = count;
  for (size_t i = 0; i < count; i++) {
    slopes->x[MIDDLE][i] = x[i];
    slopes->x[BEFORE][i] = x[i] - slopes->step;
    slopes->x[AFTER][i] = x[i] + slopes->step;
  }
  for (size_t p = 0; p < place_count(slopes); p++) {
    trm_formula_place(slopes->at[p], 0, slopes->x[shift_of(p, 0)], 0);
    for (size_t name = slopes->axes; name < slopes->names; name++)
      trm_formula_place(slopes->at[p], name, &constants[name - slopes->axes], 1);
  }
}

void trm_formula_slopes_row(trm_formula_slopes *slopes, const double *rest,
                            double values[][TRM_FORMULA_RUN])
{
  if (!slopes) return;
  double at[TRM_SLOPES_AXES][SHIFTS];
  for (size_t a = 1; a < slopes->axes; a++) {
    at[a][MIDDLE] = rest[a - 1];
    at[a][BEFORE] = rest[a - 1] - slopes->step;
    at[a][AFTER] = rest[a - 1] + slopes->step;
  }
  for (size_t p = 0; p < place_count(slopes); p++) {
    for (size_t a = 1; a < slopes->axes; a++)
      trm_formula_place(slopes->at[p], a, &at[a][shift_of(p, a)], 1);
    trm_formula_values(slopes->at[p], slopes->count, values[p]);
  }
}
