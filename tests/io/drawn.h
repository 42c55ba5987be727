/* drawn.h - a picture as io/png.h writes it, read back, for the tests that look at its pixels. */
#ifndef TRIREME_TESTS_DRAWN_H
#define TRIREME_TESTS_DRAWN_H

#include "tests/harness.h"

#include "io/colours.h"
#include "io/png.h"

static const uint8_t grey[3] = {128, 128, 128};

typedef struct image {
  size_t width, height;
  uint8_t *pixels;           /* free */
} image;

/* Nothing around the cells, the whole range of values. */
trm_picture plain(const trm_array *field);
/* Skips the case where the build has no libpng. */
image draw(const trm_picture *picture);

int is_pixel(const image *i, size_t x, size_t y, const uint8_t rgb[3]);
void pixel_is(const image *i, size_t x, size_t y, const uint8_t rgb[3]);
/* The pixel has the colour of this part of the range. */
void pixel_shows(const image *i, size_t x, size_t y, trm_colours colours, double part);

#endif
