/* vtk.h - what the writers of VTK's XML formats share (internal to io/). */
#ifndef TRIREME_VTK_H
#define TRIREME_VTK_H

#include "io/file.h"

/* "Float32" */
const char *trmi_vtk_type(trm_type type);

/* A name as an attribute's value. */
trm_status trmi_vtk_name(trm_file *file, const char *text);

/* Time and step, as field data. */
trm_status trmi_vtk_when(trm_file *file, double time, uint64_t step);

#endif
