/* vtp.h - VTK XML poly data (.vtp): bodies as points, for ParaView and VisIt.
 *
 * Each body is a point and a vertex; little-endian, in one appended section of raw bytes. */
#ifndef TRIREME_VTP_H
#define TRIREME_VTP_H

#include "io/array.h"

typedef struct trm_vtp {
  const trm_array *points;     /* three components, floats or doubles: where the nx bodies are */
  const trm_array *fields;     /* of nx values, one or three components each */
  size_t field_count;
  uint64_t step;               /* written as field data STEP */
  double time;                 /* and TimeValue */
} trm_vtp;

TRM_API trm_status trm_vtp_write(const char *path, const trm_vtp *bodies);

#endif
