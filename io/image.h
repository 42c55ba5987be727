/* image.h - what pictures are drawn on: an RGB image in memory, rectangles, and text. */
#ifndef TRIREME_IMAGE_H
#define TRIREME_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "core/trireme.h"

typedef struct trmi_image {
  size_t width, height;
  uint8_t *pixels;             /* height rows of width RGB triples, the top one first */
} trmi_image;

/* White. */
trm_status trmi_image_create(size_t width, size_t height, trmi_image *out);
void trmi_image_free(trmi_image *image);

/* Parts outside the image are cut off. */
void trmi_image_fill(trmi_image *image, size_t x, size_t y, size_t width, size_t height,
                     const uint8_t rgb[3]);

/* ---- text (io/font.c) ------------------------------------------------------------------ */

/* The system's sans-serif font, found by fontconfig and drawn by FreeType. A build without them,
 * and a machine without a font, has a bitmap font of five by seven dots instead
 * (io/bitmap_font.c). */
typedef struct trmi_font trmi_font;
typedef enum trmi_size { TRMI_SMALL, TRMI_LARGE, TRMI_SIZES } trmi_size;

trm_status trmi_font_open(trmi_font **out);
void trmi_font_close(trmi_font **font);

/* Why the bitmap font is used; NULL: it is not. configure says so of the build, this of the
 * machine. */
TRM_API const char *trm_font_missing(void);

/* Pixels of a line, and of a text in it. Texts are printable ASCII. */
size_t trmi_line_height(const trmi_font *font, trmi_size size);
size_t trmi_text_width(trmi_font *font, trmi_size size, const char *text);
/* (x, y) is the upper left corner of the line. */
void trmi_text_draw(trmi_font *font, trmi_size size, trmi_image *image, size_t x, size_t y,
                    const char *text);

/* A character in dots of scale x scale pixels, six by eight of them with its gaps. */
enum { TRMI_BITMAP_FONT_WIDTH = 6, TRMI_BITMAP_FONT_HEIGHT = 8 };
void trmi_bitmap_font_draw(trmi_image *image, size_t x, size_t y, size_t scale, char character);

#endif
