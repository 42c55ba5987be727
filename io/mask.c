/* mask.c - reads a PNG picture, through libpng's simplified interface, as a mask of cells. */
#include <config.h>

#include "io/mask.h"

#ifdef HAVE_LIBPNG

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

enum { MASK_BYTES_LIMIT = 1 << 30, MASK_SIDE_LIMIT = 65536, MASK_DARK = 128 };

static trm_status read_pixels(const char *path, png_image *image, uint8_t **out)
{
  static const png_color white = { 255, 255, 255 };
  if (image->width > MASK_SIDE_LIMIT || image->height > MASK_SIDE_LIMIT)
    return TRM_FAIL(INPUT, "%s: a picture of %u x %u pixels is too large; give one of at most %d a "
                    "side", path,
                    image->width, image->height, MASK_SIDE_LIMIT);
  image->format = PNG_FORMAT_GRAY;
  TRM_TRY(trmi_file_require(path, PNG_IMAGE_SIZE(*image)));
  uint8_t *pixels = malloc(PNG_IMAGE_SIZE(*image));
  if (!pixels) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the picture %s", path);
  if (!png_image_finish_read(image, &white, pixels, 0, NULL)) {
    free(pixels);
    return TRM_FAIL(INPUT, "%s: libpng cannot read it: %s; save the picture again", path,
                    image->message);
  }
  *out = pixels;
  return TRM_OK;
}

static trm_status decode(const char *path, const char *file, size_t bytes, size_t nx, size_t ny,
                         int scale, png_image *image, uint8_t **out)
{
  if (!png_image_begin_read_from_memory(image, file, bytes))
    return TRM_FAIL(INPUT, "%s: no PNG picture that libpng can read: %s; save the picture as PNG",
                    path, image->message);
  trm_status status = TRM_OK;
  image->flags |= PNG_IMAGE_FLAG_16BIT_sRGB; /* else libpng takes them for linear light */
  if (!scale && (image->width != nx || image->height != ny))
    status = TRM_FAIL(INPUT, "%s: the picture has %u x %u pixels, the grid %zu x %zu cells; make "
                      "them equal or set lbm.mask_scale = true", path, image->width, image->height,
                      nx, ny);
  if (status == TRM_OK) status = read_pixels(path, image, out);
  png_image_free(image);
  return status;
}

trm_status trm_mask_read(const char *path, size_t nx, size_t ny, int scale, uint8_t *solid)
{
  png_image image = { .version = PNG_IMAGE_VERSION };
  uint8_t *pixels = NULL;
  char *file = NULL;
  size_t bytes = 0;
  TRM_TRY(trm_file_load(path, MASK_BYTES_LIMIT, &file, &bytes));
  const trm_status status = decode(path, file, bytes, nx, ny, scale, &image, &pixels);
  free(file);
  TRM_TRY(status);
  const size_t width = image.width, height = image.height;
  for (size_t y = 0; y < ny; y++)
    for (size_t x = 0; x < nx; x++) {
      const size_t row = (2 * (ny - 1 - y) + 1) * height / (2 * ny);
      const size_t column = (2 * x + 1) * width / (2 * nx);
      if (pixels[row * width + column] < MASK_DARK) solid[y * nx + x] = 1;
    }
  free(pixels);
  return TRM_OK;
}

#else

trm_status trm_mask_read(const char *path, size_t nx, size_t ny, int scale, uint8_t *solid)
{
  (void)nx;
  (void)ny;
  (void)scale;
  (void)solid;
  return TRM_FAIL(UNSUPPORTED, "cannot read the picture '%s': this build has no libpng; install "
                  "libpng-dev, configure and build again", path);
}

#endif
