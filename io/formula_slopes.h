/* formula_slopes.h - a formula at the middles of a run of cells along x, and at places a little
 * before and after these along each axis. The caller takes slopes from these values: (after -
 * before) / (2 step).
 *
 * Each place is a formula of its own, so that what does not change from row to row is kept. */
#ifndef TRIREME_FORMULA_SLOPES_H
#define TRIREME_FORMULA_SLOPES_H

#include "io/formula.h"

typedef struct trm_formula_slopes trm_formula_slopes;

/* The middles, then each axis: of axis a, 1 + 2 a is before them and 2 + 2 a after them. */
enum { TRM_SLOPES_AXES = 3, TRM_SLOPES_PLACES = 1 + 2 * TRM_SLOPES_AXES };

/* As trm_formula_create. The first `axes` names, at most TRM_SLOPES_AXES, are the coordinates, x
 * first; the other names are constants. step: from a middle to the places before and after it; 0:
 * the middles alone. */
trm_status trm_formula_slopes_create(const char *text, const char *const *names, size_t count,
                                     const char *origin, size_t axes, double step,
                                     trm_formula_slopes **out);
void trm_formula_slopes_destroy(trm_formula_slopes **slopes);

/* Below, NULL is a formula that was not given: nothing is done. */

/* From now on the middles are at x[0 ... count - 1], at most TRM_FORMULA_RUN of them; x is copied.
 * The constants stay the caller's and where they are until the last use. */
void trm_formula_slopes_run(trm_formula_slopes *slopes, const double *x, size_t count,
                            const double *constants);
/* The values of the run in the row at rest[0] = y, rest[1] = z: places that are not computed are
 * left as they are. */
void trm_formula_slopes_row(trm_formula_slopes *slopes, const double *rest,
                            double values[][TRM_FORMULA_RUN]);

#endif
