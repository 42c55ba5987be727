/* plan.h - the rows that go from part to part before each launch of a sequence. They follow from
 * declarations alone: the launches (their kernels' halos, trm_sharing) and the buffers by rows
 * (trm_buffer_rows). No device is asked, so all parts work out the same plan, and the two ends of a
 * message name the same pieces in the same order.
 *
 * A plan knows which rows of each buffer are valid on each part. Launches are added in their order.
 * A launch that needs rows of others gets them for as many launches as deep ghost rows allow. */
#ifndef TRIREME_DOMAIN_PLAN_H
#define TRIREME_DOMAIN_PLAN_H

#include "core/domain/partition.h"
#include "core/internal.h"

/* How a buffer lies by rows. One that was not declared is a single row (is_cut 0). */
typedef struct domain_rows {
  size_t total, grain;          /* rows; rows of a unit that no cut divides */
  size_t plane, reach;          /* rows of a plane, 1 in 2D; rows read beyond a block, 0: a block */
  size_t nx, row, first, component, components, ghosts, value_bytes; /* as in trm_by_rows */
  size_t bytes;                 /* of the whole buffer */
  size_t lists;                 /* with starts; else 1 */
  const size_t *starts;         /* the caller's; NULL: each row has nx values */
  int is_cut, is_output, is_bounded;
} domain_rows;

/* Rows of one list of a buffer, all components, from one part to another. */
typedef struct domain_piece {
  size_t buffer, from, to, list, row, count;
  int is_awaited;               /* by all rows of the launch, not by those at the ends alone */
} domain_piece;

typedef struct domain_plan domain_plan;

/* share: of the smallest part's rows, one in so many at most is computed twice. */
trm_status domain_plan_create(const double *weights, size_t parts, size_t share,
                              domain_plan **out);
void domain_plan_destroy(domain_plan **plan);

/* The next number of a buffer. All its rows are valid on all parts. */
trm_status domain_plan_buffer(domain_plan *plan, const domain_rows *rows, size_t *number);
/* The rows that are valid, of each part. The caller may change them before a launch is added. */
domain_span *domain_plan_valid(domain_plan *plan, size_t buffer);

/* Adds a launch, copy or fill; buffers: the numbers of its buffers. Fails with
 * TRM_ERROR_UNSUPPORTED for launches over rows with neighbours in a table (trm_adjacency). */
trm_status domain_plan_launch(domain_plan *plan, const trm_command *command,
                              const size_t *buffers);
/* The pieces that move before the launch that was added last. */
const domain_piece *domain_plan_pieces(const domain_plan *plan, size_t *count);

#endif
