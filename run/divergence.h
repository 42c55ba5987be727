/* divergence.h - finds the step, field and cell where a value first became NaN or infinite,
 * or not positive (TRM_FIELD_POSITIVE). */
#ifndef TRIREME_RUN_DIVERGENCE_H
#define TRIREME_RUN_DIVERGENCE_H

#include "run/session.h"

/* A series was not finite at `step`: runs the case again from its start up to that step and scans
 * the fields. Always a failure: TRM_ERROR_DIVERGED with step, field and first cell in global order,
 * or the error that stopped the search. The repeated solver replaces the run's solver. */
trm_status divergence_locate(session *run, uint64_t step);

/* TRM_ERROR_DIVERGED naming the first cell (z, y, x, then component) that is not finite. It gives
 * the cell's number, its place where the solver has coordinates, and its level where the field lies
 * on blocks. With several devices it also names the device of the cell's row. array: the values
 * read from the field. */
trm_status divergence_check(const trm_solver *solver, const trm_field *field,
                            const trm_array *array, uint64_t step);
/* divergence_check, a part of the field at a time. must_be_positive: a cell whose value is not
 * positive is named too. */
trm_status divergence_find(const trm_solver *solver, const trm_field *field, int must_be_positive,
                           uint64_t step);

#endif
