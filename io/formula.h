/* formula.h - formulas in case files: "2 + 0.5 * exp(-((x - 10)^2 + y^2) / 8)".
 *
 * Numbers, names given by the caller, pi; + - * / ^ and unary -; < <= > >= (1 or 0) and
 * c ? a : b; abs, sqrt, exp, log, sin, cos, tanh, cosh, sech, min, max, floor. Evaluated in doubles
 * with functions of our own, so that a start computed anywhere has the same bits. */
#ifndef TRIREME_FORMULA_H
#define TRIREME_FORMULA_H

#include "core/trireme.h"

typedef struct trm_formula trm_formula;

enum { TRM_FORMULA_NAMES = 8 };

/* names: `count` names, at most TRM_FORMULA_NAMES; they outlive the formula. origin is for
 * messages, which show where in the text the mistake is. */
TRM_API trm_status trm_formula_create(const char *text, const char *const *names, size_t count,
                                      const char *origin, trm_formula **out);
TRM_API void trm_formula_destroy(trm_formula **formula);

/* values[i] belongs to names[i]. Not finite where the mathematics is not. */
TRM_API double trm_formula_value(const trm_formula *formula, const double *values);

/* The functions, within 2 units in the last place. trm_formula_sin, _cos: |x| up to 1e5. */
TRM_API double trm_formula_exp(double x);
TRM_API double trm_formula_log(double x);
TRM_API double trm_formula_sin(double x);
TRM_API double trm_formula_cos(double x);

#endif
