/* render.h - a field in three dimensions seen from outside, as a value and a light for each pixel.
 *
 * The view is orthographic: lengths across and up are true. A field of several components shows its
 * magnitude. Cells whose flag is not 0 are solid and have no value. */
#ifndef TRIREME_RENDER_H
#define TRIREME_RENDER_H

#include "io/streams.h"

typedef enum trm_view_mode {
  TRM_VIEW_GREATEST,           /* the greatest value along the line of sight */
  TRM_VIEW_LUMEN,              /* the wall around the fluid, from outside, lit */
  TRM_VIEW_BODY                /* solid bodies in the fluid, lit */
} trm_view_mode;               /* walls have the value of the fluid beside them */

typedef struct trm_view_of {
  const trm_array *field, *solid; /* solid: flags (u8) of the same cells, or NULL: none are */
  trm_view_mode mode;          /* the last two need flags */
  double azimuth, elevation;   /* degrees: where the viewer stands, from +x towards +y, and above
                                * the plane of x and y */
  double side[3];              /* of a cell, above 0 */
  size_t width;                /* pixels across; 0: 800 on the longer side */
  const trm_streams *lines;    /* or NULL: drawn as tubes with the field's values, in place of
                                * all but walls, which are grey: a lumen's are seen through */
} trm_view_of;

/* The southern row first. -INFINITY: nothing is seen there; +INFINITY: a value that is not
 * finite. */
typedef struct trm_rendered {
  size_t width, height;
  float *values, *light;       /* light: from 0 to 1, of grey walls to 1.9; all 1 of the greatest
                                * value. NaN in values: grey */
  double pixel;                /* its side, in the unit of `side` */
} trm_rendered;

/* The caller frees *out. TRM_ERROR_INVALID, TRM_ERROR_NO_HOST_MEMORY: with nothing to free. */
TRM_API trm_status trm_render(const trm_view_of *view, trm_rendered *out);
TRM_API void trm_rendered_free(trm_rendered *image);

/* Bytes that trm_render takes for a field, its result included. */
TRM_API double trm_render_bytes(const trm_view_of *view);

#endif
