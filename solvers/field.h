/* field.h - walking over a field's interior in a device buffer, a chunk of rows at a time. */
#ifndef TRIREME_FIELD_H
#define TRIREME_FIELD_H

#include "solvers/solver.h"

/* Gets `count` consecutive elements of the dense interior, in the order component, z, y, x. */
typedef trm_status trmi_field_visitor(void *user, const void *elements, size_t count);

/* Reads a few megabytes at a time, ghosts and padding left out. */
trm_status trmi_field_walk(const trm_field *field, trmi_field_visitor *visit, void *user);

#endif
