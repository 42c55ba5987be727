/* image.c - an RGB image in memory. */
#include <config.h>

#include "io/image.h"

#include <stdlib.h>
#include <string.h>

trm_status trmi_image_create(size_t width, size_t height, trmi_image *out)
{
  size_t bytes;
  TRM_TRY(trm_size_mul(width, height, "a picture's pixels", &bytes));
  TRM_TRY(trm_size_mul(bytes, 3, "a picture's bytes", &bytes));
  uint8_t *pixels = malloc(bytes ? bytes : 1);
  if (!pixels)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for a picture of %zu x %zu pixels", width, height);
  memset(pixels, 255, bytes);
  *out = (trmi_image){width, height, pixels};
  return TRM_OK;
}

void trmi_image_free(trmi_image *image)
{
  free(image->pixels);
  *image = (trmi_image){0};
}

void trmi_image_fill(trmi_image *image, size_t x, size_t y, size_t width, size_t height,
                     const uint8_t rgb[3])
{
  for (size_t row = y; row < y + height && row < image->height; row++)
    for (size_t column = x; column < x + width && column < image->width; column++)
      memcpy(image->pixels + 3 * (row * image->width + column), rgb, 3);
}
