/* rows.h - how a buffer lies by rows, which bytes these rows are, and which of them have memory. */
#ifndef TRIREME_DOMAIN_ROWS_H
#define TRIREME_DOMAIN_ROWS_H

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
  size_t derived;               /* rows of nx values behind the last one, made of others
                                 * (trm_adjacency) */
  int is_cut, is_output, is_bounded, is_repeated;
  int is_real;                  /* values are floats or doubles */
  int is_tight;                 /* bytes behind the rows are nobody's */
} domain_rows;

/* Names of a unit of rows and of several units, for messages. NULL: by the shape of the rows. */
typedef struct domain_names {
  const char *one, *several;
} domain_names;
domain_names domain_units_called(domain_names given, const trm_by_rows *rows);

/* A buffer without a declaration has a single row. A declaration was checked before. A reduction
 * leaves `rows` times so many chunks. */
domain_rows domain_rows_undeclared(size_t bytes);
domain_rows domain_rows_declared(const trm_by_rows *declared, size_t bytes);
domain_rows domain_rows_of_chunks(size_t chunks, size_t rows, size_t value_bytes, size_t bytes);

/* First byte and number of bytes of rows of a component in a list, with their ghosts. The rows do
 * not go on at row 0. */
domain_span domain_bytes(const domain_rows *b, size_t component, size_t list, size_t row,
                         size_t count);
/* The bytes up to those of derived rows, or to the end of the rows if these are tight. */
size_t domain_bytes_declared(const domain_rows *b);
domain_span domain_bytes_derived(const domain_rows *b, size_t derived);

/* Whether a part can do without the memory of other rows. */
int domain_has_pieces(const domain_rows *b);

/* Visits bytes of the buffer that `user` stands for. */
typedef trm_status domain_visit_fn(void *user, size_t offset, size_t bytes);
/* Visits these bytes, less those of rows other than `rows`, in ascending order. A row has its
 * ghosts and what lies between these and the next row. */
trm_status domain_each_piece(const domain_rows *b, domain_span rows, domain_span bytes,
                             domain_visit_fn *visit, void *user);
/* Visits the bytes of the rows of `outer` that are not among `inner`, which lies in it.
 * has_ghosts: with their ghosts, which other rows may share. */
trm_status domain_each_beside(const domain_rows *b, domain_span inner, domain_span outer,
                              int has_ghosts, domain_visit_fn *visit, void *user);

#endif
