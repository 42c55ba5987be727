/* streams.h - streamlines of a velocity field in three dimensions, through given places. They are
 * drawn into pictures (render.h), and written as polylines for ParaView and VisIt (VTK XML poly
 * data, .vtp).
 *
 * Places are in cells: the first cell reaches from 0 to 1. Between cells' middles the velocity is
 * linear along each axis. A line ends in four cases: beside the box; in a solid cell; where the
 * flow is slower than a millionth of the fastest flow; after four times the box's three lengths. */
#ifndef TRIREME_STREAMS_H
#define TRIREME_STREAMS_H

#include "io/array.h"

typedef struct trm_stream_flow {
  const trm_array *velocity;   /* three components */
  const trm_array *solid;      /* flags (u8) of the same cells, or NULL: none are */
  double origin[3], side[3];   /* the box's corner; of a cell, above 0; in the velocity's length */
} trm_stream_flow;

/* Line i has the points first[i] to first[i + 1] - 1. */
typedef struct trm_streams {
  size_t count, points;
  size_t *first;
  float (*at)[3], *speed, *time; /* of each point; time: since the line's seed, before it below 0 */
} trm_streams;

/* Where lines begin: 'line X0 Y0 Z0 X1 Y1 Z1 N', evenly along it; 'box X0 Y0 Z0 X1 Y1 Z1 N', evenly
 * in it, 'count N', in the whole fluid; in the velocity's length. Places in solid cells are left
 * out. origin: for messages. The caller frees *places. */
TRM_API trm_status trm_streams_seed(const trm_stream_flow *flow, const char *text,
                                    const char *origin, double (**places)[3], size_t *count);

/* A line through each place. The caller frees *out. */
TRM_API trm_status trm_streams_trace(const trm_stream_flow *flow, double (*places)[3],
                                     size_t count, trm_streams *out);
TRM_API void trm_streams_free(trm_streams *streams);

/* Polylines with `speed` and `time`, in the velocity's length. */
TRM_API trm_status trm_streams_write(const char *path, const trm_stream_flow *flow,
                                     const trm_streams *streams, uint64_t step, double time);

#endif
