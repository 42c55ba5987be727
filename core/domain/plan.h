/* plan.h - the rows that go from part to part before each launch of a sequence. They follow from
 * declarations alone: the launches (their kernels' halos, trm_sharing) and the buffers by rows
 * (trm_buffer_rows). No device is asked, so all parts work out the same plan, and the two ends of a
 * message name the same pieces in the same order.
 *
 * A plan knows which rows of each buffer are valid on each part. Launches are added in their order.
 * A launch that needs rows of others gets them for as many launches as deep ghost rows allow. */
#ifndef TRIREME_DOMAIN_PLAN_H
#define TRIREME_DOMAIN_PLAN_H

#include "core/domain/rows.h"

/* Rows of one list of a buffer, all components, from one part to another. */
typedef struct domain_piece {
  size_t buffer, from, to, list, row, count;
  int is_awaited;               /* by all rows of the launch, not by those at the ends alone */
  const trm_slab *slab;         /* all that is read of each row; NULL: all of it */
} domain_piece;

typedef struct domain_plan domain_plan;

/* share: of the smallest part's rows, one in so many at most is computed twice. */
trm_status domain_plan_create(const double *weights, size_t parts, size_t share,
                              domain_plan **out);
void domain_plan_destroy(domain_plan **plan);
/* Other rows become those of a part. Rows that are valid stay so. */
void domain_plan_weigh(domain_plan *plan, const double *weights);

/* The rows of a part, of so many in units of `grain` (domain_own_of). */
domain_span domain_plan_own(const domain_plan *plan, size_t total, size_t grain, size_t part);

/* The number of a new buffer: the least that is free. All its rows are valid on all parts. */
trm_status domain_plan_buffer(domain_plan *plan, const domain_rows *rows, size_t *number);
/* The buffer is declared by rows. Each part then has its own rows alone, if it can do without the
 * memory of the others. */
void domain_plan_declare(domain_plan *plan, size_t number, const domain_rows *rows);
/* It is as before any declaration: a single row, valid on all parts. */
void domain_plan_undeclare(domain_plan *plan, size_t number);
/* The buffer is gone, its number is free. */
void domain_plan_forget(domain_plan *plan, size_t number);
const domain_rows *domain_plan_rows(const domain_plan *plan, size_t number);
/* The work on a row of the buffer reads rows that a table names; call it after domain_plan_declare.
 * The table is copied, once for all buffers that have the same one. */
trm_status domain_plan_near(domain_plan *plan, size_t number, const trm_adjacency *table);
trm_status domain_plan_slabs(domain_plan *plan, size_t number, const trm_slabs *slabs);
/* Derived rows of the launch that was added last. A part needs the runs; the launch computes the
 * window. */
typedef struct domain_derived {
  const domain_span *runs;
  size_t count;
  domain_span window;
} domain_derived;
/* Run k, as far as the launch computes it; with a count of 0 it does not. */
domain_span domain_derived_run(const domain_derived *derived, size_t k);

/* The rows that are valid, of each part. The caller may change them before a launch is added.
 * Behind those of the last part one more span has a count of 1 where each part has also the rows
 * that its own rows read by the table. */
domain_span *domain_plan_valid(domain_plan *plan, size_t buffer);
/* These spans of a buffer. */
size_t domain_plan_spans(const domain_plan *plan);

/* Adds a launch, copy or fill; buffers: the numbers of its buffers. Fails with
 * TRM_ERROR_UNSUPPORTED where a launch reads rows by a table that its buffer has not. */
trm_status domain_plan_launch(domain_plan *plan, const trm_command *command,
                              const size_t *buffers);
/* Rows of an argument of the launch that was added last: those that a part writes, valid or not. */
domain_span domain_plan_written(const domain_plan *plan, size_t argument, size_t part);
/* Rows about those, which a kernel may read and does not use: across the ends of a bounded grid. A
 * kernel that steps a field (trm_stepping) may read `steps_beyond` on either side. */
domain_span domain_plan_unused(const domain_plan *plan, size_t argument, size_t part,
                               size_t steps_beyond);
/* Whether each part carries out its own rows of the launch that was added last. Then the rows of a
 * buffer that are valid on a part before that launch, once its pieces have moved. */
int domain_plan_is_by_rows(const domain_plan *plan);
domain_span domain_plan_moved(const domain_plan *plan, size_t buffer, size_t part);
/* The pieces that move before the launch that was added last. */
const domain_piece *domain_plan_pieces(const domain_plan *plan, size_t *count);

/* The work of a part in the command that was added last. */
typedef struct domain_share {
  int is_whole;                 /* all of it; of a fill, wherever the part has memory */
  domain_span copied;           /* of a copy from rows to rows: these rows of the first buffer */
  domain_span spans[5];         /* else these rows, groups of a group kernel or parts of a list, in
                                 * this order. The first `inner` of them read no rows that are on
                                 * their way */
  size_t inner, count;
  domain_span rows;             /* of a row kernel, all of the spans together */
  domain_derived derived;       /* or these derived rows; a group computes one of them */
} domain_share;
/* Call it before the command changes. */
void domain_plan_share(const domain_plan *plan, size_t part, domain_share *out);

#endif
