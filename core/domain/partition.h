/* partition.h - the rows of a grid that a part has: pure functions, so that all parts agree. */
#ifndef TRIREME_DOMAIN_PARTITION_H
#define TRIREME_DOMAIN_PARTITION_H

#include <stddef.h>

/* Rows [first, first + count) of a grid, going on at row 0 behind the last. */
typedef struct domain_span {
  size_t first, count;
} domain_span;

/* Rows are cut at multiples of `grain`: units of so many rows, the last one of the rest. */
size_t domain_units(size_t total, size_t grain);

/* The rows of a part, one of `parts`: as many units as its weight is a share of all weights. */
domain_span domain_own(const double *weights, size_t parts, size_t total, size_t grain,
                       size_t part);
/* The same from sums of weights: sums[i] of the parts before part i, so there are parts + 1. */
void domain_add_weights(const double *weights, size_t parts, double *sums);
domain_span domain_own_of(const double *sums, size_t parts, size_t total, size_t grain,
                          size_t part);

/* The part that has a row. */
size_t domain_owner(const double *sums, size_t parts, size_t total, size_t grain, size_t row);

/* The least span that has both; all rows if they neither touch nor overlap. */
domain_span domain_join(domain_span a, domain_span b, size_t total);

/* How many rows from `row` on are in the span. */
size_t domain_rows_in(domain_span span, size_t total, size_t row);

/* How many rows from `row` on are not in the span, if `row` is not. */
size_t domain_rows_out(domain_span span, size_t total, size_t row);

/* Rows that a part lacks, and a part that gives them. */
typedef struct domain_run {
  size_t from, first, count;
} domain_run;

/* Finds the first run of rows among *left that part `to` lacks. Then *left has the rows behind it.
 * valid: the rows of each part that are up to date. The part with the most rows from there on gives
 * the run. Where no part has the row, run->count is 0. Returns 0 if part `to` has all of the
 * rows. */
int domain_next_missing(const domain_span *valid, size_t parts, size_t total, size_t to,
                        domain_span *left, domain_run *run);

#endif
