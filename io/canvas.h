/* canvas.h - what pictures are drawn on: an RGB image in memory, rectangles, a small font. */
#ifndef TRIREME_CANVAS_H
#define TRIREME_CANVAS_H

#include "io/png.h"

typedef struct trmi_canvas {
  size_t width, height;
  uint8_t *pixels;             /* height rows of width RGB triples, the top one first */
} trmi_canvas;

enum { TRMI_FONT_WIDTH = 6, TRMI_FONT_HEIGHT = 8 };  /* pixels a character, with its gap */

/* White. */
trm_status trmi_canvas_create(size_t width, size_t height, trmi_canvas *out);
void trmi_canvas_free(trmi_canvas *canvas);

/* What lies outside the canvas is cut off. */
void trmi_canvas_fill(trmi_canvas *canvas, size_t x, size_t y, size_t width, size_t height,
                      const uint8_t rgb[3]);
/* Printable ASCII, enlarged by `scale`; (x, y) is the upper left corner. */
void trmi_canvas_text(trmi_canvas *canvas, size_t x, size_t y, size_t scale, const char *text);

/* The whole picture, on a canvas that the caller frees (picture.c). */
trm_status trmi_picture_draw(const trm_picture *picture, trmi_canvas *out);

#endif
