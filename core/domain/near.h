/* near.h - rows whose neighbours a table names (trm_adjacency), as blocks of cells on a curve. Each
 * part reads rows of others, and computes derived rows. Both follow from the table and the weights,
 * so all parts find the same. */
#ifndef TRIREME_DOMAIN_NEAR_H
#define TRIREME_DOMAIN_NEAR_H

#include "core/domain/partition.h"
#include "core/sharing.h"

typedef struct domain_near domain_near;

/* Rows that a part reads and another part has. slab: all that it reads of each, from 1 on; 0: it
 * reads all of them. */
typedef struct domain_near_run {
  size_t from, first, count, slab;
} domain_near_run;

/* The table is copied. Its numbers are checked. */
trm_status domain_near_create(const trm_adjacency *table, size_t parts, domain_near **out);
/* Several buffers may share one. */
domain_near *domain_near_share(domain_near *near);
void domain_near_release(domain_near **near);
int domain_near_is(const domain_near *near, const trm_adjacency *table);
/* Each table that is shared has the same slabs. */
trm_status domain_near_take_slabs(domain_near *near, const trm_slabs *slabs);
const trm_slab *domain_near_slab(const domain_near *near, size_t slab);
size_t domain_near_derived(const domain_near *near);

/* Finds what follows, once for these sums of weights (domain_add_weights). */
trm_status domain_near_find(domain_near *near, const double *sums);
void domain_near_forget(domain_near *near);
/* Ascending. */
const domain_near_run *domain_near_runs(const domain_near *near, size_t part, size_t *count);
/* The number of the part's own rows before the first that reads rows of others. */
size_t domain_near_inner(const domain_near *near, size_t part);
/* Numbers of the derived rows that the part's own rows read, ascending. They stay until the weights
 * change. */
const domain_span *domain_near_needed(const domain_near *near, size_t part, size_t *count);
/* The rows that are sources of a derived row. */
const int32_t *domain_near_sources(const domain_near *near, size_t derived, size_t *count);

#endif
