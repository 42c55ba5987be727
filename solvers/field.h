/* field.h - a field's interior in a device buffer, read and written a chunk of rows at a time. */
#ifndef TRIREME_FIELD_H
#define TRIREME_FIELD_H

#include "core/saving.h"
#include "solvers/solver.h"

/* Gets `count` consecutive elements of the dense interior, in the order component, z, y, x. */
typedef trm_status trmi_field_visitor(void *user, const void *elements, size_t count);

/* Reads a few megabytes at a time, ghosts and padding left out. */
TRM_API trm_status trmi_field_walk(const trm_field *field, trmi_field_visitor *visit, void *user);

/* Gets elements [first, first + count) of the dense interior, in the order of trmi_field_walk. */
typedef trm_status trmi_field_chunk(void *user, size_t first, const void *elements, size_t count);

/* Each chunk of `each` elements; the last one has what remains. Threads of the host share the
 * chunks: they are visited in any order, and several at once. */
TRM_API trm_status trmi_field_each_chunk(const trm_field *field, size_t each,
                                         trmi_field_chunk *visit, void *user);

/* Puts the next `count` elements of the dense interior, in the same order, into caller's memory. */
typedef trm_status trmi_field_source(void *user, void *elements, size_t count);

/* trmi_field_walk over the cells as they are stored. For a field on blocks, each cell comes once,
 * at its own size, leaf by leaf, all leaves of a component before the next. Any other field is
 * walked as above. */
TRM_API trm_status trmi_field_walk_stored(const trm_field *field, trmi_field_visitor *visit,
                                          void *user);
TRM_API trm_status trmi_field_fill_stored(const trm_field *field, trmi_field_source *source,
                                          void *user);
/* Where the stored cells lie in the field's buffer: runs in the order of the walk, `at` bytes from
 * the first of them. If the buffer holds one component at a time, each call has the runs of that
 * component; else one call has all. */
typedef trm_status trmi_field_runs(void *user, const trmi_run *runs, size_t count);
TRM_API trm_status trmi_field_walk_runs(const trm_field *field, trmi_field_runs *visit,
                                        void *user);
/* The shape of one stored component. */
TRM_API void trmi_field_stored(const trm_field *field, size_t *rows, size_t *nx);

/* trm_solver_fingerprint, which also shows the visitor the hashed values: chunks of the dense
 * interior of each field of the state. One field comes after the other; of a field, several threads
 * show chunks at once. */
typedef void trmi_state_visitor(void *user, const trm_field *field, const void *elements,
                                size_t count);
TRM_API trm_status trmi_fingerprint_shown(const trm_solver *solver, trmi_state_visitor *visit,
                                          void *user, char text[33]);

/* Functions for a field on blocks (solvers/blocks.c). They walk over and write the field as a grid
 * of the finest level, so every user of a grid can use them. weight: number of cells of that grid
 * in one cell of a leaf. check: TRM_ERROR_INVALID where the declaration does not fit,
 * TRM_ERROR_UNSUPPORTED for blocks that leave cells out. */
trm_status trmi_blocks_check(const trm_field *field);
trm_status trmi_blocks_walk(const trm_field *field, trmi_field_visitor *visit, void *user);
trm_status trmi_blocks_fill(const trm_field *field, trmi_field_source *source, void *user);
trm_status trmi_blocks_walk_stored(const trm_field *field, trmi_field_visitor *visit, void *user);
trm_status trmi_blocks_fill_stored(const trm_field *field, trmi_field_source *source, void *user);
trm_status trmi_blocks_walk_runs(const trm_field *field, trmi_field_runs *visit, void *user);
/* The sum of each leaf's cells, then of these in the order of the leaves. left_out: NULL, or not 0
 * for a cell that does not count, leaf by leaf. Each part of a run sums its own leaves. */
trm_status trmi_blocks_sum(const trm_field *field, const uint8_t *left_out, double *sum);
trm_status trmi_blocks_read_part(const trm_field *field, size_t component, size_t first,
                                 size_t count, void *destination);

#endif
