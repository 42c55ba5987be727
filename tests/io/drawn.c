/* drawn.c - see drawn.h. */
#include <config.h>

#include "tests/io/drawn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBPNG
#include <png.h>

static image read_png(const char *path)
{
  png_image png = {.version = PNG_IMAGE_VERSION};
  assert_int_equal(png_image_begin_read_from_file(&png, path), 1);
  png.format = PNG_FORMAT_RGB;
  image out = {png.width, png.height, malloc(PNG_IMAGE_SIZE(png))};
  assert_int_equal(png_image_finish_read(&png, NULL, out.pixels, 0, NULL), 1);
  return out;
}
#else
static image read_png(const char *path)
{
  TEST_SKIP("%s is not read: this build has no libpng", path);
}
#endif

image draw(const trm_picture *picture)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/picture.png", test_folder());
  if (trm_png_available()) TEST_OK(trm_png_write(path, picture));
  return read_png(path);
}

trm_picture plain(const trm_array *field)
{
  return (trm_picture){.plane = {.field = field, .normal = 2}, .minimum = (double)NAN,
                       .maximum = (double)NAN, .plain = 1};
}

int is_pixel(const image *i, size_t x, size_t y, const uint8_t rgb[3])
{
  return memcmp(i->pixels + 3 * (y * i->width + x), rgb, 3) == 0;
}

void pixel_is(const image *i, size_t x, size_t y, const uint8_t rgb[3])
{
  assert_true(x < i->width && y < i->height);
  assert_memory_equal(i->pixels + 3 * (y * i->width + x), rgb, 3);
}

void pixel_shows(const image *i, size_t x, size_t y, trm_colours colours, double part)
{
  uint8_t rgb[3];
  trm_colour(colours, part, rgb);
  pixel_is(i, x, y, rgb);
}
