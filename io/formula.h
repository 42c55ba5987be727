/* formula.h - formulas in case files: "2 + 0.5 * exp(-((x - 10)^2 + y^2) / 8)".
 *
 * Numbers, names given by the caller, pi; + - * / ^ and unary -; < <= > >= (1 or 0) and
 * c ? a : b; abs, sqrt, exp, log, sin, cos, tanh, cosh, sech, min, max, floor. Evaluated in doubles
 * with functions of our own, so that a start computed anywhere has the same bits. */
#ifndef TRIREME_FORMULA_H
#define TRIREME_FORMULA_H

#include "core/trireme.h"

typedef struct trm_formula trm_formula;

enum { TRM_FORMULA_NAMES = 8, TRM_FORMULA_RUN = 512 };

/* names: `count` names, at most TRM_FORMULA_NAMES; they outlive the formula. origin is for
 * messages, which show where in the text the mistake is. */
TRM_API trm_status trm_formula_create(const char *text, const char *const *names, size_t count,
                                      const char *origin, trm_formula **out);
TRM_API void trm_formula_destroy(trm_formula **formula);

/* The same formula, for another thread: a formula is computed by one thread at a time. No place of
 * `formula` is kept. */
TRM_API trm_status trm_formula_copy(const trm_formula *formula, trm_formula **out);

/* A formula is computed for a run of places, at most TRM_FORMULA_RUN. place: from now on the name
 * has values[0], values[1], ... there, or values[0] everywhere (is_same). The caller owns the
 * values, and they must not move until the last use. Only the operations that depend on names
 * placed since the last time are computed again, and not if a name has the number that it had; an
 * operation with the same value everywhere is computed once. */
TRM_API void trm_formula_place(trm_formula *formula, size_t name, const double *values,
                               int is_same);
/* The values at the first `count` places, to out, which may be values that were placed. `count` is
 * the same as the last time, unless every name was placed since. Not finite where the mathematics
 * is not. */
TRM_API void trm_formula_values(trm_formula *formula, size_t count, double *out);

/* The value where names[i] is values[i]. */
TRM_API double trm_formula_value(const trm_formula *formula, const double *values);

/* The names that it depends on: a bit for each; 0: it is a number. */
TRM_API unsigned trm_formula_uses(const trm_formula *formula);

/* The formula for a machine with a stack, as kernels have it
 * (solvers/compressible/kernels/fv_formula.h). For entry i, codes[i] is one of these letters, for a
 * name plus 256 times its number; numbers[i] is the value of a number. Operands come before their
 * operation; parts without names are numbers.
 *   # number  $ name  + - * / ^  ~ minus  < less  { at most  ? choice  a abs  q sqrt  e exp  g log
 *   s sin  c cos  t tanh  h cosh  i sech  f floor  m min  M max
 * TRM_ERROR_INPUT, which shows `origin`, where there are more than `room` entries, or more than
 * TRM_FORMULA_STACK values at once. */
enum { TRM_FORMULA_STACK = 16 };
TRM_API trm_status trm_formula_stack(const trm_formula *formula, const char *origin, size_t room,
                                     int32_t *codes, double *numbers, size_t *count);

/* The functions, within 2 units in the last place. trm_formula_sin, _cos: |x| up to 1e5. */
TRM_API double trm_formula_exp(double x);
TRM_API double trm_formula_log(double x);
TRM_API double trm_formula_sin(double x);
TRM_API double trm_formula_cos(double x);

#endif
