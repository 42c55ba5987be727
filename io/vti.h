/* vti.h - VTK XML image data (.vti), for ParaView and VisIt.
 *
 * Cell data on a uniform grid, little-endian, compressed by zlib, in one appended base64 section,
 * so the file is well-formed XML. A grid of one layer is a plane (extent 0 0 along z). Fields of
 * two components get a third of zeros, as VTK's vectors have three. */
#ifndef TRIREME_VTI_H
#define TRIREME_VTI_H

#include "io/array.h"

typedef struct trm_vti {
  const trm_array *fields;     /* all of the same nx, ny, nz */
  size_t field_count;          /* at least 1 */
  double origin[3];            /* the corner of cell (0, 0, 0) */
  double spacing[3];           /* > 0 */
  uint64_t step;               /* written as field data STEP */
  double time;                 /* and TimeValue */
} trm_vti;

/* source: where the values of fields without data are read, 256 KiB at a time; NULL: all fields
 * have data. */
TRM_API trm_status trm_vti_stream(const char *path, const trm_vti *image,
                                  const trm_array_source *source);

#endif
