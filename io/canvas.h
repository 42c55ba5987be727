/* canvas.h - what pictures are drawn on: an RGB image in memory, rectangles, and text. */
#ifndef TRIREME_CANVAS_H
#define TRIREME_CANVAS_H

#include <stddef.h>
#include <stdint.h>

#include "core/trireme.h"

typedef struct trmi_canvas {
  size_t width, height;
  uint8_t *pixels;             /* height rows of width RGB triples, the top one first */
} trmi_canvas;

/* White. */
trm_status trmi_canvas_create(size_t width, size_t height, trmi_canvas *out);
void trmi_canvas_free(trmi_canvas *canvas);

/* Parts outside the canvas are cut off. */
void trmi_canvas_fill(trmi_canvas *canvas, size_t x, size_t y, size_t width, size_t height,
                      const uint8_t rgb[3]);

/* ---- text (io/letters.c) ------------------------------------------------------------------ */

/* The system's sans-serif font, found by fontconfig and drawn by FreeType. A build without them,
 * and a machine without a font, has letters of five by seven dots instead (io/dots.c). */
typedef struct trmi_letters trmi_letters;
typedef enum trmi_size { TRMI_SMALL, TRMI_LARGE, TRMI_SIZES } trmi_size;

trm_status trmi_letters_open(trmi_letters **out);
void trmi_letters_close(trmi_letters **letters);

/* Why letters are dots; NULL: they are not. configure says so of the build, this of the machine. */
TRM_API const char *trm_letters_missing(void);

/* Pixels of a line, and of a text in it. Texts are printable ASCII. */
size_t trmi_line_height(const trmi_letters *letters, trmi_size size);
size_t trmi_text_width(trmi_letters *letters, trmi_size size, const char *text);
/* (x, y) is the upper left corner of the line. */
void trmi_text_draw(trmi_letters *letters, trmi_size size, trmi_canvas *canvas, size_t x, size_t y,
                    const char *text);

/* A character in dots of scale x scale pixels, six by eight of them with its gaps. */
enum { TRMI_DOTS_WIDTH = 6, TRMI_DOTS_HEIGHT = 8 };
void trmi_dots_draw(trmi_canvas *canvas, size_t x, size_t y, size_t scale, char character);

#endif
