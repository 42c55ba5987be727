/* vtk.h - shared by the writers of VTK's XML formats (internal to io/). */
#ifndef TRIREME_VTK_H
#define TRIREME_VTK_H

#include "io/array.h"
#include "io/file.h"

/* "Float32" */
const char *trmi_vtk_type(trm_type type);

/* A name as an attribute's value. */
trm_status trmi_vtk_name(trm_file *file, const char *text);

/* Time and step, as field data. */
trm_status trmi_vtk_when(trm_file *file, double time, uint64_t step);

/* The element <DataArray> of an array whose values follow later; *place: where in the file the
 * digits of its offset stand. */
trm_status trmi_vtk_array(trm_file *file, const trm_array *array, uint64_t *place);

/* The same where the file tells how many values there are, and of which of VTK's types: the array
 * may hold their bytes. */
trm_status trmi_vtk_tuples(trm_file *file, const trm_array *array, const char *type, size_t tuples,
                           uint64_t *place);

/* The section of all values, compressed and in base64, and the offsets in their places. */
trm_status trmi_vtk_values(trm_file *file, const trm_array *arrays, const uint64_t *places,
                           size_t count, const trm_array_source *source);

#endif
