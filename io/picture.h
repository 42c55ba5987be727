/* picture.h - a plane of a field drawn in colours: what is to be seen, and how.
 *
 * Around the cells stand a title, axes with a scale, a colour bar with a scale, and a legend of
 * colours that the bar does not have. Small grids are enlarged by a whole factor to at least 512
 * pixels; large grids are averaged down to at most 2048. So a pixel is a whole number of cells or
 * the other way round, unless a width is given. */
#ifndef TRIREME_PICTURE_H
#define TRIREME_PICTURE_H

#include "io/image.h"
#include "io/colours.h"
#include "io/plane.h"

typedef struct trm_picture {
  trm_plane plane;             /* of plane.h */
  trm_colours colours;
  double minimum, maximum;     /* of the colours, in the field's unit; NaN: from the values, and
                                * from zero where the least is next to it */
  int logarithmic;             /* 1: colours by the logarithm, from the least value above zero, at
                                * most four powers of ten; what is below has the lowest colour */
  int bulk;                    /* 1: colours span the values but for 1/200 of them at each end */
  int is_signed;               /* 1: where values lie on both sides of `middle`, the colours are
                                * diverging colours around it, whatever `colours` says. Diverging
                                * colours of a range without `middle` go from end to end */
  double middle;
  const char *title, *subtitle; /* above, one large, one small; NULL: none. ASCII, as all texts */
  const char *across, *up;     /* names of the axes: "x", "y"; NULL: these */
  double corner[2], side[2];   /* the south-western corner, and a cell's sides; sides 0: cells */
  const char *length_unit;     /* of these; NULL or "": none */
  const char *solid_name;      /* what an obstacle is called; NULL: "solid" */
  size_t width;                /* pixels of the cells along x; 0: as above */
  int show_solid, show_none;   /* 1: the key has it even where no cell does, as other frames may */
  int plain;                   /* 1: the cells only, nothing around them */
  const float *light;          /* of each cell of the plane, from 0 to 1, by which its colour is
                                * darkened; cells without a value are white then. NULL: none */
  const uint8_t *edges;        /* of each cell of the plane, row by row from the south: 1, a line is
                                * drawn along its western side, 2, along its southern one, 3, both.
                                * NULL: none */
} trm_picture;

/* The range that the colours have, in the field's unit; and the map. */
TRM_API trm_status trm_picture_range(const trm_picture *picture, double *minimum, double *maximum,
                                     trm_colours *colours);

/* The whole picture, on an image that the caller frees. */
TRM_API trm_status trm_picture_draw(const trm_picture *picture, trmi_image *out);

#endif
