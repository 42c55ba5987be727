/* canvas.c - an RGB image in memory. */
#include <config.h>

#include "io/canvas.h"

#include <stdlib.h>
#include <string.h>

trm_status trmi_canvas_create(size_t width, size_t height, trmi_canvas *out)
{
  size_t bytes;
  TRM_TRY(trm_size_mul(width, height, "a picture's pixels", &bytes));
  TRM_TRY(trm_size_mul(bytes, 3, "a picture's bytes", &bytes));
  uint8_t *pixels = malloc(bytes ? bytes : 1);
  if (!pixels)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for a picture of %zu x %zu pixels", width, height);
  memset(pixels, 255, bytes);
  *out = (trmi_canvas){width, height, pixels};
  return TRM_OK;
}

void trmi_canvas_free(trmi_canvas *canvas)
{
  free(canvas->pixels);
  *canvas = (trmi_canvas){0};
}

void trmi_canvas_fill(trmi_canvas *canvas, size_t x, size_t y, size_t width, size_t height,
                      const uint8_t rgb[3])
{
  for (size_t row = y; row < y + height && row < canvas->height; row++)
    for (size_t column = x; column < x + width && column < canvas->width; column++)
      memcpy(canvas->pixels + 3 * (row * canvas->width + column), rgb, 3);
}
