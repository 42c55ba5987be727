/* png.h - a picture of a field: colours of viridis, obstacles grey, y upwards.
 *
 * Small grids are enlarged by a whole factor to at least 512 pixels, large ones are averaged down
 * to at most 2048, so that a pixel is a whole number of cells or the other way round. */
#ifndef TRIREME_PNG_H
#define TRIREME_PNG_H

#include "io/array.h"

typedef struct trm_picture {
  const trm_array *field;      /* several components: the magnitude is shown */
  size_t plane;                /* which z plane */
  const uint8_t *solid;        /* nx * ny bytes of that plane, nonzero: obstacle; or NULL */
  double minimum, maximum;     /* of the colours; NaN: of the fluid cells, rounded to 0 if near */
  const char *title;           /* above the picture; NULL: none. ASCII */
  int plain;                   /* nonzero: the cells only, no title and no colour bar */
  int logarithmic;             /* nonzero: colours by log10, from the least value above zero, at
                                * most four powers of ten; what is below has the lowest colour.
                                * minimum, maximum: of log10 */
  int bulk;                 /* nonzero: colours span the values but for 1/200 of them at each end */
  int has_none;                /* nonzero: values below zero are none; their cells are near white */
} trm_picture;

/* TRM_ERROR_UNSUPPORTED when built without libpng. Values that are not finite are magenta. */
TRM_API trm_status trm_png_write(const char *path, const trm_picture *picture);

/* 1 when pictures can be written. */
TRM_API int trm_png_available(void);

#endif
