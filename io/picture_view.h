/* picture_view.h - a picture while it is drawn, for the files picture*.c alone. */
#ifndef TRIREME_PICTURE_VIEW_H
#define TRIREME_PICTURE_VIEW_H

#include "io/picture.h"
#include "io/scale.h"

/* Cells and pixels along one axis. */
typedef struct trmi_axis {
  size_t cells, pixels;
  size_t up, down;             /* pixels a cell, or cells a pixel; the other is 1. 0: not whole */
} trmi_axis;

typedef struct trmi_view {
  const trm_picture *picture;
  trmi_axis x, y;
  trmi_scale scale;            /* of the colours */
  trm_colours colours;
  int is_below, is_above;      /* values lie beyond the scale */
  int has_solid, has_none, has_wrong;
  trmi_font *font;
  size_t left, top;            /* of the cells on the image */
} trmi_view;

static const uint8_t trmi_ink[3] = {32, 32, 32};

/* Finds scale, colours and kinds of cells: as the caller gives them, else from the v->x.cells by
 * v->y.cells values (picture_range.c). */
void trmi_view_find_range(trmi_view *v);

/* The colour of a value, on the scale or special (picture.c). */
void trmi_view_colour(const trmi_view *v, double value, uint8_t rgb[3]);

/* The cells, at v->left and v->top, and the lines between them unless the picture is plain
 * (picture.c). */
void trmi_view_draw_cells(const trmi_view *v, trmi_image *image);

/* An image with the cells and with everything around them (picture_around.c). */
trm_status trmi_view_draw_around(trmi_view *v, trmi_image *out);

#endif
