/* field.h - a field's interior in a device buffer, read and written a chunk of rows at a time. */
#ifndef TRIREME_FIELD_H
#define TRIREME_FIELD_H

#include "solvers/solver.h"

/* Gets `count` consecutive elements of the dense interior, in the order component, z, y, x. */
typedef trm_status trmi_field_visitor(void *user, const void *elements, size_t count);

/* Reads a few megabytes at a time, ghosts and padding left out. */
TRM_API trm_status trmi_field_walk(const trm_field *field, trmi_field_visitor *visit, void *user);

/* Puts the next `count` elements of the dense interior, in the same order, into caller's memory. */
typedef trm_status trmi_field_source(void *user, void *elements, size_t count);

/* The inverse: as trm_field_write, from a source that gives a few megabytes at a time. */
TRM_API trm_status trmi_field_fill(const trm_field *field, trmi_field_source *source, void *user);

/* Of a field on blocks (solvers/blocks.c). They are a grid of nx x ny x nz cells, those of the
 * finest level: as that they are walked over and written, so whatever takes a grid takes them.
 * check: TRM_ERROR_INVALID where the declaration does not fit, TRM_ERROR_UNSUPPORTED for blocks
 * that leave cells out. */
trm_status trmi_blocks_check(const trm_field *field);
/* Whole components where there is memory for them, else in parts: of so many cells. */
trm_status trmi_blocks_walk(const trm_field *field, trmi_field_visitor *visit, void *user);
TRM_API trm_status trmi_blocks_walk_in_parts(const trm_field *field, size_t cells,
                                             trmi_field_visitor *visit, void *user);
trm_status trmi_blocks_fill(const trm_field *field, trmi_field_source *source, void *user);
trm_status trmi_blocks_read_part(const trm_field *field, size_t component, size_t first,
                                 size_t count, void *destination);

#endif
